// A of a soft body, for those who make it elsewhere than in its function table.
#ifndef COND_BODY_SOFT_MATRIX_H
#define COND_BODY_SOFT_MATRIX_H

#include "body/kinematics.h"
#include "model/fem.h"

// Arguments of cond_fem_assemble for the body's block of A, with step = th t.
typedef struct CondSoftMatrix {
    double mass_scale, stiffness_scale;
    CondFemPolicy policy;
} CondSoftMatrix;

CondSoftMatrix cond_soft_matrix(const CondBody* body, const CondKinematics* kinematics,
                                double step);

// The block with these values.
CondBlock cond_soft_block(const CondBody* body, const CondKinematics* kinematics,
                          const double* values);

// f += elastic                                                         (n_dof of the body)
void cond_soft_add_elastic(const CondBody* body, const CondKinematics* kinematics,
                           const double* elastic, double* f);

#endif
