// Static equilibrium: a state in which all forces balance, by quasi-static steps.
//
// A step of implicit Euler from rest, of length h, whose end is at rest again, solves
//     M dq/h^2 = f(q + dq) + Jc' lambda     and the contact law on dq/h + gap/h,
// that is the static problem with a proximal term M/h^2, which keeps it regular where a body could
// still move freely. Each of these steps is made by the stages of a time step (step/step.c), with
// Newton's method, its own contacts and the certificate of its contact problem. h grows from step
// to step, so that the term vanishes and the last steps are Newton's for the static problem.
// Where a step fails it is made again with a smaller h. Friction acts along the displacements dq.
//
// Balance is judged apart from the steps, at the state itself: the contact problem is posed there
// with v_k = 0, and A v = f(q) + Jc' lambda is the force that nothing balances.
#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "law/certificate.h"
#include "math/quat.h"
#include "model/model_copy.h"
#include "potential/trajectory.h"
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Statics {
    const CondEquilibriumDef* def;
    CondEquilibriumInfo* info;
    CondModelCopy* copy;         // the model at one moment
    CondSim* sim;                // of the copy
    CondSceneSettings* settings; // of the sim, which change from step to step
    CondState* at;               // the state reached
    CondState* next;             // after a step from there
    CondArena arena;
    double* q;        // the configuration to begin with                       (n_q)
    double* given;    // weight and given forces                               (n_dof)
    double* contact;  // forces of the contacts                                (n_dof)
    double* left;     // A v, the forces that nothing balances                 (n_dof)
    double* diagonal; // of A                                                  (n_dof)
    double h;         // length of the next step [s]
    double margin;    // of the scene's contacts [m]; NaN: none
    int corrects;     // 1: the scene has its penetration corrected
    double travel;    // longest displacement of the last step, of the body's size
    double balance;   // largest unbalanced force of a body, of its load
    int newton;       // Newton steps of the last step
} Statics;

void cond_equilibrium_def_default_fill(CondEquilibriumDef* made, size_t size)
{
    const CondEquilibriumDef defaults = {.tolerance = 1e-6, .max_steps = 1000, .longest = 100.0};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondEquilibriumDef, struct_size));
}

// ---- the model at one moment

// A frame in space stands where it is at that time; targets of robots stay as the state has them,
// which for a joint on a trajectory is where that leads it.
static CondStatus stop_trajectories(Statics* s, double time)
{
    const CondModel* source = s->copy->source;
    CondModel* model = &s->copy->model;
    CondWaypoint* waypoint = NULL;
    model->trajectory = NULL;
    if (source->n_trajectory == 0)
        return COND_OK;
    if (COND_RESERVE(&s->copy->arena, model->trajectory, source->n_trajectory) ||
        COND_RESERVE(&s->copy->arena, waypoint, source->n_trajectory))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < source->n_trajectory; i++) {
        const CondTrajectory* from = &source->trajectory[i];
        CondTrajectory* to = &model->trajectory[i];
        CondIkTarget here = cond_trajectory_at(from, time);
        *to = (CondTrajectory){
            .body = from->body, .link = -1, .joint = -1, .n_waypoint = 1, .waypoint = waypoint + i};
        memcpy(to->name, from->name, sizeof to->name);
        memcpy(to->point, from->point, sizeof to->point);
        waypoint[i] = from->waypoint[0];
        memcpy(waypoint[i].position, here.position, sizeof here.position);
        memcpy(waypoint[i].orientation, here.orientation, sizeof here.orientation);
        if (from->body >= 0 && from->joint >= 0) {
            int target = source->body[from->body].target_begin + from->joint;
            s->at->command[target] = cond_trajectory_target(from, time);
        }
    }
    return COND_OK;
}

// Forces that act at that time act for ever, others never.
static CondStatus stop_forces(Statics* s, double time)
{
    const CondModel* source = s->copy->source;
    CondModel* model = &s->copy->model;
    model->force = NULL;
    if (source->n_force == 0)
        return COND_OK;
    if (COND_RESERVE(&s->copy->arena, model->force, source->n_force))
        return COND_OUT_OF_MEMORY;
    memcpy(model->force, source->force, (size_t)source->n_force * sizeof *model->force);
    for (int i = 0; i < model->n_force; i++) {
        CondForce* force = &model->force[i];
        int acts = force->start <= time && time < force->end;
        force->start = acts ? -INFINITY : INFINITY;
        force->end = INFINITY;
    }
    return COND_OK;
}

// The settings of quasi-static steps; h and the integrator follow with every step.
static void set_settings(Statics* s)
{
    CondSceneSettings* settings = &s->copy->model.settings;
    settings->method = COND_STEP_VELOCITY;
    settings->integrator = COND_INTEGRATOR_EULER; // what a simulation of it needs is made for this
    settings->newton_iterations = 6;
    settings->rounds *= 4;
    settings->substeps = 1;
    settings->sleeping = settings->mass_root = 0;
    settings->accuracy = 0.0;
    settings->damping = 0.0;
    settings->impact = COND_IMPACT_OFF;
    settings->solver.stop = COND_STOP_CERTIFICATE;
    settings->solver.fallback = 1;
    settings->solver.tolerance = 0.125 * s->def->tolerance;
    s->h = settings->time_step;
}

static CondStatus create(Statics* s, const CondSim* sim, const CondState* state, CondError* error)
{
    const CondModel* source = sim->model;
    CondStatus status = cond_model_copy_create(source, &s->copy);
    cond_arena_begin(&source->arena.context, &s->arena);
    if (!status)
        status = cond_state_create(source, &s->at, error);
    if (!status)
        status = cond_state_create(source, &s->next, error);
    if (!status)
        status = cond_state_copy(s->at, state);
    if (!status)
        status = stop_trajectories(s, state->time);
    if (!status)
        status = stop_forces(s, state->time);
    if (status)
        return status;
    set_settings(s);
    status = cond_sim_create(&s->copy->model, &s->sim, error);
    if (status)
        return status;
    s->settings = &s->sim->values->model.settings;
    s->sim->hooks = sim->hooks;
    s->sim->hooks.step = NULL;
    s->sim->hooks.log = NULL;
    s->sim->pull = sim->pull;
    int n = source->n_dof;
    if (COND_RESERVE(&s->arena, s->q, source->n_q) || COND_RESERVE(&s->arena, s->given, n) ||
        COND_RESERVE(&s->arena, s->contact, n) || COND_RESERVE(&s->arena, s->left, n) ||
        COND_RESERVE(&s->arena, s->diagonal, n))
        return COND_OUT_OF_MEMORY;
    memcpy(s->q, state->q, (size_t)source->n_q * sizeof *s->q);
    return COND_OK;
}

static void destroy(Statics* s)
{
    cond_sim_destroy(s->sim);
    cond_state_destroy(s->at);
    cond_state_destroy(s->next);
    cond_arena_release(&s->arena);
    cond_model_copy_destroy(s->copy);
}

// At rest, at the time of the state to begin with, and with the energy that it has there.
static void rest(const Statics* s, CondState* state, const CondState* begun)
{
    size_t n = (size_t)s->copy->model.n_dof * sizeof(double);
    memset(state->v, 0, n);
    memset(state->v_hat, 0, n);
    memcpy(state->target, state->command, (size_t)state->n_target * sizeof(double));
    state->time = begun->time;
    state->step = begun->step;
    state->account = (CondAccount){.begun = 0};
    state->pace = (CondPace){.piece = 0.0};
}

// ---- the balance of forces

// Adds the squares of the coordinates of a body to a sum; torques of turning ones over its size.
static double square_of(const CondBody* body, const double* f)
{
    double sum = 0.0;
    int turns = body->kind == COND_BODY_RIGID || body->kind == COND_BODY_ROD;
    for (int i = 0; i < body->n_dof; i++) {
        double x = f[body->dof_begin + i] / (turns && i % 6 >= 3 ? body->size : 1.0);
        sum += x * x;
    }
    return sum;
}

// What rounding leaves of the forces on a body: positions are known to eps |q|, and a stiffness
// A/h makes a force of that.
static double rounding_of(const Statics* s, const CondBody* body)
{
    double most = 0.0;
    int n = body->kind == COND_BODY_SOFT ? body->n_dof : body->n_q;
    for (int i = body->q_begin; i < body->q_begin + n; i++)
        most = fmax(most, fabs(s->at->q[i]));
    return 16.0 * DBL_EPSILON * most * sqrt(square_of(body, s->diagonal)) / s->h;
}

// The unbalanced force of each body, relative to its load: the largest of weight and given forces,
// those of contacts, and those that it has from within and from what holds it.
static void compare(Statics* s)
{
    const CondModel* model = s->sim->model;
    const CondHeld* held = &s->sim->held;
    const double* b = s->sim->attempt.assembly.b;
    double gravity = vec3_norm(model->settings.gravity);
    CondEquilibriumInfo* info = s->info;
    info->body = -1;
    s->balance = info->unbalanced = info->load = 0.0;
    for (int k = 0; k < model->n_body; k++) {
        const CondBody* body = &model->body[k];
        double load = fmax(square_of(body, s->given), square_of(body, s->contact));
        double lever = body->kind == COND_BODY_ROBOT ? body->size : 1.0;
        load = fmax(sqrt(fmax(load, square_of(body, b))), lever * body->mass * gravity);
        for (int i = body->dof_begin; i < body->dof_begin + body->n_dof; i++)
            s->left[i] = held->flag[i] ? 0.0 : s->left[i];
        double left = fmax(sqrt(square_of(body, s->left)) - rounding_of(s, body), 0.0);
        double share = left > 0.0 ? left / load : 0.0;
        if (info->body >= 0 && share <= s->balance)
            continue;
        s->balance = share;
        info->body = k;
        info->unbalanced = left;
        info->load = load;
    }
}

// Poses and solves the contact problem at the state, at rest.
static CondStatus weigh(Statics* s, CondSolveInfo* solve)
{
    CondSim* sim = s->sim;
    CondSceneSettings* settings = s->settings;
    CondProblem* problem = &sim->attempt.assembly.problem;
    size_t n = (size_t)s->copy->model.n_dof;
    settings->integrator = COND_INTEGRATOR_THETA;
    settings->theta = 1.0;
    settings->time_step = s->h;
    CondStatus status = cond_sim_forces(sim, s->at);
    if (!status)
        memcpy(s->given, sim->f, n * sizeof(double));
    if (!status)
        status = cond_sim_matrix(sim);
    if (!status)
        status = cond_sim_collide(sim, s->at);
    if (!status)
        status = cond_sim_assemble(sim, s->at);
    if (!status)
        status = cond_sim_solve(sim, s->at, solve);
    if (status >= 0 && cond_device_matrix_fetch(&sim->on_device->matrix, problem))
        status = COND_NOT_SUPPORTED;
    if (status < 0)
        return status;
    cond_problem_diagonal(problem, s->diagonal);
    cond_problem_multiply(problem, sim->attempt.v_hat, s->left);
    memset(s->contact, 0, n * sizeof(double));
    for (int c = 0; c < cond_sim_n_force(sim); c++)
        cond_contact_add_force(&sim->attempt.assembly.contact[c], 1.0,
                               sim->attempt.lambda + 3 * (ptrdiff_t)c, s->contact);
    compare(s);
    s->info->iterations += solve->iterations;
    s->info->certificate = cond_certificate_residual(&solve->certificate);
    s->info->n_contact = sim->attempt.candidates.n;
    s->info->balance = s->balance;
    return COND_OK;
}

// ---- steps

// The longest displacement of a point of each body from one configuration to another: of a turn by
// the size of the body. The largest over all, in m and of the size of the body.
static void measure(const CondModel* model, const double* from, const double* to, double* distance,
                    double* share)
{
    *distance = *share = 0.0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double *p = from + body->q_begin, *q = to + body->q_begin;
        int robot = body->kind == COND_BODY_ROBOT,
            stride = body->kind == COND_BODY_RIGID || body->kind == COND_BODY_ROD ? 7
                     : robot                                                      ? 1
                                                                                  : 3;
        int n = body->kind == COND_BODY_SOFT ? body->n_dof : body->n_q;
        double most = 0.0;
        for (int i = 0; i + stride <= n; i += stride) {
            double square = 0.0, w[3] = {0.0, 0.0, 0.0};
            for (int k = 0; k < stride && k < 3; k++)
                square += (q[i + k] - p[i + k]) * (q[i + k] - p[i + k]);
            if (stride == 7)
                quat_between(p + i + 3, q + i + 3, w);
            double turn = 0.5 * body->size * vec3_norm(w);
            most = fmax(most, sqrt(square) * (robot ? body->size : 1.0) + turn);
        }
        *distance = fmax(*distance, most);
        *share = fmax(*share, most / body->size);
    }
}

// A step of length h from s->at to s->next.
static CondStatus advance(Statics* s, const CondState* begun, CondStepInfo* step)
{
    CondSceneSettings* settings = s->settings;
    double size = s->sim->watch.least_size;
    settings->integrator = COND_INTEGRATOR_EULER;
    settings->time_step = s->h;
    settings->newton_tolerance = size * fmax(s->travel / 16.0, 0.125 * s->def->tolerance) / s->h;
    CondStatus status = cond_state_copy(s->next, s->at);
    if (status)
        return status;
    status = cond_sim_step(s->sim, s->next, step);
    s->info->iterations += step->solve.iterations;
    s->info->newton_iterations += step->newton_iterations;
    s->newton = step->newton_iterations;
    rest(s, s->next, begun);
    return status;
}

static void swap(Statics* s)
{
    CondState* state = s->at;
    s->at = s->next;
    s->next = state;
}

// 1 for a step whose contact problems are solved, but not Newton's method to its end.
static int is_rough(const Statics* s, const CondStepInfo* step)
{
    return step->status == COND_NOT_CONVERGED && s->newton >= s->settings->newton_iterations &&
           cond_certificate_residual(&step->solve.certificate) <= s->settings->solver.tolerance;
}

// A step, and the balance at its end. *holds: 0 where s->at is as it was, because the step failed,
// or is a rough one that has balanced nothing.
static CondStatus attempt(Statics* s, const CondState* begun, CondSolveInfo* solve, int* holds)
{
    CondStepInfo step;
    double before = s->balance;
    CondStatus status = advance(s, begun, &step);
    *holds = 0;
    if (status == COND_OUT_OF_MEMORY || status == COND_CANCELLED)
        return status;
    int rough = is_rough(s, &step);
    if (status && !rough)
        return COND_OK;
    swap(s);
    status = weigh(s, solve);
    if (status < 0 && status != COND_DIVERGED)
        return status;
    if (status == COND_DIVERGED || (rough && !(s->balance < before))) {
        swap(s);
        s->balance = before;
        return COND_OK;
    }
    *holds = 1;
    s->info->steps++;
    s->info->penetration = step.penetration;
    s->info->length = s->h;
    measure(s->sim->model, s->next->q, s->at->q, &s->info->last, &s->travel);
    return COND_OK;
}

// Steps with smaller and smaller h until one holds.
static CondStatus step_on(Statics* s, const CondState* begun, CondSolveInfo* solve)
{
    for (int i = 0;; i++) {
        int holds;
        CondStatus status = attempt(s, begun, solve, &holds);
        if (status || holds)
            return status;
        if (i == 8)
            return COND_NOT_CONVERGED;
        s->h /= 4.0;
        s->info->discarded++;
    }
}

// The next h: longer the more the last step has balanced, shorter where bodies would go farther
// than their size, in free flight with the square of h.
static void choose_length(Statics* s, double before)
{
    double size = s->sim->watch.least_size;
    double growth = fmin(fmax(before / fmax(s->balance, DBL_MIN), 2.0), 10.0);
    if (s->newton >= s->settings->newton_iterations)
        growth = fmin(growth, 1.5);
    if (s->travel > 0.0)
        growth = fmin(growth, sqrt(1.0 / s->travel));
    s->h = fmin(s->h * growth, s->def->longest);
    // Contacts are looked for within what the next step may move, not within the way of free fall.
    if (isnan(s->margin))
        s->settings->margin = fmin(2.0 * vec3_norm(s->settings->gravity) * s->h * s->h,
                                   fmin(fmax(2.0 * s->info->last, size / 16.0), size / 4.0));
    // What a step leaves in each other is far below the displacements that matter; where they are
    // as small, the correction would move surfaces that are stiff out of their balance.
    s->settings->position_correction =
        s->corrects && (s->travel > 1.0 / 64.0 || s->info->penetration > size / 1024.0);
}

// Says what does not come to rest.
static CondStatus refuse(Statics* s, CondSim* sim, CondStatus status)
{
    const CondEquilibriumInfo* info = s->info;
    char* text = sim->watch.message;
    size_t size = sizeof sim->watch.message;
    const char* why = cond_sim_message(s->sim);
    const char* name = info->body >= 0 ? sim->model->body[info->body].name : "";
    if (status == COND_OUT_OF_MEMORY || status == COND_CANCELLED)
        return status;
    if (info->steps < s->def->max_steps)
        snprintf(text, size, "no quasi-static step holds after %d steps: %.150s", info->steps,
                 *why ? why : cond_status_name(status));
    else
        snprintf(text, size,
                 "no equilibrium after %d steps: '%.60s' is left with %.3g N of a load of %.3g N "
                 "and still moved by %.3g m in the last step",
                 info->steps, name, info->unbalanced, info->load, info->last);
    cond_last_error_set(COND_NOT_CONVERGED, text);
    return COND_NOT_CONVERGED;
}

// Steps until the forces balance.
static CondStatus iterate(Statics* s, const CondState* begun)
{
    CondEquilibriumInfo* info = s->info;
    CondSolveInfo solve;
    rest(s, s->at, begun);
    s->travel = 1.0;
    s->margin = s->settings->margin;
    s->corrects = s->settings->position_correction;
    CondStatus status = weigh(s, &solve);
    while (!status && !(solve.status == COND_OK && s->balance <= s->def->tolerance)) {
        double before = s->balance, share;
        if (info->steps >= s->def->max_steps)
            return COND_NOT_CONVERGED;
        status = step_on(s, begun, &solve);
        if (status)
            return status;
        choose_length(s, before);
        measure(s->sim->model, s->q, s->at->q, &info->moved, &share);
        if (s->def->progress && s->def->progress(s->def->user, info))
            return COND_CANCELLED;
    }
    if (status)
        return status;
    status = cond_sim_remember(s->sim); // the forces that balance, and the attachments made
    return status ? status : cond_state_copy(s->at, s->sim->next);
}

static CondStatus sim_equilibrium_whole(CondSim* sim, CondState* state,
                                        const CondEquilibriumDef* def, CondEquilibriumInfo* info)
{
    CondEquilibriumDef own = cond_equilibrium_def_default();
    CondEquilibriumInfo made, *out = info ? info : &made;
    CondError error = {COND_OK, ""};
    *out = (CondEquilibriumInfo){.body = -1};
    cond_watch_begin(sim);
    if (def &&
        cond_definition_take(def, &own, sizeof own, offsetof(CondEquilibriumDef, struct_size),
                             "cond_equilibrium_def_default", &error))
        return out->status = COND_BAD_ARGUMENT;
    if (!(own.tolerance > 0.0 && own.longest > 0.0 && own.max_steps >= 0))
        return out->status = cond_error_set(
                   NULL, COND_BAD_ARGUMENT,
                   "cond_sim_equilibrium: tolerance, max_steps and longest must be positive");
    Statics s = {.def = &own, .info = out};
    CondStatus status = create(&s, sim, state, &error);
    if (!status)
        status = iterate(&s, state);
    if (status == COND_OK || status == COND_NOT_CONVERGED) {
        rest(&s, s.at, state);
        CondStatus kept = cond_state_copy(state, s.at);
        status = kept ? kept : status;
    }
    if (status)
        status = refuse(&s, sim, status);
    destroy(&s);
    return out->status = status;
}

CondStatus cond_sim_equilibrium_sized(CondSim* sim, CondState* state, const CondEquilibriumDef* def,
                                      CondEquilibriumInfo* info, size_t size)
{
    COND_SIZED(CondStatus, CondEquilibriumInfo, info, size,
               sim_equilibrium_whole(sim, state, def, it));
}
