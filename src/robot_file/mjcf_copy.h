// Copies of subtrees of an MJCF tree under other names, for <replicate> and <attach>.
#ifndef COND_ROBOT_FILE_MJCF_COPY_H
#define COND_ROBOT_FILE_MJCF_COPY_H

#include "robot_file/mjcf_model.h"

// Names of elements, by the kind that attributes refer to them by ("body", "joint" ...).
typedef struct CondMjcfName {
    const char* kind;
    const char* name;
} CondMjcfName;

typedef struct CondMjcfNames {
    int n;
    CondMjcfName* name; // (n)
} CondMjcfNames;

// Renaming of a copy: prefix, name and suffix. It changes the names of the copied elements, and the
// references to names in the set; without a set all references.
typedef struct CondMjcfRenaming {
    const char *prefix, *suffix;
    const CondMjcfNames* set; // NULL: all
    const int* model;         // model of the copies, by that of the originals; NULL: the same
} CondMjcfRenaming;

// Adds the names of all elements at and below a node.
void cond_mjcf_gather(CondMjcf* m, const CondMjcfNode* node, CondMjcfNames* names);
// Counts the references at and below a node to names in the set, and those to other elements of
// bodies, tendons and actuators.
void cond_mjcf_count_references(const CondMjcfNode* node, const CondMjcfNames* set, int* within,
                                int* beyond);

// A copy of a node and all below it, without siblings; NULL, after a message, if memory runs out.
CondMjcfNode* cond_mjcf_copy(CondMjcf* m, const CondMjcfNode* node,
                             const CondMjcfRenaming* renaming, CondMjcfNode* parent);
// A node without attributes, not in any list yet.
CondMjcfNode* cond_mjcf_make(CondMjcf* m, const char* name, const CondMjcfNode* like,
                             CondMjcfNode* parent);
void cond_mjcf_put_attribute(CondMjcf* m, CondMjcfNode* node, const char* name, const char* value);
// Appends a node to the children of its parent.
void cond_mjcf_append(CondMjcfNode* parent, CondMjcfNode* node);
// Replaces a child by the children of `list`, which is itself in no list; removes it if there are
// none.
void cond_mjcf_replace(CondMjcfNode* child, CondMjcfNode* list);
// The concatenation of the three texts, in the arena.
const char* cond_mjcf_join(CondMjcf* m, const char* a, const char* b, const char* c);

#endif
