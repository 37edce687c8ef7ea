// What a definition holds before anything is said about it.
#include "scene/scene.h"

#include "base/definition.h"

#include <math.h>
#include <string.h>

static CondSurfaceDef surface_def(void)
{
    return (CondSurfaceDef){.friction = {NAN, NAN}, .restitution = NAN};
}

static CondRubbingDef rubbing_def(void)
{
    return (CondRubbingDef){.rule = COND_FRICTION_GEOMETRIC};
}

static CondRodDef rod_def(void)
{
    return (CondRodDef){.links = 50, .shear_factor = 1.0, .contact_radius = NAN};
}

static CondEndDef end_def(void)
{
    return (CondEndDef){.at = NAN};
}

static CondWaypoint waypoint(void)
{
    return (CondWaypoint){
        .position = {NAN, NAN, NAN}, .orientation = {1.0, 0.0, 0.0, 0.0}, .target = NAN};
}

static CondLinkGroups link_groups(void)
{
    return (CondLinkGroups){.groups = COND_GROUP_DEFAULT, .touches = COND_GROUP_ALL};
}

static CondEnvironmentSettings environment_settings(void)
{
    return (CondEnvironmentSettings){.steps = 200,
                                     .success_steps = 1,
                                     .substeps = 1,
                                     .observe_time = 1,
                                     .observe_poses = 1,
                                     .observe_goals = 1,
                                     .observe_wrenches = 1,
                                     .observe_contacts = 1,
                                     .observe_certificate = 1};
}

static CondBodyDef body_def(void)
{
    return (CondBodyDef){
        .kind = COND_BODY_RIGID,
        .inertia_from_shape = 1,
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .surface = surface_def(),
        .mesh_scale = 1.0,
        .self_contact = 1,
        .thickness = 1e-3,
        .rod = rod_def(),
        .joint_limits = 1,
        .velocity_limits = 1,
        .effort_limits = 1,
        .joint_friction = 1,
        .motor_effort = NAN,
        .groups = COND_GROUP_DEFAULT,
        .touches = COND_GROUP_ALL,
    };
}

static CondJointDef joint_def(void)
{
    return (CondJointDef){.stiffness = NAN,
                          .damping = NAN,
                          .bounded = 1,
                          .lower = NAN,
                          .upper = NAN,
                          .velocity_limit = NAN,
                          .effort = NAN,
                          .friction = NAN,
                          .passive_damping = NAN,
                          .armature = NAN,
                          .spring = NAN,
                          .spring_rest = NAN,
                          .effort_back = NAN};
}

static CondLinkDef link_def(void)
{
    return (CondLinkDef){.orientation = {1.0, 0.0, 0.0, 0.0},
                         .axis = {1.0, 0.0, 0.0},
                         .lower = NAN,
                         .upper = NAN,
                         .velocity_limit = INFINITY,
                         .effort = INFINITY,
                         .multiplier = 1.0,
                         .effort_back = NAN};
}

static CondLinkShapeDef link_shape_def(void)
{
    return (CondLinkShapeDef){.scale = {1.0, 1.0, 1.0},
                              .orientation = {1.0, 0.0, 0.0, 0.0},
                              .surface = surface_def(),
                              .rgba = {NAN, NAN, NAN, NAN}};
}

static CondMaterialDef material_def(void)
{
    return (CondMaterialDef){
        .elasticity = COND_ELASTICITY_COROTATIONAL,
        .geometric = COND_GEOMETRIC_NONE,
    };
}

static CondObstacleDef obstacle_def(void)
{
    return (CondObstacleDef){
        .mesh_scale = 1.0,
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .surface = surface_def(),
        .groups = COND_GROUP_DEFAULT,
        .touches = COND_GROUP_ALL,
        .height = 1.0,
        .depth = NAN,
    };
}

static CondPatchDef patch_def(void)
{
    return (CondPatchDef){0};
}

static CondAttachmentDef attachment_def(void)
{
    return (CondAttachmentDef){
        .end = {end_def(), end_def()},
        .turns = 1,
        .contact = 1,
        .stiffness = 1e4,
        .damping = 10.0,
        .rotation_stiffness = 10.0,
        .rotation_damping = 0.1,
        .end_time = INFINITY,
        .position = {NAN, NAN, NAN},
        .orientation = {NAN, NAN, NAN, NAN},
    };
}

static CondTrajectoryDef trajectory_def(void)
{
    return (CondTrajectoryDef){0};
}

static CondSensorDef sensor_def(void)
{
    return (CondSensorDef){.on = end_def(), .orientation = {1.0, 0.0, 0.0, 0.0}, .range = 10.0};
}

static CondVariationDef variation_def(void)
{
    return (CondVariationDef){.low = NAN, .high = NAN};
}

static CondActionDef action_def(void)
{
    return (CondActionDef){
        .turns = 1,
        .linear = 0.01,
        .angular = 0.05,
        .low = {NAN, NAN, NAN},
        .high = {NAN, NAN, NAN},
        .effort = INFINITY,
        .compensate = 1,
        .stiffness = 1000.0,
        .damping = 10.0,
        .rotation_stiffness = 10.0,
        .rotation_damping = 0.1,
        .reach = 0.02,
    };
}

static CondRewardDef reward_def(void)
{
    return (CondRewardDef){
        .at = end_def(),
        .axis = {0.0, 0.0, 1.0},
        .weight = 1.0,
        .done_below = NAN,
        .done_above = NAN,
        .target = NAN,
        .to = end_def(),
        .success_below = NAN,
        .success_above = NAN,
    };
}

static CondObservationDef observation_def(void)
{
    return (CondObservationDef){.at = end_def(), .to = end_def(), .count = 10};
}

static CondPlaneDef plane_def(void)
{
    return (CondPlaneDef){
        .normal = {0.0, 0.0, 1.0},
        .direction = {NAN, NAN, NAN},
        .surface = surface_def(),
        .groups = COND_GROUP_DEFAULT,
        .touches = COND_GROUP_ALL,
    };
}

static CondExcludeDef exclude_def(void)
{
    return (CondExcludeDef){.surface = surface_def()};
}

static CondForceDef force_def(void)
{
    return (CondForceDef){.at = NAN, .end = INFINITY};
}

static CondSpringDef spring_def(void)
{
    return (CondSpringDef){.at = {NAN, NAN}, .rest_length = NAN, .ratio = {1.0, 1.0}};
}

static CondSceneSettings scene_settings(void)
{
    return (CondSceneSettings){
        .gravity = {0.0, 0.0, -9.81},
        .method = COND_STEP_VELOCITY,
        .time_step = 0.01,
        .theta = NAN,
        .integrator = COND_INTEGRATOR_AUTO,
        .newton_tolerance = 1e-10,
        .newton_iterations = 20,
        .substeps = 8,
        .sleeping = 1,
        .rounds = 6,
        .duration = 1.0,
        .kv = INFINITY,
        .friction_scale = 1.0,
        .gap = 1,
        .impact = COND_IMPACT_SEQUENTIAL,
        .position_correction = 1,
        .correction_rate = 5.0,
        .margin = NAN,
        .penetration_limit = NAN,
        .penalty_stiffness = 1e4,
        .penalty_damping = 20.0,
        .penalty_friction = 20.0,
        .pbd_substeps = 100,
        .solver = cond_solver_settings_default(),
        .environment = environment_settings(),
    };
}

// The exported functions: as much of the defaults as the program knows.
#define FILL(Type, noun)                                                                           \
    void cond_##noun##_default_fill(Type* made, size_t size)                                       \
    {                                                                                              \
        const Type defaults = noun();                                                              \
        cond_definition_fill(made, size, &defaults, sizeof defaults, offsetof(Type, struct_size)); \
    }

FILL(CondBodyDef, body_def)
FILL(CondMaterialDef, material_def)
FILL(CondObstacleDef, obstacle_def)
FILL(CondPatchDef, patch_def)
FILL(CondAttachmentDef, attachment_def)
FILL(CondTrajectoryDef, trajectory_def)
FILL(CondSensorDef, sensor_def)
FILL(CondVariationDef, variation_def)
FILL(CondActionDef, action_def)
FILL(CondRewardDef, reward_def)
FILL(CondObservationDef, observation_def)
FILL(CondPlaneDef, plane_def)
FILL(CondExcludeDef, exclude_def)
FILL(CondForceDef, force_def)
FILL(CondSpringDef, spring_def)
FILL(CondSceneSettings, scene_settings)

// Parts have no size of their own: that of the definition they are in counts.
#define FILL_PART(Type, noun)                                                                      \
    void cond_##noun##_default_fill(Type* made, size_t size)                                       \
    {                                                                                              \
        const Type defaults = noun();                                                              \
        memcpy(made, &defaults, size < sizeof defaults ? size : sizeof defaults);                  \
    }

FILL_PART(CondSurfaceDef, surface_def)
FILL_PART(CondRubbingDef, rubbing_def)
FILL_PART(CondRodDef, rod_def)
FILL_PART(CondEndDef, end_def)
FILL_PART(CondWaypoint, waypoint)
FILL_PART(CondLinkGroups, link_groups)
FILL_PART(CondEnvironmentSettings, environment_settings)
FILL_PART(CondJointDef, joint_def)
FILL_PART(CondLinkDef, link_def)
FILL_PART(CondLinkShapeDef, link_shape_def)

void cond_scene_kind_fill(CondSceneKind kind, void* made)
{
    switch (kind) {
#define CASE(noun, NOUN, Type)                                                                     \
    case COND_SCENE_##NOUN:                                                                        \
        cond_##noun##_def_default_fill(made, sizeof(Type));                                        \
        break;
        CASE(material, MATERIAL, CondMaterialDef)
        CASE(body, BODY, CondBodyDef)
        CASE(plane, PLANE, CondPlaneDef)
        CASE(obstacle, OBSTACLE, CondObstacleDef)
        CASE(exclude, EXCLUDE, CondExcludeDef)
        CASE(patch, PATCH, CondPatchDef)
        CASE(trajectory, TRAJECTORY, CondTrajectoryDef)
        CASE(attachment, ATTACHMENT, CondAttachmentDef)
        CASE(sensor, SENSOR, CondSensorDef)
        CASE(force, FORCE, CondForceDef)
        CASE(spring, SPRING, CondSpringDef)
        CASE(variation, VARIATION, CondVariationDef)
        CASE(action, ACTION, CondActionDef)
        CASE(reward, REWARD, CondRewardDef)
        CASE(observation, OBSERVATION, CondObservationDef)
#undef CASE
    case COND_SCENE_MESH:
        break;
    }
}
