//! Which of many things hang together.

/// Things that are joined in pairs (union-find with path halving).
pub(super) struct DisjointSets(Vec<usize>);

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
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The part of each, numbered in the order of their first members.
    pub fn numbers(mut self) -> Vec<u32> {
        let mut numbers = vec![0; self.0.len()];
        let mut count = 0;
        for i in 0..numbers.len() {
            // A root is the lowest of its part, so it has its number already.
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
