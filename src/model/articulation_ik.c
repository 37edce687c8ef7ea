// Inverse kinematics of an articulated body, by velocities inside all joint limits.
//
// Let x be the joint rates, J the Jacobian of the frame with its angular rows scaled by `length`,
// and V the velocity asked for: feed-forward plus fed-back error. First
//     min |J x - V|^2 + damping^2 |x|^2     subject to  lo <= x <= hi
// exactly, by a primal active-set method; then, without changing J x and without leaving the box,
// as far as possible towards the rates that lead to the rest kinematics.
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/tuning.h"
#include "linear/cholesky.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "model/tuning.h"

#include <stdint.h>
#include <string.h>

struct CondIk {
    CondContext context;
    const CondArticulation* articulation;
    CondArticulationWork* work;
    double* memory;  // one block that holds the arrays below
    double* all;     // Jacobian of every coordinate                       (6 x n_dof)
    double* J;       // of the joints, scaled; by columns                  (n_joint x 6)
    double* lo;      // bounds of the rates                                (n_joint)
    double* hi;      //                                                    (n_joint)
    double* x;       // rates                                              (n_joint)
    double* wish;    // rates towards the rest kinematics                     (n_joint)
    double* move;    // from x to the next point                           (n_joint)
    double* begun;   // configuration that a search was given              (n_q)
    double* nearest; // nearest configuration that it has seen             (n_q)
    double* best;    // joints that a step would lead to                  (n_q)
    int* held;       // 0: free, -1: at lo, +1: at hi                      (n_joint)
};

CondIkSettings cond_ik_settings_default(void)
{
    CondIkSettings settings = {
        .gain = INFINITY,
        .damping = 1e-3,
        .length = 0.25,
        .speed = 1.0,
        .turn = 2.5,
        .rest_gain = 1.0,
        .rest = NULL,
    };
    return settings;
}

CondStatus cond_ik_create(const CondContext* context, const CondArticulation* a, CondIk** out,
                          CondError* error)
{
    CondContext kept = cond_context_or_default(context);
    *out = NULL;
    CondIk* ik = cond_allocate(&kept, 1, sizeof *ik);
    if (!ik)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for inverse kinematics");
    size_t n = (size_t)a->n_joint;
    ik->context = kept;
    ik->articulation = a;
    ik->memory = cond_allocate(&kept, 6 * (size_t)a->n_dof + 11 * n + 3 * (size_t)a->n_q,
                               sizeof *ik->memory);
    ik->held = cond_allocate(&kept, n, sizeof *ik->held);
    CondStatus status = COND_OUT_OF_MEMORY;
    if (ik->memory && ik->held)
        status = cond_articulation_work_create(&kept, a, &ik->work, error);
    else
        cond_error_set(error, status, "no memory for inverse kinematics");
    if (status != COND_OK) {
        cond_ik_destroy(ik);
        return status;
    }
    ik->all = ik->memory;
    ik->J = ik->all + 6 * a->n_dof;
    ik->lo = ik->J + 6 * n;
    ik->hi = ik->lo + n;
    ik->x = ik->hi + n;
    ik->wish = ik->x + n;
    ik->move = ik->wish + n;
    ik->best = ik->move + n;
    ik->begun = ik->best + a->n_q;
    ik->nearest = ik->begun + a->n_q;
    *out = ik;
    return COND_OK;
}

void cond_ik_rebind(CondIk* ik, const CondArticulation* articulation)
{
    ik->articulation = articulation;
}

void cond_ik_destroy(CondIk* ik)
{
    if (!ik)
        return;
    CondContext context = ik->context;
    cond_articulation_work_destroy(ik->work);
    cond_release(&context, ik->memory);
    cond_release(&context, ik->held);
    cond_release(&context, ik);
}

// The turn w (world axes) with exp(w) from = to, at most pi long.
static void turn_between(const double from[4], const double to[4], double w[3])
{
    double back[4] = {from[0], -from[1], -from[2], -from[3]}, d[4];
    quat_product(to, back, d);
    double sign = d[0] < 0.0 ? -1.0 : 1.0, length = vec3_norm(d + 1);
    // angle / sin(angle / 2) tends to 2 where the turn vanishes
    double factor = length > 0.0 ? 2.0 * atan2(length, sign * d[0]) / length : 2.0;
    for (int k = 0; k < 3; k++)
        w[k] = sign * factor * d[1 + k];
}

// Where the frame is at q; leaves the kinematics of q in the work.
static void frame_pose(CondIk* ik, const CondIkFrame* frame, const double* q, double position[3],
                       double orientation[4])
{
    cond_articulation_kinematics(ik->articulation, q, ik->work);
    cond_articulation_point(ik->articulation, ik->work, frame->link, frame->position, position,
                            NULL);
    quat_product(ik->work->orientation + 4 * frame->link, frame->orientation, orientation);
    quat_normalize(orientation);
}

// e = (position, turn) from the frame at q to the target.
static void pose_error(CondIk* ik, const CondIkFrame* frame, const double position[3],
                       const double orientation[4], const double* q, double e[6])
{
    double world[3], turned[4];
    frame_pose(ik, frame, q, world, turned);
    for (int k = 0; k < 3; k++)
        e[k] = position[k] - world[k];
    turn_between(turned, orientation, e + 3);
}

// Scaled Jacobian of the joints at the configuration that the work holds.
static void joint_jacobian(CondIk* ik, const CondIkFrame* frame, double length)
{
    const CondArticulation* a = ik->articulation;
    int first = a->n_dof - a->n_joint;
    cond_articulation_frame_jacobian(a, ik->work, frame->link, frame->position, ik->all);
    for (int i = 0; i < a->n_joint; i++)
        for (int k = 0; k < 6; k++)
            ik->J[6 * i + k] = (k < 3 ? 1.0 : length) * ik->all[k * a->n_dof + first + i];
}

// y <- (J_F J_F' + shift I)^-1 y over the free joints F.
static void solve_free(const CondIk* ik, double shift, double y[6])
{
    double K[36] = {0.0};
    for (int i = 0; i < ik->articulation->n_joint; i++)
        for (int r = 0; r < 6 && !ik->held[i]; r++)
            for (int c = 0; c < 6; c++)
                K[6 * r + c] += ik->J[6 * i + r] * ik->J[6 * i + c];
    double trace = 0.0;
    for (int r = 0; r < 6; r++)
        trace += K[7 * r];
    // Rounding makes a singular K slightly indefinite; this much always keeps it positive.
    shift = fmax(fmax(shift, COND_ROUNDING * trace), 1e-30);
    for (int r = 0; r < 6; r++)
        K[7 * r] += shift;
    if (cond_cholesky_factor(6, K))
        memset(y, 0, 6 * sizeof *y);
    else
        cond_cholesky_solve(6, K, y);
}

static double column_dot(const CondIk* ik, int i, const double y[6])
{
    const double* J = ik->J + 6 * i;
    return vec3_dot(J, y) + vec3_dot(J + 3, y + 3);
}

// x += part of `move` over the free joints that the box allows; holds the joint that stops it.
// Returns the part, 1 when nothing does.
static double move_within_box(CondIk* ik)
{
    int n = ik->articulation->n_joint, stop = -1;
    double part = 1.0;
    for (int i = 0; i < n; i++) {
        double bound = ik->move[i] < 0.0 ? ik->lo[i] : ik->hi[i];
        if (ik->held[i] || ik->move[i] == 0.0 || !isfinite(bound))
            continue;
        double most = fmax(0.0, (bound - ik->x[i]) / ik->move[i]);
        if (most < part) {
            part = most;
            stop = i;
        }
    }
    for (int i = 0; i < n; i++)
        if (!ik->held[i])
            ik->x[i] = fmin(fmax(ik->x[i] + part * ik->move[i], ik->lo[i]), ik->hi[i]);
    if (stop >= 0) {
        ik->held[stop] = ik->move[stop] < 0.0 ? -1 : 1;
        ik->x[stop] = ik->held[stop] < 0 ? ik->lo[stop] : ik->hi[stop];
    }
    return part;
}

// y = V - sum of J_i x_i over the held joints, or over all.
static void remaining(const CondIk* ik, const double V[6], int all, double y[6])
{
    memcpy(y, V, 6 * sizeof *y);
    for (int i = 0; i < ik->articulation->n_joint; i++)
        for (int k = 0; k < 6 && (all || ik->held[i]); k++)
            y[k] -= ik->J[6 * i + k] * ik->x[i];
}

// Lets go of the held joint that most wants to come back into the box, by the sign of the gradient
// g = J'(J x - V) + damping^2 x; 0 when none does, and x is the minimum.
static int release_one(CondIk* ik, const double V[6], double shift)
{
    double y[6], worst = 0.0;
    int which = -1;
    remaining(ik, V, 1, y);
    for (int i = 0; i < ik->articulation->n_joint; i++) {
        if (!ik->held[i] || ik->lo[i] == ik->hi[i])
            continue;
        double g = shift * ik->x[i] - column_dot(ik, i, y);
        double wants = ik->held[i] < 0 ? -g : g;
        double scale = 0.0;
        for (int k = 0; k < 6; k++)
            scale += fabs(ik->J[6 * i + k]) * (fabs(V[k]) + fabs(y[k]));
        if (wants > worst && wants > COND_ROUNDING * scale) {
            worst = wants;
            which = i;
        }
    }
    if (which >= 0)
        ik->held[which] = 0;
    return which >= 0;
}

// x = argmin |J x - V|^2 + shift |x|^2 in the box. Every pass lowers the objective or changes what
// is held; the bound on passes is for the exactly degenerate case and leaves a point in the box.
static void least_squares(CondIk* ik, const double V[6], double shift)
{
    int n = ik->articulation->n_joint;
    for (int i = 0; i < n; i++) {
        ik->x[i] = fmin(fmax(0.0, ik->lo[i]), ik->hi[i]);
        ik->held[i] = ik->lo[i] == ik->hi[i] || ik->x[i] > 0.0 ? -1 : ik->x[i] < 0.0;
    }
    for (int pass = 0; pass < 10 * n + 10; pass++) {
        double y[6];
        remaining(ik, V, 0, y);
        solve_free(ik, shift, y);
        for (int i = 0; i < n; i++)
            ik->move[i] = ik->held[i] ? 0.0 : column_dot(ik, i, y) - ik->x[i];
        if (move_within_box(ik) == 1.0 && !release_one(ik, V, shift))
            return;
    }
}

// x += N (wish - x) over the free joints with N = I - J'(J J')^-1 J, which leaves J x alone; a
// joint that meets its bound is held and the rest of the way is projected anew.
static void pull_to_rest(CondIk* ik)
{
    int n = ik->articulation->n_joint;
    double left = 1.0;
    for (int pass = 0; pass <= n && left > 0.0; pass++) {
        double y[6] = {0.0};
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 6 && !ik->held[i]; k++)
                y[k] += ik->J[6 * i + k] * (ik->wish[i] - ik->x[i]);
        solve_free(ik, 0.0, y);
        for (int i = 0; i < n; i++)
            ik->move[i] =
                ik->held[i] ? 0.0 : left * (ik->wish[i] - ik->x[i] - column_dot(ik, i, y));
        left *= 1.0 - move_within_box(ik);
    }
}

// V = feed-forward + gain error, shortened as a whole where it is too fast, so that the frame
// keeps its direction.
static void wanted_velocity(const CondIkSettings* settings, const CondIkTarget* target,
                            const double e[6], double dt, double V[6])
{
    double gain = fmin(settings->gain, 1.0 / dt);
    for (int k = 0; k < 3; k++) {
        V[k] = target->velocity[k] + gain * e[k];
        V[3 + k] = target->angular[k] + gain * e[3 + k];
    }
    double speed = vec3_norm(V), turn = vec3_norm(V + 3), part = 1.0;
    if (speed > settings->speed)
        part = settings->speed / speed;
    if (turn > settings->turn)
        part = fmin(part, settings->turn / turn);
    for (int k = 0; k < 6; k++)
        V[k] *= part * (k < 3 ? 1.0 : settings->length);
}

// joint += dt x; a joint that was inside its limits stays there, whatever rounding says.
static void take_step(const CondIk* ik, double dt, double* joint)
{
    for (int i = 0; i < ik->articulation->n_joint; i++) {
        const CondJointCoordinate* c = &ik->articulation->coordinate[i];
        int inside = joint[i] >= c->lower && joint[i] <= c->upper;
        joint[i] += dt * ik->x[i];
        if (inside)
            joint[i] = fmin(fmax(joint[i], c->lower), c->upper);
    }
}

// Does the step bring the frame as far along V as J says, to a quarter? Near the edge of reach the
// Jacobian shrinks in the direction asked for; a step that ignores how J changes would jump to and
// fro across the edge for ever. Compared are the squared remainders of dt V.
static int jacobian_holds(CondIk* ik, const CondIkFrame* frame, double length, const double V[6],
                          double dt, const double* q)
{
    const CondArticulation* a = ik->articulation;
    double position[3], orientation[4], back[6], whole = 0.0, said = 0.0, true_one = 0.0;
    frame_pose(ik, frame, q, position, orientation);
    memcpy(ik->best, q, (size_t)a->n_q * sizeof *q);
    take_step(ik, dt, ik->best + (a->n_q - a->n_joint));
    pose_error(ik, frame, position, orientation, ik->best, back); // minus the motion
    for (int k = 0; k < 6; k++) {
        double moved = 0.0, wanted = dt * V[k];
        for (int i = 0; i < a->n_joint; i++)
            moved += dt * ik->J[6 * i + k] * ik->x[i];
        double left = wanted + (k < 3 ? 1.0 : length) * back[k];
        whole += wanted * wanted;
        said += (wanted - moved) * (wanted - moved);
        true_one += left * left;
    }
    // Nothing to gain: limits forced the motion, or it is down to rounding.
    if (whole - said <= COND_ROUNDING * COND_ROUNDING)
        return 1;
    return whole - true_one >= 0.25 * (whole - said);
}

// Least-squares rates, damped more until the Jacobian holds for the whole step.
static void trusted_rates(CondIk* ik, const CondIkSettings* settings, const CondIkFrame* frame,
                          const CondIkTarget* target, const double e[6], double dt, const double* q)
{
    double V[6], shift = settings->damping * settings->damping;
    wanted_velocity(settings, target, e, dt, V);
    for (int attempt = 0; attempt < 12; attempt++) {
        least_squares(ik, V, shift);
        if (jacobian_holds(ik, frame, settings->length, V, dt, q))
            return;
        shift = fmax(10.0 * shift, COND_NEARLY * COND_NEARLY * settings->length * settings->length);
    }
}

void cond_ik_step(CondIk* ik, const CondIkSettings* settings, const CondIkFrame* frame,
                  const CondIkTarget* target, double dt, double* q, double* v, CondIkInfo* info)
{
    const CondArticulation* a = ik->articulation;
    double e[6], *joint = q + (a->n_q - a->n_joint);
    pose_error(ik, frame, target->position, target->orientation, q, e);
    joint_jacobian(ik, frame, settings->length);
    for (int i = 0; i < a->n_joint; i++) {
        const CondJointCoordinate* c = &a->coordinate[i];
        ik->lo[i] = fmin(fmax((c->lower - joint[i]) / dt, -c->velocity), c->velocity);
        ik->hi[i] = fmin(fmax((c->upper - joint[i]) / dt, -c->velocity), c->velocity);
    }
    trusted_rates(ik, settings, frame, target, e, dt, q);
    if (settings->rest) {
        for (int i = 0; i < a->n_joint; i++)
            ik->wish[i] = fmin(settings->rest_gain, 1.0 / dt) * (settings->rest[i] - joint[i]);
        pull_to_rest(ik);
    }
    take_step(ik, dt, joint);
    if (v) {
        memset(v, 0, (size_t)a->n_dof * sizeof *v);
        memcpy(v + (a->n_dof - a->n_joint), ik->x, (size_t)a->n_joint * sizeof *v);
    }
    double position[3], turn[3], step[4], orientation[4];
    for (int k = 0; k < 3; k++) {
        position[k] = target->position[k] + dt * target->velocity[k];
        turn[k] = dt * target->angular[k];
    }
    quat_exp(turn, step);
    quat_product(step, target->orientation, orientation);
    pose_error(ik, frame, position, orientation, q, e);
    CondIkInfo result = {.position_error = vec3_norm(e), .angle_error = vec3_norm(e + 3)};
    for (int i = 0; i < a->n_joint; i++)
        result.n_limited += ik->held[i] != 0;
    if (info)
        *info = result;
}

// The configuration that start number `start` begins from: as given, in the middle, then spread
// over the limits; a joint without limits over one turn or one metre.
static void begin(const CondIk* ik, int start, CondRandom* dice, double* q)
{
    const CondArticulation* a = ik->articulation;
    memcpy(q, ik->begun, (size_t)a->n_q * sizeof *q);
    double* joint = q + (a->n_q - a->n_joint);
    for (int i = 0; i < a->n_joint; i++) {
        const CondJointCoordinate* c = &a->coordinate[i];
        double reach = c->slides ? 0.5 : 3.141592653589793;
        double lower = isfinite(c->lower) ? c->lower : fmin(-reach, c->upper);
        double upper = isfinite(c->upper) ? c->upper : fmax(reach, c->lower);
        if (start == 1)
            joint[i] = 0.5 * (lower + upper);
        else if (start > 1)
            joint[i] = lower + (upper - lower) * cond_random_uniform(dice);
        joint[i] = fmin(fmax(joint[i], c->lower), c->upper);
    }
}

// The error from the frame at q to the target, any turn being right where the length is 0; 1 where
// it is small enough. *square weighs both parts.
static int measure(CondIk* ik, const CondIkSearch* search, const CondIkFrame* frame,
                   const CondIkTarget* target, const double* q, double e[6], double* square)
{
    pose_error(ik, frame, target->position, target->orientation, q, e);
    if (search->length == 0.0)
        memset(e + 3, 0, 3 * sizeof *e);
    *square = vec3_dot(e, e) + search->length * search->length * vec3_dot(e + 3, e + 3);
    return vec3_norm(e) <= search->tolerance && vec3_norm(e + 3) <= search->tolerance;
}

// Levenberg and Marquardt in the box from the configuration q: the shift of the least squares
// follows the squared error, which makes it careful far away and Newton's method near the target.
// Returns 1 where it arrives; stops where the error falls no more.
static int descend(CondIk* ik, const CondIkSearch* search, const CondIkFrame* frame,
                   const CondIkTarget* target, double* q, double* square)
{
    const CondArticulation* a = ik->articulation;
    double *joint = q + (a->n_q - a->n_joint), before = INFINITY;
    for (int k = 0;; k++) {
        double e[6];
        int done = measure(ik, search, frame, target, q, e, square);
        if (done || k == search->max_iterations ||
            (k % COND_PATIENCE == 0 && *square > COND_PROGRESS * before))
            return done;
        if (k % COND_PATIENCE == 0)
            before = *square;
        joint_jacobian(ik, frame, search->length);
        for (int i = 0; i < a->n_joint; i++) {
            const CondJointCoordinate* c = &a->coordinate[i];
            double reach = c->slides ? 0.25 : 0.5;
            ik->lo[i] = fmax(c->lower - joint[i], -reach);
            ik->hi[i] = fmin(c->upper - joint[i], reach);
        }
        for (int i = 3; i < 6; i++)
            e[i] *= search->length;
        least_squares(ik, e, COND_ROUNDING + COND_IK_DAMPING * *square);
        take_step(ik, 1.0, joint);
    }
}

CondStatus cond_ik_solve(CondIk* ik, const CondIkSearch* search, const CondIkFrame* frame,
                         const CondIkTarget* target, double* q, CondIkInfo* info)
{
    const CondArticulation* a = ik->articulation;
    size_t bytes = (size_t)a->n_q * sizeof *q;
    double least = INFINITY, square, e[6];
    CondRandom dice = {0}; // the same configurations on every machine
    int found = 0;
    memcpy(ik->begun, q, bytes);
    memcpy(ik->nearest, q, bytes);
    for (int start = 0; start < search->max_starts && !found; start++) {
        begin(ik, start, &dice, q);
        found = descend(ik, search, frame, target, q, &square);
        if (square < least || found) {
            least = square;
            memcpy(ik->nearest, q, bytes);
        }
    }
    memcpy(q, ik->nearest, bytes);
    measure(ik, search, frame, target, q, e, &square);
    CondIkInfo result = {.position_error = vec3_norm(e), .angle_error = vec3_norm(e + 3)};
    const double* joint = q + (a->n_q - a->n_joint);
    for (int i = 0; i < a->n_joint; i++)
        result.n_limited +=
            joint[i] <= a->coordinate[i].lower || joint[i] >= a->coordinate[i].upper;
    if (info)
        *info = result;
    return found ? COND_OK : COND_NOT_CONVERGED;
}
