"""The method of moments for thin wires: currents constant on N segments around the nodes, charges on those between them.

R. F. Harrington, Field Computation by Moment Methods, 1968, section 4.2, with the exact kernel, and a field that is constant in the gap.
"""
import numpy as np

C0 = 299792458.0
ETA = 376.730313668


def kernel(k, size, radius, count):
    """Mean of e^{-jkR}/(4 pi R) over a segment, at 0, 1, 2, ... segments from its center, on the surface of the wire."""
    node, weight = np.polynomial.legendre.leggauss(8)
    angle = (np.arange(64) + 0.5) * np.pi / 64
    means = []
    for distance in size * np.arange(count):
        edges = np.linspace(distance - size / 2, distance + size / 2, 61 if distance < 3 * size else 4)
        half = (edges[1] - edges[0]) / 2
        z = (edges[:-1, None] + edges[1:, None]) / 2 + half * node
        r = np.sqrt(z[:, :, None] ** 2 + (2 * radius * np.sin(angle / 2)) ** 2)
        means.append(half * np.sum(weight * np.mean(np.exp(-1j * k * r) / (4 * np.pi * r), axis=2)) / size)
    return np.array(means)


def moments(frequency, length, radius, gap, segments):
    """Impedance by the method of moments."""
    k, size = 2 * np.pi * frequency / C0, length / segments
    g = kernel(k, size, radius, segments + 1)
    node = np.arange(1, segments)
    apart = abs(node[:, None] - node)
    vector = 1j * k * ETA * size**2 * g[apart]
    scalar = ETA / (1j * k) * (2 * g[apart] - g[apart + 1] - g[abs(apart - 1)])
    z = node * size - length / 2
    share = np.clip(np.minimum(z + size / 2, gap / 2) - np.maximum(z - size / 2, -gap / 2), 0, None) / gap
    return 1 / (share @ np.linalg.solve(vector + scalar, share.astype(complex)))
