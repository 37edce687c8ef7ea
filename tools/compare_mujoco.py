#!/usr/bin/env python3
"""Compares what COND reads from MJCF files with what MuJoCo reads from them.

    tools/compare_mujoco.py robot.xml ...              one line a file, and its differences below
    tools/compare_mujoco.py --list FILE                files, one a line
    tools/compare_mujoco.py --json out.json robot.xml  everything that was compared
    tools/compare_mujoco.py --run 0.5 robot.xml        also runs both for half a second

It needs the packages `mujoco` and `pyyaml`, and COND's own (docs/python.md). Compared are, at the references, at the
first keyframe and at random configurations: poses, centres and moments of all bodies, the joints' mass matrix and the
forces of gravity on them; axes, limits, damping, armature, friction and springs of joints; stiffness, damping, torque
at the start and both efforts of drives; equalities; which bodies touch, and with what friction. A difference is "named"
where a warning or an excluded pair of COND mentions it, or where it is no more than the products of inertia that MuJoCo
drops as it turns meshes and bodies to their axes. Exit code: 0 without differences that are not named, else 1; 2: a
file that one of the two refuses. With --run: steps that miss their tolerance, what is deeper in what than at the start,
and the poses after a run in which MuJoCo's soft contacts and limits had no part."""
import argparse
import json
import math
import os
import random
import re
import signal
import sys
import tempfile
from types import SimpleNamespace

import numpy as np

try:
    import mujoco
    import yaml
except ImportError as missing:
    sys.exit(f"compare_mujoco.py needs the package {missing.name}")
import cond

TOUCH = 1e-5       # overlaps below this are not compared [m]
RUN = 0.01         # way of a body from where it is in MuJoCo after a run that is told [m]
DEEP = 1e-4        # overlaps after a run that are told [m]
CONFIGURATIONS = 12
ROUNDING = 1e-12   # MuJoCo turns a mesh to its axes until the products of unit density are below this [m^5]
HULL = 0.02        # share of its half axes that an ellipsoid's hull is inside it
KINDS = ("free", "ball", "slide", "hinge")
FREE, BALL, SLIDE, HINGE = range(4)  # numbers of mjtJoint


class Differences:
    """What differs in one file: by topic, with the words that a warning would have to have to name it."""

    def __init__(self, warnings):
        self.found, self.warnings = [], warnings

    def add(self, topic, text, *words, known=False):
        named = bool(known) or (bool(words) and any(all(re.search(word, line) for word in words) for line in self.warnings))
        self.found.append({"topic": topic, "text": text, "named": named})

    def number(self, topic, what, ours, theirs, *words, relative=1e-6, absolute=1e-9, rounding=0.0):
        """Numbers that differ by more than what is given; known where no more than `rounding`, relative, apart."""
        ours, theirs = float(ours), float(theirs)
        if math.isinf(ours) and math.isinf(theirs) and (ours > 0) == (theirs > 0):
            return
        if not abs(ours - theirs) <= absolute + relative * max(abs(ours), abs(theirs)):
            known = abs(ours - theirs) <= rounding * max(abs(ours), abs(theirs))
            self.add(topic, f"{what}: {ours:.9g}, in MuJoCo {theirs:.9g}", *words, known=known)


def name_of(m, kind, index):
    return mujoco.mj_id2name(m, kind, index) or ""


def matrix(q):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.asarray(q, float))
    return R.reshape(3, 3)


class Pair:
    """One file in both, and which body of one is which of the other."""

    def __init__(self, path):
        self.path = path
        self.m = mujoco.MjModel.from_xml_path(path)
        self.d = mujoco.MjData(self.m)
        scene = cond.Scene(path)
        self.model = cond.Model(scene)
        self.state = self.model.state()
        self.mechanics = cond.Mechanics(self.model, self.state)
        with tempfile.TemporaryDirectory() as folder:
            scene.write(os.path.join(folder, "scene.yaml"))
            with open(os.path.join(folder, "scene.yaml"), encoding="utf-8") as stream:
                self.text = yaml.load(stream, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.warnings = list(self.model.warnings)
        self.densities = densities(path)
        self.worst_moment = 0.0  # the largest relative difference that MuJoCo's rounding explains
        self.yaml_body = {b["name"]: b for b in self.listed("bodies")}
        self.place = {}  # of a body of MuJoCo: (body, link) here
        root = self.m.body_weldid  # bodies that the program moves have no joints, and no mass that counts
        self.moves = [root[b] != 0 and self.m.body_mocapid[root[b]] < 0 for b in range(self.m.nbody)]
        for b in range(1, self.m.nbody):
            found = self.find_body(name_of(self.m, mujoco.mjtObj.mjOBJ_BODY, b) or f"body{b}")
            if found:
                self.place[b] = found
        self.joint = {}  # of a joint of MuJoCo: (body, JointInfo)
        for j in range(self.m.njnt):
            found = self.find_joint(j)
            if found:
                self.joint[j] = found

    def listed(self, key):
        """A section of the scene as a list of mappings with names."""
        section = self.text.get(key) or []
        if isinstance(section, dict):
            return [{"name": name, **(entry or {})} for name, entry in section.items()]
        return section

    def find_body(self, name):
        """A link of that name, first of those that move: what stands still has links called `base`."""
        if not name:
            return None
        places = [(b, k) for b in range(self.model.n_body) for k in range(self.model.n_link(b))
                  if self.model.link_name(b, k) == name]
        places.sort(key=lambda place: self.model.n_coordinate(place[0]) == 0)
        if places:
            return places[0]
        return (self.model.bodies.index(name), 0) if name in self.model.bodies else None

    def find_joint(self, j):
        m = self.m
        own = name_of(m, mujoco.mjtObj.mjOBJ_JOINT, j)
        body = name_of(m, mujoco.mjtObj.mjOBJ_BODY, m.jnt_bodyid[j])
        first = j == m.body_jntadr[m.jnt_bodyid[j]]
        for b in range(self.model.n_body):
            for k in range(self.model.n_joint(b)):
                info = self.model.joint(b, k)
                if info.name == own or (not own and first and info.name == body):
                    return b, info
        return None

    def link_text(self, place):
        body = self.yaml_body.get(self.model.body_name(place[0]), {})
        links = body.get("links") or []
        if isinstance(links, dict):
            links = [{"name": name, **(entry or {})} for name, entry in links.items()]
        wanted = self.model.link_name(*place)
        return next((link for link in links if link["name"] == wanted), None)

    def set_both(self, q):
        """Puts both at MuJoCo's configuration q; 0 where COND has coordinates that q does not reach."""
        m, d = self.m, self.d
        d.qpos[:] = q
        d.qvel[:] = 0.0
        mujoco.mj_forward(m, d)
        for b in range(self.model.n_body):
            own = self.state.configuration(b).copy()
            for j, (body, info) in self.joint.items():
                if body != b:
                    continue
                a = m.jnt_qposadr[j]
                if info.turn_begin >= 0 and m.jnt_type[j] == BALL:
                    own[info.turn_begin:info.turn_begin + 4] = d.qpos[a:a + 4]
                elif info.n_coordinate == 1 and info.follows < 0:
                    own[info.q_begin] = d.qpos[a]
            for j in range(m.njnt):
                place = self.place.get(m.jnt_bodyid[j])
                if m.jnt_type[j] != FREE or not place or place[0] != b:
                    continue
                a = m.jnt_qposadr[j]
                if self.model.n_link(b):
                    own[:7] = d.qpos[a:a + 7]
                else:
                    own[:3] = d.xipos[m.jnt_bodyid[j]]
                    own[3:7] = self.rigid_turn(m.jnt_bodyid[j])
            self.state.set_configuration(b, own)
        self.mechanics.set(self.state)

    def rigid_turn(self, b):
        """Orientation of a rigid body, whose axes are those of its one shape."""
        body = self.yaml_body[self.model.body_name(self.place[b][0])]
        turn = body.get("orientation", [1, 0, 0, 0])
        start = np.zeros(4)  # at the start: world = body0 * shape, so that shape = body0^-1 world
        mujoco.mju_mulQuat(start, self.conjugate(self.start_turn(b)), np.asarray(turn, float))
        out = np.zeros(4)
        mujoco.mju_mulQuat(out, self.d.xquat[b], start)
        return out

    def start_turn(self, b):
        m = self.m
        home = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_KEY, "home")
        q = m.key_qpos[home] if home >= 0 else m.qpos0
        a = m.jnt_qposadr[m.body_jntadr[b]]
        turn = np.array(q[a + 3:a + 7])
        return turn / np.linalg.norm(turn)

    @staticmethod
    def conjugate(q):
        return np.array([q[0], -q[1], -q[2], -q[3]])


def densities(path):
    """Mass over volume of the meshes of each body, by its name, summed: what the moments of unit density count with."""
    spec, found = mujoco.MjSpec.from_file(path), {}
    m = spec.compile()
    for geom in spec.geoms:
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH or m.geom_dataid[geom.id] < 0:
            continue
        density = geom.density
        if not math.isnan(geom.mass):
            mesh = m.geom_dataid[geom.id]
            at, faces = m.mesh_vertadr[mesh], m.mesh_faceadr[mesh]
            v = m.mesh_vert[at:at + m.mesh_vertnum[mesh]].astype(float)
            a, b, c = (v[m.mesh_face[faces:faces + m.mesh_facenum[mesh], i]] for i in range(3))
            volume = abs(np.einsum("ij,ij->i", a, np.cross(b, c))).sum() / 6.0
            density = geom.mass / volume if volume > 0.0 else 0.0
        body = int(m.geom_bodyid[geom.id])
        found[body] = found.get(body, 0.0) + density
    return found


def explained(p, b, R, difference):
    """1 where moments differ by no more than the products that MuJoCo leaves out as it turns its meshes and the body:
    each turn leaves out three below ROUNDING, of unit density or of the body itself."""
    bound = 3.0 * ROUNDING * (1.0 + p.densities.get(b, 0.0))
    return abs(R.T @ difference @ R).max() <= bound


def compare_counts(p, out):
    m = p.m
    for b in range(1, m.nbody):
        name = name_of(m, mujoco.mjtObj.mjOBJ_BODY, b)
        if p.moves[b] and b not in p.place:
            out.add("bodies", f"body '{name}' is not there", words_of(name, "B"))
    for j in range(m.njnt):
        if j not in p.joint and m.jnt_type[j] != FREE:
            name = name_of(m, mujoco.mjtObj.mjOBJ_JOINT, j)
            if not held_joint(p, j):
                out.add("joints", f"joint '{name}' is not there", words_of(name, "J"))


def words_of(name, letter):
    """A warning names what is not there, or what is made by a composite, by that."""
    composite = re.search(letter + r"_(first|last|\d+)$", name)
    return (re.escape(name) or "#") + ("|<composite>" if composite else "")


def held_joint(p, j):
    m = p.m
    return any(m.eq_type[e] == int(mujoco.mjtEq.mjEQ_JOINT) and m.eq_obj1id[e] == j and m.eq_obj2id[e] < 0
               for e in range(m.neq))


def compare_masses(p, out):
    m = p.m
    mocaps = sum(m.body_mocapid[b] >= 0 for b in range(m.nbody))  # a kilogram each, which moves as it is told
    ours = sum(p.model.mass(b) for b in range(p.model.n_body)) - mocaps
    theirs = sum(m.body_mass[b] for b in range(m.nbody) if p.moves[b])
    out.number("mass", "mass of all that moves", ours, theirs, "mass")
    for b, place in p.place.items():
        link, name = p.link_text(place), name_of(m, mujoco.mjtObj.mjOBJ_BODY, b)
        mass = link.get("mass", 0.0) if link is not None else p.model.mass(place[0])
        if not p.moves[b]:
            continue
        out.number("mass", f"mass of '{name}'", mass, m.body_mass[b], re.escape(name))
        if link is None or m.body_mass[b] == 0.0:
            continue
        R = matrix(m.body_iquat[b])
        theirs = R @ np.diag(m.body_inertia[b]) @ R.T
        xx, yy, zz, xy, xz, yz = inertia_of(link)
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        scale = max(abs(theirs).max(), 1e-12)
        worst = abs(I - theirs).max() / scale
        rounding = explained(p, b, R, I - theirs)
        if rounding:
            p.worst_moment = max(p.worst_moment, worst)
        if worst > 1e-5:
            out.add("inertia", f"moments of '{name}' differ by {worst:.2g} of the largest"
                    + (", as MuJoCo rounds them" if rounding else ""), re.escape(name), known=rounding)
        centre = np.asarray(link.get("center", [0, 0, 0]), float) + last_anchor(m, b)
        if np.linalg.norm(centre - m.body_ipos[b]) > 1e-9:
            out.add("centre", f"centre of '{name}' differs by {np.linalg.norm(centre - m.body_ipos[b]):.3g} m",
                    re.escape(name))


def inertia_of(link):
    given = link.get("inertia", [0, 0, 0])
    given = [float(x) for x in given] if isinstance(given, list) else [float(given)] * 3
    return given + [0.0] * (6 - len(given))


def last_anchor(m, b):
    """The origin of a link in the axes of its body: the anchor of the last joint."""
    n = m.body_jntnum[b]
    if n == 0 or m.jnt_type[m.body_jntadr[b]] == FREE:
        return np.zeros(3)
    return m.jnt_pos[m.body_jntadr[b] + n - 1]


def compare_poses(p, out, label, *words, within=1e-6):
    m, d = p.m, p.d
    worst = (0.0, "")
    for b, place in p.place.items():
        name = name_of(m, mujoco.mjtObj.mjOBJ_BODY, b)
        pose = p.mechanics.pose(p.mechanics.place(*place))
        R = d.xmat[b].reshape(3, 3)
        if p.model.n_link(place[0]):
            x, turn = d.xpos[b] + R @ last_anchor(m, b), R
        else:
            x, turn = d.xipos[b], None
        way = np.linalg.norm(np.array(pose.position) - x)
        if turn is not None:
            way = max(way, 0.1 * np.linalg.norm(matrix(pose.orientation) - turn))
        worst = max(worst, (way, name))
    if worst[0] > within:
        out.add("poses", f"{label}: '{worst[1]}' is {worst[0]:.3g} m from where it is in MuJoCo",
                "|".join([re.escape(worst[1]), *words]))


def dof_map(p):
    """Coordinates of hinges and slides that both have: (body, dof here), dof there."""
    m, pairs = p.m, {}
    for j, (body, info) in p.joint.items():
        if m.jnt_type[j] in (HINGE, SLIDE) and info.follows < 0:
            pairs.setdefault(body, []).append((info.dof_begin, m.jnt_dofadr[j]))
    return pairs


def followed(p):
    return {info.follows for _, info in p.joint.values() if info.follows >= 0}


def compare_mechanics(p, out, label):
    m, d = p.m, p.d
    full = np.zeros((m.nv, m.nv))
    if hasattr(d, "qM"):
        mujoco.mj_fullM(m, full, d.qM)
    else:
        mujoco.mj_fullM(m, d, full)
    for body, pairs in dof_map(p).items():
        if any(info.follows >= 0 for b, info in p.joint.values() if b == body):
            continue  # its coordinates carry those that follow too
        if p.model.n_link(body) == 0:
            continue
        ours, theirs = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
        M = p.mechanics.mass(body)[np.ix_(ours, ours)]
        N = full[np.ix_(theirs, theirs)]
        scale = np.sqrt(np.outer(np.diag(N), np.diag(N)))
        worst = (abs(M - N) / scale).max()
        name = p.model.body_name(body)
        if worst > 1e-5:
            out.add("mass matrix", f"{label}: that of '{name}' differs by {worst:.2g}", re.escape(name))
        weight = p.mechanics.weight(body)[ours]
        theirs_weight = (d.qfrc_gravcomp - d.qfrc_bias)[theirs]
        size = max(abs(theirs_weight).max(), abs(d.qfrc_bias[theirs]).max(), 1e-6)
        if abs(weight - theirs_weight).max() > 1e-5 * size:
            out.add("weight", f"{label}: that of '{name}' differs by {abs(weight - theirs_weight).max():.3g}",
                    "gravcomp|gravity")


def compare_joints(p, out):
    m = p.m
    types = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "spherical": "ball"}
    for j, (_, info) in p.joint.items():
        name, kind = name_of(m, mujoco.mjtObj.mjOBJ_JOINT, j) or info.name, KINDS[m.jnt_type[j]]
        own, dof = types.get(info.kind.name.lower(), info.kind.name.lower()), m.jnt_dofadr[j]
        if own != kind:
            out.add("joints", f"'{name}' is {own}, in MuJoCo {kind}", re.escape(name))
            continue
        word = re.escape(name)
        if kind != "ball":
            low, high = m.jnt_range[j] if m.jnt_limited[j] else (-math.inf, math.inf)
            out.number("limits", f"lower limit of '{name}'", info.lower, low, word)
            out.number("limits", f"upper limit of '{name}'", info.upper, high, word)
        elif m.jnt_limited[j]:
            out.add("limits", f"ball joint '{name}' is limited in MuJoCo", word)
        out.number("damping", f"damping of '{name}'", info.damping, m.dof_damping[dof], word,
                   rounding=p.worst_moment)  # springdamper counts with the moments
        out.number("armature", f"armature of '{name}'", info.armature, m.dof_armature[dof], word)
        out.number("friction loss", f"friction of '{name}'", info.friction, m.dof_frictionloss[dof], word)
        spring = joint_text(p, info.name).get("spring", 0.0)
        out.number("stiffness", f"stiffness of '{name}'", spring, m.jnt_stiffness[j], word, rounding=p.worst_moment)
        if m.jnt_stiffness[j] and kind != "ball":
            rest = joint_text(p, info.name).get("spring_rest", 0.0)
            out.number("stiffness", f"rest of the spring of '{name}'", rest, m.qpos_spring[m.jnt_qposadr[j]], word)


def joint_text(p, name):
    """The joint of a link in the scene's text."""
    for body in p.yaml_body.values():
        links = body.get("links") or []
        for link in links if isinstance(links, list) else links.values():
            joint = link.get("joint")
            if isinstance(joint, dict) and joint.get("name", link.get("name")) == name:
                return joint
            if link.get("name") == name and isinstance(joint, dict) and "name" not in joint:
                return joint
    return {}


def leaders(p):
    """Of each hinge and slide of MuJoCo: the joint whose coordinate moves it here, and how far."""
    m, lead = p.m, {j: (j, 1.0) for j in p.joint}
    for e in range(m.neq):
        if m.eq_type[e] == int(mujoco.mjtEq.mjEQ_JOINT) and m.eq_active0[e] and m.eq_obj2id[e] >= 0:
            lead[m.eq_obj1id[e]] = (m.eq_obj2id[e], m.eq_data[e][1])
    return lead


def arm_of(p, a, lead):
    """The joint that an actuator drives and its arm there; None where it drives more or other things."""
    m, d, arms = p.m, p.d, {}
    mujoco.mj_resetData(m, d)
    mujoco.mj_forward(m, d)
    row = np.zeros(m.nv)
    mujoco.mju_sparse2dense(row.reshape(1, -1), d.actuator_moment[d.moment_rowadr[a]:],
                            d.moment_rownnz[a:a + 1], np.zeros(1, np.int32), d.moment_colind[d.moment_rowadr[a]:])
    for dof in np.nonzero(row)[0]:
        j = m.dof_jntid[dof]
        if m.jnt_type[j] not in (HINGE, SLIDE) or j not in lead:
            return None
        leader, times = lead[j]
        arms[leader] = arms.get(leader, 0.0) + times * row[dof]
    return next(iter(arms.items())) if len(arms) == 1 else None


def at_start(m):
    """Positions and controls of the scene's start: those of keyframe `home`, else the references and zeros."""
    home = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_KEY, "home")
    q = np.array(m.key_qpos[home] if home >= 0 else m.qpos0)
    controls = np.array(m.key_ctrl[home]) if home >= 0 else np.zeros(m.nu)
    for a in range(m.nu):
        if m.actuator_ctrllimited[a]:
            controls[a] = min(max(controls[a], m.actuator_ctrlrange[a][0]), m.actuator_ctrlrange[a][1])
    follow(m, q)
    return q, controls


def compare_drives(p, out):
    """Of each coordinate: what all its actuators do together, as c - K q - D q' between two efforts."""
    m, want, lead = p.m, {}, leaders(p)
    start, controls = at_start(m)
    p.set_both(start)
    lengths = np.array(p.d.actuator_length)
    for a in range(m.nu):
        name, arm = name_of(m, mujoco.mjtObj.mjOBJ_ACTUATOR, a), arm_of(p, a, lead)
        plain = (m.actuator_gaintype[a] == int(mujoco.mjtGain.mjGAIN_FIXED)
                 and m.actuator_biastype[a] in (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)))
        if not plain or not arm or arm[0] not in p.joint or p.joint[arm[0]][1].n_coordinate != 1:
            out.add("actuators", f"'{name}' has no counterpart", re.escape(name) if name else "actuator")
            continue
        j, gear = arm
        affine = m.actuator_biastype[a] == int(mujoco.mjtBias.mjBIAS_AFFINE)
        at = want.setdefault(j, SimpleNamespace(k=0.0, d=0.0, torque=0.0, low=0.0, high=0.0, names=[]))
        at.torque += gear * m.actuator_gainprm[a][0] * controls[a]
        if affine:
            at.k -= gear * gear * m.actuator_biasprm[a][1]
            at.d -= gear * gear * m.actuator_biasprm[a][2]
            at.torque += gear * (m.actuator_biasprm[a][0] + m.actuator_biasprm[a][1] * lengths[a])
        low, high = m.actuator_forcerange[a] if m.actuator_forcelimited[a] else (-math.inf, math.inf)
        if not affine and not m.actuator_forcelimited[a] and m.actuator_ctrllimited[a]:
            low, high = m.actuator_gainprm[a][0] * m.actuator_ctrlrange[a]
        at.low, at.high = at.low + min(gear * low, gear * high), at.high + max(gear * low, gear * high)
        at.names.append(name)
    for j, at in want.items():
        body, info = p.joint[j]
        name, words = info.name, [re.escape(n) for n in [*at.names, info.name] if n]
        word = "|".join(words)
        gains = p.state.motor(body, p.model.coordinate(body, info.name))
        out.number("drives", f"stiffness at '{name}'", gains.stiffness, at.k, word)
        out.number("drives", f"damping at '{name}'", gains.damping, at.d, word)
        low, high = at.low, at.high
        if m.jnt_actfrclimited[j]:
            low, high = max(low, m.jnt_actfrcrange[j][0]), min(high, m.jnt_actfrcrange[j][1])
        out.number("effort", f"effort at '{name}'", gains.effort, max(high, 0.0), word)
        back = gains.effort if math.isnan(gains.effort_back) else gains.effort_back
        out.number("effort", f"effort against '{name}'", back, max(-low, 0.0), word)
        own = next((one for one in p.yaml_body[p.model.body_name(body)].get("joints") or []
                    if one["name"] == info.name), {})
        target = own.get("position", 0.0) + own.get("lead", 0.0)
        torque = own.get("torque", 0.0) + (gains.stiffness * (target - start[m.jnt_qposadr[j]]) if gains.stiffness else 0.0)
        out.number("drives", f"torque at the start at '{name}'", torque, at.torque, word)


def compare_equalities(p, out):
    m = p.m
    # Those that do not give hold mocap bodies.
    attachments = sum(one.get("stiffness") != math.inf for one in p.listed("attachments"))
    # Joints of two trees are coupled by springs, as are those of a tendon.
    tendons = {name_of(m, mujoco.mjtObj.mjOBJ_TENDON, t) for t in range(m.ntendon)}
    mimics = sum(info.follows >= 0 for _, info in p.joint.values())
    mimics += sum(one.get("name") not in tendons for one in p.listed("springs"))
    count = {"joint": 0, "held": 0, "attachment": 0}
    for e in range(m.neq):
        name = name_of(m, mujoco.mjtObj.mjOBJ_EQUALITY, e)
        if not m.eq_active0[e]:
            continue
        if m.eq_type[e] in (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)):
            count["attachment"] += 1
        elif m.eq_type[e] == int(mujoco.mjtEq.mjEQ_JOINT):
            count["joint" if m.eq_obj2id[e] >= 0 else "held"] += 1
        else:
            out.add("equalities", f"'{name}' of kind {m.eq_type[e]}", "equality|tendon|flex|" + re.escape(name or "#"))
    if count["attachment"] != attachments:
        out.add("equalities", f"{attachments} attachments, in MuJoCo {count['attachment']}", "connect|weld")
    if count["joint"] != mimics:
        out.add("equalities", f"{mimics} joints follow others, in MuJoCo {count['joint']}", "<joint>|mimic|follow")


def contacts_of_mujoco(p):
    """Overlapping pairs of rigidly joined bodies, 0 the world, with depth and friction."""
    m, d = p.m, p.d
    found = {}
    for c in range(d.ncon):
        contact = d.contact[c]
        a, b = (int(m.body_weldid[m.geom_bodyid[g]]) for g in contact.geom)
        friction = 0.0 if contact.dim == 1 else float(contact.friction[0])
        key = (min(a, b), max(a, b))
        depth, old = found.get(key, (0.0, []))
        if contact.dist < -TOUCH:
            found[key] = (max(depth, -contact.dist), old + [friction])
    return found


def contacts_of_cond(p):
    root = {}
    for b, place in p.place.items():
        root[place] = int(p.m.body_weldid[b])
    sim = p.sim
    sim.forces(p.state)
    sim.matrix()
    sim.collide(p.state)
    found = {}
    for contact in sim.contacts():
        if contact["gap"] >= -TOUCH:
            continue
        a = root.get((int(contact["body"]), int(contact["part"])), -1)
        b = root.get((int(contact["other"]), int(contact["other_part"])), -1) if contact["other"] >= 0 else 0
        key = (min(a, b), max(a, b))
        depth, old = found.get(key, (0.0, []))
        found[key] = (max(depth, -float(contact["gap"])), old + [float(contact["friction"][0])])
    return found


def pair_name(m, key):
    return " and ".join(name_of(m, mujoco.mjtObj.mjOBJ_BODY, b) or f"body {b}" for b in key)


def excluded(p):
    root = {}
    for b, place in p.place.items():
        root[f"{p.model.body_name(place[0])}/{p.model.link_name(*place)}"] = int(p.m.body_weldid[b])
    pairs = set()
    for out in p.model.left_out:
        a, b = (root.get(cond.memory.text(name) if not isinstance(name, str) else name, 0) for name in out.name)
        pairs.add((min(a, b), max(a, b)))
    return pairs


def compare_contacts(p, out, missing, rubs):
    theirs, ours, apart = contacts_of_mujoco(p), contacts_of_cond(p), excluded(p)
    for key in theirs.keys() | ours.keys():
        if key in theirs and key in ours:
            f, g = max(theirs[key][1]), max(ours[key][1])
            if abs(f - g) > 1e-9 or abs(min(theirs[key][1]) - min(ours[key][1])) > 1e-9:
                rubs.setdefault(key, (g, f))
            continue
        depth = (theirs.get(key) or ours.get(key))[0]
        if depth > 1e-4:
            named = key in apart or depth <= hull_depth(p, key) or held_apart(p, key) \
                or any(b and not any(p.m.body_weldid[place] == b for place in p.place) for b in key)
            missing.setdefault((key, key in ours), (depth, named))


def hull_depth(p, key):
    """How deep two bodies may overlap without their hulls, where the warnings tell of hulls of ellipsoids."""
    if not any("an ellipsoid touches as the hull" in line for line in p.warnings):
        return 0.0
    m = p.m
    sizes = [max((HULL * m.geom_size[g].max() for g in range(m.ngeom)
                  if m.geom_type[g] == int(mujoco.mjtGeom.mjGEOM_ELLIPSOID)
                  and m.body_weldid[m.geom_bodyid[g]] == b), default=0.0) for b in key]
    return sum(sizes)


def held_apart(p, key):
    """1 where a warning tells that the two do not touch each other while an equality holds them."""
    names = [[name_of(p.m, mujoco.mjtObj.mjOBJ_BODY, b) for b in range(p.m.nbody) if p.m.body_weldid[b] == root]
             for root in key]
    return any("do not touch each other" in line and all(any(f"'{n}'" in line for n in side) for side in names)
               for line in p.warnings)


def report_contacts(p, out, missing, rubs):
    for (key, ours), (depth, named) in sorted(missing.items()):
        text = f"{pair_name(p.m, key)} overlap by {1e3 * depth:.3g} mm " + \
            ("here alone" if ours else "in MuJoCo alone")
        out.found.append({"topic": "contacts", "text": text, "named": named and not ours})
    for key, (ours, theirs) in sorted(rubs.items()):
        out.add("friction", f"{pair_name(p.m, key)}: {ours:.4g}, in MuJoCo {theirs:.4g}", "friction")


def follow(m, q):
    """Puts joints that follow others where these are."""
    for e in range(m.neq):
        if m.eq_type[e] == int(mujoco.mjtEq.mjEQ_JOINT) and m.eq_active0[e]:
            j, leader, c = m.eq_obj1id[e], m.eq_obj2id[e], m.eq_data[e][:5]
            x = q[m.jnt_qposadr[leader]] - m.qpos0[m.jnt_qposadr[leader]] if leader >= 0 else 0.0
            q[m.jnt_qposadr[j]] = m.qpos0[m.jnt_qposadr[j]] + sum(c[i] * x ** i for i in range(5))


def configurations(p, seed):
    """The references, the first keyframe, and random ones within limits."""
    m, random_state = p.m, random.Random(seed)
    for label, q in [("references", m.qpos0)] + ([("keyframe 0", m.key_qpos[0])] if m.nkey else []):
        q = np.array(q)
        follow(m, q)
        yield label, q
    base = m.key_qpos[0] if m.nkey else m.qpos0
    for k in range(CONFIGURATIONS):
        q = np.array(base)
        for j in range(m.njnt):
            a = m.jnt_qposadr[j]
            if m.jnt_type[j] in (HINGE, SLIDE):
                slide = m.jnt_type[j] == SLIDE
                low, high = m.jnt_range[j] if m.jnt_limited[j] else ((-0.1, 0.1) if slide else (-math.pi, math.pi))
                q[a] = random_state.uniform(low, high)
            elif m.jnt_type[j] == BALL or k % 2:
                if m.jnt_type[j] == FREE:
                    a += 3
                turn = np.array([random_state.gauss(0, 1) for _ in range(4)])
                q[a:a + 4] = turn / np.linalg.norm(turn)
        follow(m, q)
        yield f"configuration {k + 1}", q


def compare_run(p, out, seconds):
    """Both from the start: whether the steps went well, what is in what, and where the bodies are after some time, if
    nothing touched and no limit was met in MuJoCo until then. MuJoCo's own step falls g h t / 2 too far."""
    m, d = p.m, p.d
    start, controls = at_start(m)
    home = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_KEY, "home")
    mujoco.mj_resetDataKeyframe(m, d, home) if home >= 0 else mujoco.mj_resetData(m, d)
    for j in range(m.njnt):  # within the limits, as COND starts
        if m.jnt_type[j] in (HINGE, SLIDE) and m.jnt_limited[j]:
            start[m.jnt_qposadr[j]] = np.clip(start[m.jnt_qposadr[j]], *m.jnt_range[j])
    follow(m, start)
    d.qpos[:], d.ctrl[:], touched = start, controls, 0
    for _ in range(round(seconds / m.opt.timestep)):
        mujoco.mj_step(m, d)
        touched += d.ncon + int((d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)).sum())
    state, bad = p.model.state(), 0
    before = overlaps(p, state)
    for _ in range(round(seconds / p.model.time_step)):
        bad += int(p.sim.step(state).status) != 0
    p.mechanics.set(state)
    mujoco.mj_forward(m, d)
    if not touched:  # soft contacts and limits go other ways than hard ones
        compare_poses(p, out, f"after {seconds:g} s", "actuator .* left out|tendon|filter",
                      within=RUN + 0.5 * np.linalg.norm(m.opt.gravity) * m.opt.timestep * seconds)
    if bad:
        out.add("run", f"{bad} steps missed their tolerance")
    for pair, depth in overlaps(p, state).items():
        if depth > DEEP + before.get(pair, 0.0):
            out.add("run", f"after {seconds:g} s {' and '.join(pair)} overlap by {1e3 * depth:.3g} mm")


def overlaps(p, state):
    """The depth of what is in each other here, by the names of the bodies."""
    found = {}
    for one in p.sim.overlaps(state):
        names = tuple(p.model.body_name(one[end]) if one[end] >= 0 else "the world" for end in ("body", "other"))
        found[names] = max(found.get(names, 0.0), float(one["depth"]))
    return found


def compare(path, seconds, seed):
    try:
        p = Pair(path)
    except Exception as refused:  # of either
        return {"path": path, "refused": f"{type(refused).__name__}: {refused}"}
    out = Differences(p.warnings)
    p.sim = cond.Sim(p.model)
    for part in (compare_counts, compare_masses, compare_joints, compare_drives, compare_equalities):
        part(p, out)
    missing, rubs = {}, {}
    for label, q in configurations(p, seed):
        p.set_both(q)
        compare_poses(p, out, label)
        compare_mechanics(p, out, label)
        compare_contacts(p, out, missing, rubs)
    report_contacts(p, out, missing, rubs)
    if seconds:
        compare_run(p, out, seconds)
    return {"path": path, "bodies": p.m.nbody - 1, "differences": out.found, "warnings": p.warnings}


def compare_apart(path, seconds, seed, limit):
    """In a process of its own, which a crash or a limit of time ends alone."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(limit)
        try:
            text = json.dumps(compare(path, seconds, seed))
        except Exception as broken:
            import traceback
            text = json.dumps({"path": path, "refused": f"while comparing: {broken!r} "
                               + traceback.format_exc().splitlines()[-3].strip()})
        with os.fdopen(write, "w") as stream:
            stream.write(text)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    why = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {status >> 8}"
    return {"path": path, "refused": f"ended by {why}"}


def show(result, everything):
    if "refused" in result:
        print(f"{result['path']}: refused: {result['refused']}")
        return 2
    open_ones = [one for one in result["differences"] if not one["named"]]
    n_named = len(result["differences"]) - len(open_ones)
    print(f"{result['path']}: {result['bodies']} bodies: "
          + ("same" if not result["differences"] else f"{len(open_ones)} differences, {n_named} named"))
    shown = {}
    for one in result["differences"] if everything else open_ones:
        shown[one["topic"]] = shown.get(one["topic"], 0) + 1
        if shown[one["topic"]] <= 4 or everything:
            print(f"    {one['topic']}{' (named)' if one['named'] else ''}: {one['text']}")
    for topic, n in shown.items():
        if n > 4 and not everything:
            print(f"    {topic}: {n - 4} more")
    return 1 if open_ones else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--list", help="a file with one path a line")
    parser.add_argument("--json", help="writes everything that was compared")
    parser.add_argument("--run", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=120, help="seconds a file may take")
    parser.add_argument("--all", action="store_true", help="shows what is named too")
    options = parser.parse_args()
    files = list(options.files)
    if options.list:
        with open(options.list, encoding="utf-8") as stream:
            files += [line.strip() for line in stream if line.strip()]
    results, code = [], 0
    for path in files:
        results.append(compare_apart(path, options.run, options.seed, options.limit))
        code = max(code, show(results[-1], options.all))
        sys.stdout.flush()
    n_same = sum(not r.get("differences", [1]) for r in results)
    n_named = sum("refused" not in r and all(d["named"] for d in r["differences"]) for r in results)
    n_refused = sum("refused" in r for r in results)
    print(f"{len(results)} files: {n_same} same, {n_named - n_same} with named differences alone, "
          f"{len(results) - n_named - n_refused} with others, {n_refused} refused")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(results, stream, indent=1)
    return code


if __name__ == "__main__":
    sys.exit(main())
