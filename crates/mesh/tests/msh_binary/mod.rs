//! MSH files in text written in binary (Gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)").

struct Writer<'a> {
    lines: std::str::Lines<'a>,
    out: Vec<u8>,
    big_endian: bool,
}

/// The same file, as far as its sections are read, in binary. Parametric coordinates are not known.
pub fn to_binary(text: &str, big_endian: bool) -> Vec<u8> {
    let mut writer = Writer { lines: text.lines(), out: Vec::new(), big_endian };
    let mut version = "";
    while let Some(mark) = writer.lines.next() {
        writer.text(mark);
        match (mark, version) {
            ("$MeshFormat", _) => {
                version = writer.words()[0];
                writer.text(&format!("{version} 1 8"));
                writer.ints(&["1"]);
            }
            ("$Entities", "4.1") => writer.entities(),
            ("$Nodes", "4.1") => writer.nodes_4(),
            ("$Elements", "4.1") => writer.elements_4(),
            ("$Nodes", "2.2") => writer.nodes_2(),
            ("$Elements", "2.2") => writer.elements_2(),
            _ => continue,
        }
        writer.out.push(b'\n');
    }
    writer.out
}

impl<'a> Writer<'a> {
    fn words(&mut self) -> Vec<&'a str> {
        self.lines.next().unwrap().split_whitespace().collect()
    }

    fn text(&mut self, line: &str) {
        self.out.extend(line.bytes().chain([b'\n']));
    }

    fn number<const N: usize>(&mut self, mut little_endian: [u8; N]) {
        if self.big_endian {
            little_endian.reverse();
        }
        self.out.extend(little_endian);
    }

    fn ints(&mut self, words: &[&str]) {
        for word in words {
            self.number(word.parse::<i32>().unwrap().to_le_bytes());
        }
    }

    fn sizes(&mut self, words: &[&str]) {
        for word in words {
            self.number(word.parse::<u64>().unwrap().to_le_bytes());
        }
    }

    fn floats(&mut self, words: &[&str]) {
        for word in words {
            self.number(word.parse::<f64>().unwrap().to_le_bytes());
        }
    }

    fn entities(&mut self) {
        let counts = self.words();
        self.sizes(&counts);
        for (dim, count) in counts.iter().enumerate() {
            for _ in 0..count.parse().unwrap() {
                let words = self.words();
                let (position, rest) = words[1..].split_at(if dim == 0 { 3 } else { 6 });
                self.ints(&words[..1]);
                self.floats(position);
                let (groups, rest) = rest[1..].split_at(rest[0].parse().unwrap());
                self.sizes(&[&groups.len().to_string()]);
                self.ints(groups);
                if dim > 0 {
                    self.sizes(&rest[..1]);
                    self.ints(&rest[1..]);
                }
            }
        }
    }

    /// The head of a section, and how many blocks come.
    fn blocks(&mut self) -> usize {
        let words = self.words();
        self.sizes(&words);
        words[0].parse().unwrap()
    }

    /// The head of a block, and how many lines come.
    fn block(&mut self) -> usize {
        let words = self.words();
        self.ints(&words[..3]);
        self.sizes(&words[3..]);
        words[3].parse().unwrap()
    }

    fn nodes_4(&mut self) {
        for _ in 0..self.blocks() {
            let count = self.block();
            for _ in 0..count {
                let words = self.words();
                self.sizes(&words);
            }
            for _ in 0..count {
                let words = self.words();
                self.floats(&words);
            }
        }
    }

    fn elements_4(&mut self) {
        for _ in 0..self.blocks() {
            for _ in 0..self.block() {
                let words = self.words();
                self.sizes(&words);
            }
        }
    }

    /// The head of a section of version 2.2, which is text, and how many lines come.
    fn count_2(&mut self) -> usize {
        let words = self.words();
        self.text(words[0]);
        words[0].parse().unwrap()
    }

    fn nodes_2(&mut self) {
        for _ in 0..self.count_2() {
            let words = self.words();
            self.ints(&words[..1]);
            self.floats(&words[1..]);
        }
    }

    fn elements_2(&mut self) {
        let all: Vec<Vec<&str>> = (0..self.count_2()).map(|_| self.words()).collect();
        // Elements of one kind with as many tags share a head.
        for same in all.chunk_by(|a, b| a[1..3] == b[1..3]) {
            let head = &same[0];
            self.ints(&[head[1], &same.len().to_string(), head[2]]);
            for element in same {
                self.ints(&element[..1]);
                self.ints(&element[3..]);
            }
        }
    }
}
