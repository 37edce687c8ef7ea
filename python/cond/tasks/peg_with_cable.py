"""cond/PegWithCable-v0: a Panda plugs a cable into a socket; friction holds the plug between its fingers."""

from __future__ import annotations

import numpy as np

from cond.tasks.panda import Array, Hand, axes_of, toward, turn_between


class Script:
    """Moves the plug itself, as it is held: over the socket, upright, and down until it is in. Phases: over, down,
    in."""

    clear = 0.03  # height of the plug above the bottom of the hole while it approaches [m]
    deep = 0.02  # of the hole [m]
    lower = np.array([0.0, 0.0, -0.025])  # the plug's end, from its middle [m]

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.hand = Hand(layout)
        self.phase = "over"

    def __call__(self, observation: Array) -> Array:
        axes = axes_of(observation[self.layout["plug.orientation"]])
        end = observation[self.layout["plug.position"]] + axes @ self.lower
        wanted = observation[self.layout["insert.desired"]].copy()
        speed = 0.002
        if self.phase == "over":
            wanted[2] += self.clear
            speed = 0.006
            if np.linalg.norm(wanted - end) < 0.0005:
                self.phase = "down"
        elif np.linalg.norm(wanted - end) < 0.001:
            self.phase = "in"
        elif end[2] > wanted[2] + self.deep and np.linalg.norm((wanted - end)[:2]) > 0.0007:
            self.phase = "over"  # a cable that snaps over turns the plug in the fingers: once more
        if self.phase == "in":
            return self.hand.action(observation, np.zeros(3), np.zeros(3), np.zeros(1))
        step = toward(end, wanted, 0.2, speed)
        turn = toward(np.zeros(3), turn_between(axes, np.eye(3)), 0.2, 0.02)
        return self.hand.action(observation, step, turn, np.zeros(1))
