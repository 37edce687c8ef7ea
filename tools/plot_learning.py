#!/usr/bin/env python3
"""Draws docs/pictures/ppo.png: success of the episodes of learning against actions, from the curves beside it
(examples/python/ppo.py --curve).

    python tools/plot_learning.py
"""
from __future__ import annotations

import csv
from pathlib import Path

from matplotlib import pyplot

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def main() -> None:
    """One line a task."""
    figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
    for path in sorted(FOLDER.glob("ppo_*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        axes.plot([float(row["actions"]) for row in rows], [100.0 * float(row["success"]) for row in rows],
                  marker="o", label=path.stem.removeprefix("ppo_"))
    axes.set(xlabel="actions in all environments together", ylabel="success of episodes [%]", ylim=(-3, 103))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(FOLDER / "ppo.png", dpi=110)


if __name__ == "__main__":
    main()
