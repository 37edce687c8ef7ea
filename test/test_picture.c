// Pictures: the depth of every pixel is that of the ray through it, equal moments give equal
// pixels, and files hold what was drawn.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/picture.h"
#include "cond/query.h"
#include "failing_allocator.h"
#include "kinds_make.h"
#include "record_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Setup {
    Trial trial;
    CondSnapshot* snapshot;
    CondPicture* picture;
    CondPictureDef def;
    uint8_t* rgb;
    float* depth;
} Setup;

static Setup begin(CondScene* scene, int width, int height, int samples)
{
    Setup s = {.trial = trial_begin(scene), .def = cond_picture_def_default()};
    CondError error;
    s.def.width = width;
    s.def.height = height;
    s.def.samples = samples;
    assert_int_equal(cond_snapshot_create(NULL, s.trial.model, &s.snapshot, &error), COND_OK);
    assert_int_equal(cond_snapshot_take(s.snapshot, NULL, s.trial.state, NULL, &error), COND_OK);
    assert_int_equal(
        cond_picture_create(NULL, cond_snapshot_scenery(s.snapshot), &s.def, &s.picture, &error),
        COND_OK);
    size_t n = (size_t)width * (size_t)height;
    s.rgb = malloc(3 * n);
    s.depth = malloc(n * sizeof *s.depth);
    return s;
}

static void draw(Setup* s, const CondCamera* camera)
{
    CondError error = {COND_OK, ""};
    const CondMoment* moment = cond_snapshot_moment(s->snapshot);
    assert_int_equal(cond_picture_look(s->picture, camera, moment, &error), COND_OK);
    assert_int_equal(cond_picture_draw(s->picture, moment, s->rgb, &error), COND_OK);
    cond_picture_depth(s->picture, s->depth);
}

static void end(Setup* s)
{
    free(s->rgb), free(s->depth);
    cond_picture_destroy(s->picture);
    cond_snapshot_destroy(s->snapshot);
    trial_end(&s->trial);
}

// A ball, a turned box, a soft cube, a round rod and a peg above a floor.
static CondScene* make_things(void)
{
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
    add_material(scene, &rubber);
    CondBodyDef ball = make_box(1.0, 0.3, 0.0, 0.0, 1.0, 0.0, 0.4);
    ball.shape = COND_SHAPE_SPHERE;
    ball.inertia_from_shape = 1;
    CondBodyDef box = make_box(1.0, 0.5, 0.4, 0.3, 0.0, 1.0, 0.5);
    make_turn(1.0, 2.0, 0.5, 0.7, box.orientation);
    CondBodyDef soft = make_soft("soft", "box:3,2,2:0.5,0.5,0.5", "rubber", -1.0, 0.0, 0.3);
    CondBodyDef rod = cond_body_def_default();
    rod.kind = COND_BODY_ROD;
    snprintf(rod.name, sizeof rod.name, "rod");
    snprintf(rod.material, sizeof rod.material, "rubber");
    rod.rod.links = 5;
    rod.rod.length = 1.0;
    rod.rod.circle = 0.05;
    rod.position[2] = 0.2;
    CondObstacleDef peg = make_obstacle(COND_SHAPE_CYLINDER, 0.1, 0.8, 0.0, 0.5, -0.8, 0.4);
    add_body(scene, &ball);
    add_body(scene, &box);
    add_body(scene, &soft);
    add_body(scene, &rod);
    add_obstacle(scene, &peg);
    add_floor(scene, 0.5, 0.0);
    return scene;
}

// The ray of a pixel's first sample; its third axis has length one.
static void pixel_ray(const CondCamera* c, const CondPictureDef* def, int x, int y, double eye[3],
                      double d[3])
{
    double a = c->azimuth * acos(-1.0) / 180.0, e = c->elevation * acos(-1.0) / 180.0;
    double back[3] = {cos(a) * cos(e), sin(a) * cos(e), sin(e)};
    double right[3] = {-sin(a), cos(a), 0.0};
    double up[3] = {-cos(a) * sin(e), -sin(a) * sin(e), cos(e)};
    double t = tan(0.5 * c->field * acos(-1.0) / 180.0), half = 0.5 / def->samples;
    double u = (x + half - 0.5 * def->width) / (0.5 * def->height) * t;
    double v = (0.5 * def->height - (y + half)) / (0.5 * def->height) * t;
    for (int i = 0; i < 3; i++) {
        eye[i] = c->target[i] + c->distance * back[i];
        d[i] = -back[i] + u * right[i] + v * up[i];
    }
}

// Every pixel against a ray: what is flat to rounding, what is round to its facets, and edges may
// fall to either side.
static void compare_with_rays(Setup* s)
{
    CondQuery* query;
    CondError error;
    CondCamera camera = cond_picture_camera(s->picture);
    int odd[2] = {0, 0}, things = 0; // of what is round, of what is flat
    assert_int_equal(cond_query_create(s->trial.model, &query, &error), COND_OK);
    for (int y = 0; y < s->def.height; y++)
        for (int x = 0; x < s->def.width; x++) {
            double eye[3], d[3];
            CondHit hit;
            pixel_ray(&camera, &s->def, x, y, eye, d);
            assert_int_equal(cond_query_ray(query, eye, d, INFINITY, NULL, &hit), COND_OK);
            double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            double z = hit.distance / length, drawn = s->depth[y * s->def.width + x];
            int flat = hit.plane >= 0 || hit.body == 1 || hit.body == 2;
            double tolerance = flat ? 4e-4 * z : 4e-4 * z + 0.02;
            things += hit.plane < 0 && isfinite(z);
            if (isinf(z) != isinf(drawn) || (isfinite(z) && fabs(drawn - z) > tolerance))
                odd[flat]++;
        }
    cond_query_destroy(query);
    int n = s->def.width * s->def.height;
    assert_true(things > n / 20);
    if (odd[0] > n / 100 || odd[1] > 5)
        fail_msg("%d and %d of %d pixels differ from their rays", odd[0], odd[1], n);
}

static void test_rays(void** state)
{
    (void)state;
    Setup s = begin(make_things(), 160, 120, 2);
    static const double turn[][3] = {{-58, 24, 1}, {100, 60, 1.3}, {10, -5, 0.8}, {200, 2, 1}};
    for (size_t k = 0; k < sizeof turn / sizeof *turn; k++) {
        CondCamera camera = cond_camera_default();
        camera.azimuth = turn[k][0];
        camera.elevation = turn[k][1];
        camera.zoom = turn[k][2];
        draw(&s, &camera);
        compare_with_rays(&s);
    }
    CondCamera inside = cond_camera_default(); // between the things: some reach behind the eye
    inside.target[0] = inside.target[1] = 0.2;
    inside.target[2] = 0.3;
    inside.distance = 0.5;
    inside.field = 100.0;
    draw(&s, &inside);
    compare_with_rays(&s);
    end(&s);
}

// A ball that fills a known part of the picture, lit from above, on a floor that it shades.
static void test_ball(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondBodyDef ball = make_box(1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 2.0);
    ball.shape = COND_SHAPE_SPHERE;
    add_body(scene, &ball);
    Setup s = begin(scene, 200, 200, 2);
    CondCamera camera = cond_camera_default();
    camera.elevation = 0.0;
    camera.target[0] = camera.target[1] = 0.0;
    camera.target[2] = 2.0;
    camera.distance = 5.0;
    camera.field = 40.0;
    draw(&s, &camera);
    int inside = 0;
    for (int k = 0; k < 200 * 200; k++)
        inside += s.depth[k] < 5.0f;
    // The cone about a ball: tan of its half angle is r / sqrt(d^2 - r^2).
    double radius = 100.0 * 0.5 / sqrt(25.0 - 0.25) / tan(20.0 * acos(-1.0) / 180.0);
    assert_near(inside, acos(-1.0) * radius * radius, 0.02 * inside);
    assert_near(s.depth[100 * 200 + 100], 4.5, 0.01);
    const uint8_t *top = s.rgb + 3 * (75 * 200 + 100), *low = s.rgb + 3 * (125 * 200 + 100);
    assert_true(top[0] + top[1] + top[2] > low[0] + low[1] + low[2] + 60);
    end(&s);
}

static void test_same_bits(void** state)
{
    (void)state;
    Setup s = begin(zoo_scene(), 96, 64, 3), other = begin(zoo_scene(), 96, 64, 3);
    CondError error;
    draw(&s, NULL);
    // Never told where from, it looks as one that is told nothing; and one that is told all
    // shows the same.
    const CondMoment* moment = cond_snapshot_moment(other.snapshot);
    assert_int_equal(cond_picture_draw(other.picture, moment, other.rgb, &error), COND_OK);
    assert_memory_equal(s.rgb, other.rgb, 96 * 64 * 3);
    CondCamera camera = cond_picture_camera(s.picture);
    memset(other.rgb, 0, 96 * 64 * 3);
    draw(&other, &camera);
    assert_memory_equal(s.rgb, other.rgb, 96 * 64 * 3);
    end(&s);
    end(&other);
}

static void test_forces(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondPictureDef def = cond_picture_def_default();
    CondSnapshot* snapshot;
    CondPicture* picture;
    CondError error;
    static uint8_t rgb[3 * 320 * 240];
    def.width = 320;
    def.height = 240;
    def.force_length = 0.1;
    trial_step(&trial, 5);
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, &error), COND_OK);
    assert_int_equal(cond_snapshot_take(snapshot, trial.sim, trial.state, &trial.info, &error),
                     COND_OK);
    assert_int_equal(
        cond_picture_create(NULL, cond_snapshot_scenery(snapshot), &def, &picture, &error),
        COND_OK);
    const CondMoment* moment = cond_snapshot_moment(snapshot);
    assert_true(moment->n_contact > 0);
    assert_int_equal(cond_picture_draw(picture, moment, rgb, &error), COND_OK);
    int red = 0;
    for (int k = 0; k < 320 * 240; k++)
        red += rgb[3 * k] > 2 * rgb[3 * k + 1] + 20;
    assert_true(red > 5);
    cond_picture_destroy(picture);
    cond_snapshot_destroy(snapshot);
    trial_end(&trial);
}

static void test_refused(void** state)
{
    (void)state;
    Setup s = begin(zoo_scene(), 32, 24, 1);
    CondError error;
    CondPicture* none;
    CondPictureDef def = s.def;
    const CondScenery* scenery = cond_snapshot_scenery(s.snapshot);
    def.width = 0;
    assert_int_equal(cond_picture_create(NULL, scenery, &def, &none, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "0 x 24"));
    assert_null(none);
    def = s.def;
    def.samples = 5;
    assert_int_equal(cond_picture_create(NULL, scenery, &def, &none, &error), COND_BAD_ARGUMENT);
    def = s.def;
    def.force_length = NAN;
    assert_int_equal(cond_picture_create(NULL, scenery, &def, &none, &error), COND_BAD_ARGUMENT);
    const CondMoment* moment = cond_snapshot_moment(s.snapshot);
    CondCamera camera = cond_camera_default();
    camera.elevation = 90.0;
    assert_int_equal(cond_picture_look(s.picture, &camera, moment, &error), COND_BAD_ARGUMENT);
    camera = cond_camera_default();
    camera.distance = -1.0;
    assert_int_equal(cond_picture_look(s.picture, &camera, moment, &error), COND_BAD_ARGUMENT);
    camera = cond_camera_default();
    camera.target[1] = 1.0;
    camera.target[0] = 1.0; // the third is open
    assert_int_equal(cond_picture_look(s.picture, &camera, moment, &error), COND_BAD_ARGUMENT);
    end(&s);
}

static void test_memory(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    CondSnapshot* snapshot;
    CondError error;
    CondPictureDef def = cond_picture_def_default();
    uint8_t rgb[3 * 32 * 24], first[3 * 32 * 24] = {0};
    def.width = 32;
    def.height = 24;
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, &error), COND_OK);
    assert_int_equal(cond_snapshot_take(snapshot, NULL, trial.state, NULL, &error), COND_OK);
    const CondMoment* moment = cond_snapshot_moment(snapshot);
    for (long fail = 0;; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        CondContext context = failing_allocator_context(&allocator);
        CondPicture* picture;
        CondStatus status =
            cond_picture_create(&context, cond_snapshot_scenery(snapshot), &def, &picture, &error);
        if (!status && (status = cond_picture_draw(picture, moment, rgb, &error))) {
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            status = cond_picture_draw(picture, moment, rgb, &error); // may be tried again
            assert_int_equal(status, COND_OK);
        }
        if (!status && fail == 0)
            memcpy(first, rgb, sizeof first);
        if (!status)
            assert_memory_equal(first, rgb, sizeof first);
        else
            assert_int_equal(status, COND_OUT_OF_MEMORY);
        cond_picture_destroy(picture);
        assert_int_equal(allocator.live, 0);
        if (fail > 0 && allocator.calls < fail) {
            assert_true(fail > 15);
            break;
        }
    }
    cond_snapshot_destroy(snapshot);
    trial_end(&trial);
}

static void test_png(void** state)
{
    (void)state;
    static const uint8_t head[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                     0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    uint8_t rgb[3 * 7 * 5], read[512];
    CondError error;
    for (size_t k = 0; k < sizeof rgb; k++)
        rgb[k] = (uint8_t)(37 * k);
    assert_int_equal(cond_png_write(NULL, "picture.png", 7, 5, rgb, &error), COND_OK);
    FILE* file = fopen("picture.png", "rb");
    assert_non_null(file);
    size_t n = fread(read, 1, sizeof read, file);
    fclose(file);
    remove("picture.png");
    assert_true(n > 60 && n < sizeof read);
    assert_memory_equal(read, head, sizeof head);
    assert_int_equal(read[19], 7);
    assert_int_equal(read[23], 5);
    assert_memory_equal(read + n - 8, "IEND\xae\x42\x60\x82", 8);
    assert_int_equal(cond_png_write(NULL, "no/such/picture.png", 7, 5, rgb, &error), COND_NO_FILE);
    assert_int_equal(cond_png_write(NULL, "picture.png", 0, 5, rgb, &error), COND_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),      cmocka_unit_test(test_ball),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_forces),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_png),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
