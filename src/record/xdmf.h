// The .xdmf file beside a recording: says in XML where in the HDF5 file each frame lies.
#ifndef COND_RECORD_XDMF_H
#define COND_RECORD_XDMF_H

#include "mesh_file/mesh_write.h"

#include <stdio.h>

typedef struct CondXdmf {
    FILE* file;
    CondMeshText text; // of the frames that wait
    CondMeshText name; // of the HDF5 file, as XML writes it
    int i_frame;       // the frame that is added
    long end;          // where the next frame begins in the file
} CondXdmf;

// An array of one frame: rows first .. first + n of a dataset.
typedef struct CondXdmfArray {
    const char* name;     // "" where it is no attribute
    const char* location; // in the HDF5 file
    const char* type;     // "Float" or "Int"
    int size;             // of a number, in bytes
    int columns;
    int cell;  // 1: belongs to the cells
    int fixed; // 1: the same in all frames
    long long first;
} CondXdmfArray;

// One grid of a frame.
typedef struct CondXdmfGrid {
    const char* name;
    long long n_point, n_cell;
    int mixed; // 1: each cell is behind XDMF's number of its type, the same in all frames;
               // 0: vertices
    CondXdmfArray topology; // of the cells
    long long n_topology;   // numbers there
    CondXdmfArray point;
    int n_array;
    const CondXdmfArray* array;
} CondXdmfGrid;

// hdf_name is the HDF5 file as seen from the .xdmf file. context is copied.
CondStatus cond_xdmf_open(const CondContext* context, const char* path, const char* hdf_name,
                          CondXdmf* xdmf, CondError* error);
// Adds frame i_frame, which waits in `text`; COND_OUT_OF_MEMORY: text has the frames before.
CondStatus cond_xdmf_frame(CondXdmf* xdmf, int i_frame, double time, int n_grid,
                           const CondXdmfGrid* grid);
// Writes the frames that wait; after a failure they wait on, and the file ends with those before.
CondStatus cond_xdmf_flush(CondXdmf* xdmf);
void cond_xdmf_close(CondXdmf* xdmf);

#endif
