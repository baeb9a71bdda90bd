"""The same work without a browser: ingest, runs, export, graph, drift, score, doctor, harness.

``python cli.py VERB --help``. One JSON document on stdout with ``--json``, messages on stderr. Exit 0 done,
1 something was refused (the rest is done), 2 usage. The verbs are in ``verbs/``, a file a group.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not {"-h", "--help"} & set(sys.argv):
    # An agent waits for these: nothing else may be imported before them.
    if sys.argv[1:3] == ["harness", "hook"]:
        from storage.live.client import hook

        sys.exit(hook(sys.argv[3:]))
    if sys.argv[1:3] == ["harness", "resident"] and sys.argv[3:4] == ["--project"] and len(sys.argv) == 5:
        from storage.live.resident import reside

        sys.exit(reside(sys.argv[4]))

import argparse
import os
from collections.abc import Sequence

from core.errors import OptionError, StateTapeError
from verbs.folders import add_drift, add_graph
from verbs.harness import add_harness
from verbs.ingest import add_ingest
from verbs.machine import add_doctor
from verbs.printed import DONE, REFUSED, USAGE, say
from verbs.stored import add_export, add_runs, add_score
from verbs.words import common

VERBS = (add_ingest, add_runs, add_export, add_graph, add_drift, add_score, add_doctor, add_harness)


def parser() -> argparse.ArgumentParser:
    """All verbs and their options."""
    top = argparse.ArgumentParser(
        prog="cli.py", description="What a coding agent's context held, and what of it was still true."
    )
    common(top)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for add in VERBS:
        add(verbs)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    arguments = parser().parse_args(argv)
    arguments.db, arguments.json = getattr(arguments, "db", None), getattr(arguments, "json", False)
    try:
        return int(arguments.perform(arguments))
    except OptionError as error:
        say(str(error))
        return USAGE
    except StateTapeError as error:
        say(str(error))
        return REFUSED
    except BrokenPipeError:  # the reader of stdout has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        say("stopped; runs already stored stay")
        return REFUSED


if __name__ == "__main__":
    sys.exit(main())
