// The plain colours of an OBJ file: materials of its .mtl files (Kd, d, Tr) and which triangles
// have them.
#include "mesh_file/mesh_palette.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void cond_mesh_palette_begin(const CondContext* context, CondMeshPalette* palette)
{
    *palette = (CondMeshPalette){.current = -1};
    cond_arena_begin(context, &palette->arena);
}

void cond_mesh_palette_end(CondMeshPalette* palette)
{
    cond_release(&palette->arena.context, palette->colour);
    cond_arena_release(&palette->arena);
}

// The rest of the line, without the white space around it.
static const char* rest_of_line(const CondMeshFile* file, size_t* length)
{
    size_t begin = file->at, end = begin;
    while (end < file->size && file->data[end] != '\n')
        end++;
    while (begin < end && strchr(" \t\r", file->data[begin]))
        begin++;
    while (end > begin && strchr(" \t\r", file->data[end - 1]))
        end--;
    *length = end - begin;
    return file->data + begin;
}

static int is_word(const char* word, size_t length, const char* known)
{
    return strlen(known) == length && memcmp(word, known, length) == 0;
}

static CondStatus add_material(CondMeshPalette* palette, const char* name, size_t length)
{
    char* kept = cond_arena_allocate(&palette->arena, length + 1, 1);
    if (!kept || COND_RESERVE(&palette->arena, palette->material, palette->n_material + 1))
        return COND_OUT_OF_MEMORY;
    memcpy(kept, name, length);
    palette->material[palette->n_material++] =
        (CondMeshMaterial){.name = kept, .colour = {-1.0f, -1.0f, -1.0f, 1.0f}};
    return COND_OK;
}

// Up to n numbers of the line that are in the text; returns how many.
static int read_numbers(CondMeshFile* mtl, int n, double* value)
{
    size_t length;
    const char* line = rest_of_line(mtl, &length);
    size_t end = (size_t)(line - mtl->data) + length;
    mtl->at = end - length;
    for (int k = 0; k < n; k++)
        if (mtl->at >= end || cond_mesh_file_number(mtl, "a colour", &value[k]))
            return k;
    return n;
}

static float within(double x)
{
    return x > 0.0 ? (x < 1.0 ? (float)x : 1.0f) : 0.0f;
}

// One statement of a material; those that are not about its plain colour are passed over, and so
// is a colour that is no three numbers.
static void read_statement(CondMeshFile* mtl, const char* word, size_t length,
                           CondMeshMaterial* material)
{
    double value[3];
    if (is_word(word, length, "Kd") && read_numbers(mtl, 3, value) == 3) {
        for (int k = 0; k < 3; k++)
            material->colour[k] = within(value[k]);
        return;
    }
    double opacity = -1.0;
    if (is_word(word, length, "d") && read_numbers(mtl, 1, value) == 1)
        opacity = value[0];
    else if (is_word(word, length, "Tr") && read_numbers(mtl, 1, value) == 1)
        opacity = 1.0 - value[0];
    if (opacity > 0.0) // exporters write 0 for what is not clear at all
        material->colour[3] = within(opacity);
}

static CondStatus read_materials(CondMeshFile* mtl, CondMeshPalette* palette)
{
    CondStatus status = COND_OK;
    for (; mtl->at < mtl->size && !status; cond_mesh_file_skip_line(mtl)) {
        size_t length, n_name;
        while (mtl->at < mtl->size && strchr(" \t\r", mtl->data[mtl->at]))
            mtl->at++;
        if (mtl->at == mtl->size || mtl->data[mtl->at] == '\n')
            continue;
        const char* word = cond_mesh_file_word(mtl, &length);
        if (is_word(word, length, "newmtl")) {
            const char* name = rest_of_line(mtl, &n_name);
            status = add_material(palette, name, n_name);
        } else if (palette->n_material > 0) {
            read_statement(mtl, word, length, &palette->material[palette->n_material - 1]);
        }
    }
    return status;
}

CondStatus cond_mesh_palette_load(CondMeshFile* file, const char* name, size_t length)
{
    CondMeshPalette* palette = file->palette;
    const char* slash = strrchr(file->path, '/');
    size_t folder = slash && !(length > 0 && name[0] == '/') ? (size_t)(slash + 1 - file->path) : 0;
    char* path = cond_arena_allocate(&palette->arena, folder + length + 1, 1);
    if (!path)
        return COND_OUT_OF_MEMORY;
    memcpy(path, file->path, folder);
    memcpy(path + folder, name, length);
    CondMeshFile mtl;
    CondStatus status = cond_mesh_file_open(&mtl, &file->context, path, NULL);
    if (!status)
        status = read_materials(&mtl, palette);
    cond_mesh_file_close(&mtl);
    return status == COND_OUT_OF_MEMORY ? status : COND_OK;
}

CondStatus cond_mesh_palette_choose(CondMeshFile* file, const char* name, size_t length)
{
    CondMeshPalette* palette = file->palette;
    palette->current = -1;
    for (int i = 0; i < palette->n_material; i++)
        if (is_word(name, length, palette->material[i].name))
            palette->current = i;
    return COND_OK;
}

CondStatus cond_mesh_palette_paint(CondMeshFile* file)
{
    static const float none[4] = {-1.0f, -1.0f, -1.0f, 1.0f};
    CondMeshPalette* palette = file->palette;
    const float* colour = palette->current < 0 ? none : palette->material[palette->current].colour;
    if (cond_reserve(&file->context, &palette->colour, &palette->colour_capacity, file->n_triangle,
                     4 * sizeof *palette->colour))
        return COND_OUT_OF_MEMORY;
    for (; palette->n_painted < file->n_triangle; palette->n_painted++)
        memcpy(palette->colour + 4 * (size_t)palette->n_painted, colour, sizeof none);
    return COND_OK;
}
