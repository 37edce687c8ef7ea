// Islands of bodies at rest sleep: a step is made of the others alone.
//
// An island is at rest when a step has left every bit of it as it was: configuration, velocity 0,
// and the force of each of its contacts. No other island takes part in its step, so the next step
// would do the same; while nothing comes near it and nothing that acts on it changes, it is left
// out, and the answer has the same bits with sleeping and without. The step of the others is that
// of a model of which the sleepers are no part (model/part.h).
//
// Sleepers wake when the state that comes in has other numbers for one of them, when a force on
// one begins or ends, when an attachment or the user's hand takes hold of one, and when anything
// awake comes so near that collision detection would list the two, on any of the ways that the
// step has tried: then the step is made once more, with them.
#ifndef COND_SLEEP_SLEEP_H
#define COND_SLEEP_SLEEP_H

#include "collide/candidate.h"
#include "cond/solver.h"
#include "geometry/tree.h"
#include "model/part.h"
#include "model/state.h"

typedef struct CondSim CondSim;

// A contact of sleepers, as their last step left it; bodies are those of the whole.
typedef struct CondSleepContact {
    CondCandidate candidate;
    CondContactMemory memory;
    double impulse[3]; // [N s]
    double place[6];   // where it acts on either side [m]
    double error;      // how far it is from its law
    int relaxed;       //
} CondSleepContact;

// What the loop over the stages does for it: a step of all bodies of a sim, and a workspace of a
// part of the model, whose contacts with the rest are noted.
typedef CondStatus CondSleepStep(CondSim* sim, CondState* state, CondStepInfo* info);
typedef CondStatus CondSleepCreate(const CondModel* part, CondSim* whole, CondSim** sim);

typedef struct CondSleep {
    CondArena arena;
    CondSim* whole; // whose sleepers these are
    CondSleepCreate* create;
    int n_asleep;     // bodies
    int* island;      // of a sleeper, the lowest of its bodies; -1: awake         (n_body)
    int* still;       // steps that have changed nothing of a body                 (n_body)
    int* n_candidate; // contacts of a body in the last step                       (n_body)
    int* acts;        // 1: a force acted in the last step                         (n_force)
    int* held;        // 1: springs, attachments or trajectories hold it           (n_body)
    int* scratch;     //                                                       (3 x n_body)
    CondState* left;  // the state as the last step left it, or found it
    CondSleepContact* contact; // by ascending key                                       (n_contact)
    CondSleepContact* merge;   // scratch
    double* error;             // scratch: of the contacts of a step from their law
    int n_contact;             //
    double* box;               // around what fell asleep, with its reach [m]           (n_body x 6)
    double* list_box;          // of those in the tree                                  (n_list x 6)
    int* list;                 // bodies in the tree; some may be awake again              (n_list)
    CondTree tree;             // over these
    CondTreeHits hits;         //
    CondModelPart part;        // what is awake
    CondSim* awake;            // its workspace; NULL: nothing sleeps, or nothing is awake
    CondState* state;          // its state
    CondState* start;          // and that before the step
    CondState* before;         // of the whole, while the awake part makes up its account
    CondCertificate last;      // of the last step
    CondCertificate certificate; // the worst with which sleepers fell asleep
    CondPenetration deepest;     // among them
    double penetration;          // [m]
    int known;                   // 1: `left` is what the last step left
    int made;                    // 1: the last step was made by the awake part alone
    int gathered;                // 1: the contacts of all are in the sim's own lists
    int* source;                 // of a gathered contact: that of the awake part; -1: a sleeper's
} CondSleep;

// Makes sim->sleep where the scene's settings and bodies allow for it.
// create: how the workspace of a part is made.
CondStatus cond_sleep_create(CondSim* sim, CondSleepCreate* create);
void cond_sleep_destroy(CondSim* sim);
// All are awake, and have been at rest for no step.
void cond_sleep_forget(CondSim* sim);

// A step by velocities, of those that are awake.
CondStatus cond_sleep_step(CondSim* sim, CondState* state, CondSleepStep* step, CondStepInfo* info);

// Who has made the last step: the sim, or the workspace of the part that was awake.
CondSim* cond_sleep_maker(CondSim* sim);

// The same, to read from.
const CondSim* cond_sleep_reader(const CondSim* sim);

// 1 where anything touched in the last step, sleepers included.
int cond_sleep_touches(const CondSim* sim, const CondState* state);

// The whole, posed at the start and the end of the step that its awake part has made; *from: the
// state at its start. Where sim is no such part: sim itself, and state.
CondStatus cond_sleep_widen(CondSim* sim, const CondState* state, CondSim** whole,
                            const CondState** from);

// Puts the contacts of all into the lists of the sim, once after a step.
CondStatus cond_sleep_gather(const CondSim* sim);
// Where a gathered contact was found: in the awake part, with another number, or not at all.
const CondSim* cond_sleep_source(const CondSim* sim, int* contact);
// How far each contact of the last step is from its law.            error (cond_sim_n_contact)
CondStatus cond_sim_contact_errors(const CondSim* sim, double* error);

// ---- pieces of it

// Wakes whom the state, forces, attachments or the user's hand concern; puts to sleep who has been
// at rest for long enough.
CondStatus cond_sleep_prepare(CondSim* sim, const CondState* state);
// Wakes whom the awake part has come near to; *any: 1 where there are any.
CondStatus cond_sleep_wake_near(CondSim* sim, const CondStepInfo* info, int* any);
// Counts who was at rest in the step that was made.
void cond_sleep_note(CondSim* sim, const CondState* state, const CondStepInfo* info);
// Makes the awake part anew.
CondStatus cond_sleep_make_part(CondSim* sim);
// The state of the whole as one of the awake part, and back.
CondStatus cond_sleep_take(const CondSleep* sleep, const CondState* whole, CondState* part);
CondStatus cond_sleep_put(const CondSleep* sleep, const CondState* part, CondState* whole);

#endif
