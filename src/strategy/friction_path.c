// A path of problems (continuation in the friction). Much friction makes the law hard: friction
// forces raise the normal forces that raise them, and Newton's method goes to and fro between
// answers that are none. With little friction it does not, and without any the problem is convex.
// So the friction of all contacts is raised from nothing to what it is, and each answer is the
// start of the next problem. A stride that fails is halved. Where that path ends before, it is
// tried from the other side: with far more friction contacts stick or are open and hardly slip.
#include "base/memory.h"
#include "law/tuning.h"
#include "strategy/strategy.h"

#include <math.h>
#include <string.h>

// The problem with a share of its friction takes the place of the one posed.
static CondStatus pose(CondStrategy* s, const CondProblem* problem, CondProblem* other,
                       double share)
{
    *other = *problem;
    memcpy(s->contact, problem->contact, (size_t)problem->n_contact * sizeof *s->contact);
    for (int c = 0; c < problem->n_contact; c++)
        for (int i = 0; i < 2; i++)
            s->contact[c].friction[i] *= share;
    other->contact = s->contact;
    return cond_vfpi_pose(&s->vfpi, share == 1.0 ? problem : other);
}

// From the pair in s->best without its forces to one for the problem posed: with a growing share
// of the friction, or with the friction over it; until the solve has made `most` Newton steps.
static CondStatus follow(CondStrategy* s, const CondProblem* problem, int down, int most,
                         CondSolveInfo* info)
{
    CondProblem other;
    double done = 0.0, stride = COND_PATH_STRIDE, tolerance = s->settings.tolerance;
    int last = s->settings.max_iterations;
    CondStatus status = COND_OK;
    memset(s->best.lambda, 0, 3 * (size_t)problem->n_contact * sizeof *s->best.lambda);
    cond_answer_copy(problem, &s->best, &s->last);
    for (int k = 0; k < COND_PATH_PROBLEMS && done < 1.0 && stride >= COND_PATH_SHORTEST; k++) {
        double share = done == 0.0 ? fmin(COND_PATH_FIRST, stride) : fmin(done + stride, 1.0);
        double aim = share < 1.0 ? fmax(COND_PATH_TOLERANCE, tolerance) : tolerance;
        cond_strategy_aim(s, aim, last);
        status = pose(s, problem, &other, down ? 1.0 / share : share);
        if (!status)
            status = cond_strategy_solve_posed(s, info);
        if (status < 0)
            break;
        done = status ? done : share;
        stride *= status ? 0.5 : 2.0;
        cond_answer_copy(problem, status ? &s->last : &s->best, status ? &s->best : &s->last);
        if (done < 1.0 && (info->passes >= most || (!s->small && info->iterations >= last)))
            break;
    }
    cond_strategy_aim(s, tolerance, last);
    return status < 0 ? status : done == 1.0 ? COND_OK : COND_NOT_CONVERGED;
}

CondStatus cond_stage_friction_path(CondStrategy* s, CondSolveInfo* info)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    if (cond_reserve(&s->context, &s->contact, &s->cap_contact, problem->n_contact,
                     sizeof *s->contact) ||
        cond_answer_reserve(&s->context, problem, &s->before) ||
        cond_answer_reserve(&s->context, problem, &s->last))
        return COND_OUT_OF_MEMORY;
    cond_answer_copy(problem, &s->best, &s->before);
    s->posed = 1;
    int most = info->passes + COND_PATH_STEPS;
    CondStatus status = cond_strategy_solve_posed(s, info); // from the best pair, with patience
    for (int down = 0; down < 2 && status == COND_NOT_CONVERGED; down++)
        status = follow(s, problem, down, most, info);
    s->posed = 0;
    CondStatus posed = cond_vfpi_pose(&s->vfpi, problem);
    if (status == COND_NOT_CONVERGED)
        cond_answer_copy(problem, &s->before, &s->best);
    return status < 0 || !posed ? status : posed;
}
