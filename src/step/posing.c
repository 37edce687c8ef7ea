// The contacts of a step, and the problem that it poses on the velocity.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "collide/tuning.h"
#include "integrate/persistent.h"
#include "math/vec3.h"
#include "sim/sim.h"
#include "sim/tuning.h"
#include "sleep/sleep.h"
#include "step/tuning.h"

#include <math.h>

int cond_sim_is_rigid(const CondSim* sim, const CondCandidate* candidate)
{
    for (int side = 0; side < 2; side++) {
        int b = candidate->point[side].body;
        if (b >= 0 && sim->model->body[b].kind != COND_BODY_RIGID)
            return 0;
    }
    return 1;
}

double cond_sim_slack(const CondSim* sim, const CondCandidate* candidate, double fall, double share)
{
    double speed = vec3_norm(sim->model->settings.gravity) * sim->attempt.time_step;
    return cond_sim_is_rigid(sim, candidate) ? fmin(fall * speed * sim->attempt.time_step,
                                                    share * cond_sim_smaller_size(sim, candidate))
                                             : 0.0;
}

static int touches(const CondSim* sim, const CondCandidate* candidate)
{
    return candidate->gap <= cond_sim_slack(sim, candidate, COND_HEAP_GAP, COND_TOUCH);
}

static int joins_heap(const CondSim* sim, const CondCandidateList* list, int c)
{
    return touches(sim, &list->candidate[c]);
}

// Which bodies touch each other, directly or through others.
static void find_heaps(CondSim* sim)
{
    cond_components_begin(sim->model->n_body, &sim->attempt.heaps);
    cond_connect_contacts(sim, &sim->attempt.candidates, joins_heap, &sim->attempt.heaps);
    cond_components_end(&sim->attempt.heaps);
}

double cond_sim_posed_gap(const CondSim* sim, const CondCandidate* candidate)
{
    int body = candidate->point[0].body >= 0 ? candidate->point[0].body : candidate->point[1].body;
    int closed =
        body >= 0 &&
        cond_components_size(&sim->attempt.heaps, sim->attempt.heaps.of[body]) > COND_FEW_BODIES &&
        touches(sim, candidate);
    return closed ? 0.0 : fmax(candidate->gap, 0.0);
}

// How far a body's points may travel in the step, twice over: contacts beyond it cannot close, and
// one that is made in vain costs little because phi keeps it open.
double cond_sim_reach(CondSim* sim, int b, const CondState* state)
{
    const CondBody* body = &sim->model->body[b];
    const CondSceneSettings* settings = &sim->model->settings;
    const CondBodyOps* ops = cond_body_ops(body->kind);
    double t = sim->attempt.time_step, a[6]; // of a rigid body or particle
    if (!isnan(settings->margin))
        return settings->margin;
    double told = cond_held_some(sim, b)
                      ? ops->speed(body, &sim->at_start, sim->held.rate + body->dof_begin)
                      : 0.0;
    if (!settings->gap)
        return COND_MICROMETRE; // phi = 0 would stop a body before it arrives
    if (body->kind != COND_BODY_PARTICLE && body->kind != COND_BODY_RIGID) {
        // Their forces are stiff and implicit: what they would do explicitly says nothing. The last
        // step and gravity do.
        double fast = fmax(ops->speed(body, &sim->at_start, state->v + body->dof_begin),
                           ops->speed(body, &sim->at_start, state->v_hat + body->dof_begin));
        return COND_REACH_OF_SOFT + 2.0 * t * (fmax(fast, told) + t * vec3_norm(settings->gravity));
    }
    if (cond_held_whole(sim, b))
        return COND_MICROMETRE + 2.0 * t * told;
    ops->accelerate(body, &sim->at_start, sim->f + body->dof_begin, a);
    return COND_MICROMETRE + 2.0 * t *
                                 (ops->speed(body, &sim->at_start, state->v + body->dof_begin) +
                                  t * ops->speed(body, &sim->at_start, a));
}

typedef struct ReachLoop {
    CondSim* sim;
    const CondState* state;
} ReachLoop;

static void find_reach(const void* loop, int b)
{
    const ReachLoop* l = loop;
    l->sim->reach[b] = cond_sim_reach(l->sim, b, l->state);
}

CondStatus cond_sim_find_contacts(CondSim* sim, const CondState* state)
{
    ReachLoop loop = {sim, state};
    sim->readings.n_ready = 0; // forces of the last step belong to contacts that are forgotten here
    sim->attempt.moved = 0;
    cond_each_body(sim->model, COND_COORDINATE_WORK, find_reach, &loop);
    CondStatus status = cond_sim_detect(sim, &sim->at_start, &sim->attempt.candidates);
    find_heaps(sim);
    return status;
}

CondStatus cond_sim_collide_next(CondSim* sim, double* deepest)
{
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = 0.0;
    cond_persistent_widen(sim);
    // Whether a point that touches is in by a rounding must not decide on memory.
    if (cond_candidates_reserve(&sim->attempt.end, sim->attempt.candidates.n))
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_sim_detect(sim, &sim->at_end, &sim->attempt.end);
    *deepest = 0.0;
    for (int c = 0; c < sim->attempt.end.n && !status; c++)
        *deepest = fmax(*deepest, -sim->attempt.end.candidate[c].gap);
    return status ? status : cond_sim_find_deepest(sim);
}

static void pose_gaps(const void* loop, int first, int last)
{
    const CondSim* sim = loop;
    for (int c = first; c < last; c++) {
        const CondCandidate* candidate = &sim->attempt.candidates.candidate[c];
        sim->attempt.assembly.contact[c].phi[0] =
            (cond_sim_posed_gap(sim, candidate) + candidate->bias) / sim->attempt.time_step;
    }
}

CondStatus cond_sim_finish(CondSim* sim)
{
    const CondSceneSettings* settings = &sim->model->settings;
    CondAssembly* assembly = &sim->attempt.assembly;
    CondStatus status = cond_assembly_finish(assembly, &sim->at_start, &sim->at_end,
                                             cond_persistent_list(sim), settings->kv);
    int n = sim->attempt.candidates.n;
    if (!status && settings->gap)
        cond_parallel(n, cond_threads(COND_CONTACT_WORK * (size_t)n / 2, settings->solver.threads),
                      pose_gaps, sim);
    return status ? status : cond_joint_rows_place(sim);
}

// b = b/step + f
static void add_load(const void* loop, int b, int first, int last)
{
    const CondSim* sim = loop;
    for (int i = first; i < last; i++)
        sim->attempt.assembly.b[i] = sim->attempt.assembly.b[i] / sim->length[b] + sim->f[i];
}

// A = M/(th t) + ..., b = M v_k/(th t) + f, phi_n = gap/t.
CondStatus cond_sim_pose(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    CondAssembly* assembly = &sim->attempt.assembly;
    cond_assembly_multiply_masses(&sim->matrix, &sim->at_start, state->v, assembly->b);
    cond_each_coordinate(model, 2, add_load, sim);
    return cond_sim_finish(sim);
}

const CondProblem* cond_sim_problem(const CondSim* sim)
{
    const CondSim* reader = cond_sleep_reader(sim);
    const CondProblem* problem = cond_held_problem(reader);
    cond_device_matrix_fetch(&reader->on_device->matrix, problem); // else A is not finite
    return problem;
}
