// Pictures in batches: depths are those of planes, spheres and boxes and of the single pictures, the
// bits do not depend on the number of threads, and a camera on a link follows it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/env.h"
#include "cond/renderer.h"
#include "kinds_make.h"
#include "record_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CondError error;

typedef struct Shot {
    int n, width, height;
    uint8_t* rgb;
    float* depth;
    int32_t* body;
} Shot;

static Shot take_room(int n, int width, int height)
{
    size_t pixels = (size_t)n * (size_t)width * (size_t)height;
    return (Shot){n, width, height, malloc(3 * pixels), malloc(pixels * sizeof(float)),
                  malloc(pixels * sizeof(int32_t))};
}

static void give_room(Shot* shot)
{
    free(shot->rgb), free(shot->depth), free(shot->body);
}

static CondRendererArrays arrays_of(const Shot* shot)
{
    CondRendererArrays arrays = cond_renderer_arrays_default();
    arrays.rgb = shot->rgb;
    arrays.depth = shot->depth;
    arrays.body = shot->body;
    return arrays;
}

static CondRenderer* make(const CondModel* model, const CondRendererDef* def)
{
    CondRenderer* renderer = NULL;
    if (cond_renderer_create(NULL, model, def, &renderer, &error))
        fail_msg("%s", error.message);
    return renderer;
}

static void draw(CondRenderer* renderer, const CondState* state, const Shot* shot)
{
    CondRendererArrays arrays = arrays_of(shot);
    if (cond_renderer_draw(renderer, 1, NULL, &state, &arrays, &error))
        fail_msg("%s", error.message);
}

static CondCameraDef camera_at(double x, double y, double z)
{
    CondCameraDef camera = cond_camera_def_default();
    camera.position[0] = x;
    camera.position[1] = y;
    camera.position[2] = z;
    return camera;
}

// ---- analytic depths

typedef struct Ray {
    double eye[3], d[3]; // d: one along the axis of the camera
} Ray;

static Ray ray_of(CondRenderer* renderer, const CondState* state, const Shot* shot, double x,
                  double y)
{
    Ray ray;
    double axes[9], field;
    assert_int_equal(cond_renderer_camera(renderer, state, ray.eye, axes, &field), COND_OK);
    double scale = 0.5 * shot->height / tan(0.5 * field * acos(-1.0) / 180.0);
    double right = (x - 0.5 * shot->width) / scale, up = (0.5 * shot->height - y) / scale;
    for (int i = 0; i < 3; i++)
        ray.d[i] = right * axes[i] + up * axes[3 + i] + axes[6 + i];
    return ray;
}

static double to_plane(const Ray* ray)
{
    double z = -ray->eye[2] / ray->d[2];
    return z > 0.0 ? z : INFINITY;
}

static double to_ball(const Ray* ray, const double centre[3], double radius)
{
    double a = 0.0, b = 0.0, c = -radius * radius;
    for (int i = 0; i < 3; i++) {
        double m = ray->eye[i] - centre[i];
        a += ray->d[i] * ray->d[i];
        b += ray->d[i] * m;
        c += m * m;
    }
    return b * b >= a * c ? (-b - sqrt(b * b - a * c)) / a : INFINITY;
}

static double to_box(const Ray* ray, const double centre[3], double half)
{
    double in = -INFINITY, out = INFINITY;
    for (int i = 0; i < 3; i++) {
        double p = (centre[i] - half - ray->eye[i]) / ray->d[i];
        double q = (centre[i] + half - ray->eye[i]) / ray->d[i];
        in = fmax(in, fmin(p, q));
        out = fmin(out, fmax(p, q));
    }
    return in <= out ? in : INFINITY;
}

static const double ball_at[3] = {0.3, 0.2, 0.4}, box_at[3] = {-0.4, 0.1, 0.35};

static CondScene* make_shapes(void)
{
    CondScene* scene = NULL;
    assert_int_equal(cond_scene_create(NULL, &scene, &error), COND_OK);
    CondPlaneDef plane = cond_plane_def_default();
    assert_int_equal(cond_scene_add_plane(scene, &plane, &error), COND_OK);
    CondBodyDef ball = cond_body_def_default(), box = cond_body_def_default();
    ball.shape = COND_SHAPE_SPHERE;
    box.shape = COND_SHAPE_BOX;
    ball.mass = box.mass = 1.0;
    ball.size[0] = 0.2;
    for (int i = 0; i < 3; i++) {
        box.size[i] = 0.3;
        ball.position[i] = ball_at[i];
        box.position[i] = box_at[i];
    }
    assert_int_equal(cond_scene_add_body(scene, &ball, &error), COND_OK);
    assert_int_equal(cond_scene_add_body(scene, &box, &error), COND_OK);
    return scene;
}

// The nearest of the three along a ray, and which.
static double nearest(const Ray* ray, int* body)
{
    double z[3] = {to_ball(ray, ball_at, 0.2), to_box(ray, box_at, 0.15), to_plane(ray)};
    double best = fmin(z[0], fmin(z[1], z[2]));
    *body = isinf(best)      ? (int)COND_DRAWN_NOTHING
            : best == z[0]   ? 0
            : best == z[1]   ? 1
                             : (int)COND_DRAWN_PLANE;
    return best;
}

static void depth_is_that_of_the_shapes(void** unused)
{
    (void)unused;
    Trial trial = trial_begin(make_shapes());
    CondRendererDef def = cond_renderer_def_default();
    CondCameraDef camera = camera_at(1.4, -1.9, 0.9);
    Shot shot = take_room(1, 100, 75);
    int edges = 0, seen[3] = {0, 0, 0};
    camera.target[2] = 0.3;
    def.view = &camera;
    def.width = shot.width;
    def.height = shot.height;
    def.around = 64;
    CondRenderer* renderer = make(trial.model, &def);
    draw(renderer, trial.state, &shot);
    for (int y = 0; y < shot.height; y++)
        for (int x = 0; x < shot.width; x++) {
            int at = y * shot.width + x, body[5], same = 1;
            double z = 0.0;
            for (int k = 0; k < 5; k++) { // the middle of the pixel, and a half to each side
                static const double off[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
                Ray ray = ray_of(renderer, trial.state, &shot, x + 0.5 + off[k][0],
                                 y + 0.5 + off[k][1]);
                double here = nearest(&ray, &body[k]);
                z = k == 0 ? here : z;
                same &= body[k] == body[0];
            }
            edges += !same;
            if (!same)
                continue;
            assert_int_equal(shot.body[at], body[0]);
            if (isinf(z)) {
                assert_true(isinf(shot.depth[at]));
                continue;
            }
            seen[body[0] >= 0 ? body[0] : 2]++;
            // A ball of 64 corners around is flattened by 0.12 % of its radius, more at its rim.
            double off = body[0] == 0 ? 0.01 : 3e-4 * z + 1e-5;
            assert_true(fabs((double)shot.depth[at] - z) <= off);
        }
    print_message("%d edges, seen %d %d %d\n", edges, seen[0], seen[1], seen[2]);
    assert_true(edges < 600 && seen[0] > 100 && seen[1] > 100 && seen[2] > 2000);
    cond_renderer_destroy(renderer);
    give_room(&shot);
    trial_end(&trial);
}

// ---- single pictures

// 1 where the depth lies between those of the other picture around the same pixel.
static int is_between(const float* depth, const float* other, int width, int height, int at)
{
    int x = at % width, y = at / width;
    float low = INFINITY, high = 0.0f;
    for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < height; j++)
        for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < width; i++) {
            low = fminf(low, other[j * width + i]);
            high = fmaxf(high, other[j * width + i]);
        }
    return depth[at] >= 0.999f * low && depth[at] <= 1.001f * high;
}

static void compare(const char* name, const char* const* set, int n_set)
{
    enum { W = 96, H = 72 };
    CondScene* scene = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", COND_SCENES, name);
    if (cond_scene_read(NULL, path, n_set, set, &scene, &error))
        fail_msg("%s", error.message);
    Trial trial = trial_begin(scene);
    Shot shot = take_room(1, W, H);
    CondRendererDef def = cond_renderer_def_default();
    CondPictureDef plain = cond_picture_def_default();
    CondSnapshot* snapshot = NULL;
    CondPicture* picture = NULL;
    float* depth = malloc(W * H * sizeof *depth);
    uint8_t* rgb = malloc(3 * W * H);
    def.width = plain.width = W;
    def.height = plain.height = H;
    def.around = 24;
    def.triangles = 24000;
    plain.samples = 1;
    plain.shadows = 0;
    CondRenderer* renderer = make(trial.model, &def); // both look from where all is seen
    draw(renderer, trial.state, &shot);
    assert_int_equal(cond_snapshot_create(NULL, trial.model, &snapshot, &error), COND_OK);
    assert_int_equal(cond_snapshot_take(snapshot, NULL, trial.state, NULL, &error), COND_OK);
    assert_int_equal(
        cond_picture_create(NULL, cond_snapshot_scenery(snapshot), &plain, &picture, &error),
        COND_OK);
    assert_int_equal(cond_picture_draw(picture, cond_snapshot_moment(snapshot), rgb, &error),
                     COND_OK);
    cond_picture_depth(picture, depth);
    int equal = 0;
    double colours = 0.0;
    for (int k = 0; k < W * H; k++) {
        float z = shot.depth[k];
        equal += (isinf(z) && isinf(depth[k])) || fabsf(z - depth[k]) <= 1e-3f * z;
        if (!is_between(shot.depth, depth, W, H, k) || !is_between(depth, shot.depth, W, H, k))
            fail_msg("%s: pixel %d, %d: depths %g and %g", name, k % W, k / W, (double)z,
                     (double)depth[k]);
        if (shot.body[k] >= 0)
            for (int i = 0; i < 3; i++)
                colours += abs(shot.rgb[3 * k + i] - rgb[3 * k + i]);
    }
    assert_true(equal > W * H * 97 / 100);
    print_message("%s: %d of %d equal, colours %g\n", name, equal, W * H, colours / (3.0 * W * H));
    assert_true(colours / (3.0 * W * H) < 99.0);
    cond_picture_destroy(picture);
    cond_snapshot_destroy(snapshot);
    cond_renderer_destroy(renderer);
    free(depth), free(rgb);
    give_room(&shot);
    trial_end(&trial);
}

static void depth_is_that_of_single_pictures(void** unused)
{
    static const char* const scenes[] = {"push", "ball", "cable", "mat", "kitchen", "quadruped",
                                         "hills", "gripper"};
    (void)unused;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        compare(scenes[k], NULL, 0);
}

// ---- batches

static CondEnvBatch* make_batch(const char* name, int n)
{
    CondEnvDef def = cond_env_def_default();
    CondEnvBatch* batch = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", COND_SCENES, name);
    def.scene = path;
    if (cond_env_batch_create(NULL, &def, n, 1, &batch, &error))
        fail_msg("%s", error.message);
    return batch;
}

static void draw_batch(CondEnvBatch* batch, int threads, const Shot* shot)
{
    CondRendererDef def = cond_renderer_def_default();
    CondRendererArrays arrays = arrays_of(shot);
    CondRenderer* renderer = NULL;
    def.threads = threads;
    def.width = shot->width;
    def.height = shot->height;
    if (cond_env_renderer_create(cond_env_batch_env(batch, 0), &def, &renderer, &error))
        fail_msg("%s", error.message);
    for (int pass = 0; pass < 2; pass++)
        if (cond_env_batch_draw(batch, renderer, &arrays, &error))
            fail_msg("%s", error.message);
    cond_renderer_destroy(renderer);
}

static void bits_do_not_depend_on_threads(void** unused)
{
    enum { N = 5, W = 84, H = 60 };
    static const int threads[] = {2, 7};
    (void)unused;
    CondEnvBatch* batch = make_batch("pusher", N);
    Shot one = take_room(N, W, H), other = take_room(N, W, H);
    const size_t pixels = (size_t)N * W * H;
    draw_batch(batch, 1, &one);
    for (int k = 0; k < 2; k++) {
        draw_batch(batch, threads[k], &other);
        assert_memory_equal(one.rgb, other.rgb, 3 * pixels);
        assert_memory_equal(one.depth, other.depth, pixels * sizeof(float));
        assert_memory_equal(one.body, other.body, pixels * sizeof(int32_t));
    }
    assert_true(memcmp(one.rgb, one.rgb + 3 * W * H, 3 * W * H) != 0); // other seeds differ
    give_room(&one), give_room(&other);
    cond_env_batch_destroy(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_that_of_the_shapes),
        cmocka_unit_test(depth_is_that_of_single_pictures),
        cmocka_unit_test(bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
