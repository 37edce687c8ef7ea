"""Env and EnvBatch: scenes as environments to learn in, one or many at once (docs/env.md). They need NumPy alone;
cond.gym puts them into the forms of Gymnasium."""
from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import Array, Path, own, path_bytes, strings
from cond.memory import numbers as _numbers
from cond.model import Model
from cond.scene import Scene, overrides_of, scene_path
from cond.sim import Sim
from cond.state import State
from cond.structs import Autoreset, EnvSlot

Overrides = Sequence[str] | dict[str, Any]
Reward = Callable[[Array], tuple[float, bool]]


class Result(NamedTuple):
    """What one action led to."""

    reward: float
    done: bool  # a reward's bound, the reward function or divergence ended the episode
    cut: bool  # it has had all of its steps
    certificate: float  # worst of the time steps
    missed: int  # time steps that missed their tolerance
    status: int  # worst of the time steps (cond.Status)
    success: bool  # all success bounds of the rewards hold
    goal_reward: float  # of the reward, the part of those that the scene calls desired


class Goals(NamedTuple):
    """What is and what shall be, of the rewards that the scene calls desired."""

    achieved: Array  # (n_goal,), or a row for each environment
    desired: Array


class Results(NamedTuple):
    """What one action of each environment led to, one row each."""

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
    goal_reward: Array  # of the reward, the part of those that the scene calls desired


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


@ffi.def_extern()  # type: ignore[untyped-decorator]
def cond_python_reward(env: Any, user: Any, done: Any) -> float:
    """Called by C after every action, in a batch by several threads."""
    call: RewardCall = ffi.from_handle(user)
    try:
        value, ended = call.function(_observation(env))
        done[0] = int(ended)
        return float(value)
    except BaseException as raised:
        call.raised = call.raised or raised
        done[0] = 1
        return 0.0


def _observation(env: Any) -> Array:
    n = lib.cond_env_n_observation(env)
    made: Array = np.empty(n)
    ffi.memmove(ffi.from_buffer(made), lib.cond_env_observation(env), 8 * n)
    return made


class Definition:
    """A CondEnvDef and all it points to."""

    def __init__(self, scene: Path | Scene | None, overrides: Overrides, text: str | None, folder: Path | None,
                 reward: Reward | None) -> None:
        if (scene is None) == (text is None):
            raise BadArgument("an environment is made of a scene or of a text")
        self.c = ffi.new("CondEnvDef*", lib.cond_env_def_default())
        n, texts, kept = strings(overrides_of(overrides))
        self.c.n_override, self.c.override = n, texts
        self.keep: list[Any] = [texts, kept, scene]
        if isinstance(scene, Scene):
            self.c.made = scene._c
        elif scene is not None:
            self.c.scene = self._chars(scene_path(scene))
        else:
            self.c.text = self._chars((text or "").encode())
            self.c.folder = ffi.NULL if folder is None else self._chars(path_bytes(folder))
        self.reward = None if reward is None else RewardCall(reward)
        if self.reward is not None:
            handle = ffi.new_handle(self.reward)
            self.keep.append(handle)
            self.c.reward, self.c.user = lib.cond_python_reward, handle

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


def _pointer(kind: str, array: NDArray[Any] | None) -> Any:
    return ffi.NULL if array is None or array.size == 0 else ffi.from_buffer(kind, array)


class Env:
    """A scene as an environment: reset with a seed, stepped with actions.

        env = cond.Env("pusher")
        observation = env.reset(seed=3)
        while not env.over:
            result = env.step(env.draw_action(0))
        env.observation[env.layout["box.position"]]

    The same seed gives the same bits, alone and in an EnvBatch.
    """

    def __init__(self, scene: Path | Scene | None = None, overrides: Overrides = (), *, text: str | None = None,
                 folder: Path | None = None, reward: Reward | None = None) -> None:
        """scene: a file, the name of one that ships with COND, or a Scene in memory; text: one in YAML, whose files
        are looked for from the folder. reward: a function of the observation that gives what is added to the scene's
        reward, and whether the episode is over."""
        made, error = ffi.new("CondEnv**"), new_error()
        self._definition = Definition(scene, overrides, text, folder, reward)
        check(lib.cond_env_create(ffi.NULL, self._definition.c, made, error), error)
        self._c = own(made[0], lib.cond_env_destroy, self._definition)
        self._layout = Layout(self._c)
        self._result = ffi.new("CondEnvResult*")
        self._loan: weakref.ref[Any] | None = None

    @property
    def layout(self) -> dict[str, slice]:
        """Where in the observation is what: "box.position", "arm.joints"."""
        return self._layout.observation

    @property
    def action_layout(self) -> dict[str, slice]:
        return self._layout.action

    @property
    def units(self) -> dict[str, str]:
        """Of the slots of the observation and of the action."""
        return {**self._layout.observation_unit, **self._layout.action_unit}

    @property
    def n_observation(self) -> int:
        return self._layout.n_observation

    @property
    def n_action(self) -> int:
        return self._layout.n_action

    @property
    def action_bounds(self) -> tuple[Array, Array]:
        """Lowest and highest value of each number of an action; infinite where there is none."""
        return self._layout.low.copy(), self._layout.high.copy()

    def reset(self, seed: int | None = None) -> Array:
        """Begins the episode of a seed, or the next one after the last seed. Returns the observation."""
        error = new_error()
        self._leave_borrowed()
        if seed is None:
            check(lib.cond_env_reset_next(self._c, error), error)
        else:
            check(lib.cond_env_reset(self._c, seed, error), error)
        return self.observation

    def step(self, action: ArrayLike) -> Result:
        """Acts and simulates. Values beyond the bounds are cut to them."""
        told = _numbers(action, (self.n_action,), "an action")
        status = lib.cond_env_step(self._c, _pointer("double[]", told), self._result)
        if self._definition.reward is not None:
            self._definition.reward.check()
        r = self._result
        if status != lib.COND_DIVERGED:  # that ends the episode, as a bound of a reward does
            check(status, what="step: the action is not finite or the episode is over")
        return Result(r.reward, r.done != 0, r.cut != 0, r.certificate, r.missed, r.status, r.success != 0,
                      r.goal_reward)

    @property
    def n_goal(self) -> int:
        return self._layout.n_goal

    @property
    def goal_layout(self) -> dict[str, slice]:
        """Where in a goal is what."""
        return self._layout.goal

    @property
    def goal(self) -> Goals:
        """What is and what shall be; empty where the task has no goal."""
        achieved: Array = np.empty(self.n_goal)
        desired: Array = np.empty(self.n_goal)
        if self.n_goal:
            lib.cond_env_goal(self._c, _pointer("double[]", achieved), _pointer("double[]", desired))
        return Goals(achieved, desired)

    def goal_reward(self, achieved: ArrayLike, desired: ArrayLike) -> float:
        """What the rewards of the goal would be with other numbers."""
        a, d = (_numbers(values, (self.n_goal,), "a goal") for values in (achieved, desired))
        return lib.cond_env_goal_reward(self._c, _pointer("double[]", a), _pointer("double[]", d))  # type: ignore[no-any-return]

    @property
    def observation(self) -> Array:
        """After the last action or reset; a copy."""
        return _observation(self._c)

    @property
    def over(self) -> bool:
        """The episode has ended: reset comes next."""
        return lib.cond_env_is_over(self._c) != 0  # type: ignore[no-any-return]

    @property
    def seed(self) -> int:
        """What reset was told last."""
        return lib.cond_env_seed(self._c)  # type: ignore[no-any-return]

    @property
    def n_step(self) -> int:
        """Actions since the reset."""
        return lib.cond_env_n_step(self._c)  # type: ignore[no-any-return]

    @property
    def rewards(self) -> dict[str, float]:
        """The values of the scene's rewards, term by term, without their weights."""
        name, values = ffi.new("char**"), {}
        for k in range(lib.cond_env_n_reward(self._c)):
            value = lib.cond_env_reward_value(self._c, k, name)
            values[ffi.string(name[0]).decode()] = value
        return values

    def still_action(self) -> Array:
        """The action that leads nowhere."""
        action: Array = np.zeros(self.n_action)
        if self.n_action:
            lib.cond_env_action_still(self._c, ffi.from_buffer("double[]", action))
        return action

    def draw_action(self, seed: int) -> Array:
        """An action that a seed draws, uniform within the bounds."""
        action: Array = np.zeros(self.n_action)
        if self.n_action:
            lib.cond_env_action_draw(self._c, seed, ffi.from_buffer("double[]", action))
        return action

    @property
    def model(self) -> Model:
        """What is behind it, to read, as state and sim are. What is kept of them stays as the episode left it."""
        return Model.at(ffi.cast("CondModel*", lib.cond_env_model(self._c)), self._borrow())

    @property
    def state(self) -> State:
        return State.at(ffi.cast("CondState*", lib.cond_env_state(self._c)), self.model, self._borrow())

    @property
    def sim(self) -> Sim:
        return Sim.at(ffi.cast("CondSim*", lib.cond_env_sim(self._c)), self.model, self._borrow())

    def _borrow(self) -> Any:
        """A handle that lives as long as something of this episode is borrowed."""
        loan = self._loan() if self._loan is not None else None
        if loan is None:
            loan = own(ffi.cast("CondEnv*", self._c), lambda _: None, self._c)
            self._loan = weakref.ref(loan)
        return loan

    def _leave_borrowed(self) -> None:
        """A reset may replace the model. What somebody still holds of it is left to them with the environment it
        belongs to, and this one goes on in a copy."""
        if self._loan is None or self._loan() is None:
            return
        made, error, data = ffi.new("CondEnv**"), new_error(), self.save()
        check(lib.cond_env_create(ffi.NULL, self._definition.c, made, error), error)
        self._c = own(made[0], lib.cond_env_destroy, self._definition)
        check(lib.cond_env_load(self._c, data, len(data), error), error)
        self._loan = None

    def save(self) -> bytes:
        """The whole environment as bytes, from which any of the same definition goes on with the same bits."""
        size = ffi.new("size_t*")
        check(lib.cond_env_save(self._c, ffi.NULL, 0, size))
        data = bytearray(size[0])
        check(lib.cond_env_save(self._c, ffi.from_buffer(data), len(data), size))
        return bytes(data)

    def load(self, data: bytes) -> None:
        """Goes back to what was saved."""
        error = new_error()
        self._leave_borrowed()
        check(lib.cond_env_load(self._c, data, len(data), error), error)

    def __hash__(self) -> int:
        return id(self)

    @property
    def hash(self) -> int:
        """A number that two environments of one definition share only if they have the same future."""
        return lib.cond_env_hash(self._c)  # type: ignore[no-any-return]


class EnvBatch:
    """Many environments of one definition, stepped by the library's threads with one call. Each gives the same bits
    as alone."""

    def __init__(self, scene: Path | Scene | None = None, n: int = 1, overrides: Overrides = (), *, threads: int = 0,
                 text: str | None = None, folder: Path | None = None, reward: Reward | None = None) -> None:
        """threads: 0 for as many as the machine has."""
        made, error = ffi.new("CondEnvBatch**"), new_error()
        self._definition = Definition(scene, overrides, text, folder, reward)
        check(lib.cond_env_batch_create(ffi.NULL, self._definition.c, n, threads, made, error), error)
        self._c = own(made[0], lib.cond_env_batch_destroy, self._definition)
        self._layout = Layout(lib.cond_env_batch_env(self._c, 0))
        self._arrays = ffi.new("CondEnvArrays*", lib.cond_env_arrays_default())
        self.n = n

    @property
    def layout(self) -> dict[str, slice]:
        """Where in an observation is what."""
        return self._layout.observation

    @property
    def action_layout(self) -> dict[str, slice]:
        return self._layout.action

    @property
    def n_observation(self) -> int:
        return self._layout.n_observation

    @property
    def n_action(self) -> int:
        return self._layout.n_action

    @property
    def action_bounds(self) -> tuple[Array, Array]:
        return self._layout.low.copy(), self._layout.high.copy()

    def reset(self, seed: Sequence[int | None] | None = None, which: ArrayLike | None = None) -> Array:
        """Begins episodes, of all or of those that `which` marks: of their seeds, or the next ones where there is
        none. Returns all observations."""
        mask = np.ones(self.n, np.bool_) if which is None else np.asarray(which, np.bool_)
        if mask.shape != (self.n,) or (seed is not None and len(seed) != self.n):
            raise BadArgument(f"seeds and marks: expected {self.n} of them")
        error = new_error()
        seeded = np.array([mask[k] and seed is not None and seed[k] is not None for k in range(self.n)], np.int32)
        if seed is not None and seeded.any():
            seeds = np.array([s or 0 for s in seed], np.uint64)
            check(lib.cond_env_batch_reset(self._c, ffi.from_buffer("uint64_t[]", seeds),
                                           ffi.from_buffer("int[]", seeded), error), error)
        for k in np.flatnonzero(mask & (seeded == 0)):
            check(lib.cond_env_reset_next(lib.cond_env_batch_env(self._c, int(k)), error), error)
        return self.observation

    @property
    def observation(self) -> Array:
        """All observations, a copy."""
        made: Array = np.empty((self.n, self.n_observation))
        lib.cond_env_batch_observe(self._c, _pointer("double[]", made))
        return made

    def step(self, action: ArrayLike, autoreset: Autoreset = Autoreset.NEXT_STEP) -> Results:
        """Steps all with one call, which writes what comes of it into the arrays that are returned."""
        n = self.n
        told = _numbers(action, (n, self.n_action), "the actions")
        observation: Array = np.empty((n, self.n_observation))
        final: Array | None = np.empty((n, self.n_observation)) if autoreset == Autoreset.SAME_STEP else None
        goal, final_goal = self._goals(), self._goals() if final is not None else None
        numbers: Array = np.empty((3, n))
        flags = np.empty((5, n), np.uint8)
        missed = np.empty(n, np.int32)
        a, error = self._arrays, new_error()
        a.observation, a.final_observation = _pointer("double[]", observation), _pointer("double[]", final)
        a.reward, a.certificate = _pointer("double[]", numbers[0]), _pointer("double[]", numbers[1])
        a.goal_reward = _pointer("double[]", numbers[2])
        a.done, a.cut, a.began, a.ended, a.success = (_pointer("uint8_t[]", flag) for flag in flags)
        if goal is not None:
            a.achieved_goal, a.desired_goal = (_pointer("double[]", part) for part in goal)
        if final_goal is not None:
            a.final_achieved_goal, a.final_desired_goal = (_pointer("double[]", part) for part in final_goal)
        a.missed = _pointer("int32_t[]", missed)
        status = lib.cond_env_batch_advance(self._c, _pointer("double[]", told), autoreset, a, error)
        if self._definition.reward is not None:
            self._definition.reward.check()
        check(status, error)
        marks = flags.view(np.bool_)
        return Results(observation, numbers[0], marks[0], marks[1], marks[2], marks[3], numbers[1], missed, marks[4],
                       goal, final, final_goal, numbers[2])

    def _goals(self) -> Goals | None:
        shape = (self.n, self.n_goal)
        return Goals(np.empty(shape), np.empty(shape)) if self.n_goal else None

    @property
    def n_goal(self) -> int:
        return self._layout.n_goal

    @property
    def goal(self) -> Goals | None:
        """What is and what shall be in each environment; None where the task has no goal."""
        made = self._goals()
        for k in range(self.n if made is not None else 0):
            assert made is not None
            lib.cond_env_goal(lib.cond_env_batch_env(self._c, k), _pointer("double[]", made.achieved[k]),
                              _pointer("double[]", made.desired[k]))
        return made

    def picture_parts(self, index: int) -> tuple[Any, Any, Any]:
        """Model, state and sim of one environment, to draw at once: the next step may replace them."""
        env = lib.cond_env_batch_env(self._c, index)
        return (ffi.cast("CondModel*", lib.cond_env_model(env)), lib.cond_env_state(env), lib.cond_env_sim(env))
