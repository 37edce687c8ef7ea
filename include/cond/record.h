// A simulation as files to look at and to compute with. The ending of the path chooses:
//
//   .h5, .hdf, .hdf5, .vtkhdf   one HDF5 file that ParaView (VTKHDF), h5py and `cond view` read
//   .xdmf                       the same with the ending .h5, and an .xdmf file beside it that
//   points
//                               into it, for ParaView before 5.13
//   .pvd                        a ParaView collection with two .vtu files per frame
//
// If a run is interrupted, all finished frames remain. An HDF5 file may lack those of the last
// twentieth of a second, which are buffered in memory so that many are written at once.
#ifndef COND_RECORD_H
#define COND_RECORD_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondRecord CondRecord;

// Settings of an HDF5 file; a .pvd collection always holds all digits.
typedef struct CondRecordSettings {
    size_t struct_size; // of this struct, by its default function
    int all_digits;     // 1: drawn geometry in 64 bits; 0: in 32. The state is always stored in 64.
    int compression;    // 0: none, fastest, to 9: smallest (deflate)
} CondRecordSettings;
COND_DEFAULT(COND_IO_API, CondRecordSettings, cond_record_settings_default)

// Begins a record; an earlier one of that name is replaced. The model must outlive the record.
// settings may be NULL. COND_NOT_SUPPORTED: another ending, or a model without bodies.
// COND_NO_FILE: the file cannot be written.
COND_IO_API CondStatus cond_record_open(const CondContext* context, const char* path,
                                        const CondModel* model, const CondRecordSettings* settings,
                                        CondRecord** record, CondError* error);

// Adds the state as a frame. It reaches the file within a twentieth of a second, or at the next
// cond_record_flush or cond_record_close. sim supplies the contacts of the step that led to the
// state, info its certificate and energies. Either may be NULL: the frame then has no contacts, or
// NaN for the numbers. After a failure the record is unchanged and further frames may be added.
// COND_NO_FILE: a file could not be written, for example on a full disk.
COND_IO_API CondStatus cond_record_frame_sized(CondRecord* record, const CondSim* sim,
                                               const CondState* state, const CondStepInfo* info,
                                               CondError* error, size_t size);
static inline CondStatus cond_record_frame(CondRecord* record, const CondSim* sim,
                                           const CondState* state, const CondStepInfo* info,
                                           CondError* error)
{
    return cond_record_frame_sized(record, sim, state, info, error, sizeof(CondStepInfo));
}

// Writes all frames to the disk, for programs that read the file while it grows.
COND_IO_API CondStatus cond_record_flush(CondRecord* record, CondError* error);

// The number of frames in the record.
COND_IO_API int cond_record_n_frame(const CondRecord* record);

// Writes the last frames to the disk and releases the memory. It reports no errors: call
// cond_record_flush first to see them. NULL is fine.
COND_IO_API void cond_record_close(CondRecord* record);

#ifdef __cplusplus
}
#endif
#endif
