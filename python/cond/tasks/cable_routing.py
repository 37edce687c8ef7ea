"""cond/CableRouting-v0: two hands route a cable past two pegs, on one of nine routes."""

from __future__ import annotations

import math

import numpy as np

from cond.tasks.path import Array, Path


def _route(side: int, peg: Array, turns: int) -> Path:
    """The path of the hand at one end (side -1: left, 1: right), where the cable shall go behind the peg and round it
    `turns` times in all: through the gap between the pegs to the back, and outside of the peg to the front again. The
    hand stays lower than the pegs, so that the cable catches on them, and higher than the cable itself."""
    x, y = peg
    inside, outside = x - 0.06 * side, x + 0.06 * side
    points: list[tuple[float, float, float]] = []
    for turn in range(turns):
        if turn > 0:
            points += [(x + 0.1 * side, y, 0.02)]
        points += [(outside, y - 0.06, 0.03), (inside, y - 0.06, 0.035), (inside, y + 0.06, 0.035)]
        points += [(outside, y + 0.08, 0.02)]
    if turns > 0:
        points += [(0.25 * side, 0.1, 0.012)]
    points += [((0.285 if turns < 2 else 0.26) * side, y, 0.012)]
    return Path(points)


class Script:
    """One hand after the other."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.paths: list[Path] = []

    def __call__(self, observation: Array) -> Array:
        def value(name: str) -> float:
            return float(observation[self.layout[name]][0])

        if not self.paths:
            for side, peg in ((-1, "first"), (1, "second")):
                turns = round((1.0 - value(peg + "_route") / math.pi) / 2.0)
                self.paths.append(_route(side, np.array([value(peg + "_x"), value(peg + "_y")]), turns))
        action = np.zeros(6)
        for hand, name in enumerate(("left", "right")):
            place = observation[self.layout[name + ".goal_position"]]
            action[3 * hand : 3 * hand + 3] = self.paths[hand].step(place, 0.018)
            if not self.paths[hand].over:
                break
        return action
