// Masses, moments of inertia and stiffnesses that came of a scene's numbers are of a size to
// compute with. Those of rigid bodies without a mesh are looked at where their keys are read.
#include "base/error.h"
#include "math/vec3.h"
#include "model/articulation.h"
#include "model/fem.h"
#include "model/rod.h"
#include "model/shell.h"
#include "scene/compile.h"
#include "scene/scene_keys.h"
#include "scene/tuning.h"

#include <math.h>
#include <stdio.h>

// A number with what it is of.
typedef struct Size {
    const CondBody* body;
    const char *of, *unit; // "the mass of a link", "kg"
    CondError* error;
} Size;

static CondStatus check(const Size* size, double value)
{
    if (value >= COND_LEAST && value <= COND_MOST)
        return COND_OK;
    return cond_error_set(size->error, COND_BAD_INPUT,
                          "body %s: %s is %g %s; it must lie in %g .. %g", size->body->name,
                          size->of, value, size->unit, COND_LEAST, COND_MOST);
}

// COND_OK where all n numbers are fine.
static CondStatus check_all(const Size* size, int n, const double* value)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < n && !status; i++)
        status = check(size, value[i]);
    return status;
}

static CondStatus check_rod(const CondBody* body, CondError* error)
{
    const CondRod* rod = body->rod;
    Size mass = {body, "the mass of a link (material: density)", "kg", error};
    Size moment = {body, "a moment of inertia of a link (material: density)", "kg m2", error};
    Size stiff = {body, "a stiffness of the section (material: youngs_modulus)", "N or N m2",
                  error};
    CondStatus status = check_all(&mass, rod->n_link, rod->mass);
    if (!status)
        status = check_all(&moment, 3 * rod->n_link, rod->inertia);
    return status ? status : check_all(&stiff, 6, rod->stiffness);
}

// The stiffness of an element is about (lambda + 2 mu) V |grad|^2.
static CondStatus check_soft(const CondBody* body, CondError* error)
{
    const CondFem* fem = body->fem;
    Size mass = {body, "the mass of a node (material: density)", "kg", error};
    Size stiff = {body, "the stiffness of an element (material: youngs_modulus)", "N/m", error};
    CondStatus status = check_all(&mass, fem->n_node, fem->mass);
    int n = fem->n_corner - 1;
    for (int i = 0; i < fem->n_element && fem->shell && !status; i++)
        for (int k = 0; k < 2 && !status; k++) {
            double slope =
                vec3_norm((double[3]){fem->shell[i].own[2 * k], fem->shell[i].own[2 * k + 1], 0.0});
            const CondShellModuli* moduli = &fem->shell_moduli[fem->material_of_element[i]];
            status = check(&stiff, moduli->stretch[0] * fem->shell[i].area * slope * slope);
        }
    if (fem->shell)
        return status;
    for (int p = 0; p < fem->n_point * fem->n_element && !status; p++) {
        const CondFemModuli* moduli = &fem->moduli[fem->material_of_element[p / fem->n_point]];
        for (int k = 0; k < n && !status; k++) {
            double slope = vec3_norm(fem->gradient + 3 * ((size_t)n * p + k));
            if (slope == 0.0 && fem->kind == COND_FEM_SMOOTHED)
                continue; // the node repeats another one
            status =
                check(&stiff, (moduli->lambda + 2.0 * moduli->mu) * fem->volume[p] * slope * slope);
        }
    }
    return status;
}

static CondStatus check_robot(const CondBody* body, CondError* error)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < body->arm->n_link && !status; i++) {
        const CondLink* link = &body->arm->link[i];
        char of[COND_NAME_SIZE + 40];
        Size size = {body, of, "kg", error};
        snprintf(of, sizeof of, "the mass of link %s", link->name);
        if (link->mass != 0.0)
            status = check(&size, link->mass);
        snprintf(of, sizeof of, "a moment of inertia of link %s", link->name);
        size.unit = "kg m2";
        for (int k = 0; k < 3 && link->inertia[4 * k] != 0.0 && !status; k++)
            status = check(&size, link->inertia[4 * k]);
    }
    return status;
}

static CondStatus check_rigid(const CondBody* body, CondError* error)
{
    Size mass = {body, "the mass", "kg", error};
    Size moment = {body, "a moment of inertia", "kg m2", error};
    CondStatus status = check(&mass, body->mass);
    for (int i = 0; i < 3 && body->kind == COND_BODY_RIGID && !status; i++)
        status = check(&moment, body->inertia[4 * i]);
    return status;
}

CondStatus cond_compile_check_sizes(const CondBody* body, CondError* error)
{
    switch (body->kind) {
    case COND_BODY_SOFT:
    case COND_BODY_SHELL:
        return check_soft(body, error);
    case COND_BODY_ROBOT:
        return check_robot(body, error);
    case COND_BODY_ROD:
        return check_rod(body, error);
    case COND_BODY_PARTICLE:
    case COND_BODY_RIGID:
        break;
    }
    return check_rigid(body, error);
}
