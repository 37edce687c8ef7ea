// Groups of bodies that the integrator auto steps with the same rule and a common energy balance:
// bodies joined by springs, attachments or contacts, directly or through others. A contact does not
// join a body with its ground, which is a body that follows a trajectory or is much heavier: the
// rule of a body must not depend on other bodies on the same ground. (A body on a soft body shares
// its rule, because it needs the damping of both to come to rest.) At a contact between groups each
// side keeps its own rule. The law is posed on the velocities of the step's displacement, which do
// not depend on theta, and both sides get the same impulse; its power is counted for each side.
#ifndef COND_INTEGRATE_GROUP_H
#define COND_INTEGRATE_GROUP_H

#include "base/components.h"
#include "collide/candidate.h"
#include "cond/sim.h"

typedef struct CondSim CondSim;

typedef struct CondGroups {
    CondArena arena;
    CondComponents bodies; // connected components, the groups
    int n;                 // number of groups,
    const int* of;         // and the group of each body                            (n_body)
    int* touched;          // 1: it has contacts, or a joint strikes its limit       (n of n_body)
    int* borders;          // 1: one of these contacts is with another group     (n of n_body)
    int* anchored;         // 1: held from outside, so that its momentum may change (n of n_body)
    int* lands;            // 1: its bodies bounce (CondLands)                     (n of n_body)
    int* able;        // of a body, 1: its contacts may last                            (n_body)
    double* mass;     // of a body; infinite if it is held [kg]                       (n_body)
    int* persistent;  // of a body, 1: its contacts last (integrate/persistent.h)       (n_body)
    int* deforms;     // 1: has a deformable body                                (n of n_body)
    int* euler;       // 1: implicit Euler, else the midpoint rule            (n of n_body)
    int* newton;      // 1: solved by Newton's method                            (n of n_body)
    int* fails;       // 1: the attempted step is rejected                       (n of n_body)
    double* residual; // of its dynamics, sqrt(g' diag(A)^-1 g)                 (n of n_body)
    double* load;     // b in the same norm                                     (n of n_body)
    double* share;    // of the residual in the tolerance                        (n of n_body)
    double* rounding; // rounding error of the residual                          (n of n_body)
    double* fall;     // energy gained by free fall from rest in a step (n of n_body)
    double* before;   // energy at the start of the step [J]                    (n of n_body)
    double* kinetic;  // kinetic energy at its end [J]                           (n of n_body)
    double* excess;   // excess of energy at its end [J]                         (n of n_body)
    double* inexact;  // error of the excess from rounding of potential energies [J] (n of n_body)
} CondGroups;

CondStatus cond_groups_create(const CondContext* context, int n_body, CondGroups* groups);
void cond_groups_destroy(CondGroups* groups);

// The group of a side of a contact: -1 if it has no body, and for side 1 if both sides have the
// same group.
static inline int cond_group_of_side(const CondGroups* groups, const CondCandidate* candidate,
                                     int side)
{
    int a = candidate->point[0].body, b = candidate->point[1].body;
    if (side == 0)
        return groups->of[a];
    return b >= 0 && groups->of[b] != groups->of[a] ? groups->of[b] : -1;
}

// Computes the groups from the springs, the attachments of sim->next, sim->pull and
// sim->attempt.candidates.
void cond_groups_make(CondSim* sim);

#endif
