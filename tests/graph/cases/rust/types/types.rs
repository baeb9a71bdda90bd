use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

struct A {
    b: Box<B>,
    many: Vec<Rc<B>>,
    maybe: Option<Wrap<B>>,
    shared: Arc<Mutex<B>>,
    cell: RefCell<B>,
    pair: (u8, B),
}
struct B;
struct Wrap<T> {
    inner: T,
}
struct Pair(A, B);
type Alias<T> = Result<T, Failure>;
struct Failure;
enum Shape {
    Circle(B),
    Square { side: A },
    Empty,
}

impl B {
    const LIMIT: u8 = 1;
    fn new() -> Self {
        Self
    }
    fn go(&self) -> &Self {
        self
    }
    fn try_it() -> Alias<B> {
        Ok(B::new()) // -> call <external>std.result.Result.Ok, call B.new
    }
    fn later() -> Option<Vec<B>> {
        None
    }
}

impl Failure {
    fn tell(&self) {}
}

impl<T> Wrap<T> {
    fn of(inner: T) -> Wrap<T> {
        Wrap { inner } // -> constructor Wrap
    }
    fn take(self) -> T {
        self.inner
    }
}

impl Shape {
    fn body(&self) -> u8 {
        match self {
            Self::Circle(b) => b.go(), // -> call B.go
            Shape::Square { side } => side.b.go(), // -> call B.go
            Self::Empty => B::LIMIT,
        }
    }
}

fn fields(a: &A, pair: Pair) {
    a.b.go().go(); // -> call B.go
    a.many[0].go(); // -> call B.go
    a.many.first().unwrap().go(); // -> call <external>std.Vec.first, call <external>std.Option.unwrap, call B.go
    a.maybe.as_ref().unwrap().inner.go(); // -> call <external>std.Option.as_ref, call <external>std.Option.unwrap, call B.go
    a.shared.lock().unwrap().go(); // -> call <external>std.Cell.lock, call <external>std.Result.unwrap, call B.go
    a.cell.borrow_mut().go(); // -> call <external>std.Cell.borrow_mut, call B.go
    a.pair.1.go(); // -> call B.go
    pair.0.b.go(); // -> call B.go
    pair.2.go(); // -> nothing
}

fn results() -> Alias<u8> {
    B::try_it()?.go(); // -> call B.try_it, call B.go
    match B::try_it() { // -> call B.try_it
        Ok(b) => b.go(), // -> call B.go
        Err(e) => e.tell(), // -> call Failure.tell
    };
    if let Ok(b) = B::try_it() { // -> call B.try_it
        b.go(); // -> call B.go
    }
    let Some(list) = B::later() else { return Ok(1) }; // -> call B.later, call <external>std.result.Result.Ok
    for (i, b) in list.iter().enumerate() { // -> call <external>std.Vec.iter, call <external>std.Iter.enumerate
        b.go(); // -> call B.go
    }
    list.iter().filter(|b| b.go()).map(|b| Wrap::of(b)).for_each(|w| w.take().go()); // -> call <external>std.Vec.iter, call <external>std.Iter.filter, call B.go, call <external>std.Iter.map, call Wrap.of, call <external>std.Iter.for_each, call Wrap.take
    let again: Vec<_> = list.into_iter().collect(); // -> call <external>std.Vec.into_iter, call <external>std.Iter.collect
    again[0].go(); // -> call B.go
    Ok(2) // -> call <external>std.result.Result.Ok
}

fn locals(flag: bool) {
    let b = B::new(); // -> call B.new
    b.go(); // -> call B.go
    let b = if flag { Wrap::of(b) } else { Wrap { inner: B } }; // -> call Wrap.of, constructor Wrap
    b.take().go(); // -> call Wrap.take, call B.go
    let (x, y) = (B, Some(B)); // -> call <external>std.option.Option.Some
    x.go(); // -> call B.go
    y.unwrap().go(); // -> call <external>std.Option.unwrap, call B.go
    let shape = Shape::Circle(B); // -> constructor Shape
    shape.body(); // -> call Shape.body
    let closed = |c: &B| c.go(); // -> call B.go
    closed(&B); // -> nothing
    let boxed = Box::new(Arc::new(B)); // -> call <external>std.boxed.Box.new, call <external>std.sync.Arc.new
    boxed.go(); // -> call B.go
    unknown.go(); // -> nothing
}

async fn waits() -> B {
    waits().await.go(); // -> call waits, call B.go
    B
}
