// An HDF5 file that grows frame by frame and can be opened at any time, also when its writer was
// ended in the middle.
//
// The file is written in HDF5's single-writer-multiple-reader mode, in which every structure on
// disk is whole after each write, and a write that is not ended is found in the journal
// (hdf_driver.h). In this mode HDF5 marks the file as being written, and ordinary
// readers refuse marked files; so the mark is taken away again after each frame. A write that fails
// in the middle would leave HDF5 unable to close the file, so room on the disk is taken before
// anything is written. Callers switch HDF5's own error printing off (H5E_BEGIN_TRY) around
// everything here.
//
// Rows wait in memory until the file is committed, so that many frames cost one write to each
// dataset. When that happens changes nothing in the file but the time at which it has them: each
// chunk gets its place when its first row is put, in the order of the calls, whether or not it is
// written then. Compressed chunks get theirs when they are written, and are committed with their
// frame (hasty).
#ifndef COND_HDF5_HDF_FILE_H
#define COND_HDF5_HDF_FILE_H

#include <hdf5.h>

#include "cond/context.h"
#include "cond/status.h"
#include "hdf5/hdf_driver.h"

#include <stdint.h>

typedef struct CondHdfSeries CondHdfSeries;

typedef struct CondHdfFile {
    CondContext context; // of the rows that wait
    const char* path;
    hid_t id;             // -1: not open
    int descriptor;       // of the same file, for its mark and its size; -1: not open
    int64_t used;         // bytes that HDF5 uses, by commit
    int64_t reserved;     // bytes that are on the disk
    int64_t promised;     // bytes of rows that wait, as they were reserved
    int hasty;            // 1: rows wait that must not wait for another frame
    int no_memory;        // 1: the last call that failed had no memory
    CondHdfSeries* first; // list of all series
    CondHdfJournal journal;
} CondHdfFile;

// A dataset that gets rows. Datasets of one column are one-dimensional.
struct CondHdfSeries {
    hid_t id; // 0: not made
    hid_t memory_type;
    int rank;
    hsize_t tail[2]; // further dimensions
    size_t row;      // bytes of a row in memory
    int64_t chunk;   // rows of a chunk
    int compressed;
    int64_t extent;      // rows that the dataset has
    int64_t begin, n;    // rows that wait, begin .. begin + n
    int capacity;        //
    unsigned char* wait; //                                                  (n x row)
    CondHdfFile* file;
    CondHdfSeries* next;
};

// 0 when done, 1 when HDF5 or the system failed.
// The journal has begun (cond_hdf_journal_begin); closing ends it.
int cond_hdf_create(CondHdfFile* file);
// Takes room on the disk for so many bytes of rows, beside those of the frames that wait, and for
// what surrounds them in the file; nothing has happened when there is none.
int cond_hdf_reserve(CondHdfFile* file, int64_t bytes, int64_t room);
void cond_hdf_close(CondHdfFile* file);

// ordered: links remember the order in which they were made, which VTK asks of some groups.
int cond_hdf_add_group(const CondHdfFile* file, const char* location, int ordered);
int cond_hdf_add_link(const CondHdfFile* file, const char* target, const char* location);
int cond_hdf_set_ints(const CondHdfFile* file, const char* location, const char* name, int n,
                      const int* values);
int cond_hdf_set_number(const CondHdfFile* file, const char* location, const char* name,
                        double value);
int cond_hdf_set_text(const CondHdfFile* file, const char* location, const char* name,
                      const char* text);
// A dataset written once: n rows.
int cond_hdf_add_array(const CondHdfFile* file, const char* location, hid_t file_type,
                       hid_t memory_type, int n, const void* values);
// n texts of at most size bytes each.
int cond_hdf_add_texts(const CondHdfFile* file, const char* location, int n, size_t size,
                       const char* texts);
// An empty series, which stays where it is. block is how many rows a frame usually adds;
// compression 0 to 9.
int cond_hdf_add_series(CondHdfFile* file, const char* location, hid_t file_type, hid_t memory_type,
                        int rank, const hsize_t tail[2], int block, int compression,
                        CondHdfSeries* series);
// The same of a column or more, at group/name.
int cond_hdf_add_columns(CondHdfFile* file, const char* group, const char* name, hid_t file_type,
                         hid_t memory_type, int columns, int block, int compression,
                         CondHdfSeries* series);
void cond_hdf_close_series(CondHdfSeries* series, int n); // those that were made

// After this no group, dataset or attribute can be added, only rows.
int cond_hdf_start(CondHdfFile* file);
// Rows first .. first + n, which wait for cond_hdf_commit; rows may be put again, and those behind
// them are then to be put again as well.
int cond_hdf_put(CondHdfSeries* series, int64_t first, int64_t n, const void* values);
// Changes an integer attribute.
int cond_hdf_change_int(const CondHdfFile* file, const char* location, const char* name, int value);
// All rows are on disk, and the file unmarked. After a failure they wait on.
int cond_hdf_commit(CondHdfFile* file);

// Opens a file for reading, marked or not, with what its journal has of a write that its writer did
// not live to end; -1 when HDF5 cannot. The journal has begun, and outlives the file.
hid_t cond_hdf_open(const char* path, CondHdfJournal* journal);

#endif
