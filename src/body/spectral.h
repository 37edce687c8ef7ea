// Spectral damping of a step: high modes that the step cannot resolve are damped, low ones are not.
// With d between 0 and 1 (step.damping), h = t/2, v the representative velocity, w that of the step
// before, and m = d/3, g = d/16,
//     M a = f(q*) + ...,        q* = update(update(q_k, v, h), v - w, g t)
//     v (1 - m/2) = v_k (1 - m) + w m/2 + h a,        v_{k+1} = v_k + t a.
// d = 0 is the midpoint rule. v - w and v - 2 v_k + w are of the first and of the second order in
// t. The rule therefore stays of second order, and its damping of a mode of frequency om is of the
// order t^3 om^4. For om t -> infinity the recursion has three roots: that of the velocities is 2 m
// - 1, and those of the configuration solve
//     (1/2 + g) z^2 + (1/2 - 2 g) z + g = 0;
// for d = 1 all three are -1/3, as of the generalized-alpha method of Chung and Hulbert.
#ifndef COND_BODY_SPECTRAL_H
#define COND_BODY_SPECTRAL_H

// m and g of the formulas above.
static inline double cond_spectral_velocity(double damping)
{
    return damping / 3.0;
}

static inline double cond_spectral_lead(double damping)
{
    return damping / 16.0;
}

// A = mass M/h + stiffness h (K + E) + D.
static inline double cond_spectral_mass(double damping)
{
    return 1.0 - 0.5 * cond_spectral_velocity(damping);
}

static inline double cond_spectral_stiffness(double damping)
{
    return 1.0 + 2.0 * cond_spectral_lead(damping);
}

#endif
