#!/usr/bin/env python3
"""Sends what an array would hear to a run of Phasefront that listens: an example of the format of its datagrams, with nothing but Python.

    phasefront run listen.toml &                  # [source] listen = "4950", format = "i32", sample_rate = "8 kHz"
    python3 send_stream.py --seconds 5            # a tone from a point in front of 8 x 8 microphones, 5 cm apart

A datagram is a header of 32 bytes, little-endian, and frames (one sample of every microphone each):

    4 bytes   PFNA
    u16       version, 1
    u16       flags: 0 for samples of 32 bits, 1 for bits
    u64       sequence number
    u64       frames before the first one in this datagram
    u32       microphones
    u32       frames in this datagram
    frames    one i32 of each microphone, row by row; or one bit of each, in words of 32 bits
"""

import argparse
import math
import socket
import struct
import time

SPEED = 343.2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", default="127.0.0.1:4950", help="address and port")
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--pitch", type=float, default=0.05, help="m")
    parser.add_argument("--rate", type=float, default=8000.0, help="samples a second")
    parser.add_argument("--frequency", type=float, default=500.0, help="Hz; a period should be an integer number of samples")
    parser.add_argument("--distance", type=float, default=0.08, help="of the point from the array, m")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--packed", type=int, default=16, help="moments of a datagram")
    options = parser.parse_args()

    # Pressure of a point, A/r cos(wt - kr), at 0.1 of full scale at one meter. One period, over and over.
    period = round(options.rate / options.frequency)
    moments = []
    for n in range(period):
        moment = b""
        for row in range(options.rows):
            for column in range(options.columns):
                x = (column - (options.columns - 1) / 2) * options.pitch
                y = (row - (options.rows - 1) / 2) * options.pitch
                r = math.hypot(x, y, options.distance)
                phase = 2 * math.pi * (n / period - options.frequency * r / SPEED)
                value = 0.05 / r * math.cos(phase)
                moment += struct.pack("<i", round(value * (2**31 - 1)))
        moments.append(moment)

    host, port = options.to.rsplit(":", 1)
    target = (host, int(port))
    microphones = options.columns * options.rows
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    start = time.monotonic()
    for sequence in range(int(options.seconds * options.rate / options.packed)):
        first = sequence * options.packed
        head = struct.pack("<4sHHQQII", b"PFNA", 1, 0, sequence, first, microphones, options.packed)
        payload = b"".join(moments[n % period] for n in range(first, first + options.packed))
        # As fast as an array would: not before its last moment is over.
        time.sleep(max(0.0, start + (first + options.packed) / options.rate - time.monotonic()))
        sender.sendto(head + payload, target)


if __name__ == "__main__":
    main()
