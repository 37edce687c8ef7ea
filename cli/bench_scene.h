// A scene that a benchmark steps: model, state and simulation, made and destroyed together.
#ifndef COND_CLI_BENCH_SCENE_H
#define COND_CLI_BENCH_SCENE_H

#include "cond/sim.h"

typedef struct BenchScene {
    CondModel* model;
    CondState* state;
    CondSim* sim;
} BenchScene;

// Reads a scene by its name, with n values set, and makes all three. A failure leaves a message.
CondStatus bench_scene_begin(const char* name, int n, const char* const* set, BenchScene* scene);
void bench_scene_end(BenchScene* scene);

#endif
