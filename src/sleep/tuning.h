// Every number of sleeping that was chosen, not derived, with its reason.
#ifndef COND_SLEEP_TUNING_H
#define COND_SLEEP_TUNING_H

enum {
    COND_SLEEP_STEPS = 2, // [count] steps without change before an island sleeps
    COND_SLEEP_SHARE = 8, // [1] a new workspace is built only if one in this number of awake bodies
                          // falls asleep
};

#endif
