// Linear tetrahedra in pure bending. With x along the longest principal axis of the body, z along
// the thinnest and y across, from its centre, a curvature of 1 moves it by
//   u = (x z, -nu y z, -(x^2 + nu z^2 - nu y^2)/2),
// with the stress E z along x alone and the energy E/2 int z^2. Elements whose corners move so have
// constant strains instead, and the energy
//   sum_t V_t (mu |e_t|^2 + lambda/2 (tr e_t)^2) = E/2 int z^2 + E/2 (what is spurious).
#include "model/fem_bending.h"

#include "math/eigen.h"
#include "math/vec3.h"

#include <string.h>

// Edges from corner 0 in m, as rows; the volume.
static double edges_of(const double* node, const int* tet, double D[9])
{
    for (int k = 0; k < 9; k++)
        D[k] = node[3 * (size_t)tet[k / 3 + 1] + (size_t)(k % 3)] -
               node[3 * (size_t)tet[0] + (size_t)(k % 3)];
    double across[3];
    vec3_cross(D + 3, D + 6, across);
    return vec3_dot(D, across) / 6.0;
}

// The centre of the body and the second moments about it over the volume (m5); the volume.
static double moments_of(const double* node, int n_tet, const int* tet, double centre[3],
                         double moment[9])
{
    double D[9], volume = 0.0;
    memset(centre, 0, 3 * sizeof *centre);
    memset(moment, 0, 9 * sizeof *moment);
    for (int t = 0; t < n_tet; t++) {
        double V = edges_of(node, tet + 4 * (size_t)t, D);
        for (int k = 0; k < 12; k++)
            centre[k % 3] +=
                0.25 * V * node[3 * (size_t)tet[4 * (size_t)t + (size_t)(k / 3)] + (size_t)(k % 3)];
        volume += V;
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= volume;
    for (int t = 0; t < n_tet; t++) {
        double V = edges_of(node, tet + 4 * (size_t)t, D), p[4][3], sum[3] = {0.0};
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] =
                node[3 * (size_t)tet[4 * (size_t)t + (size_t)(k / 3)] + (size_t)(k % 3)] -
                centre[k % 3];
            sum[k % 3] += p[k / 3][k % 3];
        }
        for (int k = 0; k < 9; k++) { // int x_i x_j = V/20 (sum_a p_ai p_aj + sum_i sum_j)
            double products = sum[k / 3] * sum[k % 3];
            for (int a = 0; a < 4; a++)
                products += p[a][k / 3] * p[a][k % 3];
            moment[k] += V / 20.0 * products;
        }
    }
    return volume;
}

double cond_fem_bending_excess(const double* node, int n_tet, const int* tet, double poisson_ratio)
{
    double centre[3], moment[9], value[3], axis[9], nu = poisson_ratio;
    double lambda = nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu = 0.5 / (1.0 + nu), energy = 0.0;
    moments_of(node, n_tet, tet, centre, moment);
    cond_eigen_symmetric(3, moment, value, axis);
    int thin = 0, lengthy = 0;
    for (int k = 1; k < 3; k++) {
        thin = value[k] < value[thin] ? k : thin;
        lengthy = value[k] >= value[lengthy] ? k : lengthy;
    }
    if (lengthy == thin) // the same in all directions
        lengthy = (thin + 1) % 3;
    const int order[3] = {lengthy, 3 - thin - lengthy, thin};
    for (int t = 0; t < n_tet; t++) {
        double X[4][3], U[4][3], E[9], g[3][3], F[9] = {0.0}, square = 0.0, trace = 0.0;
        for (int a = 0; a < 4; a++) {
            const double* p = node + 3 * (size_t)tet[4 * (size_t)t + (size_t)a];
            for (int k = 0; k < 3; k++) {
                X[a][k] = 0.0;
                for (int i = 0; i < 3; i++)
                    X[a][k] += axis[3 * i + order[k]] * (p[i] - centre[i]);
            }
            double x = X[a][0], y = X[a][1], z = X[a][2];
            U[a][0] = x * z;
            U[a][1] = -nu * y * z;
            U[a][2] = -0.5 * (x * x + nu * (z * z - y * y));
        }
        for (int k = 0; k < 9; k++)
            E[k] = X[k / 3 + 1][k % 3] - X[0][k % 3];
        for (int a = 0; a < 3; a++)
            vec3_cross(E + 3 * ((a + 1) % 3), E + 3 * ((a + 2) % 3), g[a]);
        double six = vec3_dot(E, g[0]);
        for (int k = 0; k < 9; k++)
            for (int a = 0; a < 3; a++)
                F[k] += (U[a + 1][k / 3] - U[0][k / 3]) * g[a][k % 3] / six;
        for (int k = 0; k < 9; k++) {
            double e = 0.5 * (F[k] + F[3 * (k % 3) + k / 3]);
            square += e * e;
            trace += k % 4 == 0 ? e : 0.0;
        }
        energy += (six < 0.0 ? -six : six) / 6.0 * (mu * square + 0.5 * lambda * trace * trace);
    }
    return energy / (0.5 * value[thin]);
}
