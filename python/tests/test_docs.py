"""The pages for users of Python, line by line: every block of code runs, in order, as one program a page."""
from __future__ import annotations

import re
import shlex
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import cond

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["docs/python.md", "docs/gym.md", "docs/tasks.md"]
# What prepares an environment: tools/check_python.sh does it before these tests run.
PREPARES = ("python3 -m venv ", "pip install ")


class Block(NamedTuple):
    """A piece of code of a page: "python", "python fragment", "shell", or another language."""

    line: int
    kind: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """Those between fences, and lines that are indented by four, which are commands."""
    kind, lines, begin = "", [], 0
    for number, line in enumerate([*page.read_text(encoding="utf-8").splitlines(), ""], 1):
        fence = re.match(r"```(.*)", line)
        if kind == "shell" and not line.startswith("    "):
            yield Block(begin, kind, "\n".join(lines))
            kind = ""
        if fence and not kind:
            kind, lines, begin = fence[1].strip() or "plain", [], number + 1
        elif fence:
            yield Block(begin, kind, "\n".join(lines))
            kind = ""
        elif kind:
            lines.append(line[4:] if kind == "shell" else line)
        elif line.startswith("    "):
            kind, lines, begin = "shell", [line[4:]], number
    assert kind == "", f"{page}: a fence is open"


def commands(text: str) -> Iterator[str]:
    """Each line up to what explains it, which stands behind two spaces or more."""
    for line in text.splitlines():
        command = re.split(r"\s{2,}", line)[0].strip()
        if command and not command.startswith(PREPARES):
            yield command


def run(command: str, folder: Path) -> None:
    """A command of the shell: the package's own tool, or Python."""
    words = shlex.split(command)
    as_python = {"cond": [sys.executable, "-m", "cond"], "python": [sys.executable]}
    assert words[0] in as_python, f"{command}: nothing that a user of the package has"
    if words[0] == "python" and words[1].endswith(".py"):
        words[1] = str(ROOT / words[1])
    done = subprocess.run([*as_python[words[0]], *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"


def walk(page: Path, folder: Path) -> int:
    """Runs a page; returns the number of its blocks."""
    names: dict[str, Any] = {"__name__": "__page__"}
    n = 0
    for block in blocks(page):
        if block.kind.startswith("python"):
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            if block.kind == "python":
                exec(code, names)
            n += 1
        elif block.kind == "shell":
            for command in commands(block.text):
                run(command, folder)
            n += 1
    for name in ("env", "envs"):
        if name in names and hasattr(names[name], "close"):
            names[name].close()
    return n


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: Path(page).stem)
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    assert walk(ROOT / page, tmp_path) >= 2


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it shows of Python."""
    monkeypatch.chdir(tmp_path)
    shown = [block for block in blocks(ROOT / "README.md") if block.kind == "python"]
    assert shown
    for block in shown:
        exec(compile(block.text, "README.md", "exec"), {})


def test_tasks_are_all_described() -> None:
    """Every task has a row of the table and a section of the page."""
    from cond.tasks import TASKS

    text = (ROOT / "docs/tasks.md").read_text(encoding="utf-8")
    for name in TASKS:
        assert f"| `{name}` |" in text, name
        title = name.removeprefix("cond/").split("-")[0]
        assert f"\n## {title}\n" in text, title
    assert cond.__doc__ is not None


def test_reference_is_complete() -> None:
    """Classes, functions, fields and their defaults, as the package has them."""
    done = subprocess.run([sys.executable, str(ROOT / "tools/check_reference.py"), sys.executable],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
