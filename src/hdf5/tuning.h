// Numbers of HDF5 files. A header of numbers alone: it includes nothing.
#ifndef COND_HDF5_TUNING_H
#define COND_HDF5_TUNING_H

// [count] In the mode for files that are being written, a piece that does not fit its checksum is
// read again after a pause that doubles each time, from a nanosecond on. This many attempts take
// some milliseconds, far more than a piece takes to be written; HDF5's own hundred would not end.
enum { COND_READ_ATTEMPTS = 24 };

#endif
