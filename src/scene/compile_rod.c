// Rods: centreline, section and material -> CondRod and the links' poses at the start.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/rod.h"
#include "scene/compile.h"
#include "scene/rod_shape.h"

#include <math.h>
#include <string.h>

// Rest strains: those of the shape at the start, or a uniform curvature and twist.
static void set_rest(const CondRodDef* def, const double* start, CondRod* rod)
{
    if (def->rest == COND_ROD_REST_SHAPE) {
        cond_rod_set_rest(rod, start);
        return;
    }
    for (int i = 0; i < cond_rod_n_joint(rod); i++)
        for (int k = 0; k < 3; k++)
            rod->rest[6 * i + 3 + k] = 0.5 * (rod->length[i] + rod->length[(i + 1) % rod->n_link]) *
                                       def->rest_curvature[k];
}

static CondStatus make_rod(CondModel* model, const CondBodyDef* def,
                           const CondMaterialDef* material, CondBody* body)
{
    const CondContext* m = &model->arena.context;
    int n = cond_rod_shape_links(def);
    CondRodSection section = {.round = def->rod.circle > 0.0,
                              .size = {def->rod.rectangle[0], def->rod.rectangle[1]},
                              .shear_factor = def->rod.shear_factor};
    if (section.round)
        section.size[0] = def->rod.circle;
    double* point = cond_allocate(m, 3 * ((size_t)n + 1), sizeof *point);
    double* length = cond_allocate(m, (size_t)n, sizeof *length);
    body->rod = cond_arena_allocate(&model->arena, 1, sizeof *body->rod);
    body->start = cond_arena_allocate(&model->arena, 7 * (size_t)n, sizeof(double));
    body->start_v = cond_arena_allocate(&model->arena, 6 * (size_t)n, sizeof(double));
    CondStatus status = COND_OUT_OF_MEMORY;
    if (point && length && body->rod && body->start && body->start_v) {
        cond_rod_shape_points(def, point);
        cond_rod_shape_place(def, point, body->start, length);
        status = cond_rod_create(m, n, length, &section, material, body->rod);
    }
    if (!status) {
        body->rod->closed = def->rod_closed;
        set_rest(&def->rod, body->start, body->rod);
        if (!isnan(def->rod.contact_radius))
            body->rod->radius = def->rod.contact_radius;
        for (int i = 0; i < 6 * n; i++)
            body->start_v[i] = i % 6 < 3 ? def->velocity[i % 6] : 0.0;
    }
    cond_release(m, point);
    cond_release(m, length);
    return status;
}

// How far the end of the last link is from the begin of the first.
static double ends_apart(const CondBody* body)
{
    const CondRod* rod = body->rod;
    const int at[2] = {rod->n_link - 1, 0};
    double end[2][3], d[3];
    for (int k = 0; k < 2; k++) {
        double r[3] = {0.0, 0.0, (k == 0 ? 0.5 : -0.5) * rod->length[at[k]]};
        quat_rigid_point(body->start + 7 * (size_t)at[k], r, end[k], NULL);
    }
    for (int i = 0; i < 3; i++)
        d[i] = end[1][i] - end[0][i];
    return vec3_norm(d);
}

CondStatus cond_compile_rod(CondModel* model, const CondScene* scene, int index, CondError* error)
{
    const CondBodyDef* def = &scene->body[index];
    CondBody* body = &model->body[index];
    int found = cond_scene_find(scene, COND_SCENE_MATERIAL, def->material);
    if (found < 0)
        return cond_error_set(error, COND_BAD_INPUT, "body %s: no material is named '%s'",
                              def->name, def->material);
    const CondMaterialDef* material = &scene->material[found];
    CondStatus status = make_rod(model, def, material, body);
    if (status)
        return cond_error_set(error, status, "out of memory");
    double apart = def->rod_closed ? ends_apart(body) : 0.0,
           all = body->rod->arc[body->rod->n_link];
    if (def->rod_closed && body->rod->n_link < 3)
        return cond_error_set(error, COND_BAD_INPUT, "body %s: rod.closed: needs three links",
                              def->name);
    if (apart > COND_NEARLY * all)
        return cond_error_set(error, COND_BAD_INPUT,
                              "body %s: rod.closed: its ends are %.3g m apart; they must meet",
                              def->name, apart);
    body->n_dof = 6 * body->rod->n_link;
    body->n_q = 7 * body->rod->n_link;
    for (int i = 0; i < body->rod->n_link; i++)
        body->mass += body->rod->mass[i];
    body->geometric = material->geometric;
    body->geometric_stiffness = material->geometric_stiffness;
    body->self_contact = def->self_contact;
    body->thickness = def->thickness;
    if (model->max_point_dof < 6)
        model->max_point_dof = 6;
    return COND_OK;
}

void cond_compile_at(const CondModel* model, double at, CondPoint* point)
{
    double along;
    if (point->body < 0 || model->body[point->body].kind != COND_BODY_ROD)
        return;
    point->link = cond_rod_link_at(model->body[point->body].rod, at, &along);
    point->local[2] += along;
}
