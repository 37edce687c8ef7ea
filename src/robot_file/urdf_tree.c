// Orders links and joints of a URDF file from the root (urdf_tree.h).
#include "robot_file/urdf_tree.h"
#include "base/tuning.h"

#include <string.h>

static int find_link(const CondUrdfTree* tree, const char* name)
{
    for (int i = 0; i < tree->n_link; i++)
        if (strcmp(tree->link[i].name, name) == 0)
            return i;
    return -1;
}

static int find_joint(const CondUrdfTree* tree, const char* name)
{
    for (int i = 0; i < tree->n_joint; i++)
        if (strcmp(tree->joint[i].name, name) == 0)
            return i;
    return -1;
}

static CondStatus collect_link(const CondUrdfFile* file, CondUrdfTree* tree, const xmlNode* node)
{
    CondUrdfLink link = {.node = node, .joint = -1, .number = -1};
    CondStatus status = cond_urdf_name(file, node, "name", &link.name);
    if (status)
        return status;
    if (find_link(tree, link.name) >= 0)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "there are two links named '%s'",
                                link.name);
    if (tree->n_link == COND_ONE_BY_ONE)
        return cond_urdf_refuse(file, node, COND_BAD_INPUT, "more than %d links", COND_ONE_BY_ONE);
    if (COND_RESERVE(&tree->arena, tree->link, tree->n_link + 1))
        return cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a link");
    tree->link[tree->n_link++] = link;
    return COND_OK;
}

// The link that <parent link="..."/> or <child link="..."/> of a joint names.
static CondStatus read_end(const CondUrdfFile* file, const CondUrdfTree* tree,
                           const CondUrdfJoint* joint, const char* element, int* link)
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

static CondStatus collect_joint(const CondUrdfFile* file, CondUrdfTree* tree, const xmlNode* node)
{
    CondUrdfJoint joint = {.node = node, .mimic = -1};
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
    CondUrdfLink* child = &tree->link[joint.child];
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

CondStatus cond_urdf_collect(const CondUrdfFile* file, const xmlNode* robot, CondUrdfTree* tree)
{
    CondStatus status = COND_OK;
    for (int joints = 0; joints < 2; joints++) // joints may stand before the links they name
        for (xmlNode* node = cond_urdf_element(robot->children); node && !cond_urdf_ends(status);
             node = cond_urdf_element(node->next)) {
            CondStatus one = COND_OK;
            if (!joints && cond_urdf_is(node, "link"))
                one = collect_link(file, tree, node);
            else if (joints && cond_urdf_is(node, "joint"))
                one = collect_joint(file, tree, node);
            else if (joints && !cond_urdf_is(node, "link") && !cond_urdf_is(node, "material"))
                cond_urdf_ignore(file, node);
            status = one ? one : status;
        }
    if (!status && tree->n_link == 0)
        status = cond_urdf_refuse(file, robot, COND_BAD_INPUT, "a robot without links");
    return status;
}

static CondStatus find_root(const CondUrdfFile* file, CondUrdfTree* tree)
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

// A floating joint below a root link that is nothing but a name lifts the whole robot off it: that
// link is dropped, its child becomes the base and the joint's origin its initial pose. Elsewhere in
// the tree it is a joint like others.
static CondStatus take_floating(const CondUrdfFile* file, CondUrdfTree* tree)
{
    int n_child = 0, bare = 1;
    const CondUrdfJoint* joint = NULL;
    for (int k = 0; k < tree->n_joint; k++) {
        if (tree->joint[k].parent != tree->root)
            continue;
        joint = &tree->joint[k];
        n_child++;
    }
    for (xmlNode* child = cond_urdf_element(tree->link[tree->root].node->children); child;
         child = cond_urdf_element(child->next))
        bare = bare && !cond_urdf_is(child, "inertial") && !cond_urdf_is(child, "collision");
    if (n_child != 1 || !bare || strcmp(joint->type, "floating") != 0)
        return COND_OK;
    CondArticulation* a = file->articulation;
    CondStatus status = cond_urdf_origin(file, joint->node, a->base_position, a->base_orientation);
    if (status)
        return status;
    tree->root = joint->child;
    tree->link[joint->child].joint = -1;
    tree->floating = 1;
    return COND_OK;
}

// Parents before children, children in the order of the file; what the root does not reach is part
// of a loop.
static CondStatus sort_links(const CondUrdfFile* file, CondUrdfTree* tree)
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

static CondStatus find_mimics(const CondUrdfFile* file, CondUrdfTree* tree)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < tree->n_joint && !status; i++) {
        CondUrdfJoint* joint = &tree->joint[i];
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

CondStatus cond_urdf_make_tree(const CondUrdfFile* file, CondUrdfTree* tree)
{
    CondStatus status = find_root(file, tree);
    if (!status)
        status = take_floating(file, tree);
    if (!status)
        status = sort_links(file, tree);
    return status ? status : find_mimics(file, tree);
}
