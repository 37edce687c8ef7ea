// Contact is posed on v_hat. At theta < 1 a stopped v_hat means v_{k+1} = -v_k (1 - theta)/theta: a
// bounce nobody asked for. Where contacts closed, the velocity therefore comes from a
// velocity-level problem on M alone,
//     M v+ = M v_{k+1} - t Jc' lambda + Jc' Lambda,      0 <= Lambda_n  _|_  Jn v+ - target >= 0,
// with target = e_r times the speed of approach: the step without its contact forces, and impulses
// Lambda [N s] that make v+ obey the law.
#include "step/impact.h"

#include "base/memory.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9; // a gap below this counts as closed [m]

void cond_impact_destroy(CondImpact* impact)
{
    cond_release(&impact->stage.context, impact->contact_of);
    cond_contact_stage_destroy(&impact->stage);
}

// Speed at which the bodies approach at contact c with velocity v; positive: approaching.
static double approach(const CondSim* sim, int c, const double* v)
{
    const CondContact* contact = &sim->assembly.contact[c];
    double u[3];
    cond_contact_velocity(contact, v, u);
    return contact->phi[0] - u[0];
}

// 1 where contact c is closed at the end of the step.
static int is_closed(const CondSim* sim, int c)
{
    const CondTouch* touch = &sim->touches.touch[c];
    double gap = touch->gap + touch->bias - sim->time_step * approach(sim, c, sim->v_hat);
    return sim->lambda[3 * c] > 0.0 || !(gap > CLOSED);
}

// 1 when an impact stage is needed.
static int is_needed(const CondSim* sim, const CondState* state)
{
    int always = cond_sim_theta(sim) < 1.0;
    for (int c = 0; c < sim->touches.n; c++)
        if ((always ||
             (sim->touches.touch[c].restitution > 0.0 && approach(sim, c, state->v) > 0.0)) &&
            is_closed(sim, c))
            return 1;
    return 0;
}

// The closed contacts of the step.
static CondStatus list_closed(CondSim* sim)
{
    CondImpact* impact = &sim->impact;
    CondTouchList* closed = &impact->stage.touches;
    if (cond_reserve(&closed->context, &closed->touch, &closed->cap_touch, sim->touches.n,
                     sizeof *closed->touch) ||
        cond_reserve(&sim->context, &impact->contact_of, &impact->cap_contact_of, sim->touches.n,
                     sizeof *impact->contact_of))
        return COND_OUT_OF_MEMORY;
    closed->n = 0;
    for (int c = 0; c < sim->touches.n; c++)
        if (is_closed(sim, c)) {
            impact->contact_of[closed->n] = c;
            closed->touch[closed->n++] = sim->touches.touch[c];
        }
    return COND_OK;
}

// b = M v_{k+1} - t Jc' lambda
static void take_forces_back(CondSim* sim)
{
    CondAssembly* assembly = &sim->impact.stage.assembly;
    cond_assembly_begin(assembly, &sim->now, 0.0, NULL);
    cond_assembly_multiply(assembly, sim->next->v, assembly->b,
                           sim->model->settings.solver.threads);
    for (int c = 0; c < sim->touches.n; c++)
        cond_contact_add_force(&sim->assembly.contact[c], -sim->time_step, sim->lambda + 3 * c,
                               assembly->b);
}

CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondImpact* impact = &sim->impact;
    CondContactStage* stage = &impact->stage;
    size_t n_dof = (size_t)sim->model->n_dof;
    if (!is_needed(sim, state))
        return COND_OK;
    CondSolverSettings settings = cond_contact_stage_settings(sim->model);
    CondStatus status =
        cond_contact_stage_prepare(sim->model, COND_ASSEMBLY_MASSES, &settings, stage);
    if (!status)
        status = list_closed(sim);
    if (status)
        return status;
    take_forces_back(sim);
    status = cond_assembly_finish(&stage->assembly, &sim->now, &stage->touches, INFINITY);
    if (status)
        return status;
    for (int k = 0; k < stage->touches.n; k++) {
        double speed = approach(sim, impact->contact_of[k], state->v);
        stage->assembly.contact[k].phi[0] = -fmax(stage->touches.touch[k].restitution * speed, 0.0);
    }
    memcpy(stage->v, sim->next->v, n_dof * sizeof(double));
    status = cond_contact_stage_solve(stage, &stage->assembly.problem, info);
    if (status < 0)
        return status;
    memcpy(sim->next->v, stage->v, n_dof * sizeof(double));
    memset(sim->impulse, 0, 3 * (size_t)sim->touches.n * sizeof *sim->impulse);
    for (int k = 0; k < stage->touches.n; k++)
        memcpy(sim->impulse + 3 * impact->contact_of[k], stage->lambda + 3 * k,
               3 * sizeof *sim->impulse);
    return status;
}
