// With z_1 = lambda - low, z_2 = high - lambda and w = u + c lambda the law says y, z >= 0,
// w = y_1 - y_2, y_i z_i = 0. Newton's step on y_i z_i = mu, with dz_1 = -dz_2 = dlambda,
//     dy_1 = rc_1 - (y_1/z_1) dlambda,          rc_i = (mu - y_i z_i)/z_i
//     dy_2 = rc_2 + (y_2/z_2) dlambda
//     du + c dlambda - dy_1 + dy_2 = -rp,       rp = w - y_1 + y_2
// leaves du + (c + y_1/z_1 + y_2/z_2) dlambda = rc_1 - rc_2 - rp: one row of what a cone gives,
// with W^2 = y_1/z_1 + y_2/z_2 and rc_0 = rc_1 - rc_2.
#include "newton/interior_interval.h"

#include "law/tuning.h"

#include <math.h>
#include <string.h>

// 1: bound i (1 or 2) is one that the force can be near to.
static int has_bound(const CondContact* contact, int i)
{
    return isfinite(contact->bound[i - 1]) && contact->bound[0] < contact->bound[1];
}

int cond_interior_interval_pairs(const CondContact* contact)
{
    return has_bound(contact, 1) + has_bound(contact, 2);
}

void cond_interior_interval_begin(const CondInteriorInterval* at, double force, double mean)
{
    double low = at->contact->bound[0], high = at->contact->bound[1];
    double room = fmin(force, 0.5 * (high - low)); // from each bound
    double lambda = fmin(fmax(0.0, low + room), high - room);
    memset(at->y, 0, 3 * sizeof *at->y);
    memset(at->z, 0, 3 * sizeof *at->z);
    at->z[0] = lambda;
    for (int i = 1; i <= 2; i++)
        if (has_bound(at->contact, i)) {
            at->z[i] = fmax(i == 1 ? lambda - low : high - lambda, room);
            at->y[i] = mean / at->z[i];
        }
}

double cond_interior_interval_linearise(const CondInteriorInterval* at, double w, double slip,
                                        double gamma)
{
    const double *y = at->y, *z = at->z;
    double stiff = 0.0;
    for (int i = 1; i <= 2; i++)
        stiff += has_bound(at->contact, i) ? y[i] / z[i] : 0.0;
    memset(at->rp, 0, 3 * sizeof *at->rp);
    memset(at->W, 0, 9 * sizeof *at->W);
    memset(at->M, 0, 9 * sizeof *at->M);
    at->rp[0] = w - y[1] + y[2];
    at->W[0] = sqrt(stiff);
    // A given force has no step. An equality, which has no barrier, is held with the resistance of
    // Newton steps; the refinement of the direction takes out what that leaves.
    if (at->contact->bound[0] < at->contact->bound[1])
        at->M[0] =
            1.0 / (stiff > 0.0 ? slip + stiff : fmax(slip, COND_RESISTANCE_FACTORED * gamma));
    return y[1] * z[1] + y[2] * z[2];
}

void cond_interior_interval_aim(const CondInteriorInterval* at, double aim, int correct)
{
    double* rc = at->rc;
    memset(rc, 0, 3 * sizeof *rc);
    for (int i = 1; i <= 2; i++)
        if (has_bound(at->contact, i)) {
            double more = correct ? at->dy[i] * at->dz[i] : 0.0;
            rc[i] = (aim - more) / at->z[i] - at->y[i];
        }
    rc[0] = rc[1] - rc[2];
}

void cond_interior_interval_direct(const CondInteriorInterval* at)
{
    at->dy[0] = 0.0;
    for (int i = 1; i <= 2; i++) {
        int has = has_bound(at->contact, i);
        at->dz[i] = !has ? 0.0 : i == 1 ? at->dz[0] : -at->dz[0];
        at->dy[i] = has ? at->rc[i] - at->y[i] / at->z[i] * at->dz[i] : 0.0;
    }
}

double cond_interior_interval_longest(const CondInteriorInterval* at)
{
    double step = 1.0;
    for (int i = 1; i <= 2; i++) {
        if (at->dy[i] < 0.0)
            step = fmin(step, -at->y[i] / at->dy[i]);
        if (at->dz[i] < 0.0)
            step = fmin(step, -at->z[i] / at->dz[i]);
    }
    return step;
}
