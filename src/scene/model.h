// Inside of a CondModel: the compiled scene, read by every stage and changed by none.
#ifndef COND_SCENE_MODEL_H
#define COND_SCENE_MODEL_H

#include "cond/sim.h"

typedef struct CondBody {
    char name[COND_NAME_SIZE];
    CondBodyKind kind;
    int dof_begin;     // first coordinate
    int n_dof;         // 3 or 6
    double mass;       // [kg]
    double inertia[9]; // body axes [kg m2]
    int point_begin;   // contact points, into CondModel.point
    int n_point;       //
    double radius;     // largest distance of a contact point from the centre [m]
    CondSurfaceDef surface;
    CondPose initial;
} CondBody;

typedef struct CondPlane {
    double frame[9]; // rows normal, tangent 1, tangent 2
    double offset;   // [m]
    CondSurfaceDef surface;
} CondPlane;

typedef struct CondForce {
    int body;
    double force[3];
    double torque[3];
    double point[3];
    double start, end;
} CondForce;

typedef struct CondSpring {
    int body[2]; // -1: the world
    double point[2][3];
    double stiffness, damping, rest_length;
} CondSpring;

struct CondModel {
    CondContext context;
    CondSceneSettings settings;
    int n_dof;
    int n_body, n_plane, n_force, n_spring, n_point;
    CondBody* body;     //                                                    (n_body)
    CondPlane* plane;   //                                                    (n_plane)
    CondForce* force;   //                                                    (n_force)
    CondSpring* spring; //                                                    (n_spring)
    double* point;      // contact points of all bodies, body axes [m]        (n_point x 3)
};

#endif
