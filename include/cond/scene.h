// CondScene: the description of a scene. It is built by calls or read from YAML, and compiled to a
// CondModel. The definitions that it holds are declared in cond/body.h, cond/interaction.h and
// cond/task.h. SI units; z is up by default (gravity); quaternions are (w, x, y, z).
#ifndef COND_SCENE_H
#define COND_SCENE_H

#include "cond/body.h"
#include "cond/interaction.h"
#include "cond/key.h"
#include "cond/mesh.h"
#include "cond/solver.h"
#include "cond/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CondIntegrator {
    COND_INTEGRATOR_AUTO = 0,        // theta chosen for each group of coupled bodies by its motion
    COND_INTEGRATOR_THETA = 1,       // one linear problem a step, theta from 1/2 to 1
    COND_INTEGRATOR_EULER = 2,       // implicit Euler, non-linear, by Newton's method
    COND_INTEGRATOR_MIDPOINT = 3,    // implicit midpoint, non-linear
    COND_INTEGRATOR_VARIATIONAL = 4, // discrete Euler-Lagrange equations with midpoint quadrature
} CondIntegrator;

typedef enum CondStepMethod {
    COND_STEP_VELOCITY = 0, // A v = b + Jc' lambda by a velocity solver
    COND_STEP_PENALTY = 1,  // baseline: explicit spring-damper contact
    COND_STEP_PBD = 2,      // baseline: extended position-based dynamics with small substeps
} CondStepMethod;

// The impact law at contacts that close.
typedef enum CondImpactLaw {
    COND_IMPACT_OFF = 0,          // none: the velocity is that of the step
    COND_IMPACT_SEQUENTIAL = 1,   // one impact after the other, the fastest approach first
    COND_IMPACT_SIMULTANEOUS = 2, // Newton's restitution at all closed contacts, once
} CondImpactLaw;

typedef struct CondSceneSettings {
    char name[COND_NAME_SIZE];
    size_t struct_size;        // of this struct, by its default function
    double gravity[3];         // [m/s2]
    CondStepMethod method;     //
    double time_step;          // [s]
    double theta;              // 1/2 midpoint (paper) .. 1 implicit Euler; NaN: not given
    CondIntegrator integrator; // auto becomes theta if theta is given
    int mass_root;             // 1: robots step in the coordinates M^(1/2) v, which keeps energy
    double newton_tolerance;   // of the non-linear integrators: |change of v| [m/s]
    int newton_iterations;     // at most
    int substeps;              // largest number of substeps of a step whose solve misses its
                               // tolerance; 1: none
    int sleeping;              // 1: islands of bodies at rest are left out of the steps
    int rounds;                // largest number of repeated solves of a step with contacts found at
                               // its end
    double duration;           // simulated time of `cond run` [s]
    double kv;                 // gain of virtual nodes [N s/m]; INFINITY (default): no slip
    double friction_scale;     // factor of every coefficient of friction
    int gap;                   // 1: phi = gap / t; 0: phi = 0 (the paper's box)
    CondImpactLaw impact;      // impacts and restitution as separate velocity problems
    int position_correction;   // 1: penetration is removed by a position step that leaves v alone
    double correction_rate;    // largest rate, in sizes of the body per second; INFINITY: at once
                               // [1/s]
    double penetration_limit;  // largest penetration at the end of a step [m]; NaN: by
                               // cond_model_penetration_limit
    double margin;             // contacts are detected below this gap [m]; NaN: from speed and time
                               // step
    double penalty_stiffness;  // baseline, per contact point [N/m]
    double penalty_damping;    // [N s/m]
    double penalty_friction;   // tangential viscosity, capped at mu f_n [N s/m]
    int pbd_substeps;          // baseline: substeps of a step, each with one iteration
    CondSolverSettings solver;
    CondEnvironmentSettings environment;
    double accuracy; // the step is divided into pieces whose estimated error, relative to the
                     // motion, is below this; 0: off
    double damping;  // spectral damping by auto of modes that the step does not resolve, 0 .. 1;
                     // NaN: 0.3 for bodies in contact
} CondSceneSettings;

// By the names of scene files.
COND_ENUM_NAMES(COND_API, CondIntegrator, cond_integrator)
COND_ENUM_NAMES(COND_API, CondStepMethod, cond_step_method)
COND_ENUM_NAMES(COND_API, CondImpactLaw, cond_impact)

COND_DEFAULT(COND_API, CondSceneSettings, cond_scene_settings_default)

typedef struct CondScene CondScene;

COND_API CondStatus cond_scene_create(const CondContext* context, CondScene** scene,
                                      CondError* error);
COND_API void cond_scene_destroy(CondScene* scene);
// A copy of a scene with the same contents and context, in its own memory.
COND_API CondStatus cond_scene_copy(const CondScene* scene, CondScene** copy, CondError* error);

// Readers of the mesh and robot files that definitions name, used when the scene is compiled. By
// default a scene made by calls has no readers; cond_scene_set_files(scene, cond_scene_files())
// installs those of libcond_io. Scenes read from a file have them.
typedef struct CondSceneFiles CondSceneFiles;
COND_API void cond_scene_set_files(CondScene* scene, const CondSceneFiles* files);
COND_IO_API const CondSceneFiles* cond_scene_files(void);

// Settings may be read and changed at any time before compiling.
COND_API CondSceneSettings* cond_scene_settings(CondScene* scene);

// Definitions are copied and checked. Names are unique within their kind; "" gets a number.
COND_API CondStatus cond_scene_add_body(CondScene* scene, const CondBodyDef* def, CondError* error);
COND_API CondStatus cond_scene_add_plane(CondScene* scene, const CondPlaneDef* def,
                                         CondError* error);
COND_API CondStatus cond_scene_add_force(CondScene* scene, const CondForceDef* def,
                                         CondError* error);
COND_API CondStatus cond_scene_add_spring(CondScene* scene, const CondSpringDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_material(CondScene* scene, const CondMaterialDef* def,
                                            CondError* error);
COND_API CondStatus cond_scene_add_obstacle(CondScene* scene, const CondObstacleDef* def,
                                            CondError* error);
COND_API CondStatus cond_scene_add_patch(CondScene* scene, const CondPatchDef* def,
                                         CondError* error);
COND_API CondStatus cond_scene_add_attachment(CondScene* scene, const CondAttachmentDef* def,
                                              CondError* error);
COND_API CondStatus cond_scene_add_trajectory(CondScene* scene, const CondTrajectoryDef* def,
                                              CondError* error);
COND_API CondStatus cond_scene_add_sensor(CondScene* scene, const CondSensorDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_camera(CondScene* scene, const CondCameraDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_variation(CondScene* scene, const CondVariationDef* def,
                                             CondError* error);
COND_API CondStatus cond_scene_add_action(CondScene* scene, const CondActionDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_reward(CondScene* scene, const CondRewardDef* def,
                                          CondError* error);
COND_API CondStatus cond_scene_add_observation(CondScene* scene, const CondObservationDef* def,
                                               CondError* error);
COND_API CondStatus cond_scene_add_exclude(CondScene* scene, const CondExcludeDef* def,
                                           CondError* error);

// Kinds of things in a scene, named as in cond_scene_add_KIND and KIND_def_default.
typedef enum CondSceneKind {
    COND_SCENE_MATERIAL = 0,     // CondMaterialDef
    COND_SCENE_BODY = 1,         // CondBodyDef
    COND_SCENE_PLANE = 2,        // CondPlaneDef
    COND_SCENE_OBSTACLE = 3,     // CondObstacleDef
    COND_SCENE_EXCLUDE = 4,      // CondExcludeDef
    COND_SCENE_PATCH = 5,        // CondPatchDef
    COND_SCENE_TRAJECTORY = 6,   // CondTrajectoryDef
    COND_SCENE_ATTACHMENT = 7,   // CondAttachmentDef
    COND_SCENE_SENSOR = 8,       // CondSensorDef
    COND_SCENE_FORCE = 9,        // CondForceDef
    COND_SCENE_SPRING = 10,      // CondSpringDef
    COND_SCENE_VARIATION = 11,   // CondVariationDef
    COND_SCENE_ACTION = 12,      // CondActionDef
    COND_SCENE_REWARD = 13,      // CondRewardDef
    COND_SCENE_OBSERVATION = 14, // CondObservationDef
    COND_SCENE_MESH = 15,        // CondMesh: added by cond_scene_add_mesh, cannot be replaced
    COND_SCENE_CAMERA = 16,      // CondCameraDef
} CondSceneKind;

// "material", "body", ...
COND_ENUM_NAMES(COND_API, CondSceneKind, cond_scene_kind)

// How many things of a kind the scene holds. They are numbered from 0 in the order in which they
// were added, so that the one added last has number count - 1.
COND_API int cond_scene_count(const CondScene* scene, CondSceneKind kind);
// The index of the thing with this name; -1 where there is none.
COND_API int cond_scene_find(const CondScene* scene, CondSceneKind kind, const char* name);
// The name of a thing; NULL where there is none with this index.
COND_API const char* cond_scene_name(const CondScene* scene, CondSceneKind kind, int index);
// The definition of a thing, of the type of its kind; NULL where there is none with this index. It
// is the definition given to cond_scene_add_KIND, with its name filled in; its arrays belong to the
// scene. The pointer is valid until a thing of that kind is added, replaced or removed.
COND_API const void* cond_scene_get(const CondScene* scene, CondSceneKind kind, int index);

// The same as cond_scene_add_KIND for any kind but meshes. *index: that of the new thing; may be
// NULL.
COND_API CondStatus cond_scene_add(CondScene* scene, CondSceneKind kind, const void* def,
                                   int* index, CondError* error);
// Replaces a definition by another one. It is checked like a new one, together with the definitions
// that refer to it by name. A definition without a name keeps the old name. On failure the scene is
// unchanged.
COND_API CondStatus cond_scene_replace(CondScene* scene, CondSceneKind kind, int index,
                                       const void* def, CondError* error);
// Removes a thing; the indices of those after it decrease by one. It is refused while another
// definition refers to it: COND_BAD_ARGUMENT, and the message names that definition.
COND_API CondStatus cond_scene_remove(CondScene* scene, CondSceneKind kind, int index,
                                      CondError* error);

// Copies a mesh into the scene; bodies, obstacles and links can give its name in place of a file.
// Tetrahedra of negative volume are inverted, and the surface is recomputed; without tetrahedra the
// triangles are used. The name is unique and has no '/', '.' or ':'. The mesh may be added before
// or after the body that uses it.
COND_API CondStatus cond_scene_add_mesh(CondScene* scene, const char* name, const CondMesh* mesh,
                                        CondError* error);

// Reads a YAML scene, or an MJCF file (docs/mjcf.md), recognised by its first character; for an
// MJCF file the override keyframe=NAME chooses the initial state. Each override is "path=value",
// applied to the file before it is interpreted. Unknown keys and invalid values are refused; the
// message names file, line and key.
COND_IO_API CondStatus cond_scene_read(const CondContext* context, const char* path, int n_override,
                                       const char* const* override, CondScene** scene,
                                       CondError* error);
// The same of YAML text in memory. Relative paths in it begin in `folder`; NULL: in the working
// directory. Messages name it "text".
COND_IO_API CondStatus cond_scene_read_text(const CondContext* context, const char* text,
                                            const char* folder, int n_override,
                                            const char* const* override, CondScene** scene,
                                            CondError* error);

// Writes a scene as a YAML file that reads back as the same scene: every value that differs from
// its default, numbers to the last bit, paths relative to the folder of that file.
COND_IO_API CondStatus cond_scene_write(const CondScene* scene, const char* path, CondError* error);
// The same as text in memory, which ends in a zero byte; relative paths stay as they are. Writes
// into buffer, of `capacity` bytes, and stores the required number in *size; with buffer NULL it
// only stores that number.
COND_IO_API CondStatus cond_scene_save(const CondScene* scene, char* buffer, size_t capacity,
                                       size_t* size, CondError* error);

// cond_scene_read, with the values of the section `randomise` drawn from a seed, as if they were
// given as overrides after the others. The result depends only on file, overrides and seed.
COND_IO_API CondStatus cond_scene_read_drawn(const CondContext* context, const char* path,
                                             int n_override, const char* const* override,
                                             uint64_t seed, CondScene** scene, CondError* error);
COND_IO_API int cond_scene_n_variation(const CondScene* scene);
// NULL where there is none.
COND_IO_API const CondVariationDef* cond_scene_variation(const CondScene* scene, int variation);
// The value that a seed draws: number `variation` (from 0) of SplitMix64 started with the seed, its
// upper 53 bits as a fraction of the range; NaN where there is no such variation.
COND_IO_API double cond_scene_draw(const CondScene* scene, int variation, uint64_t seed);

// A row of the table of keys (cond/key.h) in the format of version 0.1; cond_scene_key returns 0
// past the end.
typedef struct CondSceneKey {
    const char* section; // "" for the top level
    const char* key;
    const char* type;    // "number", "vector of 3", "one of strict, proximal", ...
    const char* unit;    // "" where there is none
    const char* initial; // the default, as text; "required" where there is none. Valid as long as
                         // the thread
    const char* meaning;
} CondSceneKey;
COND_API int cond_scene_key(int index, CondSceneKey* key);

#ifdef __cplusplus
}
#endif
#endif
