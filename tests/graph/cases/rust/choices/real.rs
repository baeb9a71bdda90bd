pub struct Lock {}

impl Lock {
    pub fn make() -> Self {
        Self {} // -> constructor Lock
    }

    pub fn take(&self) {}

    pub fn only(&self) {}
}
