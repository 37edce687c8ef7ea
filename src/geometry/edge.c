// A plane with normal n supports an edge from outside exactly when n . side <= 0 for the directions
// `side` into its two faces. Two convex edges touch where the planes with n and -n, n = ea x eb,
// support b and a: the edge-edge case of the separating axis theorem. An edge that lies on a face
// crosses the face's rim with n . side = 0; tilting it a little must not lose that contact, so n
// may miss the cone by COND_OVERHANG and is then turned onto its nearest bound, a face normal.
#include "geometry/edge.h"
#include "base/tuning.h"

#include "geometry/tuning.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// n . side > 0 is taken out of n for both faces; 0 when n is too far from the cone. `sign` is that
// of the outward normal.
static int turn_into_cone(const CondEdge* edge, double sign, double n[3])
{
    if (edge->round)
        return 1;
    if (!(sign * vec3_dot(n, edge->out) > 0.0))
        return 0;
    for (int k = 0; k < 2; k++) {
        double over = sign * vec3_dot(n, edge->side[k]);
        if (over > COND_OVERHANG)
            return 0;
        if (!(over > 0.0))
            continue;
        for (int i = 0; i < 3; i++)
            n[i] -= sign * over * edge->side[k][i];
        double length = vec3_norm(n);
        for (int i = 0; i < 3; i++)
            n[i] /= length;
    }
    return 1;
}

int cond_edges_cross(const CondEdge* a, const CondEdge* b, double reach, CondEdgePair* out)
{
    double da[3], db[3], w[3], n[3];
    for (int i = 0; i < 3; i++) {
        da[i] = a->end[1][i] - a->end[0][i];
        db[i] = b->end[1][i] - b->end[0][i];
        w[i] = b->end[0][i] - a->end[0][i];
    }
    vec3_cross(da, db, n);
    double aa = vec3_dot(da, da), bb = vec3_dot(db, db), ab = vec3_dot(da, db);
    double sine2 = vec3_dot(n, n);
    if (!(sine2 > COND_NEARLY * COND_NEARLY * aa * bb))
        return 0;
    // Nearest points of the lines: (a0 + s da - b0 - t db) is normal to both.
    double s = (vec3_dot(w, da) * bb - vec3_dot(w, db) * ab) / sine2;
    double t = (vec3_dot(w, da) * ab - vec3_dot(w, db) * aa) / sine2;
    if (!(s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0))
        return 0;
    double apart = 0.0, length = sqrt(sine2);
    for (int i = 0; i < 3; i++) {
        n[i] /= length;
        out->point[0][i] = a->end[0][i] + s * da[i];
        out->point[1][i] = b->end[0][i] + t * db[i];
        apart += n[i] * (out->point[0][i] - out->point[1][i]);
    }
    // The normal points out of b; for two round ones, from axis to axis.
    double outward = !b->round ? vec3_dot(n, b->out) : !a->round ? -vec3_dot(n, a->out) : apart;
    for (int i = 0; i < 3 && outward < 0.0; i++)
        n[i] = -n[i];
    if (!turn_into_cone(b, 1.0, n) || !turn_into_cone(a, -1.0, n))
        return 0;
    out->gap = -a->radius - b->radius;
    for (int i = 0; i < 3; i++)
        out->gap += n[i] * (out->point[0][i] - out->point[1][i]);
    // Where they have passed through each other by much compared with the way to an end, it is not
    // these edges that met: past the rim of a face one finds the opposite side of the other body.
    double least = -2.0 * out->gap;
    if (!(out->gap <= reach) || (!a->soft && fmin(s, 1.0 - s) * sqrt(aa) < least) ||
        (!b->soft && fmin(t, 1.0 - t) * sqrt(bb) < least))
        return 0;
    memcpy(out->normal, n, sizeof n);
    out->along[0] = s;
    out->along[1] = t;
    return 1;
}

void cond_edge_place(const CondEdge* edge, const double R[9], const double position[3],
                     CondEdge* world)
{
    *world = *edge;
    for (int k = 0; k < 2; k++) {
        mat3_multiply(R, edge->end[k], world->end[k]);
        mat3_multiply(R, edge->side[k], world->side[k]);
        for (int i = 0; i < 3; i++)
            world->end[k][i] += position[i];
    }
    mat3_multiply(R, edge->out, world->out);
}
