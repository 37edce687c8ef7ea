// Contents of a CondState: configuration, velocity, time, and the warm start of the next step.
#ifndef COND_MODEL_STATE_H
#define COND_MODEL_STATE_H

#include "model/key.h"
#include "model/model.h"

// A contact force for the warm start of the next step.
typedef struct CondContactMemory {
    CondContactKey key;
    double lambda[3];
    int64_t triangle;  // soft contact: triangle of the vertex; else -1
    double tangent[3]; // first one of the contact frame
} CondContactMemory;

// An attachment in a state, with the relative pose of its two frames.
typedef struct CondWeld {
    int attachment; // index into CondModel.attachment; -1: made by the user
    int active;     //
    int waits;      // 1: inactive because a body is switched off; it will hold again
    CondAttachment what;
    double anchor[3]; // end 0 in the frame of end 1 [m]
    double turn[4];   // axes of end 0 in those of end 1
} CondWeld;

// An external force and torque.
typedef struct CondPush {
    CondPoint point; // body -1: ended
    double force[3], torque[3];
} CondPush;

// A touching pair; of two bodies the one with the smaller index is first.
typedef struct CondTouch {
    int body[2];  // [1]: -1: static
    int link[2];  // of robots and rods; else 0
    int patch[2]; // of a soft body, where the touch began; -1: none
    int plane;    // -1: something else
    int obstacle; // -1: something else
} CondTouch;

// The energy available to a run so far, for the detection of runaways (src/sim/watch.c).
typedef struct CondAccount {
    int begun;          // 1: after the first step
    double supply;      // energy at the start plus the work done since [J]
    double energy;      // kinetic and potential energy after the last step [J]
    double height;      // potential energy of gravity at the start [J]
    double lowest;      // and its least value so far [J]
    double penetration; // deepest at the start [m]
    uint64_t values;    // cond_model_values of the model of the last step; 0: none was made
} CondAccount;

// State of the error control of a step (step/piece.c).
typedef struct CondPace {
    double piece; // length of the next pair of pieces [s]; 0: that of the step
    int cut;      // consecutive pairs that were shortened
    int trust;    // number of following pieces without an error estimate
    double alone; // their length [s]
    double level; // change of acceleration in one of them, from the pair before [1]
    double error; // error of one of them, from that pair [1]
    double last;  // length of the last step, substep or piece [s]; 0: none
} CondPace;

struct CondState {
    CondArena arena;
    int n_body;
    int n_dof;
    double time;  // [s]
    int64_t step; // steps taken; time = start + step * time_step, without drift
    int n_q;
    double* q;        // configuration of all bodies                (n_q)
    double* v;        // v_k                                        (n_dof)
    double* v_hat;    // representative velocity of the last step   (n_dof)
    double* target;   // joint targets of the robots [rad, m]       (n_target)
    double* command;  // targets at the end of the next step                        (n_target)
    CondMotor* motor; // of the joints, as set by the user                          (n_target)
    int n_target;
    CondWeld* weld; // the scene's attachments first              (n_hold)
    int n_weld;
    double* force;      // external, by the user                                       (n_dof)
    unsigned char* off; // 1: the body is switched off                (n_body)
    CondPush* push;     // by the user                                (n_push)
    int n_push;
    CondContactMemory* memory; // by ascending key                           (n_memory)
    int n_memory;
    CondTouch* touch; // by ascending pair; without effect on the motion             (n_touch)
    int n_touch;
    CondAccount account;
    CondPace pace;
    char message[200]; // reason of the last refused call; "": none
};

static inline int cond_state_is_off(const CondState* state, int body)
{
    return body >= 0 && state->off[body];
}
// 1 if an end of the spring or of the attachment is on a body that is switched off.
static inline int cond_spring_is_off(const CondState* state, const CondSpring* spring)
{
    return cond_state_is_off(state, spring->end[0].body) ||
           cond_state_is_off(state, spring->end[1].body);
}
static inline int cond_weld_is_off(const CondState* state, const CondWeld* weld)
{
    return cond_state_is_off(state, weld->what.end[0].point.body) ||
           cond_state_is_off(state, weld->what.end[1].point.body);
}

// Index of the first entry whose key is not less than `key`.
static inline int cond_state_memory_from(const CondState* state, CondContactKey key)
{
    int low = 0, high = state->n_memory;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cond_key_less(state->memory[middle].key, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The entry of the contact with this key; NULL: none.
static inline const CondContactMemory* cond_state_recall(const CondState* state, CondContactKey key)
{
    int low = cond_state_memory_from(state, key);
    int known = low < state->n_memory && cond_key_equal(state->memory[low].key, key);
    return known ? &state->memory[low] : NULL;
}

// 1 if the contact with this key carried a force in the last step.
static inline int cond_state_bore(const CondState* state, CondContactKey key)
{
    const CondContactMemory* memory = cond_state_recall(state, key);
    return memory && memory->lambda[0] > 0.0;
}

// Converts a CondPlace to a point of the model. COND_BAD_ARGUMENT for an unknown body or part, or
// numbers that are not finite.
CondStatus cond_place_point(const CondModel* model, const CondPlace* place, CondPoint* point);

// Stores the reason why a call is refused; returns COND_BAD_ARGUMENT.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
CondStatus
cond_state_refuse(CondState* state, const char* format, ...);
// The same if x has a number that is not finite, else COND_OK. what, of: "velocity", "box".
CondStatus cond_state_refuse_infinite(CondState* state, const char* of, const char* what,
                                      const double* x, int n);
// The same for an unknown body, and for one that is not a robot.
CondStatus cond_state_refuse_unknown(CondState* state, const CondModel* model, int body);
CondStatus cond_state_refuse_joints(CondState* state, const CondModel* model, int body);
// The same for a CondPlace that the model does not have.
CondStatus cond_state_refuse_place(CondState* state, const CondModel* model,
                                   const CondPlace* place);

// The first body with a coordinate or velocity that is not finite; -1: there is none.
int cond_state_not_finite(const CondModel* model, const CondState* state);

// Stores a new attachment: at the index of a released one, or at the end.
CondStatus cond_state_hold(CondState* state, const CondWeld* weld, int* index);

// cond_state_copy with several threads.
CondStatus cond_state_copy_by(CondState* to, const CondState* from, int threads);

#endif
