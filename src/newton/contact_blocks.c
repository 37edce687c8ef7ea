// Contributions of contacts between rigid bodies to the matrix of a Newton step: J' D J on the six
// coordinates of one body or of two.
#include "newton/contact_blocks.h"

#include "base/processor.h"
#include "linear/block_lu_kernel.h"

#include <string.h>

enum { BOTH = 2 * COND_SIX, NUMBERS = 3 * BOTH }; // coordinates of two bodies; three rows of them

#define RESERVE(array, count) COND_RESERVE(&blocks->arena, blocks->array, count)

// The node of a side that has its six coordinates in order; -1: the side is fixed, -2: another.
static int node_of(const CondBlockLu* H, const int* node, const CondSide* side)
{
    const int* k = side->coordinate;
    if (side->n_coordinate == 0)
        return -1;
    if (side->n_coordinate != 6 || !side->jacobian)
        return -2;
    for (int i = 1; i < 6; i++)
        if (k[i] != k[0] + i)
            return -2;
    return H->size[node[k[0]]] == 6 && H->first[node[k[0]]] == k[0] ? node[k[0]] : -2;
}

// The pair of nodes a and b, found among those of a or new.
static int find_pair(CondContactBlocks* blocks, int a, int b)
{
    int p = blocks->last[a];
    while (p >= 0 && blocks->found[p].node[1] != b)
        p = blocks->next[p];
    if (p >= 0)
        return p;
    p = blocks->n_pair++;
    blocks->found[p] = (CondPairBlocks){.node = {a, b}};
    blocks->next[p] = blocks->last[a];
    blocks->last[a] = p;
    return p;
}

// The pair of a contact and the side of its first node, as `home` has them: nodes ascending, but
// the world comes last.
static int find_home(CondContactBlocks* blocks, const CondBlockLu* H, const int* node,
                     const CondContact* contact)
{
    int a = node_of(H, node, &contact->side[0]), b = node_of(H, node, &contact->side[1]);
    if (a < -1 || b < -1 || a == b)
        return -1;
    int side = a < 0 || (b >= 0 && b < a);
    return 2 * find_pair(blocks, side ? b : a, side ? a : b) + side;
}

// R J of one side with its sign, six columns of three rows.
static void turn(const CondContact* contact, int s, double* J)
{
    const double *R = contact->frame, *side = contact->side[s].jacobian;
    double sign = s == 0 ? 1.0 : -1.0;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 6; k++)
            J[BOTH * r + k] = sign * (R[3 * r] * side[k] + R[3 * r + 1] * side[6 + k] +
                                      R[3 * r + 2] * side[12 + k]);
}

// By shares of the factorisation, that of the supernode which holds most of a pair's blocks: what a
// thread writes lies together, and is read by the same.
static void sort_pairs(CondContactBlocks* blocks, const CondBlockLu* H)
{
    int at = 0;
    for (int share = 0; share <= COND_TOP; share++) {
        blocks->share[share] = at;
        for (int p = 0; p < blocks->n_pair; p++) {
            int a = blocks->found[p].node[0], b = blocks->found[p].node[1];
            int s = cond_block_lu_holder(H, a, b < 0 ? a : b);
            if (s < H->super.share[share] || s >= H->super.share[share + 1])
                continue;
            blocks->number[p] = at;
            blocks->pair[at++] = blocks->found[p];
        }
    }
    blocks->share[COND_TOP + 1] = at;
}

// Sorts the contacts by pairs; each pair's in their order.
static void list_contacts(CondContactBlocks* blocks, const CondProblem* problem,
                          const CondBlockLu* H, const int* node)
{
    for (int i = 0; i < H->n_node; i++)
        blocks->last[i] = -1;
    blocks->n_pair = blocks->n_contact = 0;
    for (int c = 0; c < problem->n_contact; c++) {
        int home = blocks->home[c] = find_home(blocks, H, node, &problem->contact[c]);
        if (home >= 0)
            blocks->found[home / 2].end++;
        blocks->n_contact += home >= 0;
    }
    sort_pairs(blocks, H);
    for (int p = 0, at = 0; p < blocks->n_pair; p++) {
        blocks->pair[p].begin = at;
        at += blocks->pair[p].end;
        blocks->pair[p].end = blocks->pair[p].begin;
    }
    for (int c = 0; c < problem->n_contact; c++) {
        int home = blocks->home[c], side = home % 2;
        if (home < 0)
            continue;
        CondPairBlocks* pair = &blocks->pair[blocks->number[home / 2]];
        double* J = blocks->J + NUMBERS * (ptrdiff_t)pair->end;
        blocks->contact[pair->end++] = c;
        turn(&problem->contact[c], side, J);
        if (pair->node[1] >= 0)
            turn(&problem->contact[c], 1 - side, J + 6);
        else
            for (int r = 0; r < 3; r++)
                memset(J + BOTH * r + 6, 0, 6 * sizeof *J);
    }
}

// Nodes of the rows and columns of a pair's block; 0 where there is none.
static int nodes_of(const CondPairBlocks* pair, int block, int* i, int* j)
{
    *i = pair->node[block >= 2];
    *j = pair->node[block % 2];
    return *i >= 0 && *j >= 0;
}

// Which blocks each supernode holds, in the order of the pairs.
static void list_jobs(CondContactBlocks* blocks, const CondBlockLu* H)
{
    int i, j, n = H->super.n, *begin = blocks->job_begin;
    memset(begin, 0, (size_t)(n + 2) * sizeof *begin);
    for (int k = 0; k < COND_PAIR_BLOCKS * blocks->n_pair; k++)
        if (nodes_of(&blocks->pair[k / COND_PAIR_BLOCKS], k % COND_PAIR_BLOCKS, &i, &j))
            begin[cond_block_lu_holder(H, i, j) + 2]++;
    for (int s = 0; s <= n; s++)
        begin[s + 1] += begin[s];
    for (int k = 0; k < COND_PAIR_BLOCKS * blocks->n_pair; k++) {
        CondPairBlocks* pair = &blocks->pair[k / COND_PAIR_BLOCKS];
        if (nodes_of(pair, k % COND_PAIR_BLOCKS, &i, &j)) {
            pair->block[k % COND_PAIR_BLOCKS] = cond_block_lu_block(H, i, j);
            blocks->job[begin[cond_block_lu_holder(H, i, j) + 1]++] = k;
        }
    }
}

CondStatus cond_contact_blocks_plan(CondContactBlocks* blocks, const CondProblem* problem,
                                    const CondBlockLu* H, const int* node)
{
    int n = problem->n_contact;
    if (RESERVE(pair, n) || RESERVE(found, n) || RESERVE(number, n) || RESERVE(contact, n) ||
        RESERVE(J, NUMBERS * n) || RESERVE(row, NUMBERS * n) || RESERVE(force, NUMBERS * n) ||
        RESERVE(job_begin, H->n_node + 2) || RESERVE(job, COND_PAIR_BLOCKS * n) ||
        RESERVE(last, H->n_node) || RESERVE(next, n) || RESERVE(home, n))
        return COND_OUT_OF_MEMORY;
    list_contacts(blocks, problem, H, node);
    list_jobs(blocks, H);
    return COND_OK;
}

// force = - D J
static inline __attribute__((always_inline)) void press(const double* D, const double* restrict J,
                                                        double* restrict force)
{
    for (int r = 0; r < 3; r++) {
        double a = -D[3 * r], b = -D[3 * r + 1], c = -D[3 * r + 2];
        for (int k = 0; k < BOTH; k++)
            force[BOTH * r + k] = a * J[k] + b * J[BOTH + k] + c * J[2 * BOTH + k];
    }
}

// Rows of J and of - D J of the contacts that are not open.
static inline __attribute__((always_inline)) void make_rows(const CondContactBlocks* blocks,
                                                            CondPairBlocks* pair)
{
    static const double open[9] = {0.0};
    ptrdiff_t to = NUMBERS * (ptrdiff_t)pair->begin;
    pair->n_row = 0;
    for (int k = pair->begin; k < pair->end; k++) {
        const double* D = blocks->D + (ptrdiff_t)blocks->stride * blocks->contact[k];
        const double* J = blocks->J + NUMBERS * (ptrdiff_t)k;
        if (memcmp(D, open, sizeof open) == 0)
            continue;
        memcpy(blocks->row + to, J, NUMBERS * sizeof *J);
        press(D, J, blocks->force + to);
        pair->n_row += 3;
        to += NUMBERS;
    }
}

COND_AVX2 static void make_avx2(const CondContactBlocks* blocks, int first, int last)
{
    for (int p = first; p < last; p++)
        make_rows(blocks, &blocks->pair[p]);
}

static void make_generic(const CondContactBlocks* blocks, int first, int last)
{
    for (int p = first; p < last; p++)
        make_rows(blocks, &blocks->pair[p]);
}

static void prepare(void* data, int share)
{
    const CondContactBlocks* blocks = data;
    (COND_HAS_AVX2 ? make_avx2 : make_generic)(blocks, blocks->share[share],
                                               blocks->share[share + 1]);
}

// A block of rows i and columns j is J_i' D J_j. In L' its transpose is meant.
static void fill(const void* data, int super)
{
    const CondContactBlocks* blocks = data;
    for (int k = blocks->job_begin[super]; k < blocks->job_begin[super + 1]; k++) {
        const CondPairBlocks* pair = &blocks->pair[blocks->job[k] / COND_PAIR_BLOCKS];
        int block = blocks->job[k] % COND_PAIR_BLOCKS;
        const CondBlockLuEntry* to = &pair->block[block];
        const double* J = blocks->row + NUMBERS * (ptrdiff_t)pair->begin;
        const double* force = blocks->force + NUMBERS * (ptrdiff_t)pair->begin;
        J += block >= 2 ? 6 : 0;
        force += block % 2 ? 6 : 0;
        if (to->column == 1)
            cond_panel_subtract(6, 6, pair->n_row, (CondPanel){J, 1, BOTH}, force, BOTH, to->value,
                                to->row);
        else
            cond_panel_subtract(6, 6, pair->n_row, (CondPanel){force, 1, BOTH}, J, BOTH, to->value,
                                to->column);
    }
}

CondBlockLuSource cond_contact_blocks_source(CondContactBlocks* blocks, const double* D, int stride)
{
    blocks->D = D;
    blocks->stride = stride;
    return (CondBlockLuSource){prepare, fill, blocks};
}

void cond_contact_blocks_destroy(CondContactBlocks* blocks)
{
    cond_arena_release(&blocks->arena);
}
