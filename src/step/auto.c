// step.integrator auto: each group of coupled bodies is stepped by what its motion needs.
//
// A group without contacts, or with contacts that last (step/persistent.h), takes the midpoint rule
// (theta = 1/2), by Newton's method where the linear step leaves a residual; a group with others
// implicit Euler in v_{k+1} (theta = 1), which stops what touches. The energy of either is measured
// against the work done on it (step/balance.h). Where Newton's method or the balance fail the
// middle of the step is too far away: the group takes implicit Euler by Newton's method, as a group
// with contacts does that would gain energy; with contacts that last, the linear one first.
#include "base/memory.h"
#include "body/body.h"
#include "math/vec3.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 12, // of Newton's method
    HALVINGS = 3,    // of one of them
    RETREATS = 40    // halvings of a step that is held back
};
static const double TRUSTED = 0.01;  // excess that may be taken out, as a share of the motion
static const double FAIR = 1e-4;     // residual, as a share of the load, that is no failure yet
static const double STRICT = 10.0;   // times as small a residual for contacts that last
static const double NOTHING = 1e-21; // an energy that no body of mechanics notices [J]

void cond_sim_guess_theta(CondSim* sim, const CondState* state)
{
    if (sim->model->settings.integrator != COND_INTEGRATOR_AUTO)
        cond_sim_set_theta(sim, cond_sim_theta(sim));
    else // a state that is taken up again makes the same steps
        cond_sim_set_theta(sim, state->n_memory > 0 ? 1.0 : 0.5);
}

static int set_theta(CondSim* sim, int body, double theta)
{
    int changed = sim->theta[body] != theta;
    sim->theta[body] = theta;
    sim->length[body] = theta * sim->time_step;
    return changed;
}

// again: 1 where contacts have joined a step that was solved; which of the others last stands.
static CondStatus choose(CondSim* sim, const CondState* state, int again)
{
    CondGroups* groups = &sim->groups;
    int changed = 0;
    if (sim->model->settings.integrator != COND_INTEGRATOR_AUTO)
        return COND_OK;
    cond_groups_make(sim);
    sim->moved &= again;
    double fall = vec3_norm(sim->model->settings.gravity) * sim->time_step;
    for (int g = 0; g < groups->n; g++) {
        groups->euler[g] = groups->touched[g];
        groups->fall[g] = groups->newton[g] = 0;
    }
    for (int b = 0; b < sim->model->n_body; b++)
        groups->fall[groups->of[b]] +=
            0.5 * fall * fall * cond_newton_mass(&sim->model->body[b], &sim->now);
    if (again)
        cond_persistent_agree(sim);
    else
        cond_persistent_choose(sim, state);
    cond_persistent_drop(sim);
    for (int b = 0; b < sim->model->n_body; b++)
        if (groups->persistent[b])
            groups->euler[groups->of[b]] = 0;
    for (int b = 0; b < sim->model->n_body; b++)
        changed |= set_theta(sim, b, groups->euler[groups->of[b]] ? 1.0 : 0.5);
    if (!changed)
        return COND_OK;
    cond_sim_control_middle(sim, state);
    return cond_sim_load(sim, state);
}

CondStatus cond_sim_choose(CondSim* sim, const CondState* state)
{
    return choose(sim, state, 0);
}

CondStatus cond_sim_choose_again(CondSim* sim, const CondState* state)
{
    CondStatus status = choose(sim, state, 1);
    if (status)
        return status;
    cond_sim_control_middle(sim, state);
    status = cond_sim_load(sim, state); // Newton's method has moved it
    return status ? status : cond_sim_pose(sim, state);
}

// Residual and load of the groups at the iterate.
static void size_up(CondSim* sim)
{
    const CondModel* model = sim->model;
    const CondNewton* newton = &sim->newton;
    CondGroups* groups = &sim->groups;
    cond_newton_right_hand_side(sim);
    for (int g = 0; g < groups->n; g++)
        groups->residual[g] = groups->load[g] = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        int g = groups->of[b];
        for (int i = model->body[b].dof_begin, k = 0; k < model->body[b].n_dof; k++, i++) {
            double d = newton->diagonal[i], r = newton->work[i], load = sim->assembly.b[i];
            groups->residual[g] += sim->linear[b] ? 0.0 : r * r / d;
            groups->load[g] += load * load / d;
        }
    }
    for (int g = 0; g < groups->n; g++) {
        groups->residual[g] = sqrt(groups->residual[g]);
        groups->load[g] = sqrt(groups->load[g]);
    }
}

// 1 for a group with contacts in the middle of the step.
static int lasts(const CondGroups* groups, int g)
{
    return groups->touched[g] && !groups->euler[g];
}

// The largest residual of a group, relative to what is taken for solved; marks those above it.
static double worst_residual(CondSim* sim)
{
    const CondSolverSettings* solver = &sim->model->settings.solver;
    CondGroups* groups = &sim->groups;
    double tolerance =
        solver->stop == COND_STOP_CERTIFICATE ? fmax(1e-12, solver->tolerance) : 1e-7;
    double worst = 0.0;
    size_up(sim);
    for (int g = 0; g < groups->n; g++) {
        double load = hypot(groups->load[g], sqrt((groups->fall[g] + NOTHING) / sim->time_step));
        double enough = tolerance * 10.0 * load;
        // Contacts that last do so for many steps, in which small errors grow into one.
        double share = (lasts(groups, g) ? STRICT : 1.0) * groups->residual[g] / enough;
        groups->fails[g] = !(share <= 1.0 || groups->residual[g] <= FAIR * load);
        worst = isfinite(share) ? fmax(worst, share) : INFINITY;
    }
    return worst;
}

// Evaluates the iterate; while its residual is larger than the last one's, goes back half the way
// to that.
static CondStatus descend(CondSim* sim, const CondState* state, double last, double* worst)
{
    CondNewton* newton = &sim->newton;
    for (int i = 0;; i++) {
        CondStatus status = cond_newton_evaluate(sim, state);
        if (status)
            return status;
        *worst = worst_residual(sim);
        if (*worst <= last || !isfinite(last) || i == HALVINGS)
            return COND_OK;
        cond_newton_halve(sim->model->n_dof, newton->v, sim->v_hat);
        cond_newton_halve(3 * sim->candidates.n, newton->lambda, sim->lambda);
    }
}

// Newton's method for the bodies that are not linear; marks the groups where it fails. An answer
// that is no number is not taken.
static CondStatus iterate(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondGroups* groups = &sim->groups;
    CondNewton* newton = &sim->newton;
    size_t n = (size_t)sim->model->n_dof, n_lambda = 3 * (size_t)sim->candidates.n;
    double last = INFINITY, worst = 0.0;
    if (COND_RESERVE(&sim->arena, newton->lambda, (int)n_lambda))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < ITERATIONS; i++) {
        CondSolveInfo one;
        CondStatus status = descend(sim, state, last, &worst);
        int stalls = worst <= STRICT && worst > 0.5 * last; // at what the solver leaves
        if (status || worst <= 1.0 || !isfinite(worst) || (sim->moved && stalls))
            return status;
        memcpy(newton->v, sim->v_hat, n * sizeof *newton->v);
        memcpy(newton->lambda, sim->lambda, n_lambda * sizeof *newton->lambda);
        status =
            cond_solver_solve(sim->solver, &sim->assembly.problem, sim->v_hat, sim->lambda, &one);
        if (status == COND_DIVERGED) {
            memcpy(sim->v_hat, newton->v, n * sizeof *newton->v);
            memcpy(sim->lambda, newton->lambda, n_lambda * sizeof *newton->lambda);
            return COND_OK;
        }
        if (status < 0)
            return status;
        cond_solve_info_add(info, &one);
        newton->iterations++;
        if (status == COND_NOT_CONVERGED)
            break; // the next problem would be built on no answer
        if (isfinite(last) && worst * (worst / last) < 0.1) { // as it fell, it will again
            memset(groups->fails, 0, (size_t)groups->n * sizeof *groups->fails);
            return COND_OK;
        }
        last = worst;
    }
    return descend(sim, state, last, &worst);
}

// Newton's method and the balance of energy; returns how many groups cannot stay as they are.
static CondStatus attempt(CondSim* sim, const CondState* state, CondSolveInfo* info, int* n_fail)
{
    CondGroups* groups = &sim->groups;
    CondStatus status = iterate(sim, state, info);
    if (!status)
        status = cond_balance_measure(sim, state);
    for (int b = 0; b < sim->model->n_body && info->status == COND_NOT_CONVERGED; b++)
        groups->fails[groups->of[b]] |= groups->persistent[b]; // implicit Euler is easier to solve
    *n_fail = 0;
    for (int g = 0; g < groups->n && !status; g++) {
        double scale = fmax(groups->kinetic[g], groups->before[g]);
        double excess = groups->euler[g] ? groups->excess[g] : fabs(groups->excess[g]);
        // Where all but rests, what forces would give to it in a step is the measure.
        double load = groups->load[g] * groups->load[g] * sim->time_step + groups->fall[g];
        double noise = 1e-6 * load + NOTHING;
        groups->fails[g] |= !(excess <= TRUSTED * scale + noise);
        *n_fail += groups->fails[g];
    }
    return status;
}

// The last resort: groups that end with more potential energy than they have in all are held back
// on their way. At the latest where they started they have enough.
static CondStatus hold_back(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = &sim->groups;
    for (int i = 0; i < RETREATS; i++) {
        int any = 0;
        for (int b = 0; b < model->n_body; b++) {
            int g = groups->of[b];
            if (groups->excess[g] <= groups->kinetic[g])
                continue;
            any = 1;
            for (int k = 0; k < model->body[b].n_dof; k++)
                sim->v_hat[model->body[b].dof_begin + k] *= 0.5;
        }
        if (!any)
            return COND_OK;
        CondStatus status = cond_balance_measure(sim, state);
        if (status)
            return status;
    }
    return COND_OK;
}

// 1 for a rigid body or particle on which nothing acts but given forces. Its linear step is the
// midpoint rule already: M is constant, and the gyroscopic term is taken in the middle
// (body/gyroscopic.h), at any spin.
static int is_free(const CondSim* sim, int body)
{
    const CondGroups* groups = &sim->groups;
    CondBodyKind kind = sim->model->body[body].kind;
    int g = groups->of[body];
    return (kind == COND_BODY_RIGID || kind == COND_BODY_PARTICLE) && groups->members[g] == 1 &&
           !groups->anchored[g] && !groups->touched[g];
}

// Groups that fail take what bears more: those whose contacts last implicit Euler, all others that
// by Newton's method. Returns 0 where none has anything left to take.
static int retreat(CondSim* sim)
{
    CondGroups* groups = &sim->groups;
    int any = 0;
    for (int b = 0; b < sim->model->n_body; b++) {
        int g = groups->of[b];
        if (!groups->fails[g] || groups->newton[g] == 1)
            continue;
        any = 1;
        groups->euler[g] = 1;
        set_theta(sim, b, 1.0);
        if (!groups->persistent[b])
            groups->newton[g] = 2; // from the next attempt on, for all of its bodies
        groups->persistent[b] = 0;
    }
    for (int g = 0; g < groups->n; g++)
        groups->newton[g] = groups->newton[g] > 0;
    cond_persistent_drop(sim);
    return any;
}

// 1 where a group without contacts cannot stay at the midpoint rule, and the step may be made in
// parts: the middle of these is nearer, and nothing is lost as by implicit Euler.
static int asks_for_parts(const CondSim* sim)
{
    const CondGroups* groups = &sim->groups;
    for (int g = 0; g < groups->n && sim->divisible; g++)
        if (groups->fails[g] && !groups->touched[g] && !groups->euler[g])
            return 1;
    return 0;
}

static void set_linear(CondSim* sim)
{
    const CondGroups* groups = &sim->groups;
    for (int b = 0; b < sim->model->n_body; b++) {
        int g = groups->of[b];
        sim->linear[b] = (groups->euler[g] && !groups->newton[g]) || is_free(sim, b);
    }
}

static CondStatus step_groups(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    int n_fail = 0;
    sim->newton.iterations = 1; // the linear step
    set_linear(sim);
    CondStatus status =
        cond_persistent_any(sim) && !sim->moved ? cond_persistent_move(sim, state) : COND_OK;
    if (!status)
        status = attempt(sim, state, info, &n_fail);
    if (!status && n_fail > 0 && asks_for_parts(sim))
        return info->status = COND_NOT_CONVERGED;
    while (!status && n_fail > 0 && retreat(sim)) {
        CondSolveInfo again;
        cond_sim_control_middle(sim, state);
        status = cond_sim_load(sim, state);
        if (!status)
            status = cond_sim_pose(sim, state);
        if (!status)
            status = cond_sim_solve_linear(sim, state, &again);
        if (status < 0)
            return status;
        cond_solve_info_add(info, &again);
        set_linear(sim);
        status = attempt(sim, state, info, &n_fail);
    }
    if (status || n_fail == 0)
        return status ? status : info->status;
    info->status = COND_NOT_CONVERGED;
    status = hold_back(sim, state);
    return status ? status : info->status;
}

CondStatus cond_sim_auto(CondSim* sim, const CondState* state, CondSolveInfo* info)
{
    CondStatus status = step_groups(sim, state, info);
    sim->then.begin = NULL; // no middle any more
    return status;
}
