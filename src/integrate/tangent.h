// The derivative of Newton's equation for groups of rigid bodies, particles and robots without
// contacts, held together by attachments and springs. A (integrate/newton.c) leaves out what is not
// symmetric: the turning of levers over the half of the step behind the middle, of forces seen from
// the body, and the gyroscopic torque; and of robots the change of their mass matrix. Where bodies
// turn fast its iterates then come nearer by halves only, or not at all; with the derivative they
// arrive by Newton's squares. That of a robot's momenta is taken by differences.
#ifndef COND_INTEGRATE_TANGENT_H
#define COND_INTEGRATE_TANGENT_H

#include "base/arena.h"
#include "linear/block_lu.h"
#include "model/articulation.h"
#include "model/state.h"

typedef struct CondSim CondSim;

typedef struct CondTangent {
    CondArena arena;
    CondBlockLu lu; // a node for each body of the groups that it serves
    int n_node;     //
    int* body;      // of a node                                               (n_node)
    int* of;        // node of a body; -1: none, or not served                 (n_body)
    int* size;      // coordinates of the bodies                               (n_node)
    int n_body;     // of the arrays below; 0: there are none yet
    int* served;    // of a group, 1: it is served                             (n of n_body)
    int* was;       // of a body, 1: its group was, by the layout              (n_body)
    int* node;      // of a coordinate; -1: none                               (n_dof)
    int* pair;      // nodes of the couplings that lu is laid out for, or -1   (n_pair x 2)
    int n_pair;     //
    int planned;    // 1: it is
    double* x;      // scratch of solve                                        (n_dof)
    double* robot;  // scratch of the differences of one robot
    double* q;      // a configuration nearby                                  (n_q)
    CondArticulationWork** work;  // of a robot, in the middle and at the end    (2 n_body)
    CondArticulationWork** moved; // the same with a coordinate moved           (2 n_body)
} CondTangent;

void cond_tangent_begin(const CondContext* context, CondTangent* tangent);
void cond_tangent_end(CondTangent* tangent);

// Marks the groups that it serves in tangent->served: nothing in them but what is said above, in
// the middle of the step or free, and no contacts; 1 where there is one. *status:
// COND_OUT_OF_MEMORY.
int cond_tangent_serves(CondSim* sim, CondStatus* status);

// Factors the derivative of newton.r by v_hat at the iterate that was evaluated last, of these
// groups. COND_NOT_SUPPORTED where a coupling is none of the above, COND_DIVERGED where it is
// singular.
CondStatus cond_tangent_factor(CondSim* sim, const CondState* state);

// x = (dr/dv)^-1 x; zero for bodies that are free or not served.                       (n_dof)
void cond_tangent_solve(const CondSim* sim, double* x);

#endif
