// The values of a model that a simulation may change: read one by one, and all as one number.
#include "cond/parameter.h"

#include "base/definition.h"
#include "base/error.h"
#include "base/hash.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "model/index.h"
#include "model/model_copy.h"
#include "model/rod.h"
#include "model/state.h"

#include <string.h>

static uint64_t add_numbers(uint64_t hash, const double* x, int n)
{
    for (int i = 0; i < n; i++) {
        double plain = x[i] + 0.0; // -0 and 0 are the same value
        hash = cond_hash_bytes(hash, &plain, sizeof plain);
    }
    return hash;
}

static uint64_t add_skin(uint64_t hash, const CondSkin* skin)
{
    hash = add_numbers(hash, skin->own.friction, 2);
    return add_numbers(hash, &skin->own.restitution, 1);
}

static uint64_t add_body(uint64_t hash, const CondBody* body)
{
    hash = add_numbers(hash, &body->mass, 1);
    hash = add_numbers(hash, body->inertia, 9);
    hash = add_skin(hash, &body->surface);
    for (int i = 0; body->arm && i < body->arm->n_link; i++) {
        const CondLink* link = &body->arm->link[i];
        hash = add_numbers(hash, &link->mass, 1);
        hash = add_numbers(hash, link->com, 3);
        hash = add_numbers(hash, link->inertia, 9);
    }
    for (int i = 0; body->fem && i < body->fem->n_material; i++) {
        const CondFemMaterial* m = &body->fem->material[i];
        const double x[] = {(double)m->kind, m->youngs_modulus, m->poisson_ratio,
                            m->density,      m->mass_damping,   m->stiffness_damping};
        hash = add_numbers(hash, x, 6);
    }
    if (body->fem || body->rod) {
        const double geometric[] = {(double)body->geometric, body->geometric_stiffness};
        hash = add_numbers(hash, geometric, 2);
    }
    if (body->rod) {
        const CondRodMaterial* m = &body->rod->material;
        const double x[] = {m->youngs_modulus, m->poisson_ratio, m->density, m->mass_damping,
                            m->stiffness_damping};
        hash = add_numbers(hash, x, 5);
    }
    return hash;
}

uint64_t cond_model_values(const CondModel* model)
{
    uint64_t hash = add_numbers(COND_HASH_START, model->settings.gravity, 3);
    for (int b = 0; b < model->n_body; b++)
        hash = add_body(hash, &model->body[b]);
    for (int i = 0; i < model->n_solid; i++)
        hash = add_skin(hash, &model->solid[i].surface);
    for (int i = 0; i < model->n_obstacle; i++)
        hash = add_skin(hash, &model->obstacle[i].surface);
    for (int i = 0; i < model->n_plane; i++)
        hash = add_skin(hash, &model->plane[i].surface);
    return hash;
}

uint64_t cond_model_parameters(const CondModel* model)
{
    return cond_model_values(model);
}

uint64_t cond_state_parameters(const CondState* state)
{
    return state->account.values;
}

// ---- one by one

// xx, yy, zz, xy, xz, yz of a symmetric matrix.
static void pack_inertia(const double I[9], double packed[6])
{
    const int at[] = {0, 4, 8, 1, 2, 5};
    for (int k = 0; k < 6; k++)
        packed[k] = I[at[k]];
}

CondStatus cond_model_inertia(const CondModel* model, int body, int link, CondInertia* inertia)
{
    CondStatus status = cond_model_check_link(model, body, link);
    memset(inertia, 0, sizeof *inertia);
    if (status)
        return status;
    const CondBody* b = &model->body[body];
    if (b->fem || b->rod)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "body '%s' is of kind %s: its mass follows from its material",
                              b->name, cond_body_kind_name(b->kind));
    inertia->mass = b->arm ? b->arm->link[link].mass : b->mass;
    if (b->arm)
        memcpy(inertia->center, b->arm->link[link].com, sizeof inertia->center);
    pack_inertia(b->arm ? b->arm->link[link].inertia : b->inertia, inertia->inertia);
    return COND_OK;
}

CondStatus cond_model_body_surface(const CondModel* model, int body, int link,
                                   CondSurfaceDef* surface)
{
    CondStatus status =
        link == -1 ? cond_model_check_body(model, body) : cond_model_check_link(model, body, link);
    if (status)
        return status;
    *surface = model->body[body].surface.own;
    for (int i = 0; i < model->n_solid; i++)
        if (model->solid[i].body == body && (link < 0 || model->solid[i].part == link)) {
            *surface = model->solid[i].surface.own;
            break;
        }
    return COND_OK;
}

CondStatus cond_model_plane_surface(const CondModel* model, int plane, CondSurfaceDef* surface)
{
    CondStatus status = cond_index_check("plane", plane, model->n_plane);
    if (status)
        return status;
    *surface = model->plane[plane].surface.own;
    return COND_OK;
}

CondStatus cond_model_obstacle_surface(const CondModel* model, int obstacle,
                                       CondSurfaceDef* surface)
{
    CondStatus status = cond_index_check("obstacle", obstacle, model->n_obstacle);
    if (status)
        return status;
    *surface = model->obstacle[obstacle].surface.own;
    return COND_OK;
}

CondStatus cond_model_material(const CondModel* model, int body, CondMaterialDef* material)
{
    CondStatus status = cond_model_check_body(model, body);
    if (status)
        return status;
    const CondBody* b = &model->body[body];
    CondMaterialDef made = cond_material_def_default();
    if (!b->fem && !b->rod)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "body '%s' is of kind %s: only soft bodies and rods have a material",
                              b->name, cond_body_kind_name(b->kind));
    if (b->fem) {
        const CondFemMaterial* m = &b->fem->material[0];
        made.elasticity = m->kind == COND_FEM_NEOHOOKEAN ? COND_ELASTICITY_NEOHOOKEAN
                                                         : COND_ELASTICITY_COROTATIONAL;
        made.youngs_modulus = m->youngs_modulus;
        made.poisson_ratio = m->poisson_ratio;
        made.density = m->density;
        made.mass_damping = m->mass_damping;
        made.stiffness_damping = m->stiffness_damping;
    } else {
        const CondRodMaterial* m = &b->rod->material;
        made.youngs_modulus = m->youngs_modulus;
        made.poisson_ratio = m->poisson_ratio;
        made.density = m->density;
        made.mass_damping = m->mass_damping;
        made.stiffness_damping = m->stiffness_damping;
    }
    made.geometric = b->geometric;
    made.geometric_stiffness = b->geometric_stiffness;
    size_t size = material->struct_size;
    if (!cond_definition_fits(size, sizeof made))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "the material was not made by cond_material_def_default()");
    made.struct_size = size;
    memcpy(material, &made, size);
    return COND_OK;
}
