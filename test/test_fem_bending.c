// How much too stiffly linear tetrahedra bend, as the mesh alone tells, and the warning of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/mesh.h"
#include "model/fem_bending.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double excess_of(const char* recipe, double scale, const double turn[4], double nu)
{
    CondMesh* mesh = NULL;
    const double place[3] = {3.0, -1.0, 2.0};
    assert_int_equal(cond_mesh_make(NULL, recipe, &mesh, NULL), COND_OK);
    assert_int_equal(cond_mesh_transform(mesh, scale, turn, place, NULL), COND_OK);
    double excess = cond_fem_bending_excess(mesh->node, mesh->n_tet, mesh->tet, nu);
    cond_mesh_destroy(mesh);
    return excess;
}

// Cubes cut in six, n of them through the thickness, without Poisson's ratio: 1 + 7/(2 n^2),
// wherever the body is, however turned and however large.
static void test_cubes(void** state)
{
    (void)state;
    const double straight[4] = {1.0, 0.0, 0.0, 0.0}, turned[4] = {0.5, 0.1, -0.7, 0.5};
    for (int n = 1; n <= 8; n *= 2) {
        char recipe[64];
        snprintf(recipe, sizeof recipe, "box:%d,%d,%d,6:8,1,1", 8 * n, n, n);
        double want = 1.0 + 3.5 / (n * n);
        assert_near(excess_of(recipe, 1.0, straight, 0.0), want, 1e-9);
        assert_near(excess_of(recipe, 1e-3, straight, 0.0), want, 1e-6);
        if (n == 8)
            continue;
        snprintf(recipe, sizeof recipe, "box:%d,%d,%d,6:8,1.01,1", 8 * n, n, n);
        assert_near(excess_of(recipe, 0.02, turned, 0.3), excess_of(recipe, 1.0, straight, 0.3),
                    1e-6);
    }
}

// The cantilevers of the table in docs/fem.md are that much too stiff, and never more.
static void test_cantilevers(void** state)
{
    (void)state;
    static const struct {
        double nu;
        int n;
        double quadratic, linear; // deflections by that of a beam
    } beam[] = {{0.3, 1, 0.970, 0.221},  {0.3, 2, 0.986, 0.503},  {0.3, 4, 0.990, 0.786},
                {0.45, 1, 0.988, 0.113}, {0.45, 2, 0.979, 0.299}, {0.49, 4, 0.974, 0.288}};
    const double straight[4] = {1.0, 0.0, 0.0, 0.0};
    for (size_t k = 0; k < sizeof beam / sizeof *beam; k++) {
        char recipe[64];
        snprintf(recipe, sizeof recipe, "box:%d,%d,%d,6:8,1,1", 8 * beam[k].n, beam[k].n,
                 beam[k].n);
        double measured = beam[k].quadratic / beam[k].linear;
        double excess = excess_of(recipe, 1.0, straight, beam[k].nu);
        print_message("nu %g, %d high: %.3f, measured %.3f\n", beam[k].nu, beam[k].n, excess,
                      measured);
        assert_true(excess > measured && excess < 1.5 * measured);
    }
}

// The warnings of a scene with two beams of that mesh and element.
static int warnings(const char* mesh, const char* element, char* first, size_t room)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "materials: [{name: rubber, youngs_modulus: 1.0e+6, poisson_ratio: 0.3, density: "
        "1000}]\n"
        "bodies:\n"
        "  - {name: beam, kind: soft, mesh: \"%s\", material: rubber%s}\n"
        "  - {name: other, kind: soft, mesh: \"%s\", material: rubber%s, position: [0, 0, 1]}\n",
        mesh, element, mesh, element);
    Trial trial = trial_text("", text);
    int n = 0;
    first[0] = '\0';
    for (const char* said; (said = cond_model_warning(trial.model, n)); n++)
        if (n == 0)
            snprintf(first, room, "%s", said);
    trial_end(&trial);
    return n;
}

static void test_warning(void** state)
{
    (void)state;
    char said[1536];
    assert_int_equal(warnings("box:8,1,1,6:0.4,0.05,0.05", "", said, sizeof said), 1);
    assert_non_null(strstr(said, "body beam: "));
    assert_non_null(strstr(said, "5.3 times too stiffly"));
    assert_non_null(strstr(said, "element: quadratic"));
    assert_int_equal(warnings("box:8,1,1,6:0.4,0.05,0.05", ", element: auto", said, sizeof said),
                     1);
    assert_int_equal(warnings("box:8,1,1,6:0.4,0.05,0.05", ", element: linear", said, sizeof said),
                     0);
    assert_int_equal(
        warnings("box:8,1,1,6:0.4,0.05,0.05", ", element: quadratic", said, sizeof said), 0);
    assert_int_equal(warnings("box:32,4,4,6:0.4,0.05,0.05", "", said, sizeof said), 0);
    assert_int_equal(warnings("ball:0.1:3", "", said, sizeof said), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_cantilevers),
        cmocka_unit_test(test_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
