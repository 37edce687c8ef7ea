#!/usr/bin/env python3
"""Draws docs/pictures/imitate.png: success of the episodes of a round against actions, from the curves beside it
(examples/python/imitate.py --curve).

    python tools/plot_learning.py
"""
from __future__ import annotations

import csv
from pathlib import Path

from matplotlib import pyplot

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def main() -> None:
    """One line a task, without its first round, in which the script acts."""
    figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
    for path in sorted(FOLDER.glob("imitate_*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))[1:]
        axes.plot([float(row["actions"]) for row in rows], [100.0 * float(row["success"]) for row in rows],
                  marker="o", markersize=4, label=path.stem.removeprefix("imitate_"))
    axes.set(xlabel="actions in all environments together", ylabel="success of episodes [%]", ylim=(-3, 103), xscale="log")
    axes.set_xticks([1e3, 2e3, 5e3, 1e4, 2e4, 5e4], ["1000", "2000", "5000", "10,000", "20,000", "50,000"])
    axes.set_xticks([], minor=True)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(FOLDER / "imitate.png", dpi=110)


if __name__ == "__main__":
    main()
