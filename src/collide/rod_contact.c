#include "collide/rod_contact.h"

#include "base/memory.h"
#include "collide/meeting.h"
#include "math/vec3.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

static const double PARALLEL = 0.05;  // sin^2 of the angle below which the middle of a link is used
static const double NEIGHBOURS = 4.0; // radii along a rod within which it does not touch itself

void cond_rod_collider_begin(const CondContext* context, CondRodCollider* collider)
{
    memset(collider, 0, sizeof *collider);
    collider->context = *context;
    cond_tree_begin(context, &collider->tree);
    cond_tree_pairs_begin(context, &collider->pairs);
}

void cond_rod_collider_end(CondRodCollider* collider)
{
    cond_tree_end(&collider->tree);
    cond_tree_pairs_end(&collider->pairs);
    void* arrays[] = {collider->body, collider->link, collider->end, collider->box, collider->from};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&collider->context, arrays[i]);
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double cond_segment_nearest(const double p[3], const double d[3], const double q[3],
                            const double e[3], double* s, double* t)
{
    double r[3], gap[3];
    for (int i = 0; i < 3; i++)
        r[i] = p[i] - q[i];
    double a = vec3_dot(d, d), b = vec3_dot(d, e), c = vec3_dot(e, e);
    double dr = vec3_dot(d, r), er = vec3_dot(e, r), det = a * c - b * b;
    if (det > 1e-12 * a * c) {
        *s = clamp((b * er - c * dr) / det, 0.0, 1.0);
    } else { // along d the other segment covers from u to w
        double u = -dr / a, w = u + b / a;
        *s = 0.5 * (clamp(fmin(u, w), 0.0, 1.0) + clamp(fmax(u, w), 0.0, 1.0));
    }
    *t = (b * *s + er) / c; // the best t for this s, and the best s again where t is cut
    if (*t < 0.0 || *t > 1.0) {
        *t = clamp(*t, 0.0, 1.0);
        *s = clamp((b * *t - dr) / a, 0.0, 1.0);
    }
    for (int i = 0; i < 3; i++)
        gap[i] = r[i] + *s * d[i] - *t * e[i];
    return vec3_norm(gap);
}

// How many rods there are whose links can touch another one.
static int count_links(const CondModel* model)
{
    int rods = 0, n = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        rods += body->kind == COND_BODY_ROD ? 1 + body->self_contact : 0;
        n += body->kind == COND_BODY_ROD ? body->rod->n_link : 0;
    }
    return rods > 1 ? n : 0;
}

static CondStatus reserve(CondRodCollider* c, int n)
{
    const CondContext* m = &c->context;
    if (cond_reserve(m, &c->body, &c->cap_body, n, sizeof *c->body) ||
        cond_reserve(m, &c->link, &c->cap_link, n, sizeof *c->link) ||
        cond_reserve(m, &c->end, &c->cap_end, 6 * n, sizeof *c->end) ||
        cond_reserve(m, &c->box, &c->cap_box, 6 * n, sizeof *c->box))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

void cond_rod_link_ends(const CondPosture* posture, int body, int link, double end[6])
{
    double origin[3], R[9], half = 0.5 * posture->model->body[body].rod->length[link];
    cond_posture_axes(posture, body, link, origin, R);
    for (int k = 0; k < 3; k++) {
        end[k] = origin[k] - half * R[3 * k + 2];
        end[3 + k] = origin[k] + half * R[3 * k + 2];
    }
}

// Segments and boxes of all links, boxes wide enough that two within reach overlap.
static void place_links(CondRodCollider* c, const CondPosture* posture, const double* reach)
{
    const CondModel* model = posture->model;
    int n = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int i = 0; body->kind == COND_BODY_ROD && i < body->rod->n_link; i++, n++) {
            double *end = c->end + 6 * (size_t)n, wide = body->rod->radius + reach[b];
            cond_rod_link_ends(posture, b, i, end);
            c->body[n] = b;
            c->link[n] = i;
            for (int k = 0; k < 3; k++) {
                c->box[6 * n + k] = fmin(end[k], end[3 + k]) - wide;
                c->box[6 * n + 3 + k] = fmax(end[k], end[3 + k]) + wide;
            }
        }
    }
}

// 1 when two links may touch: of different rods, or far enough apart along the same.
static int may_touch(const CondRodCollider* c, const CondModel* model, int i, int j)
{
    const CondBody* body = &model->body[c->body[i]];
    if (c->body[i] != c->body[j])
        return 1;
    if (!body->self_contact)
        return 0;
    int low = c->link[i] < c->link[j] ? c->link[i] : c->link[j];
    int high = c->link[i] < c->link[j] ? c->link[j] : c->link[i];
    return body->rod->arc[high] - body->rod->arc[low + 1] > NEIGHBOURS * body->rod->radius;
}

// Two links and where they are nearest.
typedef struct Near {
    double s, t;      // along the segments
    double distance;  //
    double gap;       // between the surfaces
    double normal[3]; // from link j to link i
} Near;

static Near nearest(const CondRodCollider* c, int i, int j)
{
    const double *p = c->end + 6 * (size_t)i, *q = c->end + 6 * (size_t)j;
    double d[3], e[3], x[3];
    Near near;
    for (int k = 0; k < 3; k++) {
        d[k] = p[3 + k] - p[k];
        e[k] = q[3 + k] - q[k];
    }
    double a = vec3_dot(d, d), b = vec3_dot(d, e), f = vec3_dot(e, e);
    if (a * f - b * b > PARALLEL * a * f) {
        near.distance = cond_segment_nearest(p, d, q, e, &near.s, &near.t);
        return near;
    }
    // Nearly parallel strands: the middle of link i, so that contacts do not jump along it.
    near.s = 0.5;
    for (int k = 0; k < 3; k++)
        x[k] = p[k] + 0.5 * d[k] - q[k];
    near.t = clamp(vec3_dot(x, e) / f, 0.0, 1.0);
    for (int k = 0; k < 3; k++)
        x[k] -= near.t * e[k];
    near.distance = vec3_norm(x);
    return near;
}

// The points of two links that are s and t along them.
static void points_of(const CondRodCollider* c, int i, int j, const Near* near, double p[2][3])
{
    const double *a = c->end + 6 * (size_t)i, *b = c->end + 6 * (size_t)j;
    for (int k = 0; k < 3; k++) {
        p[0][k] = a[k] + near->s * (a[3 + k] - a[k]);
        p[1][k] = b[k] + near->t * (b[3 + k] - b[k]);
    }
}

// The normal along the line of the nearest points; centrelines that cross: any direction across
// link i.
static void turn_normal(const CondRodCollider* c, int i, int j, Near* near)
{
    double p[2][3], F[9], unit[3];
    points_of(c, i, j, near, p);
    for (int k = 0; k < 3; k++) {
        near->normal[k] = p[0][k] - p[1][k];
        unit[k] = c->end[6 * i + 3 + k] - c->end[6 * i + k];
    }
    double length = vec3_norm(unit);
    for (int k = 0; k < 3; k++) {
        near->normal[k] /= near->distance;
        unit[k] /= length;
    }
    if (near->distance > 0.0)
        return;
    mat3_frame(unit, unit, F);
    memcpy(near->normal, F + 3, sizeof near->normal);
}

static CondStatus add_touch(const CondRodCollider* c, const CondPosture* posture, int i, int j,
                            const Near* near, CondTouchList* list)
{
    const CondModel* model = posture->model;
    const CondBody* body[2] = {&model->body[c->body[i]], &model->body[c->body[j]]};
    const int at[2] = {i, j};
    const double* normal = near->normal;
    double p[2][3], tangent[3];
    CondTouch touch = {.plane = -1, .triangle = -1, .gap = near->gap};
    points_of(c, i, j, near, p);
    for (int k = 0; k < 3; k++)
        tangent[k] = c->end[6 * i + 3 + k] - c->end[6 * i + k];
    for (int side = 0; side < 2; side++) {
        double origin[3], R[9], d[3], r = (side ? 1.0 : -1.0) * body[side]->rod->radius;
        touch.point[side].body = c->body[at[side]];
        touch.point[side].part = c->link[at[side]];
        cond_posture_axes(posture, c->body[at[side]], c->link[at[side]], origin, R);
        for (int k = 0; k < 3; k++) {
            d[k] = p[side][k] + r * normal[k] - origin[k];
            touch.position[k] = p[1][k] + body[1]->rod->radius * normal[k];
        }
        mat3_multiply_transposed(R, d, touch.point[side].local);
    }
    mat3_frame(normal, tangent, touch.frame);
    touch.key = COND_KEY_ROD + (uint64_t)i * (uint64_t)c->n_link + (uint64_t)j;
    cond_touch_surfaces(&body[0]->surface, &body[1]->surface, &touch);
    return cond_touch_add(list, &touch);
}

// Link i may be near several links in a row of another strand. One of a row is enough: the nearest,
// the first among equals. Along one rod the row goes on to link i itself, so that a strand that
// does not come back finds no partner.
static int is_best_of_row(const CondRodCollider* c, int i, int j, double distance)
{
    for (int step = -1; step <= 1; step += 2) {
        int k = j + step;
        if (k < 0 || k >= c->n_link || c->body[k] != c->body[j])
            continue;
        Near other = nearest(c, i, k);
        if (other.distance < distance || (step < 0 && other.distance == distance))
            return 0;
    }
    return 1;
}

CondStatus cond_collide_rods(CondRodCollider* c, const CondPosture* posture, const double* reach,
                             CondTouchList* list)
{
    const CondModel* model = posture->model;
    int n = count_links(model);
    if (n == 0)
        return COND_OK;
    CondStatus status = reserve(c, n);
    if (status)
        return status;
    c->n_link = n;
    place_links(c, posture, reach);
    if (c->built)
        cond_tree_refit(&c->tree, c->box);
    else
        status = cond_tree_build(&c->tree, n, c->box);
    c->built = !status;
    if (!status)
        status = cond_tree_self_pairs(&c->tree, &c->pairs);
    for (int k = 0; k < c->pairs.n && !status; k++) {
        int i = c->pairs.pair[k][0], j = c->pairs.pair[k][1];
        if (!may_touch(c, model, i, j))
            continue;
        Near near = nearest(c, i, j);
        near.gap = near.distance - model->body[c->body[i]].rod->radius -
                   model->body[c->body[j]].rod->radius;
        if (!(near.gap <= reach[c->body[i]] + reach[c->body[j]]) ||
            !is_best_of_row(c, i, j, near.distance))
            continue;
        turn_normal(c, i, j, &near);
        status = add_touch(c, posture, i, j, &near, list);
    }
    return status;
}

// Where the links were, boxes around their ways, and the longest way of an end.
static double sweep_links(CondRodCollider* c, const CondPosture* before)
{
    double longest = 0.0;
    for (int n = 0; n < c->n_link; n++) {
        double *from = c->from + 6 * (size_t)n, *box = c->box + 6 * (size_t)n;
        const double* to = c->end + 6 * (size_t)n;
        double radius = before->model->body[c->body[n]].rod->radius;
        cond_rod_link_ends(before, c->body[n], c->link[n], from);
        for (int k = 0; k < 3; k++) {
            box[k] = fmin(fmin(from[k], from[3 + k]), fmin(to[k], to[3 + k])) - radius;
            box[3 + k] = fmax(fmax(from[k], from[3 + k]), fmax(to[k], to[3 + k])) + radius;
        }
        for (int end = 0; end < 6; end += 3) {
            double d[3] = {to[end] - from[end], to[end + 1] - from[end + 1],
                           to[end + 2] - from[end + 2]};
            longest = fmax(longest, vec3_norm(d));
        }
    }
    return longest;
}

// 1 where two links have met and are beyond each other at the end; their neighbours along the rods,
// whose share of the way is nearly the same, may say so too.
static int has_met(const CondRodCollider* c, int i, int j, double radius, Near* near)
{
    CondMotion motion;
    CondMeeting met;
    for (int end = 0; end < 2; end++) {
        memcpy(motion.from[end], c->from + 6 * (size_t)i + 3 * end, 3 * sizeof(double));
        memcpy(motion.from[2 + end], c->from + 6 * (size_t)j + 3 * end, 3 * sizeof(double));
        memcpy(motion.to[end], c->end + 6 * (size_t)i + 3 * end, 3 * sizeof(double));
        memcpy(motion.to[2 + end], c->end + 6 * (size_t)j + 3 * end, 3 * sizeof(double));
    }
    if (!cond_meeting_find(COND_MEETING_SEGMENTS, radius, &motion, &met))
        return 0;
    *near = (Near){.s = met.weight[1], .t = met.weight[3], .gap = met.gap};
    memcpy(near->normal, met.normal, sizeof near->normal);
    return 1;
}

CondStatus cond_rods_sweep(CondRodCollider* c, const CondPosture* before, const CondPosture* after,
                           CondTouchList* list)
{
    const CondModel* model = after->model;
    double thin = INFINITY;
    if (count_links(model) == 0)
        return COND_OK;
    if (cond_reserve(&c->context, &c->from, &c->cap_from, 6 * c->n_link, sizeof *c->from))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROD)
            thin = fmin(thin, model->body[b].rod->radius);
    // Slower ones cannot have passed each other's centrelines.
    if (sweep_links(c, before) < 0.5 * thin)
        return COND_OK;
    cond_tree_refit(&c->tree, c->box);
    CondStatus status = cond_tree_self_pairs(&c->tree, &c->pairs);
    for (int k = 0; k < c->pairs.n && !status; k++) {
        int i = c->pairs.pair[k][0], j = c->pairs.pair[k][1];
        Near near;
        double radius = model->body[c->body[i]].rod->radius + model->body[c->body[j]].rod->radius;
        if (may_touch(c, model, i, j) && has_met(c, i, j, radius, &near))
            status = add_touch(c, after, i, j, &near, list);
    }
    return status;
}

int cond_rod_is_held(const CondModel* model, const CondAttachment* what, int end,
                     const CondTouch* touch)
{
    const CondPoint* held = &what->end[end].point;
    if (held->body < 0 || model->body[held->body].kind != COND_BODY_ROD)
        return 0;
    int other = what->end[1 - end].point.body;
    for (int side = 0; side < 2; side++) {
        const CondPoint* at = &touch->point[side];
        const CondRod* rod = model->body[held->body].rod;
        if (at->body != held->body || touch->point[1 - side].body != other || other < 0)
            continue;
        if (!what->contact && touch->point[1 - side].part == what->end[1 - end].point.part)
            return 1;
        double here = rod->arc[at->part], there = rod->arc[held->part];
        if (fabs(here - there) <= 2.0 * NEIGHBOURS * rod->radius)
            return 1;
    }
    return 0;
}
