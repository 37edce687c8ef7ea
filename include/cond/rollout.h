// CondRollout: many states of one model stepped in parallel, each with its own controls: for
// model-predictive control, planning and identification. Every state is stepped by one thread at a
// time, so that it gets the same bits as alone.
#ifndef COND_ROLLOUT_H
#define COND_ROLLOUT_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Contents of a control, as bits; they follow each other in this order. Of motors: one number for
// each joint coordinate of each robot (cond_model_n_coordinate), robot by robot.
typedef enum CondControl {
    COND_CONTROL_TARGET = 1, // where the motors pull, and stay [rad, m]
    COND_CONTROL_MOVE = 2,   // the same, but targets move there during the step; not both
    COND_CONTROL_SPEED = 4,  // that the motors' dampers hold [rad/s, m/s]
    COND_CONTROL_TORQUE = 8, // of the motors [N m, N]
    COND_CONTROL_FORCE = 16, // on the velocity coordinates of all bodies [N, N m]        (n_dof)
} CondControl;

COND_ENUM_NAMES(COND_API, CondControl, cond_control)
// How many numbers a control has; -1 for bits that make no sense.
COND_API int cond_model_n_control(const CondModel* model, int controls);
// Numbers of a state in a rollout: its time, configuration and velocity, 1 + n_q + n_dof.
COND_API int cond_model_n_state(const CondModel* model);
// Numbers of a sensor in a rollout: force and torque; of an imu acceleration and angular velocity;
// of a range finder its distance, and zeros.
enum { COND_SENSOR_SIZE = 6 };

// Inputs and results; any array of results may be NULL. Rows of steps that were not made hold NaN,
// and COND_CANCELLED as their status.
typedef struct CondRolloutDef {
    size_t struct_size;    // of this struct, by its default function
    int n_step;            //
    int controls;          // what a control holds: CondControl bits; 0: nothing
    const double* control; //                                          (n x n_step x n_control)
    double* state;         // after each step                          (n x n_step x n_state)
    double* sensor;      // in each step                 (n x n_step x n_sensor x COND_SENSOR_SIZE)
    double* certificate; // residual of the step's contact problem   (n x n_step)
    int* status;         // a CondStatus; negative: the states after it are missing
                         //                                          (n x n_step)
    int* finished;       // steps that were made                     (n)
    // Asked between steps by the calling thread alone. Not 0: all stop after their present step,
    // and what is finished is kept. NULL: everything is wanted.
    int (*cancelled)(void* user);
    void* user; // handed to it
} CondRolloutDef;
COND_DEFAULT(COND_API, CondRolloutDef, cond_rollout_def_default)

typedef struct CondRollout CondRollout;

// Workspaces for so many threads; 0: as the run time decides. The model must outlive it, and its
// context's callbacks must be thread-safe.
COND_API CondStatus cond_rollout_create(const CondModel* model, int threads, CondRollout** rollout,
                                        CondError* error);
COND_API void cond_rollout_destroy(CondRollout* rollout); // NULL is fine

// Steps n states, which end as their last step left them. A state whose step fails stays where it
// was, and the others go on. COND_OK, or COND_NOT_CONVERGED and the like where a step says so;
// COND_CANCELLED; negative also where memory is short or the definition makes no sense. That a
// state's step failed is told in `status` alone.                                       state (n)
COND_API CondStatus cond_rollout_run(CondRollout* rollout, int n, CondState* const* state,
                                     const CondRolloutDef* def, CondError* error);

#ifdef __cplusplus
}
#endif
#endif
