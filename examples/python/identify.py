"""Identification: stiffness and friction of a cable, found from a recorded trajectory.

A cable lies on a table. Its end is lifted, moved aside and lowered again, and a camera sees twelve markers on it
twenty times a second: here a recording of a run whose parameters the rest of the program does not know, with
noise. scipy's least squares then finds the parameters with which a simulation takes the markers there:

    minimise  sum over times and markers |x(E, mu) - x_seen|^2

Every step is solved to its certificate, so that a marker's place is a function of the parameters without the noise
of an unfinished solve, and differences of 1 % give its derivatives. Run it by

    python identify.py [--noise METRES] [--seed N]
"""

from __future__ import annotations

import argparse
import os
import tempfile

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares  # type: ignore[import-untyped]

import cond

Array = NDArray[np.float64]

SCENE = """
step: {time_step: 0.01, theta: 1}
materials:
  - name: rubber
    youngs_modulus: 1.0e6
    poisson_ratio: 0.45
    density: 1200
    stiffness_damping: 0.005
    geometric: clamped
planes: [{name: table, friction: 0.4}]
bodies:
  - name: cable
    kind: rod
    material: rubber
    rod: {links: 30, length: 0.5, circle: 0.003}
    position: [-0.25, 0, 0.0031]
    rotation: {axis: [0, 1, 0], degrees: 90}
attachments:
  - {name: hand, from: {body: cable, at: 0.5}, to: {trajectory: path}, turns: false, stiffness: 1000, damping: 5}
trajectories:
  - name: path
    waypoints:
      - {time: 0, position: [0.25, 0, 0.0031]}
      - {time: 0.6, position: [0.18, 0, 0.1]}
      - {time: 1.3, position: [0.15, 0.2, 0.1]}
      - {time: 2, position: [0.0, 0.2, 0.01]}
"""
STEPS, EVERY, MARKERS = 200, 5, 12
TRUTH = (1.8e6, 0.27)  # Young's modulus [Pa] and friction, which the fit does not see
GUESS = (5.0e5, 0.6)


def model_of(modulus: float, friction: float) -> cond.Model:
    overrides = {"materials.rubber.youngs_modulus": modulus, "planes.table.friction": friction}
    return cond.Model.from_text(SCENE, overrides=overrides)


def markers(scenery: cond.Scenery) -> NDArray[np.int64]:
    """Points on the surface of the cable, spread over its length."""
    of_cable = np.repeat(scenery.body == scenery.bodies.index("cable"), np.diff(scenery.corner_end, prepend=0))
    points = np.unique(scenery.corner[of_cable])
    chosen: NDArray[np.int64] = points[np.linspace(0, len(points) - 1, MARKERS).astype(int)]
    return chosen


def record(path: str, modulus: float, friction: float) -> None:
    """The experiment, in a file."""
    model = model_of(modulus, friction)
    with cond.Record(path, model) as file:
        cond.Sim(model).run(model.state(), STEPS, record=file, every=EVERY)


def seen(path: str, noise: float, seed: int) -> Array:
    """Markers (n_time x 12 x 3) as a camera sees them in the recording."""
    recording = cond.Recording(path)
    which = markers(recording.scenery)
    places = np.array([recording[k].position[which] for k in range(1, len(recording))])
    return places + np.random.default_rng(seed).normal(0.0, noise, places.shape)


class Simulation:
    """The same motion with other parameters; remembers the worst certificate of all its steps."""

    def __init__(self) -> None:
        self.worst, self.n_step, self.n_missed = 0.0, 0, 0

    def __call__(self, modulus: float, friction: float) -> Array:
        model = model_of(modulus, friction)
        sim, state, camera = cond.Sim(model), model.state(), cond.Snapshot(model)
        which = markers(camera.scenery)
        places = []
        for _ in range(STEPS // EVERY):
            run = sim.run(state, EVERY)
            self.worst = max(self.worst, float(run.certificate.max()))
            self.n_step += run.n_step
            self.n_missed += run.n_missed
            places.append(camera.take(state).position[which])
        return np.array(places)


def identify(places: Array, simulation: Simulation) -> tuple[Array, Array]:
    """Young's modulus and friction, and their standard deviations. The unknowns are 1 + log(value / guess): of size
    one, and no value of theirs makes a parameter negative."""

    def residual(x: Array) -> Array:
        modulus, friction = np.array(GUESS) * np.exp(x - 1.0)
        return (simulation(modulus, friction) - places).ravel()

    fit = least_squares(residual, np.ones(2), diff_step=0.01, xtol=1e-6, ftol=1e-8, max_nfev=20)
    found = np.array(GUESS) * np.exp(fit.x - 1.0)
    variance = 2.0 * fit.cost / (fit.fun.size - 2)  # of the noise, from what the fit leaves
    spread = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)) * variance)
    return found, found * spread


def main(arguments: list[str] | None = None) -> tuple[Array, Array]:
    parser = argparse.ArgumentParser(description="stiffness and friction of a cable from a recorded trajectory")
    parser.add_argument("--noise", type=float, default=0.001, help="standard deviation of the camera [m]")
    parser.add_argument("--seed", type=int, default=0, help="of the noise")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "experiment.h5")
        record(path, *TRUTH)
        places = seen(path, options.noise, options.seed)
    simulation = Simulation()
    found, deviation = identify(places, simulation)
    for k, name in enumerate(("modulus [Pa]", "friction")):
        error = found[k] / TRUTH[k] - 1.0
        print(f"{name:13s}{found[k]:12.6g} +- {deviation[k]:.2g}, true {TRUTH[k]:g}, relative error {error:+.1e}")
    print(f"{simulation.n_step} steps, worst certificate {simulation.worst:.1e}, {simulation.n_missed} missed")
    return found, deviation


if __name__ == "__main__":
    main()
