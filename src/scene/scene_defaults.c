// What a definition holds before anything is said about it.
#include "scene/scene.h"

#include <math.h>

static CondSurfaceDef surface_default(void)
{
    return (CondSurfaceDef){.friction = {NAN, NAN}, .restitution = NAN};
}

CondBodyDef cond_body_def_default(void)
{
    return (CondBodyDef){
        .kind = COND_BODY_RIGID,
        .inertia_from_shape = 1,
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .surface = surface_default(),
        .mesh_scale = 1.0,
        .self_contact = 1,
        .thickness = 1e-3,
        .rod = {.links = 50, .shear_factor = 1.0, .contact_radius = NAN},
        .cookie = COND_SCENE_COOKIE,
    };
}

CondMaterialDef cond_material_def_default(void)
{
    return (CondMaterialDef){
        .elasticity = COND_ELASTICITY_COROTATIONAL,
        .geometric = COND_GEOMETRIC_NONE,
        .cookie = COND_SCENE_COOKIE,
    };
}

CondObstacleDef cond_obstacle_def_default(void)
{
    return (CondObstacleDef){
        .mesh_scale = 1.0,
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .surface = surface_default(),
        .cookie = COND_SCENE_COOKIE,
    };
}

CondPatchDef cond_patch_def_default(void)
{
    return (CondPatchDef){.cookie = COND_SCENE_COOKIE};
}

CondAttachmentDef cond_attachment_def_default(void)
{
    return (CondAttachmentDef){
        .end = {{.at = NAN}, {.at = NAN}},
        .turns = 1,
        .contact = 1,
        .stiffness = 1e4,
        .damping = 10.0,
        .rotation_stiffness = 10.0,
        .rotation_damping = 0.1,
        .end_time = INFINITY,
        .cookie = COND_SCENE_COOKIE,
    };
}

CondTrajectoryDef cond_trajectory_def_default(void)
{
    return (CondTrajectoryDef){.cookie = COND_SCENE_COOKIE};
}

CondSensorDef cond_sensor_def_default(void)
{
    return (CondSensorDef){.orientation = {1.0, 0.0, 0.0, 0.0}, .cookie = COND_SCENE_COOKIE};
}

CondVariationDef cond_variation_def_default(void)
{
    return (CondVariationDef){.cookie = COND_SCENE_COOKIE};
}

CondActionDef cond_action_def_default(void)
{
    return (CondActionDef){
        .turns = 1,
        .linear = 0.01,
        .angular = 0.05,
        .cookie = COND_SCENE_COOKIE,
    };
}

CondRewardDef cond_reward_def_default(void)
{
    return (CondRewardDef){
        .at = {.at = NAN},
        .axis = {0.0, 0.0, 1.0},
        .weight = 1.0,
        .done_below = NAN,
        .done_above = NAN,
        .cookie = COND_SCENE_COOKIE,
    };
}

CondPlaneDef cond_plane_def_default(void)
{
    return (CondPlaneDef){
        .normal = {0.0, 0.0, 1.0},
        .direction = {NAN, NAN, NAN},
        .surface = surface_default(),
        .cookie = COND_SCENE_COOKIE,
    };
}

CondForceDef cond_force_def_default(void)
{
    return (CondForceDef){.at = NAN, .end = INFINITY, .cookie = COND_SCENE_COOKIE};
}

CondSpringDef cond_spring_def_default(void)
{
    return (CondSpringDef){.at = {NAN, NAN}, .rest_length = NAN, .cookie = COND_SCENE_COOKIE};
}

CondSceneSettings cond_scene_settings_default(void)
{
    return (CondSceneSettings){
        .gravity = {0.0, 0.0, -9.81},
        .method = COND_STEP_VELOCITY,
        .time_step = 0.01,
        .theta = NAN,
        .integrator = COND_INTEGRATOR_AUTO,
        .newton_tolerance = 1e-10,
        .newton_iterations = 20,
        .substeps = 4,
        .rounds = 6,
        .duration = 1.0,
        .kv = INFINITY,
        .friction_scale = 1.0,
        .gap = 1,
        .impact = COND_IMPACT_SIMULTANEOUS,
        .position_correction = 1,
        .correction_rate = 5.0,
        .margin = NAN,
        .penetration_limit = NAN,
        .penalty_stiffness = 1e4,
        .penalty_damping = 20.0,
        .penalty_friction = 20.0,
        .pbd_substeps = 100,
        .solver = cond_solver_settings_default(),
        .environment = {.steps = 200,
                        .substeps = 1,
                        .observe_time = 1,
                        .observe_poses = 1,
                        .observe_goals = 1,
                        .observe_wrenches = 1,
                        .observe_contacts = 1,
                        .observe_certificate = 1},
        .cookie = COND_SCENE_COOKIE,
    };
}
