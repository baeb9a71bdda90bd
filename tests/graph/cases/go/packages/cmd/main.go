package main

import (
	"os"

	"example.org/other/lib"
	even "example.org/shop/internal/odd-name"
	"example.org/shop/internal/store"
	kept "example.org/shop/internal/store"
	"github.com/acme/go-thing/v2"
	"gopkg.in/yaml.v3"
)

func main() {
	s := store.Open("a")  // -> call packages/internal/store/store.go::Open
	kept.Register("b", nil) // -> call packages/internal/store/check.go::Register
	even.Do()             // -> call packages/internal/odd-name/odd.go::Do
	lib.Run(s)            // -> call <external>example.org/other/lib.Run
	thing.New().Start()   // -> call <external>github.com/acme/go-thing/v2.New, call <external>github.com/acme/go-thing/v2.New().Start
	yaml.Marshal(s)       // -> call <external>gopkg.in/yaml.v3.Marshal
	os.Exit(helper())     // -> call <external>os.Exit, call packages/cmd/helper.go::helper
	store := other{}      // -> constructor other
	store.Open()          // -> call other.Open
}

type other struct{}

func (other) Open() {}
