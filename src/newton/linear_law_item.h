// The law of one contact linearised: linear_law.h for C and for CUDA.
//
// P is positively homogeneous, so P(x) = P'(x) x and Newton's step on lambda = P(x) is
//     lambda = P'(x) ((1 - c/gamma) lambda - u/gamma)
// with u and lambda new. The resistance puts u + sigma (lambda - lambda_old) in the place of u:
//     lambda = P'(x) ((1 - (c + sigma)/gamma) lambda - (u - sigma lambda_old)/gamma).
// Where P' has the eigenvalue 1 this says u + c lambda + sigma (lambda - lambda_old) = 0: such a
// direction is held with the gain 1/(c + sigma), and the force is carried along from step to step
// (the method of multipliers), so that u + c lambda vanishes in the end however large sigma is.
#ifndef COND_NEWTON_LINEAR_LAW_ITEM_H
#define COND_NEWTON_LINEAR_LAW_ITEM_H

#include "base/inline.h"
#include "law/law_item.h"
#include "math/scalar.h"
#include "math/vec3.h"
#include "newton/linear_law.h"

#include <float.h>
#include <math.h>

#define COND_LAW_ROUNDING (16.0 * DBL_EPSILON) // of a projection, over the force

// As cond_contact_law_project.
COND_DEVICE void cond_contact_law_project_item(CondLaw law, const CondContact* contact,
                                               const double* trial, double* lambda)
{
    if (contact->set == COND_FORCE_INTERVAL) {
        double clipped = fmin(fmax(trial[0], contact->bound[0]), contact->bound[1]);
        lambda[0] = trial[0] != trial[0] ? trial[0] : clipped;
        lambda[1] = lambda[2] = 0.0;
    } else {
        cond_law_project_item(law, contact->friction, trial, lambda);
    }
}

COND_DEVICE void cond_natural_map_trial_item(const CondNaturalMap* map, const double u[3],
                                             const double lambda[3], double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = lambda[i] - (u[i] + map->c * lambda[i]) / map->gamma;
}

// In the direction of the unit vector d: u + c lambda + sigma (lambda - lambda_old) = 0.
COND_DEVICE void cond_linear_law_hold(const double d[3], double c, double sigma, const double* old,
                                      CondLinearLaw* out)
{
    double gain = 1.0 / (c + sigma), force = sigma * gain * vec3_dot(d, old);
    for (int i = 0; i < 3; i++) {
        out->fix[i] += force * d[i];
        for (int j = 0; j < 3; j++)
            out->D[3 * i + j] += gain * d[i] * d[j];
    }
}

// The same along the first n axes, of which nothing is held yet.
COND_DEVICE void cond_linear_law_hold_axes(int n, double c, double sigma, const double* old,
                                           CondLinearLaw* out)
{
    double gain = 1.0 / (c + sigma), share = sigma * gain;
    for (int i = 0; i < n; i++) {
        out->fix[i] = share * old[i];
        out->D[4 * i] = gain;
    }
}

// Q = dy/dx_t for y = P_t(x) on the ellipse of radii mu_i n, n = x_n. With tau_i = x_i/y_i,
//     Q = N^-1 - N^-1 a a' N^-1 / (a' N^-1 a),   N = diag(tau),  a_i = y_i/e_i^2.
COND_DEVICE void cond_linear_law_ellipse_derivative(const double* mu, const double* x,
                                                    const double* y, double Q[4])
{
    double n = x[0], b[2], inv[2], ana = 0.0;
    for (int i = 0; i < 2; i++) {
        double e = mu[i] * n;
        // x_i / y_i >= 1; where y_i = 0 the ratio is that of the other axis' multiplier.
        inv[i] = fabs(x[1 + i]) > 0.0 ? y[1 + i] / x[1 + i] : 0.0;
        inv[i] = fmin(fmax(inv[i], 0.0), 1.0);
        b[i] = e > 0.0 ? y[1 + i] / (e * e) : 0.0;
        ana += b[i] * inv[i] * b[i];
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            Q[2 * i + j] =
                (i == j ? inv[i] : 0.0) - (ana > 0.0 ? inv[i] * b[i] * inv[j] * b[j] / ana : 0.0);
}

// Strict slip. The normal is held; with Q as above, y_n = dy/dn = (y - Q x_t)/n and s = c + sigma,
//     lambda_t = Q ((1 - s/gamma) lambda_t - (u_t - sigma lambda_old)/gamma) + y_n lambda_n.
// Where the friction force does not follow the normal force, x_n stands for lambda_n.
COND_DEVICE void cond_linear_law_slip_strict(const CondNaturalMap* map, double sigma, int follows,
                                             const double* x, const double* y, const double* old,
                                             CondLinearLaw* out)
{
    double n = x[0], gamma = map->gamma, Q[4], yn[2], S[4]; // S = I - (1 - s/gamma) Q
    cond_linear_law_hold_axes(1, map->c, sigma, old, out);
    cond_linear_law_ellipse_derivative(map->contact->friction, x, y, Q);
    for (int i = 0; i < 2; i++) {
        yn[i] = (y[1 + i] - Q[2 * i] * x[1] - Q[2 * i + 1] * x[2]) / n;
        for (int j = 0; j < 2; j++)
            S[2 * i + j] = (i == j) - (1.0 - (map->c + sigma) / gamma) * Q[2 * i + j];
    }
    double det = S[0] * S[3] - S[1] * S[2];
    double B[4] = {S[3] / det, -S[1] / det, -S[2] / det, S[0] / det};
    for (int i = 0; i < 2; i++) {
        double along = B[2 * i] * yn[0] + B[2 * i + 1] * yn[1]; // lambda_t += along lambda_n
        out->fix[1 + i] += along * (follows ? out->fix[0] : n);
        out->D[3 * (1 + i)] += follows ? along * out->D[0] : 0.0;
        for (int j = 0; j < 2; j++) {
            double gain = (B[2 * i] * Q[j] + B[2 * i + 1] * Q[2 + j]) / gamma;
            out->D[3 * (1 + i) + 1 + j] += gain;
            out->fix[1 + i] += sigma * gain * old[1 + j];
        }
    }
}

// Proximal slip. On the boundary y - x + kappa G y = 0 with G = diag(-1, 1/mu1^2, 1/mu2^2), so
// kappa = 1 - x_n/y_n. P' is symmetric and has the eigenvalue 1 along the edge y of the cone, 0
// along its normal G y, and s = 1/(1 + kappa d'G d) along the direction d around it, where Newton's
// step thus says u + (c + gamma (1 - s)/s) lambda + sigma (lambda - lambda_old) = 0.
COND_DEVICE void cond_linear_law_slip_proximal(const CondNaturalMap* map, double sigma,
                                               const double* x, const double* y, const double* old,
                                               CondLinearLaw* out)
{
    const double* mu = map->contact->friction;
    double size = vec3_norm(y), edge[3] = {y[0] / size, y[1] / size, y[2] / size};
    double normal[3] = {-y[0], 0.0, 0.0}, around[3], bend = 0.0;
    for (int i = 0; i < 2; i++)
        normal[1 + i] = mu[i] > 0.0 ? y[1 + i] / (mu[i] * mu[i]) : 0.0;
    cond_linear_law_hold(edge, map->c, sigma, old, out);
    vec3_cross(edge, normal, around);
    double length = vec3_norm(around);
    if (!(length > 0.0))
        return;
    for (int i = 0; i < 3; i++)
        around[i] /= length;
    for (int i = 0; i < 2; i++) // an axis without friction bends it at once
        bend += around[1 + i] != 0.0 ? around[1 + i] * around[1 + i] / (mu[i] * mu[i]) : 0.0;
    bend -= around[0] * around[0];
    double more = fmax((1.0 - x[0] / y[0]) * bend, 0.0); // (1 - s)/s
    if (isfinite(more))
        cond_linear_law_hold(around, map->c + map->gamma * more, sigma, old, out);
}

// 1 where the contact slips, with the direction of the trial friction force in out->slip. A slip
// that turns round from one step to the next has passed through stick.
COND_DEVICE int cond_linear_law_find_slip(const double* x, const double* y, const double* before,
                                          CondLinearLaw* out)
{
    double moved[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    if (vec3_norm(moved) <= COND_LAW_ROUNDING * vec3_norm(x))
        return 0;
    double t = scalar_length(x[1], x[2]);
    double d[2] = {x[1] / t, x[2] / t};
    if (d[0] * before[0] + d[1] * before[1] < 0.0)
        return 0;
    out->slip[0] = d[0];
    out->slip[1] = d[1];
    return 1;
}

// An interval: held within its bounds, a given force at them. P' is 1 or 0, and no axis is bent.
COND_DEVICE void cond_linear_law_between(const CondNaturalMap* map, double sigma, const double* x,
                                         const double* y, const double* old, CondLinearLaw* out)
{
    const double* bound = map->contact->bound;
    if (x[0] > bound[0] && x[0] < bound[1])
        cond_linear_law_hold_axes(1, map->c, sigma, old, out);
    else
        out->fix[0] = y[0];
}

COND_DEVICE void cond_natural_map_linearise_item(const CondNaturalMap* map, double sigma,
                                                 int follows, const double x[3],
                                                 const double lambda[3],
                                                 const double slip_before[2], CondLinearLaw* out)
{
    double y[3];
    for (int i = 0; i < 9; i++)
        out->D[i] = 0.0;
    for (int i = 0; i < 3; i++)
        out->fix[i] = 0.0;
    out->slip[0] = out->slip[1] = 0.0;
    cond_contact_law_project_item(map->law, map->contact, x, y);
    if (map->contact->set == COND_FORCE_INTERVAL)
        cond_linear_law_between(map, sigma, x, y, lambda, out);
    else if (!(y[0] > 0.0))
        return; // open
    else if (!cond_linear_law_find_slip(x, y, slip_before, out))
        cond_linear_law_hold_axes(3, map->c, sigma, lambda, out);
    else if (map->law == COND_LAW_PROXIMAL)
        cond_linear_law_slip_proximal(map, sigma, x, y, lambda, out);
    else
        cond_linear_law_slip_strict(map, sigma, follows, x, y, lambda, out);
}

COND_DEVICE CondContactKind cond_linear_law_kind_item(const CondLinearLaw* law)
{
    if (law->D[0] == 0.0 && law->D[4] == 0.0 && law->D[8] == 0.0)
        return COND_CONTACT_OPEN;
    return law->slip[0] != 0.0 || law->slip[1] != 0.0 ? COND_CONTACT_SLIPS : COND_CONTACT_STICKS;
}

#endif
