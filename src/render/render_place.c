// What the item functions need of a state: poses, nodes, light and floors, as its camera sees them.
#include "math/quat.h"
#include "math/vec3.h"
#include "model/articulation.h"
#include "model/rod.h"
#include "model/state.h"
#include "record/light.h"
#include "record/picture.h"
#include "render/render.h"

#include <math.h>
#include <string.h>

int cond_render_count_parts(const CondModel* model, int* begin)
{
    int n = 2; // directions, and the world
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        begin[b] = n;
        n += body->kind == COND_BODY_SOFT    ? 0
             : body->kind == COND_BODY_ROD   ? body->rod->n_link
             : body->kind == COND_BODY_ROBOT ? body->arm->n_link
                                             : 1;
    }
    return n;
}

void cond_render_eye(const CondRenderer* renderer, const CondKinematics* kinematics,
                     double position[3], double axes[9])
{
    double origin[3], R[9];
    memcpy(position, renderer->camera.position, 3 * sizeof *position);
    memcpy(axes, renderer->axes, sizeof renderer->axes);
    if (renderer->camera_body < 0)
        return;
    cond_kinematics_axes(kinematics, renderer->camera_body, renderer->camera_link, origin, R);
    mat3_multiply(R, renderer->camera.position, position);
    for (int i = 0; i < 3; i++) {
        position[i] += origin[i];
        mat3_multiply(R, renderer->axes + 3 * i, axes + 3 * i);
    }
}

// e = axes (R local + origin - eye)
static void put_pose(const double axes[9], const double eye[3], const double origin[3],
                     const double R[9], float pose[12])
{
    double from[3], t[3];
    for (int i = 0; i < 3; i++)
        from[i] = origin[i] - eye[i];
    mat3_multiply(axes, from, t);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            pose[4 * i + j] = (float)(axes[3 * i] * R[j] + axes[3 * i + 1] * R[3 + j] +
                                      axes[3 * i + 2] * R[6 + j]);
        pose[4 * i + 3] = (float)t[i];
    }
}

static void put_poses(const CondRenderer* renderer, const CondKinematics* kinematics,
                      const double axes[9], const double eye[3], float* pose)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, zero[3];
    const CondModel* model = kinematics->model;
    put_pose(axes, eye, eye, unit, pose);
    put_pose(axes, eye, zero, unit, pose + 12);
    for (int b = 0; b < model->n_body; b++) {
        int end = b + 1 < model->n_body ? renderer->part_begin[b + 1] : renderer->n_part;
        for (int p = renderer->part_begin[b]; p < end; p++) {
            double origin[3], R[9];
            cond_kinematics_axes(kinematics, b, p - renderer->part_begin[b], origin, R);
            put_pose(axes, eye, origin, R, pose + 12 * (size_t)p);
        }
    }
}

static void put_nodes(const CondRenderMesh* mesh, const double* q, const double eye[3], float* node)
{
    for (int k = 0; k < mesh->n_node; k++)
        for (int lane = 0; lane < COND_RENDER_RUN; lane++) {
            int place = mesh->place[COND_RENDER_RUN * k + lane];
            for (int i = 0; i < 3; i++)
                node[(3 * k + i) * COND_RENDER_RUN + lane] =
                    place < 0 ? 0.0f : (float)(q[place + i] - eye[i]);
        }
}

// The component of a pixel's ray along a direction times a factor, as coefficients of its place.
static void put_row(const CondRenderArgs* args, const double axes[9], const double along[3],
                    double factor, float row[3])
{
    double n[3], scale = (double)args->scale, x = (double)args->middle[0];
    mat3_multiply(axes, along, n);
    row[0] = (float)(factor * n[0] / scale);
    row[1] = (float)(-factor * n[1] / scale);
    row[2] = (float)(factor * (n[2] - n[0] * x / scale + n[1] * (double)args->middle[1] / scale));
}

static void put_floor(const CondRenderer* renderer, const CondPlane* plane, const double axes[9],
                      const double eye[3], CondRenderFloor* out)
{
    static const float dark = 0.72f; // of every other cell
    const double* normal = plane->frame;
    double height = plane->offset - vec3_dot(normal, eye), facing[3], lit[3];
    float colour[3];
    memset(out, 0, sizeof *out);
    out->reach = 1.0f;
    if (!(normal[2] > 0.5) || !(fabs(height) > 0.0)) // walls are seen through
        return;
    put_row(&renderer->args, axes, normal, 1.0 / height, out->image + 6);
    for (int i = 0; i < 2; i++) {
        const double* axis = plane->frame + 3 + 3 * i;
        double below = vec3_dot(axis, eye) / renderer->cell;
        put_row(&renderer->args, axes, axis, 1.0 / renderer->cell, out->image + 3 * i);
        out->below[i] = (float)(below - 2.0 * floor(0.5 * below));
        out->fade[i] = (float)(vec3_dot(axis, renderer->centre) / renderer->cell - below);
    }
    out->reach = (float)(5.0 * renderer->size / renderer->cell);
    for (int i = 0; i < 3; i++)
        facing[i] = height > 0.0 ? -normal[i] : normal[i];
    cond_picture_linear(COND_LIGHT_FLOOR, colour);
    double sun = -vec3_dot(facing, cond_light_sun);
    cond_light(sun > 0.0 ? sun : 0.0, facing[2], colour, lit);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            double linear = fmin((k ? (double)dark : 1.0) * lit[i], 1.0);
            out->tone[k][i] = renderer->tone[(int)(linear * (COND_RENDER_TONES - 1) + 0.5)];
        }
}

void cond_render_place(CondRenderer* renderer, CondKinematics* kinematics, const CondModel* model,
                       const CondRenderMesh* mesh, const CondState* state, int at)
{
    const CondRenderArgs* args = &renderer->args;
    static const double z[3] = {0.0, 0.0, 1.0};
    double eye[3], axes[9], sun[3], up[3];
    kinematics->model = model;
    cond_kinematics_set(kinematics, state->q);
    cond_render_eye(renderer, kinematics, eye, axes);
    put_poses(renderer, kinematics, axes, eye,
              renderer->pose + 12 * (size_t)at * (size_t)renderer->n_part);
    put_nodes(mesh, state->q, eye,
              renderer->node + 3 * COND_RENDER_RUN * (size_t)at * (size_t)args->n_node);
    mat3_multiply(axes, cond_light_sun, sun);
    mat3_multiply(axes, z, up);
    for (int i = 0; i < 3; i++) {
        renderer->light[at].sun[i] = (float)-sun[i];
        renderer->light[at].up[i] = (float)up[i];
    }
    for (int k = 0; k < args->n_floor; k++)
        put_floor(renderer, &model->plane[k], axes, eye,
                  &renderer->floor[(size_t)at * (size_t)args->n_floor + (size_t)k]);
    kinematics->model = renderer->model;
}
