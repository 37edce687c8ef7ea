#include "body/posture.h"

#include "base/memory.h"
#include "body/body.h"
#include "linear/cholesky.h"

#include <string.h>

CondStatus cond_posture_create(const CondModel* model, CondPosture* posture)
{
    const CondContext* m = &model->arena.context;
    posture->context = *m;
    posture->model = model;
    posture->arm = cond_allocate(m, (size_t)model->n_body, sizeof *posture->arm);
    int most = 0;
    for (int b = 0; b < model->n_body; b++)
        most = model->body[b].n_dof > most ? model->body[b].n_dof : most;
    posture->fem = cond_allocate(m, (size_t)model->n_body, sizeof *posture->fem);
    posture->elastic = cond_allocate(m, (size_t)most, sizeof(double));
    posture->list = cond_allocate(m, 2 * (size_t)model->max_point_dof, sizeof *posture->list);
    posture->columns = cond_allocate(m, 6 * (size_t)model->max_point_dof, sizeof(double));
    posture->frame_list = cond_allocate(m, 3 * (size_t)model->max_point_dof, sizeof(int));
    posture->frame_columns = cond_allocate(m, 12 * (size_t)model->max_point_dof, sizeof(double));
    posture->guide = cond_allocate(m, (size_t)model->n_trajectory, sizeof *posture->guide);
    if (!posture->arm || !posture->fem || !posture->elastic || !posture->list ||
        !posture->columns || !posture->frame_list || !posture->frame_columns || !posture->guide)
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        CondArmPosture* arm = &posture->arm[b];
        if (body->kind == COND_BODY_SOFT && cond_fem_work_create(body->fem, &posture->fem[b]))
            return COND_OUT_OF_MEMORY;
        if (body->kind != COND_BODY_ROBOT)
            continue;
        size_t size = (size_t)body->n_dof * (size_t)body->n_dof;
        CondStatus status = cond_articulation_work_create(m, body->arm, &arm->work, NULL);
        if (status)
            return status;
        arm->M = cond_allocate(m, size, sizeof(double));
        arm->L = cond_allocate(m, size, sizeof(double));
        if (!arm->M || !arm->L)
            return COND_OUT_OF_MEMORY;
    }
    return COND_OK;
}

void cond_posture_destroy(CondPosture* posture)
{
    const CondContext* m = &posture->context;
    if (!posture->model)
        return;
    for (int b = 0; b < posture->model->n_body && posture->arm; b++) {
        if (posture->arm[b].work)
            cond_articulation_work_destroy(posture->arm[b].work);
        cond_release(m, posture->arm[b].M);
        cond_release(m, posture->arm[b].L);
    }
    for (int b = 0; b < posture->model->n_body && posture->fem; b++)
        if (posture->model->body[b].kind == COND_BODY_SOFT)
            cond_fem_work_destroy(posture->model->body[b].fem, &posture->fem[b]);
    cond_release(m, posture->arm);
    cond_release(m, posture->fem);
    cond_release(m, posture->elastic);
    cond_release(m, posture->list);
    cond_release(m, posture->columns);
    cond_release(m, posture->frame_list);
    cond_release(m, posture->frame_columns);
    cond_release(m, posture->guide);
    memset(posture, 0, sizeof *posture);
}

int cond_posture_spans(const CondPosture* posture, int body)
{
    return posture->begin && posture->spans[body];
}

void cond_posture_set(CondPosture* posture, const double* q)
{
    const CondModel* model = posture->model;
    posture->q = q;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const CondArmPosture* arm = &posture->arm[b];
        if (body->kind != COND_BODY_ROBOT)
            continue;
        cond_articulation_kinematics(body->arm, q + body->q_begin, arm->work);
        cond_articulation_mass(body->arm, arm->work, arm->M);
        memcpy(arm->L, arm->M, (size_t)body->n_dof * (size_t)body->n_dof * sizeof *arm->L);
        cond_cholesky_factor(body->n_dof, arm->L); // positive definite: the robot was checked
    }
}

int cond_posture_point(const CondPosture* posture, const CondPoint* point, double world[3],
                       int* coordinate, double* J)
{
    if (point->body < 0) {
        memcpy(world, point->local, 3 * sizeof *world);
        return 0;
    }
    const CondBody* body = &posture->model->body[point->body];
    return cond_body_ops(body->kind)->point(body, posture, point, world, coordinate, J);
}

int cond_posture_is_node(const CondModel* model, const CondPoint* point)
{
    if (point->body < 0)
        return 0;
    CondBodyKind kind = model->body[point->body].kind;
    return kind == COND_BODY_PARTICLE || (kind == COND_BODY_SOFT && point->part == 1);
}

int cond_posture_relative(const CondPosture* posture, const CondPoint end[2], double p[2][3],
                          int* coordinate, double* J)
{
    int n[2], total;
    double* columns = posture->columns; // three numbers per coordinate of the merged list
    n[0] = cond_posture_point(posture, &end[0], p[0], posture->list, J);
    memcpy(coordinate, posture->list, (size_t)n[0] * sizeof *coordinate);
    for (int k = 0; k < n[0]; k++)
        for (int r = 0; r < 3; r++)
            columns[3 * k + r] = J[r * n[0] + k];
    total = n[0];
    n[1] = cond_posture_point(posture, &end[1], p[1], posture->list, J);
    for (int k = 0; k < n[1]; k++) {
        int at = 0;
        while (at < total && coordinate[at] != posture->list[k])
            at++;
        if (at == total) {
            coordinate[total++] = posture->list[k];
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
