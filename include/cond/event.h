// Events of contact: pairs of bodies, links of robots and rods, planes and obstacles whose contact
// began or ended in the last step.
//
// A pair begins to touch in the step in which its contacts first carry a normal force. It ends in
// the step in which they carry none and the gap is wider than a millionth of the smaller body's
// size. Touching pairs belong to the state: a state that is copied, or saved and loaded, continues
// with the same events, and in a new state all contacts begin in the first step. Sleeping bodies
// keep touching what they touch. A failed step has no events.
#ifndef COND_EVENT_H
#define COND_EVENT_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CondContactChange {
    COND_CONTACT_BEGAN = 0, // the pair touches since this step
    COND_CONTACT_ENDED = 1, // it touched until this step
} CondContactChange;
COND_ENUM_NAMES(COND_API, CondContactChange, cond_contact_change)

typedef struct CondContactEvent {
    CondContactChange change; //
    double time;              // at the end of the step [s]; contact_time is the time within it
    int body[2];              // on either side, the smaller index first; [1]: -1: static
    int link[2];              // of a robot or a rod; else 0
    int patch[2];             // of a soft body, where the touch began; -1: none
    int plane;                // the plane that body[0] touches; -1: something else
    int obstacle;             // the obstacle that it touches; -1: something else
    double impulse;     // sum of the pair's normal impulses in this step [N s]; 0 when it ended
    double speed;       // largest speed of approach of its contacts at the start of the step, along
                        // their normals [m/s]; 0 when it ended
    double position[3]; // of the contact with the largest impulse, world [m]; 0 when it ended
    double normal[3];   // there, towards body[0]; 0 when it ended
    double contact_time; // time of the touch, from the gap, the velocity and the weight at the
                         // start of the step, or of its piece or substep [s]; when it ended: time
} CondContactEvent;

// Events of the last step: those that began, then those that ended, both in the order of their
// pairs.
COND_API int cond_sim_n_event(const CondSim* sim);
COND_API void cond_sim_event_sized(const CondSim* sim, int event, CondContactEvent* made,
                                   size_t size);
static inline CondContactEvent cond_sim_event(const CondSim* sim, int event)
{
    CondContactEvent made;
    cond_sim_event_sized(sim, event, &made, sizeof made);
    return made;
}

#ifdef __cplusplus
}
#endif
#endif
