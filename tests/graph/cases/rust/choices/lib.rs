#[cfg(test)]
mod fake;
#[cfg(not(test))]
mod real;

#[cfg(test)]
use fake::*;
#[cfg(not(test))]
use real::*;

#[cfg(unix)]
fn here() {}

#[cfg(windows)]
fn here() {}

struct Holder {
    lock: Lock,
}

fn uses(h: Holder) {
    h.lock.take(); // -> possible call choices/fake.rs::Lock.take, possible call choices/real.rs::Lock.take
    Lock::make().take(); // -> possible call choices/fake.rs::Lock.make, possible call choices/real.rs::Lock.make, possible call choices/fake.rs::Lock.take, possible call choices/real.rs::Lock.take
    here(); // -> possible call here, possible call here#2
    h.lock.only(); // -> call choices/real.rs::Lock.only
}
