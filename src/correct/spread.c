// The translations d of all bodies solve one problem without friction,
//     min sum m |d|^2 / 2     with     n . (d_a - d_b) + gap >= 0     for every contact within
//     reach.
// Translations alone are exact where turning is not: two convex shapes whose least translation
// apart is -gap along n are apart after any d with n . (d_a - d_b) >= -gap, however deep they were,
// one inside the other say. So no distance is too long for one round, and rounds are needed only
// for what is met on the way, for shapes that are not convex, and where bounds contradict each
// other. These yield a little, so that the problem has an answer in any case.
//
// What attachments or springs join moves as one; what they join to the world, and robots on a fixed
// base, stay where they are. The problem is solved by the stage of the correction.
#include "correct/spread.h"
#include "base/tuning.h"

#include "body/body.h"
#include "correct/correction.h"
#include "correct/settle.h"
#include "correct/tuning.h"
#include "geometry/box.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

void cond_spread_destroy(CondSpread* spread)
{
    cond_arena_release(&spread->arena);
    *spread = (CondSpread){.n_contact = 0};
}

static CondStatus prepare(CondSim* sim)
{
    CondSpread* spread = sim->spread;
    CondContactStage* stage = &sim->correction->stage;
    int n = sim->model->n_body;
    spread->arena.context = sim->arena.context;
    int failed = cond_components_reserve(&spread->arena, n, &spread->cluster) ||
                 COND_RESERVE(&spread->arena, spread->held, n) ||
                 COND_RESERVE(&spread->arena, spread->box, 6 * n) ||
                 COND_RESERVE(&spread->arena, spread->mass, 9 * n) ||
                 COND_RESERVE(&spread->arena, spread->block, n) ||
                 COND_RESERVE(&spread->arena, spread->coordinate, 3 * n) ||
                 COND_RESERVE(&spread->arena, spread->b, 3 * n) ||
                 COND_RESERVE(&spread->arena, spread->v, sim->model->n_dof);
    CondStatus status =
        failed ? COND_OUT_OF_MEMORY : cond_correction_prepare(sim->model, sim->correction);
    return status ? status : COND_RESERVE(&stage->arena, stage->v, 3 * n);
}

// Clusters, those that stay, and their masses.
static void make_clusters(const CondSim* sim, CondSpread* spread)
{
    const CondModel* model = sim->model;
    CondComponents* cluster = &spread->cluster;
    cond_components_begin(model->n_body, cluster);
    cond_connect_ties(sim, cluster);
    cond_components_end(cluster);
    memset(spread->held, 0, (size_t)cluster->n * sizeof *spread->held);
    memset(spread->mass, 0, 9 * (size_t)cluster->n * sizeof *spread->mass);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double mass = cond_newton_mass(body, &sim->at_end);
        if (body->kind == COND_BODY_ROBOT && !body->arm->floating)
            spread->held[cluster->of[b]] = 1;
        for (int k = 0; k < 3; k++)
            spread->mass[9 * cluster->of[b] + 4 * k] += mass;
    }
    for (int i = 0, body[2]; i < cond_sim_n_tie(sim); i++)
        if (cond_sim_tie(sim, i, body) && (body[0] < 0) != (body[1] < 0))
            spread->held[cluster->of[body[0] < 0 ? body[1] : body[0]]] = 1;
    for (int i = 0; i < cluster->n; i++)
        spread->block[i] = (CondBlock){.kind = COND_BLOCK_DENSE,
                                       .dof_begin = 3 * i,
                                       .n_dof = 3,
                                       .values = spread->mass + 9 * i};
    for (int i = 0; i < 3 * cluster->n; i++) {
        spread->coordinate[i] = i;
        spread->b[i] = 0.0;
    }
}

// n . (d_a - d_b) + gap >= 0 of two bodies, -1 being the world.
static CondStatus add_bound(CondSpread* spread, int a, int b, const double normal[3], double gap)
{
    static const double hint[3] = {1.0, 0.0, 0.0};
    const int body[2] = {a, b};
    int side[2];
    double n[3], w = 0.0;
    for (int s = 0; s < 2; s++) {
        side[s] = body[s] < 0 ? -1 : spread->cluster.of[body[s]];
        side[s] = side[s] >= 0 && spread->held[side[s]] ? -1 : side[s];
    }
    if (side[0] == side[1])
        return COND_OK;
    if (COND_RESERVE(&spread->arena, spread->contact, spread->n_contact + 1))
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
    contact->kv = 1.0 / (COND_CORRECT_YIELD * w);
    return COND_OK;
}

// The overlap of two bodies as a bound on one axis: that on which their boxes overlap least, or z.
static CondStatus add_box_bound(CondSpread* spread, int a, int b, CondSpreadAxis which)
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
    return add_bound(spread, a, b, normal, -(1.0 + COND_NEARLY) * fmax(least, 0.0));
}

// 1 where the pair of a candidate is among the overlaps that go by their boxes.
static int has_box_bound(const CondSettle* settle, const CondCandidate* candidate)
{
    for (int i = 0; i < settle->n_overlap; i++)
        if (settle->overlap[i].other >= 0 && cond_overlap_is_of(&settle->overlap[i], candidate))
            return 1;
    return 0;
}

static CondStatus make_bounds(CondSim* sim, double deepest, CondSpreadAxis axis)
{
    CondSpread* spread = sim->spread;
    const CondSettle* settle = sim->settle;
    CondCandidateList* list = &sim->correction->stage.candidates;
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = fmin(deepest, COND_SETTLE_REACH * sim->model->body[b].size);
    CondStatus status = cond_sim_detect(sim, &sim->at_end, list);
    for (int b = 0; b < sim->model->n_body; b++) {
        cond_box_empty(spread->box + 6 * (size_t)b);
        sim->reach[b] = 0.0;
    }
    cond_collider_cover(&sim->collider, sim->reach, NULL, spread->box);
    spread->n_contact = 0;
    for (int k = 0; k < list->n && !status; k++) {
        const CondCandidate* candidate = &list->candidate[k];
        if (axis == COND_SPREAD_NORMALS || !has_box_bound(settle, candidate))
            status = add_bound(spread, candidate->point[0].body, candidate->point[1].body,
                               candidate->frame, candidate->gap);
    }
    for (int i = 0; i < settle->n_overlap && axis != COND_SPREAD_NORMALS && !status; i++)
        if (settle->overlap[i].other >= 0 && settle->overlap[i].body != settle->overlap[i].other)
            status = add_box_bound(spread, settle->overlap[i].body, settle->overlap[i].other, axis);
    return status;
}

static void move(CondSim* sim, double* moved, double* distance)
{
    const CondModel* model = sim->model;
    CondSpread* spread = sim->spread;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        int at = spread->cluster.of[b];
        double twist[6] = {0.0}, about[3] = {0.0};
        if (spread->held[at])
            continue;
        memcpy(twist, sim->correction->stage.v + 3 * at, 3 * sizeof *twist);
        double length = vec3_norm(twist), *q = sim->next->q + body->q_begin;
        cond_body_ops(body->kind)->drift(body, q, twist, about, spread->v);
        cond_body_ops(body->kind)->advance(body, spread->v, 1.0, q);
        *distance = fmax(*distance, length);
        if (moved)
            moved[b] += length;
    }
    cond_kinematics_set(&sim->at_end, sim->next->q);
}

CondStatus cond_sim_spread(CondSim* sim, double deepest, CondSpreadAxis axis, double* moved,
                           double* distance)
{
    CondSpread* spread = sim->spread;
    CondContactStage* stage = &sim->correction->stage;
    CondSolveInfo info;
    *distance = 0.0;
    CondStatus status = prepare(sim);
    if (status)
        return status;
    make_clusters(sim, spread);
    status = make_bounds(sim, deepest, axis);
    if (status || spread->n_contact == 0)
        return status;
    CondProblem problem = {.n_dof = 3 * spread->cluster.n,
                           .n_block = spread->cluster.n,
                           .n_contact = spread->n_contact,
                           .block = spread->block,
                           .contact = spread->contact,
                           .b = spread->b};
    memset(stage->v, 0, (size_t)problem.n_dof * sizeof *stage->v);
    stage->given = NULL;
    status = cond_contact_stage_solve(stage, &problem, NULL, &info);
    if (status < 0)
        return status == COND_DIVERGED ? COND_OK : status;
    move(sim, moved, distance);
    return COND_OK;
}
