// Definitions of a scene: materials, bodies with their surfaces, joints, links and sections,
// obstacles and planes. SI units; quaternions are (w, x, y, z). The reference with defaults and
// ranges is docs/reference/c.md.
#ifndef COND_BODY_H
#define COND_BODY_H

#include "cond/api.h"
#include "cond/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COND_NAME_SIZE 64
#define COND_PATH_SIZE 256
#define COND_DIRS_SIZE 1024

typedef enum CondBodyKind {
    COND_BODY_PARTICLE = 0, // a point mass: three coordinates, itself a contact node
    COND_BODY_RIGID = 1,    // six: velocity of the centre of mass (world), angular velocity (body)
    COND_BODY_SOFT = 2,     // tetrahedra: three per node, each node a contact node
    COND_BODY_ROBOT = 3,    // articulated: base (six when floating), then one per joint
    COND_BODY_ROD = 4,      // a chain of rigid links: six per link, as for a rigid body
    COND_BODY_SHELL = 5,    // triangles with a thickness; of a compiled model COND_BODY_SOFT
} CondBodyKind;

typedef enum CondShapeKind {
    COND_SHAPE_NONE = 0,     // no contact (a particle still touches with its point)
    COND_SHAPE_BOX = 1,      // its eight vertices are contact points
    COND_SHAPE_POINTS = 2,   // contact points given one by one
    COND_SHAPE_SPHERE = 3,   // size: radius
    COND_SHAPE_CAPSULE = 4,  // size: radius, distance of the end centres, along z
    COND_SHAPE_CYLINDER = 5, // size: radius, height, along z
    COND_SHAPE_CONVEX = 6,   // mesh: a closed convex surface
    COND_SHAPE_MESH = 7,     // mesh: any closed surface
    // obstacles only: ground, solid below its surface
    COND_SHAPE_HEIGHTFIELD = 8, // heights on a grid: numbers, a file, or a generator (mesh)
    COND_SHAPE_TERRAIN = 9,     // mesh: an open surface, seen from above
} CondShapeKind;

typedef enum CondElasticity {
    COND_ELASTICITY_COROTATIONAL = 0, // linear in the rotated frame of each tetrahedron
    COND_ELASTICITY_NEOHOOKEAN = 1,   // stable neo-Hookean
} CondElasticity;

// The bound of the geometric stiffness that keeps A of a soft body positive (the paper's E).
typedef enum CondGeometricStiffness {
    COND_GEOMETRIC_NONE = 0,  // Je'K Je alone, plus the material's damping
    COND_GEOMETRIC_BOUND = 1, // absolute column sums of the geometric stiffness, translations free
    COND_GEOMETRIC_CONSTANT = 2,  // geometric_stiffness at every node: damps all motion
    COND_GEOMETRIC_CLAMPED = 3,   // the geometric stiffness where it is positive
    COND_GEOMETRIC_PROJECTED = 4, // its nearest positive semi-definite matrix per element; slow
} CondGeometricStiffness;

typedef struct CondMaterialDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondElasticity elasticity;
    CondGeometricStiffness geometric;
    double geometric_stiffness;  // of COND_GEOMETRIC_CONSTANT, else 0 [N/m]
    double youngs_modulus;       // [Pa]
    double poisson_ratio;        // (-1, 0.5)
    double density;              // [kg/m3]
    double mass_damping;         // Rayleigh: D = mass_damping M + stiffness_damping K [1/s]
    double stiffness_damping;    // [s]
    char source[COND_PATH_SIZE]; // where the numbers come from
    // Shells: youngs_modulus is that along the warp. 0: as of an isotropic plate.
    double weft_modulus;    // across the warp [Pa]
    double shear_modulus;   // in the plane [Pa]
    double bending;         // stiffness against bending along the warp [N m]
    double bending_weft;    // and across it [N m]
    double strain_limit;    // Green strain along warp and weft; 0: none
    double limit_modulus;   // added to the moduli beyond that strain [Pa]
    double yield_curvature; // of shells: curvature beyond which bending is plastic; 0: none [1/m]
    double yield_hardening; // bending stiffness beyond it, relative to the elastic one, below 1
} CondMaterialDef;

// A joint of a robot at the start, and its motor: torque = stiffness (target - position) +
// damping (target rate - rate), implicit. NaN: as the robot's defaults say.
typedef struct CondJointDef {
    char name[COND_NAME_SIZE];
    double position;  // [rad, m]
    double velocity;  // [rad/s, m/s]
    double stiffness; // [N m/rad, N/m]
    double damping;   // [N m s/rad, N s/m]
    int bounded; // 1: the fields below are used, NaN: the value of the robot's file; 0: none of
                 // them
    double lower, upper;    // position limits [rad, m]
    double velocity_limit;  // [rad/s, m/s]; INFINITY: none
    double effort;          // largest torque or force of the motor [N m, N]; INFINITY: none
    double friction;        // dry friction of the joint [N m, N]
    double passive_damping; // viscous damping of the joint itself [N m s/rad, N s/m]
    double armature;        // inertia of its rotor, as the joint feels it [kg m2, kg]
    double spring;          // stiffness of a spring in the joint [N m/rad, N/m]
    double spring_rest;     // its rest position [rad, m]
    // The rotation of spherical and floating joints; they have no motor. Floating and planar joints
    // have coordinates NAME.x, NAME.y, and NAME.z or NAME.angle, each named like a joint.
    double orientation[4];      // of the link in the joint's frame; 0: not turned
    double angular_velocity[3]; // relative, in the axes of the turning link [rad/s]
    double lead;                // target less position at the start [rad, m]
    double effort_back;         // largest torque or force against the axis [N m, N]; NaN: effort
    double torque; // added by its motor until another one is set, within effort [N m, N]
} CondJointDef;

// How a link moves on its parent.
typedef enum CondJointKind {
    COND_JOINT_FIXED = 0,
    COND_JOINT_REVOLUTE = 1,   // about its axis
    COND_JOINT_CONTINUOUS = 2, // the same without position limits
    COND_JOINT_PRISMATIC = 3,  // along its axis
    COND_JOINT_SPHERICAL = 4,  // any turn about the joint's origin
    COND_JOINT_PLANAR = 5,     // two slides across the axis, then a turn about it
    COND_JOINT_FLOATING = 6,   // slides along the axes of the joint's frame, then any turn
} CondJointKind;

// Friction and restitution of a surface. Where two surfaces meet and only one of them gives a
// value, that value is used. If both do, the frictions combine by their rule and the larger
// restitution counts. If neither does, friction is 0.5 and restitution 0.
typedef struct CondSurfaceDef {
    double friction[2]; // mu along the surface's two tangents; NaN: not given
    double restitution; // 0 .. 1; NaN: not given
} CondSurfaceDef;

// How the frictions of two surfaces combine.
typedef enum CondFrictionRule {
    COND_FRICTION_GEOMETRIC = 0, // the geometric mean, where both surfaces say so
    COND_FRICTION_LARGER = 1,    // the larger one, if either surface has this rule
} CondFrictionRule;

// How the friction of a surface combines with that of others.
typedef struct CondRubbingDef {
    CondFrictionRule rule; // how this friction combines with another one
    int priority;     // if two surfaces differ in it, the friction is that of the higher priority
    int frictionless; // 1: no friction with surfaces that are frictionless too, or have less
                      // priority
} CondRubbingDef;

// A shape of a link.
typedef struct CondLinkShapeDef {
    CondShapeKind shape;       // sphere, capsule, cylinder, box, convex (its hull counts) or mesh
    double size[3];            // as the shape says [m]
    char mesh[COND_PATH_SIZE]; // of convex and mesh: a file, or a generator
    double scale[3];           // metres per unit of the file, along its axes
    double position[3];        // of the shape's middle, or of the mesh's origin; link axes [m]
    double orientation[4];     //
    CondSurfaceDef surface;    // values that are not given are the robot's
    CondRubbingDef rubbing;    // used if the surface gives its friction; else the robot's
    uint32_t groups;           // that it is in; 0: those of the link
    uint32_t touches;          // groups that it touches; 0: those of the link
    int visual;                // 1: it is drawn and has no contacts; the link's other shapes are
                               // then not drawn
    double rgba[4];            // of a visual one: red, green, blue, opacity; NaN: not given
} CondLinkShapeDef;

// A link of a robot, and the joint by which it moves on its parent. Its frame is that of the joint:
// pose = pose of the parent, times position and orientation, times the joint's motion.
typedef struct CondLinkDef {
    char name[COND_NAME_SIZE];
    char parent[COND_NAME_SIZE]; // a link before it; "": the base, which has no joint
    char joint[COND_NAME_SIZE];  // name of the joint; "": that of the link; a fixed one has none
    CondJointKind kind;
    double position[3];         // joint frame in the parent's axes, at joint position 0 [m]
    double orientation[4];      //
    double axis[3];             // in the joint frame; any length
    double lower, upper;        // [rad, m]; NaN: none
    double velocity_limit;      // largest speed [rad/s, m/s]; INFINITY: none
    double effort;              // largest torque or force of its motor [N m, N]; INFINITY: none
    double friction;            // dry friction of the joint [N m, N]
    double damping;             // viscous damping of the joint itself [N m s/rad, N s/m]
    double armature;            // inertia of its rotor, as the joint feels it [kg m2, kg]
    double spring;              // stiffness of a spring in the joint [N m/rad, N/m]
    double spring_rest;         // its rest position [rad, m]
    char mimic[COND_NAME_SIZE]; // the joint it follows: at multiplier * position + offset; "": none
    double multiplier;          //
    double offset;              // [rad, m]
    double mass;                // [kg]; 0: none, if the links that move with it have mass
    double center[3];           // of mass, in link axes [m]
    double inertia[6];          // xx, yy, zz, xy, xz, yz about it, link axes [kg m2]
    int n_shape;
    const CondLinkShapeDef* shape; // (n_shape)
    double effort_back;            // largest torque or force against the axis [N m, N]; NaN: effort
    double gravity_compensation;   // fraction of its weight that is left out; 1: weightless
    size_t shape_stride;           // sizeof(CondLinkShapeDef), by the default function
} CondLinkDef;

// Which links of a robot never touch because joints join them.
typedef enum CondNeighbours {
    COND_NEIGHBOURS_ALL = 0, // two links on one joint, and those on either side of a link that has
                             // no shapes and only carries joints
    COND_NEIGHBOURS_MOVING = 1, // two links on one joint where both move
    COND_NEIGHBOURS_NONE = 2,   // none
} CondNeighbours;

// Shapes that are used for the collision meshes of a robot.
typedef enum CondCollision {
    COND_COLLISION_MESH = 0, // the mesh itself; its convex hull if it is not closed
    COND_COLLISION_HULL = 1, // the convex hull of each mesh
    COND_COLLISION_NONE = 2, // nothing: shapes of the robot do not touch at all
} CondCollision;

typedef enum CondRodShape {
    COND_ROD_STRAIGHT = 0, // along z
    COND_ROD_ARC = 1,      // from z towards x, radius bend_radius
    COND_ROD_HELIX = 2,    // about the line x = bend_radius, y = 0, rising by pitch per turn
    COND_ROD_POINTS = 3,   // the ends of the links, given one by one
} CondRodShape;

// Elements of a soft body.
typedef enum CondElement {
    COND_ELEMENT_LINEAR = 0,    // tetrahedra of four nodes: stiff in bending, and nearly rigid
                                // where the material is nearly incompressible
    COND_ELEMENT_QUADRATIC = 1, // ten nodes: a further one on each edge; without either stiffness
    COND_ELEMENT_SMOOTHED = 2,  // four nodes, with strains averaged around each edge: no stiffer in
                                // bending than quadratic ones with as many nodes
    COND_ELEMENT_AUTO = 3,      // linear; a warning of the model says where these bend by less than
                                // two thirds of what they should (cond_model_warning)
} CondElement;

typedef enum CondRodRest {
    COND_ROD_REST_SHAPE = 0,   // free of stress as it starts
    COND_ROD_REST_UNIFORM = 1, // free of stress with rest_curvature all along
} CondRodRest;

// Groups of contact, one bit each. Two shapes touch if each is in a group that the other touches.
// By default a shape is in the first group and touches all groups.
#define COND_GROUP_DEFAULT 1u
#define COND_GROUP_ALL 0xffffffffu

// Groups of a robot's link, instead of those of the robot.
typedef struct CondLinkGroups {
    char name[COND_NAME_SIZE]; // as in the URDF
    uint32_t groups;           // that it is in
    uint32_t touches;          // groups that it touches
} CondLinkGroups;

// Centreline and section of a rod. In body axes the rod begins at the origin. The third axis of a
// link points along it. The first two axes are those of the section: the body's x and y axes,
// transported along the rod without twist and then turned by `twist`.
typedef struct CondRodDef {
    CondRodShape shape;
    int links;                // with points: one fewer than points
    double length;            // [m]; with points: that of their polygon
    double bend_radius;       // arc and helix [m]
    double pitch;             // helix: rise per turn [m]
    double twist;             // of the section along the rod [rad/m]
    CondRodRest rest;         //
    double rest_curvature[3]; // uniform: bends about the two axes of the section, twist [rad/m]
    double circle;            // section: radius [m]; 0: a rectangle
    double rectangle[2];      // section: extents along its two axes [m]
    double shear_factor;      // times G A is the shear stiffness
    double contact_radius;    // [m]; 0: contact at the centreline; NaN: half the thinner extent
} CondRodDef;

typedef struct CondBodyDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondBodyKind kind;
    double mass;                // [kg]; 0: from the density
    double density;             // rigid: mass per volume of the shape [kg/m3]; 0: not given
    double inertia[6];          // xx, yy, zz, xy, xz, yz about the centre, body axes [kg m2]
    int inertia_from_shape;     // 1: that of the shape with the mass at uniform density
    CondShapeKind shape;        // of a rigid body
    double size[3];             // as the shape says; edges of the box [m]
    int n_point;                // contact points of COND_SHAPE_POINTS; of rods: ends of the links
    const double* point;        // in body axes [m], copied by cond_scene_add_body  (n_point x 3)
    double position[3];         // of the centre of mass [m]
    double orientation[4];      // normalised when compiled
    double velocity[3];         // [m/s]
    double angular_velocity[3]; // in world axes [rad/s]
    CondSurfaceDef surface;
    // soft: the mesh is rotated by orientation about its own origin and translated by position;
    // rigid, of shape convex or mesh: its surface, whose centre of mass becomes the origin of the
    // body's axes
    char mesh[COND_PATH_SIZE];     // a file, or a generator such as "mat:27,27,2:0.3,0.3,0.01"
    double mesh_scale;             // metres per unit of the file
    char material[COND_NAME_SIZE]; //
    int self_contact;              // 1: the body may touch itself, a robot's links each other
    double thickness;              // soft surfaces touch within this distance; of a shell [m]
    // robot: position and orientation are those of the base link
    char urdf[COND_PATH_SIZE];
    int floating;              // 1: the base moves freely
    int n_joint;               //
    const CondJointDef* joint; // copied by cond_scene_add_body                      (n_joint)
    double motor_stiffness;    // of joints without a value of their own [N m/rad, N/m]; 0: no motor
    double motor_damping;      // [N m s/rad, N s/m]
    CondRodDef rod;            // position and orientation are those of its begin
    // robot: limits of its joints that act, 1 or 0. Inverse kinematics always respects them.
    int joint_limits;    // lower and upper
    int velocity_limits; //
    int effort_limits;   // of motors
    int joint_friction;  // dry friction
    double motor_effort; // largest torque or force of motors [N m, N]; NaN: as the file says
    // robot, where no urdf is given: its links, parents first; copied by cond_scene_add_body
    int n_link;
    const CondLinkDef* link; // (n_link)
    uint32_t groups;         // of the body, or of all links of a robot
    uint32_t touches;        // groups that it touches; for a robot including those of its own links
    int n_link_groups;       // robot: links with groups of their own
    const CondLinkGroups* link_groups; // copied by cond_scene_add_body       (n_link_groups)
    char srdf[COND_PATH_SIZE]; // robot: SRDF file with pairs of its links that never touch; "":
                               // none
    char package_dirs[COND_DIRS_SIZE]; // robot: folders of packages, separated by colons
    CondCollision collision;           // robot: shapes for its collision meshes
    int missing_meshes;                // robot, 1: collision meshes that are not found are left out
    int rod_closed;            // rod, 1: closed, with a joint between its last and its first link
    CondRubbingDef rubbing;    //
    CondNeighbours neighbours; // robot: which of its links never touch
    size_t joint_stride, link_stride, link_groups_stride; // sizes of the elements of those arrays,
                                                          // by the default function
    CondElement element;                                  // soft
    double warp[3]; // shell: direction of the warp in body axes, projected on each triangle
    double friction_back[2]; // shell: friction of its second side; NaN: as surface says
} CondBodyDef;

// A static shape.
typedef struct CondObstacleDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;        // of this struct, by its default function
    CondShapeKind shape;       // sphere, capsule, cylinder, box, convex or mesh
    double size[3];            // as the shape says [m]
    char mesh[COND_PATH_SIZE]; // of convex and mesh: a file, or a generator
    double mesh_scale;         // metres per unit of the file
    double position[3];        // of the shape's middle, or of the mesh's origin [m]
    double orientation[4];
    CondSurfaceDef surface;
    uint32_t groups;  // that it is in
    uint32_t touches; // groups that it touches
    // heightfield and terrain, in their own axes, whose z is up
    double extent[2];       // of a heightfield along x and y, about its position [m]
    double height;          // metres per unit of the heights
    double depth;           // depth of the solid below the lowest point [m]; NaN: a tenth of its
                            // wider extent
    int n_row, n_column;    // of the heights, if they are given as numbers; else 0
    const double* heights;  // the first row is that of the largest y; copied by
                            // cond_scene_add_obstacle                       (n_row x n_column)
    CondRubbingDef rubbing; //
} CondObstacleDef;

// Static half-space {x : normal . x <= offset}; bodies live on the side the normal points to.
typedef struct CondPlaneDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;  // of this struct, by its default function
    double normal[3];    // normalised when compiled
    double offset;       // [m]
    double direction[3]; // tangent 1 of contacts, made orthogonal to the normal when compiled
    CondSurfaceDef surface;
    uint32_t groups;        // that it is in
    uint32_t touches;       // groups that it touches
    CondRubbingDef rubbing; //
} CondPlaneDef;

// By the names of scene files.
COND_ENUM_NAMES(COND_API, CondBodyKind, cond_body_kind)
COND_ENUM_NAMES(COND_API, CondShapeKind, cond_shape_kind)
COND_ENUM_NAMES(COND_API, CondElasticity, cond_elasticity)
COND_ENUM_NAMES(COND_API, CondElement, cond_element)
COND_ENUM_NAMES(COND_API, CondGeometricStiffness, cond_geometric_stiffness)
COND_ENUM_NAMES(COND_API, CondJointKind, cond_joint_kind)
COND_ENUM_NAMES(COND_API, CondFrictionRule, cond_friction_rule)
COND_ENUM_NAMES(COND_API, CondNeighbours, cond_neighbours)
COND_ENUM_NAMES(COND_API, CondCollision, cond_collision)
COND_ENUM_NAMES(COND_API, CondRodShape, cond_rod_shape)
COND_ENUM_NAMES(COND_API, CondRodRest, cond_rod_rest)

// Defaults. Definitions with arrays of structs store the size that their elements have in the
// program. A link is fixed to its parent and has no mass, a link's shape has no kind, a surface
// gives neither friction nor restitution, a rod is straight, and groups touch all.
COND_DEFAULT_OF(COND_API, CondBodyDef, cond_body_def_default,
                made.joint_stride = sizeof(CondJointDef);
                made.link_stride = sizeof(CondLinkDef);
                made.link_groups_stride = sizeof(CondLinkGroups))
COND_DEFAULT(COND_API, CondJointDef, cond_joint_def_default)
COND_DEFAULT_OF(COND_API, CondLinkDef, cond_link_def_default,
                made.shape_stride = sizeof(CondLinkShapeDef))
COND_DEFAULT(COND_API, CondLinkShapeDef, cond_link_shape_def_default)
COND_DEFAULT(COND_API, CondSurfaceDef, cond_surface_def_default)
COND_DEFAULT(COND_API, CondRubbingDef, cond_rubbing_def_default)
COND_DEFAULT(COND_API, CondRodDef, cond_rod_def_default)
COND_DEFAULT(COND_API, CondLinkGroups, cond_link_groups_default)
COND_DEFAULT(COND_API, CondPlaneDef, cond_plane_def_default)
COND_DEFAULT(COND_API, CondMaterialDef, cond_material_def_default)
COND_DEFAULT(COND_API, CondObstacleDef, cond_obstacle_def_default)

#ifdef __cplusplus
}
#endif
#endif
