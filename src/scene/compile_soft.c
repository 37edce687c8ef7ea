// Compiles soft bodies: their elements, their masses and their surface.
#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"
#include "mesh/mesh_quadratic.h"
#include "model/fem.h"
#include "scene/compile.h"
#include "scene/scene_files.h"

#include <string.h>

static CondStatus get_mesh(const CondScene* scene, const CondBodyDef* def, CondMesh** mesh,
                           CondError* error)
{
    CondError inner = {COND_OK, ""};
    CondStatus status = cond_scene_get_mesh(scene, def->mesh, mesh, &inner);
    if (!status)
        status =
            cond_mesh_transform(*mesh, def->mesh_scale, def->orientation, def->position, &inner);
    if (!status)
        status = def->kind == COND_BODY_SHELL
                     ? cond_mesh_check_shell(&scene->arena.context, *mesh, &inner)
                     : cond_mesh_check_solid(&scene->arena.context, *mesh, &inner);
    if (status)
        cond_error_set(error, status == COND_BAD_ARGUMENT ? COND_BAD_INPUT : status,
                       "body %s: mesh: %s", def->name, inner.message);
    return status == COND_BAD_ARGUMENT ? COND_BAD_INPUT : status;
}

static const CondMaterialDef* find_material(const CondScene* scene, const char* name)
{
    for (int i = 0; i < scene->n_material; i++)
        if (strcmp(scene->material[i].name, name) == 0)
            return &scene->material[i];
    return NULL;
}

static CondFemMaterial material_of(const CondMaterialDef* def)
{
    CondFemMaterial material = cond_fem_material_default();
    material.kind =
        def->elasticity == COND_ELASTICITY_NEOHOOKEAN ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL;
    material.youngs_modulus = def->youngs_modulus;
    material.poisson_ratio = def->poisson_ratio;
    material.density = def->density;
    material.mass_damping = def->mass_damping;
    material.stiffness_damping = def->stiffness_damping;
    material.weft_modulus = def->weft_modulus;
    material.shear_modulus = def->shear_modulus;
    material.bending = def->bending;
    material.bending_weft = def->bending_weft;
    material.strain_limit = def->strain_limit;
    material.limit_modulus = def->limit_modulus;
    material.yield_curvature = def->yield_curvature;
    material.yield_hardening = def->yield_hardening;
    return material;
}

// The mesh becomes that of the tetrahedra which quadratic elements cover.
static CondStatus make_quadratic(const CondContext* m, const CondFemMaterial* material,
                                 CondMesh** mesh, CondFem* fem, CondError* error)
{
    CondMeshQuadratic made;
    CondMesh* cut = NULL;
    CondStatus status = cond_mesh_quadratic_create(m, *mesh, &made, error);
    if (status)
        return status;
    CondFemShape shape = {.kind = COND_FEM_QUADRATIC,
                          .n_node = made.n_node,
                          .node = made.node,
                          .n_element = made.n_tet,
                          .element = made.element};
    status = cond_fem_create(m, &shape, 1, material, NULL, fem, error);
    if (!status)
        status = cond_mesh_create(m, fem->n_node, fem->n_tet, 0, &cut, error);
    if (!status) {
        memcpy(cut->node, fem->rest, 3 * (size_t)fem->n_node * sizeof *cut->node);
        memcpy(cut->tet, fem->tet, 4 * (size_t)fem->n_tet * sizeof *cut->tet);
        status = cond_mesh_surface(cut, error);
    }
    cond_mesh_quadratic_destroy(&made);
    if (status) {
        cond_mesh_destroy(cut);
        return status;
    }
    cond_mesh_destroy(*mesh);
    *mesh = cut;
    return COND_OK;
}

// What elements are made of: the body's material, then those of its patches. An element all of
// whose corners lie in patches that name one has that of the last of them.
typedef struct Materials {
    int n;
    CondFemMaterial* material; //                  (n)
    int* of_element;           //          (n_element)
} Materials;

static void release_materials(const CondContext* m, Materials* out)
{
    cond_release(m, out->material);
    cond_release(m, out->of_element);
}

static CondStatus gather_materials(const CondScene* scene, const CondBodyDef* def,
                                   const CondMesh* mesh, int n_corner, int n_element,
                                   const int* element, Materials* out)
{
    const CondContext* m = &scene->arena.context;
    out->n = 1;
    out->material = cond_allocate(m, (size_t)scene->n_patch + 1, sizeof *out->material);
    out->of_element = cond_allocate(m, (size_t)n_element, sizeof *out->of_element);
    if (!out->material || !out->of_element)
        return COND_OUT_OF_MEMORY;
    out->material[0] = material_of(find_material(scene, def->material));
    for (int p = 0; p < scene->n_patch; p++) {
        const CondPatchDef* patch = &scene->patch[p];
        if (!patch->material[0] || strcmp(patch->body, def->name) != 0)
            continue;
        out->material[out->n] = material_of(find_material(scene, patch->material));
        for (int i = 0; i < n_element; i++) {
            int inside = 1;
            for (int k = 0; k < 3 * n_corner && inside; k++) {
                double x = mesh->node[3 * (size_t)element[n_corner * i + k / 3] + k % 3];
                inside = x >= patch->low[k % 3] && x <= patch->high[k % 3];
            }
            if (inside)
                out->of_element[i] = out->n;
        }
        out->n++;
    }
    return COND_OK;
}

static CondStatus create_fem(CondModel* model, const CondScene* scene, const CondBodyDef* def,
                             const CondMesh* mesh, const CondFemShape* shape, CondFem* fem,
                             CondError* error)
{
    Materials made = {0};
    CondStatus status = gather_materials(scene, def, mesh, shape->kind == COND_FEM_SHELL ? 3 : 4,
                                         shape->n_element, shape->element, &made);
    if (status)
        cond_error_set(error, status, "out of memory");
    else
        status = cond_fem_create(&model->arena.context, shape, made.n, made.material,
                                 made.of_element, fem, error);
    release_materials(&scene->arena.context, &made);
    return status;
}

static CondStatus make_fem(CondModel* model, const CondScene* scene, CondBody* body,
                           const CondBodyDef* of, CondMesh** mesh, const CondMaterialDef* def,
                           CondError* error)
{
    CondElement element = of->element;
    CondFemMaterial material = material_of(def);
    body->geometric = def->geometric;
    body->geometric_stiffness = def->geometric_stiffness;
    body->fem = cond_arena_allocate(&model->arena, 1, sizeof *body->fem);
    if (!body->fem)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (body->shell) {
        double R[9];
        CondFemShape shape = {.kind = COND_FEM_SHELL,
                              .n_node = (*mesh)->n_node,
                              .node = (*mesh)->node,
                              .n_element = (*mesh)->n_triangle,
                              .element = (*mesh)->triangle,
                              .thickness = of->thickness};
        quat_matrix(body->initial.orientation, R);
        mat3_multiply(R, of->warp, shape.warp);
        return create_fem(model, scene, of, *mesh, &shape, body->fem, error);
    }
    if (element == COND_ELEMENT_QUADRATIC)
        return make_quadratic(&model->arena.context, &material, mesh, body->fem, error);
    CondFemShape shape = {.kind = element == COND_ELEMENT_SMOOTHED ? COND_FEM_SMOOTHED
                                                                   : COND_FEM_LINEAR,
                          .n_node = (*mesh)->n_node,
                          .node = (*mesh)->node,
                          .n_element = (*mesh)->n_tet,
                          .element = (*mesh)->tet};
    return create_fem(model, scene, of, *mesh, &shape, body->fem, error);
}

CondStatus cond_compile_soft(CondModel* model, const CondScene* scene, int index, CondError* error)
{
    const CondBodyDef* def = &scene->body[index];
    const CondMaterialDef* material = find_material(scene, def->material);
    CondBody* body = &model->body[index];
    CondMesh* mesh = NULL;
    if (!material)
        return cond_error_set(error, COND_BAD_INPUT, "body %s: no material is named '%s'",
                              def->name, def->material);
    CondStatus status = get_mesh(scene, def, &mesh, error);
    if (!status)
        status = make_fem(model, scene, body, def, &mesh, material, error);
    if (!status) {
        size_t n = (size_t)mesh->n_node;
        body->n_dof = 3 * mesh->n_node;
        body->n_q = body->n_dof + body->fem->n_inner;
        body->mass = body->fem->total_mass;
        body->start = cond_arena_allocate(&model->arena, (size_t)body->n_q, sizeof(double));
        body->start_v = cond_arena_allocate(&model->arena, 3 * n, sizeof(double));
        body->diagonal_begin = cond_arena_allocate(&model->arena, n + 1, sizeof(int));
        body->triangle =
            cond_arena_allocate(&model->arena, 3 * (size_t)mesh->n_triangle, sizeof(int));
        if (!body->start || !body->start_v || !body->diagonal_begin || !body->triangle)
            status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
        for (size_t i = 0; i < 3 * n && !status; i++) {
            body->start[i] = mesh->node[i];
            body->start_v[i] = def->velocity[i % 3];
        }
        if (!status) {
            body->n_triangle = mesh->n_triangle;
            memcpy(body->triangle, mesh->triangle, 3 * (size_t)mesh->n_triangle * sizeof(int));
        }
        for (size_t i = 0; i <= n && !status; i++)
            body->diagonal_begin[i] = (int)i;
    }
    if (!status && model->max_point_dof < 12)
        model->max_point_dof = 12;
    body->self_contact = def->self_contact;
    body->thickness = body->shell ? 0.5 * def->thickness : def->thickness;
    cond_mesh_destroy(mesh);
    return status;
}
