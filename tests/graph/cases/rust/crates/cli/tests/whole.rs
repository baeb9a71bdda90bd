mod common;

#[test]
fn works() {
    common::setup().close(); // -> call crates/cli/tests/common/mod.rs::setup, call crates/core/src/net/wire.rs::Socket.close
}
