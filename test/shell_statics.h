// Static problems of shells for tests: meshes, Newton's method with a sparse factorisation.
#ifndef COND_TEST_SHELL_STATICS_H
#define COND_TEST_SHELL_STATICS_H

#include <stdint.h>

#include "linear/block_lu.h"
#include "linear/bsr3.h"
#include "model/fem.h"

// A patch of (nx + 1)(ny + 1) nodes over the unit square, u running fastest, two triangles a cell.
typedef struct ShellGrid {
    int nx, ny, n_node, n_triangle;
    double* node;  //                                            (3 n_node): u, v, 0
    int* triangle; //                                            (3 n_triangle)
} ShellGrid;

// turn: 0 all diagonals one way, 1 alternating. shake: nodes inside move by up to that part of a
// cell.
ShellGrid shell_grid_create(int nx, int ny, int turn, double shake);
void shell_grid_destroy(ShellGrid* grid);
int shell_grid_node(const ShellGrid* grid, int i, int j);

typedef struct ShellStatics {
    CondFem fem;
    CondFemWork work;
    CondBsr3 A;
    CondBlockLu lu;
    int n;
    int* held;    // 1 where the coordinate keeps its value   (n)
    double* x;    // positions, and plastic curvatures       (n + fem.n_inner)
    double* load; //                                          (n)
    double* f;    //                                          (n)
} ShellStatics;

void shell_statics_create(const ShellGrid* grid, double thickness, const CondFemMaterial* material,
                          ShellStatics* s);
void shell_statics_destroy(ShellStatics* s);
// One linear step from rest.
void shell_statics_linear(ShellStatics* s);
// Newton's method with a line search on the energy; the iterations made, or max_steps.
int shell_statics_solve(ShellStatics* s, int max_steps);

#endif
