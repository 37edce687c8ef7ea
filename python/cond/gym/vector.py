"""TaskVectorEnv: many environments of one scene as a gymnasium.vector.VectorEnv, stepped in C with one call."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cond.env import EnvBatch, Goals, Overrides, Results, Reward
from cond.gym.env import RATE, RENDER, Observation, action_box, known_options, observation_space, with_goals
from cond.gym.show import Show, check_size
from cond.memory import Array, Path
from cond.picture import Pixels
from cond.scene import Scene
from cond.structs import Autoreset, Camera
from cond.tasks import scene_of

MODES = {mode: Autoreset[mode.name] for mode in AutoresetMode}
Bools = NDArray[np.bool_]


def marked(items: dict[str, Any], which: Bools) -> dict[str, Any]:
    """Arrays as Gymnasium's info has them, each with the marks of the environments that it is of."""
    return items | {f"_{name}": which for name in items}


class TaskVectorEnv(VectorEnv[Any, Array, NDArray[Any]]):
    """n environments. Environment i with seed s + i gives the same bits as TaskEnv alone with that seed, through all
    episodes that follow. C writes observations, rewards and ends into the arrays that `step` returns; nothing is
    copied, and no array is used twice."""

    metadata: dict[str, Any] = {**RENDER, "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, scene: Path | Scene | None = None, overrides: Overrides = (), *, num_envs: int = 1,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, threads: int = 0,
                 task: str | None = None, text: str | None = None, folder: Path | None = None,
                 reward: Reward | None = None, render_mode: str | None = None, width: int = 480, height: int = 360,
                 camera: Camera | None = None) -> None:
        """As cond.EnvBatch and TaskEnv; threads: 0 for as many as the machine has."""
        check_size(width, height)
        scene, overrides = scene_of(task, scene, overrides)
        mode = AutoresetMode(autoreset_mode)
        self.batch = EnvBatch(scene, num_envs, overrides, threads=threads, text=text, folder=folder, reward=reward)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_action_space = action_box(*self.batch.action_bounds)
        self.single_observation_space = observation_space(self.batch.n_observation, self.batch.n_goal)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.metadata = {**RENDER, "autoreset_mode": mode}
        self._autoreset = MODES[mode]
        self._shows = [Show(render_mode, width, height, camera, RATE) for _ in range(num_envs)]

    @property
    def layout(self) -> dict[str, slice]:
        """Where in an observation is what."""
        return self.batch.layout

    @property
    def action_layout(self) -> dict[str, slice]:
        """Where in an action is what."""
        return self.batch.action_layout

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begins episodes: of seed, seed + 1, ... or of a list of seeds; without one the next episodes. options may
        hold "reset_mask", which environments to reset."""
        told_options = known_options(options, "reset_mask")
        first = self._np_random is None
        if isinstance(seed, np.integer):
            seed = int(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and first:
            seed = int(self.np_random.integers(2**31))
        seeds = [seed + k for k in range(self.num_envs)] if isinstance(seed, int) else seed
        mask = told_options.get("reset_mask")
        observation = with_goals(self.batch.reset(seeds, mask), self.batch.goal)
        n = self.num_envs
        which: Bools = np.ones(n, np.bool_) if mask is None else np.asarray(mask, np.bool_)
        items = {"certificate": np.zeros(n), "missed": np.zeros(n, np.int32), "is_success": np.zeros(n, np.bool_)}
        if self.batch.n_goal:
            items |= {"reward": np.zeros(n), "goal_reward": np.zeros(n)}
        return observation, marked(items, which)

    def step(self, actions: Array) -> tuple[Observation, Array, Bools, Bools, dict[str, Any]]:
        """Acts in all environments with one call."""
        r = self.batch.step(actions, self._autoreset)
        items: dict[str, Any] = {"certificate": r.certificate, "missed": r.missed, "is_success": r.success}
        if self.batch.n_goal:
            items |= {"reward": r.reward, "goal_reward": r.goal_reward}
        info = marked(items, np.ones(self.num_envs, np.bool_))
        if r.final_observation is not None and r.ended.any():
            self._finish(info, items, r)
        return with_goals(r.observation, r.goal), r.reward, r.done, r.cut, info

    def _finish(self, info: dict[str, Any], items: dict[str, Any], r: Results) -> None:
        """What Gymnasium hands over of episodes that ended in a step that began others."""
        final = np.full(self.num_envs, None, object)
        assert r.final_observation is not None
        for k in np.flatnonzero(r.ended):
            goal = None if r.final_goal is None else Goals(r.final_goal.achieved[k], r.final_goal.desired[k])
            final[k] = with_goals(r.final_observation[k], goal)
        info["final_obs"], info["_final_obs"] = final, r.ended
        info["final_info"] = marked(items, r.ended)
        info["_final_info"] = r.ended

    def _draw(self, index: int) -> Pixels | None:
        """Draws one and forgets its model, which the next step may replace."""
        pixels = self._shows[index].render(*self.batch.picture_parts(index))
        self._shows[index].begin()
        return pixels

    def render(self) -> tuple[Pixels, ...] | None:
        """The pixels of every environment; in the mode "human" the viewer's page follows the first."""
        if self.render_mode == "human":
            self._draw(0)
            return None
        drawn = (self._draw(k) for k in range(self.num_envs))
        return tuple(pixels for pixels in drawn if pixels is not None)

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the viewer."""
        for show in self._shows:
            show.close()
