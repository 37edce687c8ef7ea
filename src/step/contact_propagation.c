// What late contacts set in motion. A round that has found bodies in each other parts them: each
// gives way by up to the depth, and may so close gaps that lie beyond, where others give way in
// turn. Found one by one, an impact would run through a row of bodies by one gap a solve. So the
// ways are handed on at once. A body that gives way by d takes up the gap g to the next one along
// its normal n, and drags along by friction what it touches: the next one gives way by up to
//     n (n.d - g)_+  +  mu (d - n n.d)
// Every contact that closes so, and between features of which the problem has no contact, joins it
// as if it had been found at the start of the step. One that joins in vain costs little, because
// phi keeps it open.
#include "base/tuning.h"
#include "math/vec3.h"
#include "sim/sim.h"
#include "step/tuning.h"

#include <math.h>
#include <string.h>

// Returns 1 where the way of the body grows.
static int give_way(CondSim* sim, int body, const double way[3])
{
    if (body < 0)
        return 0;
    double* longest = sim->attempt.yields + 3 * (ptrdiff_t)body;
    if (!(vec3_norm(way) > (1.0 + COND_ROUNDING) * vec3_norm(longest)))
        return 0;
    memcpy(longest, way, 3 * sizeof *way);
    return 1;
}

// The ways that late contacts ask for; returns the longest.
static double begin(CondSim* sim)
{
    double longest = 0.0;
    memset(sim->attempt.yields, 0, 3 * (size_t)sim->model->n_body * sizeof *sim->attempt.yields);
    for (int c = 0; c < sim->attempt.candidates.n; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        if (!candidate->late || !cond_sim_is_rigid(sim, candidate))
            continue;
        double depth = fmin(candidate->gap, 0.0) - candidate->end_gap, way[2][3];
        for (int i = 0; i < 3; i++) {
            way[0][i] = depth * candidate->frame[i];
            way[1][i] = -way[0][i];
        }
        give_way(sim, candidate->point[0].body, way[0]);
        give_way(sim, candidate->point[1].body, way[1]);
        longest = fmax(longest, depth);
    }
    return longest;
}

// The contacts of rigid bodies within reach of the longest way, as they are at the start of the
// step, with their gaps at its end. What sleeps wakes where it is met, not where it might be.
static CondStatus find_near(CondSim* sim, double longest)
{
    const CondModel* model = sim->model;
    CondCandidateList* near = &sim->attempt.end;
    double* visited = sim->collider.visited;
    int n = 0;
    for (int b = 0; b < model->n_body; b++)
        sim->reach[b] =
            model->body[b].kind == COND_BODY_RIGID ? fmin(longest, model->body[b].size) : 0.0;
    sim->collider.visited = NULL;
    CondStatus status = cond_sim_detect(sim, &sim->at_start, near);
    sim->collider.visited = visited;
    if (status)
        return status;
    for (int c = 0; c < near->n; c++) {
        CondCandidate* candidate = &near->candidate[c];
        if (!cond_sim_is_rigid(sim, candidate))
            continue;
        candidate->end_gap = candidate->gap + cond_sim_travel(sim, candidate, 0) -
                             cond_sim_travel(sim, candidate, 1);
        near->candidate[n++] = *candidate;
    }
    near->n = n;
    return COND_OK;
}

// Hands the way of one side of a contact on to the other, and marks the contact where it closes.
// Returns 1 where the way of the other grows.
static int hand_on(CondSim* sim, CondCandidate* candidate, int side)
{
    int from = candidate->point[side].body;
    double n[3], way[3], gap = fmax(candidate->end_gap, 0.0);
    if (from < 0)
        return 0;
    const double* d = sim->attempt.yields + 3 * (ptrdiff_t)from;
    for (int i = 0; i < 3; i++)
        n[i] = side == 0 ? -candidate->frame[i] : candidate->frame[i];
    double along = vec3_dot(n, d), left = fmax(along - gap, 0.0);
    int touches = gap <= cond_sim_slack(sim, candidate, COND_VIOLATION_FALL, COND_VIOLATION_MOST);
    double mu = touches ? fmin(fmax(candidate->friction[0], candidate->friction[1]), 1.0) : 0.0;
    for (int i = 0; i < 3; i++)
        way[i] = left * n[i] + mu * (d[i] - along * n[i]);
    candidate->late |= left > 0.0;
    return give_way(sim, candidate->point[1 - side].body, way);
}

// Ways only grow, and none comes back longer than it went, so this ends.
static void hand_all_on(CondSim* sim, CondCandidateList* near)
{
    int grows = 1;
    for (int k = 0; k < COND_PROPAGATION_SWEEPS && grows; k++) {
        grows = 0;
        for (int c = 0; c < near->n; c++)
            for (int side = 0; side < 2; side++)
                grows |= hand_on(sim, &near->candidate[c], side);
    }
}

CondStatus cond_sim_find_wave(CondSim* sim, int* n)
{
    CondCandidateList* near = &sim->attempt.end;
    double t = sim->attempt.time_step, longest = begin(sim);
    *n = 0;
    // What lies within the way of weight was known from the start (cond_sim_reach).
    if (!(longest > 2.0 * t * t * vec3_norm(sim->model->settings.gravity)))
        return COND_OK;
    CondStatus status = find_near(sim, longest);
    if (status)
        return status;
    hand_all_on(sim, near);
    for (int c = 0; c < near->n; c++) {
        CondCandidate candidate = near->candidate[c];
        if (!candidate.late ||
            cond_candidates_find_pair(&sim->attempt.candidates, candidate.key) >= 0)
            continue;
        candidate.late = 0;
        near->candidate[(*n)++] = candidate;
    }
    return COND_OK;
}
