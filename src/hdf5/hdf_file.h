// An HDF5 file that grows frame by frame and can be opened at any time, even if its writer was
// killed.
//
// The file is written in HDF5's single-writer-multiple-reader mode, in which every structure on
// disk is complete after each write; an interrupted write is in the journal (hdf_driver.h). In this
// mode HDF5 marks the file as being written, and ordinary readers refuse marked files; therefore
// the mark is removed after each frame. After a failed write HDF5 could not close the file;
// therefore disk space is reserved before each write. Callers switch HDF5's own error printing off
// (H5E_BEGIN_TRY) around everything here.
//
// Rows are buffered in memory until the file is committed, so that many frames cost one write to
// each dataset. The time of the commit does not change the bytes of the file: the position of a
// chunk is allocated when its first row is put, in the order of the calls. The position of a
// compressed chunk is allocated when it is written, so that these are committed with their frame
// (hasty).
#ifndef COND_HDF5_HDF_FILE_H
#define COND_HDF5_HDF_FILE_H

#include <hdf5.h>

#include "cond/context.h"
#include "cond/status.h"
#include "hdf5/hdf_driver.h"

#include <stdint.h>

typedef struct CondHdfSeries CondHdfSeries;

typedef struct CondHdfFile {
    CondContext context; // of the buffered rows
    const char* path;
    hid_t id;             // -1: not open
    int descriptor;       // of the same file, for its mark and its size; -1: not open
    int64_t used;         // bytes that HDF5 uses, by commit
    int64_t reserved;     // bytes allocated on the disk
    int64_t promised;     // bytes of buffered rows that were reserved
    int hasty;            // 1: rows are buffered that must be written with this frame
    int no_memory;        // 1: the last failed call ran out of memory
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
    int64_t chunk;   // rows per chunk
    int compressed;
    int64_t extent;      // rows of the dataset
    int64_t begin, n;    // buffered rows, begin .. begin + n - 1
    int capacity;        //
    unsigned char* wait; //                                                  (n x row)
    CondHdfFile* file;
    CondHdfSeries* next;
};

// The functions below return 0 on success, 1 if HDF5 or the system fails.
// The journal must have begun (cond_hdf_journal_begin); closing ends it.
int cond_hdf_create(CondHdfFile* file);
// Reserves disk space for `bytes` bytes of further rows, besides the buffered ones, and for
// metadata. If there is none, nothing is changed.
int cond_hdf_reserve(CondHdfFile* file, int64_t bytes, int64_t room);
void cond_hdf_close(CondHdfFile* file);

// ordered: the group stores the creation order of its links, which VTK requires of some groups.
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
// Creates an empty series, which must not be moved in memory. block is the typical number of rows
// per frame; compression 0 to 9.
int cond_hdf_add_series(CondHdfFile* file, const char* location, hid_t file_type, hid_t memory_type,
                        int rank, const hsize_t tail[2], int block, int compression,
                        CondHdfSeries* series);
// The same with one or more columns, at group/name.
int cond_hdf_add_columns(CondHdfFile* file, const char* group, const char* name, hid_t file_type,
                         hid_t memory_type, int columns, int block, int compression,
                         CondHdfSeries* series);
void cond_hdf_close_series(CondHdfSeries* series, int n); // those that exist

// After this no group, dataset or attribute can be added, only rows.
int cond_hdf_start(CondHdfFile* file);
// Puts rows first .. first + n - 1, buffered until cond_hdf_commit. Rows may be put again; all rows
// after them must then also be put again.
int cond_hdf_put(CondHdfSeries* series, int64_t first, int64_t n, const void* values);
// Changes an integer attribute.
int cond_hdf_change_int(const CondHdfFile* file, const char* location, const char* name, int value);
// Writes all rows to the disk and removes the mark. After a failure the rows stay buffered.
int cond_hdf_commit(CondHdfFile* file);

// Opens a file for reading, marked or not, including an interrupted write in its journal; -1 if
// HDF5 fails. The journal must have begun, and outlives the file.
hid_t cond_hdf_open(const char* path, CondHdfJournal* journal);

#endif
