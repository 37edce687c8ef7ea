// Numbers of meshes, in memory and in files. A header of numbers alone: it includes nothing.
#ifndef COND_MESH_TUNING_H
#define COND_MESH_TUNING_H

#define COND_WIDE_MESH 20.0 // [m] extent above which a file is probably in millimetres
#define COND_TINY_MESH 1e-4 // [m] extent below which its unit is probably larger than a metre

enum {
    COND_MOST_HEIGHTS = 4096,  // [count] of rows or columns of a grid of heights: 16 million points
    COND_MESH_NUMBER = 1 << 30 // [1] largest number in the text of a recipe, as in box:1,2,3
};

#endif
