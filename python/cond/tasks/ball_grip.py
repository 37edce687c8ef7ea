"""cond/BallGrip-v0: a floating gripper takes a soft ball and holds it in the air at the goal."""

from __future__ import annotations

import numpy as np

from cond.tasks.lift import Lifter
from cond.tasks.panda import Array, down

_PADS = np.array([0.0, 0.0, -0.075])  # from the palm to the middle between the pads [m]


class _Gripper:
    """The palm, which does not turn, and its two fingers, each with a target of its own."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout

    def pose(self, observation: Array) -> tuple[Array, Array]:
        """Where the actions have put the pads: position (3), axes (3 x 3)."""
        return observation[self.layout["palm.goal_position"]] + _PADS, down(0.0)

    def tip(self, observation: Array) -> Array:
        """Where the pads are."""
        place: Array = observation[self.layout["gripper.position"]] + _PADS
        return place

    def fingers(self, observation: Array) -> tuple[Array, Array]:
        """Positions and targets of the fingers, from the middle [m]."""
        return observation[self.layout["gripper.joints"]], observation[self.layout["fingers.target"]]

    def action(self, observation: Array, step: Array, turn: Array, fingers: Array) -> Array:
        """Moves the palm by step (3) [m], the fingers by their changes (2) [m]."""
        return np.concatenate([step[:3], fingers])


class Script(Lifter):
    """Takes the ball at its middle."""

    hover = 0.125
    press = 0.015
    open = 0.065

    def __init__(self, layout: dict[str, slice]) -> None:
        super().__init__(layout)
        self.hand = _Gripper(layout)

    def thing(self, observation: Array, yaw: float) -> tuple[Array, float]:
        return observation[self.layout["ball.position"]], 0.0
