// The proximal law for the stubborn contacts only. A problem under the strict law may have no
// answer (Painleve's rod), or one that nothing finds. Under the proximal law it has one unless
// bodies are asked to be in two places at once. So the contacts whose own part of the certificate
// misses the tolerance are held to the proximal law, all others to the strict one, and the usual
// rungs are climbed again; contacts that miss then join them. Slipping contacts that are relaxed
// open with the speed |u_t|_mu; the rest is exact.
#include "base/memory.h"
#include "solve/ladder_part.h"

#include <math.h>
#include <string.h>

static const double WORST = 0.1; // of the worst error, where no contact misses by itself
enum { ROUNDS = 4 };             // in the last one all contacts are relaxed

static int has_friction(const CondContact* contact)
{
    return fmax(contact->friction[0], contact->friction[1]) > 0.0;
}

// Law error of every contact of s->best under the laws they are held to now, in s->error.
static double measure(CondLadder* s, const CondCertificateData* now)
{
    CondCertificateData data = *now;
    data.error = s->error;
    CondCertificate c = cond_certificate_compute(&data, s->best.v, s->best.lambda, s->vfpi.work);
    return fmin(s->settings.tolerance * c.velocity_scale, WORST * c.contact_speed);
}

// Relaxes the contacts that miss, or all. Returns how many are relaxed now.
static int choose(CondLadder* s, const CondProblem* problem, double bound, int all)
{
    int count = 0;
    for (int c = 0; c < problem->n_contact; c++) {
        if (has_friction(&problem->contact[c]) && (all || s->error[c] > bound))
            s->relaxed[c] = 1;
        count += s->relaxed[c];
    }
    return count;
}

// With all contacts relaxed the problem is convex, and the method of multipliers comes first. The
// rounds before leave half of the iterations to it.
static CondStatus climb_round(CondLadder* s, int all, CondSolveInfo* info, CondVfpiEnd* end)
{
    int most = s->asked.max_iterations, left = most - info->iterations;
    CondStatus status = COND_OK;
    cond_ladder_aim(s, s->asked.tolerance, all ? most : info->iterations + left / 4);
    *end = COND_VFPI_LIMIT;
    if (all)
        status = cond_ladder_augmented(s, info, end);
    if (!status && *end != COND_VFPI_DONE)
        status = cond_ladder_usual(s, info, end);
    if (!status && *end != COND_VFPI_DONE)
        status = cond_ladder_friction(s, info, end);
    if (!status && *end != COND_VFPI_DONE)
        status = cond_ladder_vfpi(s, most, s->asked.max_outer, info, end);
    return status;
}

// The answer under the relaxed laws becomes that of the solve. Where relaxed contacts do not slip
// it is one under the strict law, too.
static void accept(CondLadder* s, int count, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondCertificateData strict = cond_ladder_certificate_data(s);
    double residual = s->best.residual;
    strict.relaxed = NULL;
    s->best.certificate =
        cond_certificate_compute(&strict, s->best.v, s->best.lambda, s->vfpi.work);
    s->best.residual = cond_certificate_residual(&s->best.certificate);
    info->products++;
    if (s->best.residual <= s->asked.tolerance) {
        *end = COND_VFPI_DONE;
        return;
    }
    s->n_relaxed = info->relaxed = count;
    info->relaxed_residual = residual;
}

CondStatus cond_ladder_relax(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    const CondContext* m = &s->context;
    int n = problem->n_contact, count = 0;
    CondStatus status = COND_OK;
    if (cond_reserve(m, &s->relaxed, &s->cap_relaxed, n, sizeof *s->relaxed) ||
        cond_reserve(m, &s->error, &s->cap_error, n, sizeof *s->error) ||
        cond_answer_reserve(m, problem, &s->kept))
        return COND_OUT_OF_MEMORY;
    memset(s->relaxed, 0, (size_t)n * sizeof *s->relaxed);
    cond_answer_copy(problem, &s->best, &s->kept);
    for (int round = 0; round < ROUNDS && !status && *end != COND_VFPI_DONE; round++) {
        CondCertificateData data = cond_ladder_certificate_data(s);
        double bound = measure(s, &data);
        info->products++;
        int before = count;
        count = choose(s, problem, bound, round == ROUNDS - 1);
        if (count == 0)
            break;
        if (count == before)
            continue;
        status = cond_vfpi_relax(&s->vfpi, s->relaxed);
        if (!status)
            status = climb_round(s, round == ROUNDS - 1, info, end);
    }
    int found = !status && *end == COND_VFPI_DONE;
    *end = COND_VFPI_LIMIT;
    if (found)
        accept(s, count, info, end);
    else if (!status)
        cond_answer_copy(problem, &s->kept, &s->best);
    CondStatus posed = cond_vfpi_relax(&s->vfpi, NULL);
    return status ? status : posed;
}
