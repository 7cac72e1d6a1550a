"""Progress, Ctrl-C, and Python's lock."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, circle_case

import phasefront

LONG = {
    "version": 1,
    "solver": "sbr",
    "name": "long",
    "geometry": {"target": {"shape": "aircraft-b"}},
    "source": {"frequency": "10 GHz", "theta": "90 deg", "phi": {"from": "0 deg", "to": "359 deg", "points": 20000}},
}


def test_a_function_hears_every_stage() -> None:
    events: list[dict[str, Any]] = []
    phasefront.run(circle_case(), device="cpu", progress=events.append)
    begun = [event["id"] for event in events if event["event"] == "stage"]
    ended = [event["id"] for event in events if event["event"] == "end"]
    assert sorted(begun) == sorted(ended) and len(begun) >= 3
    assert {"fill", "report"} <= {event["name"] for event in events if event["event"] == "stage"}
    assert any(event["event"] == "note" and "cpu" in event["text"].lower() for event in events)


def test_what_the_function_raises_stops_the_run() -> None:
    def refuse(event: dict[str, Any]) -> None:
        if event["event"] == "advance":
            raise RuntimeError("enough")

    started = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        phasefront.run(LONG, device="cpu", progress=refuse)
    assert time.monotonic() - started < 20


def test_a_bar_is_drawn_and_wiped(capsys: pytest.CaptureFixture[str]) -> None:
    bar = phasefront.progress.Bar()
    bar({"event": "stage", "id": 1, "name": "rays", "total": 4, "unit": "directions"})
    bar({"event": "advance", "id": 1, "done": 2})
    bar({"event": "warning", "text": "thin"})
    bar({"event": "warning", "text": "group \x1b[2Jrod"})
    bar({"event": "end", "id": 1})
    shown = capsys.readouterr().err
    assert "rays |############            |  50 % 2/4 directions" in shown and "warning: thin\n" in shown
    assert "warning: group \\x1b[2Jrod\n" in shown and "\x1b" not in shown


def test_other_threads_of_python_go_on() -> None:
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    x = np.random.default_rng(1).uniform(-3, 3, 300_000)
    before, started = counted, time.monotonic()
    phasefront.nufft.nufft1d1(x, np.ones(len(x), complex), 1_000_000, eps=1e-12)
    during, took = counted - before, time.monotonic() - started
    stop.set()
    thread.join()
    # A call that kept the lock would let at most a count or two through.
    assert during > 5 or took < 0.02


@pytest.mark.parametrize("keep", [False, True])
def test_ctrl_c_stops_a_long_run(tmp_path: Path, keep: bool) -> None:
    out = str(tmp_path / "stopped") if keep else None
    script = (
        "import phasefront, sys\n"
        "def told(event):\n"
        "    if event['event'] == 'advance': print('running', flush=True)\n"
        f"try:\n    phasefront.run({LONG!r}, device='cpu', out={out!r}, progress=told)\n"
        "except KeyboardInterrupt as error:\n    print('stopped:', error); sys.exit(7)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 7 and time.monotonic() - started < 15
    assert ("saved in" if keep else "with out=") in rest
    assert (tmp_path / "stopped" / "checkpoint.json").exists() == keep


def test_ctrl_c_ends_a_run_that_listens_and_keeps_its_result() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    case = {
        "version": 1,
        "solver": "nah",
        "name": "listen",
        "geometry": {"grid": [8, 8], "spacing": ["5 cm", "5 cm"], "standoff": "5 cm"},
        "source": {"listen": str(port), "format": "i32", "sample_rate": "8 kHz", "full_scale": 20.0},
        "solve": {"spectral_method": "sliding-dft", "fft_length": 256},
        "output": {"frequency": "500 Hz"},
    }
    script = (
        "import phasefront\n"
        "def told(event):\n"
        "    if event['event'] == 'note' and 'listen' in event['text']: print('listening', flush=True)\n"
        f"result = phasefront.run({case!r}, device='cpu', progress=told)\n"
        "print(len(result['levels']['frequency_hz']))\n"
    )
    sender = [sys.executable, str(ROOT / "cases" / "send_stream.py"), "--to", f"127.0.0.1:{port}", "--seconds", "1"]
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "listening\n"
        subprocess.run(sender, check=True)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 0 and int(rest) >= 10


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    case = LONG | {
        "geometry": {"target": {"shape": "missile"}},
        "source": {"frequency": "3 GHz", "theta": "90 deg", "phi": {"from": "0 deg", "to": "90 deg", "points": 300}},
    }

    def refuse(event: dict[str, Any]) -> None:
        if event["event"] == "advance":
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        phasefront.run(case, device="cpu", out=tmp_path / "run", progress=refuse)
    assert not (tmp_path / "run" / "result.json").exists()
    with pytest.raises(phasefront.InputError, match="resume"):
        phasefront.run(case, device="cpu", out=tmp_path / "run", progress=False)
    resumed = phasefront.resume(tmp_path / "run", device="cpu", progress=False)
    whole = phasefront.run(case, device="cpu", progress=False)
    np.testing.assert_array_equal(resumed["rcs"]["vv_dbsm"], whole["rcs"]["vv_dbsm"])
