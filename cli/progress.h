// A progress line with the time left, for work longer than two seconds, on terminals only.
#ifndef COND_CLI_PROGRESS_H
#define COND_CLI_PROGRESS_H

typedef struct Progress {
    const char* what;
    double start, last;
    int shown;
} Progress;

Progress progress_start(const char* what);
void progress_update(Progress* progress, long done, long total);
void progress_end(Progress* progress);

#endif
