// Nearest points of segments.
#ifndef COND_GEOMETRY_SEGMENT_H
#define COND_GEOMETRY_SEGMENT_H

// Nearest points p + s d and q + t e of two segments, s and t in 0 .. 1; returns their distance.
// For parallel segments: the middle of their common stretch.
double cond_segment_nearest(const double p[3], const double d[3], const double q[3],
                            const double e[3], double* s, double* t);
// Nearest point p + s d of a segment to x; returns their distance.
double cond_segment_point(const double p[3], const double d[3], const double x[3], double* s);

#endif
