// Sparse matrices in compressed rows: from triplets, transpose.
#include "fclib/csr.h"

#include <string.h>

#include "base/memory.h"

static CondStatus allocate_arrays(const CondContext* context, int n_row, int n_col, int n_entry,
                                  CondCsr* csr)
{
    memset(csr, 0, sizeof *csr);
    csr->row_begin = cond_allocate(context, (size_t)n_row + 1, sizeof *csr->row_begin);
    csr->column = cond_allocate(context, (size_t)n_entry, sizeof *csr->column);
    csr->value = cond_allocate(context, (size_t)n_entry, sizeof *csr->value);
    if (!csr->row_begin || !csr->column || !csr->value) {
        cond_csr_destroy(context, csr);
        return COND_OUT_OF_MEMORY;
    }
    csr->n_row = n_row;
    csr->n_col = n_col;
    return COND_OK;
}

void cond_csr_destroy(const CondContext* context, CondCsr* csr)
{
    cond_release(context, csr->row_begin);
    cond_release(context, csr->column);
    cond_release(context, csr->value);
    memset(csr, 0, sizeof *csr);
}

// Turns counts kept in begin[1 .. n] into offsets begin[0 .. n].
static void sum_counts(int n, int* begin)
{
    for (int i = 0; i < n; i++)
        begin[i + 1] += begin[i];
}

// While entries are placed, begin[i] runs from the start of row i to its end, which is where row
// i + 1 starts; moving everything up by one restores the offsets without a second array.
static void restore_offsets(int n, int* begin)
{
    for (int i = n; i > 0; i--)
        begin[i] = begin[i - 1];
    begin[0] = 0;
}

// Adds neighbours of the same column. Rows are sorted, so duplicates are neighbours.
static void sum_duplicates(CondCsr* csr)
{
    int end = 0;
    for (int i = 0; i < csr->n_row; i++) {
        int begin = end;
        for (int k = csr->row_begin[i]; k < csr->row_begin[i + 1]; k++) {
            if (end > begin && csr->column[end - 1] == csr->column[k]) {
                csr->value[end - 1] += csr->value[k];
            } else {
                csr->column[end] = csr->column[k];
                csr->value[end] = csr->value[k];
                end++;
            }
        }
        csr->row_begin[i] = begin;
    }
    csr->row_begin[csr->n_row] = end;
}

CondStatus cond_csr_create(const CondContext* context, int n_row, int n_col, int n_entry,
                           const int* row, const int* column, const double* value, CondCsr* csr)
{
    memset(csr, 0, sizeof *csr);
    if (n_row < 0 || n_col < 0 || n_entry < 0)
        return COND_BAD_ARGUMENT;
    for (int k = 0; k < n_entry; k++)
        if (row[k] < 0 || row[k] >= n_row || column[k] < 0 || column[k] >= n_col)
            return COND_BAD_ARGUMENT;

    // Bucketing by column and then by row, both stable, leaves every row with ascending columns
    // and equal columns in the order given: no comparison sort, O(entries + rows + columns).
    CondCsr by_column;
    CondStatus status = allocate_arrays(context, n_col, n_row, n_entry, &by_column);
    if (status < 0)
        return status;
    for (int k = 0; k < n_entry; k++)
        by_column.row_begin[column[k] + 1]++;
    sum_counts(n_col, by_column.row_begin);
    for (int k = 0; k < n_entry; k++) {
        int place = by_column.row_begin[column[k]]++;
        by_column.column[place] = row[k];
        by_column.value[place] = value[k];
    }
    restore_offsets(n_col, by_column.row_begin);

    status = cond_csr_transpose(context, &by_column, csr);
    cond_csr_destroy(context, &by_column);
    if (status == COND_OK)
        sum_duplicates(csr);
    return status;
}

CondStatus cond_csr_transpose(const CondContext* context, const CondCsr* A, CondCsr* T)
{
    int n_entry = A->row_begin[A->n_row];
    CondStatus status = allocate_arrays(context, A->n_col, A->n_row, n_entry, T);
    if (status < 0)
        return status;
    for (int k = 0; k < n_entry; k++)
        T->row_begin[A->column[k] + 1]++;
    sum_counts(T->n_row, T->row_begin);
    for (int i = 0; i < A->n_row; i++) {
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++) {
            int place = T->row_begin[A->column[k]]++;
            T->column[place] = i;
            T->value[place] = A->value[k];
        }
    }
    restore_offsets(T->n_row, T->row_begin);
    return COND_OK;
}
