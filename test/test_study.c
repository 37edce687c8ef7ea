// The plan of a sweep: which values its entries have, and what is wrong with a file.
#include "cond/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_allocator.h"

#define RANGE(name) "  - {name: " name ", path: " name ".x, low: 1, high: 100, scale: log}\n"

static void put(const char* text)
{
    FILE* file = fopen("study.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static CondStudy* read_text(const char* text)
{
    CondStudy* study = NULL;
    CondError error;
    put(text);
    if (cond_study_read(NULL, "study.yaml", &study, &error))
        fail_msg("%s", error.message);
    return study;
}

static double number(const CondStudy* study, int entry, int variable)
{
    char text[COND_STUDY_VALUE_SIZE];
    cond_study_value(study, entry, variable, text);
    return strtod(text, NULL);
}

static void expect_text(const CondStudy* study, int entry, int variable, const char* value)
{
    char text[COND_STUDY_VALUE_SIZE];
    cond_study_value(study, entry, variable, text);
    assert_string_equal(text, value);
}

// All combinations, the last variable fastest; ends of ranges exact, round numbers round; texts and
// lists as they stand.
static void test_grid(void** unused)
{
    (void)unused;
    CondStudy* study = read_text("scene: push.yaml\n"
                                 "vary:\n"
                                 "  - {name: mu, path: 'a.friction, b.friction', low: 0.1, high: "
                                 "0.5, count: 5}\n"
                                 "  - {path: bodies.box.position, values: [[0, 0, 1], [1, 0, 1]]}\n"
                                 "  - {name: law, path: solver.law, values: [strict, \"a b\"]}\n"
                                 "set: [step.time_step=0.001]\n"
                                 "trials: 3\nfirst_trial: 7\n"
                                 "table: {y: 'bodies.box.position[1]'}\n"
                                 "keep: [csv, state]\nevery: 4\nsteps: 9\n");
    char text[COND_STUDY_OVERRIDE_SIZE];
    const char* place;
    assert_int_equal(cond_study_n_entry(study), 5 * 2 * 2 * 3);
    assert_string_equal(cond_study_scene(study), "push.yaml");
    assert_string_equal(cond_study_variable(study, 1), "bodies.box.position");
    assert_int_equal(cond_study_n_variable(study), 3);
    assert_null(cond_study_variable(study, 3));
    static const char* const mu[] = {"0.1", "0.2", "0.3", "0.4", "0.5"};
    for (int e = 0; e < 60; e++) {
        expect_text(study, e, 0, mu[e / 12]);
        expect_text(study, e, 1, e / 6 % 2 ? "[1, 0, 1]" : "[0, 0, 1]");
        expect_text(study, e, 2, e / 3 % 2 ? "\"a b\"" : "strict");
        assert_int_equal(cond_study_seed(study, e), 7 + e % 3);
    }
    expect_text(study, 60, 0, "");
    const char* const override[] = {"step.time_step=0.001", "a.friction=0.2", "b.friction=0.2",
                                    "bodies.box.position=[1, 0, 1]", "solver.law=strict"};
    for (int k = 0; k < 5; k++) {
        assert_true(cond_study_override(study, 18, k, text));
        assert_string_equal(text, override[k]);
    }
    assert_false(cond_study_override(study, 18, 5, text));
    assert_string_equal(cond_study_column(study, 0, &place), "y");
    assert_string_equal(place, "bodies.box.position[1]");
    assert_null(cond_study_column(study, 1, NULL));
    const CondStudyRun* run = cond_study_run(study);
    assert_true(run->csv && run->state && !run->record && run->every == 4 && run->steps == 9);
    cond_study_destroy(study);
}

static void test_list(void** unused)
{
    (void)unused;
    CondStudy* study = read_text("{scene: box, method: list, vary: [{path: a, values: [1, 2, 3]}, "
                                 "{path: b, low: 1, high: 100, scale: log, count: 3}]}\n");
    assert_int_equal(cond_study_n_entry(study), 3);
    assert_string_equal(cond_study_scene(study), "box");
    expect_text(study, 1, 0, "2");
    expect_text(study, 1, 1, "10");
    expect_text(study, 2, 1, "100");
    assert_int_equal(cond_study_seed(study, 2), -1);
    cond_study_destroy(study);
}

// Every one of n equal parts of a range is met exactly once; another seed is another plan, the same
// seed the same, and one more variable leaves the others as they are.
static void test_latin(void** unused)
{
    (void)unused;
    enum { N = 50 };
    CondStudy* study =
        read_text("scene: box\nmethod: latin\nsamples: 50\nseed: 5\nvary:\n" RANGE("a") RANGE("b"));
    CondStudy* more = read_text("scene: box\nmethod: latin\nsamples: 50\nseed: 5\nvary:\n" RANGE(
        "a") RANGE("b") RANGE("c"));
    CondStudy* other =
        read_text("scene: box\nmethod: latin\nsamples: 50\nseed: 6\nvary:\n" RANGE("a") RANGE("b"));
    int same = 0, equal = 0;
    for (int v = 0; v < 2; v++) {
        int met[N] = {0};
        for (int e = 0; e < N; e++) {
            double x = number(study, e, v);
            assert_true(x >= 1.0 && x < 100.0);
            met[(int)(log(x) / log(100.0) * N)]++;
            assert_true(x == number(more, e, v));
            same += x == number(other, e, v);
            equal += number(study, e, 0) == number(study, e, 1);
        }
        for (int k = 0; k < N; k++)
            assert_int_equal(met[k], 1);
    }
    assert_int_equal(same, 0);
    assert_int_equal(equal, 0);
    assert_true(cond_study_is_log(study, 0));
    cond_study_destroy(study);
    cond_study_destroy(more);
    cond_study_destroy(other);
}

// The mean of uniform draws, and each of three values about as often as the others.
static void test_random(void** unused)
{
    (void)unused;
    enum { N = 3000 };
    CondStudy* study =
        read_text("scene: box\nmethod: random\nsamples: 3000\nvary:\n"
                  "  - {path: a, low: -1, high: 3}\n  - {path: b, values: [p, q, r]}\n");
    double mean = 0.0;
    int count[3] = {0};
    for (int e = 0; e < N; e++) {
        char text[COND_STUDY_VALUE_SIZE];
        mean += number(study, e, 0) / N;
        cond_study_value(study, e, 1, text);
        count[text[0] - 'p']++;
    }
    assert_true(fabs(mean - 1.0) < 5.0 * 4.0 / sqrt(12.0 * N));
    for (int k = 0; k < 3; k++)
        assert_true(abs(count[k] - N / 3) < 5.0 * sqrt(N * 2.0 / 9.0));
    cond_study_destroy(study);
}

// Every fault is named with the file, its line and its key.
static void test_faults(void** unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } faults[] = {
        {"vary: [{path: a, values: [1]}]\n", "study.yaml:1: scene: is required"},
        {"scene: a\nvari: []\n", "study.yaml:2: vari: unknown key (did you mean vary?)"},
        {"scene: a\nmethod: lattin\nvary: []\n",
         "study.yaml:2: method: expected one of grid, list, random, latin, not lattin"},
        {"scene: a\nvary:\n  - {path: a, low: 1, high: 0, count: 2}\n",
         "study.yaml:3: vary[0].high: 0 is below low, 1"},
        {"scene: a\nvary:\n  - {path: a, low: x, high: 0, count: 2}\n",
         "study.yaml:3: vary[0].low: expected a number, not x"},
        {"scene: a\nvary:\n  - {path: a, low: 0, high: 1, count: 2, scale: log}\n",
         "study.yaml:3: vary[0].low: must be positive with scale: log"},
        {"scene: a\nvary:\n  - {path: a, low: 0, high: 1}\n", "needs a count with method: grid"},
        {"scene: a\nvary:\n  - {low: 0, high: 1, count: 3}\n", "study.yaml:3: vary[0]: path is"},
        {"scene: a\nvary:\n  - {path: a, values: [1], low: 0}\n", "have no meaning"},
        {"scene: a\nvary:\n  - {path: a, values: []}\n", "vary[0].values: expected a list"},
        {"scene: a\nvary:\n  - {path: a}\n", "vary[0]: needs values, or low and high"},
        {"scene: a\nvary:\n  - {path: a, values: [1]}\n  - {path: a, values: [1]}\n",
         "study.yaml:4: vary[1]: two variables are named a"},
        {"scene: a\nmethod: random\nvary: [{path: a, low: 0, high: 1}]\n",
         "samples: is required with method: random"},
        {"scene: a\nsamples: 3\nvary: [{path: a, values: [1]}]\n",
         "study.yaml:2: samples: has no meaning with method: grid"},
        {"scene: a\nmethod: latin\nsamples: 0\nvary: [{path: a, low: 0, high: 1}]\n",
         "study.yaml:3: samples: expected a whole number >= 1, not 0"},
        {"scene: a\nmethod: list\nvary: [{path: a, values: [1]}, {path: b, values: [1, 2]}]\n",
         "a has 1 values and b has 2"},
        {"scene: a\nkeep: [film]\nvary: [{path: a, values: [1]}]\n",
         "study.yaml:2: keep: expected one of csv"},
        {"scene: a\nset: [x]\nvary: [{path: a, values: [1]}]\n", "study.yaml:2: set: expected"},
        {"scene: a\nfirst_trial: 2\nvary: [{path: a, values: [1]}]\n", "without trials"},
        {"scene: a\ntable: {a: b}\nvary: [{path: a, values: [1]}]\n",
         "study.yaml:2: table.a: a variable has this name"},
        {"scene: a\n", "nothing differs from run to run"},
        {"scene: a\nvary: [{path: a, low: 0, high: 1, count: 3000}, {path: b, low: 0, high: 1, "
         "count: 3000}]\n",
         "more than 1000000 entries"},
        {"- a\n", "expected a mapping"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        CondStudy* study = NULL;
        CondError error = {.message = ""};
        put(faults[k].text);
        assert_true(cond_study_read(NULL, "study.yaml", &study, &error) < 0);
        assert_null(study);
        if (!strstr(error.message, faults[k].message))
            fail_msg("expected '%s' in: %s", faults[k].message, error.message);
    }
}

// Memory that ends at any call is said, and nothing is left of it.
static void test_memory(void** unused)
{
    (void)unused;
    put("scene: ./box.yaml\nmethod: latin\nsamples: 4\nset: [a=1]\ntable: {y: z}\nvary:\n" RANGE(
        "a") RANGE("b") "  - {path: c, values: [1, two, [3, 4]]}\n");
    for (long k = 1, failed = 1; failed; k++) {
        FailingAllocator allocator = {.fail_at = k};
        CondContext context = failing_allocator_context(&allocator);
        CondStudy* study = NULL;
        CondError error;
        CondStatus status = cond_study_read(&context, "study.yaml", &study, &error);
        failed = status != COND_OK;
        assert_true(status == COND_OK || status == COND_OUT_OF_MEMORY);
        cond_study_destroy(study);
        assert_int_equal(allocator.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),   cmocka_unit_test(test_list),   cmocka_unit_test(test_latin),
        cmocka_unit_test(test_random), cmocka_unit_test(test_faults), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
