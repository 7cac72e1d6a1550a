//! Layout of the tables that describe elements and faces: the offsets of their entries, in one place for the host and the kernels.
//!
//! Every constant here is also a `#define` of the same name and value in each kernel of `kernels/` ([`defines`]), so that host and kernel
//! cannot disagree.

use std::ops::Range;

/// Constants, and the list of their names and values.
macro_rules! offsets {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: usize = $value;)*
        /// All of them by name.
        const ALL: &[(&str, usize)] = &[$((stringify!($name), $name)),*];
    };
}

offsets! {
    // Shape and material of an element.
    /// Edges a_k = ∂x/∂ξ_k of a straight element, k = 0, 1, 2: three components each.
    EDGES = 0;
    /// 1/J, J = det(∂x/∂ξ).
    INVERSE_J = 9;
    /// 1/ε along x, y and z.
    INVERSE_EPS = 10;
    /// 1/μ along x, y and z.
    INVERSE_MU = 13;
    /// ση₀.
    LOSS = 16;
    /// Z = √(μ/ε) of the flux.
    IMPEDANCE = 17;
    /// Y = 1/Z.
    ADMITTANCE = 18;
    /// Entries of an element.
    SHAPE = 19;

    // Face of an element.
    /// t₁.
    TANGENT_1 = 0;
    /// t₂ = n × t₁.
    TANGENT_2 = 3;
    /// Area over volume relative to the reference element.
    FACE_SCALE = 6;
    /// A of E* = A w⁻ + B w⁺ + s.
    WEIGHT_MINUS = 7;
    /// B.
    WEIGHT_PLUS = 8;
    /// With the central flux, B of n × H*; its A is one minus that of E*.
    WEIGHT_PLUS_H = 9;
    /// Entries of a face.
    FACE = 10;

    // Coefficients of the quadratic map of a curved element, ∂x/∂ξ_k = b_k + Σ_j c_kj ξ_j with c_kj = c_jk: indices of vectors.
    /// b_0, b_1, b_2.
    MAP_B = 0;
    /// c_00.
    MAP_C00 = 3;
    /// c_11.
    MAP_C11 = 4;
    /// c_22.
    MAP_C22 = 5;
    /// c_12.
    MAP_C12 = 6;
    /// c_02.
    MAP_C02 = 7;
    /// c_01.
    MAP_C01 = 8;

    // Curved element.
    /// Its map: nine vectors of three components.
    MAP = 27;
    /// Behind them, one for each face: 1 if it is curved, else 0.
    CURVED_FACE = 27;
    /// Entries of a curved element.
    CURVED = 31;

    // Kinds of elements, as kernels know them.
    /// Curls and fluxes only.
    KIND_PLAIN = 0;
    /// With sources.
    KIND_SOURCES = 1;
    /// CFS-PML, absorbing along three axes.
    KIND_CFS_CORNER = 2;
    /// Uniaxial PML, absorbing along two or three axes.
    KIND_UNIAXIAL_CORNER = 3;
    /// Dispersive, perhaps with sources. Curved elements are of this kind too, perhaps without poles.
    KIND_DISPERSIVE = 4;
    /// PML, absorbing along one axis.
    KIND_PML_FACE = 5;
    /// CFS-PML, absorbing along two axes.
    KIND_PML_EDGE = 6;

    // Auxiliary differential equations (ADE) of a block: its kind, and where its coefficients and its unknowns begin.
    /// The kind.
    BLOCK_KIND = 0;
    /// The first coefficient.
    BLOCK_COEFFICIENTS = 1;
    /// The first unknown.
    BLOCK_UNKNOWNS = 2;
    /// With local steps: 1 if neighbors need its traces halfway, else 0.
    BLOCK_HALFWAY = 3;
    /// The level of its local steps.
    BLOCK_LEVEL = 4;
    /// Entries of a block.
    BLOCK_ENTRIES = 5;

    // Face of a sheet with states.
    /// The number of its own trace.
    SHEET_OWN = 0;
    /// Four times the number of the trace behind it, plus the orientation.
    SHEET_BEHIND = 1;
    /// Where its equations begin.
    SHEET_EQUATIONS = 2;
    /// States at a point.
    SHEET_STATES = 3;
    /// Its first state.
    SHEET_FIRST = 4;
    /// The level of its element, and of that behind it.
    SHEET_LEVEL = 5;
    SHEET_LEVEL_BEHIND = 6;
    /// Entries of a face.
    SHEET_ENTRIES = 7;
    /// States at a point, at most.
    MAX_SHEET_STATES = 8;

    // Auxiliary unknowns at a node.
    /// In a PML face, and of the uniaxial PML.
    PML_FACE_UNKNOWNS = 6;
    /// In a PML edge.
    PML_EDGE_UNKNOWNS = 12;
    /// In a PML corner.
    PML_CORNER_UNKNOWNS = 18;
    /// Of a pole.
    POLE_UNKNOWNS = 6;

    // PML coefficients, in rows of one value per node: σ and α for each absorbing axis, then flags that mark the axis. In corners σ along
    // x, y and z, then α.
    /// From σ to α of an axis.
    AXIS_ALPHA = 1;
    /// Rows of an axis.
    AXIS_ROWS = 2;
    /// From σ to α in corners.
    CORNER_ALPHA = 3;

    // Coefficients of a pole: u' = c_UE E + c_UU u + c_UV v, v' = c_VE E + c_VU u + c_VV v, and ∂E/∂τ loses c_EE E + c_EU u + c_EV v.
    /// c_UE.
    POLE_UE = 0;
    /// c_UU.
    POLE_UU = 1;
    /// c_UV.
    POLE_UV = 2;
    /// c_VE.
    POLE_VE = 3;
    /// c_VU.
    POLE_VU = 4;
    /// c_VV.
    POLE_VV = 5;
    /// c_EE.
    POLE_EE = 6;
    /// c_EU.
    POLE_EU = 7;
    /// c_EV.
    POLE_EV = 8;
    /// Coefficients of a pole.
    POLE = 9;
}

/// The constants as `#define`s for kernels.
pub fn defines() -> impl Iterator<Item = (&'static str, String)> {
    ALL.iter().map(|(name, value)| (*name, value.to_string()))
}

/// Operators of curved elements, in the order of their common table.
#[derive(Debug, Clone, Copy)]
pub enum Operator {
    /// Coordinates of the points of an element.
    Points,
    /// Coordinates of the points of its faces.
    FacePoints,
    /// V: from nodes to points.
    Values,
    /// Gradients of the basis functions at the points.
    Gradients,
    /// P: from points to nodes.
    Project,
    /// From the nodes of a face to its points.
    FaceValues,
    /// From the points of a face to its nodes.
    FaceProject,
    /// LIFT.
    Lift,
    /// Weights of the quadrature.
    Weights,
}

/// Where the operators of curved elements begin in their common table.
#[derive(Debug, Clone, Copy)]
pub struct OperatorOffsets([usize; 10]);

impl OperatorOffsets {
    /// For so many nodes of an element and of a face, and so many points.
    pub fn new([nodes, face_nodes]: [usize; 2], [points, face_points]: [usize; 2]) -> Self {
        let lengths = [
            3 * points,
            4 * 3 * face_points,
            points * nodes,
            3 * points * nodes,
            points * nodes,
            face_points * face_nodes,
            face_points * face_nodes,
            4 * face_nodes * nodes,
            points,
        ];
        let mut offsets = [0; 10];
        for (i, length) in lengths.into_iter().enumerate() {
            offsets[i + 1] = offsets[i] + length;
        }
        Self(offsets)
    }

    /// The entries of an operator.
    pub fn range(&self, operator: Operator) -> Range<usize> {
        self.0[operator as usize]..self.0[operator as usize + 1]
    }

    /// Length of the table.
    pub fn table_len(&self) -> usize {
        self.0[9]
    }

    /// The offsets as `#define`s for kernels.
    pub fn defines(&self) -> impl Iterator<Item = (&'static str, String)> {
        let names = [
            "OPERATOR_POINTS",
            "OPERATOR_FACE_POINTS",
            "OPERATOR_VALUES",
            "OPERATOR_GRADIENTS",
            "OPERATOR_PROJECT",
            "OPERATOR_FACE_VALUES",
            "OPERATOR_FACE_PROJECT",
            "OPERATOR_LIFT",
            "OPERATOR_WEIGHTS",
        ];
        names.into_iter().zip(self.0.map(|offset| offset.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Macros of kernels that are plain numbers and no offsets: a switch, and how far a kernel loads ahead.
    const SETTINGS: [&str; 2] = ["LOCAL_STEPS", "AHEAD"];

    /// The texts of all kernels.
    fn kernels() -> Vec<String> {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels")).unwrap();
        folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    }

    /// Whether a name stands in a text as a whole word.
    fn names(text: &str, name: &str) -> bool {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
    }

    /// The macros that a text defines, with or without arguments: name and what follows it.
    fn macros(text: &str) -> impl Iterator<Item = (&str, &str)> {
        text.lines().filter_map(|line| {
            let rest = line.trim().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
            Some(rest.split_at(
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len()),
            ))
        })
    }

    #[test]
    fn macros_with_arguments_are_macros() {
        let found: Vec<_> = macros("#define A 1\n  # define B(x) (x)\n#define C\n#ifdef D\n").collect();
        assert_eq!(found, [("A", " 1"), ("B", "(x) (x)"), ("C", "")]);
    }

    /// Kernels use these constants, define none of them again, and have no offsets of their own.
    #[test]
    fn kernels_have_no_offsets_of_their_own() {
        let kernels = kernels();
        let operators = OperatorOffsets::new([4, 3], [8, 4]);
        for (name, _) in defines().chain(operators.defines()) {
            let host_only = ["KIND_PLAIN", "MAP"].contains(&name);
            assert!(host_only || kernels.iter().any(|text| names(text, name)), "no kernel uses {name}");
            for text in &kernels {
                assert!(macros(text).all(|(own, _)| own != name), "{name} is defined twice");
            }
        }
        for text in &kernels {
            for (name, value) in macros(text).filter(|(name, _)| !SETTINGS.contains(name)) {
                assert!(
                    value.trim().parse::<i64>().is_err(),
                    "{name} is{value}: an offset of a kernel's own"
                );
            }
            // A literal index into a shape or a face would be an offset outside of this list.
            let literal = |start: &str| {
                text.match_indices(start)
                    .any(|(at, _)| text[at + start.len()..].starts_with(|c: char| c.is_ascii_digit()))
            };
            assert!(!literal("shape[") && !literal("(f)[") && !literal("map["));
        }
    }

    /// Entries follow each other without gaps.
    #[test]
    fn entries_fill_their_tables() {
        assert_eq!([INVERSE_J, SHAPE], [EDGES + 9, ADMITTANCE + 1]);
        assert_eq!([INVERSE_MU, LOSS], [INVERSE_EPS + 3, INVERSE_MU + 3]);
        assert_eq!([TANGENT_2, FACE_SCALE, FACE], [TANGENT_1 + 3, TANGENT_2 + 3, WEIGHT_PLUS_H + 1]);
        assert_eq!([CURVED_FACE, CURVED, POLE], [MAP, CURVED_FACE + 4, POLE_EV + 1]);
        assert_eq!([MAP_C00, MAP], [MAP_B + 3, 3 * (MAP_C01 + 1)]);
    }
}
