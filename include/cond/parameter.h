// Values of a model that a simulation may change between two steps: masses and inertias, friction
// and restitution, materials, gravity. Gains of motors belong to the state (cond_state_set_motor).
//
// A simulation has its own copy of these values, so that a model stays constant and any number of
// simulations, in any threads, share it. A change wakes all sleeping bodies and takes effect in the
// next step. The results have the same bits as those of a scene that was compiled with these values
// and started from the same state. The energies in CondStepInfo are those of the new values.
//
// The set functions return COND_BAD_ARGUMENT, and change nothing, if the body, link, plane or
// obstacle does not exist or a value is invalid; cond_last_error says which. They return
// COND_NOT_SUPPORTED where the scene's step method is `pbd` or `penalty`.
#ifndef COND_PARAMETER_H
#define COND_PARAMETER_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// The model with the values of this simulation, for example for cond_mechanics_create. It belongs
// to the simulation and is valid as long as it.
COND_API const CondModel* cond_sim_model(const CondSim* sim);

// A hash of all these values: equal values give equal numbers, whether they come from the scene or
// from changes. A state holds, and saves, the hash of the values of its last step (0: no step was
// made); it may be continued with other values.
COND_API uint64_t cond_model_parameters(const CondModel* model);
COND_API uint64_t cond_state_parameters(const CondState* state);

// Undoes all changes: restores the values of the model that the simulation was created with.
COND_API CondStatus cond_sim_reset_parameters(CondSim* sim);

// Acceleration of gravity, world axes [m/s2].
COND_API CondStatus cond_sim_set_gravity(CondSim* sim, const double gravity[3]);

// Mass, centre of mass and inertia of a rigid body, a particle, or a link of a robot.
typedef struct CondInertia {
    double mass;       // [kg]
    double center[3];  // of mass; of a link: in link axes [m]; else 0
    double inertia[6]; // xx, yy, zz, xy, xz, yz about the centre, axes of body or link [kg m2]
} CondInertia;
// link: of a robot; else 0. The origin of a rigid body is its centre of mass, so that its centre
// stays 0; to change a centre of mass, model the body as a robot with one floating link.
COND_API CondStatus cond_model_inertia(const CondModel* model, int body, int link,
                                       CondInertia* inertia);
COND_API CondStatus cond_sim_set_inertia(CondSim* sim, int body, int link,
                                         const CondInertia* inertia);

// Friction and restitution of a surface, as CondSurfaceDef describes them. Of a body with link -1:
// of all its shapes; else of the shapes of that link of a robot.
COND_API CondStatus cond_model_body_surface(const CondModel* model, int body, int link,
                                            CondSurfaceDef* surface);
COND_API CondStatus cond_sim_set_body_surface(CondSim* sim, int body, int link,
                                              const CondSurfaceDef* surface);
COND_API CondStatus cond_model_plane_surface(const CondModel* model, int plane,
                                             CondSurfaceDef* surface);
COND_API CondStatus cond_sim_set_plane_surface(CondSim* sim, int plane,
                                               const CondSurfaceDef* surface);
COND_API CondStatus cond_model_obstacle_surface(const CondModel* model, int obstacle,
                                                CondSurfaceDef* surface);
COND_API CondStatus cond_sim_set_obstacle_surface(CondSim* sim, int obstacle,
                                                  const CondSurfaceDef* surface);

// Material of a soft body or a rod; name and source are ignored, and for a rod also elasticity. The
// density changes the mass. Before cond_model_material, initialise `material` with
// cond_material_def_default().
COND_API CondStatus cond_model_material(const CondModel* model, int body,
                                        CondMaterialDef* material);
COND_API CondStatus cond_sim_set_material(CondSim* sim, int body, const CondMaterialDef* material);

#ifdef __cplusplus
}
#endif
#endif
