// Triangles into a depth buffer. Corners are snapped to 1/256 of a sample and the sides of a
// triangle are exact integers, so that triangles that share an edge leave no gap between them.
#include "math/vec3.h"
#include "record/picture.h"

#include <math.h>

enum { GRAIN = 256, GUARD = 8 }; // grains a sample; half widths of the picture kept of a triangle

typedef struct Corner {
    double x, y, w; // samples, nearness
} Corner;

void cond_raster_clear(CondRaster* raster)
{
    size_t n = (size_t)raster->width * (size_t)raster->height;
    for (size_t k = 0; k < n; k++)
        raster->w[k] = -INFINITY;
    for (size_t k = 0; k < n && raster->seen; k++)
        raster->seen[k] = COND_SEEN_NOTHING;
}

// Rounds down.
static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Cuts [first, last] to the samples k whose middle has A (GRAIN k + GRAIN / 2) + rest >= 0.
static void cut_span(int64_t A, int64_t rest, int64_t* first, int64_t* last)
{
    int64_t at = rest + A * (GRAIN / 2);
    if (A > 0) {
        int64_t k = -divide_down(at, A * GRAIN); // ceil(-at / (A GRAIN))
        *first = k > *first ? k : *first;
    } else if (A < 0) {
        int64_t k = divide_down(at, -A * GRAIN);
        *last = k < *last ? k : *last;
    } else if (at < 0) {
        *last = *first - 1;
    }
}

// The samples of a row whose nearness w0 + k dw beats what is there.
static void fill_row(CondRaster* raster, int y, int first, int last, double w0, double dw, int id)
{
    size_t row = (size_t)y * (size_t)raster->width;
    float* w = raster->w + row;
    if (!raster->seen) {
        for (int k = first; k <= last; k++) {
            float here = (float)(w0 + k * dw);
            w[k] = here > w[k] ? here : w[k];
        }
        return;
    }
    int* seen = raster->seen + row;
    for (int k = first; k <= last; k++) {
        float here = (float)(w0 + k * dw);
        if (here > w[k]) {
            w[k] = here;
            seen[k] = id;
        }
    }
}

static void fill_triangle(CondRaster* raster, const Corner c[3], int id)
{
    int64_t x[3], y[3], A[3], B[3], C[3];
    for (int i = 0; i < 3; i++) {
        x[i] = (int64_t)floor(c[i].x * GRAIN + 0.5);
        y[i] = (int64_t)floor(c[i].y * GRAIN + 0.5);
    }
    int64_t area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (area == 0)
        return;
    for (int i = 0; i < 3; i++) { // side i, from corner i on: A x + B y + C >= 0 inside
        int j = (i + 1) % 3, sign = area > 0 ? 1 : -1;
        A[i] = sign * (y[i] - y[j]);
        B[i] = sign * (x[j] - x[i]);
        C[i] = -(A[i] * x[i] + B[i] * y[i]);
    }
    int64_t low = y[0] < y[1] ? y[0] : y[1], high = y[0] < y[1] ? y[1] : y[0];
    low = y[2] < low ? y[2] : low;
    high = y[2] > high ? y[2] : high;
    int64_t top = divide_down(low - GRAIN / 2 + GRAIN - 1, GRAIN);
    int64_t bottom = divide_down(high - GRAIN / 2, GRAIN);
    top = top > 0 ? top : 0;
    bottom = bottom < raster->height - 1 ? bottom : raster->height - 1;
    double dx1 = (double)(x[1] - x[0]), dx2 = (double)(x[2] - x[0]);
    double dy1 = (double)(y[1] - y[0]), dy2 = (double)(y[2] - y[0]);
    double w1 = c[1].w - c[0].w, w2 = c[2].w - c[0].w;
    double wx = (w1 * dy2 - w2 * dy1) / (double)area, wy = (w2 * dx1 - w1 * dx2) / (double)area;
    for (int64_t k = top; k <= bottom; k++) {
        int64_t first = 0, last = raster->width - 1, at = k * GRAIN + GRAIN / 2;
        for (int i = 0; i < 3; i++)
            cut_span(A[i], B[i] * at + C[i], &first, &last);
        double w0 = c[0].w + wx * ((double)(GRAIN / 2 - x[0])) + wy * (double)(at - y[0]);
        fill_row(raster, (int)k, (int)first, (int)last, w0, wx * GRAIN, id);
    }
}

// A corner in the axes of the eye: right, up, ahead.
static void see(const CondPictureEye* eye, const double x[3], double e[3])
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = x[i] - eye->position[i];
    mat3_multiply(eye->axis, d, e);
}

static Corner project(const CondPictureEye* eye, const double e[3])
{
    double z = eye->perspective ? e[2] : 1.0, f = eye->scale / z;
    return (Corner){eye->middle[0] + f * e[0], eye->middle[1] - f * e[1],
                    eye->perspective ? 1.0 / z : -e[2]};
}

// How far a corner is inside of one side of what is kept: what is near, and a frame wider than the
// picture, so that the integers of a triangle stay small.
static double inside(const CondPictureEye* eye, const double e[3], int side)
{
    double z = eye->perspective ? e[2] : 1.0;
    double wide = GUARD * eye->middle[0] / eye->scale, tall = GUARD * eye->middle[1] / eye->scale;
    switch (side) {
    case 0:
        return eye->perspective ? e[2] - eye->near : 1.0;
    case 1:
        return wide * z - e[0];
    case 2:
        return wide * z + e[0];
    case 3:
        return tall * z - e[1];
    default:
        return tall * z + e[1];
    }
}

// Cuts a polygon at one side (Sutherland and Hodgman). Returns how many corners are left.
static int cut_polygon(const CondPictureEye* eye, int side, int n, double (*from)[3],
                       double (*to)[3])
{
    int kept = 0;
    for (int k = 0; k < n; k++) {
        const double *a = from[k], *b = from[(k + 1) % n];
        double da = inside(eye, a, side), db = inside(eye, b, side);
        if (da >= 0.0) {
            for (int i = 0; i < 3; i++)
                to[kept][i] = a[i];
            kept++;
        }
        if ((da >= 0.0) != (db >= 0.0)) {
            for (int i = 0; i < 3; i++)
                to[kept][i] = a[i] + (b[i] - a[i]) * (da / (da - db));
            kept++;
        }
    }
    return kept;
}

static void draw_triangle(CondRaster* raster, const CondPictureEye* eye, double e[3][3], int id)
{
    double polygon[2][10][3];
    Corner c[3];
    int n = 3, cut = 0, now = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            polygon[0][k][i] = e[k][i];
    for (int side = 0; side < 5; side++)
        for (int k = 0; k < 3; k++)
            cut |= (inside(eye, e[k], side) < 0.0) << side;
    for (int side = 0; side < 5 && n > 2; side++)
        if (cut >> side & 1) {
            n = cut_polygon(eye, side, n, polygon[now], polygon[1 - now]);
            now = 1 - now;
        }
    for (int k = 2; k < n; k++) {
        c[0] = project(eye, polygon[now][0]);
        c[1] = project(eye, polygon[now][k - 1]);
        c[2] = project(eye, polygon[now][k]);
        fill_triangle(raster, c, id);
    }
}

void cond_raster_draw(CondRaster* raster, const CondPictureEye* eye, const CondPictureMesh* mesh,
                      int begin, int end)
{
    for (int t = begin; t < end; t++) {
        double e[3][3], sum = 0.0;
        for (int k = 0; k < 3; k++) {
            see(eye, mesh->position + 3 * mesh->corner[3 * t + k], e[k]);
            sum += fabs(e[k][0]) + fabs(e[k][1]) + fabs(e[k][2]);
        }
        if (isfinite(sum))
            draw_triangle(raster, eye, e, t);
    }
}

// On the picture of a plane the nearness is affine.
void cond_raster_draw_floor(CondRaster* raster, const CondPictureFloor* plane, int index)
{
    const double below = 1.0 - 2e-4; // what lies flat on the ground is seen above it
    double dw = below * plane->image[6];
    for (int y = 0; y < raster->height && isfinite(dw); y++) {
        double w0 = below * (plane->image[7] * (y + 0.5) + plane->image[8]) + 0.5 * dw;
        // Beyond the horizon w is negative.
        int first = 0, last = raster->width - 1;
        double zero = dw != 0.0 ? -w0 / dw : w0 > 0.0 ? -1.0 : raster->width;
        if (dw < 0.0)
            last = zero < last ? (int)ceil(zero > 0.0 ? zero : 0.0) - 1 : last;
        else if (zero >= first)
            first = zero < raster->width ? (int)floor(zero) + 1 : raster->width;
        fill_row(raster, y, first, last, w0, dw, COND_SEEN_PLANE - index);
    }
}
