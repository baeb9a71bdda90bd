package org.app;

import org.junit.Test;

public class MainTest {
    @Test
    public void runs() {
        new Main().run(); // -> constructor packages/app/src/main/java/org/app/Main.java::Main, call packages/app/src/main/java/org/app/Main.java::Main.run
        Helper.help(); // -> call Helper.help
    }
}

/** The nearer of two classes of one name is meant. */
class Helper {
    static void help() {}
}
