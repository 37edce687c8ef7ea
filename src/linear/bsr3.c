// Sparse matrices of 3x3 blocks in compressed rows.
#include "linear/bsr3.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

// Elements of equally many nodes, which of them touch a node, and scratch for the nodes seen from
// one row.
typedef struct Incidence {
    int n_corner;       // nodes of an element
    const int* element; // their nodes                             (n_corner n_element)
    int* begin;         // offsets into around                             (n_node + 1)
    int* around;        // elements around each node               (n_corner n_element)
    int* stamp;         // last row that saw the node, plus one                (n_node)
    int* next;          // next free index of each row                         (n_node)
} Incidence;

static void incidence_destroy(const CondContext* context, Incidence* incidence)
{
    cond_release(context, incidence->begin);
    cond_release(context, incidence->around);
    cond_release(context, incidence->stamp);
    cond_release(context, incidence->next);
}

static CondStatus incidence_create(const CondContext* context, int n_node, int n_element,
                                   Incidence* incidence)
{
    int n_corner = incidence->n_corner;
    const int* element = incidence->element;
    size_t n = (size_t)n_corner * (size_t)n_element;
    incidence->begin = cond_allocate(context, (size_t)n_node + 1, sizeof(int));
    incidence->around = cond_allocate(context, n, sizeof(int));
    incidence->stamp = cond_allocate(context, (size_t)n_node, sizeof(int));
    incidence->next = cond_allocate(context, (size_t)n_node, sizeof(int));
    if (!incidence->begin || !incidence->around || !incidence->stamp || !incidence->next) {
        incidence_destroy(context, incidence);
        return COND_OUT_OF_MEMORY;
    }
    for (size_t k = 0; k < n; k++)
        incidence->begin[element[k] + 1]++;
    for (int i = 0; i < n_node; i++) {
        incidence->begin[i + 1] += incidence->begin[i];
        incidence->next[i] = incidence->begin[i];
    }
    for (int k = 0; k < n_corner * n_element; k++)
        incidence->around[incidence->next[element[k]]++] = k / n_corner;
    return COND_OK;
}

// Counts the nodes that share an element with node i, itself included, each once, and writes i
// into their rows where `column` is given. Because the pattern is symmetric, doing so while i
// ascends leaves every row sorted, without a sort.
static int visit_neighbours(int i, const Incidence* incidence, int stamp, int* column)
{
    int count = 1;
    incidence->stamp[i] = stamp;
    if (column)
        column[incidence->next[i]++] = i;
    for (int k = incidence->begin[i]; k < incidence->begin[i + 1]; k++)
        for (int a = 0; a < incidence->n_corner; a++) {
            int j = incidence->element[incidence->n_corner * incidence->around[k] + a];
            if (incidence->stamp[j] == stamp)
                continue;
            incidence->stamp[j] = stamp;
            count++;
            if (column)
                column[incidence->next[j]++] = i;
        }
    return count;
}

static void fill_pattern(const Incidence* incidence, CondBsr3Pattern* pattern)
{
    int n = pattern->n_row;
    for (int i = 0; i < n; i++)
        incidence->next[i] = pattern->row_begin[i];
    for (int i = 0; i < n; i++) {
        // Row i is complete up to column i - 1 by now, so its diagonal comes next.
        pattern->diagonal[i] = incidence->next[i];
        visit_neighbours(i, incidence, n + i + 1, pattern->column);
    }
}

CondStatus cond_bsr3_pattern_create(const CondContext* context, int n_node, int n_element,
                                    int n_corner, const int* element, CondBsr3Pattern* pattern)
{
    memset(pattern, 0, sizeof *pattern);
    // All pairs of the nodes of an element bound the blocks.
    if (n_node < 0 || n_element < 0 || n_corner < 1 ||
        n_element > INT_MAX / (2 * n_corner * n_corner) || n_node > INT_MAX / 4)
        return COND_BAD_ARGUMENT;
    for (int k = 0; k < n_corner * n_element; k++)
        if (element[k] < 0 || element[k] >= n_node)
            return COND_BAD_ARGUMENT;
    Incidence incidence = {.n_corner = n_corner, .element = element};
    CondStatus status = incidence_create(context, n_node, n_element, &incidence);
    if (status < 0)
        return status;
    pattern->n_row = n_node;
    pattern->row_begin = cond_allocate(context, (size_t)n_node + 1, sizeof(int));
    pattern->diagonal = cond_allocate(context, (size_t)n_node, sizeof(int));
    if (pattern->row_begin && pattern->diagonal) {
        for (int i = 0; i < n_node; i++)
            pattern->row_begin[i + 1] =
                pattern->row_begin[i] + visit_neighbours(i, &incidence, i + 1, NULL);
        pattern->column = cond_allocate(context, (size_t)pattern->row_begin[n_node], sizeof(int));
    }
    if (pattern->column) {
        fill_pattern(&incidence, pattern);
    } else {
        cond_bsr3_pattern_destroy(context, pattern);
        status = COND_OUT_OF_MEMORY;
    }
    incidence_destroy(context, &incidence);
    return status;
}

void cond_bsr3_pattern_destroy(const CondContext* context, CondBsr3Pattern* pattern)
{
    cond_release(context, pattern->row_begin);
    cond_release(context, pattern->column);
    cond_release(context, pattern->diagonal);
    memset(pattern, 0, sizeof *pattern);
}

int cond_bsr3_pattern_find(const CondBsr3Pattern* pattern, int i, int j)
{
    int low = pattern->row_begin[i], high = pattern->row_begin[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (pattern->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pattern->row_begin[i + 1] && pattern->column[low] == j ? low : -1;
}
