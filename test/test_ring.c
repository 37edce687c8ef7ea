// Closed rods: the joint that closes them is one like all others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "model/rod.h"
#include "model/state.h"
#include "scene_make.h"

static const double PI = 3.14159265358979323846;

static Trial ring(const char* settings, const char* rod)
{
    char text[800];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "materials: [{name: steel, density: 1000, youngs_modulus: 1.0e+7, "
             "poisson_ratio: 0.25}]\n"
             "bodies: [{name: ring, kind: rod, material: steel, rod: {shape: arc, links: 24, "
             "length: 1.2566370614359172, bend_radius: 0.2, circle: 0.01, closed: true%s}}]\n",
             rod);
    return trial_text(settings, text);
}

// A straight rod bent to a ring: EI/(2 R^2) over 2 pi R, the same moment in every joint, and
// balance.
static void bent_ring(void** state)
{
    (void)state;
    static const char* const settings[] = {"", "step: {integrator: theta}\n",
                                           "step: {integrator: midpoint}\n"};
    const double EI = 1e7 * 0.25 * PI * 1e-8, R = 0.2;
    for (int k = 0; k < 3; k++) {
        Trial trial = ring(settings[k], ", rest: uniform");
        double start[24 * 7], stress[6], first[6];
        memcpy(start, trial.state->q, sizeof start);
        trial_step(&trial, 1);
        assert_near(trial.info.potential_before, PI * EI / R, 1e-9);
        trial_step(&trial, 50);
        for (int i = 0; i < 24 * 7; i++)
            assert_near(trial.state->q[i], start[i], 1e-8);
        for (int i = 0; i < 24; i++) {
            assert_int_equal(cond_state_rod_stress(trial.model, trial.state, 0, i, stress, NULL),
                             COND_OK);
            if (i == 0)
                memcpy(first, stress, sizeof first);
            for (int r = 0; r < 6; r++)
                assert_near(stress[r], first[r], 1e-6);
        }
        assert_near(hypot(first[3], first[4]), EI / R, 1e-6);
        trial_end(&trial);
    }
}

// A ring that flies and rings keeps its energy under auto.
static void flying_ring(void** state)
{
    (void)state;
    Trial trial = ring("step: {time_step: 0.005}\n", "");
    CondState* s = trial.state;
    for (int i = 0; i < 24; i++) // squeezed: it rings
        s->v[6 * i] = 0.3 * (s->q[7 * i] - 0.2), s->v[6 * i + 2] = 1.0 - 0.3 * s->q[7 * i + 2];
    double first = NAN, drift = 0.0;
    for (int k = 0; k < 100; k++) {
        trial_step(&trial, 1);
        double all = trial.info.kinetic_after + trial.info.potential_after;
        first = isnan(first) ? all : first;
        drift = fmax(drift, fabs(all - first));
    }
    print_message("energy %.6f J, within %.2g J\n", first, drift);
    assert_true(drift < 1e-6 * first);
    trial_end(&trial);
}

// The coupling is the derivative of the energy of the closing joint, as the others' are.
static void closing_force(void** state)
{
    (void)state;
    Trial trial = ring("", ", rest: uniform");
    const CondRod* rod = trial.model->body[0].rod;
    double q[24 * 7], e[6], J[72], k[6];
    Dice dice = {9};
    for (int i = 0; i < 24 * 7; i++)
        q[i] = trial.state->q[i] + (i % 7 < 3 ? dice_uniform(&dice, -1e-3, 1e-3) : 0.0);
    cond_rod_strain_jacobian(rod, q, 23, e, J);
    cond_rod_gains(rod, 23, k);
    for (int j = 0; j < 3; j++) { // the first link's place
        double force = 0.0, energy[2], keep = q[j];
        for (int r = 0; r < 6; r++)
            force += J[12 * r + 6 + j] * k[r] * e[r];
        for (int side = 0; side < 2; side++) {
            double strain[6];
            q[j] = keep + (side ? 1e-6 : -1e-6);
            cond_rod_strain(rod, q, 23, strain);
            energy[side] = 0.0;
            for (int r = 0; r < 6; r++)
                energy[side] += 0.5 * k[r] * strain[r] * strain[r];
        }
        q[j] = keep;
        assert_near(force, (energy[1] - energy[0]) / 2e-6, 1e-4 * fabs(force) + 1e-5);
    }
    trial_end(&trial);
}

static void refused(void** state)
{
    (void)state;
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondError error;
    FILE* file = fopen("ring.yaml", "w");
    assert_non_null(file);
    fputs("materials: [{name: s, density: 1, youngs_modulus: 1, poisson_ratio: 0}]\n"
          "bodies:\n  - {name: r, kind: rod, material: s, rod: {length: 1, circle: 0.01, "
          "closed: true}}\n",
          file);
    fclose(file);
    assert_int_equal(cond_scene_read(NULL, "ring.yaml", 0, NULL, &scene, &error), COND_OK);
    assert_true(cond_scene_compile(scene, &model, &error) != COND_OK);
    assert_string_equal(error.message,
                        "ring.yaml:3: body r: rod.closed: its ends are 1 m apart; they must meet");
    cond_scene_destroy(scene);
    remove("ring.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bent_ring), cmocka_unit_test(flying_ring),
                                       cmocka_unit_test(closing_force), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
