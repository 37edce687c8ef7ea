// Writes meshes: what the formats share, and the choice of a format by the path.
#define _POSIX_C_SOURCE 200809L
#include "mesh_file/mesh_write.h"

#include "base/definition.h"
#include "base/enum_name.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "mesh/mesh_build.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

COND_ENUM_TABLE(CondMeshEncoding, cond_mesh_encoding, {COND_MESH_BINARY, "binary"},
                {COND_MESH_ASCII, "ascii"}, {COND_MESH_BASE64, "base64"})

// Room for so many more bytes; 0 when memory is short.
static int make_room(CondMeshText* text, size_t more)
{
    if (text->failed)
        return 0;
    if (more <= text->capacity - text->size)
        return 1;
    size_t capacity = text->capacity + text->capacity / 2 + more + 4096;
    char* grown = cond_allocate(&text->context, capacity, 1);
    if (!grown) {
        text->failed = 1;
        return 0;
    }
    if (text->size)
        memcpy(grown, text->data, text->size);
    cond_release(&text->context, text->data);
    text->data = grown;
    text->capacity = capacity;
    return 1;
}

void cond_mesh_text_bytes(CondMeshText* text, const void* bytes, size_t size)
{
    if (size == 0 || !make_room(text, size))
        return;
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

void cond_mesh_text_add(CondMeshText* text, const char* format, ...)
{
    char line[512]; // no line of any format is longer
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cond_mesh_text_bytes(text, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

void cond_mesh_text_int32(CondMeshText* text, int32_t value)
{
    cond_mesh_text_bytes(text, &value, sizeof value);
}

void cond_mesh_text_int64(CondMeshText* text, int64_t value)
{
    cond_mesh_text_bytes(text, &value, sizeof value);
}

void cond_mesh_text_escaped(CondMeshText* text, const char* from)
{
    for (; *from; from++) {
        switch (*from) {
        case '&':
            cond_mesh_text_add(text, "&amp;");
            break;
        case '<':
            cond_mesh_text_add(text, "&lt;");
            break;
        case '"':
            cond_mesh_text_add(text, "&quot;");
            break;
        default:
            cond_mesh_text_bytes(text, from, 1);
        }
    }
}

void cond_mesh_text_base64(CondMeshText* text, const void* bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char* in = bytes;
    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        unsigned group = (unsigned)in[i] << 16;
        group |= n > 1 ? (unsigned)in[i + 1] << 8 : 0;
        group |= n > 2 ? in[i + 2] : 0;
        char out[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                       digits[group & 63]};
        for (size_t k = n + 1; k < 4; k++)
            out[k] = '=';
        cond_mesh_text_bytes(text, out, sizeof out);
    }
}

CondStatus cond_mesh_text_file(const CondContext* context, const char* path, int n,
                               const CondMeshText* const* text, CondError* error)
{
    CondFilePart part[COND_MESH_TEXT_PARTS];
    for (int k = 0; k < n; k++) {
        if (text[k]->failed)
            return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.1000s", path);
        part[k] = (CondFilePart){text[k]->data, text[k]->size};
    }
    return cond_file_replace(context, path, n, part, error);
}

CondMeshElements cond_mesh_elements(const CondMesh* mesh)
{
    CondMeshElements tets = {mesh->n_tet, 4, mesh->tet};
    CondMeshElements triangles = {mesh->n_triangle, 3, mesh->triangle};
    return mesh->n_tet ? tets : triangles;
}

void cond_mesh_write_settings_default_fill(CondMeshWriteSettings* made, size_t size)
{
    const CondMeshWriteSettings defaults = {.encoding = COND_MESH_BINARY, .gmsh_version = 41};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondMeshWriteSettings, struct_size));
}

typedef struct Format {
    const char* ending;
    int surface_only; // no tetrahedra
    int narrow;       // binary numbers have 32 bits
    int base64;
    void (*write)(CondMeshText* text, const CondMesh* mesh, const CondMeshWriteSettings* settings);
} Format;

static const Format formats[] = {
    {".msh", 0, 0, 0, cond_mesh_write_gmsh}, {".vtk", 0, 0, 0, cond_mesh_write_vtk},
    {".vtu", 0, 0, 1, cond_mesh_write_vtu},  {".obj", 1, 0, 0, cond_mesh_write_obj},
    {".stl", 1, 1, 0, cond_mesh_write_stl},
};

static const Format* find_format(const char* path)
{
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof formats[0]; i++)
        if (strcasecmp(dot, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

// A coordinate beyond what 32 bits hold would be written as infinite.
static CondStatus check_range(const char* path, const Format* format, const CondMesh* mesh,
                              const CondMeshWriteSettings* settings, CondError* error)
{
    if (!format->narrow || settings->encoding == COND_MESH_ASCII)
        return COND_OK;
    for (int i = 0; i < mesh->n_node; i++)
        for (int k = 0; k < 3; k++)
            if (fabs(mesh->node[3 * (size_t)i + k]) > FLT_MAX)
                return cond_error_set(
                    error, COND_NOT_SUPPORTED,
                    "%.1000s: node %d is at %g, and a binary %s file holds no more "
                    "than %.3g; as text it can be written",
                    path, i, mesh->node[3 * (size_t)i + k], format->ending, (double)FLT_MAX);
    return COND_OK;
}

static CondStatus check_settings(const char* path, const Format* format, const CondMesh* mesh,
                                 const CondMeshWriteSettings* settings, CondError* error)
{
    if (!format)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "%.1000s: its ending is none of .msh, .vtk, .vtu, .obj, .stl", path);
    if (format->surface_only && mesh->n_tet)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "%.1000s: %s files cannot hold the %d tetrahedra of the mesh; its "
                              "surface alone can be written",
                              path, format->ending, mesh->n_tet);
    if (settings->encoding == COND_MESH_BASE64 && !format->base64)
        return cond_error_set(error, COND_NOT_SUPPORTED, "%.1000s: base64 is for .vtu files only",
                              path);
    if (settings->compress && (!format->base64 || settings->encoding == COND_MESH_ASCII))
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "%.1000s: only binary .vtu files can be compressed", path);
    if (settings->gmsh_version != 22 && settings->gmsh_version != 41)
        return cond_error_set(error, COND_NOT_SUPPORTED,
                              "%.1000s: gmsh version %d.%d; 2.2 and 4.1 can be written", path,
                              settings->gmsh_version / 10, settings->gmsh_version % 10);
    return COND_OK;
}

CondStatus cond_mesh_write(const CondContext* context, const char* path, const CondMesh* mesh,
                           const CondMeshWriteSettings* settings, CondError* error)
{
    CondMeshWriteSettings own = cond_mesh_write_settings_default();
    const CondMeshWriteSettings* used = &own;
    const Format* format = find_format(path);
    CondStatus status = COND_OK;
    if (settings)
        status = cond_definition_take(settings, &own, sizeof own,
                                      offsetof(CondMeshWriteSettings, struct_size),
                                      "cond_mesh_write_settings_default", error);
    if (status == COND_OK)
        status = check_settings(path, format, mesh, used, error);
    if (status == COND_OK)
        status = cond_mesh_check_sound(mesh, error);
    if (status == COND_OK)
        status = check_range(path, format, mesh, used, error);
    if (status != COND_OK)
        return status;
    // Numbers have a decimal point, whatever the language of the host program.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.1000s", path);
    locale_t before = uselocale(plain);
    CondMeshText text = {.context = cond_context_or_default(context)};
    format->write(&text, mesh, used);
    const CondMeshText* const whole = &text;
    status = cond_mesh_text_file(&text.context, path, 1, &whole, error);
    cond_release(&text.context, text.data);
    uselocale(before);
    freelocale(plain);
    return status;
}
