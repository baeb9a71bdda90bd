package org.app;

import static org.app.util.Text.join;
import static org.other.Joins.join;
import static org.app.util.Text.*;

import java.util.ArrayList;
import java.util.List;
import org.app.util.*;
import org.app.util.Store.Entry;

public class Main {
    private final Store store = new Store(); // -> constructor packages/app/src/main/java/org/app/util/Store.java::Store, call packages/app/src/main/java/org/app/util/Store.java::Store.Store
    static final int LIMIT = Text.size("a"); // -> call packages/app/src/main/java/org/app/util/Text.java::Text.size

    public static void main(String[] args) {
        new Main().run(); // -> constructor Main, call Main.run
        join("a"); // -> call packages/app/src/main/java/org/app/util/Text.java::Text.join
        join(1); // -> call <external>org.other.Joins.join
        split("b"); // -> call packages/app/src/main/java/org/app/util/Text.java::Text.split
        org.app.util.Text.size("c"); // -> call packages/app/src/main/java/org/app/util/Text.java::Text.size
        java.util.Arrays.asList(args); // -> call <external>java.util.Arrays.asList
        nowhere.call(); // -> nothing
        Missing.call(); // -> nothing
    }

    void run() {
        Entry entry = store.first(); // -> call packages/app/src/main/java/org/app/util/Store.java::Store.first
        entry.key(); // -> call packages/app/src/main/java/org/app/util/Store.java::Store.Entry.key
        new Store.Entry().key(); // -> constructor packages/app/src/main/java/org/app/util/Store.java::Store.Entry, call packages/app/src/main/java/org/app/util/Store.java::Store.Entry.key
        Helper.help(); // -> call packages/app/src/main/java/org/app/Helper.java::Helper.help
        List<String> names = new ArrayList<>(); // -> constructor <external>java.util.ArrayList
        names.add("x"); // -> call <external>java.util.List.add
        System.out.println(names); // -> call <external>java.lang.System.out.println
        store.missing(); // -> nothing
        this.store.size = 3;
    }
}
