pub mod net;
#[path = "odd_name.rs"]
mod helpers;
mod missing;

pub use self::net::{dial as connect, Socket};
pub use helpers::*;

pub fn open() -> Socket {
    connect("a") // -> call crates/core/src/net/mod.rs::dial
}

pub fn local() {
    help(); // -> call crates/core/src/odd_name.rs::help
    self::net::dial("b").close(); // -> call crates/core/src/net/mod.rs::dial, call crates/core/src/net/wire.rs::Socket.close
    crate::inner::deep::down(); // -> call inner.deep.down
    missing::gone(); // -> nothing
}

mod inner {
    pub mod deep {
        pub fn down() {
            super::up(); // -> call inner.up
            super::super::open(); // -> call open
        }
    }

    pub fn up() {}
}
