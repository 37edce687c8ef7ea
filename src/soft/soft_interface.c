// The interface: coordinates of rigid bodies and robots, and how nodes go with them.
#include "soft/soft_interface.h"

#include "base/parallel.h"
#include "linear/cholesky.h"
#include "linear/lu.h"

#include <stddef.h>

// A term, and which of its coordinates are the interface's.
typedef struct AddLoop {
    CondSoftSystem* system;
    const CondTerm* term;
    int n_own;
    const int* own; //                                                      (n_own)
} AddLoop;

// Rows of the term's coordinates first .. last - 1, each in a row of S or C of its own: a side has
// each coordinate once.
static void add_coordinates(const void* data, int first, int last)
{
    const AddLoop* loop = data;
    CondSoftSystem* system = loop->system;
    const CondTerm* term = loop->term;
    int nb = system->n_interface;
    const int* own = loop->own;
    for (int k = first; k < last; k++) {
        int node = system->node[term->coordinate[k]];
        if (node < 0) { // interface with interface
            double* S = system->S + (ptrdiff_t)system->interface[term->coordinate[k]] * nb;
            for (int l = 0; l < loop->n_own; l++)
                S[system->interface[term->coordinate[own[l]]]] += cond_term_entry(term, k, own[l]);
            continue;
        }
        if (system->slot[node] < 0)
            continue;
        int r = term->coordinate[k] - system->place[node];
        size_t at = ((size_t)system->slot[node] * 3 + (size_t)r) * (size_t)nb;
        for (int l = 0; l < loop->n_own; l++) {
            size_t j = at + (size_t)system->interface[term->coordinate[own[l]]];
            system->C[j] += cond_term_entry(term, k, own[l]);
            if (system->general)
                system->E[j] += cond_term_entry(term, own[l], k);
        }
    }
}

void cond_soft_interface_add(CondSoftSystem* system, const CondTerm* term)
{
    int n_own = 0, own[2 * COND_LARGEST_INTERFACE];
    for (int k = 0; k < term->n_entry; k++)
        if (system->node[term->coordinate[k]] < 0)
            own[n_own++] = k;
    if (n_own == 0)
        return;
    AddLoop loop = {system, term, n_own, own};
    size_t work = (size_t)(term->n_entry * n_own) * (size_t)term->n_row;
    cond_parallel(term->n_entry, cond_threads(work, system->threads), add_coordinates, &loop);
}

// y -= s x
static void subtract(size_t n, double s, const double* restrict x, double* restrict y)
{
    for (size_t j = 0; j < n && s != 0.0; j++)
        y[j] -= s * x[j];
}

// BC = B C and EB = B' E of attached nodes.
static void multiply_attached(const void* loop, int first, int last)
{
    const CondSoftSystem* system = loop;
    size_t nb = (size_t)system->n_interface;
    for (int k = first; k < last; k++) {
        const double* B = system->B + 9 * (size_t)system->attached[k];
        const double* C = system->C + 3 * (size_t)k * nb;
        double* BC = system->BC + 3 * (size_t)k * nb;
        for (int r = 0; r < 3; r++)
            for (size_t j = 0; j < nb; j++)
                BC[(size_t)r * nb + j] =
                    B[3 * r] * C[j] + B[3 * r + 1] * C[nb + j] + B[3 * r + 2] * C[2 * nb + j];
        if (!system->general)
            continue;
        const double* E = system->E + 3 * (size_t)k * nb;
        double* EB = system->EB + 3 * (size_t)k * nb;
        for (int r = 0; r < 3; r++)
            for (size_t j = 0; j < nb; j++)
                EB[(size_t)r * nb + j] =
                    B[r] * E[j] + B[3 + r] * E[nb + j] + B[6 + r] * E[2 * nb + j];
    }
}

// S -= E' B C, rows of it.
static void subtract_attached(const void* loop, int first, int last)
{
    const CondSoftSystem* system = loop;
    size_t nb = (size_t)system->n_interface;
    const double* E = system->general ? system->E : system->C;
    for (size_t row = 0; row < 3 * (size_t)system->n_attached; row++)
        for (size_t i = (size_t)first; i < (size_t)last; i++)
            subtract(nb, E[row * nb + i], system->BC + row * nb, system->S + i * nb);
}

int cond_soft_interface_finish(CondSoftSystem* system)
{
    int nb = system->n_interface;
    size_t work = 3 * (size_t)system->n_attached * (size_t)nb * (size_t)nb;
    CondPhase phase[] = {{multiply_attached, system, system->n_attached, 0},
                         {subtract_attached, system, nb, 1}};
    cond_parallel_phases(2, phase, cond_threads(work, system->threads), __func__);
    return system->general ? cond_lu_factor(nb, system->S, system->pivot)
                           : cond_cholesky_factor(nb, system->S);
}

// Rows of C and BC in floats.
static void pack_attached(const void* data, int first, int last)
{
    const CondSoftSystem* system = data;
    const CondSoftPacked* packed = &system->packed;
    size_t nb = (size_t)system->n_interface,
           wide = (size_t)cond_soft_packed_wide(system->n_interface);
    for (size_t row = 3 * (size_t)first; row < 3 * (size_t)last; row++) {
        size_t to = wide * row, from = nb * (3 * (size_t)packed->slot[row / 3] + row % 3);
        for (size_t i = 0; i < wide; i++) {
            packed->C[to + i] = i < nb ? (float)system->C[from + i] : 0.0F;
            packed->BC[to + i] = i < nb ? (float)system->BC[from + i] : 0.0F;
        }
    }
}

void cond_soft_interface_pack(CondSoftSystem* system)
{
    size_t work = 2 * 3 * (size_t)system->n_attached * (size_t)system->n_interface;
    cond_parallel(system->n_attached, cond_threads(work, system->threads), pack_attached, system);
}
