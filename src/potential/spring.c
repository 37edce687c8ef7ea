// Spring-damper between two points, energy k/2 (length - rest)^2.
//
// Hessian with respect to the relative position: k dd' + k (length - rest)/length (I - dd'). Its
// second part is the geometric stiffness; the paper's E keeps A positive definite by a bound, and
// for a spring the projection on the positive matrices itself is at hand: drop it in compression.
#include "body/body.h"
#include "math/vec3.h"
#include "potential/potential.h"

#include <string.h>

// World position of one end and the Jacobian of its velocity; n_dof = 0 for the world.
static void find_end(const CondModel* model, const CondState* state, const CondSpring* spring,
                    int end, double world[3], double J[18], int* n_dof)
{
    int b = spring->body[end];
    *n_dof = 0;
    if (b < 0) {
        memcpy(world, spring->point[end], 3 * sizeof *world);
        return;
    }
    const CondBody* body = &model->body[b];
    *n_dof = body->n_dof;
    cond_body_ops(body->kind)
        ->point(state->position + 3 * b, state->orientation + 4 * b, spring->point[end], world, J);
}

// Direction d from end 1 to end 0 and the length; d = 0 where the ends coincide.
static double direction(const double p0[3], const double p1[3], double d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = p0[i] - p1[i];
    double length = vec3_norm(d);
    for (int i = 0; i < 3; i++)
        d[i] = length > 0.0 ? d[i] / length : 0.0;
    return length;
}

// Lays out J = [J0, -J1] over the coordinates of both ends. Two points of one body share them.
static void lay_out(const CondModel* model, const CondSpring* spring, double J[2][18],
                    const int n_dof[2], CondSpringLink* link)
{
    int same = spring->body[0] == spring->body[1] && spring->body[0] >= 0;
    link->n_coordinate = same ? n_dof[0] : n_dof[0] + n_dof[1];
    int n = link->n_coordinate;
    memset(link->jacobian, 0, sizeof link->jacobian);
    for (int end = 0; end < 2; end++) {
        int at = end == 1 && !same ? n_dof[0] : 0;
        for (int k = 0; k < n_dof[end]; k++) {
            link->coordinate[at + k] = model->body[spring->body[end]].dof_begin + k;
            for (int r = 0; r < 3; r++)
                link->jacobian[r * n + at + k] +=
                    (end == 0 ? 1.0 : -1.0) * J[end][r * n_dof[end] + k];
        }
    }
}

static double measure(const CondModel* model, const CondState* state, const CondSpring* spring,
                      double d[3], CondSpringLink* link)
{
    double J[2][18], p[2][3];
    int n_dof[2];
    for (int end = 0; end < 2; end++)
        find_end(model, state, spring, end, p[end], J[end], &n_dof[end]);
    if (link)
        lay_out(model, spring, J, n_dof, link);
    return direction(p[0], p[1], d);
}

// f += J' d magnitude
static void add_along(const CondSpringLink* link, const double d[3], double magnitude, double* f)
{
    int n = link->n_coordinate;
    for (int k = 0; k < n; k++)
        for (int r = 0; r < 3; r++)
            f[link->coordinate[k]] += magnitude * d[r] * link->jacobian[r * n + k];
}

void cond_spring_link(const CondModel* model, const CondState* state, const CondSpring* spring,
                      CondSpringLink* link, double* f)
{
    double d[3], step = model->settings.theta * model->settings.time_step;
    double length = measure(model, state, spring, d, link);
    double tension = spring->stiffness * (length - spring->rest_length);
    double across = tension > 0.0 && length > 0.0 ? tension / length : 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            link->gain[3 * i + j] =
                (step * (spring->stiffness - across) + spring->damping) * d[i] * d[j] +
                (i == j ? step * across : 0.0);
    add_along(link, d, -tension, f);
}

void cond_spring_add_damping(const CondModel* model, const CondState* state,
                             const CondSpring* spring, double* f)
{
    CondSpringLink link;
    double d[3], rate = 0.0;
    measure(model, state, spring, d, &link);
    int n = link.n_coordinate;
    for (int k = 0; k < n; k++)
        for (int r = 0; r < 3; r++)
            rate += d[r] * link.jacobian[r * n + k] * state->v[link.coordinate[k]];
    add_along(&link, d, -spring->damping * rate, f);
}

double cond_spring_energy(const CondModel* model, const CondState* state, const CondSpring* spring)
{
    double d[3];
    double stretch = measure(model, state, spring, d, NULL) - spring->rest_length;
    return 0.5 * spring->stiffness * stretch * stretch;
}
