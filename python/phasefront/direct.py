"""Solvers on arrays in memory, without a case file. Angles are in degrees, all other quantities in
SI units."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from .errors import wrong
from .progress import ProgressLike, listener

__all__ = ["Hologram", "Rcs", "echo_width", "holography", "rcs"]

AIR = (343.2, 1.204)
"""Speed of sound in m/s and density in kg/m³, at 20 °C."""


@dataclass(frozen=True)
class Rcs:
    """Scattering amplitudes in meters, with the axes of the frequencies before the directions.

    The first letter is the receiver's polarization, the second the transmitter's: v along theta, h
    along phi.
    """

    vv: NDArray[np.complex128]
    vh: NDArray[np.complex128]
    hv: NDArray[np.complex128]
    hh: NDArray[np.complex128]

    def sigma(self, polarization: str = "vv") -> NDArray[np.float64]:
        """Radar cross section, m²."""
        amplitude: NDArray[np.complex128] = getattr(self, polarization)
        return 4 * np.pi * np.abs(amplitude) ** 2

    def dbsm(self, polarization: str = "vv") -> NDArray[np.float64]:
        """The same in dB over a square meter."""
        with np.errstate(divide="ignore"):
            levels: NDArray[np.float64] = 10 * np.log10(self.sigma(polarization))
        return levels


def rcs(
    vertices: ArrayLike,
    faces: ArrayLike,
    frequency: ArrayLike,
    theta: ArrayLike,
    phi: ArrayLike,
    *,
    receiver: tuple[ArrayLike, ArrayLike] | None = None,
    bounces: int | Literal["auto"] = "auto",
    edges: Literal["none", "ptd", "truncated"] = "none",
    tube_width: float = 0.1,
    surface: Literal["interpolated", "facets"] = "interpolated",
    device: str = "auto",
    deterministic: bool = False,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> Rcs:
    """Radar cross section of a conducting mesh, by shooting and bouncing rays.

    ``vertices`` is (n, 3) in meters, ``faces`` is (m, 3) with indices into it. Directions point
    from the target to the radar: ``theta`` from +z and ``phi`` from +x, in degrees, broadcast
    against each other. ``receiver`` gives theta and phi of the receiver of a bistatic radar.
    ``frequency`` is in Hz. The other arguments are described in docs/sbr.md. The mesh is repaired
    like one from a file.
    """
    vertices = _rows(vertices, 3, "vertices", np.float64)
    faces = np.asarray(faces)
    if faces.size and (faces.dtype.kind not in "iu" or faces.min() < 0 or faces.max() >= len(vertices)):
        raise wrong(f"faces must hold positions of the {len(vertices)} vertices, from 0", "give integers below that")
    _one_of("edges", edges, ("none", "ptd", "truncated"))
    _one_of("surface", surface, ("interpolated", "facets"))
    incident = np.broadcast_arrays(theta, phi, *(receiver or ()))
    aspects = np.stack([np.radians(np.asarray(angle, dtype=np.float64)).ravel() for angle in incident], axis=1)
    aspects = np.concatenate([aspects, aspects], axis=1) if receiver is None else aspects
    frequencies = np.asarray(frequency, dtype=np.float64)
    amplitudes, told = _native.rcs(
        vertices, _rows(faces, 3, "faces", np.uint32), frequencies.ravel().tolist(), np.ascontiguousarray(aspects),
        None if bounces == "auto" else bounces, tube_width, edges, surface, device, deterministic, threads, listener(progress),
    )  # fmt: skip
    _warn(told)
    shape = frequencies.shape + incident[0].shape
    return Rcs(*(amplitudes[..., i].reshape(shape) for i in range(4)))


def echo_width(
    points: ArrayLike,
    frequency: ArrayLike,
    propagation: ArrayLike = 0.0,
    observation: ArrayLike | None = None,
    *,
    polarization: Literal["TM", "TE"] = "TM",
    closed: bool = True,
    corners: ArrayLike = True,
    eps_r: complex | None = None,
    mu_r: complex = 1.0,
    loss_tangent: float = 0.0,
    conductivity: float = 0.0,
    order: int = 10,
    device: str = "auto",
    deterministic: bool = False,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> NDArray[np.float64]:
    """Echo width in meters of a cylinder, by the method of moments.

    The outline passes through ``points``, (n, 2) in meters. ``corners`` marks the points that are
    corners; the outline is smooth at the others. It is straight between adjacent corners, so that
    the default is a polygon; ``corners=False`` is a smooth curve through all points.
    ``closed=False`` is an open strip. The material is a perfect conductor unless ``eps_r`` is
    given; with e^{+jωt}, losses are negative imaginary parts of ``eps_r`` and ``mu_r``,
    to which ``loss_tangent`` and ``conductivity`` add. The wave propagates along ``propagation`` and is observed at ``observation`` (by default
    every degree), in degrees from +x; ``frequency`` is in Hz. The result has the axes of frequency,
    propagation and observation.
    """
    outline = _rows(points, 2, "points", np.float64)
    _one_of("polarization", polarization, ("TM", "TE"))
    axes = [
        np.asarray(axis, dtype=np.float64)
        for axis in (frequency, propagation, np.arange(361.0) if observation is None else observation)
    ]
    frequencies, along, seen = (axis.ravel() for axis in axes)
    tags = np.broadcast_to(np.asarray(corners, dtype=bool), len(outline))
    medium = None
    if eps_r is not None:
        eps, mu = complex(eps_r), complex(mu_r)
        medium = [eps.real, eps.imag, mu.real, mu.imag, loss_tangent, conductivity]
    widths, told = _native.echo_width(
        outline, tags.tolist(), closed, medium, frequencies.tolist(), np.radians(along).tolist(),
        np.radians(seen).tolist(), polarization == "TE", order, device, deterministic, threads, listener(progress),
    )  # fmt: skip
    _warn(told)
    return widths.reshape(sum((axis.shape for axis in axes), ()))


@dataclass(frozen=True)
class Hologram:
    """Fields on planes nearer to the source. Arrays have the axes frequency, plane, y, x."""

    frequency: NDArray[np.float64]
    """Hz; for a recording, those of the nearest bins of its spectrum."""
    planes: NDArray[np.float64]
    """From the array toward the source, m."""
    x: NDArray[np.float64]
    """m; the center of the array is the origin."""
    y: NDArray[np.float64]
    measured: NDArray[np.complex128]
    """Pressure at the array, Pa (axes frequency, y, x)."""
    pressure: NDArray[np.complex128]
    """Pa, amplitudes."""
    velocity: NDArray[np.complex128]
    """Away from the source, m/s, amplitudes."""
    intensity: NDArray[np.float64]
    """Away from the source, W/m²."""
    power: NDArray[np.float64]
    """Through each plane, W (axes frequency, plane)."""

    def level(self) -> NDArray[np.float64]:
        """Sound pressure level, dB re 20 µPa."""
        with np.errstate(divide="ignore"):
            levels: NDArray[np.float64] = 20 * np.log10(np.abs(self.pressure) / np.sqrt(2) / 20e-6)
        return levels


def holography(
    measured: ArrayLike,
    spacing: float | tuple[float, float],
    standoff: float,
    frequency: ArrayLike,
    *,
    sample_rate: float | None = None,
    fft_length: int = 1024,
    planes: ArrayLike | None = None,
    medium: tuple[float, float] = AIR,
    method: Literal["auto", "fft", "esm"] = "auto",
    device: str = "auto",
    deterministic: bool = False,
    threads: int | None = None,
    progress: ProgressLike = False,
) -> Hologram:
    """Near-field acoustic holography with a rectangular microphone array.

    ``measured`` is either complex, phasors in Pa at ``frequency`` (rows along y, columns along x;
    several frequencies along the first axis), or real, samples in Pa with time along the first
    axis, at ``sample_rate`` in Hz, of which the first ``fft_length`` are used. ``spacing`` is that
    of the microphones along x and y, ``standoff`` the distance from the array to the source, and
    ``planes`` are the distances of the reconstruction planes from the array (by default the
    source plane), all in meters. ``medium`` is the speed of sound in m/s and the density in kg/m³.
    ``method`` is ``"fft"``, ``"esm"`` (equivalent sources), or ``"auto"``: equivalent sources for up
    to 256 microphones. Regularization is chosen at each frequency, by the noise and the distance.
    """
    block = np.asarray(measured)
    _one_of("method", method, ("auto", "fft", "esm"))
    frequencies = np.atleast_1d(np.asarray(frequency, dtype=np.float64))
    is_phasors = block.dtype.kind == "c"
    if is_phasors and block.ndim == 2:
        block = block[np.newaxis]
    if block.ndim != 3:
        raise wrong(f"an array of {block.ndim} dimensions", "give (time or frequency, rows, columns)")
    if is_phasors and len(block) != len(frequencies):
        raise wrong(f"phasors of {len(block)} frequencies, and {len(frequencies)} frequencies", "give one for each")
    if is_phasors == (sample_rate is not None):
        message = "sample_rate= goes with samples, which are real, and not with phasors, which are complex"
        raise wrong(message, "give real samples and sample_rate=, or phasors alone")
    rows, columns = block.shape[1:]
    along_x, along_y = np.broadcast_to(np.asarray(spacing, dtype=np.float64), 2).tolist()
    wanted = np.atleast_1d(np.asarray(standoff if planes is None else planes, dtype=np.float64))
    given = _signal(block, sample_rate, fft_length)
    fields, told = _native.holography(
        given, frequencies.tolist(), (columns, rows), (along_x, along_y), standoff,
        wanted.tolist(), medium, method, device, deterministic, threads, listener(progress),
    )  # fmt: skip
    _warn(told)
    x, y = ((np.arange(n) - (n - 1) / 2) * step for n, step in ((columns, along_x), (rows, along_y)))
    return Hologram(planes=wanted, x=x, y=y, **{name: np.asarray(values) for name, values in fields.items()})


def _signal(block: NDArray[Any], sample_rate: float | None, fft_length: int) -> Any:
    if sample_rate is None:
        return np.ascontiguousarray(block, dtype=np.complex128)
    return np.ascontiguousarray(block, dtype=np.float32), sample_rate, fft_length


def _rows(values: ArrayLike, columns: int, name: str, dtype: Any) -> NDArray[Any]:
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.ndim != 2 or array.shape[1] != columns:
        raise wrong(f"{name} has the shape {array.shape}", f"give an array of (n, {columns})")
    return array


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise wrong(f"{name}={value!r} is not known", f"choose from {', '.join(map(repr, known))}")


def _warn(told: list[str]) -> None:
    for text in told:
        warnings.warn(text, stacklevel=3)
