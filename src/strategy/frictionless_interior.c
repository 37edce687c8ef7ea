// An interior-point method for the same problem, for islands in which conjugate gradients find the
// contacts that carry a force too slowly: walls, where most contacts just touch. With s = u_n the
// gaps' velocities and products z s = mu that fall to zero, Newton's step is
//     A dv - Jn' dz    = -r          r = A v - Jn' z
//     Jn dv - ds       = -e          e = Jn v + phi - s
//     s dz + z ds      =  c          c = target - z s, in the second solve less dz ds of the first
// or  (A + Jn' (z/s) Jn) dv = -r + Jn' (c - z e)/s: Mehrotra's predictor and corrector, one
// factorisation for both. It starts with the forces that conjugate gradients have reached, moved
// into the interior by as much as these are wrong.
#include "strategy/frictionless.h"

#include "law/tuning.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SIX = COND_FRICTIONLESS_SIX, MOST_STEPS = 60 };

static const double TO_BOUNDARY = 0.99; // of the way to the boundary is gone
static const double LEAST_STEP = 1e-3;  // shorter ones are rounding, or there is no solution

// The contacts from first to last - 1 of a problem.
typedef struct Interior {
    CondFrictionless* f;
    const CondProblem* problem;
    int first, last;
    double mu; // mean of z s
} Interior;

static CondStatus reserve(const Interior* in)
{
    CondFrictionless* f = in->f;
    int n = in->problem->n_dof + 2 * SIX, nc = in->problem->n_contact;
#define RESERVE(array, count) COND_RESERVE(&f->arena, f->array, count)
    if (RESERVE(force, nc) || RESERVE(slack, nc) || RESERVE(d_force, nc) || RESERVE(d_slack, nc) ||
        RESERVE(off, nc) || RESERVE(aim, nc) || RESERVE(gain, 9 * nc) || RESERVE(v, n) ||
        RESERVE(dv, n) || RESERVE(r, n))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    memset(f->gain, 0, 9 * (size_t)nc * sizeof *f->gain);
    memset(f->v, 0, (size_t)n * sizeof *f->v);
    memset(f->dv, 0, (size_t)n * sizeof *f->dv);
    return COND_OK;
}

// The pair at hand, inside by `error`, the largest of the law at it. Scales of the contacts make
// the products alike: sqrt(D_cc) for s, 1/sqrt(D_cc) for z.
static void start(const Interior* in, double error)
{
    CondFrictionless* f = in->f;
    double mean = 0.0;
    for (int k = in->first; k < in->last; k++)
        mean += f->diagonal[k] / (in->last - in->first);
    for (int k = in->first; k < in->last; k++) {
        f->force[k] = fmax(f->z[k], error / sqrt(f->diagonal[k] * mean));
        f->slack[k] = fmax(f->g[k], error * sqrt(f->diagonal[k] / mean));
        for (int i = 0; i < SIX; i++)
            f->v[f->row[k].at[0] + i] += f->z[k] * f->row[k].W[i];
        for (int i = 0; i < SIX && f->row[k].at[1] < in->problem->n_dof; i++)
            f->v[f->row[k].at[1] + i] += f->z[k] * f->row[k].W[SIX + i];
    }
}

// r, e and mu at the pair; returns the error of the law over the velocity at play.
static double look(Interior* in)
{
    CondFrictionless* f = in->f;
    double error = 0.0, speed = 0.0, sum = 0.0;
    cond_problem_multiply(in->problem, f->v, f->r);
    for (int k = in->first; k < in->last; k++) {
        double z = f->force[k], moved = cond_frictionless_velocity(&f->row[k], f->v);
        double u = moved + f->phi[k];
        f->off[k] = u - f->slack[k];
        sum += z * f->slack[k];
        error = fmax(error, u < 0.0 ? -u : fmin(u, f->gamma[k] * z));
        speed = fmax(speed, fabs(moved));
        cond_frictionless_push(&f->row[k], -z, f->r);
    }
    in->mu = sum / (in->last - in->first);
    return error / speed;
}

// Longest step, at most 1, for which forces and gaps stay positive.
static double longest(const Interior* in)
{
    const CondFrictionless* f = in->f;
    double a = INFINITY;
    for (int k = in->first; k < in->last; k++) {
        if (f->d_force[k] < 0.0)
            a = fmin(a, -f->force[k] / f->d_force[k]);
        if (f->d_slack[k] < 0.0)
            a = fmin(a, -f->slack[k] / f->d_slack[k]);
    }
    return a;
}

// The direction for products that are to be `target`; corrected: with the squares of the last one.
static void direct(const Interior* in, double target, int corrected)
{
    CondFrictionless* f = in->f;
    int n = in->problem->n_dof;
    for (int i = 0; i < n; i++)
        f->dv[i] = -f->r[i];
    for (int k = in->first; k < in->last; k++) {
        double square = corrected ? f->d_force[k] * f->d_slack[k] : 0.0;
        f->aim[k] = target - f->force[k] * f->slack[k] - square;
        cond_frictionless_push(&f->row[k], (f->aim[k] - f->force[k] * f->off[k]) / f->slack[k],
                               f->dv);
    }
    cond_factored_system_solve(&f->system, f->dv);
    memset(f->dv + n, 0, 2 * SIX * sizeof *f->dv); // the ground
    for (int k = in->first; k < in->last; k++) {
        f->d_slack[k] = cond_frictionless_velocity(&f->row[k], f->dv) + f->off[k];
        f->d_force[k] = (f->aim[k] - f->force[k] * f->d_slack[k]) / f->slack[k];
    }
}

// mu after a step of length a.
static double foresee(const Interior* in, double a)
{
    const CondFrictionless* f = in->f;
    double sum = 0.0;
    for (int k = in->first; k < in->last; k++)
        sum += (f->force[k] + a * f->d_force[k]) * (f->slack[k] + a * f->d_slack[k]);
    return sum / (in->last - in->first);
}

static CondStatus step(Interior* in, double* a)
{
    CondFrictionless* f = in->f;
    for (int k = in->first; k < in->last; k++)
        f->gain[(ptrdiff_t)9 * f->contact[k]] = f->force[k] / f->slack[k];
    CondStatus status = cond_factored_system_build(&f->system, in->problem, f->gain, 9);
    if (status)
        return status;
    direct(in, 0.0, 0);
    double left = foresee(in, fmin(1.0, longest(in))) / in->mu;
    direct(in, in->mu * left * left * left, 1);
    *a = fmin(1.0, TO_BOUNDARY * longest(in));
    for (int k = in->first; k < in->last; k++) {
        f->force[k] += *a * f->d_force[k];
        f->slack[k] += *a * f->d_slack[k];
    }
    for (int i = 0; i < in->problem->n_dof; i++)
        f->v[i] += *a * f->dv[i];
    return COND_OK;
}

CondStatus cond_frictionless_interior(CondFrictionless* f, const CondProblem* problem, int first,
                                      int last, double error, double tolerance, int* passes)
{
    Interior in = {f, problem, first, last, 0.0};
    int serves = 0;
    CondStatus status = reserve(&in);
    if (!status)
        status = cond_factored_system_plan(&f->system, problem, &serves);
    if (status || !serves)
        return status ? status : COND_NOT_CONVERGED;
    start(&in, error);
    for (int i = 0; i < MOST_STEPS; i++) {
        double a = 0.0, residual = look(&in);
        if (residual <= tolerance) {
            memcpy(f->z + first, f->force + first, (size_t)(last - first) * sizeof *f->z);
            return COND_OK;
        }
        if (!isfinite(residual))
            return COND_NOT_CONVERGED;
        ++*passes;
        status = step(&in, &a);
        if (status == COND_OUT_OF_MEMORY)
            return status;
        if (status || !(a > LEAST_STEP))
            return COND_NOT_CONVERGED;
    }
    return COND_NOT_CONVERGED;
}
