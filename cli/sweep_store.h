// The folder of a sweep:
//
//   sweep.yaml, scene   copies of the files it was begun with, which --resume compares
//   entries/00042/      what an entry left, there whole or not at all: entry.json and what is kept
//   failed/00042.json   why an entry left nothing, twice; --resume tries it again
//   part/               entries that are being made
//   table.csv, report/  of all entries
#ifndef COND_CLI_SWEEP_STORE_H
#define COND_CLI_SWEEP_STORE_H

#include "json.h"

#include <sys/types.h>

enum { SWEEP_PATH = 4096 };

typedef struct SweepStore {
    char folder[SWEEP_PATH - 512]; // absolute
    int n;                         // entries
    int lock;                      // descriptor; -1: not locked
} SweepStore;

// Makes the folder or goes on with one that is there, whose files must be those of now. A folder
// with entries is refused unless resume is 1. 0, or 1 after a message.
int sweep_store_open(SweepStore* store, const char* folder, int n, const char* file,
                     const char* scene, int resume);
// Only one hands out the entries of a folder; 0, or 1 after a message. Until the process ends.
int sweep_store_lock(SweepStore* store);

int sweep_store_has(const SweepStore* store, int entry);
int sweep_store_count(const SweepStore* store);
void sweep_store_entry_path(const SweepStore* store, int entry, const char* file,
                            char out[SWEEP_PATH]);
// The entry.json of an entry that is there, or NULL.
json_t* sweep_store_read(const SweepStore* store, int entry);

// Where process `maker` of this machine makes an entry.
void sweep_store_part_path(const SweepStore* store, int entry, pid_t maker, const char* file,
                           char out[SWEEP_PATH]);
int sweep_store_begin(const SweepStore* store, int entry);
// Brings all to the disk and gives it its name; where another was faster, its entry stays.
int sweep_store_commit(const SweepStore* store, int entry);
// Removes what a process that has ended left behind.
void sweep_store_discard(const SweepStore* store, int entry, pid_t maker);
// The same for all processes of this machine that have ended.
void sweep_store_clean(const SweepStore* store);

// Notes why an entry left nothing, or with NULL that it is not so any more.
void sweep_store_note(const SweepStore* store, int entry, const char* reason);
// Why it left nothing; NULL: not noted. Release with json_decref.
json_t* sweep_store_noted(const SweepStore* store, int entry);

#endif
