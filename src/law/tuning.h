// Numbers of laws, certificates and answers, and those that say when a problem is large, for the
// layers that pose problems as well. A header of numbers alone: it includes nothing.
#ifndef COND_LAW_TUNING_H
#define COND_LAW_TUNING_H

// [share] of half the width of an interval of forces: velocity at play, times the compliance.
#define COND_CERTIFICATE_WIDTH 1e-2
// [share] of gamma |lambda| that counts as velocity in any case: forces that press contacts against
// each other have rounding, and slip below it is not told from stick.
#define COND_CERTIFICATE_STRESS 1e-9
// [share] of the motions that cancel in a contact, and count as its velocity: they leave 1e-16 of
// themselves, a hundredth of the 1e-8 of it that tolerances ask for.
#define COND_CERTIFICATE_CANCELLED 1e-6

// [1] tolerance of problems that will be posed again with more contacts. In a step of a millisecond
// such an error moves what is as fast as 1 m/s by 1e-7 m.
#define COND_COARSE_TOLERANCE 1e-4
// [share] of the tolerance that solves within a solve aim at: the certificate comes after them.
#define COND_AIM 0.3

enum {
    COND_TINY_PROBLEM = 60,    // [count] coordinates of a problem of a few bodies, whose
                               // factorisation costs next to nothing
    COND_HISTORY_FIRST = 1024, // [count] iterations of a solve that there is memory for at once
};

#endif
