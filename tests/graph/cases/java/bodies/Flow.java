package bodies;

import java.util.List;
import java.util.concurrent.Callable;

class Res implements AutoCloseable {
    Res use() {
        return this;
    }

    public void close() {}
}

class Err extends RuntimeException {
    void report() {}
}

sealed interface Node permits Leaf, Pair {}

record Leaf(Res res) implements Node {}

record Pair(Node left, Leaf right) implements Node {}

class Flow {
    static Res make() {
        return new Res(); // -> constructor Res
    }

    void locals(Object o, Node n) throws Exception {
        try (Res r = make(); var s = make().use()) { // -> call Flow.make, call Res.use, override Flow.locals, call Res.close
            r.use().use(); // -> call Res.use, override Flow.locals
        } catch (Err | IllegalStateException e) {
            e.report(); // -> call Err.report
        } finally {
            make(); // -> call Flow.make
        }
        if (o instanceof Res r && r.use() != null) { // -> call Res.use, override Flow.locals
            r.close(); // -> call Res.close
        } else if (o instanceof Err e) {
            e.report(); // -> call Err.report
        }
        if (!(o instanceof Leaf leaf)) return;
        leaf.res().use(); // -> property Leaf, call Res.use, override Flow.locals
        switch (n) {
            case Leaf(Res inner) -> inner.use(); // -> call Res.use, override Flow.locals
            case Pair(Node a, Leaf b) when b.res() != null -> b.res().close(); // -> property Leaf, call Res.close
            case Leaf l -> {
                l.res(); // -> property Leaf
            }
        }
        Res picked = switch (o.hashCode()) { // -> call <external>java.lang.Object.hashCode
            case 1 -> make(); // -> call Flow.make
            default -> throw new Err(); // -> constructor Err
        };
        picked.use(); // -> call Res.use, override Flow.locals
        var both = o == null ? make() : null; // -> call Flow.make
        both.use(); // -> call Res.use, override Flow.locals
        ((Res) o).use(); // -> call Res.use, override Flow.locals
        String text = "a" + o + """
            b
            """;
        text.trim(); // -> call <external>java.lang.String.trim
        class Local extends Res {
            Res use() {
                return super.use(); // -> call Res.use
            }
        }
        new Local().use(); // -> constructor Flow.locals
        Runnable later = () -> {
            var inner = make(); // -> call Flow.make
            inner.use(); // -> call Res.use, override Flow.locals
        };
        later.run(); // -> call <external>java.lang.Runnable.run
        pass(Flow::make); // -> call Flow.pass, possible call Flow.make
        pass(Res::new); // -> call Flow.pass, possible constructor Res
        pass(this::other); // -> call Flow.pass, possible call Flow.other
        pass(() -> make().use()); // -> call Flow.pass, call Flow.make, call Res.use, override Flow.locals
        int make = 3;
        synchronized (this) {
            other(); // -> call Flow.other
        }
        do {
            assert other() != null : make(); // -> call Flow.other, call Flow.make
        } while (other() == null); // -> call Flow.other
        label:
        for (int i = 0; i < size(); i++) break label; // -> call Flow.size
        Shadow.make(); // -> call Shadow.make
        unknown().close(); // -> nothing
        o.close(); // -> nothing
    }

    Res pass(Callable<Res> c) {
        return null;
    }

    Res other() {
        return null;
    }

    int size() {
        return 1;
    }
}

class Shadow {
    Res make;

    static void make() {}

    void go(List<Res> make) {
        make.get(0).use(); // -> call <external>java.util.List.get, call Res.use, override Flow.locals
        this.make.use(); // -> call Res.use, override Flow.locals
        make(); // -> call Shadow.make
    }
}
