package shapes

import (
	"bytes"
	"sync"
)

type Point struct{ X, Y int }

func (p Point) Len() int    { return p.X + p.Y }
func (p *Point) Move(d int) { p.X += p.Len() } // -> call Point.Len

type Named struct {
	Point
	sync.Mutex
	next  *Named
	parts []Point
	byKey map[string]*Point
	out   bytes.Buffer
	run   func() Point
}

func NewNamed() (*Named, error) {
	return &Named{Point: Point{X: 1}}, nil // -> constructor Named, constructor Point
}

func (n *Named) Len() int { return n.Point.Len() } // -> call Point.Len

func (n *Named) All() {
	n.Len()             // -> call Named.Len
	n.Move(1)           // -> call Point.Move
	n.next.next.Move(1) // -> call Point.Move
	n.Lock()            // -> call <external>sync.Mutex.Lock
	n.parts[0].Len()    // -> call Point.Len
	n.byKey["a"].Len()  // -> call Point.Len
	n.out.Len()         // -> call <external>bytes.Buffer.Len
	n.run().Len()       // -> call Point.Len
	n.Missing()         // -> call <external>sync.Mutex.Missing
	for i, p := range n.parts {
		p.Move(i) // -> call Point.Move
	}
	for k, p := range n.byKey {
		p.Move(len(k)) // -> call Point.Move
	}
	for range n.parts[1:] {
		n.parts[1:][0].Move(1) // -> call Point.Move
	}
}

func locals(param *Named, many ...Point) {
	param.Len()                 // -> call Named.Len
	many[0].Len()               // -> call Point.Len
	a := Point{}                // -> constructor Point
	a.Len()                     // -> call Point.Len
	b := &Point{}               // -> constructor Point
	b.Len()                     // -> call Point.Len
	var c Point
	c.Len()                     // -> call Point.Len
	d := new(Point)             // -> constructor Point
	d.Len()                     // -> call Point.Len
	e, err := NewNamed()        // -> call NewNamed
	e.Len()                     // -> call Named.Len
	err.Error()                 // -> call <builtin>error.Error
	f := (*Named)(nil)          // -> constructor Named
	f.Len()                     // -> call Named.Len
	g := []Point{{X: 1}, {}}    // -> constructor Point
	g[0].Len()                  // -> call Point.Len
	h := map[string]Point{"a": {}} // -> constructor Point
	i, ok := h["a"]
	i.Len()                     // -> call Point.Len
	_ = ok
	j := append(g, i)
	j[0].Len()                  // -> call Point.Len
	ch := make(chan *Named)
	k := <-ch
	k.Len()                     // -> call Named.Len
	l, more := <-ch
	l.Len()                     // -> call Named.Len
	_ = more
	m := *b
	m.Len()                     // -> call Point.Len
	type inner struct{ p Point }
	n := inner{}
	n.p.Len()                   // -> call Point.Len
	o := struct{ q *Named }{}
	o.q.Len()                   // -> call Named.Len
	if p := origin(); p != nil { // -> call origin
		p.Len() // -> call Point.Len
	} else if p := e; p != nil {
		p.Len() // -> call Named.Len
	}
	shared.Len() // -> call Named.Len
	both.Len()   // -> call Point.Len
	select {
	case v := <-ch:
		v.Len() // -> call Named.Len
	}
	switch v := any(a).(type) {
	case Point:
		v.Len() // -> call Point.Len
	case *Named:
		v.Len() // -> call Named.Len
	}
	any(a).(*Named).Len() // -> call Named.Len
	func(z Point) { z.Len() }(a) // -> call Point.Len
	unknown.Len() // -> nothing
}

var shared, _ = NewNamed() // -> call NewNamed

var (
	both = *origin() // -> call origin
)

func origin() *Point { return nil }
