import def, { one, two as renamed } from "./lib";
import * as ns from "./lib/index.js";
import { starred, Again } from "./lib";
import fs, { readFile } from "node:fs";
import { gone } from "./gone";

def(); // -> call modules/lib/index.js::default
one(); // -> call modules/lib/deep.js::one
renamed(); // -> call modules/lib/index.js::two
ns.two(); // -> call modules/lib/index.js::two
ns.default(); // -> call modules/lib/index.js::default
ns.deep.one(); // -> call modules/lib/deep.js::one
starred(); // -> call modules/lib/deep.js::starred
new Again().go(); // -> constructor modules/lib/deep.js::Thing, call modules/lib/deep.js::Thing.go
fs.existsSync("x"); // -> call <external>fs.existsSync
readFile("x"); // -> call <external>fs.readFile
gone(); // -> call <external>modules/gone.gone
const lazy = async () => (await import("./lib/deep")).one(); // -> call modules/lib/deep.js::one
