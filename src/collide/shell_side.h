// The side of a shell that a contact is on.
#ifndef COND_COLLIDE_SHELL_SIDE_H
#define COND_COLLIDE_SHELL_SIDE_H

#include "collide/collide.h"

// Sets the friction of contacts on the second side of shells, if it differs from the first.
void cond_shell_sides(const CondCollider* collider, CondCandidateList* list);

#endif
