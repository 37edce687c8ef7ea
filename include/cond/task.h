// Definitions of a learning task in a scene (cond/env.h): values that a seed draws, actions,
// observations, rewards, and the length of an episode.
#ifndef COND_TASK_H
#define COND_TASK_H

#include "cond/interaction.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CondScale {
    COND_SCALE_LINEAR = 0, // uniform between the bounds
    COND_SCALE_LOG = 1,    // uniform in the logarithm
} CondScale;

// A value of the scene file that a seed draws for each trial.
typedef struct CondVariationDef {
    char name[COND_NAME_SIZE];
    size_t struct_size;        // of this struct, by its default function
    char path[COND_PATH_SIZE]; // as in an override; several paths, separated by commas, get the
                               // same value
    double low, high;          // in the unit of that value
    CondScale scale;           //
    int observe;               // 1: the drawn value is part of the observation
    int n_choice;              // above 0: the value is one of these with equal probability, instead
                               // of
    double choice[16];         // low and high                                        (n_choice)
} CondVariationDef;

// Quantities that an action sets in every step of an environment (cond/env.h). A robot that an
// action drives does not follow the scene's trajectories there.
typedef enum CondActionKind {
    COND_ACTION_JOINTS = 0,     // targets of a robot's joints
    COND_ACTION_POSE = 1,       // pose of a robot's link, by inverse kinematics
    COND_ACTION_ANCHOR = 2,     // pose at which an attachment holds its first end in the world
    COND_ACTION_VELOCITIES = 3, // speeds at which the targets of a robot's joints move
    COND_ACTION_TORQUES = 4,    // torques and forces on a robot's joints, added to those of their
                                // motors
    COND_ACTION_IMPEDANCE = 5,  // target pose of a robot's link, for an impedance controller with
                                // joint torques
    COND_ACTION_PICK = 6,       // a point in the world that grasps and releases nearby bodies
    COND_ACTION_GRIP = 7,       // a point of a robot's link that grasps and releases nearby bodies
} CondActionKind;

typedef enum CondActionMode {
    COND_ACTION_INCREMENT = 0, // changes of the previous targets
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
    int turns;                       // pose and anchor: 1: the action includes the orientation
    double linear;                   // largest increment of a position or a sliding joint [m]
    double angular;                  // largest increment of an angle [rad]
    // velocities: linear and angular are the largest speeds [m/s, rad/s]
    char joints[COND_PATH_SIZE]; // joints, velocities, torques: names, separated by commas; "": all
    double low[3], high[3];     // pose, anchor, impedance, pick: box that positions are clamped to,
                                // world axes [m]; NaN: none
    double effort;              // torques: largest [N m, N]; INFINITY: the motor's own limit
    int compensate;             // torques, impedance: 1: the torques that hold the robot's weight
                                // are added
    double stiffness;           // impedance, pick, grip: of the position [N/m]
    double damping;             // [N s/m]
    double rotation_stiffness;  // impedance, grip: of the orientation [N m/rad]
    double rotation_damping;    // [N m s/rad]
    char takes[COND_NAME_SIZE]; // pick, grip: the body that may be grasped; "": any but robots
    double reach;               // pick, grip: largest distance of a body that is grasped [m]
} CondActionDef;

// Observations of an environment besides environment.observe.
typedef enum CondObservationKind {
    COND_OBSERVE_POINT = 0,  // where a point is [m]
    COND_OBSERVE_POINTS = 1, // points along a rod, or of the surface or a patch of a soft body [m]
    COND_OBSERVE_VECTOR = 2, // from one point to another [m]
    COND_OBSERVE_DISTANCE = 3, // of two points [m]
    COND_OBSERVE_ACTION = 4,   // the last action, clamped to its bounds
} CondObservationKind;

typedef struct CondObservationDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondObservationKind kind;
    CondEndDef at; // the point; for a rod without `at` or a soft body without patch: its centre of
                   // mass
    CondEndDef to; // vector, distance: the other point; without a body it is in world axes
    int count;     // points: how many, evenly spread
} CondObservationDef;

typedef enum CondRewardKind {
    COND_REWARD_DISTANCE = 0, // of a point from the goal [m]
    COND_REWARD_HEIGHT = 1,   // of a point above where it was at the start, against gravity [m]
    COND_REWARD_FORCE = 2,    // norm of the contact force on a body [N]
    COND_REWARD_WINDING = 3,  // angle by which a rod winds around an axis, from its begin [rad]
    COND_REWARD_CURVE = 4,    // mean distance of a rod's links from a curve of two arcs [m]
    COND_REWARD_ACTION = 5,   // sum of the squares of the action's values, each over its bound
    COND_REWARD_HOLDS = 6,    // number of the environment's picks and grips that hold a body
} CondRewardKind;

// One term of an environment's reward: weight times a value, which may also end the episode.
typedef struct CondRewardDef {
    char name[COND_NAME_SIZE];
    size_t struct_size; // of this struct, by its default function
    CondRewardKind kind;
    CondEndDef at;     // the body and a point of it
    double goal[3];    // distance; winding: a point of the axis; curve: its middle; world axes [m]
    double axis[3];    // winding: its direction, of any length; curve: the normal of its plane
    double weight;     // per unit of the value
    double done_below; // the episode ends where the value is below [m, N, rad]; NaN: never
    double done_above; // or above
    double target;     // winding: the value is the distance of the angle from this [rad]; NaN: the
                       // angle itself
    double heading;    // curve: its direction in the middle, about axis, from x [rad]
    double curvature[2];  // curve: of its first and its second half [1/m]
    CondEndDef to;        // distance: the point that replaces goal; no body: none
    double scale;         // above 0: weight times 1 - tanh(value / scale) is rewarded
    double success_below; // bounds of the value for success, in its unit; NaN: none
    double success_above;
    int desired; // 1: distance and winding with a target: part of the environment's goal
} CondRewardDef;

// The scene as an environment: the length of an episode, and what is observed.
typedef struct CondEnvironmentSettings {
    int steps;                 // actions after which an episode is cut off
    int substeps;              // time steps per action
    int observe_time;          // 1: part of the observation
    int observe_poses;         // poses and velocities of bodies, positions and rates of joints
    int observe_goals;         // targets of joints and poses that the actions have set
    int observe_wrenches;      // of the attachments and sensors
    int observe_contacts;      // their number, the contact force on every body, the penetration
    int observe_certificate;   // worst of the action's time steps
    int observe_configuration; // q and v of the whole model
    int success_steps;         // consecutive actions for which the success bounds must hold
    int success_ends;          // 1: success ends the episode
} CondEnvironmentSettings;

// By the names of scene files.
COND_ENUM_NAMES(COND_API, CondScale, cond_scale)
COND_ENUM_NAMES(COND_API, CondActionKind, cond_action_kind)
COND_ENUM_NAMES(COND_API, CondActionMode, cond_action_mode)
COND_ENUM_NAMES(COND_API, CondObservationKind, cond_observation_kind)
COND_ENUM_NAMES(COND_API, CondRewardKind, cond_reward_kind)

// Defaults; those of an environment are also used by scenes without that section.
COND_DEFAULT(COND_API, CondEnvironmentSettings, cond_environment_settings_default)
COND_DEFAULT(COND_API, CondVariationDef, cond_variation_def_default)
COND_DEFAULT(COND_API, CondActionDef, cond_action_def_default)
COND_DEFAULT(COND_API, CondRewardDef, cond_reward_def_default)
COND_DEFAULT(COND_API, CondObservationDef, cond_observation_def_default)

#ifdef __cplusplus
}
#endif
#endif
