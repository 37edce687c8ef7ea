// Numbers of base, and those that several layers use. A header of numbers alone: it includes
// nothing.
#ifndef COND_BASE_TUNING_H
#define COND_BASE_TUNING_H

// ---- precision: relative tolerances within which a value counts as equal to a bound

// [1] A few operations on doubles: smaller areas, volumes, moments of inertia and prescribed
// motions count as zero. Long thin links have moments of inertia between this and COND_ROUNDING,
// which a factorisation can still handle.
#define COND_PRODUCT_ROUNDING 1e-14
// [1] Some thousand operations on doubles: weights, ray parameters, determinants, eigenvalues,
// pivots, energies, residuals of sums of forces.
#define COND_ROUNDING 1e-12
// [1] Numbers from users and files: lengths below it are zero, and shorter vectors have no
// direction; values that should agree or meet a limit may differ by this share; directions are
// equal if their cosine is within it of 1 (4e-5 rad), and a normal must be better by more to
// replace another; slip below it, relative to gamma |lambda|, counts as stick between opposing
// contacts. Nine digits are more than the single precision of most files, and well above the
// rounding of sums of doubles.
#define COND_INPUT_ROUNDING 1e-9
// [1] Numbers in single precision, or with six digits, as in most meshes and robots: negligible
// heights over a plane, sines of parallel directions, lengths of unit quaternions, products of a
// frame's rows, depths of neighbouring links, distances of points of the same contact, share of a
// thickness within which two surfaces have met; rounding of matrices in single precision.
#define COND_SINGLE_PRECISION 1e-6
// [share] of the terms of a sum of motions or forces: a smaller remainder after cancellation is an
// error of the solve, which tolerances of 1e-8 keep a hundred times smaller.
#define COND_CANCELS 1e-6

// [share] within which two lengths, depths, directions or positions count as equal, although they
// are known more precisely: a point this near to a corner or a rim belongs to it; contacts of
// meshes that are nearer to each other are one, and deeper ones are thinned; bodies this near have
// met; edges at a smaller angle have no common normal, and faces at 0.06 degrees count as one; also
// the tolerance for closed rods and lasting contacts, the extra distance of separated boxes, and
// the root of the damping of inverse kinematics.
#define COND_NEARLY 1e-3

// ---- searches and iterations

// [share] of a residual, a sum of errors or a merit function: a step that leaves more makes no
// progress.
#define COND_PROGRESS 0.9
// [share] of a limit, or of the length that an estimate allows, that is used.
#define COND_SAFETY 0.9
// [1] cosine of two similar directions: 26 degrees.
#define COND_ALIGNED 0.9
// [1] times a tolerance, or a limit derived from one: the error that solves may leave in a speed,
// in a difference of two answers, or in a violation, and the distance within which a swept contact
// is created; the residual of persistent contacts is smaller by this factor, because it adds up
// over many steps.
#define COND_LEEWAY 10.0
enum {
    // [count] steps of a small Newton iteration with quadratic convergence: for the normal of
    // rounded rims and the rotation nearest to a matrix six or seven are usual, and a free rotation
    // converges to rounding unless the angle of a step is very large.
    COND_QUADRATIC_STEPS = 30,
    COND_GOLDEN_STEPS = 40, // [count] golden sections: 4e-9 of an interval, the root of a double's
                            // precision, the best accuracy for a smooth maximum
    // [count] steps of a search along a line or in a hull, which normally ends by its tolerance: a
    // ball that narrowly misses a plane takes 40, the worst pair of test_gjk a third of the limit.
    // Also rounds of mending a mesh, which ends when nothing changes.
    COND_SEARCH_STEPS = 128,
};

// ---- loops over threads

// [count] multiply-adds, or numbers read, above which several threads pay: one thread takes some
// four microseconds for it, and waking another takes two.
#define COND_PARALLEL_FROM 16384
enum {
    COND_PATIENCE = 25, // [count] iterations or rounds without progress after which a search ends:
                        // forces in heaps converge along long paths
    COND_FEW_BODIES = 10,       // [count] bodies of a small problem: more bodies in contact are a
                                // heap, and from this number on sleeping pays
    COND_PARALLEL_CHAINED = 4,  // [1] factor of it for consecutive loops: a thread reads what
                                // another has written in the one before
    COND_CONTACT_WORK = 64,     // [count] multiply-adds of a contact or a pair of bodies in a loop:
                                // its law, and three rows of some twelve coordinates
    COND_COORDINATE_WORK = 8,   // [count] multiply-adds of a coordinate and its terms in a loop
    COND_LOOP_SHARES = 2,       // [count] blocks of a loop per thread, since some arrive late
    COND_SUM_BLOCK = 512,       // [count] numbers of a partial sum: 4 kB, a fraction of a
                                // first-level cache
    COND_ARENA_ALIGNMENT = 64,  // [bytes] a cache line, and the widest vector
    COND_PREFETCH_AHEAD = 4096, // [bytes] prefetched ahead in a matrix: rows are too short for the
                                // processor's own prefetching
};

// [ns] for which a thread spins before it sleeps, while it waits for work or at a barrier: ten
// times the cost of waking it.
#define COND_SPIN 200000L
// [ns] the same for threads that wait for work if OMP_WAIT_POLICY is active, which requires a long
// wait.
#define COND_TEAM_SPIN 10000000L
// [ns] after which a thread that has not arrived counts as not scheduled.
#define COND_TEAM_LATE 100000L
// [1] times the loss: the time without teams after they have lost more than they saved,
#define COND_TEAM_TIMES 20L
// [ns] and its upper limit after repeated losses.
#define COND_TEAM_LATER 10000000000L
// [ns] Upper limit of the balance of time that teams have saved or lost.
#define COND_TEAM_CREDIT (COND_TEAM_TIMES * COND_TEAM_LATE)

// ---- files and messages

enum {
    COND_ONE_BY_ONE = 20000,   // [count] links or edges up to which a linear search is used: the
                               // square of that takes seconds
    COND_FILE_ITEMS = 1000000, // [count] largest number of items of one entry of a file: runs of a
                               // sweep, copies of a body, points of a cable
    COND_FILE_LEVELS = 16,     // [count] levels of models that attach models, which may give 2^16
                           // copies of a body; also folders above a robot's file that are searched
                           // for a package
    COND_NESTING = 200, // [count] largest nesting of lists, nodes or classes in a file: far beyond
                        // real files, and safe for the stack
    COND_FILE_ATTEMPTS = 1000, // [count] names that are tried for a new file; names in use are left
                               // over from killed programs
    COND_TEXT_SHOWN = 150, // [characters] of a path or of a foreign text that a message quotes; a
                           // message can hold two of them (CondError)
    COND_WORD_SHOWN = 40,  // [characters] of a single word of a file that a message quotes
    COND_DEFLATE_GROWTH = 1032, // [1] largest expansion of deflate by its format: two bits for a
                                // run of 258 bytes
};

#endif
