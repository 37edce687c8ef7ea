// CondEnv: a scene as an environment to learn in or to control. A reset takes a seed, which draws
// the values of the scene's section `randomise`. A step takes an action, as the sections `actions`
// and `environment` describe it, and returns an observation, a reward and the end of the episode
// (`rewards`). A CondEnvBatch steps many environments on several threads. An environment shares no
// data with others, so that in a batch it gives the same bits as alone.
#ifndef COND_ENV_H
#define COND_ENV_H

#include "cond/renderer.h"
#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondEnv CondEnv;
typedef struct CondEnvBatch CondEnvBatch;

// A reward computed by the program, added to that of the scene; setting *done to 1 ends the
// episode. It is called after every action; in a batch, several threads call it at once, each for a
// different environment.
typedef double CondEnvReward(const CondEnv* env, void* user, int* done);

typedef struct CondEnvDef {
    size_t struct_size;          // of this struct, by its default function
    const char* scene;           // path of a scene file; NULL: see text and made
    int n_override;              //
    const char* const* override; // "path=value", copied                      (n_override)
    CondEnvReward* reward;       // NULL: the scene's alone
    void* user;                  // for the reward
    // In place of a path: a scene as YAML text, whose relative paths begin in `folder` (NULL: the
    // working directory), or a scene in memory. All are copied: text and scene may be changed or
    // destroyed once the environment is made.
    const char* text;
    const char* folder;
    const CondScene* made;
} CondEnvDef;

COND_DEFAULT(COND_IO_API, CondEnvDef, cond_env_def_default)

// An environment, reset with seed 0. Messages name the file, line and key that is wrong.
COND_IO_API CondStatus cond_env_create(const CondContext* context, const CondEnvDef* def,
                                       CondEnv** env, CondError* error);
COND_IO_API void cond_env_destroy(CondEnv* env);

// Begins an episode with the scene that the seed draws. On failure, for example if the scene
// refuses a drawn value, the environment is unchanged.
COND_IO_API CondStatus cond_env_reset(CondEnv* env, uint64_t seed, CondError* error);
// Begins the next episode of the seed that the environment was last reset with: episode 0 uses the
// seed itself, episode k cond_env_episode_seed(seed, k). The automatic reset of a batch does the
// same, so that an environment has the same episodes in a batch as alone.
COND_IO_API CondStatus cond_env_reset_next(CondEnv* env, CondError* error);
// Episode 0: the seed; later ones: number `episode` (from 1) of SplitMix64 started with the seed.
COND_IO_API uint64_t cond_env_episode_seed(uint64_t seed, uint64_t episode);
// The seed of this episode, and its number since cond_env_reset.
COND_IO_API uint64_t cond_env_seed(const CondEnv* env);
COND_IO_API uint64_t cond_env_episode(const CondEnv* env);
// The value drawn by the seed: number `index` of the section `randomise`; NaN past the end.
COND_IO_API double cond_env_drawn(const CondEnv* env, int index);

// The result of an action.
typedef struct CondEnvResult {
    CondStatus status;  // worst of the time steps; COND_DIVERGED ends the episode
    double reward;      // sum of weight times value, and the def's own
    int done;           // 1: a reward's bound, the def's own reward or divergence ended the episode
    int cut;            // 1: the episode has reached its number of steps
    int missed;         // time steps that missed their tolerance
    double certificate; // worst of the time steps
    int success;        // 1: all success bounds of the rewards hold, for as long as the scene asks
    double goal_reward; // the share of the rewards that are `desired`
} CondEnvResult;

// Acts and simulates. Values beyond the bounds are clamped to them. COND_BAD_ARGUMENT if a value is
// not finite or the episode is over. After that error, and after COND_OUT_OF_MEMORY, the
// environment is unchanged. action may be NULL where it has no values.             (n_action)
COND_IO_API CondStatus cond_env_step_sized(CondEnv* env, const double* action,
                                           CondEnvResult* result, size_t size);
static inline CondStatus cond_env_step(CondEnv* env, const double* action, CondEnvResult* result)
{
    return cond_env_step_sized(env, action, result, sizeof(CondEnvResult));
}
// The reason why the last step failed or was refused, such as "action[2] (arm.joints) is nan,
// expected a finite number"; "" if it succeeded.
COND_IO_API const char* cond_env_message(const CondEnv* env);
// Actions since the reset.
COND_IO_API int cond_env_n_step(const CondEnv* env);
COND_IO_API int cond_env_is_over(const CondEnv* env);

// Values that belong together, such as "arm.panda_joint1" or "box.position".
typedef struct CondEnvSlot {
    char name[3 * COND_NAME_SIZE];
    const char* unit; // "" where there is none
    int begin, size;  // of the values in the vector
} CondEnvSlot;

// The action: the number of its values, their slots (0 past the last one), and their bounds.
COND_IO_API int cond_env_n_action(const CondEnv* env);
COND_IO_API int cond_env_action_slot_sized(const CondEnv* env, int slot, CondEnvSlot* out,
                                           size_t size);
static inline int cond_env_action_slot(const CondEnv* env, int slot, CondEnvSlot* out)
{
    return cond_env_action_slot_sized(env, slot, out, sizeof(CondEnvSlot));
}
COND_IO_API void cond_env_action_bounds(const CondEnv* env, double* low,
                                        double* high); // (n_action)

// The action without effect: zeros for increments, the present targets for absolute ones. And a
// random action from a seed: uniform within the bounds; values without bounds are those of the
// action without effect.                                                           (n_action)
COND_IO_API void cond_env_action_still(const CondEnv* env, double* action);
COND_IO_API void cond_env_action_draw(const CondEnv* env, uint64_t seed, double* action);

// The observation after the last action or reset, n_observation numbers. Its layout is the same for
// every seed.
COND_IO_API int cond_env_n_observation(const CondEnv* env);
COND_IO_API int cond_env_observation_slot_sized(const CondEnv* env, int slot, CondEnvSlot* out,
                                                size_t size);
static inline int cond_env_observation_slot(const CondEnv* env, int slot, CondEnvSlot* out)
{
    return cond_env_observation_slot_sized(env, slot, out, sizeof(CondEnvSlot));
}
COND_IO_API const double* cond_env_observation(const CondEnv* env);

// The scene's rewards, term by term: the value, not weighted, and its name.
COND_IO_API int cond_env_n_reward(const CondEnv* env);
COND_IO_API double cond_env_reward_value(const CondEnv* env, int reward, const char** name);

// The environment's goal: for the rewards that are `desired`, the present values (achieved) and the
// wanted ones (desired), n_goal numbers each; either pointer may be NULL. Both have the same slots
// (0 past the last).                                               achieved, desired (n_goal)
COND_IO_API int cond_env_n_goal(const CondEnv* env);
COND_IO_API int cond_env_goal_slot_sized(const CondEnv* env, int slot, CondEnvSlot* out,
                                         size_t size);
static inline int cond_env_goal_slot(const CondEnv* env, int slot, CondEnvSlot* out)
{
    return cond_env_goal_slot_sized(env, slot, out, sizeof(CondEnvSlot));
}
COND_IO_API void cond_env_goal(const CondEnv* env, double* achieved, double* desired);
// The reward of these goals for given numbers: for hindsight replay, which changes goals
// afterwards.
COND_IO_API double cond_env_goal_reward(const CondEnv* env, const double* achieved,
                                        const double* desired);

// Model, state and simulation of the environment, until the next reset or load.
COND_IO_API const CondModel* cond_env_model(const CondEnv* env);
COND_IO_API const CondState* cond_env_state(const CondEnv* env);
COND_IO_API const CondSim* cond_env_sim(const CondEnv* env);

// Saves the whole environment as bytes and loads it, as cond_state_save and cond_state_load do: a
// loaded environment continues with the same bits, in any environment made from the same def. On
// failure load leaves the environment as it was.
COND_IO_API CondStatus cond_env_save(const CondEnv* env, void* buffer, size_t capacity,
                                     size_t* size);
COND_IO_API CondStatus cond_env_load(CondEnv* env, const void* buffer, size_t size,
                                     CondError* error);
// A number that two environments of one def share only if they have the same future.
COND_IO_API uint64_t cond_env_hash(const CondEnv* env);

// n environments from one def, reset with the seeds 0 .. n - 1. threads: the number that step them;
// 0: as the run time decides. Each environment runs on one thread at a time. The context's
// callbacks must be thread-safe.
COND_IO_API CondStatus cond_env_batch_create(const CondContext* context, const CondEnvDef* def,
                                             int n, int threads, CondEnvBatch** batch,
                                             CondError* error);
COND_IO_API void cond_env_batch_destroy(CondEnvBatch* batch);
COND_IO_API int cond_env_batch_size(const CondEnvBatch* batch);
COND_IO_API CondEnv* cond_env_batch_env(CondEnvBatch* batch, int index);
// Resets the environments for which which[i] is not 0; NULL: all. The error is that of the first
// one that failed; the others are reset nevertheless.           seed, which (n)
COND_IO_API CondStatus cond_env_batch_reset(CondEnvBatch* batch, const uint64_t* seed,
                                            const int* which, CondError* error);
// Steps the environments that are not over. The result of one that is over has status COND_OK,
// reward 0, and done or cut as its last step left them. Returns the worst status. If an environment
// refuses its action, none is stepped; its cond_env_message says why.
//                                                           action (n x n_action), result (n)
COND_IO_API CondStatus cond_env_batch_step_sized(CondEnvBatch* batch, const double* action,
                                                 CondEnvResult* result, size_t size);
static inline CondStatus cond_env_batch_step(CondEnvBatch* batch, const double* action,
                                             CondEnvResult* result)
{
    return cond_env_batch_step_sized(batch, action, result, sizeof(CondEnvResult));
}
// Handling of finished episodes, by the names of Gymnasium 1.x.
typedef enum CondAutoreset {
    COND_AUTORESET_NEXT_STEP = 0, // the next call begins another one: its action is ignored, its
                                  // reward is 0
    COND_AUTORESET_SAME_STEP = 1, // another one begins at once: observation is its first,
                                  // final_observation the last of the finished one
    COND_AUTORESET_DISABLED = 2,  // they stay over, and are not stepped, until they are reset
} CondAutoreset;
COND_ENUM_NAMES(COND_IO_API, CondAutoreset, cond_autoreset)

// Arrays of the caller, one row per environment; any may be NULL. Rows of final_observation whose
// episode did not end in this call are left as they were.
typedef struct CondEnvArrays {
    size_t struct_size;          // of this struct, by its default function
    double* observation;         //                                          (n x n_observation)
    double* reward;              //                                          (n)
    uint8_t* done;               // 1 or 0, as the next three; as in CondEnvResult         (n)
    uint8_t* cut;                //                                          (n)
    uint8_t* began;              // the observation is the first of an episode               (n)
    uint8_t* ended;              // an episode ended: final_observation holds its last       (n)
    double* certificate;         // worst of the time steps; 0 where none was made           (n)
    int32_t* missed;             // time steps that missed their tolerance                   (n)
    int32_t* status;             // CondStatus of each                       (n)
    double* final_observation;   // same step                                (n x n_observation)
    uint8_t* success;            // 1 or 0, as in CondEnvResult              (n)
    double* achieved_goal;       // with the observation                     (n x n_goal)
    double* desired_goal;        //                                          (n x n_goal)
    double* final_achieved_goal; // with final_observation                 (n x n_goal)
    double* final_desired_goal;  //                                        (n x n_goal)
    double* goal_reward;         // as in CondEnvResult                      (n)
} CondEnvArrays;
COND_DEFAULT(COND_IO_API, CondEnvArrays, cond_env_arrays_default)

// Steps all environments with one call, resets as `autoreset` says (each by cond_env_reset_next),
// and fills the arrays. Returns the worst status: a failure of a step or of a reset, which the
// error describes and which leaves that environment unchanged, else the worst warning. Divergence
// ends the episode and is not a failure here.                           action (n x n_action)
COND_IO_API CondStatus cond_env_batch_advance(CondEnvBatch* batch, const double* action,
                                              CondAutoreset autoreset, const CondEnvArrays* arrays,
                                              CondError* error);
// A renderer for environments of the def that this one was made from. It has a model of its own, as
// the scene of the present episode gives it, and may outlive the environment.
COND_IO_API CondStatus cond_env_renderer_create(const CondEnv* env, const CondRendererDef* def,
                                                CondRenderer** renderer, CondError* error);
// Pictures of all environments as they are now. Shapes that a reset has drawn anew are prepared
// again. arrays: of cond_env_batch_size rows.
COND_IO_API CondStatus cond_env_batch_draw(CondEnvBatch* batch, CondRenderer* renderer,
                                           const CondRendererArrays* arrays, CondError* error);
// All observations, one after the other.                observation (n x n_observation)
COND_IO_API void cond_env_batch_observe(const CondEnvBatch* batch, double* observation);

#ifdef __cplusplus
}
#endif
#endif
