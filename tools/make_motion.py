#!/usr/bin/env python3
"""Writes the scenes of `cond bench motion`, and says what theory makes of those that it knows.

    tools/make_motion.py          all of them into scenes/motion/
    tools/make_motion.py DIR      into DIR

A line of output is a scene and the reference that cli/bench_motion_cases.c has for it. Motions without a closed
form are integrated by the classical Runge-Kutta method, 20000 steps a second. Scenes without a line have references that
are converged runs, which that file describes."""
import math
import os
import sys

G = 9.81
HERE = os.path.dirname(os.path.abspath(__file__))


def numbers(values):
    return "[" + ", ".join(f"{v + 0.0:.12g}" for v in values) + "]"


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def runge_kutta(rate, y, seconds):
    n = round(20000 * seconds)
    t = seconds / n
    for _ in range(n):
        a = rate(y)
        b = rate([u + t / 2 * k for u, k in zip(y, a)])
        c = rate([u + t / 2 * k for u, k in zip(y, b)])
        d = rate([u + t * k for u, k in zip(y, c)])
        y = [u + t / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(y, a, b, c, d)]
    return y


def scene(text, duration, lines):
    head = "".join(f"# {part}\n" for part in text.strip().split("\n"))
    return head + f"step: {{time_step: 0.005, duration: {duration:g}}}\n" + "\n".join(lines) + "\n"


FLOOR = "planes: [{{name: floor, friction: {0:g}}}]"
SCENES = {}


def motion(make):
    SCENES[make.__name__] = make
    return make


# ---- rigid bodies


@motion
def slide_stop():
    mu, v = 0.3, 2.0
    text = scene("A box that slides on a floor until it stops.", 1, [
        FLOOR.format(mu), "bodies:",
        f"  - {{name: box, mass: 1, shape: {{box: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05], velocity: [{v:g}, 0, 0], "
        f"friction: {mu:g}}}"])
    return text, v * v / (2 * mu * G)


@motion
def ball_slides():
    mu, v, T = 0.2, 2.0, 1.0
    text = scene("A ball that is thrown along a floor slides, and then rolls.", T, [
        FLOOR.format(mu), "bodies:",
        f"  - {{name: ball, mass: 1, shape: {{sphere: 0.1}}, position: [0, 0, 0.1], velocity: [{v:g}, 0, 0], "
        f"friction: {mu:g}}}"])
    t = 2 * v / (7 * mu * G)
    return text, v * t - mu * G * t * t / 2 + 5 / 7 * v * (T - t)


@motion
def ball_slope():
    T, slope = 1.0, math.radians(20)
    text = scene("A ball that rolls down a slope of 20 degrees, along which x is.", T, [
        f"gravity: {numbers([G * math.sin(slope), 0, -G * math.cos(slope)])}",
        FLOOR.format(0.5), "bodies:",
        "  - {name: ball, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 0.1], friction: 0.5}"])
    return text, 5 / 7 * G * math.sin(slope) * T * T / 2


@motion
def billiard():
    mu, r, T = 0.2, 0.03, 0.6
    v, w = [1.0, 0.0, 0.0], [25.0, 20.0, 40.0]
    text = scene("A billiard ball with spin to the side: a parabola while it slides, then a line.", T, [
        FLOOR.format(mu), "bodies:",
        f"  - {{name: ball, mass: 0.2, shape: {{sphere: {r:g}}}, position: [0, 0, {r:g}], velocity: {numbers(v)}, "
        f"angular_velocity: {numbers(w)}, friction: {mu:g}}}"])
    slip = [a + b for a, b in zip(v, cross(w, [0, 0, -r]))]
    size = math.hypot(slip[0], slip[1])
    t = 2 * size / (7 * mu * G)
    return text, -mu * G * slip[1] / size * t * t / 2 - 2 / 7 * slip[1] * (T - t)


@motion
def bounces():
    e, T, h = 0.8, 2.4, 1.0
    text = scene("A ball that bounces with restitution 0.8.", T, [
        "planes: [{name: floor, friction: 0, restitution: 0.8}]", "bodies:",
        "  - {name: ball, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 1.1], restitution: 0.8}"])
    v = math.sqrt(2 * G * h)
    t = v / G
    while True:
        v *= e
        if t + 2 * v / G > T:
            break
        t += 2 * v / G
    return text, 0.1 + v * (T - t) - G * (T - t) ** 2 / 2


@motion
def ball_over_cylinder():
    T, R, r, start = 0.36, 0.3, 0.1, math.radians(20)
    text = scene("A ball that rolls down over a fixed cylinder.", T, [
        f"obstacles: [{{name: drum, shape: {{cylinder: [{R:g}, 1]}}, rotation: {{axis: [1, 0, 0], degrees: 90}}, "
        "friction: 2}]", "bodies:",
        f"  - {{name: ball, mass: 1, shape: {{sphere: {r:g}}}, "
        f"position: {numbers([(R + r) * math.sin(start), 0, (R + r) * math.cos(start)])}, friction: 2}}"])
    y = runge_kutta(lambda y: [y[1], 5 / 7 * G / (R + r) * math.sin(y[0])], [start, 0.0], T)
    return text, (R + r) * math.sin(y[0])


@motion
def falling_rod():
    T, a, r, I, start = 0.26, 0.25, 0.02, 0.03, math.radians(30)
    text = scene("A rod that falls over on a floor without friction.", T, [
        FLOOR.format(0), "bodies:",
        f"  - {{name: rod, mass: 1, inertia: [{I:g}, {I:g}, 0.001], shape: {{capsule: [{r:g}, {2 * a:g}]}}, "
        f"position: [0, 0, {a * math.cos(start) + r:.12g}], rotation: {{axis: [0, 1, 0], degrees: 30}}, friction: 0}}"])

    def rate(y):
        s, c = math.sin(y[0]), math.cos(y[0])
        return [y[1], (G * a * s - a * a * s * c * y[1] ** 2) / (I + a * a * s * s)]
    return text, runge_kutta(rate, [start, 0.0], T)[0]


def block(tilt):
    s, c = math.sin(tilt), math.cos(tilt)
    return (f"  - {{name: block, mass: 1, shape: {{box: [0.2, 0.2, 0.6]}}, "
            f"position: {numbers([-0.1 * c + 0.3 * s, 0, 0.1 * s + 0.3 * c])}, "
            f"rotation: {{axis: [0, 1, 0], degrees: {math.degrees(tilt):.12g}}}, friction: 2}}")


def block_rate(y):
    R, alpha = math.sqrt(0.1), math.atan2(0.1, 0.3)
    side = 1.0 if y[0] > 0 else -1.0
    return [y[1], -side * 0.75 * G / R * math.sin(alpha - abs(y[0]))]


@motion
def block_tips():
    text = scene("A tall block that stands on an edge and tips back; it has not reached the floor yet.", 0.33, [
        FLOOR.format(2), "bodies:", block(math.radians(12))])
    return text, runge_kutta(block_rate, [math.radians(12), 0.0], 0.33)[0]


@motion
def block_rocks():
    T, t, n = 0.6, 0.0, 1e-5
    text = scene("A tall block that rocks from one edge to the other: Housner's rocking block.", T, [
        FLOOR.format(2), "bodies:", block(math.radians(12))])
    y = [math.radians(12), 0.0]
    while t < T - n / 2:
        before = y[0]
        y = runge_kutta(block_rate, y, 5e-5)
        t += 5e-5
        if before > 0 >= y[0]:
            y[1] *= 1 - 1.5 * 0.1  # R^2 = 0.1 of which 0.01 lies along the floor: sin^2 alpha = 0.1
    return text, y[0]


# A disc of radius 0.1 m and thickness 0.01 m that rolls on its rim: test/test_precession.c derives it.
def rolling_disc(degrees, rate):
    m, r, h, tilt = 1.0, 0.1, 0.005, math.radians(degrees)
    c, d = math.cos(tilt), math.sin(tilt)
    I3, I1 = 0.5 * m * r * r, m * (r * r / 4 + h * h / 3)
    if not rate:
        rate = math.sqrt(m * G * (r * c - h * d) / (d * (I1 * c - I3 * d * h / r)))
    w1 = -rate * d
    w3 = (m * G * (h * d - r * c) - m * rate * w1 * h * (r * d + h * c) - rate * I1 * w1 * c) / (
        rate * (I3 * d + m * r * (r * d + h * c)))
    w = [w1 * c + w3 * d, 0, -w1 * d + w3 * c]
    body = (f"  - {{name: disc, mass: 1, shape: {{cylinder: [0.1, 0.01]}}, position: [0, 0, {r * d + h * c:.12g}], "
            f"rotation: {{axis: [0, 1, 0], degrees: {degrees:g}}}, velocity: [0, {-(w1 * h + w3 * r):.12g}, 0], "
            f"angular_velocity: {numbers(w)}, friction: 5}}")
    return body, rate


@motion
def coin_circle():
    body, rate = rolling_disc(60, 6.0)
    return scene("A coin that rolls in a circle, its axis 60 degrees from the vertical.", 2,
                 [FLOOR.format(5), "bodies:", body]), 2 * rate


@motion
def euler_disc():
    body, rate = rolling_disc(30, None)
    return scene("Euler's disc: it wobbles on its rim while its centre rests, its axis at 30 degrees.", 1,
                 [FLOOR.format(5), "bodies:", body]), rate


@motion
def disc_and_soft():
    body, rate = rolling_disc(30, None)
    return scene("The same disc on a heavy table, on which a soft cube stands 1.5 m away.", 0.5, [
        "materials: [{name: rubber, youngs_modulus: 1.0e+5, poisson_ratio: 0.3, density: 1000, stiffness_damping: 0.01}]",
        FLOOR.format(5), "bodies:",
        "  - {name: table, mass: 500, shape: {box: [4, 1, 0.2]}, position: [0, 0, -0.1], friction: 5}",
        body,
        '  - {name: cube, kind: soft, element: linear, mesh: "box:2,2,2:0.1,0.1,0.1", position: [1.5, 0, 0.051], material: rubber, '
        "friction: 5}"]).replace("name: floor, friction: 5", "name: floor, friction: 5, offset: -0.2"), rate / 2


@motion
def top_attached():
    m, r, h, l, rate, tilt, T = 1.0, 0.1, 0.05, 0.12, 3.0, math.radians(30), 1.0
    I3, I1 = m * r * r / 2, m * (3 * r * r + h * h) / 12 + m * l * l
    c, s = math.cos(tilt), math.sin(tilt)
    w3 = (m * G * l + I1 * rate * rate * c) / (I3 * rate)
    w = [(w3 - rate * c) * s, 0, rate + (w3 - rate * c) * c]
    text = scene("A fast top that precesses steadily, its tip held by an attachment.", T, [
        "bodies:",
        f"  - {{name: top, mass: 1, shape: {{cylinder: [{r:g}, {h:g}]}}, position: {numbers([l * s, 0, l * c])}, "
        f"rotation: {{axis: [0, 1, 0], degrees: 30}}, velocity: [0, {rate * l * s:.12g}, 0], "
        f"angular_velocity: {numbers(w)}}}",
        "attachments:",
        f"  - {{name: tip, from: {{body: top, point: [0, 0, {-l:g}]}}, to: {{point: [0, 0, 0]}}, turns: false, "
        "stiffness: 1.0e+7, damping: 0}"])
    return text, rate * T


@motion
def top_ball_joint():
    m, r, h, l, rate, tilt, T = 1.0, 0.1, 0.05, 0.12, 3.0, math.radians(30), 1.0
    I3, Ic = m * r * r / 2, m * (3 * r * r + h * h) / 12
    I1 = Ic + m * l * l
    c, s = math.cos(tilt), math.sin(tilt)
    w3 = (m * G * l + I1 * rate * rate * c) / (I3 * rate)
    text = scene("The same top in a ball joint of a robot.", T, [
        "bodies:",
        "  - name: top", "    kind: robot", "    links:",
        "      - {name: base}",
        f"      - {{name: rotor, parent: base, mass: 1, center: [0, 0, {l:g}], inertia: {numbers([Ic, Ic, I3])}, "
        "joint: {name: ball, kind: spherical}}",
        "    joints:",
        f"      - {{name: ball, orientation: {numbers([math.cos(tilt / 2), 0, math.sin(tilt / 2), 0])}, "
        f"angular_velocity: {numbers([-rate * s, 0, w3])}}}"])
    return text, rate * T


@motion
def turntable():
    W, T, r = 4.0, 2.0, 0.05
    x, v = [0.2, 0.0], [0.0, 0.1]
    d = [v[0] + W * x[1], v[1] - W * x[0]]  # v - W z x r
    w = [-d[1] / r, d[0] / r, 0.0]  # z x d / r
    text = scene("A ball on a turntable: it runs in a circle at 2/7 of the table's rate.", T, [
        "bodies:",
        "  - {name: table, mass: 20, shape: {cylinder: [0.8, 0.1]}, position: [0, 0, -0.05], friction: 1}",
        f"  - {{name: ball, mass: 0.5, shape: {{sphere: {r:g}}}, position: {numbers(x + [r])}, "
        f"velocity: {numbers(v + [0])}, angular_velocity: {numbers(w)}, friction: 1}}",
        "trajectories:",
        f"  - {{name: turn, spin: [0, 0, {W:g}], waypoints: [{{time: 0, position: [0, 0, -0.05]}}]}}",
        "attachments:",
        "  - {name: drive, from: {body: table}, to: {trajectory: turn}, stiffness: .inf}"])
    k = 2 / 7 * W
    return text, x[0] + (math.sin(k * T) * v[0] - (1 - math.cos(k * T)) * v[1]) / k


@motion
def thrust_bearing():
    W, T, r, R = 6.0, 1.0, 0.03, 0.15
    lines = [FLOOR.format(1), "bodies:",
             f"  - {{name: disc, mass: 5, shape: {{cylinder: [0.25, 0.04]}}, position: [0, 0, {2 * r + 0.02:g}], "
             f"angular_velocity: [0, 0, {W:g}], friction: 1}}"]
    for k in range(3):
        a = 2 * math.pi * k / 3
        p = [R * math.cos(a), R * math.sin(a)]
        lines.append(f"  - {{name: ball{k}, mass: 0.2, shape: {{sphere: {r:g}}}, position: {numbers(p + [r])}, "
                     f"velocity: {numbers([-W / 2 * p[1], W / 2 * p[0], 0])}, "
                     f"angular_velocity: {numbers([-W / 2 / r * p[0], -W / 2 / r * p[1], 0])}, friction: 1}}")
    return scene("A disc that turns on three balls, which run at half its rate.", T, lines), W / 2 * T


@motion
def disc_on_plate():
    A, f, T, r = 0.1, 1.0, 1.3, 0.1
    text = scene("A wheel that rolls on a plate which is moved to and fro under it.", T, [
        "bodies:",
        "  - {name: plate, mass: 20, shape: {box: [1, 0.6, 0.1]}, position: [0, 0, -0.05], friction: 1}",
        f"  - {{name: wheel, mass: 1, shape: {{cylinder: [{r:g}, 0.1]}}, position: [0, 0, {r:g}], "
        "rotation: {axis: [1, 0, 0], degrees: 90}, friction: 1}",
        "trajectories:",
        f"  - {{name: shake, amplitude: [{A:g}, 0, 0], frequency: {f:g}, phase: {math.pi / 2:.12g}, "
        f"waypoints: [{{time: 0, position: [{-A:g}, 0, -0.05]}}]}}",
        "attachments:",
        "  - {name: drive, from: {body: plate}, to: {trajectory: shake}, stiffness: .inf}"])
    return text, A * (math.cos(2 * math.pi * f * T) - 1) / 3


@motion
def conveyor():
    mu, v, T = 0.3, 1.0, 0.8
    text = scene("A box that is put on a belt, here a long plate that moves, and is taken along.", T, [
        "bodies:",
        f"  - {{name: belt, mass: 20, shape: {{box: [6, 0.6, 0.1]}}, position: [0, 0, -0.05], friction: {mu:g}}}",
        f"  - {{name: box, mass: 1, shape: {{box: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05], friction: {mu:g}}}",
        "trajectories:",
        f"  - {{name: run, velocity: [{v:g}, 0, 0], waypoints: [{{time: 0, position: [0, 0, -0.05]}}]}}",
        "attachments:",
        "  - {name: drive, from: {body: belt}, to: {trajectory: run}, stiffness: .inf}"])
    return text, v * T - v * v / (2 * mu * G)


@motion
def tumbling():
    I, w, T = [0.01, 0.02, 0.027], [1.0, 6.0, 0.5], 2.0
    text = scene("A body that turns over and over about its middle axis, without weight.", T, [
        "gravity: [0, 0, 0]", "bodies:",
        f"  - {{name: box, mass: 1, inertia: {numbers(I)}, angular_velocity: {numbers(w)}}}"])

    def rate(y):
        q, w = y[:4], y[4:]
        r = [(I[1] - I[2]) * w[1] * w[2] / I[0], (I[2] - I[0]) * w[2] * w[0] / I[1],
             (I[0] - I[1]) * w[0] * w[1] / I[2]]
        return [-(q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) / 2, (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2,
                (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2, (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2] + r
    y = runge_kutta(rate, [1.0, 0, 0, 0] + w, T)
    q, w = y[:4], y[4:]
    x = cross(q[1:], w)  # of the angular velocity in world axes the part along x
    u = cross(q[1:], x)
    return text, w[0] + 2 * (q[0] * x[0] + u[0])


@motion
def spring_pendulum():
    k, l, T = 200.0, 1.0, 2.0
    text = scene("A ball that swings on a spring.", T, [
        "bodies:", "  - {name: ball, kind: particle, mass: 1, position: [0.8, 0, -0.6]}",
        "springs:", f"  - {{from: {{point: [0, 0, 0]}}, to: {{body: ball}}, stiffness: {k:g}, rest_length: {l:g}}}"])

    def rate(y):
        d = math.hypot(y[0], y[1])
        return [y[2], y[3], -k * (d - l) * y[0] / d, -k * (d - l) * y[1] / d - G]
    return text, runge_kutta(rate, [0.8, -0.6, 0, 0], T)[0]


@motion
def double_pendulum():
    T, I, a = 1.5, 0.083, 0.5
    text = scene("A double pendulum of two passive links.", T, [
        "bodies:", "  - name: pendulum", "    kind: robot", "    links:", "      - {name: base}",
        "      - {name: upper, parent: base, mass: 1, center: [0, 0, -0.5], inertia: [0.083, 0.083, 0.001], "
        "joint: {name: j0, kind: continuous, axis: [0, 1, 0]}}",
        "      - {name: lower, parent: upper, mass: 1, center: [0, 0, -0.5], inertia: [0.083, 0.083, 0.001], "
        "joint: {name: j1, kind: continuous, axis: [0, 1, 0], position: [0, 0, -1]}}",
        "    joints:", "      - {name: j0, position: 2.0}", "      - {name: j1, position: 1.0}"])

    def rate(y):  # absolute angles
        m11, m22, m12 = I + a * a + 1, I + a * a, a * math.cos(y[0] - y[1])
        s = a * math.sin(y[0] - y[1])
        f1, f2 = -s * y[3] ** 2 - G * (a + 1) * math.sin(y[0]), s * y[2] ** 2 - G * a * math.sin(y[1])
        d = m11 * m22 - m12 * m12
        return [y[2], y[3], (m22 * f1 - m12 * f2) / d, (m11 * f2 - m12 * f1) / d]
    y = runge_kutta(rate, [2.0, 3.0, 0, 0], T)
    return text, y[0]


@motion
def robot_pendulum():
    T, m, l, I = 3.0, 0.5, 0.3, 0.001
    text = scene("A robot that stands on the floor, with an arm that a motor holds and a passive pendulum.", T, [
        FLOOR.format(1), "bodies:", "  - name: robot", "    kind: robot", "    floating: true",
        "    position: [0, 0, 0.2]", "    friction: 1", "    links:",
        "      - {name: base, mass: 10, inertia: [0.27, 0.27, 0.27], shapes: [{box: [0.4, 0.4, 0.4]}]}",
        "      - {name: arm, parent: base, mass: 1, inertia: [0.01, 0.01, 0.01], "
        "joint: {name: arm, kind: continuous, axis: [0, 0, 1], position: [0, 0, 0.3]}}",
        f"      - {{name: bob, parent: base, mass: {m:g}, center: [0, 0, {-l:g}], inertia: [{I:g}, {I:g}, {I:g}], "
        "joint: {name: swing, kind: continuous, axis: [0, 1, 0], position: [0, 0, 0.2]}}",
        "    joints:", "      - {name: swing, position: 1.0}", "      - {name: arm, stiffness: 100, damping: 5}"])
    y = runge_kutta(lambda y: [y[1], -m * G * l / (m * l * l + I) * math.sin(y[0])], [1.0, 0.0], T)
    return text, y[0]


# ---- soft bodies and rods

RUBBER = "materials: [{{name: rubber, youngs_modulus: {0}, poisson_ratio: 0.3, density: 1000}}]"


@motion
def soft_ball_rolls():
    return scene("A soft ball without damping, thrown along the floor: it slides, and then rolls.", 0.6, [
        RUBBER.format("1.0e+6"), FLOOR.format(0.5), "bodies:",
        '  - {name: ball, kind: soft, element: linear, mesh: "ball:0.1:6", position: [0, 0, 0.1], velocity: [2, 0, 0], '
        "material: rubber, self_contact: false, friction: 0.5}"]), None


@motion
def soft_cylinder_slope():
    slope = math.radians(15)
    return scene("A soft cylinder that rolls down a slope of 15 degrees, along which x is.", 0.8, [
        f"gravity: {numbers([G * math.sin(slope), 0, -G * math.cos(slope)])}",
        RUBBER.format("1.0e+6"), FLOOR.format(0.8), "bodies:",
        '  - {name: roll, kind: soft, element: linear, mesh: "cylinder:0.1,0.1:4,2", position: [0, 0.05, 0.101], '
        "rotation: {axis: [1, 0, 0], degrees: 90}, material: rubber, self_contact: false, friction: 0.8}"]), None


@motion
def soft_ball_bounces():
    return scene("A soft ball without damping that falls 0.5 m and bounces.", 0.5, [
        RUBBER.format("1.0e+6"), FLOOR.format(0), "bodies:",
        '  - {name: ball, kind: soft, element: linear, mesh: "ball:0.1:4", position: [0, 0, 0.6], material: rubber, '
        "self_contact: false}"]), None


@motion
def soft_block_slides():
    return scene("A soft block that slides along the floor.", 0.4, [
        RUBBER.format("2.0e+5"), FLOOR.format(0.3), "bodies:",
        '  - {name: block, kind: soft, element: linear, mesh: "box:3,3,2:0.15,0.15,0.08", position: [0, 0, 0.0405], '
        "velocity: [2, 0, 0], material: rubber, self_contact: false, friction: 0.3}"]), None


@motion
def ball_on_soft():
    return scene("A rigid ball that falls on a soft block and bounces.", 0.4, [
        RUBBER.format("1.0e+5"), "bodies:",
        '  - {name: block, kind: soft, element: linear, mesh: "box:4,4,3:0.24,0.24,0.15", position: [0, 0, 0.075], material: rubber, '
        "self_contact: false, friction: 0}",
        "  - {name: ball, mass: 1, shape: {sphere: 0.06}, position: [0, 0, 0.26], friction: 0}",
        "patches: [{name: foot, body: block, low: [-1, -1, -0.01], high: [1, 1, 0.01]}]",
        "attachments: [{name: glue, from: {body: block, patch: foot}, to: {point: [0, 0, 0]}, stiffness: .inf}]"]), None


@motion
def soft_pendulum():
    return scene("A soft bar that swings from where it is held.", 0.5, [
        RUBBER.format("1.0e+5"), "bodies:",
        '  - {name: bar, kind: soft, element: linear, mesh: "box:2,2,8:0.05,0.05,0.4", position: [0, 0, -0.2], velocity: [1, 0, 0], '
        "material: rubber, self_contact: false}",
        "patches: [{name: hand, body: bar, low: [-1, -1, -0.01], high: [1, 1, 0.01]}]",
        "attachments: [{name: hold, from: {body: bar, patch: hand}, to: {point: [0, 0, 0]}, stiffness: .inf}]"]), None


@motion
def whip():
    return scene("A flexible rod, held at one end, that falls from the horizontal.", 0.4, [
        "materials: [{name: rubber, youngs_modulus: 2.0e+6, poisson_ratio: 0.4, density: 1200}]", "bodies:",
        "  - {name: whip, kind: rod, material: rubber, self_contact: false, rotation: {axis: [0, 1, 0], degrees: 90}, "
        "rod: {length: 0.5, links: 20, circle: 0.005}}",
        "attachments: [{name: hand, from: {body: whip, at: 0}, to: {point: [0, 0, 0]}, turns: false, "
        "stiffness: 1.0e+4, damping: 0}]"]), None


@motion
def ring_bounces():
    n, r, h = 40, 0.1, 0.05
    points = [[r * math.sin(2 * math.pi * k / n), 0, r - r * math.cos(2 * math.pi * k / n)] for k in range(n + 1)]
    return scene("A ring that is a closed rod falls on the floor and bounces.", 0.35, [
        "materials: [{name: plastic, youngs_modulus: 1.0e+7, poisson_ratio: 0.4, density: 1200}]", FLOOR.format(0),
        "bodies:",
        f"  - {{name: ring, kind: rod, material: plastic, self_contact: false, position: [0, 0, {h + 0.006:g}], "
        f"friction: 0, rod: {{closed: true, circle: 0.006, points: [{', '.join(numbers(p) for p in points)}]}}}}"]), None


def cable(radius, n_arc, n_leg, leg):
    points = []
    for k in range(n_leg):
        points.append([-radius, 0, -leg + leg * k / n_leg])
    for k in range(n_arc + 1):
        a = math.pi * k / n_arc
        points.append([-radius * math.cos(a), 0, radius * math.sin(a)])
    for k in range(n_leg):
        points.append([radius, 0, -leg * (k + 1) / n_leg])
    length = sum(math.dist(a, b) for a, b in zip(points, points[1:]))
    return points, length


def atwood(name, masses, friction, drum, leg, duration):
    points, length = cable(0.1036, 16, 20, leg)
    kilo = "inertia: [0.001, 0.001, 0.001]"
    return scene(name, duration, [
        "materials: [{name: rope, youngs_modulus: 2.0e+8, poisson_ratio: 0.3, density: 1000, stiffness_damping: 1.0e-4}]",
        *drum, *(["bodies:"] if not any("bodies:" in line for line in drum) else []),
        f"  - {{name: cable, kind: rod, material: rope, self_contact: false, friction: {friction:g}, rod: {{points: "
        f"[{', '.join(numbers(p) for p in points)}], circle: 0.003, rest: uniform}}}}",
        f"  - {{name: a, mass: {masses[0]:g}, {kilo}, position: {numbers(points[0])}}}",
        f"  - {{name: b, mass: {masses[1]:g}, {kilo}, position: {numbers(points[-1])}}}",
        "attachments:",
        "  - {name: left, from: {body: cable, at: 0}, to: {body: a}, turns: false, stiffness: 1.0e+5, damping: 20}",
        f"  - {{name: right, from: {{body: cable, at: {length:.12g}}}, to: {{body: b}}, turns: false, "
        "stiffness: 1.0e+5, damping: 20}"])


# The speed of the heavier weight where the cable does not slip, or has no friction; its weight counts, and so
# does a drum that turns with its surface.
def atwood_speed(masses, drum, leg, seconds):
    length, line = 2 * leg + 0.1036 * math.pi, 1000 * math.pi * 0.003**2
    mass = sum(masses) + line * length + drum / 0.103**2
    rate = math.sqrt(2 * line * G / mass)
    return -(masses[1] - masses[0]) * G / mass * math.sinh(rate * seconds) / rate


DRUM = ("obstacles: [{{name: drum, shape: {{cylinder: [0.1, 0.1]}}, rotation: {{axis: [1, 0, 0], degrees: 90}}, "
        "friction: {0:g}}}]")


@motion
def atwood_smooth():
    return atwood("Two weights on a cable over a fixed cylinder without friction.", (1.0, 1.5), 0.0,
                  [DRUM.format(0)], 0.5, 0.4), atwood_speed((1.0, 1.5), 0.0, 0.5, 0.4)


@motion
def atwood_pulley():
    return atwood("Two weights on a cable over a cylinder that it turns by friction.", (1.0, 1.5), 1.0, [
        "bodies:", "  - name: pulley", "    kind: robot", "    friction: 1", "    links:", "      - {name: base}",
        "      - {name: wheel, parent: base, mass: 1, inertia: [0.005, 0.005, 0.005], "
        "shapes: [{cylinder: [0.1, 0.1], rotation: {axis: [1, 0, 0], degrees: 90}}], "
        "joint: {name: axle, kind: continuous, axis: [0, 1, 0]}}"], 0.4, 0.4), atwood_speed((1.0, 1.5), 0.005, 0.4, 0.4)


@motion
def capstan():
    return atwood("A rope with friction that slides over a fixed cylinder: 1 kg against 3 kg.", (1.0, 3.0), 0.2,
                  [DRUM.format(0.2)], 0.5, 0.3), None


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "scenes", "motion")
    for name, make in SCENES.items():
        text, reference = make()
        with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        if reference is not None:
            print(f"{name:20} {reference:.12g}")


if __name__ == "__main__":
    main()
