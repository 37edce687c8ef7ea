// Points and balls of rigid shapes against the volumes of soft bodies.
#ifndef COND_COLLIDE_POINT_ON_SOFT_H
#define COND_COLLIDE_POINT_ON_SOFT_H

#include "collide/collide.h"

// Appends every corner, point or small ball of a rigid body, a robot or an obstacle within reach of
// the surface of a soft body. The volumes must be updated.                   reach (n_body)
CondStatus cond_collide_points_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                       const CondState* state, const double* reach,
                                       CondCandidateList* list);

// The same for one feature, which need not belong to the model: `index` is its unique number; those
// of the model come first.
CondStatus cond_collide_point_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                      const CondState* state, const CondFeature* feature, int index,
                                      int other, double far, CondCandidateList* list);
// Key of the first contact of such a feature with soft body `other`.
CondContactKey cond_point_on_soft_key(const CondModel* model, int index, int other);

#endif
