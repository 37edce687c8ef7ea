// A v = b, a problem without contacts, by one factorisation.
#include "newton/direct.h"

#include "law/certificate.h"
#include "newton/tuning.h"

#include <string.h>

// Of an answer, by the residual that rounding has left. The first is made in any case: without it a
// bent ring at rest (test/test_ring.c) drifts, though its residual is below 1e-14 already.

void cond_direct_create(const CondContext* context, CondDirect* direct)
{
    memset(direct, 0, sizeof *direct);
    direct->arena.context = direct->system.arena.context = *context;
    direct->system.allowed = COND_MOST_PRODUCTS;
}

void cond_direct_destroy(CondDirect* direct)
{
    cond_factored_system_destroy(&direct->system);
    cond_arena_release(&direct->arena);
}

int cond_direct_serves(const CondProblem* problem)
{
    int serves = problem->n_contact == 0 && problem->n_dof > 0;
    for (int b = 0; b < problem->n_block && serves; b++)
        serves = problem->block[b].kind == COND_BLOCK_DENSE ||
                 problem->block[b].kind == COND_BLOCK_TRIDIAGONAL;
    return serves;
}

// Numbers that say which nodes there are and which meet.
static int pattern_size(const CondProblem* problem)
{
    int size = 2 * problem->n_block;
    for (int i = 0; i < problem->n_coupling; i++)
        size += 2 + problem->coupling[i].n_coordinate;
    return size;
}

// Writes a number of the pattern; returns 1 where it was another.
static int note(int* at, int value)
{
    int changed = *at != value;
    *at = value;
    return changed;
}

// Notes the pattern of the problem; *same: it is that of the last one.
static CondStatus note_pattern(CondDirect* direct, const CondProblem* problem, int* same)
{
    int size = pattern_size(problem), changed = size != direct->n_pattern;
    if (COND_RESERVE(&direct->arena, direct->pattern, size))
        return COND_OUT_OF_MEMORY;
    int* at = direct->pattern;
    for (int b = 0; b < problem->n_block; b++) {
        changed |= note(at++, (int)problem->block[b].kind);
        changed |= note(at++, problem->block[b].n_dof);
    }
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        size_t bytes = (size_t)c->n_coordinate * sizeof *c->coordinate;
        changed |= note(at++, c->n_row);
        changed |= note(at++, c->n_coordinate);
        changed |= memcmp(at, c->coordinate, bytes) != 0;
        memcpy(at, c->coordinate, bytes);
        at += c->n_coordinate;
    }
    direct->n_pattern = size;
    *same = !changed;
    return COND_OK;
}

// Lays the factors out, unless they are.
static CondStatus plan(CondDirect* direct, const CondProblem* problem, int* serves)
{
    int same = 0;
    CondStatus status = note_pattern(direct, problem, &same);
    direct->system.planned &= same;
    return status ? status : cond_factored_system_plan(&direct->system, problem, serves);
}

static CondCertificate measure(CondDirect* direct, const CondProblem* problem, const double* v,
                               CondSolveInfo* info)
{
    CondCertificateData data = {.problem = problem, .diagonal = direct->diagonal};
    info->products++;
    return cond_certificate_compute(&data, v, NULL, direct->work);
}

CondStatus cond_direct_solve(CondDirect* direct, const CondProblem* problem, double tolerance,
                             double* v, CondSolveInfo* info)
{
    int n = problem->n_dof, serves = 0;
    if (COND_RESERVE(&direct->arena, direct->diagonal, n) ||
        COND_RESERVE(&direct->arena, direct->tried, n) ||
        COND_RESERVE(&direct->arena, direct->work, 2 * n))
        return COND_OUT_OF_MEMORY;
    cond_problem_diagonal(problem, direct->diagonal);
    info->certificate = measure(direct, problem, v, info);
    if (cond_certificate_residual(&info->certificate) <= tolerance)
        return COND_OK;
    CondStatus status = plan(direct, problem, &serves);
    if (status || !serves)
        return status ? status : COND_NOT_CONVERGED;
    direct->system.n_build = 0; // A is another, nothing of it is kept
    status = cond_factored_system_build(&direct->system, problem, NULL, 0);
    if (status)
        return status == COND_OUT_OF_MEMORY ? status : COND_NOT_CONVERGED;
    info->passes++;
    memcpy(direct->tried, v, (size_t)n * sizeof *v);
    for (int k = 0; k <= COND_CORRECTIONS; k++) {
        double* x = direct->work + n;
        cond_factored_system_solve(&direct->system, x);
        for (int i = 0; i < n; i++)
            direct->tried[i] -= x[i];
        info->certificate = measure(direct, problem, direct->tried, info);
        if (k > 0 && cond_certificate_residual(&info->certificate) <= tolerance) {
            memcpy(v, direct->tried, (size_t)n * sizeof *v);
            return COND_OK;
        }
    }
    return COND_NOT_CONVERGED;
}
