// Numbers of mesh files. A header of numbers alone: it includes nothing.
#ifndef COND_MESH_FILE_TUNING_H
#define COND_MESH_FILE_TUNING_H

enum {
    COND_IMPORT_TRIANGLES = 20000000, // [count] above which a file is refused: 1 GB of corners
};

#endif
