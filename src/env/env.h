// Inside of a CondEnv.
#ifndef COND_ENV_ENV_H
#define COND_ENV_ENV_H

#include "cond/env.h"

#include "scene/scene.h"
#include "scene_file/scene_source.h"
#include "sim/sim.h"

// An action, resolved. Its goal is where it has led so far.
typedef struct CondEnvAct {
    const CondActionDef* def;
    int begin, size; // values of the action vector
    int body;        // the robot; -1: none
    int taken;       // pick, grip: the body they may take; -1: any but robots
    int attachment;  // anchor; pick, grip: what holds, in the state; -1: nothing
    int* coordinate; // joints, velocities, torques: of the robot, in world->coordinate (size)
    CondWeld goal; // pose: anchor and turn are position and orientation in the world; pick: anchor
} CondEnvAct;

// A point that is observed or rewarded: of a body, or its centre of mass, or of the world.
typedef struct CondEnvPoint {
    CondFrame frame;
    int centre; // 1 + the body whose centre it is; 0: the frame says it
} CondEnvPoint;

// A reward, resolved.
typedef struct CondEnvTerm {
    const CondRewardDef* def;
    CondEnvPoint point, other; // distance and height
    int body;
    double start; // height at the reset [m]
    double value; // after the last action
} CondEnvTerm;

// An observation of the scene's list, resolved.
typedef struct CondEnvSight {
    const CondObservationDef* def;
    CondEnvPoint point, other;
    int body;
    CondPoint* many; // points, in world->many                                (count)
} CondEnvSight;

// Everything that a reset makes anew.
typedef struct CondEnvWorld {
    CondArena arena; // of what follows, but for what has a function to destroy it
    CondScene* scene;
    CondModel* model;
    CondState* state;
    CondState* before; // to go back to when an action fails
    CondSim* sim;
    CondKinematics kinematics;       // of the points that are rewarded and observed
    struct CondMechanics* mechanics; // of actions by torques; NULL: there are none
    CondIk** ik;                     // of the robots that a pose action leads, else NULL (n_body)
    double* q;           // configuration that inverse kinematics works on   (largest n_q)
    double* f;           // forces on a robot                                (largest n_dof)
    int* coordinate;     // of all actions of joints
    CondPoint* many;     // of all observations of points
    CondEnvAct* undo;    // as they were before the action that is being made (n_act)
    CondEnvAct* act;     //                                                  (n_act)
    CondEnvTerm* term;   //                                                  (n_term)
    CondEnvSight* sight; //                                                  (n_sight)
    double* told;        // the last action, within its bounds               (n_action)
    double* observation; //                                                  (n_observation)
    uint64_t seed;       // that drew the scene
    int held;            // actions in a row that kept the success bounds
    int n_act, n_term, n_sight, n_action, n_observation;
} CondEnvWorld;

struct CondEnv {
    CondContext context;
    CondEnvDef def;
    char* text;             // copy of the overrides
    const char** line;      // the overrides in it                           (n_override)
    CondSceneSource source; // the scene's tree, with what was drawn last
    CondScene* plain;       // as the file says, nothing drawn
    uint64_t root;          // the seed of the last reset
    uint64_t episode;       // since then
    uint64_t seed;          // of this episode
    int n_step;
    int done, cut;
    char message[200]; // why the last step that failed did; "": none did
    CondEnvWorld world;
    // The scene and the model that the next seed is drawn into; NULL: not made yet.
    struct {
        CondScene* scene;
        CondModel* model;
        unsigned char* touched; // bodies, then obstacles that draws change (n_body + n_obstacle)
    } spare;
};

// The actions of a new world: resolves names, places goals.
CondStatus cond_env_act_create(CondEnvWorld* world, const CondContext* context, CondError* error);
// Leads targets and anchors through time step `step` (from 0) of `substeps`. COND_OUT_OF_MEMORY, or
// fine.
CondStatus cond_env_act_apply(CondEnvWorld* world, const double* action, int step, int substeps);
// Moves the goals on when all of these are made, and notes what was told.
void cond_env_act_finish(CondEnvWorld* world, const double* action);
// Which value of an action is not finite, or begins a quaternion that nothing can be divided by;
// -1: none is.
int cond_env_act_unsound(const CondEnvWorld* world, const double* action);

// 1: the environment cannot be stepped with this action, as env->message then says.
int cond_env_refuse(CondEnv* env, const double* action);

// Kinds of actions by what their values are.
int cond_env_act_is_joints(CondActionKind kind); // one for each coordinate
int cond_env_act_is_pose(CondActionKind kind);   // a position, and an orientation where it turns
// Bounds of value k of an action, and what is told of it, within them.
void cond_env_act_bounds(const CondEnvWorld* world, const CondEnvAct* act, int k, double* low,
                         double* high);
double cond_env_act_told(const CondEnvWorld* world, const CondEnvAct* act, const double* action,
                         int k);
// Where a pose that is at position and orientation shall be at the end of the action, or where a
// share of its increment leads.
void cond_env_act_wanted(const CondEnvWorld* world, const CondEnvAct* act, const double* action,
                         double share, const double position[3], const double orientation[4],
                         double to[3], double turned[4]);

// The kinds: what they do in one time step of an action.
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

// A point of the scene, by the rules of an attachment's end, but that rods and soft bodies have a
// centre; `owner` ("reward NAME") begins messages. Where it is, at world->kinematics.
CondStatus cond_env_point_resolve(const CondModel* model, const CondEndDef* def, const char* owner,
                                  CondEnvPoint* point, CondError* error);
// The same for all points of a scene's rewards and observations.
CondStatus cond_env_points_check(const CondModel* model, const CondScene* scene, CondError* error);
void cond_env_point_place(const CondEnvWorld* world, const CondEnvPoint* point, double place[3]);
// Points of a rod or a soft body, evenly spread.                                    point (n)
CondStatus cond_env_points_spread(const CondEnvWorld* world, int body, int patch, int n,
                                  CondPoint* point);

// The rewards of a new world; and their values now, summed up. *success: all bounds hold.
CondStatus cond_env_term_create(CondEnvWorld* world, CondError* error);
double cond_env_term_evaluate(CondEnvWorld* world, int* done, int* success);
// Of the values that it found, what those that are `desired` are worth.
double cond_env_term_goal(const CondEnvWorld* world);

// The scene's own observations of a new world.
CondStatus cond_env_sight_create(CondEnvWorld* world, CondError* error);
// How many values an observation has; and world->observation as things are now, with the
// certificate of the last action.
int cond_env_observe_count(const CondEnvWorld* world);
void cond_env_observe(CondEnvWorld* world, double certificate);
// The environment's goal, and how far it is: values of the rewards that are part of it. Either may
// be NULL; returns how many.
int cond_env_goal_values(const CondEnvWorld* world, double* achieved, double* desired);

// As cond_env_create, reset with another seed.
CondStatus cond_env_create_seeded(const CondContext* context, const CondEnvDef* def, uint64_t seed,
                                  CondEnv** env, CondError* error);

// World of a seed, ready to step. On failure it is empty.
CondStatus cond_env_world_create(CondEnv* env, uint64_t seed, CondEnvWorld* world,
                                 CondError* error);
void cond_env_world_destroy(CondEnvWorld* world);
// Makes env->world that of another seed, in place where that is possible. On failure it is as it
// was.
CondStatus cond_env_world_redraw(CondEnv* env, uint64_t seed, CondError* error);
void cond_env_spare_destroy(CondEnv* env);

#endif
