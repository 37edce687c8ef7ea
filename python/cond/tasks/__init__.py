"""Tasks to learn and to control: a scene each, and a scripted controller that solves it (docs/tasks.md).

A script is a class in the task's module. It is made once an episode with the layout of the observation, the slots
by name, and called with every observation; it returns the action, in the units of the scene.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cond.env import Overrides
from cond.errors import BadArgument
from cond.memory import Path, share
from cond.scene import Scene, overrides_of


class Script(Protocol):
    """A scripted controller: an observation in, an action out."""

    def __call__(self, observation: NDArray[np.float64]) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class Task:
    """What makes an environment of a task."""

    scene: str  # path within the package's share
    script: str  # module of the scripted controller, of which it is the class Script
    overrides: tuple[str, ...] = ()  # "path=value", as --set of the tool takes them

    def make_script(self, layout: dict[str, slice]) -> Script:
        """The scripted controller, for one episode."""
        module = importlib.import_module(self.script)
        make: Callable[[dict[str, slice]], Script] = module.Script
        return make(layout)


def scene_of(task: str | None, scene: Path | Scene | None,
             overrides: Overrides) -> tuple[Path | Scene | None, Overrides]:
    """The scene of a task and its overrides before those that are given; without a task what is given."""
    if task is None:
        return scene, overrides
    if scene is not None or task not in TASKS:
        raise BadArgument(f"task {task!r} and a scene: only one of them" if task in TASKS else
                          f"there is no task {task!r}; there are {', '.join(TASKS)}")
    return share(TASKS[task].scene), [*TASKS[task].overrides, *overrides_of(overrides)]


def _task(name: str, *overrides: str) -> Task:
    return Task(f"scenes/tasks/{name}.yaml", f"cond.tasks.{name}", overrides)


# In place of increments of the joints' targets: of the tip's pose, by inverse kinematics, and of the fingers' target.
_TIP = (
    "actions=[{name: hand, kind: pose, body: arm, link: panda_hand, point: [0, 0, 0.1034], "
    "linear: 0.01, angular: 0.04, low: [0.2, -0.5, 0.011], high: [0.8, 0.5, 0.7]}, "
    "{name: fingers, kind: joints, body: arm, joints: panda_finger_joint1, linear: 0.002}]"
)

TASKS: dict[str, Task] = {
    "cond/Pusher-v0": Task("scenes/pusher.yaml", "cond.tasks.pusher"),
    "cond/LiftSoft-v0": _task("lift_soft"),
    "cond/LiftSoft-IK-v0": _task("lift_soft", _TIP),
    "cond/LiftCable-v0": _task("lift_cable"),
    "cond/LiftCable-IK-v0": _task("lift_cable", _TIP),
    "cond/BallGrip-v0": _task("ball_grip"),
    "cond/PegWithCable-v0": _task("peg_with_cable"),
    "cond/PegWithCable-IK-v0": _task("peg_with_cable", _TIP),
    "cond/CableRouting-v0": _task("cable_routing"),
    "cond/RopeConfiguration-v0": _task("rope_configuration"),
    "cond/CableWinding-v0": _task("cable_winding"),
    "cond/MatFold-v0": _task("mat_fold"),
    "cond/ClothFold-v0": _task("cloth_fold"),
    "cond/ClothFold-Panda-v0": Task("scenes/tasks/cloth_fold_panda.yaml", "cond.tasks.cloth_fold"),
    "cond/ClothHang-v0": _task("cloth_hang"),
    "cond/ClothHang-Panda-v0": Task("scenes/tasks/cloth_hang_panda.yaml", "cond.tasks.cloth_hang"),
}
