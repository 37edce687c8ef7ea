// Blocks of tetrahedra for collision tests, and what any list of contacts must satisfy.
#ifndef COND_TEST_TET_BLOCK_H
#define COND_TEST_TET_BLOCK_H

#include "collide/volume.h"

#define BLOCK_PI 3.14159265358979323846

// A block of nx x ny x nz cells, six tetrahedra each, with the low corner at the origin.
typedef struct Block {
    int n_vertex, n_tet;
    double* rest; //                                                          (n_vertex x 3)
    double* x;    // current                                                  (n_vertex x 3)
    int* tet;     //                                                          (n_tet x 4)
} Block;

Block make_block(int nx, int ny, int nz, double a, double b, double c);
void free_block(Block* block);
// x = R x + shift, R from the quaternion q.
void move_block(Block* block, const double q[4], const double shift[3]);
// Bends a mat of length 2 l + pi r and thickness h to a U: lower leg along +x, a half circle of
// radius r, upper leg back over the lower one and pressed down by `press` towards its end.
void fold_block(Block* mat, double l, double r, double h, double press);

// With one ring left out of self-contact; it must succeed.
CondVolume* make_volume(const Block* block, int body);
// 1 when surface vertex v of a is well inside b, by trying all tetrahedra.
int penetrates(const CondVolume* a, const CondVolume* b, int v);
// Replaces the list and asserts that it is sound: weights, gaps and order are right, and every
// vertex that brute force finds inside is reported. Returns the number of contacts.
int collide(const CondVolume* a, const CondVolume* b, double margin, const int* last,
            CondVolumeContacts* contacts);

#endif
