// The derivative of Newton's equation for groups of rigid bodies, particles and robots without
// contacts, held together by attachments and springs. A (integrate/newton.c) omits the terms that
// are not symmetric: the rotation of lever arms over the second half of the step, that of forces in
// body axes, the gyroscopic torque, and the change of a robot's mass matrix. For fast rotations the
// iteration with A then converges linearly, at a rate of about 1/2, or not at all; with the
// derivative it converges quadratically. The derivative of a robot's momenta is computed by finite
// differences.
#ifndef COND_INTEGRATE_TANGENT_H
#define COND_INTEGRATE_TANGENT_H

#include "base/arena.h"
#include "linear/block_lu.h"
#include "model/articulation.h"
#include "model/state.h"

typedef struct CondSim CondSim;

typedef struct CondTangent {
    CondArena arena;
    CondBlockLu lu; // a node for each body of the groups that it is used for
    int n_node;     //
    int* body;      // of a node                                               (n_node)
    int* of;        // node of a body; -1: none                                       (n_body)
    int* size;      // coordinates of the bodies                               (n_node)
    int n_body;     // size of the arrays below; 0: not allocated yet
    int* served;    // of a group, 1: the derivative is used                     (n of n_body)
    int* was;       // of a body, 1: its group is in the present layout               (n_body)
    int* node;      // of a coordinate; -1: none                               (n_dof)
    int* pair;      // nodes of the couplings that lu is laid out for, or -1   (n_pair x 2)
    int n_pair;     //
    int planned;    // 1: lu is laid out
    double* x;      // scratch of solve                                        (n_dof)
    double* robot;  // scratch of the differences of one robot
    double* q;      // a perturbed configuration                                         (n_q)
    CondArticulationWork** work;  // of a robot, in the middle and at the end    (2 n_body)
    CondArticulationWork** moved; // the same with a perturbed coordinate           (2 n_body)
} CondTangent;

void cond_tangent_begin(const CondContext* context, CondTangent* tangent);
void cond_tangent_end(CondTangent* tangent);

// Marks in tangent->served the groups that consist only of the bodies and couplings above, in the
// middle of the step or free, without contacts; returns 1 if there is one. *status may become
// COND_OUT_OF_MEMORY.
int cond_tangent_serves(CondSim* sim, CondStatus* status);

// Factors the derivative of newton.r by v_hat for these groups, at the last evaluated iterate.
// COND_NOT_SUPPORTED: another kind of coupling; COND_DIVERGED: singular.
CondStatus cond_tangent_factor(CondSim* sim, const CondState* state);

// x = (dr/dv)^-1 x; zero for bodies that are free or not in these groups.             (n_dof)
void cond_tangent_solve(const CondSim* sim, double* x);

#endif
