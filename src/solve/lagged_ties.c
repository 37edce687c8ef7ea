#include "assemble/block.h"
#include "assemble/side.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "solve/lagged_part.h"
#include "solve/primal_dual_tie.h"

#include <math.h>
#include <stddef.h>

static const double FULL_GAIN = 2e3;   // gain times gamma where friction follows the normal force
static const double FIRM_GAIN = 1e4;   // gain times gamma where the preconditioner is exact
static const double LOOSE_GAIN = 20.0; // where the contact joins several nodes
enum { CONTACT_WORK = 64 };            // of one contact in a loop, in multiply-adds

// w_i = 1 / sum_j |a_ij|, so that no eigenvalue of W A exceeds 1.
void cond_lagged_weigh(CondLagged* lagged, const CondProblem* problem)
{
    double* sum = lagged->w;
    for (int b = 0; b < problem->n_block; b++)
        cond_block_row_sums(&problem->block[b], sum + problem->block[b].dof_begin);
    // |J'K J| <= |J|' |K| |J|, entry by entry.
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        int n = c->n_coordinate;
        for (int r = 0; r < c->n_row; r++) {
            double force = 0.0;
            for (int s = 0; s < c->n_row; s++)
                for (int k = 0; k < n; k++)
                    force += fabs(c->gain[r * c->n_row + s] * c->jacobian[s * n + k]);
            for (int k = 0; k < n; k++)
                sum[c->coordinate[k]] += fabs(c->jacobian[r * n + k]) * force;
        }
    }
    for (int i = 0; i < problem->n_dof; i++)
        sum[i] = 1.0 / sum[i];
}

// Nodes of soft bodies that a contact joins.
static int count_nodes(const CondTieSystem* system, const CondContact* contact)
{
    int count = 0, last = -1;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            int node = system->node[contact->side[s].coordinate[k]];
            count += node >= 0 && node != last;
            last = node;
        }
    return count;
}

// gamma = trace(J W J')/3 + slip.
void cond_lagged_scale(CondLagged* lagged, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        double trace = 0.0;
        for (int s = 0; s < 2; s++) {
            const CondSide* side = &contact->side[s];
            int n = side->n_coordinate;
            for (int k = 0; k < n; k++) {
                double square = side->jacobian ? 0.0 : 1.0;
                for (int r = 0; r < 3 && side->jacobian; r++)
                    square += side->jacobian[r * n + k] * side->jacobian[r * n + k];
                trace += square * lagged->w[side->coordinate[k]];
            }
        }
        lagged->gamma[c] = trace / 3.0 + cond_certificate_slip(data, c);
        lagged->gain[c] =
            (count_nodes(&lagged->system, contact) > 1 ? LOOSE_GAIN : FIRM_GAIN) / lagged->gamma[c];
    }
}

// A loop over coordinates, or over contacts.
typedef struct Loop {
    CondLagged* lagged;
    const CondCertificateData* data;
    const double *a, *b, *c; // read
    double* out;
    double s;
} Loop;

static void each_coordinate(const Loop* loop, int n, CondLoopBody body)
{
    cond_parallel(n, cond_threads((size_t)n, loop->lagged->system.threads), body, loop);
}

static void each_contact(const Loop* loop, CondLoopBody body)
{
    int n = loop->data->problem->n_contact;
    size_t work = CONTACT_WORK * (size_t)n;
    cond_parallel(n, cond_threads(work, loop->lagged->system.threads), body, loop);
}

// out = a - c b
static void subtract_product(const void* data, int first, int last)
{
    const Loop* loop = data;
    for (int i = first; i < last; i++)
        loop->out[i] = loop->a[i] - loop->c[i] * loop->b[i];
}

// Velocity that predicts: that of the point after a step of V-FPI, v - W r.   x = v - W r (n_dof)
static void predict_velocity(CondLagged* lagged, const double* v, const double* r, double* x, int n)
{
    Loop loop = {.lagged = lagged, .a = v, .b = r, .c = lagged->w, .out = x};
    each_coordinate(&loop, n, subtract_product);
}

// gamma |lambda - P(l*)|^2 of each contact at the predicted velocity.
static void contact_merits(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    const CondProblem* problem = loop->data->problem;
    for (int c = first; c < last; c++) {
        double u[3], e[3];
        cond_contact_velocity(&problem->contact[c], lagged->x, u);
        cond_tie_error(cond_certificate_law(loop->data, c), problem->contact[c].friction,
                       lagged->gamma[c], cond_certificate_slip(loop->data, c), u,
                       loop->a + (ptrdiff_t)3 * c, e);
        loop->out[c] = lagged->gamma[c] * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
}

// sqrt(sum gamma |lambda - P(l*)|^2 + r' W r)
double cond_lagged_merit(CondLagged* lagged, const CondCertificateData* data, const double* v,
                         const double* lambda, const double* r)
{
    const CondProblem* problem = data->problem;
    int n = problem->n_dof;
    predict_velocity(lagged, v, r, lagged->x, n);
    double sum = cond_dot_scaled(n, lagged->w, r, r, lagged->system.threads);
    Loop loop = {.lagged = lagged, .data = data, .a = lambda, .out = lagged->share};
    each_contact(&loop, contact_merits);
    for (int c = 0; c < problem->n_contact; c++)
        sum += lagged->share[c];
    return sqrt(sum);
}

// Force of a tie at the velocity u.
static void tie_force(const CondTie* tie, const double* u, double* lambda)
{
    for (int i = 0; i < 3; i++)
        lambda[i] = tie->fix[i] - tie->D[3 * i] * u[0] - tie->D[3 * i + 1] * u[1] -
                    tie->D[3 * i + 2] * u[2];
}

// 0: open, 1: sticks, 2: slips.
static int kind_of(const CondTie* tie)
{
    if (tie->D[0] == 0.0 && tie->D[4] == 0.0 && tie->D[8] == 0.0)
        return 0;
    return tie->slip[0] != 0.0 || tie->slip[1] != 0.0 ? 2 : 1;
}

static void make_trials(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    for (int c = first; c < last; c++) {
        double u[3], *x = lagged->trial + (ptrdiff_t)3 * c;
        cond_contact_velocity(&loop->data->problem->contact[c], lagged->x, u);
        cond_tie_trial(lagged->gamma[c], cond_certificate_slip(loop->data, c), u,
                       lagged->lambda + (ptrdiff_t)3 * c, x);
        lagged->sticks[c] = kind_of(&lagged->tie[c]) == 1 && x[0] > 0.0;
    }
}

// Trial forces of the current pair.
static CondStatus predict(CondLagged* lagged, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    predict_velocity(lagged, lagged->v, lagged->r, lagged->x, problem->n_dof);
    Loop loop = {.lagged = lagged, .data = data};
    each_contact(&loop, make_trials);
    if (!cond_contact_patches_any(problem, lagged->sticks, lagged->trial))
        return COND_OK;
    CondStatus status =
        lagged->patched ? COND_OK : cond_contact_patches_plan(&lagged->patches, &lagged->system);
    lagged->patched = !status;
    if (!status)
        cond_contact_patches_slip(&lagged->patches, problem, lagged->sticks, lagged->trial);
    return status;
}

// The tie of each contact, the kind it had before in sticks, and what it changes of lambda at v in
// lambda_new.
static void make_each_tie(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    for (int c = first; c < last; c++) {
        const CondContact* contact = &loop->data->problem->contact[c];
        const double* lambda = lagged->lambda + (ptrdiff_t)3 * c;
        double u[3], *change = lagged->lambda_new + (ptrdiff_t)3 * c;
        cond_contact_velocity(contact, lagged->v, u);
        lagged->sticks[c] = kind_of(&lagged->tie[c]);
        double k = lagged->full ? FULL_GAIN / lagged->gamma[c] : lagged->gain[c];
        lagged->tie[c] = cond_tie_make_from(cond_certificate_law(loop->data, c), contact->friction,
                                            lagged->gamma[c], cond_certificate_slip(loop->data, c),
                                            k, lagged->trial + (ptrdiff_t)3 * c,
                                            lagged->full ? NULL : u, lambda, &lagged->tie[c]);
        tie_force(&lagged->tie[c], u, change);
        for (int i = 0; i < 3; i++)
            change[i] -= lambda[i];
    }
}

// Ties from the current pair, and in r_new the residual of the tied system at v, with its sign
// turned: b + Jc' (fix - D u) - A v.
CondStatus cond_lagged_make_ties(CondLagged* lagged, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    CondStatus status = predict(lagged, data);
    if (status)
        return status;
    Loop loop = {.lagged = lagged, .data = data};
    each_contact(&loop, make_each_tie);
    lagged->turned = lagged->closed = lagged->slipping = 0;
    for (int i = 0; i < problem->n_dof; i++)
        lagged->r_new[i] = -lagged->r[i];
    for (int c = 0; c < problem->n_contact; c++) {
        int kind = kind_of(&lagged->tie[c]);
        lagged->turned += kind != lagged->sticks[c];
        lagged->closed += kind > 0;
        lagged->slipping += kind == 2;
        cond_contact_add_force(&problem->contact[c], 1.0, lagged->lambda_new + 3 * c,
                               lagged->r_new);
    }
    return COND_OK;
}

// lambda_new at v_new
static void take_each_force(const void* data, int first, int last)
{
    const Loop* loop = data;
    const CondLagged* lagged = loop->lagged;
    for (int c = first; c < last; c++) {
        double u[3];
        cond_contact_velocity(&loop->data->problem->contact[c], lagged->v_new, u);
        tie_force(&lagged->tie[c], u, lagged->lambda_new + (ptrdiff_t)3 * c);
    }
}

void cond_lagged_take_forces(CondLagged* lagged, const CondCertificateData* data)
{
    Loop loop = {.lagged = lagged, .data = data};
    each_contact(&loop, take_each_force);
}

static void interpolate_range(const void* data, int first, int last)
{
    const Loop* loop = data;
    for (int i = first; i < last; i++)
        loop->out[i] = loop->a[i] + loop->s * (loop->b[i] - loop->a[i]);
}

void cond_lagged_interpolate(CondLagged* lagged, int n, double s, const double* from,
                             const double* to, double* out)
{
    Loop loop = {.lagged = lagged, .a = from, .b = to, .out = out, .s = s};
    each_coordinate(&loop, n, interpolate_range);
}

// 1 where the pair that was tried closes a contact whose tie is open. What closes counts as an
// error until the next pass ties it, and the merit grows; a search that shies away from it would go
// through many passes with the same ties.
int cond_lagged_closes(const CondLagged* lagged, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    for (int c = 0; c < problem->n_contact; c++) {
        double u[3], x[3];
        if (kind_of(&lagged->tie[c]) != 0)
            continue;
        cond_contact_velocity(&problem->contact[c], lagged->x,
                              u); // x: predicted, by cond_lagged_merit()
        cond_tie_trial(lagged->gamma[c], cond_certificate_slip(data, c), u,
                       lagged->lambda_try + 3 * c, x);
        if (x[0] > 0.0)
            return 1;
    }
    return 0;
}
