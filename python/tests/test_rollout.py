"""Rollouts: the same bits as states led one by one, and arrays of the caller."""
from __future__ import annotations

import numpy as np
import pytest

import cond


@pytest.fixture
def walker() -> cond.Model:
    return cond.Model.from_path("walk")


def test_same_bits_as_alone(walker: cond.Model) -> None:
    rng = np.random.default_rng(1)
    n = walker.n_coordinate(0) + walker.n_dof
    control = rng.uniform(-0.3, 0.3, (4, 5, n))
    state = np.empty((4, 5, 1 + walker.n_q + walker.n_dof))
    start = walker.state()
    result = cond.Rollout(walker, 2).run(start, control, controls="torque + force", state=state)
    assert result.state is state and start.time == 0.0 and (result.n_step == 5).all()
    for i in range(4):
        sim, alone = cond.Sim(walker), walker.state()
        for k in range(5):
            alone.set_targets(0, torque=control[i, k, :walker.n_coordinate(0)])
            alone.set_force(0, control[i, k, walker.n_coordinate(0):])
            info = sim.step(alone)
            assert np.array_equal(result.q[i, k], alone.q) and np.array_equal(result.v[i, k], alone.v)
            assert result.certificate[i, k] == cond.residual(info.solve.certificate)
            assert result.status[i, k] == info.status and result.time[i, k] == alone.time
        assert alone.hash() == result.final[i].hash()


def test_shapes(walker: cond.Model) -> None:
    states = [walker.state() for _ in range(3)]
    assert cond.rollout(walker, states, n_step=2).q.shape == (3, 2, walker.n_q)
    n = walker.n_coordinate(0)
    assert cond.rollout(walker, states, np.zeros((2, n))).q.shape == (3, 2, walker.n_q)
    for wrong, what in (((2, 2, n), "do not go"), ((3, 2, n + 1), "shape")):
        with pytest.raises(cond.BadArgument, match=what):
            cond.rollout(walker, states, np.zeros(wrong))
    for controls in ("target+move", "thrust"):
        with pytest.raises(cond.BadArgument):
            cond.rollout(walker, states, np.zeros((2, n)), controls=controls)
    with pytest.raises(cond.BadArgument, match="writable contiguous"):
        cond.Rollout(walker).run(states, n_step=2, certificate=np.empty((3, 2), np.float32))


def test_failure_of_one(walker: cond.Model) -> None:
    control = np.zeros((2, 4, walker.n_coordinate(0)))
    control[1, 2] = np.inf
    result = cond.rollout(walker, walker.state(), control, controls="torque")
    assert result.n_step.tolist() == [4, 2] and result.status[1, 2] == cond.Status.BAD_ARGUMENT
    assert np.isnan(result.q[1, 2:]).all() and not np.isnan(result.q[0]).any()


def test_sensors() -> None:
    model = cond.Model.from_path("forces")
    result = cond.rollout(model, model.state(), n_step=3)
    sim, alone = cond.Sim(model), model.state()
    sim.run(alone, 3)
    assert np.array_equal(result.sensor[0, -1, 0, :3], sim.sensor(0).force)
