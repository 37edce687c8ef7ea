"""Mesh: tetrahedra and surfaces, made, read, checked and written."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, new_error
from cond.memory import Array, Path, own, path_bytes, vector_or_null, view
from cond.names import Handle
from cond.structs import MeshReport, MeshWriteSettings


def rows(name: str, values: ArrayLike, width: int, kind: Any) -> NDArray[Any]:
    """An array of rows of that width."""
    try:
        array = np.asarray(values)
        whole = kind is np.float64 or array.size == 0 or np.issubdtype(array.dtype, np.integer)
        array = np.asarray(array if array.size else np.empty((0, width)), kind)
    except (TypeError, ValueError):
        whole, array = False, np.empty(0)
    if not whole or array.ndim != 2 or array.shape[1] != width:
        what = "numbers" if kind is np.float64 else "whole numbers"
        raise BadArgument(f"{name}: expected {what} of the shape (n, {width}), not {values!r}")
    return array


class Mesh(Handle):
    """Nodes, tetrahedra and triangles. The arrays are those of the mesh and may be written to, but for their length.
    Scene.add_mesh makes bodies of it.

        mesh = cond.Mesh("ball:0.05:7,2")       # by a generator; or the path of a file in one of ten formats
        mesh = cond.Mesh.of(nodes, tets)
        shell = cond.Mesh.of(vertices, triangle=faces)
    """

    __slots__ = ()

    def __init__(self, source: Path) -> None:
        made, error = ffi.new("CondMesh**"), new_error()
        text = path_bytes(source)
        if lib.cond_mesh_is_recipe(text):
            check(lib.cond_mesh_make(ffi.NULL, text, made, error), error)
        else:
            check(lib.cond_mesh_read(ffi.NULL, text, made, ffi.NULL, error), error)
        self._c = own(made[0], lib.cond_mesh_destroy)

    @classmethod
    def _own(cls, pointer: Any) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._c = own(pointer, lib.cond_mesh_destroy)
        return mesh

    @classmethod
    def of(cls, node: ArrayLike, tet: ArrayLike = (), triangle: ArrayLike = ()) -> Mesh:
        """A mesh of one's own arrays, copied; without triangles the surface of the tetrahedra is made."""
        nodes = rows("node", node, 3, np.float64)
        for row, axis in np.argwhere(~np.isfinite(nodes))[:1]:
            raise BadArgument(f"node[{row}][{axis}] is {nodes[row, axis]}, expected a finite number")
        tets, triangles = rows("tet", tet, 4, np.int32), rows("triangle", triangle, 3, np.int32)
        for name, index in (("tet", tets), ("triangle", triangles)):
            for row in np.flatnonzero(((index < 0) | (index >= len(nodes))).any(axis=1))[:1]:
                raise BadArgument(f"{name}[{row}] is {index[row].tolist()}: there are nodes 0 to {len(nodes) - 1}")
        made, error = ffi.new("CondMesh**"), new_error()
        check(lib.cond_mesh_create(ffi.NULL, len(nodes), len(tets), len(triangles), made, error), error)
        mesh = cls._own(made[0])
        mesh.node[...], mesh.tet[...], mesh.triangle[...] = nodes, tets, triangles
        if len(tets) and not len(triangles):
            check(lib.cond_mesh_surface(mesh._c, error), error)
        return mesh

    def __reduce__(self) -> Any:
        return Mesh.of, (self.node.copy(), self.tet.copy(), self.triangle.copy())

    @property
    def node(self) -> Array:
        """Positions [m] (n_node x 3)"""
        return view(self._c.node, (self._c.n_node, 3), self._c, True)

    @property
    def tet(self) -> NDArray[np.int32]:
        """Nodes of the tetrahedra (n_tet x 4)"""
        return view(self._c.tet, (self._c.n_tet, 4), self._c, True)

    @property
    def triangle(self) -> NDArray[np.int32]:
        """Nodes of the surface (n_triangle x 3)"""
        return view(self._c.triangle, (self._c.n_triangle, 3), self._c, True)

    def boundary(self) -> Mesh:
        """The surface alone as a mesh of its own."""
        made, error = ffi.new("CondMesh**"), new_error()
        check(lib.cond_mesh_boundary(ffi.NULL, self._c, made, error), error)
        return Mesh._own(made[0])

    def hull(self) -> Mesh:
        """The convex hull of the nodes as a closed surface."""
        made, error = ffi.new("CondMesh**"), new_error()
        check(lib.cond_mesh_hull(self._c, made, error), error)
        return Mesh._own(made[0])

    def compact(self) -> None:
        """Removes the nodes that nothing uses."""
        error = new_error()
        check(lib.cond_mesh_compact(self._c, error), error)

    def transform(self, scale: float = 1.0, rotation: ArrayLike | None = None,
                  translation: ArrayLike | None = None) -> None:
        """x <- R (scale x) + translation; rotation (w, x, y, z)."""
        error = new_error()
        check(lib.cond_mesh_transform(self._c, scale, vector_or_null(rotation, 4, "rotation"),
                                      vector_or_null(translation, 3, "translation"), error), error)

    def check(self) -> MeshReport:
        """What the mesh is worth: angles, volumes, faults."""
        report, error = MeshReport(), new_error()
        check(lib.cond_mesh_check(ffi.NULL, self._c, report.pointer, error), error)
        return report

    def check_solid(self) -> None:
        """Raises where no solid body can be made of the mesh."""
        error = new_error()
        check(lib.cond_mesh_check_solid(ffi.NULL, self._c, error), error)

    def write(self, path: Path, settings: MeshWriteSettings | None = None) -> None:
        """In the format of the path's ending."""
        error = new_error()
        given = ffi.NULL if settings is None else MeshWriteSettings.given(settings, "settings")
        check(lib.cond_mesh_write(ffi.NULL, path_bytes(path), self._c, given, error), error)

    def __repr__(self) -> str:
        return f"<cond.Mesh: {self._c.n_node} nodes, {self._c.n_tet} tetrahedra, {self._c.n_triangle} triangles>"
