// A step of the semismooth method (semismooth_step.h) by items, for C and for CUDA: contacts that
// each act on one node of a soft body at its own coordinates, and these nodes. Node i has the
// coordinates 3 i .. 3 i + 2; there are no other coordinates. Forces of contacts are gathered: a
// node adds those of its list.
//
// Numbers are those of semismooth_step.c, certificate.c and soft_system_build.c, but for the order
// of sums.
#ifndef COND_NEWTON_RESIDENT_ITEM_H
#define COND_NEWTON_RESIDENT_ITEM_H

#include "base/tuning.h"
#include "device/item.h"
#include "newton/linear_law_item.h"
#include "newton/tuning.h"
#include "soft/tuning.h"

enum { COND_PATCH_LOAD = 8 }; // numbers of a load

typedef struct CondPairView {
    double *v, *lambda, *r, *u;
} CondPairView;

typedef struct CondResidentView {
    int n_node, n_contact;
    CondLaw law;
    double omega;
    const int *row_begin, *column; // of the nodes
    const int* at_diagonal;        // block on the diagonal of each                    (n_node)
    const double *A, *b, *diagonal;
    const CondContact* contact;
    const int* node; // of each contact                                                (n_contact)
    const int *contact_begin, *contact_of; // contacts of each node             (n_node + 1), ..
    const double *delassus, *compliance;
    const int *carried, *relaxed; // relaxed may be NULL
    double *w, *gamma;
    CondPairView now, next, tried;
    double *best_v, *best_lambda;
    CondLinearLaw* linear;
    double *trial, *slip_before, *predicted;
    int* kind;
    double least, resistance, share, scale;
    // Patches of contacts of a level.
    const int *chunk_group, *chunk_begin, *group_chunk, *group_begin, *group_contact;
    int *chunk_first, *group_first;
    double *chunk_load, *group_load, *patch;
    // Linear system.
    double *B, *x, *dx, *Hdx;
    const int *rank, *order; // place of a node, node of a place; -1: none
    float *on_diagonal, *pairs, *packed_r, *packed_x;
    // Certificate.
    const double *asked_v, *asked_lambda, *asked_r; // asked_r NULL: A v anew
    double *measured_r, *change, *norm, *speed, *error, *penetration;
    double worst;
    // Copies.
    const double* from;
    double* to;
} CondResidentView;

// ---- contacts

COND_DEVICE double cond_resident_slip(const CondResidentView* a, int c)
{
    return (a->carried[c] ? 0.0 : a->compliance[c]) + a->omega;
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

COND_DEVICE double cond_resident_sign(const CondContact* contact)
{
    return contact->side[0].n_coordinate > 0 ? 1.0 : -1.0;
}

// u = R J y + offset of the node's numbers y.
COND_DEVICE void cond_resident_velocity(const CondContact* contact, const double* y,
                                        const double* offset, double u[3])
{
    const double* R = contact->frame;
    double sign = cond_resident_sign(contact);
    for (int r = 0; r < 3; r++)
        u[r] = sign * (R[3 * r] * y[0] + R[3 * r + 1] * y[1] + R[3 * r + 2] * y[2]) +
               (offset ? offset[r] : 0.0);
}

// f += J' R' lambda of the contacts of a node.
COND_DEVICE void cond_resident_add_forces(const CondResidentView* a, int node, const double* lambda,
                                          double f[3])
{
    for (int k = a->contact_begin[node]; k < a->contact_begin[node + 1]; k++) {
        int c = a->contact_of[k];
        const double *R = a->contact[c].frame, *l = lambda + (ptrdiff_t)3 * c;
        double sign = cond_resident_sign(&a->contact[c]);
        for (int i = 0; i < 3; i++)
            f[i] += sign * (R[i] * l[0] + R[3 + i] * l[1] + R[6 + i] * l[2]);
    }
}

// The velocity that predicts, v - W r, at a node.
COND_DEVICE void cond_resident_ahead(const CondResidentView* a, const CondPairView* pair, int node,
                                     double y[3])
{
    for (int k = 0; k < 3; k++)
        y[k] = pair->v[3 * node + k] - a->w[3 * node + k] * pair->r[3 * node + k];
}

// ---- products

// y = A x of a node.
COND_DEVICE void cond_resident_row(const CondResidentView* a, int node, const double* x,
                                   double y[3])
{
    double y0 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int k = a->row_begin[node]; k < a->row_begin[node + 1]; k++) {
        const double *M = a->A + (ptrdiff_t)9 * k, *z = x + (ptrdiff_t)3 * a->column[k];
        y0 += M[0] * z[0] + M[1] * z[1] + M[2] * z[2];
        y1 += M[3] * z[0] + M[4] * z[1] + M[5] * z[2];
        y2 += M[6] * z[0] + M[7] * z[1] + M[8] * z[2];
    }
    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}

// ---- scales

// w = 1 / sum |a_ij|
COND_DEVICE void cond_resident_weight_item(const CondResidentView* a, int node)
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = a->row_begin[node]; k < a->row_begin[node + 1]; k++)
        for (int e = 0; e < 9; e++)
            sum[e / 3] += fabs(a->A[(ptrdiff_t)9 * k + e]);
    for (int k = 0; k < 3; k++)
        a->w[3 * node + k] = 1.0 / sum[k];
}

COND_DEVICE void cond_resident_scale_item(const CondResidentView* a, int c)
{
    const double* w = a->w + (ptrdiff_t)3 * a->node[c];
    a->gamma[c] = (w[0] + w[1] + w[2]) / 3.0 + cond_resident_slip(a, c);
}

// ---- prediction

COND_DEVICE void cond_resident_predict_item(const CondResidentView* a, int c)
{
    double y[3], *u = a->predicted + (ptrdiff_t)3 * c, *x = a->trial + (ptrdiff_t)3 * c;
    CondNaturalMap map = cond_resident_map(a, c);
    cond_resident_ahead(a, &a->now, a->node[c], y);
    cond_resident_velocity(map.contact, y, map.contact->phi, u);
    cond_natural_map_trial_item(&map, u, a->now.lambda + (ptrdiff_t)3 * c, x);
    a->kind[c] = x[0] > 0.0 && cond_linear_law_kind_item(&a->linear[c]) == COND_CONTACT_STICKS;
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

// ---- patches (soft/contact_patch.h): loads of chunks of their contacts, then of the patches

// The first contact of a chunk that sticks; -1: none.
COND_DEVICE void cond_patch_first_item(const CondResidentView* a, int chunk)
{
    int first = -1;
    for (int k = a->chunk_begin[chunk]; k < a->chunk_begin[chunk + 1] && first < 0; k++)
        first = a->kind[a->group_contact[k]] ? a->group_contact[k] : -1;
    a->chunk_first[chunk] = first;
}

COND_DEVICE void cond_patch_first_of_group_item(const CondResidentView* a, int group)
{
    int first = -1;
    for (int k = a->group_chunk[group]; k < a->group_chunk[group + 1] && first < 0; k++)
        first = a->chunk_first[k];
    a->group_first[group] = first;
}

// 1 where a contact's normal is about that of its patch.
COND_DEVICE int cond_patch_belongs(const CondContact* contact, const double* normal)
{
    const double* R = contact->frame;
    return R[0] * normal[0] + R[1] * normal[1] + R[2] * normal[2] >= COND_ALIGNED;
}

// Sum of x_t in world axes, of mu x_n, and the number of contacts.
COND_DEVICE void cond_patch_load_item(const CondResidentView* a, int chunk)
{
    double load[COND_PATCH_LOAD] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    int first = a->group_first[a->chunk_group[chunk]];
    for (int k = a->chunk_begin[chunk]; k < a->chunk_begin[chunk + 1] && first >= 0; k++) {
        int c = a->group_contact[k];
        const CondContact* contact = &a->contact[c];
        const double *R = contact->frame, *x = a->trial + (ptrdiff_t)3 * c;
        if (!a->kind[c] || !cond_patch_belongs(contact, a->contact[first].frame))
            continue;
        for (int i = 0; i < 3; i++)
            load[i] += R[3 + i] * x[1] + R[6 + i] * x[2];
        load[3] += cond_resident_capacity(contact, x);
        load[7] += 1.0;
    }
    for (int i = 0; i < COND_PATCH_LOAD; i++)
        a->chunk_load[(ptrdiff_t)COND_PATCH_LOAD * chunk + i] = load[i];
}

COND_DEVICE void cond_patch_load_of_group_item(const CondResidentView* a, int group)
{
    double* load = a->group_load + (ptrdiff_t)COND_PATCH_LOAD * group;
    for (int i = 0; i < COND_PATCH_LOAD; i++) {
        double sum = 0.0;
        for (int k = a->group_chunk[group]; k < a->group_chunk[group + 1]; k++)
            sum += a->chunk_load[(ptrdiff_t)COND_PATCH_LOAD * k + i];
        load[i] = sum;
    }
}

// The share of a contact in the load of its patch, where the patch cannot hold it.
COND_DEVICE void cond_patch_share_item(const CondResidentView* a, int chunk)
{
    int group = a->chunk_group[chunk], first = a->group_first[group];
    const double* load = a->group_load + (ptrdiff_t)COND_PATCH_LOAD * group;
    double t = sqrt(load[0] * load[0] + load[1] * load[1] + load[2] * load[2]);
    if (first < 0 || !(t > load[3]) || load[7] < 2.0)
        return;
    for (int k = a->chunk_begin[chunk]; k < a->chunk_begin[chunk + 1]; k++) {
        int c = a->group_contact[k];
        const CondContact* contact = &a->contact[c];
        const double *R = contact->frame, *x = a->trial + (ptrdiff_t)3 * c;
        double *to = a->patch + (ptrdiff_t)3 * c, held = cond_resident_capacity(contact, x);
        if (!a->kind[c] || !cond_patch_belongs(contact, a->contact[first].frame) ||
            hypot(x[1], x[2]) > held)
            continue;
        to[0] = x[0];
        for (int i = 1; i < 3; i++)
            to[i] = held / load[3] *
                    (R[3 * i] * load[0] + R[3 * i + 1] * load[1] + R[3 * i + 2] * load[2]);
    }
}

COND_DEVICE void cond_patch_forget_item(const CondResidentView* a, int c)
{
    a->patch[3 * c] = 0.0;
}

COND_DEVICE void cond_patch_take_item(const CondResidentView* a, int c)
{
    for (int i = 0; i < 3 && a->patch[3 * c] > 0.0; i++)
        a->trial[3 * c + i] = a->patch[3 * c + i];
}

// ---- linearised law and right-hand side

COND_DEVICE void cond_resident_linearise_item(const CondResidentView* a, int c)
{
    CondNaturalMap map = cond_resident_map(a, c);
    CondLinearLaw law;
    const double *lambda = a->now.lambda + (ptrdiff_t)3 * c, *u = a->now.u + (ptrdiff_t)3 * c;
    int before = (int)cond_linear_law_kind_item(&a->linear[c]);
    double sigma = fmax(a->least, a->resistance) * map.gamma;
    cond_natural_map_linearise_item(&map, sigma, 0, a->trial + (ptrdiff_t)3 * c, lambda,
                                    a->slip_before + (ptrdiff_t)2 * c, &law);
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
COND_DEVICE void cond_resident_right_hand_item(const CondResidentView* a, int node)
{
    double f[3] = {0.0, 0.0, 0.0};
    cond_resident_add_forces(a, node, a->next.lambda, f);
    for (int k = 0; k < 3; k++) {
        a->next.r[3 * node + k] = f[k] - a->now.r[3 * node + k];
        a->x[3 * node + k] = 0.0;
    }
}

// ---- linear system

// T = R' D R
COND_DEVICE void cond_resident_gain(const CondResidentView* a, int c, double T[9])
{
    const double *R = a->contact[c].frame, *D = a->linear[c].D;
    double DR[9];
    mat3_product(D, R, DR);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] = R[i] * DR[j] + R[3 + i] * DR[3 + j] + R[6 + i] * DR[6 + j];
}

COND_DEVICE size_t cond_resident_pair(int place)
{
    return 24 * (size_t)(place / 2) + 4 * (size_t)(place % 2);
}

// The block on the diagonal with the gains of the node's contacts.
COND_DEVICE void cond_resident_diagonal_item(const CondResidentView* a, int node)
{
    double* B = a->B + (ptrdiff_t)9 * node;
    const double* rest = a->A + (ptrdiff_t)9 * a->at_diagonal[node];
    double T[9];
    for (int e = 0; e < 9; e++)
        B[e] = rest[e];
    for (int k = a->contact_begin[node]; k < a->contact_begin[node + 1]; k++) {
        int c = a->contact_of[k];
        if (cond_linear_law_kind_item(&a->linear[c]) == COND_CONTACT_OPEN)
            continue;
        cond_resident_gain(a, c, T);
        for (int e = 0; e < 9; e++)
            B[e] += T[e];
    }
    for (int e = 0; e < 9; e++)
        a->on_diagonal[(ptrdiff_t)9 * a->rank[node] + e] = (float)B[e];
}

// Its inverse, packed; 1 where it is not positive. As invert3 of soft_system_build.c.
COND_DEVICE double cond_resident_invert_term(const CondResidentView* a, int node)
{
    const double* M = a->B + (ptrdiff_t)9 * node;
    double i0 = 1.0 / M[0], p = M[3] * i0, q = M[6] * i0;
    double d1 = M[4] - p * M[3], i1 = 1.0 / d1, s = (M[7] - q * M[3]) * i1;
    double d2 = M[8] - q * M[6] - s * s * d1, i2 = 1.0 / d2, sum = M[0] + d1 + d2;
    double m10 = -p, m21 = -s, m20 = p * s - q;
    float* to = a->pairs + cond_resident_pair(a->rank[node]);
    to[0] = (float)(i0 + m10 * m10 * i1 + m20 * m20 * i2);
    to[1] = to[8] = (float)(m10 * i1 + m20 * m21 * i2);
    to[2] = to[16] = (float)(m20 * i2);
    to[9] = (float)(i1 + m21 * m21 * i2);
    to[10] = to[17] = (float)(m21 * i2);
    to[18] = (float)i2;
    return !(M[0] > 0.0 && d1 > 0.0 && d2 > 0.0 && sum - sum == 0.0);
}

COND_DEVICE double cond_resident_peak_term(const CondResidentView* a, int node)
{
    double most = 0.0;
    for (int k = 0; k < 3; k++)
        most = cond_most_of(most, fabs(a->next.r[3 * node + k]));
    return most;
}

COND_DEVICE void cond_resident_pack_item(const CondResidentView* a, int place)
{
    int node = a->order[place];
    float* to = a->packed_r + (ptrdiff_t)4 * place;
    for (int k = 0; k < 3; k++)
        to[k] = node >= 0 ? (float)(a->next.r[3 * node + k] / a->scale) : 0.0F;
    to[3] = 0.0F;
}

COND_DEVICE void cond_resident_unpack_item(const CondResidentView* a, int node)
{
    const float* from = a->packed_x + (ptrdiff_t)4 * a->rank[node];
    for (int k = 0; k < 3; k++)
        a->dx[3 * node + k] = a->scale * (double)from[k];
}

// x += dx, r -= H dx
COND_DEVICE void cond_resident_correct_item(const CondResidentView* a, int node)
{
    const double* dx = a->dx + (ptrdiff_t)3 * node;
    double y[3];
    cond_resident_row(a, node, a->dx, y);
    for (int k = a->contact_begin[node]; k < a->contact_begin[node + 1]; k++) {
        int c = a->contact_of[k];
        const double *R = a->contact[c].frame, *D = a->linear[c].D;
        double p[3], f[3];
        mat3_multiply(R, dx, p);
        mat3_multiply(D, p, f);
        for (int i = 0; i < 3; i++)
            y[i] += R[i] * f[0] + R[3 + i] * f[1] + R[6 + i] * f[2];
    }
    for (int k = 0; k < 3; k++) {
        a->x[3 * node + k] += dx[k];
        a->next.r[3 * node + k] -= y[k];
    }
}

// The norm by which the iterations end: nodes weigh as if they were free.
COND_DEVICE double cond_resident_left_term(const CondResidentView* a, int node)
{
    const double *rest = a->A + (ptrdiff_t)9 * a->at_diagonal[node],
                 *r = a->next.r + 3 * (ptrdiff_t)node;
    return 3.0 / (rest[0] + rest[4] + rest[8]) * vec3_dot(r, r);
}

// ---- the end of the step, and the way there

COND_DEVICE void cond_resident_arrive_item(const CondResidentView* a, int node)
{
    for (int i = 3 * node; i < 3 * node + 3; i++) {
        a->next.v[i] = a->now.v[i] + a->x[i];
        a->next.r[i] = -a->next.r[i];
    }
}

COND_DEVICE void cond_resident_arrive_contact_item(const CondResidentView* a, int c)
{
    double du[3];
    cond_resident_velocity(&a->contact[c], a->x + (ptrdiff_t)3 * a->node[c], NULL, du);
    for (int i = 0; i < 3; i++)
        a->next.lambda[3 * c + i] +=
            a->now.lambda[3 * c + i] - vec3_dot(a->linear[c].D + 3 * i, du);
}

// r' W r at a share of the way, which is made.
COND_DEVICE double cond_resident_try_term(const CondResidentView* a, int node)
{
    double sum = 0.0;
    for (int i = 3 * node; i < 3 * node + 3; i++) {
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
    double y[3], u[3], x[3], p[3], e = 0.0;
    const double* lambda = pair->lambda + (ptrdiff_t)3 * c;
    CondNaturalMap map = cond_resident_map(a, c);
    cond_resident_ahead(a, pair, a->node[c], y);
    cond_resident_velocity(map.contact, y, map.contact->phi, u);
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

COND_DEVICE double cond_resident_merit_term(const CondResidentView* a, int node)
{
    double sum = 0.0;
    for (int i = 3 * node; i < 3 * node + 3; i++)
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

// Minus the length of the step at which a force leaves its cone, where that is beyond 1; as
// leaves_cone of semismooth.c.
COND_DEVICE double cond_resident_leave_term(const CondResidentView* a, int c)
{
    const double *now = a->now.lambda + (ptrdiff_t)3 * c, *next = a->next.lambda + (ptrdiff_t)3 * c;
    double A = 0.0, B = 0.0, C = 0.0;
    for (int i = 0; i < 3; i++) {
        double mu = i ? a->contact[c].friction[i - 1] : 1.0, weight = (i ? -1.0 : 1.0) / (mu * mu);
        A += weight * (next[i] - now[i]) * (next[i] - now[i]);
        B += weight * now[i] * (next[i] - now[i]);
        C += weight * now[i] * now[i];
    }
    double square = B * B - A * C;
    if (!(C > 0.0) || !(square >= 0.0))
        return -INFINITY;
    double length = C / (-B + sqrt(square));
    return length > 1.0 ? -length : -INFINITY;
}

COND_DEVICE void cond_resident_copy_item(const CondResidentView* a, int i)
{
    a->to[i] = a->from[i];
}

// ---- certificate (law/certificate.c)

// The dynamics at a node: squares over the diagonal of A v, Jc' lambda, b and what is left, and the
// change D^-1 Jc' lambda.
COND_DEVICE void cond_resident_judge_item(const CondResidentView* a, int node)
{
    double Av[3], f[3] = {0.0, 0.0, 0.0}, norm[4] = {0.0, 0.0, 0.0, 0.0};
    cond_resident_add_forces(a, node, a->asked_lambda, f);
    if (!a->asked_r)
        cond_resident_row(a, node, a->asked_v, Av);
    for (int k = 0; k < 3; k++) {
        int i = 3 * node + k;
        double b = a->b[i], d = a->diagonal[i];
        double left = a->asked_r ? a->asked_r[i] : Av[k] - b - f[k];
        if (a->asked_r)
            Av[k] = left + b + f[k];
        else
            a->measured_r[i] = left;
        norm[0] += Av[k] * Av[k] / d;
        norm[1] += f[k] * f[k] / d;
        norm[2] += b * b / d;
        norm[3] += left * left / d;
        a->change[i] = f[k] / d;
    }
    for (int k = 0; k < 4; k++)
        a->norm[(ptrdiff_t)k * a->n_node + node] = norm[k];
}

COND_DEVICE double cond_resident_add_term(const CondResidentView* a, int i)
{
    return a->from[i];
}

COND_DEVICE void cond_resident_judge_contact_item(const CondResidentView* a, int c)
{
    const CondContact* contact = &a->contact[c];
    const double* l = a->asked_lambda + (ptrdiff_t)3 * c;
    double *u = a->now.u + (ptrdiff_t)3 * c, at[3], w[3], speed = 0.0, changed = 0.0;
    double slip = cond_resident_slip(a, c), delassus = a->delassus[c];
    double force = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    CondLaw law = cond_resident_law(a, c);
    cond_resident_velocity(contact, a->asked_v + (ptrdiff_t)3 * a->node[c], contact->phi, u);
    cond_resident_velocity(contact, a->change + (ptrdiff_t)3 * a->node[c], NULL, w);
    for (int i = 0; i < 3; i++) {
        at[i] = u[i] + slip * l[i];
        speed += (u[i] - contact->phi[i]) * (u[i] - contact->phi[i]);
        changed += w[i] * w[i];
    }
    speed = sqrt(scalar_max(speed, changed));
    a->speed[c] =
        scalar_max(speed, scalar_max(slip, COND_INPUT_ROUNDING * (delassus + slip)) * force);
    const double* mu = contact->friction;
    CondLawError error = cond_law_essential(law, mu, delassus + slip, at, l,
                                            scalar_length(mu[0] * at[1], mu[1] * at[2]));
    a->error[c] = scalar_max(error.natural, error.penetration);
    a->penetration[c] = error.penetration;
}

// Slip of virtual nodes that belong to the problem.
COND_DEVICE double cond_resident_coupling_term(const CondResidentView* a, int c)
{
    const double* l = a->asked_lambda + (ptrdiff_t)3 * c;
    double force = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    return a->carried[c] ? 0.0 : a->compliance[c] * force;
}

// |u| of the contacts.
COND_DEVICE double cond_resident_speed_term(const CondResidentView* a, int c)
{
    const double* u = a->now.u + (ptrdiff_t)3 * c;
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

// Minus the number of the contact with the largest error.
COND_DEVICE double cond_resident_worst_term(const CondResidentView* a, int c)
{
    return a->error[c] == a->worst ? -(double)c : -INFINITY;
}

COND_KERNEL(cond_resident_weights, CondResidentView, cond_resident_weight_item)
COND_KERNEL(cond_resident_scales, CondResidentView, cond_resident_scale_item)
COND_KERNEL(cond_resident_predicts, CondResidentView, cond_resident_predict_item)
COND_SUM_KERNEL(cond_resident_overloads, CondResidentView, cond_resident_overload_term)
COND_KERNEL(cond_patch_firsts, CondResidentView, cond_patch_first_item)
COND_KERNEL(cond_patch_firsts_of_groups, CondResidentView, cond_patch_first_of_group_item)
COND_KERNEL(cond_patch_loads, CondResidentView, cond_patch_load_item)
COND_KERNEL(cond_patch_loads_of_groups, CondResidentView, cond_patch_load_of_group_item)
COND_KERNEL(cond_patch_shares, CondResidentView, cond_patch_share_item)
COND_KERNEL(cond_patch_forgets, CondResidentView, cond_patch_forget_item)
COND_KERNEL(cond_patch_takes, CondResidentView, cond_patch_take_item)
COND_KERNEL(cond_resident_linearises, CondResidentView, cond_resident_linearise_item)
COND_SUM_KERNEL(cond_resident_turned, CondResidentView, cond_resident_turned_term)
COND_SUM_KERNEL(cond_resident_closed, CondResidentView, cond_resident_closed_term)
COND_SUM_KERNEL(cond_resident_slipping, CondResidentView, cond_resident_slipping_term)
COND_KERNEL(cond_resident_right_hand, CondResidentView, cond_resident_right_hand_item)
COND_KERNEL(cond_resident_diagonals, CondResidentView, cond_resident_diagonal_item)
COND_SUM_KERNEL(cond_resident_inverts, CondResidentView, cond_resident_invert_term)
COND_MOST_KERNEL(cond_resident_peaks, CondResidentView, cond_resident_peak_term)
COND_KERNEL(cond_resident_packs, CondResidentView, cond_resident_pack_item)
COND_KERNEL(cond_resident_unpacks, CondResidentView, cond_resident_unpack_item)
COND_KERNEL(cond_resident_corrects, CondResidentView, cond_resident_correct_item)
COND_SUM_KERNEL(cond_resident_left, CondResidentView, cond_resident_left_term)
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
COND_KERNEL(cond_resident_judges, CondResidentView, cond_resident_judge_item)
COND_SUM_KERNEL(cond_resident_adds, CondResidentView, cond_resident_add_term)
COND_MOST_KERNEL(cond_resident_largest, CondResidentView, cond_resident_add_term)
COND_KERNEL(cond_resident_judges_contacts, CondResidentView, cond_resident_judge_contact_item)
COND_MOST_KERNEL(cond_resident_couplings, CondResidentView, cond_resident_coupling_term)
COND_MOST_KERNEL(cond_resident_speeds, CondResidentView, cond_resident_speed_term)
COND_MOST_KERNEL(cond_resident_worst, CondResidentView, cond_resident_worst_term)

#endif
