// Collects the points and cells that draw a model (drawing.h). Reads the model; decided once per
// record.
#include "record/drawing.h"

#include "math/quat.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "model/rod.h"
#include "record/tessellate.h"
#include "record/visual.h"

#include <math.h>
#include <string.h>

static CondStatus add_point(CondDrawing* drawing, const CondPoint* point)
{
    if (COND_RESERVE(&drawing->arena, drawing->point, drawing->n_point + 1))
        return COND_OUT_OF_MEMORY;
    drawing->point[drawing->n_point++] = *point;
    return COND_OK;
}

// A cell whose corners count from the point `first`.
static CondStatus add_cell(CondDrawing* drawing, int type, int first, int n, const int* corner,
                           int body)
{
    CondArena* m = &drawing->arena;
    int i = drawing->n_cell, end = drawing->n_corner + n;
    if (COND_RESERVE(m, drawing->corner, end) || COND_RESERVE(m, drawing->corner_end, i + 1) ||
        COND_RESERVE(m, drawing->type, i + 1) || COND_RESERVE(m, drawing->body, i + 1) ||
        COND_RESERVE(m, drawing->colour, i + 1))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++)
        drawing->corner[drawing->n_corner++] = first + corner[k];
    drawing->corner_end[i] = end;
    drawing->type[i] = (uint8_t)type;
    drawing->body[i] = body;
    drawing->colour[i] = drawing->paint;
    drawing->n_cell++;
    return COND_OK;
}

// Points of a body, link or the world, and the triangles between them. place (position, quaternion)
// is where the axes of the tessellation are in those of the body.
static CondStatus add_triangles(CondDrawing* drawing, const CondTessellation* t, int body, int part,
                                const double position[3], const double orientation[4], int shown_as)
{
    CondStatus status = COND_OK;
    double R[9];
    int first = drawing->n_point;
    quat_matrix(orientation, R);
    for (int k = 0; k < t->n_point && !status; k++) {
        CondPoint point = {.body = body, .link = part};
        mat3_multiply(R, t->point + 3 * k, point.local);
        for (int i = 0; i < 3; i++)
            point.local[i] += position[i];
        status = add_point(drawing, &point);
    }
    int paint = drawing->paint;
    for (int k = 0; k < t->n_triangle && !status; k++) {
        if (t->colour)
            drawing->paint = t->colour[k];
        status = add_cell(drawing, COND_CELL_TRIANGLE, first, 3, t->triangle + 3 * k, shown_as);
    }
    drawing->paint = paint;
    return status;
}

static CondStatus add_vertex(CondDrawing* drawing, const CondPoint* point)
{
    static const int zero = 0;
    CondStatus status = add_point(drawing, point);
    if (!status)
        status = add_cell(drawing, COND_CELL_VERTEX, drawing->n_point - 1, 1, &zero, point->body);
    return status;
}

static CondStatus draw_solid(CondDrawing* drawing, const CondSolid* solid, CondTessellation* t)
{
    CondStatus status = cond_tessellate_shape(&solid->shape, t);
    if (status)
        return status;
    return add_triangles(drawing, t, solid->body, solid->part, solid->position, solid->orientation,
                         solid->body < 0 ? COND_DRAWN_STATIC : solid->body);
}

static CondStatus draw_soft(CondDrawing* drawing, const CondBody* body)
{
    CondStatus status = COND_OK;
    int first = drawing->n_point;
    for (int i = 0; i < body->fem->n_node && !status; i++) {
        CondPoint node = {.body = body->index, .n_node = 1, .node = {i}, .local = {1.0}};
        status = add_point(drawing, &node);
    }
    for (int i = 0; i < body->n_triangle && body->shell && !status; i++)
        status =
            add_cell(drawing, COND_CELL_TRIANGLE, first, 3, body->triangle + 3 * i, body->index);
    for (int i = 0; i < body->fem->n_tet && !status; i++)
        status =
            add_cell(drawing, COND_CELL_TETRAHEDRON, first, 4, body->fem->tet + 4 * i, body->index);
    return status;
}

// Corner k of the rings around a rod, in link axes.
static CondPoint ring_corner(const CondBody* body, int ring, int k, int n)
{
    const CondRod* rod = body->rod;
    int link = ring > 0 ? ring - 1 : 0;
    CondPoint point = {.body = body->index, .link = link};
    double angle = 2.0 * acos(-1.0) * k / n;
    point.local[0] = rod->round ? rod->half[0] * cos(angle) : (k % 3 ? -1.0 : 1.0) * rod->half[0];
    point.local[1] = rod->round ? rod->half[0] * sin(angle) : (k < 2 ? 1.0 : -1.0) * rod->half[1];
    point.local[2] = (ring > 0 ? 0.5 : -0.5) * rod->length[link];
    return point;
}

// A tube: a ring of corners where the rod begins and at the end of every link.
static CondStatus draw_rod(CondDrawing* drawing, const CondBody* body)
{
    int n = cond_drawing_ring(body), first = drawing->n_point;
    CondStatus status = COND_OK;
    for (int ring = 0; ring <= body->rod->n_link; ring++)
        for (int k = 0; k < n && !status; k++) {
            CondPoint point = ring_corner(body, ring, k, n);
            status = add_point(drawing, &point);
        }
    for (int i = 0; i < body->rod->n_link; i++)
        for (int k = 0; k < n && !status; k++) {
            // The first link of a ring begins where the last one ends.
            int from = (i == 0 && body->rod->closed ? body->rod->n_link : i) * n, to = (i + 1) * n;
            int lower[3] = {from + k, from + (k + 1) % n, to + k};
            int upper[3] = {from + (k + 1) % n, to + (k + 1) % n, to + k};
            status = add_cell(drawing, COND_CELL_TRIANGLE, first, 3, lower, body->index);
            if (!status)
                status = add_cell(drawing, COND_CELL_TRIANGLE, first, 3, upper, body->index);
        }
    for (int k = 1; k + 1 < n && !status && !body->rod->closed; k++) { // both ends have a lid
        int end = body->rod->n_link * n, cap[2][3] = {{0, k + 1, k}, {end, end + k, end + k + 1}};
        status = add_cell(drawing, COND_CELL_TRIANGLE, first, 3, cap[0], body->index);
        if (!status)
            status = add_cell(drawing, COND_CELL_TRIANGLE, first, 3, cap[1], body->index);
    }
    return status;
}

int cond_drawing_ring(const CondBody* body)
{
    return body->rod->round ? 8 : 4;
}

// A rigid body given by its contact points: their hull, or the points alone where it has none.
static CondStatus draw_points(CondDrawing* drawing, const CondModel* model, const CondBody* body,
                              CondTessellation* t)
{
    static const double origin[3] = {0.0, 0.0, 0.0}, unit[4] = {1.0, 0.0, 0.0, 0.0};
    const CondFeature* feature = model->feature + body->feature_begin;
    double* local =
        cond_arena_allocate(&drawing->arena, 3 * (size_t)body->n_feature, sizeof *local);
    if (!local)
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < body->n_feature; k++)
        memcpy(local + 3 * k, feature[k].point.local, 3 * sizeof *local);
    CondStatus status = cond_tessellate_hull(body->n_feature, local, t);
    cond_arena_drop(&drawing->arena, local);
    if (!status && t->n_triangle > 0)
        return add_triangles(drawing, t, body->index, 0, origin, unit, body->index);
    for (int k = 0; k < body->n_feature && !status; k++)
        status = add_vertex(drawing, &feature[k].point);
    return status;
}

// What is seen of a robot; `seen` counts it by link. A mesh that cannot be read is not seen.
static CondStatus draw_visuals(CondDrawing* drawing, const CondBody* body,
                               const CondDrawingDetail* detail, int* seen)
{
    const CondArticulation* arm = body->arm;
    CondVisualStore own = {.arena.context = drawing->arena.context};
    CondVisualStore* store = detail->store ? detail->store : &own;
    CondStatus status = COND_OK;
    int n_mesh = 0;
    for (int i = 0; i < arm->n_visual; i++)
        n_mesh += arm->visual[i].kind == COND_LINK_MESH;
    for (int i = 0; i < arm->n_visual && !status; i++) {
        const CondLinkShape* visual = &arm->visual[i];
        const CondTessellation* t = NULL;
        status =
            cond_visual_store_get(store, visual, n_mesh, detail->triangles, detail->around, &t);
        if (status || !t)
            continue;
        status = add_triangles(drawing, t, body->index, visual->link, visual->position,
                               visual->orientation, body->index);
        seen[visual->link]++;
    }
    cond_visual_store_release(&own);
    return status;
}

// What touches of a robot, hidden where its link is seen otherwise.
static CondStatus draw_robot(CondDrawing* drawing, const CondModel* model, const CondBody* body,
                             const CondDrawingDetail* detail, CondTessellation* t)
{
    int* seen = cond_arena_allocate(&drawing->arena, (size_t)body->arm->n_link, sizeof *seen);
    CondStatus status = seen ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status && !detail->collision)
        status = draw_visuals(drawing, body, detail, seen);
    for (int i = 0; i < model->n_solid && !status; i++) {
        const CondSolid* solid = &model->solid[i];
        if (solid->body != body->index)
            continue;
        drawing->paint = seen[solid->part] ? COND_COLOUR_HIDDEN : COND_COLOUR_NONE;
        status = draw_solid(drawing, solid, t);
    }
    drawing->paint = COND_COLOUR_NONE;
    cond_arena_drop(&drawing->arena, seen);
    return status;
}

static CondStatus draw_body(CondDrawing* drawing, const CondModel* model, const CondBody* body,
                            const CondDrawingDetail* detail, CondTessellation* t)
{
    CondPoint origin = {.body = body->index};
    int before = drawing->n_cell;
    if (body->kind == COND_BODY_SOFT)
        return draw_soft(drawing, body);
    if (body->kind == COND_BODY_ROD)
        return draw_rod(drawing, body);
    CondStatus status = COND_OK;
    if (body->kind == COND_BODY_ROBOT)
        status = draw_robot(drawing, model, body, detail, t);
    for (int i = 0; i < model->n_solid && body->kind != COND_BODY_ROBOT && !status; i++)
        if (model->solid[i].body == body->index)
            status = draw_solid(drawing, &model->solid[i], t);
    if (body->kind == COND_BODY_RIGID && drawing->n_cell == before && !status)
        status = draw_points(drawing, model, body, t);
    // What has no shape is seen as a point: a particle, or where its links begin.
    int n_origin = body->kind == COND_BODY_ROBOT ? body->arm->n_link : 1;
    if (drawing->n_cell > before)
        return status;
    for (origin.link = 0; origin.link < n_origin && !status; origin.link++)
        status = add_vertex(drawing, &origin);
    return status;
}

// A square of any size; cond_drawing_fit_planes puts it where it belongs.
static CondStatus draw_plane(CondDrawing* drawing, CondTessellation* t)
{
    static const double origin[3] = {0.0, 0.0, 0.0}, unit[4] = {1.0, 0.0, 0.0, 0.0};
    CondShape square = {.form = COND_FORM_PLANE, .half = {1.0}};
    CondStatus status = cond_tessellate_shape(&square, t);
    if (status)
        return status;
    return add_triangles(drawing, t, -1, 0, origin, unit, COND_DRAWN_PLANE);
}

CondStatus cond_drawing_create(const CondContext* context, const CondModel* model,
                               const CondDrawingDetail* detail, CondDrawing* drawing)
{
    static const CondDrawingDetail viewers = {0};
    detail = detail ? detail : &viewers;
    CondTessellation t = {.arena.context = *context, .around = detail->around};
    memset(drawing, 0, sizeof *drawing);
    cond_arena_begin(context, &drawing->arena);
    drawing->paint = COND_COLOUR_NONE;
    for (int i = 0; i < 3; i++) {
        drawing->box[0][i] = INFINITY;
        drawing->box[1][i] = -INFINITY;
    }
    CondStatus status = COND_RESERVE(&drawing->arena, drawing->point_begin, model->n_body);
    if (!status)
        status = COND_RESERVE(&drawing->arena, drawing->cell_begin, model->n_body);
    for (int b = 0; b < model->n_body && !status; b++) {
        drawing->point_begin[b] = drawing->n_point;
        drawing->cell_begin[b] = drawing->n_cell;
        status = draw_body(drawing, model, &model->body[b], detail, &t);
    }
    for (int i = 0; i < model->n_obstacle && !status; i++)
        status = draw_solid(drawing, &model->obstacle[i], &t);
    drawing->plane_begin = drawing->n_point;
    for (int i = 0; i < model->n_plane && !status; i++)
        status = draw_plane(drawing, &t);
    cond_tessellation_destroy(&t);
    if (status)
        cond_drawing_destroy(drawing);
    return status;
}

void cond_drawing_destroy(CondDrawing* drawing)
{
    cond_arena_release(&drawing->arena);
    memset(drawing, 0, sizeof *drawing);
}

// Half the edge of a square on the plane that lies under all of the box around its centre.
static double plane_reach(const CondDrawing* drawing, const CondPlane* plane,
                          const double centre[3])
{
    double reach = 0.0;
    for (int k = 0; k < 8; k++) {
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = drawing->box[k >> i & 1][i] - centre[i];
        reach = fmax(reach, fabs(vec3_dot(plane->frame + 3, d)));
        reach = fmax(reach, fabs(vec3_dot(plane->frame + 6, d)));
    }
    double height = fabs(vec3_dot(plane->frame, centre) - plane->offset);
    reach = fmax(1.5 * reach, 0.5 * height);
    return reach > 0.0 ? reach : 1.0;
}

void cond_drawing_fit_planes(CondDrawing* drawing, const CondModel* model, double* position)
{
    for (int p = 0; p < drawing->plane_begin; p++) {
        for (int i = 0; i < 3; i++) {
            drawing->box[0][i] = fmin(drawing->box[0][i], position[3 * p + i]);
            drawing->box[1][i] = fmax(drawing->box[1][i], position[3 * p + i]);
        }
    }
    double centre[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3 && drawing->plane_begin > 0; i++)
        centre[i] = 0.5 * (drawing->box[0][i] + drawing->box[1][i]);
    for (int k = 0; k < model->n_plane; k++) {
        const CondPlane* plane = &model->plane[k];
        const double *normal = plane->frame, *t1 = normal + 3, *t2 = normal + 6;
        double reach = drawing->plane_begin > 0 ? plane_reach(drawing, plane, centre) : 1.0;
        double down = vec3_dot(normal, centre) - plane->offset;
        double* x = position + 3 * (drawing->plane_begin + 4 * k);
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < 3; i++)
                x[3 * c + i] = centre[i] - down * normal[i] + (c & 1 ? reach : -reach) * t1[i] +
                               (c & 2 ? reach : -reach) * t2[i];
    }
}
