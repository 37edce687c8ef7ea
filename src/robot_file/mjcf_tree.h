// An MJCF file as a tree of elements with their attributes, with its includes in place. Each
// element knows its file and line, and whether it was read: those that were not are reported at
// the end.
#ifndef COND_ROBOT_FILE_MJCF_TREE_H
#define COND_ROBOT_FILE_MJCF_TREE_H

#include "base/arena.h"
#include "robot_file/urdf_xml.h"

typedef struct CondMjcfAttribute {
    const char* name;
    const char* value;
    int used;
} CondMjcfAttribute;

typedef struct CondMjcfNode {
    const char* name;
    const char* file;
    long line;
    int used;     // 1: somebody looked into it
    int model;    // into CondMjcf.model: whose settings it is read by; 0: the file's own
    int replaced; // 1: copies stand for it
    int n_attribute;
    CondMjcfAttribute* attribute; // (n_attribute)
    struct CondMjcfNode *parent, *first, *last, *next;
} CondMjcfNode;

// Reads the file and all it includes; faults go to those of `file`, whose path it is. All memory is
// the arena's.
CondStatus cond_mjcf_tree_read(const CondUrdfFile* file, CondArena* arena, CondMjcfNode** root);

// The next sibling at or after a node that has this name; NULL: there is none.
CondMjcfNode* cond_mjcf_named(CondMjcfNode* node, const char* name);
int cond_mjcf_is(const CondMjcfNode* node, const char* name);
// The text of the node's own attribute; NULL: it has none. Marks it as used.
const char* cond_mjcf_own(const CondMjcfNode* node, const char* name);

// What nobody asked for, one name after the other: the first place of it, and how often.
typedef struct CondMjcfLeft {
    const CondMjcfNode* node; // the first
    const char* attribute;    // NULL: the whole element
    int count;
} CondMjcfLeft;
// Fills a list that grows in the arena.
CondStatus cond_mjcf_tree_left(CondArena* arena, const CondMjcfNode* root, CondMjcfLeft** left,
                               int* n_left);

#endif
