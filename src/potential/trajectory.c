// Interpolates waypoints and follows them by inverse kinematics (trajectory.h).
#include "potential/trajectory.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

// Velocity at waypoint k: the slope between its neighbours; zero at the ends and where it rests.
static void tangent(const CondTrajectory* t, int k, double v[3])
{
    for (int i = 0; i < 3; i++) {
        v[i] = 0.0;
        if (k > 0 && k + 1 < t->n_waypoint && !t->waypoint[k].rest)
            v[i] = (t->waypoint[k + 1].position[i] - t->waypoint[k - 1].position[i]) /
                   (t->waypoint[k + 1].time - t->waypoint[k - 1].time);
    }
}

// The waypoint before a time that lies between the first and the last one.
static int segment(const CondTrajectory* trajectory, double time)
{
    int k = 0;
    while (k + 2 < trajectory->n_waypoint && time >= trajectory->waypoint[k + 1].time)
        k++;
    return k;
}

// By the waypoints alone.
static CondIkTarget waypoints_at(const CondTrajectory* trajectory, double time)
{
    CondIkTarget out;
    const CondWaypoint* way = trajectory->waypoint;
    int n = trajectory->n_waypoint, k;
    memset(&out, 0, sizeof out);
    if (time <= way[0].time || n == 1 || time >= way[n - 1].time) {
        const CondWaypoint* end = time <= way[0].time || n == 1 ? &way[0] : &way[n - 1];
        memcpy(out.position, end->position, sizeof out.position);
        memcpy(out.orientation, end->orientation, sizeof out.orientation);
        return out;
    }
    k = segment(trajectory, time);
    double h = way[k + 1].time - way[k].time, s = (time - way[k].time) / h, v0[3], v1[3];
    tangent(trajectory, k, v0);
    tangent(trajectory, k + 1, v1);
    for (int i = 0; i < 3; i++) { // Hermite: p0, p1 and the two velocities
        double p0 = way[k].position[i], p1 = way[k + 1].position[i];
        out.position[i] = (2 * s * s * s - 3 * s * s + 1) * p0 +
                          (s * s * s - 2 * s * s + s) * h * v0[i] +
                          (3 * s * s - 2 * s * s * s) * p1 + (s * s * s - s * s) * h * v1[i];
        out.velocity[i] = ((6 * s * s - 6 * s) * (p0 - p1)) / h + (3 * s * s - 4 * s + 1) * v0[i] +
                          (3 * s * s - 2 * s) * v1[i];
    }
    double w[3], part[3], dq[4], share = 3 * s * s - 2 * s * s * s, rate = (6 * s - 6 * s * s) / h;
    quat_between(way[k].orientation, way[k + 1].orientation, w);
    for (int i = 0; i < 3; i++) {
        part[i] = share * w[i];
        out.angular[i] = rate * w[i];
    }
    quat_exp(part, dq);
    quat_product(dq, way[k].orientation, out.orientation);
    return out;
}

// Turns an orientation by a rotation vector w, and the angular velocity with it; adds the rate of
// that turn, whose axis stands still.
static void turn_by(const double w[3], const double rate[3], CondIkTarget* out)
{
    double dq[4], R[9], turned[4], angular[3];
    if (vec3_norm(w) == 0.0 && vec3_norm(rate) == 0.0)
        return;
    quat_exp(w, dq);
    quat_matrix(dq, R);
    quat_product(dq, out->orientation, turned);
    mat3_multiply(R, out->angular, angular);
    memcpy(out->orientation, turned, sizeof turned);
    for (int i = 0; i < 3; i++)
        out->angular[i] = angular[i] + rate[i];
}

// p = p_w + velocity t + amplitude sin(o t + phase),
// R = exp(swing sin(o t + phase)) exp(spin t) R_w,      o = 2 pi frequency
CondIkTarget cond_trajectory_at(const CondTrajectory* trajectory, double time)
{
    const double TURN = 6.283185307179586;
    const CondTrajectory* t = trajectory;
    CondIkTarget out = waypoints_at(t, time);
    double o = TURN * t->frequency, s = sin(o * time + t->phase), c = o * cos(o * time + t->phase);
    double turned[3], swung[3], rate[3];
    for (int i = 0; i < 3; i++) {
        out.position[i] += t->velocity[i] * time + t->amplitude[i] * s;
        out.velocity[i] += t->velocity[i] + t->amplitude[i] * c;
        turned[i] = t->spin[i] * time;
        swung[i] = t->swing[i] * s;
        rate[i] = t->swing[i] * c;
    }
    turn_by(turned, t->spin, &out);
    turn_by(swung, rate, &out);
    return out;
}

double cond_trajectory_target(const CondTrajectory* trajectory, double time)
{
    const CondWaypoint* way = trajectory->waypoint;
    int n = trajectory->n_waypoint;
    if (time <= way[0].time || n == 1)
        return way[0].target;
    if (time >= way[n - 1].time)
        return way[n - 1].target;
    way += segment(trajectory, time);
    double s = (time - way[0].time) / (way[1].time - way[0].time);
    return way[0].target + (3 * s * s - 2 * s * s * s) * (way[1].target - way[0].target);
}

void cond_trajectory_guide(CondKinematics* kinematics, double time)
{
    const CondModel* model = kinematics->model;
    for (int i = 0; i < model->n_trajectory; i++)
        if (model->trajectory[i].body < 0)
            kinematics->guide[i] = cond_trajectory_at(&model->trajectory[i], time);
}
