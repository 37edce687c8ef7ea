// Accelerators: from v^l and the plain iterate v** they propose v^{l+1}.
#ifndef COND_VFPI_ACCELERATE_H
#define COND_VFPI_ACCELERATE_H

#include "base/arena.h"
#include "cond/solver.h"

// The scalars of Alg. 3.
typedef struct CondChebyshev {
    int start;             // l_s
    double under;          // u
    int count;             // l
    double nu;             //
    double step, step_old; // |v^l - v^{l-1}| and the one before
} CondChebyshev;

typedef struct CondAccelerator {
    CondArena arena;
    CondAcceleratorKind kind;
    int n;           // coordinates
    int depth;       // Anderson: differences kept at most
    int threads;     //
    const double* w; // diagonal of W: norms are taken as sum x_i^2 / w_i        (n)
    int restarts;    // since the start of the solve
    int count;       // Anderson: iterations since the last restart
    CondChebyshev chebyshev;
    double* v_old;   // Chebyshev: v^{l-1}                                       (n)
    double* f_old;   // Anderson: last residual v** - v                          (n)
    double* g_best;  // Anderson: v** of the smallest residual                    (n)
    double* g_old;   // Anderson: last v**                                       (n)
    double* dG;      // Anderson: differences of v**, a ring                     (depth x n)
    double* Q;       // Anderson: orthonormal basis of the residual differences  (depth x n)
    double* R;       // Anderson: their upper triangle, column by column         (depth x depth)
    double* gamma;   // Anderson: coefficients                                   (depth)
    int columns;     // Anderson: differences held
    int oldest;      // index of the oldest one in dG
    double smallest; // Anderson: smallest residual since the last restart
} CondAccelerator;

// Starts a solve with n coordinates; w is the diagonal of the surrogate.
CondStatus cond_accelerator_begin(CondAccelerator* a, const CondSolverSettings* settings, int n,
                                  const double* w);
// Discards the history, after the iterated map has changed.
void cond_accelerator_restart(CondAccelerator* a);
// next = v^{l+1} from v = v^l and plain = v**; residual = |plain - v| in the norm above.
// next must be neither v nor plain. Returns |next - v|.
double cond_accelerator_propose(CondAccelerator* a, const double* v, const double* plain,
                                double residual, double* next);
void cond_accelerator_destroy(CondAccelerator* a);

// The scalars of Alg. 3, for loops that extrapolate by themselves: weigh computes c->nu of the next
// step, step takes the length of that step.
void cond_chebyshev_weigh(CondChebyshev* c);
void cond_chebyshev_step(CondChebyshev* c, double step);

// The kinds of accelerators.
void cond_accelerate_chebyshev(CondAccelerator* a, const double* v, const double* plain,
                               double* next);
void cond_accelerate_anderson(CondAccelerator* a, const double* v, const double* plain,
                              double residual, double* next);

#endif
