// The impact stage: the velocity at the end of the step obeys the contact law of impacts.
#ifndef COND_IMPACT_IMPACT_H
#define COND_IMPACT_IMPACT_H

#include "sim/contact_stage.h"

typedef struct CondSim CondSim;

// Treatment of an island, by its closed contacts.
typedef enum CondImpactRole {
    COND_IMPACT_NONE = 0, // the velocity that the step gives them stands
    COND_IMPACT_PLAIN,    // it is replaced: the impulses of the step are those at its end
    COND_IMPACT_INEXACT,  // something is struck that gives speed back: impacts, then the forces
    COND_IMPACT_EXACT,    // the same of rigid bodies and particles: the forces, then impacts that
                          // keep account of the energy
} CondImpactRole;

// Kinds of impact problems.
typedef enum CondImpactPhase {
    COND_IMPACT_FORCES,       // the forces of the step at the contacts that last
    COND_IMPACT_ROUND,        // impacts with restitution
    COND_IMPACT_STOP,         // what still approaches, without restitution
    COND_IMPACT_FORCES_AFTER, // the forces of the step where impacts have changed the velocity
} CondImpactPhase;

// Sums over an island.
typedef struct CondImpactIsland {
    double first, fastest;       // approach in the first round, and in the one at hand [m/s]
    double energy, slope, curve; // energy of v + x d less what it should be: at x = 0, derivatives
    double all;                  // energy of motion [J]
    int n_contact, n_impact;     // contacts, and impacts that they have made
    int asks;                    // what its contacts ask for
} CondImpactIsland;

// One impact of a round: the contacts that share bodies.
typedef struct CondImpactOne {
    double gain, exchanged, all; // energy won, exchanged, and of motion before [J]
    int left;                    // steps left to lower restitution by
} CondImpactOne;

// The two that a contact is between.
typedef struct CondImpactPair {
    int body[2], plane; // the higher number first; -1: nothing that moves, no plane
    int first;          // contact between them
    int led;            // at the first one, 1: all of them are in the round at hand
} CondImpactPair;

typedef struct CondImpact {
    CondContactStage stage;   // its contacts are the closed ones of the step
    int* contact_of;          // their index among the contacts of the step   (n_contact)
    unsigned char* strikes;   // 1: it closes in this step                    (n_contact)
    unsigned char* asks;      // scratch: what a contact asks its island for  (n_contact)
    int* role;                // of each body, a CondImpactRole               (n_body)
    double* nearby;           // of each body, its fastest approach [m/s]     (n_body)
    CondComponents islands;   // bodies that closed contacts join
    CondImpactIsland* island; //                                            (islands.n)
    CondComponents impacts;   // bodies that the contacts of a round join
    CondImpactOne* impact;    //                                            (impacts.n)
    int rebounds;             // 1: some island does
    int n_exact;              // bodies of exact islands; 0: the stage did not run
    int n_row;                // rows of joints behind the contacts, sim->rows.part
    double* before;           // M^-1 b: v before the impulses of a problem   (n_dof)
    double* after;            // v that impacts begin with, and lead to       (n_dof)
    double* push;             // M^-1 of the normal impulses at what strikes  (n_dof)
    double* momentum;         // scratch                                      (n_dof)
    double* potential;        // of each body at the end of the step [J]      (n_body)
    double* impulse;          // sums of all problems [N s]     (n_contact + n_row, x 3)
    double* expected;         // of the forces of the step [N s] (n_contact + n_row, x 3)
    CondContact* group;       // the contacts of one problem        (n_contact + n_row)
    int* member;              // which of the stage's they are      (n_contact + n_row)
    CondImpactPair* pair;     // of each contact                                  (n_contact)
    CondImpactPair* order;    // scratch: the same, pair by pair                  (n_contact)
    double growth;            // of the energy exchanged: above this restitution is lowered
    // of the attempt
    const CondState* from; // the state that the step begins with
    CondImpactPhase phase;
    int n;               // contacts of the problem; after a round those whose impact gains energy
    int n_round;         // rounds made
    const double* start; // v to solve from                                     (n_dof)
    CondStatus worst;    // of all solves
    CondSolveInfo* info;
} CondImpact;

void cond_impact_destroy(CondImpact* impact);

// Replaces the velocity of sim->next by one that the law of impacts allows, and
// sim->attempt.impulse by what led there, where contacts closed in a way that asks for it.
CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info);

// ---- islands (impact_island.c)

// Speed at which the bodies approach at contact c of the step with velocity v; positive:
// approaching. Gap of the contact at the end of the step [m].
double cond_impact_approach(const CondSim* sim, int c, const double* v);
double cond_impact_end_gap(const CondSim* sim, int c);

// An approach below this is none [m/s].
double cond_impact_still(const CondSim* sim);

// 1 where contact c of the step closes in it, from a state apart.
int cond_impact_strikes(const CondSim* sim, const CondState* state, int c);

// Finds the islands and the parts of their bodies; returns 1 where one takes part.
int cond_impact_find_islands(CondSim* sim, const CondState* state);

// 1 where contact c of the step is one of the stage's.
int cond_impact_is_listed(const CondSim* sim, int c);

// The body whose island a contact of the stage, or a row behind them, belongs to.
int cond_impact_body(const CondSim* sim, int k);

// ---- impacts (impact_rounds.c), which change impact->after, by the law of the scene

void cond_impact_begin_rounds(CondSim* sim);

// Takes the answer to a round but for impacts that gain energy, whose contacts are left in the
// problem; then 1 where there are any, and the same with less restitution.
void cond_impact_take_round(CondSim* sim);
int cond_impact_gains(CondSim* sim);
CondStatus cond_impact_lower(CondSim* sim);

// 1 where a round follows, and where something approaches after the last; and the problems.
int cond_impact_approaches(CondSim* sim);
CondStatus cond_impact_pose_round(CondSim* sim);
int cond_impact_still_approaches(CondSim* sim);
CondStatus cond_impact_pose_stop(CondSim* sim);

// ---- energy (impact_energy.c)

// impact->after of exact islands: from the velocity that the forces of the step have led to, where
// nothing was struck, to the one that bodies arrive with.
void cond_impact_arrive(CondSim* sim, const CondState* state);

// Removes the potential energy that the position correction has added, by the impulses.
void cond_impact_settle(CondSim* sim);

#endif
