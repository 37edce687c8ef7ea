// The steps of compiling a scene; each fills its share of the model and reports errors.
#ifndef COND_SCENE_COMPILE_H
#define COND_SCENE_COMPILE_H

#include "model/model.h"
#include "scene/scene.h"

// For recompiling a scene: its previous model, and flags for the bodies and obstacles that have
// changed since; 0: unchanged.
typedef struct CondCompiledAgain {
    CondModel* donor;
    const unsigned char* body;     //                                            (n_body)
    const unsigned char* obstacle; //                                            (n_obstacle)
} CondCompiledAgain;

// cond_scene_compile with the same bits, but without recomputing large data: articulations,
// elements, rods and surfaces of unchanged bodies are moved from the donor, which is always
// destroyed. The settings must have been checked.
CondStatus cond_scene_compile_again(const CondScene* scene, const CondCompiledAgain* again,
                                    CondModel** model, CondError* error);
// Moves a body, or the surface of an obstacle, from the donor; *taken = 0: it must be compiled.
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
// The name of the joint of a link.
const char* cond_link_joint_name(const CondLinkDef* link);
// The coordinate, from 0, of a joint's name. -1, with a message that begins with `owner`, if there
// is none, or the joint does not move or mimics another.
int cond_robot_find_joint(const CondModel* model, int body, const char* owner, const char* name,
                          CondError* error);

// A closed surface from a file or a generator, for a shape of `owner` ("body NAME"); the model owns
// it. convex: other surfaces are refused. mended not NULL: triangles that do not bound a solid are
// replaced by their convex hull, and *mended describes the fault; otherwise it is unchanged.
CondStatus cond_compile_mesh_surface(CondModel* model, const CondScene* scene, const char* owner,
                                     const char* path, const double scale[3], int convex,
                                     struct CondMeshSurface** mesh_surface, CondError* mended,
                                     CondError* error);

// Ground: a heightfield or an open surface, closed below; the model owns it.
CondStatus cond_compile_terrain(CondModel* model, const CondScene* scene,
                                const CondObstacleDef* def, CondSolid* solid,
                                struct CondMeshSurface** mesh_surface, CondError* error);

// Rod: centreline, section and material -> CondRod, start.
CondStatus cond_compile_rod(CondModel* model, const CondScene* scene, int index, CondError* error);

// Moves a point of a rod, given by its distance `at` along it, to its link; points of other bodies
// are unchanged.
void cond_compile_at(const CondModel* model, double at, CondPoint* point);

// Checks that masses, moments of inertia and stiffnesses of a compiled body are in the range for
// computations.
CondStatus cond_compile_check_sizes(const CondBody* body, CondError* error);

// Contact features and solid shapes of all bodies, and the obstacles.
CondStatus cond_compile_shapes(CondModel* model, const CondScene* scene, CondError* error);

// Sizes of all bodies; needs their features.
void cond_compile_sizes(CondModel* model);

// Warns of soft bodies whose element was not chosen by the user and whose bending is far too stiff.
CondStatus cond_compile_bending(CondModel* model, const CondScene* scene, CondError* error);

// Least extents of bodies and obstacles; needs their shapes.
void cond_compile_widths(CondModel* model);

// Pairs that may touch; needs bodies, shapes and planes.
CondStatus cond_compile_entities(CondModel* model, const CondScene* scene, CondError* error);

// Edges of the solids; needs the solids.
CondStatus cond_compile_edges(CondModel* model);

// Patches, attachments and trajectories.
CondStatus cond_compile_patches(CondModel* model, const CondScene* scene, CondError* error);
// Stores the entry of the scene that is being compiled, for messages.
void cond_compile_note(CondModel* model, CondSceneKind list, int entry);

CondStatus cond_compile_forces(CondModel* model, const CondScene* scene, CondError* error);
CondStatus cond_compile_attachments(CondModel* model, const CondScene* scene, CondError* error);
// Resolves the names in an attachment's definition; needs the model's patches and trajectories.
// COND_BAD_ARGUMENT, with a message, for an unknown name or a value out of range.
CondStatus cond_attachment_resolve(const CondModel* model, const CondAttachmentDef* def,
                                   CondAttachment* out, CondError* error);
// One end of it; messages begin with `owner`. turns: the orientation is held.
CondStatus cond_end_resolve(const CondModel* model, const CondEndDef* at, int turns,
                            const char* owner, CondFrame* frame, CondError* error);
CondStatus cond_compile_trajectories(CondModel* model, const CondScene* scene, CondError* error);
// Cameras.
CondStatus cond_compile_cameras(CondModel* model, const CondScene* scene, CondError* error);
// Sensors; needs the attachments.
CondStatus cond_compile_sensors(CondModel* model, const CondScene* scene, CondError* error);

#endif
