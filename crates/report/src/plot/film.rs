//! Films: all frames of a movie as an animated PNG (APNG, part of PNG since its third edition, W3C 2025), which browsers play as a
//! picture. Colors keep their scale, and the title has the time.

use super::colormap::Colors;
use super::map::{self, MapPlot};
use super::movie::MoviePlot;
use super::{render, scale};
use crate::ReportError;
use rayon::prelude::*;
use std::collections::HashMap;

/// Most frames: enough to follow a wave.
const MAX_FRAMES: usize = 60;
/// Time that a frame is shown, in milliseconds.
const FRAME_MS: u16 = 80;
/// Pixels for one unit of a plot.
const SCALE: f32 = 0.75;
/// Grays of the palette, for text and lines; all its other colors are those of the field.
const GRAYS: usize = 40;
const PALETTE: usize = 256;

/// A frame as palette indices, row by row.
struct Picture {
    width: u32,
    height: u32,
    indices: Vec<u8>,
}

/// The film of a movie, as APNG. A long one leaves out frames.
pub fn film(plot: &MoviePlot) -> Result<Vec<u8>, ReportError> {
    let failed = |reason: String| ReportError::Plot { plot: plot.name.clone(), reason };
    if plot.times_s.len() != plot.frames.len() || plot.frames.is_empty() {
        return Err(failed(format!("{} times for {} frames", plot.times_s.len(), plot.frames.len())));
    }
    let skip = plot.frames.len().div_ceil(MAX_FRAMES);
    let range = range(plot);
    let palette = palette(plot.colors);
    let decimals = decimals(&plot.times_s);
    let shown: Vec<usize> = (0..plot.frames.len()).step_by(skip).collect();
    let pictures = shown.par_iter().map(|&i| {
        let map = MapPlot {
            name: plot.name.clone(),
            title: format!("{}, {:.decimals$} ns", plot.title, 1e9 * plot.times_s[i]),
            x_label: plot.x_label.clone(),
            y_label: plot.y_label.clone(),
            value_label: plot.value_label.clone(),
            x: plot.x.clone(),
            y: plot.y.clone(),
            values: plot.frames[i].iter().map(|value| f64::from(*value)).collect(),
            colors: plot.colors,
            range: Some(range),
            ..MapPlot::default()
        };
        let pixels = render::pixels(&plot.name, map::draw(&map)?, SCALE)?;
        // Over white: the last row and column may be covered in part only. Colors are multiplied by the coverage.
        let over = |rgba: &[u8]| [0, 1, 2].map(|i| rgba[i].saturating_add(255 - rgba[3]));
        let colors = pixels.data().chunks_exact(4).map(over);
        Ok(Picture { width: pixels.width(), height: pixels.height(), indices: indices(&palette, colors) })
    });
    let pictures = pictures.collect::<Result<Vec<_>, ReportError>>()?;
    encode(&pictures, &palette).map_err(|error| failed(error.to_string()))
}

/// Values at the ends of the color bar, the same for all frames.
fn range(plot: &MoviePlot) -> [f64; 2] {
    let values = plot.frames.iter().flatten().map(|value| f64::from(*value));
    let [low, high] = plot
        .range
        .or_else(|| scale::extent(values, false))
        .filter(|[low, high]| low < high)
        .unwrap_or([-1.0, 1.0]);
    if plot.colors == Colors::Diverging {
        let most = low.abs().max(high.abs());
        return [-most, most];
    }
    [low, high]
}

/// Decimals of a time in ns that tell neighboring frames apart.
fn decimals(times_s: &[f64]) -> usize {
    let step = times_s.windows(2).map(|pair| 1e9 * (pair[1] - pair[0])).filter(|step| *step > 0.0);
    let step = step.fold(f64::INFINITY, f64::min);
    if step.is_finite() { (1.0 - step.log10().floor()).clamp(0.0, 9.0) as usize } else { 3 }
}

/// Grays first, then the colors of the field.
fn palette(colors: Colors) -> Vec<[u8; 3]> {
    let gray = |i: usize| [(255 * i / (GRAYS - 1)) as u8; 3];
    let color = |i: usize| colors.at(i as f64 / (PALETTE - GRAYS - 1) as f64);
    (0..GRAYS).map(gray).chain((0..PALETTE - GRAYS).map(color)).collect()
}

/// The nearest color of the palette to each.
fn indices(palette: &[[u8; 3]], colors: impl Iterator<Item = [u8; 3]>) -> Vec<u8> {
    let mut known: HashMap<[u8; 3], u8> = HashMap::new();
    let distance = |a: [u8; 3], b: [u8; 3]| -> u32 {
        a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let nearest = |color: [u8; 3]| {
        let best = palette.iter().enumerate().min_by_key(|(_, other)| distance(color, **other));
        best.map_or(0, |(i, _)| i as u8)
    };
    colors.map(|color| *known.entry(color).or_insert_with(|| nearest(color))).collect()
}

fn encode(pictures: &[Picture], palette: &[[u8; 3]]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let Some(Picture { width, height, .. }) = pictures.first() else { return Ok(bytes) };
    let mut encoder = png::Encoder::new(&mut bytes, *width, *height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    // Played without end.
    encoder.set_animated(pictures.len() as u32, 0)?;
    encoder.set_frame_delay(FRAME_MS, 1000)?;
    let mut writer = encoder.write_header()?;
    for picture in pictures {
        writer.write_image_data(&picture.indices)?;
    }
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn movie(frames: usize) -> MoviePlot {
        let value = |i: usize, k: usize| (0.2 * i as f32 + 0.5 * k as f32).sin();
        MoviePlot {
            name: "slice".into(),
            title: "Ez on cut".into(),
            value_label: "Ez (V/m)".into(),
            x: (0..8).map(f64::from).collect(),
            y: (0..6).map(f64::from).collect(),
            times_s: (0..frames).map(|i| 2e-11 * i as f64).collect(),
            frames: (0..frames).map(|i| (0..48).map(|k| value(i, k)).collect()).collect(),
            colors: Colors::Diverging,
            ..MoviePlot::default()
        }
    }

    /// Read back by the decoder: the frames that it announces are there, and they differ.
    #[test]
    fn a_film_has_its_frames() {
        for (frames, shown) in [(1, 1), (60, 60), (61, 31)] {
            let bytes = film(&movie(frames)).unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
            assert_eq!(reader.info().animation_control().unwrap().num_frames, shown, "{frames}");
            let mut pictures = Vec::new();
            for _ in 0..shown {
                let mut picture = vec![0; reader.output_buffer_size().unwrap()];
                reader.next_frame(&mut picture).unwrap();
                pictures.push(picture);
            }
            assert!(pictures.windows(2).all(|pair| pair[0] != pair[1]));
        }
        assert!(film(&movie(0)).is_err());
        assert!(film(&MoviePlot { times_s: Vec::new(), ..movie(3) }).is_err());
    }

    #[test]
    fn the_scale_is_symmetric_and_stays() {
        let mut plot = movie(3);
        plot.frames[1][5] = -7.0;
        plot.frames[2][5] = f32::NAN;
        assert_eq!(range(&plot), [-7.0, 7.0]);
        plot.range = Some([-2.0, 3.0]);
        assert_eq!(range(&plot), [-3.0, 3.0]);
        plot.colors = Colors::Sequential;
        assert_eq!(range(&plot), [-2.0, 3.0]);
    }

    #[test]
    fn times_have_the_digits_that_they_need() {
        assert_eq!([&[0.0, 1e-9][..], &[0.0, 2.5e-11, 5e-11], &[1e-9]].map(decimals), [1, 3, 3]);
    }

    #[test]
    fn colors_become_the_nearest_of_the_palette() {
        let palette = palette(Colors::Diverging);
        assert_eq!(palette.len(), PALETTE);
        let wanted = [[0; 3], [255; 3], palette[100], palette[100]];
        let found = indices(&palette, wanted.into_iter());
        assert_eq!(found.iter().map(|i| palette[usize::from(*i)]).collect::<Vec<_>>(), wanted);
        let near = [palette[100][0], palette[100][1], palette[100][2].saturating_add(1)];
        let found = palette[usize::from(indices(&palette, [near].into_iter())[0])];
        assert!(found.iter().zip(near).all(|(a, b)| a.abs_diff(b) <= 4), "{found:?} for {near:?}");
    }
}
