"""Agreement of our call graph with a type checker's, and what other tools reach in the same run.

    python -m benchmarks.graph.peers django==5.2.8 requests==2.32.5 [--peers] [--scratch DIR] [--json FILE]

The reference is pyrefly's call graph (``--report-pysa``), in a virtual environment this script makes in the scratch
folder; ``--peers`` also runs pyan3, jarviscg and PyCG there. A tool that cannot be had, crashes or takes longer than
ten minutes is reported with the reason. The README beside this file says what is counted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.graph.packages import extracted, sources
from core.graph.callgraph import callgraph
from core.graph.graph import CodeGraph, deep_recursion
from core.graph.languages.python.layout import module_name
from core.graph.link import RULES
from core.graph.lookups import Lookups

Edge = tuple[str, str]
Graph = dict[str, list[str]]
REFERENCE = "pyrefly==1.5.0"
PEERS = {"pyan3": "pyan3", "jarviscg": "jarviscg", "PyCG": "pycg"}
_LIMIT = 600
# What syntax runs without naming it; these sites are possible calls in our graph and not among direct edges.
_OPERATORS = ("comparison", "binary", "subscript", "slice", "augmented", "str-call", "repr-call", "format", "len-call")


class Reference(NamedTuple):
    """Edges between definitions of the package: named in the text; run by loops, ``with``, decorators; by operators."""

    named: frozenset[Edge]
    implied: frozenset[Edge]
    operators: frozenset[Edge]


class Ours(NamedTuple):
    """One direct edge of ours with the kind of its site and of itself, and why it is there."""

    edge: Edge
    site: str
    kind: str
    why: str


def folded(name: str) -> str:
    """A constructor is its class."""
    for end in (".__init__", ".__new__"):
        name = name.removesuffix(end)
    return name


def without_lambdas(name: str) -> str:
    """The definition around a lambda: the reference has no nodes for lambdas."""
    return ".".join(part for part in name.split(".") if not part.startswith("<lambda"))


# -- the reference ----------------------------------------------------------------------------------------


def tool(scratch: Path, name: str, requirement: str) -> Path | str:
    """The folder of programs of a virtual environment that has ``requirement``, or why there is none."""
    folder = scratch / f"venv-{name}"
    try:
        if not (folder / "bin" / "python").exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
            command = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "setuptools<81", requirement]
            subprocess.run(command, check=True, capture_output=True, text=True)
        return folder / "bin"
    except subprocess.CalledProcessError as error:
        return f"cannot be installed: {str(error.stderr or error).strip().splitlines()[-1]}"


def run(command: list[str], cwd: Path) -> str:
    """Run a tool; "" or why it failed."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"no result after {_LIMIT} s"
    last = (done.stderr or done.stdout).strip().splitlines()[-1:]
    return "" if done.returncode in (0, 1) else f"exit {done.returncode}: {' '.join(last)[:160]}"


def reference(bin_: Path, root: Path, package: str, out: Path) -> Reference | str:
    """The call graph pyrefly reports for a package below ``root``."""
    if not (out / "call_graphs").is_dir():
        command = [
            str(bin_ / "pyrefly"),
            "check",
            str(root / package),
            "--report-pysa",
            str(out),
            "--report-pysa-format",
            "json",
        ]
        command += ["--check-unannotated-defs=true", "--infer-return-types", "checked", "--search-path", str(root)]
        wrong = run(command, root)
        if not (out / "call_graphs").is_dir():
            return wrong or "no report"
    names: dict[tuple[int, str], str] = {}
    for path, document in _documents(out / "definitions", root):
        names.update(_names(path, document))
    found: tuple[set[Edge], set[Edge], set[Edge]] = (set(), set(), set())
    for path, document in _documents(out / "call_graphs", root):
        for caller, places in document["call_graphs"].items():
            source = names.get((document["module_id"], caller))
            if caller.split(":")[0] in ("MTL", "CTL"):
                source = module_name(path)
            for place, entry in places.items() if source is not None else ():
                part = _part(place)
                if part is not None:
                    found[part].update((source, t) for t in _targets(entry, names))  # type: ignore[misc]
    return Reference(*(frozenset((a, folded(b)) for a, b in edges) for edges in found))


def _documents(folder: Path, root: Path) -> Iterator[tuple[str, Any]]:
    for file in sorted(folder.iterdir()):
        document = json.loads(file.read_text())
        source = document["source_path"]
        path = Path(source.get("FileSystem", "")) if isinstance(source, dict) else Path()
        if path.is_relative_to(root):
            yield path.relative_to(root).as_posix(), document


def _names(path: str, document: Any) -> dict[tuple[int, str], str]:
    """The dotted name of every function a document defines."""
    functions = document["function_definitions"]
    classes = {c.get("class_id"): c for c in document["class_definitions"].values()}

    def chain(parent: Any) -> list[str]:
        if isinstance(parent, str):
            return []
        if "Class" in parent:
            cls = classes[parent["Class"]["class_id"]]
            return [*chain(cls["parent"]), cls["name"]]
        function = functions.get(f"F:{parent['Function']['func_def_index']}") if "Function" in parent else None
        return [*chain(function["parent"]), function["name"]] if function else []

    found: dict[tuple[int, str], str] = {}
    for key, function in functions.items():
        parent = function["parent"]
        found[document["module_id"], key] = ".".join([module_name(path), *chain(parent), function["name"]])
        # The decorators of a function are called where it is defined: by the function around it or the module.
        inner = chain(parent) if isinstance(parent, dict) and "Function" in parent else []
        found[document["module_id"], f"FDT:{key[2:]}"] = ".".join([module_name(path), *inner])
    return found


def _part(place: str) -> int | None:
    """Which part of ``Reference`` a place belongs to; None for names that are only mentioned."""
    _, *rest = place.split("|")
    if not rest:
        return 0
    if rest[0] == "artificial-attribute-access":
        return 0  # getattr(x, "name")
    if rest[0].startswith("format-string") or (len(rest) > 1 and rest[1].startswith(_OPERATORS)):
        return 2
    return 1 if rest[0] == "artificial-call" else None


def _targets(entry: Any, names: dict[tuple[int, str], str]) -> Iterator[str]:
    ((kind, found),) = entry.items()
    keys = {
        "Call": ("call_targets", "init_targets", "new_targets"),
        "AttributeAccess": ("property_getters", "property_setters"),
        "FormatStringStringify": ("targets",),
    }.get(kind, ())
    for target in (t["target"] for key in keys for t in found.get(key, ())):
        inner = next(iter(target.values()), None) if isinstance(target, dict) else None
        if isinstance(inner, dict) and (inner.get("module_id"), inner.get("function_id")) in names:
            yield names[inner["module_id"], inner["function_id"]]


# -- ours -------------------------------------------------------------------------------------------------


def ours(graph: CodeGraph) -> list[Ours]:
    """The direct edges of the graph between definitions of the package, by site: no overrides, no possible ones."""
    found: dict[tuple[Edge, str, str], Ours] = {}
    lookups = Lookups(RULES, graph.input)
    with deep_recursion():
        for path, scope in graph.scopes():
            facts: Any = graph.input(("cell", path, "scope", scope, ""))
            head, sites = lookups.get(("links", path, scope))
            for at, part in ((facts.parent, head), (scope, sites)):
                caller = without_lambdas(_caller(graph, path, at))
                for site, _, links in part:
                    for kind, target, tier, why in links:
                        if isinstance(target, str) or kind == "override" or tier == "possible":
                            continue
                        if kind == "constructor" and not why.startswith("__init__ of"):
                            continue  # no definition of the package runs, or the next link says which
                        edge = (caller, folded(_dotted(*target)))
                        if "<lambda" not in edge[1]:
                            found.setdefault((edge, site, kind), Ours(edge, site, kind, _words(why)))
    return list(found.values())


def _caller(graph: CodeGraph, path: str, scope: str) -> str:
    """The function around a scope; the module around none."""
    facts: Any = graph.input(("cell", path, "scope", scope, ""))
    while scope and facts.kind not in ("function", "lambda"):
        scope = facts.parent
        facts = graph.input(("cell", path, "scope", scope, ""))
    return _dotted(path, scope)


def _dotted(path: str, scope: str) -> str:
    parts = [part.partition("#")[0] for part in scope.split(".")] if scope else []
    return ".".join([module_name(path), *parts])


def _words(why: str) -> str:
    """The form of a reason: without the names in it."""
    head = why.split(" of ")[0]
    return head.split(" ")[0] if head.startswith(("name ", "reads ")) else head


def score(edges: Iterable[Edge], wanted_edges: Iterable[Edge]) -> dict[str, float]:
    """Sizes, recall and agreement in percent."""
    have, want = set(edges), set(wanted_edges)
    common = len(have & want)
    return {
        "edges": len(have),
        "reference": len(want),
        "recall": round(100 * common / max(len(want), 1), 1),
        "agreement": round(100 * common / max(len(have), 1), 1),
    }


def compare(found: list[Ours], told: Reference) -> dict[str, Any]:
    """Scores by what is counted, and our edges that the reference lacks, by kind, reason and form."""
    everything = told.named | told.implied
    every = everything | told.operators
    text = {o.edge for o in found if o.site in ("call", "raise", "attr")}
    edges = {o.edge for o in found}
    lacking: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], list[Edge]] = {}
    seen: set[Edge] = set()
    for o in sorted(found):
        if o.edge not in every and o.edge not in seen:
            seen.add(o.edge)
            form = (o.site, o.kind, o.why)
            lacking[form] += 1
            examples.setdefault(form, []).append(o.edge)
    return {
        "all direct edges": score(edges, everything),
        "calls and property reads in the text": score(text, told.named),
        "only ours, by site, kind and reason": [
            {"form": " / ".join(form), "edges": n, "examples": examples[form][:: max(1, n // 3)][:3]}
            for form, n in lacking.most_common(30)
        ],
        "missing": sorted(everything - edges)[:: max(1, len(everything - edges) // 40)],
        "missing_total": len(everything - edges),
    }


# -- other tools ------------------------------------------------------------------------------------------


_ASK_PYAN = """
import json, sys
from pyan.analyzer import CallGraphVisitor
found = CallGraphVisitor(sys.argv[2:], root=sys.argv[1]).uses_edges
print(json.dumps({a.get_name(): sorted(b.get_name() for b in bs) for a, bs in found.items()}))
"""


def _files(root: Path, package: str) -> list[str]:
    return sorted(str(p.relative_to(root)) for p in (root / package).rglob("*.py"))


def _pyan(bin_: Path, root: Path, package: str, out: Path) -> Graph | str:
    command = [str(bin_ / "python"), "-c", _ASK_PYAN, ".", *_files(root, package)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=_LIMIT, check=False)
    if done.returncode:
        return f"exit {done.returncode}: {(done.stderr.strip().splitlines() or ['no output'])[-1][:160]}"
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def _pycg(bin_: Path, root: Path, package: str, out: Path) -> Graph | str:
    for wrong in bin_.parent.glob("lib/*/site-packages/PyCG"):  # its wheel names the folder otherwise than its imports
        if not wrong.with_name("pycg").exists():
            wrong.with_name("pycg").symlink_to(wrong)
    command = [str(bin_ / "python"), "-m", "pycg", "--package", package, *_files(root, package), "-o", str(out)]
    return _written(run(command, root), out)


def _jarvis(bin_: Path, root: Path, package: str, out: Path) -> Graph | str:
    command = [str(bin_ / "jarviscg"), "--package", ".", *_files(root, package), "-o", str(out)]
    return _written(run(command, root), out)


def _written(wrong: str, out: Path) -> Graph | str:
    return wrong or (json.loads(out.read_text()) if out.exists() else "no output")


_RUN: dict[str, Callable[[Path, Path, str, Path], Graph | str]] = {
    "pyan3": _pyan, "PyCG": _pycg, "jarviscg": _jarvis,
}  # fmt: skip


def _full(name: str, package: str, known: set[str]) -> str:
    """A name as ours are: some tools leave out the package."""
    return name if name in known else f"{package}.{name}"


def peer(
    name: str, scratch: Path, root: Path, package: str, told: Reference, known: set[str], runs: set[str]
) -> dict[str, Any]:
    """What one tool reaches from what is ``known`` (modules, classes, functions) to what ``runs``, or why not."""
    bin_ = tool(scratch, name, PEERS[name])
    if isinstance(bin_, str):
        return {"skipped": bin_}
    start = time.monotonic()
    try:
        found = _RUN[name](bin_, root, package, scratch / f"{name}-{package}.json")
    except (subprocess.TimeoutExpired, OSError, ValueError) as error:
        return {"skipped": f"{type(error).__name__}: {str(error)[:160]}"}
    if isinstance(found, str):
        return {"skipped": found}
    named = [(_full(a, package, known), _full(b, package, known)) for a, bs in found.items() for b in bs]
    inside = {(without_lambdas(a), folded(b)) for a, b in named if a in known and b in known and folded(b) in runs}
    return {**score(inside, told.named | told.implied), "wall_seconds": round(time.monotonic() - start)}


def measure(requirement: str, scratch: Path, peers: bool) -> dict[str, Any]:
    """Everything on one package."""
    package = requirement.split("=")[0].lower()
    root = scratch / f"in-{package}"
    if not root.exists():
        extracted(requirement, root)
    texts = {f"{package}/{p}": t for p, t in sources(root / package).items()}
    graph = CodeGraph(texts)
    bin_ = tool(scratch, "pyrefly", REFERENCE)
    told = reference(bin_, root.resolve(), package, scratch / f"pysa-{package}") if isinstance(bin_, Path) else bin_
    if isinstance(told, str):
        return {"package": requirement, "skipped": told}
    exported = [(a, b) for a, bs in callgraph(graph).items() for b in bs if b.split(".")[0] == package]
    flat = {(without_lambdas(a), folded(b)) for a, b in exported if "<lambda" not in b}
    scopes = [(_dotted(path, scope), graph.input(("cell", path, "scope", scope, ""))) for path, scope in graph.scopes()]
    known = {name for name, _ in scopes}
    runs = {folded(name) for name, facts in scopes if getattr(facts, "kind", "") == "function"}
    found = {"package": requirement, **compare(ours(graph), told)}
    found["callgraph export"] = score(flat, told.named | told.implied)
    found["peers"] = {name: peer(name, scratch, root, package, told, known, runs) for name in PEERS} if peers else {}
    return found


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=["django==5.2.8", "requests==2.32.5"])
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = options.scratch or Path(folder)
        scratch.mkdir(parents=True, exist_ok=True)
        found = [measure(requirement, scratch.resolve(), options.peers) for requirement in options.packages]
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
