"""LearnEnv and LearnVectorEnv: environments in the form that learners expect, and what their numbers are scaled by."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from cond.errors import BadArgument
from cond.gym.env import Observation, TaskEnv
from cond.gym.vector import Bools, TaskVectorEnv
from cond.memory import Array
from cond.picture import Pixels

Floats = NDArray[np.float32]


class Normaliser:
    """Scales rows of numbers to mean 0 and variance 1, as seen so far; values beyond `clip` are cut.

        normaliser = Normaliser(env.single_observation_space.shape[0])
        normaliser.update(observations)
        scaled = normaliser(observations)               # float32

    Mean and variance of batches are combined by the formula of Chan, Golub and LeVeque (1983), so that they do not
    depend on the size of the batches but for rounding."""

    def __init__(self, n: int, clip: float = 10.0) -> None:
        self.mean: Array = np.zeros(n)
        self.variance: Array = np.ones(n)
        self.count = 0.0
        self.clip = clip

    def update(self, rows: ArrayLike) -> None:
        """Takes rows (m x n) into account."""
        given = np.asarray(rows, np.float64).reshape(-1, len(self.mean))
        m = len(given)
        if m == 0:
            return
        total, step = self.count + m, given.mean(axis=0) - self.mean
        squares = self.variance * self.count + given.var(axis=0) * m + step**2 * (self.count * m / total)
        self.mean = self.mean + step * (m / total)
        self.variance, self.count = squares / total, total

    def __call__(self, rows: ArrayLike) -> Floats:
        """The rows, scaled."""
        scaled = (np.asarray(rows, np.float64) - self.mean) / np.sqrt(self.variance + 1e-8)
        return np.clip(scaled, -self.clip, self.clip).astype(np.float32)

    def arrays(self) -> dict[str, Array]:
        """What `of` makes the same normaliser from."""
        return {"mean": self.mean, "variance": self.variance, "count": np.array([self.count, self.clip])}

    @classmethod
    def of(cls, mean: ArrayLike, variance: ArrayLike, count: ArrayLike) -> Normaliser:
        """From the arrays of another one."""
        made = cls(len(np.asarray(mean)))
        made.mean, made.variance = np.array(mean, np.float64), np.array(variance, np.float64)
        made.count, made.clip = (float(value) for value in np.asarray(count, np.float64))
        return made


def flat(observation: Observation) -> Array:
    """An observation, or rows of them, as numbers alone: those of a task with goals are followed by the desired goal
    and by how far it is from the achieved one."""
    if not isinstance(observation, dict):
        return observation
    desired, achieved = observation["desired_goal"], observation["achieved_goal"]
    return np.concatenate([observation["observation"], desired, desired - achieved], axis=-1)


class ActionScale:
    """Actions between -1 and 1, and in the units of a task's scene."""

    def __init__(self, space: gymnasium.Space[Any], task: str) -> None:
        assert isinstance(space, spaces.Box)
        self._middle, self._half = (space.high + space.low) / 2.0, (space.high - space.low) / 2.0
        if not np.all(np.isfinite(self._half)):
            raise BadArgument(f"task {task!r}: actions without bounds cannot be scaled to -1 .. 1")
        self.space = spaces.Box(-1.0, 1.0, space.shape, np.float32)

    def to_task(self, actions: ArrayLike) -> Array:
        """In the units of the scene."""
        return self._middle + self._half * np.clip(np.asarray(actions, np.float64), -1.0, 1.0)

    def from_task(self, actions: ArrayLike) -> Floats:
        """Between -1 and 1."""
        scaled = (np.asarray(actions, np.float64) - self._middle) / np.where(self._half > 0.0, self._half, 1.0)
        return np.clip(scaled, -1.0, 1.0).astype(np.float32)


class LearnEnv(gymnasium.Env[Floats, Floats]):
    """One environment of a task for a learner: observations are vectors of float32, goals included (`flat`), and
    actions are float32 between -1 and 1. Stable-Baselines3's checker has no remark on it.

        env = cond.gym.LearnEnv("cond/BallGrip-v0")
        observation, info = env.reset(seed=0)
        observation, reward, terminated, truncated, info = env.step(action)"""

    def __init__(self, task: str, overrides: Sequence[str] = (), *, render_mode: str | None = None) -> None:
        self.env = TaskEnv(task=task, overrides=overrides, render_mode=render_mode)
        self.metadata, self.render_mode = self.env.metadata, render_mode
        self.scale = ActionScale(self.env.action_space, task)
        n = self.env.env.n_observation + 2 * self.env.env.n_goal
        self.observation_space = spaces.Box(-np.inf, np.inf, (n,), np.float32)
        self.action_space = self.scale.space

    @property
    def layout(self) -> dict[str, slice]:
        """Where in an observation is what; goals stand behind all of it."""
        return self.env.layout

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """As TaskEnv."""
        super().reset(seed=seed)
        observation, info = self.env.reset(seed=seed, options=options)
        return flat(observation).astype(np.float32), info

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Acts and simulates."""
        observation, reward, terminated, truncated, info = self.env.step(self.scale.to_task(action))
        return flat(observation).astype(np.float32), reward, terminated, truncated, info

    def render(self) -> Pixels | None:
        """As TaskEnv."""
        return self.env.render()

    def close(self) -> None:
        """Ends the viewer."""
        self.env.close()


class LearnVectorEnv(VectorEnv[Any, Floats, NDArray[Any]]):
    """n environments of a task for a learner: observations are vectors of float32, goals included (`flat`); actions
    are float32 between -1 and 1; an episode that ends begins anew in the same step, and `info["final_obs"]` has the
    last observations, as rows where `info["_final_obs"]` marks them.

        envs = cond.gym.LearnVectorEnv("cond/BallGrip-v0", 16)
        observation, info = envs.reset(seed=0)
        observation, reward, terminated, truncated, info = envs.step(actions)

    With `normalise` observations are scaled by what was seen so far; `normaliser.update` is called by `step` unless
    `frozen` is set. `info` has certificate, missed and is_success as TaskVectorEnv has them, and of episodes that
    ended `episode_return` and `episode_length`, marked by `_episode_return`."""

    def __init__(self, task: str, num_envs: int = 1, overrides: Sequence[str] = (), *, threads: int = 0,
                 normalise: bool = False) -> None:
        self.envs = TaskVectorEnv(task=task, overrides=overrides, num_envs=num_envs, threads=threads,
                                  autoreset_mode=AutoresetMode.SAME_STEP)
        self.num_envs = num_envs
        self.scale = ActionScale(self.envs.single_action_space, task)
        self.n_observation = n = self.envs.batch.n_observation + 2 * self.envs.batch.n_goal
        self.normaliser = Normaliser(n) if normalise else None
        most = self.normaliser.clip if self.normaliser else np.inf
        self.single_observation_space = spaces.Box(-most, most, (n,), np.float32)
        self.single_action_space = self.scale.space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.metadata = {**self.envs.metadata, "autoreset_mode": AutoresetMode.SAME_STEP}
        self.render_mode = None
        self.frozen = False
        self._returns: Array = np.zeros(num_envs)
        self._lengths: NDArray[np.int64] = np.zeros(num_envs, np.int64)

    @property
    def layout(self) -> dict[str, slice]:
        """Where in an observation is what; goals stand behind all of it."""
        return self.envs.layout

    def _observe(self, rows: Array, update: bool = True) -> Floats:
        if self.normaliser is None:
            return rows.astype(np.float32)
        if update and not self.frozen:
            self.normaliser.update(rows)
        return self.normaliser(rows)

    def to_task(self, actions: ArrayLike) -> Array:
        """Actions between -1 and 1 in the units of the scene."""
        return self.scale.to_task(actions)

    def from_task(self, actions: ArrayLike) -> Floats:
        """Actions in the units of the scene between -1 and 1: of a script, for example."""
        return self.scale.from_task(actions)

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """As TaskVectorEnv."""
        observation, info = self.envs.reset(seed=seed, options=options)
        mask = np.ones(self.num_envs, np.bool_)
        if options and options.get("reset_mask") is not None:
            mask = np.asarray(options["reset_mask"], np.bool_)
        self._returns[mask], self._lengths[mask] = 0.0, 0
        return self._observe(flat(observation)), info

    def step(self, actions: ArrayLike) -> tuple[Floats, Floats, Bools, Bools, dict[str, Any]]:
        """Acts in all environments with one call."""
        observation, reward, terminated, truncated, info = self.envs.step(self.to_task(actions))
        self._returns += reward
        self._lengths += 1
        ended = terminated | truncated
        if ended.any():
            info["episode_return"], info["episode_length"] = self._returns.copy(), self._lengths.copy()
            info["_episode_return"] = info["_episode_length"] = ended
            self._returns[ended], self._lengths[ended] = 0.0, 0
            final = np.zeros((self.num_envs, self.n_observation), np.float32)
            for k in np.flatnonzero(ended):
                final[k] = self._observe(flat(info["final_obs"][k])[None], update=False)[0]
            info["final_obs"] = final
        return self._observe(flat(observation)), reward.astype(np.float32), terminated, truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the environments."""
        self.envs.close()
