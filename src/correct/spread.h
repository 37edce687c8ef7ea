// Bodies that overlap are moved apart by translations alone, before time begins.
#ifndef COND_CORRECT_SPREAD_H
#define COND_CORRECT_SPREAD_H

#include "base/components.h"
#include "collide/candidate.h"

typedef struct CondSim CondSim;

typedef struct CondSpread {
    CondArena arena;
    CondCandidateList candidates; // all contacts within reach
    CondSolver* solver;
    CondComponents cluster; // bodies that springs and attachments tie together
    int* held;              // of such a body, 1: it stays where it is            (n_body)
    double* box;            // low and high corner of what may touch [m]          (n_body x 6)
    double* mass;           // of a cluster, 3x3 [kg]                             (n_body x 9)
    CondBlock* block;       //                                                    (n_body)
    int* coordinate;        // 0, 1, 2, ...                                       (3 n_body)
    double* b;              // zero                                               (3 n_body)
    double* d;              // way of a cluster [m]                               (3 n_body)
    double* v;              // the same as velocities of one body                 (n_dof)
    CondContact* contact;   // bounds on the ways                                 (n_contact)
    double* lambda;         //                                                    (n_contact x 3)
    int n_contact;
} CondSpread;

// How the way out of an overlap is chosen: along the normals of the contacts; along the axis on
// which the boxes around two bodies overlap least; upwards, the higher body above the lower one.
typedef enum CondSpreadWay {
    COND_SPREAD_NORMALS,
    COND_SPREAD_BOXES,
    COND_SPREAD_UP,
    COND_N_SPREAD_WAY,
} CondSpreadWay;

void cond_spread_destroy(CondSpread* spread);

// One round, of sim->next and sim->at_end; needs sim->attempt.end and the overlaps of
// sim->settle there. moved, unless NULL, grows by the way of each body (n_body); *way is the
// longest.
CondStatus cond_sim_spread(CondSim* sim, double deepest, CondSpreadWay which, double* moved,
                           double* way);

#endif
