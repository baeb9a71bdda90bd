"""Verbs of a live project: ``harness init``, ``hook``, ``brief``, ``diagnose``, ``check``, ``resident``.

A coding agent's hooks call ``hook``; started as a program, ``cli.py`` hands that one over before anything of this is
imported.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import OptionError
from core.harness.brief_file import write_brief
from core.harness.diagnosis import diagnostic_prompt
from storage.live.client import FOLDER, LIMIT, hook
from storage.live.report import diagnosis_of, entered, overlooked_now, problems_now, state_now
from storage.live.resident import IDLE, reside
from storage.live.settings import SETTINGS, hooks, make_folder, write_hooks
from verbs.printed import DONE, REFUSED, plain, say
from verbs.words import add_verb, path


def add_harness(verbs: Any) -> None:
    """``harness`` and its verbs."""
    top = add_verb(verbs, "harness", "keep the state of a project while a coding agent works in it")
    inner = top.add_subparsers(dest="harness", required=True, metavar="VERB")

    verb = _add(inner, "init", f"make {FOLDER}/ in a project and print the hooks for the agent's settings", _init)
    verb.add_argument(
        "--transcripts", default="", metavar="DIR", help="transcripts below it may be read for what was said"
    )
    verb.add_argument("--write", action="store_true", help=f"put the hooks into the project's {SETTINGS}")

    verb = _add(inner, "hook", "answer one hook: JSON on stdin and stdout, always exit code 0", _hook)
    verb.add_argument("--transcripts", default="", metavar="DIR", help="as given to init")
    verb.add_argument("--limit", default=f"{LIMIT:g}", metavar="SECONDS", help="answer within this time")

    _add(inner, "brief", "print the working brief", _brief)

    verb = _add(inner, "diagnose", "print what fixed rules find overlooked in the record", _diagnose)
    verb.add_argument("--prompt", action="store_true", help="print the input a fresh session of a model would get")

    _add(inner, "check", "print what is wrong with the records and their history, exit 1 if anything is", _check)

    verb = _add(inner, "resident", "the process that hooks start by themselves and that answers them", _resident)
    verb.add_argument("--idle", type=_seconds, default=IDLE, metavar="SECONDS", help="end when nothing came so long")


def _add(verbs: Any, name: str, says: str, perform: Any) -> argparse.ArgumentParser:
    verb = add_verb(verbs, name, says)
    verb.add_argument(
        "--project", type=path, metavar="DIR", help="CLAUDE_PROJECT_DIR or the working folder unless said"
    )
    verb.set_defaults(perform=perform)
    return verb


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.05 <= found <= 1e7:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number of seconds")
    return found


def _project(arguments: argparse.Namespace) -> Path:
    return Path(os.path.abspath(arguments.project or os.environ.get("CLAUDE_PROJECT_DIR") or "."))


def _init(arguments: argparse.Namespace) -> int:
    project = _project(arguments)
    if arguments.transcripts and not os.path.isdir(os.path.expanduser(arguments.transcripts)):
        raise OptionError(f"--transcripts {arguments.transcripts!r}: no such folder")
    transcripts = os.path.abspath(os.path.expanduser(arguments.transcripts)) if arguments.transcripts else ""
    files = make_folder(project)
    say(f"{project / FOLDER} is ready; {files} files of the project are known")
    if arguments.write:
        say(f"hooks written to {write_hooks(project, transcripts)}")
        if arguments.json:
            print(json.dumps(hooks(transcripts)))
    else:
        say(f"put this into the project's {SETTINGS}, or call init with --write:")
        print(json.dumps(hooks(transcripts), indent=None if arguments.json else 2))
    return DONE


def _hook(arguments: argparse.Namespace) -> int:
    words = ["--project", os.fspath(_project(arguments)), "--limit", arguments.limit]
    return hook([*words, "--transcripts", arguments.transcripts])


def _brief(arguments: argparse.Namespace) -> int:
    entered(_project(arguments))
    brief = state_now().brief()
    print(json.dumps(asdict(brief)) if arguments.json else _shown(write_brief(brief)))
    return DONE


def _diagnose(arguments: argparse.Namespace) -> int:
    entered(_project(arguments))
    live = state_now()
    given = diagnosis_of(live)
    if arguments.prompt:
        prompt = diagnostic_prompt(given)
        print(json.dumps({"t": given.t, "prompt": prompt}) if arguments.json else _shown(prompt))
        return DONE
    alerts = overlooked_now(live)
    if arguments.json:
        print(json.dumps([asdict(a) for a in alerts]))
    else:
        for alert in alerts:
            print(plain(f"- {alert.text} ({', '.join(alert.rests)})"))
        if not alerts:
            say("nothing was overlooked, as far as fixed rules can tell")
    return DONE


def _check(arguments: argparse.Namespace) -> int:
    entered(_project(arguments))
    problems = problems_now()
    if arguments.json:
        print(json.dumps([asdict(p) for p in problems]))
    else:
        for p in problems:
            print(plain(f"{FOLDER}/{p.file}:{f'{p.line}:' if p.line else ''} {p.why}"))
    return REFUSED if problems else DONE


def _resident(arguments: argparse.Namespace) -> int:
    return reside(os.fspath(_project(arguments)), arguments.idle)


def _shown(text: str) -> str:
    """Lines for a person: what a transcript says cannot steer the terminal."""
    return "\n".join(plain(line) for line in text.rstrip("\n").split("\n"))
