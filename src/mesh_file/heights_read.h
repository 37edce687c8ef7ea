// Grids of heights from files: images in PGM, and plain numbers.
#ifndef COND_MESH_FILE_HEIGHTS_READ_H
#define COND_MESH_FILE_HEIGHTS_READ_H

#include "scene/terrain.h"

// A file that begins with P2 or P5 is an image of grey values, from 0 to 1 for black to white, of 8
// or 16 bits; any other has one row of numbers per line, separated by blanks or commas; text after
// a # is ignored. Messages begin with "path:line: " or "path: ".
CondStatus cond_heights_read(const CondContext* context, const char* path, CondHeights* heights,
                             CondError* error);

#endif
