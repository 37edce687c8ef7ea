#include "solve/augmented.h"

#include "base/memory.h"
#include "base/sum.h"

#include <math.h>
#include <string.h>

static const double REDUCTION = 1e-2;  // of a step's linear system
static const double SHRINK = 0.3;      // of sigma from round to round
static const double LEAST = 1e-5;      // sigma over the contact's scale, at least
static const double BALANCE = 0.3;     // of the law's error that ends a round
static const double SUFFICIENT = 1e-4; // share of the predicted fall of F
enum {
    MAX_STEPS = 600, //
    MAX_CG = 300,    // products of a step
    HALVINGS = 12,   //
};

static CondStatus reserve(CondAugmented* a, const CondProblem* problem)
{
    const CondContext* m = &a->context;
    int n = problem->n_dof, nc = problem->n_contact;
#define RESERVE(array, count) cond_reserve(m, &a->array, &a->cap_##array, count, sizeof *a->array)
    int failed = RESERVE(sigma, nc) || RESERVE(base, 3 * nc) || RESERVE(D, 9 * nc) ||
                 RESERVE(u, 3 * nc) || RESERVE(du, 3 * nc) || RESERVE(lambda, 3 * nc) ||
                 RESERVE(v, n) || RESERVE(dv, n) || RESERVE(Av, n) || RESERVE(Adv, n) ||
                 RESERVE(g, n) || RESERVE(work, 2 * n);
#undef RESERVE
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

void cond_augmented_destroy(CondAugmented* a)
{
    void* arrays[] = {a->sigma, a->base, a->D,  a->u,   a->du, a->lambda,
                      a->v,     a->dv,   a->Av, a->Adv, a->g,  a->work};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&a->context, arrays[i]);
}

// lambda of a contact at the velocity u; x is what it is the projection of.
static void force_at(const CondAugmented* a, const CondCertificateData* data, int c,
                     const double* u, double x[3], double* lambda)
{
    double slip = cond_certificate_slip(data, c);
    for (int i = 0; i < 3; i++)
        x[i] = (a->sigma[c] * a->base[3 * c + i] - u[i]) / (slip + a->sigma[c]);
    cond_law_project(COND_LAW_PROXIMAL, data->problem->contact[c].friction, x, lambda);
}

// The contacts' part of F a share t of the way along du.
static double contact_energy(const CondAugmented* a, const CondCertificateData* data, double t)
{
    double sum = 0.0;
    for (int c = 0; c < data->problem->n_contact; c++) {
        double u[3], x[3], l[3], slip = cond_certificate_slip(data, c);
        for (int i = 0; i < 3; i++)
            u[i] = a->u[3 * c + i] + t * a->du[3 * c + i];
        force_at(a, data, c, u, x, l);
        for (int i = 0; i < 3; i++) {
            double change = l[i] - a->base[3 * c + i];
            sum -= u[i] * l[i] + 0.5 * slip * l[i] * l[i] + 0.5 * a->sigma[c] * change * change;
        }
    }
    return sum;
}

// D = P'(x)/(c + sigma): the identity inside the cone, nothing in its polar cone, else 1 along the
// edge y and |y_t|/|x_t| around the cone.
static void make_tie(const double* x, const double* y, double scale, double* D)
{
    memset(D, 0, 9 * sizeof *D);
    if (y[0] == x[0] && y[1] == x[1] && y[2] == x[2]) {
        D[0] = D[4] = D[8] = scale;
        return;
    }
    double length = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), t = hypot(x[1], x[2]);
    if (!(length > 0.0) || !(t > 0.0))
        return;
    double edge[3] = {y[0] / length, y[1] / length, y[2] / length};
    double round[3] = {0.0, -x[2] / t, x[1] / t}, s = hypot(y[1], y[2]) / t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 * i + j] = scale * (edge[i] * edge[j] + s * round[i] * round[j]);
}

// Forces, ties and the gradient at the present v.
static void evaluate(CondAugmented* a, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    for (int i = 0; i < problem->n_dof; i++)
        a->g[i] = a->Av[i] - problem->b[i];
    for (int c = 0; c < problem->n_contact; c++) {
        double x[3], slip = cond_certificate_slip(data, c);
        force_at(a, data, c, a->u + 3 * c, x, a->lambda + 3 * c);
        make_tie(x, a->lambda + 3 * c, 1.0 / (slip + a->sigma[c]), a->D + 9 * c);
        cond_contact_add_force(&problem->contact[c], -1.0, a->lambda + 3 * c, a->g);
    }
}

// Newton's step dv, with what goes with it. The iterations made, or a negative status.
static int find_step(CondAugmented* a, const CondProblem* problem, CondSoftSystem* system, int most)
{
    int n = problem->n_dof;
    CondStatus status = cond_soft_system_build(system, a->D, 9, 0);
    if (status)
        return status;
    for (int i = 0; i < n; i++)
        a->work[i] = -a->g[i];
    int products = cond_soft_system_solve(system, a->work, a->dv, REDUCTION, most);
    if (products < 0)
        return products;
    cond_problem_multiply(problem, a->dv, a->Adv);
    for (int c = 0; c < problem->n_contact; c++) {
        double* du = a->du + 3 * c;
        cond_contact_velocity(&problem->contact[c], a->dv, du);
        for (int i = 0; i < 3; i++)
            du[i] -= problem->contact[c].phi[i];
    }
    return products;
}

// The longest of the steps 1, 1/2, .. on which F falls enough; along it only the contacts need be
// looked at.
static double search(const CondAugmented* a, const CondCertificateData* data)
{
    const CondProblem* problem = data->problem;
    int n = problem->n_dof;
    double slope = cond_dot(n, a->g, a->dv, 1), curve = cond_dot(n, a->dv, a->Adv, 1);
    double linear = cond_dot(n, a->Av, a->dv, 1) - cond_dot(n, problem->b, a->dv, 1);
    double start = contact_energy(a, data, 0.0), t = 1.0;
    for (int k = 0; k < HALVINGS; k++, t *= 0.5) {
        double fall = contact_energy(a, data, t) - start + t * linear + 0.5 * t * t * curve;
        if (fall <= SUFFICIENT * t * slope || fabs(slope) <= 1e-13 * fabs(start))
            return t;
    }
    return t;
}

static void move(CondAugmented* a, const CondProblem* problem, double t)
{
    for (int i = 0; i < problem->n_dof; i++) {
        a->v[i] += t * a->dv[i];
        a->Av[i] += t * a->Adv[i];
    }
    for (int i = 0; i < 3 * problem->n_contact; i++)
        a->u[i] += t * a->du[i];
}

static void begin(CondAugmented* a, const CondCertificateData* data, const CondAnswer* best)
{
    const CondProblem* problem = data->problem;
    memcpy(a->v, best->v, (size_t)problem->n_dof * sizeof *a->v);
    memcpy(a->base, best->lambda, 3 * (size_t)problem->n_contact * sizeof *a->base);
    cond_problem_multiply(problem, a->v, a->Av);
    for (int c = 0; c < problem->n_contact; c++) {
        a->sigma[c] = data->delassus[c] + cond_certificate_slip(data, c);
        cond_contact_velocity(&problem->contact[c], a->v, a->u + 3 * c);
        cond_law_project(COND_LAW_PROXIMAL, problem->contact[c].friction, a->base + 3 * c,
                         a->base + 3 * c);
    }
}

// Keeps the pair when it is the best; 1 where a round ends: what is left of the dynamics no longer
// matters beside the error of the law.
static int judge(CondAugmented* a, const CondCertificateData* data, double tolerance,
                 CondAnswer* best, CondSolveInfo* info)
{
    CondCertificate now = cond_certificate_estimate(data, a->v, a->lambda, a->g, a->work);
    double residual = cond_certificate_residual(&now);
    if (residual < best->residual || residual <= tolerance) { // by what was carried along: measure
        now = cond_certificate_compute(data, a->v, a->lambda, a->work);
        info->products++;
        if (cond_certificate_residual(&now) < best->residual)
            cond_answer_set(data->problem, a->v, a->lambda, &now, best);
    }
    return now.dynamics <= fmax(BALANCE * now.contact, BALANCE * tolerance);
}

static void next_round(CondAugmented* a, const CondCertificateData* data)
{
    memcpy(a->base, a->lambda, 3 * (size_t)data->problem->n_contact * sizeof *a->base);
    for (int c = 0; c < data->problem->n_contact; c++) {
        double scale = data->delassus[c] + cond_certificate_slip(data, c);
        a->sigma[c] = fmax(SHRINK * a->sigma[c], LEAST * scale);
    }
}

CondStatus cond_augmented_solve(CondAugmented* a, const CondCertificateData* data,
                                CondSoftSystem* system, double tolerance, int max_iterations,
                                CondAnswer* best, CondSolveInfo* info)
{
    const CondProblem* problem = data->problem;
    int last = info->iterations + max_iterations;
    CondStatus status = reserve(a, problem);
    if (status)
        return status;
    begin(a, data, best);
    info->products++;
    for (int step = 0; step < MAX_STEPS && info->iterations < last; step++) {
        if (cond_cancelled(&a->context))
            return COND_CANCELLED;
        evaluate(a, data);
        int ends = judge(a, data, tolerance, best, info);
        if (best->residual <= tolerance)
            return COND_OK;
        if (ends) {
            next_round(a, data);
            continue;
        }
        int left = last - info->iterations;
        int products = find_step(a, problem, system, left < MAX_CG ? left : MAX_CG);
        if (products == COND_OUT_OF_MEMORY)
            return COND_OUT_OF_MEMORY;
        if (products < 0)
            break;
        info->iterations += products;
        info->cg_iterations += products;
        info->products += products + 1; // A dv
        info->passes++;
        move(a, problem, search(a, data));
    }
    return COND_NOT_CONVERGED;
}
