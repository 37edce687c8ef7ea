#include "solve/primal_dual_system.h"

#include "nodalize/nodal.h"

#include <math.h>
#include <string.h>

// 1 when the band cannot hold an entry between two of these coordinates.
typedef struct Span {
    int low, high; // places in the band; high < low: none
} Span;

static void span_add(Span* span, const CondPrimalDual* pd, int group, int n, const int* coordinate)
{
    for (int k = 0; k < n; k++) {
        int at = pd->place[coordinate[k]];
        if (at >= pd->n_band[group])
            continue;
        span->low = span->high < span->low || at < span->low ? at : span->low;
        span->high = at > span->high ? at : span->high;
    }
}

static int span_is_far(const Span* span)
{
    return span->low <= span->high && !cond_bordered_holds(span->low, span->high);
}

// Band places go to block tridiagonal blocks, in order, border places to all others behind them.
static void place_group(CondPrimalDual* pd, const CondProblem* problem, int g)
{
    int n[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
        for (int k = pd->blocks.begin[g]; k < pd->blocks.begin[g + 1]; k++) {
            const CondBlock* block = &problem->block[pd->blocks.item[k]];
            if ((block->kind == COND_BLOCK_TRIDIAGONAL) == (pass == 1))
                continue;
            for (int i = 0; i < block->n_dof; i++)
                pd->place[block->dof_begin + i] = n[0] + n[1] + i;
            n[pass] += block->n_dof;
        }
    }
    pd->n_band[g] = n[0];
    pd->n_border[g] = n[1];
}

void cond_primal_dual_layout(CondPrimalDual* pd, const CondProblem* problem)
{
    int in_band = 0;
    pd->largest = pd->widest = 0;
    pd->most_columns = 0;
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        int n = side[0].n_coordinate + side[1].n_coordinate;
        pd->most_columns = n > pd->most_columns ? n : pd->most_columns;
    }
    for (int g = 0; g < pd->n_group; g++) {
        place_group(pd, problem, g);
        for (int k = pd->couplings.begin[g]; k < pd->couplings.begin[g + 1]; k++) {
            int i = pd->couplings.item[k];
            const CondCoupling* c = &problem->coupling[i];
            Span span = {0, -1};
            span_add(&span, pd, g, c->n_coordinate, c->coordinate);
            pd->coupling_slack[i] = span_is_far(&span) ? pd->n_band[g] + pd->n_border[g] : -1;
            pd->n_border[g] += span_is_far(&span) ? c->n_row : 0;
        }
        for (int k = pd->contacts.begin[g]; k < pd->contacts.begin[g + 1]; k++) {
            int i = pd->contacts.item[k];
            const CondSide* side = problem->contact[i].side;
            Span span = {0, -1};
            for (int s = 0; s < 2; s++)
                span_add(&span, pd, g, side[s].n_coordinate, side[s].coordinate);
            pd->far[i] = span_is_far(&span);
            pd->n_border[g] += pd->far[i] ? 3 : 0;
        }
        in_band += pd->n_band[g];
        int size = pd->n_band[g] + pd->n_border[g];
        pd->largest = size > pd->largest ? size : pd->largest;
        pd->widest = pd->n_border[g] > pd->widest ? pd->n_border[g] : pd->widest;
    }
    pd->band = 2 * in_band > problem->n_dof;
}

// Columns of R J of a contact, three numbers per coordinate, and their places; room for both sides.
typedef struct Columns {
    int n;
    int* place;  //                                                             (n)
    double* RJ;  //                                                             (n x 3)
    double* DRJ; // D R J                                                       (n x 3)
} Columns;

static void fill_columns(CondPrimalDual* pd, const CondContact* contact, const double* D,
                         Columns* columns)
{
    const double* R = contact->frame;
    *columns = (Columns){0, pd->column_place, pd->column, pd->column + 3 * pd->most_columns};
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &contact->side[s];
        int n = side->n_coordinate;
        for (int k = 0; k < n; k++) {
            double *a = columns->RJ + 3 * columns->n, *b = columns->DRJ + 3 * columns->n, J[3];
            columns->place[columns->n++] = pd->place[side->coordinate[k]];
            for (int i = 0; i < 3; i++)
                J[i] = (s == 0 ? 1.0 : -1.0) *
                       (side->jacobian ? side->jacobian[i * n + k] : (double)(i == k));
            for (int r = 0; r < 3; r++)
                a[r] = R[3 * r] * J[0] + R[3 * r + 1] * J[1] + R[3 * r + 2] * J[2];
            for (int r = 0; r < 3; r++)
                b[r] = D[3 * r] * a[0] + D[3 * r + 1] * a[1] + D[3 * r + 2] * a[2];
        }
    }
}

// K += Jc' D Jc of one contact.
static void add_tie(CondPrimalDual* pd, const CondContact* contact, const double* D)
{
    Columns c;
    fill_columns(pd, contact, D, &c);
    for (int k = 0; k < c.n; k++)
        for (int l = 0; l < c.n; l++) {
            const double *a = c.RJ + 3 * k, *b = c.DRJ + 3 * l;
            cond_bordered_add(&pd->K, c.place[k], c.place[l],
                              a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
}

// The same with the force l = -D Jc v as an unknown: rows A v - Jc' l, and l + D Jc v = 0.
static void add_far_tie(CondPrimalDual* pd, const CondContact* contact, const double* D, int at)
{
    Columns c;
    fill_columns(pd, contact, D, &c);
    for (int r = 0; r < 3; r++) {
        cond_bordered_add(&pd->K, at + r, at + r, 1.0);
        for (int k = 0; k < c.n; k++) {
            cond_bordered_add(&pd->K, c.place[k], at + r, -c.RJ[3 * k + r]);
            cond_bordered_add(&pd->K, at + r, c.place[k], c.DRJ[3 * k + r]);
        }
    }
}

static void add_block(CondPrimalDual* pd, const CondBlock* block)
{
    const int* place = pd->place + block->dof_begin;
    if (block->kind == COND_BLOCK_TRIDIAGONAL) {
        cond_bordered_put(&pd->K, place[0], block->n_dof, block->values);
        return;
    }
    for (int i = 0; i < block->n_dof; i++) {
        int size = cond_block_row_size(block, i), j;
        for (int k = 0; k < size; k++) {
            double value = cond_block_entry(block, i, k, &j);
            cond_bordered_add(&pd->K, place[i], place[j], value);
        }
    }
}

// Entry (r, l) of K J of a coupling.
static double gain_row(const CondCoupling* c, int r, int l)
{
    double value = 0.0;
    for (int s = 0; s < c->n_row; s++)
        value += c->gain[r * c->n_row + s] * c->jacobian[s * c->n_coordinate + l];
    return value;
}

// K += J' K J of a coupling; where it is far, its force w = K J v is an unknown.
static void add_coupling(CondPrimalDual* pd, const CondCoupling* c, int slack)
{
    for (int r = 0; r < c->n_row && slack >= 0; r++)
        cond_bordered_add(&pd->K, slack + r, slack + r, 1.0);
    for (int l = 0; l < c->n_coordinate; l++)
        for (int r = 0; r < c->n_row; r++) {
            double value = gain_row(c, r, l);
            int j = pd->place[c->coordinate[l]];
            if (slack >= 0) {
                cond_bordered_add(&pd->K, slack + r, j, -value);
                cond_bordered_add(&pd->K, j, slack + r, c->jacobian[r * c->n_coordinate + l]);
                continue;
            }
            for (int k = 0; k < c->n_coordinate; k++)
                cond_bordered_add(&pd->K, pd->place[c->coordinate[k]], j,
                                  c->jacobian[r * c->n_coordinate + k] * value);
        }
}

static int is_open(const double* D)
{
    for (int i = 0; i < 9; i++)
        if (D[i] != 0.0)
            return 0;
    return 1;
}

// K = A + Jc' D Jc restricted to group g. The forces of far contacts come last in the border, and
// those of open ones not at all.
static CondStatus fill_group(CondPrimalDual* pd, const CondProblem* problem, int g)
{
    int n_band = pd->n_band[g], n_border = pd->n_border[g];
    for (int k = pd->contacts.begin[g]; k < pd->contacts.begin[g + 1]; k++)
        n_border -=
            pd->far[pd->contacts.item[k]] && is_open(pd->D + 9 * pd->contacts.item[k]) ? 3 : 0;
    CondStatus status = cond_bordered_begin(&pd->K, n_band, n_border);
    if (status)
        return status;
    for (int k = pd->blocks.begin[g]; k < pd->blocks.begin[g + 1]; k++)
        add_block(pd, &problem->block[pd->blocks.item[k]]);
    for (int k = pd->couplings.begin[g]; k < pd->couplings.begin[g + 1]; k++) {
        int i = pd->couplings.item[k];
        add_coupling(pd, &problem->coupling[i], pd->coupling_slack[i]);
    }
    int slack = n_band + n_border;
    for (int k = pd->contacts.begin[g]; k < pd->contacts.begin[g + 1]; k++) {
        int c = pd->contacts.item[k];
        const double* D = pd->D + 9 * c;
        if (is_open(D))
            continue;
        if (pd->far[c])
            add_far_tie(pd, &problem->contact[c], D, slack -= 3);
        else
            add_tie(pd, &problem->contact[c], D);
    }
    return COND_OK;
}

CondStatus cond_primal_dual_solve_ties(CondPrimalDual* pd, const CondProblem* problem,
                                       const double* r, int* singular)
{
    double* dv = pd->f;
    *singular = 0;
    for (int i = 0; i < problem->n_dof; i++)
        dv[i] = -r[i];
    for (int c = 0; c < problem->n_contact; c++)
        cond_contact_add_force(&problem->contact[c], 1.0, pd->gap + 3 * c, dv);
    for (int g = 0; g < pd->n_group; g++) {
        int n = pd->dofs.begin[g + 1] - pd->dofs.begin[g];
        const int* member = pd->dofs.item + pd->dofs.begin[g];
        CondStatus status = fill_group(pd, problem, g);
        if (status)
            return status;
        memset(pd->x, 0, (size_t)(pd->K.n_band + pd->K.n_border) * sizeof *pd->x);
        for (int i = 0; i < n; i++)
            pd->x[pd->place[member[i]]] = dv[member[i]];
        *singular = cond_bordered_factor(&pd->K);
        if (*singular)
            return COND_OK;
        cond_bordered_solve(&pd->K, pd->x);
        for (int i = 0; i < n; i++)
            dv[member[i]] = pd->x[pd->place[member[i]]];
    }
    for (int i = 0; i < problem->n_dof; i++)
        pd->v_new[i] = pd->v[i] + dv[i];
    for (int c = 0; c < problem->n_contact; c++) {
        const double *D = pd->D + 9 * c, *gap = pd->gap + 3 * c, *phi = problem->contact[c].phi;
        double du[3];
        cond_contact_velocity(&problem->contact[c], dv, du);
        for (int i = 0; i < 3; i++) {
            du[i] -= phi[i];
            pd->u_new[3 * c + i] = pd->u[3 * c + i] + du[i];
        }
        for (int i = 0; i < 3; i++)
            pd->lambda_new[3 * c + i] = pd->lambda[3 * c + i] + gap[i] - D[3 * i] * du[0] -
                                        D[3 * i + 1] * du[1] - D[3 * i + 2] * du[2];
    }
    return COND_OK;
}
