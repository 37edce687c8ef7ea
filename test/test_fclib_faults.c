// Wrong FCLib files: every one is refused with a status and a message that names the place.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cond/fclib.h"
#include "failing_allocator.h"
#include "fclib_edit.h"

static const char* const GOOD = COND_TEST_DATA "/fclib/LMGC_GFC3D-i00001-1-00000.hdf5";
enum { N = 48, N_M = 1152, N_H = 72 }; // its coordinates and the entries of M and H

static char folder[] = "fclib_faults_XXXXXX";

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void** state)
{
    (void)state;
    remove("good.hdf5");
    remove("bad.hdf5");
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

// Reading must fail so, leak nothing, and leave HDF5's error printing unused and as it was.
static herr_t count_prints(hid_t stack, void* data)
{
    (void)stack;
    ++*(int*)data;
    return 0;
}

static void expect_refused(const char* path, CondStatus expected, const char* text)
{
    FailingAllocator allocator = {0};
    CondContext context = failing_allocator_context(&allocator);
    CondProblemFile* file = NULL;
    CondError error = {0};
    H5E_auto2_t print, print_after;
    void *data, *data_after;
    int prints = 0;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    H5Eset_auto2(H5E_DEFAULT, count_prints, &prints);
    CondStatus status = cond_fclib_read(&context, path, &file, &error);
    H5Eget_auto2(H5E_DEFAULT, &print_after, &data_after);
    H5Eset_auto2(H5E_DEFAULT, print, data);
    assert_int_equal(prints, 0);
    assert_true(print_after == count_prints && data_after == &prints);

    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0); // everything is closed
    assert_null(file);
    assert_int_equal(allocator.live, 0);
    if (status != expected || !strstr(error.message, text))
        fail_msg("status %d, expected %d; message \"%s\", expected \"%s\"", status, expected,
                 error.message, text);
    assert_int_equal(error.status, expected);
    assert_int_equal(cond_fclib_read(NULL, path, &file, NULL), expected); // error may be NULL
}

static void expect_bad(const char* text)
{
    char message[256];
    snprintf(message, sizeof message, "bad.hdf5: %s", text);
    expect_refused("bad.hdf5", COND_BAD_INPUT, message);
}

static void copy_good(void)
{
    fclib_edit_copy(GOOD, "bad.hdf5", -1);
}

static void test_not_a_file(void** state)
{
    (void)state;
    expect_refused("none.hdf5", COND_NO_FILE, "none.hdf5: No such file");
    expect_refused(".", COND_NO_FILE, "is a directory");
    expect_refused("/dev/null", COND_NO_FILE, "is not a regular file");
    CondProblemFile* file = NULL;
    CondError error = {0};
    assert_int_equal(cond_fclib_read(NULL, NULL, &file, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_fclib_read(NULL, "x", NULL, &error), COND_BAD_ARGUMENT);
    cond_problem_file_destroy(NULL);
}

static void test_not_hdf5(void** state)
{
    (void)state;
    fclib_edit_copy(GOOD, "bad.hdf5", 0);
    expect_bad("is not an HDF5 file");
    fclib_edit_copy(COND_TEST_DATA "/fclib/GFC3D_Example00.gfc", "bad.hdf5", -1);
    expect_bad("is not an HDF5 file");
}

static void test_truncated(void** state)
{
    (void)state;
    FILE* stream = fopen(GOOD, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    long size = ftell(stream);
    fclose(stream);
    for (int k = 1; k < 16; k++) {
        fclib_edit_copy(GOOD, "bad.hdf5", size * k / 16);
        expect_bad("is a damaged or truncated HDF5 file");
    }
}

static void test_missing_parts(void** state)
{
    (void)state;
    const char* const parts[] = {
        "/fclib_global/spacedim",  "/fclib_global/M",         "/fclib_global/H",
        "/fclib_global/M/m",       "/fclib_global/M/n",       "/fclib_global/M/nz",
        "/fclib_global/M/nzmax",   "/fclib_global/M/p",       "/fclib_global/M/i",
        "/fclib_global/M/x",       "/fclib_global/H/p",       "/fclib_global/H/x",
        "/fclib_global/vectors/f", "/fclib_global/vectors/w", "/fclib_global/vectors/mu",
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char text[128];
        copy_good();
        fclib_edit_delete("bad.hdf5", parts[k]);
        snprintf(text, sizeof text, "%s: is missing", parts[k]);
        expect_bad(text);
    }
    copy_good();
    fclib_edit_delete("bad.hdf5", "/fclib_global/vectors");
    expect_bad("/fclib_global/vectors/f: is missing");
    fclib_edit_create("bad.hdf5");
    expect_bad("holds neither /fclib_global nor /fclib_local");
    fclib_edit_put_int("bad.hdf5", "/fclib_global", 1); // a dataset where a group should be
    expect_bad("/fclib_global/spacedim: is missing");
    copy_good();
    fclib_edit_delete("bad.hdf5", "/fclib_global/info"); // remarks may be missing
    CondProblemFile* file = NULL;
    assert_int_equal(cond_fclib_read(NULL, "bad.hdf5", &file, NULL), COND_OK);
    assert_string_equal(cond_problem_file_title(file), "");
    cond_problem_file_destroy(file);
}

// One integer of the good file is changed.
static void test_wrong_integers(void** state)
{
    (void)state;
    const struct {
        const char* location;
        int value;
        CondStatus status;
        const char* text;
    } cases[] = {
        {"/fclib_global/spacedim", 2, COND_NOT_SUPPORTED, "/fclib_global/spacedim: "},
        {"/fclib_global/spacedim", 4, COND_BAD_INPUT, "/fclib_global/spacedim: is 4, expected 3"},
        {"/fclib_global/M/m", 47, COND_BAD_INPUT, "/fclib_global/M/i: entry 1128 is 47"},
        {"/fclib_global/M/m", 49, COND_BAD_INPUT, "/fclib_global/M: is 49 x 48"},
        {"/fclib_global/M/m", -1, COND_BAD_INPUT, "/fclib_global/M: size -1 x 48"},
        {"/fclib_global/M/n", INT_MAX, COND_BAD_INPUT, "/fclib_global/M: is 48 x 2147483647"},
        {"/fclib_global/M/nz", -3, COND_BAD_INPUT, "/fclib_global/M: nz = -3"},
        {"/fclib_global/M/nz", -1, COND_BAD_INPUT, "/M/p: 1152 entries, expected 49"},
        {"/fclib_global/M/nz", N_M + 1, COND_BAD_INPUT, "/fclib_global/M: nz = 1153 and nzmax"},
        {"/fclib_global/M/nz", 10, COND_BAD_INPUT, "/fclib_global/M: diagonal entry 1 is 0"},
        {"/fclib_global/M/nzmax", -5, COND_BAD_INPUT, "/fclib_global/M: nz = 1152 and nzmax = -5"},
        {"/fclib_global/H/m", 51, COND_BAD_INPUT, "/fclib_global/H: has 51 rows, expected 48"},
        {"/fclib_global/H/n", 4, COND_BAD_INPUT, "/fclib_global/H: has 4 columns"},
        {"/fclib_global/H/n", 6, COND_BAD_INPUT, "/vectors/w: 3 entries, expected 6"},
        {"/fclib_global/H/n", 2, COND_BAD_INPUT, "/fclib_global/H/p: entry 48 is 2, expected 0"},
        {"/fclib_global/H/nz", 0, COND_BAD_INPUT, "/H: contact 0 touches nothing"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        copy_good();
        fclib_edit_put_int("bad.hdf5", cases[k].location, cases[k].value);
        expect_refused("bad.hdf5", cases[k].status, cases[k].text);
    }
}

// One real number of the good file is changed.
static void test_wrong_numbers(void** state)
{
    (void)state;
    const struct {
        const char* location;
        int index;
        double value;
        const char* text;
    } cases[] = {
        {"/fclib_global/M/x", 7, NAN, "/fclib_global/M/x: entry 7 is not a finite number"},
        {"/fclib_global/M/x", 7, -INFINITY, "/fclib_global/M/x: entry 7 is not a finite number"},
        {"/fclib_global/M/x", 0, 0.0,
         "/fclib_global/M: diagonal entry 0 is 0, expected a positive"},
        {"/fclib_global/M/x", 0, -1.0, "/fclib_global/M: diagonal entry 0 is -1"},
        {"/fclib_global/M/x", 1, 1e6, "/fclib_global/M: is not symmetric: entry (0, "},
        {"/fclib_global/H/x", 71, INFINITY, "/fclib_global/H/x: entry 71 is not a finite number"},
        {"/fclib_global/vectors/f", 3, NAN, "/fclib_global/vectors/f: entry 3 is not a finite"},
        {"/fclib_global/vectors/w", 2, NAN, "/fclib_global/vectors/w: entry 2 is not a finite"},
        {"/fclib_global/vectors/mu", 0, NAN, "/fclib_global/vectors/mu: entry 0 is not a finite"},
        {"/fclib_global/vectors/mu", 0, -0.1, "/fclib_global/vectors/mu: entry 0 is -0.1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        copy_good();
        fclib_edit_set_double("bad.hdf5", cases[k].location, cases[k].index, cases[k].value);
        expect_bad(cases[k].text);
    }
}

static void test_wrong_arrays(void** state)
{
    (void)state;
    double numbers[N_M] = {0};
    int integers[N_M] = {0};
    copy_good();
    fclib_edit_put_ints("bad.hdf5", "/fclib_global/M/p", 12, integers);
    expect_bad("/fclib_global/M/p: 12 entries, expected 1152");
    copy_good();
    fclib_edit_put_doubles("bad.hdf5", "/fclib_global/M/x", N_M - 1, numbers);
    expect_bad("/fclib_global/M/x: 1151 entries, expected 1152");
    copy_good();
    fclib_edit_put_doubles("bad.hdf5", "/fclib_global/M/p", N_M, numbers);
    expect_bad("/fclib_global/M/p: does not hold integers");
    copy_good();
    fclib_edit_put_text("bad.hdf5", "/fclib_global/vectors/f", "forces");
    expect_bad("/fclib_global/vectors/f: does not hold numbers");
    copy_good();
    fclib_edit_delete("bad.hdf5", "/fclib_global/vectors/f");
    fclib_edit_group("bad.hdf5", "/fclib_global/vectors/f");
    expect_bad("/fclib_global/vectors/f: is not a dataset");
    copy_good();
    fclib_edit_put_doubles("bad.hdf5", "/fclib_global/vectors/f", N + 1, numbers);
    expect_bad("/fclib_global/vectors/f: 49 entries, expected 48");
    copy_good();
    fclib_edit_put_doubles("bad.hdf5", "/fclib_global/vectors/mu", 3, numbers);
    expect_bad("/fclib_global/vectors/mu: 3 entries, expected 1");
    copy_good();
    integers[5] = -1;
    fclib_edit_put_ints("bad.hdf5", "/fclib_global/H/i", N_H, integers);
    expect_bad("/fclib_global/H/i: entry 5 is -1, expected 0 to 47");

    const double gains[] = {0.0, -2.0, NAN};
    for (int k = 0; k < 3; k++) {
        copy_good();
        fclib_edit_put_doubles("bad.hdf5", "/fclib_global/vectors/kv", 1, &gains[k]);
        expect_bad("/fclib_global/vectors/kv: entry 0 is");
    }
    copy_good();
    fclib_edit_put_doubles("bad.hdf5", "/fclib_global/vectors/kv", 2, numbers);
    expect_bad("/fclib_global/vectors/kv: 2 entries, expected 1");
}

// Offsets of the compressed layouts.
static void test_wrong_offsets(void** state)
{
    (void)state;
    const CondFclibLayout layouts[] = {COND_FCLIB_COLUMNS, COND_FCLIB_ROWS};
    CondProblemFile* file = NULL;
    assert_int_equal(cond_fclib_read(NULL, GOOD, &file, NULL), COND_OK);
    for (int k = 0; k < 2; k++) {
        int p[N + 1];
        assert_int_equal(cond_fclib_write(NULL, "good.hdf5", cond_problem_file_problem(file),
                                          layouts[k], "", NULL, NULL, NULL),
                         COND_OK);
        for (int i = 0; i <= N; i++)
            p[i] = N_M / N * i;
        const struct {
            int index;
            int value;
            const char* text;
        } cases[] = {
            {0, 1, "/fclib_global/M/p: starts with 1, expected 0"},
            {4, 1, "/fclib_global/M/p: entry 4 is 1, expected 72 to "},
            {N, INT_MAX, "/fclib_global/M/p: entry 48 is 2147483647, expected "},
            {9, -1, "/fclib_global/M/p: entry 9 is -1, expected "},
        };
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            int kept = p[cases[c].index];
            p[cases[c].index] = cases[c].value;
            fclib_edit_copy("good.hdf5", "bad.hdf5", -1);
            fclib_edit_put_ints("bad.hdf5", "/fclib_global/M/p", N + 1, p);
            expect_bad(cases[c].text);
            p[cases[c].index] = kept;
        }
        fclib_edit_copy("good.hdf5", "bad.hdf5", -1);
        fclib_edit_put_ints("bad.hdf5", "/fclib_global/M/p", 12, p);
        expect_bad("/fclib_global/M/p: 12 entries, expected 49");
        fclib_edit_copy("good.hdf5", "bad.hdf5", -1);
        fclib_edit_put_int("bad.hdf5", k == 0 ? "/fclib_global/M/n" : "/fclib_global/M/m", INT_MAX);
        expect_bad("/fclib_global/M: is too large");
    }
    cond_problem_file_destroy(file);
}

static void test_bilateral(void** state)
{
    (void)state;
    const double G[4] = {1.0, 0.0, 0.0, 1.0};
    copy_good();
    fclib_edit_put_matrix("bad.hdf5", "/fclib_global/G", 2, G, 0);
    expect_refused("bad.hdf5", COND_NOT_SUPPORTED,
                   "/fclib_global/G: bilateral constraints (2 x 2) are not supported");
    fclib_edit_put_int("bad.hdf5", "/fclib_global/G/n", 0); // none at all are fine
    CondProblemFile* file = NULL;
    assert_int_equal(cond_fclib_read(NULL, "bad.hdf5", &file, NULL), COND_OK);
    cond_problem_file_destroy(file);

    const double W[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, q[3] = {0};
    const char* const groups[] = {"/fclib_local/V", "/fclib_local/R"};
    for (int k = 0; k < 2; k++) {
        fclib_edit_create("bad.hdf5");
        fclib_edit_put_local("bad.hdf5", 3, W, q, 0.3);
        fclib_edit_put_matrix("bad.hdf5", groups[k], 2, G, 0);
        expect_refused("bad.hdf5", COND_NOT_SUPPORTED, groups[k]);
    }
}

// One interval of forces beside the contacts, of which each number is made wrong in turn.
static void test_intervals(void** state)
{
    (void)state;
    CondProblemFile* file = NULL;
    CondError error = {0};
    assert_int_equal(cond_fclib_read(NULL, GOOD, &file, &error), COND_OK);
    CondProblem problem = *cond_problem_file_problem(file);
    int at = 3, n = problem.n_contact;
    double J[3] = {1.0, 0.0, 0.0};
    CondContact* contact = calloc((size_t)n + 1, sizeof *contact);
    assert_non_null(contact);
    memcpy(contact, problem.contact, (size_t)n * sizeof *contact);
    contact[n] = (CondContact){.side = {{1, &at, J}},
                               .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                               .kv = INFINITY,
                               .set = COND_FORCE_INTERVAL,
                               .bound = {-2.0, 2.0}};
    problem.contact = contact;
    problem.n_contact = n + 1;
    const struct {
        const char* location;
        double value;
        const char* text;
    } faults[] = {
        {"/cond_intervals/w", NAN, "/cond_intervals/w: entry 0 is not a finite number"},
        {"/cond_intervals/low", 3.0, "/cond_intervals/low: entry 0 is 3 and that of high 2"},
        {"/cond_intervals/high", NAN, "/cond_intervals/low: entry 0 is -2 and that of high"},
        {"/cond_intervals/compliance", -1.0, "/cond_intervals/compliance: entry 0 is -1"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
        assert_int_equal(cond_fclib_write(NULL, "bad.hdf5", &problem, COND_FCLIB_TRIPLET, "", NULL,
                                          NULL, &error),
                         COND_OK);
        fclib_edit_set_double("bad.hdf5", faults[k].location, 0, faults[k].value);
        expect_bad(faults[k].text);
        fclib_edit_delete("bad.hdf5", faults[k].location);
        expect_bad(faults[k].location);
    }
    assert_int_equal(
        cond_fclib_write(NULL, "bad.hdf5", &problem, COND_FCLIB_ROWS, "", NULL, NULL, &error),
        COND_OK);
    fclib_edit_put_int("bad.hdf5", "/cond_intervals/contact", n + 1);
    expect_bad("/cond_intervals/contact: entry 0 is ");
    fclib_edit_put_int("bad.hdf5", "/cond_intervals/contact", 0);
    fclib_edit_set_double("bad.hdf5", "/cond_intervals/H/x", 0, 0.0);
    expect_bad("/fclib_global/H: contact 0 touches nothing");
    free(contact);
    cond_problem_file_destroy(file);
}

static void test_local_faults(void** state)
{
    (void)state;
    const double q[6] = {0};
    const struct {
        double W[9];
        const char* text;
    } cases[] = {
        {{1, 2, 0, 2, 1, 0, 0, 0, 1}, "/fclib_local/W: is not positive semi-definite"},
        {{1, 0.5, 0, 0.25, 1, 0, 0, 0, 1}, "/fclib_local/W: is not symmetric"},
        {{1, 0, 0, 0, -1, 0, 0, 0, 1},
         "/fclib_local/W: diagonal entry 1 is -1, expected a non-neg"},
        {{0, 1, 0, 1, 0, 0, 0, 0, 0}, "/fclib_local/W: is not positive semi-definite"},
        {{0}, "/fclib_local/W: contact 0 touches nothing"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fclib_edit_create("bad.hdf5");
        fclib_edit_put_local("bad.hdf5", 3, cases[k].W, q, 0.3);
        expect_bad(cases[k].text);
    }
    double W[36] = {0};
    for (int i = 0; i < 6; i++)
        W[7 * i] = i < 3 ? 1.0 : 0.0;
    fclib_edit_create("bad.hdf5");
    fclib_edit_put_local("bad.hdf5", 6, W, q, 0.3);
    expect_bad("/fclib_local/W: contact 1 touches nothing");
    fclib_edit_put_doubles("bad.hdf5", "/fclib_local/vectors/q", 5, q);
    expect_bad("/fclib_local/vectors/q: 5 entries, expected 6");
    fclib_edit_put_int("bad.hdf5", "/fclib_local/spacedim", 2);
    expect_refused("bad.hdf5", COND_NOT_SUPPORTED, "/fclib_local/spacedim: ");
    fclib_edit_create("bad.hdf5");
    fclib_edit_put_local("bad.hdf5", 4, W, q, 0.3);
    expect_bad("/fclib_local/W: has 4 rows, expected three per contact");
    fclib_edit_delete("bad.hdf5", "/fclib_local/W");
    expect_bad("/fclib_local/W: is missing");
}

// A path longer than a message still leaves room for the fault.
static void test_long_path(void** state)
{
    (void)state;
    char path[1500];
    memset(path, 0, sizeof path);
    for (int k = 0; k < 600; k++)
        strcat(path, "./");
    strcat(path, "bad.hdf5");
    copy_good();
    fclib_edit_put_int("bad.hdf5", "/fclib_global/spacedim", 4);
    expect_refused(path, COND_BAD_INPUT, "./bad.hdf5: /fclib_global/spacedim: is 4, expected 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_a_file),     cmocka_unit_test(test_not_hdf5),
        cmocka_unit_test(test_truncated),      cmocka_unit_test(test_missing_parts),
        cmocka_unit_test(test_wrong_integers), cmocka_unit_test(test_wrong_numbers),
        cmocka_unit_test(test_wrong_arrays),   cmocka_unit_test(test_wrong_offsets),
        cmocka_unit_test(test_bilateral),      cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_local_faults),   cmocka_unit_test(test_long_path),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
