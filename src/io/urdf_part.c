#include "io/urdf_part.h"

#include "base/error.h"
#include "base/memory.h"
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
    if (!mass || !inertia)
        return cond_urdf_refuse(file, inertial, COND_BAD_INPUT, "link '%s': <inertial> without %s",
                                link->name, mass ? "<inertia>" : "<mass>");
    double I[6], q[4], R[9], RI[9];
    status = cond_urdf_numbers(file, mass, "value", 1, 1, &link->mass);
    for (int k = 0; k < 6 && !status; k++)
        status = cond_urdf_numbers(file, inertia, entry[k], 1, 1, &I[k]);
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
    CondError fault;
    return locate(file, inertial, cond_link_check_inertia(link, &fault), &fault);
}

static CondStatus read_limit(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    xmlNode* limit;
    CondStatus status = cond_urdf_child(file, node, "limit", &limit);
    if (status)
        return status;
    int bounded = link->kind != COND_LINK_CONTINUOUS;
    if (!limit) {
        if (!bounded)
            return COND_OK;
        return cond_urdf_refuse(file, node, COND_BAD_INPUT,
                                "joint '%s': <limit> is missing (a joint without position limits "
                                "is of type continuous)",
                                link->joint);
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
    if (!status && link->velocity == 0.0)
        status = cond_urdf_warn(file, limit, "joint '%s': velocity limit 0 keeps the joint still",
                                link->joint);
    if (!status && isinf(link->effort))
        status = cond_urdf_warn(file, limit, "joint '%s': no effort limit given", link->joint);
    return status;
}

static CondStatus read_dynamics(const CondUrdfFile* file, const xmlNode* node, CondLink* link)
{
    xmlNode* dynamics;
    double friction = 0.0;
    CondStatus status = cond_urdf_child(file, node, "dynamics", &dynamics);
    if (status || !dynamics)
        return status;
    status = cond_urdf_numbers(file, dynamics, "damping", 1, 0, &link->damping);
    if (!status)
        status = cond_urdf_numbers(file, dynamics, "friction", 1, 0, &friction);
    if (!status && friction != 0.0)
        status = cond_urdf_warn(file, dynamics, "joint '%s': friction %g is ignored", link->joint,
                                friction);
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

static int readable(const char* path)
{
    FILE* stream = fopen(path, "rb");
    if (stream)
        fclose(stream);
    return stream != NULL;
}

// into = the first `length` characters of folder, a slash where one is needed, rest.
static void join(char* into, const char* folder, size_t length, const char* rest)
{
    memcpy(into, folder, length);
    if (length > 0 && folder[length - 1] != '/')
        into[length++] = '/';
    strcpy(into + length, rest);
}

// The file that a mesh names: package://NAME/REST is looked for as NAME/REST in the given folder of
// packages, then as NAME/REST and as REST beside the robot's file; other relative names are beside
// the robot's file. Where nothing is found the last guess stays, for the reader of meshes to
// refuse.
static CondStatus resolve(const CondUrdfFile* file, const xmlNode* node, const char* name,
                          char** path)
{
    static const char package[] = "package://", local[] = "file://";
    const char* slash = strrchr(file->path, '/');
    size_t folder = slash ? (size_t)(slash - file->path) + 1 : 0;
    size_t most = strlen(file->path) + strlen(name) + 2;
    if (file->package_path)
        most += strlen(file->package_path);
    char* guess = cond_allocate(&file->context, most, 1);
    *path = guess;
    if (!guess)
        return cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a file name");
    if (strncmp(name, package, sizeof package - 1) == 0) {
        const char* rest = name + sizeof package - 1;
        if (file->package_path) {
            join(guess, file->package_path, strlen(file->package_path), rest);
            if (readable(guess))
                return COND_OK;
        }
        join(guess, file->path, folder, rest);
        const char* inside = strchr(rest, '/');
        if (inside && !readable(guess))
            join(guess, file->path, folder, inside + 1);
    } else if (strncmp(name, local, sizeof local - 1) == 0) {
        strcpy(guess, name + sizeof local - 1);
    } else {
        join(guess, file->path, name[0] == '/' ? 0 : folder, name);
    }
    if (!readable(guess))
        return cond_urdf_warn(file, node, "mesh '%.100s' is not there", name);
    return COND_OK;
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
        return status ? status : resolve(file, node, name, &shape->file);
    }
    return cond_urdf_refuse(file, node, COND_BAD_INPUT,
                            "<%.40s> is none of sphere, capsule, cylinder, box, mesh",
                            (const char*)node->name);
}

static CondStatus read_collision(const CondUrdfFile* file, const xmlNode* node, int link)
{
    CondLinkShape shape = cond_link_shape_default();
    shape.link = link;
    xmlNode* geometry;
    CondStatus status = cond_urdf_origin(file, node, shape.position, shape.orientation);
    if (!status)
        status = cond_urdf_child(file, node, "geometry", &geometry);
    if (status)
        return status;
    xmlNode* kind = geometry ? cond_urdf_element(geometry->children) : NULL;
    if (!kind || cond_urdf_element(kind->next))
        return cond_urdf_refuse(file, geometry ? geometry : node, COND_BAD_INPUT,
                                "<collision> needs one <geometry> with one shape");
    status = read_geometry(file, kind, &shape);
    if (!status) {
        CondError fault;
        status = locate(file, kind, cond_articulation_add_shape(file->articulation, &shape, &fault),
                        &fault);
    }
    cond_release(&file->context, shape.file);
    return status;
}

CondStatus cond_urdf_read_shapes(const CondUrdfFile* file, const xmlNode* node, int link)
{
    CondStatus status = COND_OK;
    for (xmlNode* child = cond_urdf_element(node->children); child && !status;
         child = cond_urdf_element(child->next))
        if (cond_urdf_is(child, "collision"))
            status = read_collision(file, child, link);
    return status;
}
