// The loops of fused V-FPI over the numbers of soft nodes, for the processor it runs on.
#include "vfpi/fused_kernel.h"

#include "base/lanes.h"
#include "base/processor.h"

typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef CondLanesAnywhere Lanes;
enum { WIDE = 4 * COND_LANES }; // numbers at a time: four sums that do not wait for each other

COND_LANES_INLINE void step(const CondFusedVectors* x, int first, int last)
{
    const double *v = x->v, *w = x->w, *shift = x->shift;
    const float* Av = x->Av;
    double* plain = x->plain;
    for (int i = first; i < last && Av; i += COND_LANES) {
        Floats q = *(const Floats*)(Av + i);
        CondLanes g = (CondLanes){q[0], q[1], q[2], q[3]} - *(const Lanes*)(shift + i);
        *(Lanes*)(plain + i) = *(const Lanes*)(v + i) - *(const Lanes*)(w + i) * g;
    }
    for (int i = first; i < last && !Av; i += COND_LANES)
        *(Lanes*)(plain + i) =
            *(const Lanes*)(v + i) + *(const Lanes*)(w + i) * *(const Lanes*)(shift + i);
}

// Four numbers from `at` on; |v^{l+1} - v^l|^2 is added to the sum.
COND_LANES_INLINE void extend_four(const CondFusedVectors* x, double nu, double under, int plain,
                                   int at, CondLanes* sum)
{
    double* old = x->v_old + at;
    CondLanes v = *(const Lanes*)(x->v + at), next = *(const Lanes*)(x->plain + at);
    if (!plain)
        next = nu * (under * (next - v) + v - *(const Lanes*)old) + *(const Lanes*)old;
    CondLanes d = next - v;
    *sum += d * d;
    *(Lanes*)old = next;
    *(Floats*)(x->away + at) =
        __builtin_convertvector(next - *(const Lanes*)(x->base + at), Floats);
}

COND_LANES_INLINE double extend_all(const CondFusedVectors* vectors, double nu, double under,
                                    int plain, int first, int last)
{
    CondFusedVectors x = *vectors; // nobody else has it: pointers stay in registers
    CondLanes s0 = {0.0}, s1 = {0.0}, s2 = {0.0}, s3 = {0.0};
    for (int i = first; i < last; i += WIDE) {
        extend_four(&x, nu, under, plain, i, &s0);
        extend_four(&x, nu, under, plain, i + COND_LANES, &s1);
        extend_four(&x, nu, under, plain, i + 2 * COND_LANES, &s2);
        extend_four(&x, nu, under, plain, i + 3 * COND_LANES, &s3);
    }
    CondLanes s = (s0 + s1) + (s2 + s3);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

COND_LANES_INLINE double extend(const CondFusedVectors* x, double nu, double under, int first,
                                int last)
{
    return extend_all(x, nu, under, 0, first, last);
}

COND_LANES_INLINE double take(const CondFusedVectors* x, int first, int last)
{
    return extend_all(x, 1.0, 1.0, 1, first, last);
}

#define KERNELS(name, target)                                                                      \
    target static void step_##name(const CondFusedVectors* x, int first, int last)                 \
    {                                                                                              \
        step(x, first, last);                                                                      \
    }                                                                                              \
    target static double extend_##name(const CondFusedVectors* x, double nu, double under,         \
                                       int first, int last)                                        \
    {                                                                                              \
        return extend(x, nu, under, first, last);                                                  \
    }                                                                                              \
    target static double take_##name(const CondFusedVectors* x, int first, int last)               \
    {                                                                                              \
        return take(x, first, last);                                                               \
    }                                                                                              \
    static const CondFusedKernel name = {step_##name, extend_##name, take_##name};

KERNELS(generic, )
KERNELS(avx2, COND_AVX2)

const CondFusedKernel* cond_fused_kernel(void)
{
    return COND_HAS_AVX2 ? &avx2 : &generic;
}
