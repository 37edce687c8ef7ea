// Is what still overlaps at the end of a step more than contact.penetration_limit allows?
#include "base/error.h"
#include "collide/pair_depth.h"
#include "geometry/shape.h"
#include "model/index.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

enum { N_KNOWN = 8 };

int cond_model_nearest_obstacle(const CondModel* model, const double position[3])
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < model->n_obstacle; i++) {
        const CondSolid* solid = &model->obstacle[i];
        double pose[7];
        CondProbe probe;
        memcpy(pose, solid->position, sizeof solid->position);
        memcpy(pose + 3, solid->orientation, sizeof solid->orientation);
        cond_shape_probe(&solid->shape, pose, position, &probe);
        if (fabs(probe.gap) < least) {
            least = fabs(probe.gap);
            best = i;
        }
    }
    return best;
}

static int thinnest_obstacle(const CondModel* model)
{
    int best = model->n_obstacle > 0 ? 0 : -1;
    for (int i = 1; i < model->n_obstacle; i++)
        best = model->obstacle[i].width < model->obstacle[best].width ? i : best;
    return best;
}

double cond_model_penetration_limit(const CondModel* model, int body, int other, int obstacle)
{
    double width = INFINITY;
    if (!isnan(model->settings.penetration_limit))
        return model->settings.penetration_limit;
    if (body >= 0)
        width = fmin(width, model->body[body].width);
    if (other >= 0)
        width = fmin(width, model->body[other].width);
    if (obstacle >= 0)
        width = fmin(width, model->obstacle[obstacle].width);
    return isinf(width) ? COND_MILLIMETRE : COND_DEPTH_SHARE * width;
}

// How deep the same two were by the contacts of the step, when it began [m].
static double depth_before(const CondSim* sim, const CondPenetration* now)
{
    double deepest = 0.0;
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        int a = candidate->point[0].body, b = candidate->point[1].body;
        int same = (a == now->body && b == now->other) || (a == now->other && b == now->body);
        if (same && candidate->plane == now->plane)
            deepest = fmax(deepest, -candidate->gap);
    }
    return deepest;
}

CondStatus cond_sim_true_depth(CondSim* sim, const CondKinematics* kinematics,
                               const CondBodyPair* pair, double* depth)
{
    double gap;
    if (!cond_pair_depth_applies(&sim->collider, sim->next, pair))
        return COND_OK;
    CondStatus status = cond_pair_depth(&sim->collider, kinematics, pair, 0.0, &gap);
    if (!status)
        *depth = fmax(isinf(gap) ? *depth : -gap, 0.0);
    return status;
}

static CondStatus deepen(CondSim* sim, const CondKinematics* kinematics, CondPenetration* here)
{
    const CondBodyPair pair = {here->body, here->other, here->obstacle};
    return here->plane < 0 ? cond_sim_true_depth(sim, kinematics, &pair, &here->depth) : COND_OK;
}

int cond_sim_is_too_deep(const CondSim* sim)
{
    const CondPenetration* worst = &sim->attempt.deepest;
    return worst->depth > worst->limit &&
           worst->depth > sim->attempt.depth_before + COND_DEPTH_SHARE * worst->limit;
}

// How deep a pair was when the step began.
static CondStatus look_back(CondSim* sim, const CondPenetration* worst)
{
    CondPenetration before = *worst;
    before.depth = depth_before(sim, worst);
    cond_collider_place(&sim->collider, &sim->at_start);
    CondStatus status = deepen(sim, &sim->at_start, &before);
    cond_collider_place(&sim->collider, &sim->at_end);
    sim->attempt.depth_before = before.depth;
    return status;
}

static int is_same_pair(const CondPenetration* a, const CondPenetration* b)
{
    return a->body == b->body && a->other == b->other && a->plane == b->plane &&
           a->obstacle == b->obstacle;
}

// Contacts of a pair come one after the other, or nearly so: what is known of the last few pairs
// is not asked again.
typedef struct Known {
    CondPenetration pair[N_KNOWN];
    int n;
} Known;

static CondStatus look_up(CondSim* sim, Known* known, CondPenetration* here)
{
    for (int k = 0; k < N_KNOWN && k < known->n; k++)
        if (is_same_pair(&known->pair[k], here)) {
            here->depth = known->pair[k].depth;
            return COND_OK;
        }
    CondStatus status = deepen(sim, &sim->at_end, here);
    known->pair[known->n++ % N_KNOWN] = *here;
    return status;
}

CondStatus cond_sim_find_deepest(CondSim* sim)
{
    CondPenetration worst = {.body = -1, .other = -1, .plane = -1, .obstacle = -1};
    Known known = {.n = 0};
    double most = 0.0;
    int thinnest = thinnest_obstacle(sim->model);
    for (int c = 0; c < sim->attempt.end.n; c++) {
        const CondCandidate* candidate = &sim->attempt.end.candidate[c];
        CondPenetration here = {.body = candidate->point[0].body,
                                .other = candidate->point[1].body,
                                .plane = candidate->plane,
                                .obstacle = -1,
                                .depth = -candidate->gap};
        double least = cond_model_penetration_limit(sim->model, here.body, here.other, thinnest);
        if (!(here.depth > fmin(most, COND_DEPTH_SHARE) * least))
            continue; // whatever it touches
        if (here.other < 0 && here.plane < 0)
            here.obstacle = cond_model_nearest_obstacle(sim->model, candidate->position);
        here.limit = cond_model_penetration_limit(sim->model, here.body, here.other, here.obstacle);
        CondStatus status =
            here.depth > COND_DEPTH_SHARE * here.limit ? look_up(sim, &known, &here) : COND_OK;
        if (status)
            return status;
        double share = here.depth / fmax(here.limit, 1e-300);
        if (share > most) {
            most = share;
            worst = here;
        }
    }
    sim->attempt.deepest = worst;
    return worst.depth > worst.limit ? look_back(sim, &worst) : COND_OK;
}

CondStatus cond_sim_gap(CondSim* sim, const CondState* state, int body, int other, double* gap,
                        double* contact)
{
    const CondBodyPair pair = {body, other, -1};
    double least = INFINITY;
    if (cond_model_check_body(sim->model, body) || cond_model_check_body(sim->model, other))
        return COND_BAD_ARGUMENT;
    if (body == other)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "body and other are both %d", body);
    CondStatus status = cond_sim_forces(sim, state);
    if (!status)
        status = cond_sim_collide(sim, state);
    for (int c = 0; c < sim->attempt.candidates.n && !status; c++) {
        int a = sim->attempt.candidates.candidate[c].point[0].body;
        int b = sim->attempt.candidates.candidate[c].point[1].body;
        if ((a == body && b == other) || (a == other && b == body))
            least = fmin(least, sim->attempt.candidates.candidate[c].gap);
    }
    *gap = least;
    if (contact)
        *contact = least;
    if (!status && cond_pair_depth_applies(&sim->collider, sim->next, &pair))
        status = cond_pair_depth(&sim->collider, &sim->at_start, &pair,
                                 sim->reach[body] + sim->reach[other], gap);
    return status;
}
