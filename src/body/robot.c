// An articulated body: coordinates and configuration as model/articulation.h says. The kinematics
// holds its kinematics and its mass matrix.
#include "body/body.h"
#include "linear/cholesky.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static CondArticulationWork* work_of(const CondBody* body, const CondKinematics* kinematics)
{
    return kinematics->arm[body->index].work;
}

static void bias(const CondBody* body, const CondKinematics* kinematics, const double* v, double t,
                 const double gravity[3], double* f)
{
    (void)t;
    cond_articulation_bias(body->arm, work_of(body, kinematics), v, gravity, f);
}

static void fill(const CondBody* body, const CondKinematics* kinematics, double scale,
                 double* values, CondBlock* block)
{
    const double* M = cond_kinematics_mass(kinematics, body->index);
    for (int i = 0; i < body->n_dof * body->n_dof; i++)
        values[i] = scale * M[i];
    *block = (CondBlock){.kind = COND_BLOCK_DENSE, .n_dof = body->n_dof, .values = values};
}

static void add_damping(const CondBody* body, double* values)
{
    for (int i = 0; i < body->n_dof; i++)
        values[(size_t)i * (size_t)(body->n_dof + 1)] += body->arm->damping[i];
}

// How far joint j is from where its spring is slack.
static double stretch(const CondBody* body, const CondKinematics* kinematics, int j)
{
    const CondArticulation* arm = body->arm;
    return kinematics->q[body->q_begin + arm->n_q - arm->n_joint + j] -
           arm->coordinate[j].spring_rest;
}

// Energy k/2 |w|^2 of the angle that a ball is turned by: f -= k w, A += step k.
static void add_ball_springs(const CondBody* body, const CondKinematics* kinematics, double step,
                             double* values, double* f)
{
    const CondArticulation* arm = body->arm;
    for (int i = 0; i < arm->n_ball; i++) {
        double k = arm->link[arm->ball[i]].stiffness, w[3];
        int first = cond_articulation_ball_v(arm) + 3 * i;
        if (!(k > 0.0))
            continue;
        cond_articulation_ball_turn(arm, kinematics->q + body->q_begin, i, w);
        for (int r = first; r < first + 3; r++) {
            values[(size_t)r * (size_t)(body->n_dof + 1)] += step * k;
            f[r] -= k * w[r - first];
        }
    }
}

// f -= k (q - rest), A += step k
static void add_springs(const CondBody* body, const CondKinematics* kinematics, double step,
                        double* values, double* f)
{
    const CondArticulation* arm = body->arm;
    int first = arm->n_dof - arm->n_joint;
    for (int j = 0; j < arm->n_joint; j++) {
        double k = arm->coordinate[j].stiffness;
        if (k > 0.0) {
            values[(size_t)(first + j) * (size_t)(body->n_dof + 1)] += step * k;
            f[first + j] -= k * stretch(body, kinematics, j);
        }
    }
}

// Joint damping is viscous and goes into A as it is.
static void block(const CondBody* body, const CondKinematics* kinematics, double step,
                  double* values, CondBlock* out, double* f)
{
    fill(body, kinematics, 1.0 / step, values, out);
    add_damping(body, values);
    add_springs(body, kinematics, step, values, f);
    add_ball_springs(body, kinematics, step, values, f);
}

static void mass(const CondBody* body, const CondKinematics* kinematics, double* values,
                 CondBlock* out)
{
    fill(body, kinematics, 1.0, values, out);
}

static void damping(const CondBody* body, const CondKinematics* kinematics, double* values,
                    CondBlock* out)
{
    fill(body, kinematics, 0.0, values, out);
    add_damping(body, values);
}

static void accelerate(const CondBody* body, const CondKinematics* kinematics, const double* f,
                       double* a)
{
    memcpy(a, f, (size_t)body->n_dof * sizeof *a);
    cond_cholesky_solve(body->n_dof, cond_kinematics_mass_factor(kinematics, body->index), a);
}

static void advance(const CondBody* body, const double* v, double t, double* q)
{
    cond_articulation_advance(body->arm, v, t, q);
}

static int point(const CondBody* body, const CondKinematics* kinematics, const CondPoint* at,
                 double* world, int* coordinate, double* J)
{
    cond_articulation_point(body->arm, work_of(body, kinematics), at->link, at->local, world, J);
    for (int i = 0; i < body->n_dof && coordinate; i++)
        coordinate[i] = body->dof_begin + i;
    return body->n_dof;
}

// Of the features: they are what may touch something.
static double speed(const CondBody* body, const CondKinematics* kinematics, const double* v)
{
    double fastest = 0.0, origin[3], turn[9]; // of the link at hand
    if (body->n_feature > 0)
        cond_articulation_set_velocity(body->arm, work_of(body, kinematics), v);
    for (int k = 0, link = -1; k < body->n_feature; k++) {
        const CondPoint* point = &kinematics->model->feature[body->feature_begin + k].point;
        double u[3], square;
        if (point->link != link)
            cond_articulation_motion(work_of(body, kinematics), link = point->link, origin, turn);
        mat3_multiply(turn, point->local, u);
        for (int i = 0; i < 3; i++)
            u[i] += origin[i];
        square = vec3_dot(u, u);
        fastest = square > fastest ? square : fastest;
    }
    return sqrt(fastest);
}

static double potential(const CondBody* body, const CondKinematics* kinematics,
                        const double gravity[3])
{
    double energy = 0.0;
    cond_articulation_energy(body->arm, work_of(body, kinematics), NULL, gravity, NULL, &energy);
    for (int j = 0; j < body->arm->n_joint; j++) {
        double k = body->arm->coordinate[j].stiffness;
        energy +=
            k > 0.0 ? 0.5 * k * stretch(body, kinematics, j) * stretch(body, kinematics, j) : 0.0;
    }
    for (int i = 0; i < body->arm->n_ball; i++) {
        double w[3];
        cond_articulation_ball_turn(body->arm, kinematics->q + body->q_begin, i, w);
        energy += 0.5 * body->arm->link[body->arm->ball[i]].stiffness * vec3_dot(w, w);
    }
    return energy;
}

// The pose of the base link.
static CondPose pose(const CondBody* body, const double* q, const double* v)
{
    CondPose out;
    double R[9];
    memset(&out, 0, sizeof out);
    if (!body->arm->floating) {
        memcpy(out.position, body->arm->base_position, sizeof out.position);
        memcpy(out.orientation, body->arm->base_orientation, sizeof out.orientation);
        return out;
    }
    memcpy(out.position, q, sizeof out.position);
    memcpy(out.orientation, q + 3, sizeof out.orientation);
    memcpy(out.velocity, v, sizeof out.velocity);
    quat_matrix(q + 3, R);
    mat3_multiply(R, v + 3, out.angular_velocity);
    return out;
}

static int set_pose(const CondBody* body, const CondPose* in, double* q, double* v)
{
    double R[9];
    if (!body->arm->floating)
        return 1;
    memcpy(q, in->position, sizeof in->position);
    memcpy(q + 3, in->orientation, sizeof in->orientation);
    quat_normalize(q + 3);
    memcpy(v, in->velocity, sizeof in->velocity);
    quat_matrix(q + 3, R);
    mat3_multiply_transposed(R, in->angular_velocity, v + 3);
    return 0;
}

static void drift(const CondBody* body, const double* q, const double twist[6],
                  const double about[3], double* v)
{
    memset(v, 0, (size_t)body->n_dof * sizeof *v);
    if (body->arm->floating)
        quat_rigid_drift(q, twist, about, v);
}

const CondBodyOps cond_body_robot = {COND_BODY_ROBOT, bias,    block,   mass,  damping,
                                     accelerate,      advance, point,   speed, potential,
                                     drift,           pose,    set_pose};
