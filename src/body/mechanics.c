// CondMechanics: a kinematics of its own for the user, with the function tables behind it.
#include "cond/mechanics.h"
#include "model/index.h"

#include "base/arena.h"
#include "base/definition.h"
#include "base/error.h"
#include "body/body.h"
#include "math/quat.h"
#include "model/rod.h"
#include "model/state.h"
#include "problem/block.h"

#include <math.h>
#include <string.h>

struct CondMechanics {
    CondArena arena;
    const CondModel* model;
    CondKinematics kinematics; // at q
    double* q;                 //                                                  (n_q)
    double* v;                 //                                                  (n_dof)
    double* J;                 // of a point, and what it acts on  (6 x max_point_dof)
    int* coordinate;           //                                          (max_point_dof)
    double* values;            // a block of a body                     (the largest one's)
    double* work[2];           // vectors of a body                       (largest n_dof)
    CondIk** ik;               // of the robots, else NULL                         (n_body)
};

static CondStatus reserve(CondMechanics* made, const CondModel* model)
{
    CondArena* arena = &made->arena;
    int most = 0;
    size_t block = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        size_t sizes[2] = {cond_body_block_size(body), cond_body_mass_size(body)};
        most = body->n_dof > most ? body->n_dof : most;
        for (int i = 0; i < 2; i++)
            block = sizes[i] > block ? sizes[i] : block;
    }
    made->values = cond_arena_allocate(arena, block, sizeof *made->values);
    if (!made->values || COND_RESERVE(arena, made->q, model->n_q) ||
        COND_RESERVE(arena, made->v, model->n_dof) ||
        COND_RESERVE(arena, made->J, 6 * model->max_point_dof) ||
        COND_RESERVE(arena, made->coordinate, model->max_point_dof) ||
        COND_RESERVE(arena, made->work[0], most) || COND_RESERVE(arena, made->work[1], most))
        return COND_OUT_OF_MEMORY;
    if (COND_RESERVE(arena, made->ik, model->n_body))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].arm &&
            cond_ik_create(&arena->context, model->body[b].arm, &made->ik[b], NULL))
            return COND_OUT_OF_MEMORY;
    return cond_kinematics_create(model, &made->kinematics);
}

static void start(CondMechanics* made)
{
    for (int b = 0; b < made->model->n_body; b++) {
        const CondBody* body = &made->model->body[b];
        double *q = made->q + body->q_begin, *v = made->v + body->dof_begin;
        if (body->start) {
            memcpy(q, body->start, (size_t)body->n_q * sizeof *q);
            memcpy(v, body->start_v, (size_t)body->n_dof * sizeof *v);
        } else {
            cond_body_ops(body->kind)->set_pose(body, &body->initial, q, v);
        }
    }
    cond_kinematics_set(&made->kinematics, made->q);
}

CondStatus cond_mechanics_create(const CondModel* model, CondMechanics** mechanics,
                                 CondError* error)
{
    const CondContext* context = &model->arena.context;
    CondMechanics* made = cond_allocate(context, 1, sizeof *made);
    *mechanics = NULL;
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for mechanics");
    cond_arena_begin(context, &made->arena);
    made->model = model;
    if (reserve(made, model)) {
        cond_mechanics_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for mechanics");
    }
    start(made);
    *mechanics = made;
    return COND_OK;
}

void cond_mechanics_destroy(CondMechanics* mechanics)
{
    if (!mechanics)
        return;
    CondContext context = mechanics->arena.context;
    for (int b = 0; mechanics->ik && b < mechanics->model->n_body; b++)
        cond_ik_destroy(mechanics->ik[b]);
    cond_kinematics_destroy(&mechanics->kinematics);
    cond_arena_release(&mechanics->arena);
    cond_release(&context, mechanics);
}

void cond_mechanics_set(CondMechanics* mechanics, const CondState* state)
{
    memcpy(mechanics->q, state->q, (size_t)mechanics->model->n_q * sizeof *state->q);
    memcpy(mechanics->v, state->v, (size_t)mechanics->model->n_dof * sizeof *state->v);
    cond_kinematics_set(&mechanics->kinematics, mechanics->q);
}

static const CondBody* body_of(const CondMechanics* mechanics, int body)
{
    return body >= 0 && body < mechanics->model->n_body ? &mechanics->model->body[body] : NULL;
}

// COND_BAD_ARGUMENT for a number that is not finite.
static CondStatus check_finite(const CondBody* body, const char* what, const double* x, int n)
{
    if (!x)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "'%s': %s is NULL", body->name, what);
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return cond_error_set(NULL, COND_BAD_ARGUMENT,
                                  "'%s': %s[%d] is %g, expected a finite number", body->name, what,
                                  i, x[i]);
    return COND_OK;
}

CondStatus cond_mechanics_set_body(CondMechanics* mechanics, int index, const double* q,
                                   const double* v)
{
    const CondBody* body = body_of(mechanics, index);
    if (!body)
        return cond_model_check_body(mechanics->model, index);
    CondStatus status = check_finite(body, "q", q, body->n_q);
    if (!status && v)
        status = check_finite(body, "v", v, body->n_dof);
    if (!status && cond_body_turnless(body, q) >= 0)
        status =
            cond_error_set(NULL, COND_BAD_ARGUMENT, "'%s': q[%d] begins a quaternion of length 0",
                           body->name, cond_body_turnless(body, q));
    if (status)
        return status;
    double *own = mechanics->q + body->q_begin, *rate = mechanics->v + body->dof_begin;
    memcpy(own, q, (size_t)body->n_q * sizeof *q);
    if (v)
        memcpy(rate, v, (size_t)body->n_dof * sizeof *v);
    else
        memset(rate, 0, (size_t)body->n_dof * sizeof *rate);
    cond_body_normalize(body, own);
    cond_kinematics_set(&mechanics->kinematics, mechanics->q);
    return COND_OK;
}

// The place as a frame that the kinematics knows.
static CondStatus find_frame(const CondMechanics* mechanics, const CondPlace* place,
                             CondFrame* frame)
{
    *frame = (CondFrame){.patch = -1};
    return cond_place_point(mechanics->model, place, &frame->point);
}

// Where the axes at a place point.
static void orientation_of(const CondMechanics* mechanics, const CondPlace* place, double turn[4])
{
    const CondBody* body = &mechanics->model->body[place->body];
    const double still[4] = {1.0, 0.0, 0.0, 0.0}, *q = mechanics->q + body->q_begin + 3;
    if (body->kind == COND_BODY_ROBOT)
        q = mechanics->kinematics.arm[place->body].work->orientation + 4 * (size_t)place->part;
    else if (body->kind == COND_BODY_ROD)
        q += 7 * (size_t)place->part;
    else if (body->kind != COND_BODY_RIGID)
        q = still;
    memcpy(turn, q, 4 * sizeof *turn);
}

// Position and Jacobian, in mechanics->J, of a place; *n coordinates from *first on.
static CondStatus differentiate(CondMechanics* mechanics, const CondPlace* place, double world[3],
                                int* first, int* n)
{
    CondFrame frame;
    double R[9];
    if (find_frame(mechanics, place, &frame))
        return COND_BAD_ARGUMENT;
    *n = cond_kinematics_frame(&mechanics->kinematics, &frame, world, R, mechanics->coordinate,
                               mechanics->J);
    *first = *n > 0 ? mechanics->coordinate[0] : mechanics->model->body[place->body].dof_begin;
    return COND_OK;
}

CondStatus cond_mechanics_pose(CondMechanics* mechanics, const CondPlace* place, CondPose* pose)
{
    int first, n;
    double twist[6] = {0.0};
    CondStatus status = differentiate(mechanics, place, pose->position, &first, &n);
    if (status)
        return status;
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < n; k++)
            twist[r] += mechanics->J[r * n + k] * mechanics->v[first + k];
    orientation_of(mechanics, place, pose->orientation);
    memcpy(pose->velocity, twist, sizeof pose->velocity);
    memcpy(pose->angular_velocity, twist + 3, sizeof pose->angular_velocity);
    return COND_OK;
}

CondStatus cond_mechanics_jacobian(CondMechanics* mechanics, const CondPlace* place, int* first,
                                   int* n, double* J)
{
    double world[3];
    CondStatus status = differentiate(mechanics, place, world, first, n);
    if (!status && J)
        memcpy(J, mechanics->J, 6 * (size_t)*n * sizeof *J);
    return status;
}

// a = a_0 + alpha x r + w x (w x r), with r from the origin O of a frame whose motion is known.
static void carry(const double r[3], const double w[3], const double alpha[3], double a[3])
{
    double turn[3], speed[3], inward[3];
    vec3_cross(alpha, r, turn);
    vec3_cross(w, r, speed);
    vec3_cross(w, speed, inward);
    for (int k = 0; k < 3; k++)
        a[k] += turn[k] + inward[k];
}

// A rigid body or a link of a rod: dw/dt in world axes is R times that in the body's, as w x w = 0.
static void rigid_acceleration(const double* q, const double* v, const double* rate,
                               const double local[3], double linear[3], double angular[3])
{
    double R[9], r[3], w[3];
    quat_matrix(q + 3, R);
    mat3_multiply(R, local, r);
    mat3_multiply(R, v + 3, w);
    mat3_multiply(R, rate + 3, angular);
    memcpy(linear, rate, 3 * sizeof *linear);
    carry(r, w, angular, linear);
}

CondStatus cond_mechanics_acceleration(CondMechanics* mechanics, const CondPlace* place,
                                       const double* rate, double linear[3], double angular[3])
{
    CondFrame frame;
    if (find_frame(mechanics, place, &frame))
        return COND_BAD_ARGUMENT;
    const CondBody* body = &mechanics->model->body[place->body];
    const double *q = mechanics->q + body->q_begin, *v = mechanics->v + body->dof_begin;
    size_t part = (size_t)place->part;
    if (!rate) {
        memset(mechanics->work[0], 0, (size_t)body->n_dof * sizeof *rate);
        rate = mechanics->work[0];
    }
    switch (body->kind) {
    case COND_BODY_ROBOT:
        cond_articulation_acceleration(body->arm, mechanics->kinematics.arm[place->body].work, v,
                                       rate, place->part, place->point, linear, angular);
        break;
    case COND_BODY_RIGID:
    case COND_BODY_ROD:
        rigid_acceleration(q + 7 * part, v + 6 * part, rate + 6 * part, place->point, linear,
                           angular);
        break;
    default:
        memcpy(linear, rate + 3 * part, 3 * sizeof *linear);
        memset(angular, 0, 3 * sizeof *angular);
    }
    return COND_OK;
}

CondStatus cond_mechanics_mass(CondMechanics* mechanics, int index, double* M)
{
    const CondBody* body = body_of(mechanics, index);
    if (!body)
        return cond_model_check_body(mechanics->model, index);
    CondBlock block;
    size_t n = (size_t)body->n_dof;
    cond_body_ops(body->kind)->mass(body, &mechanics->kinematics, mechanics->values, &block);
    memset(M, 0, n * n * sizeof *M);
    for (int i = 0; i < body->n_dof; i++)
        for (int k = 0; k < cond_block_row_size(&block, i); k++) {
            int j;
            double entry = cond_block_entry(&block, i, k, &j);
            M[(size_t)i * n + (size_t)j] = entry;
        }
    return COND_OK;
}

// f = weight - C v + elastic forces - D v
CondStatus cond_mechanics_bias(CondMechanics* mechanics, int index, double* f)
{
    const CondBody* body = body_of(mechanics, index);
    if (!body)
        return cond_model_check_body(mechanics->model, index);
    const CondBodyOps* ops = cond_body_ops(body->kind);
    const CondKinematics* kinematics = &mechanics->kinematics;
    const double* v = mechanics->v + body->dof_begin;
    CondBlock block;
    ops->bias(body, kinematics, v, 0.0, mechanics->model->settings.gravity, f);
    ops->block(body, kinematics, 1.0, mechanics->values, &block, f); // for the elastic forces
    ops->damping(body, kinematics, mechanics->values, &block);
    cond_block_multiply(&block, v, NULL, mechanics->work[0], 1);
    for (int i = 0; i < body->n_dof; i++)
        f[i] -= mechanics->work[0][i];
    return COND_OK;
}

CondStatus cond_mechanics_weight(CondMechanics* mechanics, int index, double* f)
{
    const CondBody* body = body_of(mechanics, index);
    if (!body)
        return cond_model_check_body(mechanics->model, index);
    double* still = mechanics->work[0];
    memset(still, 0, (size_t)body->n_dof * sizeof *still);
    cond_body_ops(body->kind)
        ->bias(body, &mechanics->kinematics, still, 0.0, mechanics->model->settings.gravity, f);
    return COND_OK;
}

CondStatus cond_mechanics_forward(CondMechanics* mechanics, int index, const double* tau,
                                  double* rate)
{
    const CondBody* body = body_of(mechanics, index);
    double* f = mechanics->work[1];
    if (cond_mechanics_bias(mechanics, index, f))
        return COND_BAD_ARGUMENT;
    for (int i = 0; tau && i < body->n_dof; i++)
        f[i] += tau[i];
    cond_body_ops(body->kind)->accelerate(body, &mechanics->kinematics, f, rate);
    return COND_OK;
}

CondStatus cond_mechanics_inverse(CondMechanics* mechanics, int index, const double* rate,
                                  double* tau)
{
    const CondBody* body = body_of(mechanics, index);
    double *f = mechanics->work[1], *Ma = mechanics->work[0];
    CondBlock block;
    if (cond_mechanics_bias(mechanics, index, f))
        return COND_BAD_ARGUMENT;
    memset(Ma, 0, (size_t)body->n_dof * sizeof *Ma);
    if (rate) {
        cond_body_ops(body->kind)->mass(body, &mechanics->kinematics, mechanics->values, &block);
        cond_block_multiply(&block, rate, NULL, Ma, 1);
    }
    for (int i = 0; i < body->n_dof; i++)
        tau[i] = Ma[i] - f[i];
    return COND_OK;
}

CondStatus cond_mechanics_push(CondMechanics* mechanics, const CondPlace* place,
                               const double force[3], const double torque[3], double* f)
{
    double world[3];
    int first, n;
    CondStatus status = differentiate(mechanics, place, world, &first, &n);
    if (status)
        return status;
    f += first - mechanics->model->body[place->body].dof_begin;
    for (int r = 0; r < 6; r++) {
        double part = r < 3 ? (force ? force[r] : 0.0) : torque ? torque[r - 3] : 0.0;
        for (int k = 0; k < n; k++)
            f[k] += mechanics->J[r * n + k] * part;
    }
    return COND_OK;
}

CondStatus cond_mechanics_impedance(CondMechanics* mechanics, const CondPlace* place,
                                    const CondPose* target, const double stiffness[6],
                                    const double damping[6], double* f)
{
    CondPose now;
    double wrench[6], turn[3], unit[4];
    CondStatus status = cond_mechanics_pose(mechanics, place, &now);
    if (status)
        return status;
    double norm2 = 0.0;
    for (int k = 0; k < 4; k++)
        norm2 += target->orientation[k] * target->orientation[k];
    if (!(norm2 > 0.0) || !isfinite(norm2))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "target: orientation is a quaternion of length %g", sqrt(norm2));
    memcpy(unit, target->orientation, sizeof unit);
    quat_normalize(unit);
    quat_between(now.orientation, unit, turn);
    for (int k = 0; k < 3; k++) {
        wrench[k] = stiffness[k] * (target->position[k] - now.position[k]) +
                    damping[k] * (target->velocity[k] - now.velocity[k]);
        wrench[3 + k] = stiffness[3 + k] * turn[k] +
                        damping[3 + k] * (target->angular_velocity[k] - now.angular_velocity[k]);
    }
    return cond_mechanics_push(mechanics, place, wrench, wrench + 3, f);
}

CondStatus cond_mechanics_energy(CondMechanics* mechanics, int index, double* kinetic,
                                 double* potential)
{
    const CondBody* body = body_of(mechanics, index);
    if (!body)
        return cond_model_check_body(mechanics->model, index);
    const CondBodyOps* ops = cond_body_ops(body->kind);
    const double* v = mechanics->v + body->dof_begin;
    double sum = 0.0;
    CondBlock block;
    ops->mass(body, &mechanics->kinematics, mechanics->values, &block);
    cond_block_multiply(&block, v, NULL, mechanics->work[0], 1);
    for (int i = 0; i < body->n_dof; i++)
        sum += 0.5 * v[i] * mechanics->work[0][i];
    *kinetic = sum;
    *potential = ops->potential(body, &mechanics->kinematics, mechanics->model->settings.gravity);
    return COND_OK;
}

void cond_reach_settings_default_fill(CondReachSettings* made, size_t size)
{
    const CondReachSettings defaults = {
        .tolerance = 1e-9, .length = 0.25, .max_iterations = 200, .max_starts = 20};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondReachSettings, struct_size));
}

CondStatus cond_mechanics_reach(CondMechanics* mechanics, const CondPlace* place,
                                const double position[3], const double* orientation,
                                const CondReachSettings* settings, double* q, double* error)
{
    CondFrame frame;
    CondReachSettings own = cond_reach_settings_default();
    CondIkFrame at = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    CondIkTarget target = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    CondIkInfo info;
    if (find_frame(mechanics, place, &frame))
        return COND_BAD_ARGUMENT;
    if (!mechanics->ik[place->body])
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "place: body %d: '%s' is no robot",
                              place->body, mechanics->model->body[place->body].name);
    if (settings &&
        cond_definition_take(settings, &own, sizeof own, offsetof(CondReachSettings, struct_size),
                             "cond_reach_settings_default", NULL))
        return COND_BAD_ARGUMENT;
    at.link = place->part;
    memcpy(at.position, place->point, sizeof at.position);
    memcpy(target.position, position, sizeof target.position);
    if (orientation)
        memcpy(target.orientation, orientation, sizeof target.orientation);
    double size = 0.0, finite = 0.0;
    for (int k = 0; k < 4; k++)
        size += target.orientation[k] * target.orientation[k];
    for (int k = 0; k < 3; k++)
        finite += 0.0 * position[k];
    for (int i = 0; i < mechanics->model->body[place->body].n_q; i++)
        finite += 0.0 * q[i];
    if (!(size > 0.0) || !isfinite(size) || finite != 0.0 ||
        cond_body_turnless(&mechanics->model->body[place->body], q) >= 0 ||
        !(own.tolerance >= 0.0) || own.max_starts < 1 || !(own.length > 0.0))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "position, orientation and q must be finite, quaternions not 0; "
                              "settings: tolerance >= 0, max_starts >= 1, length > 0");
    quat_normalize(target.orientation);
    CondIkSearch search = {.length = orientation ? own.length : 0.0,
                           .tolerance = own.tolerance,
                           .max_iterations = own.max_iterations,
                           .max_starts = own.max_starts};
    CondStatus status = cond_ik_solve(mechanics->ik[place->body], &search, &at, &target, q, &info);
    if (error) {
        error[0] = info.position_error;
        error[1] = info.angle_error;
    }
    return status;
}
