// Opens a mesh file into memory and reads words, numbers and bytes from it (mesh_file.h).
#define _POSIX_C_SOURCE 200809L
#include "mesh_file/mesh_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

CondStatus cond_mesh_file_open(CondMeshFile* file, const CondContext* context, const char* path,
                               CondError* error)
{
    memset(file, 0, sizeof *file);
    file->context = cond_context_or_default(context);
    file->path = path;
    file->error = error;
    struct stat about;
    FILE* stream = fopen(path, "rb");
    if (!stream)
        return cond_error_set(error, COND_NO_FILE, "%s: cannot be opened: %s", cond_path_tail(path),
                              strerror(errno));
    CondStatus status = COND_OK;
    if (fstat(fileno(stream), &about) != 0 || !S_ISREG(about.st_mode)) {
        status = cond_error_set(error, COND_NO_FILE, "%s: is not a file", cond_path_tail(path));
    } else if (!(file->data = cond_allocate(&file->context, (size_t)about.st_size + 1, 1))) {
        status = cond_mesh_file_no_memory(file);
    } else {
        file->size = (size_t)about.st_size;
        if (fread(file->data, 1, file->size, stream) != file->size)
            status =
                cond_error_set(error, COND_NO_FILE, "%s: cannot be read", cond_path_tail(path));
    }
    fclose(stream);
    return status;
}

void cond_mesh_file_close(CondMeshFile* file)
{
    cond_release(&file->context, file->data);
    cond_release(&file->context, file->node);
    cond_release(&file->context, file->tet);
    cond_release(&file->context, file->triangle);
    cond_release(&file->context, file->middle);
}

CondStatus cond_mesh_file_refuse(const CondMeshFile* file, size_t at, const char* format, ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (file->binary)
        return cond_error_set(file->error, COND_BAD_INPUT, "%s: byte %zu: %s",
                              cond_path_tail(file->path), at, text);
    size_t line = 1;
    for (size_t i = 0; i < at && i < file->size; i++)
        line += file->data[i] == '\n' || file->data[i] == '\v';
    return cond_error_set(file->error, COND_BAD_INPUT, "%s:%zu: %s", cond_path_tail(file->path),
                          line, text);
}

CondStatus cond_mesh_file_no_memory(const CondMeshFile* file)
{
    return cond_error_set(file->error, COND_OUT_OF_MEMORY, "no memory to read %s",
                          cond_path_tail(file->path));
}

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void cond_mesh_file_skip_space(CondMeshFile* file)
{
    while (file->at < file->size && is_space(file->data[file->at]))
        file->at++;
}

const char* cond_mesh_file_word(CondMeshFile* file, size_t* length)
{
    cond_mesh_file_skip_space(file);
    size_t begin = file->at;
    while (file->at < file->size && !is_space(file->data[file->at]))
        file->at++;
    *length = file->at - begin;
    return file->data + begin;
}

int cond_mesh_file_word_is(CondMeshFile* file, const char* word)
{
    size_t before = file->at, length;
    const char* found = cond_mesh_file_word(file, &length);
    if (length == strlen(word) && memcmp(found, word, length) == 0)
        return 1;
    file->at = before;
    return 0;
}

void cond_mesh_file_skip_line(CondMeshFile* file)
{
    const char* end = memchr(file->data + file->at, '\n', file->size - file->at);
    file->at = end ? (size_t)(end - file->data) + 1 : file->size;
}

static CondStatus refuse_word(CondMeshFile* file, const char* what, const char* kind,
                              const char* word, size_t length)
{
    size_t at = (size_t)(word - file->data);
    if (length == 0)
        return cond_mesh_file_refuse(file, at, "the file ends where %s should be", what);
    return cond_mesh_file_refuse(file, at, "%s should be %s, not '%.*s'", what, kind,
                                 (int)(length < COND_WORD_SHOWN ? length : COND_WORD_SHOWN), word);
}

CondStatus cond_mesh_file_integer(CondMeshFile* file, const char* what, int64_t* value)
{
    size_t length;
    const char* word = cond_mesh_file_word(file, &length);
    char* end = NULL;
    errno = 0;
    long long read = length ? strtoll(word, &end, 10) : 0; // the data ends with 0
    if (length == 0 || end != word + length || errno != 0)
        return refuse_word(file, what, "a whole number", word, length);
    *value = read;
    return COND_OK;
}

CondStatus cond_mesh_file_number(CondMeshFile* file, const char* what, double* value)
{
    size_t length;
    const char* word = cond_mesh_file_word(file, &length);
    char* end = NULL;
    double read = length ? strtod(word, &end) : 0.0;
    if (length == 0 || end != word + length)
        return refuse_word(file, what, "a number", word, length);
    *value = read;
    return COND_OK;
}

void cond_bytes_swap(void* data, size_t n, size_t size)
{
    char* byte = data;
    for (size_t i = 0; i < n; i++, byte += size) {
        for (size_t k = 0; k < size / 2; k++) {
            char kept = byte[k];
            byte[k] = byte[size - 1 - k];
            byte[size - 1 - k] = kept;
        }
    }
}

CondStatus cond_mesh_file_bytes(CondMeshFile* file, const char* what, void* out, size_t size)
{
    if (size > file->size - file->at)
        return cond_mesh_file_refuse(file, file->at, "the file ends in %s", what);
    memcpy(out, file->data + file->at, size);
    file->at += size;
    return COND_OK;
}

// A value of `size` bytes in the byte order of the file.
static CondStatus read_value(CondMeshFile* file, const char* what, void* value, size_t size)
{
    CondStatus status = cond_mesh_file_bytes(file, what, value, size);
    if (status == COND_OK && file->swap)
        cond_bytes_swap(value, 1, size);
    return status;
}

CondStatus cond_mesh_file_int32(CondMeshFile* file, const char* what, int32_t* value)
{
    return read_value(file, what, value, sizeof *value);
}

CondStatus cond_mesh_file_int64(CondMeshFile* file, const char* what, int64_t* value)
{
    return read_value(file, what, value, sizeof *value);
}

CondStatus cond_mesh_file_double(CondMeshFile* file, const char* what, double* value)
{
    return read_value(file, what, value, sizeof *value);
}

CondStatus cond_mesh_file_count(const CondMeshFile* file, size_t at, const char* what,
                                int64_t count, size_t smallest)
{
    size_t left = file->size - file->at;
    // The last item of a text needs no white space behind it: one byte is granted.
    if (count < 0 || (uint64_t)count > (left + 1) / smallest)
        return cond_mesh_file_refuse(file, at, "%lld %s do not fit in the %zu bytes that follow",
                                     (long long)count, what, left);
    return COND_OK;
}

static CondStatus reserve(CondMeshFile* file, void* data, int* capacity, int have, int64_t more,
                          size_t size)
{
    if (more > INT_MAX / 4 - have)
        return cond_error_set(file->error, COND_NOT_SUPPORTED,
                              "%s: more nodes or elements than an int can count",
                              cond_path_tail(file->path));
    if (cond_reserve(&file->context, data, capacity, have + (int)more, size) != COND_OK)
        return cond_mesh_file_no_memory(file);
    return COND_OK;
}

CondStatus cond_mesh_file_reserve(CondMeshFile* file, int64_t n_node, int64_t n_tet,
                                  int64_t n_triangle)
{
    CondStatus status = reserve(file, &file->node, &file->node_capacity, file->n_node, n_node,
                                3 * sizeof *file->node);
    if (status == COND_OK)
        status = reserve(file, &file->tet, &file->tet_capacity, file->n_tet, n_tet,
                         4 * sizeof *file->tet);
    if (status == COND_OK)
        status = reserve(file, &file->middle, &file->middle_capacity, file->n_tet, n_tet,
                         6 * sizeof *file->middle);
    if (status == COND_OK)
        status = reserve(file, &file->triangle, &file->triangle_capacity, file->n_triangle,
                         n_triangle, 3 * sizeof *file->triangle);
    return status;
}

CondStatus cond_mesh_file_add_node(CondMeshFile* file, size_t at, int64_t number,
                                   const double place[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(place[k]))
            return cond_mesh_file_refuse(file, at, "node %lld is at (%g, %g, %g): not finite",
                                         (long long)number, place[0], place[1], place[2]);
    CondStatus status = cond_mesh_file_reserve(file, 1, 0, 0);
    if (status == COND_OK)
        memcpy(file->node + 3 * (size_t)file->n_node++, place, 3 * sizeof *place);
    return status;
}

CondStatus cond_mesh_file_add_element(CondMeshFile* file, size_t at, int64_t number, int n_corner,
                                      const int64_t* corner)
{
    for (int k = 0; k < n_corner; k++)
        if (corner[k] < 0 || corner[k] >= file->n_node)
            return cond_mesh_file_refuse(file, at,
                                         "element %lld names node %lld (from 0) of %d nodes",
                                         (long long)number, (long long)corner[k], file->n_node);
    CondStatus status = cond_mesh_file_reserve(file, 0, n_corner == 4, n_corner == 3);
    if (status != COND_OK)
        return status;
    for (int k = 0; k < 6 && n_corner == 4; k++)
        file->middle[6 * (size_t)file->n_tet + (size_t)k] = -1;
    int* put = n_corner == 4 ? file->tet + 4 * (size_t)file->n_tet++
                             : file->triangle + 3 * (size_t)file->n_triangle++;
    for (int k = 0; k < n_corner; k++)
        put[k] = (int)corner[k];
    return COND_OK;
}

CondStatus cond_mesh_file_add_quadratic(CondMeshFile* file, size_t at, int64_t number,
                                        const int64_t node[10])
{
    for (int k = 4; k < 10; k++)
        if (node[k] < 0 || node[k] >= file->n_node)
            return cond_mesh_file_refuse(file, at,
                                         "element %lld names node %lld (from 0) of %d nodes",
                                         (long long)number, (long long)node[k], file->n_node);
    CondStatus status = cond_mesh_file_add_element(file, at, number, 4, node);
    for (int k = 0; k < 6 && status == COND_OK; k++)
        file->middle[6 * (size_t)(file->n_tet - 1) + (size_t)k] = (int)node[4 + k];
    file->n_quadratic += status == COND_OK;
    return status;
}
