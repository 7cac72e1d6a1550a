//! Contour lines over a grid by marching squares: crossings of the level are interpolated along the
//! sides of each cell; the two or four crossings of a cell are joined, and the segments of all
//! cells are chained.

use std::collections::HashMap;

/// A side of a cell: the sample it starts from, and whether it runs along x.
type Side = (usize, usize, bool);

/// The contour lines of `values` (row by row, at `x` and `y`) at this level. A cell with a corner
/// that is not finite has none.
pub fn contour(x: &[f64], y: &[f64], values: &[f64], level: f64) -> Vec<Vec<[f64; 2]>> {
    let mut joined: HashMap<Side, Vec<Side>> = HashMap::new();
    let mut order = Vec::new();
    for row in 1..y.len() {
        for col in 1..x.len() {
            for [a, b] in pieces(x.len(), values, level, row - 1, col - 1) {
                joined.entry(a).or_default().push(b);
                joined.entry(b).or_default().push(a);
                order.extend([a, b]);
            }
        }
    }
    // Ends of open lines first: a line must not start in its middle. Discovery order, not the order
    // of the map, keeps files reproducible.
    let ends = order.iter().filter(|side| joined[*side].len() == 1).copied().collect::<Vec<_>>();
    let crossing = |side: &Side| crossing(x, y, values, level, *side);
    let mut lines = Vec::new();
    for start in ends.into_iter().chain(order) {
        let line = walk(&mut joined, start);
        if line.len() > 1 {
            lines.push(line.iter().map(crossing).collect());
        }
    }
    lines
}

/// Chains the segments from `start` and removes them.
fn walk(joined: &mut HashMap<Side, Vec<Side>>, start: Side) -> Vec<Side> {
    let mut line = vec![start];
    let mut at = start;
    while let Some(next) = joined.get_mut(&at).and_then(Vec::pop) {
        if let Some(back) = joined.get_mut(&next)
            && let Some(crossing) = back.iter().position(|side| *side == at)
        {
            back.swap_remove(crossing);
        }
        line.push(next);
        at = next;
    }
    line
}

/// The segments of the line in one cell, each between two of its sides.
fn pieces(cols: usize, values: &[f64], level: f64, row: usize, col: usize) -> Vec<[Side; 2]> {
    let corners = [(row, col), (row, col + 1), (row + 1, col + 1), (row + 1, col)];
    let corner = corners.map(|(row, col)| values[row * cols + col]);
    if corner.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let sides = [(row, col, true), (row, col + 1, false), (row + 1, col, true), (row, col, false)];
    // A value equal to the level counts as above, so that every cell has 0, 2 or 4 crossings.
    let above = corner.map(|value| value >= level);
    let passed: Vec<Side> = (0..4).filter(|&i| above[i] != above[(i + 1) % 4]).map(|i| sides[i]).collect();
    match passed[..] {
        [a, b] => vec![[a, b]],
        // A saddle: the mean of the corners decides which of them are connected.
        [a, b, c, d] => {
            let middle_above = 0.25 * corner.iter().sum::<f64>() >= level;
            if middle_above == above[0] { vec![[a, b], [c, d]] } else { vec![[d, a], [b, c]] }
        }
        _ => Vec::new(),
    }
}

/// The crossing of the level on a side.
fn crossing(x: &[f64], y: &[f64], values: &[f64], level: f64, (row, col, along_x): Side) -> [f64; 2] {
    let at = |row: usize, col: usize| values[row * x.len() + col];
    let (next_row, next_col) = if along_x { (row, col + 1) } else { (row + 1, col) };
    let (a, b) = (at(row, col), at(next_row, next_col));
    let t = ((level - a) / (b - a)).clamp(0.0, 1.0);
    [x[col] + t * (x[next_col] - x[col]), y[row] + t * (y[next_row] - y[row])]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize) -> Vec<f64> {
        (0..n).map(|i| -1.0 + 2.0 * i as f64 / (n - 1) as f64).collect()
    }

    #[test]
    fn a_circle_is_one_closed_line() {
        let axis = grid(41);
        let values: Vec<f64> = axis.iter().flat_map(|y| axis.iter().map(move |x| x.hypot(*y))).collect();
        let lines = contour(&axis, &axis, &values, 0.62);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        assert!(lines[0].iter().all(|p| (p[0].hypot(p[1]) - 0.62).abs() < 1e-3));
        // The perimeter, within the chords' shortfall.
        let length: f64 = lines[0].windows(2).map(|w| (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1])).sum();
        assert!((length / (2.0 * std::f64::consts::PI * 0.62) - 1.0).abs() < 5e-3, "{length}");
    }

    #[test]
    fn open_lines_run_from_edge_to_edge_and_saddles_do_not_cross() {
        let axis = grid(20);
        let plane: Vec<f64> = axis.iter().flat_map(|_| axis.iter().copied()).collect();
        let lines = contour(&axis, &axis, &plane, 0.3);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].iter().all(|p| (p[0] - 0.3).abs() < 1e-12));
        assert_eq!(lines[0].len(), 20);
        let saddle = contour(&[0.0, 1.0], &[0.0, 1.0], &[1.0, 0.0, 0.0, 1.0], 0.5);
        assert_eq!(saddle.len(), 2);
        let gap = contour(&[0.0, 1.0], &[0.0, 1.0], &[1.0, 0.0, f64::NAN, 1.0], 0.5);
        assert!(gap.is_empty());
    }
}
