"""TaskEnv: a scene as a gymnasium.Env."""
from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cond.env import Env, Goals, Overrides, Result, Reward
from cond.errors import BadArgument
from cond.gym.show import Show, check_size
from cond.memory import Array, Path
from cond.names import suggestion
from cond.picture import Pixels
from cond.scene import Scene
from cond.structs import Camera
from cond.tasks import scene_of

RATE = 50  # pictures a second where the scene does not say
RENDER = {"render_modes": ["rgb_array", "human"], "render_fps": RATE}

Observation = Array | dict[str, Array]


def action_box(low: Array, high: Array) -> gymnasium.Space[Array]:
    """Between the bounds, in the units of the scene."""
    return spaces.Box(low, high, dtype=np.float64)


def observation_space(n: int, n_goal: int) -> gymnasium.Space[Any]:
    """Numbers without bounds, as `layout` names them; with goals a dict, as learners that change goals want it."""
    def box(size: int) -> spaces.Box:
        return spaces.Box(-np.inf, np.inf, (size,), np.float64)

    if n_goal == 0:
        return box(n)
    return spaces.Dict({"observation": box(n), "achieved_goal": box(n_goal), "desired_goal": box(n_goal)})


def with_goals(observation: Array, goal: Goals | None) -> Observation:
    """The observation as its space has it."""
    if goal is None:
        return observation
    return {"observation": observation, "achieved_goal": goal.achieved, "desired_goal": goal.desired}


def known_options(options: Any, *known: str) -> dict[str, Any]:
    """The options of a reset; those that nothing has are refused, since they would do nothing."""
    if options is not None and not isinstance(options, dict):
        raise TypeError(f"options: expected a dict, not {options!r}")
    for name in options or {}:
        if name not in known:
            has = suggestion(str(name), known) if known else "; there is none, a seed draws what varies"
            raise BadArgument(f"options: a reset has no option {name!r}{has}")
    return options or {}


def info_of(result: Result | None, n_goal: int) -> dict[str, Any]:
    """What a step certifies; nothing was solved at a reset. With goals also the reward and their share of it, from
    which `compute_reward` computes the reward with another goal."""
    if result is None:
        info = {"certificate": 0.0, "missed": 0, "is_success": False}
        goals = {"reward": 0.0, "goal_reward": 0.0}
    else:
        info = {"certificate": result.certificate, "missed": result.missed, "is_success": result.success}
        goals = {"reward": result.reward, "goal_reward": result.goal_reward}
    return {**info, **goals} if n_goal else info


class TaskEnv(gymnasium.Env[Any, NDArray[np.float64]]):
    """One environment. `info` has the certificate of the action, the worst of its time steps, how many of them missed
    their tolerance, and whether the task's success holds. The observation is a vector, whose ranges `layout` names, or
    where the task has goals a dict of `observation`, `achieved_goal` and `desired_goal`; these tasks alone have
    `compute_reward`."""

    metadata: dict[str, Any] = dict(RENDER)

    def __init__(self, scene: Path | Scene | None = None, overrides: Overrides = (), *, task: str | None = None,
                 text: str | None = None, folder: Path | None = None, reward: Reward | None = None,
                 render_mode: str | None = None, width: int = 480, height: int = 360,
                 camera: Camera | None = None) -> None:
        """As cond.Env, or by the name of a task, whose own overrides come first; width, height and camera are those of
        pictures."""
        scene, overrides = scene_of(task, scene, overrides)
        self.env = Env(scene, overrides, text=text, folder=folder, reward=reward)
        self.render_mode = render_mode
        self.action_space = action_box(*self.env.action_bounds)
        self.observation_space = observation_space(self.env.n_observation, self.env.n_goal)
        check_size(width, height)
        settings = self.env.model.settings
        step = settings.time_step * settings.environment.substeps
        self.metadata = {**RENDER, "render_fps": max(1, round(1.0 / step))}
        self._show = Show(render_mode, width, height, camera, self.metadata["render_fps"])
        if self.env.n_goal:  # learners take an environment that has it for a task with goals
            self.compute_reward = self._reward_of_goals

    @property
    def layout(self) -> dict[str, slice]:
        """Where in the observation is what: "box.position", "arm.joints"."""
        return self.env.layout

    @property
    def action_layout(self) -> dict[str, slice]:
        """Where in the action is what."""
        return self.env.action_layout

    def _observe(self) -> Observation:
        return with_goals(self.env.observation, self.env.goal if self.env.n_goal else None)

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begins the episode of a seed; without one the next after the last seed, the first time one by chance."""
        known_options(options)
        first = self._np_random is None
        super().reset(seed=seed)
        if seed is None and first:
            seed = int(self.np_random.integers(2**31))
        self._show.begin()
        self.env.reset(seed)
        self._show_human()
        return self._observe(), info_of(None, self.env.n_goal)

    def step(self, action: NDArray[np.float64]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Acts and simulates; values beyond the bounds are cut to them."""
        result = self.env.step(action)
        self._show_human()
        return self._observe(), result.reward, result.done, result.cut, info_of(result, self.env.n_goal)

    def _reward_of_goals(self, achieved_goal: Array, desired_goal: Array, info: Any) -> Any:
        """What the reward of a step would have been with other goals, for one pair and the info of the step or for
        rows of them; where info does not have it, the share of the goals alone."""
        achieved, desired = np.atleast_2d(achieved_goal), np.atleast_2d(desired_goal)
        values = np.array([self.env.goal_reward(a, d) for a, d in zip(achieved, desired, strict=True)])
        infos = [info] if isinstance(info, dict) else [] if info is None else list(info)
        if len(infos) == len(values) and all("goal_reward" in one for one in infos):
            # With the goals of the step itself the difference is 0, and the reward the same to the bit.
            values = np.array([one["reward"] + (value - one["goal_reward"])
                               for one, value in zip(infos, values, strict=True)])
        return values if np.ndim(achieved_goal) > 1 else float(values[0])

    def _show_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Pixels | None:
        """The pixels, or in the mode "human" nothing: the page of the viewer follows."""
        return self._show.render(self.env.model, self.env.state, self.env.sim)

    def close(self) -> None:
        """Ends the viewer."""
        self._show.close()
