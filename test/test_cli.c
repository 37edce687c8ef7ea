// The command line tool as a user meets it: exit codes, messages, JSON and files.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_run.h"
#ifdef COND_BASELINES
#include "cond/baselines.h"
#endif
#include "cond/cond.h"
#include "cone.h"
#include "dense.h"
#include "gfc.h"

static const char* const PROBLEMS[] = {"GFC3D_Example00", "LMGC_GFC3D-i00001-1-00000",
                                       "LMGC_GFC3D-i00501-4-00000"};
enum { N_PROBLEM = sizeof PROBLEMS / sizeof *PROBLEMS };
static const char EXAMPLE[] = COND_TEST_DATA "/fclib/LMGC_GFC3D-i00501-4-00000.hdf5";

// The tests run in a folder of their own, removed at the end with the files named here.
static char folder[] = "cli_XXXXXX";
static const char* const FILES[] = {"problem.hdf5", "cut.hdf5",   "out.hdf5", "out.json",
                                    "bad.yaml",     "half.state", "out.csv"};

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof FILES / sizeof *FILES; k++)
        remove(FILES[k]);
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static double number_of(const json_t* object, const char* key)
{
    json_t* value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("%s: no number", key);
    return json_number_value(value);
}

static const char* text_of(const json_t* object, const char* key)
{
    const char* text = json_string_value(json_object_get(object, key));
    if (!text)
        fail_msg("%s: no text", key);
    return text;
}

static double* numbers_of(const json_t* object, const char* key, int n)
{
    json_t* array = json_object_get(object, key);
    assert_int_equal((int)json_array_size(array), n);
    double* x = dense_zeros((size_t)n + 1);
    for (int i = 0; i < n; i++) {
        assert_true(json_is_number(json_array_get(array, (size_t)i)));
        x[i] = json_number_value(json_array_get(array, (size_t)i));
    }
    return x;
}

static void test_help(void** state)
{
    (void)state;
    static const char* const commands[] = {"run", "paper", "solve", "check"};
    CliOutput output = cli_run("--help");
    assert_int_equal(output.code, 0);
    assert_string_equal(output.err, "");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_non_null(strstr(output.out, commands[i]));
        CliOutput help = cli_run(commands[i], "--help");
        assert_int_equal(help.code, 0);
        assert_non_null(strstr(help.out, "usage: cond"));
        assert_string_equal(help.err, "");
        cli_output_free(&help);
    }
    cli_output_free(&output);
    output = cli_run("--version");
    assert_int_equal(output.code, 0);
    char first[64];
    snprintf(first, sizeof first, "cond %s\nbuilt with HDF5, ", cond_version());
    assert_int_equal(strncmp(output.out, first, strlen(first)), 0);
#ifdef COND_BASELINES
    assert_non_null(strstr(output.out, ", CHOLMOD, "));
    assert_non_null(strstr(output.out, "\nlicence GPL-3.0-or-later "));
#else
    assert_null(strstr(output.out, "CHOLMOD"));
    assert_non_null(strstr(output.out, "\nlicence Apache-2.0\n"));
#endif
    cli_output_free(&output);
}

static void test_usage(void** state)
{
    (void)state;
    const char* const nothing[] = {NULL};
    CliOutput output = cli_run_words(nothing);
    assert_int_equal(output.code, 1);
    assert_string_equal(output.out, "");
    cli_output_free(&output);
    cli_expect(1, "sing", "sing");
    cli_expect(1, "--loud", "run", "--loud");
    cli_expect(1, "--loud", "paper", "--loud");
    cli_expect(1, "--loud", "solve", EXAMPLE, "--loud");
    cli_expect(1, "--loud", "check", "box", "--loud");
    cli_expect(1, "no problem", "solve");
    cli_expect(1, "unexpected word", "solve", EXAMPLE, EXAMPLE);
    cli_expect(1, "needs a value", "solve", EXAMPLE, "--tol");
    cli_expect(1, "expected a positive number", "solve", EXAMPLE, "--tol", "small");
    cli_expect(1, "expected a positive number", "solve", EXAMPLE, "--tol", "0");
    cli_expect(1, "expected a positive number", "solve", EXAMPLE, "--tol", "nan");
    cli_expect(1, "--omega -1: expected", "solve", EXAMPLE, "--omega", "-1");
    cli_expect(1, "from 1", "solve", EXAMPLE, "--max-iterations", "0");
    cli_expect(1, "whole number", "solve", EXAMPLE, "--threads", "-1");
    cli_expect(1, "--certify", "solve", EXAMPLE, "--certify", "nan");
    cli_expect(1, "strict, proximal", "solve", EXAMPLE, "--law", "lenient");
    cli_expect(1, "default, paper", "solve", EXAMPLE, "--preset", "best");
    cli_expect(1, "triplet, columns, rows", "solve", EXAMPLE, "--layout", "heap");
    cli_expect(1, "frobenius, bb1", "solve", EXAMPLE, "--surrogate", "none");
    cli_expect(1, "none, chebyshev, anderson", "solve", EXAMPLE, "--accelerator", "bb1");
    cli_expect(1, "certificate, step", "solve", EXAMPLE, "--stop", "never");
    cli_expect(1, "strategy, ", "solve", EXAMPLE, "--solver", "magic");
    cli_expect(1, "anderson and newton need", "solve", EXAMPLE, "--surrogate", "bb1");
    cli_expect(1, "no scene", "check");
    cli_expect(1, "takes no other argument but --json", "check", "box", "--keys");
    cli_expect(1, "takes no value", "check", "--keys=1");
}

// The first `size` bytes of a file, as another file.
static void copy_start(const char* from, const char* to, size_t size)
{
    FILE* in = fopen(from, "rb");
    FILE* out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (int c; size-- > 0 && (c = fgetc(in)) != EOF;)
        fputc(c, out);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_bad_input(void** state)
{
    (void)state;
    cli_expect(2, "nowhere.hdf5", "solve", "nowhere.hdf5");
    cli_expect(2, COND_TEST_DATA, "solve", COND_TEST_DATA);
    static const size_t sizes[] = {0, 7, 100, 2000, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        copy_start(EXAMPLE, "cut.hdf5", sizes[i]);
        cli_expect(2, "cut.hdf5", "solve", "cut.hdf5");
    }
    cli_expect(2, "box.yaml", "solve", COND_SCENES "/box.yaml");
    cli_expect(2, "nowhere.yaml", "check", "nowhere.yaml");
    cli_expect(2, "nowhere", "check", "nowhere");
    cli_expect(2, COND_SCENES, "check", COND_SCENES);
    cli_expect(2, "hdf5", "check", EXAMPLE);
    write_text("bad.yaml", "bodies:\n  - {name: box, mas: 1}\n");
    cli_expect(2, "bad.yaml:2:", "check", "bad.yaml");
    write_text("bad.yaml", "bodies:\n  - {name: box, mass: -1}\n");
    cli_expect(2, "bad.yaml:2:", "check", "bad.yaml");
    write_text("bad.yaml", "bodies: [");
    cli_expect(2, "bad.yaml", "check", "bad.yaml");
}

static void test_unwritable(void** state)
{
    (void)state;
    cli_expect(2, "none/out.json", "solve", EXAMPLE, "--json", "none/out.json");
    cli_expect(2, "none/out.hdf5", "solve", EXAMPLE, "--write", "none/out.hdf5");
    cli_expect(2, "none/out.json", "check", COND_SCENES "/box.yaml", "--json", "none/out.json");
}

// A problem of test/data/fclib with its reference answers.
typedef struct Sample {
    char path[512];
    Gfc gfc;
    CondProblemFile* file;
    const CondProblem* problem;
    double* q; // Jc A^-1 b + phi                                      (3 n_contact)
} Sample;

static void sample_make(const char* name, Sample* s)
{
    CondError error = {0};
    snprintf(s->path, sizeof s->path, "%s/fclib/%s.gfc", COND_TEST_DATA, name);
    assert_true(gfc_read(s->path, &s->gfc));
    s->file = gfc_problem(&s->gfc);
    assert_non_null(s->file);
    s->problem = cond_problem_file_problem(s->file);
    snprintf(s->path, sizeof s->path, "%s/fclib/%s.hdf5", COND_TEST_DATA, name);
    if (access(s->path, F_OK) != 0) {
        snprintf(s->path, sizeof s->path, "problem.hdf5");
        if (cond_fclib_write(NULL, s->path, s->problem, COND_FCLIB_TRIPLET, name, NULL, NULL,
                             &error))
            fail_msg("%s", error.message);
    }
    int n = s->problem->n_dof;
    double* A = dense_zeros((size_t)n * (size_t)n);
    double* v = dense_zeros((size_t)n);
    s->q = dense_zeros(3 * (size_t)s->problem->n_contact);
    dense_problem_matrix(s->problem, A);
    assert_true(dense_cholesky(n, A));
    memcpy(v, s->problem->b, (size_t)n * sizeof *v);
    dense_cholesky_solve(n, A, v);
    for (int c = 0; c < s->problem->n_contact; c++)
        cond_contact_velocity(&s->problem->contact[c], v, s->q + 3 * c);
    free(A);
    free(v);
}

static void sample_free(Sample* s)
{
    cond_problem_file_destroy(s->file);
    gfc_free(&s->gfc);
    free(s->q);
}

// |r - P(r - u_hat)| / |q|, u_hat = u + omega r + mu |u_T| n (the last term for the strict law).
static double natural_error(const Sample* s, int strict, double omega, const double* u,
                            const double* r)
{
    double sum = 0.0;
    for (int c = 0; c < s->problem->n_contact; c++) {
        double mu = s->gfc.mu[c], trial[3], nearest[3], u_hat[3];
        for (int i = 0; i < 3; i++)
            u_hat[i] = u[3 * c + i] + omega * r[3 * c + i];
        if (strict)
            u_hat[0] += mu * hypot(u_hat[1], u_hat[2]);
        for (int i = 0; i < 3; i++)
            trial[i] = r[3 * c + i] - u_hat[i];
        cone_nearest((double[2]){mu, mu}, trial, nearest);
        for (int i = 0; i < 3; i++)
            sum += (r[3 * c + i] - nearest[i]) * (r[3 * c + i] - nearest[i]);
    }
    return sqrt(sum) / dense_norm(3 * s->problem->n_contact, s->q);
}

// The only result of a JSON document, and what every document must say about its problem.
static json_t* single_result(const json_t* root, const Sample* s, const char* law)
{
    json_t* results = json_object_get(root, "results");
    assert_string_equal(text_of(root, "problem"), s->path);
    assert_string_equal(text_of(root, "law"), law);
    assert_int_equal((int)number_of(root, "dof"), s->problem->n_dof);
    assert_int_equal((int)number_of(root, "contacts"), s->problem->n_contact);
    assert_string_equal(text_of(json_object_get(root, "settings"), "law"), law);
    assert_int_equal((int)json_array_size(results), 1);
    return json_array_get(results, 0);
}

static void check_certificate(const json_t* result, double tolerance)
{
    static const char* const parts[] = {
        "dynamics", "contact",         "contact_speed", "velocity_scale", "penetration",  "pull",
        "cone",     "complementarity", "angle",         "coupling_slip",  "worst_contact"};
    json_t* certificate = json_object_get(result, "certificate");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        number_of(certificate, parts[i]);
    assert_true(number_of(certificate, "dynamics") <= tolerance);
    assert_true(number_of(certificate, "contact") <= tolerance);
    assert_true(number_of(certificate, "dynamics") == number_of(result, "dynamics_residual"));
}

// Solves a sample and holds the document against the references; u_expected may be NULL.
static void check_solve(const Sample* s, const char* law, const char* omega,
                        const double* u_expected)
{
    int n = 3 * s->problem->n_contact;
    CliOutput output =
        cli_run("solve", s->path, "--law", law, "--omega", omega, "--tol", "1e-9", "--json", "-",
                "--solver", "vfpi", "--accelerator", "primal-dual"); // their names in 0.1
    if (output.code != 0)
        fail_msg("%s: %s", s->path, output.err);
    json_t* root = cli_output_json(&output);
    json_t* result = single_result(root, s, law);
    assert_string_equal(text_of(result, "status"), "ok");
    assert_string_equal(text_of(result, "solver"), "strategy");
    assert_true(number_of(result, "iterations") + number_of(result, "passes") >= 1);
    assert_true(number_of(result, "products") >= 1 && number_of(result, "restarts") >= 0);
    assert_true(number_of(result, "seconds") >= 0.0);
    check_certificate(result, 1e-9);
    assert_true(number_of(result, "dynamics_residual") <= 1e-8);
    assert_true(number_of(result, "contact_residual") <= 1e-8);
    double* u = numbers_of(result, "u", n);
    double* v = numbers_of(result, "v", s->problem->n_dof);
    double* lambda = numbers_of(result, "lambda", n);
    double error = natural_error(s, strcmp(law, "strict") == 0, atof(omega), u, lambda);
    assert_true(fabs(number_of(result, "contact_residual") - error) <= 1e-3 * error + 1e-14);
    for (int c = 0; c < s->problem->n_contact; c++) {
        double at[3];
        cond_contact_velocity(&s->problem->contact[c], v, at);
        assert_true(dense_distance(3, at, u + 3 * c) <= 1e-12 * dense_largest(n, s->q));
    }
    for (int k = 0; u_expected && k < n; k++)
        assert_true(fabs(u[k] - u_expected[k]) <= 1e-6 * dense_largest(n, s->q));
    free(u);
    free(v);
    free(lambda);
    json_decref(root);
    cli_output_free(&output);
}

static void test_solve_strict(void** state)
{
    (void)state;
    for (int k = 0; k < N_PROBLEM; k++) {
        Sample s = {0};
        sample_make(PROBLEMS[k], &s);
        assert_non_null(s.gfc.u_ref);
        check_solve(&s, "strict", "0", s.gfc.u_ref);
        sample_free(&s);
    }
}

static void test_solve_proximal(void** state)
{
    (void)state;
    int compared = 0;
    for (int k = 0; k < N_PROBLEM; k++) {
        Sample s = {0};
        sample_make(PROBLEMS[k], &s);
        compared += s.gfc.u_ccp != NULL;
        check_solve(&s, "proximal", "0", s.gfc.u_ccp);
        sample_free(&s);
    }
    assert_int_equal(compared, N_PROBLEM);
}

// The regularised law has no reference answers; its residual is checked all the same.
static void test_solve_omega(void** state)
{
    (void)state;
    Sample s = {0};
    sample_make(PROBLEMS[2], &s);
    check_solve(&s, "strict", "0.1", NULL);
    check_solve(&s, "proximal", "0.1", NULL);
    sample_free(&s);
}

static void test_solve_table(void** state)
{
    (void)state;
    CliOutput output = cli_run("solve", EXAMPLE);
    assert_int_equal(output.code, 0);
    assert_string_equal(output.out, "");
    assert_non_null(strstr(output.err, "coordinates: 162, contacts: 4"));
    assert_non_null(strstr(output.err, "strategy         ok"));
    cli_output_free(&output);
}

// A missed tolerance is never a success, whichever stop test was asked for.
static void test_tolerance(void** state)
{
    (void)state;
    cli_expect(3, "not converged", "solve", EXAMPLE, "--tol", "1e-300", "--max-iterations", "5");
    cli_expect(3, "warning", "solve", EXAMPLE, "--preset", "paper");
    cli_expect(3, "warning", "solve", EXAMPLE, "--stop", "step", "--tol", "1");
    cli_expect(0, "ok", "solve", EXAMPLE, "--stop", "step", "--tol", "1", "--certify", "1e9");
    cli_expect(0, "ok", "solve", EXAMPLE, "--preset", "paper", "--stop", "certificate", "--tol",
               "1e-6");
}

static void test_solve_settings(void** state)
{
    (void)state;
    CliOutput output = cli_run("solve", EXAMPLE, "--tol=1e-6", "--preset", "paper",
                               "--stop=certificate", "--accelerator", "none", "--max-iterations",
                               "30000", "--threads", "1", "--solver", "all", "--json=-");
    json_t* root = cli_output_json(&output);
    json_t* settings = json_object_get(root, "settings");
    assert_string_equal(text_of(settings, "preset"), "paper");
    assert_string_equal(text_of(settings, "surrogate"), "frobenius");
    assert_string_equal(text_of(settings, "accelerator"), "none");
    assert_string_equal(text_of(settings, "stop"), "certificate");
    assert_true(number_of(settings, "tolerance") == 1e-6);
    assert_int_equal((int)number_of(settings, "max_iterations"), 30000);
    assert_int_equal((int)number_of(settings, "threads"), 1);
    int n_solver = 0;
    while (cond_solver_name(n_solver))
        n_solver++;
#ifdef COND_BASELINES
    for (int i = 0; cond_baseline_name(i); i++)
        n_solver++;
#endif
    assert_int_equal((int)json_array_size(json_object_get(root, "results")), n_solver);
    json_decref(root);
    cli_output_free(&output);
}

// A vector of the solution group is the one of the JSON document.
static void check_solution(hid_t file, const char* dataset, const json_t* result, const char* key,
                           int n)
{
    double* expected = numbers_of(result, key, n);
    double* x = dense_zeros((size_t)n);
    hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
    assert_true(id >= 0);
    hid_t space = H5Dget_space(id);
    assert_int_equal((int)H5Sget_simple_extent_npoints(space), n);
    assert_true(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    assert_true(dense_distance(n, x, expected) <= 1e-14 * dense_norm(n, expected));
    H5Sclose(space);
    H5Dclose(id);
    free(expected);
    free(x);
}

static void test_solve_write(void** state)
{
    (void)state;
    static const char* const layouts[] = {"triplet", "columns", "rows"};
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        cli_expect(0, "ok", "solve", EXAMPLE, "--write", "out.hdf5", "--layout", layouts[k],
                   "--json", "out.json");
        json_error_t error;
        json_t* root = json_load_file("out.json", 0, &error);
        assert_non_null(root);
        json_t* result = json_array_get(json_object_get(root, "results"), 0);
        hid_t written = H5Fopen("out.hdf5", H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(written >= 0);
        check_solution(written, "/solution/v", result, "v", 162);
        check_solution(written, "/solution/u", result, "u", 12);
        check_solution(written, "/solution/r", result, "lambda", 12);
        H5Fclose(written);
        json_decref(root);
        CondProblemFile* file = NULL;
        assert_int_equal(cond_fclib_read(NULL, "out.hdf5", &file, NULL), COND_OK);
        assert_int_equal(cond_problem_file_problem(file)->n_dof, 162);
        assert_int_equal(cond_problem_file_problem(file)->n_contact, 4);
        assert_string_equal(cond_problem_file_title(file), "LMGC dump in hdf5");
        cond_problem_file_destroy(file);
        cli_expect(0, "ok", "solve", "out.hdf5");
    }
}

static void test_check_scenes(void** state)
{
    (void)state;
    glob_t scenes;
    assert_int_equal(glob(COND_SCENES "/*.yaml", 0, NULL, &scenes), 0);
    for (size_t i = 0; i < scenes.gl_pathc; i++) {
        CliOutput output = cli_run("check", scenes.gl_pathv[i]);
        if (output.code != 0)
            fail_msg("%s", output.err);
        assert_string_equal(output.err, "");
        assert_non_null(strstr(output.out, "fine"));
        cli_output_free(&output);
        output = cli_run("check", scenes.gl_pathv[i], "--json", "-");
        assert_int_equal(output.code, 0);
        json_t* root = cli_output_json(&output);
        assert_string_equal(text_of(root, "scene"), scenes.gl_pathv[i]);
        // The library of materials is a scene too, but an empty one.
        if (!strstr(scenes.gl_pathv[i], "/materials.yaml"))
            assert_true(number_of(root, "bodies") >= 1 && number_of(root, "dof") >= 2);
        json_decref(root);
        cli_output_free(&output);
    }
    globfree(&scenes);
}

static void test_check_set(void** state)
{
    (void)state;
    static const char scene[] = COND_SCENES "/box.yaml";
    CliOutput output = cli_run("check", scene, "--set", "step.time_step=0.002", "--set",
                               "solver.tolerance=1e-5", "--json", "-");
    assert_int_equal(output.code, 0);
    json_t* root = cli_output_json(&output);
    assert_true(number_of(json_object_get(root, "step"), "time_step") == 0.002);
    assert_true(number_of(json_object_get(root, "settings"), "tolerance") == 1e-5);
    assert_int_equal((int)number_of(root, "contacts"), 4);
    json_decref(root);
    cli_output_free(&output);
    cli_expect(2, "stepp.time_step", "check", scene, "--set", "stepp.time_step=0.002");
    cli_expect(2, "path=value", "check", scene, "--set", "step");
    cli_expect(2, "time_step", "check", scene, "--set", "step.time_step=-1");
    cli_expect(2, "bodies.ball", "check", scene, "--set", "bodies.ball.mass=1");
    cli_expect(1, "needs a value", "check", scene, "--set");
}

// Scenes that ship with the tool go by their short names.
static void test_check_short_name(void** state)
{
    (void)state;
    CliOutput output = cli_run("check", "box");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.out, "box.yaml: fine"));
    cli_output_free(&output);
}

static void test_check_keys(void** state)
{
    (void)state;
    CliOutput output = cli_run("check", "--keys");
    assert_int_equal(output.code, 0);
    assert_int_equal(strncmp(output.out, "### top level\n\n| key |", 22), 0);
    assert_non_null(strstr(output.out, "\n\n### `bodies.shape`\n\n| key |"));
    assert_non_null(strstr(output.out, "| `time_step` | number > 0 | s | 0.01 |"));
    cli_output_free(&output);
}

// A run in two parts ends with the same bits as one in one part.
static void test_save_and_resume(void** state)
{
    (void)state;
    char hash[2][32];
    cli_expect(0, "", "run", "push", "--steps", "33", "--save", "half.state", "--quiet");
    for (int resumed = 0; resumed < 2; resumed++) {
        CliOutput output = resumed ? cli_run("run", "push", "--json", "-", "--resume", "half.state")
                                   : cli_run("run", "push", "--json", "-");
        assert_int_equal(output.code, 0);
        json_t* summary = cli_output_json(&output);
        snprintf(hash[resumed], sizeof hash[resumed], "%s", text_of(summary, "hash"));
        json_decref(summary);
        cli_output_free(&output);
    }
    assert_string_equal(hash[0], hash[1]);
    cli_expect(2, "another scene", "run", "drop", "--resume", "half.state");
    cli_expect(2, "cannot be opened", "run", "push", "--resume", "no.state");
    cli_expect(2, "cannot be written", "run", "push", "--steps", "1", "--save", "no/such.state");
    cli_expect(1, "--save-every needs", "run", "push", "--save-every", "5");
}

// What overlaps at the start is named, by check and by run, and pushed apart where that is asked
// for.
static void test_overlap(void** state)
{
    (void)state;
    write_text("in.yaml", "planes: [{name: ground}]\nbodies: [{name: cube, mass: 1, shape: {box: "
                          "[0.2, 0.2, 0.2]}, position: [0, 0, -0.4]}]\n");
    CliOutput output = cli_run("check", "in.yaml", "--json", "-");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.err, "cube in ground, 0.5 m deep"));
    json_t* check = cli_output_json(&output);
    const json_t* overlap = json_array_get(json_object_get(check, "overlaps"), 0);
    assert_string_equal(text_of(overlap, "other"), "ground");
    json_decref(check);
    cli_output_free(&output);
    cli_expect(0, "1 pair overlaps at the start", "run", "in.yaml", "--steps", "1");
    cli_expect(0, "settled in", "run", "in.yaml", "--steps", "1", "--settle");
    cli_expect(0, "cube moved by 0.5 m", "run", "in.yaml", "--steps", "1", "--settle");
}

// What was mended in a robot's file is said once, however many bodies are made from it; where it
// cannot be mended, every fault has its line.
static void test_robot_files(void** state)
{
    (void)state;
    write_text("two.yaml", "bodies:\n  - {name: a, kind: robot, urdf: turn.urdf}\n"
                           "  - {name: b, kind: robot, urdf: turn.urdf, position: [1, 0, 0]}\n");
    write_text("turn.urdf",
               "<robot name='r'>\n<link name='base'/>\n<link name='arm'><inertial><mass value='1'/>"
               "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"
               "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/></joint>\n"
               "</robot>\n");
    CliOutput output = cli_run("check", "two.yaml", "--json", "-");
    assert_int_equal(output.code, 0);
    json_t* check = cli_output_json(&output);
    const json_t* warnings = json_object_get(check, "warnings");
    assert_int_equal((int)json_array_size(warnings), 1);
    assert_string_equal(json_string_value(json_array_get(warnings, 0)),
                        "turn.urdf:4: joint 'j': <limit> is missing: nothing limits it");
    json_decref(check);
    cli_output_free(&output);
    cli_expect(0, "warning: turn.urdf:4: joint 'j'", "run", "two.yaml", "--steps", "1");
    write_text("turn.urdf", "<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n"
                            "<joint name='j' type='odd'><parent link='b'/><child link='a'/>"
                            "</joint>\n</robot>\n");
    cli_expect(2,
               "turn.urdf:3: there are two links named 'a'\nturn.urdf:4: joint 'j': there is no "
               "link 'b'",
               "check", "two.yaml");
}

// The table of the sensors has a row per step; the summary tells the last one, and the pairs.
static void test_run_sensors(void** state)
{
    (void)state;
    CliOutput output = cli_run("run", COND_SCENES "/forces.yaml", "--steps", "20", "--threads", "1",
                               "--sensors", "out.csv", "--json", "-");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.err, "sensor        top: force ("));
    json_t* root = cli_output_json(&output);
    json_t* sensors = json_object_get(root, "sensors");
    assert_int_equal((int)json_array_size(sensors), 3);
    const json_t* top = json_array_get(sensors, 2);
    assert_string_equal(text_of(top, "name"), "top");
    double* force = numbers_of(top, "force", 3);
    assert_true(fabs(force[2] + 0.5 * 9.81) < 1e-6 && number_of(top, "contacts") == 4);
    json_t* pairs = json_object_get(root, "pairs");
    assert_int_equal((int)json_array_size(pairs), 2); // load and stand, stand and floor
    FILE* file = fopen("out.csv", "r");
    char line[4096], last[4096] = "";
    int n = 0;
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); n++)
        strcpy(last, line);
    fclose(file);
    assert_int_equal(n, 21);
    int n_comma = 0;
    for (const char* c = last; *c; c++)
        n_comma += *c == ',';
    assert_int_equal(n_comma, 27); // nine numbers a sensor, empty where there is no centre
    free(force);
    json_decref(root);
    cli_output_free(&output);
}

// The layout is printed, and nothing is stepped.
static void test_env_layout(void** state)
{
    (void)state;
    CliOutput output = cli_run("env", "pusher", "--layout");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.out, "hand.position"));
    assert_null(strstr(output.err, "environment-steps"));
    cli_output_free(&output);
    cli_expect(2, "nowhere", "env", "nowhere.yaml", "--layout");
}

// Boxes around bodies and meshes, and the order of joints.
static void test_outlines(void** state)
{
    (void)state;
    CliOutput output = cli_run("check", "forces", "--json", "-");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.err, "stand from (0.4, -0.1, 0) to (0.6, 0.1, 0.2) m"));
    assert_non_null(strstr(output.err, "arm: 0 panda_joint1, 1 panda_joint2"));
    json_t* root = cli_output_json(&output);
    json_t* high = json_object_get(json_array_get(json_object_get(root, "boxes"), 2), "high");
    assert_true(fabs(json_number_value(json_array_get(high, 2)) - 0.2) < 1e-12);
    json_t* joints = json_object_get(json_object_get(root, "joints"), "arm");
    assert_string_equal(json_string_value(json_array_get(joints, 1)), "panda_joint2");
    json_decref(root);
    cli_output_free(&output);
    output = cli_run("convert", "box:1,1,1:2,4,6");
    assert_non_null(strstr(output.out, "box       from (-1, -2, -3) to (1, 2, 3) m"));
    cli_output_free(&output);
}

// What is found wrong when a scene is compiled has its file and line as well.
static void test_compile_lines(void** state)
{
    (void)state;
    FILE* file = fopen("lines.yaml", "w");
    assert_non_null(file);
    fputs("materials: [{name: r, density: 1, youngs_modulus: 1, poisson_ratio: 0}]\n"
          "bodies: [{name: bar, kind: soft, mesh: \"box:1,1,1:1,1,1\", material: r}]\n"
          "patches:\n"
          "  - {name: all, body: bar, low: [-1, -1, -1], high: [1, 1, 1]}\n"
          "  - {name: none, body: bar, low: [5, -1, -1], high: [6, 1, 1]}\n",
          file);
    fclose(file);
    static const char* const commands[] = {"check", "run"};
    for (int k = 0; k < 2; k++)
        cli_expect(2, "lines.yaml:5: patch none: its box holds 0 nodes", commands[k], "lines.yaml");
    remove("lines.yaml");
}

// Environments have the same hash on one and on two threads; a benchmark has its rows.
static void test_env_and_bench(void** state)
{
    (void)state;
    char hash[2][32];
    for (int k = 0; k < 2; k++) {
        CliOutput output = cli_run("env", "pusher", "--envs", "6", "--steps", "10", "--threads",
                                   k ? "2" : "1", "--json", "-");
        assert_int_equal(output.code, 0);
        assert_non_null(strstr(output.err, "environment-steps a second"));
        json_t* tally = cli_output_json(&output);
        snprintf(hash[k], sizeof hash[k], "%s", text_of(tally, "hash"));
        assert_true(number_of(tally, "environment_steps") == 60.0);
        json_decref(tally);
        cli_output_free(&output);
    }
    assert_string_equal(hash[0], hash[1]);
    cli_expect(1, "name a scene", "env");
    cli_expect(1, "not one of random, still", "env", "pusher", "--actions", "wild");
    cli_expect(2, "nowhere.yaml", "env", "nowhere.yaml");
    CliOutput output = cli_run("bench", "env", "--quick", "--threads", "1", "--json", "-");
    assert_int_equal(output.code, 0);
    json_t* result = cli_output_json(&output);
    assert_string_equal(text_of(result, "benchmark"), "env");
    const json_t* row = json_array_get(json_object_get(result, "rows"), 0);
    assert_true(number_of(row, "steps_per_second") > 0.0);
    json_decref(result);
    cli_output_free(&output);
    cli_expect(1, "no benchmark is named 'x'", "bench", "x");
}

// Both errors are printed, each under its name, and the one beside the tolerance is the one that is
// held against it.
static void test_solve_prints_both(void** state)
{
    (void)state;
    CliOutput output = cli_run("solve", EXAMPLE, "--tol", "1e-6", "--json", "-");
    json_t* result = cli_output_json(&output);
    const json_t* answer = json_array_get(json_object_get(result, "results"), 0);
    const json_t* certificate = json_object_get(answer, "certificate");
    double residual = fmax(number_of(certificate, "dynamics"), number_of(certificate, "contact"));
    char both[64];
    snprintf(both, sizeof both, "%11.2e | %11.2e\n", residual,
             number_of(answer, "contact_residual"));
    assert_non_null(strstr(output.err, both));
    assert_non_null(strstr(output.err, "certificate, at most 1e-06"));
    assert_non_null(strstr(output.err, "natural map"));
    json_decref(result);
    cli_output_free(&output);
    output = cli_run("solve", EXAMPLE, "--preset", "paper", "--certify", "1e-3");
    assert_non_null(strstr(output.err, "certificate, at most 0.001"));
    cli_output_free(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),          cmocka_unit_test(test_usage),
        cmocka_unit_test(test_bad_input),     cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_solve_strict),  cmocka_unit_test(test_solve_proximal),
        cmocka_unit_test(test_solve_omega),   cmocka_unit_test(test_solve_table),
        cmocka_unit_test(test_tolerance),     cmocka_unit_test(test_solve_settings),
        cmocka_unit_test(test_solve_write),   cmocka_unit_test(test_check_scenes),
        cmocka_unit_test(test_check_set),     cmocka_unit_test(test_check_short_name),
        cmocka_unit_test(test_check_keys),    cmocka_unit_test(test_save_and_resume),
        cmocka_unit_test(test_overlap),       cmocka_unit_test(test_robot_files),
        cmocka_unit_test(test_env_layout),    cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_compile_lines), cmocka_unit_test(test_env_and_bench),
        cmocka_unit_test(test_run_sensors),   cmocka_unit_test(test_solve_prints_both),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
