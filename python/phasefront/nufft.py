"""Nonuniform fast Fourier transforms, with the names and conventions of FINUFFT.

========  =======================================  =========================================
type 1    ``f[k] = sum_j c[j] exp(±i k·x[j])``      from points to the modes of a box
type 2    ``c[j] = sum_k f[k] exp(±i k·x[j])``      from modes to points
type 3    ``f[k] = sum_j c[j] exp(±i s[k]·x[j])``   from points to any frequencies
========  =======================================  =========================================

Points are in radians; modes run from ``-(N // 2)`` up (``modeord=1``: FFT order). ``isign`` is the
sign of the exponent: by default +1, and -1 for type 2. Strengths of complex64 are transformed in
single precision. ``device`` is ``"cpu"`` by default: for data on the host, the transfer to a GPU
and back rarely pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .errors import wrong

__all__ = [
    "Plan",
    "nufft1d1", "nufft1d2", "nufft1d3",
    "nufft2d1", "nufft2d2", "nufft2d3",
    "nufft3d1", "nufft3d2", "nufft3d3",
]  # fmt: skip


class Plan:
    """A transform that is planned once and executed many times: :meth:`setpts`, then
    :meth:`execute`."""

    def __init__(
        self,
        nufft_type: int,
        n_modes_or_dim: int | tuple[int, ...],
        n_trans: int = 1,
        eps: float = 1e-6,
        isign: int | None = None,
        *,
        dtype: Any = np.complex128,
        modeord: int = 0,
        device: str = "cpu",
        deterministic: bool = False,
    ) -> None:
        if nufft_type not in (1, 2, 3):
            raise wrong(f"a transform of type {nufft_type}", "there are types 1, 2 and 3")
        if np.dtype(dtype) not in (np.complex64, np.complex128):
            raise wrong(f"a transform of {np.dtype(dtype)}", "give complex64 or complex128")
        if isinstance(n_modes_or_dim, (int, np.integer)):
            # For type 3 an integer is the number of dimensions, otherwise the modes of a 1-D
            # transform.
            n_modes_or_dim = (1,) * int(n_modes_or_dim) if nufft_type == 3 else (int(n_modes_or_dim),)
        self.type = nufft_type
        self.n_modes = tuple(int(n) for n in n_modes_or_dim)
        self.n_trans = n_trans
        self.dtype = np.dtype(dtype)
        positive = isign > 0 if isign is not None else nufft_type != 2
        self._sizes: tuple[int, tuple[int, ...]] | None = None
        # The last axis of a NumPy array is the fastest, but the first one on the Rust side.
        self._plan = _native.NufftPlan(
            nufft_type, list(self.n_modes[::-1]), eps, positive, modeord == 1, n_trans,
            self.dtype == np.complex64, device, deterministic,
        )  # fmt: skip

    def setpts(
        self,
        x: ArrayLike,
        y: ArrayLike | None = None,
        z: ArrayLike | None = None,
        s: ArrayLike | None = None,
        t: ArrayLike | None = None,
        u: ArrayLike | None = None,
    ) -> None:
        """Sets the points, and for type 3 the frequencies ``s``, ``t``, ``u``."""
        points = self._axes(x, y, z)
        frequencies = self._axes(s, t, u) if self.type == 3 else None
        self._plan.set_points(points, frequencies)
        self._sizes = len(points[0]), (len(frequencies[0]),) if frequencies else self.n_modes

    def _axes(self, *given: ArrayLike | None) -> list[NDArray[Any]]:
        real = np.float32 if self.dtype == np.complex64 else np.float64
        axes = [np.ascontiguousarray(axis, dtype=real).ravel() for axis in given if axis is not None]
        if len(axes) != len(self.n_modes):
            raise wrong(f"{len(axes)} axes of points for a transform in {len(self.n_modes)} dimensions", "give one for each")
        return axes[::-1]

    def execute(self, data: ArrayLike) -> NDArray[Any]:
        """The transform of strengths at the points (types 1 and 3), or of modes (type 2).

        With ``n_trans`` the first axis is the batch.
        """
        return self._execute(data, adjoint=False)

    def execute_adjoint(self, data: ArrayLike) -> NDArray[Any]:
        """The conjugate transpose of the same sums, with input and output exchanged."""
        return self._execute(data, adjoint=True)

    def _execute(self, data: ArrayLike, *, adjoint: bool) -> NDArray[Any]:
        if self._sizes is None:
            raise wrong("the plan has no points yet", "call setpts first")
        points, values = self._sizes
        shape = (points,) if (self.type == 2) != adjoint else values
        if self.n_trans > 1:
            shape = (self.n_trans, *shape)
        given = np.ascontiguousarray(data, dtype=self.dtype).ravel()
        return self._plan.execute(given, int(np.prod(shape)), adjoint).reshape(shape)


def _precision(data: ArrayLike) -> Any:
    return np.complex64 if np.asarray(data).dtype in (np.complex64, np.float32) else np.complex128


def _from_points(
    points: list[ArrayLike], c: ArrayLike, n_modes: int | tuple[int, ...], eps: float, isign: int, options: dict[str, Any]
) -> NDArray[Any]:
    count = np.asarray(points[0]).size
    plan = Plan(1, n_modes, max(1, np.asarray(c).size // max(count, 1)), eps, isign, dtype=_precision(c), **options)
    plan.setpts(*points)
    return plan.execute(c)


def _to_points(points: list[ArrayLike], f: ArrayLike, eps: float, isign: int, options: dict[str, Any]) -> NDArray[Any]:
    f = np.asarray(f)
    batch, n_modes = (f.shape[0], f.shape[1:]) if f.ndim > len(points) else (1, f.shape)
    plan = Plan(2, n_modes, batch, eps, isign, dtype=_precision(f), **options)
    plan.setpts(*points)
    return plan.execute(f)


def _to_frequencies(
    points: list[ArrayLike], c: ArrayLike, s: list[ArrayLike], eps: float, isign: int, options: dict[str, Any]
) -> NDArray[Any]:
    count = np.asarray(points[0]).size
    plan = Plan(3, len(points), max(1, np.asarray(c).size // max(count, 1)), eps, isign, dtype=_precision(c), **options)
    plan.setpts(**dict(zip("xyz", points)), **dict(zip("stu", s)))
    return plan.execute(c)


def nufft1d1(x: ArrayLike, c: ArrayLike, n_modes: int, *, eps: float = 1e-6, isign: int = 1, **options: Any) -> NDArray[Any]:
    """Type 1 in one dimension; ``options`` are those of :class:`Plan`."""
    return _from_points([x], c, n_modes, eps, isign, options)


def nufft1d2(x: ArrayLike, f: ArrayLike, *, eps: float = 1e-6, isign: int = -1, **options: Any) -> NDArray[Any]:
    """Type 2 in one dimension."""
    return _to_points([x], f, eps, isign, options)


def nufft1d3(
    x: ArrayLike, c: ArrayLike, s: ArrayLike, *, eps: float = 1e-6, isign: int = 1, **options: Any
) -> NDArray[Any]:
    """Type 3 in one dimension."""
    return _to_frequencies([x], c, [s], eps, isign, options)


def nufft2d1(
    x: ArrayLike, y: ArrayLike, c: ArrayLike, n_modes: tuple[int, int], *, eps: float = 1e-6, isign: int = 1, **options: Any
) -> NDArray[Any]:
    """Type 1 in two dimensions: ``n_modes[0]`` belongs to ``x``."""
    return _from_points([x, y], c, n_modes, eps, isign, options)


def nufft2d2(
    x: ArrayLike, y: ArrayLike, f: ArrayLike, *, eps: float = 1e-6, isign: int = -1, **options: Any
) -> NDArray[Any]:
    """Type 2 in two dimensions: the first axis of ``f`` belongs to ``x``."""
    return _to_points([x, y], f, eps, isign, options)


def nufft2d3(
    x: ArrayLike, y: ArrayLike, c: ArrayLike, s: ArrayLike, t: ArrayLike,
    *, eps: float = 1e-6, isign: int = 1, **options: Any,
) -> NDArray[Any]:  # fmt: skip
    """Type 3 in two dimensions."""
    return _to_frequencies([x, y], c, [s, t], eps, isign, options)


def nufft3d1(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, n_modes: tuple[int, int, int],
    *, eps: float = 1e-6, isign: int = 1, **options: Any,
) -> NDArray[Any]:  # fmt: skip
    """Type 1 in three dimensions."""
    return _from_points([x, y, z], c, n_modes, eps, isign, options)


def nufft3d2(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, f: ArrayLike, *, eps: float = 1e-6, isign: int = -1, **options: Any
) -> NDArray[Any]:
    """Type 2 in three dimensions."""
    return _to_points([x, y, z], f, eps, isign, options)


def nufft3d3(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike, s: ArrayLike, t: ArrayLike, u: ArrayLike,
    *, eps: float = 1e-6, isign: int = 1, **options: Any,
) -> NDArray[Any]:  # fmt: skip
    """Type 3 in three dimensions."""
    return _to_frequencies([x, y, z], c, [s, t, u], eps, isign, options)
