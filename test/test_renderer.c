// Pictures in batches: depths are those of planes, spheres and boxes and of the single pictures,
// the bits do not depend on the number of threads, and a camera on a link follows it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/env.h"
#include "cond/renderer.h"
#include "failing_allocator.h"
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
    return (Shot){n,
                  width,
                  height,
                  malloc(3 * pixels),
                  malloc(pixels * sizeof(float)),
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
    *body = isinf(best)    ? (int)COND_DRAWN_NOTHING
            : best == z[0] ? 0
            : best == z[1] ? 1
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
                Ray ray =
                    ray_of(renderer, trial.state, &shot, x + 0.5 + off[k][0], y + 0.5 + off[k][1]);
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
    assert_true(edges < 600 && seen[0] > 100 && seen[1] > 100 && seen[2] > 2000);
    cond_renderer_destroy(renderer);
    give_room(&shot);
    trial_end(&trial);
}

// A camera of the scene and the same definition given to the renderer draw the same picture.
static void a_camera_of_the_scene(void** unused)
{
    (void)unused;
    CondScene* scene = make_shapes();
    CondCameraDef camera = camera_at(1.4, -1.9, 0.9);
    snprintf(camera.name, sizeof camera.name, "front");
    assert_int_equal(cond_scene_add_camera(scene, &camera, &error), COND_OK);
    assert_int_equal(cond_scene_add_camera(scene, &camera, &error), COND_BAD_ARGUMENT); // its name
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_model_n_camera(trial.model), 1);
    assert_string_equal(cond_model_camera_name(trial.model, 0), "front");
    assert_int_equal(cond_model_find_camera(trial.model, "front"), 0);
    CondRendererDef by_name = cond_renderer_def_default(), by_view;
    by_name.width = 40;
    by_name.height = 30;
    by_view = by_name;
    by_name.camera = "front";
    by_view.view = &camera;
    CondRenderer *first = make(trial.model, &by_name), *second = make(trial.model, &by_view);
    Shot a = take_room(1, 40, 30), b = take_room(1, 40, 30);
    draw(first, trial.state, &a);
    draw(second, trial.state, &b);
    assert_memory_equal(a.rgb, b.rgb, 3 * (size_t)40 * 30);
    assert_memory_equal(a.depth, b.depth, (size_t)40 * 30 * sizeof *a.depth);
    by_name.around *= 2; // of the ball alone
    cond_renderer_destroy(second);
    second = make(trial.model, &by_name);
    int coarse = cond_renderer_n_triangle(first), fine = cond_renderer_n_triangle(second);
    assert_true(coarse > 12 && fine - coarse > coarse);
    cond_renderer_destroy(first);
    cond_renderer_destroy(second);
    give_room(&a);
    give_room(&b);
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
    assert_true(colours / (3.0 * W * H) < 2.0);
    cond_picture_destroy(picture);
    cond_snapshot_destroy(snapshot);
    cond_renderer_destroy(renderer);
    free(depth), free(rgb);
    give_room(&shot);
    trial_end(&trial);
}

static void depth_is_that_of_single_pictures(void** unused)
{
    static const char* const scenes[] = {"push",    "ball",      "cable", "mat",
                                         "kitchen", "quadruped", "hills", "gripper"};
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

// ---- cameras

static CondRenderer* make_mounted(const CondModel* model, const char* camera, Shot* shot)
{
    CondRendererDef def = cond_renderer_def_default();
    def.camera = camera;
    def.width = shot->width;
    def.height = shot->height;
    return make(model, &def);
}

// The pose of the camera is that of its link times its own, and a ball before it stays where it is
// in the picture when both move together.
static void camera_follows_its_link(void** unused)
{
    static const char text[] =
        "planes: [{name: ground}]\n"
        "bodies:\n"
        "  - {name: cart, kind: rigid, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, "
        "1]}\n"
        "  - {name: ball, kind: rigid, mass: 1, shape: {sphere: 0.05}, position: [0.5, 0, 1]}\n"
        "cameras:\n"
        "  - {name: wrist, body: cart, position: [0.06, 0, 0], target: [1, 0, 0], field: 60}\n";
    (void)unused;
    CondScene* scene = NULL;
    if (cond_scene_read_text(NULL, text, NULL, 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    Trial trial = trial_begin(scene);
    Shot before = take_room(1, 64, 64), after = take_room(1, 64, 64);
    CondRenderer* renderer = make_mounted(trial.model, "wrist", &before);
    draw(renderer, trial.state, &before);
    int at = 32 * 64 + 32, ball = cond_model_find_body(trial.model, "ball");
    assert_int_equal(before.body[at], ball);
    assert_true(fabs((double)before.depth[at] - (0.44 - 0.05)) < 3e-3);
    // Both turn by a quarter about z, and rise by one metre.
    double half = sqrt(0.5), axes[9], position[3], field;
    CondPose pose = {.position = {1.0, 2.0, 2.0}, .orientation = {half, 0.0, 0.0, half}};
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, 0, &pose), COND_OK);
    pose.position[1] += 0.5;
    assert_int_equal(cond_state_set_pose(trial.model, trial.state, ball, &pose), COND_OK);
    draw(renderer, trial.state, &after);
    int moved = 0;
    for (int k = 0; k < 64 * 64; k++) {
        if (before.body[k] == ball && after.body[k] == ball)
            assert_true(fabsf(before.depth[k] - after.depth[k]) < 1e-3f);
        moved += (before.body[k] == ball) != (after.body[k] == ball);
    }
    assert_true(moved < 8); // its 16 corners around are elsewhere
    assert_int_equal(cond_renderer_camera(renderer, trial.state, position, axes, &field), COND_OK);
    const double place[3] = {1.0, 2.06, 2.0}, ahead[3] = {0.0, 1.0, 0.0}, up[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(position[i] - place[i]) < 1e-12);
        assert_true(fabs(axes[6 + i] - ahead[i]) < 1e-12 && fabs(axes[3 + i] - up[i]) < 1e-12);
    }
    assert_true(field == 60.0);
    cond_renderer_destroy(renderer);
    give_room(&before), give_room(&after);
    trial_end(&trial);
}

static void refuse(const char* camera, const char* message)
{
    char text[600];
    CondScene* scene = NULL;
    CondModel* model = NULL;
    snprintf(text, sizeof text,
             "bodies:\n"
             "  - {name: box, kind: rigid, mass: 1, shape: {box: [1, 1, 1]}}\n"
             "cameras:\n"
             "  - {name: eye, %s}\n",
             camera);
    CondStatus status = cond_scene_read_text(NULL, text, NULL, 0, NULL, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    assert_int_not_equal(status, COND_OK);
    if (!strstr(error.message, message) || !strstr(error.message, "text:4"))
        fail_msg("%s", error.message);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

static void cameras_are_checked(void** unused)
{
    (void)unused;
    refuse("target: [1, 0, 0]", "position: is required");
    refuse("position: [0, 0, 0]", "target: must not be the position");
    refuse("position: [0, 0, 1]", "up: must not point along the view");
    refuse("position: [0, 1, 1], field: 190", "field: is 190: must be between 0 and 180 degrees");
    refuse("position: [0, 1, 1], link: hand", "body: is required");
    refuse("position: [0, 1, 1], body: bix", "body: ");
    refuse("position: [0, 1, 1], body: box, link: hand", "link: only robots have links");
    refuse("position: [0, 1, 1], feild: 20", "field");
}

static void definitions_are_checked(void** unused)
{
    (void)unused;
    Trial trial = trial_begin(make_shapes());
    CondRenderer* renderer = NULL;
    CondRendererDef def = cond_renderer_def_default();
    CondRendererArrays arrays = cond_renderer_arrays_default();
    def.width = 0;
    assert_int_equal(cond_renderer_create(NULL, trial.model, &def, &renderer, &error),
                     COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "a picture of 0 x 84 pixels"));
    def = cond_renderer_def_default();
    def.camera = "wrist";
    assert_int_equal(cond_renderer_create(NULL, trial.model, &def, &renderer, &error),
                     COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "the scene has no camera 'wrist'"));
    def = cond_renderer_def_default();
    def.around = 10;
    assert_int_equal(cond_renderer_create(NULL, trial.model, &def, &renderer, &error),
                     COND_BAD_ARGUMENT);
    if (!cond_device_cuda_name(NULL)) {
        def = cond_renderer_def_default();
        def.device = COND_DEVICE_CUDA;
        assert_int_equal(cond_renderer_create(NULL, trial.model, &def, &renderer, &error),
                         COND_NOT_SUPPORTED);
    }
    assert_null(renderer);
    def = cond_renderer_def_default();
    renderer = make(trial.model, &def);
    assert_int_equal(cond_renderer_draw(renderer, 0, NULL, NULL, &arrays, &error), COND_OK);
    assert_int_equal(cond_renderer_draw(renderer, -1, NULL, NULL, &arrays, &error),
                     COND_BAD_ARGUMENT);
    Trial other = trial_begin(make_shapes());
    const CondState* state = other.state;
    const CondModel* model = other.model;
    assert_int_equal(cond_renderer_draw(renderer, 1, &model, &state, &arrays, &error), COND_OK);
    trial_end(&other);
    cond_renderer_destroy(renderer);
    trial_end(&trial);
}

// ---- shapes that a seed draws

static void drawn_shapes_are_seen(void** unused)
{
    (void)unused;
    enum { N = 6, W = 48 };
    static const char scene[] =
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: ball, kind: rigid, mass: 1, shape: {sphere: 0.1}}\n"
        "randomise: [{path: bodies.ball.shape.sphere, low: 0.05, high: 0.3}]\n"
        "cameras: [{name: eye, position: [0, -2, 0], field: 30}]\n";
    CondEnvDef def = cond_env_def_default();
    CondEnvBatch* batch = NULL;
    def.text = scene;
    if (cond_env_batch_create(NULL, &def, N, 1, &batch, &error))
        fail_msg("%s", error.message);
    Shot shot = take_room(N, W, W);
    CondRendererDef how = cond_renderer_def_default();
    CondRendererArrays arrays = arrays_of(&shot);
    CondRenderer* renderer = NULL;
    how.width = how.height = W;
    how.around = 64;
    if (cond_env_renderer_create(cond_env_batch_env(batch, 0), &how, &renderer, &error))
        fail_msg("%s", error.message);
    for (int pass = 0; pass < 3; pass++) {
        if (cond_env_batch_draw(batch, renderer, &arrays, &error))
            fail_msg("%s", error.message);
        for (int i = 0; i < N; i++) {
            double radius = cond_env_drawn(cond_env_batch_env(batch, i), 0);
            double z = (double)shot.depth[i * W * W + W / 2 * W + W / 2];
            assert_true(fabs(z - (2.0 - radius)) < 1e-2 * radius + 1e-3);
        }
        uint64_t seed[N];
        for (int i = 0; i < N; i++)
            seed[i] = (uint64_t)(100 * pass + i + 50);
        assert_int_equal(cond_env_batch_reset(batch, seed, NULL, &error), COND_OK);
    }
    cond_renderer_destroy(renderer);
    give_room(&shot);
    cond_env_batch_destroy(batch);
}

// ---- memory

static CondStatus draw_all(const CondContext* context, const CondModel* model,
                           const CondState* state, const Shot* shot)
{
    CondRendererDef def = cond_renderer_def_default();
    CondRendererArrays arrays = arrays_of(shot);
    CondRenderer* renderer = NULL;
    def.threads = 1;
    def.width = def.height = shot->width;
    CondStatus status = cond_renderer_create(context, model, &def, &renderer, &error);
    for (int pass = 0; pass < 2 && !status; pass++)
        status = cond_renderer_draw(renderer, 1, NULL, &state, &arrays, &error);
    cond_renderer_destroy(renderer);
    return status;
}

static void memory_may_run_out(void** unused)
{
    (void)unused;
    Trial trial = trial_begin(make_shapes());
    Shot shot = take_room(1, 20, 20);
    for (long i = 1;; i++) {
        FailingAllocator allocator = {.fail_at = i};
        CondContext context = failing_allocator_context(&allocator);
        CondStatus status = draw_all(&context, trial.model, trial.state, &shot);
        assert_int_equal(allocator.live, 0);
        if (!status)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
    give_room(&shot);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_that_of_the_shapes),
        cmocka_unit_test(a_camera_of_the_scene),
        cmocka_unit_test(depth_is_that_of_single_pictures),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(camera_follows_its_link),
        cmocka_unit_test(cameras_are_checked),
        cmocka_unit_test(definitions_are_checked),
        cmocka_unit_test(drawn_shapes_are_seen),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
