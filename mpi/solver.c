// The function table that puts Newton's method of libcond on shares (solver.h).
#include "solver.h"

#include "base/memory.h"
#include "factored.h"
#include "law/tuning.h"
#include "newton/semismooth.h"
#include "newton/tuning.h"
#include "system.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Solver {
    CondContext context;
    CondMpiWorld* world;
    CondSolverSettings settings;
    CondMpiDeal deal;
    CondMpiShare share;
    CondMpiSystem system;
    CondMpiFactored factored;
    CondSemismooth newton;
    CondAnswer answer; // of the share
} Solver;

// ---- the back end of Newton's method

static CondStatus serves(CondSemismooth* newton, const CondProblem* problem, int* serves)
{
    (void)newton;
    (void)problem;
    *serves = 1;
    return COND_OK;
}

static CondStatus begin(CondSemismooth* newton)
{
    (void)newton;
    return COND_OK;
}

// As of one machine: more where a contact joins several nodes.
static double resist(const CondSemismooth* newton, const CondContact* contact)
{
    const CondMpiSystem* system = newton->other;
    PetscInt count = 0, last = -1;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < contact->side[s].n_coordinate; k++) {
            PetscInt index = system->index[contact->side[s].coordinate[k]];
            count += index >= 0 && index / 3 != last;
            last = index >= 0 ? index / 3 : last;
        }
    return count > 1 ? COND_RESISTANCE_NODES : COND_RESISTANCE_ITERATIVE;
}

static CondStatus build(CondSemismooth* newton, const CondProblem* problem)
{
    (void)problem;
    return cond_mpi_system_build(newton->other, newton->law,
                                 newton->follows && newton->slipping > 0);
}

static int solve_system(CondSemismooth* newton, double* f, double* x, int max_products)
{
    int most = max_products < COND_STEP_PRODUCTS ? max_products : COND_STEP_PRODUCTS;
    return cond_mpi_system_solve(
        newton->other, f, x, newton->follows ? COND_FULL_REDUCTION : COND_GROUPED_REDUCTION, most);
}

static CondStatus build_factored(CondSemismooth* newton, const CondProblem* problem)
{
    (void)problem;
    return cond_mpi_factored_build(newton->other, newton->law);
}

static int solve_factored(CondSemismooth* newton, double* f, double* x, int max_products)
{
    (void)max_products;
    return cond_mpi_factored_solve(newton->other, f, x);
}

static const CondLinearBackEnd by_factorisation = {.resistance = COND_RESISTANCE_FACTORED,
                                                   .serves = serves,
                                                   .build = build_factored,
                                                   .solve = solve_factored};

static const CondLinearBackEnd back_end = {.resistance = COND_RESISTANCE_ITERATIVE,
                                           .symmetric = 1,
                                           .serves = serves,
                                           .build = build,
                                           .begin = begin,
                                           .resist = resist,
                                           .solve = solve_system};

// ---- the solver

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    Solver* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    s->context = *context;
    s->world = context->user;
    s->settings = *settings;
    s->deal.arena.context = s->share.arena.context = s->system.arena.context =
        s->factored.arena.context = *context;
    cond_semismooth_create(context, settings, &s->newton);
    return s;
}

static void destroy(void* work)
{
    Solver* s = work;
    if (!s)
        return;
    CondContext context = s->context;
    cond_mpi_system_destroy(&s->system);
    cond_mpi_factored_destroy(&s->factored);
    cond_mpi_share_destroy(&s->share);
    cond_mpi_deal_destroy(&s->deal);
    cond_semismooth_destroy(&s->newton);
    cond_answer_destroy(&s->answer);
    cond_release(&context, s);
}

static const double* history(const void* work, int* n)
{
    (void)work;
    *n = 0;
    return NULL;
}

// Owners: those of the model where the problem is one of its steps, else by its own graph.
static CondStatus deal_out(Solver* s, const CondProblem* problem)
{
    const CondMpiWorld* world = s->world;
    if (!world->owner || world->n_dof != problem->n_dof)
        return cond_mpi_deal_out(&s->deal, problem, world->size);
    CondStatus status = cond_mpi_deal_units(&s->deal, problem);
    if (!status)
        memcpy(s->deal.owner, world->owner, (size_t)problem->n_dof * sizeof *world->owner);
    return status;
}

static CondCertificateData certificate_data(const Solver* s)
{
    const CondMpiShare* share = &s->share;
    return (CondCertificateData){.problem = &share->problem,
                                 .law = s->settings.law,
                                 .omega = s->settings.omega,
                                 .diagonal = share->diagonal,
                                 .delassus = share->delassus,
                                 .compliance = share->compliance,
                                 .carried = share->carried,
                                 .bounded = share->bounded,
                                 .ranks = &share->ranks,
                                 .threads = 1};
}

static CondStatus run_newton(Solver* s, const CondLinearBackEnd* end, void* work,
                             CondSemismoothLimits limits, CondSolveInfo* info)
{
    CondCertificateData data = certificate_data(s);
    limits.tolerance = s->settings.tolerance;
    limits.max_products = s->settings.max_iterations - info->iterations;
    s->newton.other = work;
    if (limits.max_products <= 0)
        return COND_NOT_CONVERGED;
    return cond_semismooth_solve(&s->newton, end, &data, &limits, &s->answer, info);
}

// Newton's method from the answer at hand: by conjugate gradients, and where they stall by a
// factorisation, with free steps and then with resistance against changes of the forces.
static CondStatus solve_share(Solver* s, CondSolveInfo* info)
{
    static const CondSemismoothLimits ways[] = {
        {.max_steps = COND_PATIENT_STEPS},
        {.max_steps = COND_PATIENT_STEPS,
         .resistance = COND_WARM_DAMPING,
         .patience = COND_NEWTON_STEPS},
    };
    CondStatus status = cond_mpi_system_plan(&s->system, &s->share);
    info->solved_by = COND_BY_NEWTON;
    if (!status)
        status = run_newton(s, &back_end, &s->system, (CondSemismoothLimits){.max_steps = INT_MAX},
                            info);
    cond_mpi_system_clear(&s->system);
    if (status != COND_NOT_CONVERGED)
        return status;
    info->solved_by = COND_BY_FACTORED_NEWTON;
    CondStatus planned = cond_mpi_factored_plan(&s->factored, &s->share);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0] && !planned && status > 0; k++)
        status = run_newton(s, &by_factorisation, &s->factored, ways[k], info);
    cond_mpi_factored_clear(&s->factored);
    return planned ? planned : status;
}

static CondStatus solve(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info)
{
    Solver* s = work;
    info->certificate.worst_contact = -1;
    info->certificate.dynamics = info->certificate.contact = INFINITY;
    CondStatus status = deal_out(s, problem);
    if (!status)
        status = cond_mpi_share_take(&s->share, s->world, &s->deal, problem);
    if (!status)
        status = cond_answer_reserve(&s->context, &s->share.problem, &s->answer);
    if (status)
        return status;
    cond_semismooth_plan(&s->newton);
    cond_mpi_share_enter(&s->share, v, lambda, s->answer.v, s->answer.lambda);
    s->answer.residual = INFINITY;
    status = solve_share(s, info);
    if (status < 0)
        return status;
    CondCertificateData data = certificate_data(s);
    info->certificate = s->answer.certificate;
    cond_certificate_detail(&data, s->answer.v, s->answer.lambda, &info->certificate);
    if (status || info->passes == 0)
        info->solved_by = status ? COND_BY_NONE : COND_BY_START;
    CondStatus left =
        cond_mpi_share_leave(&s->share, &s->deal, s->answer.v, s->answer.lambda, v, lambda);
    return left ? left : isfinite(s->answer.residual) ? status : COND_DIVERGED;
}

static const CondSolverOps ops = {
    .name = "petsc", .create = create, .solve = solve, .history = history, .destroy = destroy};

static void* allocate(size_t bytes, void* user)
{
    (void)user;
    return malloc(bytes);
}

static void release(void* memory, void* user)
{
    (void)user;
    free(memory);
}

CondStatus cond_mpi_solver_create(CondMpiWorld* world, const CondSolverSettings* settings,
                                  CondSolver** solver, CondError* error)
{
    CondContext context = {.allocate = allocate, .release = release, .user = world};
    CondSolverSettings own = *settings;
    own.threads = 1;
    return cond_solver_create_from(&context, &ops, &own, solver, error);
}
