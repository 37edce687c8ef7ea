// The motions of `cond bench motion`: scenes/motion/NAME.yaml, what is read from each, and what it
// should be.
#ifndef COND_CLI_BENCH_MOTION_H
#define COND_CLI_BENCH_MOTION_H

#include "cond/cond.h"

// What is read at the end of a run, of one body.
typedef enum MotionQuantity {
    MOTION_POSITION,   // of its centre along an axis of the world [m]
    MOTION_VELOCITY,   // of its centre [m/s]
    MOTION_SPIN,       // its angular velocity, world axes [rad/s]
    MOTION_HEADING,    // how far its z axis has turned about the vertical [rad]
    MOTION_AZIMUTH,    // how far its centre has turned about the z axis of the world [rad]
    MOTION_TILT,       // of its z axis from the vertical, towards x [rad]
    MOTION_APEX,       // how high its centre will rise in free flight: z + v_z^2/(2 g) [m]
    MOTION_TIP,        // the end of a rod: its last link's centre along an axis of the world [m]
    MOTION_COORDINATE, // a joint coordinate of a robot, by number [rad, m]
} MotionQuantity;

typedef struct Motion {
    const char* name;
    const char* body;
    MotionQuantity quantity;
    int axis;         // of the world, or the number of the joint coordinate
    double reference; // what theory says, or a converged run
    double scale;     // what errors are relative to
    int smooth;       // 1: nothing strikes, sticks or lets go, so that the order may be two
    const char* from; // where the reference comes from
} Motion;

extern const Motion motions[];
extern const int n_motion;

#endif
