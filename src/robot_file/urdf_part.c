// Reads inertials, limits, origins and shapes of URDF (urdf_part.h).
#include "robot_file/urdf_part.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"
#include "robot_file/urdf_package.h"
#include "robot_file/urdf_repair.h"

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
        return cond_urdf_warn(file, inertial, "link '%s': <inertial> without <mass> is ignored",
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
        status = cond_urdf_bound(file, limit, "lower", &link->lower);
        if (!status)
            status = cond_urdf_bound(file, limit, "upper", &link->upper);
    }
    if (!status)
        status = cond_urdf_bound(file, limit, "velocity", &link->velocity);
    if (!status)
        status = cond_urdf_bound(file, limit, "effort", &link->effort);
    if (!status && !cond_urdf_text(limit, "velocity"))
        status = cond_urdf_warn(file, limit, "joint '%s': no velocity limit given", link->joint);
    if (!status && !cond_urdf_text(limit, "effort"))
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
        status = cond_urdf_warn(file, dynamics, "joint '%s': friction %g is ignored", link->joint,
                                link->friction);
        link->friction = 0.0;
    }
    if (!status && link->damping < 0.0) {
        status = cond_urdf_warn(file, dynamics, "joint '%s': damping %g is ignored", link->joint,
                                link->damping);
        link->damping = 0.0;
    }
    return status;
}

// What a joint may hold; the rest means nothing here.
static void ignore_strangers(const CondUrdfFile* file, const xmlNode* node)
{
    static const char* const known[] = {"origin",   "parent", "child", "axis",
                                        "dynamics", "limit",  "mimic"};
    for (xmlNode* child = cond_urdf_element(node->children); child;
         child = cond_urdf_element(child->next)) {
        int found = 0;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            found |= cond_urdf_is(child, known[k]);
        if (!found)
            cond_urdf_ignore(file, child);
    }
}

// What joints of several coordinates cannot have.
static CondStatus warn_of_kind(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    int turns = link->kind == COND_LINK_SPHERICAL || link->kind == COND_LINK_FLOATING;
    xmlNode* limit = NULL;
    CondStatus status = COND_OK;
    if (turns && link->friction > 0.0) {
        status = cond_urdf_warn(file, node, "joint '%s': it turns freely, friction %g is ignored",
                                link->joint, link->friction);
        link->friction = 0.0;
    }
    if (!status && (turns || link->kind == COND_LINK_PLANAR))
        status = cond_urdf_child(file, node, "limit", &limit);
    if (!status && limit && (cond_urdf_text(limit, "lower") || cond_urdf_text(limit, "upper")))
        status = cond_urdf_warn(file, limit,
                                "joint '%s': position limits of a joint with several "
                                "coordinates are ignored",
                                link->joint);
    return status;
}

CondStatus cond_urdf_read_joint(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    xmlNode *axis, *mimic;
    CondStatus status = cond_urdf_origin(file, node, link->position, link->orientation);
    ignore_strangers(file, node);
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
        status = warn_of_kind(file, node, link);
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

static int count_words(const char* text)
{
    static const char blank[] = " \t\r\n";
    int n = 0;
    for (const char* at = text ? text + strspn(text, blank) : ""; *at; n++) {
        at += strcspn(at, blank);
        at += strspn(at, blank);
    }
    return n;
}

// filename and scale; one number scales all axes.
static CondStatus read_mesh(const CondUrdfFile* file, const xmlNode* node, CondLinkShape* shape,
                            int* counts)
{
    shape->kind = COND_LINK_MESH;
    const char *name = cond_urdf_text(node, "filename"), *scale = cond_urdf_text(node, "scale");
    if (!name || !*name) {
        *counts = 0;
        return cond_urdf_warn(file, node, "<mesh> without filename is ignored");
    }
    double factor[4] = {1.0, 1.0, 1.0, 1.0};
    int n = count_words(scale);
    CondStatus status = cond_urdf_numbers(file, node, "scale", n == 1 || n == 4 ? n : 3, 0, factor);
    for (int k = 0; k < 3; k++)
        shape->size[k] = n == 1 ? factor[0] : factor[k];
    if (!status && n == 4)
        status = cond_urdf_warn(file, node,
                                "scale='%.60s' of <mesh>: only the first three are used", scale);
    int found = 0;
    if (!status)
        status = cond_urdf_find_file(file, node, name, &shape->file, &found);
    shape->missing = !found;
    return status;
}

static CondStatus read_geometry(const CondUrdfFile* file, const xmlNode* node, CondLinkShape* shape,
                                int* counts)
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
    if (cond_urdf_is(node, "mesh"))
        return read_mesh(file, node, shape, counts);
    *counts = 0;
    return cond_urdf_warn(file, node,
                          "<%.40s> is none of sphere, capsule, cylinder, box, mesh and is "
                          "ignored",
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
        return cond_urdf_warn(file, geometry ? geometry : node, "<%s> without a shape is ignored",
                              (const char*)node->name);
    if (cond_urdf_element(kind->next))
        status =
            cond_urdf_warn(file, geometry, "<geometry> has two shapes: only the first is used");
    *counts = 1;
    if (!status)
        status = read_geometry(file, kind, shape, counts);
    if (!status && *counts && is_empty(shape)) {
        *counts = 0;
        return cond_urdf_warn(file, kind, "<%.40s> of size 0 is ignored", (const char*)kind->name);
    }
    *counts = *counts && !status;
    return status;
}
