// Islands of bodies at rest sleep: a step is made of the other bodies only.
//
// An island is at rest when a step has not changed a bit of it: its configuration, velocity 0, and
// the force of each of its contacts. No other island influences its step, so the next step would
// have the same result. It is therefore left out until a body comes near it or a force on it
// changes, and the results have the same bits with sleeping and without. The other bodies are
// stepped in a sub-model without the sleeping ones (model/part.h).
//
// Sleeping bodies wake when the given state has other values for one of them, when a force on one
// begins or ends, when an attachment or cond_sim_pull acts on one, and when an awake body comes so
// near that collision detection would list the pair, in any attempt at the step. The step is then
// repeated with them.
#ifndef COND_SLEEP_SLEEP_H
#define COND_SLEEP_SLEEP_H

#include "collide/candidate.h"
#include "cond/solver.h"
#include "geometry/tree.h"
#include "model/part.h"
#include "model/state.h"

typedef struct CondSim CondSim;

// A contact of sleeping bodies, from their last step; body indices are those of the whole model.
typedef struct CondSleepContact {
    CondCandidate candidate;
    CondContactMemory memory;
    double impulse[3]; // [N s]
    double place[6];   // its points on either side [m]
    double error;      // error of its law
    int relaxed;       //
} CondSleepContact;

// Functions that the step supplies: a step of all bodies of a sim, and the creation of a workspace
// for a sub-model that records contacts with the rest.
typedef CondStatus CondSleepStep(CondSim* sim, CondState* state, CondStepInfo* info);
typedef CondStatus CondSleepCreate(const CondModel* part, CondSim* whole, CondSim** sim);

typedef struct CondSleep {
    CondArena arena;
    CondSim* whole; // the simulation of the whole model
    CondSleepCreate* create;
    int n_asleep;     // bodies
    int* island;      // of a sleeping body, lowest body of its island; -1: awake     (n_body)
    int* still;       // consecutive steps without a change of a body                 (n_body)
    int* n_candidate; // contacts of a body in the last step                       (n_body)
    int* acts;        // 1: a force acted in the last step                         (n_force)
    int* held;        // 1: springs, attachments or trajectories hold it           (n_body)
    int* scratch;     //                                                       (3 x n_body)
    CondState* left;  // the state after the last step, or before it
    CondSleepContact* contact; // by ascending key                                       (n_contact)
    CondSleepContact* merge;   // scratch
    double* error;             // scratch: errors of the law of the contacts of a step
    int n_contact;             //
    double* box;               // around the sleeping bodies, with reach [m]      (n_body x 6)
    double* list_box;          // of those in the tree                                  (n_list x 6)
    int* list;                 // bodies in the tree; some may be awake again              (n_list)
    CondTree tree;             // over these
    CondTreeHits hits;         //
    CondModelPart part;        // the awake sub-model
    CondSim* awake;            // its workspace; NULL: no body sleeps, or none is awake
    CondState* state;          // its state
    CondState* start;          // its state before the step
    CondState* before;         // of the whole, during the awake part's account
    CondCertificate last;      // of the last step
    CondCertificate certificate; // the worst of those with which bodies fell asleep
    CondPenetration deepest;     // among them
    double penetration;          // [m]
    int known;                   // 1: `left` is the state after the last step
    int made;                    // 1: the last step was made by the awake part alone
    int gathered;                // 1: the contacts of all are in the sim's own lists
    int* source;                 // of a gathered contact: index in the awake part; -1: of a
                                 // sleeping body
} CondSleep;

// Creates sim->sleep if the scene's settings and bodies allow sleeping. create: creates the
// workspace of a sub-model.
CondStatus cond_sleep_create(CondSim* sim, CondSleepCreate* create);
void cond_sleep_destroy(CondSim* sim);
// Wakes all bodies and clears their counts of steps at rest.
void cond_sleep_forget(CondSim* sim);

// A step by velocities of the awake bodies.
CondStatus cond_sleep_step(CondSim* sim, CondState* state, CondSleepStep* step, CondStepInfo* info);

// The workspace of the last step: sim, or that of the awake part.
CondSim* cond_sleep_maker(CondSim* sim);

// The same, to read from.
const CondSim* cond_sleep_reader(const CondSim* sim);

// 1 if any bodies touched in the last step, sleeping ones included.
int cond_sleep_touches(const CondSim* sim, const CondState* state);

// For the workspace of an awake part: *whole is the whole simulation, with kinematics at the start
// and the end of the step, and *from its state at the start. Otherwise: sim itself, and state.
CondStatus cond_sleep_widen(CondSim* sim, const CondState* state, CondSim** whole,
                            const CondState** from);

// Gathers the contacts of awake and sleeping bodies in the lists of the sim, once after a step.
CondStatus cond_sleep_gather(const CondSim* sim);
// The workspace that found a gathered contact, with *contact its index there; NULL for a contact of
// sleeping bodies.
const CondSim* cond_sleep_source(const CondSim* sim, int* contact);
// Errors of the contact law in the last step.                      error (cond_sim_n_contact)
CondStatus cond_sim_contact_errors(const CondSim* sim, double* error);

// ---- steps of it

// Wakes bodies affected by the state, forces, attachments or cond_sim_pull; puts bodies to sleep
// that have been at rest for long enough.
CondStatus cond_sleep_prepare(CondSim* sim, const CondState* state);
// Wakes the bodies that the awake part has come near to; *any: 1 if there are any.
CondStatus cond_sleep_wake_near(CondSim* sim, const CondStepInfo* info, int* any);
// Counts the bodies at rest in the last step.
void cond_sleep_note(CondSim* sim, const CondState* state, const CondStepInfo* info);
// Rebuilds the awake sub-model and its workspace.
CondStatus cond_sleep_make_part(CondSim* sim);
// Copy the state of the whole to that of the awake part, and back.
CondStatus cond_sleep_take(const CondSleep* sleep, const CondState* whole, CondState* part);
CondStatus cond_sleep_put(const CondSleep* sleep, const CondState* part, CondState* whole);

#endif
