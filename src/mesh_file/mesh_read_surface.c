// Surfaces: Wavefront .obj, and .stl as text and binary.
#include "base/memory.h"
#include "mesh_file/mesh_file.h"
#include "mesh_file/mesh_palette.h"
#include "mesh_file/mesh_weld.h"

#include <string.h>

// ---- .obj: one statement a line; v, f are read, and materials where somebody asks for colours.

// A line that ends with a backslash goes on in the next. The break becomes a vertical tab, which is
// white space here and still counts as a line in messages.
static void join_lines(CondMeshFile* file)
{
    for (size_t i = 0; i + 1 < file->size; i++) {
        size_t skip = file->data[i + 1] == '\r' && file->data[i + 2] == '\n' ? 2 : 1;
        if (file->data[i] == '\\' && file->data[i + skip] == '\n') {
            memset(file->data + i, ' ', skip);
            file->data[i + skip] = '\v';
        }
    }
}

// The end of the line at `at`, without its comment.
static size_t line_end(const CondMeshFile* file, size_t at)
{
    while (at < file->size && file->data[at] != '\n' && file->data[at] != '#')
        at++;
    return at;
}

static int more_on_line(CondMeshFile* file, size_t end)
{
    while (file->at < end && strchr(" \t\r\v\f", file->data[file->at]))
        file->at++;
    return file->at < end;
}

static CondStatus read_vertex(CondMeshFile* file, size_t at, size_t end)
{
    double place[3];
    for (int k = 0; k < 3; k++) {
        if (!more_on_line(file, end))
            return cond_mesh_file_refuse(file, at, "a vertex with %d coordinates", k);
        CondStatus status = cond_mesh_file_number(file, "a coordinate", &place[k]);
        if (status != COND_OK)
            return status;
    }
    return cond_mesh_file_add_node(file, at, file->n_node + 1, place);
}

// One corner "v", "v/t", "v//n" or "v/t/n"; negative numbers count back from the last vertex.
static CondStatus read_corner(CondMeshFile* file, size_t at, int64_t* corner)
{
    size_t length, digits = 0;
    const char* word = cond_mesh_file_word(file, &length);
    int negative = word[0] == '-';
    int64_t value = 0;
    for (digits = (size_t)negative; digits < length && word[digits] >= '0' && word[digits] <= '9';)
        if (value < INT64_C(1) << 40) // far more than there can be vertices
            value = 10 * value + (word[digits++] - '0');
        else
            digits++;
    if (digits == (size_t)negative || (digits < length && word[digits] != '/'))
        return cond_mesh_file_refuse(file, at,
                                     "the corner of a face should be a vertex, not '%.*s'",
                                     (int)(length < 40 ? length : 40), word);
    if (value == 0 || value > file->n_node)
        return cond_mesh_file_refuse(file, at, "a face names vertex %s%lld; %d are there so far",
                                     negative ? "-" : "", (long long)value, file->n_node);
    *corner = negative ? file->n_node - value : value - 1;
    return COND_OK;
}

// A face of more than three corners becomes a fan of triangles around its first.
static CondStatus read_face(CondMeshFile* file, size_t at, size_t end)
{
    int64_t corner[3];
    int n = 0;
    for (; more_on_line(file, end); n++) {
        CondStatus status = read_corner(file, at, &corner[n < 2 ? n : 2]);
        if (status != COND_OK)
            return status;
        if (n >= 2) {
            status = cond_mesh_file_add_element(file, at, file->n_triangle + 1, 3, corner);
            if (status != COND_OK)
                return status;
            corner[1] = corner[2];
        }
    }
    if (n < 3)
        return cond_mesh_file_refuse(file, at, "a face with %d corners", n);
    return file->palette ? cond_mesh_palette_paint(file) : COND_OK;
}

// The name of a material or of a file of them, which may have blanks within.
static CondStatus read_material(CondMeshFile* file, int is_library, size_t end)
{
    if (!file->palette || !more_on_line(file, end))
        return COND_OK;
    const char* name = file->data + file->at;
    size_t length = end - file->at;
    while (strchr(" \t\r\v\f", name[length - 1]))
        length--;
    return is_library ? cond_mesh_palette_load(file, name, length)
                      : cond_mesh_palette_choose(file, name, length);
}

CondStatus cond_mesh_read_obj(CondMeshFile* file)
{
    static const char* const silent[] = {"vt", "vn", "vp", "g", "o", "s", "mg", "lod", "call"};
    join_lines(file);
    if (memchr(file->data, 0, file->size))
        return cond_mesh_file_refuse(file, 0, "the file is not text");
    for (CondStatus status = COND_OK; file->at < file->size; cond_mesh_file_skip_line(file)) {
        size_t at = file->at, end = line_end(file, file->at), length;
        if (!more_on_line(file, end))
            continue;
        const char* word = cond_mesh_file_word(file, &length);
        int known = 0;
        for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
            known |= strlen(silent[i]) == length && memcmp(silent[i], word, length) == 0;
        if (length == 1 && word[0] == 'v')
            status = read_vertex(file, at, end);
        else if (length == 1 && word[0] == 'f')
            status = read_face(file, at, end);
        else if (length == 6 && (!memcmp(word, "mtllib", 6) || !memcmp(word, "usemtl", 6)))
            status = read_material(file, word[0] == 'm', end);
        else if (length == 1 && (word[0] == 'l' || word[0] == 'p'))
            file->n_ignored++;
        else if (!known)
            status = cond_mesh_file_refuse(file, at, "unknown statement '%.*s'",
                                           (int)(length < 40 ? length : 40), word);
        if (status != COND_OK)
            return status;
        file->at = end; // behind it may be a comment
    }
    return COND_OK;
}

// ---- .stl: triangles by the places of their corners; equal places become one node.

static CondStatus read_stl_binary(CondMeshFile* file, CondMeshWeld* weld, uint32_t count)
{
    CondStatus status = cond_mesh_weld_create(file, weld, 3 * (size_t)count);
    file->at = 84;
    for (uint32_t i = 0; i < count && status == COND_OK; i++) {
        float value[12]; // the normal, which the corners tell better, and three corners
        int64_t corner[3];
        size_t at = file->at;
        status = cond_mesh_file_bytes(file, "a triangle", value, sizeof value);
        if (status == COND_OK && file->swap)
            cond_bytes_swap(value, 12, sizeof value[0]);
        for (int k = 0; k < 3 && status == COND_OK; k++) {
            const double place[3] = {value[3 * k + 3], value[3 * k + 4], value[3 * k + 5]};
            status = cond_mesh_weld_node(file, weld, at, place, &corner[k]);
        }
        file->at += 2;
        if (status == COND_OK)
            status = cond_mesh_file_add_element(file, at, i, 3, corner);
    }
    return status;
}

static CondStatus expect(CondMeshFile* file, const char* word)
{
    if (cond_mesh_file_word_is(file, word))
        return COND_OK;
    cond_mesh_file_skip_space(file);
    return cond_mesh_file_refuse(file, file->at, "'%s' should be here", word);
}

static CondStatus read_stl_triangle(CondMeshFile* file, CondMeshWeld* weld)
{
    double ignored, place[3];
    int64_t corner[3];
    size_t at = file->at;
    CondStatus status = expect(file, "normal");
    for (int k = 0; k < 3 && status == COND_OK; k++)
        status = cond_mesh_file_number(file, "a normal", &ignored);
    if (status != COND_OK || (status = expect(file, "outer")) != COND_OK ||
        (status = expect(file, "loop")) != COND_OK)
        return status;
    for (int k = 0; k < 3; k++) {
        status = expect(file, "vertex");
        size_t here = file->at;
        for (int i = 0; i < 3 && status == COND_OK; i++)
            status = cond_mesh_file_number(file, "a coordinate", &place[i]);
        if (status == COND_OK)
            status = cond_mesh_weld_node(file, weld, here, place, &corner[k]);
        if (status != COND_OK)
            return status;
    }
    if ((status = expect(file, "endloop")) != COND_OK ||
        (status = expect(file, "endfacet")) != COND_OK)
        return status;
    return cond_mesh_file_add_element(file, at, file->n_triangle, 3, corner);
}

// One or more of: solid NAME, facets, endsolid NAME.
static CondStatus read_stl_text(CondMeshFile* file, CondMeshWeld* weld)
{
    // "vertex 0 0 0" and a separator: no corner takes fewer bytes.
    CondStatus status = cond_mesh_weld_create(file, weld, file->size / 13 + 1);
    while (status == COND_OK) {
        cond_mesh_file_skip_space(file);
        if (file->at == file->size)
            return COND_OK;
        if ((status = expect(file, "solid")) != COND_OK)
            return status;
        cond_mesh_file_skip_line(file); // the rest is a name
        while (status == COND_OK && cond_mesh_file_word_is(file, "facet"))
            status = read_stl_triangle(file, weld);
        if (status == COND_OK)
            status = expect(file, "endsolid");
        cond_mesh_file_skip_line(file);
    }
    return status;
}

CondStatus cond_mesh_read_stl(CondMeshFile* file)
{
    CondMeshWeld weld = {0};
    CondStatus status;
    uint32_t count = 0;
    const uint16_t one = 1;
    file->swap = *(const unsigned char*)&one != 1; // the file is little-endian
    if (file->size >= 84) {
        memcpy(&count, file->data + 80, sizeof count);
        if (file->swap)
            cond_bytes_swap(&count, 1, sizeof count);
    }
    // The size decides, because many binary files begin with the word solid too; some have bytes
    // behind their triangles.
    uint64_t needed = 84 + 50 * (uint64_t)count;
    int text = file->size >= 5 && memcmp(file->data, "solid", 5) == 0 &&
               !memchr(file->data, 0, file->size);
    if (file->size >= 84 && (file->size == needed || (file->size > needed && count > 0 && !text))) {
        file->binary = 1;
        status = read_stl_binary(file, &weld, count);
    } else if (text) {
        status = read_stl_text(file, &weld);
    } else {
        file->binary = 1;
        status =
            file->size < 84
                ? cond_mesh_file_refuse(file, 0, "neither text nor a binary .stl: %zu bytes",
                                        file->size)
                : cond_mesh_file_refuse(file, 80, "%u triangles take %llu bytes; the file has %zu",
                                        count, 84 + 50 * (unsigned long long)count, file->size);
    }
    cond_release(&file->context, weld.slot);
    return status;
}
