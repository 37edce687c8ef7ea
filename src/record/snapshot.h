// Inside of a CondSnapshot: what is drawn, and the arrays of the last moment.
#ifndef COND_RECORD_SNAPSHOT_H
#define COND_RECORD_SNAPSHOT_H

#include "body/kinematics.h"
#include "record/contact_cloud.h"
#include "record/drawing.h"

enum { COND_N_JOINT_NUMBER = 6 }; // that are recorded of a joint

struct CondSnapshot {
    CondContext context;
    const CondModel* model;
    CondKinematics kinematics;
    CondDrawing drawing;
    CondContactCloud contacts;
    CondScenery scenery;            // views of the drawing and of the names below
    CondMoment moment;              // views of the arrays below
    char (*name)[COND_NAME_SIZE];   // of the bodies                           (n_body)
    char (*kind)[COND_NAME_SIZE];   //                                         (n_body)
    double* position;               // of the drawing's points, world [m]      (n_point x 3)
    double* velocity;               // [m/s]                                   (n_point x 3)
    double* displacement;           // of soft bodies, from rest [m]; else 0   (n_point x 3)
    double* rod_force;              // of rods: shear, shear, tension [N]; else 0    (n_point x 3)
    double* rod_moment;             // of rods: bending, bending, twist [N m]; else 0 (n_point x 3)
    double* von_mises;              // of soft bodies [Pa]; else 0             (n_cell)
    char (*sensor)[COND_NAME_SIZE]; // names                                 (n_sensor)
    double* sensor_force;           // [N]                                     (n_sensor x 3)
    double* sensor_torque;          // [N m]                                   (n_sensor x 3)
    int n_joint;                    // coordinates of the joints of all robots
    double* joint;                  // position, velocity, motor, friction, limit, velocity limit of
                                    // each, as CondJointReading has them      (6 x n_joint)
    int* coordinate;                // scratch                                 (max_point_dof)
    double* J;                      // scratch                                 (3 x max_point_dof)
};

#endif
