// Vectors of four numbers, one per element of a batch. The compiler uses vector instructions if the
// processor has them, else scalar ones. Lanes are rounded independently, so that both give the same
// bits as a loop over the elements.
#ifndef COND_BASE_LANES_H
#define COND_BASE_LANES_H

#include <math.h>
#include <stddef.h>

typedef double CondLanes __attribute__((vector_size(32)));
enum { COND_LANES = sizeof(CondLanes) / sizeof(double) };
typedef long long CondLaneMask __attribute__((vector_size(32))); // all ones: true
// The same with the alignment of a double.
typedef double CondLanesAnywhere __attribute__((vector_size(32), aligned(8), may_alias));

// Lanes are passed by address, because passing them by value depends on the processor.
#define COND_LANES_INLINE static inline __attribute__((always_inline))

// a where the mask is true, else b
#define COND_LANES_SELECT(mask, a, b)                                                              \
    ((CondLanes)(((CondLaneMask)(a) & (mask)) | ((CondLaneMask)(b) & ~(mask))))

COND_LANES_INLINE int cond_lanes_any(const CondLaneMask* mask)
{
    return ((*mask)[0] | (*mask)[1] | (*mask)[2] | (*mask)[3]) != 0;
}

COND_LANES_INLINE void cond_lanes_sqrt(CondLanes* a)
{
    CondLanes x = *a;
    *a = (CondLanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

COND_LANES_INLINE void cond_lanes_abs(CondLanes* a)
{
    const long long rest = 0x7fffffffffffffff; // all but the sign
    *a = (CondLanes)((CondLaneMask)*a & (CondLaneMask){rest, rest, rest, rest});
}

// Rows to columns: lane i of row j becomes lane j of row i.
COND_LANES_INLINE void cond_lanes_transpose(const CondLanes a[4], CondLanes b[4])
{
    CondLanes p = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6);
    CondLanes q = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
    CondLanes r = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6);
    CondLanes s = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
    b[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    b[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    b[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    b[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

// a[0] += b[0] .. a[3] += b[3]
COND_LANES_INLINE void cond_lanes_add_to(double* a, const CondLanes* b)
{
    CondLanesAnywhere* at = (CondLanesAnywhere*)a;
    *at = *at + *b;
}

#endif
