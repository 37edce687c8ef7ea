// A picture: camera, sun, floors, and the order in which all is drawn.
#include "record/picture.h"

#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "record/light.h"
#include "record/tuning.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

void cond_camera_default_fill(CondCamera* made, size_t size)
{
    const CondCamera defaults = {.struct_size = sizeof defaults,
                                 .azimuth = -58.0,
                                 .elevation = 24.0,
                                 .zoom = 1.0,
                                 .target = {NAN, NAN, NAN},
                                 .distance = NAN,
                                 .field = 32.0};
    cond_definition_fill(made, size, &defaults, sizeof defaults, offsetof(CondCamera, struct_size));
}

void cond_picture_def_default_fill(CondPictureDef* made, size_t size)
{
    const CondPictureDef defaults = {
        .struct_size = sizeof defaults, .width = 480, .height = 360, .samples = 2, .shadows = 768};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondPictureDef, struct_size));
}

static CondStatus check_def(const CondPictureDef* def, CondError* error)
{
    if (def->width < 1 || def->width > 8192 || def->height < 1 || def->height > 8192)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "a picture of %d x %d pixels: each must be 1 to 8192", def->width,
                              def->height);
    if (def->samples < 1 || def->samples > 4)
        return cond_error_set(error, COND_BAD_ARGUMENT, "samples is %d: must be 1 to 4",
                              def->samples);
    if (def->shadows < 0 || def->shadows > 8192)
        return cond_error_set(error, COND_BAD_ARGUMENT, "shadows is %d: must be 0 to 8192",
                              def->shadows);
    if (!(def->force_length >= 0.0) || !isfinite(def->force_length))
        return cond_error_set(error, COND_BAD_ARGUMENT, "force_length is %g: must not be negative",
                              def->force_length);
    return COND_OK;
}

static CondStatus make_raster(CondPicture* picture, int width, int height, int sees, CondRaster* r)
{
    size_t n = (size_t)width * (size_t)height;
    r->width = width;
    r->height = height;
    r->w = cond_arena_allocate(&picture->arena, n, sizeof *r->w);
    r->seen = sees ? cond_arena_allocate(&picture->arena, n, sizeof *r->seen) : NULL;
    return !r->w || (sees && !r->seen) ? COND_OUT_OF_MEMORY : COND_OK;
}

static CondStatus allocate_all(CondPicture* picture, const CondScenery* scenery)
{
    const CondPictureDef* def = &picture->def;
    int s = def->samples;
    picture->n_point = scenery->n_point;
    picture->plane_begin = scenery->plane_begin;
    picture->n_plane = (scenery->n_point - scenery->plane_begin) / 4;
    picture->n_floor = picture->n_plane > 0 ? picture->n_plane : 1;
    picture->floor =
        cond_arena_allocate(&picture->arena, (size_t)picture->n_floor, sizeof *picture->floor);
    if (!picture->floor || make_raster(picture, s * def->width, s * def->height, 1, &picture->view))
        return COND_OUT_OF_MEMORY;
    if (def->shadows > 0 && make_raster(picture, def->shadows, def->shadows, 0, &picture->shade))
        return COND_OUT_OF_MEMORY;
    return cond_picture_mesh_create(picture, scenery);
}

CondStatus cond_picture_create(const CondContext* context, const CondScenery* scenery,
                               const CondPictureDef* def, CondPicture** picture, CondError* error)
{
    CondContext m = cond_context_or_default(context);
    CondPictureDef own = cond_picture_def_default();
    *picture = NULL;
    CondStatus status = COND_OK;
    if (def)
        status = cond_definition_take(def, &own, sizeof own, offsetof(CondPictureDef, struct_size),
                                      "cond_picture_def_default", error);
    if (status || (status = check_def(&own, error)))
        return status;
    CondPicture* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_arena_begin(&m, &made->arena);
    made->def = own;
    made->camera = cond_camera_default();
    for (int k = 0; k < 4096; k++) {
        double x = k / 4095.0, s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
        made->srgb[k] = (uint8_t)(255.0 * s + 0.5);
    }
    cond_picture_linear(COND_LIGHT_BACKGROUND, made->background);
    cond_picture_linear(COND_LIGHT_FLOOR, made->ground);
    if (allocate_all(made, scenery)) {
        cond_picture_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    *picture = made;
    return COND_OK;
}

void cond_picture_destroy(CondPicture* picture)
{
    if (!picture)
        return;
    CondContext m = picture->arena.context;
    cond_arena_release(&picture->arena);
    cond_release(&m, picture);
}

static int is_point(const double x[3])
{
    return isfinite(x[0] + x[1] + x[2]);
}

// How large the scene is and where its middle lies.
static void measure(CondPicture* picture, const double* position)
{
    double box[2][3], edge[3];
    int n = 0;
    for (int p = 0; p < picture->plane_begin; p++) {
        const double* x = position + 3 * (size_t)p;
        for (int i = 0; i < 3 && is_point(x); i++) {
            box[0][i] = n > 0 ? fmin(box[0][i], x[i]) : x[i];
            box[1][i] = n > 0 ? fmax(box[1][i], x[i]) : x[i];
        }
        n += is_point(x);
    }
    for (int i = 0; i < 3; i++) {
        if (n == 0)
            box[0][i] = -0.5, box[1][i] = 0.5;
        edge[i] = box[1][i] - box[0][i];
        picture->centre[i] = 0.5 * (box[0][i] + box[1][i]);
    }
    picture->lowest = box[0][2];
    picture->size = fmax(vec3_norm(edge), COND_PICTURE_NEAR);
    picture->cell = pow(10.0, floor(log10(0.5 * picture->size)));
}

// The axes of a camera: rows right, up, ahead.
static void turn(CondPictureEye* eye, double azimuth, double elevation)
{
    double a = azimuth * pi / 180.0, e = elevation * pi / 180.0;
    double back[3] = {cos(a) * cos(e), sin(a) * cos(e), sin(e)};
    double right[3] = {-sin(a), cos(a), 0.0};
    memcpy(eye->axis, right, sizeof right);
    vec3_cross(back, right, eye->axis + 3);
    for (int i = 0; i < 3; i++)
        eye->axis[6 + i] = -back[i];
}

// Chooses distance and target where the camera leaves them open. The sides of the view are four
// planes; each must stand as far out as the outermost point.
static void fit(CondPicture* picture, const double* position)
{
    CondCamera* camera = &picture->camera;
    const double* axis = picture->eye.axis;
    double tall = 0.86 * tan(0.5 * camera->field * pi / 180.0);
    double wide = tall * picture->def.width / picture->def.height;
    double out[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}; // left, right, down, up
    for (int p = 0; p < picture->plane_begin; p++) {
        const double* x = position + 3 * (size_t)p;
        double d[3], e[3];
        if (!is_point(x))
            continue;
        for (int i = 0; i < 3; i++)
            d[i] = x[i] - picture->centre[i];
        mat3_multiply(axis, d, e);
        out[0] = fmax(out[0], -e[2] * wide - e[0]);
        out[1] = fmax(out[1], -e[2] * wide + e[0]);
        out[2] = fmax(out[2], -e[2] * tall - e[1]);
        out[3] = fmax(out[3], -e[2] * tall + e[1]);
    }
    int none = !isfinite(out[0]);
    double distance = fmax((out[0] + out[1]) / (2.0 * wide), (out[2] + out[3]) / (2.0 * tall));
    distance = none ? 3.0 * picture->size : fmax(distance, 0.3 * picture->size);
    if (isnan(camera->distance))
        camera->distance = distance / camera->zoom;
    if (isnan(camera->target[0]))
        for (int i = 0; i < 3; i++)
            camera->target[i] = picture->centre[i] +
                                (none ? 0.0 : 0.5 * (out[1] - out[0])) * axis[i] +
                                (none ? 0.0 : 0.5 * (out[3] - out[2])) * axis[3 + i];
}

static void place_eye(CondPicture* picture, const double* position)
{
    CondCamera* camera = &picture->camera;
    CondPictureEye* eye = &picture->eye;
    turn(eye, camera->azimuth, camera->elevation);
    fit(picture, position);
    for (int i = 0; i < 3; i++)
        eye->position[i] = camera->target[i] - camera->distance * eye->axis[6 + i];
    eye->perspective = 1;
    eye->near = COND_PICTURE_NEAR * camera->distance;
    eye->middle[0] = 0.5 * picture->view.width;
    eye->middle[1] = 0.5 * picture->view.height;
    eye->scale = eye->middle[1] / tan(0.5 * camera->field * pi / 180.0);
}

// The sun stands still; its picture holds a ball about the scene, with room for what moves.
static void place_sun(CondPicture* picture)
{
    CondPictureEye* sun = &picture->sun;
    double hint[3] = {1.0, 0.0, 0.0}, R[9], reach = 0.9 * picture->size;
    mat3_frame(cond_light_sun, hint, R); // rows: ahead, right, up
    memcpy(sun->axis, R + 3, 6 * sizeof *R);
    memcpy(sun->axis + 6, R, 3 * sizeof *R);
    memcpy(sun->position, picture->centre, sizeof sun->position);
    sun->perspective = 0;
    sun->middle[0] = sun->middle[1] = 0.5 * picture->def.shadows;
    sun->scale = sun->middle[0] / reach;
}

static CondStatus check_camera(const CondCamera* camera, CondError* error)
{
    int open = isnan(camera->target[0]) || is_point(camera->target);
    if (!isfinite(camera->azimuth) || !(fabs(camera->elevation) <= 89.0))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "camera: azimuth %g, elevation %g: degrees, -89 to 89 the second",
                              camera->azimuth, camera->elevation);
    if (!(camera->zoom >= 1.0 / COND_PICTURE_ZOOM && camera->zoom <= COND_PICTURE_ZOOM) ||
        camera->distance <= 0.0 || isinf(camera->distance))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "camera: zoom must be 0.001 to 1000, a distance positive");
    if (!open || !(camera->field >= 1.0 && camera->field <= 150.0))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "camera: the target must be finite, the field 1 to 150 degrees");
    return COND_OK;
}

CondStatus cond_picture_look(CondPicture* picture, const CondCamera* camera,
                             const CondMoment* moment, CondError* error)
{
    CondCamera own = cond_camera_default();
    CondStatus status = COND_OK;
    if (camera)
        status = cond_definition_take(camera, &own, sizeof own, offsetof(CondCamera, struct_size),
                                      "cond_camera_default", error);
    if (status || (status = check_camera(&own, error)))
        return status;
    picture->camera = own;
    measure(picture, moment->position);
    if (!picture->looked && cond_picture_mesh_split(picture, moment->position))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    picture->looked = 1;
    place_eye(picture, moment->position);
    place_sun(picture);
    return COND_OK;
}

CondCamera cond_picture_camera(const CondPicture* picture)
{
    return picture->camera;
}

// factor times the component of a sample's ray along a direction, as coefficients of its place.
static void affine(const CondPictureEye* eye, const double along[3], double factor, double row[3])
{
    double n[3];
    mat3_multiply(eye->axis, along, n);
    row[0] = factor * n[0] / eye->scale;
    row[1] = -factor * n[1] / eye->scale;
    row[2] = factor * n[2] - row[0] * eye->middle[0] - row[1] * eye->middle[1];
}

// A plane from the four corners of its square.
static void take_floor(const CondPicture* picture, const double* x, CondPictureFloor* floor)
{
    double u[3], v[3], length[2];
    for (int i = 0; i < 3; i++) {
        u[i] = x[3 + i] - x[i];
        v[i] = x[6 + i] - x[i];
        floor->middle[i] = 0.5 * (x[i] + x[9 + i]);
    }
    length[0] = vec3_norm(u);
    length[1] = vec3_norm(v);
    for (int i = 0; i < 3; i++) {
        floor->axis[i] = u[i] / length[0];
        floor->axis[3 + i] = v[i] / length[1];
    }
    vec3_cross(floor->axis, floor->axis + 3, floor->normal);
    floor->offset = vec3_dot(floor->normal, x);
    floor->half[0] = 0.5 * length[0];
    floor->half[1] = 0.5 * length[1];
    floor->wall = !(floor->normal[2] > 0.5);
    double height = floor->offset - vec3_dot(floor->normal, picture->eye.position);
    for (int i = 0; i < 3; i++)
        floor->facing[i] = height > 0.0 ? -floor->normal[i] : floor->normal[i];
    affine(&picture->eye, floor->axis, 1.0, floor->image);
    affine(&picture->eye, floor->axis + 3, 1.0, floor->image + 3);
    affine(&picture->eye, floor->normal, 1.0 / height, floor->image + 6);
    for (int i = 0; i < 2; i++) {
        floor->below[i] = vec3_dot(floor->axis + 3 * i, picture->eye.position);
        floor->fade[i] = vec3_dot(floor->axis + 3 * i, picture->centre);
    }
}

// Where the scene has no plane there is a floor to look at under everything.
static void take_floors(CondPicture* picture, const double* position)
{
    double z = picture->lowest - 0.01 * picture->size;
    const double own[12] = {0.0, 0.0, z, 1.0, 0.0, z, 0.0, 1.0, z, 1.0, 1.0, z};
    for (int k = 0; k < picture->n_plane; k++)
        take_floor(picture, position + 3 * (size_t)(picture->plane_begin + 4 * k),
                   &picture->floor[k]);
    if (picture->n_plane == 0)
        take_floor(picture, own, &picture->floor[0]);
}

CondStatus cond_picture_draw(CondPicture* picture, const CondMoment* moment, uint8_t* rgb,
                             CondError* error)
{
    CondPictureMesh* mesh = &picture->mesh;
    if (!picture->looked) {
        CondStatus status = cond_picture_look(picture, NULL, moment, error);
        if (status)
            return status;
    }
    if (cond_picture_mesh_move(picture, moment))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    take_floors(picture, moment->position);
    if (picture->shade.w) {
        cond_raster_clear(&picture->shade);
        cond_raster_draw(&picture->shade, &picture->sun, mesh, 0, mesh->n_fixed);
    }
    cond_raster_clear(&picture->view);
    cond_raster_draw(&picture->view, &picture->eye, mesh, 0, mesh->n_triangle);
    for (int k = 0; k < picture->n_floor; k++)
        if (!picture->floor[k].wall)
            cond_raster_draw_floor(&picture->view, &picture->floor[k], k);
    cond_picture_shade(picture, rgb);
    return COND_OK;
}

void cond_picture_depth(const CondPicture* picture, float* depth)
{
    const CondPictureDef* def = &picture->def;
    int s = def->samples;
    for (int y = 0; y < def->height; y++)
        for (int x = 0; x < def->width; x++) {
            size_t at = (size_t)(y * s) * (size_t)picture->view.width + (size_t)(x * s);
            int invented = picture->n_plane == 0 && picture->view.seen[at] <= COND_SEEN_PLANE;
            float w = picture->looked && !invented ? picture->view.w[at] : 0.0f;
            depth[(size_t)y * (size_t)def->width + (size_t)x] = w > 0.0f ? 1.0f / w : INFINITY;
        }
}
