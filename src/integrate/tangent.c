// The derivative of Newton's equation for groups of rigid bodies, particles and robots without
// contacts, held together by attachments and springs.
#include "integrate/tangent.h"

#include "base/memory.h"
#include "body/body.h"
#include "body/gyroscopic.h"
#include "integrate/group.h"
#include "integrate/momenta.h"
#include "integrate/tuning.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 6, MOST_COLUMNS = 12 };

void cond_tangent_begin(const CondContext* context, CondTangent* tangent)
{
    memset(tangent, 0, sizeof *tangent);
    tangent->arena.context = tangent->lu.order.arena.context = *context;
}

void cond_tangent_end(CondTangent* tangent)
{
    for (int i = 0; tangent->moved && i < 2 * tangent->n_body; i++) {
        if (tangent->work[i])
            cond_articulation_work_destroy(tangent->work[i]);
        if (tangent->moved[i])
            cond_articulation_work_destroy(tangent->moved[i]);
    }
    cond_block_lu_destroy(&tangent->lu);
    cond_arena_release(&tangent->arena);
}

// 1 where the derivative of a body's part of the equation is known.
static int is_known(const CondSim* sim, int b)
{
    CondBodyKind kind = sim->model->body[b].kind;
    if (sim->held.n > 0 && cond_held_some(sim, b))
        return 0;
    if (kind == COND_BODY_ROBOT)
        return cond_newton_has_momenta(sim, b);
    return (kind == COND_BODY_RIGID || kind == COND_BODY_PARTICLE) &&
           (sim->linear[b] || cond_kinematics_spans(&sim->at_end, b));
}

static CondStatus make_work(const CondArena* arena, const CondArticulation* arm,
                            CondArticulationWork** work)
{
    return *work ? COND_OK : cond_articulation_work_create(&arena->context, arm, work, NULL);
}

static CondStatus reserve(CondSim* sim)
{
    CondTangent* tangent = sim->tangent;
    CondArena* m = &tangent->arena;
    const CondModel* model = sim->model;
    int n = model->n_body, most = 0;
    for (int b = 0; b < n; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            most = model->body[b].n_dof > most ? model->body[b].n_dof : most;
    if (COND_RESERVE(m, tangent->body, n) || COND_RESERVE(m, tangent->of, n) ||
        COND_RESERVE(m, tangent->size, n) || COND_RESERVE(m, tangent->served, n) ||
        COND_RESERVE(m, tangent->was, n) || COND_RESERVE(m, tangent->node, model->n_dof) ||
        COND_RESERVE(m, tangent->x, model->n_dof) || COND_RESERVE(m, tangent->q, model->n_q) ||
        COND_RESERVE(m, tangent->robot, 3 * most) || COND_RESERVE(m, tangent->work, 2 * n) ||
        COND_RESERVE(m, tangent->moved, 2 * n))
        return COND_OUT_OF_MEMORY;
    tangent->n_body = n;
    for (int b = 0; b < n; b++)
        for (int k = 2 * b; k < 2 * b + 2 && model->body[b].kind == COND_BODY_ROBOT; k++)
            if (make_work(m, model->body[b].arm, &tangent->work[k]) ||
                make_work(m, model->body[b].arm, &tangent->moved[k]))
                return COND_OUT_OF_MEMORY;
    return COND_OK;
}

int cond_tangent_serves(CondSim* sim, CondStatus* status)
{
    CondTangent* tangent = sim->tangent;
    const CondGroups* groups = sim->groups;
    int any = 0, n = sim->model->n_body;
    *status = COND_OK;
    if (!sim->at_end.begin)
        return 0;
    for (int b = 0; b < n && !any; b++)
        any = !sim->linear[b] && !groups->touched[groups->of[b]] && is_known(sim, b);
    *status = any ? reserve(sim) : COND_OK;
    if (!any || *status)
        return 0;
    int* served = tangent->served;
    for (int g = 0; g < groups->n; g++)
        served[g] = 0;
    for (int b = 0; b < n; b++)
        served[groups->of[b]] |= !sim->linear[b];
    for (int g = 0; g < groups->n; g++)
        served[g] &= !groups->touched[g];
    for (int b = 0; b < n; b++)
        served[groups->of[b]] &= is_known(sim, b);
    for (int r = 0; r < sim->rows.n; r++)
        served[groups->of[sim->rows.row[r].body]] = 0;
    any = 0;
    for (int g = 0; g < groups->n; g++)
        any |= served[g];
    return any;
}

// Numbers the bodies of the groups that are served; *same: they are those of the last layout.
static void number(CondSim* sim, int* same)
{
    CondTangent* tangent = sim->tangent;
    const CondGroups* groups = sim->groups;
    int n = 0;
    *same = tangent->planned;
    for (int b = 0; b < sim->model->n_body; b++) {
        int is = tangent->served[groups->of[b]];
        *same = *same && is == tangent->was[b];
    }
    if (*same)
        return;
    for (int b = 0; b < sim->model->n_body; b++) {
        const CondBody* body = &sim->model->body[b];
        tangent->was[b] = tangent->served[groups->of[b]];
        tangent->of[b] = tangent->was[b] ? n : -1;
        for (int k = 0; k < body->n_dof; k++)
            tangent->node[body->dof_begin + k] = tangent->of[b];
        if (!tangent->was[b])
            continue;
        tangent->body[n] = b;
        tangent->size[n++] = body->n_dof;
    }
    tangent->n_node = n;
}

// The two nodes of a coupling, the same one twice where it has but one, -1 where it is not served;
// 0 where there are more, or their coordinates do not stand in order, or it has more rows than
// attachments and springs.
static int find_pair(const CondTangent* tangent, const CondCoupling* c, int pair[2])
{
    const int* at = c->coordinate;
    int n = c->n_coordinate, changes = 0, in_order = 1;
    pair[0] = tangent->node[at[0]];
    pair[1] = tangent->node[at[n - 1]];
    if (pair[0] < 0 || pair[1] < 0)
        return 1;
    for (int k = 1; k < n; k++) {
        int next = tangent->node[at[k]] != tangent->node[at[k - 1]];
        changes += next;
        in_order &= next || at[k] == at[k - 1] + 1;
    }
    return in_order && changes == (pair[0] != pair[1]) && c->n_row <= MOST_ROWS &&
           n <= MOST_COLUMNS;
}

// Notes which bodies meet; *same: it is as it was.
static CondStatus note_pairs(CondSim* sim, int* same)
{
    CondTangent* tangent = sim->tangent;
    const CondProblem* problem = &sim->attempt.assembly.problem;
    if (COND_RESERVE(&tangent->arena, tangent->pair, 2 * problem->n_coupling))
        return COND_OUT_OF_MEMORY;
    number(sim, same);
    *same = *same && tangent->n_pair == problem->n_coupling;
    tangent->n_pair = problem->n_coupling;
    for (int i = 0; i < problem->n_coupling; i++) {
        int pair[2];
        if (!find_pair(tangent, &problem->coupling[i], pair))
            return COND_NOT_SUPPORTED;
        *same = *same && memcmp(pair, tangent->pair + 2 * (size_t)i, sizeof pair) == 0;
        memcpy(tangent->pair + 2 * (size_t)i, pair, sizeof pair);
    }
    return COND_OK;
}

static CondStatus plan(CondSim* sim)
{
    CondTangent* tangent = sim->tangent;
    int same = 0, fits = 0;
    CondStatus status = note_pairs(sim, &same);
    tangent->planned = !status && same;
    if (status || same)
        return status;
    status = cond_block_lu_begin(&tangent->lu, tangent->n_node, tangent->size);
    for (int i = 0; i < tangent->n_pair && !status; i++) {
        const int* pair = tangent->pair + 2 * (size_t)i;
        if (pair[0] != pair[1])
            status = cond_block_lu_join(&tangent->lu, pair[0], pair[1]);
    }
    if (!status)
        status = cond_block_lu_plan(&tangent->lu, COND_TANGENT_WORK, &fits);
    tangent->planned = !status && fits;
    return status || fits ? status : COND_NOT_SUPPORTED;
}

// M/h + T of a rigid body, T the derivative of the gyroscopic torque; M/h of a particle, 1 of one
// that has no part in it.
static void add_body(CondSim* sim, int b, CondBlockLuEntry entry)
{
    const CondBody* body = &sim->model->body[b];
    double h = sim->length[b], T[9];
    const double* w = sim->attempt.v_hat + body->dof_begin + 3;
    for (int i = 0; i < body->n_dof; i++)
        entry.value[i * (entry.row + 1)] = sim->linear[b] ? 1.0 : body->mass / h;
    if (sim->linear[b] || body->kind != COND_BODY_RIGID)
        return;
    cond_gyroscopic_derivative(body->inertia, sim->newton.start + body->dof_begin + 3, w, h, T);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            entry.value[(3 + i) * entry.row + 3 + j] = body->inertia[3 * i + j] / h + T[3 * i + j];
}

// The links of a robot at the middle (0) and the end (1) of the step by a velocity: all of them, or
// those that coordinate dof moves.
static void lead(CondSim* sim, const CondState* state, const CondBody* body, const double* v,
                 int dof, CondArticulationWork* const work[2])
{
    double* q = sim->tangent->q;
    for (int e = 0; e < 2; e++) {
        memcpy(q, state->q + body->q_begin, (size_t)body->n_q * sizeof *q);
        cond_articulation_advance(body->arm, v, (1 + e) * sim->length[body->index], q);
        if (dof < 0)
            cond_articulation_kinematics(body->arm, q, work[e]);
        else
            cond_articulation_kinematics_of(body->arm, q, dof, work[e]);
    }
}

// Of a robot: its block of A without M/h, and the derivative of what stands for M dv/dt + C v and
// weight by differences, each with the links where the velocity leads.
static void add_robot(CondSim* sim, const CondState* state, int b, CondBlockLuEntry entry)
{
    const CondBody* body = &sim->model->body[b];
    CondTangent* tangent = sim->tangent;
    CondMomentaStep step = cond_newton_momenta(sim, b);
    const CondArticulation* arm = body->arm;
    int n = body->n_dof;
    double *v = tangent->robot, *here = v + n, *there = here + n, h = sim->length[b];
    const double* A = sim->attempt.assembly.problem.block[b].values;
    const double* M = cond_kinematics_mass(&sim->at_end, b);
    memcpy(v, sim->attempt.v_hat + body->dof_begin, (size_t)n * sizeof *v);
    CondArticulationWork *const *base = tangent->work + 2 * (ptrdiff_t)b, *const *work =
                                                                              tangent->moved +
                                                                              2 * (ptrdiff_t)b;
    lead(sim, state, body, v, -1, base);
    for (int e = 0; e < 2; e++)
        cond_articulation_copy_kinematics(arm, base[e], work[e]);
    step.middle = work[0];
    step.end = work[1];
    cond_momenta_begin(&step);
    cond_momenta_rate(&step, v, here);
    for (int k = 0; k < n; k++) {
        double kept = v[k];
        v[k] += sqrt(DBL_EPSILON) * (1.0 + fabs(kept));
        lead(sim, state, body, v, k, work);
        cond_momenta_rate(&step, v, there);
        for (int e = 0; e < 2; e++)
            cond_articulation_put_back(arm, base[e], work[e]);
        for (int i = 0; i < n; i++)
            entry.value[i * entry.row + k] = A[i * n + k] - M[i * n + k] / h +
                                             (there[i] - here[i]) / (v[k] - kept) +
                                             (i == k ? arm->armature[k] / h : 0.0);
        v[k] = kept;
    }
}

// B += J_a' Y_b: rows and columns of two bodies.                  J (rows x n), Y (rows x n)
typedef struct Product {
    const double *J, *Y;
    int n, rows, height, width;
} Product;

static inline __attribute__((always_inline)) void
add_product(const Product* p, int rows, int height, int width, CondBlockLuEntry B)
{
    for (int k = 0; k < height; k++)
        for (int l = 0; l < width; l++) {
            double sum = 0.0;
            for (int r = 0; r < rows; r++)
                sum += p->J[r * p->n + k] * p->Y[r * p->n + l];
            B.value[k * B.row + l * B.column] += sum;
        }
}

// The same of points of rigid bodies with loops that the compiler knows.
static void add_one(const Product* p, CondBlockLuEntry B)
{
    if (p->rows == 3 && p->height == 6 && p->width == 6)
        add_product(p, 3, 6, 6, B);
    else
        add_product(p, p->rows, p->height, p->width, B);
}

// J' Y of a coupling, Y having its rows and columns; those of a body stand together, in order.
static void add_coupling(const CondSim* sim, const CondCoupling* c, const double* Y)
{
    const CondTangent* tangent = sim->tangent;
    const CondModel* model = sim->model;
    int n = c->n_coordinate, begin[3] = {0, 0, n};
    while (begin[1] < n &&
           tangent->node[c->coordinate[begin[1]]] == tangent->node[c->coordinate[0]])
        begin[1]++;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            if (begin[a] == begin[a + 1] || begin[b] == begin[b + 1])
                continue;
            int row = c->coordinate[begin[a]], column = c->coordinate[begin[b]];
            int i = tangent->node[row], j = tangent->node[column];
            CondBlockLuEntry B = cond_block_lu_block(&tangent->lu, i, j);
            B.value += (row - model->body[tangent->body[i]].dof_begin) * B.row;
            B.value += (column - model->body[tangent->body[j]].dof_begin) * B.column;
            add_one(&(Product){c->jacobian + begin[a], Y + begin[b], n, c->n_row,
                               begin[a + 1] - begin[a], begin[b + 1] - begin[b]},
                    B);
        }
}

// Y = K J
static inline __attribute__((always_inline)) void press(const CondCoupling* c, int rows, double* Y)
{
    int n = c->n_coordinate;
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < n; l++) {
            double sum = 0.0;
            for (int s = 0; s < rows; s++)
                sum += c->gain[r * rows + s] * c->jacobian[s * n + l];
            Y[r * n + l] = sum;
        }
}

// What A leaves out of an attachment: levers at the end of the step, in the columns of the turning
// coordinates, and forces seen from bodies that turn.
static void correct(CondSim* sim, const CondWeld* weld, const CondCoupling* c, double* Y)
{
    CondWeldTurning turning;
    int n = c->n_coordinate, column = 0;
    if (weld->what.end[0].point.body == weld->what.end[1].point.body)
        return;
    cond_weld_turning(&sim->at_end, weld, sim->attempt.v_hat, sim->attempt.time_step, &turning);
    for (int e = 0; e < 2; e++) {
        int b = weld->what.end[e].point.body;
        if (b < 0)
            continue;
        double h = sim->length[b], k = weld->what.stiffness[0];
        if (turning.turns[e]) {
            int at = sim->tangent->of[b];
            CondBlockLuEntry entry = cond_block_lu_block(&sim->tangent->lu, at, at);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    Y[i * n + column + 3 + j] += h * k * turning.lever[e][3 * i + j];
                    entry.value[(3 + i) * entry.row + 3 + j] += h * turning.force[e][3 * i + j];
                }
        }
        column += sim->model->body[b].n_dof;
    }
}

// 1 where an attachment has a coupling, which comes after those of all else in their order.
static int has_coupling(const CondWeld* weld)
{
    return weld->active && !cond_weld_is_exact(weld);
}

CondStatus cond_tangent_factor(CondSim* sim, const CondState* state)
{
    const CondProblem* problem = &sim->attempt.assembly.problem;
    const CondState* next = sim->next;
    CondTangent* tangent = sim->tangent;
    int first = problem->n_coupling;
    double Y[MOST_ROWS * MOST_COLUMNS];
    CondStatus status = plan(sim);
    if (status)
        return status;
    cond_block_lu_clear(&tangent->lu);
    for (int i = 0; i < tangent->n_node; i++) {
        CondBlockLuEntry entry = cond_block_lu_block(&tangent->lu, i, i);
        if (sim->model->body[tangent->body[i]].kind == COND_BODY_ROBOT)
            add_robot(sim, state, tangent->body[i], entry);
        else
            add_body(sim, tangent->body[i], entry);
    }
    for (int i = 0; i < next->n_weld; i++)
        first -= has_coupling(&next->weld[i]);
    for (int i = 0, weld = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        while (i >= first && !has_coupling(&next->weld[weld]))
            weld++;
        const CondWeld* held = i >= first ? &next->weld[weld++] : NULL;
        if (tangent->pair[2 * (size_t)i] < 0)
            continue;
        if (c->n_row == 3)
            press(c, 3, Y);
        else
            press(c, c->n_row, Y);
        if (held)
            correct(sim, held, c, Y);
        add_coupling(sim, c, Y);
    }
    return cond_block_lu_factor(&tangent->lu) ? COND_DIVERGED : COND_OK;
}

void cond_tangent_solve(const CondSim* sim, double* x)
{
    const CondTangent* tangent = sim->tangent;
    const CondModel* model = sim->model;
    double* y = tangent->x;
    for (int i = 0; i < tangent->n_node; i++) {
        const CondBody* body = &model->body[tangent->body[i]];
        size_t bytes = (size_t)body->n_dof * sizeof *x;
        if (sim->linear[body->index])
            memset(y + tangent->lu.first[i], 0, bytes);
        else
            memcpy(y + tangent->lu.first[i], x + body->dof_begin, bytes);
    }
    cond_block_lu_solve(&tangent->lu, y, 1);
    memset(x, 0, (size_t)model->n_dof * sizeof *x);
    for (int i = 0; i < tangent->n_node; i++) {
        const CondBody* body = &model->body[tangent->body[i]];
        memcpy(x + body->dof_begin, y + tangent->lu.first[i], (size_t)body->n_dof * sizeof *x);
    }
}
