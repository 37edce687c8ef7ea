// Pictures of many environments, as item functions (device/item.h), in three loops: vertices into
// the axes of their camera, triangles into the boxes of pixels that they may cover, and tiles of
// pixels, each with a depth buffer of its own that all triangles pass in their order. No item
// writes what another one writes, so that pictures have the same bits for any number of threads.
//
// A pixel sees along the ray r = ((x - mx)/s, (my - y)/s, 1) in the axes of the camera: right, up,
// ahead. With the corners e_i of a triangle, n_0 = e_1 x e_2 and so on, and N the normal by its
// edges, the pixel is inside where the three r'n_i have the sign of D = e_0'N, and the nearness
// there is 1/z = r'N / D. This holds for corners behind the camera too: nothing is clipped.
#ifndef COND_RENDER_RENDER_ITEM_H
#define COND_RENDER_RENDER_ITEM_H

#include "device/item.h"
#include "render/render_args.h"

// ---- vertices: one item a run

COND_DEVICE void cond_render_vertices_item(const CondRenderArgs* a, int i)
{
    int env = i / a->n_run, run = i % a->n_run;
    const CondRenderShape* shape = a->shape + a->shape_of[env];
    if (run >= shape->n_run)
        return;
    const float* P = a->pose + 12 * ((size_t)env * (size_t)a->n_part + (size_t)shape->part[run]);
    const float* x = shape->local + (size_t)run * 3 * COND_RENDER_RUN;
    if (shape->node[run] >= 0)
        x = a->node +
            ((size_t)env * (size_t)a->n_node + (size_t)shape->node[run]) * 3 * COND_RENDER_RUN;
    const float *y = x + COND_RENDER_RUN, *z = y + COND_RENDER_RUN;
    float* e = a->vertex + (size_t)i * COND_RENDER_VERTEX;
    for (int k = 0; k < COND_RENDER_RUN; k++) {
        float right = P[0] * x[k] + P[1] * y[k] + P[2] * z[k] + P[3];
        float up = P[4] * x[k] + P[5] * y[k] + P[6] * z[k] + P[7];
        float ahead = P[8] * x[k] + P[9] * y[k] + P[10] * z[k] + P[11];
        e[k] = right;
        e[COND_RENDER_RUN + k] = up;
        e[2 * COND_RENDER_RUN + k] = ahead;
        float w = 1.0f / ahead;
        e[COND_RENDER_X + k] = a->middle[0] + a->scale * right * w;
        e[COND_RENDER_Y + k] = a->middle[1] - a->scale * up * w;
        e[COND_RENDER_W + k] = w;
    }
}

COND_KERNEL(cond_render_vertices, CondRenderArgs, cond_render_vertices_item)

// ---- triangles: one item a block

COND_DEVICE float cond_render_least(float a, float b)
{
    return a < b ? a : b;
}

COND_DEVICE float cond_render_most(float a, float b)
{
    return a > b ? a : b;
}

COND_DEVICE const float* cond_render_vertex(const CondRenderArgs* a, int env, int corner)
{
    size_t run = (size_t)env * (size_t)a->n_run + (size_t)(corner / COND_RENDER_RUN);
    return a->vertex + run * COND_RENDER_VERTEX + corner % COND_RENDER_RUN;
}

COND_DEVICE void cond_render_corner(const float* v, float e[3])
{
    e[0] = v[0];
    e[1] = v[COND_RENDER_RUN];
    e[2] = v[2 * COND_RENDER_RUN];
}

COND_DEVICE void cond_render_cross(const float a[3], const float b[3], float c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Twice the area as a vector, by the edges.
COND_DEVICE void cond_render_normal(float e[3][3], float n[3])
{
    float u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = e[1][i] - e[0][i];
        v[i] = e[2][i] - e[0][i];
    }
    cond_render_cross(u, v, n);
}

// Pixels whose middle lies between two image coordinates, with a margin for rounding.
COND_DEVICE void cond_render_span(float low, float high, int n, int16_t* first, int16_t* last)
{
    const float margin = 1.0f / 64.0f;
    float begin = cond_render_least(cond_render_most(low - margin - 0.5f, -1.0f), (float)n);
    float end = cond_render_least(cond_render_most(high + margin - 0.5f, -1.0f), (float)n);
    int from = (int)(begin + 1.0f), to = (int)(end + 1.0f) - 1; // both are at least -1
    from += (float)(from - 1) < begin;                          // rounded up
    from--;
    *first = (int16_t)(from > 0 ? from : 0);
    *last = (int16_t)(to < n - 1 ? to : n - 1);
}

// The pixels that a triangle may cover. It is empty for corners that are not finite too.
COND_DEVICE CondRenderBox cond_render_box(const CondRenderArgs* a, const float* const v[3],
                                          int closed)
{
    CondRenderBox box = {{1, 1}, {0, 0}};
    float z[3], x[3], y[3], nearest, farthest;
    for (int k = 0; k < 3; k++) {
        z[k] = v[k][2 * COND_RENDER_RUN];
        x[k] = v[k][COND_RENDER_X];
        y[k] = v[k][COND_RENDER_Y];
    }
    nearest = cond_render_least(cond_render_least(z[0], z[1]), z[2]);
    farthest = cond_render_most(cond_render_most(z[0], z[1]), z[2]);
    if (!(farthest > a->nearest && farthest < INFINITY))
        return box;
    if (!(nearest > a->nearest)) { // it begins behind the camera
        box.first[0] = box.first[1] = 0;
        box.last[0] = (int16_t)(a->width - 1);
        box.last[1] = (int16_t)(a->height - 1);
        return box;
    }
    float left = cond_render_least(cond_render_least(x[0], x[1]), x[2]);
    float right = cond_render_most(cond_render_most(x[0], x[1]), x[2]);
    float top = cond_render_least(cond_render_least(y[0], y[1]), y[2]);
    float bottom = cond_render_most(cond_render_most(y[0], y[1]), y[2]);
    if (!(right - left < INFINITY && bottom - top < INFINITY))
        return box;
    // Seen from outside, the corners turn to the left; y counts downwards.
    if (closed && (x[1] - x[0]) * (y[2] - y[0]) > (x[2] - x[0]) * (y[1] - y[0]))
        return box;
    cond_render_span(left, right, a->width, &box.first[0], &box.last[0]);
    cond_render_span(top, bottom, a->height, &box.first[1], &box.last[1]);
    return box;
}

COND_DEVICE int cond_render_is_empty(const CondRenderBox* box)
{
    return box->last[0] < box->first[0] || box->last[1] < box->first[1];
}

COND_DEVICE uint32_t cond_render_tone(const CondRenderArgs* a, float linear)
{
    float cut = cond_render_least(cond_render_most(linear, 0.0f), 1.0f);
    return a->tone[(int)(cut * (float)(COND_RENDER_TONES - 1) + 0.5f)];
}

// Sun and sky on the side of a triangle that is seen; from behind it looks the same.
COND_DEVICE uint32_t cond_render_lit(const CondRenderArgs* a, const CondRenderLight* light,
                                     const float* const v[3], const float colour[3])
{
    float e[3][3], n[3];
    for (int k = 0; k < 3; k++)
        cond_render_corner(v[k], e[k]);
    cond_render_normal(e, n);
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float facing = n[0] * e[0][0] + n[1] * e[0][1] + n[2] * e[0][2];
    float turn = length > 0.0f ? (facing > 0.0f ? -1.0f : 1.0f) / length : 0.0f;
    float cosine = 0.0f, height = 0.0f;
    for (int i = 0; i < 3; i++) {
        cosine += turn * n[i] * light->sun[i];
        height += turn * n[i] * light->up[i];
    }
    float sun = a->sunlight * cond_render_most(cosine, 0.0f), up = 0.5f + 0.5f * height;
    uint32_t packed = 0;
    for (int i = 0; i < 3; i++) {
        float sky = a->skylight * (up + (1.0f - up) * a->ground[i]);
        packed |= cond_render_tone(a, colour[i] * (sun + sky)) << (8 * i);
    }
    return packed;
}

COND_DEVICE void cond_render_triangles_item(const CondRenderArgs* a, int i)
{
    int env = i / a->n_block, first = (i % a->n_block) * COND_RENDER_BLOCK;
    const CondRenderShape* shape = a->shape + a->shape_of[env];
    CondRenderBox all = {{INT16_MAX, INT16_MAX}, {-1, -1}};
    for (int k = 0; k < COND_RENDER_BLOCK && first + k < shape->n_triangle; k++) {
        const int* corner = shape->corner + 3 * (first + k);
        const float* v[3];
        size_t at = (size_t)i * COND_RENDER_BLOCK + (size_t)k;
        for (int c = 0; c < 3; c++)
            v[c] = cond_render_vertex(a, env, corner[c]);
        CondRenderBox box = cond_render_box(a, v, shape->closed[first + k]);
        a->box[at] = box;
        if (cond_render_is_empty(&box))
            continue;
        for (int c = 0; c < 2; c++) {
            all.first[c] = box.first[c] < all.first[c] ? box.first[c] : all.first[c];
            all.last[c] = box.last[c] > all.last[c] ? box.last[c] : all.last[c];
        }
        if (a->rgb)
            a->shade[at] = cond_render_lit(a, a->light + env, v, shape->colour + 3 * (first + k));
    }
    a->block[i] = all;
}

COND_KERNEL(cond_render_triangles, CondRenderArgs, cond_render_triangles_item)

// ---- tiles

// The depth buffer of a tile.
typedef struct CondRenderTile {
    int env, x, y, n_x, n_y;          // its pixels in the picture
    float w[COND_RENDER_PIXELS];      // nearness [1/m]
    int32_t seen[COND_RENDER_PIXELS]; // a triangle, COND_RENDER_NOTHING, or COND_RENDER_FLOOR - k
} CondRenderTile;

// A plane of coefficients over the pixels of a tile: value = a x + b y + c from its first one.
typedef struct CondRenderPlane {
    float a, b, c;
} CondRenderPlane;

COND_DEVICE CondRenderPlane cond_render_plane(const CondRenderArgs* args,
                                              const CondRenderTile* tile, const float n[3],
                                              float factor)
{
    CondRenderPlane p;
    float x = (float)tile->x + 0.5f - args->middle[0], y = (float)tile->y + 0.5f - args->middle[1];
    p.a = factor * n[0] * args->step;
    p.b = -factor * n[1] * args->step;
    p.c = factor * n[2] + p.a * x + p.b * y;
    return p;
}

// What lies flat on a floor is seen above it.
COND_DEVICE void cond_render_floors(const CondRenderArgs* a, CondRenderTile* tile)
{
    const float lowered = 1.0f - 2e-4f;
    for (int k = 0; k < COND_RENDER_PIXELS; k++) {
        tile->w[k] = 0.0f;
        tile->seen[k] = COND_RENDER_NOTHING;
    }
    for (int f = 0; f < a->n_floor; f++) {
        const float* D = a->floor[(size_t)tile->env * (size_t)a->n_floor + (size_t)f].image + 6;
        for (int y = 0; y < COND_RENDER_TILE; y++)
            for (int x = 0; x < COND_RENDER_TILE; x++) {
                int at = y * COND_RENDER_TILE + x;
                float w = lowered * (D[0] * ((float)(tile->x + x) + 0.5f) +
                                     D[1] * ((float)(tile->y + y) + 0.5f) + D[2]);
                int nearer = (w > tile->w[at]) & (w * a->nearest < 1.0f);
                tile->w[at] = nearer ? w : tile->w[at];
                tile->seen[at] = nearer ? COND_RENDER_FLOOR - f : tile->seen[at];
            }
    }
}

// Edges of a triangle, inside where they are positive. Both triangles at an edge compute the same
// numbers with opposite signs, since the cross product is of the corners in their order; a pixel
// exactly on the edge belongs to the one whose function grows along x, or y.
COND_DEVICE void cond_render_edge(const CondRenderArgs* args, const CondRenderTile* tile,
                                  const float from[3], const float to[3], int in_order, float sign,
                                  CondRenderPlane* edge, float* least)
{
    float n[3];
    if (in_order)
        cond_render_cross(from, to, n);
    else
        cond_render_cross(to, from, n);
    *edge = cond_render_plane(args, tile, n, in_order ? sign : -sign);
    *least = edge->a > 0.0f || (edge->a >= 0.0f && edge->b > 0.0f) ? -1e-37f : 0.0f;
}

// Lanes of a row from column `first` on: nearest so far, and what is seen.
COND_DEVICE void cond_render_lanes(const CondRenderPlane edge[3], const float least[3],
                                   const CondRenderPlane* near, const float bound[2], float x,
                                   float y, int id, float* w, int32_t* seen)
{
    float e0 = edge[0].b * y + edge[0].c, e1 = edge[1].b * y + edge[1].c;
    float e2 = edge[2].b * y + edge[2].c, w0 = near->b * y + near->c;
    for (int k = 0; k < COND_RENDER_LANES; k++) {
        float at = x + (float)k, here = near->a * at + w0;
        here = here < bound[0] ? bound[0] : here;
        here = here > bound[1] ? bound[1] : here;
        int in = (edge[0].a * at + e0 > least[0]) & (edge[1].a * at + e1 > least[1]) &
                 (edge[2].a * at + e2 > least[2]) & (here > w[k]);
        w[k] = in ? here : w[k];
        seen[k] = in ? id : seen[k];
    }
}

COND_DEVICE void cond_render_triangle(const CondRenderArgs* a, CondRenderTile* tile,
                                      const CondRenderShape* shape, const CondRenderBox* box,
                                      int id)
{
    const int* corner = shape->corner + 3 * id;
    float e[3][3], N[3], least[3], bound[2] = {INFINITY, 0.0f};
    CondRenderPlane edge[3], near;
    int behind = 0;
    for (int k = 0; k < 3; k++) {
        const float* v = cond_render_vertex(a, tile->env, corner[k]);
        cond_render_corner(v, e[k]);
        behind |= !(e[k][2] > a->nearest);
        bound[0] = cond_render_least(bound[0], v[COND_RENDER_W]);
        bound[1] = cond_render_most(bound[1], v[COND_RENDER_W]);
    }
    cond_render_normal(e, N);
    float D = e[0][0] * N[0] + e[0][1] * N[1] + e[0][2] * N[2];
    if (!(D > 0.0f || D < 0.0f)) // seen from its edge
        return;
    float sign = D > 0.0f ? 1.0f : -1.0f;
    near = cond_render_plane(a, tile, N, 1.0f / D);
    for (int k = 0; k < 3; k++) {
        int from = (k + 1) % 3, to = (k + 2) % 3;
        cond_render_edge(a, tile, e[from], e[to], corner[from] < corner[to], sign, &edge[k],
                         &least[k]);
    }
    int x0 = box->first[0] - tile->x, x1 = box->last[0] - tile->x;
    int y0 = box->first[1] - tile->y, y1 = box->last[1] - tile->y;
    x0 = x0 > 0 ? x0 / COND_RENDER_LANES * COND_RENDER_LANES : 0;
    x1 = x1 < COND_RENDER_TILE - 1 ? x1 : COND_RENDER_TILE - 1;
    y0 = y0 > 0 ? y0 : 0;
    y1 = y1 < COND_RENDER_TILE - 1 ? y1 : COND_RENDER_TILE - 1;
    if (behind) { // 1/z has no bound from its corners, but that of the picture: see below
        bound[0] = -INFINITY;
        bound[1] = INFINITY;
    }
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x += COND_RENDER_LANES) {
            int at = y * COND_RENDER_TILE + x;
            float kept[COND_RENDER_LANES];
            int32_t before[COND_RENDER_LANES];
            for (int k = 0; k < COND_RENDER_LANES && behind; k++) {
                kept[k] = tile->w[at + k];
                before[k] = tile->seen[at + k];
            }
            cond_render_lanes(edge, least, &near, bound, (float)x, (float)y, id, tile->w + at,
                              tile->seen + at);
            for (int k = 0; k < COND_RENDER_LANES && behind; k++)
                if (!(tile->w[at + k] * a->nearest < 1.0f)) { // nearer than the picture begins
                    tile->w[at + k] = kept[k];
                    tile->seen[at + k] = before[k];
                }
        }
}

COND_DEVICE void cond_render_draw(const CondRenderArgs* a, CondRenderTile* tile)
{
    const CondRenderShape* shape = a->shape + a->shape_of[tile->env];
    const CondRenderBox* block = a->block + (size_t)tile->env * (size_t)a->n_block;
    const CondRenderBox* box = a->box + (size_t)tile->env * (size_t)a->n_block * COND_RENDER_BLOCK;
    int x1 = tile->x + COND_RENDER_TILE - 1, y1 = tile->y + COND_RENDER_TILE - 1;
    for (int b = 0; b * COND_RENDER_BLOCK < shape->n_triangle; b++) {
        if (block[b].first[0] > x1 || block[b].last[0] < tile->x || block[b].first[1] > y1 ||
            block[b].last[1] < tile->y)
            continue;
        int end = (b + 1) * COND_RENDER_BLOCK;
        end = end < shape->n_triangle ? end : shape->n_triangle;
        for (int t = b * COND_RENDER_BLOCK; t < end; t++)
            if (!(box[t].first[0] > x1 || box[t].last[0] < tile->x || box[t].first[1] > y1 ||
                  box[t].last[1] < tile->y || cond_render_is_empty(&box[t])))
                cond_render_triangle(a, tile, shape, &box[t], t);
    }
}

// Red, green and blue of a row of a chequered floor, which fades where its cells are smaller than
// pixels, and far away. x: of the first pixel; y: of the row.                          (TILE)
COND_DEVICE void cond_render_chequer(const CondRenderArgs* a, const CondRenderFloor* floor, float x,
                                     float y, int32_t* packed)
{
    const float* I = floor->image;
    float start[3], far = 1.0f / (floor->reach * floor->reach);
    for (int i = 0; i < 3; i++)
        start[i] = I[3 * i] * (x + 0.5f) + I[3 * i + 1] * (y + 0.5f) + I[3 * i + 2];
    for (int k = 0; k < COND_RENDER_TILE; k++) {
        float at = (float)k, z = 1.0f / (start[2] + I[6] * at);
        float u = (start[0] + I[0] * at) * z, v = (start[1] + I[3] * at) * z;
        // d(N/D) = (dN - N/D dD) / D
        float wide = fabsf(I[0] - u * I[6]) + fabsf(I[1] - u * I[7]);
        float high = fabsf(I[3] - v * I[6]) + fabsf(I[4] - v * I[7]);
        wide = z * (wide > high ? wide : high);
        float du = u - floor->fade[0], dv = v - floor->fade[1];
        float gone = (du * du + dv * dv) * far - 0.0625f, sharp = 1.5f - 2.0f * wide;
        gone = gone > 0.0f ? gone : 0.0f;
        gone = gone < 1.0f ? gone : 1.0f;
        sharp = sharp > 0.0f ? sharp : 0.0f;
        sharp = sharp < 1.0f ? sharp : 1.0f;
        u = u + floor->below[0];
        v = v + floor->below[1];
        u = u > -1e6f ? u : -1e6f;
        u = u < 1e6f ? u : 1e6f;
        v = v > -1e6f ? v : -1e6f;
        v = v < 1e6f ? v : 1e6f;
        int32_t odd = ((int32_t)(u + 1048576.0f) + (int32_t)(v + 1048576.0f)) & 1;
        float share = 0.5f + ((float)odd - 0.5f) * sharp;
        int32_t rgb = 0;
        for (int i = 0; i < 3; i++) {
            float tone = floor->tone[0][i] + (floor->tone[1][i] - floor->tone[0][i]) * share;
            rgb |= (int32_t)(tone + (a->background[i] - tone) * gone + 0.5f) << (8 * i);
        }
        packed[k] = rgb;
    }
}

// Colours of a row of pixels, from the first of its tile on.
COND_DEVICE void cond_render_colours(const CondRenderArgs* a, const CondRenderTile* tile, int row,
                                     int32_t* packed)
{
    const int32_t* seen = tile->seen + row * COND_RENDER_TILE;
    const uint32_t* shade = a->shade + (size_t)tile->env * (size_t)a->n_block * COND_RENDER_BLOCK;
    int32_t ground[COND_RENDER_TILE];
    int lowest = 0; // of the floors that are seen
    for (int k = 0; k < COND_RENDER_TILE; k++) {
        lowest = seen[k] < lowest ? seen[k] : lowest;
        packed[k] = (int32_t)a->background[0] | (int32_t)a->background[1] << 8 |
                    (int32_t)a->background[2] << 16;
    }
    for (int f = COND_RENDER_FLOOR; f >= lowest; f--) {
        const CondRenderFloor* floor = a->floor + (size_t)tile->env * (size_t)a->n_floor;
        cond_render_chequer(a, floor + (COND_RENDER_FLOOR - f), (float)tile->x,
                            (float)(tile->y + row), ground);
        for (int k = 0; k < COND_RENDER_TILE; k++)
            packed[k] = seen[k] == f ? ground[k] : packed[k];
    }
    for (int k = 0; k < tile->n_x; k++)
        if (seen[k] >= 0)
            packed[k] = (int32_t)shade[seen[k]];
}

COND_DEVICE void cond_render_give(const CondRenderArgs* a, const CondRenderTile* tile)
{
    const CondRenderShape* shape = a->shape + a->shape_of[tile->env];
    for (int row = 0; row < tile->n_y; row++) {
        const int32_t* seen = tile->seen + row * COND_RENDER_TILE;
        const float* w = tile->w + row * COND_RENDER_TILE;
        size_t at = (size_t)tile->env * (size_t)a->height + (size_t)(tile->y + row);
        at = at * (size_t)a->width + (size_t)tile->x;
        if (a->rgb) {
            int32_t packed[COND_RENDER_TILE];
            cond_render_colours(a, tile, row, packed);
            for (int k = 0; k < tile->n_x; k++)
                for (int i = 0; i < 3; i++)
                    a->rgb[3 * (at + (size_t)k) + (size_t)i] = (uint8_t)(packed[k] >> (8 * i));
        }
        for (int k = 0; k < tile->n_x && a->depth; k++)
            a->depth[at + (size_t)k] = w[k] > 0.0f ? 1.0f / w[k] : INFINITY;
        // floors and nothing are COND_DRAWN_PLANE and COND_DRAWN_NOTHING
        for (int k = 0; k < tile->n_x && a->body; k++)
            a->body[at + (size_t)k] = seen[k] >= 0                   ? shape->body[seen[k]]
                                      : seen[k] <= COND_RENDER_FLOOR ? -2
                                                                     : -3;
    }
}

COND_DEVICE void cond_render_tiles_item(const CondRenderArgs* a, int i)
{
    CondRenderTile tile;
    int n = a->n_column * a->n_row, place = i % n;
    tile.env = i / n;
    tile.x = place % a->n_column * COND_RENDER_TILE;
    tile.y = place / a->n_column * COND_RENDER_TILE;
    tile.n_x = a->width - tile.x < COND_RENDER_TILE ? a->width - tile.x : COND_RENDER_TILE;
    tile.n_y = a->height - tile.y < COND_RENDER_TILE ? a->height - tile.y : COND_RENDER_TILE;
    cond_render_floors(a, &tile);
    cond_render_draw(a, &tile);
    cond_render_give(a, &tile);
}

COND_KERNEL(cond_render_tiles, CondRenderArgs, cond_render_tiles_item)

#endif
