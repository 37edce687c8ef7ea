"""What is refused names what was given, and what may have been meant."""
from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cond

ARM = "bodies: [{name: arm, kind: robot, urdf: panda.urdf}]"


def refused(call: Callable[[], Any], match: str, error: type[Exception] = cond.BadArgument) -> None:
    with pytest.raises(error, match=match) as caught:
        call()
    assert "bad argument" not in str(caught.value)


def test_changes_of_a_state(model: cond.Model) -> None:
    state = model.state()
    nan = float("nan")
    before = state.hash()
    refused(lambda: state.push("box", force=(0, nan, 0)), r"'box': force\[1\] is nan")
    refused(lambda: state.push("box", part=3), "'box' has no link 3")
    refused(lambda: state.set_push(7, (0, 0, 1)), "there is no push 7")
    refused(lambda: state.push("box", force=(0, 1)), r"force: expected the shape \(3,\), not \(2,\)")
    refused(lambda: state.push("boks"), "the model has no body 'boks'; did you mean 'box'")
    refused(lambda: state.pose(4), "the model has no body 4; it has 1, numbered from 0")
    refused(lambda: state.pose(None), "a body goes by its name or its number, not by None", TypeError)  # type: ignore[arg-type]
    refused(lambda: state.set_velocity("box", [0, 0, 0, 0, np.inf, 0]), r"'box': v\[4\] is inf")
    refused(lambda: state.set_force("box", [nan] * 6), r"'box': force\[0\] is nan")
    refused(lambda: state.set_pose("box", cond.Pose(orientation=(0, 0, 0, 0))), "'box': orientation is a quaternion")
    refused(lambda: setattr(state, "time", nan), "a time of nan s")
    refused(lambda: state.release(3), "there is no attachment 3; the state has 0")
    refused(lambda: state.set_joint_target("box", "a", 1.0),
            "the body 'box' has no joint coordinate 'a'; there is none")
    refused(lambda: state.set_targets("box", []), "'box' is of the kind rigid; only robots have joints")
    assert state.hash() == before


def test_a_quaternion_of_zeros_is_refused(model: cond.Model) -> None:
    scene = cond.Scene()
    for name in ("first", "second"):
        scene.add(cond.BodyDef(name=name, kind="rigid", mass=1.0, shape="sphere", size=(0.1, 0, 0)))
    state = cond.Model(scene).state()
    q, before = state.q.copy(), state.hash()
    q[2], q[10:] = 5.0, 0.0
    with pytest.raises(cond.BadArgument, match=r"'second': q\[3..6\] is a quaternion \(w, x, y, z\) of the length 0"):
        state.q = q
    assert state.hash() == before  # the first body is where it was
    state.q = np.concatenate([q[:10], [2.0, 0, 0, 0]])
    assert state.q[10] == 1.0 and np.isfinite(state.q).all()


def test_inverse_kinematics_begins_without_turns() -> None:
    model = cond.Model.from_text("bodies: [{name: arm, kind: robot, urdf: panda.urdf, floating: true}]",
                                 folder=cond.share("scenes"))
    mechanics = cond.Mechanics(model, model.state())
    hand = mechanics.place("arm", "panda_hand")
    q, _, left = mechanics.reach(hand, (0.4, 0.0, 0.4))
    assert np.isfinite(q).all() and np.isfinite(left).all() and q[3] == 1.0
    refused(lambda: mechanics.reach(hand, (0.4, 0.0, np.nan)), r"inverse kinematics: position\[2\] is nan")
    refused(lambda: mechanics.reach(hand, (0.4, 0.0, 0.4), start=np.zeros(len(q))), "start or of the orientation")
    refused(lambda: mechanics.set_body("arm", np.zeros(len(q))), "a quaternion .* has the length 0")
    refused(lambda: mechanics.pose(cond.Place(body=3)), "place on the body 3")


def test_joints_and_motors() -> None:
    model = cond.Model.from_text(ARM, folder=cond.share("scenes"))
    state = model.state()
    refused(lambda: state.joint("arm", "panda_joint_1"),
            "'arm' has no joint 'panda_joint_1'; did you mean 'panda_joint1'")
    refused(lambda: state.set_joint("arm", 0, np.nan), r"'arm': \(position, velocity\) of a joint\[0\] is nan")
    refused(lambda: state.set_motor("arm", cond.MotorGains(stiffness=-1.0)),
            "'arm': stiffness must be >= 0 and finite, not -1")
    refused(lambda: state.set_motor("arm", cond.MotorGains(effort=0.0)), "'arm': effort must be > 0, not 0")
    refused(lambda: state.set_targets("arm", np.full(model.n_coordinate("arm"), np.nan)), r"'arm': target\[0\] is nan")
    refused(lambda: state.set_targets("arm", [0.0]), r"targets: expected the shape \(8,\), not \(1,\)")
    refused(lambda: model.link("arm", "panda_hnd"), "did you mean 'panda_hand'")
    state.set_motor("arm", cond.MotorGains(stiffness=10.0))
    state.set_joint_target("arm", 0, 0.3)
    state.set_joint_target("arm", np.int64(1), 0.3)  # type: ignore[arg-type]


def test_gains_that_are_not_given_stay() -> None:
    model = cond.Model.from_text(ARM, folder=cond.share("scenes"))
    state = model.state()
    limit = model.joint("arm", "panda_joint1").effort
    assert np.isfinite(limit) and state.motor("arm", "panda_joint1").effort == limit
    before = state.motor("arm", 0)
    state.set_motor("arm", cond.MotorGains(stiffness=321.0), "panda_joint1")
    after = state.motor("arm", 0)
    assert (after.stiffness, after.damping, after.effort) == (321.0, before.damping, limit)
    state.set_motor("arm", cond.MotorGains(effort=np.inf))
    assert np.isinf(state.motor("arm", 1).effort) and state.motor("arm", 0).stiffness == 321.0


def test_targets_without_effect() -> None:
    model = cond.Model.from_text(ARM, folder=cond.share("scenes"))
    state, n = model.state(), model.n_coordinate("arm")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state.set_targets("arm", torque=np.ones(n))
        state.set_motor("arm", cond.MotorGains(stiffness=10.0), 0)
        state.set_targets("arm", np.zeros(n))  # of one motor at least they have an effect
    state.set_motor("arm", cond.MotorGains(stiffness=0.0, damping=0.0))
    with pytest.warns(cond.NoEffect, match="'arm': targets have no effect, because no motor has a stiffness"):
        state.set_targets("arm", np.zeros(n))
    with pytest.warns(cond.NoEffect, match="the motor of 'panda_joint2' has no stiffness"):
        state.set_joint_target("arm", "panda_joint2", 0.5)


def test_scenes_without_actions_are_no_environments() -> None:
    for make in (lambda: cond.Env("push"), lambda: cond.EnvBatch("push", 2)):
        refused(make, "the scene has no actions, .* give it a section `actions`")


def test_attachments() -> None:
    state = cond.Model.from_text(
        "bodies: [{name: box, kind: rigid, mass: 1, shape: {box: [0.1, 0.1, 0.1]}}, {name: ball, kind: particle, "
        "mass: 1, position: [1, 0, 0]}]\n"
        "attachments: [{name: hold, from: {body: box}, to: {}}, {name: tie, from: {body: box}, to: {body: ball}, "
        "turns: false}]").state()
    assert state.model.attachments == ("hold", "tie") and state.model.attachment("tie") == 1
    state.move_attachment("hold", (0.0, 0.0, 0.1))
    refused(lambda: state.move_attachment("hald", (0, 0, 0)), "the model has no attachment 'hald'; did you mean 'hold'")
    refused(lambda: state.move_attachment(7, (0, 0, 0)), "there is no attachment 7; the state has 2")
    refused(lambda: state.move_attachment("tie", (0, 0, 0)), "attachment 1 has no end that stands in the world")
    refused(lambda: state.move_attachment("hold", (0, np.nan, 0)), r"position\[1\] is nan")
    refused(lambda: state.move_attachment("hold", (0, 0, 0), (0, 0, 0, 0)), "attachment 0: orientation is a quaternion")


def test_runs_and_steps(model: cond.Model) -> None:
    sim, state = cond.Sim(model), model.state()
    refused(lambda: sim.run(state, 1, seconds=1.0), r"steps=1 and seconds=1.0: a run is as long as one of them says")
    refused(lambda: sim.run(state, -1), "steps: expected 0 or more, not -1")
    refused(lambda: sim.run(state, seconds=-1.0), "seconds: expected 0 or more and finite, not -1.0")
    refused(lambda: sim.run(state, seconds=np.nan), "seconds: expected 0 or more and finite, not nan")
    refused(lambda: sim.run(state, 1.5), "steps: expected a whole number, not 1.5", TypeError)  # type: ignore[arg-type]
    assert sim.run(state, seconds=0.02).n_step == round(0.02 / model.time_step) and sim.run(state, 2).n_step == 2
    refused(lambda: sim.contact(99), "there is no contact 99: the last step had")
    refused(lambda: sim.sensor("touch"), "the model has no sensor 'touch'; there is none")
    refused(lambda: sim.attachment_wrench(5), "no attachment 5")
    refused(lambda: cond.Sim(None), "expected a cond.Model, not None", TypeError)  # type: ignore[arg-type]
    refused(lambda: cond.Sim(model).step(cond.Model.from_path("drop").state()), "another model .* than the sim")
    for coordinates, f, match in (([999], [1.0], "no velocity coordinate 999; the model has 6"),
                                  ([0, 0], [1.0, 1.0], "have one twice"), ([0], [np.nan], r"f\[0\] is nan")):
        sim.set_hooks(force=lambda time, q, sink, c=coordinates, f=f: sink.add(c, f))  # type: ignore[misc]
        refused(lambda: sim.step(state), match)
    sim.set_hooks()


def test_queries_solvers_and_rollouts(model: cond.Model) -> None:
    query = cond.Query(model, model.state())
    refused(lambda: query.ray((0, 0, np.nan), (0, 0, 1)), r"ray: origin\[2\] is nan")
    refused(lambda: query.ray((0, 0, 1), (0, 0, 0)), "a direction must have a length")
    refused(lambda: query.within((0, 0, 0), -1.0), "radius must be >= 0 and finite, not -1.0")
    refused(lambda: cond.Solver("stratgey"), "there is no solver 'stratgey'; did you mean 'strategy'")
    refused(lambda: cond.rollout(model, model.state(), np.zeros((1, 6)), controls="forse"),
            "there is no 'forse'; did you mean 'force'")
    refused(lambda: cond.rollout(model, model.state()), "n_step says how many steps")


def test_names_of_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = cond.scenes()
    assert {"drop", "push", "tasks/lift_soft"} <= set(names) and list(names) == sorted(names)
    monkeypatch.chdir(tmp_path)
    assert cond.Model.from_path("tasks/lift_soft").n_body >= 2
    assert cond.Scene.from_path(Path("drop")).settings.name == cond.Scene("drop").settings.name
    assert cond.Env("tasks/lift_soft").n_action > 0
    os.mkdir("drop")
    assert cond.Model.from_path("drop").n_body == 1  # a folder is no scene
    os.mkdir("tasks")
    Path("tasks/lift_soft").write_text("name: mine\nbodies: [{kind: particle, mass: 1}]\n", encoding="utf-8")
    assert cond.Model.from_path("tasks/lift_soft").name == "mine"  # a file comes first
    refused(lambda: cond.Model.from_path("dorp"), "no scene of that name; did you mean 'drop'", cond.NoFile)
    for make in (cond.Model.from_path, cond.Scene.from_path, cond.Mesh, cond.Recording):
        refused(lambda make=make: make(None), "expected the path of a file, not None", TypeError)  # type: ignore[misc]
    refused(lambda: cond.Model("drop"), "expected a cond.Scene", TypeError)  # type: ignore[arg-type]


def test_overrides_from_values() -> None:
    model = cond.Model.from_path("push", {"gravity": np.array([0.0, 0.0, -1.5]), "step.sleeping": False,
                                          "step.integrator": cond.Integrator.EULER})
    settings = model.settings
    assert settings.gravity[2] == -1.5 and not settings.sleeping and settings.integrator == cond.Integrator.EULER


def test_environments() -> None:
    env, batch = cond.Env("pusher"), cond.EnvBatch("pusher", 3)
    n = env.n_action
    bad = np.zeros((3, n))
    bad[2, 1] = np.nan
    before = [cond.Env.hash.fget(env), batch.save()]  # type: ignore[attr-defined]
    refused(lambda: batch.step(bad), r"environment 2: action\[1\] \(.*\) is nan, expected a finite number")
    refused(lambda: env.step(bad[2]), r"^action\[1\] \(.*\) is nan, expected a finite number")
    refused(lambda: env.step(np.zeros(n + 1)), rf"action: expected the shape \({n},\), not \({n + 1},\)")
    refused(lambda: env.step("left"), "action: expected numbers of the shape")  # type: ignore[arg-type]
    refused(lambda: batch.step(np.zeros((3, n)), "sometimes"), "autoreset: 'sometimes' is none of 'next_step'")
    refused(lambda: batch.reset([1, 2]), "seed: expected 3 seeds, one for each environment, not 2")
    refused(lambda: batch.reset(7), "seed: expected 3 seeds, one for each environment, not 7")  # type: ignore[arg-type]
    refused(lambda: env.reset(-1), r"a seed is a number from 0 to 2\^64 - 1, not -1")
    refused(lambda: batch.picture_parts(3), "the batch has no environment 3; it has 3, numbered from 0")
    refused(lambda: cond.Env(), "made of a scene or of a text, not of neither")
    refused(lambda: cond.EnvBatch("pusher", 0), "a batch of 0 environments")
    assert [env.hash, batch.save()] == before
    while not env.over:
        env.step(env.still_action())
    refused(lambda: env.step(env.still_action()), "the episode is over: reset is the next call")
    assert batch.step(np.zeros((3, n)), "same_step").final_observation is not None


def test_rewards_do_not_act_on_their_environment() -> None:
    held: list[Any] = []

    def reward(observation: Any) -> tuple[float, bool]:
        held[0].reset()
        return 0.0, False

    for make in (lambda: cond.Env("pusher", reward=reward), lambda: cond.EnvBatch("pusher", 2, reward=reward)):
        held[:] = [make()]
        action = np.zeros((2, held[0].n_action)) if isinstance(held[0], cond.EnvBatch) else np.zeros(held[0].n_action)
        refused(lambda action=action: held[0].step(action), "a reward function is called within a step")  # type: ignore[misc]


def test_what_is_required_is_not_none(model: cond.Model) -> None:
    """None stands for an array only where that has a meaning; elsewhere the library would read at NULL."""
    state, nothing = model.state(), None
    before = state.hash()
    refused(lambda: state.set_velocity("box", nothing), r"velocity of 'box': expected numbers .* not None")  # type: ignore[arg-type]
    refused(lambda: state.set_configuration("box", nothing), "configuration of 'box': .* not None")  # type: ignore[arg-type]
    refused(lambda: cond.Mechanics(model).set_body("box", nothing), "q: .* not None")  # type: ignore[arg-type]
    refused(lambda: cond.Query(model, state).ray(nothing, (0, 0, 1)), "origin: .* not None")  # type: ignore[arg-type]
    state.set_force("box", None)
    assert state.hash() == before


def test_objects_of_other_kinds(model: cond.Model, tmp_path: Path) -> None:
    sim, state = cond.Sim(model), model.state()
    calls: dict[str, Callable[[], Any]] = {
        "state: expected a cond.State, not None": lambda: sim.step(None),  # type: ignore[arg-type]
        "info: expected a cond.StepInfo, not 3": lambda: sim.step(state, 3),  # type: ignore[arg-type]
        "steps: expected a whole number, not 1.5": lambda: sim.run(state, 1.5),  # type: ignore[arg-type]
        "record: expected a cond.Record, not 'run.h5'": lambda: sim.run(state, 1, record="run.h5"),  # type: ignore[arg-type]
        "step: expected a function, not 3": lambda: sim.set_hooks(step=3),  # type: ignore[arg-type]
        "pose: expected a cond.Pose": lambda: state.set_pose("box", (0, 0, 1)),  # type: ignore[arg-type]
        "gains: expected a cond.MotorGains": lambda: state.set_motor("box", {}),  # type: ignore[arg-type]
        "definition: expected a cond.AttachmentDef": lambda: state.attach({}),  # type: ignore[arg-type]
        "data: expected the bytes of State.save": lambda: state.load("abc"),  # type: ignore[arg-type]
        "certificate: expected a cond.Certificate": lambda: cond.residual(3),  # type: ignore[arg-type]
        "place: expected a cond.Place": lambda: cond.Mechanics(model).jacobian("box"),  # type: ignore[arg-type]
        "not a dict; a scene of dicts is read as a text": lambda: cond.Scene({}),  # type: ignore[arg-type]
        "text: expected a scene in YAML": lambda: cond.Scene.from_text(b""),  # type: ignore[arg-type]
        "seed: expected a whole number, not 'a'": lambda: cond.Scene("pusher", seed="a"),  # type: ignore[arg-type]
        "reward: expected a function": lambda: cond.Env("pusher", reward=3),  # type: ignore[arg-type]
    }
    for message, call in calls.items():
        refused(call, message, TypeError)
    refused(lambda: cond.Scene("pusher", seed=-1), "a seed is a number from 0")
    refused(lambda: cond.Scene.from_text("<mujoco/>"), "this is XML", cond.BadInput)
    refused(lambda: cond.Scene(tmp_path), "is a folder", cond.NoFile)
    refused(lambda: cond.BodyDef(position=1.0), r"BodyDef.position: expected the shape \(3,\)")
    refused(lambda: cond.EnvBatch("pusher", 0), "a batch of 0 environments and 0 threads: expected 1")


def test_numbers_that_nothing_has(model: cond.Model, tmp_path: Path) -> None:
    sim, state = cond.Sim(model), model.state()
    refused(sim.problem, "there is no contact problem yet")
    sim.step(state)
    assert sim.problem().n_contact == sim.n_contact
    refused(lambda: sim.contact_patch(99), "there is no contact 99")
    refused(lambda: state.attachment_holds(5), "there is no attachment 5")
    refused(lambda: state.stress("box"), "'box' is of the kind rigid")
    refused(lambda: state.rod_stress("box"), "'box' is of the kind rigid")
    refused(lambda: cond.write_png(tmp_path / "a.png", np.ones((4, 4, 3))), "pixels: .* not float64")  # type: ignore[arg-type]
    refused(lambda: cond.Mesh.of([[0, 0, np.nan], [1, 0, 0], [0, 1, 0]]), r"node\[0\]\[2\] is nan")


def test_a_reward_that_is_no_pair() -> None:
    env = cond.Env("pusher", reward=lambda observation: 0.5)  # type: ignore[arg-type, return-value]
    env.reset(seed=0)
    refused(lambda: env.step(np.zeros(3)), "reward: the function gives a pair.* not 0.5", TypeError)


def test_a_rollout_that_fails_says_so() -> None:
    arms = cond.Model.from_path("two_arms")
    assert "1 failed" in repr(cond.rollout(arms, arms.state(), np.full((1, 2, 16), np.nan)))
