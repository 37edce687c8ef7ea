// Limits of scene files and of plans of sweeps. A header of numbers alone: it includes nothing.
#ifndef COND_SCENE_FILE_TUNING_H
#define COND_SCENE_FILE_TUNING_H

enum {
    COND_SWEEP_ENTRIES = 1000000, // [count] of entries that one sweep may have
};

#endif
