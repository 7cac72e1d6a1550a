//! Names of the built-in regions.

/// Names of the built-in regions.
///
/// - `europe`: one outline around Europe between 11 W and 32 E, about 40 km outside of the land; seas and bays narrower than
///   500 km are filled. It includes the British Isles, Scandinavia, the Mediterranean islands down to Crete and Malta, and the
///   western parts of Belarus and Ukraine. It excludes Iceland, the Azores, Madeira, the Canaries, the Faroes, Svalbard and
///   Cyprus, and Russia and Turkey except close to the land of the others (Kaliningrad, Thrace). From 5 E, the elevation of the
///   satellite exceeds 5 degrees everywhere.
/// - `europe-land`: the land of the same countries, with islands of more than 3000 km².
/// - `conus`: the 48 contiguous states of the USA; the border runs through the Great Lakes.
/// - `canada`: Canada below 60 N with Newfoundland and Vancouver Island, without Hudson Bay.
///
/// Outlines are thinned: `europe` by 0.25 degrees, the others by 0.05, so that a point on a coast or a border may fall a few
/// kilometers to the wrong side.
pub fn built_in_names() -> [&'static str; 4] {
    ["europe", "europe-land", "conus", "canada"]
}
