//! What asks for small elements.

/// What asks for elements of a size; numbers are positions in the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// The highest frequency, in the whole model.
    Model,
    /// The material of a solid.
    Solid(usize),
    /// The edges of a solid.
    SolidEdges(usize),
    /// The edges of a sheet.
    SheetEdges(usize),
    /// A thin wire.
    Wire(usize),
    /// A refinement.
    Refinement(usize),
    /// A gap between conductors, by its number in [`super::Drawing::gaps`].
    Gap(usize),
    /// Sizes found by an earlier pass.
    View(usize),
}
