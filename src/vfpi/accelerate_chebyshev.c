// Alg. 3:  nu = 1 (l < l_s), 2 / (2 - rho^2) (l = l_s), 4 / (4 - rho^2 nu) after;
//          rho = min(|v^l - v^{l-1}| / |v^{l-1} - v^{l-2}|, 1);
//          v^{l+1} = nu (u (v** - v^l) + v^l - v^{l-1}) + v^{l-1}.
// It is what the paper describes and nothing more: there is no guard against divergence.
#include "vfpi/accelerate.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

typedef struct ExtrapolateLoop {
    const CondAccelerator* a;
    const double *v, *plain;
    double* next;
} ExtrapolateLoop;

static void extrapolate(const void* loop, int first, int last)
{
    const ExtrapolateLoop* l = loop;
    const double *v = l->v, *plain = l->plain;
    const double nu = l->a->chebyshev.nu, under = l->a->chebyshev.under;
    double *v_old = l->a->v_old, *next = l->next;
    for (int i = first; i < last; i++) {
        double old = v_old[i];
        next[i] = nu * (under * (plain[i] - v[i]) + v[i] - old) + old;
        v_old[i] = v[i];
    }
}

void cond_chebyshev_weigh(CondChebyshev* c)
{
    double rho = c->step_old > 0.0 ? fmin(c->step / c->step_old, 1.0) : 0.0;
    int l = ++c->count;
    if (l < c->start)
        c->nu = 1.0;
    else if (l == c->start)
        c->nu = 2.0 / (2.0 - rho * rho);
    else
        c->nu = 4.0 / (4.0 - rho * rho * c->nu);
}

void cond_chebyshev_step(CondChebyshev* c, double step)
{
    c->step_old = c->step;
    c->step = step;
}

void cond_accelerate_chebyshev(CondAccelerator* a, const double* v, const double* plain,
                               double* next)
{
    int n = a->n;
    cond_chebyshev_weigh(&a->chebyshev);
    if (a->chebyshev.count == 1)
        memcpy(a->v_old, v, (size_t)n * sizeof *v); // v^0 = v^1: nu = 1 takes it out anyway
    ExtrapolateLoop loop = {a, v, plain, next};
    cond_parallel(n, cond_threads(4 * (size_t)n, a->threads), extrapolate, &loop);
}
