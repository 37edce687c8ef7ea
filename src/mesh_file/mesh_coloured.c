// Triangles to be looked at, joined from pieces that each have the colour of a material.
#include "mesh_file/mesh_coloured.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh_file/mesh_import.h"
#include "mesh_file/mesh_palette.h"

#include <string.h>

// What the reader found changes hands; triangles behind the last statement of a material, or of
// formats that know none, have no colour.
static CondStatus take(CondMeshFile* file, CondMeshPalette* palette, CondColouredMesh* mesh)
{
    palette->current = -1;
    CondStatus status = cond_mesh_palette_paint(file);
    if (status)
        return status;
    mesh->n_node = file->n_node;
    mesh->n_triangle = file->n_triangle;
    mesh->node = file->node;
    mesh->triangle = file->triangle;
    mesh->colour = palette->colour;
    file->node = NULL;
    file->triangle = NULL;
    palette->colour = NULL;
    return COND_OK;
}

CondStatus cond_coloured_mesh_read(const CondContext* context, const char* path,
                                   CondColouredMesh* mesh, CondError* error)
{
    *mesh = (CondColouredMesh){.context = cond_context_or_default(context)};
    CondMeshPalette palette;
    CondMeshFile file;
    cond_mesh_palette_begin(&mesh->context, &palette);
    CondStatus status = cond_mesh_file_open(&file, context, path, error);
    if (!status && cond_mesh_file_is_known(path)) {
        file.palette = &palette;
        status = cond_mesh_file_read(&file);
        if (!status)
            status = take(&file, &palette, mesh);
    } else if (!status) {
        status = cond_coloured_mesh_import(&file, mesh);
    }
    if (status == COND_OUT_OF_MEMORY)
        cond_error_set(error, status, "%.1000s: no memory for its triangles", path);
    cond_mesh_file_close(&file);
    cond_mesh_palette_end(&palette);
    return status;
}

void cond_coloured_mesh_release(CondColouredMesh* mesh)
{
    cond_release(&mesh->context, mesh->node);
    cond_release(&mesh->context, mesh->triangle);
    cond_release(&mesh->context, mesh->colour);
    mesh->n_node = mesh->n_triangle = 0;
}
