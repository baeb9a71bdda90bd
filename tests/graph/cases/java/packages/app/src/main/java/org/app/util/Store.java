package org.app.util;

public class Store {
    public int size;

    public Store() {
        this(3); // -> call Store.Store#2
    }

    Store(int size) {
        super(); // -> constructor <external>java.lang.Object
        this.size = size;
    }

    public Entry first() {
        return new Entry(); // -> constructor Store.Entry
    }

    public static class Entry {
        public String key() {
            return "k";
        }
    }
}
