// Reads PGM images and text grids into heights (heights_read.h).
#include "mesh_file/heights_read.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "mesh/tuning.h"
#include "mesh_file/mesh_file.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct Reading {
    const char* path;
    const char *at, *end; // of the text
    int line;
    CondError* error;
} Reading;

static CondStatus refuse(const Reading* r, const char* text)
{
    return cond_error_set(r->error, COND_BAD_INPUT, "%.1000s:%d: %s", r->path, r->line, text);
}

static CondStatus reserve(CondHeights* heights, int* capacity, int n)
{
    return cond_reserve(&heights->context, &heights->height, capacity, n, sizeof(double));
}

// ---- images

// Skips blanks and comments.
static void skip(Reading* r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '#')
            while (r->at + 1 < r->end && r->at[1] != '\n')
                r->at++;
        else if (!isspace((unsigned char)*r->at))
            return;
        r->line += *r->at == '\n';
    }
}

// A whole number of at most 65535; -1: there is none.
static int read_whole(Reading* r)
{
    int value = 0;
    skip(r);
    if (r->at == r->end || !isdigit((unsigned char)*r->at))
        return -1;
    for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++) {
        value = 10 * value + (*r->at - '0');
        if (value > 65535)
            return -1;
    }
    return value;
}

static CondStatus read_image(Reading* r, CondHeights* heights)
{
    int capacity = 0, plain = r->at[1] == '2';
    r->at += 2;
    heights->n_column = read_whole(r);
    heights->n_row = read_whole(r);
    int white = read_whole(r), wide = white > 255 ? 2 : 1;
    if (heights->n_column < 2 || heights->n_row < 2 || heights->n_column > COND_MOST_HEIGHTS ||
        heights->n_row > COND_MOST_HEIGHTS || white < 1)
        return refuse(r, "expected width and height, 2 to 4096, and the value of white");
    int n = heights->n_row * heights->n_column;
    r->at++; // one blank, then the values
    if (!plain && r->end - r->at < (ptrdiff_t)wide * n)
        return refuse(r, "the image ends too early");
    if (reserve(heights, &capacity, n))
        return cond_error_set(r->error, COND_OUT_OF_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        const unsigned char* byte = (const unsigned char*)r->at + (ptrdiff_t)wide * i;
        int value = plain ? read_whole(r) : wide == 2 ? 256 * byte[0] + byte[1] : byte[0];
        if (value < 0 || value > white)
            return refuse(r, "expected a grey value between 0 and that of white");
        heights->height[i] = (double)value / white;
    }
    return COND_OK;
}

// ---- numbers

// One line into the row that comes next, unless it is empty.
static CondStatus read_row(Reading* r, const char* stop, CondHeights* heights, int* capacity)
{
    int n = 0;
    while (1) {
        while (r->at < stop && (isspace((unsigned char)*r->at) || *r->at == ','))
            r->at++;
        if (r->at == stop)
            break;
        char word[64];
        size_t length = 0;
        while (r->at < stop && !isspace((unsigned char)*r->at) && *r->at != ',')
            word[length < sizeof word - 1 ? length++ : length] = *r->at++;
        word[length] = 0;
        double value;
        if (!cond_number_parse(word, &value) || !isfinite(value))
            return refuse(r, "expected numbers");
        if (n >= COND_MOST_HEIGHTS || heights->n_row >= COND_MOST_HEIGHTS)
            return refuse(r, "there are more than 4096 rows or columns");
        if (reserve(heights, capacity, heights->n_row * heights->n_column + n + 1))
            return cond_error_set(r->error, COND_OUT_OF_MEMORY, "out of memory");
        heights->height[(size_t)heights->n_row * (size_t)heights->n_column + (size_t)n++] = value;
    }
    if (n == 0)
        return COND_OK;
    if (heights->n_row == 0)
        heights->n_column = n;
    if (n != heights->n_column)
        return refuse(r, "this row has another number of heights than the first");
    heights->n_row++;
    return COND_OK;
}

static CondStatus read_rows(Reading* r, CondHeights* heights)
{
    int capacity = 0;
    CondStatus status = COND_OK;
    for (; r->at < r->end && !status; r->line++) {
        const char *line = memchr(r->at, '\n', (size_t)(r->end - r->at)), *stop;
        line = line ? line : r->end;
        stop = memchr(r->at, '#', (size_t)(line - r->at));
        status = read_row(r, stop ? stop : line, heights, &capacity);
        if (!status)
            r->at = line < r->end ? line + 1 : line;
    }
    if (!status && (heights->n_row < 2 || heights->n_column < 2))
        status = refuse(r, "expected at least two rows of two heights");
    return status;
}

CondStatus cond_heights_read(const CondContext* context, const char* path, CondHeights* heights,
                             CondError* error)
{
    CondMeshFile file;
    *heights = (CondHeights){.context = *context};
    CondStatus status = cond_mesh_file_open(&file, context, path, error);
    if (status)
        return status;
    const char* text = file.data;
    Reading r = {path, text, text + file.size, 1, error};
    if (file.size > 2 && text[0] == 'P' && (text[1] == '2' || text[1] == '5'))
        status = read_image(&r, heights);
    else
        status = read_rows(&r, heights);
    cond_mesh_file_close(&file);
    if (status)
        cond_heights_destroy(heights);
    return status;
}
