// cond run --audit and cond check --audit: what is said of pairs that overlap.
#include "cli_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Two boxes, the upper one 1 cm inside the lower.
static void write_scene(const char* path)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("planes: [{name: floor}]\n"
          "bodies:\n"
          "  - {name: low, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1]}\n"
          "  - {name: high, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 0.24]}\n",
          file);
    fclose(file);
}

static void test_check(void** state)
{
    (void)state;
    write_scene("overlap.yaml");
    CliOutput output = cli_run("check", "overlap.yaml", "--audit", "--json", "-");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.err, "overlap   high and low by 0.01 m"));
    json_t* root = cli_output_json(&output);
    json_t* overlaps = json_object_get(root, "audit");
    assert_int_equal((int)json_array_size(overlaps), 1);
    json_t* pair = json_array_get(overlaps, 0);
    assert_true(fabs(json_number_value(json_object_get(pair, "depth")) - 0.01) < 1e-12);
    assert_string_equal(json_string_value(json_array_get(json_object_get(pair, "pair"), 0)),
                        "high");
    json_decref(root);
    cli_output_free(&output);
    output = cli_run("check", COND_SCENES "/drop.yaml", "--audit");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.out, "nothing overlaps"));
    cli_output_free(&output);
}

static void test_run(void** state)
{
    (void)state;
    CliOutput output =
        cli_run("run", COND_SCENES "/push.yaml", "--steps", "10", "--audit", "2", "--json", "-");
    assert_int_equal(output.code, 0);
    assert_non_null(strstr(output.err, "audit         5 times"));
    json_t* root = cli_output_json(&output);
    json_t* audit = json_object_get(root, "audit");
    assert_int_equal((int)json_integer_value(json_object_get(audit, "runs")), 5);
    assert_int_equal((int)json_integer_value(json_object_get(root, "too_deep")), 0);
    json_t* worst = json_object_get(audit, "worst");
    assert_true(!worst || json_number_value(json_object_get(worst, "depth")) < 1e-8);
    json_decref(root);
    cli_output_free(&output);
    cli_expect(1, "--audit 0: expected a", "run", "push", "--audit", "0");
}

// A step that leaves things too deep is missed, by its own contacts and by the audit alone.
static void test_limit(void** state)
{
    (void)state;
    // The penalty method lets a falling box sink in.
    CliOutput output = cli_run("run", COND_SCENES "/drop.yaml", "--steps", "62", "--set",
                               "step.method=penalty", "--set", "contact.penetration_limit=0.004");
    assert_int_equal(output.code, 3);
    assert_non_null(strstr(output.err, " and floor overlap by 0.0"));
    assert_non_null(strstr(output.err, "more than contact.penetration_limit: 0.004 m"));
    assert_non_null(strstr(output.err, "steps went beyond contact.penetration_limit"));
    cli_output_free(&output);
    write_scene("overlap.yaml");
    output = cli_run("run", "overlap.yaml", "--steps", "3", "--audit", "1");
    assert_int_equal(output.code, 0); // what overlaps at the start is no fault of the steps
    assert_non_null(strstr(output.err, "audit         3 times"));
    cli_output_free(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_check), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
