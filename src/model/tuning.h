// Numbers of bodies and their mechanics. A header of numbers alone: it includes nothing.
#ifndef COND_MODEL_TUNING_H
#define COND_MODEL_TUNING_H

// ---- finite elements and rods

enum {
    COND_ELEMENT_WORK = 500, // [count] of one element's matrix, in the unit of COND_PARALLEL_FROM
};
// [1] The spin moduli of co-rotational elements grow like 1/(s_i + s_j) as an element inverts.
// Below this sum of two stretches, a twentieth of its rest value, they are constant, so that E
// stays bounded for any shape.
#define COND_STRETCH_SUM 0.1
// [1] Poisson's ratio up to which the whole change of volume of a quadratic element is penalised at
// every point (fem_element.c). A cantilever of one element through the thickness then deflects by
// 0.98 to 1.02 of the converged value for all ratios up to 0.4999; with 0.25 by up to 1.06, with
// 0.4 by 0.96.
#define COND_POINT_POISSON (1.0 / 3.0)
// [1] c in the torsion constant of a rectangle a >= b, J = a b^3 (1/3 - c b/a (1 - b^4 / (12
// a^4))): Roark's formula, within 0.5 % of Saint-Venant's series for every b/a.
#define COND_TORSION 0.21

// [radii] distance along a rod within which links do not touch each other: a rod can bend within
// four radii. Twice this distance from an attachment, because the surface of the other body is as
// far away. docs/rods.md.
#define COND_ROD_NEIGHBOURS 4.0

// ---- inverse kinematics

// [1] damping of the search for joint positions, relative to the squared error (Chan and Lawrence).
#define COND_IK_DAMPING 1e-2
#endif
