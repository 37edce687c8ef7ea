"""Scenes, models, states, sims, mechanics, queries, recordings: what they say, and what they refuse."""
from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cond

ARM = """
name: arm
bodies:
  - name: arm
    kind: robot
    urdf: panda.urdf
"""


def test_scene_by_calls_is_the_scene_of_the_text() -> None:
    text = cond.Scene.from_text(
        "bodies: [{name: box, kind: rigid, mass: 2, shape: {box: [0.1, 0.2, 0.3]}, position: [0, 0, 0.15]}]\n"
        "planes: [{name: floor, normal: [0, 0, 1], friction: 0.4}]\n")
    made = cond.Scene()
    made.add(cond.BodyDef(name="box", kind=cond.BodyKind.RIGID, mass=2.0, inertia_from_shape=1,
                          shape=cond.ShapeKind.BOX, size=(0.1, 0.2, 0.3), position=(0.0, 0.0, 0.15)))
    made.add(cond.PlaneDef(name="floor", normal=(0, 0, 1), surface=cond.SurfaceDef(friction=0.4, restitution=np.nan)))
    hashes = []
    for scene in (text, made):
        model = cond.Model(scene)
        sim, state = cond.Sim(model), model.state()
        sim.run(state, 20)
        hashes.append(state.hash())
    assert hashes[0] == hashes[1]
    with pytest.raises(cond.BadArgument, match="nothing that a scene holds"):
        made.add(3)


def test_settings_of_a_scene_are_its_own() -> None:
    scene = cond.Scene("push")
    scene.settings.time_step = 0.002
    scene.settings.gravity[2] = -1.62
    model = cond.Model(scene)
    assert model.time_step == 0.002 and model.settings.gravity[2] == -1.62
    for change in (lambda: setattr(model.settings, "time_step", 1.0),
                   lambda: setattr(model.settings.solver, "tolerance", 1.0)):
        with pytest.raises(AttributeError, match=r"settings of a model are for reading.* set cond\.Scene\.settings"):
            change()
    with pytest.raises(ValueError, match="read-only"):
        model.settings.gravity[2] = 0.0
    copied = model.settings.copy()
    copied.time_step, copied.solver.tolerance, copied.gravity[2] = 1.0, 1e-3, 0.0
    assert model.time_step == 0.002 and model.settings.gravity[2] == -1.62


def test_lists_in_definitions() -> None:
    body = cond.BodyDef(points=np.arange(6.0).reshape(2, 3), joints=[cond.JointDef(name="a", position=0.5)])
    assert body.points.shape == (2, 3) and body.points[1, 2] == 5.0
    assert len(body.joints) == 1 and body.joints[0].name == "a" and body.joints["a"].position == 0.5
    assert body.copy().joints[0].position == 0.5
    with pytest.raises(ValueError, match="fewer than 64 bytes"):
        cond.BodyDef(name="x" * 64)
    with pytest.raises(ValueError, match="shape"):
        cond.BodyDef(position=(1.0, 2.0))
    spring = cond.SpringDef(body=("a", ""), point=np.ones((2, 3)))
    assert spring.body == ("a", "") and spring.point.sum() == 6.0
    assert cond.AttachmentDef(end=(cond.EndDef(body="a"), cond.EndDef(at=0.5))).end[1].at == 0.5


@pytest.mark.parametrize(("text", "what"), [
    ("bodies: [{kind: particle}]", "text:1: bodies"),
    ("bodies:\n  - kind: particle\n    mass: 1\n    colour: red", "text:4: .*colour"),
    ("bodies: [", "text:"),
])
def test_mistakes_carry_line_and_key(text: str, what: str) -> None:
    with pytest.raises(cond.BadInput, match=what) as caught:
        cond.Scene.from_text(text)
    assert isinstance(caught.value, ValueError) and caught.value.status == cond.Status.BAD_INPUT


def test_files_that_are_not_there() -> None:
    with pytest.raises(cond.NoFile, match=r"nowhere\.yaml") as caught:
        cond.Model.from_path("nowhere.yaml")
    assert isinstance(caught.value, OSError)


def test_names(model: cond.Model) -> None:
    assert model.bodies == ("box",) and model.body("box") == 0 and model.body_kind("box") == cond.BodyKind.RIGID
    with pytest.raises(cond.BadArgument, match="no body 'ball'"):
        model.state().pose("ball")
    with pytest.raises(cond.BadArgument, match="no body 1"):
        model.mass(1)


def test_views_are_read_only_and_follow(model: cond.Model) -> None:
    sim, state = cond.Sim(model), model.state()
    q, v = state.q, state.v
    before = q.copy()
    sim.run(state, 5)
    assert not np.array_equal(q, before) and q is state.q
    for array in (q, v, state.configuration("box"), state.velocity("box")):
        with pytest.raises(ValueError):
            array[0] = 1.0
        with pytest.raises(ValueError):
            array.flags.writeable = True
    state.q = before
    assert np.array_equal(q, before)
    with pytest.raises(cond.BadArgument, match="shape"):
        state.q = before[:-1]
    with pytest.raises(cond.BadArgument):
        state.set_velocity("box", [np.nan] * 6)


def test_states_are_copied_saved_and_loaded(model: cond.Model, tmp_path: Path) -> None:
    sim, state = cond.Sim(model), model.state()
    sim.run(state, 3)
    twin, data = copy.deepcopy(state), state.save()
    state.write(tmp_path / "state")
    sim.run(state, 4)
    sim.run(twin, 4)
    assert twin.hash() == state.hash()
    for from_file in (False, True):
        other = model.state()
        other.read(tmp_path / "state") if from_file else other.load(data)
        sim.run(other, 4)
        assert other.hash() == state.hash()
    with pytest.raises(cond.BadInput):
        state.load(data[:-1])


def test_what_is_of_another_model_is_refused(model: cond.Model) -> None:
    other = cond.Model.from_path("drop")
    for ask in (lambda: cond.Sim(model).step(other.state()), lambda: cond.Mechanics(model, other.state()),
                lambda: cond.Query(model, other.state()), lambda: model.state().set(other.state())):
        with pytest.raises(cond.BadArgument, match="model"):
            ask()


def test_pushes_forces_and_contacts(model: cond.Model) -> None:
    sim, state = cond.Sim(model), model.state()
    push = state.push("box", force=(0, 0, -10.0))
    sim.run(state, 3)
    force, _ = sim.body_force("box")
    assert force[2] == pytest.approx(model.mass("box") * 9.81 + 10.0, rel=1e-6)
    assert sim.pair_force("box", cond.STATIC_BODY).force == pytest.approx(force)
    contacts = sim.contacts()
    assert contacts["force"][:, 0].sum() == pytest.approx(force[2]) and (contacts["body"] == 0).all()
    assert sim.contact(0).force == pytest.approx(contacts["force"][0])
    with pytest.raises(cond.BadArgument):
        sim.contact(len(contacts))
    state.end_push(push)
    with pytest.raises(cond.BadArgument):
        state.end_push(push)
    sim.run(state, 3)
    assert sim.body_force("box")[0][2] == pytest.approx(model.mass("box") * 9.81, rel=1e-6)


def test_hooks(model: cond.Model) -> None:
    sim, state = cond.Sim(model), model.state()
    seen: list[float] = []
    sim.set_hooks(force=lambda time, q, sink: sink.add([2], [10.0]), step=lambda info: seen.append(info.time))
    sim.run(state, 3)
    assert sim.body_force("box")[0][2] == pytest.approx(model.mass("box") * 9.81 - 10.0 if
                                                        model.mass("box") * 9.81 > 10.0 else 0.0, abs=1e-5)
    assert len(seen) == 3

    def refuse(contact: cond.ContactInfo) -> bool:
        return False

    sim.set_hooks(contact=refuse)
    sim.run(state, 1)
    assert sim.n_contact == 0

    def smooth(contact: cond.ContactInfo) -> None:
        contact.friction = 0.0

    state = model.state()
    sim.set_hooks(contact=smooth)
    sim.run(state, 3)
    assert (sim.contacts()["friction"] == 0.0).all()

    def wrong(contact: cond.ContactInfo) -> None:
        raise KeyError("mine")

    sim.set_hooks(contact=wrong)
    with pytest.raises(KeyError, match="mine"):
        sim.step(state)
    sim.set_hooks()
    sim.step(state)


def test_mechanics_of_an_arm() -> None:
    model = cond.Model.from_text(ARM, folder=cond.share("scenes"))
    state, mechanics = model.state(), cond.Mechanics(model)
    mechanics.set(state)
    hand = mechanics.place("arm", "panda_hand")
    J = mechanics.jacobian(hand)
    assert mechanics.columns(hand) == model.dofs("arm") and J.shape == (6, model.n_dof)
    rng = np.random.default_rng(0)
    tau = rng.normal(size=model.n_dof)
    rate = mechanics.forward("arm", tau)
    assert mechanics.mass("arm") @ rate == pytest.approx(mechanics.bias("arm") + tau, abs=1e-8)
    assert mechanics.inverse("arm", rate) == pytest.approx(tau, abs=1e-8)
    out = np.empty(model.n_dof)
    assert mechanics.weight("arm", out) is out
    goal = mechanics.pose(hand).position + np.array([0.0, 0.05, -0.05])
    q, there, left = mechanics.reach(hand, goal, start=state.q)
    assert there and left.max() < 1e-8
    mechanics.set_body("arm", q)
    assert mechanics.pose(hand).position == pytest.approx(goal, abs=1e-8)
    state.set_joint("arm", "panda_joint1", 0.3)
    assert state.joint("arm", "panda_joint1") == (0.3, 0.0)
    assert model.joint("arm", "panda_joint1").upper == pytest.approx(2.9, abs=0.1)
    gains = state.motor("arm", 0)
    gains.stiffness = 7.0
    state.set_motor("arm", gains)
    state.set_targets("arm", np.zeros(model.n_coordinate("arm")))
    assert state.motor("arm", "panda_joint2").stiffness == 7.0
    with pytest.raises(cond.BadArgument, match="no link 'nose'"):
        mechanics.place("arm", "nose")


def test_queries(model: cond.Model) -> None:
    state = model.state()
    query = cond.Query(model, state)
    top = query.ray((state.q[0], state.q[1], 5.0), (0, 0, -1))
    hits = query.rays([[state.q[0], state.q[1], 5.0], [9.0, 9.0, 5.0]], (0, 0, -1))
    assert top.body == 0 and hits["body"].tolist() == [0, -1] and hits["distance"][1] == pytest.approx(5.0)
    assert query.nearest((0, 0, -1.0)).distance < 0.0
    assert len(query.within(state.q[:3], 1.0)) == 2


def test_closest_points_and_bodies_that_are_off(model: cond.Model) -> None:
    state = model.state()
    pose = state.pose("box")
    pose.position[2] += 0.25
    state.set_pose("box", pose)
    assert cond.Query(model, state).closest("box").distance == pytest.approx(0.25)
    state.set_on("box", False)
    assert not state.is_on("box")
    cond.Sim(model).run(state, 3)
    assert state.pose("box").position == pytest.approx(pose.position) and not state.v.any()
    assert np.isinf(cond.Query(model, state).closest("box").distance)


def test_scene_from_urdf_and_transfer() -> None:
    arm = cond.Model.from_urdf(cond.share("scenes/panda.urdf"), name="arm")
    state = arm.state()
    state.set_joint("arm", "panda_joint1", 0.4)
    scene = cond.Scene.from_urdf(cond.share("scenes/panda.urdf"), name="arm")
    scene.add(cond.BodyDef(name="ball", kind=cond.BodyKind.PARTICLE, mass=1.0, position=(1.0, 1.0, 1.0)))
    more = cond.Model(scene).state()
    assert more.transfer(state) == 1 and more.joint("arm", "panda_joint1")[0] == 0.4


class Elsewhere:
    """An array of another library, which shows itself by DLPack alone."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_results_are_written_into_arrays_of_others() -> None:
    model = cond.Model.from_text(ARM, folder=cond.share("scenes"))
    mechanics, mine = cond.Mechanics(model, model.state()), np.zeros(model.n_dof)
    if np.from_dlpack(Elsewhere(mine)).flags.writeable:
        mechanics.weight("arm", Elsewhere(mine))
    else:
        with pytest.raises(cond.BadArgument, match=r"NumPy 1\..* takes over by __dlpack__ for reading alone"):
            mechanics.weight("arm", Elsewhere(mine))
        mechanics.weight("arm", mine)
    assert mine == pytest.approx(mechanics.weight("arm")) and mine.any()
    buffer = bytearray(8 * model.n_dof)
    mechanics.weight("arm", memoryview(buffer).cast("d"))
    assert np.frombuffer(buffer) == pytest.approx(mine)
    with pytest.raises(cond.BadArgument, match="weight"):
        mechanics.weight("arm", np.zeros(model.n_dof, np.float32))


def test_study(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(
        "scene: push\nvary:\n  - {name: mass, path: bodies.box.mass, values: [1, 2, 3]}\n", encoding="utf-8")
    study = cond.Study(tmp_path / "study.yaml")
    assert len(study) == 3 and study.values(1) == {"mass": "2"}
    assert study.model(2).mass("box") == 3.0
    with pytest.raises(IndexError):
        study.model(3)


def test_recordings(model: cond.Model, tmp_path: Path) -> None:
    sim, state, path = cond.Sim(model), model.state(), tmp_path / "run.h5"
    with cond.Record(path, model) as record:
        run = sim.run(state, 6, record=record, every=2)
        assert record.n_frame == 4
    with pytest.raises(cond.BadArgument, match="closed"):
        record.frame(state)
    recording = cond.Recording(path)
    assert len(recording) == 4 and recording.time[-1] == pytest.approx(run.time[-1]) == pytest.approx(state.time)
    assert recording.numbers("certificate")[-1] <= 1e-6 and recording[-1].contact_force.shape[1] == 3
    last, now, n = recording[-1], cond.Snapshot(model).take(state, sim), recording.scenery.plane_begin
    assert last.position[:n] == pytest.approx(now.position[:n], abs=1e-6)
    with pytest.raises(IndexError):
        recording[4]
    with pytest.raises(cond.BadArgument, match="kinetic_energy"):
        recording.numbers("nonsense")
    assert [moment.time for moment in recording[1:3]] == [moment.time for moment in recording][1:3]
    assert "4 frames" in repr(recording) and "closed" in repr(record) and "contacts" in repr(recording[0])


def test_records_of_what_is_none(model: cond.Model, tmp_path: Path) -> None:
    """What is no model or state is named; a record keeps what it has when the block raises."""
    sim, state, path = cond.Sim(model), model.state(), tmp_path / "run.h5"
    for wrong in (None, sim, "push"):
        with pytest.raises(cond.BadArgument, match=r"of a cond\.Model, not of"):
            cond.Record(path, wrong)  # type: ignore[arg-type]
    with pytest.raises(cond.NotSupported, match=r"run\.mp4.*\.h5"):
        cond.Record(tmp_path / "run.mp4", model)
    with pytest.raises(cond.NoFile, match="nowhere"):
        cond.Record(tmp_path / "nowhere" / "run.h5", model)
    with pytest.raises(KeyError), cond.Record(path, model) as record:
        record.frame(state, sim, sim.step(state))
        with pytest.raises(cond.BadArgument, match=r"is a cond\.State, not"):
            record.frame(sim)  # type: ignore[arg-type]
        raise KeyError
    assert len(cond.Recording(path)) == 1


def test_meshes(tmp_path: Path) -> None:
    mesh = cond.Mesh("box:2,2,2:0.1,0.1,0.1")
    assert mesh.check().volume == pytest.approx(1e-3)
    mesh.write(tmp_path / "box.vtu")
    again = cond.Mesh(tmp_path / "box.vtu")
    assert np.array_equal(again.tet, mesh.tet) and np.allclose(again.node, mesh.node)
    own = cond.Mesh.of([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]])
    assert len(own.triangle) == 4
    own.node[0] = (0.1, 0.1, 0.1)
    own.check_solid()
    with pytest.raises(cond.BadArgument):
        cond.Mesh.of([[0, 0, 0]], [[0, 1, 2, 3]])


def test_audit_and_overlaps() -> None:
    model = cond.Model.from_path("push")
    state, sim = model.state(), cond.Sim(model)
    pose = state.pose("box")
    pose.position[2] -= 0.01
    state.set_pose("box", pose)
    pairs = cond.Audit(model).run(state)
    assert pairs["depth"].max() == pytest.approx(0.01, rel=1e-6) and pairs["name"][0][0] == b"box"
    assert sim.overlaps(state)["depth"][0] == pytest.approx(0.01, rel=1e-6)
    apart, info = sim.settle(state)
    assert apart and info.before == pytest.approx(0.01, rel=1e-6) and len(sim.overlaps(state)) == 0


def test_equilibrium() -> None:
    model = cond.Model.from_path("drop")
    state, sim = model.state(), cond.Sim(model)
    found, info = sim.equilibrium(state)
    assert found and info.balance <= 1e-6 and info.moved > 0.1
    height = state.pose("box").position[2]
    sim.run(state, 10)
    assert state.pose("box").position[2] == pytest.approx(height, abs=1e-9)
    assert not sim.equilibrium(model.state(), max_steps=1)[0] and "'box'" in sim.message


def test_what_an_environment_lends_goes_together() -> None:
    env = cond.Env("pusher")
    env.reset(1)
    model, state = env.model, env.state
    assert cond.Mechanics(model, state).energy(0)[0] >= 0.0
    assert cond.Snapshot(model).take(state, env.sim).time == state.time
    own = model.state()
    own.set(state)
    cond.Sim(model).run(own, 2)
    with pytest.raises(cond.BadArgument, match="stepped by it alone"):
        cond.Sim(model).step(state)
    with pytest.raises(cond.BadArgument, match="for reading"):
        state.set_velocity(0, state.velocity(0))
