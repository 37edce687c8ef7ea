// Functions of libcond_io for programs that were compiled with the headers of version 0.1.
// Since 0.2 the headers pass the size of each of these structs to a function NAME_sized; a program
// that was compiled with the headers of 0.1 calls NAME, and knows the struct up to the field given
// here. Nothing of the library calls these functions.
#define cond_env_step cond_env_step_of_0_2
#define cond_env_batch_step cond_env_batch_step_of_0_2
#define cond_env_action_slot cond_env_action_slot_of_0_2
#define cond_env_observation_slot cond_env_observation_slot_of_0_2
#define cond_env_goal_slot cond_env_goal_slot_of_0_2
#define cond_mesh_read cond_mesh_read_of_0_2
#define cond_snapshot_take cond_snapshot_take_of_0_2
#define cond_record_frame cond_record_frame_of_0_2
#include "cond/env.h"
#include "cond/mesh.h"
#include "cond/record.h"
#include "cond/snapshot.h"
#undef cond_env_step
#undef cond_env_batch_step
#undef cond_env_action_slot
#undef cond_env_observation_slot
#undef cond_env_goal_slot
#undef cond_mesh_read
#undef cond_snapshot_take
#undef cond_record_frame

#include <stddef.h>

// The size of a struct whose last field was this one, with its padding.
#define UNTIL(Type, field)                                                                         \
    ((offsetof(Type, field) + sizeof((Type){0}).field + _Alignof(Type) - 1) / _Alignof(Type) *     \
     _Alignof(Type))

COND_IO_API CondStatus cond_env_step(CondEnv* env, const double* action, CondEnvResult* result);
CondStatus cond_env_step(CondEnv* env, const double* action, CondEnvResult* result)
{
    return cond_env_step_sized(env, action, result, UNTIL(CondEnvResult, goal_reward));
}

COND_IO_API CondStatus cond_env_batch_step(CondEnvBatch* batch, const double* action,
                                           CondEnvResult* result);
CondStatus cond_env_batch_step(CondEnvBatch* batch, const double* action, CondEnvResult* result)
{
    return cond_env_batch_step_sized(batch, action, result, UNTIL(CondEnvResult, goal_reward));
}

COND_IO_API int cond_env_action_slot(const CondEnv* env, int slot, CondEnvSlot* out);
int cond_env_action_slot(const CondEnv* env, int slot, CondEnvSlot* out)
{
    return cond_env_action_slot_sized(env, slot, out, UNTIL(CondEnvSlot, size));
}

COND_IO_API int cond_env_observation_slot(const CondEnv* env, int slot, CondEnvSlot* out);
int cond_env_observation_slot(const CondEnv* env, int slot, CondEnvSlot* out)
{
    return cond_env_observation_slot_sized(env, slot, out, UNTIL(CondEnvSlot, size));
}

COND_IO_API int cond_env_goal_slot(const CondEnv* env, int slot, CondEnvSlot* out);
int cond_env_goal_slot(const CondEnv* env, int slot, CondEnvSlot* out)
{
    return cond_env_goal_slot_sized(env, slot, out, UNTIL(CondEnvSlot, size));
}

COND_IO_API CondStatus cond_mesh_read(const CondContext* context, const char* path, CondMesh** mesh,
                                      CondMeshReport* report, CondError* error);
CondStatus cond_mesh_read(const CondContext* context, const char* path, CondMesh** mesh,
                          CondMeshReport* report, CondError* error)
{
    return cond_mesh_read_sized(context, path, mesh, report, error, UNTIL(CondMeshReport, warning));
}

COND_IO_API CondStatus cond_snapshot_take(CondSnapshot* snapshot, const CondSim* sim,
                                          const CondState* state, const CondStepInfo* info,
                                          CondError* error);
CondStatus cond_snapshot_take(CondSnapshot* snapshot, const CondSim* sim, const CondState* state,
                              const CondStepInfo* info, CondError* error)
{
    return cond_snapshot_take_sized(snapshot, sim, state, info, error,
                                    UNTIL(CondStepInfo, seconds));
}

COND_IO_API CondStatus cond_record_frame(CondRecord* record, const CondSim* sim,
                                         const CondState* state, const CondStepInfo* info,
                                         CondError* error);
CondStatus cond_record_frame(CondRecord* record, const CondSim* sim, const CondState* state,
                             const CondStepInfo* info, CondError* error)
{
    return cond_record_frame_sized(record, sim, state, info, error, UNTIL(CondStepInfo, seconds));
}
