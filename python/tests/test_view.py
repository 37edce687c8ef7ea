"""What the installed package shows and says of itself: the viewer's pages, the command, the distribution."""
from __future__ import annotations

import base64
import gzip
import importlib.metadata
import json
import re
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
import webbrowser
from html import unescape
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import numpy as np
import pytest

import cond
from cond.view import RecordingPage, RunPage

needs_page = pytest.mark.skipif(not Path(cond.share("viewer.html")).exists(), reason="the viewer's page is not built")


@pytest.fixture
def recording(model: cond.Model, tmp_path: Path) -> Path:
    """Ten steps in a file."""
    with cond.Record(tmp_path / "run.h5", model) as record:
        cond.Sim(model).run(model.state(), 10, record=record)
    return tmp_path / "run.h5"


def read(page: str) -> tuple[dict[str, Any], list[bytes]]:
    """Scene and frames of a page that holds them, as viewer/src/source.ts reads them."""
    found = re.search(r'<script id="cond-data" type="application/x-cond">([^<]*)</script>', page)
    assert found
    data, parts = gzip.decompress(base64.b64decode(found[1])), []
    while data:
        size = int.from_bytes(data[:8], "little")
        parts.append(data[8 : 8 + size])
        data = data[8 + size :]
    return json.loads(parts[0]), parts[1:]


@needs_page
def test_recording_is_served(recording: Path) -> None:
    for what in (str(recording), recording, cond.Recording(recording)):
        with cond.view(what, show=False) as page:
            with urllib.request.urlopen(page.address + "scene.json", timeout=20) as answer:
                assert json.load(answer)["n_frame"] == 11


@needs_page
def test_the_server_ends_with_the_program(recording: Path) -> None:
    """It outlives a Ctrl-C that the program survives, and nothing else."""
    program = textwrap.dedent(f"""
        import os, signal, urllib.request, cond
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which shells ignore in the background
        page = cond.view({str(recording)!r}, show=False)
        try:
            os.killpg(0, signal.SIGINT)
            signal.pause()
        except KeyboardInterrupt:
            print(urllib.request.urlopen(page.address + "scene.json", timeout=20).status)
        print(page.address)
        """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                          start_new_session=True, timeout=120)
    status, address = done.stdout.split()
    assert status == "200", done.stderr
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=20)


@needs_page
def test_recording_in_a_page(recording: Path, tmp_path: Path) -> None:
    page: Any = cond.view(recording, show=False, server=False)
    scene, frames = read(page.html())
    assert scene["n_frame"] == len(frames) == 11 and not scene["live"]
    shown = re.fullmatch(r'<iframe srcdoc="([^"]*)" [^>]*></iframe>', page._repr_html_())
    assert shown and read(unescape(shown[1])) == (scene, frames)
    page.save(tmp_path / "run.html")
    assert read((tmp_path / "run.html").read_text(encoding="utf-8")) == (scene, frames)


@needs_page
def test_run_in_a_page_is_its_recording(model: cond.Model, recording: Path) -> None:
    """The frames of a run are those of its recording, but for the fields that only recordings have."""
    sim, state = cond.Sim(model), model.state()
    page: Any = cond.view(sim, state, server=False)
    assert isinstance(page, RunPage)
    for _ in range(10):
        page.update(info=sim.step(state))
    scene, frames = read(page.html())
    told, recorded = read(RecordingPage(str(recording)).html())
    assert scene["n_frame"] == len(frames) == len(recorded) and len(scene["series"]) == len(scene["numbers"])
    for name in ("n_point", "corner", "end", "type", "body", "bodies"):
        assert scene[name] == told[name], name
    time = [number["name"] for number in scene["numbers"]].index("time")
    assert np.allclose(scene["series"][time], told["series"][time])
    for ours, theirs in zip(frames, recorded, strict=True):
        first, second = np.frombuffer(ours, "<i4", 5, 4), np.frombuffer(theirs, "<i4", 5, 4)
        assert np.array_equal(first[:4], second[:4])
        at, n = 24 + 8 * int(first[3]), 3 * int(first[1])
        assert np.array_equal(np.frombuffer(ours, "<f4", n, at), np.frombuffer(theirs, "<f4", n, at))


@needs_page
def test_episode_in_a_page() -> None:
    env = cond.Env("pusher")
    page: Any = cond.view(env, server=False)
    for k in range(3):
        env.reset(seed=k)
        env.step(env.still_action())
        page.update()
    assert read(page.html())[0]["n_frame"] == 4


@needs_page
def test_notebooks_keep_recordings(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook a recording is a page in the output of the cell; elsewhere the browser opens it."""
    shown: list[Any] = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    with cond.view(recording) as page:
        assert shown == [page.address]
    monkeypatch.setattr(sys.modules["cond.view"], "notebook_display", lambda: shown.append)
    page = cond.view(recording)
    assert isinstance(page, RecordingPage) and shown[1:] == [page]


@needs_page
def test_a_cell_shows_once(recording: Path) -> None:
    """A real notebook: a recording as the last line, a run that goes on, and a page that is shown again."""
    cells = ["import cond", f"page = cond.view({str(recording)!r})\npage", "page", """
model = cond.Model.from_path("push")
sim, state = cond.Sim(model), model.state()
run = cond.view(sim, state, server=False)
run.open()
run.update(info=sim.step(state))
run"""]
    notebook = nbformat.v4.new_notebook(  # type: ignore[no-untyped-call]
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells])  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(notebook, timeout=60).execute()
    shown = [[output["data"]["text/html"] for output in cell.outputs] for cell in notebook.cells]
    assert [len(outputs) for outputs in shown] == [0, 1, 1, 2]
    assert all(html.startswith("<iframe srcdoc=") for outputs in shown for html in outputs)


@needs_page
def test_what_can_be_looked_at(model: cond.Model) -> None:
    """A model, a state, a simulation, an environment."""
    state = model.state()
    for what in (model, state, cond.Sim(model), cond.Env("pusher")):
        with cond.view(what, show=False) as page:
            with urllib.request.urlopen(page.address + "next/-1", timeout=20) as answer:
                assert answer.read().startswith(b"CFRM")
    other = cond.Model.from_path("drop").state()
    with pytest.raises(cond.BadArgument, match=r"no state of <cond\.Model 'push'"):
        cond.view(cond.Sim(model), other)


def test_what_cannot_be_shown_is_said(tmp_path: Path) -> None:
    with pytest.raises(cond.NoFile, match=r"none\.h5"):
        cond.view(tmp_path / "none.h5")
    with pytest.raises(cond.BadArgument, match="3 is no recording, simulation"):
        cond.view(3)
    (tmp_path / "bad.h5").write_text("no recording")
    with pytest.raises(cond.Error, match=r"bad\.h5"):
        cond.view(tmp_path / "bad.h5", show=False)
    with pytest.raises(cond.Error, match=r"bad\.h5"):
        cond.view(tmp_path / "bad.h5", show=False, server=False).html()


def test_distribution() -> None:
    """The package is not found in an index under another's name; the command is the tool."""
    try:
        told = importlib.metadata.metadata("cond-sim")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    assert told["License-Expression"] == "Apache-2.0" and told["Author"] == "The COND contributors"
    assert told["Version"] == cond.__version__
    (command,) = [entry for entry in importlib.metadata.distribution("cond-sim").entry_points if entry.name == "cond"]
    script = Path(sys.executable).parent / "cond"
    assert command.value == "cond_tool:main" and script.exists()
    done = subprocess.run([sys.executable, script, "--version"], capture_output=True, text=True, check=True)
    assert cond.__version__ in done.stdout
    failed = subprocess.run([sys.executable, script, "run", "nowhere.yaml"], capture_output=True, check=False)
    assert failed.returncode == 2
