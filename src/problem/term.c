// J' K J on a few coordinates: a coupling of bodies, the tie of a virtual node, the linearised law
// of a contact.
#include "problem/term.h"

#include <stddef.h>

enum { KEPT = 8 }; // rows of the usual terms

CondTerm cond_term_contact(const CondContact* contact, int turned, const double* K, int* coordinate,
                           double* J)
{
    const double* R = contact->frame;
    int n = 0;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        double sign = s == 0 ? 1.0 : -1.0;
        for (int k = 0; k < side->n_coordinate; k++, n++) {
            double a[3] = {(double)(k == 0), (double)(k == 1), (double)(k == 2)};
            for (int r = 0; r < 3 && side->jacobian; r++)
                a[r] = side->jacobian[r * side->n_coordinate + k];
            coordinate[n] = side->coordinate[k];
            for (int r = 0; r < 3; r++)
                J[3 * n + r] =
                    sign *
                    (turned ? R[3 * r] * a[0] + R[3 * r + 1] * a[1] + R[3 * r + 2] * a[2] : a[r]);
        }
    }
    return (CondTerm){
        .n_row = 3, .n_entry = n, .coordinate = coordinate, .J = J, .row = 1, .entry = 3, .K = K};
}

void cond_term_keep(CondTerm* t, double* KJ)
{
    t->KJ = NULL;
    for (int l = 0; l < t->n_entry; l++)
        for (int r = 0; r < t->n_row; r++)
            KJ[l * t->n_row + r] = cond_term_pressed(t, r, l);
    t->KJ = KJ;
}

// Entries as cond_term_entry makes them; where the compiler knows the number of rows the loops over
// them unroll.
static inline __attribute__((always_inline)) void add_squares(const CondTerm* t, int n_row,
                                                              double* d)
{
    for (int k = 0; k < t->n_entry; k++) {
        const double* a = t->J + (ptrdiff_t)k * t->entry;
        double sum = 0.0;
        for (int r = 0; r < n_row; r++) {
            double pressed = 0.0;
            for (int s = 0; s < n_row; s++)
                pressed += t->K[r * n_row + s] * a[(ptrdiff_t)s * t->row];
            sum += a[(ptrdiff_t)r * t->row] * pressed;
        }
        d[t->coordinate[k]] += sum;
    }
}

void cond_term_add_diagonal(const CondTerm* t, double* d)
{
    if (t->K && t->n_row == 3)
        add_squares(t, 3, d);
    else if (t->K && t->n_row == 6)
        add_squares(t, 6, d);
    else
        for (int k = 0; k < t->n_entry; k++)
            d[t->coordinate[k]] += cond_term_entry(t, k, k);
}

// All rows go along the entries together: each sum is made in the order of the entries, and none
// waits for another. Where the compiler knows the number of rows the loops over them unroll.
static inline __attribute__((always_inline)) void
add_rates(const CondTerm* t, const int* coordinate, int n_row, const double* x, double* rate)
{
    double sum[KEPT] = {0.0};
    for (int k = 0; k < t->n_entry; k++)
        for (int r = 0; r < n_row; r++)
            sum[r] += t->J[(ptrdiff_t)r * t->row + (ptrdiff_t)k * t->entry] * x[coordinate[k]];
    for (int r = 0; r < n_row; r++)
        rate[r] = sum[r];
}

// force = K rate
static inline __attribute__((always_inline)) void press(const CondTerm* t, int n_row,
                                                        const double* rate, double* force)
{
    for (int r = 0; r < n_row; r++) {
        force[r] = t->K ? 0.0 : t->kv * rate[r];
        for (int s = 0; s < n_row && t->K; s++)
            force[r] += t->K[r * n_row + s] * rate[s];
    }
}

static double find_rate(const CondTerm* t, const int* coordinate, int r, const double* x)
{
    double sum = 0.0;
    for (int k = 0; k < t->n_entry; k++)
        sum += t->J[(ptrdiff_t)r * t->row + (ptrdiff_t)k * t->entry] * x[coordinate[k]];
    return sum;
}

void cond_term_force(const CondTerm* t, const int* coordinate, const double* x, double* rate,
                     double* force)
{
    int n = t->n_row;
    if (n == 3) {
        add_rates(t, coordinate, 3, x, rate);
        press(t, 3, rate, force);
        return;
    }
    if (n == 6)
        add_rates(t, coordinate, 6, x, rate);
    else
        for (int r = 0; r < n; r++)
            rate[r] = find_rate(t, coordinate, r, x);
    press(t, n, rate, force);
}

// y += J' f, row by row in each entry
static inline __attribute__((always_inline)) void add_force(const CondTerm* t, int n_row,
                                                            const double* f, double* y)
{
    for (int k = 0; k < t->n_entry; k++) {
        double sum = y[t->coordinate[k]];
        for (int r = 0; r < n_row; r++)
            sum += t->J[(ptrdiff_t)r * t->row + (ptrdiff_t)k * t->entry] * f[r];
        y[t->coordinate[k]] = sum;
    }
}

// y += J_r' f
static void add_row(const CondTerm* t, int r, double f, double* y)
{
    for (int k = 0; k < t->n_entry; k++)
        y[t->coordinate[k]] += t->J[(ptrdiff_t)r * t->row + (ptrdiff_t)k * t->entry] * f;
}

void cond_term_multiply(const CondTerm* t, const double* x, double* y)
{
    double rate[KEPT], force[KEPT];
    if (t->n_row <= KEPT) {
        cond_term_force(t, t->coordinate, x, rate, force);
        if (t->n_row == 3)
            add_force(t, 3, force, y);
        else
            add_force(t, t->n_row, force, y);
        return;
    }
    for (int r = 0; r < t->n_row; r++) { // without room for all of them
        double f = t->K ? 0.0 : t->kv * find_rate(t, t->coordinate, r, x);
        for (int s = 0; s < t->n_row && t->K; s++)
            f += t->K[r * t->n_row + s] * find_rate(t, t->coordinate, s, x);
        add_row(t, r, f, y);
    }
}
