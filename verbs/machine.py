"""Verbs about this machine: ``doctor``."""

from __future__ import annotations

import argparse
from typing import Any

from storage.doctor import examine
from storage.export import to_document
from verbs.printed import DONE, REFUSED, plain
from verbs.words import add_verb


def add_doctor(verbs: Any) -> None:
    """``doctor``."""
    verb = add_verb(verbs, "doctor", "versions, rank file, database and its lock, Chromium, grammars")
    verb.set_defaults(perform=_doctor)


def _doctor(arguments: argparse.Namespace) -> int:
    findings = examine(arguments.db)
    if arguments.json:
        print(to_document([{"what": f.what, "state": f.state, "says": f.says} for f in findings]))
    else:
        for finding in findings:
            print(f"{finding.state:<8} {finding.what:<20} {plain(finding.says)}")
    return REFUSED if any(finding.state == "bad" for finding in findings) else DONE
