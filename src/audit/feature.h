// Distances of points, segments and triangles, for the audit alone.
#ifndef COND_AUDIT_FEATURE_H
#define COND_AUDIT_FEATURE_H

// Distance of x to the triangle abc, and its nearest point.
double cond_audit_triangle(const double a[3], const double b[3], const double c[3],
                           const double x[3], double near[3]);

// Distance of two segments, each given by two points, and the parameters of the nearest points: 0
// .. 1.
double cond_audit_segments(const double a[6], const double b[6], double* s, double* t);

// Parameter, 0 .. 1, at which the segment from p to q intersects the triangle abc; -1: none.
double cond_audit_pierce(const double p[3], const double q[3], const double a[3], const double b[3],
                         const double c[3]);

// Distance of x to a box low[3], high[3]; 0 inside. And of two boxes.
double cond_audit_box_point(const double box[6], const double x[3]);
double cond_audit_boxes(const double a[6], const double b[6]);

#endif
