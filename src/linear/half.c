#include "linear/half.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN = 512,      // rows of a chunk
    TEAM = 8,       // the number of chunks is a multiple of it, so that threads have equal shares
    LEAST_OWN = 16, // rows of a chunk that are worth it
};
static const double MOST_HALO = 1.5; // nodes of halos per row

// What planning needs beside the plan. Rows are counted over all parts.
typedef struct Scratch {
    int* chunk; // of a row, -1: none yet                                     (n_row)
    int* place; // of a row within its chunk                                  (n_row)
    int* queue; // rows by chunk                                              (n_row)
    int* begin; // first row of a chunk in queue                              (n_chunk + 1)
    int* inner; // rows of a chunk that no other adds to                      (n_chunk)
    int* seen;  // mark of a row                                              (n_row)
    int* halo;  // rows of the halo at hand                                   (COND_HALF_NODES)
} Scratch;

static void scratch_destroy(const CondContext* m, Scratch* s)
{
    int* arrays[] = {s->chunk, s->place, s->queue, s->begin, s->inner, s->seen, s->halo};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(m, arrays[i]);
}

static CondStatus scratch_create(const CondContext* m, int n_row, Scratch* s)
{
    size_t n = (size_t)n_row;
    s->chunk = cond_allocate(m, n, sizeof(int));
    s->place = cond_allocate(m, n, sizeof(int));
    s->queue = cond_allocate(m, n, sizeof(int));
    s->begin = cond_allocate(m, n + 1, sizeof(int));
    s->inner = cond_allocate(m, n, sizeof(int));
    s->seen = cond_allocate(m, n, sizeof(int));
    s->halo = cond_allocate(m, COND_HALF_NODES, sizeof(int));
    if (s->chunk && s->place && s->queue && s->begin && s->inner && s->seen && s->halo)
        return COND_OK;
    scratch_destroy(m, s);
    return COND_OUT_OF_MEMORY;
}

static int ascending(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Cuts the rows into n_chunk chunks of equal size: breadth first from the lowest row that is left.
static void cut(const CondBsr3Part* part, int n_row, int n_chunk, Scratch* s)
{
    int end = 0, seed = 0;
    for (int i = 0; i < n_row; i++)
        s->chunk[i] = s->seen[i] = -1;
    for (int c = 0; c < n_chunk; c++) {
        int begin = end, next = begin, full = (int)((long long)n_row * (c + 1) / n_chunk);
        s->begin[c] = begin;
        while (end < full) {
            if (next == end) { // nothing left to grow from
                while (s->chunk[seed] >= 0)
                    seed++;
                s->chunk[seed] = c;
                s->queue[end++] = seed;
            }
            CondBsr3RowAt at = cond_bsr3_row_at(part, s->queue[next++]);
            const CondBsr3Rows* A = &at.part->rows;
            for (int k = A->row_begin[at.row]; k < A->row_begin[at.row + 1] && end < full; k++) {
                int j = at.offset + A->column[k];
                if (s->chunk[j] < 0) {
                    s->chunk[j] = c;
                    s->queue[end++] = j;
                }
            }
        }
    }
    s->begin[n_chunk] = end;
}

// Whether block (i, j) is stored rather than its mirror image. It is now the one row's, now the
// other's, and so between chunks, so that none has much more to do.
static int stored(const Scratch* s, int i, int j)
{
    int a = s->chunk[i], b = s->chunk[j];
    if (a == b) {
        a = s->place[i];
        b = s->place[j];
    }
    return (a < b) == ((a + b) % 2 == 0);
}

// Whether another chunk adds to row i.
static int is_shared(const CondBsr3Part* part, const Scratch* s, int i)
{
    CondBsr3RowAt at = cond_bsr3_row_at(part, i);
    const CondBsr3Rows* A = &at.part->rows;
    for (int k = A->row_begin[at.row]; k < A->row_begin[at.row + 1]; k++) {
        int j = at.offset + A->column[k];
        if (s->chunk[j] != s->chunk[i] && stored(s, j, i))
            return 1;
    }
    return 0;
}

// Within a chunk, rows that others add to come last; else they ascend.
static void order_chunks(const CondBsr3Part* part, int n_chunk, Scratch* s)
{
    for (int c = 0; c < n_chunk; c++) {
        int begin = s->begin[c], n = s->begin[c + 1] - begin, inner = 0;
        qsort(s->queue + begin, (size_t)n, sizeof(int), ascending);
        int* sorted = s->halo; // free until halos are looked for
        for (int k = 0; k < n; k++)
            if (!is_shared(part, s, s->queue[begin + k]))
                sorted[inner++] = s->queue[begin + k];
        s->inner[c] = inner;
        for (int k = 0; k < n; k++)
            if (is_shared(part, s, s->queue[begin + k]))
                sorted[inner++] = s->queue[begin + k];
        for (int k = 0; k < n; k++) {
            s->queue[begin + k] = sorted[k];
            s->place[sorted[k]] = k;
        }
    }
}

// Blocks off the diagonal that are stored in row i; their columns outside of the chunk go to the
// halo, unless that is full: then *n_halo is too large.
static int visit_row(const CondBsr3Part* part, Scratch* s, int i, int* n_halo)
{
    CondBsr3RowAt at = cond_bsr3_row_at(part, i);
    const CondBsr3Rows* A = &at.part->rows;
    int c = s->chunk[i], count = 0;
    for (int k = A->row_begin[at.row]; k < A->row_begin[at.row + 1]; k++) {
        int j = at.offset + A->column[k];
        if (j == i || !stored(s, i, j))
            continue;
        count++;
        if (s->chunk[j] != c && s->seen[j] != c) {
            s->seen[j] = c;
            if (*n_halo < COND_HALF_NODES)
                s->halo[*n_halo] = j;
            ++*n_halo;
        }
    }
    return count;
}

// Sizes of all chunks; 0 where one has too many nodes.
static int measure(CondHalf* half, const CondBsr3Part* part, Scratch* s, int n_chunk)
{
    long long blocks = 0, nodes = 0, inner = 0;
    for (int i = 0; i < half->n_row; i++)
        s->seen[i] = -1;
    for (int c = 0; c < n_chunk; c++) {
        int n_halo = 0, own = s->begin[c + 1] - s->begin[c];
        for (int k = s->begin[c]; k < s->begin[c + 1]; k++)
            blocks += 1 + visit_row(part, s, s->queue[k], &n_halo);
        if (own + n_halo > COND_HALF_NODES)
            return 0;
        nodes += own + n_halo;
        inner += s->inner[c];
    }
    if (blocks > INT_MAX / 9 || nodes > INT_MAX / 4)
        return 0;
    half->n_block = (int)blocks;
    half->n_node = (int)nodes;
    half->n_sum = (int)(nodes - inner);
    half->n_share = half->n_node - half->n_row;
    return 1;
}

#define RESERVE(array, count)                                                                      \
    cond_reserve(&half->context, &half->array, &half->cap_##array, count, sizeof *half->array)

static CondStatus reserve(CondHalf* half)
{
    // Rows of a chunk have at most COND_HALF_NODES different lengths, and no more than it has rows.
    int failed = RESERVE(chunk, half->n_chunk) || RESERVE(run, half->n_row) ||
                 RESERVE(share, half->n_share) || RESERVE(node, half->n_node) ||
                 RESERVE(row, half->n_row) || RESERVE(column, half->n_block - half->n_row) ||
                 RESERVE(source, half->n_block);
    if (!failed)
        failed = RESERVE(sum_memory, 4 * (half->n_sum + 1));
    // It begins at a multiple of the lanes' size.
    half->sum = (double*)(((uintptr_t)half->sum_memory + 31) & ~(uintptr_t)31);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// Writes the blocks of row i off the diagonal at the end of what is there.
static void add_row(CondHalf* half, const CondBsr3Part* part, const Scratch* s, int i, int* block,
                    int* column)
{
    CondBsr3RowAt at = cond_bsr3_row_at(part, i);
    const CondBsr3Rows* A = &at.part->rows;
    int c = s->chunk[i];
    for (int k = A->row_begin[at.row]; k < A->row_begin[at.row + 1]; k++) {
        int j = at.offset + A->column[k];
        if (j == i || !stored(s, i, j))
            continue;
        half->source[(*block)++] = k;
        // Nodes of the halo have their place in `seen`, see lay_out.
        half->column[(*column)++] = (uint16_t)(4 * (s->chunk[j] == c ? s->place[j] : s->seen[j]));
    }
}

// Place of the diagonal block of row i in its part.
static int find_diagonal(const CondBsr3Part* part, int i)
{
    CondBsr3RowAt at = cond_bsr3_row_at(part, i);
    int k = at.part->rows.row_begin[at.row];
    while (at.part->rows.column[k] != at.row)
        k++;
    return k;
}

// Sorts the rows of a chunk by their length and cuts them into runs.
static void make_runs(CondHalf* half, CondHalfChunk* chunk, const int* length)
{
    uint16_t* row = half->row + chunk->row_begin;
    int at = 0, longest = 0;
    for (int k = 0; k < chunk->n_own; k++)
        longest = length[k] > longest ? length[k] : longest;
    chunk->run_begin = half->n_run;
    for (int n = longest; n >= 0; n--) { // rows without blocks come last, in no run
        int begin = at;
        for (int k = 0; k < chunk->n_own; k++)
            if (length[k] == n)
                row[at++] = (uint16_t)(4 * k);
        if (at > begin && n > 0)
            half->run[half->n_run++] = (CondHalfRun){at - begin, n};
    }
    chunk->n_run = half->n_run - chunk->run_begin;
}

static void lay_out(CondHalf* half, const CondBsr3Part* part, Scratch* s)
{
    int block = 0, column = 0, node = 0, sum = 0, length[COND_HALF_NODES];
    for (int i = 0; i < half->n_row; i++)
        s->seen[i] = -1;
    half->n_run = 0;
    for (int c = 0; c < half->n_chunk; c++) {
        CondHalfChunk* chunk = &half->chunk[c];
        int n_halo = 0, begin = s->begin[c], own = s->begin[c + 1] - begin;
        for (int k = 0; k < own; k++)
            length[k] = visit_row(part, s, s->queue[begin + k], &n_halo);
        qsort(s->halo, (size_t)n_halo, sizeof(int), ascending);
        *chunk = (CondHalfChunk){.n_inner = s->inner[c],
                                 .n_own = own,
                                 .n_node = own + n_halo,
                                 .node_begin = node,
                                 .sum_begin = sum,
                                 .row_begin = begin,
                                 .block_begin = block,
                                 .column_begin = column};
        for (int k = 0; k < own + n_halo; k++) {
            CondBsr3RowAt at =
                cond_bsr3_row_at(part, k < own ? s->queue[begin + k] : s->halo[k - own]);
            half->node[node++] = at.part->begin + 3 * at.row;
        }
        for (int k = 0; k < n_halo; k++) // the marks are done with, for this chunk
            s->seen[s->halo[k]] = own + k;
        make_runs(half, chunk, length);
        for (int k = 0; k < own; k++)
            half->source[block++] = find_diagonal(part, s->queue[begin + k]);
        for (int k = 0; k < own; k++)
            add_row(half, part, s, s->queue[begin + half->row[begin + k] / 4], &block, &column);
        for (int k = 0; k < n_halo; k++)
            s->seen[s->halo[k]] = -1;
        sum += own + n_halo - s->inner[c];
    }
}

// Who finds what for whom. By chunk, and within it by the chunk that it comes from.
static void make_shares(CondHalf* half, const CondBsr3Part* part, Scratch* s)
{
    int at = 0;
    for (int c = 0; c < half->n_chunk; c++)
        half->chunk[c].n_share = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < half->n_row; i++)
            s->seen[i] = -1;
        for (int c = 0; c < half->n_chunk; c++) {
            const CondHalfChunk* chunk = &half->chunk[c];
            int n_halo = 0;
            for (int k = 0; k < chunk->n_own; k++)
                visit_row(part, s, s->queue[s->begin[c] + k], &n_halo);
            qsort(s->halo, (size_t)n_halo, sizeof(int), ascending);
            for (int k = 0; k < n_halo; k++) {
                CondHalfChunk* owner = &half->chunk[s->chunk[s->halo[k]]];
                if (pass == 1)
                    half->share[owner->share_begin + owner->n_share] =
                        (CondHalfShare){4 * (s->place[s->halo[k]] - owner->n_inner),
                                        4 * (chunk->sum_begin + chunk->n_own - chunk->n_inner + k)};
                owner->n_share++;
            }
        }
        for (int c = 0; c < half->n_chunk && pass == 0; c++) {
            half->chunk[c].share_begin = at;
            at += half->chunk[c].n_share;
            half->chunk[c].n_share = 0;
        }
    }
}

CondStatus cond_half_plan(CondHalf* half, int n_part, const CondBsr3Part* part, int* fits)
{
    uint64_t key = cond_bsr3_parts_key(n_part, part);
    if (half->planned && half->key == key) {
        *fits = half->fits;
        return COND_OK;
    }
    half->planned = half->fits = *fits = 0;
    half->key = key;
    half->n_row = cond_bsr3_parts_rows(n_part, part);
    Scratch s = {0};
    CondStatus status = scratch_create(&half->context, half->n_row, &s);
    if (status)
        return status;
    int team = (half->n_row + TEAM * OWN - 1) / (TEAM * OWN);
    for (; half->n_row / (team * TEAM) >= LEAST_OWN && !half->fits && team > 0; team *= 2) {
        half->n_chunk = team * TEAM;
        cut(part, half->n_row, half->n_chunk, &s);
        order_chunks(part, half->n_chunk, &s);
        half->fits = measure(half, part, &s, half->n_chunk);
    }
    half->fits = half->fits && half->n_share <= MOST_HALO * half->n_row;
    if (half->fits)
        status = reserve(half);
    if (half->fits && !status) {
        lay_out(half, part, &s);
        make_shares(half, part, &s);
    }
    scratch_destroy(&half->context, &s);
    half->planned = !status;
    *fits = half->fits = half->fits && !status;
    return status;
}

typedef struct PackLoop {
    const CondHalf* half;
    const CondBsr3Part* part;
} PackLoop;

static const CondBsr3Part* find_part(const CondBsr3Part* part, int coordinate)
{
    while (coordinate >= part->begin + 3 * part->n_row)
        part++;
    return part;
}

static void pack_block(const CondHalf* half, const CondBsr3Part* part, size_t block)
{
    const double* from = part->rows.value + 9 * (size_t)half->source[block];
    if (!half->single) {
        memcpy((double*)half->value + 9 * block, from, 9 * sizeof *from);
        return;
    }
    for (size_t i = 0; i < 9; i++)
        ((float*)half->value)[9 * block + i] = (float)from[i];
}

static void pack_chunks(const void* loop, int first, int last)
{
    const PackLoop* l = loop;
    const CondHalf* half = l->half;
    for (int c = first; c < last; c++) {
        const CondHalfChunk* chunk = &half->chunk[c];
        const uint16_t* row = half->row + chunk->row_begin;
        const int* node = half->node + chunk->node_begin;
        size_t block = (size_t)chunk->block_begin;
        for (int i = 0; i < chunk->n_own; i++, block++)
            pack_block(half, find_part(l->part, node[i]), block);
        for (int k = 0; k < chunk->n_run; k++) {
            CondHalfRun run = half->run[chunk->run_begin + k];
            for (int r = 0; r < run.n_row; r++) {
                const CondBsr3Part* part = find_part(l->part, node[*row++ / 4]);
                for (int b = 0; b < run.n_block; b++, block++)
                    pack_block(half, part, block);
            }
        }
    }
}

CondStatus cond_half_pack(CondHalf* half, const CondBsr3Part* part, int single, int threads)
{
    size_t size = single ? sizeof(float) : sizeof(double);
    // The last block is read beyond its end.
    size_t bytes = (9 * (size_t)half->n_block + 3) * size;
    if (half->cap_value < bytes) {
        cond_release(&half->context, half->value);
        half->cap_value = 0;
        half->value = cond_allocate(&half->context, bytes, 1);
        if (!half->value)
            return COND_OUT_OF_MEMORY;
        half->cap_value = bytes;
    }
    half->single = single;
    PackLoop loop = {half, part};
    cond_parallel(half->n_chunk, cond_threads(9 * (size_t)half->n_block, threads), pack_chunks,
                  &loop);
    return COND_OK;
}

void cond_half_destroy(CondHalf* half)
{
    void* arrays[] = {half->chunk,  half->run,    half->share, half->node,      half->row,
                      half->column, half->source, half->value, half->sum_memory};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&half->context, arrays[i]);
    CondContext context = half->context;
    *half = (CondHalf){.context = context};
}
