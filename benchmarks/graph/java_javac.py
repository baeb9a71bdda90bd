"""Java: our call graph of a source folder against the calls in what ``javac`` makes of it.

    python benchmarks/graph/java_javac.py DIR [--classpath JARS] [--exclude NAME...] [--show N] [--json FILE]

DIR holds the sources under one root; ``javac`` and ``javap`` must be there. A compiled call names the static type of
its receiver, from which the declared method is found by the supertypes in the class files: an independent way to the
direct edges. Callers are found by line, so lambdas and classes inside methods count for the method around them; a
constructor that is not written counts as its class. Left out on both sides: calls that leave the sources, calls of
and by what the compiler adds (bridges, ``values``, default constructors), classes inside methods as targets, and
method references, which are compiled to no call.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.graph.graph import CodeGraph

_CLASS = re.compile(r"^(?:[\w-]+ )*(?:class|interface|enum) ([\w.$]+)(.*)\{$")
_MEMBER = re.compile(r"^  (?=\S)(.*?)([\w.$]+)\((.*)\).*;$|^  (static) \{\};$")
_INVOKE = re.compile(
    r"^ +(\d+): invoke(?:virtual|special|static|interface) .*// (?:Interface)?Method "
    r"(?:([\w/$]+|\"[^\"]+\")\.)?(\S+):(\S+)$"
)
_LINE = re.compile(r"^ +line (\d+): (\d+)$")


@dataclass
class Method:
    """One method of a class file."""

    name: str
    descriptor: str
    flags: str = ""
    calls: list[tuple[int, str, str, str]] = field(default_factory=list)  # (offset, class or "", name, descriptor)
    lines: list[tuple[int, int]] = field(default_factory=list)  # (line, offset)

    def line(self, offset: int) -> int:
        """The line of the instruction at an offset."""
        held = [line for line, start in self.lines if start <= offset]
        return held[-1] if held else 0


@dataclass
class Class:
    """One class file: its supertypes by binary name, the class chain first; ``source`` is its file's name."""

    name: str
    supers: list[str]
    source: str = ""
    methods: list[Method] = field(default_factory=list)


def compiled(root: Path, classpath: str, exclude: list[str]) -> dict[str, Class]:
    """The classes that javac makes of all Java files below ``root``, as javap shows them."""
    files = [p for p in sorted(root.rglob("*.java")) if p.name not in exclude]
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "files.txt"
        listed.write_text("\n".join(f'"{p}"' for p in files), encoding="utf-8")
        out = Path(folder) / "out"
        given = ["-cp", classpath] if classpath else []
        subprocess.run(
            ["javac", "-proc:none", "-nowarn", "-g", "-d", str(out), *given, f"@{listed}"],
            check=True,
            capture_output=True,
        )
        classes = sorted(out.rglob("*.class"))
        shown = ""
        for at in range(0, len(classes), 500):
            command = ["javap", "-c", "-p", "-l", "-s", *map(str, classes[at : at + 500])]
            shown += subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {c.name: c for c in _classes(shown)}


def _classes(shown: str) -> list[Class]:
    found: list[Class] = []
    source = ""
    for line in shown.split("\n"):
        if line.startswith("Compiled from "):
            source = line.split('"')[1]
        elif (match := _CLASS.match(line)) is not None:
            words = re.sub(r"<.*?>+(?=[ ,{]|$)", "", _plain(match[2])).replace(",", " ").split()
            supers = [w for w in words if w not in ("extends", "implements")]
            found.append(Class(match[1], supers, source))
        elif (match := _MEMBER.match(line)) is not None and found:
            name = "<clinit>" if match[4] else match[2].rpartition(".")[2] if match[2] != found[-1].name else "<init>"
            found[-1].methods.append(Method(name, "", match[1] or ""))
        elif line.startswith("    descriptor: ") and found and found[-1].methods:
            found[-1].methods[-1].descriptor = line[16:]
        elif (match := _INVOKE.match(line)) is not None:
            owner = (match[2] or "").replace("/", ".")
            call = (int(match[1]), owner, match[3].strip('"'), match[4])
            found[-1].methods[-1].calls.append(call)
        elif (match := _LINE.match(line)) is not None:
            found[-1].methods[-1].lines.append((int(match[1]), int(match[2])))
    return found


def _plain(text: str) -> str:
    """A class header without type arguments."""
    out, depth = [], 0
    for c in text:
        depth += (c == "<") - (c == ">")
        if depth == 0 and c != ">":
            out.append(c)
    return "".join(out)


class Reference:
    """Where the compiled classes and methods are in our graph."""

    def __init__(self, graph: CodeGraph, classes: dict[str, Class]) -> None:
        self.graph = graph
        self.classes = classes
        self.paths: dict[str, str] = {}
        packages: dict[tuple[str, str], str] = {}
        for path in graph.paths():
            package = graph.input(("cell", path, "package", "", ""))
            packages[str(package or ""), path.rpartition("/")[2]] = path
        for c in classes.values():
            self.paths[c.name] = packages.get((c.name.rpartition(".")[0], c.source), "")
        self.symbols = {s.id for s in graph.symbols()}

    def of_class(self, name: str) -> str:
        """The id of a class's symbol, "" for one without."""
        path = self.paths.get(name, "")
        found = f"{path}::{name.rpartition('.')[2].replace('$', '.')}"
        return found if path and found in self.symbols else ""

    def declared(self, name: str, method: str, descriptor: str) -> tuple[str, int] | None:
        """(class, position among the methods of that name) of what a call names."""
        pending = [name]
        for at in pending:
            c = self.classes.get(at)
            if c is None:
                continue
            same = [m for m in c.methods if m.name == method and not _added(c, m)]
            for i, m in enumerate(same):
                if m.descriptor == descriptor:
                    return at, i
            if method == "<init>":
                return None
            pending += [s for s in map(self.known, c.supers) if s not in pending]
        return None

    def known(self, name: str) -> str:
        """The binary name of a supertype: a member of a generic class is shown with a dot."""
        while name not in self.classes and "." in name:
            head, _, last = name.rpartition(".")
            if not any(c == head or c.startswith(head + "$") for c in self.classes):
                break
            name = f"{head}${last}"
        return name

    def targets(self, name: str, method: str, descriptor: str) -> set[str]:
        """The symbols a call names; of a constructor that is not written the one of the superclass too."""
        found = {self.target(name, method, descriptor)}
        for _ in range(20):
            owner, c = self.of_class(name), self.classes.get(name)
            last = owner.rpartition(".")[2] if "." in owner.rpartition("::")[2] else owner.rpartition("::")[2]
            if method != "<init>" or c is None or not owner or f"{owner}.{last}" in self.symbols:
                break
            name, descriptor = self.known(c.supers[0]) if c.supers else "", "()V"
            found.add(self.target(name, method, descriptor))
        return found - {""}

    def target(self, name: str, method: str, descriptor: str) -> str:
        """The symbol a call names, "" for none."""
        found = self.declared(name, method, descriptor)
        if found is None:
            return ""
        owner = self.of_class(found[0])
        last = owner.rpartition("::")[2].rpartition(".")[2] if method == "<init>" else method
        shown = f"{owner}.{last}" + (f"#{found[1] + 1}" if found[1] else "")
        return shown if shown in self.symbols else owner if owner else ""

    def edges(self) -> set[tuple[str, str]]:
        """All calls between symbols of the sources."""
        found: set[tuple[str, str]] = set()
        for c in self.classes.values():
            for m in c.methods:
                if _added(c, m) and not m.name.startswith("lambda$"):
                    continue
                for offset, owner, name, descriptor in m.calls:
                    source = self.graph.symbol_at(self.paths[c.name], m.line(offset)) if self.paths[c.name] else None
                    if source == self.of_class(c.name) and name == m.name:
                        continue  # a bridge, a constructor that is not written
                    targets = self.targets(owner or c.name, name, descriptor)
                    found.update((source, target) for target in targets if source and source != target)
        return found


def _added(c: Class, m: Method) -> bool:
    """Whether the compiler added a method: another of the same name and line does the work."""
    if m.name.startswith(("lambda$", "access$", "$values")):
        return True
    if m.name in ("values", "valueOf") and "java.lang.Enum" in c.supers:
        return True
    twins = [o for o in c.methods if o is not m and o.name == m.name and o.lines[:1] == m.lines[:1] and m.lines]
    first = c.methods and min((line for o in c.methods for line, _ in o.lines), default=0)
    bridge = any(len(m.calls) == 1 and m.calls[0][2] == o.name and m.calls[0][3] == o.descriptor for o in twins)
    return bridge or (bool(twins) and bool(m.lines) and m.lines[0][0] == first and m.name != "<init>")


def ours(graph: CodeGraph) -> dict[tuple[str, str], tuple[str, str]]:
    """(tier, why) of our direct edges between symbols."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for s in graph.symbols():
        edges = graph.callees(s.id)
        for e in edges:
            if e.kind == "override" or e.target.startswith("<") or "method reference" in e.why or e.target == s.id:
                continue
            cls = e.target.rpartition("::")[2].rpartition(".")[2].partition("#")[0]
            written = graph.symbol(f"{e.target}.{cls}")
            kind = graph.symbol(e.target)
            if e.kind == "constructor" and (written is not None or (kind and " interface " in f" {kind.signature}")):
                continue
            found[s.id, e.target] = (e.tier, e.why)
    return found


def main() -> None:
    """Parse the command line, compile, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--classpath", default="")
    parser.add_argument("--exclude", nargs="*", default=["module-info.java"])
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = [p for p in sorted(options.folder.rglob("*.java")) if p.name not in options.exclude]
    texts = {p.relative_to(options.folder).as_posix(): p.read_text(encoding="utf-8") for p in files}
    graph = CodeGraph(texts)
    reference = Reference(graph, compiled(options.folder, options.classpath, options.exclude)).edges()
    mine = ours(graph)
    certain = {e for e, (tier, _) in mine.items() if tier == "certain"}
    both = len(mine.keys() & reference)
    sure = len(certain & reference)
    document = {
        "files": len(texts),
        "reference": len(reference),
        "ours": len(mine),
        "recall": round(100 * both / max(len(reference), 1), 1),
        "agreement": round(100 * both / max(len(mine), 1), 1),
        "certain_recall": round(100 * sure / max(len(reference), 1), 1),
        "certain_agreement": round(100 * sure / max(len(certain), 1), 1),
    }
    for source, target in sorted(reference - mine.keys())[: options.show]:
        print("missed", source, target, file=sys.stderr)
    for pair in sorted(mine.keys() - reference)[: options.show]:
        print("extra", *pair, *mine[pair], file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
