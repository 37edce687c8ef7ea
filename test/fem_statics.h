// Newton's method on the static problem of one elastic body, for tests.
#ifndef COND_TEST_FEM_STATICS_H
#define COND_TEST_FEM_STATICS_H

#include "fem_grid.h"
#include "linear/bsr3.h"
#include "model/fem.h"

// A body with its matrix, some coordinates of which are held.
typedef struct Statics {
    CondFem fem;
    CondFemWork work;
    CondBsr3 A;
    int n;
    int* held;     // 1 where the coordinate keeps its value   (n)
    double* x;     // positions                                (n)
    double* load;  // given forces                             (n)
    double* f;     // elastic forces                           (n)
    double* d;     // correction                               (n)
    double* scale; // diagonal                                 (n)
    double* cg;    //                                          (COND_CG_WORK(n))
} Statics;

// Takes over the body, which must stay where it is: the matrix keeps the address of its pattern.
void statics_begin(Statics* s);
// With linear elements on a grid.
void statics_create(const FemGrid* grid, const CondFemMaterial* material, Statics* s);
// With quadratic ones: nodes of the grid first, then the middles of the edges.
void statics_create_quadratic(const FemGrid* grid, const CondFemMaterial* material, Statics* s);
// With linear ones whose strains are averaged around edges.
void statics_create_smoothed(const FemGrid* grid, const CondFemMaterial* material, Statics* s);
void statics_destroy(Statics* s);

// Newton steps with K (no geometric part for one step of linear statics), each at most `limit`
// long in every coordinate. Returns the steps made until no force is left.
int statics_solve(Statics* s, CondFemGeometric geometric, int max_steps, double limit);

#endif
