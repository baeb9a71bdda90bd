"""Harness: what a file is to a change elsewhere, judged by its path alone: one of the paper's kinds of relation."""

from __future__ import annotations

import re
from functools import lru_cache

from core.harness.project_state import RelationKind
from core.tape.drift import is_documentation
from core.tracebench.paths import is_test

_SCHEMA = re.compile(
    r".*\.(proto|graphql|graphqls|gql|avsc|xsd|wsdl|prisma|thrift|capnp|fbs|sql|ddl|rng|dtd)"
    r"|.*(schema|openapi|swagger)[^/]*\.(json|ya?ml|toml)",
    re.IGNORECASE,
)
_SCHEMA_FOLDERS = frozenset({"migrations", "schemas", "alembic"})
_CONFIGURATION = re.compile(
    r".*\.(toml|ini|cfg|conf|config|ya?ml|json|json5|jsonc|env|properties|lock|iss|spec|nix|hcl|tf|plist|editorconfig)"
    r"|\.[^/.]+|\.env\..*|(Dockerfile|Containerfile|Makefile|GNUmakefile|Jenkinsfile|Procfile|Vagrantfile)(\..*)?"
    r"|.*\.(mk|dockerfile|bazel|bzl|gradle|cmake)|CMakeLists\.txt|(BUILD|WORKSPACE|CODEOWNERS)|MANIFEST\.in"
    r"|(requirements|constraints)[^/]*\.(txt|in)|setup\.(py|cfg)|conftest\.py|noxfile\.py|go\.(mod|sum)|py\.typed",
    re.IGNORECASE,
)
_CONFIGURATION_FOLDERS = frozenset({".github", ".circleci", ".gitlab", "continuous_integration", ".ci", ".azure"})


@lru_cache(maxsize=65536)
def target_kind(path: str) -> RelationKind:
    """The kind of relation a change has to the file at ``path``; code that is nothing else is a ``caller``."""
    *folders, name = path.split("/")
    if is_test(path):
        return "test"
    if is_documentation(path):
        return "documentation"
    if _SCHEMA.fullmatch(name) or (_SCHEMA_FOLDERS & set(folders) and not name.startswith("__init__")):
        return "schema"
    if _CONFIGURATION.fullmatch(name) or _CONFIGURATION_FOLDERS & set(folders):
        return "configuration"
    return "caller"
