// Copies of parts of an MJCF tree under other names: what <replicate> and <attach> are made of.
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

// How a copy is called: prefix, name and suffix. Names of the copied elements change, and of the
// references those to what is in the set; where there is no set, all of them.
typedef struct CondMjcfRenaming {
    const char *prefix, *suffix;
    const CondMjcfNames* set; // NULL: all
    const int* model;         // of the copies, by that of the originals; NULL: the same
} CondMjcfRenaming;

// Adds the names of all elements at and below a node.
void cond_mjcf_gather(CondMjcf* m, const CondMjcfNode* node, CondMjcfNames* names);
// How many references at and below a node are to what is in the set, and how many to anything else
// that bodies, tendons and actuators consist of.
void cond_mjcf_count_references(const CondMjcfNode* node, const CondMjcfNames* set, int* within,
                                int* beyond);

// A copy with all that is below, without siblings; NULL where memory is short, which was told.
CondMjcfNode* cond_mjcf_copy(CondMjcf* m, const CondMjcfNode* node,
                             const CondMjcfRenaming* renaming, CondMjcfNode* parent);
// A node without attributes, in no list yet.
CondMjcfNode* cond_mjcf_make(CondMjcf* m, const char* name, const CondMjcfNode* like,
                             CondMjcfNode* parent);
void cond_mjcf_put_attribute(CondMjcf* m, CondMjcfNode* node, const char* name, const char* value);
// Puts a node behind the last child of its parent.
void cond_mjcf_append(CondMjcfNode* parent, CondMjcfNode* node);
// Puts the children of `list`, a node of no list, in the place of a child; none: removes it.
void cond_mjcf_replace(CondMjcfNode* child, CondMjcfNode* list);
// The text at the end of all three, in the arena.
const char* cond_mjcf_join(CondMjcf* m, const char* a, const char* b, const char* c);

#endif
