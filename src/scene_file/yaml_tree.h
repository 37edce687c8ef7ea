// A YAML document as a tree of nodes, each with its line.
#ifndef COND_SCENE_FILE_YAML_TREE_H
#define COND_SCENE_FILE_YAML_TREE_H

#include "cond/context.h"
#include "cond/status.h"

#include <stddef.h>

// Larger files are refused [bytes].
#define COND_YAML_LARGEST (16u << 20)

typedef enum CondYamlKind {
    COND_YAML_SCALAR,
    COND_YAML_SEQUENCE,
    COND_YAML_MAPPING,
} CondYamlKind;

typedef struct CondYamlNode CondYamlNode;
struct CondYamlNode {
    CondYamlKind kind;
    int line;             // from 1; of the key where there is one
    const char* override; // "path=value" of the override it came from, NULL: from the file
    int override_root;    // 1: the node that the override's path leads to
    int plain;            // 1: a scalar without quotes, which may be a number or null
    char* text;           // of a scalar
    char* key;            // of a child of a mapping
    int n_child;
    CondYamlNode* first;
    CondYamlNode* last;
    CondYamlNode* next; // among the children of its parent
};

// Reads one document. Messages begin with "path:line: ".
CondStatus cond_yaml_read(const CondContext* context, const char* path, CondYamlNode** root,
                          CondError* error);

// Parses text. `path` names it in messages; with `override` (which must outlive the tree) they
// begin with "--set override: " instead and the nodes remember it.
CondStatus cond_yaml_parse(const CondContext* context, const char* text, size_t length,
                           const char* path, const char* override, CondYamlNode** root,
                           CondError* error);

// Applies "path=value" to the tree. The path consists of keys separated by dots, with [i] for entry
// i of a list, or the entry's name; missing mappings are created. The tree keeps a pointer to the
// text of the override.
CondStatus cond_yaml_override(const CondContext* context, CondYamlNode* root, const char* override,
                              CondError* error);
// The same, and *place is the node that has the value now.
CondStatus cond_yaml_override_at(const CondContext* context, CondYamlNode* root,
                                 const char* override, CondYamlNode** place, CondError* error);

void cond_yaml_destroy(const CondContext* context, CondYamlNode* node);

CondYamlNode* cond_yaml_create(const CondContext* context, CondYamlKind kind, int line);
void cond_yaml_append(CondYamlNode* parent, CondYamlNode* child);
// Child of a mapping by key, NULL when there is none.
CondYamlNode* cond_yaml_find(const CondYamlNode* mapping, const char* key);
// 1 for a missing value: empty, ~ or null.
int cond_yaml_is_null(const CondYamlNode* node);

// Writes status and "path:line: text", or "--set override: text", into the error.
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
CondStatus
cond_yaml_error(CondError* error, CondStatus status, const char* path, int line,
                const char* override, const char* format, ...);

#endif
