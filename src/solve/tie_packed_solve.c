#include "base/parallel.h"
#include "base/tiny.h"
#include "solve/tie_packed.h"
#include "solve/tie_packed_kernel.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <string.h>

// What each thread knows of the border: the same numbers on all of them.
typedef struct Border {
    double r[COND_LARGEST_BORDER], p[COND_LARGEST_BORDER], x[COND_LARGEST_BORDER],
        q[COND_LARGEST_BORDER], z[COND_LARGEST_BORDER];
    float single[COND_LARGEST_BORDER]; // z or p for the nodes
} Border;

static double add_parts(const CondTiePacked* packed, const double* sums)
{
    double sum = 0.0;
    for (int i = 0; i < packed->n_part; i++)
        sum += sums[i];
    return sum;
}

// out += s (sums over the parts)
static void add_border_sums(const CondTiePacked* packed, const float* sums, double s, double* out)
{
    int nb = packed->n_border, wide = cond_tie_packed_wide(nb);
    for (int k = 0; k < packed->n_border_sum; k++)
        for (int j = 0; j < nb; j++)
            out[j] += s * (double)sums[(ptrdiff_t)k * wide + j];
}

// q = S p + sums of C' p; returns p'q.
static double multiply_border(const CondTiePacked* packed, Border* border)
{
    int nb = packed->n_border;
    double sum = 0.0;
    for (int i = 0; i < nb; i++) {
        border->q[i] = 0.0;
        for (int j = 0; j < nb; j++)
            border->q[i] += packed->S[(ptrdiff_t)i * nb + j] * border->p[j];
    }
    add_border_sums(packed, packed->product_border, 1.0, border->q);
    for (int i = 0; i < nb; i++)
        sum += border->p[i] * border->q[i];
    return sum;
}

// x += alpha p, r -= alpha q, z = Schur^-1 (r - sums of C' z); returns its share of r'z.
static double advance_border(const CondTiePacked* packed, const double* factor, double alpha,
                             Border* border)
{
    int nb = packed->n_border;
    double s[COND_LARGEST_BORDER], sum = 0.0;
    if (nb <= 0) // the compiler cannot know that it is never negative
        return 0.0;
    for (int i = 0; i < nb; i++) {
        border->x[i] += alpha * border->p[i];
        border->r[i] -= alpha * border->q[i];
        s[i] = border->r[i];
    }
    add_border_sums(packed, packed->step_border, -1.0, s);
    memcpy(border->z, s, (size_t)nb * sizeof *s);
    cond_cholesky_solve(nb, factor, border->z);
    for (int i = 0; i < nb; i++)
        sum += s[i] * border->z[i];
    return sum;
}

// The forces of the joins, f = K w with w = G p; returns w'f.
static double join_forces(const CondTiePacked* packed, double* w, float* f)
{
    int n = packed->n_join, rows = n > 0 ? packed->join_row[n] : 0;
    double total = 0.0;
    memset(w, 0, (size_t)rows * sizeof *w);
    for (int c = 0; c < packed->n_cell; c++) {
        double* at = w + packed->join_row[packed->share[packed->cell_begin[c]].join];
        for (int k = packed->cell_row[c]; k < packed->cell_row[c + 1]; k++)
            *at++ += (double)packed->cell_sum[k];
    }
    for (int j = 0; j < n; j++) {
        int first = packed->join_row[j], size = packed->join_size[j];
        const double* K = packed->gain + packed->join_gain[j];
        for (int r = 0; r < size; r++) {
            double sum = 0.0;
            for (int c = 0; c < size; c++)
                sum += K[r * size + c] * w[first + c];
            total += w[first + r] * sum;
            f[first + r] = (float)sum;
        }
    }
    return total;
}

// The arrow beside the coarse correction, damped by s: x = p, the coarse correction, and
// p = arrow(r), s times which is still to be added to x on the nodes; on the border it is added
// already.
typedef struct Smooth {
    const double* factor;
    double s;
    double* r_border; //                                                         (n_border)
    double* x_border; //                                                         (n_border)
} Smooth;

typedef struct Team {
    CondTiePacked* packed;
    CondTiePackedSolve* solve;
    Smooth* smooth;
} Team;

static void start_border(int nb, const double* r, Border* border)
{
    size_t size = (size_t)nb * sizeof *r;
    memcpy(border->r, r, size);
    memset(border->x, 0, size);
    memset(border->p, 0, size);
    memset(border->q, 0, size);
}

// The share of a thread in a step: its parts, and room for the forces of the joins.
typedef struct Share {
    CondTiePacked* packed;
    const CondTiePackedKernel* kernel;
    CondTeam* team;
    int first, last, size;
    double* velocity;
    float* force;
    float *coarse_r, *motion; // of the coarse unknowns; NULL where there is no coarse correction
    Border border;
} Share;

static void share_start(Share* share, CondTiePacked* packed, CondTeam* team, int rank, int size)
{
    share->team = team;
    int rows = packed->n_join > 0 ? packed->join_row[packed->n_join] : 0;
    share->packed = packed;
    share->kernel = cond_tie_packed_kernel();
    share->first = cond_team_first(packed->n_part, rank, size);
    share->last = cond_team_first(packed->n_part, rank + 1, size);
    share->size = size;
    share->velocity = packed->velocity + (ptrdiff_t)rows * rank;
    share->force = packed->force + (ptrdiff_t)rows * rank;
    memset(share->force, 0, (size_t)rows * sizeof *share->force);
    memset(share->border.single, 0, sizeof share->border.single);
    const CondTieCoarse* coarse = &packed->coarse;
    share->coarse_r = coarse->on ? coarse->vectors + (ptrdiff_t)2 * rank * coarse->stride : NULL;
    share->motion = coarse->on ? share->coarse_r + coarse->stride : NULL;
}

// The motions of the groups from the sums of all parts; returns their share of r'z.
static double correct(const Share* share)
{
    const CondTiePacked* packed = share->packed;
    const CondTieCoarse* coarse = &packed->coarse;
    double total = 0.0;
    if (!share->motion)
        return 0.0;
    for (int g = 0; g < coarse->n_group; g++)
        for (int m = 0; m < 6; m++) {
            double sum = 0.0;
            for (int part = coarse->group_begin[g]; part < coarse->group_begin[g + 1]; part++)
                sum += (double)coarse->sum[8 * part + m];
            share->coarse_r[6 * g + m] = (float)sum;
        }
    share->kernel->solve(coarse, share->coarse_r, share->motion);
    for (int i = 0; i < coarse->n; i++)
        total += (double)share->coarse_r[i] * (double)share->motion[i];
    return total;
}

static void to_single(int n, const double* from, float* to)
{
    for (int i = 0; i < n; i++)
        to[i] = (float)from[i];
}

// x += alpha p, r -= alpha q, z = arrow(r) but for the border's part in the nodes; returns r'z, and
// the square of the norm of what is left.
static double advance(Share* share, const double* factor, double alpha, double* left)
{
    CondTiePacked* packed = share->packed;
    share->kernel->advance(packed, share->first, share->last, (float)alpha, share->force);
    cond_team_wait(share->team, share->size);
    double border = advance_border(packed, factor, alpha, &share->border);
    double rz = border + add_parts(packed, packed->step_sum);
    *left = packed->coarse.on ? border + add_parts(packed, packed->coarse.left) : rz;
    return rz + correct(share);
}

// p = z + beta p
static void turn(Share* share, double beta)
{
    Border* border = &share->border;
    to_single(share->packed->n_border, border->z, border->single);
    share->kernel->turn(share->packed, share->first, share->last, (float)beta, border->single,
                        share->motion);
    for (int i = 0; i < share->packed->n_border; i++)
        border->p[i] = border->z[i] + beta * border->p[i];
    cond_team_wait(share->team, share->size);
}

// q = H p, but for what the joins do; returns p'H p.
static double multiply(Share* share)
{
    CondTiePacked* packed = share->packed;
    to_single(packed->n_border, share->border.p, share->border.single);
    share->kernel->multiply(packed, share->first, share->last, packed->p, share->border.single,
                            packed->q);
    cond_team_wait(share->team, share->size);
    return multiply_border(packed, &share->border) + add_parts(packed, packed->product_sum) +
           join_forces(packed, share->velocity, share->force);
}

// Three loops an iteration: product, step with preconditioner, direction. Every thread has the
// scalars and the border for itself, from the same partial sums.
static void iterate(void* data, CondTeam* team, int rank, int size)
{
    CondTiePackedSolve* solve = ((Team*)data)->solve;
    int failed = 0, products = 0, nb = ((Team*)data)->packed->n_border;
    double alpha = 0.0, rz = 0.0, start = 0.0, goal = 0.0;
    unsigned before = cond_tiny_flush();
    Share share;
    share_start(&share, ((Team*)data)->packed, team, rank, size);
    start_border(nb, solve->border, &share.border);
    for (int steps = 0;; steps++) {
        double left, next = advance(&share, solve->factor, alpha, &left);
        double beta = steps > 0 ? next / rz : 0.0;
        rz = next;
        if (steps == 0)
            start = left;
        if (steps == 1) // the first step takes out what the gains of the ties blow up
            goal = solve->reduction * solve->reduction * fmin(left, start);
        failed = !isfinite(rz);
        if (failed || !(left > goal) || products >= solve->max_products)
            break;
        turn(&share, beta);
        double pq = multiply(&share);
        products++;
        failed = !(pq > 0.0);
        if (failed)
            break;
        alpha = rz / pq;
    }
    cond_tiny_restore(before);
    if (rank > 0)
        return;
    solve->products = products;
    solve->failed = failed;
    solve->goal = goal;
    memcpy(solve->border, share.border.x, (size_t)nb * sizeof *solve->border);
}

static void smooth(void* data, CondTeam* team, int rank, int size)
{
    Smooth* smooth = ((Team*)data)->smooth;
    unsigned before = cond_tiny_flush();
    Share share;
    share_start(&share, ((Team*)data)->packed, team, rank, size);
    start_border(share.packed->n_border, smooth->r_border, &share.border);
    double left;
    advance(&share, smooth->factor, 1.0, &left); // q is 0
    turn(&share, 0.0);
    cond_tiny_restore(before);
    for (int i = 0; i < share.packed->n_border && rank == 0; i++)
        smooth->x_border[i] = smooth->s * share.border.z[i];
}

static void clear_vectors(CondTiePacked* packed)
{
    size_t size = 16 * (size_t)packed->n_four * sizeof *packed->x;
    memset(packed->x, 0, size);
    memset(packed->p, 0, size);
    memset(packed->q, 0, size);
}

void cond_tie_packed_solve(CondTiePacked* packed, CondTiePackedSolve* solve)
{
    Team team = {.packed = packed, .solve = solve};
    clear_vectors(packed);
    cond_team(packed->n_team, iterate, &team);
}

// Conjugate gradients with a coarse correction. The preconditioner has vectors of its own; those of
// the iteration stand in outer_x, outer_r and outer_p meanwhile.
typedef struct Deep {
    CondTiePacked* packed;
    CondTiePackedSolve* solve;
    Smooth smooth;
    double r_border[COND_LARGEST_BORDER], x_border[COND_LARGEST_BORDER]; // of the preconditioner
    Border border;                                                       // of the iteration
    double rz, beta;
    int failed;
} Deep;

static void exchange(float** a, float** b)
{
    float* kept = *a;
    *a = *b;
    *b = kept;
}

static void exchange_vectors(CondTiePacked* packed)
{
    exchange(&packed->x, &packed->outer_x);
    exchange(&packed->r, &packed->outer_r);
    exchange(&packed->p, &packed->outer_p);
}

// z = what the preconditioner found, and its product with the iteration's r.
static void collect(void* data, CondTeam* team, int rank, int size)
{
    (void)team;
    Deep* deep = data;
    CondTiePacked* packed = deep->packed;
    unsigned before = cond_tiny_flush();
    cond_tie_packed_kernel()->collect(packed, cond_team_first(packed->n_part, rank, size),
                                      cond_team_first(packed->n_part, rank + 1, size),
                                      (float)deep->smooth.s);
    cond_tiny_restore(before);
}

static void precondition(Deep* deep)
{
    CondTiePacked* packed = deep->packed;
    Team team = {.packed = packed, .smooth = &deep->smooth};
    memcpy(packed->r, packed->outer_r, 16 * (size_t)packed->n_four * sizeof *packed->r);
    memcpy(deep->r_border, deep->border.r, (size_t)packed->n_border * sizeof *deep->r_border);
    clear_vectors(packed);
    deep->solve->coarse(deep->solve->coarse_data, packed);
    cond_team(packed->n_team, smooth, &team);
    cond_team(packed->n_team, collect, deep);
    double next = add_parts(packed, packed->step_sum);
    for (int i = 0; i < packed->n_border; i++) {
        deep->border.z[i] = deep->x_border[i];
        next += deep->border.r[i] * deep->x_border[i];
    }
    deep->beta = deep->rz > 0.0 ? next / deep->rz : 0.0;
    deep->rz = next;
}

// p = z + beta p, and a step along it.
static void step(void* data, CondTeam* team, int rank, int size)
{
    Deep* deep = data;
    CondTiePacked* packed = deep->packed;
    unsigned before = cond_tiny_flush();
    Share share;
    share_start(&share, packed, team, rank, size);
    share.border = deep->border;
    memset(share.border.single, 0, sizeof share.border.single); // z has the border's part already
    share.kernel->turn(packed, share.first, share.last, (float)deep->beta, share.border.single,
                       NULL);
    for (int i = 0; i < packed->n_border; i++)
        share.border.p[i] = share.border.z[i] + deep->beta * share.border.p[i];
    cond_team_wait(team, size);
    double pq = multiply(&share);
    int failed = !(pq > 0.0);
    double left;
    if (!failed)
        advance(&share, deep->solve->factor, deep->rz / pq, &left);
    cond_tiny_restore(before);
    cond_team_wait(team, size);
    if (rank == 0) {
        deep->border = share.border;
        deep->failed = failed;
    }
}

void cond_tie_packed_solve_deep(CondTiePacked* packed, CondTiePackedSolve* solve)
{
    size_t size = 16 * (size_t)packed->n_four * sizeof *packed->x;
    Deep deep = {.packed = packed, .solve = solve};
    deep.smooth = (Smooth){solve->factor, solve->damping, deep.r_border, deep.x_border};
    double start = 0.0;
    start_border(packed->n_border, solve->border, &deep.border);
    memset(packed->outer_x, 0, size);
    memset(packed->outer_p, 0, size);
    memcpy(packed->outer_r, packed->r, size);
    solve->products = 0;
    solve->goal = 0.0;
    for (int steps = 0;; steps++) {
        precondition(&deep);
        if (steps == 0)
            start = deep.rz;
        if (steps == 1)
            solve->goal = solve->reduction * solve->reduction * fmin(deep.rz, start);
        deep.failed = !isfinite(deep.rz);
        if (deep.failed || !(deep.rz > solve->goal) || solve->products >= solve->max_products)
            break;
        exchange_vectors(packed);
        cond_team(packed->n_team, step, &deep);
        exchange_vectors(packed);
        solve->products++;
        if (deep.failed)
            break;
    }
    solve->failed = deep.failed;
    memcpy(packed->x, packed->outer_x, size);
    memcpy(solve->border, deep.border.x, (size_t)packed->n_border * sizeof *solve->border);
}
