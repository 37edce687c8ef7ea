// Writes one .vtu file (vtu_file.h).
#include "record/vtu_file.h"

static int little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char*)&one == 1;
}

// The tag of an array, and its numbers behind their size in bytes. `more` is what else the tag
// says.
static void put_array(CondMeshText* head, CondMeshText* data, const CondVtuArray* array, int tuples,
                      const char* more)
{
    static const struct {
        const char* name;
        size_t size;
    } types[] = {{"Float64", sizeof(double)}, {"Int32", sizeof(int32_t)}, {"UInt8", 1}};
    _Static_assert(sizeof(int) == sizeof(int32_t), "int is written as Int32");
    size_t bytes = (size_t)tuples * (size_t)array->components * types[array->type].size;
    cond_mesh_text_add(head,
                       "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"%s "
                       "format=\"appended\" offset=\"%zu\"/>\n",
                       types[array->type].name, array->name, array->components, more, data->size);
    cond_mesh_text_int64(data, (int64_t)bytes);
    cond_mesh_text_bytes(data, array->data, bytes);
}

static void put_arrays(CondMeshText* head, CondMeshText* data, const char* tag, int n,
                       const CondVtuArray* array, int tuples, const char* more)
{
    cond_mesh_text_add(head, "<%s>\n", tag);
    for (int k = 0; k < n; k++)
        put_array(head, data, &array[k], tuples, more);
    cond_mesh_text_add(head, "</%s>\n", tag);
}

void cond_vtu_make(const CondVtuGrid* grid, CondMeshText* head, CondMeshText* data)
{
    const CondVtuArray point = {"Points", COND_VTU_DOUBLE, 3, grid->point};
    const CondVtuArray corner = {"connectivity", COND_VTU_INT, 1, grid->corner};
    const CondVtuArray end = {"offsets", COND_VTU_INT, 1, grid->corner_end};
    const CondVtuArray type = {"types", COND_VTU_BYTE, 1, grid->type};
    head->size = data->size = 0;
    head->failed = data->failed = 0;
    cond_mesh_text_add(head,
                       "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" "
                       "version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
                       "<UnstructuredGrid>\n",
                       little_endian() ? "LittleEndian" : "BigEndian");
    put_arrays(head, data, "FieldData", grid->n_field, grid->field, 1, " NumberOfTuples=\"1\"");
    cond_mesh_text_add(head, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", grid->n_point,
                       grid->n_cell);
    put_arrays(head, data, "PointData", grid->n_point_data, grid->point_data, grid->n_point, "");
    put_arrays(head, data, "CellData", grid->n_cell_data, grid->cell_data, grid->n_cell, "");
    put_arrays(head, data, "Points", 1, &point, grid->n_point, "");
    cond_mesh_text_add(head, "<Cells>\n");
    put_array(head, data, &corner, grid->n_corner, "");
    put_array(head, data, &end, grid->n_cell, "");
    put_array(head, data, &type, grid->n_cell, "");
    cond_mesh_text_add(head, "</Cells>\n</Piece>\n</UnstructuredGrid>\n"
                             "<AppendedData encoding=\"raw\">\n_");
    cond_mesh_text_add(data, "\n</AppendedData>\n</VTKFile>\n");
}
