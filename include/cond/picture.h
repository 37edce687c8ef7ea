// CondPicture: an image of a frame, drawn in software: a depth buffer, a sun with shadows, the sky,
// and a floor with a grid. It needs no window, GPU or browser; equal frames give equal pixels. It
// serves for observations, films of learning and quick looks; `cond view` shows more.
#ifndef COND_PICTURE_H
#define COND_PICTURE_H

#include "cond/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondPicture CondPicture;

// The camera, z up: it is at `distance` from `target`, rotated about it.
typedef struct CondCamera {
    size_t struct_size; // of this struct, by its default function
    double azimuth;     // of the camera around the target, from x to y [degrees]
    double elevation;   // above the horizon, -89 .. 89 [degrees]
    double zoom;        // factor by which it is nearer than where everything fits; ignored if
                        // distance is given
    double target[3];   // [m]; NaN: the middle of everything in view
    double distance;    // [m]; NaN: that at which everything fits, divided by zoom
    double field;       // of view, from the lower to the upper edge [degrees]
} CondCamera;
COND_DEFAULT(COND_IO_API, CondCamera, cond_camera_default)

typedef struct CondPictureDef {
    size_t struct_size;  // of this struct, by its default function
    int width, height;   // [pixels]
    int samples;         // per pixel along each axis, averaged: 1 .. 4
    int shadows;         // pixels along an edge of the shadow map; 0: no shadows
    double force_length; // of the arrows of contact forces [m/N]; 0: none
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
// The camera with all values filled in: another picture that gets it shows the same view.
COND_IO_API CondCamera cond_picture_camera(const CondPicture* picture);

// Draws a frame of the scenery: red, green, blue of each pixel, from the upper left, row by row.
// Numbers that are not finite are not drawn. Nothing allocates after the first one.
//                                                              rgb (height x width x 3)
COND_IO_API CondStatus cond_picture_draw(CondPicture* picture, const CondMoment* moment,
                                         uint8_t* rgb, CondError* error);
// Depth of the first sample of each pixel in the last drawing: the distance from the camera to the
// surface along the camera's axis [m]; INFINITY: no surface. A drawn floor that is not part of the
// scene is left out.                                                   depth (height x width)
COND_IO_API void cond_picture_depth(const CondPicture* picture, float* depth);

// Writes pixels as a PNG file.                                 rgb (height x width x 3)
COND_IO_API CondStatus cond_png_write(const CondContext* context, const char* path, int width,
                                      int height, const uint8_t* rgb, CondError* error);

#ifdef __cplusplus
}
#endif
#endif
