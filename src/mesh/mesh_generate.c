// Meshes made by rule: box, mat and cylinder.
#include "base/error.h"
#include "mesh/mesh_build.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static CondStatus check_lengths(const char* shape, const double* size, int n, CondError* error)
{
    for (int k = 0; k < n; k++)
        if (!(size[k] > 0.0) || isinf(size[k]))
            return cond_error_set(error, COND_BAD_ARGUMENT, "%s: the size %g is not positive",
                                  shape, size[k]);
    return COND_OK;
}

// The mesh with room for that many nodes and tetrahedra, which may be too many to count.
static CondStatus create(const CondContext* context, const char* shape, double n_node, double n_tet,
                         CondMesh** mesh, CondError* error)
{
    if (n_node > INT_MAX || n_tet > INT_MAX / 4)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "%s: %.3g nodes and %.3g tetrahedra are too many", shape, n_node,
                              n_tet);
    return cond_mesh_create(context, (int)n_node, (int)n_tet, 0, mesh, error);
}

// Orients the tetrahedra and makes the surface; the mesh is released when that fails.
static CondStatus finish(CondMesh** mesh, CondError* error)
{
    int turned;
    CondStatus status = cond_mesh_orient(*mesh, &turned, error);
    if (status != COND_OK) {
        cond_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

// Corner c of a cell has the bits of c as its coordinates: x is bit 0, y bit 1, z bit 2.
// Five: the corners 0, 3, 5, 6 with an even number of bits span the inner tetrahedron.
static const int five[5][4] = {
    {0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 3, 6, 5}};
// Six: the paths from corner 0 to corner 7 along the edges, one per order of the axes (Kuhn).
static const int six[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                              {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

CondStatus cond_mesh_box(const CondContext* context, const int n[3], const double size[3],
                         CondMeshPattern pattern, CondMesh** mesh, CondError* error)
{
    *mesh = NULL;
    if (n[0] < 1 || n[1] < 1 || n[2] < 1)
        return cond_error_set(error, COND_BAD_ARGUMENT, "box: %d x %d x %d cells make no mesh",
                              n[0], n[1], n[2]);
    int per_cell = pattern == COND_MESH_FIVE ? 5 : 6;
    const int(*cut)[4] = pattern == COND_MESH_FIVE ? five : six;
    CondStatus status = check_lengths("box", size, 3, error);
    if (status == COND_OK)
        status = create(context, "box", (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0),
                        (double)per_cell * n[0] * n[1] * n[2], mesh, error);
    if (status != COND_OK)
        return status;
    double* node = (*mesh)->node;
    int* tet = (*mesh)->tet;
    for (int z = 0; z <= n[2]; z++) {
        for (int y = 0; y <= n[1]; y++) {
            for (int x = 0; x <= n[0]; x++) {
                *node++ = size[0] * ((double)x / n[0] - 0.5);
                *node++ = size[1] * ((double)y / n[1] - 0.5);
                *node++ = size[2] * ((double)z / n[2] - 0.5);
            }
        }
    }
    for (int z = 0; z < n[2]; z++) {
        for (int y = 0; y < n[1]; y++) {
            for (int x = 0; x < n[0]; x++) {
                // Mirrored in each axis along which the cell has an odd number.
                int mirror = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
                for (int i = 0; i < 4 * per_cell; i++) {
                    int corner = cut[i / 4][i % 4] ^ mirror;
                    int cx = x + (corner & 1), cy = y + (corner >> 1 & 1), cz = z + (corner >> 2);
                    *tet++ = cx + (n[0] + 1) * (cy + (n[1] + 1) * cz);
                }
            }
        }
    }
    return finish(mesh, error);
}

CondStatus cond_mesh_mat(const CondContext* context, int n_x, int n_y, int layers,
                         const double size[3], CondMesh** mesh, CondError* error)
{
    *mesh = NULL;
    if (n_x < 2 || n_y < 2 || layers < 2)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "mat: %d x %d nodes in %d layers; each must be at least 2", n_x, n_y,
                              layers);
    int n[3] = {n_x - 1, n_y - 1, layers - 1};
    return cond_mesh_box(context, n, size, COND_MESH_SIX, mesh, error);
}

CondStatus cond_mesh_sheet(const CondContext* context, int n_x, int n_y, const double size[2],
                           CondMesh** mesh, CondError* error)
{
    *mesh = NULL;
    if (n_x < 2 || n_y < 2)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "sheet: %d x %d nodes; each must be at least 2", n_x, n_y);
    CondStatus status = check_lengths("sheet", size, 2, error);
    double cells = (n_x - 1.0) * (n_y - 1.0);
    if (!status && (double)n_x * n_y > INT_MAX / 12)
        status =
            cond_error_set(error, COND_BAD_ARGUMENT, "sheet: %d x %d nodes are too many", n_x, n_y);
    if (!status)
        status = cond_mesh_create(context, n_x * n_y, 0, 2 * (int)cells, mesh, error);
    for (int j = 0; j < n_y && !status; j++)
        for (int i = 0; i < n_x; i++) {
            int a = i + n_x * j, b = a + 1, d = a + n_x, c = d + 1;
            double* x = (*mesh)->node + 3 * (size_t)a;
            x[0] = size[0] * ((double)i / (n_x - 1) - 0.5);
            x[1] = size[1] * ((double)j / (n_y - 1) - 0.5);
            x[2] = 0.0;
            if (i + 1 == n_x || j + 1 == n_y)
                continue;
            int* out = (*mesh)->triangle + 6 * ((size_t)i + (size_t)(n_x - 1) * (size_t)j);
            const int corner[6] = {a, b, d, b, c, d};
            memcpy(out, corner, sizeof corner);
        }
    return status;
}

// Node `step` of sector `sector` (of six) on ring `ring` of a disc; ring 0 is the axis.
static int disc_node(int ring, int sector, int step)
{
    if (ring == 0)
        return 0;
    return 1 + 3 * ring * (ring - 1) + (sector * ring + step) % (6 * ring);
}

CondStatus cond_mesh_disc(const CondContext* context, double radius, int rings, CondMesh** mesh,
                          CondError* error)
{
    const double two_pi = 6.283185307179586;
    *mesh = NULL;
    if (rings < 1)
        return cond_error_set(error, COND_BAD_ARGUMENT, "disc: %d rings; there must be one", rings);
    if (3.0 * rings * (rings + 1.0) > INT_MAX / 12)
        return cond_error_set(error, COND_BAD_ARGUMENT, "disc: %d rings are too many", rings);
    CondStatus status = check_lengths("disc", &radius, 1, error);
    if (!status)
        status = cond_mesh_create(context, 1 + 3 * rings * (rings + 1), 0, 6 * rings * rings, mesh,
                                  error);
    for (int r = 1, n = 0; r <= rings && !status; r++)
        for (int sector = 0; sector < 6; sector++)
            for (int k = 0; k < r; k++) {
                double angle = two_pi * (sector * r + k) / (6.0 * r);
                int a = disc_node(r, sector, k), b = disc_node(r, sector, k + 1);
                int c = disc_node(r - 1, sector, k), before = disc_node(r - 1, sector, k - 1);
                double* x = (*mesh)->node + 3 * (size_t)a;
                x[0] = radius * r / rings * cos(angle);
                x[1] = radius * r / rings * sin(angle);
                int* out = (*mesh)->triangle + 3 * (size_t)n++;
                out[0] = c;
                out[1] = a;
                out[2] = b;
                if (k == 0)
                    continue;
                out = (*mesh)->triangle + 3 * (size_t)n++;
                out[0] = before;
                out[1] = a;
                out[2] = c;
            }
    return status;
}

// A prism on the triangle (a, b, c) of one layer, in three tetrahedra. Each of its upright faces is
// cut from the lower node with the smaller number to the upper node with the larger, which is the
// same seen from either side.
static int* cut_prism(int a, int b, int c, int below, int per_layer, int* tet)
{
    int v[3] = {a, b, c};
    for (int pass = 0; pass < 3; pass++) {
        int k = pass % 2;
        if (v[k] > v[k + 1]) {
            int kept = v[k];
            v[k] = v[k + 1];
            v[k + 1] = kept;
        }
    }
    for (int k = 0; k < 3; k++)
        v[k] += below;
    for (int k = 2; k >= 0; k--) { // (v0 .. vk, vk' .. v2')
        for (int i = 0; i <= k; i++)
            *tet++ = v[i];
        for (int i = k; i < 3; i++)
            *tet++ = v[i] + per_layer;
    }
    return tet;
}

CondStatus cond_mesh_cylinder(const CondContext* context, double radius, double height, int rings,
                              int layers, CondMesh** mesh, CondError* error)
{
    *mesh = NULL;
    const double size[2] = {radius, height};
    if (rings < 1 || layers < 1)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "cylinder: %d rings and %d layers make no mesh", rings, layers);
    CondStatus status = check_lengths("cylinder", size, 2, error);
    double per_disc = 1.0 + 3.0 * rings * (rings + 1.0);
    if (status == COND_OK)
        status = create(context, "cylinder", per_disc * (layers + 1.0),
                        6.0 * 3.0 * rings * rings * layers, mesh, error);
    if (status != COND_OK)
        return status;
    double* node = (*mesh)->node;
    int* tet = (*mesh)->tet;
    int per_layer = (int)per_disc;
    for (int layer = 0; layer <= layers; layer++) {
        for (int ring = 0; ring <= rings; ring++) {
            for (int i = 0; i < (ring ? 6 * ring : 1); i++) {
                double r = radius * ring / rings;
                double angle = ring ? i * (3.141592653589793 / (3.0 * ring)) : 0.0;
                *node++ = r * cos(angle);
                *node++ = r * sin(angle);
                *node++ = height * ((double)layer / layers - 0.5);
            }
        }
    }
    for (int layer = 0; layer < layers; layer++) {
        int below = layer * per_layer;
        for (int ring = 1; ring <= rings; ring++) {
            for (int i = 0; i < 6 * ring; i++) {
                int sector = i / ring, step = i % ring;
                int inner = disc_node(ring - 1, sector, step);
                int outer = disc_node(ring, sector, step), next = disc_node(ring, sector, step + 1);
                tet = cut_prism(inner, outer, next, below, per_layer, tet);
                if (step + 1 < ring)
                    tet = cut_prism(inner, next, disc_node(ring - 1, sector, step + 1), below,
                                    per_layer, tet);
            }
        }
    }
    return finish(mesh, error);
}
