// Warns of soft bodies that were left to linear tetrahedra by default where those bend far too
// stiffly.
#include "base/error.h"
#include "base/memory.h"
#include "model/fem.h"
#include "model/fem_bending.h"
#include "scene/compile.h"

#include <stdio.h>
#include <string.h>

// 1 where a body before this one has the same mesh and material, and has been warned of.
static int is_told(const CondScene* scene, int body)
{
    const CondBodyDef* def = &scene->body[body];
    for (int b = 0; b < body; b++) {
        const CondBodyDef* one = &scene->body[b];
        if (one->kind == COND_BODY_SOFT && one->element == COND_ELEMENT_AUTO &&
            strcmp(one->mesh, def->mesh) == 0 && strcmp(one->material, def->material) == 0)
            return 1;
    }
    return 0;
}

CondStatus cond_compile_bending(CondModel* model, const CondScene* scene, CondError* error)
{
    for (int b = 0; b < scene->n_body; b++) {
        const CondBodyDef* def = &scene->body[b];
        const CondFem* fem = model->body[b].fem;
        if (def->kind != COND_BODY_SOFT || def->element != COND_ELEMENT_AUTO || is_told(scene, b))
            continue;
        double excess = cond_fem_bending_excess(fem->rest, fem->n_tet, fem->tet,
                                                fem->material[0].poisson_ratio);
        // Two thirds of the deflection; four elements through a thickness reach four fifths.
        if (!(excess > 1.5))
            continue;
        if (COND_RESERVE(&model->arena, model->warning, model->n_warning + 1))
            return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
        snprintf(model->warning[model->n_warning++], sizeof *model->warning,
                 "body %s: linear tetrahedra on this mesh bend up to %.1f times too stiffly; "
                 "element: quadratic bends right, with about eight times the nodes on the same "
                 "mesh, so that a coarser one serves; element: linear keeps these without a "
                 "warning",
                 def->name, excess);
    }
    return COND_OK;
}
