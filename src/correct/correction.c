// Penetration left at the end of the step is removed by a position problem without friction,
//     A d = Jc' Lambda,     0 <= Lambda_n  _|_  Jn d + gap/t >= 0,     q <- update(q, d, t).
// A has the masses, the stiffness of rods and the couplings of the step, so that light bodies
// give way to heavy ones and nothing is torn; that of soft bodies joins where much is to be moved.
//
// No contact asks for more than the smaller of its bodies may move in a step (the limit). Where
// that cuts a contact short, contacts yield a little, so that what cannot be fulfilled together has
// an answer too. Where a soft body or a rod is deeper in something than its surface alone may be
// moved, it moves as a rigid one if that helps, for else the surface would be pushed and the rest
// stay; and if not, with its stiffness.
#include "correct/correction.h"

#include "base/memory.h"
#include "body/body.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "potential/trajectory.h"
#include "problem/block.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const double PENETRATION = 1e-9; // above this it is corrected [m]
static const double LINK = 1e-6;        // and of a rod's size, where a link of one touches
static const double YIELD = 1e-2;       // compliance of deep contacts, in Delassus scales
static const double SURFACE = 1e-4;     // of its size: how deep only a soft body's surface moves
static const double HELPS = 0.9; // of the squares of what is asked for, left by rigid motions

static const double LONGEST = 0.01; // step of the metric [s]

enum { ROUNDS = 4 };            // with limits of joints that the motion would pass
enum { MAX_ITERATIONS = 2000 }; // more are not worth it: the next step goes on

void cond_correction_destroy(CondCorrection* correction)
{
    const CondContext* m = &correction->stage.arena.context;
    void* arrays[] = {correction->limit, correction->share, correction->v};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(m, arrays[i]);
    cond_contact_stage_destroy(&correction->stage);
    cond_contact_stage_destroy(&correction->whole);
    cond_rigid_motion_destroy(&correction->rigid);
}

static CondSolverSettings settings_of(const CondModel* model)
{
    CondSolverSettings settings = cond_contact_stage_settings(model);
    if (settings.max_iterations > MAX_ITERATIONS)
        settings.max_iterations = MAX_ITERATIONS;
    settings.relax = 0; // there is no friction
    return settings;
}

static CondStatus prepare(const CondModel* model, CondCorrection* correction)
{
    const CondContext* m = &model->arena.context;
    CondSolverSettings settings = settings_of(model);
    size_t n_body = (size_t)model->n_body;
    CondStatus status =
        cond_contact_stage_prepare(model, COND_ASSEMBLY_SOFT_MASSES, &settings, &correction->stage);
    if (status)
        return status;
    if (!correction->limit)
        correction->limit = cond_allocate(m, n_body, sizeof *correction->limit);
    if (!correction->share)
        correction->share = cond_allocate(m, n_body, sizeof *correction->share);
    if (!correction->v)
        correction->v = cond_allocate(m, (size_t)model->n_dof, sizeof *correction->v);
    int all =
        correction->limit && correction->share && correction->v &&
        !cond_components_reserve(&correction->stage.arena, model->n_body, &correction->bodies);
    return all ? COND_OK : COND_OUT_OF_MEMORY;
}

// How far a contact may be opened: as far as the smaller of its bodies may move.
static double limit_of(const CondCorrection* correction, const CondCandidate* candidate)
{
    double limit = INFINITY;
    for (int s = 0; s < 2; s++)
        if (candidate->point[s].body >= 0)
            limit = fmin(limit, correction->limit[candidate->point[s].body]);
    return limit;
}

// 1 where a contact is so deep that more of a soft body or a rod should move than its surface.
static int is_indented(const CondModel* model, const CondCandidate* candidate)
{
    for (int s = 0; s < 2; s++) {
        int b = candidate->point[s].body;
        CondBodyKind kind = b >= 0 ? model->body[b].kind : COND_BODY_RIGID;
        if ((kind == COND_BODY_SOFT || kind == COND_BODY_ROD) &&
            -candidate->gap > SURFACE * model->body[b].size)
            return 1;
    }
    return 0;
}

// 1 where a contact is deep enough to be moved. A link of a rod that rolls on what it is wound
// about ends every step inside by half the square of its turn: this may add up to a little before
// it is worth a problem of its own.
static int is_deep(const CondModel* model, const CondCandidate* candidate)
{
    double may = PENETRATION;
    for (int side = 0; side < 2; side++) {
        int b = candidate->point[side].body;
        if (b >= 0 && model->body[b].kind == COND_BODY_ROD)
            may = fmax(may, LINK * model->body[b].size);
    }
    return -candidate->gap > may;
}

static int is_needed(const CondSim* sim, double deepest)
{
    int needed = 0;
    for (int c = 0; c < sim->attempt.end.n && deepest > PENETRATION && !needed; c++)
        needed = is_deep(sim->model, &sim->attempt.end.candidate[c]);
    return needed;
}

// Islands in which nothing is deep stay as they are, whatever is moved elsewhere.
static void leave_islands(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondCorrection* correction = sim->correction;
    CondCandidateList* list = &correction->stage.candidates;
    double* moves = correction->share; // free until the answer is there
    const int* of = correction->bodies.of;
    int kept = 0;
    cond_components_begin(model->n_body, &correction->bodies);
    cond_connect_contacts(sim, list, NULL, &correction->bodies);
    cond_connect_ties(sim, &correction->bodies);
    cond_components_end(&correction->bodies);
    for (int i = 0; i < correction->bodies.n; i++)
        moves[i] = 0.0;
    for (int k = 0; k < list->n; k++)
        if (is_deep(model, &list->candidate[k]))
            moves[of[list->candidate[k].point[0].body]] = 1.0;
    for (int k = 0; k < list->n; k++)
        if (moves[of[list->candidate[k].point[0].body]] > 0.0)
            list->candidate[kept++] = list->candidate[k];
    list->n = kept;
}

// The contacts within reach of the correction, which it keeps open; *deep: 1 where one of them is
// cut short by its limit, *indented: 1 where a soft body or a rod is.
static CondStatus find_contacts(CondSim* sim, double deepest, double share, int* deep,
                                int* indented)
{
    CondCorrection* correction = sim->correction;
    CondCandidateList* list = &correction->stage.candidates;
    for (int b = 0; b < sim->model->n_body; b++) {
        correction->limit[b] = share * sim->model->body[b].size;
        sim->reach[b] = 2.0 * fmin(deepest, correction->limit[b]);
    }
    CondStatus status = cond_sim_detect(sim, &sim->at_end, list);
    if (!status)
        leave_islands(sim);
    *deep = *indented = 0;
    for (int k = 0; k < list->n && !status; k++) {
        *deep |= -list->candidate[k].gap > limit_of(correction, &list->candidate[k]);
        *indented |= is_indented(sim->model, &list->candidate[k]);
    }
    return status;
}

// The step length that weighs stiffness against mass. In long steps the ratio would only make the
// problem hard.
static double step_of(const CondSim* sim)
{
    return fmin(sim->attempt.time_step, LONGEST);
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
            status =
                cond_weld_add(&sim->at_end, &sim->next->weld[i], step_of(sim), &sim->matrix, b);
    return status;
}

// The problem of the contacts found, in the coordinates of the step.
static CondStatus pose(CondSim* sim, int deep, CondContactStage* stage)
{
    const CondCandidateList* list = &sim->correction->stage.candidates;
    CondAssembly* assembly = &stage->assembly;
    double t = sim->attempt.time_step, *diagonal = sim->work;
    cond_trajectory_guide(&sim->at_end, sim->next->time);
    for (int b = 0; b < sim->model->n_body; b++)
        sim->reach[b] = step_of(sim);                                   // its reach is used
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
        double limit = limit_of(sim->correction, &list->candidate[k]);
        contact->phi[0] = fmax(list->candidate[k].gap, -limit) / t;
        contact->friction[0] = contact->friction[1] = 0.0;
        if (deep)
            contact->kv = 1.0 / (YIELD * cond_contact_delassus(contact, diagonal));
    }
    return cond_joint_stops_add(sim, assembly);
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
    return after < HELPS * before && all <= 2.0 * masses;
}

static int body_of(const CondModel* model, int coordinate)
{
    int low = 0, high = model->n_body - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (model->body[middle].dof_begin <= coordinate)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Bodies that contacts or couplings connect are slowed down together, by the share that keeps all
// of their points within their limits: any share of the motion opens all contacts by that share of
// what they ask for, and closes none.
static void find_shares(CondSim* sim, double* moved, double* moved_of)
{
    const CondModel* model = sim->model;
    CondCorrection* correction = sim->correction;
    const CondProblem* problem = &correction->stage.assembly.problem;
    double t = sim->attempt.time_step, *share = correction->share;
    const int* of = correction->bodies.of;
    for (int b = 0; b < model->n_body; b++)
        share[b] = 1.0;
    cond_components_begin(model->n_body, &correction->bodies);
    cond_connect_contacts(sim, &correction->stage.candidates, NULL, &correction->bodies);
    for (int i = 0; i < problem->n_coupling; i++) {
        const CondCoupling* coupling = &problem->coupling[i];
        cond_components_join(&correction->bodies, body_of(model, coupling->coordinate[0]),
                             body_of(model, coupling->coordinate[coupling->n_coordinate - 1]));
    }
    cond_components_end(&correction->bodies);
    for (int turn = 0; turn < 2; turn++) // the shares of islands, and the ways
        for (int b = 0; b < model->n_body; b++) {
            const CondBody* body = &model->body[b];
            int i = of[b];
            double way = t * cond_body_ops(body->kind)
                                 ->speed(body, &sim->at_end, correction->v + body->dof_begin);
            if (turn == 0 && way > correction->limit[b])
                share[i] = fmin(share[i], correction->limit[b] / way);
            if (turn == 1) {
                *moved = fmax(*moved, share[i] * way);
                if (moved_of)
                    moved_of[b] += share[i] * way;
            }
        }
}

// The answer that stands in all coordinates, in correction->v.
static void expand(CondSim* sim, const CondContactStage* stage, int rigid)
{
    CondCorrection* correction = sim->correction;
    if (rigid)
        cond_rigid_motion_expand(&sim->at_end, &correction->rigid, stage->v, correction->v);
    else
        memcpy(correction->v, stage->v, (size_t)sim->model->n_dof * sizeof *correction->v);
}

// The answer that stands: of rigid motions, or in all coordinates.
static void move(CondSim* sim, const CondContactStage* stage, int rigid, double* moved,
                 double* moved_of)
{
    const CondModel* model = sim->model;
    CondCorrection* correction = sim->correction;
    double t = sim->attempt.time_step, *v = stage->v;
    find_shares(sim, moved, moved_of);
    for (int b = 0; b < model->n_body; b++) {
        const int* begin = correction->rigid.dof_begin;
        int first = rigid ? begin[b] : model->body[b].dof_begin;
        int n = rigid ? begin[b + 1] - begin[b] : model->body[b].n_dof;
        for (int i = first; i < first + n; i++)
            v[i] *= correction->share[correction->bodies.of[b]];
    }
    if (rigid)
        cond_rigid_motion_advance(model, &correction->rigid, v, t, sim->next->q);
    else
        cond_sim_advance(model, v, t, sim->next->q);
    cond_kinematics_set(&sim->at_end, sim->next->q);
}

// Contacts deeper than their limit push along the line between the centres of their bodies: deep
// inside, the nearest way out of each point may well lead against that of the next. Returns 1 where
// there are any.
static int turn_apart(CondSim* sim)
{
    const CondModel* model = sim->model;
    CondCorrection* correction = sim->correction;
    const CondCandidateList* list = &correction->stage.candidates;
    int turned = 0;
    for (int k = 0; k < list->n; k++) {
        const CondCandidate* candidate = &list->candidate[k];
        double centre[2][3], line[3];
        int known = -candidate->gap > limit_of(correction, candidate);
        for (int s = 0; s < 2 && known; s++) {
            const CondBody* body =
                &model->body[candidate->point[s].body < 0 ? 0 : candidate->point[s].body];
            known = candidate->point[s].body >= 0 && body->kind != COND_BODY_ROBOT;
            CondPose pose =
                cond_body_ops(body->kind)
                    ->pose(body, sim->next->q + body->q_begin, sim->next->v + body->dof_begin);
            memcpy(centre[s], pose.position, sizeof centre[s]);
        }
        if (!known || candidate->point[0].body == candidate->point[1].body)
            continue;
        for (int i = 0; i < 3; i++)
            line[i] = centre[0][i] - centre[1][i];
        double length = vec3_norm(line);
        for (int i = 0; i < 3 && length > 0.0; i++)
            line[i] /= length;
        if (length > 0.0)
            mat3_frame(line, candidate->frame + 3, correction->rigid.contact[k].frame);
        turned |= length > 0.0;
    }
    return turned;
}

// Bodies that are held at some place do not move as a whole.
static CondStatus hold_rigid(CondSim* sim)
{
    CondCorrection* correction = sim->correction;
    const int* begin = correction->rigid.dof_begin;
    if (sim->held.n == 0)
        return COND_OK;
    if (COND_RESERVE(&correction->stage.arena, correction->held, sim->model->n_dof))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < sim->model->n_body; b++)
        memset(correction->held + begin[b], cond_held_some(sim, b),
               (size_t)(begin[b + 1] - begin[b]));
    correction->stage.given = correction->held;
    return COND_OK;
}

// Rigid motions of all bodies, with the normals of the contacts, or where these lead nowhere along
// the lines between centres. *helps: 1 where either does.
static CondStatus solve_rigid(CondSim* sim, int deep, CondSolveInfo* info, int* helps)
{
    CondCorrection* correction = sim->correction;
    CondContactStage* stage = &correction->stage;
    const CondProblem* problem = &correction->rigid.problem;
    CondStatus status =
        cond_rigid_motion_reduce(&sim->at_end, &stage->assembly, step_of(sim), &correction->rigid);
    if (!status)
        status = hold_rigid(sim);
    if (!status)
        status = cond_contact_stage_solve(stage, problem, NULL, info);
    *helps = status >= 0 && does_help(problem, stage->v, sim->work);
    if (status < 0 || *helps || !deep || !turn_apart(sim))
        return status;
    memset(stage->v, 0, (size_t)problem->n_dof * sizeof *stage->v);
    status = cond_contact_stage_solve(stage, problem, NULL, info);
    *helps = status >= 0 && does_help(problem, stage->v, sim->work);
    return status;
}

// What lies deep moves as if it were rigid where that helps; else soft bodies and rods move with
// their stiffness, and where that is not solved, or there are none, by the masses.
static CondStatus solve_deep(CondSim* sim, int deep, int indented, CondSolveInfo* info, int* rigid,
                             const CondContactStage** answer)
{
    CondCorrection* correction = sim->correction;
    CondContactStage *stage = &correction->stage, *whole = &correction->whole;
    CondSolverSettings settings = settings_of(sim->model);
    CondStatus status = solve_rigid(sim, deep, info, rigid);
    if (status < 0 || *rigid)
        return status;
    if (indented) {
        status = cond_contact_stage_prepare(sim->model, COND_ASSEMBLY_ALL, &settings, whole);
        if (!status)
            status = pose(sim, deep, whole);
        if (!status)
            status = cond_contact_stage_solve(whole, &whole->assembly.problem, NULL, info);
        *answer = whole;
        if (status != COND_NOT_CONVERGED)
            return status;
    }
    *answer = stage;
    memset(stage->v, 0, (size_t)sim->model->n_dof * sizeof *stage->v);
    stage->given = sim->held.n > 0 ? sim->held.flag : NULL;
    return cond_contact_stage_solve(stage, &stage->assembly.problem, NULL, info);
}

// In all coordinates, by the masses. Contacts that contradict each other, on two sides of a thin
// wall say, have no answer; where there is none, all of them yield.
static CondStatus solve(CondSim* sim, CondSolveInfo* info)
{
    CondContactStage* stage = &sim->correction->stage;
    CondStatus status = cond_contact_stage_solve(stage, &stage->assembly.problem, NULL, info);
    if (status != COND_NOT_CONVERGED)
        return status;
    CondSolveInfo first = *info;
    status = pose(sim, 1, stage);
    if (!status)
        status = cond_contact_stage_solve(stage, &stage->assembly.problem, NULL, info);
    cond_solve_info_add_work(&first, info, info);
    return status;
}

CondStatus cond_sim_correct(CondSim* sim, double deepest, double share, CondSolveInfo* info,
                            double* moved, double* moved_of)
{
    CondCorrection* correction = sim->correction;
    CondContactStage* stage = &correction->stage;
    int deep = 0, indented = 0, rigid = 0;
    *moved = 0.0;
    if (!is_needed(sim, deepest))
        return COND_OK;
    CondStatus status = prepare(sim->model, correction);
    if (!status)
        status = find_contacts(sim, deepest, share, &deep, &indented);
    if (status)
        return status;
    const CondContactStage* answer = stage;
    CondSolveInfo sum = {.status = COND_OK};
    int passed = 1;
    cond_joint_stops_forget(sim);
    for (int round = 0; round < ROUNDS && passed > 0 && status >= 0; round++) {
        CondSolveInfo one = {.status = COND_OK};
        rigid = 0;
        answer = stage;
        status = pose(sim, deep, stage);
        if (status)
            return status;
        status = deep || indented ? solve_deep(sim, deep, indented, &one, &rigid, &answer)
                                  : solve(sim, &one);
        cond_solve_info_add_work(&sum, &one, &one);
        *info = sum = one;
        if (status >= 0)
            expand(sim, answer, rigid);
        passed = status >= 0 ? cond_joint_stops_find(sim, correction->v) : 0;
    }
    if (status >= 0)
        move(sim, answer, rigid, moved, moved_of);
    return status;
}
