package generics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

class Item {
    Item next;

    Item self() {
        return this;
    }

    String name() {
        return "n";
    }
}

class Box<T extends Item> {
    T held;

    T get() {
        held.name(); // -> call Item.name, override Big.name
        return held;
    }

    <R> R map(Function<T, R> f) {
        return f.apply(held); // -> call <external>java.util.function.Function.apply
    }

    static <E> E first(List<E> list, E other) {
        return list.get(0); // -> call <external>java.util.List.get
    }

    static <E> E same(E e) {
        return e;
    }

    static <A> A make(Class<A> kind, Supplier<A> maker) {
        return null;
    }
}

class Special extends Box<Big> {}

class Big extends Item {
    String name() {
        return "big";
    }

    void grow() {}
}

interface Visitor<R> {
    R visit(Big big);
}

class Use {
    Map<String, List<Big>> index = new HashMap<>(); // -> constructor <external>java.util.HashMap

    void go(Box<Big> box, Special special, List<Item> items, Optional<Big> maybe, Box raw, Big[] bigs) {
        box.get().grow(); // -> call Box.get, call Big.grow
        special.get().grow(); // -> call Box.get, call Big.grow
        special.held.grow(); // -> call Big.grow
        raw.get().name(); // -> call Box.get, call Item.name, override Big.name
        for (var item : items) {
            item.self().name(); // -> call Item.self, call Item.name, override Big.name
        }
        for (Map.Entry<String, List<Big>> e : index.entrySet()) { // -> call <external>java.util.Map.entrySet
            e.getValue().get(0).grow(); // -> call <external>java.util.Map.Entry.getValue, call <external>java.util.List.get, call Big.grow
        }
        index.get("a").forEach(b -> b.grow()); // -> call <external>java.util.Map.get, call <external>java.util.List.forEach, call Big.grow
        maybe.map(b -> b.self()).get().name(); // -> call <external>java.util.Optional.map, call Item.self, call <external>java.util.Optional.get, call Item.name, override Big.name
        Box.first(items, null).name(); // -> call Box.first, call Item.name, override Big.name
        Box.same(new Big()).grow(); // -> call Box.same, constructor Big, call Big.grow
        Box.make(Big.class, () -> null).grow(); // -> call Box.make, call Big.grow
        box.map(b -> b.self()).name(); // -> call Box.map, call Item.self, call Item.name, override Big.name
        bigs[0].grow(); // -> call Big.grow
        for (Big b : bigs) b.grow(); // -> call Big.grow
        Visitor<Item> v = big -> big.next; // -> nothing
        v.visit(bigs[0]).self(); // -> call Visitor.visit, override Use.go, call Item.self
        v = new Visitor<>() { // -> constructor Visitor
            public Item visit(Big big) {
                big.grow(); // -> call Big.grow
                return big.self(); // -> call Item.self
            }
        };
        new ArrayList<Big>(items.size()).get(0).grow(); // -> constructor <external>java.util.ArrayList, call <external>java.util.List.size, call <external>java.util.ArrayList.get, call Big.grow
    }
}
