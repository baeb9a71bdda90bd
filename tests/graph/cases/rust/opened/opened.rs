macro_rules! when_big {
    ($($item:item)*) => { $( #[cfg(big)] $item )* };
}

when_big! { // -> call when_big
    pub struct Big;

    impl Big {
        pub fn go(&self) {
            helper(); // -> call helper
        }
    }
}

cfg_if! {
    if #[cfg(unix)] {
        fn helper() {}
    } else {
        fn other() {
            helper(); // -> call helper
        }
    }
}

fn uses(b: Big) {
    b.go(); // -> call Big.go
    assert_data!(b.go(), str![["x"]]); // -> call Big.go
    custom! { let b = Big; b.go() } // -> call Big.go
}
