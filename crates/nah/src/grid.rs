//! The array geometry: a rectangular grid of microphones, its padded and its refined versions.

/// Microphones on a rectangular grid. Values on it are stored row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Microphones along x.
    pub columns: usize,
    /// Microphones along y.
    pub rows: usize,
    /// Spacing along x and y, m.
    pub pitch: [f64; 2],
}

impl Grid {
    /// Number of microphones.
    pub fn len(&self) -> usize {
        self.columns * self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// x and y of a microphone by its index, m; the center of the array is the origin.
    pub fn position(&self, i: usize) -> [f64; 2] {
        let along = |n: usize, count: usize, pitch: f64| (n as f64 - 0.5 * (count as f64 - 1.0)) * pitch;
        [
            along(i % self.columns, self.columns, self.pitch[0]),
            along(i / self.columns, self.rows, self.pitch[1]),
        ]
    }

    /// x and y of all microphones, m.
    pub fn positions(&self) -> Vec<[f64; 2]> {
        (0..self.len()).map(|i| self.position(i)).collect()
    }

    /// The grid padded to three times its size along both axes, with the array at its center.
    #[must_use]
    pub fn padded(&self) -> Self {
        Self { columns: 3 * self.columns, rows: 3 * self.rows, ..*self }
    }

    /// The part of a field on the padded grid that lies on the array.
    pub fn crop<T: Copy>(&self, padded: &[T]) -> Vec<T> {
        let row = |y: usize| {
            let start = (self.rows + y) * 3 * self.columns + self.columns;
            padded[start..start + self.columns].iter().copied()
        };
        (0..self.rows).flat_map(row).collect()
    }

    /// The grid with `factor` points for each pitch, from the first microphone to the last.
    #[must_use]
    pub fn refined(&self, factor: usize) -> Self {
        let finer = |count: usize| (count - 1) * factor + 1;
        Self {
            columns: finer(self.columns),
            rows: finer(self.rows),
            pitch: self.pitch.map(|pitch| pitch / factor as f64),
        }
    }

    /// The spatial Nyquist limit, π over the coarser pitch, rad/m: larger wavenumbers alias.
    pub fn nyquist_wavenumber(&self) -> f64 {
        std::f64::consts::PI / self.pitch[0].max(self.pitch[1])
    }
}
