package shapes

// Far is declared away from its type.
func (n *Named) Far() {
	n.Point.Move(2)      // -> call methods/shapes/shapes.go::Point.Move
	go n.All()           // -> call methods/shapes/shapes.go::Named.All
	defer n.Far()        // -> call Named.Far
	later(n.All)         // -> call later, possible call methods/shapes/shapes.go::Named.All
	f := n.All
	f()                  // -> possible call methods/shapes/shapes.go::Named.All
	(*Named).All(n)      // -> call methods/shapes/shapes.go::Named.All
	Named.Far(*n)        // -> call Named.Far
}

func later(f func()) {
	f() // -> nothing
	g := func() Named { return Named{} } // -> constructor methods/shapes/shapes.go::Named
	g().Far() // -> call Named.Far
	go func() {
		later(nil) // -> call later
	}()
}
