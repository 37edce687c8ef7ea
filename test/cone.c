// The friction cone by other means than the library's: nearest points by a search over the angle on
// the cone's rim, in place of the library's secular equations.
#include "cone.h"

#include <math.h>
#include <string.h>

static const double QUARTER = 1.57079632679489661923;
enum { HALVINGS = 70 };

// The wedge |t| <= mu n in the plane.
static void wedge_nearest(double mu, double n, double t, double out[2])
{
    double length2 = 1.0 + mu * mu;
    out[0] = n;
    out[1] = t;
    if (n >= 0.0 && t <= mu * n)
        return;
    double along = (n + mu * t) / length2;
    if (along < 0.0)
        along = 0.0;
    out[0] = along;
    out[1] = mu * along;
}

// By symmetry the nearest point lies in the quadrant of x: search the angle of the rim
// d = (1, mu1 cos, mu2 sin) for the largest x.d / |d|, whose derivative changes sign once.
void cone_nearest(const double mu[2], const double x[3], double y[3])
{
    double t[2] = {fabs(x[1]), fabs(x[2])}, out[2];
    if (mu[0] == 0.0 || mu[1] == 0.0 || mu[0] == mu[1]) {
        double length = mu[0] == mu[1] ? hypot(t[0], t[1]) : (mu[0] > 0.0 ? t[0] : t[1]);
        wedge_nearest(fmax(mu[0], mu[1]), x[0], length, out);
        double share = length > 0.0 ? out[1] / length : 0.0;
        y[0] = out[0];
        y[1] = mu[0] > 0.0 ? share * x[1] : 0.0;
        y[2] = mu[1] > 0.0 ? share * x[2] : 0.0;
        return;
    }
    if (x[0] >= 0.0 && hypot(t[0] / mu[0], t[1] / mu[1]) <= x[0]) {
        memcpy(y, x, 3 * sizeof *y);
        return;
    }
    double low = 0.0, high = QUARTER;
    for (int k = 0; k < HALVINGS; k++) {
        double angle = 0.5 * (low + high), c = cos(angle), s = sin(angle);
        double d1 = mu[0] * c, d2 = mu[1] * s, e1 = -mu[0] * s, e2 = mu[1] * c;
        double slope = (t[0] * e1 + t[1] * e2) * (1.0 + d1 * d1 + d2 * d2) -
                       (x[0] + t[0] * d1 + t[1] * d2) * (d1 * e1 + d2 * e2);
        if (slope > 0.0)
            low = angle;
        else
            high = angle;
    }
    double d[3] = {1.0, mu[0] * cos(low), mu[1] * sin(low)};
    double along = (x[0] + t[0] * d[1] + t[1] * d[2]) / (1.0 + d[1] * d[1] + d[2] * d[2]);
    along = fmax(along, 0.0);
    y[0] = along;
    y[1] = copysign(along * d[1], x[1]);
    y[2] = copysign(along * d[2], x[2]);
}

void cone_ellipse_nearest(const double e[2], const double a[2], double t[2])
{
    double p[2] = {fabs(a[0]), fabs(a[1])}, inside = 0.0;
    if (e[0] == 0.0 || e[1] == 0.0) {
        t[0] = copysign(fmin(p[0], e[0]), a[0]);
        t[1] = copysign(fmin(p[1], e[1]), a[1]);
        return;
    }
    for (int i = 0; i < 2; i++)
        inside = hypot(inside, p[i] / e[i]);
    if (inside <= 1.0) {
        t[0] = a[0];
        t[1] = a[1];
        return;
    }
    double low = 0.0, high = QUARTER; // the foot of the perpendicular: (p - t).t' = 0
    for (int k = 0; k < HALVINGS; k++) {
        double angle = 0.5 * (low + high), c = cos(angle), s = sin(angle);
        double slope = -(p[0] - e[0] * c) * e[0] * s + (p[1] - e[1] * s) * e[1] * c;
        if (slope > 0.0)
            low = angle;
        else
            high = angle;
    }
    t[0] = copysign(e[0] * cos(low), a[0]);
    t[1] = copysign(e[1] * sin(low), a[1]);
}

ConeError cone_law_error(CondLaw law, const double mu[2], double gamma, const double u[3],
                         const double lambda[3])
{
    ConeError e = {0};
    double glide = sqrt(mu[0] * mu[0] * u[1] * u[1] + mu[1] * mu[1] * u[2] * u[2]);
    double trial[3], nearest[3], gap[3];
    for (int i = 0; i < 3; i++)
        trial[i] = lambda[i] - u[i] / gamma;
    if (law == COND_LAW_STRICT)
        trial[0] -= glide / gamma;
    cone_nearest(mu, trial, nearest);
    for (int i = 0; i < 3; i++)
        gap[i] = lambda[i] - nearest[i];
    e.natural = gamma * sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]);

    double normal = law == COND_LAW_STRICT ? u[0] : u[0] - glide;
    double n = lambda[0] > 0.0 ? lambda[0] : 0.0;
    double axes[2] = {mu[0] * n, mu[1] * n}, t[2];
    cone_ellipse_nearest(axes, lambda + 1, t);
    e.penetration = normal < 0.0 ? -normal : 0.0;
    e.pull = lambda[0] < 0.0 ? -lambda[0] : 0.0;
    e.cone = hypot(lambda[1] - t[0], lambda[2] - t[1]);
    e.complementarity = fabs(lambda[0] * normal);

    // The ellipse's most dissipative point is t_i = -mu_i^2 u_i up to scale.
    double d[2] = {-mu[0] * mu[0] * u[1], -mu[1] * mu[1] * u[2]};
    double product = hypot(d[0], d[1]) * hypot(lambda[1], lambda[2]);
    double most = fmax(mu[0], mu[1]);
    e.slip = most > 0.0 ? hypot(d[0], d[1]) / (most * most) : 0.0;
    e.slip_floor = 10.0 * e.natural + 1e-12 * gamma * n;
    if (product > 0.0) {
        double sine = (d[0] * lambda[2] - d[1] * lambda[1]) / product;
        double cosine = (d[0] * lambda[1] + d[1] * lambda[2]) / product;
        e.angle = fabs(atan2(sine, cosine));
    }
    return e;
}
