"""What moves a cloth in the tasks: two pickers, or a Panda's hand that carries two clamps on a bar."""

from __future__ import annotations

import numpy as np

from cond.tasks.path import Array, Path

_PICKERS = ("left", "right")


class Hands:
    """Positions that move and that grasp together, one for each picker, or one for the Panda's hand."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.is_panda = "hand.goal_position" in layout
        self.paths: list[Path] = []

    @property
    def over(self) -> bool:
        """Whether all paths have been followed to their ends."""
        return all(path.over for path in self.paths)

    def places(self, observation: Array) -> list[Array]:
        """Where the actions have put them."""
        names = ["hand.goal_position"] if self.is_panda else [name + ".place" for name in _PICKERS]
        return [observation[self.layout[name]] for name in names]

    def targets(self, left: Array, right: Array) -> list[Array]:
        """The positions to go to for the pair to be at two places: a hand is in the middle between its clamps."""
        return [0.5 * (left + right)] if self.is_panda else [left, right]

    def action(self, observation: Array, speed: float, holds: bool) -> Array:
        """Moves them along their paths by at most speed [m]; the Panda's hand keeps its orientation."""
        pick = 1.0 if holds else 0.0
        steps = [path.step(at, speed) for path, at in zip(self.paths, self.places(observation), strict=True)]
        if self.is_panda:
            return np.concatenate([steps[0], np.zeros(3), [pick, pick]])
        return np.concatenate([steps[0], [pick], steps[1], [pick]])


def corner(points: Array, along: float, side: float) -> Array:
    """Of points (n x 3) of a sheet the one farthest along x and y, in the directions that two signs give."""
    place: Array = points[np.argmax(along * points[:, 0] + side * points[:, 1])].copy()
    return place
