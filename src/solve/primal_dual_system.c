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
    return span->high - span->low > COND_BAND;
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
            pd->slack[i] = span_is_far(&span) ? pd->n_band[g] + pd->n_border[g] : -1;
            pd->n_border[g] += span_is_far(&span) ? 3 : 0;
        }
        in_band += pd->n_band[g];
        int size = pd->n_band[g] + pd->n_border[g];
        pd->largest = size > pd->largest ? size : pd->largest;
        pd->widest = pd->n_border[g] > pd->widest ? pd->n_border[g] : pd->widest;
    }
    pd->band = 2 * in_band > problem->n_dof;
}

// Rows of R J of a contact for coordinate entry k of side s.
static void column(const CondContact* contact, int s, int k, double out[3])
{
    const CondSide* side = &contact->side[s];
    const double* R = contact->frame;
    int n = side->n_coordinate;
    for (int r = 0; r < 3; r++) {
        out[r] = 0.0;
        for (int i = 0; i < 3; i++) {
            double J = side->jacobian ? side->jacobian[i * n + k] : (double)(i == k);
            out[r] += (s == 0 ? 1.0 : -1.0) * R[3 * r + i] * J;
        }
    }
}

// K += Jc' D Jc of one contact.
static void add_tie(CondPrimalDual* pd, const CondContact* contact, const double* D)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            double row[3], left[3];
            int i = pd->place[contact->side[s].coordinate[k]];
            column(contact, s, k, row);
            for (int j = 0; j < 3; j++)
                left[j] = row[0] * D[j] + row[1] * D[3 + j] + row[2] * D[6 + j];
            for (int p = 0; p < 2; p++)
                for (int l = 0; l < contact->side[p].n_coordinate; l++) {
                    double right[3];
                    column(contact, p, l, right);
                    cond_bordered_add(&pd->K, i, pd->place[contact->side[p].coordinate[l]],
                                      left[0] * right[0] + left[1] * right[1] + left[2] * right[2]);
                }
        }
}

// The same with the force l = -D Jc v as an unknown: rows A v - Jc' l, and l + D Jc v = 0.
static void add_far_tie(CondPrimalDual* pd, const CondContact* contact, const double* D, int at)
{
    for (int r = 0; r < 3; r++)
        cond_bordered_add(&pd->K, at + r, at + r, 1.0);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            double row[3];
            int i = pd->place[contact->side[s].coordinate[k]];
            column(contact, s, k, row);
            for (int r = 0; r < 3; r++) {
                cond_bordered_add(&pd->K, i, at + r, -row[r]);
                cond_bordered_add(&pd->K, at + r, i,
                                  D[3 * r] * row[0] + D[3 * r + 1] * row[1] +
                                      D[3 * r + 2] * row[2]);
            }
        }
}

static void add_block(CondPrimalDual* pd, const CondBlock* block)
{
    const int* place = pd->place + block->dof_begin;
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

// K = A + Jc' D Jc restricted to group g.
static CondStatus fill_group(CondPrimalDual* pd, const CondProblem* problem, int g)
{
    CondStatus status = cond_bordered_begin(&pd->K, pd->n_band[g], pd->n_border[g]);
    if (status)
        return status;
    for (int k = pd->blocks.begin[g]; k < pd->blocks.begin[g + 1]; k++)
        add_block(pd, &problem->block[pd->blocks.item[k]]);
    for (int k = pd->couplings.begin[g]; k < pd->couplings.begin[g + 1]; k++) {
        int i = pd->couplings.item[k];
        add_coupling(pd, &problem->coupling[i], pd->coupling_slack[i]);
    }
    for (int k = pd->contacts.begin[g]; k < pd->contacts.begin[g + 1]; k++) {
        int c = pd->contacts.item[k];
        if (pd->slack[c] < 0)
            add_tie(pd, &problem->contact[c], pd->tie[c].D);
        else
            add_far_tie(pd, &problem->contact[c], pd->tie[c].D, pd->slack[c]);
    }
    return COND_OK;
}

CondStatus cond_primal_dual_solve_ties(CondPrimalDual* pd, const CondProblem* problem,
                                       int* singular)
{
    *singular = 0;
    memcpy(pd->f, problem->b, (size_t)problem->n_dof * sizeof *pd->f);
    for (int c = 0; c < problem->n_contact; c++) {
        const CondTie* tie = &pd->tie[c];
        const double* phi = problem->contact[c].phi;
        double force[3];
        for (int i = 0; i < 3; i++)
            force[i] = tie->fix[i] - tie->D[3 * i] * phi[0] - tie->D[3 * i + 1] * phi[1] -
                       tie->D[3 * i + 2] * phi[2];
        cond_contact_add_force(&problem->contact[c], 1.0, force, pd->f);
    }
    for (int g = 0; g < pd->n_group; g++) {
        int n = pd->dofs.begin[g + 1] - pd->dofs.begin[g];
        const int* member = pd->dofs.item + pd->dofs.begin[g];
        CondStatus status = fill_group(pd, problem, g);
        if (status)
            return status;
        memset(pd->x, 0, (size_t)(pd->n_band[g] + pd->n_border[g]) * sizeof *pd->x);
        for (int i = 0; i < n; i++)
            pd->x[pd->place[member[i]]] = pd->f[member[i]];
        *singular = cond_bordered_factor(&pd->K);
        if (*singular)
            return COND_OK;
        cond_bordered_solve(&pd->K, pd->x);
        for (int i = 0; i < n; i++)
            pd->v_new[member[i]] = pd->x[pd->place[member[i]]];
    }
    for (int c = 0; c < problem->n_contact; c++) {
        const CondTie* tie = &pd->tie[c];
        double u[3];
        cond_contact_velocity(&problem->contact[c], pd->v_new, u);
        for (int i = 0; i < 3; i++)
            pd->lambda_new[3 * c + i] = tie->fix[i] - tie->D[3 * i] * u[0] -
                                        tie->D[3 * i + 1] * u[1] - tie->D[3 * i + 2] * u[2];
    }
    return COND_OK;
}
