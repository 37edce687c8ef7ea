// CondModel (constant), CondState (configuration, velocity, time), CondSim (workspace of one
// thread), and the stages of a step, each timed and callable separately.
//
// Bodies, links, joints, joint coordinates, planes, obstacles, patches, attachments, trajectories
// and sensors are addressed by an index from 0. For each, cond_model_n_X counts them,
// cond_model_X_name gives the name of an index (NULL: there is none), and cond_model_find_X the
// index of a name: -1 where there is none, with a message that lists near names (cond_last_error).
// Links, joints and coordinates are those of a body. Contacts are those of the last step, by
// cond_sim_n_contact and cond_sim_contact, and have no names.
#ifndef COND_SIM_H
#define COND_SIM_H

#include "cond/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondModel CondModel;
typedef struct CondState CondState;
typedef struct CondSim CondSim;

// Compiles a scene, which may be changed or destroyed afterwards.
COND_API CondStatus cond_scene_compile(const CondScene* scene, CondModel** model, CondError* error);
COND_API void cond_model_destroy(CondModel* model);

COND_API const CondSceneSettings* cond_model_settings(const CondModel* model);
COND_API int cond_model_n_dof(const CondModel* model);
COND_API int cond_model_n_q(const CondModel* model);
COND_API int cond_model_n_body(const CondModel* model);
COND_API CondBodyKind cond_model_body_kind(const CondModel* model, int body);
// Nodes and tetrahedra of a soft body; 0 for others.
COND_API int cond_model_n_node(const CondModel* model, int body);
COND_API int cond_model_n_tet(const CondModel* model, int body);
// Of a soft body: the stress-free positions of its nodes, in world axes as the scene places it [m];
// the nodes of its tetrahedra; and those of its surface triangles, outward. NULL for other bodies.
//                               rest (n_node x 3), tet (n_tet x 4), triangle (n_triangle x 3)
COND_API const double* cond_model_rest(const CondModel* model, int body);
COND_API const int* cond_model_tet(const CondModel* model, int body);
COND_API const int* cond_model_triangle(const CondModel* model, int body, int* n_triangle);
// Links of a rod or a robot; 0 for other bodies. Links of a robot have names; the base link is the
// first. NULL, and -1, where there is no such link.
COND_API int cond_model_n_link(const CondModel* model, int body);
COND_API const char* cond_model_link_name(const CondModel* model, int body, int link);
COND_API int cond_model_find_link(const CondModel* model, int body, const char* name);
// A moving joint of a robot. Only joints with one coordinate have limits.
typedef struct CondJointInfo {
    const char* name;    // the model's
    CondJointKind kind;  //
    int link;            // the link that it moves, by number
    int follows;         // the joint that it mimics, by number; -1: it has coordinates of its own
    int n_coordinate;    // slides and angles of its own [m, rad]; 1 for revolute and prismatic
                         // joints
    int q_begin;         // their index in the configuration of the body
    int dof_begin;       // index of their rates in its velocity
    int turn_begin;      // index of its quaternion (w, x, y, z) in the configuration; -1: none
    int spin_begin;      // index of its angular velocity, link axes [rad/s], in the velocity; -1:
                         // none
    double lower, upper; // [rad, m]; -INFINITY, INFINITY: none
    double velocity;     // largest speed [rad/s, m/s]; INFINITY: none
    double effort;       // largest torque or force of its motor [N m, N]; INFINITY: none
    double damping;      // [N m s/rad, N s/m]
    double friction;     // dry [N m, N]
    double armature;     // inertia of its rotor, as the joint feels it [kg m2, kg]
} CondJointInfo;
// Joints of a robot that move, base to tips as in the file; 0 for other bodies.
COND_API int cond_model_n_joint(const CondModel* model, int body);
COND_API const char* cond_model_joint_name(const CondModel* model, int body, int joint);
COND_API CondStatus cond_model_joint_sized(const CondModel* model, int body, int joint,
                                           CondJointInfo* info, size_t size);
static inline CondStatus cond_model_joint(const CondModel* model, int body, int joint,
                                          CondJointInfo* info)
{
    return cond_model_joint_sized(model, body, joint, info, sizeof(CondJointInfo));
}
// Index of a joint by name; -1: none.
COND_API int cond_model_find_joint(const CondModel* model, int body, const char* name);
// Coordinates of a robot: the slides and angles of all joints except those that mimic others, in
// the order of its configuration. Motors and limits act on coordinates. 0 for other bodies. The
// name of a coordinate is that of its joint, for planar and floating joints with .x, .y, .z or
// .angle; its number by name, -1: none.
COND_API int cond_model_n_coordinate(const CondModel* model, int body);
COND_API const char* cond_model_coordinate_name(const CondModel* model, int body, int coordinate);
COND_API int cond_model_find_coordinate(const CondModel* model, int body, const char* name);
// The n_dof velocity coordinates of a body begin at dof_begin (cond/mechanics.h defines them), the
// n_q numbers of its configuration at q_begin. 0 for an unknown body.
COND_API int cond_model_dof_begin(const CondModel* model, int body);
COND_API int cond_model_q_begin(const CondModel* model, int body);
COND_API int cond_model_body_n_dof(const CondModel* model, int body);
COND_API int cond_model_body_n_q(const CondModel* model, int body);
COND_API double cond_model_mass(const CondModel* model, int body); // of a whole body [kg]
// The zero configuration: all positions and joints 0, quaternions (1, 0, 0, 0). COND_BAD_ARGUMENT
// for an unknown body.                                                                q (n_q)
COND_API CondStatus cond_model_zero_configuration(const CondModel* model, int body, double* q);
COND_API const char* cond_model_body_name(const CondModel* model, int body);
COND_API int cond_model_n_plane(const CondModel* model);
COND_API const char* cond_model_plane_name(const CondModel* model, int plane);
COND_API int cond_model_find_plane(const CondModel* model, const char* name);
// The longest edge of the bounding box of a body's shapes for contact, at the start; 0.1 m for a
// point. For a robot that of its largest link.
COND_API double cond_model_size(const CondModel* model, int body);
// Index of a body by name, -1 when there is none.
COND_API int cond_model_find_body(const CondModel* model, const char* name);
COND_API int cond_model_n_obstacle(const CondModel* model);
COND_API const char* cond_model_obstacle_name(const CondModel* model, int obstacle);
COND_API int cond_model_find_obstacle(const CondModel* model, const char* name);
// The largest allowed penetration of two bodies, or of a body and an obstacle, at the end of a step
// [m] (-1: none): contact.penetration_limit, or by default a tenth of the least extent of the
// thinner one, and 1 mm for points on planes.
COND_API double cond_model_penetration_limit(const CondModel* model, int body, int other,
                                             int obstacle);

// Attachments, trajectories and sensors.
COND_API int cond_model_n_attachment(const CondModel* model);
COND_API int cond_model_n_trajectory(const CondModel* model);
COND_API const char* cond_model_trajectory_name(const CondModel* model, int trajectory);
COND_API int cond_model_find_trajectory(const CondModel* model, const char* name);
COND_API int cond_model_n_sensor(const CondModel* model);
COND_API const char* cond_model_sensor_name(const CondModel* model, int sensor);
// Warnings of the readers of robot files about changes and omissions, "file:line: text", and of
// soft bodies whose bending is far too stiff (docs/fem.md); NULL past the last. A file that several
// bodies use gives one set of warnings.
COND_API const char* cond_model_warning(const CondModel* model, int index);
// The reason why a pair is left out of contact detection. Pairs left out by their groups are not
// listed.
typedef enum CondLeftOutReason {
    COND_LEFT_OUT_ADJACENT = 0, // links separated by one moving joint
    COND_LEFT_OUT_SRDF = 1,     // the robot's SRDF file says so
    COND_LEFT_OUT_EXCLUDE = 2,  // the scene says so
    COND_LEFT_OUT_OVERLAP = 3,  // links of one robot that overlap as the scene starts
    COND_LEFT_OUT_SLIGHT = 4,   // the same, with a slight overlap: the overlapping shapes touch if
                                // they come deeper than at the start
} CondLeftOutReason;
typedef struct CondLeftOut {
    char name[2][2 * COND_NAME_SIZE]; // "box"; "arm/hand" for a link
    CondLeftOutReason reason;
} CondLeftOut;
COND_API int cond_model_n_left_out(const CondModel* model);
// NULL where there is none.
COND_API const CondLeftOut* cond_model_left_out(const CondModel* model, int pair);
COND_ENUM_NAMES(COND_API, CondLeftOutReason, cond_left_out)
// Cameras of the scene, for pictures (cond/renderer.h), and the index by name, -1 when there is
// none.
COND_API int cond_model_n_camera(const CondModel* model);
COND_API const char* cond_model_camera_name(const CondModel* model, int camera);
COND_API int cond_model_find_camera(const CondModel* model, const char* name);
// Index of a sensor by name, -1 when there is none.
COND_API int cond_model_find_sensor(const CondModel* model, const char* name);
// Patches of soft bodies: their number, their names (NULL past the last), the bodies that they
// belong to (-1 past the last), and the index of a name (-1: none).
COND_API int cond_model_n_patch(const CondModel* model);
COND_API const char* cond_model_patch_name(const CondModel* model, int patch);
COND_API int cond_model_patch_body(const CondModel* model, int patch);
COND_API int cond_model_find_patch(const CondModel* model, const char* name);

// A state at the model's initial configuration.
COND_API CondStatus cond_state_create(const CondModel* model, CondState** state, CondError* error);
COND_API void cond_state_destroy(CondState* state);
COND_API CondStatus cond_state_copy(CondState* to, const CondState* from);
// Transfers a state to another model, such as that of a scene with added or removed bodies. Bodies
// of the same name, kind and size keep their poses, velocities, joint targets and pushes, and the
// time is kept. Attachments continue to hold; those of the scene are matched by name. Everything
// else starts as in `to_model`. Contacts are detected again, without the forces of the last step.
// *n_moved, unless n_moved is NULL, gets the number of bodies transferred.
COND_API CondStatus cond_state_transfer(const CondModel* from_model, const CondState* from,
                                        const CondModel* to_model, CondState* to, int* n_moved);
// Dense output: `made` gets the configuration and velocity at a time [s] between two consecutive
// states of a run; everything else is that of `from`, so do not continue a run from it. The
// interpolation is of second order where the motion is smooth; for a body that was struck in
// between, the velocity changes linearly over the step. COND_BAD_ARGUMENT: the time does not lie
// between them, or `made` is one of them.
COND_API CondStatus cond_state_between(const CondModel* model, const CondState* from,
                                       const CondState* to, double time, CondState* made);
// A number that two states share only if every bit that influences the future is the same.
COND_API uint64_t cond_state_hash(const CondState* state);

// Saves a state as bytes and loads it: a run continues from a loaded state with the same bits. save
// writes into buffer, of `capacity` bytes, and stores the required number in *size; with buffer
// NULL it only stores that number. load refuses bytes that are damaged, incomplete, from a machine
// with another byte order, or from a scene with other bodies, attachments, patches or time step,
// and then leaves the state as it was; masses, materials and friction may differ. write and read
// use a file, which is replaced only when it is complete.
COND_API CondStatus cond_state_save(const CondModel* model, const CondState* state, void* buffer,
                                    size_t capacity, size_t* size);
COND_API CondStatus cond_state_load(const CondModel* model, CondState* state, const void* buffer,
                                    size_t size, CondError* error);
COND_IO_API CondStatus cond_state_write(const CondModel* model, const CondState* state,
                                        const char* path, CondError* error);
COND_IO_API CondStatus cond_state_read(const CondModel* model, CondState* state, const char* path,
                                       CondError* error);

// The message of the last call that was refused for this state, with names and values, such as
// "'box': force[1] is nan"; "": none. It is not copied, saved or hashed.
COND_API const char* cond_state_message(const CondState* state);

COND_API double cond_state_time(const CondState* state);
// Sets the time to the nearest whole number of steps [s], for example in a state that was copied
// from a model with another time step. COND_BAD_ARGUMENT: not finite, negative, or too many steps.
COND_API CondStatus cond_state_set_time(const CondModel* model, CondState* state, double time);
// Pose and velocity of a body, in world axes; any pointer may be NULL.
typedef struct CondPose {
    double position[3];         // centre of mass [m]
    double orientation[4];      // (w, x, y, z), body to world
    double velocity[3];         // [m/s]
    double angular_velocity[3]; // world axes [rad/s]
} CondPose;
// At rest at the origin, with the identity orientation.
COND_DEFAULT(COND_API, CondPose, cond_pose_default)
COND_API CondPose cond_state_pose(const CondModel* model, const CondState* state, int body);
COND_API CondStatus cond_state_set_pose(const CondModel* model, CondState* state, int body,
                                        const CondPose* pose);
// A point that moves with a body.
typedef struct CondPlace {
    int body;
    int part;        // robot, rod: the link; soft body: the node; else 0
    double point[3]; // in the axes of the body or link, from its origin [m]; soft body, particle: 0
} CondPlace;

// Forces from outside, which act in every step until they are changed.
//
// A push is a force [N] and a torque [N m] in world axes that act at a point and move with it;
// either may be NULL. Torques have no effect on nodes and particles. An index is valid until
// cond_state_end_push, and may then be reused. COND_BAD_ARGUMENT: no such point or push, or numbers
// that are not finite.
COND_API CondStatus cond_state_push(const CondModel* model, CondState* state,
                                    const CondPlace* place, const double force[3],
                                    const double torque[3], int* index);
COND_API CondStatus cond_state_set_push(CondState* state, int index, const double force[3],
                                        const double torque[3]);
COND_API CondStatus cond_state_end_push(CondState* state, int index);
COND_API void cond_state_end_pushes(CondState* state); // all of them
// Forces on the velocity coordinates of a body (cond/mechanics.h), such as torques on the joints of
// a robot, without effort limits; NULL: none.                                             f (n_dof)
COND_API CondStatus cond_state_set_force(const CondModel* model, CondState* state, int body,
                                         const double* f);

// Sets the target of the motor of a joint coordinate of a robot from the next step on [rad, m]; a
// trajectory of the robot overrides it. cond_state_move_target moves the target there during the
// next step, and the motor's damper uses its rate: use it for targets that change from step to
// step. COND_BAD_ARGUMENT for an unknown coordinate, or a target that is not finite.
COND_API CondStatus cond_state_set_target(const CondModel* model, CondState* state, int body,
                                          int coordinate, double target);
COND_API CondStatus cond_state_move_target(const CondModel* model, CondState* state, int body,
                                           int coordinate, double target);
// The same by the name of the coordinate. Deprecated: use cond_model_find_coordinate and the
// functions above.
COND_API CondStatus cond_state_set_joint_target(const CondModel* model, CondState* state, int body,
                                                const char* joint, double target);
COND_API CondStatus cond_state_move_joint_target(const CondModel* model, CondState* state, int body,
                                                 const char* joint, double target);

// Position [rad, m] and rate [rad/s, m/s] of a joint coordinate of a robot, as
// cond_model_find_coordinate counts; either pointer may be NULL.
COND_API CondStatus cond_state_coordinate(const CondModel* model, const CondState* state, int body,
                                          int coordinate, double* position, double* velocity);
COND_API CondStatus cond_state_set_coordinate(const CondModel* model, CondState* state, int body,
                                              int coordinate, double position, double velocity);
// Position and rate of a joint with one coordinate, by its index; for other joints CondJointInfo
// gives the indices in the configuration. COND_BAD_ARGUMENT: no such joint, a joint that mimics
// another or does not have one coordinate, numbers that are not finite. Positions beyond limits are
// accepted: the following steps move the joint back.
COND_API CondStatus cond_state_joint(const CondModel* model, const CondState* state, int body,
                                     int joint, double* position, double* velocity);
COND_API CondStatus cond_state_set_joint(const CondModel* model, CondState* state, int body,
                                         int joint, double position, double velocity);
// Configuration and velocity of a whole body. Quaternions are normalised; a zero quaternion is
// refused.                                                                 q (n_q), v (n_dof)
COND_API CondStatus cond_state_set_configuration(const CondModel* model, CondState* state, int body,
                                                 const double* q);
COND_API CondStatus cond_state_set_velocity(const CondModel* model, CondState* state, int body,
                                            const double* v);

// Switches a body off and on again. While it is off, it stays in place with velocity 0 and has no
// contacts, and its forces and springs do not act. Attachments with an end on it are inactive, and
// hold again as before when both ends are on. Rays and distances ignore it. It may be moved
// meanwhile. Other bodies move as if it did not exist. COND_NOT_SUPPORTED where the scene's step
// method is not `velocity`.
COND_API CondStatus cond_state_set_on(const CondModel* model, CondState* state, int body, int on);
COND_API int cond_state_is_on(const CondState* state, int body); // 0 for an unknown body

// Motors at run time, by coordinate of a robot (cond_model_n_coordinate,
// cond_model_coordinate_name):
//     torque = stiffness (target - position) + damping (target rate + speed - velocity) + torque
// clamped to the effort limits, implicit in position and velocity. With zero stiffness and damping
// a motor applies only `torque`; with zero stiffness alone it controls the speed.
typedef struct CondMotorGains {
    double stiffness;   // [N m/rad, N/m]; NAN: unchanged
    double damping;     // [N m s/rad, N s/m]; NAN: unchanged
    double effort;      // largest torque or force [N m, N]; INFINITY: no limit; NAN: unchanged
    double effort_back; // the same against the axis [N m, N]; NAN: as effort, if that is given
} CondMotorGains;
// All NAN: changes nothing.
COND_DEFAULT(COND_API, CondMotorGains, cond_motor_gains_default)
// Gains of one coordinate, or with coordinate -1 of all. The initial values are those of the scene.
COND_API CondStatus cond_state_set_motor_sized(const CondModel* model, CondState* state, int body,
                                               int coordinate, const CondMotorGains* gains,
                                               size_t size);
static inline CondStatus cond_state_set_motor(const CondModel* model, CondState* state, int body,
                                              int coordinate, const CondMotorGains* gains)
{
    return cond_state_set_motor_sized(model, state, body, coordinate, gains,
                                      sizeof(CondMotorGains));
}
COND_API CondStatus cond_state_motor_sized(const CondModel* model, const CondState* state, int body,
                                           int coordinate, CondMotorGains* gains, size_t size);
static inline CondStatus cond_state_motor(const CondModel* model, const CondState* state, int body,
                                          int coordinate, CondMotorGains* gains)
{
    return cond_state_motor_sized(model, state, body, coordinate, gains, sizeof(CondMotorGains));
}
// All coordinates of a robot at once; values of a NULL array are unchanged. The targets act from
// the next step on; with `moves` 1 they move there during it.
//                                                        target, speed, torque (n_coordinate)
COND_API CondStatus cond_state_set_targets(const CondModel* model, CondState* state, int body,
                                           const double* target, int moves, const double* speed,
                                           const double* torque);

// The configuration of a body: position (particle); position and quaternion (rigid); positions of
// all nodes (soft); base pose if it floats, orientations of ball joints, joint positions (robot).
// *n gets the number of values.
COND_API const double* cond_state_body_configuration(const CondModel* model, const CondState* state,
                                                     int body, int* n);
// Its velocity (cond/mechanics.h defines the coordinates); *n gets the number of values. NULL, and
// 0, for an unknown body.
COND_API const double* cond_state_body_velocity(const CondModel* model, const CondState* state,
                                                int body, int* n);
// The same of all bodies, one after the other: those of a body begin at cond_model_q_begin and
// cond_model_dof_begin.
COND_API const double* cond_state_whole_configuration(const CondState* state, int* n);
COND_API const double* cond_state_whole_velocity(const CondState* state, int* n);
// Deprecated: cond_state_body_configuration, cond_state_whole_velocity.
COND_API const double* cond_state_configuration(const CondModel* model, const CondState* state,
                                                int body, int* n);
COND_API const double* cond_state_velocity(const CondState* state);
// Stress resultants of a rod at its joint between links `joint` and `joint` + 1, in the axes half
// way between those of the links: shear along the section's two axes and tension [N], bending
// moments about these axes and twisting moment [N m]; and the distance of the joint along the rod
// [m]. Either pointer may be NULL. COND_BAD_ARGUMENT where there is no such joint.
COND_API CondStatus cond_state_rod_stress(const CondModel* model, const CondState* state, int body,
                                          int joint, double stress[6], double* at);
// The same for all joints of a rod (as many as links if it is closed, else one fewer); and the
// strains: displacements [m] and rotations [rad] between neighbours, less those at rest. Either
// pointer may be NULL. 0, and COND_BAD_ARGUMENT, for other bodies.
//                                                            stress, strain (n_rod_joint x 6)
COND_API int cond_model_n_rod_joint(const CondModel* model, int body);
COND_API CondStatus cond_state_rod_stresses(const CondModel* model, const CondState* state,
                                            int body, double* stress, double* strain);
// Stress of the elements of a soft body in world axes, xx yy zz xy yz zx [Pa], and its von Mises
// value [Pa]; either pointer may be NULL. There is one value for each tetrahedron; for a shell,
// those at the first surface of all triangles, then those at the second. COND_BAD_ARGUMENT for
// other bodies.                                   stress (n_stress x 6), von_mises (n_stress)
COND_API int cond_model_n_stress(const CondModel* model, int body);
COND_API CondStatus cond_state_stress(const CondModel* model, const CondState* state, int body,
                                      double* stress, double* von_mises);

// Attachments of a state: those of the scene first, then those made here, which hold the present
// relative pose of their ends. An index is valid until the attachment is released, and may then be
// used for another one. Names of bodies, links and patches are those of the model; start and
// end_time are ignored.
COND_API CondStatus cond_state_attach(const CondModel* model, CondState* state,
                                      const CondAttachmentDef* def, int* index, CondError* error);
// Changes the pose held by an attachment with an end in the world: the point of its other end is
// held at `position` from now on and, if the attachment has `turns` and orientation is given, the
// axes of its body at `orientation`. With infinite stiffness the body reaches the pose at the end
// of the next step, regardless of contacts. COND_BAD_ARGUMENT where no end is in the world, or one
// moves along a trajectory.
COND_API CondStatus cond_state_move_attachment(const CondModel* model, CondState* state, int index,
                                               const double position[3],
                                               const double orientation[4]);
// The index of an attachment of the scene; -1: there is none of that name.
COND_API int cond_model_find_attachment(const CondModel* model, const char* name);
// The name of an attachment of the scene; NULL past the last.
COND_API const char* cond_model_attachment_name(const CondModel* model, int attachment);
// Releases an attachment. One of the scene does not hold again.
COND_API CondStatus cond_state_release(CondState* state, int index);
// The number of attachments, released ones included: every index is below it.
COND_API int cond_state_n_attachment(const CondState* state);
// 1 while it holds. Attachments of the scene become active at the beginning of a step.
COND_API int cond_state_attachment_holds(const CondState* state, int index);

// One contact of the last step, for reading forces.
typedef struct CondContactInfo {
    int body;           // of side 0
    int other;          // body of side 1; -1: static
    int plane;          // the static plane; -1: something else
    double position[3]; // world [m]
    double frame[9];    // rows normal, tangent 1, tangent 2, world axes
    double gap;         // at the start of the step [m]
    double friction[2]; //
    double restitution; //
    int relaxed;        // 1: held to the proximal law instead of the strict one
    double force[3];    // lambda of the step or the last substep, contact frame [N]
    double impulse[3];  // its impulse over the whole step, impacts included, contact frame [N s]
    double velocity[3]; // of the point at the end of the step, contact frame [m/s]
    int part;           // of side 0: the link of a robot or rod (cond_model_link_name); else 0
    int other_part;     // of side 1
} CondContactInfo;

// Stages of a step, in their order.
typedef enum CondStage {
    COND_STAGE_FORCES = 0, // weight, -C v, given forces; joint targets, attachments
    COND_STAGE_MATRIX,     // A, and the forces computed with it; Newton's iterates
    COND_STAGE_COLLIDE,    // contacts, at the start of the step and at its end
    COND_STAGE_ASSEMBLE,   // b and the contacts: the problem is complete
    COND_STAGE_NODALIZE,   // islands, and the nodalization of their contacts
    COND_STAGE_SOLVE,      // v_hat and lambda
    COND_STAGE_INTEGRATE,  // the next state
    COND_STAGE_IMPACT,     //
    COND_STAGE_CORRECT,    //
    COND_STAGE_COMMIT,     // energies, sensors, checks; the state changes
    COND_N_STAGE,
} CondStage;
COND_ENUM_NAMES(COND_API, CondStage, cond_stage)

// Penetration of a pair at the end of a step, before correction. It is the depth of the contacts;
// if that is more than a tenth of the limit, it is the true depth, which for meshes and soft
// bodies may differ from that of the contacts (docs/collision.md, Depth).
typedef struct CondPenetration {
    int body, other; // other: -1: static; body: -1: nothing overlaps
    int plane;       // the static plane; -1: something else
    int obstacle;    // the obstacle; -1: something else
    double depth;    // [m]
    double limit;    // contact.penetration_limit for the two [m]
} CondPenetration;

typedef struct CondStepInfo {
    CondStatus status;   // the worst status of the solves below
    double time;         // after the step [s]
    int n_contact;       // those of sleeping bodies included
    int asleep;          // sleeping bodies
    CondSolveInfo solve; // the step's contact problem: the last one of a non-linear integrator, the
                         // worst one of substeps; counts and times are sums over all solves, also
                         // of discarded attempts
    int newton_iterations; // of a non-linear integrator, from 1; 0 for theta
    int substeps;          // number of substeps; 1: the step as a whole
    int rounds; // number of times that the step was solved again with contacts that its answer
                // violated at its end, over all substeps
    int added;  // such contacts
    CondSolveInfo impact;         // the impact problem; iterations 0 when none was needed
    CondSolveInfo correction;     // the position problem; iterations 0 when none was needed
    double penetration;           // deepest at the end of the step, before correction [m]
    CondPenetration deepest;      // of the pair that is deepest relative to its limit
    double corrected;             // longest displacement of a point in the correction [m]
    double kinetic_before;        // [J]
    double potential_before;      // gravity, elasticity, springs, motors, attachments [J]
    double kinetic_after;         //
    double potential_after;       //
    double seconds[COND_N_STAGE]; // wall clock per stage
    int attempts; // attempts at the step: further ones in substeps, without persistent contacts, or
                  // with all methods of the solver (docs/pipeline.md)
    int pieces;   // pieces of step.accuracy that the step consists of; else 1
    int rejected; // pieces that were too long and were repeated
    double work_friction;   // work of friction on the bodies, in the step's contact problem; a body
                            // that follows a trajectory may drive others by friction [J]
    double work_impact;     // work of closing contacts, and of the impact stage [J]
    double work_other;      // change of the energy less all other works; with auto the residual of
                            // the energy balance, 0 up to rounding [J]
    double work_given;      // of forces, motors, hooks and prescribed motions; with auto only, else
                            // of motors at their effort limits [J]
    double work_damping;    // of the damping of materials, joints, springs, attachments, motors,
                            // with auto; and of shells that yield [J]
    double work_numerical;  // of spectral damping and implicit Euler; 0 without auto [J]
    double work_correction; // potential energy gained by the position correction that the motion
                            // does not pay for, with deep overlap; 0 without auto [J]
    double error;           // the largest estimated error of a piece, relative to the motion;
                            // 0 where accuracy is off
} CondStepInfo;

COND_API CondStatus cond_sim_create(const CondModel* model, CondSim** sim, CondError* error);
COND_API void cond_sim_destroy(CondSim* sim);

// Replaces the solver of the step's contact problem; the sim takes ownership of it. The impact and
// correction problems keep their solvers.
COND_API void cond_sim_set_solver(CondSim* sim, CondSolver* solver);

// Norm of the elastic forces at the nodes of a soft body in this state [N]; 0 for other bodies.
COND_API double cond_sim_internal_force(CondSim* sim, const CondState* state, int body);

// One step: all stages in order. On a negative status the state is left as it was. COND_DIVERGED if
// a number is not finite, if the energy exceeds a thousand times the sum of that at the start and
// the work done since, or if a body penetrates another deeper than at the start by more than its
// own size.
COND_API CondStatus cond_sim_step_sized(CondSim* sim, CondState* state, CondStepInfo* info,
                                        size_t size);
static inline CondStatus cond_sim_step(CondSim* sim, CondState* state, CondStepInfo* info)
{
    return cond_sim_step_sized(sim, state, info, sizeof(CondStepInfo));
}
// The reason why the last step failed or missed its tolerance, with the names of bodies; "": none.
// Valid until the next step.
COND_API const char* cond_sim_message(const CondSim* sim);

// Callbacks in the steps of a simulation. They are called in the thread of the step, in an order
// that does not depend on the number of threads.
typedef struct CondForceSink CondForceSink;
typedef struct CondHooks {
    size_t struct_size; // of this struct, by its default function
    void* user;         // handed to all of them
    // Adds the program's own forces at the configuration q (n_q of the model) with
    // cond_force_sink_add; time: the start of the step [s]. A step may call it several times, at
    // several q; the same q must give the same forces. No body sleeps while `force` or `contact` is
    // set. NULL: none.
    void (*force)(void* user, const CondModel* model, double time, const double* q,
                  CondForceSink* sink);
    // Called for a detected contact; it may change friction and restitution, and refuses the
    // contact by returning 0. It is called for the same contact again in later steps, and within
    // one step. NULL: all contacts are accepted.
    int (*contact)(void* user, const CondModel* model, struct CondContactInfo* contact);
    // Called after every step, with any status.
    void (*step)(void* user, const CondState* state, const struct CondStepInfo* info);
    // Called with the text of cond_sim_message, once for every step that is not COND_OK.
    void (*log)(void* user, CondStatus status, const char* message);
} CondHooks;
COND_DEFAULT(COND_API, CondHooks, cond_hooks_default)
// NULL: none. COND_BAD_ARGUMENT for hooks that no default function made.
COND_API CondStatus cond_sim_set_hooks(CondSim* sim, const CondHooks* hooks);
// Adds the force f on n velocity coordinates of the model, each listed once. Its tangent is df =
// -stiffness dq - damping dv; both matrices are symmetric and positive semi-definite, or NULL. The
// step treats the force implicitly, like that of springs.
//                                    coordinate, f (n), stiffness, damping (n x n), row-major
COND_API CondStatus cond_force_sink_add(CondForceSink* sink, int n, const int* coordinate,
                                        const double* f, const double* stiffness,
                                        const double* damping);

// The stages one by one. Each needs the ones above it, except nodalize, which solve runs if it was
// left out; COND_BAD_ARGUMENT if one is missing (docs/pipeline.md).
COND_API CondStatus cond_sim_forces(CondSim* sim, const CondState* state);
COND_API CondStatus cond_sim_matrix(CondSim* sim);
COND_API CondStatus cond_sim_collide(CondSim* sim, const CondState* state);
COND_API CondStatus cond_sim_assemble(CondSim* sim, const CondState* state);
COND_API const CondProblem* cond_sim_problem(const CondSim* sim); // valid until the next assemble
COND_API CondStatus cond_sim_nodalize(CondSim* sim);
COND_API CondStatus cond_sim_solve(CondSim* sim, const CondState* state, CondSolveInfo* info);
// Detects contacts at the end of the step. Contacts that the answer violates there are added to the
// problem, and it is solved again, at most `step.rounds` times. info counts these contacts and the
// work. This stage may be omitted.
COND_API CondStatus cond_sim_recheck_sized(CondSim* sim, const CondState* state, CondStepInfo* info,
                                           size_t size);
static inline CondStatus cond_sim_recheck(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    return cond_sim_recheck_sized(sim, state, info, sizeof(CondStepInfo));
}
// The answer to that problem, valid until the next solve: the representative velocity v_hat (n_dof)
// and lambda (n_contact x 3), in the contact frames [N]. Before the first solve v_hat is zero and
// lambda is NULL.
COND_API const double* cond_sim_solution(const CondSim* sim);
COND_API const double* cond_sim_lambda(const CondSim* sim);
// Also runs the stages impact, correct and commit, fills all of info except solve, and then changes
// the state.
COND_API CondStatus cond_sim_integrate_sized(CondSim* sim, CondState* state, CondStepInfo* info,
                                             size_t size);
static inline CondStatus cond_sim_integrate(CondSim* sim, CondState* state, CondStepInfo* info)
{
    return cond_sim_integrate_sized(sim, state, info, sizeof(CondStepInfo));
}

// The signed distance of two bodies in a state, by the collision detection: their distance, or
// minus their penetration depth (docs/collision.md, Depth). INFINITY if they are farther apart than
// the reach of detection. `contact`, unless NULL, gets the smallest gap of their contacts.
// COND_BAD_ARGUMENT for unknown bodies, or the same body twice.
COND_API CondStatus cond_sim_gap(CondSim* sim, const CondState* state, int body, int other,
                                 double* gap, double* contact);

// Two bodies, or a body and something static, that overlap.
typedef struct CondOverlap {
    int body, other;    // other: -1: static
    int plane;          // the static plane; -1: something else
    int obstacle;       // the obstacle; -1: something else
    double depth;       // [m]
    double position[3]; // where the deepest contact is, world [m]
} CondOverlap;
// The pairs that overlap in a state by more than a millionth of the smaller body's size, the
// deepest first. The array belongs to the sim and is valid until the next call.
COND_API CondStatus cond_sim_overlaps_sized(CondSim* sim, const CondState* state,
                                            const CondOverlap** overlap, int* n, size_t size);
static inline CondStatus cond_sim_overlaps(CondSim* sim, const CondState* state,
                                           const CondOverlap** overlap, int* n)
{
    return cond_sim_overlaps_sized(sim, state, overlap, n, sizeof(CondOverlap));
}

typedef struct CondSettleInfo {
    int rounds;           // of correction
    double before, after; // the deepest penetration [m]
} CondSettleInfo;
// Separates bodies that overlap in a state, in rounds that move no point by more than a twentieth
// of its body's size, and leaves all velocities as they are: for states at the start of a run.
// moved, unless NULL, gets the longest displacement of a point of each body, summed over the rounds
// [m] (n_body). COND_NOT_CONVERGED if bodies still overlap after max_rounds, or the rounds make no
// more progress: the state is then the one with the least penetration found. On a negative status
// it is unchanged.
COND_API CondStatus cond_sim_settle_sized(CondSim* sim, CondState* state, int max_rounds,
                                          double* moved, CondSettleInfo* info, size_t size);
static inline CondStatus cond_sim_settle(CondSim* sim, CondState* state, int max_rounds,
                                         double* moved, CondSettleInfo* info)
{
    return cond_sim_settle_sized(sim, state, max_rounds, moved, info, sizeof(CondSettleInfo));
}

// Of a search for a static equilibrium (docs/equilibrium.md).
typedef struct CondEquilibriumInfo {
    CondStatus status;
    int steps;             // quasi-static steps
    int discarded;         // steps that were repeated with a smaller length
    int newton_iterations; // of all steps
    int iterations;        // of the solver, in all steps
    int n_contact;         // contacts
    int body;              // with the largest unbalanced force relative to its load; -1: none
    double balance;        // that force over the load
    double unbalanced;     // the force [N]
    double load;           // the load of the body [N]
    double certificate;    // of the contact problem at the state
    double penetration;    // deepest [m]; 0: no step was needed
    double moved;          // longest displacement of a point from the start [m]
    double last;           // the same in the last step [m]
    double length;         // of the last step [s]
} CondEquilibriumInfo;
typedef struct CondEquilibriumDef {
    size_t struct_size; // of this struct, by its default function
    double tolerance;   // unbalanced force of a body, relative to its load
    int max_steps;      // quasi-static steps
    double longest;     // the longest length of a step [s]
    void* user;         // handed to progress
    // After every step; a value other than 0 cancels the search. NULL: none.
    int (*progress)(void* user, const struct CondEquilibriumInfo* info);
} CondEquilibriumDef;
// tolerance 1e-6, max_steps 1000, longest 100 s
COND_DEFAULT(COND_API, CondEquilibriumDef, cond_equilibrium_def_default)
// Moves the bodies from a state to a static equilibrium of weight, given forces, elasticity,
// springs, attachments, motors, contacts and friction, by quasi-static steps. The velocities become
// zero and the time is unchanged. Trajectories stand still, and forces act as at that time. A run
// from the resulting state stays there. (cond_sim_settle only separates overlapping bodies.) def
// NULL: the defaults. COND_NOT_CONVERGED: no equilibrium was found, for example because a body
// falls, slides or is driven; cond_sim_message names a body, and the state is the last one reached.
// On a negative status the state is unchanged.
COND_API CondStatus cond_sim_equilibrium_sized(CondSim* sim, CondState* state,
                                               const CondEquilibriumDef* def,
                                               CondEquilibriumInfo* info, size_t size);
static inline CondStatus cond_sim_equilibrium(CondSim* sim, CondState* state,
                                              const CondEquilibriumDef* def,
                                              CondEquilibriumInfo* info)
{
    return cond_sim_equilibrium_sized(sim, state, def, info, sizeof(CondEquilibriumInfo));
}

COND_API int cond_sim_n_contact(const CondSim* sim);
COND_API void cond_sim_contact_sized(const CondSim* sim, int contact, CondContactInfo* made,
                                     size_t size);
static inline CondContactInfo cond_sim_contact(const CondSim* sim, int contact)
{
    CondContactInfo made;
    cond_sim_contact_sized(sim, contact, &made, sizeof made);
    return made;
}
// The patch that a contact's point on one side (0, 1) belongs to: the one with the largest share of
// the point's nodes, by their weights. *share, unless NULL, gets that share, 1 within the patch.
// -1, and share 0, if there is none.
COND_API int cond_sim_contact_patch(const CondSim* sim, int contact, int side, double* share);

// The forces below are means over the last step: impulse / time step. If no impact stage ran, they
// equal the forces of the step's contact problem. They are zero before the first step. With
// substeps (CondStepInfo.substeps) they are means over the whole step; contacts that have opened
// again by the last substep are listed after the others, with force 0.

// Resultant contact force on a body, in world axes [N], and its torque about the centre of mass (of
// a robot: the origin of its base) as it was at the start of the step [N m].
COND_API void cond_sim_body_force(const CondSim* sim, int body, double force[3], double torque[3]);

#define COND_STATIC_BODY (-1) // all static things: planes and obstacles
#define COND_ANY_BODY (-2)    // everything

// The sum of the contact forces on a body, from all others or from one. Let N be the sum of the
// normal forces, n its direction, and x the mean of the contact positions weighted with the normal
// forces. The centre of pressure is the point of the plane through x perpendicular to n about which
// the moment of the normal forces is parallel to n.
typedef struct CondResultant {
    int n_contact;         // contacts that carry a force
    double force[3];       // on the body, world axes [N]
    double torque[3];      // its moment about the body's centre, as in cond_sim_body_force [N m]
    double normal[3];      // N, world axes [N]
    double pressure;       // sum of the sizes of the normal forces [N]
    double centre[3];      // centre of pressure, world [m]; NaN where the normal forces cancel
    double free_torque[3]; // moment of all forces, friction included, about the centre of pressure;
                           // about the centre of the body if there is none [N m]
} CondResultant;
// other: a body, COND_STATIC_BODY or COND_ANY_BODY. The forces of a body on itself sum to zero.
COND_API void cond_sim_pair_force_sized(const CondSim* sim, int body, int other,
                                        CondResultant* made, size_t size);
static inline CondResultant cond_sim_pair_force(const CondSim* sim, int body, int other)
{
    CondResultant made;
    cond_sim_pair_force_sized(sim, body, other, &made, sizeof made);
    return made;
}
// The same for the listed contacts only, in ascending order: for the sums of many pairs, each over
// its own contacts.                                                               contact (n)
COND_API void cond_sim_listed_force_sized(const CondSim* sim, int body, int other, int n,
                                          const int* contact, CondResultant* made, size_t size);
static inline CondResultant cond_sim_listed_force(const CondSim* sim, int body, int other, int n,
                                                  const int* contact)
{
    CondResultant made;
    cond_sim_listed_force_sized(sim, body, other, n, contact, &made, sizeof made);
    return made;
}

// Readings of a sensor, as means over the last step. contact: the contact forces on its body, link
// or patch. joint: the wrench that the links beyond the joint exert through it on the rest of the
// robot, from contacts, attachments, weight and inertia. On an attachment: the wrench on its first
// end.
typedef struct CondSensorReading {
    double force[3];    // sensor's axes, or world with CondSensorDef.world_axes [N]
    double torque[3];   // about the sensor's point, the same axes [N m]
    double position[3]; // of that point at the time of the forces, world [m]
    double axes[9];     // of the sensor: world = axes * sensor, row-major
    int n_contact;      // contact: how many carry a force
    double centre[3];   // contact: centre of pressure, world [m]; NaN where there is none
    // imu: the reading of an accelerometer, which is the change of its point's velocity over the
    // step per time less gravity [m/s2], and the angular velocity at the end of the step [rad/s],
    // in the sensor's or world axes
    double acceleration[3];
    double angular_velocity[3];
    double distance; // range: at the end of the step, ignoring the sensor's own body [m]; INFINITY:
                     // nothing within its range
    double velocity[3]; // imu: of its point at the end of the step, sensor's or world axes [m/s]
} CondSensorReading;
COND_API CondSensorKind cond_model_sensor_kind(const CondModel* model, int sensor);
// COND_BAD_ARGUMENT for an unknown sensor or before the first step.
COND_API CondStatus cond_sim_sensor_sized(const CondSim* sim, int sensor,
                                          CondSensorReading* reading, size_t size);
static inline CondStatus cond_sim_sensor(const CondSim* sim, int sensor, CondSensorReading* reading)
{
    return cond_sim_sensor_sized(sim, sensor, reading, sizeof(CondSensorReading));
}

// Torques about the axis of a joint coordinate, or forces along it, as means over the last step;
// positive if they increase its position [N m, N].
typedef struct CondJointReading {
    double position;       // at the end of the step [rad, m]
    double velocity;       // [rad/s, m/s]
    double motor;          // of its motor, within its effort limits
    double effort;         // limit of the motor on that side; INFINITY: none
    double friction;       // dry friction
    double limit;          // of its position limits: positive at the lower, negative at the upper
    double velocity_limit; // of its velocity limit
} CondJointReading;
// coordinate: as cond_model_find_coordinate counts. COND_BAD_ARGUMENT where there is none, or
// before the first step.
COND_API CondStatus cond_sim_joint_sized(const CondSim* sim, int body, int coordinate,
                                         CondJointReading* reading, size_t size);
static inline CondStatus cond_sim_joint(const CondSim* sim, int body, int coordinate,
                                        CondJointReading* reading)
{
    return cond_sim_joint_sized(sim, body, coordinate, reading, sizeof(CondJointReading));
}

// Force (0 .. 2) [N] and torque (3 .. 5) [N m], in world axes, of an attachment on its first end
// during the last step; the opposite acted on its second end. The torque is that of the rotational
// spring alone. Zero while it does not hold. COND_BAD_ARGUMENT for an attachment that did not exist
// in the last step.
COND_API CondStatus cond_sim_attachment_wrench(const CondSim* sim, int attachment,
                                               double wrench[6]);

#ifdef __cplusplus
}
#endif
#endif
