// Vectors by items, for C and for CUDA: the updates of conjugate gradients.
#ifndef COND_NEWTON_RESIDENT_VECTOR_ITEM_H
#define COND_NEWTON_RESIDENT_VECTOR_ITEM_H

#include "device/item.h"

typedef struct CondVectorView {
    double s, t;
    const double *a, *b;
    double *y, *z;
} CondVectorView;

COND_DEVICE void cond_vector_move_item(const CondVectorView* v, int i)
{
    v->y[i] += v->s * v->a[i];
    v->z[i] -= v->s * v->b[i];
}

COND_DEVICE void cond_vector_direct_item(const CondVectorView* v, int i)
{
    v->z[i] = v->s == 0.0 ? v->a[i] : v->a[i] + v->s * v->z[i]; // z may hold anything at first
}

COND_DEVICE void cond_vector_direct_again_item(const CondVectorView* v, int i)
{
    v->z[i] = v->a[i] + v->s * (v->z[i] - v->t * v->y[i]);
}

COND_DEVICE void cond_vector_subtract_item(const CondVectorView* v, int i)
{
    v->y[i] = v->a[i] - v->s * v->b[i];
}

COND_DEVICE void cond_vector_add_item(const CondVectorView* v, int i)
{
    v->z[i] += v->s * v->a[i] + v->t * v->b[i];
}

// y = a, z = 0
COND_DEVICE void cond_vector_start_item(const CondVectorView* v, int i)
{
    v->y[i] = v->a[i];
    v->z[i] = 0.0;
}

COND_DEVICE double cond_vector_dot_term(const CondVectorView* v, int i)
{
    return v->a[i] * v->b[i];
}

COND_KERNEL(cond_vector_moves, CondVectorView, cond_vector_move_item)
COND_KERNEL(cond_vector_directs, CondVectorView, cond_vector_direct_item)
COND_KERNEL(cond_vector_directs_again, CondVectorView, cond_vector_direct_again_item)
COND_KERNEL(cond_vector_subtracts, CondVectorView, cond_vector_subtract_item)
COND_KERNEL(cond_vector_adds, CondVectorView, cond_vector_add_item)
COND_KERNEL(cond_vector_starts, CondVectorView, cond_vector_start_item)
COND_SUM_KERNEL(cond_vector_dots, CondVectorView, cond_vector_dot_term)

#endif
