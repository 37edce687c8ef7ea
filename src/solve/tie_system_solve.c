#include "base/memory.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "linear/cholesky.h"
#include "linear/lu.h"
#include "problem/block.h"
#include "problem/side.h"
#include "solve/multilevel_part.h"
#include "solve/tie_system.h"

#include <math.h>
#include <string.h>

static const double LEAST_REDUCTION = 1e-3; // of a round in single precision
static const double ENOUGH = 4.0;           // square of the residual after a round, over the goal
enum { CONTACT_WORK = 32 };                 // of one contact in a product, in multiply-adds
static const double LITTLE = 0.25; // square of the residual after a round, over that before

// One loop over the nodes, over all coordinates or over parts of them: a set of vectors and two
// factors.
typedef struct Sweep {
    const CondTieSystem* system;
    const double *a, *b; // read
    double *y, *z;       // written
    double s;
} Sweep;

// y += sum over contacts of G' T G a, on parts of the coordinates.
static void add_ties(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    const CondContactParts* parts = &sweep->system->parts;
    CondPartRange range = cond_contact_parts_range(parts, 0, first, last);
    for (int part = range.first; part < range.last; part++)
        for (int k = parts->begin[part]; k < parts->begin[part + 1]; k++) {
            const CondSide* side = parts->problem->contact[parts->contact[k]].side;
            const double* T = sweep->system->T + 9 * (size_t)parts->contact[k];
            double p[3] = {0.0, 0.0, 0.0}, f[3];
            int begin = cond_contact_parts_first(parts, part);
            int end = cond_contact_parts_first(parts, part + 1);
            cond_side_add_velocity(&side[0], 1.0, sweep->a, p);
            cond_side_add_velocity(&side[1], -1.0, sweep->a, p);
            for (int r = 0; r < 3; r++)
                f[r] = T[3 * r] * p[0] + T[3 * r + 1] * p[1] + T[3 * r + 2] * p[2];
            cond_side_add_force_within(&side[0], 1.0, f, begin, end, sweep->y);
            cond_side_add_force_within(&side[1], -1.0, f, begin, end, sweep->y);
        }
}

void cond_tie_system_multiply(const CondTieSystem* system, const double* x, double* y)
{
    const CondProblem* problem = system->problem;
    Sweep sweep = {.system = system, .a = x, .y = y};
    size_t work = CONTACT_WORK * (size_t)problem->n_contact;
    cond_problem_multiply_blocks(problem, x, NULL, y, system->threads);
    cond_problem_add_couplings(problem, x, y);
    cond_parallel(cond_contact_parts_work(&system->parts, 0), cond_threads(work, system->threads),
                  add_ties, &sweep);
}

static void each(const CondTieSystem* system, CondLoopBody body, const Sweep* sweep)
{
    int n = system->problem->n_dof;
    cond_parallel(n, cond_threads((size_t)n, system->threads), body, sweep);
}

// z = B a, the blocks of the nodes.
static void block_nodes(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    for (int i = first; i < last; i++) {
        const double* B = sweep->system->B + 9 * (size_t)i;
        const double* ai = sweep->a + sweep->system->place[i];
        double* zi = sweep->z + sweep->system->place[i];
        for (int k = 0; k < 3; k++)
            zi[k] = B[3 * k] * ai[0] + B[3 * k + 1] * ai[1] + B[3 * k + 2] * ai[2];
    }
}

// y += s a and z -= s b
static void advance(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    for (int i = first; i < last; i++) {
        sweep->y[i] += sweep->s * sweep->a[i];
        sweep->z[i] -= sweep->s * sweep->b[i];
    }
}

// z = a + s z
static void turn(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    for (int i = first; i < last; i++)
        sweep->z[i] = sweep->a[i] + sweep->s * sweep->z[i];
}

// z = P r, P the arrow.
static void arrow(CondTieSystem* system, const double* r, double* z)
{
    size_t nb = (size_t)system->n_border;
    Sweep sweep = {.system = system, .a = r, .z = z};
    size_t work = 9 * (size_t)system->n_node;
    cond_parallel(system->n_node, cond_threads(work, system->threads), block_nodes, &sweep);
    if (nb == 0)
        return;
    for (size_t i = 0; i < nb; i++)
        system->small[i] = r[system->member[i]];
    for (int k = 0; k < system->n_bordered; k++) { // r_b - E' B r_n
        const double* EB = (system->general ? system->EB : system->BC) + 3 * (size_t)k * nb;
        const double* ri = r + system->place[system->bordered[k]];
        for (size_t j = 0; j < nb; j++)
            system->small[j] -= EB[j] * ri[0] + EB[nb + j] * ri[1] + EB[2 * nb + j] * ri[2];
    }
    if (system->general)
        cond_lu_solve(system->n_border, system->S, system->pivot, system->small);
    else
        cond_cholesky_solve(system->n_border, system->S, system->small);
    for (size_t i = 0; i < nb; i++)
        z[system->member[i]] = system->small[i];
    for (int k = 0; k < system->n_bordered; k++) {
        const double* BC = system->BC + 3 * (size_t)k * nb;
        double* zi = z + system->place[system->bordered[k]];
        for (int row = 0; row < 3; row++)
            for (size_t j = 0; j < nb; j++)
                zi[row] -= BC[(size_t)row * nb + j] * system->small[j];
    }
}

// Between a vector of the problem and a packed one.
typedef struct Transfer {
    const CondTieSystem* system;
    double* wide;
    float* packed;
    double scale;
} Transfer;

static void each_node(const Transfer* transfer, CondLoopBody body)
{
    const CondTieSystem* system = transfer->system;
    int threads = cond_threads(3 * (size_t)system->n_node, system->threads);
    cond_parallel(system->n_node, threads, body, transfer);
}

// packed = wide / scale
static void pack_nodes(const void* loop, int first, int last)
{
    const Transfer* t = loop;
    for (int i = first; i < last; i++) {
        const double* from = t->wide + t->system->place[i];
        float* to = t->packed + (ptrdiff_t)4 * t->system->packed.rank[i];
        for (int k = 0; k < 3; k++)
            to[k] = (float)(from[k] / t->scale);
    }
}

// wide = scale packed
static void unpack_nodes(const void* loop, int first, int last)
{
    const Transfer* t = loop;
    for (int i = first; i < last; i++) {
        double* to = t->wide + t->system->place[i];
        const float* from = t->packed + (ptrdiff_t)4 * t->system->packed.rank[i];
        for (int k = 0; k < 3; k++)
            to[k] = t->scale * (double)from[k];
    }
}

// The largest of a on each part.
static void find_peaks(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    const CondContactParts* parts = &sweep->system->parts;
    for (int part = first; part < last; part++) {
        double most = 0.0;
        for (int i = cond_contact_parts_first(parts, part);
             i < cond_contact_parts_first(parts, part + 1); i++)
            most = fabs(sweep->a[i]) > most ? fabs(sweep->a[i]) : most;
        sweep->y[part] = most;
    }
}

static double largest(const CondTieSystem* system, const double* r)
{
    Sweep sweep = {.system = system, .a = r, .y = system->peak};
    int n = system->parts.n_part, n_dof = system->problem->n_dof;
    double most = 0.0;
    cond_parallel(n, cond_threads((size_t)n_dof, system->threads), find_peaks, &sweep);
    for (int part = 0; part < n; part++)
        most = fmax(most, system->peak[part]);
    return most;
}

// y = 0
static void clear(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    memset(sweep->y + first, 0, (size_t)(last - first) * sizeof *sweep->y);
}

static double correct(void* data, CondTeam* team, int rank, int size, const float* r, float s,
                      float* z)
{
    return cond_multilevel_correct(data, team, rank, size, r, s, z);
}

// Conjugate gradients in double from x = 0 until the square of the preconditioned residual is at
// most *goal, or, where that is negative, has fallen by `reduction` squared: then *goal is set.
static int solve_double(CondTieSystem* system, double* r, double* x, double reduction, double* goal,
                        int max_products)
{
    int n = system->problem->n_dof, threads = system->threads, products = 0;
    double *p = system->p, *q = system->q, *z = system->z;
    arrow(system, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = cond_dot(n, r, z, threads), first = rz;
    for (int steps = 1; products < max_products && rz > fmax(*goal, 0.0); steps++) {
        if (cond_cancelled(&system->context))
            break;
        cond_tie_system_multiply(system, p, q);
        products++;
        double pq = cond_dot(n, p, q, threads);
        if (!(pq > 0.0) || !isfinite(rz))
            return COND_DIVERGED;
        double alpha = rz / pq;
        Sweep step = {.a = p, .b = q, .y = x, .z = r, .s = alpha};
        each(system, advance, &step);
        arrow(system, r, z);
        double next = cond_dot(n, r, z, threads), beta = next / rz;
        Sweep direction = {.a = z, .z = p, .s = beta};
        each(system, turn, &direction);
        rz = next;
        // The first step takes out what the gains of the ties blow up; the reduction counts from
        // what is left.
        if (steps == 1 && *goal < 0.0)
            *goal = reduction * reduction * fmin(rz, first);
    }
    return products;
}

// One round in single precision: x += what it found, r -= H times that, measured in double. 0 where
// it found nothing.
static int solve_single(CondTieSystem* system, double* r, double* x, double reduction, double* goal,
                        int max_products)
{
    CondTiePacked* packed = &system->packed;
    double scale = largest(system, r), *dx = system->p, *Hdx = system->q;
    if (!(scale > 0.0) || !isfinite(scale))
        return 0;
    Transfer in = {system, r, packed->r, scale};
    each_node(&in, pack_nodes);
    for (int i = 0; i < system->n_border; i++)
        system->small[i] = r[system->member[i]] / scale;
    CondTiePackedSolve solve = {.factor = system->S,
                                .border = system->small,
                                .reduction = fmax(reduction, LEAST_REDUCTION),
                                .max_products = max_products - 1,
                                .coarse = system->deep ? correct : NULL,
                                .coarse_data = &system->multi,
                                .damping = COND_MULTILEVEL_DAMPING};
    cond_tie_packed_solve(packed, &solve);
    if (solve.failed)
        return 0;
    Transfer out = {system, dx, packed->x, scale};
    each_node(&out, unpack_nodes);
    for (int i = 0; i < system->n_border; i++)
        dx[system->member[i]] = scale * system->small[i];
    cond_tie_system_multiply(system, dx, Hdx);
    Sweep step = {.a = dx, .b = Hdx, .y = x, .z = r, .s = 1.0};
    each(system, advance, &step);
    if (*goal < 0.0) {
        double part = reduction / solve.reduction;
        *goal = part * part * scale * scale * solve.goal;
    }
    return solve.products + 1;
}

// z = weight a, on the nodes.
static void weigh_nodes(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    for (int i = first; i < last; i++) {
        double weight = cond_tie_coarse_weight(sweep->system->rest + 9 * (size_t)i);
        const double* ai = sweep->a + sweep->system->place[i];
        double* zi = sweep->z + sweep->system->place[i];
        for (int k = 0; k < 3; k++)
            zi[k] = weight * ai[k];
    }
}

// The square of the norm by which the iterations end.
static double measure(CondTieSystem* system, const double* r)
{
    Sweep sweep = {.system = system, .a = r, .z = system->z};
    arrow(system, r, system->z);
    if (system->packed.coarse.on)
        cond_parallel(system->n_node, cond_threads(9 * (size_t)system->n_node, system->threads),
                      weigh_nodes, &sweep);
    return cond_dot(system->problem->n_dof, r, system->z, system->threads);
}

int cond_tie_system_solve(CondTieSystem* system, double* r, double* x, double reduction,
                          int max_iterations)
{
    int products = 0;
    double goal = -1.0, last = INFINITY;
    Sweep start = {.y = x};
    each(system, clear, &start);
    int packed = system->deep || system->n_node >= system->pack_from;
    while (packed && products + 2 < max_iterations && !cond_cancelled(&system->context)) {
        int count = solve_single(system, r, x, reduction, &goal, max_iterations - products);
        products += count;
        if (count == 0)
            break;
        double rz = measure(system, r);
        if (rz <= ENOUGH * goal || products + 2 >= max_iterations)
            return products;
        if (!(rz < LITTLE * last))
            break; // no better in single precision
        last = rz;
    }
    int count = solve_double(system, r, x, reduction, &goal, max_iterations - products);
    return count < 0 ? count : products + count;
}

int cond_tie_system_solve_general(CondTieSystem* system, double* r, double* x, double reduction,
                                  int max_products, double* work)
{
    int n = system->problem->n_dof, threads = system->threads, products = 0;
    size_t size = (size_t)n * sizeof *r;
    double *shadow = work, *p = work + n, *q = p + n, *s = q + n, *t = s + n;
    double *y = system->p, *z = system->z;
    memset(x, 0, size);
    memcpy(shadow, r, size);
    memset(p, 0, size);
    memset(q, 0, size);
    double rho = 1.0, alpha = 1.0, omega = 1.0, goal = -1.0;
    for (int steps = 0; products + 2 <= max_products && !cond_cancelled(&system->context);
         steps++) {
        arrow(system, r, z);
        double rz = fabs(cond_dot(n, r, z, threads));
        // As above, the reduction counts from what the first step leaves.
        if (steps <= 1)
            goal =
                reduction * reduction * (goal < 0.0 ? rz : fmin(rz, goal / reduction / reduction));
        if (!isfinite(rz))
            return COND_DIVERGED;
        if (steps > 0 && rz <= goal)
            break;
        double next = cond_dot(n, shadow, r, threads), beta = next / rho * (alpha / omega);
        if (next == 0.0 || !isfinite(beta))
            break; // no further this way; what there is may do
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * (p[i] - omega * q[i]);
        arrow(system, p, y);
        cond_tie_system_multiply(system, y, q);
        products++;
        rho = next;
        alpha = rho / cond_dot(n, shadow, q, threads);
        if (!isfinite(alpha))
            break;
        for (int i = 0; i < n; i++)
            s[i] = r[i] - alpha * q[i];
        arrow(system, s, z);
        cond_tie_system_multiply(system, z, t);
        products++;
        double tt = cond_dot(n, t, t, threads);
        omega = tt > 0.0 ? cond_dot(n, t, s, threads) / tt : 0.0;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * y[i] + omega * z[i];
            r[i] = s[i] - omega * t[i];
        }
        if (omega == 0.0 || !isfinite(omega))
            break;
    }
    return products;
}
