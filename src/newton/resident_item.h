// A step of the semismooth method (semismooth_step.h) by items, for C and for CUDA: contacts, and
// the points that they act on (resident_term_item.h). Point i has the coordinates 3 i .. 3 i + 2.
// Forces of contacts and couplings are gathered: a point adds those of its list.
//
// Numbers are those of semismooth_step.c, but for the order of sums.
#ifndef COND_NEWTON_RESIDENT_ITEM_H
#define COND_NEWTON_RESIDENT_ITEM_H

#include "base/tuning.h"
#include "device/item.h"
#include "newton/linear_law_item.h"
#include "newton/resident_term_item.h"
#include "newton/tuning.h"
#include "soft/tuning.h"

enum { COND_PATCH_LOAD = 8 }; // numbers of a load

typedef struct CondPairView {
    double *v, *lambda, *r, *u;
} CondPairView;

typedef struct CondResidentView {
    int n_node, n_point, n_contact;
    CondLaw law;
    double omega;
    int by_rows, bounded, follows; // as newton's, and data->bounded
    const int *row_begin, *column; // of the points
    const int* at_diagonal;        // block on the diagonal of each                    (n_point)
    const double *A, *b, *diagonal;
    const CondContact* contact;
    CondTermsView of_contact, of_coupling;
    double *rate, *force; // J x of the couplings' rows, and K J x; or of absolute values
    const double *delassus, *compliance;
    const int *carried, *relaxed; // relaxed may be NULL
    double *w, *gamma, *tangential;
    CondPairView now, next, tried;
    double *best_v, *best_lambda;
    CondLinearLaw* linear;
    double *trial, *slip_before, *predicted;
    int* kind;
    double resistance, share, scale;
    // Patches of contacts of a level.
    const int *chunk_group, *chunk_begin, *group_chunk, *group_begin, *group_contact;
    int *chunk_first, *group_first;
    double *chunk_load, *group_load, *patch;
    // Linear system: vectors of the points.
    double *x, *dx;
    // Certificate.
    const double *asked_v, *asked_lambda, *asked_r; // asked_r NULL: A v anew
    double *measured_r, *change, *norm, *speed, *power, *error, *error_bounded, *penetration;
    double worst;
    // Copies.
    const double* from;
    double* to;
} CondResidentView;

// ---- contacts

COND_DEVICE int cond_resident_is_cone(const CondResidentView* a, int c)
{
    return a->contact[c].set == COND_FORCE_CONE;
}

COND_DEVICE double cond_resident_slip(const CondResidentView* a, int c)
{
    return (a->carried[c] ? 0.0 : a->compliance[c]) +
           (cond_resident_is_cone(a, c) ? a->omega : a->contact[c].compliance);
}

COND_DEVICE CondLaw cond_resident_law(const CondResidentView* a, int c)
{
    return a->relaxed && a->relaxed[c] ? COND_LAW_PROXIMAL : a->law;
}

COND_DEVICE CondNaturalMap cond_resident_map(const CondResidentView* a, int c)
{
    CondNaturalMap map;
    map.law = cond_resident_law(a, c);
    map.contact = &a->contact[c];
    map.gamma = a->gamma[c];
    map.c = cond_resident_slip(a, c);
    return map;
}

// u = R J x + offset
COND_DEVICE void cond_resident_velocity(const CondResidentView* a, int c, const double* x,
                                        const double* offset, double u[3])
{
    const CondTermsView* t = &a->of_contact;
    const double* R = a->contact[c].frame;
    double p[3] = {0.0, 0.0, 0.0};
    for (int k = t->entry_begin[c]; k < t->entry_begin[c + 1]; k++)
        cond_entry_add_velocity(t, &t->entry[k], x + (ptrdiff_t)3 * t->entry[k].point, p);
    for (int r = 0; r < 3; r++)
        u[r] = R[3 * r] * p[0] + R[3 * r + 1] * p[1] + R[3 * r + 2] * p[2] +
               (offset ? offset[r] : 0.0);
}

// The same of the velocity that predicts, x = v - W r, with phi; tangential rows over their scale.
COND_DEVICE void cond_resident_ahead(const CondResidentView* a, const CondPairView* pair, int c,
                                     double u[3])
{
    const CondTermsView* t = &a->of_contact;
    const CondContact* contact = &a->contact[c];
    double p[3] = {0.0, 0.0, 0.0}, y[3];
    for (int k = t->entry_begin[c]; k < t->entry_begin[c + 1]; k++) {
        for (int i = 0, at = 3 * t->entry[k].point; i < 3; i++, at++)
            y[i] = pair->v[at] - a->w[at] * pair->r[at];
        cond_entry_add_velocity(t, &t->entry[k], y, p);
    }
    mat3_multiply(contact->frame, p, u);
    for (int i = 0; i < 3; i++)
        u[i] += contact->phi[i];
}

COND_DEVICE void cond_resident_scale_rows(const CondResidentView* a, int c, double* u)
{
    for (int i = 1; i < 3 && a->by_rows; i++)
        u[i] /= a->tangential[c];
}

// f += J' R' lambda of the contacts of a point.
COND_DEVICE void cond_resident_add_forces(const CondResidentView* a, int point,
                                          const double* lambda, double f[3])
{
    const CondTermsView* t = &a->of_contact;
    for (int k = t->point_begin[point]; k < t->point_begin[point + 1]; k++) {
        const CondTermEntry* e = &t->entry[t->point_entry[k]];
        double world[3];
        mat3_multiply_transposed(a->contact[e->term].frame, lambda + (ptrdiff_t)3 * e->term, world);
        cond_entry_add_force(t, e, world, f);
    }
}

// ---- products

// Rates J x of the couplings' rows, in `rate`, of x in `from`; and forces K J x.
COND_DEVICE void cond_resident_rate_item(const CondResidentView* a, int row)
{
    const CondTermsView* t = &a->of_coupling;
    int c = t->of_row[row], r = row - t->row_begin[c];
    double sum = 0.0;
    for (int k = t->entry_begin[c]; k < t->entry_begin[c + 1]; k++) {
        const double* J = t->J + t->entry[k].at + 3 * r;
        const double* x = a->from + (ptrdiff_t)3 * t->entry[k].point;
        sum += J[0] * x[0] + J[1] * x[1] + J[2] * x[2];
    }
    a->rate[row] = sum;
}

COND_DEVICE void cond_resident_press_item(const CondResidentView* a, int row)
{
    const CondTermsView* t = &a->of_coupling;
    int c = t->of_row[row], first = t->row_begin[c], n = t->row_begin[c + 1] - first;
    const double* K = t->K + t->K_begin[c] + (ptrdiff_t)n * (row - first);
    double sum = 0.0;
    for (int s = 0; s < n; s++)
        sum += K[s] * a->rate[first + s];
    a->force[row] = sum;
}

// y = A x of a point, where `force` has those of the couplings.
COND_DEVICE void cond_resident_row(const CondResidentView* a, int point, const double* x,
                                   double y[3])
{
    const CondTermsView* t = &a->of_coupling;
    double y0 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int k = a->row_begin[point]; k < a->row_begin[point + 1]; k++) {
        const double *M = a->A + (ptrdiff_t)9 * k, *z = x + (ptrdiff_t)3 * a->column[k];
        y0 += M[0] * z[0] + M[1] * z[1] + M[2] * z[2];
        y1 += M[3] * z[0] + M[4] * z[1] + M[5] * z[2];
        y2 += M[6] * z[0] + M[7] * z[1] + M[8] * z[2];
    }
    for (int k = t->n > 0 ? t->point_begin[point] : 0; t->n > 0 && k < t->point_begin[point + 1];
         k++) {
        const CondTermEntry* e = &t->entry[t->point_entry[k]];
        const double* J = t->J + e->at;
        for (int r = t->row_begin[e->term]; r < t->row_begin[e->term + 1]; r++, J += 3) {
            y0 += J[0] * a->force[r];
            y1 += J[1] * a->force[r];
            y2 += J[2] * a->force[r];
        }
    }
    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}

// ---- scales

// |J'K J| <= |J|' |K| |J|: the same of absolute values.
COND_DEVICE void cond_resident_absolute_rate_item(const CondResidentView* a, int row)
{
    const CondTermsView* t = &a->of_coupling;
    int c = t->of_row[row], r = row - t->row_begin[c];
    double sum = 0.0;
    for (int k = t->entry_begin[c]; k < t->entry_begin[c + 1]; k++)
        for (int i = 0; i < 3; i++)
            sum += fabs(t->J[t->entry[k].at + 3 * r + i]);
    a->rate[row] = sum;
}

COND_DEVICE void cond_resident_absolute_press_item(const CondResidentView* a, int row)
{
    const CondTermsView* t = &a->of_coupling;
    int c = t->of_row[row], first = t->row_begin[c], n = t->row_begin[c + 1] - first;
    const double* K = t->K + t->K_begin[c] + (ptrdiff_t)n * (row - first);
    double sum = 0.0;
    for (int s = 0; s < n; s++)
        sum += fabs(K[s]) * a->rate[first + s];
    a->force[row] = sum;
}

// w = 1 / sum |a_ij|
COND_DEVICE void cond_resident_weight_item(const CondResidentView* a, int point)
{
    const CondTermsView* t = &a->of_coupling;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = a->row_begin[point]; k < a->row_begin[point + 1]; k++)
        for (int e = 0; e < 9; e++)
            sum[e / 3] += fabs(a->A[(ptrdiff_t)9 * k + e]);
    for (int k = t->n > 0 ? t->point_begin[point] : 0; t->n > 0 && k < t->point_begin[point + 1];
         k++) {
        const CondTermEntry* e = &t->entry[t->point_entry[k]];
        const double* J = t->J + e->at;
        for (int r = t->row_begin[e->term]; r < t->row_begin[e->term + 1]; r++, J += 3)
            for (int i = 0; i < 3; i++)
                sum[i] += fabs(J[i]) * a->force[r];
    }
    for (int k = 0; k < 3; k++)
        a->w[3 * point + k] = 1.0 / sum[k];
}

// Squares of the columns of R J of an entry, in the rows in which the contact acts, and of its
// normal row.
COND_DEVICE void cond_resident_squares(const CondResidentView* a, const CondTermEntry* e,
                                       double square[3], double normal[3])
{
    const double* R = a->contact[e->term].frame;
    double J[9];
    cond_entry_jacobian(&a->of_contact, e, J);
    for (int k = 0; k < 3; k++) {
        double along = R[0] * J[k] + R[1] * J[3 + k] + R[2] * J[6 + k];
        normal[k] = along * along;
        square[k] = cond_resident_is_cone(a, e->term)
                        ? J[k] * J[k] + J[3 + k] * J[3 + k] + J[6 + k] * J[6 + k]
                        : normal[k];
    }
}

// gamma and the scale of the tangential rows, as scale_contacts of semismooth_step.c.
COND_DEVICE void cond_resident_scale_item(const CondResidentView* a, int c)
{
    const CondTermsView* t = &a->of_contact;
    double trace = 0.0, along = 0.0, square[3], normal[3], slip = cond_resident_slip(a, c);
    for (int k = t->entry_begin[c]; k < t->entry_begin[c + 1]; k++) {
        const double* w = a->w + (ptrdiff_t)3 * t->entry[k].point;
        cond_resident_squares(a, &t->entry[k], square, normal);
        for (int i = 0; i < 3; i++) {
            trace += square[i] * w[i];
            along += normal[i] * w[i];
        }
    }
    double share = 0.5 * (trace - along) / (trace / 3.0);
    int plain = !cond_resident_is_cone(a, c) || slip > 0.0 ||
                cond_resident_law(a, c) != COND_LAW_STRICT || !(trace > 0.0) ||
                !(share > 0.0 && share < 1.0);
    a->tangential[c] = plain ? 1.0 : sqrt(share);
    a->gamma[c] = trace / (cond_resident_is_cone(a, c) ? 3.0 : 1.0) + slip;
}

// ---- prediction

COND_DEVICE void cond_resident_predict_item(const CondResidentView* a, int c)
{
    double u[3], *x = a->trial + (ptrdiff_t)3 * c;
    CondNaturalMap map = cond_resident_map(a, c);
    cond_resident_ahead(a, &a->now, c, u);
    for (int i = 0; i < 3; i++)
        a->predicted[3 * c + i] = u[i];
    cond_resident_scale_rows(a, c, u);
    cond_natural_map_trial_item(&map, u, a->now.lambda + (ptrdiff_t)3 * c, x);
    a->kind[c] = cond_resident_is_cone(a, c) && x[0] > 0.0 &&
                 cond_linear_law_kind_item(&a->linear[c]) == COND_CONTACT_STICKS;
}

COND_DEVICE double cond_resident_capacity(const CondContact* contact, const double* x)
{
    return fmax(contact->friction[0], contact->friction[1]) * x[0];
}

// 1 where a sticking contact alone carries more than it can hold.
COND_DEVICE double cond_resident_overload_term(const CondResidentView* a, int c)
{
    const double* x = a->trial + (ptrdiff_t)3 * c;
    return a->kind[c] && hypot(x[1], x[2]) > cond_resident_capacity(&a->contact[c], x);
}

// ---- linearised law and right-hand side

COND_DEVICE void cond_resident_linearise_item(const CondResidentView* a, int c)
{
    CondNaturalMap map = cond_resident_map(a, c);
    CondLinearLaw law;
    const double *lambda = a->now.lambda + (ptrdiff_t)3 * c, *u = a->now.u + (ptrdiff_t)3 * c;
    int before = (int)cond_linear_law_kind_item(&a->linear[c]);
    double least =
        a->of_contact.several[c] && !a->follows ? COND_RESISTANCE_NODES : COND_RESISTANCE_ITERATIVE;
    double sigma = fmax(least, a->resistance) * map.gamma;
    cond_natural_map_linearise_item(&map, sigma, a->follows, a->trial + (ptrdiff_t)3 * c, lambda,
                                    a->slip_before + (ptrdiff_t)2 * c, &law);
    for (int i = 0; i < 3; i++)
        cond_resident_scale_rows(a, c, law.D + 3 * i);
    a->kind[c] = 3 * before + (int)cond_linear_law_kind_item(&law);
    for (int i = 0; i < 3; i++)
        a->next.lambda[3 * c + i] = law.fix[i] - vec3_dot(law.D + 3 * i, u) - lambda[i];
    a->linear[c] = law;
}

// 1 where a contact has turned, is closed, slips.
COND_DEVICE double cond_resident_turned_term(const CondResidentView* a, int c)
{
    return a->kind[c] % 3 != a->kind[c] / 3;
}

COND_DEVICE double cond_resident_closed_term(const CondResidentView* a, int c)
{
    return a->kind[c] % 3 != COND_CONTACT_OPEN;
}

COND_DEVICE double cond_resident_slipping_term(const CondResidentView* a, int c)
{
    return a->kind[c] % 3 == COND_CONTACT_SLIPS;
}

// next.r = Jc' next.lambda - r, and x = 0
COND_DEVICE void cond_resident_right_hand_item(const CondResidentView* a, int point)
{
    double f[3] = {0.0, 0.0, 0.0};
    cond_resident_add_forces(a, point, a->next.lambda, f);
    for (int k = 0; k < 3; k++) {
        a->next.r[3 * point + k] = f[k] - a->now.r[3 * point + k];
        a->x[3 * point + k] = 0.0;
    }
}

// ---- the end of the step, and the way there

COND_DEVICE void cond_resident_arrive_item(const CondResidentView* a, int point)
{
    for (int i = 3 * point; i < 3 * point + 3; i++) {
        a->next.v[i] = a->now.v[i] + a->x[i];
        a->next.r[i] = -a->next.r[i];
    }
}

COND_DEVICE void cond_resident_arrive_contact_item(const CondResidentView* a, int c)
{
    double du[3];
    cond_resident_velocity(a, c, a->x, NULL, du);
    for (int i = 0; i < 3; i++)
        a->next.lambda[3 * c + i] +=
            a->now.lambda[3 * c + i] - vec3_dot(a->linear[c].D + 3 * i, du);
}

// r' W r at a share of the way, which is made.
COND_DEVICE double cond_resident_try_term(const CondResidentView* a, int point)
{
    double sum = 0.0;
    for (int i = 3 * point; i < 3 * point + 3; i++) {
        double r = a->now.r[i] + a->share * (a->next.r[i] - a->now.r[i]);
        a->tried.v[i] = a->now.v[i] + a->share * (a->next.v[i] - a->now.v[i]);
        a->tried.r[i] = r;
        sum += a->w[i] * r * r;
    }
    return sum;
}

// gamma |lambda - P(x)|^2 of a pair.
COND_DEVICE double cond_resident_law_share(const CondResidentView* a, const CondPairView* pair,
                                           int c)
{
    double u[3], x[3], p[3], e = 0.0;
    const double* lambda = pair->lambda + (ptrdiff_t)3 * c;
    CondNaturalMap map = cond_resident_map(a, c);
    cond_resident_ahead(a, pair, c, u);
    cond_resident_scale_rows(a, c, u);
    cond_natural_map_trial_item(&map, u, lambda, x);
    cond_contact_law_project_item(map.law, map.contact, x, p);
    for (int i = 0; i < 3; i++)
        e += (lambda[i] - p[i]) * (lambda[i] - p[i]);
    return map.gamma * e;
}

COND_DEVICE double cond_resident_try_contact_term(const CondResidentView* a, int c)
{
    for (int i = 3 * c; i < 3 * c + 3; i++)
        a->tried.lambda[i] = a->now.lambda[i] + a->share * (a->next.lambda[i] - a->now.lambda[i]);
    return cond_resident_law_share(a, &a->tried, c);
}

COND_DEVICE double cond_resident_merit_term(const CondResidentView* a, int point)
{
    double sum = 0.0;
    for (int i = 3 * point; i < 3 * point + 3; i++)
        sum += a->w[i] * a->now.r[i] * a->now.r[i];
    return sum;
}

COND_DEVICE double cond_resident_merit_contact_term(const CondResidentView* a, int c)
{
    return cond_resident_law_share(a, &a->now, c);
}

COND_DEVICE void cond_resident_keep_slip_item(const CondResidentView* a, int c)
{
    a->slip_before[2 * c] = a->linear[c].slip[0];
    a->slip_before[2 * c + 1] = a->linear[c].slip[1];
}

COND_DEVICE void cond_resident_forget_slip_item(const CondResidentView* a, int c)
{
    a->slip_before[2 * c] = a->slip_before[2 * c + 1] = 0.0;
}

COND_DEVICE void cond_resident_forget_law_item(const CondResidentView* a, int c)
{
    CondLinearLaw* law = &a->linear[c];
    for (int i = 0; i < 9; i++)
        law->D[i] = 0.0;
    for (int i = 0; i < 3; i++)
        law->fix[i] = 0.0;
    law->slip[0] = law->slip[1] = 0.0;
}

// The length of the step at which the force of an interval reaches a bound from inside, and at
// which that of a cone leaves it; as leaves_set of semismooth.c.
COND_DEVICE double cond_resident_leaves_interval(const CondContact* contact, double now,
                                                 double next)
{
    double bound = contact->bound[next > now];
    if (!(now > contact->bound[0] && now < contact->bound[1]) || next == now)
        return INFINITY;
    return (bound - now) / (next - now);
}

COND_DEVICE double cond_resident_leaves_cone(const CondContact* contact, const double* now,
                                             const double* next)
{
    double A = 0.0, B = 0.0, C = 0.0;
    for (int i = 0; i < 3; i++) {
        double mu = i ? contact->friction[i - 1] : 1.0, weight = (i ? -1.0 : 1.0) / (mu * mu);
        A += weight * (next[i] - now[i]) * (next[i] - now[i]);
        B += weight * now[i] * (next[i] - now[i]);
        C += weight * now[i] * now[i];
    }
    double square = B * B - A * C;
    return C > 0.0 && square >= 0.0 ? C / (-B + sqrt(square)) : INFINITY;
}

// Minus that length, where it is beyond 1.
COND_DEVICE double cond_resident_leave_term(const CondResidentView* a, int c)
{
    const double *now = a->now.lambda + (ptrdiff_t)3 * c, *next = a->next.lambda + (ptrdiff_t)3 * c;
    double length = cond_resident_is_cone(a, c)
                        ? cond_resident_leaves_cone(&a->contact[c], now, next)
                        : cond_resident_leaves_interval(&a->contact[c], now[0], next[0]);
    return length > 1.0 ? -length : -INFINITY;
}

COND_DEVICE void cond_resident_copy_item(const CondResidentView* a, int i)
{
    a->to[i] = a->from[i];
}

COND_KERNEL(cond_resident_rates, CondResidentView, cond_resident_rate_item)
COND_KERNEL(cond_resident_presses, CondResidentView, cond_resident_press_item)
COND_KERNEL(cond_resident_absolute_rates, CondResidentView, cond_resident_absolute_rate_item)
COND_KERNEL(cond_resident_absolute_presses, CondResidentView, cond_resident_absolute_press_item)
COND_KERNEL(cond_resident_weights, CondResidentView, cond_resident_weight_item)
COND_KERNEL(cond_resident_scales, CondResidentView, cond_resident_scale_item)
COND_KERNEL(cond_resident_predicts, CondResidentView, cond_resident_predict_item)
COND_SUM_KERNEL(cond_resident_overloads, CondResidentView, cond_resident_overload_term)
COND_KERNEL(cond_resident_linearises, CondResidentView, cond_resident_linearise_item)
COND_SUM_KERNEL(cond_resident_turned, CondResidentView, cond_resident_turned_term)
COND_SUM_KERNEL(cond_resident_closed, CondResidentView, cond_resident_closed_term)
COND_SUM_KERNEL(cond_resident_slipping, CondResidentView, cond_resident_slipping_term)
COND_KERNEL(cond_resident_right_hand, CondResidentView, cond_resident_right_hand_item)
COND_KERNEL(cond_resident_arrives, CondResidentView, cond_resident_arrive_item)
COND_KERNEL(cond_resident_arrives_contacts, CondResidentView, cond_resident_arrive_contact_item)
COND_SUM_KERNEL(cond_resident_tries, CondResidentView, cond_resident_try_term)
COND_SUM_KERNEL(cond_resident_tries_contacts, CondResidentView, cond_resident_try_contact_term)
COND_SUM_KERNEL(cond_resident_merits, CondResidentView, cond_resident_merit_term)
COND_SUM_KERNEL(cond_resident_merits_contacts, CondResidentView, cond_resident_merit_contact_term)
COND_KERNEL(cond_resident_slips_kept, CondResidentView, cond_resident_keep_slip_item)
COND_KERNEL(cond_resident_slips_forgotten, CondResidentView, cond_resident_forget_slip_item)
COND_KERNEL(cond_resident_forget_laws, CondResidentView, cond_resident_forget_law_item)
COND_MOST_KERNEL(cond_resident_leaves, CondResidentView, cond_resident_leave_term)
COND_KERNEL(cond_resident_copies, CondResidentView, cond_resident_copy_item)

#endif
