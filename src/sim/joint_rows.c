// Limits, friction and motors of joints as rows of the step's problem: scalars with an interval of
// forces (COND_FORCE_INTERVAL), behind the contacts of the problem and of sim->attempt.lambda.
#include "sim/joint_rows.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "model/articulation.h"
#include "potential/motor.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

CondStatus cond_joint_rows_create(CondSim* sim)
{
    CondJointRows* rows = &sim->rows;
    CondArena* arena = &sim->arena;
    size_t n = (size_t)sim->model->n_target;
    size_t all = n * COND_N_ROW_KIND + (size_t)sim->model->n_loose;
    rows->row = cond_arena_allocate(arena, all, sizeof *rows->row);
    rows->wanted = cond_arena_allocate(arena, n, sizeof *rows->wanted);
    rows->motor = cond_arena_allocate(arena, n, sizeof *rows->motor);
    rows->base = cond_arena_allocate(arena, n, sizeof *rows->base);
    rows->kept = cond_arena_allocate(arena, all, sizeof *rows->kept);
    rows->part = cond_arena_allocate(arena, all, sizeof *rows->part);
    rows->passed = cond_arena_allocate(arena, n, sizeof *rows->passed);
    rows->stop = cond_arena_allocate(arena, 2 * n, sizeof *rows->stop);
    rows->reading = cond_arena_allocate(arena, n, sizeof *rows->reading);
    rows->loose = cond_arena_allocate(arena, (size_t)sim->model->n_loose, sizeof *rows->loose);
    int made = rows->loose && rows->row && rows->wanted && rows->motor && rows->base &&
               rows->kept && rows->part && rows->passed && rows->stop && rows->reading;
    return made ? COND_OK : COND_OUT_OF_MEMORY;
}

double cond_joint_row_sign(CondJointRowKind kind)
{
    return kind == COND_ROW_UPPER || kind == COND_ROW_FASTEST ? -1.0 : 1.0;
}

static int is_limit(CondJointRowKind kind)
{
    return kind == COND_ROW_LOWER || kind == COND_ROW_UPPER;
}

static CondContactKey key_of(const CondBody* body, int joint, CondJointRowKind kind)
{
    return (CondContactKey){.pair = COND_KEY_JOINT + (uint64_t)body->number,
                            .role = (uint64_t)joint * COND_N_ROW_KIND + (uint64_t)kind};
}

// How far the joint is from a position limit.
static double gap_of(const CondJointBounds* bounds, CondJointRowKind kind, double q)
{
    return kind == COND_ROW_LOWER ? q - bounds->lower : bounds->upper - q;
}

// The motors of a robot's joints in this step.
static const CondMotor* motors_of(const CondSim* sim, const CondBody* body)
{
    return sim->next->motor + body->target_begin;
}

static int has_motor(const CondMotor* motor)
{
    return motor->stiffness > 0.0 || motor->damping > 0.0;
}

// Torque of the linear motor of a joint with v_hat; g = th t k + d.
static double motor_torque(const CondSim* sim, const CondBody* body, int j, double q, double v,
                           double* g)
{
    const CondMotor* motor = &motors_of(sim, body)[j];
    int i = body->target_begin + j;
    *g = sim->length[body->index] * motor->stiffness + motor->damping;
    return motor->stiffness * (sim->targets.middle[i] - q) + motor->damping * sim->targets.rate[i] +
           motor->torque - *g * v;
}

// Dry friction of a coordinate, the joint's own or, behind these, one of base and balls.
static double friction_of(const CondBody* body, int joint)
{
    int n = body->arm->n_joint;
    return joint < n ? body->bounds[joint].friction : body->dry[joint - n];
}

// The rows of base and balls, which have dry friction alone.
static void list_loose(CondSim* sim, const CondState* state, const CondBody* body)
{
    int n = body->arm->n_joint;
    for (int i = 0; i < body->arm->n_dof - n; i++)
        if (body->dry[i] > 0.0 && !state->off[body->index])
            sim->rows.row[sim->rows.n++] = (CondJointRow){
                .kind = COND_ROW_FRICTION,
                .body = body->index,
                .joint = n + i,
                .coordinate = body->dof_begin + i,
                .key = key_of(body, n + i, COND_ROW_FRICTION),
                .speed = state->v[body->dof_begin + i],
            };
}

// Lists the rows that are wanted.
static void list(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondJointRows* rows = &sim->rows;
    rows->n = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int j = 0; body->kind == COND_BODY_ROBOT && j < body->arm->n_joint; j++) {
            int wanted = rows->wanted[body->target_begin + j];
            int coordinate = cond_body_joint_v(body) + j;
            double q = state->q[cond_body_joint_q(body) + j];
            rows->motor[body->target_begin + j] = wanted >> COND_ROW_MOTOR & 1;
            for (int kind = 0; kind < COND_N_ROW_KIND; kind++)
                if (wanted >> kind & 1)
                    rows->row[rows->n++] =
                        (CondJointRow){.kind = (CondJointRowKind)kind,
                                       .body = b,
                                       .joint = j,
                                       .coordinate = coordinate,
                                       .key = key_of(body, j, (CondJointRowKind)kind),
                                       .q = q,
                                       .gap = gap_of(&body->bounds[j], (CondJointRowKind)kind, q),
                                       .speed = cond_joint_row_sign((CondJointRowKind)kind) *
                                                state->v[coordinate]};
        }
        if (body->kind == COND_BODY_ROBOT && model->settings.method == COND_STEP_VELOCITY)
            list_loose(sim, state, body);
    }
}

// The force of a row in the last step; 0 where it was none.
static double last_force(const CondState* state, const CondBody* body, int j, CondJointRowKind kind)
{
    const CondContactMemory* memory = cond_state_recall(state, key_of(body, j, kind));
    return memory ? memory->lambda[0] : 0.0;
}

// 1 where a step may be solved again with what its answer violates.
static int is_rechecked(const CondSim* sim)
{
    const CondSceneSettings* settings = &sim->model->settings;
    return settings->gap && settings->solver.stop == COND_STOP_CERTIFICATE && settings->rounds > 0;
}

// 1 where a torque is beyond a share of the motor's effort.
static int is_beyond(const CondMotor* motor, double torque, double share)
{
    return torque > share * motor->effort || -torque > share * motor->effort_back;
}

// 1 where a joint passes a limit with the velocities at hand, or is about to.
static int is_near(const CondSim* sim, const CondState* state, const CondBody* body, int j,
                   CondJointRowKind kind)
{
    const CondJointBounds* bounds = &body->bounds[j];
    int at = cond_body_joint_v(body) + j;
    double q = state->q[cond_body_joint_q(body) + j], sign = cond_joint_row_sign(kind), g;
    double slow = fmin(sign * state->v[at], sign * state->v_hat[at]); // towards the limit
    if (kind == COND_ROW_MOTOR)
        return is_beyond(&motors_of(sim, body)[j],
                         motor_torque(sim, body, j, q, state->v_hat[at], &g), COND_SAFETY);
    return is_limit(kind) ? gap_of(bounds, kind, q) + 2.0 * sim->attempt.time_step * slow < 0.0
                          : -slow > COND_SAFETY * bounds->velocity;
}

// The rows of a joint that a step begins with.
static int choose_joint(const CondSim* sim, const CondState* state, const CondBody* body, int j)
{
    const CondMotor* motor = &motors_of(sim, body)[j];
    int again = is_rechecked(sim),
        wanted = body->bounds[j].friction > 0.0 ? 1 << COND_ROW_FRICTION : 0;
    for (int k = 0; k < COND_N_ROW_KIND; k++) {
        CondJointRowKind kind = (CondJointRowKind)k;
        if (kind == COND_ROW_FRICTION || (kind == COND_ROW_MOTOR && !has_motor(motor)))
            continue;
        double force = last_force(state, body, j, kind);
        int acted = kind == COND_ROW_MOTOR
                        ? force >= (1.0 - COND_INPUT_ROUNDING) * motor->effort ||
                              -force >= (1.0 - COND_INPUT_ROUNDING) * motor->effort_back
                        : force > 0.0;
        if (acted || (!again && is_near(sim, state, body, j, kind)))
            wanted |= 1 << k;
    }
    return wanted;
}

void cond_joint_rows_choose(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    int knows = model->settings.method == COND_STEP_VELOCITY; // the baselines do not
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int j = 0; body->kind == COND_BODY_ROBOT && j < body->arm->n_joint; j++)
            sim->rows.wanted[body->target_begin + j] =
                knows && !state->off[b] ? choose_joint(sim, state, body, j) : 0;
    }
    list(sim, state);
}

void cond_joint_rows_set(CondSim* sim, const CondState* state, const int* wanted)
{
    memcpy(sim->rows.wanted, wanted, (size_t)sim->model->n_target * sizeof *wanted);
    list(sim, state);
}

void cond_joint_rows_set_base(CondSim* sim, int body)
{
    const CondBody* robot = &sim->model->body[body];
    const double* q = sim->at_start.q + cond_body_joint_q(robot);
    for (int j = 0; j < robot->arm->n_joint; j++) {
        double g;
        if (sim->rows.motor[robot->target_begin + j])
            sim->rows.base[robot->target_begin + j] = cond_motor_bound(
                &motors_of(sim, robot)[j], motor_torque(sim, robot, j, q[j], 0.0, &g));
    }
}

static double base_of(const CondSim* sim, const CondJointRow* row)
{
    const CondBody* body = &sim->model->body[row->body];
    return row->kind == COND_ROW_MOTOR ? sim->rows.base[body->target_begin + row->joint] : 0.0;
}

// The row as it is in the step's problem.
static void make_contact(const CondSim* sim, const CondJointRow* row, CondContact* contact)
{
    static const double along[3] = {1.0, 0.0, 0.0}, against[3] = {-1.0, 0.0, 0.0};
    const CondBody* body = &sim->model->body[row->body];
    double theta = sim->theta[row->body], base = base_of(sim, row), g;
    *contact = (CondContact){.frame = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                             .kv = INFINITY, // a stop does not creep
                             .key = cond_key_mix(row->key),
                             .set = COND_FORCE_INTERVAL,
                             .bound = {0.0, INFINITY}};
    contact->side[0] =
        (CondSide){.n_coordinate = 1,
                   .coordinate = &row->coordinate,
                   .jacobian = cond_joint_row_sign(row->kind) > 0.0 ? along : against};
    switch (row->kind) {
    case COND_ROW_LOWER:
    case COND_ROW_UPPER: // what is beyond by more is led back apart, and must not become speed
        contact->phi[0] = fmax(row->gap, -COND_NANOMETRE) / sim->attempt.time_step;
        break;
    case COND_ROW_FASTEST:
    case COND_ROW_SLOWEST: // v_hat = (1 - th) v_k + th v_{k+1}
        contact->phi[0] = theta * body->bounds[row->joint].velocity - (1.0 - theta) * row->speed;
        break;
    case COND_ROW_FRICTION:
        contact->bound[0] = -friction_of(body, row->joint);
        contact->bound[1] = friction_of(body, row->joint);
        break;
    default:
        contact->phi[0] = (base - motor_torque(sim, body, row->joint, row->q, 0.0, &g)) / g;
        contact->compliance = 1.0 / g;
        contact->bound[0] = -motors_of(sim, body)[row->joint].effort_back - base;
        contact->bound[1] = motors_of(sim, body)[row->joint].effort - base;
    }
}

double cond_joint_row_force(const CondSim* sim, int r)
{
    return sim->attempt.lambda[3 * (sim->attempt.candidates.n + r)] +
           base_of(sim, &sim->rows.row[r]);
}

double cond_joint_row_lambda(const CondSim* sim, int r, double force)
{
    return force - base_of(sim, &sim->rows.row[r]);
}

CondStatus cond_joint_rows_place(CondSim* sim)
{
    CondContact* contact;
    CondStatus status = cond_assembly_add_contacts(&sim->attempt.assembly, sim->rows.n, &contact);
    for (int r = 0; r < sim->rows.n && !status; r++)
        make_contact(sim, &sim->rows.row[r], &contact[r]);
    return status;
}

// The rows of a joint that v_hat violates.
static int violated(const CondSim* sim, const CondState* state, const CondBody* body, int j)
{
    const CondJointBounds* bounds = &body->bounds[j];
    int at = cond_body_joint_v(body) + j, wanted = 0;
    double start = state->q[cond_body_joint_q(body) + j], v_hat = sim->attempt.v_hat[at], g;
    double end = sim->next->q[cond_body_joint_q(body) + j];
    double v = state->v[at] + (v_hat - state->v[at]) / sim->theta[body->index];
    double torque = motor_torque(sim, body, j, start, v_hat, &g);
    for (int kind = COND_ROW_LOWER; kind <= COND_ROW_UPPER; kind++)
        if (fmin(gap_of(bounds, (CondJointRowKind)kind, start), 0.0) -
                gap_of(bounds, (CondJointRowKind)kind, end) >
            COND_NANOMETRE)
            wanted |= 1 << kind;
    if (fabs(v) > (1.0 + COND_INPUT_ROUNDING) * bounds->velocity)
        wanted |= 1 << (v > 0.0 ? COND_ROW_FASTEST : COND_ROW_SLOWEST);
    if (has_motor(&motors_of(sim, body)[j]) &&
        is_beyond(&motors_of(sim, body)[j], torque, 1.0 + COND_INPUT_ROUNDING))
        wanted |= 1 << COND_ROW_MOTOR;
    return wanted;
}

int cond_joint_rows_find_violated(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    int n = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int j = 0; body->kind == COND_BODY_ROBOT && j < body->arm->n_joint; j++) {
            int* wanted = &sim->rows.wanted[body->target_begin + j];
            int more = state->off[b] ? 0 : violated(sim, state, body, j) & ~*wanted;
            *wanted |= more;
            for (; more; more &= more - 1)
                n++;
        }
    }
    return n;
}

static double* kept_force(const CondSim* sim, const CondJointRow* row)
{
    const CondBody* body = &sim->model->body[row->body];
    int n = body->arm->n_joint, target = body->target_begin + row->joint;
    return row->joint < n ? &sim->rows.kept[COND_N_ROW_KIND * target + (int)row->kind]
                          : &sim->rows.kept[COND_N_ROW_KIND * sim->model->n_target +
                                            body->loose_begin + row->joint - n];
}

CondStatus cond_joint_rows_join(CondSim* sim, const CondState* state)
{
    CondJointRows* rows = &sim->rows;
    int first = sim->attempt.candidates.n;
    size_t n_kept = COND_N_ROW_KIND * (size_t)sim->model->n_target + (size_t)sim->model->n_loose;
    memset(rows->kept, 0, n_kept * sizeof *rows->kept);
    for (int r = 0; r < rows->n; r++)
        *kept_force(sim, &rows->row[r]) = sim->attempt.lambda[3 * (first + r)];
    int before = rows->n;
    list(sim, state);
    rows->joined = rows->n > before;
    if (cond_sim_reserve_forces(sim, first + rows->n))
        return COND_OUT_OF_MEMORY;
    for (int r = 0; r < rows->n; r++) {
        double* lambda = sim->attempt.lambda + 3 * (ptrdiff_t)(first + r);
        lambda[0] = *kept_force(sim, &rows->row[r]);
        lambda[1] = lambda[2] = 0.0;
    }
    return COND_OK;
}

void cond_joint_rows_rest(CondSim* sim)
{
    for (int r = 0; r < sim->rows.n; r++) {
        int at = sim->rows.row[r].coordinate;
        double* lambda = &sim->attempt.lambda[3 * (sim->attempt.candidates.n + r)];
        if (fabs(sim->next->v[at]) < COND_JOINT_NOTHING)
            sim->next->v[at] = 0.0;
        if (fabs(sim->next->v_hat[at]) < COND_JOINT_NOTHING)
            sim->next->v_hat[at] = 0.0;
        if (fabs(*lambda) < COND_JOINT_NOTHING)
            *lambda = 0.0;
    }
}

int cond_joint_row_strikes(const CondJointRow* row)
{
    if (is_limit(row->kind))
        return row->gap > COND_NANOMETRE || row->speed < -COND_MICROMETRE;
    return row->kind == COND_ROW_FASTEST || row->kind == COND_ROW_SLOWEST;
}

// 1 where a position limit is closed at the end of the step.
static int is_closed(const CondSim* sim, int r)
{
    const CondJointRow* row = &sim->rows.row[r];
    double way = sim->attempt.time_step * cond_joint_row_sign(row->kind) *
                 sim->attempt.v_hat[row->coordinate];
    return sim->attempt.lambda[3 * (sim->attempt.candidates.n + r)] > 0.0 ||
           !(row->gap + way > COND_NANOMETRE);
}

// Contact is posed on v_hat. Where that is stopped at theta < 1, v_{k+1} = v_k + (v_hat -
// v_k)/theta is not: off the limit again, or against the friction that holds it.
int cond_joint_row_needs_impact(const CondSim* sim, int r)
{
    const CondJointRow* row = &sim->rows.row[r];
    double lambda = sim->attempt.lambda[3 * (sim->attempt.candidates.n + r)];
    double v = cond_joint_row_sign(row->kind) * sim->next->v[row->coordinate];
    if (!(sim->theta[row->body] < 1.0) || !(fabs(v) > COND_NANOMETRE))
        return 0;
    if (is_limit(row->kind))
        return is_closed(sim, r) && (v < 0.0 || lambda > 0.0);
    double F = friction_of(&sim->model->body[row->body], row->joint);
    return row->kind == COND_ROW_FRICTION &&
           (fabs(lambda) < (1.0 - COND_INPUT_ROUNDING) * F || lambda * v > 0.0);
}

// A motor's force is finite and known: it takes no part.
static int takes_part(const CondSim* sim, int r)
{
    CondJointRowKind kind = sim->rows.row[r].kind;
    return is_limit(kind) ? is_closed(sim, r) : kind != COND_ROW_MOTOR;
}

CondStatus cond_joint_rows_pose_impact(CondSim* sim, const int* struck, CondAssembly* assembly,
                                       int n, int* n_row)
{
    CondJointRows* rows = &sim->rows;
    CondContact* contact;
    *n_row = 0;
    for (int r = 0; r < rows->n; r++)
        if (struck[rows->row[r].body] && takes_part(sim, r))
            rows->part[(*n_row)++] = r;
    assembly->problem.n_contact = n;
    CondStatus status = cond_assembly_add_contacts(assembly, *n_row, &contact);
    for (int k = 0; k < *n_row && !status; k++) {
        const CondJointRow* row = &rows->row[rows->part[k]];
        const CondBody* body = &sim->model->body[row->body];
        contact[k] = sim->attempt.assembly.contact[sim->attempt.candidates.n + rows->part[k]];
        int fast = row->kind == COND_ROW_FASTEST || row->kind == COND_ROW_SLOWEST;
        contact[k].phi[0] = fast ? body->bounds[row->joint].velocity : 0.0;
        contact[k].kv = INFINITY;
        if (row->kind == COND_ROW_FRICTION)
            for (int i = 0; i < 2; i++)
                contact[k].bound[i] *= sim->attempt.time_step;
    }
    return status;
}

void cond_joint_stops_forget(CondSim* sim)
{
    memset(sim->rows.passed, 0, (size_t)sim->model->n_target * sizeof *sim->rows.passed);
}

int cond_joint_stops_find(CondSim* sim, const double* v)
{
    const CondModel* model = sim->model;
    int n = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int j = 0; body->kind == COND_BODY_ROBOT && j < body->arm->n_joint; j++)
            for (int k = COND_ROW_LOWER; k <= COND_ROW_UPPER; k++) {
                CondJointRowKind kind = (CondJointRowKind)k;
                int* passed = &sim->rows.passed[body->target_begin + j];
                double q = sim->next->q[cond_body_joint_q(body) + j];
                double way = sim->attempt.time_step * cond_joint_row_sign(kind) *
                             v[cond_body_joint_v(body) + j];
                double gap = fmax(gap_of(&body->bounds[j], kind, q), 0.0);
                if (*passed >> k & 1 || !(gap + way < -COND_NANOMETRE))
                    continue;
                *passed |= 1 << k;
                n++;
            }
    }
    return n;
}

CondStatus cond_joint_stops_add(CondSim* sim, CondAssembly* assembly)
{
    const CondModel* model = sim->model;
    int n = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int j = 0; body->kind == COND_BODY_ROBOT && j < body->arm->n_joint; j++)
            for (int k = COND_ROW_LOWER; k <= COND_ROW_UPPER; k++) {
                CondJointRowKind kind = (CondJointRowKind)k;
                double q = sim->next->q[cond_body_joint_q(body) + j];
                if (sim->rows.passed[body->target_begin + j] >> k & 1)
                    sim->rows.stop[n++] =
                        (CondJointRow){.kind = kind,
                                       .body = b,
                                       .joint = j,
                                       .coordinate = cond_body_joint_v(body) + j,
                                       .key = key_of(body, j, kind),
                                       .gap = fmax(gap_of(&body->bounds[j], kind, q), 0.0)};
            }
    }
    CondContact* contact;
    CondStatus status = n > 0 ? cond_assembly_add_contacts(assembly, n, &contact) : COND_OK;
    for (int r = 0; r < n && !status; r++) {
        make_contact(sim, &sim->rows.stop[r], &contact[r]);
        contact[r].kv = INFINITY;
    }
    return status;
}

double cond_joint_rows_lead_back(CondSim* sim, double share)
{
    const CondModel* model = sim->model;
    double longest = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int j = 0; body->kind == COND_BODY_ROBOT && j < body->arm->n_joint; j++) {
            const CondJointBounds* bounds = &body->bounds[j];
            double* q = &sim->next->q[cond_body_joint_q(body) + j];
            double way = (*q < bounds->lower ? bounds->lower : bounds->upper) - *q;
            if ((*q >= bounds->lower && *q <= bounds->upper) || sim->next->off[b])
                continue;
            *q = fabs(way) > share ? *q + copysign(share, way)
                 : way > 0.0       ? bounds->lower
                                   : bounds->upper;
            longest = fmax(longest, fmin(fabs(way), share));
        }
    }
    if (longest > 0.0)
        cond_kinematics_set(&sim->at_end, sim->next->q);
    return longest;
}
