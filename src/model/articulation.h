// An articulated body in generalized coordinates: a tree of links on a fixed or a floating base.
//
// Velocity coordinates v (n_dof): for a floating base the velocity of the origin of link 0 in world
// axes and its angular velocity in BASE axes; then three per ball, the relative angular velocity in
// the axes of the turning link; then one rate per joint coordinate. Configuration q (n_q): for a
// floating base position (3) and orientation (w, x, y, z); then one orientation (w, x, y, z)
// relative to the joint's frame per ball; then one position per joint coordinate. A ball is the
// rotation of a spherical or floating joint. A mimic joint has no coordinate: its position is
// multiplier * (that of the other joint) + offset.
//
// A link's frame is its joint's frame: pose = pose of parent * origin * slides * turn. The model is
// built link by link, parents first, and finished. From then on it never changes, and threads may
// share it, each with its own workspace.
#ifndef COND_MODEL_ARTICULATION_H
#define COND_MODEL_ARTICULATION_H

#include "base/arena.h"
#include "base/error.h"
#include "cond/context.h"
#include "cond/scene.h"
#include "cond/status.h"

typedef enum CondLinkJointKind {
    COND_LINK_FIXED = 0,
    COND_LINK_REVOLUTE = 1,
    COND_LINK_CONTINUOUS = 2, // revolute without position limits
    COND_LINK_PRISMATIC = 3,
    COND_LINK_SPHERICAL = 4, // any turn about the joint's origin
    COND_LINK_PLANAR = 5,    // two slides across the axis, then a turn about it
    COND_LINK_FLOATING = 6,  // slides along the axes of the joint's frame, then any turn
} CondLinkJointKind;

typedef struct CondLink {
    char name[COND_NAME_SIZE];
    // The joint to the parent. Link 0 has none; of these fields it uses only damping, friction and
    // armature, for a floating base.
    char joint[COND_NAME_SIZE];
    int parent; // -1 for link 0
    CondLinkJointKind kind;
    double position[3];    // joint frame in the parent's axes, at joint position 0 [m]
    double orientation[4]; //
    double axis[3];        // unit vector in the joint frame; planar: the normal of the plane
    double lower, upper;   // [rad, m]; -INFINITY, INFINITY: none
    double velocity;       // largest speed [rad/s, m/s]; INFINITY: none
    double effort;         // largest torque or force [N m, N]; INFINITY: none
    double effort_back;    // the same against the axis
    double damping;        // [N m s/rad, N s/m]
    double friction;       // dry: the largest torque or force [N m, N]
    double armature;       // inertia of its rotor, as the joint feels it [kg m2, kg]
    double stiffness;      // of a spring in the joint [N m/rad, N/m]
    double spring_rest;    // rest position of that spring [rad, m]
    int mimic;             // the link whose joint this one follows, of any index; -1: none
    double multiplier;     //
    double offset;         // [rad, m]
    // Inertia; mass 0 means that the link carries none.
    int carried;       // 1: it may move without mass if a moving link beyond it has mass
    double borne;      // fraction of its weight that is compensated (gravity compensation); 1: all
    double mass;       // [kg]
    double com[3];     // link axes [m]
    double inertia[9]; // about the centre of mass, link axes [kg m2]
    // Set by add_link: the motion of the joint.
    int n_slide;     // slides, one coordinate each
    int n_turn;      // 1: about the axis, by a coordinate; 3: by a ball; 0: not at all
    double along[9]; // unit vectors of the slides in the joint frame    (n_slide x 3)
    // Set by finish: joint position = scale q[coordinate] + shift.
    int coordinate; // the first of its joint coordinates; -1: it has none
    double scale, shift;
    int ball;   // -1: it has none
    int column; // the first of its n_slide + n_turn columns of motion
    int part;   // the first link of its rigid group (links joined by fixed joints): itself if its
                // joint moves
    double part_mass; // of the whole rigid group, stored at its first link [kg]
} CondLink;

typedef enum CondLinkShapeKind {
    COND_LINK_SPHERE = 0,   // size: radius
    COND_LINK_CAPSULE = 1,  // size: radius, distance between the two centres, along z
    COND_LINK_BOX = 2,      // size: full edges along x, y, z
    COND_LINK_CYLINDER = 3, // size: radius, length along z
    COND_LINK_MESH = 4,     // size: scale along x, y, z; file
} CondLinkShapeKind;

typedef struct CondLinkShape {
    int link;
    CondLinkShapeKind kind;
    double position[3];              // centre in link axes [m]
    double orientation[4];           //
    double size[3];                  // as the kind says [m]
    char* file;                      // of a mesh; copied by add_shape, owned by the articulation
    int convex;                      // of a mesh: 1: use its convex hull
    int missing;                     // 1: the reader did not find that file
    struct CondMeshSurface* surface; // compiled from it, owned by the model; NULL: none
    float colour[4];          // of a visual shape: red, green, blue, opacity; negative: not given
    CondSurfaceDef skin;      // values that are not given are the robot's
    CondRubbingDef rubbing;   // used if friction is given
    uint32_t groups, touches; // 0: those of the link
} CondLinkShape;

// One coordinate of a joint, with the limits that remain with the joints that mimic it.
typedef struct CondJointCoordinate {
    char name[COND_NAME_SIZE +
              8];        // the joint's; of planar and floating ones with .x, .y, .z, .angle
    int link;            // the link whose joint it is
    int slides;          // 1: [m], 0: [rad]
    double lower, upper; // range in which this joint and all that mimic it are within their limits
                         // [rad, m]
    double velocity;     // [rad/s, m/s]
    double effort;       // of the joint itself: mimic joints have no motor [N m, N]
    double effort_back;  // against the axis [N m, N]
    double damping;      // sum of multiplier^2 damping [N m s/rad, N s/m]
    double friction;     // sum of |multiplier| friction [N m, N]
    double armature;     // sum of multiplier^2 armature [kg m2, kg]
    double stiffness;    // sum of multiplier^2 stiffness [N m/rad, N/m]
    double spring_rest;  // rest position of the springs together [rad, m]
} CondJointCoordinate;

typedef struct CondArticulation {
    CondArena arena;
    char name[COND_NAME_SIZE];
    int floating;               // 1: link 0 moves freely
    double base_position[3];    // of link 0: fixed, or at the start [m]
    double base_orientation[4]; //
    int n_link, n_shape, n_warning;
    CondLink* link;                     // parents before children            (n_link)
    CondLinkShape* shape;               // collision shapes                          (n_shape)
    int n_visual;                       //
    CondLinkShape* visual;              // visual shapes                            (n_visual)
    char (*warning)[COND_WARNING_SIZE]; // omissions of a reader                   (n_warning)
    int n_joint;                        // joint coordinates, by finish
    int n_ball;                         // by finish
    int n_column;                       // columns of motion of all links, by finish
    int n_dof;                          // (floating ? 6 : 0) + 3 n_ball + n_joint
    int n_q;                            // (floating ? 7 : 0) + 4 n_ball + n_joint
    CondJointCoordinate* coordinate;    // by finish                          (n_joint)
    int* ball;                          // the link of each, by finish (n_ball)
    int* column_dof;                    // the entry of v for each column, by finish (n_column)
    double* damping;                    // viscous, by finish                 (n_dof)
    double* friction;                   // dry, of base and balls, by finish  (n_dof - n_joint)
    double* armature;                   // inertia of rotors, by finish       (n_dof)
    int n_disabled;                     // pairs of links that never touch, from another file
    int (*disabled)[2];                 //                                    (n_disabled)
    int fault;                          // the faulty link if finish failed; -1: none
    int shaped;                         // 1: the surfaces of its shapes are compiled
} CondArticulation;

// Poses and scratch of one thread. Everything is in world axes; moments and spatial quantities
// (angular, linear) refer to the present position of the origin of link 0, so that a body far from
// the world's origin loses no digits.
typedef struct CondArticulationWork {
    CondContext context;
    double* memory;       // one block that holds all arrays below
    double* position;     // origin of each link, by kinematics          (n_link x 3)
    double* orientation;  // by kinematics                               (n_link x 4)
    double* rotation;     // world = R link, by kinematics               (n_link x 9)
    double* motion;       // S: spatial velocity per unit of dof's rate  (n_column x 6)
    double* inertia;      // m, m c, I about the reference (6 numbers)   (n_link x 10)
    double* composite;    // the same for the whole subtree, by mass             (n_link x 10)
    double* velocity;     // by bias, energy, momentum                   (n_link x 6)
    double* acceleration; // by bias                                    (n_link x 6)
    double* force;        // by mass and bias                           (n_link x 6)
    double* moved;        // 1: by kinematics_of                         (n_link)
} CondArticulationWork;

// Building. On failure every function leaves the articulation unchanged.
CondStatus cond_articulation_create(const CondContext* context, CondArticulation** articulation,
                                    CondError* error);
void cond_articulation_destroy(CondArticulation* articulation);
// A fixed joint without offset, no limits, no inertia, no mimic.
CondLink cond_link_default(void);
// A unit pose and size 0.
CondLinkShape cond_link_shape_default(void);
// 1 for a finite position and a unit quaternion.
int cond_link_is_pose(const double position[3], const double orientation[4]);
// The checks of cond_articulation_add_link: finite numbers, axis, limits; mass and inertia
// (positive definite, principal moments that obey the triangle inequality).
CondStatus cond_link_check_joint(const CondLink* link, CondError* error);
CondStatus cond_link_check_inertia(const CondLink* link, CondError* error);
// Copies the link; its number is n_link before the call. The axis is normalised.
CondStatus cond_articulation_add_link(CondArticulation* articulation, const CondLink* link,
                                      CondError* error);
CondStatus cond_articulation_add_shape(CondArticulation* articulation, const CondLinkShape* shape,
                                       CondError* error);
// The same for a visual shape.
CondStatus cond_articulation_add_visual(CondArticulation* articulation, const CondLinkShape* shape,
                                        CondError* error);
// Stores a warning (printf format), truncated if it is too long.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
CondStatus
cond_articulation_warn(CondArticulation* articulation, const char* format, ...);
// Stores a pair of links that never touch.
CondStatus cond_articulation_disable(CondArticulation* articulation, int a, int b);
// Resolves mimic joints, numbers the coordinates and checks that the mass matrix will be positive
// definite: every rigid group that moves on its own has mass.
CondStatus cond_articulation_finish(CondArticulation* articulation, CondError* error);

// Recomputes the masses of the rigid groups after those of links have changed; finish calls it.
// COND_BAD_ARGUMENT if a moving group has no mass.
CondStatus cond_articulation_weigh(CondArticulation* articulation, CondError* error);

// For a finished articulation with links that move without mass (carried): COND_BAD_INPUT if M is
// singular.
CondStatus cond_articulation_check_mass(const CondArticulation* articulation, CondError* error);

// The number of a link by its name, or by the name of its joint; -1: there is none.
int cond_articulation_find_link(const CondArticulation* articulation, const char* name);
int cond_articulation_find_joint(const CondArticulation* articulation, const char* name);
// The number of a joint coordinate by its name; -1: there is none.
int cond_articulation_find_coordinate(const CondArticulation* articulation, const char* name);
// One past the last of a link's columns of motion.
static inline int cond_articulation_column_end(const CondLink* link)
{
    return link->column + link->n_slide + link->n_turn;
}
// Index of the first ball in v and in q.
static inline int cond_articulation_ball_v(const CondArticulation* a)
{
    return a->floating ? 6 : 0;
}
static inline int cond_articulation_ball_q(const CondArticulation* a)
{
    return a->floating ? 7 : 0;
}

// The rotation of a ball from its reference, as a rotation vector.
void cond_articulation_ball_turn(const CondArticulation* articulation, const double* q, int ball,
                                 double w[3]);

// q at the base pose with every joint at zero, or at the limit nearest to zero.   q (n_q)
void cond_articulation_rest(const CondArticulation* articulation, double* q);
// q <- update(q, v, t): the exponential map for base and balls, a straight line for the joints.
void cond_articulation_advance(const CondArticulation* articulation, const double* v, double t,
                               double* q);

CondStatus cond_articulation_work_create(const CondContext* context,
                                         const CondArticulation* articulation,
                                         CondArticulationWork** work, CondError* error);
void cond_articulation_work_destroy(CondArticulationWork* work);

// Poses of all links at q. Everything below needs this first and none of it allocates.
void cond_articulation_kinematics(const CondArticulation* articulation, const double* q,
                                  CondArticulationWork* work);
// The same for the links that one velocity coordinate moves, at a configuration that differs from
// the present one only in that coordinate. put_back restores them from a workspace that has the
// present one.
void cond_articulation_kinematics_of(const CondArticulation* a, const double* q, int dof,
                                     CondArticulationWork* work);
void cond_articulation_put_back(const CondArticulation* a, const CondArticulationWork* from,
                                CondArticulationWork* work);
// Copies the results of kinematics to another workspace of the same articulation.
void cond_articulation_copy_kinematics(const CondArticulation* a, const CondArticulationWork* from,
                                       CondArticulationWork* to);

// World position of a point of a link, and J of its velocity. world or J may be NULL.
//                                                                     J (3 x n_dof), row-major
void cond_articulation_point(const CondArticulation* articulation, const CondArticulationWork* work,
                             int link, const double local[3], double world[3], double* J);
// set_velocity computes the velocities of all links from v. motion then returns that of one link,
// until a function below overwrites the velocities: a point of it has the velocity origin + turn
// local, in world axes.
void cond_articulation_set_velocity(const CondArticulation* articulation,
                                    CondArticulationWork* work, const double* v);
void cond_articulation_motion(const CondArticulationWork* work, int link, double origin[3],
                              double turn[9]);
// J of a point's velocity (rows 0..2) and of the link's angular velocity in world axes (3..5).
//                                                                     J (6 x n_dof), row-major
void cond_articulation_frame_jacobian(const CondArticulation* articulation,
                                      const CondArticulationWork* work, int link,
                                      const double local[3], double* J);

// M by composite rigid bodies, full and symmetric.                    M (n_dof x n_dof)
void cond_articulation_mass(const CondArticulation* articulation, CondArticulationWork* work,
                            double* M);
// f = -(C v + g) by recursive Newton-Euler, such that M dv/dt = f + tau. Joint damping is not in it
// (CondArticulation.damping).                                         v, f (n_dof)
void cond_articulation_bias(const CondArticulation* articulation, CondArticulationWork* work,
                            const double* v, const double gravity[3], double* f);
// External forces on links: load (n_link x 6) holds a spatial force per link. push adds a force and
// a torque (NULL: none) at a world point to the load of one link. project adds the generalized
// force of load to f (n_dof). transmit replaces load by the wrench that each link and all beyond it
// exert on the parent through the joint, from load, weight and inertia, with dv/dt = acceleration
// (n_dof); for link 0 it is the wrench of the whole robot on its support.
void cond_articulation_push(const CondArticulationWork* work, const double at[3],
                            const double force[3], const double torque[3], double load[6]);
void cond_articulation_project(const CondArticulation* articulation, CondArticulationWork* work,
                               const double* load, double* f);
void cond_articulation_transmit(const CondArticulation* articulation, CondArticulationWork* work,
                                const double* v, const double* acceleration,
                                const double gravity[3], double* load);
// Acceleration of a point of a link and of its axes, world axes, with dv/dt = rate.  v, rate
// (n_dof)
void cond_articulation_acceleration(const CondArticulation* articulation,
                                    CondArticulationWork* work, const double* v, const double* rate,
                                    int link, const double local[3], double linear[3],
                                    double angular[3]);
// Kinetic energy and the potential energy of gravity -sum m g.c [J]; either may be NULL.
void cond_articulation_energy(const CondArticulation* articulation, CondArticulationWork* work,
                              const double* v, const double gravity[3], double* kinetic,
                              double* potential);
// Linear momentum (0..2) [N s] and angular momentum about a point of the world (3..5) [N m s].
void cond_articulation_momentum(const CondArticulation* articulation, CondArticulationWork* work,
                                const double* v, const double about[3], double momentum[6]);
// Mass of a link and its centre in world axes; for mass 0 the origin of link 0.
double cond_articulation_link_centre(const CondArticulationWork* work, int link, double centre[3]);
// Momentum of each link (0..2) [N s] and its angular momentum about its centre of mass (3..5)
// [N m s].                                                            momenta (n_link x 6)
void cond_articulation_momenta(const CondArticulation* articulation, CondArticulationWork* work,
                               const double* v, double* momenta);
// Centre of mass in world axes; returns the total mass [kg].
double cond_articulation_center(const CondArticulation* articulation,
                                const CondArticulationWork* work, double center[3]);

// Inverse kinematics: joint motion that takes a frame of a link to a target. A floating base and
// balls, which have no motors, do not move.
typedef struct CondIkFrame {
    int link;
    double position[3];    // in link axes [m]
    double orientation[4]; //
} CondIkFrame;

typedef struct CondIkTarget {
    double position[3];    // world [m]
    double orientation[4]; //
    double velocity[3];    // feed-forward: velocity of the target, world [m/s]
    double angular[3];     // and its angular velocity, world axes [rad/s]
} CondIkTarget;

typedef struct CondIkSettings {
    double gain;        // error fed back [1/s]; at most, and by default (INFINITY), 1 / dt
    double damping;     // of the least squares, in the unit of the scaled Jacobian [m]
    double length;      // length that a radian of error counts as [m]
    double speed;       // limit of the commanded velocity [m/s]
    double turn;        // limit of the commanded angular velocity [rad/s]
    double rest_gain;   // pull to the rest kinematics inside the null space [1/s]
    const double* rest; // NULL: no pull                                     (n_joint)
} CondIkSettings;

typedef struct CondIkInfo {
    double position_error; // after the step, to the target at that time [m]
    double angle_error;    // [rad]
    int n_limited;         // joints held by a position or velocity limit
} CondIkInfo;

typedef struct CondIk CondIk; // workspace of one thread

CondIkSettings cond_ik_settings_default(void);
CondStatus cond_ik_create(const CondContext* context, const CondArticulation* articulation,
                          CondIk** ik, CondError* error);
void cond_ik_destroy(CondIk* ik);
// Switches to another articulation with the same links and joints.
void cond_ik_rebind(CondIk* ik, const CondArticulation* articulation);
// One step of dt with the joint rates, within all limits, that come closest to the velocity
// required by the target. Updates q (n_q); v (n_dof, may be NULL) receives the rates. Never leaves
// the position limits; joints outside them move back with at most the velocity limit.
void cond_ik_step(CondIk* ik, const CondIkSettings* settings, const CondIkFrame* frame,
                  const CondIkTarget* target, double dt, double* q, double* v, CondIkInfo* info);

// Limits and tolerance of the search for a configuration.
typedef struct CondIkSearch {
    double length;      // length that a radian of error counts as [m]; 0: any orientation
    double tolerance;   // position [m] and angle [rad] errors to reach
    int max_iterations; // from each start
    int max_starts;     // the given configuration, then others within the limits
} CondIkSearch;
// Finds a configuration within the limits that puts the frame on the target, ignoring velocities;
// starts from q. COND_NOT_CONVERGED: q is the nearest one found, and info holds its errors.
CondStatus cond_ik_solve(CondIk* ik, const CondIkSearch* search, const CondIkFrame* frame,
                         const CondIkTarget* target, double* q, CondIkInfo* info);

#endif
