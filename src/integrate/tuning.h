// Every number of the integrators that was chosen, not derived, with its reason.
#ifndef COND_INTEGRATE_TUNING_H
#define COND_INTEGRATE_TUNING_H

// ---- Newton's method

// [1] tolerance of Newton's method where the solver stops by the change of v, as in the paper
#define COND_NEWTON_WITHOUT_CERTIFICATE 1e-7
// [1] ratio of successive residuals: below it the next iterate uses the same matrix
#define COND_TANGENT_QUICK 0.01
// [1] largest number of multiply-adds of a factorisation of the derivative that pays
#define COND_TANGENT_WORK 1e8

// ---- auto

// [1] share of the kinetic energy: an excess below it is removed, above it the step is too long
#define COND_AUTO_EXCESS 0.01
// [1] share of the energy that forces give a body at rest in a step: an excess below it is
// rounding, and a group whose loss by implicit Euler is below it counts as at rest
#define COND_AUTO_NOISE 1e-6

// [1] mass ratio from which a body is the ground of another, whose motion moves it by a percent
#define COND_GROUP_GROUND 100.0

// ---- the balance of energy

// [1] share of the kinetic energy that may be returned to a group, or that a group or an island
// pays at most for a lift by the correction
#define COND_BALANCE_RESTORED 0.02

// ---- spectral damping

// [1] default damping of bodies in contact: modes that 1 ms resolves lose almost nothing, and
// unresolved modes lose a fifth per step
#define COND_SPECTRAL_DEFAULT 0.3

// ---- persistent contacts, and bodies that bounce

// [1/s] relative loss of energy of a group by implicit Euler, below which implicit Euler is kept
#define COND_LASTING_RATE 1e-4
// [1] weight of the energy of an impact against that loss (test_precession, rolling discs)
#define COND_LASTING_STRUCK 2.5
// [1] share of the effect of weight in a step: contacts that move by more are open
#define COND_FLIGHT_WEIGHT 0.25

// ---- the error of a pair of pieces (integrate/pair_error.c)

// [1] of the speed and the acceleration that weight gives over a body's size: the reference for
// slower motions
#define COND_PIECE_SLOW 1e-2
// [1] of the fastest body's speed: a negligible speed
#define COND_PIECE_LEAST_SPEED 1e-4

#endif
