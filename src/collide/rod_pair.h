// Rods against planes, rigid shapes and points: every link is a capsule.
#ifndef COND_COLLIDE_ROD_PAIR_H
#define COND_COLLIDE_ROD_PAIR_H

#include "collide/collide.h"

// Appends the contacts of the links of all rods. Links, solids and features must be placed and the
// broad phase built.                                                       reach (n_body)
CondStatus cond_collide_rod_pairs(CondCollider* collider, const CondKinematics* kinematics,
                                  const double* reach, CondCandidateList* list);

// Keys of link i of all rods with a solid, or with plane k as index n_solid + k; and of a feature
// with link i.
CondContactKey cond_rod_key(const CondCollider* collider, int i, int other, uint64_t role);
CondContactKey cond_bead_key(const CondCollider* collider, int i_feature, int i);

#endif
