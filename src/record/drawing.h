// The points and cells that draw a model. They are created once; each frame takes the positions of
// the points from a kinematics.
#ifndef COND_RECORD_DRAWING_H
#define COND_RECORD_DRAWING_H

#include "base/arena.h"
#include "cond/snapshot.h"
#include "model/model.h"

#include <stdint.h>

// How finely it is drawn.
typedef struct CondDrawingDetail {
    int collision;                 // 1: robots by what touches of them, not by their visual shapes
    int triangles;                 // most of the visual shapes of a robot; 0: as viewers have them
    int around;                    // corners of a circle; 0: as viewers have them
    struct CondVisualStore* store; // of visual shapes
} CondDrawingDetail;

typedef struct CondDrawing {
    CondArena arena;
    int n_point, n_cell, n_corner;
    CondPoint* point; // the bodies' in their order, obstacles, planes              (n_point)
    int* corner;      // points of the cells                                        (n_corner)
    int* corner_end;  // one past the last corner of a cell                         (n_cell)
    uint8_t* type;    //                                                            (n_cell)
    int* body;        // of a cell; negative as above                               (n_cell)
    int* colour;      // of a cell; negative as above                               (n_cell)
    int paint;        // colour of the cells that are added
    int* point_begin; // first point of a body; of a soft body they are its nodes   (n_body)
    int* cell_begin;  // first cell of a body; of a soft body they are its elements (n_body)
    int plane_begin;  // first point of the planes: four each
    double box[2][3]; // lowest and highest corner of all but planes so far [m]
} CondDrawing;

// detail: NULL: for viewers.
CondStatus cond_drawing_create(const CondContext* context, const CondModel* model,
                               const CondDrawingDetail* detail, CondDrawing* drawing);
// Corners of each ring around a rod: ring k is at the begin of link k, the last one at the end.
int cond_drawing_ring(const CondBody* body);
void cond_drawing_destroy(CondDrawing* drawing);

// Enlarges the squares of the planes to cover all that was drawn so far, and the points at position
// (n_point x 3), in which it overwrites those of the planes.
void cond_drawing_fit_planes(CondDrawing* drawing, const CondModel* model, double* position);

#endif
