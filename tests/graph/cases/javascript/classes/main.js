import { External } from "pkg";

class Base {
  #secret() {}
  constructor(name) { this.name = name; }
  run() { this.step(); } // -> call Base.step, override Child.step
  step() { this.#secret(); } // -> call Base.#secret
  static make() { return new this(); } // -> constructor Base, constructor Base.constructor
  get size() { return this.run(); } // -> call Base.run
  set size(v) { this.step(v); } // -> call Base.step, override Child.step
}

class Child extends Base {
  handler = () => this.step(); // -> call Child.step
  constructor() { super("x"); } // -> constructor Base.constructor
  step() { super.step(); } // -> call Base.step
  chain() { return this; }
}

class Foreign extends External {
  go() {
    this.inherited(); // -> call <external>pkg.External.inherited
    super.go(); // -> call <external>pkg.External.go
  }
}

const child = new Child(); // -> constructor Child, constructor Child.constructor
child.run(); // -> call Base.run
child.step(); // -> call Child.step
child.handler(); // -> call Child.handler
child.chain().chain().step(); // -> call Child.chain, call Child.step
child.size; // -> property Base.size
child.size = 1; // -> property Base.size#2
child.missing(); // -> nothing
Child.make(); // -> call Base.make
new Foreign().go(); // -> constructor Foreign, call Foreign.go

function Old(x) { this.x = x; this.go(); } // -> call Old.go
Old.prototype.go = function () { this.stop(); }; // -> call Old.stop
Old.prototype.stop = function () {};
Old.create = function () { return new Old(); }; // -> constructor Old
function Newer() { Old.call(this); } // -> call Old
Newer.prototype = Object.create(Old.prototype); // -> call <builtin>Object.create
Old.create().go(); // -> call Old.create, call Old.go
new Newer().stop(); // -> constructor Newer, call Old.stop

class Holder {
  constructor(item) { this.item = item; }
  use() { this.item.step(); } // -> nothing
}
const held = new Holder(child); // -> constructor Holder, constructor Holder.constructor
held.item.step(); // -> call Child.step

class Bag {
  *[Symbol.iterator]() { yield child; }
}
for (const each of new Bag()) each.step(); // -> constructor Bag, call Bag.@@iterator, call Child.step
