// When and where moving features meet: a point and a triangle, or two segments, whose corners move
// along straight lines; either may have a radius.
#include "collide/meeting.h"
#include "base/tuning.h"

#include "geometry/segment.h"
#include "geometry/triangle.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The corners at a time.
static void place(const CondMotion* motion, double time, double x[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] = motion->from[k][i] + time * (motion->to[k][i] - motion->from[k][i]);
}

// sum weight x of side 0 less that of side 1
static void apart(CondMeetingKind kind, double x[4][3], const double weight[4], double w[3])
{
    for (int i = 0; i < 3; i++) {
        w[i] = 0.0;
        for (int k = 0; k < 4; k++)
            w[i] += (k < (int)kind ? weight[k] : -weight[k]) * x[k][i];
    }
}

// Weights of the nearest points; returns their distance.
static double nearest(CondMeetingKind kind, double x[4][3], double weight[4])
{
    if (kind == COND_MEETING_TRIANGLE) {
        double point[3];
        weight[0] = 1.0;
        return sqrt(triangle_nearest(x[0], x[1], x[2], x[3], weight + 1, point));
    }
    double d[3], e[3], s, t;
    for (int i = 0; i < 3; i++) {
        d[i] = x[1][i] - x[0][i];
        e[i] = x[3][i] - x[2][i];
    }
    double distance = cond_segment_nearest(x[0], d, x[2], e, &s, &t);
    weight[0] = 1.0 - s;
    weight[1] = s;
    weight[2] = 1.0 - t;
    weight[3] = t;
    return distance;
}

static double determinant(const double a[3], const double b[3], const double c[3])
{
    double n[3];
    vec3_cross(a, b, n);
    return vec3_dot(n, c);
}

// c[0] + c[1] t + c[2] t^2 + c[3] t^3 = det(x1 - x0, x2 - x0, x3 - x0): zero where the corners lie
// in a plane.
static void coplanarity(const CondMotion* motion, double c[4])
{
    double u[3][3], d[3][3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            u[k][i] = motion->from[k + 1][i] - motion->from[0][i];
            d[k][i] = motion->to[k + 1][i] - motion->to[0][i] - u[k][i];
        }
    c[0] = determinant(u[0], u[1], u[2]);
    c[1] = determinant(d[0], u[1], u[2]) + determinant(u[0], d[1], u[2]) +
           determinant(u[0], u[1], d[2]);
    c[2] = determinant(u[0], d[1], d[2]) + determinant(d[0], u[1], d[2]) +
           determinant(d[0], d[1], u[2]);
    c[3] = determinant(d[0], d[1], d[2]);
}

static double cubic(const double c[4], double t)
{
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

// The root between low and high, where the cubic changes its sign.
static double bisect(const double c[4], double low, double high)
{
    double sign = cubic(c, low) < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < DBL_MANT_DIG; k++) {
        double middle = 0.5 * (low + high);
        if (sign * cubic(c, middle) > 0.0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

// Roots in 0 .. 1 where the sign changes, ascending.
static int roots_of(const double c[4], double root[3])
{
    double cut[4] = {0.0, 1.0, 1.0, 1.0};
    int n_cut = 1, n = 0;
    // The cubic is monotone between the roots of its derivative c1 + 2 c2 t + 3 c3 t^2.
    double half = c[2], inner = half * half - 3.0 * c[3] * c[1];
    if (inner > 0.0) {
        double q = -(half + (half < 0.0 ? -sqrt(inner) : sqrt(inner)));
        double a = c[3] != 0.0 ? q / (3.0 * c[3]) : 2.0, b = q != 0.0 ? c[1] / q : 2.0;
        double first = fmin(a, b), second = fmax(a, b);
        if (first > 0.0 && first < 1.0)
            cut[n_cut++] = first;
        if (second > 0.0 && second < 1.0)
            cut[n_cut++] = second;
    }
    cut[n_cut] = 1.0;
    for (int k = 0; k < n_cut; k++)
        if ((cubic(c, cut[k]) < 0.0) != (cubic(c, cut[k + 1]) < 0.0))
            root[n++] = bisect(c, cut[k], cut[k + 1]);
    return n;
}

// The normal of the plane in which the corners lie at that time, and how large the figure is; 0
// where there is no plane.
static int plane_normal(CondMeetingKind kind, double x[4][3], double n[3], double* size)
{
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = kind == COND_MEETING_TRIANGLE ? x[2][i] - x[1][i] : x[1][i] - x[0][i];
        b[i] = kind == COND_MEETING_TRIANGLE ? x[3][i] - x[1][i] : x[3][i] - x[2][i];
    }
    vec3_cross(a, b, n);
    double area = vec3_norm(n);
    *size = fmax(vec3_norm(a), vec3_norm(b));
    if (!(area > COND_SINGLE_PRECISION * vec3_norm(a) * vec3_norm(b)))
        return 0;
    for (int i = 0; i < 3; i++)
        n[i] /= area;
    return 1;
}

// Turns the normal to the side on which side 0 was at the start and measures the gap at the end.
static void measure(CondMeetingKind kind, double radius, const CondMotion* motion,
                    CondMeeting* meeting)
{
    double x[4][3], w[3];
    place(motion, 1.0, x);
    apart(kind, x, meeting->weight, w);
    meeting->gap = vec3_dot(meeting->normal, w) - radius;
}

static int meet_sharp(CondMeetingKind kind, const CondMotion* motion, CondMeeting* meeting)
{
    double c[4], root[3], x[4][3], w[3], size;
    coplanarity(motion, c);
    int n = roots_of(c, root);
    for (int k = 0; k < n; k++) {
        place(motion, root[k], x);
        if (!plane_normal(kind, x, meeting->normal, &size) ||
            nearest(kind, x, meeting->weight) > COND_INPUT_ROUNDING * size)
            continue;
        place(motion, 0.0, x);
        apart(kind, x, meeting->weight, w);
        if (vec3_dot(meeting->normal, w) < 0.0)
            for (int i = 0; i < 3; i++)
                meeting->normal[i] = -meeting->normal[i];
        meeting->time = root[k];
        measure(kind, 0.0, motion, meeting);
        if (meeting->gap < 0.0)
            return 1;
    }
    return 0;
}

// A bound of the speed with which points of the two sides approach: the fastest corner of each,
// against the mean motion.
static double speed_of(CondMeetingKind kind, const CondMotion* motion)
{
    double mean[3] = {0.0, 0.0, 0.0}, fastest[2] = {0.0, 0.0};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            mean[i] += 0.25 * (motion->to[k][i] - motion->from[k][i]);
    for (int k = 0; k < 4; k++) {
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = motion->to[k][i] - motion->from[k][i] - mean[i];
        double* side = &fastest[k >= (int)kind];
        *side = fmax(*side, vec3_norm(d));
    }
    return fastest[0] + fastest[1];
}

static int meet_round(CondMeetingKind kind, double radius, const CondMotion* motion,
                      CondMeeting* meeting)
{
    double x[4][3], w[3], time = 0.0, speed = speed_of(kind, motion);
    place(motion, 0.0, x);
    double distance = nearest(kind, x, meeting->weight),
           near = fmin(radius, COND_SAFETY * distance);
    for (int k = 0; k < COND_SEARCH_STEPS && distance - near > COND_NEARLY * near; k++) {
        if (!(time * speed + distance - near < speed))
            return 0;
        time += (distance - near) / speed;
        place(motion, time, x);
        distance = nearest(kind, x, meeting->weight);
    }
    if (!(distance > 0.0) || distance - near > COND_LEEWAY * COND_NEARLY * near)
        return 0;
    apart(kind, x, meeting->weight, w);
    for (int i = 0; i < 3; i++)
        meeting->normal[i] = w[i] / distance;
    meeting->time = time;
    measure(kind, radius, motion, meeting);
    return meeting->gap < 0.0;
}

int cond_meeting_find(CondMeetingKind kind, double radius, const CondMotion* motion,
                      CondMeeting* meeting)
{
    return radius > 0.0 ? meet_round(kind, radius, motion, meeting)
                        : meet_sharp(kind, motion, meeting);
}
