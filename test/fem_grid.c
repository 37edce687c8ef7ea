// Boxes of tetrahedra for the tests of elastic bodies, and what those tests share.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "fem_grid.h"
#include "math/quat.h"
#include "model/strain.h"

double fem_random(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

void fem_random_rotation(uint64_t* seed, double R[9])
{
    double w[3], q[4];
    for (int i = 0; i < 3; i++)
        w[i] = 3.0 * fem_random(seed);
    quat_exp(w, q);
    quat_matrix(q, R);
}

FemGrid fem_grid_create(int nx, int ny, int nz, double lx, double ly, double lz)
{
    // The six paths along three edges from one corner of the cell to the opposite one.
    static const int path[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                   {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    FemGrid grid = {{nx, ny, nz}, (nx + 1) * (ny + 1) * (nz + 1), 6 * nx * ny * nz, NULL, NULL};
    grid.node = malloc(3 * (size_t)grid.n_node * sizeof *grid.node);
    grid.tet = malloc(4 * (size_t)grid.n_tet * sizeof *grid.tet);
    assert_non_null(grid.node);
    assert_non_null(grid.tet);
    double* node = grid.node;
    for (int k = 0; k <= nz; k++)
        for (int j = 0; j <= ny; j++)
            for (int i = 0; i <= nx; i++, node += 3) {
                node[0] = lx * i / nx;
                node[1] = ly * j / ny;
                node[2] = lz * k / nz;
            }
    int* tet = grid.tet;
    for (int cell = 0; cell < nx * ny * nz; cell++) {
        int i = cell % nx, j = cell / nx % ny, k = cell / nx / ny;
        for (int t = 0; t < 6; t++)
            for (int a = 0; a < 4; a++, tet++) {
                int bits = path[t][a];
                *tet = (i + (bits & 1)) +
                       (nx + 1) * ((j + (bits >> 1 & 1)) + (ny + 1) * (k + (bits >> 2)));
            }
    }
    return grid;
}

void fem_grid_destroy(FemGrid* grid)
{
    free(grid->node);
    free(grid->tet);
}

void fem_grid_shake(FemGrid* grid, double part, uint64_t* seed)
{
    const int* n = grid->n;
    const double* far = grid->node + 3 * (size_t)(grid->n_node - 1);
    double cell[3] = {far[0] / n[0], far[1] / n[1], far[2] / n[2]};
    for (int i = 0; i < grid->n_node; i++) {
        int at[3] = {i % (n[0] + 1), i / (n[0] + 1) % (n[1] + 1), i / (n[0] + 1) / (n[1] + 1)};
        int inside = 1;
        for (int k = 0; k < 3; k++)
            inside = inside && at[k] > 0 && at[k] < n[k];
        for (int k = 0; inside && k < 3; k++)
            grid->node[3 * (size_t)i + k] += part * cell[k] * fem_random(seed);
    }
}

CondStatus fem_create_linear(const CondContext* context, int n_node, const double* node, int n_tet,
                             const int* tet, int n_material, const CondFemMaterial* material,
                             const int* material_of_tet, CondFem* fem, CondError* error)
{
    CondFemShape shape = {.kind = COND_FEM_LINEAR,
                          .n_node = n_node,
                          .node = node,
                          .n_element = n_tet,
                          .element = tet};
    return cond_fem_create(context, &shape, n_material, material, material_of_tet, fem, error);
}

CondFem fem_grid_body(const FemGrid* grid, const CondFemMaterial* material)
{
    CondFem fem;
    CondError error = {COND_OK, ""};
    CondStatus status = fem_create_linear(NULL, grid->n_node, grid->node, grid->n_tet, grid->tet, 1,
                                          material, NULL, &fem, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, COND_OK);
    return fem;
}

void fem_unpack(const double* half, double* A)
{
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++)
            for (int i = 0; i < 9; i++) {
                double value = half[cond_strain_block(4, a, b) + i];
                A[12 * (3 * a + i / 3) + 3 * b + i % 3] = value;
                A[12 * (3 * b + i % 3) + 3 * a + i / 3] = value;
            }
}
