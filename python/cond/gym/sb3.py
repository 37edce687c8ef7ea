"""BatchVecEnv: environments of a task as Stable-Baselines3's VecEnv, stepped in C with one call. Needs the package
stable_baselines3, which `import cond.gym` does not load."""
from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from cond.errors import BadArgument
from cond.gym.learning import LearnVectorEnv

Indices = int | Iterable[int] | None


class BatchVecEnv(VecEnv):
    """LearnVectorEnv in the form of Stable-Baselines3: float32, actions between -1 and 1, goals in the observation.

        from stable_baselines3 import PPO
        from cond.gym.sb3 import BatchVecEnv

        model = PPO("MlpPolicy", BatchVecEnv("cond/Pusher-v0", 16), device="cpu").learn(100_000)

    `infos` has certificate, missed and is_success, and at the end of an episode `terminal_observation`,
    `TimeLimit.truncated` and `episode` (r, l, t), which Stable-Baselines3 logs as the mean of rollouts."""

    def __init__(self, task: str, num_envs: int = 1, overrides: Sequence[str] = (), *, threads: int = 0) -> None:
        self.envs = LearnVectorEnv(task, num_envs, overrides, threads=threads)
        self.render_mode = None
        self._start = time.monotonic()
        self._actions: Any = None
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> Any:
        """Begins the episodes of the seeds that `seed` gave, or the next ones."""
        given = [one for one in self._seeds if one is not None]
        seeds = [int(one) for one in given] if len(given) == self.num_envs else None
        observation, info = self.envs.reset(seed=seeds)
        self.reset_infos = self._infos(info)
        self._reset_seeds()
        self._reset_options()
        return observation

    def step_async(self, actions: Any) -> None:
        """Keeps the actions for step_wait."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Acts in all environments."""
        observation, reward, terminated, truncated, info = self.envs.step(self._actions)
        infos = self._infos(info)
        for k in np.flatnonzero(terminated | truncated):
            infos[k]["terminal_observation"] = info["final_obs"][k]
            infos[k]["TimeLimit.truncated"] = bool(truncated[k] and not terminated[k])
            infos[k]["episode"] = {"r": float(info["episode_return"][k]), "l": int(info["episode_length"][k]),
                                   "t": round(time.monotonic() - self._start, 6)}
        return observation, reward, terminated | truncated, infos

    def _infos(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"certificate": float(info["certificate"][k]), "missed": int(info["missed"][k]),
                 "is_success": bool(info["is_success"][k])} for k in range(self.num_envs)]

    def close(self) -> None:
        """Ends the environments."""
        self.envs.close()

    def _chosen(self, indices: Indices) -> list[int]:
        return list(self._get_indices(indices))

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute that all environments share."""
        return [getattr(self.envs, attr_name) for _ in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refused: the environments are one object of C."""
        raise BadArgument(f"{attr_name}: environments of a batch have no attributes of their own")

    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None,
                   **method_kwargs: Any) -> list[Any]:
        """Refused, as set_attr."""
        raise BadArgument(f"{method_name}: environments of a batch have no methods of their own")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Nothing is wrapped around one environment; episodes are counted as by Monitor."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._chosen(indices)]
