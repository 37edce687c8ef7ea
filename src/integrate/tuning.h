// Every number of the integrators that was chosen, not derived, with its reason.
#ifndef COND_INTEGRATE_TUNING_H
#define COND_INTEGRATE_TUNING_H

// ---- Newton's method

// [1] tolerance of Newton's method where the solver stops by the change of v, as in the paper
#define COND_NEWTON_WITHOUT_CERTIFICATE 1e-7
// [1] of the last residual: where an iterate leaves less, the next is made as that was
#define COND_TANGENT_QUICK 0.01
// [1] multiply-adds of a factorisation of the derivative: more cost more than they save
#define COND_TANGENT_WORK 1e8

// ---- auto

// [1] share of the energy of motion: an excess below it is taken out, above it the step is too long
#define COND_AUTO_EXCESS 0.01
// [1] share of the energy that forces give a body at rest in a step: an excess below it is
// rounding, and a group that loses less to implicit Euler rests
#define COND_AUTO_NOISE 1e-6

// [1] times its mass: what is as heavy is ground for a body, which moves it by a percent of its way
#define COND_GROUP_GROUND 100.0

// ---- the balance of energy

// [1] share of the energy of motion that may be given back to a group, or paid for a lift; that
// an island pays at most for a lift by the correction
#define COND_BALANCE_RESTORED 0.02

// ---- spectral damping

// [1] of bodies in contact where none is asked for: what 1 ms resolves loses next to nothing, and
// of what no step resolves a fifth is taken in a step
#define COND_SPECTRAL_DEFAULT 0.3

// ---- contacts that last, and bodies that bounce

// [1/s] of its energy that a group loses to implicit Euler, below which that is as good
#define COND_LASTING_RATE 1e-4
// [1] times its energy: what an impact weighs against that loss (test_precession, rolling discs)
#define COND_LASTING_STRUCK 2.5
// [1] share of what weight does in a step: contacts that move by more are apart
#define COND_FLIGHT_WEIGHT 0.25

// ---- the error of a pair of pieces (integrate/pair_error.c)

// [1] of the speed and the acceleration that weight gives over a body's size: what is slower is
// measured by that
#define COND_PIECE_SLOW 1e-2
// [1] of the fastest body's speed: a speed that is hardly any
#define COND_PIECE_LEAST_SPEED 1e-4

#endif
