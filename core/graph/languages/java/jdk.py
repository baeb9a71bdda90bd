"""What is known of Java's own library: the names of java.lang, who extends whom, what common methods give.

Just enough for the types of chains, loops, lambdas and overloads; everything not listed is unknown, never guessed.
"""

from __future__ import annotations

from typing import Any

from core.graph.languages.java.typing import BOOLEAN, INT, STRING, Type, boxed, unboxed

JAVA_LANG = frozenset([
    "Object", "String", "StringBuilder", "StringBuffer", "CharSequence", "Character", "Integer", "Long",
    "Short", "Byte", "Boolean", "Double", "Float", "Number", "Math", "StrictMath", "System", "Thread",
    "Runnable", "Iterable", "Comparable", "Class", "ClassLoader", "Enum", "Record", "Void", "Process",
    "ProcessBuilder", "Runtime", "Throwable", "Exception", "RuntimeException", "Error", "AssertionError",
    "IllegalArgumentException", "IllegalStateException", "NullPointerException",
    "IndexOutOfBoundsException", "ArrayIndexOutOfBoundsException", "UnsupportedOperationException",
    "ClassCastException", "ClassNotFoundException", "CloneNotSupportedException", "NumberFormatException",
    "ArithmeticException", "InterruptedException", "NoSuchFieldException", "NoSuchMethodException",
    "ReflectiveOperationException", "SecurityException", "StackOverflowError", "OutOfMemoryError",
    "LinkageError", "NegativeArraySizeException", "ArrayStoreException", "InstantiationException",
    "IllegalAccessException", "Override", "Deprecated", "SuppressWarnings", "FunctionalInterface",
    "SafeVarargs", "Cloneable", "AutoCloseable", "Appendable", "Readable", "ThreadLocal",
    "InheritableThreadLocal", "ThreadGroup", "Package", "Module", "StackTraceElement",
    "StringIndexOutOfBoundsException", "NoClassDefFoundError", "ExceptionInInitializerError",
    "IncompatibleClassChangeError", "VirtualMachineError",
])  # fmt: skip
JAVA_UTIL = frozenset([
    "List", "ArrayList", "LinkedList", "Map", "HashMap", "LinkedHashMap", "TreeMap", "Set", "HashSet",
    "LinkedHashSet", "TreeSet", "Collection", "Collections", "Arrays", "Iterator", "ListIterator",
    "Comparator", "Optional", "Objects", "Queue", "Deque", "ArrayDeque", "PriorityQueue", "SortedMap",
    "SortedSet", "NavigableMap", "NavigableSet", "Vector", "Stack", "Hashtable", "Properties", "Date",
    "Calendar", "Locale", "Random", "Scanner", "StringTokenizer", "UUID", "Enumeration", "EnumMap",
    "EnumSet", "BitSet", "IdentityHashMap", "WeakHashMap", "AbstractMap", "AbstractList", "AbstractSet",
    "AbstractCollection", "Currency", "Timer", "TimerTask", "TimeZone", "GregorianCalendar", "StringJoiner",
    "NoSuchElementException", "ConcurrentModificationException", "ServiceLoader", "Base64", "Observable",
    "Observer", "Formatter",
])  # fmt: skip
# The supertypes of types whose supertypes are all known, but for Object.
SUPERS: dict[str, tuple[str, ...]] = {
    "java.lang.String": ("java.lang.CharSequence", "java.lang.Comparable", "java.io.Serializable"),
    "java.lang.StringBuilder": ("java.lang.CharSequence", "java.lang.Appendable", "java.io.Serializable"),
    "java.lang.Class": ("java.lang.reflect.Type", "java.lang.reflect.AnnotatedElement", "java.io.Serializable"),
    **{
        f"java.lang.{name}": ("java.lang.Number", "java.lang.Comparable", "java.io.Serializable")
        for name in ("Integer", "Long", "Double", "Float", "Short", "Byte")
    },
    "java.lang.Boolean": ("java.lang.Comparable", "java.io.Serializable"),
    "java.lang.Character": ("java.lang.Comparable", "java.io.Serializable"),
    "java.util.List": ("java.util.Collection", "java.lang.Iterable"),
    "java.util.Set": ("java.util.Collection", "java.lang.Iterable"),
    "java.util.Map": (),
    "java.util.Iterator": (),
    "java.lang.Runnable": (),
    "java.lang.Object": (),
}
# The methods of interfaces that have few: a name that is none of them is not from there.
METHODS: dict[str, frozenset[str]] = {
    "java.lang.Cloneable": frozenset(), "java.io.Serializable": frozenset(),
    "java.lang.Comparable": frozenset(["compareTo"]), "java.lang.Runnable": frozenset(["run"]),
    "java.lang.AutoCloseable": frozenset(["close"]), "java.io.Closeable": frozenset(["close"]),
    "java.io.Flushable": frozenset(["flush"]), "java.util.concurrent.Callable": frozenset(["call"]),
    "java.lang.Iterable": frozenset(["iterator", "forEach", "spliterator"]),
    "java.util.Iterator": frozenset(["next", "hasNext", "remove", "forEachRemaining"]),
    "java.lang.CharSequence": frozenset(["length", "charAt", "subSequence", "chars", "codePoints", "isEmpty"]),
    "java.util.function.Supplier": frozenset(["get"]), "java.util.function.Consumer": frozenset(["accept", "andThen"]),
    "java.util.function.Predicate": frozenset(["test", "and", "or", "negate"]),
    "java.util.function.Function": frozenset(["apply", "andThen", "compose"]),
}  # fmt: skip
# How many parameters the lambda of an interface has.
LAMBDAS: dict[str, int] = {
    "Runnable": 0, "Callable": 0, "Supplier": 0, "BooleanSupplier": 0, "IntSupplier": 0, "Consumer": 1, "Function": 1,
    "Predicate": 1, "UnaryOperator": 1, "IntFunction": 1, "ToIntFunction": 1, "ToLongFunction": 1, "IntPredicate": 1,
    "BiConsumer": 2, "BiFunction": 2, "BiPredicate": 2, "BinaryOperator": 2, "Comparator": 2, "PrivilegedAction": 0,
    "ToDoubleFunction": 1, "IntConsumer": 1, "InvocationHandler": 3,
}  # fmt: skip
_SAME_PARAMETER = frozenset(["BinaryOperator", "Comparator"])
_GIVES_LAST = frozenset(["Function", "BiFunction", "Supplier", "Callable", "UnaryOperator", "BinaryOperator"])
OBJECT_METHODS: dict[str, Type] = {
    "toString": STRING, "equals": BOOLEAN, "hashCode": INT, "getClass": ("X", "java.lang.Class", ()), "notify": None,
    "notifyAll": None, "wait": None, "clone": None, "finalize": None,
}  # fmt: skip
ENUM_METHODS: dict[str, Type] = {
    "name": STRING, "ordinal": INT, "compareTo": INT, "getDeclaringClass": ("X", "java.lang.Class", ()),
}  # fmt: skip
_BY_NAME: dict[str, Type] = {
    **OBJECT_METHODS, "length": INT, "size": INT, "isEmpty": BOOLEAN, "contains": BOOLEAN, "containsKey": BOOLEAN,
    "hasNext": BOOLEAN, "startsWith": BOOLEAN, "endsWith": BOOLEAN, "getName": STRING, "getSimpleName": STRING,
    "indexOf": INT, "lastIndexOf": INT, "intValue": INT, "longValue": ("B", "long"), "booleanValue": BOOLEAN,
    "isInstance": BOOLEAN, "isArray": BOOLEAN, "isPrimitive": BOOLEAN, "equalsIgnoreCase": BOOLEAN, "matches": BOOLEAN,
    "doubleValue": ("B", "double"), "getMessage": STRING, "compareTo": INT, "parseInt": INT,
}  # fmt: skip
_OF_STRING = frozenset([
    "substring", "trim", "strip", "toLowerCase", "toUpperCase", "replace", "replaceAll", "replaceFirst",
    "concat", "intern", "repeat", "format", "join", "valueOf",
])  # fmt: skip
_SAME = frozenset([
    "filter", "sorted", "distinct", "limit", "skip", "peek", "append", "insert", "iterator", "listIterator",
    "stream", "parallelStream", "subList", "reversed", "headSet", "tailSet", "takeWhile", "dropWhile",
    "onClose", "sequential", "parallel", "reverse", "or", "subMap", "headMap", "tailMap",
])  # fmt: skip
_ELEMENT = frozenset([
    "get", "getFirst", "getLast", "first", "last", "next", "previous", "poll", "peek", "pop", "take",
    "element", "orElse", "orElseGet", "orElseThrow", "nextElement", "pollFirst", "pollLast", "peekFirst",
    "peekLast", "removeFirst", "removeLast", "join", "elementAt", "lower", "higher", "floor", "ceiling",
    "getAndSet", "call",
])  # fmt: skip
_OPTIONAL = frozenset([
    "findFirst", "findAny", "min", "max", "reduce",
])  # fmt: skip
_OF_MAP = frozenset([
    "get", "put", "remove", "getOrDefault", "computeIfAbsent", "computeIfPresent", "compute", "merge",
    "putIfAbsent", "replace",
])  # fmt: skip


# What static methods give: "0" their first argument, else a type with its element, or with it, as argument.
_STATIC: dict[str, str] = {
    "java.util.Objects.requireNonNull": "0", "java.util.Objects.requireNonNullElse": "0",
    "java.util.Collections.unmodifiableList": "0", "java.util.Collections.unmodifiableMap": "0",
    "java.util.Collections.unmodifiableSet": "0", "java.util.Collections.unmodifiableCollection": "0",
    "java.util.Arrays.copyOf": "0", "java.util.Arrays.stream": "java.util.stream.Stream",
    "java.util.Arrays.asList": "java.util.List", "java.util.List.of": "java.util.List",
    "java.util.List.copyOf": "0", "java.util.Set.of": "java.util.Set",
    "java.util.stream.Stream.of": "java.util.stream.Stream",
    "java.util.Optional.of": "java.util.Optional", "java.util.Optional.ofNullable": "java.util.Optional",
    "java.util.Collections.singletonList": "java.util.List", "java.util.Collections.singleton": "java.util.Set",
    "java.lang.Math.max": "0", "java.lang.Math.min": "0", "java.lang.Math.abs": "0",
}  # fmt: skip


def static_result(dotted: str, first: Type) -> Type:
    """What a static method of the library gives, from the type of its first argument."""
    made = _STATIC.get(dotted)
    if made is None or first is None or first[0] == "O":
        return None
    if made == "0":
        return first
    spread = first[0] == "S" and "Optional" not in made
    return ("X", made, (boxed(first[1] if spread else first),))


def constant(owner: str, name: str) -> Type:
    """The type of a static field of the library, None for most."""
    primitive = unboxed(("X", owner, ()))
    return ("B", primitive) if primitive and name in ("MAX_VALUE", "MIN_VALUE") else None


def last_name(dotted: str) -> str:
    """The name of a type without its package."""
    return dotted.rpartition(".")[2]


def result(made_of: Type, name: str, body: Type) -> Type:
    """What a method of an outside type gives; ``body`` is what the lambda passed to it gives, None without."""
    receiver: Any = made_of
    if receiver is None or receiver[0] not in "XO":
        return None
    given: tuple[Type, ...] = receiver[2] if receiver[0] == "X" else ()
    kind = last_name(receiver[1])
    if len(given) == 2 and "Entry" in kind:
        return given[0] if name == "getKey" else given[1] if name == "getValue" else _BY_NAME.get(name)
    if len(given) == 2 and "Map" in kind:
        return _map(given, name) or _BY_NAME.get(name)
    if len(given) == 1:
        found = _one(given, kind, name, body)
        if found is not None:
            return found
    if kind == "Class" and len(given) == 1 and name in ("cast", "newInstance"):
        return given[0]
    if receiver == STRING and name in _OF_STRING:
        return STRING
    if kind in ("StringBuilder", "StringBuffer") and name in _SAME:
        return made_of
    return _BY_NAME.get(name)


def _map(given: tuple[Type, ...], name: str) -> Type:
    if name in _OF_MAP:
        return given[1]
    if name in ("firstKey", "lastKey", "floorKey", "ceilingKey"):
        return given[0]
    if name in ("keySet", "navigableKeySet"):
        return ("X", "java.util.Set", given[:1])
    if name == "values":
        return ("X", "java.util.Collection", given[1:])
    if name == "entrySet":
        return ("X", "java.util.Set", (("X", "java.util.Map.Entry", given),))
    return ("X", "java.util.Map.Entry", given) if name in ("firstEntry", "lastEntry") else None


def _one(given: tuple[Type, ...], kind: str, name: str, body: Type) -> Type:
    if name in _SAME:
        made = {"stream": "java.util.stream.Stream", "iterator": "java.util.Iterator"}.get(name)
        return ("X", made or f"java.util.{kind}" if kind in JAVA_UTIL else made or f"java.util.stream.{kind}", given)
    if name in _ELEMENT:
        return given[0]
    if name == "remove" and kind in ("List", "ArrayList", "LinkedList", "Queue", "Deque", "ArrayDeque"):
        return given[0] if kind in ("Queue", "Deque", "ArrayDeque") else None
    if name in _OPTIONAL:
        return ("X", "java.util.Optional", given)
    if name == "map" and kind in ("Stream", "Optional"):
        return (
            ("X", f"java.util.{kind}" if kind == "Optional" else "java.util.stream.Stream", (body,)) if body else None
        )
    if name == "flatMap" and kind in ("Stream", "Optional"):
        return body
    return ("X", "java.util.List", given) if name == "toList" else None


def lambda_parameter(receiver: Any, name: str, j: int) -> Type:
    """The j-th parameter of a lambda passed to a method of an outside type: what the receiver is made of."""
    if receiver is None or receiver[0] != "X":
        return None
    given: tuple[Type, ...] = receiver[2]
    if len(given) == 1:
        return given[0]
    if len(given) == 2 and "Map" in last_name(receiver[1]):
        if name in ("computeIfAbsent", "forEach", "compute", "computeIfPresent", "replaceAll"):
            return given[j] if j < 2 else None
        return given[1] if name == "merge" else None
    return None


def function_parameter(t: Any, j: int) -> Type:
    """The j-th parameter of the lambda that an outside interface is implemented by."""
    if t is None or t[0] != "X" or not t[2]:
        return None
    at = 0 if last_name(t[1]) in _SAME_PARAMETER else j
    return t[2][at] if at < len(t[2]) else None


def function_result(t: Any) -> Type:
    """What the lambda that an outside interface is implemented by gives."""
    if t is None or t[0] != "X" or not t[2] or last_name(t[1]) not in _GIVES_LAST:
        return None
    return t[2][-1]  # type: ignore[no-any-return]
