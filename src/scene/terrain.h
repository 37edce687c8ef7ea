// Ground: an open surface, or a grid of heights, with a solid below it.
#ifndef COND_SCENE_TERRAIN_H
#define COND_SCENE_TERRAIN_H

#include "cond/mesh.h"
#include "cond/scene.h"

// A grid of heights as on a map: the first row is that of the largest y.
typedef struct CondHeights {
    CondContext context;
    int n_row, n_column; // along y, along x; at least 2
    double* height;      //                                                   (n_row x n_column)
} CondHeights;

void cond_heights_destroy(CondHeights* heights);

// 1 for the text of a generator: "waves:65,65:3".
int cond_heights_is_recipe(const char* text);
// Creates a grid of heights between 0 and 1 with a generator. COND_BAD_INPUT, with a message, for
// an invalid text.
CondStatus cond_heights_make(const CondContext* context, const char* text, CondHeights* heights,
                             CondError* error);

// The surface over a grid: extent along x and y, about the origin, heights times `scale`. Every
// cell is two triangles, which face up.
CondStatus cond_heights_surface(const CondHeights* heights, const double extent[2], double scale,
                                CondMesh** mesh, CondError* error);

// Closes an open surface, seen from above, by walls from its border down to `depth` below its
// lowest point, and a bottom. depth NaN: a tenth of its wider extent. *thin is the mean length of
// its edges.
CondStatus cond_terrain_close(const CondMesh* open, double depth, CondMesh** closed, double* thin,
                              CondError* error);

#endif
