// Spring-damper between two points, energy k/2 (length - rest)^2.
//
// Hessian with respect to the relative position: k dd' + k (length - rest)/length (I - dd'). Its
// second part is the geometric stiffness; the paper's E keeps A positive definite by a bound, and
// for a spring the projection on the positive matrices itself is at hand: drop it in compression.
#include "body/body.h"
#include "math/vec3.h"
#include "potential/potential.h"

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

CondStatus cond_spring_add(const CondPosture* posture, const CondSpring* spring, double step,
                           CondAssembly* assembly, double* f)
{
    CondCouplingRoom room;
    double p[2][3], d[3];
    CondStatus status = cond_assembly_room(assembly, posture->model, 3, &room);
    if (status)
        return status;
    room.n_coordinate =
        cond_posture_relative(posture, spring->end, p, room.coordinate, room.jacobian);
    double length = direction(p, d);
    double tension = spring->stiffness * (length - spring->rest_length);
    double across = tension > 0.0 && length > 0.0 ? tension / length : 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            room.gain[3 * i + j] =
                (step * (spring->stiffness - across) + spring->damping) * d[i] * d[j] +
                (i == j ? step * across : 0.0);
    add_along(&room, d, -tension, f);
    cond_assembly_keep(assembly, &room);
    return COND_OK;
}

double cond_spring_energy(const CondPosture* posture, const CondSpring* spring)
{
    double p[2][3], d[3];
    for (int end = 0; end < 2; end++)
        cond_posture_point(posture, &spring->end[end], p[end], NULL, NULL);
    double stretch = direction(p, d) - spring->rest_length;
    return 0.5 * spring->stiffness * stretch * stretch;
}
