"""Environments of COND in the forms of Gymnasium 1.x (docs/gym.md).

    import cond, gymnasium

    env = gymnasium.make("cond/Pusher-v0", render_mode="rgb_array")
    envs = gymnasium.make_vec("cond/Pusher-v0", num_envs=64, vectorization_mode="vector_entry_point")
"""
from __future__ import annotations

import gymnasium

from cond.gym.env import TaskEnv
from cond.gym.learning import LearnEnv, LearnVectorEnv, Normaliser
from cond.gym.network import Network
from cond.gym.pixels import PixelEnv, PixelOptions, PixelVectorEnv
from cond.gym.policy import Policy, policies, success
from cond.gym.vector import TaskVectorEnv
from cond.tasks import TASKS

__all__ = [
    "LearnEnv", "LearnVectorEnv", "Network", "Normaliser", "PixelEnv", "PixelOptions", "PixelVectorEnv", "Policy",
    "TaskEnv", "TaskVectorEnv", "policies", "register", "success",
]


def register() -> None:
    """Makes the tasks known to gymnasium.make; `import cond` does it where Gymnasium is installed."""
    for name in TASKS:
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point="cond.gym.env:TaskEnv",
                               vector_entry_point="cond.gym.vector:TaskVectorEnv",
                               kwargs={"task": name})
