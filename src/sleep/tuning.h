// Every number of sleeping that was chosen, not derived, with its reason.
#ifndef COND_SLEEP_TUNING_H
#define COND_SLEEP_TUNING_H

enum {
    COND_SLEEP_STEPS = 2, // [count] steps that must change nothing before an island sleeps
    COND_SLEEP_SHARE = 8, // [1] of those awake, one in so many must fall asleep to be worth a new
                          // workspace
};

#endif
