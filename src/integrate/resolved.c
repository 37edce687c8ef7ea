// The filter of integrate/resolved.h, by conjugate gradients with the diagonal. Coordinates that
// are held have no difference and stay out.
#include "integrate/resolved.h"

#include "base/parallel.h"
#include "body/body.h"
#include "law/tuning.h"
#include "linear/conjugate_gradients.h"
#include "problem/block.h"

#include <math.h>
#include <string.h>

enum { N_SCRATCH = 6 };

CondStatus cond_resolved_create(CondSim* sim)
{
    CondPieces* pieces = &sim->pieces;
    size_t n = (size_t)sim->model->n_dof;
    if (!pieces->resolved)
        pieces->resolved =
            cond_arena_allocate(&sim->arena, (COND_RESOLVED_MOST + N_SCRATCH) * n, sizeof(double));
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

// p = M x/t; and the matrix.
static CondStatus assemble(CondSim* sim, double t, int n, double* const* x, double* p)
{
    const CondModel* model = sim->model;
    CondCandidateList none = {.n = 0};
    double* step = sim->reach; // which the next step makes anew
    for (int k = 0; k < n; k++)
        cond_assembly_multiply_masses(&sim->matrix, &sim->at_end, x[k],
                                      p + (size_t)k * (size_t)model->n_dof);
    for (int i = 0; i < n * model->n_dof; i++)
        p[i] /= t;
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
    double *p = sim->pieces.resolved, *scratch = p + COND_RESOLVED_MOST * n_dof;
    Filter filter = {sim, scratch + 4 * n_dof};
    if (!vibrates(sim))
        return COND_OK;
    CondStatus status = assemble(sim, t, n, x, p);
    if (status)
        return status;
    cond_problem_diagonal_by(&sim->matrix.problem, filter.diagonal,
                             sim->model->settings.solver.threads);
    for (int k = 0; k < n; k++) {
        CondCgSystem system = {.A = {(int)n_dof, multiply, &filter},
                               .M = {divide, &filter},
                               .threads = sim->model->settings.solver.threads,
                               .x = x[k],
                               .r = p + (size_t)k * n_dof,
                               .z = scratch,
                               .p = scratch + n_dof,
                               .q = scratch + 2 * n_dof};
        CondCg cg = {.context = &sim->arena.context, .max_products = (int)n_dof};
        double load = 0.0;
        for (size_t i = 0; i < n_dof; i++) {
            double b = sim->held.flag[i] ? 0.0 : system.r[i];
            load += b * b / filter.diagonal[i];
            system.r[i] = b;
            x[k][i] = 0.0;
        }
        cg.goal = load * COND_COARSE_TOLERANCE * COND_COARSE_TOLERANCE;
        if (load > 0.0)
            cond_cg_solve(&system, &cg);
    }
    return COND_OK;
}
