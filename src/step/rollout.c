// Many states of one model led forward by threads. Each thread has a workspace of its own, and a
// state tells all of its future, so that it makes no difference who steps it.
#define _POSIX_C_SOURCE 200809L // nanosleep
#include "cond/rollout.h"

#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "model/state.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

struct CondRollout {
    CondContext context;
    const CondModel* model;
    int threads;
    CondSim** sim; // made when their threads first work                 (threads)
};

// A run: what all threads see of it.
typedef struct Work {
    CondRollout* rollout;
    const CondRolloutDef* def;
    CondState* const* state;
    int n, n_control, n_state, n_sensor;
    _Atomic int next, done; // states that somebody has taken, and that are through
    _Atomic int cancelled;
    CondStatus* worst; // of the steps of a state; negative: it could not be stepped at all   (n)
} Work;

enum {
    MOTORS = COND_CONTROL_TARGET | COND_CONTROL_MOVE | COND_CONTROL_SPEED | COND_CONTROL_TORQUE,
    ALL = MOTORS | COND_CONTROL_FORCE,
    BOTH_TARGETS = COND_CONTROL_TARGET | COND_CONTROL_MOVE,
};

void cond_rollout_def_default_fill(CondRolloutDef* made, size_t size)
{
    const CondRolloutDef defaults = {.n_step = 0};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondRolloutDef, struct_size));
}

static int n_motor(const CondModel* model)
{
    int n = 0;
    for (int b = 0; b < model->n_body; b++)
        n += cond_model_n_coordinate(model, b);
    return n;
}

int cond_model_n_control(const CondModel* model, int controls)
{
    if ((controls & ~ALL) || (controls & BOTH_TARGETS) == BOTH_TARGETS)
        return -1;
    int n = controls & COND_CONTROL_FORCE ? model->n_dof : 0;
    for (int bit = COND_CONTROL_TARGET; bit <= COND_CONTROL_TORQUE; bit *= 2)
        n += controls & bit ? n_motor(model) : 0;
    return n;
}

int cond_model_n_state(const CondModel* model)
{
    return 1 + model->n_q + model->n_dof;
}

CondStatus cond_rollout_create(const CondModel* model, int threads, CondRollout** rollout,
                               CondError* error)
{
    *rollout = NULL;
    if (threads < 0 || threads > COND_MAX_THREADS)
        return cond_error_set(error, COND_BAD_ARGUMENT, "a rollout with %d threads", threads);
    CondContext m = model->arena.context;
    CondRollout* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    *made = (CondRollout){.context = m, .model = model, .threads = cond_threads(SIZE_MAX, threads)};
    made->sim = cond_allocate(&m, (size_t)made->threads, sizeof(CondSim*));
    if (!made->sim) {
        cond_release(&m, made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    *rollout = made;
    return COND_OK;
}

void cond_rollout_destroy(CondRollout* rollout)
{
    if (!rollout)
        return;
    CondContext m = rollout->context;
    for (int i = 0; i < rollout->threads; i++)
        cond_sim_destroy(rollout->sim[i]);
    cond_release(&m, rollout->sim);
    cond_release(&m, rollout);
}

// Hands one control to a state, part by part.
static CondStatus apply(const CondModel* model, int controls, const double* control,
                        CondState* state)
{
    int n = n_motor(model), motors = 0;
    const double* part[4] = {NULL}; // targets, speeds, torques; forces
    for (int i = 0, bit = COND_CONTROL_TARGET; i < 4; i++, bit *= 2) {
        int slot = i < 2 ? 0 : i - 1;
        if (controls & bit)
            part[slot] = control, control += n;
    }
    if (controls & COND_CONTROL_FORCE)
        part[3] = control;
    CondStatus status = COND_OK;
    for (int b = 0; b < model->n_body && !status; b++) {
        int own = cond_model_n_coordinate(model, b);
        const double* of[3];
        for (int i = 0; i < 3; i++)
            of[i] = part[i] ? part[i] + motors : NULL;
        if (own > 0 && (controls & MOTORS))
            status = cond_state_set_targets(model, state, b, of[0],
                                            (controls & COND_CONTROL_MOVE) != 0, of[1], of[2]);
        if (!status && part[3])
            status = cond_state_set_force(model, state, b, part[3] + model->body[b].dof_begin);
        motors += own;
    }
    return status;
}

static void write_state(const CondModel* model, const CondState* state, double* row)
{
    row[0] = state->time;
    memcpy(row + 1, state->q, (size_t)model->n_q * sizeof *row);
    memcpy(row + 1 + model->n_q, state->v, (size_t)model->n_dof * sizeof *row);
}

static void write_sensors(const CondModel* model, const CondSim* sim, double* row)
{
    for (int i = 0; i < model->n_sensor; i++, row += COND_SENSOR_SIZE) {
        CondSensorReading reading = {0};
        cond_sim_sensor(sim, i, &reading);
        CondSensorKind kind = cond_model_sensor_kind(model, i);
        int imu = kind == COND_SENSOR_IMU;
        memset(row, 0, COND_SENSOR_SIZE * sizeof *row);
        if (kind == COND_SENSOR_RANGE) {
            row[0] = reading.distance;
            continue;
        }
        memcpy(row, imu ? reading.acceleration : reading.force, 3 * sizeof *row);
        memcpy(row + 3, imu ? reading.angular_velocity : reading.torque, 3 * sizeof *row);
    }
}

static void fill_nan(size_t n, double* x)
{
    for (size_t i = 0; x && i < n; i++)
        x[i] = NAN;
}

// The rows of a state from step k on, which are not made; `status` is that of the first of them.
static void leave_rows(const Work* work, int i, int k, CondStatus status)
{
    const CondRolloutDef* def = work->def;
    size_t row = (size_t)i * (size_t)def->n_step + (size_t)k, n = (size_t)(def->n_step - k);
    if (n == 0)
        return;
    size_t n_state = (size_t)work->n_state, n_sensor = (size_t)work->n_sensor;
    fill_nan(n * n_state, def->state ? def->state + row * n_state : NULL);
    fill_nan(n * n_sensor, def->sensor ? def->sensor + row * n_sensor : NULL);
    fill_nan(n, def->certificate ? def->certificate + row : NULL);
    for (size_t j = 0; def->status && j < n; j++)
        def->status[row + j] = j == 0 ? (int)status : (int)COND_CANCELLED;
}

static void write_row(const Work* work, size_t row, const CondSim* sim, const CondState* state,
                      const CondStepInfo* info)
{
    const CondRolloutDef* def = work->def;
    const CondModel* model = work->rollout->model;
    if (def->state)
        write_state(model, state, def->state + row * (size_t)work->n_state);
    if (def->sensor)
        write_sensors(model, sim, def->sensor + row * (size_t)work->n_sensor);
    if (def->certificate)
        def->certificate[row] = cond_certificate_residual(&info->solve.certificate);
    if (def->status)
        def->status[row] = (int)info->status;
}

// 1 where the work is not wanted any more; only the thread that called asks.
static int is_cancelled(Work* work)
{
    const CondRolloutDef* def = work->def;
    if (def->cancelled && cond_parallel_rank() == 0 && !work->cancelled &&
        def->cancelled(def->user))
        work->cancelled = 1;
    return work->cancelled;
}

// All steps of one state. A failed step ends them, and is no failure of the run.
static void lead(Work* work, CondSim* sim, int i)
{
    const CondRolloutDef* def = work->def;
    CondState* state = work->state[i];
    size_t first = (size_t)i * (size_t)def->n_step;
    CondStatus worst = COND_OK, status = COND_OK;
    int k = 0;
    for (; k < def->n_step; k++) {
        CondStepInfo info;
        if (is_cancelled(work)) {
            status = worst = COND_CANCELLED;
            break;
        }
        size_t row = first + (size_t)k;
        if (def->controls)
            status = apply(work->rollout->model, def->controls,
                           def->control + row * (size_t)work->n_control, state);
        if (status >= 0)
            status = cond_sim_step(sim, state, &info);
        if (status < 0)
            break;
        write_row(work, row, sim, state, &info);
        worst = status > worst ? status : worst;
    }
    leave_rows(work, i, k, status);
    if (def->finished)
        def->finished[i] = k;
    work->worst[i] = status == COND_OUT_OF_MEMORY || status == COND_CANCELLED ? status : worst;
}

static void lead_by_thread(Work* work, int i)
{
    CondRollout* rollout = work->rollout;
    CondSim** sim = &rollout->sim[cond_parallel_rank()];
    if (!*sim)
        work->worst[i] = cond_sim_create(rollout->model, sim, NULL);
    if (*sim)
        lead(work, *sim, i);
    else
        leave_rows(work, i, 0, work->worst[i]);
}

// What one thread does: the next state that nobody has taken, until there is none. The calling
// thread goes on asking whether the others' work is wanted.
static void serve(void* data, int rank)
{
    Work* work = data;
    (void)rank;
    for (int i; (i = work->next++) < work->n; work->done++)
        lead_by_thread(work, i);
    while (work->def->cancelled && cond_parallel_rank() == 0 && work->done < work->n &&
           !is_cancelled(work))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static CondStatus check_def(const CondModel* model, int n, const CondRolloutDef* def,
                            CondError* error)
{
    if (n < 0 || def->n_step < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "a rollout of %d states and %d steps", n,
                              def->n_step);
    if (cond_model_n_control(model, def->controls) < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "controls %d: not a sum of CondControl, or targets of both kinds",
                              def->controls);
    if (!def->control && cond_model_n_control(model, def->controls) > 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "the array of controls is not there");
    return COND_OK;
}

CondStatus cond_rollout_run(CondRollout* rollout, int n, CondState* const* state,
                            const CondRolloutDef* def, CondError* error)
{
    CondRolloutDef own = cond_rollout_def_default();
    CondStatus status =
        cond_definition_take(def, &own, sizeof own, offsetof(CondRolloutDef, struct_size),
                             "cond_rollout_def_default", error);
    if (!status)
        status = check_def(rollout->model, n, &own, error);
    if (status || n == 0)
        return status;
    const CondModel* model = rollout->model;
    Work work = {.rollout = rollout, .def = &own, .state = state, .n = n};
    work.n_control = cond_model_n_control(model, own.controls);
    work.n_state = cond_model_n_state(model);
    work.n_sensor = model->n_sensor * COND_SENSOR_SIZE;
    work.worst = cond_allocate(&rollout->context, (size_t)n, sizeof *work.worst);
    if (!work.worst)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    int team = rollout->threads < n ? rollout->threads : n;
    cond_parallel_serve(team, serve, &work, __func__);
    for (int i = 0; i < n && status >= 0; i++)
        status = work.worst[i] < 0 || work.worst[i] > status ? work.worst[i] : status;
    cond_release(&rollout->context, work.worst);
    return status < 0 ? cond_error_set(error, status, "rollout: %s", cond_status_name(status))
                      : status;
}
