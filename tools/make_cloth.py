#!/usr/bin/env python3
"""Writes the meshes of sewn cloth that the scenes of scenes/cloth use: a shirt and a sack, as Wavefront OBJ.

    tools/make_cloth.py         both into scenes/cloth/
    tools/make_cloth.py DIR     into DIR

A shirt is cut on a grid of squares: a front and a back with sleeves, a little apart, joined along shoulders, sleeves
and sides, where both have the same nodes; neck, cuffs and hem are open. A sack is a tube with a round bottom."""
import math
import os
import sys


def write(path, comment, nodes, triangles):
    with open(path, "w") as file:
        file.write(f"# {comment}\n# Made by tools/make_cloth.py.\n")
        for x, y, z in nodes:
            file.write(f"v {x:.6g} {y:.6g} {z:.6g}\n")
        for a, b, c in triangles:
            file.write(f"f {a + 1} {b + 1} {c + 1}\n")


class Shirt:
    """Cells are squares of `cell` metres; x runs across the chest, y from the hem to the neck."""

    cell = 0.04
    gap = 0.004  # between front and back
    half = 5  # cells from the middle to a side
    length = 13  # from the hem to the shoulders
    sleeve = 4  # length of a sleeve
    cuff = 5  # its height
    neck = 2  # half of its width
    low = {"front": 2, "back": 1}  # its depth
    droop = 0.3  # of the sleeves, down over out

    def has(self, side, i, j):
        """Whether the panel has the cell from node (i, j) to (i + 1, j + 1)."""
        if not 0 <= j < self.length:
            return False
        if -self.neck <= i < self.neck and j >= self.length - self.low[side]:
            return False
        if -self.half <= i < self.half:
            return True
        return -self.half - self.sleeve <= i < self.half + self.sleeve and j >= self.length - self.cuff

    def is_seam(self, i, j):
        """Whether front and back share node (i, j)."""
        out, top = abs(i), j == self.length
        if top:
            return out >= self.neck  # shoulder and the upper side of the sleeve
        if out == self.half and j <= self.length - self.cuff:
            return True  # the side
        return out > self.half and j == self.length - self.cuff  # the lower side of the sleeve

    def place(self, side, i, j):
        x, y = i * self.cell, j * self.cell
        out = max(0.0, abs(i) - self.half) * self.cell
        z = 0.0 if self.is_seam(i, j) else 0.5 * self.gap * (1 if side == "front" else -1)
        return x, y - self.droop * out, z

    def make(self):
        number, nodes, triangles = {}, [], []

        def node(side, i, j):
            key = ("seam" if self.is_seam(i, j) else side, i, j)
            if key not in number:
                number[key] = len(nodes)
                nodes.append(self.place(side, i, j))
            return number[key]

        wide = self.half + self.sleeve
        for side in ("front", "back"):
            for i in range(-wide, wide):
                for j in range(self.length):
                    if not self.has(side, i, j):
                        continue
                    a, b, c, d = (node(side, *at) for at in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
                    # diagonals lean the same way on either side of the middle
                    cell = [(a, b, c), (a, c, d)] if i >= 0 else [(a, b, d), (b, c, d)]
                    triangles += cell if side == "front" else [(p, r, q) for p, q, r in cell]
        return nodes, triangles


def sack(radius, height, around, rows):
    """A tube of `rows` rows of cells on a bottom of rings, as many nodes around at all of them."""
    nodes, triangles = [(0.0, 0.0, 0.0)], []
    rings = around // 6  # of the bottom: 6 nodes on the first, 12 on the second
    for r in range(1, rings + 1):
        nodes += [(radius * r / rings * math.cos(t), radius * r / rings * math.sin(t), 0.0)
                  for t in (2 * math.pi * k / (6 * r) for k in range(6 * r))]

    def flat(ring, sector, step):
        if ring == 0:
            return 0
        return 1 + 3 * ring * (ring - 1) + (sector * ring + step) % (6 * ring)

    for r in range(1, rings + 1):
        for s in range(6):
            for k in range(r):
                triangles.append((flat(r, s, k), flat(r, s, k + 1), flat(r - 1, s, k)))
                if k > 0:
                    triangles.append((flat(r, s, k), flat(r - 1, s, k), flat(r - 1, s, k - 1)))
    around, rim = 6 * rings, 1 + 3 * rings * (rings - 1)
    for row in range(1, rows + 1):
        nodes += [(radius * math.cos(t), radius * math.sin(t), height * row / rows)
                  for t in (2 * math.pi * (k + 0.5 * row) / around for k in range(around))]
    # The outside is seen counter-clockwise, below and around.
    triangles = [(a, c, b) for a, b, c in triangles]
    for row in range(rows):
        for k in range(around):
            a, b = rim + row * around + k, rim + row * around + (k + 1) % around
            c, d = rim + (row + 1) * around + k, rim + (row + 1) * around + (k - 1) % around
            triangles += [(a, b, c), (a, c, d)]
    return nodes, triangles


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "scenes", "cloth")
    write(os.path.join(folder, "shirt.obj"), "A shirt with short sleeves, open at neck, cuffs and hem.",
          *Shirt().make())
    write(os.path.join(folder, "sack.obj"), "A sack, open at its upper end.", *sack(0.09, 0.24, 24, 10))


if __name__ == "__main__":
    main()
