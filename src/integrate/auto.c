// step.integrator auto: each group of coupled bodies is stepped by what its motion needs.
//
// A group without contacts, with contacts that last (integrate/persistent.h), or whose bodies
// bounce (integrate/flight.h), takes the midpoint rule (theta = 1/2), by Newton's method where the
// linear step leaves a residual; a group with others implicit Euler in v_{k+1} (theta = 1), which
// stops what touches. The energy of either is measured against the work done on it
// (integrate/balance.h). Where Newton's method or the balance fail the middle of the step is too
// far away: the group takes implicit Euler by Newton's method, as a group with contacts does that
// would gain energy; with contacts that last, the linear one first.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "device/sum.h"
#include "integrate/balance.h"
#include "integrate/flight.h"
#include "integrate/persistent.h"
#include "integrate/tangent.h"
#include "integrate/tuning.h"
#include "law/tuning.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "model/rod.h"
#include "potential/potential.h"
#include "sim/sim.h"
#include "sim/tuning.h"
#include "sleep/sleep.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cond_sim_guess_theta(CondSim* sim, const CondState* state)
{
    if (sim->model->settings.integrator != COND_INTEGRATOR_AUTO)
        cond_sim_set_theta(sim, cond_sim_theta(sim));
    else // a state that is taken up again makes the same steps
        cond_sim_set_theta(sim, cond_sleep_touches(sim, state) ? 1.0 : 0.5);
}

static int set_theta(CondSim* sim, int body, double theta)
{
    int changed = sim->theta[body] != theta;
    sim->theta[body] = theta;
    sim->length[body] = theta * sim->attempt.time_step;
    return changed;
}

CondStatus cond_sim_choose(CondSim* sim, const CondState* state, int again, int* changed)
{
    CondGroups* groups = sim->groups;
    *changed = 0;
    if (sim->model->settings.integrator != COND_INTEGRATOR_AUTO)
        return COND_OK;
    cond_groups_make(sim);
    if (!again && cond_flight_drop(sim, state))
        cond_groups_make(sim);
    cond_flight_find(sim, state);
    sim->attempt.moved &= again;
    double fall = vec3_norm(sim->model->settings.gravity) * sim->attempt.time_step;
    for (int g = 0; g < groups->n; g++) {
        groups->euler[g] = groups->touched[g];
        groups->fall[g] = groups->newton[g] = 0;
    }
    for (int b = 0; b < sim->model->n_body; b++)
        groups->fall[groups->of[b]] +=
            0.5 * fall * fall * cond_newton_mass(&sim->model->body[b], &sim->at_start);
    if (again)
        cond_persistent_agree(sim);
    else
        cond_persistent_choose(sim, state);
    for (int r = 0; r < sim->rows.n; r++)
        if (cond_joint_row_strikes(&sim->rows.row[r]))
            groups->persistent[sim->rows.row[r].body] = groups->able[sim->rows.row[r].body] = 0;
    if (sim->rows.n > 0)
        cond_persistent_agree(sim);
    for (int b = 0; b < sim->model->n_body; b++) {
        int* lands = &groups->lands[groups->of[b]];
        groups->persistent[b] &= *lands != COND_LANDS;
        *lands = *lands && !groups->persistent[b];
    }
    cond_persistent_drop(sim);
    for (int b = 0; b < sim->model->n_body; b++)
        if (groups->persistent[b] || groups->lands[groups->of[b]])
            groups->euler[groups->of[b]] = 0;
    for (int b = 0; b < sim->model->n_body; b++)
        *changed |= set_theta(sim, b, groups->euler[groups->of[b]] ? 1.0 : 0.5);
    return COND_OK;
}

// Adds to the groups' loads what loads on soft bodies give by themselves: at rest they are balanced
// by elastic forces, and nothing of either is left in b.
static void add_soft_loads(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    double* f = sim->work;
    for (int i = 0; i < model->n_force; i++) {
        const CondForce* force = &model->force[i];
        const CondBody* body = &model->body[force->point.body];
        double share = cond_force_share(force, state->time, sim->attempt.time_step);
        if (body->kind != COND_BODY_SOFT || share == 0.0)
            continue;
        memset(f + body->dof_begin, 0, (size_t)body->n_dof * sizeof *f);
        cond_load_add(&sim->at_end, force, share, f);
        for (int k = body->dof_begin; k < body->dof_begin + body->n_dof; k++)
            sim->groups->load[sim->groups->of[body->index]] +=
                f[k] * f[k] / sim->newton.diagonal[k];
    }
}

// The same for rings, which are bent against themselves: the force of the joint that closes them.
static void add_closures(CondSim* sim)
{
    const CondModel* model = sim->model;
    for (int b = 0; b < model->n_body && model->n_kind[COND_BODY_ROD] > 0; b++) {
        const CondBody* body = &model->body[b];
        double e[6], J[72], k[6];
        if (body->kind != COND_BODY_ROD || !body->rod->closed)
            continue;
        int last = body->rod->n_link - 1;
        cond_rod_strain_jacobian(body->rod, sim->at_end.q + body->q_begin, last, e, J);
        cond_rod_gains(body->rod, last, k);
        for (int i = 0; i < 12; i++) {
            double force = 0.0;
            int at = body->dof_begin + (i < 6 ? 6 * last + i : i - 6);
            for (int r = 0; r < 6; r++)
                force += J[12 * r + i] * k[r] * e[r];
            sim->groups->load[sim->groups->of[b]] += force * force / sim->newton.diagonal[at];
        }
    }
}

// Notes how fast contacts move by the linear step as they were posed for it, in newton.lambda,
// which is free until an iterate is kept.
static void note_slips(CondSim* sim)
{
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        cond_contact_velocity(&sim->attempt.assembly.contact[c], sim->attempt.v_hat,
                              sim->newton.lambda + 3 * (ptrdiff_t)c);
    sim->newton.shifted = 1;
}

// Where they are in the middle of the step they move otherwise: to take du away changes the
// residual by m du/h, of the lighter one of their bodies.
static void add_slips(CondSim* sim)
{
    CondGroups* groups = sim->groups;
    for (int c = 0; c < sim->attempt.candidates.n && sim->newton.shifted; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        const double* before = sim->newton.lambda + 3 * (ptrdiff_t)c;
        double mass = INFINITY, square = 0.0, u[3];
        if (!cond_persistent_is_moved(sim, c))
            continue;
        cond_contact_velocity(&sim->attempt.assembly.contact[c], sim->attempt.v_hat, u);
        for (int i = 0; i < 3; i++)
            square += (u[i] - before[i]) * (u[i] - before[i]);
        for (int s = 0; s < 2; s++)
            if (candidate->point[s].body >= 0)
                mass = fmin(mass, groups->mass[candidate->point[s].body]);
        for (int s = 0; s < 2; s++) {
            int g = cond_group_of_side(groups, candidate, s);
            if (g >= 0 && !groups->euler[g])
                groups->residual[g] += 2.0 * mass * square / sim->attempt.time_step;
        }
    }
    sim->newton.shifted = 0;
}

// Those of a body, squared, and what rounding leaves of the former.
static void size_up_body(const void* loop, int b)
{
    const CondSim* sim = loop;
    const CondBody* body = &sim->model->body[b];
    const CondNewton* newton = &sim->newton;
    int at = body->dof_begin, threads = sim->model->settings.solver.threads;
    const double *d = newton->diagonal + at, *r = newton->work + at,
                 *load = sim->attempt.assembly.b + at;
    double* square = sim->balance->of_body + 3 * (ptrdiff_t)b;
    square[0] = square[1] = 0.0;
    square[2] = cond_sim_rounding_of(sim, b);
    if (body->n_dof > COND_SUM_BLOCK && !cond_held_some(sim, b)) {
        square[0] = sim->linear[b] ? 0.0 : cond_dot_over(body->n_dof, d, r, r, threads);
        square[1] = cond_dot_over(body->n_dof, d, load, load, threads);
        return;
    }
    for (int i = 0; i < body->n_dof; i++) {
        int held = sim->held.flag[at + i]; // what holds it: it asks for no other
        square[0] += sim->linear[b] || held ? 0.0 : r[i] * r[i] / d[i];
        square[1] += held ? r[i] * r[i] / d[i] : load[i] * load[i] / d[i];
    }
}

// Residual and load of the groups at the iterate, and what rounding leaves; all squared.
static void size_up(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondGroups* groups = sim->groups;
    cond_newton_right_hand_side(sim);
    for (int g = 0; g < groups->n; g++)
        groups->residual[g] = groups->load[g] = groups->rounding[g] = 0.0;
    cond_each_body(model, COND_COORDINATE_WORK, size_up_body, sim);
    for (int b = 0; b < model->n_body; b++) {
        const double* square = sim->balance->of_body + 3 * (ptrdiff_t)b;
        groups->residual[groups->of[b]] += square[0];
        groups->load[groups->of[b]] += square[1];
        groups->rounding[groups->of[b]] += square[2];
    }
    add_slips(sim);
    add_soft_loads(sim, state);
    add_closures(sim);
}

// 1 for a group with contacts in the middle of the step.
static int lasts(const CondGroups* groups, int g)
{
    return groups->touched[g] && !groups->euler[g];
}

// How much larger than what is taken for solved the residual of a group may be: of a pile, whose
// solver makes drafts as well, while the step is looked at roughly.
static double draft_share(const CondSim* sim, int g)
{
    const CondGroups* groups = sim->groups;
    int rough = sim->attempt.budget.coarse_tolerance > 0.0 && lasts(groups, g) &&
                6 * cond_components_size(&groups->bodies, g) > COND_TINY_PROBLEM;
    return rough ? fmax(COND_COARSE_TOLERANCE / sim->model->settings.solver.tolerance, 1.0) : 1.0;
}

// What is left of the groups, relative to what is taken for solved; marks those above it, and in
// balance.of_body those that may stay above it for now.
static void judge_groups(const void* loop, int first, int last)
{
    const CondSim* sim = loop;
    const CondSolverSettings* solver = &sim->model->settings.solver;
    CondGroups* groups = sim->groups;
    double tolerance = solver->stop == COND_STOP_CERTIFICATE
                           ? fmax(COND_ROUNDING, solver->tolerance)
                           : COND_NEWTON_WITHOUT_CERTIFICATE;
    for (int g = first; g < last; g++) {
        groups->residual[g] = sqrt(groups->residual[g]);
        groups->load[g] = sqrt(groups->load[g]);
        groups->rounding[g] = sqrt(groups->rounding[g]);
        double load =
            hypot(groups->load[g], sqrt((groups->fall[g] + COND_NANOMETRE * COND_NANOMETRE) /
                                        sim->attempt.time_step));
        // Contacts that last do so for many steps, in which small errors grow into one.
        double enough = tolerance * 10.0 * load / (lasts(groups, g) ? COND_LEEWAY : 1.0);
        double share = groups->residual[g] / fmax(enough, groups->rounding[g]);
        groups->fails[g] = !(share <= 1.0 || groups->residual[g] <= COND_COARSE_TOLERANCE * load);
        double rough = draft_share(sim, g);
        sim->balance->of_body[g] = share > 1.0 && rough > 1.0;
        groups->share[g] = share / rough;
    }
}

// The largest residual of a group, relative to what is taken for solved.
static double worst_residual(CondSim* sim, const CondState* state)
{
    const CondGroups* groups = sim->groups;
    double worst = 0.0;
    size_up(sim, state);
    cond_parallel(
        groups->n,
        cond_threads(COND_CONTACT_WORK * (size_t)groups->n, sim->model->settings.solver.threads),
        judge_groups, sim);
    sim->attempt.verdict.coarse_iterate = 0;
    for (int g = 0; g < groups->n; g++) {
        sim->attempt.verdict.coarse_iterate |= sim->balance->of_body[g] != 0.0;
        worst = isfinite(groups->share[g]) ? scalar_max(worst, groups->share[g]) : INFINITY;
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
        *worst = worst_residual(sim, state);
        if (*worst <= last || !isfinite(last) || i == COND_STALL)
            return COND_OK;
        cond_newton_halve(sim->model->n_dof, newton->v, sim->attempt.v_hat);
        cond_newton_halve(3 * cond_sim_n_force(sim), newton->lambda, sim->attempt.lambda);
    }
}

// Goes from an iterate to its residual; *more: 1 where the next one is to be solved for. Where not,
// the groups that fail are marked.
static CondStatus look(CondSim* sim, const CondState* state, int* more)
{
    CondNewton* newton = &sim->newton;
    double last = newton->size;
    CondStatus status = descend(sim, state, last, &newton->worst);
    int stalls =
        newton->worst <= COND_LEEWAY && newton->worst > 0.5 * last; // at what the solver leaves
    *more = !(newton->worst <= 1.0 || !isfinite(newton->worst) || (sim->attempt.moved && stalls));
    return status;
}

// The largest residual of the groups that the derivative serves, as worst_residual has it.
static double worst_served(const CondSim* sim)
{
    double worst = 0.0;
    for (int g = 0; g < sim->groups->n; g++)
        if (sim->tangent->served[g])
            worst = fmax(worst, sim->groups->share[g]);
    return worst;
}

// 1 for robots whose iterates with A come nearer as fast, or have not begun: their derivative costs
// more than a few of these.
static int is_quick(const CondSim* sim)
{
    const CondNewton* newton = &sim->newton;
    if (isfinite(newton->size) && !(newton->worst < COND_TANGENT_QUICK * newton->size))
        return 0;
    for (int b = 0; b < sim->model->n_body; b++)
        if (sim->model->body[b].kind == COND_BODY_ROBOT && !sim->linear[b] &&
            sim->tangent->served[sim->groups->of[b]])
            return 1;
    return 0;
}

// Where the derivative is at hand: Newton's iterates with it, while they get nearer by a half at
// least and until the problem posed at the last of them is solved by it.
static CondStatus approach(CondSim* sim, const CondState* state, CondSolveInfo* info, int* more)
{
    CondNewton* newton = &sim->newton;
    CondStatus status = COND_OK;
    int serves = *more && cond_tangent_serves(sim, &status);
    int quick = 0;
    double worst = serves ? worst_served(sim) : 0.0;
    serves = serves && !is_quick(sim);
    while (serves && !status && worst > COND_INNER_REDUCTION &&
           newton->count < COND_NEWTON_STEPS - 1) {
        double last = newton->worst, before = worst;
        CondStatus factored = quick ? COND_OK : cond_tangent_factor(sim, state);
        if (factored)
            return factored == COND_OUT_OF_MEMORY ? factored : COND_OK;
        cond_newton_keep(sim);
        cond_tangent_solve(sim, newton->work); // which is r
        for (int i = 0; i < sim->model->n_dof; i++)
            sim->attempt.v_hat[i] -= newton->work[i];
        info->passes++;
        newton->iterations++;
        newton->followed++;
        newton->count++;
        status = descend(sim, state, last, &newton->worst);
        newton->size = last;
        worst = worst_served(sim);
        quick = worst < COND_TANGENT_QUICK * before; // the same derivative is as good
        serves = worst < 0.5 * before;
    }
    *more = *more && isfinite(newton->worst);
    return status;
}

// After a solve at an iterate. An answer that is no number is not taken; one that misses its
// tolerance ends Newton's method, for the next problem would be built on no answer; and where the
// residual falls as it fell there is nothing left to look at.
static CondStatus take_answer(CondSim* sim, const CondState* state, CondStatus solved, int* more)
{
    CondNewton* newton = &sim->newton;
    double worst = newton->worst, last = newton->size;
    *more = 0;
    if (solved == COND_DIVERGED) {
        memcpy(sim->attempt.v_hat, newton->v, (size_t)sim->model->n_dof * sizeof(double));
        memcpy(sim->attempt.lambda, newton->lambda,
               3 * (size_t)cond_sim_n_force(sim) * sizeof(double));
        return COND_OK;
    }
    if (solved < 0)
        return solved;
    newton->iterations++;
    if (solved == COND_NOT_CONVERGED)
        return descend(sim, state, last, &newton->worst);
    if (isfinite(last) && worst * (worst / last) < COND_INNER_REDUCTION) {
        memset(sim->groups->fails, 0, (size_t)sim->groups->n * sizeof *sim->groups->fails);
        return COND_OK;
    }
    newton->size = worst;
    if (++newton->count == COND_NEWTON_STEPS)
        return descend(sim, state, worst, &newton->worst);
    return look(sim, state, more);
}

// The balance of energy; returns how many groups cannot stay as they are.
static CondStatus judge(CondSim* sim, const CondState* state, const CondSolveInfo* info,
                        int* n_fail)
{
    CondGroups* groups = sim->groups;
    CondStatus status = cond_balance_measure(sim, state);
    for (int b = 0; b < sim->model->n_body && info->status == COND_NOT_CONVERGED; b++)
        groups->fails[groups->of[b]] |= groups->persistent[b]; // implicit Euler is easier to solve
    *n_fail = 0;
    for (int g = 0; g < groups->n && !status; g++) {
        double scale = fmax(groups->kinetic[g], groups->before[g]);
        double excess = groups->euler[g] ? groups->excess[g] : fabs(groups->excess[g]);
        // Where all but rests, what forces would give to it in a step is the measure.
        double load = groups->load[g] * groups->load[g] * sim->attempt.time_step + groups->fall[g];
        double noise =
            COND_AUTO_NOISE * load + groups->inexact[g] + COND_NANOMETRE * COND_NANOMETRE;
        // Of what bounces the impact stage settles the energy: forces that turn it about are not
        // those that its gyroscopic torque knows.
        groups->fails[g] |= !groups->lands[g] && !(excess <= COND_AUTO_EXCESS * scale + noise);
        *n_fail += groups->fails[g];
    }
    return status;
}

// The last resort: groups that end with more potential energy than they have in all are held back
// on their way. At the latest where they started they have enough.
static CondStatus hold_back(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = sim->groups;
    for (int i = 0; i < DBL_MANT_DIG; i++) {
        int any = 0;
        for (int b = 0; b < model->n_body; b++) {
            int g = groups->of[b];
            if (groups->excess[g] <= groups->kinetic[g])
                continue;
            any = 1;
            for (int k = 0; k < model->body[b].n_dof; k++)
                sim->attempt.v_hat[model->body[b].dof_begin + k] *= 0.5;
        }
        if (!any)
            return COND_OK;
        cond_held_put_rate(sim, sim->attempt.v_hat);
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
    const CondGroups* groups = sim->groups;
    CondBodyKind kind = sim->model->body[body].kind;
    int g = groups->of[body];
    return (kind == COND_BODY_RIGID || kind == COND_BODY_PARTICLE) && !groups->anchored[g] &&
           (groups->lands[g] ||
            (cond_components_size(&groups->bodies, g) == 1 && !groups->touched[g]));
}

// Groups that fail take what bears more: those whose contacts last implicit Euler, all others that
// by Newton's method. Returns 0 where none has anything left to take.
static int retreat(CondSim* sim)
{
    CondGroups* groups = sim->groups;
    int any = 0;
    for (int b = 0; b < sim->model->n_body; b++) {
        int g = groups->of[b];
        if (!groups->fails[g] || groups->newton[g] == 1)
            continue;
        any = 1;
        groups->euler[g] = 1;
        set_theta(sim, b, 1.0);
        if (!groups->persistent[b] && !groups->lands[g])
            groups->newton[g] = 2; // from the next attempt on, for all of its bodies
        groups->persistent[b] = 0;
    }
    for (int g = 0; g < groups->n; g++) {
        groups->newton[g] = groups->newton[g] > 0;
        groups->lands[g] &= !groups->fails[g];
    }
    cond_persistent_drop(sim);
    return any;
}

// 1 where a group without contacts cannot stay at the midpoint rule, and the step may be made in
// parts: the middle of these is nearer, and nothing is lost as by implicit Euler.
static int asks_for_parts(const CondSim* sim)
{
    const CondGroups* groups = sim->groups;
    for (int g = 0; g < groups->n && !sim->attempt.budget.last_resort; g++)
        if (groups->fails[g] && !groups->touched[g] && !groups->euler[g])
            return 1;
    return 0;
}

static void set_linear(CondSim* sim)
{
    const CondGroups* groups = sim->groups;
    for (int b = 0; b < sim->model->n_body; b++) {
        int g = groups->of[b];
        sim->linear[b] = (groups->euler[g] && !groups->newton[g]) || is_free(sim, b);
    }
}

// After a linear step: the first, or one that groups have retreated to.
static CondStatus begin(CondSim* sim, const CondState* state)
{
    CondNewton* newton = &sim->newton;
    CondStatus status = COND_OK;
    newton->count = newton->followed = newton->shifted = 0;
    newton->size = INFINITY;
    set_linear(sim);
    status = COND_RESERVE(&sim->arena, newton->lambda, 3 * cond_sim_n_force(sim));
    if (sim->attempt.retreats == 0)
        newton->iterations = 1;
    if (!status && cond_persistent_any(sim) && !sim->attempt.moved) {
        note_slips(sim);
        status = cond_persistent_move(sim, state);
    }
    return status;
}

int cond_auto_iterates(CondSim* sim)
{
    set_linear(sim);
    for (int b = 0; b < sim->model->n_body; b++)
        if (!sim->linear[b])
            return 1;
    return 0;
}

CondStatus cond_auto_resume(CondSim* sim, const CondState* state)
{
    CondNewton* newton = &sim->newton;
    newton->count = newton->followed = 0;
    newton->size = newton->worst = INFINITY;
    if (COND_RESERVE(&sim->arena, newton->lambda, 3 * cond_sim_n_force(sim)))
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_newton_evaluate(sim, state);
    if (status)
        return status;
    cond_newton_right_hand_side(sim);
    cond_newton_keep(sim);
    return COND_OK;
}

// The step as it is stands, or is tried with what bears more.
static CondStatus conclude(CondSim* sim, const CondState* state, CondSolveInfo* info,
                           CondNext* next)
{
    int n_fail = 0;
    if (sim->attempt.retreats == 0 && !sim->attempt.late && info->status == COND_OK &&
        cond_persistent_reconsider(sim, state)) {
        for (int b = 0; b < sim->model->n_body; b++)
            set_theta(sim, b, sim->groups->euler[sim->groups->of[b]] ? 1.0 : 0.5);
        *next = COND_NEXT_FORCES;
        return COND_OK;
    }
    CondStatus status = judge(sim, state, info, &n_fail);
    if (status || n_fail == 0)
        return status ? status : info->status;
    if (sim->attempt.retreats == 0 && asks_for_parts(sim))
        return info->status = COND_NOT_CONVERGED;
    if (retreat(sim)) {
        *next = COND_NEXT_FORCES;
        return COND_OK;
    }
    info->status = COND_NOT_CONVERGED;
    status = hold_back(sim, state);
    return status ? status : info->status;
}

static CondStatus go_on(CondSim* sim, const CondState* state, CondStatus solved,
                        CondSolveInfo* info, CondNext* next)
{
    CondNewton* newton = &sim->newton;
    CondStatus status = COND_OK;
    int more = 0;
    if (sim->attempt.at_iterate) {
        status = take_answer(sim, state, solved, &more);
    } else {
        status = solved < 0 ? solved : begin(sim, state);
        if (!status)
            status = look(sim, state, &more);
    }
    if (!status)
        status = approach(sim, state, info, &more);
    if (status)
        return status;
    if (!more) {
        if (newton->followed > 0 && info->solved_by == COND_BY_START)
            info->solved_by = COND_BY_FACTORED_NEWTON; // which made that start
        return conclude(sim, state, info, next);
    }
    cond_newton_keep(sim);
    sim->attempt.at_iterate = 1;
    *next = COND_NEXT_SOLVE;
    return COND_OK;
}

CondStatus cond_auto_next(CondSim* sim, const CondState* state, CondStatus solved,
                          CondSolveInfo* info, CondNext* next)
{
    CondStatus status = go_on(sim, state, solved, info, next);
    if (*next == COND_NEXT_DONE)
        sim->at_end.begin = NULL; // no middle any more
    return status;
}
