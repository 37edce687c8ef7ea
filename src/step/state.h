// Inside of a CondState: configuration, velocity, time and what warm-starts the next step.
#ifndef COND_STEP_STATE_H
#define COND_STEP_STATE_H

#include "scene/model.h"

// A contact force to start the next step from.
typedef struct CondContactMemory {
    uint64_t key;
    double lambda[3];
} CondContactMemory;

struct CondState {
    CondContext context;
    int n_body;
    int n_dof;
    double time;  // [s]
    int64_t step; // steps taken; time = start + step * time_step, without drift
    int n_q;
    double* q;                 // configuration of all bodies                (n_q)
    double* v;                 // v_k                                        (n_dof)
    double* v_hat;             // representative velocity of the last step   (n_dof)
    CondContactMemory* memory; // by ascending key                           (n_memory)
    int n_memory;
    int cap_memory;
};

#endif
