/** Contour lines over a grid by marching squares. */

type Point = [number, number];

/** The segments of the contour of `values` (row by row, at `x` and `y`) at this level; a cell with a gap has none. */
export function contour(x: number[], y: number[], values: ArrayLike<number>, level: number): [Point, Point][] {
  const pieces: [Point, Point][] = [];
  for (let row = 1; row < y.length; row += 1) {
    for (let col = 1; col < x.length; col += 1) {
      const corners = [
        [row - 1, col - 1],
        [row - 1, col],
        [row, col],
        [row, col - 1],
      ].map(([r, c]) => ({ x: x[c], y: y[r], value: values[r * x.length + c] }));
      if (corners.every((corner) => Number.isFinite(corner.value))) pieces.push(...cell(corners, level));
    }
  }
  return pieces;
}

function cell(corners: { x: number; y: number; value: number }[], level: number): [Point, Point][] {
  const places: Point[] = [];
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % 4];
    if (a.value >= level === b.value >= level) return;
    const t = (level - a.value) / (b.value - a.value);
    places.push([a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)]);
  });
  if (places.length === 2) return [[places[0], places[1]]];
  if (places.length < 4) return [];
  // A saddle: the mean of the corners decides which of them are connected.
  const middle = corners.reduce((sum, corner) => sum + corner.value, 0) / 4;
  const [a, b, c, d] = places;
  return middle >= level === corners[0].value >= level ? [[a, b], [c, d]] : [[d, a], [b, c]];
}
