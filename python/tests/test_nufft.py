"""Transforms against their sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phasefront
from phasefront import nufft

Array = np.ndarray[Any, Any]
COUNT = 80
SHAPES = {1: (15,), 2: (9, 12), 3: (5, 6, 8)}


def modes(shape: tuple[int, ...]) -> Array:
    """The modes of a box, (product of shape, dimensions), the last axis fastest."""
    axes = [np.arange(n) - n // 2 for n in shape]
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def some(dimensions: int, seed: int = 1) -> tuple[list[Array], Array]:
    random = np.random.default_rng(seed)
    points = [random.uniform(-np.pi, np.pi, COUNT) for _ in range(dimensions)]
    return points, random.normal(size=COUNT) + 1j * random.normal(size=COUNT)


def error(found: Array, exact: Array) -> float:
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("isign", [-1, 1])
def test_types_1_and_2_are_their_sums(dimensions: int, isign: int) -> None:
    shape = SHAPES[dimensions]
    points, c = some(dimensions)
    matrix = np.exp(1j * isign * modes(shape) @ np.array(points))  # modes x points
    n_modes: Any = shape if dimensions > 1 else shape[0]
    f = getattr(nufft, f"nufft{dimensions}d1")(*points, c, n_modes, eps=1e-11, isign=isign)
    assert f.shape == shape and f.dtype == np.complex128
    assert error(f.ravel(), matrix @ c) < 1e-10
    back = getattr(nufft, f"nufft{dimensions}d2")(*points, f, eps=1e-11, isign=isign)
    assert error(back, matrix.T @ f.ravel()) < 1e-10


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_type_3_is_its_sum(dimensions: int) -> None:
    points, c = some(dimensions)
    frequencies = [10 * axis for axis in some(dimensions, seed=2)[0]]
    f = getattr(nufft, f"nufft{dimensions}d3")(*points, c, *frequencies, eps=1e-10)
    exact = np.exp(1j * np.array(frequencies).T @ np.array(points)) @ c
    assert error(f, exact) < 1e-9


def test_signs_are_finuffts() -> None:
    (x,), c = some(1)
    assert error(nufft.nufft1d1(x, c, 15), nufft.nufft1d1(x, c, 15, isign=1)) == 0
    f = np.arange(15) + 0j
    assert error(nufft.nufft1d2(x, f), nufft.nufft1d2(x, f, isign=-1)) == 0


def test_single_precision_stays_single() -> None:
    (x,), c = some(1)
    f = nufft.nufft1d1(x.astype(np.float32), c.astype(np.complex64), 15, eps=1e-4)
    assert f.dtype == np.complex64
    assert 1e-9 < error(f, np.exp(1j * modes((15,)) @ x[None]) @ c) < 1e-3


def test_modes_in_the_order_of_an_fft() -> None:
    (x,), c = some(1)
    centered, fft = (nufft.nufft1d1(x, c, 15, modeord=order) for order in (0, 1))
    np.testing.assert_allclose(np.fft.ifftshift(centered), fft, rtol=1e-10)


def test_a_plan_has_batches_and_its_adjoint() -> None:
    points, _ = some(2)
    random = np.random.default_rng(3)
    c = random.normal(size=(3, COUNT)) + 0j
    plan = nufft.Plan(1, (9, 12), n_trans=3, eps=1e-11)
    with pytest.raises(phasefront.InputError, match="no points yet"):
        plan.execute(c)
    plan.setpts(*points)
    f = plan.execute(c)
    assert f.shape == (3, 9, 12)
    matrix = np.exp(1j * modes((9, 12)) @ np.array(points))
    assert error(f.reshape(3, -1), c @ matrix.T) < 1e-10
    adjoint = plan.execute_adjoint(f)
    assert error(adjoint, f.reshape(3, -1) @ matrix.conj()) < 1e-10
    assert error(nufft.nufft2d1(*points, c, (9, 12), eps=1e-11), f) < 1e-12


def test_what_cannot_be_is_refused_with_advice() -> None:
    (x,), c = some(1)
    x[7] = np.nan
    with pytest.raises(phasefront.InputError, match="point 7 has the coordinate NaN") as caught:
        nufft.nufft1d1(x, c, 15)
    assert caught.value.help == "remove the point, or find the cause of its coordinate"
    with pytest.raises(phasefront.InputError, match="tolerance of 1.0e-20 cannot be attained"):
        nufft.nufft1d1([0.0], [1.0], 15, eps=1e-20)
    with pytest.raises(phasefront.InputError, match="values, and the plan requires"):
        nufft.nufft1d1([0.0, 1.0], [1.0, 2.0, 3.0], 15)
    with pytest.raises(phasefront.InputError, match="types 1, 2 and 3"):
        nufft.Plan(4, 8)
    with pytest.raises(phasefront.InputError, match="1 axes of points for a transform in 2"):
        nufft.Plan(1, (8, 8)).setpts([0.0])


def test_grids_that_do_not_fit_are_refused_before_they_are_allocated() -> None:
    far, high = np.array([-1e5, 1e5]), np.array([-1e6, 1e6])
    with pytest.raises(phasefront.InputError, match="needs .* of memory, and .* are free|too many") as caught:
        nufft.nufft1d3(far, [1.0, 1.0], high)
    assert "extent of the points times that of the frequencies" in str(caught.value)
    for absurd in (1e300, 1e17):
        with pytest.raises(phasefront.InputError, match="cannot be reduced to one period"):
            nufft.nufft1d1([absurd], [1.0], 15)
        with pytest.raises(phasefront.InputError, match="cannot be reduced to one period|cannot be attained"):
            nufft.nufft1d3([absurd], [1.0], [absurd])
    with pytest.raises(phasefront.InputError, match="too many"):
        nufft.nufft1d3([-1e300, 1e300], [1.0, 1.0], [-1.0, 1.0])
