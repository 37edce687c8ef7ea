"""The same bits as the tool makes, in every scene that ships with COND."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import cond

SCENES = sorted(path for path in Path(cond.share("scenes")).rglob("*.yaml") if path.name != "materials.yaml")
STEPS = 2
TOOL = Path(cond.__file__).parent / "bin" / "cond"


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_same_bits_as_the_tool(path: Path, tmp_path: Path) -> None:
    saved = tmp_path / "state"
    command = [str(TOOL), "run", str(path), "--steps", str(STEPS), "--quiet", "--save", str(saved)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr  # 3: a step missed its tolerance
    model = cond.Model.from_path(path)
    sim, state, of_the_tool = cond.Sim(model), model.state(), model.state()
    for _ in range(STEPS):
        sim.step(state)
    of_the_tool.read(saved)
    assert state.hash() == of_the_tool.hash() != model.state().hash()


def test_module_is_the_tool() -> None:
    """python -m cond takes the tool's arguments and gives its exit codes."""
    for words in (["--version"], ["run", "nowhere.yaml"]):
        tool, module = (subprocess.run([*command, *words], capture_output=True, text=True, check=False)
                        for command in ([str(TOOL)], [sys.executable, "-m", "cond"]))
        assert (module.returncode, module.stdout, module.stderr) == (tool.returncode, tool.stdout, tool.stderr)
