"""TaskEnv: a scene as a gymnasium.Env."""
from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cond.env import Env, Overrides, Result, Reward
from cond.gym.show import Show
from cond.memory import Array, Path
from cond.picture import Pixels
from cond.scene import Scene
from cond.structs import Camera

RATE = 50  # pictures a second where the scene does not say
RENDER = {"render_modes": ["rgb_array", "human"], "render_fps": RATE}


Space = gymnasium.Space[Array]


def action_box(low: Array, high: Array) -> Space:
    """Between the bounds, in the units of the scene."""
    return spaces.Box(low, high, dtype=np.float64)


def observation_box(n: int) -> Space:
    """Numbers without bounds; cond.Env.layout says what they are."""
    return spaces.Box(-np.inf, np.inf, (n,), np.float64)


def info_of(result: Result | None) -> dict[str, Any]:
    """What a step certifies; nothing was solved at a reset."""
    if result is None:
        return {"certificate": 0.0, "missed": 0}
    return {"certificate": result.certificate, "missed": result.missed}


class TaskEnv(gymnasium.Env[Array, NDArray[np.float64]]):
    """One environment. `info` has the certificate of the action, the worst of its time steps, and how many of them
    missed their tolerance. The observation is a vector; `layout` names its parts."""

    metadata: dict[str, Any] = dict(RENDER)

    def __init__(self, scene: Path | Scene | None = None, overrides: Overrides = (), *, text: str | None = None,
                 folder: Path | None = None, reward: Reward | None = None, render_mode: str | None = None,
                 width: int = 480, height: int = 360, camera: Camera | None = None) -> None:
        """As cond.Env; width, height and camera are those of pictures."""
        self.env = Env(scene, overrides, text=text, folder=folder, reward=reward)
        self.render_mode = render_mode
        low, high = self.env.action_bounds
        self.action_space = action_box(low, high)
        self.observation_space = observation_box(self.env.n_observation)
        step = self.env.model.settings.time_step * self.env.model.settings.environment.substeps
        self.metadata = {**RENDER, "render_fps": max(1, round(1.0 / step))}
        self._show = Show(render_mode, width, height, camera, self.metadata["render_fps"])

    @property
    def layout(self) -> dict[str, slice]:
        """Where in the observation is what: "box.position", "arm.joints"."""
        return self.env.layout

    @property
    def action_layout(self) -> dict[str, slice]:
        """Where in the action is what."""
        return self.env.action_layout

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins the episode of a seed; without one the next after the last seed, the first time one by chance."""
        first = self._np_random is None
        super().reset(seed=seed)
        if seed is None and first:
            seed = int(self.np_random.integers(2**31))
        observation = self.env.reset(seed)
        self._show.begin()
        self._show_human()
        return observation, info_of(None)

    def step(self, action: NDArray[np.float64]) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Acts and simulates; values beyond the bounds are cut to them."""
        result = self.env.step(action)
        self._show_human()
        return self.env.observation, result.reward, result.done, result.cut, info_of(result)

    def _show_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Pixels | None:
        """The pixels, or in the mode "human" nothing: the page of the viewer follows."""
        return self._show.render(self.env.model, self.env.state, self.env.sim)

    def close(self) -> None:
        """Ends the viewer."""
        self._show.close()
