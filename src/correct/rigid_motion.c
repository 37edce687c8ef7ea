// A contact problem in which soft bodies and rods move as if they were rigid: v = B r, where B
// holds the six rigid motions of each of them and the identity for all others.
#include "correct/rigid_motion.h"

#include "base/memory.h"
#include "body/body.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/rod.h"
#include "problem/block.h"

#include <string.h>

enum { RIGID = 6 }; // velocity of the centre of mass, angular velocity, both in world axes

static int is_reduced(const CondBody* body)
{
    return body->kind == COND_BODY_SOFT || body->kind == COND_BODY_ROD;
}

void cond_rigid_motion_destroy(CondRigidMotion* motion)
{
    cond_arena_release(&motion->arena);
}

static CondStatus prepare(const CondModel* model, CondRigidMotion* motion)
{
    CondArena* m = &motion->arena;
    int n_body = model->n_body, n_dof = model->n_dof;
    m->context = model->arena.context;
    if (COND_RESERVE(m, motion->dof_begin, n_body + 1) || COND_RESERVE(m, motion->body_of, n_dof) ||
        COND_RESERVE(m, motion->centre, 3 * n_body) ||
        COND_RESERVE(m, motion->basis, RIGID * n_dof) || COND_RESERVE(m, motion->block, n_body) ||
        COND_RESERVE(m, motion->values, RIGID * RIGID * n_body) ||
        COND_RESERVE(m, motion->b, n_dof) || COND_RESERVE(m, motion->column, 2 * n_dof))
        return COND_OUT_OF_MEMORY;
    motion->n_reduced = 0;
    for (int b = 0; b < n_body; b++) {
        const CondBody* body = &model->body[b];
        motion->dof_begin[b + 1] = motion->dof_begin[b] + (is_reduced(body) ? RIGID : body->n_dof);
        motion->n_reduced += is_reduced(body);
        for (int i = 0; i < body->n_dof; i++)
            motion->body_of[body->dof_begin + i] = b;
    }
    return COND_OK;
}

// B of a body, about its centre, and its block B' A B.
static void reduce_block(const CondBody* body, const double* q, const CondBlock* block,
                         CondRigidMotion* motion)
{
    const CondBodyOps* ops = cond_body_ops(body->kind);
    double *column = motion->column, *product = column + body->n_dof;
    double* basis = motion->basis + (ptrdiff_t)RIGID * body->dof_begin;
    double* values = motion->values + (ptrdiff_t)(RIGID * RIGID) * body->index;
    memset(column, 0, (size_t)body->n_dof * sizeof *column); // at rest
    CondPose pose = ops->pose(body, q, column);
    memcpy(motion->centre + 3 * body->index, pose.position, sizeof pose.position);
    for (int k = 0; k < RIGID; k++) {
        double twist[RIGID] = {0.0};
        twist[k] = 1.0;
        ops->drift(body, q, twist, pose.position, column);
        for (int i = 0; i < body->n_dof; i++)
            basis[RIGID * i + k] = column[i];
    }
    for (int k = 0; k < RIGID; k++) {
        for (int i = 0; i < body->n_dof; i++)
            column[i] = basis[RIGID * i + k];
        cond_block_multiply(block, column, NULL, product, 1);
        for (int l = 0; l < RIGID; l++) {
            double* value = &values[RIGID * l + k];
            *value = 0.0;
            for (int i = 0; i < body->n_dof; i++)
                *value += basis[RIGID * i + l] * product[i];
        }
    }
    for (int k = 0; k < RIGID; k++) // to the last bit
        for (int l = 0; l < k; l++)
            values[RIGID * k + l] = values[RIGID * l + k];
}

// Columns of J in v become columns of J B in r; each coordinate is listed once.
typedef struct Reduced {
    int n_row, n;
    int* coordinate;
    double* jacobian; // by columns until all are there                     (n x n_row)
} Reduced;

static void add_column(Reduced* out, int coordinate, double factor, const double* column,
                       int stride)
{
    int k = 0;
    while (k < out->n && out->coordinate[k] != coordinate)
        k++;
    if (k == out->n) {
        out->coordinate[out->n++] = coordinate;
        memset(out->jacobian + k * out->n_row, 0, (size_t)out->n_row * sizeof *out->jacobian);
    }
    for (int i = 0; i < out->n_row; i++)
        out->jacobian[k * out->n_row + i] += factor * column[i * stride];
}

// One column of J: coordinate `at` of v is the product of a row of B with r.
static void reduce_column(const CondModel* model, const CondRigidMotion* motion, int at,
                          const double* column, int stride, Reduced* out)
{
    int b = motion->body_of[at], first = motion->dof_begin[b];
    const double* row = motion->basis + (ptrdiff_t)RIGID * at;
    if (!is_reduced(&model->body[b]))
        add_column(out, first + at - model->body[b].dof_begin, 1.0, column, stride);
    for (int k = 0; k < RIGID && is_reduced(&model->body[b]); k++)
        if (row[k] != 0.0)
            add_column(out, first + k, row[k], column, stride);
}

// J B at the end of the pools, which have capacity for it; returns its number of columns.
static int reduce_rows(const CondModel* model, CondRigidMotion* motion, int n_row, int n_coordinate,
                       const int* coordinate, const double* J)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}; // a node's
    double* rows = motion->jacobian + motion->n_jacobian;
    Reduced out = {.n_row = n_row,
                   .coordinate = motion->coordinate + motion->n_coordinate,
                   .jacobian = rows + 3 * (size_t)n_row * (size_t)n_coordinate};
    for (int i = 0; i < n_coordinate; i++)
        reduce_column(model, motion, coordinate[i], (J ? J : unit) + i, n_coordinate, &out);
    for (int i = 0; i < n_row; i++)
        for (int k = 0; k < out.n; k++)
            rows[i * out.n + k] = out.jacobian[k * n_row + i];
    motion->n_coordinate += out.n;
    motion->n_jacobian += n_row * out.n;
    return out.n;
}

// Capacity for everything, so that nothing moves while it is filled: a coordinate of v depends on
// three of r at most.
static CondStatus reserve(const CondProblem* full, CondRigidMotion* motion)
{
    CondArena* m = &motion->arena;
    int coordinates = 0, numbers = 0, last = 0;
    for (int c = 0; c < 2 * full->n_contact; c++) {
        int n = 3 * full->contact[c / 2].side[c % 2].n_coordinate;
        coordinates += n;
        numbers += 3 * n;
        last = 3 * n > last ? 3 * n : last;
    }
    for (int i = 0; i < full->n_coupling; i++) {
        int n = 3 * full->coupling[i].n_coordinate, rows = full->coupling[i].n_row;
        coordinates += n;
        numbers += rows * n;
        last = rows * n > last ? rows * n : last;
    }
    if (COND_RESERVE(m, motion->contact, full->n_contact) ||
        COND_RESERVE(m, motion->coupling, full->n_coupling) ||
        COND_RESERVE(m, motion->coordinate, coordinates) ||
        COND_RESERVE(m, motion->jacobian, numbers + last))
        return COND_OUT_OF_MEMORY;
    motion->n_coordinate = motion->n_jacobian = 0;
    return COND_OK;
}

static void reduce_contact(const CondModel* model, const CondContact* full, CondRigidMotion* motion,
                           CondContact* out)
{
    *out = *full;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &full->side[s];
        out->side[s].coordinate = motion->coordinate + motion->n_coordinate;
        out->side[s].jacobian = motion->jacobian + motion->n_jacobian;
        out->side[s].n_coordinate =
            reduce_rows(model, motion, 3, side->n_coordinate, side->coordinate, side->jacobian);
        if (!side->jacobian && out->side[s].n_coordinate == 3)
            out->side[s].jacobian = NULL; // still a node
    }
}

CondStatus cond_rigid_motion_reduce(const CondKinematics* kinematics, const CondAssembly* assembly,
                                    CondRigidMotion* motion)
{
    const CondModel* model = kinematics->model;
    const CondProblem* full = &assembly->problem;
    CondStatus status = prepare(model, motion);
    if (!status)
        status = reserve(full, motion);
    if (status)
        return status;
    memset(motion->b, 0, (size_t)motion->dof_begin[model->n_body] * sizeof *motion->b);
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double *own = motion->b + motion->dof_begin[b], *values = motion->values;
        motion->block[b] = full->block[b];
        if (is_reduced(body)) {
            reduce_block(body, kinematics->q + body->q_begin, &full->block[b], motion);
            motion->block[b] = (CondBlock){.kind = COND_BLOCK_DENSE,
                                           .n_dof = RIGID,
                                           .values = values + (ptrdiff_t)(RIGID * RIGID) * b};
        }
        motion->block[b].dof_begin = motion->dof_begin[b];
        for (int i = 0; i < body->n_dof; i++) {
            const double* row = motion->basis + (ptrdiff_t)RIGID * (body->dof_begin + i);
            for (int k = 0; k < RIGID && is_reduced(body); k++)
                own[k] += row[k] * full->b[body->dof_begin + i];
            if (!is_reduced(body))
                own[i] = full->b[body->dof_begin + i];
        }
    }
    for (int i = 0; i < full->n_coupling; i++) {
        const CondCoupling* from = &full->coupling[i];
        CondCoupling* to = &motion->coupling[i];
        *to = *from;
        to->coordinate = motion->coordinate + motion->n_coordinate;
        to->jacobian = motion->jacobian + motion->n_jacobian;
        to->n_coordinate = reduce_rows(model, motion, from->n_row, from->n_coordinate,
                                       from->coordinate, from->jacobian);
    }
    for (int c = 0; c < full->n_contact; c++)
        reduce_contact(model, &full->contact[c], motion, &motion->contact[c]);
    motion->problem = (CondProblem){.n_dof = motion->dof_begin[model->n_body],
                                    .n_block = model->n_body,
                                    .n_coupling = full->n_coupling,
                                    .n_contact = full->n_contact,
                                    .block = motion->block,
                                    .coupling = motion->coupling,
                                    .contact = motion->contact,
                                    .b = motion->b};
    return COND_OK;
}

void cond_rigid_motion_expand(const CondKinematics* kinematics, const CondRigidMotion* motion,
                              const double* r, double* v)
{
    for (int b = 0; b < kinematics->model->n_body; b++) {
        const CondBody* body = &kinematics->model->body[b];
        const double *own = r + motion->dof_begin[b], *q = kinematics->q + body->q_begin;
        double* out = v + body->dof_begin;
        if (is_reduced(body))
            cond_body_ops(body->kind)->drift(body, q, own, motion->centre + 3 * b, out);
        else
            memcpy(out, own, (size_t)body->n_dof * sizeof *out);
    }
}

// x <- centre + t v + exp(t w) (x - centre), and the axes of links turned
static void move_rigidly(const double* centre, const double* motion, double t, int n, int stride,
                         double* x)
{
    double w[3], turn[4], R[9];
    for (int k = 0; k < 3; k++)
        w[k] = t * motion[3 + k];
    quat_exp(w, turn);
    quat_matrix(turn, R);
    for (int i = 0; i < n; i++, x += stride) {
        double arm[3], turned[3], axes[4];
        for (int k = 0; k < 3; k++)
            arm[k] = x[k] - centre[k];
        mat3_multiply(R, arm, turned);
        for (int k = 0; k < 3; k++)
            x[k] = centre[k] + t * motion[k] + turned[k];
        if (stride == 3)
            continue;
        quat_product(turn, x + 3, axes);
        quat_normalize(axes);
        memcpy(x + 3, axes, sizeof axes);
    }
}

void cond_rigid_motion_advance(const CondModel* model, const CondRigidMotion* motion,
                               const double* r, double t, double* q)
{
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double* own = r + motion->dof_begin[b];
        int soft = body->kind == COND_BODY_SOFT;
        if (!is_reduced(body)) {
            cond_body_ops(body->kind)->advance(body, own, t, q + body->q_begin);
            continue;
        }
        move_rigidly(motion->centre + 3 * b, own, t, soft ? body->fem->n_node : body->rod->n_link,
                     soft ? 3 : 7, q + body->q_begin);
    }
}
