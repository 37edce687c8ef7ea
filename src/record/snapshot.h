// Contents of a CondSnapshot: what is drawn, and the arrays of the last frame.
#ifndef COND_RECORD_SNAPSHOT_H
#define COND_RECORD_SNAPSHOT_H

#include "body/kinematics.h"
#include "record/contact_cloud.h"
#include "record/drawing.h"

enum { COND_N_JOINT_NUMBER = 6 }; // values recorded for a joint

// Readings of sensors, with their names in files.
enum {
    COND_SENSED_FORCE = 0,    // [N]
    COND_SENSED_TORQUE,       // [N m]
    COND_SENSED_ACCELERATION, // [m/s2]
    COND_SENSED_SPIN,         // [rad/s]
    COND_SENSED_DISTANCE,     // [m]; INFINITY: nothing in range
    COND_N_SENSED,
};
typedef struct CondSensed {
    const char* location;
    int columns;
} CondSensed;
extern const CondSensed cond_sensed[COND_N_SENSED];
// Sets the pointers of a CondMoment to the arrays, of which some may be NULL.
void cond_moment_sense(CondMoment* moment, double* const sensed[COND_N_SENSED], size_t first);

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
    double* sensed[COND_N_SENSED];  // readings            (n_sensor x cond_sensed[k].columns)
    int n_joint;                    // coordinates of the joints of all robots
    double* joint;                  // position, velocity, motor, friction, limit, velocity limit of
                                    // each, as CondJointReading has them      (6 x n_joint)
    int* coordinate;                // scratch                                 (max_point_dof)
    double* J;                      // scratch                                 (3 x max_point_dof)
};

#endif
