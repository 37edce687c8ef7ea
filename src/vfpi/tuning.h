// Numbers of V-FPI. A header of numbers alone: it includes nothing.
#ifndef COND_VFPI_TUNING_H
#define COND_VFPI_TUNING_H

// ---- the stop

enum {
    COND_VFPI_ROUNDING = 16, // [count] iterations between tests whether only rounding errors remain
    COND_VFPI_JUDGE = 100,   // [count] iterations after which a pair is always certified
};

// ---- Anderson's acceleration

// [1] residual over the best one, above which the method restarts
#define COND_ANDERSON_GROWTH 5.0
// [1] condition of R, by its diagonal, above which differences count as dependent
#define COND_ANDERSON_CONDITION 1e10

// ---- the loop in single precision

// [1] distance from v_0 in lengths of a step, above which A v is recomputed in double precision
#define COND_FUSED_FAR 300.0
enum {
    COND_FUSED_BLOCK = 8, // [count] coordinates of a partial sum over those outside of soft bodies
    COND_LANCZOS = 200,   // [count] steps for the extreme eigenvalues of A
};

#endif
