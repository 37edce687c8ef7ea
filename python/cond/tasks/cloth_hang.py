"""cond/ClothHang-v0: two pickers, or a Panda, hang a towel on a bar."""

from __future__ import annotations

import numpy as np

from cond.tasks.hands import Hands, corner
from cond.tasks.path import Array, Path

_TABLE = 0.002  # height at which the towel is taken [m]
_OVER = 0.06  # height above the bar's axis at which it is led over [m]
_BEYOND = 0.06  # how far behind the bar a picker draws it down [m]
_BEYOND_PANDA = 0.1  # and the Panda, whose wrist is above the bar then
_DRAWN = 0.2  # how far below the bar the edge is drawn at most [m]
_SPEED = 0.02  # of a hand, an action [m]


class Script:
    """Takes the edge next to the bar, goes over it and down behind it until the middle has come up, and lets go."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.hands = Hands(layout)
        self.stage = 0

    def __call__(self, observation: Array) -> Array:
        if self.stage < 3 and (self.hands.over or (self.stage == 2 and self._hangs(observation))):
            self._next(observation)
        return self.hands.action(observation, _SPEED, self.stage == 2)

    def _next(self, observation: Array) -> None:
        places = self.hands.places(observation)
        self.stage += 1
        if self.stage == 1:
            points = observation[self.layout["points"]].reshape(-1, 3)
            corners = [corner(points, 1.0, side) for side in (1.0, -1.0)]
            for place in corners:
                place[2] = _TABLE
            self.hands.paths = [Path([target]) for target in self.hands.targets(*corners)]
        elif self.stage == 2:
            self.hands.paths = [Path(self._way(observation, place)) for place in places]
        else:
            self.hands.paths = [Path([place + np.array([0.04, 0.0, 0.0])]) for place in places]

    def _bar(self, observation: Array) -> tuple[float, float]:
        """Its x and its height [m]."""
        return float(observation[self.layout["bar_x"]][0]), float(observation[self.layout["bar_z"]][0])

    def _hangs(self, observation: Array) -> bool:
        """Whether the middle of the towel lies on the bar."""
        x, z = self._bar(observation)
        middle = observation[self.layout["middle"]]
        return bool(middle[0] > x - 0.01 and middle[2] > z - 0.01)

    def _way(self, observation: Array, place: Array) -> list[Array]:
        x, z = self._bar(observation)
        beyond = x + (_BEYOND_PANDA if self.hands.is_panda else _BEYOND)
        way = [(place[0], z), (x, z + _OVER), (beyond, z), (beyond, max(z - _DRAWN, 0.01))]
        return [np.array([x, place[1], z]) for x, z in way]
