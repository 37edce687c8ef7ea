// cond sweep on the processes of this machine: entries, tables, what fails, what hangs, and going
// on. What happens when parts of it are killed is tried by sweep_kills.py.
#define _XOPEN_SOURCE 700
#include "cli_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int remove_one(const char* path, const struct stat* about, int kind, struct FTW* walk)
{
    (void)about;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void remove_tree(const char* path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// A cube that is pushed, with a mass that no body can have among the others.
static int prepare(void** unused)
{
    (void)unused;
    static const char* const folders[] = {"a.sweep", "b.sweep", "c.sweep", "d.sweep"};
    for (int k = 0; k < 4; k++)
        remove_tree(folders[k]);
    put("cube.yaml", "name: cube\nstep: {time_step: 0.01, duration: 0.2}\n"
                     "planes: [{name: floor, friction: 0.2}]\n"
                     "bodies: [{name: box, mass: 0.5, shape: {box: [0.2, 0.2, 0.2]}, position: "
                     "[0, 0, 0.1]}]\nforces: [{body: box, force: [0, 2, 0]}]\n"
                     "randomise: [{path: 'bodies.box.position[0]', low: -1, high: 1}]\n");
    put("a.yaml",
        "scene: cube.yaml\n"
        "vary:\n  - {name: mu, path: planes.floor.friction, values: [0.1, 0.3]}\n"
        "  - {name: m, path: bodies.box.mass, values: [0.5, -1]}\n"
        "trials: 2\nkeep: [csv, sensors, joints, record, state]\n"
        "table: {y: 'bodies.box.position[1]', x: 'bodies.box.position[0]', z: nothing}\n");
    return 0;
}

static char* slurp(const char* path)
{
    FILE* file = fopen(path, "rb");
    char* text = calloc(1, 1 << 20);
    if (!file || !text)
        fail_msg("%s is not there", path);
    text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static int lines_of(const char* text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static int count_in(const char* folder)
{
    int n = 0;
    DIR* list = opendir(folder);
    while (list && readdir(list))
        n++;
    if (list)
        closedir(list);
    return n - 2;
}

static void expect_same(const char* a, const char* b)
{
    char *one = slurp(a), *other = slurp(b);
    if (strcmp(one, other) != 0)
        fail_msg("%s and %s differ", a, b);
    free(one);
    free(other);
}

// The table has a row for every entry; those that failed are named with their reason and code, and
// the others are there. Trials differ by what the scene randomises.
static void test_table(void** unused)
{
    (void)unused;
    cli_expect(2, "entry 2 (mu=0.1, m=-1, seed 0): --set bodies.box.mass=-1: expected a number",
               "sweep", "a.yaml", "--jobs", "2");
    char* table = slurp("a.sweep/table.csv");
    assert_int_equal(lines_of(table), 9);
    assert_non_null(strstr(table, "entry,mu,m,seed,result,y,x,z,steps,time,"));
    assert_non_null(strstr(table, "\n0,0.1,0.5,0,fine,0.0"));
    assert_non_null(strstr(table, "\n7,0.3,-1,1,failed,,,,"));
    json_t* first = json_load_file("a.sweep/entries/000000/summary.json", 0, NULL);
    json_t* second = json_load_file("a.sweep/entries/000001/summary.json", 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(first, "steps")), 20);
    assert_null(json_object_get(first, "stage_ms"));
    assert_false(json_equal(json_object_get(first, "bodies"), json_object_get(second, "bodies")));
    assert_int_equal(count_in("a.sweep/entries"), 8);
    assert_int_equal(count_in("a.sweep/entries/000000"), 7);
    assert_int_equal(count_in("a.sweep/part"), 0);
    json_decref(first);
    json_decref(second);
    free(table);
    cli_expect(2, "a.sweep has 8 of 8 entries already; --resume goes on", "sweep", "a.yaml");
    cli_expect(2, "8 of 8 entries are there, 0 made now", "sweep", "a.yaml", "--resume");
    cli_expect(2, "8 of 8 entries are there; 0 missed a tolerance, 4 failed", "sweep", "a.yaml",
               "--status");
}

// One by one, in strides, by another number of processes and threads and from another folder: the
// same bytes.
static void test_same_bytes(void** unused)
{
    (void)unused;
    cli_expect(2, "8 of 8", "sweep", "a.yaml", "--jobs", "1");
    cli_expect(0, "1 of 8 entries are there, 1 made now", "sweep", "a.yaml", "--out", "b.sweep",
               "--task", "5");
    cli_expect(2, "", "sweep", "a.yaml", "--out", "b.sweep", "--task", "0:2");
    char here[2048], file[2100], out[2100];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(file, sizeof file, "%s/a.yaml", here);
    snprintf(out, sizeof out, "%s/b.sweep", here);
    cli_expect(2, "8 of 8 entries are there, 3 made now", "sweep", file, "--out", out, "--resume",
               "--threads", "2");
    static const char* const kept[] = {"entry.json", "summary.json", "run.csv", "sensors.csv",
                                       "joints.csv", "final.state",  "run.h5"};
    for (int e = 0; e < 8; e++)
        for (int k = 0; k < (e / 2 % 2 ? 1 : 7); k++) {
            char one[64], other[64];
            snprintf(one, sizeof one, "a.sweep/entries/%06d/%s", e, kept[k]);
            snprintf(other, sizeof other, "b.sweep/entries/%06d/%s", e, kept[k]);
            expect_same(one, other);
        }
    expect_same("a.sweep/table.csv", "b.sweep/table.csv");
}

// A run that fails for the machine's sake is tried again; wrong words are refused.
static void test_refusals(void** unused)
{
    (void)unused;
    cli_expect(1, "name a file", "sweep");
    cli_expect(2, "none.yaml: the file cannot be opened", "sweep", "none.yaml");
    cli_expect(1, "--task 8: expected an entry from 0 to 7", "sweep", "a.yaml", "--task", "8");
    cli_expect(1, "--task 3:2: expected", "sweep", "a.yaml", "--task", "3:2");
    cli_expect(1, "--entry 8: there are 8 entries", "sweep", "a.yaml", "--entry", "8");
    cli_expect(1, "only one of", "sweep", "a.yaml", "--status", "--task", "1");
    cli_expect(2, "cube.yaml:1: name: unknown key", "sweep", "cube.yaml");
    put("b.yaml", "scene: none.yaml\nvary: [{path: planes.floor.friction, values: [0.1]}]\n");
    cli_expect(2, "none.yaml: cannot be read", "sweep", "b.yaml");
    remove_tree("b.sweep");
    put("b.yaml", "scene: cube.yaml\nvary: [{path: planes.floor.friction, values: [0.1]}]\n");
    cli_expect(0, "1 of 1", "sweep", "b.yaml");
    put("b.yaml", "scene: cube.yaml\nvary: [{path: planes.floor.friction, values: [0.2]}]\n");
    cli_expect(2, "b.yaml has changed since the sweep began", "sweep", "b.yaml", "--resume");
}

static void rest(void)
{
    const struct timespec moment = {0, 1000000L};
    nanosleep(&moment, NULL);
}

// Stops the process that makes an entry; it looks like one that hangs. 1 when it was found.
static int stop_entry(const char* part)
{
    DIR* list = opendir(part);
    int found = 0;
    for (struct dirent* d; list && !found && (d = readdir(list));) {
        const char* pid = strrchr(d->d_name, '.');
        found = pid && atol(pid + 1) > 1 && kill((pid_t)atol(pid + 1), SIGSTOP) == 0;
    }
    if (list)
        closedir(list);
    return found;
}

// A process that hangs is given up after --limit, and its entry tried again once.
static void test_hang(void** unused)
{
    (void)unused;
    put("c.yaml", "scene: cube.yaml\nset: [step.duration=3]\nvary: [{path: planes.floor.friction, "
                  "values: [0.1, 0.2, 0.3]}]\n");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(120);
        if (freopen("c.txt", "w", stderr))
            execl(COND_CLI, "cond", "sweep", "c.yaml", "--jobs", "1", "--limit", "4", (char*)NULL);
        _exit(127);
    }
    for (int k = 0; k < 20000 && !stop_entry("c.sweep/part"); k++)
        rest();
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    char* said = slurp("c.txt");
    assert_non_null(strstr(said, "not finished after 4 s (--limit); it is tried again"));
    assert_non_null(strstr(said, "3 of 3 entries are there, 3 made now"));
    assert_non_null(strstr(said, "1 were begun again"));
    free(said);
}

// One that always takes too long is named, and does not stop the others; --resume tries it again.
static void test_limit(void** unused)
{
    (void)unused;
    put("d.yaml", "scene: cube.yaml\nvary: [{path: step.duration, values: [1e6, 0.02]}]\n");
    cli_expect(5, "entry 0 (step.duration=1e6): not finished after 2 s (--limit); given up",
               "sweep", "d.yaml", "--limit", "2");
    assert_int_equal(count_in("d.sweep/entries"), 1);
    assert_int_equal(count_in("d.sweep/failed"), 1);
    char* table = slurp("d.sweep/table.csv");
    assert_non_null(strstr(table, "0,1e6,lost,"));
    free(table);
    cli_expect(2, "1 failed, 1 of them left nothing", "sweep", "d.yaml", "--status");
    cli_expect(5, "1 of 2 entries are there, 1 made now", "sweep", "d.yaml", "--resume", "--limit",
               "0.1");
}

// Asked to end by a signal, it ends its processes, leaves nothing half made, and says how to go on.
static void test_signal(void** unused)
{
    (void)unused;
    put("d.yaml", "scene: cube.yaml\nvary: [{path: step.duration, values: [1e6, 1e7]}]\n");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(120);
        if (freopen("d.txt", "w", stderr))
            execl(COND_CLI, "cond", "sweep", "d.yaml", "--jobs", "2", (char*)NULL);
        _exit(127);
    }
    for (int k = 0; k < 20000 && count_in("d.sweep/part") < 2; k++)
        rest();
    kill(child, SIGTERM);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    char* said = slurp("d.txt");
    assert_non_null(strstr(said, "2 entries were not made; --resume goes on"));
    free(said);
    assert_int_equal(count_in("d.sweep/part"), 0);
}

// The script of a job array names what is missing alone, or strides where there are too many.
static void test_slurm(void** unused)
{
    (void)unused;
    cli_expect(2, "", "sweep", "a.yaml", "--task", "3");
    cli_expect(0, "7 entries, array 0-2,4-7: submit it by sbatch", "sweep", "a.yaml", "--resume",
               "--slurm", "job.sh", "--limit", "9");
    char* script = slurp("job.sh");
    assert_non_null(strstr(script, "#SBATCH --array=0-2,4-7\n"));
    assert_non_null(strstr(script, "--limit 9 --task \"$SLURM_ARRAY_TASK_ID\"\n"));
    free(script);
    cli_expect(0, "array 0-2", "sweep", "a.yaml", "--resume", "--slurm", "job.sh", "--array", "3");
    script = slurp("job.sh");
    assert_non_null(strstr(script, "--task \"$SLURM_ARRAY_TASK_ID:3\"\n"));
    free(script);
}

// The report has the table and a plot of each column over each variable.
static void test_report(void** unused)
{
    (void)unused;
    cli_expect(2, "report.html", "sweep", "a.yaml", "--report");
    char* page = slurp("a.sweep/report/sweep.md");
    assert_non_null(strstr(page, "| entry | mu | m | seed | result | y | x | z | steps |"));
    free(page);
    expect_same("a.sweep/table.csv", "a.sweep/report/sweep.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_table, prepare),
        cmocka_unit_test_setup(test_same_bytes, prepare),
        cmocka_unit_test_setup(test_refusals, prepare),
        cmocka_unit_test_setup(test_hang, prepare),
        cmocka_unit_test_setup(test_limit, prepare),
        cmocka_unit_test_setup(test_signal, prepare),
        cmocka_unit_test_setup(test_slurm, prepare),
        cmocka_unit_test_setup(test_report, prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
