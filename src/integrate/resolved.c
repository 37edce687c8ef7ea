// The filter of integrate/resolved.h, by conjugate gradients with the diagonal. Coordinates that
// are held have no difference and stay out.
#include "integrate/resolved.h"

#include "body/body.h"
#include "device/sum.h"
#include "law/tuning.h"
#include "linear/conjugate_gradients.h"
#include "problem/block.h"

#include <math.h>
#include <string.h>

enum { N_SCRATCH = 5 };

CondStatus cond_resolved_create(CondSim* sim)
{
    CondPieces* pieces = &sim->pieces;
    size_t n = (size_t)sim->model->n_dof;
    if (!pieces->resolved)
        pieces->resolved = cond_arena_allocate(&sim->arena, N_SCRATCH * n, sizeof(double));
    return pieces->resolved ? COND_OK : COND_OUT_OF_MEMORY;
}

static int vibrates(const CondSim* sim)
{
    const CondModel* model = sim->model;
    int any = model->n_spring > 0 || sim->next->n_weld > 0 || model->n_kind[COND_BODY_ROBOT] > 0;
    for (int b = 0; b < model->n_body && !any; b++)
        any = cond_body_deforms(&model->body[b]);
    return any;
}

typedef struct Filter {
    const CondSim* sim;
    double* diagonal;
} Filter;

static void multiply(const void* data, const double* x, double* y)
{
    const Filter* filter = data;
    const CondSim* sim = filter->sim;
    cond_problem_multiply_by(&sim->matrix.problem, x, y, sim->model->settings.solver.threads);
    for (int i = 0; i < sim->model->n_dof && sim->held.n > 0; i++)
        y[i] = sim->held.flag[i] ? filter->diagonal[i] * x[i] : y[i];
}

static void divide(const void* data, const double* r, double* z)
{
    const Filter* filter = data;
    for (int i = 0; i < filter->sim->model->n_dof; i++)
        z[i] = r[i] / filter->diagonal[i];
}

// x <- M x/t; and the matrix.
static CondStatus assemble(CondSim* sim, double t, int n, double* const* x)
{
    const CondModel* model = sim->model;
    CondCandidateList none = {.n = 0};
    double* step = sim->reach; // which the next step makes anew
    for (int k = 0; k < n; k++) {
        cond_assembly_multiply_masses(&sim->matrix, &sim->at_end, x[k], sim->pieces.resolved);
        for (int i = 0; i < model->n_dof; i++)
            x[k][i] = sim->held.flag[i] ? 0.0 : sim->pieces.resolved[i] / t;
    }
    for (int b = 0; b < model->n_body; b++)
        step[b] = t;
    sim->at_end.begin = NULL;                                         // not the middle of a step
    cond_assembly_begin(&sim->matrix, &sim->at_end, step, sim->work); // forces play no part
    CondStatus status =
        cond_sim_couple(sim, &sim->at_end, COND_COUPLED_ALL, step, &sim->matrix, sim->work);
    return status ? status
                  : cond_assembly_finish(&sim->matrix, &sim->at_end, NULL, &none, INFINITY);
}

CondStatus cond_resolved_parts(CondSim* sim, double t, int n, double* const* x)
{
    size_t n_dof = (size_t)sim->model->n_dof;
    int threads = sim->model->settings.solver.threads;
    double *r = sim->pieces.resolved, *scratch = r + n_dof;
    Filter filter = {sim, scratch + 3 * n_dof};
    if (!vibrates(sim))
        return COND_OK;
    CondStatus status = assemble(sim, t, n, x);
    if (status)
        return status;
    cond_problem_diagonal_by(&sim->matrix.problem, filter.diagonal, threads);
    for (int k = 0; k < n; k++) {
        double load = cond_dot_over((int)n_dof, filter.diagonal, x[k], x[k], threads);
        CondCgSystem system = {.A = {(int)n_dof, multiply, &filter},
                               .M = {divide, &filter},
                               .threads = threads,
                               .x = r,
                               .r = x[k],
                               .z = scratch,
                               .p = scratch + n_dof,
                               .q = scratch + 2 * n_dof};
        CondCg cg = {.context = &sim->arena.context,
                     .goal = load * COND_COARSE_TOLERANCE * COND_COARSE_TOLERANCE,
                     .max_products = (int)n_dof};
        memset(r, 0, n_dof * sizeof *r);
        if (load > 0.0)
            cond_cg_solve(&system, &cg);
        memcpy(x[k], r, n_dof * sizeof *r);
    }
    return COND_OK;
}
