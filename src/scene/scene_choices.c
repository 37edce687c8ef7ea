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
    static const char* const names[] = {"velocity", "penalty", "pbd"};
    return names[index];
}

const char* cond_choice_preset(int index)
{
    static const char* const names[] = {"default", "paper"};
    return names[index];
}

const char* cond_body_kind_name(CondBodyKind kind)
{
    static const char* const names[] = {"particle", "rigid", "soft", "robot", "rod"};
    return kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char* cond_choice_joint(int index)
{
    static const char* const names[] = {"fixed",     "revolute", "continuous", "prismatic",
                                        "spherical", "planar",   "floating"};
    return names[index];
}

const char* cond_choice_friction_rule(int index)
{
    static const char* const names[] = {"geometric", "larger"};
    return names[index];
}

const char* cond_choice_neighbours(int index)
{
    static const char* const names[] = {"all", "moving", "none"};
    return names[index];
}

const char* cond_choice_kind(int index)
{
    return cond_body_kind_name((CondBodyKind)index);
}

const char* cond_integrator_name(CondIntegrator integrator)
{
    static const char* const names[] = {"auto", "theta", "euler", "midpoint", "variational"};
    return integrator >= 0 && (size_t)integrator < sizeof names / sizeof *names ? names[integrator]
                                                                                : NULL;
}

const char* cond_choice_integrator(int index)
{
    return cond_integrator_name((CondIntegrator)index);
}

const char* cond_impact_name(CondImpactLaw law)
{
    static const char* const names[] = {"false", "sequential", "simultaneous"};
    return law >= 0 && (size_t)law < sizeof names / sizeof *names ? names[law] : NULL;
}

const char* cond_choice_impact(int index)
{
    return cond_impact_name((CondImpactLaw)index);
}

const char* cond_choice_rod_shape(int index)
{
    static const char* const names[] = {"straight", "arc", "helix", "points"};
    return names[index];
}

const char* cond_choice_rod_rest(int index)
{
    static const char* const names[] = {"shape", "uniform"};
    return names[index];
}

const char* cond_choice_collision(int index)
{
    static const char* const names[] = {"mesh", "hull", "none"};
    return names[index];
}

const char* cond_choice_elasticity(int index)
{
    static const char* const names[] = {"corotational", "neohookean"};
    return names[index];
}

const char* cond_choice_geometric(int index)
{
    static const char* const names[] = {"none", "bound", "constant", "clamped", "projected"};
    return names[index];
}

const char* cond_choice_sensor(int index)
{
    static const char* const names[] = {"contact", "joint", "imu", "range"};
    return names[index];
}

const char* cond_choice_axes(int index)
{
    static const char* const names[] = {"sensor", "world"};
    return names[index];
}

const char* cond_choice_scale(int index)
{
    static const char* const names[] = {"linear", "log"};
    return names[index];
}

const char* cond_choice_action(int index)
{
    static const char* const names[] = {"joints",  "pose",      "anchor", "velocities",
                                        "torques", "impedance", "pick",   "grip"};
    return names[index];
}

const char* cond_choice_mode(int index)
{
    static const char* const names[] = {"increment", "absolute"};
    return names[index];
}

const char* cond_choice_reward(int index)
{
    static const char* const names[] = {"distance", "height", "force", "winding",
                                        "curve",    "action", "holds"};
    return names[index];
}

const char* cond_choice_observation(int index)
{
    static const char* const names[] = {"point", "points", "vector", "distance", "action"};
    return names[index];
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

const char* cond_choice_storage(int index)
{
    return cond_storage_name((CondStorage)index);
}

const char* cond_choice_stop(int index)
{
    return cond_stop_name((CondStop)index);
}
