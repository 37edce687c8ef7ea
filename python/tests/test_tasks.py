"""The tasks: each script solves its task, every step certified; the same by either kind of action."""
from __future__ import annotations

import numpy as np
import pytest

from cond.env import Env
from cond.memory import share
from cond.tasks import TASKS
from cond.tasks.panda import increments, tip, turn_between

LIFTED = ["cond/LiftCable-v0", "cond/LiftCable-IK-v0", "cond/LiftSoft-IK-v0", "cond/BallGrip-v0",
          "cond/PegWithCable-v0"]
LED = ["cond/CableRouting-v0", "cond/RopeConfiguration-v0", "cond/CableWinding-v0", "cond/MatFold-v0",
       "cond/ClothFold-v0", "cond/ClothFold-Panda-v0", "cond/ClothHang-v0", "cond/ClothHang-Panda-v0"]  # to their end


def play(name: str, seed: int, overrides: tuple[str, ...] = (), ends: bool = False) -> tuple[bool, int, float]:
    """Success at the end of an episode of the script, which success ends or not, time steps that missed, the worst
    certificate."""
    task = TASKS[name]
    env = Env(share(task.scene), task.overrides + overrides)
    observation = env.reset(seed)
    script = task.make_script(env.layout)
    missed, worst, success = 0, 0.0, False
    while not env.over:
        result = env.step(script(observation))
        observation = env.observation
        missed, worst = missed + result.missed, max(worst, result.certificate)
        success = result.success and result.done == ends
    return success, missed, worst


@pytest.mark.parametrize("name", LIFTED + LED)
def test_script_solves(name: str) -> None:
    success, missed, worst = play(name, 7, ends=name in LED)
    assert success
    assert missed == 0
    assert worst <= 1e-6


@pytest.mark.parametrize("name", ["cond/BallGrip-v0", "cond/LiftSoft-IK-v0", "cond/LiftCable-v0"])
def test_script_takes_again(name: str) -> None:
    """Its actions depend on the observation alone: what it carries and drops it goes for, and lifts it once more."""
    task = TASKS[name]
    env = Env(share(task.scene), (*task.overrides, "environment.steps=450"))
    observation = env.reset(8)
    script = task.make_script(env.layout)
    successes = []
    while not env.over:
        action = script(observation)
        if 170 <= env.n_step < 190:
            action[-2 if name == "cond/BallGrip-v0" else -1 :] = 0.002  # the fingers open
        successes.append(env.step(action).success)
        observation = env.observation
    assert successes[169] and not successes[200] and successes[-1]


def test_friction_is_what_holds() -> None:
    success, missed, _ = play("cond/LiftCable-v0", 7, ("bodies.arm.friction=0",))
    assert not success
    assert missed == 0


def test_towel_needs_friction() -> None:
    """A towel on a bar without friction slides off when it is let go."""
    success, missed, _ = play("cond/ClothHang-v0", 7, ("obstacles.bar.friction=0",))
    assert not success
    assert missed == 0


def test_panda_jacobian() -> None:
    """The tip's Jacobian against differences, and its use: joints that move it as they are told."""
    q = np.array([0.3, -0.2, 0.1, -2.3, 0.2, 2.2, 0.9])
    place, axes, jacobian = tip(q)
    for k in range(7):
        other = q.copy()
        other[k] += 1e-6
        moved, turned, _ = tip(other)
        assert np.allclose((moved - place) / 1e-6, jacobian[:3, k], atol=1e-5)
        assert np.allclose(turn_between(axes, turned) / 1e-6, jacobian[3:, k], atol=1e-5)
    step, turn = np.array([1e-3, -2e-3, 5e-4]), np.array([2e-3, 1e-3, -1e-3])
    moved, turned, _ = tip(q + increments(q, step, turn))
    assert np.allclose(moved - place, step, atol=2e-5)
    assert np.allclose(turn_between(axes, turned), turn, atol=2e-5)


def test_panda_is_the_scenes() -> None:
    """The kinematics of the scripts against those of the robot in the scene."""
    task = TASKS["cond/LiftSoft-v0"]
    env = Env(share(task.scene), task.overrides)
    observation = env.reset(0)
    place, _, _ = tip(observation[env.layout["arm.joints"]][:7])
    assert np.allclose(place, observation[env.layout["tip"]], atol=1e-6)
