// The loops of the packed system over parts of its nodes, for the present processor. Every variant
// adds in the same order without fused operations, so all give the same bits.
#ifndef COND_SOFT_SOFT_PACKED_KERNEL_H
#define COND_SOFT_SOFT_PACKED_KERNEL_H

#include "soft/soft_packed.h"

// multiply: q = H p without the joins, with partial sums of p'q, of the interface and of the joins;
//     `interface` is the interface's p.
// advance: q += the joins' term, x += alpha p, r -= alpha q, z = B r, with partial sums of r'z, of
//     the interface and of P' r; `force` is that of the joins.
// solve: x = (P' H P)^-1 r, the coarse unknowns.
// turn: p = s z + P motion + beta p on the pairs of nodes of a part whose bits are set; `motion` is
//     the x of the coarse unknowns, or NULL.
// spread_interface: y -= B C interface; `interface` is the interface's z.
typedef struct CondSoftPackedKernel {
    void (*multiply)(CondSoftPacked* packed, int first, int last, const float* p,
                     const float* interface, float* q);
    void (*advance)(CondSoftPacked* packed, int first, int last, float alpha, const float* force,
                    const float* p);
    void (*turn)(const CondSoftPacked* packed, int part, unsigned pairs, float s, float beta,
                 const float* motion, float* p);
    void (*spread_interface)(const CondSoftPacked* packed, int part, const float* interface,
                             float* y);
    void (*solve)(const CondAggregation* coarse, const float* r, float* x);
} CondSoftPackedKernel;

const CondSoftPackedKernel* cond_soft_packed_kernel(void);

#endif
