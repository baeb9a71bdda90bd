const lib = require("./lib");
const { named, Tool: Alias } = require("./lib");
const make = require("./make.cjs");
lib.named(); // -> call commonjs/lib.js::exports.named
lib.plain(); // -> call commonjs/lib.js::plain
named(); // -> call commonjs/lib.js::exports.named
new Alias().go(); // -> constructor commonjs/lib.js::Tool, call commonjs/lib.js::Tool.go
make(); // -> call commonjs/make.cjs::make
make.extra(); // -> call commonjs/make.cjs::exports.extra
require("./make").extra(); // -> call commonjs/make.cjs::exports.extra
require("path").join("a"); // -> call <external>path.join
const create = require("./app");
const made = create();
made.use(); // -> call commonjs/proto.js::app.use
made(); // -> call commonjs/app.js::create
require("./proto").use(); // -> call commonjs/proto.js::app.use
camelize("x"); // -> call camelize, call cached
const camelize = cached((x) => x); // -> call cached
function cached(f) { return (x) => f(x); } // -> nothing
create.later(); // -> call commonjs/app.js::exports.later
