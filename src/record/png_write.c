// Pixels as a PNG file: signature, header, one deflated stream of rows, end.
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cond/picture.h"

#include <string.h>
#include <zlib.h>

static void put32(uint8_t* to, unsigned long value)
{
    for (int k = 0; k < 4; k++)
        to[k] = (uint8_t)(value >> (24 - 8 * k));
}

// Length and kind before the n bytes of a part, and their check after them.
static void close_part(uint8_t* part, const char* kind, size_t n)
{
    put32(part, (unsigned long)n);
    memcpy(part + 4, kind, 4);
    put32(part + 8 + n, crc32(0, part + 4, (uInt)(n + 4)));
}

// Rows as differences from the one above (PNG's filter 2), which pack better than colours.
static void filter_rows(int width, int height, const uint8_t* rgb, uint8_t* rows)
{
    size_t n = 3 * (size_t)width;
    for (size_t y = 0; y < (size_t)height; y++) {
        uint8_t* row = rows + y * (n + 1);
        row[0] = 2;
        for (size_t k = 0; k < n; k++)
            row[1 + k] = (uint8_t)(rgb[y * n + k] - (y > 0 ? rgb[(y - 1) * n + k] : 0));
    }
}

CondStatus cond_png_write(const CondContext* context, const char* path, int width, int height,
                          const uint8_t* rgb, CondError* error)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t header[25] = {0}, end[12] = {0};
    CondContext m = cond_context_or_default(context);
    if (width < 1 || height < 1 || width > 8192 || height > 8192)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "%.1000s: a picture of %d x %d pixels: each must be 1 to 8192", path,
                              width, height);
    size_t raw = (size_t)height * (3 * (size_t)width + 1);
    uLongf packed = compressBound((uLong)raw);
    uint8_t* rows = cond_allocate(&m, raw, 1);
    uint8_t* data = cond_allocate(&m, packed + 12, 1);
    CondStatus status = COND_OK;
    if (!rows || !data) {
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.1000s", path);
    } else {
        put32(header + 8, (unsigned long)width);
        put32(header + 12, (unsigned long)height);
        memcpy(header + 16, (uint8_t[]){8, 2, 0, 0, 0}, 5); // 8 bits, red green blue
        close_part(header, "IHDR", 13);
        close_part(end, "IEND", 0);
        filter_rows(width, height, rgb, rows);
        compress2(data + 8, &packed, rows, (uLong)raw, 6);
        close_part(data, "IDAT", packed);
        const CondFilePart part[] = {{signature, sizeof signature},
                                     {header, sizeof header},
                                     {data, packed + 12},
                                     {end, sizeof end}};
        status = cond_file_replace(&m, path, 4, part, error);
    }
    cond_release(&m, rows);
    cond_release(&m, data);
    return status;
}
