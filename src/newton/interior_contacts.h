// The contacts of the interior-point method: what an iteration does in each of them, four side by
// side. With T = diag(1, mu1, mu2), z = T^-1 lambda, y = T (u + c lambda) + s e1 and E, W, M as in
// src/newton/interior_point.c, the equations of a contact are
//     dz = M (r - E T du),   dy = E T (du + c T dz) + rp,   rp = T (u + c lambda) + s e1 - y,
// with r = rc - rp, and it adds Jc' T M r to the right-hand side of the system for dv.
#ifndef COND_NEWTON_INTERIOR_CONTACTS_H
#define COND_NEWTON_INTERIOR_CONTACTS_H

#include "law/certificate.h"
#include "newton/linear_law.h"

// Arrays of fours: number i of contact c is at COND_LANES n (c / COND_LANES) + COND_LANES i +
// c % COND_LANES, n the numbers of a contact, in brackets. Lanes beyond the last contact mean
// nothing. Of an interval of forces: interior_interval.h.
typedef struct CondInteriorContacts {
    const CondCertificateData* data;
    int n, n_four;
    int threads;
    double theta;        // how much of the change of |u_t| an iteration foresees
    double *y, *z;       // scaled velocity and force, inside the cone               (3)
    double *dy, *dz;     // direction                                                (3)
    double *rp, *r;      //                                                          (3)
    double* left;        // of r, when it has been solved for once                   (3)
    double* du;          // Jc dv of it                                              (3)
    double *eta, *w;     // the scaling W: interior_cone.h                           (1), (3)
    double* M;           // (W^2 + c E T^2)^-1                                       (9)
    double* e;           // first row of E beyond the identity                       (2)
    double* mu;          // of the problem: diagonal of T,                           (2)
    double* slip;        // slip per force,                                          (1)
    double* softer;      // the same with the resistance against changes of forces,  (1)
    double* phi;         //                                                          (3)
    double* strict;      // 1: s = |T u_t|, else 0                                   (1)
    int* intervals;      // 1: the four has a contact with an interval               (n_four)
    double* sum;         // what a four adds to y'z, y'dz + z'dy and dy'dz           (n_four x 3)
    double* step;        // longest step that leaves a four inside                   (n_four)
    double *u, *lambda;  // Jc v + phi, by the certificate; T z                      (n x 3)
    double* force;       // T M r                                                    (n x 3)
    const double* gamma; // scales of the natural maps                               (n)
    CondLinearLaw* law;  // their D = T M E T goes to the matrix                     (n)
} CondInteriorContacts;

// Room for the contacts of the problem, and what stays the same over all iterations; resistance is
// a share of the scale of a friction cone.
CondStatus cond_interior_contacts_begin(CondInteriorContacts* at, CondArena* arena,
                                        const CondCertificateData* data, double resistance);

// A start: contact c at the velocity u and the force lambda, each in its cone or the nearest of its
// size, and from there inwards by so much; (0, 0, 0) gives the middle of the cone. An interval
// starts within its bounds. Returns the products y'z of the contact that are to vanish.
int cond_interior_contacts_set(CondInteriorContacts* at, int c, const double u[3],
                               const double lambda[3], double velocity, double force);

// lambda = T z of all.
void cond_interior_contacts_press(const CondInteriorContacts* at);

// rp, W, M, e and D at u and lambda, r of the predictor and its force. Returns the sum of y'z.
double cond_interior_contacts_linearise(const CondInteriorContacts* at);

// r for y o z = aim e, less what the direction at hand leaves where it corrects; force.
void cond_interior_contacts_aim(const CondInteriorContacts* at, double aim, int correct);

// x = -rd - change + Jc' force; change may be NULL.
void cond_interior_contacts_add(const CondInteriorContacts* at, const double* rd,
                                const double* change, double* x);

// dz for the velocity x, what it leaves of the equations, and the force that takes it out.
void cond_interior_contacts_refine(const CondInteriorContacts* at, const double* x);

// The direction for the velocity x; again: x adds to the one that was refined. Returns the longest
// step, at most 1; *first and *second are such that y'z + a first + a^2 second is the sum of y'z
// after a step of length a.
double cond_interior_contacts_direct(const CondInteriorContacts* at, const double* x, int again,
                                     double* first, double* second);

// A step of length a; lambda with it.
void cond_interior_contacts_take(const CondInteriorContacts* at, double a);

#endif
