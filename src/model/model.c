// Releases a model, and answers questions about its bodies and joints (cond/sim.h). Never
// changes a model.
#include "model/model.h"

#include "base/memory.h"
#include "geometry/mesh_surface.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "model/index.h"
#include "model/rod.h"

#include <string.h>

void cond_model_destroy(CondModel* model)
{
    if (!model)
        return;
    CondContext m = model->arena.context;
    for (int b = 0; b < model->n_body; b++) {
        CondBody* body = &model->body[b];
        if (body->fem)
            cond_fem_destroy(body->fem);
        if (body->rod)
            cond_rod_destroy(body->rod);
        cond_articulation_destroy(body->arm);
    }
    for (int i = 0; i < model->n_mesh_surface; i++)
        cond_mesh_surface_destroy(model->mesh_surface[i]);
    cond_arena_release(&model->arena);
    cond_release(&m, model);
}

int cond_body_joint_v(const CondBody* body)
{
    return body->dof_begin + body->arm->n_dof - body->arm->n_joint;
}

int cond_body_joint_q(const CondBody* body)
{
    return body->q_begin + body->arm->n_q - body->arm->n_joint;
}

const CondSceneSettings* cond_model_settings(const CondModel* model)
{
    return &model->settings;
}

int cond_model_n_dof(const CondModel* model)
{
    return model->n_dof;
}

int cond_model_n_body(const CondModel* model)
{
    return model->n_body;
}

CondBodyKind cond_model_body_kind(const CondModel* model, int body)
{
    return body >= 0 && body < model->n_body ? model->body[body].kind : COND_BODY_PARTICLE;
}

int cond_model_n_node(const CondModel* model, int body)
{
    int soft = cond_model_body_kind(model, body) == COND_BODY_SOFT;
    return soft ? model->body[body].fem->n_node : 0;
}

int cond_model_n_link(const CondModel* model, int body)
{
    switch (cond_model_body_kind(model, body)) {
    case COND_BODY_ROD:
        return model->body[body].rod->n_link;
    case COND_BODY_ROBOT:
        return model->body[body].arm->n_link;
    default:
        return 0;
    }
}

const char* cond_model_link_name(const CondModel* model, int body, int link)
{
    int robot = cond_model_body_kind(model, body) == COND_BODY_ROBOT;
    int known = robot && link >= 0 && link < model->body[body].arm->n_link;
    return known ? model->body[body].arm->link[link].name : NULL;
}

static const char* link_name(const CondModel* model, int body, int index)
{
    return model->body[body].arm->link[index].name;
}

// A robot's link also by the name of its joint.
int cond_model_find_link(const CondModel* model, int body, const char* name)
{
    if (cond_model_check_kind(model, body, COND_BODY_ROBOT))
        return -1;
    const CondArticulation* arm = model->body[body].arm;
    int link = name ? cond_articulation_find_link(arm, name) : -1;
    return link >= 0 ? link : cond_index_find(model, body, "link", name, arm->n_link, link_name);
}

int cond_model_dof_begin(const CondModel* model, int body)
{
    return cond_model_check_body(model, body) ? 0 : model->body[body].dof_begin;
}

int cond_model_q_begin(const CondModel* model, int body)
{
    return cond_model_check_body(model, body) ? 0 : model->body[body].q_begin;
}

int cond_model_n_q(const CondModel* model)
{
    return model->n_q;
}

int cond_model_body_n_dof(const CondModel* model, int body)
{
    return cond_model_check_body(model, body) ? 0 : model->body[body].n_dof;
}

int cond_model_body_n_q(const CondModel* model, int body)
{
    return cond_model_check_body(model, body) ? 0 : model->body[body].n_q;
}

CondSensorKind cond_model_sensor_kind(const CondModel* model, int sensor)
{
    int unknown = cond_index_check("sensor", sensor, model->n_sensor) != COND_OK;
    return unknown ? COND_SENSOR_CONTACT : model->sensor[sensor].kind;
}

int cond_model_n_tet(const CondModel* model, int body)
{
    int soft = cond_model_body_kind(model, body) == COND_BODY_SOFT;
    return soft ? model->body[body].fem->n_tet : 0;
}

const double* cond_model_rest(const CondModel* model, int body)
{
    int soft = cond_model_body_kind(model, body) == COND_BODY_SOFT;
    return soft ? model->body[body].fem->rest : NULL;
}

const int* cond_model_tet(const CondModel* model, int body)
{
    int soft = cond_model_body_kind(model, body) == COND_BODY_SOFT;
    return soft ? model->body[body].fem->tet : NULL;
}

const int* cond_model_triangle(const CondModel* model, int body, int* n_triangle)
{
    int soft = cond_model_body_kind(model, body) == COND_BODY_SOFT;
    *n_triangle = soft ? model->body[body].n_triangle : 0;
    return soft ? model->body[body].triangle : NULL;
}

double cond_model_mass(const CondModel* model, int body)
{
    if (cond_model_check_body(model, body))
        return 0.0;
    int soft = cond_model_body_kind(model, body) == COND_BODY_SOFT;
    return soft ? model->body[body].fem->total_mass : model->body[body].mass;
}

const char* cond_model_body_name(const CondModel* model, int body)
{
    return body >= 0 && body < model->n_body ? model->body[body].name : NULL;
}

const char* cond_model_plane_name(const CondModel* model, int plane)
{
    return plane >= 0 && plane < model->n_plane ? model->plane[plane].name : NULL;
}

double cond_model_size(const CondModel* model, int body)
{
    return cond_model_check_body(model, body) ? 0.0 : model->body[body].size;
}

static const char* body_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->body[index].name;
}

int cond_model_find_body(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "body", name, model->n_body, body_name);
}

const char* cond_model_obstacle_name(const CondModel* model, int obstacle)
{
    return obstacle >= 0 && obstacle < model->n_obstacle ? model->obstacle[obstacle].name : NULL;
}

static const char* patch_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->patch[index].name;
}

int cond_model_find_patch(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "patch", name, model->n_patch, patch_name);
}

// 1 where a robot before body b has the same warning.
static int is_told(const CondModel* model, int b, const char* warning)
{
    for (int a = 0; a < b; a++)
        for (int i = 0; model->body[a].arm && i < model->body[a].arm->n_warning; i++)
            if (strcmp(model->body[a].arm->warning[i], warning) == 0)
                return 1;
    return 0;
}

const char* cond_model_warning(const CondModel* model, int index)
{
    if (index >= 0 && index < model->n_warning)
        return model->warning[index];
    index -= model->n_warning;
    for (int b = 0; b < model->n_body; b++) {
        const CondArticulation* arm = model->body[b].arm;
        for (int i = 0; arm && i < arm->n_warning; i++)
            if (!is_told(model, b, arm->warning[i]) && index-- == 0)
                return arm->warning[i];
    }
    return NULL;
}

int cond_model_n_attachment(const CondModel* model)
{
    return model->n_attachment;
}

int cond_model_n_trajectory(const CondModel* model)
{
    return model->n_trajectory;
}

int cond_model_n_sensor(const CondModel* model)
{
    return model->n_sensor;
}

const char* cond_model_sensor_name(const CondModel* model, int sensor)
{
    return sensor >= 0 && sensor < model->n_sensor ? model->sensor[sensor].name : NULL;
}

static const char* sensor_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->sensor[index].name;
}

int cond_model_n_camera(const CondModel* model)
{
    return model->n_camera;
}

const char* cond_model_camera_name(const CondModel* model, int camera)
{
    return camera >= 0 && camera < model->n_camera ? model->camera[camera].name : NULL;
}

static const char* camera_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->camera[index].name;
}

int cond_model_find_camera(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "camera", name, model->n_camera, camera_name);
}

int cond_model_find_sensor(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "sensor", name, model->n_sensor, sensor_name);
}

int cond_model_n_patch(const CondModel* model)
{
    return model->n_patch;
}

const char* cond_model_patch_name(const CondModel* model, int patch)
{
    return patch >= 0 && patch < model->n_patch ? model->patch[patch].name : NULL;
}

int cond_model_patch_body(const CondModel* model, int patch)
{
    return patch >= 0 && patch < model->n_patch ? model->patch[patch].body : -1;
}

int cond_model_n_plane(const CondModel* model)
{
    return model->n_plane;
}

static const char* plane_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->plane[index].name;
}

int cond_model_find_plane(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "plane", name, model->n_plane, plane_name);
}

int cond_model_n_obstacle(const CondModel* model)
{
    return model->n_obstacle;
}

static const char* obstacle_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->obstacle[index].name;
}

int cond_model_find_obstacle(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "obstacle", name, model->n_obstacle, obstacle_name);
}

const char* cond_model_trajectory_name(const CondModel* model, int trajectory)
{
    int known = trajectory >= 0 && trajectory < model->n_trajectory;
    return known ? model->trajectory[trajectory].name : NULL;
}

static const char* trajectory_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->trajectory[index].name;
}

int cond_model_find_trajectory(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "trajectory", name, model->n_trajectory, trajectory_name);
}

const char* cond_model_attachment_name(const CondModel* model, int attachment)
{
    int known = attachment >= 0 && attachment < model->n_attachment;
    return known ? model->attachment[attachment].name : NULL;
}

static const char* attachment_name(const CondModel* model, int body, int index)
{
    (void)body;
    return model->attachment[index].name;
}

int cond_model_find_attachment(const CondModel* model, const char* name)
{
    return cond_index_find(model, -1, "attachment", name, model->n_attachment, attachment_name);
}
