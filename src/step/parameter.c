// Changes of values between two steps of a simulation, in its own copy of the model.
#include "cond/parameter.h"

#include "base/definition.h"
#include "base/error.h"
#include "math/vec3.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "model/index.h"
#include "model/model_copy.h"
#include "model/rod.h"
#include "sim/sim.h"
#include "sleep/sleep.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const CondModel* cond_sim_model(const CondSim* sim)
{
    return sim->model;
}

// Nothing that was known of the values before counts any more, and nobody sleeps.
static CondStatus note_change(CondSim* sim)
{
    sim->values->values = cond_model_values(sim->model);
    sim->energy.known = sim->energy.resumed = 0;
    sim->attempt.done = 0;
    for (int b = 0; b < sim->model->n_body; b++)
        if (sim->targets.ik[b])
            cond_ik_rebind(sim->targets.ik[b], sim->model->body[b].arm);
    cond_watch_create(sim);
    cond_sleep_forget(sim);
    cond_solver_reset(sim->solver);
    return COND_OK;
}

static CondStatus check_method(const CondSim* sim, const char* function)
{
    CondStepMethod method = sim->model->settings.method;
    if (method == COND_STEP_VELOCITY)
        return COND_OK;
    return cond_error_set(NULL, COND_NOT_SUPPORTED, "%s: not with step.method %s", function,
                          cond_step_method_name(method));
}

static CondStatus check_finite(const char* function, const char* what, const double* x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return cond_error_set(NULL, COND_BAD_ARGUMENT,
                                  "%s: %s[%d] is %g, expected a finite number", function, what, i,
                                  x[i]);
    return COND_OK;
}

CondStatus cond_sim_reset_parameters(CondSim* sim)
{
    cond_model_copy_renew(sim->values);
    return note_change(sim);
}

CondStatus cond_sim_set_gravity(CondSim* sim, const double gravity[3])
{
    CondStatus status = check_method(sim, __func__);
    if (!status)
        status = check_finite(__func__, "gravity", gravity, 3);
    if (status)
        return status;
    memcpy(sim->values->model.settings.gravity, gravity, 3 * sizeof *gravity);
    return note_change(sim);
}

// ---- masses

static CondStatus set_rigid(CondBody* body, const CondLink* given)
{
    int particle = body->kind == COND_BODY_PARTICLE;
    if (!(given->mass > 0.0))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "'%s': mass is %g, expected a positive number", body->name,
                              given->mass);
    if (vec3_norm(given->com) > 0.0)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "'%s': center is (%g, %g, %g); the axes of a rigid body begin at its "
                              "centre of mass, expected 0 0 0",
                              body->name, given->com[0], given->com[1], given->com[2]);
    body->mass = given->mass;
    if (!particle)
        memcpy(body->inertia, given->inertia, sizeof body->inertia);
    return COND_OK;
}

// A link's, in the copy's own articulation; what was there stays where it makes no sense.
static CondStatus set_link(CondModelCopy* copy, int body, int index, const CondLink* given)
{
    CondStatus status = cond_model_copy_own(copy, body);
    if (status)
        return cond_error_set(NULL, status, "out of memory");
    CondBody* robot = &copy->model.body[body];
    CondLink* link = &robot->arm->link[index];
    CondLink before = *link;
    link->mass = given->mass;
    memcpy(link->com, given->com, sizeof link->com);
    memcpy(link->inertia, given->inertia, sizeof link->inertia);
    status = cond_articulation_weigh(robot->arm, NULL);
    if (!status)
        status = cond_articulation_check_mass(robot->arm, NULL);
    if (status) {
        *link = before;
        cond_articulation_weigh(robot->arm, NULL);
        return status;
    }
    robot->mass = 0.0;
    for (int i = 0; i < robot->arm->n_link; i++)
        robot->mass += robot->arm->link[i].mass;
    return COND_OK;
}

CondStatus cond_sim_set_inertia(CondSim* sim, int body, int link, const CondInertia* inertia)
{
    CondModel* model = &sim->values->model;
    CondStatus status = check_method(sim, __func__);
    if (!status)
        status = cond_model_check_link(model, body, link);
    if (status)
        return status;
    CondBody* b = &model->body[body];
    if (b->fem || b->rod)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "'%s' is of kind %s: its mass follows from its material "
                              "(cond_sim_set_material)",
                              b->name, cond_body_kind_name(b->kind));
    const double* I = inertia->inertia;
    CondLink given = {.mass = inertia->mass,
                      .inertia = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}};
    memcpy(given.com, inertia->center, sizeof given.com);
    snprintf(given.name, sizeof given.name, "%s", b->arm ? b->arm->link[link].name : b->name);
    if (b->kind != COND_BODY_PARTICLE)
        status = cond_link_check_inertia(&given, NULL);
    if (!status)
        status = check_finite(__func__, "mass", &given.mass, 1);
    if (!status)
        status = b->arm ? set_link(sim->values, body, link, &given) : set_rigid(b, &given);
    return status ? status : note_change(sim);
}

// ---- surfaces

static CondStatus check_surface(const char* function, const CondSurfaceDef* surface)
{
    const double *mu = surface->friction, e = surface->restitution;
    if (isnan(mu[0]) != isnan(mu[1]) || mu[0] < 0.0 || mu[1] < 0.0 || isinf(mu[0]) || isinf(mu[1]))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "%s: friction is (%g, %g), expected two numbers from 0 on, or NaN "
                              "twice",
                              function, mu[0], mu[1]);
    if (e < 0.0 || e > 1.0)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "%s: restitution is %g, expected 0 to 1, or NaN", function, e);
    return COND_OK;
}

CondStatus cond_sim_set_body_surface(CondSim* sim, int body, int link,
                                     const CondSurfaceDef* surface)
{
    CondModel* model = &sim->values->model;
    CondStatus status = check_method(sim, __func__);
    if (!status)
        status = link == -1 ? cond_model_check_body(model, body)
                            : cond_model_check_link(model, body, link);
    if (!status)
        status = check_surface(__func__, surface);
    if (status)
        return status;
    CondBody* b = &model->body[body];
    int n = 0, whole = link == -1 || (b->kind != COND_BODY_ROBOT && b->kind != COND_BODY_ROD);
    for (int i = 0; i < model->n_solid; i++) {
        CondSolid* solid = &model->solid[i];
        if (solid->body != body || (!whole && solid->part != link))
            continue;
        solid->surface.own = *surface;
        n++;
    }
    if (whole)
        b->surface.own = *surface;
    else if (n == 0)
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "link %d of '%s' has no surface of its own",
                              link, b->name);
    return note_change(sim);
}

CondStatus cond_sim_set_plane_surface(CondSim* sim, int plane, const CondSurfaceDef* surface)
{
    CondSurfaceDef known;
    CondStatus status = check_method(sim, __func__);
    if (!status)
        status = cond_model_plane_surface(sim->model, plane, &known);
    if (!status)
        status = check_surface(__func__, surface);
    if (status)
        return status;
    sim->values->model.plane[plane].surface.own = *surface;
    return note_change(sim);
}

CondStatus cond_sim_set_obstacle_surface(CondSim* sim, int obstacle, const CondSurfaceDef* surface)
{
    CondSurfaceDef known;
    CondStatus status = check_method(sim, __func__);
    if (!status)
        status = cond_model_obstacle_surface(sim->model, obstacle, &known);
    if (!status)
        status = check_surface(__func__, surface);
    if (status)
        return status;
    sim->values->model.obstacle[obstacle].surface.own = *surface;
    return note_change(sim);
}

// ---- materials

static CondFemMaterial fem_material(const CondMaterialDef* def)
{
    return (CondFemMaterial){.kind = def->elasticity == COND_ELASTICITY_NEOHOOKEAN
                                         ? COND_FEM_NEOHOOKEAN
                                         : COND_FEM_COROTATIONAL,
                             .youngs_modulus = def->youngs_modulus,
                             .poisson_ratio = def->poisson_ratio,
                             .density = def->density,
                             .mass_damping = def->mass_damping,
                             .stiffness_damping = def->stiffness_damping};
}

static void set_rod(CondBody* body, const CondMaterialDef* def)
{
    CondRodMaterial material = {def->youngs_modulus, def->poisson_ratio, def->density,
                                def->mass_damping, def->stiffness_damping};
    cond_rod_set_material(body->rod, &material);
    body->mass = 0.0;
    for (int i = 0; i < body->rod->n_link; i++)
        body->mass += body->rod->mass[i];
}

CondStatus cond_sim_set_material(CondSim* sim, int body, const CondMaterialDef* material)
{
    CondMaterialDef def = cond_material_def_default();
    CondStatus status = check_method(sim, __func__);
    if (!status)
        status =
            cond_definition_take(material, &def, sizeof def, offsetof(CondMaterialDef, struct_size),
                                 "cond_material_def_default", NULL);
    if (!status)
        status =
            cond_model_material(sim->model, body, &(CondMaterialDef){.struct_size = sizeof def});
    CondFemMaterial checked = fem_material(&def);
    if (!status)
        status = cond_fem_material_check(&checked, NULL);
    if (!status && (def.geometric_stiffness < 0.0 || !isfinite(def.geometric_stiffness)))
        status = cond_error_set(NULL, COND_BAD_ARGUMENT,
                                "material: geometric_stiffness is %g, expected a number from 0 on",
                                def.geometric_stiffness);
    if (status)
        return status;
    if (cond_model_copy_own(sim->values, body))
        return cond_error_set(NULL, COND_OUT_OF_MEMORY, "out of memory");
    CondBody* b = &sim->values->model.body[body];
    b->geometric = def.geometric;
    b->geometric_stiffness = def.geometric_stiffness;
    if (b->rod) {
        set_rod(b, &def);
    } else {
        cond_fem_set_material(b->fem, &checked, NULL);
        b->mass = b->fem->total_mass;
    }
    return note_change(sim);
}
