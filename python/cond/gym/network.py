"""Network: a small network that is trained with NumPy alone."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cond.gym.learning import Floats


class Network:
    """Layers W x + b with max(0, .) between them, for rows x, and the gradient method of Adam (Kingma and Ba 2015).

        network = cond.gym.Network([n, 128, 128, m], np.random.default_rng(0))
        outputs = network.run(x)                        # (len(x), m)
        network.learn(x, lambda y: (y - wanted) / len(x), rate=1e-3)

    `layers` are pairs of W and b, as cond.gym.Policy takes them."""

    decay = (0.9, 0.999)  # of the means of the gradients and of their squares

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator, last: float = 0.1) -> None:
        """Weights by chance, uniform with the variance 2 / n for layers of n inputs; those of the last layer are
        multiplied by `last`, so that outputs begin near 0."""
        self.layers: list[tuple[Floats, Floats]] = []
        for k, (n, m) in enumerate(pairwise(sizes)):
            most = np.sqrt(6.0 / n) * (last if k == len(sizes) - 2 else 1.0)
            self.layers.append((rng.uniform(-most, most, (m, n)).astype(np.float32), np.zeros(m, np.float32)))
        self._moments: list[tuple[Floats, Floats]] = []
        self._count = 0

    def _values(self, x: Floats) -> list[Floats]:
        """Inputs of all layers, and the outputs."""
        values = [x]
        for k, (w, b) in enumerate(self.layers):
            y = values[-1] @ w.T + b
            values.append(np.maximum(y, np.float32(0.0)) if k < len(self.layers) - 1 else y)
        return values

    def run(self, x: Floats) -> Floats:
        """Outputs for rows of inputs."""
        return self._values(x)[-1]

    def gradient(self, x: Floats, slope: Any) -> list[Floats]:
        """Derivatives of a loss by all weights, W and b of each layer in turn; slope(outputs) is the derivative of the
        loss by the outputs (rows x outputs)."""
        values = self._values(x)
        d = np.asarray(slope(values[-1]), np.float32)
        found: list[Floats] = []
        for k in reversed(range(len(self.layers))):
            found += [d.sum(axis=0), d.T @ values[k]]
            if k > 0:
                d = (d @ self.layers[k][0]) * (values[k] > 0.0)
        return found[::-1]

    def learn(self, x: Floats, slope: Any, rate: float) -> None:
        """One step against the gradient."""
        gradients = self.gradient(x, slope)
        if not self._moments:
            self._moments = [(np.zeros_like(g), np.zeros_like(g)) for g in gradients]
        self._count += 1
        first, second = (np.float32(1.0 - decay**self._count) for decay in self.decay)
        weights = [part for layer in self.layers for part in layer]
        for part, g, (mean, square) in zip(weights, gradients, self._moments, strict=True):
            mean += np.float32(1.0 - self.decay[0]) * (g - mean)
            square += np.float32(1.0 - self.decay[1]) * (g * g - square)
            part -= np.float32(rate) * (mean / first) / (np.sqrt(square / second) + np.float32(1e-8))
