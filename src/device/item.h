// Loops over items that are written once for C and for CUDA. The work for one item (an element, a
// node, a contact) is an inline function of the arguments and the item's index, in a header that
// compiles as both: no libc except math, no allocation, no static data. No other item reads or
// writes the memory that item i writes in the same loop.
//
//     typedef struct ScaleArgs { double s; const double* x; double* y; } ScaleArgs;
//     COND_DEVICE void scale_item(const ScaleArgs* a, int i) { a->y[i] = a->s * a->x[i]; }
//     COND_KERNEL(scale, ScaleArgs, scale_item)
//
// A kernel is such a function with the data that a device needs to run it (device.h). Arguments are
// a plain struct of numbers and of pointers into the memory of the device.
#ifndef COND_DEVICE_ITEM_H
#define COND_DEVICE_ITEM_H

#include "base/inline.h"

#include <math.h>
#include <stddef.h>

typedef struct CondKernel {
    const char* name; // key for another device's own version
    void (*body)(const void* args, int first, int last);
    double (*partial)(const void* args, int first, int last); // of these items, of a sum or maximum
    size_t args_size;                                         // [bytes]; a few hundred at most
} CondKernel;

enum { COND_SUM_LANES = 8 };

// The larger of two; NaN if one of them is NaN.
COND_DEVICE double cond_most_of(double a, double b)
{
    return a > b || a != a ? a : b;
}

#ifndef __CUDACC__ // for CUDA, cuda/kernel.cuh, included first, defines kernels

// A loop: item(args, i) for every i.
#define COND_KERNEL(name_, Args, item)                                                             \
    static void name_##_body(const void* args, int first, int last)                                \
    {                                                                                              \
        const Args a = *(const Args*)args;                                                         \
        for (int i = first; i < last; i++)                                                         \
            item(&a, i);                                                                           \
    }                                                                                              \
    static const CondKernel name_ = {#name_, name_##_body, NULL, sizeof(Args)};

// A sum of term(args, i) over every i. COND_SUM_LANES parallel sums are added at the end: the order
// is fixed and allows vector instructions.
#define COND_SUM_KERNEL(name_, Args, term)                                                         \
    static double name_##_partial(const void* args, int first, int last)                           \
    {                                                                                              \
        const Args a = *(const Args*)args;                                                         \
        double lane[COND_SUM_LANES] = {0.0}, sum = 0.0;                                            \
        int i = first;                                                                             \
        for (; i + COND_SUM_LANES <= last; i += COND_SUM_LANES)                                    \
            for (int k = 0; k < COND_SUM_LANES; k++)                                               \
                lane[k] += term(&a, i + k);                                                        \
        for (; i < last; i++)                                                                      \
            sum += term(&a, i);                                                                    \
        for (int k = 0; k < COND_SUM_LANES; k++)                                                   \
            sum += lane[k];                                                                        \
        return sum;                                                                                \
    }                                                                                              \
    static const CondKernel name_ = {#name_, NULL, name_##_partial, sizeof(Args)};

// The largest term(args, i) over every i; NaN if one of them is NaN.
#define COND_MOST_KERNEL(name_, Args, term)                                                        \
    static double name_##_partial(const void* args, int first, int last)                           \
    {                                                                                              \
        const Args a = *(const Args*)args;                                                         \
        double most = -INFINITY;                                                                   \
        for (int i = first; i < last; i++)                                                         \
            most = cond_most_of(most, term(&a, i));                                                \
        return most;                                                                               \
    }                                                                                              \
    static const CondKernel name_ = {#name_, NULL, name_##_partial, sizeof(Args)};

#endif
#endif
