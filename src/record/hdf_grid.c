// Writes one VTKHDF grid over time (hdf_grid.h).
#include "record/hdf_grid.h"

#include <stdio.h>

// Where a frame begins in the arrays of a grid.
enum { OF_PARTS, N_PARTS, OF_POINTS, OF_CELLS, OF_CORNERS, N_OFFSET };
_Static_assert((int)N_OFFSET == (int)COND_HDF_N_OFFSET, "one series per offset");
static const char* const offset_name[N_OFFSET] = {"PartOffsets", "NumberOfParts", "PointOffsets",
                                                  "CellOffsets", "ConnectivityIdOffsets"};

// The numbers of points, cells and corners of each part; then the cells themselves.
enum { COUNT_POINTS, COUNT_CELLS, COUNT_CORNERS, N_COUNT };
_Static_assert((int)N_COUNT == (int)COND_HDF_N_COUNT, "one series per count");
static const char* const count_name[N_COUNT] = {"NumberOfPoints", "NumberOfCells",
                                                "NumberOfConnectivityIds"};

static hid_t real_type(const CondHdfGrid* grid)
{
    return grid->all_digits ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

static int add_series(CondHdfFile* file, const CondHdfGrid* grid, const char* group,
                      const char* name, hid_t file_type, hid_t memory_type, int columns, int block,
                      CondHdfSeries* series)
{
    return cond_hdf_add_columns(file, group, name, file_type, memory_type, columns, block,
                                grid->compression, series);
}

static int add_whole(CondHdfFile* file, const CondHdfGrid* grid, const char* group,
                     const char* name, CondHdfSeries* series)
{
    return add_series(file, grid, group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 1, series);
}

static int add_array(CondHdfFile* file, const CondHdfGrid* grid, int k, int block,
                     CondHdfSeries* data, CondHdfSeries* offset)
{
    const CondHdfArray* array = &grid->array[k];
    char group[COND_HDF_LOCATION];
    snprintf(group, sizeof group, "/VTKHDF/%s/%sData", grid->name, array->cell ? "Cell" : "Point");
    int failed = add_series(
        file, grid, group, array->name, array->integer ? H5T_STD_I32LE : real_type(grid),
        array->integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, array->columns, block, data);
    snprintf(group, sizeof group, "/VTKHDF/%s/Steps/%sDataOffsets", grid->name,
             array->cell ? "Cell" : "Point");
    return failed || add_whole(file, grid, group, array->name, offset);
}

int cond_hdf_grid_add(CondHdfFile* file, CondHdfGrid* grid, int index, int n_point, int n_cell)
{
    static const char* const parts[] = {"",
                                        "/PointData",
                                        "/CellData",
                                        "/Steps",
                                        "/Steps/PointDataOffsets",
                                        "/Steps/CellDataOffsets"};
    static const int version[2] = {2, 1}, zero = 0;
    char root[COND_HDF_LOCATION], steps[COND_HDF_LOCATION + 8], link[COND_HDF_LOCATION];
    int failed = 0;
    snprintf(root, sizeof root, "/VTKHDF/%s", grid->name);
    snprintf(steps, sizeof steps, "%s/Steps", root);
    snprintf(link, sizeof link, "/VTKHDF/Assembly/%s", grid->name);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char group[2 * COND_HDF_LOCATION];
        snprintf(group, sizeof group, "%s%s", root, parts[k]);
        failed |= cond_hdf_add_group(file, group, 0);
    }
    failed |= cond_hdf_set_ints(file, root, "Version", 2, version) ||
              cond_hdf_set_text(file, root, "Type", "UnstructuredGrid") ||
              cond_hdf_set_ints(file, root, "Index", 1, &index) ||
              cond_hdf_set_ints(file, steps, "NSteps", 1, &zero) ||
              cond_hdf_add_link(file, root, link) ||
              add_series(file, grid, root, "Points", real_type(grid), H5T_NATIVE_DOUBLE, 3, n_point,
                         &grid->points) ||
              add_series(file, grid, steps, "Values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, 1,
                         &grid->values);
    for (int k = 0; k < N_OFFSET && !failed; k++)
        failed = add_whole(file, grid, steps, offset_name[k], &grid->offset[k]);
    for (int k = 0; k < N_COUNT && !failed; k++)
        failed = add_whole(file, grid, root, count_name[k], &grid->count[k]);
    for (int k = 0; k < grid->n_array && !failed; k++)
        failed = add_array(file, grid, k, grid->array[k].cell ? n_cell : n_point, &grid->data[k],
                           &grid->data_offset[k]);
    if (!failed && grid->moving)
        failed = add_whole(file, grid, root, "Connectivity", &grid->corner) ||
                 add_whole(file, grid, root, "Offsets", &grid->corner_end) ||
                 add_series(file, grid, root, "Types", H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, 1,
                            &grid->type);
    return failed;
}

int cond_hdf_grid_put(CondHdfGrid* grid, int i, double time, int64_t points_before,
                      int64_t cells_before, int64_t corners_before, int64_t part)
{
    const int64_t value[N_OFFSET] = {part, 1, points_before, grid->moving ? cells_before : 0,
                                     corners_before};
    int failed = cond_hdf_put(&grid->values, i, 1, &time);
    for (int k = 0; k < N_OFFSET && !failed; k++)
        failed = cond_hdf_put(&grid->offset[k], i, 1, &value[k]);
    for (int k = 0; k < grid->n_array && !failed; k++) {
        int64_t before = grid->array[k].fixed  ? 0
                         : grid->array[k].cell ? cells_before
                                               : points_before;
        failed = cond_hdf_put(&grid->data_offset[k], i, 1, &before);
    }
    return failed;
}

CondXdmfGrid cond_hdf_grid_xdmf(const CondHdfGrid* grid, int64_t n_point, int64_t n_cell,
                                int64_t point_first, int64_t cell_first,
                                char (*location)[COND_HDF_LOCATION], CondXdmfArray* array)
{
    int real = grid->all_digits ? 8 : 4;
    for (int k = 0; k < grid->n_array; k++) {
        const CondHdfArray* a = &grid->array[k];
        snprintf(location[k], COND_HDF_LOCATION, "/VTKHDF/%s/%sData/%s", grid->name,
                 a->cell ? "Cell" : "Point", a->name);
        array[k] = (CondXdmfArray){.name = a->name,
                                   .location = location[k],
                                   .type = a->integer ? "Int" : "Float",
                                   .size = a->integer ? 4 : real,
                                   .columns = a->columns,
                                   .cell = a->cell,
                                   .fixed = a->fixed,
                                   .first = a->fixed  ? 0
                                            : a->cell ? cell_first
                                                      : point_first};
    }
    snprintf(location[grid->n_array], COND_HDF_LOCATION, "/VTKHDF/%s/Points", grid->name);
    return (CondXdmfGrid){
        .name = grid->name,
        .n_point = n_point,
        .n_cell = n_cell,
        .point = {"", location[grid->n_array], "Float", real, 3, 0, 0, point_first},
        .n_array = grid->n_array,
        .array = array};
}

void cond_hdf_grid_close(CondHdfGrid* grid)
{
    CondHdfSeries* single[] = {&grid->points, &grid->values, &grid->corner, &grid->corner_end,
                               &grid->type};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++)
        cond_hdf_close_series(single[k], 1);
    cond_hdf_close_series(grid->data, COND_HDF_MAX_ARRAY);
    cond_hdf_close_series(grid->data_offset, COND_HDF_MAX_ARRAY);
    cond_hdf_close_series(grid->offset, N_OFFSET);
    cond_hdf_close_series(grid->count, N_COUNT);
}
