//! Files: samples typed by hand after the published descriptions, round trips, conversions.

use crate::reference::{FREQUENCY, dipole, huygens, moved, pattern, sphere};
use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use phasefront_pattern::{
    Component, Direction, Pattern, PatternError, Powers, UvField, read_cut, read_ffd, read_ffe, read_grd,
    write_cut, write_ffd, write_ffe, write_grd, write_grd_uv,
};
use std::f64::consts::PI;
use std::fmt::Write;

/// Volts per unit of a GRASP field.
fn grasp_volts() -> f64 {
    (2.0 * ETA0).sqrt()
}

fn degrees(angles: &[f64]) -> Vec<f64> {
    angles.iter().map(|angle| (angle.to_degrees() * 1e9).round() / 1e9).collect()
}

#[track_caller]
fn same(a: &Pattern, b: &Pattern, tolerance: f64) {
    assert!((a.frequency() / b.frequency() - 1.0).abs() < 1e-12);
    assert_eq!((a.theta().len(), a.phi().len()), (b.theta().len(), b.phi().len()));
    for (a, b) in a.theta().iter().zip(b.theta()).chain(a.phi().iter().zip(b.phi())) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
    let scale = a.fields().iter().flatten().map(|e| e.norm()).fold(0.0, f64::max);
    for (a, b) in a.fields().iter().flatten().zip(b.fields().iter().flatten()) {
        assert!((a - b).norm() < tolerance * scale, "{a} {b}");
    }
}

/// Elliptically polarized, displaced, different at every sample.
fn source(scale: f64) -> Pattern {
    let field = dipole([Complex64::new(0.3, 0.4), Complex64::ONE, Complex64::new(0.0, -0.6)]);
    let field = moved(field, [0.01, 0.002, -0.007]);
    pattern(sphere(12, 10, true), move |t, p| field(t, p).map(|e| e * scale))
}

#[test]
fn ffd_with_frequencies_as_ansys_describes_it() {
    let text = "0,180,2\n0,360,5\nfrequencies 2\nfrequency 3.0e9\n\
        1,2,3,4\n5,6,7,8\n0.0,0.0,0.0,1.0\n0,0,0,1\n0,0,0,1\n9,0,0,0\n0,0,0,1\n0,0,0,1\n0,0,0,1\n0,0,0,1\n\
        frequency 6.0e9\n0,0,0,2\n0,0,0,2\n0,0,0,2\n0,0,0,2\n0,0,0,2\n0,0,0,2\n0,0,0,2\n0,0,0,2\n0,0,0,2\n0,0,0,2\n";
    let patterns = read_ffd(text.as_bytes(), None).unwrap();
    assert_eq!(patterns.iter().map(Pattern::frequency).collect::<Vec<_>>(), [3e9, 6e9]);
    assert_eq!(degrees(patterns[0].theta()), [0.0, 180.0]);
    assert_eq!(degrees(patterns[0].phi()), [0.0, 90.0, 180.0, 270.0, 360.0]);
    // φ fastest, volts.
    assert_eq!(patterns[0].at(0, 1), [Complex64::new(5.0, 6.0), Complex64::new(7.0, 8.0)]);
    assert_eq!(patterns[0].at(1, 0)[0], Complex64::from(9.0));
    assert_eq!(patterns[1].at(1, 4)[1], Complex64::I * 2.0);
}

#[test]
fn ffd_without_frequency_takes_the_one_given() {
    let text = b"0 180 2\r\n0 90 2\r\n1 0 0 0\r\n2 0 0 0\r\n3 0 0 0\r\n4 0 0 0\r\n";
    let error = read_ffd(text, None).unwrap_err();
    assert_eq!(error, PatternError::Frequencies { patterns: 1, frequencies: 0 });
    let patterns = read_ffd(text, Some(5e9)).unwrap();
    assert_eq!((patterns[0].frequency(), patterns[0].at(1, 0)[0].re), (5e9, 3.0));
}

pub const FFE: &str = r#"##File Type: Far field
##File Format: 8
##Source: patch
##Date: 2024-01-31 15:14:00
** File exported by Feko kernel

#Configuration Name: StandardConfiguration1
#Request Name: FarField1
#Frequency:   1.20000000E+009
#Coordinate System: Spherical
#Origin: (0.0, 0.0, 0.0)
#No. of Theta Samples: 2
#No. of Phi Samples: 3
#Result Type: Gain
#No. of Header Lines: 1
#    "Theta"   "Phi"   "Re(Etheta)"  "Im(Etheta)"  "Re(Ephi)"  "Im(Ephi)"  "Gain(Theta)"  "Gain(Phi)"  "Gain(Total)"
  0.00000000E+000   0.00000000E+000   1.0E+000   2.0E+000   3.0E+000   4.0E+000  -1.0E+001  -1.0E+001  -1.0E+001
  9.00000000E+001   0.00000000E+000   5.0E+000   0.0E+000   0.0E+000   0.0E+000  -1.0E+001  -1.0E+001  -1.0E+001
  0.00000000E+000   9.00000000E+001   6.0E+000   0.0E+000   0.0E+000   0.0E+000  -1.0E+001  -1.0E+001  -1.0E+001
  9.00000000E+001   9.00000000E+001   7.0E+000   0.0E+000   0.0E+000   0.0E+000  -1.0E+001  -1.0E+001  -1.0E+001
  0.00000000E+000   1.80000000E+002   8.0E+000   0.0E+000   0.0E+000   0.0E+000  -1.0E+001  -1.0E+001  -1.0E+001
  9.00000000E+001   1.80000000E+002   0.0E+000   9.0E+000   0.0E+000   0.0E+000  -1.0E+001  -1.0E+001   3.0102999566398E+000
"#;

#[test]
fn ffe_as_feko_writes_it() {
    // A second block at another frequency, with φ fastest and without gains.
    let second = "\n#Frequency: 1.3E9\n#No. of Theta Samples: 1\n#No. of Phi Samples: 2\n\
        #\"Theta\" \"Phi\" \"Re(Etheta)\" \"Im(Etheta)\" \"Re(Ephi)\" \"Im(Ephi)\"\n45 0 1 0 0 0\n45 10 2 0 0 0\n";
    let patterns = read_ffe(format!("{FFE}{second}").as_bytes()).unwrap();
    assert_eq!(patterns.iter().map(Pattern::frequency).collect::<Vec<_>>(), [1.2e9, 1.3e9]);
    let first = &patterns[0];
    assert_eq!((degrees(first.theta()), degrees(first.phi())), (vec![0.0, 90.0], vec![0.0, 90.0, 180.0]));
    // θ fastest.
    assert_eq!(first.at(0, 0), [Complex64::new(1.0, 2.0), Complex64::new(3.0, 4.0)]);
    assert_eq!((first.at(1, 0)[0].re, first.at(0, 2)[0].re, first.at(1, 2)[0].im), (5.0, 8.0, 9.0));
    // G = |E|²/(60 Ω · P) = 2 at 9 V: P = 0.675 W; with η₀/2π = 59.958 Ω instead of 60 Ω.
    let accepted = first.powers().accepted.unwrap();
    assert!((accepted - 81.0 / (59.958_491_6 * 2.0)).abs() < 1e-6, "{accepted}");
    assert_eq!(first.powers().radiated, None);
    assert_eq!(patterns[1].powers(), Powers::default());
    assert_eq!(degrees(patterns[1].phi()), [0.0, 10.0]);
}

#[test]
fn ffe_variants_are_refused_by_name() {
    let cases = [
        (
            "##File Type: Far field",
            "##File Type: Near field",
            "line 1: the file type \"Near field\" is not supported",
        ),
        (
            "System: Spherical",
            "System: Cartesian",
            "line 10: the coordinate system \"Cartesian\" is not supported",
        ),
        ("(0.0, 0.0, 0.0)", "(0.0, 0.0, 1.0)", "line 11: Origin (0.0, 0.0, 1.0) is not supported"),
        ("Type: Gain", "Type: RCS", "line 14: a radar cross section is not supported"),
        ("Header Lines: 1", "Header Lines: 2", "line 15: a header of several lines is not supported"),
        ("\"Im(Ephi)\"", "\"Abs\"", "line 16: there is no column \"Im(Ephi)\""),
        ("Theta Samples: 2", "Theta Samples: 3", "line 16: 6 rows follow instead of 3 by 3"),
        ("Theta Samples: 2", "Theta Samples: 99999999999", "line 17: 299999999996 by 1 samples are declared"),
        ("#Frequency:", "#Freq:", "line 16: the rows after this line have no frequency"),
        (
            "  9.00000000E+001   9.00000000E+001",
            "  8.0E+001   9.00000000E+001",
            "line 16: the rows after this line are no grid",
        ),
        ("7.0E+000", "x", "line 20: column 3 of the row is not a number"),
    ];
    for (from, to, message) in cases {
        let error = read_ffe(FFE.replace(from, to).as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(!error.advice().is_empty());
    }
}

#[test]
fn cuts_in_all_components_are_the_same_field() {
    // Huygens source along x with |E|² = 3 cos⁴(θ/2), in its three descriptions, at θ = 0 and 90 deg: √3 and √3/2.
    let theta_phi = "Field data in cuts\n 0.0000000000E+00 90.0 2 0.0 1 1 2\n 1.7320508075688772 0 0 0\n\
        0.8660254037844386D+00 0 0 0\nphi 90\n0 90 2 90.0 1 1 2\n0 0 -1.7320508075688772 0\n0 0 -.8660254037844386 0\n";
    // e_co is the same at all azimuths, and E_rhc = E_lhc = E_co/√2. The second line has no NCOMP.
    let ludwig = "\n0 90 2 0 3 1\n1.7320508075688772 0 0 0\n.8660254037844386 0 0 0\n\
        text\n0 90 2 90 3 1 2\n1.7320508075688772 0 0 0\n.8660254037844386 0 0 0\n";
    let circular = "a\n0 90 2 0 2 1 2\n1.2247448713915890 0 1.2247448713915890 0\n.6123724356957945 0 .6123724356957945 0\n\
        b\n0 90 2 90 2 1 2\n1.2247448713915890 0 1.2247448713915890 0\n.6123724356957945 0 .6123724356957945 0\n\n";
    // The same as conical cuts, θ constant.
    let conical = "a\n0 90 2 0 3 2 2\n1.7320508075688772 0 0 0\n1.7320508075688772 0 0 0\n\
        b\n0 90 2 90 3 2 2\n.8660254037844386 0 0 0\n.8660254037844386 0 0 0\n";
    let exact = pattern((vec![0.0, PI / 2.0], vec![0.0, PI / 2.0]), |t, p| {
        huygens(t, p).map(|e| e * 3f64.sqrt() * grasp_volts())
    });
    for text in [theta_phi, ludwig, circular, conical] {
        let patterns = read_cut(text.as_bytes(), &[FREQUENCY]).unwrap();
        assert_eq!(patterns.len(), 1);
        same(&patterns[0], &exact, 1e-14);
        // |E|² of GRASP is W/sr.
        assert!((patterns[0].intensity()[0] - 3.0).abs() < 1e-12);
    }
}

#[test]
fn circular_components_of_grasp_have_the_sense_of_the_ieee() {
    let text = "right-handed\n0 10 2 0 2 1 2\n1 0 0 0\n1 0 0 0\n";
    let right = &read_cut(text.as_bytes(), &[FREQUENCY]).unwrap()[0];
    let ellipse = right.ellipse(Direction { theta: 0.0, phi: 0.0 }).unwrap();
    assert_eq!(ellipse.sense, phasefront_pattern::Sense::Right);
    // E_θ = 1/√2, E_φ = −j/√2.
    let [theta, phi] = right.at(0, 0).map(|e| e * 2f64.sqrt() / grasp_volts());
    assert!((theta - 1.0).norm() < 1e-14 && (phi + Complex64::I).norm() < 1e-14);
}

#[test]
fn symmetric_cuts_are_folded() {
    // θ from −180 to 180 deg at φ = 0, 45, 90, 135: the full circle of eight azimuths.
    let field = dipole([Complex64::new(0.3, 0.4), Complex64::ONE, Complex64::new(0.0, -0.6)]);
    let field = moved(field, [0.01, 0.002, -0.007]);
    let mut texts = [String::new(), String::new()];
    for (closed, text) in texts.iter_mut().enumerate() {
        for column in 0..4 + closed {
            let phi = 45.0 * column as f64;
            let _ = writeln!(text, "cut\n-180 30 13 {phi} 1 1 2");
            for row in -6..=6 {
                // The unit vectors at (−θ, φ) are those of the formula.
                let [a, b] = field(f64::from(row) * PI / 6.0, phi.to_radians()).map(|e| e / grasp_volts());
                let _ = writeln!(text, "{:e} {:e} {:e} {:e}", a.re, a.im, b.re, b.im);
            }
        }
    }
    let exact = pattern(sphere(6, 8, false), field);
    for text in texts {
        same(&read_cut(text.as_bytes(), &[FREQUENCY]).unwrap()[0], &exact, 1e-13);
    }
    let lopsided = "cut\n-30 30 3 0 1 1 2\n0 0 0 0\n0 0 0 0\n0 0 0 0\n".replace("-30 30 3", "-60 30 3");
    let error = read_cut(lopsided.as_bytes(), &[1e9]).unwrap_err();
    assert_eq!(error.to_string(), "theta runs below zero, and not as far as above");
}

pub const GRD: &str = "VERSION: TICRA-EM-FIELD-V0.1\nField data in grid\nSOURCE_FIELD_NAME: field.po\nFREQUENCY_NAME: freq\n\
    FREQUENCIES [GHz]:\n    0.1190000000E+03\n++++\n           1\n           1           3           2           7\n\
    0           0\n  0.0  0.0  180.0  90.0\n           3           2           0\n\
    1.0 0.0 0.0 0.0\n1.0 0.0 0.0 0.0\n1.0 0.0 0.0 0.0\n0.5 0.0 0.0 0.0\n0.5 0.0 0.0 0.0\n0.5 0.0 0.0 0.25\n";

#[test]
fn grd_as_ticra_describes_it() {
    let grid = &read_grd(GRD.as_bytes(), &[]).unwrap()[0];
    assert_eq!(grid.frequency(), 119e9);
    assert_eq!((degrees(grid.theta()), degrees(grid.phi())), (vec![0.0, 90.0], vec![0.0, 90.0, 180.0]));
    let co = grid.component(Component::Co(0.0));
    for (value, exact) in co.iter().zip([1.0, 1.0, 1.0, 0.5, 0.5, 0.5]) {
        assert!((value / grasp_volts() - exact).norm() < 1e-14);
    }
    assert!((grid.component(Component::Cross(0.0))[5] / grasp_volts() - Complex64::I * 0.25).norm() < 1e-14);
    // The center moves the grid by whole steps; limits of rows; the frequency given where the file has none.
    let moved = GRD.replace("\n0           0\n", "\n-1 0\n");
    assert_eq!(degrees(read_grd(moved.as_bytes(), &[]).unwrap()[0].phi()), [-90.0, 0.0, 90.0]);
    let limited =
        GRD.replace("3           2           0\n", "3 2 1\n1 3\n").replacen("\n0.5 0.0", "\n1 3\n0.5 0.0", 1);
    same(&read_grd(limited.as_bytes(), &[]).unwrap()[0], grid, 1e-15);
    let short = limited.replace("1 3\n0.5 0.0 0.0 0.0\n", "2 2\n");
    let error = read_grd(short.as_bytes(), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 12: a theta-phi grid with missing samples (KLIMIT = 1) is not supported"
    );
    let error = read_grd(short.replace("2 2\n", "3 2\n").as_bytes(), &[]).unwrap_err();
    assert_eq!(error.to_string(), "line 17: IS = 3 and IN = 2 exceed a row of 3 columns");
    let unnamed = GRD.replace("FREQUENCIES [GHz]:\n    0.1190000000E+03\n", "");
    assert_eq!(
        read_grd(unnamed.as_bytes(), &[]).unwrap_err(),
        PatternError::Frequencies { patterns: 1, frequencies: 0 }
    );
    same(&read_grd(unnamed.as_bytes(), &[119e9]).unwrap()[0], grid, 1e-15);
}

#[test]
fn grasp_variants_are_refused_by_name() {
    let set = "1           3           2           7";
    let cases = [
        (set, "1 3 2 6", "line 9: IGRID = 6 (azimuth over elevation) is not supported"),
        (set, "1 3 2 11", "line 9: IGRID = 11 is not supported"),
        (
            set,
            "1 9 2 7",
            "line 9: ICOMP = 9 (total power and the ratio of circular components) is not supported",
        ),
        (set, "1 3 3 7", "line 9: NCOMP = 3, a near field is not supported"),
        (set, "2 3 2 7", "patterns in the file: 2; frequencies known for them: 1"),
        (set, "1.5 3 2 7", "line 9: NSET is 1.5, not an integer"),
        ("           1\n ", "2\n ", "line 8: KTYPE = 2 is not supported"),
        ("[GHz]", "[Gs]", "line 5: \"Gs\" is not a unit of frequency"),
        ("3           2           0", "99999 99999 0", "line 12: 99999 by 99999 samples are declared"),
        ("3           2           0", "3 2 5", "line 12: KLIMIT = 5 is not supported"),
        ("0.5 0.0 0.0 0.25", "0.5 0.0 0.0 y", "line 18: \"y\" in a sample of the grid is not a number"),
        ("0.5 0.0 0.0 0.25", "0.5 0.0 0.0", "line 18: a sample of the grid has 3 numbers instead of 4"),
        ("0.5 0.0 0.0 0.25", "", "line 19: the file ends where a sample of the grid is expected"),
        ("0.5 0.0 0.0 0.25", "0 0 0 0\n0 0 0 0", "line 18: lines follow the last sample"),
        ("++++", "", "line 18: there is no line \"++++\""),
    ];
    for (from, to, message) in cases {
        let error = read_grd(GRD.replacen(from, to, 1).as_bytes(), &[]).unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(!error.advice().is_empty());
    }
    let cases = [
        (
            "a\n0 1 2 0 4 1 2\n",
            "line 2: ICOMP = 4 (major and minor axis of the polarization ellipse) is not supported",
        ),
        ("a\n0 1 2 0 1 3 2\n", "line 2: ICUT = 3 is not supported"),
        ("a\n0 1 2 0 1 1 2\n0 0 0 0\n", "line 2: 2 by 1 samples are declared"),
        ("a\n0 1 2 0\n", "line 2: the line V_INI V_INC V_NUM C ICOMP ICUT NCOMP has 4 numbers instead of 6"),
        ("a\n0 1 1 0 1 1\n0 0 0 0\nb\n0 1 1 5 1 2\n0 0 0 0\n", "line 5: this cut has other angles"),
        ("", "line 1: the file has no cut"),
    ];
    for (text, message) in cases {
        let error = read_cut(text.as_bytes(), &[1e9]).unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn uv_grids_are_written_as_the_format_says() {
    // r E of the Huygens source in volts; on the axis it is x̂ times one volt.
    let axis: Vec<f64> = (-8..=8).map(|i| 0.1 * f64::from(i)).collect();
    let co = |u: f64, v: f64| 0.5 * (1.0 + (1.0 - u * u - v * v).max(0.0).sqrt());
    let fields =
        axis.iter().flat_map(|&v| axis.iter().map(move |&u| [co(u, v).into(), Complex64::ZERO])).collect();
    let grid = UvField { frequency: FREQUENCY, u: axis.clone(), v: axis.clone(), fields };
    let text = write_grd_uv(&[grid.clone(), grid.clone()]).unwrap();
    // KTYPE; NSET ICOMP NCOMP IGRID; IX IY of each set; XS YS XE YE; NX NY KLIMIT.
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip_while(|line| *line != "++++")
        .skip(1)
        .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows[..4], [vec![1.0], vec![2.0, 3.0, 2.0, 1.0], vec![0.0, 0.0], vec![0.0, 0.0]]);
    assert_eq!((&rows[4], &rows[5]), (&vec![-0.8, -0.8, 0.8, 0.8], &vec![17.0, 17.0, 0.0]));
    // u fastest: the sample of v = 0 and u = 0.
    assert!((rows[6 + 8 * 17 + 8][0] * grasp_volts() - 1.0).abs() < 1e-15);
    let read = read_grd(text.as_bytes(), &[]).unwrap();
    let field = read[1].field(Direction { theta: 0.4, phi: 0.3 }).unwrap();
    for (found, exact) in field.iter().zip(huygens(0.4, 0.3)) {
        assert!((found - exact).norm() < 1e-4);
    }
    let uneven = UvField { u: axis.iter().map(|u| u * u * u).collect(), ..grid };
    assert_eq!(
        write_grd_uv(&[uneven]).unwrap_err().to_string(),
        "the samples are not finite numbers on a uniform grid of u and v"
    );
    assert!(write_grd_uv(&[]).is_err());
}

#[test]
fn uv_grid_becomes_rings_about_the_axis() {
    // e_co with a Gaussian amplitude and the phase of a displaced source: smooth in u and v.
    let field = |u: f64, v: f64| Complex64::from_polar((-2.0 * (u * u + v * v)).exp(), 3.0 * u - 2.0 * v);
    let grid = |count: usize, icomp: usize, limited: bool| {
        let mut text = format!(
            "uv\n++++\n1\n1 {icomp} 2 1\n0 0\n-0.5 -0.5 0.5 0.5\n{count} {count} {}\n",
            usize::from(limited)
        );
        let at = |n: usize| -0.5 + n as f64 / (count - 1) as f64;
        for row in 0..count {
            if limited {
                let _ = writeln!(text, "1 {count}");
            }
            for column in 0..count {
                let (u, v) = (at(column), at(row));
                let (co, phi) = (field(u, v), v.atan2(u));
                let [a, b] = match icomp {
                    1 => [co * phi.cos(), -co * phi.sin()],
                    2 => [co / 2f64.sqrt(); 2],
                    _ => [co, Complex64::ZERO],
                };
                let _ = writeln!(text, "{:e} {:e} {:e} {:e}", a.re, a.im, b.re, b.im);
            }
        }
        read_grd(text.as_bytes(), &[FREQUENCY]).unwrap().remove(0)
    };
    let worst = |pattern: &Pattern| {
        let co = pattern.component(Component::Co(0.0));
        let directions = pattern.theta().iter().flat_map(|&t| pattern.phi().iter().map(move |&p| (t, p)));
        let errors = co.iter().zip(directions).map(|(co, (theta, phi))| {
            (co / grasp_volts() - field(theta.sin() * phi.cos(), theta.sin() * phi.sin())).norm()
        });
        errors.fold(0.0, f64::max)
    };
    for (icomp, limited) in [(1, false), (2, false), (3, true)] {
        let [coarse, fine] = [grid(21, icomp, limited), grid(41, icomp, limited)];
        assert!((fine.theta().last().unwrap().sin() - 0.5).abs() < 1e-12);
        let [coarse, fine] = [worst(&coarse), worst(&fine)];
        assert!(fine < 1e-4 && (coarse / fine).log2() > 3.5, "{coarse} {fine}");
    }
    let aside = "uv\n++++\n1\n1 3 2 1\n0 0\n0.1 0.1 0.4 0.4\n4 4 0\n".to_owned() + &"0 0 0 0\n".repeat(16);
    let error = read_grd(aside.as_bytes(), &[1e9]).unwrap_err();
    assert_eq!(error.to_string(), "line 7: a uv grid that does not surround the axis is not supported");
}

#[test]
fn every_format_returns_what_was_written_and_all_agree() {
    // Two frequencies, one very weak: three digits of the exponent.
    let strong = source(1e3);
    let weak = source(1e-150);
    let weak = Pattern::new(
        1.23456789e9,
        weak.theta().to_vec(),
        weak.phi().to_vec(),
        weak.fields().to_vec(),
        Powers::default(),
    );
    let patterns = [strong, weak.unwrap()];
    let frequencies = patterns.each_ref().map(Pattern::frequency);
    let ffe = read_ffe(write_ffe(&patterns).unwrap().as_bytes()).unwrap();
    let ffd = read_ffd(write_ffd(&ffe).unwrap().as_bytes(), None).unwrap();
    let cut = read_cut(write_cut(&ffd).unwrap().as_bytes(), &frequencies).unwrap();
    let grd = read_grd(write_grd(&cut).unwrap().as_bytes(), &[]).unwrap();
    let back = read_ffe(write_ffe(&grd).unwrap().as_bytes()).unwrap();
    for read in [&ffe, &ffd, &cut, &grd, &back] {
        assert_eq!(read.len(), 2);
        for (read, written) in read.iter().zip(&patterns) {
            same(read, written, 1e-12);
        }
    }
}

#[test]
fn powers_return_from_ffe() {
    let source = source(1.0);
    let with = |powers| {
        let (theta, phi) = (source.theta().to_vec(), source.phi().to_vec());
        Pattern::new(FREQUENCY, theta, phi, source.fields().to_vec(), powers).unwrap()
    };
    let radiated = source.radiated_power().unwrap();
    for powers in [
        Powers { radiated: Some(radiated), ..Powers::default() },
        Powers { accepted: Some(0.5), ..Powers::default() },
        Powers { available: Some(2.0), ..Powers::default() },
    ] {
        let text = write_ffe(&[with(powers)]).unwrap();
        let read = read_ffe(text.as_bytes()).unwrap()[0].powers();
        let pairs = [
            (read.radiated, powers.radiated),
            (read.accepted, powers.accepted),
            (read.available, powers.available),
        ];
        for (read, written) in pairs {
            assert_eq!(read.is_some(), written.is_some());
            assert!((read.unwrap_or(1.0) / written.unwrap_or(1.0) - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let uneven = pattern((vec![0.0, 0.1, 0.3], vec![0.0, 1.0, 3.0]), huygens);
    let other = pattern((vec![0.0, 0.1, 0.2], vec![0.0, 1.0, 2.0]), huygens);
    let uneven_phi = pattern((vec![0.0, 0.1, 0.2], vec![0.0, 1.0, 3.0]), huygens);
    for (result, message) in [
        (
            write_ffd(std::slice::from_ref(&uneven)),
            "an .ffd file cannot hold this pattern: the steps of theta are not equal",
        ),
        (
            write_cut(std::slice::from_ref(&uneven)),
            "a .cut file cannot hold this pattern: the steps of theta are not equal",
        ),
        (
            write_grd(std::slice::from_ref(&uneven_phi)),
            "a .grd file cannot hold this pattern: the steps of phi are not equal",
        ),
        (
            write_ffd(&[other.clone(), uneven.clone()]),
            "an .ffd file cannot hold this pattern: all its frequencies have one grid",
        ),
        (write_ffe(&[]), "an .ffe file cannot hold this pattern: there is none"),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(!error.advice().is_empty());
    }
    // Cuts may stand at any azimuth, and .ffe files hold any grid.
    same(
        &read_cut(write_cut(std::slice::from_ref(&uneven_phi)).unwrap().as_bytes(), &[FREQUENCY]).unwrap()[0],
        &uneven_phi,
        1e-12,
    );
    same(&read_ffe(write_ffe(std::slice::from_ref(&uneven)).unwrap().as_bytes()).unwrap()[0], &uneven, 1e-12);
}
