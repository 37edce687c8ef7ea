// Files made to do harm: counts and extents beyond what a file has, values where one is expected,
// bytes from elsewhere. All end with a message, in little memory, soon.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli_run.h"
#include "cond/fclib.h"
#include "cond/record.h"
#include "cond/recording.h"
#include "fclib_edit.h"
#include "record_make.h"
#include "scene_make.h"

static char folder[] = "hostile_XXXXXX";
static const char GOOD[] = "good.h5", BAD[] = "bad.h5";
static const char PROBLEM[] = COND_TEST_DATA "/fclib/LMGC_GFC3D-i00001-1-00000.hdf5";

// A recording of three frames.
static int enter_folder(void** state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    Trial trial = trial_begin(zoo_scene());
    CondRecord* record;
    assert_int_equal(cond_record_open(NULL, GOOD, trial.model, NULL, &record, NULL), COND_OK);
    for (int k = 0; k < 3; k++) {
        trial_step(&trial, 1);
        assert_int_equal(cond_record_frame(record, trial.sim, trial.state, &trial.info, NULL),
                         COND_OK);
    }
    cond_record_close(record);
    trial_end(&trial);
    return 0;
}

static int leave_folder(void** state)
{
    (void)state;
    remove(GOOD);
    remove(BAD);
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

// Memory that is counted, for what is not worth much of it.
typedef struct Purse {
    size_t taken;
} Purse;

static void* take(size_t bytes, void* user)
{
    Purse* purse = user;
    purse->taken += bytes;
    return purse->taken < (size_t)64 << 20 ? malloc(bytes) : NULL;
}

static void give(void* memory, void* user)
{
    (void)user;
    free(memory);
}

// Opens the bad file and reads all its frames; the status, and the message in error. Running out of
// the purse is a failure of the test.
static CondStatus read_bad(CondError* error)
{
    Purse purse = {0};
    CondContext context = {.allocate = take, .release = give, .user = &purse};
    CondRecording* recording;
    const CondMoment* moment;
    *error = (CondError){COND_OK, ""};
    CondStatus status = cond_recording_open(&context, BAD, &recording, error);
    int n = status ? 0 : cond_recording_n_frame(recording);
    for (int k = 0; k < n && !status; k++)
        status = cond_recording_frame(recording, k, &moment, error);
    cond_recording_close(recording);
    assert_int_not_equal(status, COND_OUT_OF_MEMORY);
    return status;
}

static void expect_bad(const char* message)
{
    CondError error;
    CondStatus status = read_bad(&error);
    if (status != COND_BAD_INPUT || !strstr(error.message, message))
        fail_msg("expected '%s', got %s: '%s'", message, cond_status_name(status), error.message);
}

// An attribute of n values in place of the one that was there; type is of the file and the memory.
static void put_attribute(const char* location, const char* name, hid_t type, hsize_t n,
                          const void* values)
{
    hid_t file = H5Fopen(BAD, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t object = H5Oopen(file, location, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL);
    assert_true(H5Adelete(object, name) >= 0);
    hid_t at = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(at >= 0 && H5Awrite(at, type, values) >= 0);
    H5Aclose(at);
    H5Sclose(space);
    H5Oclose(object);
    assert_true(H5Fclose(file) >= 0);
}

static void test_attributes(void** state)
{
    (void)state;
    static const struct {
        const char *location, *name;
    } numbers[] = {{"/cond", "format"},
                   {"/VTKHDF/bodies/Steps", "NSteps"},
                   {"/VTKHDF/contacts/Steps", "NSteps"},
                   {"/cond/mesh", "plane_begin"}};
    int* many = calloc(8000, sizeof *many);
    const double real = 1.0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        fclib_edit_copy(GOOD, BAD, -1);
        put_attribute(numbers[k].location, numbers[k].name, H5T_NATIVE_INT, 8000, many);
        expect_bad(numbers[k].name);
        fclib_edit_copy(GOOD, BAD, -1);
        put_attribute(numbers[k].location, numbers[k].name, H5T_NATIVE_INT, 0, many);
        expect_bad(numbers[k].name);
        fclib_edit_copy(GOOD, BAD, -1);
        put_attribute(numbers[k].location, numbers[k].name, H5T_NATIVE_DOUBLE, 1, &real);
        expect_bad(numbers[k].name);
    }
    free(many);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 100);
    char* texts = calloc(300, 100);
    memset(texts, 'a', 300 * 100);
    fclib_edit_copy(GOOD, BAD, -1);
    put_attribute("/cond", "scene", type, 300, texts);
    CondError error;
    assert_int_equal(read_bad(&error), COND_OK); // a title is not worth a refusal
    free(texts);
    H5Tclose(type);
}

// Counts that the file does not bear out.
static void test_counts(void** state)
{
    (void)state;
    static const int large[] = {2000000000, 2000000000, 2000000000};
    static const int negative[] = {0, -1, 0};
    int frames = 2000000000;
    fclib_edit_copy(GOOD, BAD, -1);
    fclib_edit_put_ints(BAD, "/VTKHDF/contacts/NumberOfPoints", 3, large);
    expect_bad("frame 0 has 2000000000 contacts");
    fclib_edit_put_ints(BAD, "/VTKHDF/contacts/NumberOfPoints", 3, negative);
    expect_bad("frame 1 has -1 contacts");
    fclib_edit_copy(GOOD, BAD, -1);
    fclib_edit_put_ints(BAD, "/VTKHDF/bodies/NumberOfPoints", 1, large);
    expect_bad("rows, expected 3 frames of 2000000000");
    fclib_edit_copy(GOOD, BAD, -1);
    put_attribute("/VTKHDF/bodies/Steps", "NSteps", H5T_NATIVE_INT, 1, &frames);
    put_attribute("/VTKHDF/contacts/Steps", "NSteps", H5T_NATIVE_INT, 1, &frames);
    expect_bad("expected 2000000000");
}

// A dataset of n entries of which next to nothing is in the file.
static void put_hollow(const char* path, const char* location, hid_t type, hsize_t n)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, NULL);
    hsize_t chunk = 1024;
    H5Pset_chunk(plist, 1, &chunk);
    assert_true(H5Ldelete(file, location, H5P_DEFAULT) >= 0);
    hid_t set = H5Dcreate2(file, location, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(plist);
    assert_true(H5Fclose(file) >= 0);
}

static void test_extents(void** state)
{
    (void)state;
    static const char* const arrays[] = {"/VTKHDF/bodies/Types", "/VTKHDF/bodies/Connectivity",
                                         "/VTKHDF/contacts/NumberOfPoints", "/cond/frames/time"};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        fclib_edit_copy(GOOD, BAD, -1);
        put_hollow(BAD, arrays[k], H5T_NATIVE_INT, 1000000000);
        expect_bad("claims 1000000000 entries");
    }
    hid_t name = H5Tcopy(H5T_C_S1);
    H5Tset_size(name, COND_NAME_SIZE);
    fclib_edit_copy(GOOD, BAD, -1);
    put_hollow(BAD, "/cond/mesh/body_name", name, 1000000000);
    expect_bad("claims 1000000000 entries");
    H5Tclose(name);
    // A contact problem of a few kilobytes that claims gigabytes.
    CondProblemFile* problem;
    CondError error;
    Purse purse = {0};
    CondContext context = {.allocate = take, .release = give, .user = &purse};
    static const char* const parts[] = {"M/x", "H/x", "vectors/f"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char location[64];
        snprintf(location, sizeof location, "/fclib_global/%s", parts[k]);
        fclib_edit_copy(PROBLEM, BAD, -1);
        fclib_edit_put_int(BAD, "/fclib_global/M/nzmax", 1000000000);
        put_hollow(BAD, location, H5T_NATIVE_DOUBLE, 1000000000);
        assert_int_equal(cond_fclib_read(&context, BAD, &problem, &error), COND_BAD_INPUT);
        assert_non_null(strstr(error.message, "claims 1000000000 entries"));
    }
}

// What a file names elsewhere is not read.
static void test_elsewhere(void** state)
{
    (void)state;
    static const char where[] = "/VTKHDF/bodies/Types";
    hsize_t n = 64;
    fclib_edit_copy(GOOD, BAD, -1);
    hid_t file = H5Fopen(BAD, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &n, NULL);
    H5Pset_external(plist, GOOD, 0, n);
    H5Ldelete(file, where, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, where, H5T_NATIVE_UINT8, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Fclose(file);
    expect_bad("keeps its values in another file");
    fclib_edit_copy(GOOD, BAD, -1);
    file = H5Fopen(BAD, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, where, H5P_DEFAULT);
    assert_true(H5Lcreate_external(GOOD, where, file, where, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect_bad("is missing");
    H5Pclose(plist);
    H5Sclose(space);
}

static void test_cells_and_names(void** state)
{
    (void)state;
    fclib_edit_copy(GOOD, BAD, -1);
    hid_t file = H5Fopen(BAD, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "/VTKHDF/bodies/Types", H5P_DEFAULT);
    hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    hsize_t at = 0;
    const int wedge = 13;
    H5Sselect_elements(space, H5S_SELECT_SET, 1, &at);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &wedge) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    expect_bad("cell 0 of type 13");
    fclib_edit_copy(GOOD, BAD, -1);
    file = H5Fopen(BAD, H5F_ACC_RDWR, H5P_DEFAULT);
    set = H5Dopen2(file, "/cond/mesh/body_name", H5P_DEFAULT);
    hid_t type = H5Dget_type(set);
    char names[4][COND_NAME_SIZE] = {"a", "b", "\xc3\x28", "d"};
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
    H5Tclose(type);
    H5Dclose(set);
    H5Sclose(one);
    H5Fclose(file);
    expect_bad("name 2 is not text");
}

static char* read_bytes(const char* path, size_t* n)
{
    FILE* file = fopen(path, "rb");
    char* bytes = malloc(1 << 22);
    assert_non_null(file);
    *n = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static void write_bytes(const char* bytes, size_t n)
{
    FILE* file = fopen(BAD, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

// Reads the bad file in a process of its own, because HDF5 may be unable to tidy up after a damaged
// one, which has ten seconds.
static void read_aside(void)
{
    int outcome = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        CondError error;
        alarm(10);
        _exit(read_bad(&error) == COND_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_true(WIFEXITED(outcome) && WEXITSTATUS(outcome) <= 1);
}

// Any bit of the superblock; then any of the first bytes behind it, in a file that is marked as
// being written and is therefore read more than once.
static void test_superblock(void** state)
{
    (void)state;
    enum { SUPERBLOCK = 48, BEHIND = 16 };
    size_t n;
    char* bytes = read_bytes(GOOD, &n);
    for (int bit = 0; bit < 8 * SUPERBLOCK; bit += 3) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        write_bytes(bytes, n);
        read_aside();
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    free(bytes);
    fclib_edit_copy(GOOD, "marked.h5", -1);
    hid_t file = H5Fopen("marked.h5", H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, H5P_DEFAULT);
    assert_true(file >= 0);
    bytes = read_bytes("marked.h5", &n);
    H5Fclose(file);
    remove("marked.h5");
    CondError error;
    write_bytes(bytes, n);
    assert_int_equal(read_bad(&error), COND_OK);
    for (int k = SUPERBLOCK; k < SUPERBLOCK + BEHIND; k++) {
        bytes[k] ^= 1;
        write_bytes(bytes, n);
        read_aside();
        bytes[k] ^= 1;
    }
    free(bytes);
}

// Settings that allow much do not take it.
static void test_limits(void** state)
{
    (void)state;
    static const char scene[] = COND_SCENES "/box.yaml";
    cli_expect(0, "", "run", scene, "--steps", "2", "--set", "solver.max_iterations=1000000000",
               "--memory-limit", "20M");
    cli_expect(3, "", "run", scene, "--steps", "2", "--set", "solver.max_iterations=1000000000",
               "--set", "solver.preset=paper", "--memory-limit", "20M");
    cli_expect(0, "", "run", scene, "--steps", "2", "--set", "step.newton_iterations=1000000000",
               "--set", "step.integrator=midpoint", "--memory-limit", "20M");
    cli_expect(2, "the limit of memory was reached (--memory-limit): of 100 kB", "run", "mat",
               "--steps", "1", "--memory-limit", "100k");
    cli_expect(2, "the limit of memory was reached", "solve", PROBLEM, "--memory-limit", "4k");
    cli_expect(2, "the limit of memory was reached", "convert", "ball:0.1:6", "--memory-limit",
               "10k");
    cli_expect(2, "the limit of memory was reached", "view", GOOD, "--export", "page.html",
               "--memory-limit", "2k");
    cli_expect(1, "--memory-limit much: expected bytes", "run", scene, "--memory-limit", "much");
    cli_expect(1, "--memory-limit -1", "run", scene, "--memory-limit", "-1");
    assert_int_equal(access("page.html", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),      cmocka_unit_test(test_counts),
        cmocka_unit_test(test_extents),         cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_cells_and_names), cmocka_unit_test(test_superblock),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
