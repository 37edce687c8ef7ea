// V-FPI at the paper's stop, many iterations in one loop that a team of threads goes through
// together.
#include "vfpi/fused.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tiny.h"
#include "device/sum.h"
#include "linear/bsr3_product.h"
#include "problem/block.h"
#include "soft/soft_packed_kernel.h"
#include "vfpi/fused_kernel.h"
#include "vfpi/tuning.h"

#include <math.h>
#include <stddef.h>

// A range of items.
typedef struct Share {
    int first, last;
} Share;

// What a thread of the team has: its shares of the loops, and where v^l is.
typedef struct Worker {
    CondFused* f;
    CondTeam* team;
    int rank, size;
    const CondFusedKernel* kernel;
    const CondSoftPackedKernel* product;
    Share part, term, rest, row, far;
    double *v, *v_old;
    float *away, *away_next; // of v^l and v^{l+1} from v_0
    double* lambda;          // NULL: not asked for
} Worker;

// The first of n items before which a share of the work is done.
static int find_first(int n, const int* work, int rank, int size)
{
    long long before = (long long)work[n] * rank / size;
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (work[middle] < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Share share_work(int n, const int* work, const Worker* c)
{
    return (Share){find_first(n, work, c->rank, c->size),
                   c->rank + 1 < c->size ? find_first(n, work, c->rank + 1, c->size) : n};
}

static Share share_items(int n, const Worker* c)
{
    return (Share){cond_team_first(n, c->rank, c->size), cond_team_first(n, c->rank + 1, c->size)};
}

// Of the rest, whole partial sums; where W is more than a diagonal there, one thread has it all.
static int first_of_rest(const CondFused* f, int rank, int size)
{
    int at = find_first(f->n_rest, f->rest_work, rank, size) + COND_FUSED_BLOCK / 2;
    if (rank == size || f->W->ops->apply)
        return rank > 0 ? f->n_rest : 0;
    return at / COND_FUSED_BLOCK * COND_FUSED_BLOCK;
}

static Share share_rest(const Worker* c)
{
    int n = c->f->n_rest, first = first_of_rest(c->f, c->rank, c->size),
        last = first_of_rest(c->f, c->rank + 1, c->size);
    return (Share){first < n ? first : n, last < n ? last : n};
}

static Worker start_worker(CondFused* f, CondTeam* team, int rank, int size)
{
    Worker c = {.f = f, .team = team, .rank = rank, .size = size, .v = f->v, .v_old = f->v_old};
    c.kernel = cond_fused_kernel();
    c.product = cond_soft_packed_kernel();
    c.part = share_work(f->A.n_part, f->part_work, &c);
    c.term = share_work(f->nodal->n_term, f->term_work, &c);
    c.rest = share_rest(&c);
    c.row = share_items(f->A.n_node, &c);
    int near = f->near_begin[f->A.n_part];
    c.far = share_items(f->n_order / 4 - near, &c);
    c.far.first += near;
    c.far.last += near;
    c.away = f->A.p;
    c.away_next = f->A.x;
    return c;
}

static void wait(const Worker* c)
{
    cond_team_wait(c->team, c->size);
}

// The soft nodes of a thread, by their places.
static Share nodes_of(const Worker* c)
{
    const int* four = c->f->A.part_four;
    return (Share){4 * four[c->part.first], 4 * four[c->part.last]};
}

// From the usual order to that of the parts.
static void pack(const Worker* c, const double* from, double* to)
{
    const CondFused* f = c->f;
    Share node = nodes_of(c);
    for (int k = node.first; k < node.last; k++)
        for (int a = 0; a < 3 && f->origin[k] >= 0; a++)
            to[4 * k + a] = from[f->origin[k] + a];
    for (int k = c->rest.first; k < c->rest.last; k++)
        to[f->usual + f->rest[k]] = from[f->rest[k]];
}

// And back.
static void unpack(const Worker* c, const double* from, double* to)
{
    const CondFused* f = c->f;
    Share node = nodes_of(c);
    for (int k = node.first; k < node.last; k++)
        for (int a = 0; a < 3 && f->origin[k] >= 0; a++)
            to[f->origin[k] + a] = from[4 * k + a];
    for (int k = c->rest.first; k < c->rest.last; k++)
        to[f->rest[k]] = from[f->usual + f->rest[k]];
}

// v_0 = v, and with it b - A v_0 in double.
static void take_base(const Worker* c)
{
    const CondFused* f = c->f;
    const CondProblem* problem = f->nodal->problem;
    const double *b = problem->b, *v = c->v + f->usual;
    Share node = nodes_of(c);
    unpack(c, c->v, c->v + f->usual);
    for (int k = 4 * node.first; k < 4 * node.last; k++)
        f->base[k] = c->v[k];
    wait(c);
    for (int p = 0, before = 0; p < problem->n_block; p++) {
        const CondBlock* body = &problem->block[p];
        int first = c->row.first - before, last = c->row.last - before, at = body->dof_begin;
        if (body->kind != COND_BLOCK_BSR3)
            continue;
        before += body->n_dof / 3;
        first = first > 0 ? first : 0;
        last = last < body->n_dof / 3 ? last : body->n_dof / 3;
        if (first >= last)
            continue;
        CondBsr3Rows rows = {body->row_begin, body->column, body->values};
        cond_bsr3_rows(&rows, first, last, v + at, b + at, f->g + at);
        for (int i = first; i < last; i++)
            for (int a = 0; a < 3; a++)
                f->shift[f->place[at + 3 * i] + a] = -f->g[at + 3 * i + a];
    }
    wait(c);
}

// The terms' forces, and A v - b of the rest without them.
static void apply_terms(const Worker* c)
{
    const CondFused* f = c->f;
    const CondProblem* problem = f->nodal->problem;
    cond_nodal_term_forces(f->nodal, f->coordinate, c->v, c->term.first, c->term.last);
    if (c->rank == c->size - 1)
        cond_problem_multiply_others(problem, c->v + f->usual, problem->b, f->g, 1);
    if (f->n_rest > 0 || f->nodal->n_term > 0)
        wait(c);
}

// v* of the rest.
static void step_rest(const Worker* c)
{
    const CondFused* f = c->f;
    const CondNodal* nodal = f->nodal;
    const double *v = c->v + f->usual, *w = f->w + f->usual;
    double* plain = f->plain + f->usual;
    for (int k = c->rest.first; k < c->rest.last; k++) {
        int i = f->rest[k];
        f->g[i] = cond_nodal_add_forces(nodal, i, i < nodal->n_dof ? f->g[i] : 0.0);
        plain[i] = v[i] - w[i] * f->g[i];
    }
    if (f->W->ops->apply && c->rank == 0)
        cond_surrogate_apply_others(f->W, nodal, f->g, v, plain, 1);
}

static void solve_contacts(const Worker* c, int first, int last)
{
    cond_contact_sweep_run(&c->f->sweep, c->f->plain, c->lambda, first, last);
}

static CondFusedVectors soft_vectors(const Worker* c, int exact)
{
    const CondFused* f = c->f;
    return (CondFusedVectors){.v = c->v,
                              .w = f->w,
                              .shift = f->shift,
                              .base = f->base,
                              .v_old = c->v_old,
                              .plain = f->plain,
                              .Av = exact ? NULL : f->A.q,
                              .away = c->away_next};
}

// The numbers of a part.
static Share numbers_of(const CondFused* f, int part)
{
    return (Share){16 * f->A.part_four[part], 16 * f->A.part_four[part + 1]};
}

// v* = v - W (A v - b) of a part, and v** but for far contacts.
static void iterate_part(const Worker* c, const CondFusedVectors* x, int part)
{
    CondFused* f = c->f;
    Share number = numbers_of(f, part);
    if (x->Av)
        c->product->multiply(&f->A, part, part + 1, c->away, NULL, f->A.q);
    c->kernel->step(x, number.first, number.last);
    for (int k = f->touched_begin[part]; k < f->touched_begin[part + 1]; k++) {
        int i = f->touched[k], at = f->place[i];
        f->plain[at] -= f->w[at] * cond_nodal_add_forces(f->nodal, i, 0.0);
    }
    if (f->near_begin[part] < f->near_begin[part + 1])
        solve_contacts(c, f->near_begin[part], f->near_begin[part + 1]);
}

// v^{l+1} of a part from v**, and its share of |v^{l+1} - v^l|^2.
static void extend_part(const Worker* c, const CondFusedVectors* x, const CondChebyshev* chebyshev,
                        int part)
{
    Share n = numbers_of(c->f, part);
    c->f->sum[part] = chebyshev
                          ? c->kernel->extend(x, chebyshev->nu, chebyshev->under, n.first, n.last)
                          : c->kernel->take(x, n.first, n.last);
}

// The same of the rest.
static void extend_rest(const Worker* c, const CondChebyshev* chebyshev)
{
    const CondFused* f = c->f;
    for (int first = c->rest.first; first < c->rest.last; first += COND_FUSED_BLOCK) {
        int end = first + COND_FUSED_BLOCK < c->rest.last ? first + COND_FUSED_BLOCK : c->rest.last;
        double sum = 0.0;
        for (int k = first; k < end; k++) {
            int i = f->usual + f->rest[k];
            double v = c->v[i], old = c->v_old[i], next = f->plain[i];
            if (chebyshev)
                next = chebyshev->nu * (chebyshev->under * (next - v) + v - old) + old;
            sum += (next - v) * (next - v);
            c->v_old[i] = next;
        }
        f->sum[f->A.n_part + first / COND_FUSED_BLOCK] = sum;
    }
}

// v** and lambda from v (Alg. 1, lines 4-11), without far contacts; parts that these do not touch
// are extended at once.
static void iterate(const Worker* c, const CondFusedVectors* x, const CondChebyshev* chebyshev)
{
    const CondFused* f = c->f;
    apply_terms(c);
    for (int p = c->part.first; p < c->part.last; p++) {
        iterate_part(c, x, p);
        if (!f->late[p])
            extend_part(c, x, chebyshev, p);
    }
    step_rest(c);
    if (f->n_far > 0) {
        wait(c);
        solve_contacts(c, c->far.first, c->far.last);
        wait(c);
    }
}

// An iteration and its extension (Alg. 3): v^{l+1} becomes v^l. Returns |v^{l+1} - v^l|.
static double advance(Worker* c, int exact, const CondChebyshev* chebyshev)
{
    const CondFused* f = c->f;
    if (exact)
        take_base(c);
    CondFusedVectors x = soft_vectors(c, exact);
    iterate(c, &x, chebyshev);
    for (int p = c->part.first; p < c->part.last; p++)
        if (f->late[p])
            extend_part(c, &x, chebyshev, p);
    extend_rest(c, chebyshev);
    wait(c);
    double* v = c->v;
    float* away = c->away;
    c->v = c->v_old;
    c->v_old = v;
    c->away = c->away_next;
    c->away_next = away;
    return sqrt(cond_sum_total(f->n_sum, f->sum));
}

typedef struct Run {
    CondFused* f;
    CondFusedPass* pass;
    double *plain, *lambda; // of the last one
} Run;

static void iterate_all(void* data, CondTeam* team, int rank, int size)
{
    const Run* run = data;
    CondFusedPass* pass = run->pass;
    Worker c = start_worker(run->f, team, rank, size);
    CondChebyshev own = {0}, *chebyshev = pass->chebyshev ? &own : NULL;
    double length = 1.0, way = INFINITY; // from v_0, at most
    int l = 0, products = 0;
    unsigned before = cond_tiny_flush();
    if (chebyshev)
        own = *pass->chebyshev;
    pack(&c, pass->v, c.v);
    pack(&c, pass->v, c.v_old);
    if (c.f->based) {
        Share node = nodes_of(&c);
        for (int k = 4 * node.first; k < 4 * node.last; k++)
            c.away[k] = (float)(c.v[k] - c.f->base[k]);
        way = 0.0;
    }
    wait(&c);
    while (l < pass->max_iterations && !(l > 0 && length < pass->tolerance)) {
        int exact = way > COND_FUSED_FAR * length;
        if (chebyshev)
            cond_chebyshev_weigh(chebyshev);
        if (rank == 0) // read by all when they have met, and written again a meeting later
            c.f->cancelled[l % 2] = cond_cancelled(&c.f->arena.context);
        length = advance(&c, exact, chebyshev);
        way = (exact ? 0.0 : way) + length;
        if (chebyshev)
            cond_chebyshev_step(chebyshev, length);
        if (rank == 0)
            cond_history_add(pass->history, length);
        products++;
        l++;
        if (!isfinite(length) || c.f->cancelled[(l - 1) % 2])
            break;
    }
    unpack(&c, c.v, pass->v);
    cond_tiny_restore(before);
    if (rank == 0) {
        c.f->based = c.f->placed = isfinite(length); // else zeros may be none any more
        pass->iterations = l;
        pass->length = length;
        pass->products = products;
        if (chebyshev)
            *pass->chebyshev = own;
    }
}

static void finish(void* data, CondTeam* team, int rank, int size)
{
    const Run* run = data;
    Worker c = start_worker(run->f, team, rank, size);
    unsigned before = cond_tiny_flush();
    c.lambda = run->lambda;
    pack(&c, run->pass->v, c.v);
    take_base(&c);
    CondFusedVectors x = soft_vectors(&c, 1);
    iterate(&c, &x, NULL);
    unpack(&c, run->f->plain, run->plain);
    cond_tiny_restore(before);
}

static int team_of(const CondFused* f)
{
    return cond_threads(4 * 9 * (size_t)f->A.row_begin[f->A.n_four], f->threads);
}

void cond_fused_run(CondFused* f, CondFusedPass* pass)
{
    Run run = {.f = f, .pass = pass};
    cond_team(team_of(f), iterate_all, &run, __func__);
}

void cond_fused_finish(CondFused* f, double* v, double* plain, double* lambda)
{
    CondFusedPass pass = {.v = v};
    Run run = {.f = f, .pass = &pass, .plain = plain, .lambda = lambda};
    cond_team(team_of(f), finish, &run, __func__);
}
