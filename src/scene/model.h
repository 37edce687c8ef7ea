// Inside of a CondModel: the compiled scene, read by every stage and changed by none.
#ifndef COND_SCENE_MODEL_H
#define COND_SCENE_MODEL_H

#include "body/point.h"
#include "cond/sim.h"

struct CondArticulation;
struct CondFem;

// A point of a body that may touch something, or the centre of a ball of that radius.
typedef struct CondFeature {
    CondPoint point;
    double radius; // [m]
} CondFeature;

// The motor of one joint coordinate of a robot.
typedef struct CondMotor {
    double stiffness; // [N m/rad, N/m]
    double damping;   // [N m s/rad, N s/m]
} CondMotor;

typedef struct CondBody {
    char name[COND_NAME_SIZE];
    CondBodyKind kind;
    int index;         // of this body
    int dof_begin;     // first velocity coordinate
    int n_dof;         //
    int q_begin;       // first configuration coordinate
    int n_q;           // particle 3; rigid 7; soft 3 per node; robot (7 +) joints
    double mass;       // [kg], of the whole body
    double inertia[9]; // rigid: body axes [kg m2]
    int feature_begin; // into CondModel.feature
    int n_feature;     //
    double radius;     // rigid: largest distance of a feature's surface from the centre [m]
    CondSurfaceDef surface;
    CondPose initial;             // particle, rigid; base of a robot
    struct CondFem* fem;          // soft: owned by the model
    double* start;                // soft and robot: q at the start           (n_q)
    double* start_v;              // and v                                    (n_dof)
    int self_contact;             // soft
    double thickness;             // soft [m]
    struct CondArticulation* arm; // robot: owned by the model
    CondMotor* motor;             // robot: one per joint coordinate          (n_joint)
} CondBody;

typedef struct CondPlane {
    double frame[9]; // rows normal, tangent 1, tangent 2
    double offset;   // [m]
    CondSurfaceDef surface;
} CondPlane;

typedef struct CondForce {
    CondPoint point;
    double force[3];
    double torque[3]; // rigid bodies
    double start, end;
} CondForce;

typedef struct CondSpring {
    CondPoint end[2];
    double stiffness, damping, rest_length;
} CondSpring;

struct CondModel {
    CondContext context;
    CondSceneSettings settings;
    int n_dof, n_q;
    int max_point_dof; // coordinates that a point may depend on, at most
    int n_body, n_plane, n_force, n_spring, n_feature;
    CondBody* body;       //                                                  (n_body)
    CondPlane* plane;     //                                                  (n_plane)
    CondForce* force;     //                                                  (n_force)
    CondSpring* spring;   //                                                  (n_spring)
    CondFeature* feature; // of all bodies, body by body                      (n_feature)
};

#endif
