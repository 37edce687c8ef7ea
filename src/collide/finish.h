// The end of collision detection.
#ifndef COND_COLLIDE_FINISH_H
#define COND_COLLIDE_FINISH_H

#include "collide/collide.h"

// Leaves out contacts that attachments hold or that nothing moves, puts the others in order and
// turns their frames.
CondStatus cond_collide_finish(const CondCollider* collider, const CondKinematics* kinematics,
                               const CondState* state, CondCandidateList* list);

#endif
