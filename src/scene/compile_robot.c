#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "scene/compile.h"
#include "scene/scene_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int cond_robot_find_joint(const CondModel* model, int body, const char* owner, const char* name,
                          CondError* error)
{
    const CondArticulation* arm = model->body[body].arm;
    int link = cond_articulation_find_joint(arm, name);
    if (link < 0 || arm->link[link].coordinate < 0) {
        cond_error_set(error, COND_BAD_INPUT, "%s: joint %s: %s", owner, name,
                       link < 0 ? "the robot has no such joint" : "it does not move");
        return -1;
    }
    if (arm->coordinate[arm->link[link].coordinate].link != link) {
        cond_error_set(error, COND_BAD_INPUT, "%s: joint %s: it follows another joint", owner,
                       name);
        return -1;
    }
    return arm->link[link].coordinate;
}

static void take_number(double number, double* field)
{
    if (!isnan(number))
        *field = number;
}

// What the scene says of a joint in the place of the robot's file.
static CondStatus bound_joint(CondArticulation* arm, const CondBodyDef* def,
                              const CondJointDef* joint, int coordinate, CondError* error)
{
    CondError inner = {COND_OK, ""};
    CondLink* link = &arm->link[arm->coordinate[coordinate].link];
    if (!joint->bounded)
        return COND_OK;
    take_number(joint->lower, &link->lower);
    take_number(joint->upper, &link->upper);
    take_number(joint->velocity_limit, &link->velocity);
    take_number(joint->friction, &link->friction);
    take_number(joint->passive_damping, &link->damping);
    take_number(joint->armature, &link->armature);
    take_number(joint->spring, &link->stiffness);
    take_number(joint->spring_rest, &link->spring_rest);
    CondStatus status = cond_link_check_joint(link, &inner);
    if (!status) // limits of a coordinate hold for those that follow it too
        status = cond_articulation_finish(arm, &inner);
    return status ? cond_error_set(error, status == COND_BAD_ARGUMENT ? COND_BAD_INPUT : status,
                                   "body %s: %s", def->name, inner.message)
                  : COND_OK;
}

static void set_bounds(const CondBodyDef* def, CondBody* body)
{
    for (int j = 0; j < body->arm->n_joint; j++) {
        const CondJointCoordinate* limits = &body->arm->coordinate[j];
        body->bounds[j] = (CondJointBounds){
            .lower = def->joint_limits ? limits->lower : -INFINITY,
            .upper = def->joint_limits ? limits->upper : INFINITY,
            .velocity = def->velocity_limits ? limits->velocity : INFINITY,
            .friction = def->joint_friction ? limits->friction : 0.0,
        };
        if (!def->effort_limits)
            body->motor[j].effort = INFINITY;
    }
}

static CondStatus start_joints(CondModel* model, CondBody* body, const CondBodyDef* def,
                               CondError* error)
{
    char owner[COND_NAME_SIZE + 8];
    snprintf(owner, sizeof owner, "body %s", def->name);
    CondArticulation* arm = body->arm;
    double* q = body->start + arm->n_q - arm->n_joint;
    double* v = body->start_v + arm->n_dof - arm->n_joint;
    for (int j = 0; j < arm->n_joint; j++)
        body->motor[j] =
            (CondMotor){def->motor_stiffness, def->motor_damping,
                        isnan(def->motor_effort) ? arm->coordinate[j].effort : def->motor_effort};
    for (int k = 0; k < def->n_joint; k++) {
        const CondJointDef* joint = &def->joint[k];
        int j = cond_robot_find_joint(model, body->index, owner, joint->name, error);
        if (j < 0)
            return COND_BAD_INPUT;
        CondStatus status = bound_joint(arm, def, joint, j, error);
        if (status)
            return status;
        const CondJointCoordinate* limits = &arm->coordinate[j];
        q[j] = joint->position;
        v[j] = joint->velocity;
        if (def->joint_limits && (q[j] < limits->lower || q[j] > limits->upper))
            return cond_error_set(error, COND_BAD_INPUT,
                                  "body %s: joint %s: position %g is outside [%g, %g]", def->name,
                                  joint->name, q[j], limits->lower, limits->upper);
        if (!isnan(joint->stiffness))
            body->motor[j].stiffness = joint->stiffness;
        if (!isnan(joint->damping))
            body->motor[j].damping = joint->damping;
        if (joint->bounded && !isnan(joint->effort))
            body->motor[j].effort = joint->effort;
    }
    set_bounds(def, body);
    return COND_OK;
}

CondStatus cond_compile_robot(CondModel* model, const CondScene* scene, int index, CondError* error)
{
    const CondBodyDef* def = &scene->body[index];
    CondBody* body = &model->body[index];
    CondError inner = {COND_OK, ""};
    CondStatus status = cond_scene_get_robot(scene, def->urdf, def->floating, &body->arm, &inner);
    if (status)
        return cond_error_set(error, status, "body %s: %s", def->name, inner.message);
    CondArticulation* arm = body->arm;
    memcpy(arm->base_position, def->position, sizeof def->position);
    memcpy(arm->base_orientation, body->initial.orientation, sizeof arm->base_orientation);
    body->n_dof = arm->n_dof;
    body->n_q = arm->n_q;
    body->target_begin = model->n_target;
    model->n_target += arm->n_joint;
    for (int i = 0; i < arm->n_link; i++)
        body->mass += arm->link[i].mass;
    body->start = cond_arena_allocate(&model->arena, (size_t)arm->n_q, sizeof(double));
    body->start_v = cond_arena_allocate(&model->arena, (size_t)arm->n_dof, sizeof(double));
    body->motor = cond_arena_allocate(&model->arena, (size_t)arm->n_joint, sizeof *body->motor);
    body->bounds = cond_arena_allocate(&model->arena, (size_t)arm->n_joint, sizeof *body->bounds);
    if (!body->start || !body->start_v || !body->motor || !body->bounds)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_articulation_rest(arm, body->start);
    if (arm->floating) { // the angular velocity of the base is in base axes
        double R[9];
        quat_matrix(body->initial.orientation, R);
        memcpy(body->start_v, def->velocity, sizeof def->velocity);
        mat3_multiply_transposed(R, def->angular_velocity, body->start_v + 3);
    }
    if (model->max_point_dof < arm->n_dof)
        model->max_point_dof = arm->n_dof;
    return start_joints(model, body, def, error);
}
