"""Meshes of arrays: made, given to bodies, written with their scene, and read back from a model."""
from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import cond

RUBBER = cond.MaterialDef(name="rubber", youngs_modulus=1e5, poisson_ratio=0.3, density=1000.0)


def soft(mesh: str, made: cond.Mesh | None = None) -> cond.Scene:
    scene = cond.Scene()
    scene.add(RUBBER)
    scene.add(cond.PlaneDef())
    if made is not None:
        scene.add_mesh(mesh, made)
    scene.add(cond.BodyDef(name="block", kind="soft", mesh=mesh, material="rubber", position=(0.1, 0.0, 0.01)))
    return scene


def after(scene: cond.Scene, steps: int = 4) -> int:
    model = cond.Model(scene)
    state = model.state()
    cond.Sim(model).run(state, steps)
    return state.hash()


def tetrahedron() -> cond.Mesh:
    return cond.Mesh.of(0.1 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
                        triangle=[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def test_a_soft_body_of_arrays_is_that_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = "box:3,2,2:0.1,0.1,0.1"
    mesh = cond.Mesh(recipe)
    nodes, tets = mesh.node.copy(), mesh.tet.copy()
    inverted = tets.copy()
    inverted[::3] = inverted[::3, [1, 0, 2, 3]]
    scene = soft("mine", cond.Mesh.of(nodes, tets))
    expected = after(soft(recipe))
    assert after(scene) == expected
    assert cond.Model(soft("mine", cond.Mesh.of(nodes, inverted))).mass("block") == pytest.approx(1.0)
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("no mesh", encoding="utf-8")  # a file of that name plays no part
    scene.write(tmp_path / "scene.yaml")
    assert after(cond.Scene(tmp_path / "scene.yaml")) == expected
    assert after(pickle.loads(pickle.dumps(scene))) == expected


def test_rigid_bodies_and_obstacles_of_triangles() -> None:
    scene = cond.Scene()
    scene.add_mesh("corner", tetrahedron())
    scene.add(cond.BodyDef(name="one", kind="rigid", density=1000.0, shape="mesh", mesh="corner", position=(0, 0, 0.2)))
    scene.add(cond.BodyDef(name="two", kind="rigid", density=1000.0, shape="convex", mesh="corner", mesh_scale=2.0,
                           position=(1, 0, 0.2)))
    scene.add(cond.ObstacleDef(name="rock", shape="mesh", mesh="corner", position=(0, 3, 0)))
    model = cond.Model(scene)
    assert model.mass("one") == pytest.approx(1000.0 * 1e-3 / 6.0)
    assert model.mass("two") == pytest.approx(8.0 * model.mass("one"))
    scene.add(cond.ActionDef(name="hand", kind="pick", takes="two"))
    env = cond.Env(scene)
    assert env.model.mass("two") == model.mass("two") and pickle.loads(pickle.dumps(env)).hash == env.hash


def test_what_a_model_knows_of_a_soft_body() -> None:
    mesh = cond.Mesh("box:2,2,2:0.1,0.1,0.1")
    model = cond.Model(soft("box:2,2,2:0.1,0.1,0.1"))
    state = model.state()
    rest, tets, triangles = model.rest("block"), model.tets("block"), model.triangles("block")
    assert np.array_equal(tets, mesh.tet) and np.array_equal(triangles, mesh.triangle)
    assert rest == pytest.approx(mesh.node + np.array([0.1, 0.0, 0.01])) and np.array_equal(state.nodes("block"), rest)
    cond.Sim(model).run(state, 20)
    a, b, c, d = (state.nodes("block")[tets[:, k]] for k in range(4))
    volume = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6.0
    assert volume.sum() == pytest.approx(1e-3, rel=0.05) and (volume > 0.0).all()
    assert not np.array_equal(state.nodes("block"), rest)
    assert model.mesh("block").check().volume == pytest.approx(1e-3)
    for array in (rest, tets, triangles):
        with pytest.raises(ValueError):
            array[0] = 0
    del model, state
    assert rest.shape == (len(mesh.node), 3) and tets.max() < len(rest)
    with pytest.raises(cond.BadArgument, match="'box' is of the kind rigid; only soft bodies have tetrahedra"):
        cond.Model.from_path("push").tets("box")


def test_meshes_that_are_refused() -> None:
    scene, mesh = cond.Scene(), tetrahedron()
    scene.add_mesh("a", mesh)
    for name, match in (("a", "another mesh is called 'a' already"), ("", "has a name"), ("b.obj", "without '/', '.'"),
                        ("x" * 64, "fewer than 64 bytes")):
        with pytest.raises(cond.BadArgument, match=match):
            scene.add_mesh(name, mesh)
    with pytest.raises(cond.BadArgument, match="neither tetrahedra nor triangles"):
        scene.add_mesh("b", cond.Mesh.of([[0, 0, 0]]))
    with pytest.raises(TypeError, match=r"expected a cond.Mesh, not ndarray; cond.Mesh.of"):
        scene.add_mesh("b", np.zeros((4, 3)))  # type: ignore[arg-type]
    with pytest.raises(cond.BadArgument, match=r"tet\[1\] is \[0, 1, 2, 9\]: there are nodes 0 to 3"):
        cond.Mesh.of(mesh.node, [[0, 1, 2, 3], [0, 1, 2, 9]])
    with pytest.raises(cond.BadArgument, match=r"node: expected numbers of the shape \(n, 3\)"):
        cond.Mesh.of([[0, 0], [1, 1]])
    with pytest.raises(cond.BadArgument, match=r"tet: expected whole numbers of the shape \(n, 4\)"):
        cond.Mesh.of(mesh.node, [[0.5, 1, 2, 3]])


@pytest.mark.parametrize(("text", "match"), [
    ("meshes: [{name: a}]", "text:1: meshes.*nodes is required|nodes"),
    ("meshes: [{name: a, nodes: [[0, 0, 0]]}]", "text:1: meshes.*neither tetrahedra nor triangles"),
    ("meshes: [{name: a, nodes: [[0, 0]], triangles: [[0, 0, 0]]}]", r"meshes\.a\.nodes\[0\]: expected a vector of 3"),
    ("meshes: [{name: a, nodes: [[0, 0, 0]], tets: [[0, 1, 2]]}]", r"meshes\.a\.tets\[0\].* list of 4 nodes"),
    ("meshes:\n  - name: a\n    nodes: [[0, 0, 0]]\n    triangles: [[0, 0, 0.5]]", "text:4: .*the number of a"),
    ("meshes: [{name: a, nodes: [[0, 0, 0]], triangles: [[0, 0, 7]]}]", "mesh 'a': .*7"),
    ("meshes: [{name: a, nodes: 3, triangles: [[0, 0, 0]]}]", r"meshes\.a\.nodes: expected a list"),
])
def test_faults_of_meshes_in_files_carry_line_and_key(text: str, match: str) -> None:
    with pytest.raises(cond.BadInput, match=match):
        cond.Scene.from_text(text)
