// Definitions of a scene from what an MJCF file says.
#ifndef COND_ROBOT_FILE_MJCF_MAKE_H
#define COND_ROBOT_FILE_MJCF_MAKE_H

#include "robot_file/mjcf_model.h"

// 1 where the geom may touch anything.
int cond_mjcf_touches(const CondMjcfGeom* geom);
// A geom as a shape in the axes that the body's frame is given in; 0 where there is none for it.
int cond_mjcf_put_shape(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* body,
                        CondLinkShapeDef* shape);
// 1 where the file of a geom's mesh can be opened; a fault, or a warning where it is given by
// vertices.
int cond_mjcf_check_mesh(CondMjcf* m, const CondMjcfGeom* geom);
// The friction of a geom: of two, one of more priority alone counts, else the larger.
void cond_mjcf_put_friction(const CondMjcfGeom* geom, CondSurfaceDef* surface,
                            CondRubbingDef* rubbing);
// 1 where two geoms have the same friction.
int cond_mjcf_rub_alike(const CondMjcfGeom* a, const CondMjcfGeom* b);
// A geom as it is seen; 0 where it is not, or its mesh is not there.
int cond_mjcf_put_visual(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* body,
                         CondLinkShapeDef* shape);
// The visual shapes of a body, after those that it has already.
void cond_mjcf_put_visuals(CondMjcf* m, int body, CondLinkDef* link);
// Adds a checked definition, or refuses it at the node.
void cond_mjcf_put_body(CondMjcf* m, const CondMjcfNode* node, const CondBodyDef* def);

// A name in the scene: with the prefix that the file's names get.
void cond_mjcf_scene_name(CondMjcf* m, const CondMjcfNode* node, const char* own,
                          char name[COND_NAME_SIZE]);
// Groups by contype and conaffinity: found once, then told for a body, or for one geom of it.
void cond_mjcf_find_masks(CondMjcf* m);
void cond_mjcf_put_groups(CondMjcf* m, int body, int geom, uint32_t* groups, uint32_t* touches);
// What a body, or where it stands still one of its geoms (-1: the body), is called in pairs; 0
// where there is no such thing.
int cond_mjcf_thing(CondMjcf* m, int body, int geom, char thing[2 * COND_NAME_SIZE]);
// Warns where two bodies that an equality holds would touch each other in MuJoCo.
void cond_mjcf_warn_apart(CondMjcf* m, const CondMjcfNode* node, int a, int b);
void cond_mjcf_list_touch(CondMjcf* m); // warns of surfaces that are simpler than in the file

// 1 for names that a cable gives its bodies: B_first, B_1, ..., B_last, behind its prefix.
int cond_mjcf_is_of_cable(const CondMjcf* m, const char* name);

// Mocap bodies, those that cannot be any becoming static ones.
void cond_mjcf_make_mocaps(CondMjcf* m);
// Rigid bodies and robots.
void cond_mjcf_make_trees(CondMjcf* m);

#endif
