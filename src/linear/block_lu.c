// A supernode of s coordinates whose elimination meets w later ones has the panels
//     [ D  U ]    (s x (s + w)),      L'    (s x w),
// and with all earlier ones taken out of them D = P' L_D U_D by blocks, node after node with pivots
// within a node. D^-1 U takes the place of U. A supernode j takes from each earlier one k that
// meets some of its places, with the rows j and the columns beyond,
//     [ D  U ]_j -= L_kj (D^-1 U)_k,        L'_j -= (D^-1 U)_kj' L'_k:
// whoever does it, each number is the same sum in the same order.
#include "linear/block_lu.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/block_lu_kernel.h"
#include "linear/block_lu_panel.h"
#include "linear/lu.h"

#include <limits.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&lu->order.arena, lu->array, count)

CondStatus cond_block_lu_begin(CondBlockLu* lu, int n_node, const int* size)
{
    if (RESERVE(size, n_node) || RESERVE(first, n_node + 1))
        return COND_OUT_OF_MEMORY;
    lu->n_node = n_node;
    lu->first[0] = 0;
    for (int i = 0; i < n_node; i++) {
        lu->size[i] = size[i];
        lu->first[i + 1] = lu->first[i] + size[i];
    }
    cond_block_order_begin(&lu->order, n_node, lu->size);
    return COND_OK;
}

void cond_block_lu_destroy(CondBlockLu* lu)
{
    cond_block_order_destroy(&lu->order);
}

// Multiply-adds of a factorisation node after node, and the columns behind all nodes: supernodes
// have no more.
static double count_work(const CondBlockOrder* o, size_t* n_column)
{
    double work = 0.0;
    *n_column = 0;
    for (int k = 0; k < o->n_node; k++) {
        int width = 0;
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++)
            width += o->size[o->node[o->later[a]]];
        double s = o->size[o->node[k]], w = width;
        work += s * (s * s / 3.0 + s * w + w * w);
        *n_column += (size_t)width;
    }
    return work;
}

// Places of a supernode that follow each other make a pivot block while they have no more than six
// coordinates: panels are then read and written half as often as for nodes of three. Returns the
// numbers of their factors, which begin at `at`.
static size_t lay_out_pivots(CondBlockLu* lu, int s, size_t at)
{
    const CondBlockSuper* super = &lu->super;
    size_t begin = at;
    for (int k = super->first[s], head = k; k < super->first[s + 1]; k++) {
        int last = k + 1 == super->first[s + 1];
        lu->head[k] = head;
        if (!last && lu->start[k + 2] - lu->start[head] <= COND_SIX)
            continue;
        size_t size = (size_t)(lu->start[k + 1] - lu->start[head]);
        lu->diagonal[head] = at;
        at += size * size;
        head = k + 1;
    }
    return at - begin;
}

// Where everything lies. The numbers of `value` and `factor`.
static void lay_out(CondBlockLu* lu, size_t* n_factor)
{
    const CondBlockSuper* super = &lu->super;
    size_t left = 0;
    *n_factor = lu->n_value = 0;
    lu->start[0] = 0;
    for (int k = 0; k < lu->n_node; k++)
        lu->start[k + 1] = lu->start[k] + lu->size[super->node[k]];
    for (int s = 0; s < super->n; s++)
        *n_factor += lay_out_pivots(lu, s, *n_factor);
    for (int s = 0; s < super->n; s++) {
        int width = 0;
        for (int a = super->begin[s]; a < super->begin[s + 1]; a++) {
            lu->column[a] = width;
            width += cond_block_lu_size(lu, super->later[a]);
        }
        lu->width[s] = width;
        lu->left[s] = left;
        left += (size_t)width;
        lu->panel[s] = lu->n_value;
        size_t height = (size_t)cond_block_lu_height(lu, s);
        lu->n_value += height * (height + 2 * (size_t)width);
    }
}

// Which of the later places of a supernode follow each other in the panel of supernode j, from
// number a on.
static CondStatus list_runs(CondBlockLu* lu, int a, int last, int j, CondBlockUpdate* update,
                            int* n_run)
{
    const CondBlockSuper* super = &lu->super;
    int height = cond_block_lu_height(lu, j), end = -1, b = super->begin[j];
    update->begin = *n_run;
    update->inside = 0;
    for (; a < last; a++) {
        int place = super->later[a], inside = super->owner[place] == j, target;
        while (!inside && super->later[b] < place)
            b++;
        target = inside ? cond_block_lu_offset(lu, place) : height + lu->column[b];
        if (target != end || target == height) {
            if (RESERVE(run, *n_run + 1))
                return COND_OUT_OF_MEMORY;
            lu->run[(*n_run)++] = (CondBlockRun){target, 0};
            update->inside += inside;
        }
        lu->run[*n_run - 1].length += cond_block_lu_size(lu, place);
        end = target + cond_block_lu_size(lu, place);
    }
    update->n_run = *n_run - update->begin;
    return COND_OK;
}

// Number after the last of the later places from a on that belong to the same supernode.
static int end_of_owner(const CondBlockSuper* super, int a, int last)
{
    int owner = super->owner[super->later[a]];
    while (a < last && super->owner[super->later[a]] == owner)
        a++;
    return a;
}

// For each supernode those before it that change it, ascending.
static CondStatus list_updates(CondBlockLu* lu)
{
    const CondBlockSuper* super = &lu->super;
    int n_run = 0, *begin = lu->update_begin;
    memset(begin, 0, (size_t)(super->n + 2) * sizeof *begin);
    for (int s = 0; s < super->n; s++)
        for (int a = super->begin[s], last = super->begin[s + 1]; a < last;
             a = end_of_owner(super, a, last))
            begin[super->owner[super->later[a]] + 2]++;
    for (int s = 0; s <= super->n; s++)
        begin[s + 1] += begin[s];
    // By the fill, not by supernodes: a smaller problem may have more of these.
    int fill = lu->order.begin[lu->n_node];
    if (RESERVE(update, fill) || RESERVE(run, 2 * fill))
        return COND_OUT_OF_MEMORY;
    for (int s = 0; s < super->n; s++)
        for (int a = super->begin[s], last = super->begin[s + 1]; a < last;
             a = end_of_owner(super, a, last)) {
            int j = super->owner[super->later[a]];
            CondBlockUpdate* update = &lu->update[begin[j + 1]++];
            update->from = s;
            update->column = lu->column[a];
            if (list_runs(lu, a, last, j, update, &n_run))
                return COND_OUT_OF_MEMORY;
        }
    return COND_OK;
}

// 1 where the plan at hand is for the same nodes and pairs.
static int is_planned(const CondBlockLu* lu)
{
    size_t n = (size_t)lu->n_node, n_pair = (size_t)lu->order.n_edge;
    return n > 0 && lu->n_planned[0] == lu->n_node && lu->n_planned[1] == lu->order.n_edge &&
           memcmp(lu->planned, lu->size, n * sizeof *lu->size) == 0 &&
           (n_pair == 0 ||
            memcmp(lu->planned + n, lu->order.edge, 2 * n_pair * sizeof *lu->planned) == 0);
}

static CondStatus note_plan(CondBlockLu* lu)
{
    int n = lu->n_node, n_pair = lu->order.n_edge;
    if (RESERVE(planned, n + 2 * n_pair + 1))
        return COND_OUT_OF_MEMORY;
    memcpy(lu->planned, lu->size, (size_t)n * sizeof *lu->size);
    if (n_pair > 0)
        memcpy(lu->planned + n, lu->order.edge, 2 * (size_t)n_pair * sizeof *lu->planned);
    lu->n_planned[0] = n;
    lu->n_planned[1] = n_pair;
    return COND_OK;
}

CondStatus cond_block_lu_plan(CondBlockLu* lu, double most_work, int* fits)
{
    int n = lu->n_node;
    size_t n_factor, n_column;
    *fits = is_planned(lu) && lu->work <= most_work;
    if (*fits)
        return COND_OK;
    lu->n_planned[0] = -1;
    lu->n_plan++;
    CondStatus status = cond_block_order_make(&lu->order);
    if (status)
        return status;
    lu->work = count_work(&lu->order, &n_column);
    if (!(lu->work <= most_work))
        return COND_OK;
    status = cond_block_super_make(&lu->super, &lu->order);
    if (status)
        return status;
    if (RESERVE(start, n + 1) || RESERVE(width, n) || RESERVE(panel, n) || RESERVE(diagonal, n) ||
        RESERVE(head, n) || RESERVE(column, lu->order.begin[n]) || RESERVE(update_begin, n + 2) ||
        RESERVE(left, n) || RESERVE(pivot, lu->first[n]) || RESERVE(x, lu->first[n]))
        return COND_OUT_OF_MEMORY;
    lay_out(lu, &n_factor);
    if (lu->n_value > INT_MAX || n_factor > INT_MAX || n_column > INT_MAX)
        return COND_OK;
    if (RESERVE(value, (int)lu->n_value) || RESERVE(factor, (int)n_factor) ||
        RESERVE(y, (int)n_column))
        return COND_OUT_OF_MEMORY;
    status = list_updates(lu);
    if (!status)
        status = note_plan(lu);
    *fits = !status;
    return status;
}

void cond_block_lu_clear(CondBlockLu* lu)
{
    memset(lu->value, 0, lu->n_value * sizeof *lu->value);
}

// Which of the later places of supernode s is this.
static int find_later(const CondBlockSuper* super, int s, int place)
{
    int low = super->begin[s], high = super->begin[s + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (super->later[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

CondBlockLuEntry cond_block_lu_block(const CondBlockLu* lu, int i, int j)
{
    const CondBlockSuper* super = &lu->super;
    int a = super->place[i], b = super->place[j], s = super->owner[a < b ? a : b];
    int row = (int)cond_block_lu_row(lu, s), width = lu->width[s];
    if (super->owner[a] == super->owner[b])
        return (CondBlockLuEntry){cond_block_lu_upper(lu, s) +
                                      (ptrdiff_t)cond_block_lu_offset(lu, a) * row +
                                      cond_block_lu_offset(lu, b),
                                  row, 1};
    int column = lu->column[find_later(super, s, a < b ? b : a)];
    if (a < b)
        return (CondBlockLuEntry){cond_block_lu_upper(lu, s) +
                                      (ptrdiff_t)cond_block_lu_offset(lu, a) * row +
                                      cond_block_lu_height(lu, s) + column,
                                  row, 1};
    return (CondBlockLuEntry){cond_block_lu_lower(lu, s) +
                                  (ptrdiff_t)cond_block_lu_offset(lu, b) * width + column,
                              1, width};
}

// X = D \ X for n columns, rows of X apart.
static void divide(int size, const double* D, const int* pivot, int n, double* X, ptrdiff_t row)
{
    if (size == COND_SIX) {
        cond_six_divide(D, pivot, n, X, row);
        return;
    }
    for (int k = 0; k < size; k++) {
        double *a = X + k * row, *b = X + pivot[k] * row;
        for (int j = 0; j < n && a != b; j++) {
            double swap = a[j];
            a[j] = b[j];
            b[j] = swap;
        }
    }
    for (int i = 1; i < size; i++)
        for (int k = 0; k < i; k++) {
            double l = D[i * size + k], *restrict x = X + i * row;
            const double* restrict y = X + k * row;
            for (int j = 0; j < n; j++)
                x[j] -= l * y[j];
        }
    for (int i = size - 1; i >= 0; i--) {
        double* restrict x = X + i * row, scale = D[i * size + i];
        for (int k = i + 1; k < size; k++) {
            double u = D[i * size + k];
            const double* restrict y = X + k * row;
            for (int j = 0; j < n; j++)
                x[j] -= u * y[j];
        }
        for (int j = 0; j < n; j++)
            x[j] /= scale;
    }
}

// Takes what one supernode before leaves out of supernode j.
static void take_update(CondBlockLu* lu, int j, const CondBlockUpdate* update)
{
    int k = update->from, depth = cond_block_lu_height(lu, k), height = cond_block_lu_height(lu, j),
        r_at = 0;
    ptrdiff_t k_row = cond_block_lu_row(lu, k), k_width = lu->width[k],
              row = cond_block_lu_row(lu, j);
    ptrdiff_t width = lu->width[j];
    const double* U = cond_block_lu_upper(lu, k) + depth + update->column;
    const double* L = cond_block_lu_lower(lu, k) + update->column;
    const CondBlockRun* run = lu->run + update->begin;
    for (int a = 0; a < update->inside; r_at += run[a++].length) {
        double* upper = cond_block_lu_upper(lu, j) + run[a].target * row;
        double* lower = cond_block_lu_lower(lu, j) + run[a].target * width;
        CondPanel L_rows = {L + r_at, 1, k_width}, U_rows = {U + r_at, 1, k_row};
        for (int b = 0, c_at = 0; b < update->n_run; c_at += run[b++].length) {
            cond_panel_subtract(run[a].length, run[b].length, depth, L_rows, U + c_at, k_row,
                                upper + run[b].target, row);
            if (b >= update->inside)
                cond_panel_subtract(run[a].length, run[b].length, depth, U_rows, L + c_at, k_width,
                                    lower + (run[b].target - height), width);
        }
    }
}

// The first place after the pivot block that begins with place k of supernode s.
static int end_of_pivot(const CondBlockLu* lu, int s, int k)
{
    int head = k;
    while (k < lu->super.first[s + 1] && lu->head[k] == head)
        k++;
    return k;
}

// D^-1 U of one supernode, pivot block after pivot block. 1 when a pivot is zero or not finite.
static int factor_panel(CondBlockLu* lu, int s)
{
    const CondBlockSuper* super = &lu->super;
    int height = cond_block_lu_height(lu, s), width = lu->width[s];
    ptrdiff_t row = cond_block_lu_row(lu, s);
    double *upper = cond_block_lu_upper(lu, s), *lower = cond_block_lu_lower(lu, s);
    for (int k = super->first[s], end; k < super->first[s + 1]; k = end) {
        end = end_of_pivot(lu, s, k);
        int size = lu->start[end] - lu->start[k], at = cond_block_lu_offset(lu, k);
        int next = at + size, *pivot = lu->pivot + lu->start[k], rest = height - next;
        double *D = lu->factor + lu->diagonal[k], *U = upper + at * row + next;
        for (int i = 0; i < size; i++)
            memcpy(D + i * size, upper + (at + i) * row + at, (size_t)size * sizeof *D);
        if (size == COND_SIX ? cond_six_factor(D, pivot) : cond_lu_factor(size, D, pivot))
            return 1;
        divide(size, D, pivot, rest + width, U, row);
        if (rest == 0)
            break;
        cond_panel_subtract(rest, rest + width, size, (CondPanel){upper + next * row + at, row, 1},
                            U, row, upper + next * row + next, row);
        cond_panel_subtract(rest, width, size, (CondPanel){U, 1, row},
                            lower + (ptrdiff_t)at * width, width, lower + (ptrdiff_t)next * width,
                            width);
    }
    return 0;
}

int cond_block_lu_factor_super(CondBlockLu* lu, int s)
{
    for (int u = lu->update_begin[s]; u < lu->update_begin[s + 1]; u++)
        take_update(lu, s, &lu->update[u]);
    return factor_panel(lu, s);
}

int cond_block_lu_factor(CondBlockLu* lu)
{
    for (int s = 0; s < lu->super.n; s++)
        if (cond_block_lu_factor_super(lu, s))
            return 1;
    return 0;
}

// What one supernode takes from those before, and x = L^-1 P x of its own; y_s is what it leaves
// to those behind.
static void solve_forward(const CondBlockLu* lu, int s)
{
    const CondBlockSuper* super = &lu->super;
    int height = cond_block_lu_height(lu, s), begin = super->first[s];
    const double* upper = cond_block_lu_upper(lu, s);
    ptrdiff_t row = cond_block_lu_row(lu, s);
    double* xs = lu->x + lu->start[begin];
    for (int u = lu->update_begin[s]; u < lu->update_begin[s + 1]; u++) {
        const CondBlockUpdate* update = &lu->update[u];
        const double* y = lu->y + lu->left[update->from] + update->column;
        for (int a = update->begin; a < update->begin + update->inside; a++)
            for (int j = 0; j < lu->run[a].length; j++)
                xs[lu->run[a].target + j] -= *y++;
    }
    for (int k = begin, end; k < super->first[s + 1]; k = end) {
        end = end_of_pivot(lu, s, k);
        int size = lu->start[end] - lu->start[k], at = cond_block_lu_offset(lu, k);
        int next = at + size;
        divide(size, lu->factor + lu->diagonal[k], lu->pivot + lu->start[k], 1, xs + at, 1);
        for (int i = next; i < height; i++)
            for (int j = 0; j < size; j++)
                xs[i] -= upper[i * row + at + j] * xs[at + j];
    }
    cond_panel_combine(height, lu->width[s], cond_block_lu_lower(lu, s), lu->width[s], xs,
                       lu->y + lu->left[s]);
}

// x -= D^-1 U x of those behind
static void solve_backward(const CondBlockLu* lu, int s)
{
    const CondBlockSuper* super = &lu->super;
    int height = cond_block_lu_height(lu, s), begin = super->first[s];
    const double* upper = cond_block_lu_upper(lu, s);
    ptrdiff_t row = cond_block_lu_row(lu, s);
    double *xs = lu->x + lu->start[begin], *y = lu->y + lu->left[s];
    for (int a = super->begin[s]; a < super->begin[s + 1]; a++) {
        int place = super->later[a];
        memcpy(y + lu->column[a], lu->x + lu->start[place],
               (size_t)cond_block_lu_size(lu, place) * sizeof *y);
    }
    cond_panel_reduce(height, lu->width[s], upper + height, row, y, xs);
    for (int k = lu->head[super->first[s + 1] - 1]; k > begin;) {
        int next = cond_block_lu_offset(lu, k), size;
        k = lu->head[k - 1];
        int at = cond_block_lu_offset(lu, k);
        size = next - at;
        cond_panel_reduce(size, height - next, upper + at * row + next, row, xs + next, xs + at);
    }
}

// A solve: x of the caller, by nodes. A loop over the shares of a level.
typedef struct Solve {
    const CondBlockLu* lu;
    double* x;
    int level;
} Solve;

static void solve_down(const void* data, int first, int last)
{
    const Solve* solve = data;
    const CondBlockLu* lu = solve->lu;
    const CondBlockSuper* super = &lu->super;
    for (int k = first; k < last; k++) {
        int share = cond_block_level_first(solve->level) + k;
        int begin = super->share[share], end = super->share[share + 1];
        for (int p = super->first[begin]; p < super->first[end]; p++)
            memcpy(lu->x + lu->start[p], solve->x + lu->first[super->node[p]],
                   (size_t)cond_block_lu_size(lu, p) * sizeof *solve->x);
        for (int s = begin; s < end; s++)
            solve_forward(lu, s);
    }
}

static void solve_up(const void* data, int first, int last)
{
    const Solve* solve = data;
    const CondBlockLu* lu = solve->lu;
    const CondBlockSuper* super = &lu->super;
    for (int k = first; k < last; k++) {
        int share = cond_block_level_first(solve->level) + k;
        int begin = super->share[share], end = super->share[share + 1];
        for (int s = end - 1; s >= begin; s--)
            solve_backward(lu, s);
        for (int p = super->first[begin]; p < super->first[end]; p++)
            memcpy(solve->x + lu->first[super->node[p]], lu->x + lu->start[p],
                   (size_t)cond_block_lu_size(lu, p) * sizeof *solve->x);
    }
}

void cond_block_lu_solve(const CondBlockLu* lu, double* x, int threads)
{
    Solve solve[COND_SHARE_LEVELS + 1];
    CondPhase phase[2 * (COND_SHARE_LEVELS + 1)];
    int n_thread = cond_threads_chained(lu->n_value, threads), last = 2 * COND_SHARE_LEVELS + 1;
    for (int level = 0; level <= COND_SHARE_LEVELS; level++) {
        solve[level] = (Solve){lu, x, level};
        phase[COND_SHARE_LEVELS - level] =
            (CondPhase){solve_down, &solve[level], 1 << level, level < COND_SHARE_LEVELS};
        phase[last - COND_SHARE_LEVELS + level] =
            (CondPhase){solve_up, &solve[level], 1 << level, 1};
    }
    cond_parallel_phases(last + 1, phase, n_thread < COND_WORKERS ? n_thread : COND_WORKERS,
                         __func__);
}
