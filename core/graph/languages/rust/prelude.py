"""What of Rust's standard library matters to types: names in scope everywhere, containers, and what methods give.

Types that work alike are one: ("S", element) for vectors, slices and queues, and of ("X", name, arguments)

    Option  Result  Iter (any iterator)  Map  Set  Cell (locks and cells)  Entry

Smart pointers and guards are what they point to. Crates outside the standard library that use these names are taken
to mean the same by them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Type = tuple[Any, ...] | None
Types = tuple[Type, ...]
Returned = Callable[[int], Type]


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


STANDARD = frozenset(["std", "core", "alloc", "proc_macro", "test"])
PRELUDE = {
    "Option": "option.", "Some": "option.Option.", "None": "option.Option.", "Result": "result.",
    "Ok": "result.Result.", "Err": "result.Result.", "Vec": "vec.", "String": "string.", "Box": "boxed.",
    "ToString": "string.", "ToOwned": "borrow.", "Clone": "clone.", "Copy": "marker.", "Send": "marker.",
    "Sync": "marker.", "Sized": "marker.", "Unpin": "marker.", "Drop": "ops.", "Fn": "ops.", "FnMut": "ops.",
    "FnOnce": "ops.", "drop": "mem.", "AsRef": "convert.", "AsMut": "convert.", "From": "convert.", "Into": "convert.",
    "TryFrom": "convert.", "TryInto": "convert.", "Default": "default.", "Iterator": "iter.", "IntoIterator": "iter.",
    "Extend": "iter.", "DoubleEndedIterator": "iter.", "ExactSizeIterator": "iter.", "FromIterator": "iter.",
    "PartialEq": "cmp.", "Eq": "cmp.", "PartialOrd": "cmp.", "Ord": "cmp.", "Debug": "fmt.", "Hash": "hash.",
}  # fmt: skip
MACROS = words(
    """
    assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq
    debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str line matches
    module_path option_env panic print println stringify thread_local todo unimplemented unreachable vec write
    writeln
    """
)

STR: Type = ("B", "str")
INT: Type = ("B", "int")
POINTERS = words(
    """
    Box Rc Arc Cow Pin MutexGuard RwLockReadGuard RwLockWriteGuard Ref RefMut ManuallyDrop NonNull Weak
    Reverse Wrapping Lazy
    """
)
_LISTS = frozenset(["Vec", "VecDeque", "LinkedList", "BinaryHeap", "SmallVec", "ArrayVec"])
_ALIKE = {
    "Option": "Option", "Result": "Result", "HashMap": "Map", "BTreeMap": "Map", "IndexMap": "Map", "FxHashMap": "Map",
    "HashSet": "Set", "BTreeSet": "Set", "IndexSet": "Set", "FxHashSet": "Set", "Mutex": "Cell", "RwLock": "Cell",
    "RefCell": "Cell", "Cell": "Cell", "OnceCell": "Cell", "OnceLock": "Cell", "LazyLock": "Cell", "LazyCell": "Cell",
    "UnsafeCell": "Cell",
}  # fmt: skip
_ITERATORS = frozenset(["Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator"])


def external(dotted: str, arguments: Types) -> Type:
    """The type that a name of another crate stands for."""
    last = dotted.rpartition(".")[2]
    plain = tuple(a for a in arguments if a is None or a[0] != "=")
    if last in POINTERS:
        return plain[0] if plain else None
    if last in _LISTS:
        return ("S", plain[0] if plain else None)
    if last == "String":
        return STR
    if last in _ITERATORS:
        bound = [a[2] for a in arguments if a is not None and a[0] == "=" and a[1] == "Item"]
        return ("X", "Iter", (bound[0] if bound else None,))
    return ("X", _ALIKE.get(last, dotted), plain if last in _ALIKE else arguments)


def element(t: Type) -> Type:
    """What a loop over a value of a type gives."""
    if t is None:
        return None
    if t[0] == "S":
        return t[1]  # type: ignore[no-any-return]
    if t[0] != "X":
        return None
    if t[1] == "Map":
        return ("U", _two(t[2]))
    if t[1] in ("Iter", "Set", "Option", "Result"):
        return t[2][0] if t[2] else None
    return None


def _two(given: Types) -> Types:
    return (*given, None, None)[:2]


def _option(t: Type) -> Type:
    return ("X", "Option", (t,))


def _iter(t: Type) -> Type:
    return ("X", "Iter", (t,))


_SAME = words(
    """
    clone to_owned borrow borrow_mut as_ref as_mut by_ref deref deref_mut as_deref as_deref_mut cloned copied
    """
)
_OPTION_VALUE = words(
    """
    unwrap expect unwrap_or unwrap_or_else unwrap_or_default get_or_insert get_or_insert_with insert
    unwrap_unchecked
    """
)
_OPTION_SAME = words(
    """
    take replace filter or or_else inspect map_err xor inspect_err
    """
)
_ITER_SAME = words(
    """
    filter skip take rev chain peekable inspect skip_while take_while step_by cycle fuse iter into_iter
    iter_mut sorted unique into_par_iter par_iter sorted_by sorted_by_key intersperse
    """
)
_ITER_PLAIN = words("for_each collect sum product unzip try_for_each try_fold size_hint scan cmp rposition")
_ITER_OPTION = words(
    """
    next last nth peek find max min max_by_key min_by_key max_by min_by reduce next_back next_if peek_mut
    rfind
    """
)
_LIST_ITER = words(
    """
    iter iter_mut into_iter drain par_iter into_par_iter splice
    """
)
_LIST_OPTION = words(
    """
    get get_mut first last first_mut last_mut pop pop_front pop_back front back front_mut back_mut peek
    """
)
_LIST_SAME = words(
    """
    to_vec as_slice as_mut_slice into_boxed_slice split_off into_vec into_inner
    """
)
_LIST_CHUNKS = frozenset(["windows", "chunks", "chunks_exact", "chunks_mut", "split", "rchunks"])
_LIST_PLAIN = words(
    """
    push push_back push_front len is_empty extend extend_from_slice contains sort sort_by sort_by_key dedup
    clear truncate retain insert append reverse resize join concat starts_with ends_with binary_search
    binary_search_by swap fill sort_unstable reserve sort_unstable_by sort_unstable_by_key capacity
    copy_from_slice as_ptr
    """
)
_TEXT_SAME = words(
    """
    to_string trim trim_start trim_end to_lowercase to_uppercase replace replacen as_str trim_end_matches
    trim_start_matches trim_matches repeat to_ascii_lowercase to_ascii_uppercase into_string to_string_lossy
    into_boxed_str as_mut_str into_owned
    """
)
_TEXT_PARTS = words(
    """
    lines split splitn rsplit rsplitn split_whitespace split_terminator matches split_inclusive
    split_ascii_whitespace
    """
)
_TEXT_PLAIN = words(
    """
    len is_empty push push_str contains starts_with ends_with find rfind parse clear truncate is_char_boundary
    eq_ignore_ascii_case insert insert_str pop remove retain drain capacity reserve extend as_ptr
    """
)


def method(t: Type, name: str, given: Returned) -> tuple[str, Type] | None:
    """(where the method is, the type it gives) for a type of the standard library; None if it is not one of its.

    ``given(i)`` is the type argument i has, for a closure or function the type it returns.
    """
    if t is None:
        return None
    kind = t[0]
    if kind == "S":
        return _list(t, name)
    if kind == "X" and t[1] in _TABLES:
        found = _TABLES[t[1]](_two(t[2]) if t[2] else (None, None), t, name, given)
        return (f"std.{t[1]}.{name}", found[0]) if found is not None else _any(t, name)
    if t == STR:
        return _text(t, name)
    return None


def _any(t: Type, name: str) -> tuple[str, Type] | None:
    return (f"std.{name}", t) if name in _SAME else None


def _list(t: Any, name: str) -> tuple[str, Type] | None:
    inner: Type = t[1]
    where = f"std.Vec.{name}"
    if name in _LIST_ITER:
        return where, _iter(inner)
    if name in _LIST_OPTION:
        return where, _option(inner)
    if name in _LIST_SAME:
        return where, t
    if name in _LIST_CHUNKS:
        return where, _iter(t)
    if name in ("remove", "swap_remove"):
        return where, inner
    if name in ("split_first", "split_last"):
        return where, _option(("U", (inner, t)))
    if name in ("split_at", "split_at_mut"):
        return where, ("U", (t, t))
    if name in _LIST_PLAIN:
        return where, INT if name == "len" else None
    return _any(t, name)


def _text(t: Type, name: str) -> tuple[str, Type] | None:
    where = f"std.str.{name}"
    if name in _TEXT_SAME:
        return where, t
    if name in _TEXT_PARTS:
        return where, _iter(t)
    if name in ("strip_prefix", "strip_suffix", "get"):
        return where, _option(t)
    if name in ("split_once", "rsplit_once"):
        return where, _option(("U", (t, t)))
    if name in ("chars", "bytes"):
        return where, _iter(("B", "char"))
    if name in ("as_bytes", "into_bytes", "as_bytes_mut"):
        return where, ("S", ("B", "u8"))
    if name == "char_indices":
        return where, _iter(("U", (INT, ("B", "char"))))
    if name in _TEXT_PLAIN:
        return where, INT if name == "len" else None
    return _any(t, name)


def _of_option(args: Types, t: Type, name: str, given: Returned) -> tuple[Type] | None:
    assert t is not None
    inner = args[0]
    if name in _OPTION_VALUE:
        return (inner,)
    if name in _OPTION_SAME or name in _SAME:
        return (t,)
    if name in ("map", "map_or", "map_or_else"):
        found = given(0 if name == "map" else 1)
        return (("X", t[1], (found, *args[1:])),) if name == "map" else (found,)
    if name in ("and_then", "and"):
        return (given(0),)
    if name in ("ok_or", "ok_or_else", "context", "with_context", "wrap_err"):
        return (("X", "Result", (inner, None)),)
    if name in ("ok", "err"):
        return (_option(inner if name == "ok" else args[1]),)
    if name in ("iter", "iter_mut", "into_iter"):
        return (_iter(inner),)
    if name in ("unwrap_err", "expect_err"):
        return (args[1],)
    if name in ("is_some", "is_none", "is_ok", "is_err", "is_some_and", "is_ok_and", "is_none_or"):
        return (("B", "bool"),)
    if name == "zip":
        return (_option(("U", (inner, element(given(0))))),)
    return (None,) if name in ("transpose", "flatten", "unzip") else None


def _of_iter(args: Types, t: Type, name: str, given: Returned) -> tuple[Type] | None:
    inner = args[0]
    if name in _ITER_SAME or name in _SAME:
        return (t,)
    if name in _ITER_OPTION:
        return (_option(inner),)
    if name == "map":
        return (_iter(given(0)),)
    if name in ("filter_map", "flat_map", "map_while"):
        return (_iter(element(given(0))),)
    if name == "flatten":
        return (_iter(element(inner)),)
    if name == "enumerate":
        return (_iter(("U", (INT, inner))),)
    if name == "zip":
        return (_iter(("U", (inner, element(given(0))))),)
    if name == "fold":
        return (given(0),)
    if name == "find_map":
        return (given(0),)
    if name == "partition":
        return (("U", (("S", inner), ("S", inner))),)
    if name in ("count", "position"):
        return (INT if name == "count" else _option(INT),)
    if name in ("any", "all", "eq"):
        return (("B", "bool"),)
    return (None,) if name in _ITER_PLAIN else None


def _of_map(args: Types, t: Type, name: str, given: Returned) -> tuple[Type] | None:
    key, value = args
    if name in ("get", "get_mut", "remove", "insert", "pop"):
        return (_option(value),)
    if name in ("values", "values_mut", "into_values"):
        return (_iter(value),)
    if name in ("keys", "into_keys"):
        return (_iter(key),)
    if name in ("iter", "iter_mut", "into_iter", "drain", "range"):
        return (_iter(("U", args)),)
    if name in ("get_key_value", "first_key_value", "last_key_value", "pop_first", "pop_last", "remove_entry"):
        return (_option(("U", args)),)
    if name == "entry":
        return (("X", "Entry", (value,)),)
    if name in _SAME:
        return (t,)
    return (None,) if name in ("contains_key", "len", "is_empty", "clear", "extend", "retain", "reserve") else None


def _of_entry(args: Types, t: Type, name: str, given: Returned) -> tuple[Type] | None:
    if name in ("or_insert", "or_insert_with", "or_default", "or_insert_with_key", "insert", "get", "get_mut"):
        return (args[0],)
    return (t,) if name == "and_modify" else None


def _of_set(args: Types, t: Type, name: str, given: Returned) -> tuple[Type] | None:
    inner = args[0]
    if name in ("iter", "into_iter", "drain", "union", "difference", "intersection", "symmetric_difference", "range"):
        return (_iter(inner),)
    if name in ("get", "take", "replace", "first", "last", "pop_first", "pop_last"):
        return (_option(inner),)
    if name in _SAME:
        return (t,)
    plain = ("contains", "insert", "remove", "len", "is_empty", "clear", "extend", "retain", "is_subset", "is_disjoint")
    return (None,) if name in plain else None


def _of_cell(args: Types, t: Type, name: str, given: Returned) -> tuple[Type] | None:
    inner = args[0]
    if name in ("lock", "read", "write", "try_lock", "try_read", "try_write"):
        return (("X", "Result", (inner, None)),)
    if name in ("borrow", "borrow_mut", "into_inner", "replace", "take", "get_or_init", "get_mut", "load", "deref"):
        return (inner,)
    if name == "get":
        return (_option(inner),)
    return (None,) if name in ("set", "swap", "is_poisoned", "store") else None


_TABLES: dict[str, Callable[[Types, Type, str, Returned], tuple[Type] | None]] = {
    "Option": _of_option, "Result": _of_option, "Iter": _of_iter, "Map": _of_map, "Entry": _of_entry, "Set": _of_set,
    "Cell": _of_cell,
}  # fmt: skip


def closure_parameters(t: Type, name: str, index: int) -> Types:
    """The types of the parameters of a closure given to a method of the standard library as argument ``index``."""
    if t is None:
        return ()
    kind, args = (t[1], _two(t[2])) if t[0] == "X" else (t[0], (t[1] if t[0] == "S" else None, None))
    if kind == "Option":
        return (args[0],)
    if kind == "Result":
        failed = name in ("map_err", "or_else", "unwrap_or_else", "inspect_err")
        return (args[1],) if failed or (name == "map_or_else" and not index) else (args[0],)
    if kind == "Iter" or kind == "S":
        inner = args[0]
        if name in ("fold", "try_fold"):
            return (None, inner)
        return (inner, inner)
    if kind == "Map":
        return args
    return (args[0],) if kind in ("Entry", "Set", "Cell") else ()
