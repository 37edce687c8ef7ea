// The kinds of definitions of a scene, independent of their types.
#ifndef COND_SCENE_SCENE_KIND_H
#define COND_SCENE_SCENE_KIND_H

#include "scene/scene.h"

typedef struct CondKindRow {
    const char* word;       // "body"
    const char* section[3]; // of the table of keys; NULL: its check finds them
    const char* maker;      // its default function
    const char* structure;
    size_t array, count; // offsets in a CondScene
    size_t size;
    CondSceneCheck* check;
    // Replaces the arrays of a definition by copies that the scene owns; invalid ones become NULL,
    // which its check refuses. On failure the definition still holds the copies made so far. NULL:
    // it has no arrays.
    CondStatus (*copy)(CondScene* scene, void* def, CondSceneIssue* issue);
    void (*drop)(CondScene* scene, void* def); // releases them
    unsigned users;                            // kinds whose definitions may refer to these, by
                                               // bits
} CondKindRow;
const CondKindRow* cond_scene_kind_row(CondSceneKind kind); // NULL past the last

// The arrays of the definitions that have some (src/scene/scene_arrays.c).
CondStatus cond_body_copy_arrays(CondScene* scene, void* def, CondSceneIssue* issue);
void cond_body_drop_arrays(CondScene* scene, void* def);
CondStatus cond_obstacle_copy_arrays(CondScene* scene, void* def, CondSceneIssue* issue);
void cond_obstacle_drop_arrays(CondScene* scene, void* def);
CondStatus cond_trajectory_copy_arrays(CondScene* scene, void* def, CondSceneIssue* issue);
void cond_trajectory_drop_arrays(CondScene* scene, void* def);
void cond_scene_mesh_drop(CondScene* scene, CondSceneMesh* mesh);

#endif
