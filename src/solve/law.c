// One-contact maps: projections on the friction cone and the check whether a pair obeys the law.
#include "cond/law.h"

#include <math.h>
#include <string.h>

// Both secular equations below are monotone on their brackets, so Newton's method with bisection as
// its guard ends in a handful of steps; the bound is reached only through rounding.
enum { MAX_ROOT = 128 };

// t = nearest point to a of the ellipse (t1/e1)^2 + (t2/e2)^2 <= 1:
//   t_i = e_i^2 a_i / (e_i^2 + tau),  tau >= 0 the root of  sum (e_i a_i / (e_i^2 + tau))^2 = 1.
static void project_ellipse(const double e[2], const double a[2], double t[2])
{
    if (e[0] <= 0.0 || e[1] <= 0.0) { // a segment, or the point 0
        for (int i = 0; i < 2; i++)
            t[i] = e[i] > 0.0 ? fmax(-e[i], fmin(e[i], a[i])) : 0.0;
        return;
    }
    double r0 = a[0] / e[0], r1 = a[1] / e[1];
    if (r0 * r0 + r1 * r1 <= 1.0) {
        t[0] = a[0];
        t[1] = a[1];
        return;
    }
    if (e[0] == e[1]) {
        double scale = e[0] / hypot(a[0], a[1]);
        t[0] = scale * a[0];
        t[1] = scale * a[1];
        return;
    }
    // f(0) > 0, and f < 0 once tau exceeds |(e1 a1, e2 a2)|.
    double low = 0.0, high = hypot(e[0] * a[0], e[1] * a[1]), tau = 0.0;
    for (int k = 0; k < MAX_ROOT; k++) {
        double f = -1.0, slope = 0.0;
        for (int i = 0; i < 2; i++) {
            double s = e[i] * e[i] + tau, p = e[i] * a[i] / s;
            f += p * p;
            slope -= 2.0 * p * p / s;
        }
        if (f >= 0.0)
            low = tau;
        else
            high = tau;
        double next = tau - f / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - tau) <= 1e-16 * high || next == low || next == high) {
            tau = next;
            break;
        }
        tau = next;
    }
    double length = 0.0;
    for (int i = 0; i < 2; i++) {
        t[i] = e[i] * e[i] * a[i] / (e[i] * e[i] + tau);
        length += (t[i] / e[i]) * (t[i] / e[i]);
    }
    length = sqrt(length); // puts the point on the boundary to the last digit
    t[0] /= length;
    t[1] /= length;
}

static void project_strict(const double* mu, const double* trial, double* lambda)
{
    double n = fmax(trial[0], 0.0);
    double e[2] = {mu[0] * n, mu[1] * n}, a[2] = {trial[1], trial[2]}, t[2];
    project_ellipse(e, a, t);
    lambda[0] = n;
    lambda[1] = t[0];
    lambda[2] = t[1];
}

// Nearest point of the circular cone |t| <= mu n.
static void project_circular(double mu, const double* trial, double* lambda)
{
    double n = trial[0], t = hypot(trial[1], trial[2]);
    if (t <= mu * n) {
        memmove(lambda, trial, 3 * sizeof *lambda);
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
static void project_elliptic(const double* mu, const double* trial, double* lambda)
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
    for (int k = 0; k < 1100; k++) { // F(high) > 0 at some finite high, since x is not in the polar
        double root = 0.0;
        for (int i = 0; i < 2; i++)
            root = mu[i] > 0.0 ? hypot(root, mu[i] * a[i] / (mu[i] * mu[i] + high)) : root;
        if ((high - 1.0) * root + n > 0.0)
            break;
        low = high;
        high *= 2.0;
    }
    double k = 0.5 * (low + high);
    for (int step = 0; step < MAX_ROOT; step++) {
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
        if (fabs(next - k) <= 1e-16 * k || next == low || next == high) {
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

static void project_nearest(const double* mu, const double* trial, double* lambda)
{
    if (mu[0] == mu[1])
        project_circular(mu[0], trial, lambda);
    else
        project_elliptic(mu, trial, lambda);
}

void cond_law_project(CondLaw law, const double* mu, const double* trial, double* lambda)
{
    if (law == COND_LAW_PROXIMAL)
        project_nearest(mu, trial, lambda);
    else
        project_strict(mu, trial, lambda);
}

void cond_law_solve(CondLaw law, const double* mu, double omega, double gamma, const double* eta,
                    double* lambda)
{
    double trial[3]; // l* = -(eta + phi) / (gamma + omega), Alg. 2 line 2
    for (int i = 0; i < 3; i++)
        trial[i] = -eta[i] / (gamma + omega);
    cond_law_project(law, mu, trial, lambda);
}

// Angle between the friction force and the one that dissipates most at the slip velocity (u1, u2):
// t_i = -mu_i^2 u_i up to scale. Zero where there is no slip or no friction force.
static double slip_angle(const double* mu, const double* u, const double* lambda, double slip_floor)
{
    double d1 = -mu[0] * mu[0] * u[1], d2 = -mu[1] * mu[1] * u[2];
    double t1 = lambda[1], t2 = lambda[2];
    if (hypot(u[1], u[2]) <= slip_floor || hypot(d1, d2) == 0.0 || hypot(t1, t2) == 0.0)
        return 0.0;
    return fabs(atan2(d1 * t2 - d2 * t1, d1 * t1 + d2 * t2));
}

CondLawError cond_law_error(CondLaw law, const double* mu, double gamma, const double* u,
                            const double* lambda)
{
    CondLawError error = {0};
    double slip = hypot(mu[0] * u[1], mu[1] * u[2]); // |u_t|_mu
    double u_hat[3] = {law == COND_LAW_STRICT ? u[0] + slip : u[0], u[1], u[2]};

    double trial[3], nearest[3], sum = 0.0;
    for (int i = 0; i < 3; i++)
        trial[i] = lambda[i] - u_hat[i] / gamma;
    project_nearest(mu, trial, nearest);
    for (int i = 0; i < 3; i++)
        sum += (lambda[i] - nearest[i]) * (lambda[i] - nearest[i]);
    error.natural = gamma * sqrt(sum);

    // The proximal law asks u_n >= |u_t|_mu (Prop. 5), the strict one u_n >= 0.
    double normal = law == COND_LAW_STRICT ? u[0] : u[0] - slip;
    error.penetration = fmax(-normal, 0.0);
    error.pull = fmax(-lambda[0], 0.0);
    double n = fmax(lambda[0], 0.0), e[2] = {mu[0] * n, mu[1] * n}, t[2];
    project_ellipse(e, lambda + 1, t);
    error.cone = hypot(lambda[1] - t[0], lambda[2] - t[1]);
    error.complementarity = fabs(lambda[0] * normal);
    // Slip slower than the natural-map error is not told from stick.
    error.angle = slip_angle(mu, u, lambda, 10.0 * error.natural + 1e-12 * gamma * n);
    return error;
}
