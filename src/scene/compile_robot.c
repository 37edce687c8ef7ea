// Compiles a robot of a scene: its articulation, its motors, and the shapes of its links.
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
    int found = cond_articulation_find_coordinate(arm, name);
    if (found >= 0)
        return found;
    int link = cond_articulation_find_joint(arm, name);
    const char* why = link < 0                          ? "the robot has no such joint"
                      : arm->link[link].mimic >= 0      ? "it follows another joint"
                      : arm->link[link].coordinate >= 0 ? "it moves in several ways"
                      : arm->link[link].ball >= 0       ? "it turns freely and has no motor"
                                                        : "it does not move";
    if (link >= 0 && arm->link[link].coordinate >= 0 && arm->link[link].mimic < 0)
        cond_error_set(error, COND_BAD_INPUT, "%s: joint %s: %s: %s, ...", owner, name, why,
                       arm->coordinate[arm->link[link].coordinate].name);
    else
        cond_error_set(error, COND_BAD_INPUT, "%s: joint %s: %s", owner, name, why);
    return -1;
}

// The ball of a joint that a scene names; -1: it has none.
static int find_ball(const CondArticulation* arm, const char* name)
{
    int link = cond_articulation_find_joint(arm, name);
    return link < 0 ? -1 : arm->link[link].ball;
}

// 1 where nothing is given that a robot's file says of a joint.
static int is_unbounded(const CondJointDef* joint)
{
    return isnan(joint->lower) && isnan(joint->upper) && isnan(joint->velocity_limit) &&
           isnan(joint->friction) && isnan(joint->passive_damping) && isnan(joint->armature) &&
           isnan(joint->spring) && isnan(joint->spring_rest);
}

static int has_orientation(const CondJointDef* joint)
{
    const double* q = joint->orientation;
    return q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0;
}

static CondStatus start_ball(const CondBody* body, const CondJointDef* joint, int ball,
                             CondError* error)
{
    const CondArticulation* arm = body->arm;
    if (joint->position != 0.0 || joint->velocity != 0.0 || !isnan(joint->stiffness) ||
        !isnan(joint->damping) || (joint->bounded && !is_unbounded(joint)))
        return cond_error_set(error, COND_BAD_INPUT,
                              "body %s: joint %s: it turns freely: it starts with orientation and "
                              "angular_velocity and has no motor",
                              body->name, joint->name);
    double* q = body->start + cond_articulation_ball_q(arm) + 4 * ball;
    if (has_orientation(joint)) {
        memcpy(q, joint->orientation, sizeof joint->orientation);
        quat_normalize(q);
    }
    memcpy(body->start_v + cond_articulation_ball_v(arm) + 3 * ball, joint->angular_velocity,
           sizeof joint->angular_velocity);
    return COND_OK;
}

static void take_number(double number, double* field)
{
    if (!isnan(number))
        *field = number;
}

// What the scene says of a joint instead of the robot's file.
static CondStatus bound_joint(CondArticulation* arm, const CondBodyDef* def,
                              const CondJointDef* joint, int coordinate, CondError* error)
{
    CondError inner = {COND_OK, ""};
    CondLink* link = &arm->link[arm->coordinate[coordinate].link];
    if (!joint->bounded)
        return COND_OK;
    if (link->n_slide + link->n_turn > 1 && !is_unbounded(joint))
        return cond_error_set(error, COND_BAD_INPUT,
                              "body %s: joint %s: limits, friction, armature and springs can be "
                              "given to joints of one coordinate only",
                              def->name, joint->name);
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
            body->motor[j].effort = body->motor[j].effort_back = INFINITY;
    }
    for (int i = 0; i < body->arm->n_dof - body->arm->n_joint && def->joint_friction; i++)
        body->dry[i] = body->arm->friction[i];
}

// 1 where something bounds a joint.
static int is_bounded(const CondBody* body, int j)
{
    const CondJointBounds* bounds = &body->bounds[j];
    const CondMotor* motor = &body->motor[j];
    int drives = motor->stiffness > 0.0 || motor->damping > 0.0;
    return isfinite(bounds->lower) || isfinite(bounds->upper) || isfinite(bounds->velocity) ||
           bounds->friction > 0.0 ||
           (drives && (isfinite(motor->effort) || isfinite(motor->effort_back)));
}

// The baselines have no problem whose rows limits could be.
static CondStatus warn_of_method(const CondModel* model, CondBody* body)
{
    int method = model->settings.method, bounded = 0;
    for (int j = 0; j < body->arm->n_joint; j++)
        bounded |= is_bounded(body, j);
    for (int i = 0; i < body->arm->n_dof - body->arm->n_joint; i++)
        bounded |= body->dry[i] > 0.0;
    if (method == COND_STEP_VELOCITY || !bounded)
        return COND_OK;
    return cond_articulation_warn(body->arm,
                                  "limits and friction of joints do not act: step.method %s does "
                                  "not know them",
                                  method == COND_STEP_PBD ? "pbd" : "penalty");
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
        body->motor[j] = (CondMotor){
            .stiffness = def->motor_stiffness,
            .damping = def->motor_damping,
            .effort = isnan(def->motor_effort) ? arm->coordinate[j].effort : def->motor_effort,
            .effort_back =
                isnan(def->motor_effort) ? arm->coordinate[j].effort_back : def->motor_effort};
    for (int k = 0; k < def->n_joint; k++) {
        const CondJointDef* joint = &def->joint[k];
        int ball = find_ball(arm, joint->name);
        if (ball >= 0) {
            CondStatus status = start_ball(body, joint, ball, error);
            if (status)
                return status;
            continue;
        }
        int j = cond_robot_find_joint(model, body->index, owner, joint->name, error);
        if (j < 0)
            return COND_BAD_INPUT;
        if (has_orientation(joint) || vec3_norm(joint->angular_velocity) > 0.0)
            return cond_error_set(
                error, COND_BAD_INPUT,
                "body %s: joint %s: only spherical and floating joints start with "
                "an orientation",
                def->name, joint->name);
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
            body->motor[j].effort = body->motor[j].effort_back = joint->effort;
        if (joint->bounded && !isnan(joint->effort_back))
            body->motor[j].effort_back = joint->effort_back;
        body->motor[j].torque = joint->torque;
        body->motor[j].lead = joint->lead;
    }
    set_bounds(def, body);
    return warn_of_method(model, body);
}

CondStatus cond_compile_robot(CondModel* model, const CondScene* scene, int index, CondError* error)
{
    const CondBodyDef* def = &scene->body[index];
    CondBody* body = &model->body[index];
    CondError inner = {COND_OK, ""};
    CondStatus status = def->n_link > 0
                            ? cond_compile_links(scene, def, &body->arm, &inner)
                            : cond_scene_get_robot(scene, def->urdf, def->floating,
                                                   def->package_dirs, &body->arm, &inner);
    if (status)
        return cond_error_set(error, status, "body %s: %s", def->name, inner.message);
    CondArticulation* arm = body->arm;
    body->self_contact = def->self_contact;
    if (def->srdf[0])
        status = cond_scene_get_disabled(scene, def->srdf, arm, &inner);
    if (status)
        return cond_error_set(error, status, "body %s: %s", def->name, inner.message);
    memcpy(arm->base_position, def->position, sizeof def->position);
    memcpy(arm->base_orientation, body->initial.orientation, sizeof arm->base_orientation);
    body->n_dof = arm->n_dof;
    body->n_q = arm->n_q;
    body->target_begin = model->n_target;
    model->n_target += arm->n_joint;
    body->loose_begin = model->n_loose;
    model->n_loose += arm->n_dof - arm->n_joint;
    for (int i = 0; i < arm->n_link; i++)
        body->mass += arm->link[i].mass;
    body->start = cond_arena_allocate(&model->arena, (size_t)arm->n_q, sizeof(double));
    body->start_v = cond_arena_allocate(&model->arena, (size_t)arm->n_dof, sizeof(double));
    body->motor = cond_arena_allocate(&model->arena, (size_t)arm->n_joint, sizeof *body->motor);
    body->bounds = cond_arena_allocate(&model->arena, (size_t)arm->n_joint, sizeof *body->bounds);
    body->dry =
        cond_arena_allocate(&model->arena, (size_t)(arm->n_dof - arm->n_joint), sizeof *body->dry);
    if (!body->start || !body->start_v || !body->motor || !body->bounds || !body->dry)
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
