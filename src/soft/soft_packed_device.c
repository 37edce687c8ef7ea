// Hands a packed system to the device that iterates on it. The arrays go as they are; what is
// scattered over others here is gathered first: the blocks on the diagonal, the nodes whose motions
// are cut askew, and the inverse of the interface's Schur complement in place of its factor.
#include "soft/soft_packed_device.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cuda/soft_cg.h"
#include "linear/cholesky.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&packed->arena, on->array, count)

// What is gathered for the device.
typedef struct CondSoftOnDevice {
    float* diagonal;  // blocks                                            (4 n_four x 9)
    double* inverse;  // of the Schur complement                           (n_interface^2)
    double* column;   // scratch                                           (n_interface)
    int* skew_begin;  // of each part                                      (n_part + 1)
    int* skew;        // places
    float* skew_rows; // P of these, 3 x 8
} CondSoftOnDevice;

static void gather_diagonal(const void* loop, int first, int last)
{
    const CondSoftPacked* packed = loop;
    for (int place = first; place < last; place++) {
        float* to = packed->on_device->diagonal + (ptrdiff_t)9 * place;
        const float* from = packed->value + packed->diagonal[place];
        if (packed->order[place] < 0)
            memset(to, 0, 9 * sizeof *to);
        for (int e = 0; e < 9 && packed->order[place] >= 0; e++)
            to[e] = from[12 * (e / 3) + e % 3];
    }
}

static CondStatus gather_skew(CondSoftPacked* packed)
{
    CondSoftOnDevice* on = packed->on_device;
    const CondAggregation* coarse = &packed->coarse;
    if (RESERVE(skew_begin, packed->n_part + 1))
        return COND_OUT_OF_MEMORY;
    on->skew_begin[0] = 0;
    for (int part = 0; part < packed->n_part; part++)
        on->skew_begin[part + 1] = on->skew_begin[part] + coarse->n_skew[part];
    int n = on->skew_begin[packed->n_part];
    if (RESERVE(skew, n) || RESERVE(skew_rows, 24 * n))
        return COND_OUT_OF_MEMORY;
    for (int part = 0; part < packed->n_part; part++)
        for (int k = 0; k < coarse->n_skew[part]; k++) {
            int place = coarse->skew[4 * packed->part_four[part] + k],
                at = on->skew_begin[part] + k;
            on->skew[at] = place;
            memcpy(on->skew_rows + (ptrdiff_t)24 * at, coarse->rows + (ptrdiff_t)24 * place,
                   24 * sizeof *on->skew_rows);
        }
    return COND_OK;
}

// The inverse of a symmetric matrix from its factor.
static void invert(int n, const double* factor, double* column, double* inverse)
{
    for (int j = 0; j < n; j++) {
        memset(column, 0, (size_t)n * sizeof *column);
        column[j] = 1.0;
        cond_cholesky_solve(n, factor, column);
        for (int i = 0; i < n; i++)
            inverse[(ptrdiff_t)i * n + j] = column[i];
    }
}

static CondStatus prepare(CondSoftPacked* packed, const CondSoftPackedSolve* solve)
{
    if (COND_RESERVE(&packed->arena, packed->on_device, 1))
        return COND_OUT_OF_MEMORY;
    CondSoftOnDevice* on = packed->on_device;
    int nb = packed->n_interface, places = 4 * packed->n_four;
    if (RESERVE(diagonal, 9 * places) || RESERVE(inverse, nb * nb) || RESERVE(column, nb))
        return COND_OUT_OF_MEMORY;
    cond_parallel(places, packed->n_team, gather_diagonal, packed);
    invert(nb, solve->factor, on->column, on->inverse);
    return packed->coarse.on ? gather_skew(packed) : COND_OK;
}

void cond_soft_packed_show_joins(const CondSoftPacked* packed, CondCudaSystem* to)
{
    to->joins = packed->n_plan;
    to->n_join = packed->n_join;
    to->n_share = packed->n_share;
    to->n_cell = packed->n_cell;
    to->join_size = packed->join_size;
    to->join_row = packed->join_row;
    to->join_gain = packed->join_gain;
    to->share = (const int*)packed->share;
    to->share_value = packed->share_value;
    to->cell_begin = packed->cell_begin;
    to->cell_row = packed->cell_row;
    to->part_cell = packed->part_cell;
    to->gain = packed->gain;
    for (int k = 0; k < packed->n_share; k++) {
        const CondSoftShare* share = &packed->share[k];
        int end =
            share->value + 3 * (packed->join_row[share->join + 1] - packed->join_row[share->join]);
        to->n_share_value = end > to->n_share_value ? end : to->n_share_value;
    }
    to->n_interface = packed->n_interface;
    to->wide = cond_soft_packed_wide(packed->n_interface);
    to->n_attached = packed->n_attached;
    to->n_interface_sum = packed->n_interface_sum;
    to->attached = packed->node;
    to->part_begin = packed->part_begin;
    to->part_sum = packed->part_sum;
    to->C = packed->C;
    to->BC = packed->BC;
    to->S = packed->S;
}

static void show_coarse(const CondSoftPacked* packed, CondCudaSystem* to)
{
    const CondAggregation* coarse = &packed->coarse;
    const CondSoftOnDevice* on = packed->on_device;
    to->coarse = coarse->on;
    to->scale = (float)cond_aggregation_damping(coarse);
    if (!coarse->on)
        return;
    to->deep = coarse->deep;
    to->groups = coarse->n_plan;
    to->levels = coarse->n_made;
    to->n_group = coarse->n_group;
    to->n_level = coarse->n_level;
    to->group_begin = coarse->group_begin;
    to->part_group = coarse->part_group;
    for (int l = 0; l < coarse->n_level; l++) {
        const CondLevel* level = &coarse->level[l];
        to->level[l] = (CondCudaLevel){.n_node = level->n_node,
                                       .n_group = level->n_group,
                                       .row_begin = level->row_begin,
                                       .column = level->column,
                                       .A = level->A,
                                       .D = level->D,
                                       .group = level->group,
                                       .member_begin = level->member_begin,
                                       .member = level->member,
                                       .arm = level->arm,
                                       .step = level->step,
                                       .ratio = level->ratio};
    }
    to->n_coarse = coarse->n;
    to->wide_coarse = coarse->wide;
    to->inverse = coarse->inverse;
    to->frame = coarse->frame;
    to->n_skew = on->skew_begin[packed->n_part];
    to->skew_begin = on->skew_begin;
    to->skew = on->skew;
    to->skew_rows = on->skew_rows;
}

CondStatus cond_soft_packed_solve_on_device(CondSoftPacked* packed, CondSoftPackedSolve* solve)
{
    CondStatus status = prepare(packed, solve);
    if (status)
        return cond_error_set(NULL, status, "no memory for what the device is given");
    CondCudaSystem system = {.pattern = packed->key,
                             .n_part = packed->n_part,
                             .n_four = packed->n_four,
                             .part_four = packed->part_four,
                             .row_begin = packed->row_begin,
                             .column = packed->column,
                             .diagonal = packed->diagonal,
                             .order = packed->order,
                             .matrix = packed->n_plan,
                             .value = packed->value,
                             .on_diagonal = packed->on_device->diagonal,
                             .B = packed->B};
    cond_soft_packed_show_joins(packed, &system);
    system.S_inverse = packed->on_device->inverse;
    show_coarse(packed, &system);
    CondCudaSolve work = {.r = packed->r,
                          .x = packed->x,
                          .interface = solve->interface,
                          .goal = solve->cg.goal,
                          .reduction = solve->cg.reduction,
                          .max_products = solve->cg.max_products};
    CondError error;
    status = cond_cuda_soft_solve(packed->device, &system, &work, &error);
    solve->cg.products = work.products;
    solve->cg.failed = work.failed;
    solve->cg.goal = work.goal;
    return status ? cond_error_set(NULL, status, "%s", error.message) : COND_OK;
}
