// Every number on the command line has a range: what lies outside is refused with exit code 1 and
// a message that names option, value and range, before anything is read, run or written.
#define _POSIX_C_SOURCE 200809L
#include "cli_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXAMPLE COND_TEST_DATA "/fclib/LMGC_GFC3D-i00001-1-00000.hdf5"

// The commands by one word they need, and their options that are numbers.
typedef struct Numbers {
    const char *command, *word;
    const char* whole[9];  // whole numbers, none of which may be negative
    const char* number[5]; // finite numbers
} Numbers;

static const Numbers commands[] = {
    {"run",
     "box",
     {"--steps", "--seed", "--threads", "--every", "--compress", "--save-every", "--port"},
     {"--tol", "--certify"}},
    {"solve", EXAMPLE, {"--max-iterations", "--threads"}, {"--tol", "--certify", "--omega"}},
    {"env", "pusher", {"--envs", "--steps", "--seed", "--threads"}, {NULL}},
    {"paper", "box", {"--trials", "--steps", "--seed", "--threads"}, {NULL}},
    {"bench", "env", {"--max-dof", "--trials", "--steps", "--threads"}, {"--tol", "--limit"}},
    {"convert", "ball:0.05:7", {NULL}, {"--scale"}},
#ifdef COND_SERVER
    {"view", "none.h5", {"--port"}, {NULL}},
    {"render",
     "none.h5",
     {"--frame", "--every", "--rate", "--samples"},
     {"--time", "--speed", "--arrows"}},
#endif
};

static void expect_refused(const Numbers* of, const char* option, const char* value)
{
    char message[64];
    snprintf(message, sizeof message, "%s %s: expected a", option, value);
    cli_expect(1, message, of->command, of->word, option, value);
}

static void test_numbers(void** state)
{
    (void)state;
    static const char* const no_whole[] = {"-1", "1.5", "nan", "99999999999999999999"};
    static const char* const no_number[] = {"nan", "inf", "1,5"};
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        for (int k = 0; commands[c].whole[k]; k++)
            for (size_t i = 0; i < sizeof no_whole / sizeof *no_whole; i++)
                expect_refused(&commands[c], commands[c].whole[k], no_whole[i]);
        for (int k = 0; commands[c].number[k]; k++)
            for (size_t i = 0; i < sizeof no_number / sizeof *no_number; i++)
                expect_refused(&commands[c], commands[c].number[k], no_number[i]);
    }
}

static void test_ranges(void** state)
{
    (void)state;
    cli_expect(1, "from 0 to 1024", "run", "box", "--threads", "100000");
    cli_expect(1, "from 0 to 1024", "env", "pusher", "--threads", "1025");
    cli_expect(1, "from 0 to 65535", "run", "box", "--view", "--port", "99999");
    cli_expect(1, "from 0 to 9", "run", "box", "--compress", "10");
    cli_expect(1, "a positive number", "run", "box", "--tol", "0");
    cli_expect(1, "a positive number", "run", "box", "--tol", "-1e-6");
    cli_expect(1, "from 1", "run", "box", "--every", "0");
    cli_expect(1, "from 1", "env", "pusher", "--envs", "0");
    cli_expect(1, "--stages 1,x", "bench", "convergence", "--quick", "--stages", "1,x");
    // A scene's own value meets the same end.
    cli_expect(2, "solver.threads", "run", "box", "--set", "solver.threads=100000");
    cli_expect(2, "solver.tolerance", "run", "box", "--set", "solver.tolerance=.nan");
}

// Packages of robots are found in the folders that an option names.
static void test_package_dir(void** state)
{
    (void)state;
    static const char robot[] =
        "<robot name='r'><link name='a'><collision><geometry><mesh filename='package://robots/"
        "bowl.STL' scale='0.001'/></geometry></collision></link></robot>";
    FILE* file = fopen("packed.urdf", "w");
    assert_non_null(file);
    fputs(robot, file);
    assert_int_equal(fclose(file), 0);
    file = fopen("packed.yaml", "w");
    assert_non_null(file);
    fputs("bodies: [{name: r, kind: robot, urdf: packed.urdf}]\n", file);
    assert_int_equal(fclose(file), 0);
    cli_expect(2, "--package-dir", "check", "packed.yaml");
    cli_expect(0, "", "check", "packed.yaml", "--package-dir", COND_TEST_DATA);
    cli_expect(0, "", "check", "--package-dir=nowhere", "--package-dir=" COND_TEST_DATA,
               "packed.yaml");
    cli_expect(1, "a folder is missing", "check", "packed.yaml", "--package-dir");
}

static void test_view(void** state)
{
    (void)state;
    static const char* const options[] = {"--csv",  "--sensors", "--record", "--dump",
                                          "--save", "--resume",  "--json"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cli_expect(1, "exclude each other", "run", "box", "--view", options[i], "x");
}

// What is named must be there, and nothing is named twice.
static void test_names(void** state)
{
    (void)state;
    cli_expect(1, "no row is named 'no such'", "paper", "box", "--steps", "2", "--rows", "no such");
    cli_expect(1, "none is named 'magic'", "bench", "convergence", "--quick", "--scenes", "box",
               "--solvers", "magic");
    cli_expect(1, "nothing was measured", "bench", "convergence", "--quick", "--scenes", "");
    cli_expect(2, "--check", "bench", "--quick", "--check", "no/such.json");
    cli_expect(1, "under one name", "run", "box", "--csv", "a", "--json", "a");
    cli_expect(1, "under one name", "run", "box", "--record", "a.h5", "--save", "a.h5");
}

// A path that is no UTF-8 does not spoil the JSON.
static void test_odd_path(void** state)
{
    (void)state;
    static const char path[] = "odd\xff.yaml";
    static const char* const commands[] = {"run", "check", "env"};
    remove(path);
    assert_int_equal(symlink(COND_SCENES "/box.yaml", path), 0);
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        const char* const words[] = {commands[k], path, "--json", "-", k == 1 ? NULL : "--steps",
                                     "1",         NULL};
        CliOutput output = cli_run_words(words);
        assert_int_equal(output.code, 0);
        json_t* value = cli_output_json(&output);
        assert_true(json_is_null(json_object_get(value, "scene")));
        json_decref(value);
        cli_output_free(&output);
    }
    remove(path);
}

static void test_dump(void** state)
{
    (void)state;
    static const char* const wrong[] = {
        "5:x.h5", "-1:x.h5", "2", "2:", ":x.h5", "x:2", "1.5:x.h5", "99999999999999999999:x.h5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cli_expect(1, "with a step from 0 to 4", "run", "box", "--steps", "5", "--dump", wrong[i]);
    cli_expect(0, "", "run", "box", "--steps", "5", "--dump", "4:x.h5");
    assert_int_equal(access("x.h5", F_OK), 0);
    remove("x.h5");
}

// Scenes that ship go by name, in folders too; a file of that name comes first.
static void test_scene_names(void** state)
{
    (void)state;
    cli_expect(0, "", "check", "tasks/lift_soft");
    cli_expect(0, "", "check", "drop");
    cli_expect(2, "nowhere/lift_soft: the file cannot be opened", "check", "nowhere/lift_soft");
    FILE* file = fopen("drop", "w");
    assert_non_null(file);
    fputs("name: mine\nbodies: [{kind: particle, mass: -1}]\n", file);
    fclose(file);
    cli_expect(2, "drop:2", "check", "drop");
    remove("drop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_view),    cmocka_unit_test(test_package_dir),
        cmocka_unit_test(test_names),   cmocka_unit_test(test_odd_path),
        cmocka_unit_test(test_dump),    cmocka_unit_test(test_scene_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
