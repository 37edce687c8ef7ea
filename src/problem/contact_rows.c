// The Jacobians of the contacts of a problem side by side, for loops over all contacts that are
// made many times a solve.
#include "problem/contact_rows.h"

#include "base/lanes.h"
#include "base/parallel.h"
#include "base/processor.h"

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
    memset(row, 0, sizeof *row);
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

typedef CondLanesAnywhere Four;
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

// p += sign [I, A] x in the first three lanes. A row of A is read from one before it on, with x_2
// in the lane that does not count: what follows x may not be there.
COND_LANES_INLINE void add_velocity(const double A[9], double sign, const double* x, CondLanes* p)
{
    CondLanes row[4], column[4], turn = *(const Four*)(x + 2);
    for (int r = 0; r < 3; r++)
        row[r] = *(const Four*)(A + 3 * r - 1) * turn;
    row[3] = row[2];
    cond_lanes_transpose(row, column);
    *p = *p + sign * (*(const Four*)x + column[1] + column[2] + column[3]);
}

COND_LANES_INLINE void find_velocity(const CondContactRow* row, const double* x, const double* phi,
                                     double* u)
{
    CondLanes p = {0.0}, turned[4], column[4];
    if (row->first[0] >= 0)
        add_velocity(row->A[0], 1.0, x + row->first[0], &p);
    if (row->first[1] >= 0)
        add_velocity(row->A[1], -1.0, x + row->first[1], &p);
    for (int r = 0; r < 3; r++)
        turned[r] = *(const Four*)(row->R + 3 * r) * p;
    turned[3] = turned[2];
    cond_lanes_transpose(turned, column);
    p = column[0] + column[1] + column[2];
    for (int r = 0; r < 3; r++)
        u[r] = p[r] + phi[r];
}

COND_LANES_INLINE void find_velocities(const CondContactRows* rows, const CondContact* contact,
                                       const double* x, int first, int last, double* u)
{
    for (int c = first; c < last; c++, u += 3) {
        if (rows->at[c] < 0)
            cond_contact_velocity(&contact[c], x, u);
        else
            find_velocity(&rows->row[rows->at[c]], x, contact[c].phi, u);
    }
}

COND_AVX2 static void find_velocities_avx2(const CondContactRows* rows, const CondContact* contact,
                                           const double* x, int first, int last, double* u)
{
    find_velocities(rows, contact, x, first, last, u);
}

static void find_velocities_generic(const CondContactRows* rows, const CondContact* contact,
                                    const double* x, int first, int last, double* u)
{
    find_velocities(rows, contact, x, first, last, u);
}

void cond_contact_rows_velocity(const CondContactRows* rows, const CondContact* contact,
                                const double* x, int first, int last, double* u)
{
    (COND_HAS_AVX2 ? find_velocities_avx2 : find_velocities_generic)(rows, contact, x, first, last,
                                                                     u);
}

// sum_r M_r f_r of the rows of M, in the first three lanes                     M (3 x 3), f (3)
COND_LANES_INLINE void combine(const double M[9], const double f[3], CondLanes* sum)
{
    *sum = *(const Four*)M * f[0] + *(const Four*)(M + 3) * f[1] + *(const Four*)(M + 6) * f[2];
}

// y += sign [I, A]' f; y (6)
COND_LANES_INLINE void add_force(const double A[9], double sign, const CondLanes* f, double* y)
{
    CondLanes turn, low;
    combine(A, (const double[3]){(*f)[0], (*f)[1], (*f)[2]}, &turn);
    low = __builtin_shufflevector(*f, turn, 0, 1, 2, 4);
    Four* first = (Four*)y;
    Two *rest = (Two*)(y + COND_LANES), high = {turn[1], turn[2]};
    *first = *first + sign * low;
    *rest = *rest + sign * high;
}

// What add_forces works on.
typedef struct Forces {
    const CondContactRows* rows;
    const CondContact* contact;
    double scale;
    const double* lambda;
    int first, last;
    double* y;
} Forces;

COND_LANES_INLINE void add_contact(const Forces* on, int c)
{
    const CondContactRow* row = on->rows->at[c] < 0 ? NULL : &on->rows->row[on->rows->at[c]];
    const double* lambda = on->lambda + (ptrdiff_t)3 * c;
    double world[3];
    CondLanes f = {0.0};
    if (lambda[0] == 0.0 && lambda[1] == 0.0 && lambda[2] == 0.0)
        return;
    if (row)
        combine(row->R, lambda, &f);
    f = on->scale * f;
    for (int s = 0; s < 2; s++) {
        double sign = s == 0 ? 1.0 : -1.0;
        int at = row ? row->first[s] : -1;
        if (at >= on->first && at + 6 <= on->last) {
            add_force(row->A[s], sign, &f, on->y + at);
            continue;
        }
        cond_contact_turn_force(on->contact[c].frame, on->scale, lambda, world);
        cond_side_add_force_within(&on->contact[c].side[s], sign, world, on->first, on->last,
                                   on->y);
    }
}

COND_AVX2 static void add_forces_avx2(const Forces* on, int n, const int* list)
{
    for (int k = 0; k < n; k++)
        add_contact(on, list[k]);
}

static void add_forces_generic(const Forces* on, int n, const int* list)
{
    for (int k = 0; k < n; k++)
        add_contact(on, list[k]);
}

void cond_contact_rows_add_forces(const CondContactRows* rows, const CondContact* contact, int n,
                                  const int* list, double scale, const double* lambda, int first,
                                  int last, double* y)
{
    Forces on = {rows, contact, scale, lambda, first, last, y};
    (COND_HAS_AVX2 ? add_forces_avx2 : add_forces_generic)(&on, n, list);
}
