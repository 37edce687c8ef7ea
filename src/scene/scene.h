// Internals of CondScene: growing arrays of checked definitions.
#ifndef COND_SCENE_SCENE_H
#define COND_SCENE_SCENE_H

#include "base/arena.h"
#include "base/error.h"
#include "cond/mesh.h"
#include "cond/scene.h"
#include "scene/name_index.h"

#define COND_SCENE_N_KIND ((int)COND_SCENE_CAMERA + 1)

// Collision groups are the bits of a mask.
#define COND_MAX_GROUP ((int)(8 * sizeof(uint32_t)))

// A mesh in the scene itself; the scene owns its arrays.
typedef struct CondSceneMesh {
    char name[COND_NAME_SIZE];
    CondMesh mesh;
} CondSceneMesh;

struct CondScene {
    CondArena arena;             // of all that follows
    const CondSceneFiles* files; // readers of meshes and robots; NULL: none
    CondSceneSettings settings;
    int n_warning;
    char (*warning)[COND_WARNING_SIZE]; // omissions of a reader                   (n_warning)
    int n_mesh;
    int n_material;
    int n_body;
    int n_plane;
    int n_obstacle;
    int n_patch;
    int n_attachment;
    int n_trajectory;
    int n_sensor;
    int n_camera;
    int n_force;
    int n_spring;
    int n_variation;
    int n_action;
    int n_reward;
    int n_observation;
    int n_exclude;
    int n_group;                     // at most COND_MAX_GROUP
    char (*group)[COND_NAME_SIZE];   // names of the groups' bits, by the reader     (n_group)
    CondSceneMesh* mesh;             //                                              (n_mesh)
    CondMaterialDef* material;       //                                          (n_material)
    CondBodyDef* body;               //                                              (n_body)
    CondPlaneDef* plane;             //                                             (n_plane)
    CondObstacleDef* obstacle;       //                                          (n_obstacle)
    CondPatchDef* patch;             //                                          (n_patch)
    CondAttachmentDef* attachment;   //                                          (n_attachment)
    CondTrajectoryDef* trajectory;   //                                        (n_trajectory)
    CondSensorDef* sensor;           //                                          (n_sensor)
    CondCameraDef* camera;           //                                          (n_camera)
    CondForceDef* force;             //                                          (n_force)
    CondSpringDef* spring;           //                                          (n_spring)
    CondVariationDef* variation;     //                                          (n_variation)
    CondActionDef* action;           //                                          (n_action)
    CondRewardDef* reward;           //                                          (n_reward)
    CondObservationDef* observation; //                                        (n_observation)
    CondExcludeDef* exclude;         //                                          (n_exclude)
    CondNameIndex name[COND_SCENE_N_KIND]; // of the things of a kind
    char* file;                            // that it was read from; NULL: none
    int* line[COND_SCENE_N_KIND]; // of their definitions in the file; 0: not known (n_line of each)
    int n_line[COND_SCENE_N_KIND]; //
};

// Store the file that a scene is read from, and the line of a definition.
CondStatus cond_scene_note_file(CondScene* scene, const char* file);
CondStatus cond_scene_note_line(CondScene* scene, CondSceneKind kind, int index, int line);

// An error in a definition, and its field. The field is a key of the scene file ("mass",
// "shape.box", "joints[2].name"), so that the reader can find its line.
typedef struct CondSceneIssue {
    char field[48];
    char text[256];
} CondSceneIssue;

// Writes field and text (printf format); returns COND_BAD_ARGUMENT.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CondStatus
cond_scene_issue_set(CondSceneIssue* issue, const char* field, const char* format, ...);

// Checks the rules of a definition besides the ranges of its fields: those between fields and
// between definitions. `def` has the type of the kind.
typedef CondStatus CondSceneCheck(const CondScene* scene, const void* def, CondSceneIssue* issue);
CondSceneCheck cond_scene_check_material;
CondSceneCheck cond_scene_check_body;
CondSceneCheck cond_scene_check_plane;
CondSceneCheck cond_scene_check_obstacle;
CondSceneCheck cond_scene_check_exclude;
CondSceneCheck cond_scene_check_patch;
CondSceneCheck cond_scene_check_trajectory;
CondSceneCheck cond_scene_check_attachment;
CondSceneCheck cond_scene_check_sensor;
CondSceneCheck cond_scene_check_camera;
CondSceneCheck cond_scene_check_force;
CondSceneCheck cond_scene_check_spring;
CondSceneCheck cond_scene_check_variation;
CondSceneCheck cond_scene_check_action;
CondSceneCheck cond_scene_check_reward;
CondSceneCheck cond_scene_check_observation;
CondStatus cond_scene_check_settings(const CondSceneSettings* settings, CondSceneIssue* issue);

// cond_scene_add with field and text of an error separate, for the reader; the definition has the
// size of this library.
CondStatus cond_scene_put_def(CondScene* scene, CondSceneKind kind, const void* def,
                              CondSceneIssue* issue);
// The same for a definition that replaces one, with the same name or none. Definitions that refer
// to it are not checked again.
CondStatus cond_scene_put_def_at(CondScene* scene, CondSceneKind kind, int index, const void* def,
                                 CondSceneIssue* issue);

// Mass of a particle or a rigid body, and its moments of inertia (xx, yy, zz, xy, xz, yz), as given
// or computed from its shape. Those of a surface mesh are not known here: they are zero unless
// given.
void cond_scene_inertial(const CondBodyDef* def, double* mass, double inertia[6]);
// The first tangent of a plane: as given, else the x axis, or the y axis if the normal is within 45
// degrees of x.
void cond_scene_plane_direction(const CondPlaneDef* def, double direction[3]);

// cond_scene_check_settings with an error message. Compiling begins with it, because settings may
// change until then.
CondStatus cond_scene_settings_check(const CondSceneSettings* settings, CondError* error);

// The thing that a name denotes: a body or "body/link", an obstacle or a plane; -1: none.
typedef struct CondSceneThing {
    int body, obstacle, plane;
    char link[COND_NAME_SIZE]; // of the body; "": all of it
} CondSceneThing;
// Returns the number of things with this name; *thing is set if it is one.
int cond_scene_find_thing(const CondScene* scene, const char* name, CondSceneThing* thing);
// Stores a warning (printf format), truncated if it is too long; the model takes it over.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
CondStatus
cond_scene_warn(CondScene* scene, const char* format, ...);

#endif
