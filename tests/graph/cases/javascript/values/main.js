function a() {}
function b() {}
function c() {}
let x = a;
x(); // -> call a
x = b;
x(); // -> call b
if (x) { x = c; }
x(); // -> call b, call c
let y = a;
while (y) { y(); y = b; } // -> call a, call b
const table = { a, go: b, "odd-key": c, deep: { inner: a }, method() { this.deep.other(); } }; // -> possible call a, possible call b, possible call c
table.a(); // -> call a
table["go"](); // -> call b
table["odd-key"](); // -> call c
table.deep.inner(); // -> call a
table.method(); // -> call table.method
table.go = c;
table.go(); // -> call c
Object.assign(table, { a: b }); // -> call <builtin>Object.assign, possible call b
table.a(); // -> call b
const list = [a, b]; // -> possible call a, possible call b
list[1](); // -> call b
list.push(c); // -> call <builtin>Array.push, possible call c
for (const f of list) f(); // -> call a, call b, call c
const [p, ...rest] = list;
rest[0](); // -> call a, call b, call c
const { go: taken, a: other = c } = { go: a }; // -> possible call a
taken(); // -> call a
other(); // -> call c
const map = new Map(); // -> constructor <builtin>Map
map.set("k", a); // -> call <builtin>Map.set, possible call a
map.get("k")(); // -> call <builtin>Map.get, call a
let late;
function assign() { late = b; }
late(); // -> call b
const either = late || a;
either(); // -> call b, call a
{ const x = a; x(); } // -> call a
console.log("x".trim()); // -> call <builtin>console.log, call <builtin>String.trim
Object.values(table).forEach((f) => f()); // -> call <builtin>Object.values, call <builtin>Array.forEach, call a, call b, call c, call table.method
