// Laws of four contacts at a time, each lane with the operations of src/law/law.c in the same
// order, so that they give the same bits. For isotropic cones only. Lanes whose squares may
// overflow or underflow are marked as rare, and their results are invalid.
#ifndef COND_LAW_LAW_LANES_H
#define COND_LAW_LAW_LANES_H

#include "base/lanes.h"

// x_i of four contacts in a row.                                               x (4 x 3)
COND_LANES_INLINE void cond_law_lanes_gather(const double* x, CondLanes out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (CondLanes){x[i], x[3 + i], x[6 + i], x[9 + i]};
}

// The projection of the strict law.
COND_LANES_INLINE void cond_law_lanes_project(const CondLanes* mu, const CondLanes trial[3],
                                              CondLanes lambda[3], CondLaneMask* rare)
{
    CondLanes none = {0.0}, one = {1.0, 1.0, 1.0, 1.0};
    CondLanes n = COND_LANES_SELECT(trial[0] > 0.0, trial[0], none);
    CondLanes t2 = trial[1] * trial[1] + trial[2] * trial[2], r = *mu * n, r2 = r * r, t = t2;
    cond_lanes_sqrt(&t);
    CondLanes scale = COND_LANES_SELECT(t2 <= r2, one, r / t);
    CondLaneMask open = n == 0.0;
    *rare = ~open & ~((r2 > 1e-200) & (r2 < 1e200) & (t2 < 1e200));
    lambda[0] = n;
    for (int i = 1; i < 3; i++)
        lambda[i] = COND_LANES_SELECT(open, none, scale * trial[i]);
}

// sqrt(x^2 + y^2); adds to the rare lanes.
COND_LANES_INLINE void cond_law_lanes_length(const CondLanes* x, const CondLanes* y,
                                             CondLanes* length, CondLaneMask* rare)
{
    CondLanes square = *x * *x + *y * *y;
    CondLaneMask zero = (*x == 0.0) & (*y == 0.0);
    *rare |= ~zero & ~((square > 1e-200) & (square < 1e200));
    cond_lanes_sqrt(&square);
    *length = square;
}

// The nearest point of the cone; adds to the rare lanes.
COND_LANES_INLINE void cond_law_lanes_nearest(const CondLanes* mu, const CondLanes trial[3],
                                              CondLanes lambda[3], CondLaneMask* rare)
{
    CondLanes none = {0.0}, m = *mu, n = trial[0], t;
    cond_law_lanes_length(&trial[1], &trial[2], &t, rare);
    CondLaneMask inside = (n >= 0.0) & (t <= m * n), polar = ~inside & (m * t <= -n);
    CondLanes edge = (n + m * t) / (1.0 + m * m), scale = m * edge / t;
    for (int i = 0; i < 3; i++) {
        CondLanes on = i == 0 ? edge : scale * trial[i];
        on = COND_LANES_SELECT(polar, none, on);
        lambda[i] = COND_LANES_SELECT(inside, trial[i], on);
    }
}

#endif
