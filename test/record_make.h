// A scene to record, and files that end early.
#ifndef COND_TEST_RECORD_MAKE_H
#define COND_TEST_RECORD_MAKE_H

#include "cond/sim.h"

// One of every kind but a robot, in this order: soft, box, points, particle.
enum { SOFT, BOX, POINTS, PARTICLE };
CondScene* zoo_scene(void);

// From now on files end at so many bytes, as they do on a full disk; -1: nowhere.
void limit_files(long bytes);

#endif
