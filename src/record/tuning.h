// Numbers of recordings and pictures. A header of numbers alone: it includes nothing.
#ifndef COND_RECORD_TUNING_H
#define COND_RECORD_TUNING_H

// [s] Frames are buffered in memory for this time after the last commit, or until they take a
// megabyte. A process that is killed loses no more.
#define COND_COMMIT_SECONDS 0.05
// [1] distance of the near plane over that of the camera; also the least size of a drawn scene [m].
#define COND_PICTURE_NEAR 1e-3
#define COND_PICTURE_ZOOM 1e3 // [1] largest zoom of a camera; the smallest is its inverse

#endif
