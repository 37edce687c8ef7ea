"""cond/CableWinding-v0: a Panda winds a cable on a drum, as in the paper."""

from __future__ import annotations

import math

import numpy as np

from cond.tasks.path import Array, Path

_LENGTH = 0.4  # of the cable [m]
_FIXED = (0.514, -0.2025, 0.1005)  # where its other end is fixed [m]
_HEIGHT = 0.33  # of the hand while it winds [m]
_RADIUS = 0.002  # of the cable [m]


def _spiral(x: float, radius: float) -> Path:
    """The hand goes up until the cable is straight, and then as the end of an involute: what is not yet on the drum
    leaves it along a tangent, a little slack."""
    y = _FIXED[1]
    straight = math.sqrt(_LENGTH**2 - (_HEIGHT - _FIXED[2]) ** 2)
    points = [(_FIXED[0], y + straight - 0.003, _HEIGHT)]
    r = radius + _RADIUS
    for angle in np.linspace(0.035, 14.0, 400):
        free = max(0.97 * straight - r * angle, 0.05)
        c, s = math.cos(angle), math.sin(angle)
        points.append((x + r * c - free * s, y + r * s + free * c, _HEIGHT))
    return Path(points)


class Script:
    """Follows the spiral, by 10 mm an action."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.path: Path | None = None

    def __call__(self, observation: Array) -> Array:
        if self.path is None:
            x, radius = (float(observation[self.layout[name]][0]) for name in ("drum_x", "drum_radius"))
            self.path = _spiral(x, radius)
        return self.path.step(observation[self.layout["hand.goal_position"]], 0.01)
