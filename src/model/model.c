// Releases a model, and answers questions about its bodies and joints (cond/sim.h). Never
// changes a model.
#include "model/model.h"

#include "base/memory.h"
#include "geometry/mesh_surface.h"
#include "model/articulation.h"
#include "model/fem.h"
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

int cond_model_find_link(const CondModel* model, int body, const char* name)
{
    int robot = cond_model_body_kind(model, body) == COND_BODY_ROBOT;
    return robot ? cond_articulation_find_link(model->body[body].arm, name) : -1;
}

int cond_model_dof_begin(const CondModel* model, int body)
{
    return body >= 0 && body < model->n_body ? model->body[body].dof_begin : 0;
}

int cond_model_body_n_dof(const CondModel* model, int body)
{
    return body >= 0 && body < model->n_body ? model->body[body].n_dof : 0;
}

int cond_model_body_n_q(const CondModel* model, int body)
{
    return body >= 0 && body < model->n_body ? model->body[body].n_q : 0;
}

CondSensorKind cond_model_sensor_kind(const CondModel* model, int sensor)
{
    int known = sensor >= 0 && sensor < model->n_sensor;
    return known ? model->sensor[sensor].kind : COND_SENSOR_CONTACT;
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
    if (body < 0 || body >= model->n_body)
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
    return body >= 0 && body < model->n_body ? model->body[body].size : 0.0;
}

int cond_model_find_body(const CondModel* model, const char* name)
{
    for (int b = 0; b < model->n_body; b++)
        if (strcmp(model->body[b].name, name) == 0)
            return b;
    return -1;
}

const char* cond_model_obstacle_name(const CondModel* model, int obstacle)
{
    return obstacle >= 0 && obstacle < model->n_obstacle ? model->obstacle[obstacle].name : NULL;
}

int cond_model_find_patch(const CondModel* model, const char* name)
{
    for (int i = 0; i < model->n_patch; i++)
        if (strcmp(model->patch[i].name, name) == 0)
            return i;
    return -1;
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

int cond_model_find_sensor(const CondModel* model, const char* name)
{
    for (int i = 0; i < model->n_sensor; i++)
        if (strcmp(model->sensor[i].name, name) == 0)
            return i;
    return -1;
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
