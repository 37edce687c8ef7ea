// An MJCF file as a tree of elements with their attributes, with its includes in place. Each
// element stores its file and line, and whether it was read; unread ones are reported at the end.
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
    int used;     // 1: it was read
    int model;    // into CondMjcf.model: its settings; 0: those of the file
    int replaced; // 1: replaced by copies
    int n_attribute;
    CondMjcfAttribute* attribute; // (n_attribute)
    struct CondMjcfNode *parent, *first, *last, *next;
} CondMjcfNode;

// Reads the file at the path of `file` and its includes; faults are added to those of `file`. All
// memory belongs to the arena.
CondStatus cond_mjcf_tree_read(const CondUrdfFile* file, CondArena* arena, CondMjcfNode** root);

// The next sibling at or after a node that has this name; NULL: there is none.
CondMjcfNode* cond_mjcf_named(CondMjcfNode* node, const char* name);
int cond_mjcf_is(const CondMjcfNode* node, const char* name);
// The text of the node's own attribute; NULL: it has none. Marks it as used.
const char* cond_mjcf_own(const CondMjcfNode* node, const char* name);

// Elements and attributes that were not read, by name: the first occurrence, and the count.
typedef struct CondMjcfLeft {
    const CondMjcfNode* node; // the first
    const char* attribute;    // NULL: the whole element
    int count;
} CondMjcfLeft;
// Fills a growing list in the arena.
CondStatus cond_mjcf_tree_left(CondArena* arena, const CondMjcfNode* root, CondMjcfLeft** left,
                               int* n_left);

#endif
