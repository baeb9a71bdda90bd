import { Core, deep } from "@m/core";
import { deep as direct } from "@m/core/sub/deep";
import { own } from "#own";
import { other } from "@m/other";

new Core().start(); // -> constructor monorepo/packages/core/src/index.ts::Core, call monorepo/packages/core/src/index.ts::Core.start
deep(); // -> call monorepo/packages/core/src/deep.ts::deep
direct(); // -> call monorepo/packages/core/src/deep.ts::deep
own(); // -> call monorepo/apps/cli/src/own.ts::own
other(); // -> call <external>@m/other.other
