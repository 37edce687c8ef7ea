// Inside of a CondScene: growing arrays of checked definitions.
#ifndef COND_SCENE_SCENE_H
#define COND_SCENE_SCENE_H

#include "base/arena.h"
#include "cond/mesh.h"
#include "cond/scene.h"
#include "scene/name_index.h"

#define COND_SCENE_WARNING 1536 // a whole path and more

// Lists of a scene file whose entries are looked at again when the scene is compiled.
typedef enum CondSceneList {
    COND_LIST_BODY,
    COND_LIST_OBSTACLE,
    COND_LIST_EXCLUDE,
    COND_LIST_PATCH,
    COND_LIST_TRAJECTORY,
    COND_LIST_ATTACHMENT,
    COND_LIST_SENSOR,
    COND_LIST_FORCE,
    COND_LIST_SPRING,
    COND_N_LIST,
} CondSceneList;

// A mesh that stands in the scene itself; its arrays are the scene's.
typedef struct CondSceneMesh {
    char name[COND_NAME_SIZE];
    CondMesh mesh;
} CondSceneMesh;

struct CondScene {
    CondArena arena;             // of all that follows
    const CondSceneFiles* files; // readers of meshes and robots; NULL: none
    CondSceneSettings settings;
    int n_warning;
    char (*warning)[COND_SCENE_WARNING]; // what a reader left out             (n_warning)
    int n_mesh;
    int n_material;
    int n_body;
    int n_plane;
    int n_obstacle;
    int n_patch;
    int n_attachment;
    int n_trajectory;
    int n_sensor;
    int n_force;
    int n_spring;
    int n_variation;
    int n_action;
    int n_reward;
    int n_observation;
    int n_exclude;
    int n_group;
    char (*group)[COND_NAME_SIZE];   // names of the groups' bits, by the reader     (n_group)
    CondSceneMesh* mesh;             //                                              (n_mesh)
    CondMaterialDef* material;       //                                          (n_material)
    CondBodyDef* body;               // own points and joints, inertia filled in (n_body)
    CondPlaneDef* plane;             // direction filled in                      (n_plane)
    CondObstacleDef* obstacle;       //                                          (n_obstacle)
    CondPatchDef* patch;             //                                          (n_patch)
    CondAttachmentDef* attachment;   //                                          (n_attachment)
    CondTrajectoryDef* trajectory;   // with their own waypoints                 (n_trajectory)
    CondSensorDef* sensor;           //                                          (n_sensor)
    CondForceDef* force;             //                                          (n_force)
    CondSpringDef* spring;           //                                          (n_spring)
    CondVariationDef* variation;     //                                          (n_variation)
    CondActionDef* action;           //                                          (n_action)
    CondRewardDef* reward;           //                                          (n_reward)
    CondObservationDef* observation; //                                        (n_observation)
    CondExcludeDef* exclude;         //                                          (n_exclude)
    CondNameIndex mesh_name;
    CondNameIndex material_name;
    CondNameIndex body_name;
    CondNameIndex plane_name;
    CondNameIndex obstacle_name;
    CondNameIndex patch_name;
    CondNameIndex attachment_name;
    CondNameIndex trajectory_name;
    CondNameIndex sensor_name;
    CondNameIndex force_name;
    CondNameIndex spring_name;
    CondNameIndex variation_name;
    CondNameIndex action_name;
    CondNameIndex reward_name;
    CondNameIndex observation_name;
    CondNameIndex exclude_name;
    char* file;              // that it was read from; NULL: none
    int* line[COND_N_LIST];  // of the entries there; 0: not known              (n_line of each)
    int n_line[COND_N_LIST]; //
};

// Notes the file a scene is read from, and the line of the next entry of a list.
CondStatus cond_scene_note_file(CondScene* scene, const char* file);
CondStatus cond_scene_note_line(CondScene* scene, CondSceneList list, int line);

// What is wrong with a definition, and in which field. The field is a key of the scene file
// ("mass", "shape.box", "joints[2].name"), so that the reader can find its line.
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

// The rules a definition obeys, those between fields and between definitions included.
CondStatus cond_scene_check_body(const CondScene* scene, const CondBodyDef* def,
                                 CondSceneIssue* issue);
CondStatus cond_scene_check_plane(const CondScene* scene, const CondPlaneDef* def,
                                  CondSceneIssue* issue);
CondStatus cond_scene_check_force(const CondScene* scene, const CondForceDef* def,
                                  CondSceneIssue* issue);
CondStatus cond_scene_check_spring(const CondScene* scene, const CondSpringDef* def,
                                   CondSceneIssue* issue);
CondStatus cond_scene_check_material(const CondScene* scene, const CondMaterialDef* def,
                                     CondSceneIssue* issue);
CondStatus cond_scene_check_obstacle(const CondScene* scene, const CondObstacleDef* def,
                                     CondSceneIssue* issue);
CondStatus cond_scene_check_patch(const CondScene* scene, const CondPatchDef* def,
                                  CondSceneIssue* issue);
CondStatus cond_scene_check_attachment(const CondScene* scene, const CondAttachmentDef* def,
                                       CondSceneIssue* issue);
CondStatus cond_scene_check_trajectory(const CondScene* scene, const CondTrajectoryDef* def,
                                       CondSceneIssue* issue);
CondStatus cond_scene_check_sensor(const CondScene* scene, const CondSensorDef* def,
                                   CondSceneIssue* issue);
CondStatus cond_scene_check_variation(const CondScene* scene, const CondVariationDef* def,
                                      CondSceneIssue* issue);
CondStatus cond_scene_check_action(const CondScene* scene, const CondActionDef* def,
                                   CondSceneIssue* issue);
CondStatus cond_scene_check_reward(const CondScene* scene, const CondRewardDef* def,
                                   CondSceneIssue* issue);
CondStatus cond_scene_check_observation(const CondScene* scene, const CondObservationDef* def,
                                        CondSceneIssue* issue);
CondStatus cond_scene_check_exclude(const CondScene* scene, const CondExcludeDef* def,
                                    CondSceneIssue* issue);
CondStatus cond_scene_check_settings(const CondSceneSettings* settings, CondSceneIssue* issue);

// cond_scene_add_* with the field apart from the text, for the reader.
CondStatus cond_scene_put_body(CondScene* scene, const CondBodyDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_plane(CondScene* scene, const CondPlaneDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_force(CondScene* scene, const CondForceDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_spring(CondScene* scene, const CondSpringDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_material(CondScene* scene, const CondMaterialDef* def,
                                   CondSceneIssue* issue);
CondStatus cond_scene_put_obstacle(CondScene* scene, const CondObstacleDef* def,
                                   CondSceneIssue* issue);
CondStatus cond_scene_put_patch(CondScene* scene, const CondPatchDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_attachment(CondScene* scene, const CondAttachmentDef* def,
                                     CondSceneIssue* issue);
CondStatus cond_scene_put_trajectory(CondScene* scene, const CondTrajectoryDef* def,
                                     CondSceneIssue* issue);
CondStatus cond_scene_put_sensor(CondScene* scene, const CondSensorDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_variation(CondScene* scene, const CondVariationDef* def,
                                    CondSceneIssue* issue);
CondStatus cond_scene_put_action(CondScene* scene, const CondActionDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_reward(CondScene* scene, const CondRewardDef* def, CondSceneIssue* issue);
CondStatus cond_scene_put_observation(CondScene* scene, const CondObservationDef* def,
                                      CondSceneIssue* issue);
CondStatus cond_scene_put_exclude(CondScene* scene, const CondExcludeDef* def,
                                  CondSceneIssue* issue);

// cond_scene_check_settings with a message for people. Settings may be changed until the scene is
// compiled, so compiling begins with this.
CondStatus cond_scene_settings_check(const CondSceneSettings* settings, CondError* error);

// What a name stands for: a body, or "body/link", an obstacle or a plane; -1: none.
typedef struct CondSceneThing {
    int body, obstacle, plane;
    char link[COND_NAME_SIZE]; // of the body; "": all of it
} CondSceneThing;
// Returns how many things are called so; the thing is known where it is one.
int cond_scene_find_thing(const CondScene* scene, const char* name, CondSceneThing* thing);
// Keeps a message for people (printf format), which the model tells; cut where it is too long.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
CondStatus
cond_scene_warn(CondScene* scene, const char* format, ...);

// Index by name, -1 when there is none.
int cond_scene_find_body(const CondScene* scene, const char* name);
int cond_scene_find_material(const CondScene* scene, const char* name);
int cond_scene_find_patch(const CondScene* scene, const char* name);
int cond_scene_find_attachment(const CondScene* scene, const char* name);
int cond_scene_find_trajectory(const CondScene* scene, const char* name);

#endif
