// Rods against the theory of beams: large deflections, closing a circle, twist, buckling under its
// own weight, the catenary, and frequencies.
#include "dense.h"
#include "model/rod.h"
#include "rod_make.h"
#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double PI = 3.14159265358979323846;

// Steps of implicit Euler, longer and longer: they end in equilibrium.
static void settle(Trial* trial, int steps)
{
    trial_step(trial, steps);
    if (trial_speed(trial) > 1e-4)
        fail_msg("still moving at %g", trial_speed(trial));
}

static double tip_load(int links, double alpha)
{
    Beam beam = beam_make(links);
    CondScene* scene = beam_scene(&beam, 0.1);
    beam_clamp(scene, &beam, beam.EI);
    CondForceDef force = cond_force_def_default();
    strcpy(force.body, "rod");
    force.at = beam.length;
    force.force[2] = -alpha * beam.EI / (beam.length * beam.length);
    add_force(scene, &force);
    Trial trial = trial_begin(scene);
    double p[3];
    settle(&trial, 400);
    beam_end(&trial, p);
    trial_end(&trial);
    return -p[2] / beam.length;
}

// Tip-loaded elastica, alpha = P L^2/EI (Bisshopp and Drucker).
static void elastica(void** state)
{
    (void)state;
    static const double alpha[] = {1.0, 5.0, 10.0}, w[] = {0.30172, 0.71379, 0.81061};
    for (int i = 0; i < 3; i++) {
        double coarse = fabs(tip_load(10, alpha[i]) / w[i] - 1.0);
        double fine = fabs(tip_load(40, alpha[i]) / w[i] - 1.0);
        print_message("alpha %g: 10 links %.3g, 40 links %.3g\n", alpha[i], coarse, fine);
        assert_true(fine < 0.002 && fine < 0.5 * coarse);
    }
}

// A beam under its own weight, Gamma = q L^3/EI: tip height over tip reach.
static void heavy_cantilever(void** state)
{
    (void)state;
    static const double gamma[] = {1.0, 10.0, 100.0}, ratio[] = {0.12456, 1.06680, 5.88810};
    for (int i = 0; i < 3; i++) {
        Beam beam = beam_make(60);
        CondScene* scene = beam_scene(&beam, 0.1);
        beam_clamp(scene, &beam, beam.EI);
        cond_scene_settings(scene)->gravity[2] = -gamma[i] * beam.EI / beam.weight;
        Trial trial = trial_begin(scene);
        double p[3];
        settle(&trial, 400);
        beam_end(&trial, p);
        print_message("Gamma %g: %.5f, expected %.5f\n", gamma[i], -p[2] / p[0], ratio[i]);
        assert_near(-p[2] / p[0], ratio[i], 0.01 * ratio[i]);
        trial_end(&trial);
    }
}

// A moment 2 pi EI/L at the end closes a circle; the bending moment is the same everywhere.
static void circle(void** state)
{
    (void)state;
    Beam beam = beam_make(30);
    CondScene* scene = beam_scene(&beam, 0.1);
    beam_clamp(scene, &beam, 1e3 * beam.EI);
    CondForceDef force = cond_force_def_default();
    strcpy(force.body, "rod");
    force.at = beam.length;
    force.torque[1] = 2.0 * PI * beam.EI / beam.length;
    add_force(scene, &force);
    Trial trial = trial_begin(scene);
    double p[3], stress[6];
    settle(&trial, 600);
    beam_end(&trial, p);
    assert_true(hypot(p[0], p[2]) < 0.01 * beam.length);
    for (int i = 0; i + 1 < beam.links; i++) {
        assert_int_equal(cond_state_rod_stress(trial.model, trial.state, 0, i, stress, NULL),
                         COND_OK);
        assert_near(hypot(stress[3], stress[4]), force.torque[1], 1e-3 * force.torque[1]);
    }
    trial_end(&trial);
}

// Twist G J phi/L, and the twisting moment that is read.
static void twist(void** state)
{
    (void)state;
    Beam beam = beam_make(20);
    CondScene* scene = beam_scene(&beam, 0.1);
    beam_clamp(scene, &beam, beam.EI);
    CondForceDef force = cond_force_def_default();
    strcpy(force.body, "rod");
    force.at = beam.length;
    force.torque[0] = 2.0 * beam.GJ / beam.length; // two radians
    add_force(scene, &force);
    Trial trial = trial_begin(scene);
    double stress[6], strain[6], total = 0.0;
    settle(&trial, 300);
    for (int i = 0; i + 1 < beam.links; i++) {
        cond_state_rod_stress(trial.model, trial.state, 0, i, stress, NULL);
        cond_rod_strain(trial.model->body[0].rod, trial.state->q, i, strain);
        assert_near(stress[5], force.torque[0], 1e-6 * force.torque[0]);
        total += strain[5];
    }
    assert_near(total, 2.0 * (beam.links - 1) / beam.links, 1e-6);
    trial_end(&trial);
}

// Deflection of an upright column under a small force at its end.
static double lean(double gamma)
{
    Beam beam = beam_make(40);
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->theta = 1.0; // implicit Euler ends in equilibrium
    CondMaterialDef material = beam_material(&beam);
    CondBodyDef body = beam_body(&beam);
    CondSceneSettings* settings = cond_scene_settings(scene);
    make_turn(0.0, 0.0, 1.0, 0.0, body.orientation);
    material.geometric = COND_GEOMETRIC_NONE;
    settings->time_step = 10.0;
    settings->gravity[2] = -gamma * beam.EI / beam.weight;
    add_material(scene, &material);
    add_body(scene, &body);
    beam_clamp(scene, &beam, beam.EI);
    CondForceDef force = cond_force_def_default();
    strcpy(force.body, "rod");
    force.at = beam.length;
    force.force[0] = 1e-5;
    add_force(scene, &force);
    Trial trial = trial_begin(scene);
    double p[3];
    trial_step(&trial, 600);
    beam_end(&trial, p);
    trial_end(&trial);
    return p[0];
}

// 1/deflection goes to zero where the column buckles: Gamma = 7.837.
static void self_weight_buckling(void** state)
{
    (void)state;
    double a = 1.0 / lean(7.2), b = 1.0 / lean(7.5);
    double critical = 7.5 + 0.3 * b / (a - b);
    print_message("buckles at %.4f\n", critical);
    assert_near(critical, 7.837, 0.01 * 7.837);
}

// A soft rope of length 1 between points 0.8 apart hangs as a catenary.
static void catenary(void** state)
{
    (void)state;
    Beam beam = beam_make(60);
    beam.radius = 1e-3;
    beam.youngs = 1e7;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->theta = 1.0; // implicit Euler ends in equilibrium
    CondMaterialDef material = beam_material(&beam);
    CondBodyDef body = beam_body(&beam);
    double half = 0.0, span = 0.8, low = 0.1, high = 3.0;
    for (int k = 0; k < 60; k++) { // half angle of the arc: sin(h)/h = span
        double h = 0.5 * (low + high);
        *(sin(h) / h > span ? &low : &high) = h;
        half = h;
    }
    material.mass_damping = 5.0;
    body.rod.circle = beam.radius;
    body.rod.shape = COND_ROD_ARC;
    body.rod.bend_radius = 0.5 / half;
    body.rod.rest = COND_ROD_REST_UNIFORM;
    // The arc bends from z to x; turned about y it begins downwards and ends at the same height.
    make_turn(0.0, 1.0, 0.0, 1.5 * PI - half, body.orientation);
    cond_scene_settings(scene)->time_step = 0.05;
    add_material(scene, &material);
    add_body(scene, &body);
    for (int end = 0; end < 2; end++) {
        CondAttachmentDef hold = make_attachment(end ? "end" : "begin", "rod", "", 0);
        hold.end[0].at = end ? 1.0 : 0.0;
        add_attachment(scene, &hold);
    }
    Trial trial = trial_begin(scene);
    double p[3], a = 0.5, deepest = 0.0;
    beam_end(&trial, p);
    assert_near(p[2], 0.0, 1e-3);
    double distance = hypot(p[0], p[1]);
    settle(&trial, 600);
    for (int i = 0; i < 60; i++)
        deepest = fmin(deepest, trial.state->q[7 * i + 2]);
    // sinh(s/2a) 2a = 1, sag = a (cosh(s/2a) - 1)
    low = 0.05;
    high = 5.0;
    for (int k = 0; k < 80; k++) {
        a = 0.5 * (low + high);
        *(2.0 * a * sinh(0.5 * distance / a) > 1.0 ? &low : &high) = a;
    }
    double sag = a * (cosh(0.5 * distance / a) - 1.0);
    print_message("sag %.5f, catenary %.5f (span %.5f)\n", -deepest, sag, distance);
    assert_near(-deepest, sag, 0.01 * sag);
    trial_end(&trial);
}

// Frequencies of the clamped beam from its own matrices: the lowest axial and bending ones.
static void frequencies(void** state)
{
    (void)state;
    Beam beam = beam_make(24);
    CondScene* scene = beam_scene(&beam, 1.0);
    CondAttachmentDef clamp = make_attachment("clamp", "rod", "", 1);
    clamp.end[0].at = 0.0;
    clamp.stiffness = 2.0 * beam.EA * beam.links / beam.length; // half a link stretches
    clamp.rotation_stiffness = 2.0 * beam.EI * beam.links / beam.length;
    clamp.damping = clamp.rotation_damping = 0.0;
    add_attachment(scene, &clamp);
    Trial trial = trial_begin(scene);
    int n = trial.model->n_dof;
    double *A = dense_zeros((size_t)n * (size_t)n), *M = dense_zeros((size_t)n);
    double* w = dense_zeros((size_t)n);
    assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_matrix(trial.sim), COND_OK);
    assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_assemble(trial.sim, trial.state), COND_OK);
    dense_problem_matrix(cond_sim_problem(trial.sim), A); // M + K at t = 1
    const CondRod* rod = trial.model->body[0].rod;
    for (int i = 0; i < n; i++)
        M[i] = i % 6 < 3 ? rod->mass[i / 6] : rod->inertia[3 * (i / 6) + i % 6 - 3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = (A[i * n + j] - (i == j ? M[i] : 0.0)) / sqrt(M[i] * M[j]);
    dense_eigenvalues(n, A, w);
    double L = beam.length, bend = 3.516015 * sqrt(beam.EI / beam.weight) / (L * L);
    double second = 22.03449 * sqrt(beam.EI / beam.weight) / (L * L);
    double axial = 0.5 * PI / L * sqrt(beam.EA / beam.weight);
    double torsion = 0.5 * PI / L * sqrt(beam.youngs / 2.6 / beam.density), found[2] = {1e9, 1e9};
    for (int i = 0; i < n; i++) {
        double f = sqrt(fmax(w[i], 0.0));
        found[0] = fabs(f - axial) < fabs(found[0] - axial) ? f : found[0];
        found[1] = fabs(f - torsion) < fabs(found[1] - torsion) ? f : found[1];
    }
    print_message("bending %.4f %.4f (%.4f), second %.4f (%.4f), axial %.2f (%.2f)\n", sqrt(w[0]),
                  sqrt(w[1]), bend, sqrt(w[2]), second, found[0], axial);
    assert_near(sqrt(w[0]), bend, 0.01 * bend);
    assert_near(sqrt(w[1]), bend, 0.01 * bend);
    assert_near(sqrt(w[2]), second, 0.01 * second);
    assert_near(found[0], axial, 0.01 * axial);
    assert_near(found[1], torsion, 0.05 * torsion);
    free(A);
    free(M);
    free(w);
    trial_end(&trial);
}

// World position of the rod at arc length `at`.
static void place(const Trial* trial, double at, double p[3])
{
    CondPoint point = {.body = 0};
    CondKinematics* kinematics = &trial->sim->at_end;
    point.link = cond_rod_link_at(trial->model->body[0].rod, at, &point.local[2]);
    cond_kinematics_set(kinematics, trial->state->q);
    cond_kinematics_point(kinematics, &point, p, NULL, NULL);
}

// Bending moment at the joint next to `at`, and where it is.
static double bending(const Trial* trial, double at, double p[3])
{
    double stress[6], arc = 0.0;
    int joint = 0;
    while (cond_state_rod_stress(trial->model, trial->state, 0, joint, stress, &arc) == COND_OK &&
           arc < at - 1e-9)
        joint++;
    place(trial, arc, p);
    return hypot(stress[3], stress[4]);
}

// Statics: what a spring pulls with, times its lever, is the moment that the rod carries. A
// cantilever pulled up by its end; and a bow, whose string joins two places of the same rod.
static void springs_bend_rods(void** state)
{
    (void)state;
    for (int bow = 0; bow < 2; bow++) {
        Beam beam = beam_make(20);
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->theta = 1.0; // implicit Euler ends in equilibrium
        CondMaterialDef material = beam_material(&beam);
        CondBodyDef body = beam_body(&beam);
        CondSpringDef spring = make_spring("rod", bow ? "rod" : "", 8.0);
        cond_scene_settings(scene)->gravity[2] = 0.0;
        cond_scene_settings(scene)->time_step = 0.1;
        spring.at[0] = beam.length;
        spring.rest_length = 0.0;
        if (bow) { // a straight rod that was bent to a third of a circle
            body.rod.shape = COND_ROD_ARC;
            body.rod.bend_radius = 3.0 * beam.length / (2.0 * PI);
            body.rod.rest = COND_ROD_REST_UNIFORM;
            spring.at[1] = 0.0;
        } else {
            spring.point[1][0] = 0.5;
            spring.point[1][2] = 0.7;
        }
        add_material(scene, &material);
        add_body(scene, &body);
        if (!bow)
            beam_clamp(scene, &beam, beam.EI);
        add_spring(scene, &spring);
        Trial trial = trial_begin(scene);
        settle(&trial, 300);
        double a[3], b[3], m[3], d[3], lever[3], moment = bending(&trial, bow ? 0.5 : 0.05, m);
        place(&trial, beam.length, a);
        if (bow)
            place(&trial, 0.0, b);
        else
            memcpy(b, spring.point[1], sizeof b);
        for (int i = 0; i < 3; i++) {
            d[i] = b[i] - a[i]; // the spring pulls with 8 N/m times this
            lever[i] = a[i] - m[i];
        }
        double expected = 8.0 * hypot(lever[1] * d[2] - lever[2] * d[1],
                                      hypot(lever[2] * d[0] - lever[0] * d[2],
                                            lever[0] * d[1] - lever[1] * d[0]));
        print_message("moment %.6f N m, force times lever %.6f\n", moment, expected);
        assert_true(expected > 0.1);
        assert_true(fabs(moment - expected) < 1e-3 * expected);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastica),
        cmocka_unit_test(heavy_cantilever),
        cmocka_unit_test(circle),
        cmocka_unit_test(twist),
        cmocka_unit_test(self_weight_buckling),
        cmocka_unit_test(catenary),
        cmocka_unit_test(frequencies),
        cmocka_unit_test(springs_bend_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
