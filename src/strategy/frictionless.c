// With A block by block and no friction, v = A^-1 Jn' z, and the normal forces z are the minimum of
//     E(z) = z' D z/2 + phi' z     with  z >= 0,      D = Jn A^-1 Jn',  gradient g = D z + phi =
//     u_n.
// It is looked for by conjugate gradients on the contacts that carry a force, with the diagonal of
// D as preconditioner, as Dostal's proportioning with reduced gradient projections does:
//     where what the closed contacts are short of outweighs what the open ones violate,
//         a step of conjugate gradients; where it would make a force negative, all of it with such
//         forces set to zero, if that lowers E, else to the first such force and from there a step
//         down the gradient that is short enough to lower E in any case;
//     else a step down the gradient of the open contacts that are violated, which close.
// That short step is 1/bound: for a body with n contacts |sum_c w_c z_c|^2 <= n sum_c |w_c z_c|^2,
// so D is not larger than the diagonal matrix of sum over both bodies of n J_c A^-1 J_c'.
#include "strategy/frictionless.h"

#include "base/timer.h"
#include "law/tuning.h"
#include "linear/lu.h"
#include "math/scalar.h"
#include "newton/tuning.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SIX = COND_FRICTIONLESS_SIX };

void cond_frictionless_begin(const CondContext* context, CondFrictionless* f)
{
    memset(f, 0, sizeof *f);
    cond_arena_begin(context, &f->arena);
    cond_certifier_begin(context, &f->certifier);
}

void cond_frictionless_end(CondFrictionless* f)
{
    cond_certifier_end(&f->certifier);
    cond_arena_release(&f->arena);
}

// ---- which problems

static int has_friction(const CondContact* contact)
{
    return contact->set != COND_FORCE_CONE || contact->friction[0] > 0.0 ||
           contact->friction[1] > 0.0 || !isinf(contact->kv);
}

// The block that begins with a coordinate; NULL: none does.
static const CondBlock* block_at(const CondProblem* problem, int coordinate)
{
    int low = 0, high = problem->n_block - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (problem->block[middle].dof_begin <= coordinate)
            low = middle;
        else
            high = middle - 1;
    }
    const CondBlock* block = &problem->block[low];
    return block->dof_begin == coordinate ? block : NULL;
}

// 1 where a side is the ground or all of a small body, its coordinates in order.
static int is_body(const CondProblem* problem, const CondSide* side)
{
    if (side->n_coordinate == 0)
        return 1;
    const CondBlock* block = block_at(problem, side->coordinate[0]);
    int n = side->n_coordinate;
    int is = block && block->kind == COND_BLOCK_DENSE && block->n_dof == n && n <= SIX;
    for (int k = 1; k < n && is; k++)
        is = side->coordinate[k] == side->coordinate[0] + k;
    return is;
}

int cond_frictionless_serves(const CondProblem* problem)
{
    if (problem->n_coupling > 0 || problem->n_contact == 0)
        return 0;
    for (int c = 0; c < problem->n_contact; c++)
        if (has_friction(&problem->contact[c]))
            return 0;
    for (int i = 0; i < problem->n_dof; i++)
        if (problem->b[i] != 0.0)
            return 0;
    for (int c = 0; c < problem->n_contact; c++)
        if (!is_body(problem, &problem->contact[c].side[0]) ||
            !is_body(problem, &problem->contact[c].side[1]))
            return 0;
    return 1;
}

// ---- laying out

static CondStatus reserve(CondFrictionless* f, const CondProblem* problem)
{
    int n = problem->n_dof, nb = problem->n_block, nc = problem->n_contact;
#define RESERVE(array, count) COND_RESERVE(&f->arena, f->array, count)
    if (RESERVE(block_of, n) || RESERVE(count, nb) ||
        cond_components_reserve(&f->arena, nb, &f->island) || RESERVE(factor, SIX * SIX * nb) ||
        RESERVE(pivot, SIX * nb) || RESERVE(begin, nb + 1) || RESERVE(contact, nc) ||
        RESERVE(row, nc) || RESERVE(phi, nc) || RESERVE(gamma, nc) || RESERVE(diagonal, nc) ||
        RESERVE(bound, nc) || RESERVE(z, nc) || RESERVE(g, nc) || RESERVE(p, nc) ||
        RESERVE(Dp, nc) || RESERVE(z_kept, nc) || RESERVE(g_kept, nc) || RESERVE(y, n + 2 * SIX) ||
        RESERVE(scale, n))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    return COND_OK;
}

// The block of a side; -1: the ground.
static int block_of(const CondFrictionless* f, const CondSide* side)
{
    return side->n_coordinate > 0 ? f->block_of[side->coordinate[0]] : -1;
}

// Islands of blocks, and how many contacts a block has; those blocks are factored.
static CondStatus find_islands(CondFrictionless* f, const CondProblem* problem)
{
    cond_components_begin(problem->n_block, &f->island);
    for (int i = 0; i < problem->n_block; i++) {
        f->count[i] = 0;
        for (int k = 0; k < problem->block[i].n_dof; k++)
            f->block_of[problem->block[i].dof_begin + k] = i;
    }
    for (int c = 0; c < problem->n_contact; c++) {
        int a = block_of(f, &problem->contact[c].side[0]);
        int b = block_of(f, &problem->contact[c].side[1]);
        f->count[a]++;
        if (b >= 0)
            f->count[b]++;
        cond_components_join(&f->island, a, b);
    }
    cond_components_end(&f->island);
    for (int i = 0; i < problem->n_block; i++) {
        int n = problem->block[i].n_dof;
        double* LU = f->factor + (ptrdiff_t)(SIX * SIX) * i;
        if (f->count[i] == 0)
            continue;
        memcpy(LU, problem->block[i].values, (size_t)(n * n) * sizeof *LU);
        if (cond_lu_factor(n, LU, f->pivot + (ptrdiff_t)SIX * i))
            return COND_NOT_CONVERGED;
    }
    return COND_OK;
}

static int island_of(const CondFrictionless* f, const CondContact* contact)
{
    return f->island.of[block_of(f, &contact->side[0])];
}

// Sorts the contacts by island, in their order within each.
static void sort_contacts(CondFrictionless* f, const CondProblem* problem)
{
    int n = f->island.n, *begin = f->begin;
    memset(begin, 0, ((size_t)n + 1) * sizeof *begin);
    for (int c = 0; c < problem->n_contact; c++)
        begin[island_of(f, &problem->contact[c]) + 1]++;
    for (int i = 0; i < n; i++)
        begin[i + 1] += begin[i];
    for (int c = 0; c < problem->n_contact; c++)
        f->contact[begin[island_of(f, &problem->contact[c])]++] = c;
    for (int i = n; i > 0; i--)
        begin[i] = begin[i - 1];
    begin[0] = 0;
}

// One side of row k: J_n, A^-1 J_n', and J_n A^-1 J_n', which is returned.
static double lay_side(CondFrictionless* f, const CondProblem* problem, const CondContact* contact,
                       int s, CondFrictionlessRow* row)
{
    const CondSide* side = &contact->side[s];
    int n = side->n_coordinate, b = block_of(f, side);
    double *J = row->J + (ptrdiff_t)SIX * s, *W = row->W + (ptrdiff_t)SIX * s, sum = 0.0;
    row->at[s] = n > 0 ? side->coordinate[0] : problem->n_dof + SIX;
    if (n == 0)
        return 0.0;
    for (int k = 0; k < n; k++) {
        double value = side->jacobian ? 0.0 : contact->frame[k];
        for (int i = 0; i < 3 && side->jacobian; i++)
            value += contact->frame[i] * side->jacobian[i * n + k];
        J[k] = W[k] = s == 0 ? value : -value;
    }
    cond_lu_solve(n, f->factor + (ptrdiff_t)(SIX * SIX) * b, f->pivot + (ptrdiff_t)SIX * b, W);
    for (int k = 0; k < n; k++)
        sum += J[k] * W[k];
    return sum;
}

static void lay_rows(CondFrictionless* f, const CondProblem* problem)
{
    cond_problem_diagonal(problem, f->scale);
    for (int k = 0; k < problem->n_contact; k++) {
        const CondContact* contact = &problem->contact[f->contact[k]];
        f->row[k] = (CondFrictionlessRow){.at = {0, 0}};
        f->diagonal[k] = f->bound[k] = 0.0;
        for (int s = 0; s < 2; s++) {
            double own = lay_side(f, problem, contact, s, &f->row[k]);
            int b = block_of(f, &contact->side[s]);
            f->diagonal[k] += own;
            f->bound[k] += b >= 0 ? f->count[b] * own : 0.0;
        }
        f->phi[k] = f->g[k] = contact->phi[0];
        f->gamma[k] = cond_contact_delassus(contact, f->scale);
        f->z[k] = 0.0;
    }
}

// ---- one island: the contacts from first to last - 1

typedef struct Island {
    CondFrictionless* f;
    int first, last;
    int products; // made so far
} Island;

// y = A^-1 Jn' x. Bodies with fewer coordinates have zeros in their rows, which add nothing to
// those of the next body.
static void spread(const Island* is, const double* x, double* y)
{
    const CondFrictionless* f = is->f;
    for (int k = is->first; k < is->last; k++)
        for (int s = 0; s < 2; s++)
            memset(y + f->row[k].at[s], 0, SIX * sizeof *y);
    for (int k = is->first; k < is->last; k++) {
        const CondFrictionlessRow* row = &f->row[k];
        double *a = y + row->at[0], *b = y + row->at[1], z = x[k];
        if (z == 0.0)
            continue;
        for (int i = 0; i < SIX; i++)
            a[i] += z * row->W[i];
        for (int i = 0; i < SIX; i++)
            b[i] += z * row->W[SIX + i];
    }
}

// Dx = D x
static void multiply(Island* is, const double* x, double* Dx)
{
    const CondFrictionless* f = is->f;
    spread(is, x, f->y);
    is->products++;
    for (int k = is->first; k < is->last; k++)
        Dx[k] = cond_frictionless_velocity(&f->row[k], f->y);
}

// The gradient at z from the beginning; returns 2 E.
static double renew(Island* is)
{
    CondFrictionless* f = is->f;
    double energy = 0.0;
    multiply(is, f->z, f->g);
    for (int k = is->first; k < is->last; k++) {
        f->g[k] += f->phi[k];
        energy += f->z[k] * (f->g[k] + f->phi[k]);
    }
    return energy;
}

static double energy_of(const Island* is)
{
    double energy = 0.0;
    for (int k = is->first; k < is->last; k++)
        energy += is->f->z[k] * (is->f->g[k] + is->f->phi[k]);
    return energy;
}

// What the pair at hand is worth.
typedef struct Worth {
    double force;        // what the largest force alone would do to its contact [m/s]
    double error, speed; // of the law; velocity at play, as the certificate has them [m/s]
    double short_of;     // squares of what closed contacts are short of,
    double violated;     // and of what open ones violate
} Worth;

static Worth judge(const Island* is)
{
    const CondFrictionless* f = is->f;
    Worth out = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = is->first; k < is->last; k++) {
        double g = f->g[k], z = f->z[k];
        out.force = scalar_max(out.force, f->diagonal[k] * z);
        out.speed = scalar_max(out.speed, fabs(g - f->phi[k]));
        if (z > 0.0) {
            out.error = scalar_max(out.error, fabs(fmin(g, f->gamma[k] * z)));
            out.short_of += fmin(f->bound[k] * z, g) * g / f->bound[k];
        } else if (g < 0.0) {
            out.error = scalar_max(out.error, -g);
            out.violated += g * g / f->bound[k];
        }
    }
    return out;
}

// p = the gradient of the contacts that carry a force, or of the others that are violated.
static void aim(const Island* is, int closed)
{
    const CondFrictionless* f = is->f;
    for (int k = is->first; k < is->last; k++) {
        int counts = closed ? f->z[k] > 0.0 : f->z[k] == 0.0 && f->g[k] < 0.0;
        f->p[k] = counts ? f->g[k] / f->diagonal[k] : 0.0;
    }
}

// D p, and the step z - a p to the minimum of E along p; *curve = p' D p, *room: how far z stays
// positive.
static double measure(Island* is, double* curve, double* room)
{
    const CondFrictionless* f = is->f;
    double along = 0.0;
    *curve = 0.0;
    *room = INFINITY;
    multiply(is, f->p, f->Dp);
    for (int k = is->first; k < is->last; k++) {
        *curve += f->p[k] * f->Dp[k];
        along += f->g[k] * f->p[k];
        if (f->p[k] > 0.0)
            *room = fmin(*room, f->z[k] / f->p[k]);
    }
    return along / *curve;
}

static void go(const Island* is, double a)
{
    const CondFrictionless* f = is->f;
    for (int k = is->first; k < is->last; k++) {
        f->z[k] = scalar_positive(f->z[k] - a * f->p[k]);
        f->g[k] -= a * f->Dp[k];
    }
}

// The next direction, conjugate to p.
static void turn(const Island* is, double curve)
{
    const CondFrictionless* f = is->f;
    double sum = 0.0;
    for (int k = is->first; k < is->last; k++)
        if (f->z[k] > 0.0)
            sum += f->g[k] * f->Dp[k] / f->diagonal[k];
    for (int k = is->first; k < is->last; k++)
        f->p[k] = f->z[k] > 0.0 ? f->g[k] / f->diagonal[k] - sum / curve * f->p[k] : 0.0;
}

// A step that leaves the contacts that carry a force: `a` to the minimum, `room` to the first one
// whose force vanishes.
static void leave(Island* is, double a, double room)
{
    CondFrictionless* f = is->f;
    size_t bytes = (size_t)(is->last - is->first) * sizeof *f->z;
    double before = energy_of(is);
    memcpy(f->z_kept + is->first, f->z + is->first, bytes);
    memcpy(f->g_kept + is->first, f->g + is->first, bytes);
    for (int k = is->first; k < is->last; k++)
        f->z[k] = scalar_positive(f->z[k] - a * f->p[k]);
    if (renew(is) < before)
        return;
    memcpy(f->z + is->first, f->z_kept + is->first, bytes);
    memcpy(f->g + is->first, f->g_kept + is->first, bytes);
    go(is, room);
    for (int k = is->first; k < is->last; k++)
        f->z[k] = scalar_positive(f->z[k] - f->g[k] / f->bound[k]);
    renew(is);
}

static CondStatus solve_island(Island* is, double tolerance, int max_products)
{
    int begins = 1; // a new sequence of conjugate directions
    double most = 0.0;
    for (int k = is->first; k < is->last; k++)
        most = fmax(most, COND_MOST_GROWTH * fabs(is->f->phi[k]));
    while (is->products < max_products) {
        Worth worth = judge(is);
        double curve, room;
        if (!(worth.force <= most)) {
            size_t bytes = (size_t)(is->last - is->first) * sizeof(double);
            memset(is->f->z + is->first, 0, bytes);
            memcpy(is->f->g + is->first, is->f->phi + is->first, bytes);
            return COND_NOT_CONVERGED;
        }
        if (worth.error <= tolerance * worth.speed)
            return COND_OK;
        if (worth.violated > worth.short_of) {
            aim(is, 0);
            double a = measure(is, &curve, &room);
            go(is, a);
            begins = 1;
            continue;
        }
        if (begins)
            aim(is, 1);
        double a = measure(is, &curve, &room);
        if (!(curve > 0.0))
            return COND_NOT_CONVERGED;
        begins = a > room;
        if (a > room) {
            leave(is, a, room);
        } else {
            go(is, a);
            turn(is, curve);
        }
    }
    return COND_NOT_CONVERGED;
}

// ---- all of them

static void hand_back(CondFrictionless* f, const CondProblem* problem, double* v, double* lambda)
{
    const Island all = {f, 0, problem->n_contact, 0};
    size_t n = (size_t)problem->n_dof;
    memset(f->y, 0, n * sizeof *f->y);
    spread(&all, f->z, f->y);
    memcpy(v, f->y, n * sizeof *v);
    memset(lambda, 0, 3 * (size_t)problem->n_contact * sizeof *lambda);
    for (int k = 0; k < problem->n_contact; k++)
        lambda[(ptrdiff_t)3 * f->contact[k]] = f->z[k];
}

CondStatus cond_frictionless_solve(CondFrictionless* f, const CondProblem* problem, CondLaw law,
                                   double tolerance, int max_products, double* v, double* lambda,
                                   CondSolveInfo* info)
{
    double start = cond_seconds();
    memset(info, 0, sizeof *info);
    CondStatus status = reserve(f, problem);
    if (!status)
        status = find_islands(f, problem);
    if (status)
        return info->status = status;
    sort_contacts(f, problem);
    lay_rows(f, problem);
    for (int i = 0; i < f->island.n; i++) {
        Island is = {f, f->begin[i], f->begin[i + 1], 0};
        CondStatus one =
            is.first < is.last ? solve_island(&is, COND_AIM * tolerance, max_products) : COND_OK;
        info->iterations = is.products > info->iterations ? is.products : info->iterations;
        if (one < 0)
            return info->status = one;
        status = one ? one : status;
    }
    hand_back(f, problem, v, lambda);
    CondStatus judged = cond_certifier_judge(&f->certifier, problem, law, 0.0, NULL, v, lambda,
                                             NULL, &info->certificate);
    if (judged)
        return info->status = judged;
    int certified = !status && cond_certificate_residual(&info->certificate) <= tolerance;
    info->cg_iterations = info->iterations;
    info->products = info->iterations + 1;
    info->solved_by = certified ? COND_BY_NEWTON : COND_BY_NONE;
    info->seconds = cond_seconds() - start;
    return info->status = certified ? COND_OK : COND_NOT_CONVERGED;
}
