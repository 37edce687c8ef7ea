// The solvers that COND is compared with. They are in a library of their own, libcond_baselines,
// which uses CHOLMOD; libcond never needs it.
//
//     pgs              projected Gauss-Seidel, exact one-contact solves     either law
//     pgs-simplicial   the same with a simplicial factorisation
//     pgs-paper        projection step and simplicial factorisation, as in the paper
//     apgd             accelerated projected gradient descent               proximal law only
//     apgd-simplicial  the same with a simplicial factorisation
//     ccs              splitting of dynamics and contact (ADMM)             either law
//
// A solver is made by cond_solver_create_from(context, cond_baseline("pgs"), ...) and used like any
// other. CondSolveInfo.delassus_seconds is the time of factorisations and of the Delassus operator;
// products counts the sweeps, the products with the Delassus operator or the solves, depending on
// the method.
#ifndef COND_BASELINES_H
#define COND_BASELINES_H

#include "cond/sim.h"
#include "cond/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// Names in table order; NULL past the end.
COND_BASELINES_API const char* cond_baseline_name(int index);

// The solver of that name, NULL when there is none.
COND_BASELINES_API const CondSolverOps* cond_baseline(const char* name);

// Sets the number of threads of BLAS in the whole process; returns the previous number.
COND_BASELINES_API int cond_baseline_set_threads(int threads);

// Times CHOLMOD's numerical supernodal factorisation of A; the symbolic analysis is not timed.
//                                                                                 seconds (n)
COND_BASELINES_API CondStatus cond_baseline_factorise(const CondContext* context,
                                                      const CondProblem* problem, int n,
                                                      double* seconds);

// How the ADMM of Siconos chooses its penalty. The fastest choice depends on the problem.
typedef enum CondSiconosWay {
    COND_SICONOS_GIVEN = 0,    // its default: a given constant
    COND_SICONOS_NORM = 1,     // a constant, from the norms of the matrices
    COND_SICONOS_BALANCED = 2, // from the norms, then adapted to the residuals
} CondSiconosWay;
COND_ENUM_NAMES(COND_BASELINES_API, CondSiconosWay, cond_siconos_way)

// The global ADMM of Siconos, where the library was built with it. *seconds is the time of its
// driver alone. v and lambda hold the start and receive the answer. The tolerance is that of
// Siconos' own error; check the answer with cond_certify. COND_NOT_SUPPORTED: not built in, or the
// problem has elliptic cones or contacts that slip by a finite kv. Siconos takes its memory from
// the C library and keeps settings in globals: call it from one thread at a time.
COND_BASELINES_API int cond_siconos_available(void);
COND_BASELINES_API CondStatus cond_siconos_solve(const CondContext* context,
                                                 const CondProblem* problem, double tolerance,
                                                 CondSiconosWay way, int max_iterations, double* v,
                                                 double* lambda, double* seconds, int* iterations);

// Bullet, an engine for games and robots, where the library was built with it. It simulates the
// rigid bodies, planes, obstacles, forces and ball joints of a scene, starting at a state, with its
// default solver and the given number of iterations (Bullet's default is 10). Attachments become
// ideal ball joints. Bodies never sleep. Lengths are scaled internally so that the thinnest body is
// a tenth of a metre, as Bullet's manual recommends. COND_NOT_SUPPORTED: not built in, or the scene
// has anything else.
typedef struct CondBullet CondBullet;
typedef struct CondBulletInfo {
    double seconds; // of its step alone
    double energy;  // kinetic and gravitational, after it [J]
    int contacts;   // points in its manifolds
} CondBulletInfo;

COND_BASELINES_API int cond_bullet_available(void);
COND_BASELINES_API CondStatus cond_bullet_create(const CondModel* model, const CondState* state,
                                                 int iterations, CondBullet** bullet,
                                                 CondError* error);
// One step; the poses are written into `state`, which may be any state of the model.
COND_BASELINES_API CondStatus cond_bullet_step_sized(CondBullet* bullet, CondState* state,
                                                     CondBulletInfo* info, size_t size);
static inline CondStatus cond_bullet_step(CondBullet* bullet, CondState* state,
                                          CondBulletInfo* info)
{
    return cond_bullet_step_sized(bullet, state, info, sizeof(CondBulletInfo));
}
// Calls `see` with every contact of the last step. `impulse` is that of Bullet's solver and
// `velocity` is that of the point after the step; `force`, `plane`, `part` and `other_part` are not
// known.
typedef void (*CondBulletSee)(void* data, const CondContactInfo* contact);
COND_BASELINES_API void cond_bullet_contacts(const CondBullet* bullet, CondBulletSee see,
                                             void* data);
COND_BASELINES_API void cond_bullet_destroy(CondBullet* bullet);

#ifdef __cplusplus
}
#endif
#endif
