// Edit distance of names, for messages that suggest a similar name.
#ifndef COND_BASE_NAME_DISTANCE_H
#define COND_BASE_NAME_DISTANCE_H

// The least number of letters to add, remove or change to get `known` from `name`; -1: more than a
// third of the letters.
int cond_name_distance(const char* name, const char* known);

#endif
