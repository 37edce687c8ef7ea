// Places all bodies at a configuration (kinematics.h). Reads the model; writes the kinematics
// alone.
#include "body/kinematics.h"

#include "base/memory.h"
#include "body/body.h"
#include "linear/cholesky.h"

#include <string.h>

CondStatus cond_kinematics_create(const CondModel* model, CondKinematics* kinematics)
{
    const CondContext* m = &model->arena.context;
    kinematics->context = *m;
    kinematics->model = model;
    kinematics->arm = cond_allocate(m, (size_t)model->n_body, sizeof *kinematics->arm);
    int most = 0;
    for (int b = 0; b < model->n_body; b++)
        most = model->body[b].n_dof > most ? model->body[b].n_dof : most;
    kinematics->fem = cond_allocate(m, (size_t)model->n_body, sizeof *kinematics->fem);
    kinematics->elastic = cond_allocate(m, (size_t)most, sizeof(double));
    kinematics->list = cond_allocate(m, 2 * (size_t)model->max_point_dof, sizeof *kinematics->list);
    kinematics->columns = cond_allocate(m, 6 * (size_t)model->max_point_dof, sizeof(double));
    kinematics->frame_list = cond_allocate(m, 3 * (size_t)model->max_point_dof, sizeof(int));
    kinematics->frame_columns = cond_allocate(m, 12 * (size_t)model->max_point_dof, sizeof(double));
    kinematics->guide = cond_allocate(m, (size_t)model->n_trajectory, sizeof *kinematics->guide);
    if (!kinematics->arm || !kinematics->fem || !kinematics->elastic || !kinematics->list ||
        !kinematics->columns || !kinematics->frame_list || !kinematics->frame_columns ||
        !kinematics->guide)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        CondArmPosture* arm = &kinematics->arm[b];
        if (body->kind == COND_BODY_SOFT && cond_fem_work_create(body->fem, &kinematics->fem[b]))
            return COND_OUT_OF_MEMORY;
        if (body->kind != COND_BODY_ROBOT)
            continue;
        size_t size = (size_t)body->n_dof * (size_t)body->n_dof;
        CondStatus status = cond_articulation_work_create(m, body->arm, &arm->work, NULL);
        if (status)
            return status;
        arm->M = cond_allocate(m, size, sizeof(double));
        arm->L = cond_allocate(m, size, sizeof(double));
        arm->q = cond_allocate(m, (size_t)body->arm->n_q, sizeof(double));
        if (!arm->M || !arm->L || !arm->q)
            return COND_OUT_OF_MEMORY;
    }
    return COND_OK;
}

void cond_kinematics_destroy(CondKinematics* kinematics)
{
    const CondContext* m = &kinematics->context;
    if (!kinematics->model)
        return;
    for (int b = 0; b < kinematics->model->n_body && kinematics->arm; b++) {
        if (kinematics->arm[b].work)
            cond_articulation_work_destroy(kinematics->arm[b].work);
        cond_release(m, kinematics->arm[b].M);
        cond_release(m, kinematics->arm[b].L);
        cond_release(m, kinematics->arm[b].q);
    }
    for (int b = 0; b < kinematics->model->n_body && kinematics->fem; b++)
        if (kinematics->model->body[b].kind == COND_BODY_SOFT)
            cond_fem_work_destroy(kinematics->model->body[b].fem, &kinematics->fem[b]);
    cond_release(m, kinematics->arm);
    cond_release(m, kinematics->fem);
    cond_release(m, kinematics->elastic);
    cond_release(m, kinematics->list);
    cond_release(m, kinematics->columns);
    cond_release(m, kinematics->frame_list);
    cond_release(m, kinematics->frame_columns);
    cond_release(m, kinematics->guide);
    memset(kinematics, 0, sizeof *kinematics);
}

int cond_kinematics_spans(const CondKinematics* kinematics, int body)
{
    return kinematics->begin && kinematics->spans[body];
}

double cond_kinematics_damped(const CondKinematics* kinematics, int body)
{
    return cond_kinematics_spans(kinematics, body) ? kinematics->damped[body] : 0.0;
}

static int stands_at(const CondBody* body, const double* q, const CondArmPosture* arm)
{
    return arm->known && memcmp(arm->q, q, (size_t)body->arm->n_q * sizeof *q) == 0;
}

static void set_arm(const CondBody* body, const double* q, CondArmPosture* arm)
{
    cond_articulation_kinematics(body->arm, q, arm->work);
    memcpy(arm->q, q, (size_t)body->arm->n_q * sizeof *q);
    arm->has_mass = arm->has_factor = 0;
    arm->known = 1;
}

void cond_kinematics_set(CondKinematics* kinematics, const double* q)
{
    const CondModel* model = kinematics->model;
    kinematics->q = q;
    for (int b = 0; b < model->n_body && model->n_kind[COND_BODY_ROBOT] > 0; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            set_arm(&model->body[b], q + model->body[b].q_begin, &kinematics->arm[b]);
}

void cond_kinematics_set_from(CondKinematics* kinematics, CondKinematics* other, const double* q)
{
    const CondModel* model = kinematics->model;
    kinematics->q = q;
    for (int b = 0; b < model->n_body && model->n_kind[COND_BODY_ROBOT] > 0; b++) {
        const CondBody* body = &model->body[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        CondArmPosture *arm = &kinematics->arm[b], *stands = &other->arm[b], kept = *arm;
        if (!stands_at(body, q + body->q_begin, stands)) {
            set_arm(body, q + body->q_begin, arm);
            continue;
        }
        *arm = *stands;
        *stands = kept;
    }
}

void cond_kinematics_set_like(CondKinematics* kinematics, const CondKinematics* other,
                              const double* q)
{
    const CondModel* model = kinematics->model;
    kinematics->q = q;
    for (int b = 0; b < model->n_body && model->n_kind[COND_BODY_ROBOT] > 0; b++) {
        const CondBody* body = &model->body[b];
        const double* own = q + body->q_begin;
        CondArmPosture* arm = &kinematics->arm[b];
        if (body->kind != COND_BODY_ROBOT || stands_at(body, own, arm))
            continue;
        if (!other || !stands_at(body, own, &other->arm[b])) {
            set_arm(body, own, arm);
            continue;
        }
        cond_articulation_copy_kinematics(body->arm, other->arm[b].work, arm->work);
        memcpy(arm->q, own, (size_t)body->arm->n_q * sizeof *q);
        arm->has_mass = arm->has_factor = 0;
        arm->known = 1;
    }
}

void cond_kinematics_forget(CondKinematics* kinematics)
{
    for (int b = 0; b < kinematics->model->n_body; b++)
        kinematics->arm[b].known = 0;
}

const double* cond_kinematics_mass(const CondKinematics* kinematics, int body)
{
    CondArmPosture* arm = &kinematics->arm[body];
    if (!arm->has_mass)
        cond_articulation_mass(kinematics->model->body[body].arm, arm->work, arm->M);
    arm->has_mass = 1;
    return arm->M;
}

const double* cond_kinematics_mass_factor(const CondKinematics* kinematics, int body)
{
    CondArmPosture* arm = &kinematics->arm[body];
    size_t n = (size_t)kinematics->model->body[body].n_dof;
    if (!arm->has_factor) {
        memcpy(arm->L, cond_kinematics_mass(kinematics, body), n * n * sizeof *arm->L);
        cond_cholesky_factor((int)n, arm->L); // positive definite: the robot was checked
    }
    arm->has_factor = 1;
    return arm->L;
}

int cond_kinematics_point(const CondKinematics* kinematics, const CondPoint* point, double world[3],
                          int* coordinate, double* J)
{
    if (point->body < 0) {
        memcpy(world, point->local, 3 * sizeof *world);
        return 0;
    }
    const CondBody* body = &kinematics->model->body[point->body];
    return cond_body_ops(body->kind)->point(body, kinematics, point, world, coordinate, J);
}

int cond_kinematics_count(const CondKinematics* kinematics, const CondPoint* point)
{
    double world[3];
    if (point->body < 0)
        return 0;
    if (kinematics->model->body[point->body].kind == COND_BODY_RIGID)
        return 6;
    return cond_kinematics_point(kinematics, point, world, NULL, NULL);
}

int cond_kinematics_is_node(const CondModel* model, const CondPoint* point)
{
    if (point->body < 0)
        return 0;
    CondBodyKind kind = model->body[point->body].kind;
    return kind == COND_BODY_PARTICLE || (kind == COND_BODY_SOFT && point->n_node == 1);
}

int cond_kinematics_relative(const CondKinematics* kinematics, const CondPoint end[2],
                             double p[2][3], int* coordinate, double* J)
{
    int n[2], total;
    double* columns = kinematics->columns; // three numbers per coordinate of the merged list
    n[0] = cond_kinematics_point(kinematics, &end[0], p[0], kinematics->list, J);
    memcpy(coordinate, kinematics->list, (size_t)n[0] * sizeof *coordinate);
    for (int k = 0; k < n[0]; k++)
        for (int r = 0; r < 3; r++)
            columns[3 * k + r] = J[r * n[0] + k];
    total = n[0];
    n[1] = cond_kinematics_point(kinematics, &end[1], p[1], kinematics->list, J);
    for (int k = 0; k < n[1]; k++) {
        int at = 0;
        while (at < total && coordinate[at] != kinematics->list[k])
            at++;
        if (at == total) {
            coordinate[total++] = kinematics->list[k];
            columns[3 * at] = columns[3 * at + 1] = columns[3 * at + 2] = 0.0;
        }
        for (int r = 0; r < 3; r++)
            columns[3 * at + r] -= J[r * n[1] + k];
    }
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < total; k++)
            J[r * total + k] = columns[3 * k + r];
    return total;
}
