"""PixelEnv and PixelVectorEnv: environments whose observations are pictures, drawn by cond.BatchRenderer."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from cond.env import Env, EnvBatch, Goals
from cond.errors import BadArgument
from cond.gym.env import Observation, TaskEnv, with_goals
from cond.gym.vector import TaskVectorEnv, marked
from cond.memory import Array
from cond.renderer import BatchRenderer, Frames
from cond.structs import Autoreset, Camera, CameraDef, DeviceKind

Seen = dict[str, Any] | np.ndarray[Any, Any]


@dataclass(frozen=True)
class PixelOptions:
    """What is seen. Colour alone is an observation of uint8 (height, width, 3); with depth or state it is a dict of
    "pixels", "depth" (float32, metres, at most `far`), "state" (the numbers of the scene) and, of tasks with goals,
    "achieved_goal" and "desired_goal"."""

    width: int = 84
    height: int = 84
    camera: str | CameraDef | Camera | None = None  # as cond.BatchRenderer
    depth: bool = False
    state: bool = False
    far: float = 10.0  # [m]
    shapes: str = "visual"
    triangles: int = 2000
    device: DeviceKind | str = DeviceKind.CPU
    threads: int = 0

    @classmethod
    def of(cls, given: PixelOptions | tuple[int, int]) -> PixelOptions:
        """From options, or from height and width."""
        if isinstance(given, PixelOptions):
            return given
        if len(given) != 2:
            raise BadArgument(f"pixels: expected (height, width) or PixelOptions, not {given!r}")
        return cls(height=given[0], width=given[1])

    def renderer(self, source: Env | EnvBatch) -> BatchRenderer:
        """Draws what is asked for."""
        return BatchRenderer(source, self.width, self.height, camera=self.camera, depth=self.depth, shapes=self.shapes,
                             triangles=self.triangles, device=self.device, threads=self.threads)

    def space(self, state: spaces.Space[Any]) -> spaces.Space[Any]:
        """Of one observation; state: that of the numbers."""
        pixels = spaces.Box(0, 255, (self.height, self.width, 3), np.uint8)
        if not self.depth and not self.state:
            return pixels
        parts: dict[str, spaces.Space[Any]] = {"pixels": pixels}
        if self.depth:
            parts["depth"] = spaces.Box(0.0, self.far, (self.height, self.width), np.float32)
        if self.state and isinstance(state, spaces.Dict):
            parts |= {"state" if name == "observation" else name: part for name, part in state.spaces.items()}
        elif self.state:
            parts["state"] = state
        return spaces.Dict(parts)

    def seen(self, frames: Frames, state: Observation) -> Seen:
        """The observation of pictures and numbers."""
        assert frames.rgb is not None
        if not self.depth and not self.state:
            return frames.rgb
        parts: dict[str, Any] = {"pixels": frames.rgb}
        if frames.depth is not None:
            parts["depth"] = np.minimum(frames.depth, self.far, out=frames.depth)
        if self.state and isinstance(state, dict):
            parts |= {"state" if name == "observation" else name: part for name, part in state.items()}
        elif self.state:
            parts["state"] = state
        return parts


def row(seen: Seen, index: int) -> Seen:
    """One environment's observation."""
    if isinstance(seen, dict):
        return {name: part[index] for name, part in seen.items()}
    return np.asarray(seen[index])


class PixelEnv(TaskEnv):
    """A TaskEnv that is seen through a camera.

        env = cond.gym.PixelEnv(task="cond/Pusher-v0", pixels=(84, 84))
    """

    def __init__(self, *arguments: Any, pixels: PixelOptions | tuple[int, int] = (84, 84), **more: Any) -> None:
        """As TaskEnv; pixels: (height, width) or what else there is to choose."""
        super().__init__(*arguments, **more)
        self.pixels = PixelOptions.of(pixels)
        self.renderer = self.pixels.renderer(self.env)
        self.observation_space = self.pixels.space(self.observation_space)

    def _observe(self) -> Any:
        return row(self.pixels.seen(self.renderer.draw(self.env),
                                    {name: np.asarray(part)[None] for name, part in state.items()}
                                    if isinstance(state := super()._observe(), dict) else state[None]), 0)


class PixelVectorEnv(TaskVectorEnv):
    """A TaskVectorEnv that is seen through a camera, of each environment its own.

        envs = cond.gym.PixelVectorEnv(task="cond/LiftSoft-v0", num_envs=16, pixels=(84, 84))
        observation, info = envs.reset(seed=0)        # uint8 (16, 84, 84, 3)

    With `reuse` all observations are written into the same arrays, so that a learner that keeps one copies it."""

    def __init__(self, *arguments: Any, pixels: PixelOptions | tuple[int, int] = (84, 84), reuse: bool = False,
                 **more: Any) -> None:
        """As TaskVectorEnv; pixels: (height, width) or what else there is to choose."""
        super().__init__(*arguments, **more)
        self.pixels = PixelOptions.of(pixels)
        self.renderer = self.pixels.renderer(self.batch)
        self.single_observation_space = self.pixels.space(self.single_observation_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._frames = self.renderer.frames(self.num_envs) if reuse else None
        self._same_step = self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        if self._same_step:  # the last picture of an episode is drawn before the next one begins
            self._autoreset = Autoreset.DISABLED

    def _seen(self, state: Observation) -> Seen:
        return self.pixels.seen(self.renderer.draw(self.batch, self._frames), state)

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """As TaskVectorEnv."""
        state, info = super().reset(**options)
        return self._seen(state), info

    def step(self, actions: Array) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Acts in all environments with one call, and draws them."""
        state, reward, terminated, truncated, info = super().step(actions)
        seen, ended = self._seen(state), terminated | truncated
        if not self._same_step or not ended.any():
            return seen, reward, terminated, truncated, info
        final = np.full(self.num_envs, None, object)
        for k in np.flatnonzero(ended):
            one = row(seen, int(k))
            final[k] = {name: part.copy() for name, part in one.items()} if isinstance(one, dict) else one.copy()
        items = {name: value for name, value in info.items() if not name.startswith("_")}
        info["final_obs"], info["_final_obs"] = final, ended
        info["final_info"], info["_final_info"] = marked(items, ended), ended
        begun: Goals | None
        numbers, begun = self.batch.reset(which=ended), self.batch.goal
        return self._seen(with_goals(numbers, begun)), reward, terminated, truncated, info
