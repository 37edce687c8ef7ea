"""cond/MatFold-v0: a Panda folds a soft mat, as in the paper."""

from __future__ import annotations

import math

import numpy as np

from cond.tasks.panda import axes_of, toward, turn_between
from cond.tasks.path import Array

# Times [s], places [m] and the tilt of the hand about y [rad], from the edge of the mat over in an arc, which is
# flatter than a circle about the fold so that the mat stays slack and does not slide along.
_TIME = np.array([0.2, 0.6, 0.95, 1.3, 1.65, 2.0, 2.3, 2.6, 2.85, 3.1, 3.4])
_X = np.array([0.655, 0.645, 0.612, 0.562, 0.502, 0.438, 0.385, 0.335, 0.305, 0.285, 0.285])
_Z = np.array([0.02, 0.075, 0.12, 0.148, 0.16, 0.16, 0.148, 0.12, 0.085, 0.045, 0.022])
_TILT = np.array([-0.524, -0.384, -0.244, -0.105, 0.035, 0.175, 0.244, 0.175, 0.087, 0.087, 0.087])
_LET_GO = 3.5  # [s]


def _tilted(angle: float) -> Array:
    """Axes of a hand that points down and is tilted about y."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, -1.0, 0.0], [-s, 0.0, -c]])


class Script:
    """Follows the arc, lets go, and draws back."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout

    def __call__(self, observation: Array) -> Array:
        time = float(observation[self.layout["time"]][0]) + 0.04
        place = observation[self.layout["hand.goal_position"]]
        axes = axes_of(observation[self.layout["hand.goal_orientation"]])
        wanted = np.array([np.interp(time, _TIME, _X), 0.0, np.interp(time, _TIME, _Z)])
        holds = 1.0 if time < _LET_GO else 0.0
        if time > _LET_GO + 0.2:
            wanted[2] += 0.1
        turn = turn_between(axes, _tilted(float(np.interp(time, _TIME, _TILT))))
        return np.concatenate([toward(place, wanted, 1.0, 0.02), toward(np.zeros(3), turn, 1.0, 0.1), [holds, holds]])
