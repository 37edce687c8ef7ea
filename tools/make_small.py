#!/usr/bin/env python3
"""Writes the small scenes of `cond bench small` as MJCF, which COND and MuJoCo both read.

    tools/make_small.py              all of them into scenes/small/
    tools/make_small.py DIR          into DIR

The robots are those of scenes/*.urdf, with their inertias, limits, damping, dry friction and shapes. The same numbers
always come out: chance is drawn from a seed, and rounded in the file."""
import math
import os
import random
import sys
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))


def text(values, digits=9):
    return " ".join(f"{round(float(v), digits) + 0.0:.10g}" for v in values)


def quaternion(rpy):
    """Of URDF's roll, pitch and yaw: (w, x, y, z)."""
    (cr, cp, cy), (sr, sp, sy) = [math.cos(a / 2) for a in rpy], [math.sin(a / 2) for a in rpy]
    return [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy]


def place(origin):
    xyz = [float(x) for x in origin.get("xyz", "0 0 0").split()] if origin is not None else [0.0] * 3
    rpy = [float(x) for x in origin.get("rpy", "0 0 0").split()] if origin is not None else [0.0] * 3
    return f'pos="{text(xyz)}"' + (f' quat="{text(quaternion(rpy))}"' if any(rpy) else "")


def geom(collision):
    shape = collision.find("geometry")[0]
    if shape.tag == "box":
        size = [float(x) / 2 for x in shape.get("size").split()]
    elif shape.tag == "sphere":
        size = [shape.get("radius")]
    else:
        size = [shape.get("radius"), float(shape.get("length")) / 2]
    return f'<geom type="{shape.tag}" size="{text(size)}" {place(collision.find("origin"))}/>'


class Robot:
    """A URDF as bodies of MJCF."""

    def __init__(self, path, floating, start, gains):
        root = ET.parse(path).getroot()
        self.links = {link.get("name"): link for link in root.findall("link")}
        self.joints = root.findall("joint")
        self.floating, self.start = floating, start
        self.gains = gains
        self.q, self.ctrl, self.actuators, self.equalities, self.moved = [], [], [], [], []
        children = {j.find("child").get("link") for j in self.joints}
        self.base = next(name for name in self.links if name not in children)

    def joint(self, joint, pad):
        kind = joint.get("type")
        if kind == "fixed":
            return []
        name, limit, dynamics = joint.get("name"), joint.find("limit"), joint.find("dynamics")
        numbers = {"damping": "0", "friction": "0"}
        if dynamics is not None:
            numbers.update(dynamics.attrib)
        axis = joint.find("axis").get("xyz")
        at = self.start.get(name, 0.0)
        mimic = joint.find("mimic")
        if mimic is not None:
            leader = mimic.get("joint")
            at = self.start.get(leader, 0.0) * float(mimic.get("multiplier", 1))
            self.equalities.append(f'<joint joint1="{name}" joint2="{leader}" '
                                   f'polycoef="0 {mimic.get("multiplier", 1)} 0 0 0"/>')
        else:
            kp, kv = self.gains
            effort = float(limit.get("effort", 1e3))
            self.actuators.append(f'<position joint="{name}" kp="{kp:g}" kv="{kv:g}" '
                                  f'forcerange="{-effort:g} {effort:g}"/>')
            self.ctrl.append(at)
        self.q.append(at)
        where = "hinge" if kind in ("revolute", "continuous") else "slide"
        span = f' range="{limit.get("lower")} {limit.get("upper")}"' if kind != "continuous" else ""
        return [f'{pad}<joint name="{name}" type="{where}" axis="{axis}"{span} damping="{numbers["damping"]}" '
                f'frictionloss="{numbers["friction"]}"/>']

    def link(self, name, joint, pad, head=""):
        link = self.links[name]
        inertial = link.find("inertial")
        lines = [f'{pad}<body name="{name}" {head or place(joint.find("origin"))}>']
        inner = pad + "  "
        if joint is None and self.floating:
            lines.append(f'{inner}<freejoint/>')
        if joint is not None:
            lines += self.joint(joint, inner)
        if inertial is not None:
            i = inertial.find("inertia")
            full = [i.get(k) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
            origin = inertial.find("origin")
            where = place(origin)
            if "quat" in where:  # MuJoCo takes either axes or a full matrix
                assert not any(float(x) for x in full[3:])
                moments = f'diaginertia="{text(full[:3])}"'
            else:
                moments = f'fullinertia="{text(full)}"'
            lines.append(f'{inner}<inertial {where} mass="{inertial.find("mass").get("value")}" {moments}/>')
        lines += [inner + geom(c) for c in link.findall("collision")]
        for child in self.joints:
            if child.find("parent").get("link") == name:
                lines += self.link(child.find("child").get("link"), child, inner)
        return lines + [f"{pad}</body>"]

    def parent(self, name):
        return next((j.find("parent").get("link") for j in self.joints if j.find("child").get("link") == name), None)

    def near(self, joints):
        """Pairs of links with so many joints between them at most; their shapes overlap as they are drawn."""
        chain = {}
        for name in self.links:
            up, chain[name] = name, {}
            while up:
                chain[name][up] = len(chain[name])
                up = self.parent(up)
        names = list(self.links)
        return [(a, b) for i, a in enumerate(names) for b in names[i + 1:]
                if 1 < min((chain[a][c] + chain[b][c] for c in chain[a] if c in chain[b])) <= joints]



def write(folder, name, head, world, q=(), ctrl=(), rest=(), time_step=0.002, friction=0.8):
    lines = [f"<!-- {head}", "     Made by tools/make_small.py. -->", f'<mujoco model="{name}">',
             f'  <option timestep="{time_step:g}"/>', '  <compiler angle="radian"/>',
             f'  <default><geom friction="{friction:g} 0.005 0.0001"/></default>', "  <worldbody>",
             *world, "  </worldbody>", *rest]
    if q or ctrl:
        # Keyframes are of one line an attribute, as MuJoCo's own.
        lines += ["  <keyframe>", f'    <key name="home" qpos="{text(q, 6)}"' +
                  (f' ctrl="{text(ctrl, 6)}"' if ctrl else "") + "/>", "  </keyframe>"]
    with open(os.path.join(folder, name + ".xml"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</mujoco>"]) + "\n")


def robot(folder, name, head, urdf, height, start, gains, targets=None, floor=True, near=2):
    one = Robot(os.path.join(HERE, "..", "scenes", urdf), height is not None, start, gains)
    at = f'pos="0 0 {height:g}"' if height is not None else 'pos="0 0 0"'
    world = ['    <geom type="plane" size="5 5 0.1"/>'] if floor else []
    world += one.link(one.base, None, "    ", at)
    q = ([0, 0, height, 1, 0, 0, 0] if height is not None else []) + one.q
    names = [line.split('"')[1] for line in one.actuators]
    ctrl = [(targets or {}).get(n, c) for n, c in zip(names, one.ctrl)]
    rest = ["  <actuator>", *("    " + line for line in one.actuators), "  </actuator>"]
    if one.equalities:
        rest += ["  <equality>", *("    " + line for line in one.equalities), "  </equality>"]
    rest += ["  <contact>", *(f'    <exclude body1="{a}" body2="{b}"/>' for a, b in one.near(near)), "  </contact>"]
    write(folder, name, head, world, q, ctrl, rest)


def finger(name, at, turn, shape, side):
    """Three hinges that curl towards the palm's axis; the links hang down. shape: of the phalanges."""
    lines, pad = [], "    "
    lengths = (0.05, 0.04, 0.035)
    for k, length in enumerate(lengths):
        where = f'pos="{text(at)}" quat="{text(quaternion([0, 0, turn]))}"' if k == 0 \
            else f'pos="0 0 {-lengths[k - 1]:g}"'
        lines.append(f'{pad}<body name="{name}{k}" {where}>')
        pad += "  "
        lines.append(f'{pad}<joint name="{name}{k}" type="hinge" axis="0 -1 0" range="-0.6 1.8" damping="0.05" '
                     'armature="0.0005"/>')
        if shape == "capsule":
            lines.append(f'{pad}<geom type="capsule" size="0.009" fromto="0 0 {-0.008:g} 0 0 {-length + 0.008:g}" '
                         'density="1200"/>')
        else:
            lines.append(f'{pad}<geom type="box" size="0.008 {side:g} {length / 2 - 0.004:g}" '
                         f'pos="0 0 {-length / 2:g}" density="1200"/>')
    for k in reversed(range(len(lengths))):
        pad = pad[:-2]
        lines.append(f"{pad}</body>")
    return lines


def hand(folder, name, head, shape, side, half, ctrl):
    """A palm above, fingers around an object that a table holds up until they have it."""
    places = [(0.062, 0.024, math.pi), (0.062, -0.024, math.pi), (-0.062, 0.024, 0.0), (-0.062, -0.024, 0.0)]
    world = ['    <geom type="plane" size="1 1 0.1"/>',
             '    <geom name="palm" type="box" size="0.075 0.045 0.012" pos="0 0 0.212"/>']
    for k, (x, y, turn) in enumerate(places):
        world += finger(f"finger{k}_", (x, y, 0.195), turn, shape, side)
    world += [f'    <body name="object" pos="0 0 {0.06 + half:g}">', "      <freejoint/>", f'      <geom type="box" size="0.03 0.038 {half:g}" density="400"/>', "    </body>",
              '    <geom name="stand" type="box" size="0.02 0.02 0.03" pos="0 0 0.03"/>']
    q = [0.0] * 12 + [0, 0, 0.06 + half, 1, 0, 0, 0]
    names = [f"finger{k}_{j}" for k in range(4) for j in range(3)]
    rest = ["  <actuator>", *(f'    <position joint="{n}" kp="3" kv="0.1" forcerange="-1.5 1.5"/>' for n in names),
            "  </actuator>"]
    write(folder, name, head, world, q, ctrl * 4, rest)


def peg(folder):
    """A square peg that an arm of slides pushes into a hole of four walls with play of 1 mm."""
    inside, wall, deep = 0.021, 0.02, 0.04
    at = inside + wall
    world = ['    <geom type="plane" size="1 1 0.1"/>']
    for x, y in ((at, 0), (-at, 0), (0, at), (0, -at)):
        size = (wall, at + wall, deep / 2) if x else (inside, wall, deep / 2)
        world.append(f'    <geom type="box" size="{text(size)}" pos="{text((x, y, deep / 2))}"/>')
    world += ['    <body name="column" pos="0.0006 -0.0004 0.16">',
              '      <joint name="x" type="slide" axis="1 0 0" damping="5"/>',
              '      <joint name="y" type="slide" axis="0 1 0" damping="5"/>',
              '      <joint name="z" type="slide" axis="0 0 1" damping="5"/>',
              '      <geom type="box" size="0.03 0.03 0.02" density="1000"/>',
              '      <body name="wrist" pos="0 0 -0.02">',
              '        <joint name="pitch" type="hinge" axis="0 1 0" damping="0.05" armature="0.001"/>',
              '        <joint name="roll" type="hinge" axis="1 0 0" damping="0.05" armature="0.001"/>',
              '        <geom type="box" size="0.02 0.02 0.04" pos="0 0 -0.04" density="2000"/>',
              "      </body>", "    </body>"]
    gains = {"x": (400, 20), "y": (400, 20), "z": (600, 60), "pitch": (2, 0.05), "roll": (2, 0.05)}
    rest = ["  <actuator>", *(f'    <position joint="{n}" kp="{kp}" kv="{kv}"/>' for n, (kp, kv) in gains.items()),
            "  </actuator>"]
    write(folder, "peg", peg.__doc__, world, [0, 0, 0, 0.02, -0.01], [0.001, -0.001, -0.062, 0, 0], rest, friction=0.3)


def boxes(folder, n=50):
    chance = random.Random(1)
    inside, wall, height = 0.36, 0.05, 0.4
    at = (inside + wall) / 2
    world = ['    <geom type="plane" size="2 2 0.1"/>']
    for x, y in ((at, 0), (-at, 0), (0, at), (0, -at)):
        size = (wall / 2, inside / 2 + wall, height / 2) if x else (inside / 2, wall / 2, height / 2)
        world.append(f'    <geom type="box" size="{text(size)}" pos="{text((x, y, height / 2))}"/>')
    for k in range(n):
        layer, cell = divmod(k, 9)
        q = [chance.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x * x for x in q))
        pos = [0.11 * (cell // 3 - 1) + chance.uniform(-0.01, 0.01), 0.11 * (cell % 3 - 1) + chance.uniform(-0.01, 0.01),
               0.07 + 0.11 * layer]
        world.append(f'    <body name="box{k}" pos="{text(pos, 4)}" quat="{text([x / length for x in q], 6)}"><freejoint/>'
                     '<geom type="box" size="0.04 0.03 0.025" density="800"/></body>')
    write(folder, "boxes", f"{n} boxes fall into a bin and come to rest on each other.", world, time_step=0.002,
          friction=0.4)


def spheres(folder, n=10):
    world = ['    <geom type="plane" size="2 2 0.1"/>']
    for k in range(n):
        pos = [0.055 * (k % 3) + 0.01 * (k // 3), 0.05 * (k // 3 % 2), 0.05 + 0.075 * (k // 3)]
        world.append(f'    <body name="ball{k}" pos="{text(pos)}"><freejoint/>'
                     '<geom type="sphere" size="0.03" density="800"/></body>')
    write(folder, "spheres", f"{n} spheres fall on each other and roll apart.", world, friction=0.5)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    robot(folder, "panda", "A Panda that swings to other angles of its joints; nothing touches anything.", "panda.urdf",
          None, {"panda_joint2": 0.4, "panda_joint4": -1.8, "panda_joint6": 1.8, "panda_finger_joint1": 0.03},
          (400, 40), {"panda_joint1": 0.15, "panda_joint2": 0.3, "panda_joint6": 1.82}, floor=False, near=4)
    legs = {f"{leg}_{part}_joint": angle for leg in ("FR", "FL", "RR", "RL")
            for part, angle in (("thigh", 0.8), ("calf", -1.6))}
    robot(folder, "quadruped", "A quadruped that lands on its feet and stands.", "quadruped.urdf", 0.33, legs, (60, 2))
    stand = {f"{side}_{joint}": angle for side in ("left", "right") for joint, angle in (
        ("hip_pitch", -0.25), ("knee", 0.5), ("ankle_pitch", -0.25), ("shoulder_pitch", 0.1), ("elbow", -0.4))}
    stand.update(left_shoulder_roll=0.15, right_shoulder_roll=-0.15)
    robot(folder, "humanoid", "A humanoid that stands on its motors.", "humanoid.urdf", 1.032, stand, (1500, 60), near=3)
    hand(folder, "hand12", "Four fingers of capsules close around a box and hold it.", "capsule", 0.0, 0.03,
         [0.8, -0.48, 0.0])
    hand(folder, "hand40", "Four fingers of boxes close around a box and hold it.", "box", 0.009, 0.0425,
         [0.8, -0.48, 0.0])
    peg(folder)
    boxes(folder)
    spheres(folder)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "scenes", "small"))
