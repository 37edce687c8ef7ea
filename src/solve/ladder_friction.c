// A path of problems. Much friction makes the law hard: friction forces raise the normal forces
// that raise them, and passes and iterations go to and fro between answers that are none. With
// little friction they do not, and without any the problem is convex. So the friction of all
// contacts is raised from nothing to what it is, and each answer is the start of the next problem.
// A stage that fails is tried again half as far from the last one that did not. Where that path
// ends before, it is tried from the other side: with far more friction contacts stick or are open
// and hardly slip.
#include "base/memory.h"
#include "solve/ladder_part.h"

#include <math.h>
#include <string.h>

static const double FIRST = 0.05;           // share of the friction in the first stage
static const double STRIDE = 0.15;          // from a stage to the next, at first
static const double SHORTEST = 1e-3;        // and at least
static const double STAGE_TOLERANCE = 1e-5; // of all but the last
enum { STAGE_PASSES = 60 };                 // that factor

// The problem with a share of its friction takes the place of the one posed.
static CondStatus pose(CondLadder* s, const CondProblem* problem, CondProblem* less, double share)
{
    *less = *problem;
    memcpy(s->contact, problem->contact, (size_t)problem->n_contact * sizeof *s->contact);
    for (int c = 0; c < problem->n_contact; c++)
        for (int i = 0; i < 2; i++)
            s->contact[c].friction[i] *= share;
    less->contact = s->contact;
    return cond_vfpi_pose(&s->vfpi, share == 1.0 ? problem : less);
}

static CondStatus climb_stage(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    *end = COND_VFPI_LIMIT;
    if (s->small)
        return cond_ladder_factored(s, STAGE_PASSES, info, end);
    return cond_ladder_usual(s, info, end);
}

// From the pair in s->best, whose forces are zero, to one for the problem posed: with a growing
// share of the friction, or with the friction over it.
static CondStatus follow(CondLadder* s, const CondProblem* problem, int down, CondSolveInfo* info,
                         CondVfpiEnd* end)
{
    CondProblem less;
    CondStatus status = cond_answer_reserve(&s->context, problem, &s->aside);
    double done = 0.0, stride = STRIDE, tolerance = s->settings.tolerance;
    int last = s->settings.max_iterations;
    if (!status)
        cond_answer_copy(problem, &s->best, &s->aside);
    while (!status && done < 1.0 && stride >= SHORTEST) {
        double share = done == 0.0 ? fmin(FIRST, stride) : fmin(done + stride, 1.0);
        cond_ladder_aim(s, share < 1.0 ? fmax(STAGE_TOLERANCE, tolerance) : tolerance, last);
        status = pose(s, problem, &less, down ? 1.0 / share : share);
        if (!status)
            status = climb_stage(s, info, end);
        if (status)
            break;
        if (*end == COND_VFPI_DONE) {
            done = share;
            stride *= 2.0;
            cond_answer_copy(problem, &s->best, &s->aside);
        } else {
            stride *= 0.5;
            cond_answer_copy(problem, &s->aside, &s->best);
        }
        if (done < 1.0 && !s->small && info->iterations >= last)
            break;
    }
    cond_ladder_aim(s, tolerance, last);
    *end = done == 1.0 ? COND_VFPI_DONE : COND_VFPI_LIMIT;
    return status;
}

CondStatus cond_ladder_friction(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    int most = 0;
    for (int c = 0; c < problem->n_contact && !most; c++)
        most = fmax(problem->contact[c].friction[0], problem->contact[c].friction[1]) > 0.0;
    if (!most)
        return COND_OK;
    if (cond_reserve(&s->context, &s->contact, &s->cap_contact, problem->n_contact,
                     sizeof *s->contact) ||
        cond_answer_reserve(&s->context, problem, &s->before))
        return COND_OUT_OF_MEMORY;
    cond_answer_copy(problem, &s->best, &s->before);
    memset(s->best.lambda, 0, 3 * (size_t)problem->n_contact * sizeof *s->best.lambda);
    CondStatus status = follow(s, problem, 0, info, end);
    if (!status && *end != COND_VFPI_DONE) {
        memset(s->best.lambda, 0, 3 * (size_t)problem->n_contact * sizeof *s->best.lambda);
        status = follow(s, problem, 1, info, end);
    }
    CondStatus posed = cond_vfpi_pose(&s->vfpi, problem);
    info->rung = COND_RUNG_FRICTION;
    if (!status && !posed && *end != COND_VFPI_DONE)
        cond_answer_copy(problem, &s->before, &s->best);
    return status ? status : posed;
}
