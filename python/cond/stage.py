"""Stage and page_of: what the viewer's page is sent of a simulation that runs here, and the page as one file that holds
all of it."""
from __future__ import annotations

import base64
import json
import math
import os
import zlib
from typing import Any

import numpy as np

from cond._cond import ffi, lib
from cond.errors import Error, NoFile, check, new_error
from cond.memory import own, share, text
from cond.memory import view as view_memory

MARK = b"<!-- data -->"  # where the page takes what it shows


def read_page() -> bytes:
    """The viewer's page as it was built."""
    path = share("viewer.html")
    if not os.path.exists(path):
        raise NoFile(f"{path} is not there: the viewer was not built; install Node.js and npm, and build again")
    with open(path, "rb") as file:
        return file.read()


class Stage:
    """What the page is sent: the scene as JSON and instants as bytes, in the layout of cli/view/view_encode.h, with
    the speed of the points as the one field."""

    def __init__(self, model: Any) -> None:
        made, error = ffi.new("CondSnapshot**"), new_error()
        handle = getattr(model, "_c", model)
        check(lib.cond_snapshot_create(ffi.NULL, handle, made, error), error)
        self._c = own(made[0], lib.cond_snapshot_destroy, handle)
        self._scenery = lib.cond_snapshot_scenery(self._c)

    def _ints(self, name: str, n: int) -> list[int]:
        values: list[int] = view_memory(getattr(self._scenery, name), (n,), self._c).tolist()
        return values

    def scene(self, name: str, series: list[list[float | None]] | None = None) -> bytes:
        """The description: of a live run, or of one that has ended, with its numbers at every frame."""
        s = self._scenery
        numbers = [{"name": text(lib.cond_number_name(k)), "unit": text(lib.cond_number_unit(k))}
                   for k in range(lib.COND_N_NUMBER)]
        numbers += [{"name": f"sensor {text(s.sensor[k])}", "unit": "N"} for k in range(s.n_sensor)]
        field = {"name": "velocity", "label": "velocity", "unit": "m/s", "kind": "", "signed": False}
        n_frame = len(series[0]) if series else 0
        return json.dumps({
            "format": 2, "scene": name, "live": series is None, "n_frame": n_frame,
            "n_point": s.n_point, "plane_begin": s.plane_begin,
            "bodies": [{"name": text(s.name[b]), "kind": text(s.kind[b])} for b in range(s.n_body)],
            "corner": self._ints("corner", s.n_corner), "end": self._ints("corner_end", s.n_cell),
            "type": self._ints("type", s.n_cell), "body": self._ints("body", s.n_cell),
            "colour": self._ints("colour", s.n_cell), "numbers": numbers,
            "series": [[] for _ in numbers] if series is None else series, "fields": [field],
        }).encode()

    def frame(self, index: int, state: Any, sim: Any, info: Any = None) -> bytes:
        """An instant; info has the numbers of the step before it."""
        error = new_error()
        step = ffi.NULL if info is None else info.pointer
        c_sim = ffi.NULL if sim is None else getattr(sim, "_c", sim)
        check(lib.cond_snapshot_take(self._c, c_sim, getattr(state, "_c", state), step, error), error)
        m, s = lib.cond_snapshot_moment(self._c), self._scenery

        def numbers(pointer: Any, *shape: int) -> Any:
            return view_memory(pointer, shape, self._c)

        sensors = np.linalg.norm(numbers(m.sensor_force, s.n_sensor, 3), axis=1) if s.n_sensor else np.empty(0)
        n = m.n_contact
        contact = np.zeros((n, 16), "<f4")
        pair = np.zeros((n, 2), "<i4")
        if n:
            contact[:, 0:3] = numbers(m.contact_position, n, 3)
            contact[:, 3:6] = numbers(m.contact_force, n, 3)
            contact[:, 6:12] = numbers(m.contact_frame, n, 9)[:, :6]
            contact[:, 12:14] = numbers(m.contact_friction, n, 2)
            contact[:, 14] = numbers(m.contact_gap, n)
            contact[:, 15] = numbers(m.contact_error, n)
            pair[:, 0] = numbers(m.contact_body, n)
            pair[:, 1] = numbers(m.contact_other, n)
        head = np.array([index, s.n_point, n, lib.COND_N_NUMBER + s.n_sensor, 1], "<i4")
        values = [np.array(list(m.number), "<f8"), sensors.astype("<f8"),
                  numbers(m.position, s.n_point, 3).astype("<f4"),
                  np.linalg.norm(numbers(m.velocity, s.n_point, 3), axis=1).astype("<f4"), contact, pair]
        return b"CFRM" + head.tobytes() + b"".join(part.tobytes() for part in values)


def frame_numbers(frame: bytes) -> list[float | None]:
    """The numbers of a frame; None where there is none, since JSON knows no NaN."""
    n = int(np.frombuffer(frame, "<i4", 1, 16)[0])
    return [value if math.isfinite(value) else None for value in np.frombuffer(frame, "<f8", n, 24).tolist()]


def page_of(stage: Stage, name: str, frames: list[bytes]) -> bytes:
    """The viewer's page with a run in it, as `cond view --export` makes it of a recording (cli/view/view_export.h)."""
    page = read_page()
    if MARK not in page:
        raise Error("the viewer's page has no place for data: build it again")
    series = [list(values) for values in zip(*map(frame_numbers, frames), strict=True)]
    pack = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    packed = [pack.compress(len(part).to_bytes(8, "little") + part) for part in (stage.scene(name, series), *frames)]
    data = base64.b64encode(b"".join(packed) + pack.flush())
    return page.replace(MARK, b'<script id="cond-data" type="application/x-cond">' + data + b"</script>", 1)
