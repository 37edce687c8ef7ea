#include "solve/flight_kernel.h"

#include "base/lanes.h"

typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
enum { WIDE = 16 }; // numbers at a time: four sums that do not wait for each other

COND_LANES_INLINE void step(const CondFlightVectors* x, int first, int last)
{
    for (int i = first; i < last; i += COND_LANES) {
        CondLanes g = -*(const CondLanesAnywhere*)(x->shift + i);
        if (x->Av)
            g += __builtin_convertvector(*(const Floats*)(x->Av + i), CondLanes);
        *(CondLanesAnywhere*)(x->plain + i) =
            *(const CondLanesAnywhere*)(x->v + i) - *(const CondLanesAnywhere*)(x->w + i) * g;
    }
}

// next takes the place of v_old; its distance from v is added to the sum.
COND_LANES_INLINE void keep(const CondFlightVectors* x, int i, const CondLanes* next,
                            const CondLanes* v, CondLanes* sum)
{
    CondLanes d = *next - *v;
    *sum += d * d;
    *(CondLanesAnywhere*)(x->v_old + i) = *next;
    *(Floats*)(x->away + i) =
        __builtin_convertvector(*next - *(const CondLanesAnywhere*)(x->base + i), Floats);
}

COND_LANES_INLINE double add_up(const CondLanes sum[4])
{
    CondLanes s = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

COND_LANES_INLINE double extend(const CondFlightVectors* x, double nu, double under, int first,
                                int last)
{
    CondLanes sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int i = first; i < last; i += WIDE)
        for (int k = 0; k < 4; k++) {
            int at = i + COND_LANES * k;
            CondLanes v = *(const CondLanesAnywhere*)(x->v + at);
            CondLanes old = *(const CondLanesAnywhere*)(x->v_old + at);
            CondLanes plain = *(const CondLanesAnywhere*)(x->plain + at);
            CondLanes next = nu * (under * (plain - v) + v - old) + old;
            keep(x, at, &next, &v, &sum[k]);
        }
    return add_up(sum);
}

COND_LANES_INLINE double take(const CondFlightVectors* x, int first, int last)
{
    CondLanes sum[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int i = first; i < last; i += WIDE)
        for (int k = 0; k < 4; k++) {
            int at = i + COND_LANES * k;
            CondLanes v = *(const CondLanesAnywhere*)(x->v + at);
            CondLanes next = *(const CondLanesAnywhere*)(x->plain + at);
            keep(x, at, &next, &v, &sum[k]);
        }
    return add_up(sum);
}

#define KERNELS(name, target)                                                                      \
    target static void step_##name(const CondFlightVectors* x, int first, int last)                \
    {                                                                                              \
        step(x, first, last);                                                                      \
    }                                                                                              \
    target static double extend_##name(const CondFlightVectors* x, double nu, double under,        \
                                       int first, int last)                                        \
    {                                                                                              \
        return extend(x, nu, under, first, last);                                                  \
    }                                                                                              \
    target static double take_##name(const CondFlightVectors* x, int first, int last)              \
    {                                                                                              \
        return take(x, first, last);                                                               \
    }                                                                                              \
    static const CondFlightKernel name = {step_##name, extend_##name, take_##name};

KERNELS(generic, )
#if defined(__x86_64__) && defined(__GNUC__)
KERNELS(avx2, __attribute__((target("avx2"))))
#endif

const CondFlightKernel* cond_flight_kernel(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2"))
        return &avx2;
#endif
    return &generic;
}
