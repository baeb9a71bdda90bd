pub fn setup() -> store::Socket {
    store::open() // -> call crates/core/src/lib.rs::open
}
