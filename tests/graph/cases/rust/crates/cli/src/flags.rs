pub fn parse() {
    crate::main(); // -> call crates/cli/src/entry.rs::main
}
