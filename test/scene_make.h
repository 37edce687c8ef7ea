// Short scenes for physics tests: definitions with the usual values filled in, and a Trial that
// holds model, state and workspace of one run. Everything that can fail is asserted.
#ifndef COND_TEST_SCENE_MAKE_H
#define COND_TEST_SCENE_MAKE_H

#include "cond/sim.h"

// An empty scene with the default settings.
CondScene* make_scene(void);
// A rigid solid box with edges a, b, c, centred at (x, y, z).
CondBodyDef make_box(double mass, double a, double b, double c, double x, double y, double z);
CondBodyDef make_particle(double mass, double x, double y, double z);
// A spring between two bodies given by name; "" is the world.
CondSpringDef make_spring(const char* body0, const char* body1, double stiffness);
// Quaternion of a turn about an axis of any length [rad].
void make_turn(double x, double y, double z, double angle, double q[4]);

void add_body(CondScene* scene, const CondBodyDef* def);
void add_force(CondScene* scene, const CondForceDef* def);
void add_spring(CondScene* scene, const CondSpringDef* def);
// A plane through normal * offset; NaN leaves friction or restitution out.
void add_plane(CondScene* scene, double nx, double ny, double nz, double offset, double friction,
               double restitution);
// z = 0.
void add_floor(CondScene* scene, double friction, double restitution);

typedef struct Trial {
    CondModel* model;
    CondState* state;
    CondSim* sim;
    CondStepInfo info; // of the last step
} Trial;

// Compiles the scene and destroys it.
Trial trial_begin(CondScene* scene);
// A scene of the project's own, "box.yaml" say, with overrides.
Trial trial_read(const char* file, int n_override, const char* const* override);
// A scene as the text of a file, in two parts, the first of which may be settings.
Trial trial_text(const char* settings, const char* text);
// Steps; every one must end with COND_OK.
void trial_step(Trial* trial, int n);
// Steps; a solve may miss its tolerance (the state is then the best answer found), nothing worse.
void trial_try(Trial* trial, int n);
CondPose trial_pose(const Trial* trial, int body);
// Smallest gap of any contact point to any plane [m].
double trial_gap(const Trial* trial);
void trial_end(Trial* trial);

// |value - expected| <= tolerance, with the numbers in the message.
#define assert_near(value, expected, tolerance)                                                    \
    check_near(value, expected, tolerance, #value, __FILE__, __LINE__)
void check_near(double value, double expected, double tolerance, const char* text, const char* file,
                int line);

// A small generator of its own (xorshift), so that every platform tests the same numbers.
typedef struct Dice {
    uint64_t state;
} Dice;
double dice_uniform(Dice* dice, double from, double to);

#endif
