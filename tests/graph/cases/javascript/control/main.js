class A { go() {} }
class B { go() {} }
function narrow(x) {
  if (x instanceof A) {
    x.go(); // -> call A.go
  } else if (x instanceof B && x) {
    x.go(); // -> call B.go
  }
  x.go(); // -> nothing
  switch (x) {
    case 1: { const y = new A(); y.go(); break; } // -> constructor A, call A.go
    default: var z = new B();
  }
  z.go(); // -> call B.go
  try { x = new A(); } catch ({ message }) { x = new B(); } finally { x.go(); } // -> constructor A, constructor B, call A.go, call B.go
  return x;
}
for (let i = 0, b = new B(); i < 1; i++) b.go(); // -> constructor B, call B.go
label: for (const k in {}) { new A()[k](); } // -> constructor A
