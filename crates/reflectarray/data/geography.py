"""Coast lines and built-in coverage outlines, from Natural Earth 1:50m (public domain). Needs shapely 2. Run:

    npm pack world-atlas@2 && tar xzf world-atlas-2*.tgz
    python geography.py package/countries-50m.json

coast.txt: one line of the coast per line of text, as integers in hundredths of a degree: longitude and latitude of its
first point, then differences from point to point; longitudes may go beyond 180. Lines are thinned by Douglas and Peucker's
rule to 0.1 degrees; what is smaller goes.

regions.geojson: the outlines that `built_in` knows. Land of the countries named below is cut to the box, joined, closed
(grown by `reach`, then shrunk by `reach - margin`: bays and straits narrower than twice the reach are filled, and the
outline keeps a margin from the land), rid of holes and of islands that are still apart and small, and thinned. Growing is
done in Lambert's azimuthal equal-area projection of the sphere (Snyder, Map Projections: A Working Manual, 1987, chapter
24) about the middle of the region, so that kilometers are kilometers at 35 and at 71 degrees north.
"""
import json
import sys
from pathlib import Path

import numpy as np
from shapely import LineString, MultiPolygon, Polygon, box, make_valid, segmentize, transform, unary_union

HERE = Path(__file__).parent
EARTH_KM = 6371.0
COAST_TOLERANCE_DEG = 0.1

EUROPE = (
    "Albania, Andorra, Austria, Belarus, Belgium, Bosnia and Herz., Bulgaria, Croatia, Czechia, Denmark, Estonia, "
    "Finland, France, Germany, Greece, Hungary, Ireland, Isle of Man, Italy, Kosovo, Latvia, Liechtenstein, "
    "Lithuania, Luxembourg, Macedonia, Malta, Moldova, Monaco, Montenegro, Netherlands, Norway, Poland, Portugal, "
    "Romania, San Marino, Serbia, Slovakia, Slovenia, Spain, Sweden, Switzerland, Ukraine, United Kingdom, Vatican, "
    "Åland"
).split(", ")

# name: countries, box (west, south, east, north), reach and margin in km, smallest part kept in km², tolerance in degrees.
REGIONS = {
    # Without the Azores, the Canaries, Madeira, Iceland, the Faroes and Svalbard; Russia, Turkey and Cyprus are not in it.
    "europe": (EUROPE, (-11, 34.5, 32, 71.3), 250, 40, 100_000, 0.25),
    # Land only, and islands of some size.
    "europe-land": (EUROPE, (-11, 34.5, 32, 71.3), 15, 0, 3_000, 0.05),
    # The 48 contiguous states; the border runs through the Great Lakes.
    "conus": (["United States of America"], (-126, 24, -66, 50), 40, 0, 50_000, 0.05),
    # Canada below 60 degrees north, with Newfoundland and Vancouver Island; Hudson Bay stays out.
    "canada": (["Canada"], (-142, 41, -52, 60), 70, 0, 50_000, 0.05),
}


def unpack(topology):
    """The arcs of a TopoJSON file as arrays of (longitude, latitude)."""
    scale, origin = np.array(topology["transform"]["scale"]), np.array(topology["transform"]["translate"])
    return [np.cumsum(np.array(arc), axis=0) * scale + origin for arc in topology["arcs"]]


def polygons(geometry, arcs):
    """The polygons of a TopoJSON geometry: arcs joined end to end, a negative index for one that runs backwards."""
    if geometry["type"] == "GeometryCollection":
        return [p for part in geometry["geometries"] for p in polygons(part, arcs)]

    def ring(indices):
        pieces = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in indices]
        return np.vstack([pieces[0]] + [piece[1:] for piece in pieces[1:]])

    parts = [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry["arcs"]
    return [[ring(indices) for indices in part] for part in parts]


def coast(land):
    """Lines of the coast without the cuts along the 180th meridian and the South Pole that are no coast."""
    for ring in (ring for polygon in land for ring in polygon):
        at_cut = (np.abs(ring[:, 0]) > 179.99) | (ring[:, 1] < -89.9)
        line = np.column_stack([np.unwrap(ring[:, 0], period=360), ring[:, 1]])
        for piece in np.split(line, np.flatnonzero(at_cut[1:] & at_cut[:-1]) + 1):
            if len(piece) > 1:
                thinned = LineString(piece).simplify(COAST_TOLERANCE_DEG, preserve_topology=False)
                points = np.rint(100 * np.array(thinned.coords)).astype(int)
                closed = tuple(points[0]) == tuple(points[-1])
                if len(points) > (3 if closed else 1):
                    yield points


def lambert(lon, lat):
    """Lambert's azimuthal equal-area projection about a point: (forward, backward), km."""
    center_lon, center_lat = np.radians(lon), np.radians(lat)

    def forward(points):
        x, y = np.radians(points[:, 0]) - center_lon, np.radians(points[:, 1])
        cos_c = np.sin(center_lat) * np.sin(y) + np.cos(center_lat) * np.cos(y) * np.cos(x)
        k = EARTH_KM * np.sqrt(2 / (1 + cos_c))
        north = np.cos(center_lat) * np.sin(y) - np.sin(center_lat) * np.cos(y) * np.cos(x)
        return np.column_stack([k * np.cos(y) * np.sin(x), k * north])

    def backward(points):
        x, y = points.T / EARTH_KM
        rho = np.maximum(np.hypot(x, y), 1e-12)
        c = 2 * np.arcsin(rho / 2)
        phi = np.arcsin(np.cos(c) * np.sin(center_lat) + y * np.sin(c) * np.cos(center_lat) / rho)
        east = rho * np.cos(center_lat) * np.cos(c) - y * np.sin(center_lat) * np.sin(c)
        return np.degrees(np.column_stack([center_lon + np.arctan2(x * np.sin(c), east), phi]))

    return forward, backward


def parts(geometry):
    """The polygons of any geometry."""
    return [p for p in getattr(geometry, "geoms", [geometry]) if isinstance(p, Polygon)]


def outline(countries, names, limits, reach, margin, smallest, tolerance):
    """The outline of one region, as polygons in degrees."""
    missing = set(names) - countries.keys()
    assert not missing, f"not in the file: {missing}"
    frame = box(*limits)
    land = unary_union([p.intersection(frame) for name in names for p in countries[name]])
    # A border along a parallel has no points between its ends: give it some before it is bent.
    land = segmentize(land, 0.25)
    forward, backward = lambert((limits[0] + limits[2]) / 2, (limits[1] + limits[3]) / 2)
    closed = transform(land, forward).buffer(reach).buffer(margin - reach)
    large = MultiPolygon([Polygon(p.exterior) for p in parts(closed) if p.area >= smallest])
    # What the margin pushed over an edge of the box goes again, so that 60 degrees north are 60 degrees north.
    cut = transform(large, backward).intersection(frame).simplify(tolerance)
    return [p for p in parts(cut) if p.is_valid]


def main():
    topology = json.loads(Path(sys.argv[1]).read_text())
    arcs = unpack(topology)
    lines = list(coast(polygons(topology["objects"]["land"], arcs)))
    lines.sort(key=len, reverse=True)
    with open(HERE / "coast.txt", "w") as file:
        for points in lines:
            steps = np.vstack([points[:1], np.diff(points, axis=0)])
            file.write(" ".join(map(str, steps.ravel())) + "\n")

    countries = {}
    for geometry in topology["objects"]["countries"]["geometries"]:
        shapes = [make_valid(Polygon(p[0], p[1:])) for p in polygons(geometry, arcs)]
        countries.setdefault(geometry["properties"]["name"], []).extend(shapes)
    features = []
    for name, definition in REGIONS.items():
        found = sorted(outline(countries, *definition), key=lambda p: -p.area)
        rings = [[[[round(x, 2), round(y, 2)] for x, y in p.exterior.coords]] for p in found]
        print(name, [len(r[0]) for r in rings])
        shape = {"type": "MultiPolygon", "coordinates": rings}
        features.append({"type": "Feature", "properties": {"name": name}, "geometry": shape})
    with open(HERE / "regions.geojson", "w") as file:
        lines = ",\n".join(json.dumps(feature, separators=(",", ":")) for feature in features)
        file.write('{"type":"FeatureCollection","features":[\n' + lines + "\n]}\n")


main()
