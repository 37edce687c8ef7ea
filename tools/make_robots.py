#!/usr/bin/env python3
"""Writes robots with many limbs, as URDF, and scenes in which they stand, fall and get tangled.

    tools/make_robots.py         all of them into scenes/
    tools/make_robots.py DIR     into DIR

Lengths, masses and limits are those of data sheets and of anatomy, as said where they stand; inertias are those of
the shapes, filled evenly with the mass of their link."""
import math
import os
import sys
import xml.etree.ElementTree as xml

HALF_PI = math.pi / 2


def text(values):
    return " ".join(f"{round(v, 6) + 0.0:.9g}" for v in values)


def box_inertia(mass, size):
    x, y, z = size
    return [mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12]


def rod_inertia(mass, radius, length):
    """A cylinder along z."""
    across = mass * (3 * radius * radius + length * length) / 12
    return [across, across, mass * radius * radius / 2]


class Robot:
    """A URDF that grows link by link."""

    def __init__(self, name, comment):
        self.lines = ['<?xml version="1.0"?>', f"<!-- {comment}", "     Made by tools/make_robots.py. -->",
                      f'<robot name="{name}">']

    def link(self, name, mass, shape, size, at=(0, 0, 0), turn=(0, 0, 0)):
        """A link with one shape: box of edges, capsule or cylinder of radius and length along z, sphere of radius."""
        inertia = {"box": lambda: box_inertia(mass, size), "sphere": lambda: [0.4 * mass * size[0] ** 2] * 3,
                   "capsule": lambda: rod_inertia(mass, size[0], size[1] + size[0]),
                   "cylinder": lambda: rod_inertia(mass, *size)}[shape]()
        geometry = {"box": f'<box size="{text(size)}"/>', "sphere": f'<sphere radius="{size[0]:g}"/>',
                    "capsule": f'<capsule radius="{size[0]:g}" length="{size[-1]:g}"/>',
                    "cylinder": f'<cylinder radius="{size[0]:g}" length="{size[-1]:g}"/>'}[shape]
        origin = f'<origin xyz="{text(at)}" rpy="{text(turn)}"/>'
        self.lines += [f'  <link name="{name}">', f"    <inertial>{origin}<mass value=\"{mass:.6g}\"/>",
                       f'      <inertia ixx="{inertia[0]:.6g}" ixy="0" ixz="0" iyy="{inertia[1]:.6g}" iyz="0" '
                       f'izz="{inertia[2]:.6g}"/></inertial>',
                       f"    <collision>{origin}<geometry>{geometry}</geometry></collision>", "  </link>"]

    def joint(self, name, parent, child, at, axis=None, limits=None, effort=0, velocity=0, damping=0.0, friction=0.0,
              turn=(0, 0, 0)):
        kind = "fixed" if axis is None else "revolute"
        self.lines += [f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>',
                       f'    <origin xyz="{text(at)}" rpy="{text(turn)}"/>']
        if axis is not None:
            self.lines += [f'    <axis xyz="{text(axis)}"/><limit lower="{limits[0]:g}" upper="{limits[1]:g}" '
                           f'effort="{effort:g}" velocity="{velocity:g}"/>'
                           f'<dynamics damping="{damping:g}" friction="{friction:g}"/>']
        self.lines.append("  </joint>")

    def text(self):
        return "\n".join(self.lines + ["</robot>", ""])


def make_quadruped():
    """As large and heavy as a Unitree Go1, about 12.7 kg: hips 0.376 m by 0.0935 m apart, legs of 0.08 m and twice
    0.213 m; limits, torques and speeds of its data sheet."""
    robot = Robot("quadruped", "A quadruped of the size of a Unitree Go1: 12 joints.")
    robot.link("trunk", 5.2, "box", (0.36, 0.09, 0.11))
    for leg, x, y in (("FR", 1, -1), ("FL", 1, 1), ("RR", -1, -1), ("RL", -1, 1)):
        robot.link(f"{leg}_hip", 0.68, "cylinder", (0.046, 0.04), turn=(HALF_PI, 0, 0))
        robot.joint(f"{leg}_hip_joint", "trunk", f"{leg}_hip", (0.1881 * x, 0.04675 * y + 0.03 * y, 0), (1, 0, 0),
                    (-0.863, 0.863), 23.7, 30.1, 0.01, 0.1)
        robot.link(f"{leg}_thigh", 1.0, "capsule", (0.02, 0.173), (0, 0, -0.1065))
        robot.joint(f"{leg}_thigh_joint", f"{leg}_hip", f"{leg}_thigh", (0, 0.08 * y, 0), (0, 1, 0), (-0.686, 4.501),
                    23.7, 30.1, 0.01, 0.1)
        robot.link(f"{leg}_calf", 0.2, "capsule", (0.01, 0.173), (0, 0, -0.1065))
        robot.joint(f"{leg}_calf_joint", f"{leg}_thigh", f"{leg}_calf", (0, 0, -0.213), (0, 1, 0), (-2.818, -0.888),
                    35.55, 20.06, 0.01, 0.1)
        robot.link(f"{leg}_foot", 0.06, "sphere", (0.02,))
        robot.joint(f"{leg}_foot_joint", f"{leg}_calf", f"{leg}_foot", (0, 0, -0.213))
    return robot.text()


def make_humanoid():
    """Of 1.75 m and 70 kg, with Winter's shares of length and mass of the segments of a human body; 27 joints."""
    tall, heavy = 1.75, 70.0
    robot = Robot("humanoid", "A humanoid of 1.75 m and 70 kg with the proportions of a human: 27 joints.")
    thigh, shank, ankle = 0.245 * tall, 0.246 * tall, 0.039 * tall
    upper, fore = 0.186 * tall, 0.146 * tall
    robot.link("pelvis", 0.142 * heavy, "box", (0.18, 0.28, 0.14))
    robot.link("waist", 0.5, "sphere", (0.05,))
    robot.joint("waist_yaw", "pelvis", "waist", (0, 0, 0.1), (0, 0, 1), (-1.2, 1.2), 150, 6, 1.0)
    robot.link("abdomen", 0.139 * heavy - 0.5, "box", (0.17, 0.25, 0.14), (0, 0, 0.08))
    robot.joint("waist_pitch", "waist", "abdomen", (0, 0, 0), (0, 1, 0), (-0.5, 1.2), 200, 6, 1.0)
    robot.link("thorax", 0.216 * heavy, "box", (0.2, 0.3, 0.3), (0, 0, 0.16))
    robot.joint("waist_roll", "abdomen", "thorax", (0, 0, 0.16), (1, 0, 0), (-0.5, 0.5), 200, 6, 1.0)
    robot.link("neck", 0.5, "capsule", (0.05, 0.04))
    robot.joint("neck_yaw", "thorax", "neck", (0, 0, 0.36), (0, 0, 1), (-1.2, 1.2), 20, 6, 0.2)
    robot.link("head", 0.081 * heavy - 0.5, "sphere", (0.1,), (0, 0, 0.13))
    robot.joint("neck_pitch", "neck", "head", (0, 0, 0.04), (0, 1, 0), (-0.7, 0.7), 20, 6, 0.2)
    for side, y in (("left", 1), ("right", -1)):
        robot.link(f"{side}_shoulder", 0.4, "sphere", (0.045,))
        robot.joint(f"{side}_shoulder_pitch", "thorax", f"{side}_shoulder", (0, 0.21 * y, 0.26), (0, 1, 0), (-3.0, 1.2),
                    90, 10, 0.5)
        robot.link(f"{side}_shoulder_ball", 0.4, "sphere", (0.045,))
        robot.joint(f"{side}_shoulder_roll", f"{side}_shoulder", f"{side}_shoulder_ball", (0, 0, 0), (1, 0, 0),
                    (-0.3, 2.6) if y > 0 else (-2.6, 0.3), 90, 10, 0.5)
        robot.link(f"{side}_upper_arm", 0.028 * heavy - 0.8, "capsule", (0.045, upper - 0.12), (0, 0, -upper / 2))
        robot.joint(f"{side}_shoulder_yaw", f"{side}_shoulder_ball", f"{side}_upper_arm", (0, 0, 0), (0, 0, 1),
                    (-1.5, 1.5), 60, 10, 0.5)
        robot.link(f"{side}_forearm", 0.016 * heavy, "capsule", (0.035, fore - 0.1), (0, 0, -fore / 2))
        robot.joint(f"{side}_elbow", f"{side}_upper_arm", f"{side}_forearm", (0, 0, -upper), (0, 1, 0), (-2.5, 0.0), 60,
                    10, 0.5)
        robot.link(f"{side}_hand", 0.006 * heavy, "box", (0.03, 0.08, 0.16), (0, 0, -0.09))
        robot.joint(f"{side}_wrist", f"{side}_forearm", f"{side}_hand", (0, 0, -fore), (0, 0, 1), (-1.5, 1.5), 15, 10,
                    0.2)
        robot.link(f"{side}_hip", 0.6, "sphere", (0.06,))
        robot.joint(f"{side}_hip_yaw", "pelvis", f"{side}_hip", (0, 0.09 * y, -0.1), (0, 0, 1), (-0.8, 0.8), 150, 10,
                    1.0)
        robot.link(f"{side}_hip_ball", 0.6, "sphere", (0.06,))
        robot.joint(f"{side}_hip_roll", f"{side}_hip", f"{side}_hip_ball", (0, 0, 0), (1, 0, 0),
                    (-0.4, 0.9) if y > 0 else (-0.9, 0.4), 200, 10, 1.0)
        robot.link(f"{side}_thigh", 0.1 * heavy - 1.2, "capsule", (0.065, thigh - 0.16), (0, 0, -thigh / 2))
        robot.joint(f"{side}_hip_pitch", f"{side}_hip_ball", f"{side}_thigh", (0, 0, 0), (0, 1, 0), (-2.0, 0.6), 250,
                    10, 1.0)
        robot.link(f"{side}_shank", 0.0465 * heavy, "capsule", (0.05, shank - 0.13), (0, 0, -shank / 2))
        robot.joint(f"{side}_knee", f"{side}_thigh", f"{side}_shank", (0, 0, -thigh), (0, 1, 0), (0.0, 2.4), 250, 12,
                    1.0)
        robot.link(f"{side}_ankle", 0.3, "sphere", (0.035,))
        robot.joint(f"{side}_ankle_pitch", f"{side}_shank", f"{side}_ankle", (0, 0, -shank), (0, 1, 0), (-0.8, 0.6),
                    120, 12, 0.5)
        robot.link(f"{side}_foot", 0.0145 * heavy - 0.3, "box", (0.24, 0.09, 0.05), (0.04, 0, -ankle + 0.025))
        robot.joint(f"{side}_ankle_roll", f"{side}_ankle", f"{side}_foot", (0, 0, 0), (1, 0, 0), (-0.35, 0.35), 60, 12,
                    0.5)
    return robot.text()


def make_two_arms(folder):
    """A column with two Pandas, hands and all, hung on its sides: the links of scenes/panda.urdf with names of their
    own."""
    column = Robot("two_arms", "Two Pandas with hands on a column: 14 joints and two pairs of fingers.")
    column.link("column", 40, "box", (0.2, 0.2, 0.7), (0, 0, 0.35))
    lines = column.lines
    panda = xml.parse(os.path.join(folder, "panda.urdf")).getroot()
    for side, y in (("left", 1), ("right", -1)):
        column.joint(f"{side}_mount", "column", f"{side}_panda_link0", (0, 0.16 * y, 0.72), turn=(-0.7 * y, 0, 0))
        for part in panda:
            for named in part.iter():
                for key in ("name", "link", "joint"):
                    if key in named.attrib:
                        named.attrib[key] = side + "_" + named.attrib[key].removeprefix("left_").removeprefix("right_")
            lines.append("  " + xml.tostring(part, encoding="unicode").strip())
    return column.text()


STANCE = {"hip": 0.0, "thigh": 0.8, "calf": -1.6}


def quadruped_body(name, position, joints, motor, extra=""):
    rows = [f"      - {{name: {leg}_{part}_joint, position: {value:g}}}" for leg in ("FR", "FL", "RR", "RL")
            for part, value in joints.items()]
    return [f"  - name: {name}", "    kind: robot", "    urdf: quadruped.urdf", "    floating: true",
            f"    position: {position}", "    friction: 0.7", "    joints:"] + rows + [f"    motor: {motor}"] + (
                [extra] if extra else [])


def scene(comment, lines):
    return "\n".join([f"# {comment}", "# Made by tools/make_robots.py."] + lines + [""])


def make_scenes():
    step = ["step: {time_step: 0.002, duration: 3}", "solver: {tolerance: 1.0e-6}", "planes:",
            "  - {name: floor, friction: 0.8}"]
    stands = quadruped_body("robot", "[0, 0, 0.33]", STANCE, "{stiffness: 60, damping: 2}")
    limp = quadruped_body("limp", "[0, 1, 0.6]", STANCE, "{stiffness: 0, damping: 0.2}",
                          "    rotation: {axis: [1, 0.3, 0.2], degrees: 160}")
    yield "quadruped.yaml", scene("Two quadrupeds: one stands on its motors, one falls on its back and gets tangled.",
                                  ["name: quadruped"] + step + ["bodies:"] + stands + limp)
    walks = quadruped_body("robot", "[0, 0, 0.34]", STANCE, "{stiffness: 0, damping: 0}")
    yield "walk.yaml", scene(
        "Rough ground, uneven by 3 cm, for a quadruped that walks by torques of a program (examples/walk.c); by itself "
        "it sinks down.",
        ["name: walk", "step: {time_step: 0.002, duration: 10}", "solver: {tolerance: 1.0e-6}", "obstacles:",
         "  - {name: ground, shape: {heightfield: 'noise:97,33:3,24,2', extent: [6, 2], height: 0.03}, "
         "position: [2.4, 0, 0], friction: 0.8}", "bodies:"] + walks)
    posture = {"hip_pitch": -0.25, "knee": 0.5, "ankle_pitch": -0.25, "shoulder_pitch": 0.1, "elbow": -0.4}
    rows = [f"      - {{name: {side}_{joint}, position: {value:g}}}" for side in ("left", "right")
            for joint, value in posture.items()]
    rows += ["      - {name: left_shoulder_roll, position: 0.15}", "      - {name: right_shoulder_roll, position: -0.15}"]
    human = ["    kind: robot", "    urdf: humanoid.urdf", "    floating: true", "    friction: 0.8"]
    yield "humanoid.yaml", scene(
        "Two humanoids: one stands on its motors, the other, limp, falls in a heap.",
        ["name: humanoid"] + step + ["bodies:", "  - name: stands"] + human + ["    position: [0, 0, 1.032]", "    joints:"]
        + rows + ["    motor: {stiffness: 1500, damping: 60}"] + ["  - name: limp"] + human
        + ["    position: [0, 2, 1.1]", "    rotation: {axis: [0, 1, 0.2], degrees: 25}", "    joints:"] + rows
        + ["    motor: {stiffness: 0, damping: 1}"])
    arms = []
    for side, sign in (("left", 1), ("right", -1)):
        arms += [f"      - {{name: {side}_panda_joint1, position: {-0.3 * sign:g}}}",
                 f"      - {{name: {side}_panda_joint2, position: 0.4}}",
                 f"      - {{name: {side}_panda_joint4, position: -1.8}}",
                 f"      - {{name: {side}_panda_joint6, position: 1.8}}"]
    motion = []
    for side, sign in (("left", 1), ("right", -1)):
        motion += [f"  - {{name: {side}_swing, body: robot, joint: {side}_panda_joint1, waypoints: "
                   f"[{{time: 0, target: {-0.3 * sign:g}}}, {{time: 1.5, target: {-1.4 * sign:g}}}]}}"]
    yield "two_arms.yaml", scene(
        "Two arms on one column swing against each other, are stopped by each other's links, and press.",
        ["name: two_arms"] + step + ["bodies:", "  - name: robot", "    kind: robot", "    urdf: two_arms.urdf",
                                     "    friction: 0.5", "    joints:"] + arms
        + ["    motor: {stiffness: 400, damping: 40}", "trajectories:"] + motion)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "scenes")
    source = os.path.join(os.path.dirname(__file__), "..", "scenes")
    files = {"quadruped.urdf": make_quadruped(), "humanoid.urdf": make_humanoid(), "two_arms.urdf": make_two_arms(source)}
    files.update(make_scenes())
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(content)


main()
