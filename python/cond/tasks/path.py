"""Paths of hands, for the scripted controllers of tasks: a position moves along a list of points."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Path:
    """Points that a position moves through, one after the other, along straight lines."""

    def __init__(self, points: Iterable[ArrayLike] = ()) -> None:
        self.points = [np.asarray(point, dtype=float) for point in points]

    def step(self, place: Array, length: float, near: float = 1e-6) -> Array:
        """The displacement (3) from a position along what is left of the path, no longer than length. Points
        that are nearer than `near` have been reached."""
        here: Array = place.copy()
        left = length
        while self.points:
            toward = self.points[0] - here
            distance = float(np.linalg.norm(toward))
            if distance > max(left, near):
                here += toward * (left / distance)
                break
            here, left = self.points[0].copy(), left - distance
            if len(self.points) == 1 and distance > near:
                break  # its end is reached by this step, not yet
            self.points.pop(0)
        step: Array = here - place
        return step

    @property
    def over(self) -> bool:
        return not self.points
