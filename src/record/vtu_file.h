// One VTK file of an unstructured grid with raw appended data.
#ifndef COND_RECORD_VTU_FILE_H
#define COND_RECORD_VTU_FILE_H

#include "mesh_file/mesh_write.h"

typedef enum CondVtuType { COND_VTU_DOUBLE = 0, COND_VTU_INT = 1, COND_VTU_BYTE = 2 } CondVtuType;

typedef struct CondVtuArray {
    const char* name;
    CondVtuType type;
    int components;
    const void* data; // (tuples x components)
} CondVtuArray;

typedef struct CondVtuGrid {
    int n_point, n_cell, n_corner;
    const double* point;   //                                                (n_point x 3)
    const int* corner;     // points of the cells                            (n_corner)
    const int* corner_end; // one past the last corner of a cell             (n_cell)
    const uint8_t* type;   // VTK's numbers                                  (n_cell)
    int n_field, n_point_data, n_cell_data;
    const CondVtuArray* field;      // one tuple each                         (n_field)
    const CondVtuArray* point_data; // n_point tuples each                    (n_point_data)
    const CondVtuArray* cell_data;  // n_cell tuples each                     (n_cell_data)
} CondVtuGrid;

// Creates a file as two consecutive texts; both are overwritten. If memory runs out, `failed` is
// set in one of them.
void cond_vtu_make(const CondVtuGrid* grid, CondMeshText* head, CondMeshText* data);

#endif
