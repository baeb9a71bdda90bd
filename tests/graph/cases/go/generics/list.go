package generics

type Shower interface{ Show() string }

type List[T Shower] struct {
	items []T
	next  *List[T]
}

func NewList[T Shower](items ...T) *List[T] {
	return &List[T]{items: items} // -> constructor List
}

func (l *List[T]) Each(f func(T)) {
	for _, item := range l.items {
		item.Show() // -> call Shower.Show, override word.Show
	}
	l.next.Each(f) // -> call List.Each
}

type word string

func (w word) Show() string { return string(w) }

func Map[T, U any](in []T, f func(T) U) []U {
	return Map[T, U](in, f) // -> call Map
}

func use() {
	l := NewList[word](word("a")) // -> call NewList, constructor word
	l.Each(show)                 // -> call List.Each, possible call show
	NewList(word("b")).Each(nil) // -> call NewList, constructor word, call List.Each
	f := Map[int, string]
	f(nil, nil) // -> possible call Map
	max(word("a"), "b").Show() // -> constructor word, call word.Show
}

func show(w word) {
	w.Show() // -> call word.Show
}

func constrained[S Shower](s S) {
	s.Show() // -> call Shower.Show, override word.Show
}
