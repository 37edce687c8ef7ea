// Soft bodies of poor elements, layers a thousandth of the size thick: every step is certified, and
// in not many more iterations than good elements take.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/mesh.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>

static const double RADIUS = 0.05;

// A ball of eight shells, the outer ones of which are moved to the surface:
//     r <- R (1 - (1 - r / R)^4.5).
// Layers thinner than their chords are deep leave some elements inside out, which reading turns.
static void write_layers(const char* path)
{
    CondMesh* mesh;
    CondMeshReport report;
    CondError error;
    if (cond_mesh_ball(NULL, RADIUS, 8, 0, &mesh, &error))
        fail_msg("%s", error.message);
    for (int v = 0; v < mesh->n_node; v++) {
        double* x = mesh->node + 3 * (size_t)v;
        double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        double share = fmin(r / RADIUS, 1.0);
        for (int i = 0; i < 3 && r > 0.0; i++)
            x[i] *= RADIUS * (1.0 - pow(1.0 - share, 4.5)) / r;
    }
    assert_int_equal(cond_mesh_check(NULL, mesh, &report, &error), COND_OK);
    assert_int_equal(report.n_degenerate, 0);
    assert_true(report.max_edge_ratio > 100.0);
    if (cond_mesh_write(NULL, path, mesh, NULL, &error))
        fail_msg("%s", error.message);
    cond_mesh_destroy(mesh);
}

static void test_layers_land(void** state)
{
    (void)state;
    write_layers("layers.vtk");
    Trial trial = trial_text(
        "step: {theta: 1}\nsolver: {tolerance: 1e-6}\nplanes: [{name: floor, friction: 0.5}]\n",
        "materials: [{name: m, youngs_modulus: 1e5, poisson_ratio: 0.45, density: 1000, "
        "stiffness_damping: 0.01}]\n"
        "bodies:\n  - {name: ball, kind: soft, mesh: layers.vtk, position: [0, 0, 0.0502], "
        "material: m, self_contact: false, friction: 0.5}\n");
    remove("layers.vtk");
    for (int k = 0; k < 6; k++) {
        trial_step(&trial, 1);
        assert_true(trial.info.solve.iterations < 2000);
    }
    assert_true(trial.info.n_contact > 10);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layers_land)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
