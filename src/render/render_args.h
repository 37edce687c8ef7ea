// Inputs and outputs of the item functions of pictures (render_item.h).
#ifndef COND_RENDER_RENDER_ARGS_H
#define COND_RENDER_RENDER_ARGS_H

#include <stdint.h>

enum {
    COND_RENDER_RUN = 8,    // vertices of an item
    COND_RENDER_BLOCK = 32, // triangles of an item
    COND_RENDER_TILE = 16,  // pixels along an edge of a tile
    COND_RENDER_LANES = 8,  // pixels side by side
    COND_RENDER_TONES = 4096,
    // of a vertex: e (0 .. 2), its place in the picture, and its nearness 1/z
    COND_RENDER_X = 3 * COND_RENDER_RUN,
    COND_RENDER_Y = 4 * COND_RENDER_RUN,
    COND_RENDER_W = 5 * COND_RENDER_RUN,
    COND_RENDER_VERTEX = 6 * COND_RENDER_RUN,
    COND_RENDER_PIXELS = COND_RENDER_TILE * COND_RENDER_TILE,
};
enum { COND_RENDER_NOTHING = -1, COND_RENDER_FLOOR = -2 }; // what a pixel sees, if no triangle

// The triangles of one or several environments. Vertices stand in runs of one part each, columns x,
// y, z. A part is a rigid body or a link; part 0 are directions, for nodes relative to the camera,
// part 1 is the world.
typedef struct CondRenderShape {
    int n_run, n_triangle;
    const float* local;  // in the axes of the part [m]                     (n_run x 3 x RUN)
    const int* part;     //                                                         (n_run)
    const int* node;     // the run of nodes that it is instead; -1: none           (n_run)
    const int* corner;   // lane RUN + run of the vertices                 (n_triangle x 3)
    const float* colour; // linear red, green, blue                        (n_triangle x 3)
    const int* body;     // as CondScenery has it                              (n_triangle)
    const int* closed;   // 1: of a closed surface, outward: never seen from behind  (n_triangle)
} CondRenderShape;

typedef struct CondRenderBox {
    int16_t first[2], last[2]; // columns and rows of pixels; empty: last < first
} CondRenderBox;

// A plane whose normal points up. (N, M, D) = image (x, y, 1) at a pixel: D = 1/z, and N/D, M/D are
// the coordinates along its axes in cells, from `below` on.
typedef struct CondRenderFloor {
    float image[9];
    float below[2];   // [cells]
    float fade[2];    // where it is not faded, from the same origin [cells]
    float reach;      // where it has faded away [cells]
    float tone[2][3]; // of its cells, 0 .. 255
} CondRenderFloor;

// Directions in the axes of the camera.
typedef struct CondRenderLight {
    float sun[3], up[3];
} CondRenderLight;

typedef struct CondRenderArgs {
    int width, height, n_column, n_row;          // pixels; tiles
    float scale, middle[2];                      // of the projection [pixels]
    float step;                                  // 1 / scale
    float nearest;                               // depth where pictures begin [m]
    int n_run, n_block, n_part, n_node, n_floor; // largest of all shapes; blocks of triangles
    float sunlight, skylight, ground[3];
    float background[3];          // 0 .. 255
    const uint8_t* tone;          // of linear values                           (TONES)
    const CondRenderShape* shape; //
    const int* shape_of;          //                                            (n)
    const float* pose;            // e = R local + t, as R_0, t_0, R_1 ...      (n x n_part x 12)
    const float* node; // relative to the camera, world [m]          (n x n_node x 3 x RUN)
    const CondRenderLight* light; //                                            (n)
    const CondRenderFloor* floor; //                                            (n x n_floor)
    float* vertex;                // by render_vertices                         (n x n_run x VERTEX)
    CondRenderBox* box;   // of triangles, by render_triangles          (n x n_block x BLOCK)
    CondRenderBox* block; // of blocks                                  (n x n_block)
    uint32_t* shade;      // of triangles: red, green, blue from the lowest byte
    uint8_t* rgb;         // results; NULL: not wanted                  (n x height x width x 3)
    float* depth;         //                                            (n x height x width)
    int32_t* body;        //                                            (n x height x width)
} CondRenderArgs;

#endif
