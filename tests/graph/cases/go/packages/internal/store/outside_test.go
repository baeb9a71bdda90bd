package store_test

import (
	"testing"

	. "example.org/shop/internal/store"
)

func trim(s string) string { return s }

func TestOpen(t *testing.T) {
	trim("a")   // -> call trim
	Open("a")   // -> call packages/internal/store/store.go::Open
	missing()   // -> nothing
}
