// Features of bodies against rigid shapes: static obstacles, rigid bodies, links of robots.
#ifndef COND_COLLIDE_SOLID_H
#define COND_COLLIDE_SOLID_H

#include "collide/candidate.h"
#include "collide/volume.h"

struct CondCollider;

// Solid i of all: the obstacles first, then those of the bodies.
static inline const CondSolid* cond_solid_at(const CondModel* model, int i)
{
    return i < model->n_obstacle ? &model->obstacle[i] : &model->solid[i - model->n_obstacle];
}

// Pose of a solid: position, quaternion.
void cond_solid_pose(const CondKinematics* kinematics, const CondSolid* solid, double pose[7]);
// The point of a feature that is at the position `world`, which for nodes of soft bodies is the
// node; and the point of a body (-1: the world) or link at a world position.
CondPoint cond_feature_point(const CondKinematics* kinematics, const CondFeature* feature,
                             const double world[3]);
CondPoint cond_point_at(const CondKinematics* kinematics, int body, int part,
                        const double world[3]);

// Appends every feature within reach of a solid of another body. Features and solids must be
// placed, the volumes of soft bodies updated and the broad phase built.      reach (n_body)
CondStatus cond_collide_solids(struct CondCollider* collider, const CondKinematics* kinematics,
                               const double* reach, CondCandidateList* list);

#endif
