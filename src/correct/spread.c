// The ways d of all bodies apart solve one problem without friction,
//     min sum m |d|^2 / 2     with     n . (d_a - d_b) + gap >= 0     for every contact within
//     reach.
// Translations alone are exact where turning is not: two convex shapes whose least translation
// apart is -gap along n are apart after any ways with n . (d_a - d_b) >= -gap, however deep they
// were, one inside the other say. So no way is too long for one round, and rounds are needed only
// for what is met on the way, for shapes that are not convex, and where bounds contradict each
// other. These yield a little, so that the problem has an answer in any case.
//
// What attachments or springs join moves as one; what they join to the world, robots on a
// fixed base and what trajectories lead stay where they are.
#include "correct/spread.h"

#include "body/body.h"
#include "correct/settle.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "sim/contact_stage.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const double YIELD = 1e-2;  // compliance of the bounds, in Delassus scales
static const double REACH = 0.5;   // of its size: how near a body looks for others in its way
static const double BEYOND = 1e-3; // of the overlap of two boxes: how much farther they move

enum { MAX_ITERATIONS = 2000 };

void cond_spread_destroy(CondSpread* spread)
{
    cond_solver_destroy(spread->solver);
    cond_candidates_end(&spread->candidates);
    cond_arena_release(&spread->arena);
    *spread = (CondSpread){.n_contact = 0};
}

static CondStatus prepare(const CondModel* model, CondSpread* spread)
{
    CondSolverSettings settings = cond_contact_stage_settings(model);
    int n = model->n_body;
    if (spread->solver)
        return COND_OK;
    cond_arena_begin(&model->arena.context, &spread->arena);
    cond_candidates_begin(&model->arena.context, &spread->candidates);
    if (cond_components_reserve(&spread->arena, n, &spread->cluster) ||
        COND_RESERVE(&spread->arena, spread->held, n) ||
        COND_RESERVE(&spread->arena, spread->box, 6 * n) ||
        COND_RESERVE(&spread->arena, spread->mass, 9 * n) ||
        COND_RESERVE(&spread->arena, spread->block, n) ||
        COND_RESERVE(&spread->arena, spread->coordinate, 3 * n) ||
        COND_RESERVE(&spread->arena, spread->b, 3 * n) ||
        COND_RESERVE(&spread->arena, spread->d, 3 * n) ||
        COND_RESERVE(&spread->arena, spread->v, model->n_dof))
        return COND_OUT_OF_MEMORY;
    settings.relax = 0; // there is no friction
    settings.max_iterations =
        settings.max_iterations < MAX_ITERATIONS ? settings.max_iterations : MAX_ITERATIONS;
    return cond_solver_create(&model->arena.context, "strategy", &settings, &spread->solver, NULL);
}

static void make_clusters(const CondSim* sim, CondSpread* spread)
{
    const CondModel* model = sim->model;
    cond_components_begin(model->n_body, &spread->cluster);
    cond_connect_ties(sim, &spread->cluster);
    cond_components_end(&spread->cluster);
    memset(spread->held, 0, (size_t)model->n_body * sizeof *spread->held);
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT && !model->body[b].arm->floating)
            spread->held[spread->cluster.of[b]] = 1;
    for (int i = 0, body[2]; i < cond_sim_n_tie(sim); i++)
        if (cond_sim_tie(sim, i, body) && (body[0] < 0) != (body[1] < 0))
            spread->held[spread->cluster.of[body[0] < 0 ? body[1] : body[0]]] = 1;
}

static void make_blocks(const CondSim* sim, CondSpread* spread)
{
    const CondModel* model = sim->model;
    int n = spread->cluster.n;
    memset(spread->mass, 0, 9 * (size_t)n * sizeof *spread->mass);
    for (int b = 0; b < model->n_body; b++)
        for (int k = 0; k < 3; k++)
            spread->mass[9 * spread->cluster.of[b] + 4 * k] +=
                cond_newton_mass(&model->body[b], &sim->at_end);
    for (int i = 0; i < n; i++)
        spread->block[i] = (CondBlock){.kind = COND_BLOCK_DENSE,
                                       .dof_begin = 3 * i,
                                       .n_dof = 3,
                                       .values = spread->mass + 9 * i};
    for (int i = 0; i < 3 * n; i++) {
        spread->coordinate[i] = i;
        spread->b[i] = spread->d[i] = 0.0;
    }
}

static void make_boxes(const CondSim* sim, CondSpread* spread)
{
    const CondModel* model = sim->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double *low = spread->box + 6 * b, *high = low + 3, x[3];
        CondPose pose =
            cond_body_ops(body->kind)
                ->pose(body, sim->next->q + body->q_begin, sim->next->v + body->dof_begin);
        for (int i = 0; i < 3; i++) {
            low[i] = body->n_feature ? INFINITY : pose.position[i] - body->radius;
            high[i] = body->n_feature ? -INFINITY : pose.position[i] + body->radius;
        }
        for (int k = body->feature_begin; k < body->feature_begin + body->n_feature; k++) {
            const CondFeature* feature = &model->feature[k];
            cond_kinematics_point(&sim->at_end, &feature->point, x, NULL, NULL);
            for (int i = 0; i < 3; i++) {
                low[i] = fmin(low[i], x[i] - feature->radius);
                high[i] = fmax(high[i], x[i] + feature->radius);
            }
        }
    }
}

// n . (d_a - d_b) + gap >= 0 of two bodies, -1 being the world.
static CondStatus add_bound(CondSpread* spread, int a, int b, const double normal[3], double gap)
{
    static const double hint[3] = {1.0, 0.0, 0.0};
    int side[2] = {a < 0 ? -1 : spread->cluster.of[a], b < 0 ? -1 : spread->cluster.of[b]};
    double n[3], w = 0.0;
    for (int s = 0; s < 2; s++)
        side[s] = side[s] >= 0 && spread->held[side[s]] ? -1 : side[s];
    if (side[0] == side[1])
        return COND_OK;
    if (COND_RESERVE(&spread->arena, spread->contact, spread->n_contact + 1) ||
        COND_RESERVE(&spread->arena, spread->lambda, 3 * (spread->n_contact + 1)))
        return COND_OUT_OF_MEMORY;
    CondContact* contact = &spread->contact[spread->n_contact++];
    *contact = (CondContact){.phi = {gap, 0.0, 0.0}, .key = (uint64_t)spread->n_contact};
    int swap = side[0] < 0; // side 0 is never the world
    for (int i = 0; i < 3; i++)
        n[i] = swap ? -normal[i] : normal[i];
    for (int s = 0; s < 2; s++) {
        int at = side[swap ? 1 - s : s];
        if (at < 0)
            continue;
        contact->side[s] = (CondSide){.n_coordinate = 3, .coordinate = spread->coordinate + 3 * at};
        w += 1.0 / spread->mass[9 * at];
    }
    mat3_frame(n, hint, contact->frame);
    contact->kv = 1.0 / (YIELD * w);
    return COND_OK;
}

// The overlap of two bodies as a bound on one axis: that on which their boxes overlap least, or z.
static CondStatus add_box_bound(CondSpread* spread, int a, int b, CondSpreadWay which)
{
    const double *p = spread->box + 6 * a, *q = spread->box + 6 * b;
    double normal[3] = {0.0}, least = INFINITY;
    int axis = 2;
    double sign = 1.0;
    for (int i = which == COND_SPREAD_UP ? 2 : 0; i < 3; i++) {
        int above = p[i] + p[3 + i] >= q[i] + q[3 + i]; // a is beyond b on this axis
        double overlap = above ? q[3 + i] - p[i] : p[3 + i] - q[i];
        if (overlap < least) {
            least = overlap;
            axis = i;
            sign = above ? 1.0 : -1.0;
        }
    }
    normal[axis] = sign;
    return add_bound(spread, a, b, normal, -(1.0 + BEYOND) * fmax(least, 0.0));
}

// 1 where the pair of a candidate is among the overlaps that go by their boxes.
static int has_box_bound(const CondSettle* settle, const CondCandidate* candidate)
{
    for (int i = 0; i < settle->n_overlap; i++)
        if (settle->overlap[i].other >= 0 && cond_overlap_is_of(&settle->overlap[i], candidate))
            return 1;
    return 0;
}

static CondStatus make_bounds(CondSim* sim, double deepest, CondSpreadWay which)
{
    CondSpread* spread = sim->spread;
    const CondSettle* settle = sim->settle;
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = fmin(deepest, REACH * sim->model->body[b].size);
    CondStatus status = cond_sim_detect(sim, &sim->at_end, &spread->candidates);
    spread->n_contact = 0;
    for (int k = 0; k < spread->candidates.n && !status; k++) {
        const CondCandidate* candidate = &spread->candidates.candidate[k];
        if (which == COND_SPREAD_NORMALS || !has_box_bound(settle, candidate))
            status = add_bound(spread, candidate->point[0].body, candidate->point[1].body,
                               candidate->frame, candidate->gap);
    }
    for (int i = 0; i < settle->n_overlap && which != COND_SPREAD_NORMALS && !status; i++)
        if (settle->overlap[i].other >= 0 && settle->overlap[i].body != settle->overlap[i].other)
            status =
                add_box_bound(spread, settle->overlap[i].body, settle->overlap[i].other, which);
    return status;
}

static void move(CondSim* sim, double* moved, double* way)
{
    const CondModel* model = sim->model;
    CondSpread* spread = sim->spread;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        int at = spread->cluster.of[b];
        double twist[6] = {0.0}, about[3] = {0.0};
        if (spread->held[at])
            continue;
        memcpy(twist, spread->d + 3 * at, 3 * sizeof *twist);
        double length = vec3_norm(twist), *q = sim->next->q + body->q_begin;
        cond_body_ops(body->kind)->drift(body, q, twist, about, spread->v);
        cond_body_ops(body->kind)->advance(body, spread->v, 1.0, q);
        *way = fmax(*way, length);
        if (moved)
            moved[b] += length;
    }
    cond_kinematics_set(&sim->at_end, sim->next->q);
}

CondStatus cond_sim_spread(CondSim* sim, double deepest, CondSpreadWay which, double* moved,
                           double* way)
{
    CondSpread* spread = sim->spread;
    CondSolveInfo info;
    *way = 0.0;
    CondStatus status = prepare(sim->model, spread);
    if (status)
        return status;
    make_clusters(sim, spread);
    make_blocks(sim, spread);
    make_boxes(sim, spread);
    status = make_bounds(sim, deepest, which);
    if (status || spread->n_contact == 0)
        return status;
    for (int i = 0; i < spread->n_contact; i++) // they lay still while they grew
        memset(spread->lambda + 3 * i, 0, 3 * sizeof *spread->lambda);
    CondProblem problem = {.n_dof = 3 * spread->cluster.n,
                           .n_block = spread->cluster.n,
                           .n_contact = spread->n_contact,
                           .block = spread->block,
                           .contact = spread->contact,
                           .b = spread->b};
    status = cond_solver_solve(spread->solver, &problem, spread->d, spread->lambda, &info);
    if (status < 0)
        return status == COND_DIVERGED ? COND_OK : status;
    move(sim, moved, way);
    return COND_OK;
}
