// The equation of the step gives the change of energy up to what the linearisation or the middle of
// the step get wrong. That is measured here, group by group, and taken out of the motion:
//     v <- r + s (v - r),     s^2 = 1 - excess / T(v - r)
// with r the motion of the group as a rigid whole, which carries its momentum and angular momentum,
// or 0 where something outside holds the group.
#include "integrate/balance.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/spectral.h"
#include "device/item.h"
#include "device/sum.h"
#include "integrate/group.h"
#include "integrate/momenta.h"
#include "integrate/spectral.h"
#include "integrate/tangent.h"
#include "integrate/tuning.h"
#include "linear/cholesky.h"
#include "potential/attachment.h"
#include "potential/potential.h"
#include "problem/block.h"
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double INEXACT = 16.0 * DBL_EPSILON; // of a potential energy, by rounding of its terms

// Of the largest robot: momenta of its links, and its matrix.
static size_t scratch_of_links(const CondModel* model, size_t* matrix)
{
    size_t most = 0;
    *matrix = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondArticulation* arm =
            model->body[b].kind == COND_BODY_ROBOT ? model->body[b].arm : NULL;
        size_t n = arm ? COND_MOMENTA_SCRATCH * (size_t)arm->n_link + (size_t)arm->n_dof : 0;
        most = n > most ? n : most;
        n = arm ? (size_t)arm->n_dof * (size_t)arm->n_dof : 0;
        *matrix = n > *matrix ? n : *matrix;
    }
    return most;
}

CondStatus cond_balance_create(CondSim* sim)
{
    const CondModel* model = sim->model;
    const CondContext* m = &sim->arena.context;
    CondBalance* balance = sim->balance;
    size_t n = (size_t)model->n_dof, matrix = 0;
    balance->q = cond_arena_allocate(&sim->arena, (size_t)model->n_q, sizeof(double));
    balance->v = cond_arena_allocate(&sim->arena, n, sizeof(double));
    balance->p = cond_arena_allocate(&sim->arena, n, sizeof(double));
    balance->middle = cond_arena_allocate(&sim->arena, (size_t)model->n_q, sizeof(double));
    balance->damped = cond_arena_allocate(&sim->arena, (size_t)model->n_body, sizeof(double));
    balance->extra = cond_arena_allocate(&sim->arena, (size_t)model->n_body, sizeof(double));
    balance->of_body = cond_arena_allocate(&sim->arena, 3 * (size_t)model->n_body, sizeof(double));
    balance->spans =
        cond_arena_allocate(&sim->arena, (size_t)model->n_body, sizeof *balance->spans);
    balance->rigid = cond_arena_allocate(&sim->arena, 6 * n, sizeof(double));
    balance->links =
        cond_arena_allocate(&sim->arena, scratch_of_links(model, &matrix), sizeof(double));
    balance->robot = cond_arena_allocate(&sim->arena, matrix, sizeof(double));
    if (!balance->q || !balance->v || !balance->p || !balance->extra || !balance->of_body ||
        !balance->spans || !balance->rigid || !balance->links || !balance->robot ||
        !balance->middle || !balance->damped)
        return COND_OUT_OF_MEMORY;
    cond_tangent_begin(m, sim->tangent);
    CondStatus status = cond_groups_create(m, model->n_body, sim->groups);
    return status ? status : cond_kinematics_create(model, &balance->end);
}

void cond_balance_destroy(CondSim* sim)
{
    CondBalance* balance = sim->balance;
    if (balance->end.model)
        cond_kinematics_destroy(&balance->end);
    cond_groups_destroy(sim->groups);
    cond_tangent_end(sim->tangent);
}

// x.y over the coordinates of a body
static double product_of_body(const CondModel* model, int b, const double* x, const double* y)
{
    const CondBody* body = &model->body[b];
    double sum = 0.0;
    if (body->n_dof >= COND_SUM_LANES) // fewer are added up as they come there too
        return cond_dot(body->n_dof, x + body->dof_begin, y + body->dof_begin,
                        model->settings.solver.threads);
    for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
        sum += x[i] * y[i];
    return sum;
}

// sum[g] += scale x.y over the bodies of each group
static void add_products(const CondSim* sim, double scale, const double* x, const double* y,
                         double* sum)
{
    const CondModel* model = sim->model;
    for (int b = 0; b < model->n_body; b++)
        sum[sim->groups->of[b]] += scale * product_of_body(model, b, x, y);
}

// The same over the coordinates that are held.
static void add_held_products(const CondSim* sim, double scale, const double* x, const double* y,
                              double* sum)
{
    const CondModel* model = sim->model;
    for (int b = 0; b < model->n_body; b++)
        for (int i = model->body[b].dof_begin, k = 0; k < model->body[b].n_dof; k++, i++)
            sum[sim->groups->of[b]] += sim->held.flag[i] ? scale * x[i] * y[i] : 0.0;
}

void cond_balance_kinetic(CondSim* sim, const CondKinematics* kinematics, const double* v,
                          double* energy)
{
    memset(energy, 0, (size_t)sim->groups->n * sizeof *energy);
    cond_assembly_multiply_masses(&sim->matrix, kinematics, v, sim->balance->p);
    add_products(sim, 0.5, v, sim->balance->p, energy);
    if (sim->held.n > 0) // what moves as it is told has no part in the balance
        add_held_products(sim, -0.5, v, sim->balance->p, energy);
}

static void add_energy(const CondGroups* groups, int group, double sign, double potential,
                       double* energy)
{
    energy[group] += sign * potential;
    groups->inexact[group] += INEXACT * fabs(potential);
}

// energy[g] += sign times the potential energy that is the group's own; its size joins inexact.
static void add_potential(const CondSim* sim, const CondKinematics* kinematics, double sign,
                          double* energy)
{
    const CondModel* model = sim->model;
    const CondState* next = sim->next; // whose attachments act in this step
    const int* of = sim->groups->of;
    for (int b = 0; b < model->n_body; b++)
        add_energy(sim->groups, of[b], sign,
                   cond_body_ops(model->body[b].kind)
                       ->potential(&model->body[b], kinematics, model->settings.gravity),
                   energy);
    for (int i = 0; i < model->n_spring; i++) {
        const CondSpring* spring = &model->spring[i];
        int body = spring->end[0].body >= 0 ? spring->end[0].body : spring->end[1].body;
        if (!cond_spring_is_off(next, spring))
            add_energy(sim->groups, of[body], sign, cond_spring_energy(kinematics, spring), energy);
    }
    for (int i = 0; i < next->n_weld; i++)
        if (next->weld[i].active && !cond_weld_is_led(&next->weld[i]))
            add_energy(sim->groups, of[cond_weld_body(&next->weld[i])], sign,
                       cond_weld_energy(kinematics, &next->weld[i]), energy);
}

static double contact_power(const CondContact* contact, const double* v, const double* lambda)
{
    double u[3], power = 0.0;
    cond_contact_velocity(contact, v, u);
    for (int i = 0; i < 3; i++)
        power += (u[i] - contact->phi[i]) * lambda[i];
    return power;
}

static double sum_of(const CondGroups* groups, const double* energy)
{
    double sum = 0.0;
    for (int g = 0; g < groups->n; g++)
        sum += energy[g];
    return sum;
}

// energy[g] -= t (power of forces, motors, frames in space and the user's hand, of damping and of
// contacts), all as they act in this step. The sums of the former are balance->works.
static CondStatus subtract_work(CondSim* sim, const CondState* state, double* energy)
{
    const CondModel* model = sim->model;
    CondBalance* balance = sim->balance;
    CondCandidateList none = {.n = 0};
    double *given = sim->work, *lost = balance->p, t = sim->attempt.time_step;
    size_t bytes = (size_t)model->n_dof * sizeof(double);
    cond_newton_pose(sim, state);
    for (int b = 0; b < model->n_body; b++)
        balance->extra[b] = sim->linear[b] ? sim->length[b] : 0.0;
    memset(given, 0, bytes);
    cond_force_add(&sim->at_end, state, sim->attempt.time_step, given);
    cond_assembly_begin_damping(&sim->matrix, &sim->at_end);
    CondStatus status =
        cond_sim_couple(sim, &sim->at_end, COND_COUPLED_GIVEN, balance->extra, &sim->matrix, given);
    if (!status) // of the others the damping alone does work
        status = cond_sim_couple(sim, &sim->at_end, COND_COUPLED_OWN | COND_COUPLED_DAMPED, NULL,
                                 &sim->matrix, balance->v);
    if (!status)
        status = cond_assembly_finish(&sim->matrix, &sim->at_end, NULL, &none, INFINITY);
    if (status)
        return status;
    cond_assembly_multiply_damping(&sim->matrix, &sim->at_end, sim->attempt.v_hat, lost);
    double before = sum_of(sim->groups, energy);
    add_products(sim, -t, sim->attempt.v_hat, given, energy);
    double between = sum_of(sim->groups, energy);
    add_products(sim, t, sim->attempt.v_hat, lost, energy);
    balance->works.given = before - between;
    balance->works.damping = between - sum_of(sim->groups, energy);
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        CondContact contact = sim->attempt.assembly.contact[c];
        const double* lambda = sim->attempt.lambda + 3 * (ptrdiff_t)c;
        int other = cond_group_of_side(sim->groups, candidate, 1);
        double power = contact_power(&contact, sim->attempt.v_hat, lambda);
        if (other >= 0) {
            contact.side[1].n_coordinate = 0;
            double own = contact_power(&contact, sim->attempt.v_hat, lambda);
            energy[other] -= t * (power - own);
            power = own;
        }
        energy[cond_group_of_side(sim->groups, candidate, 0)] -= t * power;
    }
    for (int r = 0, c = sim->attempt.candidates.n; r < sim->rows.n; r++, c++)
        energy[sim->groups->of[sim->rows.row[r].body]] -=
            t * contact_power(&sim->attempt.assembly.contact[c], sim->attempt.v_hat,
                              sim->attempt.lambda + 3 * (ptrdiff_t)c);
    return COND_OK;
}

// energy[g] -= t times the power of what holds coordinates, their inertia left out: of the reaction
// (A v - b - Jc' lambda) - M (v - v_k)/h.
static void subtract_held_work(CondSim* sim, const CondState* state, double* energy)
{
    const CondModel* model = sim->model;
    double *force = sim->held.force, *dv = sim->work, *p = sim->balance->p;
    cond_problem_multiply_by(&sim->attempt.assembly.problem, sim->attempt.v_hat, force,
                             model->settings.solver.threads);
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        cond_contact_add_force(&sim->attempt.assembly.contact[c], -1.0, sim->attempt.lambda + 3 * c,
                               force);
    for (int i = 0; i < model->n_dof; i++) {
        force[i] -= sim->attempt.assembly.b[i];
        dv[i] = state->v[i];
    }
    for (int b = 0; b < model->n_body; b++)
        cond_spectral_start(sim, state, b, dv);
    for (int i = 0; i < model->n_dof; i++)
        dv[i] = sim->attempt.v_hat[i] - dv[i];
    cond_assembly_multiply_masses(&sim->matrix, &sim->at_end, dv, p);
    for (int b = 0; b < model->n_body; b++)
        for (int i = model->body[b].dof_begin, k = 0; k < model->body[b].n_dof; k++, i++)
            force[i] -= cond_spectral_mass(cond_spectral_of(sim, b)) * p[i] / sim->length[b];
    double before = sum_of(sim->groups, energy);
    add_held_products(sim, -sim->attempt.time_step, sim->attempt.v_hat, force, energy);
    sim->balance->works.given += before - sum_of(sim->groups, energy);
}

void cond_balance_advance(CondSim* sim, const CondState* state, int b)
{
    CondBalance* balance = sim->balance;
    const CondBody* body = &sim->model->body[b];
    cond_body_advance(body, state->q + body->q_begin, sim->attempt.v_hat + body->dof_begin,
                      sim->attempt.time_step, sim->model->settings.solver.threads,
                      balance->q + body->q_begin);
    balance->spans[b] = !sim->linear[b] && sim->theta[b] < 1.0;
}

void cond_balance_pose(CondSim* sim)
{
    CondBalance* balance = sim->balance;
    cond_kinematics_set_like(&balance->end, NULL, balance->q);
    sim->at_end.begin = &sim->at_start;
    sim->at_end.end = &balance->end;
    sim->at_end.spans = balance->spans;
    sim->at_end.damped = balance->damped;
}

// A group all of whose bodies move as they are told has no energy of its own to balance.
static void leave_led_groups(const CondSim* sim, double* excess)
{
    const CondModel* model = sim->model;
    for (int b = 0; b < model->n_body && sim->held.n > 0; b++) {
        int g = sim->groups->of[b], led = cond_held_whole(sim, b);
        for (int other = 0; other < model->n_body && led; other++)
            led = sim->groups->of[other] != g || cond_held_whole(sim, other);
        if (led)
            sim->balance->works.given += excess[g];
        excess[g] = led ? 0.0 : excess[g];
    }
}

CondStatus cond_balance_measure(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondBalance* balance = sim->balance;
    CondGroups* groups = sim->groups;
    double* excess = groups->excess;
    cond_balance_kinetic(sim, &sim->at_start, state->v, groups->before);
    memset(excess, 0, (size_t)groups->n * sizeof *excess);
    memset(groups->inexact, 0, (size_t)groups->n * sizeof *groups->inexact);
    add_potential(sim, &sim->at_start, -1.0, excess);
    CondStatus status = subtract_work(sim, state, excess); // sets balance->end
    if (status)
        return status;
    if (sim->held.n > 0)
        subtract_held_work(sim, state, excess);
    for (int b = 0; b < model->n_body; b++)
        cond_spectral_arrive(sim, state, b, balance->v);
    cond_held_put_end(sim, balance->v);
    cond_spectral_account(sim, state, balance->v, excess);
    cond_balance_kinetic(sim, &balance->end, balance->v, groups->kinetic);
    add_potential(sim, &balance->end, 1.0, excess);
    for (int g = 0; g < groups->n; g++)
        excess[g] += groups->kinetic[g] - groups->before[g];
    leave_led_groups(sim, excess);
    balance->works.numerical = -balance->taken;
    balance->works.impact = balance->works.correction = 0.0;
    return COND_OK;
}

// y = M x for the bodies of a group.
static void multiply_mass(const CondSim* sim, int group, const double* x, double* y)
{
    const CondGroups* groups = sim->groups;
    for (int k = groups->bodies.begin[group]; k < groups->bodies.begin[group + 1]; k++) {
        int at = sim->model->body[groups->bodies.member[k]].dof_begin;
        cond_block_multiply(&sim->matrix.problem.block[groups->bodies.member[k]], x + at, NULL,
                            y + at, sim->model->settings.solver.threads);
    }
}

// x.y over the coordinates of a group.
static double product_of(const CondSim* sim, int group, const double* x, const double* y)
{
    const CondGroups* groups = sim->groups;
    double sum = 0.0;
    for (int k = groups->bodies.begin[group]; k < groups->bodies.begin[group + 1]; k++) {
        sum += product_of_body(sim->model, groups->bodies.member[k], x, y);
    }
    return sum;
}

// A group's motions as a rigid whole that a velocity and an angular velocity of 1 give, about a
// point of its first body.
static void make_rigid(CondSim* sim, int group)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = sim->groups;
    const CondBody* origin = &model->body[groups->bodies.member[groups->bodies.begin[group]]];
    CondPose pose =
        cond_body_ops(origin->kind)
            ->pose(origin, sim->at_end.q + origin->q_begin, sim->next->v + origin->dof_begin);
    for (int i = groups->bodies.begin[group]; i < groups->bodies.begin[group + 1]; i++) {
        const CondBody* body = &model->body[groups->bodies.member[i]];
        for (int k = 0; k < 6; k++) {
            double twist[6] = {0.0};
            twist[k] = 1.0;
            cond_body_ops(body->kind)
                ->drift(body, sim->at_end.q + body->q_begin, twist, pose.position,
                        sim->balance->rigid + (ptrdiff_t)k * model->n_dof + body->dof_begin);
        }
    }
}

// The rigid motion of a group that carries its momentum: r = R (R' M R)^-1 R' M v, in balance->v;
// and T(v - r).
static double split(CondSim* sim, int group, const double* v)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = sim->groups;
    CondBalance* balance = sim->balance;
    int n = model->n_dof;
    double inertia[36] = {0.0}, twist[6] = {0.0}, trace = 0.0;
    for (int k = 0; k < 6; k++) {
        multiply_mass(sim, group, balance->rigid + (ptrdiff_t)k * n, balance->p);
        twist[k] = product_of(sim, group, balance->p, v);
        for (int l = 0; l < 6; l++)
            inertia[6 * k + l] =
                product_of(sim, group, balance->p, balance->rigid + (ptrdiff_t)l * n);
        trace += inertia[7 * k];
    }
    for (int k = 0; k < 6; k++) // what lies on a line has no inertia about it
        inertia[7 * k] += COND_PRODUCT_ROUNDING * trace;
    if (cond_cholesky_factor(6, inertia))
        memset(twist, 0, sizeof twist);
    else
        cond_cholesky_solve(6, inertia, twist);
    for (int b = groups->bodies.begin[group]; b < groups->bodies.begin[group + 1]; b++) {
        const CondBody* body = &model->body[groups->bodies.member[b]];
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++) {
            balance->v[i] = 0.0;
            for (int k = 0; k < 6; k++)
                balance->v[i] += balance->rigid[(ptrdiff_t)k * n + i] * twist[k];
            sim->work[i] = v[i] - balance->v[i];
        }
    }
    multiply_mass(sim, group, sim->work, balance->p);
    return 0.5 * product_of(sim, group, sim->work, balance->p);
}

// balance->v = 0 on the coordinates of a group.
static void rest(CondSim* sim, int group)
{
    const CondGroups* groups = sim->groups;
    for (int k = groups->bodies.begin[group]; k < groups->bodies.begin[group + 1]; k++) {
        const CondBody* body = &sim->model->body[groups->bodies.member[k]];
        memset(sim->balance->v + body->dof_begin, 0, (size_t)body->n_dof * sizeof(double));
    }
}

// What the motion of a group, of the energy `energy` by now, gives up after its step, beside the
// excess; negative: what it gets back.
typedef struct Settlement {
    double strike;    // what the impact stage has given it, which does not stay [J]
    double lift;      // what the correction of its penetration has raised it by [J]
    double paid;      // for the lift
    double numerical; // of the excess what stays lost
} Settlement;

// Of a group whose contacts last. The impact stage may have taken energy from it since the balance
// was made, as it should, and has given it none that stays. (From others that it touches, which
// have energies of their own, it may have taken some.) A lift is paid for by the motion that led in
// there, but not one out of deep overlap, which no motion led to. What is lost comes back, but not
// where it is much: what moves so little would be moved by rounding.
static void settle_persistent(const CondGroups* groups, int g, double energy, Settlement* one)
{
    one->strike = groups->borders[g] ? 0.0 : fmax(energy - groups->kinetic[g], 0.0);
    one->paid = fmin(fmax(one->lift, 0.0), COND_BALANCE_RESTORED * energy);
    double rest = groups->excess[g] + one->paid + one->strike;
    if (!(energy > 0.0) ||
        (rest < 0.0 && -(groups->excess[g] + one->paid) > COND_BALANCE_RESTORED * energy)) {
        one->numerical = fmin(rest, 0.0);
        one->strike = energy > 0.0 ? one->strike : 0.0;
    }
}

// Of a group that takes implicit Euler: its loss pays for the lift.
static void settle_euler(const CondGroups* groups, int g, Settlement* one)
{
    double loss = fmax(-groups->excess[g], 0.0);
    one->paid = fmin(fmax(one->lift, 0.0), loss);
    one->numerical = one->paid - loss;
}

// 1 where something holds joints of a group.
static int is_held(const CondSim* sim, int g)
{
    for (int r = 0; r < sim->rows.n; r++)
        if (sim->groups->of[sim->rows.row[r].body] == g)
            return 1;
    return 0;
}

// 1 where the energy of one of a group's bodies is settled by the impact stage.
static int has_rebounded(const CondSim* sim, int g)
{
    const CondGroups* groups = sim->groups;
    for (int k = groups->bodies.begin[g]; k < groups->bodies.begin[g + 1]; k++)
        if (cond_impact_is_exact(sim, groups->bodies.member[k]))
            return 1;
    return 0;
}

// Energies of motion in groups->before, and in groups->load, which is free by now, what the
// correction has raised the groups by.
static void find_lifts(CondSim* sim)
{
    CondGroups* groups = sim->groups;
    size_t bytes = (size_t)sim->model->n_q * sizeof(double);
    int lifted = memcmp(sim->next->q, sim->balance->q, bytes) != 0;
    memset(groups->load, 0, (size_t)groups->n * sizeof *groups->load);
    if (lifted || sim->attempt.moved)
        cond_balance_kinetic(sim, &sim->at_end, sim->next->v, groups->before);
    else
        memcpy(groups->before, groups->kinetic, (size_t)groups->n * sizeof *groups->before);
    if (!lifted)
        return;
    add_potential(sim, &sim->at_end, 1.0, groups->load);
    add_potential(sim, &sim->balance->end, -1.0, groups->load);
}

// r of a group in balance->v, and the energy of motion beside it, which is what pays; 0 where
// nothing is to be done.
static double find_payer(CondSim* sim, int g, double excess, double energy, int* ready)
{
    const CondGroups* groups = sim->groups;
    rest(sim, g);
    if (groups->anchored[g] || groups->touched[g])
        return energy;
    if (!*ready)
        cond_assembly_begin(&sim->matrix, &sim->at_end, NULL, NULL);
    *ready = 1;
    make_rigid(sim, g);
    double inner = split(sim, g, sim->next->v);
    if (fabs(excess) <= inner)
        return inner;
    if (fabs(excess) <= COND_INPUT_ROUNDING * energy)
        return 0.0; // a body that cannot change its shape
    rest(sim, g);   // more than what it moves by within itself: all of its motion pays
    return energy;
}

// v = r + s (v - r)
static void scale_motion(CondSim* sim, int g, double s)
{
    const CondGroups* groups = sim->groups;
    double *v = sim->next->v, *r = sim->balance->v;
    for (int k = groups->bodies.begin[g]; k < groups->bodies.begin[g + 1]; k++) {
        const CondBody* body = &sim->model->body[groups->bodies.member[k]];
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
            v[i] = r[i] + s * (v[i] - r[i]);
    }
}

static void settle(CondSim* sim, int g, int* ready)
{
    const CondGroups* groups = sim->groups;
    CondWorks* works = &sim->balance->works;
    double energy = groups->before[g], excess = groups->excess[g];
    Settlement one = {.lift = groups->load[g]};
    if (groups->euler[g])
        settle_euler(groups, g, &one);
    else if (groups->touched[g] && !groups->lands[g])
        settle_persistent(groups, g, energy, &one);
    else if (-excess > COND_BALANCE_RESTORED * energy && is_held(sim, g))
        one.numerical = excess; // what hardly moves would get the rounding of its potential energy
    // Of implicit Euler a gain alone: its loss and what that has paid for are even.
    double pays =
        groups->euler[g] ? fmax(excess, 0.0) : excess - one.numerical + one.strike + one.paid;
    double left = one.lift - one.paid; // comes from what the impact stage has taken
    double taken = fmin(fmax(left, 0.0), fmax(groups->kinetic[g] - energy, 0.0));
    works->numerical += one.numerical;
    works->correction += left - taken;
    works->impact += taken - one.strike;
    double payer = pays != 0.0 && energy > 0.0 ? find_payer(sim, g, pays, energy, ready) : 0.0;
    if (payer > 0.0)
        scale_motion(sim, g, sqrt(fmax(0.0, 1.0 - pays / payer)));
}

void cond_sim_balance(CondSim* sim)
{
    const CondGroups* groups = sim->groups;
    int ready = 0;
    if (sim->model->settings.integrator != COND_INTEGRATOR_AUTO)
        return;
    find_lifts(sim);
    for (int g = 0; g < groups->n; g++)
        if (has_rebounded(sim, g)) // the impact stage has settled it
            sim->balance->works.impact += groups->excess[g];
        else
            settle(sim, g, &ready);
}
