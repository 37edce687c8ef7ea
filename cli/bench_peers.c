#include "bench_peers.h"

#include "solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef COND_BASELINES
#include "cond/baselines.h"
#else
typedef enum CondSiconosWay {
    COND_SICONOS_GIVEN = 0,
    COND_SICONOS_NORM = 1,
    COND_SICONOS_BALANCED = 2
} CondSiconosWay;

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

static const double LONG_WAIT = 5.0; // [s] after which no faster way is looked for
enum { FACTORISATIONS = 3, MAX_ITERATIONS = 20000, SICONOS_ITERATIONS = 3000 };

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
    CondStatus status = cond_baseline_factorise(NULL, stage->problem_of_step, FACTORISATIONS, s);
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

static BenchPeerTime time_baseline(const char* name, CondLaw law, const BenchStage* stage,
                                   double tolerance, const BenchReference* ours)
{
    const CondProblem* problem = stage->problem_of_step;
    CondSolverSettings settings = cond_model_settings(stage->model)->solver;
    CondSolver* solver = NULL;
    CondSolveInfo info;
    CondError error;
    BenchPeerTime time = no_time("not installed");
    settings.stop = COND_STOP_CERTIFICATE;
    settings.tolerance = tolerance;
    settings.max_iterations = MAX_ITERATIONS;
    settings.threads = 1;
    settings.law = law;
    for (int k = 0; solvers_name(k); k++)
        if (strcmp(solvers_name(k), name) == 0 &&
            solvers_create(name, &settings, &solver, &error) == COND_OK)
            break;
    if (!solver)
        return time;
    // The second solve has the analysis of the pattern at hand, as in a running scene.
    for (int k = 0; k < 2; k++) {
        double* v = copy_start(stage);
        CondStatus status =
            v ? cond_solver_solve(solver, problem, v, v + problem->n_dof, &info) : COND_DIVERGED;
        time = (BenchPeerTime){.seconds = status == COND_OK ? info.seconds : NAN,
                               .residual = cond_certificate_residual(&info.certificate),
                               .difference = law == COND_LAW_STRICT && status == COND_OK
                                                 ? compare(problem, v, ours)
                                                 : NAN,
                               .note = status == COND_OK ? NULL : "not converged"};
        free(v);
        if (status != COND_OK)
            break;
    }
    cond_solver_destroy(solver);
    return time;
}

// Siconos stops by its own error: lower tolerances are tried, each from the start, until the
// certificate holds; the time is that of the last try.
static BenchPeerTime try_siconos(const BenchStage* stage, double tolerance, CondSiconosWay way,
                                 const BenchReference* ours)
{
    const CondProblem* problem = stage->problem_of_step;
    const CondSolverSettings* settings = &cond_model_settings(stage->model)->solver;
    BenchPeerTime time = no_time("not converged");
    for (double own = 10.0 * tolerance; own > 1e-5 * tolerance; own *= 0.1) {
        double *v = copy_start(stage), seconds;
        int iterations;
        CondCertificate certificate = {.dynamics = INFINITY};
        CondStatus status = v ? cond_siconos_solve(NULL, problem, own, way, SICONOS_ITERATIONS, v,
                                                   v + problem->n_dof, &seconds, &iterations)
                              : COND_OUT_OF_MEMORY;
        if (!status)
            status = cond_certify(NULL, problem, settings->law, settings->omega, v,
                                  v + problem->n_dof, &certificate);
        double residual = cond_certificate_residual(&certificate);
        if (!status && residual <= tolerance)
            time = (BenchPeerTime){seconds, residual, compare(problem, v, ours), NULL};
        else
            time.residual = residual;
        free(v);
        if (status == COND_NOT_SUPPORTED)
            return no_time("not its problem");
        if (status || !time.note || iterations >= SICONOS_ITERATIONS)
            break;
    }
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
    for (int k = 0; k < 3 && !(best.seconds > LONG_WAIT); k++) {
        BenchPeerTime time = try_siconos(stage, tolerance, ways[k], ours);
        if (best.note || (!time.note && time.seconds < best.seconds))
            best = time;
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
    int before = cond_baseline_set_threads(peer == BENCH_PEER_FACTORISATION ? threads : 1);
    BenchPeerTime time = time_peer(peer, stage, tolerance, ours);
    cond_baseline_set_threads(before);
    return time;
}
