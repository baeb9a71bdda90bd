package main

import "example.org/shop/internal/odd-name"

func helper() int {
	even.Do() // -> call packages/internal/odd-name/odd.go::Do
	return len("x")
}
