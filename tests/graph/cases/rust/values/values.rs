fn callback(n: u8) -> u8 {
    n
}

struct Meters(u8);

struct Table {
    entry: fn(u8) -> u8,
}

static TABLE: Table = Table { entry: callback }; // -> constructor Table, possible call callback
const FIRST: fn(u8) -> u8 = callback; // -> possible call callback

fn register(f: impl Fn(u8) -> u8) {
    f(1); // -> nothing
}

fn uses(list: Vec<u8>) {
    register(callback); // -> call register, possible call callback
    register(|n| callback(n)); // -> call register, call callback
    list.iter().map(Meters).count(); // -> call <external>std.Vec.iter, call <external>std.Iter.map, possible constructor Meters, call <external>std.Iter.count
    let held = callback; // -> possible call callback
    held(2); // -> call callback
    (TABLE.entry)(3); // -> nothing
    std::mem::drop(list); // -> call <external>std.mem.drop
    fn nested() {
        callback(4); // -> call callback
    }
    nested(); // -> call uses
}

#[derive(Deserialize)]
struct Config {
    #[serde(default = "callback", rename = "register")]
    level: u8, // -> nothing
}
