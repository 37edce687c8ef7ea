"""cond/CableRouting-v0: two hands route a cable past two pegs, on one of nine routes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STEP = 0.018  # by which a hand moves in an action [m]
_ACTION = 0.05  # how long an action lasts [s]


def _route(side: int, peg: Array, turns: int) -> Array:
    """The path (n x 3) of the hand at one end (side -1: left, 1: right), where the cable shall go behind the peg and
    round it `turns` times in all: through the gap between the pegs to the back, and outside of the peg to the front
    again. The hand stays lower than the pegs, so that the cable catches on them, and higher than the cable itself."""
    x, y = peg
    inside, outside = x - 0.06 * side, x + 0.06 * side
    points = [(0.3 * side, -0.1, 0.005)]  # where the scene begins
    for turn in range(turns):
        if turn > 0:
            points += [(x + 0.1 * side, y, 0.02)]
        points += [(outside, y - 0.06, 0.03), (inside, y - 0.06, 0.035), (inside, y + 0.06, 0.035)]
        points += [(outside, y + 0.08, 0.02)]
    if turns > 0:
        points += [(0.25 * side, 0.1, 0.012)]
    return np.array([*points, ((0.285 if turns < 2 else 0.26) * side, y, 0.012)])


def _lengths(points: Array) -> Array:
    """Length of a path up to each of its points."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


class Script:
    """One hand after the other, at a constant speed: where a hand should be depends on the time alone."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout

    def __call__(self, observation: Array) -> Array:
        def value(name: str) -> float:
            return float(observation[self.layout[name]][0])

        way = _STEP * (value("time") / _ACTION + 1.0)
        action: list[Array] = []
        for side, hand, peg in ((-1, "left", "first"), (1, "right", "second")):
            turns = round((1.0 - value(peg + "_route") / math.pi) / 2.0)
            path = _route(side, np.array([value(peg + "_x"), value(peg + "_y")]), turns)
            lengths = _lengths(path)
            wanted = np.array([np.interp(way, lengths, path[:, k]) for k in range(3)])
            action.append(wanted - observation[self.layout[hand + ".goal_position"]])
            way -= lengths[-1]  # the other hand waits so long
        return np.concatenate(action)
