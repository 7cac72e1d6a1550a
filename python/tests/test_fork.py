"""Processes forked after the package has been used, as `multiprocessing` does on Linux before Python 3.14."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import C0, circle_case

import phasefront
from phasefront import nufft

Array = np.ndarray[Any, Any]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="fork is safe on Linux only"),
    # Python warns of every fork beside other threads.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

LIMIT = 60.0
"""Seconds until a child counts as hung; the work takes a fraction of one."""


def modes_of_many_points(seed: int) -> Array:
    """Enough points for several threads."""
    random = np.random.default_rng(seed)
    x, y = random.uniform(-np.pi, np.pi, (2, 50_000))
    return nufft.nufft2d1(x, y, random.normal(size=x.size) + 0j, (200, 200), eps=1e-9)


def width_of_a_square(seed: int) -> Array:
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return np.asarray(phasefront.echo_width((1 + 0.1 * seed) * square, C0, 0.0, [0.0, 90.0], device="cpu"))


def hologram(seed: int) -> Array:
    noise = np.random.default_rng(seed).normal(size=(2, 12, 12))
    measured = np.exp(1j * (seed + np.add.outer(np.arange(12), np.arange(12)) / 5)) + 0.003 * (noise[0] + 1j * noise[1])
    return phasefront.holography(measured, 0.02, 0.05, 1000.0, device="cpu").pressure


def sigma_of_a_plate(seed: int) -> Array:
    vertices = (1 + 0.1 * seed) * np.array([[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]])
    return np.asarray(phasefront.rcs(vertices, [[0, 1, 2], [0, 2, 3]], 10e9, 20.0, 0.0, device="cpu").vv)


def case(seed: int) -> Array:
    phasefront.check(circle_case(), device="cpu")
    result = phasefront.run(circle_case(), device="cpu", progress=False)
    return np.asarray(result["echo_width"]["sigma_m"])


CALLS: list[Callable[[int], Array]] = [
    modes_of_many_points, width_of_a_square, hologram, sigma_of_a_plate, case
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_a_pool_of_forked_processes_computes_what_the_parent_does(call: Callable[[int], Array]) -> None:
    expected = [call(seed) for seed in range(8)]
    with multiprocessing.get_context("fork").Pool(4) as pool:
        found = pool.map_async(call, range(8)).get(timeout=LIMIT)
    for own, of_child in zip(expected, found):
        np.testing.assert_array_equal(of_child, own)


def test_a_plan_made_before_the_fork_works_in_the_child() -> None:
    random = np.random.default_rng(1)
    x, c = random.uniform(-np.pi, np.pi, 200_000), random.normal(size=200_000) + 0j
    plan = nufft.Plan(1, 100_000)
    plan.setpts(x)
    expected = plan.execute(c)

    def child() -> list[float]:
        plan.setpts(x)
        return [float(np.abs(plan.execute(c) - expected).max())]

    assert in_child(child) == [0.0]


def test_a_gpu_opened_before_the_fork_is_refused_in_the_child(device: str) -> None:
    if device == "cpu":
        pytest.skip("a CPU plan survives a fork")
    plan = nufft.Plan(1, 16, device=device)

    def child() -> list[str]:
        told = []
        for call in (lambda: plan.setpts([0.0]), lambda: nufft.Plan(1, 16, device=device)):
            with pytest.raises(phasefront.DeviceError) as caught:
                call()
            told.append(str(caught.value))
        return told

    for message in in_child(child):
        assert "forked" in message and "spawn" in message


def in_child(work: Callable[[], Any]) -> Any:
    """What `work` returns in a forked process."""
    reader, writer = os.pipe()
    process = multiprocessing.get_context("fork").Process(target=lambda: os.write(writer, json.dumps(work()).encode()))
    process.start()
    os.close(writer)
    process.join(LIMIT)
    hung = process.is_alive()
    process.kill()
    with os.fdopen(reader, "rb") as pipe:
        assert not hung, "the child hangs"
        return json.loads(pipe.read())
