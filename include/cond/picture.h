// CondPicture: a picture of a frame, drawn by the library itself: a depth buffer, a sun with
// shadows, the sky, the floor with its grid. No window, no GPU, no browser; equal moments give
// equal pixels. For observations, films of learning, and a quick look; `cond view` shows more.
#ifndef COND_PICTURE_H
#define COND_PICTURE_H

#include "cond/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondPicture CondPicture;

// Where it is seen from, z up: the camera stands at `distance` from `target`, turned about it.
typedef struct CondCamera {
    size_t struct_size; // of this struct, by its default function
    double azimuth;     // of the camera around the target, from x to y [degrees]
    double elevation;   // above the horizon, -89 .. 89 [degrees]
    double zoom;        // times as near as where everything fits; of no effect with a distance
    double target[3];   // [m]; NaN: the middle of everything, as it is seen
    double distance;    // [m]; NaN: everything fits, over zoom
    double field;       // of view, from the lower to the upper edge [degrees]
} CondCamera;
COND_DEFAULT(COND_IO_API, CondCamera, cond_camera_default)

typedef struct CondPictureDef {
    size_t struct_size;  // of this struct, by its default function
    int width, height;   // [pixels]
    int samples;         // drawn along each edge of a pixel, whose mean it is: 1 .. 4
    int shadows;         // pixels along an edge of the sun's picture; 0: no shadows
    double force_length; // of contact forces as arrows [m/N]; 0: none
} CondPictureDef;
COND_DEFAULT(COND_IO_API, CondPictureDef, cond_picture_def_default)

// Copies the data that it needs from the scenery. def may be NULL.
COND_IO_API CondStatus cond_picture_create(const CondContext* context, const CondScenery* scenery,
                                           const CondPictureDef* def, CondPicture** picture,
                                           CondError* error);
COND_IO_API void cond_picture_destroy(CondPicture* picture); // NULL is fine

// Sets the camera; values that are not given are chosen so that the whole frame is visible. Without
// this call, the default camera is set for the first frame. camera may be NULL.
COND_IO_API CondStatus cond_picture_look(CondPicture* picture, const CondCamera* camera,
                                         const CondMoment* moment, CondError* error);
// Where it looks from, with nothing left open: given to another picture it shows the same view.
COND_IO_API CondCamera cond_picture_camera(const CondPicture* picture);

// Draws a frame of the scenery: red, green, blue of each pixel, from the upper left, row by row.
// Numbers that are not finite are not drawn. Nothing allocates after the first one.
//                                                              rgb (height x width x 3)
COND_IO_API CondStatus cond_picture_draw(CondPicture* picture, const CondMoment* moment,
                                         uint8_t* rgb, CondError* error);
// Distance from the camera to the surface in the last drawing, along the camera's axis [m], of the
// first sample of each pixel; INFINITY: nothing. A drawn floor that the scene does not have counts
// as nothing.
//                          depth (height x width)
COND_IO_API void cond_picture_depth(const CondPicture* picture, float* depth);

// Writes pixels as a PNG file.                                 rgb (height x width x 3)
COND_IO_API CondStatus cond_png_write(const CondContext* context, const char* path, int width,
                                      int height, const uint8_t* rgb, CondError* error);

#ifdef __cplusplus
}
#endif
#endif
