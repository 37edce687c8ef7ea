// Measures of a grip in a run: its force, whether the object is held, and how fast it creeps
// against the gripper.
#ifndef COND_CLI_PAPER_GRIP_H
#define COND_CLI_PAPER_GRIP_H

#include "paper_scene.h"

typedef struct PaperGrip {
    const PaperScene* scene;
    const CondModel* model;
    double half;        // of a time step [s]
    int held, holder;   // bodies; -1: nothing is gripped in this scene
    double weight;      // of the held body [N]
    double grip;        // force of one side on the closed grip, before lifting [N]; NaN: not seen
    double start[3];    // centre of the held body in the gripper's axes when it was held first [m]
    double last[3];     // and when it was last seen
    double first, seen; // at these times [s]; NaN: never
    double lift;        // least height over that at the grip while it is held [m]
    double ground;      // height at the grip [m]
} PaperGrip;

PaperGrip paper_grip_begin(const PaperScene* scene, const CondModel* model);

// Takes note of a step just made.
void paper_grip_see(PaperGrip* grip, const CondSim* sim, const CondState* state);

// Half the sum of the normal forces between the held body and other bodies that move [N].
double paper_grip_force(const PaperGrip* grip, const CondSim* sim);

// 1 when it was in the air to the end of the hold, within 5 mm of where it was; needs the whole
// hold.
int paper_grip_holds(const PaperGrip* grip);

// 1 when friction can carry the weight on both sides of the measured grip: 2 mu N >= m g.
int paper_grip_allowed(const PaperGrip* grip, double friction);

// Change of place against the gripper over the time held, [um/s]; NaN when none was seen.
double paper_grip_creep(const PaperGrip* grip);

#endif
