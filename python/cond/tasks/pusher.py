"""A ball on a spring pushes a cube to a goal: stay behind the cube as seen from the goal, and press."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GOAL = np.array([0.2, 0.0])  # of the scene [m]
REACH = 0.08  # from the middle of the cube to that of the ball where they touch [m]
HEIGHT = 0.05  # [m]


class Script:
    """Moves the hand to the point behind the cube, and through it once it is there."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.box, self.ball, self.hand = (layout[name] for name in ("box.position", "ball.position",
                                                                    "hand.goal_position"))

    def __call__(self, observation: NDArray[np.float64]) -> NDArray[np.float64]:
        box, ball, hand = observation[self.box][:2], observation[self.ball][:2], observation[self.hand]
        toward = GOAL - box
        toward = toward / max(float(np.linalg.norm(toward)), 1e-9)
        behind = box - REACH * toward
        near = float(np.linalg.norm(ball - behind)) < 0.02
        aim = np.append(behind + (0.02 * toward if near else -0.01 * toward), HEIGHT)
        return aim - hand
