// The impact stage: makes the velocity at the end of the step obey the impact law.
#ifndef COND_IMPACT_IMPACT_H
#define COND_IMPACT_IMPACT_H

#include "sim/contact_stage.h"

typedef struct CondSim CondSim;

// Treatment of an island, by its closed contacts.
typedef enum CondImpactRole {
    COND_IMPACT_NONE = 0, // keeps the velocity of the step
    COND_IMPACT_PLAIN,    // velocity recomputed from the impulses at the end of the step
    COND_IMPACT_INEXACT,  // impacts with restitution: impacts first, then the forces
    COND_IMPACT_EXACT,    // the same with rigid bodies and particles only: forces first, then
                          // impacts with an energy balance
} CondImpactRole;

// Kinds of impact problems.
typedef enum CondImpactPhase {
    COND_IMPACT_FORCES,       // the forces of the step at persistent contacts
    COND_IMPACT_ROUND,        // impacts with restitution
    COND_IMPACT_STOP,         // remaining approaches, without restitution
    COND_IMPACT_FORCES_AFTER, // the forces of the step after impacts have changed the velocity
} CondImpactPhase;

// Sums over an island.
typedef struct CondImpactIsland {
    double first, fastest;       // fastest approach in the first round, and in the present one
                                 // [m/s]
    double energy, slope, curve; // excess of energy of v + x d: at x = 0, and its derivatives
    double all;                  // kinetic energy [J]
    int n_contact, n_impact;     // contacts, and their impacts so far
    int asks;                    // treatment that its contacts require
} CondImpactIsland;

// One impact of a round: the contacts that share bodies.
typedef struct CondImpactOne {
    double gain, exchanged, all; // energy gained and exchanged, and kinetic energy before [J]
    int left;                    // remaining reductions of the restitution
} CondImpactOne;

// The pair of a contact.
typedef struct CondImpactPair {
    int body[2], plane; // the higher index first; -1: static, no plane
    int first;          // a contact between them
    int led;            // at the first contact, 1: all of the pair are in the present round
} CondImpactPair;

typedef struct CondImpact {
    CondContactStage stage;   // its contacts are the closed ones of the step
    int* contact_of;          // their index among the contacts of the step   (n_contact)
    unsigned char* strikes;   // 1: it closes in this step                    (n_contact)
    unsigned char* asks;      // scratch: treatment that a contact requires (n_contact)
    int* role;                // of each body, a CondImpactRole               (n_body)
    double* nearby;           // of each body, its fastest approach [m/s]     (n_body)
    CondComponents islands;   // bodies that closed contacts join
    CondImpactIsland* island; //                                            (islands.n)
    CondComponents impacts;   // bodies that the contacts of a round join
    CondImpactOne* impact;    //                                            (impacts.n)
    int rebounds;             // 1: some island has impacts with restitution
    int n_exact;              // bodies of exact islands; 0: the stage did not run
    int n_row;                // rows of joints after the contacts, sim->rows.part
    double* before;           // M^-1 b: v before the impulses of a problem   (n_dof)
    double* after;            // v before, then after the impacts                      (n_dof)
    double* push;             // M^-1 of the normal impulses of striking contacts (n_dof)
    double* momentum;         // scratch                                      (n_dof)
    double* potential;        // of each body at the end of the step [J]      (n_body)
    double* impulse;          // sums of all problems [N s]     (n_contact + n_row, x 3)
    double* expected;         // of the forces of the step [N s] (n_contact + n_row, x 3)
    CondContact* group;       // the contacts of one problem        (n_contact + n_row)
    int* member;              // their index among the stage's             (n_contact + n_row)
    CondImpactPair* pair;     // of each contact                                  (n_contact)
    CondImpactPair* order;    // scratch: the same, pair by pair                  (n_contact)
    double growth;            // share of the exchanged energy: with more gain the restitution is
                              // reduced
    // of the attempt
    const CondState* from; // the state that the step begins with
    CondImpactPhase phase;
    int n;               // contacts of the problem; after a round those of impacts that gain energy
    int n_round;         // rounds made
    const double* start; // v to solve from                                     (n_dof)
    CondStatus worst;    // of all solves
    CondSolveInfo* info;
} CondImpact;

void cond_impact_destroy(CondImpact* impact);

// Where closed contacts require it, replaces the velocity of sim->next by one that obeys the impact
// law, and sim->attempt.impulse by the impulses that lead to it.
CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info);

// ---- islands (impact_island.c)

// Speed at which the bodies approach at contact c of the step with velocity v; positive:
// approaching. Gap of the contact at the end of the step [m].
double cond_impact_approach(const CondSim* sim, int c, const double* v);
double cond_impact_end_gap(const CondSim* sim, int c);

// Approaches below this count as none [m/s].
double cond_impact_still(const CondSim* sim);

// 1 if contact c was open at the start of the step and closes in it.
int cond_impact_strikes(const CondSim* sim, const CondState* state, int c);

// Finds the islands and the roles of their bodies; returns 1 if an island needs the stage.
int cond_impact_find_islands(CondSim* sim, const CondState* state);

// 1 where contact c of the step is one of the stage's.
int cond_impact_is_listed(const CondSim* sim, int c);

// A body of the island of a contact of the stage, or of a row after them.
int cond_impact_body(const CondSim* sim, int k);

// ---- impacts (impact_rounds.c), which change impact->after, by the law of the scene

void cond_impact_begin_rounds(CondSim* sim);

// take_round applies the answer of a round except for impacts that gain energy, whose contacts stay
// in the problem. gains returns 1 if there are any; lower reduces their restitution for the next
// solve.
void cond_impact_take_round(CondSim* sim);
int cond_impact_gains(CondSim* sim);
CondStatus cond_impact_lower(CondSim* sim);

// 1 if another round follows, and 1 if contacts still approach after the last one; and the problems
// of both.
int cond_impact_approaches(CondSim* sim);
CondStatus cond_impact_pose_round(CondSim* sim);
int cond_impact_still_approaches(CondSim* sim);
CondStatus cond_impact_pose_stop(CondSim* sim);

// ---- energy (impact_energy.c)

// Changes impact->after of exact islands from the velocity that the forces of the step lead to
// without impacts to the velocity at which the bodies arrive.
void cond_impact_arrive(CondSim* sim, const CondState* state);

// Takes the potential energy added by the position correction from the motion, through the
// impulses.
void cond_impact_settle(CondSim* sim);

#endif
