// What touches: features (points and balls) of every body, and solids that points may touch.
#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh_surface.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "model/rod.h"
#include "scene/compile.h"
#include "scene/shape_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Lists that grow while the bodies are gone through.
typedef struct Growing {
    CondModel* model;
    const CondScene* scene;
    CondError* error; // of a surface that is refused
    int obstacle;     // 1 + the obstacle whose features are being added; else 0
} Growing;

static CondStatus add_feature(Growing* g, const CondFeature* feature)
{
    CondModel* model = g->model;
    if (COND_RESERVE(&model->arena, model->feature, model->n_feature + 1))
        return COND_OUT_OF_MEMORY;
    model->feature[model->n_feature++] = *feature;
    return COND_OK;
}

static CondStatus add_point(Growing* g, int body, int part, const double local[3], double radius)
{
    CondFeature feature = {.radius = radius, .solid = -1};
    feature.point.body = body;
    feature.point.link = part;
    memcpy(feature.point.local, local, 3 * sizeof *local);
    CondBody* owner = body >= 0 ? &g->model->body[body] : NULL;
    if (owner && owner->kind == COND_BODY_RIGID)
        owner->radius = fmax(owner->radius, vec3_norm(local) + radius);
    feature.obstacle = g->obstacle;
    return add_feature(g, &feature);
}

static CondStatus add_solid(Growing* g, const CondSolid* solid)
{
    CondModel* model = g->model;
    CondStatus status = cond_shape_check(&solid->shape, g->error);
    if (status || COND_RESERVE(&model->arena, model->solid, model->n_solid + 1))
        return status ? status : COND_OUT_OF_MEMORY;
    model->solid[model->n_solid++] = *solid;
    return COND_OK;
}

// A shape in the axes of a body, a link or the world.
typedef struct Placed {
    CondShapeKind kind;
    const double* size;
    const CondMeshSurface* mesh_surface;
    const double *position, *orientation;
    uint32_t groups, touches; // 0: those of what it belongs to
} Placed;

// Contact point k, in the shape's own axes, and the radius around it.
static double shape_point(const Placed* placed, const CondShapeRow* row, int k, double local[3])
{
    if (!row->is_mesh)
        return row->point(placed->size, k, local);
    memcpy(local, placed->mesh_surface->vertex + 3 * (size_t)k, 3 * sizeof *local);
    return 0.0;
}

static CondStatus add_shape_features(Growing* g, int body, int part, const Placed* placed)
{
    const CondShapeRow* row = cond_shape_row(placed->kind);
    double R[9], local[3], p[3];
    if (!row)
        return COND_OK;
    quat_matrix(placed->orientation, R);
    int count = row->is_mesh ? placed->mesh_surface->n_vertex : row->n_point;
    for (int k = 0; k < count; k++) {
        if (row->is_mesh && !cond_mesh_surface_is_corner(placed->mesh_surface, k))
            continue;
        double radius = shape_point(placed, row, k, local);
        mat3_multiply(R, local, p);
        for (int i = 0; i < 3; i++)
            p[i] += placed->position[i];
        CondStatus status = add_point(g, body, part, p, radius);
        if (status)
            return status;
        CondFeature* feature = &g->model->feature[g->model->n_feature - 1];
        feature->shaped = 1;
        feature->rim = row->has_rims;
        feature->groups = placed->groups;
        feature->touches = placed->touches;
        if (row->solid) // which is made next
            feature->solid =
                g->obstacle ? g->obstacle - 1 : g->model->n_obstacle + g->model->n_solid;
    }
    return COND_OK;
}

// The solid of a scene's shape; 0 when it has none.
static int make_solid(CondShapeKind kind, const double* size, const CondMeshSurface* mesh_surface,
                      CondShape* shape)
{
    const CondShapeRow* row = cond_shape_row(kind);
    memset(shape, 0, sizeof *shape);
    if (!row || !row->solid)
        return 0;
    shape->form = row->form;
    shape->mesh_surface = mesh_surface;
    row->solid(size, shape);
    return 1;
}

static CondStatus add_placed_solid(Growing* g, int body, int part, int fixed, const Placed* placed,
                                   const CondSkin* surface)
{
    CondSolid solid = {.body = body,
                       .part = part,
                       .fixed = fixed,
                       .surface = *surface,
                       .groups = placed->groups,
                       .touches = placed->touches};
    if (!make_solid(placed->kind, placed->size, placed->mesh_surface, &solid.shape))
        return COND_OK;
    memcpy(solid.position, placed->position, sizeof solid.position);
    memcpy(solid.orientation, placed->orientation, sizeof solid.orientation);
    return add_solid(g, &solid);
}

static CondStatus add_placed(Growing* g, int body, int part, const Placed* placed,
                             const CondSkin* surface)
{
    CondStatus status = add_shape_features(g, body, part, placed);
    return status ? status : add_placed_solid(g, body, part, 0, placed, surface);
}

// The surface of a link's shape: what it does not give is the robot's.
static CondSkin link_skin(const CondBody* body, const CondLinkShape* shape)
{
    CondSkin skin = body->surface;
    if (!isnan(shape->skin.friction[0])) {
        memcpy(skin.own.friction, shape->skin.friction, sizeof skin.own.friction);
        skin.rubbing = shape->rubbing;
    }
    if (!isnan(shape->skin.restitution))
        skin.own.restitution = shape->skin.restitution;
    return skin;
}

// The surface of a link's mesh; none where it is not there, or flat, and is left out.
static CondStatus link_mesh(Growing* g, const CondBody* body, const CondLinkShape* shape,
                            CondMeshSurface** mesh_surface)
{
    const CondBodyDef* def = &g->scene->body[body->index];
    char owner[2 * COND_NAME_SIZE + 16];
    snprintf(owner, sizeof owner, "body %s: link %.63s", body->name,
             body->arm->link[shape->link].name);
    *mesh_surface = NULL;
    if (shape->missing && def->missing_meshes) // the reader has warned of it
        return COND_OK;
    if (shape->missing)
        return cond_error_set(
            g->error, COND_NO_FILE,
            "%s: collision mesh '%.1000s' is not there (package_dirs of the robot "
            "or --package-dir say where packages are, missing_meshes: true goes on "
            "without)",
            owner, shape->file);
    CondError mended = {COND_OK, ""};
    int convex = shape->convex || def->collision == COND_COLLISION_HULL;
    CondStatus status =
        cond_compile_mesh_surface(g->model, g->scene, owner, shape->file, shape->size, convex,
                                  mesh_surface, &mended, g->error);
    if (status == COND_BAD_INPUT && mended.status) // there is no hull either
        return cond_articulation_warn(body->arm, "%.1000s: it is flat and is ignored", shape->file);
    if (!status && mended.status && !convex)
        status = cond_articulation_warn(body->arm, "%.400s: %.400s: taken as convex", shape->file,
                                        mended.message);
    return status;
}

static CondStatus robot_shapes(Growing* g, const CondBody* body)
{
    CondArticulation* arm = body->arm;
    CondStatus status = COND_OK;
    if (g->scene->body[body->index].collision == COND_COLLISION_NONE)
        return COND_OK;
    for (int i = 0; i < arm->n_shape && !status; i++) {
        CondLinkShape* shape = &arm->shape[i];
        CondMeshSurface* mesh_surface = NULL;
        if (shape->kind == COND_LINK_MESH) {
            if (!arm->shaped)
                status = link_mesh(g, body, shape, &shape->surface);
            mesh_surface = shape->surface;
            if (status)
                return status;
            if (!mesh_surface)
                continue;
        }
        const Placed placed = {cond_shape_of_link(shape->kind),
                               shape->size,
                               mesh_surface,
                               shape->position,
                               shape->orientation,
                               shape->groups,
                               shape->touches};
        const CondSkin skin = link_skin(body, shape);
        if (!arm->floating && arm->link[shape->link].part == arm->link[0].part)
            // What never moves needs no features: nothing static touches anything static.
            status = add_placed_solid(g, body->index, shape->link, 1, &placed, &skin);
        else
            status = add_placed(g, body->index, shape->link, &placed, &skin);
    }
    arm->shaped = !status;
    return status;
}

// Every node on the surface.
static CondStatus soft_features(Growing* g, const CondBody* body)
{
    const CondContext* m = &g->model->arena.context;
    int* on_surface = cond_allocate(m, (size_t)body->fem->n_node, sizeof *on_surface);
    CondStatus status = on_surface ? COND_OK : COND_OUT_OF_MEMORY;
    for (int k = 0; k < 3 * body->n_triangle && !status; k++)
        on_surface[body->triangle[k]] = 1;
    for (int i = 0; i < body->fem->n_node && !status; i++) {
        if (!on_surface[i])
            continue;
        CondFeature feature = {.radius = cond_body_half(body), .solid = -1};
        feature.point = (CondPoint){.body = body->index, .n_node = 1, .node = {i}, .local = {1.0}};
        status = add_feature(g, &feature);
    }
    cond_release(m, on_surface);
    return status;
}

// The begin of the first link and the end of each; their capsules meet planes and solids.
static CondStatus rod_features(Growing* g, const CondBody* body)
{
    const CondRod* rod = body->rod;
    CondStatus status = COND_OK;
    for (int i = -1; i < rod->n_link && !status; i++) {
        int link = i < 0 ? 0 : i;
        const double local[3] = {0.0, 0.0, (i < 0 ? -0.5 : 0.5) * rod->length[link]};
        status = add_point(g, body->index, link, local, rod->radius);
        if (!status)
            g->model->feature[g->model->n_feature - 1].shaped = 1;
    }
    return status;
}

static CondStatus body_shapes(Growing* g, const CondScene* scene, CondBody* body)
{
    static const double origin[3] = {0.0, 0.0, 0.0}, unit[4] = {1.0, 0.0, 0.0, 0.0};
    const CondBodyDef* def = &scene->body[body->index];
    CondStatus status = COND_OK;
    if (body->kind == COND_BODY_PARTICLE)
        return add_point(g, body->index, 0, origin, 0.0);
    if (body->kind == COND_BODY_ROBOT)
        return robot_shapes(g, body);
    if (body->kind == COND_BODY_SOFT)
        return soft_features(g, body);
    if (body->kind == COND_BODY_ROD)
        return rod_features(g, body);
    if (def->shape == COND_SHAPE_POINTS)
        for (int k = 0; k < def->n_point && !status; k++)
            status = add_point(g, body->index, 0, def->point + 3 * k, 0.0);
    else
        status =
            add_placed(g, body->index, 0,
                       &(Placed){def->shape, def->size, body->mesh_surface, origin, unit, 0, 0},
                       &body->surface);
    return status;
}

static CondStatus compile_obstacles(CondModel* model, const CondScene* scene, CondError* error)
{
    model->obstacle =
        cond_arena_allocate(&model->arena, (size_t)scene->n_obstacle, sizeof *model->obstacle);
    if (!model->obstacle)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < scene->n_obstacle; i++) {
        const CondObstacleDef* def = &scene->obstacle[i];
        CondSolid* solid = &model->obstacle[i];
        cond_compile_note(model, COND_SCENE_OBSTACLE, i);
        memcpy(solid->name, def->name, sizeof solid->name);
        CondMeshSurface* mesh_surface;
        CondStatus taken = cond_compile_take_obstacle(model, i, solid, &mesh_surface);
        if (taken)
            return taken;
        if (mesh_surface) {
            // it is what it was
        } else if (def->shape == COND_SHAPE_CONVEX || def->shape == COND_SHAPE_MESH) {
            const double scale[3] = {def->mesh_scale, def->mesh_scale, def->mesh_scale};
            char owner[COND_NAME_SIZE + 16];
            snprintf(owner, sizeof owner, "obstacle %s", def->name);
            CondStatus status = cond_compile_mesh_surface(model, scene, owner, def->mesh, scale,
                                                          def->shape == COND_SHAPE_CONVEX,
                                                          &mesh_surface, NULL, error);
            if (status)
                return status;
        } else if (cond_shape_is_mesh(def->shape)) {
            CondStatus status =
                cond_compile_terrain(model, scene, def, solid, &mesh_surface, error);
            if (status)
                return status;
        }
        make_solid(def->shape, def->size, mesh_surface, &solid->shape);
        solid->body = -1;
        memcpy(solid->position, def->position, sizeof solid->position);
        memcpy(solid->orientation, def->orientation, sizeof solid->orientation);
        quat_normalize(solid->orientation);
        solid->surface = (CondSkin){.own = def->surface, .rubbing = def->rubbing};
        model->n_obstacle++;
    }
    return COND_OK;
}

// The numbers by which contacts know features and shapes, and the surfaces of features, now that
// the lists grow no more.
static void number(CondModel* model)
{
    for (int k = 0; k < model->n_feature; k++) {
        CondFeature* feature = &model->feature[k];
        feature->number = k;
        if (feature->obstacle > 0)
            feature->surface = &model->obstacle[feature->obstacle - 1].surface;
        else if (feature->solid >= 0)
            feature->surface = &model->solid[feature->solid - model->n_obstacle].surface;
        else
            feature->surface = &model->body[feature->point.body].surface;
    }
    for (int i = 0; i < model->n_obstacle; i++)
        model->obstacle[i].number = i;
    for (int i = 0; i < model->n_solid; i++)
        model->solid[i].number = model->n_obstacle + i;
    model->n_numbered[0] = model->n_feature;
    model->n_numbered[1] = model->n_obstacle + model->n_solid;
}

CondStatus cond_compile_shapes(CondModel* model, const CondScene* scene, CondError* error)
{
    CondError inner = {COND_OK, "out of memory"};
    Growing g = {.model = model, .scene = scene, .error = &inner};
    CondStatus status = compile_obstacles(model, scene, &inner);
    for (int b = 0; b < model->n_body && !status; b++) {
        model->body[b].feature_begin = model->n_feature;
        status = body_shapes(&g, scene, &model->body[b]);
        model->body[b].n_feature = model->n_feature - model->body[b].feature_begin;
    }
    // Behind those of the bodies: soft bodies meet the corners of obstacles too.
    for (int i = 0; i < model->n_obstacle && !status; i++) {
        const CondSolid* solid = &model->obstacle[i];
        const CondObstacleDef* def = &scene->obstacle[i];
        g.obstacle = i + 1;
        status = add_shape_features(&g, -1, 0,
                                    &(Placed){def->shape, def->size, solid->shape.mesh_surface,
                                              solid->position, solid->orientation, 0, 0});
    }
    if (!status)
        status = cond_arena_shrink(&model->arena, &model->feature, model->n_feature,
                                   sizeof *model->feature);
    if (!status)
        status = cond_compile_edges(model);
    if (status)
        return cond_error_set(error, status, "%s", inner.message);
    number(model);
    return COND_OK;
}
