package types

type A struct{ *B }

type B struct{ *A }

func (b B) Deep() {}

type Alias = B

type Defined B

type Slice []B

type Table map[string]Slice

type Loop Loop2
type Loop2 Loop

type Level1 struct{ Level2 }
type Level2 struct{ Level3 }
type Level3 struct{ id int }

func (l Level3) Bottom() {}

type Bare Level3

func use(bare Bare, a A, al Alias, d Defined, s Slice, t Table, l Loop, one Level1) {
	bare.Bottom()    // -> nothing
	a.Deep()         // -> call B.Deep
	al.Deep()        // -> call B.Deep
	d.Deep()         // -> call B.Deep
	d.A.Deep()       // -> call B.Deep
	s[0].Deep()      // -> call B.Deep
	t["a"][0].Deep() // -> call B.Deep
	l.Deep()         // -> nothing
	one.Bottom()     // -> call Level3.Bottom
	one.Level2.Level3.Bottom() // -> call Level3.Bottom
	_ = Alias{}      // -> constructor B
	_ = Slice{{}}    // -> constructor Slice, constructor B
	_ = Table{"a": {{}}} // -> constructor Table, constructor Slice, constructor B
}
