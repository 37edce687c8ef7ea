// The loops of fused V-FPI over the values of soft nodes, for the present processor. All variants
// give the same bits.
#ifndef COND_VFPI_FUSED_KERNEL_H
#define COND_VFPI_FUSED_KERNEL_H

// Vectors of soft nodes, of which the loops use first .. last - 1, multiples of 16.
typedef struct CondFusedVectors {
    const double *v, *w, *shift, *base;
    double* v_old;   // holds v^{l-1} and receives v^{l+1}
    double* plain;   // v**
    const float* Av; // A_f (v - v_0); NULL: v is v_0
    float* away;     // v - v_0
} CondFusedVectors;

// step:   v* = v - w (A_f (v - v_0) - shift)
// extend: v^{l+1} = nu (u (v** - v^l) + v^l - v^{l-1}) + v^{l-1} and its way from v_0; returns
//         |v^{l+1} - v^l|^2
// take:   the same with v^{l+1} = v**
typedef struct CondFusedKernel {
    void (*step)(const CondFusedVectors* x, int first, int last);
    double (*extend)(const CondFusedVectors* x, double nu, double under, int first, int last);
    double (*take)(const CondFusedVectors* x, int first, int last);
} CondFusedKernel;

const CondFusedKernel* cond_fused_kernel(void);

#endif
