"""A sphere in a Huygens box in an absorbing layer: the meshes of cases 63, 64 and 65. Of second order, so that it is round, unless
`--order 1` asks for straight elements."""
from dgtd_meshes import OCC, arguments, around, boxes, groups, mesh, skin, uniform, write


def sphere(script, conductor, **defaults):
    """Lengths in meters. The volume of a conductor is left out of the mesh."""
    options = arguments(script.with_name("sphere.msh"), order=2, **defaults)
    body = OCC.addSphere(0, 0, 0, options.radius)
    half = options.box / 2
    volumes, _ = around(body, boxes([-half] * 3, [half] * 3, options.gap, options.layer))
    ball, within, beyond, layer = volumes
    surface, huygens = skin(ball), skin(ball | within)
    fields = [
        uniform(options.size_body, set() if conductor else ball, surface),
        uniform(options.size_air, within | beyond),
        uniform(options.size_layer, layer),
    ]
    if conductor:
        OCC.remove([(3, tag) for tag in ball])
        OCC.synchronize()
        groups(2, skin=surface)
    else:
        groups(3, sphere=ball)
    groups(3, air=within | beyond, pml=layer)
    groups(2, huygens=huygens)
    mesh(fields, order=options.order)
    write(options)
