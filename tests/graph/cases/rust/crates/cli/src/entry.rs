use serde::Serialize;
use std::collections::HashMap as Map;
use store::{self, connect, net::*, Socket as Plug};

mod flags;

fn main() {
    let socket = store::open(); // -> call crates/core/src/lib.rs::open
    socket.close(); // -> call crates/core/src/net/wire.rs::Socket.close
    connect("x").close(); // -> call crates/core/src/net/mod.rs::dial, call crates/core/src/net/wire.rs::Socket.close
    dial("y"); // -> call crates/core/src/net/mod.rs::dial
    Plug::new("z"); // -> call crates/core/src/net/wire.rs::Socket.new
    store::help(); // -> call crates/core/src/odd_name.rs::help
    let table: Map<String, Plug> = Map::new(); // -> call <external>std.collections.HashMap.new
    table["a"].close(); // -> call crates/core/src/net/wire.rs::Socket.close
    for (_, plug) in &table {
        plug.close(); // -> call crates/core/src/net/wire.rs::Socket.close
    }
    serde::ser::start(1); // -> call <external>serde.ser.start
    other::start(1); // -> nothing
    flags::parse(); // -> call crates/cli/src/flags.rs::parse
    main(); // -> call main
}

fn shadow() {
    fn connect(name: u8) {}
    connect(1); // -> call shadow
    {
        use flags::parse as connect;
        connect(); // -> call crates/cli/src/flags.rs::parse
    }
}
