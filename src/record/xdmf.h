// The .xdmf file of a recording: XML with the position of each frame in the HDF5 file.
#ifndef COND_RECORD_XDMF_H
#define COND_RECORD_XDMF_H

#include "mesh_file/mesh_write.h"

#include <stdio.h>

typedef struct CondXdmf {
    FILE* file;
    CondMeshText text; // of the buffered frames
    CondMeshText name; // of the HDF5 file, as XML writes it
    int i_frame;       // the frame that is added
    long end;          // offset of the next frame in the file
} CondXdmf;

// An array of one frame: rows first .. first + n of a dataset.
typedef struct CondXdmfArray {
    const char* name;     // "": not an attribute
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
    int mixed; // 1: each cell is preceded by XDMF's number of its type, the same in all frames; 0:
               // vertices
    CondXdmfArray topology; // of the cells
    long long n_topology;   // numbers there
    CondXdmfArray point;
    int n_array;
    const CondXdmfArray* array;
} CondXdmfGrid;

// hdf_name is the path of the HDF5 file relative to the .xdmf file. context is copied.
CondStatus cond_xdmf_open(const CondContext* context, const char* path, const char* hdf_name,
                          CondXdmf* xdmf, CondError* error);
// Adds frame i_frame, buffered in `text`; COND_OUT_OF_MEMORY: text holds only the earlier frames.
CondStatus cond_xdmf_frame(CondXdmf* xdmf, int i_frame, double time, int n_grid,
                           const CondXdmfGrid* grid);
// Writes the buffered frames; after a failure they stay buffered, and the file ends with the
// earlier ones.
CondStatus cond_xdmf_flush(CondXdmf* xdmf);
void cond_xdmf_close(CondXdmf* xdmf);

#endif
