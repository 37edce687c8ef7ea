// The benchmarks run, and their JSON is what docs/bench.md says.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli_run.h"

typedef struct Key {
    const char* name;
    int text; // 1: a text, 0: a number
} Key;

// Every object of the array has exactly these keys.
static void expect_rows(const json_t* rows, const Key* key, size_t n)
{
    assert_true(json_is_array(rows) && json_array_size(rows) > 0);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t* row = json_array_get(rows, i);
        assert_int_equal(json_object_size(row), n);
        for (size_t k = 0; k < n; k++) {
            const json_t* value = json_object_get(row, key[k].name);
            if (key[k].text ? !json_is_string(value) : !json_is_number(value))
                fail_msg("row %zu: %s is missing or of another kind", i, key[k].name);
        }
    }
}

static double number_of(const json_t* object, const char* key)
{
    return json_number_value(json_object_get(object, key));
}

static const char* text_of(const json_t* object, const char* key)
{
    return json_string_value(json_object_get(object, key));
}

static const Key row_keys[] = {{"scene", 1},  {"problem", 1}, {"solver", 1},   {"products", 0},
                               {"passes", 0}, {"seconds", 0}, {"dynamics", 0}, {"contact", 0}};
static const Key yardstick_keys[] = {{"scene", 1}, {"problem", 1}, {"products", 0}};

static const json_t* find_row(const json_t* rows, const char* scene, const char* solver)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t* row = json_array_get(rows, i);
        if (strcmp(text_of(row, "scene"), scene) == 0 &&
            strcmp(text_of(row, "solver"), solver) == 0)
            return row;
    }
    fail_msg("%s: no row of %s", scene, solver);
    return NULL;
}

#ifdef COND_BASELINES
#define BASELINES ",pgs,apgd,ccs"
#else
#define BASELINES ""
#endif

static void convergence_has_its_rows(void** state)
{
    (void)state;
    CliOutput output = cli_run("bench", "convergence", "--quick", "--scenes=mat,cable",
                               "--solvers=default,paper,block+anderson,frobenius+anderson,"
                               "spectrum+anderson" BASELINES,
                               "--threads=1", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    const json_t* rows = json_object_get(result, "rows");
    const json_t* yardstick = json_object_get(result, "yardstick");
    expect_rows(rows, row_keys, sizeof row_keys / sizeof *row_keys);
    expect_rows(yardstick, yardstick_keys, sizeof yardstick_keys / sizeof *yardstick_keys);
    assert_int_equal(json_array_size(yardstick), 2);
    static const char* const solvers[] = {"default", "paper", "block+anderson",
                                          "frobenius+anderson", "spectrum+anderson"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        const json_t* row = find_row(rows, "mat", solvers[k]);
        assert_true(number_of(row, "products") >= 1.0);
    }
    static const char* const scenes[] = {"mat", "cable"};
    for (int k = 0; k < 2; k++) {
        const json_t* row = find_row(rows, scenes[k], "default");
        assert_true(number_of(row, "dynamics") <= 1e-6 && number_of(row, "contact") <= 1e-6);
        assert_string_equal(text_of(row, "problem"),
                            text_of(json_array_get(yardstick, (size_t)k), "problem"));
        assert_true(number_of(json_array_get(yardstick, (size_t)k), "products") >= 2.0);
    }
#ifdef COND_BASELINES
    assert_true(number_of(find_row(rows, "mat", "pgs"), "contact") <= 1e-6);
    find_row(rows, "mat", "apgd");
    find_row(rows, "mat", "ccs");
#else
    cli_expect(1,
               "none is named 'pgs' here; the solvers COND is compared with are built by "
               "-DCOND_BASELINES=ON",
               "bench", "convergence", "--quick", "--scenes=mat", "--solvers=default,pgs");
#endif
    json_decref(result);
    cli_output_free(&output);
}

// A second run takes the states of the first, and finds the same counts; the report has its files.
static void states_and_report(void** state)
{
    (void)state;
    char folder[] = "bench_XXXXXX", path[64];
    double products[2];
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 2; k++) {
        CliOutput output = cli_run("bench", "convergence", "--scenes=box", "--stages=2,4",
                                   "--solvers=default,paper", "--threads=1", "--states", folder,
                                   "--out", folder, "--json=-");
        assert_int_equal(output.code, 0);
        json_t* result = cli_output_json(&output);
        const json_t* rows = json_object_get(result, "rows");
        products[k] = number_of(json_array_get(rows, 0), "products");
        assert_string_equal(text_of(json_array_get(rows, 0), "solver"), "default");
        assert_string_equal(text_of(json_array_get(rows, 0), "problem"), "step 2");
        const json_t* curve = json_array_get(json_object_get(result, "curves"), 1);
        assert_true(json_array_size(json_object_get(curve, "points")) >= 2);
        assert_non_null(strstr(output.err, "report.html"));
        json_decref(result);
        cli_output_free(&output);
    }
    assert_true(products[0] == products[1]);
    static const char* const files[] = {"box_2.state",
                                        "box_4.state",
                                        "report.html",
                                        "report.md",
                                        "convergence.md",
                                        "convergence.csv",
                                        "convergence_box_products.svg",
                                        "convergence_box_seconds.svg"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        assert_true(remove(path) == 0 || k >= 6); // without gnuplot there are no plots
    }
    assert_int_equal(rmdir(folder), 0);
}

static void put_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

// One object with exactly these keys, each a number or null.
static void expect_numbers(const json_t* object, const char* const* key, size_t n)
{
    assert_int_equal(json_object_size(object), n);
    for (size_t k = 0; k < n; k++) {
        const json_t* value = json_object_get(object, key[k]);
        if (!json_is_number(value) && !json_is_null(value))
            fail_msg("%s is missing or of another kind", key[k]);
    }
}

static const Key speed_keys[] = {{"scene", 1},  {"stage", 1}, {"threads", 0}, {"ms", 0},
                                 {"spread", 0}, {"bytes", 0}, {"fraction", 0}};
static const char* const ratio_keys[] = {"step_over_factorisation", "siconos_over_solver",
                                         "pgs_over_solver", "apgd_over_solver", "threads2_over_1"};
static const char* const growth_keys[] = {"exponent", "max_dof", "bytes_per_dof"};

// Times are not judged, only that they are there; and the contact velocities of others are ours.
static void speed_has_its_rows(void** state)
{
    (void)state;
    char folder[] = "speed_XXXXXX", pattern[64];
    assert_non_null(mkdtemp(folder));
    CliOutput output =
        cli_run("bench", "--quick", "--scenes=mat", "--threads=2", "--results", folder, "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    const json_t* rows = json_object_get(result, "rows");
    expect_rows(rows, speed_keys, sizeof speed_keys / sizeof *speed_keys);
    static const char* const stages[] = {"forces", "collide", "solve", "step", "iteration"};
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        int found = 0;
        for (size_t i = 0; i < json_array_size(rows); i++) {
            const json_t* row = json_array_get(rows, i);
            found += strcmp(text_of(row, "stage"), stages[k]) == 0;
            assert_true(number_of(row, "bytes") > 0.0 && number_of(row, "fraction") > 0.0);
        }
        assert_int_equal(found, 6); // the mat and two sizes of it, with one and two threads
    }
    const json_t* ratios = json_object_get(result, "ratios");
    assert_int_equal(json_object_size(ratios), 1);
    expect_numbers(json_object_get(ratios, "mat"), ratio_keys,
                   sizeof ratio_keys / sizeof *ratio_keys);
    const json_t* growth = json_object_get(result, "growth");
    expect_numbers(growth, growth_keys, sizeof growth_keys / sizeof *growth_keys);
    assert_true(number_of(growth, "max_dof") > 800.0 && number_of(growth, "max_dof") < 1000.0);
    assert_true(number_of(growth, "bytes_per_dof") > 100.0);
    const json_t* peers = json_object_get(result, "peers");
    for (size_t i = 0; i < json_array_size(peers); i++) {
        const json_t* difference = json_object_get(json_array_get(peers, i), "u_difference");
        assert_true(json_is_null(difference) || json_number_value(difference) < 1e-4);
    }
    json_decref(result);
    cli_output_free(&output);
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*-cores.csv", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    assert_int_equal(remove(found.gl_pathv[0]), 0);
    globfree(&found);
    // The ratios lie beside the rows, and the folder may be given to hold a run against.
    snprintf(pattern, sizeof pattern, "%s/*-cores.json", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    json_t* kept = json_load_file(found.gl_pathv[0], 0, NULL);
    expect_numbers(json_object_get(json_object_get(kept, "ratios"), "mat"), ratio_keys,
                   sizeof ratio_keys / sizeof *ratio_keys);
    assert_non_null(json_object_get(json_object_get(kept, "machine"), "cpu"));
    json_decref(kept);
    put_text(found.gl_pathv[0], "{\"growth\": {\"bytes_per_dof\": 1.0}}");
    cli_expect(3, "bytes_per_dof was 1 and is", "bench", "--quick", "--scenes=box", "--threads=1",
               "--max-dof=500", "--check", folder);
    assert_int_equal(remove(found.gl_pathv[0]), 0);
    globfree(&found);
    assert_int_equal(rmdir(folder), 0);
}

// A limit that hardly anyone keeps: times are said to be bounds from below, ours is not limited,
// and nobody is judged by a ratio that is only known from below.
static void others_are_stopped(void** state)
{
    (void)state;
#ifdef COND_BASELINES
    put_text("stored.json", "{\"ratios\": {\"mat\": {\"pgs_over_solver\": 1e9}}}");
    CliOutput output = cli_run("bench", "--quick", "--scenes=mat", "--threads=1", "--max-dof=500",
                               "--limit=1e-6", "--check=stored.json", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    const json_t* peers = json_object_get(result, "peers");
    int stopped = 0;
    for (size_t i = 0; i < json_array_size(peers); i++) {
        const json_t* row = json_array_get(peers, i);
        int at_least = json_is_true(json_object_get(row, "at_least"));
        stopped += at_least;
        assert_true(!at_least || number_of(row, "ms") > 0.0);
        assert_true(!at_least || number_of(row, "residual") > 1e-6);
    }
    assert_true(stopped > 0);
    const json_t* bounds = json_object_get(json_object_get(result, "at_least"), "mat");
    assert_int_equal(json_array_size(bounds), stopped);
    json_decref(result);
    cli_output_free(&output);
    assert_int_equal(remove("stored.json"), 0);
#endif
}

static void trials_are_certified(void** state)
{
    (void)state;
    static const Key keys[] = {{"scene", 1},    {"trial", 0},         {"steps", 0},
                               {"missed", 0},   {"first_missed", 0},  {"residual", 0},
                               {"contacts", 0}, {"most_products", 0}, {"passes", 0},
                               {"solve_ms", 0}, {"products", 0},      {"iterations", 0}};
    CliOutput output =
        cli_run("bench", "trials", "--quick", "--trials=2", "--threads=2", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    const json_t* rows = json_object_get(result, "rows");
    expect_rows(rows, keys, sizeof keys / sizeof *keys);
    assert_int_equal(json_array_size(rows), 8);
    for (size_t i = 0; i < 8; i++) {
        const json_t* row = json_array_get(rows, i);
        assert_true(number_of(row, "trial") == (double)(i % 2));
        assert_true(number_of(row, "steps") == 10.0 && number_of(row, "missed") == 0.0);
        assert_true(number_of(row, "residual") <= 1e-6);
    }
    json_decref(result);
    cli_output_free(&output);
    cli_expect(3, "1 steps, 1 missed", "bench", "trials", "--quick", "--scenes=cable", "--trials=1",
               "--steps=1", "--tol=1e-20"); // below what rounding allows
}

static void sweeps_have_their_rows(void** state)
{
    (void)state;
    CliOutput output =
        cli_run("bench", "sweeps", "--quick", "--threads=2", "--scenes=mat,box", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    const json_t* rows = json_object_get(result, "rows");
    assert_int_equal(json_array_size(rows), 6); // stiffness, nodes and kv
    for (size_t i = 0; i < 6; i++) {
        const json_t* row = json_array_get(rows, i);
        assert_true(number_of(row, "steps") == 5.0 && number_of(row, "missed") == 0.0);
        assert_true(number_of(row, "products") >= 1.0 && number_of(row, "dof") >= 6.0);
    }
    assert_int_equal(json_array_size(json_object_get(result, "spreads")), 3);
    json_decref(result);
    cli_output_free(&output);
}

// A stored ratio that no run can fall behind, one that every run does, and no ratios at all.
static void ratios_are_held(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        int code;
        const char* message;
    } cases[] = {
        {"{\"ratios\": {\"box\": {\"pgs_over_solver\": 1e-9}}, \"growth\": "
         "{\"bytes_per_dof\": 1e9, \"max_dof\": 1}}",
         0, ""},
        {"{\"ratios\": {}, \"growth\": {\"bytes_per_dof\": 1.0}}", 3, "bytes_per_dof was 1 and is"},
        {"{\"ratios\": ", 2, "stored.json: line 1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        put_text("stored.json", cases[k].text);
        cli_expect(cases[k].code, cases[k].message, "bench", "speed", "--quick", "--scenes=box",
                   "--threads=1", "--max-dof=500", "--check", "stored.json");
    }
    assert_int_equal(remove("stored.json"), 0);
}

// Balls are simple enough for depths to be right to rounding; drops are audited in every step.
static void geometry_is_audited(void** state)
{
    (void)state;
    CliOutput output = cli_run("bench", "geometry", "--poses=200", "--kinds=plane,sphere,capsule",
                               "--seed=3", "--threads=1", "--json=-");
    json_t* root = cli_output_json(&output);
    json_t* rows = json_object_get(root, "rows");
    assert_int_equal((int)json_array_size(rows), 6);
    json_t* row = json_array_get(rows, 0);
    assert_string_equal(json_string_value(json_object_get(row, "label")), "plane, sphere");
    assert_true(json_integer_value(json_object_get(row, "close")) > 30);
    assert_int_equal((int)json_integer_value(json_object_get(row, "wrong")), 0);
    assert_true(json_number_value(json_object_get(row, "under")) < 1e-12);
    json_decref(root);
    cli_output_free(&output);
    output = cli_run("bench", "drops", "--pairs=2", "--kinds=sphere,capsule", "--steps=200",
                     "--threads=1", "--json=-");
    assert_int_equal(output.code, 0);
    root = cli_output_json(&output);
    row = json_array_get(json_object_get(root, "rows"), 1);
    assert_string_equal(json_string_value(json_object_get(row, "label")), "sphere, capsule");
    assert_int_equal((int)json_integer_value(json_object_get(row, "steps")), 200);
    assert_true(json_number_value(json_object_get(row, "depth")) < 1e-5);
    json_decref(root);
    cli_output_free(&output);
}

// COND's row has all numbers, Bullet's, where it is installed, none of Newton's method.
static void piles_have_their_rows(void** state)
{
    static const Key keys[] = {
        {"scene", 1},      {"engine", 1},   {"bodies", 0}, {"steps", 0},         {"ms", 0},
        {"worst_ms", 0},   {"contacts", 0}, {"newton", 0}, {"missed", 0},        {"depth_mm", 0},
        {"creep_mm_s", 0}, {"gained", 0},   {"ratio", 0},  {"friction_error", 0}};
    (void)state;
    CliOutput output =
        cli_run("bench", "piles", "--scenes=chain", "--solvers=COND", "--steps=4", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* root = cli_output_json(&output);
    const json_t* rows = json_object_get(root, "rows");
    expect_rows(rows, keys, sizeof keys / sizeof *keys);
    assert_int_equal((int)number_of(json_array_get(rows, 0), "bodies"), 100);
    assert_int_equal((int)number_of(json_array_get(rows, 0), "missed"), 0);
    json_decref(root);
    cli_output_free(&output);
}

// Drops that once went through each other, each over the steps in which they did: a rim on an edge
// beside the end of another, corners and edges of soft boxes on rigid ones.
// A few motions whose references are theory: errors fall with the step, and the rows say so.
static void motions_near_theory(void** state)
{
    (void)state;
    CliOutput output = cli_run("bench", "motion", "--only=ball_slope,coin_circle,tumbling",
                               "--time-steps=4,2", "--accuracy=0", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    const json_t *rows = json_object_get(result, "rows"),
                 *summary = json_object_get(result, "summary");
    assert_int_equal(json_array_size(rows), 6);
    assert_int_equal(json_array_size(summary), 3);
    for (size_t i = 0; i < 6; i++)
        assert_true(number_of(json_array_get(rows, i), "error") < 1e-3);
    for (size_t i = 1; i < 3; i++)
        assert_true(number_of(json_array_get(summary, i), "order") > 1.8);
    json_decref(result);
    cli_output_free(&output);
    cli_expect(1, "no motion is named 'nothing'", "bench", "motion", "--only=nothing");
    cli_expect(1, "expected lengths in ms", "bench", "motion", "--time-steps=a");
}

// Two sizes, whose pixels do not depend on the number of threads.
static void pictures_have_their_rows(void** state)
{
    (void)state;
    char hash[2][64];
    for (int k = 0; k < 2; k++) {
        CliOutput output = cli_run("bench", "pictures", "--quick", "--scenes=pusher",
                                   k ? "--threads=3" : "--threads=1", "--json=-");
        assert_int_equal(output.code, 0);
        json_t* result = cli_output_json(&output);
        json_t* rows = json_object_get(result, "rows");
        assert_int_equal(json_array_size(rows), 2);
        json_t* row = json_array_get(rows, 1);
        assert_true(number_of(row, "pixels") == 128.0 && number_of(row, "colour") > 0.0);
        snprintf(hash[k], sizeof hash[k], "%s", json_string_value(json_object_get(row, "hash")));
        json_decref(result);
        cli_output_free(&output);
    }
    assert_string_equal(hash[0], hash[1]);
}

// Stages by threads, and what is outside of loops: every part of the time has its row.
static void scaling_has_its_rows(void** state)
{
    (void)state;
    CliOutput output = cli_run("bench", "scaling", "--quick", "--threads=2", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    json_t* work = json_object_get(result, "work");
    double outside = 0.0, all = 0.0;
    for (size_t i = 0; i < json_array_size(work); i++) {
        json_t* row = json_array_get(work, i);
        if (strcmp(json_string_value(json_object_get(row, "scene")), "mat") != 0)
            continue;
        int sum = !strcmp(json_string_value(json_object_get(row, "work")), "all");
        *(sum ? &all : &outside) += number_of(row, "outside_ms");
        assert_true(number_of(row, "outside_ms") >= 0.0 && number_of(row, "loops") >= 0.0);
    }
    assert_true(all > 0.0 && outside > 0.999 * all && outside < 1.001 * all);
    assert_true(json_array_size(json_object_get(result, "rows")) > 0);
    json_decref(result);
    cli_output_free(&output);
}

// The default number of threads beside fixed ones, idle and busy.
static void threads_have_their_rows(void** state)
{
    (void)state;
    CliOutput output = cli_run("bench", "threads", "--quick", "--threads=2",
                               "--scenes=box,16 pushers", "--json=-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    json_t* rows = json_object_get(result, "rows");
    assert_int_equal(json_array_size(rows), 4);
    for (size_t i = 0; i < 4; i++) {
        json_t* row = json_array_get(rows, i);
        assert_true(number_of(row, "ms") > 0.0 && number_of(row, "best_ms") > 0.0);
        assert_int_equal(number_of(row, "load") > 0.0, i >= 2);
    }
    json_decref(result);
    cli_output_free(&output);
}

static void drops_stay_apart(void** state)
{
    static const char* const drop[][3] = {
        {"--seed=3", "--first=372", "--steps=196"}, {"--seed=3", "--first=599", "--steps=156"},
        {"--seed=0", "--first=214", "--steps=152"}, {"--seed=3", "--first=635", "--steps=160"},
        {"--seed=3", "--first=916", "--steps=156"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof drop / sizeof drop[0]; k++) {
        CliOutput output = cli_run("bench", "drops", "--pairs=1", drop[k][0], drop[k][1],
                                   drop[k][2], "--threads=1", "--json=-");
        assert_int_equal(output.code, 0);
        json_t* root = cli_output_json(&output);
        json_t* row = json_array_get(json_object_get(root, "rows"), 0);
        assert_true(json_number_value(json_object_get(row, "depth")) < 1e-5);
        assert_int_equal((int)json_integer_value(json_object_get(row, "missed")), 0);
        json_decref(root);
        cli_output_free(&output);
    }
}

static void wrong_usage(void** state)
{
    (void)state;
    cli_expect(1, "separated by commas", "bench", "convergence", "--scenes", "box", "--stages",
               "2,x");
    cli_expect(1, "expected a positive number", "bench", "convergence", "--tol=-1");
    cli_expect(1, "--limit -1: expected a positive number", "bench", "--limit=-1");
    cli_expect(2, "nowhere.yaml", "bench", "convergence", "--scenes", "nowhere.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convergence_has_its_rows), cmocka_unit_test(states_and_report),
        cmocka_unit_test(speed_has_its_rows),       cmocka_unit_test(ratios_are_held),
        cmocka_unit_test(others_are_stopped),       cmocka_unit_test(trials_are_certified),
        cmocka_unit_test(sweeps_have_their_rows),   cmocka_unit_test(wrong_usage),
        cmocka_unit_test(drops_stay_apart),         cmocka_unit_test(geometry_is_audited),
        cmocka_unit_test(piles_have_their_rows),    cmocka_unit_test(motions_near_theory),
        cmocka_unit_test(pictures_have_their_rows), cmocka_unit_test(scaling_has_its_rows),
        cmocka_unit_test(threads_have_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
