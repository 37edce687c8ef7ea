// Scenes in Bullet: what of a model it knows is told to it, and its poses come back.
#include "cond/baselines.h"

#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/timer.h"
#include "bullet_world.h"
#include "geometry/mesh_surface.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static const double THINNEST = 0.1; // of all bodies, in Bullet's lengths [m]

struct CondBullet {
    CondContext context;
    const CondModel* model;
    CondBulletWorld* world;
    int step; // made so far
};

int cond_bullet_available(void)
{
    return cond_bullet_world_available();
}

void cond_bullet_destroy(CondBullet* bullet)
{
    if (!bullet)
        return;
    CondContext m = bullet->context;
    cond_bullet_world_destroy(bullet->world);
    cond_release(&m, bullet);
}

static int is_inertia_diagonal(const double I[9])
{
    double off = fmax(fmax(fabs(I[1]), fabs(I[2])), fabs(I[5]));
    return off <= 1e-9 * fmax(I[0], fmax(I[4], I[8]));
}

// What Bullet is not told about; NULL: it knows all.
static const char* find_unknown(const CondModel* model)
{
    for (int b = 0; b < model->n_body; b++) {
        if (model->body[b].kind != COND_BODY_RIGID)
            return "bodies that are not rigid";
        if (!is_inertia_diagonal(model->body[b].inertia))
            return "an inertia that is not along the body's axes";
    }
    for (int i = 0; i < model->n_solid + model->n_obstacle; i++) {
        const CondSolid* solid =
            i < model->n_solid ? &model->solid[i] : &model->obstacle[i - model->n_solid];
        if (solid->shape.form == COND_FORM_MESH)
            return "meshes that are not convex";
        if (i < model->n_solid && vec3_norm(solid->position) > 0.0)
            return "shapes away from the centre of mass";
    }
    for (int i = 0; i < model->n_attachment; i++)
        if (model->attachment[i].turns || model->attachment[i].end[0].guide ||
            model->attachment[i].end[1].guide)
            return "attachments that turn or are led";
    return model->n_spring > 0 ? "springs" : NULL;
}

static double scale_of(const CondModel* model)
{
    double thinnest = THINNEST;
    for (int b = 0; b < model->n_body; b++)
        thinnest = fmin(thinnest, model->body[b].width);
    return THINNEST / thinnest;
}

static CondBulletBody describe(const CondShape* shape, const CondSkin* skin)
{
    const CondSurfaceDef* surface = &skin->own;
    CondBulletBody body = {.form = shape->form, .radius = shape->radius};
    memcpy(body.half, shape->half, sizeof body.half);
    if (shape->form == COND_FORM_CONVEX) {
        body.n_vertex = shape->mesh_surface->n_vertex;
        body.vertex = shape->mesh_surface->vertex;
    }
    body.friction = isnan(surface->friction[0]) ? -1.0 : surface->friction[0];
    body.restitution = isnan(surface->restitution) ? 0.0 : surface->restitution;
    body.pose.orientation[0] = 1.0;
    return body;
}

static const CondSolid* solid_of(const CondModel* model, int body)
{
    for (int i = 0; i < model->n_solid; i++)
        if (model->solid[i].body == body)
            return &model->solid[i];
    return NULL;
}

static int add_bodies(CondBulletWorld* world, const CondModel* model, const CondState* state)
{
    static const CondShape none = {.form = (CondShapeForm)-1};
    int failed = 0;
    for (int b = 0; b < model->n_body && !failed; b++) {
        const CondSolid* solid = solid_of(model, b);
        CondBulletBody body = describe(solid ? &solid->shape : &none, &model->body[b].surface);
        body.mass = model->body[b].mass;
        for (int i = 0; i < 3; i++)
            body.inertia[i] = model->body[b].inertia[4 * i];
        body.pose = cond_state_pose(model, state, b);
        failed = cond_bullet_world_add(world, &body);
    }
    return failed;
}

static int add_static(CondBulletWorld* world, const CondModel* model)
{
    static const CondShape plane = {.form = COND_FORM_PLANE};
    int failed = 0;
    for (int i = 0; i < model->n_plane && !failed; i++) {
        CondBulletBody body = describe(&plane, &model->plane[i].surface);
        memcpy(body.normal, model->plane[i].frame, sizeof body.normal);
        body.offset = model->plane[i].offset;
        failed = cond_bullet_world_add(world, &body);
    }
    for (int i = 0; i < model->n_obstacle && !failed; i++) {
        const CondSolid* solid = &model->obstacle[i];
        CondBulletBody body = describe(&solid->shape, &solid->surface);
        memcpy(body.pose.position, solid->position, sizeof body.pose.position);
        memcpy(body.pose.orientation, solid->orientation, sizeof body.pose.orientation);
        failed = cond_bullet_world_add(world, &body);
    }
    return failed;
}

static int add_joints(CondBulletWorld* world, const CondModel* model)
{
    int failed = 0;
    for (int i = 0; i < model->n_attachment && !failed; i++) {
        const CondPoint *a = &model->attachment[i].end[0].point,
                        *b = &model->attachment[i].end[1].point;
        failed = cond_bullet_world_join(world, a->body, a->local, b->body, b->local);
    }
    return failed;
}

CondStatus cond_bullet_create(const CondModel* model, const CondState* state, int iterations,
                              CondBullet** bullet, CondError* error)
{
    const CondContext* m = &model->arena.context;
    const char* unknown =
        cond_bullet_available() ? find_unknown(model) : "what it was not built with";
    *bullet = NULL;
    if (unknown)
        return cond_error_set(error, COND_NOT_SUPPORTED, "Bullet is not asked for %s", unknown);
    CondBullet* made = cond_allocate(m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = *m;
    made->model = model;
    made->world = cond_bullet_world_create(model->settings.time_step, model->settings.gravity,
                                           iterations, scale_of(model));
    if (!made->world || add_bodies(made->world, model, state) || add_static(made->world, model) ||
        add_joints(made->world, model)) {
        cond_bullet_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    *bullet = made;
    return COND_OK;
}

static void push(CondBullet* bullet)
{
    const CondModel* model = bullet->model;
    double time = bullet->step * model->settings.time_step;
    for (int i = 0; i < model->n_force; i++) {
        const CondForce* force = &model->force[i];
        if (time < force->start || time >= force->end)
            continue;
        CondPose pose = cond_bullet_world_pose(bullet->world, force->point.body);
        double R[9], arm[3];
        quat_matrix(pose.orientation, R);
        mat3_multiply(R, force->point.local, arm);
        cond_bullet_world_push(bullet->world, force->point.body, force->force, arm);
    }
}

// T = m v'v/2 + w'I w/2 in body axes, less m g'x.
static double energy_of(const CondBody* body, const CondPose* pose, const double gravity[3])
{
    double R[9], w[3], turning = 0.0;
    quat_matrix(pose->orientation, R);
    mat3_multiply_transposed(R, pose->angular_velocity, w);
    for (int i = 0; i < 3; i++)
        turning += body->inertia[4 * i] * w[i] * w[i];
    return 0.5 * body->mass * vec3_dot(pose->velocity, pose->velocity) + 0.5 * turning -
           body->mass * vec3_dot(gravity, pose->position);
}

static CondStatus bullet_step_whole(CondBullet* bullet, CondState* state, CondBulletInfo* info)
{
    const CondModel* model = bullet->model;
    CondStatus status = COND_OK;
    *info = (CondBulletInfo){0};
    push(bullet);
    double begin = cond_seconds();
    cond_bullet_world_step(bullet->world);
    info->seconds = cond_seconds() - begin;
    bullet->step++;
    info->contacts = cond_bullet_world_n_contact(bullet->world);
    for (int b = 0; b < model->n_body && !status; b++) {
        CondPose pose = cond_bullet_world_pose(bullet->world, b);
        info->energy += energy_of(&model->body[b], &pose, model->settings.gravity);
        status = cond_state_set_pose(model, state, b, &pose);
    }
    return status;
}

CondStatus cond_bullet_step_sized(CondBullet* bullet, CondState* state, CondBulletInfo* info,
                                  size_t size)
{
    COND_SIZED(CondStatus, CondBulletInfo, info, size, bullet_step_whole(bullet, state, it));
}

void cond_bullet_contacts(const CondBullet* bullet, CondBulletSee see, void* data)
{
    cond_bullet_world_contacts(bullet->world, see, data);
}
