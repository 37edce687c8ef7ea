// Separates overlapping bodies by translations, before a run.
#ifndef COND_CORRECT_SPREAD_H
#define COND_CORRECT_SPREAD_H

#include "base/components.h"
#include "cond/problem.h"

typedef struct CondSim CondSim;

typedef struct CondSpread {
    CondArena arena;
    CondComponents cluster; // bodies that springs and attachments tie together
    int* held;              // of a cluster, 1: fixed                              (cluster.n)
    double* mass;           // of a cluster, 3x3 [kg]                           (cluster.n x 9)
    CondBlock* block;       //                                                  (cluster.n)
    int* coordinate;        // 0, 1, 2, ...                                     (cluster.n x 3)
    double* b;              // zero                                             (cluster.n x 3)
    double* box;            // low and high corner of a body's shapes [m]       (n_body x 6)
    double* v;              // a translation as velocities of one body          (n_dof)
    CondContact* contact;   // bounds on the translations                       (n_contact)
    int n_contact;
} CondSpread;

// Direction of the separation: along the normals of the contacts; along the axis on which the boxes
// around two bodies overlap least; or upwards, the higher body above the lower one.
typedef enum CondSpreadAxis {
    COND_SPREAD_NORMALS,
    COND_SPREAD_BOXES,
    COND_SPREAD_UP,
} CondSpreadAxis;

void cond_spread_destroy(CondSpread* spread);

// One round, of sim->next and sim->at_end; needs the overlaps of sim->settle there. moved, unless
// NULL, is increased by the displacement of each body (n_body); *distance is the longest.
CondStatus cond_sim_spread(CondSim* sim, double deepest, CondSpreadAxis axis, double* moved,
                           double* distance);

#endif
