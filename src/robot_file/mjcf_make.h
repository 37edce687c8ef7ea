// Definitions of a scene from an MJCF file.
#ifndef COND_ROBOT_FILE_MJCF_MAKE_H
#define COND_ROBOT_FILE_MJCF_MAKE_H

#include "robot_file/mjcf_model.h"

// 1 if the geom may touch anything.
int cond_mjcf_touches(const CondMjcfGeom* geom);
// A geom as a shape in the axes of `body`; 0 if no shape corresponds to it.
int cond_mjcf_put_shape(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* body,
                        CondLinkShapeDef* shape);
// 1 if the file of a geom's mesh can be opened; otherwise adds a fault, or a warning if the mesh is
// given by vertices.
int cond_mjcf_check_mesh(CondMjcf* m, const CondMjcfGeom* geom);
// The friction of a geom: of two, that of the higher priority counts, else the larger one.
void cond_mjcf_put_friction(const CondMjcfGeom* geom, CondSurfaceDef* surface,
                            CondRubbingDef* rubbing);
// 1 if two geoms have the same friction.
int cond_mjcf_rub_alike(const CondMjcfGeom* a, const CondMjcfGeom* b);
// A geom as a visual shape; 0 if it is not visible, or its mesh is missing.
int cond_mjcf_put_visual(CondMjcf* m, const CondMjcfGeom* geom, const CondMjcfPose* body,
                         CondLinkShapeDef* shape);
// Appends the visual shapes of a body.
void cond_mjcf_put_visuals(CondMjcf* m, int body, CondLinkDef* link);
// Checks a definition and adds it, or reports a fault at the node.
void cond_mjcf_put_body(CondMjcf* m, const CondMjcfNode* node, const CondBodyDef* def);

// A name in the scene: with the prefix of the file's names.
void cond_mjcf_scene_name(CondMjcf* m, const CondMjcfNode* node, const char* own,
                          char name[COND_NAME_SIZE]);
// Groups from contype and conaffinity: found once, then set for a body, or for one of its geoms.
void cond_mjcf_find_masks(CondMjcf* m);
void cond_mjcf_put_groups(CondMjcf* m, int body, int geom, uint32_t* groups, uint32_t* touches);
// The name in pairs of a body, or of one of the geoms of a static body (geom -1: the body); 0 if
// there is none.
int cond_mjcf_thing(CondMjcf* m, int body, int geom, char thing[2 * COND_NAME_SIZE]);
// Warns if two bodies joined by an equality would touch each other in MuJoCo.
void cond_mjcf_warn_apart(CondMjcf* m, const CondMjcfNode* node, int a, int b);
void cond_mjcf_list_touch(CondMjcf* m); // warns of simplified surfaces

// 1 for names of the bodies of a cable: B_first, B_1, ..., B_last, after its prefix.
int cond_mjcf_is_of_cable(const CondMjcf* m, const char* name);

// Mocap bodies; unsupported ones become static.
void cond_mjcf_make_mocaps(CondMjcf* m);
// Rigid bodies and robots.
void cond_mjcf_make_trees(CondMjcf* m);

#endif
