// Internals of CondEnv.
#ifndef COND_ENV_ENV_H
#define COND_ENV_ENV_H

#include "cond/env.h"

#include "scene/scene.h"
#include "scene_file/scene_source.h"
#include "sim/sim.h"

// A resolved action. Its goal is the target reached so far.
typedef struct CondEnvAct {
    const CondActionDef* def;
    int begin, size; // values of the action vector
    int body;        // the robot; -1: none
    int taken;       // pick, grip: the body that may be grasped; -1: any but robots
    int attachment;  // anchor, pick, grip: index of the attachment in the state; -1: none
    int* coordinate; // joints, velocities, torques: of the robot, in world->coordinate (size)
    CondWeld goal; // pose: anchor and turn are position and orientation in the world; pick: anchor
} CondEnvAct;

// An observed or rewarded point: a point of a body or of the world, or a centre of mass.
typedef struct CondEnvPoint {
    CondFrame frame;
    int centre; // 1 + the body whose centre it is; 0: given by the frame
} CondEnvPoint;

// A resolved reward.
typedef struct CondEnvTerm {
    const CondRewardDef* def;
    CondEnvPoint point, other; // distance and height
    int body;
    double start; // height at the reset [m]
    double value; // after the last action
} CondEnvTerm;

// A resolved observation of the scene's list.
typedef struct CondEnvSight {
    const CondObservationDef* def;
    CondEnvPoint point, other;
    int body;
    CondPoint* many; // points, in world->many                                (count)
} CondEnvSight;

// The data that a reset recreates.
typedef struct CondEnvWorld {
    CondArena arena; // of the arrays below
    CondScene* scene;
    CondModel* model;
    CondState* state;
    CondState* before; // to restore if an action fails
    CondSim* sim;
    CondKinematics kinematics;       // for rewarded and observed points
    struct CondMechanics* mechanics; // for actions by torques; NULL: none
    CondIk** ik;                     // of robots with a pose action, else NULL (n_body)
    double* q;           // configuration that inverse kinematics works on   (largest n_q)
    double* f;           // forces on a robot                                (largest n_dof)
    int* coordinate;     // of all actions of joints
    CondPoint* many;     // of all observations of points
    CondEnvAct* undo;    // copies from before the present action (n_act)
    CondEnvAct* act;     //                                                  (n_act)
    CondEnvTerm* term;   //                                                  (n_term)
    CondEnvSight* sight; //                                                  (n_sight)
    double* told;        // the last action, within its bounds               (n_action)
    double* observation; //                                                  (n_observation)
    uint64_t seed;       // of the scene's draws
    int held;            // consecutive actions within the success bounds
    int n_act, n_term, n_sight, n_action, n_observation;
} CondEnvWorld;

struct CondEnv {
    CondContext context;
    CondEnvDef def;
    char* text;             // copy of the overrides
    const char** line;      // the overrides in it                           (n_override)
    CondSceneSource source; // the scene's tree, with what was drawn last
    CondScene* plain;       // from the file, without draws
    uint64_t root;          // the seed of the last reset
    uint64_t episode;       // since then
    uint64_t seed;          // of this episode
    int n_step;
    int done, cut;
    char message[200]; // reason of the last failed step; "": none
    CondEnvWorld world;
    // The scene and the model for the next seed; NULL: not created yet.
    struct {
        CondScene* scene;
        CondModel* model;
        unsigned char* touched; // bodies, then obstacles that draws change (n_body + n_obstacle)
    } spare;
};

// Creates the actions of a new world: resolves names, initialises goals.
CondStatus cond_env_act_create(CondEnvWorld* world, const CondContext* context, CondError* error);
// Moves targets and anchors in time step `step` (from 0) of `substeps`. COND_OK or
// COND_OUT_OF_MEMORY.
CondStatus cond_env_act_apply(CondEnvWorld* world, const double* action, int step, int substeps);
// Advances the goals after all time steps, and stores the clamped action in `told`.
void cond_env_act_finish(CondEnvWorld* world, const double* action);
// Index of a value of an action that is not finite, or that begins a quaternion that cannot be
// normalised; -1: none.
int cond_env_act_unsound(const CondEnvWorld* world, const double* action);

// 1: the environment cannot be stepped with this action; env->message holds the reason.
int cond_env_refuse(CondEnv* env, const double* action);

// Kinds of actions by their values.
int cond_env_act_is_joints(CondActionKind kind); // one for each coordinate
int cond_env_act_is_pose(CondActionKind kind);   // a position, and with `turns` an orientation
// Bounds of value k of an action, and the value clamped to them.
void cond_env_act_bounds(const CondEnvWorld* world, const CondEnvAct* act, int k, double* low,
                         double* high);
double cond_env_act_told(const CondEnvWorld* world, const CondEnvAct* act, const double* action,
                         int k);
// The target at the end of the action of a pose that is at position and orientation; for
// increments, after the fraction `share` of it.
void cond_env_act_wanted(const CondEnvWorld* world, const CondEnvAct* act, const double* action,
                         double share, const double position[3], const double orientation[4],
                         double to[3], double turned[4]);

// The effects of the kinds in one time step of an action.
void cond_env_lead_joints(CondEnvWorld* world, const CondEnvAct* act, const double* action,
                          int step, int substeps);
void cond_env_lead_pose(CondEnvWorld* world, const CondEnvAct* act, const double* action, int step,
                        int substeps);
void cond_env_lead_anchor(CondEnvWorld* world, const CondEnvAct* act, const double* action,
                          int step, int substeps);
void cond_env_drive_velocities(CondEnvWorld* world, const CondEnvAct* act, const double* action);
void cond_env_drive_torques(CondEnvWorld* world, const CondEnvAct* act, const double* action);
void cond_env_drive_impedance(CondEnvWorld* world, const CondEnvAct* act, const double* action,
                              int step, int substeps);
CondStatus cond_env_take(CondEnvWorld* world, CondEnvAct* act, const double* action, int step,
                         int substeps);

// Resolves a point of the scene by the rules of an attachment's end, except that rods and soft
// bodies default to their centre; messages begin with `owner` ("reward NAME"). point_place returns
// its position at world->kinematics.
CondStatus cond_env_point_resolve(const CondModel* model, const CondEndDef* def, const char* owner,
                                  CondEnvPoint* point, CondError* error);
// The same for all points of a scene's rewards and observations.
CondStatus cond_env_points_check(const CondModel* model, const CondScene* scene, CondError* error);
void cond_env_point_place(const CondEnvWorld* world, const CondEnvPoint* point, double place[3]);
// Points of a rod or a soft body, evenly spread.                                    point (n)
CondStatus cond_env_points_spread(const CondEnvWorld* world, int body, int patch, int n,
                                  CondPoint* point);

// Creates the rewards of a new world; and evaluates their present weighted sum. *success: all
// bounds hold.
CondStatus cond_env_term_create(CondEnvWorld* world, CondError* error);
double cond_env_term_evaluate(CondEnvWorld* world, int* done, int* success);
// The share of the `desired` rewards in the last evaluation.
double cond_env_term_goal(const CondEnvWorld* world);

// Creates the scene's own observations of a new world.
CondStatus cond_env_sight_create(CondEnvWorld* world, CondError* error);
// The number of values of an observation; and the update of world->observation to the present
// state, with the certificate of the last action.
int cond_env_observe_count(const CondEnvWorld* world);
void cond_env_observe(CondEnvWorld* world, double certificate);
// The achieved and desired values of the environment's goal. Either pointer may be NULL; returns
// their number.
int cond_env_goal_values(const CondEnvWorld* world, double* achieved, double* desired);

// As cond_env_create, reset with another seed.
CondStatus cond_env_create_seeded(const CondContext* context, const CondEnvDef* def, uint64_t seed,
                                  CondEnv** env, CondError* error);

// Creates the world of a seed, ready to step. On failure it is empty.
CondStatus cond_env_world_create(CondEnv* env, uint64_t seed, CondEnvWorld* world,
                                 CondError* error);
void cond_env_world_destroy(CondEnvWorld* world);
// Changes env->world to that of another seed, in place if possible. On failure it is unchanged.
CondStatus cond_env_world_redraw(CondEnv* env, uint64_t seed, CondError* error);
void cond_env_spare_destroy(CondEnv* env);

#endif
