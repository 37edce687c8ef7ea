// Contact constraint splitting (Daviet 2020): the alternating direction method of multipliers
// between the dynamics, which know v, and the contacts, which know their own velocities z = u.
//
//     dynamics    (A + sum rho_c Jc_c'Jc_c) v = b + Jc'(lambda + rho (z - phi))
//     contact     eta = u - lambda / rho,  u = Jc v + phi
//                 lambda = SOL(eta, 1 / rho),  z = eta + lambda / rho
//
// The matrix is factored at the start. rho is one over the scale of the contact's Delassus block,
// times a factor common to all contacts. That factor is corrected, and the matrix factored again,
// when the primal residual |u - z| and the dual one |z - z_old| differ much; the tries are spaced
// by doubling, so that they become rare. lambda and z obey the law in every iteration, and the pair
// handed back is (v, lambda).
#include "baselines.h"

#include "base/memory.h"
#include "base/timer.h"
#include "delassus.h"
#include "judge.h"
#include "law/contact_law.h"

#include <math.h>
#include <string.h>

static const double IMBALANCE = 3.0;   // between the residuals before rho is changed
static const double MOST_CHANGE = 1e3; // of rho at a time
static const double SAFETY = 0.7;      // on the predicted residual before judging again
enum {
    FIRST_BALANCE = 10, // iteration after which rho is looked at first
    JUDGE_EVERY = 100,  // iterations after which a pair is judged in any case
};

typedef struct Ccs {
    CondContext context;
    CondSolverSettings settings;
    const CondProblem* problem;
    CondFactor factor;
    CondJacobian Jc;
    CondJudge judge;
    int* virtual_sides; //                                                  (n_contact)
    double* softness;   // slip of virtual nodes and omega, per force       (n_contact)
    double* scale;      // gamma_c of the certificate                       (n_contact)
    double* rho;        // [N s/m]                                          (n_contact)
    double* lambda;     //                                                  (n_contact x 3)
    double* z;          //                                                  (n_contact x 3)
    double* u;          // Jc v + phi                                       (n_contact x 3)
    double* force;      // scratch                                          (n_contact x 3)
    double* v;          //                                                  (n_dof)
    double* old_v;      //                                                  (n_dof)
    double primal;      // sqrt(sum rho_c |u_c - z_c|^2)
    double dual;        // sqrt(sum rho_c |z_c - z_old,c|^2)
    double gap;         // largest |u - z| of one coordinate [m/s]
    int cap_virtual_sides, cap_softness, cap_scale, cap_rho, cap_lambda, cap_z, cap_u, cap_force;
    int cap_v, cap_old_v;
} Ccs;

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    Ccs* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    s->context = s->Jc.context = *context;
    s->settings = *settings;
    cond_factor_create(&s->factor, context, COND_FACTOR_SUPERNODAL);
    cond_judge_create(&s->judge, context, settings);
    return s;
}

static void destroy(void* work)
{
    Ccs* s = work;
    if (!s)
        return;
    CondContext m = s->context;
    cond_factor_destroy(&s->factor);
    cond_jacobian_destroy(&s->Jc);
    cond_judge_destroy(&s->judge);
    void* arrays[] = {s->virtual_sides, s->softness, s->scale, s->rho, s->lambda, s->z, s->u,
                      s->force,         s->v,        s->old_v};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    cond_release(&m, s);
}

static const double* history(const void* work, int* n)
{
    const Ccs* s = work;
    *n = s->judge.n_history;
    return s->judge.history;
}

static CondStatus reserve(Ccs* s, const CondProblem* problem)
{
    const CondContext* m = &s->context;
    int nc = problem->n_contact, n_dof = problem->n_dof;
#define RESERVE(array, count) cond_reserve(m, &s->array, &s->cap_##array, count, sizeof *s->array)
    int failed = RESERVE(virtual_sides, nc) || RESERVE(softness, nc) || RESERVE(scale, nc) ||
                 RESERVE(rho, nc) || RESERVE(lambda, 3 * nc) || RESERVE(z, 3 * nc) ||
                 RESERVE(u, 3 * nc) || RESERVE(force, 3 * nc) || RESERVE(v, n_dof) ||
                 RESERVE(old_v, n_dof);
#undef RESERVE
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

static CondStatus factor(Ccs* s, CondSolveInfo* info)
{
    double begin = cond_seconds();
    CondStatus status = cond_factor_build(&s->factor, s->problem, &s->Jc, s->rho);
    info->delassus_seconds += cond_seconds() - begin;
    return status;
}

// u = Jc v + phi
static void contact_velocity(Ccs* s)
{
    cond_jacobian_multiply(&s->Jc, s->v, s->u);
    for (int i = 0; i < 3 * s->problem->n_contact; i++)
        s->u[i] += s->problem->contact[i / 3].phi[i % 3];
}

// (A + sum rho Jc'Jc) v = b + Jc'(lambda + rho (z - phi))
static CondStatus dynamics_step(Ccs* s, CondSolveInfo* info)
{
    const CondProblem* problem = s->problem;
    memcpy(s->old_v, s->v, (size_t)problem->n_dof * sizeof *s->v);
    memcpy(s->v, problem->b, (size_t)problem->n_dof * sizeof *s->v);
    for (int i = 0; i < 3 * problem->n_contact; i++)
        s->force[i] = s->lambda[i] + s->rho[i / 3] * (s->z[i] - problem->contact[i / 3].phi[i % 3]);
    cond_jacobian_add_transposed(&s->Jc, s->force, s->v);
    info->products++;
    CondStatus status = cond_factor_solve(&s->factor, 1, s->v);
    contact_velocity(s);
    return status;
}

// lambda, z and the residuals from u.
static void contact_step(Ccs* s)
{
    double primal = 0.0, dual = 0.0, gap = 0.0;
    for (int c = 0; c < s->problem->n_contact; c++) {
        double *lambda = s->lambda + 3 * c, *z = s->z + 3 * c, eta[3];
        const double* u = s->u + 3 * c;
        double give = 1.0 / s->rho[c];
        for (int i = 0; i < 3; i++)
            eta[i] = u[i] - give * lambda[i];
        cond_contact_law_solve(s->settings.law, &s->problem->contact[c], s->softness[c], give, eta,
                               lambda);
        for (int i = 0; i < 3; i++) {
            double next = eta[i] + give * lambda[i];
            primal += s->rho[c] * (u[i] - next) * (u[i] - next);
            dual += s->rho[c] * (next - z[i]) * (next - z[i]);
            gap = fmax(gap, fabs(u[i] - next));
            z[i] = next;
        }
    }
    s->primal = sqrt(primal);
    s->dual = sqrt(dual);
    s->gap = gap;
}

// A larger rho presses u and z together, a smaller one lets z settle.
static CondStatus balance(Ccs* s, CondSolveInfo* info)
{
    double change = s->primal / s->dual;
    if (!isfinite(change) || (change < IMBALANCE && change > 1.0 / IMBALANCE))
        return COND_OK;
    change = fmax(fmin(change, MOST_CHANGE), 1.0 / MOST_CHANGE);
    for (int c = 0; c < s->problem->n_contact; c++)
        s->rho[c] *= change;
    info->restarts++;
    return factor(s, info);
}

static double distance(int n, const double* x, const double* y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

// Judges (v, lambda); *end becomes 1 when the certificate is good enough.
static CondStatus judge(Ccs* s, double error, double* trigger, int* end, CondSolveInfo* info)
{
    double residual;
    int by_step = s->settings.stop == COND_STOP_STEP;
    CondStatus status = cond_judge_pair(&s->judge, s->v, s->lambda, by_step, &residual);
    if (status)
        return status;
    info->products++;
    if (!by_step && residual <= s->settings.tolerance)
        *end = 1;
    double share = SAFETY * s->settings.tolerance / residual;
    *trigger = error * (isfinite(share) ? fmin(share, SAFETY) : 0.1);
    return COND_OK;
}

// Iterates until the stop test holds (*end = 1), numbers run away (*end = -2) or the limit.
static CondStatus iterate(Ccs* s, int* end, CondSolveInfo* info)
{
    const CondSolverSettings* settings = &s->settings;
    int by_step = settings->stop == COND_STOP_STEP, last = 0, last_judged = 0;
    int next_balance = FIRST_BALANCE;
    double trigger = INFINITY;
    while (!*end && !last) {
        CondStatus status = dynamics_step(s, info);
        if (status)
            return status;
        contact_step(s);
        info->iterations++;
        info->step_length = distance(s->problem->n_dof, s->v, s->old_v);
        status = cond_judge_record(&s->judge, info->step_length);
        if (status)
            return status;
        double error = hypot(s->primal, s->dual);
        if (!isfinite(info->step_length) || !isfinite(error)) {
            *end = -2;
            return COND_OK;
        }
        last = info->iterations == settings->max_iterations || cond_cancelled(&s->context);
        if (by_step && info->step_length < settings->tolerance && s->gap < settings->tolerance)
            *end = 1;
        int due = error <= trigger || info->iterations - last_judged >= JUDGE_EVERY;
        if (last || (by_step ? *end : due)) {
            status = judge(s, error, &trigger, end, info);
            last_judged = info->iterations;
        }
        if (!status && !*end && !last && info->iterations == next_balance) {
            next_balance *= 2;
            status = balance(s, info);
        }
        if (status)
            return status;
    }
    return COND_OK;
}

// The first z and lambda: the contact step from the velocities handed in.
static void start(Ccs* s, const double* v, const double* lambda)
{
    memcpy(s->v, v, (size_t)s->problem->n_dof * sizeof *v);
    memcpy(s->lambda, lambda, 3 * (size_t)s->problem->n_contact * sizeof *lambda);
    contact_velocity(s);
    memcpy(s->z, s->u, 3 * (size_t)s->problem->n_contact * sizeof *s->z);
    contact_step(s);
}

static CondStatus prepare(Ccs* s, const CondProblem* problem, CondSolveInfo* info)
{
    s->problem = problem;
    CondStatus status = cond_jacobian_build(&s->Jc, problem);
    if (!status)
        status = cond_contact_scales(&s->context, problem, s->settings.omega, s->virtual_sides,
                                     s->softness, s->scale, s->v, &info->virtual_nodes);
    if (status)
        return status;
    for (int c = 0; c < problem->n_contact; c++) {
        s->rho[c] = 1.0 / (s->scale[c] - s->softness[c]);
        if (!isfinite(s->rho[c]) || !(s->rho[c] > 0.0))
            return COND_DIVERGED;
    }
    return factor(s, info);
}

static CondStatus solve(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info)
{
    Ccs* s = work;
    const CondSolverSettings* settings = &s->settings;
    info->certificate.worst_contact = -1;
    info->certificate.dynamics = info->certificate.contact = INFINITY; // until something is known
    CondStatus status = reserve(s, problem);
    if (!status)
        status = cond_judge_begin(&s->judge, problem, v, lambda);
    if (!status)
        status = prepare(s, problem, info);
    if (status == COND_DIVERGED) {
        cond_judge_end(&s->judge, 0, v, lambda, info);
        return COND_DIVERGED;
    }
    if (status)
        return status;
    info->products++;
    int end = settings->stop == COND_STOP_CERTIFICATE && s->judge.best <= settings->tolerance;
    if (!end) {
        info->outer = 1;
        start(s, v, lambda);
        status = iterate(s, &end, info);
    }
    if (status == COND_DIVERGED)
        end = -2;
    else if (status)
        return status;
    status = cond_judge_end(&s->judge, end == 1, v, lambda, info);
    return end == -2 ? COND_DIVERGED : status;
}

const CondSolverOps cond_baseline_ccs = {
    .name = "ccs",
    .create = create,
    .solve = solve,
    .history = history,
    .destroy = destroy,
};
