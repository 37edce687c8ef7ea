// With z_1 = lambda - low, z_2 = high - lambda and w = u + c lambda the law says y, z >= 0,
// w = y_1 - y_2, y_i z_i = 0. Newton's step on y_i z_i = mu, with dz_1 = -dz_2 = dlambda,
//     dy_1 = rc_1 - (y_1/z_1) dlambda,          rc_i = (mu - y_i z_i)/z_i
//     dy_2 = rc_2 + (y_2/z_2) dlambda
//     du + c dlambda - dy_1 + dy_2 = -rp,       rp = w - y_1 + y_2
// leaves du + (c + y_1/z_1 + y_2/z_2) dlambda = rc_1 - rc_2 - rp: one row of what a cone gives,
// with W^2 = y_1/z_1 + y_2/z_2 and rc_0 = rc_1 - rc_2.
#include "newton/interior_interval.h"

#include "newton/tuning.h"

#include <math.h>
#include <stddef.h>

// 1: bound i (1 or 2) is one that the force can be near to.
static int has_bound(const CondContact* contact, int i)
{
    return isfinite(contact->bound[i - 1]) && contact->bound[0] < contact->bound[1];
}

int cond_interior_interval_pairs(const CondContact* contact)
{
    return has_bound(contact, 1) + has_bound(contact, 2);
}

// Number i of an array.
static double* number(double* array, int i)
{
    return array + (ptrdiff_t)COND_LANES * i;
}

static void set_zero(double* array, int n)
{
    for (int i = 0; i < n; i++)
        *number(array, i) = 0.0;
}

void cond_interior_interval_begin(const CondInteriorInterval* at, double force, double mean)
{
    double low = at->contact->bound[0], high = at->contact->bound[1];
    double room = fmin(force, 0.5 * (high - low)); // from each bound
    double lambda = fmin(fmax(0.0, low + room), high - room);
    set_zero(at->y, 3);
    set_zero(at->z, 3);
    *number(at->z, 0) = lambda;
    for (int i = 1; i <= 2; i++)
        if (has_bound(at->contact, i)) {
            *number(at->z, i) = fmax(i == 1 ? lambda - low : high - lambda, room);
            *number(at->y, i) = mean / *number(at->z, i);
        }
}

void cond_interior_interval_linearise(const CondInteriorInterval* at, double velocity, double slip,
                                      double gamma)
{
    double stiff = 0.0;
    for (int i = 1; i <= 2; i++)
        stiff += has_bound(at->contact, i) ? *number(at->y, i) / *number(at->z, i) : 0.0;
    set_zero(at->rp, 3);
    set_zero(at->w, 3);
    set_zero(at->M, 9);
    *number(at->rp, 0) = velocity - *number(at->y, 1) + *number(at->y, 2);
    *at->eta = sqrt(stiff);
    *number(at->w, 0) = 1.0;
    // A given force has no step. An equality, which has no barrier, is held with the resistance of
    // Newton steps; the refinement of the direction takes out what that leaves.
    if (at->contact->bound[0] < at->contact->bound[1])
        *number(at->M, 0) =
            1.0 / (stiff > 0.0 ? slip + stiff : fmax(slip, COND_RESISTANCE_FACTORED * gamma));
}

void cond_interior_interval_aim(const CondInteriorInterval* at, double aim, int correct)
{
    set_zero(at->r, 3);
    for (int i = 1; i <= 2; i++)
        if (has_bound(at->contact, i)) {
            double more = correct ? *number(at->dy, i) * *number(at->dz, i) : 0.0;
            *number(at->r, i) = (aim - more) / *number(at->z, i) - *number(at->y, i);
        }
    *at->r = *number(at->r, 1) - *number(at->r, 2) - *at->rp;
}

void cond_interior_interval_direct(const CondInteriorInterval* at)
{
    *at->dy = 0.0;
    for (int i = 1; i <= 2; i++) {
        int has = has_bound(at->contact, i);
        double dz = !has ? 0.0 : i == 1 ? *at->dz : -*at->dz;
        *number(at->dz, i) = dz;
        *number(at->dy, i) =
            has ? *number(at->r, i) - *number(at->y, i) / *number(at->z, i) * dz : 0.0;
    }
}

double cond_interior_interval_longest(const CondInteriorInterval* at)
{
    double step = 1.0;
    for (int i = 1; i <= 2; i++) {
        if (*number(at->dy, i) < 0.0)
            step = fmin(step, -*number(at->y, i) / *number(at->dy, i));
        if (*number(at->dz, i) < 0.0)
            step = fmin(step, -*number(at->z, i) / *number(at->dz, i));
    }
    return step;
}
