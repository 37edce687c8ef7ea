// Numbers of V-FPI. A header of numbers alone: it includes nothing.
#ifndef COND_VFPI_TUNING_H
#define COND_VFPI_TUNING_H

// ---- the stop

enum {
    COND_VFPI_ROUNDING = 16, // [count] iterations between looks at whether only rounding is left
    COND_VFPI_JUDGE = 100,   // [count] iterations after which a pair is judged in any case
};

// ---- Anderson's acceleration

// [1] residual over the best one that ends an episode
#define COND_ANDERSON_GROWTH 5.0
// [1] condition of R, by its diagonal, from which on differences are dependent
#define COND_ANDERSON_CONDITION 1e10

// ---- the loop in single precision

// [1] steps of the way from v_0 that may add up before A v is made anew in double precision
#define COND_FUSED_FAR 300.0
enum {
    COND_FUSED_BLOCK = 8, // [count] coordinates of a partial sum over those of no soft body
    COND_LANCZOS = 200,   // [count] steps for the extreme eigenvalues of A
};

#endif
