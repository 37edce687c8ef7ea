"""Policy: a small network as a file of arrays, evaluated with NumPy alone."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond.errors import BadArgument
from cond.gym.learning import Floats, LearnVectorEnv, Normaliser

_FOLDER = Path(__file__).resolve().parent.parent / "policies"


def policies() -> list[str]:
    """Tasks whose learnt policy ships with COND (docs/gym.md)."""
    return sorted(f"cond/{file.stem}" for file in _FOLDER.glob("*.npz"))


class Policy:
    """Layers W x + b with max(0, .) or tanh between them, and tanh at the end: observations in, actions between -1 and
    1 out. Observations are those of LearnVectorEnv before they are scaled; the policy has its own scales, and where
    `features` (rows x observation) is given it sees the products of these rows with the observation.

        policy = cond.gym.Policy.load("lift_soft.npz")
        actions = policy(observations)
    """

    def __init__(self, layers: list[tuple[Any, Any]], normaliser: Normaliser, activation: str = "relu",
                 features: ArrayLike | None = None) -> None:
        if activation not in ("relu", "tanh"):
            raise BadArgument(f"activation {activation!r}: expected 'relu' or 'tanh'")
        self.layers: list[tuple[Floats, Floats]] = [(np.asarray(w, np.float32), np.asarray(b, np.float32))
                                                    for w, b in layers]
        self.normaliser, self.activation = normaliser, activation
        self.features = None if features is None else np.asarray(features, np.float64)

    def __call__(self, observations: ArrayLike) -> Floats:
        """Actions for rows of observations."""
        x: Floats = self.normaliser(observations if self.features is None else
                                    np.asarray(observations, np.float64) @ self.features.T)
        for w, b in self.layers[:-1]:
            x = x @ w.T + b
            x = np.tanh(x) if self.activation == "tanh" else np.maximum(x, np.float32(0.0))
        w, b = self.layers[-1]
        return np.asarray(np.tanh(x @ w.T + b), np.float32)

    @classmethod
    def shipped(cls, task: str) -> Policy:
        """The policy for a task that ships with COND; `policies` lists the tasks that have one."""
        if task not in policies():
            raise BadArgument(f"no policy for {task!r}; there are those for {', '.join(policies())}")
        return cls.load(_FOLDER / f"{task.partition('/')[2]}.npz")

    def save(self, path: Path | str) -> None:
        """As .npz; weights have half precision, which is a thousandth of their size."""
        arrays: dict[str, Any] = {"activation": np.array(self.activation), **self.normaliser.arrays()}
        if self.features is not None:
            arrays["features"] = self.features.astype(np.float32)
        for k, (w, b) in enumerate(self.layers):
            arrays |= {f"layer{k}_weight": w.astype(np.float16), f"layer{k}_bias": b.astype(np.float16)}
        np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: Path | str) -> Policy:
        """From a file of `save`."""
        with np.load(path, allow_pickle=False) as data:
            missing = {"mean", "variance", "count", "activation", "layer0_weight"} - set(data.files)
            if missing:
                raise BadArgument(f"{path}: no policy, it lacks {', '.join(sorted(missing))}")
            n = sum(name.endswith("_weight") for name in data.files)
            layers = [(data[f"layer{k}_weight"], data[f"layer{k}_bias"]) for k in range(n)]
            normaliser = Normaliser.of(data["mean"], data["variance"], data["count"])
            features = data["features"] if "features" in data.files else None
            return cls(layers, normaliser, str(data["activation"]), features)


def success(policy: Any, envs: LearnVectorEnv, first_seed: int) -> tuple[NDArray[np.bool_], int]:
    """Runs one episode of each environment with the seeds first_seed, first_seed + 1, ..: which succeeded, and how many
    time steps missed their tolerance. An episode succeeds if the task's success holds at its end."""
    if envs.normaliser is not None:
        raise BadArgument("a policy scales observations itself: make the environments without normalise")
    observation, _ = envs.reset(seed=first_seed)
    over = np.zeros(envs.num_envs, np.bool_)
    good = np.zeros(envs.num_envs, np.bool_)
    missed = 0
    while not over.all():
        observation, _, terminated, truncated, info = envs.step(policy(observation))
        missed += int(info["missed"][~over].sum())
        ended = (terminated | truncated) & ~over
        if ended.any():  # of episodes that end `info` has the last step's values
            good[ended] = info["final_info"]["is_success"][ended]
        over |= ended
    return good, missed
