// Surfaces: Wavefront .obj, and .stl as text and binary.
#include "mesh_file/mesh_file.h"
#include "mesh_file/mesh_write.h"

#include <math.h>
#include <string.h>

void cond_mesh_write_obj(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings)
{
    (void)settings; // the format is text
    for (int i = 0; i < mesh->n_node; i++) {
        const double* p = mesh->node + 3 * (size_t)i;
        cond_mesh_text_add(text, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    for (int i = 0; i < mesh->n_triangle; i++) {
        const int* node = mesh->triangle + 3 * (size_t)i;
        cond_mesh_text_add(text, "f %d %d %d\n", node[0] + 1, node[1] + 1, node[2] + 1);
    }
}

// The normal and the corners of a triangle, as both kinds of .stl list them.
static void gather(const CondMesh* mesh, int i, double value[12])
{
    const int* node = mesh->triangle + 3 * (size_t)i;
    for (int k = 0; k < 9; k++)
        value[3 + k] = mesh->node[3 * (size_t)node[k / 3] + k % 3];
    // Edges of half their length, measured by the longest component: no coordinates are so large or
    // small that the normal would be lost.
    const double *p = value + 3, *q = value + 6, *r = value + 9;
    double e[3], f[3], longest = 0.0;
    for (int k = 0; k < 3; k++) {
        e[k] = 0.5 * q[k] - 0.5 * p[k];
        f[k] = 0.5 * r[k] - 0.5 * p[k];
        longest = fmax(longest, fmax(fabs(e[k]), fabs(f[k])));
    }
    for (int k = 0; k < 3 && longest > 0.0; k++) {
        e[k] /= longest;
        f[k] /= longest;
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        value[k] = e[a] * f[b] - e[b] * f[a];
    }
    double norm = sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
    for (int k = 0; k < 3; k++)
        value[k] = norm > 0.0 ? value[k] / norm : 0.0;
}

static void write_binary(CondMeshText* text, const CondMesh* mesh)
{
    static const char title[80] = "binary surface [m]"; // must not begin with the word solid
    const uint16_t one = 1;
    int swap = *(const unsigned char*)&one != 1; // the file is little-endian
    uint32_t count = (uint32_t)mesh->n_triangle;
    if (swap)
        cond_bytes_swap(&count, 1, sizeof count);
    cond_mesh_text_bytes(text, title, sizeof title);
    cond_mesh_text_bytes(text, &count, sizeof count);
    for (int i = 0; i < mesh->n_triangle; i++) {
        double value[12];
        float narrow[12];
        gather(mesh, i, value);
        for (int k = 0; k < 12; k++)
            narrow[k] = (float)value[k];
        if (swap)
            cond_bytes_swap(narrow, 12, sizeof narrow[0]);
        cond_mesh_text_bytes(text, narrow, sizeof narrow);
        cond_mesh_text_bytes(text, "\0\0", 2);
    }
}

void cond_mesh_write_stl(CondMeshText* text, const CondMesh* mesh,
                         const CondMeshWriteSettings* settings)
{
    if (settings->encoding != COND_MESH_ASCII) {
        write_binary(text, mesh);
        return;
    }
    cond_mesh_text_add(text, "solid surface\n");
    for (int i = 0; i < mesh->n_triangle; i++) {
        double value[12];
        gather(mesh, i, value);
        cond_mesh_text_add(text, "facet normal %.9g %.9g %.9g\nouter loop\n", value[0], value[1],
                           value[2]);
        for (int k = 1; k < 4; k++)
            cond_mesh_text_add(text, "vertex %.17g %.17g %.17g\n", value[3 * k], value[3 * k + 1],
                               value[3 * k + 2]);
        cond_mesh_text_add(text, "endloop\nendfacet\n");
    }
    cond_mesh_text_add(text, "endsolid surface\n");
}
