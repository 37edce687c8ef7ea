// How HDF5 reaches the bytes of a recording: through its ordinary driver, with a journal between.
//
// In the mode for one writer and many readers HDF5 orders its writes so that the file is sound
// after each of them; but a process that is killed may leave half of one, because the kernel looks
// for a deadly signal at every page of a write. A piece of metadata that is half there does not fit
// its checksum, and what it describes, all rows of a dataset, is lost. So the file has a dataset
// of its own, the journal, which gets every piece of metadata that may be torn before it goes to
// its place. Whoever reads looks whether the piece in its place fits its checksum, and where it
// does not reads the journal's.
#ifndef COND_HDF5_HDF_DRIVER_H
#define COND_HDF5_HDF_DRIVER_H

#include <hdf5.h>

#include "cond/context.h"

#include <stdint.h>

// Where a file's journal is, and the piece that is read in place of the file's bytes.
typedef struct CondHdfJournal {
    CondContext context;
    int64_t at;           // of the journal in the file; 0: none yet
    unsigned char* bytes; // head and piece, as in the file; and room   (2 COND_HDF_JOURNAL)
    void* driver;         // of the one file that is open through it
    hid_t kind;           // HDF5's number of this kind of driver, until the end; 0: none yet
    int64_t piece_at;     // reading: where the piece belongs
    int64_t n_piece;      // reading: its bytes; 0: none is put in place of the file's
} CondHdfJournal;

enum { COND_HDF_JOURNAL = 1 << 16 }; // bytes; HDF5's pieces have at most a third of them

// 0 when done, 1 where there is no memory.
int cond_hdf_journal_begin(const CondContext* context, CondHdfJournal* journal);
void cond_hdf_journal_end(CondHdfJournal* journal);
// From now on the file has its journal at the dataset that is made here; 0 when done.
int cond_hdf_journal_add(CondHdfJournal* journal, hid_t file);
// The file was closed, and nothing in it can be torn any more: the journal becomes zeros.
void cond_hdf_journal_clear(CondHdfJournal* journal, int descriptor);
// 1 where the writer of this file was ended within a write: what is in the place of the journal's
// piece is not whole, and stays so.
int cond_hdf_journal_read(CondHdfJournal* journal, hid_t file, const char* path);
// Lets files that are opened with this access list go through the journal, which must outlive them.
int cond_hdf_journal_use(hid_t access, CondHdfJournal* journal);

// Properties of a file, group or dataset to be made: it keeps no times, so that the same frames are
// the same bytes.
static inline hid_t cond_hdf_plist(hid_t of)
{
    hid_t plist = H5Pcreate(of);
    H5Pset_obj_track_times(plist, 0);
    return plist;
}

// Jenkins' lookup3, the checksum that HDF5's file format names.
uint32_t cond_hdf_checksum(const unsigned char* bytes, size_t n);

#endif
