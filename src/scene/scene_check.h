// Rules that several kinds of definitions share. Each returns COND_OK, or writes the issue.
#ifndef COND_SCENE_SCENE_CHECK_H
#define COND_SCENE_SCENE_CHECK_H

#include "scene/scene_keys.h"

// Checks that a direction can be normalised.
CondStatus cond_check_length(const char* field, int n, const double* x, CondSceneIssue* issue);

int cond_is_zero(int n, const double* x);

// "particle", "rigid body", "soft body", "robot".
const char* cond_body_noun(CondBodyKind kind);
// 1 for the kinds that are soft bodies of a model.
static inline int cond_body_is_soft(CondBodyKind kind)
{
    return kind == COND_BODY_SOFT || kind == COND_BODY_SHELL;
}

// "there is no body called 'bos' (did you mean 'box'?)"
CondStatus cond_check_missing(const CondScene* scene, const char* field, CondSceneKind kind,
                              const char* name, CondSceneIssue* issue);

// Look up the body that another definition names, and check that a point of it may be given.
CondStatus cond_check_body_name(const CondScene* scene, const char* field, const char* name,
                                int* body, CondSceneIssue* issue);
CondStatus cond_check_body_point(const CondScene* scene, int body, const char* field,
                                 const double* point, CondSceneIssue* issue);

// Checks the patch that another definition names together with its body.
CondStatus cond_check_patch_name(const CondScene* scene, const char* field, const char* name,
                                 const char* body, CondSceneIssue* issue);

// The key of a shape's size; NULL for COND_SHAPE_NONE and for an invalid kind. `section` is
// "bodies.shape" or "obstacles.shape".
const CondKey* cond_shape_key(const char* section, CondShapeKind shape);

// Checks that a distance along a rod is given if the body is a rod, and only then. prefix: of the
// key "at".
CondStatus cond_check_at(const CondScene* scene, int body, const char* prefix, double at,
                         CondSceneIssue* issue);
// The links of a robot that has no URDF: names, parents, joints and shapes.
CondStatus cond_scene_check_links(const CondScene* scene, const CondBodyDef* def,
                                  CondSceneIssue* issue);
// Centreline and section of a rod.
CondStatus cond_scene_check_rod(const CondBodyDef* def, CondSceneIssue* issue);

#endif
