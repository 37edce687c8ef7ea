// Gmsh's own format, versions 2.2 and 4.1. All nodes and elements belong to one entity, number 1.
#include "mesh_file/mesh_write.h"

#include <string.h>

// Gmsh's element types.
static int type_of(const CondMeshElements* elements)
{
    return elements->corners == 4 ? 4 : 2;
}

static void write_nodes_22(CondMeshText* text, const CondMesh* mesh, int ascii)
{
    cond_mesh_text_add(text, "$Nodes\n%d\n", mesh->n_node);
    for (int i = 0; i < mesh->n_node; i++) {
        const double* p = mesh->node + 3 * (size_t)i;
        if (ascii) {
            cond_mesh_text_add(text, "%d %.17g %.17g %.17g\n", i + 1, p[0], p[1], p[2]);
        } else {
            cond_mesh_text_int32(text, i + 1);
            cond_mesh_text_bytes(text, p, 3 * sizeof *p);
        }
    }
    cond_mesh_text_add(text, ascii ? "$EndNodes\n" : "\n$EndNodes\n");
}

// Two tags per element, physical and elementary entity, as gmsh itself writes them.
static void write_elements_22(CondMeshText* text, const CondMeshElements* elements, int ascii)
{
    cond_mesh_text_add(text, "$Elements\n%d\n", elements->n);
    if (!ascii && elements->n) {
        cond_mesh_text_int32(text, type_of(elements));
        cond_mesh_text_int32(text, elements->n);
        cond_mesh_text_int32(text, 2);
    }
    for (int i = 0; i < elements->n; i++) {
        const int* node = elements->node + (size_t)elements->corners * (size_t)i;
        if (ascii) {
            cond_mesh_text_add(text, "%d %d 2 1 1", i + 1, type_of(elements));
            for (int k = 0; k < elements->corners; k++)
                cond_mesh_text_add(text, " %d", node[k] + 1);
            cond_mesh_text_add(text, "\n");
        } else {
            cond_mesh_text_int32(text, i + 1);
            cond_mesh_text_int32(text, 1);
            cond_mesh_text_int32(text, 1);
            for (int k = 0; k < elements->corners; k++)
                cond_mesh_text_int32(text, node[k] + 1);
        }
    }
    cond_mesh_text_add(text, ascii ? "$EndElements\n" : "\n$EndElements\n");
}

// The counts before the blocks, and the head of the only block. In a block of nodes the third
// integer says that they are not parametric, in one of elements it is their type.
static void write_head_41(CondMeshText* text, int n, int dimension, int third, int ascii)
{
    int blocks = n > 0;
    if (ascii) {
        cond_mesh_text_add(text, "%d %d %d %d\n", blocks, n, blocks, n);
        if (blocks)
            cond_mesh_text_add(text, "%d 1 %d %d\n", dimension, third, n);
        return;
    }
    cond_mesh_text_int64(text, blocks);
    cond_mesh_text_int64(text, n);
    cond_mesh_text_int64(text, blocks);
    cond_mesh_text_int64(text, n);
    if (blocks) {
        cond_mesh_text_int32(text, dimension);
        cond_mesh_text_int32(text, 1);
        cond_mesh_text_int32(text, third);
        cond_mesh_text_int64(text, n);
    }
}

static void write_nodes_41(CondMeshText* text, const CondMesh* mesh, int dimension, int ascii)
{
    cond_mesh_text_add(text, "$Nodes\n");
    write_head_41(text, mesh->n_node, dimension, 0, ascii);
    for (int i = 0; i < mesh->n_node; i++) {
        if (ascii)
            cond_mesh_text_add(text, "%d\n", i + 1);
        else
            cond_mesh_text_int64(text, i + 1);
    }
    if (!ascii)
        cond_mesh_text_bytes(text, mesh->node, 3 * (size_t)mesh->n_node * sizeof *mesh->node);
    for (int i = 0; ascii && i < mesh->n_node; i++) {
        const double* p = mesh->node + 3 * (size_t)i;
        cond_mesh_text_add(text, "%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    cond_mesh_text_add(text, ascii ? "$EndNodes\n" : "\n$EndNodes\n");
}

static void write_elements_41(CondMeshText* text, const CondMeshElements* elements, int ascii)
{
    cond_mesh_text_add(text, "$Elements\n");
    write_head_41(text, elements->n, elements->corners - 1, type_of(elements), ascii);
    for (int i = 0; i < elements->n; i++) {
        const int* node = elements->node + (size_t)elements->corners * (size_t)i;
        if (ascii)
            cond_mesh_text_add(text, "%d", i + 1);
        else
            cond_mesh_text_int64(text, i + 1);
        for (int k = 0; k < elements->corners; k++) {
            if (ascii)
                cond_mesh_text_add(text, " %d", node[k] + 1);
            else
                cond_mesh_text_int64(text, node[k] + 1);
        }
        if (ascii)
            cond_mesh_text_add(text, "\n");
    }
    cond_mesh_text_add(text, ascii ? "$EndElements\n" : "\n$EndElements\n");
}

void cond_mesh_write_gmsh(CondMeshText* text, const CondMesh* mesh,
                          const CondMeshWriteSettings* settings)
{
    int ascii = settings->encoding == COND_MESH_ASCII;
    CondMeshElements elements = cond_mesh_elements(mesh);
    cond_mesh_text_add(text, "$MeshFormat\n%s %d 8\n", settings->gmsh_version == 22 ? "2.2" : "4.1",
                       !ascii);
    if (!ascii) {
        cond_mesh_text_int32(text, 1); // tells the byte order
        cond_mesh_text_add(text, "\n");
    }
    cond_mesh_text_add(text, "$EndMeshFormat\n");
    if (settings->gmsh_version == 22) {
        write_nodes_22(text, mesh, ascii);
        write_elements_22(text, &elements, ascii);
    } else {
        write_nodes_41(text, mesh, elements.corners - 1, ascii);
        write_elements_41(text, &elements, ascii);
    }
}
