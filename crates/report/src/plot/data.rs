//! Plot data: `plots.json`, from which the web page draws interactive plots.

use super::kinds::Plot;
use serde::Serialize;

/// Name of the file with all plots of a run.
pub const PLOTS_FILE: &str = "plots.json";

/// Version of the format of `plots.json`.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Plots<'a> {
    version: u32,
    plots: &'a [Plot],
}

/// The text of `plots.json`: every plot with its `kind` and the fields of its struct. Values that
/// are not finite are `null`.
///
/// ```
/// use phasefront_report::plot::{LinePlot, Plot, Series, plots_json};
/// let series = vec![Series::solid("TM", vec![0.0, 90.0], vec![-3.0, f64::NAN])];
/// let text = plots_json(&[Plot::Line(LinePlot { name: "echo_width".into(), series, ..LinePlot::default() })]);
/// assert!(text.starts_with(r#"{"version":1,"plots":[{"kind":"line","name":"echo_width""#));
/// assert!(text.contains(r#""y":[-3.0,null],"style":"solid""#));
/// ```
pub fn plots_json(plots: &[Plot]) -> String {
    // Plots consist of strings and numbers: serialization cannot fail.
    serde_json::to_string(&Plots { version: VERSION, plots }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{BodyPlot, Colors, MapPlot, Mark, MeshPart, MeshPlot, MeshSurface, SmithPlot};
    use super::*;
    use num_complex::Complex64;

    #[test]
    fn pictures_have_seven_digits_and_names_of_colors() {
        let map = MapPlot { values: vec![0.1, f64::INFINITY], colors: Colors::Phase, ..MapPlot::default() };
        let body = BodyPlot { vertices: vec![[1.0 / 3.0, 0.0, -1.0]], ..BodyPlot::default() };
        let smith = SmithPlot {
            marks: vec![Mark { at: Complex64::new(0.5, -0.25), label: "1 GHz".into() }],
            ..SmithPlot::default()
        };
        let part = MeshPart { triangles: vec![[0, 1, 2]], quality: vec![7], ..MeshPart::default() };
        let nodes = [[0.0; 3], [0.0, 2.0, 0.0], [1.0, 0.0, 0.0]];
        let mesh = MeshPlot { surface: MeshSurface::new(&nodes, &[part]), ..MeshPlot::default() };
        let text = plots_json(&[Plot::Map(map), Plot::Body(body), Plot::Smith(smith), Plot::Mesh(mesh)]);
        for part in [
            r#""values":[0.1,null],"colors":"phase""#,
            r#""vertices":[[0.33333334,0.0,-1.0]]"#,
            r#""marks":[{"at":[0.5,-0.25],"label":"1 GHz"}]"#,
            r#""kind":"smith""#,
            r#""vertices":[0,0,0,0,65535,0,32768,0,0]"#,
            r#""triangles":[0,1,2],"quality":[7]"#,
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
