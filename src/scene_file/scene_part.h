// Nested sections of a scene file that several kinds of entries have.
#ifndef COND_SCENE_FILE_SCENE_PART_H
#define COND_SCENE_FILE_SCENE_PART_H

#include "scene_file/scene_section.h"

// A shape: exactly one of the keys of the section `name`, whose size goes into the structure.
CondStatus cond_shape_read(const CondSceneReader* reader, const char* name,
                           const CondYamlNode* node, const char* path, void* structure,
                           CondShapeKind* shape, CondSection* section);

// Reads the rotation of an entry, if it has one; `name` is the section of its keys.
CondStatus cond_rotation_read(const CondSceneReader* reader, const CondSection* section,
                              const char* name, const char* path, double* orientation);

// Makes the path of a file, text[COND_PATH_SIZE], relative to the folder of the scene file.
// Absolute paths, generators of meshes and texts that are not in the file (no node) are unchanged.
CondStatus cond_path_resolve(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, char* text);

// Reads the links of a robot, if the list is given; always to be released.
CondStatus cond_links_read(const CondSceneReader* reader, const CondYamlNode* list,
                           const char* path, CondBodyDef* def);
void cond_links_release(const CondContext* context, CondBodyDef* def);

// The tree of a scene whose file is MJCF, overrides applied.
CondStatus cond_mjcf_tree(CondSceneReader* reader, int n_override, const char* const* override,
                          CondYamlNode** root);

// Reads one entry of the top level's list into the scene. The target is the row of the list, which
// most do not use.
CondEntryRead cond_mesh_read_entry;
CondEntryRead cond_body_read;
CondEntryRead cond_mjcf_read_entry;
CondEntryRead cond_obstacle_read;
CondEntryRead cond_exclude_read;
CondEntryRead cond_pair_read;
CondEntryRead cond_trajectory_read;
CondEntryRead cond_variation_read;

// The lists of a scene file, in the order in which they are read; NULL past the last.
typedef struct CondSceneListRow {
    const char* key;
    CondEntryRead* read;
    CondSceneKind kind; // of its entries; COND_SCENE_N_KIND: an entry becomes several things
} CondSceneListRow;
const CondSceneListRow* cond_scene_list_row(int index);

// Contact groups: the first one is the default; at the end every group that something touches must
// have members.
CondStatus cond_groups_begin(const CondSceneReader* reader);
CondStatus cond_groups_check(const CondSceneReader* reader, const CondYamlNode* root);

#endif
