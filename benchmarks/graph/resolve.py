"""What names really mean: a package imported by Python itself, asked by ``dispatch`` in a process of its own.

Run as ``python resolve.py PACKAGE`` with the folders to import from in PYTHONPATH; reads one JSON list of Python
expressions from stdin and writes the list of their answers, each a text that is equal for equal functions:
``module:qualname@file#code``. It knows nothing of the code graph.
"""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import importlib
import inspect
import io
import json
import os
import pkgutil
import sys
import types
import typing
import warnings
from typing import Any


def ident(value: Any) -> str:
    """A text that says which function, class or module ``value`` is; its type for anything else."""
    while isinstance(value, types.MethodType | staticmethod | classmethod):
        value = value.__func__
    if isinstance(value, property):
        return "property " + ident(value.fget)
    if isinstance(value, types.FunctionType):
        code = value.__code__
        body = hashlib.blake2b(repr((code.co_code, code.co_names, code.co_consts[:0])).encode(), digest_size=4)
        return f"{value.__module__}:{value.__qualname__}@{where(code.co_filename)}#{body.hexdigest()}"
    if isinstance(value, type):
        return f"class {value.__module__}:{value.__qualname__}@{_class_file(value)}"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}@{where(getattr(value, '__file__', None) or '')}"
    if isinstance(value, types.BuiltinFunctionType):
        return f"builtin {value.__module__}:{value.__qualname__}"
    return f"a {type(value).__module__}:{type(value).__qualname__}"


def where(file: str) -> str:
    """A file relative to the folder it was imported from."""
    for folder in sys.path:
        if folder and file.startswith(folder + os.sep):
            return file[len(folder) + 1 :]
    return file


def _class_file(cls: type) -> str:
    module = sys.modules.get(cls.__module__)
    return where(getattr(module, "__file__", None) or "")


def mod(name: str) -> types.ModuleType:
    """The module with this name."""
    return sys.modules[name]


def glob(module: str, name: str) -> str:
    """What a global name of a module is, builtins behind it."""
    found = vars(sys.modules[module])
    return ident(found[name]) if name in found else ident(getattr(builtins, name)) if hasattr(builtins, name) else "no"


def below(cls: type) -> list[type]:
    """A class and all its subclasses."""
    found = [cls]
    for c in found:
        found += [s for s in type.__subclasses__(c) if s not in found]
    return found


def static(cls: type, name: str) -> Any:
    """The attribute a class's MRO finds, not bound; None if there is none."""
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def exact(cls: type, name: str) -> str:
    """What ``name`` is in exactly this class."""
    return ident(static(cls, name))


def family(cls: type, name: str) -> str:
    """What ``self.name`` may be in a method of ``cls``: for the class and every subclass."""
    return json.dumps(sorted({ident(static(c, name)) for c in below(cls)}))


def supers(cls: type, name: str) -> str:
    """What ``super().name`` may be in a method of ``cls``, for the class and every subclass."""
    found = set()
    for c in below(cls):
        order = c.__mro__[c.__mro__.index(cls) + 1 :]
        found.add(ident(next((vars(b)[name] for b in order if name in vars(b)), None)))
    return json.dumps(sorted(found))


def hinted(function: Any, name: str, key: str = "return") -> str:
    """What ``f().name`` is, by the annotation of f; of a union by its one class that is not None."""
    hint = typing.get_type_hints(inspect.unwrap(function))[key]
    kinds = [k for k in typing.get_args(hint) or (hint,) if isinstance(k, type) and k is not type(None)]
    return ident(static(kinds[0], name)) if len(kinds) == 1 else "no"


def ran(function: Any, *arguments: Any) -> str:
    """The Python functions that ``function`` itself calls when it runs, in order; the error it ends with."""
    code, found = inspect.unwrap(function).__code__, []

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_back is not None and frame.f_back.f_code is code:
            found.append(f"{frame.f_code.co_qualname}@{where(frame.f_code.co_filename)}")

    sys.setprofile(note)
    try:
        function(*arguments)
    except Exception as error:
        found.append(type(error).__name__)
    finally:
        sys.setprofile(None)
    return json.dumps(found)


def describe(package: str) -> dict[str, Any]:
    """Classes and module names of a package: what the choice of an edit is made from."""
    classes: dict[str, Any] = {}
    modules: dict[str, dict[str, str]] = {}
    for name, module in sorted(sys.modules.items()):
        if module is None or not (name == package or name.startswith(package + ".")):
            continue
        modules[name] = {k: ident(v) for k, v in vars(module).items() if not k.startswith("__")}
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == name and "." not in value.__qualname__:
                classes[f"{name}:{value.__qualname__}"] = _class(value)
    return {"classes": classes, "modules": modules}


def _class(cls: type) -> dict[str, Any]:
    made: Any = None
    with contextlib.suppress(BaseException):
        made = cls()
    return {
        "mro": [f"{c.__module__}:{c.__qualname__}" for c in cls.__mro__],
        "own": sorted(k for k, v in vars(cls).items() if isinstance(v, types.FunctionType)),
        "properties": sorted(k for k, v in vars(cls).items() if isinstance(v, property)),
        "names": sorted(vars(cls)),
        "below": [f"{c.__module__}:{c.__qualname__}" for c in below(cls)[1:]],
        "made": made is not None and type(made) is cls,
        "runs": sorted(k for k, v in vars(cls).items() if isinstance(v, types.FunctionType) and _bare(k, v)),
    }


def _bare(name: str, function: Any) -> bool:
    """Whether a method can be called without arguments, and sounds as if it did no harm."""
    wanted = [
        p for p in list(inspect.signature(function).parameters.values())[1:] if p.default is p.empty and p.kind < 2
    ]
    return not wanted and not name.startswith("_") and not any(w in name for w in ("run", "close", "main", "exit"))


def main() -> None:
    """Import every module of the package, answer the questions."""
    package = sys.argv[1]
    questions = json.load(sys.stdin)
    errors: list[str] = []
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            top = importlib.import_module(package)
            for found in pkgutil.walk_packages(getattr(top, "__path__", []), package + ".", onerror=lambda n: None):
                if not found.name.endswith("__main__"):
                    try:
                        importlib.import_module(found.name)
                    except Exception as error:
                        errors.append(f"{found.name}: {error!r}")
        except Exception as error:
            errors.append(f"{package}: {error!r}")
        answers = []
        for question in questions:
            try:
                answers.append(eval(question, globals()))
            except Exception as error:
                answers.append(f"error {type(error).__name__}")
    json.dump({"answers": answers, "errors": errors}, sys.stdout)


if __name__ == "__main__":
    main()
