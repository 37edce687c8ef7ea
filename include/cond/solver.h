// Velocity solvers: CondProblem -> v, lambda, certificate. Chosen by name at run time.
#ifndef COND_SOLVER_H
#define COND_SOLVER_H

#include "cond/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CondSurrogateKind {
    COND_SURROGATE_FROBENIUS = 0,      // diagonal W that minimises |I - W A|_F (Sec. IV-C)
    COND_SURROGATE_BB1 = 1,            // W = alpha I, alpha = s's / s'z
    COND_SURROGATE_BB2 = 2,            // W = alpha I, alpha = s'z / z'z
    COND_SURROGATE_BB_ALTERNATING = 3, // bb1 and bb2 in turn
    COND_SURROGATE_SPECTRUM = 4,       // W = alpha I, alpha = 2 / (sigma_min + sigma_max)
    COND_SURROGATE_BLOCK = 5, // exact inverse of every dense body block, virtual nodes included
} CondSurrogateKind;

typedef enum CondAcceleratorKind {
    COND_ACCELERATOR_NONE = 0,
    COND_ACCELERATOR_CHEBYSHEV = 1, // Alg. 3
    COND_ACCELERATOR_ANDERSON = 2,  // least squares over the last iterates, restarted when it fails
    COND_ACCELERATOR_NEWTON = 3,    // with the certificate stop: Newton's method, with conjugate
                                    // gradients for soft bodies and a factorisation for all others
                                    // (docs/strategy.md); with the step stop as anderson
    COND_ACCELERATOR_PRIMAL_DUAL = 3 // deprecated: COND_ACCELERATOR_NEWTON
} CondAcceleratorKind;

typedef enum CondStop {
    COND_STOP_CERTIFICATE = 0, // max(dynamics, contact) of the certificate <= tolerance
    COND_STOP_STEP = 1,        // |v^{l+1} - v^l| < tolerance [m/s], the paper's test
} CondStop;

// Use of the multilevel preconditioner in the conjugate gradients of Newton steps.
typedef enum CondMultilevelUse {
    COND_MULTILEVEL_AUTO = 0, // from the Newton step on in which plain CG needs many iterations
    COND_MULTILEVEL_ON = 1,   // always
    COND_MULTILEVEL_OFF = 2,  // never
} CondMultilevelUse;

// Storage of the matrices of soft bodies in iterations. The results are corrected in double
// precision, and the certificate is the same.
typedef enum CondStorage {
    COND_STORAGE_AUTO = 0,   // single precision in Newton steps, double in V-FPI
    COND_STORAGE_DOUBLE = 1, // double in both, except in steps with the multilevel preconditioner
    COND_STORAGE_FLOAT = 2,  // single precision in both: half the memory traffic
} CondStorage;

// The device of Newton's method in problems with soft bodies (docs/gpu.md).
typedef enum CondDeviceKind {
    COND_DEVICE_CPU = 0,  //
    COND_DEVICE_CUDA = 1, // the first CUDA device; refused where there is none
    COND_DEVICE_AUTO = 2, // CUDA if the library supports it and finds a device, else the CPU
} CondDeviceKind;

COND_ENUM_NAMES(COND_API, CondDeviceKind, cond_device)
COND_ENUM_NAMES(COND_API, CondSurrogateKind, cond_surrogate)
COND_ENUM_NAMES(COND_API, CondAcceleratorKind, cond_accelerator)
COND_ENUM_NAMES(COND_API, CondStop, cond_stop)
COND_ENUM_NAMES(COND_API, CondMultilevelUse, cond_multilevel)
COND_ENUM_NAMES(COND_API, CondStorage, cond_storage)

// Initialise with cond_solver_settings_default() or _paper(), then change fields.
typedef struct CondSolverSettings {
    size_t struct_size; // of this struct, by its default function
    CondLaw law;
    double omega;                    // regularisation of the invertible law [m/(N s)]; 0: none
    CondSurrogateKind surrogate;     //
    CondAcceleratorKind accelerator; //
    CondMultilevelUse multilevel;    //
    CondStorage storage;             //
    CondStop stop;                   //
    double tolerance;                // relative for certificate, m/s for step
    int max_iterations;              // over all outer iterations
    int max_outer;                   // outer iterations of the multiplier (only with kv = INFINITY)
    double kv_scale;                 // kv = INFINITY is solved with kv_scale / Delassus scale
    int chebyshev_start;             // l_s of Alg. 3, from 1
    double under_relaxation;         // u of Alg. 3, in (0, 1]
    int anderson_depth;              // differences kept, from 1
    int reuse;                       // number of solves that use a W before it is rebuilt, from 1
    int fallback;                    // 1: the stages after V-FPI may run (certificate stop)
    int relax;                       // deprecated: without effect
    int pair_weights; // Frobenius: 1 one weight for both nodes of a D-contact (paper)
    int threads; // up to COND_MAX_THREADS; 0: OMP_NUM_THREADS, else all processors; the result does
                 // not depend on it
    CondDeviceKind device; //
    double room[15]; // reserved, zero: later settings use it, so that CondSceneSettings keeps its
                     // layout
} CondSolverSettings;

COND_DEFAULT(COND_API, CondSolverSettings, cond_solver_settings_default)
// The settings of the paper: Frobenius, Chebyshev, step-length stop at 1e-4.
COND_DEFAULT(COND_API, CondSolverSettings, cond_solver_settings_paper)
// COND_OK or COND_BAD_ARGUMENT with a message that names the field.
COND_API CondStatus cond_solver_settings_check(const CondSolverSettings* settings,
                                               CondError* error);

// The stage of the strategy that found the answer (docs/strategy.md). Recordings store these
// numbers.
typedef enum CondSolvedBy {
    COND_BY_OTHER = 0,           // unknown: solvers without a strategy
    COND_BY_START = 1,           // the start met the tolerance
    COND_BY_VFPI = 2,            // V-FPI
    COND_BY_NEWTON = 3,          // Newton's method with conjugate gradients
    COND_BY_FACTORED_NEWTON = 4, // Newton's method with a factorisation
    COND_BY_INTERIOR_POINT = 5,  // the interior-point method, followed by Newton steps
    COND_BY_FRICTION_PATH = 9,   // deprecated: in recordings of 0.1
    COND_BY_SUBSTEPS = 11,       // of a time step: substeps, all of which reached the tolerance
    COND_BY_RELAXED_LAW = 12,    // deprecated: in recordings of 0.1
    COND_BY_NONE = 13,           // no stage reached the tolerance: the best answer found
    COND_N_SOLVED_BY = 14
} CondSolvedBy;
// NULL for an unused number.
COND_ENUM_NAMES(COND_API, CondSolvedBy, cond_solved_by)

typedef struct CondSolveInfo {
    CondStatus status; // COND_OK, COND_NOT_CONVERGED or COND_DIVERGED
    int iterations;    // of V-FPI, and of conjugate gradients in Newton steps
    int cg_iterations; // of these, the latter
    int outer;         // iterations of the multiplier loop; 0: the start met the tolerance
    int products;      // products with A; those with a block of A count as fractions, rounded up
    int restarts;      // of the accelerator
    int passes;        // Newton steps, and iterations of the interior-point method
    int virtual_nodes; //
    CondSolvedBy solved_by;      // stage that found the answer
    int relaxed;                 // deprecated: 0
    double relaxed_residual;     // deprecated: 0
    double step_length;          // |v^{l+1} - v^l| of the last iteration [m/s]
    double seconds;              // wall clock, preparation included
    double delassus_seconds;     // of these: factorisation and Delassus operator (baselines)
    CondCertificate certificate; // of the answer handed back
} CondSolveInfo;

typedef struct CondSolver CondSolver;

// The function table of a solver; its functions share a workspace. libcond has a list of solvers,
// and other libraries may add more (cond/baselines.h).
typedef struct CondSolverOps {
    const char* name;
    // A workspace, or NULL when memory is short.
    void* (*create)(const CondContext* context, const CondSolverSettings* settings);
    // As cond_solver_solve, which sets info to zero before the call, and status and seconds after
    // it.
    CondStatus (*solve)(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info);
    const double* (*history)(const void* work, int* n);
    void (*destroy)(void* work);
    // Discards data kept from earlier solves (settings.reuse); NULL: none are kept.
    void (*reset)(void* work);
    // Deprecated: never called.
    const int* (*relaxed)(const void* work, int* n);
    // As cond_solver_prepare; called before every solve. NULL: solve needs no preparation.
    CondStatus (*prepare)(void* work, const CondProblem* problem);
    // Deprecated: never called.
    int (*hurry)(void* work, int brief);
    int (*draft)(void* work, int rough);
} CondSolverOps;

// The name of the device that COND_DEVICE_CUDA selects; NULL: there is none, and *reason, unless
// NULL, says why. Valid until the next call in the thread.
COND_API const char* cond_device_cuda_name(const char** reason);

// Names of the solvers, in table order; NULL past the end.
COND_API const char* cond_solver_name(int index);

// The present name of a solver or an accelerator that was renamed since version 0.1: "strategy" for
// "vfpi", "newton" for "primal-dual". Any other name is returned unchanged. Old names are accepted
// wherever a solver or an accelerator is named.
COND_API const char* cond_solver_present_name(const char* name);

// Creates a workspace for one thread. It grows to the largest problem seen and then does not
// allocate.
COND_API CondStatus cond_solver_create(const CondContext* context, const char* name,
                                       const CondSolverSettings* settings, CondSolver** solver,
                                       CondError* error);

// The same with a solver that is not in the table. ops must outlive the workspace.
COND_API CondStatus cond_solver_create_from_sized(const CondContext* context,
                                                  const CondSolverOps* ops,
                                                  const CondSolverSettings* settings,
                                                  CondSolver** solver, CondError* error,
                                                  size_t size);
static inline CondStatus cond_solver_create_from(const CondContext* context,
                                                 const CondSolverOps* ops,
                                                 const CondSolverSettings* settings,
                                                 CondSolver** solver, CondError* error)
{
    return cond_solver_create_from_sized(context, ops, settings, solver, error,
                                         sizeof(CondSolverOps));
}

// Prepares the solve of a problem: finds the islands and nodalizes their contacts. The next
// cond_solver_solve uses the result, if the problem has not changed in between; without this call
// it prepares the problem itself.
COND_API CondStatus cond_solver_prepare(CondSolver* solver, const CondProblem* problem);

// Solves. v (n_dof) and lambda (n_contact x 3) hold the warm start on entry (zeros are fine) and
// the answer on return: with the certificate stop the best certified pair that was seen, never
// worse than the start; with the step stop the last one. The problem is not checked here
// (cond_problem_check), except that non-finite numbers end in COND_DIVERGED. Returns info->status,
// or a negative status if it failed or was cancelled by its context; v and lambda are then
// undefined.
COND_API CondStatus cond_solver_solve(CondSolver* solver, const CondProblem* problem, double* v,
                                      double* lambda, CondSolveInfo* info);

// Step lengths |v^{l+1} - v^l| of the last solve, one per iteration of V-FPI; owned by the solver.
COND_API const double* cond_solver_history(const CondSolver* solver, int* n);

// Deprecated: NULL, and *n is 0. No law is relaxed since 0.2.
COND_API const int* cond_solver_relaxed(const CondSolver* solver, int* n);

// Discards data that earlier solves kept (settings.reuse): the next solve depends on its problem
// and its start alone.
COND_API void cond_solver_reset(CondSolver* solver);

COND_API void cond_solver_destroy(CondSolver* solver);

// Reference for the cost of contact solvers: solves A v = b without contacts by conjugate
// gradients, preconditioned with the diagonal blocks of nodes, links and dense bodies. It starts at
// the given v and stops when the dynamics field of the certificate is at most the tolerance, or
// after max_products. *products counts the products with A, including that of the first residual.
// history, unless NULL, gets the dynamics field after each product (max_products).
// COND_NOT_CONVERGED after max_products, COND_DIVERGED if A is not positive definite; v is then the
// last iterate.
COND_API CondStatus cond_contactless_solve(const CondContext* context, const CondProblem* problem,
                                           double tolerance, int max_products, int threads,
                                           double* v, int* products, double* history);

#ifdef __cplusplus
}
#endif
#endif
