//! Layout of the tables that describe elements and faces: the offsets of their entries, in one place for the host and the kernels.
//!
//! Every constant here is also a `#define` of the same name and value in each kernel of `kernels/` ([`defines`]), so that host and kernel
//! cannot disagree.

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
    /// 1/ε.
    INVERSE_EPS = 10;
    /// 1/μ.
    INVERSE_MU = 11;
    /// ση₀/ε.
    LOSS = 12;
    /// Z = √(μ/ε).
    IMPEDANCE = 13;
    /// Y/ε, Y = 1/Z.
    ADMITTANCE_OVER_EPS = 14;
    /// Entries of an element.
    SHAPE = 15;

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

    // Curved element.
    /// Coefficients of its quadratic map: nine vectors.
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

#[cfg(test)]
mod tests {
    use super::*;

    const KERNELS: [&str; 9] = [
        include_str!("../kernels/levels.cu"),
        include_str!("../kernels/runge_kutta.cu"),
        include_str!("../kernels/local_steps.cu"),
        include_str!("../kernels/element.cu"),
        include_str!("../kernels/stage.cu"),
        include_str!("../kernels/tensor.cu"),
        include_str!("../kernels/split.cu"),
        include_str!("../kernels/curved.cu"),
        include_str!("../kernels/monitors.cu"),
    ];

    /// Whether a name stands in a text as a whole word.
    fn names(text: &str, name: &str) -> bool {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
    }

    /// Kernels use these constants, and define none of them again.
    #[test]
    fn kernels_have_no_offsets_of_their_own() {
        for (name, _) in defines() {
            let host_only = ["KIND_PLAIN", "MAP"].contains(&name);
            assert!(host_only || KERNELS.iter().any(|text| names(text, name)), "no kernel uses {name}");
            for text in KERNELS {
                let own = text.lines().filter_map(|line| line.strip_prefix("#define "));
                assert!(
                    own.clone().all(|rest| !rest.starts_with(&format!("{name} "))),
                    "{name} is defined twice"
                );
            }
        }
        // A literal index into a shape or a face would be an offset outside of this list.
        for text in KERNELS {
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
        assert_eq!([INVERSE_J, SHAPE], [EDGES + 9, ADMITTANCE_OVER_EPS + 1]);
        assert_eq!([TANGENT_2, FACE_SCALE, FACE], [TANGENT_1 + 3, TANGENT_2 + 3, WEIGHT_PLUS_H + 1]);
        assert_eq!([CURVED_FACE, CURVED, POLE], [MAP, CURVED_FACE + 4, POLE_EV + 1]);
    }
}
