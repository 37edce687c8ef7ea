// Rewards: values of the scene that are weighted, summed up, and may end the episode.
#include "env/env.h"

#include "base/definition.h"
#include "base/error.h"
#include "math/vec3.h"
#include "model/rod.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    double chord = half == 0.0 ? s : s * sin(half) / half;
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

// Each value over its bound; what has none counts as it is.
static double action_size(const CondEnvWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < world->n_act; i++)
        for (int k = 0; k < world->act[i].size; k++) {
            double low, high, value = world->told[world->act[i].begin + k];
            cond_env_act_bounds(world, &world->act[i], k, &low, &high);
            value /= isfinite(low) && isfinite(high) ? fmax(fabs(low), fabs(high)) : 1.0;
            sum += value * value;
        }
    return sum;
}

static double n_held(const CondEnvWorld* world)
{
    double n = 0.0;
    for (int i = 0; i < world->n_act; i++)
        n += (world->act[i].def->kind == COND_ACTION_PICK ||
              world->act[i].def->kind == COND_ACTION_GRIP) &&
             world->act[i].attachment >= 0;
    return n;
}

// Where the point of a distance is, and where it shall be.
static void ends_of(const CondEnvWorld* world, const CondEnvTerm* term, double at[3], double to[3])
{
    cond_env_point_place(world, &term->point, at);
    memcpy(to, term->def->goal, sizeof term->def->goal);
    if (term->def->to.body[0])
        cond_env_point_place(world, &term->other, to);
}

static double distance(const CondEnvWorld* world, const CondEnvTerm* term)
{
    double at[3], to[3], way[3];
    ends_of(world, term, at, to);
    for (int i = 0; i < 3; i++)
        way[i] = at[i] - to[i];
    return vec3_norm(way);
}

static double value_of(const CondEnvWorld* world, const CondEnvTerm* term)
{
    double position[3], force[3], torque[3], angle;
    switch (term->def->kind) {
    case COND_REWARD_FORCE:
        cond_sim_body_force(world->sim, term->body, force, torque);
        return vec3_norm(force);
    case COND_REWARD_CURVE:
        return curve_distance(world, term);
    case COND_REWARD_WINDING:
        angle = winding(world, term);
        return isnan(term->def->target) ? angle : fabs(angle - term->def->target);
    case COND_REWARD_ACTION:
        return action_size(world);
    case COND_REWARD_HOLDS:
        return n_held(world);
    case COND_REWARD_HEIGHT:
        cond_env_point_place(world, &term->point, position);
        return height(world->model, position) - term->start;
    default:
        return distance(world, term);
    }
}

static CondStatus resolve(CondEnvWorld* world, CondEnvTerm* term, CondError* error)
{
    const CondRewardDef* def = term->def;
    char owner[COND_NAME_SIZE + 8];
    snprintf(owner, sizeof owner, "reward %s", def->name);
    term->body = cond_model_find_body(world->model, def->at.body);
    if (def->kind != COND_REWARD_DISTANCE && def->kind != COND_REWARD_HEIGHT)
        return COND_OK;
    CondStatus status = cond_env_point_resolve(world->model, &def->at, owner, &term->point, error);
    if (!status && def->to.body[0])
        status = cond_env_point_resolve(world->model, &def->to, owner, &term->other, error);
    return status;
}

CondStatus cond_env_term_create(CondEnvWorld* world, CondError* error)
{
    int n = world->scene->n_reward, done, success;
    if (COND_RESERVE(&world->arena, world->term, n))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_kinematics_set(&world->kinematics, world->state->q);
    for (int i = 0; i < n; i++) {
        CondEnvTerm* term = &world->term[i];
        *term = (CondEnvTerm){.def = &world->scene->reward[i]};
        CondStatus status = resolve(world, term, error);
        if (status)
            return status;
        world->n_term++;
        if (term->def->kind == COND_REWARD_HEIGHT)
            term->start = value_of(world, term);
    }
    cond_env_term_evaluate(world, &done, &success);
    return COND_OK;
}

// What a value is worth.
static double worth(const CondRewardDef* def, double value)
{
    return def->weight * (def->scale > 0.0 ? 1.0 - tanh(value / def->scale) : value);
}

double cond_env_term_evaluate(CondEnvWorld* world, int* done, int* success)
{
    double sum = 0.0;
    int asked = 0, missed = 0; // bounds of success
    if (world->n_term > 0)
        cond_kinematics_set(&world->kinematics, world->state->q);
    for (int i = 0; i < world->n_term; i++) {
        CondEnvTerm* term = &world->term[i];
        const CondRewardDef* def = term->def;
        term->value = value_of(world, term);
        sum += worth(def, term->value);
        if (term->value < def->done_below || term->value > def->done_above)
            *done = 1; // NaN is neither
        asked += !isnan(def->success_below) + !isnan(def->success_above);
        missed += (!isnan(def->success_below) && !(term->value < def->success_below)) +
                  (!isnan(def->success_above) && !(term->value > def->success_above));
    }
    *success = asked > 0 && missed == 0;
    return sum;
}

double cond_env_term_goal(const CondEnvWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < world->n_term; i++)
        if (world->term[i].def->desired)
            sum += worth(world->term[i].def, world->term[i].value);
    return sum;
}

int cond_env_goal_values(const CondEnvWorld* world, double* achieved, double* desired)
{
    int n = 0;
    for (int i = 0; i < world->n_term; i++) {
        const CondEnvTerm* term = &world->term[i];
        double at[3], to[3];
        int size = term->def->kind == COND_REWARD_DISTANCE ? 3 : 1;
        if (!term->def->desired)
            continue;
        if (size == 3) {
            ends_of(world, term, at, to);
        } else {
            at[0] = winding(world, term);
            to[0] = term->def->target;
        }
        if (achieved)
            memcpy(achieved + n, at, (size_t)size * sizeof *at);
        if (desired)
            memcpy(desired + n, to, (size_t)size * sizeof *to);
        n += size;
    }
    return n;
}

int cond_env_n_goal(const CondEnv* env)
{
    return cond_env_goal_values(&env->world, NULL, NULL);
}

static int env_goal_slot_whole(const CondEnv* env, int slot, CondEnvSlot* out)
{
    int begin = 0;
    for (int i = 0; i < env->world.n_term && slot >= 0; i++) {
        const CondRewardDef* def = env->world.term[i].def;
        int size = def->kind == COND_REWARD_DISTANCE ? 3 : 1;
        if (!def->desired)
            continue;
        if (slot-- > 0) {
            begin += size;
            continue;
        }
        memset(out, 0, sizeof *out);
        snprintf(out->name, sizeof out->name, "%s", def->name);
        out->unit = size == 3 ? "m" : "rad";
        out->begin = begin;
        out->size = size;
        return 1;
    }
    return 0;
}

int cond_env_goal_slot_sized(const CondEnv* env, int slot, CondEnvSlot* out, size_t size)
{
    COND_SIZED(int, CondEnvSlot, out, size, env_goal_slot_whole(env, slot, it));
}

void cond_env_goal(const CondEnv* env, double* achieved, double* desired)
{
    CondEnvWorld* world = (CondEnvWorld*)&env->world; // its kinematics is a scratch
    cond_kinematics_set(&world->kinematics, world->state->q);
    cond_env_goal_values(world, achieved, desired);
}

double cond_env_goal_reward(const CondEnv* env, const double* achieved, const double* desired)
{
    double sum = 0.0, way[3];
    int n = 0;
    for (int i = 0; i < env->world.n_term; i++) {
        const CondRewardDef* def = env->world.term[i].def;
        int size = def->kind == COND_REWARD_DISTANCE ? 3 : 1;
        if (!def->desired)
            continue;
        for (int k = 0; k < size; k++)
            way[k] = achieved[n + k] - desired[n + k];
        sum += worth(def, size == 3 ? vec3_norm(way) : fabs(way[0]));
        n += size;
    }
    return sum;
}
