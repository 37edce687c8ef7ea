#include "solve/primal_dual.h"

#include "base/memory.h"
#include "nodalize/nodal.h"
#include "solve/primal_dual_tie.h"
#include "sparse/lu.h"

#include <math.h>
#include <string.h>

enum { LARGEST_GROUP = 600 }; // coordinates; a dense factorisation takes a tenth of a second there

// Representative of block b in the union of joined blocks.
static int find(int* group, int b)
{
    while (group[b] != b)
        b = group[b] = group[group[b]];
    return b;
}

// Joins the blocks of all coordinates in the list to the block `with` (-1: the first of them); the
// lowest block of a group is its root, which is returned.
static int join(int* group, const CondProblem* problem, const int* coordinate, int n, int with)
{
    for (int k = 0; k < n; k++) {
        int b = find(group, cond_nodal_block(problem, coordinate[k]));
        if (with < 0)
            with = b;
        int low = b < with ? b : with;
        group[b] = group[with] = low;
        with = low;
    }
    return with;
}

static void make_groups(CondPrimalDual* pd, const CondProblem* problem)
{
    int* group = pd->group;
    for (int b = 0; b < problem->n_block; b++)
        group[b] = b;
    for (int i = 0; i < problem->n_coupling; i++)
        join(group, problem, problem->coupling[i].coordinate, problem->coupling[i].n_coordinate,
             -1);
    for (int c = 0; c < problem->n_contact; c++) {
        const CondSide* side = problem->contact[c].side;
        int with = join(group, problem, side[0].coordinate, side[0].n_coordinate, -1);
        join(group, problem, side[1].coordinate, side[1].n_coordinate, with);
    }
}

// Sorts n items by key (0 .. n_key - 1), stable.
static CondStatus fill_bucket(CondPrimalDual* pd, CondBucket* bucket, int n, int n_key)
{
    const CondContext* m = &pd->context;
    if (cond_reserve(m, &bucket->begin, &bucket->cap_begin, n_key + 2, sizeof *bucket->begin) ||
        cond_reserve(m, &bucket->item, &bucket->cap_item, n, sizeof *bucket->item))
        return COND_OUT_OF_MEMORY;
    // begin[key + 2] counts; after the sums begin[key + 1] is where the next item of key goes, and
    // once all are placed it is the end of key, which is the begin of key + 1.
    memset(bucket->begin, 0, ((size_t)n_key + 2) * sizeof *bucket->begin);
    for (int i = 0; i < n; i++)
        bucket->begin[pd->key[i] + 2]++;
    for (int g = 0; g < n_key; g++)
        bucket->begin[g + 2] += bucket->begin[g + 1];
    for (int i = 0; i < n; i++)
        bucket->item[bucket->begin[pd->key[i] + 1]++] = i;
    return COND_OK;
}

// Numbers the groups in the order of their first block and sorts everything by group.
static CondStatus sort_groups(CondPrimalDual* pd, const CondProblem* problem)
{
    int n = 0;
    for (int b = 0; b < problem->n_block; b++) { // roots come first: they have the lowest index
        int root = find(pd->group, b);
        pd->key[b] = root == b ? n++ : pd->key[root];
    }
    memcpy(pd->group, pd->key, (size_t)problem->n_block * sizeof *pd->group);
    pd->n_group = n;
    CondStatus status = fill_bucket(pd, &pd->blocks, problem->n_block, n);
    for (int b = 0; b < problem->n_block; b++)
        for (int i = 0; i < problem->block[b].n_dof; i++)
            pd->key[problem->block[b].dof_begin + i] = pd->group[b];
    if (!status)
        status = fill_bucket(pd, &pd->dofs, problem->n_dof, n);
    for (int i = 0; i < problem->n_coupling; i++)
        pd->key[i] = pd->group[cond_nodal_block(problem, problem->coupling[i].coordinate[0])];
    if (!status)
        status = fill_bucket(pd, &pd->couplings, problem->n_coupling, n);
    for (int c = 0; c < problem->n_contact; c++)
        pd->key[c] =
            pd->group[cond_nodal_block(problem, problem->contact[c].side[0].coordinate[0])];
    if (!status)
        status = fill_bucket(pd, &pd->contacts, problem->n_contact, n);
    pd->largest = 0;
    for (int g = 0; g < n && !status; g++) {
        int size = pd->dofs.begin[g + 1] - pd->dofs.begin[g];
        pd->largest = size > pd->largest ? size : pd->largest;
        for (int i = 0; i < size; i++)
            pd->place[pd->dofs.item[pd->dofs.begin[g] + i]] = i;
    }
    return status;
}

CondStatus cond_primal_dual_plan(CondPrimalDual* pd, const CondProblem* problem, CondLaw law,
                                 int* fits)
{
    const CondContext* m = &pd->context;
    int n = problem->n_dof, nb = problem->n_block, nc = problem->n_contact;
    *fits = 0;
    for (int c = 0; c < nc; c++) // the derivative of the elliptic cone's nearest point is not here
        if (law == COND_LAW_PROXIMAL &&
            problem->contact[c].friction[0] != problem->contact[c].friction[1])
            return COND_OK;
#define RESERVE(array, count)                                                                      \
    cond_reserve(m, &pd->array, &pd->cap_##array, count, sizeof *pd->array)
    int most = n + problem->n_coupling + nc; // blocks are no more than coordinates
    if (RESERVE(group, nb) || RESERVE(place, n) || RESERVE(key, most))
        return COND_OUT_OF_MEMORY;
    make_groups(pd, problem);
    CondStatus status = sort_groups(pd, problem);
    if (status)
        return status;
    if (pd->largest > LARGEST_GROUP)
        return COND_OK;
    if (RESERVE(K, pd->largest * pd->largest) || RESERVE(pivot, pd->largest) ||
        RESERVE(x, pd->largest) || RESERVE(tie, nc) || RESERVE(v, n) || RESERVE(lambda, 3 * nc) ||
        RESERVE(v_new, n) || RESERVE(lambda_new, 3 * nc) || RESERVE(v_try, n) ||
        RESERVE(lambda_try, 3 * nc) || RESERVE(v_best, n) || RESERVE(lambda_best, 3 * nc) ||
        RESERVE(f, n) || RESERVE(work, 2 * n))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    *fits = 1;
    return COND_OK;
}

void cond_primal_dual_destroy(CondPrimalDual* pd)
{
    void* arrays[] = {pd->group,
                      pd->place,
                      pd->key,
                      pd->dofs.begin,
                      pd->dofs.item,
                      pd->blocks.begin,
                      pd->blocks.item,
                      pd->couplings.begin,
                      pd->couplings.item,
                      pd->contacts.begin,
                      pd->contacts.item,
                      pd->K,
                      pd->pivot,
                      pd->x,
                      pd->tie,
                      pd->v,
                      pd->lambda,
                      pd->v_new,
                      pd->lambda_new,
                      pd->v_try,
                      pd->lambda_try,
                      pd->v_best,
                      pd->lambda_best,
                      pd->f,
                      pd->work};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&pd->context, arrays[i]);
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
static void add_tie(CondPrimalDual* pd, const CondContact* contact, const double* D, int n)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            double row[3], left[3];
            column(contact, s, k, row);
            for (int j = 0; j < 3; j++)
                left[j] = row[0] * D[j] + row[1] * D[3 + j] + row[2] * D[6 + j];
            double* K = pd->K + (size_t)pd->place[contact->side[s].coordinate[k]] * (size_t)n;
            for (int p = 0; p < 2; p++)
                for (int l = 0; l < contact->side[p].n_coordinate; l++) {
                    double right[3];
                    column(contact, p, l, right);
                    K[pd->place[contact->side[p].coordinate[l]]] +=
                        left[0] * right[0] + left[1] * right[1] + left[2] * right[2];
                }
        }
}

static void add_block(CondPrimalDual* pd, const CondBlock* block, int n)
{
    const int* place = pd->place + block->dof_begin;
    for (int i = 0; i < block->n_dof; i++) {
        double* K = pd->K + (size_t)place[i] * (size_t)n;
        int size = cond_block_row_size(block, i), j;
        for (int k = 0; k < size; k++) {
            double value = cond_block_entry(block, i, k, &j);
            K[place[j]] += value;
        }
    }
}

// K += J' K J of a coupling.
static void add_coupling(CondPrimalDual* pd, const CondCoupling* c, int n)
{
    for (int k = 0; k < c->n_coordinate; k++)
        for (int l = 0; l < c->n_coordinate; l++) {
            double value = 0.0;
            for (int r = 0; r < c->n_row; r++)
                for (int s = 0; s < c->n_row; s++)
                    value += c->jacobian[r * c->n_coordinate + k] * c->gain[r * c->n_row + s] *
                             c->jacobian[s * c->n_coordinate + l];
            pd->K[(size_t)pd->place[c->coordinate[k]] * (size_t)n +
                  (size_t)pd->place[c->coordinate[l]]] += value;
        }
}

// K = A + Jc' D Jc restricted to group g.
static void fill_group(CondPrimalDual* pd, const CondProblem* problem, int g, int n)
{
    memset(pd->K, 0, (size_t)n * (size_t)n * sizeof *pd->K);
    for (int k = pd->blocks.begin[g]; k < pd->blocks.begin[g + 1]; k++)
        add_block(pd, &problem->block[pd->blocks.item[k]], n);
    for (int k = pd->couplings.begin[g]; k < pd->couplings.begin[g + 1]; k++)
        add_coupling(pd, &problem->coupling[pd->couplings.item[k]], n);
    for (int k = pd->contacts.begin[g]; k < pd->contacts.begin[g + 1]; k++) {
        int c = pd->contacts.item[k];
        add_tie(pd, &problem->contact[c], pd->tie[c].D, n);
    }
}

// (A + Jc' D Jc) v_new = b + Jc' (fix - D phi), lambda_new = fix - D u_new. 1: singular.
static int solve_ties(CondPrimalDual* pd, const CondProblem* problem)
{
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
        fill_group(pd, problem, g, n);
        for (int i = 0; i < n; i++)
            pd->x[i] = pd->f[member[i]];
        if (cond_lu_factor(n, pd->K, pd->pivot))
            return 1;
        cond_lu_solve(n, pd->K, pd->pivot, pd->x);
        for (int i = 0; i < n; i++)
            pd->v_new[member[i]] = pd->x[i];
    }
    for (int c = 0; c < problem->n_contact; c++) {
        const CondTie* tie = &pd->tie[c];
        double u[3];
        cond_contact_velocity(&problem->contact[c], pd->v_new, u);
        for (int i = 0; i < 3; i++)
            pd->lambda_new[3 * c + i] = tie->fix[i] - tie->D[3 * i] * u[0] -
                                        tie->D[3 * i + 1] * u[1] - tie->D[3 * i + 2] * u[2];
    }
    return 0;
}

// Slip per force in the law of contact c, and the scale gamma of its natural map.
static double law_slip(const CondCertificateData* data, int c)
{
    return (data->carried[c] ? 0.0 : data->compliance[c]) + data->omega;
}

// sqrt(sum gamma |lambda - P(x)|^2); the dynamics hold along the way because every pass solves
// them.
static double merit(const CondCertificateData* data, const double* v, const double* lambda)
{
    double sum = 0.0;
    for (int c = 0; c < data->problem->n_contact; c++) {
        const CondContact* contact = &data->problem->contact[c];
        double u[3], e[3], slip = law_slip(data, c), gamma = data->delassus[c] + slip;
        cond_contact_velocity(contact, v, u);
        cond_tie_error(data->law, contact->friction, gamma, slip, u, lambda + 3 * c, e);
        sum += gamma * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
    return sqrt(sum);
}

static void make_ties(CondPrimalDual* pd, const CondCertificateData* data)
{
    for (int c = 0; c < data->problem->n_contact; c++) {
        const CondContact* contact = &data->problem->contact[c];
        double u[3], slip = law_slip(data, c);
        cond_contact_velocity(contact, pd->v, u);
        pd->tie[c] = cond_tie_make(data->law, contact->friction, data->delassus[c] + slip, slip, u,
                                   pd->lambda + 3 * c, &pd->tie[c]);
    }
}

// Halves the step towards the new pair until the merit falls; where it never does, now and then a
// full step and else a short one leads out of cycles.
static void search(CondPrimalDual* pd, const CondCertificateData* data, int pass)
{
    int n = data->problem->n_dof, nc3 = 3 * data->problem->n_contact;
    double start = merit(data, pd->v, pd->lambda), a = 1.0;
    for (int last = 0;; a *= 0.5) {
        if (a <= 0.05) {
            a = pass % 3 == 0 ? 1.0 : 0.3;
            last = 1;
        }
        for (int i = 0; i < n; i++)
            pd->v_try[i] = pd->v[i] + a * (pd->v_new[i] - pd->v[i]);
        for (int i = 0; i < nc3; i++)
            pd->lambda_try[i] = pd->lambda[i] + a * (pd->lambda_new[i] - pd->lambda[i]);
        if (last || merit(data, pd->v_try, pd->lambda_try) <= (1.0 - 1e-3 * a) * start)
            break;
    }
    memcpy(pd->v, pd->v_try, (size_t)n * sizeof *pd->v);
    memcpy(pd->lambda, pd->lambda_try, (size_t)nc3 * sizeof *pd->lambda);
}

// Keeps the current pair when it is the best; returns its residual.
static double judge(CondPrimalDual* pd, const CondCertificateData* data, CondCertificate* best)
{
    CondCertificate now = cond_certificate_compute(data, pd->v, pd->lambda, pd->work);
    double residual = cond_certificate_residual(&now);
    if (residual < cond_certificate_residual(best)) {
        *best = now;
        memcpy(pd->v_best, pd->v, (size_t)data->problem->n_dof * sizeof *pd->v);
        memcpy(pd->lambda_best, pd->lambda,
               3 * (size_t)data->problem->n_contact * sizeof *pd->lambda);
    }
    return residual;
}

CondStatus cond_primal_dual_solve(CondPrimalDual* pd, const CondCertificateData* data,
                                  double tolerance, int max_passes, double* v, double* lambda,
                                  CondCertificate* certificate, int* passes)
{
    const CondProblem* problem = data->problem;
    size_t n = (size_t)problem->n_dof, nc3 = 3 * (size_t)problem->n_contact;
    memcpy(pd->v_best, v, n * sizeof *v);
    memcpy(pd->lambda_best, lambda, nc3 * sizeof *lambda);
    *certificate = cond_certificate_compute(data, v, lambda, pd->work);
    memset(pd->tie, 0, (size_t)problem->n_contact * sizeof *pd->tie);
    for (int c = 0; c < problem->n_contact; c++) // v that goes with lambda: ties without give
        memcpy(pd->tie[c].fix, lambda + 3 * c, sizeof pd->tie[c].fix);
    CondStatus status = COND_NOT_CONVERGED;
    for (*passes = 0; *passes <= max_passes; ++*passes) {
        if (solve_ties(pd, problem))
            break; // no solution of this linearisation; the best pair so far stands
        if (*passes == 0) {
            memcpy(pd->v, pd->v_new, n * sizeof *v);
            memcpy(pd->lambda, pd->lambda_new, nc3 * sizeof *lambda);
        } else {
            search(pd, data, *passes);
        }
        double residual = judge(pd, data, certificate);
        if (residual <= tolerance || !isfinite(residual)) {
            status = residual <= tolerance ? COND_OK : COND_NOT_CONVERGED;
            break;
        }
        make_ties(pd, data);
    }
    memcpy(v, pd->v_best, n * sizeof *v);
    memcpy(lambda, pd->lambda_best, nc3 * sizeof *lambda);
    return cond_certificate_residual(certificate) <= tolerance ? COND_OK : status;
}
