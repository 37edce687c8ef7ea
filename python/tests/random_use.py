"""Random use of the package for some seconds: objects of all kinds made, used rightly and wrongly, and forgotten in
any order. Meant to run under AddressSanitizer (tools/check_python_memory.sh); alone it finds what crashes.

    python python/tests/random_use.py SECONDS [SEED]
"""
from __future__ import annotations

import contextlib
import copy
import gc
import os
import pickle
import random
import sys
import tempfile
import threading
import time
from typing import Any

import numpy as np

import cond

SCENES = ("push", "drop", "springs", "pusher", "pendulum2", "incline", "shapes", "forces", "walk")
BROKEN = ("", "bodies: [", "bodies: 3", "bodies: [{kind: robot}]", "step: {time_step: -1}",
          "planes: [{normal: [0, 0, 0]}]", "bodies: [{kind: rigid, mass: 1, shape: {mesh: nowhere.stl}}]")


class User:
    """Holds whatever it has made, and does something with it."""

    def __init__(self, seed: int, folder: str) -> None:
        self.random = random.Random(seed)
        self.folder = folder
        self.held: list[Any] = []
        self.done = 0

    def of(self, kind: type) -> Any:
        """Something of that kind that it holds, or None."""
        found = [item for item in self.held if isinstance(item, kind)]
        return self.random.choice(found) if found else None

    def number(self) -> Any:
        return self.random.choice((0.0, 1.0, -1.0, 1e-3, 1e30, float("nan"), float("inf"), self.random.gauss(0, 1)))

    def three(self) -> list[Any]:
        return [self.number() for _ in range(self.random.choice((3, 3, 3, 2)))]

    def small(self) -> list[float]:
        return [self.random.gauss(0, 0.1) for _ in range(3)]

    # What it does; each may raise one of cond's errors.

    def make_model(self) -> None:
        # A step from an odd state is tried once, not in parts: the time is for damage, not for the solver's patience.
        patience = self.random.choice(("solver.fallback=false", "solver.max_iterations=1000"))
        self.held.append(cond.Model.from_path(self.random.choice(SCENES), ["step.substeps=1", patience]))

    def break_scene(self) -> None:
        cond.Scene.from_text(self.random.choice(BROKEN))

    def build_scene(self) -> None:
        scene = cond.Scene()
        for i in range(self.random.randrange(4)):
            scene.add(cond.BodyDef(name=f"b{i}", kind=cond.BodyKind.RIGID, mass=abs(self.number()),
                                   shape=cond.ShapeKind.BOX, size=(0.1, 0.1, 0.1), inertia_from_shape=1,
                                   position=(0.0, 0.0, 0.2 + 0.3 * i)))
        scene.add(cond.PlaneDef(normal=(0, 0, 1)))
        self.held.append(cond.Model(scene))

    def make_things(self) -> None:
        model = self.of(cond.Model)
        kind = self.random.choice((cond.Sim, cond.Mechanics, cond.Query, cond.Snapshot, cond.Audit, cond.Rollout))
        if model is not None:
            self.held += [model.state(), kind(model)]

    def step(self) -> None:
        sim, state = self.of(cond.Sim), self.of(cond.State)
        if sim is not None and state is not None:
            self.held.append(sim.step(state))
            sim.contacts()
            self.held += [state.q, state.v, sim.body_force(0)[0]]

    def disturb(self) -> None:
        state = self.of(cond.State)
        if state is None:
            return
        what = self.random.randrange(8)
        if what == 0:
            state.push(self.random.randrange(-1, 3), self.three(), self.three(), part=self.random.randrange(-1, 3))
        elif what == 1:
            state.end_push(self.random.randrange(-1, 5))
        elif what == 2:
            speed = self.number() if self.random.random() < 0.2 else 0.1
            state.set_velocity(0, np.full(state.velocity(0).shape, speed))
        elif what == 3:
            state.load(state.save()[: self.random.choice((None, 7, -1))])
        elif what == 4:
            self.held.append(state.copy())
        elif what == 5:
            pose = state.pose(0)
            pose.position = np.array(pose.position) + self.small()
            state.set_pose(0, pose)
        elif what == 6:
            state.attach(cond.AttachmentDef(end=(cond.EndDef(body=state.model.body_name(0)), cond.EndDef())))
        else:
            state.release(self.random.randrange(-1, 3))

    def ask(self) -> None:
        state, query, mechanics = self.of(cond.State), self.of(cond.Query), self.of(cond.Mechanics)
        if state is not None and query is not None:
            query.set(state)
            self.held.append(query.rays(np.random.rand(3, 3), [self.small() for _ in range(3)]))
            query.within(self.small(), abs(self.random.gauss(0, 1)))
        if state is not None and mechanics is not None:
            mechanics.set(state)
            place = mechanics.place(0, 0, self.small())
            self.held.append(mechanics.jacobian(place))
            mechanics.forward(0)

    def look(self) -> None:
        state, snapshot, audit = self.of(cond.State), self.of(cond.Snapshot), self.of(cond.Audit)
        if state is not None and snapshot is not None:
            self.held += [snapshot.take(state), snapshot.scenery]
        if state is not None and audit is not None and state.model.n_body < 5:
            self.held.append(audit.run(state, 0.1))

    def record(self) -> None:
        state = self.of(cond.State)
        if state is not None:
            path = os.path.join(self.folder, f"{threading.get_ident()}.h5")
            with cond.Record(path, state.model) as record:
                record.frame(state)
            recording = cond.Recording(path)
            self.held += [recording[0], recording.time]

    def pose_problem(self) -> None:
        sim, state = self.of(cond.Sim), self.of(cond.State)
        if sim is not None and state is not None:
            sim.forces(state)
            sim.matrix()
            sim.collide(state)
            sim.assemble(state)
            problem = sim.problem()
            v, force, _ = problem.solve()
            problem.certify(v, force)
            self.held.append(problem)

    def hook(self) -> None:
        sim = self.of(cond.Sim)
        if sim is not None:
            contact = self.random.choice((None, lambda c: None, lambda c: False, lambda c: 1 / 0))
            force = self.random.choice((None, lambda t, q, s: s.add([0], [0.1]), lambda t, q, s: s.add([99999], [1])))
            sim.set_hooks(contact=contact, force=force)

    def roll(self) -> None:
        rollout, state = self.of(cond.Rollout), self.of(cond.State)
        if rollout is not None and state is not None:
            result = rollout.run([state] * self.random.randrange(4), n_step=self.random.randrange(3))
            self.held += [result.q, *result.final]

    def mesh(self) -> None:
        mesh = cond.Mesh(self.random.choice(("box:1,1,1:0.1,0.1,0.1", "ball:0.05:2", "ball:x", "nowhere.stl")))
        self.held += [mesh.node, mesh.boundary(), mesh.check()]

        scene = cond.Scene()
        scene.add_mesh("mine", cond.Mesh.of(mesh.node, mesh.tet))
        kind = self.random.choice(("soft", "rigid"))
        scene.add(cond.MaterialDef(name="rubber", youngs_modulus=1e5, poisson_ratio=0.3, density=1000.0))
        scene.add(cond.BodyDef(name="a", kind=kind, shape="mesh" if kind == "rigid" else "none", mesh="mine",
                               material="rubber" if kind == "soft" else "", mass=1.0 if kind == "rigid" else 0.0))
        model = cond.Model(scene)
        self.held += [model, copy.deepcopy(scene)]
        if kind == "soft":
            self.held += [model.rest(0), model.tets(0), model.triangles(0), model.state().nodes(0)]

    def duplicate(self) -> None:
        if self.held:
            with contextlib.suppress(TypeError):  # of workspaces there is one
                self.held.append(pickle.loads(pickle.dumps(self.random.choice(self.held))))

    def environment(self) -> None:
        batch = self.of(cond.EnvBatch) or cond.EnvBatch("pusher", self.random.randrange(1, 4))
        self.held += [batch, batch.step(np.full((batch.n, batch.n_action), self.number())).observation]
        env = self.of(cond.Env) or cond.Env("pusher", text=self.random.choice((None, "bodies: 1")))
        self.held += [env, env.reset(self.random.randrange(9)), env.step(env.draw_action(self.random.randrange(9)))]
        self.held.append(self.random.choice((env.state, env.sim, env.model)))
        env.load(env.save()[: self.random.choice((None, 9))])

    def forget(self) -> None:
        self.random.shuffle(self.held)
        del self.held[self.random.randrange(len(self.held) + 1) :]
        if self.random.random() < 0.2:
            gc.collect()

    def act(self) -> None:
        acts = (self.make_model, self.break_scene, self.build_scene, self.make_things, self.step, self.step, self.step,
                self.disturb, self.disturb, self.ask, self.look, self.record, self.pose_problem, self.hook, self.roll,
                self.mesh, self.environment, self.duplicate, self.forget if len(self.held) > 40 else self.step)
        with contextlib.suppress(cond.Error, ZeroDivisionError, IndexError):
            self.random.choice(acts)()
        self.done += 1
        if len(self.held) > 200:
            self.forget()

    def run(self, until: float) -> None:
        while time.monotonic() < until:
            self.act()


def main() -> int:
    seconds = float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        users = [User(seed + i, folder) for i in range(2)]
        threads = [threading.Thread(target=user.run, args=(until,)) for user in users]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"{sum(user.done for user in users)} acts of {len(users)} threads in {seconds:g} s, seed {seed}")
        for user in users:
            user.held.clear()
        gc.collect()
    return 0


if __name__ == "__main__":
    sys.exit(main())
