// The drawn state of a simulation: points and cells with their positions, the contacts, and the
// numbers of the step. Recordings store it, and viewers show it.
#ifndef COND_SNAPSHOT_H
#define COND_SNAPSHOT_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// VTK's numbers of the cells that are drawn.
enum { COND_CELL_VERTEX = 1, COND_CELL_TRIANGLE = 5, COND_CELL_TETRAHEDRON = 10 };

// The body of a cell that belongs to none; and of a pixel that shows nothing.
enum { COND_DRAWN_STATIC = -1, COND_DRAWN_PLANE = -2, COND_DRAWN_NOTHING = -3 };

// Colours of a cell without a colour of its own, and of a collision shape of a link that has
// separate visual shapes; viewers hide the latter by default.
enum { COND_COLOUR_NONE = -1, COND_COLOUR_HIDDEN = -2 };

// Drawn points and cells that are the same in all frames.
typedef struct CondScenery {
    int n_body, n_point, n_cell, n_corner;
    const char (*name)[COND_NAME_SIZE];   // of the bodies                              (n_body)
    const char (*kind)[COND_NAME_SIZE];   // "rigid", "soft" ...                        (n_body)
    const int* corner;                    // points of the cells                        (n_corner)
    const int* corner_end;                // one past the last corner of a cell         (n_cell)
    const uint8_t* type;                  // as above                                   (n_cell)
    const int* body;                      // of a cell; negative as above               (n_cell)
    int plane_begin;                      // first point of the planes; they come last, four each
    int n_sensor;                         //
    const char (*sensor)[COND_NAME_SIZE]; // names of the sensors                     (n_sensor)
    int has_rods;                         // 1: points have rod_force and rod_moment
    const int* colour;                    // of a cell: 0xrrggbb, or as above           (n_cell)
} CondScenery;

// The numbers of a frame; those of the step that led to it are NaN if there was no step.
typedef enum CondNumber {
    COND_NUMBER_TIME = 0,          // [s]
    COND_NUMBER_CERTIFICATE,       // worst of the step's problems
    COND_NUMBER_PENETRATION,       // [m]
    COND_NUMBER_KINETIC_ENERGY,    // [J]
    COND_NUMBER_POTENTIAL_ENERGY,  // [J]
    COND_NUMBER_ITERATIONS,        // of the step's contact problem
    COND_NUMBER_NEWTON_ITERATIONS, // of a non-linear integrator
    COND_NUMBER_SOLVED_BY,         // stage that found its answer: a CondSolvedBy
    COND_NUMBER_RELAXED,           // contacts held to the proximal law instead of the strict one
    COND_NUMBER_SUBSTEPS,          // substeps of the step
    COND_NUMBER_CONTACTS,          //
    COND_NUMBER_CONTACT_FORCE,     // sum of the contacts' |force| [N]
    COND_NUMBER_STAGE,             // wall clock of the stages, in their order [s]
    COND_N_NUMBER = COND_NUMBER_STAGE + COND_N_STAGE,
} CondNumber;
// Names of the numbers, such as "kinetic_energy"; from COND_NUMBER_STAGE on those of the stages.
// cond_number_unit gives the unit, such as "J".
COND_ENUM_NAMES(COND_IO_API, CondNumber, cond_number)
COND_IO_API const char* cond_number_unit(CondNumber number);

// The data of one frame. Without rods rod_force and rod_moment are NULL.
typedef struct CondMoment {
    double number[COND_N_NUMBER];
    const double* position;         // of the points, world [m]                     (n_point x 3)
    const double* velocity;         // [m/s]                                        (n_point x 3)
    const double* displacement;     // of soft bodies, from rest [m]; else 0        (n_point x 3)
    const double* von_mises;        // of soft bodies [Pa]; else 0                  (n_cell)
    const double* rod_force;        // of rods: shear, shear, tension [N]; else 0   (n_point x 3)
    const double* rod_moment;       // bending, bending, twist [N m]; else 0        (n_point x 3)
    int n_contact;                  // contacts of the step that led here
    const double* contact_position; // world [m]                                    (n_contact x 3)
    const double* contact_force;    // on side 0, mean over the step, world [N]     (n_contact x 3)
    const double* contact_frame;    // rows normal, tangent 1, tangent 2            (n_contact x 9)
    const double* contact_friction; // along the tangents                           (n_contact x 2)
    const double* contact_gap;      // at the start of the step [m]                 (n_contact)
    const double* contact_error;    // of the contact law [m/s]                     (n_contact)
    const int* contact_body;        // of side 0                                    (n_contact)
    const int* contact_other;       // of side 1; -1: static                        (n_contact)
    const double* sensor_force;  // as CondSensorReading has it [N]; 0 before a step (n_sensor x 3)
    const double* sensor_torque; // [N m]                                        (n_sensor x 3)
    // Readings of imu sensors, 0 for others; NULL in a recording of a scene without them.
    const double* sensor_acceleration;     // [m/s2]                              (n_sensor x 3)
    const double* sensor_angular_velocity; // [rad/s]                             (n_sensor x 3)
    // Readings of range sensors, INFINITY if nothing is in range; 0 for others.
    const double* sensor_distance; // [m]                                             (n_sensor)
} CondMoment;

typedef struct CondSnapshot CondSnapshot;

// The model must outlive the snapshot.
COND_IO_API CondStatus cond_snapshot_create(const CondContext* context, const CondModel* model,
                                            CondSnapshot** snapshot, CondError* error);
COND_IO_API void cond_snapshot_destroy(CondSnapshot* snapshot); // NULL is fine

// Takes a snapshot of a state. sim supplies the contacts of the step that led to it, info its
// numbers; either may be NULL.
COND_IO_API CondStatus cond_snapshot_take_sized(CondSnapshot* snapshot, const CondSim* sim,
                                                const CondState* state, const CondStepInfo* info,
                                                CondError* error, size_t size);
static inline CondStatus cond_snapshot_take(CondSnapshot* snapshot, const CondSim* sim,
                                            const CondState* state, const CondStepInfo* info,
                                            CondError* error)
{
    return cond_snapshot_take_sized(snapshot, sim, state, info, error, sizeof(CondStepInfo));
}

// Both are valid as long as the snapshot; the second holds the data of the last take.
COND_IO_API const CondScenery* cond_snapshot_scenery(const CondSnapshot* snapshot);
COND_IO_API const CondMoment* cond_snapshot_moment(const CondSnapshot* snapshot);

// Mass of the body that a point belongs to [kg]; 0 for static points.
COND_IO_API double cond_snapshot_point_mass(const CondSnapshot* snapshot, int point);
// Pulls a point of the scenery towards a target [m] with a spring, in every step of sim until it is
// replaced; stiffness 0 removes it. The spring is not part of the state, and its energy is not
// counted. COND_BAD_ARGUMENT: an unknown point, or numbers that are not finite or negative.
COND_IO_API CondStatus cond_sim_pull(CondSim* sim, const CondSnapshot* snapshot, int point,
                                     const double target[3], double stiffness, double damping);

#ifdef __cplusplus
}
#endif
#endif
