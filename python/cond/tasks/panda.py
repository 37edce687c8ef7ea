"""Kinematics of the Panda's arm, for controllers of joints: the pose of its tip and its Jacobian."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Denavit and Hartenberg's parameters (Craig's form) of joints 1 to 7: a [m], alpha [rad], d [m].
_LINKS = (
    (0.0, 0.0, 0.333),
    (0.0, -math.pi / 2, 0.0),
    (0.0, math.pi / 2, 0.316),
    (0.0825, math.pi / 2, 0.0),
    (-0.0825, -math.pi / 2, 0.384),
    (0.0, math.pi / 2, 0.0),
    (0.088, math.pi / 2, 0.0),
)
_TIP = 0.107 + 0.1034  # from joint 7 to the flange, and to the middle of the finger pads [m]
_HAND_TURN = -math.pi / 4  # of the hand on the flange


def _link(a: float, alpha: float, d: float, q: float) -> Array:
    c, s, ca, sa = math.cos(q), math.sin(q), math.cos(alpha), math.sin(alpha)
    return np.array(
        [
            [c, -s, 0.0, a],
            [s * ca, c * ca, -sa, -d * sa],
            [s * sa, c * sa, ca, d * ca],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def tip(q: Array) -> tuple[Array, Array, Array]:
    """Position (3) and axes (3 x 3) of the hand's tip, and the Jacobian (6 x 7) of both, at the joints q (7)."""
    frame = np.eye(4)
    axes = np.empty((7, 3))
    origins = np.empty((7, 3))
    for k, (a, alpha, d) in enumerate(_LINKS):
        frame = frame @ _link(a, alpha, d, float(q[k]))
        axes[k], origins[k] = frame[:3, 2], frame[:3, 3]
    frame = frame @ _link(0.0, 0.0, _TIP, _HAND_TURN)
    position = frame[:3, 3].copy()
    jacobian = np.vstack([np.cross(axes, position - origins).T, axes.T])
    return position, frame[:3, :3].copy(), jacobian


def turn_between(start: Array, end: Array) -> Array:
    """Rotation vector (3) from the axes `start` to the axes `end` (3 x 3 each), less than half a turn."""
    rotation = end @ start.T
    vector = 0.5 * np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine = float(np.linalg.norm(vector))
    cosine = 0.5 * (float(np.trace(rotation)) - 1.0)
    return vector if sine < 1e-9 else vector * (math.atan2(sine, cosine) / sine)


def increments(q: Array, step: Array, turn: Array) -> Array:
    """Changes of the joints (7) that move the tip by step (3) and turn it by the rotation vector turn (3)."""
    _, _, jacobian = tip(q)
    damped = jacobian @ jacobian.T + 1e-6 * np.eye(6)
    change: Array = jacobian.T @ np.linalg.solve(damped, np.concatenate([step, turn]))
    return change


class Hand:
    """The Panda's hand as a scripted controller moves it, by the actions of the task: increments of the
    tip's pose (`hand`, six values) or of the joints' targets (seven), and of the fingers' target."""

    def __init__(self, layout: dict[str, slice]) -> None:
        self.layout = layout
        self.by_pose = "hand.goal_position" in layout

    def pose(self, observation: Array) -> tuple[Array, Array]:
        """Where the actions have put the tip: position (3), axes (3 x 3)."""
        if self.by_pose:
            return (
                observation[self.layout["hand.goal_position"]],
                axes_of(observation[self.layout["hand.goal_orientation"]]),
            )
        position, axes, _ = tip(observation[self.layout["joints.target"]][:7])
        return position, axes

    def tip(self, observation: Array) -> Array:
        """Where the tip is."""
        return observation[self.layout["tip"]]

    def fingers(self, observation: Array) -> tuple[Array, Array]:
        """Position (1) and target (1) of the fingers, from the middle [m]."""
        target = "fingers.target" if self.by_pose else "joints.target"
        return observation[self.layout["arm.joints"]][-1:], observation[self.layout[target]][-1:]

    def action(self, observation: Array, step: Array, turn: Array, fingers: Array) -> Array:
        """Moves the tip by step (3) [m], turns it by a rotation vector (3) [rad], the fingers by a change (1) [m]."""
        if self.by_pose:
            return np.concatenate([step, turn, fingers])
        joints = observation[self.layout["joints.target"]][:7]
        return np.concatenate([increments(joints, step, turn), fingers])


def axes_of(quaternion: Array) -> Array:
    """Axes (3 x 3) of an orientation (w, x, y, z)."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def down(yaw: float) -> Array:
    """Axes of a hand that points down, its fingers along y turned by yaw about z."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, s, 0.0], [s, -c, 0.0], [0.0, 0.0, -1.0]])


def toward(start: Array, end: Array, gain: float, most: float) -> Array:
    """A fraction of the path from start to end, no longer than most."""
    step = gain * (end - start)
    length = float(np.linalg.norm(step))
    return step if length <= most else step * (most / length)
