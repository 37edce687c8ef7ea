// Nodes of a graph in an order in which neighbours lie together: halved again and again along the
// longest way through it, down to leaves of a given size.
#include "linear/partition.h"

#include "base/memory.h"
#include "linear/tuning.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&partition->arena, partition->array, count)

// A body's share of the partition.
typedef struct Body {
    CondPartition* partition;
    const int *row_begin, *column;
    int first; // of its nodes in `order`, and their numbers' offset
    int leaf, largest_group;
} Body;

// Appends the nodes of the piece `from` that can be reached from `start` to the queue, by their
// distance; they become nodes of the piece `to`. Returns the new end of the queue.
static int reach(const Body* body, int start, int from, int to, int end)
{
    CondPartition* partition = body->partition;
    int *owner = partition->owner, *queue = partition->queue, at = end;
    queue[end++] = start;
    owner[start] = to;
    for (; at < end; at++) {
        int i = queue[at] - body->first;
        for (int k = body->row_begin[i]; k < body->row_begin[i + 1]; k++) {
            int j = body->first + body->column[k];
            if (owner[j] != from)
                continue;
            owner[j] = to;
            queue[end++] = j;
        }
    }
    return end;
}

// The nodes order[begin .. end - 1], by their distance from one at the far end; what is not
// connected with it follows.
static void line_up(const Body* body, int begin, int end)
{
    CondPartition* partition = body->partition;
    int *order = partition->order, piece = partition->n_piece, reached = begin;
    for (int k = begin; k < end; k++)
        partition->owner[order[k]] = piece;
    int start = order[begin];
    for (int s = 0; s < COND_FAR_SEARCHES; s++, piece++) {
        reached = reach(body, start, piece, piece + 1, begin);
        start = partition->queue[s < COND_FAR_SEARCHES - 1 ? reached - 1 : begin];
        for (int k = begin; k < end && s < COND_FAR_SEARCHES - 1;
             k++) // those not reached come along
            partition->owner[order[k]] = piece + 1;
    }
    for (int k = begin; k < end && reached < end; k++)
        if (partition->owner[order[k]] == piece - 1)
            reached = reach(body, order[k], piece - 1, piece, reached);
    partition->n_piece = piece + 1;
    memcpy(order + begin, partition->queue + begin, (size_t)(end - begin) * sizeof *order);
}

// Makes leaves of order[begin .. end - 1]; `grouped` where it is part of a group already.
static CondStatus halve(const Body* body, int begin, int end, int grouped)
{
    CondPartition* partition = body->partition;
    int size = end - begin, pieces = (size + body->leaf - 1) / body->leaf;
    if (!grouped && (size <= body->largest_group || pieces == 1)) {
        partition->n_group++;
        grouped = 1;
    }
    if (pieces == 1) {
        int k = partition->n_leaf++;
        if (RESERVE(leaf_begin, k + 2) || RESERVE(leaf_group, k + 1))
            return COND_OUT_OF_MEMORY;
        partition->leaf_begin[k] = begin;
        partition->leaf_begin[k + 1] = end;
        partition->leaf_group[k] = partition->n_group - 1;
        return COND_OK;
    }
    line_up(body, begin, end);
    int middle = begin + (pieces / 2) * body->leaf;
    CondStatus status = halve(body, begin, middle, grouped);
    return status ? status : halve(body, middle, end, grouped);
}

void cond_partition_clear(CondPartition* partition)
{
    partition->n = partition->n_leaf = partition->n_group = partition->n_piece = 0;
}

CondStatus cond_partition_add(CondPartition* partition, int n, const int* row_begin,
                              const int* column, int leaf, int largest_group)
{
    int first = partition->n;
    Body body = {partition, row_begin, column, first, leaf, largest_group};
    if (n == 0)
        return COND_OK;
    if (RESERVE(order, first + n) || RESERVE(owner, first + n) || RESERVE(queue, first + n))
        return COND_OUT_OF_MEMORY;
    partition->n += n;
    for (int i = first; i < first + n; i++) {
        partition->order[i] = i;
        partition->owner[i] = -1;
    }
    return halve(&body, first, first + n, 0);
}

void cond_partition_destroy(CondPartition* partition)
{
    cond_arena_release(&partition->arena);
}
