// The error of a pair of pieces, by the end of its halves and the end of the pair in one go
// (pair_error.h). Reads sim->pieces, and sets sim->at_end to the end of the halves.
#include "integrate/pair_error.h"
#include "base/tuning.h"

#include "body/body.h"
#include "device/sum.h"
#include "integrate/group.h"
#include "integrate/resolved.h"
#include "integrate/tuning.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "sim/tuning.h"

#include <math.h>

// The differences of a pair, in the coordinates of the velocity.
static void compare(CondSim* sim)
{
    const CondModel* model = sim->model;
    const CondPieces* pieces = &sim->pieces;
    const CondState *begin = pieces->begin, *whole = pieces->whole, *end = pieces->second,
                    *middle = pieces->first;
    double* const* x = pieces->x;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        cond_body_between(body, end->q + body->q_begin, whole->q + body->q_begin,
                          x[COND_WRONG_PLACE] + body->dof_begin);
    }
    for (int i = 0; i < model->n_dof; i++) {
        x[COND_WRONG_SPEED][i] = whole->v[i] - end->v[i];
        x[COND_CHANGE][i] = end->v[i] - begin->v[i];
        x[COND_SPEED][i] = end->v[i];
        x[COND_UNSTEADY][i] = end->v[i] - 2.0 * middle->v[i] + begin->v[i];
    }
}

// x' M x / m of each body, for the differences first .. last, M at sim->at_end.
static void square(CondSim* sim, CondDifference first, CondDifference last)
{
    const CondModel* model = sim->model;
    const CondPieces* pieces = &sim->pieces;
    int threads = model->settings.solver.threads;
    for (int i = (int)first; i <= (int)last; i++) {
        cond_assembly_multiply_masses(&sim->matrix, &sim->at_end, pieces->x[i], pieces->p);
        for (int b = 0; b < model->n_body; b++) {
            const CondBody* body = &model->body[b];
            double mass = cond_newton_mass(body, &sim->at_end);
            double sum = cond_dot(body->n_dof, pieces->x[i] + body->dof_begin,
                                  pieces->p + body->dof_begin, threads);
            pieces->square[COND_N_DIFFERENCE * b + i] = mass > 0.0 ? fmax(sum, 0.0) / mass : 0.0;
        }
    }
}

static double noise_of(const CondSim* sim, double speed)
{
    return COND_LEEWAY * sim->model->settings.solver.tolerance * speed;
}

// A speed of a body that is hardly any: without weight that which makes a nanometre in a step.
static double slow_of(const CondSim* sim, int b)
{
    double g = vec3_norm(sim->model->settings.gravity);
    return fmax(COND_PIECE_SLOW * sqrt(g * cond_model_size(sim->model, b)),
                COND_NANOMETRE / sim->model->settings.time_step);
}

// Marks groups that vibrate, in groups.fails, which is free: those that change their shape, and
// those that touch something and are held together by springs or attachments.
static void mark_vibrating(CondSim* sim)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = sim->groups;
    const CondState* end = sim->pieces.second;
    if (model->settings.integrator != COND_INTEGRATOR_AUTO)
        return;
    for (int g = 0; g < groups->n; g++)
        groups->fails[g] = groups->deforms[g];
    for (int i = 0; i < end->n_weld; i++) {
        int g = end->weld[i].active ? groups->of[cond_weld_body(&end->weld[i])] : -1;
        if (g >= 0)
            groups->fails[g] |= groups->touched[g];
    }
    for (int i = 0; i < model->n_spring; i++)
        for (int k = 0; k < 2; k++) {
            int b = model->spring[i].end[k].body, g = b >= 0 ? groups->of[b] : -1;
            if (g >= 0)
                groups->fails[g] |= groups->touched[g];
        }
}

static int vibrates(const CondSim* sim, int b)
{
    return sim->model->settings.integrator == COND_INTEGRATOR_AUTO &&
           sim->groups->fails[sim->groups->of[b]];
}

// Two halves by a method of the second order differ from the whole by three times what they are
// wrong by; by implicit Euler, and where nodes and links land and leave one by one, by as much.
static double share_of(const CondSim* sim, int b)
{
    int lands = vibrates(sim, b) && sim->groups->touched[sim->groups->of[b]];
    return sim->theta[b] == 1.0 || lands ? 1.0 : 1.0 / 3.0;
}

// What the place of a body is wrong by over the way that it makes in `t` seconds. Where the
// velocity jumps, at a time within the pair that is not known better, the body's size counts as
// way. What solves may leave counts for nothing.
static double place_error(const CondSim* sim, int b, double t, double least)
{
    const double* s = sim->pieces.square + (ptrdiff_t)COND_N_DIFFERENCE * b;
    double change = sqrt(s[COND_CHANGE]), slow = slow_of(sim, b);
    double speed = fmax(sqrt(s[COND_SPEED]), least), jump = change / (speed + change + slow);
    double way = t * fmax(speed, slow) + cond_model_size(sim->model, b) * jump * jump;
    double wrong = sqrt(s[COND_WRONG_PLACE]) - t * noise_of(sim, fmax(speed, slow));
    return share_of(sim, b) * fmax(wrong, 0.0) / way;
}

// A change of velocity of a body that is worth the name in t seconds, with `speed` at its end.
static double turn_of(const CondSim* sim, int b, double t, double speed, double change)
{
    double g = vec3_norm(sim->model->settings.gravity);
    return change + COND_PIECE_SLOW * t * (g + speed * speed / cond_model_size(sim->model, b));
}

// What the velocity of a body is wrong by, over the change of velocity that it makes in t seconds.
// Errors of forces that change sides within the pair do not add up over many pairs as those of
// steady ones do, but with the root of their number. What vibrates comes back, and contacts, whose
// nodes and links land, slip and stick one by one, push back what they have pushed too much: of a
// group that vibrates errors of velocities do not add up, and count over the speed. By
// implicit Euler, whose velocity lags behind by a share of its change, they count as far as the
// velocity jumps.
static double speed_error(const CondSim* sim, int b, double t, double least)
{
    const double* s = sim->pieces.square + (ptrdiff_t)COND_N_DIFFERENCE * b;
    double change = sqrt(s[COND_CHANGE]), slow = slow_of(sim, b);
    double speed = fmax(sqrt(s[COND_SPEED]), least), jump = change / (speed + change + slow);
    double turn = turn_of(sim, b, t, speed, change), noise = noise_of(sim, fmax(speed, slow));
    double wrong = fmax(sqrt(s[COND_WRONG_SPEED]) - noise, 0.0);
    double sways = fmin(sqrt(s[COND_UNSTEADY]) / turn, 1.0);
    double error = wrong / turn * pow(fmin(turn / fmax(speed, slow), 1.0), 0.5 * sways);
    if (vibrates(sim, b))
        error = wrong / fmax(speed, slow);
    return error * (sim->theta[b] == 1.0 ? jump : share_of(sim, b));
}

// What a light body of a group that vibrates does to the others is a matter of its mass:
// squares of the bodies become means over the group.
static void share_out(CondSim* sim, CondDifference which)
{
    const CondModel* model = sim->model;
    const CondGroups* groups = sim->groups;
    double *sum = groups->kinetic, *mass = groups->excess, *square = sim->pieces.square + which;
    for (int b = 0; b < model->n_body; b++)
        if (vibrates(sim, b))
            sum[groups->of[b]] = mass[groups->of[b]] = 0.0;
    for (int b = 0; b < model->n_body; b++)
        if (vibrates(sim, b)) {
            double m = cond_newton_mass(&model->body[b], &sim->at_end);
            sum[groups->of[b]] += m * square[COND_N_DIFFERENCE * b];
            mass[groups->of[b]] += m;
        }
    for (int b = 0; b < model->n_body; b++)
        if (vibrates(sim, b) && mass[groups->of[b]] > 0.0)
            square[COND_N_DIFFERENCE * b] = sum[groups->of[b]] / mass[groups->of[b]];
}

CondStatus cond_pair_error(CondSim* sim, double t, double* error)
{
    const CondModel* model = sim->model;
    double fastest = 0.0;
    *error = 0.0;
    compare(sim);
    mark_vibrating(sim);
    cond_kinematics_set(&sim->at_end, sim->pieces.second->q);
    CondStatus status =
        cond_resolved_parts(sim, model->settings.time_step, 2, sim->pieces.x + COND_WRONG_PLACE);
    if (status)
        return status;
    square(sim, COND_WRONG_PLACE, COND_UNSTEADY);
    for (int b = 0; b < model->n_body; b++)
        fastest = fmax(fastest, sim->pieces.square[COND_N_DIFFERENCE * b + COND_SPEED]);
    double least = COND_PIECE_LEAST_SPEED * sqrt(fastest);
    if (!(fastest > 0.0))
        return COND_OK;
    for (int b = 0; b < model->n_body; b++)
        *error = fmax(*error, place_error(sim, b, t, least));
    for (int i = COND_WRONG_SPEED; i <= COND_SPEED; i++)
        share_out(sim, (CondDifference)i);
    for (int b = 0; b < model->n_body; b++)
        *error = fmax(*error, speed_error(sim, b, t, least));
    return COND_OK;
}

CondStatus cond_piece_unsteadiness(CondSim* sim, const CondState* begin, const CondState* end,
                                   double t, double* worst)
{
    const CondModel* model = sim->model;
    double* const* x = sim->pieces.x;
    double share = begin->pace.last > 0.0 ? 2.0 * t / begin->pace.last : 0.0;
    *worst = 0.0;
    for (int i = 0; i < model->n_dof; i++) {
        x[COND_CHANGE][i] = end->v[i] - begin->v[i];
        x[COND_SPEED][i] = end->v[i];
        x[COND_UNSTEADY][i] = x[COND_CHANGE][i] - share * (begin->v[i] - begin->v_hat[i]);
    }
    cond_kinematics_set(&sim->at_end, end->q);
    CondStatus status = cond_resolved_parts(sim, model->settings.time_step, 1, x + COND_UNSTEADY);
    if (status)
        return status;
    square(sim, COND_CHANGE, COND_UNSTEADY);
    for (int b = 0; b < model->n_body; b++) {
        const double* s = sim->pieces.square + (ptrdiff_t)COND_N_DIFFERENCE * b;
        double speed = sqrt(s[COND_SPEED]), turn = turn_of(sim, b, t, speed, sqrt(s[COND_CHANGE]));
        double wrong = sqrt(s[COND_UNSTEADY]) - noise_of(sim, fmax(speed, slow_of(sim, b)));
        *worst = fmax(*worst, fmax(wrong, 0.0) / turn);
    }
    return COND_OK;
}
