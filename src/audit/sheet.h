// A piece of a surface with two coordinates: a triangle, the side of a cylinder, or its cap; for
// the audit's search for points of it that are deep in another surface.
#ifndef COND_AUDIT_SHEET_H
#define COND_AUDIT_SHEET_H

#include "audit/surface.h"

typedef enum CondSheetKind {
    COND_SHEET_TRIANGLE, // corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0)
    COND_SHEET_SIDE,     // of a cylinder: angle u, height v
    COND_SHEET_CAP,      // distance u from the axis, angle v
} CondSheetKind;

typedef struct CondSheet {
    CondSheetKind kind;
    const double* corner[3]; // of the triangle [m]
    const CondPiece* piece;  // the cylinder
    double top;              // -1, 1: which cap
} CondSheet;

// The deepest point of a sheet of something that is `radius` thick, in a surface, where it is
// deeper than *out: the sheet is then the first of the two.
void cond_sheet_search(const CondSheet* sheet, const CondSurface* surface, double radius,
                       CondTranslation* out);

#endif
