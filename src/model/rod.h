// An elastic rod as a chain of rigid links. Link i has a centre x_i and axes R_i, the third along
// the rod. At the joint between links i and j = i + 1 of lengths l_i and l_j,
//     Q = R_i' R_j,   theta = log Q,   R_m = R_i exp(theta/2),
//     g = R_m' (x_j - R_j r_j - x_i - R_i r_i),  r = (0, 0, l/2),
// the strains are e = (g - g0, theta - theta0): two shears and the stretch [m], two bends and the
// twist [rad], zero in the rest shape. The energy of a joint is e' K e / 2 with
// K = diag(GA, GA, EA, EI1, EI2, GJ)/L and L = (l_i + l_j)/2.
#ifndef COND_MODEL_ROD_H
#define COND_MODEL_ROD_H

#include "base/arena.h"
#include "cond/scene.h"
#include "cond/status.h"

typedef struct CondRodSection {
    int round;           // 1: circle
    double size[2];      // radius; or width (axis 1) and height (axis 2) [m]
    double shear_factor; // times G A
} CondRodSection;

// Parameters of stiffness, masses and damping.
typedef struct CondRodMaterial {
    double youngs_modulus;    // [Pa]
    double poisson_ratio;     //
    double density;           // [kg/m3]
    double mass_damping;      // [1/s]
    double stiffness_damping; // [s]
} CondRodMaterial;

typedef struct CondRod {
    CondArena arena;
    CondRodSection section;
    CondRodMaterial material;
    int n_link;               // a rod has one joint fewer, or as many if closed
    int closed;               // 1: a joint between the last link and the first
    double stiffness[6];      // GA, GA, EA [N], EI1, EI2, GJ [N m2]
    double radius;            // of contact [m]
    double half[2];           // of the section, for drawing: half width, half height [m]
    int round;                // 1: the section is a circle
    double mass_damping;      // [1/s]
    double stiffness_damping; // [s]
    double* length;           // of the links [m]                                  (n_link)
    double* arc;              // at the begin of each, then the total length [m]   (n_link + 1)
    double* mass;             // [kg]                                              (n_link)
    double* inertia;          // about the three link axes [kg m2]                 (n_link x 3)
    double* rest;             // g0 and theta0 of the joints [m, rad]              (n_link x 6)
} CondRod;

// A straight rod along its z axis: lengths of the links are copied. COND_OK or COND_OUT_OF_MEMORY.
CondStatus cond_rod_create(const CondContext* context, int n_link, const double* length,
                           const CondRodSection* section, const CondMaterialDef* material,
                           CondRod* rod);
void cond_rod_destroy(CondRod* rod);
// Recomputes stiffness, masses and damping.
void cond_rod_set_material(CondRod* rod, const CondRodMaterial* material);
int cond_rod_n_joint(const CondRod* rod);

// Makes a configuration the rest shape.                                        q (n_link x 7)
void cond_rod_set_rest(CondRod* rod, const double* q);

// Strains e of joint i, between links i and i + 1, or for the last joint of a closed rod between
// the last link and the first.
void cond_rod_strain(const CondRod* rod, const double* q, int i, double e[6]);
// The same with J (6 x 12, row-major) of their rates over the velocities of links i and i + 1.
void cond_rod_strain_jacobian(const CondRod* rod, const double* q, int i, double e[6], double* J);
// Stress resultants K e of a joint in the axes R_m: shear, shear, tension [N], bending moments 1, 2
// and twisting moment [N m].
void cond_rod_stress(const CondRod* rod, const double* q, int i, double s[6]);

// Diagonal of K.
void cond_rod_gains(const CondRod* rod, int i, double k[6]);

// Distance of two links along the rod, the shorter one if it is closed [m].
double cond_rod_between(const CondRod* rod, int i, int j);

// f = -J'K e of all joints but the one that closes a ring.               f (6 x n_link)
void cond_rod_forces(const CondRod* rod, const double* q, double* f);

// The elastic energy [J].
double cond_rod_energy(const CondRod* rod, const double* q);

// Positive approximations of the geometric stiffness in the block.
typedef enum CondRodGeometric {
    COND_ROD_GEOMETRIC_NONE = 0,
    COND_ROD_GEOMETRIC_BOUND = 1,   // absolute sums of its columns on the diagonal
    COND_ROD_GEOMETRIC_CLAMPED = 2, // its positive part
} CondRodGeometric;

// values (tridiagonal, n_dof x 18) = M mass_scale + stiffness_scale (Je'K Je + E) + D, where D is
// left out when damping_scale is 0; f (n_dof, may be NULL) += -Je'K e. The joint that closes a rod
// is a separate coupling (potential/closure.c).
void cond_rod_assemble(const CondRod* rod, const double* q, double mass_scale,
                       double stiffness_scale, double damping_scale, CondRodGeometric geometric,
                       double* values, double* f);

// Returns the link of the point at arc length s [m], clamped to the rod, and its position along the
// link's third axis, from the centre.
int cond_rod_link_at(const CondRod* rod, double s, double* along);

#endif
