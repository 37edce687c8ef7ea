// CondScene: what the user describes. Built by calls or read from YAML; compiled to a CondModel.
// SI units throughout; z up is only a habit of the defaults (gravity); quaternions are (w, x, y,
// z).
#ifndef COND_SCENE_H
#define COND_SCENE_H

#include "cond/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COND_NAME_SIZE 64

typedef enum CondBodyKind {
    COND_BODY_PARTICLE = 0, // a point mass: three coordinates, itself a contact node
    COND_BODY_RIGID = 1,    // six: velocity of the centre of mass (world), angular velocity (body)
} CondBodyKind;

typedef enum CondShapeKind {
    COND_SHAPE_NONE = 0,   // no contact (a particle still touches with its point)
    COND_SHAPE_BOX = 1,    // its eight vertices are contact points
    COND_SHAPE_POINTS = 2, // contact points given one by one
} CondShapeKind;

// Friction and restitution of a surface. Where two surfaces meet: a value that only one of them
// gives is used; two frictions combine as the geometric mean, two restitutions as the larger.
typedef struct CondSurfaceDef {
    double friction[2]; // mu along the surface's two tangents; NaN: not given
    double restitution; // 0 .. 1; NaN: not given
} CondSurfaceDef;

typedef struct CondBodyDef {
    char name[COND_NAME_SIZE];
    CondBodyKind kind;
    double mass;                // [kg]
    double inertia[6];          // xx, yy, zz, xy, xz, yz about the centre, body axes [kg m2]
    int inertia_from_shape;     // 1: a solid box of the shape's size and the mass
    CondShapeKind shape;        //
    double size[3];             // edges of the box [m]
    int n_point;                // contact points of COND_SHAPE_POINTS
    const double* point;        // in body axes [m], copied by cond_scene_add_body  (n_point x 3)
    double position[3];         // of the centre of mass [m]
    double orientation[4];      // normalised when compiled
    double velocity[3];         // [m/s]
    double angular_velocity[3]; // in world axes [rad/s]
    CondSurfaceDef surface;
    int cookie;
} CondBodyDef;

// Static half-space {x : normal . x <= offset}; bodies live on the side the normal points to.
typedef struct CondPlaneDef {
    char name[COND_NAME_SIZE];
    double normal[3];    // normalised when compiled
    double offset;       // [m]
    double direction[3]; // tangent 1 of contacts, made orthogonal to the normal when compiled
    CondSurfaceDef surface;
    int cookie;
} CondPlaneDef;

// Constant force at a point of a body during a span of time.
typedef struct CondForceDef {
    char name[COND_NAME_SIZE];
    char body[COND_NAME_SIZE];
    double force[3];  // world axes [N]
    double torque[3]; // world axes [N m], rigid bodies only
    double point[3];  // body axes [m]
    double start;     // [s]
    double end;       // [s]; INFINITY: for ever
    int cookie;
} CondForceDef;

// Spring-damper between two points: potential k/2 (|d| - rest)^2.
typedef struct CondSpringDef {
    char name[COND_NAME_SIZE];
    char body[2][COND_NAME_SIZE]; // "" is the world
    double point[2][3];           // body axes, or world axes for "" [m]
    double stiffness;             // [N/m]
    double damping;               // along the spring [N s/m]
    double rest_length;           // [m]; NaN: its length at the start
    int cookie;
} CondSpringDef;

typedef enum CondStepMethod {
    COND_STEP_VELOCITY = 0, // A v = b + Jc' lambda by a velocity solver
    COND_STEP_PENALTY = 1,  // baseline: explicit spring-damper contact
} CondStepMethod;

typedef struct CondSceneSettings {
    char name[COND_NAME_SIZE];
    double gravity[3];        // [m/s2]
    CondStepMethod method;    //
    double time_step;         // [s]
    double theta;             // 1/2 midpoint (paper) .. 1 implicit Euler (default)
    double duration;          // what `cond run` runs [s]
    double kv;                // gain of virtual nodes [N s/m]; INFINITY (default): no slip
    int gap;                  // 1: phi = gap / t; 0: phi = 0 (the paper's box)
    int impact;               // 1: impacts and restitution as a velocity problem of their own
    int position_correction;  // 1: penetration is removed by a position step that leaves v alone
    double margin;            // contacts are made below this gap [m]; NaN: from speed and step
    double penalty_stiffness; // baseline, per contact point [N/m]
    double penalty_damping;   // [N s/m]
    double penalty_friction;  // tangential viscosity, capped at mu f_n [N s/m]
    CondSolverSettings solver;
    int cookie;
} CondSceneSettings;

CondBodyDef cond_body_def_default(void);
CondPlaneDef cond_plane_def_default(void);
CondForceDef cond_force_def_default(void);
CondSpringDef cond_spring_def_default(void);
CondSceneSettings cond_scene_settings_default(void);

typedef struct CondScene CondScene;

CondStatus cond_scene_create(const CondContext* context, CondScene** scene, CondError* error);
void cond_scene_destroy(CondScene* scene);

// Settings may be read and changed at any time before compiling.
CondSceneSettings* cond_scene_settings(CondScene* scene);

// Definitions are copied and checked. Names are unique within their kind; "" gets a number.
CondStatus cond_scene_add_body(CondScene* scene, const CondBodyDef* def, CondError* error);
CondStatus cond_scene_add_plane(CondScene* scene, const CondPlaneDef* def, CondError* error);
CondStatus cond_scene_add_force(CondScene* scene, const CondForceDef* def, CondError* error);
CondStatus cond_scene_add_spring(CondScene* scene, const CondSpringDef* def, CondError* error);

// Reads a YAML scene. Each override is "path=value", applied to the file before it is understood.
// Unknown keys and impossible values are refused with file, line and key.
CondStatus cond_scene_read(const CondContext* context, const char* path, int n_override,
                           const char* const* override, CondScene** scene, CondError* error);

// The keys a scene file may hold, row by row, made from the tables that read it; 0 past the end.
typedef struct CondSceneKey {
    const char* section; // "" for the top level
    const char* key;
    const char* type;    // "number", "vector of 3", "one of strict, proximal", ...
    const char* unit;    // "" where there is none
    const char* initial; // the default, as text; "required" where there is none
    const char* meaning;
} CondSceneKey;
int cond_scene_key(int index, CondSceneKey* key);

#ifdef __cplusplus
}
#endif
#endif
