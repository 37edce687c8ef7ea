// CondRollout: many states of one model stepped in parallel, each with its own controls: for
// model-predictive control, planning and identification. Each state is stepped by one thread at a
// time and gets the same bits as in a single simulation.
#ifndef COND_ROLLOUT_H
#define COND_ROLLOUT_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Contents of a control, as bits; their numbers follow each other in this order. Those of motors
// have one number for each joint coordinate of each robot (cond_model_n_coordinate), robot by
// robot.
typedef enum CondControl {
    COND_CONTROL_TARGET = 1, // targets of the motors, constant over the step [rad, m]
    COND_CONTROL_MOVE = 2,   // targets that are approached during the step; not with TARGET
    COND_CONTROL_SPEED = 4,  // target speed of the motors' dampers [rad/s, m/s]
    COND_CONTROL_TORQUE = 8, // of the motors [N m, N]
    COND_CONTROL_FORCE = 16, // on the velocity coordinates of all bodies [N, N m]        (n_dof)
} CondControl;

COND_ENUM_NAMES(COND_API, CondControl, cond_control)
// The number of values of a control; -1 for an invalid combination of bits.
COND_API int cond_model_n_control(const CondModel* model, int controls);
// The number of values of a state in a rollout: time, configuration and velocity, 1 + n_q + n_dof.
COND_API int cond_model_n_state(const CondModel* model);
// Values of a sensor in a rollout: force and torque; for an imu acceleration and angular velocity;
// for a range finder its distance, then zeros.
enum { COND_SENSOR_SIZE = 6 };

// Inputs and results; any array of results may be NULL. Rows of steps that were not made hold NaN,
// and COND_CANCELLED as their status.
typedef struct CondRolloutDef {
    size_t struct_size;    // of this struct, by its default function
    int n_step;            //
    int controls;          // contents of a control: CondControl bits; 0: none
    const double* control; //                                          (n x n_step x n_control)
    double* state;         // after each step                          (n x n_step x n_state)
    double* sensor;      // in each step                 (n x n_step x n_sensor x COND_SENSOR_SIZE)
    double* certificate; // residual of the step's contact problem   (n x n_step)
    int* status;         // a CondStatus; negative: the states after it are missing
                         //                                          (n x n_step)
    int* finished;       // steps that were made                     (n)
    // Called between steps, by the calling thread only. If it does not return 0, all states stop
    // after their present step; finished steps are kept. NULL: never cancel.
    int (*cancelled)(void* user);
    void* user; // handed to it
} CondRolloutDef;
COND_DEFAULT(COND_API, CondRolloutDef, cond_rollout_def_default)

typedef struct CondRollout CondRollout;

// threads: the number of workspaces, one per thread; 0: as the run time decides. The model must
// outlive the rollout, and its context's callbacks must be thread-safe.
COND_API CondStatus cond_rollout_create(const CondModel* model, int threads, CondRollout** rollout,
                                        CondError* error);
COND_API void cond_rollout_destroy(CondRollout* rollout); // NULL is fine

// Steps n states in place. A state whose step fails keeps its last value, and the others continue;
// only `status` reports the failure. Returns COND_OK, the worst warning of a step such as
// COND_NOT_CONVERGED, COND_CANCELLED, or a negative status for missing memory or an invalid
// definition.                                                                       state (n)
COND_API CondStatus cond_rollout_run(CondRollout* rollout, int n, CondState* const* state,
                                     const CondRolloutDef* def, CondError* error);

#ifdef __cplusplus
}
#endif
#endif
