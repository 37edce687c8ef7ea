// Recordings with one thing in them changed by way of HDF5: an attribute, an extent, a type, a
// count, values, a link; or single bits of the file. Each is shown in a process of its own, which
// has ten seconds and a gigabyte.
//
//     mutate_recording [--mutations N] [--seed S] [--first K] [--tool COND --browser PROGRAM
//     --every K]
//
// With a tool, every K-th goes through `cond view --export` and `cond render` as well.
#define _DEFAULT_SOURCE
#include "fuzz.h"
#include "show_recording.h"

#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_OBJECT = 256, NAME = 160, SECONDS = 10, MOST_KB = 1 << 20, MEMORY = 256 << 20 };
static const char SEED[] = "seed.h5", INPUT[] = "input.h5", OTHER[] = "other.h5";

// All objects of the recording by their place, and their attributes.
typedef struct Catalogue {
    char set[MAX_OBJECT][NAME];
    char at[MAX_OBJECT][2][NAME]; // object, name
    int n_set, n_at;
} Catalogue;

static Catalogue catalogue;

static herr_t add_attribute(hid_t object, const char* name, const H5A_info_t* info, void* place)
{
    (void)object;
    (void)info;
    if (catalogue.n_at < MAX_OBJECT) {
        snprintf(catalogue.at[catalogue.n_at][0], NAME, "%s", (const char*)place);
        snprintf(catalogue.at[catalogue.n_at++][1], NAME, "%s", name);
    }
    return 0;
}

static herr_t add_object(hid_t file, const char* name, const H5O_info_t* info, void* data)
{
    char place[NAME];
    (void)data;
    snprintf(place, sizeof place, "/%.150s", strcmp(name, ".") == 0 ? "" : name);
    if (info->type == H5O_TYPE_DATASET && catalogue.n_set < MAX_OBJECT)
        snprintf(catalogue.set[catalogue.n_set++], NAME, "%s", place);
    hid_t object = H5Oopen(file, place, H5P_DEFAULT);
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, place);
    H5Oclose(object);
    return 0;
}

static void list_objects(void)
{
    hid_t file = H5Fopen(SEED, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, add_object, NULL, H5O_INFO_BASIC);
    H5Fclose(file);
    if (catalogue.n_set == 0 || catalogue.n_at == 0)
        abort();
}

static int64_t odd_number(FuzzDice* dice)
{
    static const int64_t numbers[] = {0,         1,         -1,         2,         3,
                                      7,         255,       65536,      1000000,   1000000000,
                                      INT32_MAX, INT32_MIN, 4294967296, INT64_MAX, INT64_MIN};
    return numbers[fuzz_dice_below(dice, sizeof numbers / sizeof *numbers)];
}

static double odd_real(FuzzDice* dice)
{
    static const uint64_t bits[] = {
        0x7ff8000000000000u, 0x7ff0000000000000u, 0xfff0000000000000u, 0x7fefffffffffffffu, 0x1u,
        0x48f0000000000000u};
    double x;
    memcpy(&x, &bits[fuzz_dice_below(dice, sizeof bits / sizeof *bits)], sizeof x);
    return x;
}

static hid_t odd_type(FuzzDice* dice)
{
    hid_t numbers[] = {H5T_STD_I8LE,  H5T_STD_U8LE,   H5T_STD_I16BE,  H5T_STD_I64LE,
                       H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_REF_OBJ};
    size_t k = fuzz_dice_below(dice, 12);
    hid_t type = k < 8 ? H5Tcopy(numbers[k]) : H5Tcopy(H5T_C_S1);
    if (k == 8)
        H5Tset_size(type, 1 + fuzz_dice_below(dice, 5000));
    if (k == 9)
        H5Tset_size(type, H5T_VARIABLE);
    if (k > 9) { // 10: a compound, 11: an array
        hsize_t n = 1 + fuzz_dice_below(dice, 100);
        hid_t made = k == 10 ? H5Tcreate(H5T_COMPOUND, 16) : H5Tarray_create2(H5T_STD_I32LE, 1, &n);
        if (k == 10) {
            H5Tinsert(made, "a", 0, H5T_NATIVE_DOUBLE);
            H5Tinsert(made, "b", 8, H5T_NATIVE_INT);
        }
        H5Tclose(type);
        type = made;
    }
    return type;
}

static hid_t odd_space(FuzzDice* dice)
{
    static const hsize_t sizes[] = {0, 1, 2, 3, 9, 64, 1000, 100000, 2000000000, 1u << 31};
    hsize_t size[4];
    int rank = (int)fuzz_dice_below(dice, 5);
    for (int k = 0; k < rank; k++)
        size[k] = sizes[fuzz_dice_below(dice, sizeof sizes / sizeof *sizes)];
    return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, NULL);
}

static void change_attribute(hid_t file, FuzzDice* dice)
{
    size_t k = fuzz_dice_below(dice, (size_t)catalogue.n_at);
    const char *place = catalogue.at[k][0], *name = catalogue.at[k][1];
    static char bytes[1 << 20];
    hid_t object = H5Oopen(file, place, H5P_DEFAULT);
    if (fuzz_dice_below(dice, 2) == 0) { // another value
        hid_t at = H5Aopen(object, name, H5P_DEFAULT);
        int64_t value[32];
        for (int i = 0; i < 32; i++)
            value[i] = odd_number(dice);
        hid_t space = H5Aget_space(at);
        if (H5Sget_simple_extent_npoints(space) <= 32)
            H5Awrite(at, H5T_NATIVE_INT64, value);
        H5Sclose(space);
        H5Aclose(at);
    } else { // another type and extent
        hid_t type = odd_type(dice), space = odd_space(dice);
        hssize_t n = H5Sget_simple_extent_npoints(space);
        int small = n >= 0 && (size_t)n <= sizeof bytes / H5Tget_size(type); // all of it is written
        H5Adelete(object, name);
        hid_t at = small ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
        if (at >= 0 && H5Tis_variable_str(type) <= 0) {
            memset(bytes, (int)fuzz_dice_below(dice, 256), sizeof bytes);
            H5Awrite(at, type, bytes);
        }
        if (at >= 0)
            H5Aclose(at);
        H5Sclose(space);
        H5Tclose(type);
    }
    H5Oclose(object);
}

static const char* any_set(FuzzDice* dice)
{
    return catalogue.set[fuzz_dice_below(dice, (size_t)catalogue.n_set)];
}

static void change_extent(hid_t file, FuzzDice* dice)
{
    hid_t set = H5Dopen2(file, any_set(dice), H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t size[8] = {0};
    int rank = H5Sget_simple_extent_dims(space, size, NULL);
    if (rank > 0)
        size[0] = (hsize_t)llabs(odd_number(dice) % 3000000000);
    H5Dset_extent(set, size);
    H5Sclose(space);
    H5Dclose(set);
}

// Some values of a dataset of numbers.
static void change_values(hid_t file, FuzzDice* dice)
{
    hid_t set = H5Dopen2(file, any_set(dice), H5P_DEFAULT), space = H5Dget_space(set);
    hid_t one = H5Screate(H5S_SCALAR);
    hsize_t size[8] = {0}, at[8] = {0};
    int rank = H5Sget_simple_extent_dims(space, size, NULL);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    for (int k = 0; k < 3 && n > 0 && rank > 0; k++) {
        int64_t whole = odd_number(dice);
        double real = odd_real(dice);
        for (int i = 0; i < rank; i++)
            at[i] = fuzz_dice_below(dice, size[i]);
        H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
        if (fuzz_dice_below(dice, 2))
            H5Dwrite(set, H5T_NATIVE_INT64, one, space, H5P_DEFAULT, &whole);
        else
            H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &real);
    }
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
}

// A new dataset in the place of one: another type, extent, layout, with next to nothing in it.
static void change_type(hid_t file, FuzzDice* dice)
{
    const char* place = any_set(dice);
    hid_t type = odd_type(dice), space = odd_space(dice), plist = H5Pcreate(H5P_DATASET_CREATE);
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t chunk[4] = {1 + fuzz_dice_below(dice, 4096), 3, 3, 3};
    if (rank > 0 && fuzz_dice_below(dice, 2)) {
        H5Pset_chunk(plist, rank, chunk);
        if (fuzz_dice_below(dice, 2))
            H5Pset_deflate(plist, 1);
    } else if (fuzz_dice_below(dice, 8) == 0) {
        H5Pset_external(plist, OTHER, 0, H5F_UNLIMITED);
    }
    H5Ldelete(file, place, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, place, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    static char bytes[1 << 20];
    if (set >= 0 && n >= 0 && H5Tis_variable_str(type) <= 0 &&
        (size_t)n <= sizeof bytes / H5Tget_size(type) && fuzz_dice_below(dice, 2)) {
        memset(bytes, (int)fuzz_dice_below(dice, 256), sizeof bytes);
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    }
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Tclose(type);
}

// Something else under a name, or nothing.
static void change_link(hid_t file, FuzzDice* dice)
{
    const char* place = any_set(dice);
    const char* other = any_set(dice);
    size_t way = fuzz_dice_below(dice, 5);
    H5Ldelete(file, place, H5P_DEFAULT);
    if (way == 0)
        H5Lcreate_soft(place, file, place, H5P_DEFAULT, H5P_DEFAULT); // to itself
    else if (way == 1)
        H5Lcreate_soft(other, file, place, H5P_DEFAULT, H5P_DEFAULT);
    else if (way == 2)
        H5Lcreate_hard(file, "/", file, place, H5P_DEFAULT, H5P_DEFAULT);
    else if (way == 3)
        H5Lcreate_external(OTHER, other, file, place, H5P_DEFAULT, H5P_DEFAULT);
}

// The recording, and another one for links to lead to: what is written through a link must not
// reach the seed.
static void copy_seed(void)
{
    size_t size;
    uint8_t* bytes = fuzz_get(SEED, &size);
    if (!bytes)
        abort();
    fuzz_put(INPUT, bytes, size);
    fuzz_put(OTHER, bytes, size);
    free(bytes);
}

// Most of a small file's bits are room that nothing uses: half of the flips go to the first bytes.
static void flip_bits(FuzzDice* dice)
{
    size_t size, n = 1 + fuzz_dice_below(dice, 3);
    uint8_t* bytes = fuzz_get(INPUT, &size);
    for (size_t k = 0; k < n && bytes; k++) {
        size_t bit = fuzz_dice_below(dice, 8 * (fuzz_dice_below(dice, 2) ? size : 4096));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    if (bytes)
        fuzz_put(INPUT, bytes, size);
    free(bytes);
}

static void mutate(FuzzDice* dice)
{
    static void (*const ways[])(hid_t, FuzzDice*) = {
        change_attribute, change_attribute, change_extent, change_values,
        change_values,    change_type,      change_link};
    enum { N_WAY = sizeof ways / sizeof *ways };
    copy_seed();
    size_t n = 1 + fuzz_dice_below(dice, 2), kind = fuzz_dice_below(dice, 4);
    if (kind == 0) {
        flip_bits(dice);
        return;
    }
    H5E_BEGIN_TRY
    {
        hid_t file = H5Fopen(INPUT, H5F_ACC_RDWR, H5P_DEFAULT);
        for (size_t k = 0; k < n && file >= 0; k++)
            ways[fuzz_dice_below(dice, N_WAY)](file, dice);
        if (file >= 0)
            H5Fclose(file);
    }
    H5E_END_TRY;
}

// Waits for a process, and ends the program unless it ended by itself, with a code up to `most`, in
// time and within its memory. Returns its code.
static int expect_end(pid_t child, int most, long k, const char* what)
{
    int outcome = 0;
    struct rusage use;
    if (child < 0 || wait4(child, &outcome, 0, &use) != child)
        abort();
    int code = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
    if (code < 0 || code > most || use.ru_maxrss > MOST_KB) {
        fprintf(stderr, "mutation %ld, %s: %s %d, %ld kB\n", k, what,
                code < 0 ? "signal" : "exit code", code < 0 ? WTERMSIG(outcome) : code,
                use.ru_maxrss);
        exit(1);
    }
    return code;
}

// Makes the mutation in a process of its own: HDF5 may be left in disorder by what it is made to
// do.
static void mutate_aside(FuzzDice dice, long k)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        mutate(&dice);
        _exit(0);
    }
    expect_end(child, 0, k, "making it");
}

static int show_aside(long k)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        _exit(show_recording(INPUT, MEMORY) ? 0 : 1);
    }
    return expect_end(child, 1, k, "in process") == 0;
}

static int run_tool(const char* const* words, long k, const char* what)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS); // stays in force after execv
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
            _exit(127);
        execv(words[0], (char* const*)words);
        _exit(127);
    }
    return expect_end(child, 2, k, what);
}

// Both commands agree with what was seen in process.
static void show_by_tool(const char* tool, const char* browser, int shown, long k)
{
    const char* view[] = {tool, "view", INPUT, "--export", "page.html", NULL};
    const char* render[] = {tool, "render",    INPUT,   "--png",     "picture.png", "--every",
                            "1",  "--browser", browser, "--samples", "1",           NULL};
    int seen = run_tool(view, k, "cond view --export") == 0;
    if (seen != shown) {
        fprintf(stderr, "mutation %ld: shown %d, by the tool %d\n", k, shown, seen);
        exit(1);
    }
    if (browser)
        run_tool(render, k, "cond render");
}

int main(int argc, char** argv)
{
    long mutations = 100, first = 0, every = 0, shown = 0;
    uint64_t seed = 1;
    const char *tool = NULL, *browser = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *text = argv[i + 1];
        if (strcmp(name, "--mutations") == 0)
            mutations = strtol(text, NULL, 10);
        else if (strcmp(name, "--first") == 0)
            first = strtol(text, NULL, 10);
        else if (strcmp(name, "--every") == 0)
            every = strtol(text, NULL, 10);
        else if (strcmp(name, "--seed") == 0)
            seed = strtoull(text, NULL, 10);
        else if (strcmp(name, "--tool") == 0)
            tool = text;
        else if (strcmp(name, "--browser") == 0)
            browser = text;
    }
    show_recording_make(SEED);
    list_objects();
    for (long k = first; k < first + mutations; k++) {
        FuzzDice dice = {seed * 1000003u + (uint64_t)k};
        mutate_aside(dice, k);
        int fine = show_aside(k);
        shown += fine;
        if (tool && every > 0 && k % every == 0)
            show_by_tool(tool, browser, fine, k);
    }
    printf("%ld mutations, %ld could be shown\n", mutations, shown);
    return 0;
}
