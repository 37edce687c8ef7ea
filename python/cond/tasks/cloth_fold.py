"""cond/ClothFold-v0: two pickers, or a Panda, fold a napkin in half."""

from __future__ import annotations

import numpy as np

from cond.tasks.hands import Hands, corner
from cond.tasks.path import Array, Path

_TABLE = 0.002  # height at which the napkin is taken [m]
_LAID = 0.006  # and at which it is let go, above the lower half
_SPEED = 0.015  # of a hand, an action [m]
_FLAT = 0.85  # height of the arc over its radius: below 1 the napkin stays slack


def arc(start: Array, end: Array, n: int = 12) -> list[Array]:
    """Points of a flattened half circle from one place over to another."""
    middle, half = 0.5 * (start + end), 0.5 * (start - end)
    radius = float(np.linalg.norm(half[:2]))
    angles = np.linspace(0.0, np.pi, n + 1)[1:]
    up = np.array([0.0, 0.0, _FLAT * radius])
    return [middle + np.cos(a) * half + np.sin(a) * up for a in angles]


class Script:
    """Takes the corners of the far edge, lays them on those of the near one, lets go, and goes up."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.hands = Hands(layout)
        self.stage = 0

    def __call__(self, observation: Array) -> Array:
        if self.stage < 3 and self.hands.over:
            self._next(observation)
        return self.hands.action(observation, _SPEED, self.stage == 2)

    def _next(self, observation: Array) -> None:
        places = self.hands.places(observation)
        points = observation[self.layout["points"]].reshape(-1, 3)
        self.stage += 1
        if self.stage == 1:
            self.hands.paths = [Path([target]) for target in self._edge(points, 1.0, _TABLE)]
        elif self.stage == 2:
            ends = self._edge(points, -1.0, _LAID)
            self.hands.paths = [Path(arc(place, end)) for place, end in zip(places, ends, strict=True)]
        else:
            self.hands.paths = [Path([place + np.array([0.0, 0.0, 0.05])]) for place in places]

    def _edge(self, points: Array, along: float, height: float) -> list[Array]:
        """Where the hands are at the corners of the far (1) or the near (-1) edge."""
        corners = [corner(points, along, side) for side in (1.0, -1.0)]
        for place in corners:
            place[2] = height
        return self.hands.targets(*corners)
