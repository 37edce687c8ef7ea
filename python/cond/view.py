"""cond.view: the viewer's page, for a recording, and for a simulation that runs here. In Jupyter it shows inline."""
from __future__ import annotations

import html
import http.server
import json
import os
import subprocess
import threading
import time
import webbrowser
from collections.abc import Callable
from typing import Any

import numpy as np

from cond._cond import ffi, lib
from cond.errors import Error, NoFile, check, new_error
from cond.memory import own, share, text
from cond.memory import view as view_memory

PAGE_HEIGHT = 480  # pixels in a notebook


class View:
    """A page that is served on this machine until it is closed. Jupyter shows it in the output of a cell."""

    address: str = ""

    def open(self) -> None:
        """Opens the page: in a notebook below the cell, else in the browser."""
        display = notebook_display()
        if display is not None:
            display(self)
        else:
            webbrowser.open(self.address)

    def _repr_html_(self) -> str:
        return (f'<iframe src="{html.escape(self.address)}" width="100%" height="{PAGE_HEIGHT}" '
                'style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<cond viewer at {self.address}>"

    def close(self) -> None:
        """Ends the server; the page stays as it is and says so when it asks for more."""

    def __enter__(self) -> View:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()


def notebook_display() -> Any:
    """What shows an object in a notebook; None elsewhere."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return None
    shell = get_ipython()
    return display if shell is not None and hasattr(shell, "kernel") else None


class RecordingView(View):
    """A recording, served by the tool `cond view`."""

    def __init__(self, path: str) -> None:
        tool = os.path.join(os.path.dirname(share()), "..", "bin", "cond")
        if not os.path.exists(path):
            raise NoFile(f"{path}: there is no such file")
        self._process = subprocess.Popen([os.path.normpath(tool), "view", path, "--no-open"], text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        assert self._process.stdout is not None and self._process.stderr is not None
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            raise Error(self._process.stderr.read().strip() or "cond view did not start")

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()


class Stage:
    """What the page is sent: the scene as JSON and moments as bytes, in the layout of cli/view/view_encode.h, with
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

    def scene(self, name: str) -> bytes:
        """The description of a live run."""
        s = self._scenery
        numbers = [{"name": text(lib.cond_number_name(k)), "unit": text(lib.cond_number_unit(k))}
                   for k in range(lib.COND_N_NUMBER)]
        numbers += [{"name": f"sensor {text(s.sensor[k])}", "unit": "N"} for k in range(s.n_sensor)]
        field = {"name": "velocity", "label": "velocity", "unit": "m/s", "kind": "", "signed": False}
        return json.dumps({
            "format": 2, "scene": name, "live": True, "n_frame": 0, "n_point": s.n_point, "plane_begin": s.plane_begin,
            "bodies": [{"name": text(s.name[b]), "kind": text(s.kind[b])} for b in range(s.n_body)],
            "corner": self._ints("corner", s.n_corner), "end": self._ints("corner_end", s.n_cell),
            "type": self._ints("type", s.n_cell), "body": self._ints("body", s.n_cell),
            "colour": self._ints("colour", s.n_cell), "numbers": numbers, "series": [[] for _ in numbers],
            "fields": [field],
        }).encode()

    def frame(self, index: int, state: Any, sim: Any, info: Any = None) -> bytes:
        """A moment; info has the numbers of the step that led there."""
        error = new_error()
        step = ffi.NULL if info is None else info.pointer
        told = ffi.NULL if sim is None else getattr(sim, "_c", sim)
        check(lib.cond_snapshot_take(self._c, told, getattr(state, "_c", state), step, error), error)
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


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers the page on this machine, and nobody else."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def reply(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def allowed(self) -> bool:
        """Only requests that name this server by a loopback name, so that other pages cannot reach it."""
        own_names = {f"{name}:{self.server.server_port}" for name in ("127.0.0.1", "localhost")}
        origin = self.headers.get("Origin")
        fine = self.headers.get("Host") in own_names and (origin is None or origin.removeprefix("http://") in own_names)
        if not fine:
            self.close_connection = True
            self.reply(403, "text/plain", b"This server answers only its own page on this machine.")
        return fine

    def do_GET(self) -> None:
        live = self.server.live
        if not self.allowed():
            return
        if self.path.split("?")[0] == "/":
            self.reply(200, "text/html; charset=utf-8", live.page)
        elif self.path == "/scene.json":
            self.reply(200, "application/json", live.scene)
        elif self.path.startswith("/next/"):
            frame = live.next_frame(self.path[len("/next/"):])
            self.reply(200 if frame else 204, "application/octet-stream", frame)
        else:
            self.reply(404, "text/plain", b"There is nothing at this address.\n")

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        if not self.allowed():
            return
        if self.path != "/command" or size > 10000:
            self.close_connection = True
            self.reply(404, "text/plain", b"There is nothing at this address.\n")
            return
        self.server.live.command(json.loads(self.rfile.read(size)))
        self.reply(200, "text/plain", b"")


class Server(http.server.ThreadingHTTPServer):
    """On a free port of the loopback address."""

    daemon_threads = True

    def __init__(self, live: LiveView) -> None:
        self.live = live
        super().__init__(("127.0.0.1", 0), Handler)


class LiveView(View):
    """A simulation that this program runs: every update is a frame of the page, where it can be paused.

        with cond.view(sim, state) as page:
            while True:
                page.update(info=sim.step(state))
    """

    def __init__(self, model: Any, source: Callable[[], tuple[Any, Any, Any]] | None = None, *, name: str = "Python",
                 rate: float = 0.0) -> None:
        """source: gives the model (None: as before), the state and the sim of an update that is told nothing. rate:
        updates a second at most, so that what is shown keeps pace with the clock; 0: as fast as they come."""
        path = share("viewer.html")
        if not os.path.exists(path):
            raise NoFile(f"{path} is not there: the viewer was not built; install Node.js and npm, and build again")
        with open(path, "rb") as file:
            self.page = file.read()
        self.name, self.period = name, 1.0 / rate if rate > 0 else 0.0
        self._lock = threading.Condition()
        self._frame, self._index, self._paused, self._steps, self._closed = b"", -1, False, 0, False
        self._source, self._last = source, 0.0
        self.stage: Stage | None = Stage(model)
        self.scene = self.stage.scene(name)
        self._server = Server(self)
        self.address = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        if source is not None:
            self.update()

    def update(self, model: Any = None, state: Any = None, sim: Any = None, *, info: Any = None) -> None:
        """Shows what is now; waits while the page is paused, and until it is time. info: what sim.step returned, for
        the plots of certificate and energies."""
        if self._source is not None and state is None:
            model, state, sim = self._source()
        if self.stage is None or (model is not None and self._index >= 0):
            self.stage = Stage(model)
        frame = self.stage.frame(self._index + 1, state, sim, info)
        wait = self._last + self.period - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        self._last = time.monotonic()
        with self._lock:
            self._frame, self._index = frame, self._index + 1
            self._lock.notify_all()
            while self._paused and self._steps == 0 and not self._closed:
                self._lock.wait(0.2)
            self._steps = max(0, self._steps - 1)

    def next_frame(self, after: str) -> bytes:
        """The latest frame if it is not `after`, waiting a while for it; b"": there is none."""
        with self._lock:
            self._lock.wait_for(lambda: (str(self._index) != after and self._index >= 0) or self._closed, 10.0)
            return b"" if str(self._index) == after else self._frame

    def command(self, command: dict[str, Any]) -> None:
        """What the page wishes: pause and step are for the program that runs; the rest is its own affair."""
        with self._lock:
            if "pause" in command:
                self._paused = bool(command["pause"])
            self._steps += int(command.get("step", 0))
            self._lock.notify_all()

    def close(self) -> None:
        with self._lock:
            self._closed, self._paused = True, False
            self._lock.notify_all()
        self._server.shutdown()
        self._server.server_close()


def view(what: Any, state: Any = None, *, rate: float = 0.0, show: bool = True) -> View:
    """Opens the viewer for a recording (its path, or a cond.Recording) or for a simulation: view(sim, state), whose
    page follows `update`. In a notebook the page is shown below the cell. show=False: only serves, at `address`."""
    path = getattr(what, "path", what)
    page: View
    if isinstance(path, (str, os.PathLike)):
        page = RecordingView(os.fspath(path))
    elif hasattr(what, "state") and hasattr(what, "sim"):  # a cond.Env
        page = LiveView(what.model, lambda: (what.model, what.state, what.sim), rate=rate)
    else:
        shown = what.model.state() if state is None else state
        page = LiveView(what.model, lambda: (None, shown, what), rate=rate)
    if show:
        page.open()
    return page
