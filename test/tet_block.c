// Blocks of tetrahedra for collision tests, and what any list of contacts must satisfy.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"
#include "tet_block.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

Block make_block(int nx, int ny, int nz, double a, double b, double c)
{
    // The six paths of edges from corner 0 to corner 7 of a cell; a step along axis k adds 1 << k.
    static const int PATH[6][2] = {{1, 3}, {2, 3}, {2, 6}, {4, 6}, {4, 5}, {1, 5}};
    Block block = {.n_vertex = (nx + 1) * (ny + 1) * (nz + 1), .n_tet = 6 * nx * ny * nz};
    block.rest = test_calloc((size_t)block.n_vertex, 3 * sizeof(double));
    block.x = test_calloc((size_t)block.n_vertex, 3 * sizeof(double));
    block.tet = test_calloc((size_t)block.n_tet, 4 * sizeof(int));
    for (int v = 0; v < block.n_vertex; v++) {
        block.rest[3 * v] = a * (v % (nx + 1)) / nx;
        block.rest[3 * v + 1] = b * (v / (nx + 1) % (ny + 1)) / ny;
        block.rest[3 * v + 2] = c * (v / (nx + 1) / (ny + 1)) / nz;
    }
    memcpy(block.x, block.rest, (size_t)block.n_vertex * 3 * sizeof(double));
    int* tet = block.tet;
    for (int cell = 0; cell < nx * ny * nz; cell++) {
        int corner[8];
        for (int k = 0; k < 8; k++)
            corner[k] = cell % nx + (k & 1) +
                        (nx + 1) * (cell / nx % ny + (k >> 1 & 1) +
                                    (ny + 1) * (cell / nx / ny + (k >> 2 & 1)));
        for (int p = 0; p < 6; p++, tet += 4) {
            tet[0] = corner[0];
            tet[1] = corner[PATH[p][0]];
            tet[2] = corner[PATH[p][1]];
            tet[3] = corner[7];
        }
    }
    return block;
}

void free_block(Block* block)
{
    test_free(block->rest);
    test_free(block->x);
    test_free(block->tet);
}

CondVolume* make_volume(const Block* block, int body)
{
    CondVolume* volume;
    CondError error = {0};
    assert_int_equal(cond_volume_create(NULL, body, block->n_vertex, block->rest, block->n_tet,
                                        block->tet, 1, &volume, &error),
                     COND_OK);
    return volume;
}

void move_block(Block* block, const double q[4], const double shift[3])
{
    double R[9], y[3];
    quat_matrix(q, R);
    for (int v = 0; v < block->n_vertex; v++) {
        mat3_multiply(R, block->x + 3 * v, y);
        for (int i = 0; i < 3; i++)
            block->x[3 * v + i] = y[i] + shift[i];
    }
}

// 1 when p lies in the tetrahedron, by the signs of four volumes.
static int holds(const double* x, const int* tet, const double p[3])
{
    double part[4], whole = 0.0;
    for (int k = 0; k < 4; k++) {
        const double* c[4];
        double e[9];
        for (int i = 0; i < 4; i++)
            c[i] = i == k ? p : x + 3 * tet[i];
        for (int i = 0; i < 9; i++)
            e[i] = c[1 + i / 3][i % 3] - c[0][i % 3];
        double n[3];
        vec3_cross(e + 3, e + 6, n);
        part[k] = vec3_dot(e, n);
        whole += part[k];
    }
    for (int k = 0; k < 4; k++)
        if (part[k] * whole < 1e-9 * whole * whole)
            return 0;
    return whole != 0.0;
}

static int in_ring(const CondVolume* volume, int v, int corner)
{
    for (int k = volume->ring_begin[v]; k < volume->ring_begin[v + 1]; k++)
        if (volume->ring[k] == corner)
            return 1;
    return 0;
}

int penetrates(const CondVolume* a, const CondVolume* b, int v)
{
    for (int t = 0; t < b->n_tet; t++) {
        int excluded = 0;
        for (int i = 0; i < 4 && a == b; i++)
            excluded = excluded || in_ring(a, v, b->tet[4 * t + i]);
        if (!excluded && holds(b->position, b->tet + 4 * t, a->position + 3 * v))
            return 1;
    }
    return 0;
}

// Properties that any list must have; every vertex that brute force finds inside is reported.
static void assert_sound(const CondVolume* a, const CondVolume* b, double margin,
                         const CondVolumeContacts* contacts)
{
    char* inside = test_calloc((size_t)a->n_vertex, 1);
    for (int k = 0; k < contacts->n; k++) {
        const CondVolumeContact* c = &contacts->contact[k];
        const int* corner = b->triangle + 3 * c->triangle;
        double gap = 0.0;
        assert_int_equal(c->body, a->body);
        assert_int_equal(c->other, b->body);
        for (int i = 0; i < 3; i++) {
            double point = 0.0;
            for (int j = 0; j < 3; j++)
                point += c->weight[j] * b->position[3 * corner[j] + i];
            gap += c->normal[i] * (a->position[3 * c->vertex + i] - point);
            assert_true(c->weight[i] >= 0.0);
            assert_true(a != b || !in_ring(a, c->vertex, corner[i]));
        }
        assert_near(c->weight[0] + c->weight[1] + c->weight[2], 1.0, 1e-12);
        assert_near(vec3_norm(c->normal), 1.0, 1e-12);
        assert_near(c->gap, c->inside ? fmin(gap, 0.0) : gap, 1e-12);
        assert_true(c->inside || (c->gap > -1e-8 && c->gap <= margin));
        inside[c->vertex] = (char)(inside[c->vertex] || c->inside);
        if (k > 0)
            assert_true(c[-1].vertex < c->vertex ||
                        (c[-1].vertex == c->vertex && c[-1].triangle < c->triangle));
    }
    for (int k = 0; k < a->n_surface; k++)
        if (penetrates(a, b, a->surface[k]))
            assert_int_equal(inside[a->surface[k]], 1);
    test_free(inside);
}

int collide(const CondVolume* a, const CondVolume* b, double margin, const int* last,
            CondVolumeContacts* contacts)
{
    contacts->n = 0;
    assert_int_equal(cond_volume_collide(a, b, margin, last, contacts), COND_OK);
    assert_sound(a, b, margin, contacts);
    return contacts->n;
}

void fold_block(Block* mat, double l, double r, double h, double press)
{
    for (int v = 0; v < mat->n_vertex; v++) {
        const double* X = mat->rest + 3 * v;
        double s = X[0], z = X[2] - 0.5 * h, *x = mat->x + 3 * v;
        x[1] = X[1];
        if (s <= l) {
            x[0] = s;
            x[2] = z;
        } else if (s <= l + BLOCK_PI * r) {
            double angle = (s - l) / r;
            x[0] = l + (r - z) * sin(angle);
            x[2] = r - (r - z) * cos(angle);
        } else {
            double back = s - l - BLOCK_PI * r, part = fmin(back / (0.5 * l), 1.0);
            x[0] = l - back;
            x[2] = 2.0 * r - z - press * part * part * (3.0 - 2.0 * part);
        }
    }
}
