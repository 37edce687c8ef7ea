#include "solve/flight.h"

#include "assemble/block.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "base/tiny.h"
#include "solve/flight_kernel.h"
#include "solve/tie_packed_kernel.h"

#include <math.h>
#include <stddef.h>

static const double FAR = 300.0; // steps of the way from v_0 that are too many

// A range of items.
typedef struct Share {
    int first, last;
} Share;

// What a thread of the team has: its shares of the loops, and where v^l is.
typedef struct Crew {
    CondFlight* f;
    CondTeam* team;
    int rank, size;
    const CondFlightKernel* kernel;
    const CondTiePackedKernel* product;
    Share part, term, touch, rest, rest_sum, row, contact;
    double *v, *v_old;
    const double* carry;
    double* lambda;
} Crew;

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

static Share share_work(int n, const int* work, const Crew* c)
{
    return (Share){find_first(n, work, c->rank, c->size),
                   c->rank + 1 < c->size ? find_first(n, work, c->rank + 1, c->size) : n};
}

static Share share_items(int n, const Crew* c)
{
    return (Share){cond_team_first(n, c->rank, c->size), cond_team_first(n, c->rank + 1, c->size)};
}

static Crew join_crew(CondFlight* f, CondTeam* team, int rank, int size)
{
    Crew c = {.f = f, .team = team, .rank = rank, .size = size, .v = f->v, .v_old = f->v_old};
    c.kernel = cond_flight_kernel();
    c.product = cond_tie_packed_kernel();
    c.part = share_work(f->A.n_part, f->part_work, &c);
    c.term = share_work(f->nodal->n_term, f->term_work, &c);
    c.touch = share_work(f->n_touched, f->touch_work, &c);
    c.rest = share_work(f->n_rest, f->rest_work, &c);
    c.rest_sum = share_items(f->n_sum - f->A.n_part, &c);
    c.row = share_items(f->A.n_node, &c);
    c.contact = share_items(cond_contact_sweep_parts(f->sweep), &c);
    return c;
}

static void wait(const Crew* c)
{
    cond_team_wait(c->team, c->size);
}

// The soft nodes of a thread, by their places.
static Share nodes_of(const Crew* c)
{
    const int* four = c->f->A.part_four;
    return (Share){4 * four[c->part.first], 4 * four[c->part.last]};
}

// Soft nodes from the usual order to the flight's, and the rest.
static void pack(const Crew* c, const double* from, double* to)
{
    const CondFlight* f = c->f;
    Share node = nodes_of(c);
    for (int k = node.first; k < node.last; k++)
        for (int a = 0; a < 3 && f->origin[k] >= 0; a++)
            to[f->soft_begin + 4 * k + a] = from[f->origin[k] + a];
    for (int k = c->rest.first; k < c->rest.last; k++)
        to[f->rest[k]] = from[f->rest[k]];
}

// And back.
static void unpack(const Crew* c, const double* from, double* to)
{
    const CondFlight* f = c->f;
    Share node = nodes_of(c);
    for (int k = node.first; k < node.last; k++)
        for (int a = 0; a < 3 && f->origin[k] >= 0; a++)
            to[f->origin[k] + a] = from[f->soft_begin + 4 * k + a];
    for (int k = c->rest.first; k < c->rest.last; k++)
        to[f->rest[k]] = from[f->rest[k]];
}

static CondFlightVectors soft_vectors(const Crew* c, int exact)
{
    const CondFlight* f = c->f;
    int begin = f->soft_begin;
    return (CondFlightVectors){.v = c->v + begin,
                               .w = f->w + begin,
                               .shift = f->shift + begin,
                               .base = f->base + begin,
                               .v_old = c->v_old + begin,
                               .plain = f->plain + begin,
                               .Av = exact ? NULL : f->A.q,
                               .away = f->A.p};
}

// v_0 = v, and with it b - A v_0 in double.
static void take_base(const Crew* c)
{
    const CondFlight* f = c->f;
    const double* b = f->nodal->problem->b;
    Share node = nodes_of(c);
    unpack(c, c->v, c->v); // v begins with the usual order
    for (int k = f->soft_begin + 4 * node.first; k < f->soft_begin + 4 * node.last; k++)
        f->base[k] = c->v[k];
    wait(c);
    for (int p = 0, before = 0; p < f->n_body; before += f->body[p++].n_row) {
        const CondBsr3Part* body = &f->body[p];
        int first = c->row.first - before, last = c->row.last - before, at = body->begin;
        first = first > 0 ? first : 0;
        last = last < body->n_row ? last : body->n_row;
        if (first >= last)
            continue;
        cond_bsr3_rows(&body->rows, first, last, c->v + at, b + at, f->g + at);
        for (int i = first; i < last; i++)
            for (int a = 0; a < 3; a++)
                f->shift[f->place[at + 3 * i] + a] = -f->g[at + 3 * i + a];
    }
    wait(c);
}

// v* = v - W (A v - b) of soft bodies, but for what the terms do; their forces; A v - b of the
// rest.
static void multiply(const Crew* c, int exact)
{
    CondFlight* f = c->f;
    const CondProblem* problem = f->nodal->problem;
    CondFlightVectors x = soft_vectors(c, exact);
    for (int p = c->part.first; p < c->part.last; p++) {
        if (!exact)
            c->product->multiply(&f->A, p, p + 1, f->A.p, NULL, f->A.q);
        c->kernel->step(&x, 16 * f->A.part_four[p], 16 * f->A.part_four[p + 1]);
    }
    cond_nodal_term_forces(f->nodal, f->coordinate, c->v, c->term.first, c->term.last);
    if (c->rank == c->size - 1)
        cond_problem_multiply_others(problem, c->v, problem->b, f->g, 1);
    wait(c);
}

// The terms' forces; v* of the rest.
static void add_terms(const Crew* c)
{
    const CondFlight* f = c->f;
    const CondNodal* nodal = f->nodal;
    int diagonal = f->W->ops->apply == NULL;
    for (int k = c->touch.first; k < c->touch.last; k++) {
        int i = f->touched[k], at = f->place[i];
        f->plain[at] -= f->w[at] * cond_nodal_add_forces(nodal, i, 0.0);
    }
    Share rest = diagonal ? c->rest : c->rank == 0 ? (Share){0, f->n_rest} : (Share){0, 0};
    for (int k = rest.first; k < rest.last; k++) {
        int i = f->rest[k];
        f->g[i] = cond_nodal_add_forces(nodal, i, i < nodal->n_dof ? f->g[i] : 0.0);
        f->plain[i] = c->v[i] - f->w[i] * f->g[i];
    }
    if (!diagonal && c->rank == 0)
        cond_surrogate_apply_others(f->W, nodal, f->g, c->v, f->plain, 1);
    wait(c);
}

// v** and lambda from v (Alg. 1, lines 4-11).
static void iterate(const Crew* c, int exact)
{
    const CondFlight* f = c->f;
    if (exact)
        take_base(c);
    multiply(c, exact);
    add_terms(c);
    cond_contact_sweep_run_parts(f->sweep, c->carry, f->plain, c->lambda, c->contact.first,
                                 c->contact.last);
    wait(c);
}

// v^{l+1} of the rest, in the place of v^{l-1}; returns |v^{l+1} - v^l|^2.
static double extend_rest(const Crew* c, const CondChebyshev* chebyshev, int first, int last)
{
    const CondFlight* f = c->f;
    double sum = 0.0;
    for (int k = first; k < last; k++) {
        int i = f->rest[k];
        double v = c->v[i], old = c->v_old[i], next = f->plain[i];
        if (chebyshev)
            next = chebyshev->nu * (chebyshev->under * (next - v) + v - old) + old;
        sum += (next - v) * (next - v);
        c->v_old[i] = next;
    }
    return sum;
}

// v^{l+1} from v** (Alg. 3), which becomes v^l; returns |v^{l+1} - v^l|.
static double extend(Crew* c, const CondChebyshev* chebyshev)
{
    const CondFlight* f = c->f;
    CondFlightVectors x = soft_vectors(c, 0);
    for (int p = c->part.first; p < c->part.last; p++) {
        int first = 16 * f->A.part_four[p], last = 16 * f->A.part_four[p + 1];
        f->sum[p] = chebyshev ? c->kernel->extend(&x, chebyshev->nu, chebyshev->under, first, last)
                              : c->kernel->take(&x, first, last);
    }
    for (int k = c->rest_sum.first; k < c->rest_sum.last; k++) {
        int first = k * COND_FLIGHT_REST, end = first + COND_FLIGHT_REST;
        f->sum[f->A.n_part + k] =
            extend_rest(c, chebyshev, first, end < f->n_rest ? end : f->n_rest);
    }
    wait(c);
    double* v = c->v;
    c->v = c->v_old;
    c->v_old = v;
    return sqrt(cond_sum_total(f->n_sum, f->sum));
}

typedef struct Flight {
    CondFlight* f;
    CondFlightPass* pass;
    double* plain; // landing
} Flight;

static void fly(void* data, CondTeam* team, int rank, int size)
{
    const Flight* flight = data;
    CondFlightPass* pass = flight->pass;
    Crew c = join_crew(flight->f, team, rank, size);
    CondChebyshev own = {0}, *chebyshev = pass->chebyshev ? &own : NULL;
    double length = 1.0, way = INFINITY; // from v_0, at most
    int l = 0, products = 0;
    unsigned before = cond_tiny_flush();
    if (chebyshev)
        own = *pass->chebyshev;
    c.carry = pass->carry;
    c.lambda = pass->lambda;
    pack(&c, pass->v, c.v);
    pack(&c, pass->v, c.v_old);
    wait(&c);
    while (l < pass->max_iterations && !(l > 0 && length < pass->tolerance)) {
        int exact = way > FAR * length;
        iterate(&c, exact);
        if (chebyshev)
            cond_chebyshev_weigh(chebyshev);
        length = extend(&c, chebyshev);
        way = (exact ? 0.0 : way) + length;
        if (chebyshev)
            cond_chebyshev_step(chebyshev, length);
        if (rank == 0)
            pass->history[l] = length;
        products++;
        l++;
        if (!isfinite(length))
            break;
    }
    unpack(&c, c.v, pass->v);
    cond_tiny_restore(before);
    if (rank == 0) {
        pass->iterations = l;
        pass->products = products;
        if (chebyshev)
            *pass->chebyshev = own;
    }
}

static void land(void* data, CondTeam* team, int rank, int size)
{
    const Flight* flight = data;
    Crew c = join_crew(flight->f, team, rank, size);
    unsigned before = cond_tiny_flush();
    c.carry = flight->pass->carry;
    c.lambda = flight->pass->lambda;
    pack(&c, flight->pass->v, c.v);
    wait(&c);
    iterate(&c, 1);
    unpack(&c, flight->f->plain, flight->plain);
    cond_tiny_restore(before);
}

static int team_of(const CondFlight* f)
{
    return cond_threads(36 * (size_t)f->A.row_begin[f->A.n_four], f->threads);
}

void cond_flight_run(CondFlight* f, CondFlightPass* pass)
{
    Flight flight = {.f = f, .pass = pass};
    cond_team(team_of(f), fly, &flight);
}

void cond_flight_land(CondFlight* f, const double* carry, double* v, double* plain, double* lambda)
{
    CondFlightPass pass = {.carry = carry, .v = v, .lambda = lambda};
    Flight flight = {.f = f, .pass = &pass, .plain = plain};
    cond_team(team_of(f), land, &flight);
}
