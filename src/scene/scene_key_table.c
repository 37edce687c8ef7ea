// All keys of a scene file, section by section.
#include "scene/scene.h"
#include "scene/scene_choices.h"
#include "scene/scene_keys.h"

#include <stddef.h>

// How the type of a number reads in documents and messages, per range.
#define TYPE_FINITE "number"
#define TYPE_POSITIVE "number > 0"
#define TYPE_POSITIVE_OR_INFINITE "number > 0 or .inf"
#define TYPE_NOT_NEGATIVE "number >= 0"
#define TYPE_NOT_NEGATIVE_OR_INFINITE "number >= 0 or .inf"
#define TYPE_ABOVE "number or .inf"
#define TYPE_UNIT "number in 0 .. 1"
#define TYPE_SHARE "number > 0 and <= 1"
#define TYPE_THETA "number in 0.5 .. 1"
#define TYPE_FROM_ONE ">= 1"
#define TYPE_POISSON "number > -1 and < 0.5"

// clang-format off
// Each row begins with section, key, structure and field, and ends with the default and the meaning.
#define TEXT(section, key, structure, field, initial, meaning) \
    {{section, key, "text of at most 63 bytes", "", initial, meaning}, \
     COND_KEY_TEXT, offsetof(structure, field), COND_NAME_SIZE, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL}
#define LONG_TEXT(section, key, structure, field, initial, meaning) \
    {{section, key, "text of at most 255 bytes", "", initial, meaning}, \
     COND_KEY_TEXT, offsetof(structure, field), COND_PATH_SIZE, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL}
#define NUMBER(section, key, structure, field, range, unit, initial, meaning) \
    {{section, key, TYPE_##range, unit, initial, meaning}, \
     COND_KEY_NUMBER, offsetof(structure, field), 1, COND_RANGE_##range, COND_UNSET_NEVER, NULL}
#define NUMBER_OR_ABSENT(section, key, structure, field, range, unit, initial, meaning) \
    {{section, key, TYPE_##range, unit, initial, meaning}, \
     COND_KEY_NUMBER, offsetof(structure, field), 1, COND_RANGE_##range, COND_UNSET_ABSENT, NULL}
#define NUMBER_OR_AUTO(section, key, structure, field, range, unit, initial, meaning) \
    {{section, key, TYPE_##range " or auto", unit, initial, meaning}, \
     COND_KEY_NUMBER, offsetof(structure, field), 1, COND_RANGE_##range, COND_UNSET_AUTO, NULL}
#define WHOLE(section, key, structure, field, range, bound, initial, meaning) \
    {{section, key, "whole number " bound, "", initial, meaning}, \
     COND_KEY_WHOLE, offsetof(structure, field), 1, COND_RANGE_##range, COND_UNSET_NEVER, NULL}
#define SWITCH(section, key, structure, field, initial, meaning) \
    {{section, key, "true or false", "", initial, meaning}, \
     COND_KEY_SWITCH, offsetof(structure, field), 1, COND_RANGE_UNIT, COND_UNSET_NEVER, NULL}
#define CHOICE(section, key, structure, field, count, name, names, initial, meaning) \
    {{section, key, "one of " names, "", initial, meaning}, \
     COND_KEY_CHOICE, offsetof(structure, field), count, COND_RANGE_FINITE, COND_UNSET_NEVER, name}
#define VECTOR(section, key, structure, field, unit, initial, meaning) \
    {{section, key, "vector of 3", unit, initial, meaning}, \
     COND_KEY_VECTOR, offsetof(structure, field), 3, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL}
#define VECTOR_OF(section, key, structure, field, kind, count, range, unset, type, unit, initial, meaning) \
    {{section, key, type, unit, initial, meaning}, \
     COND_KEY_##kind, offsetof(structure, field), count, COND_RANGE_##range, COND_UNSET_##unset, NULL}
#define NUMBER_OR_ZERO(section, key, structure, field, range, unit, initial, meaning) \
    {{section, key, TYPE_##range, unit, initial, meaning}, \
     COND_KEY_NUMBER, offsetof(structure, field), 1, COND_RANGE_##range, COND_UNSET_ZERO, NULL}
#define ORIENTATION(section, structure, field, meaning) \
    {{section, "orientation", "vector of 4", "", "[1, 0, 0, 0]", meaning}, \
     COND_KEY_VECTOR, offsetof(structure, field), 4, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL}
#define SIZES(section, key, structure, count, numbers, meaning) \
    {{section, key, numbers ", each > 0", "m", "none", meaning}, \
     COND_KEY_VECTOR, offsetof(structure, size), count, COND_RANGE_POSITIVE, COND_UNSET_NEVER, NULL}
#define NESTED(section, key, kind, type, initial, meaning) \
    {{section, key, type, "", initial, meaning}, \
     COND_KEY_##kind, 0, 0, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL}

// What a surface says about its friction on others.
#define RUBBING(section, structure) \
    CHOICE(section, "friction_rule", structure, rubbing.rule, 2, cond_choice_friction_rule, "geometric, larger", "geometric", "how two frictions combine: their geometric mean, or the larger one where either surface says so"), \
    {{section, "friction_priority", "whole number", "", "0", "of two surfaces that differ in it the one with more says the friction alone"}, \
     COND_KEY_WHOLE, offsetof(structure, rubbing.priority), 1, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL}, \
    SWITCH(section, "frictionless", structure, rubbing.frictionless, "false", "no friction on what is frictionless too, or has less priority")
#define GROUPS(section, key, structure, field, initial, meaning) \
    {{section, key, "name or list of names", "", initial, meaning}, \
     COND_KEY_GROUPS, offsetof(structure, field), 1, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL}

const CondKey cond_key_table[] = {
    TEXT("", "name", CondSettingsDraft, settings.name, "", "what the scene is called"),
    VECTOR("", "gravity", CondSettingsDraft, settings.gravity, "m/s2", "[0, 0, -9.81]", "acceleration of free fall"),
    LONG_TEXT("", "library", CondSettingsDraft, library, "", "a file with more materials, beside the scene file"),
    NESTED("", "step", SECTION, "mapping", "{}", "how time is cut into steps"),
    NESTED("", "contact", SECTION, "mapping", "{}", "how contacts behave"),
    NESTED("", "solver", SECTION, "mapping", "{}", "how the contact problem of a step is solved"),
    NESTED("", "penalty", SECTION, "mapping", "{}", "contact of the penalty method"),
    NESTED("", "pbd", SECTION, "mapping", "{}", "position-based dynamics"),
    NESTED("", "meshes", LIST, "list of mappings", "[]", "meshes that stand in the scene itself: bodies, obstacles and links name them in place of files"),
    NESTED("", "materials", LIST, "list of mappings", "[]", "what soft bodies are made of"),
    NESTED("", "planes", LIST, "list of mappings", "[]", "fixed half-spaces, such as the ground"),
    NESTED("", "obstacles", LIST, "list of mappings", "[]", "fixed shapes"),
    NESTED("", "bodies", LIST, "list of mappings", "[]", "what moves"),
    NESTED("", "exclude", LIST, "list of pairs of names", "[]", "pairs that never touch, `[box, arm/hand]`: bodies, links of robots, obstacles, planes"),
    NESTED("", "pairs", LIST, "list of mappings", "[]", "pairs whose shapes touch whatever their groups say, with friction of their own"),
    NESTED("", "mjcf", LIST, "list of mappings", "[]", "MJCF files, all that is in them ([mjcf](mjcf.md))"),
    NESTED("", "patches", LIST, "list of mappings", "[]", "named places of soft bodies"),
    NESTED("", "attachments", LIST, "list of mappings", "[]", "what holds bodies together"),
    NESTED("", "trajectories", LIST, "list of mappings", "[]", "what links, joints and frames in space follow"),
    NESTED("", "sensors", LIST, "list of mappings", "[]", "what reads force and torque"),
    NESTED("", "forces", LIST, "list of mappings", "[]", "forces from outside"),
    NESTED("", "springs", LIST, "list of mappings", "[]", "spring-dampers between two points, or between joints of robots"),
    NESTED("", "environment", SECTION, "mapping", "{}", "the scene as an environment to learn in ([env](env.md))"),
    NESTED("", "randomise", LIST, "list of mappings", "[]", "values that a seed draws"),
    NESTED("", "actions", LIST, "list of mappings", "[]", "what an environment is told at every step"),
    NESTED("", "observations", LIST, "list of mappings", "[]", "what an environment observes besides `environment.observe`"),
    NESTED("", "rewards", LIST, "list of mappings", "[]", "what an environment rewards, and what ends its episodes"),

    CHOICE("step", "method", CondSettingsDraft, settings.method, 3, cond_choice_method, "velocity, penalty, pbd", "velocity", "contact as a velocity problem; or one of the baselines: explicit penalty springs, position-based dynamics"),
    NUMBER("step", "time_step", CondSettingsDraft, settings.time_step, POSITIVE, "s", "0.01", "length of a step"),
    NUMBER_OR_ABSENT("step", "theta", CondSettingsDraft, settings.theta, THETA, "", "not given", "of the integrator theta, which it stands for where none is given: 0.5 is the midpoint rule, 1 (where it is left out) implicit Euler"),
    CHOICE("step", "integrator", CondSettingsDraft, settings.integrator, 5, cond_choice_integrator, "auto, theta, euler, midpoint, variational", "auto", "auto never gains energy: the midpoint rule for bodies without contacts and with contacts that last, implicit Euler for those that are struck, non-linear where they need it; theta solves one linear problem a step; the others are non-linear: implicit Euler, implicit midpoint, discrete Euler-Lagrange"),
    SWITCH("step", "mass_root", CondSettingsDraft, settings.mass_root, "false", "robots step in the coordinates M^(1/2) v, which keeps energy; stands for the integrator theta where none is given"),
    NUMBER("step", "newton_tolerance", CondSettingsDraft, settings.newton_tolerance, POSITIVE, "m/s", "1e-10", "change of velocity at which a non-linear step is solved"),
    WHOLE("step", "newton_iterations", CondSettingsDraft, settings.newton_iterations, FROM_ONE, ">= 1", "20", "iterations a non-linear step may take"),
    WHOLE("step", "substeps", CondSettingsDraft, settings.substeps, FROM_ONE, ">= 1", "8", "where the contact problem of a step misses its tolerance it is tried in 2, 4, .. up to so many parts; 1: never (with solver.fallback)"),
    WHOLE("step", "rounds", CondSettingsDraft, settings.rounds, NOT_NEGATIVE, ">= 0", "6", "times that a step may be solved again with contacts that its answer violates at its end; 0: never (with the certified stop)"),
    SWITCH("step", "sleeping", CondSettingsDraft, settings.sleeping, "true", "islands of bodies at rest are left out of the steps until something comes near or acts on them; the results are the same to the last bit ([sleeping](sleeping.md))"),
    NUMBER("step", "duration", CondSettingsDraft, settings.duration, NOT_NEGATIVE, "s", "1", "time that a run covers"),
    SWITCH("step", "gap", CondSettingsDraft, settings.gap, "true", "contacts may close their gap within a step; false treats every contact as closed"),
    CHOICE("step", "impact", CondSettingsDraft, settings.impact, 3, cond_choice_impact, "false, sequential, simultaneous", "sequential", "law of impacts and restitution, which are solved apart, after the step ([which](stepping.md#which-law-for-several-impacts-at-once)); true is sequential"),
    SWITCH("step", "position_correction", CondSettingsDraft, settings.position_correction, "true", "penetration is removed by moving bodies, without touching their velocity"),
    NUMBER("step", "correction_rate", CondSettingsDraft, settings.correction_rate, POSITIVE_OR_INFINITE, "1/s", "5", "how fast, in sizes of the smaller body a second; .inf removes all of it in the step"),

    CHOICE("contact", "law", CondSettingsDraft, settings.solver.law, 2, cond_choice_law, "strict, proximal", "strict", "Signorini-Coulomb, or its convex relaxation"),
    NUMBER("contact", "omega", CondSettingsDraft, settings.solver.omega, NOT_NEGATIVE, "m/(N s)", "0", "regularisation that makes the law invertible; 0 for none"),
    NUMBER("contact", "kv", CondSettingsDraft, settings.kv, POSITIVE_OR_INFINITE, "N s/m", ".inf", "gain that ties a contact point to its body; .inf lets nothing slip"),
    NUMBER("contact", "friction_scale", CondSettingsDraft, settings.friction_scale, NOT_NEGATIVE, "", "1", "every coefficient of friction is multiplied by it"),
    NUMBER_OR_AUTO("contact", "margin", CondSettingsDraft, settings.margin, NOT_NEGATIVE, "m", "auto", "gap below which a contact is made; auto takes it from speed and step"),
    NUMBER_OR_AUTO("contact", "penetration_limit", CondSettingsDraft, settings.penetration_limit, POSITIVE, "m", "auto", "a step that leaves two things deeper in each other counts as missed; auto is a tenth of the thinner one's least extent"),

    CHOICE("solver", "preset", CondSettingsDraft, preset, 2, cond_choice_preset, "default, paper", "default", "where the other settings of the solver start from, applied before them"),
    CHOICE("solver", "surrogate", CondSettingsDraft, settings.solver.surrogate, 6, cond_choice_surrogate, "frobenius, bb1, bb2, bb-alternating, spectrum, block", "block", "approximate inverse of the system matrix"),
    CHOICE("solver", "accelerator", CondSettingsDraft, settings.solver.accelerator, 4, cond_choice_accelerator, "none, chebyshev, anderson, newton", "newton", "how iterates are extrapolated; newton: Newton's method where the stop is the certificate, else as anderson"),
    CHOICE("solver", "multilevel", CondSettingsDraft, settings.solver.multilevel, 3, cond_choice_multilevel, "auto, on, off", "auto", "coarse correction in the conjugate gradients of Newton steps; auto: a few groups of nodes where they need some iterations, and many levels where these do not do; on: levels; off: none"),
    CHOICE("solver", "storage", CondSettingsDraft, settings.solver.storage, 3, cond_choice_storage, "auto, double, float", "auto", "whether the matrices of soft bodies may be kept as floats, corrected in double: in Newton steps and in V-FPI that stops by step length; double: never"),
    CHOICE("solver", "stop", CondSettingsDraft, settings.solver.stop, 2, cond_choice_stop, "certificate, step", "certificate", "what is held against the tolerance: the residuals, or the last change of velocity"),
    NUMBER("solver", "tolerance", CondSettingsDraft, settings.solver.tolerance, POSITIVE, "", "1e-8", "relative for certificate, in m/s for step"),
    WHOLE("solver", "max_iterations", CondSettingsDraft, settings.solver.max_iterations, FROM_ONE, ">= 1", "20000", "iterations a solve may take, all outer ones together"),
    WHOLE("solver", "max_outer", CondSettingsDraft, settings.solver.max_outer, FROM_ONE, ">= 1", "100", "outer iterations a solve may take (only where kv is .inf)"),
    NUMBER("solver", "kv_scale", CondSettingsDraft, settings.solver.kv_scale, POSITIVE, "", "10", "gain used inside where kv is .inf, relative to the scale of the problem"),
    WHOLE("solver", "chebyshev_start", CondSettingsDraft, settings.solver.chebyshev_start, FROM_ONE, ">= 1", "5", "iteration at which Chebyshev extrapolation begins"),
    NUMBER("solver", "under_relaxation", CondSettingsDraft, settings.solver.under_relaxation, SHARE, "", "0.9", "share of an iteration's change that Chebyshev takes"),
    WHOLE("solver", "anderson_depth", CondSettingsDraft, settings.solver.anderson_depth, FROM_ONE, ">= 1", "10", "differences that Anderson extrapolation keeps"),
    WHOLE("solver", "reuse", CondSettingsDraft, settings.solver.reuse, FROM_ONE, ">= 1", "1", "solves that a surrogate serves before it is built anew"),
    SWITCH("solver", "fallback", CondSettingsDraft, settings.solver.fallback, "true", "Newton's method, interior point, friction path and parts of a step where V-FPI stalls (stop: certificate)"),
    SWITCH("solver", "relax", CondSettingsDraft, settings.solver.relax, "true", "where nothing reaches the tolerance, the proximal law for the contacts that miss the strict one; the step counts as missed (with fallback)"),
    SWITCH("solver", "pair_weights", CondSettingsDraft, settings.solver.pair_weights, "true", "frobenius gives both nodes of a contact one weight"),
    WHOLE("solver", "threads", CondSettingsDraft, settings.solver.threads, NOT_NEGATIVE, "0 to 1024", "0", "threads to use; 0: `OMP_NUM_THREADS`, or the processors that the process may use"),

    NUMBER("penalty", "stiffness", CondSettingsDraft, settings.penalty_stiffness, NOT_NEGATIVE, "N/m", "10000", "per contact point"),
    NUMBER("penalty", "damping", CondSettingsDraft, settings.penalty_damping, NOT_NEGATIVE, "N s/m", "20", "along the normal"),
    NUMBER("penalty", "friction", CondSettingsDraft, settings.penalty_friction, NOT_NEGATIVE, "N s/m", "20", "tangential viscosity, capped at friction times normal force"),

    WHOLE("pbd", "substeps", CondSettingsDraft, settings.pbd_substeps, FROM_ONE, ">= 1", "100", "substeps of a step, each with one iteration"),

    TEXT("meshes", "name", CondSceneMesh, name, "required", "by which it is named; without '/', '.' and ':'"),
    NESTED("meshes", "nodes", POINTS, "list of vectors of 3", "required", "positions, in m"),
    NESTED("meshes", "tets", POINTS, "list of lists of 4 whole numbers", "[]", "nodes of the tetrahedra, from 0"),
    NESTED("meshes", "triangles", POINTS, "list of lists of 3 whole numbers", "[]", "nodes of a surface, outward; with tetrahedra theirs is taken"),

    TEXT("materials", "name", CondMaterialDef, name, "", "unique among materials, those of the library included; a number is given where it is left out"),
    NUMBER("materials", "youngs_modulus", CondMaterialDef, youngs_modulus, POSITIVE, "Pa", "required", "stress per strain"),
    NUMBER("materials", "poisson_ratio", CondMaterialDef, poisson_ratio, POISSON, "", "required", "share of a stretch by which the sides shrink"),
    NUMBER("materials", "density", CondMaterialDef, density, POSITIVE, "kg/m3", "required", "mass per volume"),
    CHOICE("materials", "elasticity", CondMaterialDef, elasticity, 2, cond_choice_elasticity, "corotational, neohookean", "corotational", "linear in the turned frame of each tetrahedron, or stable neo-Hookean"),
    CHOICE("materials", "geometric", CondMaterialDef, geometric, 5, cond_choice_geometric, "none, bound, constant, clamped, projected", "none", "geometric stiffness: left out, bounded by the absolute sums of its columns, replaced by geometric_stiffness, or its positive part by modes of spin or by eigenvalues"),
    NUMBER("materials", "geometric_stiffness", CondMaterialDef, geometric_stiffness, NOT_NEGATIVE, "N/m", "0", "required for geometric constant: E at every node, a force of theta time_step E per speed"),
    NUMBER("materials", "mass_damping", CondMaterialDef, mass_damping, NOT_NEGATIVE, "1/s", "0", "share of the mass in Rayleigh damping"),
    NUMBER("materials", "stiffness_damping", CondMaterialDef, stiffness_damping, NOT_NEGATIVE, "s", "0", "share of the stiffness in Rayleigh damping"),
    LONG_TEXT("materials", "source", CondMaterialDef, source, "", "where the numbers come from"),

    TEXT("planes", "name", CondPlaneDef, name, "", "unique among planes; a number is given where it is left out"),
    VECTOR("planes", "normal", CondPlaneDef, normal, "", "[0, 0, 1]", "points to the side where bodies live; any length"),
    NUMBER("planes", "offset", CondPlaneDef, offset, FINITE, "m", "0", "distance from the origin along the normal"),
    VECTOR_OF("planes", "direction", CondPlaneDef, direction, VECTOR, 3, FINITE, AUTO, "vector of 3 or auto", "", "auto", "first tangent, made orthogonal to the normal; auto is the x axis, or y where x is too close to the normal"),
    VECTOR_OF("planes", "friction", CondPlaneDef, surface.friction, SAME, 2, NOT_NEGATIVE, ABSENT, "number >= 0 or list of 2", "", "not given", "coefficient, or one per tangent; where both surfaces give one, friction_rule combines them; where neither does, 0.5"),
    NUMBER_OR_ABSENT("planes", "restitution", CondPlaneDef, surface.restitution, UNIT, "", "not given", "speed after over speed before an impact; where both surfaces give one, the larger"),
    RUBBING("planes", CondPlaneDef),
    GROUPS("planes", "groups", CondPlaneDef, groups, "default", "groups that it is in"),
    GROUPS("planes", "touches", CondPlaneDef, touches, "all", "groups that it touches: two things touch where each is in a group that the other touches"),

    {{"pairs", "first", "text of at most 127 bytes", "", "required", "a body, a link of a robot (robot/link), an obstacle or a plane; of the two at least one is rigid or a link"},
     COND_KEY_TEXT, offsetof(CondExcludeDef, thing[0]), 2 * COND_NAME_SIZE, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL},
    {{"pairs", "second", "text of at most 127 bytes", "", "required", "the other one"},
     COND_KEY_TEXT, offsetof(CondExcludeDef, thing[1]), 2 * COND_NAME_SIZE, COND_RANGE_FINITE, COND_UNSET_NEVER, NULL},
    VECTOR_OF("pairs", "friction", CondExcludeDef, surface.friction, SAME, 2, NOT_NEGATIVE, ABSENT, "number >= 0 or list of 2", "", "not given", "of the two; as their surfaces say where it is left out"),
    NUMBER_OR_ABSENT("pairs", "restitution", CondExcludeDef, surface.restitution, UNIT, "", "not given", "the same"),

    TEXT("obstacles", "name", CondObstacleDef, name, "", "unique among obstacles; a number is given where it is left out"),
    NESTED("obstacles", "shape", SECTION, "mapping", "required", "what touches"),
    NUMBER("obstacles", "scale", CondObstacleDef, mesh_scale, POSITIVE, "m", "1", "of shapes convex and mesh: length of the mesh's unit"),
    VECTOR("obstacles", "position", CondObstacleDef, position, "m", "[0, 0, 0]", "of the middle of the shape, or of the mesh's origin"),
    ORIENTATION("obstacles", CondObstacleDef, orientation, "quaternion w, x, y, z from the shape's axes to world axes; any length"),
    NESTED("obstacles", "rotation", SECTION, "mapping", "none", "orientation as an axis and an angle"),
    VECTOR_OF("obstacles", "friction", CondObstacleDef, surface.friction, SAME, 2, NOT_NEGATIVE, ABSENT, "number >= 0 or list of 2", "", "not given", "as for planes"),
    NUMBER_OR_ABSENT("obstacles", "restitution", CondObstacleDef, surface.restitution, UNIT, "", "not given", "as for planes"),
    RUBBING("obstacles", CondObstacleDef),
    GROUPS("obstacles", "groups", CondObstacleDef, groups, "default", "as for planes"),
    GROUPS("obstacles", "touches", CondObstacleDef, touches, "all", "as for planes"),

    SIZES("obstacles.shape", "box", CondObstacleDef, 3, "vector of 3", "edges"),
    NUMBER("obstacles.shape", "sphere", CondObstacleDef, size, POSITIVE, "m", "none", "radius"),
    SIZES("obstacles.shape", "capsule", CondObstacleDef, 2, "vector of 2", "radius, and distance of the centres of its ends, along z"),
    SIZES("obstacles.shape", "cylinder", CondObstacleDef, 2, "vector of 2", "radius, and height along z"),
    LONG_TEXT("obstacles.shape", "convex", CondObstacleDef, mesh, "none", "file of a closed convex surface (.obj, .stl, ...), or a generator"),
    LONG_TEXT("obstacles.shape", "mesh", CondObstacleDef, mesh, "none", "the same for any closed surface"),
    NESTED("obstacles.shape", "heightfield", POINTS, "text or list of rows of numbers", "none", "ground below heights on a grid: a file (.pgm, or rows of numbers), a generator such as waves:65,65:3, or the heights; the first row is that of the largest y"),
    LONG_TEXT("obstacles.shape", "terrain", CondObstacleDef, mesh, "none", "ground below an open surface, seen from above (.obj, .stl, ...)"),
    VECTOR_OF("obstacles.shape", "extent", CondObstacleDef, extent, VECTOR, 2, NOT_NEGATIVE, NEVER, "vector of 2", "m", "none", "required for heightfield: along x and y, about its position"),
    NUMBER("obstacles.shape", "height", CondObstacleDef, height, FINITE, "m", "1", "heightfield: length of the heights' unit; of images and generators the height of white"),
    NUMBER_OR_AUTO("obstacles.shape", "depth", CondObstacleDef, depth, POSITIVE, "m", "auto", "heightfield, terrain: how far the solid reaches below its lowest point; auto is a tenth of its wider extent"),

    VECTOR("obstacles.rotation", "axis", CondRotationDraft, axis, "", "required", "in world axes; any length"),
    NUMBER("obstacles.rotation", "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis"),

    TEXT("bodies", "name", CondBodyDef, name, "", "unique among bodies; a number is given where it is left out"),
    CHOICE("bodies", "kind", CondBodyDef, kind, 5, cond_choice_kind, "particle, rigid, soft, robot, rod", "rigid", "a point mass, a rigid body, tetrahedra, links and joints, or a chain of links"),
    NUMBER_OR_ZERO("bodies", "mass", CondBodyDef, mass, POSITIVE, "kg", "required for particle, rigid", "that of soft bodies and rods comes from their material, that of robots from their URDF"),
    NUMBER_OR_ZERO("bodies", "density", CondBodyDef, density, POSITIVE, "kg/m3", "none", "rigid: in place of the mass, which is this times the volume of the shape"),
    NESTED("bodies", "shape", SECTION, "mapping or none", "none", "rigid: what touches; a particle has no shape and touches with its point"),
    VECTOR_OF("bodies", "inertia", CondBodyDef, inertia, SHORT, 6, FINITE, NEVER, "list of 3 or 6", "kg m2", "from the shape", "rigid: xx, yy, zz, and where they are not zero xy, xz, yz, about the centre of mass in body axes"),
    VECTOR("bodies", "position", CondBodyDef, position, "m", "[0, 0, 0]", "of the centre of mass, of the mesh's origin, of the robot's base, or of the begin of the rod"),
    ORIENTATION("bodies", CondBodyDef, orientation, "quaternion w, x, y, z from body to world axes; any length"),
    NESTED("bodies", "rotation", SECTION, "mapping", "none", "orientation as an axis and an angle"),
    VECTOR("bodies", "velocity", CondBodyDef, velocity, "m/s", "[0, 0, 0]", "of the centre of mass, of all nodes, or of a floating base"),
    VECTOR("bodies", "angular_velocity", CondBodyDef, angular_velocity, "rad/s", "[0, 0, 0]", "rigid and floating robots: in world axes"),
    VECTOR_OF("bodies", "friction", CondBodyDef, surface.friction, SAME, 2, NOT_NEGATIVE, ABSENT, "number >= 0 or list of 2", "", "not given", "as for planes"),
    NUMBER_OR_ABSENT("bodies", "restitution", CondBodyDef, surface.restitution, UNIT, "", "not given", "as for planes"),
    RUBBING("bodies", CondBodyDef),
    LONG_TEXT("bodies", "mesh", CondBodyDef, mesh, "", "required for soft: a file, or one of the generators box, mat, ball, cylinder such as mat:27,27,2:0.3,0.3,0.01"),
    NUMBER("bodies", "scale", CondBodyDef, mesh_scale, POSITIVE, "m", "1", "soft, and rigid of shape convex or mesh: length of the mesh's unit"),
    TEXT("bodies", "material", CondBodyDef, material, "", "required for soft, rod: the name of its material"),
    SWITCH("bodies", "self_contact", CondBodyDef, self_contact, "true", "soft, rod, robot: the body may touch itself, a robot's links each other"),
    CHOICE("bodies", "neighbours", CondBodyDef, neighbours, 3, cond_choice_neighbours, "all, moving, none", "all", "robot: links that joints join never touch: all of them, across links too that have no shapes and only carry joints; those alone that both move, as in MuJoCo; or none"),
    NUMBER("bodies", "thickness", CondBodyDef, thickness, NOT_NEGATIVE, "m", "0.001", "soft: surfaces touch within this distance"),
    LONG_TEXT("bodies", "urdf", CondBodyDef, urdf, "", "robot: the file that describes it, unless links do"),
    NESTED("bodies", "package_dirs", LIST, "list of texts", "[]", "robot: folders in which package://NAME/FILE of its file is looked for as NAME/FILE"),
    CHOICE("bodies", "collision", CondBodyDef, collision, 3, cond_choice_collision, "mesh, hull, none", "mesh", "robot: its collision meshes touch as they are (as their convex hulls where they are not closed) or as their convex hulls; with none no shape of it touches"),
    SWITCH("bodies", "missing_meshes", CondBodyDef, missing_meshes, "false", "robot: collision meshes that are not found are left out with a warning instead of being refused"),
    SWITCH("bodies", "floating", CondBodyDef, floating, "false", "robot: the base moves freely"),
    NESTED("bodies", "joints", LIST, "list of mappings", "[]", "robot: joints that do not start at zero or have a motor of their own"),
    NESTED("bodies", "motor", SECTION, "mapping", "{}", "robot: motor of the joints that do not say"),
    SWITCH("bodies", "joint_limits", CondBodyDef, joint_limits, "true", "robot: joints stop at their lower and upper limits"),
    SWITCH("bodies", "velocity_limits", CondBodyDef, velocity_limits, "true", "robot: joints are no faster than their velocity limits"),
    SWITCH("bodies", "effort_limits", CondBodyDef, effort_limits, "true", "robot: motors are no stronger than their effort limits"),
    SWITCH("bodies", "joint_friction", CondBodyDef, joint_friction, "true", "robot: joints have their dry friction"),
    NESTED("bodies", "rod", SECTION, "mapping", "required for rod", "rod: centreline and section"),
    NESTED("bodies", "links", LIST, "list of mappings", "[]", "robot, instead of urdf: its links, parents first"),
    GROUPS("bodies", "groups", CondBodyDef, groups, "default", "as for planes"),
    GROUPS("bodies", "touches", CondBodyDef, touches, "all", "as for planes; of a robot also the groups of its own links"),
    NESTED("bodies", "link_groups", LIST, "list of mappings", "[]", "robot: links with groups of their own"),
    LONG_TEXT("bodies", "srdf", CondBodyDef, srdf, "", "robot: a file whose disable_collisions say which links never touch"),

    SIZES("bodies.shape", "box", CondBodyDef, 3, "vector of 3", "edges of a box; its eight corners touch"),
    NESTED("bodies.shape", "points", POINTS, "list of vectors of 3", "none", "points that touch, in body axes, in m"),
    NUMBER("bodies.shape", "sphere", CondBodyDef, size, POSITIVE, "m", "none", "radius"),
    SIZES("bodies.shape", "capsule", CondBodyDef, 2, "vector of 2", "radius, and distance of the centres of its ends, along z"),
    SIZES("bodies.shape", "cylinder", CondBodyDef, 2, "vector of 2", "radius, and height along z"),
    LONG_TEXT("bodies.shape", "convex", CondBodyDef, mesh, "none", "file of a closed convex surface (.obj, .stl, ...), or a generator; its centre of mass is moved to the body's origin"),
    LONG_TEXT("bodies.shape", "mesh", CondBodyDef, mesh, "none", "the same for any closed surface"),

    VECTOR("bodies.rotation", "axis", CondRotationDraft, axis, "", "required", "in world axes; any length"),
    NUMBER("bodies.rotation", "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis"),

    CHOICE("bodies.rod", "shape", CondBodyDef, rod.shape, 4, cond_choice_rod_shape, "straight, arc, helix, points", "straight", "along z; from z towards x; about the line x = bend_radius, y = 0; or point by point"),
    NESTED("bodies.rod", "points", POINTS, "list of vectors of 3", "none", "ends of the links, in body axes, in m; they make the shape points"),
    WHOLE("bodies.rod", "links", CondBodyDef, rod.links, FROM_ONE, ">= 1", "50", "how many rigid links; points make one fewer than they are"),
    NUMBER_OR_ZERO("bodies.rod", "length", CondBodyDef, rod.length, POSITIVE, "m", "none", "required but for points: along the rod"),
    NUMBER_OR_ZERO("bodies.rod", "bend_radius", CondBodyDef, rod.bend_radius, POSITIVE, "m", "none", "of arc and helix: of the centreline"),
    NUMBER("bodies.rod", "pitch", CondBodyDef, rod.pitch, FINITE, "m", "0", "helix: rise per turn"),
    NUMBER("bodies.rod", "twist", CondBodyDef, rod.twist, FINITE, "rad/m", "0", "by which the section turns along the rod at the start"),
    CHOICE("bodies.rod", "rest", CondBodyDef, rod.rest, 2, cond_choice_rod_rest, "shape, uniform", "shape", "what is free of stress: the rod as it starts, or with rest_curvature"),
    VECTOR("bodies.rod", "rest_curvature", CondBodyDef, rod.rest_curvature, "rad/m", "[0, 0, 0]", "of rest uniform: bends about the section's two axes, twist"),
    NUMBER_OR_ZERO("bodies.rod", "circle", CondBodyDef, rod.circle, POSITIVE, "m", "none", "radius of a circular section, where there is no rectangle"),
    VECTOR_OF("bodies.rod", "rectangle", CondBodyDef, rod.rectangle, VECTOR, 2, NOT_NEGATIVE, NEVER, "vector of 2", "m", "none", "extents of a rectangular section along its two axes"),
    SWITCH("bodies.rod", "closed", CondBodyDef, rod_closed, "false", "a ring or a belt: its last link is joined to the first as all others are; the two must meet"),
    NUMBER("bodies.rod", "shear_factor", CondBodyDef, rod.shear_factor, POSITIVE, "", "1", "times G A is the shear stiffness"),
    NUMBER_OR_AUTO("bodies.rod", "contact_radius", CondBodyDef, rod.contact_radius, NOT_NEGATIVE, "m", "auto", "0 puts contact at the centreline; auto is half the thinner extent of the section"),

    TEXT("bodies.joints", "name", CondJointDef, name, "required", "as in the URDF or in links; a planar joint has NAME.x, NAME.y, NAME.angle, a floating one inside the tree NAME.x, NAME.y, NAME.z"),
    NUMBER("bodies.joints", "position", CondJointDef, position, FINITE, "rad or m", "0", "at the start"),
    NUMBER("bodies.joints", "velocity", CondJointDef, velocity, FINITE, "rad/s or m/s", "0", "at the start"),
    NUMBER_OR_ABSENT("bodies.joints", "stiffness", CondJointDef, stiffness, NOT_NEGATIVE, "N m/rad or N/m", "not given", "of its motor; that of the robot where it is left out"),
    NUMBER_OR_ABSENT("bodies.joints", "damping", CondJointDef, damping, NOT_NEGATIVE, "N m s/rad or N s/m", "not given", "of its motor; that of the robot where it is left out"),
    NUMBER_OR_ABSENT("bodies.joints", "lower", CondJointDef, lower, FINITE, "rad or m", "not given", "lower limit of the position; this and what follows as in the URDF where it is left out"),
    NUMBER_OR_ABSENT("bodies.joints", "upper", CondJointDef, upper, FINITE, "rad or m", "not given", "upper limit of the position"),
    NUMBER_OR_ABSENT("bodies.joints", "velocity_limit", CondJointDef, velocity_limit, NOT_NEGATIVE_OR_INFINITE, "rad/s or m/s", "not given", "largest speed"),
    NUMBER_OR_ABSENT("bodies.joints", "effort", CondJointDef, effort, NOT_NEGATIVE_OR_INFINITE, "N m or N", "not given", "largest torque or force of its motor; that of the robot's motor where it is left out"),
    NUMBER_OR_ABSENT("bodies.joints", "effort_back", CondJointDef, effort_back, NOT_NEGATIVE_OR_INFINITE, "N m or N", "not given", "the same against the axis, where it is another; effort where it is left out"),
    NUMBER("bodies.joints", "torque", CondJointDef, torque, FINITE, "N m or N", "0", "that its motor adds until it is told another one, within these"),
    NUMBER_OR_ABSENT("bodies.joints", "friction", CondJointDef, friction, NOT_NEGATIVE, "N m or N", "not given", "dry friction"),
    NUMBER_OR_ABSENT("bodies.joints", "passive_damping", CondJointDef, passive_damping, NOT_NEGATIVE, "N m s/rad or N s/m", "not given", "viscous damping of the joint itself"),
    NUMBER_OR_ABSENT("bodies.joints", "armature", CondJointDef, armature, NOT_NEGATIVE, "kg m2 or kg", "not given", "inertia of its rotor, as the joint feels it"),
    NUMBER_OR_ABSENT("bodies.joints", "spring", CondJointDef, spring, NOT_NEGATIVE, "N m/rad or N/m", "not given", "stiffness of a spring in the joint"),
    NUMBER_OR_ABSENT("bodies.joints", "spring_rest", CondJointDef, spring_rest, FINITE, "rad or m", "not given", "where that is slack"),
    VECTOR_OF("bodies.joints", "orientation", CondJointDef, orientation, VECTOR, 4, FINITE, NEVER, "vector of 4", "", "[0, 0, 0, 0]", "spherical and floating joints: quaternion w, x, y, z by which the link is turned at the start; any length, zero: not turned"),
    VECTOR("bodies.joints", "angular_velocity", CondJointDef, angular_velocity, "rad/s", "[0, 0, 0]", "spherical and floating joints: at the start, relative to the parent, in the axes of the turning link"),
    NUMBER("bodies.joints", "lead", CondJointDef, lead, FINITE, "rad or m", "0", "by how much the target of its motor is ahead of the position at the start"),

    TEXT("bodies.links", "name", CondLinkDef, name, "required", "unique among the robot's links"),
    TEXT("bodies.links", "parent", CondLinkDef, parent, "", "a link before it; left out by the first one, which is the base"),
    NESTED("bodies.links", "joint", SECTION, "mapping", "{}", "how it moves on its parent; the base has none"),
    NUMBER("bodies.links", "mass", CondLinkDef, mass, NOT_NEGATIVE, "kg", "0", "0 where it is fixed to another, or where what moves on it has some"),
    NUMBER("bodies.links", "gravity_compensation", CondLinkDef, gravity_compensation, FINITE, "", "0", "share of its weight that does not act on it: with 1 it floats"),
    VECTOR("bodies.links", "center", CondLinkDef, center, "m", "[0, 0, 0]", "of mass, in link axes"),
    VECTOR_OF("bodies.links", "inertia", CondLinkDef, inertia, SHORT, 6, FINITE, NEVER, "list of 3 or 6", "kg m2", "[0, 0, 0]", "xx, yy, zz, and where given xy, xz, yz about the centre of mass, in link axes"),
    NESTED("bodies.links", "shapes", LIST, "list of mappings", "[]", "what touches"),

    TEXT("bodies.links.joint", "name", CondLinkDef, joint, "", "unique among the robot's joints; where it is left out that of the link, if the joint moves"),
    CHOICE("bodies.links.joint", "kind", CondLinkDef, kind, 7, cond_choice_joint, "fixed, revolute, continuous, prismatic, spherical, planar, floating", "fixed", "continuous is revolute without limits, planar slides across the axis and turns about it"),
    VECTOR("bodies.links.joint", "position", CondLinkDef, position, "m", "[0, 0, 0]", "of the joint's frame, which is the link's, in the parent's axes where the joint is at 0"),
    ORIENTATION("bodies.links.joint", CondLinkDef, orientation, "quaternion w, x, y, z from the joint's to the parent's axes; any length"),
    NESTED("bodies.links.joint", "rotation", SECTION, "mapping", "none", "orientation as an axis and an angle"),
    VECTOR("bodies.links.joint", "axis", CondLinkDef, axis, "", "[1, 0, 0]", "in the joint's axes; any length"),
    NUMBER_OR_ABSENT("bodies.links.joint", "lower", CondLinkDef, lower, FINITE, "rad or m", "not given", "least position"),
    NUMBER_OR_ABSENT("bodies.links.joint", "upper", CondLinkDef, upper, FINITE, "rad or m", "not given", "largest position"),
    NUMBER("bodies.links.joint", "velocity_limit", CondLinkDef, velocity_limit, POSITIVE_OR_INFINITE, "rad/s or m/s", ".inf", "largest speed"),
    NUMBER("bodies.links.joint", "effort", CondLinkDef, effort, NOT_NEGATIVE_OR_INFINITE, "N m or N", ".inf", "largest torque or force of its motor"),
    NUMBER_OR_ABSENT("bodies.links.joint", "effort_back", CondLinkDef, effort_back, NOT_NEGATIVE_OR_INFINITE, "N m or N", "not given", "the same against the axis, where it is another; effort where it is left out"),
    NUMBER("bodies.links.joint", "friction", CondLinkDef, friction, NOT_NEGATIVE, "N m or N", "0", "dry friction; of a ball about each of the link's axes; of the first link, where the base floats, this, damping and armature are those of its six coordinates"),
    NUMBER("bodies.links.joint", "damping", CondLinkDef, damping, NOT_NEGATIVE, "N m s/rad or N s/m", "0", "viscous damping of the joint itself"),
    NUMBER("bodies.links.joint", "armature", CondLinkDef, armature, NOT_NEGATIVE, "kg m2 or kg", "0", "inertia of its rotor, as the joint feels it"),
    NUMBER("bodies.links.joint", "spring", CondLinkDef, spring, NOT_NEGATIVE, "N m/rad or N/m", "0", "stiffness of a spring in the joint"),
    NUMBER("bodies.links.joint", "spring_rest", CondLinkDef, spring_rest, FINITE, "rad or m", "0", "where that is slack"),
    TEXT("bodies.links.joint", "mimic", CondLinkDef, mimic, "", "the joint that it follows, at multiplier times its position plus offset"),
    NUMBER("bodies.links.joint", "multiplier", CondLinkDef, multiplier, FINITE, "", "1", "of mimic"),
    NUMBER("bodies.links.joint", "offset", CondLinkDef, offset, FINITE, "rad or m", "0", "of mimic"),

    VECTOR("bodies.links.joint.rotation", "axis", CondRotationDraft, axis, "", "required", "in the parent's axes; any length"),
    NUMBER("bodies.links.joint.rotation", "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis"),

    SIZES("bodies.links.shapes", "box", CondLinkShapeDef, 3, "vector of 3", "edges of a box"),
    NUMBER("bodies.links.shapes", "sphere", CondLinkShapeDef, size, POSITIVE, "m", "none", "radius"),
    SIZES("bodies.links.shapes", "capsule", CondLinkShapeDef, 2, "vector of 2", "radius, and distance of the centres of its ends, along z"),
    SIZES("bodies.links.shapes", "cylinder", CondLinkShapeDef, 2, "vector of 2", "radius, and height along z"),
    LONG_TEXT("bodies.links.shapes", "convex", CondLinkShapeDef, mesh, "none", "file of a surface (.obj, .stl, ...) whose convex hull counts, or a generator"),
    LONG_TEXT("bodies.links.shapes", "mesh", CondLinkShapeDef, mesh, "none", "file of a closed surface; where it is not closed its hull counts"),
    VECTOR_OF("bodies.links.shapes", "scale", CondLinkShapeDef, scale, SAME, 3, FINITE, NEVER, "number or vector of 3", "m", "1", "length of the mesh's unit, along its axes; a negative one mirrors"),
    VECTOR("bodies.links.shapes", "position", CondLinkShapeDef, position, "m", "[0, 0, 0]", "of the shape's middle, or of the mesh's origin, in link axes"),
    ORIENTATION("bodies.links.shapes", CondLinkShapeDef, orientation, "quaternion w, x, y, z from the shape's to the link's axes; any length"),
    NESTED("bodies.links.shapes", "rotation", SECTION, "mapping", "none", "orientation as an axis and an angle"),
    VECTOR_OF("bodies.links.shapes", "friction", CondLinkShapeDef, surface.friction, SAME, 2, NOT_NEGATIVE, ABSENT, "number >= 0 or list of 2", "", "not given", "as for planes; that of the robot where it is left out; with it friction_rule, friction_priority and frictionless are the shape's own"),
    NUMBER_OR_ABSENT("bodies.links.shapes", "restitution", CondLinkShapeDef, surface.restitution, UNIT, "", "not given", "as for planes; that of the robot where it is left out"),
    RUBBING("bodies.links.shapes", CondLinkShapeDef),
    GROUPS("bodies.links.shapes", "groups", CondLinkShapeDef, groups, "those of the link", "groups that it is in, which must be among those of the link"),
    GROUPS("bodies.links.shapes", "touches", CondLinkShapeDef, touches, "those of the link", "groups that it touches, which must be among those of the link"),
    SWITCH("bodies.links.shapes", "visual", CondLinkShapeDef, visual, "false", "it is seen and does not touch; of a link with visual shapes the others are not drawn"),
    VECTOR_OF("bodies.links.shapes", "rgba", CondLinkShapeDef, rgba, VECTOR, 4, UNIT, ABSENT, "vector of 4", "", "not given", "visual: red, green, blue, opacity, each in 0 .. 1"),

    VECTOR("bodies.links.shapes.rotation", "axis", CondRotationDraft, axis, "", "required", "in link axes; any length"),
    NUMBER("bodies.links.shapes.rotation", "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis"),

    TEXT("bodies.link_groups", "name", CondLinkGroups, name, "required", "of the link"),
    GROUPS("bodies.link_groups", "groups", CondLinkGroups, groups, "those of the robot", "groups that the link is in"),
    GROUPS("bodies.link_groups", "touches", CondLinkGroups, touches, "those of the robot", "groups that it touches"),

    NUMBER("bodies.motor", "stiffness", CondBodyDef, motor_stiffness, NOT_NEGATIVE, "N m/rad or N/m", "0", "per angle or length that is missing to the target"),
    NUMBER("bodies.motor", "damping", CondBodyDef, motor_damping, NOT_NEGATIVE, "N m s/rad or N s/m", "0", "per speed that is missing to the target's"),
    NUMBER_OR_ABSENT("bodies.motor", "effort", CondBodyDef, motor_effort, NOT_NEGATIVE_OR_INFINITE, "N m or N", "not given", "largest torque or force of a motor; as in the URDF where it is left out"),

    LONG_TEXT("mjcf", "file", CondMjcfDraft, file, "required", "beside the scene file"),
    TEXT("mjcf", "keyframe", CondMjcfDraft, keyframe, "", "where it starts; home where it has one and this is left out; none: at the references of its joints"),
    TEXT("mjcf", "prefix", CondMjcfDraft, prefix, "", "put before the names of its bodies, planes, obstacles, attachments and sensors"),
    VECTOR("mjcf", "position", CondMjcfDraft, position, "m", "[0, 0, 0]", "of its world in the scene's"),
    ORIENTATION("mjcf", CondMjcfDraft, orientation, "quaternion w, x, y, z from its to the scene's world axes; any length"),
    NESTED("mjcf", "rotation", SECTION, "mapping", "none", "orientation as an axis and an angle"),

    VECTOR("mjcf.rotation", "axis", CondRotationDraft, axis, "", "required", "in world axes; any length"),
    NUMBER("mjcf.rotation", "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis"),

    TEXT("patches", "name", CondPatchDef, name, "", "unique among patches; a number is given where it is left out"),
    TEXT("patches", "body", CondPatchDef, body, "required", "the soft body"),
    VECTOR("patches", "low", CondPatchDef, low, "m", "required", "lower corner of the box, in world axes, that holds the patch's nodes at the start"),
    VECTOR("patches", "high", CondPatchDef, high, "m", "required", "its upper corner"),

    TEXT("attachments", "name", CondAttachmentDef, name, "", "unique among attachments; a number is given where it is left out"),
    NESTED("attachments", "from", SECTION, "mapping", "required", "one end"),
    NESTED("attachments", "to", SECTION, "mapping", "required", "the other end"),
    SWITCH("attachments", "turns", CondAttachmentDef, turns, "true", "orientation is held too; false makes a ball joint"),
    SWITCH("attachments", "contact", CondAttachmentDef, contact, "true", "the two ends may touch, a rod farther away than eight radii; false lets the two bodies, or body and link, pass through each other while it holds"),
    NUMBER("attachments", "stiffness", CondAttachmentDef, stiffness, POSITIVE_OR_INFINITE, "N/m", "10000", "force per distance; .inf does not give at all, in any direction: between the world or a frame in space and a particle, a rigid body, a patch or a rod, which then moves as it is told"),
    NUMBER("attachments", "damping", CondAttachmentDef, damping, NOT_NEGATIVE, "N s/m", "10", "force per speed"),
    NUMBER("attachments", "rotation_stiffness", CondAttachmentDef, rotation_stiffness, NOT_NEGATIVE, "N m/rad", "10", "torque per angle, where it turns"),
    NUMBER("attachments", "rotation_damping", CondAttachmentDef, rotation_damping, NOT_NEGATIVE, "N m s/rad", "0.1", "torque per angular speed, where it turns"),
    VECTOR_OF("attachments", "position", CondAttachmentDef, position, VECTOR, 3, FINITE, ABSENT, "vector of 3", "m", "not given", "where the point of from is held, from the point of to, in the axes of its body or link; as it is when the attachment is made where this is left out"),
    VECTOR_OF("attachments", "orientation", CondAttachmentDef, orientation, VECTOR, 4, FINITE, ABSENT, "vector of 4", "", "not given", "how the frame of from is held, seen from that of to; as it is when the attachment is made where this is left out"),
    NUMBER("attachments", "start", CondAttachmentDef, start, FINITE, "s", "0", "when it is made, between the frames as they are then"),
    NUMBER("attachments", "end", CondAttachmentDef, end_time, ABOVE, "s", ".inf", "when it is let go; .inf is never"),

    TEXT("attachments.from", "body", CondAttachmentDef, end[0].body, "", "the body; the world where it is left out"),
    TEXT("attachments.from", "link", CondAttachmentDef, end[0].link, "", "required for robots: the link that is held"),
    TEXT("attachments.from", "patch", CondAttachmentDef, end[0].patch, "", "required for soft bodies: the patch that is held"),
    TEXT("attachments.from", "trajectory", CondAttachmentDef, end[0].trajectory, "", "where no body is named: the frame that moves along this trajectory"),
    VECTOR("attachments.from", "point", CondAttachmentDef, end[0].point, "m", "[0, 0, 0]", "in the axes of the body, the link or the world; a patch has its own centre"),
    NUMBER_OR_ABSENT("attachments.from", "at", CondAttachmentDef, end[0].at, NOT_NEGATIVE, "m", "not given", "required for rods: distance from the begin of the rod, along it; point is then in link axes, from there"),

    TEXT("attachments.to", "body", CondAttachmentDef, end[1].body, "", "the body; the world where it is left out"),
    TEXT("attachments.to", "link", CondAttachmentDef, end[1].link, "", "required for robots: the link that is held"),
    TEXT("attachments.to", "patch", CondAttachmentDef, end[1].patch, "", "required for soft bodies: the patch that is held"),
    TEXT("attachments.to", "trajectory", CondAttachmentDef, end[1].trajectory, "", "where no body is named: the frame that moves along this trajectory"),
    VECTOR("attachments.to", "point", CondAttachmentDef, end[1].point, "m", "[0, 0, 0]", "in the axes of the body, the link or the world; a patch has its own centre"),
    NUMBER_OR_ABSENT("attachments.to", "at", CondAttachmentDef, end[1].at, NOT_NEGATIVE, "m", "not given", "required for rods: distance from the begin of the rod, along it; point is then in link axes, from there"),

    TEXT("trajectories", "name", CondTrajectoryDef, name, "", "unique among trajectories; a number is given where it is left out"),
    TEXT("trajectories", "body", CondTrajectoryDef, body, "", "the robot; without one it is a frame in space, for attachments to hold on to"),
    TEXT("trajectories", "link", CondTrajectoryDef, link, "", "of a robot: the link that follows, by inverse kinematics"),
    TEXT("trajectories", "joint", CondTrajectoryDef, joint, "", "of a robot, instead of a link: the joint whose motor follows"),
    VECTOR("trajectories", "point", CondTrajectoryDef, point, "m", "[0, 0, 0]", "where on the link the pose is given, in link axes"),
    VECTOR("trajectories", "velocity", CondTrajectoryDef, velocity, "m/s", "[0, 0, 0]", "of links and frames: uniform, from time 0 on, on top of the waypoints; as are the next five"),
    VECTOR("trajectories", "spin", CondTrajectoryDef, spin, "rad/s", "[0, 0, 0]", "uniform turning about the frame's origin, in world axes"),
    VECTOR("trajectories", "amplitude", CondTrajectoryDef, amplitude, "m", "[0, 0, 0]", "of the position, times sin(2 pi frequency time + phase)"),
    VECTOR("trajectories", "swing", CondTrajectoryDef, swing, "rad", "[0, 0, 0]", "of the turn, a rotation vector in world axes, times the same sine"),
    NUMBER("trajectories", "frequency", CondTrajectoryDef, frequency, NOT_NEGATIVE, "1/s", "0", "of amplitude and swing"),
    NUMBER("trajectories", "phase", CondTrajectoryDef, phase, FINITE, "rad", "0", "of amplitude and swing"),
    NESTED("trajectories", "waypoints", LIST, "list of mappings", "required", "poses, in the order of their times"),

    NUMBER("trajectories.waypoints", "time", CondWaypoint, time, FINITE, "s", "required", "when the pose or the target is reached"),
    VECTOR_OF("trajectories.waypoints", "position", CondWaypoint, position, VECTOR, 3, FINITE, ABSENT, "vector of 3", "m", "not given", "required for links and frames: in world axes"),
    ORIENTATION("trajectories.waypoints", CondWaypoint, orientation, "quaternion w, x, y, z from link or frame to world axes; any length"),
    NUMBER_OR_ABSENT("trajectories.waypoints", "target", CondWaypoint, target, FINITE, "rad or m", "not given", "required for joints: where the motor pulls"),
    SWITCH("trajectories.waypoints", "rest", CondWaypoint, rest, "false", "the position comes to rest here; joints and turns always do"),
    NESTED("trajectories.waypoints", "rotation", SECTION, "mapping", "none", "orientation as an axis and an angle"),

    VECTOR("trajectories.waypoints.rotation", "axis", CondRotationDraft, axis, "", "required", "in world axes; any length"),
    NUMBER("trajectories.waypoints.rotation", "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis"),

    TEXT("sensors", "name", CondSensorDef, name, "", "unique among sensors; a number is given where it is left out"),
    TEXT("sensors", "body", CondSensorDef, on.body, "", "the body it is placed on"),
    TEXT("sensors", "link", CondSensorDef, on.link, "", "robots: the link; all of them where it is left out"),
    TEXT("sensors", "patch", CondSensorDef, on.patch, "", "soft bodies: the patch; the whole body where it is left out"),
    TEXT("sensors", "attachment", CondSensorDef, attachment, "", "instead of a body: the attachment, whose action on its end from is read"),
    CHOICE("sensors", "measures", CondSensorDef, kind, 4, cond_choice_sensor, "contact, joint, imu, range", "contact", "contact forces on what it is placed on; what the link's joint carries: contacts, weight and inertia beyond it; acceleration less gravity and angular velocity of its point; how far away the next thing is along its third axis"),
    NUMBER("sensors", "range", CondSensorDef, range, POSITIVE, "m", "10", "range: how far it sees"),
    TEXT("sensors", "against", CondSensorDef, against, "", "contact: only the forces from this body"),
    VECTOR("sensors", "point", CondSensorDef, on.point, "m", "[0, 0, 0]", "what the torque is about, from the centre of mass (rigid, soft), the link's or base's origin, or the patch's centre, in its axes"),
    ORIENTATION("sensors", CondSensorDef, orientation, "quaternion w, x, y, z from the sensor's axes to those of what it is placed on; any length"),
    NESTED("sensors", "rotation", SECTION, "mapping", "none", "orientation as an axis and an angle"),
    CHOICE("sensors", "axes", CondSensorDef, world_axes, 2, cond_choice_axes, "sensor, world", "sensor", "the axes that force and torque are told in"),

    VECTOR("sensors.rotation", "axis", CondRotationDraft, axis, "", "required", "in the axes of what it is placed on; any length"),
    NUMBER("sensors.rotation", "degrees", CondRotationDraft, degrees, FINITE, "degree", "required", "angle about the axis"),

    TEXT("forces", "name", CondForceDef, name, "", "unique among forces; a number is given where it is left out"),
    TEXT("forces", "body", CondForceDef, body, "required", "what is pushed: a particle, rigid body, rod or soft body"),
    VECTOR("forces", "force", CondForceDef, force, "N", "[0, 0, 0]", "in world axes"),
    VECTOR("forces", "torque", CondForceDef, torque, "N m", "[0, 0, 0]", "in world axes; rigid bodies and rods only"),
    VECTOR("forces", "point", CondForceDef, point, "m", "[0, 0, 0]", "where the force acts, in body axes; of rods in link axes, from at"),
    NUMBER_OR_ABSENT("forces", "at", CondForceDef, at, NOT_NEGATIVE, "m", "not given", "required for rods: distance from the begin of the rod, along it"),
    TEXT("forces", "patch", CondForceDef, patch, "", "of soft bodies: over whose surface the force is spread, by area, or by mass where it has none; where the pressure acts: the whole surface where it is left out"),
    NUMBER("forces", "pressure", CondForceDef, pressure, FINITE, "Pa", "0", "of soft bodies: against the surface, along its normals as they turn and with its area as it stretches"),
    NUMBER("forces", "start", CondForceDef, start, FINITE, "s", "0", "when it begins, also within a step: its impulse is exact"),
    NUMBER("forces", "end", CondForceDef, end, ABOVE, "s", ".inf", "when it ends, likewise; .inf is never"),

    TEXT("springs", "name", CondSpringDef, name, "", "unique among springs; a number is given where it is left out"),
    NESTED("springs", "from", SECTION, "mapping", "required", "one end"),
    NESTED("springs", "to", SECTION, "mapping", "required", "the other end"),
    NUMBER("springs", "stiffness", CondSpringDef, stiffness, NOT_NEGATIVE, "N/m or N m/rad", "required", "force per length; between joints per their sum of ratio times position"),
    NUMBER("springs", "damping", CondSpringDef, damping, NOT_NEGATIVE, "N s/m or N m s/rad", "0", "along the spring"),
    NUMBER_OR_AUTO("springs", "rest_length", CondSpringDef, rest_length, FINITE, "m or rad", "auto", "length without force, not negative between points; auto is its length at the start"),

    TEXT("springs.from", "body", CondSpringDef, body[0], "", "the particle, rigid body or rod it is fixed to, or the robot of `joint`; the world where it is left out"),
    NUMBER_OR_ABSENT("springs.from", "at", CondSpringDef, at[0], NOT_NEGATIVE, "m", "not given", "required for rods: distance from the begin of the rod, along it"),
    VECTOR("springs.from", "point", CondSpringDef, point[0], "m", "[0, 0, 0]", "in body axes, or in world axes; of rods in link axes, from at"),
    TEXT("springs.from", "joint", CondSpringDef, joint[0], "", "the joint of the robot `body` whose position the spring counts, in the place of a point; the other end is a joint too, or left out"),
    NUMBER("springs.from", "ratio", CondSpringDef, ratio[0], FINITE, "", "1", "length of the spring per position of the joint"),
    TEXT("springs.to", "body", CondSpringDef, body[1], "", "the particle, rigid body or rod it is fixed to, or the robot of `joint`; the world where it is left out"),
    NUMBER_OR_ABSENT("springs.to", "at", CondSpringDef, at[1], NOT_NEGATIVE, "m", "not given", "required for rods: distance from the begin of the rod, along it"),
    VECTOR("springs.to", "point", CondSpringDef, point[1], "m", "[0, 0, 0]", "in body axes, or in world axes; of rods in link axes, from at"),
    TEXT("springs.to", "joint", CondSpringDef, joint[1], "", "the joint of the robot `body` whose position the spring counts, in the place of a point; the other end is a joint too, or left out"),
    NUMBER("springs.to", "ratio", CondSpringDef, ratio[1], FINITE, "", "1", "length of the spring per position of the joint"),

    WHOLE("environment", "steps", CondSettingsDraft, settings.environment.steps, FROM_ONE, ">= 1", "200", "actions after which an episode is cut off"),
    WHOLE("environment", "substeps", CondSettingsDraft, settings.environment.substeps, FROM_ONE, ">= 1", "1", "time steps per action"),
    WHOLE("environment", "success_steps", CondSettingsDraft, settings.environment.success_steps, FROM_ONE, ">= 1", "1", "actions in a row through which all success bounds of the rewards must hold for success"),
    SWITCH("environment", "success_ends", CondSettingsDraft, settings.environment.success_ends, "false", "success ends the episode"),
    NESTED("environment", "observe", SECTION, "mapping", "{}", "what the observation holds"),

    SWITCH("environment.observe", "time", CondSettingsDraft, settings.environment.observe_time, "true", "since the start of the episode"),
    SWITCH("environment.observe", "poses", CondSettingsDraft, settings.environment.observe_poses, "true", "poses and velocities of bodies, positions and rates of joints"),
    SWITCH("environment.observe", "goals", CondSettingsDraft, settings.environment.observe_goals, "true", "where the actions have led so far: targets of joints, poses of links and anchors"),
    SWITCH("environment.observe", "wrenches", CondSettingsDraft, settings.environment.observe_wrenches, "true", "force and torque of every attachment on its first end, and of every sensor"),
    SWITCH("environment.observe", "contacts", CondSettingsDraft, settings.environment.observe_contacts, "true", "how many, the force and torque on every body, the penetration"),
    SWITCH("environment.observe", "certificate", CondSettingsDraft, settings.environment.observe_certificate, "true", "the worst of the action's time steps"),
    SWITCH("environment.observe", "configuration", CondSettingsDraft, settings.environment.observe_configuration, "false", "all of q and v"),

    TEXT("randomise", "name", CondVariationDef, name, "", "unique among variations; a number is given where it is left out"),
    LONG_TEXT("randomise", "path", CondVariationDef, path, "required", "the value, as in `--set`; several paths with commas between them get the same value"),
    NUMBER_OR_ABSENT("randomise", "low", CondVariationDef, low, FINITE, "", "not given", "required where there are no choices: smallest value, in the unit of what the path leads to"),
    NUMBER_OR_ABSENT("randomise", "high", CondVariationDef, high, FINITE, "", "not given", "required where there are no choices: largest value"),
    CHOICE("randomise", "scale", CondVariationDef, scale, 2, cond_choice_scale, "linear, log", "linear", "every value between is as likely, or every logarithm"),
    NESTED("randomise", "choices", LIST, "list of at most 16 numbers", "[]", "in place of low and high: the values, each as likely"),
    SWITCH("randomise", "observe", CondVariationDef, observe, "false", "the drawn value is part of the observation"),

    TEXT("actions", "name", CondActionDef, name, "", "unique among actions; a number is given where it is left out"),
    CHOICE("actions", "kind", CondActionDef, kind, 8, cond_choice_action, "joints, pose, anchor, velocities, torques, impedance, pick, grip", "joints", "targets of a robot's joints; the pose of a robot's link by inverse kinematics; the pose at which an attachment holds its `from` in the world; speeds of joints; torques of joints; the pose that a link is drawn to by torques; a place, or a point of a link, that takes what is near and lets it go"),
    CHOICE("actions", "mode", CondActionDef, mode, 2, cond_choice_mode, "increment, absolute", "increment", "changes of what was told before, or the targets themselves"),
    TEXT("actions", "body", CondActionDef, body, "", "required for all but anchor and pick: the robot"),
    TEXT("actions", "link", CondActionDef, link, "", "required for pose, impedance and grip: the link"),
    VECTOR("actions", "point", CondActionDef, point, "m", "[0, 0, 0]", "pose, impedance, grip: where on the link, in link axes; pick: where it starts, in world axes"),
    TEXT("actions", "attachment", CondActionDef, attachment, "", "required for anchor: an attachment whose `to` is the world"),
    SWITCH("actions", "turns", CondActionDef, turns, "true", "pose, anchor, impedance: orientation is told as well, false keeps that of the start; grip: orientation is held too, where the body has one there"),
    NUMBER("actions", "linear", CondActionDef, linear, POSITIVE, "m", "0.01", "largest increment of a position or a sliding joint; velocities: largest speed, in m/s"),
    NUMBER("actions", "angular", CondActionDef, angular, POSITIVE, "rad", "0.05", "largest increment of an angle; velocities: largest speed, in rad/s"),
    LONG_TEXT("actions", "joints", CondActionDef, joints, "", "joints, velocities, torques: which, with commas between them; all where it is left out"),
    VECTOR_OF("actions", "low", CondActionDef, low, VECTOR, 3, FINITE, ABSENT, "vector of 3", "m", "not given", "pose, anchor, impedance, pick: lower corner of the box that places are cut to, world axes"),
    VECTOR_OF("actions", "high", CondActionDef, high, VECTOR, 3, FINITE, ABSENT, "vector of 3", "m", "not given", "its upper corner"),
    NUMBER("actions", "effort", CondActionDef, effort, POSITIVE_OR_INFINITE, "N m or N", ".inf", "torques: the largest; .inf is the limit of the motor"),
    SWITCH("actions", "compensate", CondActionDef, compensate, "true", "torques, impedance: the robot's weight is held besides"),
    NUMBER("actions", "stiffness", CondActionDef, stiffness, POSITIVE, "N/m", "1000", "impedance, pick, grip: force per distance"),
    NUMBER("actions", "damping", CondActionDef, damping, NOT_NEGATIVE, "N s/m", "10", "force per speed"),
    NUMBER("actions", "rotation_stiffness", CondActionDef, rotation_stiffness, NOT_NEGATIVE, "N m/rad", "10", "impedance, grip: torque per angle"),
    NUMBER("actions", "rotation_damping", CondActionDef, rotation_damping, NOT_NEGATIVE, "N m s/rad", "0.1", "torque per angular speed"),
    TEXT("actions", "takes", CondActionDef, takes, "", "pick, grip: the body that is taken; any but robots where it is left out"),
    NUMBER("actions", "reach", CondActionDef, reach, POSITIVE, "m", "0.02", "pick, grip: nothing farther away is taken"),

    TEXT("observations", "name", CondObservationDef, name, "", "unique among observations; a number is given where it is left out"),
    CHOICE("observations", "kind", CondObservationDef, kind, 5, cond_choice_observation, "point, points, vector, distance, action", "point", "where a point is; points along a rod, or of a soft body; from one point to another; how far they are apart; the last action"),
    TEXT("observations", "body", CondObservationDef, at.body, "", "required but for action: the body"),
    TEXT("observations", "link", CondObservationDef, at.link, "", "of a robot: the link"),
    TEXT("observations", "patch", CondObservationDef, at.patch, "", "of a soft body: the patch; its centre of mass where it is left out, and for points its surface"),
    NUMBER_OR_ABSENT("observations", "at", CondObservationDef, at.at, NOT_NEGATIVE, "m", "not given", "of a rod: distance from its begin, along it; its centre of mass where it is left out"),
    VECTOR("observations", "point", CondObservationDef, at.point, "m", "[0, 0, 0]", "in the axes of the body or link"),
    WHOLE("observations", "count", CondObservationDef, count, FROM_ONE, ">= 1", "10", "points: how many, evenly spread; of a rod both ends are among them"),
    NESTED("observations", "to", SECTION, "mapping", "{}", "vector, distance: the other point"),

    TEXT("observations.to", "body", CondObservationDef, to.body, "", "the body; the world where it is left out"),
    TEXT("observations.to", "link", CondObservationDef, to.link, "", "of a robot: the link"),
    TEXT("observations.to", "patch", CondObservationDef, to.patch, "", "of a soft body: the patch; its centre of mass where it is left out"),
    NUMBER_OR_ABSENT("observations.to", "at", CondObservationDef, to.at, NOT_NEGATIVE, "m", "not given", "of a rod: distance from its begin, along it; its centre of mass where it is left out"),
    VECTOR("observations.to", "point", CondObservationDef, to.point, "m", "[0, 0, 0]", "in the axes of the body, the link or the world"),

    TEXT("rewards", "name", CondRewardDef, name, "", "unique among rewards; a number is given where it is left out"),
    CHOICE("rewards", "kind", CondRewardDef, kind, 7, cond_choice_reward, "distance, height, force, winding, curve, action, holds", "distance", "of a point from the goal (m), of a point above its start (m), the norm of the contact force on the body (N), the angle by which a rod goes round an axis (rad), the mean distance of a rod's links from a flat curve (m), the sum of the squares of the action's values over their bounds, or how many picks and grips hold something"),
    TEXT("rewards", "body", CondRewardDef, at.body, "", "required but for action and holds: the body"),
    TEXT("rewards", "link", CondRewardDef, at.link, "", "required for distance and height of a robot's link"),
    TEXT("rewards", "patch", CondRewardDef, at.patch, "", "of a soft body: the patch; its centre of mass where it is left out"),
    NUMBER_OR_ABSENT("rewards", "at", CondRewardDef, at.at, NOT_NEGATIVE, "m", "not given", "of a rod: distance from its begin, along it; its centre of mass where it is left out"),
    VECTOR("rewards", "point", CondRewardDef, at.point, "m", "[0, 0, 0]", "in the axes of the body or link"),
    VECTOR("rewards", "goal", CondRewardDef, goal, "m", "[0, 0, 0]", "of distance, a point of winding's axis, or the middle of the curve, in world axes"),
    VECTOR("rewards", "axis", CondRewardDef, axis, "", "[0, 0, 1]", "direction of winding's axis, or normal of the curve's plane; any length"),
    NUMBER("rewards", "weight", CondRewardDef, weight, FINITE, "", "1", "the reward is the sum of weight times value; negative is a penalty"),
    NUMBER_OR_ABSENT("rewards", "done_below", CondRewardDef, done_below, FINITE, "m, N or rad", "not given", "the episode ends where the value is below"),
    NUMBER_OR_ABSENT("rewards", "done_above", CondRewardDef, done_above, FINITE, "m, N or rad", "not given", "the episode ends where the value is above"),
    NUMBER_OR_ABSENT("rewards", "target", CondRewardDef, target, FINITE, "rad", "not given", "winding: the value is how far the angle is from this one"),
    NUMBER("rewards", "heading", CondRewardDef, heading, FINITE, "rad", "0", "curve: its direction in the middle, turned from the x axis about axis"),
    VECTOR_OF("rewards", "curvature", CondRewardDef, curvature, VECTOR, 2, FINITE, NEVER, "vector of 2", "1/m", "[0, 0]", "curve: of its first and its second half, positive to the left"),
    NESTED("rewards", "to", SECTION, "mapping", "{}", "distance: the point of a body that takes the place of goal"),
    NUMBER("rewards", "scale", CondRewardDef, scale, NOT_NEGATIVE, "m, N or rad", "0", "above 0: 1 - tanh(value / scale) is rewarded, which is 1 at the goal and 0 far away"),
    NUMBER_OR_ABSENT("rewards", "success_below", CondRewardDef, success_below, FINITE, "m, N or rad", "not given", "success needs a value below"),
    NUMBER_OR_ABSENT("rewards", "success_above", CondRewardDef, success_above, FINITE, "m, N or rad", "not given", "success needs a value above"),
    SWITCH("rewards", "desired", CondRewardDef, desired, "false", "distance from goal, winding with a target: part of the environment's goal, and of the observation"),

    TEXT("rewards.to", "body", CondRewardDef, to.body, "", "the body"),
    TEXT("rewards.to", "link", CondRewardDef, to.link, "", "of a robot: the link"),
    TEXT("rewards.to", "patch", CondRewardDef, to.patch, "", "of a soft body: the patch; its centre of mass where it is left out"),
    NUMBER_OR_ABSENT("rewards.to", "at", CondRewardDef, to.at, NOT_NEGATIVE, "m", "not given", "of a rod: distance from its begin, along it; its centre of mass where it is left out"),
    VECTOR("rewards.to", "point", CondRewardDef, to.point, "m", "[0, 0, 0]", "in the axes of the body, the link or the world"),
};
// clang-format on

const int cond_key_table_size = sizeof cond_key_table / sizeof cond_key_table[0];
