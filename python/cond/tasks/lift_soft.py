"""cond/LiftSoft-v0: a Panda lifts a soft cube, which friction holds between its fingers."""

from __future__ import annotations

from cond.tasks.lift import Lifter
from cond.tasks.panda import Array


class Script(Lifter):
    """Takes the cube a little above its middle, so that the palm stays clear of it."""

    grip = 0.008

    def thing(self, observation: Array, yaw: float) -> tuple[Array, float]:
        return observation[self.layout["cube.position"]], 0.0
