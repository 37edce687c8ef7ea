// Numbers of base, and those that several layers use. A header of numbers alone: it includes
// nothing.
#ifndef COND_BASE_TUNING_H
#define COND_BASE_TUNING_H

// ---- precision: what is nearer to a bound than this share of its size is on it

// [1] A few operations on doubles: areas, volumes, moments of inertia and prescribed motions that
// are smaller are none. Long thin links have moments of inertia between this and COND_ROUNDING,
// which a factorisation still bears.
#define COND_PRODUCT_ROUNDING 1e-14
// [1] Some thousand operations on doubles: weights, ray parameters, determinants, eigenvalues,
// pivots, energies, residuals of sums of forces.
#define COND_ROUNDING 1e-12
// [1] Numbers that users and files give: a length is zero below it, and vectors that are shorter
// have no direction; values that should agree or meet a limit may miss it by so much of their size;
// directions are the same where their cosine misses 1 by so much, 4e-5 rad, and a normal is better
// than another by more; slip below it, of gamma |lambda|, is not told from stick where forces press
// contacts against each other. Nine digits are more
// than the single precision of most files, and far more than the rounding of sums of doubles.
#define COND_INPUT_ROUNDING 1e-9
// [1] Numbers in single precision, or with six digits, as most meshes and robots have them: heights
// over a plane that count as none, sines of parallel directions, lengths of unit quaternions,
// products of a frame's rows, depths of neighbouring links, points that
// are one contact, thicknesses within which two things have met; rounding of the matrices that are
// held in it.
#define COND_SINGLE_PRECISION 1e-6
// [share] of the terms of a sum, of motions or of forces: what is left where they cancel is the
// error of the solve, which tolerances of 1e-8 bound a hundred times below.
#define COND_CANCELS 1e-6

// [share] within which two lengths, depths, directions or places count as equal, where more is
// known of them than this: a point this near to a corner or a rim belongs to the corner or the rim;
// contacts of meshes that are nearer to each other are one, deeper ones are thinned, and things
// that near each other have met; edges at such an angle have no normal across both, and faces at
// 0.06 degrees count as one; a rod is closed, a contact lasts, boxes are moved apart by so much
// more, and the damping of inverse kinematics is its square.
#define COND_NEARLY 1e-3

// ---- searches and iterations

// [share] of a residual, a sum of errors or a merit: what leaves more makes no progress.
#define COND_PROGRESS 0.9
// [share] of a limit, or of the length that an estimate allows: how far one goes.
#define COND_SAFETY 0.9
// [1] cosine of two directions that are much the same: 26 degrees.
#define COND_ALIGNED 0.9
// [1] times a tolerance, or a limit that is made of one: what solves may leave in a speed, in a
// difference of two answers, or in a violation, and within which a contact that a sweep has met is
// made; the residual of contacts that last is smaller by it, because it adds up over many steps.
#define COND_LEEWAY 10.0
enum {
    // [count] of a small Newton iteration that converges by squares: for the normal of rounded rims
    // and the rotation nearest to a matrix six or seven are usual, and a free rotation ends at
    // rounding unless a step turns very far.
    COND_QUADRATIC_STEPS = 30,
    COND_GOLDEN_STEPS = 40, // [count] of golden sections: 4e-9 of an interval, the root of a
                            // double's precision, where a smooth maximum cannot be told better
    // [count] of a search along a line or in a hull that ends by its tolerance: a ball that just
    // misses a plane advances 40 times, the worst pair of test_gjk takes a third of it. And rounds
    // of
    // mending a mesh, which ends where nothing changes.
    COND_SEARCH_STEPS = 128,
};

// ---- loops over threads

// [count] multiply-adds, or numbers read, from which several threads pay: one of them takes some
// four microseconds for it, and two to wake another.
#define COND_PARALLEL_FROM 16384
enum {
    COND_PATIENCE = 25, // [count] iterations or rounds after which a search that makes no progress
                        // ends: forces of heaps go a long way round
    COND_FEW_BODIES = 10,       // [count] bodies whose problem is small: more that touch are a
                                // heap, and from so many on it pays to let bodies sleep
    COND_PARALLEL_CHAINED = 4,  // [1] times that for loops that follow each other: a thread reads
                                // what another has written in the one before
    COND_CONTACT_WORK = 64,     // [count] multiply-adds of a contact or a pair of bodies in a loop:
                                // its law, and three rows of some twelve coordinates
    COND_COORDINATE_WORK = 8,   // [count] multiply-adds of a coordinate and its terms in a loop
    COND_LOOP_SHARES = 2,       // [count] parts of a loop for each thread: some come late
    COND_SUM_BLOCK = 512,       // [count] numbers of a partial sum: 4 kB, many to a first cache
    COND_ARENA_ALIGNMENT = 64,  // [bytes] a line of the cache, and the widest vector
    COND_PREFETCH_AHEAD = 4096, // [bytes] of a matrix that are asked for ahead: rows are too short
                                // for the processor to foresee the next one
};

// [ns] that a thread waits busily for work, or for others in the middle of a loop, before it
// sleeps: ten times what waking it takes.
#define COND_SPIN 200000L
// [ns] the same of threads that wait for work where OMP_WAIT_POLICY is active: "long" by its rules.
#define COND_TEAM_SPIN 10000000L
// [ns] after which a thread that has not come to the others does not run.
#define COND_TEAM_LATE 100000L
// [1] times what is lost: for so long there are no teams where they have lost more than they saved,
#define COND_TEAM_TIMES 20L
// [ns] and at most for so long, where they have lost again and again.
#define COND_TEAM_LATER 10000000000L
// [ns] Time that teams have saved, or lost, counts at most so much.
#define COND_TEAM_CREDIT (COND_TEAM_TIMES * COND_TEAM_LATE)

// ---- files and messages

enum {
    COND_ONE_BY_ONE = 20000,   // [count] of links or edges that may be searched one by one: as many
                               // squared take seconds
    COND_FILE_ITEMS = 1000000, // [count] that one entry of a file may ask for: runs of a sweep,
                               // copies of a body, points of a cable
    COND_FILE_LEVELS = 16,     // [count] of models that attach models, which makes 2^16 copies of a
                           // body; of folders above a robot's file that are searched for a package
    COND_NESTING = 200, // [count] of lists, nodes or classes within each other in a file: far
                        // beyond what is written, and no danger to the stack
    COND_FILE_ATTEMPTS = 1000, // [count] names that are tried for a new file; each that is taken
                               // was left by a program that was killed
    COND_TEXT_SHOWN = 150, // [characters] of a path or of a foreign text that a message quotes; a
                           // message has room for two of them (CondError)
    COND_WORD_SHOWN = 40,  // [characters] of a single word of a file that a message quotes
    COND_DEFLATE_GROWTH = 1032, // [1] bytes that deflate makes of one at most, by its format: a bit
                                // for a run of 258 bytes, two bits a run
};

#endif
