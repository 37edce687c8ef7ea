// From the elements of a URDF file to a robot. First
// every element is read, each fault noted; then the tree is made (urdf_tree.h); then the robot.
#include "robot_file/urdf.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/tuning.h"
#include "mesh_file/mesh_import.h"
#include "robot_file/urdf_part.h"
#include "robot_file/urdf_repair.h"
#include "robot_file/urdf_tree.h"
#include "robot_file/urdf_visual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondStatus joint_kind(const CondUrdfFile* file, const CondUrdfJoint* joint,
                             CondLinkJointKind* kind)
{
    static const struct {
        const char* name;
        CondLinkJointKind kind;
    } known[] = {{"fixed", COND_LINK_FIXED},           {"revolute", COND_LINK_REVOLUTE},
                 {"continuous", COND_LINK_CONTINUOUS}, {"prismatic", COND_LINK_PRISMATIC},
                 {"spherical", COND_LINK_SPHERICAL},   {"ball", COND_LINK_SPHERICAL},
                 {"planar", COND_LINK_PLANAR},         {"floating", COND_LINK_FLOATING}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(joint->type, known[k].name) != 0)
            continue;
        *kind = known[k].kind;
        return COND_OK;
    }
    return cond_urdf_refuse(file, joint->node, COND_BAD_INPUT, "joint '%s': unknown type '%s'",
                            joint->name, joint->type);
}

// The name by which the robot knows a link or a joint: its own, or where that is too long its
// beginning and a number that no other has.
static CondStatus take_name(const CondUrdfFile* file, const xmlNode* node, const char* name,
                            int number, char out[COND_NAME_SIZE])
{
    if (strlen(name) < COND_NAME_SIZE) {
        strcpy(out, name);
        return COND_OK;
    }
    snprintf(out, COND_NAME_SIZE, "%.50s~%d", name, number);
    return cond_urdf_warn(file, node, "'%.60s...' is longer than %d characters: called '%s'", name,
                          COND_NAME_SIZE - 1, out);
}

static CondStatus read_joint(const CondUrdfFile* file, CondUrdfJoint* joint, int number)
{
    joint->read = cond_link_default();
    CondStatus status = take_name(file, joint->node, joint->name, number, joint->read.joint);
    if (!status)
        status = joint_kind(file, joint, &joint->read.kind);
    return status ? status : cond_urdf_read_joint(file, joint->node, &joint->read);
}

static CondStatus read_shape(const CondUrdfFile* file, CondUrdfTree* tree, const xmlNode* node,
                             int link)
{
    CondLinkShape shape;
    int counts;
    CondStatus status = cond_urdf_read_shape(file, node, &shape, &counts);
    shape.link = link;
    if (counts && COND_RESERVE(&tree->arena, tree->shape, tree->n_shape + 1))
        status = cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a shape");
    if (counts && !status)
        tree->shape[tree->n_shape++] = shape;
    else
        cond_release(&file->context, shape.file);
    return status;
}

static CondStatus read_visual(const CondUrdfFile* file, CondUrdfTree* tree, const xmlNode* node,
                              int link)
{
    CondLinkShape shape;
    int counts;
    CondStatus status = cond_urdf_read_visual(file, node, &shape, &counts, &tree->n_unseen);
    shape.link = link;
    if (counts && COND_RESERVE(&tree->arena, tree->visual, tree->n_visual + 1))
        status = cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a shape");
    if (counts && !status)
        tree->visual[tree->n_visual++] = shape;
    else
        cond_release(&file->context, shape.file);
    return status;
}

static CondStatus read_link(const CondUrdfFile* file, CondUrdfTree* tree, int i)
{
    CondUrdfLink* link = &tree->link[i];
    link->read = cond_link_default();
    CondStatus status = take_name(file, link->node, link->name, i, link->read.name);
    if (!status)
        status = cond_urdf_read_inertial(file, link->node, &link->read);
    for (xmlNode* child = cond_urdf_element(link->node->children); child && !cond_urdf_ends(status);
         child = cond_urdf_element(child->next)) {
        CondStatus one = COND_OK;
        if (cond_urdf_is(child, "collision"))
            one = read_shape(file, tree, child, i);
        else if (cond_urdf_is(child, "visual"))
            one = read_visual(file, tree, child, i);
        else if (!cond_urdf_is(child, "inertial"))
            cond_urdf_ignore(file, child);
        status = one ? one : status;
    }
    return status;
}

// The numbers of all joints and links.
static CondStatus read_all(const CondUrdfFile* file, CondUrdfTree* tree)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < tree->n_joint && !cond_urdf_ends(status); i++) {
        CondUrdfJoint* joint = &tree->joint[i];
        CondStatus one = read_joint(file, joint, i);
        status = one ? one : status;
    }
    for (int i = 0; i < tree->n_link && !cond_urdf_ends(status); i++) {
        CondStatus one = read_link(file, tree, i);
        status = one ? one : status;
    }
    return status;
}

static CondStatus add_link(const CondUrdfFile* file, const CondUrdfTree* tree,
                           const CondUrdfLink* from)
{
    CondLink link = from->read;
    if (from->joint >= 0) {
        const CondUrdfJoint* joint = &tree->joint[from->joint];
        link = joint->read;
        memcpy(link.name, from->read.name, sizeof link.name);
        memcpy(link.com, from->read.com, sizeof link.com);
        memcpy(link.inertia, from->read.inertia, sizeof link.inertia);
        link.mass = from->read.mass;
        link.parent = tree->link[joint->parent].number;
        if (joint->mimic >= 0)
            link.mimic = tree->link[tree->joint[joint->mimic].child].number;
    }
    CondError fault;
    CondStatus status = cond_articulation_add_link(file->articulation, &link, &fault);
    return status ? cond_urdf_refuse(file, from->node, status, "%s", fault.message) : COND_OK;
}

static CondStatus add_shape(const CondUrdfFile* file, const CondUrdfTree* tree,
                            const CondLinkShape* from)
{
    const CondUrdfLink* link = &tree->link[from->link];
    if (link->number < 0) // of a root that a floating joint has lifted the robot off
        return COND_OK;
    CondLinkShape shape = *from;
    shape.link = link->number;
    CondError fault;
    CondStatus status = cond_articulation_add_shape(file->articulation, &shape, &fault);
    if (status == COND_BAD_ARGUMENT)
        status = COND_BAD_INPUT;
    return status ? cond_urdf_refuse(file, link->node, status, "%s", fault.message) : COND_OK;
}

// What is seen of a link that touches nothing is left out where it cannot be.
static CondStatus add_visual(const CondUrdfFile* file, const CondUrdfTree* tree,
                             const CondLinkShape* from)
{
    CondLinkShape shape = *from;
    CondError fault;
    shape.link = tree->link[from->link].number;
    if (shape.link < 0)
        return COND_OK;
    CondStatus status = cond_articulation_add_visual(file->articulation, &shape, &fault);
    return status == COND_OUT_OF_MEMORY ? cond_urdf_refuse(file, NULL, status, "%s", fault.message)
                                        : COND_OK;
}

static CondStatus refuse_finish(const CondUrdfFile* file, const CondUrdfTree* tree,
                                CondStatus status, const CondError* fault)
{
    int at = file->articulation->fault;
    if (status == COND_BAD_ARGUMENT)
        status = COND_BAD_INPUT;
    const xmlNode* node =
        status == COND_BAD_INPUT && at >= 0 ? tree->link[tree->order[at]].node : NULL;
    return cond_urdf_refuse(file, node, status, "%s", fault->message);
}

// 1 where finishing failed because the link, which moves on its own, has no inertia.
static int is_bare(const CondArticulation* a, CondStatus status)
{
    return status == COND_BAD_ARGUMENT && a->fault >= 0 && a->link[a->fault].part == a->fault &&
           a->link[a->fault].part_mass == 0.0;
}

static CondStatus finish(const CondUrdfFile* file, const CondUrdfTree* tree)
{
    CondArticulation* a = file->articulation;
    CondError fault;
    CondStatus status = cond_articulation_finish(a, &fault);
    double mass = cond_urdf_given_mass(a); // by what the file gives, not by what is added here
    for (int i = 0; i < a->n_link && is_bare(a, status); i++) {
        CondLink* link = &a->link[a->fault];
        cond_urdf_give_inertia(mass, link);
        status = cond_urdf_warn(file, tree->link[tree->order[a->fault]].node,
                                "link '%s' moves but has no inertia: taken as %.4g kg", link->name,
                                link->mass);
        if (status)
            return status;
        status = cond_articulation_finish(a, &fault);
    }
    return status ? refuse_finish(file, tree, status, &fault) : COND_OK;
}

// Limits of a follower that would leave its leader no room do not count (see restrict_limits).
static CondStatus warn_of_loose_limits(const CondUrdfFile* file, const CondUrdfTree* tree)
{
    const CondArticulation* a = file->articulation;
    CondStatus status = COND_OK;
    for (int i = 1; i < a->n_link && !status; i++) {
        const CondLink* link = &a->link[i];
        if (link->mimic < 0 || link->coordinate < 0)
            continue;
        const CondJointCoordinate* c = &a->coordinate[link->coordinate];
        double x = link->scale * c->lower + link->shift, y = link->scale * c->upper + link->shift;
        const double rounding = COND_INPUT_ROUNDING;
        if (fmin(x, y) < link->lower - rounding || fmax(x, y) > link->upper + rounding)
            status =
                cond_urdf_warn(file, tree->link[tree->order[i]].node,
                               "joint '%s': its limits leave no motion to the joint it mimics and "
                               "are ignored",
                               link->joint);
    }
    return status;
}

// Visual meshes that will not be drawn: those that are not there, and those that this build cannot
// read.
static CondStatus warn_of_unseen(const CondUrdfFile* file, const CondUrdfTree* tree,
                                 const xmlNode* robot)
{
    CondStatus status = COND_OK;
    int n = 0;
    if (tree->n_unseen > 0)
        status = cond_urdf_warn(file, robot, "%d visual mesh%s not there", tree->n_unseen,
                                tree->n_unseen > 1 ? "es are" : " is");
    for (int i = 0; i < tree->n_visual && !cond_mesh_import_available(); i++) {
        const CondLinkShape* visual = &tree->visual[i];
        n += visual->kind == COND_LINK_MESH && !cond_mesh_file_is_known(visual->file);
    }
    if (!status && n > 0)
        status = cond_urdf_warn(file, robot,
                                "%d visual mesh%s of a format that needs assimp "
                                "(-DCOND_ASSIMP=ON): the shapes that touch are drawn instead",
                                n, n > 1 ? "es are" : " is");
    return status;
}

static CondStatus build(const CondUrdfFile* file, int floating, CondUrdfTree* tree)
{
    const xmlNode* robot = xmlDocGetRootElement(file->document);
    if (!robot || !cond_urdf_is(robot, "robot"))
        return cond_urdf_refuse(file, robot, COND_BAD_INPUT, "the file holds no <robot>%s%.40s%s",
                                robot ? " but <" : "", robot ? (const char*)robot->name : "",
                                robot ? ">" : "");
    const char* name = cond_urdf_text(robot, "name");
    snprintf(file->articulation->name, COND_NAME_SIZE, "%s", name ? name : "");
    CondStatus status = cond_urdf_collect(file, robot, tree), read = COND_OK;
    if (!cond_urdf_ends(status))
        read = read_all(file, tree);
    if (!status && !cond_urdf_ends(read))
        status = cond_urdf_make_tree(file, tree);
    status = status ? status : read;
    file->articulation->floating = floating || tree->floating;
    for (int i = 0; i < tree->n_order && !status; i++)
        status = add_link(file, tree, &tree->link[tree->order[i]]);
    for (int i = 0; i < tree->n_shape && !status; i++)
        status = add_shape(file, tree, &tree->shape[i]);
    for (int i = 0; i < tree->n_visual && !status; i++)
        status = add_visual(file, tree, &tree->visual[i]);
    if (!status)
        status = finish(file, tree);
    if (!status)
        status = warn_of_loose_limits(file, tree);
    if (!status)
        status = warn_of_unseen(file, tree, robot);
    return status ? status : cond_urdf_warn_ignored(file, robot);
}

CondStatus cond_urdf_read(const CondContext* context, const char* path,
                          const CondUrdfOptions* options, CondArticulation** articulation,
                          CondError* error)
{
    int n_fault = 0;
    CondUrdfIgnored ignored = {0};
    CondUrdfFile file = {.context = cond_context_or_default(context),
                         .path = path,
                         .package_path = options ? options->package_path : NULL,
                         .error = error,
                         .n_fault = &n_fault,
                         .ignored = &ignored};
    CondUrdfTree tree = {.arena.context = file.context};
    *articulation = NULL;
    CondStatus status = cond_articulation_create(&file.context, &file.articulation, error);
    if (!status)
        status = cond_urdf_xml_read(&file);
    if (!status)
        status = build(&file, options && options->floating, &tree);
    for (int i = 0; i < tree.n_shape; i++)
        cond_release(&file.context, tree.shape[i].file);
    for (int i = 0; i < tree.n_visual; i++)
        cond_release(&file.context, tree.visual[i].file);
    cond_arena_release(&tree.arena);
    if (file.document)
        xmlFreeDoc(file.document);
    if (status)
        cond_articulation_destroy(file.articulation);
    else
        *articulation = file.articulation;
    return status;
}
