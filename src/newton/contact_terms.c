// Terms J' D J of contacts by supernodes: their J once a solve, their D J once a factorisation.
#include "newton/contact_terms.h"

#include "base/memory.h"
#include "problem/term.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&terms->arena, terms->array, count)

static CondTerm term_of(const CondContactTerms* terms, int k)
{
    int begin = terms->begin[k];
    return (CondTerm){.n_row = 3,
                      .n_entry = terms->begin[k + 1] - begin,
                      .coordinate = terms->coordinate + begin,
                      .J = terms->J + 3 * (ptrdiff_t)begin,
                      .row = 1,
                      .entry = 3,
                      .KJ = terms->KJ + 3 * (ptrdiff_t)begin};
}

// The blocks of a term, one for each pair of its runs.
static CondStatus list_blocks(CondContactTerms* terms, int k, const CondBlockLu* H, const int* node)
{
    CondTerm term = term_of(terms, k);
    for (int l = 0, l_end; l < term.n_entry; l = l_end) {
        int j = node[term.coordinate[l]];
        l_end = cond_term_run_end(&term, node, l);
        for (int r = 0, r_end; r < term.n_entry; r = r_end) {
            int i = node[term.coordinate[r]], n = terms->n_job;
            r_end = cond_term_run_end(&term, node, r);
            if (RESERVE(found, n + 1) || RESERVE(holder, n + 1))
                return COND_OUT_OF_MEMORY;
            terms->found[n] =
                (CondTermBlock){k, {r, r_end}, {l, l_end}, cond_block_lu_block(H, i, j)};
            terms->holder[n] = cond_block_lu_holder(H, i, j);
            terms->n_job++;
        }
    }
    return COND_OK;
}

// By supernodes, in each as they came. Of n_node nodes; there is memory for as many supernodes,
// however others of these are joined.
static CondStatus sort_blocks(CondContactTerms* terms, int n_super, int n_node)
{
    if (RESERVE(job_begin, n_node + 2) || RESERVE(job, terms->n_job))
        return COND_OUT_OF_MEMORY;
    int* begin = terms->job_begin;
    memset(begin, 0, ((size_t)n_super + 2) * sizeof *begin);
    for (int b = 0; b < terms->n_job; b++)
        begin[terms->holder[b] + 2]++;
    for (int s = 0; s < n_super; s++)
        begin[s + 2] += begin[s + 1];
    for (int b = 0; b < terms->n_job; b++)
        terms->job[begin[terms->holder[b] + 1]++] = terms->found[b];
    return COND_OK;
}

CondStatus cond_contact_terms_plan(CondContactTerms* terms, const CondProblem* problem,
                                   const CondBlockLu* H, const int* node, const int* home)
{
    int n_entry = 0;
    terms->n = terms->n_job = 0;
    if (RESERVE(contact, problem->n_contact) || RESERVE(open, problem->n_contact) ||
        RESERVE(begin, problem->n_contact + 1))
        return COND_OUT_OF_MEMORY;
    terms->begin[0] = 0;
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        if (home[c] >= 0)
            continue;
        n_entry += side[0].n_coordinate + side[1].n_coordinate;
        terms->contact[terms->n++] = c;
        terms->begin[terms->n] = n_entry;
    }
    if (RESERVE(coordinate, n_entry) || RESERVE(place, n_entry) || RESERVE(J, 3 * n_entry) ||
        RESERVE(KJ, 3 * n_entry))
        return COND_OUT_OF_MEMORY;
    CondStatus status = COND_OK;
    for (int k = 0; k < terms->n && !status; k++) {
        int begin = terms->begin[k];
        cond_term_contact(&problem->contact[terms->contact[k]], 1, NULL, terms->coordinate + begin,
                          terms->J + 3 * (ptrdiff_t)begin);
        for (int e = begin; e < terms->begin[k + 1]; e++)
            terms->place[e] = terms->coordinate[e] - H->first[node[terms->coordinate[e]]];
        status = list_blocks(terms, k, H, node);
    }
    return status ? status : sort_blocks(terms, H->super.n, H->n_node);
}

void cond_contact_terms_set(CondContactTerms* terms, const double* D, int stride)
{
    terms->D = D;
    terms->stride = stride;
}

static int is_open(const double* D)
{
    for (int i = 0; i < 9; i++)
        if (D[i] != 0.0)
            return 0;
    return 1;
}

void cond_contact_terms_prepare(CondContactTerms* terms, int share)
{
    for (int k = share; k < terms->n; k += COND_TOP + 1) {
        const double* D = terms->D + (ptrdiff_t)terms->stride * terms->contact[k];
        CondTerm term = term_of(terms, k);
        term.K = D;
        terms->open[k] = is_open(D);
        if (!terms->open[k])
            cond_term_keep(&term, terms->KJ + 3 * (ptrdiff_t)terms->begin[k]);
    }
}

void cond_contact_terms_fill(const CondContactTerms* terms, int super)
{
    for (int b = terms->job_begin[super]; b < terms->job_begin[super + 1]; b++) {
        const CondTermBlock* block = &terms->job[b];
        int begin = terms->begin[block->term];
        if (terms->open[block->term])
            continue;
        for (int q = begin + block->column[0]; q < begin + block->column[1]; q++)
            for (int p = begin + block->row[0]; p < begin + block->row[1]; p++) {
                const double *a = terms->J + 3 * (ptrdiff_t)p, *k = terms->KJ + 3 * (ptrdiff_t)q;
                double sum = 0.0;
                for (int r = 0; r < 3; r++)
                    sum += a[r] * k[r];
                block->entry.value[terms->place[p] * block->entry.row +
                                   terms->place[q] * block->entry.column] += sum;
            }
    }
}

void cond_contact_terms_destroy(CondContactTerms* terms)
{
    cond_arena_release(&terms->arena);
}
