// What a definition holds before anything is said about it.
#include "scene/scene_keys.h"

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
        .element = COND_ELEMENT_AUTO,
        .thickness = 1e-3,
        .warp = {1.0, 0.0, 0.0},
        .friction_back = {NAN, NAN},
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

static CondCameraDef camera_def(void)
{
    return (CondCameraDef){.position = {NAN, NAN, NAN},
                           .target = {0.0, 0.0, 0.0},
                           .up = {0.0, 0.0, 1.0},
                           .field = 45.0};
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
        .damping = NAN,
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
FILL(CondCameraDef, camera_def)
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

// The structures of the table of keys, without their types.
#define STRUCTURE(Type, noun)                                                                      \
    static void make_##noun(void* made)                                                            \
    {                                                                                              \
        cond_##noun##_default_fill(made, sizeof(Type));                                            \
    }

STRUCTURE(CondBodyDef, body_def)
STRUCTURE(CondMaterialDef, material_def)
STRUCTURE(CondObstacleDef, obstacle_def)
STRUCTURE(CondPatchDef, patch_def)
STRUCTURE(CondAttachmentDef, attachment_def)
STRUCTURE(CondTrajectoryDef, trajectory_def)
STRUCTURE(CondSensorDef, sensor_def)
STRUCTURE(CondCameraDef, camera_def)
STRUCTURE(CondVariationDef, variation_def)
STRUCTURE(CondActionDef, action_def)
STRUCTURE(CondRewardDef, reward_def)
STRUCTURE(CondObservationDef, observation_def)
STRUCTURE(CondPlaneDef, plane_def)
STRUCTURE(CondExcludeDef, exclude_def)
STRUCTURE(CondForceDef, force_def)
STRUCTURE(CondSpringDef, spring_def)
STRUCTURE(CondJointDef, joint_def)
STRUCTURE(CondLinkDef, link_def)
STRUCTURE(CondLinkShapeDef, link_shape_def)
STRUCTURE(CondLinkGroups, link_groups)
STRUCTURE(CondWaypoint, waypoint)

static void make_settings_draft(void* made)
{
    *(CondSettingsDraft*)made = (CondSettingsDraft){.settings = scene_settings()};
}

static void make_mjcf_draft(void* made)
{
    *(CondMjcfDraft*)made = (CondMjcfDraft){.orientation = {1.0, 0.0, 0.0, 0.0}};
}

static void make_rotation_draft(void* made)
{
    *(CondRotationDraft*)made = (CondRotationDraft){.degrees = 0.0};
}

static void make_scene_mesh(void* made)
{
    *(CondSceneMesh*)made = (CondSceneMesh){.name = ""};
}

const CondStructure* cond_structure_find(const char* name)
{
#define ROW(Type, noun)                                                                            \
    {                                                                                              \
#Type, sizeof(Type), make_##noun                                                           \
    }
    static const CondStructure structures[] = {
        ROW(CondBodyDef, body_def),
        ROW(CondMaterialDef, material_def),
        ROW(CondObstacleDef, obstacle_def),
        ROW(CondPatchDef, patch_def),
        ROW(CondAttachmentDef, attachment_def),
        ROW(CondTrajectoryDef, trajectory_def),
        ROW(CondSensorDef, sensor_def),
        ROW(CondCameraDef, camera_def),
        ROW(CondVariationDef, variation_def),
        ROW(CondActionDef, action_def),
        ROW(CondRewardDef, reward_def),
        ROW(CondObservationDef, observation_def),
        ROW(CondPlaneDef, plane_def),
        ROW(CondExcludeDef, exclude_def),
        ROW(CondForceDef, force_def),
        ROW(CondSpringDef, spring_def),
        ROW(CondJointDef, joint_def),
        ROW(CondLinkDef, link_def),
        ROW(CondLinkShapeDef, link_shape_def),
        ROW(CondLinkGroups, link_groups),
        ROW(CondWaypoint, waypoint),
        ROW(CondSettingsDraft, settings_draft),
        ROW(CondMjcfDraft, mjcf_draft),
        ROW(CondRotationDraft, rotation_draft),
        ROW(CondSceneMesh, scene_mesh),
    };
#undef ROW
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
        if (strcmp(structures[i].name, name) == 0)
            return &structures[i];
    return NULL;
}
