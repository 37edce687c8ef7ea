// What the keys of scene files choose between: the names of enumerations (scene_enums.c), and two
// lists that stand for no enumeration.
#include "scene/scene_choices.h"

#include "cond/scene.h"

// Choices are stored in enums, which are read and written as int.
_Static_assert(sizeof(CondStepMethod) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondIntegrator) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondImpactLaw) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondBodyKind) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondJointKind) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondRodShape) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondRodRest) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondElement) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondElasticity) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondGeometricStiffness) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondSensorKind) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondScale) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondActionKind) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondActionMode) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondRewardKind) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondFrictionRule) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondNeighbours) == sizeof(int), "enums are as wide as int");
_Static_assert(sizeof(CondLaw) == sizeof(int), "enums are as wide as int");

const char* cond_choice_method(int index)
{
    return cond_step_method_name((CondStepMethod)index);
}

const char* cond_choice_preset(int index)
{
    static const char* const names[] = {"default", "paper"};
    return names[index];
}

const char* cond_choice_joint(int index)
{
    return cond_joint_kind_name((CondJointKind)index);
}

const char* cond_choice_friction_rule(int index)
{
    return cond_friction_rule_name((CondFrictionRule)index);
}

const char* cond_choice_neighbours(int index)
{
    return cond_neighbours_name((CondNeighbours)index);
}

const char* cond_choice_kind(int index)
{
    return cond_body_kind_name((CondBodyKind)index);
}

const char* cond_choice_integrator(int index)
{
    return cond_integrator_name((CondIntegrator)index);
}

const char* cond_choice_impact(int index)
{
    return cond_impact_name((CondImpactLaw)index);
}

const char* cond_choice_rod_shape(int index)
{
    return cond_rod_shape_name((CondRodShape)index);
}

const char* cond_choice_rod_rest(int index)
{
    return cond_rod_rest_name((CondRodRest)index);
}

const char* cond_choice_collision(int index)
{
    return cond_collision_name((CondCollision)index);
}

const char* cond_choice_element(int index)
{
    return cond_element_name((CondElement)index);
}

const char* cond_choice_elasticity(int index)
{
    return cond_elasticity_name((CondElasticity)index);
}

const char* cond_choice_geometric(int index)
{
    return cond_geometric_stiffness_name((CondGeometricStiffness)index);
}

const char* cond_choice_sensor(int index)
{
    return cond_sensor_kind_name((CondSensorKind)index);
}

const char* cond_choice_axes(int index)
{
    static const char* const names[] = {"sensor", "world"};
    return names[index];
}

const char* cond_choice_scale(int index)
{
    return cond_scale_name((CondScale)index);
}

const char* cond_choice_action(int index)
{
    return cond_action_kind_name((CondActionKind)index);
}

const char* cond_choice_mode(int index)
{
    return cond_action_mode_name((CondActionMode)index);
}

const char* cond_choice_reward(int index)
{
    return cond_reward_kind_name((CondRewardKind)index);
}

const char* cond_choice_observation(int index)
{
    return cond_observation_kind_name((CondObservationKind)index);
}

const char* cond_choice_law(int index)
{
    return cond_law_name((CondLaw)index);
}

const char* cond_choice_surrogate(int index)
{
    return cond_surrogate_name((CondSurrogateKind)index);
}

const char* cond_choice_accelerator(int index)
{
    return cond_accelerator_name((CondAcceleratorKind)index);
}

const char* cond_choice_multilevel(int index)
{
    return cond_multilevel_name((CondMultilevelUse)index);
}

const char* cond_choice_device(int index)
{
    return cond_device_name((CondDeviceKind)index);
}

const char* cond_choice_storage(int index)
{
    return cond_storage_name((CondStorage)index);
}

const char* cond_choice_stop(int index)
{
    return cond_stop_name((CondStop)index);
}

const char* cond_choice_present_name(const char* name)
{
    return cond_solver_present_name(name);
}
