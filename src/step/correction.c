// Penetration left at the end of the step is removed along M^-1 Jn',
//     M d = Jc' Lambda,     0 <= Lambda_n  _|_  Jn d + gap/t >= 0,     no friction,
// with q <- update(q, d, t).
#include "step/correction.h"

#include "step/sim.h"

#include <math.h>
#include <string.h>

static const double PENETRATION = 1e-9; // above this it is corrected [m]

void cond_correction_destroy(CondCorrection* correction)
{
    cond_contact_stage_destroy(&correction->stage);
}

CondStatus cond_sim_correct(CondSim* sim, double deepest, CondSolveInfo* info)
{
    const CondModel* model = sim->model;
    CondContactStage* stage = &sim->correction.stage;
    CondAssembly* assembly = &stage->assembly;
    double t = sim->time_step;
    if (!(deepest > PENETRATION))
        return COND_OK;
    CondStatus status = cond_contact_stage_prepare(model, stage);
    if (status)
        return status;
    // Points within reach of the correction are kept out as well.
    for (int b = 0; b < model->n_body; b++)
        sim->reach[b] = 2.0 * deepest;
    status = cond_collide(&sim->collider, &sim->then, sim->next, sim->reach, &stage->touches);
    if (status)
        return status;
    cond_assembly_begin(assembly, &sim->then, 0.0, NULL);
    memset(assembly->b, 0, (size_t)model->n_dof * sizeof(double));
    memset(stage->v, 0, (size_t)model->n_dof * sizeof(double));
    status = cond_assembly_finish(assembly, &sim->then, &stage->touches, INFINITY);
    if (status)
        return status;
    for (int k = 0; k < stage->touches.n; k++) {
        assembly->contact[k].phi[0] = stage->touches.touch[k].gap / t;
        assembly->contact[k].friction[0] = assembly->contact[k].friction[1] = 0.0;
    }
    status = cond_contact_stage_solve(stage, info);
    if (status >= 0) {
        cond_sim_advance(model, stage->v, t, sim->next->q);
        cond_posture_set(&sim->then, sim->next->q);
    }
    return status;
}
