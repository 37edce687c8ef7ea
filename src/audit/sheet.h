// A parametrised sheet of a surface: a triangle, the side of a cylinder, or its cap; for the
// audit's search for its points that are deep in another surface.
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

// Finds the deepest point in a surface of a sheet with the radius `radius`. If it is deeper than
// *out it replaces *out, with the sheet as the first of the two.
void cond_sheet_search(const CondSheet* sheet, const CondSurface* surface, double radius,
                       CondTranslation* out);

#endif
