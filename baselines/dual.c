// Stop tests.
//
// Step length: |A^-1 Jc' (lambda - lambda_old)|, the change of force as a change of velocity. It
// takes a solve with A, which may cost far more than an iteration does. The energy norm
// sqrt(d'Ac d), d = lambda - lambda_old, is at hand in every iteration (Ac d = u - u_old), and the
// two shrink together. So the exact length is computed when the energy norm predicts success or has
// fallen tenfold, and lengths in between are predicted from it. Only an exact length ends a solve.
//
// Certificate: its contact part follows from u and lambda without v. When that says success, v is
// computed and the pair is judged by the certificate proper.
#include "dual.h"

#include "base/memory.h"
#include "base/timer.h"
#include "law/contact_law.h"
#include "problem/side.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double SAFETY = 0.7; // on the predicted residual before judging again

void* cond_dual_create(const CondContext* context, const CondSolverSettings* settings,
                       const CondDualMethod* method)
{
    CondDual* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    s->context = *context;
    s->settings = *settings;
    s->method = method;
    cond_delassus_create(&s->delassus, context, method->kind);
    cond_judge_create(&s->judge, context, settings);
    return s;
}

void cond_dual_destroy(void* work)
{
    CondDual* s = work;
    if (!s)
        return;
    CondContext m = s->context;
    cond_delassus_destroy(&s->delassus);
    cond_judge_destroy(&s->judge);
    void* arrays[] = {s->lambda, s->u, s->old_lambda, s->old_u, s->vector, s->v};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    cond_release(&m, s);
}

const double* cond_dual_history(const void* work, int* n)
{
    const CondDual* s = work;
    *n = s->judge.n_history;
    return s->judge.history;
}

static CondStatus reserve(CondDual* s, const CondProblem* problem)
{
    const CondContext* m = &s->context;
    int n = 3 * problem->n_contact;
#define RESERVE(array, count) cond_reserve(m, &s->array, &s->cap_##array, count, sizeof *s->array)
    int failed = RESERVE(lambda, n) || RESERVE(u, n) || RESERVE(old_lambda, n) ||
                 RESERVE(old_u, n) || RESERVE(vector, s->method->n_vector * n) ||
                 RESERVE(v, problem->n_dof);
#undef RESERVE
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

static CondLaw law_of(const CondDual* s)
{
    return s->method->convex ? COND_LAW_PROXIMAL : s->settings.law;
}

// The contact part of the certificate, from u and lambda: of friction cones, and of intervals of
// forces with velocities over the root of their scale.
static double contact_error(const CondDual* s)
{
    const CondDelassus* d = &s->delassus;
    double worst[2] = {0.0, 0.0}, velocity[2] = {0.0, 0.0};
    for (int c = 0; c < d->problem->n_contact; c++) {
        const CondContact* contact = &d->problem->contact[c];
        const double *u = s->u + 3 * c, *l = s->lambda + 3 * c;
        int interval = contact->set == COND_FORCE_INTERVAL;
        double Jv[3] = {0.0}, delassus = d->scale[c] - d->softness[c], root = sqrt(delassus);
        for (int i = 0; i < cond_contact_rows(contact); i++)
            Jv[i] = u[i] - contact->phi[i] - d->softness[c] * l[i];
        double force = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
        double speed = sqrt(Jv[0] * Jv[0] + Jv[1] * Jv[1] + Jv[2] * Jv[2]);
        CondLawError e = cond_contact_law_error(law_of(s), contact, delassus, d->softness[c],
                                                d->scale[c], u, l, 1);
        speed = fmax(speed, (interval ? delassus : d->scale[c]) * force);
        velocity[1] = fmax(velocity[1], speed / root);
        if (!interval)
            velocity[0] = fmax(velocity[0], speed);
        double error = interval ? e.natural / root : e.natural;
        if (!(error <= worst[interval]))
            worst[interval] = error;
        if (isnan(worst[interval]))
            return worst[interval];
    }
    double cones = worst[0] == 0.0 ? 0.0 : worst[0] / velocity[0];
    return fmax(cones, worst[1] == 0.0 ? 0.0 : worst[1] / velocity[1]);
}

// Length of the last step in velocity space; *exact says whether it was predicted only.
static CondStatus measure_step(CondDual* s, double* length, int* exact)
{
    CondDelassus* d = &s->delassus;
    double* change = s->old_lambda; // free from here on
    double square = 0.0;
    for (int i = 0; i < d->n; i++) {
        change[i] = s->lambda[i] - s->old_lambda[i];
        square += change[i] * (s->u[i] - s->old_u[i]);
    }
    double energy = sqrt(fmax(square, 0.0)), expected = s->ratio * energy;
    int by_step = s->settings.stop == COND_STOP_STEP;
    *length = expected;
    *exact = s->ratio == 0.0 || energy < 0.1 * s->energy ||
             (by_step && expected < 2.0 * s->settings.tolerance);
    if (isnan(square)) {
        *length = square;
        return COND_OK;
    }
    if (!*exact)
        return COND_OK;
    CondStatus status = cond_delassus_step(d, change, length);
    if (energy > 0.0 && *length > 0.0) {
        s->energy = energy;
        s->ratio = *length / energy;
    }
    return status;
}

// Computes v and judges (v, lambda). For the certified stop *end becomes 1 when the pair is good
// enough, and -1 when the convex problem is solved but the law asked for is another one.
static CondStatus judge(CondDual* s, int take, double error, double* trigger, int* end,
                        CondSolveInfo* info)
{
    double residual, tolerance = s->settings.tolerance;
    CondStatus status = cond_delassus_motion(&s->delassus, s->lambda, s->v);
    if (!status)
        status = cond_judge_pair(&s->judge, s->v, s->lambda, take, &residual);
    if (status)
        return status;
    info->products++;
    if (s->settings.stop != COND_STOP_CERTIFICATE)
        return COND_OK;
    if (residual <= tolerance) {
        *end = 1;
        return COND_OK;
    }
    if (law_of(s) != s->settings.law) {
        CondCertificate convex;
        status = cond_certify(&s->context, s->delassus.problem, law_of(s), s->settings.omega, s->v,
                              s->lambda, &convex);
        if (status)
            return status;
        residual = cond_certificate_residual(&convex);
        if (residual <= tolerance)
            *end = -1;
    }
    double share = SAFETY * tolerance / residual;
    *trigger = error * (isfinite(share) ? fmin(share, SAFETY) : 0.1);
    return COND_OK;
}

// Iterates until the stop test holds (*end = 1), numbers run away (*end = -2) or the limit.
static CondStatus iterate(CondDual* s, int* end, CondSolveInfo* info)
{
    const CondSolverSettings* settings = &s->settings;
    size_t bytes = (size_t)s->delassus.n * sizeof(double);
    int by_step = settings->stop == COND_STOP_STEP, last = 0;
    double trigger = settings->tolerance;
    s->energy = s->ratio = 0.0;
    s->method->begin(s);
    while (!*end && !last) {
        memcpy(s->old_lambda, s->lambda, bytes);
        memcpy(s->old_u, s->u, bytes);
        s->method->iterate(s, info);
        info->iterations++;
        last = info->iterations == settings->max_iterations || cond_cancelled(&s->context);
        int exact;
        double error = by_step ? 0.0 : contact_error(s);
        CondStatus status = measure_step(s, &info->step_length, &exact);
        if (!status)
            status = cond_judge_record(&s->judge, info->step_length);
        if (status)
            return status;
        if (!isfinite(info->step_length) || !isfinite(error)) {
            *end = -2;
            return COND_OK;
        }
        if (by_step && exact && info->step_length < settings->tolerance)
            *end = 1;
        if (by_step ? *end || last : error <= trigger || last)
            status = judge(s, by_step, error, &trigger, end, info);
        if (status)
            return status;
    }
    return COND_OK;
}

CondStatus cond_dual_solve(void* work, const CondProblem* problem, double* v, double* lambda,
                           CondSolveInfo* info)
{
    CondDual* s = work;
    const CondSolverSettings* settings = &s->settings;
    info->certificate.worst_contact = -1;
    info->certificate.dynamics = info->certificate.contact = INFINITY; // until something is known
    CondStatus status = reserve(s, problem);
    if (!status)
        status = cond_judge_begin(&s->judge, problem, v, lambda);
    if (status)
        return status;
    info->products++;
    double begin = cond_seconds();
    status = cond_delassus_build(&s->delassus, problem, settings->omega);
    info->delassus_seconds = cond_seconds() - begin;
    info->virtual_nodes = s->delassus.n_virtual;
    if (status == COND_DIVERGED) {
        cond_judge_end(&s->judge, 0, v, lambda, info);
        return COND_DIVERGED;
    }
    if (status)
        return status;
    int end = settings->stop == COND_STOP_CERTIFICATE && s->judge.best <= settings->tolerance;
    double trigger = 0.0;
    memcpy(s->lambda, lambda, (size_t)s->delassus.n * sizeof *lambda);
    if (problem->n_contact == 0) {
        if (!end)
            status = judge(s, 1, 0.0, &trigger, &end, info);
        end = end || settings->stop == COND_STOP_STEP;
    } else if (!end) {
        info->outer = 1;
        cond_delassus_velocity(&s->delassus, s->lambda, s->u);
        status = iterate(s, &end, info);
    }
    if (status)
        return status;
    status = cond_judge_end(&s->judge, end == 1, v, lambda, info);
    return end == -2 ? COND_DIVERGED : status;
}
