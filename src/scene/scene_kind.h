// The kinds of definitions that a scene holds, seen without their types.
#ifndef COND_SCENE_SCENE_KIND_H
#define COND_SCENE_SCENE_KIND_H

#include "scene/scene.h"

typedef struct CondKindRow {
    const char* word;       // "body"
    const char* section[3]; // of the table of keys; NULL: its own check looks them up
    const char* maker;      // its default function
    const char* structure;
    size_t array, count; // offsets in a CondScene
    size_t size;
    CondSceneCheck* check;
    // Replaces the arrays that a definition points to by copies that the scene owns; those
    // that cannot be there become NULL, which its check refuses. On failure what was made is in the
    // definition all the same. NULL: it has no arrays.
    CondStatus (*copy)(CondScene* scene, void* def, CondSceneIssue* issue);
    void (*drop)(CondScene* scene, void* def); // releases them
    unsigned users;                            // kinds whose definitions may name these, by bits
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
