#include "correct/rigid_motion.h"

#include "base/memory.h"
#include "body/body.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/rod.h"

#include <string.h>

enum {
    RIGID = 6,   // velocity of the centre of mass, angular velocity, both in world axes
    COLUMNS = 3, // of r that a coordinate of v depends on, at most
};

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
    const CondContext* m = &model->arena.context;
    size_t n_body = (size_t)model->n_body, n_dof = (size_t)model->n_dof;
    if (motion->ready)
        return COND_OK;
    cond_rigid_motion_destroy(motion); // what an attempt that failed has left
    *motion = (CondRigidMotion){.arena.context = *m};
    motion->dof_begin = cond_arena_allocate(&motion->arena, n_body + 1, sizeof *motion->dof_begin);
    motion->body_of = cond_arena_allocate(&motion->arena, n_dof, sizeof *motion->body_of);
    motion->centre = cond_arena_allocate(&motion->arena, 3 * n_body, sizeof *motion->centre);
    motion->block = cond_arena_allocate(&motion->arena, n_body, sizeof *motion->block);
    motion->values =
        cond_arena_allocate(&motion->arena, RIGID * RIGID * n_body, sizeof *motion->values);
    motion->b = cond_arena_allocate(&motion->arena, n_dof, sizeof *motion->b);
    if (!motion->dof_begin || !motion->body_of || !motion->centre || !motion->block ||
        !motion->values || !motion->b)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        motion->dof_begin[b + 1] = motion->dof_begin[b] + (is_reduced(body) ? RIGID : body->n_dof);
        motion->n_reduced += is_reduced(body);
        for (int i = 0; i < body->n_dof; i++)
            motion->body_of[body->dof_begin + i] = b;
    }
    motion->ready = 1;
    return COND_OK;
}

// Nodes of a soft body or links of a rod: their masses and how far apart they lie in q.
static int parts_of(const CondBody* body, const double** mass, int* stride)
{
    int soft = body->kind == COND_BODY_SOFT;
    *mass = soft ? body->fem->mass : body->rod->mass;
    *stride = soft ? 3 : 7;
    return soft ? body->fem->n_node : body->rod->n_link;
}

// I += R diag(inertia) R'/step of a rod's link.
static void add_link_inertia(const CondRod* rod, int link, const double* q, double step, double* I)
{
    double R[9];
    quat_matrix(q + 3, R);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            for (int j = 0; j < 3; j++)
                I[RIGID * k + l] += R[3 * k + j] * rod->inertia[3 * link + j] / step * R[3 * l + j];
}

// M/step of a body as it is now: mass, and inertia sum m (r'r I - r r') about its centre.
static void reduce_block(const CondBody* body, const double* q, double step, double* centre,
                         double* values)
{
    const double* mass;
    int stride, n = parts_of(body, &mass, &stride);
    double total = 0.0, *I = values + 3 * RIGID + 3;
    memset(centre, 0, 3 * sizeof *centre);
    memset(values, 0, RIGID * RIGID * sizeof *values);
    for (int i = 0; i < n; i++) {
        total += mass[i];
        for (int k = 0; k < 3; k++)
            centre[k] += mass[i] * q[stride * i + k];
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= total;
    for (int i = 0; i < n; i++) {
        double r[3];
        for (int k = 0; k < 3; k++)
            r[k] = q[stride * i + k] - centre[k];
        double square = vec3_dot(r, r);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                I[RIGID * k + l] += mass[i] / step * ((k == l ? square : 0.0) - r[k] * r[l]);
        if (body->kind == COND_BODY_ROD)
            add_link_inertia(body->rod, i, q + (size_t)stride * (size_t)i, step, I);
    }
    for (int k = 0; k < 3; k++)
        values[RIGID * k + k] = total / step;
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

// One column of J: coordinate `at` of v is (v + w x r)_a of a node or a link, or (R' w)_a of a
// link.
static void reduce_column(const CondKinematics* kinematics, const CondRigidMotion* motion, int at,
                          const double* column, int stride, Reduced* out)
{
    int b = motion->body_of[at];
    const CondBody* body = &kinematics->model->body[b];
    int first = motion->dof_begin[b], own = at - body->dof_begin;
    if (!is_reduced(body)) {
        add_column(out, first + own, 1.0, column, stride);
        return;
    }
    int rod = body->kind == COND_BODY_ROD, part = own / (rod ? 6 : 3);
    const double* x = kinematics->q + body->q_begin + (rod ? 7 : 3) * part;
    const double* c = motion->centre + 3 * b;
    int a = own % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
    if (rod && own % 6 >= 3) {
        double R[9];
        quat_matrix(x + 3, R);
        for (int k = 0; k < 3; k++)
            add_column(out, first + 3 + k, R[3 * k + a], column, stride);
        return;
    }
    add_column(out, first + a, 1.0, column, stride);
    add_column(out, first + 3 + a1, x[a2] - c[a2], column, stride);
    add_column(out, first + 3 + a2, -(x[a1] - c[a1]), column, stride);
}

// J B at the end of the pools, which have room for it; returns its number of columns.
static int reduce_rows(const CondKinematics* kinematics, CondRigidMotion* motion, int n_row,
                       int n_coordinate, const int* coordinate, const double* J)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}; // a node's
    double* rows = motion->jacobian + motion->n_jacobian;
    Reduced out = {.n_row = n_row,
                   .coordinate = motion->coordinate + motion->n_coordinate,
                   .jacobian = rows + (size_t)n_row * COLUMNS * (size_t)n_coordinate};
    for (int i = 0; i < n_coordinate; i++)
        reduce_column(kinematics, motion, coordinate[i], (J ? J : unit) + i, n_coordinate, &out);
    for (int i = 0; i < n_row; i++)
        for (int k = 0; k < out.n; k++)
            rows[i * out.n + k] = out.jacobian[k * n_row + i];
    motion->n_coordinate += out.n;
    motion->n_jacobian += n_row * out.n;
    return out.n;
}

// Room for everything, so that nothing moves while it is filled.
static CondStatus reserve(const CondProblem* full, CondRigidMotion* motion)
{
    CondArena* m = &motion->arena;
    int coordinates = 0, numbers = 0, last = 0;
    for (int c = 0; c < 2 * full->n_contact; c++) {
        int n = COLUMNS * full->contact[c / 2].side[c % 2].n_coordinate;
        coordinates += n;
        numbers += 3 * n;
        last = 3 * n > last ? 3 * n : last;
    }
    for (int i = 0; i < full->n_coupling; i++) {
        int n = COLUMNS * full->coupling[i].n_coordinate, rows = full->coupling[i].n_row;
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

static void reduce_contact(const CondKinematics* kinematics, const CondContact* full,
                           CondRigidMotion* motion, CondContact* out)
{
    *out = *full;
    for (int s = 0; s < 2; s++) {
        const CondSide* side = &full->side[s];
        out->side[s].coordinate = motion->coordinate + motion->n_coordinate;
        out->side[s].jacobian = motion->jacobian + motion->n_jacobian;
        out->side[s].n_coordinate = reduce_rows(kinematics, motion, 3, side->n_coordinate,
                                                side->coordinate, side->jacobian);
        if (!side->jacobian && out->side[s].n_coordinate == 3)
            out->side[s].jacobian = NULL; // still a node
    }
}

// b_r = B' b: forces and torques about the centres.
static void reduce_forces(const CondKinematics* kinematics, const double* b,
                          CondRigidMotion* motion)
{
    const CondModel* model = kinematics->model;
    memset(motion->b, 0, (size_t)motion->dof_begin[model->n_body] * sizeof *motion->b);
    for (int i = 0; i < model->n_dof; i++) {
        int coordinate[COLUMNS];
        double column[COLUMNS];
        const double one = 1.0;
        Reduced out = {.n_row = 1, .coordinate = coordinate, .jacobian = column};
        if (b[i] == 0.0)
            continue;
        reduce_column(kinematics, motion, i, &one, 1, &out);
        for (int k = 0; k < out.n; k++)
            motion->b[coordinate[k]] += column[k] * b[i];
    }
}

CondStatus cond_rigid_motion_reduce(const CondKinematics* kinematics, const CondAssembly* assembly,
                                    double step, CondRigidMotion* motion)
{
    const CondModel* model = kinematics->model;
    const CondProblem* full = &assembly->problem;
    CondStatus status = prepare(model, motion);
    if (!status)
        status = reserve(full, motion);
    if (status)
        return status;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        double* values = motion->values + RIGID * RIGID * (size_t)b;
        motion->block[b] = full->block[b];
        if (is_reduced(body)) {
            reduce_block(body, kinematics->q + body->q_begin, step, motion->centre + 3 * b, values);
            motion->block[b] =
                (CondBlock){.kind = COND_BLOCK_DENSE, .n_dof = RIGID, .values = values};
        }
        motion->block[b].dof_begin = motion->dof_begin[b];
    }
    for (int i = 0; i < full->n_coupling; i++) {
        const CondCoupling* from = &full->coupling[i];
        CondCoupling* to = &motion->coupling[i];
        *to = *from;
        to->coordinate = motion->coordinate + motion->n_coordinate;
        to->jacobian = motion->jacobian + motion->n_jacobian;
        to->n_coordinate = reduce_rows(kinematics, motion, from->n_row, from->n_coordinate,
                                       from->coordinate, from->jacobian);
    }
    for (int c = 0; c < full->n_contact; c++)
        reduce_contact(kinematics, &full->contact[c], motion, &motion->contact[c]);
    reduce_forces(kinematics, full->b, motion);
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
    const CondModel* model = kinematics->model;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double *own = r + motion->dof_begin[b], *x = kinematics->q + body->q_begin, *mass;
        double* out = v + body->dof_begin;
        int stride;
        if (!is_reduced(body)) {
            memcpy(out, own, (size_t)body->n_dof * sizeof *out);
            continue;
        }
        int n = parts_of(body, &mass, &stride), width = stride == 3 ? 3 : 6;
        for (int i = 0; i < n; i++, x += stride, out += width) { // v + w x (x - centre), R' w
            double arm[3], turn[3], R[9];
            for (int k = 0; k < 3; k++)
                arm[k] = x[k] - motion->centre[3 * b + k];
            vec3_cross(own + 3, arm, turn);
            for (int k = 0; k < 3; k++)
                out[k] = own[k] + turn[k];
            if (width == 3)
                continue;
            quat_matrix(x + 3, R);
            mat3_multiply_transposed(R, own + 3, out + 3);
        }
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
        const double *own = r + motion->dof_begin[b], *mass;
        int stride;
        if (!is_reduced(body)) {
            cond_body_ops(body->kind)->advance(body, own, t, q + body->q_begin);
            continue;
        }
        int n = parts_of(body, &mass, &stride);
        move_rigidly(motion->centre + 3 * b, own, t, n, stride, q + body->q_begin);
    }
}
