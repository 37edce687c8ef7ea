// Parts of a scene file that several kinds of entries hold.
#ifndef COND_SCENE_FILE_SCENE_PART_H
#define COND_SCENE_FILE_SCENE_PART_H

#include "scene_file/scene_section.h"

// A shape: exactly one of the keys of the section `name`, whose size goes into the structure.
CondStatus cond_shape_read(const CondSceneReader* reader, const char* name,
                           const CondYamlNode* node, const char* path, void* structure,
                           CondShapeKind* shape, CondSection* section);

// The rotation of an entry, where it holds one; `name` is the section of its keys.
CondStatus cond_rotation_read(const CondSceneReader* reader, const CondSection* section,
                              const char* name, const char* path, double* orientation);

// The path of a file, text[COND_PATH_SIZE], is taken from the folder of the scene file. Absolute
// paths, generators of meshes and texts that the file does not give (no node) stay as they are.
CondStatus cond_path_resolve(const CondSceneReader* reader, const CondYamlNode* node,
                             const char* path, char* text);

// The links of a robot, where the list is there; to be released in any case.
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
    CondSceneKind kind; // of its entries; COND_SCENE_N_KIND: they become more than one thing
} CondSceneListRow;
const CondSceneListRow* cond_scene_list_row(int index);

// Groups of what touches: the first one is what says nothing; at the end every group that something
// touches must have members.
CondStatus cond_groups_begin(const CondSceneReader* reader);
CondStatus cond_groups_check(const CondSceneReader* reader, const CondYamlNode* root);

#endif
