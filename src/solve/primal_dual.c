#include "solve/primal_dual.h"

#include "base/memory.h"
#include "nodalize/nodal.h"
#include "solve/primal_dual_system.h"
#include "solve/primal_dual_tie.h"

#include <math.h>
#include <string.h>

enum { WIDEST = 600 }; // border; a dense factorisation takes a tenth of a second there

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
    if (!status)
        cond_primal_dual_layout(pd, problem);
    return status;
}

CondStatus cond_primal_dual_plan(CondPrimalDual* pd, const CondProblem* problem, CondLaw law,
                                 int* fits)
{
    const CondContext* m = &pd->context;
    int n = problem->n_dof, nb = problem->n_block, nc = problem->n_contact;
    *fits = 0;
    pd->K.context = pd->context;
    for (int c = 0; c < nc; c++) // the derivative of the elliptic cone's nearest point is not here
        if (law == COND_LAW_PROXIMAL &&
            problem->contact[c].friction[0] != problem->contact[c].friction[1])
            return COND_OK;
#define RESERVE(array, count)                                                                      \
    cond_reserve(m, &pd->array, &pd->cap_##array, count, sizeof *pd->array)
    int most = n + problem->n_coupling + nc; // blocks are no more than coordinates
    if (RESERVE(group, nb) || RESERVE(place, n) || RESERVE(key, most) || RESERVE(n_band, nb) ||
        RESERVE(n_border, nb) || RESERVE(slack, nc) || RESERVE(coupling_slack, problem->n_coupling))
        return COND_OUT_OF_MEMORY;
    make_groups(pd, problem);
    CondStatus status = sort_groups(pd, problem);
    if (status)
        return status;
    if (pd->widest > WIDEST)
        return COND_OK;
    if (RESERVE(x, pd->largest) || RESERVE(gamma, nc) || RESERVE(tie, nc) || RESERVE(v, n) ||
        RESERVE(lambda, 3 * nc) || RESERVE(v_new, n) || RESERVE(lambda_new, 3 * nc) ||
        RESERVE(v_try, n) || RESERVE(lambda_try, 3 * nc) || RESERVE(v_best, n) ||
        RESERVE(lambda_best, 3 * nc) || RESERVE(f, n) || RESERVE(work, 2 * n))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    *fits = 1;
    return COND_OK;
}

void cond_primal_dual_destroy(CondPrimalDual* pd)
{
    cond_bordered_destroy(&pd->K);
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
                      pd->n_band,
                      pd->n_border,
                      pd->slack,
                      pd->coupling_slack,
                      pd->gamma,
                      pd->middle,
                      pd->before,
                      pd->behind,
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

// Slip per force in the law of contact c, and the scale gamma of its natural map.
static double law_slip(const CondCertificateData* data, int c)
{
    return (data->carried[c] ? 0.0 : data->compliance[c]) + data->omega;
}

// sqrt(sum gamma |lambda - P(x)|^2); the dynamics hold along the way because every pass solves
// them.
static double merit(const CondPrimalDual* pd, const CondCertificateData* data, const double* v,
                    const double* lambda)
{
    double sum = 0.0;
    for (int c = 0; c < data->problem->n_contact; c++) {
        const CondContact* contact = &data->problem->contact[c];
        double u[3], e[3], slip = law_slip(data, c), gamma = pd->gamma[c] + slip;
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
        pd->tie[c] = cond_tie_make(data->law, contact->friction, pd->gamma[c] + slip, slip, u,
                                   pd->lambda + 3 * c, &pd->tie[c]);
    }
}

// Halves the step towards the new pair until the merit falls; where it never does, now and then a
// full step and else a short one leads out of cycles.
static void search(CondPrimalDual* pd, const CondCertificateData* data, int pass)
{
    int n = data->problem->n_dof, nc3 = 3 * data->problem->n_contact;
    double start = merit(pd, data, pd->v, pd->lambda), a = 1.0;
    for (int last = 0;; a *= 0.5) {
        if (a <= 0.05) {
            a = pass % 3 == 0 ? 1.0 : 0.3;
            last = 1;
        }
        for (int i = 0; i < n; i++)
            pd->v_try[i] = pd->v[i] + a * (pd->v_new[i] - pd->v[i]);
        for (int i = 0; i < nc3; i++)
            pd->lambda_try[i] = pd->lambda[i] + a * (pd->lambda_new[i] - pd->lambda[i]);
        if (last || merit(pd, data, pd->v_try, pd->lambda_try) <= (1.0 - 1e-3 * a) * start)
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
                                  CondCertificate* certificate, int* passes, int* products)
{
    const CondProblem* problem = data->problem;
    size_t n = (size_t)problem->n_dof, nc3 = 3 * (size_t)problem->n_contact;
    memcpy(pd->v_best, v, n * sizeof *v);
    memcpy(pd->lambda_best, lambda, nc3 * sizeof *lambda);
    *certificate = cond_certificate_compute(data, v, lambda, pd->work);
    ++*products;
    CondStatus scaled = cond_primal_dual_scale(pd, data);
    if (scaled)
        return scaled;
    memset(pd->tie, 0, (size_t)problem->n_contact * sizeof *pd->tie);
    for (int c = 0; c < problem->n_contact; c++) // v that goes with lambda: ties without give
        memcpy(pd->tie[c].fix, lambda + 3 * c, sizeof pd->tie[c].fix);
    CondStatus status = COND_NOT_CONVERGED;
    for (int pass = 0; pass <= max_passes; pass++) {
        int singular = 0;
        CondStatus solved = cond_primal_dual_solve_ties(pd, problem, &singular);
        if (solved)
            return solved;
        if (singular)
            break; // no solution of this linearisation; the best pair so far stands
        *passes += pass > 0;
        if (pass == 0) {
            memcpy(pd->v, pd->v_new, n * sizeof *v);
            memcpy(pd->lambda, pd->lambda_new, nc3 * sizeof *lambda);
        } else {
            search(pd, data, pass);
        }
        double residual = judge(pd, data, certificate);
        ++*products;
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
