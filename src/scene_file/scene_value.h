// Values of a scene file: from a node of the tree to a field of a definition, by the table of keys.
#ifndef COND_SCENE_FILE_SCENE_VALUE_H
#define COND_SCENE_FILE_SCENE_VALUE_H

#include "scene/scene_keys.h"
#include "scene_file/yaml_tree.h"

// Longest path of keys that a message can show.
#define COND_KEY_PATH_SIZE 160

typedef struct CondSceneReader {
    CondContext context;
    const char* file; // as messages name it; paths in it are relative to its folder
    CondError* error;
    CondScene* scene;
} CondSceneReader;

// Refuses the file: "file:line: path: text", or "--set override: text" for a value from there.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
CondStatus
cond_scene_refuse(const CondSceneReader* reader, const CondYamlNode* node, const char* path,
                  const char* format, ...);

// One finite or infinite number; the key gives the range and the words of a message.
CondStatus cond_scene_read_number(const CondSceneReader* reader, const CondKey* key,
                                  const CondYamlNode* node, const char* path, double* value);

// Reads three finite numbers of a node.
CondStatus cond_scene_read_point(const CondSceneReader* reader, const CondYamlNode* node,
                                 const char* path, double* point);

// Reads a value of any type with a field into the structure.
CondStatus cond_scene_read_value(const CondSceneReader* reader, const CondKey* key,
                                 const CondYamlNode* node, const char* path, void* structure);

// "expected a number > 0, not abc"
CondStatus cond_scene_refuse_type(const CondSceneReader* reader, const CondKey* key,
                                  const CondYamlNode* node, const char* path);

#endif
