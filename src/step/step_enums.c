// The names of the enumerations of cond/sim.h and cond/rollout.h that belong to steps.
#include "base/enum_name.h"
#include "cond/rollout.h"

COND_ENUM_TABLE(CondStage, cond_stage, {COND_STAGE_FORCES, "forces"}, {COND_STAGE_MATRIX, "matrix"},
                {COND_STAGE_COLLIDE, "collide"}, {COND_STAGE_ASSEMBLE, "assemble"},
                {COND_STAGE_NODALIZE, "nodalize"}, {COND_STAGE_SOLVE, "solve"},
                {COND_STAGE_INTEGRATE, "integrate"}, {COND_STAGE_IMPACT, "impact"},
                {COND_STAGE_CORRECT, "correct"}, {COND_STAGE_COMMIT, "commit"})

COND_ENUM_TABLE(CondControl, cond_control, {COND_CONTROL_TARGET, "target"},
                {COND_CONTROL_MOVE, "move"}, {COND_CONTROL_SPEED, "speed"},
                {COND_CONTROL_TORQUE, "torque"}, {COND_CONTROL_FORCE, "force"})
