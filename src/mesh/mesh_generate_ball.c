// A ball of concentric icosahedral shells.
//
// The centre and the 20 faces of an icosahedron make 20 nearly regular tetrahedra. Each is cut by
// planes parallel to its faces: the lattice points i a + j b + k c (a, b, c the corners of the
// face, i + j + k = m <= n) are moved along their ray to the sphere of radius R m / n. Between four
// parallel planes lie small tetrahedra of two kinds and octahedra, which are cut around their
// shortest diagonal. Angles so stay near those of the regular solids, whatever n is.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "mesh/mesh_build.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { N_SECTOR = 20 }; // faces of an icosahedron

// Vertices in the order of rising height: a pole, two rings of five, the other pole.
static void make_icosahedron(double vertex[12][3], int face[N_SECTOR][3])
{
    const double z = 1.0 / sqrt(5.0), r = 2.0 / sqrt(5.0), turn = 3.141592653589793 / 5.0;
    for (int i = 0; i < 5; i++) {
        int next = (i + 1) % 5;
        double low = 2 * i * turn, high = (2 * i + 1) * turn;
        double place[2][3] = {{r * cos(low), r * sin(low), -z}, {r * cos(high), r * sin(high), z}};
        for (int k = 0; k < 3; k++) {
            vertex[1 + i][k] = place[0][k];
            vertex[6 + i][k] = place[1][k];
        }
        int made[4][3] = {{0, 1 + i, 1 + next},
                          {1 + i, 1 + next, 6 + i},
                          {6 + i, 6 + next, 1 + next},
                          {6 + i, 6 + next, 11}};
        for (int f = 0; f < 4; f++)
            for (int k = 0; k < 3; k++)
                face[4 * i + f][k] = made[f][k];
    }
    for (int k = 0; k < 3; k++) {
        vertex[0][k] = k == 2 ? -1.0 : 0.0;
        vertex[11][k] = k == 2 ? 1.0 : 0.0;
    }
}

// A lattice point by the vertices it leans on and their weights. Points that two sectors share get
// the same key, because vertices of weight zero are left out and the others put in rising order.
static uint64_t key_of(const int face[3], const int weight[3])
{
    int order[3] = {0, 1, 2};
    for (int pass = 0; pass < 3; pass++) {
        int k = pass % 2;
        if (face[order[k]] > face[order[k + 1]]) {
            int kept = order[k];
            order[k] = order[k + 1];
            order[k + 1] = kept;
        }
    }
    uint64_t key = 0;
    for (int k = 0; k < 3; k++)
        if (weight[order[k]] > 0)
            key = key << 20 | (uint64_t)(face[order[k]] + 1) << 16 | (uint64_t)weight[order[k]];
    return key;
}

typedef struct Lattice {
    int n; // shells
    double radius;
    double vertex[12][3];
    int face[N_SECTOR][3];
    uint64_t* key; // of all nodes but the added ones, rising              (n_key)
    int n_key;
    CondMesh* mesh;
    int n_node, n_tet; // made so far
} Lattice;

static int compare_u64(const void* left, const void* right)
{
    uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
    return (a > b) - (a < b);
}

static int node_of(const Lattice* lattice, int sector, const int weight[3])
{
    uint64_t key = key_of(lattice->face[sector], weight);
    const uint64_t* found =
        bsearch(&key, lattice->key, (size_t)lattice->n_key, sizeof key, compare_u64);
    return (int)(found - lattice->key);
}

static void place_node(const Lattice* lattice, int sector, const int weight[3])
{
    double p[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            p[k] += weight[c] * lattice->vertex[lattice->face[sector][c]][k];
    double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    double mesh_surface = (double)(weight[0] + weight[1] + weight[2]) / lattice->n;
    double* node = lattice->mesh->node + 3 * (size_t)node_of(lattice, sector, weight);
    for (int k = 0; k < 3; k++)
        node[k] = norm > 0.0 ? lattice->radius * mesh_surface * p[k] / norm : 0.0;
}

static void add_tet(Lattice* lattice, int a, int b, int c, int d)
{
    int* tet = lattice->mesh->tet + 4 * (size_t)lattice->n_tet++;
    tet[0] = a;
    tet[1] = b;
    tet[2] = c;
    tet[3] = d;
}

static double distance2(const double* node, int a, int b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = node[3 * (size_t)a + k] - node[3 * (size_t)b + k];
        sum += d * d;
    }
    return sum;
}

// v[i] and v[i + 3] are opposite corners. Around a diagonal there are four tetrahedra; with a node
// at the middle, eight, one on each face.
static void cut_octahedron(Lattice* lattice, const int v[6], int with_node)
{
    double* node = lattice->mesh->node;
    if (with_node) {
        int middle = lattice->n_node++;
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 3; k++)
                node[3 * (size_t)middle + k] += node[3 * (size_t)v[i] + k] / 6.0;
        for (int i = 0; i < 8; i++)
            add_tet(lattice, middle, v[i & 1 ? 0 : 3], v[i & 2 ? 1 : 4], v[i & 4 ? 2 : 5]);
        return;
    }
    int d = 0;
    for (int i = 1; i < 3; i++)
        if (distance2(node, v[i], v[i + 3]) <
            distance2(node, v[d], v[d + 3]) * (1.0 - COND_INPUT_ROUNDING))
            d = i;
    const int ring[4] = {v[(d + 1) % 3], v[(d + 2) % 3], v[(d + 1) % 3 + 3], v[(d + 2) % 3 + 3]};
    for (int i = 0; i < 4; i++)
        add_tet(lattice, v[d], v[d + 3], ring[i], ring[(i + 1) % 4]);
}

// The cells whose lattice corner nearest to the centre is w: one tetrahedron towards each side.
static void cut_cell(Lattice* lattice, int sector, const int w[3], int* extra)
{
    int room = lattice->n - w[0] - w[1] - w[2];
    int at[8]; // node at w + bits
    for (int c = 0; c < 8; c++) {
        int p[3] = {w[0] + (c & 1), w[1] + (c >> 1 & 1), w[2] + (c >> 2)};
        int steps = (c & 1) + (c >> 1 & 1) + (c >> 2);
        at[c] = steps <= room ? node_of(lattice, sector, p) : -1;
    }
    if (room >= 1)
        add_tet(lattice, at[0], at[1], at[2], at[4]);
    if (room >= 2) {
        const int v[6] = {at[1], at[2], at[4], at[6], at[5], at[3]};
        cut_octahedron(lattice, v, *extra > 0);
        --*extra;
    }
    if (room >= 3)
        add_tet(lattice, at[3], at[5], at[6], at[7]);
}

// Goes through the lattice points of a sector, shell by shell from the centre, and places their
// nodes (extra = NULL) or cuts their cells.
static void walk(Lattice* lattice, int sector, int* extra)
{
    for (int m = 0; m <= lattice->n; m++) {
        for (int i = 0; i <= m; i++) {
            for (int j = 0; j <= m - i; j++) {
                int weight[3] = {i, j, m - i - j};
                if (extra)
                    cut_cell(lattice, sector, weight, extra);
                else
                    place_node(lattice, sector, weight);
            }
        }
    }
}

// All keys, each once, in rising order.
static void make_keys(Lattice* lattice)
{
    int n = 0;
    for (int sector = 0; sector < N_SECTOR; sector++) {
        for (int i = 0; i <= lattice->n; i++) {
            for (int j = 0; j <= lattice->n - i; j++) {
                for (int k = 0; k <= lattice->n - i - j; k++) {
                    int weight[3] = {i, j, k};
                    lattice->key[n++] = key_of(lattice->face[sector], weight);
                }
            }
        }
    }
    qsort(lattice->key, (size_t)n, sizeof *lattice->key, compare_u64);
    for (int i = 0; i < n; i++)
        if (i == 0 || lattice->key[i] != lattice->key[i - 1])
            lattice->key[lattice->n_key++] = lattice->key[i];
}

CondStatus cond_mesh_ball(const CondContext* context, double radius, int mesh_surfaces, int extra,
                          CondMesh** mesh, CondError* error)
{
    *mesh = NULL;
    if (!(radius > 0.0) || isinf(radius))
        return cond_error_set(error, COND_BAD_ARGUMENT, "ball: the radius %g is not positive",
                              radius);
    // An int counts the corners of all tetrahedra, of which extra nodes make up to two thirds more.
    double corners = 4.0 * N_SECTOR * pow(mesh_surfaces, 3) * 5.0 / 3.0;
    if (mesh_surfaces < 1 || corners > INT_MAX)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "ball: %d shells are none, or more than can be numbered",
                              mesh_surfaces);
    int n = mesh_surfaces, octahedra = n * (n - 1) * (n + 1) / 6;
    if (extra < 0 || extra > octahedra)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "ball: %d extra nodes per sector; 0 to %d are possible", extra,
                              octahedra);
    CondContext from = cond_context_or_default(context);
    Lattice lattice = {.n = n, .radius = radius};
    make_icosahedron(lattice.vertex, lattice.face);
    size_t points = N_SECTOR * ((size_t)n + 1) * ((size_t)n + 2) * ((size_t)n + 3) / 6;
    lattice.key = cond_allocate(&from, points, sizeof *lattice.key);
    if (!lattice.key)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "ball: no memory for %d shells",
                              mesh_surfaces);
    make_keys(&lattice);
    CondStatus status =
        cond_mesh_create(&from, lattice.n_key + N_SECTOR * extra,
                         N_SECTOR * (n * n * n + 4 * extra), 0, &lattice.mesh, error);
    if (status == COND_OK) {
        lattice.n_node = lattice.n_key;
        for (int sector = 0; sector < N_SECTOR; sector++)
            walk(&lattice, sector, NULL);
        for (int sector = 0; sector < N_SECTOR; sector++) {
            int left = extra;
            walk(&lattice, sector, &left);
        }
        int turned;
        status = cond_mesh_orient(lattice.mesh, &turned, error);
    }
    cond_release(&from, lattice.key);
    if (status != COND_OK)
        cond_mesh_destroy(lattice.mesh);
    else
        *mesh = lattice.mesh;
    return status;
}
