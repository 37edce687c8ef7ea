// The links and joints of a URDF file as a tree: names, parents, the root, the order.
#ifndef COND_ROBOT_FILE_URDF_TREE_H
#define COND_ROBOT_FILE_URDF_TREE_H

#include "base/arena.h"
#include "robot_file/urdf_xml.h"

typedef struct CondUrdfLink {
    const xmlNode* node;
    const char* name;
    int joint;     // the joint whose child it is, -1: none
    int number;    // in the articulation, -1: not added yet
    CondLink read; // name and inertia
} CondUrdfLink;

typedef struct CondUrdfJoint {
    const xmlNode* node;
    const char* name;
    const char* type;
    int parent, child;
    int mimic;     // the joint it mimics, -1: none
    CondLink read; // data of the joint
} CondUrdfJoint;

typedef struct CondUrdfTree {
    CondArena arena;
    int n_link, n_joint;
    CondUrdfLink* link;   // in the order of the file                       (n_link)
    CondUrdfJoint* joint; //                                                (n_joint)
    int n_shape, n_visual;
    CondLinkShape* shape;  // their links are indices into `link`                    (n_shape)
    CondLinkShape* visual; // the same                              (n_visual)
    int n_unseen;          // visual meshes that are missing
    int root;              //
    int* order;            // links, parents first                           (n_link)
    int n_order;
    int floating;
} CondUrdfTree;

// Collects all links and joints of the file, and reports every fault.
CondStatus cond_urdf_collect(const CondUrdfFile* file, const xmlNode* robot, CondUrdfTree* tree);
// Finds the root, the order and the mimic joints; replaces a floating joint at the root by a
// floating base.
CondStatus cond_urdf_make_tree(const CondUrdfFile* file, CondUrdfTree* tree);

#endif
