"""The examples in Python and the notebooks run, and find what they shall find."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import nbclient
import nbformat
import numpy as np
import pytest

import cond

ROOT = Path(__file__).resolve().parents[2]


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / "python" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def options(values: dict[str, Any]) -> list[str]:
    """As the command line has them."""
    return [f"--{name}={value}" for name, value in values.items()]


def test_identify() -> None:
    """Without noise the parameters are found to six digits."""
    identify = example("identify")
    found, _ = identify.main(["--noise", "0"])
    assert np.all(np.abs(found / np.array(identify.TRUTH) - 1.0) < 1e-6)


def test_learn() -> None:
    """A generation of few policies is learned from, and tried on seeds it never saw."""
    few = {"generations": 2, "draws": 4, "seeds": 1, "unseen": 2, "every": 1, "actions": 9, "threads": 1}
    rows = example("learn").main([f"--{name}={value}" for name, value in few.items()])
    assert [row[0] for row in rows] == [1, 2] and rows[1][1] == 72 and 0.0 <= rows[1][4] <= 1.0


def test_imitate(tmp_path: Path) -> None:
    """Two rounds by the script's answers, the files that they write, and three trials."""
    few = {"rounds": 2, "steps": 5, "last-steps": 5, "n-env": 2, "actions": 200, "batch": 64, "width": 8,
           "last-seeds": 2, "other-seeds": 1, "threads": 1}
    files = {"policy": tmp_path / "policy.npz", "curve": tmp_path / "curve.csv"}
    shares = example("imitate").main(["cond/BallGrip-v0", *options(few | files)])
    assert shares.keys() == {"policy", "clone", "random"} and shares["random"] == 0.0
    rows = files["curve"].read_text().splitlines()
    assert rows[0] == "actions,seconds,success" and rows[1].startswith("400,") and rows[1].endswith(",1.0")
    assert rows[2].startswith("800,") and len(rows) == 3
    assert cond.gym.Policy.load(files["policy"])(np.zeros((1, 107))).shape == (1, 5)


def test_control() -> None:
    """A few plans push the box to its goal."""
    control = example("control")
    error, _ = control.main(["--plans", "30"])
    assert np.all(np.abs(error) < control.NEAR)


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(notebook: Path) -> None:
    """Notebooks hold assertions of their own."""
    cells = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    assert all(not cell.get("outputs") for cell in cells.cells), "notebooks are kept without their outputs"
    nbclient.NotebookClient(cells, timeout=120, resources={"metadata": {"path": str(notebook.parent)}}).execute()
