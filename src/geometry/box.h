// Axis-aligned boxes: low[3], high[3].
#ifndef COND_GEOMETRY_BOX_H
#define COND_GEOMETRY_BOX_H

// 1 when the boxes are farther from each other than `far` along some axis.
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

#endif
