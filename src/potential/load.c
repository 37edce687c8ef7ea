// Loads on soft bodies. A dead load keeps its direction and is shared by nodes; a pressure p pushes
// against a face with corners a, b, c by
//     -p N,      N = (a x b + b x c + c x a)/2
// a third on each corner, and turns and stretches with it.
#include "math/eigen.h"
#include "math/vec3.h"
#include "model/fem.h"
#include "potential/potential.h"

#include <string.h>

static void push_face(const double* x, const int* corner, double pressure, double* f)
{
    double a[3], b[3], twice[3];
    for (int k = 0; k < 3; k++) {
        a[k] = x[3 * corner[1] + k] - x[3 * corner[0] + k];
        b[k] = x[3 * corner[2] + k] - x[3 * corner[0] + k];
    }
    vec3_cross(a, b, twice);
    for (int i = 0; i < 9; i++)
        f[3 * corner[i / 3] + i % 3] -= pressure * twice[i % 3] / 6.0;
}

void cond_load_add(const CondKinematics* kinematics, const CondForce* force, double share,
                   double* f)
{
    const CondBody* body = &kinematics->model->body[force->point.body];
    const double* x = kinematics->q + body->q_begin;
    double* own = f + body->dof_begin;
    for (int k = 0; k < 3 * force->n_node; k++)
        own[3 * force->node[k / 3] + k % 3] += share * force->weight[k / 3] * force->force[k % 3];
    for (int i = 0; i < force->n_triangle && force->pressure != 0.0; i++)
        push_face(x, force->triangle + (ptrdiff_t)3 * i, share * force->pressure, own);
}

// The derivative of -f on corner i by corner j is p/6 [e_j]x, with e_j the edge opposite to j from
// the next corner to the one behind; its symmetric part p/12 [e_j - e_i]x. Over a closed surface,
// or one whose rim is held, the rest cancels between faces: there pressure has an energy.
void cond_load_face_stiffness(const double* x, const int* corner, double pressure, double K[81])
{
    double edge[3][3], S[9], d[3];
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            edge[j][k] = x[3 * corner[(j + 2) % 3] + k] - x[3 * corner[(j + 1) % 3] + k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                d[k] = edge[j][k] - edge[i][k];
            mat3_cross(d, S);
            for (int k = 0; k < 9; k++)
                K[9 * (3 * i + k / 3) + 3 * j + k % 3] = pressure / 12.0 * S[k];
        }
}

static void add_face(const CondFem* fem, const double* x, const int* corner, double pressure,
                     double step, double* values)
{
    double K[81], w[9], Q[81];
    cond_load_face_stiffness(x, corner, pressure, K);
    cond_eigen_symmetric(9, K, w, Q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double* block = cond_fem_block(fem, corner[i], corner[j], values);
            for (int k = 0; k < 9; k++)
                for (int m = 0; m < 9; m++)
                    if (w[m] > 0.0)
                        block[k] +=
                            step * w[m] * Q[9 * (3 * i + k / 3) + m] * Q[9 * (3 * j + k % 3) + m];
        }
}

void cond_load_stiffen(const CondKinematics* kinematics, double time, double t, const double* step,
                       CondAssembly* assembly)
{
    const CondModel* model = kinematics->model;
    for (int i = 0; i < model->n_force; i++) {
        const CondForce* force = &model->force[i];
        const CondBody* body = &model->body[force->point.body];
        double pressure = cond_force_share(force, time, t) * force->pressure;
        if (pressure == 0.0)
            continue;
        double* values = assembly->block_values + assembly->block_begin[body->index];
        if (assembly->block[body->index].column != body->fem->pattern.column)
            continue; // masses alone
        for (int k = 0; k < force->n_triangle; k++)
            add_face(body->fem, kinematics->q + body->q_begin, force->triangle + (ptrdiff_t)3 * k,
                     pressure, step[body->index], values);
    }
}
