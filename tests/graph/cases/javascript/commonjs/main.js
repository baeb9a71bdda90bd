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
