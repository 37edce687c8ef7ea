// What a solid weighs and how it turns, from its surface. Each face spans a tetrahedron with one
// reference point; those of faces that look away from it count negative, and the rest cancels:
//     integral 1 = sum V,   integral x = sum V (a + b + c)/4,
//     integral x x' = sum V/20 (aa' + bb' + cc' + (a + b + c)(a + b + c)').
#include "geometry/mesh_surface.h"
#include "math/vec3.h"

void cond_mesh_surface_inertia(const CondMeshSurface* mesh_surface, double* volume,
                               double centre[3], double inertia[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double V = 0.0, first[3] = {0.0, 0.0, 0.0}, second[6] = {0.0};
    const double* origin = mesh_surface->vertex; // near the solid, so that digits are not lost
    for (int f = 0; f < mesh_surface->n_face; f++) {
        double x[3][3], sum[3], cross[3];
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                x[k][i] = mesh_surface->vertex[3 * mesh_surface->face[3 * f + k] + i] - origin[i];
            sum[i] = x[0][i] + x[1][i] + x[2][i];
        }
        vec3_cross(x[1], x[2], cross);
        double part = vec3_dot(x[0], cross) / 6.0;
        V += part;
        for (int i = 0; i < 3; i++)
            first[i] += part * sum[i] / 4.0;
        for (int k = 0; k < 6; k++) {
            int i = row[k], j = column[k];
            second[k] +=
                part / 20.0 *
                (x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j] + sum[i] * sum[j]);
        }
    }
    // About the centre c of mass: integral (x - c)(x - c)' = integral x x' - V c c'.
    double c[3] = {first[0] / V, first[1] / V, first[2] / V};
    for (int k = 0; k < 6; k++)
        second[k] -= V * c[row[k]] * c[column[k]];
    double trace = second[0] + second[1] + second[2];
    for (int k = 0; k < 6; k++)
        inertia[k] = k < 3 ? trace - second[k] : -second[k];
    for (int i = 0; i < 3; i++)
        centre[i] = origin[i] + c[i];
    *volume = V;
}
