package over;

import java.util.List;
import java.util.function.Function;

class Over {
    void f() {}

    void f(int a) {}

    void f(String a) {}

    void f(Object a) {}

    void f(int a, int b) {}

    void f(String a, Object... rest) {}

    void g(long a) {}

    void g(Integer a) {}

    void h(Over a) {}

    void h(Sub a) {}

    void h(Runnable a) {}

    void h(Function<String, String> a) {}

    void v(String a, int... rest) {}

    void go(Over o, Sub s, Unknown u, List<String> list, char c) {
        f(); // -> call Over.f
        f(1); // -> call Over.f#2, override Sub.f
        f("a"); // -> call Over.f#3
        f(o); // -> call Over.f#4
        f(list.get(0)); // -> call <external>java.util.List.get, call Over.f#3
        f(1, 2); // -> call Over.f#5
        f("a", 2); // -> call Over.f#6
        f("a", "b", "c"); // -> call Over.f#6
        f("a" + 1); // -> call Over.f#3
        f(1 + 2); // -> call Over.f#2, override Sub.f
        f(c); // -> call Over.f#2, override Sub.f
        f(u); // -> possible call Over.f#2, override Sub.f, possible call Over.f#3, possible call Over.f#4, possible call Over.f#6
        f((String) u.get()); // -> call Over.f#3
        g(1); // -> call Over.g
        g(Integer.valueOf(1)); // -> call <external>java.lang.Integer.valueOf, possible call Over.g, possible call Over.g#2
        h(o); // -> call Over.h
        h(s); // -> call Over.h#2
        h(new Sub()); // -> constructor Sub, call Over.h#2
        h(() -> f()); // -> call Over.h#3, call Over.f
        h(x -> x.trim()); // -> call Over.h#4, call <external>java.lang.String.trim
        v("a"); // -> call Over.v
        v("a", 1, 2); // -> call Over.v
        v(1, 2, "c"); // -> call Over.v
        h(); // -> possible call Over.h, possible call Over.h#2, possible call Over.h#3, possible call Over.h#4
    }
}

class Sub extends Over {
    void f(int a) {}

    void more() {
        f(1); // -> call Sub.f
        f("a"); // -> call Over.f#3
    }
}
