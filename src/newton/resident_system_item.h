// The linear system of a step (soft/soft_system.h) by items, for C and for CUDA: gains of the
// terms, blocks of the nodes and their inverses, the interface with its Schur complement, and what
// is left of a round in single precision.
//
// Numbers are those of soft_system_build.c and soft_interface.c, but for the order of sums.
#ifndef COND_NEWTON_RESIDENT_SYSTEM_ITEM_H
#define COND_NEWTON_RESIDENT_SYSTEM_ITEM_H

#include "newton/resident_item.h"

typedef struct CondResidentSystemView {
    CondResidentView v;
    double* T;        // R' D R of each contact                                       (9 n_contact)
    int general;      // 1: D is not symmetric
    const double* in; // of a product or of the preconditioner
    double* out;      // its result
    double* push;     // T J x of each contact                                       (3 n_contact)
    double* rest;   // A's blocks on the diagonal with couplings of one node             (9 n_node)
    double* joined; // bound of the couplings of several nodes; NULL: none             (9 n_node)
    double *B, *B_own; // with contacts of one node and both kinds of several; without the latter
                       //                                                              (9 n_node)
    const int *rank, *order; // place of a node, node of a place; -1: none
    float *on_diagonal, *pairs, *packed_r, *packed_x;
    int coarse; // 1: a coarse correction goes with the blocks
    // Joins of the packed system that are contacts.
    const int *join_contact, *join_gain; // contact, and index of its gain        (n_join_contact)
    double* gain;
    // The interface.
    int n_interface, wide, n_attached, n_chunk;
    const int* attached;        // places                                (n_attached)
    double *C_rest, *S_rest;    // of A and the couplings                (as C, S)
    double *E, *EB;             // of its rows, transposed, where D is not symmetric; (E' B)' (as C)
    double *C, *BC;             //                    (n_attached x 3 x n_interface)
    double* S;                  //                              (n_interface^2)
    double* schur;              //                              (n_interface^2)
    double* schur_part;         // of chunks of attached nodes  (n_chunk x n_interface^2)
    double *small, *small_part; // r_b - E' B r of the nodes    (n_interface), ..
    const double* inverse;      // of the Schur complement      (n_interface^2)
    float *packed_C, *packed_BC; //                       (n_attached x 3 x wide)
    double *own, *interface;     // S of the packed system; right-hand side, then answer
} CondResidentSystemView;

// ---- gains of the contacts

// T = R' D R
COND_DEVICE void cond_system_gain_item(const CondResidentSystemView* a, int c)
{
    const double *R = a->v.contact[c].frame, *D = a->v.linear[c].D;
    double DR[9], *T = a->T + (ptrdiff_t)9 * c;
    mat3_product(D, R, DR);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] = R[i] * DR[j] + R[3 + i] * DR[3 + j] + R[6 + i] * DR[6 + j];
}

COND_DEVICE void cond_system_join_item(const CondResidentSystemView* a, int k)
{
    for (int e = 0; e < 9; e++)
        a->gain[a->join_gain[k] + e] = a->T[(ptrdiff_t)9 * a->join_contact[k] + e];
}

COND_DEVICE int cond_system_is_open(const CondResidentSystemView* a, int c)
{
    return cond_linear_law_kind_item(&a->v.linear[c]) == COND_CONTACT_OPEN;
}

// ---- blocks of the nodes

COND_DEVICE size_t cond_resident_pair(int place)
{
    return 24 * (size_t)(place / 2) + 4 * (size_t)(place % 2);
}

// What A and the couplings give; once a problem.
COND_DEVICE void cond_system_rest_item(const CondResidentSystemView* a, int node)
{
    const CondTermsView* t = &a->v.of_coupling;
    const double* own = a->v.A + (ptrdiff_t)9 * a->v.at_diagonal[node];
    for (int e = 0; e < 9; e++)
        a->rest[9 * (ptrdiff_t)node + e] = own[e];
    for (int e = 0; e < 9 && a->joined; e++)
        a->joined[9 * (ptrdiff_t)node + e] = 0.0;
    for (int k = a->joined ? t->point_begin[node] : 0; a->joined && k < t->point_begin[node + 1];
         k++) {
        const CondTermEntry* e = &t->entry[t->point_entry[k]];
        cond_entry_add_pair(t, e, e, t->K + t->K_begin[e->term], t->factor[t->point_entry[k]],
                            (t->several[e->term] ? a->joined : a->rest) + (ptrdiff_t)9 * node);
    }
}

// The blocks on the diagonal with the gains of the node's contacts.
COND_DEVICE void cond_system_diagonal_item(const CondResidentSystemView* a, int node)
{
    const CondTermsView* t = &a->v.of_contact;
    double *B = a->B + (ptrdiff_t)9 * node, *own = a->B_own + (ptrdiff_t)9 * node;
    for (int e = 0; e < 9; e++) {
        own[e] = a->rest[(ptrdiff_t)9 * node + e];
        B[e] = a->joined ? a->joined[(ptrdiff_t)9 * node + e] : 0.0;
    }
    for (int k = t->point_begin[node]; k < t->point_begin[node + 1]; k++) {
        const CondTermEntry* e = &t->entry[t->point_entry[k]];
        if (!cond_system_is_open(a, e->term))
            cond_entry_add_pair(t, e, e, a->T + (ptrdiff_t)9 * e->term,
                                t->factor[t->point_entry[k]], t->several[e->term] ? B : own);
    }
    for (int e = 0; e < 9; e++) {
        B[e] += own[e];
        a->on_diagonal[(ptrdiff_t)9 * a->rank[node] + e] = (float)own[e];
    }
}

// Its inverse in its place, also packed; 1 where it is not positive. As invert3 of
// soft_system_build.c.
COND_DEVICE double cond_system_invert_term(const CondResidentSystemView* a, int node)
{
    double* M = a->B + (ptrdiff_t)9 * node;
    double i0 = 1.0 / M[0], p = M[3] * i0, q = M[6] * i0;
    double d1 = M[4] - p * M[3], i1 = 1.0 / d1, s = (M[7] - q * M[3]) * i1;
    double d2 = M[8] - q * M[6] - s * s * d1, i2 = 1.0 / d2, sum = M[0] + d1 + d2;
    double m10 = -p, m21 = -s, m20 = p * s - q;
    double failed = !(M[0] > 0.0 && d1 > 0.0 && d2 > 0.0 && sum - sum == 0.0);
    float* to = a->pairs + cond_resident_pair(a->rank[node]);
    M[0] = i0 + m10 * m10 * i1 + m20 * m20 * i2;
    M[1] = M[3] = m10 * i1 + m20 * m21 * i2;
    M[2] = M[6] = m20 * i2;
    M[4] = i1 + m21 * m21 * i2;
    M[5] = M[7] = m21 * i2;
    M[8] = i2;
    for (int e = 0; e < 9; e++)
        to[8 * (e / 3) + e % 3] = (float)M[e];
    return failed;
}

// The same for any block that is not singular; not packed.
COND_DEVICE double cond_system_invert_general_term(const CondResidentSystemView* a, int node)
{
    double *M = a->B + (ptrdiff_t)9 * node, inverse[9], column[3];
    for (int j = 0; j < 3; j++) {
        const double unit[3] = {(double)(j == 0), (double)(j == 1), (double)(j == 2)};
        if (mat3_solve(M, unit, column))
            return 1.0;
        for (int i = 0; i < 3; i++)
            inverse[3 * i + j] = column[i];
    }
    for (int e = 0; e < 9; e++)
        M[e] = inverse[e];
    return 0.0;
}

// ---- the interface

COND_DEVICE const double* cond_system_E(const CondResidentSystemView* a)
{
    return a->general ? a->E : a->C;
}

COND_DEVICE const double* cond_system_EB(const CondResidentSystemView* a)
{
    return a->general ? a->EB : a->BC;
}

// Adds J' K J between a node and the interface, three rows; and, E not NULL, the transposed of what
// is between the interface and the node.
COND_DEVICE void cond_system_add_attached(const CondResidentSystemView* a, const CondTermsView* t,
                                          const CondTermEntry* e, const double* K, double* C,
                                          double* E)
{
    int nb = a->n_interface;
    for (int f = t->entry_begin[e->term];
         f < t->entry_begin[e->term + 1] && t->entry[f].point >= t->n_node; f++) {
        double M[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        int first = 3 * (t->entry[f].point - t->n_node);
        cond_entry_add_pair(t, e, &t->entry[f], K, 1.0, M);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3 && first + j < nb; j++)

                C[i * nb + first + j] += M[3 * i + j];
        if (!E)
            continue;
        for (int i = 0; i < 9; i++)
            M[i] = 0.0;
        cond_entry_add_pair(t, &t->entry[f], e, K, 1.0, M);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3 && first + j < nb; j++)
                E[i * nb + first + j] += M[3 * j + i];
    }
}

COND_DEVICE void cond_system_rest_attached_item(const CondResidentSystemView* a, int k)
{
    const CondTermsView* t = &a->v.of_coupling;
    int node = a->order[a->attached[k]], nb = a->n_interface;
    double* C = a->C_rest + (ptrdiff_t)3 * nb * k;
    for (int i = 0; i < 3 * nb; i++)
        C[i] = 0.0;
    for (int l = t->n > 0 ? t->point_begin[node] : 0; t->n > 0 && l < t->point_begin[node + 1];
         l++) {
        const CondTermEntry* e = &t->entry[t->point_entry[l]];
        cond_system_add_attached(a, t, e, t->K + t->K_begin[e->term], C, NULL);
    }
}

// C, and B C with the inverse blocks, of an attached node; also packed.
COND_DEVICE void cond_system_attached_item(const CondResidentSystemView* a, int k)
{
    const CondTermsView* t = &a->v.of_contact;
    int place = a->attached[k], node = a->order[place], nb = a->n_interface;
    ptrdiff_t at = (ptrdiff_t)3 * nb * k;
    double *C = a->C + at, *E = a->general ? a->E + at : NULL;
    for (int i = 0; i < 3 * nb; i++) {
        C[i] = a->C_rest[at + i];
        if (E)
            E[i] = C[i]; // couplings are symmetric
    }
    for (int l = t->point_begin[node]; l < t->point_begin[node + 1]; l++) {
        const CondTermEntry* e = &t->entry[t->point_entry[l]];
        if (!cond_system_is_open(a, e->term))
            cond_system_add_attached(a, t, e, a->T + (ptrdiff_t)9 * e->term, C, E);
    }
    const double* B = a->B + (ptrdiff_t)9 * node; // the inverse by now
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < a->wide; j++) {
            double c = j < nb ? C[i * nb + j] : 0.0, sum = 0.0, of_E = 0.0;
            for (int l = 0; l < 3 && j < nb; l++) {
                sum += B[3 * i + l] * C[l * nb + j];
                of_E += E ? B[3 * l + i] * E[l * nb + j] : 0.0;
            }
            if (j < nb)
                a->BC[at + i * nb + j] = sum;
            if (j < nb && E)
                a->EB[at + i * nb + j] = of_E;
            a->packed_C[((ptrdiff_t)3 * k + i) * a->wide + j] = (float)c;
            a->packed_BC[((ptrdiff_t)3 * k + i) * a->wide + j] = (float)sum;
        }
}

// The interface's own matrix, a block of 3x3 between its points p and q: of terms that have both.
COND_DEVICE void cond_system_add_own(const CondResidentSystemView* a, const CondTermsView* t,
                                     int coupled, int p, int q, double M[9])
{
    for (int k = t->n > 0 ? t->point_begin[p] : 0; t->n > 0 && k < t->point_begin[p + 1]; k++) {
        const CondTermEntry* e = &t->entry[t->point_entry[k]];
        if (!coupled && cond_system_is_open(a, e->term))
            continue;
        for (int f = t->entry_begin[e->term];
             f < t->entry_begin[e->term + 1] && t->entry[f].point >= t->n_node; f++)
            if (t->entry[f].point == q)
                cond_entry_add_pair(
                    t, e, &t->entry[f],
                    coupled ? t->K + t->K_begin[e->term] : a->T + (ptrdiff_t)9 * e->term, 1.0, M);
    }
}

COND_DEVICE void cond_system_keep_own(const CondResidentSystemView* a, int p, int q,
                                      const double M[9], double* S)
{
    int nb = a->n_interface;
    for (int e = 0; e < 9; e++) {
        int i = 3 * p + e / 3, j = 3 * q + e % 3;
        if (i < nb && j < nb)
            S[(ptrdiff_t)i * nb + j] = M[e];
    }
}

COND_DEVICE void cond_system_rest_own_item(const CondResidentSystemView* a, int item)
{
    int n = (a->n_interface + 2) / 3, p = item / n, q = item % n, point = a->v.n_node + p;
    double M[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = a->v.row_begin[point]; k < a->v.row_begin[point + 1]; k++)
        for (int e = 0; e < 9 && a->v.column[k] == a->v.n_node + q; e++)
            M[e] = a->v.A[(ptrdiff_t)9 * k + e];
    cond_system_add_own(a, &a->v.of_coupling, 1, point, a->v.n_node + q, M);
    cond_system_keep_own(a, p, q, M, a->S_rest);
}

COND_DEVICE void cond_system_own_item(const CondResidentSystemView* a, int item)
{
    int nb = a->n_interface, n = (nb + 2) / 3, p = item / n, q = item % n;
    double M[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int e = 0; e < 9; e++)
        if (3 * p + e / 3 < nb && 3 * q + e % 3 < nb)
            M[e] = a->S_rest[(ptrdiff_t)(3 * p + e / 3) * nb + 3 * q + e % 3];
    cond_system_add_own(a, &a->v.of_contact, 0, a->v.n_node + p, a->v.n_node + q, M);
    cond_system_keep_own(a, p, q, M, a->S);
    cond_system_keep_own(a, p, q, M, a->own);
}

// E' B C of a chunk of the attached nodes.
COND_DEVICE void cond_system_schur_part_item(const CondResidentSystemView* a, int item)
{
    int nb = a->n_interface, chunk = item / (nb * nb), i = item / nb % nb, j = item % nb;
    const double* E = cond_system_E(a);
    double sum = 0.0;
    for (int k = COND_PACKED_BLOCK * chunk;
         k < COND_PACKED_BLOCK * (chunk + 1) && k < a->n_attached; k++)
        for (int l = 0; l < 3; l++) {
            ptrdiff_t row = ((ptrdiff_t)3 * k + l) * nb;
            sum += E[row + i] * a->BC[row + j];
        }
    a->schur_part[item] = sum;
}

COND_DEVICE void cond_system_schur_item(const CondResidentSystemView* a, int item)
{
    int nb = a->n_interface;
    double sum = a->S[item];
    for (int chunk = 0; chunk < a->n_chunk; chunk++)
        sum -= a->schur_part[(ptrdiff_t)chunk * nb * nb + item];
    a->schur[item] = sum;
}

// The right-hand side of the Schur complement: E' B r of a chunk, then r_b less those of all.
COND_DEVICE void cond_system_small_part_item(const CondResidentSystemView* a, int item)
{
    int nb = a->n_interface, chunk = item / nb, j = item % nb;
    const double* EB = cond_system_EB(a);
    double sum = 0.0;
    for (int k = COND_PACKED_BLOCK * chunk;
         k < COND_PACKED_BLOCK * (chunk + 1) && k < a->n_attached; k++)
        for (int l = 0; l < 3; l++)
            sum += EB[((ptrdiff_t)3 * k + l) * nb + j] * a->in[3 * a->order[a->attached[k]] + l];
    a->small_part[item] = sum;
}

COND_DEVICE void cond_system_small_item(const CondResidentSystemView* a, int j)
{
    double sum = a->in[3 * a->v.n_node + j];
    for (int chunk = 0; chunk < a->n_chunk; chunk++)
        sum -= a->small_part[chunk * a->n_interface + j];
    a->small[j] = sum;
}

// Its share of the norm, s' Schur^-1 s.
COND_DEVICE double cond_system_small_term(const CondResidentSystemView* a, int item)
{
    int nb = a->n_interface;
    return a->small[item / nb] * a->inverse[item] * a->small[item % nb];
}

// ---- product and preconditioner in double

// out = B in of a node.
COND_DEVICE void cond_system_block_item(const CondResidentSystemView* a, int node)
{
    mat3_multiply(a->B + 9 * (ptrdiff_t)node, a->in + 3 * (ptrdiff_t)node,
                  a->out + 3 * (ptrdiff_t)node);
}

// Coordinate j behind the nodes: Schur^-1 (r_b - E' B r), and none behind the interface.
COND_DEVICE void cond_system_small_solve_item(const CondResidentSystemView* a, int j)
{
    double sum = 0.0;
    for (int i = 0; i < a->n_interface && j < a->n_interface; i++)
        sum += a->inverse[(ptrdiff_t)j * a->n_interface + i] * a->small[i];
    a->out[3 * a->v.n_node + j] = sum;
}

// out -= B C out_b of an attached node.
COND_DEVICE void cond_system_spread_item(const CondResidentSystemView* a, int k)
{
    int nb = a->n_interface, node = a->order[a->attached[k]];
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int j = 0; j < nb; j++)
            sum += a->BC[((ptrdiff_t)3 * k + i) * nb + j] * a->out[3 * a->v.n_node + j];
        a->out[3 * node + i] -= sum;
    }
}

// Forces of the linearised contacts at `in`.
COND_DEVICE void cond_system_push_item(const CondResidentSystemView* a, int c)
{
    const CondTermsView* t = &a->v.of_contact;
    double p[3] = {0.0, 0.0, 0.0};
    for (int k = t->entry_begin[c]; k < t->entry_begin[c + 1]; k++)
        cond_entry_add_velocity(t, &t->entry[k], a->in + (ptrdiff_t)3 * t->entry[k].point, p);
    mat3_multiply(a->T + (ptrdiff_t)9 * c, p, a->push + (ptrdiff_t)3 * c);
}

// y = H in of a point, where the forces of couplings and contacts are there.
COND_DEVICE void cond_system_row(const CondResidentSystemView* a, int point, double y[3])
{
    const CondTermsView* t = &a->v.of_contact;
    cond_resident_row(&a->v, point, a->in, y);
    for (int k = t->point_begin[point]; k < t->point_begin[point + 1]; k++) {
        const CondTermEntry* e = &t->entry[t->point_entry[k]];
        cond_entry_add_force(t, e, a->push + (ptrdiff_t)3 * e->term, y);
    }
}

COND_DEVICE void cond_system_product_item(const CondResidentSystemView* a, int point)
{
    cond_system_row(a, point, a->out + 3 * (ptrdiff_t)point);
}

// ---- a round in single precision

COND_DEVICE double cond_system_peak_term(const CondResidentSystemView* a, int point)
{
    double most = 0.0;
    for (int k = 0; k < 3; k++)
        most = cond_most_of(most, fabs(a->v.next.r[3 * point + k]));
    return most;
}

COND_DEVICE void cond_system_pack_item(const CondResidentSystemView* a, int place)
{
    int node = a->order[place];
    float* to = a->packed_r + (ptrdiff_t)4 * place;
    for (int k = 0; k < 3; k++)
        to[k] = node >= 0 ? (float)(a->v.next.r[3 * node + k] / a->v.scale) : 0.0F;
    to[3] = 0.0F;
}

COND_DEVICE void cond_system_pack_interface_item(const CondResidentSystemView* a, int j)
{
    a->interface[j] = a->v.next.r[3 * a->v.n_node + j] / a->v.scale;
}

COND_DEVICE void cond_system_unpack_item(const CondResidentSystemView* a, int point)
{
    for (int k = 0; k < 3; k++) {
        int i = 3 * (point - a->v.n_node) + k;
        double x = 0.0;
        if (point < a->v.n_node)
            x = (double)a->packed_x[(ptrdiff_t)4 * a->rank[point] + k];
        else if (i < a->n_interface)
            x = a->interface[i];
        a->v.dx[3 * point + k] = a->v.scale * x;
    }
}

// x += dx, r -= H dx
COND_DEVICE void cond_system_correct_item(const CondResidentSystemView* a, int point)
{
    double y[3];
    cond_system_row(a, point, y);
    for (int k = 0; k < 3; k++) {
        a->v.x[3 * point + k] += a->in[3 * point + k];
        a->v.next.r[3 * point + k] -= y[k];
    }
}

// The norm by which the iterations end: that of the blocks; with a coarse correction nodes weigh as
// if they were free.
COND_DEVICE double cond_system_left_term(const CondResidentSystemView* a, int node)
{
    const double *r = a->v.next.r + 3 * (ptrdiff_t)node, *rest = a->rest + 9 * (ptrdiff_t)node;
    double Br[3];
    if (a->coarse)
        return 3.0 / (rest[0] + rest[4] + rest[8]) * vec3_dot(r, r);
    mat3_multiply(a->B + 9 * (ptrdiff_t)node, r, Br);
    return vec3_dot(r, Br);
}

COND_KERNEL(cond_system_gains, CondResidentSystemView, cond_system_gain_item)
COND_KERNEL(cond_system_joins, CondResidentSystemView, cond_system_join_item)
COND_KERNEL(cond_system_rests, CondResidentSystemView, cond_system_rest_item)
COND_KERNEL(cond_system_diagonals, CondResidentSystemView, cond_system_diagonal_item)
COND_SUM_KERNEL(cond_system_inverts, CondResidentSystemView, cond_system_invert_term)
COND_SUM_KERNEL(cond_system_inverts_general, CondResidentSystemView,
                cond_system_invert_general_term)
COND_KERNEL(cond_system_blocks, CondResidentSystemView, cond_system_block_item)
COND_KERNEL(cond_system_small_solves, CondResidentSystemView, cond_system_small_solve_item)
COND_KERNEL(cond_system_spreads, CondResidentSystemView, cond_system_spread_item)
COND_KERNEL(cond_system_products, CondResidentSystemView, cond_system_product_item)
COND_KERNEL(cond_system_rests_attached, CondResidentSystemView, cond_system_rest_attached_item)
COND_KERNEL(cond_system_attach, CondResidentSystemView, cond_system_attached_item)
COND_KERNEL(cond_system_rests_own, CondResidentSystemView, cond_system_rest_own_item)
COND_KERNEL(cond_system_owns, CondResidentSystemView, cond_system_own_item)
COND_KERNEL(cond_system_schur_parts, CondResidentSystemView, cond_system_schur_part_item)
COND_KERNEL(cond_system_schurs, CondResidentSystemView, cond_system_schur_item)
COND_KERNEL(cond_system_small_parts, CondResidentSystemView, cond_system_small_part_item)
COND_KERNEL(cond_system_smalls, CondResidentSystemView, cond_system_small_item)
COND_SUM_KERNEL(cond_system_small_norm, CondResidentSystemView, cond_system_small_term)
COND_MOST_KERNEL(cond_system_peaks, CondResidentSystemView, cond_system_peak_term)
COND_KERNEL(cond_system_packs, CondResidentSystemView, cond_system_pack_item)
COND_KERNEL(cond_system_packs_interface, CondResidentSystemView, cond_system_pack_interface_item)
COND_KERNEL(cond_system_unpacks, CondResidentSystemView, cond_system_unpack_item)
COND_KERNEL(cond_system_pushes, CondResidentSystemView, cond_system_push_item)
COND_KERNEL(cond_system_corrects, CondResidentSystemView, cond_system_correct_item)
COND_SUM_KERNEL(cond_system_left, CondResidentSystemView, cond_system_left_term)

#endif
