// The stages: V-FPI, Newton's method with either linear solver, the interior-point method.
#include "law/tuning.h"
#include "strategy/strategy.h"

#include "base/memory.h"
#include "newton/tuning.h"
#include "soft/tuning.h"
#include "strategy/tuning.h"

#include <limits.h>
#include <math.h>

static CondStatus run_vfpi(CondStrategy* s, int max_iterations, int max_outer, CondSolveInfo* info)
{
    CondVfpiEnd end = COND_VFPI_LIMIT;
    if (cond_cancelled(&s->context))
        return COND_CANCELLED;
    CondStatus status = cond_device_matrix_fetch(s->newton.soft.matrix, s->vfpi.nodal.problem);
    if (!status)
        status = cond_vfpi_run(&s->vfpi, max_iterations, max_outer, &s->best, info, &end);
    s->diverged = end == COND_VFPI_DIVERGED;
    return status || end == COND_VFPI_DONE ? status : COND_NOT_CONVERGED;
}

// All iterations where nothing else serves the problem; else a few, before Newton's method.
CondStatus cond_stage_vfpi(CondStrategy* s, CondSolveInfo* info)
{
    if (!s->small)
        return run_vfpi(s, s->asked.max_iterations, s->asked.max_outer, info);
    return run_vfpi(s, COND_STEP_PRODUCTS, COND_RESTART_VFPI, info);
}

// Newton's method from s->best.
static CondStatus run_newton(CondStrategy* s, const CondLinearBackEnd* back_end,
                             CondSemismoothLimits limits, CondSolveInfo* info)
{
    CondCertificateData data = cond_strategy_certificate_data(s);
    limits.tolerance = s->settings.tolerance;
    return cond_semismooth_solve(&s->newton, back_end, &data, &limits, &s->best, info);
}

static CondStatus run_iterative(CondStrategy* s, int max_products, int may_follow, int gives_way,
                                CondSolveInfo* info)
{
    CondSemismoothLimits limits = {.max_steps = INT_MAX,
                                   .max_products = max_products,
                                   .gives_way = gives_way,
                                   .by_rows = 1,
                                   .may_follow = may_follow};
    return run_newton(s, &cond_back_end_iterative, limits, info);
}

static CondStatus run_factored(CondStrategy* s, int steps, CondSolveInfo* info)
{
    CondSemismoothLimits limits = {.max_steps = steps, .max_products = INT_MAX, .by_rows = s->soft};
    return run_newton(s, &cond_back_end_factored, limits, info);
}

// 1 for many rigid bodies in contact: where Newton's method goes to and fro there, damping its
// steps does not help.
static int is_pile(const CondStrategy* s)
{
    return s->large && !s->vfpi.nodal.bounded;
}

// Steps that resist changes of the forces.
static CondStatus run_resisting(CondStrategy* s, CondSolveInfo* info)
{
    int pile = is_pile(s);
    CondSemismoothLimits limits = {
        .max_steps = COND_PATIENT_STEPS,
        .max_products = INT_MAX,
        .resistance = COND_WARM_DAMPING,
        .patience = pile ? COND_STALL : COND_NEWTON_STEPS,
        .brief = pile,
        .at_least = s->stale,
        .by_rows = s->soft,
    };
    return run_newton(s, &cond_back_end_factored, limits, info);
}

// 1 where factoring the problem costs no more than COND_MOST_PRODUCTS, or than the iterations that
// were made in vain: then both together cost at most twice as much as the cheaper one alone.
static CondStatus can_factor(CondStrategy* s, int products, int* can)
{
    *can = 0;
    s->newton.factored.allowed = fmax(COND_MOST_PRODUCTS, products);
    return s->small ? cond_back_end_factored.serves(&s->newton, s->vfpi.nodal.problem, can)
                    : COND_OK;
}

// Newton's method again from the pair that the solve began with, each step solved a hundred times
// better; the better pair stands. Where elements are poor, a residual of a tenth may leave all of
// the velocities at the contacts wrong, and from such steps contacts close and open for ever.
static CondStatus run_sharp(CondStrategy* s, int max_products, CondSolveInfo* info)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    CondStatus status = cond_answer_reserve(&s->context, problem, &s->central);
    if (status)
        return status;
    cond_answer_copy(problem, &s->best, &s->central);
    cond_answer_copy(problem, &s->start, &s->best);
    s->best.residual = INFINITY;
    status = run_iterative(s, max_products, 0, 0, info);
    cond_soft_back_end_blunt(&s->newton.soft);
    if (!(s->best.residual <= s->central.residual))
        cond_answer_copy(problem, &s->central, &s->best);
    return status;
}

// 1 for a contact whose sides are both nodes of soft bodies.
static int is_between_soft(const CondSoftSystem* system, const CondContact* contact)
{
    for (int i = 0; i < 2; i++)
        if (contact->side[i].n_coordinate == 0 || system->node[contact->side[i].coordinate[0]] < 0)
            return 0;
    return 1;
}

// 1 where even a dense factorisation costs no more than COND_MOST_PRODUCTS: no plan is needed to
// know that it is cheap.
static int is_cheap_dense(const CondProblem* problem)
{
    double product = 0.0, n = problem->n_dof;
    for (int b = 0; b < problem->n_block; b++)
        for (int i = 0; i < problem->block[b].n_dof; i++)
            product += cond_block_row_size(&problem->block[b], i);
    return n * n * n <= COND_MOST_PRODUCTS * product;
}

// 1 for a small problem in which more than a quarter of the contacts join several nodes. In large
// ones, as of a robot's pads on a ball, a plan of the factorisation costs as much as the solve by
// conjugate gradients.
static int is_small_redundant(const CondStrategy* s)
{
    const CondSoftSystem* system = &s->newton.soft.system;
    const CondProblem* problem = s->vfpi.nodal.problem;
    int several = 0;
    for (int c = 0; c < problem->n_contact; c++)
        several += system->joins[c] == COND_JOINS_SEVERAL;
    return 4 * several > problem->n_contact && is_cheap_dense(problem);
}

// Contacts between layers of soft surfaces. They are redundant, and conjugate gradients, which do
// not bear small resistances, creep.
static int count_layered(const CondStrategy* s)
{
    const CondSoftSystem* system = &s->newton.soft.system;
    const CondProblem* problem = s->vfpi.nodal.problem;
    int between = 0;
    for (int k = 0; k < system->n_other; k++)
        between += is_between_soft(system, &problem->contact[system->other[k]]);
    return between;
}

// Newton steps of at most so many products, from a start that is at most this far.
static CondStatus run_few(CondStrategy* s, int steps, int products, double near,
                          CondSolveInfo* info)
{
    CondSemismoothLimits limits = {
        .max_steps = steps, .max_products = products, .near = near, .by_rows = 1};
    return run_newton(s, &cond_back_end_iterative, limits, info);
}

// A small mesh has a few products where two Newton steps, each to a tenth, can do, or where a step
// takes only a quarter of them. Beyond that a factorisation costs less time than the products of a
// Newton step with its preconditioner, and a solve takes half as many steps. *factor is 1 where
// that is so.
static CondStatus try_small(CondStrategy* s, int most, CondSolveInfo* info, int* factor)
{
    double near = s->settings.tolerance / (COND_INNER_REDUCTION * COND_INNER_REDUCTION);
    int few = most < COND_GROUP_AFTER ? most : COND_GROUP_AFTER, before = info->cg_iterations;
    *factor = 0;
    if (!s->small || s->left_out >> COND_BY_FACTORED_NEWTON & 1 ||
        s->newton.soft.system.n_node >= COND_SOFT_SMALL)
        return COND_NOT_CONVERGED;
    CondStatus status = run_few(s, INT_MAX, few, near, info);
    if (status == COND_NOT_CONVERGED && info->cg_iterations == before) {
        status = run_few(s, 1, few / 4, 0.0, info);
        if (status == COND_NOT_CONVERGED && info->cg_iterations - before < few / 4)
            status = run_few(s, INT_MAX, few, 0.0, info);
    }
    CondStatus known = status > 0 ? can_factor(s, 0, factor) : COND_OK;
    *factor &= s->newton.factored.price <= COND_STEP_PRODUCTS / 3;
    return known ? known : status;
}

// Newton's method with conjugate gradients, unless redundant contacts are better factored. Where it
// stalls and the problem is too dear to factor, once more with sharper steps where those before
// were poor, then restarts: a while of V-FPI sorts out which contacts slip and which stick, twice
// as long each time, and in the later ones friction follows the normal force within a step.
CondStatus cond_stage_newton(CondStrategy* s, CondSolveInfo* info)
{
    int most = s->settings.max_iterations, before = info->products, can = 0;
    int layered = count_layered(s), small = is_small_redundant(s);
    CondStatus planned = layered > 0 || small ? can_factor(s, 0, &can) : COND_OK;
    if (planned || (can && (small || 6 * layered > s->vfpi.nodal.problem->n_contact)))
        return planned ? planned : COND_NOT_CONVERGED;
    int factor = 0;
    CondStatus status = try_small(s, most - info->iterations, info, &factor);
    if (status != COND_NOT_CONVERGED || factor)
        return status;
    status = run_iterative(s, most - info->iterations, 0, can, info);
    for (int k = 0; status > 0; k++) {
        int spent = info->products - before, factored;
        CondStatus known = can_factor(s, spent, &factored);
        if (known || factored || k == COND_RESTARTS)
            return known ? known : status;
        if (cond_soft_back_end_sharpen(&s->newton.soft)) {
            status = run_sharp(s, most - info->iterations, info);
            k--; // no restart
            continue;
        }
        status = run_vfpi(s, COND_RESTART_VFPI << k, COND_RESTART_VFPI, info);
        double left = s->small ? s->newton.factored.price - spent : INFINITY;
        if (status > 0)
            status = run_iterative(s, (int)fmin(most - info->iterations, left),
                                   k >= COND_RESTARTS / 2 - 1, 0, info);
    }
    return status;
}

// Free steps, to a fraction of the tolerance: what is left within it would add up over the steps of
// a joint at rest. The better pair stands.
static CondStatus sharpen(CondStrategy* s, int steps, CondSolveInfo* info)
{
    double tolerance = s->settings.tolerance;
    s->settings.tolerance = COND_SHARPER * tolerance;
    CondStatus status = run_factored(s, steps, info);
    s->settings.tolerance = tolerance;
    if (status < 0)
        return status;
    return s->best.residual <= tolerance ? COND_OK : COND_NOT_CONVERGED;
}

CondStatus cond_stage_rehearse(CondStrategy* s, int* products)
{
    CondSolveInfo info = {.status = COND_OK};
    s->settings.tolerance = 0.0;
    CondStatus status = run_factored(s, 2, &info); // the second keeps what the first has made
    *products += info.products;
    return status;
}

// 1 where free steps move no forces about that redundant contacts share, and there are forces to
// begin with: joints that are bounded, one body, a few bodies with no more rows of contacts than
// coordinates.
static int is_plain(const CondStrategy* s)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    int n = problem->n_dof, nc = problem->n_contact, forces = 0;
    for (int i = 0; i < 3 * nc && !forces; i++)
        forces = s->start.lambda[i] != 0.0;
    return forces && (s->vfpi.nodal.bounded || problem->n_block == 1 ||
                      (n <= COND_TINY_PROBLEM && 3 * nc <= n));
}

// Steps that resist changes of the forces, and one that does not where joints are bounded.
static CondStatus resist(CondStrategy* s, CondSolveInfo* info)
{
    CondStatus status = run_resisting(s, info);
    return status == COND_OK && s->vfpi.nodal.bounded ? sharpen(s, 1, info) : status;
}

// From one step to the next most contacts stay what they are, and then a free step is exact;
// limits, friction and motors of joints do so above all. Two more are for contacts that change.
// Where these do not do, steps that resist go on from the better of them, and end just within the
// tolerance.
static CondStatus solve_free_first(CondStrategy* s, CondSolveInfo* info)
{
    CondStatus status = sharpen(s, 3, info);
    return status == COND_NOT_CONVERGED ? resist(s, info) : status;
}

// Newton's method with a factorisation. From the forces of the last step, steps that resist changes
// of them come first: among redundant contacts, as of layers of cloth, free ones move the forces
// about. Soft problems, and those of a few bodies with such contacts, take free ones after them.
// Rods, whose contacts are not redundant, take free steps alone, and more of them.
CondStatus cond_stage_factored_newton(CondStrategy* s, CondSolveInfo* info)
{
    if (s->rods)
        return run_factored(s, COND_PATIENT_STEPS, info);
    int few = !s->vfpi.nodal.bounded && s->vfpi.nodal.n_dof <= COND_TINY_PROBLEM;
    CondStatus status = s->soft       ? run_resisting(s, info)
                        : is_plain(s) ? solve_free_first(s, info)
                                      : resist(s, info);
    return status > 0 && (s->soft || few) ? run_factored(s, COND_NEWTON_STEPS, info) : status;
}

// Proximal-point steps, at most so many of Newton's.
static CondStatus run_proximal(CondStrategy* s, int steps, const CondAnswer* start,
                               CondSolveInfo* info)
{
    CondCertificateData data = cond_strategy_certificate_data(s);
    CondStatus status =
        cond_proximal_point_solve(&s->proximal, &s->newton, &data, s->settings.tolerance, steps,
                                  is_pile(s), start, &s->best, info);
    return status < 0 ? status : COND_OK;
}

// 1 for a pile whose budget leaves the last resort out, because the time step can still be halved:
// the wall that four starts and thousands of proximal-point steps do not solve has an answer for
// half the step after a few hundred.
static int is_limited(const CondStrategy* s)
{
    return !s->last_resort && is_pile(s);
}

// After the interior-point method: proximal-point steps from its pair. Where that did not get near,
// once from the pair that the solve began with, the last answer of a simulation.
static CondStatus polish(CondStrategy* s, int* from_start, CondSolveInfo* info)
{
    int near = s->best.residual <= COND_CENTRAL_FROM || *from_start;
    int steps = is_limited(s) ? COND_PROXIMAL_DIVISIBLE : COND_PROXIMAL_ALL;
    *from_start |= !near;
    return run_proximal(s, steps, near ? &s->best : &s->start, info);
}

// Where Newton's method got near a few proximal-point steps from there; else, and where these do
// not do, the interior-point method to where rounding stops it, then polishing; where that ends too
// early, the same again from the middle of the cone with other forces, which leads another way, and
// the better pair stands. A pile whose step can be halved has the first start alone.
CondStatus cond_stage_interior_point(CondStrategy* s, CondSolveInfo* info)
{
    static const CondCentralStart starts[] = {
        {.force = 0.1, .near = COND_CENTRAL_NEAR, .theta = 0.9},
        {.force = 0.1, .near = 1.0, .theta = 1.0},
        {.force = 1.0, .near = 1.0, .theta = 0.9},
        {.force = 1.0, .near = 1.0, .theta = 1.0},
    };
    enum { N_START = sizeof starts / sizeof starts[0] };
    const CondProblem* problem = s->vfpi.nodal.problem;
    CondCertificateData data = cond_strategy_certificate_data(s);
    double tolerance = s->settings.tolerance;
    CondStatus status = cond_answer_reserve(&s->context, problem, &s->central);
    if (!status && is_pile(s) && s->best.residual <= COND_PILE_NEAR)
        status = run_proximal(s, COND_PROXIMAL_DIVISIBLE, &s->best, info);
    int n_start = is_limited(s) ? 1 : N_START, from_start = 0;
    for (int k = 0; k < n_start && !status && s->best.residual > tolerance; k++) {
        CondCentralStart start = starts[k];
        start.resistance = is_pile(s) ? COND_LEAST_RESISTANCE : 0.0;
        if (s->best.residual > COND_CENTRAL_FROM)
            start.near = 1.0;
        cond_answer_copy(problem, &s->best, &s->central);
        s->best.residual = INFINITY;
        status = cond_interior_point_solve(&s->interior, &s->newton, &data, tolerance, start,
                                           &s->best, &info->passes, &info->products);
        if (!status && isfinite(s->best.residual))
            status = polish(s, &from_start, info);
        if (!(s->best.residual <= s->central.residual))
            cond_answer_copy(problem, &s->central, &s->best);
    }
    if (status)
        return status;
    if (s->best.residual <= tolerance)
        return COND_OK;
    s->outcome.has_left_out |= is_limited(s);
    return COND_NOT_CONVERGED;
}
