// Signals that ask the tool to end (Ctrl-C, SIGTERM, SIGHUP), and the time that a step may take.
//
// While there is something to keep, a signal lets the step in hand come to its end and the command
// then writes all it has. A step that is not through after a while, or when a second signal comes,
// is cancelled. A third signal ends the program at once.
#ifndef COND_CLI_INTERRUPT_H
#define COND_CLI_INTERRUPT_H

#include <cond/context.h>

// For main: until something is to be kept, a signal ends the program with exit code 128 + its
// number.
void interrupt_watch(void);

// From here on the command asks interrupt_signal between its steps. After a signal a step has so
// many seconds left.
void interrupt_keep(double grace);

// The first signal that came; 0: none.
int interrupt_signal(void);

// The exit code of a command: 128 + the signal where one came, else the code given.
int interrupt_code(int code);

// Until a signal comes.
void interrupt_wait(void);

// The step that begins now is cancelled after so many seconds; INFINITY: never.
void interrupt_limit_step(double seconds);

// For CondContext: 1 when the step in hand is not to be finished.
int interrupt_cancels(void* user);

#endif
