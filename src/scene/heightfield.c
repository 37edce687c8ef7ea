// Grids of heights: the surface over one, and those that generators make.
#include "mesh/tuning.h"
#include "scene/terrain.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

void cond_heights_destroy(CondHeights* heights)
{
    cond_release(&heights->context, heights->height);
    heights->height = NULL;
}

CondStatus cond_heights_surface(const CondHeights* heights, const double extent[2], double scale,
                                CondMesh** mesh, CondError* error)
{
    int n_row = heights->n_row, n_column = heights->n_column;
    CondStatus status = cond_mesh_create(&heights->context, n_row * n_column, 0,
                                         2 * (n_row - 1) * (n_column - 1), mesh, error);
    if (status)
        return status;
    for (int r = 0; r < n_row; r++)
        for (int c = 0; c < n_column; c++) {
            double* x = (*mesh)->node + 3 * ((size_t)r * (size_t)n_column + (size_t)c);
            x[0] = extent[0] * ((double)c / (n_column - 1) - 0.5);
            x[1] = extent[1] * (0.5 - (double)r / (n_row - 1));
            x[2] = scale * heights->height[(size_t)r * (size_t)n_column + (size_t)c];
        }
    int* t = (*mesh)->triangle;
    for (int r = 0; r + 1 < n_row; r++)
        for (int c = 0; c + 1 < n_column; c++, t += 6) {
            int v = r * n_column + c, below = v + n_column;
            const int made[6] = {below, below + 1, v, v, below + 1, v + 1};
            memcpy(t, made, sizeof made);
        }
    return COND_OK;
}

// ---- generators: a height between 0 and 1 at u, v in 0 .. 1

typedef double Generator(const double* number, double u, double v);

static double flat(const double* number, double u, double v)
{
    (void)number, (void)u, (void)v;
    return 0.0;
}

// number: waves along either side
static double waves(const double* number, double u, double v)
{
    return 0.25 * (2.0 + sin(2.0 * PI * number[0] * u) + sin(2.0 * PI * number[0] * v));
}

// number: steps along x
static double steps(const double* number, double u, double v)
{
    (void)v;
    return fmin(floor(number[0] * u), number[0] - 1.0) / fmax(number[0] - 1.0, 1.0);
}

// A number between 0 and 1 at a point of a lattice.
static double lattice(uint64_t seed, int i, int j)
{
    CondRandom random = {seed ^ ((uint64_t)(uint32_t)i << 32 | (uint32_t)j)};
    return cond_random_uniform(&random);
}

// number: seed, cells of the coarsest lattice, octaves. Values on lattices, each twice as fine as
// the last and half as high, with smooth steps between their points.
static double noise(const double* number, double u, double v)
{
    double sum = 0.0, weight = 1.0, total = 0.0, cells = number[1];
    for (int octave = 0; octave < (int)number[2]; octave++, cells *= 2.0, weight *= 0.5) {
        double x = cells * u, y = cells * v, i = floor(x), j = floor(y), value = 0.0;
        double s = x - i, t = y - j;
        s *= s * (3.0 - 2.0 * s);
        t *= t * (3.0 - 2.0 * t);
        for (int k = 0; k < 4; k++)
            value += (k % 2 ? s : 1.0 - s) * (k / 2 ? t : 1.0 - t) *
                     lattice((uint64_t)number[0] + (uint64_t)octave * UINT64_C(0x100000001b3),
                             (int)i + k % 2, (int)j + k / 2);
        sum += weight * value;
        total += weight;
    }
    return sum / total;
}

static const struct {
    const char* name;
    Generator* height;
    int n_number;
    const char* form;
    double most[3]; // of the numbers, which are whole and at least 0, 1, 1
} recipes[] = {
    {"flat", flat, 0, "flat:COLUMNS,ROWS", {0.0, 0.0, 0.0}},
    {"waves", waves, 1, "waves:COLUMNS,ROWS:WAVES", {COND_MOST_HEIGHTS, 0.0, 0.0}},
    {"steps", steps, 1, "steps:COLUMNS,ROWS:STEPS", {COND_MOST_HEIGHTS, 0.0, 0.0}},
    {"noise",
     noise,
     3,
     "noise:COLUMNS,ROWS:SEED,CELLS,OCTAVES",
     {UINT32_MAX, COND_MOST_HEIGHTS, 8.0}},
};
enum { N_RECIPE = sizeof recipes / sizeof *recipes };

static int find_recipe(const char* text)
{
    for (int i = 0; i < N_RECIPE; i++) {
        size_t length = strlen(recipes[i].name);
        if (strncmp(text, recipes[i].name, length) == 0 && text[length] == ':')
            return i;
    }
    return -1;
}

int cond_heights_is_recipe(const char* text)
{
    return find_recipe(text) >= 0;
}

// n whole numbers with commas between them; returns where they end, NULL where they are wrong.
static const char* read_numbers(const char* text, int n, const double* most, double* number)
{
    for (int i = 0; i < n; i++) {
        char* end;
        if (*text < '0' || *text > '9')
            return NULL;
        number[i] = (double)strtoull(text, &end, 10);
        if (number[i] > most[i] || (i + 1 < n && *end != ','))
            return NULL;
        text = end + (i + 1 < n);
    }
    return text;
}

CondStatus cond_heights_make(const CondContext* context, const char* text, CondHeights* heights,
                             CondError* error)
{
    static const double grid[2] = {COND_MOST_HEIGHTS, COND_MOST_HEIGHTS};
    int which = find_recipe(text), n = which < 0 ? 0 : recipes[which].n_number;
    double size[2] = {0.0, 0.0}, number[3] = {0.0, 0.0, 0.0};
    const char* at = which < 0 ? NULL : text + strlen(recipes[which].name) + 1;
    *heights = (CondHeights){.context = *context};
    at = at ? read_numbers(at, 2, grid, size) : NULL;
    if (at && n > 0)
        at = *at == ':' ? read_numbers(at + 1, n, recipes[which].most, number) : NULL;
    int least = 1;
    for (int i = recipes[which < 0 ? 0 : which].height == noise; i < n; i++)
        least = least && number[i] >= 1.0;
    if (!at || *at || size[0] < 2.0 || size[1] < 2.0 || !least)
        return cond_error_set(error, COND_BAD_INPUT, "'%.100s': expected %s, of at least 2 by 2",
                              text, which < 0 ? "a generator" : recipes[which].form);
    heights->n_column = (int)size[0];
    heights->n_row = (int)size[1];
    heights->height = cond_allocate(context, (size_t)heights->n_row * (size_t)heights->n_column,
                                    sizeof *heights->height);
    if (!heights->height)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    for (int r = 0; r < heights->n_row; r++)
        for (int c = 0; c < heights->n_column; c++)
            heights->height[(size_t)r * (size_t)heights->n_column + (size_t)c] =
                recipes[which].height(number, (double)c / (heights->n_column - 1),
                                      1.0 - (double)r / (heights->n_row - 1));
    return COND_OK;
}
