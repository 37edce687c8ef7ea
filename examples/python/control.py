"""Model-predictive control by rollouts: a finger pushes a box to a place and an orientation.

Five times a second the controller draws many motions of the finger for the next second, simulates all of
them from where things are (cond.rollout, on all cores), and goes on along the best one. It plans with a box that is
lighter and less rough than the one it pushes, and makes up for that by looking again. Run it by

    python control.py [--seed N] [--plans N] [--record FILE.h5]
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import cond

Array = NDArray[np.float64]

SCENE = """
step: {time_step: 0.02, theta: 1}
solver: {tolerance: 1.0e-6}
planes: [{name: table, friction: 0.3}]
bodies:
  - {name: box, mass: 0.5, shape: {box: [0.12, 0.08, 0.06]}, position: [0, 0, 0.03]}
  - name: finger
    kind: robot
    friction: 0.3
    motor: {stiffness: 3000, damping: 60}
    joints: [{name: x, position: -0.15}, {name: y, position: 0.02}]
    links:
      - {name: base}
      - {name: beam, parent: base, joint: {name: x, kind: prismatic, axis: [1, 0, 0], lower: -0.5, upper: 0.5}}
      - name: tip
        parent: beam
        joint: {name: y, kind: prismatic, axis: [0, 1, 0], lower: -0.5, upper: 0.5}
        mass: 0.3
        inertia: [1.0e-4, 1.0e-4, 1.0e-4]
        shapes: [{capsule: [0.015, 0.03], position: [0, 0, 0.035]}]
"""
PLANT = {"bodies.box.mass": 0.65, "planes.table.friction": 0.4}  # what is pushed; the plans know SCENE alone
GOAL = np.array([0.2, 0.1, 0.5])  # place of the box [m] and its angle [rad]
NEAR = np.array([0.01, 0.01, 0.1])
SAMPLES, HORIZON, KNOTS, APPLIED = 64, 50, 4, 10  # plans, their time steps, their free points, steps until the next
SPEED = 0.5  # of the finger, at most [m/s]


def box_of(q: Array) -> Array:
    """x, y and angle (... x 3) of the box, from its place and quaternion (... x 7)."""
    angle = 2.0 * np.arctan2(q[..., 6], q[..., 3])
    return np.concatenate([q[..., :2], np.remainder(angle + math.pi, 2.0 * math.pi)[..., None] - math.pi], axis=-1)


def cost(model: cond.Model, q: Array) -> Array:
    """Of plans, from their configurations (n_batch x n_step x n_q): how far the box is from the goal, at the end
    above all, and how far the finger is from where it would push, behind the box."""
    box, finger = box_of(q[..., model.qs("box")]), q[..., model.qs("finger")]
    error = (box - GOAL) * np.array([1.0, 1.0, 0.06])  # an angle counts as the path of a point 60 mm away
    away = np.linalg.norm(error, axis=-1)
    toward = error[..., :2] / (np.linalg.norm(error[..., :2], axis=-1, keepdims=True) + 0.01)
    reach = np.linalg.norm(finger - box[..., :2] - 0.07 * toward, axis=-1)
    total: Array = away.mean(axis=1) + 3.0 * away[:, -1] + 0.1 * reach.mean(axis=1)
    return total


@dataclass
class Planner:
    """Predictive sampling: the best of the last plan and of many around it."""

    model: cond.Model
    rng: np.random.Generator
    worst: float = 0.0  # certificate of all simulated steps
    steps: int = 0

    def __post_init__(self) -> None:
        self.knots = np.zeros((KNOTS, 2))  # velocities of the finger [m/s]

    def motions(self, knots: Array, start: Array) -> Array:
        """Targets of the finger (n_batch x n_step x 2) that go along with velocities between knots."""
        at = np.linspace(0.0, KNOTS - 1.0, HORIZON)
        low = np.minimum(at.astype(int), KNOTS - 2)
        share = (at - low)[:, None]
        speed = (1.0 - share) * knots[:, low] + share * knots[:, low + 1]
        targets: Array = start + self.model.time_step * np.cumsum(speed, axis=1)
        return targets

    def plan(self, state: cond.State, target: Array) -> Array:
        """Targets (APPLIED x 2) of the next steps."""
        shifted = np.array([np.interp(np.arange(KNOTS) + (KNOTS - 1) * APPLIED / HORIZON, np.arange(KNOTS), column)
                            for column in self.knots.T]).T
        spread = self.rng.choice([0.1, 0.25, 0.5], SAMPLES)[:, None, None]
        knots = shifted + spread * self.rng.standard_normal((SAMPLES, KNOTS, 2))
        knots[0], knots[1] = shifted, 0.0
        knots = np.clip(knots, -SPEED, SPEED)
        motions = self.motions(knots, target)
        rollout = cond.rollout(self.model, state, motions, controls="move")
        self.worst = max(self.worst, float(rollout.certificate.max()))
        self.steps += SAMPLES * HORIZON
        best = int(np.argmin(cost(self.model, rollout.q)))
        self.knots = knots[best]
        chosen: Array = motions[best, :APPLIED]
        return chosen


def main(arguments: list[str] | None = None) -> tuple[Array, int]:
    parser = argparse.ArgumentParser(description="a finger pushes a box by model-predictive control")
    parser.add_argument("--seed", type=int, default=0, help="of the plans")
    parser.add_argument("--plans", type=int, default=150, help="most of them")
    parser.add_argument("--record", help="file (.h5) for cond view")
    options = parser.parse_args(arguments)
    model, plant = cond.Model.from_text(SCENE), cond.Model.from_text(SCENE, overrides=PLANT)
    planner = Planner(model, np.random.default_rng(options.seed))
    sim, state, belief = cond.Sim(plant), plant.state(), model.state()
    target = state.configuration("finger").copy()
    record = cond.Record(options.record, plant) if options.record else None
    certificate, missed = 0.0, 0
    n_plan = 0
    while n_plan < options.plans:
        belief.q, belief.v = state.q, state.v  # the plans begin where things are
        belief.set_targets("finger", target)
        motions = planner.plan(belief, target)
        for target in motions:
            state.set_targets("finger", target, moves=True)
            run = sim.run(state, 1, record=record)
            certificate, missed = max(certificate, float(run.certificate.max())), missed + run.n_missed
        n_plan += 1
        box = box_of(state.configuration("box"))
        if np.all(np.abs(box - GOAL) < NEAR):
            break
    print(f"after {n_plan} plans ({state.time:.1f} s): box at {box[0]:.4f}, {box[1]:.4f} m, {box[2]:.3f} rad; "
          f"goal {GOAL[0]}, {GOAL[1]} m, {GOAL[2]} rad")
    print(f"{planner.steps} steps of plans, worst certificate {planner.worst:.1e}; "
          f"of the box that was pushed {certificate:.1e}, {missed} missed")
    return box - GOAL, n_plan


if __name__ == "__main__":
    main()
