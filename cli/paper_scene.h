// Scenes of the paper's experiments: the parameters that randomised trials vary, and when an
// object counts as held.
#ifndef COND_CLI_PAPER_SCENE_H
#define COND_CLI_PAPER_SCENE_H

#include "paper.h"

enum { PAPER_MAX_PARAMETER = 4, PAPER_MAX_PATH = 4 };

// A number that trials vary, and the keys of the scene that it sets.
typedef struct PaperParameter {
    const char* path[PAPER_MAX_PATH]; // NULL past the end
    double low, high;
    double middle; // of trial 0
} PaperParameter;

typedef struct PaperScene {
    const char* name;
    PaperParameter parameter[PAPER_MAX_PARAMETER]; // without a path past the end
    int friction;                                  // which of them is friction
    int drawn;   // 1: trials from 1 on draw what the scene randomises instead
    double stop; // the paper's step test [m/s]
    int steps;
    double force_unit; // of `ie` [N]
    int wrench;        // attachment whose force is compared, from 1; 0: none
    // Where something is gripped: held by two sides, moved by a robot, at these times.
    const char *held, *holder; // NULL: nothing is
    double grip_time;          // the grip is closed, the object stands on the ground yet [s]
    double weld_begin;         // the gripper is at rest, with the object in the air [s]
    double weld_end;           //
} PaperScene;

extern const PaperScene paper_scene_mat, paper_scene_ball, paper_scene_gripper, paper_scene_cable;

// The value of a parameter in a trial: the middle in trial 0, else uniform between low and high.
double paper_scene_value(const PaperScene* scene, const PaperOptions* options, int trial,
                         int parameter);

// The scene with the parameters of a trial, the threads of the options and what else is asked for;
// exit code after a message.
int paper_scene_load(const PaperScene* scene, const PaperOptions* options, int trial, int n_extra,
                     const char* const* extra, CondModel** model);

// paper_settings, with the sizes of the soft bodies.
json_t* paper_scene_settings(const PaperOptions* options, const CondModel* model, int steps,
                             int trials, double mean_contacts, const char* preset);

#endif
