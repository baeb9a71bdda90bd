package store

var makers = map[string]func(string) *Store{}

func check(name string) {
	if len(name) > Limit {
		panic(trim(name)) // -> call packages/internal/store/store.go::trim
	}
}

// Register is called from another file's init.
func Register(kind string, make func(string) *Store) {
	makers[kind] = make
	make(kind) // -> nothing
}
