// A convex piece of a body for the audit, in world axes: all points within `radius` of a core (a
// point, segment, box, cylinder or the hull of a closed mesh).
#ifndef COND_AUDIT_PIECE_H
#define COND_AUDIT_PIECE_H

#include "cond/context.h"

typedef enum CondPieceKind {
    COND_PIECE_POINT,
    COND_PIECE_SEGMENT,  // centre +- half[2] along the third axis
    COND_PIECE_BOX,      // centre +- half[i] along axis i
    COND_PIECE_CYLINDER, // radius half[0] about the third axis, centre +- half[2] along it
    COND_PIECE_HULL,     // of a convex mesh
} CondPieceKind;

typedef struct CondPiece {
    CondPieceKind kind;
    double radius;    // of the ball that is added to the core [m]
    double centre[3]; // a point inside [m]
    double axes[9];   // columns: the three axes, world = axes * local
    double half[3];   // [m]
    // Hull, in world axes; the maker of the piece owns the arrays.
    int n_vertex, n_face, n_edge;
    const double* vertex; //                                                  (n_vertex x 3)
    const int* face;      // counter-clockwise seen from outside             (n_face x 3)
    const double* normal; // of the faces, outward                            (n_face x 3)
    const double* edge;   // unit vectors along the edges                     (n_edge x 3)
} CondPiece;

// h(d) = max d . x over the core, for any d; and the x it is taken at, unless NULL.
double cond_piece_support(const CondPiece* piece, const double d[3], double x[3]);

// Signed distance of a point to the surface, negative inside; it is a convex function of the point.
// The nearest point of the surface, unless NULL.
double cond_piece_distance(const CondPiece* piece, const double point[3], double near[3]);

// Smallest box around it: low[3], high[3].
void cond_piece_box(const CondPiece* piece, double box[6]);

// Normals of the flat faces and directions of the straight edges of the core, with either sign.
int cond_piece_n_normal(const CondPiece* piece);
void cond_piece_normal(const CondPiece* piece, int i, double n[3]);
int cond_piece_n_edge(const CondPiece* piece);
void cond_piece_edge(const CondPiece* piece, int i, double e[3]);

// Two pieces: the signed distance by least translation,
//     max over unit n of  min_B n . x - max_A n . x,
// which is the distance if they are apart, and minus the length of the shortest separating
// translation if they overlap.
typedef struct CondTranslation {
    double gap;         // [m]
    double normal[3];   // from b towards a: the direction in which a leaves b
    double point[2][3]; // of a and of b, farthest along it, on their surfaces [m]
} CondTranslation;
void cond_pieces_translation(const CondPiece* a, const CondPiece* b, CondTranslation* out);

#endif
