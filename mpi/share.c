// Builds one rank's share of a problem, and its products and sums over ranks (share.h).
#include "share.h"

#include "problem/block.h"
#include "problem/side.h"
#include "problem/term.h"

#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&share->arena, share->array, count)

// ---- which coordinates are here

static int is_here(const CondMpiShare* share, int i)
{
    int l = share->local[i];
    return l >= 0 && l < share->n_own;
}

static int any_here(const CondMpiShare* share, int n, const int* coordinate)
{
    for (int k = 0; k < n; k++)
        if (is_here(share, coordinate[k]))
            return 1;
    return 0;
}

static int has_contact(const CondMpiShare* share, const CondContact* contact)
{
    return any_here(share, contact->side[0].n_coordinate, contact->side[0].coordinate) ||
           any_here(share, contact->side[1].n_coordinate, contact->side[1].coordinate);
}

// Own coordinates in the order that share.h says.
static void number_own(CondMpiShare* share, const CondMpiDeal* deal)
{
    const CondProblem* whole = share->whole;
    int me = share->world->rank, n = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (int b = 0; b < whole->n_block; b++) {
            const CondBlock* block = &whole->block[b];
            int blocked = block->kind == COND_BLOCK_BSR3;
            for (int i = block->dof_begin; i < block->dof_begin + block->n_dof; i++) {
                int kind = !deal->node[i] ? 2 : !blocked;
                if (deal->owner[i] == me && kind == pass) {
                    share->local[i] = n;
                    share->global[n++] = i;
                }
            }
        }
        share->n_blocked = pass == 0 ? n / 3 : share->n_blocked;
        share->n_node = pass == 1 ? n / 3 : share->n_node;
    }
    share->n_own = n;
}

enum { ABSENT = -1, WANTED = -2 };

static void want(CondMpiShare* share, const CondMpiDeal* deal, int i)
{
    for (int k = deal->unit[i]; k < deal->n_dof && deal->unit[k] == deal->unit[i]; k++)
        if (share->local[k] == ABSENT)
            share->local[k] = WANTED;
}

static void want_all(CondMpiShare* share, const CondMpiDeal* deal, int n, const int* coordinate)
{
    for (int k = 0; k < n; k++)
        want(share, deal, coordinate[k]);
}

// What own rows, couplings and contacts read of others.
static void want_copies(CondMpiShare* share, const CondMpiDeal* deal)
{
    const CondProblem* whole = share->whole;
    for (int b = 0; b < whole->n_block; b++) {
        const CondBlock* block = &whole->block[b];
        int bsr = block->kind == COND_BLOCK_BSR3, j;
        for (int i = 0; i < block->n_dof; i += bsr ? 3 : 1) {
            if (!is_here(share, block->dof_begin + i))
                continue;
            int size = bsr ? block->row_begin[i / 3 + 1] - block->row_begin[i / 3]
                           : cond_block_row_size(block, i);
            for (int k = 0; k < size; k++) {
                if (bsr)
                    j = 3 * block->column[block->row_begin[i / 3] + k];
                else
                    cond_block_entry(block, i, k, &j);
                want(share, deal, block->dof_begin + j);
            }
        }
    }
    for (int k = 0; k < whole->n_coupling; k++) {
        const CondCoupling* c = &whole->coupling[k];
        if (any_here(share, c->n_coordinate, c->coordinate))
            want_all(share, deal, c->n_coordinate, c->coordinate);
    }
    for (int c = 0; c < whole->n_contact; c++) {
        const CondContact* contact = &whole->contact[c];
        for (int s = 0; s < 2 && has_contact(share, contact); s++)
            want_all(share, deal, contact->side[s].n_coordinate, contact->side[s].coordinate);
    }
}

// Copies behind the own coordinates, by ascending owner.
static CondStatus number_copies(CondMpiShare* share, const CondMpiDeal* deal)
{
    int size = share->world->size, n = 0, *begin = share->begins;
    memset(share->lengths, 0, (size_t)size * sizeof *share->lengths);
    for (int i = 0; i < deal->n_dof; i++)
        if (share->local[i] == WANTED) {
            share->lengths[deal->owner[i]]++;
            n++;
        }
    if (RESERVE(copy, n + 1) || RESERVE(copy_owner, n + 1))
        return COND_OUT_OF_MEMORY;
    begin[0] = 0;
    for (int r = 0; r + 1 < size; r++)
        begin[r + 1] = begin[r] + share->lengths[r];
    for (int i = 0; i < deal->n_dof; i++)
        if (share->local[i] == WANTED) {
            int k = begin[deal->owner[i]]++;
            share->copy[k] = i;
            share->copy_owner[k] = deal->owner[i];
            share->local[i] = share->n_own + k;
            share->global[share->n_own + k] = i;
        }
    share->problem.n_dof = share->n_own + n;
    share->world->copies = n;
    return cond_mpi_halo_plan(&share->halo, share->world, share->n_own, n, share->copy,
                              share->copy_owner, share->local);
}

// ---- rows of A

// Rows of nodes whose blocks stand in the problem; with `fill` the columns, else their number.
static int list_blocked(CondMpiShare* share, int fill)
{
    const CondProblem* whole = share->whole;
    int size = 0, row = 0;
    for (int b = 0; b < whole->n_block; b++) {
        const CondBlock* block = &whole->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        for (int i = 0; i < block->n_dof / 3; i++) {
            if (!is_here(share, block->dof_begin + 3 * i))
                continue;
            int first = block->row_begin[i], last = block->row_begin[i + 1];
            if (fill) {
                share->row_begin[row] = size;
                share->value[row] = block->values + 9 * (size_t)first;
                share->position[row] = block->position ? block->position + 3 * (size_t)i : NULL;
                for (int k = first; k < last; k++)
                    share->column[size + k - first] =
                        share->local[block->dof_begin + 3 * block->column[k]];
                row++;
            }
            size += last - first;
        }
    }
    if (fill)
        share->row_begin[row] = size;
    return size;
}

// The same of all other own coordinates, in their order here.
static int list_rows(CondMpiShare* share, const CondMpiDeal* deal, int fill)
{
    const CondProblem* whole = share->whole;
    int size = 0;
    for (int pass = 1; pass < 3; pass++)
        for (int b = 0; b < whole->n_block; b++) {
            const CondBlock* block = &whole->block[b];
            for (int i = 0; i < block->n_dof && block->kind != COND_BLOCK_BSR3; i++) {
                int at = block->dof_begin + i, j;
                if (!is_here(share, at) || (deal->node[at] ? 1 : 2) != pass)
                    continue;
                int count = cond_block_row_size(block, i);
                if (fill)
                    share->rows.begin[share->local[at] - 3 * share->n_blocked] = size;
                for (int k = 0; k < count && fill; k++) {
                    share->rows.value[size + k] = cond_block_entry(block, i, k, &j);
                    share->rows.column[size + k] = share->local[block->dof_begin + j];
                }
                size += count;
            }
        }
    if (fill)
        share->rows.begin[share->n_own - 3 * share->n_blocked] = size;
    return size;
}

static CondStatus take_rows(CondMpiShare* share, const CondMpiDeal* deal)
{
    int blocks = list_blocked(share, 0), numbers = list_rows(share, deal, 0);
    int n_row = share->n_own - 3 * share->n_blocked;
    if (RESERVE(row_begin, share->n_blocked + 1) || RESERVE(column, blocks + 1) ||
        RESERVE(value, share->n_blocked + 1) || RESERVE(position, share->n_node + 1) ||
        RESERVE(rows.begin, n_row + 1) || RESERVE(rows.column, numbers + 1) ||
        RESERVE(rows.value, numbers + 1))
        return COND_OUT_OF_MEMORY;
    list_blocked(share, 1);
    list_rows(share, deal, 1);
    for (int i = share->n_blocked; i < share->n_node; i++)
        share->position[i] = NULL;
    return COND_OK;
}

static void multiply(void* data, const double* x, double* y)
{
    const CondMpiShare* share = data;
    for (int i = 0; i < share->n_blocked; i++) {
        const double* a = share->value[i];
        double s0 = 0.0, s1 = 0.0, s2 = 0.0;
        for (int k = share->row_begin[i]; k < share->row_begin[i + 1]; k++, a += 9) {
            const double* p = x + share->column[k];
            s0 += a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
            s1 += a[3] * p[0] + a[4] * p[1] + a[5] * p[2];
            s2 += a[6] * p[0] + a[7] * p[1] + a[8] * p[2];
        }
        y[3 * i] = s0, y[3 * i + 1] = s1, y[3 * i + 2] = s2;
    }
    for (int i = 3 * share->n_blocked, row = 0; i < share->n_own; i++, row++) {
        y[i] = 0.0;
        for (int k = share->rows.begin[row]; k < share->rows.begin[row + 1]; k++)
            y[i] += share->rows.value[k] * x[share->rows.column[k]];
    }
    for (int i = share->n_own; i < share->problem.n_dof; i++)
        y[i] = 0.0;
    for (int i = 0; i < share->problem.n_coupling; i++) { // what falls on copies counts elsewhere
        CondTerm term = cond_term_coupling(&share->problem.coupling[i]);
        cond_term_multiply(&term, x, y);
    }
}

static void sum_rows(void* data, double* sum)
{
    const CondMpiShare* share = data;
    for (int i = 0; i < share->problem.n_dof; i++)
        sum[i] = 0.0;
    for (int i = 0; i < share->n_blocked; i++) {
        int n = share->row_begin[i + 1] - share->row_begin[i];
        for (int k = 0; k < 9 * n; k++)
            sum[3 * i + k % 9 / 3] += fabs(share->value[i][k]);
    }
    for (int i = 3 * share->n_blocked, row = 0; i < share->n_own; i++, row++)
        for (int k = share->rows.begin[row]; k < share->rows.begin[row + 1]; k++)
            sum[i] += fabs(share->rows.value[k]);
}

// diag(A), couplings included.
static void take_diagonal(CondMpiShare* share)
{
    double* d = share->diagonal;
    memset(d, 0, (size_t)share->problem.n_dof * sizeof *d);
    for (int i = 0; i < share->n_blocked; i++)
        for (int k = share->row_begin[i]; k < share->row_begin[i + 1]; k++)
            for (int r = 0; r < 3 && share->column[k] == 3 * i; r++)
                d[3 * i + r] = share->value[i][9 * (k - share->row_begin[i]) + 4 * r];
    for (int i = 3 * share->n_blocked, row = 0; i < share->n_own; i++, row++)
        for (int k = share->rows.begin[row]; k < share->rows.begin[row + 1]; k++)
            if (share->rows.column[k] == i)
                d[i] += share->rows.value[k];
    for (int i = 0; i < share->problem.n_coupling; i++) {
        CondTerm term = cond_term_coupling(&share->problem.coupling[i]);
        for (int k = 0; k < term.n_entry; k++)
            if (term.coordinate[k] < share->n_own)
                d[term.coordinate[k]] += cond_term_entry(&term, k, k);
    }
    cond_mpi_halo_exchange(&share->halo, d);
}

// ---- couplings and contacts

static const int* place(const CondMpiShare* share, int n, const int* from, int** pool)
{
    int* to = *pool;
    for (int k = 0; k < n; k++)
        to[k] = share->local[from[k]];
    *pool += n;
    return to;
}

static CondStatus take_terms(CondMpiShare* share, const CondMpiDeal* deal)
{
    const CondProblem* whole = share->whole;
    int n_coupling = 0, n_contact = 0, size = 0;
    for (int k = 0; k < whole->n_coupling; k++)
        if (any_here(share, whole->coupling[k].n_coordinate, whole->coupling[k].coordinate)) {
            size += whole->coupling[k].n_coordinate;
            n_coupling++;
        }
    for (int c = 0; c < whole->n_contact; c++)
        if (has_contact(share, &whole->contact[c])) {
            size += whole->contact[c].side[0].n_coordinate + whole->contact[c].side[1].n_coordinate;
            n_contact++;
        }
    if (RESERVE(coupling, n_coupling + 1) || RESERVE(contact, n_contact + 1) ||
        RESERVE(coordinate, size + 1) || RESERVE(number, n_contact + 1) ||
        RESERVE(counted, n_contact + 1) || RESERVE(delassus, n_contact + 1) ||
        RESERVE(compliance, n_contact + 1) || RESERVE(carried, n_contact + 1))
        return COND_OUT_OF_MEMORY;
    int* pool = share->coordinate;
    n_coupling = n_contact = 0;
    for (int k = 0; k < whole->n_coupling; k++) {
        CondCoupling one = whole->coupling[k];
        if (!any_here(share, one.n_coordinate, one.coordinate))
            continue;
        one.coordinate = place(share, one.n_coordinate, one.coordinate, &pool);
        share->coupling[n_coupling++] = one;
    }
    for (int c = 0; c < whole->n_contact; c++) {
        CondContact one = whole->contact[c];
        if (!has_contact(share, &one))
            continue;
        share->number[n_contact] = c;
        share->counted[n_contact] = deal->owner[one.side[0].coordinate[0]] == share->world->rank;
        for (int s = 0; s < 2; s++)
            one.side[s].coordinate =
                place(share, one.side[s].n_coordinate, one.side[s].coordinate, &pool);
        share->contact[n_contact++] = one;
    }
    share->problem.n_coupling = n_coupling;
    share->problem.coupling = share->coupling;
    share->problem.n_contact = n_contact;
    share->problem.contact = share->contact;
    return COND_OK;
}

// Scales of the contacts. Which sides are virtual depends on the order of all contacts.
static CondStatus take_scales(CondMpiShare* share)
{
    const CondProblem* whole = share->whole;
    int finite = 0;
    share->bounded = 0;
    for (int c = 0; c < whole->n_contact; c++) {
        finite |= isfinite(whole->contact[c].kv);
        share->bounded |= whole->contact[c].set == COND_FORCE_INTERVAL;
    }
    if (RESERVE(sides, whole->n_contact + 1))
        return COND_OUT_OF_MEMORY;
    if (finite && cond_problem_virtual_sides(&share->arena.context, whole, share->sides))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < share->problem.n_contact; c++) {
        const CondContact* contact = &share->contact[c];
        share->delassus[c] = cond_contact_delassus(contact, share->diagonal);
        share->compliance[c] =
            isfinite(contact->kv) ? share->sides[share->number[c]] / contact->kv : 0.0;
        share->carried[c] = 0;
    }
    return COND_OK;
}

// ---- what crosses

static void exchange(void* data, double* x)
{
    CondMpiShare* share = data;
    cond_mpi_halo_exchange(&share->halo, x);
}

enum { MOST_GATHERED = 512 }; // bytes of a rank

static const void* gather(void* data, size_t bytes, const void* mine)
{
    CondMpiShare* share = data;
    CondMpiWorld* world = share->world;
    MPI_Allgather(mine, (int)bytes, MPI_BYTE, share->gathered, (int)bytes, MPI_BYTE, world->comm);
    world->count.gathers += 1.0;
    world->count.gather_bytes += (double)bytes;
    return share->gathered;
}

void cond_mpi_spread(CondMpiWorld* world, int n, const int* owner, double* spread, int* lengths,
                     int* begins, double* x)
{
    int size = world->size, me = world->rank;
    memset(lengths, 0, (size_t)size * sizeof *lengths);
    for (int i = 0; i < n; i++)
        lengths[owner[i]]++;
    begins[0] = 0;
    for (int r = 0; r + 1 < size; r++)
        begins[r + 1] = begins[r] + lengths[r];
    for (int i = 0, k = begins[me]; i < n; i++)
        if (owner[i] == me)
            spread[k++] = x[i];
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, spread, lengths, begins, MPI_DOUBLE,
                   world->comm);
    world->count.spreads += 1.0;
    world->count.spread_bytes += (double)sizeof(double) * lengths[me];
    for (int i = 0; i < n; i++)
        x[i] = spread[begins[owner[i]]++];
}

// ---- the whole

static CondStatus begin(CondMpiShare* share, const CondMpiDeal* deal)
{
    int n = share->whole->n_dof, size = share->world->size;
    char* gathered = share->gathered;
    if (RESERVE(global, n + 1) || RESERVE(local, n + 1) || RESERVE(lengths, size) ||
        RESERVE(begins, size) ||
        cond_arena_reserve(&share->arena, &gathered, MOST_GATHERED * size, 1))
        return COND_OUT_OF_MEMORY;
    share->gathered = gathered;
    for (int i = 0; i < n; i++)
        share->local[i] = ABSENT;
    number_own(share, deal);
    return COND_OK;
}

CondStatus cond_mpi_share_take(CondMpiShare* share, CondMpiWorld* world, const CondMpiDeal* deal,
                               const CondProblem* whole)
{
    share->world = world;
    share->whole = whole;
    share->halo.arena.context = share->arena.context;
    share->problem = (CondProblem){.b = NULL};
    CondStatus status = begin(share, deal);
    if (status)
        return status;
    want_copies(share, deal);
    status = number_copies(share, deal);
    if (!status)
        status = take_rows(share, deal);
    if (!status)
        status = take_terms(share, deal);
    int n = share->problem.n_dof;
    if (status || RESERVE(diagonal, 2 * n + 1))
        return status ? status : COND_OUT_OF_MEMORY;
    double* b = share->diagonal + n;
    for (int i = 0; i < n; i++)
        b[i] = whole->b[share->global[i]];
    share->problem.b = b;
    world->neighbours = share->halo.n_out;
    take_diagonal(share);
    share->ranks = (CondRanks){.n_rank = world->size,
                               .n_own = share->n_own,
                               .contact = share->number,
                               .counted = share->counted,
                               .data = share,
                               .multiply = multiply,
                               .sum_rows = sum_rows,
                               .exchange = exchange,
                               .gather = gather};
    return take_scales(share);
}

void cond_mpi_share_enter(const CondMpiShare* share, const double* v, const double* lambda,
                          double* own_v, double* own_lambda)
{
    for (int i = 0; i < share->problem.n_dof; i++)
        own_v[i] = v[share->global[i]];
    for (int c = 0; c < share->problem.n_contact; c++)
        memcpy(own_lambda + 3 * (size_t)c, lambda + 3 * (size_t)share->number[c],
               3 * sizeof *lambda);
}

CondStatus cond_mpi_share_leave(CondMpiShare* share, const CondMpiDeal* deal, const double* own_v,
                                const double* own_lambda, double* v, double* lambda)
{
    const CondProblem* whole = share->whole;
    int n = whole->n_dof, nc = whole->n_contact;
    if (RESERVE(spread, n > 3 * nc ? n : 3 * nc) || RESERVE(sides, 3 * nc))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < share->n_own; i++)
        v[share->global[i]] = own_v[i];
    cond_mpi_spread(share->world, n, deal->owner, share->spread, share->lengths, share->begins, v);
    for (int c = 0; c < share->problem.n_contact; c++)
        memcpy(lambda + 3 * (size_t)share->number[c], own_lambda + 3 * (size_t)c,
               3 * sizeof *lambda);
    for (int k = 0; k < 3 * nc; k++)
        share->sides[k] = deal->owner[whole->contact[k / 3].side[0].coordinate[0]];
    cond_mpi_spread(share->world, 3 * nc, share->sides, share->spread, share->lengths,
                    share->begins, lambda);
    return COND_OK;
}

void cond_mpi_share_destroy(CondMpiShare* share)
{
    cond_mpi_halo_destroy(&share->halo);
    cond_arena_release(&share->arena);
}
