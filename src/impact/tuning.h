// Every number of the impact stage that was chosen, not derived, with its reason.
#ifndef COND_IMPACT_TUNING_H
#define COND_IMPACT_TUNING_H

// [1] share of the speed that weight gives in a step: an approach below this is none
#define COND_IMPACT_STILL 1e-4
// [1] the same where it is no impact any more: weight outdoes it within the step, and impacts that
// never end, of a ball that comes to rest, end there
#define COND_IMPACT_FALL 0.03
// [1] share of an approach: two bodies approach as fast as others, or not at all after the first
// impact; above the solver's tolerance, so that what is symmetric stays so. And share of the energy
// exchanged, unless ten tolerances are more: growth, for which restitution is lowered
#define COND_IMPACT_SAME 1e-6

enum {
    COND_IMPACT_LOWER = 8, // [count] steps from the restitution given to none
    COND_IMPACT_EACH = 20, // [count] impacts of the contacts of an island, each in the mean; as
                           // many for each of COND_FEW_BODIES more, which may go to and fro
};

#endif
