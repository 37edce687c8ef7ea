// Times other solvers on the same problem, at the same certificate (bench_peers.h).
#include "bench_peers.h"

#include "memory.h"
#include "solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef COND_BASELINES
#include "cond/baselines.h"
#else
typedef int CondSiconosWay;
enum { COND_SICONOS_GIVEN, COND_SICONOS_NORM, COND_SICONOS_BALANCED };

static int cond_siconos_available(void)
{
    return 0;
}

static CondStatus cond_siconos_solve(const CondContext* context, const CondProblem* problem,
                                     double tolerance, CondSiconosWay way, int max_iterations,
                                     double* v, double* lambda, double* seconds, int* iterations)
{
    (void)context, (void)problem, (void)tolerance, (void)way, (void)max_iterations, (void)v;
    (void)lambda, (void)seconds, (void)iterations;
    return COND_NOT_SUPPORTED;
}

static CondStatus cond_baseline_factorise(const CondContext* context, const CondProblem* problem,
                                          int n, double* seconds)
{
    (void)context, (void)problem, (void)n, (void)seconds;
    return COND_NOT_SUPPORTED;
}

static int cond_baseline_set_threads(int threads)
{
    return threads;
}
#endif

enum { FACTORISATIONS = 3, MAX_ITERATIONS = 20000, FEW = 4, MORE = 24 };
static const char LIMITED[] = "stopped by the limit: it takes longer";

const char* bench_peer_name(BenchPeer peer)
{
    static const char* const names[] = {"CHOLMOD factorisation", "pgs", "apgd", "siconos ADMM"};
    return peer < BENCH_N_PEER ? names[peer] : NULL;
}

static BenchPeerTime no_time(const char* note)
{
    return (BenchPeerTime){.seconds = NAN, .residual = NAN, .difference = NAN, .note = note};
}

static double middle_of(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static BenchPeerTime time_factorisation(const BenchStage* stage)
{
    double s[FACTORISATIONS];
    CondStatus status =
        cond_baseline_factorise(memory_context(), stage->problem_of_step, FACTORISATIONS, s);
    if (status)
        return no_time(status == COND_NOT_SUPPORTED ? "not installed" : cond_status_name(status));
    return (BenchPeerTime){.seconds = middle_of(s[0], s[1], s[2]), .difference = NAN};
}

// Largest |u - u_ours| over the scale of velocities.
static double compare(const CondProblem* problem, const double* v, const BenchReference* ours)
{
    double far = 0.0;
    for (int c = 0; c < problem->n_contact; c++) {
        double a[3], b[3];
        cond_contact_velocity(&problem->contact[c], v, a);
        cond_contact_velocity(&problem->contact[c], ours->v, b);
        for (int i = 0; i < 3; i++)
            far = fmax(far, fabs(a[i] - b[i]));
    }
    return ours->scale > 0.0 ? far / ours->scale : far;
}

// v and lambda of the start, one behind the other; NULL when memory is short.
static double* copy_start(const BenchStage* stage)
{
    const CondProblem* problem = stage->problem_of_step;
    size_t n = (size_t)problem->n_dof, nc3 = 3 * (size_t)problem->n_contact;
    double* v = malloc((n + nc3 + 1) * sizeof *v);
    if (v) {
        memcpy(v, stage->v, n * sizeof *v);
        if (nc3 > 0)
            memcpy(v + n, stage->lambda, nc3 * sizeof *v);
    }
    return v;
}

// Iterations that fit into `limit` seconds when FEW and MORE of them took so long.
static int iterations_within(double limit, double few, double more)
{
    double each = fmax((more - few) / (MORE - FEW), 1e-3 * more / MORE);
    double fit = MORE + (limit - more) / each;
    return fit < 1.0 ? 1 : fit < MAX_ITERATIONS ? (int)fit : MAX_ITERATIONS;
}

static CondStatus solve_baseline(CondSolver* solver, const BenchStage* stage, CondLaw law,
                                 const BenchReference* ours, BenchPeerTime* time)
{
    const CondProblem* problem = stage->problem_of_step;
    CondSolveInfo info;
    double* v = copy_start(stage);
    CondStatus status =
        v ? cond_solver_solve(solver, problem, v, v + problem->n_dof, &info) : COND_OUT_OF_MEMORY;
    if (v && status >= 0)
        *time = (BenchPeerTime){.seconds = info.seconds,
                                .at_least = status == COND_NOT_CONVERGED,
                                .residual = cond_certificate_residual(&info.certificate),
                                .difference = law == COND_LAW_STRICT && status == COND_OK
                                                  ? compare(problem, v, ours)
                                                  : NAN,
                                .note = status == COND_OK ? NULL : LIMITED};
    free(v);
    return status;
}

static BenchPeerTime time_baseline(const char* name, CondLaw law, const BenchStage* stage,
                                   double tolerance, const BenchReference* ours)
{
    CondSolverSettings settings = cond_model_settings(stage->model)->solver;
    CondError error;
    BenchPeerTime time = no_time("not installed");
    settings.stop = COND_STOP_CERTIFICATE;
    settings.tolerance = tolerance;
    settings.threads = 1;
    settings.law = law;
    int known = solvers_is_built(name);
    // Few iterations and some more, then all that fit into the limit. The second solve of these has
    // the analysis of the pattern at hand, as in a running scene.
    double taken[2] = {0.0, 0.0};
    CondStatus status = COND_NOT_CONVERGED;
    for (int k = 0; k < 3 && known && (k == 2 || status == COND_NOT_CONVERGED); k++) {
        CondSolver* solver = NULL;
        settings.max_iterations = k == 0   ? FEW
                                  : k == 1 ? MORE
                                           : iterations_within(ours->limit, taken[0], taken[1]);
        if (k == 2 && status == COND_OK) // the few were enough
            settings.max_iterations = MAX_ITERATIONS;
        status = solvers_create(name, &settings, &solver, &error);
        for (int again = 0; again < (k < 2 ? 1 : 2) && !status; again++)
            status = solve_baseline(solver, stage, law, ours, &time);
        if (k < 2)
            taken[k] = time.seconds;
        cond_solver_destroy(solver);
        if (status == COND_OK && k < 2)
            k = 1; // straight to the last
    }
    if (known && status < 0)
        return no_time(cond_status_name(status));
    if (time.at_least && settings.max_iterations == MAX_ITERATIONS)
        return no_time("not converged");
    return time;
}

// One run of Siconos from the stage's start, judged by the certificate.
static CondStatus run_siconos(const BenchStage* stage, double own, CondSiconosWay way, int limit,
                              const BenchReference* ours, BenchPeerTime* time, int* iterations)
{
    const CondProblem* problem = stage->problem_of_step;
    const CondSolverSettings* settings = &cond_model_settings(stage->model)->solver;
    CondCertificate certificate = {.dynamics = INFINITY};
    double* v = copy_start(stage);
    CondStatus status = v ? cond_siconos_solve(memory_context(), problem, own, way, limit, v,
                                               v + problem->n_dof, &time->seconds, iterations)
                          : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_certify(memory_context(), problem, settings->law, settings->omega, v,
                              v + problem->n_dof, &certificate);
    time->residual = cond_certificate_residual(&certificate);
    time->difference = status ? NAN : compare(problem, v, ours);
    free(v);
    return status;
}

// Siconos stops by its own error: lower tolerances are tried, each from the start, until the
// certificate holds; the time is that of the last try.
static BenchPeerTime try_siconos(const BenchStage* stage, double tolerance, CondSiconosWay way,
                                 const BenchReference* ours)
{
    BenchPeerTime few = no_time(NULL), time = no_time(NULL);
    int iterations = 0;
    CondStatus status = run_siconos(stage, tolerance, way, FEW, ours, &few, &iterations);
    if (!status)
        status = run_siconos(stage, tolerance, way, MORE, ours, &time, &iterations);
    int most = iterations_within(ours->limit, few.seconds, time.seconds);
    for (double own = 10.0 * tolerance; own > 1e-5 * tolerance && !status; own *= 0.1) {
        status = run_siconos(stage, own, way, most, ours, &time, &iterations);
        if (!status && time.residual <= tolerance)
            return time;
        if (iterations >= most)
            break;
    }
    if (status)
        return no_time(status == COND_NOT_SUPPORTED ? "not its problem" : cond_status_name(status));
    time.difference = NAN;
    time.at_least = iterations >= most && most < MAX_ITERATIONS;
    time.note = time.at_least ? LIMITED : "not converged";
    time.seconds = time.at_least ? time.seconds : NAN;
    return time;
}

// The fastest of its ways.
static BenchPeerTime time_siconos(const BenchStage* stage, double tolerance,
                                  const BenchReference* ours)
{
    if (!cond_siconos_available())
        return no_time("not installed");
    if (stage->problem_of_step->n_contact == 0)
        return no_time("no contacts");
    BenchPeerTime best = no_time("not converged");
    static const CondSiconosWay ways[] = {COND_SICONOS_NORM, COND_SICONOS_BALANCED,
                                          COND_SICONOS_GIVEN};
    for (int k = 0; k < 3; k++) {
        BenchPeerTime time = try_siconos(stage, tolerance, ways[k], ours);
        int better = isnan(best.seconds) || (best.at_least && !time.at_least) ||
                     (best.at_least == time.at_least && time.seconds < best.seconds);
        if (k == 0 || (isfinite(time.seconds) && better))
            best = time;
        if (best.note && !best.at_least && strcmp(best.note, "not its problem") == 0)
            break;
    }
    return best;
}

static BenchPeerTime time_peer(BenchPeer peer, const BenchStage* stage, double tolerance,
                               const BenchReference* ours)
{
    CondLaw law = cond_model_settings(stage->model)->solver.law;
    switch (peer) {
    case BENCH_PEER_FACTORISATION:
        return time_factorisation(stage);
    case BENCH_PEER_PGS:
        return time_baseline("pgs", law, stage, tolerance, ours);
    case BENCH_PEER_APGD: // it solves, and is judged by, the convex law
        return time_baseline("apgd", COND_LAW_PROXIMAL, stage, tolerance, ours);
    case BENCH_PEER_SICONOS:
        return time_siconos(stage, tolerance, ours);
    case BENCH_N_PEER:
        break;
    }
    return no_time("unknown");
}

BenchPeerTime bench_peer_time(BenchPeer peer, const BenchStage* stage, double tolerance,
                              int threads, const BenchReference* ours)
{
    solvers_say_left_out("peers are");
    int before = cond_baseline_set_threads(peer == BENCH_PEER_FACTORISATION ? threads : 1);
    BenchPeerTime time = time_peer(peer, stage, tolerance, ours);
    cond_baseline_set_threads(before);
    return time;
}
