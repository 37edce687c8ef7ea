// The error of a pair of pieces, by the end of its halves and the end of the pair in one go
// (pair_error.h). Reads sim->pieces, and sets sim->at_end to the end of the halves.
#include "integrate/pair_error.h"
#include "base/tuning.h"

#include "body/body.h"
#include "device/sum.h"
#include "integrate/group.h"
#include "integrate/tuning.h"
#include "math/vec3.h"

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

// x' M x / m of each body and difference, M at q.
static void square(CondSim* sim, const double* q)
{
    const CondModel* model = sim->model;
    const CondPieces* pieces = &sim->pieces;
    int threads = model->settings.solver.threads;
    cond_kinematics_set(&sim->at_end, q);
    for (int i = 0; i < COND_N_DIFFERENCE; i++) {
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

// A change of velocity of a body that is worth the name in t seconds, with `speed` at its end.
static double turn_of(const CondSim* sim, const CondBody* body, double t, double speed,
                      double change)
{
    double g = vec3_norm(sim->model->settings.gravity);
    double size = cond_model_size(sim->model, body->index);
    return change + COND_PIECE_SLOW * t * (g + speed * speed / size);
}

static double noise_of(const CondSim* sim, double speed)
{
    return COND_LEEWAY * sim->model->settings.solver.tolerance * speed;
}

// What a body is wrong by over what it moves by in `t` seconds: of the way, and of the change of
// velocity. Where the velocity jumps, at a time within the pair that is not known better, the
// body's size counts as way. What solves may leave counts for nothing. least: a speed that is
// hardly any. Two halves by a method of the second order differ from the whole by three times what
// they are wrong by, by implicit Euler by as much.
static CondPieceError error_of(const CondSim* sim, const CondBody* body, double t, double least)
{
    const double* s = sim->pieces.square + (ptrdiff_t)COND_N_DIFFERENCE * body->index;
    double size = cond_model_size(sim->model, body->index);
    double g = vec3_norm(sim->model->settings.gravity), change = sqrt(s[COND_CHANGE]);
    double speed = fmax(sqrt(s[COND_SPEED]), least);
    double slow = COND_PIECE_SLOW * sqrt(g * size), jump = change / (speed + change + slow);
    double way = t * fmax(speed, slow) + size * jump * jump;
    double turn = turn_of(sim, body, t, speed, change), noise = noise_of(sim, fmax(speed, slow));
    double place = fmax(sqrt(s[COND_WRONG_PLACE]) - t * noise, 0.0) / way;
    double wrong = fmax(sqrt(s[COND_WRONG_SPEED]) - noise, 0.0) / turn;
    // Errors of forces that change sides within the pair do not add up over many pairs as those of
    // steady ones do, but with the root of their number.
    double sways = fmin(sqrt(s[COND_UNSTEADY]) / turn, 1.0);
    wrong *= pow(fmin(turn / fmax(speed, slow), 1.0), 0.5 * sways);
    if (sim->theta[body->index] == 1.0)
        return (CondPieceError){place, jump * wrong, wrong, 0};
    return (CondPieceError){place / 3.0, wrong / 3.0, wrong / 3.0, 0};
}

static int vibrates(const CondSim* sim, const CondBody* body)
{
    return cond_body_deforms(body) && sim->model->settings.integrator == COND_INTEGRATOR_AUTO &&
           !sim->groups->touched[sim->groups->of[body->index]];
}

CondPieceError cond_pair_error(CondSim* sim, double t)
{
    const CondModel* model = sim->model;
    CondPieceError worst = {0.0, 0.0, 0.0, 0};
    double fastest = 0.0;
    compare(sim);
    square(sim, sim->pieces.second->q);
    for (int b = 0; b < model->n_body; b++)
        fastest = fmax(fastest, sim->pieces.square[COND_N_DIFFERENCE * b + COND_SPEED]);
    double least = COND_PIECE_LEAST_SPEED * sqrt(fastest);
    for (int b = 0; b < model->n_body && fastest > 0.0; b++) {
        CondPieceError error = error_of(sim, &model->body[b], t, least);
        worst.place = fmax(worst.place, error.place);
        if (error.speed > worst.speed)
            worst.vibrates = vibrates(sim, &model->body[b]);
        worst.speed = fmax(worst.speed, error.speed);
        worst.relative = fmax(worst.relative, error.relative);
    }
    return worst;
}

double cond_piece_unsteadiness(CondSim* sim, const CondState* begin, const CondState* end, double t)
{
    const CondModel* model = sim->model;
    double* const* x = sim->pieces.x;
    double share = begin->pace.last > 0.0 ? 2.0 * t / begin->pace.last : 0.0, worst = 0.0;
    for (int i = 0; i < model->n_dof; i++) {
        x[COND_CHANGE][i] = end->v[i] - begin->v[i];
        x[COND_SPEED][i] = end->v[i];
        x[COND_WRONG_PLACE][i] = x[COND_WRONG_SPEED][i] = 0.0;
        x[COND_UNSTEADY][i] = x[COND_CHANGE][i] - share * (begin->v[i] - begin->v_hat[i]);
    }
    square(sim, end->q);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double* s = sim->pieces.square + (ptrdiff_t)COND_N_DIFFERENCE * b;
        double slow = sqrt(vec3_norm(model->settings.gravity) * cond_model_size(model, b));
        double speed = sqrt(s[COND_SPEED]), change = sqrt(s[COND_CHANGE]);
        double wrong = sqrt(s[COND_UNSTEADY]) - noise_of(sim, fmax(speed, COND_PIECE_SLOW * slow));
        worst = fmax(worst, fmax(wrong, 0.0) / turn_of(sim, body, t, speed, change));
    }
    return worst;
}
