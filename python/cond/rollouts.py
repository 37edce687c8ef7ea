"""Rollouts: many states of one model stepped in parallel on the library's threads."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.interrupt import Interrupt
from cond.memory import Array, doubles, ints, new_lock, own, target
from cond.model import Model
from cond.names import Handle, Sealed, suggestion
from cond.state import State
from cond.structs import Control


def control_bits(controls: str | int) -> int:
    """What a control holds, from names joined by +: "target", "move", "speed", "torque", "force"."""
    if not isinstance(controls, str):
        return int(controls)
    try:
        return sum(Control[name.strip().upper()] for name in controls.split("+")) if controls else 0
    except KeyError as wrong:
        name = next(word for word in map(str.strip, controls.split("+")) if word.upper() not in Control.__members__)
        names = [kind.name.lower() for kind in Control]
        raise BadArgument(f"controls {controls!r}: there is no {name!r}{suggestion(name, names)}") from wrong


class RolloutResult(Sealed):
    """What a rollout says, step by step. Rows of steps that were not made hold NaN."""

    __slots__ = ("__weakref__", "certificate", "final", "n_step", "q", "sensor", "state", "status", "time", "v")

    def __init__(self, model: Model, state: Array, sensor: Array, certificate: Array, status: NDArray[np.int32],
                 n_step: NDArray[np.int32], final: list[State]) -> None:
        n_q = model.n_q
        self.state = state
        """Time, configuration and velocity after each step (n_batch x n_step x n_state)."""
        self.time: Array = state[..., 0]
        """[s] (n_batch x n_step)"""
        self.q: Array = state[..., 1 : 1 + n_q]
        """(n_batch x n_step x n_q)"""
        self.v: Array = state[..., 1 + n_q :]
        """(n_batch x n_step x n_dof)"""
        self.sensor = sensor
        """Force and torque of each sensor; of an imu acceleration and angular velocity; of a range finder its distance
        and zeros (n_batch x n_step x n_sensor x 6)."""
        self.certificate = certificate
        """Residual of each step's contact problem (n_batch x n_step)."""
        self.status = status
        """A cond.Status for each step; negative: it failed, and those after it were not made (n_batch x n_step)."""
        self.n_step = n_step
        """Steps that were made (n_batch)."""
        self.final = final
        """The states as their last step left them."""

    @property
    def missed(self) -> NDArray[np.int64]:
        """Steps of each state that missed their tolerance (n_batch)."""
        count: NDArray[np.int64] = (self.status > 0).sum(axis=1)
        return count

    def __repr__(self) -> str:
        failed = int((self.status < 0).any(axis=1).sum())
        ended = f", {failed} failed before the end (status)" if failed else ""
        return f"<cond.RolloutResult: {self.state.shape[0]} states, {self.state.shape[1]} steps{ended}>"


class Rollout(Handle):
    """Workspaces for rollouts of one model, kept from one to the next: for controllers that make many."""

    __slots__ = ("_lock", "model")

    def __init__(self, model: Model, threads: int = 0) -> None:
        """threads: 0: as many as the run time decides."""
        made, error = ffi.new("CondRollout**"), new_error()
        check(lib.cond_rollout_create(model._c, threads, made, error), error)
        self._c, self.model = own(made[0], lib.cond_rollout_destroy, model._c), model
        self._lock = new_lock()

    def run(self, states: State | Sequence[State], control: ArrayLike | None = None, *, n_step: int | None = None,
            controls: str | int = "target", state: Any = None, sensor: Any = None,
            certificate: Any = None) -> RolloutResult:
        """Steps states, each with its own controls, and gives every step's state, sensors and certificate.

        states: one for all, or one for each; they stay as they are, the result has where they end (`final`).
        control: (n_batch x n_step x n_control), or (n_step x n_control) for all; None: n_step steps without.
        controls: what a control holds, "target" (of the motors, held), "move" (the target goes there during the step),
        "speed", "torque" (each of all robots' joint coordinates) and "force" (of all velocity coordinates), in this
        order and joined by +.
        state, sensor, certificate: arrays of the caller to write into.
        The bits are those of states stepped one by one. Ctrl-C ends it between two steps; the exception has what was
        finished as `exception.result`."""
        bits = 0 if control is None else control_bits(controls)
        n_control = lib.cond_model_n_control(self.model._c, bits)
        if n_control < 0:
            raise BadArgument(f"controls {controls!r}: targets are held or move, not both")
        starts = [states] if isinstance(states, State) else list(states)
        given = None if control is None else np.asarray(control, np.float64)
        if given is not None:
            given = given[np.newaxis] if given.ndim == 2 else given
            if given.ndim != 3 or given.shape[2] != n_control:
                raise BadArgument(f"control: expected the shape (n_batch, n_step, {n_control}), not {given.shape}")
            if n_step is not None and n_step != given.shape[1]:
                raise BadArgument(f"control has {given.shape[1]} steps, not {n_step}")
            n_step = given.shape[1]
        if n_step is None or n_step < 0:
            raise BadArgument(f"without a control n_step says how many steps, 0 or more, not {n_step}")
        n = max(len(starts), 1 if given is None else given.shape[0])
        if len(starts) not in (1, n) or (given is not None and given.shape[0] not in (1, n)):
            raise BadArgument(f"{len(starts)} states do not go with controls for {1 if given is None else len(given)}")
        final = [start.copy() for start in (starts if len(starts) == n else starts * n)]
        if any(one._m != self.model._c for one in final):
            raise BadArgument(f"a state belongs to another model than the rollout ({self.model.name!r}): a model "
                              "that is read twice is two models")
        if given is not None:
            given = np.ascontiguousarray(np.broadcast_to(given, (n, n_step, n_control)))
        return self._run(final, given, bits, n_step, state, sensor, certificate)

    def _run(self, final: list[State], control: Array | None, bits: int, n_step: int, state: Any, sensor: Any,
             certificate: Any) -> RolloutResult:
        n, model = len(final), self.model
        rows = target(state, (n, n_step, lib.cond_model_n_state(model._c)), "state")
        read = target(sensor, (n, n_step, model.n_sensor, lib.COND_SENSOR_SIZE), "sensor")
        residual = target(certificate, (n, n_step), "certificate")
        status, made = np.zeros((n, n_step), np.int32), np.zeros(n, np.int32)
        definition = ffi.new("CondRolloutDef*", lib.cond_rollout_def_default())
        definition.n_step, definition.controls, definition.control = n_step, bits, doubles(control)
        definition.state, definition.sensor = doubles(rows), doubles(read)
        definition.certificate, definition.status, definition.finished = doubles(residual), ints(status), ints(made)
        result = RolloutResult(model, rows, read, residual, status, made, final)
        error, handles = new_error(), ffi.new("CondState*[]", [one._c for one in final])
        with self._lock, Interrupt() as interrupt:
            asked = ffi.new_handle(interrupt)
            if interrupt.active:
                definition.user, definition.cancelled = asked, lib.cond_python_cancelled
            code = lib.cond_rollout_run(self._c, n, handles, definition, error)
            if interrupt.asked:
                stopped = KeyboardInterrupt()
                stopped.result = result  # type: ignore[attr-defined]
                raise stopped
            check(code, error)
        return result


def rollout(model: Model, states: State | Sequence[State], control: ArrayLike | None = None, *,
            n_step: int | None = None, controls: str | int = "target", threads: int = 0) -> RolloutResult:
    """Steps many states in parallel; Rollout.run says how. `Rollout` keeps its workspaces between calls."""
    return Rollout(model, threads).run(states, control, n_step=n_step, controls=controls)


@ffi.def_extern(error=0)  # type: ignore[untyped-decorator]
def cond_python_cancelled(user: Any) -> int:
    """Asked between steps in the calling thread, where the signal of Ctrl-C is handled as soon as Python runs."""
    return int(ffi.from_handle(user).asked)
