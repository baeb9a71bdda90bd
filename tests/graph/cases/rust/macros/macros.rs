macro_rules! check {
    ($x:expr) => {
        if !$x.ok() {
            $crate::fail(stringify!($x)); // -> call fail
        }
    };
}

struct A {
    n: u8,
}

impl A {
    fn ok(&self) -> bool {
        true
    }
    fn new(n: u8) -> A {
        A { n } // -> constructor A
    }
}

fn fail(text: &str) {}

fn count(a: &A) -> usize {
    1
}

fn uses(list: Vec<A>) {
    check!(A::new(1)); // -> call check, call A.new
    println!("{} {:?}", count(&list[0]), A { n: 1 }); // -> call count, constructor A
    assert!(list.iter().all(|a| a.ok()), "no {}", fail("x")); // -> call <external>std.Vec.iter, call <external>std.Iter.all, call A.ok, call fail
    let made = vec![A::new(2), A::new(3)]; // -> call A.new
    made[0].ok(); // -> call A.ok
    let text = format!("{}", made.len()); // -> call <external>std.Vec.len
    text.trim(); // -> call <external>std.str.trim
    unknown! { let b = A::new(4); b.ok(); |c: A| c.ok(); count } // -> call A.new, call A.ok, possible call count
    crate::check!(list[0]); // -> call check
}
