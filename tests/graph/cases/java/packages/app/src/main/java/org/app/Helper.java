package org.app;

class Helper {
    static void help() {}
}
