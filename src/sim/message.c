// What went wrong in a step, for people.
#include "law/certificate.h"
#include "sim/sim.h"

#include <stdio.h>

// "'a' and 'b'", "'a' and the plane 'floor'" or "'a' and something static".
static void name_pair(const CondModel* model, int body, int other, int plane, char* text,
                      size_t size)
{
    const char* one = body >= 0 ? model->body[body].name : "?";
    if (other >= 0)
        snprintf(text, size, "'%.48s' and '%.48s'", one, model->body[other].name);
    else if (plane >= 0)
        snprintf(text, size, "'%.48s' and the plane '%.48s'", one, model->plane[plane].name);
    else
        snprintf(text, size, "'%.48s' and what is static", one);
}

// The problem that missed its tolerance: the first of the three that did.
static void tell_missed(CondSim* sim, const CondStepInfo* info, char* text, size_t size)
{
    static const char* const what[] = {"contact problem", "impact problem", "correction"};
    const CondSolveInfo* solve[] = {&info->solve, &info->impact, &info->correction};
    double tolerance = sim->model->settings.solver.tolerance;
    int k = 0;
    while (k < 2 && solve[k]->status != COND_NOT_CONVERGED)
        k++;
    if (solve[k]->status != COND_NOT_CONVERGED && info->error > sim->model->settings.accuracy) {
        snprintf(text, size, "step.accuracy: after %d pieces the error is still %.1e", info->pieces,
                 info->error);
        return;
    }
    if (solve[k]->status != COND_NOT_CONVERGED) {
        snprintf(text, size, "the end of the step violates contacts that it could not take up");
        return;
    }
    const CondCertificate* certificate = &solve[k]->certificate;
    int c = k == 0 && info->substeps == 1 ? certificate->worst_contact : -1,
        n = snprintf(text, size, "the %s misses its tolerance: %.1e instead of %.1e", what[k],
                     cond_certificate_residual(certificate), tolerance);
    if (c >= 0 && c < cond_sim_n_contact(sim) && n > 0 && (size_t)n < size) {
        CondContactInfo contact = cond_sim_contact(sim, c);
        char pair[160];
        name_pair(sim->model, contact.body, contact.other, contact.plane, pair, sizeof pair);
        snprintf(text + n, size - (size_t)n, ", worst between %s", pair);
    }
}

void cond_sim_tell(CondSim* sim, const CondStepInfo* info)
{
    char* text = sim->watch.message;
    size_t size = sizeof sim->watch.message;
    if (info->status == COND_OK || *text)
        return;
    if (info->status == COND_NOT_CONVERGED) {
        tell_missed(sim, info, text, size);
    } else if (info->status == COND_TOO_DEEP) {
        char pair[160];
        const CondPenetration* deepest = &info->deepest;
        name_pair(sim->model, deepest->body, deepest->other, deepest->plane, pair, sizeof pair);
        snprintf(text, size, "%s overlap by %.3g m, more than %.3g m", pair, deepest->depth,
                 deepest->limit);
    } else {
        snprintf(text, size, "%s in the stage %s", cond_status_name(info->status),
                 cond_stage_name(sim->clock.stage));
    }
}

const char* cond_sim_message(const CondSim* sim)
{
    return sim->watch.message;
}
