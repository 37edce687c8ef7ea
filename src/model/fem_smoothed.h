// Smoothed linear tetrahedra: the deformation gradient is averaged over the tetrahedra around each
// edge (edge-based smoothing). A domain around an edge is an element of one integration point, with
// the nodes of its tetrahedra, those of the edge first.
#ifndef COND_MODEL_FEM_SMOOTHED_H
#define COND_MODEL_FEM_SMOOTHED_H

#include "geometry/sort.h"
#include "model/fem.h"

// The domains of a mesh, computed before their memory is allocated.
typedef struct CondSmoothedPlan {
    CondArena arena;
    int n_domain;
    int n_corner;      // nodes of the largest
    int* begin;        // first key of each domain                     (n_domain + 1)
    CondIndexKey* key; // edges of tetrahedra, 6 tet + edge, domain by domain     (6 n_tet)
} CondSmoothedPlan;

// After a failure nothing is left to destroy.
CondStatus cond_smoothed_plan(const CondContext* context, const CondFemShape* shape,
                              const int* material_of_tet, CondSmoothedPlan* plan);
void cond_smoothed_plan_destroy(CondSmoothedPlan* plan);

// Elements, materials, volumes and gradients of a body whose tetrahedra and their materials are
// there. COND_BAD_ARGUMENT with a message for a tetrahedron that is flat or inverted.
CondStatus cond_smoothed_fill(const CondSmoothedPlan* plan, CondFem* fem, CondError* error);

#endif
