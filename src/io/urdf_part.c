#include "io/urdf_part.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/urdf_package.h"
#include "io/urdf_repair.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

// Puts file and line before the message of a check.
static CondStatus locate(const CondUrdfFile* file, const xmlNode* node, CondStatus status,
                         const CondError* fault)
{
    if (status == COND_OK)
        return COND_OK;
    if (status == COND_BAD_ARGUMENT)
        status = COND_BAD_INPUT;
    return cond_urdf_refuse(file, node, status, "%s", fault->message);
}

CondStatus cond_urdf_read_inertial(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    static const char* const entry[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    xmlNode *inertial, *mass, *inertia;
    CondStatus status = cond_urdf_child(file, node, "inertial", &inertial);
    if (status || !inertial)
        return status;
    status = cond_urdf_child(file, inertial, "mass", &mass);
    if (!status)
        status = cond_urdf_child(file, inertial, "inertia", &inertia);
    if (status)
        return status;
    if (!mass)
        return cond_urdf_warn(file, inertial, "link '%s': <inertial> without <mass> does not count",
                              link->name);
    if (!inertia)
        status =
            cond_urdf_warn(file, inertial, "link '%s': <inertial> without <inertia>", link->name);
    double I[6] = {0.0}, q[4], R[9], RI[9];
    if (!status)
        status = cond_urdf_numbers(file, mass, "value", 1, 1, &link->mass);
    for (int k = 0; k < 6 && inertia && !status; k++)
        status = cond_urdf_numbers(file, inertia, entry[k], 1, k < 3, &I[k]);
    if (!status)
        status = cond_urdf_origin(file, inertial, link->com, q);
    if (status)
        return status;
    // Given in the axes of <origin>: I_link = R I R', mirrored so that it is exactly symmetric.
    double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    quat_matrix(q, R);
    mat3_product(R, full, RI);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            link->inertia[3 * i + j] = link->inertia[3 * j + i] = vec3_dot(RI + 3 * i, R + 3 * j);
    status = cond_urdf_repair_inertia(file, inertial, link);
    CondError fault;
    return status ? status : locate(file, inertial, cond_link_check_inertia(link, &fault), &fault);
}

static CondStatus read_limit(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    xmlNode* limit;
    CondStatus status = cond_urdf_child(file, node, "limit", &limit);
    if (status)
        return status;
    int bounded = link->kind == COND_LINK_REVOLUTE || link->kind == COND_LINK_PRISMATIC;
    if (!limit) {
        return bounded
                   ? cond_urdf_warn(file, node, "joint '%s': <limit> is missing: nothing limits it",
                                    link->joint)
                   : COND_OK;
    }
    if (bounded) { // either bound is 0 where it is not given
        link->lower = link->upper = 0.0;
        status = cond_urdf_numbers(file, limit, "lower", 1, 0, &link->lower);
        if (!status)
            status = cond_urdf_numbers(file, limit, "upper", 1, 0, &link->upper);
    }
    if (!status)
        status = cond_urdf_numbers(file, limit, "velocity", 1, 0, &link->velocity);
    if (!status)
        status = cond_urdf_numbers(file, limit, "effort", 1, 0, &link->effort);
    if (!status && isinf(link->velocity))
        status = cond_urdf_warn(file, limit, "joint '%s': no velocity limit given", link->joint);
    if (!status && isinf(link->effort))
        status = cond_urdf_warn(file, limit, "joint '%s': no effort limit given", link->joint);
    return status ? status : cond_urdf_repair_limits(file, limit, link);
}

static CondStatus read_dynamics(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    xmlNode* dynamics;
    CondStatus status = cond_urdf_child(file, node, "dynamics", &dynamics);
    if (status || !dynamics)
        return status;
    status = cond_urdf_numbers(file, dynamics, "damping", 1, 0, &link->damping);
    if (!status)
        status = cond_urdf_numbers(file, dynamics, "friction", 1, 0, &link->friction);
    if (!status && link->friction < 0.0) {
        status = cond_urdf_warn(file, dynamics, "joint '%s': friction %g does not count",
                                link->joint, link->friction);
        link->friction = 0.0;
    }
    if (!status && link->damping < 0.0) {
        status = cond_urdf_warn(file, dynamics, "joint '%s': damping %g does not count",
                                link->joint, link->damping);
        link->damping = 0.0;
    }
    return status;
}

static CondStatus warn_of_strangers(const CondUrdfFile* file, const xmlNode* node, const char* name)
{
    static const char* const known[] = {"origin",   "parent", "child", "axis",
                                        "dynamics", "limit",  "mimic", "calibration"};
    CondStatus status = COND_OK;
    for (xmlNode* child = cond_urdf_element(node->children); child && !status;
         child = cond_urdf_element(child->next)) {
        int found = 0;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            found |= cond_urdf_is(child, known[k]);
        if (!found)
            status = cond_urdf_warn(file, child, "joint '%s': <%.40s> is ignored", name,
                                    (const char*)child->name);
    }
    return status;
}

CondStatus cond_urdf_read_joint(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    xmlNode *axis, *mimic;
    CondStatus status = cond_urdf_origin(file, node, link->position, link->orientation);
    if (!status)
        status = warn_of_strangers(file, node, link->joint);
    if (status || link->kind == COND_LINK_FIXED)
        return status;
    status = cond_urdf_child(file, node, "axis", &axis); // (1, 0, 0) where it is not given
    if (!status && axis)
        status = cond_urdf_numbers(file, axis, "xyz", 3, 1, link->axis);
    if (!status)
        status = read_limit(file, node, link);
    if (!status)
        status = read_dynamics(file, node, link);
    if (!status)
        status = cond_urdf_child(file, node, "mimic", &mimic);
    if (!status && mimic) {
        status = cond_urdf_numbers(file, mimic, "multiplier", 1, 0, &link->multiplier);
        if (!status)
            status = cond_urdf_numbers(file, mimic, "offset", 1, 0, &link->offset);
    }
    if (status)
        return status;
    CondError fault;
    return locate(file, node, cond_link_check_joint(link, &fault), &fault);
}

static CondStatus read_geometry(const CondUrdfFile* file, const xmlNode* node, CondLinkShape* shape)
{
    CondStatus status;
    if (cond_urdf_is(node, "sphere")) {
        shape->kind = COND_LINK_SPHERE;
        return cond_urdf_numbers(file, node, "radius", 1, 1, shape->size);
    }
    if (cond_urdf_is(node, "capsule") || cond_urdf_is(node, "cylinder")) {
        shape->kind = cond_urdf_is(node, "capsule") ? COND_LINK_CAPSULE : COND_LINK_CYLINDER;
        status = cond_urdf_numbers(file, node, "radius", 1, 1, shape->size);
        return status ? status : cond_urdf_numbers(file, node, "length", 1, 1, shape->size + 1);
    }
    if (cond_urdf_is(node, "box")) {
        shape->kind = COND_LINK_BOX;
        return cond_urdf_numbers(file, node, "size", 3, 1, shape->size);
    }
    if (cond_urdf_is(node, "mesh")) {
        shape->kind = COND_LINK_MESH;
        for (int k = 0; k < 3; k++)
            shape->size[k] = 1.0;
        const char* name = cond_urdf_text(node, "filename");
        if (!name || !*name)
            return cond_urdf_refuse(file, node, COND_BAD_INPUT, "<mesh> without filename");
        status = cond_urdf_numbers(file, node, "scale", 3, 0, shape->size);
        return status ? status : cond_urdf_find_file(file, node, name, &shape->file);
    }
    return cond_urdf_refuse(file, node, COND_BAD_INPUT,
                            "<%.40s> is none of sphere, capsule, cylinder, box, mesh",
                            (const char*)node->name);
}

// 1 for a shape that takes no room, which is how some say that there is none.
static int is_empty(const CondLinkShape* shape)
{
    static const int sizes[] = {1, 1, 3, 2, 3}; // a capsule of length 0 is a sphere
    for (int k = 0; k < sizes[shape->kind]; k++)
        if (shape->size[k] == 0.0)
            return 1;
    return 0;
}

CondStatus cond_urdf_read_shape(const CondUrdfFile* file, const xmlNode* node, CondLinkShape* shape,
                                int* counts)
{
    xmlNode* geometry;
    *shape = cond_link_shape_default();
    *counts = 0;
    CondStatus status = cond_urdf_origin(file, node, shape->position, shape->orientation);
    if (!status)
        status = cond_urdf_child(file, node, "geometry", &geometry);
    if (status)
        return status;
    xmlNode* kind = geometry ? cond_urdf_element(geometry->children) : NULL;
    if (!kind)
        return cond_urdf_warn(file, geometry ? geometry : node,
                              "<collision> without a shape does not count");
    if (cond_urdf_element(kind->next))
        return cond_urdf_refuse(file, geometry, COND_BAD_INPUT,
                                "<collision> needs one <geometry> with one shape");
    status = read_geometry(file, kind, shape);
    if (!status && is_empty(shape))
        return cond_urdf_warn(file, kind, "<%.40s> of size 0 does not count",
                              (const char*)kind->name);
    *counts = !status;
    return status;
}
