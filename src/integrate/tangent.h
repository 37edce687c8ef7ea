// The derivative of Newton's equation for rigid bodies and particles without contacts, held
// together by attachments and springs. A (integrate/newton.c) leaves out what is not symmetric: the
// turning of levers over the half of the step behind the middle, of forces seen from the body, and
// the gyroscopic torque. Where bodies turn fast its iterates then come nearer by halves only; with
// the derivative they arrive by Newton's squares.
#ifndef COND_INTEGRATE_TANGENT_H
#define COND_INTEGRATE_TANGENT_H

#include "base/arena.h"
#include "linear/block_lu.h"
#include "model/state.h"

typedef struct CondSim CondSim;

typedef struct CondTangent {
    CondArena arena;
    CondBlockLu lu; // a node for each body
    int* size;      // coordinates of the bodies                               (n_body)
    int* node;      // body of a coordinate                                    (n_dof)
    int* pair;      // bodies of the couplings that lu is laid out for         (n_pair x 2)
    int n_pair;     //
    int planned;    // 1: it is
} CondTangent;

void cond_tangent_begin(const CondContext* context, CondTangent* tangent);
void cond_tangent_end(CondTangent* tangent);

// 1 where it serves the step at hand: nothing in it but what is said above, in the middle of the
// step or free.
int cond_tangent_serves(const CondSim* sim);

// Factors the derivative of newton.r by v_hat at the iterate that was evaluated last.
// COND_NOT_SUPPORTED where a coupling is none of the above, COND_DIVERGED where it is singular.
CondStatus cond_tangent_factor(CondSim* sim);

// x = (dr/dv)^-1 x; zero for bodies that are free.                                      (n_dof)
void cond_tangent_solve(const CondSim* sim, double* x);

#endif
