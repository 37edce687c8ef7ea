// Numbers of HDF5 files. A header of numbers alone: it includes nothing.
#ifndef COND_HDF5_TUNING_H
#define COND_HDF5_TUNING_H

// [count] In the mode for files that are being written, data whose checksum does not match is read
// again after a pause that doubles each time, starting at a nanosecond. This number of attempts
// takes some milliseconds, far more than the write; HDF5's own hundred would practically never end.
enum { COND_READ_ATTEMPTS = 24 };

#endif
