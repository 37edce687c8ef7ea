// The contents of an MJCF file as numbers: in SI units and radians, with defaults filled in, and
// poses of bodies relative to their parents. The reader fills it, mjcf_scene.c makes definitions
// of it.
#ifndef COND_ROBOT_FILE_MJCF_MODEL_H
#define COND_ROBOT_FILE_MJCF_MODEL_H

#include "robot_file/mjcf.h"
#include "robot_file/mjcf_tree.h"
#include "scene/scene.h"

typedef struct CondMjcfPose {
    double p[3]; // [m]
    double q[4]; // w, x, y, z
} CondMjcfPose;

// An attribute that the reader has looked up: a default of it that no element uses is not reported
// as unknown.
typedef struct CondMjcfAsked {
    const CondMjcfNode* node; // one of them
    const char* attribute;
} CondMjcfAsked;

// A class of defaults; several entries may share a name, the later one wins.
typedef struct CondMjcfClass {
    const char* name;
    const char* parent; // NULL: none
    CondMjcfNode* node;
} CondMjcfClass;

// <compiler> of a file, and the default class of elements that name none.
typedef struct CondMjcfSettings {
    CondMjcfNode* root;       // of its tree
    const CondMjcfNode* into; // the root of the tree it is attached to; NULL: of none
    const char* path;
    const char* main;
    int degrees, autolimits,
        inertia_from_geom; // the last: 0 never, 1 always, 2 if none is given
    int balance, strip_path, group_range[2];
    double bound_mass, bound_inertia, total_mass; // the last: -1: unchanged
    char eulerseq[4];
    const char* mesh_folder; // NULL: that of the file
} CondMjcfSettings;

typedef struct CondMjcfMesh {
    const CondMjcfNode* node;
    const char* name;
    char file[COND_PATH_SIZE]; // "": given by its vertices
    double scale[3];
    CondMjcfPose ref;    // refpos, refquat
    const char* inertia; // legacy, convex, exact, shell
    int known;           // 1: the values below are known, in the scaled file's axes
    double volume;       // [m3]
    double centre[3];    // [m]
    double moment[9];    // for density 1 about the centre [m5]
} CondMjcfMesh;

typedef enum CondMjcfGeomKind {
    COND_MJCF_PLANE,
    COND_MJCF_HFIELD,
    COND_MJCF_SPHERE,
    COND_MJCF_CAPSULE,
    COND_MJCF_ELLIPSOID,
    COND_MJCF_CYLINDER,
    COND_MJCF_BOX,
    COND_MJCF_MESH,
} CondMjcfGeomKind;

typedef struct CondMjcfGeom {
    const CondMjcfNode* node;
    char name[COND_NAME_SIZE];
    int body;
    CondMjcfGeomKind kind;
    double size[3]; // radius, half lengths, as in MJCF [m]
    CondMjcfPose pose;
    int mesh; // -1: none
    int contype, conaffinity, group, condim, priority;
    double friction;  // sliding
    int seen;         // 1: visible
    double colour[4]; // red, green, blue, opacity; NaN: none given
    double mass;      // [kg]; NaN: from the density
    double density;   // [kg/m3]
    int made;         // 1: became a plane or an obstacle
} CondMjcfGeom;

typedef enum CondMjcfJointKind {
    COND_MJCF_FREE,
    COND_MJCF_BALL,
    COND_MJCF_SLIDE,
    COND_MJCF_HINGE,
} CondMjcfJointKind;

typedef struct CondMjcfJoint {
    const CondMjcfNode* node;
    char name[COND_NAME_SIZE]; // unique among all
    int body;
    CondMjcfJointKind kind;
    double pos[3], axis[3];
    double lower, upper; // NaN: none
    double ref, damping, armature, friction, stiffness, spring_rest;
    double effort[2];        // least and largest torque of its motor; -INFINITY, INFINITY: none
    int qpos;                // index of its coordinates in a keyframe
    double start;            // position of hinge and slide
    double turn[4];          // of ball and free
    double place[3];         // of free
    int qvel;                // index of its velocities in a keyframe
    double spring_damper[2]; // springdamper; 0: not given
    double speed[6];         // velocities of the keyframe; free: in world and own axes
    int fixed;               // 1: held at its start by an equality
    int mimic;               // -1: none
    double multiplier, offset;
    int actuated;                                      // 1: some actuator acts on it
    double motor_stiffness, motor_damping, motor_pull; // torque = pull - stiffness q - damping q'
} CondMjcfJoint;

// The joint whose coordinate moves a joint: position = scale * (that of joint `leader`) + shift.
typedef struct CondMjcfLead {
    int leader;
    double scale, shift;
} CondMjcfLead;

typedef struct CondMjcfBody {
    const CondMjcfNode* node;
    char name[COND_NAME_SIZE];
    int parent;        // -1: this is the world
    CondMjcfPose pose; // in the parent's axes, all joints at their reference
    int first_joint, n_joint;
    int inertial; // 1: <inertial> is used
    double borne; // gravcomp
    int mocap;    // 1: held by an attachment that the user may move
    double mass;  // [kg]
    double com[3];
    double inertia[9];  // about it, body axes
    int top;            // the body of the tree that is a child of the world
    int moves;          // 1: some body of its tree has a joint (the same for all of a tree)
    CondMjcfPose world; // at the reference
    // The result: a body of the scene, its link, and the MJCF body's frame in the axes of that. "":
    // the world.
    char scene_body[COND_NAME_SIZE], link[COND_NAME_SIZE];
    CondMjcfPose in_link;
} CondMjcfBody;

typedef struct CondMjcfMask {
    int contype, conaffinity;
} CondMjcfMask;

// A cable: its parent body and pose.
typedef struct CondMjcfCable {
    CondMjcfNode* node;
    int body;
    CondMjcfPose pose;
} CondMjcfCable;

typedef struct CondMjcfSite {
    const CondMjcfNode* node;
    const char* name;
    int body;
    CondMjcfPose pose;
} CondMjcfSite;

typedef struct CondMjcfCamera {
    CondMjcfNode* node;
    int body;
    CondMjcfPose pose; // it looks along -z, y is up
    double field;      // [degrees]
} CondMjcfCamera;

typedef struct CondMjcf {
    CondArena arena;
    CondUrdfFile file;
    CondStatus status; // of the first fault
    CondScene* scene;
    CondMjcfOptions options;
    CondMjcfNode* root;
    int n_model;
    CondMjcfSettings* model; // the file's own first, then those attached          (n_model)
    int n_asked;
    CondMjcfAsked* asked;
    int n_class, n_mesh, n_body, n_joint, n_geom, n_site, n_camera;
    CondMjcfClass* classes;
    CondMjcfMesh* mesh;
    CondMjcfBody* body; // the world first, parents before children, depth first as in MuJoCo
    CondMjcfJoint* joint;
    CondMjcfGeom* geom;
    CondMjcfCamera* camera;
    CondMjcfSite* site;
    int n_cable;
    CondMjcfCable* cable;
    int n_unseen;               // visual meshes that are missing
    const CondMjcfNode* unseen; // the first of their geoms
    int contactless;            // 1: contact is disabled
    int all_touch;              // 1: parents and children also touch
    int n_mask, masked;         // the latter: 1: groups are set
    CondMjcfMask mask[32];
    CondMjcfPose place; // pose of the file's world in the scene's
    int n_q, n_v;       // of a keyframe
    int n_control;
    double* control; // of the keyframe, if given; NULL: zeros                     (n_control)
    const CondMjcfNode* key;
} CondMjcf;

// Faults and warnings: "file:line: text". Reading continues after a fault, to find all of them.
#if defined(__GNUC__)
#define COND_MJCF_PRINTF __attribute__((format(printf, 3, 4)))
#else
#define COND_MJCF_PRINTF
#endif
COND_MJCF_PRINTF void cond_mjcf_refuse(CondMjcf* m, const CondMjcfNode* node, const char* format,
                                       ...);
COND_MJCF_PRINTF void cond_mjcf_warn(CondMjcf* m, const CondMjcfNode* node, const char* format,
                                     ...);
void cond_mjcf_no_memory(CondMjcf* m);
// 1 if reading cannot continue.
int cond_mjcf_ends(const CondMjcf* m);

// To be called for every supported element: attributes that are not read are then reported.
void cond_mjcf_visit(CondMjcf* m, CondMjcfNode* node);
// Marks the defaults of all attributes that the reader has looked up as used.
void cond_mjcf_mark_asked(CondMjcf* m);
// Values (mjcf_value.c): of the node, else of its default class and the classes above it.
const char* cond_mjcf_text(CondMjcf* m, const CondMjcfNode* node, const char* name);
// Reads at most n finite numbers, separated by blanks, and returns their number; -1 if the text
// holds anything else.
int cond_mjcf_list(const char* text, int n, double* numbers);
// Reads from `least` to `most` numbers; returns their number, 0 also if they are refused.
int cond_mjcf_numbers(CondMjcf* m, const CondMjcfNode* node, const char* name, int least, int most,
                      double* value);
// The same for the node's own attribute, without defaults.
int cond_mjcf_own_numbers(CondMjcf* m, const CondMjcfNode* node, const char* name, int least,
                          int most, double* value);
double cond_mjcf_number(CondMjcf* m, const CondMjcfNode* node, const char* name, double initial);
int cond_mjcf_whole(CondMjcf* m, const CondMjcfNode* node, const char* name, int initial);
// The index of the word among those given (ended by NULL); `initial` if there is none.
int cond_mjcf_word(CondMjcf* m, const CondMjcfNode* node, const char* name,
                   const char* const* words, int initial);
int cond_mjcf_own_word(CondMjcf* m, const CondMjcfNode* node, const char* name,
                       const char* const* words, int initial);
// Calls `take` with every default of the element's kind, the outermost class first.
void cond_mjcf_each_default(CondMjcf* m, const CondMjcfNode* node,
                            void (*take)(CondMjcf*, const CondMjcfNode*, void*), void* data);
int cond_mjcf_true(CondMjcf* m, const CondMjcfNode* node, const char* name, int initial);
// pos and orientation, which is one of quat, axisangle, euler, xyaxes, zaxis.
CondMjcfPose cond_mjcf_pose(CondMjcf* m, const CondMjcfNode* node);
// The smallest rotation that takes the z axis to the direction v.
void cond_mjcf_from_z(const double v[3], double q[4]);
double cond_mjcf_angle(const CondMjcf* m, const CondMjcfNode* node, double angle); // in radians
// A rotation by three angles; q is unchanged if the attribute is missing.
void cond_mjcf_euler(CondMjcf* m, const CondMjcfNode* node, const char* name, double q[4]);
const CondMjcfSettings* cond_mjcf_settings(const CondMjcf* m, const CondMjcfNode* node);
// A name of at most COND_NAME_SIZE - 1 bytes: the node's own, or made of `word` and a number.
void cond_mjcf_name(CondMjcf* m, const CondMjcfNode* node, const char* word, int number,
                    char name[COND_NAME_SIZE]);
// 1 if a limit given as `range` is active: by the switch `limited`, or because it is given.
int cond_mjcf_limited(CondMjcf* m, const CondMjcfNode* node, const char* limited,
                      const char* range);

// Normalised; zero becomes the identity, as in MuJoCo for keys with missing numbers.
void cond_mjcf_unit_quat(const double given[4], double q[4]);
CondMjcfPose cond_mjcf_unit(void);
CondMjcfPose cond_mjcf_times(const CondMjcfPose* a, const CondMjcfPose* b);
CondMjcfPose cond_mjcf_inverse(const CondMjcfPose* a);
// world = pose applied to a point
void cond_mjcf_place(const CondMjcfPose* a, const double x[3], double y[3]);

// The steps of the conversion (one source file each).
void cond_mjcf_attach(CondMjcf* m);
void cond_mjcf_read_compiler(CondMjcf* m);
void cond_mjcf_replicate(CondMjcf* m);
void cond_mjcf_read_classes(CondMjcf* m);
void cond_mjcf_read_meshes(CondMjcf* m);
void cond_mjcf_read_bodies(CondMjcf* m);
void cond_mjcf_read_geom(CondMjcf* m, CondMjcfNode* node, int body, const CondMjcfPose* frame);
// The frame that a geom's values refer to, in its body's axes; for a mesh that of its file.
CondMjcfPose cond_mjcf_geom_frame(const CondMjcf* m, const CondMjcfGeom* geom);
void cond_mjcf_inertias(CondMjcf* m); // of the bodies, from <inertial> or geoms
void cond_mjcf_spring_dampers(CondMjcf* m);
void cond_mjcf_read_keyframe(CondMjcf* m);
void cond_mjcf_read_joint_equalities(CondMjcf* m);
void cond_mjcf_read_actuators(CondMjcf* m);
void cond_mjcf_make_bodies(CondMjcf* m);     // planes, obstacles, rigid bodies, robots
void cond_mjcf_make_equalities(CondMjcf* m); // attachments
void cond_mjcf_make_couplings(CondMjcf* m);  // springs of tendons, and of two trees
// solref and solimp of an equality: it leaves the share (1 - d) a0 of the unconstrained
// acceleration and adds d (-b v - d k r) with b = 2 / (d T), k = 1 / (d T z)^2. For a mass m this
// is a spring of stiffness m d^2 k / (1 - d). Returns stiffness and damping for m = 1 [1/s^2, 1/s].
void cond_mjcf_read_softness(CondMjcf* m, const CondMjcfNode* node, double* stiffness,
                             double* damping);
void cond_mjcf_make_sensors(CondMjcf* m);
void cond_mjcf_make_cameras(CondMjcf* m);
// A static heightfield; 0, after a warning, if it is omitted.
int cond_mjcf_put_heightfield(CondMjcf* m, const CondMjcfGeom* geom, CondObstacleDef* def);
void cond_mjcf_make_excludes(CondMjcf* m);
void cond_mjcf_make_cables(CondMjcf* m); // rods
void cond_mjcf_list_left(CondMjcf* m);

// The path of an asset's file, path[COND_PATH_SIZE]: in the compiler's folder, or in that of the
// file that names it.
void cond_mjcf_find_file(CondMjcf* m, const CondMjcfNode* node, const char* name, char* path);
// The name of a mesh or heightfield; by default that of its file without folder and extension.
const char* cond_mjcf_asset_name(CondMjcf* m, const CondMjcfNode* node, const char* file);
int cond_mjcf_is_readable(const char* path);
// Volume, centre and moments of a mesh, as its `inertia` says; 0 after a fault.
int cond_mjcf_mesh_moments(CondMjcf* m, const CondMjcfNode* geom, CondMjcfMesh* mesh);
CondMjcfNode* cond_mjcf_find_tendon(CondMjcf* m, const char* name); // NULL: none
// Inertia of a coordinate with all joints at their references: armature, and for every body beyond
// it a'(I + m (|r|^2 1 - r r')) a about the axis, or m along it.
double cond_mjcf_joint_inertia(const CondMjcf* m, const CondMjcfJoint* joint);
int cond_mjcf_is_across(const CondMjcf* m, const int j[2]); // 1: two joints of different trees
CondMjcfLead cond_mjcf_find_leader(const CondMjcf* m, int joint);
int cond_mjcf_is_single(const CondMjcfJoint* joint); // 1: a hinge or a slide
// A list of at most n numbers, padded with zeros; NULL if there is none.
double* cond_mjcf_read_list(CondMjcf* m, const CondMjcfNode* node, const char* name, int n);
int cond_mjcf_find_joint(const CondMjcf* m, const char* name);
int cond_mjcf_find_body(const CondMjcf* m, const char* name);
int cond_mjcf_find_site(const CondMjcf* m, const char* name);

#endif
