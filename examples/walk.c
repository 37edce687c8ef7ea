// A quadruped trots over rough ground: a torque controller of one page. Every foot is a spring and
// a damper towards where the gait wants it, as seen from a trunk that does not tilt, so that the
// feet on the ground hold the trunk level; those two carry the weight as well. Where a foot is set
// down follows from how fast the trunk is (Raibert). Torques are J' times the force at the foot.
//
//     example_walk [scene] [recording.h5]
#include <cond/cond.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEGS = 4 };
static const double PI = 3.14159265358979;

static const struct Gait {
    double speed;     // along x [m/s]
    double period;    // of the gait: either pair of legs stands for half of it [s]
    double height;    // of the trunk above the feet [m]
    double lift;      // of a foot on its way [m]
    double stiffness; // of a foot [N/m]
    double damping;   // [N s/m]
    double step_gain; // metres that a foot is set farther out per metre a second too fast [s]
} GAIT = {0.35, 0.4, 0.27, 0.09, 900.0, 25.0, 0.12};

typedef struct Leg {
    CondPlace foot;
    double hip[3];     // where the foot stands at rest, from the trunk [m]
    double phase;      // of its period
    int coordinate[3]; // of its joints, among the motors
    int dof[3];        // and in the velocity of the body
    double from[2];    // where it was lifted, from the trunk [m]
    int swings;
} Leg;

typedef struct Walker {
    const CondModel* model;
    CondMechanics* mechanics;
    Leg leg[LEGS];
    double mass; // [kg]
} Walker;

static int begin_leg(Walker* walker, int i)
{
    static const char* const names[LEGS] = {"FR", "FL", "RR", "RL"};
    static const char* const joints[3] = {"hip", "thigh", "calf"};
    Leg* leg = &walker->leg[i];
    char name[32];
    snprintf(name, sizeof name, "%s_foot", names[i]);
    leg->foot = (CondPlace){.body = 0, .part = cond_model_find_link(walker->model, 0, name)};
    leg->hip[0] = i < 2 ? 0.188 : -0.188;
    leg->hip[1] = i % 2 ? 0.157 : -0.157;
    leg->hip[2] = -GAIT.height;
    leg->swings = -1;                          // neither: the first plan begins where the foot is
    leg->phase = i == 0 || i == 3 ? 0.0 : 0.5; // diagonal legs go together
    for (int k = 0; k < 3; k++) {
        CondJointInfo joint;
        snprintf(name, sizeof name, "%s_%s_joint", names[i], joints[k]);
        int number = cond_model_find_joint(walker->model, 0, name);
        if (number < 0 || cond_model_joint(walker->model, 0, number, &joint))
            return 1;
        leg->coordinate[k] = cond_model_find_coordinate(walker->model, 0, name);
        leg->dof[k] = joint.dof_begin;
    }
    return leg->foot.part < 0;
}

// What the controller knows of the trunk, in the trunk's own axes.
typedef struct Trunk {
    CondPose pose;
    double R[9];     // world = R trunk
    double speed[2]; // along its axes [m/s]
    double turn;     // rate at which it should turn about z, back to its heading [rad/s]
} Trunk;

static void rotation(const double q[4], double R[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - 2 * (y * y + z * z);
    R[1] = 2 * (x * y - w * z);
    R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z);
    R[4] = 1 - 2 * (x * x + z * z);
    R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y);
    R[7] = 2 * (y * z + w * x);
    R[8] = 1 - 2 * (x * x + y * y);
}

// b = R' a
static void into(const double R[9], const double a[3], double b[3])
{
    for (int k = 0; k < 3; k++)
        b[k] = R[k] * a[0] + R[3 + k] * a[1] + R[6 + k] * a[2];
}

// Where the foot should be and how it should move, in the axes of the trunk.
static void plan(Leg* leg, const Trunk* trunk, const double at[3], double time, double place[3],
                 double velocity[3])
{
    double stance = 0.5 * GAIT.period, phase = time / GAIT.period + leg->phase;
    phase -= floor(phase);
    int swings = phase >= 0.5;
    double s = swings ? 2.0 * phase - 1.0 : 2.0 * phase; // 0 .. 1 of this half
    // A foot on the ground goes back as the trunk goes on and turns.
    double back[2] = {-(GAIT.speed - trunk->turn * leg->hip[1]), -trunk->turn * leg->hip[0]};
    double wanted[2] = {GAIT.speed, 0.0};
    if (swings != leg->swings) { // it goes on from where it is
        leg->from[0] = at[0];
        leg->from[1] = at[1];
        leg->swings = swings;
    }
    for (int k = 0; k < 2; k++) {
        double to =
            leg->hip[k] - 0.5 * stance * back[k] + GAIT.step_gain * (trunk->speed[k] - wanted[k]);
        double ease = 0.5 - 0.5 * cos(PI * s), rate = 0.5 * PI * sin(PI * s) / stance;
        place[k] = swings ? leg->from[k] + ease * (to - leg->from[k])
                          : leg->from[k] + s * stance * back[k];
        velocity[k] = swings ? rate * (to - leg->from[k]) : back[k];
    }
    place[2] = leg->hip[2] + (swings ? GAIT.lift * sin(PI * s) : 0.0);
    velocity[2] = swings ? GAIT.lift * PI * cos(PI * s) / stance : 0.0;
}

// torque += J' force of one leg.
static int move_leg(Walker* walker, Leg* leg, const Trunk* trunk, double time, double* torque)
{
    const double *w = trunk->pose.angular_velocity, *R = trunk->R;
    CondPose foot;
    double J[6 * 32], arm[3], drift[3], at[3], moves[3], place[3], velocity[3], own[3], force[3];
    int first, n;
    if (cond_mechanics_pose(walker->mechanics, &leg->foot, &foot) ||
        cond_mechanics_jacobian(walker->mechanics, &leg->foot, &first, &n, J))
        return 1;
    for (int k = 0; k < 3; k++)
        arm[k] = foot.position[k] - trunk->pose.position[k];
    for (int k = 0; k < 3; k++) { // relative to the trunk, which turns
        int i = (k + 1) % 3, j = (k + 2) % 3;
        drift[k] = foot.velocity[k] - trunk->pose.velocity[k] - (w[i] * arm[j] - w[j] * arm[i]);
    }
    into(R, arm, at);
    into(R, drift, moves);
    plan(leg, trunk, at, time, place, velocity);
    for (int k = 0; k < 3; k++)
        own[k] = GAIT.stiffness * (place[k] - at[k]) + GAIT.damping * (velocity[k] - moves[k]);
    for (int k = 0; k < 3; k++)
        force[k] = R[3 * k] * own[0] + R[3 * k + 1] * own[1] + R[3 * k + 2] * own[2];
    if (!leg->swings)
        force[2] -= 0.5 * 9.81 * walker->mass;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            torque[leg->coordinate[j]] += J[k * n + leg->dof[j]] * force[k];
    return 0;
}

static int control(Walker* walker, CondState* state)
{
    double torque[32] = {0.0}, v[3];
    CondPlace centre = {.body = 0};
    Trunk trunk;
    cond_mechanics_set(walker->mechanics, state);
    int failed = cond_mechanics_pose(walker->mechanics, &centre, &trunk.pose);
    rotation(trunk.pose.orientation, trunk.R);
    into(trunk.R, trunk.pose.velocity, v);
    trunk.speed[0] = v[0];
    trunk.speed[1] = v[1];
    // Towards a point ahead on the x axis.
    double heading = atan2(trunk.R[3], trunk.R[0]), aim = atan2(-trunk.pose.position[1], 1.0);
    trunk.turn = 2.0 * (aim - heading);
    for (int i = 0; i < LEGS && !failed; i++)
        failed = move_leg(walker, &walker->leg[i], &trunk, cond_state_time(state), torque);
    return failed || cond_state_set_targets(walker->model, state, 0, NULL, 0, NULL, torque);
}

int main(int argc, char** argv)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondState* state = NULL;
    CondSim* sim = NULL;
    CondRecord* record = NULL;
    CondError error;
    Walker walker = {0};
    CondStepInfo info;
    double worst = 0.0, deepest = 0.0;
    int missed = 0, steps = 0;
    if (cond_scene_read(NULL, argc > 1 ? argv[1] : "scenes/walk.yaml", 0, NULL, &scene, &error) ||
        cond_scene_compile(scene, &model, &error) || cond_state_create(model, &state, &error) ||
        cond_sim_create(model, &sim, &error) ||
        cond_mechanics_create(model, &walker.mechanics, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    walker.model = model;
    walker.mass = cond_model_mass(model, 0);
    for (int i = 0; i < LEGS; i++)
        if (begin_leg(&walker, i))
            return fprintf(stderr, "this robot has other legs\n"), 1;
    if (argc > 2 && cond_record_open(NULL, argv[2], model, NULL, &record, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    double duration = cond_model_settings(model)->duration;
    double from = cond_state_pose(model, state, 0).position[0];
    while (cond_state_time(state) < duration - 1e-9) {
        if (control(&walker, state) || cond_sim_step(sim, state, &info) < 0)
            return fprintf(stderr, "%s\n", cond_sim_message(sim)), 1;
        missed += info.status != COND_OK;
        worst = fmax(worst, cond_certificate_residual(&info.solve.certificate));
        deepest = fmax(deepest, info.penetration);
        if (record && ++steps % 20 == 0 && cond_record_frame(record, sim, state, &info, &error))
            return fprintf(stderr, "%s\n", error.message), 1;
    }
    CondPose trunk = cond_state_pose(model, state, 0);
    double upright = 1.0 - 2.0 * (trunk.orientation[1] * trunk.orientation[1] +
                                  trunk.orientation[2] * trunk.orientation[2]);
    printf("walked %.2f m in %g s, upright %.3f; %d steps missed, certificate at most %.1e, "
           "penetration at most %.1e m\n",
           trunk.position[0] - from, duration, upright, missed, worst, deepest);
    cond_record_close(record);
    cond_mechanics_destroy(walker.mechanics);
    cond_sim_destroy(sim);
    cond_state_destroy(state);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    return trunk.position[0] - from < 2.0 || upright < 0.8;
}
