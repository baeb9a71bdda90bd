function first() {}
function second() {}
const arrow = () => first(); // -> call first
const named = function inner() { inner.call(); arrow(); }; // -> call arrow
function outer() {
  function nested() { first(); } // -> call first
  nested();
  return nested;
}
outer()(); // -> call outer
function pick(flag) { return flag ? first : second; }
pick(1)(); // -> call pick, call first, call second
function through(f) { f(); return f; } // -> nothing
through(first); // -> call through, possible call first
const back = through(first);
back(); // -> call first
through(() => second()); // -> call through, call second
[1].map(first); // -> call <builtin>Array.map, possible call first
[1].map(() => second()); // -> call <builtin>Array.map, call second
first.call(null); // -> call first
second.apply(null, []); // -> call second
const bound = first.bind(null); // -> call <builtin>Function.bind
bound(); // -> call first
(function () { second(); })(); // -> call second
const wrapped = memo(function () { first(); }); // -> call first
wrapped(); // -> call wrapped
async function load() { return first; }
async function use() {
  (await load())(); // -> call load, call first
  load().then((f) => f()); // -> call load, call <builtin>Promise.then, call first
}
function* many() { yield first; yield* more(); } // -> call more
function* more() { yield second; }
for (const f of many()) f(); // -> call many, call first, call second
function defaults(f = first, { g = second } = {}, ...rest) {
  f(); // -> call first
  g(); // -> call second
  rest[0](); // -> nothing
}
tag`x${arrow()}`; // -> call tag, call arrow
function tag() {}
