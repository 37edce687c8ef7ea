// Penetration left at the end of the step is removed by a position problem without friction,
//     A d = Jc' Lambda,     0 <= Lambda_n  _|_  Jn d + gap/t >= 0,     q <- update(q, d, t).
// A has the masses, the stiffness of rods and the couplings of the step, so that light bodies
// give way to heavy ones and nothing is torn; that of soft bodies joins where much is to be moved.
//
// No contact asks for more than the smaller of its bodies may move in a step (the limit). Where
// that cuts a contact short, contacts yield a little, so that what cannot be fulfilled together has
// an answer too. Where a soft body or a rod is deeper in something than its surface alone may be
// moved, it moves as a rigid one if that helps, for else the surface would be pushed and the rest
// stay; and if not, with its stiffness. The table RETRIES says what is tried in which case.
#include "correct/correction.h"
#include "base/tuning.h"

#include "body/body.h"
#include "collide/tuning.h"
#include "correct/tuning.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "potential/trajectory.h"
#include "problem/block.h"
#include "sim/sim.h"
#include "sim/stage_retry.h"
#include "sim/tuning.h"

#include <math.h>
#include <string.h>

void cond_correction_destroy(CondCorrection* correction)
{
    cond_contact_stage_destroy(&correction->stage);
    cond_contact_stage_destroy(&correction->whole);
    cond_rigid_motion_destroy(&correction->rigid);
}

static CondSolverSettings settings_of(const CondModel* model)
{
    CondSolverSettings settings = cond_contact_stage_settings(model);
    if (settings.max_iterations > COND_CORRECT_ITERATIONS)
        settings.max_iterations = COND_CORRECT_ITERATIONS;
    settings.relax = 0; // there is no friction
    return settings;
}

CondStatus cond_correction_prepare(const CondModel* model, CondCorrection* correction)
{
    CondArena* arena = &correction->stage.arena;
    CondSolverSettings settings = settings_of(model);
    CondStatus status =
        cond_contact_stage_prepare(model, COND_ASSEMBLY_SOFT_MASSES, &settings, &correction->stage);
    if (status)
        return status;
    int failed = COND_RESERVE(arena, correction->share, model->n_body) ||
                 COND_RESERVE(arena, correction->v, model->n_dof) ||
                 COND_RESERVE(arena, correction->held, model->n_dof) ||
                 cond_components_reserve(arena, model->n_body, &correction->bodies);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// ---- contacts

// How far a contact may be opened: as far as the smaller of its bodies may move.
static double limit_of(const CondSim* sim, const CondCandidate* candidate)
{
    return sim->correction->limit * cond_sim_smaller_size(sim, candidate);
}

static const CondBody* body_at(const CondModel* model, const CondPoint* point)
{
    return point->body >= 0 ? &model->body[point->body] : NULL;
}

// 1 where a contact is so deep that more of a soft body or a rod should move than its surface.
static int is_indented(const CondModel* model, const CondCandidate* candidate)
{
    for (int s = 0; s < 2; s++) {
        const CondBody* body = body_at(model, &candidate->point[s]);
        if (body && (body->kind == COND_BODY_SOFT || body->kind == COND_BODY_ROD) &&
            -candidate->gap > COND_CORRECT_OF_SOFT * body->size)
            return 1;
    }
    return 0;
}

// 1 where a contact is deep enough to be moved. A link of a rod that rolls on what it is wound
// about ends every step inside by half the square of its turn: this may add up to a little before
// it is worth a problem of its own. So may half of what a step may violate, by which cloth sags in
// every step between the nodes that bear it.
static int is_deep(const CondModel* model, const CondCandidate* candidate)
{
    double depth = COND_NANOMETRE;
    for (int s = 0; s < 2; s++) {
        const CondBody* body = body_at(model, &candidate->point[s]);
        if (body && body->kind == COND_BODY_ROD)
            depth = fmax(depth, COND_OVERLAP * body->size);
        if (body && body->shell)
            depth = fmax(depth, 0.5 * COND_TOUCH * body->size);
    }
    return -candidate->gap > depth;
}

static int is_needed(const CondSim* sim)
{
    int needed = 0;
    for (int c = 0; c < sim->attempt.end.n && !needed; c++)
        needed = is_deep(sim->model, &sim->attempt.end.candidate[c]);
    return needed;
}

// Leaves out the contacts of islands in which nothing is deep: they stay as they are, whatever is
// moved elsewhere.
static void drop_islands(CondSim* sim)
{
    CondCorrection* correction = sim->correction;
    CondCandidateList* list = &correction->stage.candidates;
    double* moves = correction->share; // free until the answer is there
    const int* of = correction->bodies.of;
    int kept = 0;
    cond_components_begin(sim->model->n_body, &correction->bodies);
    cond_connect_contacts(sim, list, NULL, &correction->bodies);
    cond_connect_ties(sim, &correction->bodies);
    cond_components_end(&correction->bodies);
    memset(moves, 0, (size_t)correction->bodies.n * sizeof *moves);
    for (int k = 0; k < list->n; k++)
        if (is_deep(sim->model, &list->candidate[k]))
            moves[of[list->candidate[k].point[0].body]] = 1.0;
    for (int k = 0; k < list->n; k++)
        if (moves[of[list->candidate[k].point[0].body]] > 0.0)
            list->candidate[kept++] = list->candidate[k];
    list->n = kept;
}

// The contacts within reach of the correction, which it keeps open.
static CondStatus find_contacts(CondSim* sim, double deepest)
{
    CondCorrection* correction = sim->correction;
    CondCandidateList* list = &correction->stage.candidates;
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = 2.0 * fmin(deepest, correction->limit * sim->model->body[b].size);
    sim->collider.near_edges = 1; // nothing looks at what the correction leads to
    CondStatus status = cond_sim_detect(sim, &sim->at_end, list);
    sim->collider.near_edges = 0;
    if (status)
        return status;
    drop_islands(sim);
    correction->deep = correction->indented = 0;
    for (int k = 0; k < list->n; k++) {
        correction->deep |= -list->candidate[k].gap > limit_of(sim, &list->candidate[k]);
        correction->indented |= is_indented(sim->model, &list->candidate[k]);
    }
    return COND_OK;
}

// ---- the problem

static double step_of_metric(const CondSim* sim)
{
    return fmin(sim->attempt.time_step, COND_CORRECT_LONGEST);
}

// b = the forces of the attachments where they pull back what they were stretched, else zero. The
// couplings that come with them are there already.
static CondStatus set_forces(CondSim* sim, double* b)
{
    CondStatus status = COND_OK;
    memset(b, 0, (size_t)sim->model->n_dof * sizeof *b);
    cond_assembly_begin(&sim->matrix, &sim->at_end, NULL, NULL);
    for (int i = 0; i < sim->next->n_weld && sim->correction->restore && !status; i++)
        if (sim->next->weld[i].active)
            status = cond_weld_add(&sim->at_end, &sim->next->weld[i], step_of_metric(sim),
                                   &sim->matrix, b);
    return status;
}

// The problem of the contacts found, in the coordinates of the step.
static CondStatus pose_full(CondSim* sim, CondContactStage* stage)
{
    const CondCandidateList* list = &sim->correction->stage.candidates;
    CondAssembly* assembly = &stage->assembly;
    double t = sim->attempt.time_step, *diagonal = sim->work;
    cond_trajectory_guide(&sim->at_end, sim->next->time);
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = step_of_metric(sim);                            // its reach is used
    cond_assembly_begin(assembly, &sim->at_end, sim->reach, sim->work); // forces play no part
    CondStatus status =
        cond_sim_couple(sim, &sim->at_end, COND_COUPLED_ALL, sim->reach, assembly, sim->work);
    if (!status)
        status = set_forces(sim, assembly->b);
    if (!status)
        status = cond_assembly_finish(assembly, &sim->at_end, NULL, list, INFINITY);
    if (status)
        return status;
    memset(stage->v, 0, (size_t)sim->model->n_dof * sizeof *stage->v);
    stage->given = sim->held.n > 0 ? sim->held.flag : NULL; // which stay where they are
    cond_problem_diagonal(&assembly->problem, diagonal);
    for (int k = 0; k < list->n; k++) {
        CondContact* contact = &assembly->contact[k];
        contact->phi[0] = fmax(list->candidate[k].gap, -limit_of(sim, &list->candidate[k])) / t;
        contact->friction[0] = contact->friction[1] = 0.0;
        if (sim->correction->yields)
            contact->kv = 1.0 / (COND_CORRECT_YIELD * cond_contact_delassus(contact, diagonal));
    }
    return cond_joint_stops_add(sim, assembly);
}

// From the centre of the second body of a contact to that of the first, which are no robots.
// Returns 0 where there are no two centres apart.
static int line_of_centres(const CondSim* sim, const CondCandidate* candidate, double line[3])
{
    CondPose pose[2];
    for (int s = 0; s < 2; s++) {
        const CondBody* body = body_at(sim->model, &candidate->point[s]);
        if (!body || body->kind == COND_BODY_ROBOT)
            return 0;
        pose[s] = cond_body_ops(body->kind)
                      ->pose(body, sim->next->q + body->q_begin, sim->next->v + body->dof_begin);
    }
    for (int i = 0; i < 3; i++)
        line[i] = pose[0].position[i] - pose[1].position[i];
    double length = vec3_norm(line);
    for (int i = 0; i < 3 && length > 0.0; i++)
        line[i] /= length;
    return length > 0.0;
}

// Contacts deeper than their limit push along the line between the centres of their bodies: deep
// inside, the nearest way out of each point may well lead against that of the next. Returns 1 where
// there are any; turns those of the rigid motions unless `contact` is NULL.
static int turn_apart(const CondSim* sim, CondContact* contact)
{
    const CondCandidateList* list = &sim->correction->stage.candidates;
    int turned = 0;
    for (int k = 0; k < list->n; k++) {
        const CondCandidate* candidate = &list->candidate[k];
        double line[3];
        if (!(-candidate->gap > limit_of(sim, candidate)) || !line_of_centres(sim, candidate, line))
            continue;
        turned = 1;
        if (contact)
            mat3_frame(line, candidate->frame + 3, contact[k].frame);
    }
    return turned;
}

static int rests(const CondSide* side, const unsigned char* held)
{
    int n = 0;
    while (n < side->n_coordinate && held[side->coordinate[n]])
        n++;
    return n == side->n_coordinate;
}

// Contacts between points that are held, of which a solve must not know: they come last, after
// problem->n_contact others. A body that is held at some place touches itself so, and the ground.
static void put_resting_last(const unsigned char* held, CondContact* contact, CondProblem* problem)
{
    int moving = 0;
    for (int k = 0; k < problem->n_contact; k++)
        if (!rests(&contact[k].side[0], held) || !rests(&contact[k].side[1], held)) {
            CondContact moves = contact[k];
            contact[k] = contact[moving];
            contact[moving++] = moves;
        }
    problem->n_contact = moving;
}

// The same problem in rigid motions of all bodies. Bodies that are held at some place do not move.
static CondStatus pose_rigid(CondSim* sim)
{
    CondCorrection* correction = sim->correction;
    CondContactStage* stage = &correction->stage;
    CondStatus status = pose_full(sim, stage);
    if (!status)
        status = cond_rigid_motion_reduce(&sim->at_end, &stage->assembly, &correction->rigid);
    if (status)
        return status;
    const int* begin = correction->rigid.dof_begin;
    for (int b = 0; b < sim->model->n_body && stage->given; b++)
        memset(correction->held + begin[b], cond_held_some(sim, b),
               (size_t)(begin[b + 1] - begin[b]));
    stage->given = stage->given ? correction->held : NULL;
    if (correction->method == COND_CORRECT_APART)
        turn_apart(sim, correction->rigid.contact);
    if (stage->given)
        put_resting_last(stage->given, correction->rigid.contact, &correction->rigid.problem);
    return COND_OK;
}

// ---- an attempt, and what is tried next

static int is_rigid(const CondCorrection* correction)
{
    return correction->method == COND_CORRECT_RIGID || correction->method == COND_CORRECT_APART;
}

static CondContactStage* stage_of(CondCorrection* correction)
{
    return correction->method == COND_CORRECT_STIFFNESS ? &correction->whole : &correction->stage;
}

// 1 where a motion leaves much less of what the contacts ask for, of the sum of squares, and costs
// no more in the couplings than in the masses: a body should rather yield than bend what holds it.
static int does_help(const CondProblem* problem, const double* v, double* work)
{
    double before = 0.0, after = 0.0, all = 0.0, masses = 0.0;
    for (int k = 0; k < problem->n_contact; k++) {
        double u[3], asked = fmin(problem->contact[k].phi[0], 0.0);
        cond_contact_velocity(&problem->contact[k], v, u);
        before += asked * asked;
        after += fmin(u[0], 0.0) * fmin(u[0], 0.0);
    }
    cond_problem_multiply(problem, v, work);
    for (int i = 0; i < problem->n_dof; i++)
        all += v[i] * work[i];
    cond_problem_multiply_blocks(problem, v, NULL, work, 1);
    for (int i = 0; i < problem->n_dof; i++)
        masses += v[i] * work[i];
    return after < COND_PROGRESS * before && all <= 2.0 * masses;
}

static CondStatus pose(CondSim* sim)
{
    CondCorrection* correction = sim->correction;
    CondSolverSettings settings = settings_of(sim->model);
    if (is_rigid(correction))
        return pose_rigid(sim);
    CondStatus status = COND_OK;
    if (correction->method == COND_CORRECT_STIFFNESS)
        status = cond_contact_stage_prepare(sim->model, COND_ASSEMBLY_ALL, &settings,
                                            &correction->whole);
    return status ? status : pose_full(sim, stage_of(correction));
}

// Poses the problem, solves it and judges the answer, which is left in correction->v.
static CondStatus attempt(CondSim* sim)
{
    CondCorrection* correction = sim->correction;
    CondContactStage* stage = stage_of(correction);
    int rigid = is_rigid(correction);
    CondStatus status = pose(sim);
    if (status)
        return status;
    const CondProblem* problem = rigid ? &correction->rigid.problem : &stage->assembly.problem;
    CondSolveInfo one = {.status = COND_OK};
    status = correction->status = cond_contact_stage_solve(stage, problem, NULL, &one);
    cond_solve_info_add_work(correction->info, &one, &one);
    *correction->info = one;
    if (status < 0)
        return status;
    if (rigid)
        correction->rigid.problem.n_contact = stage->assembly.problem.n_contact; // resting ones too
    correction->helps = !rigid || does_help(problem, stage->v, sim->work);
    if (rigid)
        cond_rigid_motion_expand(&sim->at_end, &correction->rigid, stage->v, correction->v);
    else
        memcpy(correction->v, stage->v, (size_t)sim->model->n_dof * sizeof *correction->v);
    return status;
}

static int is_tangled(CondSim* sim)
{
    const CondCorrection* correction = sim->correction;
    return correction->method == COND_CORRECT_RIGID && !correction->helps && correction->deep &&
           turn_apart(sim, NULL);
}

static int is_stiff(CondSim* sim)
{
    return is_rigid(sim->correction) && !sim->correction->helps && sim->correction->indented;
}

// Where no body is reduced, rigid motions along the normals are all motions already.
static int is_left_to_masses(CondSim* sim)
{
    const CondCorrection* correction = sim->correction;
    int same = correction->method == COND_CORRECT_RIGID && correction->rigid.n_reduced == 0;
    return (is_rigid(correction) && !correction->helps && !same) ||
           (correction->method == COND_CORRECT_STIFFNESS &&
            correction->status == COND_NOT_CONVERGED);
}

static int is_contradictory(CondSim* sim)
{
    const CondCorrection* correction = sim->correction;
    return correction->method == COND_CORRECT_MASSES && !correction->yields &&
           correction->status == COND_NOT_CONVERGED;
}

static int passes_limits(CondSim* sim)
{
    return cond_joint_stops_find(sim, sim->correction->v) > 0;
}

static CondStatus turn(CondSim* sim)
{
    sim->correction->method = COND_CORRECT_APART;
    return COND_OK;
}

static CondStatus stiffen(CondSim* sim)
{
    sim->correction->method = COND_CORRECT_STIFFNESS;
    return COND_OK;
}

static CondStatus use_masses(CondSim* sim)
{
    sim->correction->method = COND_CORRECT_MASSES;
    return COND_OK;
}

static CondStatus yield(CondSim* sim)
{
    sim->correction->yields = 1;
    return COND_OK;
}

static CondStatus begin(CondSim* sim)
{
    CondCorrection* correction = sim->correction;
    correction->yields = correction->deep;
    correction->method =
        correction->deep || correction->indented ? COND_CORRECT_RIGID : COND_CORRECT_MASSES;
    return COND_OK;
}

static const CondStageRetry RETRIES[] = {
    {"deep contacts along the lines between centres", is_tangled, turn, COND_STAGE_BOUNDED},
    {"soft bodies with their stiffness", is_stiff, stiffen, COND_STAGE_BOUNDED},
    {"soft bodies by their masses", is_left_to_masses, use_masses, COND_STAGE_BOUNDED},
    {"contacts that contradict each other yield", is_contradictory, yield, COND_STAGE_BOUNDED},
    {"limits of joints that the motion passes join", passes_limits, begin, COND_CORRECT_LIMITS},
};

// ---- the motion

// Bodies that contacts or couplings connect are slowed down together, by the share that keeps all
// of their points within their limits: any share of the motion opens all contacts by that share of
// what they ask for, and closes none.
static void find_shares(CondSim* sim, double* moved, double* moved_of)
{
    const CondModel* model = sim->model;
    CondCorrection* correction = sim->correction;
    double* share = correction->share;
    for (int i = 0; i < correction->bodies.n; i++)
        share[i] = 1.0;
    for (int turn = 0; turn < 2; turn++) // the shares of islands, then the displacements
        for (int b = 0; b < model->n_body; b++) {
            const CondBody* body = &model->body[b];
            double *own = &share[correction->bodies.of[b]], limit = correction->limit * body->size;
            double distance = sim->attempt.time_step *
                              cond_body_ops(body->kind)
                                  ->speed(body, &sim->at_end, correction->v + body->dof_begin);
            if (turn == 0 && distance > limit)
                *own = fmin(*own, limit / distance);
            if (turn == 1)
                *moved = fmax(*moved, *own * distance);
            if (turn == 1 && moved_of)
                moved_of[b] += *own * distance;
        }
}

// Moves by the answer that stands: of rigid motions, or in all coordinates.
static void move(CondSim* sim, double* moved, double* moved_of)
{
    const CondModel* model = sim->model;
    CondCorrection* correction = sim->correction;
    const int* begin = correction->rigid.dof_begin;
    int rigid = is_rigid(correction);
    double t = sim->attempt.time_step, *v = stage_of(correction)->v;
    find_shares(sim, moved, moved_of);
    for (int b = 0; b < model->n_body; b++) {
        int first = rigid ? begin[b] : model->body[b].dof_begin;
        int n = rigid ? begin[b + 1] - begin[b] : model->body[b].n_dof;
        for (int i = first; i < first + n; i++)
            v[i] *= correction->share[correction->bodies.of[b]];
    }
    if (rigid)
        cond_rigid_motion_advance(model, &correction->rigid, v, t, sim->next->q);
    else
        cond_sim_advance(model, sim->next->q, v, t, sim->next->q);
    cond_kinematics_set(&sim->at_end, sim->next->q);
}

CondStatus cond_sim_correct(CondSim* sim, double deepest, double limit, CondSolveInfo* info,
                            double* moved, double* moved_of)
{
    CondCorrection* correction = sim->correction;
    *moved = 0.0;
    if (!is_needed(sim))
        return COND_OK;
    CondStatus status = cond_correction_prepare(sim->model, correction);
    correction->limit = limit;
    correction->info = info;
    if (!status)
        status = find_contacts(sim, deepest);
    if (status)
        return status;
    cond_joint_stops_forget(sim);
    begin(sim);
    status = cond_stage_retry(sim, attempt, RETRIES, sizeof RETRIES / sizeof *RETRIES);
    if (status >= 0)
        move(sim, moved, moved_of);
    return status;
}
