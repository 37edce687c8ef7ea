"""cond/BallGrip-v0: a floating gripper takes a soft ball and holds it in the air at the goal."""

from __future__ import annotations

import numpy as np

from cond.tasks.panda import Array, toward


class Script:
    """Over the ball, down, close on it, and to the goal. Phases: over, down, close, carry."""

    hover = 0.2  # height of the palm above the ball's centre while it approaches, and when it closes [m]
    grip = 0.075
    press = 0.015  # by how much the fingers' targets are ahead of them when they hold [m]
    open = 0.065  # of a finger from the middle [m]

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.phase = "over"

    def __call__(self, observation: Array) -> Array:
        palm = observation[self.layout["palm.goal_position"]]
        ball = observation[self.layout["ball.position"]]
        target = observation[self.layout["fingers.target"]]
        ahead = observation[self.layout["gripper.joints"]] - target
        wanted = ball + np.array([0.0, 0.0, self.hover if self.phase == "over" else self.grip])
        fingers = np.clip(self.open - target, -0.002, 0.002)
        if self.phase == "over":
            if np.linalg.norm(wanted - palm) < 0.005:
                self.phase = "down"
        elif self.phase == "down":
            if np.linalg.norm(wanted - palm) < 0.002:
                self.phase = "close"
        elif self.phase == "close":
            wanted = palm
            fingers = np.where(ahead < self.press, -0.001, 0.0)
            if ahead.min() > 0.9 * self.press:
                self.phase = "carry"
        else:
            fingers = np.zeros(2)
            wanted = palm + observation[self.layout["track.desired"]] - ball
        return np.concatenate([toward(palm, wanted, 0.25, 0.005), fingers])
