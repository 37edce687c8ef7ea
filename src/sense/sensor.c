// Sensors of force and torque, read at the end of every step.
//
// What a joint carries follows from Newton and Euler over the links beyond it. All that acts on the
// robot from outside is known by then: contacts, attachments, motors and joint damping. So
//     M a = -C v - g + tau + J' (forces on links)
// gives the acceleration a that these forces mean at the kinematics where they were taken, and a
// recursion outwards and inwards what passes through each joint. Its part along the joint's axis is
// what acts in the joint, to rounding: its motor, friction and limits (sim/joint_rows.h).
#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "body/body.h"
#include "cond/query.h"
#include "math/quat.h"
#include "model/index.h"
#include "potential/attachment.h"
#include "potential/motor.h"
#include "potential/potential.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

CondStatus cond_sensors_create(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondReadings* sensors = &sim->readings;
    size_t n_link = 0, n_dof = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        n_link = (size_t)body->arm->n_link > n_link ? (size_t)body->arm->n_link : n_link;
        n_dof = (size_t)body->n_dof > n_dof ? (size_t)body->n_dof : n_dof;
    }
    sensors->reading =
        cond_arena_allocate(&sim->arena, (size_t)model->n_sensor, sizeof *sensors->reading);
    sensors->load = cond_arena_allocate(&sim->arena, 6 * n_link, sizeof(double));
    sensors->acceleration = cond_arena_allocate(&sim->arena, 2 * n_dof, sizeof(double));
    sensors->leave_out =
        cond_arena_allocate(&sim->arena, (size_t)model->n_body, sizeof *sensors->leave_out);
    int all = sensors->reading && sensors->load && sensors->acceleration && sensors->leave_out;
    if (all && cond_sensors_see(model))
        return cond_query_create(model, &sensors->query, NULL);
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_sensors_destroy(CondSim* sim)
{
    cond_query_destroy(sim->readings.query);
}

int cond_sensors_see(const CondModel* model)
{
    for (int i = 0; i < model->n_sensor; i++)
        if (model->sensor[i].attachment < 0 && model->sensor[i].kind == COND_SENSOR_RANGE)
            return 1;
    return 0;
}

// Share of a soft body's point that lies in a patch: the weights of its nodes there.
static double patch_share(const CondPatch* patch, const CondPoint* point)
{
    double share = 0.0;
    for (int k = 0; k < point->n_node; k++) {
        int low = 0, high = patch->n_node;
        while (low < high) { // its nodes ascend
            int middle = (low + high) / 2;
            if (patch->node[middle] < point->node[k])
                low = middle + 1;
            else
                high = middle;
        }
        if (low < patch->n_node && patch->node[low] == point->node[k])
            share += point->local[k];
    }
    return share;
}

static double sensor_share(const CondModel* model, const void* what, const CondCandidate* candidate,
                           int side)
{
    const CondSensor* sensor = what;
    const CondPoint* point = &candidate->point[side];
    if (point->body != sensor->frame.point.body)
        return 0.0;
    if (sensor->against != COND_ANY_BODY && candidate->point[1 - side].body != sensor->against)
        return 0.0;
    if (sensor->whole)
        return 1.0;
    if (sensor->frame.patch >= 0)
        return patch_share(&model->patch[sensor->frame.patch], point);
    return point->link == sensor->frame.point.link ? 1.0 : 0.0;
}

// Where the sensor is: its point and its axes.
static void place_sensor(const CondSim* sim, const CondKinematics* kinematics,
                         const CondSensor* sensor, CondSensorReading* reading)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double R[9], arm[3];
    int b = sensor->frame.point.body;
    if (sensor->whole && b >= 0 && sim->model->body[b].kind == COND_BODY_SOFT) {
        memcpy(reading->position, sim->readings.centre + 3 * b, sizeof reading->position);
        memcpy(R, identity, sizeof R);
    } else {
        cond_kinematics_frame(kinematics, &sensor->frame, reading->position, R, NULL, NULL);
    }
    mat3_multiply(R, sensor->point, arm);
    for (int i = 0; i < 3; i++)
        reading->position[i] += arm[i];
    mat3_product(R, sensor->axes, reading->axes);
}

// Force and torque about the sensor's point, in world axes, as the sensor tells them.
static void tell(const CondSensor* sensor, const double force[3], const double torque[3],
                 CondSensorReading* reading)
{
    if (sensor->world_axes) {
        memcpy(reading->force, force, sizeof reading->force);
        memcpy(reading->torque, torque, sizeof reading->torque);
        return;
    }
    mat3_multiply_transposed(reading->axes, force, reading->force);
    mat3_multiply_transposed(reading->axes, torque, reading->torque);
}

static void read_contact(const CondSim* sim, const CondSensor* sensor, CondSensorReading* reading)
{
    place_sensor(sim, &sim->at_start, sensor, reading);
    CondResultant sum = cond_sim_sum_contacts(sim, sim->attempt.candidates.n, NULL,
                                              reading->position, sensor_share, sensor);
    reading->n_contact = sum.n_contact;
    memcpy(reading->centre, sum.centre, sizeof reading->centre);
    tell(sensor, sum.force, sum.torque, reading);
}

// torque about `to` of a force at `from` with a torque of its own.
static void move_torque(const double from[3], const double to[3], const double force[3],
                        const double own[3], double torque[3])
{
    double arm[3];
    for (int i = 0; i < 3; i++)
        arm[i] = from[i] - to[i];
    vec3_cross(arm, force, torque);
    for (int i = 0; i < 3; i++)
        torque[i] += own[i];
}

static void read_attachment(const CondSim* sim, const CondKinematics* acting,
                            const CondSensor* sensor, CondSensorReading* reading)
{
    const double* wrench = sim->readings.wrench + 6 * sensor->attachment;
    double at[3], R[9], torque[3];
    place_sensor(sim, acting, sensor, reading);
    cond_kinematics_frame(acting, &sensor->frame, at, R, NULL, NULL);
    move_torque(at, reading->position, wrench, wrench + 3, torque);
    tell(sensor, wrench, torque, reading);
}

// Of forces of the scene and of the user.
static void load_given(const CondSim* sim, const CondState* state, const CondKinematics* acting,
                       const CondBody* body, double* load)
{
    const CondArticulationWork* work = acting->arm[body->index].work;
    double at[3];
    for (int i = 0; i < sim->model->n_force; i++) {
        const CondForce* force = &sim->model->force[i];
        double share = cond_force_share(force, state->time, sim->attempt.time_step), F[3], T[3];
        if (force->point.body != body->index || share == 0.0)
            continue;
        for (int k = 0; k < 3; k++) {
            F[k] = share * force->force[k];
            T[k] = share * force->torque[k];
        }
        cond_kinematics_point(acting, &force->point, at, NULL, NULL);
        cond_articulation_push(work, at, F, T, load + 6 * force->point.link);
    }
    for (int i = 0; i < state->n_push; i++) {
        const CondPush* push = &state->push[i];
        if (push->point.body != body->index)
            continue;
        cond_kinematics_point(acting, &push->point, at, NULL, NULL);
        cond_articulation_push(work, at, push->force, push->torque, load + 6 * push->point.link);
    }
}

// Contacts and attachments that act on the links of a robot.
static void load_links(const CondSim* sim, const CondKinematics* acting, const CondBody* body,
                       double* load)
{
    const CondArticulationWork* work = acting->arm[body->index].work;
    double t = sim->attempt.time_step, at[3], force[3], torque[3], R[9], arm[3];
    memset(load, 0, 6 * (size_t)body->arm->n_link * sizeof *load);
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        for (int s = 0; s < 2; s++) {
            const CondPoint* point = &candidate->point[s];
            if (point->body != body->index)
                continue;
            mat3_multiply_transposed(candidate->frame, sim->attempt.impulse + 3 * c, force);
            for (int i = 0; i < 3; i++)
                force[i] *= (s == 0 ? 1.0 : -1.0) / t;
            cond_kinematics_point(acting, point, at, NULL, NULL);
            cond_articulation_push(work, at, force, NULL, load + 6 * point->link);
        }
    }
    for (int k = 0; k < sim->next->n_weld; k++) {
        const CondWeld* weld = &sim->next->weld[k];
        for (int end = 0; end < 2 && weld->active; end++) {
            const CondFrame* frame = &weld->what.end[end];
            if (frame->point.body != body->index)
                continue;
            cond_kinematics_frame(acting, frame, at, R, NULL, NULL);
            mat3_multiply(R, weld->anchor, arm); // end 1 is pulled where end 0 should be
            for (int i = 0; i < 3; i++) {
                at[i] += end == 0 ? 0.0 : arm[i];
                force[i] = (end == 0 ? 1.0 : -1.0) * sim->readings.wrench[6 * k + i];
                torque[i] = (end == 0 ? 1.0 : -1.0) * sim->readings.wrench[6 * k + 3 + i];
            }
            cond_articulation_push(work, at, force, torque, load + 6 * frame->point.link);
        }
    }
}

// What passes through the joints of a robot, in sensors.load.
static void transmit(CondSim* sim, const CondState* state, const CondKinematics* acting,
                     double step, const CondBody* body)
{
    const CondArticulation* arm = body->arm;
    const CondSceneSettings* settings = &sim->model->settings;
    CondArticulationWork* work = acting->arm[body->index].work;
    double *load = sim->readings.load, *a = sim->readings.acceleration, *f = a + body->n_dof;
    int first = arm->n_dof - arm->n_joint;
    const double* v_hat = sim->attempt.v_hat + body->dof_begin;
    const double* v = acting == &sim->at_start ? state->v + body->dof_begin : v_hat;
    load_links(sim, acting, body, load);
    load_given(sim, state, acting, body, load);
    cond_articulation_bias(arm, work, v, settings->gravity, f);
    for (int j = 0; j < arm->n_joint; j++) {
        int i = body->target_begin + j;
        const CondJointCoordinate* joint = &arm->coordinate[j];
        const CondJointReading* bound = &sim->rows.reading[i];
        double q = acting->q[cond_body_joint_q(body) + j] + step * v_hat[first + j];
        f[first + j] += sim->rows.motor[i]
                            ? bound->motor
                            : cond_motor_torque(acting, body, sim->next->motor + body->target_begin,
                                                j, sim->targets.middle[i], sim->targets.rate[i],
                                                step, sim->attempt.v_hat);
        f[first + j] += bound->limit + bound->velocity_limit + bound->friction;
        if (joint->stiffness > 0.0)
            f[first + j] -= joint->stiffness * (q - joint->spring_rest);
    }
    for (int i = 0; i < first; i++)
        f[i] += sim->rows.loose[body->loose_begin + i];
    for (int b = 0; b < arm->n_ball; b++) {
        double w[3], k = arm->link[arm->ball[b]].stiffness;
        int at = cond_articulation_ball_v(arm) + 3 * b;
        cond_articulation_ball_turn(arm, acting->q + body->q_begin, b, w);
        for (int i = 0; i < 3 && k > 0.0; i++)
            f[at + i] -= k * (w[i] + step * v_hat[at + i]);
    }
    for (int i = 0; i < arm->n_dof; i++)
        f[i] += state->force[body->dof_begin + i] - arm->damping[i] * v_hat[i];
    cond_articulation_project(arm, work, load, f);
    cond_body_ops(body->kind)->accelerate(body, acting, f, a);
    cond_articulation_transmit(arm, work, v, a, settings->gravity, load);
}

// 1 for those that are read at the end of a step.
static int ends(const CondSensor* sensor)
{
    return sensor->attachment < 0 &&
           (sensor->kind == COND_SENSOR_IMU || sensor->kind == COND_SENSOR_RANGE);
}

// Velocity of a sensor's point and angular velocity of its axes, world axes.
static void find_twist(const CondKinematics* kinematics, const CondSensor* sensor, const double* v,
                       double twist[6])
{
    double position[3], R[9], arm[3], swing[3], *J = kinematics->frame_columns;
    int* coordinate = kinematics->frame_list;
    int n = cond_kinematics_frame(kinematics, &sensor->frame, position, R, coordinate, J);
    memset(twist, 0, 6 * sizeof *twist);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < n; k++)
            twist[r] += J[r * n + k] * v[coordinate[k]];
    mat3_multiply(R, sensor->point, arm);
    vec3_cross(twist + 3, arm, swing);
    for (int k = 0; k < 3; k++)
        twist[k] += swing[k];
}

static void read_imu(const CondSim* sim, const CondState* state, const CondSensor* sensor,
                     CondSensorReading* reading)
{
    double before[6], after[6], felt[3];
    place_sensor(sim, &sim->at_end, sensor, reading);
    find_twist(&sim->at_start, sensor, state->v, before);
    find_twist(&sim->at_end, sensor, sim->next->v, after);
    for (int k = 0; k < 3; k++)
        felt[k] = (after[k] - before[k]) / sim->attempt.time_step - sim->model->settings.gravity[k];
    memcpy(reading->acceleration, felt, sizeof felt);
    memcpy(reading->angular_velocity, after + 3, sizeof reading->angular_velocity);
    memcpy(reading->velocity, after, sizeof reading->velocity);
    if (sensor->world_axes)
        return;
    mat3_multiply_transposed(reading->axes, felt, reading->acceleration);
    mat3_multiply_transposed(reading->axes, after + 3, reading->angular_velocity);
    mat3_multiply_transposed(reading->axes, after, reading->velocity);
}

static CondStatus read_range(const CondSim* sim, const CondSensor* sensor,
                             CondSensorReading* reading)
{
    CondHit hit;
    int body = sensor->frame.point.body, *leave_out = sim->readings.leave_out;
    place_sensor(sim, &sim->at_end, sensor, reading);
    double ahead[3] = {reading->axes[2], reading->axes[5], reading->axes[8]};
    leave_out[body] = 1;
    CondStatus status = cond_query_ray(sim->readings.query, reading->position, ahead, sensor->range,
                                       leave_out, &hit);
    leave_out[body] = 0;
    reading->distance = hit.distance;
    return status;
}

// Of motion and sight, at the end of the step; sim->at_end is made anew.
static CondStatus read_end(CondSim* sim, const CondState* state)
{
    CondStatus status = COND_OK;
    int first = 1;
    for (int i = 0; i < sim->model->n_sensor && !status; i++) {
        const CondSensor* sensor = &sim->model->sensor[i];
        CondSensorReading* reading = &sim->readings.reading[i];
        if (!ends(sensor))
            continue;
        if (first) {
            cond_kinematics_set(&sim->at_end, sim->next->q);
            if (sim->readings.query)
                cond_query_set(sim->readings.query, sim->next);
        }
        first = 0;
        if (sensor->kind == COND_SENSOR_IMU)
            read_imu(sim, state, sensor, reading);
        else
            status = read_range(sim, sensor, reading);
    }
    return status;
}

CondStatus cond_sim_read_sensors(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    double step, torque[3];
    int last = -1; // the robot whose joints were read last
    if (model->n_sensor == 0)
        return COND_OK;
    cond_sim_act(sim);
    for (int i = 0; i < model->n_sensor; i++) {
        const CondSensor* sensor = &model->sensor[i];
        CondSensorReading* reading = &sim->readings.reading[i];
        *reading = (CondSensorReading){.centre = {NAN, NAN, NAN}};
        if (sensor->attachment >= 0) {
            int held = cond_weld_body(&sim->next->weld[sensor->attachment]);
            read_attachment(sim, cond_sim_acting(sim, held, &step), sensor, reading);
        } else if (sensor->kind == COND_SENSOR_CONTACT) {
            read_contact(sim, sensor, reading);
        } else if (sensor->kind == COND_SENSOR_JOINT) {
            const CondBody* body = &model->body[sensor->frame.point.body];
            const double* load = sim->readings.load + 6 * sensor->frame.point.link;
            const CondKinematics* acting = cond_sim_acting(sim, body->index, &step);
            if (body->index != last)
                transmit(sim, state, acting, step, body);
            last = body->index;
            place_sensor(sim, acting, sensor, reading);
            move_torque(acting->arm[last].work->position, reading->position, load + 3, load,
                        torque);
            tell(sensor, load + 3, torque, reading);
        }
    }
    return read_end(sim, state);
}

static CondStatus sim_sensor_whole(const CondSim* sim, int sensor, CondSensorReading* reading)
{
    CondStatus status = cond_index_check("sensor", sensor, sim->model->n_sensor);
    if (status)
        return status;
    if (!sim->readings.ready)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "no step was made yet");
    *reading = sim->readings.reading[sensor];
    return COND_OK;
}

CondStatus cond_sim_sensor_sized(const CondSim* sim, int sensor, CondSensorReading* reading,
                                 size_t size)
{
    COND_SIZED(CondStatus, CondSensorReading, reading, size, sim_sensor_whole(sim, sensor, it));
}
