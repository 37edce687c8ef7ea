"""Record and Recording: simulations as files, written and read. Snapshot: one instant of a simulation."""
from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import HDF5, Array, Path, new_lock, own, path_bytes, text, view
from cond.model import Model
from cond.names import Handle, Sealed, suggestion
from cond.sim import Sim
from cond.state import State
from cond.structs import Number, RecordSettings, StepInfo


def number_name(number: int) -> str:
    """Such as "kinetic_energy"."""
    return text(lib.cond_number_name(number))


class Record(Handle):
    """Writes a simulation to a file: .h5 for ParaView, h5py and cond.Recording, .xdmf (with an .h5) and .pvd for
    ParaView before 5.13. Frames come to the disk many at a time; `flush` and `close` bring all of them there.

        with cond.Record("run.h5", model) as record:
            sim.run(state, 1000, record=record, every=10)
    """

    __slots__ = ("_lock", "_m", "path")

    def __init__(self, path: Path, model: Model, settings: RecordSettings | None = None) -> None:
        self.path, self._c = path, None
        if not isinstance(model, Model):
            raise BadArgument(f"a record is of a cond.Model, not of {model!r}")
        made, error = ffi.new("CondRecord**"), new_error()
        given = ffi.NULL if settings is None else RecordSettings.given(settings, "settings")
        with HDF5:
            check(lib.cond_record_open(ffi.NULL, path_bytes(path), model._c, given, made, error), error)
        close, process = lib.cond_record_close, os.getpid()

        def leave(record: Any) -> None:
            if os.getpid() == process:  # a child of a fork leaves its parent's file alone
                with HDF5:
                    close(record)

        self._c, self._m = own(made[0], leave, model._c), model._c
        self._lock = new_lock()

    def _open(self) -> Any:
        if self._c is None:
            raise BadArgument("the record is closed")
        return self._c

    def frame(self, state: State, sim: Sim | None = None, info: StepInfo | None = None) -> None:
        """Adds the state as a frame; sim and info give the numbers of the step before it."""
        if not isinstance(state, State):
            raise BadArgument(f"a frame is a cond.State, not {state!r}")
        if state._m != self._m or (sim is not None and sim._m != self._m):
            raise BadArgument("the record is of another model")
        error = new_error()
        with self._lock, state._lock, HDF5:
            check(lib.cond_record_frame(self._open(), ffi.NULL if sim is None else sim._c, state._c,
                                        ffi.NULL if info is None else info.pointer, error), error)

    @property
    def n_frame(self) -> int:
        """How many frames have been written."""
        return int(lib.cond_record_n_frame(self._open()))

    def flush(self) -> None:
        """Writes all frames to the disk, so that other programs can read the file while it is written."""
        error = new_error()
        with self._lock, HDF5:
            check(lib.cond_record_flush(self._open(), error), error)

    def close(self) -> None:
        """Brings the last frames to the disk and releases the file."""
        error = new_error()
        with self._lock:
            if self._c is None:
                return
            with HDF5:
                status = lib.cond_record_flush(self._c, error)
            ffi.release(self._c)
            self._c = None
        check(status, error)

    def __repr__(self) -> str:
        what = "closed" if self._c is None else f"{self.n_frame} frames"
        return f"<cond.Record {os.fspath(self.path)!r}: {what}>"

    def __enter__(self) -> Record:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class Scenery(Sealed):
    """What is drawn, the same at all times: points, cells and the bodies they belong to; read-only arrays."""

    __slots__ = ("__weakref__", "bodies", "body", "colour", "corner", "corner_end", "kinds", "n_cell", "n_point",
                 "plane_begin", "sensors", "type")

    def __init__(self, c: Any, owner: Any) -> None:
        self.bodies = tuple(text(c.name[i]) for i in range(c.n_body))
        self.kinds = tuple(text(c.kind[i]) for i in range(c.n_body))
        self.sensors = tuple(text(c.sensor[i]) for i in range(c.n_sensor))
        self.n_point: int = c.n_point
        self.n_cell: int = c.n_cell
        self.corner: NDArray[np.int32] = view(c.corner, (c.n_corner,), owner)
        self.corner_end: NDArray[np.int32] = view(c.corner_end, (c.n_cell,), owner)
        self.type: NDArray[np.uint8] = view(c.type, (c.n_cell,), owner)
        self.body: NDArray[np.int32] = view(c.body, (c.n_cell,), owner)
        self.colour: NDArray[np.int32] = view(c.colour, (c.n_cell,), owner)
        self.plane_begin: int = c.plane_begin


class Moment(Sealed):
    """What a simulation looks like at one instant: arrays of its own, copied."""

    __slots__ = ("__weakref__", "contact_body", "contact_error", "contact_force", "contact_frame", "contact_friction",
                 "contact_gap", "contact_other", "contact_position", "displacement", "numbers", "position",
                 "rod_force", "rod_moment", "sensor_acceleration", "sensor_angular_velocity", "sensor_distance",
                 "sensor_force", "sensor_torque", "time", "velocity", "von_mises")

    def __init__(self, c: Any, scenery: Scenery) -> None:
        def take(name: str, *shape: int) -> Array:
            pointer = getattr(c, name)
            return np.zeros((0,) * len(shape)) if pointer == ffi.NULL else view(pointer, shape, None).copy()

        n, cells, contacts, sensors = scenery.n_point, scenery.n_cell, c.n_contact, len(scenery.sensors)
        self.numbers = {number_name(i): float(c.number[i]) for i in range(len(c.number))}
        self.time = float(c.number[Number.TIME])
        self.position = take("position", n, 3)
        self.velocity = take("velocity", n, 3)
        self.displacement = take("displacement", n, 3)
        self.von_mises = take("von_mises", cells)
        self.rod_force = take("rod_force", n, 3)
        self.rod_moment = take("rod_moment", n, 3)
        self.contact_position = take("contact_position", contacts, 3)
        self.contact_force = take("contact_force", contacts, 3)
        self.contact_frame = take("contact_frame", contacts, 3, 3)
        self.contact_friction = take("contact_friction", contacts, 2)
        self.contact_gap = take("contact_gap", contacts)
        self.contact_error = take("contact_error", contacts)
        self.contact_body: NDArray[Any] = take("contact_body", contacts)
        self.contact_other: NDArray[Any] = take("contact_other", contacts)
        self.sensor_force = take("sensor_force", sensors, 3)
        self.sensor_torque = take("sensor_torque", sensors, 3)
        self.sensor_acceleration = take("sensor_acceleration", sensors, 3)
        self.sensor_angular_velocity = take("sensor_angular_velocity", sensors, 3)
        self.sensor_distance = take("sensor_distance", sensors)

    def __repr__(self) -> str:
        return f"<cond.Moment at {self.time:g} s: {len(self.position)} points, {len(self.contact_force)} contacts>"


class Snapshot(Handle):
    """What a state looks like: the points and cells that are drawn, contacts and forces."""

    __slots__ = ("_lock", "_m", "scenery")

    def __init__(self, model: Model) -> None:
        made, error = ffi.new("CondSnapshot**"), new_error()
        check(lib.cond_snapshot_create(ffi.NULL, model._c, made, error), error)
        self._c, self._m = own(made[0], lib.cond_snapshot_destroy, model._c), model._c
        self.scenery = Scenery(lib.cond_snapshot_scenery(self._c), self._c)
        self._lock = new_lock()

    def take(self, state: State, sim: Sim | None = None, info: StepInfo | None = None) -> Moment:
        """Looks at a state; sim and info give the numbers of the step before it."""
        if state._m != self._m or (sim is not None and sim._m != self._m):
            raise BadArgument("the snapshot is of another model")
        error = new_error()
        with self._lock, state._lock:
            check(lib.cond_snapshot_take(self._c, ffi.NULL if sim is None else sim._c, state._c,
                                         ffi.NULL if info is None else info.pointer, error), error)
            return Moment(lib.cond_snapshot_moment(self._c), self.scenery)

    def point_mass(self, point: int) -> float:
        """Mass of the body that a point belongs to [kg]; 0 for the world's."""
        return float(lib.cond_snapshot_point_mass(self._c, self._point(point)))

    def _point(self, point: int) -> int:
        if not 0 <= point < self.scenery.n_point:
            raise BadArgument(f"there is no point {point}; the scenery has {self.scenery.n_point}, numbered from 0")
        return point

    def pull(self, sim: Sim, point: int, goal: Any, stiffness: float, damping: float = 0.0) -> None:
        """A spring pulls a point of the scenery towards a goal [m] in every step of sim; stiffness 0 lets go."""
        from cond.memory import vector_or_null

        if sim._m != self._m:
            raise BadArgument("the snapshot is of another model")
        check(lib.cond_sim_pull(sim._c, self._c, self._point(point), vector_or_null(goal, 3, "goal"), stiffness,
                                damping),
              what="pull")


class Recording(Handle):
    """Reads a recording in HDF5 back.

        recording = cond.Recording("run.h5")
        recording.numbers("kinetic_energy"), recording[-1].contact_force
        for moment in recording[::10]:
            moment.time, moment.position
    """

    __slots__ = ("_lock", "path", "scenery")

    def __init__(self, path: Path) -> None:
        made, error = ffi.new("CondRecording**"), new_error()
        with HDF5:
            check(lib.cond_recording_open(ffi.NULL, path_bytes(path), made, error), error)
        close, process = lib.cond_recording_close, os.getpid()

        def leave(recording: Any) -> None:
            if os.getpid() == process:
                with HDF5:
                    close(recording)

        self._c = own(made[0], leave)
        self.path = path
        self.scenery = Scenery(lib.cond_recording_scenery(self._c), self._c)
        self._lock = new_lock()

    def __len__(self) -> int:
        return int(lib.cond_recording_n_frame(self._c))

    @property
    def scene(self) -> str:
        """Name of the scene."""
        return text(lib.cond_recording_scene(self._c))

    def numbers(self, name: str | Number) -> Array:
        """One number of all frames, by name: "time", "certificate", "kinetic_energy" ... (n_frame); read-only."""
        if isinstance(name, str):
            names = [number_name(i) for i in range(lib.COND_N_NUMBER)]
            if name not in names:
                raise BadArgument(f"frames have no number {name!r}{suggestion(name, names)}")
            name = names.index(name)  # type: ignore[assignment]
        return view(lib.cond_recording_numbers(self._c, int(name)), (len(self),), self._c)

    @property
    def time(self) -> Array:
        """[s] (n_frame)"""
        return self.numbers(Number.TIME)

    @property
    def sensor_forces(self) -> Array:
        """[N] (n_frame x n_sensor x 3); read-only."""
        shape = (len(self), len(self.scenery.sensors), 3)
        return view(lib.cond_recording_sensor_forces(self._c), shape, self._c)

    def __iter__(self) -> Iterator[Moment]:
        """The frames, one after the other."""
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<cond.Recording {os.fspath(self.path)!r} of {self.scene!r}: {len(self)} frames>"

    @overload
    def __getitem__(self, frame: int) -> Moment: ...
    @overload
    def __getitem__(self, frame: slice) -> list[Moment]: ...
    def __getitem__(self, frame: int | slice) -> Moment | list[Moment]:
        """A frame, from 0; negative ones count from the end; or a list of those of a slice."""
        if isinstance(frame, slice):
            return [self[k] for k in range(*frame.indices(len(self)))]
        index = frame + len(self) if frame < 0 else frame
        if not 0 <= index < len(self):
            raise IndexError(f"the recording has {len(self)} frames, not {frame}")
        moment, error = ffi.new("CondMoment**"), new_error()
        with self._lock, HDF5:
            check(lib.cond_recording_frame(self._c, index, moment, error), error)
            return Moment(moment[0], self.scenery)
