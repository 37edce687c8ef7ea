// With x = lambda - (u + c lambda)/gamma the trial force and P its projection, the law reads
// lambda = P(x). P is positively homogeneous, so P(x) = P'(x) x and Newton's step is
//     lambda = P'(x) ((1 - c/gamma) lambda - u/gamma),
// with u and lambda new. Where P' has the eigenvalue 1 this says u + c lambda = 0, a tie that is
// kept by a large gain k and the multiplier carried along: lambda = lambda_old - k (u + c lambda).
#include "newton/primal_dual_tie.h"

#include "law/tuning.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void cond_tie_trial(double gamma, double c, const double* u, const double* lambda, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = lambda[i] - (u[i] + c * lambda[i]) / gamma;
}

void cond_tie_error(CondLaw law, const double* mu, double gamma, double c, const double* u,
                    const double* lambda, double* error)
{
    double x[3], p[3];
    cond_tie_trial(gamma, c, u, lambda, x);
    cond_law_project(law, mu, x, p);
    for (int i = 0; i < 3; i++)
        error[i] = lambda[i] - p[i];
}

// lambda_i = lambda_old - k (u_i + c lambda_i) in one direction of the contact frame: the row
// `d` of D and its share of fix. For a unit vector d both act along it.
static void hold(const double d[3], double k, double c, const double* lambda, CondTie* tie)
{
    double scale = 1.0 / (1.0 + k * c), old = 0.0;
    for (int i = 0; i < 3; i++)
        old += d[i] * lambda[i];
    for (int i = 0; i < 3; i++) {
        tie->fix[i] += scale * old * d[i];
        for (int j = 0; j < 3; j++)
            tie->D[3 * i + j] += scale * k * d[i] * d[j];
    }
}

// lambda = -g u in the direction of the unit vector d.
static void resist(const double d[3], double g, CondTie* tie)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            tie->D[3 * i + j] += g * d[i] * d[j];
}

static void stick(double k, double c, const double* lambda, CondTie* tie)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        hold(axes[i], k, c, lambda, tie);
}

// A share s of P' makes the gain s/(1 - s)/gamma; this one makes it k, that of directions held.
static double most_share(double gamma, double k)
{
    return 1.0 - 1.0 / (1.0 + k * gamma);
}

// Q = dy/dx_t for y = P_t(x) on the ellipse of radii mu_i n, n = x_n. With tau_i = x_i/y_i,
//     Q = N^-1 - N^-1 a a' N^-1 / (a' N^-1 a),   N = diag(tau),  a_i = y_i/e_i^2.
// The entries of N^-1 stay below `most`: that keeps the gain across the slip finite.
static void ellipse_derivative(const double* mu, double most, const double* x, const double* y,
                               double Q[4])
{
    double n = x[0], b[2], inv[2], ana = 0.0;
    for (int i = 0; i < 2; i++) {
        double e = mu[i] * n;
        // x_i / y_i >= 1; where y_i = 0 the ratio is that of the other axis' multiplier.
        inv[i] = fabs(x[1 + i]) > 0.0 ? y[1 + i] / x[1 + i] : 0.0;
        inv[i] = fmin(fmax(inv[i], 0.0), most);
        b[i] = e > 0.0 ? y[1 + i] / (e * e) : 0.0;
        ana += b[i] * inv[i] * b[i];
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            Q[2 * i + j] =
                (i == j ? inv[i] : 0.0) - (ana > 0.0 ? inv[i] * b[i] * inv[j] * b[j] / ana : 0.0);
}

// Strict slip. The normal is held; with Q as above and y_n = dy/dn = (y - Q x_t)/n,
//     lambda_t = Q ((1 - c/gamma) lambda_t - u_t/gamma) + y_n lambda_n.
static void slip_strict(const double* mu, double gamma, double c, const double* x, const double* y,
                        double k, const double* lambda, CondTie* tie)
{
    static const double normal[3] = {1.0, 0.0, 0.0};
    double n = x[0], Q[4];
    hold(normal, k, c, lambda, tie);
    ellipse_derivative(mu, most_share(gamma, k), x, y, Q);
    double yn[2], S[4]; // S = I - (1 - c/gamma) Q
    for (int i = 0; i < 2; i++) {
        yn[i] = (y[1 + i] - Q[2 * i] * x[1] - Q[2 * i + 1] * x[2]) / n;
        for (int j = 0; j < 2; j++)
            S[2 * i + j] = (i == j) - (1.0 - c / gamma) * Q[2 * i + j];
    }
    double det = S[0] * S[3] - S[1] * S[2];
    double B[4] = {S[3] / det, -S[1] / det, -S[2] / det, S[0] / det};
    for (int i = 0; i < 2; i++) {
        double along = B[2 * i] * yn[0] + B[2 * i + 1] * yn[1]; // lambda_t += along lambda_n
        tie->fix[1 + i] += along * tie->fix[0];
        tie->D[3 * (1 + i)] += along * tie->D[0];
        for (int j = 0; j < 2; j++)
            tie->D[3 * (1 + i) + 1 + j] += (B[2 * i] * Q[j] + B[2 * i + 1] * Q[2 + j]) / gamma;
    }
}

// Strict slip, lagged: the normal is held and lambda_t = y - Q/gamma (u_t - u_t now).
static void slip_lagged(const double* mu, double gamma, double c, const double* x, const double* y,
                        double k, const double* u, const double* lambda, CondTie* tie)
{
    static const double normal[3] = {1.0, 0.0, 0.0};
    double Q[4];
    hold(normal, k, c, lambda, tie);
    ellipse_derivative(mu, most_share(gamma, k), x, y, Q);
    for (int i = 0; i < 2; i++) {
        tie->fix[1 + i] = y[1 + i];
        for (int j = 0; j < 2; j++) {
            tie->D[3 * (1 + i) + 1 + j] = Q[2 * i + j] / gamma;
            tie->fix[1 + i] += Q[2 * i + j] / gamma * u[1 + j];
        }
    }
}

// Proximal slip. On the boundary y - x + kappa G y = 0 with G = diag(-1, 1/mu1^2, 1/mu2^2), so
// kappa = 1 - x_n/y_n. P' is symmetric and has the eigenvalue 1 along the edge y of the cone, 0
// along its normal G y, and s = 1/(1 + kappa d'G d) along the direction d around it.
static void slip_proximal(const double* mu, double gamma, double c, const double* x,
                          const double* y, double k, const double* lambda, CondTie* tie)
{
    double size = vec3_norm(y), edge[3] = {y[0] / size, y[1] / size, y[2] / size};
    double normal[3] = {-y[0], 0.0, 0.0}, around[3], bend = 0.0;
    for (int i = 0; i < 2; i++)
        normal[1 + i] = mu[i] > 0.0 ? y[1 + i] / (mu[i] * mu[i]) : 0.0;
    hold(edge, k, c, lambda, tie);
    vec3_cross(edge, normal, around);
    double length = vec3_norm(around);
    if (!(length > 0.0))
        return;
    for (int i = 0; i < 3; i++)
        around[i] /= length;
    for (int i = 0; i < 2; i++) // an axis without friction bends it at once
        bend += around[1 + i] != 0.0 ? around[1 + i] * around[1 + i] / (mu[i] * mu[i]) : 0.0;
    bend -= around[0] * around[0];
    double s = fmin(1.0 / (1.0 + (1.0 - x[0] / y[0]) * bend), most_share(gamma, k));
    resist(around, s / (1.0 - (1.0 - c / gamma) * s) / gamma, tie);
}

// 1 where the contact slips, with the direction of the trial friction force in tie->slip. A slip
// that turns round from one pass to the next has passed through stick.
static int find_slip(const double* x, const double* y, const CondTie* previous, CondTie* tie)
{
    if (y[1] == x[1] && y[2] == x[2] && y[0] == x[0])
        return 0;
    double t = hypot(x[1], x[2]);
    double d[2] = {x[1] / t, x[2] / t};
    if (d[0] * previous->slip[0] + d[1] * previous->slip[1] < 0.0)
        return 0;
    tie->slip[0] = d[0];
    tie->slip[1] = d[1];
    return 1;
}

CondTie cond_tie_make_from(CondLaw law, const double* mu, double gamma, double c, double k,
                           const double* x, const double* u, const double* lambda,
                           const CondTie* previous)
{
    CondTie tie = {0};
    double y[3];
    cond_law_project(law, mu, x, y);
    if (!(y[0] > 0.0))
        return tie; // open
    if (!find_slip(x, y, previous, &tie))
        stick(k, c, lambda, &tie);
    else if (law == COND_LAW_PROXIMAL)
        slip_proximal(mu, gamma, c, x, y, k, lambda, &tie);
    else if (u)
        slip_lagged(mu, gamma, c, x, y, k, u, lambda, &tie);
    else
        slip_strict(mu, gamma, c, x, y, k, lambda, &tie);
    return tie;
}

CondTie cond_tie_make(CondLaw law, const double* mu, double gamma, double c, const double* u,
                      const double* lambda, const CondTie* previous)
{
    double x[3];
    cond_tie_trial(gamma, c, u, lambda, x);
    return cond_tie_make_from(law, mu, gamma, c, COND_GAIN_FACTORED / gamma, x, NULL, lambda,
                              previous);
}
