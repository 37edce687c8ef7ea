#include "io/urdf_repair.h"

#include "math/eigen.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double WATER = 1000.0;   // density of what has no size [kg/m3]
static const double SHARE = 1e-3;     // of the links' mean mass, for a link without one
static const double LEAST = 1e-3;     // the same where no link has any [kg]
static const double THIN = 1e-3;      // second moment of a needle across, of that along it
static const double ROUNDING = 1e-9;  // of the trace, by which moments may miss the inequality
static const double SINGULAR = 1e-14; // of the trace: a moment below this is none

// I = 2/5 m r^2 of a ball of mass m and the density of water.
static double ball_moment(double mass)
{
    double radius = cbrt(3.0 * mass / (4.0 * 3.14159265358979323846 * WATER));
    return 0.4 * mass * radius * radius;
}

void cond_urdf_give_inertia(const CondArticulation* articulation, CondLink* link)
{
    double sum = 0.0;
    int n = 0;
    for (int i = 0; i < articulation->n_link; i++) {
        sum += articulation->link[i].mass;
        n += articulation->link[i].mass > 0.0;
    }
    link->mass = n ? SHARE * sum / n : LEAST;
    memset(link->inertia, 0, sizeof link->inertia);
    for (int k = 0; k < 3; k++)
        link->inertia[4 * k] = ball_moment(link->mass);
}

// I = Q diag(w) Q'
static void put_moments(const double w[3], const double Q[9], double I[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += w[k] * Q[3 * i + k] * Q[3 * j + k];
            I[3 * i + j] = I[3 * j + i] = sum;
        }
}

CondStatus cond_urdf_repair_inertia(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    const char* name = link->name;
    if (link->mass < 0.0)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "link '%s': mass %g is negative", name,
                                link->mass);
    double A[9], w[3], Q[9], s[3], largest = 0.0, trace = 0.0, least = INFINITY;
    memcpy(A, link->inertia, sizeof A);
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(A[i]));
    if (link->mass == 0.0) {
        memset(link->inertia, 0, sizeof link->inertia);
        return largest > 0.0
                   ? cond_urdf_warn(file, node, "link '%s': inertia without mass does not count",
                                    name)
                   : COND_OK;
    }
    cond_eigen_symmetric(3, A, w, Q);
    for (int k = 0; k < 3; k++) {
        trace += w[k];
        least = fmin(least, w[k]);
    }
    // Principal moments are sums of second moments of the mass, w_k = s_i + s_j, none below zero:
    // that is the triangle inequality.
    double lowest = INFINITY, most = 0.0;
    for (int k = 0; k < 3; k++) {
        s[k] = 0.5 * trace - w[k];
        lowest = fmin(lowest, s[k]);
        most = fmax(most, s[k]);
    }
    if (lowest >= -ROUNDING * trace && least > SINGULAR * trace)
        return COND_OK;
    double floor = most > 0.0 ? 0.0 : 0.5 * ball_moment(link->mass);
    for (int k = 0; k < 3; k++)
        s[k] = fmax(s[k], floor);
    if (least <= SINGULAR * trace)
        for (int k = 0; k < 3; k++)
            s[k] = fmax(s[k], THIN * most);
    double fit[3];
    for (int k = 0; k < 3; k++)
        fit[k] = s[(k + 1) % 3] + s[(k + 2) % 3];
    put_moments(fit, Q, link->inertia);
    return cond_urdf_warn(file, node,
                          "link '%s': no mass has the principal moments of inertia %.4g, %.4g, "
                          "%.4g; taken as %.4g, %.4g, %.4g",
                          name, w[0], w[1], w[2], fit[0], fit[1], fit[2]);
}

CondStatus cond_urdf_repair_limits(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    CondStatus status = COND_OK;
    if (link->lower > link->upper) {
        status = cond_urdf_warn(file, node,
                                "joint '%s': lower limit %g is above upper limit %g: neither "
                                "counts",
                                link->joint, link->lower, link->upper);
        link->lower = -INFINITY;
        link->upper = INFINITY;
    }
    if (!status && !(link->velocity > 0.0)) {
        status = cond_urdf_warn(file, node, "joint '%s': velocity limit %g does not count",
                                link->joint, link->velocity);
        link->velocity = INFINITY;
    }
    if (!status && !(link->effort > 0.0)) {
        status = cond_urdf_warn(file, node, "joint '%s': effort limit %g does not count",
                                link->joint, link->effort);
        link->effort = INFINITY;
    }
    return status;
}
