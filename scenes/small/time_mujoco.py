#!/usr/bin/env python3
"""Steps MJCF files in MuJoCo and prints one line of JSON for each: what `cond bench small` compares with.

    time_mujoco.py STEPS:FROM:FILE ...

Of STEPS steps, those from FROM on are timed, one by one, with MuJoCo's default settings and the time step of the file.
Starts at the keyframe 0 where there is one."""
import json
import sys
import time
from typing import Any

try:
    import mujoco  # type: ignore[import-not-found,unused-ignore]
    import numpy as np
except ImportError as missing:
    print(json.dumps({"missing": str(missing)}))
    sys.exit(0)


def energy(m: Any, d: Any) -> float:
    mujoco.mj_energyPos(m, d)
    mujoco.mj_energyVel(m, d)
    return float(d.energy[0] + d.energy[1])


def run(steps: int, first: int, path: str) -> dict[str, Any]:
    m = mujoco.MjModel.from_xml_path(path)
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
        d.ctrl[:] = m.key_ctrl[0]
    seconds: list[float] = []
    contacts, iterations, deepest = 0, 0, 0.0
    clock = time.perf_counter
    for k in range(steps):
        begin = clock()
        mujoco.mj_step(m, d)
        seconds.append(clock() - begin)
        if k >= first:
            contacts += d.ncon
            iterations += int(d.solver_niter[0])
            for c in range(d.ncon):
                deepest = max(deepest, -float(d.contact.dist[c]))
    taken = np.array(seconds[first:])
    n = max(len(taken), 1)
    return {"file": path, "version": mujoco.__version__, "steps": n, "us": 1e6 * float(taken.mean()),
            "median_us": 1e6 * float(np.median(taken)), "worst_us": 1e6 * float(taken.max()), "contacts": contacts / n,
            "iterations": iterations / n, "depth_mm": 1e3 * deepest, "energy": energy(m, d)}


def main() -> None:
    for task in sys.argv[1:]:
        steps, first, path = task.split(":", 2)
        print(json.dumps(run(int(steps), int(first), path)), flush=True)


if __name__ == "__main__":
    main()
