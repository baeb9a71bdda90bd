"""package.json, tsconfig.json, jsconfig.json: a module symbol as in any text, and what import specifiers mean.

Cells: ("package", "", "")  (name, ((subpath, target), ...), ((#name, target), ...))
("compiler", "", "")  (extended files, base URL or None, ((pattern, (target, ...)), ...) or None)
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from core.graph.facts import FileFacts
from core.graph.languages import text as plain

NAME = "javascript configuration"
EXTENSIONS = (
    "package.json", "tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.build.json", "tsconfig.app.json",
    "tsconfig.node.json", "tsconfig.lib.json", "tsconfig.common.json", "tsconfig.shared.json",
)  # fmt: skip
_NOISE = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[\]}])')
_CONDITIONS = ("source", "types", "import", "module", "default", "node", "bun", "require", "browser")
_MOST = 200


def facts(text: str) -> FileFacts:
    """The facts of one configuration file; text that is not JSON is text."""
    found = plain.facts(text)
    try:
        data = json.loads(_COMMA.sub(_kept, _NOISE.sub(_kept, text.lstrip("\ufeff"))))
    except (ValueError, RecursionError):
        data = None
    cells: dict[Any, Any] = {}
    if isinstance(data, dict):
        compiler = data.get("compilerOptions")
        if isinstance(compiler, dict) or "extends" in data:
            cells["compiler", "", ""] = _compiler(data, compiler if isinstance(compiler, dict) else {})
        name = data.get("name")
        if isinstance(name, str) or "imports" in data:
            cells["package", "", ""] = _package(data, name if isinstance(name, str) else "")
    return replace(found, language=NAME, cells=cells)


def _kept(match: re.Match[str]) -> str:
    return match[1] or " " if match[1] is not None else ""


def _compiler(data: dict[str, Any], options: dict[str, Any]) -> tuple[Any, ...]:
    extends = data.get("extends")
    listed = [extends] if isinstance(extends, str) else extends if isinstance(extends, list) else []
    base, paths = options.get("baseUrl"), options.get("paths")
    found = None
    if isinstance(paths, dict):
        pairs = [(k, tuple(t for t in v if isinstance(t, str))) for k, v in paths.items() if isinstance(v, list)]
        found = tuple(pairs[:_MOST])
    return tuple(x for x in listed if isinstance(x, str)), base if isinstance(base, str) else None, found


def _package(data: dict[str, Any], name: str) -> tuple[Any, ...]:
    """Where the package's own modules are, most telling first; subpath "." is the package itself."""
    found: list[tuple[str, str]] = []
    exports = data.get("exports")
    if isinstance(exports, str):
        found.append((".", exports))
    elif isinstance(exports, dict):
        subpaths = exports if any(str(k).startswith(".") for k in exports) else {".": exports}
        for key, value in list(subpaths.items())[:_MOST]:
            found += [(str(key), t) for t in _targets(value, 0)]
    for field in ("source", "types", "typings", "module", "main", "browser"):
        value = data.get(field)
        if isinstance(value, str):
            found.append((".", value))
    inner = data.get("imports")
    named = (
        [(str(k), t) for k, v in list(inner.items())[:_MOST] for t in _targets(v, 0)] if isinstance(inner, dict) else []
    )
    return name, tuple(dict.fromkeys(found)), tuple(named)


def _targets(value: Any, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict) and depth < 4:
        keys = [k for k in _CONDITIONS if k in value] + sorted(k for k in value if k not in _CONDITIONS)
        return [t for k in keys for t in _targets(value[k], depth + 1)]
    if isinstance(value, list) and depth < 4:
        return [t for v in value[:8] for t in _targets(v, depth + 1)]
    return []
