// The Delassus operator Ac = Jc A^-1 Jc' + S and the free velocity q = Jc A^-1 b + phi, dense.
//
// S is diagonal: omega of the invertible law, and virtual sides / kv where kv is finite, because
// there the law holds at the virtual node. So u = Ac lambda + q is the velocity the law is posed
// on.
#ifndef COND_BASELINES_DELASSUS_H
#define COND_BASELINES_DELASSUS_H

#include "front.h"

typedef struct CondDelassus {
    CondContext context;
    const CondProblem* problem;
    CondJacobian Jc;
    CondFactor factor;
    CondFront front;
    int n;              // 3 n_contact
    double* Ac;         // symmetric, both triangles                        (n x n)
    double* q;          //                                                  (n)
    double* softness;   // S of each contact [m/(N s)]                      (n_contact)
    double* scale;      // gamma_c of the certificate, S included           (n_contact)
    double* panel;      // scratch: right-hand sides                        (n_dof x columns)
    double* force;      // scratch                                          (n_dof)
    int* virtual_sides; //                                                  (n_contact)
    int n_virtual;      // virtual nodes the problem asks for, all together
    size_t cap_Ac;      //
    int cap_q, cap_softness, cap_scale, cap_panel, cap_force, cap_virtual_sides;
} CondDelassus;

void cond_delassus_create(CondDelassus* delassus, const CondContext* context, CondFactorKind kind);
void cond_delassus_destroy(CondDelassus* delassus);

// Everything above from the problem. COND_DIVERGED: A is not positive definite, or something is not
// finite.
CondStatus cond_delassus_build(CondDelassus* delassus, const CondProblem* problem, double omega);

// u = Ac lambda + q                                                        lambda, u (n)
void cond_delassus_velocity(const CondDelassus* delassus, const double* lambda, double* u);

// v = A^-1 (b + Jc' lambda), with one step of refinement.                  v (n_dof)
CondStatus cond_delassus_motion(CondDelassus* delassus, const double* lambda, double* v);

// |A^-1 Jc' d|: a change of force as a change of velocity.                 d (n)
CondStatus cond_delassus_step(CondDelassus* delassus, const double* d, double* length);

// Softness S and certificate scale gamma of every contact; virtual_sides counts the virtual nodes
// they come from. diagonal (n_dof) is scratch.
CondStatus cond_contact_scales(const CondContext* context, const CondProblem* problem, double omega,
                               int* virtual_sides, double* softness, double* scale,
                               double* diagonal, int* n_virtual);

#endif
