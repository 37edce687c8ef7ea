// Sequential impacts: of the closed contacts the one at which the bodies approach fastest is
// resolved alone, by Newton's restitution and friction on the masses, then the next, until none
// approaches any more. Contacts that approach equally fast are resolved together, so that what is
// symmetric stays so. Impacts that never end, between bodies that press on each other or lose
// speed in every impact, are cut short: what still approaches is stopped by the problem at the end.
#include "step/impact.h"

#include "base/memory.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

static const double TIE = 1e-6;   // of the fastest approach: as fast
static const double OVER = 1e-6;  // of the first approach: no approach any more
static const double STILL = 1e-9; // [m/s]: nor is this

enum { MAX_IMPACTS = 1000 };

static CondStatus reserve(CondImpact* impact, int n)
{
    CondArena* m = &impact->stage.arena;
    if (COND_RESERVE(m, impact->impulse, 3 * n) || COND_RESERVE(m, impact->group, n) ||
        COND_RESERVE(m, impact->member, n))
        return COND_OUT_OF_MEMORY;
    memset(impact->impulse, 0, 3 * (size_t)n * sizeof *impact->impulse);
    return COND_OK;
}

// Speed at which closed contact k approaches with velocity v.
static double approach(const CondImpact* impact, int k, const double* v)
{
    double u[3];
    cond_contact_velocity(&impact->stage.assembly.contact[k], v, u); // whose phi is zero
    return -u[0];
}

// The contacts of the next impact, with their restitution; returns how many.
static int next_group(CondImpact* impact, double fastest)
{
    const CondContactStage* stage = &impact->stage;
    int n = 0;
    for (int k = 0; k < stage->candidates.n; k++) {
        double speed = approach(impact, k, impact->after);
        if (!(speed >= (1.0 - TIE) * fastest))
            continue;
        impact->member[n] = k;
        impact->group[n] = stage->assembly.contact[k];
        impact->group[n++].phi[0] = -stage->candidates.candidate[k].restitution * speed;
    }
    return n;
}

CondStatus cond_impact_sequence(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondImpact* impact = &sim->impact;
    CondContactStage* stage = &impact->stage;
    size_t bytes = (size_t)sim->model->n_dof * sizeof(double);
    double first = 0.0;
    CondStatus worst = COND_OK;
    if (reserve(impact, stage->candidates.n))
        return COND_OUT_OF_MEMORY;
    memcpy(impact->after, state->v, bytes);
    for (int round = 0; round < MAX_IMPACTS; round++) {
        double fastest = 0.0;
        for (int k = 0; k < stage->candidates.n; k++)
            fastest = fmax(fastest, approach(impact, k, impact->after));
        if (round == 0)
            first = fastest;
        if (!(fastest > fmax(OVER * first, STILL)))
            break;
        int n = next_group(impact, fastest);
        memcpy(impact->before, impact->after, bytes);
        cond_assembly_multiply(&stage->assembly, impact->before, stage->assembly.b,
                               sim->model->settings.solver.threads);
        CondStatus status = cond_impact_solve(impact, impact->before, NULL, impact->group, n, info);
        if (status < 0)
            return status;
        worst = status > worst ? status : worst;
        memcpy(impact->after, stage->v, bytes);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                impact->impulse[3 * impact->member[i] + c] += stage->lambda[3 * i + c];
    }
    return worst;
}
