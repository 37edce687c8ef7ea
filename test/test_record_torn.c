// A recording whose writer is ended within one of its writes. The kernel looks for a deadly signal
// at every page of a write, so that a piece which crosses a page may be half on the disk; this
// program's own pwrite, which HDF5 calls, ends the process there. Nothing recorded may be lost.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cond/cond.h"
#include "record_make.h"
#include "scene_make.h"

enum { PAGE = 4096, N_FRAME = 3, MOST = 4000 };

// What a process that writes tells the one that waits for it.
typedef struct Log {
    int n_write;            // so far
    int frame_end[N_FRAME]; // writes when a frame was finished
    int pages[MOST];        // ends of pages within each write
    int last_write,
        last_page; // the write the process does not live through, and what it gets of it
} Log;

static Log* writer; // shared by both processes; NULL: writes are only written

static ssize_t write_all(int descriptor, const void* bytes, size_t n, off_t at)
{
    return (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, n, at);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t n, off_t at);
ssize_t pwrite(int descriptor, const void* bytes, size_t n, off_t at)
{
    if (writer) {
        int k = writer->n_write++;
        if (k < MOST)
            writer->pages[k] = n == 0 ? 0 : (int)((at + (off_t)n - 1) / PAGE - at / PAGE);
        if (k == writer->last_write) {
            off_t end = (at / PAGE + writer->last_page) * PAGE;
            if (end > at)
                write_all(descriptor, bytes, (size_t)(end - at), at);
            raise(SIGKILL);
        }
    }
    return write_all(descriptor, bytes, n, at);
}

// In a process of its own: all frames, or as many as it lives to write.
static void record_frames(const Trial* trial, int last_write, int last_page)
{
    writer->n_write = 0;
    writer->last_write = last_write;
    writer->last_page = last_page;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        CondRecord* record;
        CondError error;
        int failed =
            cond_record_open(NULL, "torn.h5", trial->model, NULL, &record, &error) != COND_OK;
        for (int k = 0; k < N_FRAME && !failed; k++) {
            failed = cond_record_frame(record, NULL, trial->state, NULL, &error) != COND_OK ||
                     cond_record_flush(record, &error) != COND_OK;
            writer->frame_end[k] = writer->n_write;
        }
        _exit(failed);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(last_write >= 0 ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status));
}

static void check_frames(int least, int write, int page)
{
    CondRecording* recording;
    CondError error;
    const CondMoment* moment;
    if (cond_recording_open(NULL, "torn.h5", &recording, &error))
        fail_msg("write %d, page %d: %s", write, page, error.message);
    assert_true(cond_recording_n_frame(recording) >= least);
    for (int k = 0; k < cond_recording_n_frame(recording); k++)
        if (cond_recording_frame(recording, k, &moment, &error))
            fail_msg("write %d, page %d: frame %d: %s", write, page, k, error.message);
    cond_recording_close(recording);
}

static void test_torn(void** state)
{
    (void)state;
    Trial trial = trial_begin(zoo_scene());
    Log* log = mmap(NULL, sizeof *log, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(log != MAP_FAILED);
    writer = log;
    record_frames(&trial, -1, 0);
    Log all = *log;
    int n_torn = 0;
    assert_true(all.n_write < MOST);
    // Within each write of the last frame, and before some of them.
    for (int k = all.frame_end[N_FRAME - 2]; k < all.frame_end[N_FRAME - 1]; k++)
        for (int page = k % 16 == 0 ? 0 : 1; page <= all.pages[k]; page++) {
            record_frames(&trial, k, page);
            check_frames(N_FRAME - 1, k, page);
            n_torn += page > 0;
        }
    assert_true(n_torn > 5);
    writer = NULL;
    munmap(log, sizeof *log);
    remove("torn.h5");
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_torn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
