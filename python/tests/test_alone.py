"""The package in an environment that has nothing but what it depends on."""
from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import cond

NEEDS = ("cond", "cond_tool", "cffi", "pycparser", "numpy", "_cffi_backend")

PROGRAM = """
import sys
sys.path.append(sys.argv[1])
import cond, cond_tool
from cond.tasks import TASKS
model = cond.Model.from_path("push")
state = model.state()
print(cond.Sim(model).run(state, 3).n_step)
task = TASKS["cond/Pusher-v0"]
env = cond.Env(cond.share(task.scene), task.overrides)
script = task.make_script(env.layout)
print(env.step(script(env.reset(seed=3))).success)
try:
    cond.gym
except AttributeError as error:
    print(error)
"""


def test_without_anything_else(tmp_path: Path) -> None:
    """NumPy and cffi are enough for all but cond.gym, which says what it needs."""
    for name in NEEDS:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            pytest.skip(f"{name} is not to be found")
        origin = Path(spec.origin)
        place = origin.parent if origin.stem == "__init__" else origin
        (tmp_path / place.name).symlink_to(place)
    for libraries in Path(cond.__file__).parents[1].glob("*.libs"):  # where wheels keep what they carry
        (tmp_path / libraries.name).symlink_to(libraries)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("3\nFalse\ncond.gym needs Gymnasium, which is not installed: pip install gymnasium\n")
