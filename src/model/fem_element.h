// The kinds of elements: numbers of nodes, integration points and tetrahedra, shape functions, and
// the energy, forces and stiffness of one element.
#ifndef COND_MODEL_FEM_ELEMENT_H
#define COND_MODEL_FEM_ELEMENT_H

#include "model/strain.h"

enum { COND_FEM_POINTS = 4 }; // at most, of an element

// Of one element; for smoothed elements, of one of the given tetrahedra.
static inline int cond_fem_corners(CondFemElementKind kind)
{
    return kind == COND_FEM_QUADRATIC ? 10 : kind == COND_FEM_SHELL ? 12 : 4;
}
static inline int cond_fem_points(CondFemElementKind kind)
{
    return kind == COND_FEM_QUADRATIC ? 4 : 1;
}
static inline int cond_fem_tets(CondFemElementKind kind)
{
    return kind == COND_FEM_QUADRATIC ? 8 : kind == COND_FEM_SHELL ? 0 : 1;
}

// The moduli of a material in elements of a kind.
CondFemModuli cond_fem_moduli(CondFemElementKind kind, const CondFemMaterial* material);

// The two nodes between which node 4 .. 9 of a quadratic tetrahedron lies.
extern const int cond_fem_edge[6][2];

// The share of an element's mass that each of its nodes carries: in proportion to the diagonal of
// the consistent mass matrix, so that none is negative.                            (n_corner)
void cond_fem_mass_shares(CondFemElementKind kind, double* share);

// The eight tetrahedra (32) of a quadratic element (10), positively oriented at the given shape:
// four at the corners and four around the shortest diagonal of the octahedron between them.
void cond_fem_cut_quadratic(const double* node, const int* element, int* tet);

// Gradients of corners 1 .. 3 of a linear tetrahedron of the body (9) and its volume.
CondStatus cond_fem_measure_tet(const CondFem* fem, int tet, double* gradient, double* volume,
                                CondError* error);

// Gradients at the integration points of element i and their volumes at rest; its whole volume.
// COND_BAD_ARGUMENT with a message for one that is flat or inverted at a point.
CondStatus cond_fem_measure_element(CondFem* fem, int i, double* volume, CondError* error);

// Where the gradients of point k of element i begin.
static inline const double* cond_fem_gradient(const CondFem* fem, int i, int k)
{
    return fem->gradient + 3 * (size_t)(fem->n_corner - 1) * ((size_t)fem->n_point * i + k);
}

// Energy (J), forces f = -d energy/dx (3 n_corner) and, unless S is NULL, S = k K + g E (upper
// half) of element i at positions x of all nodes; see strain.h.
void cond_fem_evaluate_element(const CondFem* fem, int i, const double* x,
                               CondFemGeometric geometric, double k, double g, double* energy,
                               double* f, double* S);

// lambda/2 ((theta - free)^2 - (rest - free)^2) without cancellation.
static inline double cond_fem_volume_energy(double lambda, double theta, double rest, double free)
{
    return 0.5 * lambda * (theta - rest) * (theta + rest - 2.0 * free);
}

// S += scale h h', h_a = sum_p (V_p/V) (d theta_p/dF) g_a: the term of the energy of the mean
// change of volume. slope (9 n_point)
void cond_fem_add_dilatation(const CondFem* fem, int i, const double* slope, double volume,
                             double scale, double* S);

// Deformation gradient at the centre of a tetrahedron.
void cond_fem_deformation(const CondFem* fem, int i_tet, const double* x, double F[9]);

#endif
