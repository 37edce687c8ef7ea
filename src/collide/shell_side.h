// The side of a shell that a contact is on.
#ifndef COND_COLLIDE_SHELL_SIDE_H
#define COND_COLLIDE_SHELL_SIDE_H

#include "collide/collide.h"

// Gives contacts on the second side of shells its friction, where that is not the same.
void cond_shell_sides(const CondCollider* collider, CondCandidateList* list);

#endif
