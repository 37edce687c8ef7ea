// Definitions of a scene that act between and on bodies: patches, attachments, trajectories,
// sensors, pairs that never touch, forces and springs.
#ifndef COND_INTERACTION_H
#define COND_INTERACTION_H

#include "cond/body.h"

#ifdef __cplusplus
extern "C" {
#endif

// Nodes of a soft body that lie in a box at the start, in world axes.
typedef struct CondPatchDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    char body[COND_NAME_SIZE];
    double low[3], high[3];        // [m]
    char material[COND_NAME_SIZE]; // of elements with all corners in the box; "": the body's
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

// Holds two frames together by implicit spring-dampers: at the relative pose that they have when it
// is made, or at `position` and `orientation`.
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
    // Pose at which end 0 is held, in the axes of the body of end 1: its position from the point of
    // end 1 [m], and its orientation. NaN: as when the attachment is made.
    double position[3], orientation[4];
} CondAttachmentDef;

typedef struct CondWaypoint {
    double time;           // [s], ascending
    double position[3];    // of the frame, world axes [m]; NaN: not given; joints: not used
    double orientation[4]; //
    double target;         // joints: where the motor pulls [rad, m]; NaN: not given
    int rest;              // 1: the frame's position comes to rest here
} CondWaypoint;

// A prescribed motion. With a link: poses that the link follows; inverse kinematics finds targets
// for the robot's motors. With a joint: the targets of its motor. Without a body: poses of a frame
// in space that attachments may end at.
typedef struct CondTrajectoryDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    char body[COND_NAME_SIZE];
    char link[COND_NAME_SIZE];
    char joint[COND_NAME_SIZE];
    double point[3];              // the point that follows the poses, in link axes [m]
    int n_waypoint;               //
    const CondWaypoint* waypoint; // copied by cond_scene_add_trajectory          (n_waypoint)
    // For links and frames: motions from time 0 on that are added to the waypoints, in world axes.
    double velocity[3];     // uniform [m/s]
    double spin[3];         // uniform turning about the frame's origin [rad/s]
    double amplitude[3];    // of position, times sin(2 pi frequency time + phase) [m]
    double swing[3];        // of the turn, a rotation vector, times the same sine [rad]
    double frequency;       // [1/s]
    double phase;           // [rad]
    size_t waypoint_stride; // sizeof(CondWaypoint), by the default function
} CondTrajectoryDef;

typedef enum CondSensorKind {
    COND_SENSOR_CONTACT = 0, // the contact forces on its body, link or patch
    COND_SENSOR_JOINT = 1,   // the wrench in a link's joint, from all that acts beyond it
    COND_SENSOR_IMU = 2,     // acceleration less gravity, and angular velocity, of its point
    COND_SENSOR_RANGE = 3,   // distance from its point to the next surface, along its third axis
} CondSensorKind;

// Measures in every step. It is placed on a body, a robot's link or a patch of a soft body, given
// by `on`, whose point is the reference point of the torque; or on an attachment, given by name,
// with `on` empty.
typedef struct CondSensorDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;              // of this struct, by its default function
    CondSensorKind kind;             // not used for an attachment
    CondEndDef on;                   // its point is given in the axes of the body, link or patch
    char attachment[COND_NAME_SIZE]; // "": none
    char against[COND_NAME_SIZE];    // contact: only the forces from this body; "": from all
    double orientation[4];           // axes of the sensor in those of its body, link or patch
    int world_axes;                  // 1: force and torque are given in world axes instead
    double range;                    // range: largest distance measured [m]
} CondSensorDef;

// A camera for pictures (cond/renderer.h), at rest in the world, or mounted on a rigid body, a
// particle or a link of a robot. It looks from position at target, with `up` upwards in the
// picture; these are given in the axes of what it is mounted on.
typedef struct CondCameraDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;        // of this struct, by its default function
    char body[COND_NAME_SIZE]; // "": the world
    char link[COND_NAME_SIZE]; // of a robot; "": its base
    double position[3];        // [m]
    double target[3];          // [m]
    double up[3];              // any length; not along the direction of view
    double field;              // of view, from the lower to the upper edge [degrees]
} CondCameraDef;

// A pair of bodies, links of robots ("body/link"), obstacles or planes that never touch. Or, with
// touches 1, a pair that touches regardless of its groups, with a surface of its own.
typedef struct CondExcludeDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    char thing[2][2 * COND_NAME_SIZE];
    int touches;            // 1: they touch
    CondSurfaceDef surface; // of a pair that touches; values not given are those of the two
                            // surfaces
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
    double start;     // [s]; in a step that it acts in only partly, its mean acts
    double end;       // [s]; INFINITY: for ever
    // Soft bodies: the force is spread over the surface of this patch, and the pressure acts on it;
    // "": the pressure acts on the whole surface.
    char patch[COND_NAME_SIZE];
    double pressure; // against the deformed surface, along its normals [Pa]
} CondForceDef;

// Spring-damper with the potential k/2 (l - rest)^2. Its length l is the distance of two points,
// or, between joints of robots, the sum of ratio times position.
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

// By the names of scene files.
COND_ENUM_NAMES(COND_API, CondSensorKind, cond_sensor_kind)

// Defaults: an end is in the world and gives no distance along a rod; a waypoint gives neither
// position nor target and has the identity orientation.
COND_DEFAULT(COND_API, CondEndDef, cond_end_def_default)
COND_DEFAULT(COND_API, CondWaypoint, cond_waypoint_default)
COND_DEFAULT(COND_API, CondForceDef, cond_force_def_default)
COND_DEFAULT(COND_API, CondSpringDef, cond_spring_def_default)
COND_DEFAULT(COND_API, CondPatchDef, cond_patch_def_default)
COND_DEFAULT(COND_API, CondAttachmentDef, cond_attachment_def_default)
COND_DEFAULT_OF(COND_API, CondTrajectoryDef, cond_trajectory_def_default,
                made.waypoint_stride = sizeof(CondWaypoint))
COND_DEFAULT(COND_API, CondSensorDef, cond_sensor_def_default)
COND_DEFAULT(COND_API, CondCameraDef, cond_camera_def_default)
COND_DEFAULT(COND_API, CondExcludeDef, cond_exclude_def_default)

#ifdef __cplusplus
}
#endif
#endif
