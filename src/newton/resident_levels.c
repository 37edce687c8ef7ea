// The coarse levels of the resident method.
#include "base/memory.h"
#include "base/timer.h"
#include "newton/resident_part.h"
#include "soft/aggregation_part.h"

#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&r->arena, r->array, count)
#define ROOM(buffers, field, n)                                                                    \
    ((field) = cond_resident_room(r, &r->buffers, (size_t)(n) * sizeof *(field)))
#define PUT(buffers, field, from, n)                                                               \
    ((field) = cond_resident_put(r, &r->buffers, from, (size_t)(n) * sizeof *(field)))

// An array of the host, or one of the device in its place.
#define ALIAS(buffers, field, host, n)                                                             \
    ((field) =                                                                                     \
         r->apart ? cond_resident_room(r, &r->buffers, (size_t)(n) * sizeof *(field)) : (host))

static int slot_of(const CondLevel* level, int g, int h)
{
    int at = level->row_begin[g];
    while (level->column[at] != h)
        at++;
    return at;
}

// Where the fine blocks of each block go: counts, then offsets.
static void make_offsets(int n, int* begin)
{
    int sum = 0;
    for (int k = 0; k <= n; k++) {
        int count = k < n ? begin[k] : 0;
        begin[k] = sum;
        sum += count;
    }
}

// The first block of each body in A as it is on the device, and that of each of its rows.
static int first_block(const CondProblem* problem, int body)
{
    int first = 0;
    for (int b = 0; b < body; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3)
            first += problem->block[b].row_begin[problem->block[b].n_dof / 3];
    return first;
}

// Fine blocks of the first level; with `place` they are put where `next` says.
static void list_first(CondResident* r, const CondSoftSystem* system, int place)
{
    const CondSoftPacked* packed = &system->packed;
    const CondAggregation* coarse = &packed->coarse;
    for (int g = 0, body = -1, offset = 0; g < coarse->n_group; g++) {
        const CondBlock* block = &system->problem->block[coarse->group_body[g]];
        int first = coarse->group_node[g];
        if (coarse->group_body[g] != body) {
            body = coarse->group_body[g];
            offset = first_block(system->problem, body);
        }
        for (int p = cond_aggregation_place(packed, g); p < cond_aggregation_place(packed, g + 1);
             p++) {
            int node = packed->order[p];
            if (node < 0)
                continue;
            for (int k = block->row_begin[node - first]; k < block->row_begin[node - first + 1];
                 k++) {
                int at = slot_of(coarse->level, g, coarse->node_group[first + block->column[k]]);
                if (place)
                    r->fine[r->next[at]++] = (CondFineBlock){node, offset + k};
                else
                    r->fine_begin[at]++;
            }
        }
    }
}

static void list_next(CondResident* r, const CondLevel* fine, int place)
{
    for (int g = 0; g < fine->n_group; g++)
        for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
            int i = fine->member[m];
            for (int k = fine->row_begin[i]; k < fine->row_begin[i + 1]; k++) {
                int at = slot_of(fine + 1, g, fine->group[fine->column[k]]);
                if (place)
                    r->fine[r->next[at]++] = (CondFineBlock){i, k};
                else
                    r->fine_begin[at]++;
            }
        }
}

static void list_blocks(CondResident* r, const CondSoftSystem* system, int l, int place)
{
    if (l == 0)
        list_first(r, system, place);
    else
        list_next(r, &system->packed.coarse.level[l - 1], place);
}

static void lay_out_level(CondResident* r, CondSoftSystem* system, int l)
{
    CondAggregation* coarse = &system->packed.coarse;
    CondLevel* level = &coarse->level[l];
    CondCoarseView* view = &r->level[l];
    int n = level->n_node, nnz = level->row_begin[n], last = l + 1 == coarse->n_level;
    if (RESERVE(fine_begin, nnz + 1) || RESERVE(next, nnz + 1) || RESERVE(block_row, nnz)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    memset(r->fine_begin, 0, ((size_t)nnz + 1) * sizeof *r->fine_begin);
    list_blocks(r, system, l, 0);
    make_offsets(nnz, r->fine_begin);
    memcpy(r->next, r->fine_begin, (size_t)nnz * sizeof *r->next);
    int n_fine = r->fine_begin[nnz];
    if (RESERVE(fine, n_fine)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    list_blocks(r, system, l, 1);
    for (int g = 0; g < n; g++)
        for (int k = level->row_begin[g]; k < level->row_begin[g + 1]; k++)
            r->block_row[k] = g;
    r->nnz[l] = nnz;
    view->n = n;
    view->dense = last;
    view->stride = coarse->stride;
    PUT(of_levels, view->level_begin, level->row_begin, n + 1);
    PUT(of_levels, view->level_column, level->column, nnz);
    PUT(of_levels, view->block_row, r->block_row, nnz);
    PUT(of_levels, view->fine_begin, r->fine_begin, nnz + 1);
    PUT(of_levels, view->fine, r->fine, n_fine);
    ALIAS(of_levels, r->arm[l], level->arm, 3 * n);
    if (last) {
        ALIAS(of_levels, view->matrix, coarse->matrix, coarse->n * coarse->stride);
        ALIAS(of_levels, r->inverse, coarse->inverse, coarse->n * coarse->wide);
        return;
    }
    ROOM(of_levels, view->own, 36 * n);
    ALIAS(of_levels, view->level_A, level->A, 36 * (size_t)nnz + 2);
    ALIAS(of_levels, view->level_D, level->D, 36 * (size_t)n + 2);
    ROOM(of_levels, r->x[l], 8 * n);
    ROOM(of_levels, r->y[l], 8 * n);
}

// What the correction has of the nodes; on the host its own arrays.
static void make_room(CondResident* r, CondAggregation* coarse)
{
    CondCoarseView* a = &r->coarse;
    int places = a->n_place;
    r->of_coarse.next = 0;
    a->n_group = coarse->n_group;
    a->levels = coarse->n_level > 1;
    PUT(of_coarse, a->group_begin, coarse->group_begin, coarse->n_group + 1);
    PUT(of_coarse, a->part_group, coarse->part_group, a->n_part);
    ALIAS(of_coarse, a->frame, coarse->frame, 8 * (size_t)places);
    ALIAS(of_coarse, a->rows, coarse->rows, 24 * (size_t)places);
    ALIAS(of_coarse, a->held, coarse->held, places);
    ALIAS(of_coarse, a->held_then, coarse->held_then, places);
    ALIAS(of_coarse, a->changed, coarse->changed, places);
    ALIAS(of_coarse, a->skew, coarse->skew, places);
    ALIAS(of_coarse, a->n_skew, coarse->n_skew, a->n_part);
    ROOM(of_coarse, a->skewed, places);
    ROOM(of_coarse, a->near_change, places);
    ROOM(of_coarse, a->due, a->n_group);
    ROOM(of_coarse, a->skew_begin, a->n_part + 1);
    ROOM(of_coarse, a->skew_place, places);
    ROOM(of_coarse, a->skew_rows, 24 * (size_t)places);
    ROOM(of_coarse, a->middle, 3 * (size_t)a->n_group);
    a->A = r->linear.v.A;
    a->rest = r->linear.rest;
}

// Cells of each join and of each group.
static void put_cells(CondResident* r, const CondSoftPacked* packed)
{
    const CondAggregation* coarse = &packed->coarse;
    CondJoinView* j = &r->joins;
    int nj = packed->n_join, nc = packed->n_cell, ng = coarse->n_group;
    j->n_join = nj;
    j->n_cell = nc;
    if (nj == 0)
        return;
    if (RESERVE(list, nj + 2 + 2 * nc + ng + 1)) {
        r->status = COND_OUT_OF_MEMORY;
        return;
    }
    int *begin = r->list, *cell = begin + nj + 2, *group = cell + nc, *group_cell = group + nc;
    memset(begin, 0, ((size_t)nj + 2) * sizeof *begin);
    for (int c = 0; c < nc; c++)
        begin[packed->share[packed->cell_begin[c]].join + 2]++;
    for (int k = 0; k < nj; k++)
        begin[k + 2] += begin[k + 1];
    for (int c = 0; c < nc; c++)
        cell[begin[packed->share[packed->cell_begin[c]].join + 1]++] = c;
    for (int g = 0; g <= ng; g++)
        group_cell[g] = packed->part_cell[coarse->group_begin[g]];
    for (int g = 0; g < ng; g++)
        for (int c = group_cell[g]; c < group_cell[g + 1]; c++)
            group[c] = g;
    const CondSoftShare* end = &packed->share[packed->n_share];
    int n_value = 0;
    for (const CondSoftShare* s = packed->share; s < end; s++) {
        int last = s->value + 3 * (packed->join_row[s->join + 1] - packed->join_row[s->join]);
        n_value = last > n_value ? last : n_value;
    }
    PUT(of_coarse, j->join_begin, begin, nj + 1);
    PUT(of_coarse, j->join_cell, cell, nc);
    PUT(of_coarse, j->cell_group, group, nc);
    PUT(of_coarse, j->group_cell, group_cell, ng + 1);
    PUT(of_coarse, j->size, packed->join_size, nj);
    PUT(of_coarse, j->gain_begin, packed->join_gain, nj);
    PUT(of_coarse, j->share, (const int*)packed->share, 3 * packed->n_share);
    PUT(of_coarse, j->share_value, packed->share_value, n_value);
    PUT(of_coarse, j->cell_begin, packed->cell_begin, nc + 1);
    PUT(of_coarse, j->cell_row, packed->cell_row, nc + 1);
    ROOM(of_coarse, j->Y, 36 * (size_t)nc);
    ROOM(of_coarse, j->KY, 36 * (size_t)nc);
    ROOM(of_coarse, j->gain_then, nj);
    j->gain = r->linear.gain;
}

// What a view of a level has of the nodes, and of the level below.
static void join_views(CondResident* r, const CondAggregation* coarse)
{
    for (int l = 0; l < coarse->n_level; l++) {
        CondCoarseView own = r->level[l], *view = &r->level[l];
        *view = r->coarse;
        view->n = own.n;
        view->dense = own.dense;
        view->stride = own.stride;
        view->level_begin = own.level_begin;
        view->level_column = own.level_column;
        view->block_row = own.block_row;
        view->fine_begin = own.fine_begin;
        view->fine = own.fine;
        view->own = own.own;
        view->level_A = own.level_A;
        view->level_D = own.level_D;
        view->matrix = own.matrix;
        if (l > 0) {
            view->fine_A = r->level[l - 1].level_A;
            view->fine_column = r->level[l - 1].level_column;
            view->arm = r->arm[l - 1];
        }
    }
}

// Where the nodes are in their groups, and the arms of the levels.
static void place_levels(CondResident* r, CondAggregation* coarse)
{
    CondLevel* level = coarse->level;
    CondCoarseView* a = &r->coarse;
    double length = 0.0;
    cond_resident_loop(r, &cond_coarse_middles, a->n_group, 256, a);
    cond_resident_most(r, &cond_coarse_sizes, a->n_group, 256, a, &length);
    cond_resident_read(r, level->place, a->middle, 3 * (size_t)a->n_group * sizeof *a->middle);
    cond_resident_wait(r);
    if (r->status)
        return;
    a->length = level->length = length > 0.0 ? length : 1.0;
    cond_resident_loop(r, &cond_coarse_places, a->n_place, 32, a);
    for (int l = 0; l + 1 < coarse->n_level; l++) {
        cond_aggregation_place_level(&level[l]);
        if (r->apart)
            cond_resident_write(r, r->arm[l], level[l].arm,
                                3 * (size_t)level[l].n_node * sizeof *level[l].arm);
    }
    a->made = 0;
    join_views(r, coarse);
}

void cond_resident_lay_out_levels(CondResident* r, CondSoftSystem* system)
{
    CondAggregation* coarse = &system->packed.coarse;
    make_room(r, coarse);
    if (r->plan != coarse->n_plan || !r->apart) {
        r->plan = 0;
        r->of_levels.next = 0;
        for (int l = 0; l < coarse->n_level && !r->status; l++)
            lay_out_level(r, system, l);
        r->plan = coarse->n_plan;
    }
    r->joins.n_join = 0;
    if (!coarse->deep)
        put_cells(r, &system->packed);
    if (!r->status)
        place_levels(r, coarse);
}

// |x_m| / |x_m-1| of powers x_k+1 = D A x_k: the largest eigenvalue, about.
static void start_powers(CondResident* r, int l, double square[2])
{
    CondCoarseView view = r->level[l];
    int n = 8 * view.n;
    view.to = r->x[l];
    cond_resident_loop(r, &cond_coarse_start, n, 1, &view);
    for (int step = 0; step < COND_SOFT_POWERS; step++) {
        if (step == COND_SOFT_POWERS - 1) {
            view.from = r->x[l];
            cond_resident_sum(r, &cond_coarse_squares, n, 1, &view, &square[0]);
        }
        view.from = r->x[l];
        view.to = r->y[l];
        cond_resident_loop(r, &cond_coarse_multiply, n, 64, &view);
        view.from = r->y[l];
        view.to = r->x[l];
        cond_resident_loop(r, &cond_coarse_relax, n, 6, &view);
    }
    view.from = r->x[l];
    cond_resident_sum(r, &cond_coarse_squares, n, 1, &view, &square[1]);
}

static void make_level(CondResident* r, const CondAggregation* coarse, int l, double square[2])
{
    CondCoarseView* view = &r->level[l];
    view->made = r->coarse.made;
    if (l > 0)
        view->ratio = (double)coarse->level[l - 1].ratio;
    cond_resident_loop(r, l == 0 ? &cond_coarse_first : &cond_coarse_next, 6 * r->nnz[l], 512,
                       view);
    if (view->dense)
        return;
    cond_resident_loop(r, &cond_coarse_invert, view->n, 512, view);
    start_powers(r, l, square);
}

// The nodes' motions, and those cut askew by parts.
static void cut_nodes(CondResident* r)
{
    CondCoarseView* a = &r->coarse;
    cond_resident_loop(r, &cond_coarse_cuts, a->n_place, 128, a);
    cond_resident_loop(r, &cond_coarse_list_skew, a->n_part, 32, a);
    if (!r->status)
        r->status = r->device->ops->scan(r->device, a->n_part, a->skew_begin);
    cond_resident_loop(r, &cond_coarse_gather_skew, a->n_part, 32, a);
}

// 1 if a row of the first level must be made anew. A matrix that is inverted is made as a whole,
// where enough has changed.
static int is_due(CondResident* r)
{
    CondCoarseView* a = &r->coarse;
    double due = 0.0, nodes = 0.0, joins = 0.0;
    if (a->made && !a->levels) {
        cond_resident_sum(r, &cond_coarse_changes, a->n_place, 2, a, &nodes);
        cond_resident_sum(r, &cond_join_changes, r->joins.n_join, 8, &r->joins, &joins);
        cond_resident_wait(r);
        if (!(nodes + joins > COND_SOFT_CHANGED * a->n_node))
            return 0;
        a->made = 0;
    }
    if (a->made)
        cond_resident_loop(r, &cond_coarse_near, a->n_node, 16, a);
    cond_resident_sum(r, &cond_coarse_due, a->n_group, 32, a, &due);
    cond_resident_wait(r);
    return due > 0.0;
}

// The joins' share in the matrix of a few groups.
static void add_joins(CondResident* r, const CondAggregation* coarse)
{
    CondJoinView* j = &r->joins;
    if (j->n_join == 0)
        return;
    j->coarse = r->level[coarse->n_level - 1];
    cond_resident_loop(r, &cond_join_moves, j->n_cell, 512, j);
    cond_resident_loop(r, &cond_join_adds, 6 * coarse->n_group * coarse->n_group, 512, j);
    cond_resident_loop(r, &cond_join_keeps, j->n_join, 4, j);
}

static CondStatus make_levels(CondResident* r, CondAggregation* coarse)
{
    int last = coarse->n_level - 1;
    double square[COND_LEVELS][2];
    size_t dense = (size_t)coarse->n * (size_t)coarse->stride;
    memset(coarse->matrix, 0, dense * sizeof *coarse->matrix);
    if (r->apart)
        cond_resident_write(r, r->level[last].matrix, coarse->matrix,
                            dense * sizeof *coarse->matrix);
    for (int l = 0; l <= last; l++)
        make_level(r, coarse, l, square[l]);
    add_joins(r, coarse);
    if (r->apart)
        cond_resident_read(r, coarse->matrix, r->level[last].matrix,
                           dense * sizeof *coarse->matrix);
    cond_resident_wait(r);
    for (int l = 0; l < last && !r->status; l++) {
        double value = sqrt(square[l][1] / square[l][0]);
        if (!isfinite(value))
            return COND_DIVERGED;
        coarse->level[l].step = (float)(4.0 / 3.0 / fmax(1.0, COND_SOFT_EIGENVALUE * value));
    }
    return r->status;
}

CondStatus cond_resident_build_levels(CondResident* r, CondSoftSystem* system)
{
    CondAggregation* coarse = &system->packed.coarse;
    CondCoarseView* a = &r->coarse;
    a->B = coarse->deep ? r->linear.B : r->linear.B_own;
    for (int l = 0; l < coarse->n_level; l++)
        r->level[l].B = a->B;
    cut_nodes(r);
    if (!is_due(r) || r->status)
        return r->status;
    cond_resident_loop(r, &cond_coarse_moves, a->n_place, 64, a);
    cond_resident_loop(r, &cond_coarse_keeps, a->n_place, 1, a);
    CondStatus status = make_levels(r, coarse);
    a->made = 0; // until all is done
    if (status)
        return status;
    cond_aggregation_invert(coarse, system->threads);
    if (r->apart)
        cond_resident_write(r, r->inverse, coarse->inverse,
                            (size_t)coarse->n * (size_t)coarse->wide * sizeof *coarse->inverse);
    a->made = 1;
    r->n_made++;
    return r->status;
}
