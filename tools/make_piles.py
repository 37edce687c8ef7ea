#!/usr/bin/env python3
"""Writes the scenes of piles: rows of bodies that nobody wants to type.

    tools/make_piles.py              all of them into scenes/
    tools/make_piles.py DIR bin 50   one of them into DIR, with as many bodies as asked for
    tools/make_piles.py DIR pyramid 80  a pyramid of so many rows, which is not among them

The same numbers always come out: chance is drawn from a seed, and rounded in the file."""
import math
import os
import random
import sys


def numbers(values, digits=4):
    return "[" + ", ".join(f"{round(v, digits) + 0.0:.15g}" for v in values) + "]"


def turn(axis, degrees):
    return f"rotation: {{axis: {axis}, degrees: {degrees:.7g}}}"


def any_rotation(chance):
    """A unit quaternion, equally likely in all directions."""
    q = [chance.gauss(0, 1) for _ in range(4)]
    length = math.sqrt(sum(x * x for x in q))
    return "orientation: " + numbers([x / length for x in q])


def make_bin(n):
    """Boxes, balls, capsules and cylinders above a bin, in layers of a grid, each moved and turned by chance."""
    across = 5 if n <= 250 else 10
    pitch, wall = 0.15, 0.1
    inside = across * pitch + 0.15
    height = 0.8 if across == 5 else 1.2
    shapes = ["box: [0.08, 0.06, 0.05]", "sphere: 0.04", "capsule: [0.03, 0.06]", "cylinder: [0.03, 0.08]"]
    chance = random.Random(1)
    lines = ["obstacles:"]
    at = (inside + wall) / 2
    for name, x, y in (("right", at, 0), ("left", -at, 0), ("back", 0, at), ("front", 0, -at)):
        size = [wall if x else inside + 2 * wall, wall if y else inside + 2 * wall, height]
        lines.append(f"  - {{name: {name}, shape: {{box: {numbers(size)}}}, position: {numbers([x, y, height / 2])},"
                     " friction: 0.3}")
    lines.append("bodies:")
    for k in range(n):
        layer, place = divmod(k, across * across)
        position = [pitch * (place // across - (across - 1) / 2) + chance.uniform(-0.01, 0.01),
                    pitch * (place % across - (across - 1) / 2) + chance.uniform(-0.01, 0.01), 0.1 + 0.13 * layer]
        lines.append(f"  - {{name: o{k}, density: 800, shape: {{{shapes[k % len(shapes)]}}}, "
                     f"position: {numbers(position)}, {any_rotation(chance)}, friction: 0.4}}")
    head = f"""# A bin: {n} boxes, balls, capsules and cylinders fall into it and come to rest on each other."""
    return head, ["step: {time_step: 0.005, duration: 3}", "solver: {tolerance: 1.0e-6}",
                  "planes:", "  - {name: floor, friction: 0.4}"] + lines


def make_dominoes(n):
    """Along a spiral of Archimedes, r = r0 + pitch angle/(2 pi), at equal distances along it; the inner one first."""
    size, distance, first, pitch = [0.008, 0.024, 0.048], 0.024, 0.12, 0.06
    lines, angle = ["bodies:"], 0.0
    for k in range(n):
        radius, slope = first + pitch * angle / (2 * math.pi), pitch / (2 * math.pi)
        heading = angle + math.atan2(radius, slope)
        position = [radius * math.cos(angle), radius * math.sin(angle), size[2] / 2]
        lines.append(f"  - {{name: d{k}, mass: 0.01, shape: {{box: {numbers(size)}}}, "
                     f"position: {numbers(position, 6)}, "
                     f"{turn('[0, 0, 1]', math.degrees(heading) % 360)}, friction: 0.2}}")
        if k == 0:
            push = numbers([0.1 * math.cos(heading), 0.1 * math.sin(heading), 0.0], 6)
        angle += distance / math.hypot(radius, slope)
    head = f"""# Dominoes: {n} of them stand along a spiral. The first, at its inner end, is pushed, and all fall in their order."""
    return head, [f"step: {{time_step: 0.002, duration: {0.034 * n + 1:g}}}", "solver: {tolerance: 1.0e-6}",
                  "planes:", "  - {name: floor, friction: 0.6}"] + lines + [
        "forces:", f"  - {{name: push, body: d0, point: [0, 0, 0.02], force: {push}, end: 0.05}}"]


def make_wall(n):
    """Courses of twenty in stretcher bond; every other one has half a brick at either end. The joints are 1 mm
    wide upright, and bricks lie on each other without mortar."""
    long, deep, high, joint, row = 0.24, 0.115, 0.07, 0.001, 20
    lines = ["bodies:"]
    for course in range(n // row):
        z = high * (course + 0.5)
        step = long + joint
        places = [(step * (k - (row - 1) / 2), long) for k in range(row)]
        if course % 2:
            half = (long - joint) / 2
            edge = step * row / 2 - joint / 2 - half / 2
            places = [(-edge, half)] + [(step * (k - (row - 2) / 2), long) for k in range(row - 1)] + [(edge, half)]
        for k, (x, length) in enumerate(places):
            lines.append(f"  - {{name: b{course}_{k}, density: 1800, shape: {{box: {numbers([length, deep, high])}}}, "
                         f"position: {numbers([x, 0, z])}, friction: 0.6}}")
    lines.append("  - {name: ball, mass: 60, shape: {sphere: 0.2}, position: [0.1, -0.7, 0.4], velocity: [0, 8, 0],"
                 " friction: 0.4}")
    head = f"""# A wall of {n // row} courses of {row} bricks in bond, without mortar, hit by a ball of 60 kg at 8 m/s."""
    return head, ["step: {time_step: 0.005, duration: 2}", "solver: {tolerance: 1.0e-6}",
                  "planes:", "  - {name: floor, friction: 0.6}"] + lines


def make_pyramid(n):
    """n rows of boxes in bond, one box less in each; upright joints of 1 mm."""
    size, joint, lines = 0.1, 0.001, ["bodies:"]
    for row in range(n):
        for k in range(n - row):
            position = [(size + joint) * (k - (n - row - 1) / 2), 0, size * (row + 0.5)]
            lines.append(f"  - {{name: b{row}_{k}, density: 1000, shape: {{box: {numbers([size] * 3)}}}, "
                         f"position: {numbers(position)}, friction: 0.6}}")
    head = f"""# A pyramid of {n * (n + 1) // 2} boxes in {n} rows stands."""
    return head, ["step: {time_step: 0.005, duration: 50}", "solver: {tolerance: 1.0e-6}",
                  "planes:", "  - {name: floor, friction: 0.6}"] + lines


def voussoir(angle, thickness):
    """Corners (x outward, z along the arch) about the centroid, which lies at the radius returned; the middle
    line has the radius 1."""
    corner = [((1 + s * thickness / 2) * math.cos(angle / 2), t * (1 + s * thickness / 2) * math.sin(angle / 2))
              for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    area = moment = 0.0
    for (ax, az), (bx, bz) in zip(corner, corner[1:] + corner[:1]):
        cross = ax * bz - bx * az
        area += cross / 2
        moment += (ax + bx) * cross / 6
    radius = moment / area
    return [(x - radius, z) for x, z in corner], radius


def write_voussoir(path, corner, title):
    faces = [(1, 2, 3, 4), (8, 7, 6, 5), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 8, 4), (4, 8, 5, 1)]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"# {title}; made by tools/make_piles.py\n")
        for y in (-0.15, 0.15):
            for x, z in corner:
                file.write(f"v {x:.17g} {y:g} {z:.17g}\n")
        for a, b, c, d in faces:
            file.write(f"f {a} {b} {c}\nf {a} {c} {d}\n")


def make_arch(n, folder):
    """Two half circles of n flat voussoirs, one percent thicker and thinner than what statics asks for."""
    border, lines = 0.1061, ["bodies:"]
    for name, share, y in (("thick", 1.01, 0.3), ("thin", 0.99, -0.3)):
        file = f"voussoir_{name}.obj"
        corner, radius = voussoir(math.pi / n, share * border)
        write_voussoir(os.path.join(folder, file), corner,
                       f"a voussoir of 1/{n} of a half circle, thickness {share:g} x {border:g} of the radius")
        for k in range(n):
            angle = (k + 0.5) * math.pi / n
            position = [radius * math.cos(angle), y, radius * math.sin(angle)]
            lines.append(f"  - {{name: {name}{k}, density: 2000, shape: {{convex: {file}}}, "
                         f"position: {numbers(position, 15)}, "
                         f"{turn('[0, -1, 0]', math.degrees(angle))}, friction: 1.5}}")
    head = f"""# Two arches of {n} flat voussoirs, half circles with friction enough that nothing slides. Statics asks for a
# thickness of {border} of the radius of the middle line; one arch is 1 % thicker and stands, the other is 1 % thinner
# and falls."""
    return head, ["step: {time_step: 0.005, duration: 2}", "solver: {tolerance: 1.0e-6}",
                  "planes:", "  - {name: floor, friction: 1.5}"] + lines


def make_chain(n):
    """Capsules end to end, joined by ball joints, level at first, above a bar."""
    pitch, radius, length = 0.04, 0.008, 0.02
    lines = ["obstacles:", "  - {name: bar, shape: {capsule: [0.1, 1]}, position: [0.3, 0, 1.2], "
             "rotation: {axis: [1, 0, 0], degrees: 90}, friction: 0.2}", "bodies:"]
    for k in range(n):
        lines.append(f"  - {{name: c{k}, mass: 0.05, shape: {{capsule: {numbers([radius, length])}}}, "
                     f"position: {numbers([pitch * (k - (n - 1) / 2), 0, 1.35])}, "
                     f"rotation: {{axis: [0, 1, 0], degrees: 90}}, friction: 0.3}}")
    lines.append("attachments:")
    for k in range(n - 1):
        lines.append(f"  - {{from: {{body: c{k}, point: [0, 0, {pitch / 2:g}]}}, "
                     f"to: {{body: c{k + 1}, point: [0, 0, {-pitch / 2:g}]}}, turns: false, stiffness: 20000, damping: 5}}")
    head = f"""# A chain of {n} links falls across a bar, slides over it by its longer end, and heaps up on the floor. The links are
# capsules with ball joints (attachments) between them, and touch each other where the chain lies on itself."""
    return head, ["step: {time_step: 0.005, duration: 3}", "solver: {tolerance: 1.0e-6}",
                  "planes:", "  - {name: floor, friction: 0.4}"] + lines


KITCHEN = """
bodies:
  - name: arm
    kind: robot
    urdf: panda_gripping.urdf
    friction: 0.8
    joints:
      - {name: panda_joint2, position: -0.7854}
      - {name: panda_joint4, position: -2.3562}
      - {name: panda_joint6, position: 1.5708}
      - {name: panda_joint7, position: 0.7854}
      - {name: panda_finger_joint1, position: 0.022, stiffness: 1000, damping: 20}
    motor: {stiffness: 20000, damping: 400}
%s
trajectories:
  # The tip of the hand: over the box, down, up, aside, down again, up.
  - name: reach
    body: arm
    link: panda_hand
    point: [0, 0, 0.1034]
    waypoints:
      - {time: 0, position: [0.307, 0, 0.487], orientation: [0, 1, 0, 0]}
      - {time: 0.7, position: [%g, %g, 0.2], orientation: [0, 1, 0, 0], rest: true}
      - {time: 1.3, position: [%g, %g, 0.043], orientation: [0, 1, 0, 0], rest: true}
      - {time: 1.7, position: [%g, %g, 0.043], orientation: [0, 1, 0, 0], rest: true}
      - {time: 2.3, position: [%g, %g, 0.2], orientation: [0, 1, 0, 0], rest: true}
      - {time: 3, position: [0.42, 0.36, 0.2], orientation: [0, 1, 0, 0], rest: true}
      - {time: 3.6, position: [0.42, 0.36, 0.044], orientation: [0, 1, 0, 0], rest: true}
      - {time: 3.9, position: [0.42, 0.36, 0.044], orientation: [0, 1, 0, 0], rest: true}
      - {time: 4.5, position: [0.42, 0.36, 0.2], orientation: [0, 1, 0, 0], rest: true}
  # The fingers: the jar is 15 mm from the middle to its sides, and the motor presses from there.
  - name: grip
    body: arm
    joint: panda_finger_joint1
    waypoints:
      - {time: 1.35, target: 0.022}
      - {time: 1.6, target: 0.005}
      - {time: 3.65, target: 0.005}
      - {time: 3.85, target: 0.022}
sensors:
  - {name: wrist, body: arm, link: panda_hand, measures: joint, axes: world}"""


def make_kitchen(n):
    """Rows of five in a low box; a jar stands among them, and the hand has room for its fingers beside it."""
    kinds = [("can", "cylinder: [0.017, 0.05]", 0.025, "z"), ("carton", "box: [0.034, 0.03, 0.05]", 0.025, "z"),
             ("egg", "sphere: 0.018", 0.018, "z"), ("roll", "capsule: [0.014, 0.024]", 0.014, "x"),
             ("tin", "cylinder: [0.02, 0.03]", 0.015, "z"), ("soap", "box: [0.036, 0.028, 0.025]", 0.0125, "z")]
    chance, pitch, rows = random.Random(3), [0.055, 0.06], (n + 4) // 5
    bodies, jar = [], None
    for k in range(n):
        place = [k // 5, k % 5]
        position = [0.5 + pitch[0] * (place[0] - (rows - 1) / 2), pitch[1] * (place[1] - 2)]
        if place == [rows // 2, 2]:
            jar = position
            bodies.append(f"  - {{name: jar, mass: 0.06, shape: {{box: [0.03, 0.03, 0.06]}}, "
                          f"position: {numbers(position + [0.031])}, friction: 0.5}}")
            continue
        name, shape, height, axis = kinds[chance.randrange(len(kinds))]
        x, y = (p + chance.uniform(-0.002, 0.002) for p in position)
        rotation = turn("[1, 0, 0]", 90) if axis == "x" else turn("[0, 0, 1]", round(chance.uniform(-8, 8), 2))
        bodies.append(f"  - {{name: {name}{k}, density: 900, shape: {{{shape}}}, "
                      f"position: {numbers([x, y, height + 0.002])}, {rotation}, friction: 0.5}}")
    lines = ["obstacles:"]
    inside, wall, height = [pitch[0] * rows + 0.02, pitch[1] * 5 + 0.02], 0.01, 0.06
    for side, i, sign in (("far", 0, 1), ("near", 0, -1), ("left", 1, 1), ("right", 1, -1)):
        size = [inside[0] + 2 * wall, inside[1] + 2 * wall, height]
        size[i] = wall
        position = [0.5, 0, height / 2]
        position[i] += sign * (inside[i] + wall) / 2
        lines.append(f"  - {{name: {side}, shape: {{box: {numbers(size)}}}, position: {numbers(position)}, friction: 0.4}}")
    head = f"""# A kitchen: a Panda takes a jar out of a box in which it stands among {n - 1} other things, cans, cartons, eggs, rolls,
# tins and soaps, and puts it down beside the box. The arm is led by inverse kinematics, the jar held by friction."""
    text = KITCHEN % (("\n".join(bodies),) + tuple(round(x, 4) for x in jar) * 4)
    return head, ["step: {time_step: 0.005, duration: 5}", "solver: {tolerance: 1.0e-6}", "planes:",
                  "  - {name: floor, friction: 0.5}"] + lines + text.strip("\n").split("\n")


def write(folder, name, head, lines):
    with open(os.path.join(folder, name + ".yaml"), "w", encoding="ascii") as file:
        file.write(f"{head}\n# Made by tools/make_piles.py.\nname: {name}\n")
        file.write("\n".join(lines) + "\n")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "scenes")
    makers = {"bin": (make_bin, 200), "dominoes": (make_dominoes, 500), "wall": (make_wall, 200),
              "arch": (lambda n: make_arch(n, folder), 15), "chain": (make_chain, 100),
              "kitchen": (make_kitchen, 30)}
    asked = makers | {"pyramid": (make_pyramid, 80)}  # not of the scenes that are shipped
    for name in sys.argv[2:3] or makers:
        make, n = asked[name]
        write(folder, name, *make(int(sys.argv[3]) if len(sys.argv) > 3 else n))
    if len(sys.argv) <= 2:
        write(folder, "bin1000", *make_bin(1000))


main()
