"""cond.view: the viewer's page, for a recording, and for a simulation that runs here. In Jupyter it shows inline."""
from __future__ import annotations

import html
import http.server
import json
import os
import subprocess
import tempfile
import threading
import time
import weakref
import webbrowser
from collections.abc import Callable
from typing import Any, Literal, overload

from cond.env import Env
from cond.errors import BadArgument, Error, NoFile
from cond.memory import Path
from cond.model import Model
from cond.recording import Recording
from cond.sim import Sim
from cond.stage import Stage, page_of, read_page
from cond.state import State
from cond_tool import TOOL

PAGE_HEIGHT = 480  # pixels in a notebook


class View:
    """A page that is served on this machine until it is closed. Jupyter shows it in the output of a cell."""

    address: str = ""
    _cell: int | None = None  # of a notebook, which has shown it

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

    def _ipython_display_(self) -> None:
        """Once a cell: what `open` has shown there is not shown again as its last line."""
        import IPython.display

        notebook: Any = IPython
        cell = notebook.get_ipython().execution_count
        if cell != self._cell:
            self._cell = cell
            notebook.display.publish_display_data({"text/html": self._repr_html_(), "text/plain": repr(self)})

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


def end_server(process: subprocess.Popen[str], owner: int) -> None:
    """Ends the tool; a child of a fork leaves it to its parent."""
    if os.getpid() != owner:
        return
    process.terminate()
    process.communicate()


class RecordingView(View):
    """A recording, served by the tool `cond view` until this is closed, forgotten, or the program ends. Ctrl-C is for
    the program alone."""

    def __init__(self, path: str) -> None:
        process = subprocess.Popen([TOOL, "view", path, "--no-open"], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True)
        self._end = weakref.finalize(self, end_server, process, os.getpid())
        assert process.stdout is not None and process.stderr is not None
        self.address = process.stdout.readline().strip()
        if not self.address:
            raise Error(process.stderr.read().strip() or "cond view did not start")

    def close(self) -> None:
        self._end()


class PageView(View):
    """A page that holds all it shows, in one file, and needs no server: a notebook keeps it in the output of a cell,
    wherever its browser runs."""

    def html(self) -> str:
        """The whole page."""
        raise NotImplementedError

    def save(self, path: Path) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def open(self) -> None:
        """Shows the page below the cell of a notebook; elsewhere in the browser, from a file that stays."""
        display = notebook_display()
        if display is not None:
            display(self)
            return
        handle, path = tempfile.mkstemp(".html", "cond-")
        os.close(handle)
        self.save(path)
        self.address = f"file://{path}"
        webbrowser.open(self.address)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html())}" width="100%" height="{PAGE_HEIGHT}" '
                'style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return "<cond viewer in a page>"


class RecordingPage(PageView):
    """A recording in a page, as `cond view --export` makes it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def html(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            done = subprocess.run([TOOL, "view", self._path, "--export", page], text=True, capture_output=True,
                                  stdin=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                raise Error(done.stderr.strip() or f"cond view ended with status {done.returncode}")
            with open(page, encoding="utf-8") as file:
                return file.read()


class RunPage(PageView):
    """A page of a simulation that this program runs: every update adds a frame.

        page = cond.view(sim, state, server=False)
        for _ in range(100):
            page.update(info=sim.step(state))
        page                                        # the last line of a cell shows it; or page.save("run.html")
    """

    def __init__(self, model: Any, source: Callable[[], tuple[Any, Any, Any]], *, name: str = "Python") -> None:
        """source: gives the model (None: as before), the state and the sim of an update."""
        self.name, self._source = name, source
        self._stage = Stage(model)
        self._scene = self._stage.scene(name)
        self._frames: list[bytes] = []
        self.update()

    def update(self, *, info: Any = None) -> None:
        """Adds what is now. info: what sim.step returned, for the plots of certificate and energies."""
        model, state, sim = self._source()
        if model is not None and self._frames:
            stage = Stage(model)
            if stage.scene(self.name) != self._scene:
                raise BadArgument("a page shows one scene, and this episode has another: begin another page")
            self._stage = stage
        self._frames.append(self._stage.frame(len(self._frames), state, sim, info))
        self._cell = None

    def html(self) -> str:
        return page_of(self._stage, self.name, self._frames).decode()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers requests of the page from this machine only."""

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
        """source: gives the model (None: as before), the state and the sim of an update without arguments. rate:
        updates a second at most, so that what is shown keeps pace with the clock; 0: as fast as they come."""
        self.page = read_page()
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


def source_of(what: Any, state: Any) -> Callable[[], tuple[Any, Any, Any]]:
    """What a page asks at every update: model, where it may be another one each time, state and sim."""
    if isinstance(what, Env):
        return lambda: (what.model, what.state, what.sim)
    if isinstance(what, State) and state is None:
        return lambda: (None, what, None)
    if not isinstance(what, (Model, Sim)):
        raise BadArgument(f"view: {what!r} is no recording, simulation, model, state or environment")
    model, sim = (what, None) if isinstance(what, Model) else (what.model, what)
    shown = model.state() if state is None else state
    if not isinstance(shown, State) or shown.model._c != model._c:
        raise BadArgument(f"view: {shown!r} is no state of {model!r}")
    return lambda: (None, shown, sim)


@overload
def view(what: Sim | State | Model | Env, state: State | None = None, *, rate: float = 0.0, show: bool = True,
         server: Literal[False]) -> RunPage: ...
@overload
def view(what: Sim | State | Model | Env, state: State | None = None, *, rate: float = 0.0, show: bool = True,
         server: Literal[True] | None = None) -> LiveView: ...
@overload
def view(what: Path | Recording, state: None = None, *, rate: float = 0.0, show: bool = True,
         server: Literal[False]) -> RecordingPage: ...
@overload
def view(what: Path | Recording, state: None = None, *, rate: float = 0.0, show: bool = True,
         server: bool | None = None) -> View: ...
def view(what: Any, state: Any = None, *, rate: float = 0.0, show: bool = True, server: bool | None = None) -> View:
    """Opens the viewer for a recording (its path, or a cond.Recording) or for what is in memory: view(sim, state),
    whose page follows `update`; what may also be a cond.Env, and without forces a cond.State or a cond.Model, of which
    it shows the start. In a notebook the page is shown below the cell.

    server: True serves the page on this machine; False makes a page that holds everything, which its `save` writes
    and a notebook keeps. By default that is what a notebook gets of a recording; all else is served.
    show=False: opens nothing. A page of a simulation without a server is shown when its `open` is called, or as the
    last line of a cell."""
    path = getattr(what, "path", what)
    if isinstance(path, (str, os.PathLike)):
        if not os.path.exists(path):
            raise NoFile(f"{os.fspath(path)}: there is no such file")
        if not os.access(TOOL, os.X_OK):
            raise NoFile(f"{TOOL} is not there: build the target cond_cli")
        served = notebook_display() is None if server is None else server
        page: View = RecordingView(os.fspath(path)) if served else RecordingPage(os.fspath(path))
        if show:
            page.open()
        return page
    source = source_of(what, state)
    model = what if isinstance(what, Model) else what.model
    if server is False:
        return RunPage(model, source)
    live = LiveView(model, source, rate=rate)
    if show:
        live.open()
    return live
