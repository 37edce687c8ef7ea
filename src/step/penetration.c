// Is what still overlaps at the end of a step more than contact.penetration_limit allows?
#include "geometry/shape.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

static const double SHARE = 0.1;   // of the width of the thinner one
static const double SLACK = 0.1;   // of the limit, by which a pair must have become deeper
static const double POINT = 0.001; // where neither has a width [m]

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
    return isinf(width) ? POINT : SHARE * width;
}

// How deep the same two were by the contacts of the step, when it began [m].
static double depth_before(const CondSim* sim, const CondPenetration* now)
{
    double deepest = 0.0;
    for (int c = 0; c < sim->candidates.n; c++) {
        const CondCandidate* candidate = &sim->candidates.candidate[c];
        int a = candidate->point[0].body, b = candidate->point[1].body;
        int same = (a == now->body && b == now->other) || (a == now->other && b == now->body);
        if (same && candidate->plane == now->plane)
            deepest = fmax(deepest, -candidate->gap);
    }
    return deepest;
}

int cond_sim_is_too_deep(const CondSim* sim)
{
    const CondPenetration* worst = &sim->deepest;
    return worst->depth > worst->limit &&
           worst->depth > depth_before(sim, worst) + SLACK * worst->limit;
}

void cond_sim_find_deepest(CondSim* sim)
{
    CondPenetration worst = {.body = -1, .other = -1, .plane = -1, .obstacle = -1};
    double most = 0.0;
    int thinnest = thinnest_obstacle(sim->model);
    for (int c = 0; c < sim->end_candidates.n; c++) {
        const CondCandidate* candidate = &sim->end_candidates.candidate[c];
        CondPenetration here = {.body = candidate->point[0].body,
                                .other = candidate->point[1].body,
                                .plane = candidate->plane,
                                .obstacle = -1,
                                .depth = -candidate->gap};
        double least = cond_model_penetration_limit(sim->model, here.body, here.other, thinnest);
        if (!(here.depth > most * least))
            continue; // whatever it touches
        if (here.other < 0 && here.plane < 0)
            here.obstacle = cond_model_nearest_obstacle(sim->model, candidate->position);
        here.limit = cond_model_penetration_limit(sim->model, here.body, here.other, here.obstacle);
        double share = here.depth / fmax(here.limit, 1e-300);
        if (share > most) {
            most = share;
            worst = here;
        }
    }
    sim->deepest = worst;
}
