export interface Runner { run(): Result; readonly stop: () => void; name?: string }
interface Special extends Runner { extra(): void }
interface Result { ok: boolean }

class One implements Runner { run() { return { ok: true }; } stop() {} }
class Two implements Special { run(): Result { return null!; } stop = () => {}; extra() {} }
class Three extends Two { run(): Result { return super.run(); } } // -> call Two.run
abstract class Base {
  go() { this.work(); } // -> call Base.work, override Derived.work
  abstract work(): void;
}
class Derived extends Base { work() {} }

function each(r: Runner, s: Special) {
  r.run(); // -> call Runner.run, override One.run, override Two.run, override Three.run, override literal.run, override factory
  r.stop(); // -> call Runner.stop, override One.stop, override Two.stop, override literal.stop, override halt
  s.run(); // -> call Runner.run, override Two.run, override Three.run
}
const literal: Runner = { run() { return null!; }, stop: () => {} };
literal.run(); // -> call literal.run
function factory(): Runner {
  return { run: () => null!, stop: halt as any }; // -> possible call halt
}
factory().stop(); // -> call factory, call Runner.stop, override One.stop, override Two.stop, override literal.stop, override halt
new Three().run(); // -> constructor Three, call Three.run
function halt() {}
