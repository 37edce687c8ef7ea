#include "integrate/tangent.h"

#include "body/body.h"
#include "integrate/tuning.h"
#include "math/vec3.h"
#include "potential/attachment.h"
#include "sim/sim.h"

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
    cond_block_lu_destroy(&tangent->lu);
    cond_arena_release(&tangent->arena);
}

int cond_tangent_serves(const CondSim* sim)
{
    const CondModel* model = sim->model;
    if (cond_sim_n_force(sim) > 0 || sim->held.n > 0 || !sim->at_end.begin)
        return 0;
    for (int b = 0; b < model->n_body; b++) {
        CondBodyKind kind = model->body[b].kind;
        if (kind != COND_BODY_RIGID && kind != COND_BODY_PARTICLE)
            return 0;
        if (!sim->linear[b] && !cond_kinematics_spans(&sim->at_end, b))
            return 0;
    }
    return 1;
}

// The two bodies of a coupling, the same one twice where it has but one; 0 where there are more,
// or their coordinates do not stand in order, or it has more rows than attachments and springs.
static int find_pair(const CondTangent* tangent, const CondCoupling* c, int pair[2])
{
    const int* at = c->coordinate;
    int n = c->n_coordinate, changes = 0, in_order = 1;
    pair[0] = tangent->node[at[0]];
    pair[1] = tangent->node[at[n - 1]];
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
    int n = sim->model->n_body;
    if (COND_RESERVE(&tangent->arena, tangent->size, n) ||
        COND_RESERVE(&tangent->arena, tangent->node, sim->model->n_dof) ||
        COND_RESERVE(&tangent->arena, tangent->pair, 2 * problem->n_coupling))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < n && !tangent->planned; b++) {
        const CondBody* body = &sim->model->body[b];
        tangent->size[b] = body->n_dof;
        for (int k = 0; k < body->n_dof; k++)
            tangent->node[body->dof_begin + k] = b;
    }
    *same = tangent->planned && tangent->n_pair == problem->n_coupling;
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
    status = cond_block_lu_begin(&tangent->lu, sim->model->n_body, tangent->size);
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

// M/h + [w]x I - [I w]x of a rigid body, from I dw/dt + w x I w; M/h of a particle, 1 of one that
// has no part in it.
static void add_body(CondSim* sim, int b)
{
    const CondBody* body = &sim->model->body[b];
    CondBlockLuEntry entry = cond_block_lu_block(&sim->tangent->lu, b, b);
    double h = sim->length[b], S[9], SI[9], L[3], SL[9];
    const double* w = sim->attempt.v_hat + body->dof_begin + 3;
    for (int i = 0; i < body->n_dof; i++)
        entry.value[i * (entry.row + 1)] = sim->linear[b] ? 1.0 : body->mass / h;
    if (sim->linear[b] || body->kind != COND_BODY_RIGID)
        return;
    mat3_cross(w, S);
    mat3_product(S, body->inertia, SI);
    mat3_multiply(body->inertia, w, L);
    mat3_cross(L, SL);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            entry.value[(3 + i) * entry.row + 3 + j] =
                body->inertia[3 * i + j] / h + SI[3 * i + j] - SL[3 * i + j];
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
static void add_coupling(CondTangent* tangent, const CondCoupling* c, const double* Y)
{
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
            B.value += (row - tangent->lu.first[i]) * B.row;
            B.value += (column - tangent->lu.first[j]) * B.column;
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
            CondBlockLuEntry entry = cond_block_lu_block(&sim->tangent->lu, b, b);
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

CondStatus cond_tangent_factor(CondSim* sim)
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
    for (int b = 0; b < sim->model->n_body; b++)
        add_body(sim, b);
    for (int i = 0; i < next->n_weld; i++)
        first -= has_coupling(&next->weld[i]);
    for (int i = 0, weld = 0; i < problem->n_coupling; i++) {
        const CondCoupling* c = &problem->coupling[i];
        if (c->n_row == 3)
            press(c, 3, Y);
        else
            press(c, c->n_row, Y);
        while (i >= first && !has_coupling(&next->weld[weld]))
            weld++;
        if (i >= first)
            correct(sim, &next->weld[weld++], c, Y);
        add_coupling(tangent, c, Y);
    }
    return cond_block_lu_factor(&tangent->lu) ? COND_DIVERGED : COND_OK;
}

void cond_tangent_solve(const CondSim* sim, double* x)
{
    for (int b = 0; b < sim->model->n_body; b++)
        if (sim->linear[b])
            memset(x + sim->model->body[b].dof_begin, 0,
                   (size_t)sim->model->body[b].n_dof * sizeof *x);
    cond_block_lu_solve(&sim->tangent->lu, x);
}
