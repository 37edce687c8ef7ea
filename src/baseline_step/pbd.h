// Extended position-based dynamics with small substeps: rigid links whose poses are corrected
// constraint by constraint, once per substep. A baseline; it does not consume a CondProblem.
#ifndef COND_BASELINE_STEP_PBD_H
#define COND_BASELINE_STEP_PBD_H

#include "base/arena.h"
#include "collide/candidate.h"
#include "model/state.h"

// A moving rigid element: a particle, a rigid body, a link of a rod. Velocities in world axes.
typedef struct CondPbdLink {
    int body, part;
    double inverse_mass;             // [1/kg]
    double inertia[9];               // body axes [kg m2]; zero for a particle
    double inverse_inertia[9];       // body axes
    double damping;                  // of the velocities, in proportion to the mass [1/s]
    double force[3], torque[3];      // external, world and body axes [N, N m]
    double x[3], q[4];               // pose
    double x_start[3], q_start[4];   // at the start of the substep
    double v[3], w[3];               // [m/s], [rad/s]
    double inverse_inertia_world[9]; // at the start of the substep
} CondPbdLink;

// One end of a constraint: a point of a link, or a frame with a prescribed motion.
typedef struct CondPbdEnd {
    int link;        // -1: prescribed motion
    double local[3]; // in the link's axes [m]
    double from[3];  // prescribed: position at the start of the step [m],
    double to[3];    // at its end,
    double turn[4];  // orientation at the start,
    double turns[3]; // and the rotation vector over the step, world axes [rad]
} CondPbdEnd;

// The joint of a rod (src/model/rod.h): strains e = (g - g0, theta - theta0) in the axes halfway
// between the links, energy e' K e / 2, and proportional damping.
typedef struct CondPbdJoint {
    CondPbdEnd end[2];   // 0: on the previous link, 1: on the next one
    double rest[6];      // strains of the rest shape [m, rad]
    double stiffness[6]; // linear [N/m], angular [N m/rad]
    double damping[6];   // [N s/m], [N m s/rad]
} CondPbdJoint;

typedef struct CondPbdWeld {
    int weld; // index into CondState.hold
    CondPbdEnd end[2];
    double impulse[6]; // on end 0, world axes, over the step [N s, N m s]
} CondPbdWeld;

typedef struct CondPbdContact {
    CondPbdEnd end[2];
    double apart[3];   // end 0 from end 1 at detection [m]
    double approach;   // normal velocity before the substep [m/s]
    double push;       // normal correction of the substep [kg m]
    double impulse[3]; // contact frame, over the step [N s]
} CondPbdContact;

// Data of a CondSim whose step.method is pbd; else empty.
typedef struct CondPbd {
    CondArena arena;
    CondPbdLink* link;       //                                                     (n_link)
    int* link_begin;         // first link of a body; -1: none                        (n_body)
    CondPbdJoint* joint;     // of rods, made once                            (n_joint)
    CondPbdWeld* weld;       // attachments that hold in this step            (n_hold)
    CondPbdContact* contact; // as CondSim.candidates                         (n_contact)
    int n_link, n_joint, n_weld;
} CondPbd;

// COND_NOT_SUPPORTED for a model with bodies that it cannot move.
CondStatus cond_pbd_create(const CondModel* model, CondPbd* pbd, CondError* error);
void cond_pbd_destroy(CondPbd* pbd);

// Advances x and q by a substep without constraints, and the velocities by the forces.
void cond_pbd_predict(CondPbd* pbd, const double gravity[3], double h);

// One correction each. before and share: fractions of the step at the start and the end of the
// substep.
void cond_pbd_solve_joint(CondPbd* pbd, const CondPbdJoint* joint, double h);
void cond_pbd_solve_weld(CondPbd* pbd, CondPbdWeld* weld, const CondWeld* what, double share,
                         double h);
void cond_pbd_solve_contact(CondPbd* pbd, CondPbdContact* contact, const CondCandidate* candidate,
                            double before, double share, double h);

// Velocities from the change of the poses.
void cond_pbd_velocities(CondPbd* pbd, double h);
// Damps the velocities; step: the length of the whole step [s].
void cond_pbd_damp_joint(CondPbd* pbd, const CondPbdJoint* joint, double h);
void cond_pbd_damp_weld(CondPbd* pbd, CondPbdWeld* weld, const CondWeld* what, double share,
                        double step, double h);

// approach, before the prediction: computes the closing speed of a contact. restore, after the
// velocities: sets the normal velocity of a closed contact to zero, or to its restitution if it
// closed faster than `slow`.
void cond_pbd_approach(const CondPbd* pbd, CondPbdContact* contact, const CondCandidate* candidate,
                       double before, double step);
void cond_pbd_restore(CondPbd* pbd, CondPbdContact* contact, const CondCandidate* candidate,
                      double share, double step, double slow);

#endif
