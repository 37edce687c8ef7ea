// Nodes are bits. `missing` counts exactly: where a new edge joins u and v, it falls by two for
// every node next to both; of the neighbours of the node that goes it is counted anew.
#include "linear/block_fill.h"

#include "base/processor.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { WORD = CHAR_BIT * sizeof(uint64_t), GROUP = WORD }; // nodes of a word, and of a group

#define BODY static inline __attribute__((always_inline))

static uint64_t* row(const CondBlockFill* f, int i)
{
    return f->next + (size_t)i * (size_t)f->n_word;
}

static uint64_t bit(int i)
{
    return (uint64_t)1 << (i % WORD);
}

static int is_next(const CondBlockFill* f, int i, int j)
{
    return (row(f, i)[j / WORD] & bit(j)) != 0;
}

// Nodes of a set, ascending. Returns how many.
static int list_set(int n_word, const uint64_t* set, int* list)
{
    int n = 0;
    for (int w = 0; w < n_word; w++)
        for (uint64_t left = set[w]; left != 0; left &= left - 1)
            list[n++] = WORD * w + __builtin_ctzll(left);
    return n;
}

// How many nodes are in both sets.
BODY int count_both(int n_word, const uint64_t* a, const uint64_t* b)
{
    int n = 0;
    for (int w = 0; w < n_word; w++)
        n += __builtin_popcountll(a[w] & b[w]);
    return n;
}

// Ordered pairs of neighbours of i that are not next to each other; `list` has the neighbours.
BODY int count_missing(const CondBlockFill* f, int i, int n, const int* list)
{
    int missing = 0;
    for (int k = 0; k < n; k++)
        missing += n - 1 - count_both(f->n_word, row(f, i), row(f, list[k]));
    return missing;
}

COND_AVX2 static int count_missing_avx2(const CondBlockFill* f, int i, int n, const int* list)
{
    return count_missing(f, i, n, list);
}

static int count_missing_generic(const CondBlockFill* f, int i, int n, const int* list)
{
    return count_missing(f, i, n, list);
}

// Fill over the root of the degree, squared.
static void set_score(CondBlockFill* f, int i)
{
    double c = f->missing[i], d = f->degree[i];
    f->score[i] = d > 0.0 ? c * c / d : 0.0;
    f->best[i / GROUP] = -1;
}

static void count_anew(CondBlockFill* f, int i)
{
    f->degree[i] = list_set(f->n_word, row(f, i), f->list);
    f->missing[i] =
        (COND_HAS_AVX2 ? count_missing_avx2 : count_missing_generic)(f, i, f->degree[i], f->list);
    set_score(f, i);
}

CondStatus cond_block_fill_begin(CondBlockFill* f, CondArena* arena, int n_node, int n_edge,
                                 const int* edge)
{
    f->n_node = n_node;
    f->n_word = (n_node + WORD - 1) / WORD;
#define RESERVE(array, count) COND_RESERVE(arena, f->array, count)
    if (RESERVE(next, n_node * f->n_word) || RESERVE(common, f->n_word) ||
        RESERVE(degree, n_node) || RESERVE(missing, n_node) || RESERVE(score, n_node) ||
        RESERVE(best, n_node / GROUP + 1) || RESERVE(list, n_node))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    memset(f->next, 0, (size_t)n_node * (size_t)f->n_word * sizeof *f->next);
    for (int e = 0; e < n_edge; e++) {
        int i = edge[2 * e], j = edge[2 * e + 1];
        row(f, i)[j / WORD] |= bit(j);
        row(f, j)[i / WORD] |= bit(i);
    }
    for (int i = 0; i < n_node; i++)
        count_anew(f, i);
    return COND_OK;
}

// Is node i to be eliminated before node j? Of equal scores the one of least degree.
static int comes_before(const CondBlockFill* f, int i, int j)
{
    return f->score[i] < f->score[j] || (f->score[i] == f->score[j] && f->degree[i] < f->degree[j]);
}

static int best_of_group(const CondBlockFill* f, int group)
{
    int best = -1, end = GROUP * (group + 1) < f->n_node ? GROUP * (group + 1) : f->n_node;
    for (int i = GROUP * group; i < end; i++)
        if (f->degree[i] >= 0 && (best < 0 || comes_before(f, i, best)))
            best = i;
    return best;
}

int cond_block_fill_next(CondBlockFill* f)
{
    int best = -1, empty = f->n_node;
    for (int g = 0; GROUP * g < f->n_node; g++) {
        if (f->best[g] < 0)
            f->best[g] = best_of_group(f, g);
        if (f->best[g] < 0)
            f->best[g] = empty; // all of them are eliminated
        if (f->best[g] != empty && (best < 0 || comes_before(f, f->best[g], best)))
            best = f->best[g];
    }
    return best;
}

// Joins u and v, neighbours of p.
static void join(CondBlockFill* f, int p, int u, int v)
{
    for (int w = 0; w < f->n_word; w++)
        f->common[w] = row(f, u)[w] & row(f, v)[w] & ~row(f, p)[w];
    int n = list_set(f->n_word, f->common, f->list);
    for (int k = 0; k < n; k++) {
        f->missing[f->list[k]] -= 2;
        set_score(f, f->list[k]);
    }
    row(f, u)[v / WORD] |= bit(v);
    row(f, v)[u / WORD] |= bit(u);
}

int cond_block_fill_eliminate(CondBlockFill* f, int p, int* neighbour)
{
    int n = list_set(f->n_word, row(f, p), neighbour), joins = f->missing[p] > 0;
    for (int k = 0; k < n; k++)
        row(f, neighbour[k])[p / WORD] &= ~bit(p);
    f->degree[p] = -1;
    f->best[p / GROUP] = -1;
    for (int k = 1; k < n && joins; k++)
        for (int l = 0; l < k; l++)
            if (!is_next(f, neighbour[k], neighbour[l]))
                join(f, p, neighbour[k], neighbour[l]);
    for (int k = 0; k < n; k++) {
        int a = neighbour[k];
        if (joins) {
            count_anew(f, a);
            continue;
        }
        // Without p the pairs of p and a's other neighbours, those that are not p's, are gone.
        f->degree[a]--;
        f->missing[a] -= 2 * (f->degree[a] - count_both(f->n_word, row(f, a), row(f, p)));
        set_score(f, a);
    }
    return n;
}
