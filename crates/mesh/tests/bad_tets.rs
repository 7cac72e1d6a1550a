//! Wrong volume meshes: every one has its message, says where, and what to do.

use phasefront_mesh::{
    BoxMesh, BoxRegion, BoxSheet, GmshMesh, MeshError, TET_EDGES, TetImport, TetMesh, Units, gmsh_tets,
};

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, MeshError>, message: &str, advice: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(error.advice(), advice);
}

/// A file of version 2.2 with a tetrahedron's corners as nodes 1 to 4, and others.
fn read(names: &[&str], nodes: &[[f64; 3]], elements: &[&str]) -> Result<TetImport, MeshError> {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let nodes: Vec<String> =
        (1..).zip(corners.iter().chain(nodes)).map(|(i, [x, y, z])| format!("{i} {x} {y} {z}\n")).collect();
    let elements: Vec<String> = (11..).zip(elements).map(|(i, element)| format!("{i} {element}\n")).collect();
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{}\n{}$EndPhysicalNames\n$Nodes\n{}\n{}$EndNodes\n\
         $Elements\n{}\n{}$EndElements\n",
        names.len(),
        names.iter().flat_map(|name| [name, "\n"]).collect::<String>(),
        nodes.len(),
        nodes.concat(),
        elements.len(),
        elements.concat(),
    );
    gmsh_tets(&GmshMesh::parse(text.as_bytes()).unwrap(), Units::Meters)
}

const NAMES: [&str; 3] = ["3 1 \"air\"", "3 2 \"core\"", "2 3 \"skin\""];
/// The middles of the edges of the first tetrahedron, nodes 5 to 10.
const MIDDLES: [[f64; 3]; 6] =
    [[0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]];

const FLAT: &str = "mesh with tetrahedra, or with Mesh.ElementOrder = 2: of the first order only elements with flat faces can be divided exactly";

#[test]
fn wrong_kinds_of_elements() {
    refused(
        read(&NAMES, &[], &["2 2 3 1 1 2 3"]),
        "the mesh has no tetrahedra",
        "mesh the volumes (Mesh 3D), and save them: all elements, or those of a Physical Volume",
    );
    refused(
        read(&NAMES, &[[2.0; 3]], &["4 2 1 1 1 2 3 4", "7 2 1 1 1 2 3 4 5"]),
        "1 pyramids of \"air\" have faces that are not flat",
        FLAT,
    );
    refused(
        read(&NAMES, &MIDDLES, &["4 2 1 1 1 2 3 4", "5 2 1 1 1 2 3 4 5 6 7 8", "5 2 1 1 1 2 3 4 5 6 7 8"]),
        "2 hexahedra of \"air\" have faces that are not flat",
        FLAT,
    );
    refused(
        read(&NAMES, &MIDDLES, &["6 2 1 1 1 2 3 4 5 6"]),
        "1 prisms of \"air\" have faces that are not flat",
        FLAT,
    );
    let nodes: Vec<String> = (0..64).map(|i| (i % 10 + 1).to_string()).collect();
    refused(
        read(&NAMES, &MIDDLES, &[&format!("92 2 1 1 {}", nodes.join(" "))]),
        "the mesh has 1 hexahedra of the third order or higher in \"air\", such as element 11",
        "mesh with Mesh.ElementOrder = 1 or 2",
    );
    refused(
        read(&NAMES, &MIDDLES, &["29 2 1 1 1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10"]),
        "the mesh has 1 tetrahedra of the third order or higher in \"air\", such as element 11",
        "mesh with Mesh.ElementOrder = 1 or 2",
    );
    refused(
        read(&NAMES, &MIDDLES, &["4 2 1 1 1 2 3 4", "11 2 1 1 1 2 3 4 5 6 7 8 9 10"]),
        "the mesh has tetrahedra of two orders, 1 of the first and 1 of the second",
        "mesh all volumes with the same Mesh.ElementOrder",
    );
    let together = "mesh surfaces and volumes together, with triangles and with one Mesh.ElementOrder";
    refused(
        read(&NAMES, &MIDDLES, &["4 2 1 1 1 2 3 4", "9 2 3 1 1 2 3 5 6 7"]),
        "the surface \"skin\" has the element 12, which is no triangle of the first order as the faces of the tetrahedra are",
        together,
    );
    refused(
        read(&NAMES, &MIDDLES, &["11 2 1 1 1 2 3 4 5 6 7 8 9 10", "3 2 3 1 1 2 3 4"]),
        "the surface \"skin\" has the element 12, which is no triangle of the second order as the faces of the tetrahedra are",
        together,
    );
}

#[test]
fn wrong_groups() {
    let other = [[1.0, 1.0, 1.0]];
    refused(
        read(&NAMES, &other, &["4 2 1 1 1 2 3 4", "4 2 0 2 2 4 3 5"]),
        "1 of the 2 tetrahedra is in no physical volume",
        "put every volume into a Physical Volume, or save only those that are in one (Mesh.SaveAll = 0)",
    );
    let one = "put every volume into one Physical Volume: its material must be one";
    refused(
        read(&NAMES, &other, &["4 2 1 1 1 2 3 4", "4 2 2 1 1 2 3 4"]),
        "the tetrahedron 11 is in two physical volumes, \"air\" and \"core\"",
        one,
    );
    // Version 4.1 gives groups to the entity.
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"air\"\n$EndPhysicalNames\n\
        $Entities\n0 0 0 1\n9 0 0 0 1 1 1 2 1 5 0\n$EndEntities\n\
        $Nodes\n1 4 1 4\n3 9 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n\
        $Elements\n1 1 7 7\n3 9 4 1\n7 1 2 3 4\n$EndElements\n";
    refused(
        gmsh_tets(&GmshMesh::parse(text.as_bytes()).unwrap(), Units::Meters),
        "the tetrahedron 7 is in two physical volumes, \"air\" and \"5\"",
        one,
    );
    refused(
        read(&NAMES, &[], &["4 2 1 1 1 2 3 4", "4 2 1 1 1 3 2 4"]),
        "the tetrahedra 11 and 12 have the same corners",
        "an element is there twice: save the mesh again from Gmsh",
    );
    // Without any volume group there is one; a group without elements, and nodes without any, are told.
    let import =
        read(&["2 3 \"skin\"", "2 4 \"lid\""], &other, &["4 2 0 1 1 3 2 4", "2 2 3 1 1 2 3"]).unwrap();
    assert_eq!(import.mesh.volume_names, ["domain"]);
    assert_eq!(import.mesh.surface_names, ["skin"]);
    assert_eq!((import.mesh.nodes.len(), import.mesh.volume(0)), (4, 1.0 / 6.0));
    let notes = [
        "the node order of 1 tetrahedron was inverted and is corrected",
        "1 node that no element has is left out",
        "the physical surface \"lid\" has no elements",
    ];
    assert_eq!(import.notes, notes);
}

#[test]
fn wrong_shapes() {
    refused(
        read(&NAMES, &[[1.0, 1.0, 0.0]], &["4 2 1 1 1 2 3 4", "4 2 2 1 2 3 1 5"]),
        "the tetrahedron 12 of \"core\", at (1, 0, 0) in the file, is flat",
        "mesh again with Mesh.Optimize = 1, and without parts that are much thinner than elements",
    );
    // x → x + a x² has the determinant 1 + 2 a x: it is folded where x > -1/(2 a).
    let bent = |a: f64| {
        let bend = |x: f64| x + a * x * x;
        let far = [[bend(1.0), 0.0, 0.0]];
        let middles = MIDDLES.map(|[x, y, z]| [bend(x), y, z]);
        let nodes: Vec<[f64; 3]> = middles.into_iter().chain(far).collect();
        read(&NAMES, &nodes, &["11 2 1 1 1 11 3 4 5 6 7 8 9 10"])
    };
    assert!((bent(-0.45).unwrap().mesh.volume(0) - (1.0 - 0.45 / 2.0) / 6.0).abs() < 1e-15);
    refused(
        bent(-0.6),
        "the curved tetrahedron 11 of \"air\" is folded at (0.4, 0, 0) in the file",
        "mesh more finely there, or with Mesh.HighOrderOptimize = 2",
    );
}

#[test]
fn turned_tetrahedra_keep_their_middles() {
    // The tetrahedron 1 3 2 4 is negative; its middles come in the order of its own edges.
    let import = read(&NAMES, &MIDDLES, &["11 2 1 1 1 3 2 4 7 6 5 8 10 9"]).unwrap();
    let mesh = import.mesh;
    assert!((mesh.volume(0) - 1.0 / 6.0).abs() < 1e-16);
    for ([i, j], middle) in TET_EDGES.into_iter().zip(mesh.middles[0]) {
        let corners = mesh.corners(0);
        let half = [0, 1, 2].map(|k| 0.5 * (corners[i][k] + corners[j][k]));
        assert_eq!(mesh.nodes[middle as usize], half);
    }
}

const ONE_MODEL: &str = "make the volumes parts of one model before meshing: Coherence in a .geo file, occ.fragment in the API of Gmsh";

/// Tetrahedra in one group.
fn plain(nodes: &[[f64; 3]], tets: &[[u32; 4]]) -> TetMesh {
    TetMesh {
        nodes: nodes.to_vec(),
        tets: tets.to_vec(),
        volume_of: vec![0; tets.len()],
        volume_names: vec!["air".into()],
        ..TetMesh::default()
    }
}

const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[test]
fn meshes_that_do_not_conform() {
    // Two boxes side by side that were meshed apart.
    let mesh = BoxMesh { cell: [0.5; 3], ..BoxMesh::default() }.mesh().unwrap();
    let beside = |to: [f64; 3], cell: [f64; 3], mirrored: bool| {
        let mut other = BoxMesh { to, cell, ..BoxMesh::default() }.mesh().unwrap();
        let mut both = plain(&mesh.nodes, &mesh.tets);
        for node in &mut other.nodes {
            node[0] = if mirrored { 2.0 - node[0] } else { 1.0 + node[0] };
        }
        if mirrored {
            other.tets.iter_mut().for_each(|tet| tet.swap(1, 2));
        }
        let shift = both.nodes.len() as u32;
        both.nodes.extend(&other.nodes);
        both.tets.extend(other.tets.iter().map(|tet| tet.map(|i| i + shift)));
        both.volume_of = vec![0; both.tets.len()];
        both
    };
    refused(
        beside([1.0; 3], [0.5; 3], false).faces(),
        "faces of the tetrahedra 7 and 50, at (1, 0.333333, 0.166667) m, lie on each other without sharing their nodes",
        ONE_MODEL,
    );
    let finer = beside([1.0; 3], [0.5, 0.25, 0.5], false).faces().unwrap_err();
    assert!(finer.to_string().starts_with("a node hangs on a face, at (1, "), "{finer}");
    // Diagonals of squares the other way round.
    let mut crossed = beside([1.0; 3], [0.5; 3], false);
    for node in &mut crossed.nodes[27..] {
        node[1] = 1.0 - node[1];
    }
    crossed.tets[48..].iter_mut().for_each(|tet| tet.swap(1, 2));
    let error = crossed.faces().unwrap_err();
    assert!(error.to_string().ends_with("overlap without being the same"), "{error}");
    assert_eq!(error.advice(), ONE_MODEL);
    // A gap, or a common edge, is no contact.
    let mut apart = beside([1.0; 3], [0.5; 3], false);
    apart.nodes[27..].iter_mut().for_each(|node| node[0] += 1e-4);
    assert_eq!(apart.faces().unwrap().boundary().count(), 2 * 48);
    apart.nodes[27..].iter_mut().for_each(|node| *node = [node[0] - 1e-4, node[1] + 1.0, node[2]]);
    assert_eq!(apart.faces().unwrap().boundary().count(), 2 * 48);
}

#[test]
fn volumes_that_overlap() {
    // A small cube inside a large one, as two solids that were never fragmented.
    for second in [false, true] {
        let mut both = BoxMesh { cell: [0.25; 3], ..BoxMesh::default() }.mesh().unwrap();
        let small =
            BoxMesh { from: [0.31; 3], to: [0.61; 3], cell: [0.1; 3], ..BoxMesh::default() }.mesh().unwrap();
        let shift = both.nodes.len() as u32;
        both = plain(&[both.nodes, small.nodes].concat(), &both.tets);
        both.tets.extend(small.tets.iter().map(|tet| tet.map(|i| i + shift)));
        both.volume_names.push("core".into());
        both.volume_of.resize(both.tets.len(), 1);
        if second {
            both.middles = vec![[0; 6]; both.tets.len()];
            for (tet, middles) in both.tets.iter().zip(&mut both.middles) {
                for ([i, j], middle) in TET_EDGES.into_iter().zip(middles) {
                    let [from, to] = [i, j].map(|k| both.nodes[tet[k] as usize]);
                    *middle = both.nodes.len() as u32;
                    both.nodes.push([0, 1, 2].map(|k| 0.5 * (from[k] + to[k])));
                }
            }
        }
        let error = both.faces().unwrap_err();
        let words: Vec<String> = error.to_string().split(' ').map(String::from).collect();
        // Which pair is found first does not matter: one is a boundary tetrahedron of the core, the other of air, around it.
        let numbers = [&words[2], &words[6]].map(|word| word.parse::<usize>().unwrap() - 1);
        assert_eq!(numbers.map(|t| both.volume_of[t]), [1, 0]);
        let shown = error.to_string();
        let (start, at) = shown.split_once(" overlap, at ").unwrap();
        assert_eq!(
            start,
            format!("the tetrahedra {} of \"core\" and {} of \"air\"", numbers[0] + 1, numbers[1] + 1)
        );
        let position =
            at.trim_end_matches(" m").trim_matches(['(', ')']).split(", ").map(|x| x.parse::<f64>().unwrap());
        assert!(position.into_iter().all(|x| (0.31..=0.61).contains(&x)), "{at}");
        assert_eq!(error.advice(), ONE_MODEL);
    }
}

#[test]
fn a_node_that_hangs() {
    // A tetrahedron whose face x + y + z = 1 has two on its other side, which split the edge from (0, 1, 0) to (0, 0, 1).
    let nodes = [&CORNERS[..], &[[0.0, 0.5, 0.5], [1.0, 1.0, 1.0]]].concat();
    refused(
        plain(&nodes, &[[0, 1, 2, 3], [1, 2, 4, 5], [1, 4, 3, 5]]).faces(),
        "a node hangs on a face, at (0, 0.5, 0.5) m, between the tetrahedra 1 and 2",
        ONE_MODEL,
    );
    // The same of the second order and curved: no faces are in one plane.
    let mut second = plain(&nodes, &[[0, 1, 2, 3], [1, 2, 4, 5], [1, 4, 3, 5]]);
    second.nodes[4] = [0.0, 0.6, 0.6];
    let first = second.tets.clone();
    let mut middle = |tet: [u32; 4], [i, j]: [usize; 2]| {
        if [tet[i].min(tet[j]), tet[i].max(tet[j])] == [2, 3] {
            return 4;
        }
        let ends = [i, j].map(|k| second.nodes[tet[k] as usize]);
        second.nodes.push([0, 1, 2].map(|k| 0.5 * (ends[0][k] + ends[1][k])));
        second.nodes.len() as u32 - 1
    };
    let middles = first.iter().map(|&tet| TET_EDGES.map(|edge| middle(tet, edge))).collect();
    second.middles = middles;
    refused(
        second.faces(),
        "a node hangs at (0, 0.6, 0.6) m: it is the middle of an edge of one tetrahedron and a corner of another",
        ONE_MODEL,
    );
}

#[test]
fn faces_with_too_many_tetrahedra() {
    let nodes = [&CORNERS[..], &[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [-1.0, 0.0, 0.0]]].concat();
    refused(
        plain(&nodes, &[[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 5]]).faces(),
        "tetrahedra 1, 2, 3 share one face, at (0.333333, 0.333333, 0.333333) m",
        "a face has two sides: leave out elements that are there twice, and volumes that overlap",
    );
    refused(
        plain(&nodes, &[[1, 2, 3, 4], [1, 2, 3, 5]]).faces(),
        "tetrahedra 1 and 2 lie on the same side of the face that they share, at (0.333333, 0.333333, 0.333333) m",
        "volumes overlap: make them parts of one model before meshing, by Coherence or occ.fragment in Gmsh",
    );
    let mut loose = plain(&CORNERS, &[[0, 1, 2, 3]]);
    loose.nodes.push([0.5, 0.5, 0.0]);
    (loose.triangles, loose.surface_of, loose.surface_names) =
        (vec![[0, 1, 4]], vec![0], vec!["plate".into()]);
    refused(
        loose.faces(),
        "a triangle of the surface \"plate\", at (0.5, 0.166667, 0) m, is no face of a tetrahedron",
        "make the surface a part of the volumes before meshing, by occ.fragment or \"Surface{...} In Volume{...}\" in Gmsh",
    );
}

#[test]
fn wrong_lists() {
    let good = plain(&CORNERS, &[[0, 1, 2, 3]]);
    let changed = |change: &dyn Fn(&mut TetMesh)| {
        let mut mesh = good.clone();
        change(&mut mesh);
        mesh.faces()
    };
    refused(TetMesh::default().faces(), "the mesh has no tetrahedra", "give a volume mesh");
    let lists = "give every element its nodes, counted from 0, and the position of its group's name";
    refused(changed(&|mesh| mesh.volume_of.clear()), "the list volume_of has 0 entries instead of 1", lists);
    refused(
        changed(&|mesh| mesh.middles = vec![[0; 6]; 2]),
        "the list middles has 2 entries instead of 1",
        lists,
    );
    refused(changed(&|mesh| mesh.tets[0][2] = 4), "an element has node 4, counted from 0, of 4", lists);
    refused(changed(&|mesh| mesh.volume_of[0] = 1), "an element is in group 1, counted from 0, of 1", lists);
    let same = |mesh: &mut TetMesh| mesh.surface_names = vec!["a".into(), "a".into()];
    refused(changed(&same), "two groups have the name \"a\"", lists);
    refused(
        changed(&|mesh| mesh.nodes[1][2] = f64::NAN),
        "node 2 is at (1, 0, NaN)",
        "give finite coordinates",
    );
    let order = "order its corners so that det(p1-p0, p2-p0, p3-p0) > 0, and leave out flat ones";
    refused(
        changed(&|mesh| mesh.tets[0] = [0, 2, 1, 3]),
        "tetrahedron 1 has the volume -1.6666666666666666e-1",
        order,
    );
    refused(changed(&|mesh| mesh.nodes[3] = [1.0, 1.0, 0.0]), "tetrahedron 1 has the volume 0e0", order);
}

#[test]
fn sides_that_cannot_be_joined() {
    let region = BoxRegion { name: "inside".into(), from: [0.25; 3], to: [0.75; 3] };
    let cube = BoxMesh { cell: [0.25; 3], regions: vec![region], ..BoxMesh::default() }.mesh().unwrap();
    let faces = cube.faces().unwrap();
    let join = |mesh: &TetMesh, a: &str, b: &str| {
        faces.clone().join_periodic(mesh, mesh.surface(a).unwrap(), mesh.surface(b).unwrap())
    };
    let twice = "a periodic boundary joins two opposite outer sides of the mesh, each once";
    refused(
        join(&cube, "inside", "xmax"),
        "96 of the 96 faces of the surface \"inside\" have neighbors already",
        twice,
    );
    let copy = "mesh one as a copy of the other: \"Periodic Surface\" or mesh.setPeriodic in Gmsh";
    refused(
        join(&cube, "xmin", "xmin"),
        "the surfaces \"xmin\" and \"xmin\" are no translates of each other: the face of \"xmin\" at (0, 0.166667, \
         0.0833333) m has no partner",
        copy,
    );
    let mut moved = cube.clone();
    for node in moved.nodes.iter_mut().filter(|node| node[0] == 1.0 && node[1] == 0.5 && node[2] == 0.5) {
        node[1] += 0.05;
    }
    let error = join(&moved, "xmin", "xmax").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the surfaces \"xmin\" and \"xmax\" are no translates of each other: the face of")
    );
    let error = faces.clone().join_periodic(&cube, 0, 99).unwrap_err();
    assert_eq!(error.to_string(), "there is no surface group 99, counted from 0, of 7");
    let mut fewer = faces.clone();
    fewer.surfaces.retain(|&(_, group)| group != 1);
    refused(fewer.join_periodic(&cube, 0, 1), "the surface \"xmax\" has no faces", twice);
    let mut fewer = faces.clone();
    let last = fewer.surfaces.iter().rposition(|&(_, group)| group == 1).unwrap();
    fewer.surfaces.remove(last);
    refused(
        fewer.join_periodic(&cube, 0, 1),
        "the surfaces \"xmin\" and \"xmax\" are no translates of each other: 32 faces and 31",
        copy,
    );
    assert_eq!(cube.surface("xmim").unwrap_err().to_string(), "there is no surface group \"xmim\"");
}

#[test]
fn wrong_boxes() {
    let cube = BoxMesh::default();
    refused(
        BoxMesh { to: [1.0, 0.0, 1.0], ..cube.clone() }.mesh(),
        "the box reaches from y = 0 to 0",
        "give a box whose \"to\" is above its \"from\" along every axis",
    );
    refused(
        BoxMesh { cell: [1.0, 1.0, f64::NAN], ..cube.clone() }.mesh(),
        "cells of NaN m along z",
        "give the largest edge of a cell, above zero",
    );
    refused(
        BoxMesh { cell: [1e-4; 3], ..cube.clone() }.mesh(),
        "the cells are too small for the box",
        "give larger cells: at most 1073741824 tetrahedra can be counted",
    );
    let region = |name: &str, from: [f64; 3], to: [f64; 3]| {
        let region = BoxRegion { name: name.into(), from, to };
        BoxMesh { regions: vec![region], ..cube.clone() }.mesh()
    };
    let sheet = |name: &str, from: [f64; 3], to: [f64; 3]| {
        let sheet = BoxSheet { name: name.into(), from, to };
        BoxMesh { sheets: vec![sheet], ..cube.clone() }.mesh()
    };
    let within = "keep it within the box, with \"to\" above \"from\"";
    refused(
        region("slab", [0.5; 3], [1.0, 1.5, 1.0]),
        "the region \"slab\" reaches from y = 0.5 to 1.5, in a box from 0 to 1",
        within,
    );
    refused(
        sheet("plate", [0.0, 0.0, 0.7], [1.0, 1.0, f64::NAN]),
        "the sheet \"plate\" reaches from z = 0.7 to NaN, in a box from 0 to 1",
        within,
    );
    refused(
        region("slab", [0.5; 3], [1.0, 1.0, 0.5]),
        "the region \"slab\" is flat",
        "give it a size along every axis, or make it a sheet",
    );
    let rectangle = "give \"from\" and \"to\" that are the same along one axis, and along no other";
    refused(sheet("plate", [0.0; 3], [1.0; 3]), "the sheet \"plate\" is no rectangle", rectangle);
    refused(sheet("wire", [0.0; 3], [0.0, 0.0, 1.0]), "the sheet \"wire\" is no rectangle", rectangle);
    let name = "give it another name";
    refused(
        sheet("xmin", [0.0; 3], [0.0, 1.0, 1.0]),
        "the sheet \"xmin\" has the name of a side of the box",
        name,
    );
    refused(
        region("zmax", [0.0; 3], [1.0; 3]),
        "the region \"zmax\" has the name of a side of the box",
        name,
    );
}
