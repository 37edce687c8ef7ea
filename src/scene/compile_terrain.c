// Terrain of obstacles: heights or an open surface become a closed one, which the model keeps.
#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh_surface.h"
#include "mesh/mesh_mend.h"
#include "scene/compile.h"
#include "scene/scene_files.h"
#include "scene/terrain.h"

#include <stdio.h>

// The open surface over the heights of an obstacle.
static CondStatus take_heights(const CondScene* scene, const CondObstacleDef* def, CondMesh** open,
                               CondError* error)
{
    const CondContext* m = &scene->arena.context;
    CondHeights heights = {.context = *m};
    if (def->n_row > 0) {
        // Only looked at.
        heights = (CondHeights){*m, def->n_row, def->n_column, (double*)def->heights};
        return cond_heights_surface(&heights, def->extent, def->height, open, error);
    }
    CondStatus status = cond_scene_get_heights(scene, def->mesh, &heights, error);
    if (!status)
        status = cond_heights_surface(&heights, def->extent, def->height, open, error);
    cond_heights_destroy(&heights);
    return status;
}

static CondStatus take_surface(const CondScene* scene, const CondObstacleDef* def, CondMesh** open,
                               CondError* error)
{
    CondStatus status = cond_scene_get_mesh(scene, def->mesh, open, error);
    for (int k = 0; k < 3 * (status ? 0 : (*open)->n_node); k++)
        (*open)->node[k] *= def->mesh_scale;
    if (!status)
        status = cond_mesh_mend(*open, error);
    if (!status && (*open)->n_triangle == 0)
        status =
            cond_error_set(error, COND_BAD_INPUT, "%.1000s: there are no triangles", def->mesh);
    return status;
}

CondStatus cond_compile_terrain(CondModel* model, const CondScene* scene,
                                const CondObstacleDef* def, CondSolid* solid,
                                CondMeshSurface** mesh_surface, CondError* error)
{
    CondMesh *open = NULL, *closed = NULL;
    CondError inner = {COND_OK, "out of memory"};
    *mesh_surface = NULL;
    CondStatus status = COND_RESERVE(&model->arena, model->mesh_surface, model->n_mesh_surface + 1);
    if (!status)
        status = def->shape == COND_SHAPE_HEIGHTFIELD ? take_heights(scene, def, &open, &inner)
                                                      : take_surface(scene, def, &open, &inner);
    if (!status)
        status = cond_terrain_close(open, def->depth, &closed, &solid->thin, &inner);
    if (!status)
        status =
            cond_mesh_surface_create(&model->arena.context, closed->n_node, closed->node,
                                     closed->n_triangle, closed->triangle, mesh_surface, &inner);
    if (!status) {
        model->mesh_surface[model->n_mesh_surface++] = *mesh_surface;
        // What is looked at of ground is near; of a convex shape it would be all.
        (*mesh_surface)->poly.convex = 0;
    }
    cond_mesh_destroy(closed);
    cond_mesh_destroy(open);
    if (status == COND_BAD_ARGUMENT)
        status = COND_BAD_INPUT;
    return status ? cond_error_set(error, status, "obstacle %s: shape: %.1800s", def->name,
                                   inner.message)
                  : COND_OK;
}
