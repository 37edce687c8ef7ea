// What is smaller than the elements of a soft surface does not sink in between its nodes: small
// balls, thin rods, corners and edges, moving or fixed. And nodes in several contacts at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"
#include "verifier.h"

#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static CondScene* rubber_scene(void)
{
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->solver.threads = 1;
    cond_scene_settings(scene)->time_step = 0.005;
    CondMaterialDef rubber = make_material("rubber", 5e5, 0.02);
    add_material(scene, &rubber);
    return scene;
}

// A slab with nodes 5 cm apart on the floor carries a ball of 5 mm, a rod of 3 mm, and a box on its
// corner or edge, placed beside the nodes; the load is small enough for the slab to stay flat.
static void test_small_things_on_a_coarse_slab(void** state)
{
    (void)state;
    const double right = acos(0.0), quarter = 0.5 * right, corner = atan(sqrt(0.5));
    for (int which = 0; which < 4; which++) {
        CondScene* scene = rubber_scene();
        CondBodyDef slab = make_soft("slab", "box:4,4,1:0.2,0.2,0.05", "rubber", 0.0, 0.0, 0.025);
        CondBodyDef thing = make_box(0.02, 0.03, 0.03, 0.03, 0.017, 0.011, 0.0);
        double below = 0.0; // from its centre to its lowest point
        if (which == 0) {
            thing.shape = COND_SHAPE_SPHERE;
            thing.size[0] = below = 0.005;
        } else if (which == 1) {
            thing.shape = COND_SHAPE_CAPSULE;
            thing.size[0] = below = 0.003;
            thing.size[1] = 0.3; // its ends stand out
            make_turn(1.0, 0.0, 0.0, right, thing.orientation);
            thing.position[1] = 0.0;
        } else if (which == 2) { // on an edge longer than the slab
            thing.size[0] = 0.3;
            thing.position[0] = 0.0;
            make_turn(1.0, 0.0, 0.0, quarter, thing.orientation);
            below = 0.015 * sqrt(2.0);
        } else { // on a corner: turned to an edge, then about the other axis
            double q[4] = {cos(0.5 * corner), 0.0, -sin(0.5 * corner), 0.0};
            double e[4] = {cos(0.5 * quarter), sin(0.5 * quarter), 0.0, 0.0};
            double turned[4] = {q[0] * e[0], q[0] * e[1], q[2] * e[0], -q[2] * e[1]};
            memcpy(thing.orientation, turned, sizeof turned);
            below = 0.015 * sqrt(3.0);
        }
        thing.position[2] = 0.05 + below + 1e-4;
        add_body(scene, &slab);
        add_body(scene, &thing);
        add_floor(scene, 0.5, NAN);
        Trial trial = trial_begin(scene);
        double deepest = 0.0, force[3], torque[3];
        for (int k = 0; k < 40; k++) {
            trial_step(&trial, 1);
            deepest = fmax(deepest, trial.info.penetration);
        }
        cond_sim_body_force(trial.sim, 1, force, torque);
        double sunk = 0.05 + below - trial_pose(&trial, 1).position[2];
        print_message("thing %d: force off by %.1e, penetration %.1e m, sunk %.1e m\n", which,
                      fabs(force[2] / (0.02 * G) - 1.0), deepest, sunk);
        assert_near(force[2], 0.02 * G, 1e-4 * 0.02 * G);
        assert_true(deepest < 1e-5);
        assert_true(sunk < 2e-4);
        trial_end(&trial);
    }
}

// The same slab on fixed things: a ball, a rod, an edge, none of them near a node.
static void test_coarse_slab_on_small_things(void** state)
{
    (void)state;
    const double right = acos(0.0), quarter = 0.5 * right;
    for (int which = 0; which < 3; which++) {
        CondScene* scene = rubber_scene();
        CondBodyDef slab = make_soft("slab", "box:4,4,1:0.2,0.2,0.05", "rubber", 0.0, 0.0, 0.0252);
        add_body(scene, &slab);
        for (int k = 0; k < 3; k++) { // three supports about the middle
            double x = 0.07 * cos(4.0 * right * k / 3.0 + 0.3);
            double y = 0.07 * sin(4.0 * right * k / 3.0 + 0.3);
            CondObstacleDef thing = make_obstacle(COND_SHAPE_SPHERE, 0.005, 0, 0, x, y, -0.005);
            if (which == 1) {
                thing = make_obstacle(COND_SHAPE_CAPSULE, 0.003, 0.3, 0, x, 0.0, -0.003);
                make_turn(1.0, 0.0, 0.0, right, thing.orientation);
            } else if (which == 2) {
                thing = make_obstacle(COND_SHAPE_BOX, 0.3, 0.02, 0.02, 0.0, y, -0.01 * sqrt(2.0));
                make_turn(1.0, 0.0, 0.0, quarter, thing.orientation);
            }
            add_obstacle(scene, &thing);
        }
        Trial trial = trial_begin(scene);
        double deepest = 0.0, force[3], torque[3], m = trial_mass(&trial, 0);
        for (int k = 0; k < 80; k++) {
            trial_step(&trial, 1);
            deepest = fmax(deepest, trial.info.penetration);
        }
        cond_sim_body_force(trial.sim, 0, force, torque);
        print_message("support %d: force off by %.1e, penetration %.1e m, height %.4f m\n", which,
                      fabs(force[2] / (m * G) - 1.0), deepest, trial_pose(&trial, 0).position[2]);
        assert_near(force[2], m * G, 1e-4 * m * G);
        assert_true(deepest < 1e-4);
        assert_true(trial_pose(&trial, 0).position[2] > 0.02);
        trial_end(&trial);
    }
}

// A soft cube in a corner of three planes under a rigid plate, with a ball in its side: nodes touch
// up to four things at once. The independent verifier agrees with every certificate.
static void test_nodes_in_several_contacts(void** state)
{
    (void)state;
    CondScene* scene = rubber_scene();
    cond_scene_settings(scene)->theta = 1.0; // one linear problem a step, the one that is certified
    CondBodyDef cube = make_soft("cube", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.05, 0.05, 0.05);
    CondBodyDef plate = make_box(2.0, 0.12, 0.12, 0.02, 0.06, 0.06, 0.1101);
    CondBodyDef ball = make_box(0.5, 0.02, 0.0, 0.0, 0.1202, 0.05, 0.05);
    ball.shape = COND_SHAPE_SPHERE;
    ball.velocity[0] = -0.2;
    add_body(scene, &cube);
    add_body(scene, &plate);
    add_body(scene, &ball);
    add_floor(scene, 0.5, NAN);
    add_plane(scene, 1.0, 0.0, 0.0, 0.0, 0.5, NAN);
    add_plane(scene, 0.0, 1.0, 0.0, 0.0, 0.5, NAN);
    const CondSolverSettings settings = cond_scene_settings(scene)->solver;
    Trial trial = trial_begin(scene);
    int most = 0;
    for (int k = 0; k < 25; k++) {
        CondSolveInfo info;
        assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_matrix(trial.sim), COND_OK);
        assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_assemble(trial.sim, trial.state), COND_OK);
        const CondProblem* problem = cond_sim_problem(trial.sim);
        assert_int_equal(cond_sim_solve(trial.sim, trial.state, &info), COND_OK);
        verifier_check(problem, &settings, cond_sim_solution(trial.sim), cond_sim_lambda(trial.sim),
                       &info);
        for (int c = 0; c < problem->n_contact; c++) {
            int same = 0;
            for (int d = 0; d < problem->n_contact; d++)
                for (int s = 0; s < 4; s++) {
                    const CondSide *x = &problem->contact[c].side[s & 1],
                                   *y = &problem->contact[d].side[s >> 1];
                    same += x->n_coordinate == 3 && y->n_coordinate == 3 &&
                            x->coordinate[0] == y->coordinate[0];
                }
            most = same > most ? same : most;
        }
        CondStepInfo step;
        memset(&step, 0, sizeof step);
        assert_int_equal(cond_sim_integrate(trial.sim, trial.state, &step), COND_OK);
    }
    assert_true(most >= 3);
    // The weight of cube and plate, and what the ball pushes, go into the planes.
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_things_on_a_coarse_slab),
        cmocka_unit_test(test_coarse_slab_on_small_things),
        cmocka_unit_test(test_nodes_in_several_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
