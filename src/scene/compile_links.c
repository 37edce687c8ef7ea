// A robot from the links of its definition -> CondArticulation.
#include "base/error.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "scene/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)COND_JOINT_FIXED == (int)COND_LINK_FIXED &&
                   (int)COND_JOINT_REVOLUTE == (int)COND_LINK_REVOLUTE &&
                   (int)COND_JOINT_CONTINUOUS == (int)COND_LINK_CONTINUOUS &&
                   (int)COND_JOINT_PRISMATIC == (int)COND_LINK_PRISMATIC &&
                   (int)COND_JOINT_SPHERICAL == (int)COND_LINK_SPHERICAL &&
                   (int)COND_JOINT_PLANAR == (int)COND_LINK_PLANAR &&
                   (int)COND_JOINT_FLOATING == (int)COND_LINK_FLOATING,
               "kinds of joints have the same numbers in definitions and models");

static int find_link(const CondBodyDef* def, const char* name)
{
    for (int i = 0; i < def->n_link; i++)
        if (strcmp(def->link[i].name, name) == 0)
            return i;
    return -1;
}

const char* cond_link_joint_name(const CondLinkDef* link)
{
    // A joint that does not move needs no name, and must not take one from others.
    return link->joint[0] || link->kind == COND_JOINT_FIXED ? link->joint : link->name;
}

static int find_joint(const CondBodyDef* def, const char* name)
{
    for (int i = 1; i < def->n_link; i++)
        if (strcmp(cond_link_joint_name(&def->link[i]), name) == 0)
            return i;
    return -1;
}

static CondLink make_link(const CondBodyDef* def, int i)
{
    const CondLinkDef* from = &def->link[i];
    CondLink link = cond_link_default();
    memcpy(link.name, from->name, sizeof link.name);
    link.parent = i == 0 ? -1 : find_link(def, from->parent);
    link.mass = from->mass;
    link.borne = from->gravity_compensation;
    link.carried = 1;
    memcpy(link.com, from->center, sizeof link.com);
    const double* I = from->inertia;
    const double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    memcpy(link.inertia, full, sizeof full);
    link.friction = from->friction;
    link.damping = from->damping;
    link.armature = from->armature;
    if (i == 0)
        return link;
    snprintf(link.joint, sizeof link.joint, "%s", cond_link_joint_name(from));
    link.kind = (CondLinkJointKind)from->kind;
    memcpy(link.position, from->position, sizeof link.position);
    memcpy(link.orientation, from->orientation, sizeof link.orientation);
    quat_normalize(link.orientation);
    memcpy(link.axis, from->axis, sizeof link.axis);
    link.lower = isnan(from->lower) ? -INFINITY : from->lower;
    link.upper = isnan(from->upper) ? INFINITY : from->upper;
    link.velocity = from->velocity_limit;
    link.effort = from->effort;
    link.effort_back = isnan(from->effort_back) ? from->effort : from->effort_back;
    link.stiffness = from->spring;
    link.spring_rest = from->spring_rest;
    if (from->mimic[0])
        link.mimic = find_joint(def, from->mimic);
    link.multiplier = from->multiplier;
    link.offset = from->offset;
    return link;
}

static CondStatus add_shape(CondArticulation* arm, int link, const CondLinkShapeDef* from,
                            CondError* error)
{
    static const CondLinkShapeKind kinds[] = {
        [COND_SHAPE_BOX] = COND_LINK_BOX,         [COND_SHAPE_SPHERE] = COND_LINK_SPHERE,
        [COND_SHAPE_CAPSULE] = COND_LINK_CAPSULE, [COND_SHAPE_CYLINDER] = COND_LINK_CYLINDER,
        [COND_SHAPE_CONVEX] = COND_LINK_MESH,     [COND_SHAPE_MESH] = COND_LINK_MESH,
    };
    CondLinkShape shape = cond_link_shape_default();
    char file[COND_PATH_SIZE];
    memcpy(file, from->mesh, sizeof file);
    shape.link = link;
    shape.kind = kinds[from->shape];
    shape.convex = from->shape == COND_SHAPE_CONVEX;
    shape.file = file;
    memcpy(shape.size, shape.kind == COND_LINK_MESH ? from->scale : from->size, sizeof shape.size);
    memcpy(shape.position, from->position, sizeof shape.position);
    memcpy(shape.orientation, from->orientation, sizeof shape.orientation);
    quat_normalize(shape.orientation);
    shape.skin = from->surface;
    shape.rubbing = from->rubbing;
    shape.groups = from->groups;
    shape.touches = from->touches;
    for (int k = 0; k < 4 && !isnan(from->rgba[0]); k++)
        shape.colour[k] = (float)from->rgba[k];
    return from->visual ? cond_articulation_add_visual(arm, &shape, error)
                        : cond_articulation_add_shape(arm, &shape, error);
}

CondStatus cond_compile_links(const CondScene* scene, const CondBodyDef* def,
                              struct CondArticulation** robot, CondError* error)
{
    CondArticulation* arm = NULL;
    CondStatus status = cond_articulation_create(&scene->arena.context, &arm, error);
    *robot = NULL;
    if (status)
        return status;
    snprintf(arm->name, sizeof arm->name, "%s", def->name);
    arm->floating = def->floating;
    for (int i = 0; i < def->n_link && !status; i++) {
        CondLink link = make_link(def, i);
        status = cond_articulation_add_link(arm, &link, error);
        for (int k = 0; k < def->link[i].n_shape && !status; k++)
            status = add_shape(arm, i, &def->link[i].shape[k], error);
    }
    if (!status)
        status = cond_articulation_finish(arm, error);
    if (!status)
        status = cond_articulation_check_mass(arm, error);
    if (status)
        cond_articulation_destroy(arm);
    else
        *robot = arm;
    return status == COND_BAD_ARGUMENT ? COND_BAD_INPUT : status;
}
