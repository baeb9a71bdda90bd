pub fn help() {
    super::open(); // -> call crates/core/src/lib.rs::open
    crate::local(); // -> call crates/core/src/lib.rs::local
}
