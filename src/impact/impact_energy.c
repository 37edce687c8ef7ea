// The energy that bodies arrive with. A step that lands ends where it has led, on the floor, while
// its velocity is known where it began. Bodies that nothing but forces has moved would be at the
// end of the step, q_{k+1} = update(q_k, v_hat, t), with the energy of motion
//     T = T(v_k) + (t F).v_hat
// where F are the forces of the step without those at what strikes; for weight that is
// T + V = const to the last bit. The velocity v_k + t M^-1 F has another energy: it belongs to a
// way that nothing has cut short. So what strikes gives the difference,
//     v- = v_k + t M^-1 F + x d,      d = M^-1 J' (t lambda_n),      T(v-) = T,
// with lambda the forces that stopped the bodies in the step: its normal speeds at the contacts
// change, of a ball from |v_k| + g t to sqrt(v_k^2 + 2 g gap), and nothing else. From v- on the law
// of impacts holds, and e = 1 without friction keeps the energy of the step before.
//
// The correction of penetration lifts bodies after that. The same impulses pay for it.
#include "body/body.h"
#include "body/gyroscopic.h"
#include "impact/impact.h"
#include "integrate/tuning.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

int cond_impact_is_exact(const CondSim* sim, int body)
{
    return sim->impact->n_exact > 0 && sim->impact->role[body] == COND_IMPACT_EXACT;
}

static double product(const CondBody* body, const double* x, const double* y)
{
    double sum = 0.0;
    for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
        sum += x[i] * y[i];
    return sum;
}

static CondImpactIsland* island_of(const CondImpact* impact, int body)
{
    return &impact->island[impact->islands.of[body]];
}

// momentum = M v
static void multiply(CondSim* sim, const double* v)
{
    cond_assembly_multiply(&sim->impact->stage.assembly, v, sim->impact->momentum,
                           sim->model->settings.solver.threads);
}

static void clear(CondSim* sim)
{
    for (int i = 0; i < sim->impact->islands.n; i++) {
        CondImpactIsland* sum = &sim->impact->island[i];
        sum->energy = sum->slope = sum->curve = sum->all = 0.0;
    }
}

// push = d of the exact islands, by the normal part of forces or impulses at the contacts of the
// stage, or by index at others.
static void set_push(CondSim* sim, const double* force, const int* index)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    double* f = sim->work;
    memset(f, 0, (size_t)model->n_dof * sizeof *f);
    for (int k = 0; k < impact->stage.candidates.n; k++) {
        double normal[3] = {force[3 * (ptrdiff_t)(index ? index[k] : k)], 0.0, 0.0};
        if (impact->strikes[k] && cond_impact_is_exact(sim, cond_impact_body(sim, k)))
            cond_contact_add_force(&impact->stage.assembly.contact[k], 1.0, normal, f);
    }
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (cond_impact_is_exact(sim, b))
            cond_body_ops(body->kind)
                ->accelerate(body, &sim->at_start, f + body->dof_begin,
                             impact->push + body->dof_begin);
    }
}

// slope = v.f, curve = d.f with f = M d.
static void add_slopes(CondSim* sim, const double* v)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    for (int b = 0; b < model->n_body; b++) {
        if (!cond_impact_is_exact(sim, b))
            continue;
        island_of(impact, b)->slope += product(&model->body[b], v, sim->work);
        island_of(impact, b)->curve += product(&model->body[b], impact->push, sim->work);
    }
}

// x of an island with energy + slope x + curve x^2/2 = 0: the root next to zero. Where there is
// none, of bodies that turn so fast that they are lifted by what hardly touches them, all of their
// motion pays what is left, and is multiplied by *share.
static double find_way(const CondImpactIsland* sum, double* share)
{
    double root = sum->slope * sum->slope - 2.0 * sum->curve * sum->energy;
    *share = 1.0;
    if (!(sum->curve > 0.0))
        return 0.0;
    if (root > 0.0)
        return -2.0 * sum->energy / (sum->slope + copysign(sqrt(root), sum->slope));
    double won = 0.5 * sum->slope * sum->slope / sum->curve;
    *share = sqrt(fmax(0.0, 1.0 - (sum->energy - won) / (sum->all - won)));
    return -sum->slope / sum->curve;
}

// v += x d, and the impulses that this takes: x times these forces. Needs the sums.
static void go(CondSim* sim, const double* force, const int* index, double* v)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    double share;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (!cond_impact_is_exact(sim, b))
            continue;
        double x = find_way(island_of(impact, b), &share);
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
            v[i] = share * (v[i] + x * impact->push[i]);
    }
    for (int k = 0; k < impact->stage.candidates.n; k++) {
        int b = cond_impact_body(sim, k);
        if (impact->strikes[k] && cond_impact_is_exact(sim, b))
            impact->impulse[3 * (ptrdiff_t)k] += find_way(island_of(impact, b), &share) *
                                                 force[3 * (ptrdiff_t)(index ? index[k] : k)];
    }
}

// 1 where the gyroscopic torque of a body is that of the free motion, which keeps the energy; by
// other rules it does no work on v_hat.
static int turns_freely(const CondSim* sim, int b)
{
    CondIntegrator integrator = sim->model->settings.integrator;
    return sim->model->body[b].kind == COND_BODY_RIGID &&
           (integrator == COND_INTEGRATOR_AUTO
                ? sim->linear[b]
                : integrator == COND_INTEGRATOR_THETA || integrator == COND_INTEGRATOR_EULER);
}

// Work of the torque that bends the turning of a free body: it has none in truth.
static double gyroscopic_work(const CondSim* sim, const CondState* state, int b)
{
    const CondBody* body = &sim->model->body[b];
    double torque[3], work = 0.0;
    if (!turns_freely(sim, b))
        return 0.0;
    cond_gyroscopic_torque(body->inertia, state->v + body->dof_begin + 3, sim->attempt.time_step,
                           torque);
    for (int i = 0; i < 3; i++)
        work -= sim->attempt.time_step * torque[i] * sim->attempt.v_hat[body->dof_begin + 3 + i];
    return work;
}

// energy = T(after) - T(v_k) - (t F).v_hat, with t F = M (before - v_k) and the forces that lasting
// contacts have borne in the step.
static void measure(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    const double* const v[3] = {state->v, impact->before, impact->after};
    for (int k = 0; k < 3; k++) {
        multiply(sim, v[k]);
        for (int b = 0; b < model->n_body; b++) {
            const CondBody* body = &model->body[b];
            CondImpactIsland* sum = island_of(impact, b);
            if (!cond_impact_is_exact(sim, b))
                continue;
            double motion = 0.5 * product(body, v[k], impact->momentum);
            double work = product(body, impact->momentum, sim->attempt.v_hat);
            sum->all += k == 2 ? motion : 0.0;
            sum->energy += k == 0 ? work - motion : k == 1 ? -work : motion;
        }
    }
    for (int b = 0; b < model->n_body; b++)
        if (cond_impact_is_exact(sim, b))
            island_of(impact, b)->energy += gyroscopic_work(sim, state, b);
    for (int k = 0; k < impact->stage.candidates.n; k++) {
        int c = impact->contact_of[k], b = cond_impact_body(sim, k);
        const CondContact* contact = &sim->attempt.assembly.contact[c];
        double u[3], power = 0.0;
        if (impact->strikes[k] || !cond_impact_is_exact(sim, b))
            continue;
        cond_contact_velocity(contact, sim->attempt.v_hat, u);
        for (int i = 0; i < 3; i++)
            power += (u[i] - contact->phi[i]) * sim->attempt.lambda[3 * c + i];
        island_of(impact, b)->energy -= sim->attempt.time_step * power;
    }
}

void cond_impact_arrive(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    if (impact->n_exact == 0)
        return;
    clear(sim);
    measure(sim, state);
    set_push(sim, sim->attempt.lambda, impact->contact_of);
    add_slopes(sim, impact->after);
    go(sim, sim->attempt.lambda, impact->contact_of, impact->after);
    for (int b = 0; b < model->n_body; b++)
        impact->potential[b] =
            cond_body_ops(model->body[b].kind)
                ->potential(&model->body[b], &sim->at_end, model->settings.gravity);
}

void cond_impact_settle(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondImpact* impact = sim->impact;
    double* v = sim->next->v;
    int any = 0;
    if (impact->n_exact == 0)
        return;
    clear(sim);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double lift =
            cond_body_ops(body->kind)->potential(body, &sim->at_end, model->settings.gravity) -
            impact->potential[b];
        island_of(impact, b)->energy += cond_impact_is_exact(sim, b) ? lift : 0.0;
        any |= cond_impact_is_exact(sim, b) && lift != 0.0;
    }
    if (!any)
        return;
    multiply(sim, v);
    for (int b = 0; b < model->n_body; b++)
        if (cond_impact_is_exact(sim, b))
            island_of(impact, b)->all += 0.5 * product(&model->body[b], v, impact->momentum);
    for (int i = 0; i < impact->islands.n; i++)
        impact->island[i].energy =
            fmin(impact->island[i].energy, COND_BALANCE_RESTORED * impact->island[i].all);
    set_push(sim, impact->impulse, NULL);
    add_slopes(sim, v);
    go(sim, impact->impulse, NULL, v);
    for (int k = 0; k < impact->stage.candidates.n; k++)
        if (cond_impact_is_exact(sim, cond_impact_body(sim, k)))
            sim->attempt.impulse[3 * (ptrdiff_t)impact->contact_of[k]] =
                impact->impulse[3 * (ptrdiff_t)k];
}
