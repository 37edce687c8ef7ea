// A mat that touches itself: folded open, near, into itself, and all the shapes in which it must
// not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"
#include "tet_block.h"

#include "math/quat.h"
#include "volume_last.h"

#include <math.h>
#include <string.h>

static void test_folded_mat(void** state)
{
    (void)state;
    const double h = 0.01, l = 0.15, r = 0.02, open = 2.0 * r - h;
    for (int layers = 1; layers <= 2; layers++) {
        Block mat = make_block(36, 5, layers, 2.0 * l + BLOCK_PI * r, 0.05, h);
        CondVolume* volume = make_volume(&mat, 3);
        CondVolumeContacts contacts;
        cond_volume_contacts_begin(NULL, &contacts);
        // Open: nothing. Nearly closed: near contacts. Pressed into itself: penetration.
        const double gap[5] = {open, 0.006, 0.003, -0.002, -0.006}, margin = 0.005;
        for (int k = 0; k < 10; k++) {
            double q[4], R[9];
            make_turn(1.0, 0.5, 0.3, k < 5 ? 0.0 : 0.5 * k, q);
            quat_matrix(q, R);
            fold_block(&mat, l, r, h, open - gap[k % 5]);
            move_block(&mat, q, (double[3]){1.0, 2.0, 3.0});
            cond_volume_update(volume, mat.x);
            int n = collide(volume, volume, margin, NULL, &contacts);
            assert_true(gap[k % 5] > margin ? n == 0 : n > 50);
            int legs[2] = {0, 0};
            for (int i = 0; i < n; i++) {
                const CondVolumeContact* c = &contacts.contact[i];
                const double* X = mat.rest + 3 * c->vertex;
                double other = mat.rest[3 * volume->triangle[3 * c->triangle]];
                int upper = X[0] > l + 0.5 * BLOCK_PI * r;
                // A vertex of the inner face of one leg touches the inner face of the other; at the
                // deepest press some from the middle of the rim do so too.
                assert_true(X[2] > 0.9 * h || (k % 5 == 4 && X[2] > 0.4 * h));
                assert_int_equal(other > l + 0.5 * BLOCK_PI * r, !upper);
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
    Block mat = make_block(36, 5, 1, 2.0 * l + BLOCK_PI * r, 0.05, h);
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
        fold_block(&mat, l, r, h, 0.0);
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
    fold_block(&mat, l, r, h, 2.0 * r - h - 0.01);
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

// A pin held over the outside of the bend, a little way off the flat triangles: wherever it stands,
// over a face or over an edge, it touches once, and its normal follows the bend.
static void test_pin_over_bend(void** state)
{
    (void)state;
    const double h = 0.01, l = 0.15, r = 0.02, margin = 0.002;
    const int tet[4] = {0, 1, 2, 3};
    double pin[12] = {0.0, 0.0, 0.0, 0.03, 0.01, 0.0, 0.03, -0.01, 0.01, 0.03, -0.01, -0.01};
    Block mat = make_block(36, 5, 1, 2.0 * l + BLOCK_PI * r, 0.05, h);
    CondVolume *b = make_volume(&mat, 0), *a;
    CondVolumeContacts contacts;
    assert_int_equal(cond_volume_create(NULL, 1, 4, pin, 1, tet, 1, &a, NULL), COND_OK);
    cond_volume_contacts_begin(NULL, &contacts);
    fold_block(&mat, l, r, h, 0.0);
    cond_volume_update(b, mat.x);
    int last[4] = {-1, -1, -1, -1}, n_near = 0;
    double previous = 0.0;
    for (int k = 0; k <= 400; k++) {
        double angle = BLOCK_PI * k / 400.0, c = sin(angle), s = -cos(angle), x[12];
        for (int v = 0; v < 4; v++) { // the tip stands off by 0.0012 along (c, 0, s)
            double away = pin[3 * v] + r + 0.5 * h + 0.0012;
            x[3 * v] = l + away * c - s * pin[3 * v + 2];
            x[3 * v + 1] = 0.0231 + pin[3 * v + 1];
            x[3 * v + 2] = r + away * s + c * pin[3 * v + 2];
        }
        cond_volume_update(a, x);
        // The flat triangles lie up to 0.8 mm below the arc, so the tip is not always in reach.
        assert_true(collide(a, b, margin, k > 0 ? last : NULL, &contacts) <= 1);
        n_near += contacts.n;
        volume_last(&contacts, 1, 0, 4, last);
        if (contacts.n == 0)
            continue;
        const CondVolumeContact* contact = contacts.contact;
        assert_int_equal(contact->vertex, 0);
        assert_true(contact->normal[0] * c + contact->normal[2] * s > 0.95);
        assert_true(contact->gap > 0.001 && contact->gap < margin);
        assert_true(n_near == 1 || fabs(contact->gap - previous) < 1e-4);
        previous = contact->gap;
    }
    assert_true(n_near > 380);
    cond_volume_contacts_end(&contacts);
    cond_volume_destroy(a);
    cond_volume_destroy(b);
    free_block(&mat);
}

static void assert_same_contacts(const CondVolumeContacts* a, const CondVolumeContacts* b)
{
    assert_int_equal(a->n, b->n);
    for (int k = 0; k < a->n; k++) {
        const CondVolumeContact *x = &a->contact[k], *y = &b->contact[k];
        assert_int_equal(x->vertex, y->vertex);
        assert_int_equal(x->triangle, y->triangle);
        assert_int_equal(x->inside, y->inside);
        assert_memory_equal(x->weight, y->weight, sizeof x->weight);
        assert_memory_equal(&x->gap, &y->gap, sizeof x->gap);
        assert_memory_equal(x->normal, y->normal, sizeof x->normal);
    }
}

// What is passed over because it is near in the mesh, and how many threads search, changes nothing;
// and there is much less to look at.
static void test_skips_and_threads(void** state)
{
    (void)state;
    const double h = 0.01, l = 0.15, r = 0.02, open = 2.0 * r - h;
    for (int layers = 1; layers <= 2; layers++) {
        Block mat = make_block(36, 5, layers, 2.0 * l + BLOCK_PI * r, 0.05, h);
        CondVolume *plain = make_volume(&mat, 3), *skipping = make_volume(&mat, 3);
        CondVolumeContacts expected, found;
        cond_volume_contacts_begin(NULL, &expected);
        cond_volume_contacts_begin(NULL, &found);
        assert_int_equal(cond_volume_make_skips(skipping, NULL), COND_OK);
        const double press[4] = {0.0, open - 0.003, open + 0.002, open + 0.006};
        int n = 0;
        for (int k = 0; k < 16; k++) {
            double q[4], margin = k % 2 ? 0.002 : 0.03;
            make_turn(1.0, 0.5, 0.3, 0.4 * k, q);
            fold_block(&mat, l, r, h, press[k / 4]);
            move_block(&mat, q, (double[3]){1.0, 2.0, 3.0});
            found.threads = skipping->threads = 1 + k % 3;
            cond_volume_update(plain, mat.x);
            cond_volume_update(skipping, mat.x);
            expected.n = found.n = 0;
            assert_int_equal(cond_volume_collide(plain, plain, margin, NULL, &expected), COND_OK);
            assert_int_equal(cond_volume_collide(skipping, skipping, margin, NULL, &found),
                             COND_OK);
            assert_same_contacts(&expected, &found);
            n += found.n;
        }
        assert_true(n > 1000);
        // Flat, there is less to look at.
        expected.visited = found.visited = 0;
        memcpy(mat.x, mat.rest, (size_t)mat.n_vertex * 3 * sizeof(double));
        cond_volume_update(plain, mat.x);
        cond_volume_update(skipping, mat.x);
        assert_int_equal(cond_volume_collide(plain, plain, 0.002, NULL, &expected), COND_OK);
        assert_int_equal(cond_volume_collide(skipping, skipping, 0.002, NULL, &found), COND_OK);
        assert_true(found.visited < expected.visited);
        cond_volume_contacts_end(&expected);
        cond_volume_contacts_end(&found);
        cond_volume_destroy(plain);
        cond_volume_destroy(skipping);
        free_block(&mat);
    }
}

// Nodes looked at for each surface vertex of a folded mat grow like log n.
static void test_scaling(void** state)
{
    (void)state;
    const double h = 0.01, l = 0.15, r = 0.02;
    double cost[2];
    for (int fine = 0; fine < 2; fine++) {
        int m = fine ? 4 : 1;
        Block mat = make_block(20 * m, 5 * m, 1, 2.0 * l + BLOCK_PI * r, 0.08, h / m);
        CondVolume* volume = make_volume(&mat, 0);
        CondVolumeContacts contacts;
        cond_volume_contacts_begin(NULL, &contacts);
        fold_block(&mat, l, r, h / m, 2.0 * r - h / m - 0.1 * h / m);
        cond_volume_update(volume, mat.x);
        assert_int_equal(cond_volume_collide(volume, volume, 0.2 * h / m, NULL, &contacts),
                         COND_OK);
        assert_true(contacts.n > 40 * m * m);
        cost[fine] = (double)contacts.visited / volume->n_surface / log2(volume->n_tet);
        cond_volume_contacts_end(&contacts);
        cond_volume_destroy(volume);
        free_block(&mat);
    }
    assert_true(cost[1] < 1.3 * cost[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_mat),    cmocka_unit_test(test_no_false_contact),
        cmocka_unit_test(test_pin_over_bend), cmocka_unit_test(test_skips_and_threads),
        cmocka_unit_test(test_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
