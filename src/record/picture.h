// Inside of a CondPicture: the triangles that are drawn, the buffers, camera and sun.
#ifndef COND_RECORD_PICTURE_H
#define COND_RECORD_PICTURE_H

#include "base/arena.h"
#include "cond/picture.h"

// What a sample shows: a triangle from 0, or one of these, the planes counting down.
enum { COND_SEEN_NOTHING = -1, COND_SEEN_PLANE = -2 };

// The triangles. Corners count vertices: a point has several where its faces meet at sharp edges,
// each with a normal of its own, so that edges stay edges and what is round looks round.
typedef struct CondPictureMesh {
    int n_vertex, n_triangle;
    int n_fixed; // triangles of the scenery; after them come those of the arrows
    int n_fixed_vertex;
    int* point;       // of the scenery, of a vertex                                (n_vertex)
    float* offset;    // from that point, in radii of a dot                     (n_vertex x 3)
    double dot;       // radius of the spheres that are drawn for dots [m]
    int* corner;      // vertices                                             (n_triangle x 3)
    float* colour;    // linear red, green, blue                              (n_triangle x 3)
    double* position; // of the vertices, by cond_picture_mesh_move [m]         (n_vertex x 3)
    double* normal;   // unit                                                   (n_vertex x 3)
} CondPictureMesh;

// A camera or the sun: x = centre + (right, up, forward); the sun has no perspective.
typedef struct CondPictureEye {
    double position[3];
    double axis[9];   // rows: right, up, towards what is seen
    double scale;     // samples per unit of x/z, or per metre
    double middle[2]; // [samples]
    double near;      // [m]
    int perspective;
} CondPictureEye;

// w grows with nearness: 1/z of a camera, -z of the sun. Both are affine on the picture of a plane.
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
    // Of a floor: coordinates along its axes from below the eye times nearness, and nearness
    // [1/m], of a place (x, y, 1) of the picture; coordinates below the eye, and of where it
    // does not fade [m]; the normal on the eye's side.
    double image[9];
    double below[2], fade[2], facing[3];
} CondPictureFloor;

struct CondPicture {
    CondArena arena;
    CondPictureDef def;
    CondCamera camera; // as in use
    int looked;        // 1: it was placed
    int n_point, plane_begin, n_plane;
    double size;      // of the scene, when it was looked at [m]
    double centre[3]; // of it [m]
    double lowest;    // [m]
    CondPictureMesh mesh;
    CondPictureEye eye, sun;
    CondRaster view, shade;
    CondPictureFloor* floor; // planes, or one to look at where there is none       (n_floor)
    int n_floor;
    double cell; // of the floor's grid [m]
    float background[3], ground[3];
    uint8_t srgb[4096]; // of a linear value
};

// Triangles of the scenery, all vertices of a point still one.
CondStatus cond_picture_mesh_create(CondPicture* picture, const CondScenery* scenery);
// Gives points that lie on sharp edges a vertex for each smooth part around them.
CondStatus cond_picture_mesh_split(CondPicture* picture, const double* position);
// Positions and normals at a moment, and the arrows of its forces.
CondStatus cond_picture_mesh_move(CondPicture* picture, const CondMoment* moment);

// Draws triangles [begin, end) into a raster.
void cond_raster_clear(CondRaster* raster);
void cond_raster_draw(CondRaster* raster, const CondPictureEye* eye, const CondPictureMesh* mesh,
                      int begin, int end);
// The floors behind and before what was drawn so far.
void cond_raster_draw_floor(CondRaster* raster, const CondPictureFloor* plane, int index);

// The colours of all pixels from what their samples see.
void cond_picture_shade(const CondPicture* picture, uint8_t* rgb);

// Linear colour of 0xrrggbb.
void cond_picture_linear(int colour, float rgb[3]);

#endif
