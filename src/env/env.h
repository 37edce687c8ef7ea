// Inside of a CondEnv.
#ifndef COND_ENV_ENV_H
#define COND_ENV_ENV_H

#include "cond/env.h"

#include "io/scene_source.h"
#include "scene/scene.h"
#include "step/sim.h"

// An action, resolved. Its goal is where it has led so far.
typedef struct CondEnvAct {
    const CondActionDef* def;
    int begin, size; // values of the action vector
    int body;        // joints, pose
    int attachment;  // anchor
    CondWeld goal;   // pose: anchor and turn are position and orientation in the world
} CondEnvAct;

// A reward, resolved.
typedef struct CondEnvTerm {
    const CondRewardDef* def;
    CondFrame frame; // distance and height
    int body;
    double start; // height at the reset [m]
    double value; // after the last action
} CondEnvTerm;

// Everything that a reset makes anew.
typedef struct CondEnvWorld {
    CondScene* scene;
    CondModel* model;
    CondState* state;
    CondState* before; // to go back to when an action fails
    CondSim* sim;
    CondKinematics kinematics; // of the points that are rewarded
    CondIk** ik;               // of the robots that a pose action leads, else NULL (n_body)
    double* q;                 // configuration that inverse kinematics works on   (largest n_q)
    CondEnvAct* act;           //                                                  (n_act)
    CondEnvTerm* term;         //                                                  (n_term)
    double* observation;       //                                                  (n_observation)
    int n_act, n_term, n_action, n_observation;
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
    CondEnvWorld world;
};

// The actions of a new world: resolves names, places goals.
CondStatus cond_env_act_create(CondEnvWorld* world, const CondContext* context, CondError* error);
// Leads targets and anchors through time step `step` (from 0) of `substeps`.
void cond_env_act_apply(CondEnvWorld* world, const double* action, int step, int substeps);
// Moves the goals on when all of these are made.
void cond_env_act_finish(CondEnvWorld* world, const double* action);
// 1: every value is finite.
int cond_env_act_sound(const CondEnvWorld* world, const double* action);

// The rewards of a new world; and their values now, summed up.
CondStatus cond_env_term_create(CondEnvWorld* world, const CondContext* context, CondError* error);
double cond_env_term_evaluate(CondEnvWorld* world, int* done);

// How many values an observation has; and world->observation as things are now, with the
// certificate of the last action.
int cond_env_observe_count(const CondEnvWorld* world);
void cond_env_observe(CondEnvWorld* world, double certificate);

// As cond_env_create, reset with another seed.
CondStatus cond_env_create_seeded(const CondContext* context, const CondEnvDef* def, uint64_t seed,
                                  CondEnv** env, CondError* error);

// World of a seed, ready to step. On failure it is empty.
CondStatus cond_env_world_create(CondEnv* env, uint64_t seed, CondEnvWorld* world,
                                 CondError* error);
void cond_env_world_destroy(const CondContext* context, CondEnvWorld* world);

#endif
