#!/usr/bin/env python3
"""Draws the amplification of spectral damping, docs/pictures/spectral.svg, and prints the table of docs/integrators.md.

A mode of frequency om makes a factor of z a step, the roots of the cubic in docs/integrators.md.

    python3 tools/plot_spectral.py [--check]
"""

import math
import os
import sys

PICTURE = os.path.join(os.path.dirname(__file__), "..", "docs", "pictures", "spectral.svg")
DAMPINGS = (0.0, 0.3, 1.0)
COLOURS = ("#888888", "#1f77b4", "#d62728")
WIDTH, HEIGHT, LEFT, TOP = 640, 320, 60, 20


def multiply(a, b):
    product = [0.0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return product


def roots(coefficients):
    """Roots of a polynomial, highest power first, by the method of Durand and Kerner."""
    n = len(coefficients) - 1
    z = [(0.4 + 0.9j) ** k for k in range(n)]
    for _ in range(1000):
        for i in range(n):
            value = 0.0
            for c in coefficients:
                value = value * z[i] + c / coefficients[0]
            for j in range(n):
                if j != i:
                    value /= z[i] - z[j] if z[i] != z[j] else 1e-12
            z[i] -= value
    return z


def radius(wave, damping):
    """The largest factor of a step for om t = wave."""
    m, g = damping / 3.0, damping / 16.0
    inertia = multiply([1.0, -2.0, 1.0], [1.0 - m / 2.0, -m / 2.0])
    stiffness = multiply([0.5 + g, 0.5 - 2.0 * g, g], [0.5, 0.5 - m])
    return max(abs(z) for z in roots([a + wave * wave * b for a, b in zip(inertia, stiffness)]))


def place(wave, factor):
    x = LEFT + (WIDTH - LEFT - 20) * (math.log10(wave) + 1.0) / 4.0
    return x, TOP + (HEIGHT - TOP - 40) * (1.0 - factor)


def curve(colour, name, factor_of, label):
    points = [place(10.0 ** (-1.0 + i / 20.0), factor_of(10.0 ** (-1.0 + i / 20.0))) for i in range(81)]
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[label]
    return (
        f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{x + 6:.1f}" y="{y - 6:.1f}" fill="{colour}">{name}</text>'
    )


def picture():
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for decade in range(-1, 4):
        x, bottom = place(10.0**decade, 0.0)
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="#dddddd"/>')
        lines.append(f'<text x="{x - 10:.1f}" y="{bottom + 18:.1f}">{10.0**decade:g}</text>')
    for fifth in range(6):
        left, y = place(0.1, fifth / 5.0)
        right, _ = place(1000.0, 0.0)
        lines.append(f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        lines.append(f'<text x="{left - 28:.1f}" y="{y + 4:.1f}">{fifth / 5.0:.1f}</text>')
    lines.append(f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 6}">om t</text>')
    for damping, colour, label in zip(DAMPINGS, COLOURS, (70, 60, 50)):
        lines.append(curve(colour, f"damping {damping:g}", lambda wave, d=damping: radius(wave, d), label))
    lines.append(curve("#2ca02c", "implicit Euler", lambda wave: 1.0 / math.hypot(1.0, wave), 36))
    return "\n".join(lines) + "\n</svg>\n"


def main():
    text = picture()
    if "--check" in sys.argv:
        with open(PICTURE, encoding="utf-8") as file:
            return 0 if file.read() == text else 1
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(text)
    for damping in (0.0, 0.1, 0.3, 0.6, 1.0):
        row = " | ".join(f"{radius(wave, damping):.4f}" for wave in (0.1, 0.3, 1.0, 3.0, 10.0, 100.0))
        print(f"| {damping:g} | {row} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
