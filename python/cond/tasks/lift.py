"""What the scripted controllers of the lifting tasks share: over the thing, down, close, and to the goal."""

from __future__ import annotations

import numpy as np

from cond.tasks.panda import Array, Hand, down, toward, turn_between


class Lifter:
    """Takes a thing between the two fingers and carries it to the goal. Phases: over, down, close, carry."""

    grip = 0.0  # where the tip closes, above the thing's place [m]
    hover = 0.06  # how far above that it turns to go down [m]
    press = 0.003  # by how much the fingers' target is ahead of them when they hold [m]
    near = 0.003  # how close the tip comes before the next phase begins [m]

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.hand = Hand(layout)
        self.phase = "over"

    def thing(self, observation: Array) -> tuple[Array, float]:
        """Where to take it: a place (3), and the yaw of the hand."""
        raise NotImplementedError

    def held(self, observation: Array) -> Array:
        """The point (3) that is to come to the goal."""
        return self.thing(observation)[0]

    def goal(self, observation: Array) -> Array:
        return observation[self.layout["track.desired"]]

    def __call__(self, observation: Array) -> Array:
        tip, axes = self.hand.pose(observation)
        if self.phase in ("over", "down"):
            place, self.yaw = self.thing(observation)
            self.place = place + np.array([0.0, 0.0, self.grip])
        wanted = self.place.copy()
        fingers, speed = 0.002, 0.008
        finger, target = self.hand.fingers(observation)
        if self.phase == "over":
            wanted[2] += self.hover
            if np.linalg.norm(wanted - tip) < self.near:
                self.phase = "down"
        elif self.phase == "down":
            speed = 0.004
            if np.linalg.norm(wanted - tip) < 0.3 * self.near:
                self.phase = "close"
        elif self.phase == "close":
            fingers = -0.001
            if finger - target > self.press:
                self.phase = "carry"
        else:
            fingers, speed = 0.0, 0.006
            wanted = tip + self.goal(observation) - self.held(observation)
        step = toward(tip, wanted, 0.2, speed)
        turn = toward(np.zeros(3), turn_between(axes, down(self.yaw)), 0.2, 0.03)
        return self.hand.action(observation, step, turn, fingers)
