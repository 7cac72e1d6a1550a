"""The gallery's round cylinders from their series: references of cases 02, 03, 04, 07, 08, 11 and 12.

The series (reference/series.py) are verified here by energy (what is taken from the wave is scattered, unless there are
losses), by the boundary condition on the conductor, and by two cylinders far apart, which scatter like single ones.
"""
import numpy as np
from reference import series
from reference.figures import agree, require
from scipy.special import hankel2, jv

ETA0 = 1.25663706212e-6 * 299792458.0
FRONT, SIDE, BACK = 0.0, np.pi / 2, np.pi
RESONANCE = 2.404825557695773  # the first zero of J_0: Abramowitz and Stegun, table 9.5


def echo_widths(a, n):
    return {
        "echo width forward": series.echo_width(a, n, FRONT),
        "echo width sideways": series.echo_width(a, n, SIDE),
        "echo width back": series.echo_width(a, n, BACK),
    }


def mean_echo_width(a, n):
    return np.mean([series.echo_width(a, n, phi) for phi in np.arange(720) * np.pi / 360])


def conductor(case, ka, wavelength):
    n = series.orders(ka)
    a = series.conductor(n, ka, "TM")
    require(f"{case}: energy", abs(series.extinction(a) / mean_echo_width(a, n) - 1), 1e-13)
    edge = np.sum((-1j) ** n * (jv(n, ka) - a * hankel2(n, ka)) * np.exp(1j * n))
    require(f"{case}: field on the conductor", abs(edge), 1e-13)
    agree(case, echo_widths(a, n) | {
        "current, lit side": abs(series.current(ka, BACK)) / ETA0,
        "current, edge of shadow": abs(series.current(ka, SIDE)) / ETA0,
        "total width": series.extinction(a) * wavelength,
    })


def dielectric(case, ka, eps, polarization, wavelength):
    n = series.orders(ka)
    a = series.dielectric(n, ka, eps, polarization)
    absorbed = series.extinction(a) - mean_echo_width(a, n)
    if np.imag(eps) == 0:
        require(f"{case}: energy", abs(absorbed) / series.extinction(a), 1e-13)
    elif not absorbed > 0:
        raise SystemExit(f"{case}: a lossy cylinder must absorb, not {absorbed}")
    print(f"  {case}: {absorbed / series.extinction(a):.1%} of the total width is absorbed")
    agree(case, echo_widths(a, n) | {"total width": series.extinction(a) * wavelength})


# A vanishing contrast scatters nothing; a great permittivity scatters like a conductor, but for its inner resonances.
faint = series.dielectric(series.orders(3.0), 3.0, 1 + 1e-12, "TM")
require("no contrast, no echo", np.max(abs(faint)), 1e-10)
apart = [(0.0, 4000.0), (0.0, -4000.0)]
single = series.echo_width(series.conductor(series.orders(np.pi), np.pi, "TM"), series.orders(np.pi), BACK)
both = series.several_conductors(2 * np.pi, 0.5, apart, BACK)
require("two cylinders far apart, against four times one", abs(both / (4 * single) - 1), 0.05)

for case, ka in (("02-nystroem", 2 * np.pi), ("03-resonance", RESONANCE)):
    conductor(case, ka, 2 * np.pi / ka)
pair = [(0.0, 1.0), (0.0, -1.0)]
agree("04-several-bodies", {
    name: series.several_conductors(2 * np.pi, 0.5, pair, phi)
    for name, phi in [("echo width forward", FRONT), ("echo width sideways", SIDE), ("echo width back", BACK)]
})
rods = [(0.0, 0.0), (2.0, 0.0), (0.0, 1.5)]
agree("11-gmsh-rods", {
    name: series.several_conductors(2 * np.pi, 0.5, rods, phi)
    for name, phi in [("echo width forward", FRONT), ("echo width sideways", SIDE), ("echo width back", BACK),
                      ("echo width to the other side", 3 * np.pi / 2)]
})
a, n = series.conductor(series.orders(np.pi), np.pi, "TE"), series.orders(np.pi)
agree("12-extinction", {"total width": series.extinction(a), "echo width back": series.echo_width(a, n, BACK)})
dielectric("07-dielectric", 2 * np.pi, 4.0, "TM", 1.0)
dielectric("08-lossy", 2 * np.pi, 4.0 * (1 - 0.1j), "TE", 1.0)
