// Shells in scenes: a strip slips on a slope at the angle of friction, a cloth hangs over the edge
// of a table and over a ball, one lies on another; what the audit says of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/audit.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static CondScene* cloth_scene(double tolerance)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = -9.81;
    settings->theta = 1.0;
    settings->time_step = 0.01;
    settings->solver.tolerance = tolerance;
    settings->solver.threads = 1;
    CondMaterialDef cotton = make_material("cotton", 1e6, 0.002);
    cotton.density = 400.0;
    cotton.bending = 1e-5;
    add_material(scene, &cotton);
    return scene;
}

static CondBodyDef make_shell(const char* name, const char* mesh, double thickness, double x,
                              double y, double z)
{
    CondBodyDef def = make_soft(name, mesh, "cotton", x, y, z);
    def.kind = COND_BODY_SHELL;
    def.thickness = thickness;
    def.surface.friction[0] = def.surface.friction[1] = 0.5;
    return def;
}

// Depth of the worst pair over the size of the smaller one.
static double audited(const Trial* trial)
{
    CondAudit* audit = NULL;
    double worst = 0.0;
    assert_int_equal(cond_audit_create(trial->model, &audit, NULL), COND_OK);
    assert_int_equal(cond_audit_run(audit, trial->state, 0.0), COND_OK);
    for (int i = 0; i < cond_audit_n_pair(audit); i++) {
        CondAuditPair pair = cond_audit_pair(audit, i);
        worst = fmax(worst, pair.depth / pair.size);
    }
    cond_audit_destroy(audit);
    return worst;
}

// A strip of paper on a slope: its speed after half a second.
static double slide(double tangent)
{
    CondScene* scene = cloth_scene(1e-9);
    CondSceneSettings* settings = cond_scene_settings(scene);
    double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
    settings->gravity[0] = 9.81 * tangent * cosine;
    settings->gravity[2] = -9.81 * cosine;
    add_plane(scene, 0.0, 0.0, 1.0, 0.0, 0.5, NAN);
    CondBodyDef def = make_shell("strip", "sheet:21,5:0.2,0.04", 0.001, 0.0, 0.0, 0.0005);
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 50);
    double speed = trial_speed(&trial);
    trial_end(&trial);
    return speed;
}

static void test_slope(void** state)
{
    (void)state;
    assert_true(slide(0.5 * (1.0 - 1e-3)) < 1e-7);
    double expected = 9.81 * 0.5 * 1e-3 / sqrt(1.25) * 0.5; // g (sin - mu cos) t
    assert_near(slide(0.5 * (1.0 + 1e-3)), expected, 0.01 * expected);
}

// Two strips that differ in the side they lie on: one slips, one does not.
static void test_sides(void** state)
{
    (void)state;
    CondScene* scene = cloth_scene(1e-9);
    cond_scene_settings(scene)->gravity[0] = 9.81 * 0.3;
    add_plane(scene, 0.0, 0.0, 1.0, 0.0, NAN, NAN);
    CondBodyDef def = make_shell("up", "sheet:6,3:0.1,0.04", 0.001, 0.0, 0.0, 0.0005);
    def.surface.friction[0] = def.surface.friction[1] = 0.5;
    def.friction_back[0] = def.friction_back[1] = 0.2; // on which it lies
    add_body(scene, &def);
    memcpy(def.name, "down", 5);
    def.position[1] = 0.1;
    make_turn(1.0, 0.0, 0.0, 3.14159265358979323846, def.orientation);
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 20);
    double speed[2] = {0.0, 0.0};
    for (int b = 0; b < 2; b++) {
        int begin = trial.model->body[b].dof_begin;
        for (int i = 0; i < trial.model->body[b].n_dof; i++)
            speed[b] = fmax(speed[b], fabs(trial.state->v[begin + i]));
    }
    assert_near(speed[0], 9.81 * 0.1 * 0.2, 1e-3 * speed[0]); // g (tan - mu) t
    assert_true(speed[1] < 1e-7);
    trial_end(&trial);
}

// Flat sheets, turned so that their edges and triangles lie in one plane to rounding alone, do not
// go through themselves.
static void test_flat(void** state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        CondScene* scene = cloth_scene(1e-9);
        CondBodyDef def = make_shell("cloth", "sheet:9,9:0.4,0.4", 0.002, 0.0, 0.0, 0.0);
        def.self_contact = 1;
        make_turn(cos(k), sin(k), 0.3 * k, 0.5 + k, def.orientation);
        add_body(scene, &def);
        Trial trial = trial_begin(scene);
        assert_true(audited(&trial) == 0.0);
        trial_end(&trial);
    }
}

// A heavier and stiffer hem.
static void test_area(void** state)
{
    (void)state;
    CondScene* scene = cloth_scene(1e-9);
    CondMaterialDef hem = make_material("hem", 4e6, 0.002);
    hem.density = 1000.0;
    add_material(scene, &hem);
    CondBodyDef def = make_shell("cloth", "sheet:11,3:0.1,0.02", 0.001, 0.0, 0.0, 0.1);
    add_body(scene, &def);
    CondPatchDef patch = cond_patch_def_default();
    memcpy(patch.name, "seam", 5);
    memcpy(patch.body, "cloth", 6);
    memcpy(patch.material, "hem", 4);
    for (int i = 0; i < 3; i++) {
        patch.low[i] = -1.0;
        patch.high[i] = 1.0;
    }
    patch.high[0] = -0.0199; // three of ten columns of cells
    assert_int_equal(cond_scene_add_patch(scene, &patch, NULL), COND_OK);
    Trial trial = trial_begin(scene);
    const CondFem* fem = trial.model->body[0].fem;
    assert_near(fem->total_mass, 0.1 * 0.02 * 0.001 * (0.3 * 1000.0 + 0.7 * 400.0), 1e-12);
    int stiff = 0;
    for (int i = 0; i < fem->n_element; i++)
        stiff += fem->material[fem->material_of_element[i]].youngs_modulus == 4e6;
    assert_int_equal(stiff, 12);
    double* x = trial.state->q;
    for (int i = 0; i < trial.model->body[0].n_dof; i += 3)
        x[i] *= 1.01; // E = 0.01005 along the warp
    double stress[80][6], von_mises[80];
    assert_int_equal(cond_model_n_stress(trial.model, 0), 80); // both surfaces of 40 triangles
    assert_int_equal(cond_state_stress(trial.model, trial.state, 0, stress[0], von_mises), COND_OK);
    for (int i = 0; i < 80; i++) {
        double E = fem->material[fem->material_of_element[i % 40]].youngs_modulus;
        assert_near(stress[i][0], E / 0.91 * 0.01005 * 1.01 * 1.01, 1e-6 * E);
        assert_near(stress[i][3], 0.0, 1e-9 * E);
        assert_true(von_mises[i] > 0.0);
    }
    trial_end(&trial);
    CondScene* wrong = cloth_scene(1e-9);
    def = make_shell("cloth", "sheet:11,3:0.1,0.02", 0.001, 0.0, 0.0, 0.1);
    add_body(wrong, &def);
    CondError error = {COND_OK, ""};
    assert_true(cond_scene_add_patch(wrong, &patch, &error) < 0); // it has no such material
    cond_scene_destroy(wrong);
}

static void test_table_edge(void** state)
{
    (void)state;
    CondScene* scene = cloth_scene(1e-6);
    CondObstacleDef table = make_obstacle(COND_SHAPE_BOX, 0.4, 0.4, 0.05, 0.0, 0.0, 0.0);
    add_obstacle(scene, &table);
    CondBodyDef def = make_shell("cloth", "sheet:11,11:0.4,0.4", 0.002, 0.13, 0.03, 0.0265);
    def.self_contact = 1;
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    for (int k = 0; k < 4; k++) {
        trial_step(&trial, 10);
        assert_true(audited(&trial) < 1e-5);
    }
    trial_end(&trial);
}

static void test_ball(void** state)
{
    (void)state;
    CondScene* scene = cloth_scene(1e-6);
    CondObstacleDef ball = make_obstacle(COND_SHAPE_SPHERE, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0);
    add_obstacle(scene, &ball);
    CondBodyDef def = make_shell("cloth", "sheet:9,9:0.4,0.4", 0.002, 0.01, 0.0, 0.105);
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 20);
    assert_true(audited(&trial) < 1e-5);
    trial_end(&trial);
}

// Two sheets on a plane, one across the other.
static void test_stack(void** state)
{
    (void)state;
    CondScene* scene = cloth_scene(1e-6);
    add_plane(scene, 0.0, 0.0, 1.0, 0.0, 0.5, NAN);
    CondBodyDef low = make_shell("low", "sheet:6,6:0.2,0.2", 0.001, 0.0, 0.0, 0.0005);
    CondBodyDef high = make_shell("high", "sheet:6,6:0.2,0.2", 0.001, 0.03, 0.02, 0.0016);
    make_turn(0.0, 0.0, 1.0, 0.4, high.orientation);
    add_body(scene, &low);
    add_body(scene, &high);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 15);
    assert_true(audited(&trial) < 1e-5);
    trial_end(&trial);
}

// A sheet that is pulled off another one by an edge. Across it a node gives way a thousand times as
// easily as along it, and its friction turns in every step: with one scale for all rows of a
// contact, and contacts predicted anew at first, Newton's method takes 157 steps, else 103.
static void test_pulled(void** state)
{
    (void)state;
    enum { SIDE = 10, N_STEP = 10 };
    CondScene* scene = cloth_scene(1e-6);
    cond_scene_settings(scene)->time_step = 0.005;
    add_plane(scene, 0.0, 0.0, 1.0, 0.0, 0.3, NAN);
    CondBodyDef low = make_shell("low", "sheet:10,10:0.2,0.2", 0.001, 0.0, 0.0, 0.0005);
    CondBodyDef high = make_shell("high", "sheet:10,10:0.2,0.2", 0.001, 0.0, 0.0, 0.0015);
    add_body(scene, &low);
    add_body(scene, &high);
    Trial trial = trial_begin(scene);
    for (int k = SIDE * SIDE; k < 2 * SIDE * SIDE; k++) {
        const double* x = trial.state->q + 3 * (ptrdiff_t)k;
        double *v = trial.state->v + 3 * (ptrdiff_t)k, far = fmax(x[0] - 0.02, 0.0) / 0.08;
        v[0] = -0.2 * far;
        v[1] = 0.3 * far;
        v[2] = 0.6 * far;
    }
    int passes = 0;
    for (int k = 0; k < N_STEP; k++) {
        CondStepInfo info;
        assert_int_equal(cond_sim_step(trial.sim, trial.state, &info), COND_OK);
        passes += info.solve.passes;
    }
    assert_true(passes <= 130);
    assert_true(audited(&trial) < 1e-5);
    trial_end(&trial);
}

// Two cells of a sheet close like a book: the diagonals of both cross in front of each other, and
// nothing else is near. The triangles that join them lean into the gap between them by more than a
// tenth of their height, which is 5.6 thicknesses.
static void test_book(void** state)
{
    (void)state;
    enum { LOW = 1, LEFT = 3, RIGHT = 2, HIGH = 4, FAR = 5 };
    CondScene* scene = cloth_scene(1e-9);
    cond_scene_settings(scene)->gravity[2] = 0.0;
    CondMaterialDef limp = make_material("limp", 1e6, 0.0);
    limp.density = 400.0;
    limp.bending = 1e-12;
    add_material(scene, &limp);
    CondBodyDef def = make_shell("book", "sheet:3,2:0.016,0.008", 0.001, 0.0, 0.0, 0.0);
    def.self_contact = 1;
    memcpy(def.material, "limp", 5);
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    for (int k = 0; k < 2; k++) { // the right cell over the left one
        double* x = trial.state->q + 3 * (k ? FAR : RIGHT);
        x[0] = -sqrt(0.008 * 0.008 - 0.0021 * 0.0021);
        x[2] = 0.0021;
        trial.state->v[3 * (k ? FAR : RIGHT) + 2] = -0.07;
    }
    trial_step(&trial, 1);
    const double* x = trial.state->q;
    double apart = 0.5 * (x[3 * RIGHT + 2] + x[3 * HIGH + 2] - x[3 * LOW + 2] - x[3 * LEFT + 2]);
    assert_true(apart > 0.001 - 1e-5 * 0.018);
    assert_true(cond_sim_n_contact(trial.sim) > 0);
    trial_end(&trial);
}

// The edge of a sheet between the sides of a narrow fold, nearer to the lower one: it is kept off
// both.
static void test_tongue(void** state)
{
    (void)state;
    CondScene* scene = cloth_scene(1e-9);
    cond_scene_settings(scene)->gravity[2] = 0.0;
    CondBodyDef def = make_shell("fold", "sheet:3,2:0.08,0.04", 0.001, 0.0, 0.0, 0.0);
    add_body(scene, &def);
    def = make_shell("tongue", "sheet:2,2:0.02,0.02", 0.001, -0.04, 0.0, 0.00104);
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    for (int k = 2; k < 6; k += 3) { // the right cell over the left one
        double* x = trial.state->q + 3 * (size_t)k;
        x[0] = -sqrt(0.04 * 0.04 - 0.0028 * 0.0028);
        x[2] = 0.0028;
    }
    trial_step(&trial, 1);
    int below = 0, above = 0;
    for (int k = 0; k < cond_sim_n_contact(trial.sim); k++) {
        CondContactInfo info = cond_sim_contact(trial.sim, k);
        double up = info.body == 1 ? info.frame[2] : -info.frame[2]; // what pushes the tongue
        below += up > 0.9;
        above += up < -0.9;
    }
    assert_true(below > 0 && above > 0);
    trial_end(&trial);
}

// The first steps of the scenes of cloth that are too large to be run here to their ends.
static void test_shipped(void** state)
{
    (void)state;
    static const char* const files[] = {"drape.yaml", "cloth/towel.yaml", "cloth/napkin.yaml",
                                        "cloth/shirt.yaml", "cloth/sack.yaml"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        Trial trial = trial_read(files[k], 0, NULL);
        assert_true(audited(&trial) == 0.0);
        trial_step(&trial, 5);
        assert_true(audited(&trial) < 1e-5);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slope),  cmocka_unit_test(test_sides),
        cmocka_unit_test(test_area),   cmocka_unit_test(test_table_edge),
        cmocka_unit_test(test_ball),   cmocka_unit_test(test_stack),
        cmocka_unit_test(test_book),   cmocka_unit_test(test_flat),
        cmocka_unit_test(test_tongue), cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_pulled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
