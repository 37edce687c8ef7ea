// Shells of triangles: what a triangle and its neighbours are at rest, and what they give at a
// deformation. Of the corners of an element 0 .. 2 are those of its triangle, 3 + e lies beyond the
// edge from corner e + 1 to e + 2, and 6 + 2 e and 7 + 2 e beyond the other two edges of the
// triangle there. Where there is none, or none is needed, it is a corner of the triangle again,
// which then gets nothing.
#ifndef COND_MODEL_SHELL_H
#define COND_MODEL_SHELL_H

#include "model/fem.h"

enum { COND_SHELL_NODES = 12, COND_SHELL_HINGES = 9, COND_SHELL_BEND = 45 };

// Of an element at rest, in its plane, with the first axis along the warp.
typedef struct CondShellPart {
    double area;         // m2
    double own[4];       // gradients of corners 1 and 2, 1/m
    double near[3][4];   // neighbour e, unfolded into the plane: of the two corners it shares, 1/m
    double share[3];     // of its own strain in that of edge e; 1 where it has no neighbour there
    double border[3][3]; // curvatures 11, 22 and 2 12 of a unit angle at edge e, where it has no
                         // neighbour, 1/m; else 0
    int hinges;          // bit h: hinge h counts
    double angle[COND_SHELL_HINGES];     // of the hinges, rad
    double curve[3 * COND_SHELL_HINGES]; // curvatures from the changes of the angles, 1/m
    double bend[COND_SHELL_BEND];        // what multiplies them, upper half by rows, J
} CondShellPart;

// The constants of a material at the thickness of the shell.
typedef struct CondShellModuli {
    double stretch[6]; // membrane, 11 12 13 22 23 33 of strains 11, 22 and 2 12, N/m
    double bend[6];    // the same of curvatures, N m
    double lambda, mu; // of the neo-Hookean membrane, N/m
    double limit;      // strain 11 and 22 from which on it is stiffer; INFINITY: none
    double beyond;     // how much stiffer, N/m
    double yield;      // elastic curvature along the warp from which on it yields, 1/m; 0: never
    double harden;     // stiffness against plastic curvature, relative to that against elastic one
} CondShellModuli;

CondShellModuli cond_shell_moduli(const CondFemMaterial* material, double thickness);

// Which corners of an element have a node of their own, as bits.
static inline int cond_shell_corners(const int* corner)
{
    int used = 7;
    for (int a = 3; a < COND_SHELL_NODES; a++)
        used |= (corner[a] != corner[a < 6 ? a - 3 : (a - 6) / 2]) << a;
    return used;
}

// The nodes of a hinge, two triangles (0, 1, 2) and (3, 2, 1): hinge e lies at edge e, 3 + 2 e and
// 4 + 2 e at the other edges of the triangle beyond it.
extern const unsigned char cond_shell_hinge[COND_SHELL_HINGES][4];

// Corners of the elements (12 n_element) from triangles (3 n_element). COND_BAD_ARGUMENT with a
// message for an edge of more than two triangles, or of two that are turned against each other.
CondStatus cond_shell_neighbours(const CondContext* context, int n_element, const int* triangle,
                                 int* element, CondError* error);

// The part of element i from the shape at rest; corners that are not needed become its own.
// COND_BAD_ARGUMENT with a message for a triangle without area.
CondStatus cond_shell_measure(CondFem* fem, int i, CondError* error);
// Its stiffness against bending from the moduli.
void cond_shell_stiffen(CondFem* fem, int i);

// What the curvatures of element i cost, D (3 x 3) of area/2 kappa' D kappa: no moment acts across
// a border.
void cond_shell_plate(const CondFem* fem, int i, double D[9]);

// The plastic curvatures of element i among the numbers that follow the positions, 11, 22 and 2 12
// in its axes in 1/m; NULL: the shell does not yield.
static inline const double* cond_shell_plastic(const CondFem* fem, int i, const double* x)
{
    return fem->n_inner ? x + 3 * ((size_t)fem->n_node + (size_t)i) : NULL;
}
// Lets the plastic curvatures behind the positions x follow what is bent beyond the yield; returns
// the energy that is lost by it, J.
double cond_shell_yield(const CondFem* fem, double* x);

// Angle between two triangles (a, b, c) and (o, c, b), positive where they bend towards the side
// from which the first one is seen counter-clockwise; its gradient by a, b, c, o, and, unless NULL,
// the gradient's derivative (12 x 12).
double cond_shell_angle(const double a[3], const double b[3], const double c[3], const double o[3],
                        double gradient[12], double* curvature);

// As cond_fem_evaluate_element, but for the blocks of S of corners without a node of their own,
// which are left as they are.
void cond_shell_evaluate(const CondFem* fem, int i, const double* x, CondFemGeometric geometric,
                         double k, double g, double* energy, double* f, double* S);

// Changes of the angles of element i (COND_SHELL_HINGES); where there is no hinge 0.
void cond_shell_angles(const CondFem* fem, int i, const double* x, double* theta);

// Forces per length in the axes of element i, 11, 22 and 12 in N/m, and moments per length, N.
void cond_shell_resultants(const CondFem* fem, int i, const double* x, double force[3],
                           double moment[3]);

// Stress at the first and then at the second surface of all triangles in world axes, xx yy zz xy yz
// zx, and its von Mises value, Pa; either may be NULL.
//                                      stress (2 n_element x 6), von_mises (2 n_element)
void cond_shell_stress(const CondFem* fem, const double* x, double* stress, double* von_mises);

// Von Mises stress of each triangle on the side where it is larger, Pa (n_element).
void cond_shell_von_mises(const CondFem* fem, const double* x, double* von_mises);

#endif
