// The Jacobians of the contacts of a problem side by side, for loops over all contacts that are
// made many times a solve.
#include "problem/contact_rows.h"

#include "base/parallel.h"

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

// Shares of the contacts; at has the number within the share until the rows are filled.
typedef struct RowLoop {
    const CondContactRows* rows;
    const CondProblem* problem;
    int* n_row; // of each share, then those of all before it                (COND_LOOP_PARTS)
    int n_share;
} RowLoop;

static void count_rows(const void* data, int begin, int end)
{
    const RowLoop* loop = data;
    int n = loop->problem->n_contact;
    for (int share = begin; share < end; share++) {
        int count = 0;
        for (int c = cond_team_first(n, share, loop->n_share);
             c < cond_team_first(n, share + 1, loop->n_share); c++) {
            const CondSide* side = loop->problem->contact[c].side;
            loop->rows->at[c] = is_packed(&side[0]) && is_packed(&side[1]) ? count++ : -1;
        }
        loop->n_row[share] = count;
    }
}

static void fill_row(const CondContact* contact, CondContactRow* row)
{
    memcpy(row->R, contact->frame, sizeof row->R);
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        row->first[s] = side->n_coordinate > 0 ? side->coordinate[0] : -1;
        for (int r = 0; r < 3 && side->n_coordinate > 0; r++)
            memcpy(row->A[s] + 3 * r, side->jacobian + 6 * r + 3, 3 * sizeof *row->A[s]);
    }
}

static void fill_rows(const void* data, int begin, int end)
{
    const RowLoop* loop = data;
    const CondContactRows* rows = loop->rows;
    int n = loop->problem->n_contact;
    for (int share = begin; share < end; share++)
        for (int c = cond_team_first(n, share, loop->n_share);
             c < cond_team_first(n, share + 1, loop->n_share); c++)
            if (rows->at[c] >= 0) {
                rows->at[c] += loop->n_row[share];
                fill_row(&loop->problem->contact[c], &rows->row[rows->at[c]]);
            }
}

CondStatus cond_contact_rows_build(CondContactRows* rows, CondArena* arena,
                                   const CondProblem* problem, int threads)
{
    int nc = problem->n_contact, n_share = cond_loop_parts((size_t)nc), count[COND_LOOP_PARTS];
    int team = cond_threads(COND_COORDINATE_WORK * (size_t)nc, threads);
    if (COND_RESERVE(arena, rows->at, nc))
        return COND_OUT_OF_MEMORY;
    RowLoop loop = {rows, problem, count, n_share};
    cond_parallel(n_share, team, count_rows, &loop);
    rows->n_row = 0;
    for (int share = 0; share < n_share; share++) {
        int here = count[share];
        count[share] = rows->n_row;
        rows->n_row += here;
    }
    if (COND_RESERVE(arena, rows->row, rows->n_row))
        return COND_OUT_OF_MEMORY;
    if (rows->n_row > 0)
        cond_parallel(n_share, team, fill_rows, &loop);
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
