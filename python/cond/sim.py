"""Sim: steps states, and gives the forces of the last step."""
from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, fail, new_error
from cond.interrupt import Interrupt
from cond.memory import Array, doubles, dtype_of, ints, new_lock, numbers, own, records, target, text, vector, view
from cond.model import Model, Name
from cond.names import Handle, Sealed, expected
from cond.parameters import Parameters
from cond.state import State
from cond.structs import (
    ContactInfo,
    EquilibriumInfo,
    JointReading,
    Resultant,
    SensorReading,
    SettleInfo,
    SolveInfo,
    StepInfo,
)

if TYPE_CHECKING:
    from cond.problem import Problem, Solver
    from cond.recording import Record

put = object.__setattr__  # within a step, quicker than through Sealed

STATIC_BODY: int = lib.COND_STATIC_BODY
ANY_BODY: int = lib.COND_ANY_BODY


class Sim(Handle, Parameters):
    """The workspace of one thread, in which states of one model are stepped.

        sim, state = cond.Sim(model), model.state()
        info = sim.step(state)
        info.solve.certificate.contact, sim.body_force("box")

    While C computes other threads of Python run: two sims in two threads step at once. A sim that is busy in one
    thread makes the others wait. A step that misses its tolerance says so in `info.status`; one that fails raises, and
    leaves the state as it was.
    """

    __slots__ = ("_hooks", "_lent", "_lock", "_m", "_model", "_raised", "_stepping")

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"expected a cond.Model, not {model!r}")
        made, error = ffi.new("CondSim**"), new_error()
        check(lib.cond_sim_create(model._c, made, error), error)
        self._take(model, own(made[0], lib.cond_sim_destroy, model._c))

    def _take(self, model: Model, handle: Any) -> None:
        self._c, self._m, self._model = handle, model._c, model
        self._lock = new_lock()
        self._stepping = False
        self._hooks: Any = None
        self._raised: BaseException | None = None
        self._lent = False

    @classmethod
    def at(cls, pointer: Any, model: Model, owner: Any) -> Sim:
        """The sim where C has it, for reading; `owner`, a handle, keeps it alive."""
        sim = cls.__new__(cls)
        sim._take(model, own(pointer, lambda _: None, owner))
        sim._lent = True
        return sim

    @property
    def model(self) -> Model:
        """The model whose states it steps."""
        return self._model

    def _of(self, state: State) -> Any:
        """The state of C, which must be one of this sim's model."""
        expected(state, State, "state")
        if state._m != self._m:
            raise BadArgument(f"the state belongs to another model ({state.model.name!r}) than the sim "
                              f"({self._model.name!r})")
        return state._c

    def _begin(self, state: State) -> Any:
        expected(state, State, "state")
        if self._lent or state._lent:
            raise BadArgument("what belongs to an environment is stepped by it alone")
        if self._stepping:
            raise BadArgument("a step cannot be made within a step of the same sim")
        return self._of(state)

    def step(self, state: State, info: StepInfo | None = None) -> StepInfo:
        """One step: all stages in order. Writes into `info` where it is given."""
        if info is None:
            info = StepInfo.new()
        else:
            expected(info, StepInfo, "info")
        expected(state, State, "state")
        with self._lock, state._lock:
            c = self._begin(state)
            put(self, "_stepping", True)
            try:
                status = lib.cond_sim_step(self._c, c, info._c)
            finally:
                put(self, "_stepping", False)
        if self._raised is not None:
            raised, self._raised = self._raised, None
            raise raised
        if status < 0:
            raise self._failure(status)
        return info

    def _failure(self, status: int) -> Exception:
        return fail(status, text(lib.cond_sim_message(self._c)))

    def run(self, state: State, steps: int | None = None, *, seconds: float | None = None,
            each: Callable[[State, StepInfo], object] | None = None, record: Record | None = None,
            every: int = 1) -> Run:
        """So many steps, or as many as fill so many seconds; by default the duration that the scene says. Calls `each`
        after every step, and adds every so-manieth frame to `record`. Ctrl-C and whatever `each` raises end it between
        two steps: state, record and the numbers of all finished steps are kept, and the exception has these as
        `exception.run`."""
        steps = self._count(steps, seconds)
        if every < 1:
            raise BadArgument(f"every: a frame is recorded every 1, 2, 3 .. steps, not every {every}")
        if record is not None:
            from cond.recording import Record

            expected(record, Record, "record", "; cond.Record(path, model) makes one")
        done, info = Run(steps), StepInfo()
        try:
            with Interrupt() as interrupt:
                if record is not None and record.n_frame == 0:
                    record.frame(state)
                for k in range(steps):
                    self.step(state, info)
                    done.add(info)
                    if record is not None and (k + 1) % every == 0:
                        record.frame(state, self, info)
                    if each is not None:
                        each(state, info)
                    interrupt.check()
        except BaseException as raised:
            raised.run = done  # type: ignore[attr-defined]
            raise
        return done

    def _count(self, steps: int | None, seconds: float | None) -> int:
        """How many steps a run is asked for."""
        if steps is not None and seconds is not None:
            raise BadArgument(f"steps={steps} and seconds={seconds}: a run is as long as one of them says")
        if steps is not None:
            try:
                n = operator.index(steps)
            except TypeError:
                raise TypeError(f"steps: expected a whole number, not {steps!r}; seconds= takes a time") from None
            if n < 0:
                raise BadArgument(f"steps: expected 0 or more, not {n}")
            return n
        span = self._model.settings.duration if seconds is None else float(seconds)
        if not 0.0 <= span < np.inf:
            raise BadArgument(f"seconds: expected 0 or more and finite, not {span}")
        return round(span / self._model.time_step)

    @property
    def message(self) -> str:
        """What went wrong in the last step, with the names of bodies; "" where nothing did."""
        return text(lib.cond_sim_message(self._c))

    # Stage by stage.

    def forces(self, state: State) -> None:
        """Weight, -C v, given forces; joint targets, attachments."""
        self._stage(lib.cond_sim_forces(self._c, self._begin(state)), "forces")

    def matrix(self) -> None:
        """A, and the forces that come with it."""
        self._stage(lib.cond_sim_matrix(self._c), "matrix")

    def collide(self, state: State) -> None:
        """Contacts at the start of the step."""
        self._stage(lib.cond_sim_collide(self._c, self._begin(state)), "collide")

    def assemble(self, state: State) -> None:
        """b and the contacts: the problem is complete."""
        self._stage(lib.cond_sim_assemble(self._c, self._begin(state)), "assemble")

    def nodalize(self) -> None:
        """Islands, and nodes for their contacts; may be left out."""
        self._stage(lib.cond_sim_nodalize(self._c), "nodalize")

    def solve(self, state: State) -> SolveInfo:
        """Stage: solves the contact problem that nodalize has made."""
        info = SolveInfo()
        self._stage(lib.cond_sim_solve(self._c, self._begin(state), info.pointer), "solve")
        return info

    def recheck(self, state: State, info: StepInfo) -> None:
        """Solves again with contacts that the answer violates; may be left out."""
        self._stage(lib.cond_sim_recheck(self._c, self._begin(state), info.pointer), "recheck")

    def integrate(self, state: State, info: StepInfo) -> None:
        """The next state."""
        self._stage(lib.cond_sim_integrate(self._c, self._begin(state), info.pointer), "integrate")

    def _stage(self, status: int, stage: str) -> None:
        if status < 0:
            raise fail(status, text(lib.cond_sim_message(self._c)) or f"stage {stage}: {fail(status)}")

    def problem(self) -> Problem:
        """A copy of the contact problem that was assembled last."""
        from cond.problem import Problem

        made = lib.cond_sim_problem(self._c)
        if sum(made.block[k].n_dof for k in range(made.n_block)) < made.n_dof:  # none is filled yet
            raise BadArgument("there is no contact problem yet: no step has been made by this sim")
        return Problem.copy_of(made)

    @property
    def solution(self) -> Array:
        """v_hat that the last solve found, copied (n_dof)."""
        v: Array = view(lib.cond_sim_solution(self._c), (self._model.n_dof,), self._c).copy()
        return v

    def set_solver(self, solver: Solver) -> None:
        """Replaces the solver of the step's contact problem, which the sim takes over."""
        with self._lock:
            lib.cond_sim_set_solver(self._c, solver._give())

    # Contacts and forces of the last step.

    @property
    def n_contact(self) -> int:
        """How many contacts the last step had."""
        return int(lib.cond_sim_n_contact(self._c))

    def contact(self, contact: int) -> ContactInfo:
        """One contact of the last step."""
        found = lib.cond_sim_contact(self._c, self._contact(contact))
        return ContactInfo.from_c(ffi.new("CondContactInfo*", found), None)

    def _contact(self, contact: int) -> int:
        if not 0 <= contact < self.n_contact:
            raise BadArgument(f"there is no contact {contact}: the last step had {self.n_contact}, numbered from 0")
        return contact

    def contacts(self) -> NDArray[Any]:
        """All contacts of the last step as a structured array with the fields of ContactInfo: contacts["force"] is
        (n, 3)."""
        n = self.n_contact
        array, place = records("CondContactInfo", n)
        for i in range(n):
            place[i] = lib.cond_sim_contact(self._c, i)
        return array

    def events(self) -> NDArray[Any]:
        """Contacts that began and ended in the last step, those that began first, as a structured array with the fields
        of cond.ContactEvent: events["change"] == cond.ContactChange.BEGAN, events["body"] is (n, 2)."""
        n = int(lib.cond_sim_n_event(self._c))
        array, place = records("CondContactEvent", n)
        for i in range(n):
            place[i] = lib.cond_sim_event(self._c, i)
        return array

    def contact_patch(self, contact: int, side: int = 0) -> tuple[int, float]:
        """The patch that a contact's point on one side belongs to, -1: none, and with what share."""
        if side not in (0, 1):
            raise BadArgument(f"side: expected 0 (the contact's body) or 1 (the other), not {side!r}")
        share = ffi.new("double*")
        patch = lib.cond_sim_contact_patch(self._c, self._contact(contact), side, share)
        return int(patch), float(share[0])

    @property
    def lam(self) -> Array:
        """lambda of the last solve in the contact frames [N], copied (n_contact x 3); rows of joints are left out."""
        pointer = lib.cond_sim_lambda(self._c)
        shape = (0 if pointer == ffi.NULL else lib.cond_sim_problem(self._c).n_contact, 3)
        values: Array = view(pointer, shape, self._c).copy()
        return values[: self.n_contact]

    def body_force(self, body: Name) -> tuple[Array, Array]:
        """Contact force on a body [N] and its torque about the centre of mass [N m], world axes."""
        out = np.empty((2, 3))
        force = ffi.from_buffer("double[]", out)
        lib.cond_sim_body_force(self._c, self._model.body(body), force, force + 3)
        return out[0], out[1]

    def pair_force(self, body: Name, other: Name = ANY_BODY) -> Resultant:
        """Contact forces of one body, or between two, summed up; other: also STATIC_BODY."""
        second = other if other in (STATIC_BODY, ANY_BODY) else self._model.body(other)
        value = lib.cond_sim_pair_force(self._c, self._model.body(body), second)
        return Resultant.from_c(ffi.new("CondResultant*", value), None)

    def listed_force(self, body: Name, other: Name, contacts: ArrayLike) -> Resultant:
        """The same of the listed contacts alone, by ascending number."""
        second = other if other in (STATIC_BODY, ANY_BODY) else self._model.body(other)
        listed = np.ascontiguousarray(contacts, np.int32)
        value = lib.cond_sim_listed_force(self._c, self._model.body(body), second, listed.size, ints(listed))
        return Resultant.from_c(ffi.new("CondResultant*", value), None)

    def sensor(self, sensor: Name) -> SensorReading:
        """What a sensor read in the last step."""
        reading = SensorReading()
        if lib.cond_sim_sensor(self._c, self._model.sensor(sensor), reading.pointer) < 0:
            raise BadArgument(f"the sensor {sensor!r} has read nothing yet: it reads from the first step on")
        return reading

    def joint(self, body: Name, coordinate: Name) -> JointReading:
        """What acted in a joint coordinate in the last step: motor, friction, limits."""
        reading = JointReading()
        status = lib.cond_sim_joint(self._c, self._model.body(body), self._model.coordinate(body, coordinate),
                                    reading.pointer)
        if status < 0:
            raise BadArgument(f"the joint {coordinate!r} of {body!r} has no reading yet: it is read from the first "
                              "step on")
        return reading

    def attachment_wrench(self, attachment: int) -> Array:
        """Force [N] and torque [N m] by which an attachment acted on its first end, world axes (6)."""
        out = np.empty(6)
        if lib.cond_sim_attachment_wrench(self._c, attachment, doubles(out)) < 0:
            raise BadArgument(f"the last step had no attachment {attachment!r}; they are numbered from 0, and act from "
                              "the first step on")
        return out

    def internal_force(self, state: State, body: Name) -> float:
        """Norm of the elastic forces at the nodes of a soft body [N]."""
        return float(lib.cond_sim_internal_force(self._c, self._of(state), self._model.body(body)))

    # Overlaps.

    def gap(self, state: State, body: Name, other: Name) -> float:
        """Signed distance of two bodies [m]; infinite where they are farther apart than contacts are looked for."""
        out = ffi.new("double*")
        status = lib.cond_sim_gap(self._c, self._begin(state), self._model.body(body), self._model.body(other), out,
                                  ffi.NULL)
        check(status, what=f"gap of {body!r} and {other!r}")
        return float(out[0])

    def overlaps(self, state: State) -> NDArray[Any]:
        """Pairs that overlap, the deepest first, as a structured array with the fields of Overlap."""
        found, n = ffi.new("CondOverlap**"), ffi.new("int*")
        check(lib.cond_sim_overlaps(self._c, self._begin(state), found, n), what="overlaps")
        if not n[0]:
            return np.zeros(0, dtype_of("CondOverlap"))
        return np.frombuffer(bytes(ffi.buffer(found[0], n[0] * ffi.sizeof("CondOverlap"))), dtype_of("CondOverlap"))

    def settle(self, state: State, max_rounds: int = 100, moved: Any = None) -> tuple[bool, SettleInfo]:
        """Pushes apart what overlaps, and leaves velocities as they are. 1: nothing overlaps any more. moved: an array
        for the largest displacement of a point of each body [m] (n_body)."""
        info = SettleInfo()
        displacement = None if moved is None else target(moved, (self._model.n_body,), "moved")
        with self._lock, state._lock:
            status = lib.cond_sim_settle(self._c, self._begin(state), max_rounds, doubles(displacement), info.pointer)
        check(status, what="settle")
        return status == 0, info

    # Equilibrium.

    def equilibrium(self, state: State, *, tolerance: float = 1e-6, max_steps: int = 1000,
                    longest: float = 100.0) -> tuple[bool, EquilibriumInfo]:
        """Moves the bodies to a static equilibrium of weight, forces, elasticity, springs, attachments, motors,
        contacts and friction, by quasi-static steps; velocities become zero, the time stays. False: there is none, or
        it was not found (message says why); the state is then the last one reached. tolerance: unbalanced force of a
        body, relative to its load; longest: the longest length of a step [s]. settle only separates what overlaps."""
        info = EquilibriumInfo()
        definition = ffi.new("CondEquilibriumDef*", lib.cond_equilibrium_def_default())
        definition.tolerance, definition.max_steps, definition.longest = tolerance, max_steps, longest
        with self._lock, state._lock:
            status = lib.cond_sim_equilibrium(self._c, self._begin(state), definition, info.pointer)
        check(status, what="equilibrium")
        return status == 0, info

    # Hooks.

    def set_hooks(self, *, force: Callable[[float, Array, ForceSink], object] | None = None,
                  contact: Callable[[ContactInfo], bool | None] | None = None,
                  step: Callable[[StepInfo], object] | None = None,
                  log: Callable[[int, str], object] | None = None) -> None:
        """What the program adds to the steps.

        force(time, q, sink): adds forces of its own at the configuration q, by sink.add; the same q must give the same.
        contact(contact): a contact that was found, whose friction and restitution it may change; False refuses it.
        step(info): after every step. log(status, message): for every step that is not fine.
        What they raise ends the step's call, after the step. Without arguments: no hooks."""
        for name, hook in (("force", force), ("contact", contact), ("step", step), ("log", log)):
            if hook is not None and not callable(hook):
                raise TypeError(f"{name}: expected a function, not {hook!r}")
        with self._lock:
            if force is None and contact is None and step is None and log is None:
                check(lib.cond_sim_set_hooks(self._c, ffi.NULL))
                self._hooks = None
                return
            calls = Hooks(self, force, contact, step, log)
            hooks = ffi.new("CondHooks*", lib.cond_hooks_default())
            hooks.user = calls.handle
            if force is not None:
                hooks.force = lib.cond_python_force
            if contact is not None:
                hooks.contact = lib.cond_python_contact
            if step is not None:
                hooks.step = lib.cond_python_step
            if log is not None:
                hooks.log = lib.cond_python_log
            check(lib.cond_sim_set_hooks(self._c, hooks))
            self._hooks = calls

    def __repr__(self) -> str:
        return f"<cond.Sim of {self._model.name!r}>"


class Run(Sealed):
    """What a run says: per step time [s], residual of the certificate, contacts, penetration [m]; how many finished."""

    __slots__ = ("__weakref__", "_rows", "n_missed", "n_step")

    def __init__(self, steps: int) -> None:
        self.n_step = 0
        self.n_missed = 0
        self._rows = np.empty((steps, 4))

    def add(self, info: StepInfo) -> None:
        """Adds a step."""
        c = info._c
        self._rows[self.n_step] = (c.time, lib.cond_certificate_residual(ffi.addressof(c.solve, "certificate")),
                                   c.n_contact, c.penetration)
        self.n_step += 1
        self.n_missed += c.status > 0

    @property
    def time(self) -> Array:
        """Time at the end of each step [s]."""
        return self._rows[:self.n_step, 0]

    @property
    def certificate(self) -> Array:
        """The larger of dynamics and contact residual, step by step."""
        return self._rows[:self.n_step, 1]

    @property
    def n_contact(self) -> NDArray[np.int64]:
        """How many contacts each step had."""
        return self._rows[:self.n_step, 2].astype(np.int64)

    @property
    def penetration(self) -> Array:
        """The deepest penetration after each step [m]."""
        return self._rows[:self.n_step, 3]

    def __repr__(self) -> str:
        worst = self.certificate.max() if self.n_step else float("nan")
        return f"<cond.Run: {self.n_step} steps, {self.n_missed} missed, worst certificate {worst:.1e}>"


class ForceSink(Handle):
    """Where the force hook puts its forces; valid during the call."""

    __slots__ = ("_n",)

    def __init__(self, c: Any, n: int) -> None:
        self._c, self._n = c, n

    def add(self, coordinates: ArrayLike, f: ArrayLike, stiffness: ArrayLike | None = None,
            damping: ArrayLike | None = None) -> None:
        """Adds a force f on some velocity coordinates of the model, each once, with its tangent
        df = -stiffness dq - damping dv, symmetric and positive semi-definite."""
        if self._c is None:
            raise BadArgument("forces are added while the hook is called")
        which = np.ascontiguousarray(coordinates, np.int32).reshape(-1)
        n = which.size
        k = None if stiffness is None else numbers(stiffness, (n, n), "stiffness")
        d = None if damping is None else numbers(damping, (n, n), "damping")
        status = lib.cond_force_sink_add(self._c, n, ints(which), vector(f, n, "f"), doubles(k), doubles(d))
        if status == lib.COND_BAD_ARGUMENT:
            raise BadArgument(self._fault(which, np.asarray(f, np.float64)))
        check(status, what="force of a hook")

    def _fault(self, which: NDArray[np.int32], f: Array) -> str:
        """Why the library does not take a force."""
        far = which[(which < 0) | (which >= self._n)]
        if not which.size or far.size:
            name = int(far[0]) if far.size else "none"
            return f"force of a hook: there is no velocity coordinate {name}; the model has {self._n}, from 0"
        if np.unique(which).size < which.size:
            return f"force of a hook: the coordinates {which.tolist()} have one twice"
        if not np.isfinite(f).all():
            at = int(np.flatnonzero(~np.isfinite(f))[0])
            return f"force of a hook: f[{at}] is {f[at]}, expected a finite number"
        return "force of a hook: stiffness and damping must be finite"


class Hooks:
    """The functions of Python that a sim calls. What they raise is kept until the call of the sim is over."""

    def __init__(self, sim: Sim, force: Any, contact: Any, step: Any, log: Any) -> None:
        import weakref

        self.sim = weakref.ref(sim)
        self.force, self.contact, self.step, self.log = force, contact, step, log
        self.n_q, self.n_dof = sim.model.n_q, sim.model.n_dof
        self.handle = ffi.new_handle(self)

    def failed(self, raised: BaseException) -> None:
        sim = self.sim()
        if sim is not None and sim._raised is None:
            sim._raised = raised


def on_error(kind: Any, value: Any, trace: Any) -> None:
    """For what is raised before a hook is known; it cannot be handed to anybody."""
    sys.unraisablehook(
        type("Unraised", (), {"exc_type": kind, "exc_value": value, "exc_traceback": trace, "err_msg": None,
                              "object": None})())


@ffi.def_extern(onerror=on_error)  # type: ignore[untyped-decorator]
def cond_python_force(user: Any, model: Any, time: float, q: Any, sink: Any) -> None:
    hooks = ffi.from_handle(user)
    open_sink = ForceSink(sink, hooks.n_dof)
    try:
        hooks.force(time, view(q, (hooks.n_q,), None).copy(), open_sink)
    except BaseException as raised:
        hooks.failed(raised)
    open_sink._c = None


@ffi.def_extern(error=1, onerror=on_error)  # type: ignore[untyped-decorator]
def cond_python_contact(user: Any, model: Any, contact: Any) -> int:
    hooks = ffi.from_handle(user)
    info = ContactInfo.from_c(ffi.new("CondContactInfo*", contact[0]), None)
    try:
        answer = hooks.contact(info)
        contact[0] = info._c[0]
        return 0 if answer is False else 1
    except BaseException as raised:
        hooks.failed(raised)
    return 1


@ffi.def_extern(onerror=on_error)  # type: ignore[untyped-decorator]
def cond_python_step(user: Any, state: Any, info: Any) -> None:
    hooks = ffi.from_handle(user)
    try:
        hooks.step(StepInfo.from_c(ffi.new("CondStepInfo*", info[0]), None))
    except BaseException as raised:
        hooks.failed(raised)


@ffi.def_extern(onerror=on_error)  # type: ignore[untyped-decorator]
def cond_python_log(user: Any, status: int, message: Any) -> None:
    hooks = ffi.from_handle(user)
    try:
        hooks.log(status, text(message))
    except BaseException as raised:
        hooks.failed(raised)
