// The parts of compiling a scene; each fills its part of the model and says what is wrong.
#ifndef COND_SCENE_COMPILE_H
#define COND_SCENE_COMPILE_H

#include "model/model.h"
#include "scene/scene.h"

// Where a scene is compiled again: the model that it was compiled to before, of whose bodies and
// obstacles those are as they were that have a 0 here.
typedef struct CondCompiledAgain {
    CondModel* donor;
    const unsigned char* body;     //                                            (n_body)
    const unsigned char* obstacle; //                                            (n_obstacle)
} CondCompiledAgain;

// cond_scene_compile with the same bits, and without making anew what is large: articulations,
// elements, rods and surfaces of what has not changed are taken out of the donor, which is
// destroyed in any case. Its settings have been checked.
CondStatus cond_scene_compile_again(const CondScene* scene, const CondCompiledAgain* again,
                                    CondModel** model, CondError* error);
// Takes a body, or the surface of an obstacle, out of the donor; *taken = 0: it must be made.
CondStatus cond_compile_take_body(CondModel* model, int index, int* taken);
CondStatus cond_compile_take_obstacle(CondModel* model, int index, CondSolid* solid,
                                      struct CondMeshSurface** mesh_surface);

// Soft body: mesh and material -> CondFem, start, features. index: of the body.
CondStatus cond_compile_soft(CondModel* model, const CondScene* scene, int index, CondError* error);
// Robot: URDF or links -> CondArticulation, start, motors.
CondStatus cond_compile_robot(CondModel* model, const CondScene* scene, int index,
                              CondError* error);
// The links of a definition as an articulated body, finished.
struct CondArticulation;
CondStatus cond_compile_links(const CondScene* scene, const CondBodyDef* def,
                              struct CondArticulation** robot, CondError* error);
// What the joint of a link is called.
const char* cond_link_joint_name(const CondLinkDef* link);
// The coordinate, from 0, that a joint's name stands for; -1 after a message that begins with
// `owner`, when there is none, it does not move, or follows another joint.
int cond_robot_find_joint(const CondModel* model, int body, const char* owner, const char* name,
                          CondError* error);

// A closed surface from a file or a generator, for a shape of `owner` ("body NAME"); the model
// keeps it. convex: anything else is refused. mended, unless NULL: triangles that bound no solid
// are replaced by their convex hull, and it holds what is wrong with them; else it is left alone.
CondStatus cond_compile_mesh_surface(CondModel* model, const CondScene* scene, const char* owner,
                                     const char* path, const double scale[3], int convex,
                                     struct CondMeshSurface** mesh_surface, CondError* mended,
                                     CondError* error);

// Ground: a heightfield or an open surface, closed below; the model keeps it.
CondStatus cond_compile_terrain(CondModel* model, const CondScene* scene,
                                const CondObstacleDef* def, CondSolid* solid,
                                struct CondMeshSurface** mesh_surface, CondError* error);

// Rod: centreline, section and material -> CondRod, start.
CondStatus cond_compile_rod(CondModel* model, const CondScene* scene, int index, CondError* error);

// Moves a point of a rod, given by its distance `at` along it, to the link it belongs to; leaves
// points of other bodies alone.
void cond_compile_at(const CondModel* model, double at, CondPoint* point);

// Masses, moments of inertia and stiffnesses of a compiled body are of a size to compute with.
CondStatus cond_compile_check_sizes(const CondBody* body, CondError* error);

// Contact features and solid shapes of all bodies, and the obstacles.
CondStatus cond_compile_shapes(CondModel* model, const CondScene* scene, CondError* error);

// Sizes of all bodies, whose features must be there.
void cond_compile_sizes(CondModel* model);

// Warns of soft bodies without an element of the user's choice that bend far too stiffly.
CondStatus cond_compile_bending(CondModel* model, const CondScene* scene, CondError* error);

// How thick bodies and obstacles are, whose shapes must be there.
void cond_compile_widths(CondModel* model);

// Who may touch whom; bodies, shapes and planes must be there.
CondStatus cond_compile_entities(CondModel* model, const CondScene* scene, CondError* error);

// Edges of the solids, which must be there.
CondStatus cond_compile_edges(CondModel* model);

// Patches, attachments and trajectories.
CondStatus cond_compile_patches(CondModel* model, const CondScene* scene, CondError* error);
// Says which entry of the scene is compiled, for messages.
void cond_compile_note(CondModel* model, CondSceneKind list, int entry);

CondStatus cond_compile_forces(CondModel* model, const CondScene* scene, CondError* error);
CondStatus cond_compile_attachments(CondModel* model, const CondScene* scene, CondError* error);
// An attachment's definition with its names looked up in the model, whose patches and trajectories
// must be there. COND_BAD_ARGUMENT with a message where something is not, or a value is out of
// range.
CondStatus cond_attachment_resolve(const CondModel* model, const CondAttachmentDef* def,
                                   CondAttachment* out, CondError* error);
// One end of it; messages begin with `owner`. turns: orientation shall be held there.
CondStatus cond_end_resolve(const CondModel* model, const CondEndDef* at, int turns,
                            const char* owner, CondFrame* frame, CondError* error);
CondStatus cond_compile_trajectories(CondModel* model, const CondScene* scene, CondError* error);
// Sensors, whose attachments must be there.
CondStatus cond_compile_sensors(CondModel* model, const CondScene* scene, CondError* error);

#endif
