// Inside of a CondSim: the workspace of one simulation on one thread.
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
#include "sim/held.h"
#include "sim/hooks.h"
#include "sim/joint_rows.h"
#include "sim/watch.h"

// Of the non-linear integrators; empty for theta.
typedef struct CondNewton {
    double* q;           // configuration at the representative time       (n_q)
    double* start;       // v_k as seen from there                         (n_dof)
    double* v;           // the iterate before the last solve              (n_dof)
    double* lambda;      // its contact forces                             (n_contact x 3)
    double* r;           // residual of the dynamics, contacts left out    (n_dof)
    double* diagonal;    // of A                                           (n_dof)
    double* work;        //                                                (n_dof)
    CondHistory history; // |change of v| by iteration [m/s], from 1
    int iterations;      // in the last step, the linear one included
    double size;         // of the residual at the last iterate; of auto relative to what is enough
    double noise;        // below which it is that of the linear solves
    double worst;        // of auto: of the present iterate
    int count;           // of auto: iterates since the linear step
    int followed;        // of auto: iterates with the derivative
    int shifted;         // of auto, 1: contacts have just gone to the middle of the step
} CondNewton;

// A contact of a step that is made in substeps.
typedef struct CondSubstepContact {
    CondCandidate candidate; // when it was last found
    double place[6];         // where it acted then [m]
    double impulse[3];       // of all substeps so far, world axes [N s]
    double touched;          // when it first carried one [s]; infinite: it has not
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

// Of steps that are made in substeps; empty before the first one.
typedef struct CondSubsteps {
    const CondState* from; // the state that the whole step begins with
    CondState* to;         // and the one that it changes; NULL: the caller runs single stages
    CondState* trial;      // after the substeps made so far; NULL: there never were any
    CondTally tally;       //
} CondSubsteps;

// What pieces are compared by (step/piece.c): the end of a pair, and one by one.
typedef enum CondDifference {
    COND_WRONG_PLACE, // between its end and that of the pair in one go
    COND_WRONG_SPEED, // the same of velocities
    COND_CHANGE,      // of the velocity over the pair
    COND_SPEED,       // the velocity at its end
    COND_UNSTEADY,    // between the changes of its two pieces, or of one and that before it
    COND_N_DIFFERENCE,
} CondDifference;

// Of steps that know their error; empty before the first one.
typedef struct CondPieces {
    CondState* begin;             // where a pair of pieces begins
    CondState* whole;             // after it in one go
    CondState *first, *second;    // after its halves
    CondTally sums;               // of the pieces that stand
    CondTally kept;               // of those before the present pair
    CondStepInfo vain, pair;      // work of what does not stand, and of the present pair
    double* x[COND_N_DIFFERENCE]; //                                         (n_dof)
    double* p;                    // momenta                                 (n_dof)
    double* resolved;             // scratch of integrate/resolved.h          (5 x n_dof)
    double* square;               // x' M x / m          (n_body x COND_N_DIFFERENCE)
    int rejected;                 // pairs that were too long
} CondPieces;

// Readings of the last step.
typedef struct CondReadings {
    int n_ready;                // contacts whose force is known: all of a step, none before
    double* centre;             // of the bodies when the contacts were found [m]  (n_body x 3)
    double* place;              // where a contact acts on either side [m]      (n_contact x 2 x 3)
    double* touched;            // when it came to carry a force [s]; infinite: it carries none
    double* wrench;             // of the attachments                             (n_wrench x 6)
    int n_wrench;               //
    CondSensorReading* reading; // of the sensors                                    (n_sensor)
    double* load;               // forces on the links of one robot          (largest n_link x 6)
    double* acceleration;       // of one robot                                (largest n_dof)
    int ready;                  // 1: after the first step
    struct CondQuery* query;    // of sensors of range; NULL: there are none
    int* leave_out;             // scratch: the body of one of them                    (n_body)
} CondReadings;

// Where the joints are driven to.
typedef struct CondTargets {
    CondIk** ik;    // of robots that follow a trajectory, else NULL    (n_body)
    double* rate;   // of the joint targets in this step                (n_target)
    double* middle; // joint targets at the representative time         (n_target)
} CondTargets;

// Energies of CondSim.next.
typedef struct CondEnergy {
    double kinetic, potential; // [J]
    int known;                 // 1: they are those of next
    int resumed;               // 1: they are those of the state that the step starts from
} CondEnergy;

// Wall clock of the stages.
typedef struct CondClock {
    double seconds[COND_N_STAGE]; // until a step is handed over
    double last;                  // when the last stage ended [s]
    CondStage stage;              // the one that ended last
} CondClock;

struct CondSim {
    CondArena arena;              // of the arrays here and in the structs below
    const CondModel* model;       // the copy in `values`; of an awake part that part
    struct CondModelCopy* values; // whose values may change (cond/parameter.h); NULL: of a part
    struct CondEvents* events;    // contacts that began and ended; NULL: of a part
    CondAttempt attempt;          // the present one at the step
    CondKinematics at_start;      // at the start of the step, by forces
    CondKinematics at_end;        // at its end
    CondState* next;              // the state being made; committed at the end of the step
    double* theta;                // of each body in this step                       (n_body)
    double* length;               // theta time_step [s]                             (n_body)
    int* linear;                  // 1: its forces are those of q_k, extrapolated    (n_body)
    double* f;                    // forces at the start of the step, -C v included  (n_dof)
    double* reach;                // gap within which contacts are made [m]          (n_body)
    CondCollider collider;
    CondSolver* solver;
    CondAssembly matrix; // M or D of the bodies at some kinematics, for products with it
    double* work;        //                                                     (n_dof)
    CondTargets targets;
    CondSpring pull;         // by the user's hand; stiffness 0: none
    CondHooks hooks;         // of the user
    CondJointRows rows;      // what bounds the joints in this step
    CondHeld held;           // coordinates that move as they are prescribed
    CondTransport transport; // what the robots keep while no force acts
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
    struct CondSleep* sleep; // the bodies that sleep; NULL: none ever does
    CondSim* whole;          // of which this is the awake part; else NULL
};

// Says in sim->watch.message what went wrong in a step, unless that was said already.
void cond_sim_tell(CondSim* sim, const CondStepInfo* info);
// A contact as the user sees it before it has a force.
CondContactInfo cond_candidate_info(const CondModel* model, const CondCandidate* candidate);

// theta of the settings, or what another integrator stands for.
double cond_sim_theta(const CondSim* sim);

// One theta for all bodies, with sim->length.
void cond_sim_set_theta(CondSim* sim, double theta);

// theta of what trajectories lead through space: that of the bodies held there, which share it.
double cond_sim_control_theta(const CondSim* sim);

// q = update(from, v, t) of all bodies.
void cond_sim_advance(const CondModel* model, const double* from, const double* v, double t,
                      double* q);

// Joint targets at the end of the step by inverse kinematics, and attachments whose time has come
// or gone, in sim->next; needs sim->at_start and sim->theta.
CondStatus cond_sim_control(CondSim* sim, const CondState* state);

// Joint targets and frames in space at the representative time, which theta says.
void cond_sim_control_middle(CondSim* sim, const CondState* state);

// Adds forces to f and couplings to the assembly: of motors and attachments, and of these and the
// springs.
// step: th t of each body, or NULL for the damping alone.
typedef enum CondCoupled {
    COND_COUPLED_OWN = 1,   // what has an energy of the bodies' own: springs, attachments
    COND_COUPLED_GIVEN = 2, // what does work on them: motors, frames in space, the user's hand
    COND_COUPLED_ALL = 3,
    COND_COUPLED_DAMPED = 4, // of these what has damping; forces are not looked at
} CondCoupled;
CondStatus cond_sim_add_controls(CondSim* sim, const CondKinematics* kinematics, CondCoupled which,
                                 const double* step, CondAssembly* assembly, double* f);
CondStatus cond_sim_couple(CondSim* sim, const CondKinematics* kinematics, CondCoupled which,
                           const double* step, CondAssembly* assembly, double* f);

// -C v + weight of one body at q_k, in its part of f (n_dof of the model).
void cond_sim_bias(CondSim* sim, const CondState* state, int body, double* f);

// Size of the smaller one of the bodies of a contact [m].
double cond_sim_smaller_size(const CondSim* sim, const CondCandidate* candidate);
// 1 for a contact of rigid bodies, with each other or with what is static.
int cond_sim_is_rigid(const CondSim* sim, const CondCandidate* candidate);
// Of such a contact: a share of the way g t^2 that weight makes in
// a step, up to a share of the smaller one's size [m]. 0 between others. A step leaves out what
// turning adds to the linear motion, which is of that order.
double cond_sim_slack(const CondSim* sim, const CondCandidate* candidate, double fall,
                      double share);
// The gap of a contact as the problem has it: none where it touches, or nearly in a heap [m].
double cond_sim_posed_gap(const CondSim* sim, const CondCandidate* candidate);

// How far a body's points may travel in the step, twice over [m]; needs sim->f.
double cond_sim_reach(CondSim* sim, int b, const CondState* state);

// After the model of a sim was changed in place, with as many of everything as before and the same
// settings but for gravity, and none of its soft bodies: as if the sim had just been made.
void cond_sim_renew(CondSim* sim);
// 1 where a sim can be: nothing of the model is kept in it that cond_sim_renew does not know.
int cond_sim_can_renew(const CondSim* sim);
// The stages up to the problem: where everything is at q_k, joint targets and attachments; f of
// weight, -C v and given forces; A, with the forces of elements, springs, motors and attachments,
// which come with it; contacts in sim->attempt.candidates; b and the contacts of the problem.
CondStatus cond_sim_begin(CondSim* sim, const CondState* state);
CondStatus cond_sim_load_forces(CondSim* sim, const CondState* state);
CondStatus cond_sim_load_matrix(CondSim* sim);
CondStatus cond_sim_find_contacts(CondSim* sim, const CondState* state);
CondStatus cond_sim_pose(CondSim* sim, const CondState* state);

// Starts islands that are at rest from v_hat = 0; needs the start in sim->attempt.v_hat.
void cond_sim_start_at_rest(CondSim* sim);

// v_hat and lambda to start from: what the last step left.
CondStatus cond_sim_start(CondSim* sim, const CondState* state);
// Solves the problem from there; notes the contacts whose law was relaxed.
CondStatus cond_sim_solve_problem(CondSim* sim, CondSolveInfo* info);
void cond_sim_note_relaxed(CondSim* sim);

// The integrator chooses theta, of each group once the contacts are known, and whether the problem
// is linearised at q_k or, where contacts have joined one that was solved, at the last iterate.
CondStatus cond_integrator_choose(CondSim* sim, CondAttempt* attempt);
// Poses the problem at that iterate.
CondStatus cond_integrator_resume(CondSim* sim, const CondState* state);
// Says after every solve, whose status is `solved`, where the step goes on; the problem of Newton's
// next iterate it has posed.
CondStatus cond_integrator_next(CondSim* sim, const CondState* state, CondStatus solved,
                                CondSolveInfo* info, CondNext* next);
// Its kinds: non-linear ones by Newton's method, and auto.
CondStatus cond_newton_resume(CondSim* sim, const CondState* state);
CondStatus cond_newton_next(CondSim* sim, const CondState* state, CondStatus solved,
                            CondSolveInfo* info, CondNext* next);
CondStatus cond_auto_next(CondSim* sim, const CondState* state, CondStatus solved,
                          CondSolveInfo* info, CondNext* next);
// Of auto, where contacts have joined or a draft is to be brought to the tolerance: 1 where some
// body is not stepped linearly, and the problem at the last iterate, from which Newton's method
// then goes on.
int cond_auto_iterates(CondSim* sim);
CondStatus cond_auto_resume(CondSim* sim, const CondState* state);
// What rounding leaves of the residual of a body, squared; needs sim->at_end at the iterate and
// newton.diagonal.
double cond_sim_rounding_of(const CondSim* sim, int b);

// Of the integrator auto: theta before the contacts are known (of others too), and by group once
// they are. again: 1 where contacts have joined a step that was solved; which of the others last
// stands. *changed: 1 where forces and A must be made again.
void cond_sim_guess_theta(CondSim* sim, const CondState* state);
CondStatus cond_sim_choose(CondSim* sim, const CondState* state, int again, int* changed);

// Contacts of the step and rows of its joints: as many have a lambda.
int cond_sim_n_force(const CondSim* sim);

// Room for what is known of n contacts once they have forces: lambda, impulse, and relaxed, which
// is set to 0. Every method of stepping asks for it.
CondStatus cond_sim_reserve_forces(CondSim* sim, int n);

// Adds the contacts of sim->attempt.candidates to the step's problem.
CondStatus cond_sim_finish(CondSim* sim);

// Makes and destroys sim->newton and sim->carry.
CondStatus cond_newton_create(CondSim* sim);
void cond_newton_destroy(CondSim* sim);

// Pieces of Newton's method, for the bodies that are not linear; the others stay at the linear
// step. sim->at_end at q(v_hat).
void cond_newton_pose(CondSim* sim, const CondState* state);
// f, A and the residual g of the dynamics at the iterate (sim->attempt.v_hat, sim->attempt.lambda),
// which is left in newton.work; newton.diagonal = diag(A).
CondStatus cond_newton_evaluate(CondSim* sim, const CondState* state);
// b of the next linear problem; and of what is held, what holds it, in sim->work.
void cond_newton_right_hand_side(CondSim* sim);
// Of a body.
double cond_newton_mass(const CondBody* body, const CondKinematics* kinematics);
// Keeps v_hat and lambda, to go back to.
void cond_newton_keep(CondSim* sim);
// x <- (x + base)/2
void cond_newton_halve(int n, const double* base, double* x);
// y = D v, of bodies and couplings at sim->at_end.
CondStatus cond_newton_damp(CondSim* sim, const double* v, double* y);
// Adds the work of one more solve.
void cond_solve_info_add(CondSolveInfo* info, const CondSolveInfo* last);

// v_hat as seen from q_k, such that v_{k+1} = v_k + (v_hat - v_k)/theta, seen from q_k too; in
// sim->work.
const double* cond_sim_representative(CondSim* sim, const CondState* state);

// The velocity of sim->next, as seen from q_k until now, as seen from q_{k+1} = sim->at_end.
void cond_sim_transport(CondSim* sim);

// The kinematics at which the forces on a body were taken in this step, with what they were
// extrapolated by, force(q + step v_hat): q_k and th t, or the last iterate of Newton's method and
// 0. cond_sim_act makes these kinematics; it needs sim->at_start as it was when the step began, and
// may change sim->at_end.
void cond_sim_act(CondSim* sim);
const CondKinematics* cond_sim_acting(const CondSim* sim, int body, double* step);

// Wrenches of the attachments in this step, from v_hat. Calls cond_sim_act.
CondStatus cond_sim_read_wrenches(CondSim* sim);

// Where the contacts of the step act on either side, and where the bodies are, at sim->at_start.
CondStatus cond_sim_place_contacts(CondSim* sim, const CondState* state);

// The part of a side's force that counts in a sum: 0 .. 1.
typedef double CondShare(const CondModel* model, const void* what, const CondCandidate* candidate,
                         int side);
// Sum of the contact forces whose share is above 0, torque about a point; of the first n contacts,
// or of those in the list.                                                        list (n) or NULL
CondResultant cond_sim_sum_contacts(const CondSim* sim, int n, const int* list,
                                    const double about[3], CondShare* share, const void* what);

// Readings of the sensors in this step; needs the wrenches, and state as it was before the step.
CondStatus cond_sim_read_sensors(CondSim* sim, const CondState* state);
CondStatus cond_sensors_create(CondSim* sim);
void cond_sensors_destroy(CondSim* sim);
// 1 where a sensor sees bodies that it does not touch: none of them may sleep.
int cond_sensors_see(const CondModel* model);

// 1 where the end of a step is looked at for contacts to join.
int cond_sim_may_go_on(const CondSim* sim);

// Where v_hat leads, in sim->next and sim->at_end, and what meets there or has met on the way.
CondStatus cond_sim_look_at_end(CondSim* sim, const CondState* state);
// After that: how many contacts *n are violated there that may join the problem, not beyond the
// rounds of the settings. COND_NOT_CONVERGED where more is
// violated than may be left. Where *n is 0 it can be asked again. Then these join it, *n > 0.
CondStatus cond_sim_find_violated(CondSim* sim, const CondState* state, int* n);
CondStatus cond_sim_join_violated(CondSim* sim, const CondState* state);
// Of the contacts that late ones between rigid bodies will close, the *n that the problem does not
// know: at the front of sim->attempt.end, by ascending key.
CondStatus cond_sim_find_wave(CondSim* sim, int* n);
// How far the point on either side of a contact moves along its normal in the step [m].
double cond_sim_travel(const CondSim* sim, const CondCandidate* candidate, int side);

// q_{k+1} = update(q_k, v_hat, t), in sim->next and sim->at_end.
void cond_sim_move(CondSim* sim, const CondState* state);

// v_{k+1} and q_{k+1} in sim->next; after impact and correction what robots and energies ask for.
CondStatus cond_sim_make_next(CondSim* sim, const CondState* state);
CondStatus cond_sim_finish_next(CondSim* sim);

// Of every method, once q_{k+1} is in sim->next and sim->at_end: its time, where the contacts of
// the step act, and their forces for the next one.
CondStatus cond_sim_arrive(CondSim* sim, const CondState* state);

// Stages of the penalty baseline: all forces but those of contacts; contacts, as forces; v and q.
CondStatus cond_penalty_forces(CondSim* sim, const CondState* state);
CondStatus cond_penalty_contacts(CondSim* sim, const CondState* state);
CondStatus cond_penalty_advance(CondSim* sim);

// Stages of the position-based baseline: given forces; constraints; the substeps; v, q and forces.
CondStatus cond_pbd_forces(CondSim* sim, const CondState* state);
CondStatus cond_pbd_assemble(CondSim* sim, const CondState* state);
CondStatus cond_pbd_solve(CondSim* sim, CondSolveInfo* info);
CondStatus cond_pbd_advance(CondSim* sim);

// Remembers lambda for the next step, in sim->next.
CondStatus cond_sim_remember(CondSim* sim);

// The contacts within sim->reach at a kinematics, without those between prescribed bodies and those
// that the program refuses. Every stage finds contacts by this function.
CondStatus cond_sim_detect(CondSim* sim, const CondKinematics* kinematics, CondCandidateList* list);

// Largest penetration of any two things at the end of the step [m]; lists the contacts within reach
// of the bodies in sim->attempt.end.
CondStatus cond_sim_collide_next(CondSim* sim, double* deepest);

// The end of every step by every method: energies, forces of attachments, sensors, and whether all
// of it is sound; only then the state is changed. sim->next, sim->at_end, the forces of the
// contacts and, of position-based dynamics, of the attachments are there.
CondStatus cond_sim_commit(CondSim* sim, const CondState* state, CondState* to, CondStepInfo* info);

// The depth of a pair where the collider was placed by the kinematics, for those whose contacts do
// not say it; else *depth is left as it is.
CondStatus cond_sim_true_depth(CondSim* sim, const CondKinematics* kinematics,
                               const CondBodyPair* pair, double* depth);
// The pair among sim->attempt.end that is deepest for its limit, in sim->attempt.deepest.
CondStatus cond_sim_find_deepest(CondSim* sim);
// The obstacle whose surface is nearest to a contact; -1: there is none.
int cond_model_nearest_obstacle(const CondModel* model, const double position[3]);
// 1 when it is beyond the limit, and deeper than when the step began: what overlapped before and is
// on its way out is no fault of the step.
int cond_sim_is_too_deep(const CondSim* sim);

// Energies before and after the step, at sim->at_start and sim->at_end.
void cond_sim_energies(CondSim* sim, const CondState* state, CondStepInfo* info);

// 1/2 v' M v at a kinematics, and the energy of gravity, elasticity, springs,
// motors and attachments.
double cond_sim_kinetic(CondSim* sim, const CondKinematics* kinematics, const double* v);
double cond_sim_potential(const CondKinematics* kinematics, const CondState* state);
// The part of both that integrators count with what is given: of motors, of attachments to frames
// that are led, and of coordinates that are held.
double cond_sim_given_energy(CondSim* sim, const CondKinematics* kinematics, const CondState* state,
                             const double* v);

// 1 where the energy of a body is settled by the impact stage.
int cond_impact_is_exact(const CondSim* sim, int body);

#endif
