// Contacts and couplings of a problem as terms on points, for the resident method
// (resident_term_item.h). The host makes the entries of couplings and of the contacts that do not
// act on one node alone, from what the problem points to; the device makes those of the others, and
// the lists of the points.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "newton/resident_part.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&r->arena, r->array, count)
#define ROOM(field, n)                                                                             \
    ((field) = cond_resident_room(r, &r->of_terms, (size_t)(n) * sizeof *(field)))
#define PUT(field, from, n)                                                                        \
    ((field) = cond_resident_put(r, &r->of_terms, from, (size_t)(n) * sizeof *(field)))

// Entries of a term, as they come; entry NULL: they are only counted.
typedef struct Entries {
    const CondSoftSystem* system;
    CondTermEntry* entry;
    double* J; // of the whole problem, rows x 3 an entry
    ptrdiff_t at;
    int term, rows, n;
    int shortens; // 1: entries may do without a Jacobian
} Entries;

// Which of the three coordinates of its point a coordinate is.
static int point_of(const CondSoftSystem* system, int coordinate, int* component)
{
    int node = system->node[coordinate], i = system->interface[coordinate];
    *component = node >= 0 ? coordinate - system->place[node] : i % 3;
    return node >= 0 ? node : system->n_node + i / 3;
}

// An entry whose Jacobian is a multiple of the identity, as that of a node in a linear element,
// needs none.
static void shorten(CondTermEntry* entry, const double* J)
{
    for (int e = 0; e < 9; e++)
        if (J[e] != (e % 4 == 0 ? J[0] : 0.0))
            return;
    entry->at = -1;
    entry->weight = J[0];
}

static void end_entry(const Entries* list, int point)
{
    if (point >= 0 && list->entry && list->shortens)
        shorten(&list->entry[list->n - 1], list->J + list->entry[list->n - 1].at);
}

// The columns of J (rows x n; NULL: the identity) that belong to the interface, or to nodes.
static void add_columns(Entries* list, int n, const int* coordinate, const double* J, double sign,
                        int of_interface)
{
    int last = -1;
    for (int k = 0; k < n; k++) {
        int component, point = point_of(list->system, coordinate[k], &component);
        if ((point >= list->system->n_node) != of_interface)
            continue;
        if (point != last) {
            end_entry(list, last);
            if (list->entry) {
                list->entry[list->n] = (CondTermEntry){list->term, point, list->at, 0.0};
                memset(list->J + list->at, 0, 3 * (size_t)list->rows * sizeof *list->J);
                list->at += (ptrdiff_t)3 * list->rows;
            }
            list->n++;
            last = point;
        }
        for (int r = 0; r < list->rows && list->entry; r++)
            list->J[list->entry[list->n - 1].at + 3 * r + component] +=
                sign * (J ? J[r * n + k] : (double)(r == k));
    }
    end_entry(list, last);
}

static void add_contact(Entries* list, const CondContact* contact)
{
    for (int of_interface = 1; of_interface >= 0; of_interface--)
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &contact->side[s];
            add_columns(list, side->n_coordinate, side->coordinate, side->jacobian, s ? -1.0 : 1.0,
                        of_interface);
        }
}

// The contacts that do not act on one node alone, shared out.
typedef struct OtherLoop {
    const CondResident* r;
    const CondSoftSystem* system;
    int fills; // 0: entries are counted
} OtherLoop;

static void list_others(const void* data, int first, int last)
{
    const OtherLoop* loop = data;
    const CondResident* r = loop->r;
    const CondSoftSystem* system = loop->system;
    for (int k = first; k < last; k++) {
        int c = system->other[k];
        Entries list = {.system = system, .term = c, .rows = 3, .shortens = 1};
        if (loop->fills) {
            list.entry = r->entry + r->other_begin[k];
            list.J = r->jacobian;
            list.at = 9 * (ptrdiff_t)r->other_begin[k];
        }
        add_contact(&list, &system->problem->contact[c]);
        if (!loop->fills)
            r->other_begin[k] = list.n;
        r->other_several[k] = system->joins[c] == COND_JOINS_SEVERAL;
    }
}

static void each_other(CondResident* r, const CondSoftSystem* system, int fills)
{
    OtherLoop loop = {r, system, fills};
    int n = system->n_other;
    cond_parallel(n, cond_threads(COND_CONTACT_WORK * (size_t)n, system->threads), list_others,
                  &loop);
}

// Entries of the contacts that are not lone, by the host: r->entry and r->jacobian.
static CondStatus make_others(CondResident* r, const CondSoftSystem* system)
{
    int n = system->n_other, sum = 0;
    if (RESERVE(other_begin, n + 1) || RESERVE(other_several, n))
        return COND_OUT_OF_MEMORY;
    each_other(r, system, 0);
    for (int k = 0; k < n; k++) {
        int count = r->other_begin[k];
        r->other_begin[k] = sum;
        sum += count;
    }
    r->other_begin[n] = sum;
    if (RESERVE(entry, sum) || RESERVE(jacobian, 9 * sum))
        return COND_OUT_OF_MEMORY;
    each_other(r, system, 1);
    return COND_OK;
}

// The lists of the points, and bounds of the blocks, on the device.
static void list_points(CondResident* r, CondTermsView* t)
{
    uint64_t* spare_key;
    int* spare;
    ROOM(t->point_begin, t->n_point + 1);
    ROOM(t->point_entry, t->n_entry);
    ROOM(t->key, t->n_entry);
    ROOM(t->factor, t->n_entry);
    ROOM(spare_key, t->n_entry);
    ROOM(spare, t->n_entry);
    cond_resident_loop(r, &cond_terms_factors, t->n, COND_CONTACT_WORK, t);
    cond_resident_loop(r, &cond_terms_keys, t->n_entry, 2, t);
    if (!r->status)
        r->status =
            r->device->ops->sort(r->device, t->n_entry, t->key, t->point_entry, spare_key, spare);
    cond_resident_loop(r, &cond_terms_begins, t->n_point + 1, 32, t);
}

static CondStatus put_contacts(CondResident* r, const CondSoftSystem* system)
{
    int nc = system->problem->n_contact, n = system->n_other;
    CondTermsView* t = &r->linear.v.of_contact;
    CondEntriesView list = {.contact = r->linear.v.contact};
    CondStatus status = make_others(r, system);
    if (status)
        return status;
    int n_other = r->other_begin[n];
    memset(t, 0, sizeof *t);
    t->n = nc;
    t->n_node = r->linear.v.n_node;
    t->n_point = r->linear.v.n_point;
    t->n_entry = nc - n + n_other;
    PUT(list.lone, system->lone, nc);
    PUT(list.other, system->other, n);
    PUT(list.other_begin, r->other_begin, n + 1);
    PUT(list.other_several, r->other_several, n);
    PUT(list.other_entry, r->entry, n_other);
    ROOM(list.entry_begin, nc + 1);
    ROOM(list.several, nc);
    ROOM(list.entry, t->n_entry);
    PUT(t->J, r->jacobian, 9 * (size_t)n_other);
    cond_resident_loop(r, &cond_entries_counts, nc, 2, &list);
    cond_resident_loop(r, &cond_entries_counts_other, n, 4, &list);
    if (!r->status)
        r->status = r->device->ops->scan(r->device, nc, list.entry_begin);
    cond_resident_loop(r, &cond_entries_fills, nc, 4, &list);
    cond_resident_loop(r, &cond_entries_fills_other, n, COND_COORDINATE_WORK, &list);
    t->entry_begin = list.entry_begin;
    t->entry = list.entry;
    t->several = list.several;
    list_points(r, t);
    return r->status;
}

// Rows and gains of the couplings, which become r->n_row and r->n_gain, and their entries.
static int count_couplings(CondResident* r, const CondSoftSystem* system, size_t* n_J)
{
    const CondProblem* problem = system->problem;
    int n = 0;
    r->n_row = r->n_gain = 0;
    *n_J = 0;
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* coupling = &problem->coupling[i];
        Entries list = {.system = system, .rows = coupling->n_row};
        for (int of_interface = 1; of_interface >= 0; of_interface--)
            add_columns(&list, coupling->n_coordinate, coupling->coordinate, coupling->jacobian,
                        1.0, of_interface);
        n += list.n;
        *n_J += 3 * (size_t)(list.n * coupling->n_row);
        r->n_row += coupling->n_row;
        r->n_gain += coupling->n_row * coupling->n_row;
    }
    return n;
}

static void fill_couplings(CondResident* r, const CondSoftSystem* system)
{
    const CondProblem* problem = system->problem;
    int row = 0, gain = 0, at = 0;
    ptrdiff_t J = 0;
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* coupling = &problem->coupling[i];
        Entries list = {.system = system,
                        .entry = r->coupling_entry + at,
                        .J = r->coupling_jacobian,
                        .at = J,
                        .term = i,
                        .rows = coupling->n_row};
        r->coupling_begin[i] = at;
        r->coupling_row[i] = row;
        r->coupling_gain[i] = gain;
        int nodes = 0;
        for (int of_interface = 1; of_interface >= 0; of_interface--) {
            nodes = -list.n;
            add_columns(&list, coupling->n_coordinate, coupling->coordinate, coupling->jacobian,
                        1.0, of_interface);
        }
        r->coupling_several[i] = nodes + list.n > 1;
        memcpy(r->gains + gain, coupling->gain,
               (size_t)(coupling->n_row * coupling->n_row) * sizeof *r->gains);
        for (int k = 0; k < coupling->n_row; k++)
            r->row_coupling[row + k] = i;
        at += list.n;
        J = list.at;
        row += coupling->n_row;
        gain += coupling->n_row * coupling->n_row;
    }
    r->coupling_begin[problem->n_coupling] = at;
    r->coupling_row[problem->n_coupling] = row;
}

static CondStatus put_couplings(CondResident* r, const CondSoftSystem* system)
{
    int n = system->problem->n_coupling;
    size_t n_J;
    CondTermsView* t = &r->linear.v.of_coupling;
    memset(t, 0, sizeof *t);
    t->n = n;
    int n_entry = count_couplings(r, system, &n_J);
    if (n == 0)
        return COND_OK;
    if (RESERVE(coupling_entry, n_entry) || RESERVE(coupling_jacobian, (int)n_J) ||
        RESERVE(coupling_begin, n + 1) || RESERVE(coupling_row, n + 1) ||
        RESERVE(coupling_gain, n) || RESERVE(coupling_several, n) || RESERVE(gains, r->n_gain) ||
        RESERVE(row_coupling, r->n_row))
        return COND_OUT_OF_MEMORY;
    fill_couplings(r, system);
    t->n_node = r->linear.v.n_node;
    t->n_point = r->linear.v.n_point;
    t->n_entry = n_entry;
    PUT(t->entry_begin, r->coupling_begin, n + 1);
    PUT(t->entry, r->coupling_entry, n_entry);
    PUT(t->J, r->coupling_jacobian, n_J);
    PUT(t->several, r->coupling_several, n);
    PUT(t->row_begin, r->coupling_row, n + 1);
    PUT(t->of_row, r->row_coupling, r->n_row);
    PUT(t->K, r->gains, r->n_gain);
    PUT(t->K_begin, r->coupling_gain, n);
    ROOM(r->linear.v.rate, r->n_row);
    ROOM(r->linear.v.force, r->n_row);
    list_points(r, t);
    return r->status;
}

void cond_resident_put_terms(CondResident* r, const CondSoftSystem* system)
{
    r->of_terms.next = 0;
    CondStatus status = put_contacts(r, system);
    if (!status)
        status = put_couplings(r, system);
    r->status = r->status ? r->status : status;
}
