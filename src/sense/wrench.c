// Wrenches of the attachments in the last step, from its answer.
#include "base/error.h"
#include "base/memory.h"
#include "potential/attachment.h"
#include "potential/trajectory.h"
#include "sim/sim.h"

#include <string.h>

void cond_sim_act(CondSim* sim)
{
    double time = sim->next->time - (1.0 - cond_sim_control_theta(sim)) * sim->attempt.time_step;
    cond_trajectory_guide(&sim->at_start, time);
    for (int b = 0; b < sim->model->n_body; b++)
        if (!sim->linear[b]) {
            cond_kinematics_set(&sim->at_end, sim->newton.q);
            if (sim->model->settings.integrator ==
                COND_INTEGRATOR_AUTO) // forces were means over the step
                sim->at_end.begin = &sim->at_start;
            cond_trajectory_guide(&sim->at_end, time);
            return;
        }
}

const CondKinematics* cond_sim_acting(const CondSim* sim, int body, double* step)
{
    int penalty = sim->model->settings.method == COND_STEP_PENALTY;
    *step = sim->linear[body] && !penalty ? sim->length[body] : 0.0;
    return sim->linear[body] ? &sim->at_start : &sim->at_end;
}

CondStatus cond_sim_read_wrenches(CondSim* sim)
{
    const CondState* next = sim->next;
    double step;
    cond_sim_act(sim);
    if (COND_RESERVE(&sim->arena, sim->readings.wrench, 6 * next->n_weld))
        return COND_OUT_OF_MEMORY;
    cond_held_forces(sim);
    for (int i = 0; i < next->n_weld; i++) {
        double* wrench = sim->readings.wrench + 6 * i;
        memset(wrench, 0, 6 * sizeof *wrench);
        if (!next->weld[i].active)
            continue;
        if (cond_weld_is_exact(&next->weld[i])) {
            cond_held_wrench(sim, &next->weld[i], wrench);
            continue;
        }
        const CondKinematics* kinematics =
            cond_sim_acting(sim, cond_weld_body(&next->weld[i]), &step);
        CondStatus status = cond_weld_wrench(kinematics, &next->weld[i], step, sim->attempt.v_hat,
                                             &sim->matrix, wrench);
        if (status)
            return status;
    }
    sim->readings.n_wrench = next->n_weld;
    return COND_OK;
}

CondStatus cond_sim_attachment_wrench(const CondSim* sim, int attachment, double wrench[6])
{
    if (attachment < 0 || attachment >= sim->readings.n_wrench)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "attachment %d: the last step knew %d",
                              attachment, sim->readings.n_wrench);
    memcpy(wrench, sim->readings.wrench + 6 * attachment, 6 * sizeof *wrench);
    return COND_OK;
}
