"""cond/RopeConfiguration-v0: two pickers bring a rope on a table into a shape."""

from __future__ import annotations

import numpy as np

from cond.tasks.path import Array, Path

_LENGTH = 0.6  # of the rope [m]
_TABLE = 0.006  # height at which a picker takes and lays down [m]
_CARRY = 0.04  # height at which it carries [m]
_SPEED = 0.035  # of a picker, an action [m]


def curve(arc: Array, middle: Array, heading: float, curvature: Array) -> Array:
    """Places (n x 2) at the distances `arc` (n) from the middle of a curve of two arcs (docs/env.md)."""
    half = 0.5 * arc * np.where(arc < 0.0, curvature[0], curvature[1])
    chord = arc * np.sinc(half / np.pi)
    places: Array = middle + np.stack([chord * np.cos(heading + half), chord * np.sin(heading + half)], axis=1)
    return places


class Script:
    """Lays the rope down from its middle outwards, both halves at a time, and then where it is worst."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.offsets = [0.06, 0.15, 0.24]  # from the middle, still to be laid down [m]
        self.paths: list[Path] = []
        self.holds = False

    def __call__(self, observation: Array) -> Array:
        points = observation[self.layout["points"]].reshape(-1, 3)
        arc = np.linspace(-0.5 * _LENGTH, 0.5 * _LENGTH, len(points))
        goal = self._goal(observation, arc)
        places = [observation[self.layout[name + ".place"]] for name in ("left", "right")]
        if all(path.over for path in self.paths):
            if not self.paths or self.holds:
                self._choose(arc, points, goal)  # and lets go
                self.holds = False
                self.paths = [Path([self._at(arc, points, s)]) for s in self.chosen]
            else:
                self.holds = True
                ends = [self._at(arc, goal, s) for s in self.chosen]
                self.paths = [self._carry(place, end) for place, end in zip(places, ends, strict=True)]
        steps = [path.step(place, _SPEED) for path, place in zip(self.paths, places, strict=True)]
        pick = 1.0 if self.holds else 0.0
        return np.concatenate([steps[0], [pick], steps[1], [pick]])

    def _goal(self, observation: Array, arc: Array) -> Array:
        """The goal's points (n x 2)."""
        names = ("goal_x", "goal_y", "heading", "first_curvature", "second_curvature")
        x, y, heading, first, second = (float(observation[self.layout[name]][0]) for name in names)
        return curve(arc, np.array([x, y]), heading, np.array([first, second]))

    def _choose(self, arc: Array, points: Array, goal: Array) -> None:
        """The places along the rope to take next, one in each half."""
        if self.offsets:
            offset = self.offsets.pop(0)
            self.chosen = [-offset, offset]
            return
        error = np.linalg.norm(points[:, :2] - goal, axis=1)
        middle = len(arc) // 2
        self.chosen = [float(arc[np.argmax(error[:middle])]), float(arc[middle + 1 + np.argmax(error[middle + 1 :])])]

    @staticmethod
    def _at(arc: Array, points: Array, s: float) -> Array:
        """The place (3) at a distance from the middle, at the height of the table."""
        return np.array([np.interp(s, arc, points[:, 0]), np.interp(s, arc, points[:, 1]), _TABLE])

    @staticmethod
    def _carry(start: Array, end: Array) -> Path:
        up = np.array([0.0, 0.0, _CARRY - _TABLE])
        return Path([start + 0.2 * (end - start) + up, start + 0.8 * (end - start) + up, end])
