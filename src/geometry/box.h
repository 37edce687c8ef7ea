// Axis-aligned boxes: low[3], high[3].
#ifndef COND_GEOMETRY_BOX_H
#define COND_GEOMETRY_BOX_H

#include <math.h>

// 1 if the boxes are farther apart than `far` along some axis.
static inline int cond_boxes_apart(const double a[6], const double b[6], double far)
{
    for (int i = 0; i < 3; i++)
        if (a[i] > b[3 + i] + far || b[i] > a[3 + i] + far)
            return 1;
    return 0;
}

// The box with every side moved outwards by `far`.
static inline void cond_box_widen(const double box[6], double far, double wide[6])
{
    for (int i = 0; i < 3; i++) {
        wide[i] = box[i] - far;
        wide[3 + i] = box[3 + i] + far;
    }
}

// The empty box.
static inline void cond_box_empty(double box[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = INFINITY;
        box[3 + i] = -INFINITY;
    }
}

// Stretches a box to hold a point.
static inline void cond_box_stretch(double box[6], const double x[3])
{
    for (int i = 0; i < 3; i++) {
        box[i] = x[i] < box[i] ? x[i] : box[i]; // in line, which fmin is not
        box[3 + i] = x[i] > box[3 + i] ? x[i] : box[3 + i];
    }
}

// Stretches a box to hold another one.
static inline void cond_box_join(const double other[6], double box[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = other[i] < box[i] ? other[i] : box[i];
        box[3 + i] = other[3 + i] > box[3 + i] ? other[3 + i] : box[3 + i];
    }
}

#endif
