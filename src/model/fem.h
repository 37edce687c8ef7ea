// Elastic bodies: rest shape, elements, materials, and the map from elements to the 3x3 blocks of
// the system matrix. Elements define the mechanics; tetrahedra of four nodes define the geometry
// for contacts, volumes and pictures. Linear elements are these tetrahedra; a quadratic element
// covers eight of them, a smoothed element consists of those around an edge, and a shell has none.
// A CondFem never changes after it is built; calls write to a CondFemWork, one for each calling
// thread.
#ifndef COND_MODEL_FEM_H
#define COND_MODEL_FEM_H

#include "base/arena.h"
#include "cond/status.h"
#include "linear/bsr3.h"

#include <stdint.h>

struct CondShellPart;
struct CondShellModuli;

typedef enum CondFemMaterialKind {
    COND_FEM_COROTATIONAL, // linear elasticity in the frame of each element
    COND_FEM_NEOHOOKEAN,   // stable neo-Hookean
    COND_FEM_MATERIAL_KINDS,
} CondFemMaterialKind;

typedef struct CondFemMaterial {
    CondFemMaterialKind kind;
    double youngs_modulus;    // Pa, > 0
    double poisson_ratio;     // in (-1, 0.5)
    double density;           // kg/m3, > 0
    double mass_damping;      // Rayleigh alpha, 1/s, >= 0
    double stiffness_damping; // Rayleigh beta, s, >= 0
    // For shells; 0: as for an isotropic plate. youngs_modulus is that along the warp.
    double weft_modulus;    // across the warp, Pa
    double shear_modulus;   // in the plane, Pa
    double bending;         // stiffness against bending along the warp, N m
    double bending_weft;    // and across it, N m
    double strain_limit;    // along warp and weft; 0: none
    double limit_modulus;   // added to the moduli beyond that strain, Pa
    double yield_curvature; // from which on bending is plastic, 1/m; 0: none
    double yield_hardening; // stiffness beyond it by that before it, in [0, 1)
} CondFemMaterial;

// Approximations of the geometric stiffness, the term of the Hessian besides the outer product Je'K
// Je (the paper's E, in N/m).
typedef enum CondFemGeometric {
    COND_FEM_GEOMETRIC_NONE,
    COND_FEM_GEOMETRIC_CONSTANT,  // E = constant I, chosen by the user
    COND_FEM_GEOMETRIC_BOUND,     // absolute column sums, element by element, translations free
    COND_FEM_GEOMETRIC_CLAMPED,   // only its positive spin moduli: close to the exact one, and
                                  // cheap
    COND_FEM_GEOMETRIC_PROJECTED, // nearest positive semi-definite 12x12 matrix; slow, for tests
    COND_FEM_GEOMETRIC_EXACT,     // exact: K + E is the Hessian and may be indefinite
} CondFemGeometric;

typedef struct CondFemPolicy {
    CondFemGeometric geometric;
    double constant; // N/m, for COND_FEM_GEOMETRIC_CONSTANT
} CondFemPolicy;

// Lame's constants as the energy of the kind uses them. Elements with several integration points
// penalise the change of volume with lambda_point at every point and with the remainder of lambda
// on average (fem_element.c).
typedef struct CondFemModuli {
    double lambda;       // Pa
    double mu;           // Pa
    double lambda_point; // Pa, at most lambda; equal to it for linear elements
} CondFemModuli;

typedef enum CondFemElementKind {
    COND_FEM_LINEAR,    // tetrahedra of four nodes, one integration point
    COND_FEM_QUADRATIC, // tetrahedra of ten nodes, four integration points
    COND_FEM_SMOOTHED,  // the same of four nodes, F averaged around edges (model/fem_smoothed.h)
    COND_FEM_SHELL,     // triangles with the corners of their neighbours (model/shell.h)
    COND_FEM_ELEMENT_KINDS,
} CondFemElementKind;

// Description of a body, as plain arrays.
typedef struct CondFemShape {
    CondFemElementKind kind;
    int n_node;
    const double* node; // m                                                        (3 n_node)
    int n_element;
    const int* element; // nodes: 4, or 4 corners and the middles of the edges 01 12 02 03 13 23;
                        // corners positively oriented; of a shell three corners
                        //                       (4 n_element, 10 n_element or 3 n_element)
    double thickness;   // of a shell, m
    double warp[3];     // of a shell: direction of its warp, projected on each triangle
} CondFemShape;

typedef struct CondFem {
    CondArena arena;
    CondFemElementKind kind;
    int n_node;
    int n_element;
    int n_corner; // nodes of an element
    int n_point;  // integration points of an element
    int n_tet;
    int n_material;
    int n_inner;  // numbers of the state that follow its positions: plastic curvatures of a shell
                  // that yields, 3 n_element; else 0
    double* rest; // positions at rest, m                          (3 n_node)
    int* element; // nodes of the elements                (n_corner n_element)
    int* tet;     // corners, positively oriented                  (4 n_tet)
    double thickness;                     // of a shell, m
    double warp[3];                       // of a shell, a unit vector
    struct CondShellPart* shell;          // its triangles at rest              (n_element)
    struct CondShellModuli* shell_moduli; //                                    (n_material)
    int* material_of_element;             //                                            (n_element)
    int* material_of_tet;      // of smoothed elements; else NULL                       (n_tet)
    CondFemMaterial* material; //                                               (n_material)
    CondFemModuli* moduli;     //                                               (n_material)
    double* gradient;          // gradients of the shape functions of corners 1 .. at every point,
                               // 1/m; corner 0 has minus their sum
                               //                 (3 (n_corner - 1) n_point n_element)
    double* volume;            // at rest, of the points, m3           (n_point n_element)
    double* mass;              // lumped, kg                                    (n_node)
    double* mass_damping;      // lumped sum of alpha rho V/4, kg/s             (n_node)
    double total_volume;       // m3
    double total_mass;         // kg
    CondBsr3Pattern pattern;   // blocks of the stiffness matrix
    uint16_t* place;           // entry n_corner^2 i + n_corner a + b: index, within the row of
                               // corner a, of the block to which block (a, b) of element i is added
    int* order;                // nodes along the longest side of the body      (n_node)
    int* rank;                 // index of each node in `order`                       (n_node)
    int* span;                 // least and largest rank of the corners of four elements in a row
                               //                                       (2 (n_element + 3) / 4)
} CondFem;

// For a body distributed over MPI ranks: each rank computes the forces of its own nodes and, with
// `rows`, only their rows of the matrix, from the elements around them. The two functions supply
// the results of the other ranks.
typedef struct CondFemOwn {
    const unsigned char* node;                // 1: its own                   (n_node)
    int rows;                                 //
    void* data;                               //
    void (*complete)(void* data, double* f);  // forces of the other nodes    (3 n_node)
    double (*sum)(void* data, double of_own); // over all ranks
} CondFemOwn;

// Workspace and results of the element loops.
typedef struct CondFemWork {
    double* energy;        // J                                             (n_element)
    const CondFemOwn* own; // NULL: all nodes are
} CondFemWork;

// Rubber-like: 1 MPa, 0.4, 1000 kg/m3, co-rotational, no damping.
CondFemMaterial cond_fem_material_default(void);
// COND_BAD_ARGUMENT with a message that names the field.
CondStatus cond_fem_material_check(const CondFemMaterial* material, CondError* error);

// Builds the body from plain arrays, which are copied. material_of_element may be NULL: all are
// material 0. COND_BAD_ARGUMENT, with a message that names the index, for a bad material, an
// invalid corner, a position that is not finite, an element that is flat or inverted at a point, a
// node without an element. After a failure fem is empty (all zero).
CondStatus cond_fem_create(const CondContext* context, const CondFemShape* shape, int n_material,
                           const CondFemMaterial* material, const int* material_of_element,
                           CondFem* fem, CondError* error);
void cond_fem_destroy(CondFem* fem);
// Replaces material 0 and recomputes moduli, masses and damping. COND_BAD_ARGUMENT, with fem
// unchanged, if cond_fem_material_check refuses the material.
CondStatus cond_fem_set_material(CondFem* fem, const CondFemMaterial* material, CondError* error);

// After a failure work is empty. Released with the context of fem.
CondStatus cond_fem_work_create(const CondFem* fem, CondFemWork* work);
void cond_fem_work_destroy(const CondFem* fem, CondFemWork* work);

// All of the following take positions x (3 n_node) in m, with n_inner numbers behind them, allocate
// nothing, and give the same bits for any number of threads (0: as the run time decides).

// f = -d energy/dx in N (3 n_node) and the elastic energy in J; either may be NULL.
void cond_fem_forces(const CondFem* fem, const double* x, CondFemWork* work, double* f,
                     double* energy, int threads);

// The 3x3 block of two nodes of an element among the values of a matrix on the pattern.
double* cond_fem_block(const CondFem* fem, int i, int j, double* values);

// A = mass_scale M + stiffness_scale (K + E) + alpha M + beta K on the pattern of fem, and f as
// above (NULL: not computed). rayleigh = {alpha, beta} replaces the damping of the materials; NULL
// uses theirs. For a theta step: mass_scale = 1/(th t), stiffness_scale = th t.
void cond_fem_assemble(const CondFem* fem, const double* x, double mass_scale,
                       double stiffness_scale, const double* rayleigh, const CondFemPolicy* policy,
                       CondFemWork* work, CondBsr3* A, double* f, int threads);

// Norm of the elastic forces at the nodes, N; f (3 n_node) receives them.
double cond_fem_force_norm(const CondFem* fem, const double* x, CondFemWork* work, double* f,
                           int threads);

// Stress of each tetrahedron, at its centre, in world axes, xx yy zz xy yz zx in Pa (6 n_tet), and
// its von Mises value (n_tet); either may be NULL. It is the Biot stress rotated with the element,
// sym(P R'): equal to the Cauchy stress for small strains, and finite in flat and inverted
// elements.
void cond_fem_stress(const CondFem* fem, const double* x, double* stress, double* von_mises,
                     int threads);

// Elastic energy of each element, J (n_element).
void cond_fem_element_energy(const CondFem* fem, const double* x, double* energy, int threads);

#endif
