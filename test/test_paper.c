// The paper's experiments through the tool, cut short: exit codes, the keys of the result, and
// values that must hold at any length.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli_paper.h"

#ifdef COND_BASELINES
enum { BASELINES = 1 };
#else
enum { BASELINES = 0 };
#endif

static void test_scaling(void** state)
{
    (void)state;
    static const int sizes[] = {16, 23, 32};
    static const char* const modes[] = {"paper stop", "certificate"};
    json_t* result = run_paper("scaling", "1", "3");
    char label[64];
    for (size_t m = 0; m < 2; m++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            int n = sizes[i];
            snprintf(label, sizeof label, "%s N=%d", modes[m], n);
            const json_t* row = row_of(result, "rows", label);
            double iterations = number_of(row, "iterations"), solve = number_of(row, "st_ms");
            assert_true(number_of(row, "nodes") == 2.0 * n * n);
            assert_true(number_of(row, "dof") > 6.0 * n * n); // the arm's joints come on top
            assert_true(number_of(row, "contacts") >= 1.0);
            assert_true(iterations >= 1.0 && solve > 0.0 && number_of(row, "dt_ms") > 0.0);
            assert_true(fabs(number_of(row, "ms_per_iteration") * iterations - solve) <=
                        1e-9 * solve);
            assert_true(number_of(row, "residual") <= (m == 0 ? 1e-2 : 1e-4));
        }
        snprintf(label, sizeof label, "fit %s", modes[m]);
        const json_t* fit = row_of(result, "rows", label);
        assert_true(number_of(fit, "r_squared") >= 0.0 && number_of(fit, "r_squared") <= 1.0);
        assert_true(isfinite(number_of(fit, "exponent"))); // of times, which no test judges
    }
#ifdef COND_BASELINES
    assert_true(number_of(row_of(result, "rows", "pgs N=32"), "delassus_ms") > 0.0);
    assert_true(number_of(row_of(result, "rows", "apgd N=16"), "delassus_ms") > 0.0);
#endif
    assert_true(number_of(row_of(result, "paper", "cond"), "r_squared") == 0.9997);
    json_decref(result);
}

static void test_invertible(void** state)
{
    (void)state;
    json_t* result = run_paper_rows("invertible", "6", "1", "mat,mat stop=1e-4,mat strict");
    const json_t* sharp = row_of(result, "rows", "mat");
    const json_t* paper = row_of(result, "rows", "mat stop=1e-4");
    const json_t* strict = row_of(result, "rows", "mat strict");
    // The force is the law's at the velocity handed back: nothing but rounding is between them.
    assert_true(number_of(sharp, "force_error_mN") <= 1e-6 * number_of(sharp, "force_mN"));
    assert_true(number_of(sharp, "vector_error_mN") <= 1e-6 * number_of(sharp, "force_mN"));
    assert_true(number_of(paper, "force_error_mN") <= 1e-2 * number_of(paper, "force_mN"));
    // Against the dynamics the certificate decides.
    assert_true(number_of(sharp, "residual") <= 1e-8);
    assert_true(number_of(sharp, "dynamics_error_mN") <= 1e-6 * number_of(sharp, "force_mN"));
    assert_true(number_of(sharp, "dynamics_norm_error_mN") <=
                number_of(sharp, "dynamics_error_mN") * (1.0 + 1e-9));
    assert_true(number_of(paper, "dynamics_error_mN") > number_of(sharp, "dynamics_error_mN"));
    assert_true(number_of(sharp, "steps") == 6.0 && number_of(sharp, "contacts") > 100.0);
    // All three carry the weight of the same mat.
    assert_true(fabs(number_of(strict, "force_mN") / number_of(sharp, "force_mN") - 1.0) < 0.2);
    assert_null(json_object_get(strict, "force_error_mN"));
    assert_true(number_of(row_of(result, "paper", "mat"), "force_error_mN") == 0.087);
    assert_true(number_of(row_of(result, "paper", "ball"), "force_error_mN") == 0.48);
    json_decref(result);
}

// Without the baselines their rows are left out, and a line says what to build.
static void test_left_out(void** state)
{
    (void)state;
    CliOutput output = cli_run("paper", "ccs", "--steps", "1", "--trials", "1", "--threads", "1");
    assert_int_equal(output.code, 0);
    const char* line = strstr(output.err, "left out: ");
    assert_int_equal(!line, BASELINES);
    assert_int_equal(!line, !strstr(output.err, "-DCOND_BASELINES=ON"));
    cli_output_free(&output);
    if (!BASELINES) {
        cli_expect(1, "built by -DCOND_BASELINES=ON", "run", "push", "--solver", "pgs");
        cli_expect(1, "built by -DCOND_BASELINES=ON", "solve", "x.cbor", "--solver", "apgd");
    }
}

// Every solver on the mat: rows and keys of the paper's table, and answers that agree in kind.
static void test_mat(void** state)
{
    (void)state;
    static const char* const labels[] = {"cond", "cond stop=1e-5", "pgs",
                                         "apgd", "pgs simplicial", "apgd simplicial"};
    json_t* result = run_paper("mat", "2", "1");
    for (size_t i = 0; i < (BASELINES ? sizeof labels / sizeof *labels : 2); i++) {
        const json_t* row = row_of(result, "rows", labels[i]);
        assert_true(number_of(row, "mp_mm") >= 0.0 && number_of(row, "mp_mm") < 0.01);
        assert_true(number_of(row, "ie") >= 0.0 && number_of(row, "ie") < 1000.0); // mN
        assert_true(number_of(row, "iterations") >= 1.0);
        assert_true(number_of(row, "dt_ms") > 0.0 && number_of(row, "st_ms") > 0.0);
        assert_true(number_of(row, "residual") < 1.0);
        if (i >= 2)
            assert_true(number_of(row, "delassus_ms") > 0.0);
    }
    const json_t* settings = json_object_get(result, "settings");
    // The paper's sizes within 3 %.
    assert_true(fabs(number_of(settings, "nodes") - 1477.0) <= 0.03 * 1477.0);
    assert_true(fabs(number_of(settings, "tets") - 4100.0) <= 0.03 * 4100.0);
    assert_true(fabs(number_of(settings, "dof") - 4438.0) <= 0.03 * 4438.0);
    json_decref(result);
}

// The cable before it touches the drum much: rows, sizes, and what the certificate buys.
static void test_cable(void** state)
{
    (void)state;
    static const char* const labels[] = {"cond", "cond paper W", "pgs", "apgd"};
    json_t* result = run_paper("cable", "6", "1");
    for (size_t i = 0; i < (BASELINES ? sizeof labels / sizeof *labels : 2); i++) {
        const json_t* row = row_of(result, "rows", labels[i]);
        assert_true(number_of(row, "mp_mm") >= 0.0 && number_of(row, "mp_mm") < 0.01);
        assert_true(number_of(row, "fe_N") >= 0.0 && number_of(row, "iterations") >= 1.0);
    }
    const json_t* sharp = row_of(result, "rows", "cond certificate=1e-6");
    assert_true(number_of(sharp, "residual") <= 1e-6);
    assert_true(number_of(sharp, "fe_N") < 1e-4);
    const json_t* settings = json_object_get(result, "settings");
    assert_true(number_of(settings, "dof") == 1927.0 && number_of(settings, "links") == 320.0);
    assert_true(number_of(row_of(result, "paper", "cond"), "iterations") == 18.28);
    json_decref(result);
}

static void test_ccs_and_chebyshev(void** state)
{
    (void)state;
    json_t* ccs = run_paper("ccs", "2", "1");
    assert_true(number_of(row_of(ccs, "rows", "cond 50"), "iterations") == 50.0);
    assert_int_equal(json_array_size(json_object_get(ccs, "rows")), BASELINES ? 4 : 2);
    if (BASELINES)
        assert_true(number_of(row_of(ccs, "rows", "ccs 100"), "iterations") == 100.0);
    json_decref(ccs);
    json_t* chebyshev = run_paper_rows("chebyshev", "2", "1", "mat");
    const json_t* row = row_of(chebyshev, "rows", "mat");
    assert_true(number_of(row, "with") >= 1.0 && number_of(row, "without") >= 1.0);
    assert_int_equal(json_array_size(json_object_get(chebyshev, "rows")), 1);
    assert_true(number_of(row_of(chebyshev, "paper", "cable"), "with") == 18.28);
    json_decref(chebyshev);
}

// Both methods on the cable: COND repeats the converged run, position-based dynamics does not.
static void test_pbd(void** state)
{
    (void)state;
    json_t* result = run_paper_rows("pbd", "3", "1", "cond 100,cond 200,pbd 100,pbd 200");
    assert_true(number_of(row_of(result, "rows", "cond 100"), "fe_N") < 1e-4);
    assert_true(number_of(row_of(result, "rows", "cond 200"), "de_mm") < 1e-3);
    for (int k = 1; k <= 2; k++) {
        char label[32];
        snprintf(label, sizeof label, "pbd %d00", k);
        const json_t* row = row_of(result, "rows", label);
        assert_true(number_of(row, "steps") == 3.0 && number_of(row, "de_mm") > 0.0);
        assert_true(number_of(row, "force_N") > 0.0);
        assert_true(json_is_null(json_object_get(row, "residual"))); // it has no certificate
        assert_true(number_of(row_of(result, "paper", label), "tt_ms") > 90.0);
    }
    json_decref(result);
}

// The paper's numbers are of whole runs: they do not stand beside rows that --steps cut short.
static void test_cut_short(void** state)
{
    (void)state;
    CliOutput cut = cli_run("paper", "box", "--steps", "3", "--json", "-");
    json_t* result = cli_output_json(&cut);
    assert_int_equal(cut.code, 0);
    assert_null(strstr(cut.err, "\npaper "));
    assert_non_null(strstr(cut.err, "a whole run has 100 steps"));
    assert_true(json_is_false(json_object_get(result, "comparable")));
    cli_output_free(&cut);
    json_decref(result);
    CliOutput whole = cli_run("paper", "box", "--steps", "100", "--json", "-");
    result = cli_output_json(&whole);
    assert_non_null(strstr(whole.err, "\npaper "));
    assert_null(strstr(whole.err, "a whole run has"));
    assert_true(json_is_true(json_object_get(result, "comparable")));
    cli_output_free(&whole);
    json_decref(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaling),    cmocka_unit_test(test_mat),
        cmocka_unit_test(test_cable),      cmocka_unit_test(test_ccs_and_chebyshev),
        cmocka_unit_test(test_left_out),   cmocka_unit_test(test_pbd),
        cmocka_unit_test(test_invertible), cmocka_unit_test(test_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
