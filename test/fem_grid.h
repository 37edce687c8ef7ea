// Boxes of tetrahedra for the tests of elastic bodies, and what those tests share.
#ifndef COND_TEST_FEM_GRID_H
#define COND_TEST_FEM_GRID_H

#include <stdint.h>

#include "model/fem.h"

// A box with one corner at the origin, six tetrahedra around a diagonal of each cell.
typedef struct FemGrid {
    int n[3];     // cells along each axis
    int n_node;   // (n0 + 1)(n1 + 1)(n2 + 1), x running fastest
    int n_tet;    // 6 n0 n1 n2
    double* node; //                                            (3 n_node)
    int* tet;     //                                            (4 n_tet)
} FemGrid;

// The test fails when memory is short.
FemGrid fem_grid_create(int nx, int ny, int nz, double lx, double ly, double lz);
void fem_grid_destroy(FemGrid* grid);

// Moves the nodes inside the box by up to `part` of a cell, so that no two elements are alike.
void fem_grid_shake(FemGrid* grid, double part, uint64_t* seed);

// cond_fem_create of linear elements.
CondStatus fem_create_linear(const CondContext* context, int n_node, const double* node, int n_tet,
                             const int* tet, int n_material, const CondFemMaterial* material,
                             const int* material_of_tet, CondFem* fem, CondError* error);

// A body of one material; the test fails on any error.
CondFem fem_grid_body(const FemGrid* grid, const CondFemMaterial* material);

// Numbers in [-1, 1] that are the same on every machine.
double fem_random(uint64_t* seed);
// A rotation matrix about a random axis by a random angle.
void fem_random_rotation(uint64_t* seed, double R[9]);

// The upper block triangle of an element matrix in full.       A (12 x 12)
void fem_unpack(const double* half, double* A);

#endif
