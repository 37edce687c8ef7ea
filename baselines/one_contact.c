// Slip under the strict law is one equation in one unknown. Let the friction force be t = M y with
// M = diag(mu1, mu2), so that the cone is |y| <= ln. Most dissipation means M u_t = -alpha y with
// some alpha >= 0, and the closed contact has u_n = 0. Without ln,
//
//     ln = -(q_n + k'y) / D_nn,             k = M D_tn
//     M u_t = c + S y,                      c = M (q_t - D_tn q_n / D_nn)
//                                           S = M (D_tt - D_tn D_nt / D_nn) M
//     y(alpha) = -(S + alpha I)^-1 c
//
// and alpha is a root of g(alpha) = |y| - ln. At alpha = 0 the contact sticks: it does when
// g(0) <= 0. For alpha -> infinity y vanishes and g -> q_n / D_nn < 0, so a root lies between.
#include "one_contact.h"

#include <math.h>

enum { MAX_ROOT = 200, MAX_DOUBLE = 1100, MAX_PROJECTION = 100 };

// The slip equation in the eigenvectors of S, where it is a sum of two fractions.
typedef struct Slip {
    double s[2], c[2], k[2];
    double qn, Dnn;
    double cosine, sine; // the first eigenvector
} Slip;

static Slip slip_make(const double* mu, const double* D, const double* q)
{
    Slip slip = {.qn = q[0], .Dnn = D[0]};
    double a = mu[0] * mu[0] * (D[4] - D[3] * D[3] / D[0]);
    double b = mu[0] * mu[1] * (D[5] - D[3] * D[6] / D[0]);
    double d = mu[1] * mu[1] * (D[8] - D[6] * D[6] / D[0]);
    double c0 = mu[0] * (q[1] - D[3] * q[0] / D[0]), k0 = mu[0] * D[3];
    double c1 = mu[1] * (q[2] - D[6] * q[0] / D[0]), k1 = mu[1] * D[6];
    double angle = b == 0.0 ? 0.0 : 0.5 * atan2(2.0 * b, a - d);
    double x = slip.cosine = cos(angle), y = slip.sine = sin(angle);
    double floor = 1e-15 * (a + d); // a direction without friction, or without motion
    slip.s[0] = fmax(x * x * a + 2.0 * x * y * b + y * y * d, floor);
    slip.s[1] = fmax(y * y * a - 2.0 * x * y * b + x * x * d, floor);
    slip.c[0] = x * c0 + y * c1;
    slip.c[1] = -y * c0 + x * c1;
    slip.k[0] = x * k0 + y * k1;
    slip.k[1] = -y * k0 + x * k1;
    return slip;
}

// g(alpha) with its slope; y and ln as they are there.
static double slip_value(const Slip* slip, double alpha, double y[2], double* ln, double* slope)
{
    double k_y = 0.0, k_dy = 0.0, y_dy = 0.0;
    for (int i = 0; i < 2; i++) {
        double below = slip->s[i] + alpha;
        y[i] = slip->c[i] == 0.0 ? 0.0 : -slip->c[i] / below;
        double dy = y[i] == 0.0 ? 0.0 : -y[i] / below;
        k_y += slip->k[i] * y[i];
        k_dy += slip->k[i] * dy;
        y_dy += y[i] * dy;
    }
    double length = hypot(y[0], y[1]);
    *ln = -(slip->qn + k_y) / slip->Dnn;
    *slope = (length > 0.0 ? y_dy / length : 0.0) + k_dy / slip->Dnn;
    return length - *ln;
}

// Newton's method inside a bracket that every step narrows.
static void slip_root(const Slip* slip, double y[2], double* ln)
{
    double slope, low = 0.0, high = fmax(slip->s[0], slip->s[1]);
    if (!(high > 0.0))
        high = 1.0;
    for (int k = 0; k < MAX_DOUBLE && slip_value(slip, high, y, ln, &slope) > 0.0; k++) {
        low = high;
        high *= 2.0;
    }
    double alpha = high;
    for (int k = 0; k < MAX_ROOT; k++) {
        double g = slip_value(slip, alpha, y, ln, &slope);
        if (g > 0.0)
            low = alpha;
        else
            high = alpha;
        double next = alpha - g / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - alpha) <= 1e-16 * high || next == low || next == high)
            break;
        alpha = next;
    }
}

void cond_one_contact_strict(const double* mu, const double* D, const double* q, double* lambda)
{
    lambda[0] = lambda[1] = lambda[2] = 0.0;
    if (!(q[0] < 0.0) || !(D[0] > 0.0)) // opens by itself, or nothing can move it
        return;
    Slip slip = slip_make(mu, D, q);
    double y[2], ln, slope;
    if (!(slip_value(&slip, 0.0, y, &ln, &slope) <= 0.0)) {
        slip_root(&slip, y, &ln);
        double length = hypot(y[0], y[1]); // on the cone to the last digit
        for (int i = 0; i < 2 && length > 0.0; i++)
            y[i] *= ln / length;
    }
    lambda[0] = ln;
    lambda[1] = mu[0] * (slip.cosine * y[0] - slip.sine * y[1]);
    lambda[2] = mu[1] * (slip.sine * y[0] + slip.cosine * y[1]);
}

double cond_one_contact_bound(const double* D)
{
    double bound = 0.0;
    for (int i = 0; i < 3; i++)
        bound = fmax(bound, fabs(D[3 * i]) + fabs(D[3 * i + 1]) + fabs(D[3 * i + 2]));
    return bound;
}

void cond_one_contact_proximal(const double* mu, const double* D, const double* q, double* lambda)
{
    double bound = cond_one_contact_bound(D);
    if (!(bound > 0.0))
        return;
    for (int k = 0; k < MAX_PROJECTION; k++) {
        double trial[3], next[3], change = 0.0, size = 0.0;
        for (int i = 0; i < 3; i++) {
            double u = q[i];
            for (int j = 0; j < 3; j++)
                u += D[3 * i + j] * lambda[j];
            trial[i] = lambda[i] - u / bound;
        }
        cond_law_project(COND_LAW_PROXIMAL, mu, trial, next);
        for (int i = 0; i < 3; i++) {
            change = fmax(change, fabs(next[i] - lambda[i]));
            size = fmax(size, fabs(next[i]));
            lambda[i] = next[i];
        }
        if (!(change > 1e-14 * size))
            return;
    }
}

void cond_one_contact_solve(CondLaw law, const CondContact* contact, const double* D,
                            const double* q, double* lambda)
{
    if (contact->set == COND_FORCE_INTERVAL) // one row: the others have no force
        cond_interval_solve(contact->bound, 0.0, D[0], q, lambda);
    else if (law == COND_LAW_STRICT)
        cond_one_contact_strict(contact->friction, D, q, lambda);
    else
        cond_one_contact_proximal(contact->friction, D, q, lambda);
}
