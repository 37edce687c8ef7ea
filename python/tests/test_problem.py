"""Contact problems: built, taken from a step, solved, certified, written and read."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cond

STORED = Path(__file__).resolve().parents[2] / "test" / "data" / "fclib"


def particle(friction: float) -> cond.Problem:
    """A particle of 2 kg that rests on the ground and is pulled along it, as one step of 1 s."""
    problem = cond.Problem([-20.0, 5.0, 0.0])  # the normal is x
    problem.add_dense(2.0 * np.eye(3))
    problem.add_contact([([0, 1, 2], None)], friction=friction)
    return problem


def test_particle_sticks_and_slides() -> None:
    for friction, speed in ((0.5, 0.0), (0.1, 1.5)):
        problem = particle(friction)
        v, force, info = problem.solve()
        assert info.status == cond.Status.OK and v == pytest.approx([0.0, speed, 0.0], abs=1e-6)
        assert force[0] == pytest.approx([20.0, -min(5.0, 20.0 * friction), 0.0], abs=1e-5)
        assert cond.residual(problem.certify(v, force)) <= 1e-6
        assert cond.residual(problem.certify(v, 0.9 * force)) > 1e-3
    assert problem.jacobian() == pytest.approx(np.eye(3)) and problem.matrix() == pytest.approx(2.0 * np.eye(3))


def test_mistakes_are_told() -> None:
    problem = cond.Problem(np.zeros(3))
    problem.add_dense([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(cond.BadArgument, match=r"\(0, 1\) and \(1, 0\) differ"):
        problem.check()
    with pytest.raises(cond.BadArgument):
        cond.Problem(np.zeros(3)).solve()
    with pytest.raises(cond.BadArgument, match="fit each other"):
        cond.Problem(np.zeros(2)).add_sparse([1.0], [5], [0, 1, 1])
    with pytest.raises(cond.BadArgument, match="no solver"):
        particle(0.5).solve(solver="magic")


@pytest.mark.parametrize("scene", ["push", "springs"])
def test_problem_of_a_step_is_copied(scene: str, tmp_path: Path) -> None:
    model = cond.Model.from_path(scene)
    sim, state = cond.Sim(model), model.state()
    sim.forces(state)
    sim.matrix()
    sim.collide(state)
    sim.assemble(state)
    problem = sim.problem()
    problem.check()
    v, force, _ = problem.solve()
    assert cond.residual(problem.certify(v, force)) <= 1e-6
    problem.write(tmp_path / "p.hdf5", title="mine", v=v, force=force)
    again = cond.Problem.read(tmp_path / "p.hdf5")
    assert again.title == "mine" and not again.local
    assert again.b == pytest.approx(problem.b) and again.matrix() == pytest.approx(problem.matrix(), abs=1e-9)
    w, _, _ = again.solve()
    assert w == pytest.approx(v, abs=1e-4)
    with pytest.raises(cond.BadArgument, match="as it is"):
        again.add_dense(np.eye(3))


def test_parts_of_a_problem() -> None:
    problem = particle(0.5)
    assert problem.delassus() == pytest.approx([0.5]) and problem.virtual_sides().tolist() == [0]
    v, products = problem.solve_contactless()
    assert v == pytest.approx([-10.0, 2.5, 0.0]) and products >= 1
    solver = cond.Solver()
    v, force, _ = solver.solve(problem)
    assert solver.relaxed.size == 0
    again, _, info = solver.solve(problem, v=v, force=force)
    assert info.iterations == 0 and again == pytest.approx(v)
    with pytest.raises(cond.BadArgument, match="tolerance"):
        cond.Solver(settings=cond.SolverSettings(tolerance=-1.0))


def test_law_of_one_contact() -> None:
    force = cond.law.solve(0.5, 2.0, (-1.0, 3.0, 0.0))
    u = np.array([-1.0, 3.0, 0.0]) + 2.0 * force
    assert cond.law.error(0.5, 2.0, u, force).natural < 1e-12
    assert cond.law.error(0.5, 2.0, u, force * (1.0, 0.5, 1.0)).natural > 0.1
    assert cond.law.project(0.5, (1.0, 0.2, 0.0)) == pytest.approx([1.0, 0.2, 0.0])
    assert cond.law.interval_solve((-1.0, 1.0), 0.5, (3.0, 0.0, 0.0))[0] == -1.0
    assert cond.law.interval_error((-1.0, 1.0), 0.5, (2.5, 0.0, 0.0), (-1.0, 0.0, 0.0)).natural < 1e-12


@pytest.mark.skipif(not STORED.exists(), reason="the stored problems are in the checkout")
def test_stored_problem() -> None:
    problem = cond.Problem.read(STORED / "LMGC_GFC3D-i00501-4-00000.hdf5")
    v, force, info = problem.solve(cond.SolverSettings(tolerance=1e-8))
    assert (problem.n_dof, problem.n_contact) == (162, 4) and info.status == cond.Status.OK
    assert cond.residual(problem.certify(v, force)) <= 1e-8
    assert problem.contact_errors(v, force).max() <= 1e-8
