"""What a path holds, judged by its name alone: test code, documentation or source (Appendix E).

In: a POSIX path relative to the repository. Out: one of three words. Configuration counts as source,
since builds and programs read it. Test code wins over documentation: a README among the tests explains
tests, and neither is ever gold.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from core.tape.drift import is_documentation

PathKind = Literal["source", "test", "documentation"]

_TEST_FOLDER = re.compile(
    r"(__tests?__|__mocks__|__snapshots__|tests?|testing|testdata|test[-_]?(utils?|data|helpers?|support|fixtures?|cases)"
    r"|(unit|integration|functional|e2e|smoke)[-_]?tests?|e2e)",
    re.IGNORECASE,
)
_TEST_FILE = re.compile(
    r"(tests?\.py|conftest\.py|test_.*\.py|.*_tests?\.(py|go|rs|rb|exs?|c|cc|cpp|dart|lua)|tests?\.rs|.*_spec\.(rb|lua)"
    r"|.*\.(test|spec|e2e|cy)\.[cm]?[jt]sx?|.*\.snap|(jest|vitest|playwright|cypress|karma)\.config\.[cm]?[jt]s"
    r"|(pytest|tox)\.ini)",
    re.IGNORECASE,
)
# Java, Kotlin, Scala, C#, Swift and PHP name the class: the capital keeps "latest.java" out.
_TEST_CLASS = re.compile(r"(Test[A-Z]\w*|\w*(Tests?|TestCase|IT|Spec))\.(java|kt|kts|scala|groovy|cs|swift|php)")


@lru_cache(maxsize=65536)
def path_kind(path: str) -> PathKind:
    """What ``path`` holds."""
    if is_test(path):
        return "test"
    return "documentation" if is_documentation(path) else "source"


def is_test(path: str) -> bool:
    """Whether ``path`` is test code or test data, by its folders and its name."""
    *folders, name = path.split("/")
    if any(_TEST_FOLDER.fullmatch(folder) for folder in folders):
        return True
    return bool(_TEST_FILE.fullmatch(name) or _TEST_CLASS.fullmatch(name))
