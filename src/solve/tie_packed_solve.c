#include "base/memory.h"
#include "base/parallel.h"
#include "base/tiny.h"
#include "linear/cholesky.h"
#include "solve/tie_packed.h"
#include "solve/tie_packed_kernel.h"

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

typedef struct Team {
    CondTiePacked* packed;
    CondTiePackedSolve* solve;
    int cancelled[2]; // 1: the user does not want the work any more, by turns
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

// The same with levels: z = s arrow(r) + the coarse correction, the border's part included.
static double advance_deep(Share* share, const CondTiePackedSolve* solve, double alpha, int rank)
{
    CondTiePacked* packed = share->packed;
    Border* border = &share->border;
    double s = solve->damping, sum = 0.0;
    share->kernel->advance(packed, share->first, share->last, (float)alpha, share->force);
    cond_team_wait(share->team, share->size);
    advance_border(packed, solve->factor, alpha, border);
    to_single(packed->n_border, border->z, border->single);
    share->kernel->spread_border(packed, share->first, share->last, border->single, packed->z);
    for (int i = 0; i < packed->n_border; i++) {
        border->z[i] *= s;
        sum += border->r[i] * border->z[i];
    }
    return sum + solve->coarse(solve->coarse_data, share->team, rank, share->size, packed->r,
                               (float)s, packed->z);
}

// p = z + beta p
static void turn(Share* share, double beta, int deep)
{
    Border* border = &share->border;
    to_single(share->packed->n_border, border->z, border->single);
    share->kernel->turn(share->packed, share->first, share->last, (float)beta, share->motion);
    if (!deep)
        share->kernel->spread_border(share->packed, share->first, share->last, border->single,
                                     share->packed->p);
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
    int failed = 0, products = 0, nb = ((Team*)data)->packed->n_border,
        deep = solve->coarse != NULL;
    double alpha = 0.0, rz = 0.0, start = 0.0, goal = 0.0;
    unsigned before = cond_tiny_flush();
    Share share;
    share_start(&share, ((Team*)data)->packed, team, rank, size);
    start_border(nb, solve->border, &share.border);
    int* cancelled = ((Team*)data)->cancelled;
    for (int steps = 0;; steps++) {
        double left, next;
        if (rank == 0) // read by all when they have met, and written again a meeting later
            cancelled[steps % 2] = cond_cancelled(&share.packed->context);
        if (deep)
            left = next = advance_deep(&share, solve, alpha, rank);
        else
            next = advance(&share, solve->factor, alpha, &left);
        double beta = steps > 0 ? next / rz : 0.0;
        rz = next;
        if (steps == 0)
            start = left;
        if (steps == 1) // the first step takes out what the gains of the ties blow up
            goal = solve->reduction * solve->reduction * fmin(left, start);
        failed = !isfinite(rz);
        if (failed || !(left > goal) || products >= solve->max_products || cancelled[steps % 2])
            break;
        turn(&share, beta, deep);
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
