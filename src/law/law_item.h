// Projections on the friction cone and errors of the law for one contact, for C and for CUDA.
#ifndef COND_LAW_LAW_ITEM_H
#define COND_LAW_LAW_ITEM_H

#include "base/inline.h"
#include "cond/law.h"
#include "math/scalar.h"

#include <float.h>
#include <math.h>

// Both secular equations below are monotone on their brackets, so that Newton's method, safeguarded
// by bisection, ends after a few steps; only rounding errors can exhaust the limit.
enum { COND_LAW_ROOT = 2 * DBL_MANT_DIG };

// t = nearest point to a of the ellipse (t1/e1)^2 + (t2/e2)^2 <= 1:
//   t_i = e_i p_i,  p_i = e_i a_i / (e_i^2 + tau),  tau >= 0 the root of  p_1^2 + p_2^2 = 1.
// Solved for x = tau / (E m) with E = max e, m = |a|, so that no force is too large or too small.
COND_DEVICE void cond_law_project_ellipse(const double e[2], const double a[2], double t[2])
{
    double E = fmax(e[0], e[1]), m = hypot(a[0], a[1]);
    if (!(fmin(e[0], e[1]) > 1e-100 * E)) { // a segment, or the point 0
        for (int i = 0; i < 2; i++)
            t[i] = e[i] > 0.0 ? fmax(-e[i], fmin(e[i], a[i])) : 0.0;
        return;
    }
    if (hypot(a[0] / e[0], a[1] / e[1]) <= 1.0) {
        t[0] = a[0];
        t[1] = a[1];
        return;
    }
    if (e[0] == e[1]) {
        t[0] = e[0] * (a[0] / m);
        t[1] = e[1] * (a[1] / m);
        return;
    }
    double top[2], bottom[2]; // p_i = top_i / (bottom_i + x)
    for (int i = 0; i < 2; i++) {
        top[i] = e[i] / E * (a[i] / m);
        bottom[i] = e[i] / E * (e[i] / m);
    }
    // One |p_i| alone reaches 1 at low, both together fall short of 1 at high.
    double low = fmax(0.0, fmax(fabs(top[0]) - bottom[0], fabs(top[1]) - bottom[1]));
    double high = hypot(top[0], top[1]), x = low;
    for (int k = 0; k < COND_LAW_ROOT; k++) {
        double f = -1.0, slope = 0.0;
        for (int i = 0; i < 2; i++) {
            double s = bottom[i] + x, p = top[i] / s;
            f += p * p;
            slope -= 2.0 * p * p / s;
        }
        if (f >= 0.0)
            low = x;
        else
            high = x;
        double next = x - f / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - x) <= 0.5 * DBL_EPSILON * high || next == low || next == high) {
            x = next;
            break;
        }
        x = next;
    }
    double p[2] = {top[0] / (bottom[0] + x), top[1] / (bottom[1] + x)};
    double length = hypot(p[0], p[1]); // puts the point on the boundary to the last digit
    t[0] = e[0] * (p[0] / length);
    t[1] = e[1] * (p[1] / length);
}

COND_DEVICE void cond_law_project_strict(const double* mu, const double* trial, double* lambda)
{
    double n = trial[0] > 0.0 ? trial[0] : 0.0;
    double t2 = trial[1] * trial[1] + trial[2] * trial[2], r = mu[0] * n, r2 = r * r;
    if (mu[0] == mu[1] && scalar_is_moderate(t2) && scalar_is_moderate(r2)) { // nearly always
        double scale = t2 <= r2 ? 1.0 : r / sqrt(t2);
        lambda[0] = n;
        lambda[1] = scale * trial[1];
        lambda[2] = scale * trial[2];
        return;
    }
    if (n == 0.0) {
        lambda[0] = lambda[1] = lambda[2] = 0.0;
        return;
    }
    double e[2] = {mu[0] * n, mu[1] * n}, a[2] = {trial[1], trial[2]}, t[2];
    cond_law_project_ellipse(e, a, t);
    lambda[0] = n;
    lambda[1] = t[0];
    lambda[2] = t[1];
}

// Nearest point of the circular cone |t| <= mu n.
COND_DEVICE void cond_law_project_circular(double mu, const double* trial, double* lambda)
{
    double n = trial[0], t = scalar_length(trial[1], trial[2]);
    if (n >= 0.0 && t <= mu * n) { // 0 <= 0 n does not determine the sign of n
        for (int i = 0; i < 3; i++)
            lambda[i] = trial[i];
    } else if (mu * t <= -n) {
        lambda[0] = lambda[1] = lambda[2] = 0.0;
    } else {
        double edge = (n + mu * t) / (1.0 + mu * mu);
        double scale = mu * edge / t;
        lambda[0] = edge;
        lambda[1] = scale * trial[1];
        lambda[2] = scale * trial[2];
    }
}

// Nearest point y of the elliptic cone (t1/mu1)^2 + (t2/mu2)^2 <= n^2 to x = (n, a):
//   t_i = mu_i^2 a_i / (mu_i^2 + k),  y_n = sqrt(sum (mu_i a_i / (mu_i^2 + k))^2),
// where k >= 0 is the root of the increasing function
//   F(k) = (k - 1) sqrt(sum (mu_i a_i / (mu_i^2 + k))^2) + n.
COND_DEVICE void cond_law_project_elliptic(const double* mu, const double* trial, double* lambda)
{
    double n = trial[0];
    double a[2] = {mu[0] > 0.0 ? trial[1] : 0.0, mu[1] > 0.0 ? trial[2] : 0.0};
    double inside = 0.0, polar = 0.0;
    for (int i = 0; i < 2; i++) {
        if (mu[i] > 0.0) {
            inside = hypot(inside, a[i] / mu[i]);
            polar = hypot(polar, mu[i] * a[i]);
        }
    }
    if (inside <= n) {
        lambda[0] = n;
        lambda[1] = a[0];
        lambda[2] = a[1];
        return;
    }
    if (polar <= -n) {
        lambda[0] = lambda[1] = lambda[2] = 0.0;
        return;
    }
    double low = 0.0, high = 1.0;
    for (int k = 0; k < DBL_MAX_EXP;
         k++) { // F(high) > 0 at some finite high, since x is not in the polar
        double root = 0.0;
        for (int i = 0; i < 2; i++)
            root = mu[i] > 0.0 ? hypot(root, mu[i] * a[i] / (mu[i] * mu[i] + high)) : root;
        if ((high - 1.0) * root + n > 0.0)
            break;
        low = high;
        high *= 2.0;
    }
    double k = 0.5 * (low + high);
    for (int step = 0; step < COND_LAW_ROOT; step++) {
        double s2 = 0.0, ds2 = 0.0;
        for (int i = 0; i < 2; i++) {
            if (mu[i] > 0.0) {
                double p = mu[i] * a[i] / (mu[i] * mu[i] + k);
                s2 += p * p;
                ds2 -= 2.0 * p * p / (mu[i] * mu[i] + k);
            }
        }
        double s = sqrt(s2), f = (k - 1.0) * s + n;
        if (f >= 0.0)
            high = k;
        else
            low = k;
        double slope = s + (k - 1.0) * 0.5 * ds2 / s;
        double next = k - f / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - k) <= 0.5 * DBL_EPSILON * k || next == low || next == high) {
            k = next;
            break;
        }
        k = next;
    }
    double edge = 0.0;
    for (int i = 0; i < 2; i++) {
        double m2 = mu[i] * mu[i];
        lambda[1 + i] = mu[i] > 0.0 ? m2 * a[i] / (m2 + k) : 0.0;
        edge = mu[i] > 0.0 ? hypot(edge, mu[i] * a[i] / (m2 + k)) : edge;
    }
    lambda[0] = edge;
}

COND_DEVICE void cond_law_project_nearest(const double* mu, const double* trial, double* lambda)
{
    if (mu[0] == mu[1]) {
        cond_law_project_circular(mu[0], trial, lambda);
        return;
    }
    // The cone has no length scale: the trial is scaled to size 1, where squares do not overflow.
    double size = fmax(fabs(trial[0]), fmax(fabs(trial[1]), fabs(trial[2])));
    double scaled[3];
    for (int i = 0; i < 3; i++)
        scaled[i] = size > 0.0 ? trial[i] / size : trial[i];
    cond_law_project_elliptic(mu, scaled, lambda);
    for (int i = 0; i < 3 && size > 0.0; i++)
        lambda[i] *= size;
}

COND_DEVICE void cond_law_project_item(CondLaw law, const double* mu, const double* trial,
                                       double* lambda)
{
    if (law == COND_LAW_PROXIMAL)
        cond_law_project_nearest(mu, trial, lambda);
    else
        cond_law_project_strict(mu, trial, lambda);
}

// `slip` is |u_t|_mu.
COND_DEVICE CondLawError cond_law_essential(CondLaw law, const double* mu, double gamma,
                                            const double* u, const double* lambda, double slip)
{
    double u_hat[3] = {law == COND_LAW_STRICT ? u[0] + slip : u[0], u[1], u[2]};
    double trial[3], nearest[3], sum = 0.0;
    for (int i = 0; i < 3; i++)
        trial[i] = lambda[i] - u_hat[i] / gamma;
    cond_law_project_nearest(mu, trial, nearest);
    for (int i = 0; i < 3; i++)
        sum += (lambda[i] - nearest[i]) * (lambda[i] - nearest[i]);
    // The proximal law asks u_n >= |u_t|_mu (Prop. 5), the strict one u_n >= 0.
    double normal = law == COND_LAW_STRICT ? u[0] : u[0] - slip;
    CondLawError error = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    error.natural = gamma * sqrt(sum);
    error.penetration = scalar_max(0.0, -normal);
    return error;
}

// The error of an interval of forces at u, which contains the slip of the law.
COND_DEVICE CondLawError cond_law_interval(const double* bound, double compliance, double delassus,
                                           const double* u, const double* lambda)
{
    double gamma = delassus + compliance, share = delassus / gamma; // of u that is the force's
    double trial = lambda[0] - u[0] / gamma;
    double nearest = trial != trial ? trial : fmin(fmax(trial, bound[0]), bound[1]);
    double aside = hypot(lambda[1], lambda[2]), wrong = hypot(lambda[0] - nearest, aside);
    double way = u[0] > 0.0 ? lambda[0] - bound[0] : bound[1] - lambda[0]; // to where u pushes it
    CondLawError error = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    error.natural = delassus * wrong;
    error.pull = fmax(bound[0] - lambda[0], 0.0);
    error.cone = fmax(fmax(lambda[0] - bound[1], 0.0), aside);
    if (bound[1] == INFINITY)
        error.penetration = fmax(-share * u[0], 0.0);
    if (bound[0] == -INFINITY)
        error.penetration = fmax(error.penetration, share * u[0]);
    error.complementarity = fabs(u[0] * (fabs(way) < INFINITY ? way : lambda[0]));
    return error;
}

#endif
