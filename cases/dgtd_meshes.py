"""What the mesh scripts of the dgtd cases share: boxes around a body, sizes, checks and files. Needs `pip install gmsh`."""
import argparse
import pathlib

import gmsh
import numpy as np

# The worst shape that is let through: gamma, inscribed over circumscribed radius, one for a regular tetrahedron.
WORST_GAMMA = 0.05
OCC = gmsh.model.occ


def arguments(file, **defaults):
    """Numbers with their defaults from the command line, and `out`: the file that the mesh goes to."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for name, value in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(file), help="the mesh")
    parser.add_argument("--binary", action="store_true", help="write it in binary")
    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 2)
    return parser.parse_args()


def box(low, high):
    """A box with sides along the axes, by two corners."""
    return OCC.addBox(*low, *(h - l for l, h in zip(low, high)))


def boxes(low, high, gap, layer):
    """Three boxes around what lies between two corners: the Huygens box, `gap` further the end of the air, `layer` further
    that of the absorbing layer."""
    grown = [0.0, gap, gap + layer]
    return [box([x - d for x in low], [x + d for x in high]) for d in grown]


def around(body, shells, inside=()):
    """Cuts all up where it meets. The volumes of the body, of the air inside and outside of the first shell, and of the
    layer, if there is one; then the surfaces of each of `inside`, dimension and tag, as they are now."""
    solids = [(3, body)] if body else []
    tools = [(3, shell) for shell in shells] + list(inside)
    _, parts = OCC.fragment(solids, tools) if solids else OCC.fragment(tools[:1], tools[1:])
    OCC.synchronize()
    parts = [{tag for dim, tag in part if dim == entity[0]} for entity, part in zip(solids + tools, parts)]
    body_parts = parts.pop(0) if solids else set()
    volumes, seen = [body_parts], set(body_parts)
    for part in parts[: len(shells)]:
        volumes.append(part - seen)
        seen |= part
    return volumes, parts[len(shells):]


def skin(volumes):
    """The surfaces around volumes."""
    return {tag for _, tag in gmsh.model.getBoundary([(3, v) for v in volumes], combined=True, oriented=False)}


def groups(dim, **named):
    """Physical groups by name."""
    for name, tags in named.items():
        gmsh.model.addPhysicalGroup(dim, sorted(tags), name=name)


def uniform(size, volumes=(), surfaces=()):
    """A size in volumes, or on surfaces, with what bounds them."""
    field = gmsh.model.mesh.field.add("Constant")
    gmsh.model.mesh.field.setNumber(field, "VIn", size)
    gmsh.model.mesh.field.setNumbers(field, "VolumesList", list(volumes))
    gmsh.model.mesh.field.setNumbers(field, "SurfacesList", list(surfaces))
    return field


def growing(size, surfaces, far, slope):
    """A size on surfaces that grows with the distance from them, by `slope`, up to `far`."""
    distance = gmsh.model.mesh.field.add("Distance")
    gmsh.model.mesh.field.setNumbers(distance, "SurfacesList", list(surfaces))
    gmsh.model.mesh.field.setNumber(distance, "Sampling", 40)
    field = gmsh.model.mesh.field.add("Threshold")
    values = {"InField": distance, "SizeMin": size, "SizeMax": far, "DistMin": 0.0, "DistMax": (far - size) / slope}
    for name, value in values.items():
        gmsh.model.mesh.field.setNumber(field, name, value)
    return field


def mesh(fields, order=1):
    """Tetrahedra with the least of the sizes, made better until none is a sliver."""
    least = gmsh.model.mesh.field.add("Min")
    gmsh.model.mesh.field.setNumbers(least, "FieldsList", fields)
    gmsh.model.mesh.field.setAsBackgroundMesh(least)
    for option in ("MeshSizeExtendFromBoundary", "MeshSizeFromPoints", "MeshSizeFromCurvature"):
        gmsh.option.setNumber(f"Mesh.{option}", 0)
    gmsh.option.setNumber("Mesh.OptimizeThreshold", 0.4)
    gmsh.option.setNumber("Mesh.MinimumCurveNodes", 2)
    gmsh.model.mesh.generate(3)
    # Netgen does not see sheets inside a volume.
    sheets = any(len(gmsh.model.mesh.getEmbedded(*volume)) for volume in gmsh.model.getEntities(3))
    for method in ["Relocate3D", "", "Relocate3D", ""] if sheets else ["Netgen", ""]:
        gmsh.model.mesh.optimize(method, force=True)
    if order == 2:
        gmsh.model.mesh.setOrder(2)
        gmsh.model.mesh.optimize("HighOrderElastic")


def altitudes(tags):
    """The smallest altitude of each tetrahedron, from its corners: three times its volume over its largest face."""
    numbers, places, _ = gmsh.model.mesh.getNodes()
    place = np.empty((int(numbers.max()) + 1, 3))
    place[numbers] = places.reshape(-1, 3)
    kind = gmsh.model.mesh.getElement(int(tags[0]))[0]
    every, nodes = gmsh.model.mesh.getElementsByType(kind)
    corners = place[nodes.reshape(len(every), -1)[np.isin(every, tags)][:, :4]]
    faces = [corners[:, [i for i in range(4) if i != left]] for left in range(4)]
    areas = [np.linalg.norm(np.cross(f[:, 1] - f[:, 0], f[:, 2] - f[:, 0]), axis=1) / 2 for f in faces]
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    return 3 * volumes / np.max(areas, axis=0)


def volume(entity):
    """The volume of the tetrahedra of a volume, curved ones too."""
    kind = gmsh.model.mesh.getElementTypes(3, entity)[0]
    points, weights = gmsh.model.mesh.getIntegrationPoints(kind, "Gauss4")
    determinants = gmsh.model.mesh.getJacobians(kind, points, entity)[1]
    return np.sum(determinants.reshape(-1, len(weights)) @ weights)


def check(loss):
    """Says how many tetrahedra each group has and how good they are; stops if one is bad, or if
    the part of a group that they do not fill is larger than `loss`."""
    print(f"{'volume':>8} {'tets':>8} {'m3 or unit3':>12} {'gamma min':>10} {'altitude min':>13} {'1 %':>9} {'median':>9}")
    for dim, group in gmsh.model.getPhysicalGroups():
        name = gmsh.model.getPhysicalName(dim, group)
        entities = gmsh.model.getEntitiesForPhysicalGroup(dim, group)
        tags = np.concatenate([np.concatenate(gmsh.model.mesh.getElements(dim, e)[1]) for e in entities])
        if dim < 3:
            print(f"{name:>8} {len(tags):>8} triangles")
            continue
        gamma = min(gmsh.model.mesh.getElementQualities(tags, "gamma"))
        filled = sum(volume(e) for e in entities)
        meant = sum(OCC.getMass(3, e) for e in entities)
        height = np.sort(altitudes(tags))
        print(f"{name:>8} {len(tags):>8} {filled:>12.6g} {gamma:>10.3f} {height[0]:>13.4g} "
              f"{height[len(height) // 100]:>9.4g} {np.median(height):>9.4g}")
        if min(gmsh.model.mesh.getElementQualities(tags, "minDetJac")) <= 0:
            raise SystemExit(f"{name}: a curved tetrahedron is folded: make it smaller where the surface bends")
        if gamma < WORST_GAMMA:
            raise SystemExit(f"{name}: a tetrahedron has gamma = {gamma:.3f}, less than {WORST_GAMMA}: change the sizes")
        if abs(filled / meant - 1) > loss:
            raise SystemExit(f"{name}: the tetrahedra fill {filled:.6g}, the geometry has {meant:.6g}")


def write(options, loss=0.01):
    """Checks the mesh and writes it as MSH 4.1."""
    check(loss)
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
    gmsh.option.setNumber("Mesh.Binary", int(options.binary))
    gmsh.write(str(options.out))
    print(f"{options.out.name}: {options.out.stat().st_size / 1e6:.2f} MB")
