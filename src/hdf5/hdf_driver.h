// An HDF5 file driver for recordings: the ordinary driver with a journal.
//
// In the mode for one writer and many readers HDF5 orders its writes so that the file is consistent
// after each of them. But a process that is killed may complete only half of a write, because the
// kernel checks for fatal signals at every page. The checksum of a partly written piece of metadata
// does not match, and all rows of the dataset that it describes are lost. Therefore the file has an
// additional dataset, the journal. Every piece of metadata that might be torn is written to the
// journal first. A reader uses the piece in the journal if the checksum of the one in the file does
// not match.
#ifndef COND_HDF5_HDF_DRIVER_H
#define COND_HDF5_HDF_DRIVER_H

#include <hdf5.h>

#include "cond/context.h"

#include <stdint.h>

// The position of a file's journal, and the piece that is read instead of the file's bytes.
typedef struct CondHdfJournal {
    CondContext context;
    int64_t at;           // of the journal in the file; 0: none yet
    unsigned char* bytes; // head and piece, as in the file; then scratch   (2 COND_HDF_JOURNAL)
    void* driver;         // of the only file that is open through it
    hid_t kind;           // HDF5's number of this kind of driver, until the end; 0: none yet
    int64_t piece_at;     // reading: position of the piece in the file
    int64_t n_piece;      // reading: its size [bytes]; 0: no piece is replaced
} CondHdfJournal;

enum { COND_HDF_JOURNAL = 1 << 16 }; // bytes; HDF5's pieces have at most a third of them

// 0 on success, 1 if memory runs out.
int cond_hdf_journal_begin(const CondContext* context, CondHdfJournal* journal);
void cond_hdf_journal_end(CondHdfJournal* journal);
// Creates the dataset of the journal, which the file uses from now on; 0 on success.
int cond_hdf_journal_add(CondHdfJournal* journal, hid_t file);
// Sets the journal to zeros, after the file was closed and no write can be torn any more.
void cond_hdf_journal_clear(CondHdfJournal* journal, int descriptor);
// 1 if the writer of this file was killed within a write: the file's copy of the journal's piece is
// incomplete for good.
int cond_hdf_journal_read(CondHdfJournal* journal, hid_t file, const char* path);
// Makes files that are opened with this access list use the journal, which must outlive them.
int cond_hdf_journal_use(hid_t access, CondHdfJournal* journal);

// Properties of a new file, group or dataset: without time stamps, so that equal frames give equal
// bytes.
static inline hid_t cond_hdf_plist(hid_t of)
{
    hid_t plist = H5Pcreate(of);
    H5Pset_obj_track_times(plist, 0);
    return plist;
}

// Jenkins' lookup3, the checksum of HDF5's file format.
uint32_t cond_hdf_checksum(const unsigned char* bytes, size_t n);

#endif
