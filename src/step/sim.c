// One time step as a list of stages.
#include "step/sim.h"

#include "base/timer.h"

#include <string.h>

const char* cond_stage_name(CondStage stage)
{
    static const char* const names[] = {"forces",    "collide", "assemble", "solve",
                                        "integrate", "impact",  "correct"};
    return stage >= 0 && stage < COND_N_STAGE ? names[stage] : NULL;
}

CondStatus cond_sim_attempt(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    double clock = cond_seconds();
    CondStatus worst = COND_OK;
#define STAGE(stage, call)                                                                         \
    do {                                                                                           \
        CondStatus status = (call);                                                                \
        double now = cond_seconds();                                                               \
        info->seconds[stage] += now - clock;                                                       \
        clock = now;                                                                               \
        if (status < 0)                                                                            \
            return status;                                                                         \
        if (cond_cancelled(&sim->arena.context))                                                   \
            return COND_CANCELLED;                                                                 \
        worst = status > worst ? status : worst;                                                   \
    } while (0)
    STAGE(COND_STAGE_FORCES, cond_sim_forces(sim, state));
    STAGE(COND_STAGE_COLLIDE, cond_sim_collide(sim, state));
    STAGE(COND_STAGE_ASSEMBLE, cond_sim_assemble(sim, state));
    STAGE(COND_STAGE_SOLVE, cond_sim_solve(sim, state, &info->solve));
#undef STAGE
    return worst ? worst : cond_sim_recheck(sim, state, info); // times its own stages
}

// 1 where a smaller step may come next.
static int is_divisible(const CondSceneSettings* settings)
{
    return settings->substeps > 1 && settings->solver.fallback &&
           settings->solver.stop == COND_STOP_CERTIFICATE;
}

// By velocities, in parts where that is needed.
static CondStatus try_velocity(CondSim* sim, CondState* state, CondStepInfo* out)
{
    int divisible = is_divisible(&sim->model->settings);
    sim->divisible = divisible;
    CondStatus worst = cond_sim_attempt(sim, state, out);
    sim->divisible = 0;
    if (worst == COND_NOT_CONVERGED && divisible && out->solve.solved_by != COND_BY_OTHER) {
        CondStatus status = cond_sim_step_in_parts(sim, state, out);
        if (status != COND_NOT_CONVERGED)
            return status;
    }
    if (worst < 0)
        return worst;
    cond_watch_begin(sim);                                   // of a part that was made in vain
    CondStatus status = cond_sim_integrate(sim, state, out); // times its own stages
    return status < 0 || status > worst ? status : worst;
}

// Where the impact stage misses with contacts that last, none does in a second attempt: implicit
// Euler needs no such stage.
static CondStatus step_velocity(CondSim* sim, CondState* state, CondStepInfo* out)
{
    int64_t step = state->step;
    sim->persistent = COND_PERSISTENT_TRIED;
    CondStatus status = try_velocity(sim, state, out);
    if (status >= 0 && state->step == step) { // parts may have made it without them already
        CondStepInfo first = *out;
        *out = (CondStepInfo){.substeps = 1};
        cond_watch_begin(sim);
        status = try_velocity(sim, state, out);
        cond_solve_info_add_work(&first.solve, &out->solve, &out->solve);
        for (int k = 0; k < COND_N_STAGE; k++)
            out->seconds[k] += first.seconds[k];
    }
    sim->persistent = COND_PERSISTENT_FREE;
    return status;
}

CondStatus cond_sim_step(CondSim* sim, CondState* state, CondStepInfo* info)
{
    CondStepInfo own;
    CondStepInfo* out = info ? info : &own;
    memset(out, 0, sizeof *out);
    out->substeps = 1;
    cond_watch_begin(sim);
    if (cond_cancelled(&sim->arena.context))
        return out->status = COND_CANCELLED;
    if (sim->model->settings.method == COND_STEP_PENALTY)
        out->status = cond_sim_step_penalty(sim, state, out);
    else if (sim->model->settings.method == COND_STEP_PBD)
        out->status = cond_sim_step_pbd(sim, state, out);
    else
        out->status = step_velocity(sim, state, out);
    if (out->status == COND_DIVERGED)
        cond_watch_blame(sim);
    if (out->status >= 0) {
        out->deepest = sim->deepest;
        if (cond_sim_is_too_deep(sim))
            out->status = COND_TOO_DEEP;
    }
    return out->status;
}

int cond_sim_n_contact(const CondSim* sim)
{
    return sim->candidates.n;
}

CondContactInfo cond_sim_contact(const CondSim* sim, int contact)
{
    CondContactInfo info = {.body = -1, .other = -1, .plane = -1};
    if (contact < 0 || contact >= sim->candidates.n)
        return info;
    const CondCandidate* candidate = &sim->candidates.candidate[contact];
    info.body = candidate->point[0].body;
    info.other = candidate->point[1].body;
    info.plane = candidate->plane;
    info.gap = candidate->gap;
    info.restitution = candidate->restitution;
    memcpy(info.friction, candidate->friction, sizeof info.friction);
    memcpy(info.position, candidate->position, sizeof info.position);
    memcpy(info.frame, candidate->frame, sizeof info.frame);
    if (contact >= sim->n_ready)
        return info;
    const CondContact* made = &sim->assembly.contact[contact];
    info.relaxed = sim->relaxed[contact];
    memcpy(info.force, sim->lambda + 3 * contact, sizeof info.force);
    memcpy(info.impulse, sim->impulse + 3 * contact, sizeof info.impulse);
    cond_contact_velocity(made, sim->next->v, info.velocity);
    for (int i = 0; i < 3; i++)
        info.velocity[i] -= made->phi[i];
    return info;
}
