// Internals of CondModel: the compiled scene, which the stages read and never change.
#ifndef COND_MODEL_MODEL_H
#define COND_MODEL_MODEL_H

#include "base/arena.h"
#include "cond/sim.h"
#include "geometry/edge.h"
#include "geometry/shape.h"
#include "model/point.h"

struct CondArticulation;
struct CondFem;
struct CondRod;
struct CondMeshSurface;

// A surface with the rules of its friction.
typedef struct CondSkin {
    CondSurfaceDef own;
    CondRubbingDef rubbing;
    int two_sided;  // 1: a shell whose second side has its own friction,
    double back[2]; // namely this
} CondSkin;

// A contact point of a body, or the centre of a ball of that radius.
typedef struct CondFeature {
    CondPoint point;
    double radius;           // [m]
    int obstacle;            // 1 + index of its obstacle (features in world axes); else 0
    const CondSkin* surface; // of its solid, or of its body
    int shaped;              // 1: of a solid, which itself touches planes and other solids
    int number;              // by which keys of contacts know it
    uint32_t groups;         // that it is in
    uint32_t touches;        // groups that it touches
    int solid;               // number of its solid; -1: none
    int rim; // 1: a point on the rim of a cylinder, which touches soft surfaces as a cylinder
} CondFeature;

// The motor of one joint coordinate of a robot.
typedef struct CondMotor {
    double stiffness;   // [N m/rad, N/m]
    double damping;     // [N m s/rad, N s/m]
    double effort;      // largest torque or force [N m, N]; INFINITY: none
    double effort_back; // the same against the axis
    double lead;        // target less position, at the start [rad, m]
    double torque;      // added by the user, within the effort [N m, N]
    double speed;       // added by the user to the rate of the target [rad/s, m/s]
} CondMotor;

// Limits, friction and effort of one joint coordinate of a robot, if the scene enables them.
typedef struct CondJointBounds {
    double lower, upper; // [rad, m]
    double velocity;     // [rad/s, m/s]
    double friction;     // dry [N m, N]
} CondJointBounds;

typedef struct CondBody {
    char name[COND_NAME_SIZE];
    CondBodyKind kind;
    int index;         // of this body
    int number;        // in keys of contacts: its index in the whole model
    int dof_begin;     // first velocity coordinate
    int n_dof;         //
    int q_begin;       // first configuration coordinate
    int n_q;           // particle 3; rigid 7; soft 3 per node, and
                       // 3 per triangle of a shell that yields; robot (7 +) joints; rod 7 per link
    double mass;       // [kg], of the whole body
    double inertia[9]; // rigid: body axes [kg m2]
    int feature_begin; // into CondModel.feature
    int n_feature;     //
    double width;      // least extent [m]; INFINITY: of a point
    double radius;     // rigid: largest distance of a feature's surface from the centre [m]
    double size;       // longest edge of a box around its contact shapes; 0.1 for a point [m]
    CondSkin surface;
    CondPose initial;                           // particle, rigid; base of a robot
    const struct CondMeshSurface* mesh_surface; // rigid, shaped by a mesh: the model's
    struct CondFem* fem;                        // soft: owned by the model
    double* start;                              // soft, robot, rod: q at the start         (n_q)
    double* start_v;                            // and v                                    (n_dof)
    int n_triangle;                             // soft: of the surface
    int* triangle;                              // soft: outward (n_triangle x 3)
    int* diagonal_begin;              // soft: 0, 1, 2 ...                        (n_node + 1)
    CondGeometricStiffness geometric; // soft, rod
    double geometric_stiffness;       // soft: of the constant one [N/m]
    int self_contact;                 // soft, rod, robot
    double thickness;                 // soft; of a shell half of it [m]
    int shell;                        // soft: 1: a shell of triangles; its volume consists of their
                                      // two sides
    struct CondArticulation* arm;     // robot: owned by the model
    struct CondRod* rod;              // rod: owned by the model
    CondMotor* motor;                 // robot: one per joint coordinate          (n_joint)
    CondJointBounds* bounds;          // robot: the same                          (n_joint)
    double* dry;      // robot: dry friction of its base and balls           (n_dof - n_joint)
    int target_begin; // robot: into CondState.target
    int loose_begin;  // robot: index of its base and balls among those of all robots
    int entity;       // into CondModel.entity; of a robot: that of link 0
} CondBody;

// The distance of the middle surface of a shell from rigid shapes, and that of two soft surfaces
// from each other.
static inline double cond_body_half(const CondBody* body)
{
    return body->shell ? body->thickness : 0.0;
}
static inline double cond_body_apart(const CondBody* a, const CondBody* b)
{
    if (a->shell && b->shell)
        return a->thickness + b->thickness;
    return a->thickness > b->thickness ? a->thickness : b->thickness;
}

// First joint coordinate of a robot in v and in q: a floating base comes before.
int cond_body_joint_v(const CondBody* body);
int cond_body_joint_q(const CondBody* body);

// A rigid shape that points of other bodies may touch.
typedef struct CondSolid {
    char name[COND_NAME_SIZE];
    CondShape shape;
    int number;            // by which keys of contacts know it
    int body;              // -1: static
    int part;              // link of a robot
    int fixed;             // 1: it belongs to a robot but never moves
    double position[3];    // in body or link axes, or world [m]
    double orientation[4]; //
    double width;          // least extent [m]
    int edge_begin;        // into CondModel.edge
    int n_edge;            //
    CondSkin surface;
    int entity;       // into CondModel.entity
    uint32_t groups;  // that it is in, of those of its entity
    uint32_t touches; // groups that it touches, of those of its entity
    double thin;      // of a terrain: the length over which it changes [m]; 0: from its extents
} CondSolid;

typedef struct CondPlane {
    char name[COND_NAME_SIZE];
    double frame[9]; // rows normal, tangent 1, tangent 2
    double offset;   // [m]
    CondSkin surface;
    int entity; // into CondModel.entity
} CondPlane;

// An exception for a pair of solids, or a solid and a plane, from the general rules. Each is in the
// list twice, once from either side.
typedef struct CondPairRule {
    int solid;              // number of the solid
    int other;              // number of the other one; -1 - entity of a plane
    double allowance;       // overlap that counts as touching [m]
    int touches;            // 1: they touch regardless of groups
    CondSurfaceDef surface; // of the pair; NaN: from their own surfaces
} CondPairRule;

// An entity: a body, a link of a robot, an obstacle or a plane; model/entity.h.
typedef struct CondEntity {
    uint32_t groups;  // that it is in
    uint32_t touches; // groups that it touches
    int body;         // -1: of the world
    int self_contact; // of a robot: its links may touch each other
    int rigid;        // link of a robot: the first link of the rigid part that it belongs to
    int apart_begin;  // into CondModel.apart
    int n_apart;      //
} CondEntity;

typedef struct CondForce {
    CondPoint point;
    double force[3];
    double torque[3]; // rigid bodies
    double start, end;
    double pressure; // soft bodies, against the triangles [Pa]
    int n_node;      // soft bodies: nodes that share the force
    int* node;       //                                                       (n_node)
    double* weight;  // their shares                                          (n_node)
    int n_triangle;  // soft bodies: triangles that the pressure acts on
    int* triangle;   // outward                                               (n_triangle x 3)
} CondForce;

typedef struct CondSpring {
    CondPoint end[2];
    double stiffness, damping, rest_length;
    int between_joints; // 1: the ends are joints of robots, with the length sum of ratio q
    int joint[2];       // coordinate of the robot
    double ratio[2];
} CondSpring;

// Nodes of a soft body that define a frame: their centre of mass, and the best-fitting rotation.
typedef struct CondPatch {
    char name[COND_NAME_SIZE];
    int body;
    int n_node;
    int* node;      //                                                        (n_node)
    double* weight; // share of the patch's mass                              (n_node)
    double* rest;   // from the centre, at the start, world axes [m]          (n_node x 3)
} CondPatch;

typedef struct CondAttachment {
    char name[COND_NAME_SIZE];
    CondFrame end[2];
    int turns;
    int contact;         // 0: the ends do not touch (rods)
    double stiffness[2]; // linear [N/m], angular [N m/rad]
    double damping[2];   // linear [N s/m], angular [N m s/rad]
    double start, end_time;
    int placed, oriented;               // 1: it holds the given pose, else that at its creation
    double position[3], orientation[4]; // of end 0 seen from end 1
} CondAttachment;

typedef struct CondTrajectory {
    char name[COND_NAME_SIZE];
    int body;  // -1: a frame in space
    int link;  // -1: a joint follows
    int joint; // its coordinate, from 0; -1: a link follows
    double point[3];
    int n_waypoint;
    CondWaypoint* waypoint; //                                                (n_waypoint)
    double velocity[3], spin[3], amplitude[3], swing[3], frequency, phase; // as in its definition
} CondTrajectory;

// A sensor with its names looked up; see CondSensorDef.
typedef struct CondSensor {
    char name[COND_NAME_SIZE];
    CondSensorKind kind;
    CondFrame frame; // its frame; of an attachment: its first end
    int whole;       // 1: of the whole body, regardless of link or patch
    int attachment;  // -1: none
    int against;     // body; COND_ANY_BODY: all
    double point[3]; // from the frame's origin, in its axes [m]
    double axes[9];  // frame = axes * sensor
    int world_axes;
    double range; // [m]
} CondSensor;

struct CondModel {
    CondArena arena;                       // of the model, its bodies, patches and trajectories
    int compiled[2];                       // during compilation: list and entry for messages
    const struct CondCompiledAgain* again; // during compilation: data to reuse of another model;
                                           // NULL: none
    CondSceneSettings settings;
    int n_warning;
    char (*warning)[1536]; // omissions of the reader of the scene                 (n_warning)
    int n_dof, n_q;
    int max_point_dof;             // largest number of coordinates that a point depends on
    int n_target;                  // joint targets of all robots
    int n_loose;                   // coordinates of all robots' bases and balls
    int n_kind[COND_BODY_ROD + 1]; // bodies of each kind
    int n_alone;                   // coordinates of soft bodies and robots
    int n_body, n_plane, n_force, n_spring, n_feature;
    int n_patch, n_attachment, n_trajectory, n_obstacle, n_sensor, n_camera;
    CondBody* body;             //                                                  (n_body)
    CondPlane* plane;           //                                                  (n_plane)
    CondForce* force;           //                                                  (n_force)
    CondSpring* spring;         //                                                  (n_spring)
    CondFeature* feature;       // of all bodies, body by body                      (n_feature)
    CondPatch* patch;           //                                            (n_patch)
    CondAttachment* attachment; //                                            (n_attachment)
    CondTrajectory* trajectory; //                                            (n_trajectory)
    CondSensor* sensor;         //                                            (n_sensor)
    CondCameraDef* camera;      //                                            (n_camera)
    CondSolid* obstacle;        // static                                     (n_obstacle)
    CondSolid* solid;           // of rigid bodies and robots' links          (n_solid)
    int n_solid;
    int n_numbered[2]; // numbers of features and shapes in keys of contacts, obstacles included
    CondEdge* edge;    // of all solids, in the axes of their shapes             (n_edge)
    int n_edge;
    struct CondMeshSurface** mesh_surface; // surfaces of the shapes given by meshes       (n_shell)
    int n_mesh_surface;
    CondEntity* entity;    //                                                (n_entity)
    int n_entity;          //
    int* apart;            // for each entity those that it never touches, ascending
    CondPairRule* rule;    // ascending by solid and other                   (n_rule)
    int n_rule;            //
    CondLeftOut* left_out; // pairs left out of detection, for messages           (n_left_out)
    int n_left_out;
};

// Adds a newly appended body to the counts of its model.
static inline void cond_model_count(CondModel* model, const CondBody* body)
{
    model->n_dof += body->n_dof;
    model->n_q += body->n_q;
    model->n_kind[body->kind]++;
    if (body->kind == COND_BODY_SOFT || body->kind == COND_BODY_ROBOT)
        model->n_alone += body->n_dof;
}

#endif
