// From the elements of a URDF file to a tree of links: names, parents, the root, the order.
#include "io/urdf.h"

#include "base/arena.h"
#include "base/error.h"
#include "io/urdf_part.h"

#include <stdio.h>
#include <string.h>

// More links than any robot has; names are looked for one by one.
#define COND_URDF_MOST_LINKS 10000

typedef struct Link {
    const xmlNode* node;
    const char* name;
    int joint;  // the joint whose child it is, -1: none
    int number; // in the articulation, -1: not placed yet
} Link;

typedef struct Joint {
    const xmlNode* node;
    const char* name;
    const char* type;
    int parent, child;
    int mimic; // the joint it follows, -1: none
} Joint;

typedef struct Tree {
    CondArena arena;
    int n_link, n_joint;
    Link* link;   // in the order of the file                       (n_link)
    Joint* joint; //                                                (n_joint)
    int root;     //
    int* order;   // links, parents first                           (n_link)
    int n_order;
    int floating;
} Tree;

static int find_link(const Tree* tree, const char* name)
{
    for (int i = 0; i < tree->n_link; i++)
        if (strcmp(tree->link[i].name, name) == 0)
            return i;
    return -1;
}

static int find_joint(const Tree* tree, const char* name)
{
    for (int i = 0; i < tree->n_joint; i++)
        if (strcmp(tree->joint[i].name, name) == 0)
            return i;
    return -1;
}

static CondStatus collect_link(const CondUrdfFile* file, Tree* tree, const xmlNode* node)
{
    Link link = {.node = node, .joint = -1, .number = -1};
    CondStatus status = cond_urdf_name(file, node, "name", &link.name);
    if (status)
        return status;
    if (find_link(tree, link.name) >= 0)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "there are two links named '%s'",
                                link.name);
    if (tree->n_link == COND_URDF_MOST_LINKS)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "more than %d links",
                                COND_URDF_MOST_LINKS);
    if (COND_RESERVE(&tree->arena, tree->link, tree->n_link + 1))
        return cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a link");
    tree->link[tree->n_link++] = link;
    return COND_OK;
}

// The link that <parent link="..."/> or <child link="..."/> of a joint names.
static CondStatus read_end(const CondUrdfFile* file, const Tree* tree, const Joint* joint,
                           const char* element, int* link)
{
    xmlNode* end;
    const char* name;
    CondStatus status = cond_urdf_child(file, joint->node, element, &end);
    if (!status && !end)
        return cond_urdf_refuse(file, joint->node, COND_BAD_INPUT, "joint '%s' without <%s>",
                                joint->name, element);
    if (!status)
        status = cond_urdf_name(file, end, "link", &name);
    if (status)
        return status;
    *link = find_link(tree, name);
    if (*link < 0)
        return cond_urdf_refuse(file, end, COND_BAD_INPUT, "joint '%s': there is no link '%s'",
                                joint->name, name);
    return COND_OK;
}

static CondStatus collect_joint(const CondUrdfFile* file, Tree* tree, const xmlNode* node)
{
    Joint joint = {.node = node, .mimic = -1};
    CondStatus status = cond_urdf_name(file, node, "name", &joint.name);
    if (!status)
        status = cond_urdf_name(file, node, "type", &joint.type);
    if (status)
        return status;
    if (find_joint(tree, joint.name) >= 0)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "there are two joints named '%s'",
                                joint.name);
    status = read_end(file, tree, &joint, "parent", &joint.parent);
    if (!status)
        status = read_end(file, tree, &joint, "child", &joint.child);
    if (status)
        return status;
    Link* child = &tree->link[joint.child];
    if (joint.parent == joint.child)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "joint '%s' joins link '%s' to itself",
                                joint.name, child->name);
    if (child->joint >= 0)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT,
                                "link '%s' is the child of two joints, '%s' and '%s': loops are "
                                "not supported",
                                child->name, tree->joint[child->joint].name, joint.name);
    if (COND_RESERVE(&tree->arena, tree->joint, tree->n_joint + 1))
        return cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a joint");
    child->joint = tree->n_joint;
    tree->joint[tree->n_joint++] = joint;
    return COND_OK;
}

static CondStatus collect(const CondUrdfFile* file, const xmlNode* robot, Tree* tree)
{
    CondStatus status = COND_OK;
    for (int pass = 0; pass < 2; pass++) // joints may stand before the links they name
        for (xmlNode* node = cond_urdf_element(robot->children); node && !status;
             node = cond_urdf_element(node->next)) {
            if (pass == 0 && cond_urdf_is(node, "link"))
                status = collect_link(file, tree, node);
            if (pass == 1 && cond_urdf_is(node, "joint"))
                status = collect_joint(file, tree, node);
        }
    if (!status && tree->n_link == 0)
        status = cond_urdf_refuse(file, robot, COND_BAD_INPUT, "a robot without links");
    return status;
}

static CondStatus find_root(const CondUrdfFile* file, Tree* tree)
{
    tree->root = -1;
    for (int i = 0; i < tree->n_link; i++) {
        if (tree->link[i].joint >= 0)
            continue;
        if (tree->root >= 0)
            return cond_urdf_refuse(file, tree->link[i].node, COND_BAD_INPUT,
                                    "two links are the child of no joint, '%s' and '%s'",
                                    tree->link[tree->root].name, tree->link[i].name);
        tree->root = i;
    }
    if (tree->root < 0)
        return cond_urdf_refuse(file, tree->link[0].node, COND_BAD_INPUT,
                                "the joints form a loop: every link is the child of one");
    return COND_OK;
}

// A floating joint may only lift the whole robot off a root link that is nothing but a name. That
// link is dropped, its child becomes the base and the joint's origin its initial pose.
static CondStatus take_floating(const CondUrdfFile* file, Tree* tree)
{
    for (int i = 0; i < tree->n_joint; i++) {
        const Joint* joint = &tree->joint[i];
        if (strcmp(joint->type, "floating") != 0)
            continue;
        int n_child = 0;
        for (int k = 0; k < tree->n_joint; k++)
            n_child += tree->joint[k].parent == joint->parent;
        int bare = 1;
        for (xmlNode* child = cond_urdf_element(tree->link[joint->parent].node->children); child;
             child = cond_urdf_element(child->next))
            bare = bare && !cond_urdf_is(child, "inertial") && !cond_urdf_is(child, "collision");
        if (joint->parent != tree->root || n_child > 1 || !bare)
            return cond_urdf_refuse(file, joint->node, COND_NOT_SUPPORTED,
                                    "joint '%s': a floating joint is supported only below a root "
                                    "link without inertia, shapes and other joints",
                                    joint->name);
        CondArticulation* a = file->articulation;
        CondStatus status =
            cond_urdf_origin(file, joint->node, a->base_position, a->base_orientation);
        if (status)
            return status;
        tree->root = joint->child;
        tree->link[joint->child].joint = -1;
        tree->floating = 1;
        return COND_OK; // any other floating joint is refused by its type
    }
    return COND_OK;
}

// Parents before children, children in the order of the file; what the root does not reach is part
// of a loop.
static CondStatus sort_links(const CondUrdfFile* file, Tree* tree)
{
    tree->order = cond_arena_allocate(&tree->arena, (size_t)tree->n_link, sizeof *tree->order);
    if (!tree->order)
        return cond_urdf_refuse(file, NULL, COND_OUT_OF_MEMORY, "no memory for the links");
    tree->order[tree->n_order++] = tree->root;
    for (int at = 0; at < tree->n_order; at++) {
        tree->link[tree->order[at]].number = at;
        for (int i = 0; i < tree->n_joint; i++)
            if (tree->joint[i].parent == tree->order[at])
                tree->order[tree->n_order++] = tree->joint[i].child;
    }
    for (int i = 0; i < tree->n_link; i++)
        if (tree->link[i].number < 0 && tree->link[i].joint >= 0)
            return cond_urdf_refuse(file, tree->link[i].node, COND_BAD_INPUT,
                                    "link '%s' is part of a loop of joints", tree->link[i].name);
    return COND_OK;
}

static CondStatus find_mimics(const CondUrdfFile* file, Tree* tree)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < tree->n_joint && !status; i++) {
        Joint* joint = &tree->joint[i];
        xmlNode* mimic;
        const char* name;
        status = cond_urdf_child(file, joint->node, "mimic", &mimic);
        if (status || !mimic)
            continue;
        status = cond_urdf_name(file, mimic, "joint", &name);
        if (status)
            return status;
        joint->mimic = find_joint(tree, name);
        if (joint->mimic < 0)
            return cond_urdf_refuse(file, mimic, COND_BAD_INPUT,
                                    "joint '%s' mimics '%s', which does not exist", joint->name,
                                    name);
        if (tree->link[tree->joint[joint->mimic].child].number < 0 ||
            tree->link[tree->joint[joint->mimic].child].joint < 0)
            return cond_urdf_refuse(file, mimic, COND_BAD_INPUT,
                                    "joint '%s' mimics '%s', which has no position", joint->name,
                                    name);
    }
    return status;
}

static CondStatus joint_kind(const CondUrdfFile* file, const Joint* joint, CondLinkJointKind* kind)
{
    static const char* const name[] = {"fixed", "revolute", "continuous", "prismatic"};
    for (int k = 0; k < 4; k++) {
        if (strcmp(joint->type, name[k]) != 0)
            continue;
        *kind = (CondLinkJointKind)k;
        return COND_OK;
    }
    if (strcmp(joint->type, "planar") == 0 || strcmp(joint->type, "floating") == 0)
        return cond_urdf_refuse(file, joint->node, COND_NOT_SUPPORTED,
                                "joint '%s': joints of type %s are not supported here", joint->name,
                                joint->type);
    return cond_urdf_refuse(file, joint->node, COND_BAD_INPUT, "joint '%s': unknown type '%s'",
                            joint->name, joint->type);
}

static CondStatus add_link(const CondUrdfFile* file, const Tree* tree, const Link* from)
{
    CondLink link = cond_link_default();
    snprintf(link.name, sizeof link.name, "%s", from->name);
    CondStatus status = COND_OK;
    if (from->joint >= 0) {
        const Joint* joint = &tree->joint[from->joint];
        snprintf(link.joint, sizeof link.joint, "%s", joint->name);
        link.parent = tree->link[joint->parent].number;
        if (joint->mimic >= 0)
            link.mimic = tree->link[tree->joint[joint->mimic].child].number;
        status = joint_kind(file, joint, &link.kind);
        if (!status)
            status = cond_urdf_read_joint(file, joint->node, &link);
    }
    if (!status)
        status = cond_urdf_read_inertial(file, from->node, &link);
    if (status)
        return status;
    CondError fault;
    status = cond_articulation_add_link(file->articulation, &link, &fault);
    if (status)
        return cond_urdf_refuse(file, from->node, status, "%s", fault.message);
    return cond_urdf_read_shapes(file, from->node, from->number);
}

static CondStatus finish(const CondUrdfFile* file, const Tree* tree)
{
    CondError fault;
    CondStatus status = cond_articulation_finish(file->articulation, &fault);
    if (status == COND_OK)
        return COND_OK;
    const xmlNode* node = NULL;
    if (status == COND_BAD_ARGUMENT) {
        status = COND_BAD_INPUT;
        if (file->articulation->fault >= 0)
            node = tree->link[tree->order[file->articulation->fault]].node;
    }
    return cond_urdf_refuse(file, node, status, "%s", fault.message);
}

static CondStatus build(const CondUrdfFile* file, int floating, Tree* tree)
{
    const xmlNode* robot = xmlDocGetRootElement(file->document);
    if (!robot || !cond_urdf_is(robot, "robot"))
        return cond_urdf_refuse(file, robot, COND_BAD_INPUT, "the file holds no <robot>");
    const char* name = cond_urdf_text(robot, "name");
    snprintf(file->articulation->name, COND_NAME_SIZE, "%s", name ? name : "");
    CondStatus status = collect(file, robot, tree);
    if (!status)
        status = find_root(file, tree);
    if (!status)
        status = take_floating(file, tree);
    if (!status)
        status = sort_links(file, tree);
    if (!status)
        status = find_mimics(file, tree);
    file->articulation->floating = floating || tree->floating;
    for (int i = 0; i < tree->n_order && !status; i++)
        status = add_link(file, tree, &tree->link[tree->order[i]]);
    return status ? status : finish(file, tree);
}

CondStatus cond_urdf_read(const CondContext* context, const char* path,
                          const CondUrdfOptions* options, CondArticulation** articulation,
                          CondError* error)
{
    CondUrdfFile file = {.context = cond_context_or_default(context),
                         .path = path,
                         .package_path = options ? options->package_path : NULL,
                         .error = error};
    Tree tree = {.arena.context = file.context};
    *articulation = NULL;
    CondStatus status = cond_articulation_create(&file.context, &file.articulation, error);
    if (!status)
        status = cond_urdf_xml_read(&file);
    if (!status)
        status = build(&file, options && options->floating, &tree);
    cond_arena_release(&tree.arena);
    if (file.document)
        xmlFreeDoc(file.document);
    if (status)
        cond_articulation_destroy(file.articulation);
    else
        *articulation = file.articulation;
    return status;
}
