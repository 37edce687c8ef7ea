// Rewards: values of the scene that are weighted, summed up, and may end the episode.
#include "env/env.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/rod.h"
#include "scene/compile.h"

#include <math.h>
#include <string.h>

// The point of a body, a link or a patch, by the rules of an attachment's end.
static CondStatus resolve(CondEnvWorld* world, CondEnvTerm* term, CondError* error)
{
    CondAttachmentDef def = cond_attachment_def_default();
    CondAttachment made;
    CondError why = {.message = ""};
    def.turns = 0;
    def.end[0] = term->def->at;
    CondStatus status = cond_attachment_resolve(world->model, &def, &made, &why);
    if (status) {
        const char* text = strstr(why.message, ": ");
        return cond_error_set(error, COND_BAD_INPUT, "reward %s: %s", term->def->name,
                              text ? text + 2 : why.message);
    }
    term->frame = made.end[0];
    return COND_OK;
}

// Against gravity; z where there is none.
static double height(const CondModel* model, const double position[3])
{
    const double* g = model->settings.gravity;
    double norm = vec3_norm(g);
    return norm > 0.0 ? -vec3_dot(g, position) / norm : position[2];
}

// Sum of the angles between neighbouring links, seen along the axis.
static double winding(const CondEnvWorld* world, const CondEnvTerm* term)
{
    const CondBody* body = &world->model->body[term->body];
    const double* q = world->state->q + body->q_begin;
    double n[3], r[2][3], cross[3], sum = 0.0, length = vec3_norm(term->def->axis);
    for (int k = 0; k < 3; k++)
        n[k] = term->def->axis[k] / length;
    for (int i = 0; i < body->rod->n_link; i++) {
        double* at = r[i % 2];
        for (int k = 0; k < 3; k++)
            at[k] = q[7 * (size_t)i + (size_t)k] - term->def->goal[k];
        double along = vec3_dot(at, n);
        for (int k = 0; k < 3; k++)
            at[k] -= along * n[k];
        if (i == 0)
            continue;
        vec3_cross(r[(i + 1) % 2], at, cross);
        sum += atan2(vec3_dot(cross, n), vec3_dot(r[(i + 1) % 2], at));
    }
    return sum;
}

// Place at the length s from the middle of the curve: with k the curvature of that half and
// a = k s, the chord is s sin(a/2)/(a/2) long and turned by a/2 from the heading.
static void curve_at(const CondRewardDef* def, const double R[9], double s, double place[3])
{
    double half = 0.5 * s * def->curvature[s < 0.0 ? 0 : 1];
    double chord = fabs(half) < 1e-8 ? s : s * sin(half) / half;
    double x = chord * cos(def->heading + half), y = chord * sin(def->heading + half);
    for (int k = 0; k < 3; k++)
        place[k] = def->goal[k] + x * R[3 + k] + y * R[6 + k];
}

// Mean distance of the links' centres from the places of the curve as far along; the rod may lie
// there either way round.
static double curve_distance(const CondEnvWorld* world, const CondEnvTerm* term)
{
    const CondRod* rod = world->model->body[term->body].rod;
    const double* q = world->state->q + world->model->body[term->body].q_begin;
    const double x_axis[3] = {1.0, 0.0, 0.0};
    double n[3], R[9], place[3], way[3], sum[2] = {0.0, 0.0}, length = vec3_norm(term->def->axis);
    for (int k = 0; k < 3; k++)
        n[k] = term->def->axis[k] / length;
    mat3_frame(n, x_axis, R); // rows: normal of the plane, x in it, what is to the left of that
    for (int i = 0; i < rod->n_link; i++) {
        double s = 0.5 * (rod->arc[i] + rod->arc[i + 1] - rod->arc[rod->n_link]);
        for (int turned = 0; turned < 2; turned++) {
            curve_at(term->def, R, turned ? -s : s, place);
            for (int k = 0; k < 3; k++)
                way[k] = q[7 * (size_t)i + (size_t)k] - place[k];
            sum[turned] += vec3_norm(way);
        }
    }
    return fmin(sum[0], sum[1]) / rod->n_link;
}

static double value_of(const CondEnvWorld* world, const CondEnvTerm* term)
{
    double position[3], R[9], force[3], torque[3];
    if (term->def->kind == COND_REWARD_FORCE) {
        cond_sim_body_force(world->sim, term->body, force, torque);
        return vec3_norm(force);
    }
    if (term->def->kind == COND_REWARD_CURVE)
        return curve_distance(world, term);
    if (term->def->kind == COND_REWARD_WINDING) {
        double angle = winding(world, term);
        return isnan(term->def->target) ? angle : fabs(angle - term->def->target);
    }
    cond_kinematics_frame(&world->kinematics, &term->frame, position, R, NULL, NULL);
    if (term->def->kind == COND_REWARD_HEIGHT)
        return height(world->model, position) - term->start;
    double way[3];
    for (int i = 0; i < 3; i++)
        way[i] = position[i] - term->def->goal[i];
    return vec3_norm(way);
}

CondStatus cond_env_term_create(CondEnvWorld* world, const CondContext* m, CondError* error)
{
    int n = world->scene->n_reward, done;
    world->term = cond_allocate(m, (size_t)n, sizeof *world->term);
    if (!world->term)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_kinematics_set(&world->kinematics, world->state->q);
    for (int i = 0; i < n; i++) {
        CondEnvTerm* term = &world->term[i];
        term->def = &world->scene->reward[i];
        term->body = cond_model_find_body(world->model, term->def->at.body);
        int placed =
            term->def->kind == COND_REWARD_DISTANCE || term->def->kind == COND_REWARD_HEIGHT;
        CondStatus status = placed ? resolve(world, term, error) : COND_OK;
        if (status)
            return status;
        world->n_term++;
        if (term->def->kind == COND_REWARD_HEIGHT)
            term->start = value_of(world, term);
    }
    cond_env_term_evaluate(world, &done);
    return COND_OK;
}

double cond_env_term_evaluate(CondEnvWorld* world, int* done)
{
    double sum = 0.0;
    if (world->n_term > 0)
        cond_kinematics_set(&world->kinematics, world->state->q);
    for (int i = 0; i < world->n_term; i++) {
        CondEnvTerm* term = &world->term[i];
        term->value = value_of(world, term);
        sum += term->def->weight * term->value;
        if (term->value < term->def->done_below || term->value > term->def->done_above)
            *done = 1; // NaN is neither
    }
    return sum;
}
