pub struct Socket {
    name: String,
}

impl Socket {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_string() } // -> constructor Socket, call <external>std.str.to_string
    }

    pub fn close(&self) {
        super::dial(&self.name).shut(); // -> call crates/core/src/net/mod.rs::dial, call Socket.shut
    }
}

impl super::Socket {
    fn shut(self) {}
}
