// Vertices against tetrahedral volumes: grids that overlap, hover and fold, against brute force
// over all tetrahedra.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "collide/volume.h"
#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// A block of nx x ny x nz cells, six tetrahedra each, with the low corner at the origin.
typedef struct Block {
    int n_vertex, n_tet;
    double* rest;
    double* x; // current
    int* tet;
} Block;

static Block make_block(int nx, int ny, int nz, double a, double b, double c)
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

static void free_block(Block* block)
{
    test_free(block->rest);
    test_free(block->x);
    test_free(block->tet);
}

static CondVolume* make_volume(const Block* block, int body)
{
    CondVolume* volume;
    CondError error = {0};
    assert_int_equal(cond_volume_create(NULL, body, block->n_vertex, block->rest, block->n_tet,
                                        block->tet, 1, &volume, &error),
                     COND_OK);
    return volume;
}

static void move_block(Block* block, const double q[4], const double shift[3])
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

// 1 when surface vertex v of a is well inside b, by trying all tetrahedra.
static int penetrates(const CondVolume* a, const CondVolume* b, int v)
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

static int collide(const CondVolume* a, const CondVolume* b, double margin, const int* last,
                   CondVolumeContacts* contacts)
{
    contacts->n = 0;
    assert_int_equal(cond_volume_collide(a, b, margin, last, contacts), COND_OK);
    assert_sound(a, b, margin, contacts);
    return contacts->n;
}

// The surface is closed and turned outward, whichever way the tetrahedra are written.
static void test_surface(void** state)
{
    (void)state;
    Block block = make_block(4, 3, 2, 0.4, 0.3, 0.2);
    for (int t = 0; t < block.n_tet; t += 3) {
        int swap = block.tet[4 * t];
        block.tet[4 * t] = block.tet[4 * t + 1];
        block.tet[4 * t + 1] = swap;
    }
    CondVolume* volume = make_volume(&block, 0);
    assert_int_equal(volume->n_triangle, 4 * (4 * 3 + 3 * 2 + 4 * 2));
    assert_int_equal(volume->n_surface, block.n_vertex - 3 * 2 * 1);
    double flux = 0.0, sum[3] = {0.0, 0.0, 0.0};
    for (int t = 0; t < volume->n_triangle; t++) {
        const int* c = volume->triangle + 3 * t;
        double u[3], w[3], n[3];
        for (int i = 0; i < 3; i++) {
            u[i] = volume->rest[3 * c[1] + i] - volume->rest[3 * c[0] + i];
            w[i] = volume->rest[3 * c[2] + i] - volume->rest[3 * c[0] + i];
        }
        vec3_cross(u, w, n);
        flux += vec3_dot(n, volume->rest + 3 * c[0]) / 2.0;
        for (int i = 0; i < 3; i++)
            sum[i] += n[i];
        assert_true(vec3_dot(n, volume->normal + 3 * t) > 0.0);
    }
    assert_near(flux, 3.0 * 0.4 * 0.3 * 0.2, 1e-12);
    for (int i = 0; i < 3; i++)
        assert_near(sum[i], 0.0, 1e-12);
    cond_volume_destroy(volume);
    free_block(&block);
}

// One block on the other, sunk or hovering, in any orientation: the lower vertices of the upper one
// touch the top of the lower one, and the other way round.
static void test_two_blocks(void** state)
{
    (void)state;
    Block below = make_block(5, 5, 3, 0.5, 0.5, 0.3), above = make_block(3, 3, 3, 0.3, 0.3, 0.3);
    CondVolume *b = make_volume(&below, 7), *a = make_volume(&above, 4);
    CondVolumeContacts contacts;
    cond_volume_contacts_begin(NULL, &contacts);
    const double height[4] = {-0.02, -0.05, 0.01, 0.03}, margin = 0.02;
    for (int trial = 0; trial < 8; trial++) {
        double q[4], up[3], R[9], z = height[trial % 4];
        make_turn(0.3 * trial, 1.0, -0.2 * trial, 0.7 * trial, q);
        quat_matrix(q, R);
        for (int i = 0; i < 3; i++)
            up[i] = R[3 * i + 2];
        memcpy(below.x, below.rest, (size_t)below.n_vertex * 3 * sizeof(double));
        memcpy(above.x, above.rest, (size_t)above.n_vertex * 3 * sizeof(double));
        const double still[4] = {1.0, 0.0, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
        move_block(&above, still, (double[3]){0.117, 0.123, 0.3 + z});
        move_block(&above, q, none);
        move_block(&below, q, none);
        cond_volume_update(a, above.x);
        cond_volume_update(b, below.x);
        assert_int_equal(collide(a, b, margin, NULL, &contacts), z < margin ? 16 : 0);
        for (int k = 0; k < contacts.n; k++) {
            assert_near(contacts.contact[k].gap, z, 1e-12);
            assert_near(vec3_dot(contacts.contact[k].normal, up), 1.0, 1e-12);
            assert_int_equal(contacts.contact[k].inside, z < 0.0);
            assert_true(contacts.contact[k].vertex < 16);
        }
        // Top vertices of the lower block that lie below the upper one: 3 x 3 of them.
        assert_int_equal(collide(b, a, margin, NULL, &contacts), z < margin ? 9 : 0);
        for (int k = 0; k < contacts.n; k++) {
            assert_near(contacts.contact[k].gap, z, 1e-12);
            assert_near(vec3_dot(contacts.contact[k].normal, up), -1.0, 1e-12);
        }
    }
    cond_volume_contacts_end(&contacts);
    cond_volume_destroy(a);
    cond_volume_destroy(b);
    free_block(&above);
    free_block(&below);
}

// Twisted and bent blocks thrown into each other: all that penetrates is found (assert_sound), once
// each, and what is outside by more than the margin is not reported.
static void test_thrown_blocks(void** state)
{
    (void)state;
    Dice dice = {23};
    Block one = make_block(5, 4, 3, 0.5, 0.4, 0.3), two = make_block(4, 4, 4, 0.4, 0.4, 0.4);
    CondVolume *a = make_volume(&one, 0), *b = make_volume(&two, 1);
    CondVolumeContacts contacts;
    cond_volume_contacts_begin(NULL, &contacts);
    int n_inside = 0;
    for (int trial = 0; trial < 60; trial++) {
        double twist = dice_uniform(&dice, -2.0, 2.0), q[4], shift[3];
        for (int v = 0; v < two.n_vertex; v++) {
            const double* X = two.rest + 3 * v;
            double c = cos(twist * X[2]), s = sin(twist * X[2]);
            two.x[3 * v] = c * X[0] - s * X[1];
            two.x[3 * v + 1] = s * X[0] + c * X[1];
            two.x[3 * v + 2] = X[2] + 0.5 * X[0] * X[0];
        }
        memcpy(one.x, one.rest, (size_t)one.n_vertex * 3 * sizeof(double));
        make_turn(dice_uniform(&dice, -1.0, 1.0), dice_uniform(&dice, -1.0, 1.0), 0.5,
                  dice_uniform(&dice, -3.0, 3.0), q);
        for (int i = 0; i < 3; i++)
            shift[i] = dice_uniform(&dice, -0.3, 0.5);
        move_block(&one, q, shift);
        cond_volume_update(a, one.x);
        cond_volume_update(b, two.x);
        collide(a, b, 0.01, NULL, &contacts);
        for (int k = 0; k < contacts.n; k++) {
            const CondVolumeContact* c = &contacts.contact[k];
            n_inside += c->inside;
            assert_true(c->inside || !penetrates(a, b, c->vertex));
            assert_true(k == 0 || !c->inside || !c[-1].inside || c[-1].vertex != c->vertex);
            // One step out along the normal ends at the surface: the vertex is no longer inside.
            if (c->inside && c->weight[0] * c->weight[1] * c->weight[2] > 0.0) {
                double saved[3], *x = a->position + 3 * c->vertex;
                memcpy(saved, x, sizeof saved);
                for (int i = 0; i < 3; i++)
                    x[i] -= (c->gap - 1e-6) * c->normal[i];
                assert_false(penetrates(a, b, c->vertex));
                memcpy(x, saved, sizeof saved);
            }
        }
        collide(b, a, 0.01, NULL, &contacts);
    }
    assert_true(n_inside > 300);
    cond_volume_contacts_end(&contacts);
    cond_volume_destroy(a);
    cond_volume_destroy(b);
    free_block(&one);
    free_block(&two);
}

// Something sinks into a mat of one layer. By the normals alone it is pushed out through the top to
// three quarters of the thickness, with the last triangles to nine tenths; from below likewise.
static void test_thin_mat(void** state)
{
    (void)state;
    const double h = 0.01, still[4] = {1.0, 0.0, 0.0, 0.0};
    Block mat = make_block(10, 10, 1, 0.2, 0.2, h), cube = make_block(3, 3, 3, 0.06, 0.06, 0.06);
    CondVolume *b = make_volume(&mat, 0), *a = make_volume(&cube, 1);
    CondVolumeContacts contacts;
    cond_volume_contacts_begin(NULL, &contacts);
    int* last = test_calloc((size_t)cube.n_vertex, sizeof *last);
    for (int side = 0; side < 2; side++) {
        for (int remember = 0; remember < 2; remember++) {
            for (int v = 0; v < cube.n_vertex; v++)
                last[v] = -1;
            for (int step = 0; step <= (remember ? 18 : 14); step++) {
                double depth = 0.05 * step * h - 0.1 * h, z = side ? depth - 0.06 : h - depth;
                memcpy(cube.x, cube.rest, (size_t)cube.n_vertex * 3 * sizeof(double));
                // It slides as it sinks, so that it meets one triangle after the other.
                move_block(&cube, still, (double[3]){0.03 + 0.004 * step, 0.043, z});
                cond_volume_update(a, cube.x);
                assert_int_equal(collide(a, b, 0.15 * h, remember ? last : NULL, &contacts), 16);
                cond_volume_contacts_last(&contacts, 1, 0, cube.n_vertex, last);
                for (int k = 0; k < 16; k++) {
                    assert_near(contacts.contact[k].normal[2], side ? -1.0 : 1.0, 1e-12);
                    assert_near(contacts.contact[k].gap, -depth, 1e-12);
                    assert_int_equal(last[contacts.contact[k].vertex],
                                     contacts.contact[k].triangle);
                }
            }
        }
    }
    // A mat sunk right into a thick block leaves it on the near side with both of its faces.
    memcpy(mat.x, mat.rest, (size_t)mat.n_vertex * 3 * sizeof(double));
    move_block(&mat, still, (double[3]){0.001, 0.001, 0.06 - 1.2 * h});
    cond_volume_update(b, mat.x);
    cond_volume_update(a, cube.rest);
    assert_true(collide(b, a, 0.0, NULL, &contacts) > 8);
    for (int k = 0; k < contacts.n; k++)
        if (mat.rest[3 * contacts.contact[k].vertex] > 0.01 &&
            mat.rest[3 * contacts.contact[k].vertex + 1] > 0.01)
            assert_near(contacts.contact[k].normal[2], 1.0, 1e-12);
    test_free(last);
    cond_volume_contacts_end(&contacts);
    cond_volume_destroy(a);
    cond_volume_destroy(b);
    free_block(&mat);
    free_block(&cube);
}

// Bends a mat of length 2 l + pi r to a U: lower leg along +x, a half circle of radius r, upper
// leg back over the lower one and pressed down by `press` towards its end.
static void fold(Block* mat, double l, double r, double h, double press)
{
    for (int v = 0; v < mat->n_vertex; v++) {
        const double* X = mat->rest + 3 * v;
        double s = X[0], z = X[2] - 0.5 * h, *x = mat->x + 3 * v;
        x[1] = X[1];
        if (s <= l) {
            x[0] = s;
            x[2] = z;
        } else if (s <= l + PI * r) {
            double angle = (s - l) / r;
            x[0] = l + (r - z) * sin(angle);
            x[2] = r - (r - z) * cos(angle);
        } else {
            double back = s - l - PI * r, part = fmin(back / (0.5 * l), 1.0);
            x[0] = l - back;
            x[2] = 2.0 * r - z - press * part * part * (3.0 - 2.0 * part);
        }
    }
}

static void test_folded_mat(void** state)
{
    (void)state;
    const double h = 0.01, l = 0.15, r = 0.02, open = 2.0 * r - h;
    for (int layers = 1; layers <= 2; layers++) {
        Block mat = make_block(36, 5, layers, 2.0 * l + PI * r, 0.05, h);
        CondVolume* volume = make_volume(&mat, 3);
        CondVolumeContacts contacts;
        cond_volume_contacts_begin(NULL, &contacts);
        // Open: nothing. Nearly closed: near contacts. Pressed into itself: penetration.
        const double gap[5] = {open, 0.006, 0.003, -0.002, -0.006}, margin = 0.005;
        for (int k = 0; k < 10; k++) {
            double q[4], R[9];
            make_turn(1.0, 0.5, 0.3, k < 5 ? 0.0 : 0.5 * k, q);
            quat_matrix(q, R);
            fold(&mat, l, r, h, open - gap[k % 5]);
            move_block(&mat, q, (double[3]){1.0, 2.0, 3.0});
            cond_volume_update(volume, mat.x);
            int n = collide(volume, volume, margin, NULL, &contacts);
            assert_true(gap[k % 5] > margin ? n == 0 : n > 50);
            int legs[2] = {0, 0};
            for (int i = 0; i < n; i++) {
                const CondVolumeContact* c = &contacts.contact[i];
                const double* X = mat.rest + 3 * c->vertex;
                double other = mat.rest[3 * volume->triangle[3 * c->triangle]];
                int upper = X[0] > l + 0.5 * PI * r;
                // A vertex of the inner face of one leg touches the inner face of the other.
                assert_near(X[2], h, 1e-12);
                assert_int_equal(other > l + 0.5 * PI * r, !upper);
                double along[3];
                mat3_multiply_transposed(R, c->normal, along);
                assert_true(upper ? along[2] > 0.7 : along[2] < -0.7);
                assert_true(c->gap > gap[k % 5] - 1e-4);
                legs[upper]++;
            }
            assert_true(n == 0 || (legs[0] > 20 && legs[1] > 20));
        }
        cond_volume_contacts_end(&contacts);
        cond_volume_destroy(volume);
        free_block(&mat);
    }
}

// No false self-contact: at rest, turned, bent open, twisted; with a margin wider than the mat is
// thick and than its elements.
static void test_no_false_contact(void** state)
{
    (void)state;
    const double h = 0.01, l = 0.15, r = 0.06;
    Block mat = make_block(36, 5, 1, 2.0 * l + PI * r, 0.05, h);
    CondVolume* volume = make_volume(&mat, 0);
    CondVolumeContacts contacts;
    cond_volume_contacts_begin(NULL, &contacts);
    assert_int_equal(collide(volume, volume, 0.04, NULL, &contacts), 0);
    for (int k = 1; k < 8; k++) {
        double q[4];
        make_turn(1.0, -2.0, 0.3 * k, 0.9 * k, q);
        memcpy(mat.x, mat.rest, (size_t)mat.n_vertex * 3 * sizeof(double));
        move_block(&mat, q, (double[3]){0.3, 0.0, -5.0});
        cond_volume_update(volume, mat.x);
        assert_int_equal(collide(volume, volume, 0.04, NULL, &contacts), 0);
        fold(&mat, l, r, h, 0.0);
        move_block(&mat, q, (double[3]){0.0, 0.0, 0.0});
        cond_volume_update(volume, mat.x);
        assert_int_equal(collide(volume, volume, 0.04, NULL, &contacts), 0);
        for (int v = 0; v < mat.n_vertex; v++) { // three turns of twist over the length
            const double* X = mat.rest + 3 * v;
            double c = cos(40.0 * X[0]), s = sin(40.0 * X[0]), y = X[1] - 0.025, z = X[2];
            mat.x[3 * v] = X[0];
            mat.x[3 * v + 1] = c * y - s * z;
            mat.x[3 * v + 2] = s * y + c * z;
        }
        cond_volume_update(volume, mat.x);
        assert_int_equal(collide(volume, volume, 0.005, NULL, &contacts), 0);
    }
    cond_volume_destroy(volume);
    // A body made with a narrow slot touches itself only when the slot closes.
    fold(&mat, l, r, h, 2.0 * r - h - 0.01);
    memcpy(mat.rest, mat.x, (size_t)mat.n_vertex * 3 * sizeof(double));
    volume = make_volume(&mat, 0);
    assert_int_equal(collide(volume, volume, 0.02, NULL, &contacts), 0);
    for (int v = 0; v < mat.n_vertex; v++)
        if (mat.x[3 * v] < 0.5 * l && mat.x[3 * v + 2] > 0.5 * h)
            mat.x[3 * v + 2] -= 0.006;
    cond_volume_update(volume, mat.x);
    assert_true(collide(volume, volume, 0.02, NULL, &contacts) > 50);
    cond_volume_contacts_end(&contacts);
    cond_volume_destroy(volume);
    free_block(&mat);
}

// Two equal blocks in the same place, blocks that share a face, flat and turned-over tetrahedra.
static void test_degenerate(void** state)
{
    (void)state;
    Block block = make_block(3, 3, 3, 0.3, 0.3, 0.3);
    CondVolume *a = make_volume(&block, 0), *b = make_volume(&block, 1);
    CondVolumeContacts contacts;
    cond_volume_contacts_begin(NULL, &contacts);
    assert_int_equal(collide(a, b, 0.01, NULL, &contacts), a->n_surface);
    for (int k = 0; k < contacts.n; k++)
        assert_near(contacts.contact[k].gap, 0.0, 1e-12);
    const double still[4] = {1.0, 0.0, 0.0, 0.0};
    move_block(&block, still, (double[3]){0.0, 0.0, 0.3});
    cond_volume_update(a, block.x);
    assert_int_equal(collide(a, b, 0.01, NULL, &contacts), 16);
    for (int k = 0; k < 16; k++) {
        assert_near(contacts.contact[k].gap, 0.0, 1e-12);
        assert_near(contacts.contact[k].normal[2], 1.0, 1e-12);
    }
    Dice dice = {29};
    for (int trial = 0; trial < 20; trial++) {
        // Tangle: some vertices fall together, others jump across their neighbours.
        memcpy(block.x, block.rest, (size_t)block.n_vertex * 3 * sizeof(double));
        for (int k = 0; k < 6; k++) {
            int v = (int)dice_uniform(&dice, 0.0, block.n_vertex - 1.0);
            if (k % 2)
                memcpy(block.x + 3 * v, block.x + 3 * v + 3, 3 * sizeof(double));
            else
                block.x[3 * v + trial % 3] += 0.15;
        }
        cond_volume_update(b, block.x);
        collide(a, b, 0.02, NULL, &contacts);
        collide(b, a, 0.02, NULL, &contacts);
        collide(b, b, 0.02, NULL, &contacts);
    }
    memset(block.x, 0, (size_t)block.n_vertex * 3 * sizeof(double)); // all in one point
    cond_volume_update(b, block.x);
    assert_int_equal(collide(b, b, 0.02, NULL, &contacts), 0);
    assert_int_equal(cond_volume_collide(a, b, -1.0, NULL, &contacts), COND_BAD_ARGUMENT);
    cond_volume_contacts_end(&contacts);
    cond_volume_destroy(a);
    cond_volume_destroy(b);
    free_block(&block);
}

// Nodes looked at for each surface vertex of a folded mat grow like log n.
static void test_scaling(void** state)
{
    (void)state;
    const double h = 0.01, l = 0.15, r = 0.02;
    double cost[2];
    for (int fine = 0; fine < 2; fine++) {
        int m = fine ? 4 : 1;
        Block mat = make_block(20 * m, 5 * m, 1, 2.0 * l + PI * r, 0.08, h / m);
        CondVolume* volume = make_volume(&mat, 0);
        CondVolumeContacts contacts;
        cond_volume_contacts_begin(NULL, &contacts);
        fold(&mat, l, r, h / m, 2.0 * r - h / m - 0.1 * h / m);
        cond_volume_update(volume, mat.x);
        assert_int_equal(cond_volume_collide(volume, volume, 0.2 * h / m, NULL, &contacts),
                         COND_OK);
        assert_true(contacts.n > 40 * m * m);
        cost[fine] = (double)contacts.hits.visited / volume->n_surface / log2(volume->n_tet);
        cond_volume_contacts_end(&contacts);
        cond_volume_destroy(volume);
        free_block(&mat);
    }
    assert_true(cost[1] < 1.3 * cost[0]);
}

static CondStatus use_everything(const CondContext* context, const Block* block, long* warm,
                                 const FailingAllocator* allocator)
{
    CondVolume *a = NULL, *b = NULL;
    CondVolumeContacts contacts;
    cond_volume_contacts_begin(context, &contacts);
    CondStatus status = cond_volume_create(context, 0, block->n_vertex, block->rest, block->n_tet,
                                           block->tet, 1, &a, NULL);
    if (!status)
        status = cond_volume_create(context, 1, block->n_vertex, block->rest, block->n_tet,
                                    block->tet, 2, &b, NULL);
    for (int pass = 0; pass < 2 && !status; pass++) {
        *warm = allocator->calls;
        contacts.n = 0;
        cond_volume_update(a, block->x);
        status = cond_volume_collide(a, b, 0.05, NULL, &contacts);
        if (!status)
            status = cond_volume_collide(a, a, 0.05, NULL, &contacts);
    }
    assert_true(status || contacts.n > 0);
    cond_volume_destroy(a);
    cond_volume_destroy(b);
    cond_volume_contacts_end(&contacts);
    return status;
}

static void test_allocations(void** state)
{
    (void)state;
    Block block = make_block(3, 2, 2, 0.3, 0.2, 0.2);
    const double still[4] = {1.0, 0.0, 0.0, 0.0};
    move_block(&block, still, (double[3]){0.01, 0.02, 0.15});
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        long warm;
        CondStatus status = use_everything(&context, &block, &warm, &allocator);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK) {
            assert_int_equal(allocator.calls, warm); // the second pass asked for nothing
            assert_true(fail_at > 40);
            break;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
    free_block(&block);
}

static void assert_refused(int n_vertex, const double* rest, int n_tet, const int* tet,
                           const char* word)
{
    CondVolume* volume;
    CondError error = {0};
    assert_int_equal(cond_volume_create(NULL, 0, n_vertex, rest, n_tet, tet, 1, &volume, &error),
                     COND_BAD_ARGUMENT);
    assert_null(volume);
    assert_non_null(strstr(error.message, word));
}

static void test_bad_meshes(void** state)
{
    (void)state;
    double rest[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 1, 1, 1};
    const int tet[12] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5}, twice[4] = {0, 1, 1, 2};
    assert_refused(3, rest, 1, tet, "no volume");
    assert_refused(6, rest, 0, tet, "no volume");
    assert_refused(5, rest, 3, tet, "names vertex 5");
    assert_refused(6, rest, 3, tet, "3 tetrahedra share");
    assert_refused(6, rest, 1, twice, "twice");
    rest[4] = INFINITY;
    assert_refused(6, rest, 1, tet, "finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface),       cmocka_unit_test(test_two_blocks),
        cmocka_unit_test(test_thrown_blocks), cmocka_unit_test(test_thin_mat),
        cmocka_unit_test(test_folded_mat),    cmocka_unit_test(test_no_false_contact),
        cmocka_unit_test(test_degenerate),    cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_allocations),   cmocka_unit_test(test_bad_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
