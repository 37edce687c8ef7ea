// Ctrl-C, or a signal to end, as something that can be asked for.
#ifndef COND_CLI_VIEW_END_H
#define COND_CLI_VIEW_END_H

// From now on SIGINT and SIGTERM do not end the program; they are remembered.
void view_end_watch(void);
int view_end_asked(void);
// Waits until one came.
void view_end_wait(void);

#endif
