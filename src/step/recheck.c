// What the step's contact problem did not know. Contacts are found at q_k and are linear in the
// velocity; where the answer leads, at q_{k+1}, others may be violated, or the same ones along a
// normal that has turned. Such a contact, with gap g1 < 0 and normal n at the end, enters the
// problem as it is there,
//     g1 + t Jn (v - v_hat) >= 0,
// and the step is solved again from v_hat and lambda. With g0 the gap of the same two material
// points along n at the start, g1 = g0 + t Jn v_hat + bias, and bias, what turning adds to the
// linear motion, is nearly always 0. Points that were behind each other already (g0 < 0) are only
// kept from going deeper: the rest is penetration that the step began with, which the correction
// removes and which must not become speed. In all,
//     phi_n = (max(g0, 0) + bias)/t,
// the rule for contacts found at the start but for the normal and the points.
#include "base/memory.h"
#include "base/tuning.h"
#include "body/body.h"
#include "collide/tuning.h"
#include "integrate/persistent.h"
#include "math/vec3.h"
#include "model/rod.h"
#include "sim/sim.h"
#include "sim/tuning.h"
#include "step/tuning.h"

#include <math.h>
#include <string.h>

double cond_sim_travel(const CondSim* sim, const CondCandidate* candidate, int side)
{
    double from[3], to[3], along = 0.0;
    if (candidate->point[side].body < 0)
        return 0.0;
    cond_kinematics_point(&sim->at_start, &candidate->point[side], from, NULL, NULL);
    cond_kinematics_point(&sim->at_end, &candidate->point[side], to, NULL, NULL);
    for (int i = 0; i < 3; i++)
        along += candidate->frame[i] * (to[i] - from[i]);
    return along;
}

// Rigid bodies may violate a contact by more than nodes, whose motion is linear: what is left is
// for the correction, and their velocities for the impact stage.
static double allowance(const CondSim* sim, const CondCandidate* candidate)
{
    double size = cond_sim_smaller_size(sim, candidate);
    return fmax(fmax(COND_MICROMETRE, COND_TOUCH * size),
                cond_sim_slack(sim, candidate, COND_VIOLATION_FALL, COND_VIOLATION_MOST));
}

// What the same two have met with on the way. A link of a rod that has met a solid, or a vertex
// that has met a soft surface, is on the side on which it did so, whatever is deep in what at the
// end.
static int find_met(const CondCandidateList* met, CondContactKey key)
{
    uint64_t kind = key.pair >> 60;
    int any_role = kind == COND_KEY_LINK >> 60 || kind == COND_KEY_SOFT >> 60;
    return any_role ? cond_candidates_find_pair(met, key) : cond_candidates_find(met, key);
}

// 1 where two contacts of the same features say much the same: one stands for both. Where a line
// lies on a face the deepest point may be now at one end and now at the other; there each is a
// bound of its own, and the step would go to and fro between them if one took the other's place.
// So what a round has taken between rigid bodies gives way to its like alone; nodes of meshes move
// by themselves, and each of their contacts would become many.
static int is_same(const CondSim* sim, const CondCandidate* a, const CondCandidate* b)
{
    double d[3], size = INFINITY;
    for (int side = 0; side < 2; side++) {
        const CondPoint* point = &a->point[side];
        if (point->body < 0)
            continue;
        const CondBody* body = &sim->model->body[point->body];
        size = fmin(size, body->size);
        if (body->kind == COND_BODY_ROD) // a link of it
            size = fmin(size, body->rod->length[point->link]);
    }
    for (int i = 0; i < 3; i++)
        d[i] = a->position[i] - b->position[i];
    double share = a->taken && b->taken && cond_sim_is_rigid(sim, b) ? COND_OTHER_AGAIN : 1.0;
    return 1.0 - vec3_dot(a->frame, b->frame) <= share * (1.0 - COND_ALIGNED) &&
           vec3_norm(d) <= share * COND_OTHER_POINT * size;
}

// A body that turns by an angle in the step moves its points at the end of it along the arms that
// they have there: with those of the start, rounds would approach the answer by that angle a round.
// Rigid bodies and links get the point whose arm at the start is that of this one at the end.
static void take_end_arm(const CondSim* sim, CondPoint* point)
{
    double p[3], now[9], then[9], arm[3];
    if (point->body < 0)
        return;
    CondBodyKind kind = sim->model->body[point->body].kind;
    if (kind != COND_BODY_RIGID && kind != COND_BODY_ROD)
        return;
    cond_kinematics_axes(&sim->at_start, point->body, point->link, p, now);
    cond_kinematics_axes(&sim->at_end, point->body, point->link, p, then);
    mat3_multiply(then, point->local, arm);
    mat3_multiply_transposed(now, arm, point->local);
}

// The contact with this key: among the n new ones at the front of sim->attempt.end, or in the
// problem; NULL: none.
static CondCandidate* known(CondSim* sim, CondContactKey key, int n)
{
    int same = cond_candidates_find(&sim->attempt.candidates, key);
    for (int k = 0; k < n; k++)
        if (cond_key_equal(sim->attempt.end.candidate[k].key, key))
            return &sim->attempt.end.candidate[k];
    return same >= 0 ? &sim->attempt.candidates.candidate[same] : NULL;
}

// Takes a contact of the end into the problem: in the place of the one between the same features
// that says the same, else beside it, among the n new ones at the front of sim->attempt.end.
// Returns how many are there then. One that lasts keeps its place in the middle of the step for a
// few rounds; bodies that find others in their way are struck.
static int take(CondSim* sim, CondCandidate candidate, int round, int n)
{
    CondCandidateList* list = &sim->attempt.candidates;
    CondContactKey key = candidate.key;
    CondCandidate* same = NULL;
    int first = cond_candidates_find(list, key);
    if (first >= 0 && cond_persistent_is_moved(sim, first) && round < COND_RECHECK_EARLY) {
        list->candidate[first].late = 1;
        list->candidate[first].end_gap = candidate.end_gap;
        return n;
    }
    cond_persistent_end(sim, &candidate);
    candidate.late = candidate.taken = 1;
    for (int k = 0; k <= (cond_sim_is_rigid(sim, &candidate) ? COND_KEY_BESIDE : 1); k++) {
        candidate.key = cond_key_beside(key, k);
        same = known(sim, candidate.key, n);
        if (!same || is_same(sim, same, &candidate))
            break;
    }
    if (same && same->late)
        return n; // this round has taken it already
    take_end_arm(sim, &candidate.point[0]);
    take_end_arm(sim, &candidate.point[1]);
    if (same) {
        *same = candidate;
        return n;
    }
    int place = n++;
    for (; place > 0 && cond_key_less(candidate.key, sim->attempt.end.candidate[place - 1].key);
         place--)
        sim->attempt.end.candidate[place] = sim->attempt.end.candidate[place - 1];
    sim->attempt.end.candidate[place] = candidate;
    return n;
}

// Puts the n contacts at the front of sim->attempt.end among the others, by ascending key.
static CondStatus merge(CondSim* sim, int n)
{
    CondCandidateList* list = &sim->attempt.candidates;
    int all = list->n + n, from = list->n - 1;
    if (cond_candidates_reserve(list, all) || cond_sim_reserve_forces(sim, all + sim->rows.n))
        return COND_OUT_OF_MEMORY;
    memmove(sim->attempt.lambda + 3 * all, sim->attempt.lambda + 3 * list->n,
            3 * (size_t)sim->rows.n * sizeof *sim->attempt.lambda);
    for (int to = all - 1, k = n - 1; k >= 0; to--) {
        if (from >= 0 &&
            cond_key_less(sim->attempt.end.candidate[k].key, list->candidate[from].key)) {
            list->candidate[to] = list->candidate[from];
            memcpy(sim->attempt.lambda + 3 * to, sim->attempt.lambda + 3 * from,
                   3 * sizeof *sim->attempt.lambda);
            from--;
            continue;
        }
        list->candidate[to] = sim->attempt.end.candidate[k--];
        memset(sim->attempt.lambda + 3 * to, 0, 3 * sizeof *sim->attempt.lambda);
    }
    list->n = all;
    return COND_OK;
}

// Of a candidate as found at the end, how much deeper it is than it may be and than it was at the
// start, in units of what it may be; its gap at the start is put in.
static double violation(const CondSim* sim, CondCandidate* candidate)
{
    double may = allowance(sim, candidate), g1 = candidate->gap;
    if (!(g1 < -may))
        return 0.0;
    double g0 = g1 - cond_sim_travel(sim, candidate, 0) + cond_sim_travel(sim, candidate, 1);
    candidate->gap = g0;
    candidate->end_gap = g1;
    return (fmin(g0, 0.0) - g1) / may;
}

// Finds what the answer violates, and the worst of it; takes it into the list of candidates where
// the step may be solved once more, and counts it. What has met on the way is known by the normal
// of that meeting; what lies beyond at the end may find the wrong side.
static CondStatus find_violated(CondSim* sim, int more, int* n, double* worst)
{
    int added = 0, n_near = sim->attempt.end.n, round = sim->attempt.round;
    int coarse = sim->attempt.budget.coarse_tolerance > 0.0 && round >= COND_RECHECK_EARLY;
    *n = 0;
    *worst = 0.0;
    if (cond_candidates_reserve(&sim->attempt.end, n_near + sim->attempt.swept.n))
        return COND_OUT_OF_MEMORY;
    for (int c = 0; c < n_near + sim->attempt.swept.n; c++) {
        CondCandidate candidate =
            c < n_near ? sim->attempt.end.candidate[c] : sim->attempt.swept.candidate[c - n_near];
        int met = c < n_near ? find_met(&sim->attempt.swept, candidate.key) : -1;
        if (met >= 0 &&
            vec3_dot(sim->attempt.swept.candidate[met].frame, candidate.frame) < COND_ALIGNED)
            continue;
        double much = violation(sim, &candidate);
        *worst = fmax(*worst, much);
        if (!more || !(much > (coarse ? COND_LEEWAY : 1.0)))
            continue;
        added = take(sim, candidate, round, added);
        ++*n;
    }
    CondStatus status = merge(sim, added);
    if (!status && *n > 0)
        status = cond_sim_find_wave(sim, &added);
    return status || *n == 0 ? status : merge(sim, added);
}

// phi of the contacts that were just taken in, from where v_hat led.
CondStatus cond_sim_join_violated(CondSim* sim, const CondState* state)
{
    double t = sim->attempt.time_step;
    if (sim->attempt.moved)
        cond_persistent_agree(sim);
    CondStatus status = sim->attempt.moved ? cond_persistent_move(sim, state) : COND_OK;
    if (!status)
        status = cond_joint_rows_join(sim, state);
    if (!status)
        status = cond_sim_finish(sim);
    for (int c = 0; c < sim->attempt.candidates.n && !status; c++) {
        CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        double u[3];
        if (!candidate->late)
            continue;
        CondContact* contact = &sim->attempt.assembly.contact[c];
        cond_contact_velocity(contact, sim->attempt.v_hat, u);
        candidate->bias = candidate->end_gap - candidate->gap - t * (u[0] - contact->phi[0]);
        contact->phi[0] = (cond_sim_posed_gap(sim, candidate) + candidate->bias) / t;
        candidate->late = 0;
    }
    return status;
}

int cond_sim_may_go_on(const CondSim* sim)
{
    const CondSceneSettings* settings = &sim->model->settings;
    return settings->gap && settings->solver.stop == COND_STOP_CERTIFICATE && settings->rounds > 0;
}

CondStatus cond_sim_look_at_end(CondSim* sim, const CondState* state)
{
    cond_sim_move(sim, state);
    CondStatus status = cond_sim_remember(sim);
    if (!status)
        status = cond_sim_collide_next(sim, &sim->attempt.penetration);
    if (!status && cond_sim_may_go_on(sim))
        status = cond_collide_swept(&sim->collider, &sim->at_start, &sim->at_end, sim->next,
                                    &sim->attempt.swept);
    cond_held_filter(sim, &sim->at_end, &sim->attempt.swept);
    cond_hooks_filter(sim, &sim->attempt.swept);
    for (int c = 0; c < sim->attempt.swept.n && !status; c++)
        sim->attempt.penetration =
            fmax(sim->attempt.penetration, -sim->attempt.swept.candidate[c].gap);
    return status;
}

CondStatus cond_sim_find_violated(CondSim* sim, const CondState* state, int* n)
{
    int rounds = cond_sim_may_go_on(sim) ? sim->model->settings.rounds : 0;
    int more = sim->attempt.round < rounds;
    double left = 0.0;
    *n = 0;
    CondStatus status = rounds > 0 ? find_violated(sim, more, n, &left) : COND_OK;
    if (!status && more)
        *n += cond_joint_rows_find_violated(sim, state);
    return status || *n > 0 || !(left > COND_LEEWAY) ? status : COND_NOT_CONVERGED;
}
