// Intervals of forces: limits of joints, dry friction, motors that saturate. The law itself, what a
// problem may hold, and answers of every stage against a dense reference that tries all cases.
#include "cond/fclib.h"
#include "dense.h"
#include "law/contact_law.h"
#include "newton/linear_law.h"
#include "random_problem.h"
#include "soft_problem.h"
#include "strategy/island.h"
#include "strategy/strategy.h"
#include "verifier.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static CondSolverSettings settings_of(double tolerance)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = tolerance;
    settings.threads = 1;
    return settings;
}

// ---- the law

static void law_cases(void** state)
{
    (void)state;
    const double stop[2] = {0.0, INFINITY}, dry[2] = {-2.0, 2.0}, fixed[2] = {1.5, 1.5};
    const double equal[2] = {-INFINITY, INFINITY};
    double lambda[3], eta[3] = {-3.0, 7.0, -7.0};
    cond_interval_solve(stop, 0.0, 0.5, eta, lambda);
    assert_true(lambda[0] == 6.0 && lambda[1] == 0.0 && lambda[2] == 0.0);
    cond_interval_solve(dry, 0.0, 0.5, eta, lambda);
    assert_true(lambda[0] == 2.0);
    cond_interval_solve(dry, 1.5, 0.5, eta, lambda); // with a compliance it is not saturated
    assert_true(lambda[0] == 1.5);
    cond_interval_solve(fixed, 0.0, 0.5, eta, lambda);
    assert_true(lambda[0] == 1.5);
    cond_interval_solve(equal, 0.0, 0.5, eta, lambda);
    assert_true(lambda[0] == 6.0);
    eta[0] = 3.0;
    cond_interval_solve(stop, 0.0, 0.5, eta, lambda);
    assert_true(lambda[0] == 0.0);
}

// Zero exactly where the law holds, the distance to it elsewhere, and the same when units change.
static void law_errors(void** state)
{
    (void)state;
    Random random = random_start(3);
    for (int k = 0; k < 2000; k++) {
        double a = random_uniform(&random, -2.0, 2.0), b = random_uniform(&random, -2.0, 2.0);
        double bound[2] = {fmin(a, b), fmax(a, b)}, eta[3] = {random_uniform(&random, -4.0, 4.0)};
        if (k % 4 == 1)
            bound[0] = -INFINITY;
        if (k % 4 == 2)
            bound[1] = INFINITY;
        double gamma = random_uniform(&random, 0.1, 2.0), c = k % 3 ? 0.0 : 0.7, lambda[3];
        cond_interval_solve(bound, c, gamma, eta, lambda);
        double u[3] = {eta[0] + (gamma + c) * lambda[0], 5.0, 5.0};
        CondLawError e = cond_interval_error(bound, c, gamma, u, lambda);
        assert_true(fmax(e.natural, e.penetration) <= 1e-14);
        assert_true(e.pull == 0.0 && e.cone == 0.0 && e.complementarity <= 1e-13);
        // Another force is wrong by no more than it changes, and in other units as much.
        double other[3] = {lambda[0] + random_uniform(&random, -1.0, 1.0), 0.0, 0.0};
        u[0] = eta[0] + (gamma + c) * other[0];
        e = cond_interval_error(bound, c, gamma, u, other);
        assert_true(e.natural > 0.0);
        assert_true(e.natural <= (1.0 + 1e-12) * gamma * fabs(other[0] - lambda[0]));
        double scaled[3] = {100.0 * other[0], 0.0, 0.0}, w[3] = {u[0] / 10.0, 0.0, 0.0};
        double wide[2] = {100.0 * bound[0], 100.0 * bound[1]};
        CondLawError f = cond_interval_error(wide, c / 1000.0, gamma / 1000.0, w, scaled);
        assert_true(fabs(10.0 * f.natural - e.natural) <= 1e-13 * e.natural + 1e-15);
        assert_true(fabs(10.0 * f.penetration - e.penetration) <= 1e-13 * e.penetration + 1e-15);
        other[1] = 0.3;
        assert_true(cond_interval_error(bound, c, gamma, u, other).natural >= 0.3 * gamma);
    }
}

// The linearised law against differences of the natural map: with lambda = fix - D u the map's
// error vanishes to first order, whatever the resistance.
static void linearised(void** state)
{
    (void)state;
    Random random = random_start(5);
    const double none[2] = {0.0, 0.0};
    for (int k = 0; k < 500; k++) {
        CondContact contact = {.set = COND_FORCE_INTERVAL,
                               .bound = {-random_uniform(&random, 0.1, 2.0),
                                         k % 2 ? INFINITY : random_uniform(&random, 0.1, 2.0)}};
        double gamma = random_uniform(&random, 0.5, 2.0), c = k % 3 ? 0.0 : 0.4;
        CondNaturalMap map = {COND_LAW_STRICT, &contact, gamma + c, c};
        double lambda[3] = {random_uniform(&random, -2.0, 2.0), 0.0, 0.0}, x[3], h = 1e-7;
        double u[3] = {random_uniform(&random, -2.0, 2.0), 1.0, -1.0};
        cond_natural_map_trial(&map, u, lambda, x);
        if (fabs(x[0] - contact.bound[0]) < 1e-3 || fabs(x[0] - contact.bound[1]) < 1e-3)
            continue;
        CondLinearLaw law;
        cond_natural_map_linearise(&map, 1e-12, 1, x, lambda, none, &law);
        for (int i = 0; i < 9; i++)
            assert_true(i == 0 || law.D[i] == 0.0);
        // The map's own derivatives by differences: de = E_l dl + E_u du = -e.
        double e[3], el[3], eu[3], moved[3] = {lambda[0] + h, 0.0, 0.0}, w[3] = {u[0] + h};
        cond_natural_map_error(&map, u, lambda, e);
        cond_natural_map_error(&map, u, moved, el);
        cond_natural_map_error(&map, w, lambda, eu);
        double E_l = (el[0] - e[0]) / h, E_u = (eu[0] - e[0]) / h;
        if (fabs(E_l) < 1e-6) { // held without compliance: u is to become 0
            assert_true(law.D[0] > 1e9);
            continue;
        }
        double D = E_u / E_l, fix = lambda[0] + (E_u * u[0] - e[0]) / E_l;
        assert_true(fabs(law.D[0] - D) <= 1e-5 * (1.0 + fabs(D)));
        assert_true(fabs(law.fix[0] - fix) <= 1e-5 * (1.0 + fabs(fix)));
    }
}

// ---- what a problem may hold

static void expect(CondProblem* problem, const CondContact* contact, const char* words)
{
    CondError error = {0};
    problem->contact = contact;
    CondStatus status = cond_problem_check(NULL, problem, &error);
    if (!words) {
        assert_int_equal(status, COND_OK);
        return;
    }
    assert_int_equal(status, COND_BAD_ARGUMENT);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void checked(void** state)
{
    (void)state;
    const double A[1] = {2.0}, b[1] = {1.0}, J[3] = {1.0, 0.0, 0.0}, dead[3] = {0.0, 1.0, 1.0};
    const int at[1] = {0};
    CondBlock block = {COND_BLOCK_DENSE, 0, 1, A, NULL, NULL, NULL};
    CondProblem problem = {.n_dof = 1, .n_block = 1, .n_contact = 1, .block = &block, .b = b};
    CondContact good = {.side = {{1, at, J}},
                        .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                        .kv = INFINITY,
                        .set = COND_FORCE_INTERVAL,
                        .bound = {-1.0, 1.0}};
    CondContact wrong = good;
    expect(&problem, &good, NULL);
    wrong.bound[0] = wrong.bound[1];
    expect(&problem, &wrong, NULL);
    wrong.bound[0] = -INFINITY, wrong.bound[1] = INFINITY;
    expect(&problem, &wrong, NULL);
    const double bounds[4][2] = {{1.0, 0.0}, {NAN, 1.0}, {INFINITY, INFINITY}, {0.0, NAN}};
    for (int k = 0; k < 4; k++) {
        wrong = good;
        memcpy(wrong.bound, bounds[k], sizeof wrong.bound);
        expect(&problem, &wrong, "contact 0: no force lies between the bounds");
    }
    const double compliance[3] = {-1.0, NAN, INFINITY};
    for (int k = 0; k < 3; k++) {
        wrong = good;
        wrong.compliance = compliance[k];
        expect(&problem, &wrong, "contact 0: compliance");
    }
    wrong = good;
    wrong.friction[1] = 0.3;
    expect(&problem, &wrong, "an interval of forces has no friction cone");
    wrong = good;
    wrong.side[0].jacobian = dead; // it moves, but not along the row that acts
    expect(&problem, &wrong, "no motion moves it");
    wrong = good;
    wrong.set = (CondForceSet)7;
    expect(&problem, &wrong, "unknown force set 7");
}

// ---- the certificate

// Of several islands the whole problem's is no worse than that of the worst, and no unit of an
// angle changes it.
static void certificates(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        RandomOptions options = random_options_default(seed);
        options.n_coupling = 0;
        options.n_robot = 3;
        options.n_interval = 10;
        options.n_contact = 4;
        RandomProblem made;
        random_problem_make(&options, &made);
        CondProblem problem = made.problem;
        int n = problem.n_dof, nc = problem.n_contact;
        double *v = dense_zeros((size_t)n), *lambda = dense_zeros(3 * (size_t)nc);
        double *own_v = dense_zeros((size_t)n), *own_lambda = dense_zeros(3 * (size_t)nc);
        Random random = random_start(seed + 100);
        for (int i = 0; i < n; i++)
            v[i] = random_uniform(&random, -1.0, 1.0);
        for (int c = 0; c < nc; c++)
            lambda[3 * c] = pow(10.0, random_uniform(&random, -6.0, 0.0));
        CondCertificate whole, part;
        assert_int_equal(cond_certify(NULL, &problem, COND_LAW_STRICT, 0.0, v, lambda, &whole),
                         COND_OK);
        verifier_check_certificate(&problem, COND_LAW_STRICT, 0.0, v, lambda, &whole);
        CondContext context = cond_context_or_default(NULL);
        CondIslands islands;
        cond_islands_begin(&context, &islands);
        assert_int_equal(cond_islands_find(&islands, &problem), COND_OK);
        assert_int_equal(cond_islands_split(&islands, &problem), COND_OK);
        assert_true(islands.n > 1);
        double worst = 0.0;
        for (int i = 0; i < islands.n; i++) {
            CondProblem one = cond_islands_problem(&islands, i);
            cond_islands_gather(&islands, i, v, lambda, own_v, own_lambda);
            cond_certify(NULL, &one, COND_LAW_STRICT, 0.0, own_v, own_lambda, &part);
            worst = fmax(worst, part.contact);
        }
        assert_true(whole.contact <= worst);
        cond_islands_end(&islands);
        free(v), free(lambda), free(own_v), free(own_lambda);
        random_problem_free(&made);
    }
}

// A joint in degrees in place of radians, its torque and inertia likewise: the same numbers.
static void units(void** state)
{
    (void)state;
    const double frame[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, ground[6] = {0.5, 1.0, 0.0, 0.0, 0.0, 0.0};
    const int at[2] = {0, 1};
    CondCertificate z[2];
    for (int k = 0; k < 2; k++) {
        double unit = k ? 57.3 : 1.0; // velocities of coordinate 0
        double A[4] = {2.0 / (unit * unit), 0.3 / unit, 0.3 / unit, 5.0};
        double b[2] = {1.0 / unit, -2.0}, v[2] = {0.4 * unit, 0.1};
        double J[6], row[3] = {1.0, 0.0, 0.0};
        memcpy(J, ground, sizeof J);
        J[0] /= unit;
        CondContact contact[2] = {{.side = {{2, at, J}}, .friction = {0.5, 0.5}, .kv = INFINITY},
                                  {.side = {{1, at, row}},
                                   .kv = INFINITY,
                                   .set = COND_FORCE_INTERVAL,
                                   .bound = {-0.7 / unit, 0.7 / unit},
                                   .compliance = 0.2 * unit * unit}};
        memcpy(contact[0].frame, frame, sizeof frame);
        memcpy(contact[1].frame, frame, sizeof frame);
        CondBlock block = {COND_BLOCK_DENSE, 0, 2, A, NULL, NULL, NULL};
        CondProblem problem = {2, 1, 0, 2, &block, NULL, contact, b};
        double lambda[6] = {0.01, 0.0, 0.0, -0.3 / unit, 0.0, 0.0};
        cond_certify(NULL, &problem, COND_LAW_STRICT, 0.0, v, lambda, &z[k]);
        assert_int_equal(z[k].worst_contact, 1);
    }
    assert_true(fabs(z[0].contact - z[1].contact) <= 1e-14 * z[0].contact);
    assert_true(fabs(z[0].dynamics - z[1].dynamics) <= 1e-14 * z[0].dynamics);
    assert_true(fabs(57.3 * z[0].contact_speed - z[1].contact_speed) <= 1e-13 * z[1].contact_speed);
}

// ---- answers

// All cases of up to eight rows: each held, at its lowest or at its highest force; the case whose
// answer obeys the law best. Rows of frictionless contacts are intervals (0, INFINITY).
enum { MOST = 8 };

typedef struct Rows {
    int n;
    double W[MOST * MOST], q[MOST], low[MOST], high[MOST];
} Rows;

// x = W^-1 x by elimination with pivots; 0 where it is singular.
static int eliminate(int n, double* W, double* x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabs(W[i * n + k]) > fabs(W[p * n + k]) ? i : p;
        if (fabs(W[p * n + k]) < 1e-12)
            return 0;
        for (int j = 0; j < n; j++) {
            double kept = W[k * n + j];
            W[k * n + j] = W[p * n + j];
            W[p * n + j] = kept;
        }
        double kept = x[k];
        x[k] = x[p], x[p] = kept;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0.0 : W[i * n + k] / W[k * n + k];
            for (int j = 0; j < n; j++)
                W[i * n + j] -= f * W[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int k = 0; k < n; k++)
        x[k] /= W[k * n + k];
    return 1;
}

static double try_case(const Rows* rows, int code, double* lambda)
{
    int held[MOST], m = 0;
    double S[MOST * MOST], x[MOST], error = 0.0;
    for (int i = 0; i < rows->n; i++, code /= 3) {
        lambda[i] = code % 3 == 1 ? rows->low[i] : code % 3 == 2 ? rows->high[i] : 0.0;
        if (!isfinite(lambda[i]))
            return INFINITY;
        if (code % 3 == 0)
            held[m++] = i;
    }
    for (int k = 0; k < m; k++) {
        x[k] = -rows->q[held[k]];
        for (int j = 0; j < rows->n; j++)
            x[k] -= rows->W[held[k] * rows->n + j] * lambda[j];
        for (int l = 0; l < m; l++)
            S[k * m + l] = rows->W[held[k] * rows->n + held[l]];
    }
    if (!eliminate(m, S, x))
        return INFINITY;
    for (int k = 0; k < m; k++)
        lambda[held[k]] = x[k];
    for (int i = 0; i < rows->n; i++) {
        double u = rows->q[i], gamma = rows->W[i * rows->n + i];
        for (int j = 0; j < rows->n; j++)
            u += rows->W[i * rows->n + j] * lambda[j];
        double next = fmin(fmax(lambda[i] - u / gamma, rows->low[i]), rows->high[i]);
        error = fmax(error, fabs(next - lambda[i]) * sqrt(gamma));
    }
    return error;
}

// v of the case that obeys the law. The problem has no friction.
static void reference(const CondProblem* problem, double* v)
{
    int n = problem->n_dof;
    Rows rows = {0};
    double *A = dense_zeros((size_t)n * n), *J = dense_zeros(3 * (size_t)n), *row[MOST];
    double *lift[MOST], *v_free = dense_zeros((size_t)n), best[MOST] = {0}, least = INFINITY;
    dense_problem_matrix(problem, A);
    assert_true(dense_cholesky(n, A));
    memcpy(v_free, problem->b, (size_t)n * sizeof *v_free);
    dense_cholesky_solve(n, A, v_free);
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        int interval = contact->set == COND_FORCE_INTERVAL, i = rows.n++;
        assert_true(rows.n <= MOST && contact->kv == INFINITY);
        dense_contact_jacobian(contact, n, J);
        row[i] = dense_zeros((size_t)n), lift[i] = dense_zeros((size_t)n);
        memcpy(row[i], J, (size_t)n * sizeof *J);
        memcpy(lift[i], J, (size_t)n * sizeof *J);
        dense_cholesky_solve(n, A, lift[i]);
        rows.low[i] = interval ? contact->bound[0] : 0.0;
        rows.high[i] = interval ? contact->bound[1] : INFINITY;
        rows.q[i] = contact->phi[0];
        for (int k = 0; k < n; k++)
            rows.q[i] += row[i][k] * v_free[k];
    }
    int codes = 1;
    for (int i = 0; i < rows.n; i++, codes *= 3)
        for (int j = 0; j < rows.n; j++) {
            const CondContact* contact = &problem->contact[i];
            double* w = &rows.W[i * rows.n + j];
            *w = i == j && contact->set == COND_FORCE_INTERVAL ? contact->compliance : 0.0;
            for (int k = 0; k < n; k++)
                *w += row[i][k] * lift[j][k];
        }
    for (int code = 0; code < codes; code++) {
        double lambda[MOST], error = try_case(&rows, code, lambda);
        if (error < least) {
            least = error;
            memcpy(best, lambda, sizeof best);
        }
    }
    assert_true(least <= 1e-9);
    memcpy(v, v_free, (size_t)n * sizeof *v);
    for (int i = 0; i < rows.n; i++) {
        for (int k = 0; k < n; k++)
            v[k] += lift[i][k] * best[i];
        free(row[i]), free(lift[i]);
    }
    free(A), free(J), free(v_free);
}

// A robot, and with `more` a few bodies, particles and a cloth that it is coupled to.
static RandomOptions robot_options(uint64_t seed, int more, double spread)
{
    RandomOptions options = random_options_default(seed);
    options.n_particle = options.n_rigid = options.n_cloth = more;
    options.n_robot = 1 + more;
    options.n_coupling = more ? 3 : 0;
    options.n_contact = 0;
    options.n_interval = 6;
    options.spread = spread;
    return options;
}

static unsigned all_but(CondSolvedBy stage)
{
    unsigned all = 1u << COND_BY_VFPI | 1u << COND_BY_NEWTON | 1u << COND_BY_FACTORED_NEWTON |
                   1u << COND_BY_INTERIOR_POINT;
    return all & ~(1u << stage);
}

// The interior-point method alone, without the Newton steps after it.
static CondStatus solve_centrally(CondStrategy* s, const CondProblem* problem,
                                  const CondSolverSettings* settings, double* v, double* lambda,
                                  CondSolveInfo* info)
{
    CondContext context = cond_context_or_default(NULL);
    assert_int_equal(cond_nodal_build(&s->view, problem, settings->kv_scale), COND_OK);
    assert_int_equal(cond_vfpi_begin(&s->vfpi, &s->view, info), COND_OK);
    assert_int_equal(cond_answer_reserve(&context, problem, &s->best), COND_OK);
    cond_semismooth_plan(&s->newton);
    cond_answer_set(problem, v, lambda, NULL, &s->best);
    CondCertificateData data = cond_strategy_certificate_data(s);
    assert_int_equal(
        cond_interior_point_solve(&s->interior, &s->newton, &data, settings->tolerance,
                                  (CondCentralStart){.force = 0.1, .near = 1.0, .theta = 0.9},
                                  &s->best, &info->passes, &info->products),
        COND_OK);
    assert_true(isfinite(s->best.residual));
    memcpy(v, s->best.v, (size_t)problem->n_dof * sizeof *v);
    memcpy(lambda, s->best.lambda, 3 * (size_t)problem->n_contact * sizeof *lambda);
    info->certificate = s->best.certificate;
    cond_certificate_detail(&data, v, lambda, &info->certificate);
    return s->best.residual <= settings->tolerance ? COND_OK : COND_NOT_CONVERGED;
}

// From zero without the stages left out; v is the answer. The interior-point method goes on from a
// pair: with it alone that is zero.
static CondStatus solve_without(const CondProblem* problem, const CondSolverSettings* settings,
                                unsigned left_out, double* v, CondSolveInfo* info)
{
    CondContext context = cond_context_or_default(NULL);
    CondStrategy* s = cond_solver_strategy.create(&context, settings);
    double* lambda = dense_zeros(3 * (size_t)problem->n_contact + 1);
    memset(info, 0, sizeof *info);
    memset(v, 0, (size_t)problem->n_dof * sizeof *v);
    s->left_out = left_out;
    CondStatus status = left_out == all_but(COND_BY_INTERIOR_POINT)
                            ? solve_centrally(s, problem, settings, v, lambda, info)
                            : cond_solver_strategy.solve(s, problem, v, lambda, info);
    verifier_check_certificate(problem, settings->law, settings->omega, v, lambda,
                               &info->certificate);
    cond_solver_strategy.destroy(s);
    free(lambda);
    return status;
}

// Distance of two velocities, each coordinate in its unit, over their size.
static double distance(const RandomProblem* made, const double* v, const double* w)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < made->problem.n_dof; i++) {
        double scale = 1.0 / made->unit[i];
        sum = hypot(sum, scale * (v[i] - w[i]));
        size = hypot(size, scale * w[i]);
    }
    return sum / size;
}

// Every stage alone, and all of them, at small problems against all cases tried.
static void small_problems(void** state)
{
    (void)state;
    static const CondSolvedBy stages[] = {COND_BY_NONE, COND_BY_VFPI, COND_BY_FACTORED_NEWTON,
                                          COND_BY_INTERIOR_POINT};
    for (uint64_t seed = 1; seed <= 30; seed++) {
        RandomProblem made;
        RandomOptions options = robot_options(seed, (int)(seed % 2), seed % 3 ? 0.0 : 1.5);
        options.n_interval = 4 + (int)(seed % 5);
        random_problem_make(&options, &made);
        const CondProblem* problem = &made.problem;
        assert_int_equal(cond_problem_check(NULL, problem, NULL), COND_OK);
        double *v = dense_zeros((size_t)problem->n_dof), *w = dense_zeros((size_t)problem->n_dof);
        reference(problem, w);
        for (size_t k = 0; k < sizeof stages / sizeof stages[0]; k++) {
            CondSolverSettings settings = settings_of(1e-10);
            CondSolveInfo info;
            if (stages[k] == COND_BY_VFPI) {
                settings.fallback = 0;
                settings.accelerator = COND_ACCELERATOR_ANDERSON;
                settings.max_outer = 1000; // the multiplier of an equality settles slowly
            }
            unsigned without = stages[k] == COND_BY_NONE ? 0 : all_but(stages[k]);
            CondStatus status = solve_without(problem, &settings, without, v, &info);
            // The gains of Newton steps leave rounding of a few 1e-10; the interior-point method
            // ends a digit or two earlier, and Newton steps follow it.
            double allowed = stages[k] == COND_BY_INTERIOR_POINT    ? 1e-6
                             : stages[k] == COND_BY_FACTORED_NEWTON ? 1e-9
                                                                    : 1e-10;
            assert_true(cond_certificate_residual(&info.certificate) <= allowed);
            assert_true(distance(&made, v, w) <= (status ? 1e-6 : 1e-8));
        }
        free(v), free(w);
        random_problem_free(&made);
    }
}

// Robots with their limits among bodies in contact with friction, soft and rigid, with more
// intervals than joints, under both laws, in units far apart.
static void mixed_problems(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        RandomProblem made;
        RandomOptions options = robot_options(seed, 1 + (int)(seed % 3), 1.5 * (seed % 2));
        options.n_contact = 8;
        options.n_interval = 3 + (int)(seed % 4) * 8;
        options.n_chain = seed % 5 == 0, options.chain_links = 4;
        random_problem_make(&options, &made);
        const CondProblem* problem = &made.problem;
        assert_int_equal(cond_problem_check(NULL, problem, NULL), COND_OK);
        double *v = dense_zeros((size_t)problem->n_dof),
               *lambda = dense_zeros(3 * (size_t)problem->n_contact);
        CondSolverSettings settings = settings_of(1e-10);
        settings.law = seed % 4 == 3 ? COND_LAW_PROXIMAL : COND_LAW_STRICT;
        CondSolveInfo info = {0};
        CondStatus status = verifier_solve(problem, &settings, v, lambda, &info);
        if (status)
            print_message("seed %d: %.1e\n", (int)seed,
                          cond_certificate_residual(&info.certificate));
        assert_int_equal(status, COND_OK);
        free(v), free(lambda);
        random_problem_free(&made);
    }
}

// Everything three times over: forces that no equation tells apart.
static void redundant_problems(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomProblem made;
        RandomOptions options = robot_options(seed, 2, seed % 2 ? 1.0 : 0.0);
        options.n_cloth = 0;
        options.n_contact = 8;
        options.n_interval = 16;
        random_problem_make(&options, &made);
        CondProblem problem = made.problem;
        int n = problem.n_contact;
        CondContact* contact = malloc((size_t)(3 * n) * sizeof *contact);
        assert_non_null(contact);
        for (int c = 0; c < 3 * n; c++)
            contact[c] = made.problem.contact[c % n];
        problem.contact = contact;
        problem.n_contact = 3 * n;
        double *v = dense_zeros((size_t)problem.n_dof), *lambda = dense_zeros(9 * (size_t)n);
        CondSolverSettings settings = settings_of(1e-8);
        CondSolveInfo info = {0};
        CondStatus status = verifier_solve(&problem, &settings, v, lambda, &info);
        if (status)
            print_message("seed %d: %.1e\n", (int)seed,
                          cond_certificate_residual(&info.certificate));
        assert_int_equal(status, COND_OK);
        free(v), free(lambda), free(contact);
        random_problem_free(&made);
    }
}

// A plane arm of slender links that grow lighter towards its tip, whose mass matrix is far from
// diagonal: friction, a motor and limits at every joint, and its last links on the ground.
enum { LINKS = 12, ROWS = 4 * LINKS + 4 };

typedef struct Arm {
    double A[LINKS * LINKS], b[LINKS], row[2][3], tip[4][3 * LINKS];
    int at[LINKS];
    CondBlock block;
    CondContact contact[ROWS];
    CondProblem problem;
} Arm;

// J of a point at a share of link k, in the plane: rows are normal and along the ground.
static void point_jacobian(const double* angle, int k, double share, double* J)
{
    memset(J, 0, 3 * LINKS * sizeof *J);
    for (int i = 0; i <= k; i++)
        for (int j = 0; j <= i; j++) { // link i turns with all joints before it
            double length = i == k ? share : 1.0;
            J[j] += length * cos(angle[i]);
            J[LINKS + j] -= length * sin(angle[i]);
        }
}

static void arm_make(uint64_t seed, double taper, double h, Arm* arm)
{
    Random random = random_start(seed);
    double angle[LINKS], J[3 * LINKS], mass = 10.0, v[LINKS];
    memset(arm, 0, sizeof *arm);
    for (int k = 0; k < LINKS; k++)
        angle[k] = (k ? angle[k - 1] : 0.0) + random_uniform(&random, -1.0, 1.0);
    for (int k = 0; k < LINKS; k++, mass *= taper) {
        point_jacobian(angle, k, 0.5, J);
        v[k] = random_uniform(&random, -1.0, 1.0);
        arm->at[k] = k;
        for (int i = 0; i < LINKS; i++) {
            arm->b[i] -= 9.81 * mass * J[i];
            for (int j = 0; j < LINKS; j++)
                arm->A[LINKS * i + j] +=
                    mass / h *
                    (J[i] * J[j] + J[LINKS + i] * J[LINKS + j] + (i <= k && j <= k) / 12.0);
        }
    }
    for (int i = 0; i < LINKS; i++) // the velocity at the start
        for (int j = 0; j < LINKS; j++)
            arm->b[i] += arm->A[LINKS * i + j] * v[j];
    arm->row[0][0] = 1.0, arm->row[1][0] = -1.0;
    mass = 10.0;
    for (int c = 0; c < ROWS; c++) {
        CondContact* contact = &arm->contact[c];
        int joint = c / 4, kind = c % 4;
        double effort = 20.0 * pow(taper, joint);
        *contact = (CondContact){.frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .kv = INFINITY};
        if (joint == LINKS) { // the ground under the last links
            point_jacobian(angle, LINKS - 1 - kind, 1.0, arm->tip[kind]);
            contact->side[0] = (CondSide){LINKS, arm->at, arm->tip[kind]};
            contact->friction[0] = contact->friction[1] = 0.6;
            contact->phi[0] = random_uniform(&random, 0.0, 0.3);
            continue;
        }
        contact->set = COND_FORCE_INTERVAL;
        contact->side[0] = (CondSide){1, &arm->at[joint], arm->row[kind == 1]};
        contact->bound[1] = INFINITY;
        contact->phi[0] = kind < 2 ? random_uniform(&random, 0.0, 0.5) : 0.0; // limits
        if (kind >= 2) {
            contact->bound[1] = (kind == 2 ? 0.05 : 1.0) * effort;
            contact->bound[0] = -contact->bound[1];
        }
        if (kind == 3) {
            double gain = (joint % 2 ? 1e4 : 10.0) * effort * h;
            contact->compliance = 1.0 / gain;
            contact->phi[0] = random_uniform(&random, -1.0, 1.0) / h;
        }
    }
    arm->block = (CondBlock){COND_BLOCK_DENSE, 0, LINKS, arm->A, NULL, NULL, NULL};
    arm->problem = (CondProblem){.n_dof = LINKS,
                                 .n_block = 1,
                                 .n_contact = ROWS,
                                 .block = &arm->block,
                                 .contact = arm->contact,
                                 .b = arm->b};
}

static void arms(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        Arm arm;
        arm_make(seed, seed % 2 ? 0.5 : 0.9, seed % 4 < 2 ? 0.01 : 0.001, &arm);
        assert_int_equal(cond_problem_check(NULL, &arm.problem, NULL), COND_OK);
        double v[LINKS] = {0.0}, lambda[3 * ROWS] = {0.0};
        CondSolverSettings settings = settings_of(1e-8);
        CondSolveInfo info = {0};
        CondStatus status = verifier_solve(&arm.problem, &settings, v, lambda, &info);
        if (status)
            print_message("seed %d: %.1e\n", (int)seed,
                          cond_certificate_residual(&info.certificate));
        assert_int_equal(status, COND_OK);
    }
}

// Two soft bodies and a dense one with intervals among their contacts: Newton's method with
// conjugate gradients, the same bits on any number of threads.
static void soft_problems(void** state)
{
    (void)state;
    SoftProblem made;
    soft_problem_create(&made, 2);
    int n = made.problem.n_dof;
    double *v[3], *lambda[3];
    for (int turn = 0; turn < 3; turn++) {
        CondSolverSettings settings = settings_of(1e-10);
        CondSolveInfo info = {0};
        settings.threads = 1 << turn;
        settings.fallback = 0; // nothing is factored
        v[turn] = dense_zeros((size_t)n), lambda[turn] = dense_zeros(3 * N_CONTACT);
        assert_int_equal(verifier_solve(&made.problem, &settings, v[turn], lambda[turn], &info),
                         COND_OK);
        assert_int_equal(info.solved_by, COND_BY_NEWTON);
    }
    for (int turn = 0; turn < 3; turn++) {
        assert_memory_equal(v[turn], v[0], (size_t)n * sizeof **v);
        assert_memory_equal(lambda[turn], lambda[0], 3 * N_CONTACT * sizeof **lambda);
    }
    for (int turn = 0; turn < 3; turn++)
        free(v[turn]), free(lambda[turn]);
    soft_problem_destroy(&made);
}

// A step of a simulation, kept in a file.
static void stored_problem(void** state)
{
    (void)state;
    CondProblemFile* file = NULL;
    assert_int_equal(
        cond_fclib_read(NULL, COND_TEST_DATA "/problems/panda_limits.hdf5", &file, NULL), COND_OK);
    const CondProblem* problem = cond_problem_file_problem(file);
    int intervals = 0;
    for (int c = 0; c < problem->n_contact; c++)
        intervals += problem->contact[c].set == COND_FORCE_INTERVAL;
    assert_int_equal(problem->n_contact, 44);
    assert_int_equal(intervals, 19);
    double *v = dense_zeros((size_t)problem->n_dof),
           *lambda = dense_zeros(3 * (size_t)problem->n_contact);
    CondSolverSettings settings = settings_of(1e-8);
    CondSolveInfo info = {0};
    assert_int_equal(verifier_solve(problem, &settings, v, lambda, &info), COND_OK);
    free(v), free(lambda);
    cond_problem_file_destroy(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_cases),          cmocka_unit_test(law_errors),
        cmocka_unit_test(linearised),         cmocka_unit_test(checked),
        cmocka_unit_test(certificates),       cmocka_unit_test(units),
        cmocka_unit_test(small_problems),     cmocka_unit_test(mixed_problems),
        cmocka_unit_test(redundant_problems), cmocka_unit_test(arms),
        cmocka_unit_test(soft_problems),      cmocka_unit_test(stored_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
