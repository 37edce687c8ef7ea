// Every number of the impact stage that was chosen, not derived, with its reason.
#ifndef COND_IMPACT_TUNING_H
#define COND_IMPACT_TUNING_H

// [1] share of the speed that weight gives in a step: slower approaches count as none
#define COND_IMPACT_STILL 1e-4
// [1] the same for impacts: weight reverses a slower rebound within the step, which ends the
// infinite sequence of impacts of a ball that comes to rest
#define COND_IMPACT_FALL 0.03
// [1] share of an approach: a smaller difference of two approaches, or a smaller approach after the
// first impact, is ignored; above the solver's tolerance, so that symmetric impacts stay symmetric.
// Also the share of the exchanged energy, or ten tolerances if that is more, above which a gain
// reduces the restitution
#define COND_IMPACT_SAME 1e-6

enum {
    COND_IMPACT_LOWER = 8, // [count] reductions from the given restitution to 0
    COND_IMPACT_EACH = 20, // [count] mean number of impacts per contact of an island; as many again
                           // for each further COND_FEW_BODIES bodies, between which impacts may go
                           // back and forth
};

#endif
