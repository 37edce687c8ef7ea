"""What Env and EnvBatch are made of: definition, layout, reward, results, and the base that both share."""
from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import Array, Path, new_lock, path_bytes, strings
from cond.names import Handle
from cond.scene import Scene, overrides_of, scene_path, yaml_bytes
from cond.structs import EnvSlot

Overrides = Sequence[str] | dict[str, Any]
Reward = Callable[[Array], tuple[float, bool]]


class Result(NamedTuple):
    """The result of one action."""

    reward: float
    done: bool  # a reward's bound, the reward function or divergence ended the episode
    cut: bool  # it has had all of its steps
    certificate: float  # worst of the time steps
    missed: int  # time steps that missed their tolerance
    status: int  # worst of the time steps (cond.Status)
    success: bool  # all success bounds of the rewards hold
    goal_reward: float  # the share of the reward that comes from the rewards that the scene calls desired


class Goals(NamedTuple):
    """What is and what shall be, of the rewards that the scene calls desired."""

    achieved: Array  # (n_goal,), or a row for each environment
    desired: Array


class Results(NamedTuple):
    """The results of one action of each environment, one row each."""

    observation: Array  # (n, n_observation)
    reward: Array
    done: NDArray[np.bool_]
    cut: NDArray[np.bool_]
    began: NDArray[np.bool_]  # the observation is the first of an episode
    ended: NDArray[np.bool_]  # an episode ended in this call
    certificate: Array  # worst of the time steps; 0 where none was made
    missed: NDArray[np.int32]
    success: NDArray[np.bool_]
    goal: Goals | None  # of the observation, where the task has goals
    final_observation: Array | None  # rows that ended, when another episode begins in the same step
    final_goal: Goals | None  # the same of the goals
    goal_reward: Array  # the share of the reward that comes from the rewards that the scene calls desired


class RewardCall:
    """A reward written in Python, called from C: the first exception of it is kept and raised by the step."""

    def __init__(self, function: Reward) -> None:
        self.function = function
        self.raised: BaseException | None = None

    def check(self) -> None:
        """Raises what the function raised since the last check."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


class Active(threading.local):
    """The reward function that a thread is in."""

    call: RewardCall | None = None


ACTIVE = Active()


def answer_of(answer: Any) -> tuple[int, float]:
    """Whether the episode ends, and the number: what a reward function gave."""
    try:
        value, ended = answer
        return int(bool(ended)), float(value)
    except (TypeError, ValueError):
        raise TypeError("reward: the function gives a pair, the number and whether the episode is over, such as "
                        f"(0.5, False), not {answer!r}") from None


@ffi.def_extern()  # type: ignore[untyped-decorator]
def cond_python_reward(env: Any, user: Any, done: Any) -> float:
    """Called by C after every action, in a batch by several threads."""
    call: RewardCall = ffi.from_handle(user)
    before, ACTIVE.call = ACTIVE.call, call
    try:
        done[0], value = answer_of(call.function(observation_of(env)))
        return value
    except BaseException as raised:
        call.raised = call.raised or raised
        done[0] = 1
        return 0.0
    finally:
        ACTIVE.call = before


def observation_of(env: Any) -> Array:
    n = lib.cond_env_n_observation(env)
    made: Array = np.empty(n)
    ffi.memmove(ffi.from_buffer(made), lib.cond_env_observation(env), 8 * n)
    return made


class Definition:
    """A CondEnvDef and all it points to."""

    def __init__(self, scene: Path | Scene | None, overrides: Overrides, text: str | None, folder: Path | None,
                 reward: Reward | None) -> None:
        if (scene is None) == (text is None):
            given = "neither" if text is None else "both"
            raise BadArgument(f"an environment is made of a scene or of a text, not of {given}")
        if reward is not None and not callable(reward):
            raise TypeError(f"reward: expected a function of the observation, not {reward!r}")
        self.c = ffi.new("CondEnvDef*", lib.cond_env_def_default())
        listed = overrides_of(overrides)
        n, texts, kept = strings(listed)
        self.overrides, self.text, self.function = listed, text, reward
        self.scene: Path | Scene | None = scene
        self.folder: Path | None = folder if text is None else os.path.abspath(folder or "")
        self.c.n_override, self.c.override = n, texts
        self.keep: list[Any] = [texts, kept, scene]
        if isinstance(scene, Scene):
            self.c.made = scene._ready()
        elif scene is not None:
            path = scene_path(scene)
            if os.path.isfile(scene):  # else the name of one that ships
                self.scene = os.path.abspath(scene)
            self.c.scene = self._chars(path)
        else:
            self.c.text = self._chars(yaml_bytes(text or ""))
            self.c.folder = ffi.NULL if folder is None else self._chars(path_bytes(folder))
        self.reward = None if reward is None else RewardCall(reward)
        if self.reward is not None:
            handle = ffi.new_handle(self.reward)
            self.keep.append(handle)
            self.c.reward, self.c.user = lib.cond_python_reward, handle

    @property
    def arguments(self) -> dict[str, Any]:
        """What it is made of, to be made again."""
        return {"scene": self.scene, "overrides": self.overrides, "text": self.text, "folder": self.folder,
                "reward": self.function}

    def _chars(self, data: bytes) -> Any:
        self.keep.append(ffi.new("char[]", data))
        return self.keep[-1]


class Layout:
    """What the numbers of an environment mean: how many, what they are called, their units and bounds."""

    def __init__(self, env: Any) -> None:
        self.n_action: int = lib.cond_env_n_action(env)
        self.n_observation: int = lib.cond_env_n_observation(env)
        self.n_goal: int = lib.cond_env_n_goal(env)
        self.goal, self.goal_unit = self._slots(lib.cond_env_goal_slot, env)
        self.observation, self.observation_unit = self._slots(lib.cond_env_observation_slot, env)
        self.action, self.action_unit = self._slots(lib.cond_env_action_slot, env)
        self.low: Array = np.empty(self.n_action)
        self.high: Array = np.empty(self.n_action)
        if self.n_action > 0:
            lib.cond_env_action_bounds(env, ffi.from_buffer("double[]", self.low),
                                       ffi.from_buffer("double[]", self.high))

    @staticmethod
    def _slots(function: Any, env: Any) -> tuple[dict[str, slice], dict[str, str]]:
        slot, k = EnvSlot(), 0
        places: dict[str, slice] = {}
        units: dict[str, str] = {}
        while function(env, k, slot.pointer):
            places[slot.name] = slice(slot.begin, slot.begin + slot.size)
            units[slot.name] = slot.unit
            k += 1
        return places, units


def place(kind: str, array: NDArray[Any] | None) -> Any:
    return ffi.NULL if array is None or array.size == 0 else ffi.from_buffer(kind, array)


class Environment(Handle):
    """What one environment and many have in common. One thread at a time works with it; others wait."""

    __slots__ = ("_definition", "_layout", "_lock")
    _definition: Definition
    _layout: Layout

    def _begin(self, definition: Definition, handle: Any, env: Any) -> None:
        self._definition, self._c, self._layout, self._lock = definition, handle, Layout(env), new_lock()
        if self._layout.n_action == 0:
            raise BadArgument("the scene has no actions, so that nothing can be done in its environment: give it a "
                              "section `actions` (docs/env.md), or step it by cond.Sim")

    def _alone(self) -> threading.RLock:
        """The lock for stepping, resetting and loading. The environment's own reward function must not do these: it is
        called in a step."""
        if ACTIVE.call is not None and ACTIVE.call is self._definition.reward:
            raise BadArgument("a reward function is called within a step and cannot act on the environment it is of")
        return self._lock

    def _check_reward(self) -> None:
        """Raises what the reward function raised in a step."""
        if self._definition.reward is not None:
            self._definition.reward.check()

    @property
    def layout(self) -> dict[str, slice]:
        """Where in an observation is what: "box.position", "arm.joints"."""
        return self._layout.observation

    @property
    def action_layout(self) -> dict[str, slice]:
        """Where in an action is what."""
        return self._layout.action

    @property
    def units(self) -> dict[str, str]:
        """Of the slots of the observation and of the action."""
        return {**self._layout.observation_unit, **self._layout.action_unit}

    @property
    def n_observation(self) -> int:
        """How many numbers an observation has."""
        return self._layout.n_observation

    @property
    def n_action(self) -> int:
        """How many numbers an action has."""
        return self._layout.n_action

    @property
    def action_bounds(self) -> tuple[Array, Array]:
        """Lowest and highest value of each number of an action; infinite where there is none."""
        return self._layout.low.copy(), self._layout.high.copy()

    @property
    def n_goal(self) -> int:
        """How many numbers a goal has; 0 where the rewards name none."""
        return self._layout.n_goal

    @property
    def goal_layout(self) -> dict[str, slice]:
        """Where in a goal is what."""
        return self._layout.goal


def save_of(env: Any) -> bytes:
    """An environment of C as bytes."""
    size = ffi.new("size_t*")
    check(lib.cond_env_save(env, ffi.NULL, 0, size))
    data = bytearray(size[0])
    check(lib.cond_env_save(env, ffi.from_buffer(data), len(data), size))
    return bytes(data)


def load_into(env: Any, data: bytes) -> None:
    """Takes an environment of C back to what was saved."""
    error = new_error()
    check(lib.cond_env_load(env, ffi.from_buffer(data), len(data), error), error)
