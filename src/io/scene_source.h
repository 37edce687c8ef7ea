// A scene before it is understood: the tree of its file, kept so that it can be read again with
// other values in it.
#ifndef COND_IO_SCENE_SOURCE_H
#define COND_IO_SCENE_SOURCE_H

#include "io/yaml_tree.h"
#include "scene/scene.h"

// Exactly one of path, text and scene.
typedef struct CondSceneOrigin {
    const char* path;       // a scene file, or an MJCF file
    const char* text;       // a scene as YAML
    const char* folder;     // where paths in the text begin; NULL: the working directory
    const CondScene* scene; // a scene in memory, as cond_scene_write would write it
    int n_override;
    const char* const* override; // they must outlive the source                 (n_override)
} CondSceneOrigin;

typedef struct CondSceneSource {
    CondContext context;
    char* file;                         // as messages name it; paths begin in its folder
    CondYamlNode* root;                 // overrides applied
    char (*drawn)[COND_PATH_SIZE + 40]; // "path=value" of all draws, to which the tree points
    int n_drawn;
} CondSceneSource;

CondStatus cond_scene_source_open(const CondContext* context, const CondSceneOrigin* origin,
                                  CondSceneSource* source, CondError* error);
void cond_scene_source_close(CondSceneSource* source);

// The scene as the tree says now.
CondStatus cond_scene_source_read(const CondSceneSource* source, CondScene** scene,
                                  CondError* error);
// Writes what a seed draws into the tree; plain: the scene that says what is drawn.
CondStatus cond_scene_source_draw(CondSceneSource* source, const CondScene* plain, uint64_t seed,
                                  CondError* error);

// The value of a variation at a fraction u of its range, 0 <= u < 1.
double cond_variation_value(const CondVariationDef* def, double u);

#endif
