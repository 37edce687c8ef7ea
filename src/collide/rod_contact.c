// Rods against rods and against themselves: links as capsules.
#include "collide/rod_contact.h"
#include "base/tuning.h"

#include "collide/meeting.h"
#include "collide/tuning.h"
#include "geometry/segment.h"
#include "math/vec3.h"
#include "model/entity.h"
#include "model/rod.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

// 1 where there are rods whose links can touch another one.
static int are_any(const CondModel* model)
{
    int rods = 0;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROD)
            rods += 1 + model->body[b].self_contact;
    return rods > 1;
}

// 1 when two links may touch: of different rods, or far enough apart along the same.
static int may_touch(const CondRodLinks* c, const CondModel* model, int i, int j)
{
    const CondBody* body = &model->body[c->body[i]];
    if (c->body[i] != c->body[j])
        return cond_entities_touch(model, body->entity, model->body[c->body[j]].entity);
    if (!body->self_contact)
        return 0;
    return cond_rod_between(body->rod, c->link[i], c->link[j]) >
           COND_ROD_NEIGHBOURS * body->rod->radius;
}

// A point of link i and a point of link j.
typedef struct Near {
    double s, t;      // along the segments, 0 .. 1
    double distance;  //
    double gap;       // between the surfaces
    double normal[3]; // from link j to link i
} Near;

static void direction(const CondRodLinks* c, int i, double d[3])
{
    const double* p = c->end + 6 * (size_t)i;
    for (int k = 0; k < 3; k++)
        d[k] = p[3 + k] - p[k];
}

static Near nearest(const CondRodLinks* c, int i, int j)
{
    double d[3], e[3];
    Near near = {.gap = 0.0};
    direction(c, i, d);
    direction(c, j, e);
    near.distance = cond_segment_nearest(c->end + 6 * (size_t)i, d, c->end + 6 * (size_t)j, e,
                                         &near.s, &near.t);
    return near;
}

// The same, but where strands are nearly parallel for the middle of link i, so that contacts do not
// jump along it.
static Near middle(const CondRodLinks* c, int i, int j)
{
    const double* p = c->end + 6 * (size_t)i;
    double d[3], e[3], x[3];
    direction(c, i, d);
    direction(c, j, e);
    double a = vec3_dot(d, d), b = vec3_dot(d, e), f = vec3_dot(e, e);
    if (a * f - b * b > COND_RODS_CROSSED * a * f)
        return nearest(c, i, j);
    Near near = {.s = 0.5};
    for (int k = 0; k < 3; k++)
        x[k] = p[k] + 0.5 * d[k];
    near.distance = cond_segment_point(c->end + 6 * (size_t)j, e, x, &near.t);
    return near;
}

// The points of two links that are s and t along them.
static void points_of(const CondRodLinks* c, int i, int j, const Near* near, double p[2][3])
{
    const double *a = c->end + 6 * (size_t)i, *b = c->end + 6 * (size_t)j;
    for (int k = 0; k < 3; k++) {
        p[0][k] = a[k] + near->s * (a[3 + k] - a[k]);
        p[1][k] = b[k] + near->t * (b[3 + k] - b[k]);
    }
}

// The normal along the line of the points; centrelines that cross: any direction across link i.
static void turn_normal(const CondRodLinks* c, int i, int j, Near* near)
{
    double p[2][3], F[9], unit[3];
    points_of(c, i, j, near, p);
    direction(c, i, unit);
    double length = vec3_norm(unit);
    for (int k = 0; k < 3; k++) {
        near->normal[k] = (p[0][k] - p[1][k]) / near->distance;
        unit[k] /= length;
    }
    if (near->distance > 0.0)
        return;
    mat3_frame(unit, unit, F);
    memcpy(near->normal, F + 3, sizeof near->normal);
}

static CondContactKey key_of(const CondRodLinks* c, int i, int j, int second)
{
    return (CondContactKey){
        .pair = COND_KEY_ROD + 2 * ((uint64_t)i * (uint64_t)c->n + (uint64_t)j) + (uint64_t)second};
}

static CondStatus add_candidate(const CondRodLinks* c, const CondKinematics* kinematics, int i,
                                int j, const Near* near, int second, CondCandidateList* list)
{
    const CondModel* model = kinematics->model;
    const CondBody* body[2] = {&model->body[c->body[i]], &model->body[c->body[j]]};
    const int at[2] = {i, j};
    const double* normal = near->normal;
    double p[2][3], tangent[3];
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = near->gap};
    points_of(c, i, j, near, p);
    direction(c, i, tangent);
    for (int side = 0; side < 2; side++) {
        double origin[3], R[9], d[3], r = (side ? 1.0 : -1.0) * body[side]->rod->radius;
        candidate.point[side].body = c->body[at[side]];
        candidate.point[side].link = c->link[at[side]];
        cond_kinematics_axes(kinematics, c->body[at[side]], c->link[at[side]], origin, R);
        for (int k = 0; k < 3; k++) {
            d[k] = p[side][k] + r * normal[k] - origin[k];
            candidate.position[k] = p[1][k] + body[1]->rod->radius * normal[k];
        }
        mat3_multiply_transposed(R, d, candidate.point[side].local);
    }
    mat3_frame(normal, tangent, candidate.frame);
    candidate.key = key_of(c, i, j, second);
    cond_candidate_surfaces(&body[0]->surface, &body[1]->surface, &candidate);
    return cond_candidate_add(list, &candidate);
}

// 1 when link k, beside one of a pair, may say that it is nearer to the other, link i. Along one
// rod the row of neighbours goes on to link i itself, so that a strand that does not come back
// finds no partner; of links that are in each other only those count that may touch: a sharp bend
// has no room for itself.
static int counts(const CondRodLinks* c, const CondModel* model, int i, int j, int k, int deep)
{
    return cond_rod_links_joined(c, j, k) && (!deep || may_touch(c, model, i, k));
}

// Link i may be near several links in a row of another strand. One of a row is enough: the nearest,
// the first among equals.
static int is_best_of_row(const CondRodLinks* c, const CondModel* model, int i, int j,
                          double distance, int deep)
{
    for (int step = -1; step <= 1; step += 2) {
        if (!counts(c, model, i, j, j + step, deep))
            continue;
        Near other = middle(c, i, j + step);
        if (other.distance < distance || (step < 0 && other.distance == distance))
            return 0;
    }
    return 1;
}

// 1 where no link beside j is nearer to i, and none beside i to j: the strands are nearest here.
// The one on the way from j to i along a rod is asked first; it is nearer wherever a strand goes
// on.
static int is_least(const CondRodLinks* c, const CondModel* model, int i, int j, double distance,
                    int deep)
{
    for (int step = -1; step <= 1; step += 2)
        if (counts(c, model, i, j, j + step, deep) && nearest(c, i, j + step).distance < distance)
            return 0;
    for (int step = -1; step <= 1; step += 2)
        if (counts(c, model, j, i, i + step, deep) && nearest(c, i + step, j).distance < distance)
            return 0;
    return 1;
}

// Squared distance between the centres of two links.
static double centres2(const CondRodLinks* c, int i, int j)
{
    const double *p = c->end + 6 * (size_t)i, *q = c->end + 6 * (size_t)j;
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = 0.5 * (p[k] + p[3 + k] - q[k] - q[3 + k]);
        square += d * d;
    }
    return square;
}

// 1 where the contact bore a force in the step before. A strand that is wound about another is as
// near to it in many links. Which of them is nearest then says little, and what holds the strand is
// not to be found again by going through it.
static int has_borne(const CondRodLinks* c, const CondState* state, int i, int j, int second)
{
    const CondContactMemory* memory = cond_state_recall(state, key_of(c, i, j, second));
    return memory && memory->lambda[0] > 0.0;
}

// One contact for link i, and one more where parallel strands are nearest beside its middle.
static CondStatus meet_links(const CondRodLinks* c, const CondKinematics* kinematics,
                             const CondState* state, int i, int j, double far,
                             CondCandidateList* list)
{
    const CondBody *a = &kinematics->model->body[c->body[i]],
                   *b = &kinematics->model->body[c->body[j]];
    double radii = a->rod->radius + b->rod->radius;
    double wide = far + radii + 0.5 * (a->rod->length[c->link[i]] + b->rod->length[c->link[j]]);
    Near near[2];
    CondStatus status = COND_OK;
    if (centres2(c, i, j) > wide * wide)
        return COND_OK;
    near[0] = nearest(c, i, j);
    if (!(near[0].distance <= far + radii))
        return COND_OK;
    near[1] = middle(c, i, j);
    const int wanted[2] = {
        near[0].distance < near[1].distance - COND_SINGLE_PRECISION * fmin(a->size, b->size) &&
            (is_least(c, kinematics->model, i, j, near[0].distance, near[0].distance < radii) ||
             has_borne(c, state, i, j, 1)),
        near[1].distance <= far + radii &&
            (is_best_of_row(c, kinematics->model, i, j, near[1].distance,
                            near[1].distance < radii) ||
             has_borne(c, state, i, j, 0))};
    for (int k = 0; k < 2 && !status; k++) {
        if (!wanted[k])
            continue;
        near[k].gap = near[k].distance - radii;
        turn_normal(c, i, j, &near[k]);
        status = add_candidate(c, kinematics, i, j, &near[k], 1 - k, list);
    }
    return status;
}

CondStatus cond_collide_rods(CondRodLinks* links, const CondKinematics* kinematics,
                             const CondState* state, const double* reach, CondCandidateList* list)
{
    if (!are_any(kinematics->model))
        return COND_OK;
    CondStatus status = cond_tree_self_pairs(&links->tree, &links->pairs);
    for (int k = 0; k < links->pairs.n && !status; k++) {
        int i = links->pairs.pair[k][0], j = links->pairs.pair[k][1];
        if (may_touch(links, kinematics->model, i, j))
            status = meet_links(links, kinematics, state, i, j,
                                reach[links->body[i]] + reach[links->body[j]], list);
    }
    return status;
}

// 1 where two links have met and are beyond each other at the end; their neighbours along the rods,
// whose share of the way is nearly the same, may say so too.
static int has_met(const CondRodLinks* c, int i, int j, double radius, Near* near)
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

CondStatus cond_rods_sweep(CondRodLinks* c, const CondKinematics* after, CondCandidateList* list)
{
    const CondModel* model = after->model;
    double thin = INFINITY;
    if (!are_any(model))
        return COND_OK;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROD)
            thin = fmin(thin, model->body[b].rod->radius);
    // Slower ones cannot have passed each other's centrelines.
    if (c->travel < 0.5 * thin)
        return COND_OK;
    CondStatus status = cond_tree_self_pairs(&c->tree, &c->pairs);
    for (int k = 0; k < c->pairs.n && !status; k++) {
        int i = c->pairs.pair[k][0], j = c->pairs.pair[k][1];
        Near near;
        double radius = model->body[c->body[i]].rod->radius + model->body[c->body[j]].rod->radius;
        if (may_touch(c, model, i, j) && has_met(c, i, j, radius, &near))
            status = add_candidate(c, after, i, j, &near, 0, list);
    }
    return status;
}
