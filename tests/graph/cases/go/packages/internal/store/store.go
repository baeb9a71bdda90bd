// Package store keeps things.
package store

import (
	"fmt"
	alias "strings"
)

// Limit is read elsewhere.
const Limit = 3

// Open makes a store.
func Open(name string) *Store {
	check(name)                   // -> call packages/internal/store/check.go::check
	fmt.Println(name)             // -> call <external>fmt.Println
	return &Store{name: trim(name)} // -> constructor Store, call trim
}

func trim(s string) string {
	return alias.TrimSpace(s) // -> call <external>strings.TrimSpace
}

// Store is a store.
type Store struct {
	name string
}

func init() {
	Register("file", Open) // -> call packages/internal/store/check.go::Register, possible call Open
}

func init() {
	trim("x") // -> call trim
}
