//! A photo under a map: PNG or JPEG, decoded by the renderer, in gray, and seen in perspective.

use super::colorbar::encode;
use super::frame::Axes;
use super::text::parse;
use crate::ReportError;
use crate::base64::base64;
use resvg::tiny_skia::{Pixmap, Transform};

/// Pixels of the longer side that are kept: no map has more.
const MAX_SIDE: f32 = 1600.0;
/// Pixels of the longer side of a photo that is read.
const MAX_READ: u32 = 20_000;

/// A photo of the plane of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Photo {
    width: usize,
    height: usize,
    /// Luminance, row by row from the top.
    gray: Vec<u8>,
    /// From data coordinates, as (x, y, 1), to those of the photo times a factor: (0, 0) is its top left corner, (1, 1) its bottom right one.
    projection: [[f64; 3]; 3],
}

impl Photo {
    /// From the bytes of a PNG or a JPEG file, and where its corners are in the coordinates of the map: top left, top right, bottom right, bottom left as one
    /// looks at the photo. What is wrong otherwise.
    pub fn new(bytes: &[u8], corners: [[f64; 2]; 4]) -> Result<Self, String> {
        let to_photo = to_photo(corners)
            .ok_or("its corners are not those of a convex quadrangle, one after the other")?;
        let (kind, width, height) = size(bytes).ok_or("it is neither a PNG nor a JPEG file")?;
        if width == 0 || height == 0 || width.max(height) > MAX_READ {
            return Err(format!(
                "it has {width} x {height} pixels, and at most {MAX_READ} along a side are read"
            ));
        }
        let scale = (MAX_SIDE / width.max(height) as f32).min(1.0);
        let shown = [width, height].map(|side| ((side as f32 * scale).round() as u32).max(1));
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\"><image width=\"{0}\" height=\"{1}\" \
             preserveAspectRatio=\"none\" href=\"data:image/{kind};base64,{2}\"/></svg>",
            shown[0],
            shown[1],
            base64(bytes)
        );
        let tree = parse(&svg).map_err(|error| error.to_string())?;
        let mut pixels = Pixmap::new(shown[0], shown[1]).ok_or("it has no size")?;
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        // A file that cannot be decoded is no image to the renderer.
        if pixels.pixels().iter().all(|pixel| pixel.alpha() == 0) {
            return Err("it cannot be decoded".to_owned());
        }
        // Rec. 601; where it is transparent it is white.
        let luminance = |p: &resvg::tiny_skia::PremultipliedColorU8| {
            let sum = 299 * u32::from(p.red()) + 587 * u32::from(p.green()) + 114 * u32::from(p.blue());
            (sum / 1000 + 255 - u32::from(p.alpha())).min(255) as u8
        };
        let gray = pixels.pixels().iter().map(luminance).collect();
        Ok(Self { width: shown[0] as usize, height: shown[1] as usize, gray, projection: to_photo })
    }

    /// The part under the area of a map as a picture of so many pixels, transparent outside.
    pub fn picture(
        &self,
        plot: &str,
        axes: &Axes,
        (width, height): (usize, usize),
    ) -> Result<Vec<u8>, ReportError> {
        let at = |range: [f64; 2], i: usize, count: usize| {
            range[0] + (i as f64 + 0.5) / count as f64 * (range[1] - range[0])
        };
        let row = |row: usize| {
            // The first row of an image is at its top, where y is largest.
            let y = at(axes.y.range, height - 1 - row, height);
            (0..width).map(move |column| self.at([at(axes.x.range, column, width), y]))
        };
        let indices: Vec<u8> = (0..height).flat_map(row).collect();
        let palette = (0..=255).flat_map(|gray| [gray; 3]).collect();
        encode(plot, (width, height), Some((palette, vec![0])), &indices)
    }

    /// Its gray at a point, or zero outside.
    fn at(&self, [x, y]: [f64; 2]) -> u8 {
        let [u, v, w] = self.projection.map(|row| row[0] * x + row[1] * y + row[2]);
        let (column, row) = (u / w * self.width as f64, v / w * self.height as f64);
        let is_inside =
            (0.0..self.width as f64).contains(&column) && (0.0..self.height as f64).contains(&row);
        // Behind the viewer, w has the other sign.
        if w > 0.0 && is_inside { self.gray[row as usize * self.width + column as usize].max(1) } else { 0 }
    }
}

/// The projective map from a convex quadrangle to the unit square: the adjoint of that from the square (Heckbert, *Fundamentals of texture mapping and image
/// warping*, 1989, section 2.2.3).
fn to_photo([p0, p1, p2, p3]: [[f64; 2]; 4]) -> Option<[[f64; 3]; 3]> {
    let cross =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
    let turns = [cross(p0, p1, p2), cross(p1, p2, p3), cross(p2, p3, p0), cross(p3, p0, p1)];
    if !(turns.iter().all(|turn| *turn > 0.0) || turns.iter().all(|turn| *turn < 0.0)) {
        return None;
    }
    let [dx1, dx2, sx] = [p1[0] - p2[0], p3[0] - p2[0], p0[0] - p1[0] + p2[0] - p3[0]];
    let [dy1, dy2, sy] = [p1[1] - p2[1], p3[1] - p2[1], p0[1] - p1[1] + p2[1] - p3[1]];
    let determinant = dx1 * dy2 - dx2 * dy1;
    let (g, h) = ((sx * dy2 - dx2 * sy) / determinant, (dx1 * sy - sx * dy1) / determinant);
    let [a, b, c] = [p1[0] - p0[0] + g * p1[0], p3[0] - p0[0] + h * p3[0], p0[0]];
    let [d, e, f] = [p1[1] - p0[1] + g * p1[1], p3[1] - p0[1] + h * p3[1], p0[1]];
    let adjoint = [
        [e - f * h, c * h - b, b * f - c * e],
        [f * g - d, a - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ];
    // With a factor that makes w positive inside.
    let w = adjoint[2][0] * p0[0] + adjoint[2][1] * p0[1] + adjoint[2][2];
    (w != 0.0 && w.is_finite()).then(|| adjoint.map(|row| row.map(|x| x * w.signum())))
}

/// The kind of a PNG or a JPEG file, its width and its height.
fn size(bytes: &[u8]) -> Option<(&'static str, u32, u32)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        return Some(("png", number(16)?, number(20)?));
    }
    if !bytes.starts_with(&[0xff, 0xd8]) {
        return None;
    }
    // Segments: 0xff, a marker, and a length that counts itself.
    let mut at = 2;
    loop {
        let [start, marker, high, low] = *bytes.get(at..at + 4)?.first_chunk()?;
        if start != 0xff {
            return None;
        }
        // Frame headers, but for the tables among their numbers: DHT, JPG and DAC.
        if (0xc0..=0xcf).contains(&marker) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let number =
                |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
            return Some(("jpeg", number(at + 7)?, number(at + 5)?));
        }
        // Fill bytes have no length.
        at += if marker == 0xff { 1 } else { 2 + usize::from(u16::from_be_bytes([high, low])) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners go to corners, and the crossing of the diagonals to the middle, in either sense of rotation.
    #[test]
    fn perspective_keeps_lines() {
        let seen = [[-2.0, 1.0], [1.0, 1.5], [1.5, -1.0], [-1.0, -1.2]];
        let mirrored = seen.map(|[x, y]| [-x, y]);
        for corners in [seen, mirrored] {
            let map = to_photo(corners).unwrap();
            let at = |[x, y]: [f64; 2]| {
                let [u, v, w] = map.map(|row| row[0] * x + row[1] * y + row[2]);
                assert!(w > 0.0);
                [u / w, v / w]
            };
            for (corner, expected) in corners.iter().zip([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) {
                let found = at(*corner);
                assert!((0..2).all(|i| (found[i] - expected[i]).abs() < 1e-12), "{corner:?}: {found:?}");
            }
            // p0 + s (p2 − p0) = p1 + t (p3 − p1).
            let [p0, p1, p2, p3] = corners;
            let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
            let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
            let s = cross(minus(p1, p0), minus(p3, p1)) / cross(minus(p2, p0), minus(p3, p1));
            let middle = at([p0[0] + s * (p2[0] - p0[0]), p0[1] + s * (p2[1] - p0[1])]);
            assert!((middle[0] - 0.5).abs() < 1e-12 && (middle[1] - 0.5).abs() < 1e-12, "{middle:?}");
        }
        assert!(to_photo([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).is_none());
        assert!(to_photo([[0.0; 2]; 4]).is_none());
    }

    /// A PNG of two colors, upright and in its place; files that are none.
    #[test]
    fn photos_are_decoded() {
        let palette = vec![255, 255, 255, 0, 0, 0, 200, 0, 0];
        let png = encode("", (2, 1), Some((palette, vec![])), &[1, 2]).unwrap();
        let corners = [[0.0, 1.0], [2.0, 1.0], [2.0, 0.0], [0.0, 0.0]];
        let photo = Photo::new(&png, corners).unwrap();
        assert_eq!((photo.width, photo.height), (2, 1));
        // 0.299 · 200; black is 1, since 0 is outside.
        assert_eq!([[0.2, 0.5], [1.8, 0.5], [2.1, 0.5]].map(|at| photo.at(at)), [1, 59, 0]);
        assert_eq!(Photo::new(b"GIF89a", corners).unwrap_err(), "it is neither a PNG nor a JPEG file");
        assert_eq!(Photo::new(&png[..40], corners).unwrap_err(), "it cannot be decoded");
        let wrong = Photo::new(&png, [[0.0; 2]; 4]).unwrap_err();
        assert!(wrong.starts_with("its corners are not"), "{wrong}");
    }

    /// The frame header behind another segment; a file that ends early.
    #[test]
    fn sizes_of_jpeg_files() {
        let bytes = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 0x01, 0x02, 0x03, 0x04, 1];
        assert_eq!(size(&bytes), Some(("jpeg", 0x304, 0x102)));
        assert_eq!(size(&bytes[..14]), None);
        assert_eq!(size(&[0xff, 0xd8, 0, 0, 0, 0]), None);
    }
}
