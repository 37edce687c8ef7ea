"""Definitions made in Python: defaults of the library, enumerations by name, attributes that there are."""
from __future__ import annotations

import copy
import pickle
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

import cond
from cond._cond import ffi, lib
from cond.fields import Struct
from cond.names import FROM_NAME, choice

GIVEN = [kind for name in cond.structs.__all__ if isinstance(kind := getattr(cond, name), type)
         and issubclass(kind, Struct) and name.endswith(("Def", "Settings", "Groups", "Waypoint"))]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (str, IntEnum)):
        return bool(a == b)
    return bool(np.array_equal(a, b, equal_nan=True))


def test_parts_begin_as_in_the_definitions_that_hold_them() -> None:
    pairs = [(cond.RodDef(), cond.BodyDef().rod), (cond.SurfaceDef(), cond.BodyDef().surface),
             (cond.SurfaceDef(), cond.ObstacleDef().surface), (cond.SurfaceDef(), cond.PlaneDef().surface),
             (cond.EndDef(), cond.AttachmentDef().end[1]), (cond.EndDef(), cond.RewardDef().to),
             (cond.EndDef(), cond.ObservationDef().at), (cond.EndDef(), cond.SensorDef().on),
             (cond.EnvironmentSettings(), cond.SceneSettings().environment),
             (cond.SolverSettings(), cond.SceneSettings().solver)]
    for alone, inside in pairs:
        assert same(alone.asdict(), inside.asdict()), type(alone).__name__
    assert np.isnan(cond.RodDef().contact_radius) and np.isnan(cond.EndDef().at)
    assert cond.Waypoint().orientation.tolist() == [1, 0, 0, 0] and np.isnan(cond.Waypoint().position).all()
    assert cond.Pose().orientation.tolist() == [1, 0, 0, 0] and np.isnan(cond.MotorGains().effort)
    assert cond.LinkGroups().touches == cond.BodyDef().touches


def rod_scene(rod: cond.RodDef) -> cond.Model:
    scene = cond.Scene()
    scene.add(cond.MaterialDef(name="rubber", youngs_modulus=1e6, poisson_ratio=0.3, density=1000.0))
    scene.add(cond.PlaneDef(surface=cond.SurfaceDef(friction=0.5)))
    scene.add(cond.BodyDef(name="rod", kind="rod", material="rubber", rod=rod, orientation=(0.7071, 0.0, 0.7071, 0.0),
                           position=(0.0, 0.0, 0.011)))
    return cond.Model(scene)


def test_a_rod_of_the_defaults_lies_on_its_surface() -> None:
    made = rod_scene(cond.RodDef(length=0.2, circle=0.01, links=10))
    field = cond.BodyDef()
    field.rod.length, field.rod.circle, field.rod.links = 0.2, 0.01, 10
    assert same(field.rod.asdict(), cond.RodDef(length=0.2, circle=0.01, links=10).asdict())
    state = made.state()
    cond.Sim(made).run(state, seconds=0.3)
    assert state.configuration("rod").reshape(-1, 7)[:, 2] == pytest.approx(0.01, abs=1e-3)


def test_an_end_is_not_at_the_begin_of_a_rod() -> None:
    scene = cond.Scene()
    scene.add(cond.BodyDef(name="box", kind="rigid", mass=1.0, shape="box", size=(0.1, 0.1, 0.1)))
    scene.add(cond.SensorDef(name="feel", on=cond.EndDef(body="box")))
    scene.add(cond.ObservationDef(name="there", kind="point", at=cond.EndDef(body="box")))
    assert cond.Model(scene).sensors == ("feel",)


def test_enumerations_go_by_name() -> None:
    body = cond.BodyDef(kind="soft", collision="HULL")
    assert body.kind is cond.BodyKind.SOFT and body.collision is cond.Collision.HULL
    body.kind = "rod"
    assert body.kind == cond.BodyKind.ROD
    body.kind = cond.BodyKind.ROBOT
    body.shape = 1  # type: ignore[assignment]
    assert body.kind is cond.BodyKind.ROBOT and body.shape is cond.ShapeKind.BOX
    scene = cond.Scene("drop")
    scene.settings.integrator, scene.settings.impact = "variational", "sequential"
    scene.settings.solver.accelerator = "primal-dual"
    settings = cond.Model(scene).settings.copy()
    assert settings.integrator == cond.Integrator.VARIATIONAL and settings.impact == cond.ImpactLaw.SEQUENTIAL
    assert settings.solver.accelerator == cond.AcceleratorKind.NEWTON
    with pytest.raises(cond.BadArgument, match=r"BodyDef.kind: 'sofd' is none of 'particle', 'rigid', 'soft', 'robot', "
                                               "'rod', 'shell'; did you mean 'soft'"):
        body.kind = "sofd"
    with pytest.raises(cond.BadArgument, match=r"SceneSettings.integrator: 17 is none of 'auto'"):
        settings.integrator = 17  # type: ignore[assignment]
    assert cond.law.project(0.5, (-1.0, 1.0, 0.0), "proximal") == pytest.approx(
        cond.law.project(0.5, (-1.0, 1.0, 0.0), cond.Law.PROXIMAL))
    with pytest.raises(cond.BadArgument, match=r"law: 'stict' .* did you mean 'strict'"):
        cond.law.project(0.5, (1, 0, 0), "stict")


def test_enumerations_have_the_names_of_the_library() -> None:
    """Those of scene files, results and recordings, for every element of every enumeration."""
    for name, function in FROM_NAME.items():
        kind = getattr(cond, name)
        word = getattr(lib, names_function(function))
        for element in kind:
            assert choice(kind, ffi.string(word(element)).decode(), name) is element
    assert choice(cond.ImpactLaw, "false", "impact") is cond.ImpactLaw.OFF
    assert {name for name in cond.structs.__all__ if issubclass(getattr(cond, name), IntEnum)} == set(FROM_NAME)


def names_function(function: Any) -> str:
    """The function that gives the names which another one reads."""
    return next(name.removesuffix("from_name") + "name" for name in dir(lib)
                if name.endswith("_from_name") and getattr(lib, name) == function)


@pytest.mark.parametrize("kind", GIVEN)
def test_definitions_are_copied_and_pickled(kind: type[Struct]) -> None:
    made = kind()
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(other) is kind and same(other.asdict(), made.asdict())


def test_copies_have_lists_of_their_own() -> None:
    body = cond.BodyDef(name="a", points=np.ones((2, 3)), joints=[cond.JointDef(name="j", position=0.5)],
                        rod=cond.RodDef(length=2.0))
    for other in (copy.deepcopy(body), pickle.loads(pickle.dumps(body))):
        other.joints[0].position, other.rod.length, other.points = 1.5, 3.0, np.zeros((2, 3))
        assert (body.joints[0].position, body.rod.length, body.points[0, 0]) == (0.5, 2.0, 1.0)
        assert not np.shares_memory(body.points, other.points)
        assert len(other.points) == 2 and other.joints[0].name == "j"
    ground = cond.ObstacleDef(shape="heightfield", heights=[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    again = pickle.loads(pickle.dumps(ground))
    assert again.heights.shape == (3, 2) and again.heights.tolist() == ground.heights.tolist()


def test_lists_are_changed_in_place() -> None:
    body = cond.BodyDef(name="arm", kind="robot", links=[cond.LinkDef(name="base", mass=1.0)])
    hand = cond.LinkDef(name="hand", parent="base", shapes=[cond.LinkShapeDef(shape="sphere", size=0.1)])
    body.links.append(hand)
    hand.mass = 7.0  # of the caller's own: what is added is copied
    last = body.links["hand"]
    body.links.insert(1, cond.LinkDef(name="wrist", parent="base"))
    last.mass, last.shapes[0].size[1], last.parent = 3.0, 0.2, "wrist"
    last.shapes.append(cond.LinkShapeDef(shape="box", size=0.05))
    assert body.links.names == ("base", "wrist", "hand") and "hand" in body.links and last in body.links
    c = body.pointer
    assert (c.n_link, c.link[2].mass, c.link[2].n_shape, c.link[2].shape[0].size[1]) == (3, 3.0, 2, 0.2)
    assert body.copy().links[-1].shapes[1].shape is cond.ShapeKind.BOX
    del body.links["wrist"]
    body.links[-1].parent = "base"
    body.links[0] = cond.LinkDef(name="root", mass=2.0)
    assert [link.name for link in body.links] == ["root", "hand"] and body.pointer.n_link == 2
    body.links = []
    assert body.pointer.n_link == 0 and last.mass == 3.0
    points = cond.BodyDef(points=np.zeros((2, 3)))
    points.points[1, 2] = 5.0
    assert points.pointer.point[5] == 5.0 and points.pointer.n_point == 2
    ends = cond.AttachmentDef()
    ends.end[0].body = "box"
    ends.end[1] = cond.EndDef(body="ball")
    assert [end.body for end in ends.end] == ["box", "ball"]
    drawn = cond.VariationDef(choices=[1.0, 2.0, 5.0])
    assert drawn.choices.tolist() == [1.0, 2.0, 5.0] and drawn.pointer.n_choice == 3


def test_lists_say_what_they_expect() -> None:
    body = cond.BodyDef(links=[cond.LinkDef(name="hand")])
    for make, error, match in (
        (lambda: body.links["hnad"], cond.BadArgument, "BodyDef.links has no entry 'hnad'; did you mean 'hand'"),
        (lambda: body.links[1], IndexError, "BodyDef.links has no entry 1; it has 1, numbered from 0"),
        (lambda: body.links.append(cond.JointDef()), TypeError, r"BodyDef.links\[1\]: expected a cond.LinkDef"),
        (lambda: cond.BodyDef(links=3), cond.BadArgument, "BodyDef.links: expected a list"),
        (lambda: cond.VariationDef(choices=range(17)), cond.BadArgument, "at most 16 numbers"),
        (lambda: cond.AttachmentDef().end.__setitem__(2, cond.EndDef()), IndexError,
         "AttachmentDef.end has no entry 2"),
        (lambda: cond.BodyDef(mas=1.0), TypeError, "a cond.BodyDef has no field 'mas'; did you mean 'mass'"),
    ):
        with pytest.raises(error, match=match):
            make()  # type: ignore[no-untyped-call]


def test_what_is_shown_of_a_definition() -> None:
    body = cond.BodyDef(name="box", kind="soft", mass=1.0, rod=cond.RodDef(links=3), joints=[cond.JointDef(name="a")])
    assert repr(body) == ("BodyDef(name='box', kind=<BodyKind.SOFT: 2>, mass=1.0, joints=[JointDef(name='a')], "
                          "rod=RodDef(links=3))")
    assert repr(cond.BodyDef()) == "BodyDef()" and "seconds=0.0" in repr(cond.StepInfo.new())


def test_misspelt_attributes_are_refused() -> None:
    model = cond.Model.from_path("push")
    state, sim = model.state(), cond.Sim(model)
    env, batch = cond.Env("pusher"), cond.EnvBatch("pusher", 1)
    things: list[tuple[Any, str, str]] = [
        (cond.BodyDef(), "mas", "mass"), (state, "tiem", "time"), (sim, "mesage", "message"), (model, "nmae", "name"),
        (cond.Scene(), "seting", "settings"), (sim.run(state, 1), "n_mised", "n_missed"),
        (env, "observaton", "observation"), (batch, "n_acton", "n_action"),
        (cond.Mechanics(model), "modle", "model"), (cond.Query(model), "modl", "model"),
        (cond.Mesh("box:1,1,1:1,1,1"), "nodes", "node"), (cond.Solver(), "histry", "history"),
        (cond.Problem([0.0]), "n_dofs", "n_dof"), (cond.Snapshot(model), "scenry", "scenery"),
        (cond.rollout(model, state, n_step=1), "finl", "final"), (cond.Picture(model), "camra", "camera")]
    for thing, wrong, meant in things:
        with pytest.raises(AttributeError, match=f"{type(thing).__name__} has no attribute '{wrong}'; did you mean "
                                                 f"'{meant}'"):
            setattr(thing, wrong, 1)
    with pytest.raises(AttributeError):
        model.n_dof = 3  # type: ignore[misc]


class MyState(cond.State):
    """A user's own may have attributes of its own."""


def test_own_classes_may_hold_more() -> None:
    state = MyState(cond.Model.from_path("push"))
    state.note = "here"  # type: ignore[attr-defined]
    assert state.note == "here"  # type: ignore[attr-defined]


def test_fields_say_what_they_expect() -> None:
    for make, error, match in (
        (lambda: cond.BodyDef(mass="heavy"), TypeError, "BodyDef.mass: expected a number, not 'heavy'"),
        (lambda: cond.RodDef(links=2.5), TypeError, "RodDef.links: expected a whole number, not 2.5"),
        (lambda: cond.BodyDef(groups=-1), ValueError, "BodyDef.groups: -1 is beyond"),
        (lambda: cond.BodyDef(position=(1, 2)), ValueError, r"BodyDef.position: expected the shape \(3,\), not \(2,\)"),
        (lambda: cond.BodyDef(position="up"), ValueError, r"BodyDef.position: expected numbers of the shape \(3,\)"),
        (lambda: cond.BodyDef(rod=cond.SurfaceDef()), TypeError, "BodyDef.rod: expected a cond.RodDef, not SurfaceDef"),
        (lambda: cond.BodyDef(joints=[cond.LinkDef()]), TypeError, r"BodyDef.joints\[0\]: expected a cond.JointDef"),
        (lambda: cond.AttachmentDef(end=[cond.EndDef()]), ValueError, "AttachmentDef.end: expected a list of 2"),
        (lambda: cond.BodyDef(name=3), TypeError, "BodyDef.name: expected a text, not 3"),
        (lambda: cond.BodyDef(name="x" * 64), ValueError, "BodyDef.name: a text of fewer than 64 bytes"),
    ):
        with pytest.raises(error, match=match):
            make()


def test_keys_are_the_fields_of_the_classes_and_have_their_defaults() -> None:
    rows = list(cond.keys())
    assert len(rows) > 300 and all(row.meaning and row.words for row in rows)
    numbers = 0
    for index, row in enumerate(rows):
        if not row.field:
            continue
        value: Any = getattr(cond, row.structure.removeprefix("Cond"))()
        for name in row.field.replace("]", "").split("."):
            name, _, place = name.partition("[")
            value = getattr(value, name)[int(place)] if place else getattr(value, name)
        initial = row.initial.replace(".inf", "inf")
        if row.type == cond.KeyType.NUMBER and initial.lstrip("-").replace(".", "").isalnum():
            try:
                given = float(initial)
            except ValueError:
                continue  # a word, such as "required"
            assert value == given, (row.structure, row.field)
            numbers += 1
        if row.type == cond.KeyType.CHOICE:
            assert row.initial in cond.key_choices(index), (row.structure, row.field)
    assert numbers > 40
    assert cond.key_choices(0) == ()
    known = cond.keys()
    assert [row.initial for row in cond.scene_keys()] == [row.initial for row in known]
