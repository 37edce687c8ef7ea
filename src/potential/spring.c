// Spring-damper between two points or two joints, energy k/2 (length - rest)^2.
//
// Hessian with respect to the relative position: k dd' + k (length - rest)/length (I - dd'). Its
// second part is the geometric stiffness; the paper's E keeps A positive definite by a bound, and
// for a spring the projection on the positive matrices itself is at hand: drop it in compression.
//
// Between joints of robots the length is l = sum of ratio q, so that its gradient is constant: the
// force -k (l - rest) in the middle of a step, with the mean of l, has the work of the energy.
#include "body/body.h"
#include "math/vec3.h"
#include "potential/potential.h"

static int body_of(const CondSpring* spring)
{
    return spring->end[0].body >= 0 ? spring->end[0].body : spring->end[1].body;
}

// Direction d from end 1 to end 0 and the length; d = 0 where the ends coincide.
static double direction(double p[2][3], double d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = p[0][i] - p[1][i];
    double length = vec3_norm(d);
    for (int i = 0; i < 3; i++)
        d[i] = length > 0.0 ? d[i] / length : 0.0;
    return length;
}

// f += J' d magnitude
static void add_along(const CondCouplingRoom* room, const double d[3], double magnitude, double* f)
{
    int n = room->n_coordinate;
    for (int k = 0; k < n; k++)
        for (int r = 0; r < 3; r++)
            f[room->coordinate[k]] += magnitude * d[r] * room->jacobian[r * n + k];
}

// In the middle of a step, with D the vector between the ends and l its length,
//     f = -k (l - rest) D/l,     l = (l_k + l_{k+1})/2,   D = (D_k + D_{k+1})/2,
// does the work -k/2 ((l_{k+1} - rest)^2 - (l_k - rest)^2): D.(D_{k+1} - D_k) = l (l_{k+1} - l_k).
// d = D/l need not be of length 1.
static double mean_direction(const CondKinematics* kinematics, const CondSpring* spring,
                             double d[3])
{
    const CondKinematics* at[2] = {kinematics->begin, kinematics->end};
    double length = 0.0, sum[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        double p[2][3], one[3];
        for (int end = 0; end < 2; end++)
            cond_kinematics_point(at[k], &spring->end[end], p[end], NULL, NULL);
        double l = direction(p, one);
        length += 0.5 * l;
        for (int i = 0; i < 3; i++)
            sum[i] += 0.5 * l * one[i];
    }
    for (int i = 0; i < 3; i++)
        d[i] = length > 0.0 ? sum[i] / length : 0.0;
    return length;
}

// Where a spring between joints has an end.
static int has_joint(const CondSpring* spring, int end)
{
    return spring->end[end].body >= 0;
}

static double joint_length(const CondKinematics* kinematics, const CondSpring* spring)
{
    double length = 0.0;
    for (int end = 0; end < 2; end++)
        if (has_joint(spring, end)) {
            const CondBody* body = &kinematics->model->body[spring->end[end].body];
            length +=
                spring->ratio[end] * kinematics->q[cond_body_joint_q(body) + spring->joint[end]];
        }
    return length;
}

static CondStatus add_between_joints(const CondKinematics* kinematics, const CondSpring* spring,
                                     double step, CondAssembly* assembly, double* f)
{
    CondCouplingRoom room;
    CondStatus status = cond_assembly_room(assembly, kinematics->model, 1, &room);
    if (status)
        return status;
    double length = cond_kinematics_spans(kinematics, body_of(spring))
                        ? 0.5 * (joint_length(kinematics->begin, spring) +
                                 joint_length(kinematics->end, spring))
                        : joint_length(kinematics, spring);
    double tension = spring->stiffness * (length - spring->rest_length);
    room.n_coordinate = 0;
    for (int end = 0; end < 2; end++)
        if (has_joint(spring, end)) {
            const CondBody* body = &kinematics->model->body[spring->end[end].body];
            int at = cond_body_joint_v(body) + spring->joint[end];
            f[at] -= spring->ratio[end] * tension;
            room.coordinate[room.n_coordinate] = at;
            room.jacobian[room.n_coordinate++] = spring->ratio[end];
        }
    room.gain[0] = step * spring->stiffness + spring->damping;
    cond_assembly_keep(assembly, &room);
    return COND_OK;
}

CondStatus cond_spring_add(const CondKinematics* kinematics, const CondSpring* spring, double step,
                           CondAssembly* assembly, double* f)
{
    if (spring->between_joints)
        return add_between_joints(kinematics, spring, step, assembly, f);
    CondCouplingRoom room;
    double p[2][3], d[3];
    CondStatus status = cond_assembly_room(assembly, kinematics->model, 3, &room);
    if (status)
        return status;
    room.n_coordinate =
        cond_kinematics_relative(kinematics, spring->end, p, room.coordinate, room.jacobian);
    double length = direction(p, d);
    double tension = spring->stiffness * (length - spring->rest_length);
    double across = tension > 0.0 && length > 0.0 ? tension / length : 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            room.gain[3 * i + j] =
                (step * (spring->stiffness - across) + spring->damping) * d[i] * d[j] +
                (i == j ? step * across : 0.0);
    if (cond_kinematics_spans(kinematics, body_of(spring))) {
        length = mean_direction(kinematics, spring, d);
        tension = spring->stiffness * (length - spring->rest_length);
    }
    add_along(&room, d, -tension, f);
    cond_assembly_keep(assembly, &room);
    return COND_OK;
}

double cond_spring_energy(const CondKinematics* kinematics, const CondSpring* spring)
{
    double p[2][3], d[3];
    for (int end = 0; end < 2 && !spring->between_joints; end++)
        cond_kinematics_point(kinematics, &spring->end[end], p[end], NULL, NULL);
    double length = spring->between_joints ? joint_length(kinematics, spring) : direction(p, d);
    double stretch = length - spring->rest_length;
    return 0.5 * spring->stiffness * stretch * stretch;
}
