// The loops of the packed system over parts of its nodes, for the processor it runs on. Every
// variant adds in the same order without fused operations, so all give the same bits.
#ifndef COND_SOLVE_TIE_PACKED_KERNEL_H
#define COND_SOLVE_TIE_PACKED_KERNEL_H

#include "solve/tie_packed.h"

// multiply: q = H p but for what the joins do, with the shares of p'q and of the sums of border and
//     joins; `border` is the border's p.
// advance: q += what the joins do, x += alpha p, r -= alpha q, z = B r, with the shares of r'z and
//     of the border's sums and of P' r; `force` is that of the joins.
// solve: x = (P' H P)^-1 r, the coarse unknowns.
// turn: p = s z + P motion + beta p; `motion` is the x of the coarse unknowns, or NULL.
// spread_border: y -= B C border; `border` is the border's z.
typedef struct CondTiePackedKernel {
    void (*multiply)(CondTiePacked* packed, int first, int last, const float* p,
                     const float* border, float* q);
    void (*advance)(CondTiePacked* packed, int first, int last, float alpha, const float* force);
    void (*turn)(CondTiePacked* packed, int first, int last, float s, float beta,
                 const float* motion);
    void (*spread_border)(const CondTiePacked* packed, int first, int last, const float* border,
                          float* y);
    void (*solve)(const CondAggregation* coarse, const float* r, float* x);
} CondTiePackedKernel;

const CondTiePackedKernel* cond_tie_packed_kernel(void);

#endif
