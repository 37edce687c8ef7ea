// The Jacobians of the contacts of a problem side by side, for loops over all contacts that are
// made many times a solve.
#include "problem/contact_rows.h"

#include <stddef.h>
#include <string.h>

// 1 where a side is static or has six coordinates that follow each other and J = [I, A].
static int is_packed(const CondSide* side)
{
    int n = side->n_coordinate;
    if (n == 0)
        return 1;
    if (n != 6 || !side->jacobian)
        return 0;
    for (int k = 1; k < n; k++)
        if (side->coordinate[k] != side->coordinate[0] + k)
            return 0;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            if (side->jacobian[6 * r + k] != (double)(r == k))
                return 0;
    return 1;
}

CondStatus cond_contact_rows_build(CondContactRows* rows, CondArena* arena,
                                   const CondProblem* problem)
{
    int nc = problem->n_contact;
    if (COND_RESERVE(arena, rows->at, nc))
        return COND_OUT_OF_MEMORY;
    rows->n_row = 0;
    for (int c = 0; c < nc; c++) {
        const CondSide* side = problem->contact[c].side;
        rows->at[c] = is_packed(&side[0]) && is_packed(&side[1]) ? rows->n_row++ : -1;
    }
    if (COND_RESERVE(arena, rows->row, rows->n_row))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < nc; c++) {
        const CondContact* contact = &problem->contact[c];
        if (rows->at[c] < 0)
            continue;
        CondContactRow* row = &rows->row[rows->at[c]];
        memcpy(row->R, contact->frame, sizeof row->R);
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &contact->side[s];
            row->first[s] = side->n_coordinate > 0 ? side->coordinate[0] : -1;
            for (int r = 0; r < 3 && side->n_coordinate > 0; r++)
                memcpy(row->A[s] + 3 * r, side->jacobian + 6 * r + 3, 3 * sizeof *row->A[s]);
        }
    }
    return COND_OK;
}

// p += sign [I, A] x
static inline void add_velocity(const double A[9], double sign, const double* x, double p[3])
{
    for (int r = 0; r < 3; r++)
        p[r] += sign * (x[r] + A[3 * r] * x[3] + A[3 * r + 1] * x[4] + A[3 * r + 2] * x[5]);
}

void cond_contact_rows_velocity(const CondContactRows* rows, const CondContact* contact,
                                const double* x, int first, int last, double* u)
{
    for (int c = first; c < last; c++, u += 3) {
        if (rows->at[c] < 0) {
            cond_contact_velocity(&contact[c], x, u);
            continue;
        }
        const CondContactRow* row = &rows->row[rows->at[c]];
        const double *R = row->R, *phi = contact[c].phi;
        double p[3] = {0.0, 0.0, 0.0};
        if (row->first[0] >= 0)
            add_velocity(row->A[0], 1.0, x + row->first[0], p);
        if (row->first[1] >= 0)
            add_velocity(row->A[1], -1.0, x + row->first[1], p);
        for (int r = 0; r < 3; r++)
            u[r] = R[3 * r] * p[0] + R[3 * r + 1] * p[1] + R[3 * r + 2] * p[2] + phi[r];
    }
}

// y += sign [I, A]' f; y (6)
static inline void add_force(const double A[9], double sign, const double f[3], double* y)
{
    for (int j = 0; j < 3; j++) {
        y[j] += sign * f[j];
        y[3 + j] += sign * (A[j] * f[0] + A[3 + j] * f[1] + A[6 + j] * f[2]);
    }
}

void cond_contact_rows_add_force(const CondContactRows* rows, const CondContact* contact, int c,
                                 double scale, const double* lambda, int first, int last, double* y)
{
    const CondContactRow* row = rows->at[c] < 0 ? NULL : &rows->row[rows->at[c]];
    double world[3];
    cond_contact_turn_force(row ? row->R : contact[c].frame, scale, lambda, world);
    for (int s = 0; s < 2; s++) {
        double sign = s == 0 ? 1.0 : -1.0;
        int at = row ? row->first[s] : -1;
        if (at >= first && at + 6 <= last)
            add_force(row->A[s], sign, world, y + at);
        else
            cond_side_add_force_within(&contact[c].side[s], sign, world, first, last, y);
    }
}
