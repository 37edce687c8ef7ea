// CondRenderer: pictures of many states at once, for learning from pixels: colour, depth and the
// body of every pixel, from a camera at rest or on a link. It draws triangles by item functions on
// the processors or on a CUDA device; lit by sun and sky without shadows, floors chequered. Equal
// states give equal pixels for any number of threads. CondPicture draws better single pictures.
#ifndef COND_RENDERER_H
#define COND_RENDERER_H

#include "cond/picture.h"
#include "cond/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondRenderer CondRenderer;

typedef struct CondRendererDef {
    size_t struct_size;        // of this struct, by its default function
    int width, height;         // [pixels]
    const char* camera;        // by its name in the scene; NULL: `view`
    const CondCameraDef* view; // NULL: the first camera of the scene, or a place from which all
                               // of its first state is seen
    int collision;             // 1: robots by their collision shapes, 0: by their visual ones
    int triangles;             // most of the visual meshes of a robot, which are coarsened
    int around;                // corners of circles, a multiple of 4: 8 .. 64
    double nearest;            // depth at which pictures begin [m]
    CondDeviceKind device;     //
    int threads;               // of the device CPU; 0: as the run time decides
} CondRendererDef;
COND_DEFAULT(COND_IO_API, CondRendererDef, cond_renderer_def_default)

// Copies what it needs of the camera. The model must outlive the renderer. Messages name what is
// wrong. COND_NOT_SUPPORTED: there is no such device.
COND_IO_API CondStatus cond_renderer_create(const CondContext* context, const CondModel* model,
                                            const CondRendererDef* def, CondRenderer** renderer,
                                            CondError* error);
COND_IO_API void cond_renderer_destroy(CondRenderer* renderer); // NULL is fine

// Arrays of the caller, in the memory of the host; any may be NULL. Rows of pixels begin at the
// upper edge, pixels of a row at the left one.
typedef struct CondRendererArrays {
    size_t struct_size; // of this struct, by its default function
    uint8_t* rgb;       // red, green, blue                      (n x height x width x 3)
    float* depth;       // distance from the camera along its axis [m]; INFINITY: nothing is seen
                        //                                       (n x height x width)
    int32_t* body;      // index of the body that is seen; or COND_DRAWN_STATIC, COND_DRAWN_PLANE,
                        // COND_DRAWN_NOTHING                    (n x height x width)
} CondRendererArrays;
COND_DEFAULT(COND_IO_API, CondRendererArrays, cond_renderer_arrays_default)

// Draws n states. model: of each; NULL: all are of the renderer's model. Models may differ in all
// but their bodies and coordinates: a shape that is not that of the last drawing at the same place
// is prepared again. COND_BAD_ARGUMENT: a model has other bodies, or a state is of another model.
// Nothing is allocated once the largest n was drawn, unless shapes change.
COND_IO_API CondStatus cond_renderer_draw(CondRenderer* renderer, int n,
                                          const CondModel* const* model,
                                          const CondState* const* state,
                                          const CondRendererArrays* arrays, CondError* error);

// Where the camera is in a state: position [m], axes (rows right, up, ahead), field of view from
// the lower to the upper edge [degrees].
COND_IO_API CondStatus cond_renderer_camera(CondRenderer* renderer, const CondState* state,
                                            double position[3], double axes[9], double* field);

// Triangles that are drawn of the renderer's model.
COND_IO_API int cond_renderer_n_triangle(const CondRenderer* renderer);

#ifdef __cplusplus
}
#endif
#endif
