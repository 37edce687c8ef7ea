// CondScene -> CondModel: names become indices, directions unit vectors, shapes contact points.
#include "scene/compile.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "geometry/mesh_surface.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondStatus allocate(CondModel* model, const CondScene* scene)
{
    model->n_body = scene->n_body;
    model->n_plane = scene->n_plane;
    model->n_force = scene->n_force;
    model->n_spring = scene->n_spring;
    model->body = cond_arena_allocate(&model->arena, (size_t)model->n_body, sizeof *model->body);
    model->plane = cond_arena_allocate(&model->arena, (size_t)model->n_plane, sizeof *model->plane);
    model->force = cond_arena_allocate(&model->arena, (size_t)model->n_force, sizeof *model->force);
    model->spring =
        cond_arena_allocate(&model->arena, (size_t)model->n_spring, sizeof *model->spring);
    if (model->body && model->plane && model->force && model->spring)
        return COND_OK;
    model->n_body = 0; // whose parts cond_model_destroy would look for
    return COND_OUT_OF_MEMORY;
}

// The surface of a rigid body, moved so that its centre of mass is the origin, and what follows
// from it: the mass where the density is given, the inertia where it is not.
static CondStatus compile_surface(CondModel* model, const CondScene* scene, const CondBodyDef* def,
                                  CondBody* body, double inertia[6], CondError* error)
{
    const double scale[3] = {def->mesh_scale, def->mesh_scale, def->mesh_scale};
    char owner[COND_NAME_SIZE + 8];
    double volume, centre[3], unit[6];
    CondMeshSurface* mesh_surface;
    snprintf(owner, sizeof owner, "body %s", def->name);
    CondStatus status =
        cond_compile_mesh_surface(model, scene, owner, def->mesh, scale,
                                  def->shape == COND_SHAPE_CONVEX, &mesh_surface, NULL, error);
    if (status)
        return status;
    cond_mesh_surface_inertia(mesh_surface, &volume, centre, unit);
    if (!(volume > COND_ROUNDING * mesh_surface->size * mesh_surface->size * mesh_surface->size))
        return cond_error_set(error, COND_BAD_INPUT, "%s: shape: %s: it has no volume", owner,
                              def->mesh);
    if (body->mass == 0.0)
        body->mass = def->density * volume;
    for (int k = 0; k < 6 && def->inertia_from_shape; k++)
        inertia[k] = unit[k] * (body->mass / volume);
    for (int i = 0; i < 3; i++)
        centre[i] = -centre[i];
    if (cond_mesh_surface_shift(mesh_surface, centre))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    body->mesh_surface = mesh_surface;
    return COND_OK;
}

// Mass and inertia of a particle or a rigid body.
static CondStatus compile_rigid(CondModel* model, const CondScene* scene, const CondBodyDef* def,
                                CondBody* body, CondError* error)
{
    double I[6]; // xx, yy, zz, xy, xz, yz
    body->n_dof = def->kind == COND_BODY_PARTICLE ? 3 : 6;
    body->n_q = def->kind == COND_BODY_PARTICLE ? 3 : 7;
    cond_scene_inertial(def, &body->mass, I);
    if (def->kind == COND_BODY_RIGID &&
        (def->shape == COND_SHAPE_CONVEX || def->shape == COND_SHAPE_MESH)) {
        CondStatus status = compile_surface(model, scene, def, body, I, error);
        if (status)
            return status;
    }
    double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    memcpy(body->inertia, full, sizeof full);
    if (body->n_dof > model->max_point_dof)
        model->max_point_dof = body->n_dof;
    return COND_OK;
}

// What bodies of all kinds have.
static void start_body(const CondBodyDef* def, int index, CondBody* body)
{
    memcpy(body->name, def->name, sizeof body->name);
    body->kind = def->kind == COND_BODY_SHELL ? COND_BODY_SOFT : def->kind;
    body->shell = def->kind == COND_BODY_SHELL;
    body->index = body->number = index;
    body->surface = (CondSkin){.own = def->surface, .rubbing = def->rubbing};
    body->surface.two_sided = body->shell && !isnan(def->friction_back[0]);
    memcpy(body->surface.back, def->friction_back, sizeof def->friction_back);
    memcpy(body->initial.position, def->position, sizeof def->position);
    memcpy(body->initial.orientation, def->orientation, sizeof def->orientation);
    quat_normalize(body->initial.orientation);
    memcpy(body->initial.velocity, def->velocity, sizeof def->velocity);
    memcpy(body->initial.angular_velocity, def->angular_velocity, sizeof def->angular_velocity);
}

static CondStatus compile_body(CondModel* model, const CondScene* scene, int b, CondError* error)
{
    const CondBodyDef* def = &scene->body[b];
    const CondBody* body = &model->body[b];
    CondStatus status = COND_OK;
    if (body->kind == COND_BODY_SOFT)
        status = cond_compile_soft(model, scene, b, error);
    else if (def->kind == COND_BODY_ROBOT)
        status = cond_compile_robot(model, scene, b, error);
    else if (def->kind == COND_BODY_ROD)
        status = cond_compile_rod(model, scene, b, error);
    else
        status = compile_rigid(model, scene, def, &model->body[b], error);
    return status ? status : cond_compile_check_sizes(&model->body[b], error);
}

static CondStatus compile_bodies(CondModel* model, const CondScene* scene, CondError* error)
{
    for (int b = 0; b < scene->n_body; b++) {
        cond_compile_note(model, COND_SCENE_BODY, b);
        const CondBodyDef* def = &scene->body[b];
        CondBody* body = &model->body[b];
        int taken;
        CondStatus status = cond_compile_take_body(model, b, &taken);
        if (status)
            return cond_error_set(error, status, "out of memory");
        if (!taken) {
            start_body(def, b, body);
            status = compile_body(model, scene, b, error);
        }
        if (status)
            return status;
        body->dof_begin = model->n_dof;
        body->q_begin = model->n_q;
        cond_model_count(model, body);
    }
    return COND_OK;
}

static void compile_planes(CondModel* model, const CondScene* scene)
{
    for (int i = 0; i < scene->n_plane; i++) {
        const CondPlaneDef* def = &scene->plane[i];
        CondPlane* plane = &model->plane[i];
        double length = vec3_norm(def->normal), normal[3], direction[3];
        cond_scene_plane_direction(def, direction);
        for (int k = 0; k < 3; k++)
            normal[k] = def->normal[k] / length;
        mat3_frame(normal, direction, plane->frame);
        memcpy(plane->name, def->name, sizeof plane->name);
        plane->offset = def->offset;
        plane->surface = (CondSkin){.own = def->surface, .rubbing = def->rubbing};
    }
}

// World position at the start of a point given in the body's axes, or of the world.
static void start_position(const CondModel* model, const CondPoint* point, double p[3])
{
    memcpy(p, point->local, 3 * sizeof *p);
    if (point->body < 0)
        return;
    const CondBody* body = &model->body[point->body];
    int rod = body->kind == COND_BODY_ROD;
    const double* link =
        rod ? body->start + 7 * (size_t)point->link : NULL; // position, orientation
    const double* position = rod ? link : body->initial.position;
    double R[9], turned[3] = {0.0, 0.0, 0.0};
    quat_matrix(rod ? link + 3 : body->initial.orientation, R);
    if (body->kind != COND_BODY_PARTICLE)
        mat3_multiply(R, point->local, turned);
    for (int k = 0; k < 3; k++)
        p[k] = position[k] + turned[k];
}

// Each end a joint of a robot; the length at the start is the sum of ratio times position.
static CondStatus set_joints(const CondModel* model, const CondSpringDef* def, CondSpring* spring,
                             double* length, CondError* error)
{
    char owner[COND_NAME_SIZE + 16];
    snprintf(owner, sizeof owner, "spring %s", def->name);
    *length = 0.0;
    spring->between_joints = 1;
    for (int end = 0; end < 2; end++) {
        if (spring->end[end].body < 0)
            continue;
        const CondBody* body = &model->body[spring->end[end].body];
        int j = cond_robot_find_joint(model, body->index, owner, def->joint[end], error);
        if (j < 0)
            return COND_BAD_INPUT;
        spring->joint[end] = j;
        spring->ratio[end] = def->ratio[end];
        *length += spring->ratio[end] * body->start[cond_body_joint_q(body) - body->q_begin + j];
    }
    return COND_OK;
}

static CondStatus compile_springs(CondModel* model, const CondScene* scene, CondError* error)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < scene->n_spring && !status; i++) {
        const CondSpringDef* def = &scene->spring[i];
        CondSpring* spring = &model->spring[i];
        int joints = def->joint[0][0] || def->joint[1][0];
        double p[2][3], length = 0.0;
        cond_compile_note(model, COND_SCENE_SPRING, i);
        for (int end = 0; end < 2; end++) {
            spring->end[end].body =
                def->body[end][0] ? cond_scene_find(scene, COND_SCENE_BODY, def->body[end]) : -1;
            if (joints)
                continue;
            memcpy(spring->end[end].local, def->point[end], sizeof def->point[end]);
            cond_compile_at(model, def->at[end], &spring->end[end]);
            start_position(model, &spring->end[end], p[end]);
        }
        spring->stiffness = def->stiffness;
        spring->damping = def->damping;
        if (joints) {
            status = set_joints(model, def, spring, &length, error);
        } else {
            for (int k = 0; k < 3; k++)
                p[0][k] -= p[1][k];
            length = vec3_norm(p[0]);
        }
        spring->rest_length = isnan(def->rest_length) ? length : def->rest_length;
    }
    return status;
}

// Who gives theta, or M^(1/2) v, means the theta rule; so do the baselines, which have no other.
static void settle_integrator(CondSceneSettings* settings)
{
    int theta =
        !isnan(settings->theta) || settings->mass_root || settings->method != COND_STEP_VELOCITY;
    if (settings->integrator == COND_INTEGRATOR_AUTO && theta)
        settings->integrator = COND_INTEGRATOR_THETA;
    if (isnan(settings->theta))
        settings->theta = 1.0;
}

static CondStatus copy_warnings(CondModel* model, const CondScene* scene)
{
    size_t n = (size_t)scene->n_warning;
    model->warning = cond_arena_allocate(&model->arena, n, sizeof *model->warning);
    if (!model->warning)
        return COND_OUT_OF_MEMORY;
    model->n_warning = scene->n_warning;
    if (n > 0)
        memcpy(model->warning, scene->warning, n * sizeof *model->warning);
    return COND_OK;
}

void cond_compile_note(CondModel* model, CondSceneKind list, int entry)
{
    model->compiled[0] = (int)list;
    model->compiled[1] = entry;
}

// Puts the file before a message, and the line of the entry that was being compiled.
static void name_source(const CondScene* scene, const CondModel* model, CondError* error)
{
    const int *at = model->compiled,
              known = at[0] < COND_SCENE_N_KIND && at[1] < scene->n_line[at[0]];
    int line = known ? scene->line[at[0]][at[1]] : 0;
    if (!error || !scene->file || error->status == COND_OUT_OF_MEMORY)
        return;
    CondError inner = *error;
    if (line > 0)
        cond_error_set(error, inner.status, "%.500s:%d: %.1500s", scene->file, line, inner.message);
    else
        cond_error_set(error, inner.status, "%.500s: %.1500s", scene->file, inner.message);
}

static CondStatus compile(const CondScene* scene, const CondCompiledAgain* again, CondModel** model,
                          CondError* error)
{
    CondStatus status = COND_OK;
    CondModel* made = cond_allocate(&scene->arena.context, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_arena_begin(&scene->arena.context, &made->arena);
    made->settings = scene->settings;
    made->again = again;
    cond_compile_note(made, COND_SCENE_N_KIND, 0);
    settle_integrator(&made->settings);
    status = allocate(made, scene);
    if (!status)
        status = copy_warnings(made, scene);
    if (status)
        cond_error_set(error, status, "out of memory");
    else
        status = compile_bodies(made, scene, error);
    cond_compile_note(made, status ? (CondSceneKind)made->compiled[0] : COND_SCENE_N_KIND,
                      made->compiled[1]);
    if (!status)
        status = cond_compile_shapes(made, scene, error);
    if (!status) {
        compile_planes(made, scene);
        cond_compile_widths(made);
        status = cond_compile_entities(made, scene, error);
    }
    if (!status) {
        cond_compile_sizes(made);
        status = cond_compile_bending(made, scene, error);
    }
    if (!status)
        status = cond_compile_patches(made, scene, error);
    if (!status)
        status = cond_compile_trajectories(made, scene, error);
    if (!status)
        status = cond_compile_attachments(made, scene, error);
    if (!status)
        status = cond_compile_sensors(made, scene, error);
    if (!status)
        status = cond_compile_cameras(made, scene, error);
    if (!status)
        status = cond_compile_forces(made, scene, error);
    if (!status)
        status = compile_springs(made, scene, error);
    if (status) {
        name_source(scene, made, error);
        cond_model_destroy(made);
        return status;
    }
    made->again = NULL;
    *model = made;
    return COND_OK;
}

CondStatus cond_scene_compile(const CondScene* scene, CondModel** model, CondError* error)
{
    *model = NULL;
    CondStatus status = cond_scene_settings_check(&scene->settings, error);
    return status ? status : compile(scene, NULL, model, error);
}

CondStatus cond_scene_compile_again(const CondScene* scene, const CondCompiledAgain* again,
                                    CondModel** model, CondError* error)
{
    *model = NULL;
    CondStatus status = compile(scene, again, model, error);
    cond_model_destroy(again->donor);
    return status;
}
