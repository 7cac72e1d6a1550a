//! Array geometries of Acoular: XML files with an element `<pos Name="Point 1" x="0.1" y="0.2" z="0"/>` for each microphone, in m.

use roxmltree::Document;

/// Largest difference of the heights of microphones of a plane array, m.
const FLAT: f64 = 1e-6;

/// Positions in the plane of the array, in the order of the file.
pub(in crate::nah) fn xml(text: &str) -> Result<Vec<[f64; 2]>, String> {
    let document = Document::parse(text).map_err(|error| format!("it is not well-formed XML: {error}"))?;
    let mut positions = Vec::new();
    let mut first_height = None;
    for node in document.descendants().filter(|node| node.has_tag_name("pos")) {
        let line = document.text_pos_at(node.range().start).row;
        let coordinate = |name: &str| {
            let text = node.attribute(name).unwrap_or_default();
            let value = text.trim().parse().ok().filter(|value: &f64| value.is_finite());
            value.ok_or_else(|| format!("line {line}: {name} is {text:?}, which is not a finite number"))
        };
        let [x, y, z] = [coordinate("x")?, coordinate("y")?, coordinate("z")?];
        let height = *first_height.get_or_insert(z);
        if (z - height).abs() > FLAT {
            return Err(format!(
                "line {line}: z is {z} m, and that of the first microphone {height} m: the array is not plane"
            ));
        }
        positions.push([x, y]);
    }
    if positions.is_empty() {
        return Err("it has no element pos".into());
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<MicArray name=\"two\">\n\
        <pos Name=\"Point 1\" x=\"0.1\" y=\"-2e-1\" z=\"0.5\"/>\n<pos Name=\"Point 2\" x=\"0\" y=\" 0.3 \" z=\"0.5\" />\n</MicArray>\n";

    #[test]
    fn microphones_have_their_positions() {
        assert_eq!(xml(GOOD).unwrap(), [[0.1, -0.2], [0.0, 0.3]]);
    }

    #[test]
    fn wrong_files_say_where() {
        let refused = |from: &str, to: &str| xml(&GOOD.replacen(from, to, 1)).unwrap_err();
        assert_eq!(refused("\"0.1\"", "\"0,1\""), "line 3: x is \"0,1\", which is not a finite number");
        assert_eq!(refused("y=\"-2e-1\"", ""), "line 3: y is \"\", which is not a finite number");
        assert_eq!(refused("0.3", "nan"), "line 4: y is \" nan \", which is not a finite number");
        assert_eq!(
            refused("z=\"0.5\" />", "z=\"0.6\" />"),
            "line 4: z is 0.6 m, and that of the first microphone 0.5 m: the array is not plane"
        );
        assert!(refused("</MicArray>", "").starts_with("it is not well-formed XML"));
        assert_eq!(xml("<MicArray/>").unwrap_err(), "it has no element pos");
        for end in 0..GOOD.len() - 1 {
            assert!(xml(&GOOD[..end]).is_err(), "{end}");
        }
    }
}
