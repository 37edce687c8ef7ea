"""cond/LiftCable-v0: a Panda lifts a cable by its middle, which friction holds between its fingers."""

from __future__ import annotations

import math

from cond.tasks.lift import Lifter
from cond.tasks.panda import Array


class Script(Lifter):
    """Takes the cable in its middle, the fingers across it."""

    grip = 0.0075

    def thing(self, observation: Array) -> tuple[Array, float]:
        points = observation[self.layout["points"]].reshape(-1, 3)
        middle = len(points) // 2
        along = points[middle + 1] - points[middle - 1]
        if along[0] < 0.0:
            along = -along
        return points[middle], math.atan2(along[1], along[0])
