"""Solvers on arrays, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import C0, circle_series

import phasefront

PLATE = np.array([[-0.15, -0.1, 0], [0.15, -0.1, 0], [0.15, 0.1, 0], [-0.15, 0.1, 0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])


def test_a_plate_seen_from_above_has_its_closed_form(device: str) -> None:
    frequency = np.array([3e9, 10e9])
    found = phasefront.rcs(PLATE, FACES, frequency, 0.0, 0.0, device=device)
    exact = 4 * np.pi * 0.06**2 / (C0 / frequency) ** 2
    np.testing.assert_allclose(found.sigma("vv"), exact, rtol=1e-6)
    np.testing.assert_allclose(found.dbsm("hh"), 10 * np.log10(exact), atol=1e-5)
    assert np.all(found.sigma("vh") < 1e-12 * exact)


def test_a_plate_at_an_angle_has_the_sinc_of_physical_optics(device: str) -> None:
    theta, k = np.array([[2.0], [5.0], [8.0]]), 2 * np.pi * 10e9 / C0
    found = phasefront.rcs(PLATE, FACES, 10e9, theta, np.array([[0.0, 90.0]]), bounces=1, device=device)
    assert found.vv.shape == (3, 2)
    sides = np.array([[0.3, 0.2]])
    phase = k * np.sin(np.radians(theta)) * sides
    exact = 4 * np.pi * (0.06 * k / (2 * np.pi)) ** 2 * (np.cos(np.radians(theta)) * np.sinc(phase / np.pi)) ** 2
    np.testing.assert_allclose(found.sigma("vv"), exact, rtol=1e-6)


def test_a_receiver_may_stand_elsewhere(device: str) -> None:
    mirrored = phasefront.rcs(PLATE, FACES, 10e9, 30.0, 0.0, receiver=(30.0, 180.0), device=device)
    behind = phasefront.rcs(PLATE, FACES, 10e9, 30.0, 0.0, device=device)
    exact = 4 * np.pi * 0.06**2 / (C0 / 10e9) ** 2 * np.cos(np.radians(30.0)) ** 2
    assert mirrored.vv.shape == () and mirrored.sigma() == pytest.approx(exact, rel=1e-6)
    assert behind.sigma() < 1e-2 * exact


def test_a_smooth_outline_through_points_has_the_series_of_a_circle(device: str) -> None:
    t = np.linspace(0, 2 * np.pi, 128, endpoint=False)
    points = np.column_stack([np.cos(t), np.sin(t)])
    angles = np.array([0.0, 45.0, 180.0])
    found = phasefront.echo_width(points, C0, 0.0, angles, corners=False, device=device)
    np.testing.assert_allclose(found, circle_series(2 * np.pi, 2 * np.pi, angles), rtol=1e-4)
    # Turned together with the wave it looks the same.
    turned = phasefront.echo_width(points, [C0], [0.0, 90.0], angles + 90, corners=False, device=device)
    assert turned.shape == (1, 2, 3)
    np.testing.assert_allclose(turned[0, 1], found, rtol=1e-4)


def test_a_strip_is_open_and_a_polygon_closed(device: str) -> None:
    # A strip of many wavelengths, seen from its normal, sends back what physical optics says: σ = k w².
    k, width = 2 * np.pi, 10.0
    strip = phasefront.echo_width([[0, -width / 2], [0, width / 2]], C0, 0.0, 180.0, closed=False, device=device)
    assert strip == pytest.approx(k * width**2, rel=0.02)
    square = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    te, tm = (phasefront.echo_width(square, C0, 0.0, [0.0, 90.0], polarization=p, device=device) for p in ("TE", "TM"))
    turned = phasefront.echo_width(square, C0, 90.0, [90.0, 180.0], polarization="TM", device=device)
    np.testing.assert_allclose(tm, turned, rtol=1e-5)
    assert np.all(np.abs(te / tm - 1) > 1e-3)


def test_a_dielectric_like_vacuum_is_not_seen(device: str) -> None:
    t = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    points = 0.3 * np.column_stack([np.cos(t), np.sin(t)])
    faint, seen = (
        phasefront.echo_width(points, C0, 0.0, 180.0, corners=False, eps_r=eps, device=device) for eps in (1.000001, 4.0)
    )
    assert faint < 1e-9 < 1e-2 < seen


def monopole(distance: float, count: int, pitch: float, frequency: float) -> tuple[np.ndarray, np.ndarray]:
    """Phasors of e^{+jωt} of a monopole behind the middle of the array, and its places' distances."""
    axis = (np.arange(count) - (count - 1) / 2) * pitch
    r = np.sqrt(axis[:, None] ** 2 + axis[None] ** 2 + distance**2)
    return np.exp(-2j * np.pi * frequency / 343.2 * r) / r, axis


# Of exact phasors cross-validation keeps waves that noise would make useless; that is warned of.
@pytest.mark.filterwarnings("ignore:.*noise")
def test_a_monopole_comes_back_to_a_plane_nearer_to_it(device: str) -> None:
    frequency, count, pitch = 1000.0, 24, 0.02
    measured, axis = monopole(0.10, count, pitch, frequency)
    nearer, _ = monopole(0.06, count, pitch, frequency)
    found = phasefront.holography(measured, pitch, 0.05, frequency, planes=[0.04], device=device)
    assert found.pressure.shape == (1, 1, count, count) and found.frequency == frequency
    np.testing.assert_allclose(found.x, axis)
    np.testing.assert_allclose(found.measured[0], measured)
    inner = slice(4, -4)
    error = np.linalg.norm((found.pressure[0, 0] - nearer)[inner, inner]) / np.linalg.norm(nearer[inner, inner])
    assert error < 0.1
    far = np.linalg.norm((measured - nearer)[inner, inner]) / np.linalg.norm(nearer[inner, inner])
    assert error < 0.3 * far
    assert found.level()[0, 0].max() == pytest.approx(20 * np.log10(1 / 0.06 / np.sqrt(2) / 20e-6), abs=1.0)


# Of exact phasors cross-validation keeps waves that noise would make useless; that is warned of.
@pytest.mark.filterwarnings("ignore:.*noise")
def test_samples_give_the_hologram_of_their_phasors(device: str) -> None:
    rate, samples, count = 48_000.0, 1024, 12
    frequency = 20 * rate / samples
    measured, _ = monopole(0.10, count, 0.02, frequency)
    time = np.arange(samples) / rate
    block = np.real(measured[None] * np.exp(2j * np.pi * frequency * time)[:, None, None])
    heard = phasefront.holography(block, (0.02, 0.02), 0.05, frequency, sample_rate=rate, fft_length=samples, device=device)
    phasors = phasefront.holography(measured, 0.02, 0.05, frequency, device=device)
    assert heard.frequency == pytest.approx(frequency)
    scale = np.abs(phasors.pressure).max()
    np.testing.assert_allclose(np.abs(heard.pressure) / scale, np.abs(phasors.pressure) / scale, atol=1e-3)
    np.testing.assert_allclose(heard.power, phasors.power, rtol=1e-2)


def test_wrong_arrays_are_refused() -> None:
    refused = pytest.raises(phasefront.InputError, match="help:")
    with refused:
        phasefront.rcs(PLATE[:, :2], FACES, 1e9, 0, 0)
    with refused:
        phasefront.rcs(PLATE, FACES + 2, 1e9, 0, 0)
    with refused:
        phasefront.rcs(PLATE, FACES, -1e9, 0, 0, device="cpu")
    with refused:
        phasefront.rcs(PLATE, FACES, 1e9, 0, 0, edges="utd")  # type: ignore[arg-type]
    with refused:
        phasefront.echo_width([[0, 0], [1, 0], [0, 1]], 0.0, device="cpu")
    with refused:
        phasefront.echo_width([0.0, 1.0], 1e9)
    with refused:
        phasefront.holography(np.zeros((8, 8, 8)), 0.02, 0.05, 1000.0)
    with refused:
        phasefront.holography(np.ones((8, 8), complex), 0.02, 0.05, [1e3, 2e3])
    with refused:
        phasefront.holography(np.ones((8, 8), complex), 0.02, 0.0, 1e3, device="cpu")


def test_what_does_not_fit_into_the_memory_is_refused() -> None:
    square = 180 * np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    with pytest.raises(phasefront.InputError, match="of memory, and .* are free"):
        phasefront.echo_width(square, 3e9, device="cpu")
    with pytest.raises(phasefront.InputError, match="of memory, and .* are free"):
        phasefront.nufft.nufft2d1([0.0], [0.0], [1.0], (10**5, 10**5))
    with pytest.raises(phasefront.InputError, match="points of the fine grid are too many"):
        phasefront.nufft.nufft2d1([0.0], [0.0], [1.0], (10**7, 10**7))
