"""Problem: one contact problem A v = b + Jc' lambda, built, read, solved, certified and written; and Solver."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cond._cond import ffi, lib
from cond.errors import BadArgument, check, fail, new_error
from cond.memory import (
    HDF5,
    Array,
    Path,
    disown,
    doubles,
    ints,
    new_lock,
    numbers,
    own,
    path_bytes,
    target,
    text,
    vector,
    vector_or_null,
    view,
)
from cond.names import Handle, Sealed, choice, expected, suggestion
from cond.structs import BlockKind, Certificate, FclibLayout, ForceSet, Law, SolveInfo, SolverSettings

Side = tuple[ArrayLike, ArrayLike | None]
"""Coordinates of one side of a contact, and J (3 x n) by which they move its point; None: a node of three."""


def laws_of(law: Law | str | int) -> int:
    return int(choice(Law, law, "law"))


class Problem(Sealed):
    """A is a sum of blocks, one per body, in the order of the coordinates, and of couplings J' K J between them. A
    contact has one or two sides: u = R (J0 v - J1 v) + phi, in the order normal, tangent 1, tangent 2, and lambda is
    the force on side 0 [N].

        problem = cond.Problem(b)
        problem.add_dense(A)
        problem.add_contact([([0, 1, 2], None)], frame=np.eye(3), friction=0.5)
        v, force, info = problem.solve()
        problem.certify(v, force).contact
    """

    __slots__ = ("__weakref__", "_b", "_blocks", "_contacts", "_couplings", "_file", "_keep", "_lists", "_made")

    def __init__(self, b: ArrayLike) -> None:
        """A problem without blocks yet; b: right-hand side [N, N m] (n_dof)."""
        self._b = np.array(b, np.float64).reshape(-1)
        self._blocks: list[Any] = []
        self._couplings: list[Any] = []
        self._contacts: list[Any] = []
        self._keep: list[Any] = []
        self._made: Any = None
        self._file: Any = None

    # Building.

    def _begin_block(self, kind: BlockKind, n: int) -> Any:
        begin = sum(block.n_dof for block in self._blocks)
        block = self._add(self._blocks, "CondBlock*")
        block.kind, block.dof_begin, block.n_dof = int(kind), begin, n
        return block

    def _add(self, where: list[Any], kind: str) -> Any:
        if self._file is not None:
            raise BadArgument("a problem that was read from a file is as it is")
        self._made = None
        where.append(ffi.new(kind))
        return where[-1]

    def _hold(self, array: NDArray[Any]) -> Any:
        """Pointer to an array that lives as long as the problem."""
        copy = np.array(array, order="C")
        self._keep.append(copy)
        return doubles(copy) if copy.dtype == np.float64 else ints(copy)

    def add_dense(self, values: ArrayLike) -> None:
        """A dense symmetric block (n x n)."""
        A = np.array(values, np.float64, ndmin=2)
        if A.ndim != 2 or A.shape[0] != A.shape[1]:
            raise BadArgument(f"a block is square, not {A.shape}")
        self._begin_block(BlockKind.DENSE, A.shape[0]).values = self._hold(A)

    def add_sparse(self, data: ArrayLike, indices: ArrayLike, indptr: ArrayLike) -> None:
        """A symmetric block by compressed rows with ascending columns, the full pattern: the arrays of scipy's CSR
        matrices."""
        rows, values = np.asarray(indptr, np.int32), np.asarray(data, np.float64)
        columns = np.asarray(indices, np.int32)
        self._check_rows(rows, columns, values.reshape(-1, 1), rows.size - 1)
        block = self._begin_block(BlockKind.SPARSE, rows.size - 1)
        block.values, block.row_begin, block.column = self._hold(values), self._hold(rows), self._hold(columns)

    def add_bsr3(self, data: ArrayLike, indices: ArrayLike, indptr: ArrayLike, position: ArrayLike | None = None
                 ) -> None:
        """The same in 3x3 blocks (data: n x 3 x 3), as of scipy's BSR matrices; position: of the nodes [m]."""
        rows, values = np.asarray(indptr, np.int32), np.asarray(data, np.float64).reshape(-1, 9)
        columns = np.asarray(indices, np.int32)
        n_node = rows.size - 1
        self._check_rows(rows, columns, values, n_node)
        block = self._begin_block(BlockKind.BSR3, 3 * n_node)
        block.values, block.row_begin, block.column = self._hold(values), self._hold(rows), self._hold(columns)
        if position is not None:
            block.position = self._hold(numbers(position, (n_node, 3), "position"))

    def add_tridiagonal(self, values: ArrayLike) -> None:
        """6x6 blocks on the diagonal and beside it (n x 18): a row has the columns of three blocks of six."""
        A = np.asarray(values, np.float64)
        if A.ndim != 2 or A.shape[1] != lib.COND_TRIDIAGONAL_ROW or A.shape[0] % 6:
            raise BadArgument(f"values: expected the shape (6 k, {lib.COND_TRIDIAGONAL_ROW}), not {A.shape}")
        self._begin_block(BlockKind.TRIDIAGONAL, A.shape[0]).values = self._hold(A)

    @staticmethod
    def _check_rows(rows: NDArray[np.int32], columns: NDArray[np.int32], values: Array, n: int) -> None:
        sound = n >= 1 and rows[0] == 0 and np.all(np.diff(rows) >= 0) and rows[-1] == columns.size == len(values)
        if not sound or (columns.size and (columns.min() < 0 or columns.max() >= n)):
            raise BadArgument("indptr, indices and data do not fit each other")

    def add_coupling(self, coordinates: ArrayLike, jacobian: ArrayLike, gain: ArrayLike) -> None:
        """Adds J' K J to A, K symmetric and positive semi-definite."""
        which = np.array(coordinates, np.int32).reshape(-1)
        K = np.array(gain, np.float64, ndmin=2)
        J = numbers(np.array(jacobian, np.float64, ndmin=2), (K.shape[0], which.size), "jacobian")
        numbers(K, (K.shape[0], K.shape[0]), "gain")
        coupling = self._add(self._couplings, "CondCoupling*")
        coupling.n_row, coupling.n_coordinate = K.shape[0], which.size
        coupling.coordinate, coupling.jacobian = self._hold(which), self._hold(J)
        coupling.gain = self._hold(K)

    def add_contact(self, sides: Sequence[Side], *, frame: ArrayLike = ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
                    friction: ArrayLike = 0.0, phi: ArrayLike = (0.0, 0.0, 0.0), kv: float = np.inf, key: int = 0,
                    bound: ArrayLike | None = None, compliance: float = 0.0) -> int:
        """A contact of one side with static ground, or of two. frame: rows normal (towards side 0), tangent 1, tangent
        2. friction: one number, or two along the tangents. bound: the force is no cone but an interval along the first
        row of the frame. Returns its number."""
        if not 1 <= len(sides) <= 2:
            raise BadArgument("a contact has one side or two")
        contact = self._add(self._contacts, "CondContact*")
        for side, (coordinates, jacobian) in zip(contact.side, sides, strict=False):
            which = np.array(coordinates, np.int32).reshape(-1)
            side.n_coordinate, side.coordinate = which.size, self._hold(which)
            if jacobian is not None:
                side.jacobian = self._hold(numbers(jacobian, (3, which.size), "jacobian"))
        contact.frame = list(map(float, np.asarray(frame, np.float64).reshape(9)))
        contact.friction = list(map(float, np.broadcast_to(np.asarray(friction, np.float64), (2,))))
        contact.phi = list(map(float, np.asarray(phi, np.float64).reshape(3)))
        contact.kv, contact.key, contact.compliance = kv, key, compliance
        if bound is not None:
            contact.set = int(ForceSet.INTERVAL)
            contact.bound = list(map(float, np.asarray(bound, np.float64).reshape(2)))
        return len(self._contacts) - 1

    @property
    def pointer(self) -> Any:
        """The problem for a function of the library; sizes and numbers are checked when it is first made."""
        if self._made is None:
            made = ffi.new("CondProblem*")
            lists = []
            for field, kind, items in (("block", "CondBlock", self._blocks),
                                       ("coupling", "CondCoupling", self._couplings),
                                       ("contact", "CondContact", self._contacts)):
                place = ffi.new(f"{kind}[]", max(1, len(items)))
                for i, item in enumerate(items):
                    place[i] = item[0]
                setattr(made, field, place)
                setattr(made, "n_" + field, len(items))
                lists.append(place)
            made.n_dof, made.b = self._b.size, doubles(self._b)
            error = new_error()
            check(lib.cond_problem_check(ffi.NULL, made, error), error)
            self._lists, self._made = lists, made
        return self._made

    def check(self) -> None:
        """Sizes, indices, finite numbers, symmetry, positive diagonals, orthonormal frames; the first fault raises."""
        error = new_error()
        check(lib.cond_problem_check(ffi.NULL, self.pointer, error), error)

    @classmethod
    def copy_of(cls, c: Any) -> Problem:
        """A problem of its own with the numbers of a CondProblem."""
        made = cls(view(c.b, (c.n_dof,), None))
        for i in range(c.n_block):
            block, n = c.block[i], c.block[i].n_dof
            if block.kind == BlockKind.DENSE:
                made.add_dense(view(block.values, (n, n), None))
            elif block.kind == BlockKind.TRIDIAGONAL:
                made.add_tridiagonal(view(block.values, (n, lib.COND_TRIDIAGONAL_ROW), None))
            else:
                n_row = n if block.kind == BlockKind.SPARSE else n // 3
                rows = view(block.row_begin, (n_row + 1,), None)
                columns = view(block.column, (int(rows[-1]),), None)
                if block.kind == BlockKind.SPARSE:
                    made.add_sparse(view(block.values, (int(rows[-1]),), None), columns, rows)
                else:
                    known = block.position != ffi.NULL
                    made.add_bsr3(view(block.values, (int(rows[-1]), 9), None), columns, rows,
                                  view(block.position, (n_row, 3), None) if known else None)
        for i in range(c.n_coupling):
            k = c.coupling[i]
            made.add_coupling(view(k.coordinate, (k.n_coordinate,), None),
                              view(k.jacobian, (k.n_row, k.n_coordinate), None),
                              view(k.gain, (k.n_row, k.n_row), None))
        for i in range(c.n_contact):
            t = c.contact[i]
            sides: list[Side] = []
            for side in t.side:
                if side.n_coordinate:
                    n = side.n_coordinate
                    sides.append((view(side.coordinate, (n,), None),
                                  None if side.jacobian == ffi.NULL else view(side.jacobian, (3, n), None)))
            made.add_contact(sides, frame=list(t.frame), friction=list(t.friction), phi=list(t.phi), kv=t.kv, key=t.key,
                             bound=list(t.bound) if t.set == ForceSet.INTERVAL else None, compliance=t.compliance)
        return made

    # Files.

    @classmethod
    def read(cls, path: Path) -> Problem:
        """Reads a global or a local problem in the FCLib layout (HDF5)."""
        made, error = ffi.new("CondProblemFile**"), new_error()
        with HDF5:
            check(lib.cond_fclib_read(ffi.NULL, path_bytes(path), made, error), error)
        problem = cls(())
        problem._file = own(made[0], lib.cond_problem_file_destroy)
        problem._made = lib.cond_problem_file_problem(problem._file)
        return problem

    def write(self, path: Path, *, title: str = "", v: ArrayLike | None = None, force: ArrayLike | None = None,
              layout: FclibLayout | str = FclibLayout.TRIPLET) -> None:
        """Writes an FCLib global problem; with v and force also the solution."""
        error = new_error()
        lam = None if force is None else numbers(force, (self.n_contact, 3), "force")
        with HDF5:
            kind = int(choice(FclibLayout, layout, "layout"))
            check(lib.cond_fclib_write(ffi.NULL, path_bytes(path), self.pointer, kind, title.encode(),
                                       vector_or_null(v, self.n_dof, "v"), doubles(lam), error), error)

    @property
    def title(self) -> str:
        """Of the file it was read from."""
        return "" if self._file is None else text(lib.cond_problem_file_title(self._file))

    @property
    def description(self) -> str:
        """Of the file it was read from."""
        return "" if self._file is None else text(lib.cond_problem_file_description(self._file))

    @property
    def local(self) -> bool:
        """Whether the file held a local problem (W, q)."""
        return self._file is not None and bool(lib.cond_problem_file_local(self._file))

    # Looking at it.

    @property
    def n_dof(self) -> int:
        """How many velocity coordinates it has."""
        return int(self.pointer.n_dof)

    @property
    def n_contact(self) -> int:
        """How many contacts it has."""
        return int(self.pointer.n_contact)

    @property
    def b(self) -> Array:
        """Right-hand side (n_dof); read-only."""
        return view(self.pointer.b, (self.n_dof,), self)

    def multiply(self, x: ArrayLike, out: Any = None) -> Array:
        """A x"""
        y = target(out, (self.n_dof,), "y")
        lib.cond_problem_multiply(self.pointer, vector(x, self.n_dof, "x"), doubles(y))
        return y

    def diagonal(self) -> Array:
        """Of A (n_dof)."""
        d = np.empty(self.n_dof)
        lib.cond_problem_diagonal(self.pointer, doubles(d))
        return d

    def matrix(self) -> Array:
        """A, dense (n_dof x n_dof)."""
        columns = [self.multiply(unit) for unit in np.eye(self.n_dof)]
        A: Array = np.array(columns).reshape(self.n_dof, self.n_dof).T
        return A

    def jacobian(self) -> Array:
        """Jc, dense: u = Jc v + phi (3 n_contact x n_dof)."""
        J = np.zeros((self.n_contact, 3, self.n_dof))
        for i in range(self.n_contact):
            for k, unit in enumerate(np.eye(3)):
                lib.cond_contact_add_force(self.pointer.contact + i, 1.0, doubles(unit), doubles(J[i, k]))
        return J.reshape(3 * self.n_contact, self.n_dof)

    def contact_velocity(self, v: ArrayLike) -> Array:
        """u of all contacts (n_contact x 3)."""
        given = numbers(v, (self.n_dof,), "v")
        u = np.empty((self.n_contact, 3))
        for i in range(self.n_contact):
            lib.cond_contact_velocity(self.pointer.contact + i, doubles(given), doubles(u[i]))
        return u

    def delassus(self) -> Array:
        """The scale of each contact's Delassus block [m/(N s)] (n_contact)."""
        d = self.diagonal()
        contact = self.pointer.contact
        return np.array([lib.cond_contact_delassus(contact + i, doubles(d)) for i in range(self.n_contact)], np.float64)

    def virtual_sides(self) -> NDArray[np.int32]:
        """Sides of each contact that get a virtual node (n_contact)."""
        out = np.zeros(self.n_contact, np.int32)
        check(lib.cond_problem_virtual_sides(ffi.NULL, self.pointer, ints(out)), what="virtual sides")
        return out

    # Solving and certifying.

    def solve(self, settings: SolverSettings | None = None, *, solver: str = "strategy", v: ArrayLike | None = None,
              force: ArrayLike | None = None) -> tuple[Array, Array, SolveInfo]:
        """v (n_dof), forces (n_contact x 3) and how it went; v and force: where to start from."""
        return Solver(solver, settings).solve(self, v=v, force=force)

    def certify(self, v: ArrayLike, force: ArrayLike, *, law: Law | str | int = Law.STRICT, omega: float = 0.0,
                relaxed: ArrayLike | None = None) -> Certificate:
        """How well v and the forces solve the problem, from its data alone. relaxed: contacts held to the proximal
        law."""
        certificate = Certificate()
        given, lam = numbers(v, (self.n_dof,), "v"), numbers(force, (self.n_contact, 3), "force")
        if relaxed is None:
            status = lib.cond_certify(ffi.NULL, self.pointer, laws_of(law), omega, doubles(given), doubles(lam),
                                      certificate.pointer)
        else:
            which = np.ascontiguousarray(relaxed, np.int32)
            if which.shape != (self.n_contact,):
                raise BadArgument(f"relaxed: expected the shape {(self.n_contact,)}, not {which.shape}")
            status = lib.cond_certify_relaxed(ffi.NULL, self.pointer, laws_of(law), omega, ints(which), doubles(given),
                                              doubles(lam), certificate.pointer)
        check(status, what="certificate")
        return certificate

    def solve_contactless(self, tolerance: float = 1e-8, max_products: int = 10000,
                          threads: int = 1) -> tuple[Array, int]:
        """A v = b with all contacts left out, by conjugate gradients: v and the products with A that it took."""
        v, products = np.zeros(self.n_dof), ffi.new("int*")
        status = lib.cond_contactless_solve(ffi.NULL, self.pointer, tolerance, max_products, threads, doubles(v),
                                            products, ffi.NULL)
        check(status, what="conjugate gradients")
        return v, int(products[0])

    def contact_errors(self, v: ArrayLike, force: ArrayLike, *, law: Law | str | int = Law.STRICT,
                       omega: float = 0.0) -> Array:
        """The law error of each contact [m/s, rad/s] (n_contact)."""
        out = np.empty(self.n_contact)
        given, lam = numbers(v, (self.n_dof,), "v"), numbers(force, (self.n_contact, 3), "force")
        check(lib.cond_certify_contacts(ffi.NULL, self.pointer, laws_of(law), omega, doubles(given), doubles(lam),
                                        doubles(out)), what="certificate")
        return out

    def __copy__(self) -> Problem:
        return self.copy_of(self.pointer)

    def __deepcopy__(self, memo: dict[int, Any]) -> Problem:
        return self.copy_of(self.pointer)

    def __reduce__(self) -> Any:
        raise TypeError("a cond.Problem goes to another process as a file: problem.write(path) here, "
                        "cond.Problem.read(path) there")

    def __repr__(self) -> str:
        return f"<cond.Problem: {self.n_dof} coordinates, {self.n_contact} contacts>"


def residual(certificate: Certificate) -> float:
    """The larger of dynamics and contact: the one number that a tolerance bounds."""
    return float(lib.cond_certificate_residual(Certificate.given(certificate, "certificate")))


def solver_names() -> tuple[str, ...]:
    """The solvers that there are."""
    names: list[str] = []
    while (name := lib.cond_solver_name(len(names))) != ffi.NULL:
        names.append(text(name))
    return tuple(names)


class Solver(Handle):
    """A velocity solver: a workspace for one thread, which grows to the largest problem seen."""

    __slots__ = ("_lock", "_n_contact")

    def __init__(self, name: str = "strategy", settings: SolverSettings | None = None) -> None:
        if name not in solver_names():
            raise BadArgument(f"there is no solver {name!r}{suggestion(name, solver_names())}")
        made, error = ffi.new("CondSolver**"), new_error()
        used = SolverSettings() if settings is None else expected(settings, SolverSettings, "settings")
        check(lib.cond_solver_settings_check(used.pointer, error), error)
        check(lib.cond_solver_create(ffi.NULL, name.encode(), used.pointer, made, error), error)
        self._c = own(made[0], lib.cond_solver_destroy)
        self._lock = new_lock()
        self._n_contact = 0  # of the last problem

    def _own(self) -> Any:
        if self._c is None:
            raise BadArgument("the solver was given to a sim")
        return self._c

    def _give(self) -> Any:
        """The pointer for a sim to own."""
        handle, self._c = self._own(), None
        pointer = ffi.cast("CondSolver*", handle)
        disown(handle)
        return pointer

    def solve(self, problem: Problem, *, v: ArrayLike | None = None,
              force: ArrayLike | None = None) -> tuple[Array, Array, SolveInfo]:
        """v, forces and how it went. Where it misses its tolerance info.status says so."""
        info = SolveInfo()
        answer = np.zeros(problem.n_dof) if v is None else np.array(v, np.float64)
        lam = np.zeros((problem.n_contact, 3)) if force is None else np.array(force, np.float64)
        numbers(answer, (problem.n_dof,), "v")
        numbers(lam, (problem.n_contact, 3), "force")
        with self._lock:
            status = lib.cond_solver_solve(self._own(), problem.pointer, doubles(answer), doubles(lam), info.pointer)
            self._n_contact = problem.n_contact
        if status < 0:
            raise fail(status)
        return answer, lam, info

    @property
    def history(self) -> Array:
        """Step lengths of the last solve, one per iteration of V-FPI, copied."""
        n = ffi.new("int*")
        pointer = lib.cond_solver_history(self._own(), n)
        copy: Array = view(pointer, (n[0],), None).copy()
        return copy

    @property
    def relaxed(self) -> NDArray[np.int32]:
        """Numbers of the contacts that the last solve held to the proximal law; empty: none."""
        n = ffi.new("int*")
        pointer = lib.cond_solver_relaxed(self._own(), n)
        if pointer == ffi.NULL:
            return np.zeros(0, np.int32)
        marks = view(pointer, (self._n_contact,), None)
        return np.flatnonzero(marks).astype(np.int32)

    def reset(self) -> None:
        """Forgets what earlier solves left behind to be used again."""
        with self._lock:
            lib.cond_solver_reset(self._own())
