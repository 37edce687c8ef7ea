"""Show: how an environment is seen, as pixels or in the viewer's page."""
from __future__ import annotations

from typing import Any

import gymnasium

from cond.errors import BadArgument
from cond.picture import Picture, Pixels
from cond.structs import Camera
from cond.view import LiveView

MOST = 8192  # pixels along an edge


def check_size(width: int, height: int) -> None:
    """What a picture can be, said before the first is drawn."""
    if not (1 <= width <= MOST and 1 <= height <= MOST):
        raise BadArgument(f"a picture of {width} x {height} pixels: each must be 1 to {MOST}")


class Show:
    """Pictures of one environment, or the page that follows it. Every episode is drawn anew, since its model may be
    another one, from where the first was seen."""

    def __init__(self, mode: str | None, width: int, height: int, camera: Camera | None, rate: float) -> None:
        if mode not in (None, "rgb_array", "human"):
            raise gymnasium.error.UnsupportedMode(f"render_mode {mode!r}: not one of rgb_array, human")
        self.mode, self.size, self.camera, self.rate = mode, (width, height), camera, rate
        self.picture: Picture | None = None
        self.page: LiveView | None = None
        self.fresh = True  # another episode than the one drawn last

    def begin(self) -> None:
        """An episode is about to begin: nothing of the model is kept."""
        self.fresh = True
        if self.page is not None:
            self.page.stage = None
        if self.picture is not None:
            self.camera = self.picture.camera
            self.picture = None

    def render(self, model: Any, state: Any, sim: Any) -> Pixels | None:
        """Draws what is now."""
        if self.mode is None:
            gymnasium.logger.warn("render: the environment was made without a render_mode")
            return None
        if self.mode == "human":
            if self.page is None:
                self.page = LiveView(model, rate=self.rate)
                self.page.open()
            self.page.update(model if self.fresh else None, state, sim)
            self.fresh = False
            return None
        if self.picture is None:
            self.picture = Picture(model, *self.size, camera=self.camera)
        return self.picture.draw(state, sim)

    def close(self) -> None:
        """Ends the page."""
        if self.page is not None:
            self.page.close()
        self.picture = self.page = None
