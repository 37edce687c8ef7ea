// A snapshot of a simulation for drawing, shared by recordings and viewers.
#include "record/snapshot.h"

#include "base/definition.h"
#include "base/enum_name.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/rod.h"
#include "model/shell.h"
#include "model/state.h"
#include "scene/scene_keys.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Those before the stages, which recordings name as written here.
static const CondEnumName number_names[] = {
    {COND_NUMBER_TIME, "time"},
    {COND_NUMBER_CERTIFICATE, "certificate"},
    {COND_NUMBER_PENETRATION, "penetration"},
    {COND_NUMBER_KINETIC_ENERGY, "kinetic_energy"},
    {COND_NUMBER_POTENTIAL_ENERGY, "potential_energy"},
    {COND_NUMBER_ITERATIONS, "iterations"},
    {COND_NUMBER_NEWTON_ITERATIONS, "newton_iterations"},
    {COND_NUMBER_SOLVED_BY, "rung"},
    {COND_NUMBER_RELAXED, "relaxed"},
    {COND_NUMBER_SUBSTEPS, "substeps"},
    {COND_NUMBER_CONTACTS, "contacts"},
    {COND_NUMBER_CONTACT_FORCE, "contact_force"},
};
_Static_assert(sizeof number_names / sizeof *number_names == COND_NUMBER_STAGE,
               "one name per number");

const char* cond_number_name(CondNumber number)
{
    int stage = (int)number - COND_NUMBER_STAGE;
    return stage < 0 ? cond_enum_name(number_names, COND_NUMBER_STAGE, (int)number)
                     : cond_stage_name((CondStage)stage);
}

CondStatus cond_number_from_name(const char* name, CondNumber* value)
{
    for (int stage = 0; name && stage < COND_N_STAGE; stage++)
        if (strcmp(cond_stage_name((CondStage)stage), name) == 0) {
            *value = (CondNumber)(COND_NUMBER_STAGE + stage);
            return COND_OK;
        }
    int found = 0;
    CondStatus status =
        cond_enum_from_name(number_names, COND_NUMBER_STAGE, "CondNumber", name, &found);
    if (!status)
        *value = (CondNumber)found;
    return status;
}

const char* cond_number_unit(CondNumber number)
{
    static const char* const units[] = {"s", "", "m", "J", "J", "", "", "", "", "", "", "N"};
    if ((int)number < 0 || number >= COND_N_NUMBER)
        return NULL;
    return number < COND_NUMBER_STAGE ? units[number] : "s";
}

static void fill_numbers(CondSnapshot* s, const CondState* state, const CondStepInfo* info)
{
    double* number = s->moment.number;
    for (int i = 0; i < COND_N_NUMBER; i++)
        number[i] = NAN;
    number[COND_NUMBER_TIME] = state->time;
    number[COND_NUMBER_CONTACTS] = s->contacts.n;
    number[COND_NUMBER_CONTACT_FORCE] = 0.0;
    for (int k = 0; k < s->contacts.n; k++)
        number[COND_NUMBER_CONTACT_FORCE] += vec3_norm(s->contacts.force + 3 * k);
    if (!info)
        return;
    number[COND_NUMBER_CERTIFICATE] =
        fmax(cond_certificate_residual(&info->solve.certificate),
             fmax(cond_certificate_residual(&info->impact.certificate),
                  cond_certificate_residual(&info->correction.certificate)));
    number[COND_NUMBER_PENETRATION] = info->penetration;
    number[COND_NUMBER_KINETIC_ENERGY] = info->kinetic_after;
    number[COND_NUMBER_POTENTIAL_ENERGY] = info->potential_after;
    number[COND_NUMBER_ITERATIONS] = info->solve.iterations;
    number[COND_NUMBER_NEWTON_ITERATIONS] = info->newton_iterations;
    number[COND_NUMBER_SOLVED_BY] = info->solve.solved_by;
    number[COND_NUMBER_RELAXED] = info->solve.relaxed;
    number[COND_NUMBER_SUBSTEPS] = info->substeps;
    for (int k = 0; k < COND_N_STAGE; k++)
        number[COND_NUMBER_STAGE + k] = info->seconds[k];
    for (int i = 0; i < COND_N_NUMBER; i++)
        number[i] = isfinite(number[i]) ? number[i] : NAN;
}

// Stress resultants on the rings of a rod: those of the joint there, at the ends of the nearest.
static void measure_rod(CondSnapshot* s, const CondState* state, const CondBody* body)
{
    int n = cond_drawing_ring(body), links = body->rod->n_link;
    size_t first = (size_t)s->drawing.point_begin[body->index];
    for (int ring = 0; ring <= links && links > 1; ring++) {
        int joint = ring < 1 ? 0 : ring > links - 1 ? links - 2 : ring - 1;
        double stress[6];
        cond_rod_stress(body->rod, state->q + body->q_begin, joint, stress);
        for (int k = 0; k < n; k++) {
            size_t p = first + (size_t)(ring * n + k);
            memcpy(s->rod_force + 3 * p, stress, 3 * sizeof *stress);
            memcpy(s->rod_moment + 3 * p, stress + 3, 3 * sizeof *stress);
        }
    }
}

const CondSensed cond_sensed[COND_N_SENSED] = {
    {"/cond/sensors/force", 3},        {"/cond/sensors/torque", 3},
    {"/cond/sensors/acceleration", 3}, {"/cond/sensors/angular_velocity", 3},
    {"/cond/sensors/distance", 1},
};

void cond_moment_sense(CondMoment* moment, double* const sensed[COND_N_SENSED], size_t first)
{
    const double** at[COND_N_SENSED] = {&moment->sensor_force, &moment->sensor_torque,
                                        &moment->sensor_acceleration,
                                        &moment->sensor_angular_velocity, &moment->sensor_distance};
    for (int k = 0; k < COND_N_SENSED; k++)
        *at[k] = sensed[k] ? sensed[k] + first * (size_t)cond_sensed[k].columns : NULL;
}

static void read_sensors(CondSnapshot* s, const CondSim* sim)
{
    for (int k = 0; k < s->scenery.n_sensor; k++) {
        CondSensorReading reading = {.n_contact = 0};
        if (sim && cond_sim_sensor(sim, k, &reading))
            memset(&reading, 0, sizeof reading);
        const double* from[COND_N_SENSED] = {reading.force, reading.torque, reading.acceleration,
                                             reading.angular_velocity, &reading.distance};
        for (int i = 0; i < COND_N_SENSED; i++) {
            size_t n = (size_t)cond_sensed[i].columns;
            memcpy(s->sensed[i] + n * (size_t)k, from[i], n * sizeof(double));
        }
    }
}

// Before a step nothing acts in a joint.
static void read_joints(CondSnapshot* s, const CondSim* sim, const CondState* state)
{
    const CondModel* model = s->model;
    for (int b = 0, k = 0; b < model->n_body; b++)
        for (int j = 0; j < cond_model_n_coordinate(model, b); j++, k++) {
            CondJointReading r = {.motor = 0.0};
            if (sim && cond_sim_joint(sim, b, j, &r))
                memset(&r, 0, sizeof r);
            double numbers[] = {state->q[cond_body_joint_q(&model->body[b]) + j],
                                state->v[cond_body_joint_v(&model->body[b]) + j],
                                r.motor,
                                r.friction,
                                r.limit,
                                r.velocity_limit};
            for (int i = 0; i < COND_N_JOINT_NUMBER; i++)
                s->joint[i * s->n_joint + k] = numbers[i];
        }
}

// Positions, velocities J v, displacements and stresses at a state.
static void measure(CondSnapshot* s, const CondState* state)
{
    const CondModel* model = s->model;
    CondDrawing* drawing = &s->drawing;
    cond_kinematics_set(&s->kinematics, state->q);
    for (int p = 0; p < drawing->n_point; p++) {
        double* u = s->velocity + 3 * (size_t)p;
        int n = cond_kinematics_point(&s->kinematics, &drawing->point[p],
                                      s->position + 3 * (size_t)p, s->coordinate, s->J);
        for (int i = 0; i < 3; i++) {
            u[i] = 0.0;
            for (int k = 0; k < n; k++)
                u[i] += s->J[i * n + k] * state->v[s->coordinate[k]];
        }
    }
    cond_drawing_fit_planes(drawing, model, s->position);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double* x = state->q + body->q_begin;
        if (body->kind == COND_BODY_ROD)
            measure_rod(s, state, body);
        if (body->kind != COND_BODY_SOFT)
            continue;
        double* d = s->displacement + 3 * (size_t)drawing->point_begin[b];
        for (int i = 0; i < 3 * body->fem->n_node; i++)
            d[i] = x[i] - body->fem->rest[i];
        if (body->shell)
            cond_shell_von_mises(body->fem, x, s->von_mises + drawing->cell_begin[b]);
        else
            cond_fem_stress(body->fem, x, NULL, s->von_mises + drawing->cell_begin[b],
                            model->settings.solver.threads);
    }
}

static CondStatus snapshot_take_whole(CondSnapshot* snapshot, const CondSim* sim,
                                      const CondState* state, const CondStepInfo* info,
                                      CondError* error)
{
    const CondModel* model = snapshot->model;
    if (state->n_q != model->n_q || state->n_dof != model->n_dof)
        return cond_error_set(error, COND_BAD_ARGUMENT, "the state belongs to another model");
    if (cond_contact_cloud_fill(&snapshot->contacts, sim, &model->settings))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    measure(snapshot, state);
    fill_numbers(snapshot, state, info);
    read_sensors(snapshot, sim);
    read_joints(snapshot, sim, state);
    const CondContactCloud* cloud = &snapshot->contacts;
    CondMoment* moment = &snapshot->moment;
    moment->n_contact = cloud->n;
    moment->contact_position = cloud->position;
    moment->contact_force = cloud->force;
    moment->contact_frame = cloud->frame;
    moment->contact_friction = cloud->friction;
    moment->contact_gap = cloud->gap;
    moment->contact_error = cloud->error;
    moment->contact_body = cloud->body;
    moment->contact_other = cloud->other;
    return COND_OK;
}

CondStatus cond_snapshot_take_sized(CondSnapshot* snapshot, const CondSim* sim,
                                    const CondState* state, const CondStepInfo* info,
                                    CondError* error, size_t size)
{
    COND_SIZED_IN(CondStatus, CondStepInfo, info, size,
                  snapshot_take_whole(snapshot, sim, state, it, error));
}

static CondStatus allocate_all(CondSnapshot* s)
{
    const CondContext* m = &s->context;
    const CondModel* model = s->model;
    if (cond_kinematics_create(model, &s->kinematics) ||
        cond_drawing_create(m, model, NULL, &s->drawing))
        return COND_OUT_OF_MEMORY;
    size_t n = (size_t)s->drawing.n_point, k = (size_t)model->max_point_dof;
    s->name = cond_allocate(m, (size_t)model->n_body, sizeof *s->name);
    s->kind = cond_allocate(m, (size_t)model->n_body, sizeof *s->kind);
    size_t n_sensor = (size_t)cond_model_n_sensor(model);
    s->sensor = cond_allocate(m, n_sensor, sizeof *s->sensor);
    int sensed = 1;
    for (int i = 0; i < COND_N_SENSED; i++) {
        s->sensed[i] = cond_allocate(m, n_sensor * (size_t)cond_sensed[i].columns, sizeof(double));
        sensed = sensed && s->sensed[i];
    }
    for (int b = 0; b < model->n_body; b++)
        s->n_joint += cond_model_n_coordinate(model, b);
    s->joint = cond_allocate(m, COND_N_JOINT_NUMBER * (size_t)s->n_joint, sizeof(double));
    s->position = cond_allocate(m, 3 * n, sizeof(double));
    s->velocity = cond_allocate(m, 3 * n, sizeof(double));
    s->displacement = cond_allocate(m, 3 * n, sizeof(double));
    s->rod_force = cond_allocate(m, 3 * n, sizeof(double));
    s->rod_moment = cond_allocate(m, 3 * n, sizeof(double));
    for (int b = 0; b < model->n_body; b++)
        s->scenery.has_rods |= model->body[b].kind == COND_BODY_ROD;
    s->von_mises = cond_allocate(m, (size_t)s->drawing.n_cell, sizeof(double));
    s->coordinate = cond_allocate(m, k, sizeof(int));
    s->J = cond_allocate(m, 3 * k, sizeof(double));
    if (!s->name || !s->kind || !s->position || !s->velocity || !s->displacement || !s->rod_force ||
        !s->rod_moment || !s->von_mises || !s->coordinate || !s->J || !s->sensor || !sensed ||
        !s->joint)
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

static void fill_scenery(CondSnapshot* s)
{
    const CondModel* model = s->model;
    const CondDrawing* drawing = &s->drawing;
    int has_rods = s->scenery.has_rods;
    for (int b = 0; b < model->n_body; b++) {
        memcpy(s->name[b], model->body[b].name, sizeof s->name[b]);
        snprintf(s->kind[b], sizeof s->kind[b], "%s",
                 cond_keys_find("bodies", "kind")->choice(model->body[b].kind));
    }
    s->scenery = (CondScenery){.n_body = model->n_body,
                               .n_point = drawing->n_point,
                               .n_cell = drawing->n_cell,
                               .n_corner = drawing->n_corner,
                               .name = (const char(*)[COND_NAME_SIZE])s->name,
                               .kind = (const char(*)[COND_NAME_SIZE])s->kind,
                               .corner = drawing->corner,
                               .corner_end = drawing->corner_end,
                               .type = drawing->type,
                               .body = drawing->body,
                               .colour = drawing->colour,
                               .plane_begin = drawing->plane_begin,
                               .has_rods = has_rods};
    s->scenery.n_sensor = cond_model_n_sensor(model);
    s->scenery.sensor = (const char(*)[COND_NAME_SIZE])s->sensor;
    for (int k = 0; k < s->scenery.n_sensor; k++)
        snprintf(s->sensor[k], sizeof s->sensor[k], "%s", cond_model_sensor_name(model, k));
    cond_moment_sense(&s->moment, s->sensed, 0);
    s->moment.position = s->position;
    s->moment.velocity = s->velocity;
    s->moment.displacement = s->displacement;
    s->moment.von_mises = s->von_mises;
    s->moment.rod_force = has_rods ? s->rod_force : NULL;
    s->moment.rod_moment = has_rods ? s->rod_moment : NULL;
}

CondStatus cond_snapshot_create(const CondContext* context, const CondModel* model,
                                CondSnapshot** snapshot, CondError* error)
{
    CondContext m = cond_context_or_default(context);
    CondSnapshot* made = cond_allocate(&m, 1, sizeof *made);
    *snapshot = NULL;
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = m;
    cond_arena_begin(&m, &made->contacts.arena);
    made->model = model;
    if (allocate_all(made)) {
        cond_snapshot_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    fill_scenery(made);
    *snapshot = made;
    return COND_OK;
}

void cond_snapshot_destroy(CondSnapshot* snapshot)
{
    if (!snapshot)
        return;
    CondContext m = snapshot->context;
    cond_kinematics_destroy(&snapshot->kinematics);
    cond_drawing_destroy(&snapshot->drawing);
    cond_contact_cloud_destroy(&snapshot->contacts);
    void* arrays[] = {snapshot->name,         snapshot->kind,      snapshot->position,
                      snapshot->velocity,     snapshot->von_mises, snapshot->coordinate,
                      snapshot->displacement, snapshot->J,         snapshot->rod_force,
                      snapshot->rod_moment,   snapshot->sensor,    snapshot->joint};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    for (int i = 0; i < COND_N_SENSED; i++)
        cond_release(&m, snapshot->sensed[i]);
    cond_release(&m, snapshot);
}

const CondScenery* cond_snapshot_scenery(const CondSnapshot* snapshot)
{
    return &snapshot->scenery;
}

const CondMoment* cond_snapshot_moment(const CondSnapshot* snapshot)
{
    return &snapshot->moment;
}

double cond_snapshot_point_mass(const CondSnapshot* snapshot, int point)
{
    if (point < 0 || point >= snapshot->drawing.n_point)
        return 0.0;
    int body = snapshot->drawing.point[point].body;
    return body < 0 ? 0.0 : snapshot->model->body[body].mass;
}

CondStatus cond_sim_pull(CondSim* sim, const CondSnapshot* snapshot, int point,
                         const double target[3], double stiffness, double damping)
{
    CondSpring spring = {.stiffness = stiffness, .damping = damping};
    if (point < 0 || point >= snapshot->drawing.n_point)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "point %d: the scenery has %d", point,
                              snapshot->drawing.n_point);
    if (!(stiffness >= 0.0) || !(damping >= 0.0) || !isfinite(stiffness + damping))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "stiffness %g and damping %g: expected finite numbers from 0 on",
                              stiffness, damping);
    spring.end[0] = snapshot->drawing.point[point];
    spring.end[1].body = -1;
    for (int i = 0; i < 3; i++) {
        spring.end[1].local[i] = target[i];
        if (!isfinite(target[i]))
            return cond_error_set(NULL, COND_BAD_ARGUMENT,
                                  "target[%d] is %g, expected a finite number", i, target[i]);
    }
    sim->pull = spring;
    return COND_OK;
}
