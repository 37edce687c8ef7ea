// Vertices of soft bodies against volumes of tetrahedra, another body's or their own.
#ifndef COND_COLLIDE_VOLUME_H
#define COND_COLLIDE_VOLUME_H

#include "geometry/cluster.h"

// Subtrees of the tree of tetrahedra or triangles that a search for self-contact skips, because
// they are too near in the mesh.
typedef struct CondVolumeSkip {
    int* begin;          // of each group of surface vertices                 (n_group + 1)
    int* node;           // ascending: subtrees around the group; in each of their clusters, some
                         // vertex of the group excludes primitives           (begin[n_group])
    int* rim_begin;      //                                                   (n_group + 1)
    int* rim;            // leaves in those subtrees that some vertex of the group does not exclude
                         // as a whole                                    (rim_begin[n_group])
    int* used_begin;     //                                                   (n_group + 1)
    unsigned char* used; // for each vertex of a group and each leaf of its rim; bit j: item j of
                         // the cluster is not excluded                  (used_begin[n_group])
} CondVolumeSkip;

// A tetrahedral mesh with its search structures for collision. All but the last group of fields are
// set by the create call.
typedef struct CondVolume {
    CondContext context;
    int body;           // the caller's number, copied to contacts
    int n_vertex;       //
    int n_tet;          //
    int n_front;        // of a shell: triangles of its first side; else 0
    int n_triangle;     // faces of one tetrahedron only: the surface
    int n_surface;      // vertices on the surface
    double size;        // diagonal of the bounding box at rest [m]
    double thickness;   // its least extent [m]
    double layer;       // mean of the least heights of the tetrahedra at rest [m]
    const int* tet;     // the caller's                                        (n_tet x 4)
    const double* rest; // the caller's [m]                                   (n_vertex x 3)
    int* triangle;      // counter-clockwise seen from outside                 (n_triangle x 3)
    int* triangle_tet;  // the tetrahedron behind each                         (n_triangle)
    int* surface;       // ascending                                           (n_surface)
    int* fan_begin;     // triangles around a vertex                           (n_vertex + 1)
    int* fan;           //                                                     (3 n_triangle)
    int* ring_begin;    // vertices too near in the mesh for self-contact       (n_vertex + 1)
    int* ring; // of surface vertices, themselves included            (ring_begin[n_vertex])
    int cap_ring;
    CondClusters groups;    // surface vertices, grouped by their rest positions; indices into
                            // `surface`
    CondFloatBox* rest_box; // of the nodes of `triangles` at rest
    int threads;            // for update and refit: 1, or as the owner says

    int n_edge;         // of the surface, with two triangles; by make_edges
    int* edge;          // two vertices, two triangles                            (n_edge x 4)
    int* triangle_edge; // -1: an edge of more triangles                      (n_triangle x 3)

    CondVolumeSkip tet_skip, triangle_skip; // by make_skips

    double* position;       // [m], by update                                 (n_vertex x 3)
    double* normal;         // of triangles, zero where there is no area      (n_triangle x 3)
    double bound[6];        // box around all vertices, by update
    CondClusters triangles; // by update
    CondClusters tets;      // by refit, which only callers that need the tetrahedra run
    int tets_stale;         // 1: it has not been refitted since
} CondVolume;

// A vertex that touches a triangle: gap = normal . (x_vertex - sum weight_i x_i).
typedef struct CondVolumeContact {
    int body;         // number of the body that owns the vertex
    int vertex;       //
    int other;        // number of the body that owns the triangle
    int triangle;     // index into its CondVolume.triangle
    int inside;       // 1: the vertex lies in a tetrahedron of the other, 0: in front of it
    double weight[3]; // of the triangle's corners, not negative, sum 1
    double gap;       // [m], <= 0 inside
    double normal[3]; // of the triangle, outward, world
} CondVolumeContact;

typedef struct CondVolumeFound CondVolumeFound;

// The workspace of one thread for a search.
typedef struct CondVolumeRoom {
    CondContext context;
    int n; //
    int cap;
    CondVolumeContact* contact; // of its groups, in the order of the search               (n)
    CondTreeHits hits;          //
    CondNear tets, triangles;   // near a group of vertices
    CondVolumeFound* found;     // triangles near one vertex
    int cap_found;
    int* place; // 1 + index in found of a triangle, else 0                       (n_triangle)
    int cap_place;
    char* near_mesh; // 1 for vertices in the ring of one vertex              (n_vertex)
    int cap_near_mesh;
    int group; // the next group to search
} CondVolumeRoom;

typedef struct CondVolumeContacts {
    CondContext context;
    int threads; // 1, or as the owner says
    int n;
    CondVolumeContact* contact; //                                            (n)
    int cap;
    CondTreeHits hits;    // scratch
    CondNear near;        // scratch: triangles near to what is swept together
    CondVolumeRoom* room; // scratch of each thread                       (n_room)
    int n_room, cap_room;
    int* run;     // scratch: for each vertex its thread's workspace, the first contact there, and
                  // their number
    int cap_run;  //                                                          (n_surface x 3)
    long visited; // nodes and boxes looked at by cond_volume_collide; counts on, for measuring
} CondVolumeContacts;

// The mesh must stay in memory; the current positions are those at rest. n_ring: a vertex is never
// in self-contact with a tetrahedron or triangle that has a corner within this number of edges of
// it; 1 is a good choice. Tetrahedra may have either orientation. COND_BAD_ARGUMENT for an index
// out of range, a repeated corner, a position that is not finite, or a face shared by more than two
// tetrahedra.
CondStatus cond_volume_create(const CondContext* context, int body, int n_vertex,
                              const double* rest, int n_tet, const int* tet, int n_ring,
                              CondVolume** out, CondError* error);
// The two sides of a shell of triangles: a volume without tetrahedra whose surface consists of all
// triangles, and then of all triangles with reversed orientation.      triangle (n_triangle x
// 3)
CondStatus cond_volume_create_shell(const CondContext* context, int body, int n_vertex,
                                    const double* rest, int n_triangle, const int* triangle,
                                    double thickness, int n_ring, CondVolume** out,
                                    CondError* error);
void cond_volume_destroy(CondVolume* volume);
// 1 for an edge between two reversed triangles of a shell: a duplicate of an edge of the first
// side.
int cond_volume_is_back(const CondVolume* volume, int e);
// 1 for an edge at which the two sides of a shell meet.
int cond_volume_is_rim(const CondVolume* volume, int e);
// Lists the edges of the surface, once.
CondStatus cond_volume_make_edges(CondVolume* volume, CondError* error);
// Computes the skips that make self-contact fast, once; results do not change.
CondStatus cond_volume_make_skips(CondVolume* volume, CondError* error);
// The largest sine of the angle by which the unit vector n points from edge e, with the unit vector
// d along it, into one of its two triangles. If it is not positive, n is the normal of a plane that
// touches both triangles from outside.
double cond_volume_edge_lean(const CondVolume* volume, int e, const double d[3], const double n[3]);
// The same for triangle k, 0 or 1, alone.
double cond_volume_side_lean(const CondVolume* volume, int e, int k, const double d[3],
                             const double n[3]);
// Smallest height of a tetrahedron at rest [m].
double cond_volume_tet_height(const CondVolume* volume, int tet);
// Distance at rest of two vertices [m].
double cond_volume_rest_length(const CondVolume* volume, int a, int b);
// Sets the current positions; O(n), no allocation.                             (n_vertex x 3)
void cond_volume_update(CondVolume* volume, const double* position);
// The two halves of update: positions and surface; and the tree of the tetrahedra, if it is stale.
// Only bodies in which points are searched need the second.
void cond_volume_update_surface(CondVolume* volume, const double* position);
void cond_volume_refit(CondVolume* volume);
// All triangles whose box overlaps `box`; replaces the list.
CondStatus cond_volume_triangles_in(const CondVolume* volume, const double box[6],
                                    CondTreeHits* hits);
// Mean of the normals of the triangles around a vertex, weighted with their angles; zero for an
// inner vertex, and for one of a shell, which has two sides.
void cond_volume_vertex_normal(const CondVolume* volume, int vertex, double n[3]);

// An empty list; the context may be NULL.
void cond_volume_contacts_begin(const CondContext* context, CondVolumeContacts* contacts);
void cond_volume_contacts_end(CondVolumeContacts* contacts);

// Appends the contacts of all surface vertices of a with the volume of b; a == b: self-contact. The
// appended part ascends with (vertex, triangle). A vertex inside is always reported, one outside up
// to `margin` in front of the surface [m], >= 0. `last` holds for each vertex of a the triangle of
// b it touched in the last step or -1, and may be NULL.                      last (a->n_vertex)
CondStatus cond_volume_collide(const CondVolume* a, const CondVolume* b, double margin,
                               const int* last, CondVolumeContacts* contacts);

// The same for one point that does not belong to a volume, with the outward normal n, or zero if it
// has none; body and vertex of the contacts are -1.
CondStatus cond_volume_collide_point(const CondVolume* b, const double p[3], const double n[3],
                                     double margin, int last, CondVolumeContacts* contacts);

#endif
