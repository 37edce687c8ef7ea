// Files that are written: whole or as they were, through links and into devices, and with finite
// numbers only.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli_run.h"
#include "cond/fclib.h"
#include "cond/mesh.h"
#include "cond/record.h"
#include "failing_allocator.h"
#include "model/state.h"
#include "random_problem.h"
#include "record_make.h"
#include "scene_make.h"

static char folder[] = "files_XXXXXX";

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

// Fails when a test left a file behind, a temporary one say.
static int leave_folder(void** state)
{
    (void)state;
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char* path, const char* text)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static char* get(const char* path)
{
    static char text[1 << 16];
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static int is_link(const char* path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

static int count_files(void)
{
    int n = 0;
    DIR* entries = opendir(".");
    assert_non_null(entries);
    for (struct dirent* e; (e = readdir(entries));)
        n += e->d_name[0] != '.';
    closedir(entries);
    return n;
}

static CondStatus replace(const char* path, const char* text, CondError* error)
{
    const CondFilePart part[2] = {{text, strlen(text)}, {"!", 1}};
    return cond_file_replace(NULL, path, 2, part, error);
}

static void test_replace(void** state)
{
    (void)state;
    CondError error;
    struct stat about;
    assert_int_equal(replace("a", "one", &error), COND_OK);
    assert_string_equal(get("a"), "one!");
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(replace("a", "two", &error), COND_OK);
    assert_string_equal(get("a"), "two!");
    assert_int_equal(stat("a", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(replace("no/such/folder", "x", &error), COND_NO_FILE);
    assert_non_null(strstr(error.message, "no/such/folder: cannot be written"));
    assert_int_equal(replace(".", "x", &error), COND_NO_FILE);
    // A name that is taken by someone else's unfinished file is left alone.
    put("a.part0", "mine");
    assert_int_equal(replace("a", "three", &error), COND_OK);
    assert_string_equal(get("a.part0"), "mine");
    assert_int_equal(count_files(), 2);
    remove("a.part0");
    remove("a");
}

static void test_links_and_devices(void** state)
{
    (void)state;
    CondError error;
    struct stat about;
    put("target", "old");
    assert_int_equal(symlink("target", "near"), 0);
    assert_int_equal(symlink("near", "far"), 0);
    assert_int_equal(replace("far", "new", &error), COND_OK);
    assert_true(is_link("far") && is_link("near") && !is_link("target"));
    assert_string_equal(get("target"), "new!");
    remove("target");
    assert_int_equal(replace("far", "again", &error), COND_OK); // a link to what is not there yet
    assert_true(is_link("far") && is_link("near"));
    assert_string_equal(get("target"), "again!");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(replace("loop", "x", &error), COND_NO_FILE);
    assert_int_equal(symlink("/dev/null", "nothing"), 0);
    assert_int_equal(replace("nothing", "x", &error), COND_OK);
    assert_int_equal(replace("/dev/null", "x", &error), COND_OK);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode) && is_link("nothing"));
    assert_int_equal(replace("/dev/full", "x", &error), COND_NO_FILE);
    assert_non_null(strstr(error.message, "No space left"));
    static const char* const made[] = {"target", "near", "far", "loop", "nothing"};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        remove(made[k]);
}

static void test_full_disk(void** state)
{
    (void)state;
    CondError error;
    CondMesh* mesh;
    CondMeshReport report;
    assert_int_equal(cond_mesh_make(NULL, "ball:0.05:4", &mesh, &error), COND_OK);
    put("ball.msh", "old");
    put("text", "old");
    limit_files(2);
    CondStatus small = replace("text", "new", &error);
    limit_files(1000);
    CondStatus status = cond_mesh_write(NULL, "ball.msh", mesh, NULL, &error);
    limit_files(-1);
    assert_int_equal(small, COND_NO_FILE);
    assert_int_equal(status, COND_NO_FILE);
    assert_non_null(strstr(error.message, "ball.msh: could not be written to its end"));
    assert_string_equal(get("ball.msh"), "old");
    assert_string_equal(get("text"), "old");
    assert_int_equal(count_files(), 2);
    cond_mesh_destroy(mesh);
    assert_int_equal(cond_mesh_read(NULL, "ball.msh", &mesh, &report, &error), COND_BAD_INPUT);
    remove("ball.msh");
    remove("text");
}

static void test_memory(void** state)
{
    (void)state;
    put("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    for (long fail = 1;; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        CondContext context = failing_allocator_context(&allocator);
        const CondFilePart part = {"new", 3};
        CondStatus status = cond_file_replace(&context, "link", 1, &part, NULL);
        assert_int_equal(allocator.live, 0);
        assert_int_equal(count_files(), 2);
        if (!status) {
            assert_true(fail > 3);
            break;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_string_equal(get("target"), "old");
    }
    assert_string_equal(get("target"), "new");
    remove("target");
    remove("link");
}

// Numbers that are not finite end nowhere.
static void test_finite(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondRecord* record;
    CondError error;
    trial_step(&trial, 1);
    assert_int_equal(cond_record_open(NULL, "r.h5", trial.model, NULL, &record, &error), COND_OK);
    assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, &error),
                     COND_OK);
    static const double wrong[] = {NAN, INFINITY, 1e300};
    for (int k = 0; k < 3; k++) {
        double* v = &trial.state->v[trial.model->body[BOX].dof_begin];
        double was = *v;
        *v = wrong[k];
        assert_int_equal(cond_record_frame(record, NULL, trial.state, NULL, &error), COND_DIVERGED);
        assert_non_null(strstr(error.message, k < 2 ? "body box" : "velocity of point"));
        CondStatus saved = cond_state_write(trial.model, trial.state, "s.state", &error);
        assert_int_equal(saved, k < 2 ? COND_DIVERGED : COND_OK);
        *v = was;
    }
    assert_int_equal(cond_record_n_frame(record), 1);
    cond_record_close(record);
    remove("r.h5");
    remove("s.state");
    trial_end(&trial);
}

static void test_surface(void** state)
{
    (void)state;
    static const char* const scale[] = {"1e200", "1e-200", "1e30"};
    CondMeshReport report;
    CondMesh* mesh;
    CondError error;
    cli_expect(2, "node 0 is at", "convert", "ball:1:3", "a.stl", "--surface", "--scale", "1e60");
    assert_int_equal(count_files(), 0);
    for (int k = 0; k < 3; k++) {
        cli_expect(0, "", "convert", "ball:1:3", "a.stl", "--surface", "--scale", scale[k],
                   "--format", "ascii");
        assert_null(strstr(get("a.stl"), "inf"));
        assert_null(strstr(get("a.stl"), "nan"));
        assert_null(strstr(get("a.stl"), "normal 0 0 0"));
    }
    assert_int_equal(cond_mesh_read(NULL, "a.stl", &mesh, &report, &error), COND_OK);
    cond_mesh_destroy(mesh);
    remove("a.stl");
}

static void test_solution(void** state)
{
    (void)state;
    RandomProblem made;
    CondError error;
    RandomOptions options = random_options_default(3);
    options.anisotropic = 0;
    random_problem_make(&options, &made);
    double* v = calloc((size_t)made.problem.n_dof, sizeof *v);
    v[0] = NAN;
    assert_int_equal(
        cond_fclib_write(NULL, "p.h5", &made.problem, COND_FCLIB_ROWS, "", v, NULL, &error),
        COND_BAD_ARGUMENT);
    assert_int_equal(count_files(), 0);
    free(v);
    random_problem_free(&made);
}

static const char odd_scene[] = "bodies:\n"
                                "  - {name: 'a,b\"c', kind: particle, mass: 1.0, "
                                "position: [0, 0, 1]}\n";

static void test_tables(void** state)
{
    (void)state;
    put("odd.yaml", odd_scene);
    CliOutput run = cli_run("run", "odd.yaml", "--steps", "2", "--csv", "-", "--quiet");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "time,\"a,b\"\"c.x\",\"a,b\"\"c.y\""));
    int lines = 0;
    for (const char* c = run.out; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 3);
    cli_output_free(&run);
    cli_expect(1, "standard output", "run", "odd.yaml", "--csv", "-", "--json", "-");
    assert_int_equal(count_files(), 1); // none is named "-"
    remove("odd.yaml");
}

static void test_tool_writes_through(void** state)
{
    (void)state;
    struct stat about;
    static const char scene[] = COND_SCENES "/push.yaml";
    assert_int_equal(symlink("real", "link"), 0);
    static const char* const option[] = {"--save", "--json"};
    for (int k = 0; k < 2; k++) {
        cli_expect(0, "", "run", scene, "--steps", "2", option[k], "link");
        assert_true(is_link("link"));
        remove("real");
        cli_expect(0, "", "run", scene, "--steps", "2", option[k], "/dev/null");
    }
    cli_expect(0, "", "run", scene, "--steps", "2", "--dump", "1:link");
    assert_true(is_link("link"));
    remove("real");
    cli_expect(0, "", "run", scene, "--steps", "2", "--dump", "1:/dev/null");
    assert_int_equal(symlink("/dev/null", "null.h5"), 0);
    cli_expect(2, "a recording is a regular file", "run", scene, "--steps", "2", "--record",
               "null.h5");
    remove("null.h5");
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    cli_expect(2, "No space left", "run", scene, "--steps", "2", "--save", "/dev/full");
    remove("link");
    assert_int_equal(count_files(), 0);
}

// The name of a folder is never a command of gnuplot's.
static void test_folder_with_quotes(void** state)
{
    (void)state;
    static const char name[] = "it's'; system 'touch hacked'; x='";
    static const char* const made[] = {"box.csv",      "box.md",    "box.svg",
                                       "box_path.svg", "report.md", "report.html"};
    cli_expect(0, "", "paper", "box", "--out", name);
    assert_int_equal(access("hacked", F_OK), -1);
    char path[128];
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
        snprintf(path, sizeof path, "%s/%s", name, made[k]);
        remove(path);
    }
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(count_files(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_links_and_devices),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_finite),
        cmocka_unit_test(test_surface),
        cmocka_unit_test(test_solution),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_tool_writes_through),
        cmocka_unit_test(test_folder_with_quotes),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
