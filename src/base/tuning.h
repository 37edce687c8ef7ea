// Numbers of base that several layers use. A header of numbers alone: it includes nothing.
#ifndef COND_BASE_TUNING_H
#define COND_BASE_TUNING_H

// [1] Precision of numbers that users and files give: a length is zero below it, and values that
// should agree or meet a limit may miss it by so much of their size. Nine digits are more than the
// single precision of most files, and far less than the rounding of sums of doubles.
#define COND_INPUT_ROUNDING 1e-9

enum {
    COND_TEXT_SHOWN = 150, // [characters] of a path or of a foreign text that a message quotes; a
                           // message has room for two of them (CondError)
    COND_WORD_SHOWN = 40,  // [characters] of a single word of a file that a message quotes
    COND_DEFLATE_GROWTH = 1032, // [1] bytes that deflate makes of one at most, by its format: a bit
                                // for a run of 258 bytes, two bits a run
};

#endif
