"""Writes bracket.stl: an L-shaped bracket in millimeters, y upward, as a CAD program would export it; one facet is inside out."""

INNER, THICK, HALF = 300.0, 10.0, 100.0
# The profile, counterclockwise: along the back and the bottom, then the inner corner at the origin.
PROFILE = [(-THICK, -THICK), (INNER, -THICK), (INNER, 0.0), (0.0, 0.0), (0.0, INNER), (-THICK, INNER)]
CAPS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]


def facets():
    front, back = ([(x, y, z) for x, y in PROFILE] for z in (HALF, -HALF))
    for a, b, c in CAPS:
        yield front[a], front[b], front[c]
        yield back[a], back[c], back[b]
    for i in range(len(PROFILE)):
        j = (i + 1) % len(PROFILE)
        yield front[i], back[i], back[j]
        yield front[i], back[j], front[j]


with open("bracket.stl", "w") as file:
    file.write("solid bracket\n")
    for number, (a, b, c) in enumerate(facets()):
        if number == 12:
            b, c = c, b
        file.write("facet normal 0 0 0\n outer loop\n")
        for x, y, z in (a, b, c):
            file.write(f"  vertex {x:g} {y:g} {z:g}\n")
        file.write(" endloop\nendfacet\n")
    file.write("endsolid bracket\n")
