"""State: configuration and velocity of all bodies, and the forces that act from outside."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cond._cond import ffi, lib
from cond.errors import BadArgument, NoEffect, check, fail, new_error
from cond.memory import (
    Array,
    Path,
    doubles,
    new_lock,
    numbers,
    own,
    path_bytes,
    target,
    text,
    vector,
    vector_or_null,
    view,
)
from cond.model import Model, Name
from cond.names import Handle
from cond.structs import AttachmentDef, MotorGains, Place, Pose


def place_of(model: Model, body: Name, part: Name = 0, point: ArrayLike = (0.0, 0.0, 0.0)) -> Place:
    """A point that moves with a body: of a robot or rod with a link, of a soft body with a node."""
    index = model.body(body)
    number = part if isinstance(part, int) else model.link(index, part)
    return Place(body=index, part=number, point=point)


class State(Handle):
    """Configuration and velocity of all bodies, time, joint targets, attachments and forces from outside.

    `q` and `v` are arrays on the state's own memory: they follow every step, stay valid after the state is gone, and
    cannot be written to, because a configuration has rules (quaternions of length 1): assign to `state.q`, or use
    set_configuration, set_pose and set_joint. Copies are states of their own: `state.copy()`. A pickle has the model.
    """

    __slots__ = ("_lent", "_lock", "_m", "_model", "_q", "_v")

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"expected a cond.Model, not {model!r}")
        made, error = ffi.new("CondState**"), new_error()
        check(lib.cond_state_create(model._c, made, error), error)
        self._take(model, own(made[0], lib.cond_state_destroy, model._c), False)

    def _take(self, model: Model, handle: Any, lent: bool) -> None:
        self._c, self._m, self._model, self._lent = handle, model._base, model, lent
        self._lock = new_lock()
        self._q: Array | None = None
        self._v: Array | None = None

    @classmethod
    def at(cls, pointer: Any, model: Model, owner: Any) -> State:
        """The state where C has it, for reading; `owner`, a handle, keeps it alive."""
        state = cls.__new__(cls)
        state._take(model, own(pointer, lambda _: None, owner), True)
        return state

    @property
    def model(self) -> Model:
        """The model that it is a state of."""
        return self._model

    @property
    def time(self) -> float:
        """[s]"""
        return lib.cond_state_time(self._c)  # type: ignore[no-any-return]

    @time.setter
    def time(self, value: float) -> None:
        with self._lock:
            self._change(lib.cond_state_set_time(self._m, self._writable(), value))

    @property
    def q(self) -> Array:
        """Configuration of all bodies, of which `model.qs(body)` says where a body's is (n_q); read-only."""
        if self._q is None:
            n, count = self._model.n_q, ffi.new("int*")
            self._q = view(lib.cond_state_configuration(self._m, self._c, 0, count), (n,), self._c)
        return self._q

    @q.setter
    def q(self, values: ArrayLike) -> None:
        q = numbers(values, (self._model.n_q,), "q")
        with self._lock:
            before = self.q.copy()
            try:
                for body in range(self._model.n_body):
                    self.set_configuration(body, q[self._model.qs(body)])
            except BaseException:
                for changed in range(body):
                    self.set_configuration(changed, before[self._model.qs(changed)])
                raise

    @property
    def v(self) -> Array:
        """Velocity of all bodies, of which `model.dofs(body)` says where a body's is (n_dof); read-only."""
        if self._v is None:
            self._v = view(lib.cond_state_velocity(self._c), (self._model.n_dof,), self._c)
        return self._v

    @v.setter
    def v(self, values: ArrayLike) -> None:
        v = numbers(values, (self._model.n_dof,), "v")
        with self._lock:
            before = self.v.copy()
            try:
                for body in range(self._model.n_body):
                    self.set_velocity(body, v[self._model.dofs(body)])
            except BaseException:
                for changed in range(body):
                    self.set_velocity(changed, before[self._model.dofs(changed)])
                raise

    def configuration(self, body: Name) -> Array:
        """The range of q that belongs to a body; of a soft body its nodes, and then the plastic
        curvatures of a shell that yields; `nodes` has the nodes as (n, 3)."""
        return self.q[self._model.qs(body)]

    def nodes(self, body: Name) -> Array:
        """Positions of the nodes of a soft body, as model.rest(body) has them at rest [m] (n_node x 3); read-only."""
        shape = self._model.rest(body).shape
        return self.configuration(body)[: shape[0] * shape[1]].reshape(shape)

    def velocity(self, body: Name) -> Array:
        """The range of v that belongs to a body."""
        return self.v[self._model.dofs(body)]

    def _writable(self) -> Any:
        if self._lent:
            raise BadArgument("this state belongs to an environment or a simulation and is for reading; copy it")
        return self._c

    def _change(self, status: int) -> None:
        """Raises for a change that was refused, with what the state says of it."""
        if status < 0:
            raise fail(status, text(lib.cond_state_message(self._c)))

    # Whole states.

    def copy(self) -> State:
        """A state of its own with the same future."""
        made = State(self._model)
        with self._lock:
            check(lib.cond_state_copy(made._c, self._c))
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.copy()

    def set(self, other: State) -> None:
        """Becomes as the other one, of the same model."""
        if other._m != self._m:
            raise BadArgument("the states are of two models; see cond.State.transfer")
        first, second = (self, other) if id(self) < id(other) else (other, self)
        with first._lock, second._lock:
            check(lib.cond_state_copy(self._writable(), other._c))

    def transfer(self, other: State) -> int:
        """Takes over from a state of another model the bodies of the same name, kind and size; how many."""
        moved = ffi.new("int*")
        first, second = (self, other) if id(self) < id(other) else (other, self)
        with first._lock, second._lock:
            status = lib.cond_state_transfer(other._m, other._c, self._m, self._writable(), moved)
            check(status, what="transfer")
        return int(moved[0])

    def between(self, end: State, time: float) -> State:
        """The state at a time between this one and `end`, which follows it by a step: to look at, not to go on from."""
        made = self.copy()
        first, second = (self, end) if id(self) < id(end) else (end, self)
        with first._lock, second._lock:
            check(lib.cond_state_between(self._m, self._c, end._c, time, made._c), what="between")
        return made

    def hash(self) -> int:
        """A number that two states share only if every bit that influences the future is the same."""
        return int(lib.cond_state_hash(self._c))

    @property
    def parameters(self) -> int:
        """The number of the values (cond.Model.parameters) that the last step was made with; 0 before the first."""
        return int(lib.cond_state_parameters(self._c))

    def save(self) -> bytes:
        """The state as bytes; what is loaded goes on with the same bits."""
        size = ffi.new("size_t*")
        with self._lock:
            check(lib.cond_state_save(self._m, self._c, ffi.NULL, 0, size), what="save")
            buffer = bytearray(size[0])
            check(lib.cond_state_save(self._m, self._c, ffi.from_buffer(buffer), len(buffer), size), what="save")
        return bytes(buffer)

    def load(self, data: bytes) -> None:
        """Becomes what was saved; on a mistake it stays as it was."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data: expected the bytes of State.save, not {data!r}; a file is read by State.read")
        error = new_error()
        with self._lock:
            status = lib.cond_state_load(self._m, self._writable(), ffi.from_buffer(data), len(data), error)
            check(status, error)

    def write(self, path: Path) -> None:
        """The same in a file, which appears under its name only once it is whole."""
        error = new_error()
        check(lib.cond_state_write(self._m, self._c, path_bytes(path), error), error)

    def read(self, path: Path) -> None:
        """Becomes what write has written to a file; on an error it stays as it was."""
        error = new_error()
        with self._lock:
            check(lib.cond_state_read(self._m, self._writable(), path_bytes(path), error), error)

    def __reduce__(self) -> Any:
        return state_of, (type(self), self._model, self.save())

    # Bodies.

    def pose(self, body: Name) -> Pose:
        """Position of the centre of mass, orientation and velocities of a body, world axes."""
        return Pose.from_c(ffi.new("CondPose*", lib.cond_state_pose(self._m, self._c, self._model.body(body))), None)

    def set_pose(self, body: Name, pose: Pose) -> None:
        """Puts a body at a pose, with the pose's velocities; the joints of a robot stay where they are."""
        with self._lock:
            given = Pose.given(pose, "pose")
            status = lib.cond_state_set_pose(self._m, self._writable(), self._model.body(body), given)
            self._change(status)

    def set_configuration(self, body: Name, q: ArrayLike) -> None:
        """Quaternions are made of length 1."""
        index = self._model.body(body)
        given = vector(q, lib.cond_model_body_n_q(self._m, index), f"configuration of {body!r}")
        with self._lock:
            self._change(lib.cond_state_set_configuration(self._m, self._writable(), index, given))

    def set_velocity(self, body: Name, v: ArrayLike) -> None:
        """Sets the velocity coordinates of a body (n_dof of the body)."""
        index = self._model.body(body)
        given = vector(v, lib.cond_model_body_n_dof(self._m, index), f"velocity of {body!r}")
        with self._lock:
            self._change(lib.cond_state_set_velocity(self._m, self._writable(), index, given))

    def is_on(self, body: Name) -> bool:
        """Whether a body is switched on (set_on)."""
        return bool(lib.cond_state_is_on(self._c, self._model.body(body)))

    def set_on(self, body: Name, on: bool = True) -> None:
        """Switches a body off, which then stays where it is and touches nothing, and on again."""
        with self._lock:
            status = lib.cond_state_set_on(self._m, self._writable(), self._model.body(body), int(on))
            self._change(status)

    # Forces from outside.

    def push(self, body: Name, force: ArrayLike | None = None, torque: ArrayLike | None = None, *, part: Name = 0,
             point: ArrayLike = (0.0, 0.0, 0.0)) -> int:
        """A force [N] and a torque [N m] in world axes at a point that they follow, in every step until they are
        changed (set_push) or ended (end_push) by the number returned."""
        where, index = place_of(self._model, body, part, point), ffi.new("int*")
        with self._lock:
            status = lib.cond_state_push(self._m, self._writable(), where.pointer, vector_or_null(force, 3, "force"),
                                         vector_or_null(torque, 3, "torque"), index)
            self._change(status)
        return int(index[0])

    def set_push(self, index: int, force: ArrayLike | None = None, torque: ArrayLike | None = None) -> None:
        """Changes a force [N] and torque [N m] that push has begun, by its number; None is zero."""
        with self._lock:
            status = lib.cond_state_set_push(self._writable(), index, vector_or_null(force, 3, "force"),
                                             vector_or_null(torque, 3, "torque"))
            self._change(status)

    def end_push(self, index: int | None = None) -> None:
        """Ends a push, by its number; without a number all of them."""
        with self._lock:
            if index is None:
                lib.cond_state_end_pushes(self._writable())
            else:
                self._change(lib.cond_state_end_push(self._writable(), index))

    def set_force(self, body: Name, f: ArrayLike | None) -> None:
        """Forces on the velocity coordinates of a body, limited by nothing; None: no more (n_dof of the body)."""
        index = self._model.body(body)
        given = vector_or_null(f, lib.cond_model_body_n_dof(self._m, index), f"force on {body!r}")
        with self._lock:
            self._change(lib.cond_state_set_force(self._m, self._writable(), index, given))

    # Joints and motors.

    def joint(self, body: Name, joint: Name) -> tuple[float, float]:
        """Position and rate of a joint that has one coordinate."""
        out = ffi.new("double[2]")
        status = lib.cond_state_joint(self._m, self._c, self._model.body(body), self._model.find_joint(body, joint),
                                      out, out + 1)
        check(status, what=f"joint {joint!r} of {body!r}")
        return out[0], out[1]

    def set_joint(self, body: Name, joint: Name, position: float, velocity: float = 0.0) -> None:
        """Puts a joint that has one coordinate at a position [rad, m], with a rate [rad/s, m/s]."""
        with self._lock:
            status = lib.cond_state_set_joint(self._m, self._writable(), self._model.body(body),
                                              self._model.find_joint(body, joint), position, velocity)
            self._change(status)

    def set_joint_target(self, body: Name, joint: Name, value: float, *, moves: bool = False) -> None:
        """Target of the motor of a joint [rad, m]. moves: the target moves there during the next step. Warns
        (cond.NoEffect) where the motor has no stiffness, because the target then has no effect."""
        function = lib.cond_state_move_joint_target if moves else lib.cond_state_set_joint_target
        index = self._model.body(body)
        coordinate = self._model.coordinate(body, joint)
        name = lib.cond_model_coordinate_name(self._m, index, coordinate)
        with self._lock:
            status = function(self._m, self._writable(), index, name, value)
            self._change(status)
            self._warn_of_targets(index, (coordinate,), moves)

    def set_targets(self, body: Name, positions: ArrayLike | None = None, *, moves: bool = False,
                    speed: ArrayLike | None = None, torque: ArrayLike | None = None) -> None:
        """Of the motors of a robot, all coordinates at once (n_coordinate each): targets [rad, m], speeds [rad/s, m/s]
        and torques [N m, N]; what is not given stays as it is. moves: the targets move there during the next step.
        Warns (cond.NoEffect) where targets are given and no motor has a stiffness, because they then have no
        effect."""
        index = self._model.body(body)
        n = lib.cond_model_n_coordinate(self._m, index)
        with self._lock:
            status = lib.cond_state_set_targets(
                self._m, self._writable(), index, vector_or_null(positions, n, "targets"), int(moves),
                vector_or_null(speed, n, "speed"), vector_or_null(torque, n, "torque"))
            self._change(status)
            if positions is not None:
                self._warn_of_targets(index, range(n), moves)

    def _warn_of_targets(self, body: int, coordinates: Sequence[int], moves: bool) -> None:
        """Says so where the targets of these coordinates have no effect: without stiffness nothing pulls to a target,
        and without damping nothing follows one that moves."""
        gains = ffi.new("CondMotorGains*")
        for coordinate in coordinates:
            lib.cond_state_motor(self._m, self._c, body, coordinate, gains)
            if gains.stiffness > 0.0 or (moves and gains.damping > 0.0):
                return
        name = text(lib.cond_model_coordinate_name(self._m, body, coordinates[0]))
        which = f"the motor of {name!r} has no" if len(coordinates) == 1 else "no motor has a"
        warnings.warn(f"{self._model.body_name(body)!r}: targets have no effect, because {which} stiffness; give "
                      "gains in the scene (motor: {stiffness: ..}) or by set_motor, or set speeds and torques",
                      NoEffect, stacklevel=3)

    def motor(self, body: Name, coordinate: Name) -> MotorGains:
        """Gains of the motor of one coordinate; a copy, to be changed and given to set_motor."""
        gains = MotorGains()
        status = lib.cond_state_motor(self._m, self._c, self._model.body(body),
                                      self._model.coordinate(body, coordinate), gains.pointer)
        check(status, what=f"motor {coordinate!r} of {body!r}")
        return gains

    def set_motor(self, body: Name, gains: MotorGains, coordinate: Name | None = None) -> None:
        """Gains of one coordinate, or of all. What the gains do not give, such as the effort that the URDF file
        limits, stays as it is: set_motor("arm", cond.MotorGains(stiffness=200.0)) changes the stiffness alone."""
        index = -1 if coordinate is None else self._model.coordinate(body, coordinate)
        with self._lock:
            status = lib.cond_state_set_motor(self._m, self._writable(), self._model.body(body), index,
                                              MotorGains.given(gains, "gains"))
            self._change(status)

    # Attachments.

    def attach(self, definition: AttachmentDef) -> int:
        """Holds two frames together in their present relative pose, until release(number)."""
        index, error = ffi.new("int*"), new_error()
        with self._lock:
            given = AttachmentDef.given(definition, "definition")
            check(lib.cond_state_attach(self._m, self._writable(), given, index, error), error)
        return int(index[0])

    def move_attachment(self, attachment: int | str, position: ArrayLike, orientation: ArrayLike | None = None) -> None:
        """Moves what an attachment with an end in the world holds, by its number or the name that the scene gives it:
        the point of its other end is held at this position [m], with this orientation of its body (w, x, y, z)."""
        index = self._model.attachment(attachment) if isinstance(attachment, str) else attachment
        place = vector(position, 3, "position")
        turn = vector_or_null(orientation, 4, "orientation")
        with self._lock:
            status = lib.cond_state_move_attachment(self._m, self._writable(), index, place, turn)
            self._change(status)

    def release(self, attachment: int) -> None:
        """Ends an attachment, by the number that attach has returned."""
        with self._lock:
            self._change(lib.cond_state_release(self._writable(), attachment))

    @property
    def n_attachment(self) -> int:
        """Released ones included."""
        return int(lib.cond_state_n_attachment(self._c))

    def attachment_holds(self, attachment: int) -> bool:
        """Whether an attachment holds now; False before its start, after its end, and once released."""
        if not 0 <= attachment < self.n_attachment:
            raise BadArgument(f"there is no attachment {attachment}; the state has {self.n_attachment}, numbered "
                              "from 0")
        return bool(lib.cond_state_attachment_holds(self._c, attachment))

    # Stress.

    def stress(self, body: Name, out: Any = None) -> Array:
        """Of the elements of a soft body in world axes, xx yy zz xy yz zx [Pa] (n_tet x 6).

        Of a shell at the first surface of all triangles, then at the second (2 n_triangle x 6).
        """
        index = self._model._soft(body)
        made = target(out, (lib.cond_model_n_stress(self._m, index), 6), "stress")
        check(lib.cond_state_stress(self._m, self._c, index, doubles(made), ffi.NULL), what=f"stress of {body!r}")
        return made

    def von_mises(self, body: Name, out: Any = None) -> Array:
        """Of the elements of a soft body [Pa] (n_tet); of a shell at both surfaces (2 n_triangle)."""
        index = self._model._soft(body)
        made = target(out, (lib.cond_model_n_stress(self._m, index),), "von_mises")
        check(lib.cond_state_stress(self._m, self._c, index, ffi.NULL, doubles(made)), what=f"stress of {body!r}")
        return made

    def rod_stress_at(self, body: Name, joint: int) -> tuple[Array, float]:
        """What a rod carries at one of its joints (6), and how far along it that is [m]."""
        stress, at = np.empty(6), ffi.new("double*")
        n = self._model.n_rod_joint(self._model._rod(body))
        if not 0 <= joint < n:
            raise BadArgument(f"the rod {body!r} has no joint {joint}; it has {n}, numbered from 0")
        status = lib.cond_state_rod_stress(self._m, self._c, self._model.body(body), joint, doubles(stress), at)
        check(status, what=f"joint {joint} of {body!r}")
        return stress, float(at[0])

    def rod_stress(self, body: Name) -> tuple[Array, Array]:
        """What a rod carries at its joints, and its strains there: shear, shear, tension [N], bending, bending,
        twist [N m] (n_rod_joint x 6 each)."""
        index = self._model._rod(body)
        shape = (lib.cond_model_n_rod_joint(self._m, index), 6)
        stress, strain = np.empty(shape), np.empty(shape)
        check(lib.cond_state_rod_stresses(self._m, self._c, index, doubles(stress), doubles(strain)),
              what=f"stress of {body!r}")
        return stress, strain

    def __repr__(self) -> str:
        return f"<cond.State of {self._model.name!r} at {self.time:g} s>"


def state_of(kind: type[State], model: Model, data: bytes) -> State:
    """What a pickle of a state becomes."""
    made = kind(model)
    made.load(data)
    return made
