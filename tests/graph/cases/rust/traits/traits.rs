use std::fmt;
use std::ops::{Add, Deref};

trait Run: Step {
    type Out: Step;
    fn run(&self) -> Self::Out;
    fn twice(&self) {
        self.run().step(); // -> call Run.run, override A.run, override B.run, call Step.step, override A.step, override B.step
        self.step(); // -> call Step.step, override A.step, override B.step
    }
}

trait Step {
    fn step(&self);
    fn make() -> Self;
}

struct A;
struct B;

impl Run for A {
    type Out = B;
    fn run(&self) -> Self::Out {
        B
    }
}

impl Run for B {
    type Out = A;
    fn run(&self) -> A {
        A
    }
    fn twice(&self) {}
}

impl Step for A {
    fn step(&self) {}
    fn make() -> A {
        A
    }
}

impl Step for B {
    fn step(&self) {}
    fn make() -> Self {
        Self::make() // -> call B.make
    }
}

trait Extra {
    fn extra(&self) {}
}

impl<T: Step> Extra for T {}

impl Extra for str {}

trait Wide {
    fn wide(&self);
}

impl<T> Wide for Vec<T> {
    fn wide(&self) {}
}

fn known(a: A, b: B) {
    a.run().step(); // -> call A.run, call B.step
    a.twice(); // -> call Run.twice
    b.twice(); // -> call B.twice
    a.extra(); // -> possible call Extra.extra
    "x".extra(); // -> call Extra.extra
    vec![1].wide(); // -> call Vec.wide
    <A as Run>::run(&a).step(); // -> call A.run, call B.step
    Run::run(&a); // -> call Run.run, override A.run, override B.run
    let c: B = Step::make(); // -> call Step.make, override A.make, override B.make
    c.step(); // -> call B.step
}

fn object(r: &dyn Run<Out = A>, list: Vec<Box<dyn Step>>) {
    r.twice(); // -> call Run.twice, override B.twice
    r.run().step(); // -> call Run.run, override A.run, override B.run, call A.step
    r.step(); // -> call Step.step, override A.step, override B.step
    for s in list {
        s.step(); // -> call Step.step, override A.step, override B.step
    }
}

fn generic<T: Run, F>(t: T, u: impl Step, f: F) -> T
where
    F: Fn(A) -> B,
{
    t.run(); // -> call Run.run, override A.run, override B.run
    u.step(); // -> call Step.step, override A.step, override B.step
    T::make(); // -> call Step.make, override A.make, override B.make
    f(A).step(); // -> call B.step
    t
}

fn inferred() {
    generic(A, B, |a| a.run()).twice(); // -> call generic, call A.run, call Run.twice
}

impl fmt::Display for A {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a") // -> call <external>std.fmt.Formatter.write_str
    }
}

impl fmt::Debug for A {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f) // -> call <external>std.fmt.Display.fmt
    }
}

impl Add for A {
    type Output = B;
    fn add(self, other: A) -> B {
        B
    }
}

struct Smart {
    inner: B,
}

impl Deref for Smart {
    type Target = B;
    fn deref(&self) -> &B {
        &self.inner
    }
}

struct Count;

impl Iterator for Count {
    type Item = A;
    fn next(&mut self) -> Option<A> {
        None
    }
}

fn operators(s: Smart) {
    (A + A).step(); // -> call A.add, call B.step
    s.step(); // -> call B.step
    for a in Count { // -> call Count.next
        a.run(); // -> call A.run
    }
    Count.map(|a| a.run()).next().unwrap().step(); // -> call <external>std.Iter.map, call A.run, call <external>std.Iter.next, call <external>std.Option.unwrap, call B.step
}
