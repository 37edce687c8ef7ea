// CondScene: what the user describes. Built by calls or read from YAML; compiled to a CondModel.
// SI units throughout; z up is only a habit of the defaults (gravity); quaternions are (w, x, y,
// z).
#ifndef COND_SCENE_H
#define COND_SCENE_H

#include "cond/mesh.h"
#include "cond/solver.h"

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

// What keeps the stiffness of a soft body positive where elements are bent (the paper's E).
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
} CondMaterialDef;

// A joint of a robot at the start, and its motor: torque = stiffness (target - position) +
// damping (target rate - rate), implicit. NaN: as the robot's defaults say.
typedef struct CondJointDef {
    char name[COND_NAME_SIZE];
    double position;  // [rad, m]
    double velocity;  // [rad/s, m/s]
    double stiffness; // [N m/rad, N/m]
    double damping;   // [N m s/rad, N s/m]
    int bounded;      // 1: what follows counts, NaN: as the robot's file says; 0: none of it does
    double lower, upper;    // position limits [rad, m]
    double velocity_limit;  // [rad/s, m/s]; INFINITY: none
    double effort;          // largest torque or force of the motor [N m, N]; INFINITY: none
    double friction;        // dry friction of the joint [N m, N]
    double passive_damping; // viscous damping of the joint itself [N m s/rad, N s/m]
    double armature;        // inertia of its rotor, as the joint feels it [kg m2, kg]
    double spring;          // stiffness of a spring in the joint [N m/rad, N/m]
    double spring_rest;     // where that is slack [rad, m]
    // What spherical and floating joints turn by; they have no motor. Floating and planar joints
    // have coordinates NAME.x, NAME.y, and NAME.z or NAME.angle, each named like a joint.
    double orientation[4];      // of the link in the joint's frame; 0: not turned
    double angular_velocity[3]; // relative, in the axes of the turning link [rad/s]
    double lead;        // by how much its target is ahead of the position at the start [rad, m]
    double effort_back; // largest torque or force against the axis [N m, N]; NaN: effort
    double torque;      // that its motor adds until it is told another one, within these [N m, N]
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

// Friction and restitution of a surface. Where two surfaces meet: a value that only one of them
// gives is used; two frictions combine by their rule, two restitutions as the larger. Where neither
// gives one, friction is 0.5 and restitution 0.
typedef struct CondSurfaceDef {
    double friction[2]; // mu along the surface's two tangents; NaN: not given
    double restitution; // 0 .. 1; NaN: not given
} CondSurfaceDef;

// How the frictions of two surfaces combine.
typedef enum CondFrictionRule {
    COND_FRICTION_GEOMETRIC = 0, // the geometric mean, where both surfaces say so
    COND_FRICTION_LARGER = 1,    // the larger one, where either surface says so
} CondFrictionRule;

// What a surface says about its friction on others.
typedef struct CondRubbingDef {
    CondFrictionRule rule; //
    int priority;     // of two surfaces that differ in it the one with more says the friction alone
    int frictionless; // 1: no friction on what is frictionless too, or has less priority
} CondRubbingDef;

// A shape of a link.
typedef struct CondLinkShapeDef {
    CondShapeKind shape;       // sphere, capsule, cylinder, box, convex (its hull counts) or mesh
    double size[3];            // as the shape says [m]
    char mesh[COND_PATH_SIZE]; // of convex and mesh: a file, or a generator
    double scale[3];           // metres per unit of the file, along its axes
    double position[3];        // of the shape's middle, or of the mesh's origin; link axes [m]
    double orientation[4];     //
    CondSurfaceDef surface;    // what is not given is the robot's
    CondRubbingDef rubbing;    // of a surface that gives its friction; else the robot's counts
    uint32_t groups;           // that it is in; 0: those of the link
    uint32_t touches;          // groups that it touches; 0: those of the link
    int visual;                // 1: it is seen and does not touch; the link's other shapes are then
                               // not drawn
    double rgba[4];            // of a visual one: red, green, blue, opacity; NaN: not given
} CondLinkShapeDef;

// A link of a robot, and the joint by which it moves on its parent. Its frame is that of the joint:
// pose = pose of the parent, times position and orientation, times the joint's motion.
typedef struct CondLinkDef {
    char name[COND_NAME_SIZE];
    char parent[COND_NAME_SIZE]; // a link before it; "": the base, which has no joint
    char joint[COND_NAME_SIZE];  // name of the joint; "": the link's own, none if fixed
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
    double spring_rest;         // where that is slack [rad, m]
    char mimic[COND_NAME_SIZE]; // the joint it follows: at multiplier * position + offset; "": none
    double multiplier;          //
    double offset;              // [rad, m]
    double mass;                // [kg]; 0: none, where something that moves beyond it has some
    double center[3];           // of mass, in link axes [m]
    double inertia[6];          // xx, yy, zz, xy, xz, yz about it, link axes [kg m2]
    int n_shape;
    const CondLinkShapeDef* shape; // (n_shape)
    double effort_back;            // largest torque or force against the axis [N m, N]; NaN: effort
    double gravity_compensation;   // share of its weight that does not act on it: 1: it floats
} CondLinkDef;

// Which links of a robot never touch because joints join them.
typedef enum CondNeighbours {
    COND_NEIGHBOURS_ALL = 0, // two links on one joint, and those on either side of a link that has
                             // no shapes and only carries joints
    COND_NEIGHBOURS_MOVING = 1, // two links on one joint where both move
    COND_NEIGHBOURS_NONE = 2,   // none
} CondNeighbours;

// What the collision meshes of a robot touch with.
typedef enum CondCollision {
    COND_COLLISION_MESH = 0, // the mesh as it is; its hull where it is not closed
    COND_COLLISION_HULL = 1, // the convex hull of each mesh
    COND_COLLISION_NONE = 2, // nothing: shapes of the robot do not touch at all
} CondCollision;

typedef enum CondRodShape {
    COND_ROD_STRAIGHT = 0, // along z
    COND_ROD_ARC = 1,      // from z towards x, radius bend_radius
    COND_ROD_HELIX = 2,    // about the line x = bend_radius, y = 0, rising by pitch per turn
    COND_ROD_POINTS = 3,   // the ends of the links, given one by one
} CondRodShape;

typedef enum CondRodRest {
    COND_ROD_REST_SHAPE = 0,   // free of stress as it starts
    COND_ROD_REST_UNIFORM = 1, // free of stress with rest_curvature all along
} CondRodRest;

// Who touches whom, by bits: two things touch where each is in a group that the other touches.
// What says nothing is in the first group and touches all.
#define COND_GROUP_DEFAULT 1u
#define COND_GROUP_ALL 0xffffffffu

// Groups of a robot's link, in place of those of the robot.
typedef struct CondLinkGroups {
    char name[COND_NAME_SIZE]; // as in the URDF
    uint32_t groups;           // that it is in
    uint32_t touches;          // groups that it touches
} CondLinkGroups;

// Centreline and section of a rod. In body axes it begins at the origin; the links' third axis is
// along them, the first two are those of the section, carried along without twist from the body's x
// and y axes and then turned by `twist`.
typedef struct CondRodDef {
    CondRodShape shape;
    int links;                // of points: one fewer than these
    double length;            // [m]; of points: theirs
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
    int inertia_from_shape;     // 1: that of the shape, filled evenly with the mass
    CondShapeKind shape;        // of a rigid body
    double size[3];             // as the shape says; edges of the box [m]
    int n_point;                // contact points of COND_SHAPE_POINTS; of rods: ends of the links
    const double* point;        // in body axes [m], copied by cond_scene_add_body  (n_point x 3)
    double position[3];         // of the centre of mass [m]
    double orientation[4];      // normalised when compiled
    double velocity[3];         // [m/s]
    double angular_velocity[3]; // in world axes [rad/s]
    CondSurfaceDef surface;
    // soft: the mesh is turned by orientation about its own origin and moved by position; rigid, of
    // shape convex or mesh: its surface, whose centre of mass becomes the origin of the body's axes
    char mesh[COND_PATH_SIZE];     // a file, or a generator such as "mat:27,27,2:0.3,0.3,0.01"
    double mesh_scale;             // metres per unit of the file
    char material[COND_NAME_SIZE]; //
    int self_contact;              // 1: the body may touch itself, a robot's links each other
    double thickness;              // soft surfaces touch within this distance [m]
    // robot: position and orientation are those of the base link
    char urdf[COND_PATH_SIZE];
    int floating;              // 1: the base moves freely
    int n_joint;               //
    const CondJointDef* joint; // copied by cond_scene_add_body                      (n_joint)
    double motor_stiffness;    // of joints that do not say [N m/rad, N/m]; 0: no motor
    double motor_damping;      // [N m s/rad, N s/m]
    CondRodDef rod;            // position and orientation are those of its begin
    // robot: which limits of its joints act, 1 or 0. Inverse kinematics keeps them in any case.
    int joint_limits;    // lower and upper
    int velocity_limits; //
    int effort_limits;   // of motors
    int joint_friction;  // dry friction
    double motor_effort; // largest torque or force of motors [N m, N]; NaN: as the file says
    // robot, where no urdf is given: its links, parents first; copied by cond_scene_add_body
    int n_link;
    const CondLinkDef* link; // (n_link)
    uint32_t groups;         // that the body is in, all links of a robot
    uint32_t touches;        // groups that it touches; of a robot also those of its own links
    int n_link_groups;       // robot: links with groups of their own
    const CondLinkGroups* link_groups; // copied by cond_scene_add_body       (n_link_groups)
    char srdf[COND_PATH_SIZE]; // robot: file that says which of its links never touch; "": none
    char package_dirs[COND_DIRS_SIZE]; // robot: folders of packages, with colons between them
    CondCollision collision;           // robot: what its collision meshes are taken as
    int missing_meshes;                // robot, 1: goes on without collision meshes not found
    int rod_closed;            // rod, 1: its end is joined to its begin, as all other links are
    CondRubbingDef rubbing;    //
    CondNeighbours neighbours; // robot: which of its links never touch
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
    double depth;           // the solid reaches so far below the lowest point [m]; NaN: a tenth of
                            // its wider extent
    int n_row, n_column;    // of the heights where they are given as numbers; 0: they are not
    const double* heights;  // the first row is that of the largest y; copied by
                            // cond_scene_add_obstacle                       (n_row x n_column)
    CondRubbingDef rubbing; //
} CondObstacleDef;

// Nodes of a soft body that lie in a box at the start, in world axes.
typedef struct CondPatchDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    char body[COND_NAME_SIZE];
    double low[3], high[3]; // [m]
} CondPatchDef;

// One end of an attachment: a body's point, a robot's link, a patch of a soft body, the world, or a
// frame that moves along a trajectory.
typedef struct CondEndDef {
    char body[COND_NAME_SIZE];       // "" is the world
    char link[COND_NAME_SIZE];       // robots: link name
    char patch[COND_NAME_SIZE];      // soft bodies: patch name
    char trajectory[COND_NAME_SIZE]; // no body: a trajectory without a body of its own
    double point[3];                 // body, link or world axes [m]; patches, trajectories: zero
    double at;                       // rods: distance from the begin, along it [m]; NaN: not given
} CondEndDef;

// Holds two frames together, as they are at the moment it is made or as it is told, by implicit
// spring-dampers.
typedef struct CondAttachmentDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondEndDef end[2];
    int turns;                 // 1: orientation is held too (6 dof), 0: a ball joint (3 dof)
    int contact;               // 1: its two ends may touch where they are not held
    double stiffness;          // [N/m]
    double damping;            // [N s/m]
    double rotation_stiffness; // [N m/rad]
    double rotation_damping;   // [N m s/rad]
    double start, end_time;    // [s]; INFINITY: for ever
    // Of end 0 seen from end 1, in the axes of the latter's body: where it is held, from end 1's
    // point [m], and how it is turned. NaN: as they are when it is made.
    double position[3], orientation[4];
} CondAttachmentDef;

typedef struct CondWaypoint {
    double time;           // [s], ascending
    double position[3];    // of the frame, world axes [m]; NaN: not given; joints: not used
    double orientation[4]; //
    double target;         // joints: where the motor pulls [rad, m]; NaN: not given
    int rest;              // 1: the frame's position comes to rest here
} CondWaypoint;

// What moves as the scene says. With a link: poses that it follows, its robot's motors tracking
// joint targets found by inverse kinematics. With a joint: the targets of its motor. Without a
// body: poses of a frame in space, for attachments to hold on to.
typedef struct CondTrajectoryDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    char body[COND_NAME_SIZE];
    char link[COND_NAME_SIZE];
    char joint[COND_NAME_SIZE];
    double point[3];              // in link axes: the point whose pose is given [m]
    int n_waypoint;               //
    const CondWaypoint* waypoint; // copied by cond_scene_add_trajectory          (n_waypoint)
    // Of links and frames, all from time 0 on and on top of the waypoints, world axes:
    double velocity[3];  // uniform [m/s]
    double spin[3];      // uniform turning about the frame's origin [rad/s]
    double amplitude[3]; // of position, times sin(2 pi frequency time + phase) [m]
    double swing[3];     // of the turn, a rotation vector, times the same sine [rad]
    double frequency;    // [1/s]
    double phase;        // [rad]
} CondTrajectoryDef;

typedef enum CondSensorKind {
    COND_SENSOR_CONTACT = 0, // the contact forces that act on what the sensor is placed on
    COND_SENSOR_JOINT = 1,   // what a link's joint carries: all that acts beyond it
    COND_SENSOR_IMU = 2,     // acceleration less gravity, and angular velocity, of its point
    COND_SENSOR_RANGE = 3,   // distance of what is ahead of its point, along its third axis
} CondSensorKind;

// Reads force and torque in every step. Placed on a body, a robot's link, a patch of a soft body
// (by on, whose point is where the torque is about), or an attachment (by name; on is empty then).
typedef struct CondSensorDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;              // of this struct, by its default function
    CondSensorKind kind;             // of an attachment: plays no part
    CondEndDef on;                   // point: in the axes of body, link or patch; from its origin
    char attachment[COND_NAME_SIZE]; // "": none
    char against[COND_NAME_SIZE];    // contact: only the forces from this body; "": from all
    double orientation[4];           // axes of the sensor in those of what it is placed on
    int world_axes;                  // 1: force and torque are told in world axes all the same
    double range;                    // range: how far it sees [m]
} CondSensorDef;

typedef enum CondScale {
    COND_SCALE_LINEAR = 0, // every value between the bounds is as likely
    COND_SCALE_LOG = 1,    // every logarithm is
} CondScale;

// A value of the scene file that differs from trial to trial: a seed draws it.
typedef struct CondVariationDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;        // of this struct, by its default function
    char path[COND_PATH_SIZE]; // as in an override; paths with commas between them get one value
    double low, high;          // in the unit of that value
    CondScale scale;           //
    int observe;               // 1: the drawn value is part of the observation
    int n_choice;              // above 0: the value is one of these, each as likely, in place of
    double choice[16];         // low and high                                        (n_choice)
} CondVariationDef;

// What an environment (cond/env.h) is told at every step. A robot that is led so does not follow
// the scene's trajectories there.
typedef enum CondActionKind {
    COND_ACTION_JOINTS = 0,     // targets of a robot's joints
    COND_ACTION_POSE = 1,       // pose of a robot's link, by inverse kinematics
    COND_ACTION_ANCHOR = 2,     // pose at which an attachment holds its first end in the world
    COND_ACTION_VELOCITIES = 3, // speeds of a robot's joints: their targets move so fast
    COND_ACTION_TORQUES = 4,    // torques and forces of a robot's joints, besides their motors'
    COND_ACTION_IMPEDANCE = 5,  // pose that a robot's link is drawn to by torques of the joints
    COND_ACTION_PICK = 6,       // a place in the world that takes and lets go what is near
    COND_ACTION_GRIP = 7,       // a point of a robot's link that does
} CondActionKind;

typedef enum CondActionMode {
    COND_ACTION_INCREMENT = 0, // changes of what was told before
    COND_ACTION_ABSOLUTE = 1,  // the targets themselves
} CondActionMode;

typedef struct CondActionDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondActionKind kind;
    CondActionMode mode;
    char body[COND_NAME_SIZE];       // joints and pose: the robot
    char link[COND_NAME_SIZE];       // pose
    double point[3];                 // pose: in link axes [m]
    char attachment[COND_NAME_SIZE]; // anchor: one that ends in the world
    int turns;                       // pose and anchor: 1: orientation as well
    double linear;                   // largest increment of a position or a sliding joint [m]
    double angular;                  // largest increment of an angle [rad]
    // velocities: linear and angular are the largest speeds [m/s, rad/s]
    char joints[COND_PATH_SIZE]; // joints, velocities, torques: names with commas between; "": all
    double low[3], high[3];      // pose, anchor, impedance, pick: box that places are cut to, world
                                 // axes [m]; NaN: none
    double effort;               // torques: largest [N m, N]; INFINITY: the motor's own limit
    int compensate;              // torques, impedance: 1: the weight of the robot is added
    double stiffness;            // impedance, pick, grip: of the place [N/m]
    double damping;              // [N s/m]
    double rotation_stiffness;   // impedance, grip: of the orientation [N m/rad]
    double rotation_damping;     // [N m s/rad]
    char takes[COND_NAME_SIZE];  // pick, grip: the body that is taken; "": any but robots
    double reach;                // pick, grip: nothing farther away is taken [m]
} CondActionDef;

// What an environment observes besides environment.observe.
typedef enum CondObservationKind {
    COND_OBSERVE_POINT = 0,  // where a point is [m]
    COND_OBSERVE_POINTS = 1, // points along a rod, or of the surface or a patch of a soft body [m]
    COND_OBSERVE_VECTOR = 2, // from one point to another [m]
    COND_OBSERVE_DISTANCE = 3, // of two points [m]
    COND_OBSERVE_ACTION = 4,   // the last action, as it was told
} CondObservationKind;

typedef struct CondObservationDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondObservationKind kind;
    CondEndDef at; // the point; of a rod without at, a soft body without patch: its centre of mass
    CondEndDef to; // vector, distance: the other one; without a body its point is in the world
    int count;     // points: how many, evenly spread
} CondObservationDef;

typedef enum CondRewardKind {
    COND_REWARD_DISTANCE = 0, // of a point from the goal [m]
    COND_REWARD_HEIGHT = 1,   // of a point above where it was at the start, against gravity [m]
    COND_REWARD_FORCE = 2,    // norm of the contact force on a body [N]
    COND_REWARD_WINDING = 3,  // angle by which a rod goes round an axis, from its begin [rad]
    COND_REWARD_CURVE = 4,    // mean distance of a rod's links from a curve of two arcs [m]
    COND_REWARD_ACTION = 5,   // sum of the squares of the action's values, each over its bound
    COND_REWARD_HOLDS = 6,    // how many of the environment's picks and grips hold something
} CondRewardKind;

// One term of an environment's reward: weight times a value, which may also end the episode.
typedef struct CondRewardDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondRewardKind kind;
    CondEndDef at;     // the body, and the point of it
    double goal[3];    // distance; winding: a point of the axis; curve: its middle; world axes [m]
    double axis[3];    // winding: its direction, of any length; curve: the normal of its plane
    double weight;     // per unit of the value
    double done_below; // the episode ends where the value is below [m, N, rad]; NaN: never
    double done_above; // or above
    double target;     // winding: the value is how far the angle is from this [rad]; NaN: the angle
    double heading;    // curve: its direction in the middle, about axis, from x [rad]
    double curvature[2];  // curve: of its first and its second half [1/m]
    CondEndDef to;        // distance: the point that takes the place of goal; no body: none
    double scale;         // above 0: weight times 1 - tanh(value / scale) is rewarded
    double success_below; // bounds of the value for success, in its unit; NaN: none
    double success_above;
    int desired; // 1: distance and winding with a target: part of the environment's goal
} CondRewardDef;

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

// Two things that never touch: bodies, links of robots ("body/link"), obstacles or planes. Or two
// whose shapes touch whatever their groups say, with a surface of their own.
typedef struct CondExcludeDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    char thing[2][2 * COND_NAME_SIZE];
    int touches;            // 1: they touch
    CondSurfaceDef surface; // of two that touch; what is not given is as their surfaces say
} CondExcludeDef;

// Constant force at a point of a body during a span of time.
typedef struct CondForceDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    char body[COND_NAME_SIZE];
    double force[3];  // world axes [N]
    double torque[3]; // world axes [N m], rigid bodies and rods
    double point[3];  // body axes [m]; of rods: link axes
    double at;        // rods: distance from the begin, along it [m]; NaN: not given
    double start;     // [s]; of a step that it acts in a part of it acts with its mean
    double end;       // [s]; INFINITY: for ever
    // Soft bodies: the patch over whose surface the force is spread, or that the pressure acts on;
    // "": of pressure the whole surface.
    char patch[COND_NAME_SIZE];
    double pressure; // against the surface, along its normals as they are then [Pa]
} CondForceDef;

// Spring-damper of length l, of potential k/2 (l - rest)^2: between two points it is their
// distance, between joints of robots the sum of ratio times position.
typedef struct CondSpringDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;            // of this struct, by its default function
    char body[2][COND_NAME_SIZE];  // "" is the world
    double point[2][3];            // body axes, or world axes for "" [m]; of rods: link axes
    double at[2];                  // rods: distance from the begin, along it [m]; NaN: not given
    double stiffness;              // [N/m]; of joints [N m/rad, N/m]
    double damping;                // along the spring [N s/m]; of joints [N m s/rad, N s/m]
    double rest_length;            // [m]; of joints [rad, m]; NaN: its length at the start
    char joint[2][COND_NAME_SIZE]; // of the robot that body names; "": the end is a point
    double ratio[2];               // length per position of the joint
} CondSpringDef;

typedef enum CondIntegrator {
    COND_INTEGRATOR_AUTO = 0,        // for each group of coupled bodies what its motion needs
    COND_INTEGRATOR_THETA = 1,       // one linear problem a step, theta from 1/2 to 1
    COND_INTEGRATOR_EULER = 2,       // implicit Euler, non-linear, by Newton's method
    COND_INTEGRATOR_MIDPOINT = 3,    // implicit midpoint, non-linear
    COND_INTEGRATOR_VARIATIONAL = 4, // discrete Euler-Lagrange equations with midpoint quadrature
} CondIntegrator;

typedef enum CondStepMethod {
    COND_STEP_VELOCITY = 0, // A v = b + Jc' lambda by a velocity solver
    COND_STEP_PENALTY = 1,  // baseline: explicit spring-damper contact
    COND_STEP_PBD = 2,      // baseline: extended position-based dynamics with small substeps
} CondStepMethod;

// Which law velocities obey where contacts close.
typedef enum CondImpactLaw {
    COND_IMPACT_OFF = 0,          // none: the velocity is the step's own
    COND_IMPACT_SEQUENTIAL = 1,   // one impact after the other, the fastest approach first
    COND_IMPACT_SIMULTANEOUS = 2, // Newton's restitution at all closed contacts, once
} CondImpactLaw;

// Of the scene as an environment: how long an episode is, and what is observed.
typedef struct CondEnvironmentSettings {
    int steps;                 // actions after which an episode is cut off
    int substeps;              // time steps per action
    int observe_time;          // 1: part of the observation
    int observe_poses;         // poses and velocities of bodies, positions and rates of joints
    int observe_goals;         // what the actions have led to: targets of joints, poses
    int observe_wrenches;      // of the attachments and sensors
    int observe_contacts;      // their number, the force on every body, the penetration
    int observe_certificate;   // worst of the action's time steps
    int observe_configuration; // q and v of everything
    int success_steps;         // actions in a row after which success bounds that hold are success
    int success_ends;          // 1: success ends the episode
} CondEnvironmentSettings;

typedef struct CondSceneSettings {
    char name[COND_NAME_SIZE];
    size_t struct_size;        // of this struct, by its default function
    double gravity[3];         // [m/s2]
    CondStepMethod method;     //
    double time_step;          // [s]
    double theta;              // 1/2 midpoint (paper) .. 1 implicit Euler; NaN: not given
    CondIntegrator integrator; // what is solved in a step; auto with theta given is theta
    int mass_root;             // 1: robots step in the coordinates M^(1/2) v, which keeps energy
    double newton_tolerance;   // of the non-linear integrators: |change of v| [m/s]
    int newton_iterations;     // at most
    int substeps;              // parts that a step may be made in where its solve misses; 1: none
    int sleeping;              // 1: islands of bodies at rest are left out of the steps
    int rounds;              // times that a step may be solved again with contacts found at its end
    double duration;         // what `cond run` runs [s]
    double kv;               // gain of virtual nodes [N s/m]; INFINITY (default): no slip
    double friction_scale;   // every coefficient of friction is multiplied by it
    int gap;                 // 1: phi = gap / t; 0: phi = 0 (the paper's box)
    CondImpactLaw impact;    // impacts and restitution as velocity problems of their own
    int position_correction; // 1: penetration is removed by a position step that leaves v alone
    double correction_rate;  // at most so many sizes of a body a second; INFINITY: at once [1/s]
    double penetration_limit; // deepest that a step may leave two things [m]; NaN: a share of them
    double margin;            // contacts are made below this gap [m]; NaN: from speed and step
    double penalty_stiffness; // baseline, per contact point [N/m]
    double penalty_damping;   // [N s/m]
    double penalty_friction;  // tangential viscosity, capped at mu f_n [N s/m]
    int pbd_substeps;         // baseline: substeps of a step, each with one iteration
    CondSolverSettings solver;
    CondEnvironmentSettings environment;
} CondSceneSettings;

// As scene files call them; NULL past the last.
COND_API const char* cond_body_kind_name(CondBodyKind kind);
COND_API const char* cond_integrator_name(CondIntegrator integrator);
COND_API const char* cond_impact_name(CondImpactLaw law);

COND_DEFAULT(COND_API, CondBodyDef, cond_body_def_default)
COND_DEFAULT(COND_API, CondJointDef, cond_joint_def_default)
// A link that is fixed to its parent and has no mass; a shape that is none yet.
COND_DEFAULT(COND_API, CondLinkDef, cond_link_def_default)
COND_DEFAULT(COND_API, CondLinkShapeDef, cond_link_shape_def_default)
// Parts of the definitions above, which their defaults hold already; for those that are made alone:
// a surface that says nothing, a straight rod, an end in the world that gives no place along a rod,
// a waypoint that gives neither position nor target and is not turned, groups that touch all, an
// environment as scenes without that section have it.
COND_DEFAULT(COND_API, CondSurfaceDef, cond_surface_def_default)
COND_DEFAULT(COND_API, CondRubbingDef, cond_rubbing_def_default)
COND_DEFAULT(COND_API, CondRodDef, cond_rod_def_default)
COND_DEFAULT(COND_API, CondEndDef, cond_end_def_default)
COND_DEFAULT(COND_API, CondWaypoint, cond_waypoint_default)
COND_DEFAULT(COND_API, CondLinkGroups, cond_link_groups_default)
COND_DEFAULT(COND_API, CondEnvironmentSettings, cond_environment_settings_default)
COND_DEFAULT(COND_API, CondPlaneDef, cond_plane_def_default)
COND_DEFAULT(COND_API, CondForceDef, cond_force_def_default)
COND_DEFAULT(COND_API, CondSpringDef, cond_spring_def_default)
COND_DEFAULT(COND_API, CondMaterialDef, cond_material_def_default)
COND_DEFAULT(COND_API, CondObstacleDef, cond_obstacle_def_default)
COND_DEFAULT(COND_API, CondPatchDef, cond_patch_def_default)
COND_DEFAULT(COND_API, CondAttachmentDef, cond_attachment_def_default)
COND_DEFAULT(COND_API, CondTrajectoryDef, cond_trajectory_def_default)
COND_DEFAULT(COND_API, CondSensorDef, cond_sensor_def_default)
COND_DEFAULT(COND_API, CondVariationDef, cond_variation_def_default)
COND_DEFAULT(COND_API, CondActionDef, cond_action_def_default)
COND_DEFAULT(COND_API, CondRewardDef, cond_reward_def_default)
COND_DEFAULT(COND_API, CondObservationDef, cond_observation_def_default)
COND_DEFAULT(COND_API, CondExcludeDef, cond_exclude_def_default)
COND_DEFAULT(COND_API, CondSceneSettings, cond_scene_settings_default)

typedef struct CondScene CondScene;

COND_API CondStatus cond_scene_create(const CondContext* context, CondScene** scene,
                                      CondError* error);
COND_API void cond_scene_destroy(CondScene* scene);

// Who reads the files that definitions name, meshes and robots, when the scene is compiled. A scene
// made by calls has nobody until it is told: cond_scene_set_files(scene, cond_scene_files()) with
// the readers of libcond_io. Scenes that were read from a file have them already.
typedef struct CondSceneFiles CondSceneFiles;
COND_API void cond_scene_set_files(CondScene* scene, const CondSceneFiles* files);
COND_IO_API const CondSceneFiles* cond_scene_files(void);

// Settings may be read and changed at any time before compiling.
COND_API CondSceneSettings* cond_scene_settings(CondScene* scene);

// Definitions are copied and checked. Names are unique within their kind; "" gets a number.
COND_API CondStatus cond_scene_add_body(CondScene* scene, const CondBodyDef* def, CondError* error);
COND_API CondStatus cond_scene_add_plane(CondScene* scene, const CondPlaneDef* def,
                                         CondError* error);
COND_API CondStatus cond_scene_add_force(CondScene* scene, const CondForceDef* def,
                                         CondError* error);
COND_API CondStatus cond_scene_add_spring(CondScene* scene, const CondSpringDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_material(CondScene* scene, const CondMaterialDef* def,
                                            CondError* error);
COND_API CondStatus cond_scene_add_obstacle(CondScene* scene, const CondObstacleDef* def,
                                            CondError* error);
COND_API CondStatus cond_scene_add_patch(CondScene* scene, const CondPatchDef* def,
                                         CondError* error);
COND_API CondStatus cond_scene_add_attachment(CondScene* scene, const CondAttachmentDef* def,
                                              CondError* error);
COND_API CondStatus cond_scene_add_trajectory(CondScene* scene, const CondTrajectoryDef* def,
                                              CondError* error);
COND_API CondStatus cond_scene_add_sensor(CondScene* scene, const CondSensorDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_variation(CondScene* scene, const CondVariationDef* def,
                                             CondError* error);
COND_API CondStatus cond_scene_add_action(CondScene* scene, const CondActionDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_reward(CondScene* scene, const CondRewardDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_observation(CondScene* scene, const CondObservationDef* def,
                                               CondError* error);
COND_API CondStatus cond_scene_add_exclude(CondScene* scene, const CondExcludeDef* def,
                                           CondError* error);

// A mesh that stands in the scene itself, copied: bodies, obstacles and links name it in place of a
// file. Tetrahedra of negative volume are turned round, and their surface is made anew; without
// tetrahedra the triangles count. The name is unique, and has no '/', '.' or ':'. With a body whose
// mesh it is called, as rigid bodies of shape mesh or convex and soft bodies are, it may come
// before or after that body.
COND_API CondStatus cond_scene_add_mesh(CondScene* scene, const char* name, const CondMesh* mesh,
                                        CondError* error);

// Reads a YAML scene, or an MJCF file, which is known by its first letter, as docs/mjcf.md tells;
// an override keyframe=NAME of the latter says where it starts. Each override is "path=value",
// applied to the file before it is understood. Unknown keys and impossible values are refused with
// file, line and key.
COND_IO_API CondStatus cond_scene_read(const CondContext* context, const char* path, int n_override,
                                       const char* const* override, CondScene** scene,
                                       CondError* error);
// The same of YAML text in memory. Relative paths in it begin in the folder; NULL: in the working
// directory. Messages call it "text".
COND_IO_API CondStatus cond_scene_read_text(const CondContext* context, const char* text,
                                            const char* folder, int n_override,
                                            const char* const* override, CondScene** scene,
                                            CondError* error);

// Writes a scene as a YAML file that is read as the same: every value that differs from its
// default, numbers to the last bit, paths from the folder of that file.
COND_IO_API CondStatus cond_scene_write(const CondScene* scene, const char* path, CondError* error);
// The same as text in memory, which ends in a zero byte; relative paths stay as they are. Writes
// into buffer, of `capacity` bytes, and says in *size how many it needs; with NULL it only says so.
COND_IO_API CondStatus cond_scene_save(const CondScene* scene, char* buffer, size_t capacity,
                                       size_t* size, CondError* error);

// cond_scene_read with the values of its section `randomise` drawn by a seed, as if they had been
// given as overrides after the others. Seed and file decide alone: equal seeds give equal scenes.
COND_IO_API CondStatus cond_scene_read_drawn(const CondContext* context, const char* path,
                                             int n_override, const char* const* override,
                                             uint64_t seed, CondScene** scene, CondError* error);
COND_IO_API int cond_scene_n_variation(const CondScene* scene);
// NULL where there is none.
COND_IO_API const CondVariationDef* cond_scene_variation(const CondScene* scene, int variation);
// The value that a seed draws: number `variation` (from 0) of SplitMix64 started with the seed, its
// upper 53 bits as a fraction of the range; NaN where there is no such variation.
COND_IO_API double cond_scene_draw(const CondScene* scene, int variation, uint64_t seed);

// The keys a scene file may hold, row by row, made from the tables that read it; 0 past the end.
typedef struct CondSceneKey {
    const char* section; // "" for the top level
    const char* key;
    const char* type;    // "number", "vector of 3", "one of strict, proximal", ...
    const char* unit;    // "" where there is none
    const char* initial; // the default, as text; "required" where there is none
    const char* meaning;
} CondSceneKey;
COND_API int cond_scene_key(int index, CondSceneKey* key);

#ifdef __cplusplus
}
#endif
#endif
