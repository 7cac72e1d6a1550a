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
    """A homogeneous dielectric or magnetic material, perhaps with losses."""

    eps_r: float
    """Relative permittivity, its real part; 1 is vacuum."""
    mu_r: float | None = None
    """Relative permeability; 1 if left out."""
    loss_tangent: float | None = None
    """Loss tangent of the permittivity, the same at all frequencies; none if left out. Give this or `conductivity`."""
    conductivity: Quantity | None = None
    """Conductivity, the same at all frequencies; none if left out. Give this or `loss_tangent`."""


@dataclass(kw_only=True)
class MomCircle(Table):
    """A circular cylinder."""

    shape: Literal['circle'] = field(default='circle', init=False)
    radius: Quantity
    """Radius of the circle."""
    center: Sequence[Quantity] | None = None
    """Center [x, y]; the origin if left out."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the body is made of."""
    cells: int | None = None
    """Number of cells on this body; if left out, it follows from `[solve]`."""


@dataclass(kw_only=True)
class MomEllipse(Table):
    """An elliptic cylinder."""

    shape: Literal['ellipse'] = field(default='ellipse', init=False)
    semi_axes: Sequence[Quantity]
    """The two semi-axes, along x and along y before the rotation."""
    center: Sequence[Quantity] | None = None
    """Center [x, y]; the origin if left out."""
    rotation: str | None = None
    """Rotation about the center, counter-clockwise; none if left out."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the body is made of."""
    cells: int | None = None
    """Number of cells on this body; if left out, it follows from `[solve]`."""


@dataclass(kw_only=True)
class MomPolygon(Table):
    """A closed polygon."""

    shape: Literal['polygon'] = field(default='polygon', init=False)
    points: Sequence[Sequence[Quantity]]
    """The corners [x, y] in order; the last is joined to the first."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the body is made of."""
    cells: int | None = None
    """Number of cells on this body; if left out, it follows from `[solve]`."""


@dataclass(kw_only=True)
class MomStrip(Table):
    """A straight, infinitely thin strip, open at both ends."""

    shape: Literal['strip'] = field(default='strip', init=False)
    from_: Sequence[Quantity]
    """One end [x, y]."""
    to: Sequence[Quantity]
    """The other end [x, y]."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the body is made of."""
    cells: int | None = None
    """Number of cells on this body; if left out, it follows from `[solve]`."""


@dataclass(kw_only=True)
class MomNaca(Table):
    """An airfoil of the NACA four-digit series."""

    shape: Literal['naca'] = field(default='naca', init=False)
    code: str
    """The four digits: "2412" is cambered by 2 % of the chord at 40 % of it, and 12 % thick."""
    chord: Quantity
    """Length from the nose to the trailing edge."""
    position: Sequence[Quantity] | None = None
    """Where the nose is, [x, y]; the origin if left out. The trailing edge lies towards +x before the rotation."""
    rotation: str | None = None
    """Rotation about the nose, counter-clockwise; none if left out."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the body is made of."""
    cells: int | None = None
    """Number of cells on this body; if left out, it follows from `[solve]`."""


@dataclass(kw_only=True)
class MomSpline(Table):
    """A smooth curve through the points of a CSV file."""

    shape: Literal['spline'] = field(default='spline', init=False)
    file: str
    """File with the points, relative to the case file."""
    unit: Quantity
    """Length of one unit of the coordinates in the file: "1 mm"."""
    closed: bool | None = None
    """Whether the last point is joined to the first; true if left out."""
    position: Sequence[Quantity] | None = None
    """Where the origin of the file is put, [x, y]; the origin if left out."""
    rotation: str | None = None
    """Rotation about the origin of the file, counter-clockwise; none if left out."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the body is made of."""
    cells: int | None = None
    """Number of cells on this body; if left out, it follows from `[solve]`."""


@dataclass(kw_only=True)
class MomSvg(Table):
    """Outlines drawn in an SVG file; each becomes a body."""

    shape: Literal['svg'] = field(default='svg', init=False)
    file: str
    """File with the outlines, relative to the case file."""
    unit: Quantity
    """Length of one unit of the coordinates in the file: "1 mm"."""
    id: str | None = None
    """The element or group to take, by its id; all shapes if left out."""
    position: Sequence[Quantity] | None = None
    """Where the origin of the file is put, [x, y]; the origin if left out."""
    rotation: str | None = None
    """Rotation about the origin of the file, counter-clockwise; none if left out."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the bodies are made of."""
    cells: int | None = None
    """Number of cells on each outline; if left out, it follows from `[solve]`."""


@dataclass(kw_only=True)
class MomGmsh(Table):
    """Outlines in a Gmsh mesh of lines; each becomes a body."""

    shape: Literal['gmsh'] = field(default='gmsh', init=False)
    file: str
    """File with the outlines, relative to the case file."""
    unit: Quantity
    """Length of one unit of the coordinates in the file: "1 mm"."""
    group: str | None = None
    """The physical group to take, by its name; all lines if left out."""
    flat: bool | None = None
    """Whether the edges stay straight; if false, which is the default, curves are drawn through their points."""
    position: Sequence[Quantity] | None = None
    """Where the origin of the file is put, [x, y]; the origin if left out."""
    rotation: str | None = None
    """Rotation about the origin of the file, counter-clockwise; none if left out."""
    material: Literal['pec'] | MomDielectric | None = None
    """What the bodies are made of."""
    cells: int | None = None
    """Number of cells on each outline; if left out, it follows from `[solve]`."""


MomBody = Union[MomCircle, MomEllipse, MomPolygon, MomStrip, MomNaca, MomSpline, MomSvg, MomGmsh]


@dataclass(kw_only=True)
class MomGeometry(Table):
    """The bodies that scatter."""

    bodies: Sequence[MomBody]
    """The bodies: a list of tables, each with its `shape`."""


@dataclass(kw_only=True)
class FrequencyRange(Table):
    """Evenly spaced values, both ends included."""

    from_: Quantity
    to: Quantity
    points: int


@dataclass(kw_only=True)
class AngleRange(Table):
    """Evenly spaced values, both ends included."""

    from_: str
    to: str
    points: int


@dataclass(kw_only=True)
class MomSource(Table):
    """The incident plane wave."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange
    """Frequency: one, a list of them, or { from, to, points }."""
    polarization: Literal['TM', 'TE']
    """Polarization of the wave."""
    propagation: str | Sequence[str] | AngleRange | None = None
    """Direction the wave travels to, from +x counter-clockwise. Give this or `arrival`."""
    arrival: str | Sequence[str] | AngleRange | None = None
    """Direction the wave comes from: 180 degrees off `propagation`. Give this or `propagation`."""


@dataclass(kw_only=True)
class MomSolve(Table):
    """How to solve."""

    method: Literal['lcn', 'pulse'] | None = None
    """Discretization of the current."""
    order: int | None = None
    """Unknowns on each cell, with method "lcn"; 10 (TM) or 14 (TE) if left out."""
    equation: Literal['auto', 'efie', 'mfie', 'cfie'] | None = None
    """Integral equation on conductors."""
    cfie_weight: float | None = None
    """Share of the electric-field equation in "cfie", between 0 and 1; 0.5 if left out."""
    moments: Literal['split', 'reference', 'paper'] | None = None
    """How integrals over cells near the observer are taken, with method "lcn"; "split" if left out."""
    near_distance: float | None = None
    """Up to how many cell lengths away a cell is near, with method "lcn"; follows from `order` if left out."""
    flat: bool | None = None
    """Whether cells are straight even where the body is curved, with method "lcn"; false if left out."""
    corner_levels: int | None = None
    """How many times cells are halved towards corners and open ends, with method "lcn"; the solver chooses if left
    out."""
    precision: Literal['single', 'double'] | None = None
    """Precision of matrix and solution."""
    cells: int | None = None
    """Number of cells of all bodies, shared by length. Give this or `cells_per_wavelength`."""
    cells_per_wavelength: float | None = None
    """Cells per wavelength at the highest frequency; 20 unknowns per wavelength if neither this nor `cells` is given."""


@dataclass(kw_only=True)
class LengthRange(Table):
    """Evenly spaced values, both ends included."""

    from_: Quantity
    to: Quantity
    points: int


@dataclass(kw_only=True)
class MomFieldGrid(Table):
    """A rectangular grid of observation points."""

    x: LengthRange
    """Points along x."""
    y: LengthRange
    """Points along y."""


@dataclass(kw_only=True)
class MomOutput(Table):
    """What to compute from the solution."""

    echo_width: str | Sequence[str] | AngleRange | None = None
    """Observation angles of the echo width. If left out: every degree of the full circle, or none with `monostatic`."""
    monostatic: bool | None = None
    """Whether to compute the echo width back to where the wave comes from, for every direction of incidence."""
    current: bool | None = None
    """Whether to write the surface current."""
    field: MomFieldGrid | None = None
    """Where to compute the near field; nowhere if left out."""


@dataclass(kw_only=True)
class Mom(Table):
    """A scattering case in two dimensions, solved by the method of moments."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['mom'] = field(default='mom', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: MomGeometry
    """The bodies that scatter."""
    source: MomSource
    """The incident wave."""
    solve: MomSolve | None = None
    """How to solve."""
    output: MomOutput | None = None
    """What to compute from the solution."""


@dataclass(kw_only=True)
class ReflectarrayPlacement(Table):
    """The range that distances of neighboring elements keep to while the synthesis moves them."""

    min_spacing: str | Quantity
    """Shortest distance of neighbors."""
    max_spacing: str | Quantity
    """Longest distance of neighbors."""


@dataclass(kw_only=True)
class ReflectarrayFeed(Table):
    """The feed: at the origin of its own axes, turned to the center of the array."""

    offset: Quantity
    """Distance of the array's center from the feed along y."""
    height: Quantity
    """Distance of the array's plane from the feed."""
    exponent: float
    """m of the feed's amplitude cos^m, from its axis."""
    polarization: str | None = None
    """Direction of its electric field, from x towards y; along x if left out."""


@dataclass(kw_only=True)
class ReflectarrayElement(Table):
    """Pattern of one element."""

    exponent: float | None = None
    """p of the element's power pattern cos^p, from the array's normal."""
    reflection: str | None = None
    """A CSV file of the cell's reflection: theta_deg, amplitude, phase_deg; an ideal cell if left out."""


@dataclass(kw_only=True)
class Place(Table):
    """A place on the Earth."""

    longitude: str
    """Longitude, east of Greenwich."""
    latitude: str
    """Geodetic latitude, north of the equator."""


@dataclass(kw_only=True)
class ReflectarraySatellite(Table):
    """A geostationary satellite and where its antenna looks."""

    longitude: str
    """Longitude of the satellite, east of Greenwich."""
    pointing: Place | None = None
    """The place on the Earth that the array's normal points to; the point below the satellite if left out."""


@dataclass(kw_only=True)
class UvEllipse(Table):
    """An ellipse in (u, v)."""

    center: Sequence[float]
    """Center [u, v]."""
    semi_axes: Sequence[float]
    """The two semi-axes, along u and along v before the rotation."""
    rotation: str | None = None
    """Rotation from u towards v; none if left out."""


@dataclass(kw_only=True)
class ReflectarrayCoverage(Table):
    """A region and the directivity that is asked for there. One of `region`, `file`, `uv` and `ellipse` says where it
    is."""

    name: str | None = None
    """Name in tables and plots; if left out, that of the region or of the file."""
    region: str | None = None
    """A region that is built in: "europe", "conus" or "canada"."""
    file: str | None = None
    """A GeoJSON file of polygons in longitude and latitude, beside the case file."""
    uv: Sequence[Sequence[float]] | None = None
    """Corners [u, v] of a polygon in the antenna's own axes; the last is joined to the first."""
    ellipse: UvEllipse | None = None
    """An ellipse in the antenna's own axes."""
    lower_dbi: float | None = None
    """Lowest directivity, dBi; if left out, as high as the aperture can give."""
    upper_dbi: float | None = None
    """Highest directivity, dBi; none if left out."""


@dataclass(kw_only=True)
class ReflectarrayOutside(Table):
    """An upper bound outside the coverage."""

    upper_dbi: float
    """Highest directivity, dBi."""
    margin: float
    """Width of the band around the coverage where nothing is asked, in u and v."""


@dataclass(kw_only=True)
class ReflectarrayGeometry(Table):
    """The antenna, and where the satellite and the coverage are."""

    elements: Sequence[int]
    """Number of elements along x and y."""
    spacing: str | Quantity | Sequence[str | Quantity]
    """Spacing of the lattice that elements stand on, or start from; along both axes or [x, y]."""
    placement: ReflectarrayPlacement | None = None
    """How far elements may leave the lattice; left out, they stay on it."""
    feed: ReflectarrayFeed
    """The feed."""
    element: ReflectarrayElement | None = None
    """Pattern of one element."""
    design: str | None = None
    """A design to analyze: the `elements.csv` of an earlier run, from the case file. With method "analysis" only."""
    focus: Sequence[float] | None = None
    """Direction [u, v] that phases first focus on; the middle of the coverage if left out."""
    satellite: ReflectarraySatellite | None = None
    """The satellite that carries the antenna, if coverages are given on the Earth."""
    coverage: Sequence[ReflectarrayCoverage] | None = None
    """The regions to illuminate, each with its bounds."""
    outside: ReflectarrayOutside | None = None
    """What holds outside the coverage; nothing if left out."""


@dataclass(kw_only=True)
class ReflectarraySource(Table):
    """What the feed radiates."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange
    """Frequency: one, a list of them, or { from, to, points }; the bounds hold at all of them. The first is that of
    `lambda`."""


@dataclass(kw_only=True)
class ReflectarrayWindow(Table):
    """A grid of samples in (u, v)."""

    center: Sequence[float] | None = None
    """Its middle [u, v]; if left out, that of the coverage."""
    samples: Sequence[int] | None = None
    """Samples along u and v; if left out, as many as the coverage and a band around it take."""
    step: float | None = None
    """Distance of the samples in u and v; if left out, an eighth of the wavelength over the aperture's longer side."""


@dataclass(kw_only=True)
class ReflectarraySolve(Table):
    """How the design is found."""

    method: Literal['multistage', 'iterated-projections', 'analysis'] | None = None
    """Which way to the design."""
    gradient: Literal['analytic', 'finite-difference'] | None = None
    """How gradients are had, with method "multistage"; "analytic" if left out."""
    zernike_order: int | None = None
    """Highest radial order of the Zernike polynomials of the phase in the stage of few modes; 6 if left out."""
    position_order: int | None = None
    """Degree of the polynomial map of the positions along each axis, where elements may leave the lattice; 5 if left
    out."""
    starts: int | None = None
    """Starts of the stage of few modes; 8 if left out."""
    modal_iterations: int | None = None
    """Most iterations of each search with few modes; 60 if left out, 0 for no such stage."""
    element_iterations: int | None = None
    """Most iterations of the stage with every phase, or of the projections; 400 if left out, 0 for no such stage."""
    polish_iterations: int | None = None
    """Most iterations of the last stage, which raises the minimum over the coverage; 800 if left out, 0 for none."""
    seed: int | None = None
    """Seed of all random choices."""
    phase_bits: int | None = None
    """Bits of the phase shifters, if phases come in steps."""
    tolerance: float | None = None
    """Relative accuracy of the transforms."""
    window: ReflectarrayWindow | None = None
    """The part of the (u, v) plane that is looked at; if left out, the coverage and a band around it."""


@dataclass(kw_only=True)
class ReflectarraySensitivity(Table):
    """Failed elements and a pointing error."""

    failed_share: float
    """Share of the elements that reflect nothing, from 0 to 1."""
    pointing_error: str
    """Error of the antenna's pointing, in any direction."""
    trials: int
    """Random draws of the elements that fail."""


@dataclass(kw_only=True)
class ReflectarrayOutput(Table):
    """What else is wanted beside the design and its pattern."""

    cross_polar: bool | None = None
    """Whether to compute the cross-polar pattern too."""
    sensitivity: ReflectarraySensitivity | None = None
    """What failed elements and a pointing error would do; not asked if left out."""
    exports: Sequence[Literal['grd', 'ffe', 'dxf']] | None = None
    """Files for other programs."""


@dataclass(kw_only=True)
class Reflectarray(Table):
    """A reflectarray to be synthesized or analyzed."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['reflectarray'] = field(default='reflectarray', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: ReflectarrayGeometry
    """The antenna, and where the satellite and the coverage are."""
    source: ReflectarraySource
    """The frequencies."""
    solve: ReflectarraySolve | None = None
    """How the design is found."""
    output: ReflectarrayOutput | None = None
    """What else is wanted."""


@dataclass(kw_only=True)
class SbrPlate(Table):
    """A rectangle in the plane z = 0."""

    shape: Literal['plate'] = field(default='plate', init=False)
    size: Sequence[Quantity]
    """Sides along x and y."""
    cells: Sequence[int] | None = None
    """Cells of two triangles along x and y; one if left out."""


@dataclass(kw_only=True)
class SbrSphere(Table):
    """A sphere."""

    shape: Literal['sphere'] = field(default='sphere', init=False)
    radius: Quantity
    """Its radius."""
    cells: int | None = None
    """The sides of an icosahedron are cut into the square of this number; 64 if left out."""


@dataclass(kw_only=True)
class SbrCylinder(Table):
    """A cylinder about the z axis."""

    shape: Literal['cylinder'] = field(default='cylinder', init=False)
    radius: Quantity
    """Its radius."""
    length: Quantity
    """Its length along z."""
    closed: bool | None = None
    """Whether its ends are closed; they are if left out."""
    cells: Sequence[int] | None = None
    """Cells along and around it; [1, 360] if left out."""


@dataclass(kw_only=True)
class SbrDihedral(Table):
    """Two plates in the planes x = 0 and y = 0 that meet along z; broadside is theta 90 deg, phi 45 deg."""

    shape: Literal['dihedral'] = field(default='dihedral', init=False)
    width: Quantity
    """Side of each plate away from the seam."""
    length: Quantity
    """Side along the seam."""
    cells: Sequence[int] | None = None
    """Cells away from the seam and along it; one if left out."""


@dataclass(kw_only=True)
class SbrTrihedral(Table):
    """A corner of three right-angled triangles with legs along the axes."""

    shape: Literal['trihedral'] = field(default='trihedral', init=False)
    leg: Quantity
    """Length of the legs along the axes."""
    cells: int | None = None
    """Each triangle is cut into the square of this number; 1 if left out."""


@dataclass(kw_only=True)
class SbrSquareTrihedral(Table):
    """A corner of three squares with sides along the axes."""

    shape: Literal['square-trihedral'] = field(default='square-trihedral', init=False)
    side: Quantity
    """Length of the sides along the axes."""
    cells: int | None = None
    """Each square is cut into the square of this number; 1 if left out."""


@dataclass(kw_only=True)
class SbrConeSphere(Table):
    """A cone with its tip at -x that goes over into a sphere."""

    shape: Literal['cone-sphere'] = field(default='cone-sphere', init=False)
    half_angle: str
    """Half the angle at the tip."""
    radius: Quantity
    """Radius of the sphere."""
    cells: Sequence[int] | None = None
    """Cells along the cone and again along the sphere, and around them; [60, 180] if left out."""


@dataclass(kw_only=True)
class SbrOgive(Table):
    """A circular arc turned about its chord, the x axis."""

    shape: Literal['ogive'] = field(default='ogive', init=False)
    length: Quantity
    """Length of the chord."""
    radius: Quantity
    """Radius in the middle."""
    cells: Sequence[int] | None = None
    """Cells along and around it; [60, 180] if left out."""


@dataclass(kw_only=True)
class SbrAlmond(Table):
    """The NASA almond, 252.4 mm long with its tip at +x."""

    shape: Literal['almond'] = field(default='almond', init=False)
    cells: Sequence[int] | None = None
    """Cells along and around it; [60, 180] if left out."""


@dataclass(kw_only=True)
class SbrMissile(Table):
    """A missile of 700 triangles, 1.1 m long with its nose at +x."""

    shape: Literal['missile'] = field(default='missile', init=False)


@dataclass(kw_only=True)
class SbrShip(Table):
    """A ship of 2,400 triangles, 0.9 m long with its bow at +x and its mast along +y."""

    shape: Literal['ship'] = field(default='ship', init=False)


@dataclass(kw_only=True)
class SbrAircraftA(Table):
    """A fighter of 13,050 triangles, 11.76 m long."""

    shape: Literal['aircraft-a'] = field(default='aircraft-a', init=False)


@dataclass(kw_only=True)
class SbrAircraftB(Table):
    """An attack aircraft of 20,120 triangles, 14.12 m long."""

    shape: Literal['aircraft-b'] = field(default='aircraft-b', init=False)


SbrTarget = Union[SbrPlate, SbrSphere, SbrCylinder, SbrDihedral, SbrTrihedral, SbrSquareTrihedral, SbrConeSphere, SbrOgive, SbrAlmond, SbrMissile, SbrShip, SbrAircraftA, SbrAircraftB]


@dataclass(kw_only=True)
class SbrTurn(Table):
    """A turn about an axis through the origin."""

    axis: Literal['x', 'y', 'z']
    """Which axis."""
    angle: str
    """By how much, counter-clockwise as seen from the axis's tip."""


@dataclass(kw_only=True)
class SbrMediumRow(Table):
    """The constants of a medium at one frequency."""

    frequency: Quantity
    """The frequency."""
    eps_r: float | str
    """Relative permittivity there, complex."""
    mu_r: float | str | None = None
    """Relative permeability there, complex; 1 if left out."""


@dataclass(kw_only=True)
class SbrLayer(Table):
    """A layer of a coating."""

    thickness: Quantity
    """How thick it is."""
    eps_r: float | str | None = None
    """Relative permittivity, complex: with e^{+jωt}, losses make its imaginary part negative."""
    mu_r: float | str | None = None
    """Relative permeability, complex; 1 if left out beside `eps_r`."""
    table: Sequence[SbrMediumRow] | None = None
    """The constants at some frequencies, in rising order; linear between them."""
    file: str | None = None
    """The same as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and `mu_loss`."""


@dataclass(kw_only=True)
class SbrSurface(Table):
    """A medium that fills all behind the surface, or with `layers` a coating on a perfect conductor. The medium is
    constant (`eps_r`, `mu_r`), or measured against frequency (`table` or `file`)."""

    eps_r: float | str | None = None
    """Relative permittivity, complex: with e^{+jωt}, losses make its imaginary part negative."""
    mu_r: float | str | None = None
    """Relative permeability, complex; 1 if left out beside `eps_r`."""
    table: Sequence[SbrMediumRow] | None = None
    """The constants at some frequencies, in rising order; linear between them."""
    file: str | None = None
    """The same as a CSV file with the columns `frequency_hz`, `eps_real`, `eps_loss`, `mu_real` and `mu_loss`."""
    layers: Sequence[SbrLayer] | None = None
    """Layers on a perfect conductor, from the conductor outwards."""


@dataclass(kw_only=True)
class SbrGeometry(Table):
    """The target. Give `mesh` with its `units`, or `target`."""

    mesh: str | None = None
    """A mesh of triangles, relative to the case file: .stl, .obj, .ply, .unv or .msh. Give this or `target`."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft'] | None = None
    """The unit of the mesh's coordinates, which no file tells. Needed with `mesh`."""
    weld: float | None = None
    """How far vertices that are one may be apart, relative to the size of the mesh; 3e-7 if left out."""
    winding: Literal['fix', 'refuse'] | None = None
    """What becomes of triangles whose normals point the wrong way; they are turned over if left out."""
    target: SbrTarget | None = None
    """A target made in code, chosen by its `shape`. Give this or `mesh`."""
    turns: Sequence[SbrTurn] | None = None
    """Turns about the axes, one after the other; none if left out."""
    materials: Mapping[str, Literal['pec'] | SbrSurface] | None = None
    """What each group of the mesh is made of, by the name of the group; what is not here conducts. A target has one
    group, `body`."""


@dataclass(kw_only=True)
class SbrObserve(Table):
    """Where receivers stand: all pairs of `theta` and `phi`."""

    theta: str | Sequence[str] | AngleRange
    """Angle of the receiver from +z."""
    phi: str | Sequence[str] | AngleRange
    """Angle of the receiver from +x towards +y."""


@dataclass(kw_only=True)
class SbrSource(Table):
    """Frequencies, and where the radar stands as seen from the target: all pairs of `theta` and `phi`."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange
    """Frequency: one, a list of them, or { from, to, points }."""
    theta: str | Sequence[str] | AngleRange
    """Angle of the radar from +z."""
    phi: str | Sequence[str] | AngleRange
    """Angle of the radar from +x towards +y."""
    observe: SbrObserve | None = None
    """Where receivers stand, each for every place of the transmitter; if left out, the transmitter receives."""


@dataclass(kw_only=True)
class SbrSolve(Table):
    """How rays are shot."""

    bounces: int | None = None
    """Most bounces of a ray; 1 is physical optics."""
    tube: float | None = None
    """Width of a ray tube, in wavelengths of the highest frequency: the paper's tubes have it; beams of less than a
    thousandth of its square are cut no more."""
    tubes: Literal['adaptive', 'paper'] | None = None
    """What bounds ray tubes."""
    formulation: Literal['EH', 'E', 'H'] | None = None
    """Which fields of a tube's last footprint radiate."""
    edges: Literal['none', 'ptd', 'truncated'] | None = None
    """What sharp edges add to the rays."""
    tracer: Literal['bvh', 'kd-tree'] | None = None
    """The tree that rays find their triangles with; "kd-tree" goes with tubes = "paper"."""


@dataclass(kw_only=True)
class SbrRangeProfile(Table):
    """The echo against range."""

    window: Literal['none', 'hann', 'hamming', 'taylor'] | None = None
    """How frequencies are weighted: less at the ends makes lower side lobes."""
    padding: int | None = None
    """How many times finer than the resolution the profile is sampled."""


@dataclass(kw_only=True)
class SbrIsar(Table):
    """An image of the target."""

    window: Literal['none', 'hann', 'hamming', 'taylor'] | None = None
    """How frequencies and angles are weighted: less at the ends makes lower side lobes."""
    padding: int | None = None
    """How many times finer than the resolution the image is sampled."""


@dataclass(kw_only=True)
class SbrHotspotLook(Table):
    """A look of the case, by where the transmitter stands. Of several frequencies or receivers that are left, the
    strongest."""

    theta: str
    """Angle of the radar from +z, one of `source.theta`."""
    phi: str
    """Angle of the radar from +x, one of `source.phi`."""
    frequency: Quantity | None = None
    """One of `source.frequency`; the one with the strongest echo if left out."""


@dataclass(kw_only=True)
class SbrOutput(Table):
    """What is wanted."""

    rcs: bool | None = None
    """Whether to write the radar cross sections."""
    range_profile: SbrRangeProfile | None = None
    """The echo against range, from a frequency sweep; none if left out."""
    isar: SbrIsar | None = None
    """An image of the target, from frequencies times angles; none if left out."""
    hotspots: bool | SbrHotspotLook | None = None
    """Where on the target the echo comes from: true for the strongest look, or { theta, phi, frequency }."""


@dataclass(kw_only=True)
class Sbr(Table):
    """A radar target to be looked at."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['sbr'] = field(default='sbr', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: SbrGeometry
    """The target."""
    source: SbrSource
    """Frequencies, and where the radar stands."""
    solve: SbrSolve | None = None
    """How rays are shot."""
    output: SbrOutput | None = None
    """What is wanted."""


@dataclass(kw_only=True)
class DgtdBoxPart(Table):
    """A named box, or a named rectangle, with sides along the axes."""

    name: str
    """The name of its group."""
    from_: Sequence[Quantity]
    """The corner with the least coordinates."""
    to: Sequence[Quantity]
    """The corner across from it."""


@dataclass(kw_only=True)
class DgtdBox(Table):
    """A box with sides along the axes, cut into cells of six tetrahedra. Its outer sides are the surfaces `xmin`,
    `xmax`, `ymin`, `ymax`, `zmin` and `zmax`."""

    from_: Sequence[Quantity]
    """The corner with the least coordinates."""
    to: Sequence[Quantity]
    """The corner across from it."""
    cell: Quantity | Sequence[Quantity]
    """The longest side of a cell: one length, or three along x, y and z."""
    name: str | None = None
    """The volume of all that lies in no region; `air` if left out."""
    regions: Sequence[DgtdBoxPart] | None = None
    """Boxes inside that are volumes of their own, the later ones over the earlier. The skin of each is a surface of
    its name."""
    sheets: Sequence[DgtdBoxPart] | None = None
    """Rectangles that are surfaces of their own: `from` and `to` agree along one axis."""


@dataclass(kw_only=True)
class DgtdDebye(Table):
    """A term that relaxes: delta/(1 + jωτ)."""

    delta: float
    """What it adds to the permittivity at zero frequency."""
    tau: Quantity
    """The time τ in which it relaxes."""


@dataclass(kw_only=True)
class DgtdDrude(Table):
    """A term of free charges: -ω_p²/(ω² - jγω)."""

    plasma: Quantity
    """The plasma frequency ω_p/2π."""
    damping: Quantity
    """The damping γ/2π, as a frequency."""


@dataclass(kw_only=True)
class DgtdLorentz(Table):
    """A term that resonates: delta ω₀²/(ω₀² + jγω - ω²)."""

    delta: float
    """What it adds to the permittivity at zero frequency."""
    resonance: Quantity
    """The frequency ω₀/2π at which it resonates."""
    damping: Quantity
    """The damping γ/2π, as a frequency."""


@dataclass(kw_only=True)
class DgtdMaterial(Table):
    """What a volume is made of. What is left out is as in vacuum."""

    eps: float | None = None
    """Relative permittivity; with dispersion, that at high frequencies."""
    mu: float | None = None
    """Relative permeability."""
    sigma: Quantity | None = None
    """Conductivity."""
    debye: Sequence[DgtdDebye] | None = None
    """Terms that relax: delta/(1 + jωτ)."""
    drude: Sequence[DgtdDrude] | None = None
    """Terms of free charges: -ω_p²/(ω² - jγω)."""
    lorentz: Sequence[DgtdLorentz] | None = None
    """Terms that resonate: delta ω₀²/(ω₀² + jγω - ω²)."""


@dataclass(kw_only=True)
class DgtdSheet(Table):
    """A thin resistive sheet."""

    resistance: Quantity
    """Resistance of a square."""


@dataclass(kw_only=True)
class DgtdGeometry(Table):
    """The mesh, and what its volumes and surfaces are. Give `mesh` with its `units`, or `box`."""

    mesh: str | None = None
    """A Gmsh mesh of tetrahedra with named groups, relative to the case file: .msh. Give this or `box`."""
    units: Literal['um', 'mm', 'cm', 'm', 'in', 'ft'] | None = None
    """The unit of the mesh's coordinates, which no file tells. Needed with `mesh`."""
    box: DgtdBox | None = None
    """A box that is cut into tetrahedra here. Give this or `mesh`."""
    materials: Mapping[str, DgtdMaterial] | None = None
    """What each volume is made of, by the name of its group. `air`, `vacuum` and the absorbing layers `pml*` are
    vacuum unless they stand here."""
    boundaries: Mapping[str, Literal['pec'] | Literal['pmc'] | Literal['absorbing'] | DgtdSheet] | None = None
    """What each surface is, by the name of its group. The outside of absorbing layers needs no entry."""
    periodic: Sequence[Sequence[str]] | None = None
    """Pairs of surfaces, one shifted against the other, that are joined: what leaves by one comes in by the other."""


@dataclass(kw_only=True)
class DgtdPlaneWave(Table):
    """A plane wave of 1 V/m times the pulse."""

    theta: str
    """Angle from +z of the direction that it comes from."""
    phi: str
    """Angle from +x towards +y of the direction that it comes from."""
    polarization: Literal['theta'] | Literal['phi'] | str
    """Its electric field: along "theta", along "phi", or at an angle from theta-hat towards phi-hat."""
    surface: str | None = None
    """The closed surface that it comes in by: total fields inside, scattered fields outside. If left out, it is
    applied on the conductors, and all fields are scattered ones."""


@dataclass(kw_only=True)
class DgtdDipole(Table):
    """A short current."""

    position: Sequence[Quantity]
    """Where it is."""
    moment: Sequence[float]
    """Current times length at the peak of the pulse, in A m."""


@dataclass(kw_only=True)
class DgtdCoaxial(Table):
    """The ring between coaxial conductors."""

    center: Sequence[Quantity]
    """A point on the axis."""
    inner: Quantity
    """Radius of the inner conductor."""
    outer: Quantity
    """Radius of the outer conductor."""


@dataclass(kw_only=True)
class DgtdPort(Table):
    """A port: a source with its resistance on a flat surface between two conductors. Give `along` or `coaxial`."""

    surface: str
    """The surface."""
    resistance: Quantity
    """The resistance of the source, to which S-parameters refer."""
    along: Sequence[float] | None = None
    """For a rectangle: the way from its minus to its plus side, of any length. Give this or `coaxial`."""
    coaxial: DgtdCoaxial | None = None
    """For the ring between coaxial conductors: plus is inside. Give this or `along`."""


@dataclass(kw_only=True)
class DgtdMode(Table):
    """The mode `E_x` = `a_x` cos(`k_x` x) sin(`k_y` y) sin(`k_z` z), and so on round."""

    k: Sequence[float]
    """Wave numbers along x, y and z, in rad/m."""
    a: Sequence[float]
    """Amplitudes along x, y and z, in V/m; across `k`."""


@dataclass(kw_only=True)
class DgtdInitialWave(Table):
    """The plane wave e cos(k·r)."""

    k: Sequence[float]
    """Wave vector, in rad/m."""
    e: Sequence[float]
    """Electric field, in V/m; across `k`."""


@dataclass(kw_only=True)
class DgtdInitial(Table):
    """Fields that are there at the beginning. Give `mode` or `wave`."""

    mode: DgtdMode | None = None
    """A mode of a box with conducting walls and a corner at the origin. Give this or `wave`."""
    wave: DgtdInitialWave | None = None
    """A plane wave everywhere. Give this or `mode`."""


@dataclass(kw_only=True)
class DgtdGaussian(Table):
    """A Gaussian, with a spectrum from zero frequency up."""

    shape: Literal['gaussian'] = field(default='gaussian', init=False)
    highest: Quantity
    """The frequency at which its spectrum is 20 dB below that at zero."""


@dataclass(kw_only=True)
class DgtdModulated(Table):
    """A Gaussian times a sine, with a spectrum around its center."""

    shape: Literal['modulated'] = field(default='modulated', init=False)
    center: Quantity
    """The frequency of the sine."""
    bandwidth: Quantity
    """The band at whose ends the spectrum is 20 dB below that in the middle."""


DgtdPulse = Union[DgtdGaussian, DgtdModulated]


@dataclass(kw_only=True)
class DgtdSource(Table):
    """What drives the fields: one of `plane_wave`, `dipoles`, `ports` and `initial`."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange | None = None
    """Frequencies of spectra, far fields and S-parameters: one, a list of them, or { from, to, points }."""
    plane_wave: DgtdPlaneWave | None = None
    """A plane wave."""
    dipoles: Sequence[DgtdDipole] | None = None
    """Short currents, all with the pulse."""
    ports: Sequence[DgtdPort] | None = None
    """Ports. One is driven with 1 V times the pulse, the others are loads."""
    driven: Literal['all'] | Sequence[int] | None = None
    """Which ports are driven, each in a run of its own: "all", or a list of numbers from 1 on. The first port if left
    out."""
    initial: DgtdInitial | None = None
    """Fields that are there at the beginning."""
    pulse: DgtdPulse | None = None
    """How the source goes in time. If left out, it holds all of `frequency`: a Gaussian from zero up for ports, a
    modulated pulse for plane waves and dipoles, so that it leaves no charges behind."""


@dataclass(kw_only=True)
class DgtdSolve(Table):
    """How the fields are computed."""

    order: int | None = None
    """Polynomial order in an element."""
    precision: Literal['single', 'double'] | None = None
    """Precision of the fields."""
    flux: Literal['upwind', 'central'] | None = None
    """How neighboring elements are joined."""
    pml: Literal['shifted', 'uniaxial'] | None = None
    """How layers named `pml*` absorb."""
    courant: float | None = None
    """The time step as a part of the largest stable one."""
    stop_db: float | Literal[False] | None = None
    """How far the energy must have fallen from its peak for the run to end, in dB, or false to run until `time`. 50 if
    left out, and false with `initial` fields."""
    time: Quantity | None = None
    """The time at which the run ends at the latest. If left out, the solver takes a generous one."""
    kernels: Literal['fused', 'split'] | None = None
    """How a stage of a time step is cut into GPU kernels."""


@dataclass(kw_only=True)
class DgtdDirections(Table):
    """Directions of far fields: all pairs of `theta` and `phi`."""

    theta: str | Sequence[str] | AngleRange
    """Angle from +z."""
    phi: str | Sequence[str] | AngleRange
    """Angle from +x towards +y."""


@dataclass(kw_only=True)
class DgtdMie(Table):
    """The sphere of the mesh, whose cross section is known exactly: Mie's series."""

    radius: Quantity
    """Radius of the sphere."""
    volume: str | None = None
    """Its volume, one of `geometry.materials`. A conductor if left out."""


@dataclass(kw_only=True)
class DgtdSlice(Table):
    """A rectangle on which fields are sampled."""

    name: str
    """Name of its files: letters, digits, spaces, `-`, `_` and `.`."""
    origin: Sequence[Quantity]
    """One corner."""
    sides: Sequence[Sequence[Quantity]]
    """From there along its two sides."""
    points: Sequence[int]
    """Points along the two sides, ends included."""


@dataclass(kw_only=True)
class TimeRange(Table):
    """Evenly spaced values, both ends included."""

    from_: Quantity
    to: Quantity
    points: int


@dataclass(kw_only=True)
class DgtdOutput(Table):
    """What is wanted. Ports give S-parameters without being asked."""

    rcs: DgtdDirections | None = None
    """Radar cross sections in these directions, of a plane wave's echo."""
    mie: DgtdMie | None = None
    """The exact cross section of a sphere beside the computed one."""
    directivity: DgtdDirections | None = None
    """Directivity in these directions, of dipoles or ports."""
    far_surface: str | None = None
    """The closed surface that far fields are computed from. If left out, the one that the plane wave comes in by, or
    the conductors that it is applied on."""
    probes: Sequence[Sequence[Quantity]] | None = None
    """Places at which the fields are kept at every step."""
    slices: Sequence[DgtdSlice] | None = None
    """Rectangles on which the fields are kept at `source.frequency`, and at the times of `snapshots`."""
    currents: bool | None = None
    """Whether to keep the currents on all conductors at `source.frequency`."""
    volumes: Sequence[str] | None = None
    """Volumes of which the fields are kept at `source.frequency`."""
    snapshots: Quantity | Sequence[Quantity] | TimeRange | None = None
    """Times at which the fields are kept: one, a list of them, or { from, to, points }."""
    snapshot_groups: Sequence[str] | None = None
    """Volumes that the snapshots show; all if left out."""


@dataclass(kw_only=True)
class Dgtd(Table):
    """Fields in time in a mesh of tetrahedra."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['dgtd'] = field(default='dgtd', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: DgtdGeometry
    """The mesh, and what its volumes and surfaces are."""
    source: DgtdSource
    """What drives the fields."""
    solve: DgtdSolve | None = None
    """How the fields are computed."""
    output: DgtdOutput | None = None
    """What is wanted."""


@dataclass(kw_only=True)
class NahMedium(Table):
    """What sound travels in."""

    speed: float | None = None
    """Speed of sound, m/s."""
    density: float | None = None
    """Density, kg/m³."""


@dataclass(kw_only=True)
class NahGeometry(Table):
    """The array, and where the source is."""

    grid: Sequence[int]
    """Numbers of microphones along x and y. With `positions`, points of the holograms."""
    pitch: Sequence[Quantity]
    """Distances between neighbors along x and y."""
    zh: Quantity
    """From the array to the source plane."""
    positions: str | None = None
    """Places of microphones that are not on the grid, relative to the case file: a CSV file with the columns `x_m` and
    `y_m`. It goes with `method = "esm"`."""
    medium: NahMedium | None = None
    """What sound travels in; air of 20 degrees Celsius if left out."""


@dataclass(kw_only=True)
class NahMonopole(Table):
    """p = A e^{-jkr}/r."""

    at: Sequence[Quantity]
    """Where it is, from the middle of the array."""
    depth: Quantity
    """How far behind the source plane."""
    strength: float | None = None
    """A, in Pa m: the amplitude at a distance of one meter."""


@dataclass(kw_only=True)
class NahMode(Table):
    """p = A cos(`k_x` x) cos(`k_y` y) on the source plane."""

    k: Sequence[float]
    """`k_x` and `k_y`, in rad/m."""
    pressure: float | None = None
    """A, in Pa."""


@dataclass(kw_only=True)
class NahWave(Table):
    """p = A e^{-j(`k_x` x + `k_y` y + `k_z` z)}, z from the source plane to the array."""

    theta: str
    """From straight on, which is zero; below 90 degrees."""
    phi: str | None = None
    """Around that, from the x axis towards the y axis."""
    pressure: float | None = None
    """A, in Pa."""


@dataclass(kw_only=True)
class NahPlate(Table):
    """u = U sin(m pi x/a) sin(n pi y/b) on a plate around the middle of the source plane."""

    size: Sequence[Quantity]
    """a and b."""
    mode: Sequence[int]
    """m and n."""
    velocity: float | None = None
    """U, in m/s."""


@dataclass(kw_only=True)
class NahSource(Table):
    """What the array hears: a `file`, what it sends to `listen`, or any of `monopoles`, `modes`, `waves` and `plates`
    with their `frequency`."""

    file: str | None = None
    """A recording, relative to the case file: .wav, .npy, .raw, .bits; or phasors: .csv, .npz."""
    listen: str | None = None
    """Where the array sends datagrams to while it hears: a port of this machine that only its own programs reach, such
    as "4950", or an address and a port."""
    replay: Literal['full-speed', 'real-time'] | None = None
    """How fast a recording, or what is made in code, is heard; at full speed if left out."""
    repeat: int | None = None
    """How many times in a row it is heard; once if left out."""
    format: Literal['i16', 'i32', 'f32', 'bits'] | None = None
    """What the numbers of a raw file or of datagrams are."""
    order: Literal['rows', 'sorama'] | None = None
    """The order of microphones in streams of bits; row by row if left out."""
    rate: Quantity | None = None
    """Samples a second, bits a second for streams of bits. WAV files tell it; simulated signals have 51.2 kHz if it is
    left out."""
    full_scale: float | None = None
    """Pressure of a sample of one, of full scale for whole numbers and bits, in Pa; 1 if left out."""
    calibration: str | None = None
    """Gains and phases of microphones, relative to the case file: a CSV file with the columns `gain` and `phase_deg`,
    which the microphones add and which are taken away."""
    frequency: Quantity | Sequence[Quantity] | FrequencyRange | None = None
    """Frequencies of the sources made in code: one, a list of them, or { from, to, points }."""
    monopoles: Sequence[NahMonopole] | None = None
    """Points that sound the same in all directions."""
    modes: Sequence[NahMode] | None = None
    """Bending waves that stand on an infinite plate."""
    waves: Sequence[NahWave] | None = None
    """Plane waves that travel away from the source plane."""
    plates: Sequence[NahPlate] | None = None
    """Plates in a rigid wall, with supported rims."""
    signal: Literal['samples', 'bits', 'spectra'] | None = None
    """How the sources made in code are heard; as samples if left out."""
    duration: Quantity | None = None
    """How long they are heard, 0.1 s if left out; or how long datagrams are listened to, until it is stopped if left
    out."""
    offset: float | None = None
    """A pressure that does not change, added to the samples, in Pa; none if left out."""
    snr_db: float | None = None
    """How far noise is below the weakest tone in each line of a spectrum, in dB; no noise if left out."""
    seed: int | None = None
    """Seed of the noise."""


@dataclass(kw_only=True)
class NahSolve(Table):
    """How holograms are made."""

    method: Literal['fft', 'esm'] | None = None
    """From the array to the source."""
    spectra: Literal['nominal', 'dot', 'auto', 'average', 'walsh', 'walsh-exact', 'cic-popcount', 'hop'] | None = None
    """From samples or bits to phasors."""
    samples: int | None = None
    """Samples of a spectrum, after the decimation of bits."""
    hop: int | None = None
    """Samples from one spectrum to the next; 32 for "hop" and "cic-popcount", half of `samples` for the others if left
    out."""
    fir: bool | None = None
    """For "nominal" on bits: whether a filter straightens the response of the decimation, in place of a factor for
    each frequency."""
    walsh_terms: int | None = None
    """For "walsh": how many functions a frequency takes; 40 if left out."""
    walsh_threshold: float | None = None
    """For "walsh", in place of `walsh_terms`: functions with at least this weight, of up to 4/pi."""
    walsh_functions: Literal['precomputed', 'rademacher'] | None = None
    """For "walsh": where its functions come from."""
    extrapolation: Literal['lpbp', 'plpbp', 'zero'] | None = None
    """What the field is taken to be beyond the rim of the array."""
    filter: Literal['auto', 'cos', 'cos-modified', 'tikhonov', 'none'] | None = None
    """What is kept in k-space."""
    cutoff: float | None = None
    """For "cos" and "cos-modified": where the filter falls to a half, in rad/m; 50 if left out."""
    slope: float | None = None
    """For "cos" and "cos-modified": how wide the step is, as a part of the cut-off; 0.3 if left out."""
    velocity_cutoff: float | None = None
    """The same as `cutoff` for the velocity, which has more of the waves that die out; `cutoff` if left out."""
    velocity_slope: float | None = None
    """The same as `slope` for the velocity; `slope` if left out."""
    weight: float | None = None
    """For "tikhonov": what arrives with this part of its power is halved; 0.01 if left out."""
    precision: Literal['single', 'double'] | None = None
    """Precision of the holograms."""


@dataclass(kw_only=True)
class NahOutput(Table):
    """What is wanted."""

    frequency: Quantity | Sequence[Quantity] | FrequencyRange | None = None
    """Frequencies of the holograms: one, a list of them, or { from, to, points }. If left out, those of the sources
    made in code, or of the phasors of the file; recordings need it."""
    planes: Sequence[Quantity] | None = None
    """Planes of the holograms, by their distance from the array towards the source; the source plane if left out."""
    at: Quantity | None = None
    """When the spectrum begins whose holograms are written; levels are told of all."""
    maps: bool | None = None
    """Whether to draw maps."""
    refine: int | None = None
    """Points of the holograms that are written and drawn, for each pitch of the grid: 4 makes them four times as fine."""
    compare: bool | None = None
    """Whether to compare phasors and holograms with those of spectra = "nominal"."""
    methods: Sequence[Literal['nominal', 'dot', 'auto', 'average', 'walsh', 'walsh-exact', 'cic-popcount', 'hop']] | None = None
    """Further ways from samples to phasors that are compared with spectra = "nominal"."""
    reference: str | None = None
    """Phasors that were measured on the first plane, at places as the grid has them, relative to the case file: .csv
    or .npz as in `source.file`."""


@dataclass(kw_only=True)
class Nah(Table):
    """The sound field on the surface of a source, from an array of microphones in front of it."""

    version: Literal[1] = field(default=1, init=False)
    solver: Literal['nah'] = field(default='nah', init=False)
    name: str
    """Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`."""
    geometry: NahGeometry
    """The array, and where the source is."""
    source: NahSource
    """What the array hears: a file, or sources that are made in code."""
    solve: NahSolve | None = None
    """How holograms are made."""
    output: NahOutput | None = None
    """What is wanted."""


Case = Union[Mom, Reflectarray, Sbr, Dgtd, Nah]


__all__ = [
    "AngleRange",
    "Case",
    "Dgtd",
    "DgtdBox",
    "DgtdBoxPart",
    "DgtdCoaxial",
    "DgtdDebye",
    "DgtdDipole",
    "DgtdDirections",
    "DgtdDrude",
    "DgtdGaussian",
    "DgtdGeometry",
    "DgtdInitial",
    "DgtdInitialWave",
    "DgtdLorentz",
    "DgtdMaterial",
    "DgtdMie",
    "DgtdMode",
    "DgtdModulated",
    "DgtdOutput",
    "DgtdPlaneWave",
    "DgtdPort",
    "DgtdPulse",
    "DgtdSheet",
    "DgtdSlice",
    "DgtdSolve",
    "DgtdSource",
    "FrequencyRange",
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
    "NahGeometry",
    "NahMedium",
    "NahMode",
    "NahMonopole",
    "NahOutput",
    "NahPlate",
    "NahSolve",
    "NahSource",
    "NahWave",
    "Place",
    "Quantity",
    "Reflectarray",
    "ReflectarrayCoverage",
    "ReflectarrayElement",
    "ReflectarrayFeed",
    "ReflectarrayGeometry",
    "ReflectarrayOutput",
    "ReflectarrayOutside",
    "ReflectarrayPlacement",
    "ReflectarraySatellite",
    "ReflectarraySensitivity",
    "ReflectarraySolve",
    "ReflectarraySource",
    "ReflectarrayWindow",
    "Sbr",
    "SbrAircraftA",
    "SbrAircraftB",
    "SbrAlmond",
    "SbrConeSphere",
    "SbrCylinder",
    "SbrDihedral",
    "SbrGeometry",
    "SbrHotspotLook",
    "SbrIsar",
    "SbrLayer",
    "SbrMediumRow",
    "SbrMissile",
    "SbrObserve",
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
    "SbrTurn",
    "TimeRange",
    "UvEllipse",
]
