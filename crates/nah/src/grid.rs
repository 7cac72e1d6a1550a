//! Where the microphones are.

/// Microphones on a rectangular grid. Values on it lie row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Microphones along x.
    pub columns: usize,
    /// Microphones along y.
    pub rows: usize,
    /// Between neighbors along x and y, m.
    pub pitch: [f64; 2],
}

impl Grid {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.columns * self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// x and y of the microphone at a place in the list; the middle of the array is the origin.
    pub fn place(&self, i: usize) -> [f64; 2] {
        let along = |at: usize, count: usize, pitch: f64| (at as f64 - 0.5 * (count as f64 - 1.0)) * pitch;
        [
            along(i % self.columns, self.columns, self.pitch[0]),
            along(i / self.columns, self.rows, self.pitch[1]),
        ]
    }

    /// The same three times as wide and as high, with the array in its middle.
    #[must_use]
    pub fn widened(&self) -> Self {
        Self { columns: 3 * self.columns, rows: 3 * self.rows, ..*self }
    }

    /// What of a field on the widened grid is on the array.
    pub fn crop<T: Copy>(&self, wide: &[T]) -> Vec<T> {
        let row = |y: usize| {
            let start = (self.rows + y) * 3 * self.columns + self.columns;
            wide[start..start + self.columns].iter().copied()
        };
        (0..self.rows).flat_map(row).collect()
    }

    /// The largest k along an axis that the grid can tell from others, rad/m: π over the coarser pitch.
    pub fn nyquist(&self) -> f64 {
        std::f64::consts::PI / self.pitch[0].max(self.pitch[1])
    }
}
