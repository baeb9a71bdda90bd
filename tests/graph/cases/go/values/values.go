package values

import (
	"net/http"
	"time"
)

type handler func(w http.ResponseWriter, r *http.Request)

func (h handler) serve() {}

type route struct {
	path string
	do   func()
}

var routes = []route{
	{path: "a", do: first}, // -> constructor route, possible call first
	{"b", second},          // -> constructor route, possible call second
}

var now = time.Now

var table = map[string]func(){"a": first} // -> possible call first

func first() {
	now()           // -> call <external>time.Now
	second()        // -> call second
	handler(nil).serve() // -> constructor handler, call handler.serve
	http.HandleFunc("/", serve) // -> call <external>net/http.HandleFunc, possible call serve
	table["a"]()    // -> nothing
	routes[0].do()  // -> nothing
}

func second() func() {
	f := first
	f() // -> possible call first
	g := func() { second() } // -> call second
	g()
	return first // -> possible call first
}

func serve(w http.ResponseWriter, r *http.Request) {
	w.Write(nil)           // -> call <external>net/http.ResponseWriter.Write
	r.URL.Query().Get("a") // -> call <external>net/http.Request.URL.Query, call <external>net/http.Request.URL.Query().Get
	d := time.Second * 2
	d.String() // -> call <external>time.Second.String
}

func shadow(first int) {
	second := 3
	_ = first + second
	len := func(s string) int { return 0 }
	len("x")
	{
		second := routes[0]
		second.do() // -> nothing
	}
}
