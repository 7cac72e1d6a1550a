//! What there is in an HDF5 file.

use super::array::Array;
use hdf5_pure::{Dataset, File};

/// Groups inside one another that are searched, and objects in them. Links may lead back to a group that they lie in.
const MAX_DEPTH: usize = 8;
const MAX_OBJECTS: usize = 1000;
/// Arrays that a message names.
const MAX_NAMED: usize = 12;

/// An open file.
pub(super) struct Library {
    pub file: File,
    /// Bytes of the file.
    pub size: usize,
}

impl Library {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, String> {
        let size = bytes.len();
        let file = File::from_bytes(bytes).map_err(|error| error.to_string())?;
        Ok(Self { file, size })
    }

    /// The array of a name, or of a path of names.
    pub(super) fn named(&self, name: &str) -> Result<Array, String> {
        let path = name.trim_matches('/');
        match self.file.dataset(path) {
            Ok(dataset) => Array::of(path.to_owned(), dataset),
            Err(_) => Err(format!("it has no array {name}; it has: {}", names(&self.arrays()?))),
        }
    }

    /// The only array of real numbers with several rows and columns; without any, the only one at all.
    pub(super) fn only(&self) -> Result<Array, String> {
        let all = self.arrays()?;
        let listed = names(&all);
        let (matrices, lists): (Vec<Array>, Vec<Array>) =
            all.into_iter().partition(|array| array.sides.iter().all(|side| *side > 1));
        let mut best = if matrices.is_empty() { lists } else { matrices };
        match (best.pop(), best.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Err(format!("which array has the samples is not clear; it has: {listed}")),
        }
    }

    /// The datasets of one group, with their paths.
    pub(super) fn datasets(&self, group: &str) -> Result<Vec<(String, Dataset)>, String> {
        let broken = |error: hdf5_pure::Error| format!("its group /{group} cannot be read: {error}");
        let handle = group_of(&self.file, group).map_err(broken)?;
        let names = handle.datasets().map_err(broken)?;
        if names.len() > MAX_OBJECTS {
            return Err(format!(
                "its group /{group} has {} datasets: it is searched up to {MAX_OBJECTS}",
                names.len()
            ));
        }
        let open = |name: String| Ok((join(group, &name), handle.dataset(&name).map_err(broken)?));
        names.into_iter().map(open).collect()
    }

    /// All arrays of several real numbers.
    fn arrays(&self) -> Result<Vec<Array>, String> {
        let mut found = Vec::new();
        let mut waiting = vec![(String::new(), 0)];
        let mut objects = 0;
        while let Some((group, depth)) = waiting.pop() {
            let datasets = self.datasets(&group)?;
            let broken = |error: hdf5_pure::Error| format!("its group /{group} cannot be read: {error}");
            let groups = group_of(&self.file, &group).and_then(|group| group.groups()).map_err(broken)?;
            objects += 1 + datasets.len() + groups.len();
            if objects > MAX_OBJECTS || depth > MAX_DEPTH {
                return Err(
                    "it has too many groups, or some that lie in themselves: name its samples by `variable`"
                        .into(),
                );
            }
            // Of more than two dimensions are others' arrays.
            let arrays = datasets.into_iter().filter_map(|(name, dataset)| Array::of(name, dataset).ok());
            found.extend(arrays.filter(|array| array.is_real() && array.count() > 1));
            // MATLAB keeps parts of cells and objects in groups of such names.
            let own = groups.iter().filter(|name| !name.starts_with('#'));
            waiting.extend(own.map(|name| (join(&group, name), depth + 1)));
        }
        Ok(found)
    }
}

fn join(group: &str, name: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{group}/{name}") }
}

fn names(arrays: &[Array]) -> String {
    let text = |array: &Array| format!("{} ({} x {})", array.name, array.sides[0], array.sides[1]);
    let mut all: Vec<String> = arrays.iter().map(text).collect();
    all.sort_unstable();
    if all.len() > MAX_NAMED {
        all.truncate(MAX_NAMED);
        all.push(format!("and {} more", arrays.len() - MAX_NAMED));
    }
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// The group at the end of a path of names, which is empty for the outermost.
pub(super) fn group_of(file: &File, path: &str) -> Result<hdf5_pure::Group, hdf5_pure::Error> {
    if path.is_empty() { Ok(file.root()) } else { file.group(path) }
}
