// CondScene -> CondModel: names become indices, directions unit vectors, shapes contact points.
#include "base/error.h"
#include "base/memory.h"
#include "body/body.h"
#include "math/quat.h"
#include "scene/model.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

static int count_features(const CondBodyDef* def)
{
    if (def->kind == COND_BODY_PARTICLE)
        return 1;
    if (def->shape == COND_SHAPE_BOX)
        return 8;
    return def->shape == COND_SHAPE_POINTS ? def->n_point : 0;
}

static CondStatus allocate(CondModel* model, const CondScene* scene)
{
    const CondContext* m = &model->context;
    model->n_body = scene->n_body;
    model->n_plane = scene->n_plane;
    model->n_force = scene->n_force;
    model->n_spring = scene->n_spring;
    for (int i = 0; i < scene->n_body; i++)
        model->n_feature += count_features(&scene->body[i]);
    model->body = cond_allocate(m, (size_t)model->n_body, sizeof *model->body);
    model->plane = cond_allocate(m, (size_t)model->n_plane, sizeof *model->plane);
    model->force = cond_allocate(m, (size_t)model->n_force, sizeof *model->force);
    model->spring = cond_allocate(m, (size_t)model->n_spring, sizeof *model->spring);
    model->feature = cond_allocate(m, (size_t)model->n_feature, sizeof *model->feature);
    return model->body && model->plane && model->force && model->spring && model->feature
               ? COND_OK
               : COND_OUT_OF_MEMORY;
}

static void compile_features(const CondBodyDef* def, CondBody* body, CondFeature* feature)
{
    body->n_feature = count_features(def);
    for (int k = 0; k < body->n_feature; k++) {
        double* p = feature[k].point.local;
        feature[k].point.body = body->index;
        for (int i = 0; i < 3; i++) {
            if (def->kind == COND_BODY_PARTICLE)
                p[i] = 0.0;
            else if (def->shape == COND_SHAPE_BOX)
                p[i] = (k >> i & 1 ? 0.5 : -0.5) * def->size[i];
            else
                p[i] = def->point[3 * k + i];
        }
        body->radius = fmax(body->radius, vec3_norm(p));
    }
}

static void compile_bodies(CondModel* model, const CondScene* scene)
{
    int feature = 0;
    for (int b = 0; b < scene->n_body; b++) {
        const CondBodyDef* def = &scene->body[b];
        CondBody* body = &model->body[b];
        memcpy(body->name, def->name, sizeof body->name);
        body->kind = def->kind;
        body->index = b;
        body->dof_begin = model->n_dof;
        body->n_dof = def->kind == COND_BODY_PARTICLE ? 3 : 6;
        body->q_begin = model->n_q;
        body->n_q = def->kind == COND_BODY_PARTICLE ? 3 : 7;
        model->n_dof += body->n_dof;
        model->n_q += body->n_q;
        model->max_point_dof =
            body->n_dof > model->max_point_dof ? body->n_dof : model->max_point_dof;
        body->mass = def->mass;
        const double* I = def->inertia; // xx, yy, zz, xy, xz, yz
        double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
        memcpy(body->inertia, full, sizeof full);
        body->feature_begin = feature;
        compile_features(def, body, model->feature + feature);
        feature += body->n_feature;
        body->surface = def->surface;
        memcpy(body->initial.position, def->position, sizeof def->position);
        memcpy(body->initial.orientation, def->orientation, sizeof def->orientation);
        quat_normalize(body->initial.orientation);
        memcpy(body->initial.velocity, def->velocity, sizeof def->velocity);
        memcpy(body->initial.angular_velocity, def->angular_velocity, sizeof def->angular_velocity);
    }
}

static void compile_planes(CondModel* model, const CondScene* scene)
{
    for (int i = 0; i < scene->n_plane; i++) {
        const CondPlaneDef* def = &scene->plane[i];
        CondPlane* plane = &model->plane[i];
        double length = vec3_norm(def->normal), normal[3];
        for (int k = 0; k < 3; k++)
            normal[k] = def->normal[k] / length;
        mat3_frame(normal, def->direction, plane->frame);
        plane->offset = def->offset;
        plane->surface = def->surface;
    }
}

static void compile_forces(CondModel* model, const CondScene* scene)
{
    for (int i = 0; i < scene->n_force; i++) {
        const CondForceDef* def = &scene->force[i];
        CondForce* force = &model->force[i];
        force->point.body = cond_scene_find_body(scene, def->body);
        memcpy(force->force, def->force, sizeof def->force);
        memcpy(force->torque, def->torque, sizeof def->torque);
        memcpy(force->point.local, def->point, sizeof def->point);
        force->start = def->start;
        force->end = def->end;
    }
}

// World position at the start of a point given in the body's axes, or of the world.
static void start_position(const CondModel* model, const CondPoint* point, double p[3])
{
    memcpy(p, point->local, 3 * sizeof *p);
    if (point->body < 0)
        return;
    const CondBody* body = &model->body[point->body];
    double R[9], turned[3] = {0.0, 0.0, 0.0};
    quat_matrix(body->initial.orientation, R);
    if (body->kind == COND_BODY_RIGID)
        mat3_multiply(R, point->local, turned);
    for (int k = 0; k < 3; k++)
        p[k] = body->initial.position[k] + turned[k];
}

static void compile_springs(CondModel* model, const CondScene* scene)
{
    for (int i = 0; i < scene->n_spring; i++) {
        const CondSpringDef* def = &scene->spring[i];
        CondSpring* spring = &model->spring[i];
        double p[2][3];
        for (int end = 0; end < 2; end++) {
            spring->end[end].body =
                def->body[end][0] ? cond_scene_find_body(scene, def->body[end]) : -1;
            memcpy(spring->end[end].local, def->point[end], sizeof def->point[end]);
            start_position(model, &spring->end[end], p[end]);
        }
        spring->stiffness = def->stiffness;
        spring->damping = def->damping;
        for (int k = 0; k < 3; k++)
            p[0][k] -= p[1][k];
        spring->rest_length = isnan(def->rest_length) ? vec3_norm(p[0]) : def->rest_length;
    }
}

CondStatus cond_scene_compile(const CondScene* scene, CondModel** model, CondError* error)
{
    *model = NULL;
    CondStatus status = cond_scene_settings_check(&scene->settings, error);
    if (status)
        return status;
    CondModel* made = cond_allocate(&scene->context, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = scene->context;
    made->settings = scene->settings;
    if (allocate(made, scene)) {
        cond_model_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    compile_bodies(made, scene);
    compile_planes(made, scene);
    compile_forces(made, scene);
    compile_springs(made, scene);
    *model = made;
    return COND_OK;
}
