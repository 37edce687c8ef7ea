"""What a call from Python costs over the same call from C, in nanoseconds: each is made many times, and the best of
several rounds counts, so that a busy machine does not. C's own time for a step is told by the stages of the step.

    python python/bench/overhead.py
"""
from __future__ import annotations

import time
from collections.abc import Callable

import cond


def cost(call: Callable[[], object], times: int = 500, rounds: int = 400) -> float:
    """Nanoseconds of one call, less those of the empty loop around it."""
    def best(function: Callable[[], object]) -> float:
        least = float("inf")
        for _ in range(rounds):
            start = time.thread_time_ns()
            for _ in range(times):
                function()
            least = min(least, (time.thread_time_ns() - start) / times)
        return least

    return best(call) - best(lambda: None)


def main() -> None:
    model = cond.Model.from_text("bodies: [{name: p, kind: particle, mass: 1}]")
    sim, state, info = cond.Sim(model), model.state(), cond.StepInfo()
    force = [0.0, 0.0, 0.0]
    push = state.push("p", force)
    for name, call in (
        ("state.time", lambda: state.time),
        ("state.q (the view)", lambda: state.q),
        ("model.n_dof", lambda: model.n_dof),
        ("model.body('p')", lambda: model.body("p")),
        ("info.time", lambda: info.time),
        ("state.hash()", lambda: state.hash()),
        ("state.set_push(i, force)", lambda: state.set_push(push, force)),
        ("state.set_velocity(0, v)", lambda: state.set_velocity(0, force)),
        ("state.pose(0)", lambda: state.pose(0)),
        ("sim.n_contact", lambda: sim.n_contact),
        ("sim.body_force(0)", lambda: sim.body_force(0)),
    ):
        print(f"{name:28} {cost(call):8.0f} ns")
    from cond._cond import lib

    for name, call in (("lib.cond_sim_step", lambda: lib.cond_sim_step(sim._c, state._c, info._c)),
                       ("sim.step(state, info)", lambda: sim.step(state, info)),
                       ("sim.step(state)", lambda: sim.step(state))):
        print(f"{name:28} {cost(call, 50):8.0f} ns")


if __name__ == "__main__":
    main()
