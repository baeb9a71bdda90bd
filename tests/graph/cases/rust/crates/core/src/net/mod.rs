mod wire;
pub use wire::Socket;

pub fn dial(name: &str) -> Socket {
    Socket::new(name) // -> call crates/core/src/net/wire.rs::Socket.new
}
