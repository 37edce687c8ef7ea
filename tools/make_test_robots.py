#!/usr/bin/env python3
"""Writes the robots that test/test_robots.c reads: test/data/robots/*.urdf, two meshes, and
expected.txt with what each of them holds, counted here and not by the reader.

    tools/make_test_robots.py            writes them anew
    tools/make_test_robots.py --check    compares with what is there

Sizes and masses are round numbers of the size that such machines have; none is a real product."""
import io
import math
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "data", "robots")
PI = math.pi


def text(*numbers):
    return " ".join(f"{x:.6g}" for x in numbers)


class Robot:
    """A tree of links, written as it is built."""

    def __init__(self, name, head=""):
        self.name, self.lines = name, [f'<robot name="{name}"{head}>']
        self.links = self.joints = self.balls = 0
        self.floating = 0

    def raw(self, line):
        self.lines.append("  " + line)
        return self

    def link(self, name, mass=0.0, box=None, cylinder=None, sphere=None, capsule=None, mesh=None,
             at=(0, 0, 0), rpy=(0, 0, 0), visual=None, colour=None, extra=""):
        """A link whose inertia is that of its shape filled evenly; only a frame without a mass."""
        self.links += 1
        origin = f'<origin xyz="{text(*at)}" rpy="{text(*rpy)}"/>'
        shape, moments = "", (1e-4, 1e-4, 1e-4)
        if box:
            a, b, c = box
            shape = f'<box size="{text(*box)}"/>'
            moments = [mass / 12 * s for s in (b * b + c * c, a * a + c * c, a * a + b * b)]
        if cylinder or capsule:
            r, l = cylinder or capsule
            kind = "cylinder" if cylinder else "capsule"
            shape = f'<{kind} radius="{text(r)}" length="{text(l)}"/>'
            moments = [mass * (3 * r * r + l * l) / 12] * 2 + [mass * r * r / 2]
        if sphere:
            shape = f'<sphere radius="{text(sphere)}"/>'
            moments = [0.4 * mass * sphere * sphere] * 3
        if mesh:
            shape = f'<mesh filename="{mesh[0]}" scale="{text(*mesh[1])}"/>'
            moments = [0.01 * mass] * 3
        out = [f'<link name="{name}">']
        if mass:
            out.append(f'  <inertial>{origin}<mass value="{text(mass)}"/><inertia '
                       f'ixx="{text(moments[0])}" iyy="{text(moments[1])}" izz="{text(moments[2])}" '
                       'ixy="0" ixz="0" iyz="0"/></inertial>')
        if shape:
            out.append(f'  <collision>{origin}<geometry>{shape}</geometry></collision>')
            paint = f'<material name="{colour}"/>' if colour else ""
            out.append(f'  <visual>{origin}<geometry>{visual or shape}</geometry>{paint}</visual>')
        if extra:
            out.append("  " + extra)
        self.lines += ["  " + line for line in out + ["</link>"]]
        return self

    def joint(self, kind, parent, child, at=(0, 0, 0), rpy=(0, 0, 0), axis=None, limit=None,
              effort=50, speed=3, mimic=None, damping=None, friction=None, extra="", name=None):
        name = name or f"{child}_joint"
        out = [f'<joint name="{name}" type="{kind}">',
               f'  <parent link="{parent}"/><child link="{child}"/>']
        if any(at) or any(rpy):
            out.append(f'  <origin xyz="{text(*at)}" rpy="{text(*rpy)}"/>')
        if axis:
            out.append(f'  <axis xyz="{text(*axis)}"/>')
        if kind in ("revolute", "prismatic"):
            low, high = limit or (-2.5, 2.5)
            out.append(f'  <limit lower="{text(low)}" upper="{text(high)}" effort="{text(effort)}" '
                       f'velocity="{text(speed)}"/>')
        if damping is not None or friction is not None:
            out.append('  <dynamics' + (f' damping="{text(damping)}"' if damping is not None else "") +
                       (f' friction="{text(friction)}"' if friction is not None else "") + "/>")
        if mimic:
            leader, multiplier, offset = mimic
            out.append(f'  <mimic joint="{leader}" multiplier="{text(multiplier)}" '
                       f'offset="{text(offset)}"/>')
        if extra:
            out.append("  " + extra)
        self.lines += ["  " + line for line in out + ["</joint>"]]
        self.joints += {"fixed": 0, "spherical": 0, "planar": 3, "floating": 3}.get(kind, 1) if not mimic else 0
        self.balls += kind in ("spherical", "floating")
        return self

    def lifted(self, child):
        """The root is a name and the child floats off it: the reader drops both."""
        self.joint("floating", "world", child, name="lift")
        self.links, self.joints, self.balls, self.floating = (self.links - 1, self.joints - 3,
                                                              self.balls - 1, 1)
        return self

    def write(self):
        return "\n".join(self.lines + ["</robot>", ""])


ROBOTS = []


def robot(make):
    ROBOTS.append(make)
    return make


def chain(r, n, parent, length, mass, axes, prefix="link", radius=0.04, start=(0, 0, 0), **joint):
    for i in range(n):
        name = f"{prefix}{i + 1}"
        r.link(name, mass / (i + 1), capsule=(radius, length), at=(0, 0, length / 2))
        r.joint("revolute", parent, name, at=start if i == 0 else (0, 0, length), axis=axes[i % len(axes)],
                **joint)
        parent = name
    return parent


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


@robot
def double_pendulum():
    r = Robot("double_pendulum").link("base")
    chain(r, 2, "base", 0.5, 1.0, [Y], radius=0.02)
    return r


@robot
def acrobot():
    r = Robot("acrobot", ' version="1.0"').link("base")
    r.link("upper", 1, cylinder=(0.05, 1), at=(0, 0, -0.5)).joint("continuous", "base", "upper", axis=Y)
    r.link("lower", 1, cylinder=(0.05, 1), at=(0, 0, -0.5))
    return r.joint("continuous", "upper", "lower", at=(0, 0, -1), axis=Y, damping=0.1)


@robot
def cart_pole():
    r = Robot("cart_pole").link("rail").link("cart", 2, box=(0.4, 0.2, 0.1))
    r.joint("prismatic", "rail", "cart", axis=X, limit=(-1, 1), friction=0.5)
    r.link("pole", 0.3, cylinder=(0.01, 0.6), at=(0, 0, 0.3))
    return r.joint("continuous", "cart", "pole", axis=Y)


@robot
def furuta():
    r = Robot("furuta").link("base", 3, cylinder=(0.06, 0.2)).link("arm", 0.2, box=(0.3, 0.02, 0.02), at=(0.15, 0, 0))
    r.joint("continuous", "base", "arm", at=(0, 0, 0.12), axis=Z)
    r.link("pole", 0.1, box=(0.01, 0.01, 0.4), at=(0, 0, -0.2))
    return r.joint("continuous", "arm", "pole", at=(0.3, 0, 0), axis=X)


@robot
def reaction_wheel():
    r = Robot("reaction_wheel").link("base").link("rod", 0.5, box=(0.02, 0.02, 0.3), at=(0, 0, 0.15))
    r.joint("revolute", "base", "rod", axis=Y, limit=(-1.6, 1.6), damping=0.01, friction=0.02)
    r.link("wheel", 0.4, cylinder=(0.1, 0.02), rpy=(PI / 2, 0, 0))
    return r.joint("continuous", "rod", "wheel", at=(0, 0, 0.3), axis=(0, 2, 0))


@robot
def scara():
    r = Robot("scara").link("base", 20, cylinder=(0.1, 0.4), at=(0, 0, 0.2))
    r.link("arm1", 6, box=(0.35, 0.1, 0.08), at=(0.175, 0, 0)).joint("revolute", "base", "arm1", at=(0, 0, 0.44), axis=Z, limit=(-2.3, 2.3))
    r.link("arm2", 4, box=(0.25, 0.09, 0.08), at=(0.125, 0, 0)).joint("revolute", "arm1", "arm2", at=(0.35, 0, 0), axis=Z, limit=(-2.5, 2.5))
    r.link("quill", 1, cylinder=(0.015, 0.3)).joint("prismatic", "arm2", "quill", at=(0.25, 0, 0), axis=(0, 0, -1), limit=(0, 0.18))
    return r.link("flange", 0.2, cylinder=(0.03, 0.02)).joint("continuous", "quill", "flange", at=(0, 0, -0.16), axis=Z)


@robot
def six_axes():
    r = Robot("six_axes").link("base", 30, cylinder=(0.15, 0.2), at=(0, 0, 0.1))
    chain(r, 6, "base", 0.25, 12, [Z, Y, Y, X, Y, X], start=(0, 0, 0.2), radius=0.06, damping=1, effort=150)
    return r.link("tool0").joint("fixed", "link6", "tool0", at=(0, 0, 0.25))


@robot
def seven_axes():
    r = Robot("seven_axes").link("world").link("base", 5, cylinder=(0.08, 0.15), at=(0, 0, 0.075))
    r.joint("fixed", "world", "base")
    chain(r, 7, "base", 0.2, 5, [Z, Y, Z, (0, -1, 0), Z, Y, Z], start=(0, 0, 0.16), radius=0.05)
    return r


@robot
def offset_wrist():
    r = Robot("offset_wrist").link("base", 4, cylinder=(0.07, 0.1), at=(0, 0, 0.05))
    last, at = "base", (0, 0, 0.09)
    for i, (roll, step) in enumerate([(PI / 2, (0, 0, 0)), (0, (-0.43, 0, 0)), (0, (-0.39, 0, 0)), (PI / 2, (0, 0, 0.11)), (-PI / 2, (0, 0, 0.09)), (0, (0, 0, 0.08))]):
        r.link(f"part{i}", 3 - 0.4 * i, sphere=0.05).joint("revolute", last, f"part{i}", at=at, axis=Z, limit=(-6.28, 6.28), effort=150 - 20 * i)
        if roll or any(step):
            r.link(f"turn{i}").joint("fixed", f"part{i}", f"turn{i}", at=step, rpy=(roll, 0, 0))
        last, at = (f"turn{i}" if roll or any(step) else f"part{i}"), (0, 0, 0)
    return r


@robot
def gantry():
    r = Robot("gantry").link("frame")
    r.link("x_bridge", 20, box=(0.1, 1.5, 0.1)).joint("prismatic", "frame", "x_bridge", axis=X, limit=(0, 2), effort=500, speed=1)
    r.link("y_cart", 8, box=(0.2, 0.2, 0.1)).joint("prismatic", "x_bridge", "y_cart", axis=Y, limit=(-0.6, 0.6), effort=300, speed=1)
    return r.link("z_ram", 5, box=(0.05, 0.05, 0.8)).joint("prismatic", "y_cart", "z_ram", axis=(0, 0, -1), limit=(0, 0.5), effort=200, speed=0.5)


@robot
def cylindrical():
    r = Robot("cylindrical").link("base", 15, cylinder=(0.2, 0.1))
    r.link("column", 10, box=(0.1, 0.1, 1), at=(0, 0, 0.5)).joint("revolute", "base", "column", axis=Z)
    r.link("lift", 4, box=(0.2, 0.2, 0.1)).joint("prismatic", "column", "lift", axis=Z, limit=(0.1, 0.9))
    return r.link("boom", 2, box=(0.6, 0.05, 0.05)).joint("prismatic", "lift", "boom", axis=X, limit=(0, 0.3))


@robot
def polar():
    r = Robot("polar").link("base", 15, cylinder=(0.2, 0.3)).link("waist", 8, sphere=0.15)
    r.joint("revolute", "base", "waist", at=(0, 0, 0.3), axis=Z).link("shoulder", 5, box=(0.5, 0.1, 0.1))
    r.joint("revolute", "waist", "shoulder", axis=(0, -1, 0), limit=(-0.5, 1.2)).link("boom", 2, box=(0.6, 0.05, 0.05))
    return r.joint("prismatic", "shoulder", "boom", at=(0.3, 0, 0), axis=X, limit=(0, 0.4))


@robot
def parallel_jaw():
    r = Robot("parallel_jaw").link("palm", 0.7, box=(0.06, 0.2, 0.06))
    r.link("left", 0.05, box=(0.02, 0.01, 0.05), at=(0, 0, 0.025)).joint("prismatic", "palm", "left", at=(0, 0, 0.04), axis=Y, limit=(0, 0.04), effort=20, speed=0.2)
    r.link("right", 0.05, box=(0.02, 0.01, 0.05), at=(0, 0, 0.025))
    return r.joint("prismatic", "palm", "right", at=(0, 0, 0.04), axis=(0, -1, 0), limit=(0, 0.04), effort=20, speed=0.2, mimic=("left_joint", 1, 0))


@robot
def linkage_gripper():
    r = Robot("linkage_gripper").link("base", 0.5, box=(0.1, 0.05, 0.05))
    for side, sign in (("left", 1), ("right", -1)):
        leader = None if side == "left" else ("left_crank_joint", -1, 0)
        r.link(f"{side}_crank", 0.02, box=(0.01, 0.01, 0.05), at=(0, 0, 0.025))
        r.joint("revolute", "base", f"{side}_crank", at=(0, 0.03 * sign, 0.03), axis=X, limit=(-0.9, 0.9), mimic=leader)
        r.link(f"{side}_pad", 0.02, box=(0.02, 0.005, 0.04), at=(0, 0, 0.02))
        r.joint("revolute", f"{side}_crank", f"{side}_pad", at=(0, 0, 0.05), axis=X, limit=(-0.9, 0.9), mimic=("left_crank_joint", -sign, 0))
    return r


@robot
def three_fingers():
    r = Robot("three_fingers").link("palm", 0.8, cylinder=(0.05, 0.04))
    for k in range(3):
        a = 2 * PI * k / 3
        r.link(f"spread{k}", 0.03, sphere=0.01).joint("revolute", "palm", f"spread{k}", at=(0.04 * math.cos(a), 0.04 * math.sin(a), 0.03), rpy=(0, 0, a), axis=Z, limit=(-0.3, 0.3))
        r.link(f"near{k}", 0.04, capsule=(0.008, 0.04), at=(0, 0, 0.02)).joint("revolute", f"spread{k}", f"near{k}", axis=Y, limit=(-0.2, 1.4))
        r.link(f"far{k}", 0.03, capsule=(0.007, 0.03), at=(0, 0, 0.015)).joint("revolute", f"near{k}", f"far{k}", at=(0, 0, 0.05), axis=Y, limit=(0, 1.4), mimic=(f"near{k}_joint", 0.5, 0.1))
    return r


def fingers(r, palm, names, joints, coupled):
    for k, finger in enumerate(names):
        last = palm
        for j in range(joints):
            name = f"{finger}{j}"
            r.link(name, 0.03 / (j + 1), capsule=(0.008, 0.03), at=(0, 0, 0.015))
            mimic = (f"{finger}{j - 1}_joint", 0.8, 0) if coupled and j == joints - 1 else None
            r.joint("revolute", last, name, at=(0, 0.025 * k, 0.04) if j == 0 else (0, 0, 0.04), axis=X if j == 0 else Y, limit=(-0.3, 1.6), effort=1, mimic=mimic)
            last = name
    return r


@robot
def four_finger_hand():
    return fingers(Robot("four_finger_hand").link("palm", 0.6, box=(0.03, 0.1, 0.1)), "palm", ["index", "middle", "ring", "thumb"], 4, False)


@robot
def anthropomorphic_hand():
    r = Robot("anthropomorphic_hand").link("forearm", 1.5, cylinder=(0.05, 0.2)).link("palm", 0.4, box=(0.03, 0.1, 0.1))
    r.joint("revolute", "forearm", "palm", at=(0, 0, 0.15), axis=Y, limit=(-0.7, 0.5), friction=0.05, damping=0.1)
    return fingers(r, "palm", ["thumb", "index", "middle", "ring", "little"], 4, True)


def legs(r, body, feet, segments, hip=(0.2, 0.12)):
    for name, sx, sy in feet:
        last, at = body, (sx * hip[0], sy * hip[1], 0)
        for part, axis, mass, length in segments:
            link = f"{name}_{part}"
            if length:
                r.link(link, mass, capsule=(0.02, length), at=(0, 0, -length / 2))
            else:
                r.link(link, mass, sphere=0.04)
            r.joint("revolute", last, link, at=at, axis=axis, limit=(-1.6, 1.6), effort=25, speed=20)
            last, at = link, (0, 0, -length)
        r.link(f"{name}_foot", 0.05, sphere=0.022).joint("fixed", last, f"{name}_foot", at=at)
    return r


FOUR = [("fl", 1, 1), ("fr", 1, -1), ("rl", -1, 1), ("rr", -1, -1)]


@robot
def quadruped12():
    r = Robot("quadruped12").link("world").link("trunk", 7, box=(0.4, 0.2, 0.1)).lifted("trunk")
    r.link("imu").joint("fixed", "trunk", "imu", at=(0, 0, 0.03))
    return legs(r, "trunk", FOUR, [("hip", X, 0.6, 0), ("thigh", Y, 1, 0.21), ("calf", Y, 0.2, 0.21)])


@robot
def quadruped8():
    return legs(Robot("quadruped8").link("trunk", 2, box=(0.3, 0.15, 0.06)), "trunk", FOUR, [("upper", Y, 0.2, 0.1), ("lower", Y, 0.1, 0.1)], (0.14, 0.1))


@robot
def hexapod():
    r = Robot("hexapod").link("body", 1.5, cylinder=(0.12, 0.05))
    return legs(r, "body", [(f"leg{k}", math.cos(PI * k / 3), math.sin(PI * k / 3)) for k in range(6)], [("coxa", Z, 0.1, 0), ("femur", Y, 0.1, 0.08), ("tibia", Y, 0.08, 0.12)], (0.12, 0.12))


@robot
def biped():
    return legs(Robot("biped").link("pelvis", 5, box=(0.15, 0.25, 0.1)), "pelvis", [("left", 0, 1), ("right", 0, -1)], [("yaw", Z, 0.5, 0), ("roll", X, 0.5, 0), ("thigh", Y, 3, 0.35), ("shin", Y, 2, 0.35), ("ankle", Y, 0.4, 0)], (0.2, 0.1))


@robot
def humanoid():
    r = Robot("humanoid").link("pelvis", 8, box=(0.2, 0.3, 0.15))
    legs(r, "pelvis", [("left", 0, 1), ("right", 0, -1)], [("hip_yaw", Z, 1, 0), ("hip_roll", X, 1, 0), ("thigh", Y, 6, 0.4), ("shin", Y, 4, 0.4), ("ankle_pitch", Y, 0.5, 0), ("ankle_roll", X, 0.8, 0)], (0.2, 0.1))
    r.link("torso", 20, box=(0.2, 0.35, 0.5), at=(0, 0, 0.25)).joint("revolute", "pelvis", "torso", at=(0, 0, 0.1), axis=Z, limit=(-1, 1))
    r.link("neck", 1, sphere=0.06).joint("revolute", "torso", "neck", at=(0, 0, 0.55), axis=Z, limit=(-1.5, 1.5))
    r.link("head", 4, sphere=0.11).joint("revolute", "neck", "head", at=(0, 0, 0.15), axis=Y, limit=(-0.5, 0.8))
    for side, sign in (("left", 1), ("right", -1)):
        chain(r, 7, "torso", 0.15, 2.5, [Y, X, Z, Y, Z, Y, X], prefix=f"{side}_arm", start=(0, 0.25 * sign, 0.45))
    return r


@robot
def two_arms():
    r = Robot("two_arms").link("base", 50, box=(0.5, 0.6, 0.3)).link("torso", 25, box=(0.2, 0.4, 0.6), at=(0, 0, 0.3))
    r.joint("prismatic", "base", "torso", at=(0, 0, 0.15), axis=Z, limit=(0, 0.35), effort=1000, speed=0.1)
    for side, sign in (("left", 1), ("right", -1)):
        last = chain(r, 6, "torso", 0.18, 4, [Y, X, Z, Y, Z, Y], prefix=f"{side}_arm", start=(0, 0.3 * sign, 0.5))
        r.link(f"{side}_tool").joint("fixed", last, f"{side}_tool", at=(0, 0, 0.18))
    return r


WHEEL = dict(cylinder=(0.08, 0.03), rpy=(PI / 2, 0, 0))


@robot
def differential_drive():
    r = Robot("differential_drive").link("base_footprint").link("base", 8, cylinder=(0.2, 0.12), at=(0, 0, 0.1))
    r.joint("fixed", "base_footprint", "base", at=(0, 0, 0.03))
    for side, sign in (("left", 1), ("right", -1)):
        r.link(f"{side}_wheel", 0.4, **WHEEL).joint("continuous", "base", f"{side}_wheel", at=(0, 0.2 * sign, 0.05), axis=Y)
    r.link("caster", 0.1, sphere=0.03).joint("spherical", "base", "caster", at=(-0.15, 0, 0), damping=0.001)
    r.raw('<gazebo reference="caster"><mu1>0</mu1></gazebo>').raw('<gazebo><plugin name="drive" filename="libdrive.so"/></gazebo>')
    return r


@robot
def skid_steer():
    r = Robot("skid_steer").link("chassis", 25, box=(0.6, 0.4, 0.2))
    for name, sx, sy in FOUR:
        r.link(name, 1.5, cylinder=(0.12, 0.08), rpy=(PI / 2, 0, 0)).joint("continuous", "chassis", name, at=(0.22 * sx, 0.25 * sy, -0.05), axis=Y)
    return r


@robot
def planar_base():
    r = Robot("planar_base").link("floor").link("base", 30, box=(0.6, 0.5, 0.3), at=(0, 0, 0.2)).joint("planar", "floor", "base", axis=Z, damping=5)
    chain(r, 5, "base", 0.2, 4, [Z, Y, Y, Y, Z], prefix="arm", start=(0.15, 0, 0.35))
    r.link("grip_left", 0.05, box=(0.02, 0.01, 0.05)).joint("prismatic", "arm5", "grip_left", at=(0, 0, 0.25), axis=Y, limit=(0, 0.03))
    return r.link("grip_right", 0.05, box=(0.02, 0.01, 0.05)).joint("prismatic", "arm5", "grip_right", at=(0, 0, 0.25), axis=Y, limit=(-0.03, 0), mimic=("grip_left_joint", -1, 0))


@robot
def car():
    r = Robot("car").link("chassis", 800, box=(2.5, 1.2, 0.5))
    for side, sign in (("left", 1), ("right", -1)):
        r.link(f"{side}_knuckle", 8, sphere=0.08).joint("revolute", "chassis", f"{side}_knuckle", at=(1, 0.6 * sign, -0.2), axis=Z, limit=(-0.6, 0.6), effort=500, mimic=None if sign > 0 else ("left_knuckle_joint", 1, 0))
        r.link(f"front_{side}", 15, cylinder=(0.3, 0.2), rpy=(PI / 2, 0, 0)).joint("continuous", f"{side}_knuckle", f"front_{side}", at=(0, 0.15 * sign, 0), axis=Y)
        r.link(f"{side}_strut", 5, sphere=0.05).joint("prismatic", "chassis", f"{side}_strut", at=(-1, 0.6 * sign, -0.2), axis=Z, limit=(-0.1, 0.1), effort=0, speed=0)
        r.link(f"rear_{side}", 15, cylinder=(0.3, 0.2), rpy=(PI / 2, 0, 0)).joint("continuous", f"{side}_strut", f"rear_{side}", at=(0, 0.15 * sign, 0), axis=Y)
    return r


@robot
def mobile_manipulator():
    r = Robot("mobile_manipulator", ' xmlns:xacro="http://www.ros.org/wiki/xacro"')
    r.raw('<material name="grey"><color rgba="0.4 0.4 0.4 1"/></material>').raw('<material name="grey"/>')
    r.link("base", 60, box=(0.8, 0.6, 0.35), colour="grey")
    for name, sx, sy in FOUR:
        r.link(name, 2, colour="grey", **WHEEL).joint("continuous", "base", name, at=(0.3 * sx, 0.32 * sy, -0.15), axis=Y)
    last = chain(r, 6, "base", 0.22, 6, [Z, Y, Y, X, Y, X], start=(0.2, 0, 0.2))
    r.link("camera", 0.1, box=(0.02, 0.1, 0.02)).joint("fixed", last, "camera", at=(0, 0, 0.25))
    for k in range(6):
        r.raw(f'<transmission name="t{k}"><type>simple</type><joint name="link{k + 1}_joint"/><actuator name="m{k}"/></transmission>')
    return r.raw('<ros2_control name="arm" type="system"><joint name="link1_joint"/></ros2_control>')


@robot
def tower_crane():
    r = Robot("tower_crane").link("tower", 5000, box=(1, 1, 20), at=(0, 0, 10)).link("jib", 2000, box=(20, 0.6, 0.6), at=(7, 0, 0))
    r.joint("continuous", "tower", "jib", at=(0, 0, 20.5), axis=Z, damping=500)
    r.link("trolley", 200, box=(1, 0.6, 0.3)).joint("prismatic", "jib", "trolley", at=(2, 0, -0.6), axis=X, limit=(0, 14), effort=5000, speed=1)
    r.link("rope", 20, cylinder=(0.02, 6), at=(0, 0, -3)).joint("spherical", "trolley", "rope", at=(0, 0, -0.2), damping=5)
    return r.link("hook", 80, sphere=0.3).joint("spherical", "rope", "hook", at=(0, 0, -6.3))


@robot
def excavator():
    r = Robot("excavator").link("track", 3000, box=(3, 2, 0.8)).link("cab", 2500, box=(2, 1.8, 1.5), at=(0, 0, 0.8)).joint("continuous", "track", "cab", at=(0, 0, 0.5), axis=Z)
    last, at = "cab", (1, 0, 0.5)
    for name, length, mass in (("boom", 3, 500), ("stick", 1.8, 250), ("bucket", 0.6, 150)):
        r.link(name, mass, box=(length, 0.3, 0.3), at=(length / 2, 0, 0)).joint("revolute", last, name, at=at, axis=(0, -1, 0), limit=(-1.5, 1.2), effort=1e5, speed=1, damping=100)
        last, at = name, (length, 0, 0)
    r.link("cylinder", 60, cylinder=(0.1, 1), rpy=(0, PI / 2, 0)).joint("revolute", "cab", "cylinder", at=(1, 0, 0), axis=(0, -1, 0), limit=(-1, 1), effort=1e4)
    return r.link("rod", 30, cylinder=(0.05, 1), rpy=(0, PI / 2, 0)).joint("prismatic", "cylinder", "rod", at=(0.5, 0, 0), axis=X, limit=(0, 0.8), effort=1e5, speed=0.5)


@robot
def delta_tree():
    r = Robot("delta_tree").link("base", 10, cylinder=(0.15, 0.05))
    for k in range(3):
        a = 2 * PI * k / 3
        r.link(f"crank{k}", 0.3, capsule=(0.015, 0.2), at=(0, 0, -0.1)).joint("revolute", "base", f"crank{k}", at=(0.12 * math.cos(a), 0.12 * math.sin(a), 0), rpy=(0, 0, a), axis=Y, limit=(-1, 1.5))
        r.link(f"forearm{k}", 0.1, capsule=(0.008, 0.4), at=(0, 0, -0.2)).joint("spherical", f"crank{k}", f"forearm{k}", at=(0, 0, -0.2))
    return r.link("platform", 0.2, cylinder=(0.05, 0.01)).joint("spherical", "forearm0", "platform", at=(0, 0, -0.4))


@robot
def hexapod_platform():
    r = Robot("hexapod_platform").link("base", 40, cylinder=(0.5, 0.05))
    for k in range(6):
        a = PI / 3 * k
        r.link(f"leg{k}", 2, cylinder=(0.03, 0.3), at=(0, 0, 0.15)).joint("spherical", "base", f"leg{k}", at=(0.4 * math.cos(a), 0.4 * math.sin(a), 0.03), damping=0.1)
        r.link(f"rod{k}", 1, cylinder=(0.015, 0.3), at=(0, 0, 0.15)).joint("prismatic", f"leg{k}", f"rod{k}", at=(0, 0, 0.15), axis=Z, limit=(0, 0.2), effort=2000, speed=0.3)
    return r.link("plate", 5, cylinder=(0.3, 0.02)).joint("spherical", "rod0", "plate", at=(0, 0, 0.3))


@robot
def snake():
    r = Robot("snake").link("head", 0.2, capsule=(0.03, 0.06), rpy=(0, PI / 2, 0))
    last = "head"
    for i in range(15):
        r.link(f"body{i}", 0.2, capsule=(0.03, 0.06), at=(-0.04, 0, 0), rpy=(0, PI / 2, 0)).joint("revolute", last, f"body{i}", at=(-0.05 if i == 0 else -0.09, 0, 0), axis=Z if i % 2 else Y, limit=(-1, 1), effort=3)
        last = f"body{i}"
    return r


@robot
def drone():
    r = Robot("drone").link("world").link("frame", 1, box=(0.3, 0.3, 0.05)).lifted("frame")
    for name, sx, sy in FOUR:
        r.link(name, 0.02, cylinder=(0.1, 0.005)).joint("continuous", "frame", name, at=(0.15 * sx, 0.15 * sy, 0.04), axis=Z)
    return r


@robot
def drone_with_load():
    r = Robot("drone_with_load").link("ground").link("pad", 5, box=(1, 1, 0.02)).joint("fixed", "ground", "pad")
    r.link("frame", 1, box=(0.3, 0.3, 0.05)).joint("floating", "pad", "frame", at=(0, 0, 1))
    r.link("cable", 0.05, cylinder=(0.003, 0.5), at=(0, 0, -0.25)).joint("ball", "frame", "cable", at=(0, 0, -0.03))
    r.balls += 1
    r.joints -= 1
    return r.link("load", 0.3, sphere=0.06).joint("fixed", "cable", "load", at=(0, 0, -0.55))


@robot
def satellite():
    r = Robot("satellite").link("bus", 200, box=(1, 1, 1.2))
    for side, sign in (("left", 1), ("right", -1)):
        last, at = "bus", (0, 0.6 * sign, 0)
        for i in range(3):
            r.link(f"{side}_panel{i}", 8, box=(0.9, 1.2, 0.02), at=(0, 0.6 * sign, 0)).joint("revolute", last, f"{side}_panel{i}", at=at, axis=X, limit=(-3.2, 3.2), damping=0.5, friction=0.1, mimic=None if i == 0 else (f"{side}_panel{i - 1}_joint", -1 if i % 2 else 1, 0))
            last, at = f"{side}_panel{i}", (0, 1.25 * sign, 0)
    r.link("wheel", 3, cylinder=(0.15, 0.05)).joint("continuous", "bus", "wheel", axis=(1, 1, 1))
    return r


@robot
def pan_tilt():
    r = Robot("pan_tilt").link("base", 1, cylinder=(0.05, 0.05)).link("pan", 0.2, box=(0.05, 0.05, 0.05))
    r.joint("revolute", "base", "pan", at=(0, 0, 0.05), axis=Z, limit=(-3, 3), extra='<safety_controller k_velocity="10" k_position="20"/><calibration rising="0.1"/>')
    r.link("tilt", 0.3, box=(0.08, 0.06, 0.05), at=(0.02, 0, 0)).joint("revolute", "pan", "tilt", at=(0, 0, 0.05), axis=Y, limit=(-0.8, 1.2), extra='<safety_controller k_velocity="10"/>')
    r.link("optical").joint("fixed", "tilt", "optical", at=(0.06, 0, 0), rpy=(-PI / 2, 0, -PI / 2))
    return r.raw('<sensor name="camera" update_rate="30"><parent link="optical"/></sensor>')


@robot
def lift():
    r = Robot("lift").link("base", 50, box=(0.6, 0.6, 0.2))
    last = "base"
    for i in range(4):
        r.link(f"stage{i}", 10 - 2 * i, box=(0.2 - 0.03 * i, 0.2 - 0.03 * i, 0.5), at=(0, 0, 0.25)).joint("prismatic", last, f"stage{i}", at=(0, 0, 0.1), axis=Z, limit=(0, 0.4), effort=800, speed=0.2, mimic=None if i == 0 else ("stage0_joint", 1, 0))
        last = f"stage{i}"
    return r


@robot
def ball_chain():
    r = Robot("ball_chain").link("hook")
    last = "hook"
    for i in range(8):
        r.link(f"bead{i}", 0.05, sphere=0.02, at=(0, 0, -0.02)).joint("spherical", last, f"bead{i}", at=(0, 0, 0 if i == 0 else -0.05), damping=1e-4)
        last = f"bead{i}"
    return r


@robot
def cabinet():
    r = Robot("cabinet").link("body", 40, box=(0.02, 0.8, 1), extra='<collision name="floor"><origin xyz="0.25 0 -0.5"/><geometry><box size="0.5 0.8 0.02"/></geometry></collision>')
    r.link("drawer", 3, box=(0.4, 0.36, 0.2)).joint("prismatic", "body", "drawer", at=(0.25, -0.2, 0.3), axis=X, limit=(0, 0.35), friction=5, damping=2)
    r.link("door", 5, box=(0.02, 0.38, 0.6), at=(0, -0.19, 0)).joint("revolute", "body", "door", at=(0.5, 0.39, -0.2), axis=Z, limit=(-2, 0), friction=0.3)
    return r.link("handle", 0.1, capsule=(0.01, 0.1)).joint("fixed", "door", "handle", at=(0.04, -0.35, 0))


@robot
def turntable():
    r = Robot("turntable").link("world").link("table", 100, box=(1, 1, 0.8), at=(0, 0, 0.4)).joint("fixed", "world", "table")
    return r.link("disc", 6, cylinder=(0.3, 0.03)).joint("continuous", "table", "disc", at=(0, 0, 0.82), axis=(0, 0, 4), extra='<limit effort="30" velocity="2"/>')


@robot
def mesh_arm():
    r = Robot("mesh_arm").raw('<material name="red"><color rgba="0.8 0.1 0.1 1"/></material>')
    r.link("base", 3, mesh=("package://robots/wedge.obj", (0.1, 0.1, 0.1)), colour="red")
    r.link("near", 1, mesh=("wedge.obj", (0.05, 0.05, 0.3)), colour="red").joint("revolute", "base", "near", at=(0, 0, 0.1), axis=Y)
    r.link("far", 0.5, mesh=("package://robots/wedge.obj", (0.05, -0.05, 0.2)), colour="red").joint("revolute", "near", "far", at=(0, 0, 0.3), axis=Y)
    return r.link("tool", 0.2, mesh=("model://robots/bowl.STL", (0.001, 0.001, 0.001))).joint("fixed", "far", "tool", at=(0, 0, 0.2))


@robot
def stacked_frames():
    r = Robot("stacked frames/with odd names", ' xmlns="http://example.org/urdf"').link("root link")
    r.link("a/b", 1, box=(0.1, 0.1, 0.1)).joint("revolute", "root link", "a/b", axis=Z, name="j 1/x")
    for i in range(5):
        r.link(f"frame {i}").joint("fixed", "a/b" if i == 0 else f"frame {i - 1}", f"frame {i}", at=(0, 0, 0.1), rpy=(0.1, 0, 0))
    return r.link("end", 0.1, sphere=0.02).joint("continuous", "frame 4", "end", axis=(1, 1, 0))


WEDGE = """# a wedge
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 0 1 1
f 1 4 3 2
f 1 2 5
f 4 6 3
f 2 3 6 5
f 1 5 6 4
"""


def bowl():
    """An open half sphere of radius 40 mm, as text."""
    out = ["solid bowl"]
    n, m = 12, 4

    def point(i, j):
        a, b = 2 * PI * j / n, PI / 2 * i / m
        return (40 * math.sin(b) * math.cos(a), 40 * math.sin(b) * math.sin(a), -40 * math.cos(b))

    for i in range(m):
        for j in range(n):
            a, b, c, d = point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)
            for t in ([a, b, c], [a, c, d])[:1 if i == 0 else 2]:
                out.append("facet normal 0 0 0\nouter loop")
                out += [f"vertex {p[0]:.5f} {p[1]:.5f} {p[2]:.5f}" for p in t] + ["endloop", "endfacet"]
    return "\n".join(out + ["endsolid bowl", ""])


def files():
    made, table = {"wedge.obj": WEDGE, "bowl.STL": bowl()}, io.StringIO()
    table.write("# robot links joint_coordinates balls floating\n")
    for make in ROBOTS:
        r = make()
        made[make.__name__ + ".urdf"] = r.write()
        table.write(f"{make.__name__} {r.links} {r.joints} {r.balls} {r.floating}\n")
    made["expected.txt"] = table.getvalue()
    return made


def main():
    check, wrong = "--check" in sys.argv, 0
    os.makedirs(FOLDER, exist_ok=True)
    for name, content in files().items():
        path = os.path.join(FOLDER, name)
        if not check:
            with open(path, "w") as file:
                file.write(content)
        elif not os.path.exists(path) or open(path).read() != content:
            print(f"{path}: not what tools/make_test_robots.py makes")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
