// How near two names are, for messages that suggest the one that was meant.
#ifndef COND_BASE_NAME_DISTANCE_H
#define COND_BASE_NAME_DISTANCE_H

// The least number of letters to add, drop or change that makes `known` from `name`; -1: more than
// a third of the letters, so that it is another word.
int cond_name_distance(const char* name, const char* known);

#endif
