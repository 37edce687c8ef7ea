// A time-dependent grid in the VTKHDF layout of an HDF5 file, to which XDMF refers.
#ifndef COND_RECORD_HDF_GRID_H
#define COND_RECORD_HDF_GRID_H

#include "hdf5/hdf_file.h"
#include "record/xdmf.h"

// Data of the points or cells of a grid in each frame.
typedef struct CondHdfArray {
    const char* name;
    int columns;
    int cell;    // 1: of the cells
    int integer; // 1: int, else double
    int fixed;   // 1: written once
} CondHdfArray;

enum { COND_HDF_MAX_ARRAY = 8, COND_HDF_LOCATION = 128 };

// Offsets of a frame in the arrays; numbers of points, cells and corners of each part.
enum { COND_HDF_N_OFFSET = 5, COND_HDF_N_COUNT = 3 };

typedef struct CondHdfGrid {
    const char* name;
    int moving; // 1: its cells are new in each frame
    int n_array;
    const CondHdfArray* array;
    int all_digits;  // 1: real numbers have 64 bits in the file, else 32
    int compression; // 0 to 9
    CondHdfSeries points, values;
    CondHdfSeries data[COND_HDF_MAX_ARRAY], data_offset[COND_HDF_MAX_ARRAY]; // (n_array)
    CondHdfSeries offset[COND_HDF_N_OFFSET], count[COND_HDF_N_COUNT];
    CondHdfSeries corner, corner_end, type; // of a moving grid
} CondHdfGrid;

// Creates the groups and the empty datasets; 0 on success. index is that of the grid in the
// collection; n_point and n_cell are typical numbers of a frame.
int cond_hdf_grid_add(CondHdfFile* file, CondHdfGrid* grid, int index, int n_point, int n_cell);
// Writes the offsets of frame i; 0 on success.
int cond_hdf_grid_put(CondHdfGrid* grid, int i, double time, int64_t points_before,
                      int64_t cells_before, int64_t corners_before, int64_t part);
void cond_hdf_grid_close(CondHdfGrid* grid);

// One frame of the grid for an .xdmf file, without its cells. location and array are scratch that
// the result points to                                             (n_array + 1), (n_array)
CondXdmfGrid cond_hdf_grid_xdmf(const CondHdfGrid* grid, int64_t n_point, int64_t n_cell,
                                int64_t point_first, int64_t cell_first,
                                char (*location)[COND_HDF_LOCATION], CondXdmfArray* array);

#endif
