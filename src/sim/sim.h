// Internals of CondSim: the workspace of one simulation on one thread.
#ifndef COND_SIM_SIM_H
#define COND_SIM_SIM_H

#include "assemble/assemble.h"
#include "body/kinematics.h"
#include "body/transport.h"
#include "collide/collide.h"
#include "law/answer.h"
#include "law/history.h"
#include "model/state.h"
#include "sim/attempt.h"
#include "sim/connect.h"
#include "sim/device_load.h"
#include "sim/held.h"
#include "sim/hooks.h"
#include "sim/joint_rows.h"
#include "sim/watch.h"

// Data of the non-linear integrators; empty for theta.
typedef struct CondNewton {
    double* q;           // configuration at the representative time       (n_q)
    double* start;       // v_k transported there                                      (n_dof)
    double* v;           // the iterate before the last solve              (n_dof)
    double* lambda;      // its contact forces                             (n_contact x 3)
    double* r;           // residual of the dynamics, contacts left out    (n_dof)
    double* diagonal;    // of A                                           (n_dof)
    double* work;        //                                                (n_dof)
    CondHistory history; // |change of v| by iteration [m/s], from 1
    int iterations;      // in the last step, the linear one included
    double size;         // norm of the residual at the last iterate; auto: relative to the
                         // tolerance
    double noise;        // residual of the linear solves
    double worst;        // auto: norm of the present iterate
    int count;           // auto: iterates since the linear step
    int followed;        // auto: iterates with the derivative
    int shifted;         // auto, 1: contacts have just been moved to the middle of the step
} CondNewton;

// A contact of a step that is made in substeps.
typedef struct CondSubstepContact {
    CondCandidate candidate; // as last detected
    double place[6];         // its two points then [m]
    double impulse[3];       // of all substeps so far, world axes [N s]
    double touched;          // time of the first nonzero impulse [s]; infinite: none
} CondSubstepContact;

// Sums over pieces of a step (step/tally.h).
typedef struct CondTally {
    CondStepInfo info;         // their work
    CondSubstepContact* all;   // their contacts, by ascending key        (n_all)
    CondSubstepContact* merge; // scratch                                 (n_all)
    double* wrench;            // of the attachments                      (n_wrench x 6)
    double* sensor;            // of the sensors                          (n_sensor x 6)
    CondJointReading* joint;   // of the joints                           (n_target)
    double weight;             // of all pieces
    int n_piece, n_all;
} CondTally;

// Data of steps made in substeps; empty before the first one.
typedef struct CondSubsteps {
    const CondState* from; // state at the start of the whole step
    CondState* to;         // the state that the step changes; NULL: the caller runs single stages
    CondState* trial;      // after the substeps so far; NULL: there never were any
    CondTally tally;       //
} CondSubsteps;

// Quantities that measure the error of a pair of pieces (step/piece.c): of the end of the pair, and
// of single pieces.
typedef enum CondDifference {
    COND_WRONG_PLACE, // difference of configurations: two pieces and one double piece
    COND_WRONG_SPEED, // the same for velocities
    COND_CHANGE,      // change of the velocity over the pair
    COND_SPEED,       // velocity at its end
    COND_UNSTEADY, // difference of the changes in its two pieces, or of one and the one before it
    COND_N_DIFFERENCE,
} CondDifference;

// Data of steps with error control; empty before the first one.
typedef struct CondPieces {
    CondState* begin;             // at the start of a pair of pieces
    CondState* whole;             // after it as one piece
    CondState *first, *second;    // after its first and second piece
    CondTally sums;               // of the accepted pieces
    CondTally kept;               // of the accepted ones before the present pair
    CondStepInfo vain, pair;      // work of rejected pieces, and of the present pair
    double* x[COND_N_DIFFERENCE]; //                                         (n_dof)
    double* p;                    // momenta                                 (n_dof)
    double* resolved;             // scratch of integrate/resolved.h          (5 x n_dof)
    double* square;               // x' M x / m          (n_body x COND_N_DIFFERENCE)
    int rejected;                 // pairs that were too long
} CondPieces;

// Readings of the last step.
typedef struct CondReadings {
    int n_ready;                // contacts with known forces: all after a step, 0 before
    double* centre;             // of the bodies when the contacts were detected [m] (n_body x 3)
    double* place;              // points of a contact on either side [m]   (n_contact x 2 x 3)
    double* touched;            // time at which it began to carry a force [s]; infinite: none
    double* wrench;             // of the attachments                             (n_wrench x 6)
    int n_wrench;               //
    CondSensorReading* reading; // of the sensors                                    (n_sensor)
    double* load;               // scratch: forces on the links of one robot   (largest n_link x 6)
    double* acceleration;    // scratch: of one robot                              (largest n_dof)
    int ready;               // 1: after the first step
    struct CondQuery* query; // of range sensors; NULL: none
    int* leave_out;          // scratch: excludes the body of a range sensor       (n_body)
} CondReadings;

// Joint targets.
typedef struct CondTargets {
    CondIk** ik;    // of robots that follow a trajectory, else NULL    (n_body)
    double* rate;   // of the joint targets in this step                (n_target)
    double* middle; // joint targets at the representative time         (n_target)
} CondTargets;

// Energies of CondSim.next.
typedef struct CondEnergy {
    double kinetic, potential; // [J]
    int known;                 // 1: valid for `next`
    int resumed;               // 1: valid for the state that the step starts from
} CondEnergy;

// Wall clock of the stages.
typedef struct CondClock {
    double seconds[COND_N_STAGE]; // since the last report
    double last;                  // end of the last stage [s]
    CondStage stage;              // the last stage
} CondClock;

struct CondSim {
    CondArena arena;              // of the arrays here and in the structs below
    const CondModel* model;       // the copy in `values`; the sub-model if this is an awake part
    struct CondModelCopy* values; // the model whose values may change (cond/parameter.h); NULL for
                                  // a part
    struct CondEvents* events;    // contacts that began and ended; NULL for a part
    CondDeviceLoad* on_device;    // makes A and forces of elements, where it serves
    CondAttempt attempt;          // the present attempt at the step
    CondKinematics at_start;      // at the start of the step, by forces
    CondKinematics at_end;        // at its end
    CondState* next;              // the state being made; committed at the end of the step
    double* theta;                // of each body in this step                       (n_body)
    double* length;               // theta time_step [s]                             (n_body)
    int* linear;                  // 1: its forces are extrapolated from q_k          (n_body)
    double* f;                    // forces at the start of the step, -C v included  (n_dof)
    double* reach;                // gap within which contacts are detected [m]       (n_body)
    CondCollider collider;
    CondSolver* solver;
    CondAssembly matrix; // M or D of the bodies at some kinematics, for products with it
    double* work;        //                                                     (n_dof)
    CondTargets targets;
    CondSpring pull;         // by cond_sim_pull; stiffness 0: none
    CondHooks hooks;         // of the user
    CondJointRows rows;      // rows that bound the joints in this step
    CondHeld held;           // prescribed coordinates
    CondTransport transport; // quantity of robots that is conserved without forces
    CondNewton newton;
    struct CondTangent* tangent; // of auto
    struct CondGroups* groups;   // of auto
    struct CondBalance* balance; // of auto
    struct CondImpact* impact;
    struct CondCorrection* correction;
    struct CondSettle* settle;
    struct CondSpread* spread;
    struct CondPbd* pbd; // of step.method pbd
    CondSubsteps substeps;
    CondPieces pieces;
    CondEnergy energy;
    CondReadings readings;
    CondWatch watch;
    CondClock clock;
    struct CondSleep* sleep; // the sleeping bodies; NULL: sleeping is off
    CondSim* whole;          // the whole simulation, if this is its awake part; else NULL
};

// Stores the cause of a failed step in sim->watch.message, unless it has one.
void cond_sim_tell(CondSim* sim, const CondStepInfo* info);
// The public view of a contact before it has a force.
CondContactInfo cond_candidate_info(const CondModel* model, const CondCandidate* candidate);

// theta of the settings, or the equivalent of another integrator.
double cond_sim_theta(const CondSim* sim);

// One theta for all bodies, with sim->length.
void cond_sim_set_theta(CondSim* sim, double theta);

// theta of frames that follow trajectories: that of the bodies attached to them, which share it.
double cond_sim_control_theta(const CondSim* sim);

// q = update(from, v, t) of all bodies.
void cond_sim_advance(const CondModel* model, const double* from, const double* v, double t,
                      double* q);

// Updates sim->next: joint targets at the end of the step, by inverse kinematics, and attachments
// that begin or end; needs sim->at_start and sim->theta.
CondStatus cond_sim_control(CondSim* sim, const CondState* state);

// Joint targets and frames in space at the representative time, which depends on theta.
void cond_sim_control_middle(CondSim* sim, const CondState* state);

// Add forces to f and couplings to the assembly: the first function those of motors and
// attachments, the second also those of springs. step: th t of each body, or NULL for the damping
// alone. `which` selects the couplings:
typedef enum CondCoupled {
    COND_COUPLED_OWN = 1,   // with internal energy: springs, attachments
    COND_COUPLED_GIVEN = 2, // that do external work: motors, frames in space, cond_sim_pull
    COND_COUPLED_ALL = 3,
    COND_COUPLED_DAMPED = 4, // those with damping; without forces
} CondCoupled;
CondStatus cond_sim_add_controls(CondSim* sim, const CondKinematics* kinematics, CondCoupled which,
                                 const double* step, CondAssembly* assembly, double* f);
CondStatus cond_sim_couple(CondSim* sim, const CondKinematics* kinematics, CondCoupled which,
                           const double* step, CondAssembly* assembly, double* f);

// -C v + weight of one body at q_k, in its range of f (n_dof of the model).
void cond_sim_bias(CondSim* sim, const CondState* state, int body, double* f);

// Size of the smaller one of the bodies of a contact [m].
double cond_sim_smaller_size(const CondSim* sim, const CondCandidate* candidate);
// 1 for a contact of rigid bodies with each other or with static shapes.
int cond_sim_is_rigid(const CondSim* sim, const CondCandidate* candidate);
// For such a contact: the share `fall` of the distance g t^2 that weight causes in a step, at most
// `share` of the smaller body's size [m]; 0 for other contacts. A step linearises rotations, and
// the error is of that order.
double cond_sim_slack(const CondSim* sim, const CondCandidate* candidate, double fall,
                      double share);
// The gap of a contact in the problem [m]: 0 if it touches, or nearly touches in a heap.
double cond_sim_posed_gap(const CondSim* sim, const CondCandidate* candidate);

// Twice the largest distance that a body's points may move in the step [m]; needs sim->f.
double cond_sim_reach(CondSim* sim, int b, const CondState* state);

// Resets a sim, as if newly created, after its model was changed in place: with the same counts,
// the same settings except gravity, and unchanged soft bodies.
void cond_sim_renew(CondSim* sim);
// 1 if cond_sim_renew supports the sim: it keeps no other data of the model.
int cond_sim_can_renew(const CondSim* sim);
// The stages up to the problem: begin, kinematics at q_k, joint targets and attachments;
// load_forces, f of weight, -C v and given forces; load_matrix, A with the forces of elements,
// springs, motors and attachments; find_contacts, sim->attempt.candidates; pose, b and the contacts
// of the problem.
CondStatus cond_sim_begin(CondSim* sim, const CondState* state);
CondStatus cond_sim_load_forces(CondSim* sim, const CondState* state);
CondStatus cond_sim_load_matrix(CondSim* sim);
CondStatus cond_sim_find_contacts(CondSim* sim, const CondState* state);
CondStatus cond_sim_pose(CondSim* sim, const CondState* state);

// Sets the start of islands at rest to v_hat = 0; needs the start in sim->attempt.v_hat.
void cond_sim_start_at_rest(CondSim* sim);

// Sets the warm start: v_hat and lambda of the last step.
CondStatus cond_sim_start(CondSim* sim, const CondState* state);
// Solves the problem from there; note_relaxed stores the contacts whose law was relaxed.
CondStatus cond_sim_solve_problem(CondSim* sim, CondSolveInfo* info);
void cond_sim_note_relaxed(CondSim* sim);

// The integrator chooses theta (for each group once the contacts are known), and whether to
// linearise at q_k or, if contacts have joined a solved problem, at the last iterate.
CondStatus cond_integrator_choose(CondSim* sim, CondAttempt* attempt);
// Poses the problem at that iterate.
CondStatus cond_integrator_resume(CondSim* sim, const CondState* state);
// Chooses in *next, after a solve with the status `solved`, where the step continues; for
// COND_NEXT_SOLVE the problem of Newton's next iterate is posed.
CondStatus cond_integrator_next(CondSim* sim, const CondState* state, CondStatus solved,
                                CondSolveInfo* info, CondNext* next);
// Its kinds: non-linear ones by Newton's method, and auto.
CondStatus cond_newton_resume(CondSim* sim, const CondState* state);
CondStatus cond_newton_next(CondSim* sim, const CondState* state, CondStatus solved,
                            CondSolveInfo* info, CondNext* next);
CondStatus cond_auto_next(CondSim* sim, const CondState* state, CondStatus solved,
                          CondSolveInfo* info, CondNext* next);
// For auto, after contacts have joined or a coarse solve has to reach the tolerance: iterates
// returns 1 if some body is not stepped linearly; resume poses the problem at the last iterate,
// from which Newton's method continues.
int cond_auto_iterates(CondSim* sim);
CondStatus cond_auto_resume(CondSim* sim, const CondState* state);
// Square of the rounding error of a body's residual; needs sim->at_end at the iterate and
// newton.diagonal.
double cond_sim_rounding_of(const CondSim* sim, int b);

// guess_theta sets theta before the contacts are known, for every integrator; choose sets it for
// each group of auto once they are. again: 1 if contacts have joined a solved step; the choice of
// persistent contacts is then kept. *changed: 1 if forces and A must be recomputed.
void cond_sim_guess_theta(CondSim* sim, const CondState* state);
CondStatus cond_sim_choose(CondSim* sim, const CondState* state, int again, int* changed);

// Number of forces in lambda: contacts of the step plus rows of its joints.
int cond_sim_n_force(const CondSim* sim);

// Reserves memory for the forces of n contacts: lambda, impulse, and relaxed, which is set to 0.
// Every method of stepping calls it.
CondStatus cond_sim_reserve_forces(CondSim* sim, int n);

// Adds the contacts of sim->attempt.candidates to the step's problem.
CondStatus cond_sim_finish(CondSim* sim);

// Create and destroy sim->newton.
CondStatus cond_newton_create(CondSim* sim);
void cond_newton_destroy(CondSim* sim);

// Functions of Newton's method, for the bodies that are not linear; the others keep the linear
// step. pose sets sim->at_end to q(v_hat).
void cond_newton_pose(CondSim* sim, const CondState* state);
// Computes f, A and newton.diagonal = diag(A) at the iterate (sim->attempt.v_hat,
// sim->attempt.lambda), and the residual g of its dynamics in newton.work.
CondStatus cond_newton_evaluate(CondSim* sim, const CondState* state);
// Computes b of the next linear problem, and the reactions of prescribed coordinates in sim->work.
void cond_newton_right_hand_side(CondSim* sim);
// Mass of a body [kg].
double cond_newton_mass(const CondBody* body, const CondKinematics* kinematics);
// Stores v_hat and lambda, to return to them.
void cond_newton_keep(CondSim* sim);
// x <- (x + base)/2
void cond_newton_halve(int n, const double* base, double* x);
// y = D v, of bodies and couplings at sim->at_end.
CondStatus cond_newton_damp(CondSim* sim, const double* v, double* y);
// Adds the work of one more solve.
void cond_solve_info_add(CondSolveInfo* info, const CondSolveInfo* last);

// v_hat transported to q_k, such that v_{k+1} = v_k + (v_hat - v_k)/theta, also at q_k; in
// sim->work.
const double* cond_sim_representative(CondSim* sim, const CondState* state);

// Transports the velocity of sim->next from q_k to q_{k+1} = sim->at_end.
void cond_sim_transport(CondSim* sim);

// cond_sim_acting returns the kinematics at which the forces on a body were evaluated in this step,
// and in *step the time of their extrapolation, force(q + step v_hat): q_k with th t, or with 0 the
// last iterate of Newton's method. cond_sim_act computes these kinematics; it needs sim->at_start
// as at the start of the step, and may change sim->at_end.
void cond_sim_act(CondSim* sim);
const CondKinematics* cond_sim_acting(const CondSim* sim, int body, double* step);

// Wrenches of the attachments in this step, from v_hat. Calls cond_sim_act.
CondStatus cond_sim_read_wrenches(CondSim* sim);

// Stores the points of the contacts on either side, and the centres of the bodies, at
// sim->at_start.
CondStatus cond_sim_place_contacts(CondSim* sim, const CondState* state);

// The share of a side's force in a sum: 0 .. 1.
typedef double CondShare(const CondModel* model, const void* what, const CondCandidate* candidate,
                         int side);
// Sum of the contact forces with a share above 0, with the torque about a point; over the first n
// contacts, or those in the list.                                            list (n) or NULL
CondResultant cond_sim_sum_contacts(const CondSim* sim, int n, const int* list,
                                    const double about[3], CondShare* share, const void* what);

// Computes the readings of the sensors in this step; needs the wrenches, and the state before the
// step.
CondStatus cond_sim_read_sensors(CondSim* sim, const CondState* state);
CondStatus cond_sensors_create(CondSim* sim);
void cond_sensors_destroy(CondSim* sim);
// 1 if a sensor measures bodies without contact; none may then sleep.
int cond_sensors_see(const CondModel* model);

// 1 if the step searches for violated contacts at its end.
int cond_sim_may_go_on(const CondSim* sim);

// Moves sim->next and sim->at_end by v_hat, and detects contacts there and on the way.
CondStatus cond_sim_look_at_end(CondSim* sim, const CondState* state);
// After that: *n is the number of violated contacts that may join the problem, within the rounds of
// the settings. COND_NOT_CONVERGED: the remaining violation is too large. With *n = 0 it may be
// called again; with *n > 0 join_violated adds the contacts to the problem.
CondStatus cond_sim_find_violated(CondSim* sim, const CondState* state, int* n);
CondStatus cond_sim_join_violated(CondSim* sim, const CondState* state);
// Contact propagation: finds the *n contacts outside the problem that late contacts between rigid
// bodies will close. They are placed first in sim->attempt.end, by ascending key.
CondStatus cond_sim_find_wave(CondSim* sim, int* n);
// Displacement of the point on one side of a contact along its normal in the step [m].
double cond_sim_travel(const CondSim* sim, const CondCandidate* candidate, int side);

// q_{k+1} = update(q_k, v_hat, t), in sim->next and sim->at_end.
void cond_sim_move(CondSim* sim, const CondState* state);

// make_next computes v_{k+1} and q_{k+1} in sim->next; finish_next, after impact and correction,
// transports the velocities of robots and applies the energy balance.
CondStatus cond_sim_make_next(CondSim* sim, const CondState* state);
CondStatus cond_sim_finish_next(CondSim* sim);

// For every method, once q_{k+1} is in sim->next and sim->at_end: sets the time, the points of the
// contacts, and the contact memory for the next step.
CondStatus cond_sim_arrive(CondSim* sim, const CondState* state);

// Stages of the penalty baseline: all forces except contacts; contact forces; v and q.
CondStatus cond_penalty_forces(CondSim* sim, const CondState* state);
CondStatus cond_penalty_contacts(CondSim* sim, const CondState* state);
CondStatus cond_penalty_advance(CondSim* sim);

// Stages of the position-based baseline: given forces; constraints; the substeps; v, q and forces.
CondStatus cond_pbd_forces(CondSim* sim, const CondState* state);
CondStatus cond_pbd_assemble(CondSim* sim, const CondState* state);
CondStatus cond_pbd_solve(CondSim* sim, CondSolveInfo* info);
CondStatus cond_pbd_advance(CondSim* sim);

// Stores lambda in sim->next for the warm start of the next step.
CondStatus cond_sim_remember(CondSim* sim);

// Detects the contacts within sim->reach at a kinematics, without those between prescribed bodies
// and those that the program refuses. Every stage detects contacts with this function.
CondStatus cond_sim_detect(CondSim* sim, const CondKinematics* kinematics, CondCandidateList* list);

// Computes the largest penetration of any pair at the end of the step [m]; lists the contacts
// within reach in sim->attempt.end.
CondStatus cond_sim_collide_next(CondSim* sim, double* deepest);

// The last stage of every method: computes energies, attachment forces and sensors, checks all
// results, and only then changes the state. Needs sim->next, sim->at_end, the contact forces and,
// for position-based dynamics, the attachment forces.
CondStatus cond_sim_commit(CondSim* sim, const CondState* state, CondState* to, CondStepInfo* info);

// The true depth of a pair at the kinematics by which the collider was placed, if the contacts do
// not give it; otherwise *depth is unchanged.
CondStatus cond_sim_true_depth(CondSim* sim, const CondKinematics* kinematics,
                               const CondBodyPair* pair, double* depth);
// Finds the pair in sim->attempt.end that is deepest relative to its limit; result in
// sim->attempt.deepest.
CondStatus cond_sim_find_deepest(CondSim* sim);
// The obstacle whose surface is nearest to a contact; -1: there is none.
int cond_model_nearest_obstacle(const CondModel* model, const double position[3]);
// 1 if that pair is beyond its limit and deeper than at the start of the step: an earlier overlap
// that decreases is not a failure of the step.
int cond_sim_is_too_deep(const CondSim* sim);

// Energies before and after the step, at sim->at_start and sim->at_end.
void cond_sim_energies(CondSim* sim, const CondState* state, CondStepInfo* info);

// 1/2 v' M v at a kinematics, and the potential energy of gravity, elasticity, springs, motors and
// attachments.
double cond_sim_kinetic(CondSim* sim, const CondKinematics* kinematics, const double* v);
double cond_sim_potential(const CondKinematics* kinematics, const CondState* state);
// The share of both that integrators count as external work: of motors, of attachments to moving
// frames, and of prescribed coordinates.
double cond_sim_given_energy(CondSim* sim, const CondKinematics* kinematics, const CondState* state,
                             const double* v);

// 1 if the impact stage balances the energy of a body.
int cond_impact_is_exact(const CondSim* sim, int body);

#endif
