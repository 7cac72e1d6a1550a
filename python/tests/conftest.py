"""What the tests share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import hankel2, jv

import phasefront

ROOT = Path(__file__).resolve().parents[2]

C0 = 299_792_458.0


def circle_case(**output: Any) -> dict[str, Any]:
    """A conducting circle of one meter in a wave of one meter."""
    return {
        "version": 1,
        "solver": "mom",
        "name": "circle",
        "geometry": {"bodies": [{"shape": "circle", "radius": 1.0}]},
        "source": {"frequency": C0, "polarization": "TM", "propagation": "0 deg"},
        "output": output or {"echo_width": {"from": "0 deg", "to": "360 deg", "points": 37}},
    }


def circle_series(ka: float, k: float, angles_deg: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Echo width of a conducting circle in a TM wave: σ = (4/k) |Σ εₙ Jₙ/Hₙ⁽²⁾ cos nφ|² (Balanis, section 11.5)."""
    n = np.arange(1, int(ka) + 30)
    terms = 2 * jv(n, ka) / hankel2(n, ka)
    series = jv(0, ka) / hankel2(0, ka) + np.cos(np.radians(angles_deg)[:, None] * n) @ terms
    widths: np.ndarray[Any, Any] = 4 / k * np.abs(series) ** 2
    return widths


@pytest.fixture(scope="session")
def command() -> Path:
    """The command that the package has installed."""
    return Path(sys.executable).with_name("phasefront")


@pytest.fixture(scope="session", params=["cpu", "cuda"])
def device(request: pytest.FixtureRequest) -> str:
    """Every device that what is computed here must not depend on."""
    name: str = request.param
    try:
        phasefront.check(circle_case(), device=name)
    except phasefront.DeviceError as error:
        assert name != "cpu", error
        pytest.skip(f"no GPU: {error}")
    return name
