// The source of a scene: the tree of its file, kept so that it can be read again with other values.
#ifndef COND_SCENE_FILE_SCENE_SOURCE_H
#define COND_SCENE_FILE_SCENE_SOURCE_H

#include "scene/scene.h"
#include "scene_file/yaml_tree.h"

// Exactly one of path, text and scene.
typedef struct CondSceneOrigin {
    const char* path;       // a scene file, or an MJCF file
    const char* text;       // a scene as YAML
    const char* folder;     // where paths in the text begin; NULL: the working directory
    const CondScene* scene; // a scene in memory, as cond_scene_write would write it
    int n_override;
    const char* const* override; // they must outlive the source                 (n_override)
} CondSceneOrigin;

// An entry of a list that is changed by draws.
typedef struct CondDrawnEntry {
    int list;           // row of cond_scene_list_row
    int place;          // index in the file's list
    CondYamlNode* node; //
} CondDrawnEntry;

typedef struct CondSceneSource {
    CondContext context;
    char* file;                         // as messages name it; paths begin in its folder
    CondYamlNode* root;                 // overrides applied
    CondScene* notes;                   // warnings of the reader of another format; NULL: none
    char (*drawn)[COND_PATH_SIZE + 40]; // "path=value" of all draws, to which the tree points
    int n_drawn;
    CondYamlNode** leaf;   // node of each of them; NULL: not known                  (n_drawn)
    CondDrawnEntry* entry; // entries that they change, in the order of reading; NULL: not known
                           // (n_entry)
    int n_entry;
    CondYamlNode* gravity; // the only setting that they may change; NULL: unchanged
} CondSceneSource;

CondStatus cond_scene_source_open(const CondContext* context, const CondSceneOrigin* origin,
                                  CondSceneSource* source, CondError* error);
void cond_scene_source_close(CondSceneSource* source);

// Reads the scene from the present tree.
CondStatus cond_scene_source_read(const CondSceneSource* source, CondScene** scene,
                                  CondError* error);
// Writes the draws of a seed into the tree; plain: the scene with the variations.
CondStatus cond_scene_source_draw(CondSceneSource* source, const CondScene* plain, uint64_t seed,
                                  CondError* error);

// 1 if draws change only numbers in entries of lists, so that a scene from this source can be
// updated without reading all of it. Valid after a draw.
int cond_scene_source_is_quick(const CondSceneSource* source);
// 1 if draws change entries of this list.
int cond_scene_source_changes(const CondSceneSource* source, const char* list);
// Updates such a scene with the drawn values. On failure it may be updated partly.
CondStatus cond_scene_source_reread(const CondSceneSource* source, CondScene* scene,
                                    CondError* error);
// Marks the bodies and obstacles whose definitions draws change, by their materials too, with 1.
//                                                      body (n_body), obstacle (n_obstacle)
void cond_scene_source_mark(const CondSceneSource* source, const CondScene* scene,
                            unsigned char* body, unsigned char* obstacle);

// The value of a variation at a fraction u of its range, 0 <= u < 1.
double cond_variation_value(const CondVariationDef* def, double u);

#endif
