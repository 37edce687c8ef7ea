// The proximal law for the stubborn contacts only. A problem under the strict law may have an
// answer that nothing finds. Under the proximal law it has one unless bodies are asked to be in two
// places at once, and it is found. So the contacts whose own part of the certificate misses the
// tolerance are held to the proximal law, all others to the strict one, and this mixture is solved;
// contacts that miss then join them. Slipping contacts that are relaxed open with the speed
// |u_t|_mu; the rest is exact.
#include "base/memory.h"
#include "law/tuning.h"
#include "strategy/strategy.h"

#include <math.h>
#include <string.h>

static int has_friction(const CondContact* contact)
{
    return fmax(contact->friction[0], contact->friction[1]) > 0.0;
}

// Law error of every contact of s->best under the laws they are held to now, in s->error; the
// error beyond which a contact misses.
static double measure(CondStrategy* s, CondSolveInfo* info)
{
    CondCertificateData data = cond_strategy_certificate_data(s);
    double play[2], worst = 0.0; // of friction cones
    data.error = s->error;
    data.play = play;
    cond_certificate_compute(&data, s->best.v, s->best.lambda, s->vfpi.work);
    info->products++;
    for (int c = 0; c < data.problem->n_contact; c++)
        if (data.problem->contact[c].set == COND_FORCE_CONE)
            worst = fmax(worst, s->error[c]);
    return fmin(s->settings.tolerance * play[0], COND_RELAX_WORST * worst);
}

// Relaxes the contacts that miss, or all. Returns how many are relaxed now.
static int choose(CondStrategy* s, const CondProblem* problem, double bound, int all)
{
    int count = 0;
    for (int c = 0; c < problem->n_contact; c++) {
        if (has_friction(&problem->contact[c]) && (all || s->error[c] > bound))
            s->relaxed[c] = 1;
        count += s->relaxed[c];
    }
    return count;
}

// The answer under the relaxed laws becomes that of the solve. Where relaxed contacts do not slip
// it is one under the strict law, too.
static CondStatus accept(CondStrategy* s, int count, CondSolveInfo* info)
{
    CondCertificateData strict = cond_strategy_certificate_data(s);
    double residual = s->best.residual;
    strict.relaxed = NULL;
    s->best.certificate =
        cond_certificate_compute(&strict, s->best.v, s->best.lambda, s->vfpi.work);
    s->best.residual = cond_certificate_residual(&s->best.certificate);
    info->products++;
    if (s->best.residual <= s->asked.tolerance)
        return COND_OK;
    s->n_relaxed = info->relaxed = count;
    info->relaxed_residual = residual;
    return COND_NOT_CONVERGED;
}

// The mixtures, one after the other; *count is how many contacts are relaxed in the last.
static CondStatus solve_mixtures(CondStrategy* s, const CondProblem* problem, int* count,
                                 CondSolveInfo* info)
{
    CondStatus status = COND_NOT_CONVERGED;
    for (int round = 1; round <= COND_RELAX_ROUNDS && status > 0; round++) {
        int before = *count, all = s->asked.max_iterations;
        *count = choose(s, problem, measure(s, info), round == COND_RELAX_ROUNDS);
        if (*count == 0)
            break;
        if (*count == before)
            continue;
        // The last mixture, which is convex, has at least half of the iterations.
        int left = all - info->iterations;
        cond_strategy_aim(s, s->asked.tolerance,
                          round == COND_RELAX_ROUNDS ? all : info->iterations + left / 4);
        status = cond_vfpi_relax(&s->vfpi, s->relaxed);
        if (!status)
            status = cond_strategy_solve_posed(s, info);
    }
    return status;
}

CondStatus cond_stage_relaxed_law(CondStrategy* s, CondSolveInfo* info)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    const CondContext* m = &s->context;
    int n = problem->n_contact, count = 0;
    if (cond_reserve(m, &s->relaxed, &s->cap_relaxed, n, sizeof *s->relaxed) ||
        cond_reserve(m, &s->error, &s->cap_error, n, sizeof *s->error) ||
        COND_RESERVE(&s->vfpi.arena, s->vfpi.work, 2 * problem->n_dof) ||
        cond_answer_reserve(m, problem, &s->kept))
        return COND_OUT_OF_MEMORY;
    memset(s->relaxed, 0, (size_t)n * sizeof *s->relaxed);
    cond_answer_copy(problem, &s->best, &s->kept);
    s->posed = 1;
    CondStatus status = solve_mixtures(s, problem, &count, info);
    s->posed = 0;
    if (status == COND_OK)
        status = accept(s, count, info);
    else if (status > 0)
        cond_answer_copy(problem, &s->kept, &s->best);
    CondStatus posed = cond_vfpi_relax(&s->vfpi, NULL);
    return status < 0 || !posed ? status : posed;
}
