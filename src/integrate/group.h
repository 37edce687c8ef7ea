// Bodies that act on each other in a step, directly or through others: by springs, attachments and
// contacts. Each group has an energy of its own, and the integrator auto steps it in its own way.
#ifndef COND_INTEGRATE_GROUP_H
#define COND_INTEGRATE_GROUP_H

#include "base/components.h"
#include "cond/sim.h"

typedef struct CondSim CondSim;

typedef struct CondGroups {
    CondArena arena;
    CondComponents bodies; // of which groups are made
    int n;                 // of these: the groups,
    const int* of;         // and the group of each body                            (n_body)
    int* touched;          // 1: it has contacts, or a joint strikes its limit       (n of n_body)
    int* anchored;         // 1: something outside holds it: its momentum may change (n of n_body)
    int* lands;            // 1: its bodies bounce (CondLands)                     (n of n_body)
    int* persistent;  // of a body, 1: its contacts last (integrate/persistent.h)       (n_body)
    int* euler;       // 1: implicit Euler, else the midpoint rule            (n of n_body)
    int* newton;      // 1: of it by Newton's method                          (n of n_body)
    int* fails;       // 1: the step as it was tried cannot stand             (n of n_body)
    double* residual; // of its dynamics, sqrt(g' diag(A)^-1 g)                 (n of n_body)
    double* load;     // b in the same norm                                     (n of n_body)
    double* rounding; // what rounding leaves of the residual                   (n of n_body)
    double* fall;     // energy that free fall from rest would give in a step (n of n_body)
    double* before;   // energy at the start of the step [J]                    (n of n_body)
    double* kinetic;  // energy of motion at its end [J]                        (n of n_body)
    double* excess;   // energy at its end that nothing accounts for [J]        (n of n_body)
    double* inexact;  // what rounding of the potential energies leaves of it [J] (n of n_body)
} CondGroups;

CondStatus cond_groups_create(const CondContext* context, int n_body, CondGroups* groups);
void cond_groups_destroy(CondGroups* groups);

// From the springs, the attachments of sim->next, the user's hand and sim->attempt.candidates.
void cond_groups_make(CondSim* sim);

#endif
