"""What the scripted controllers of the lifting tasks share: over the thing, down, close, and to the goal."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from cond.tasks.panda import Array, Hand, down, toward, turn_between


class Holder(Protocol):
    """What moves the fingers and opens and closes them, as the actions of a task do."""

    def pose(self, observation: Array) -> tuple[Array, Array]: ...

    def tip(self, observation: Array) -> Array: ...

    def fingers(self, observation: Array) -> tuple[Array, Array]: ...

    def action(self, observation: Array, step: Array, turn: Array, fingers: Array) -> Array: ...


class Lifter:
    """Takes a thing between the fingers and carries it to the goal.

    The action depends on the observation alone, so that the script goes on from any state, and can say what to do in
    the states that another policy has reached (examples/python/imitate.py). It is a mixture of two: outside the hand
    the fingers open, and the hand comes from above; within it the fingers close until their targets are ahead of them
    by `press`, and the hand carries as soon as most of that is reached. The thing is within the hand while it is nearer
    to its place between the fingers than a distance that grows as they close."""

    grip = 0.0  # where the tip closes, above the thing's place [m]
    hover = 0.06  # how far above that it approaches [m]
    press = 0.003  # by how much the fingers' targets are ahead of them when they hold [m]
    open = 0.04  # of a finger from the middle [m]
    near = 0.005  # how close the tip comes before the fingers close [m]

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.hand: Holder = Hand(layout)

    def thing(self, observation: Array, yaw: float) -> tuple[Array, float]:
        """Where to take it: a place (3), and the yaw of the hand, which is now `yaw`."""
        raise NotImplementedError

    def __call__(self, observation: Array) -> Array:
        at, axes = self.hand.pose(observation)
        yaw = float(np.arctan2(axes[1, 0], axes[0, 0]))
        thing, yaw_there = self.thing(observation, yaw)
        place = thing + np.array([0.0, 0.0, self.grip])
        off = place - self.hand.tip(observation)
        finger, target = self.hand.fingers(observation)
        closed = float(np.clip(self.open - np.mean(target), 0.0, 0.02))
        within = _ramp(self.near + 0.5 * closed - float(np.linalg.norm(off)), -0.002, 0.002)

        # Outside: above the thing, down where that is aside by little, and not before the fingers are open.
        up = self.hover * _ramp(float(np.linalg.norm(off[:2])), self.near, 2.0 * self.near)
        step = toward(at, place + np.array([0.0, 0.0, up]), 0.3, 0.008)
        if step[2] < 0.0:
            step[2] *= 1.0 - _ramp(closed, 0.002, 0.006)
        turn = turn_between(axes, down(yaw_there))
        fingers = np.clip(self.open - target, -0.002, 0.002)

        # Within: the fingers press and stay in the middle (0 for those that one motor moves), then the goal.
        ahead = float(np.mean(finger - target))
        holds = _ramp(ahead, 0.4 * self.press, 0.8 * self.press)
        goal = at + observation[self.layout["track.desired"]] - thing
        carry = holds * toward(at, goal, 0.2, 0.006) + (1.0 - holds) * toward(at, place, 0.3, 0.004)
        pressing = np.clip(0.4 * (ahead - self.press), -0.001, 0.001) + 0.2 * (np.mean(target) - target)

        return self.hand.action(observation, within * carry + (1.0 - within) * step,
                                (1.0 - within) * toward(np.zeros(3), turn, 0.2, 0.03),
                                within * pressing + (1.0 - within) * fingers)


def _ramp(x: float, low: float, high: float) -> float:
    """0 below `low`, 1 above `high`, linear between them."""
    return min(max((x - low) / (high - low), 0.0), 1.0)
