// Products with the linear system of soft bodies (soft_system.h), and its solution by conjugate
// gradients in two precisions.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "device/sum.h"
#include "linear/cholesky.h"
#include "linear/conjugate_gradients.h"
#include "linear/lu.h"
#include "problem/block.h"
#include "problem/side.h"
#include "soft/soft_system.h"
#include "soft/tuning.h"

#include <math.h>
#include <string.h>

// One loop over the nodes, over all coordinates or over parts of them: a set of vectors.
typedef struct Sweep {
    const CondSoftSystem* system;
    const double *a, *b; // read
    double *y, *z;       // written
} Sweep;

// y += sum over contacts of G' T G a, on parts of the coordinates.
static void add_contacts_part(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    const CondContactParts* parts = &sweep->system->parts;
    CondPartRange range = cond_contact_parts_range(parts, first, last);
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

void cond_soft_system_multiply(const CondSoftSystem* system, const double* x, double* y)
{
    const CondProblem* problem = system->problem;
    Sweep sweep = {.system = system, .a = x, .y = y};
    size_t work = COND_CONTACT_WORK * (size_t)problem->n_contact;
    cond_problem_multiply_blocks(problem, x, NULL, y, system->threads);
    cond_problem_add_couplings(problem, x, y);
    cond_parallel(cond_contact_parts_work(&system->parts), cond_threads(work, system->threads),
                  add_contacts_part, &sweep);
}

// Threads for a loop over nodes that takes little more than reading and writing them.
static int node_threads(const CondSoftSystem* system)
{
    return cond_threads(3 * COND_COORDINATE_WORK * (size_t)system->n_node, system->threads);
}

static void each_named(const CondSoftSystem* system, CondLoopBody body, const Sweep* sweep,
                       const char* name)
{
    int n = system->problem->n_dof;
    cond_parallel_named(n, cond_threads(4 * (size_t)n, system->threads), body, sweep, name);
}
#define each(system, body, sweep) each_named(system, body, sweep, #body)

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

// y += a and z -= b
static void advance(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    for (int i = first; i < last; i++) {
        sweep->y[i] += sweep->a[i];
        sweep->z[i] -= sweep->b[i];
    }
}

// z = S^-1 (r_b - E' B r_n) on the interface, which is then in `small` too.
static void precondition_interface(const CondSoftSystem* system, const double* r, double* z)
{
    size_t nb = (size_t)system->n_interface;
    for (size_t i = 0; i < nb; i++)
        system->small[i] = r[system->member[i]];
    for (int k = 0; k < system->n_attached; k++) { // r_b - E' B r_n
        const double* EB = (system->general ? system->EB : system->BC) + 3 * (size_t)k * nb;
        const double* ri = r + system->place[system->attached[k]];
        for (size_t j = 0; j < nb; j++)
            system->small[j] -= EB[j] * ri[0] + EB[nb + j] * ri[1] + EB[2 * nb + j] * ri[2];
    }
    if (system->general)
        cond_lu_solve(system->n_interface, system->S, system->pivot, system->small);
    else
        cond_cholesky_solve(system->n_interface, system->S, system->small);
    for (size_t i = 0; i < nb; i++)
        z[system->member[i]] = system->small[i];
}

// z = M r, block-Jacobi with the Schur complement of the interface.
static void precondition(const void* data, const double* r, double* z)
{
    const CondSoftSystem* system = data;
    size_t nb = (size_t)system->n_interface;
    Sweep sweep = {.system = system, .a = r, .z = z};
    cond_parallel(system->n_node, node_threads(system), block_nodes, &sweep);
    if (nb == 0)
        return;
    precondition_interface(system, r, z);
    for (int k = 0; k < system->n_attached; k++) {
        const double* BC = system->BC + 3 * (size_t)k * nb;
        double* zi = z + system->place[system->attached[k]];
        for (int row = 0; row < 3; row++)
            for (size_t j = 0; j < nb; j++)
                zi[row] -= BC[(size_t)row * nb + j] * system->small[j];
    }
}

// Between a vector of the problem and a packed one.
typedef struct Transfer {
    const CondSoftSystem* system;
    double* wide;
    float* packed;
    double scale;
} Transfer;

static void each_node_named(const Transfer* transfer, CondLoopBody body, const char* name)
{
    const CondSoftSystem* system = transfer->system;
    cond_parallel_named(system->n_node, node_threads(system), body, transfer, name);
}
#define each_node(transfer, body) each_node_named(transfer, body, #body)

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

static double largest(const CondSoftSystem* system, const double* r)
{
    Sweep sweep = {.system = system, .a = r, .y = system->peak};
    int n = system->parts.n_part, n_dof = system->problem->n_dof;
    double most = 0.0;
    cond_parallel(n, cond_threads(2 * (size_t)n_dof, system->threads), find_peaks, &sweep);
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

static void multiply(const void* data, const double* x, double* y)
{
    cond_soft_system_multiply(data, x, y);
}

// In double.
static CondCgSystem in_double(CondSoftSystem* system, double* r, double* x)
{
    return (CondCgSystem){.A = {system->problem->n_dof, multiply, system},
                          .M = {precondition, system},
                          .threads = system->threads,
                          .x = x,
                          .r = r,
                          .z = system->z,
                          .p = system->p,
                          .q = system->q};
}

// One round in single precision: x += what it found, r -= H times that, measured in double. 0 where
// it found nothing, or a negative status.
static int solve_single(CondSoftSystem* system, double* r, double* x, double reduction,
                        double* goal, int max_products)
{
    CondSoftPacked* packed = &system->packed;
    double scale = largest(system, r), *dx = system->p, *Hdx = system->q;
    if (!(scale > 0.0) || !isfinite(scale))
        return 0;
    Transfer in = {system, r, packed->r, scale};
    each_node(&in, pack_nodes);
    for (int i = 0; i < system->n_interface; i++)
        system->small[i] = r[system->member[i]] / scale;
    CondSoftPackedSolve solve = {.cg = {.context = &system->arena.context,
                                        .goal = -1.0,
                                        .reduction = fmax(reduction, COND_SOFT_ROUND),
                                        .max_products = max_products - 1},
                                 .factor = system->S,
                                 .interface = system->small};
    CondStatus status = cond_soft_packed_solve(packed, &solve);
    if (status || solve.cg.failed)
        return (int)status;
    Transfer out = {system, dx, packed->x, scale};
    each_node(&out, unpack_nodes);
    for (int i = 0; i < system->n_interface; i++)
        dx[system->member[i]] = scale * system->small[i];
    cond_soft_system_multiply(system, dx, Hdx);
    Sweep step = {.a = dx, .b = Hdx, .y = x, .z = r};
    each(system, advance, &step);
    if (*goal < 0.0) {
        double part = reduction / solve.cg.reduction;
        *goal = part * part * scale * scale * solve.cg.goal;
    }
    return solve.cg.products + 1;
}

// z = weight a, on the nodes.
static void weigh_nodes(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    for (int i = first; i < last; i++) {
        double weight = cond_aggregation_weight(sweep->system->rest + 9 * (size_t)i);
        const double* ai = sweep->a + sweep->system->place[i];
        double* zi = sweep->z + sweep->system->place[i];
        for (int k = 0; k < 3; k++)
            zi[k] = weight * ai[k];
    }
}

// The square of the norm by which the iterations end.
static double measure(CondSoftSystem* system, const double* r)
{
    Sweep sweep = {.system = system, .a = r, .z = system->z};
    if (!system->packed.coarse.on) {
        precondition(system, r, system->z);
    } else {
        if (system->n_interface > 0)
            precondition_interface(system, r, system->z);
        cond_parallel(system->n_node, node_threads(system), weigh_nodes, &sweep);
    }
    return cond_dot(system->problem->n_dof, r, system->z, system->threads);
}

int cond_soft_system_solve(CondSoftSystem* system, double* r, double* x, double reduction,
                           int max_iterations)
{
    int products = 0;
    double goal = -1.0, last = INFINITY;
    Sweep start = {.y = x};
    each(system, clear, &start);
    int packed = system->deep || system->n_node >= system->pack_from;
    while (packed && products + 2 < max_iterations && !cond_cancelled(&system->arena.context)) {
        int count = solve_single(system, r, x, reduction, &goal, max_iterations - products);
        if (count < 0)
            return count;
        products += count;
        if (count == 0)
            break;
        double rz = measure(system, r);
        if (rz <= 4.0 * goal || products + 2 >= max_iterations)
            return products;
        if (!(4.0 * rz < last))
            break; // no better in single precision
        last = rz;
    }
    CondCgSystem wide = in_double(system, r, x);
    CondCg cg = {.context = &system->arena.context,
                 .goal = goal,
                 .reduction = reduction,
                 .max_products = max_iterations - products};
    cond_cg_solve(&wide, &cg);
    return cg.failed ? COND_DIVERGED : products + cg.products;
}

int cond_soft_system_solve_general(CondSoftSystem* system, double* r, double* x, double reduction,
                                   int max_products, double* work)
{
    CondCgSystem wide = in_double(system, r, x);
    Sweep start = {.y = x};
    each(system, clear, &start);
    return cond_bicgstab_solve(&wide, &system->arena.context, reduction, max_products, work);
}
