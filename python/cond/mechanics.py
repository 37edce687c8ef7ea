"""Mechanics: where points are and how they move, Jacobians, mass matrices, forces and accelerations."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import Array, accept, doubles, new_lock, numbers, own, target, vector, vector_or_null
from cond.model import Model, Name
from cond.names import Handle, expected
from cond.state import State, place_of
from cond.structs import Place, Pose, ReachSettings


def no_place(place: Place) -> tuple[str, str]:
    """What a message says of a place that the model does not have."""
    return f"place on the body {place.body}, part {place.part}, point {place.point}", "the model has none such"


class Mechanics(Handle):
    """The mechanics of the bodies as they are in one state, taken by `set`; a workspace of one thread.

        mechanics = cond.Mechanics(model)
        mechanics.set(state)
        hand = mechanics.place("arm", "panda_hand")
        J = mechanics.jacobian(hand)
        tau = -mechanics.weight("arm") + mechanics.impedance(hand, target, stiffness, damping)
        state.set_targets("arm", torque=tau)
    """

    __slots__ = ("_lock", "_m", "model")

    def __init__(self, model: Model, state: State | None = None) -> None:
        made, error = ffi.new("CondMechanics**"), new_error()
        check(lib.cond_mechanics_create(model._c, made, error), error)
        self._c, self._m, self.model = own(made[0], lib.cond_mechanics_destroy, model._c), model._base, model
        self._lock = new_lock()
        if state is not None:
            self.set(state)

    def set(self, state: State) -> None:
        """Takes q and v of a state."""
        if expected(state, State, "state")._m != self._m:
            raise BadArgument(f"the state belongs to another model ({state.model.name!r}) than the mechanics "
                              f"({self.model.name!r})")
        with self._lock:
            lib.cond_mechanics_set(self._c, state._c)

    def set_body(self, body: Name, q: ArrayLike, v: ArrayLike | None = None) -> None:
        """Takes one body's q and v from arrays; without v it is at rest."""
        index = self.model.body(body)
        with self._lock:
            status = lib.cond_mechanics_set_body(
                self._c, index, vector(q, lib.cond_model_body_n_q(self._m, index), "q"),
                vector_or_null(v, lib.cond_model_body_n_dof(self._m, index), "v"))
        accept(status, f"configuration of {body!r}", "a quaternion (w, x, y, z) in q has the length 0", q=q, v=v)

    def place(self, body: Name, part: Name = 0, point: ArrayLike = (0.0, 0.0, 0.0)) -> Place:
        """A point that moves with a body: with a link of a robot or rod, with a node of a soft body."""
        return place_of(self.model, body, part, point)

    def _n(self, body: Name) -> tuple[int, int]:
        index = self.model.body(body)
        return index, int(lib.cond_model_body_n_dof(self._m, index))

    def pose(self, place: Place) -> Pose:
        """Where a point is, the axes it moves with, and the velocities of both, world axes."""
        pose = Pose()
        accept(lib.cond_mechanics_pose(self._c, Place.given(place, "place"), pose.pointer), *no_place(place))
        return pose

    def jacobian(self, place: Place, out: Any = None) -> Array:
        """J of the point's velocity (rows 0..2) and its axes' angular velocity (3..5), world axes, on the velocity
        coordinates of the place's body that `columns` says (6 x n)."""
        columns = self.columns(place)
        J = target(out, (6, columns.stop - columns.start), "jacobian")
        first, n = ffi.new("int*"), ffi.new("int*")
        status = lib.cond_mechanics_jacobian(self._c, Place.given(place, "place"), first, n, doubles(J))
        accept(status, *no_place(place))
        return J

    def columns(self, place: Place) -> slice:
        """The velocity coordinates of the model that the Jacobian of a place acts on."""
        first, n = ffi.new("int*"), ffi.new("int*")
        accept(lib.cond_mechanics_jacobian(self._c, Place.given(place, "place"), first, n, ffi.NULL), *no_place(place))
        return slice(int(first[0]), int(first[0] + n[0]))

    def acceleration(self, place: Place, rate: ArrayLike | None = None) -> tuple[Array, Array]:
        """Of the point [m/s2] and of its axes [rad/s2] where the coordinates change by rate; without: dJ/dt v."""
        _, n = self._n(expected(place, Place, "place").body)
        out = np.empty((2, 3))
        status = lib.cond_mechanics_acceleration(self._c, Place.given(place, "place"), vector_or_null(rate, n, "rate"),
                                                 doubles(out[0]), doubles(out[1]))
        accept(status, *no_place(place), rate=rate)
        return out[0], out[1]

    def mass(self, body: Name, out: Any = None) -> Array:
        """M, full and symmetric (n_dof x n_dof)."""
        index, n = self._n(body)
        M = target(out, (n, n), "mass")
        check(lib.cond_mechanics_mass(self._c, index, doubles(M)), what=f"mass matrix of {body!r}")
        return M

    def bias(self, body: Name, out: Any = None) -> Array:
        """Weight - C v + elastic forces - damping: M dv/dt = bias + tau (n_dof)."""
        index, n = self._n(body)
        f = target(out, (n,), "bias")
        check(lib.cond_mechanics_bias(self._c, index, doubles(f)), what=f"bias of {body!r}")
        return f

    def weight(self, body: Name, out: Any = None) -> Array:
        """Generalised forces of gravity alone; their negative holds a robot against gravity (n_dof)."""
        index, n = self._n(body)
        f = target(out, (n,), "weight")
        check(lib.cond_mechanics_weight(self._c, index, doubles(f)), what=f"weight of {body!r}")
        return f

    def forward(self, body: Name, tau: ArrayLike | None = None, out: Any = None) -> Array:
        """dv/dt = M^-1 (bias + tau) (n_dof)."""
        index, n = self._n(body)
        rate = target(out, (n,), "rate")
        check(lib.cond_mechanics_forward(self._c, index, vector_or_null(tau, n, "tau"), doubles(rate)),
              what=f"dynamics of {body!r}")
        return rate

    def inverse(self, body: Name, rate: ArrayLike | None = None, out: Any = None) -> Array:
        """tau = M dv/dt - bias (n_dof)."""
        index, n = self._n(body)
        tau = target(out, (n,), "tau")
        check(lib.cond_mechanics_inverse(self._c, index, vector_or_null(rate, n, "rate"), doubles(tau)),
              what=f"dynamics of {body!r}")
        return tau

    def push(self, place: Place, force: ArrayLike | None = None, torque: ArrayLike | None = None) -> Array:
        """J' (force, torque) of a push at a point, world axes (n_dof of its body)."""
        _, n = self._n(expected(place, Place, "place").body)
        f = np.zeros(n)
        status = lib.cond_mechanics_push(self._c, Place.given(place, "place"), vector_or_null(force, 3, "force"),
                                         vector_or_null(torque, 3, "torque"), doubles(f))
        accept(status, *no_place(place), force=force, torque=torque)
        return f

    def impedance(self, place: Place, goal: Pose, stiffness: ArrayLike, damping: ArrayLike) -> Array:
        """J' (K e - D twist) towards a pose, K and D diagonal in world axes (6 each; n_dof of its body)."""
        _, n = self._n(expected(place, Place, "place").body)
        f = np.zeros(n)
        status = lib.cond_mechanics_impedance(self._c, Place.given(place, "place"), Pose.given(goal, "goal"),
                                              vector(stiffness, 6, "stiffness"), vector(damping, 6, "damping"),
                                              doubles(f))
        accept(status, "impedance", "the goal's orientation is a quaternion (w, x, y, z) of the length 0, or there is "
               f"no place {place.part} of the body {place.body}", stiffness=stiffness, damping=damping)
        return f

    def energy(self, body: Name) -> tuple[float, float]:
        """Kinetic energy, and that of gravity and elasticity [J]."""
        out = ffi.new("double[2]")
        check(lib.cond_mechanics_energy(self._c, self.model.body(body), out, out + 1), what=f"energy of {body!r}")
        return float(out[0]), float(out[1])

    def reach(self, place: Place, position: ArrayLike, orientation: ArrayLike | None = None, *,
              start: ArrayLike | None = None, settings: ReachSettings | None = None) -> tuple[Array, bool, Array]:
        """Inverse kinematics: a configuration of the robot within its limits that puts a point at a position, and its
        axes (w, x, y, z) where they are given. Begins from `start` (n_q), by default from joints at 0. Returns q,
        whether it is there, and what is left of position [m] and angle [rad]."""
        index, _ = self._n(expected(place, Place, "place").body)
        n_q = int(lib.cond_model_body_n_q(self._m, index))
        if start is None:
            q = np.zeros(n_q)
            lib.cond_model_zero_configuration(self._m, index, doubles(q))
        else:
            q = np.array(numbers(start, (n_q,), "start"))
        left = np.empty(2)
        with self._lock:
            status = lib.cond_mechanics_reach(
                self._c, Place.given(place, "place"), vector(position, 3, "position"),
                vector_or_null(orientation, 4, "orientation"),
                ffi.NULL if settings is None else ReachSettings.given(settings, "settings"), doubles(q), doubles(left))
        accept(status, "inverse kinematics", "the place is on no robot, or a quaternion (w, x, y, z) of start or of "
               "the orientation has the length 0", position=position, orientation=orientation, start=start)
        return q, status == 0, left
