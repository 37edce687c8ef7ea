// What acts in the joints of robots, read at the end of every step.
#include "base/definition.h"
#include "base/error.h"
#include "model/articulation.h"
#include "model/index.h"
#include "potential/motor.h"
#include "sim/sim.h"
#include "sleep/sleep.h"

#include <string.h>

// The limit of a motor on the side that it pulls to.
static void set_effort(CondSim* sim, int i)
{
    const CondMotor* motor = &sim->next->motor[i];
    CondJointReading* reading = &sim->rows.reading[i];
    reading->effort = reading->motor < 0.0 ? motor->effort_back : motor->effort;
}

// Robots of position-based dynamics have no motors, and those of the penalty method act at v_k.
static void read_motors(CondSim* sim, const CondBody* body)
{
    const CondModel* model = sim->model;
    double step = model->settings.method == COND_STEP_VELOCITY ? sim->length[body->index] : 0.0;
    for (int j = 0; j < body->arm->n_joint; j++) {
        CondJointReading* reading = &sim->rows.reading[body->target_begin + j];
        *reading = (CondJointReading){.position = sim->next->q[cond_body_joint_q(body) + j],
                                      .velocity = sim->next->v[cond_body_joint_v(body) + j]};
        int i = body->target_begin + j;
        if (sim->rows.motor[i])
            reading->motor = sim->rows.base[i];
        else if (model->settings.method != COND_STEP_PBD)
            reading->motor = cond_motor_torque(
                &sim->at_start, body, sim->next->motor + body->target_begin, j,
                sim->targets.middle[i], sim->targets.rate[i], step, sim->attempt.v_hat);
        set_effort(sim, i);
    }
}

void cond_joint_rows_read(CondSim* sim)
{
    const CondModel* model = sim->model;
    const CondJointRows* rows = &sim->rows;
    memset(rows->loose, 0, (size_t)model->n_loose * sizeof *rows->loose);
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            read_motors(sim, &model->body[b]);
    for (int r = 0; r < rows->n; r++) {
        const CondJointRow* row = &rows->row[r];
        const CondBody* body = &model->body[row->body];
        CondJointReading* reading =
            &rows->reading[body->target_begin + (row->joint < body->arm->n_joint ? row->joint : 0)];
        double force = cond_joint_row_sign(row->kind) *
                       sim->attempt.impulse[3 * (sim->attempt.candidates.n + r)] /
                       sim->attempt.time_step;
        int beyond = row->joint - body->arm->n_joint;
        if (beyond >= 0)
            rows->loose[body->loose_begin + beyond] = force;
        else if (row->kind == COND_ROW_LOWER || row->kind == COND_ROW_UPPER)
            reading->limit += force;
        else if (row->kind == COND_ROW_FRICTION)
            reading->friction = force;
        else if (row->kind == COND_ROW_MOTOR) { // which is counted from its base
            reading->motor += force;
            set_effort(sim, model->body[row->body].target_begin + row->joint);
        } else
            reading->velocity_limit += force;
    }
}

// The last piece ends where the step does.
static void add_reading(const CondJointReading* piece, double weight, CondJointReading* sum)
{
    CondJointReading out = *piece;
    out.motor = sum->motor + weight * piece->motor;
    out.friction = sum->friction + weight * piece->friction;
    out.limit = sum->limit + weight * piece->limit;
    out.velocity_limit = sum->velocity_limit + weight * piece->velocity_limit;
    *sum = out;
}

void cond_joint_rows_add(const CondSim* sim, double weight, int first, CondJointReading* sum)
{
    for (int i = 0; i < sim->model->n_target; i++) {
        if (first)
            sum[i] = (CondJointReading){0};
        add_reading(&sim->rows.reading[i], weight, &sum[i]);
    }
}

void cond_joint_rows_mean(CondSim* sim, double weight, const CondJointReading* sum)
{
    for (int i = 0; i < sim->model->n_target; i++) {
        CondJointReading* reading = &sim->rows.reading[i];
        *reading = sum[i];
        reading->motor /= weight;
        reading->friction /= weight;
        reading->limit /= weight;
        reading->velocity_limit /= weight;
    }
}

static CondStatus sim_joint_whole(const CondSim* sim, int body, int coordinate,
                                  CondJointReading* reading)
{
    CondStatus status = cond_model_check_kind(sim->model, body, COND_BODY_ROBOT);
    if (!status)
        status =
            cond_index_check("coordinate", coordinate, cond_model_n_coordinate(sim->model, body));
    if (status)
        return status;
    if (!sim->readings.ready)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "no step was made yet");
    int target = sim->model->body[body].target_begin + coordinate;
    *reading = cond_sleep_reader(sim)->rows.reading[target];
    return COND_OK;
}

CondStatus cond_sim_joint_sized(const CondSim* sim, int body, int coordinate,
                                CondJointReading* reading, size_t size)
{
    COND_SIZED(CondStatus, CondJointReading, reading, size,
               sim_joint_whole(sim, body, coordinate, it));
}
