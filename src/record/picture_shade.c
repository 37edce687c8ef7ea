// The colours of a picture: a sun with shadows and a sky on what each sample sees.
#include "math/vec3.h"
#include "record/light.h"
#include "record/picture.h"

#include <math.h>
#include <string.h>

// Without the care that fmin and fmax take of NaN, which costs a call each.
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

// floor of numbers that fit an int; those of the grid are cut to that.
static inline double whole(double x)
{
    double at = (double)(int64_t)x;
    return at > x ? at - 1.0 : at;
}

typedef struct Sample {
    int seen;
    double x, y; // on the picture [samples]
    double w;    // nearness [1/m]
} Sample;

// Where a sample lies in the world: eye + d / w, d its ray with length one ahead.
static void sample_ray(const CondPictureEye* eye, double x, double y, double d[3])
{
    double e[3] = {(x - eye->middle[0]) / eye->scale, (eye->middle[1] - y) / eye->scale, 1.0};
    mat3_multiply_transposed(eye->axis, e, d);
}

// How much of the sun reaches a point, from the four samples of its picture around it.
static double sun_seen(const CondPicture* picture, const double x[3], const double n[3])
{
    const CondPictureEye* sun = &picture->sun;
    const CondRaster* map = &picture->shade;
    double d[3], e[3], lit = 0.0;
    if (!map->w)
        return 1.0;
    // Surfaces do not shade themselves by what a sample of the sun's picture rounds away.
    double lift = 2.0 / sun->scale;
    for (int i = 0; i < 3; i++)
        d[i] = x[i] + lift * n[i] - sun->position[i];
    mat3_multiply(sun->axis, d, e);
    double u = sun->middle[0] + sun->scale * e[0] - 0.5,
           v = sun->middle[1] - sun->scale * e[1] - 0.5;
    if (!(u >= 0.0 && v >= 0.0 && u < map->width - 1.0 && v < map->height - 1.0))
        return 1.0;
    int i = (int)u, j = (int)v;
    double s = u - i, t = v - j;
    const float* w = map->w + (size_t)j * (size_t)map->width + (size_t)i;
    float here = (float)(0.5 * lift - e[2]);
    lit += (1.0 - s) * (1.0 - t) * (w[0] <= here) + s * (1.0 - t) * (w[1] <= here);
    lit += (1.0 - s) * t * (w[map->width] <= here) + s * t * (w[map->width + 1] <= here);
    return lit;
}

static void light(const CondPicture* picture, const double x[3], const double n[3],
                  const float colour[3], double rgb[3])
{
    const double* away = picture->sun.axis + 6; // from the sun
    double cosine = -vec3_dot(away, n);
    cond_light(cosine > 0.0 ? cosine * sun_seen(picture, x, n) : 0.0, n[2], colour, rgb);
}

// The normal between those of the corners, by the areas that x cuts the triangle into.
static void smooth_normal(const CondPictureMesh* mesh, int t, const double x[3], double n[3])
{
    const int* c = mesh->corner + 3 * t;
    double e[3][3], flat[3], part[3], weight[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e[k][i] = mesh->position[3 * c[k] + i] - x[i];
    for (int k = 0; k < 3; k++)
        n[k] = mesh->position[3 * c[1] + k] - mesh->position[3 * c[0] + k];
    for (int k = 0; k < 3; k++)
        part[k] = mesh->position[3 * c[2] + k] - mesh->position[3 * c[0] + k];
    vec3_cross(n, part, flat);
    for (int k = 0; k < 3; k++) {
        vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3], part);
        weight[k] = most(vec3_dot(part, flat), 0.0);
    }
    for (int i = 0; i < 3; i++) {
        n[i] = 0.0;
        for (int k = 0; k < 3; k++)
            n[i] += weight[k] * mesh->normal[3 * c[k] + i];
    }
    double length = vec3_norm(n);
    for (int i = 0; i < 3; i++)
        n[i] = length > 0.0 ? n[i] / length : 0.0;
}

static double smoothstep(double low, double high, double x)
{
    double t = least(most((x - low) / (high - low), 0.0), 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// How much a place is on a line of a grid; fw: what a pixel covers of a cell. Lines closer than a
// few pixels fade away instead of flickering.
static double grid_line(const double at[2], const double fw[2], double width)
{
    double line = 0.0, widest = most(fw[0], fw[1]);
    if (widest >= 0.5)
        return 0.0;
    for (int i = 0; i < 2; i++) {
        double d = fabs(at[i] - whole(at[i] + 0.5));
        if (d < 1.5 * width * fw[i])
            line = most(line, 1.0 - smoothstep(0.5 * width * fw[i], 1.5 * width * fw[i], d));
    }
    return line * (1.0 - smoothstep(0.1, 0.5, widest));
}

// Where the ray of a sample meets a plane.
static void meet(const CondPicture* picture, const CondPictureFloor* floor, double x, double y,
                 double p[3])
{
    const CondPictureEye* eye = &picture->eye;
    double d[3];
    sample_ray(eye, x, y, d);
    double along = vec3_dot(floor->normal, d);
    double z = (floor->offset - vec3_dot(floor->normal, eye->position)) / along;
    for (int i = 0; i < 3; i++)
        p[i] = eye->position[i] + z * d[i];
}

// Grid, light and shadow of a floor. A place on it is eye + d z, d affine on the picture and 1/z
// too, so that with (N, M, D) = image (x, y, 1) its coordinates are N/D and M/D from below the eye.
static void shade_floor(const CondPicture* picture, const CondPictureFloor* floor,
                        const Sample* sample, double rgb[3])
{
    static const double fine[3] = {0.42, 0.47, 0.54}, coarse[3] = {0.28, 0.33, 0.40};
    const double *image = floor->image, pixel = picture->def.samples;
    double D = image[6] * sample->x + image[7] * sample->y + image[8], z = 1.0 / D;
    double from[2], at[2], five[2], fw[2], wide[2], away = 0.0, p[3], d[3];
    float colour[3];
    for (int i = 0; i < 2; i++) {
        const double* row = image + 3 * i;
        from[i] = (row[0] * sample->x + row[1] * sample->y + row[2]) * z;
        at[i] = (from[i] + floor->below[i]) / picture->cell;
        // d(N/D) = (dN - N/D dD) / D
        fw[i] = pixel * z / picture->cell *
                (fabs(row[0] - from[i] * image[6]) + fabs(row[1] - from[i] * image[7]));
        five[i] = at[i] / 5.0;
        wide[i] = fw[i] / 5.0;
        double off = from[i] + floor->below[i] - floor->fade[i];
        away += off * off;
    }
    double first = 0.5 * grid_line(at, fw, 1.0), second = 0.55 * grid_line(five, wide, 1.2);
    for (int i = 0; i < 3; i++) {
        double c = picture->ground[i] + (fine[i] - picture->ground[i]) * first;
        colour[i] = (float)(c + (coarse[i] - c) * second);
    }
    sample_ray(&picture->eye, sample->x, sample->y, d);
    for (int i = 0; i < 3; i++)
        p[i] = picture->eye.position[i] + z * d[i];
    light(picture, p, floor->facing, colour, rgb);
    double fade = smoothstep(0.25, 1.0, sqrt(away) / (5.0 * picture->size));
    for (int i = 0; i < 3; i++)
        rgb[i] += (picture->background[i] - rgb[i]) * fade;
}

static void shade_sample(const CondPicture* picture, const Sample* sample, double rgb[3])
{
    const CondPictureEye* eye = &picture->eye;
    double d[3], x[3], n[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = picture->background[i];
    if (sample->seen <= COND_SEEN_PLANE) {
        shade_floor(picture, &picture->floor[COND_SEEN_PLANE - sample->seen], sample, rgb);
    } else if (sample->seen >= 0) {
        sample_ray(eye, sample->x, sample->y, d);
        for (int i = 0; i < 3; i++)
            x[i] = eye->position[i] + d[i] / sample->w;
        smooth_normal(&picture->mesh, sample->seen, x, n);
        double facing = vec3_dot(n, d); // what is open is seen from behind as well
        for (int i = 0; i < 3 && facing > 0.0; i++)
            n[i] = -n[i];
        light(picture, x, n, picture->mesh.colour + 3 * sample->seen, rgb);
    }
}

// Walls are seen through: they only tint what is behind them.
static void tint(const CondPicture* picture, const Sample* sample, double rgb[3])
{
    for (int k = 0; k < picture->n_floor; k++) {
        const CondPictureFloor* wall = &picture->floor[k];
        double p[3], d[3], ahead = 0.0;
        if (!wall->wall)
            continue;
        meet(picture, wall, sample->x, sample->y, p);
        for (int i = 0; i < 3; i++) {
            d[i] = p[i] - wall->middle[i];
            ahead += picture->eye.axis[6 + i] * (p[i] - picture->eye.position[i]);
        }
        if (ahead > picture->eye.near && ahead * sample->w < 1.0 &&
            fabs(vec3_dot(wall->axis, d)) <= wall->half[0] &&
            fabs(vec3_dot(wall->axis + 3, d)) <= wall->half[1])
            for (int i = 0; i < 3; i++)
                rgb[i] += 0.25 * (0.65 - rgb[i]);
    }
}

// The mean of a pixel's samples; those that see the same are lit once.
static void shade_pixel(const CondPicture* picture, int column, int row, uint8_t out[3])
{
    const CondRaster* view = &picture->view;
    int s = picture->def.samples, n = s * s;
    double colour[16][3], sum[3] = {0.0, 0.0, 0.0};
    Sample sample[16];
    for (int k = 0; k < n; k++) {
        int x = column * s + k % s, y = row * s + k / s, same = 0;
        size_t at = (size_t)y * (size_t)view->width + (size_t)x;
        sample[k] = (Sample){view->seen[at], x + 0.5, y + 0.5, view->w[at]};
        while (same < k && sample[same].seen != sample[k].seen)
            same++;
        if (same < k) {
            memcpy(colour[k], colour[same], sizeof colour[k]);
        } else {
            shade_sample(picture, &sample[k], colour[k]);
            tint(picture, &sample[k], colour[k]);
        }
        for (int i = 0; i < 3; i++)
            sum[i] += colour[k][i];
    }
    for (int i = 0; i < 3; i++)
        out[i] = picture->srgb[(int)(least(most(sum[i] / n, 0.0), 1.0) * 4095.0 + 0.5)];
}

void cond_picture_shade(const CondPicture* picture, uint8_t* rgb)
{
    for (int row = 0; row < picture->def.height; row++)
        for (int column = 0; column < picture->def.width; column++)
            shade_pixel(picture, column, row,
                        rgb + 3 * ((size_t)row * (size_t)picture->def.width + (size_t)column));
}
