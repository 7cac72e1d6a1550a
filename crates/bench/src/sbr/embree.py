"""Times Embree on the rays of `phasefront bench sbr`: python3 sbr_peer.py TRIANGLES BOUNCED COLUMNS ROWS THREADS NEAREST GRID...

Standard input has the corners of the triangles and then origins and directions of the bounced rays, as native floats, and
the triangles that those have left, as native integers. The primary
rays are a grid of COLUMNS x ROWS packets of 4 x 4 parallel rays; GRID is its first origin, the step along either side, and the
direction, twelve numbers. Embree is the library that the package embreex brings; a few lines of C, compiled here, make the packets
and call rtcIntersect16, and rtcIntersect1 as well for bounced rays, of which the faster counts. Each figure is the median of
three runs after one that warms up. Prints one JSON object.
"""

import concurrent.futures
import ctypes
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import embreex
import numpy

REPEATS = 3
CHUNKS = 64
COHERENT, INCOHERENT, ALL_FEATURES = 1 << 16, 0, 0xFFFFFFFF
NOTHING = 0xFFFFFFFF
UINT3, FLOAT3, HIGH_QUALITY = 0x5003, 0x9003, 2

SOURCE = r"""
#define EACH for (int i = 0; i < 16; i++)
typedef struct __attribute__((aligned(64))) {
    float ox[16], oy[16], oz[16], tnear[16], dx[16], dy[16], dz[16], time[16], tfar[16];
    unsigned mask[16], id[16], flags[16];
    float nx[16], ny[16], nz[16], u[16], v[16];
    unsigned primitive[16], geometry[16], instance[64];
} packet;
typedef struct __attribute__((aligned(16))) {
    float ox, oy, oz, tnear, dx, dy, dz, time, tfar;
    unsigned mask, id, flags;
    float nx, ny, nz, u, v;
    unsigned primitive, geometry, instance[8];
} single;
typedef struct { int flags; unsigned features; void *context, *filter, *intersect; double more; } arguments;
typedef void (*intersect16)(const int *, void *, packet *, arguments *);
typedef void (*intersect1)(void *, single *, arguments *);

void primary(intersect16 f, void *scene, int flags, unsigned features, const float *grid, long columns, long first, long last, unsigned *out) {
    arguments with = {flags, features, 0, 0, 0, 0};
    int valid[16];
    packet p;
    EACH valid[i] = -1, p.dx[i] = grid[9], p.dy[i] = grid[10], p.dz[i] = grid[11];
    EACH p.tnear[i] = 0, p.time[i] = 0, p.mask[i] = -1, p.id[i] = i, p.flags[i] = 0;
    for (long t = first; t < last; t++) {
        float column = 4 * (t % columns), row = 4 * (t / columns);
        EACH {
            float x = column + i % 4, y = row + i / 4;
            p.ox[i] = grid[0] + x * grid[3] + y * grid[6];
            p.oy[i] = grid[1] + x * grid[4] + y * grid[7];
            p.oz[i] = grid[2] + x * grid[5] + y * grid[8];
            p.tfar[i] = __builtin_inff(), p.geometry[i] = -1, p.primitive[i] = -1;
        }
        f(valid, scene, &p, &with);
        EACH out[16 * t + i] = p.primitive[i];
    }
}

void packets(intersect16 f, void *scene, int flags, unsigned features, const float *rays, float nearest, long first, long last, unsigned *out) {
    arguments with = {flags, features, 0, 0, 0, 0};
    packet p;
    EACH p.time[i] = 0, p.mask[i] = -1, p.id[i] = i, p.flags[i] = 0;
    for (long t = first; t < last; t += 16) {
        int valid[16];
        EACH {
            const float *ray = rays + 6 * (t + i < last ? t + i : t);
            valid[i] = t + i < last ? -1 : 0;
            p.ox[i] = ray[0], p.oy[i] = ray[1], p.oz[i] = ray[2], p.dx[i] = ray[3], p.dy[i] = ray[4], p.dz[i] = ray[5];
            p.tnear[i] = nearest, p.tfar[i] = __builtin_inff(), p.geometry[i] = -1, p.primitive[i] = -1;
        }
        f(valid, scene, &p, &with);
        EACH if (valid[i]) out[t + i] = p.primitive[i];
    }
}

void singles(intersect1 f, void *scene, int flags, unsigned features, const float *rays, float nearest, long first, long last, unsigned *out) {
    arguments with = {flags, features, 0, 0, 0, 0};
    for (long t = first; t < last; t++) {
        const float *ray = rays + 6 * t;
        single s = {ray[0], ray[1], ray[2], nearest, ray[3], ray[4], ray[5], 0, __builtin_inff(), -1, 0, 0};
        s.geometry = -1, s.primitive = -1;
        f(scene, &s, &with);
        out[t] = s.primitive;
    }
}
"""


def compiled():
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "peer.c"), os.path.join(folder, "peer.so")
        with open(source, "w") as file:
            file.write(SOURCE)
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
        return ctypes.CDLL(library)


def load_embree():
    folder = os.path.join(os.path.dirname(embreex.__file__), os.pardir, "embreex.libs")
    for name in ("libtbb", "libembree4"):
        library = ctypes.CDLL(glob.glob(os.path.join(folder, name + "*"))[0], mode=ctypes.RTLD_GLOBAL)
    for name in ("rtcNewDevice", "rtcNewScene", "rtcNewGeometry"):
        getattr(library, name).restype = ctypes.c_void_p
    library.rtcGetDeviceProperty.restype = ctypes.c_ssize_t
    return library


def scene_of(embree, corners):
    device = ctypes.c_void_p(embree.rtcNewDevice(b""))
    scene = ctypes.c_void_p(embree.rtcNewScene(device))
    geometry = ctypes.c_void_p(embree.rtcNewGeometry(device, 0))
    count = corners.size // 9
    # Embree reads four floats per vertex: one more at the end.
    vertices = numpy.append(corners, numpy.float32(0))
    indices = numpy.arange(3 * count, dtype=numpy.uint32)
    for kind, form, values, number in ((1, FLOAT3, vertices, 3 * count), (0, UINT3, indices, count)):
        place = ctypes.c_void_p(values.ctypes.data)
        zero, stride, number = (ctypes.c_size_t(n) for n in (0, 12, number))
        embree.rtcSetSharedGeometryBuffer(geometry, kind, 0, form, place, zero, stride, number)
    embree.rtcCommitGeometry(geometry)
    embree.rtcAttachGeometry(scene, geometry)
    embree.rtcSetSceneBuildQuality(scene, HIGH_QUALITY)
    embree.rtcCommitScene(scene)
    version = embree.rtcGetDeviceProperty(device, 0)
    return scene, (vertices, indices), f"Embree {version // 10000}.{version // 100 % 100}.{version % 100}"


def measure(threads, count, work):
    """Median seconds of work(first, last) over parts of all that are multiples of 16."""
    part = max(16, (count // CHUNKS + 15) // 16 * 16)
    ranges = [(first, min(first + part, count)) for first in range(0, count, part)]
    seconds = []
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for _ in range(REPEATS + 1):
            start = time.perf_counter()
            list(pool.map(lambda span: work(*span), ranges))
            seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def main():
    triangles, bounced, columns, rows, threads = (int(x) for x in sys.argv[1:6])
    nearest = ctypes.c_float(float(sys.argv[6]))
    grid = numpy.array(sys.argv[7:19], dtype=numpy.float32)
    data = numpy.frombuffer(sys.stdin.buffer.read(), dtype=numpy.float32)
    corners, rays, left = numpy.split(data, [9 * triangles, 9 * triangles + 6 * bounced])
    shim, embree = compiled(), load_embree()
    scene, keep, version = scene_of(embree, corners)
    features = ctypes.c_uint(ALL_FEATURES)

    def at(array):
        return ctypes.c_void_p(array.ctypes.data)

    def primary(first, last):
        f = ctypes.cast(embree.rtcIntersect16, ctypes.c_void_p)
        span = (ctypes.c_long(n) for n in (columns, first, last))
        shim.primary(f, scene, COHERENT, features, at(grid), *span, at(found))

    def listed(loop, function):
        def work(first, last):
            f = ctypes.cast(function, ctypes.c_void_p)
            span = (ctypes.c_long(n) for n in (first, last))
            loop(f, scene, INCOHERENT, features, at(rays), nearest, *span, at(found_bounced))

        return work

    found = numpy.empty(16 * columns * rows, dtype=numpy.uint32)
    found_bounced = numpy.empty(bounced, dtype=numpy.uint32)
    seconds = measure(threads, columns * rows, primary)
    by_packets = measure(threads, bounced, listed(shim.packets, embree.rtcIntersect16))
    by_one = measure(threads, bounced, listed(shim.singles, embree.rtcIntersect1))
    found_bounced[found_bounced == left.view(numpy.uint32)] = NOTHING
    hits = [int(numpy.count_nonzero(array != NOTHING)) for array in (found, found_bounced)]
    print(json.dumps({"version": version, "primary_s": seconds, "packets_s": by_packets, "singles_s": by_one, "hits": hits}))


main()
