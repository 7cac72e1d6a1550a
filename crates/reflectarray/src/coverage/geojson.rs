//! Reads polygons from GeoJSON (RFC 7946).

use super::error::CoverageError;
use super::outline::{Area, GeoPolygon};
use phasefront_core::text::{list, nearest};
use serde_json::{Map, Value};

const GEOMETRIES: [&str; 7] =
    ["Polygon", "MultiPolygon", "GeometryCollection", "Point", "MultiPoint", "LineString", "MultiLineString"];

/// The areas of a GeoJSON text: one for each feature that has polygons, named by its property `name`, or one for a bare geometry.
/// Points and lines enclose no area and are skipped.
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
    // Some editors write a byte order mark.
    let root: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| CoverageError::NotJson(error.to_string()))?;
    let mut reader = Reader::default();
    let object = object(&root, "the file")?;
    match kind(object, "the file")? {
        "FeatureCollection" => {
            for (i, value) in array(object, "features", "the file")?.iter().enumerate() {
                let path = format!("features[{i}]");
                let feature = self::object(value, &path)?;
                reader.feature(feature, &path)?;
            }
        }
        "Feature" => reader.feature(object, "the feature")?,
        // A bare geometry has no properties, hence no name.
        _ => reader.area(None, object, "the geometry")?,
    }
    if reader.areas.is_empty() {
        return Err(CoverageError::NoPolygon { found: reader.found() });
    }
    Ok(reader.areas)
}

/// The areas read so far.
#[derive(Default)]
struct Reader {
    areas: Vec<Area>,
    /// Types of the skipped geometries.
    skipped: Vec<&'static str>,
}

impl Reader {
    fn feature(&mut self, feature: &Map<String, Value>, path: &str) -> Result<(), CoverageError> {
        let kind = kind(feature, path)?;
        if kind != "Feature" {
            return Err(malformed(
                path,
                format!("a {kind:?} instead of a feature"),
                "wrap geometries in features: {\"type\": \"Feature\", \"properties\": {}, \"geometry\": ...}",
            ));
        }
        let name =
            feature.get("properties").and_then(|properties| properties.get("name")).and_then(Value::as_str);
        // The name makes the path of an error easier to find in the file.
        let path = match name {
            Some(name) => format!("{path} ({name})"),
            None => path.to_owned(),
        };
        match feature.get("geometry") {
            // RFC 7946, 3.2: an unlocated feature.
            None | Some(Value::Null) => Ok(()),
            Some(geometry) => self.area(name, object(geometry, &path)?, &path),
        }
    }

    /// A geometry as an area, if it has polygons.
    fn area(
        &mut self,
        name: Option<&str>,
        geometry: &Map<String, Value>,
        path: &str,
    ) -> Result<(), CoverageError> {
        let mut polygons = Vec::new();
        self.geometry(geometry, path, &mut polygons)?;
        if !polygons.is_empty() {
            self.areas.push(Area { name: name.map(str::to_owned), polygons });
        }
        Ok(())
    }

    fn geometry(
        &mut self,
        geometry: &Map<String, Value>,
        path: &str,
        polygons: &mut Vec<GeoPolygon>,
    ) -> Result<(), CoverageError> {
        match kind(geometry, path)? {
            "Polygon" => {
                let rings = array(geometry, "coordinates", path)?;
                polygons.push(polygon(rings, &format!("{path}, coordinates"))?);
            }
            "MultiPolygon" => {
                for (i, part) in array(geometry, "coordinates", path)?.iter().enumerate() {
                    let path = format!("{path}, coordinates[{i}]");
                    polygons.push(polygon(items(part, &path)?, &path)?);
                }
            }
            "GeometryCollection" => {
                for (i, part) in array(geometry, "geometries", path)?.iter().enumerate() {
                    let path = format!("{path}, geometries[{i}]");
                    self.geometry(object(part, &path)?, &path, polygons)?;
                }
            }
            other => match GEOMETRIES.into_iter().find(|&known| known == other) {
                Some(known) => self.skipped.push(known),
                None => return Err(unknown_kind(other, path)),
            },
        }
        Ok(())
    }

    /// Description of the content without polygons.
    fn found(mut self) -> String {
        self.skipped.sort_unstable();
        self.skipped.dedup();
        if self.skipped.is_empty() {
            "it is empty".into()
        } else {
            format!("only {}", list(&self.skipped, "", "and"))
        }
    }
}

fn polygon(rings: &[Value], path: &str) -> Result<GeoPolygon, CoverageError> {
    let rings = rings
        .iter()
        .enumerate()
        .map(|(i, ring)| {
            let path = format!("{path}[{i}]");
            let points = items(ring, &path)?.iter().enumerate();
            points.map(|(k, point)| position(point, &format!("{path}[{k}]"))).collect()
        })
        .collect::<Result<Vec<Vec<[f64; 2]>>, CoverageError>>()?;
    GeoPolygon::from_degrees(&rings).map_err(|error| CoverageError::Outline { path: path.to_owned(), error })
}

/// Longitude and latitude; an altitude after them is ignored.
fn position(value: &Value, path: &str) -> Result<[f64; 2], CoverageError> {
    let numbers: Option<Vec<f64>> =
        value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    match numbers.as_deref() {
        Some([lon, lat, ..]) => Ok([*lon, *lat]),
        _ => Err(malformed(
            path,
            format!("{} instead of a position", short(value)),
            "write positions as [longitude, latitude] in degrees, rings as lists of positions, polygons as lists of rings",
        )),
    }
}

fn object<'a>(value: &'a Value, path: &str) -> Result<&'a Map<String, Value>, CoverageError> {
    value.as_object().ok_or_else(|| {
        malformed(
            path,
            format!("{} instead of an object", short(value)),
            "GeoJSON objects look like {\"type\": \"Polygon\", \"coordinates\": ...}",
        )
    })
}

fn kind<'a>(object: &'a Map<String, Value>, path: &str) -> Result<&'a str, CoverageError> {
    object.get("type").and_then(Value::as_str).ok_or_else(|| {
        malformed(
            path,
            "it has no \"type\"",
            "GeoJSON objects look like {\"type\": \"Polygon\", \"coordinates\": ...}",
        )
    })
}

fn array<'a>(object: &'a Map<String, Value>, key: &str, path: &str) -> Result<&'a [Value], CoverageError> {
    match object.get(key) {
        Some(value) => items(value, &format!("{path}, {key}")),
        None => Err(malformed(path, format!("it has no \"{key}\""), format!("add the list \"{key}\""))),
    }
}

fn items<'a>(value: &'a Value, path: &str) -> Result<&'a [Value], CoverageError> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| {
        malformed(
            path,
            format!("{} instead of a list", short(value)),
            "rings are lists of positions, polygons are lists of rings",
        )
    })
}

fn unknown_kind(kind: &str, path: &str) -> CoverageError {
    let kinds = GEOMETRIES.into_iter().chain(["Feature", "FeatureCollection"]);
    let advice = match nearest(kind, kinds) {
        _ if kind == "Topology" => {
            "this is TopoJSON: convert it to GeoJSON, for example with `topo2geo`".into()
        }
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => "a coverage is a Polygon, a MultiPolygon, or features made of them".into(),
    };
    malformed(path, format!("GeoJSON has no type {kind:?}"), advice)
}

fn malformed(path: &str, problem: impl Into<String>, advice: impl Into<String>) -> CoverageError {
    CoverageError::NotGeoJson { path: path.to_owned(), problem: problem.into(), advice: advice.into() }
}

/// A value, shortened for a message.
fn short(value: &Value) -> String {
    const MAX_LENGTH: usize = 40;
    let text = value.to_string();
    if text.chars().count() <= MAX_LENGTH {
        text
    } else {
        text.chars().take(MAX_LENGTH).chain("...".chars()).collect()
    }
}
