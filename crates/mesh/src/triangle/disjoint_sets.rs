//! Connected components.

/// Disjoint sets (union-find with path halving).
pub(crate) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    pub fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    pub fn join(&mut self, a: usize, b: usize) {
        // The lower index becomes the root: numbering is then independent of the order of unions.
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The set of each element, numbered in the order of first members.
    pub fn numbers(mut self) -> Vec<u32> {
        let mut numbers = vec![0; self.0.len()];
        let mut count = 0;
        for i in 0..numbers.len() {
            // A root is the lowest member of its set and is numbered already.
            let root = self.root(i);
            if root == i {
                numbers[i] = count;
                count += 1;
            } else {
                numbers[i] = numbers[root];
            }
        }
        numbers
    }
}
