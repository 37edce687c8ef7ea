// The loops of the packed system over parts of its nodes, for the processor it runs on. Every
// variant adds in the same order without fused operations, so all give the same bits.
#ifndef COND_SOFT_SOFT_PACKED_KERNEL_H
#define COND_SOFT_SOFT_PACKED_KERNEL_H

#include "soft/soft_packed.h"

// multiply: q = H p but for what the joins do, with the shares of p'q and of the sums of interface
// and
//     joins; `interface` is the interface's p.
// advance: q += what the joins do, x += alpha p, r -= alpha q, z = B r, with the shares of r'z and
//     of the interface's sums and of P' r; `force` is that of the joins.
// solve: x = (P' H P)^-1 r, the coarse unknowns.
// turn: p = s z + P motion + beta p; `motion` is the x of the coarse unknowns, or NULL.
// spread_interface: y -= B C interface; `interface` is the interface's z.
typedef struct CondSoftPackedKernel {
    void (*multiply)(CondSoftPacked* packed, int first, int last, const float* p,
                     const float* interface, float* q);
    void (*advance)(CondSoftPacked* packed, int first, int last, float alpha, const float* force);
    void (*turn)(CondSoftPacked* packed, int first, int last, float s, float beta,
                 const float* motion);
    void (*spread_interface)(const CondSoftPacked* packed, int first, int last,
                             const float* interface, float* y);
    void (*solve)(const CondAggregation* coarse, const float* r, float* x);
} CondSoftPackedKernel;

const CondSoftPackedKernel* cond_soft_packed_kernel(void);

#endif
