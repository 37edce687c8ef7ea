"""cond/LiftCable-v0: a Panda lifts a cable by its middle, which friction holds between its fingers."""

from __future__ import annotations

import math

from cond.tasks.lift import Lifter
from cond.tasks.panda import Array


class Script(Lifter):
    """Takes the cable in its middle, the fingers across it."""

    grip = 0.0085

    def thing(self, observation: Array, yaw: float) -> tuple[Array, float]:
        points = observation[self.layout["points"]].reshape(-1, 3)
        middle = len(points) // 2
        along = points[middle + 1] - points[middle - 1]
        there = math.atan2(along[1], along[0])
        # Of the two directions along the cable that with the smaller turn.
        return points[middle], there if math.cos(there - yaw) >= 0.0 else there + math.pi
