// Certifies the iterates of a baseline and keeps the best one and its step lengths (judge.h).
#include "judge.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void cond_judge_create(CondJudge* judge, const CondContext* context,
                       const CondSolverSettings* settings)
{
    memset(judge, 0, sizeof *judge);
    judge->context = *context;
    judge->settings = *settings;
}

void cond_judge_destroy(CondJudge* judge)
{
    cond_release(&judge->context, judge->best_v);
    cond_release(&judge->context, judge->best_lambda);
    cond_release(&judge->context, judge->history);
}

CondStatus cond_judge_begin(CondJudge* judge, const CondProblem* problem, const double* v,
                            const double* lambda)
{
    const CondContext* m = &judge->context;
    double residual;
    judge->problem = problem;
    judge->n_history = 0;
    if (cond_reserve(m, &judge->best_v, &judge->cap_best_v, problem->n_dof,
                     sizeof *judge->best_v) ||
        cond_reserve(m, &judge->best_lambda, &judge->cap_best_lambda, 3 * problem->n_contact,
                     sizeof *judge->best_lambda))
        return COND_OUT_OF_MEMORY;
    return cond_judge_pair(judge, v, lambda, 1, &residual);
}

CondStatus cond_judge_pair(CondJudge* judge, const double* v, const double* lambda, int take,
                           double* residual)
{
    const CondProblem* problem = judge->problem;
    CondCertificate certificate;
    CondStatus status = cond_certify(&judge->context, problem, judge->settings.law,
                                     judge->settings.omega, v, lambda, &certificate);
    if (status)
        return status;
    *residual = cond_certificate_residual(&certificate);
    if (take || *residual < judge->best) {
        judge->best = *residual;
        judge->best_certificate = certificate;
        memcpy(judge->best_v, v, (size_t)problem->n_dof * sizeof *v);
        memcpy(judge->best_lambda, lambda, 3 * (size_t)problem->n_contact * sizeof *lambda);
    }
    return COND_OK;
}

CondStatus cond_judge_record(CondJudge* judge, double step)
{
    if (cond_reserve(&judge->context, &judge->history, &judge->cap_history, judge->n_history + 1,
                     sizeof *judge->history))
        return COND_OUT_OF_MEMORY;
    judge->history[judge->n_history++] = step;
    return COND_OK;
}

CondStatus cond_judge_end(const CondJudge* judge, int done, double* v, double* lambda,
                          CondSolveInfo* info)
{
    const CondProblem* problem = judge->problem;
    info->certificate = judge->best_certificate;
    memcpy(v, judge->best_v, (size_t)problem->n_dof * sizeof *v);
    memcpy(lambda, judge->best_lambda, 3 * (size_t)problem->n_contact * sizeof *lambda);
    if (!isfinite(judge->best))
        return COND_DIVERGED;
    return done ? COND_OK : COND_NOT_CONVERGED;
}
