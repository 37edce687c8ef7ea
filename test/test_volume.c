// Vertices of one tetrahedral body against the volume of another, against brute force over all
// tetrahedra; vertices of one shell against another.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"
#include "tet_block.h"

#include "math/quat.h"
#include "volume_last.h"

#include <math.h>
#include <string.h>

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
    CondVolumeContacts contacts, again;
    cond_volume_contacts_begin(NULL, &contacts);
    cond_volume_contacts_begin(NULL, &again);
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
        // A list with other scratch gives the same contacts, bit by bit.
        int n = collide(a, b, 0.01, NULL, &again);
        assert_int_equal(n, contacts.n);
        for (int k = 0; k < n; k++) {
            assert_int_equal(again.contact[k].triangle, contacts.contact[k].triangle);
            assert_true(again.contact[k].gap == contacts.contact[k].gap);
        }
        collide(b, a, 0.01, NULL, &contacts);
    }
    assert_true(n_inside > 300);
    cond_volume_contacts_end(&again);
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
            for (int step = 0; step <= (remember ? 20 : 17); step++) {
                double depth = 0.05 * step * h - 0.1 * h, z = side ? depth - 0.06 : h - depth;
                memcpy(cube.x, cube.rest, (size_t)cube.n_vertex * 3 * sizeof(double));
                // It slides as it sinks, so that it meets one triangle after the other.
                move_block(&cube, still, (double[3]){0.03 + 0.004 * step, 0.043, z});
                cond_volume_update(a, cube.x);
                assert_int_equal(collide(a, b, 0.15 * h, remember ? last : NULL, &contacts), 16);
                volume_last(&contacts, 1, 0, cube.n_vertex, last);
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
    if (!status)
        status = cond_volume_make_skips(a, NULL);
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

enum { SHEET = 5, SHEET_NODES = SHEET * SHEET, SHEET_TRIANGLES = 2 * (SHEET - 1) * (SHEET - 1) };

// A shell of SHEET x SHEET nodes from -0.1 to 0.1.
static CondVolume* make_sheet(double rest[3 * SHEET_NODES])
{
    int triangle[3 * SHEET_TRIANGLES], n = 0;
    CondVolume* volume = NULL;
    for (int v = 0; v < SHEET_NODES; v++) {
        rest[3 * v] = 0.2 * (v % SHEET) / (SHEET - 1) - 0.1;
        rest[3 * v + 1] = 0.2 * (double)(v / SHEET) / (SHEET - 1) - 0.1;
        rest[3 * v + 2] = 0.0;
        int last = v % SHEET == SHEET - 1 || v >= SHEET_NODES - SHEET;
        const int cell[6] = {v, v + 1, v + SHEET + 1, v, v + SHEET + 1, v + SHEET};
        for (int k = 0; k < 6 && !last; k++)
            triangle[n++] = cell[k];
    }
    assert_int_equal(cond_volume_create_shell(NULL, 0, SHEET_NODES, rest, SHEET_TRIANGLES, triangle,
                                              0.001, 0, &volume, NULL),
                     COND_OK);
    return volume;
}

// One sheet over the other, on either side, turned anyhow: every vertex that is over the other has
// one contact with it. The vertex of a shell looks to neither side, not even by a rounding error.
static void test_two_sheets(void** state)
{
    (void)state;
    double rest[3 * SHEET_NODES], place[2][3 * SHEET_NODES];
    CondVolume *low = make_sheet(rest), *high = make_sheet(rest);
    CondVolumeContacts contacts;
    Dice dice = {3};
    cond_volume_contacts_begin(NULL, &contacts);
    for (int trial = 0; trial < 100; trial++) {
        double q[4], R[9], angle = dice_uniform(&dice, -3.0, 3.0), lift = trial % 2 ? 1e-3 : -1e-3;
        int over = 0, seen = 0, above[SHEET_NODES] = {0};
        make_turn(dice_uniform(&dice, -1.0, 1.0), dice_uniform(&dice, -1.0, 1.0), 1.0,
                  dice_uniform(&dice, -3.0, 3.0), q);
        quat_matrix(q, R);
        for (int v = 0; v < SHEET_NODES; v++) {
            const double* x = rest + 3 * v;
            const double y[3] = {cos(angle) * x[0] - sin(angle) * x[1] + 0.03,
                                 sin(angle) * x[0] + cos(angle) * x[1] + 0.02, lift};
            mat3_multiply(R, x, place[0] + 3 * v);
            mat3_multiply(R, y, place[1] + 3 * v);
            above[v] = fabs(y[0]) < 0.1 && fabs(y[1]) < 0.1;
            over += above[v];
        }
        cond_volume_update(low, place[0]);
        cond_volume_update(high, place[1]);
        contacts.n = 0;
        assert_int_equal(cond_volume_collide(high, low, 2e-3, NULL, &contacts), COND_OK);
        for (int c = 0; c < contacts.n; c++) {
            const CondVolumeContact* contact = &contacts.contact[c];
            if (!above[contact->vertex])
                continue; // beside the rim
            seen++;
            assert_near(contact->gap, 1e-3, 1e-12);
            for (int i = 0; i < 3; i++)
                assert_near(contact->normal[i], lift / 1e-3 * R[3 * i + 2], 1e-9);
        }
        assert_int_equal(seen, over);
        for (int v = 0; v < SHEET_NODES; v++) {
            double n[3];
            cond_volume_vertex_normal(high, v, n);
            assert_true(n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0);
        }
    }
    cond_volume_contacts_end(&contacts);
    cond_volume_destroy(low);
    cond_volume_destroy(high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface),       cmocka_unit_test(test_two_blocks),
        cmocka_unit_test(test_thrown_blocks), cmocka_unit_test(test_thin_mat),
        cmocka_unit_test(test_degenerate),    cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_bad_meshes),    cmocka_unit_test(test_two_sheets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
