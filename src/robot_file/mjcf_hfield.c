// <asset><hfield>: heights on a grid, given as numbers or in MuJoCo's binary file.
#include "mesh/tuning.h"
#include "robot_file/mjcf_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static CondMjcfNode* find_field(CondMjcf* m, const char* name)
{
    for (CondMjcfNode* asset = m->root->first; asset; asset = asset->next)
        for (CondMjcfNode* node = cond_mjcf_is(asset, "asset") ? asset->first : NULL; node;
             node = node->next) {
            const char* own = cond_mjcf_is(node, "hfield")
                                  ? cond_mjcf_asset_name(m, node, cond_mjcf_own(node, "file"))
                                  : NULL;
            if (own && name && strcmp(own, name) == 0)
                return node;
        }
    return NULL;
}

// Numbers of the attribute: the first row is that of the largest y.
static int take_numbers(CondMjcf* m, const CondMjcfNode* node, const char* text, int n,
                        double* height)
{
    int good = cond_mjcf_list(text, n, height) == n;
    if (!good)
        cond_mjcf_refuse(m, node, "elevation of <hfield>: expected %d numbers", n);
    return good;
}

// Two counts and floats; the first row is that of the least y. Returns the heights, NULL: told.
static double* take_file(CondMjcf* m, const CondMjcfNode* node, const char* path, int size[2])
{
    FILE* stream = fopen(path, "rb");
    int32_t count[2] = {0, 0};
    int good = stream && fread(count, sizeof *count, 2, stream) == 2 && count[0] > 1 &&
               count[1] > 1 && count[0] <= COND_MOST_HEIGHTS && count[1] <= COND_MOST_HEIGHTS;
    size_t n = good ? (size_t)count[0] * (size_t)count[1] : 0;
    double* height = good ? cond_arena_allocate(&m->arena, n, sizeof *height) : NULL;
    if (good && !height)
        cond_mjcf_no_memory(m);
    for (int row = count[0] - 1; good && height && row >= 0; row--)
        for (int k = 0; k < count[1] && good; k++) {
            float value = 0.0f;
            good = fread(&value, sizeof value, 1, stream) == 1 && isfinite(value);
            height[(size_t)row * (size_t)count[1] + (size_t)k] = value;
        }
    if (stream)
        fclose(stream);
    if (!good)
        cond_mjcf_warn(m, node,
                       "<hfield> is left out: %.1000s is no file of heights (pictures are "
                       "not read)",
                       path);
    size[0] = count[0];
    size[1] = count[1];
    return good ? height : NULL;
}

// Heights are moved and stretched to 0 .. 1, as MuJoCo does.
static void normalize(int n, double* height)
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < n; i++) {
        least = fmin(least, height[i]);
        most = fmax(most, height[i]);
    }
    for (int i = 0; i < n; i++)
        height[i] = most > least ? (height[i] - least) / (most - least) : 0.0;
}

int cond_mjcf_put_heightfield(CondMjcf* m, const CondMjcfGeom* geom, CondObstacleDef* def)
{
    const char* name = cond_mjcf_text(m, geom->node, "hfield");
    CondMjcfNode* node = find_field(m, name);
    double size[4] = {0.0, 0.0, 0.0, 0.0}, *height = NULL;
    if (!node) {
        cond_mjcf_refuse(m, geom->node, "there is no hfield '%.60s'", name ? name : "");
        return 0;
    }
    cond_mjcf_visit(m, node);
    int grid[2] = {cond_mjcf_whole(m, node, "nrow", 0), cond_mjcf_whole(m, node, "ncol", 0)};
    const char *file = cond_mjcf_own(node, "file"), *text = cond_mjcf_own(node, "elevation");
    if (!cond_mjcf_numbers(m, node, "size", 4, 4, size) || !(size[0] > 0.0) || !(size[1] > 0.0) ||
        !(size[2] > 0.0)) {
        cond_mjcf_refuse(m, node, "<hfield> needs a size of four numbers above 0");
        return 0;
    }
    if (file) {
        char path[COND_PATH_SIZE];
        cond_mjcf_find_file(m, node, file, path);
        height = take_file(m, node, path, grid);
    } else if (grid[0] < 2 || grid[1] < 2 || grid[0] > COND_MOST_HEIGHTS ||
               grid[1] > COND_MOST_HEIGHTS) {
        cond_mjcf_refuse(m, node, "<hfield> of %d x %d heights", grid[0], grid[1]);
    } else {
        height = cond_arena_allocate(&m->arena, (size_t)grid[0] * (size_t)grid[1], sizeof *height);
        if (!height)
            cond_mjcf_no_memory(m);
        if (height && text && !take_numbers(m, node, text, grid[0] * grid[1], height))
            height = NULL;
    }
    if (!height)
        return 0;
    normalize(grid[0] * grid[1], height);
    def->shape = COND_SHAPE_HEIGHTFIELD;
    def->extent[0] = 2.0 * size[0];
    def->extent[1] = 2.0 * size[1];
    def->height = size[2];
    if (size[3] > 0.0)
        def->depth = size[3];
    def->n_row = grid[0];
    def->n_column = grid[1];
    def->heights = height;
    return 1;
}
