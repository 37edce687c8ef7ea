// Public functions that no other test needs: names, what a model and an environment hold, files
// that appear whole, what a scene draws, and a solver that is brought along.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/cond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_names(void** state)
{
    (void)state;
    assert_string_equal(cond_body_kind_name(COND_BODY_SOFT), "soft");
    assert_string_equal(cond_integrator_name(COND_INTEGRATOR_AUTO), "auto");
    assert_non_null(cond_impact_name(COND_IMPACT_SIMULTANEOUS));
    assert_non_null(cond_multilevel_name((CondMultilevelUse)0));
    assert_non_null(cond_storage_name((CondStorage)0));
    for (int i = 0; i < COND_N_NUMBER; i++) {
        assert_true(strlen(cond_number_name((CondNumber)i)) > 0);
        assert_non_null(cond_number_unit((CondNumber)i));
    }
    int n = 0;
    while (cond_mesh_recipe(n))
        n++;
    assert_true(n >= 4);
    assert_true(cond_mesh_is_recipe("ball:0.05:7,2"));
    assert_false(cond_mesh_is_recipe("ball.obj"));
}

// A jelly and two boxes, one of which is shut out from the floor and from the other.
static Trial begin_things(void)
{
    CondScene* scene = make_scene();
    CondError error;
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1), other = box;
    CondBodyDef soft = make_soft("jelly", "box:2,2,2:0.1,0.1,0.1", "rubber", 1.0, 0.0, 0.5);
    CondObstacleDef wall = make_obstacle(COND_SHAPE_BOX, 0.1, 1.0, 1.0, -1.0, 0.0, 0.5);
    CondExcludeDef exclude = cond_exclude_def_default();
    CondSensorDef sensor = cond_sensor_def_default();
    snprintf(box.name, sizeof box.name, "box");
    snprintf(other.name, sizeof other.name, "ghost");
    snprintf(wall.name, sizeof wall.name, "wall");
    snprintf(sensor.name, sizeof sensor.name, "scale");
    snprintf(sensor.on.body, sizeof sensor.on.body, "box");
    other.position[2] = 0.25;
    add_body(scene, &box);
    add_body(scene, &other);
    add_body(scene, &soft);
    add_obstacle(scene, &wall);
    add_floor(scene, 0.5, 0.0);
    snprintf(exclude.thing[0], sizeof exclude.thing[0], "box");
    snprintf(exclude.thing[1], sizeof exclude.thing[1], "ghost");
    assert_int_equal(cond_scene_add_exclude(scene, &exclude, &error), COND_OK);
    assert_int_equal(cond_scene_add_sensor(scene, &sensor, &error), COND_OK);
    return trial_begin(scene);
}

static void test_model(void** state)
{
    (void)state;
    Trial trial = begin_things();
    const CondModel* model = trial.model;
    double gap, contact;
    assert_int_equal(cond_model_body_kind(model, 2), COND_BODY_SOFT);
    assert_int_equal(cond_model_n_tet(model, 0), 0);
    assert_true(cond_model_n_tet(model, 2) > 8);
    assert_int_equal(cond_model_n_attachment(model), 0);
    assert_int_equal(cond_model_n_trajectory(model), 0);
    assert_int_equal(cond_model_n_sensor(model), 1);
    assert_string_equal(cond_model_sensor_name(model, 0), "scale");
    assert_string_equal(cond_model_obstacle_name(model, 0), "wall");
    assert_non_null(cond_model_plane_name(model, 0));
    assert_true(cond_model_penetration_limit(model, 0, 1, -1) > 0.0);
    assert_int_equal(cond_sim_gap(trial.sim, trial.state, 0, 2, &gap, &contact), COND_OK);
    assert_true(gap > 0.0);
    assert_near(cond_sim_internal_force(trial.sim, trial.state, 2), 0.0, 1e-9);
    assert_int_equal(cond_state_set_time(trial.model, trial.state, 2.0), COND_OK);
    assert_near(cond_state_time(trial.state), 2.0, 1e-12);
    trial_step(&trial, 20); // the ghost falls through the box
    assert_true(trial_pose(&trial, 1).position[2] < 0.25 - 1e-3);
    trial_end(&trial);
}

// A jelly on the floor, of which one half of the underside is a patch.
static void test_patches(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef soft = make_soft("jelly", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.05);
    add_body(scene, &soft);
    add_floor(scene, 0.5, 0.0);
    add_patch(scene, "left", "jelly", (double[3]){-0.06, -0.06, -0.01},
              (double[3]){0.01, 0.06, 0.01});
    Trial trial = trial_begin(scene);
    trial_step(&trial, 5);
    assert_int_equal(cond_model_n_patch(trial.model), 1);
    assert_string_equal(cond_model_patch_name(trial.model, 0), "left");
    assert_null(cond_model_patch_name(trial.model, 1));
    assert_int_equal(cond_model_patch_body(trial.model, 0), 0);
    assert_int_equal(cond_model_patch_body(trial.model, -1), -1);
    assert_int_equal(cond_model_find_patch(trial.model, "right"), -1);
    int found[2] = {0, 0}, n = cond_sim_n_contact(trial.sim);
    for (int c = 0; c < n; c++) {
        CondContactInfo contact = cond_sim_contact(trial.sim, c);
        double share;
        int left = contact.position[0] < 0.01;
        assert_int_equal(cond_sim_contact_patch(trial.sim, c, 0, &share), left ? 0 : -1);
        assert_near(share, left, 1e-12);
        assert_int_equal(cond_sim_contact_patch(trial.sim, c, 1, NULL), -1);
        found[left]++;
    }
    assert_int_equal(found[1], 6);
    assert_int_equal(found[0], 3);
    assert_int_equal(cond_sim_contact_patch(trial.sim, n, 0, NULL), -1);
    trial_end(&trial);
}

static void test_problem(void** state)
{
    (void)state;
    Trial trial = begin_things();
    trial_step(&trial, 1);
    const CondProblem* problem = cond_sim_problem(trial.sim);
    double error[64], sum = 0.0;
    assert_true(problem->n_contact > 0 && problem->n_contact <= 64);
    assert_int_equal(cond_certify_contacts(NULL, problem, COND_LAW_STRICT, 0.0,
                                           cond_sim_solution(trial.sim), cond_sim_lambda(trial.sim),
                                           error),
                     COND_OK);
    for (int c = 0; c < problem->n_contact; c++)
        assert_true(error[c] >= 0.0 && error[c] < 1e-4);
    const CondBlock* block = &problem->block[0];
    for (int k = 0, j; k < cond_block_row_size(block, 0); k++) {
        double entry = cond_block_entry(block, 0, k, &j);
        sum += j == 0 ? entry : 0.0;
    }
    assert_true(sum > 0.0);
    double mu[2] = {0.5, 0.5}, u[3] = {0.0, 0.1, 0.0}, force[3] = {1.0, -0.5, 0.0};
    assert_near(cond_law_essential_error(COND_LAW_STRICT, mu, 1.0, u, force).natural, 0.0, 1e-12);
    double bound[2] = {-1.0, 2.0}, trial_force[3] = {5.0, 1.0, 1.0};
    cond_interval_project(bound, trial_force, trial_force);
    assert_near(trial_force[0], 2.0, 0.0);
    assert_near(trial_force[1], 0.0, 0.0);
    // A solver that the user has made does the same.
    CondSolver* solver;
    CondError message;
    const CondSolverSettings* settings = &cond_model_settings(trial.model)->solver;
    assert_int_equal(cond_solver_create(NULL, "strategy", settings, &solver, &message), COND_OK);
    assert_true(cond_solver_prepare(solver, problem) >= 0);
    cond_solver_reset(solver);
    cond_sim_set_solver(trial.sim, solver); // which owns it from now on
    trial_step(&trial, 2);
    trial_end(&trial);
}

static void test_file(void** state)
{
    (void)state;
    CondFile* file;
    CondError error;
    char text[16] = "";
    assert_int_equal(cond_file_begin(NULL, "public.txt", &file, &error), COND_OK);
    fputs("whole", cond_file_stream(file));
    assert_null(fopen("public.txt", "r")); // not yet
    assert_int_equal(cond_file_end(file, 1, &error), COND_OK);
    assert_int_equal(cond_file_begin(NULL, "public.txt", &file, &error), COND_OK);
    fputs("half", cond_file_stream(file));
    assert_int_equal(cond_file_end(file, 0, &error), COND_OK);
    FILE* read = fopen("public.txt", "r");
    assert_non_null(read);
    assert_non_null(fgets(text, sizeof text, read));
    fclose(read);
    remove("public.txt");
    assert_string_equal(text, "whole");
}

// An environment's scene made by calls: what varies, what acts, what rewards.
static void test_environment(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondError error;
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
    snprintf(box.name, sizeof box.name, "box");
    add_body(scene, &box);
    CondAttachmentDef hold = make_attachment("hold", "box", "", 0);
    add_attachment(scene, &hold);
    CondVariationDef vary = cond_variation_def_default();
    CondActionDef act = cond_action_def_default();
    CondRewardDef reward = cond_reward_def_default();
    snprintf(vary.name, sizeof vary.name, "mass");
    snprintf(vary.path, sizeof vary.path, "bodies.box.mass");
    vary.low = 1.0;
    vary.high = 3.0;
    assert_int_equal(cond_scene_add_variation(scene, &vary, &error), COND_OK);
    act.kind = COND_ACTION_ANCHOR;
    snprintf(act.name, sizeof act.name, "lead");
    snprintf(act.attachment, sizeof act.attachment, "hold");
    act.turns = 0; // the attachment is a ball joint
    act.linear = act.angular = 0.01;
    assert_int_equal(cond_scene_add_action(scene, &act, &error), COND_OK);
    reward.kind = COND_REWARD_DISTANCE;
    snprintf(reward.name, sizeof reward.name, "near");
    snprintf(reward.at.body, sizeof reward.at.body, "box");
    assert_int_equal(cond_scene_add_reward(scene, &reward, &error), COND_OK);
    assert_int_equal(cond_scene_n_variation(scene), 1);
    assert_string_equal(cond_scene_variation(scene, 0)->name, "mass");
    assert_null(cond_scene_variation(scene, 1));
    double drawn = cond_scene_draw(scene, 0, 5);
    assert_true(drawn >= 1.0 && drawn <= 3.0);
    assert_near(drawn, cond_scene_draw(scene, 0, 5), 0.0);
    cond_scene_destroy(scene);
    CondEnvDef def = cond_env_def_default();
    CondEnv* env;
    def.scene = COND_SCENES "/pusher.yaml";
    assert_int_equal(cond_env_create(NULL, &def, &env, &error), COND_OK);
    assert_int_equal(cond_env_reset(env, 1, &error), COND_OK);
    assert_true(cond_model_n_body(cond_env_model(env)) > 0);
    assert_near(cond_state_time(cond_env_state(env)), 0.0, 1e-12);
    assert_true(cond_sim_n_contact(cond_env_sim(env)) >= 0);
    cond_env_destroy(env);
}

// A scene from a text, to which an observation is added: an environment made of it sees the point.
static void test_scene_in_memory(void** state)
{
    (void)state;
    static const char text[] =
        "name: memory\nstep: {time_step: 0.01}\nbodies:\n"
        "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 2]}\n";
    CondScene* scene;
    CondError error;
    CondEnv* env;
    CondEnvDef def = cond_env_def_default();
    CondObservationDef corner = cond_observation_def_default();
    static const char* const set[] = {"bodies.box.mass=2"};
    assert_int_equal(cond_scene_read_text(NULL, text, NULL, 1, set, &scene, &error), COND_OK);
    snprintf(corner.name, sizeof corner.name, "corner");
    corner.kind = COND_OBSERVE_POINT;
    snprintf(corner.at.body, sizeof corner.at.body, "box");
    corner.at.point[2] = 0.1;
    assert_int_equal(cond_scene_add_observation(scene, &corner, &error), COND_OK);
    def.made = scene;
    assert_int_equal(cond_env_create(NULL, &def, &env, &error), COND_OK);
    cond_scene_destroy(scene); // the environment has its own
    CondEnvSlot slot;
    int k = 0;
    while (cond_env_observation_slot(env, k, &slot) && !strstr(slot.name, "corner"))
        k++;
    assert_int_equal(slot.size, 3);
    assert_near(cond_env_observation(env)[slot.begin + 2], 2.1, 1e-12);
    assert_near(cond_model_mass(cond_env_model(env), 0), 2.0, 0.0);
    cond_env_destroy(env);
    assert_int_equal(cond_scene_read_text(NULL, "bodies: 3", NULL, 0, NULL, &scene, &error),
                     COND_BAD_INPUT);
    assert_memory_equal(error.message, "text:1:", 7);
}

// A bar stretched evenly by 1 % with Poisson's ratio 0.3 and its sides held: E (1 - nu) / ((1 + nu)
// (1 - 2 nu)) of it along, and a rod bent to an arc carries E I / R.
static void test_stress(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e6, 0.0);
    add_material(scene, &rubber);
    CondBodyDef soft = make_soft("bar", "box:2,2,2:0.1,0.1,0.1", "rubber", 0.0, 0.0, 0.0);
    CondBodyDef rod = cond_body_def_default();
    rod.kind = COND_BODY_ROD;
    snprintf(rod.name, sizeof rod.name, "rod");
    snprintf(rod.material, sizeof rod.material, "rubber");
    rod.rod.shape = COND_ROD_ARC;
    rod.rod.rest = COND_ROD_REST_UNIFORM; // straight without stress
    rod.rod.links = 20;
    rod.rod.length = 0.5;
    rod.rod.bend_radius = 1.0;
    rod.rod.circle = 0.01;
    add_body(scene, &soft);
    add_body(scene, &rod);
    Trial trial = trial_begin(scene);
    double q[3 * 27], stress[6 * 200], mises[200], bent[6 * 20], strain[6 * 20];
    int n, n_tet = cond_model_n_tet(trial.model, 0);
    assert_true(n_tet <= 200);
    memcpy(q, cond_state_configuration(trial.model, trial.state, 0, &n), sizeof q);
    for (int i = 0; i < 27; i++)
        q[3 * i + 2] *= 1.01;
    assert_int_equal(cond_state_set_configuration(trial.model, trial.state, 0, q), COND_OK);
    assert_int_equal(cond_state_stress(trial.model, trial.state, 0, stress, mises), COND_OK);
    for (int e = 0; e < n_tet; e++) {
        assert_near(stress[6 * e + 2], 1e6 * 0.7 / (1.3 * 0.4) * 0.01, 200.0); // to first order
        assert_near(stress[6 * e + 3], 0.0, 1e-6);
        assert_near(mises[e], fabs(stress[6 * e + 2] - stress[6 * e]), 1e-6);
    }
    assert_int_equal(cond_model_n_rod_joint(trial.model, 1), 19);
    assert_int_equal(cond_state_rod_stresses(trial.model, trial.state, 1, bent, strain), COND_OK);
    double I = 3.14159265358979 * pow(0.01, 4) / 4.0, one[6];
    for (int i = 0; i < 19; i++) {
        double moment = hypot(bent[6 * i + 3], bent[6 * i + 4]);
        assert_near(moment, 1e6 * I / 1.0, 1e-3 * 1e6 * I);
        assert_int_equal(cond_state_rod_stress(trial.model, trial.state, 1, i, one, NULL), COND_OK);
        assert_memory_equal(one, bent + 6 * i, sizeof one);
    }
    assert_int_equal(cond_state_stress(trial.model, trial.state, 1, stress, mises),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_rod_stresses(trial.model, trial.state, 0, bent, strain),
                     COND_BAD_ARGUMENT);
    trial_end(&trial);
}

// No law is relaxed any more; the function stays for programs of before.
static void test_relaxed(void** state)
{
    (void)state;
    CondSolverSettings settings = cond_solver_settings_default();
    CondSolver* solver = NULL;
    CondError error;
    int n = 1;
    assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, &error), COND_OK);
    assert_null(cond_solver_relaxed(solver, &n));
    assert_int_equal(n, 0);
    cond_solver_destroy(solver);
}

// A sheet is a mesh for shells and for nothing else.
static void test_sheet(void** state)
{
    (void)state;
    const double size[2] = {0.2, 0.1}, solid[3] = {1.0, 1.0, 0.1};
    CondMesh *sheet = NULL, *mat = NULL, *disc = NULL, *none = NULL;
    CondError error;
    assert_int_equal(cond_mesh_sheet(NULL, 5, 3, size, &sheet, &error), COND_OK);
    assert_int_equal(sheet->n_node, 15);
    assert_int_equal(sheet->n_triangle, 16);
    assert_int_equal(cond_mesh_check_shell(NULL, sheet, &error), COND_OK);
    assert_int_not_equal(cond_mesh_check_solid(NULL, sheet, &error), COND_OK);
    assert_int_equal(cond_mesh_mat(NULL, 2, 2, 2, solid, &mat, &error), COND_OK);
    assert_int_not_equal(cond_mesh_check_shell(NULL, mat, &error), COND_OK);
    assert_int_not_equal(cond_mesh_sheet(NULL, 1, 3, size, &none, &error), COND_OK);
    assert_int_equal(cond_mesh_disc(NULL, 0.15, 4, &disc, &error), COND_OK);
    assert_int_equal(disc->n_node, 61);
    assert_int_equal(disc->n_triangle, 96);
    double area = 0.0;
    for (int t = 0; t < disc->n_triangle; t++) {
        const double* x[3];
        for (int k = 0; k < 3; k++)
            x[k] = disc->node + 3 * (size_t)disc->triangle[3 * t + k];
        double twice =
            (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]);
        assert_true(twice > 0.0); // seen counter-clockwise from above
        area += 0.5 * twice;
    }
    assert_true(fabs(area - 12.0 * 0.15 * 0.15 * sin(6.283185307179586 / 24.0)) < 1e-12);
    assert_int_not_equal(cond_mesh_disc(NULL, 0.15, 0, &none, &error), COND_OK);
    cond_mesh_destroy(disc);
    cond_mesh_destroy(mat);
    cond_mesh_destroy(sheet);
}

// The account of threads has entries with names while it is kept, and the step stays the same.
static void test_account(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int kept = 0; kept < 2; kept++) {
        Trial trial = trial_read("ball.yaml", 0, NULL);
        cond_account_begin(kept ? 4 : 0);
        trial_step(&trial, 1);
        hash[kept] = cond_state_hash(trial.state);
        CondThreadsWork work;
        int n = 0, named = 0, loops = 0;
        for (; cond_account_read(n, &work); n++) {
            named += work.name && *work.name && work.outside >= 0.0 && work.within >= 0.0;
            loops += work.loops;
        }
        const char* stage; // the loops are those of the stages
        for (int k = 0; cond_account_read_loop(k, &stage, &work); k++) {
            assert_true(stage && *stage && work.name && *work.name);
            loops -= work.loops;
        }
        cond_account_begin(0);
        assert_int_equal(loops, 0);
        assert_int_equal(named, n);
        assert_true(!kept || n > 0);
        trial_end(&trial);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relaxed),     cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_account),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_model),       cmocka_unit_test(test_patches),
        cmocka_unit_test(test_problem),     cmocka_unit_test(test_file),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_scene_in_memory),
        cmocka_unit_test(test_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
