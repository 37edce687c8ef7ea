// Repairs inertia matrices that no body can have (inertia_mend.h).
#include "robot_file/inertia_mend.h"

#include "base/tuning.h"
#include "math/eigen.h"
#include "robot_file/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double cond_inertia_ball(double mass)
{
    double radius = cbrt(3.0 * mass / (4.0 * 3.14159265358979323846 * COND_WATER_DENSITY));
    return 0.4 * mass * radius * radius;
}

void cond_inertia_moments(const double I[9], double w[3], double Q[9])
{
    double A[9];
    memcpy(A, I, sizeof A);
    cond_eigen_symmetric(3, A, w, Q);
}

void cond_inertia_put(const double w[3], const double Q[9], double I[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += w[k] * Q[3 * i + k] * Q[3 * j + k];
            I[3 * i + j] = I[3 * j + i] = sum;
        }
}

int cond_inertia_mend(CondLink* link, char* text, size_t size)
{
    const char* name = link->name;
    double w[3], Q[9], s[3], largest = 0.0, trace = 0.0, least = INFINITY;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(link->inertia[i]));
    if (link->mass == 0.0) {
        memset(link->inertia, 0, sizeof link->inertia);
        snprintf(text, size, "link '%s': inertia without mass is ignored", name);
        return largest > 0.0;
    }
    cond_inertia_moments(link->inertia, w, Q);
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
    if (lowest >= -COND_INPUT_ROUNDING * trace && least > COND_PRODUCT_ROUNDING * trace)
        return 0;
    double floor = most > 0.0 ? 0.0 : 0.5 * cond_inertia_ball(link->mass);
    for (int k = 0; k < 3; k++)
        s[k] = fmax(s[k], floor);
    if (least <= COND_PRODUCT_ROUNDING * trace)
        for (int k = 0; k < 3; k++)
            s[k] = fmax(s[k], COND_MADE_UP * most);
    double fit[3];
    for (int k = 0; k < 3; k++)
        fit[k] = s[(k + 1) % 3] + s[(k + 2) % 3];
    cond_inertia_put(fit, Q, link->inertia);
    snprintf(text, size,
             "link '%s': no mass has the principal moments of inertia %.4g, %.4g, %.4g; taken as "
             "%.4g, %.4g, %.4g",
             name, w[0], w[1], w[2], fit[0], fit[1], fit[2]);
    return 1;
}
