//! Vertices assigned to parts, with the weight of each part and its limit.

use super::level::Level;

/// The part of each vertex of a level, and what follows from it.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    pub part: Vec<u32>,
    pub weight: Vec<u64>,
    pub limit: Vec<u64>,
    /// Vertices in each part: no move empties one.
    pub count: Vec<u32>,
    /// The weight of all parts above their limits.
    pub total_overload: u64,
}

impl Assignment {
    pub fn new(level: &Level, part: Vec<u32>, limit: Vec<u64>) -> Self {
        let (mut weight, mut count) = (vec![0; limit.len()], vec![0; limit.len()]);
        for (&part, &of) in part.iter().zip(&level.weights) {
            weight[part as usize] += of;
            count[part as usize] += 1;
        }
        let mut now = Self { part, weight, limit, count, total_overload: 0 };
        now.total_overload = (0..now.limit.len() as u32).map(|part| now.overload(part)).sum();
        now
    }

    /// The part of a vertex.
    pub fn of(&self, v: u32) -> u32 {
        self.part[v as usize]
    }

    /// The weight of a part above its limit.
    pub fn overload(&self, part: u32) -> u64 {
        self.weight[part as usize].saturating_sub(self.limit[part as usize])
    }

    /// Whether a vertex of this weight may change parts: no part becomes empty, and none exceeds its limit, or both parts
    /// exceed theirs by less than the first does now. Such moves between overloaded parts pass weight on to where there
    /// is room, and end because the larger overload decreases.
    pub fn accepts(&self, from: u32, to: u32, weight: u64) -> bool {
        let filled = self.weight[to as usize] + weight;
        let overload = filled.saturating_sub(self.limit[to as usize]);
        self.count[from as usize] > 1 && (overload == 0 || overload < self.overload(from))
    }

    /// Moves a vertex of this weight; returns the part that it leaves.
    pub fn shift(&mut self, v: u32, weight: u64, to: u32) -> u32 {
        let from = std::mem::replace(&mut self.part[v as usize], to);
        // Kept current in O(1): only two parts change.
        self.total_overload -= self.overload(from) + self.overload(to);
        self.weight[from as usize] -= weight;
        self.weight[to as usize] += weight;
        self.count[from as usize] -= 1;
        self.count[to as usize] += 1;
        self.total_overload += self.overload(from) + self.overload(to);
        from
    }
}
