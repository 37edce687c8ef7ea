// Other solvers on the same problem, at the same certificate: CHOLMOD's factorisation of A, PGS
// and APGD, and Siconos' global ADMM, where the build has them.
#ifndef COND_CLI_BENCH_PEERS_H
#define COND_CLI_BENCH_PEERS_H

#include "bench_stage.h"

typedef enum BenchPeer {
    BENCH_PEER_FACTORISATION,
    BENCH_PEER_PGS,
    BENCH_PEER_APGD,
    BENCH_PEER_SICONOS,
    BENCH_N_PEER,
} BenchPeer;

typedef struct BenchPeerTime {
    double seconds;    // NaN: not installed, or the certificate was not reached
    int at_least;      // 1: it was stopped there by the limit, short of the certificate
    double residual;   // of the certificate; 0 for the factorisation
    double difference; // largest |u - ours| over the velocity scale; NaN: another law, or no u
    const char* note;  // why there is no time, or what it means; NULL: it is one
} BenchPeerTime;

const char* bench_peer_name(BenchPeer peer);

// What others are held against: our own answer, to compare contact velocities with, and how long
// they may take.
typedef struct BenchReference {
    double* v;    //                                                          (n_dof)
    double limit; // seconds that a solve of another may take
    double scale; // of velocities, by the certificate [m/s]
} BenchReference;

// Times one of them on the stage's problem from the stage's start. The factorisation runs on
// `threads` threads, the others on one. Those that iterate are given as many iterations as fit into
// the limit, by what the first few of them took.
BenchPeerTime bench_peer_time(BenchPeer peer, const BenchStage* stage, double tolerance,
                              int threads, const BenchReference* ours);

#endif
