import { thing } from "@lib/thing";
import only from "@only";
import { based } from "util/based";
import { js } from "./lib/js.js";

thing(); // -> call paths/app/src/lib/thing.ts::thing
only(); // -> call paths/app/src/util/only.ts::default
based(); // -> call paths/app/src/util/based.ts::based
js(); // -> call paths/app/src/lib/js.ts::js
