"""Keeps a live run busy for an hour and watches its memory.

    soak.py PROGRAM                 an hour
    soak.py PROGRAM --minutes 2     a look

An array of 8 x 8 microphones at 48 kHz is streamed to `phasefront run --live` as fast as it samples, with
garbage between its datagrams: random bytes, cut and stretched datagrams, repeated and foreign ones, and
jumps of the counters. Meanwhile 200 clients connect to its page: as many as it admits stay and read what
they are sent, some reconnect, the others are refused or stay silent. At the end the run must finish on its
own, with every datagram of the array accepted or counted as lost, and with the memory that it had when it
was warm.
"""

import argparse
import http.client
import json
import math
import os
import random
import re
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SIDE = 8
RATE = 48_000
FREQUENCY = 1_000
# Frames of a datagram, and datagrams that are sent at once.
PACKED = 16
BURST = 8
# One datagram of garbage for so many of the array.
GARBAGE = 10
CLIENTS = 200
# After this the run is warm: caches, pages and threads exist.
WARM_SECONDS = 60
MAX_GROWTH_MB = 8.0

CASE = """version = 1
solver = "nah"
name = "soak"

[geometry]
grid = [{side}, {side}]
spacing = ["5 cm", "5 cm"]
standoff = "5 cm"

[source]
listen = "{port}"
format = "i32"
sample_rate = "{rate} Hz"
full_scale = 20.0
duration = "{seconds} s"

[solve]
spectral_method = "sliding-dft"
fft_length = 480
hop = 96

[output]
frequency = "{frequency} Hz"
"""


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def frames():
    """One period of a tone that passes over the array, frame by frame."""
    period = RATE // FREQUENCY
    value = lambda n, m: round(0.1 * (2**31 - 1) * math.cos(2 * math.pi * n / period + 0.1 * m))
    return [struct.pack(f"<{SIDE * SIDE}i", *(value(n, m) for m in range(SIDE * SIDE))) for n in range(period)]


def head(sequence, first, microphones, count):
    return struct.pack("<4sHHQQII", b"PFNA", 1, 0, sequence % 2**64, first % 2**64, microphones % 2**32, count % 2**32)


def garbage(valid, rng):
    """A datagram that no array sends."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(rng.randrange(9000))
    if kind == 1:
        return valid[: rng.randrange(len(valid))]
    if kind == 2:
        return valid + rng.randbytes(4)
    if kind == 3:
        # A repetition.
        return valid
    if kind == 4:
        # Counters from anywhere; an array of another size.
        return head(rng.getrandbits(64), rng.getrandbits(64), rng.getrandbits(32), rng.getrandbits(32)) + valid[32:]
    flipped = bytearray(valid)
    flipped[rng.randrange(32)] ^= 1 << rng.randrange(8)
    return bytes(flipped)


def stream(port, seconds, sent):
    """Sends datagrams at the rate of the array, until the time is over."""
    period, rng = frames(), random.Random(1)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    target, start, sequence = ("127.0.0.1", port), time.monotonic(), 0
    while time.monotonic() - start < seconds:
        for _ in range(BURST):
            first = sequence * PACKED
            payload = b"".join(period[n % len(period)] for n in range(first, first + PACKED))
            datagram = head(sequence, first, SIDE * SIDE, PACKED) + payload
            sender.sendto(datagram, target)
            sent["valid"] += 1
            if rng.randrange(GARBAGE) == 0:
                rng.choice([sender, stranger]).sendto(garbage(datagram, rng), target)
                sent["garbage"] += 1
            sequence += 1
        time.sleep(max(0.0, start + sequence * PACKED / RATE - time.monotonic()))


def cookie(address):
    """What the token in the printed address is exchanged for."""
    host, query = re.match(r"http://([^/]+)/(\S*)", address).groups()
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("GET", "/" + query)
    answer = connection.getresponse()
    return host, answer.getheader("Set-Cookie", "").split(";")[0]


def connect(host, biscuit):
    """A client of the live page: its socket after the request."""
    name, port = host.split(":")
    client = socket.create_connection((name, int(port)), timeout=10)
    client.sendall(
        f"GET /api/live HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {biscuit}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    client.setblocking(False)
    return client


def attend(host, biscuit, stop, seen):
    """Holds the clients until `stop`: reads, says that they are there, reconnects a few."""
    rng, watch = random.Random(2), selectors.DefaultSelector()
    clients = {}

    def open_client():
        try:
            client = connect(host, biscuit)
        except OSError:
            seen["failed"] += 1
            return
        clients[client] = "new"
        watch.register(client, selectors.EVENT_READ)

    def close_client(client):
        watch.unregister(client)
        client.close()
        del clients[client]

    spoke = time.monotonic()
    while not stop.is_set():
        # A few at a time, as people open pages.
        for _ in range(min(20, CLIENTS - len(clients))):
            open_client()
        for key, _ in watch.select(timeout=0.05):
            client = key.fileobj
            try:
                data = client.recv(1 << 16)
            except OSError:
                data = b""
            if clients[client] == "new" and data:
                clients[client] = "live" if data.startswith(b"HTTP/1.1 101") else "refused"
                seen[clients[client]] += 1
            seen["bytes"] += len(data)
            if not data:
                close_client(client)
        seen["open"] = max(seen["open"], sum(state == "live" for state in clients.values()))
        if time.monotonic() - spoke > 5:
            spoke = time.monotonic()
            for client in [client for client, state in clients.items() if state == "live"]:
                try:
                    # An empty pong, masked with zeros.
                    client.send(b"\x8a\x80\0\0\0\0")
                except OSError:
                    close_client(client)
            for client in rng.sample(list(clients), min(5, len(clients))):
                close_client(client)
        time.sleep(0.05)
    for client in list(clients):
        close_client(client)


def resident_mb(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args()
    seconds, port = 60 * options.minutes, free_port(socket.SOCK_DGRAM)
    with tempfile.TemporaryDirectory() as folder:
        case = Path(folder) / "soak.toml"
        case.write_text(CASE.format(side=SIDE, port=port, rate=RATE, seconds=seconds, frequency=FREQUENCY))
        out = Path(folder) / "out"
        command = [options.program.resolve(), "run", case, "--out", out, "--device", "cpu", "--live", "--no-browser"]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)
        address = None
        for line in run.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+/\S*", line)
            if found:
                address = found.group(0)
                break
        if address is None:
            sys.exit("the run printed no address")
        drain = threading.Thread(target=run.stdout.read, daemon=True)
        drain.start()
        complaints = watch_run(run, address, port, seconds, out)
    print("soak:", "; ".join(complaints) or "0 complaints")
    sys.exit(bool(complaints))


def watch_run(run, address, port, seconds, out):
    sent, seen = {"valid": 0, "garbage": 0}, dict.fromkeys(["live", "refused", "failed", "open", "bytes"], 0)
    stop, memory = threading.Event(), []
    host, biscuit = cookie(address)
    pages = threading.Thread(target=attend, args=(host, biscuit, stop, seen), daemon=True)
    array = threading.Thread(target=stream, args=(port, seconds - 5, sent), daemon=True)
    pages.start()
    array.start()
    start = time.monotonic()
    while array.is_alive():
        time.sleep(min(10, seconds / 10))
        if run.poll() is not None:
            return [f"the run ended early with exit code {run.returncode}"]
        if not array.is_alive():
            # The run may be drawing its results, for which it needs memory of its own.
            break
        memory.append((time.monotonic() - start, resident_mb(run.pid)))
        minute, megabytes = memory[-1][0] / 60, memory[-1][1]
        print(f"{minute:6.1f} min  {megabytes:7.1f} MB  {sent}  {seen}", flush=True)
    stop.set()
    pages.join()
    # The page is closed: the run ends with its duration.
    code = run.wait(timeout=120)
    return judged(code, memory, sent, seen, out)


def judged(code, memory, sent, seen, out):
    complaints = []
    if code != 0:
        complaints.append(f"exit code {code}")
    warm = [megabytes for second, megabytes in memory if second > min(WARM_SECONDS, memory[-1][0] / 2)]
    third = max(1, len(warm) // 3)
    growth = max(warm[-third:]) - max(warm[:third])
    print(f"memory: {warm[0]:.1f} MB warm, {warm[-1]:.1f} MB at the end, growth {growth:.2f} MB")
    if growth > MAX_GROWTH_MB:
        complaints.append(f"memory grew by {growth:.1f} MB")
    result = json.loads((out / "result.json").read_text())
    metrics = result["metrics"]
    print({name: metrics[name] for name in ("holograms", "late", "duplicates", "corrupt", "lost_frames", "restarts", "stalls")})
    if seen["open"] < 32 or seen["refused"] == 0:
        complaints.append(f"clients were not served or not bounded: {seen}")
    # Datagrams that the system dropped while this machine was busy are counted, not hidden.
    if metrics["lost_frames"] > 0.01 * sent["valid"] * PACKED:
        complaints.append(f"{metrics['lost_frames']} of {sent['valid'] * PACKED} frames were lost")
    if metrics["corrupt"] == 0 or metrics["duplicates"] == 0:
        complaints.append("garbage was not counted")
    return complaints


if __name__ == "__main__":
    main()
