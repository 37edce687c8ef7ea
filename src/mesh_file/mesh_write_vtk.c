// VTK's legacy format (4.2, binary is big-endian) and its XML format.
#include "base/memory.h"
#include "mesh_file/mesh_cells.h"
#include "mesh_file/mesh_write.h"

#include <string.h>
#include <zlib.h>

static int type_of(const CondMeshElements* elements)
{
    return elements->corners == 4 ? COND_VTK_TETRAHEDRON : COND_VTK_TRIANGLE;
}

static int little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char*)&one == 1;
}

static void add_big32(CondMeshText* text, int32_t value)
{
    if (little_endian())
        cond_bytes_swap(&value, 1, sizeof value);
    cond_mesh_text_int32(text, value);
}

static void add_big_double(CondMeshText* text, double value)
{
    if (little_endian())
        cond_bytes_swap(&value, 1, sizeof value);
    cond_mesh_text_bytes(text, &value, sizeof value);
}

void cond_mesh_write_vtk(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings)
{
    int ascii = settings->encoding == COND_MESH_ASCII;
    CondMeshElements elements = cond_mesh_elements(mesh);
    cond_mesh_text_add(text,
                       "# vtk DataFile Version 4.2\nmesh [m]\n%s\nDATASET UNSTRUCTURED_GRID\n",
                       ascii ? "ASCII" : "BINARY");
    cond_mesh_text_add(text, "POINTS %d double\n", mesh->n_node);
    for (size_t i = 0; i < 3 * (size_t)mesh->n_node; i++) {
        if (ascii)
            cond_mesh_text_add(text, "%.17g%c", mesh->node[i], i % 3 == 2 ? '\n' : ' ');
        else
            add_big_double(text, mesh->node[i]);
    }
    cond_mesh_text_add(text, "\nCELLS %d %lld\n", elements.n,
                       (long long)elements.n * (elements.corners + 1));
    for (int i = 0; i < elements.n; i++) {
        const int* node = elements.node + (size_t)elements.corners * (size_t)i;
        if (ascii)
            cond_mesh_text_add(text, "%d", elements.corners);
        else
            add_big32(text, elements.corners);
        for (int k = 0; k < elements.corners; k++) {
            if (ascii)
                cond_mesh_text_add(text, " %d", node[k]);
            else
                add_big32(text, node[k]);
        }
        if (ascii)
            cond_mesh_text_add(text, "\n");
    }
    cond_mesh_text_add(text, "\nCELL_TYPES %d\n", elements.n);
    for (int i = 0; i < elements.n; i++) {
        if (ascii)
            cond_mesh_text_add(text, "%d\n", type_of(&elements));
        else
            add_big32(text, type_of(&elements));
    }
    cond_mesh_text_add(text, "\n");
}

// One array of a .vtu file.
typedef struct Array {
    const char* name;
    const char* type;
    int components; // 0: not said
    const void* data;
    size_t count, size; // numbers, and bytes of each
} Array;

// The array as it stands in a binary file: its size and its bytes; or, compressed in one block,
// 1, the size, 0 (the block is full), the compressed size and the compressed bytes. *head is how
// many bytes come before the data.
static void pack(CondMeshText* out, const Array* array, int compress, size_t* head)
{
    size_t bytes = array->count * array->size;
    if (!compress) {
        cond_mesh_text_int64(out, (int64_t)bytes);
        *head = out->size;
        cond_mesh_text_bytes(out, array->data, bytes);
        return;
    }
    uLongf packed = compressBound((uLong)bytes);
    Bytef* block = cond_allocate(&out->context, packed, 1);
    if (!block || compress2(block, &packed, array->data, (uLong)bytes, 6) != Z_OK) {
        out->failed = 1;
    } else {
        cond_mesh_text_int64(out, 1);
        cond_mesh_text_int64(out, (int64_t)bytes);
        cond_mesh_text_int64(out, 0);
        cond_mesh_text_int64(out, (int64_t)packed);
        *head = out->size;
        cond_mesh_text_bytes(out, block, packed);
    }
    cond_release(&out->context, block);
}

static void write_numbers(CondMeshText* text, const Array* array)
{
    for (size_t i = 0; i < array->count; i++) {
        char after = array->components == 3 && i % 3 < 2 ? ' ' : '\n';
        if (array->size == 8)
            cond_mesh_text_add(text, "%.17g%c", ((const double*)array->data)[i], after);
        else if (array->size == 4)
            cond_mesh_text_add(text, "%d%c", (int)((const int32_t*)array->data)[i], after);
        else
            cond_mesh_text_add(text, "%d%c", ((const uint8_t*)array->data)[i], after);
    }
}

// The tag of an array, with its numbers inside or, raw, in appended.
static void write_array(CondMeshText* text, const Array* array,
                        const CondMeshWriteSettings* settings, CondMeshText* appended)
{
    static const char* const format[] = {"appended", "ascii", "binary"};
    cond_mesh_text_add(text, "<DataArray type=\"%s\" Name=\"%s\" ", array->type, array->name);
    if (array->components)
        cond_mesh_text_add(text, "NumberOfComponents=\"%d\" ", array->components);
    cond_mesh_text_add(text, "format=\"%s\"", format[settings->encoding]);
    size_t head = 0;
    if (settings->encoding == COND_MESH_BINARY) {
        cond_mesh_text_add(text, " offset=\"%zu\"/>\n", appended->size);
        pack(appended, array, settings->compress, &head);
        text->failed |= appended->failed;
        return;
    }
    cond_mesh_text_add(text, ">\n");
    if (settings->encoding == COND_MESH_ASCII) {
        write_numbers(text, array);
    } else {
        CondMeshText bytes = {.context = text->context};
        pack(&bytes, array, settings->compress, &head);
        text->failed |= bytes.failed;
        if (!bytes.failed) { // VTK encodes what stands before compressed data apart
            size_t first = settings->compress ? head : bytes.size;
            cond_mesh_text_base64(text, bytes.data, first);
            cond_mesh_text_base64(text, bytes.data + first, bytes.size - first);
            cond_mesh_text_add(text, "\n");
        }
        cond_release(&bytes.context, bytes.data);
    }
    cond_mesh_text_add(text, "</DataArray>\n");
}

void cond_mesh_write_vtu(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings)
{
    CondMeshElements elements = cond_mesh_elements(mesh);
    CondMeshText appended = {.context = text->context};
    size_t n = (size_t)elements.n, corners = (size_t)elements.corners;
    int32_t* offset = cond_allocate(&text->context, n, sizeof *offset);
    uint8_t* type = cond_allocate(&text->context, n, sizeof *type);
    if (offset && type) {
        for (int i = 0; i < elements.n; i++) {
            offset[i] = elements.corners * (i + 1);
            type[i] = (uint8_t)type_of(&elements);
        }
        const Array points = {"Points", "Float64", 3, mesh->node, 3 * (size_t)mesh->n_node, 8};
        const Array cells[3] = {
            {"connectivity", "Int32", 0, elements.node, n * corners, sizeof *elements.node},
            {"offsets", "Int32", 0, offset, n, sizeof *offset},
            {"types", "UInt8", 0, type, n, sizeof *type},
        };
        cond_mesh_text_add(text,
                           "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" "
                           "version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\"%s>\n",
                           little_endian() ? "LittleEndian" : "BigEndian",
                           settings->compress ? " compressor=\"vtkZLibDataCompressor\"" : "");
        cond_mesh_text_add(text,
                           "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" "
                           "NumberOfCells=\"%d\">\n<Points>\n",
                           mesh->n_node, elements.n);
        write_array(text, &points, settings, &appended);
        cond_mesh_text_add(text, "</Points>\n<Cells>\n");
        for (int k = 0; k < 3; k++)
            write_array(text, &cells[k], settings, &appended);
        cond_mesh_text_add(text, "</Cells>\n</Piece>\n</UnstructuredGrid>\n");
        if (settings->encoding == COND_MESH_BINARY) {
            cond_mesh_text_add(text, "<AppendedData encoding=\"raw\">\n_");
            cond_mesh_text_bytes(text, appended.data, appended.size);
            cond_mesh_text_add(text, "\n</AppendedData>\n");
        }
        cond_mesh_text_add(text, "</VTKFile>\n");
    } else {
        text->failed = 1;
    }
    cond_release(&text->context, offset);
    cond_release(&text->context, type);
    cond_release(&text->context, appended.data);
}
