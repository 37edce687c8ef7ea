"""Env and EnvBatch: scenes as environments to learn in, one or many at once (docs/env.md). They need NumPy alone;
cond.gym puts them into the forms of Gymnasium."""
from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cond._cond import ffi, lib
from cond.environment import (
    Definition,
    Environment,
    Goals,
    Overrides,
    Result,
    Results,
    Reward,
    load_into,
    observation_of,
    place,
    save_of,
)
from cond.errors import BadArgument, check, fail, new_error
from cond.memory import Array, Path, numbers, own
from cond.memory import text as text_of
from cond.model import Model
from cond.names import choice, missing, number_of
from cond.scene import Scene, seed_of
from cond.sim import Sim
from cond.state import State
from cond.structs import Autoreset

__all__ = ["Env", "EnvBatch", "Goals", "Overrides", "Result", "Results", "Reward"]


class Env(Environment):
    """A scene as an environment: reset with a seed, stepped with actions.

        env = cond.Env("pusher")
        observation = env.reset(seed=3)
        while not env.over:
            result = env.step(env.draw_action(0))
        env.observation[env.layout["box.position"]]

    The same seed gives the same bits, alone and in an EnvBatch. Copies and pickles go on with the same bits. One that
    is busy in one thread makes the others wait.
    """

    __slots__ = ("_loan", "_result")

    def __init__(self, scene: Path | Scene | None = None, overrides: Overrides = (), *, text: str | None = None,
                 folder: Path | None = None, reward: Reward | None = None) -> None:
        """scene: a file, the name of one that ships with COND, or a Scene in memory; text: one in YAML, whose files
        are looked for from the folder. reward: a function of the observation that gives what is added to the scene's
        reward, and whether the episode is over."""
        made, error = ffi.new("CondEnv**"), new_error()
        definition = Definition(scene, overrides, text, folder, reward)
        check(lib.cond_env_create(ffi.NULL, definition.c, made, error), error)
        self._begin(definition, own(made[0], lib.cond_env_destroy, definition), made[0])
        self._result = ffi.new("CondEnvResult*")
        self._loan: weakref.ref[Any] | None = None

    def reset(self, seed: int | None = None) -> Array:
        """Begins the episode of a seed, or the next one after the last seed. Returns the observation."""
        error = new_error()
        with self._alone():
            self._leave_borrowed()
            if seed is None:
                check(lib.cond_env_reset_next(self._c, error), error)
            else:
                check(lib.cond_env_reset(self._c, seed_of(seed), error), error)
            return observation_of(self._c)

    def step(self, action: ArrayLike) -> Result:
        """Acts and simulates. Values beyond the bounds are cut to them."""
        given = numbers(action, (self.n_action,), "action")
        with self._alone():
            r = self._result
            status = lib.cond_env_step(self._c, place("double[]", given), r)
            self._check_reward()
            if status < 0 and status != lib.COND_DIVERGED:  # that ends the episode, as a bound of a reward does
                raise fail(status, text_of(lib.cond_env_message(self._c)))
            return Result(r.reward, r.done != 0, r.cut != 0, r.certificate, r.missed, r.status, r.success != 0,
                          r.goal_reward)

    @property
    def goal(self) -> Goals:
        """What is and what shall be; empty where the task has no goal."""
        achieved: Array = np.empty(self.n_goal)
        desired: Array = np.empty(self.n_goal)
        if self.n_goal:
            with self._lock:
                lib.cond_env_goal(self._c, place("double[]", achieved), place("double[]", desired))
        return Goals(achieved, desired)

    def goal_reward(self, achieved: ArrayLike, desired: ArrayLike) -> float:
        """What the rewards of the goal would be with other numbers."""
        a, d = (numbers(values, (self.n_goal,), "goal") for values in (achieved, desired))
        with self._lock:
            return float(lib.cond_env_goal_reward(self._c, place("double[]", a), place("double[]", d)))

    @property
    def observation(self) -> Array:
        """After the last action or reset; a copy."""
        with self._lock:
            return observation_of(self._c)

    @property
    def over(self) -> bool:
        """The episode has ended: reset is the next call."""
        with self._lock:
            return bool(lib.cond_env_is_over(self._c))

    @property
    def seed(self) -> int:
        """The seed of the last reset."""
        with self._lock:
            return int(lib.cond_env_seed(self._c))

    @property
    def n_step(self) -> int:
        """Actions since the reset."""
        with self._lock:
            return int(lib.cond_env_n_step(self._c))

    @property
    def rewards(self) -> dict[str, float]:
        """The values of the scene's rewards, term by term, without their weights."""
        name, values = ffi.new("char**"), {}
        with self._lock:
            for k in range(lib.cond_env_n_reward(self._c)):
                value = lib.cond_env_reward_value(self._c, k, name)
                values[text_of(name[0])] = float(value)
        return values

    def still_action(self) -> Array:
        """The action that changes nothing: no increment, no speed, the present targets."""
        action: Array = np.zeros(self.n_action)
        if self.n_action:
            with self._lock:
                lib.cond_env_action_still(self._c, ffi.from_buffer("double[]", action))
        return action

    def draw_action(self, seed: int) -> Array:
        """An action that a seed draws, uniform within the bounds."""
        action: Array = np.zeros(self.n_action)
        if self.n_action:
            with self._lock:
                lib.cond_env_action_draw(self._c, seed_of(seed), ffi.from_buffer("double[]", action))
        return action

    @property
    def model(self) -> Model:
        """The compiled scene of this episode, for reading, as state and sim are. Objects that are kept stay as
        the episode has left them."""
        with self._lock:
            return Model.at(ffi.cast("CondModel*", lib.cond_env_model(self._c)), self._borrow())

    @property
    def state(self) -> State:
        """The state of this episode, for reading; the next reset has another one."""
        with self._lock:
            state = State.at(ffi.cast("CondState*", lib.cond_env_state(self._c)), self.model, self._borrow())
        state._lock = self._lock
        return state

    @property
    def sim(self) -> Sim:
        """The simulation of this episode, for reading; the next reset has another one."""
        with self._lock:
            sim = Sim.at(ffi.cast("CondSim*", lib.cond_env_sim(self._c)), self.model, self._borrow())
        sim._lock = self._lock
        return sim

    def _borrow(self) -> Any:
        """A handle that lives as long as something of this episode is borrowed."""
        loan = self._loan() if self._loan is not None else None
        if loan is None:
            loan = own(ffi.cast("CondEnv*", self._c), lambda _: None, self._c)
            self._loan = weakref.ref(loan)
        return loan

    def _leave_borrowed(self) -> None:
        """A reset may replace the model. Objects of it that are still in use keep the environment it
        belongs to, and this one goes on in a copy."""
        if self._loan is None or self._loan() is None:
            return
        made, error, data = ffi.new("CondEnv**"), new_error(), save_of(self._c)
        check(lib.cond_env_create(ffi.NULL, self._definition.c, made, error), error)
        self._c = own(made[0], lib.cond_env_destroy, self._definition)
        load_into(self._c, data)
        self._loan = None

    def save(self) -> bytes:
        """The whole environment as bytes, from which any of the same definition goes on with the same bits."""
        with self._alone():
            return save_of(self._c)

    def load(self, data: bytes) -> None:
        """Goes back to what was saved."""
        with self._alone():
            self._leave_borrowed()
            load_into(self._c, data)

    def __reduce__(self) -> Any:
        return env_of, (type(self), self._definition.arguments, self.save())

    def __hash__(self) -> int:
        return id(self)

    @property
    def hash(self) -> int:
        """A number that two environments of one definition share only if they have the same future."""
        with self._lock:
            return int(lib.cond_env_hash(self._c))


class EnvBatch(Environment):
    """Many environments of one definition, stepped by the library's threads with one call. Each gives the same bits
    as alone, and copies and pickles go on with the same bits. One that is busy in one thread makes the others wait."""

    __slots__ = ("_arrays", "_threads", "n")

    def __init__(self, scene: Path | Scene | None = None, n: int = 1, overrides: Overrides = (), *, threads: int = 0,
                 text: str | None = None, folder: Path | None = None, reward: Reward | None = None) -> None:
        """threads: 0 for as many as the machine has."""
        made, error = ffi.new("CondEnvBatch**"), new_error()
        self.n = number_of(n, "batch's number of environments")
        self._threads = threads
        if self.n < 1 or number_of(threads, "batch's number of threads") < 0:
            raise BadArgument(f"a batch of {n} environments and {threads} threads: expected 1 environment or more, "
                              "and 0 threads (as many as the machine has) or more")
        definition = Definition(scene, overrides, text, folder, reward)
        check(lib.cond_env_batch_create(ffi.NULL, definition.c, self.n, threads, made, error), error)
        self._begin(definition, own(made[0], lib.cond_env_batch_destroy, definition),
                    lib.cond_env_batch_env(made[0], 0))
        self._arrays = ffi.new("CondEnvArrays*", lib.cond_env_arrays_default())

    def _env(self, index: int) -> Any:
        """One environment of C."""
        if not 0 <= number_of(index, "environment") < self.n:
            raise missing("the batch", "environment", index, self.n)
        return lib.cond_env_batch_env(self._c, index)

    def reset(self, seed: Sequence[int | None] | None = None, which: ArrayLike | None = None) -> Array:
        """Begins episodes, of all or of those that `which` marks: of their seeds, or the next ones where there is
        none. Returns all observations."""
        mask = np.ones(self.n, np.bool_) if which is None else np.asarray(which, np.bool_)
        if mask.shape != (self.n,):
            raise BadArgument(f"which: expected {self.n} marks, one for each environment, not the shape {mask.shape}")
        given: list[int | None] = [None] * self.n
        if seed is not None and (not hasattr(seed, "__len__") or len(seed) != self.n):
            count = len(seed) if hasattr(seed, "__len__") else seed
            raise BadArgument(f"seed: expected {self.n} seeds, one for each environment, not {count}")
        if seed is not None:
            given = [one if one is None else seed_of(one) for one in seed]
        error = new_error()
        seeded = np.array([mask[k] and given[k] is not None for k in range(self.n)], np.int32)
        with self._alone():
            if seeded.any():
                seeds = np.array([one or 0 for one in given], np.uint64)
                check(lib.cond_env_batch_reset(self._c, ffi.from_buffer("uint64_t[]", seeds),
                                               ffi.from_buffer("int[]", seeded), error), error)
            for k in np.flatnonzero(mask & (seeded == 0)):
                check(lib.cond_env_reset_next(self._env(int(k)), error), error)
            return self.observation

    @property
    def observation(self) -> Array:
        """All observations, a copy."""
        made: Array = np.empty((self.n, self.n_observation))
        with self._alone():
            lib.cond_env_batch_observe(self._c, place("double[]", made))
        return made

    def step(self, action: ArrayLike, autoreset: Autoreset | str = Autoreset.NEXT_STEP) -> Results:
        """Steps all with one call, which writes what comes of it into the arrays that are returned. An action that one
        of them cannot take is refused before any is stepped."""
        n, mode = self.n, choice(Autoreset, autoreset, "autoreset")
        given = numbers(action, (n, self.n_action), "action")
        observation: Array = np.empty((n, self.n_observation))
        final: Array | None = np.empty((n, self.n_observation)) if mode == Autoreset.SAME_STEP else None
        goal, final_goal = self._goals(), self._goals() if final is not None else None
        values: Array = np.empty((3, n))
        flags = np.empty((5, n), np.uint8)
        missed = np.empty(n, np.int32)
        with self._alone():
            a, error = self._arrays, new_error()
            a.observation, a.final_observation = place("double[]", observation), place("double[]", final)
            a.reward, a.certificate, a.goal_reward = (place("double[]", row) for row in values)
            a.done, a.cut, a.began, a.ended, a.success = (place("uint8_t[]", flag) for flag in flags)
            if goal is not None:
                a.achieved_goal, a.desired_goal = (place("double[]", part) for part in goal)
            if final_goal is not None:
                a.final_achieved_goal, a.final_desired_goal = (place("double[]", part) for part in final_goal)
            else:
                a.final_achieved_goal = a.final_desired_goal = ffi.NULL
            a.missed = place("int32_t[]", missed)
            status = lib.cond_env_batch_advance(self._c, place("double[]", given), mode, a, error)
            self._check_reward()
            check(status, error)
        marks = flags.view(np.bool_)
        return Results(observation, values[0], marks[0], marks[1], marks[2], marks[3], values[1], missed, marks[4],
                       goal, final, final_goal, values[2])

    def _goals(self) -> Goals | None:
        shape = (self.n, self.n_goal)
        return Goals(np.empty(shape), np.empty(shape)) if self.n_goal else None

    @property
    def goal(self) -> Goals | None:
        """What is and what shall be in each environment; None where the task has no goal."""
        made = self._goals()
        if made is not None:
            with self._alone():
                for k in range(self.n):
                    lib.cond_env_goal(self._env(k), place("double[]", made.achieved[k]),
                                      place("double[]", made.desired[k]))
        return made

    def save(self) -> list[bytes]:
        """Each environment as bytes, as Env.save gives them."""
        with self._alone():
            return [save_of(self._env(k)) for k in range(self.n)]

    def load(self, data: Sequence[bytes]) -> None:
        """Goes back to what was saved."""
        if len(data) != self.n:
            raise BadArgument(f"data: expected that of {self.n} environments, not of {len(data)}")
        with self._alone():
            for k, one in enumerate(data):
                load_into(self._env(k), one)

    def __reduce__(self) -> Any:
        return env_of, (type(self), {**self._definition.arguments, "n": self.n, "threads": self._threads}, self.save())

    def picture_parts(self, index: int) -> tuple[Any, Any, Any]:
        """Model, state and sim of one environment, to draw at once: the next step may replace them."""
        env = self._env(index)
        return (ffi.cast("CondModel*", lib.cond_env_model(env)), lib.cond_env_state(env), lib.cond_env_sim(env))


def env_of(kind: type[Any], arguments: dict[str, Any], data: Any) -> Any:
    """What a pickle of an environment becomes."""
    made = kind(**arguments)
    made.load(data)
    return made
