"""Case files as dataclasses, one for each table of each solver; :class:`Mom`, :class:`Reflectarray`, :class:`Sbr`, :class:`Dgtd` and
:class:`Nah` are whole cases.

Made by generate_cases.py from schema/case-1.schema.json: do not edit. What is None is left out, and has its default. Quantities are
text with a unit ("10 GHz"), or numbers in SI units where the type says so; angles always have a unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Union

from ._table import Table

Quantity = Union[str, float]
"""A number with its unit, as text, or in SI units."""


@dataclass(kw_only=True)
class MomDielectric(Table):
    """Homogeneous dielectric or magnetic material, lossless or lossy."""

    eps_r: float | str
    """Relative permittivity, complex: with e^{+jωt}, losses are negative imaginary parts."""
    mu_r: float | str | None = None
    """Relative permeability, complex. Default: 1.0."""
    loss_tangent: float | None = None
    """Loss tangent of the permittivity, the same at all frequencies, with a real `eps_r`. Give this or `conductivity`.
    Default: 0."""
    conductivity: Quantity | None = None
    """Conductivity, the same at all frequencies, with a real `eps_r`. Give this or `loss_tangent`. Default: 0."""


@dataclass(kw_only=True)
class MomCircle(Table):
    """Circular cylinder."""

    shape: Literal['circle'] = field(default='circle', init=False)
    radius: Quantity
    """Radius of the cylinder."""
    center: Sequence[Quantity] | None = None
    """Center [x, y]. Default: ["0 m", "0 m"]."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the body. Default: "pec"."""
    cells: int | None = None
    """Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


@dataclass(kw_only=True)
class MomEllipse(Table):
    """Elliptic cylinder."""

    shape: Literal['ellipse'] = field(default='ellipse', init=False)
    semi_axes: Sequence[Quantity]
    """Semi-axes along x and y, before rotation."""
    center: Sequence[Quantity] | None = None
    """Center [x, y]. Default: ["0 m", "0 m"]."""
    rotation: str | None = None
    """Counterclockwise rotation about the center. Default: "0 deg"."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the body. Default: "pec"."""
    cells: int | None = None
    """Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


@dataclass(kw_only=True)
class MomPolygon(Table):
    """Closed polygon."""

    shape: Literal['polygon'] = field(default='polygon', init=False)
    points: Sequence[Sequence[Quantity]]
    """Vertices [x, y] in order; the last is connected to the first."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the body. Default: "pec"."""
    cells: int | None = None
    """Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


@dataclass(kw_only=True)
class MomStrip(Table):
    """Straight, infinitely thin strip (open contour)."""

    shape: Literal['strip'] = field(default='strip', init=False)
    from_: Sequence[Quantity]
    """First end point [x, y]."""
    to: Sequence[Quantity]
    """Second end point [x, y]."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the body. Default: "pec"."""
    cells: int | None = None
    """Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


@dataclass(kw_only=True)
class MomNaca(Table):
    """NACA four-digit airfoil."""

    shape: Literal['naca'] = field(default='naca', init=False)
    code: str
    """Four-digit designation: "2412" has 2 % camber at 40 % of the chord and 12 % thickness."""
    chord: Quantity
    """Chord length, from leading to trailing edge."""
    position: Sequence[Quantity] | None = None
    """Position [x, y] of the leading edge; the trailing edge is toward +x before rotation. Default: ["0 m", "0 m"]."""
    rotation: str | None = None
    """Counterclockwise rotation about the leading edge. Default: "0 deg"."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the body. Default: "pec"."""
    cells: int | None = None
    """Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


@dataclass(kw_only=True)
class MomSpline(Table):
    """Smooth spline through the points of a CSV file."""

    shape: Literal['spline'] = field(default='spline', init=False)
    file: str
    """CSV file with the points; path relative to the case file."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft']
    """Unit of the coordinates in the file."""
    closed: bool | None = None
    """Close the curve by connecting the last point to the first. Default: true."""
    position: Sequence[Quantity] | None = None
    """Position [x, y] of the file's origin. Default: ["0 m", "0 m"]."""
    rotation: str | None = None
    """Counterclockwise rotation about the file's origin. Default: "0 deg"."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the body. Default: "pec"."""
    cells: int | None = None
    """Number of cells on this body. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


@dataclass(kw_only=True)
class MomSvg(Table):
    """Outlines of an SVG file; each becomes a body."""

    shape: Literal['svg'] = field(default='svg', init=False)
    file: str
    """File with the outlines; path relative to the case file."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft']
    """Unit of the coordinates in the file."""
    id: str | None = None
    """Id of the element or group to use. Default: all shapes."""
    position: Sequence[Quantity] | None = None
    """Position [x, y] of the file's origin. Default: ["0 m", "0 m"]."""
    rotation: str | None = None
    """Counterclockwise rotation about the file's origin. Default: "0 deg"."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the bodies. Default: "pec"."""
    cells: int | None = None
    """Number of cells on each outline. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


@dataclass(kw_only=True)
class MomGmsh(Table):
    """Outlines of a Gmsh line mesh; each becomes a body."""

    shape: Literal['gmsh'] = field(default='gmsh', init=False)
    file: str
    """File with the outlines; path relative to the case file."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft']
    """Unit of the coordinates in the file."""
    group: str | None = None
    """Name of the physical group to use. Default: all lines."""
    flat: bool | None = None
    """Keep edges straight instead of fitting smooth curves through the nodes. Default: false."""
    position: Sequence[Quantity] | None = None
    """Position [x, y] of the file's origin. Default: ["0 m", "0 m"]."""
    rotation: str | None = None
    """Counterclockwise rotation about the file's origin. Default: "0 deg"."""
    material: Literal['pec'] | MomDielectric | None = None
    """Material of the bodies. Default: "pec"."""
    cells: int | None = None
    """Number of cells on each outline. Default: from `cells` or `cells_per_wavelength` in `[solve]`."""


MomBody = Union[MomCircle, MomEllipse, MomPolygon, MomStrip, MomNaca, MomSpline, MomSvg, MomGmsh]


@dataclass(kw_only=True)
class MomGeometry(Table):
    """Bodies that scatter the wave."""

    bodies: Sequence[MomBody]
    """List of bodies, each a table with its `shape`."""


@dataclass(kw_only=True)
class FrequencyRange(Table):
    """Uniformly spaced values, both ends included."""

    from_: Quantity
    """First value."""
    to: Quantity
    """Last value."""
    points: int | None = None
    """Number of values."""
    step: Quantity | None = None
    """Distance of neighboring values, in place of their number."""


@dataclass(kw_only=True)
class AngleRange(Table):
    """Uniformly spaced values, both ends included."""

    from_: str
    """First value."""
    to: str
    """Last value."""
    points: int | None = None
    """Number of values."""
    step: str | None = None
    """Distance of neighboring values, in place of their number."""


@dataclass(kw_only=True)
class MomSource(Table):
    """Incident plane wave."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange
    """Frequencies: one value, a list, or { from, to, points or step }."""
    polarization: Literal['TM', 'TE']
    """Polarization: "TM" or "TE" with respect to the cylinder axis z."""
    propagation: str | Sequence[str] | AngleRange | None = None
    """Direction of propagation, counterclockwise from +x: one value, a list, or { from, to, points or step }. Give
    this or `arrival`."""
    arrival: str | Sequence[str] | AngleRange | None = None
    """Direction of arrival, counterclockwise from +x; opposite to `propagation`. Give this or `propagation`."""


@dataclass(kw_only=True)
class MomSolve(Table):
    """Discretization, integral equation and precision."""

    method: Literal['lcn', 'pulse'] | None = None
    """Discretization of the surface currents. Default: "lcn"."""
    order: int | None = None
    """Number of unknowns per cell. Applies to `method = "lcn"`. Default: 10 for TM, 14 for TE."""
    equation: Literal['auto', 'efie', 'mfie', 'cfie'] | None = None
    """Integral equation on conductors. Default: "auto"."""
    cfie_weight: float | None = None
    """Weight of the EFIE in the combined-field integral equation, between 0 and 1. Default: 0.5."""
    near_quadrature: Literal['product', 'adaptive', 'local-correction'] | None = None
    """Quadrature of near interactions. Applies to `method = "lcn"`. Default: "product"."""
    near_distance: float | None = None
    """Maximum distance of near interactions, in lengths of the source cell. Applies to `method = "lcn"`. Default: 3
    for order 1, 2 for orders 2 to 7, otherwise 1."""
    flat: bool | None = None
    """Use straight cells on curved bodies too. Applies to `method = "lcn"`. Default: false."""
    corner_levels: int | None = None
    """Levels of dyadic refinement toward corners and open ends. Applies to `method = "lcn"`. Default: 16."""
    precision: Literal['single', 'double'] | None = None
    """Floating-point precision of matrix and solution. Default: "double"."""
    cells: int | None = None
    """Total number of cells, distributed over the bodies by length. Give this or `cells_per_wavelength`."""
    cells_per_wavelength: float | None = None
    """Number of cells per wavelength at the highest frequency. Give this or `cells`. Default: 20 unknowns per
    wavelength, at least 2 cells."""


@dataclass(kw_only=True)
class LengthRange(Table):
    """Uniformly spaced values, both ends included."""

    from_: Quantity
    """First value."""
    to: Quantity
    """Last value."""
    points: int | None = None
    """Number of values."""
    step: Quantity | None = None
    """Distance of neighboring values, in place of their number."""


@dataclass(kw_only=True)
class MomFieldGrid(Table):
    """Rectangular grid of observation points."""

    x: LengthRange
    """Sampling along x: { from, to, points or step }."""
    y: LengthRange
    """Sampling along y: { from, to, points or step }."""


@dataclass(kw_only=True)
class MomOutput(Table):
    """Requested outputs."""

    echo_width: str | Sequence[str] | AngleRange | None = None
    """Observation angles of the bistatic echo width, counterclockwise from +x: one value, a list, or { from, to,
    points or step }. Default: 0 to 360 deg in steps of 1 deg, or none with `monostatic`."""
    monostatic: bool | None = None
    """Compute the monostatic echo width for every direction of incidence. Default: false."""
    currents: bool | None = None
    """Save the surface currents. Default: true."""
    near_field: MomFieldGrid | None = None
    """Grid on which the near field is computed. Default: none."""


@dataclass(kw_only=True)
class Mom(Table):
    """Two-dimensional scattering by conductors and dielectrics, solved by the method of moments."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['mom'] = field(default='mom', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: MomGeometry
    """Bodies that scatter the wave."""
    source: MomSource
    """Incident plane wave."""
    solve: MomSolve | None = None
    """Discretization, integral equation and precision."""
    output: MomOutput | None = None
    """Requested outputs."""


@dataclass(kw_only=True)
class ReflectarrayPlacement(Table):
    """Bounds of the distance between neighboring elements during the optimization of their positions."""

    min_spacing: str | Quantity
    """Minimum distance between neighboring elements."""
    max_spacing: str | Quantity
    """Maximum distance between neighboring elements."""


@dataclass(kw_only=True)
class AntennaPattern(Table):
    """Far field of an antenna from a file. +z of the file becomes the boresight."""

    file: str
    """File of FEKO (`.ffe`), HFSS (`.ffd`) or GRASP (`.cut`, `.grd`); path relative to the case file. Of its
    frequencies, the nearest within 1 % applies. In a file without frequencies (`.cut`), the patterns are those of
    `source.frequency`, in its order."""
    rotation: str | None = None
    """Rotation of the antenna about its boresight, from +x toward +y. Default: "0 deg"."""
    phase_center: Sequence[Quantity] | None = None
    """Phase center of the antenna in the coordinates of the file: the point that stands at the position of the
    antenna. Default: the origin of the file."""


@dataclass(kw_only=True)
class ReflectarrayFeed(Table):
    """Feed at the origin; its boresight points at the center of the array."""

    offset: Quantity
    """Offset of the array center from the feed along y."""
    height: Quantity
    """Distance of the array plane from the feed."""
    power_exponent: float | None = None
    """Exponent p of the feed's power pattern cos^p(θ), with θ from its boresight. Required without `pattern`."""
    pattern: AntennaPattern | None = None
    """Far field of the feed, in place of `power_exponent`."""
    polarization: str | None = None
    """Polarization angle of the feed's electric field, from +x toward +y. Default: "0 deg"."""


@dataclass(kw_only=True)
class ReflectarrayElement(Table):
    """Element pattern."""

    power_exponent: float | None = None
    """Exponent p of the element's power pattern cos^p(θ), with θ from the array normal. Default: 1.0."""
    reflection: str | None = None
    """CSV file with the reflection coefficient of the unit cell, in the columns `theta_deg`, `amplitude` and
    `phase_deg`; path relative to the case file. Default: an ideal cell."""


@dataclass(kw_only=True)
class GeographicPosition(Table):
    """Point on the Earth."""

    longitude: str
    """Longitude, positive east."""
    latitude: str
    """Geodetic latitude, positive north."""


@dataclass(kw_only=True)
class ReflectarraySatellite(Table):
    """Geostationary satellite and its antenna pointing."""

    longitude: str
    """Longitude of the satellite, positive east."""
    pointing: GeographicPosition | None = None
    """Point on the Earth at which the array normal points. Default: the subsatellite point."""


@dataclass(kw_only=True)
class ReflectarrayEllipse(Table):
    """Ellipse in the (u, v) plane."""

    center: Sequence[float]
    """Center [u, v]."""
    semi_axes: Sequence[float]
    """Semi-axes along u and v, before rotation."""
    rotation: str | None = None
    """Rotation from u toward v. Default: "0 deg"."""


@dataclass(kw_only=True)
class ReflectarrayCoverage(Table):
    """Coverage region and its directivity bounds. Give exactly one of `region`, `file`, `polygon` and `ellipse`."""

    name: str | None = None
    """Name in tables and plots. Default: the name of the region or of the file."""
    region: str | None = None
    """Built-in region: "europe", "europe-land", "conus" or "canada". Requires `satellite`."""
    file: str | None = None
    """GeoJSON file with polygons in longitude and latitude; path relative to the case file. Requires `satellite`."""
    polygon: Sequence[Sequence[float]] | None = None
    """Polygon in the antenna coordinates: vertices [u, v] in order; the last is connected to the first."""
    ellipse: ReflectarrayEllipse | None = None
    """Ellipse in the antenna coordinates."""
    lower_dbi: float | None = None
    """Minimum directivity, in dBi. Default: the maximum that the aperture can provide."""
    upper_dbi: float | None = None
    """Maximum directivity, in dBi. Default: none."""


@dataclass(kw_only=True)
class ReflectarrayOutside(Table):
    """Upper bound of the directivity outside the coverage."""

    upper_dbi: float
    """Maximum directivity, in dBi."""
    margin: float
    """Width of the transition band around the coverage without a bound, in u and v."""


@dataclass(kw_only=True)
class ReflectarrayGeometry(Table):
    """Antenna, satellite and coverage."""

    elements: Sequence[int]
    """Number of elements along x and y."""
    spacing: str | Quantity | Sequence[str | Quantity]
    """Lattice spacing of the elements, or their initial spacing with `placement`: one value, or [x, y]; `lambda` is
    the wavelength at the first frequency."""
    placement: ReflectarrayPlacement | None = None
    """Optimize the element positions, within these bounds of the spacing. Default: none, a regular lattice."""
    feed: ReflectarrayFeed
    """Feed of the array."""
    element: ReflectarrayElement | None = None
    """Radiation pattern of an element."""
    design: str | None = None
    """Design to analyze: the `elements.csv` of an earlier run; path relative to the case file. Requires `method =
    "analysis"`."""
    focus: Sequence[float] | None = None
    """Beam direction [u, v] of the initial phases. Default: the center of the coverage."""
    satellite: ReflectarraySatellite | None = None
    """Satellite that carries the antenna. Required with coverages in geographic coordinates."""
    coverage: Sequence[ReflectarrayCoverage] | None = None
    """Coverage regions, each with its directivity bounds. Required unless `method = "analysis"`."""
    outside: ReflectarrayOutside | None = None
    """Upper bound of the directivity outside the coverage. Default: none."""


@dataclass(kw_only=True)
class ReflectarraySource(Table):
    """Frequencies of operation."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange
    """Frequencies: one value, a list, or { from, to, points or step }. The directivity bounds apply at all of them;
    the first defines the wavelength `lambda`."""


@dataclass(kw_only=True)
class ReflectarrayUvGrid(Table):
    """Sampling grid in the (u, v) plane."""

    center: Sequence[float] | None = None
    """Center [u, v]. Default: the center of the coverage."""
    points: Sequence[int] | None = None
    """Number of samples along u and v. Default: as needed for the coverage and a band around it."""
    spacing: float | None = None
    """Sample spacing in u and v. Default: λ/(8D), with D the longer side of the aperture."""


@dataclass(kw_only=True)
class ReflectarraySolve(Table):
    """Synthesis settings."""

    method: Literal['multistage', 'alternating-projections', 'analysis'] | None = None
    """Synthesis method. Default: "multistage"."""
    gradient: Literal['analytic', 'finite-difference'] | None = None
    """Gradient method. Applies to `method = "multistage"`. Default: "analytic"."""
    zernike_order: int | None = None
    """Maximum radial order of the Zernike polynomials of the phase in the modal stage of "multistage". Default: 6."""
    position_order: int | None = None
    """Degree of the polynomial map of the element positions along each axis. Requires `geometry.placement`. Default:
    5."""
    starts: int | None = None
    """Number of starting points of the modal stage of "multistage". Default: 8."""
    modal_iterations: int | None = None
    """Maximum iterations of each search in the modal stage of "multistage"; 0 skips the stage. Default: 60."""
    element_iterations: int | None = None
    """Maximum iterations of the element stage of "multistage", which optimizes every phase, or of "alternating-
    projections"; 0 skips the stage. Default: 400."""
    polish_iterations: int | None = None
    """Maximum iterations of the final stage of "multistage", which maximizes the minimum directivity over the
    coverage; 0 skips the stage. Default: 800."""
    seed: int | None = None
    """Seed of the random-number generator. Default: 1."""
    phase_bits: int | None = None
    """Number of bits of the phase shifters. Default: none, continuous phases."""
    tolerance: float | None = None
    """Relative tolerance of the nonuniform FFTs. Default: 1e-09."""
    uv_grid: ReflectarrayUvGrid | None = None
    """Sampling grid in the (u, v) plane. Default: the coverage and a band around it."""


@dataclass(kw_only=True)
class ReflectarraySensitivity(Table):
    """Sensitivity analysis of element failures and pointing errors."""

    failed_fraction: float
    """Fraction of failed (non-reflecting) elements, from 0 to 1."""
    pointing_error: str
    """Antenna pointing error, in any direction."""
    trials: int
    """Number of random trials of failed elements."""


@dataclass(kw_only=True)
class ReflectarrayOutput(Table):
    """Requested outputs, in addition to the design and its pattern."""

    cross_polar: bool | None = None
    """Compute the cross-polar pattern. Default: false."""
    sensitivity: ReflectarraySensitivity | None = None
    """Sensitivity to element failures and pointing errors. Default: not computed."""
    exports: Sequence[Literal['grd', 'ffe', 'dxf']] | None = None
    """Export formats."""


@dataclass(kw_only=True)
class Reflectarray(Table):
    """Synthesis or analysis of a reflectarray antenna."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['reflectarray'] = field(default='reflectarray', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: ReflectarrayGeometry
    """Antenna, satellite and coverage."""
    source: ReflectarraySource
    """Frequencies of operation."""
    solve: ReflectarraySolve | None = None
    """Synthesis settings."""
    output: ReflectarrayOutput | None = None
    """Requested outputs."""


@dataclass(kw_only=True)
class SbrPlate(Table):
    """Rectangular plate in the plane z = 0."""

    shape: Literal['plate'] = field(default='plate', init=False)
    size: Sequence[Quantity]
    """Side lengths along x and y."""
    cells: Sequence[int] | None = None
    """Number of cells, of two triangles each, along x and y. Default: [1, 1]."""


@dataclass(kw_only=True)
class SbrSphere(Table):
    """Sphere of triangles from a subdivided icosahedron."""

    shape: Literal['sphere'] = field(default='sphere', init=False)
    radius: Quantity
    """Radius of the sphere."""
    cells: int | None = None
    """Subdivision n of an icosahedron: each of its 20 faces becomes n² triangles. Default: 64."""


@dataclass(kw_only=True)
class SbrCylinder(Table):
    """Circular cylinder about the z axis."""

    shape: Literal['cylinder'] = field(default='cylinder', init=False)
    radius: Quantity
    """Radius of the cylinder."""
    length: Quantity
    """Length along z."""
    closed: bool | None = None
    """Close the ends by disks. Default: true."""
    cells: Sequence[int] | None = None
    """Number of cells in the axial and azimuthal directions. Default: [1, 360]."""


@dataclass(kw_only=True)
class SbrDihedral(Table):
    """Dihedral corner reflector: plates in the planes x = 0 and y = 0 with the seam along z; boresight at theta 90
    deg, phi 45 deg."""

    shape: Literal['dihedral'] = field(default='dihedral', init=False)
    width: Quantity
    """Width of each plate, perpendicular to the seam."""
    length: Quantity
    """Length along the seam."""
    cells: Sequence[int] | None = None
    """Number of cells of each plate, perpendicular to the seam and along it. Default: [1, 1]."""


@dataclass(kw_only=True)
class SbrTrihedral(Table):
    """Triangular trihedral corner reflector with legs along the axes."""

    shape: Literal['trihedral'] = field(default='trihedral', init=False)
    leg: Quantity
    """Leg length along the axes."""
    cells: int | None = None
    """Subdivision n: each face becomes n² triangles. Default: 1."""


@dataclass(kw_only=True)
class SbrSquareTrihedral(Table):
    """Square trihedral corner reflector with sides along the axes."""

    shape: Literal['square-trihedral'] = field(default='square-trihedral', init=False)
    side: Quantity
    """Side length along the axes."""
    cells: int | None = None
    """Subdivision n: each face becomes n² squares of two triangles. Default: 1."""


@dataclass(kw_only=True)
class SbrConeSphere(Table):
    """Cone-sphere: cone with its tip toward -x, tangent to a spherical cap."""

    shape: Literal['cone-sphere'] = field(default='cone-sphere', init=False)
    half_angle: str
    """Half-angle of the cone."""
    radius: Quantity
    """Radius of the spherical cap."""
    cells: Sequence[int] | None = None
    """Number of cells along the generatrix, each of cone and cap, and in azimuth. Default: [60, 180]."""


@dataclass(kw_only=True)
class SbrOgive(Table):
    """Ogive: circular arc revolved about its chord, the x axis."""

    shape: Literal['ogive'] = field(default='ogive', init=False)
    length: Quantity
    """Length from tip to tip."""
    radius: Quantity
    """Maximum radius, in the middle."""
    cells: Sequence[int] | None = None
    """Number of cells along the axis and in azimuth. Default: [60, 180]."""


@dataclass(kw_only=True)
class SbrAlmond(Table):
    """NASA almond, 252.4 mm long with its tip toward +x."""

    shape: Literal['almond'] = field(default='almond', init=False)
    cells: Sequence[int] | None = None
    """Number of cells along the axis and in azimuth. Default: [60, 180]."""


@dataclass(kw_only=True)
class SbrMissile(Table):
    """Missile of 700 triangles, 1.1 m long with its nose toward +x."""

    shape: Literal['missile'] = field(default='missile', init=False)


@dataclass(kw_only=True)
class SbrShip(Table):
    """Ship of 2,400 triangles, 0.9 m long with its bow toward +x and its mast along +y."""

    shape: Literal['ship'] = field(default='ship', init=False)


@dataclass(kw_only=True)
class SbrAircraftA(Table):
    """Fighter aircraft of 13,050 triangles, 11.76 m long."""

    shape: Literal['aircraft-a'] = field(default='aircraft-a', init=False)


@dataclass(kw_only=True)
class SbrAircraftB(Table):
    """Attack aircraft of 20,120 triangles, 14.12 m long."""

    shape: Literal['aircraft-b'] = field(default='aircraft-b', init=False)


SbrTarget = Union[SbrPlate, SbrSphere, SbrCylinder, SbrDihedral, SbrTrihedral, SbrSquareTrihedral, SbrConeSphere, SbrOgive, SbrAlmond, SbrMissile, SbrShip, SbrAircraftA, SbrAircraftB]


@dataclass(kw_only=True)
class Rotation(Table):
    """Rotation about a coordinate axis through the origin."""

    axis: Literal['x', 'y', 'z']
    """Rotation axis."""
    angle: str
    """Rotation angle, right-handed about the positive axis."""


@dataclass(kw_only=True)
class SbrMediumRow(Table):
    """Constants of a medium at one frequency."""

    frequency: Quantity
    """Frequency of the row."""
    eps_r: float | str
    """Relative permittivity at this frequency, complex."""
    mu_r: float | str | None = None
    """Relative permeability at this frequency, complex. Default: 1.0."""


@dataclass(kw_only=True)
class SbrLayer(Table):
    """Layer of a coating."""

    thickness: Quantity
    """Thickness of the layer."""
    eps_r: float | str | None = None
    """Relative permittivity, complex: with e^{+jωt}, losses are negative imaginary parts."""
    mu_r: float | str | None = None
    """Relative permeability, complex. Default: 1 with `eps_r`."""
    loss_tangent: float | None = None
    """Loss tangent of the permittivity, the same at all frequencies, with a real `eps_r`. Give this or `conductivity`."""
    conductivity: Quantity | None = None
    """Conductivity, the same at all frequencies, with a real `eps_r`. Give this or `loss_tangent`."""
    table: Sequence[SbrMediumRow] | None = None
    """Tabulated constants at ascending frequencies, interpolated linearly."""
    file: str | None = None
    """Tabulated constants as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and
    `mu_loss`."""


@dataclass(kw_only=True)
class SbrSurface(Table):
    """Half space behind the surface, or, with `layers`, a coating on a perfect conductor. The medium is given by
    constants (`eps_r`, `mu_r` and losses), or tabulated against frequency (`table` or `file`)."""

    eps_r: float | str | None = None
    """Relative permittivity, complex: with e^{+jωt}, losses are negative imaginary parts."""
    mu_r: float | str | None = None
    """Relative permeability, complex. Default: 1 with `eps_r`."""
    loss_tangent: float | None = None
    """Loss tangent of the permittivity, the same at all frequencies, with a real `eps_r`. Give this or `conductivity`."""
    conductivity: Quantity | None = None
    """Conductivity, the same at all frequencies, with a real `eps_r`. Give this or `loss_tangent`."""
    table: Sequence[SbrMediumRow] | None = None
    """Tabulated constants at ascending frequencies, interpolated linearly."""
    file: str | None = None
    """Tabulated constants as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and
    `mu_loss`."""
    layers: Sequence[SbrLayer] | None = None
    """Layers on a perfect conductor, from the conductor outward."""


@dataclass(kw_only=True)
class SbrGeometry(Table):
    """Target geometry and materials. Give `mesh` with its `units`, or `target`."""

    mesh: str | None = None
    """Triangle mesh file (.stl, .obj, .ply, .unv, .msh, .inp, .glb or .gltf); path relative to the case file. Give
    this or `target`."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft'] | None = None
    """Unit of the mesh coordinates. Required with `mesh`, since mesh files do not store it."""
    weld_tolerance: float | None = None
    """Distance below which vertices are merged, relative to the size of the mesh. Applies to `mesh` only. Default:
    3e-7."""
    winding: Literal['fix', 'reject'] | None = None
    """Treatment of triangles with inconsistent orientation. Applies to `mesh` only. Default: "fix"."""
    target: SbrTarget | None = None
    """Built-in target, selected by its `shape`. Give this or `mesh`."""
    surface: Literal['interpolated', 'facets'] | None = None
    """What the facets of the mesh stand for. Default: "interpolated"."""
    edge_angle: str | None = None
    """Turn of the surface from which an edge of the mesh is one of the target: it diffracts and stays sharp. Default:
    "30 deg"."""
    scale: float | None = None
    """Factor by which the target is enlarged, as for scale models. Default: 1.0."""
    rotation: Sequence[Rotation] | None = None
    """Rotations of the target about the coordinate axes, applied in order. Default: none."""
    materials: Mapping[str, Literal['pec'] | SbrSurface] | None = None
    """Materials, keyed by mesh group. Groups not listed are PEC. A built-in target has one group, `body`."""


@dataclass(kw_only=True)
class SbrAntenna(Table):
    """Antenna at a position, isotropic unless one of `power_exponent`, `dipole` and `pattern` is given."""

    position: Sequence[Quantity]
    """Position in the coordinates of the target, after `geometry.scale` and `geometry.rotation`."""
    boresight: Sequence[float] | None = None
    """Direction of the main beam: three numbers, of any length. Default: toward the middle of the bounding box of the
    target."""
    polarization: str | None = None
    """Polarization angle of the electric field on the boresight: 0 deg is horizontal (H, along phi of the antenna as
    the target sees it), 90 deg vertical (V, along theta). Default: 0 deg."""
    power_exponent: float | None = None
    """Exponent p of the power pattern cos^p(theta), with theta from the boresight."""
    dipole: str | Quantity | None = None
    """Length of a thin dipole along the polarization, in wavelengths or in meters."""
    pattern: AntennaPattern | None = None
    """Far field from a file."""


@dataclass(kw_only=True)
class SbrSource(Table):
    """Frequencies, and directions of the transmitter as seen from the target: all pairs of `theta` and `phi`, or of
    `azimuth` and `elevation`; or transmitters at positions."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange
    """Frequencies: one value, a list, or { from, to, points or step }."""
    theta: str | Sequence[str] | AngleRange | None = None
    """Polar angle of the transmitter from +z: one value, a list, or { from, to, points or step }. Give it with `phi`."""
    phi: str | Sequence[str] | AngleRange | None = None
    """Azimuthal angle of the transmitter from +x toward +y: one value, a list, or { from, to, points or step }. Give
    it with `theta`."""
    azimuth: str | Sequence[str] | AngleRange | None = None
    """Azimuth of the transmitter from +x toward +y, the same angle as `phi`. Give it with `elevation`."""
    elevation: str | Sequence[str] | AngleRange | None = None
    """Elevation of the transmitter above the xy plane, 90 deg - `theta`. Give it with `azimuth`."""
    transmitters: Sequence[SbrAntenna] | None = None
    """Transmitters at positions, in place of directions: each sends a spherical wave."""


@dataclass(kw_only=True)
class SbrSolve(Table):
    """Ray-tracing settings."""

    bounces: Literal['auto'] | int | None = None
    """Maximum number of bounces of a ray: "auto", until the power still bouncing is negligible, or a number; 1 is
    physical optics. Default: "auto"."""
    tube_width: float | None = None
    """Width of a ray tube, in wavelengths at the highest frequency. Adaptive tubes are as wide as the facets they hit;
    those with a cross section below 1/1024 of the squared width are not clipped further. Default: 0.1."""
    tubes: Literal['adaptive', 'ray-grid'] | None = None
    """Division of the incident wave into ray tubes. Default: "adaptive"."""
    formulation: Literal['EH', 'E', 'H'] | None = None
    """Equivalent currents that radiate from the exit aperture of a ray tube. Default: "EH"."""
    edges: Literal['none', 'ptd', 'truncated'] | None = None
    """Edge diffraction. Default: "none"."""
    tracer: Literal['bvh', 'kd-tree'] | None = None
    """Acceleration structure for ray-triangle intersection; "kd-tree" requires `tubes = "ray-grid"`. Default: "bvh"."""


@dataclass(kw_only=True)
class Directions(Table):
    """Observation directions: all pairs of `theta` and `phi`, or of `azimuth` and `elevation`."""

    theta: str | Sequence[str] | AngleRange | None = None
    """Polar angle from +z: one value, a list, or { from, to, points or step }. Give it with `phi`."""
    phi: str | Sequence[str] | AngleRange | None = None
    """Azimuthal angle from +x toward +y: one value, a list, or { from, to, points or step }. Give it with `theta`."""
    azimuth: str | Sequence[str] | AngleRange | None = None
    """Azimuth from +x toward +y, the same angle as `phi`. Give it with `elevation`."""
    elevation: str | Sequence[str] | AngleRange | None = None
    """Elevation above the xy plane, 90 deg - `theta`, from -90 deg to 90 deg. Give it with `azimuth`."""


@dataclass(kw_only=True)
class SbrRangeProfile(Table):
    """High-resolution range profile."""

    window: Literal['none', 'hann', 'hamming', 'taylor'] | None = None
    """Window over frequency, which lowers range sidelobes. Default: "taylor"."""
    oversampling: int | None = None
    """Samples per resolution cell. Default: 4."""


@dataclass(kw_only=True)
class SbrIsar(Table):
    """ISAR image."""

    window: Literal['none', 'hann', 'hamming', 'taylor'] | None = None
    """Window over frequency and angle, which lowers sidelobes in range and cross range. Default: "taylor"."""
    oversampling: int | None = None
    """Samples per resolution cell. Default: 4."""


@dataclass(kw_only=True)
class SbrHotspotAspect(Table):
    """Aspect of the case, given by the direction of the transmitter. Of several frequencies or receivers, the one with
    the strongest echo is used."""

    theta: str | None = None
    """Polar angle of the transmitter from +z, one of `source.theta`. Give it with `phi`."""
    phi: str | None = None
    """Azimuthal angle of the transmitter from +x toward +y, one of `source.phi`. Give it with `theta`."""
    azimuth: str | None = None
    """Azimuth of the transmitter, the same angle as `phi`. Give it with `elevation`."""
    elevation: str | None = None
    """Elevation of the transmitter, 90 deg - `theta`. Give it with `azimuth`."""
    frequency: Quantity | None = None
    """One of `source.frequency`. Default: the one with the strongest echo."""


@dataclass(kw_only=True)
class SbrOutput(Table):
    """Requested outputs."""

    rcs: bool | Directions | None = None
    """Radar cross section: true for monostatic RCS, { theta, phi } or { azimuth, elevation } of receivers for bistatic
    RCS, each for every direction of the transmitter; false for none. Default: true."""
    receivers: Sequence[SbrAntenna] | None = None
    """Receivers at positions, each for every one of `source.transmitters`. Default: each transmitter receives its own
    echo."""
    range_profile: SbrRangeProfile | None = None
    """High-resolution range profile from a frequency sweep. Default: none."""
    isar: SbrIsar | None = None
    """ISAR image from a sweep of frequency and one of angle. Default: none."""
    hotspots: bool | SbrHotspotAspect | None = None
    """Contribution of each facet to the echo: true for the aspect with the strongest echo, or { theta, phi, frequency
    }. Default: false."""


@dataclass(kw_only=True)
class Sbr(Table):
    """Radar cross section of a target by shooting and bouncing rays."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['sbr'] = field(default='sbr', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: SbrGeometry
    """Target geometry and materials."""
    source: SbrSource
    """Frequencies, and directions or positions of the radar."""
    solve: SbrSolve | None = None
    """Ray-tracing settings."""
    output: SbrOutput | None = None
    """Requested outputs."""


@dataclass(kw_only=True)
class DgtdBoxPart(Table):
    """Named axis-aligned box or rectangle."""

    name: str
    """Name of the volume or surface."""
    from_: Sequence[Quantity]
    """Corner with the smallest coordinates."""
    to: Sequence[Quantity]
    """Opposite corner, with the largest coordinates."""


@dataclass(kw_only=True)
class DgtdBox(Table):
    """Axis-aligned box, meshed with rectangular cells of six tetrahedra each. Its outer faces are the surfaces `xmin`,
    `xmax`, `ymin`, `ymax`, `zmin` and `zmax`."""

    from_: Sequence[Quantity]
    """Corner with the smallest coordinates."""
    to: Sequence[Quantity]
    """Opposite corner, with the largest coordinates."""
    cell_size: Quantity | Sequence[Quantity]
    """Maximum cell size: one length, or three along x, y and z."""
    name: str | None = None
    """Name of the volume outside all `regions`. Default: "air"."""
    regions: Sequence[DgtdBoxPart] | None = None
    """Boxes inside that form separate volumes; where they overlap, the later one applies. The boundary of each is a
    surface of the same name."""
    sheets: Sequence[DgtdBoxPart] | None = None
    """Rectangles that form separate surfaces: `from` and `to` are equal along exactly one axis."""


@dataclass(kw_only=True)
class DgtdSolidBox(Table):
    """Axis-aligned box."""

    shape: Literal['box'] = field(default='box', init=False)
    name: str
    """Name of the solid, which `materials` or `boundaries` refer to."""
    from_: Sequence[Quantity]
    """Corner with the smallest coordinates."""
    to: Sequence[Quantity]
    """Opposite corner, with the largest coordinates."""
    cell_size: Quantity | None = None
    """Maximum element size in the solid. Default: from the wavelength in its material."""
    edge_size: Quantity | None = None
    """Element size at its edges, if it is a conductor or bends around one. Default: from its width."""


@dataclass(kw_only=True)
class DgtdCylinder(Table):
    """Circular cylinder."""

    shape: Literal['cylinder'] = field(default='cylinder', init=False)
    name: str
    """Name of the solid, which `materials` or `boundaries` refer to."""
    from_: Sequence[Quantity]
    """Center of one end."""
    to: Sequence[Quantity]
    """Center of the other end."""
    radius: Quantity
    """Radius of the cylinder."""
    cell_size: Quantity | None = None
    """Maximum element size in the solid. Default: from the wavelength in its material."""
    edge_size: Quantity | None = None
    """Element size at its edges, if it is a conductor or bends around one. Default: from its width."""


@dataclass(kw_only=True)
class DgtdCone(Table):
    """Truncated circular cone."""

    shape: Literal['cone'] = field(default='cone', init=False)
    name: str
    """Name of the solid, which `materials` or `boundaries` refer to."""
    from_: Sequence[Quantity]
    """Center of one end."""
    to: Sequence[Quantity]
    """Center of the other end."""
    radii: Sequence[Quantity]
    """Radii of the two ends."""
    cell_size: Quantity | None = None
    """Maximum element size in the solid. Default: from the wavelength in its material."""
    edge_size: Quantity | None = None
    """Element size at its edges, if it is a conductor or bends around one. Default: from its width."""


@dataclass(kw_only=True)
class DgtdSphere(Table):
    """Solid sphere."""

    shape: Literal['sphere'] = field(default='sphere', init=False)
    name: str
    """Name of the solid, which `materials` or `boundaries` refer to."""
    center: Sequence[Quantity]
    """Center [x, y, z]."""
    radius: Quantity
    """Radius of the sphere."""
    cell_size: Quantity | None = None
    """Maximum element size in the solid. Default: from the wavelength in its material."""


@dataclass(kw_only=True)
class DgtdTorus(Table):
    """Torus about an axis parallel to z."""

    shape: Literal['torus'] = field(default='torus', init=False)
    name: str
    """Name of the solid, which `materials` or `boundaries` refer to."""
    center: Sequence[Quantity]
    """Center [x, y, z]."""
    radius: Quantity
    """Radius of the circle in the middle of the tube."""
    tube_radius: Quantity
    """Radius of the tube."""
    cell_size: Quantity | None = None
    """Maximum element size in the solid. Default: from the wavelength in its material."""


@dataclass(kw_only=True)
class DgtdWire(Table):
    """Wire of circular cross section along a polyline."""

    shape: Literal['wire'] = field(default='wire', init=False)
    name: str
    """Name of the solid, which `materials` or `boundaries` refer to."""
    points: Sequence[Sequence[Quantity]]
    """Vertices of the polyline on the axis of the wire, in order."""
    radius: Quantity
    """Radius of the wire."""
    cell_size: Quantity | None = None
    """Maximum element size in the solid. Default: from the wavelength in its material."""
    edge_size: Quantity | None = None
    """Element size at its ends, if it is a conductor. Default: from its radius."""


@dataclass(kw_only=True)
class DgtdExtrusion(Table):
    """Polygon in the xy plane, extruded along z."""

    shape: Literal['extrusion'] = field(default='extrusion', init=False)
    name: str
    """Name of the solid, which `materials` or `boundaries` refer to."""
    points: Sequence[Sequence[Quantity]]
    """Vertices [x, y] in order; the last is connected to the first."""
    z: Sequence[Quantity]
    """Coordinates [z_min, z_max] of its lower and upper end."""
    cell_size: Quantity | None = None
    """Maximum element size in the solid. Default: from the wavelength in its material."""
    edge_size: Quantity | None = None
    """Element size at its edges, if it is a conductor or bends around one. Default: from its width."""


DgtdSolid = Union[DgtdSolidBox, DgtdCylinder, DgtdCone, DgtdSphere, DgtdTorus, DgtdWire, DgtdExtrusion]


@dataclass(kw_only=True)
class DgtdRectangle(Table):
    """Rectangle normal to x, y or z."""

    shape: Literal['rectangle'] = field(default='rectangle', init=False)
    name: str
    """Name of the surface, which `boundaries` or a port refer to."""
    from_: Sequence[Quantity]
    """Corner with the smallest coordinates."""
    to: Sequence[Quantity]
    """Opposite corner; equal to `from` along exactly one axis."""
    edge_size: Quantity | None = None
    """Element size at its edges. Default: from its width."""


@dataclass(kw_only=True)
class DgtdDisk(Table):
    """Circular disk normal to x, y or z."""

    shape: Literal['disk'] = field(default='disk', init=False)
    name: str
    """Name of the surface, which `boundaries` or a port refer to."""
    center: Sequence[Quantity]
    """Center [x, y, z]."""
    radius: Quantity
    """Radius of the disk."""
    axis: Literal['x', 'y', 'z'] | None = None
    """Axis normal to the disk. Default: "z"."""
    edge_size: Quantity | None = None
    """Element size at its edge. Default: from its radius."""


@dataclass(kw_only=True)
class DgtdPolygon(Table):
    """Flat polygon."""

    shape: Literal['polygon'] = field(default='polygon', init=False)
    name: str
    """Name of the surface, which `boundaries` or a port refer to."""
    points: Sequence[Sequence[Quantity]]
    """Vertices in order, in one plane; the last is connected to the first."""
    edge_size: Quantity | None = None
    """Element size at its edges. Default: from its width."""


DgtdSheetShape = Union[DgtdRectangle, DgtdDisk, DgtdPolygon]


@dataclass(kw_only=True)
class DgtdCad(Table):
    """CAD file with its settings."""

    file: str
    """STEP (.step, .stp), IGES (.iges, .igs), BREP (.brep) or STL file (.stl, one closed body); path relative to the
    case file."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft'] | None = None
    """Unit of its coordinates: required for STL, millimeters by default for BREP. STEP and IGES files have their own."""
    name: str | None = None
    """One name for all bodies and sheets of the file. Default: the names in the file."""
    names: Mapping[str, str] | None = None
    """Other names for bodies and sheets, keyed by the name in the file or by the color, `"#ff8000"`."""
    cell_size: Quantity | None = None
    """Maximum element size in its bodies. Default: from the wavelength in their materials."""
    edge_size: Quantity | None = None
    """Element size at the sharp edges of its conductors. Default: from their width."""


@dataclass(kw_only=True)
class DgtdRefinementBox(Table):
    """Axis-aligned box."""

    region: Literal['box'] = field(default='box', init=False)
    from_: Sequence[Quantity]
    """Corner with the smallest coordinates."""
    to: Sequence[Quantity]
    """Opposite corner, with the largest coordinates."""
    cell_size: Quantity
    """Maximum element size in the region."""


@dataclass(kw_only=True)
class DgtdRefinementSphere(Table):
    """Spherical region."""

    region: Literal['sphere'] = field(default='sphere', init=False)
    center: Sequence[Quantity]
    """Center [x, y, z]."""
    radius: Quantity
    """Radius of the region."""
    cell_size: Quantity
    """Maximum element size in the region."""


@dataclass(kw_only=True)
class DgtdPart(Table):
    """Bounding box of the solids, sheets and CAD bodies of one name."""

    region: Literal['part'] = field(default='part', init=False)
    name: str
    """Name of the solids, sheets or bodies."""
    cell_size: Quantity
    """Element size at the part, or at its edges."""


@dataclass(kw_only=True)
class DgtdEdges(Table):
    """Sharp edges of the conductors of one name."""

    region: Literal['edges'] = field(default='edges', init=False)
    name: str
    """Name of the solids, sheets or bodies."""
    cell_size: Quantity
    """Element size at the part, or at its edges."""


DgtdRefinement = Union[DgtdRefinementBox, DgtdRefinementSphere, DgtdPart, DgtdEdges]


@dataclass(kw_only=True)
class DgtdPlanes(Table):
    """Planes of symmetry and infinite grounds: sides of the space around a drawn model that lie at a coordinate, with
    a boundary condition in place of the PML. What is drawn beyond them is cut off."""

    xmin: Quantity | None = None
    """Smallest x."""
    xmax: Quantity | None = None
    """Largest x."""
    ymin: Quantity | None = None
    """Smallest y."""
    ymax: Quantity | None = None
    """Largest y."""
    zmin: Quantity | None = None
    """Smallest z."""
    zmax: Quantity | None = None
    """Largest z."""


@dataclass(kw_only=True)
class DgtdPermittivityRow(Table):
    """Permittivity at one frequency. Give `loss_tangent` or `loss_factor`."""

    frequency: Quantity
    """Frequency of the row."""
    eps_r: float
    """Real part ε′ of the relative permittivity."""
    loss_tangent: float | None = None
    """Loss tangent ε″/ε′. Give this or `loss_factor`."""
    loss_factor: float | None = None
    """Loss factor ε″. Give this or `loss_tangent`."""


@dataclass(kw_only=True)
class DgtdDebye(Table):
    """Debye relaxation term, Δε/(1 + jωτ)."""

    delta_eps: float
    """Contribution Δε to the static relative permittivity."""
    relaxation_time: Quantity
    """Relaxation time τ."""


@dataclass(kw_only=True)
class DgtdDrude(Table):
    """Drude term of free charges, -ω_p²/(ω² - jγω)."""

    plasma_frequency: Quantity
    """Plasma frequency ω_p/2π."""
    damping: Quantity
    """Damping rate γ/2π."""


@dataclass(kw_only=True)
class DgtdLorentz(Table):
    """Lorentz resonance term, Δε ω₀²/(ω₀² + jγω - ω²)."""

    delta_eps: float
    """Contribution Δε to the static relative permittivity."""
    resonance_frequency: Quantity
    """Resonance frequency ω₀/2π."""
    damping: Quantity
    """Damping rate γ/2π."""


@dataclass(kw_only=True)
class DgtdMaterial(Table):
    """Material of a volume, linear; isotropic, or anisotropic with principal axes along x, y and z. Default: vacuum.
    Dispersive terms follow the e^{+jωt} convention."""

    eps_r: float | Sequence[float] | None = None
    """Relative permittivity ε_r, or three along x, y and z; with dispersive terms, the high-frequency limit ε_∞; with
    `loss_tangent`, its real part at the center of the band. Three values exclude `permittivity` and dispersive
    terms. Default: 1.0."""
    mu_r: float | Sequence[float] | None = None
    """Relative permeability μ_r, or three along x, y and z. Default: 1.0."""
    conductivity: Quantity | None = None
    """Electric conductivity σ. Default: "0 S/m"."""
    loss_tangent: float | None = None
    """Loss tangent ε″/ε′, constant over the band of the case, by a fit of Debye terms. Not with `conductivity`,
    `permittivity` or dispersive terms."""
    permittivity: str | Sequence[DgtdPermittivityRow] | None = None
    """Relative permittivity over frequency: rows { frequency, eps_r, loss_tangent }, or a CSV file with the columns
    `frequency_hz`, `eps_r` and `loss_tangent` or `loss_factor`; by a passive fit of dispersive terms over the band
    of the case. Replaces `eps_r`."""
    debye: Sequence[DgtdDebye] | None = None
    """Debye relaxation terms, Δε/(1 + jωτ) each."""
    drude: Sequence[DgtdDrude] | None = None
    """Drude terms, -ω_p²/(ω² - jγω) each."""
    lorentz: Sequence[DgtdLorentz] | None = None
    """Lorentz resonance terms, Δε ω₀²/(ω₀² + jγω - ω²) each."""


@dataclass(kw_only=True)
class DgtdSheet(Table):
    """Infinitely thin resistive sheet."""

    sheet_resistance: Quantity
    """Sheet resistance in ohms per square."""


@dataclass(kw_only=True)
class DgtdConductor(Table):
    """Good conductor, much thicker than its skin depth: an exterior boundary, or an interior sheet."""

    conductivity: Quantity
    """Conductivity of the metal."""
    roughness: Quantity | None = None
    """Root mean square of the surface roughness. Default: a smooth surface."""


@dataclass(kw_only=True)
class DgtdCoating(Table):
    """Thin layer on a conductor."""

    thickness: Quantity
    """Thickness of the layer."""
    eps_r: float
    """Relative permittivity ε_r of the layer."""
    mu_r: float | None = None
    """Relative permeability μ_r of the layer. Default: 1.0."""
    loss_tangent: float | None = None
    """Loss tangent ε″/ε′ of the layer, constant over the band of the case. Default: 0.0."""


@dataclass(kw_only=True)
class DgtdCoated(Table):
    """Perfect conductor under a thin layer that is not in the mesh: an exterior boundary, or an interior sheet with
    the layer on both sides."""

    coating: DgtdCoating
    """The layer; it must be thinner than a fifth of the wavelength in it."""


@dataclass(kw_only=True)
class DgtdLumped(Table):
    """Lumped element on a flat rectangle between two conductors. Give at least one of `resistance`, `inductance` and
    `capacitance`."""

    surface: str
    """Surface of the element: a rectangle from one conductor to the other."""
    direction: Sequence[float]
    """Direction from one conductor to the other; its length does not matter."""
    resistance: Quantity | None = None
    """Resistance of the element."""
    inductance: Quantity | None = None
    """Inductance of the element."""
    capacitance: Quantity | None = None
    """Capacitance of the element."""
    connection: Literal['series', 'parallel'] | None = None
    """How several of them are connected. Default: "series"."""


@dataclass(kw_only=True)
class DgtdGeometry(Table):
    """Mesh, materials and boundary conditions. Give `mesh` with its `units`, or `solids`, `sheets` and `cad`, or
    `box`."""

    mesh: str | None = None
    """Gmsh file (.msh) or MFEM file (.mesh) with a volume mesh and named physical groups, or attributes; path relative
    to the case file. Give this, `box`, or any of `solids`, `sheets` and `cad`."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft'] | None = None
    """Unit of the mesh coordinates. Required with `mesh`, since mesh files do not store it."""
    box: DgtdBox | None = None
    """Axis-aligned box, meshed with tetrahedra by the solver. Give this, `mesh`, or any of `solids`, `sheets` and
    `cad`."""
    solids: Sequence[DgtdSolid] | None = None
    """Solids, meshed by Gmsh; where they overlap, the later one applies. A solid whose name is in `boundaries` is a
    body with that boundary condition on its surface; any other is a volume whose material is in `materials`."""
    sheets: Sequence[DgtdSheetShape] | None = None
    """Infinitely thin sheets, meshed by Gmsh: conductors, resistive sheets, ports. Where they overlap, the later one
    applies."""
    cad: str | Sequence[DgtdCad] | None = None
    """CAD files, meshed by Gmsh: one name such as "part.step", or a list. Where bodies and `solids` overlap, the later
    one applies, with the bodies first. Each body has the material or boundary condition of its name. Surfaces that
    bound no body are sheets."""
    refine: Sequence[DgtdRefinement] | None = None
    """Element sizes in regions, which replace the automatic ones."""
    space: str | Quantity | Literal[False] | None = None
    """Air between the solids and sheets and the PML around them: a length, with `lambda` the wavelength at the lowest
    frequency; `false` for a closed model, whose boundary is that of its solids. Default: "0.25 lambda"."""
    planes: DgtdPlanes | None = None
    """Planes of symmetry and infinite grounds of a model of solids and sheets, by the side of the model that each one
    is and its coordinate: `{ zmin = "0 mm" }`. Their boundary conditions are in `boundaries`, by the same names."""
    materials: Mapping[str, DgtdMaterial] | None = None
    """Materials, keyed by the physical group of the volume. Volumes named `air`, `vacuum` or `pml*` are vacuum unless
    listed here; every other volume must be listed."""
    boundaries: Mapping[str, Literal['pec'] | Literal['pmc'] | Literal['absorbing'] | DgtdSheet | DgtdConductor | DgtdCoated] | None = None
    """Boundary conditions, keyed by the physical group of the surface. The outer surface of a PML needs none."""
    lumped: Sequence[DgtdLumped] | None = None
    """Lumped resistors, inductors and capacitors between conductors."""
    periodic: Sequence[Sequence[str]] | None = None
    """Pairs of surfaces with periodic boundary conditions. The two surfaces of a pair are translates of each other."""
    symmetry: Sequence[str] | None = None
    """Surfaces on flat outer PEC walls that are symmetry planes, with the mirrored half of the model behind them. The
    far field takes other flat outer PEC walls as infinite ground planes, and PMC walls as symmetry planes."""


@dataclass(kw_only=True)
class DgtdPlaneWave(Table):
    """Plane wave with a peak amplitude of 1 V/m."""

    theta: str | None = None
    """Polar angle of the direction of arrival, from +z. Give it with `phi`."""
    phi: str | None = None
    """Azimuthal angle of the direction of arrival, from +x toward +y. Give it with `theta`."""
    azimuth: str | None = None
    """Azimuth of the direction of arrival, the same angle as `phi`. Give it with `elevation`."""
    elevation: str | None = None
    """Elevation of the direction of arrival, 90 deg - `theta`. Give it with `azimuth`."""
    polarization: Literal['theta'] | Literal['phi'] | str
    """Polarization of the electric field: "theta", "phi", or an angle from theta-hat toward phi-hat."""
    surface: str | Sequence[str] | None = None
    """Total-field/scattered-field (TF/SF) surface, closed: total fields inside, scattered fields outside. Default:
    none; the scattered-field formulation, with the incident field imposed on the conductors. One name, or those of
    its parts."""


@dataclass(kw_only=True)
class DgtdNearSource(Table):
    """Equivalent currents of a near field as a source, at the frequencies of its file."""

    file: str
    """File of E and H on a closed surface in air: `near_field.npz` of another run."""
    surface: str | Sequence[str]
    """Total-field/scattered-field (TF/SF) surface, closed. Around the near field, which then radiates outward: total
    fields outside, scattered fields inside. Or beside it, around the bodies that it is incident on: total fields
    inside, scattered fields outside. One name, or those of its parts."""
    position: Sequence[Quantity] | None = None
    """Where the origin of the file is. Default: at the origin."""
    rotation: Sequence[Rotation] | None = None
    """Rotations about the origin of the file, one after the other, before it is moved. Default: none."""


@dataclass(kw_only=True)
class DgtdDipole(Table):
    """Hertzian dipole."""

    position: Sequence[Quantity]
    """Position [x, y, z]."""
    moment: Sequence[float]
    """Current moment at the peak of the pulse, in A m."""


@dataclass(kw_only=True)
class DgtdCoaxial(Table):
    """Annular cross section of a coaxial line."""

    center: Sequence[Quantity]
    """Point on the axis."""
    inner_radius: Quantity
    """Radius of the inner conductor."""
    outer_radius: Quantity
    """Radius of the outer conductor."""


@dataclass(kw_only=True)
class DgtdWaveModes(Table):
    """Modes of a wave port: lines (TEM, or quasi-TEM in layers), then TE and TM modes by rising cut-off."""

    modes: int | None = None
    """Number of modes; each is a port of the S-parameters, numbered in the order of the ports and of their modes.
    Default: 1. Give this or `terminals`."""
    terminals: Sequence[str] | None = None
    """Surfaces of the conductors of a line with several, all but the ground, which has the longest edges on the port;
    each is a port of the S-parameters with the `resistance`. Give this or `modes`."""
    polarity: Sequence[float] | None = None
    """Direction of E for a positive voltage, in the plane of the port, and of the first of two degenerate modes; of a
    mode whose mean along it is zero, on the side with the larger x, y or z. Default: along the first axis that the
    mode has a field along; lines: the smaller conductors are positive."""
    reference_plane: Quantity | None = None
    """Distance of the reference plane of the S-parameters from the surface, into the model; negative: out of it.
    Default: 0."""


@dataclass(kw_only=True)
class DgtdPort(Table):
    """Port on a plane surface. Give `direction` for a lumped port or `coaxial`, voltage sources with internal
    resistance between two conductors; or `wave`, the open end of a waveguide or line."""

    surface: str
    """Surface of the port."""
    resistance: Quantity | None = None
    """Internal resistance of the source; the reference impedance of the S-parameters. Of a wave port the reference
    impedance only, and then all ports must be excited; default there: the impedance of the mode."""
    direction: Sequence[float] | None = None
    """Rectangular lumped port: direction from the negative to the positive conductor; its length does not matter. Give
    this, `coaxial` or `wave`."""
    coaxial: DgtdCoaxial | None = None
    """Coaxial port: the annulus between the conductors; the inner one is positive. Give this, `direction` or `wave`."""
    wave: DgtdWaveModes | None = None
    """Wave port: the whole cross section of a waveguide or line on the outer boundary of the mesh, behind which it
    goes on. Its border lies on `"pec"` or `"pmc"` walls, and it is normal to x, y or z. Give this, `direction` or
    `coaxial`."""


@dataclass(kw_only=True)
class DgtdMode(Table):
    """Cavity mode E_x = a_x cos(k_x x) sin(k_y y) sin(k_z z), with E_y and E_z by cyclic permutation."""

    wave_vector: Sequence[float]
    """Wavenumbers k_x, k_y, k_z, in rad/m."""
    amplitude: Sequence[float]
    """Amplitudes a_x, a_y, a_z, in V/m; perpendicular to `wave_vector`."""


@dataclass(kw_only=True)
class DgtdInitialWave(Table):
    """Plane wave E = E₀ cos(k·r)."""

    wave_vector: Sequence[float]
    """Wave vector k, in rad/m."""
    amplitude: Sequence[float]
    """Electric field amplitude E₀, in V/m; perpendicular to `wave_vector`."""


@dataclass(kw_only=True)
class DgtdInitial(Table):
    """Initial fields. Give `mode` or `plane_wave`."""

    mode: DgtdMode | None = None
    """Mode of a rectangular PEC cavity with a corner at the origin. Give this or `plane_wave`."""
    plane_wave: DgtdInitialWave | None = None
    """Monochromatic plane wave throughout the mesh. Give this or `mode`."""


@dataclass(kw_only=True)
class DgtdGaussian(Table):
    """Gaussian pulse; baseband spectrum from dc to `max_frequency`."""

    shape: Literal['gaussian'] = field(default='gaussian', init=False)
    max_frequency: Quantity
    """Frequency at which the spectrum is 20 dB below its value at dc."""


@dataclass(kw_only=True)
class DgtdModulated(Table):
    """Modulated Gaussian pulse; band-pass spectrum around `center_frequency`."""

    shape: Literal['modulated'] = field(default='modulated', init=False)
    center_frequency: Quantity
    """Carrier frequency."""
    bandwidth: Quantity
    """Full bandwidth between the points at which the spectrum is 20 dB below its value at `center_frequency`."""


@dataclass(kw_only=True)
class DgtdTable(Table):
    """Samples from a file, such as a step with the rise time of a reflectometer, or the pulse of a UWB transmitter."""

    shape: Literal['table'] = field(default='table', init=False)
    file: str
    """CSV file of two columns, time and amplitude, with or without names in the first line. The amplitude multiplies
    the source: 1 V of a port, 1 V/m of a plane wave, the moments of dipoles. It begins and ends with zero."""
    units: Literal['s', 'ms', 'us', 'ns', 'ps', 'fs']
    """Unit of the times."""


DgtdPulse = Union[DgtdGaussian, DgtdModulated, DgtdTable]


@dataclass(kw_only=True)
class DgtdSource(Table):
    """Excitation: exactly one of `plane_wave`, `near_field`, `dipoles`, `ports` and `initial`."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange | None = None
    """Frequencies of field spectra, far fields and S-parameters: one value, a list, or { from, to, points or step }.
    Required for frequency-domain outputs, and without `pulse`."""
    plane_wave: DgtdPlaneWave | None = None
    """Incident plane wave."""
    near_field: DgtdNearSource | None = None
    """Near field of another run, by its equivalent currents; `frequency` must be among the frequencies of its file."""
    dipoles: Sequence[DgtdDipole] | None = None
    """Hertzian dipoles; their current moments follow the pulse."""
    ports: Sequence[DgtdPort] | None = None
    """Ports. One at a time is excited with a source voltage of 1 V times the pulse; the others are terminated in their
    `resistance`, wave ports in the impedance of their guide."""
    excite: Literal['all'] | Sequence[int] | None = None
    """Ports to excite, one after the other in separate runs: "all", or a list of port numbers counted from 1, each
    mode of a wave port as one. Default: `[1]`."""
    initial: DgtdInitial | None = None
    """Initial fields."""
    pulse: DgtdPulse | None = None
    """Time dependence of the source; not with `initial`. Default: a pulse that covers `frequency` and
    `output.resonances`, Gaussian for lumped and coaxial ports, modulated for all others: without a dc component
    that would leave static charges behind, and for wave ports with little below the lowest frequency, where guides
    have their cut-off."""


@dataclass(kw_only=True)
class DgtdSolve(Table):
    """Solver settings."""

    order: int | None = None
    """Polynomial order of the basis functions. Default: 3."""
    precision: Literal['single', 'double'] | None = None
    """Floating-point precision of the fields. Default: "double"."""
    flux: Literal['upwind', 'central'] | None = None
    """Numerical flux between elements. Default: "upwind"."""
    pml: Literal['cfs', 'uniaxial'] | None = None
    """Formulation of the perfectly matched layers, the volumes named `pml*`. Default: "cfs"."""
    courant: float | None = None
    """Courant factor: time step relative to the stability limit. Default: 0.9."""
    time_stepping: Literal['auto', 'global', 'local'] | None = None
    """Time integration scheme. Default: "auto"."""
    energy_decay_db: float | Literal[False] | None = None
    """Decay of the field energy below its peak that ends the run, in dB, or false to run until `max_time`; where all
    power leaves by ports, the run goes on until it is known to 0.1 %. Default: 50, or false with `initial` fields."""
    max_time: Quantity | None = None
    """Maximum simulated time. Required with `initial` fields or `energy_decay_db = false`. Default: the pulse length
    plus 100 transits of the mesh diagonal at the lowest wave speed."""
    accuracy: str | None = None
    """Target error of resonances, S-parameters and far fields. The mesh is refined adaptively until its estimated
    error is below this; with `mesh` or `box`, `order` is raised instead. Default: one pass, without an error
    estimate."""
    max_passes: int | None = None
    """Maximum number of adaptive passes with `accuracy`. Default: 4."""
    kernels: Literal['fused', 'split'] | None = None
    """Partition of a Runge-Kutta stage into GPU kernels. Default: "fused"."""


@dataclass(kw_only=True)
class DgtdMie(Table):
    """Sphere in the mesh whose RCS is computed by the Mie series for comparison."""

    radius: Quantity
    """Radius of the sphere."""
    volume: str | None = None
    """Volume of the sphere, one of `geometry.materials`. Default: none, a PEC sphere."""


@dataclass(kw_only=True)
class DgtdNearBox(Table):
    """Box along the axes, each side divided into equal rectangles with a point in the middle."""

    from_: Sequence[Quantity]
    """Corner with the smallest coordinates."""
    to: Sequence[Quantity]
    """Opposite corner, with the largest coordinates."""
    points: Sequence[int]
    """Number of points along x, y and z."""


@dataclass(kw_only=True)
class DgtdNearField(Table):
    """E and H on a closed surface around the model, as equivalent currents. Give `surface` or `box`."""

    surface: str | Sequence[str] | None = None
    """Closed surface of the mesh: one name, or those of its parts. Default: `far_field_surface`."""
    box: DgtdNearBox | None = None
    """Box along the axes, wherever elements are."""
    exports: Sequence[Literal['efe', 'hfe']] | None = None
    """Files for other programs, of a `box`: "efe" (FEKO, electric field) and "hfe" (FEKO, magnetic field)."""


@dataclass(kw_only=True)
class DgtdBand(Table):
    """Band of frequencies."""

    from_: Quantity
    """Lower end of the band."""
    to: Quantity
    """Upper end of the band."""


@dataclass(kw_only=True)
class DgtdSlice(Table):
    """Rectangle on which the fields are sampled."""

    name: str
    """Name of its files: letters, digits, spaces, `-`, `_` and `.`."""
    origin: Sequence[Quantity]
    """Corner of the rectangle."""
    sides: Sequence[Sequence[Quantity]]
    """Vectors of the two sides from `origin`."""
    points: Sequence[int]
    """Number of points along the two sides, both ends included."""
    film: Literal['e_x', 'e_y', 'e_z', 'e', 'h_x', 'h_y', 'h_z', 'h'] | None = None
    """What a film of the slice shows at the times of `snapshots`: a component of E or H, "e_x" to "h_z", or a
    magnitude, "e" or "h". Default: the strongest component of E."""


@dataclass(kw_only=True)
class TimeRange(Table):
    """Uniformly spaced values, both ends included."""

    from_: Quantity
    """First value."""
    to: Quantity
    """Last value."""
    points: int | None = None
    """Number of values."""
    step: Quantity | None = None
    """Distance of neighboring values, in place of their number."""


@dataclass(kw_only=True)
class DgtdOutput(Table):
    """Requested outputs. Ports always give S-parameters."""

    rcs: Directions | None = None
    """Bistatic radar cross section in these directions, for plane-wave excitation."""
    mie: DgtdMie | None = None
    """Mie series of a sphere, as a reference beside the computed RCS."""
    directivity: Directions | None = None
    """Directivity in these directions, for dipoles or ports."""
    exports: Sequence[Literal['ffe', 'ffd', 'cut', 'grd']] | None = None
    """Files of the far field at all angles of `directivity`, for other programs: "ffe" (FEKO), "ffd" (HFSS), "cut" and
    "grd" (GRASP)."""
    far_field_surface: str | Sequence[str] | None = None
    """Closed surface of the near-to-far-field transformation. Default: the total-field/scattered-field surface of the
    plane wave, or the conductors in a scattered-field formulation. One name, or those of its parts."""
    near_field: DgtdNearField | None = None
    """Near field on a closed surface at `source.frequency`: E and H as equivalent currents."""
    probes: Sequence[Sequence[Quantity]] | None = None
    """Points at which the fields are recorded at every time step."""
    resonances: DgtdBand | None = None
    """Frequencies and quality factors of the resonances in this band, from the ring-down of the probes and ports after
    the pulse."""
    slices: Sequence[DgtdSlice] | None = None
    """Rectangles on which the fields are saved at `source.frequency`, and at the times of `snapshots`."""
    currents: bool | None = None
    """Save the surface currents on all conductors at `source.frequency`. Default: false."""
    volumes: Sequence[str] | None = None
    """Volumes in which the fields are saved at `source.frequency`."""
    snapshots: Quantity | Sequence[Quantity] | TimeRange | None = None
    """Times at which the fields are saved: one value, a list, or { from, to, points or step }."""
    snapshot_volumes: Sequence[str] | None = None
    """Volumes that the snapshots cover. Default: all; where slices have a `film`, none but what the slices cut."""


@dataclass(kw_only=True)
class Dgtd(Table):
    """Discontinuous Galerkin time-domain simulation of Maxwell's equations on a tetrahedral mesh."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['dgtd'] = field(default='dgtd', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: DgtdGeometry
    """Mesh, materials and boundary conditions."""
    source: DgtdSource
    """Excitation and evaluation frequencies."""
    solve: DgtdSolve | None = None
    """Solver settings."""
    output: DgtdOutput | None = None
    """Requested outputs."""


@dataclass(kw_only=True)
class NahMedium(Table):
    """Acoustic medium."""

    sound_speed: float | None = None
    """Speed of sound, in m/s. Default: 343.2."""
    density: float | None = None
    """Mass density, in kg/m³. Default: 1.204."""


@dataclass(kw_only=True)
class NahGeometry(Table):
    """Microphone array, source plane and medium."""

    grid: Sequence[int]
    """Number of microphones along x and y; with `positions`, number of hologram points."""
    spacing: Sequence[Quantity]
    """Microphone spacing (pitch) along x and y."""
    standoff: Quantity
    """Distance from the array to the source plane."""
    positions: str | None = None
    """CSV file with the positions of microphones of an irregular array, in the columns `x_m` and `y_m`, or XML file of
    an Acoular array; path relative to the case file. Requires `method = "esm"`."""
    medium: NahMedium | None = None
    """Acoustic medium. Default: air at 20 °C."""


@dataclass(kw_only=True)
class NahMonopole(Table):
    """Monopole source, p = A e^{-jkr}/r."""

    position: Sequence[Quantity]
    """Position [x, y] relative to the center of the array."""
    depth: Quantity
    """Distance behind the source plane."""
    strength: float | None = None
    """Amplitude A at a distance of 1 m, in Pa m. Default: 1.0."""


@dataclass(kw_only=True)
class NahMode(Table):
    """Standing wave, p = A cos(k_x x) cos(k_y y) on the source plane."""

    wave_vector: Sequence[float]
    """Wavenumbers k_x and k_y, in rad/m."""
    pressure: float | None = None
    """Pressure amplitude A, in Pa. Default: 1.0."""


@dataclass(kw_only=True)
class NahPlaneWave(Table):
    """Plane wave, p = A e^{-j(k_x x + k_y y + k_z z)}, with z from the source plane to the array."""

    theta: str
    """Polar angle of the direction of propagation from the array normal; below 90 deg."""
    phi: str | None = None
    """Azimuthal angle of the direction of propagation, from +x toward +y. Default: "0 deg"."""
    pressure: float | None = None
    """Pressure amplitude A, in Pa. Default: 1.0."""


@dataclass(kw_only=True)
class NahPlate(Table):
    """Mode of a simply supported plate, normal velocity u = U sin(mπx/a) sin(nπy/b), centered in the source plane."""

    size: Sequence[Quantity]
    """Side lengths a and b."""
    mode: Sequence[int]
    """Mode indices m and n."""
    velocity: float | None = None
    """Velocity amplitude U, in m/s. Default: 1.0."""


@dataclass(kw_only=True)
class NahSource(Table):
    """Array signals: a `file` or several `files`, a live stream received at `listen`, or simulated sources, any of
    `monopoles`, `modes`, `plane_waves` and `plates`, with their `frequency`."""

    file: str | None = None
    """Recording (.wav, .rf64, .w64, .npy, .raw, .bits, .csv, .txt, .uff, .mat, .h5) or phasors (.csv, .npz); path
    relative to the case file."""
    files: Sequence[str] | None = None
    """Recordings of one or several channels each, in the order of the microphones, in place of `file`; of equal sample
    rate and length."""
    variable: str | None = None
    """Name of the array of samples in a .mat or .h5 file with several; in .h5, a path such as "measurement/pressure".
    Default: `time_data` in .h5, else the only one."""
    listen: str | None = None
    """UDP address at which datagrams of the array are received: a port on the loopback interface, such as "4950", or
    an IP address and a port."""
    replay: Literal['full-speed', 'real-time'] | None = None
    """Playback rate of a recording or of simulated signals. Default: "full-speed"."""
    repeat: int | None = None
    """Number of times the signals are played. Default: 1."""
    format: Literal['i16', 'i32', 'f32', 'pdm'] | None = None
    """Sample format of raw files and datagrams."""
    channel_order: Literal['rows', 'sorama'] | None = None
    """Channel order in PDM streams. Default: "rows"."""
    sample_rate: Quantity | None = None
    """Sample rate, or bit rate of PDM streams. WAV files contain it. Default for simulated signals: 51.2 kHz."""
    full_scale: float | None = None
    """Sound pressure at digital full scale (integer and PDM samples) or at a floating-point sample of 1, in Pa.
    Default: 1.0."""
    references: Sequence[int] | None = None
    """Channels of the recording that are references and no microphones of the array, counted from 0: sensors near the
    sources. Requires `averaging = "cross-spectra"`, whose partial fields are then those coherent with the
    references."""
    calibration: str | None = None
    """CSV file with the gains and phases of the microphones, in the columns `gain` and `phase_deg`, for which the
    signals are corrected; path relative to the case file."""
    frequency: Quantity | Sequence[Quantity] | FrequencyRange | None = None
    """Frequencies of the simulated sources: one value, a list, or { from, to, points or step }. Required with
    simulated sources."""
    monopoles: Sequence[NahMonopole] | None = None
    """Monopole sources."""
    modes: Sequence[NahMode] | None = None
    """Standing bending waves of an infinite plate."""
    plane_waves: Sequence[NahPlaneWave] | None = None
    """Plane waves propagating from the source plane to the array."""
    plates: Sequence[NahPlate] | None = None
    """Simply supported plates in a rigid baffle."""
    incoherent: bool | None = None
    """Simulated sources are random and independent of each other, in a band of eight lines of a spectrum around each
    `frequency`; their strengths are then the root mean squares of the amplitudes in a line. Default: tones.
    Requires `signal = "samples"`."""
    signal: Literal['samples', 'pdm', 'spectra'] | None = None
    """Signal type of the simulated sources. Default: "samples"."""
    duration: Quantity | None = None
    """Duration of simulated signals or of the reception of a stream. Default: 0.1 s for simulated signals; streams are
    received until interrupted."""
    dc_offset: float | None = None
    """Constant (dc) pressure added to simulated samples, in Pa. Default: 0."""
    snr_db: float | None = None
    """Signal-to-noise ratio of the weakest tone per spectral line, in dB. Default: no noise."""
    seed: int | None = None
    """Seed of the random-number generator for the noise. Default: 1."""


@dataclass(kw_only=True)
class NahBeamforming(Table):
    """Beamforming at the frequencies that are too high for holograms."""

    method: Literal['clean-sc', 'delay-and-sum', 'functional'] | None = None
    """Beamforming method. Default: "clean-sc"."""
    above: Quantity | None = None
    """Frequencies above it have beamforming, the others holograms. Default: two microphones per wavelength, and with
    `filter = "auto"` and the FFT method the highest cutoff."""
    size: Sequence[Quantity] | None = None
    """Width and height of the focus plane, which is the source plane around the center of the array. Default: those of
    the grid."""
    spacing: Quantity | None = None
    """Maximum spacing of the focus points. Default: an eighth of the wavelength of each frequency."""
    exponent: float | None = None
    """For "functional": exponent ν of the beamformer, by which side lobes are lowered. Default: 20."""
    keep_diagonal: bool | None = None
    """Keep the diagonal of the cross-spectral matrix, which has the noise of the microphones. "functional" always
    does. Default: false."""


@dataclass(kw_only=True)
class NahSolve(Table):
    """Reconstruction settings."""

    method: Literal['auto', 'fft', 'esm'] | None = None
    """Reconstruction method. Default: "auto"."""
    source_depth: Quantity | None = None
    """For "esm": distance of the equivalent sources behind the source plane. Default: 1.5 times the larger spacing."""
    spectral_method: Literal['fft', 'dft', 'auto', 'block-average', 'walsh', 'walsh-exact', 'cic-popcount', 'sliding-dft'] | None = None
    """Spectrum estimator: from samples or PDM bits to phasors. Default: "fft"."""
    fft_length: int | None = None
    """Length of a spectrum in samples, after decimation of PDM bits. Default: 1024."""
    hop: int | None = None
    """Hop between successive spectra, in samples. Default: 32 for "sliding-dft" and "cic-popcount", otherwise half of
    `fft_length`."""
    compensation_fir: bool | None = None
    """For "fft" of PDM bits: compensate the passband droop of the decimation filter by an FIR filter, instead of a
    factor per frequency. Default: false."""
    walsh_terms: int | None = None
    """For "walsh": number of Walsh functions per frequency. Default: 40. Give this or `walsh_threshold`."""
    walsh_threshold: float | None = None
    """For "walsh": minimum coefficient of the Walsh functions used; coefficients are at most 4/π. Give this or
    `walsh_terms`."""
    walsh_functions: Literal['precomputed', 'rademacher'] | None = None
    """For "walsh": generation of the Walsh functions. Default: "precomputed"."""
    averaging: Literal['none', 'cross-spectra'] | None = None
    """How the spectra of a recording become holograms. Default: "none"."""
    beamforming: NahBeamforming | None = None
    """Beamforming of the same averages on the source plane, at the frequencies that are too high for holograms;
    `beamforming = {}` has all defaults. Requires averaging = "cross-spectra"."""
    extrapolation: Literal['lpbp', 'plpbp', 'zero'] | None = None
    """Extrapolation of the field beyond the edge of the aperture. Default: "lpbp"."""
    filter: Literal['auto', 'cos', 'cos-modified', 'tikhonov', 'none'] | None = None
    """Regularization filter in k-space. Default: "auto"."""
    cutoff: float | None = None
    """For "cos" and "cos-modified": cutoff wavenumber at which the filter falls to one half, in rad/m. Default: 50."""
    rolloff: float | None = None
    """For "cos" and "cos-modified": width of the transition band relative to the cutoff. Default: 0.3."""
    velocity_cutoff: float | None = None
    """As `cutoff`, for the particle velocity, which is more sensitive to evanescent waves. Default: `cutoff`."""
    velocity_rolloff: float | None = None
    """As `rolloff`, for the particle velocity. Default: `rolloff`."""
    regularization: float | None = None
    """For filter = "tikhonov": parameter α of the filter H²/(H² + α), with H the magnitude of the propagator to the
    array; default: 0.01. For method = "esm": Tikhonov parameter λ over the mean of the diagonal of GGᴴ, with G the
    matrix from the sources to the microphones; default: that of the largest marginal likelihood."""
    precision: Literal['single', 'double'] | None = None
    """Floating-point precision of the holograms. Default: "double"."""


@dataclass(kw_only=True)
class NahLevels(Table):
    """Sound levels at the microphones."""

    frequency_weighting: Literal['A', 'C', 'Z'] | None = None
    """Frequency weighting of the levels over time and of the weighted band levels. Default: "A"."""
    time_weighting: Literal['fast', 'slow', 'impulse'] | None = None
    """Time weighting of the levels over time. Default: "fast"."""
    interval: Quantity | None = None
    """Time between two levels; at least 1 ms. Default: "0.1 s"."""


@dataclass(kw_only=True)
class NahPhoto(Table):
    """A photo of the source under the maps."""

    file: str
    """PNG or JPEG file; path relative to the case file."""
    corners: Sequence[Sequence[Quantity]]
    """Positions of the corners of the photo on the source plane: top left, top right, bottom right and bottom left;
    the center of the array is zero."""


@dataclass(kw_only=True)
class NahRegion(Table):
    """A rectangle of the reconstruction planes."""

    name: str
    """Name of the region in tables."""
    x: Sequence[Quantity]
    """From and to along x; the center of the array is zero."""
    y: Sequence[Quantity]
    """From and to along y."""


@dataclass(kw_only=True)
class NahOutput(Table):
    """Requested outputs."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange | None = None
    """Frequencies of the holograms: one value, a list, or { from, to, points or step }. Required with recordings and
    streams. Default: the frequencies of the simulated sources, or of the phasors in `source.file`."""
    planes: Sequence[Quantity] | None = None
    """Reconstruction planes, as distances from the array toward the source. Default: the source plane, `[standoff]`."""
    time: Quantity | None = None
    """Start time of the spectrum whose holograms are saved; levels are reported for all spectra. Default: "0 s"."""
    maps: bool | None = None
    """Plot maps of the holograms. Default: true."""
    oversampling: int | None = None
    """Oversampling of saved and plotted holograms: number of points per microphone spacing. Default: 1."""
    compare: bool | None = None
    """Compare phasors and holograms with those of `spectral_method = "fft"`. Default: true."""
    spectral_methods: Sequence[Literal['fft', 'dft', 'auto', 'block-average', 'walsh', 'walsh-exact', 'cic-popcount', 'sliding-dft']] | None = None
    """Additional spectrum estimators to compare with `spectral_method = "fft"`. Requires `compare`."""
    reference: str | None = None
    """Reference phasors measured on the first of `planes` at the grid positions, as .csv or .npz in the format of
    `source.file`; path relative to the case file."""
    levels: NahLevels | None = None
    """Sound levels at the microphones, of the whole recording: third-octave bands, A, C and Z weighted, and over time.
    `levels = {}` has all defaults. Requires a recording or simulated signals."""
    photo: NahPhoto | None = None
    """Photo of the source under the maps of the pressure and of beamforming."""
    regions: Sequence[NahRegion] | None = None
    """Regions of the planes whose sound power is reported, with the field indicators of ISO 9614-1."""


@dataclass(kw_only=True)
class Nah(Table):
    """Near-field acoustic holography: reconstructs the sound field of a source from the pressures at a microphone
    array."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['nah'] = field(default='nah', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: NahGeometry
    """Microphone array, source plane and medium."""
    source: NahSource
    """Array signals: a recording, a live stream, or simulated sources."""
    solve: NahSolve | None = None
    """Reconstruction settings."""
    output: NahOutput | None = None
    """Requested outputs."""


Case = Union[Mom, Reflectarray, Sbr, Dgtd, Nah]


__all__ = [
    "AngleRange",
    "AntennaPattern",
    "Case",
    "Dgtd",
    "DgtdBand",
    "DgtdBox",
    "DgtdBoxPart",
    "DgtdCad",
    "DgtdCoated",
    "DgtdCoating",
    "DgtdCoaxial",
    "DgtdConductor",
    "DgtdCone",
    "DgtdCylinder",
    "DgtdDebye",
    "DgtdDipole",
    "DgtdDisk",
    "DgtdDrude",
    "DgtdEdges",
    "DgtdExtrusion",
    "DgtdGaussian",
    "DgtdGeometry",
    "DgtdInitial",
    "DgtdInitialWave",
    "DgtdLorentz",
    "DgtdLumped",
    "DgtdMaterial",
    "DgtdMie",
    "DgtdMode",
    "DgtdModulated",
    "DgtdNearBox",
    "DgtdNearField",
    "DgtdNearSource",
    "DgtdOutput",
    "DgtdPart",
    "DgtdPermittivityRow",
    "DgtdPlaneWave",
    "DgtdPlanes",
    "DgtdPolygon",
    "DgtdPort",
    "DgtdPulse",
    "DgtdRectangle",
    "DgtdRefinement",
    "DgtdRefinementBox",
    "DgtdRefinementSphere",
    "DgtdSheet",
    "DgtdSheetShape",
    "DgtdSlice",
    "DgtdSolid",
    "DgtdSolidBox",
    "DgtdSolve",
    "DgtdSource",
    "DgtdSphere",
    "DgtdTable",
    "DgtdTorus",
    "DgtdWaveModes",
    "DgtdWire",
    "Directions",
    "FrequencyRange",
    "GeographicPosition",
    "LengthRange",
    "Mom",
    "MomBody",
    "MomCircle",
    "MomDielectric",
    "MomEllipse",
    "MomFieldGrid",
    "MomGeometry",
    "MomGmsh",
    "MomNaca",
    "MomOutput",
    "MomPolygon",
    "MomSolve",
    "MomSource",
    "MomSpline",
    "MomStrip",
    "MomSvg",
    "Nah",
    "NahBeamforming",
    "NahGeometry",
    "NahLevels",
    "NahMedium",
    "NahMode",
    "NahMonopole",
    "NahOutput",
    "NahPhoto",
    "NahPlaneWave",
    "NahPlate",
    "NahRegion",
    "NahSolve",
    "NahSource",
    "Quantity",
    "Reflectarray",
    "ReflectarrayCoverage",
    "ReflectarrayElement",
    "ReflectarrayEllipse",
    "ReflectarrayFeed",
    "ReflectarrayGeometry",
    "ReflectarrayOutput",
    "ReflectarrayOutside",
    "ReflectarrayPlacement",
    "ReflectarraySatellite",
    "ReflectarraySensitivity",
    "ReflectarraySolve",
    "ReflectarraySource",
    "ReflectarrayUvGrid",
    "Rotation",
    "Sbr",
    "SbrAircraftA",
    "SbrAircraftB",
    "SbrAlmond",
    "SbrAntenna",
    "SbrConeSphere",
    "SbrCylinder",
    "SbrDihedral",
    "SbrGeometry",
    "SbrHotspotAspect",
    "SbrIsar",
    "SbrLayer",
    "SbrMediumRow",
    "SbrMissile",
    "SbrOgive",
    "SbrOutput",
    "SbrPlate",
    "SbrRangeProfile",
    "SbrShip",
    "SbrSolve",
    "SbrSource",
    "SbrSphere",
    "SbrSquareTrihedral",
    "SbrSurface",
    "SbrTarget",
    "SbrTrihedral",
    "TimeRange",
]
