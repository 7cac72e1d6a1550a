"""What the package takes from Rust; `phasefront` has it for users."""

from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from .progress import Listener

Source = Union[str, tuple[str, str]]
_Choices = tuple[str, str | None, bool, bool]

__version__: str

def main(arguments: list[str]) -> int | None: ...
def run(
    source: Source, choices: _Choices, threads: int | None, listener: Listener | None
) -> tuple[Path, str, str | None]: ...
def resume(
    folder: str, choices: _Choices, threads: int | None, listener: Listener | None
) -> tuple[Path, str, str | None]: ...
def check(source: Source, choices: _Choices) -> str: ...
def template(solver: str) -> str: ...
def schema() -> str: ...
def rcs(
    vertices: NDArray[np.float64],
    faces: NDArray[np.uint32],
    frequencies: list[float],
    looks: NDArray[np.float64],
    bounces: int | None,
    tube: float,
    edges: str,
    surface: str,
    device: str,
    deterministic: bool,
    threads: int | None,
    listener: Listener | None,
) -> tuple[NDArray[np.complex128], list[str]]: ...
def echo_width(
    points: NDArray[np.float64],
    corners: list[bool],
    closed: bool,
    medium: list[float] | None,
    frequencies: list[float],
    propagation: list[float],
    observation: list[float],
    te: bool,
    order: int,
    device: str,
    deterministic: bool,
    threads: int | None,
    listener: Listener | None,
) -> tuple[NDArray[np.float64], list[str]]: ...
def holography(
    heard: NDArray[np.complex128] | tuple[NDArray[np.float32], float, int],
    frequencies: list[float],
    grid: tuple[int, int],
    pitch: tuple[float, float],
    distance: float,
    planes: list[float],
    medium: tuple[float, float],
    method: str,
    device: str,
    deterministic: bool,
    threads: int | None,
    listener: Listener | None,
) -> tuple[dict[str, Any], list[str]]: ...

class NufftPlan:
    def __new__(
        cls,
        kind: int,
        modes: list[int],
        tolerance: float,
        positive: bool,
        fft_order: bool,
        batch: int,
        single: bool,
        device: str,
        deterministic: bool,
    ) -> NufftPlan: ...
    def set_points(self, points: list[NDArray[Any]], frequencies: list[NDArray[Any]] | None) -> None: ...
    def execute(self, input: NDArray[Any], length: int, adjoint: bool) -> NDArray[Any]: ...
