package store

import "testing"

func TestTrim(t *testing.T) {
	t.Helper()  // -> call <external>testing.T.Helper
	if trim("") != "" { // -> call packages/internal/store/store.go::trim
		t.Fatal("x") // -> call <external>testing.T.Fatal
	}
}
