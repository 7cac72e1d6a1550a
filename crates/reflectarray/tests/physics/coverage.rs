//! Coverages: valid and invalid GeoJSON, the built-in regions, lines for maps.

use phasefront_reflectarray::coverage::{
    Area, CoverageError, GeoPolygon, LonLat, Pointing, Satellite, built_in, built_in_names, coast_lines,
    graticule, read_geojson,
};

const TRIANGLE: &str = "[[0, 40], [10, 40], [10, 50], [0, 40]]";

fn satellite(longitude: f64) -> Satellite {
    Satellite::new(longitude.to_radians(), Pointing::Nadir).unwrap()
}

fn corners(area: &Area) -> Vec<usize> {
    area.polygons.iter().flat_map(GeoPolygon::rings).map(Vec::len).collect()
}

/// Message and advice of a invalid text.
fn refused(text: &str) -> [String; 2] {
    let error = read_geojson(text).expect_err(text);
    [error.to_string(), error.advice()]
}

// ---------------------------------------------------------------- valid GeoJSON

#[test]
fn every_way_to_write_a_polygon() {
    let polygon = format!(r#"{{"type": "Polygon", "coordinates": [{TRIANGLE}]}}"#);
    for text in [
        polygon.clone(),
        format!("\u{feff}{polygon}"),
        format!(r#"{{"type": "MultiPolygon", "coordinates": [[{TRIANGLE}]]}}"#),
        format!(r#"{{"type": "Feature", "properties": null, "geometry": {polygon}}}"#),
        format!(
            r#"{{"type": "GeometryCollection", "geometries": [{{"type": "Point", "coordinates": [1, 2]}}, {polygon}]}}"#
        ),
        format!(
            r#"{{"type": "FeatureCollection", "features": [{{"type": "Feature", "geometry": null}},
                {{"type": "Feature", "properties": {{"name": 3}}, "geometry": {polygon}}}]}}"#
        ),
        // An altitude, and a ring that is not closed.
        r#"{"type": "Polygon", "coordinates": [[[0, 40, 100], [10, 40, 120], [10, 50, 7.5]]]}"#.into(),
    ] {
        let areas = read_geojson(&text).unwrap();
        assert_eq!(areas.len(), 1, "{text}");
        assert_eq!((areas[0].name.as_deref(), corners(&areas[0])), (None, vec![3]), "{text}");
        assert_eq!(areas[0].polygons[0].rings()[0][1], LonLat::from_degrees(10.0, 40.0));
    }
}

#[test]
fn features_keep_their_names_and_polygons_their_holes() {
    let hole = "[[5, 41], [6, 41], [6, 42], [5, 41]]";
    let areas = read_geojson(&format!(
        r#"{{"type": "FeatureCollection", "features": [
            {{"type": "Feature", "properties": {{"name": "one"}}, "geometry": {{"type": "Polygon", "coordinates": [{TRIANGLE}, {hole}]}}}},
            {{"type": "Feature", "properties": {{"name": "two"}}, "geometry":
                {{"type": "MultiPolygon", "coordinates": [[{TRIANGLE}], [{hole}]]}}}}]}}"#
    ))
    .unwrap();
    let names: Vec<_> = areas.iter().map(|area| area.name.as_deref()).collect();
    assert_eq!(names, [Some("one"), Some("two")]);
    let from_5e = satellite(5.0);
    let in_hole = from_5e.direction(LonLat::from_degrees(5.8, 41.3)).unwrap();
    let beside = from_5e.direction(LonLat::from_degrees(8.0, 42.0)).unwrap();
    let holed = &areas[0].project(&from_5e).unwrap()[0];
    assert!(holed.contains(beside) && !holed.contains(in_hole));
    let parts = areas[1].project(&from_5e).unwrap();
    assert!(parts.len() == 2 && parts[0].contains(in_hole) && parts[1].contains(in_hole));
}

// ---------------------------------------------------------------- invalid GeoJSON

#[test]
fn what_is_not_geojson_is_refused() {
    let shape = "GeoJSON objects look like {\"type\": \"Polygon\", \"coordinates\": ...}";
    let positions = "write positions as [longitude, latitude] in degrees, rings as lists of positions, polygons as lists of rings";
    for (text, message, advice) in [
        (
            "lat,lon\n1,2",
            "not JSON: expected value at line 1 column 1",
            "provide a GeoJSON file; geojson.io draws and exports them",
        ),
        (
            "",
            "not JSON: EOF while parsing a value at line 1 column 0",
            "provide a GeoJSON file; geojson.io draws and exports them",
        ),
        ("[1, 2]", "the file: [1,2] instead of an object", shape),
        ("{}", "the file: it has no \"type\"", shape),
        (
            r#"{"type": "Poligon"}"#,
            "the geometry: GeoJSON has no type \"Poligon\"",
            "did you mean \"Polygon\"?",
        ),
        (
            r#"{"type": "Topology", "objects": {}}"#,
            "the geometry: GeoJSON has no type \"Topology\"",
            "this is TopoJSON: convert it to GeoJSON, for example with `topo2geo`",
        ),
        (r#"{"type": "Polygon"}"#, "the geometry: it has no \"coordinates\"", "add the list \"coordinates\""),
        (
            r#"{"type": "Polygon", "coordinates": [[1, 2], [3, 4], [5, 6]]}"#,
            "the geometry, coordinates[0][0]: 1 instead of a position",
            positions,
        ),
        (
            r#"{"type": "FeatureCollection", "features": [{"type": "Polygon", "coordinates": []}]}"#,
            "features[0]: a \"Polygon\" instead of a feature",
            "wrap geometries in features: {\"type\": \"Feature\", \"properties\": {}, \"geometry\": ...}",
        ),
        (
            r#"{"type": "FeatureCollection", "features": []}"#,
            "it contains no polygon: it is empty",
            "draw the coverage as a Polygon or a MultiPolygon",
        ),
        (
            r#"{"type": "GeometryCollection", "geometries": [{"type": "Point"}, {"type": "LineString"}, {"type": "Point"}]}"#,
            "it contains no polygon: only LineString and Point",
            "draw the coverage as a Polygon or a MultiPolygon",
        ),
    ] {
        assert_eq!(refused(text), [message, advice], "{text}");
    }
}

#[test]
fn a_bad_outline_is_named_with_its_feature() {
    let crossing = "order the points along the outline, or split it into several polygons";
    for (rings, message, advice) in [
        ("[]", "the polygon is empty", "an outline needs at least three distinct points"),
        (
            "[[[1, 2], [3, 4], [1, 2]]]",
            "the outline has 2 distinct points",
            "an outline needs at least three distinct points",
        ),
        (
            "[[[40, 0], [40, 100], [50, 100]]]",
            "point [40.0, 100.0] of the outline is not on the Earth",
            "write [longitude, latitude] in degrees, the longitude first; latitudes run from -90 to 90",
        ),
        (
            "[[[0, 70], [120, 70], [240, 70], [360, 70]]]",
            "the outline encloses a pole",
            "poles are not visible from the geostationary orbit: draw the outline on one side of the pole",
        ),
        (
            "[[[0, 40], [10.5, 50], [10, 40], [0, 50], [0, 40]]]",
            "the outline crosses itself: the edge from [0.0, 40.0] to [10.5, 50.0] meets the edge from [10.0, 40.0] to [0.0, 50.0]",
            crossing,
        ),
    ] {
        let text = format!(
            r#"{{"type": "FeatureCollection", "features": [{{"type": "Feature", "geometry": null}},
                {{"type": "Feature", "properties": {{"name": "Spot 7"}}, "geometry": {{"type": "Polygon", "coordinates": {rings}}}}}]}}"#
        );
        assert_eq!(refused(&text), [&format!("features[1] (Spot 7), coordinates: {message}"), advice]);
    }
    let deep =
        format!("{}{}", r#"{"type":"GeometryCollection","geometries":["#.repeat(500), "]}".repeat(500));
    assert!(refused(&deep)[0].starts_with("not JSON: recursion limit exceeded"));
}

// ---------------------------------------------------------------- built-in regions

/// Cities by their coordinates in an atlas: latitude, longitude, name.
type Cities<'a> = &'a [(f64, f64, &'a str)];

fn check_cities(region: &str, longitude: f64, inside: Cities, outside: Cities) {
    let satellite = satellite(longitude);
    let polygons = built_in(region).unwrap().project(&satellite).unwrap();
    for (cities, expected) in [(inside, true), (outside, false)] {
        for &(lat, lon, name) in cities {
            let city = satellite.direction(LonLat::from_degrees(lon, lat)).unwrap();
            assert_eq!(polygons.iter().any(|polygon| polygon.contains(city)), expected, "{name} in {region}");
        }
    }
}

const EUROPEAN: Cities = &[
    (38.72, -9.14, "Lisbon"),
    (53.35, -6.26, "Dublin"),
    (57.15, -2.11, "Aberdeen"),
    (59.91, 10.75, "Oslo"),
    (69.65, 18.96, "Tromso"),
    (61.50, 23.76, "Tampere"),
    (50.45, 30.52, "Kyiv"),
    (44.43, 26.10, "Bucharest"),
    (37.98, 23.73, "Athens"),
    (37.50, 15.09, "Catania"),
    (40.42, -3.70, "Madrid"),
];
const BEYOND_EUROPE: Cities = &[
    (64.15, -21.94, "Reykjavik"),
    (55.75, 37.62, "Moscow"),
    (36.81, 10.18, "Tunis"),
    (36.75, 3.06, "Algiers"),
    (28.12, -15.43, "Las Palmas"),
    (37.74, -25.67, "Ponta Delgada"),
    (39.93, 32.86, "Ankara"),
    (35.17, 33.36, "Nicosia"),
];

#[test]
fn europe_has_its_cities() {
    let at_sea =
        [(56.0, 3.0, "the North Sea"), (40.0, 12.0, "the Tyrrhenian Sea"), (57.0, 19.8, "the Baltic")];
    check_cities("europe", 5.0, &[EUROPEAN, &[(35.90, 14.51, "Valletta")], &at_sea].concat(), BEYOND_EUROPE);
    check_cities("europe-land", 5.0, EUROPEAN, &[BEYOND_EUROPE, &at_sea].concat());
    let europe = built_in("EUROPE").unwrap();
    assert_eq!(corners(&europe).len(), 1, "one outline");
    let lowest = europe.polygons[0].rings()[0]
        .iter()
        .map(|&position| satellite(5.0).elevation(position))
        .fold(1.0, f64::min);
    assert!(lowest.to_degrees() > 5.0, "{lowest}");
}

#[test]
fn north_america_has_its_cities_on_the_right_side_of_the_border() {
    let states: Cities = &[
        (47.61, -122.33, "Seattle"),
        (34.05, -118.24, "Los Angeles"),
        (29.76, -95.37, "Houston"),
        (25.76, -80.19, "Miami"),
        (42.36, -71.06, "Boston"),
        (46.68, -68.02, "Presque Isle"),
        (46.79, -92.10, "Duluth"),
    ];
    let provinces: Cities = &[
        (49.28, -123.12, "Vancouver"),
        (49.90, -97.14, "Winnipeg"),
        (45.42, -75.70, "Ottawa"),
        (46.81, -71.21, "Quebec"),
        (47.56, -52.71, "St. John's"),
        (44.65, -63.57, "Halifax"),
        (58.77, -94.17, "Churchill"),
    ];
    let elsewhere: Cities = &[
        (60.72, -135.06, "Whitehorse"),
        (62.45, -114.37, "Yellowknife"),
        (61.22, -149.90, "Anchorage"),
        (19.43, -99.13, "Mexico City"),
        (23.11, -82.37, "Havana"),
        (58.0, -86.0, "Hudson Bay"),
    ];
    check_cities("conus", -91.0, states, &[provinces, elsewhere].concat());
    check_cities("canada", -91.0, provinces, &[states, elsewhere].concat());
}

#[test]
fn the_contiguous_states_are_as_large_as_the_census_has_it() {
    // Area between the outline and the equator on a sphere of the Earth's area: R² Σ Δλ (mean of sin φ).
    let conus = built_in("conus").unwrap();
    let ring = &conus.polygons[0].rings()[0];
    let next = |i: usize| ring[(i + 1) % ring.len()];
    let strips =
        (0..ring.len()).map(|i| (next(i).lon - ring[i].lon) * 0.5 * (next(i).lat.sin() + ring[i].lat.sin()));
    let area = (6371.007_f64.powi(2) * strips.sum::<f64>()).abs();
    // US Census Bureau, 2010, State Area Measurements: 48 states and D.C., 8 080 464 km² with inland, coastal and Great Lakes waters.
    assert!((area / 8_080_464.0 - 1.0).abs() < 0.02, "{area}");
}

#[test]
fn every_name_is_there_and_others_are_not() {
    for name in built_in_names() {
        assert_eq!(built_in(name).unwrap().name.as_deref(), Some(name));
    }
    let error = built_in("asia").unwrap_err();
    assert_eq!(error, CoverageError::UnknownRegion("asia".into()));
    assert_eq!(error.to_string(), "there is no built-in region \"asia\"");
    assert_eq!(
        error.advice(),
        "there are \"europe\", \"europe-land\", \"conus\" and \"canada\"; draw others in a GeoJSON file"
    );
    assert!(built_in("canda").unwrap_err().advice().starts_with("did you mean \"canada\"?"));
}

#[test]
fn a_region_on_the_other_side_is_refused() {
    let error = built_in("conus").unwrap().project(&satellite(5.0)).unwrap_err();
    assert!(matches!(error, CoverageError::NotVisible { elevation, .. } if elevation < -20.0), "{error}");
}

// ---------------------------------------------------------------- maps

#[test]
fn lines_of_maps_end_on_the_horizon_and_stay_within_it() {
    for satellite in
        [satellite(5.0), Satellite::new(-1.6, Pointing::LonLat(LonLat::from_degrees(-95.0, 40.0))).unwrap()]
    {
        let lines = [coast_lines(&satellite), graticule(&satellite)].concat();
        let horizon = phasefront_reflectarray::UvPolygon { rings: vec![satellite.horizon()] };
        // The horizon is a polygon of 360 edges, which deviate from the ellipse by 0.1503 (1 - cos 0.5°) = 6e-6.
        for p in lines.iter().flatten() {
            assert!(horizon.contains(*p) || horizon.distance(*p) < 7e-6, "{p:?}");
        }
        // A clipped line ends on the horizon, or at the first point of its ring.
        let ends = lines.iter().filter(|line| line[0] != line[line.len() - 1]);
        for end in ends.flat_map(|line| [line[0], line[line.len() - 1]]) {
            let joins = lines.iter().filter(|line| line[0] == end || line[line.len() - 1] == end).count() > 1;
            assert!(joins || horizon.distance(end) < 7e-6, "{end:?}");
        }
    }
}

#[test]
fn the_coast_passes_where_capes_are() {
    // Coordinates of an atlas. Thinning moves the line by 0.1 degrees, 11 km seen from 36 000 km: 3e-4; rounding both adds a little.
    let lines = coast_lines(&satellite(5.0));
    for (name, lat, lon) in [
        ("Cabo da Roca", 38.78, -9.50),
        ("Cape of Good Hope", -34.36, 18.47),
        ("North Cape", 71.17, 25.78),
        ("Ras Hafun", 10.43, 51.40),
        ("Cap-Vert", 14.74, -17.52),
    ] {
        let cape = satellite(5.0).direction(LonLat::from_degrees(lon, lat)).unwrap();
        let away = lines.iter().flatten().map(|p| (p[0] - cape[0]).hypot(p[1] - cape[1])).fold(1.0, f64::min);
        assert!(away < 4e-4, "{name}: {away}");
    }
}
