// Velocity and force of one side of a contact.
#ifndef COND_PROBLEM_SIDE_H
#define COND_PROBLEM_SIDE_H

#include "cond/problem.h"

#include <limits.h>

// p += sign J x
static inline void cond_side_add_velocity(const CondSide* side, double sign, const double* x,
                                          double p[3])
{
    int n = side->n_coordinate;
    const int* k = side->coordinate;
    if (n == 0)
        return;
    if (!side->jacobian) {
        for (int r = 0; r < 3; r++)
            p[r] += sign * x[k[r]];
        return;
    }
    if (n == 6) { // a rigid body or a link, as in most contacts: unrolled loops
        const double* J = side->jacobian;
        double a = 0.0, b = 0.0, c = 0.0;
        for (int j = 0; j < 6; j++) {
            double y = x[k[j]];
            a += J[j] * y, b += J[6 + j] * y, c += J[12 + j] * y;
        }
        p[0] += sign * a, p[1] += sign * b, p[2] += sign * c;
        return;
    }
    const double *J = side->jacobian, *K = J + n, *L = K + n;
    double a = 0.0, b = 0.0, c = 0.0;
    for (int j = 0; j < n; j++) {
        double y = x[k[j]];
        a += J[j] * y, b += K[j] * y, c += L[j] * y;
    }
    p[0] += sign * a, p[1] += sign * b, p[2] += sign * c;
}

// y += sign J' f on the coordinates first .. last - 1
static inline void cond_side_add_force_within(const CondSide* side, double sign, const double f[3],
                                              int first, int last, double* y)
{
    int n = side->n_coordinate;
    const int* k = side->coordinate;
    if (n == 0)
        return;
    if (!side->jacobian) {
        for (int r = 0; r < 3; r++)
            if (k[r] >= first && k[r] < last)
                y[k[r]] += sign * f[r];
        return;
    }
    for (int j = 0; j < n; j++)
        if (k[j] >= first && k[j] < last)
            y[k[j]] += sign * (side->jacobian[j] * f[0] + side->jacobian[n + j] * f[1] +
                               side->jacobian[2 * n + j] * f[2]);
}

// Rows of its frame in which a contact acts.
static inline int cond_contact_rows(const CondContact* contact)
{
    return contact->set == COND_FORCE_INTERVAL ? 1 : 3;
}

// Entry k of the normal row of R J of one side.
static inline double cond_side_normal(const CondContact* contact, const CondSide* side, int k)
{
    int n = side->n_coordinate;
    double along = 0.0;
    if (!side->jacobian)
        return contact->frame[k];
    for (int r = 0; r < 3; r++)
        along += contact->frame[r] * side->jacobian[r * n + k];
    return along;
}

// Square of the k-th column of R J of one side, in the rows in which the contact acts.
static inline double cond_contact_square(const CondContact* contact, const CondSide* side, int k)
{
    int n = side->n_coordinate;
    double square = 0.0;
    if (contact->set == COND_FORCE_INTERVAL) {
        double along = cond_side_normal(contact, side, k);
        return along * along;
    }
    if (!side->jacobian) // R is orthonormal
        return 1.0;
    for (int r = 0; r < 3; r++)
        square += side->jacobian[r * n + k] * side->jacobian[r * n + k];
    return square;
}

// y += sign J' f
static inline void cond_side_add_force(const CondSide* side, double sign, const double f[3],
                                       double* y)
{
    cond_side_add_force_within(side, sign, f, 0, INT_MAX, y);
}

// Force of a contact with the frame R in world axes: scale R' lambda.
static inline void cond_contact_turn_force(const double R[9], double scale, const double* lambda,
                                           double world[3])
{
    for (int i = 0; i < 3; i++)
        world[i] = scale * (R[i] * lambda[0] + R[3 + i] * lambda[1] + R[6 + i] * lambda[2]);
}

#endif
