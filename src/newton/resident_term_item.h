// Terms of a problem, contacts and couplings, by items: rows J on a few points, for C and for CUDA.
// A point has three coordinates: first the nodes of soft bodies, then the coordinates of robots and
// rigid bodies in threes, the interface. An entry is the share of one point in one term. Terms list
// their entries, those of the interface first; points list theirs in the order of the terms, so
// that forces are gathered in a fixed order.
#ifndef COND_NEWTON_RESIDENT_TERM_ITEM_H
#define COND_NEWTON_RESIDENT_TERM_ITEM_H

#include "cond/problem.h"
#include "device/item.h"

#include <stddef.h>
#include <stdint.h>

typedef struct CondTermEntry {
    int term, point;
    ptrdiff_t at;  // index of J (rows x 3, world axes); -1: J = weight I
    double weight; //
} CondTermEntry;

typedef struct CondTermsView {
    int n, n_entry, n_point, n_node;
    int* entry_begin;           // of each term                                       (n + 1)
    const CondTermEntry* entry; //                                                    (n_entry)
    const double* J;            //
    int* point_begin;           // of each point                                      (n_point + 1)
    int* point_entry;           // entries by points                                  (n_entry)
    const int* several;         // 1: the term joins several nodes                    (n)
    double* factor;             // of an entry's block, so that no two nodes are coupled: the bound
                                // of soft/soft_system.h                              (n_entry)
    uint64_t* key;              // scratch                                            (n_entry)
    const int *row_begin, *of_row; // couplings: first row of each, coupling of each row
    const double* K;               // couplings: n_row x n_row each
    const int* K_begin;            //                                                    (n)
} CondTermsView;

COND_DEVICE int cond_terms_rows(const CondTermsView* t, int term)
{
    return t->row_begin ? t->row_begin[term + 1] - t->row_begin[term] : 3;
}

// ---- lists of the points

COND_DEVICE void cond_terms_key_item(const CondTermsView* t, int e)
{
    t->key[e] = (uint64_t)t->entry[e].point;
    t->point_entry[e] = e;
}

// The first of the sorted entries whose point is not before this one.
COND_DEVICE void cond_terms_begin_item(const CondTermsView* t, int point)
{
    int low = 0, high = t->n_entry;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->key[middle] < (uint64_t)point)
            low = middle + 1;
        else
            high = middle;
    }
    t->point_begin[point] = low;
}

// ---- entries of the contacts: count, offsets, fill. Those of one node alone have one, which is
// made here; the others' come from the host.

typedef struct CondEntriesView {
    const CondContact* contact;
    const int* lone;          // node of a contact that acts on it alone; -1     (n_contact)
    const int* other;         // the other contacts                              (n_other)
    const int* other_begin;   // their entries                                   (n_other + 1)
    const int* other_several; //                                                 (n_other)
    const CondTermEntry* other_entry; //
    int* entry_begin;     // counts, then offsets                            (n_contact + 1)
    int* several;         //                                                 (n_contact)
    CondTermEntry* entry; //
} CondEntriesView;

COND_DEVICE void cond_entries_count_item(const CondEntriesView* a, int c)
{
    a->entry_begin[c] = a->lone[c] >= 0;
    a->several[c] = 0;
}

COND_DEVICE void cond_entries_count_other_item(const CondEntriesView* a, int k)
{
    a->entry_begin[a->other[k]] = a->other_begin[k + 1] - a->other_begin[k];
    a->several[a->other[k]] = a->other_several[k];
}

COND_DEVICE void cond_entries_fill_item(const CondEntriesView* a, int c)
{
    CondTermEntry* e = &a->entry[a->entry_begin[c]];
    if (a->lone[c] < 0)
        return;
    e->term = c;
    e->point = a->lone[c];
    e->at = -1;
    e->weight = a->contact[c].side[0].n_coordinate > 0 ? 1.0 : -1.0;
}

COND_DEVICE void cond_entries_fill_other_item(const CondEntriesView* a, int k)
{
    for (int e = a->other_begin[k]; e < a->other_begin[k + 1]; e++)
        a->entry[a->entry_begin[a->other[k]] + e - a->other_begin[k]] = a->other_entry[e];
}

// ---- the bound without blocks between nodes

COND_DEVICE double cond_terms_size(const CondTermsView* t, const CondTermEntry* e)
{
    double sum = 0.0;
    if (e->at < 0)
        return sqrt(3.0) * fabs(e->weight);
    for (int k = 0; k < 3 * cond_terms_rows(t, e->term); k++)
        sum += t->J[e->at + k] * t->J[e->at + k];
    return sqrt(sum);
}

COND_DEVICE void cond_terms_factor_item(const CondTermsView* t, int term)
{
    double total = 0.0;
    for (int k = t->entry_begin[term]; k < t->entry_begin[term + 1]; k++)
        if (t->entry[k].point < t->n_node)
            total += cond_terms_size(t, &t->entry[k]);
    for (int k = t->entry_begin[term]; k < t->entry_begin[term + 1]; k++) {
        double size = cond_terms_size(t, &t->entry[k]);
        t->factor[k] = size > 0.0 ? total / size : 0.0;
    }
}

// ---- rows of three, of contacts

// p += J y
COND_DEVICE void cond_entry_add_velocity(const CondTermsView* t, const CondTermEntry* e,
                                         const double* y, double p[3])
{
    const double* J = t->J + e->at;
    for (int r = 0; r < 3; r++)
        p[r] += e->at < 0 ? e->weight * y[r]
                          : J[3 * r] * y[0] + J[3 * r + 1] * y[1] + J[3 * r + 2] * y[2];
}

// y += J' f
COND_DEVICE void cond_entry_add_force(const CondTermsView* t, const CondTermEntry* e,
                                      const double f[3], double y[3])
{
    const double* J = t->J + e->at;
    for (int k = 0; k < 3; k++)
        y[k] += e->at < 0 ? e->weight * f[k] : J[k] * f[0] + J[3 + k] * f[1] + J[6 + k] * f[2];
}

COND_DEVICE void cond_entry_jacobian(const CondTermsView* t, const CondTermEntry* e, double J[9])
{
    for (int k = 0; k < 9; k++)
        J[k] = e->at < 0 ? (k % 4 == 0 ? e->weight : 0.0) : t->J[e->at + k];
}

// M += scale J_e' K J_f
COND_DEVICE void cond_entry_add_pair(const CondTermsView* t, const CondTermEntry* e,
                                     const CondTermEntry* f, const double* K, double scale,
                                     double M[9])
{
    int n = cond_terms_rows(t, e->term);
    for (int r = 0; r < n; r++) {
        double y[3] = {0.0, 0.0, 0.0}; // row r of K J_f
        for (int s = 0; s < n; s++)
            for (int k = 0; k < 3; k++)
                y[k] += K[r * n + s] *
                        (f->at < 0 ? (s == k ? f->weight : 0.0) : t->J[f->at + 3 * s + k]);
        for (int i = 0; i < 3; i++) {
            double a = e->at < 0 ? (r == i ? e->weight : 0.0) : t->J[e->at + 3 * r + i];
            for (int k = 0; k < 3; k++)
                M[3 * i + k] += scale * a * y[k];
        }
    }
}

COND_KERNEL(cond_entries_counts, CondEntriesView, cond_entries_count_item)
COND_KERNEL(cond_entries_counts_other, CondEntriesView, cond_entries_count_other_item)
COND_KERNEL(cond_entries_fills, CondEntriesView, cond_entries_fill_item)
COND_KERNEL(cond_entries_fills_other, CondEntriesView, cond_entries_fill_other_item)
COND_KERNEL(cond_terms_keys, CondTermsView, cond_terms_key_item)
COND_KERNEL(cond_terms_begins, CondTermsView, cond_terms_begin_item)
COND_KERNEL(cond_terms_factors, CondTermsView, cond_terms_factor_item)

#endif
