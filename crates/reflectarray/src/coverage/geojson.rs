//! Reads the polygons of a GeoJSON text (RFC 7946).

use super::error::CoverageError;
use super::outline::{Area, GeoPolygon};
use phasefront_core::words::{list, nearest};
use serde_json::{Map, Value};

const GEOMETRIES: [&str; 7] =
    ["Polygon", "MultiPolygon", "GeometryCollection", "Point", "MultiPoint", "LineString", "MultiLineString"];

/// The areas of a GeoJSON text: one for each feature that has polygons, named by its property `name`, or one for a bare geometry.
/// Points and lines are passed over, for they have no inside.
///
/// ```
/// use phasefront_reflectarray::coverage::read_geojson;
/// let areas = read_geojson(
///     r#"{"type": "Feature", "properties": {"name": "Sicily"}, "geometry":
///         {"type": "Polygon", "coordinates": [[[12.4, 38.0], [15.6, 38.3], [15.1, 36.7], [12.4, 38.0]]]}}"#,
/// )?;
/// assert_eq!(areas[0].name.as_deref(), Some("Sicily"));
/// assert_eq!(areas[0].polygons[0].rings()[0].len(), 3);
/// # Ok::<(), phasefront_reflectarray::coverage::CoverageError>(())
/// ```
pub fn read_geojson(text: &str) -> Result<Vec<Area>, CoverageError> {
    let root: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| CoverageError::NotJson(error.to_string()))?;
    let mut reader = Reader::default();
    let object = object(&root, "the file")?;
    match kind(object, "the file")? {
        "FeatureCollection" => {
            for (i, value) in array(object, "features", "the file")?.iter().enumerate() {
                let place = format!("features[{i}]");
                let feature = self::object(value, &place)?;
                reader.feature(feature, &place)?;
            }
        }
        "Feature" => reader.feature(object, "the feature")?,
        _ => reader.area(None, object, "the geometry")?,
    }
    if reader.areas.is_empty() {
        return Err(CoverageError::NoPolygon { found: reader.found() });
    }
    Ok(reader.areas)
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    areas: Vec<Area>,
    /// Kinds of geometries that were passed over.
    passed: Vec<&'static str>,
}

impl Reader {
    fn feature(&mut self, feature: &Map<String, Value>, place: &str) -> Result<(), CoverageError> {
        let kind = kind(feature, place)?;
        if kind != "Feature" {
            return Err(malformed(
                place,
                format!("a {kind:?} where a feature belongs"),
                "put geometries into features: {\"type\": \"Feature\", \"properties\": {}, \"geometry\": ...}",
            ));
        }
        let name =
            feature.get("properties").and_then(|properties| properties.get("name")).and_then(Value::as_str);
        let place = match name {
            Some(name) => format!("{place} ({name})"),
            None => place.to_owned(),
        };
        match feature.get("geometry") {
            // RFC 7946, 3.2: a feature without a place.
            None | Some(Value::Null) => Ok(()),
            Some(geometry) => self.area(name, object(geometry, &place)?, &place),
        }
    }

    /// A geometry as an area, if it has polygons.
    fn area(
        &mut self,
        name: Option<&str>,
        geometry: &Map<String, Value>,
        place: &str,
    ) -> Result<(), CoverageError> {
        let mut polygons = Vec::new();
        self.geometry(geometry, place, &mut polygons)?;
        if !polygons.is_empty() {
            self.areas.push(Area { name: name.map(str::to_owned), polygons });
        }
        Ok(())
    }

    fn geometry(
        &mut self,
        geometry: &Map<String, Value>,
        place: &str,
        polygons: &mut Vec<GeoPolygon>,
    ) -> Result<(), CoverageError> {
        match kind(geometry, place)? {
            "Polygon" => {
                let rings = array(geometry, "coordinates", place)?;
                polygons.push(polygon(rings, &format!("{place}, coordinates"))?);
            }
            "MultiPolygon" => {
                for (i, part) in array(geometry, "coordinates", place)?.iter().enumerate() {
                    let place = format!("{place}, coordinates[{i}]");
                    polygons.push(polygon(items(part, &place)?, &place)?);
                }
            }
            "GeometryCollection" => {
                for (i, part) in array(geometry, "geometries", place)?.iter().enumerate() {
                    let place = format!("{place}, geometries[{i}]");
                    self.geometry(object(part, &place)?, &place, polygons)?;
                }
            }
            other => match GEOMETRIES.into_iter().find(|&known| known == other) {
                Some(known) => self.passed.push(known),
                None => return Err(unknown_kind(other, place)),
            },
        }
        Ok(())
    }

    /// What there is when there is no polygon.
    fn found(mut self) -> String {
        self.passed.sort_unstable();
        self.passed.dedup();
        if self.passed.is_empty() {
            "it is empty".into()
        } else {
            format!("only {}", list(&self.passed, "", "and"))
        }
    }
}

fn polygon(rings: &[Value], place: &str) -> Result<GeoPolygon, CoverageError> {
    let rings = rings
        .iter()
        .enumerate()
        .map(|(i, ring)| {
            let place = format!("{place}[{i}]");
            let points = items(ring, &place)?.iter().enumerate();
            points.map(|(k, point)| position(point, &format!("{place}[{k}]"))).collect()
        })
        .collect::<Result<Vec<Vec<[f64; 2]>>, CoverageError>>()?;
    GeoPolygon::from_degrees(&rings)
        .map_err(|error| CoverageError::Outline { place: place.to_owned(), error })
}

/// Longitude and latitude; a height after them is passed over.
fn position(value: &Value, place: &str) -> Result<[f64; 2], CoverageError> {
    let numbers: Option<Vec<f64>> =
        value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    match numbers.as_deref() {
        Some([lon, lat, ..]) => Ok([*lon, *lat]),
        _ => Err(malformed(
            place,
            format!("{} where a position belongs", short(value)),
            "write positions as [longitude, latitude] in degrees, rings as lists of positions, polygons as lists of rings",
        )),
    }
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>, CoverageError> {
    value.as_object().ok_or_else(|| {
        malformed(
            place,
            format!("{} where an object belongs", short(value)),
            "GeoJSON objects look like {\"type\": \"Polygon\", \"coordinates\": ...}",
        )
    })
}

fn kind<'a>(object: &'a Map<String, Value>, place: &str) -> Result<&'a str, CoverageError> {
    object.get("type").and_then(Value::as_str).ok_or_else(|| {
        malformed(
            place,
            "it has no \"type\"",
            "GeoJSON objects look like {\"type\": \"Polygon\", \"coordinates\": ...}",
        )
    })
}

fn array<'a>(object: &'a Map<String, Value>, key: &str, place: &str) -> Result<&'a [Value], CoverageError> {
    match object.get(key) {
        Some(value) => items(value, &format!("{place}, {key}")),
        None => Err(malformed(place, format!("it has no \"{key}\""), format!("add the list \"{key}\""))),
    }
}

fn items<'a>(value: &'a Value, place: &str) -> Result<&'a [Value], CoverageError> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| {
        malformed(
            place,
            format!("{} where a list belongs", short(value)),
            "rings are lists of positions, polygons are lists of rings",
        )
    })
}

fn unknown_kind(kind: &str, place: &str) -> CoverageError {
    let kinds = GEOMETRIES.into_iter().chain(["Feature", "FeatureCollection"]);
    let advice = match nearest(kind, kinds) {
        _ if kind == "Topology" => {
            "this is TopoJSON: convert it to GeoJSON, for example with `topo2geo`".into()
        }
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => "a coverage is a Polygon, a MultiPolygon, or features made of them".into(),
    };
    malformed(place, format!("GeoJSON has no type {kind:?}"), advice)
}

fn malformed(place: &str, problem: impl Into<String>, advice: impl Into<String>) -> CoverageError {
    CoverageError::NotGeoJson { place: place.to_owned(), problem: problem.into(), advice: advice.into() }
}

/// A value as it may stand in a message.
fn short(value: &Value) -> String {
    const LONGEST: usize = 40;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        text
    } else {
        text.chars().take(LONGEST).chain("...".chars()).collect()
    }
}
