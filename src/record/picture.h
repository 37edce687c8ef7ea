// Internals of CondPicture: triangles, buffers, camera and sun.
#ifndef COND_RECORD_PICTURE_H
#define COND_RECORD_PICTURE_H

#include "base/arena.h"
#include "cond/picture.h"

// Contents of a sample: index of a triangle (>= 0), nothing, or plane k (COND_SEEN_PLANE - k).
enum { COND_SEEN_NOTHING = -1, COND_SEEN_PLANE = -2 };

// The triangles. `corner` holds indices of vertices. A point on a sharp edge has one vertex for
// each smooth group of its faces, with a normal of its own, so that the shading is smooth except
// across sharp edges.
typedef struct CondPictureMesh {
    int n_vertex, n_triangle;
    int n_fixed; // triangles of the scenery; after them come those of the arrows
    int n_fixed_vertex;
    int* point;       // index of the point that a vertex follows                   (n_vertex)
    float* offset;    // of the vertex from the point, in units of `dot`        (n_vertex x 3)
    double dot;       // radius of the spheres that are drawn for dots [m]
    int* corner;      // vertices                                             (n_triangle x 3)
    float* colour;    // linear red, green, blue                              (n_triangle x 3)
    double* position; // of the vertices, by cond_picture_mesh_move [m]         (n_vertex x 3)
    double* normal;   // unit                                                   (n_vertex x 3)
} CondPictureMesh;

// A camera (perspective) or the sun (parallel projection).
typedef struct CondPictureEye {
    double position[3];
    double axis[9];   // rows: right, up, viewing direction
    double scale;     // samples per unit of x/z, or per metre
    double middle[2]; // image centre [samples]
    double near;      // [m]
    int perspective;
} CondPictureEye;

// w increases towards the eye: 1/z for a camera, -z for the sun, with z the depth. On a plane, w is
// an affine function of the image coordinates.
typedef struct CondRaster {
    int width, height; // [samples]
    float* w;          // (height x width)
    int* seen;         // NULL: depth alone                                   (height x width)
} CondRaster;

typedef struct CondPictureFloor {
    double normal[3], offset; // its points x: normal'x = offset [m]
    double axis[6];           // two, along its grid
    double middle[3];         // of a wall [m]
    double half[2];           // of a wall [m]; a floor has no end
    int wall;                 // 1: seen through
    // Floors only. (N, M, D) = image (x, y, 1) at image position (x, y): D = 1/depth [1/m], and
    // N/D, M/D are the coordinates along `axis` relative to `below`, the point below the eye [m].
    // `fade` is the centre from which the floor fades with distance [m], `facing` the normal
    // towards the eye.
    double image[9];
    double below[2], fade[2], facing[3];
} CondPictureFloor;

struct CondPicture {
    CondArena arena;
    CondPictureDef def;
    CondCamera camera; // as in use
    int looked;        // 1: the camera has been set
    int n_point, plane_begin, n_plane;
    double size;      // of the scene when the camera was set [m]
    double centre[3]; // of the scene then [m]
    double lowest;    // least z of the scene then [m]
    CondPictureMesh mesh;
    CondPictureEye eye, sun;
    CondRaster view, shade;
    CondPictureFloor* floor; // planes, or a drawn ground if the scene has none     (n_floor)
    int n_floor;
    double cell; // of the floor's grid [m]
    float background[3], ground[3];
    uint8_t srgb[4096]; // of a linear value
};

// Creates the triangles of the scenery, with one vertex for each point.
CondStatus cond_picture_mesh_create(CondPicture* picture, const CondScenery* scenery);
// Splits points on sharp edges into one vertex for each smooth group of faces around them.
CondStatus cond_picture_mesh_split(CondPicture* picture, const double* position);
// Sets positions and normals to those of a frame, and makes the arrows of its forces.
CondStatus cond_picture_mesh_move(CondPicture* picture, const CondMoment* moment);

// Draws triangles [begin, end) into a raster.
void cond_raster_clear(CondRaster* raster);
void cond_raster_draw(CondRaster* raster, const CondPictureEye* eye, const CondPictureMesh* mesh,
                      int begin, int end);
// Draws a floor with the depth test against the triangles drawn before.
void cond_raster_draw_floor(CondRaster* raster, const CondPictureFloor* plane, int index);

// Computes the colours of all pixels from the contents of their samples.
void cond_picture_shade(const CondPicture* picture, uint8_t* rgb);

// Colour of a body without one of its own; negative: of what is static.
void cond_picture_body_colour(int body, int is_robot, float rgb[3]);
// Linear colour of 0xrrggbb.
void cond_picture_linear(int colour, float rgb[3]);

#endif
