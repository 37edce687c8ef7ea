// Functions of libcond for programs that were compiled with the headers of version 0.1.
// Since 0.2 the headers pass the size of each of these structs to a function NAME_sized; a program
// that was compiled with the headers of 0.1 calls NAME, and knows the struct up to the field given
// here. Nothing of the library calls these functions.
#define cond_model_joint cond_model_joint_of_0_2
#define cond_state_set_motor cond_state_set_motor_of_0_2
#define cond_state_motor cond_state_motor_of_0_2
#define cond_sim_step cond_sim_step_of_0_2
#define cond_sim_recheck cond_sim_recheck_of_0_2
#define cond_sim_integrate cond_sim_integrate_of_0_2
#define cond_sim_overlaps cond_sim_overlaps_of_0_2
#define cond_sim_settle cond_sim_settle_of_0_2
#define cond_sim_sensor cond_sim_sensor_of_0_2
#define cond_sim_joint cond_sim_joint_of_0_2
#define cond_query_ray cond_query_ray_of_0_2
#define cond_query_rays cond_query_rays_of_0_2
#define cond_query_nearest cond_query_nearest_of_0_2
#define cond_query_within cond_query_within_of_0_2
#define cond_query_closest cond_query_closest_of_0_2
#define cond_mesh_check cond_mesh_check_of_0_2
#define cond_solver_create_from cond_solver_create_from_of_0_2
#define cond_sim_contact cond_sim_contact_of_0_2
#define cond_sim_pair_force cond_sim_pair_force_of_0_2
#define cond_sim_listed_force cond_sim_listed_force_of_0_2
#define cond_audit_pair cond_audit_pair_of_0_2
#include "cond/audit.h"
#include "cond/mesh.h"
#include "cond/query.h"
#include "cond/sim.h"
#include "cond/solver.h"
#undef cond_model_joint
#undef cond_state_set_motor
#undef cond_state_motor
#undef cond_sim_step
#undef cond_sim_recheck
#undef cond_sim_integrate
#undef cond_sim_overlaps
#undef cond_sim_settle
#undef cond_sim_sensor
#undef cond_sim_joint
#undef cond_query_ray
#undef cond_query_rays
#undef cond_query_nearest
#undef cond_query_within
#undef cond_query_closest
#undef cond_mesh_check
#undef cond_solver_create_from
#undef cond_sim_contact
#undef cond_sim_pair_force
#undef cond_sim_listed_force
#undef cond_audit_pair

#include <stddef.h>

// The size of a struct whose last field was this one, with its padding.
#define UNTIL(Type, field)                                                                         \
    ((offsetof(Type, field) + sizeof((Type){0}).field + _Alignof(Type) - 1) / _Alignof(Type) *     \
     _Alignof(Type))

COND_API CondStatus cond_model_joint(const CondModel* model, int body, int joint,
                                     CondJointInfo* info);
CondStatus cond_model_joint(const CondModel* model, int body, int joint, CondJointInfo* info)
{
    return cond_model_joint_sized(model, body, joint, info, UNTIL(CondJointInfo, armature));
}

COND_API CondStatus cond_state_set_motor(const CondModel* model, CondState* state, int body,
                                         int coordinate, const CondMotorGains* gains);
CondStatus cond_state_set_motor(const CondModel* model, CondState* state, int body, int coordinate,
                                const CondMotorGains* gains)
{
    return cond_state_set_motor_sized(model, state, body, coordinate, gains,
                                      UNTIL(CondMotorGains, effort_back));
}

COND_API CondStatus cond_state_motor(const CondModel* model, const CondState* state, int body,
                                     int coordinate, CondMotorGains* gains);
CondStatus cond_state_motor(const CondModel* model, const CondState* state, int body,
                            int coordinate, CondMotorGains* gains)
{
    return cond_state_motor_sized(model, state, body, coordinate, gains,
                                  UNTIL(CondMotorGains, effort_back));
}

COND_API CondStatus cond_sim_step(CondSim* sim, CondState* state, CondStepInfo* info);
CondStatus cond_sim_step(CondSim* sim, CondState* state, CondStepInfo* info)
{
    return cond_sim_step_sized(sim, state, info, UNTIL(CondStepInfo, seconds));
}

COND_API CondStatus cond_sim_recheck(CondSim* sim, const CondState* state, CondStepInfo* info);
CondStatus cond_sim_recheck(CondSim* sim, const CondState* state, CondStepInfo* info)
{
    return cond_sim_recheck_sized(sim, state, info, UNTIL(CondStepInfo, seconds));
}

COND_API CondStatus cond_sim_integrate(CondSim* sim, CondState* state, CondStepInfo* info);
CondStatus cond_sim_integrate(CondSim* sim, CondState* state, CondStepInfo* info)
{
    return cond_sim_integrate_sized(sim, state, info, UNTIL(CondStepInfo, seconds));
}

COND_API CondStatus cond_sim_overlaps(CondSim* sim, const CondState* state,
                                      const CondOverlap** overlap, int* n);
CondStatus cond_sim_overlaps(CondSim* sim, const CondState* state, const CondOverlap** overlap,
                             int* n)
{
    return cond_sim_overlaps_sized(sim, state, overlap, n, UNTIL(CondOverlap, position));
}

COND_API CondStatus cond_sim_settle(CondSim* sim, CondState* state, int max_rounds, double* moved,
                                    CondSettleInfo* info);
CondStatus cond_sim_settle(CondSim* sim, CondState* state, int max_rounds, double* moved,
                           CondSettleInfo* info)
{
    return cond_sim_settle_sized(sim, state, max_rounds, moved, info, UNTIL(CondSettleInfo, after));
}

COND_API CondStatus cond_sim_sensor(const CondSim* sim, int sensor, CondSensorReading* reading);
CondStatus cond_sim_sensor(const CondSim* sim, int sensor, CondSensorReading* reading)
{
    return cond_sim_sensor_sized(sim, sensor, reading, UNTIL(CondSensorReading, velocity));
}

COND_API CondStatus cond_sim_joint(const CondSim* sim, int body, int coordinate,
                                   CondJointReading* reading);
CondStatus cond_sim_joint(const CondSim* sim, int body, int coordinate, CondJointReading* reading)
{
    return cond_sim_joint_sized(sim, body, coordinate, reading,
                                UNTIL(CondJointReading, velocity_limit));
}

COND_API CondStatus cond_query_ray(CondQuery* query, const double origin[3],
                                   const double direction[3], double limit, const int* leave_out,
                                   CondHit* hit);
CondStatus cond_query_ray(CondQuery* query, const double origin[3], const double direction[3],
                          double limit, const int* leave_out, CondHit* hit)
{
    return cond_query_ray_sized(query, origin, direction, limit, leave_out, hit,
                                UNTIL(CondHit, obstacle));
}

COND_API CondStatus cond_query_rays(CondQuery* query, int n, const double* origin,
                                    const double* direction, const double* limit,
                                    const int* leave_out, CondHit* hit);
CondStatus cond_query_rays(CondQuery* query, int n, const double* origin, const double* direction,
                           const double* limit, const int* leave_out, CondHit* hit)
{
    return cond_query_rays_sized(query, n, origin, direction, limit, leave_out, hit,
                                 UNTIL(CondHit, obstacle));
}

COND_API CondStatus cond_query_nearest(CondQuery* query, const double point[3], double limit,
                                       const int* leave_out, CondHit* hit);
CondStatus cond_query_nearest(CondQuery* query, const double point[3], double limit,
                              const int* leave_out, CondHit* hit)
{
    return cond_query_nearest_sized(query, point, limit, leave_out, hit, UNTIL(CondHit, obstacle));
}

COND_API CondStatus cond_query_within(CondQuery* query, const double point[3], double radius,
                                      int capacity, CondHit* hit, int* n);
CondStatus cond_query_within(CondQuery* query, const double point[3], double radius, int capacity,
                             CondHit* hit, int* n)
{
    return cond_query_within_sized(query, point, radius, capacity, hit, n,
                                   UNTIL(CondHit, obstacle));
}

COND_API CondStatus cond_query_closest(CondQuery* query, int body, int other, double limit,
                                       CondClosest* closest);
CondStatus cond_query_closest(CondQuery* query, int body, int other, double limit,
                              CondClosest* closest)
{
    return cond_query_closest_sized(query, body, other, limit, closest,
                                    UNTIL(CondClosest, obstacle));
}

COND_API CondStatus cond_mesh_check(const CondContext* context, const CondMesh* mesh,
                                    CondMeshReport* report, CondError* error);
CondStatus cond_mesh_check(const CondContext* context, const CondMesh* mesh, CondMeshReport* report,
                           CondError* error)
{
    return cond_mesh_check_sized(context, mesh, report, error, UNTIL(CondMeshReport, warning));
}

COND_API CondStatus cond_solver_create_from(const CondContext* context, const CondSolverOps* ops,
                                            const CondSolverSettings* settings, CondSolver** solver,
                                            CondError* error);
CondStatus cond_solver_create_from(const CondContext* context, const CondSolverOps* ops,
                                   const CondSolverSettings* settings, CondSolver** solver,
                                   CondError* error)
{
    return cond_solver_create_from_sized(context, ops, settings, solver, error,
                                         UNTIL(CondSolverOps, draft));
}

// CondContactInfo as it was.
typedef struct CondContactInfoThen {
    char bytes[UNTIL(CondContactInfo, other_part)]
        __attribute__((aligned(_Alignof(CondContactInfo))));
} CondContactInfoThen;
COND_API CondContactInfoThen cond_sim_contact(const CondSim* sim, int contact);
CondContactInfoThen cond_sim_contact(const CondSim* sim, int contact)
{
    CondContactInfoThen made;
    cond_sim_contact_sized(sim, contact, (CondContactInfo*)&made, sizeof made);
    return made;
}

// CondResultant as it was.
typedef struct CondResultantThen {
    char bytes[UNTIL(CondResultant, free_torque)] __attribute__((aligned(_Alignof(CondResultant))));
} CondResultantThen;
COND_API CondResultantThen cond_sim_pair_force(const CondSim* sim, int body, int other);
CondResultantThen cond_sim_pair_force(const CondSim* sim, int body, int other)
{
    CondResultantThen made;
    cond_sim_pair_force_sized(sim, body, other, (CondResultant*)&made, sizeof made);
    return made;
}

COND_API CondResultantThen cond_sim_listed_force(const CondSim* sim, int body, int other, int n,
                                                 const int* contact);
CondResultantThen cond_sim_listed_force(const CondSim* sim, int body, int other, int n,
                                        const int* contact)
{
    CondResultantThen made;
    cond_sim_listed_force_sized(sim, body, other, n, contact, (CondResultant*)&made, sizeof made);
    return made;
}

// CondAuditPair as it was.
typedef struct CondAuditPairThen {
    char bytes[UNTIL(CondAuditPair, point)] __attribute__((aligned(_Alignof(CondAuditPair))));
} CondAuditPairThen;
COND_API CondAuditPairThen cond_audit_pair(const CondAudit* audit, int pair);
CondAuditPairThen cond_audit_pair(const CondAudit* audit, int pair)
{
    CondAuditPairThen made;
    cond_audit_pair_sized(audit, pair, (CondAuditPair*)&made, sizeof made);
    return made;
}
