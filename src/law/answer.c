// A pair (v, lambda) with its certificate: what the stages of the strategy hand to each other.
#include "law/answer.h"

#include "base/parallel.h"

#include <math.h>

CondStatus cond_answer_reserve(const CondContext* context, const CondProblem* problem,
                               CondAnswer* answer)
{
    answer->arena.context = *context;
    if (COND_RESERVE(&answer->arena, answer->v, problem->n_dof) ||
        COND_RESERVE(&answer->arena, answer->lambda, 3 * problem->n_contact))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

void cond_answer_set(const CondProblem* problem, const double* v, const double* lambda,
                     const CondCertificate* certificate, CondAnswer* answer)
{
    cond_parallel_copy(problem->n_dof, v, answer->v, answer->threads);
    cond_parallel_copy(3 * problem->n_contact, lambda, answer->lambda, answer->threads);
    answer->residual = INFINITY;
    if (certificate) {
        answer->certificate = *certificate;
        answer->residual = cond_certificate_residual(certificate);
    }
}

void cond_answer_copy(const CondProblem* problem, const CondAnswer* from, CondAnswer* to)
{
    cond_answer_set(problem, from->v, from->lambda, &from->certificate, to);
    to->residual = from->residual;
}

void cond_answer_destroy(CondAnswer* answer)
{
    cond_arena_release(&answer->arena);
}

void cond_solve_info_add_work(const CondSolveInfo* a, const CondSolveInfo* b, CondSolveInfo* sum)
{
    sum->iterations = a->iterations + b->iterations;
    sum->cg_iterations = a->cg_iterations + b->cg_iterations;
    sum->outer = a->outer + b->outer;
    sum->products = a->products + b->products;
    sum->restarts = a->restarts + b->restarts;
    sum->passes = a->passes + b->passes;
    sum->seconds = a->seconds + b->seconds;
}
