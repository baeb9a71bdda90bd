package org.app.util;

public final class Text {
    public static String join(String a) {
        return a.trim().concat(a); // -> call <external>java.lang.String.trim, call <external>java.lang.String.concat
    }

    public static void split(String a) {}

    public static int size(String a) {
        return a.length(); // -> call <external>java.lang.String.length
    }
}
