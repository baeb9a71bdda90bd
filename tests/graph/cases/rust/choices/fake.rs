pub struct Lock {}

impl Lock {
    pub fn make() -> super::Lock {
        super::Lock {} // -> possible constructor Lock, possible constructor choices/real.rs::Lock
    }

    pub fn take(&self) {}
}
