// Numbers of base, and those that several layers use. A header of numbers alone: it includes
// nothing.
#ifndef COND_BASE_TUNING_H
#define COND_BASE_TUNING_H

// [1] Precision of numbers that users and files give: a length is zero below it, and values that
// should agree or meet a limit may miss it by so much of their size. Nine digits are more than the
// single precision of most files, and far less than the rounding of sums of doubles.
#define COND_INPUT_ROUNDING 1e-9

// ---- loops over threads

// [count] multiply-adds, or numbers read, from which several threads pay: one of them takes some
// four microseconds for it, and two to wake another.
#define COND_PARALLEL_FROM 16384
enum {
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
    COND_FILE_ATTEMPTS = 1000, // [count] names that are tried for a new file; each that is taken
                               // was left by a program that was killed
    COND_TEXT_SHOWN = 150, // [characters] of a path or of a foreign text that a message quotes; a
                           // message has room for two of them (CondError)
    COND_WORD_SHOWN = 40,  // [characters] of a single word of a file that a message quotes
    COND_DEFLATE_GROWTH = 1032, // [1] bytes that deflate makes of one at most, by its format: a bit
                                // for a run of 258 bytes, two bits a run
};

#endif
