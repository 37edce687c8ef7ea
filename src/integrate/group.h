// Bodies that the integrator auto steps in one way, with one energy: those that springs and
// attachments tie together, and those that touch, directly or through others. A contact does not
// join a body and its ground, which is led along a trajectory or hardly feels it: how a body moves
// is not a matter of what else stands there. (What lies on a soft body shares its rule: to come to
// rest it needs the damping of both.) Across such a contact each side keeps its own rule. The law
// is posed on the velocities of the way that the step makes, which both share, and both get the
// same impulse, whatever their theta; its power is counted side by side.
#ifndef COND_INTEGRATE_GROUP_H
#define COND_INTEGRATE_GROUP_H

#include "base/components.h"
#include "collide/candidate.h"
#include "cond/sim.h"

typedef struct CondSim CondSim;

typedef struct CondGroups {
    CondArena arena;
    CondComponents bodies; // of which groups are made
    int n;                 // of these: the groups,
    const int* of;         // and the group of each body                            (n_body)
    int* touched;          // 1: it has contacts, or a joint strikes its limit       (n of n_body)
    int* borders;          // 1: one of them is with a body of another group         (n of n_body)
    int* anchored;         // 1: something outside holds it: its momentum may change (n of n_body)
    int* lands;            // 1: its bodies bounce (CondLands)                     (n of n_body)
    int* able;        // of a body, 1: its contacts may last                            (n_body)
    double* mass;     // of a body; infinite where it is held [kg]                      (n_body)
    int* persistent;  // of a body, 1: its contacts last (integrate/persistent.h)       (n_body)
    int* deforms;     // 1: a body of it can change its shape                 (n of n_body)
    int* euler;       // 1: implicit Euler, else the midpoint rule            (n of n_body)
    int* newton;      // 1: of it by Newton's method                          (n of n_body)
    int* fails;       // 1: the step as it was tried cannot stand             (n of n_body)
    double* residual; // of its dynamics, sqrt(g' diag(A)^-1 g)                 (n of n_body)
    double* load;     // b in the same norm                                     (n of n_body)
    double* share;    // of the residual in what is taken for solved            (n of n_body)
    double* rounding; // what rounding leaves of the residual                   (n of n_body)
    double* fall;     // energy that free fall from rest would give in a step (n of n_body)
    double* before;   // energy at the start of the step [J]                    (n of n_body)
    double* kinetic;  // energy of motion at its end [J]                        (n of n_body)
    double* excess;   // energy at its end that nothing accounts for [J]        (n of n_body)
    double* inexact;  // what rounding of the potential energies leaves of it [J] (n of n_body)
} CondGroups;

CondStatus cond_groups_create(const CondContext* context, int n_body, CondGroups* groups);
void cond_groups_destroy(CondGroups* groups);

// The group that a side of a contact counts for: -1 where it has no body, and of side 1 where both
// sides have the same one.
static inline int cond_group_of_side(const CondGroups* groups, const CondCandidate* candidate,
                                     int side)
{
    int a = candidate->point[0].body, b = candidate->point[1].body;
    if (side == 0)
        return groups->of[a];
    return b >= 0 && groups->of[b] != groups->of[a] ? groups->of[b] : -1;
}

// From the springs, the attachments of sim->next, the user's hand and sim->attempt.candidates.
void cond_groups_make(CondSim* sim);

#endif
