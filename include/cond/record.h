// A simulation as files to look at: a ParaView collection (.pvd) with two .vtu files per frame, one
// of the bodies and one of the contacts. Each file appears under its name only once it is whole, so
// that a run that is ended at any moment leaves all finished frames behind.
#ifndef COND_RECORD_H
#define COND_RECORD_H

#include "cond/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondRecord CondRecord;

// Begins a record at path, which ends in .pvd, with an empty collection; an earlier one of that
// name is replaced. "run.pvd" gets the frames run_000000.vtu and run_contacts_000000.vtu beside it.
// The model must outlive the record.
// COND_NOT_SUPPORTED: another ending. COND_NO_FILE: the file cannot be written.
CondStatus cond_record_open(const CondContext* context, const char* path, const CondModel* model,
                            CondRecord** record, CondError* error);

// Adds the state as a frame. sim tells the contacts of the step that led to it, info its
// certificate and energies; either may be NULL: then there are no contacts, and NaN stands for the
// numbers. After a failure the record is as it was and the next frame may be tried.
// COND_NO_FILE: a file could not be written, on a full disk say.
CondStatus cond_record_frame(CondRecord* record, const CondSim* sim, const CondState* state,
                             const CondStepInfo* info, CondError* error);

// Frames that are in the collection.
int cond_record_n_frame(const CondRecord* record);

// Everything is on disk already; this releases the memory. NULL is fine.
void cond_record_close(CondRecord* record);

#ifdef __cplusplus
}
#endif
#endif
